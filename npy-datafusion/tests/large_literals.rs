//! Integers of more than 64 bits in comparisons: no row is lost by a float that takes their place.

use crate::support::{error, rows, text};
use npy_core::WriteNpy;
use npy_datafusion::session;

/// Guards each comparison, of files and of tables in memory, by NumPy's answers.
#[tokio::test]
async fn a_literal_of_more_than_64_bits_is_greater_than_all_integers() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path().display();
    [0, 1, u64::MAX - 1, u64::MAX].write_npy(directory.path().join("u.npy")).unwrap();
    [0, 1, i64::MAX, i64::MIN].write_npy(directory.path().join("i.npy")).unwrap();
    let ctx = session();
    for name in ["u", "i"] {
        rows(&ctx, &format!("CREATE TABLE {name} AS SELECT * FROM npy('{at}/{name}.npy')")).await;
        for table in [name.to_owned(), format!("npy('{at}/{name}.npy')")] {
            for (condition, expected) in [
                ("value < 18446744073709551616", 4),
                ("value <= 18446744073709551617", 4),
                ("18446744073709551616 > value", 4),
                ("value >= 18446744073709551616", 0),
                ("value = 18446744073709551616", 0),
                ("value <> 18446744073709551616", 4),
                ("value IS DISTINCT FROM 18446744073709551616", 4),
                ("value BETWEEN 1 AND 18446744073709551616", if name == "u" { 3 } else { 2 }),
                ("value IN (1, 18446744073709551616)", 1),
                ("value < 28446744073709551616", 4),
                ("value > -28446744073709551616", 4),
                ("value < 1e19", if name == "u" { 2 } else { 4 }),
            ] {
                let sql = format!("SELECT count(*) AS n FROM {table} WHERE {condition}");
                let found = text(&ctx, &sql).await;
                assert!(found.contains(&format!("| {expected} ")), "{sql}: {found}");
            }
        }
    }
    let refused = error(&ctx, "SELECT * FROM i WHERE value > -9223372036854775809").await;
    assert!(refused.contains("write -9223372036854775808 for this integer"), "{refused}");
    for (sql, expected) in [
        ("SELECT count(*) AS n FROM u WHERE value > -9223372036854775809", 4),
        ("SELECT count(*) AS n FROM i WHERE value >= -9223372036854775808", 4),
    ] {
        let found = text(&ctx, sql).await;
        assert!(found.contains(&format!("| {expected} ")), "{sql}: {found}");
    }
}
