//! The order of rows: those of one file are in the order of the file, however many threads read it.

use std::path::Path;

use crate::support::{Counted, rows};
use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::compute::{cast, concat_batches};
use datafusion::arrow::datatypes::{DataType, Int64Type};
use datafusion::physical_plan::displayable;
use datafusion::prelude::{SessionConfig, SessionContext};
use npy_core::{ReadNpy, WriteNpy, npz};
use npy_datafusion::{NpyOptions, register, session, session_with_config};

/// The rows of a file: 3.2 MB, some parts that are read at a time.
const ROWS: i64 = 400_000;

/// Writes the numbers from 0 as an array, and as archives.
fn write(directory: &Path) {
    let numbers: Vec<i64> = (0..ROWS).collect();
    numbers.write_npy(directory.join("array.npy")).unwrap();
    for (name, options) in [
        ("stored.npz", &npz::WriteOptions::new()),
        ("deflated.npz", npz::WriteOptions::new().deflate(1)),
    ] {
        let mut archive = options.create(directory.join(name)).unwrap();
        archive.write("value", &numbers).unwrap();
        archive.finish().unwrap();
    }
}

fn with_partitions(partitions: usize) -> SessionContext {
    let mut config = SessionConfig::new().with_target_partitions(partitions);
    config.options_mut().optimizer.repartition_file_min_size = 1;
    session_with_config(config)
}

/// Returns the integers of a column of the result.
fn integers(batches: &[RecordBatch], column: usize) -> Vec<i64> {
    let Some(first) = batches.first() else { return Vec::new() };
    let all = concat_batches(&first.schema(), batches).unwrap();
    let values = cast(all.column(column), &DataType::Int64).unwrap();
    values.as_primitive::<Int64Type>().values().to_vec()
}

/// Guards every result that depends on the order of rows: of an array and of archives, for one thread and for many. The file is divided, or its
/// batches are, or neither.
#[tokio::test(flavor = "multi_thread")]
async fn rows_of_one_file_keep_their_order() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path());
    // A condition that the scan does not evaluate, so that the planner gives each thread some batches.
    let volatile = "WHERE value + random() >= 0";
    let cases: [(&str, Vec<i64>); 14] = [
        ("SELECT value FROM t", (0..ROWS).collect()),
        (
            "SELECT unnest([value, -value]) FROM t",
            (0..ROWS).flat_map(|value| [value, -value]).collect(),
        ),
        (
            "SELECT n FROM (SELECT row_number() OVER () - 1 AS n FROM (SELECT unnest([value]) AS x FROM t) WHERE x >= 0)",
            (0..ROWS).collect(),
        ),
        (
            "SELECT value * 2 FROM t WHERE value % 3 = 0",
            (0..ROWS).step_by(3).map(|n| 2 * n).collect(),
        ),
        (&format!("SELECT value FROM t {volatile}"), (0..ROWS).collect()),
        ("SELECT value FROM t LIMIT 5", (0..5).collect()),
        ("SELECT value FROM t WHERE value > 300000 LIMIT 5", (300_001..300_006).collect()),
        ("SELECT value FROM t LIMIT 5 OFFSET 300000", (300_000..300_005).collect()),
        ("SELECT row_number() OVER () - 1 FROM t", (0..ROWS).collect()),
        (
            &format!(
                "SELECT n - 1 FROM (SELECT row_number() OVER () AS n, value FROM t) {volatile}"
            ),
            (0..ROWS).collect(),
        ),
        ("SELECT sum(value) FROM (SELECT value FROM t LIMIT 5)", vec![10]),
        ("SELECT unnest(array_agg(value)) FROM t", (0..ROWS).collect()),
        (&format!("SELECT last_value(value) FROM t {volatile}"), vec![ROWS - 1]),
        ("SELECT first_value(value) FROM t GROUP BY value % 3 ORDER BY value % 3", vec![0, 1, 2]),
    ];
    for partitions in [1, 16] {
        for file in ["array.npy", "stored.npz", "deflated.npz"] {
            let ctx = with_partitions(partitions);
            let path = directory.path().join(file).display().to_string();
            register(&ctx, "t", &path, NpyOptions::default()).await.unwrap();
            for (sql, expected) in &cases {
                let found = integers(&rows(&ctx, sql).await, 0);
                assert!(found == *expected, "{file}, {partitions} partitions: {sql}");
            }
        }
    }
}

