//! Integers beside floats that do not have all of them: as in NumPy.

use datafusion::arrow::util::pretty::pretty_format_batches;
use npy_core::{NpyRecord, WriteNpy};
use npy_datafusion::{NpyOptions, register, session};

#[derive(NpyRecord)]
struct Row {
    u: u64,
    l: i64,
    i: i32,
    s: i16,
    f: f32,
}

/// Guards integers beside floats of 32 bits: they are compared and computed with all their digits. The values are those of NumPy.
#[tokio::test]
async fn integers_keep_their_digits_beside_floats() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.npy");
    let row = Row { u: 16_777_217, l: 1_700_000_218_081, i: 16_777_217, s: 2049, f: 16_777_216.0 };
    [row].write_npy(&path).unwrap();
    let ctx = session();
    register(&ctx, "t", &path.display().to_string(), NpyOptions::default()).await.unwrap();
    for (sql, expected) in [
        ("l + f FROM t", "1700016995297.0"),
        ("i - f FROM t", "1.0"),
        ("i = f FROM t", "false"),
        ("f < u FROM t", "true"),
        ("f / (l - l + 3) FROM t", "5592405.333333333"),
        ("arrow_typeof(f + s) FROM t", "Float32"),
        ("arrow_typeof(f + 1) FROM t", "Float32"),
        ("arrow_typeof(f * -2) FROM t", "Float32"),
        ("arrow_typeof(f * (2 + 1)) FROM t", "Float32"),
        ("s + arrow_cast(s, 'Float16') FROM t", "4097.0"),
        ("arrow_typeof(arrow_cast(1, 'Int8') + arrow_cast(s, 'Float16')) FROM t", "Float16"),
        ("arrow_typeof(i + arrow_cast(s, 'Float16')) FROM t", "Float64"),
        ("f BETWEEN i AND u FROM t", "false"),
        ("i IN (f, 7) FROM t", "false"),
        ("i IS DISTINCT FROM f FROM t", "true"),
        ("nvl(u, 0) FROM t", "16777217"),
        ("ifnull(u, 0) FROM t", "16777217"),
        ("arrow_typeof(nvl(DATE '2026-01-02', DATE '2026-01-01')) FROM t", "Date32"),
        ("count(*) FROM t a JOIN t b ON a.i = b.f", "0"),
        ("count(*) FROM (SELECT f AS x, l FROM t) WHERE x + l = l", "0"),
    ] {
        let rows = ctx.sql(&format!("SELECT {sql}")).await.unwrap().collect().await.unwrap();
        let table = pretty_format_batches(&rows).unwrap().to_string();
        let found = table.lines().nth(3).unwrap_or_default().trim_matches(['|', ' ']).to_owned();
        assert_eq!(found, expected, "{sql}");
    }
}
