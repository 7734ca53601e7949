//! Times in units that Arrow lacks: files in several units have one, and counts of different units are not mixed.

use std::path::Path;

use crate::support::{error, rows, text};
use npy_core::{DType, DynArray, Order, WriteNpy, npz};
use npy_datafusion::session;

/// Returns an array of eight bytes each: times, or records with one time.
fn array(dtype: &str, counts: &[i64]) -> DynArray {
    let dtype: DType = dtype.parse().unwrap();
    let bytes = counts.iter().flat_map(|count| count.to_le_bytes()).collect();
    DynArray::new(dtype, vec![counts.len()], Order::C, bytes).unwrap()
}

fn write(directory: &Path, name: &str, dtype: &str, counts: &[i64]) {
    let array = array(dtype, counts);
    array.write_npy(directory.join(format!("{name}.npy"))).unwrap();
    let mut archive = npz::Writer::create(directory.join(format!("{name}.npz"))).unwrap();
    archive.write("value", &array).unwrap();
    archive.finish().unwrap();
}

/// Guards files in different units, in every place that a time has: the counts are those of the finer unit.
#[tokio::test]
async fn units_that_arrow_lacks_are_converted() {
    for (coarse, fine, factor) in [
        ("<M8[ps]", "<M8[fs]", 1000),
        ("<M8[10ps]", "<M8[ps]", 10),
        ("<m8[ps]", "<m8[as]", 1_000_000),
        ("<m8[2Y]", "<m8[Y]", 2),
        ("<m8[Y]", "<m8[M]", 12),
        (">M8[ps]", "<M8[fs]", 1000),
    ] {
        for of in [
            "'DTYPE'",
            "[('value', 'DTYPE')]",
            "[('value', [('at', 'DTYPE')])]",
            "[('value', 'DTYPE', (1,))]",
        ] {
            let directory = tempfile::tempdir().unwrap();
            let at = directory.path().display();
            let dtype = |unit: &str| of.replace("DTYPE", unit);
            let count = if coarse.starts_with('>') { 7i64.swap_bytes() } else { 7 };
            write(directory.path(), "a", &dtype(coarse), &[count]);
            write(directory.path(), "b", &dtype(fine), &[7]);
            let value = match of {
                of if of.contains("'at'") => "t.value['at']",
                of if of.contains("(1,)") => "t.value[1]",
                _ => "t.value",
            };
            // The only member of an archive is the column.
            let files = if of == "'DTYPE'" { &["*.npy", "*.npz"][..] } else { &["*.npy"] };
            for files in files {
                let sql = format!("SELECT min({value}), max({value}) FROM npy('{at}/{files}') t");
                let found = text(&session(), &sql).await;
                let cells: Vec<&str> =
                    found.lines().nth(3).unwrap().split('|').map(str::trim).collect();
                assert_eq!(cells[1..3], ["7", &(7 * factor).to_string()], "{of} {coarse} {fine}");
            }
        }
    }
}

/// Guards units that no type has: a span of years and one of days.
#[tokio::test]
async fn units_without_a_common_one_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "a", "'<m8[Y]'", &[1]);
    write(directory.path(), "b", "'<m8[ps]'", &[1]);
    let sql = format!("SELECT * FROM npy('{}/*.npy')", directory.path().display());
    let refused = error(&session(), &sql).await;
    assert!(refused.contains("b.npy") && refused.contains("neither type holds"), "{refused}");
}

/// Guards rows that are inserted: the counts of another unit are not those of the table.
#[tokio::test]
async fn counts_of_another_unit_are_not_inserted() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path().display();
    for (name, dtype) in [("ps", "<M8[ps]"), ("fs", "<M8[fs]")] {
        std::fs::create_dir(directory.path().join(name)).unwrap();
        let dtype = format!("[('at', '{dtype}')]");
        write(&directory.path().join(name), "a", &dtype, &[7]);
    }
    let ctx = session();
    for name in ["ps", "fs"] {
        let sql = format!("CREATE EXTERNAL TABLE {name} STORED AS NPY LOCATION '{at}/{name}/'");
        rows(&ctx, &sql).await;
    }
    let refused = error(&ctx, "INSERT INTO fs SELECT * FROM ps").await;
    assert!(refused.contains("is <M8[ps], and <M8[fs] in the table"), "{refused}");
    rows(&ctx, "INSERT INTO fs SELECT at * 1000 AS at FROM ps").await;
    let sum = text(&ctx, "SELECT sum(at) FROM fs").await;
    assert!(sum.contains("7007"), "{sum}");
}

/// Guards declared columns: a count without its unit is no time, and no number either.
#[tokio::test]
async fn declared_columns_keep_units() {
    let (refused, seconds) = (None, Some("1970-01-01T00:01:00"));
    for (dtype, declared, expected) in [
        ("<m8[s]", "DOUBLE", refused),
        ("<m8[s]", "BIGINT", refused),
        ("<m8[as]", "DOUBLE", refused),
        ("<m8[s]", "TIMESTAMP", refused),
        ("<m8[s]", "INTERVAL", Some("1 mins")),
        ("<m8[Y]", "INTERVAL", refused),
        ("<M8[ps]", "TIMESTAMP", refused),
        ("<M8[ps]", "BIGINT", refused),
        ("<M8[s]", "DOUBLE", refused),
        ("<M8[s]", "TIMESTAMP", seconds),
        (">M8[s]", "TIMESTAMP", seconds),
        ("<M8[s]", "TIMESTAMP(3)", seconds),
        ("<M8[s]", "DATE", Some("1970-01-01")),
        ("<M8[s]", "VARCHAR", seconds),
        ("<M8[D]", "TIMESTAMP", Some("1970-03-02T00:00:00")),
        ("<i8", "DOUBLE", Some("60.0")),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let count = if dtype.starts_with('>') { 60i64.swap_bytes() } else { 60 };
        write(directory.path(), "a", &format!("'{dtype}'"), &[count]);
        for (format, extension) in [("NPY", "npy"), ("NPZ", "npz")] {
            let ctx = session();
            let at = directory.path().display();
            let sql = format!(
                "CREATE EXTERNAL TABLE t (\"value\" {declared}) STORED AS {format} LOCATION '{at}/*.{extension}'"
            );
            rows(&ctx, &sql).await;
            match expected {
                Some(expected) => {
                    let found = text(&ctx, "SELECT value FROM t").await;
                    assert!(found.contains(expected), "{dtype} {declared}: {found}");
                }
                None => {
                    let found = error(&ctx, "SELECT value FROM t").await;
                    let advice = ["declare it as", "create the table without columns"];
                    let is_advised = advice.iter().any(|advice| found.contains(advice));
                    assert!(is_advised && found.contains(dtype), "{dtype} {declared}: {found}");
                }
            }
        }
    }
}