/// Guards files that queries write: `COPY` of a file without `ORDER BY` is in the order of the file. The settings are those of the command.
#[tokio::test(flavor = "multi_thread")]
async fn copies_of_one_file_keep_its_order() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name).display().to_string();
    // More than the 10 MB from which the planner divides a file.
    let numbers: Vec<i64> = (0..3_000_000).collect();
    numbers.write_npy(at("t.npy")).unwrap();
    let ctx = session();
    register(&ctx, "t", &at("t.npy"), NpyOptions::default()).await.unwrap();
    for condition in ["", "WHERE value <> 1234567", "WHERE value + random() >= 0"] {
        let copy = format!("COPY (SELECT value FROM t {condition}) TO '{}'", at("copy.npy"));
        rows(&ctx, &copy).await;
        let copied = Vec::<i64>::read_npy(at("copy.npy")).unwrap();
        assert!(copied.is_sorted() && copied.len() >= 2_999_999, "{copy}");
    }
}

/// Guards the order of sorted rows if an expression of them is computed, and their key is not written: `COPY` to other formats checks or converts times, and `INSERT INTO`
/// converts to the types of the table.
#[tokio::test(flavor = "multi_thread")]
async fn sorted_rows_keep_their_order() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name).display().to_string();
    // Each number once, in no order.
    let keys: Vec<i64> = (0..ROWS).map(|n| n * 7_919 % ROWS).collect();
    keys.write_npy(at("t.npy")).unwrap();
    std::fs::create_dir(at("s")).unwrap();
    for (name, keys) in [("a", 0..ROWS / 2), ("b", ROWS / 2..ROWS)] {
        keys.collect::<Vec<_>>().write_npy(at(&format!("s/{name}.npy"))).unwrap();
    }
    let d = "arrow_cast(value, 'Timestamp(Second, None)') AS d";
    for partitions in [1, 4] {
        let ctx = with_partitions(partitions);
        register(&ctx, "t", &at("t.npy"), NpyOptions::default()).await.unwrap();
        let from_t = format!("(SELECT value, {d} FROM t)");
        let of_files =
            format!("(SELECT value, {d} FROM npy('{}', 'sorted_by', 'value'))", at("s/"));
        for (select, is_down) in [
            (format!("SELECT d FROM {from_t} ORDER BY value"), false),
            (format!("SELECT d, 1 AS x FROM {from_t} ORDER BY value LIMIT 90000"), false),
            (format!("SELECT d FROM {from_t} ORDER BY value DESC LIMIT 90000 OFFSET 9"), true),
            (format!("SELECT d FROM {of_files} ORDER BY value"), false),
        ] {
            for extension in ["csv", "json"] {
                let to = at(&format!("copy.{extension}"));
                rows(&ctx, &format!("COPY ({select}) TO '{to}'")).await;
                let text = std::fs::read_to_string(&to).unwrap();
                let mut lines: Vec<_> =
                    text.lines().skip(usize::from(extension == "csv")).collect();
                if is_down {
                    lines.reverse();
                }
                assert!(lines.len() >= 90_000 && lines.is_sorted(), "{select}: {partitions}");
            }
            #[cfg(feature = "parquet")]
            {
                let to = at("copy.parquet");
                rows(&ctx, &format!("COPY ({select}) TO '{to}'")).await;
                let create = format!("CREATE EXTERNAL TABLE p STORED AS PARQUET LOCATION '{to}'");
                let one = with_partitions(1);
                rows(&one, &create).await;
                let mut found = integers(&rows(&one, "SELECT d FROM p").await, 0);
                if is_down {
                    found.reverse();
                }
                assert!(found.len() >= 90_000 && found.is_sorted(), "{select}: {partitions}");
            }
        }
        let to = at(&format!("to{partitions}/"));
        let create =
            format!("CREATE EXTERNAL TABLE e (value INT NOT NULL) STORED AS NPY LOCATION '{to}'");
        rows(&ctx, &create).await;
        let insert =
            "INSERT INTO e SELECT x FROM (SELECT value, value * 2 AS x FROM t) ORDER BY value";
        rows(&ctx, insert).await;
        for file in std::fs::read_dir(to).unwrap() {
            assert!(
                Vec::<i32>::read_npy(file.unwrap().path()).unwrap().is_sorted(),
                "{partitions}"
            );
        }
    }
}

/// Guards stores of other machines.
#[tokio::test(flavor = "multi_thread")]
async fn rows_of_a_file_in_a_store_keep_their_order() {
    let mut file = Vec::new();
    (0..ROWS).collect::<Vec<i64>>().write_npy_to(&mut file).unwrap();
    let store = Counted::with([("x.npy", file)]).await;
    let ctx = with_partitions(4);
    store.register(&ctx);
    register(&ctx, "t", "mem://host/x.npy", NpyOptions::default()).await.unwrap();
    let found = integers(&rows(&ctx, "SELECT value FROM t WHERE value >= 0").await, 0);
    assert!(found.into_iter().eq(0..ROWS));
    // The first rows are one request.
    store.take();
    let found = integers(&rows(&ctx, "SELECT value FROM t LIMIT 5").await, 0);
    assert_eq!(found, [0, 1, 2, 3, 4]);
    assert_eq!(store.take(), (1, 40));
}

/// Guards the speed of aggregates, which do not depend on the order: the planner still divides the file.
#[tokio::test]
async fn aggregates_of_one_file_are_divided() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path());
    let ctx = with_partitions(4);
    let path = directory.path().join("array.npy").display().to_string();
    register(&ctx, "t", &path, NpyOptions::default()).await.unwrap();
    for (sql, groups) in [
        ("SELECT sum(value) FROM t", 4),
        ("SELECT value % 3, avg(value) FROM t WHERE value > 7 GROUP BY value % 3", 4),
        ("SELECT value FROM t ORDER BY value", 4),
        ("SELECT max(value) FROM (SELECT value FROM t UNION ALL SELECT value + 1 FROM t)", 4),
        ("SELECT value FROM t", 1),
        ("SELECT array_agg(value) FROM t", 1),
    ] {
        let plan = ctx.sql(sql).await.unwrap().create_physical_plan().await.unwrap();
        let plan = displayable(plan.as_ref()).indent(false).to_string();
        let expected = if groups == 1 { "1 group:".into() } else { format!("{groups} groups:") };
        assert!(plan.contains(&expected), "{sql}:\n{plan}");
    }
}

/// Guards windows of parts, whose rows have no order of their own: what depends on one is an error, and its advice has the order of the file.
#[tokio::test(flavor = "multi_thread")]
async fn windows_of_parts_need_an_order() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path());
    let ctx = with_partitions(4);
    let path = directory.path().join("array.npy").display().to_string();
    register(&ctx, "t", &path, NpyOptions::default()).await.unwrap();
    let parts = "(SELECT value, value % 3 AS s FROM t) a";
    for (call, of) in [
        ("lag(value)", ""),
        ("lead(value)", ""),
        ("first_value(value)", ""),
        ("last_value(value)", ""),
        ("nth_value(value, 2)", ""),
        ("array_agg(value)", ""),
        ("string_agg(CAST(value AS TEXT), ',')", ""),
        ("sum(value)", " ROWS 1 PRECEDING"),
    ] {
        for (part, from, order) in
            [("value % 3", "t", "ORDER BY _row"), ("a.s", parts, "ORDER BY x")]
        {
            let sql = format!("SELECT {call} OVER (PARTITION BY {part}{of}) FROM {from}");
            let error = async { ctx.sql(&sql).await?.collect().await }.await.unwrap_err();
            let error = error.strip_backtrace();
            assert!(error.contains("PARTITION BY without ORDER BY has none"), "{sql}: {error}");
            let (_, window) = error.split_once("write ").unwrap();
            assert!(window.starts_with(order), "{sql}: {error}");
            if let Some((window, _)) = window.split_once(" after it, the order of the file") {
                let sql = format!(
                    "SELECT count(*), count(DISTINCT v) FROM (SELECT {call} OVER (PARTITION BY {part} {window}) AS v FROM t WHERE _row < 300)"
                );
                let found = npy_datafusion::sql(&ctx, &sql).await.unwrap().collect().await.unwrap();
                assert_eq!(integers(&found, 0), [300], "{sql}");
                // The value of a frame of all rows is one for each part.
                if !call.starts_with("l") && of.is_empty() || call.starts_with("last") {
                    assert_eq!(integers(&found, 1), [3], "{sql}");
                }
            }
        }
    }
    let sql = "SELECT count(*) FROM (SELECT value - lag(value) OVER (PARTITION BY value % 3 ORDER BY _row) AS d FROM t) WHERE d = 3";
    let found = npy_datafusion::sql(&ctx, sql).await.unwrap().collect().await.unwrap();
    assert_eq!(integers(&found, 0), [ROWS - 3]);
    for call in ["row_number()", "ntile(2)", "avg(value)", "count(*)"] {
        let sql = format!("SELECT {call} OVER (PARTITION BY value % 3) FROM t LIMIT 1");
        assert_eq!(rows(&ctx, &sql).await.len(), 1, "{sql}");
    }
}
