//! Parquet files whose rows belong to those of the arrays: `OPTIONS ('beside' 'metadata/*.parquet')`.

use std::path::Path;

use crate::support::{error, rows, text};
use npy_core::{NpyArray, WriteNpy};
use npy_datafusion::datafusion::prelude::{SessionConfig, SessionContext};
use npy_datafusion::{session, session_with_config};

/// Writes vectors in two files, and the metadata of their rows in three.
async fn write(directory: &Path, more: usize) {
    for (file, first, count) in [("a", 0, 30_000), ("b", 30_000, 5_000)] {
        let number = |row: usize, column: usize| (first + row) as f32 + column as f32 / 4.0;
        let vectors: Vec<f32> =
            (0..count).flat_map(|row| (0..3).map(move |column| number(row, column))).collect();
        let vectors = NpyArray::new(vectors, [count, 3]).unwrap();
        vectors.write_npy(directory.join(format!("{file}.npy"))).unwrap();
    }
    std::fs::create_dir(directory.join("meta")).unwrap();
    let ctx = session();
    for (file, first, end) in [("0", 0, 1), ("1", 1, 20_000), ("2", 20_000, 35_000 + more)] {
        let to = directory.join(format!("meta/{file}.parquet"));
        let sql = format!(
            "COPY (SELECT value AS id, 'name ' || value AS name FROM generate_series({first}, {}) ORDER BY value) TO '{}' STORED AS PARQUET",
            end - 1,
            to.display()
        );
        rows(&ctx, &sql).await;
    }
}

async fn table(directory: &Path, partitions: usize) -> SessionContext {
    let mut config = SessionConfig::new().with_target_partitions(partitions).with_batch_size(1000);
    config.options_mut().optimizer.repartition_file_min_size = 1;
    let ctx = session_with_config(config);
    let at = directory.display();
    let create = format!(
        "CREATE EXTERNAL TABLE t STORED AS NPY LOCATION '{at}/' OPTIONS ('beside' '{at}/meta/*.parquet')"
    );
    rows(&ctx, &create).await;
    ctx
}

const QUERIES: [(&str, &str); 9] = [
    ("SELECT count(*) FROM t", "35000"),
    ("SELECT count(*) FROM t WHERE CAST(value[1] AS BIGINT) <> id", "0"),
    (
        "SELECT count(*) FROM t WHERE name <> 'name ' || CAST(CAST(value[1] AS BIGINT) AS VARCHAR)",
        "0",
    ),
    ("SELECT name FROM t WHERE value[1] = 29999", "name 29999"),
    ("SELECT value FROM t WHERE name = 'name 30000'", "[30000.0, 30000.25, 30000.5]"),
    (
        "SELECT name FROM t ORDER BY npy_l2(value, [12345.0, 12345.25, 12345.5]) LIMIT 1",
        "name 12345",
    ),
    ("SELECT id, value[2], name FROM t LIMIT 1 OFFSET 20000", "20000 | 20000.25 | name 20000"),
    ("SELECT sum(id) FROM t WHERE value[1] < 10", "45"),
    ("SELECT max(a.id) FROM t a JOIN t b ON a.value[1] = b.id WHERE b.name = 'name 7'", "7"),
];

fn cell(table: &str) -> String {
    let cell = table.lines().nth(3).unwrap_or_default().trim_matches(['|', ' ']);
    cell.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Guards positions: whatever the partitions, the order of columns and the conditions, a row has its own metadata.
#[tokio::test]
async fn rows_are_joined_by_position() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), 0).await;
    for partitions in [1, 4] {
        let ctx = table(directory.path(), partitions).await;
        for (query, expected) in QUERIES {
            assert_eq!(cell(&text(&ctx, query).await), expected, "{partitions}: {query}");
        }
    }
}

/// Guards `_file` and `_row`, which are those of the arrays; a column of the other files that has such a name stays.
#[tokio::test]
async fn rows_have_positions() {
    use npy_datafusion::datafusion::arrow::util::pretty::pretty_format_batches;

    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), 0).await;
    let ctx = table(directory.path(), 3).await;
    let shown = async |query: &str| {
        let found = npy_datafusion::sql(&ctx, query).await.unwrap().collect().await.unwrap();
        cell(&pretty_format_batches(&found).unwrap().to_string())
    };
    let one = "SELECT right(_file, 5), _row, id FROM t WHERE name = 'name 30007'";
    assert_eq!(shown(one).await, "b.npy | 7 | 30007");
    let all = "SELECT count(*), sum(_row) FROM t WHERE _row + 30000 = id OR _row = id";
    let sum = 30_000u64 * 29_999 / 2 + 5000 * 4999 / 2;
    assert_eq!(shown(all).await, format!("35000 | {sum}"));
    assert_eq!(
        shown("SELECT * FROM t WHERE _row = 3 LIMIT 1").await,
        "[3.0, 3.25, 3.5] | 3 | name 3"
    );
    let own = directory.path().join("own.parquet").display().to_string();
    let copy = "SELECT value AS _row, 'x' || value AS text FROM generate_series(100, 30099) ORDER BY value";
    rows(&ctx, &format!("COPY ({copy}) TO '{own}' STORED AS PARQUET")).await;
    let a = directory.path().join("a.npy").display().to_string();
    let query = format!(
        "SELECT right(_file, 5), _row FROM npy('{a}', 'beside', '{own}') WHERE text = 'x107'"
    );
    assert_eq!(shown(&query).await, "a.npy | 107");
}

/// Guards plans that go to another process.
#[cfg(feature = "proto")]
#[tokio::test]
async fn a_joined_table_crosses() {
    use datafusion::physical_plan::collect;
    use datafusion_proto::bytes::{
        logical_plan_from_bytes_with_extension_codec, logical_plan_to_bytes_with_extension_codec,
        physical_plan_from_bytes_with_extension_codec, physical_plan_to_bytes_with_extension_codec,
    };
    use npy_datafusion::{NpyLogicalCodec, NpyPhysicalCodec};

    let shown = |batches: &[_]| {
        cell(&datafusion::arrow::util::pretty::pretty_format_batches(batches).unwrap().to_string())
    };
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), 0).await;
    let ctx = table(directory.path(), 3).await;
    for (query, expected) in QUERIES {
        let frame = ctx.sql(query).await.unwrap();
        let (logical, physical) = (NpyLogicalCodec::default(), NpyPhysicalCodec::default());
        let bytes =
            logical_plan_to_bytes_with_extension_codec(frame.logical_plan(), &logical).unwrap();
        let plan = frame.create_physical_plan().await.unwrap();
        let message = physical_plan_to_bytes_with_extension_codec(plan, &physical).unwrap();
        let other = session();
        let task = other.task_ctx();
        let plan = physical_plan_from_bytes_with_extension_codec(&message, &task, &physical);
        let found = collect(plan.unwrap(), other.task_ctx()).await.unwrap();
        assert_eq!(shown(&found), expected, "{query}");
        let plan = logical_plan_from_bytes_with_extension_codec(&bytes, &task, &logical).unwrap();
        let found = other.execute_logical_plan(plan).await.unwrap().collect().await.unwrap();
        assert_eq!(shown(&found), expected, "{query}");
    }
}

/// Guards lengths that differ, and names that both have.
#[tokio::test]
async fn what_does_not_belong_together_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), 7).await;
    let at = directory.path().display();
    let ctx = table(directory.path(), 2).await;
    for query in ["SELECT count(*) FROM t", "SELECT id FROM t LIMIT 1"] {
        let message = error(&ctx, query).await;
        assert!(message.contains("35000 rows") && message.contains("35007"), "{message}");
    }
    // Without statistics, the end of the files tells.
    rows(&ctx, "SET datafusion.execution.collect_statistics = false").await;
    let message = error(&ctx, "SELECT count(*) FROM t").await;
    assert!(message.contains("35007") || message.contains("fewer rows"), "{message}");
    let twice = format!("{at}/twice.parquet");
    rows(&ctx, &format!("COPY (SELECT 1 AS value) TO '{twice}' STORED AS PARQUET")).await;
    for (beside, part) in
        [(&*twice, "a column \"value\""), ("/nowhere/*.parquet", "No files found")]
    {
        let query = format!("SELECT * FROM npy('{at}/a.npy', 'beside', '{beside}')");
        let message = error(&ctx, &query).await;
        assert!(message.contains(part), "{message}");
    }
}

/// Guards files that are left out: those of both, where no array has a row of the condition, and rows keep their own metadata.
#[tokio::test]
async fn files_of_both_are_left_out_by_the_index() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path().display();
    let ctx = session();
    let write = async |first: u32, end: u32, select: &str, to: &str, format: &str| {
        let rows_of = format!("generate_series({first}, {}) ORDER BY value", end - 1);
        let sql =
            format!("COPY (SELECT {select} FROM {rows_of}) TO '{at}/{to}' STORED AS {format}");
        rows(&ctx, &sql).await;
    };
    // A plan shows five files.
    for n in 0..5 {
        let t = "value AS t, value * 2 AS twice";
        write(n * 1000, (n + 1) * 1000, t, &format!("{n}.npy"), "NPY").await;
    }
    // The first file has the rows of two arrays, and two files those of the third.
    for (n, first, end) in
        [(0, 0, 2000), (1, 2000, 2100), (2, 2100, 3000), (3, 3000, 4000), (4, 4000, 5000)]
    {
        write(first, end, "value AS id", &format!("meta/{n}.parquet"), "PARQUET").await;
    }
    npy_datafusion::write_index(&ctx.state(), &at.to_string(), None, 100).await.unwrap();
    for partitions in [1, 4] {
        let ctx = table(directory.path(), partitions).await;
        for (condition, count, arrays, others) in [
            ("t = 2500", 1, "2", "12"),
            ("t BETWEEN 1500 AND 1509", 10, "01", "0"),
            ("t IN (7, 3999)", 2, "013", "03"),
            ("t > 3000 AND id < 3005", 4, "34", "34"),
            ("id = 17", 1, "01234", "01234"),
            ("t + id = 34", 1, "01234", "01234"),
            ("t < 0", 0, "01", "0"),
            ("t = 2500 OR id = 3500", 2, "01234", "01234"),
        ] {
            let sql =
                format!("SELECT count(*) FROM t WHERE {condition} AND t = id AND twice = 2 * id");
            assert_eq!(cell(&text(&ctx, &sql).await), count.to_string(), "{condition}");
            let plan = text(&ctx, &format!("EXPLAIN {sql}")).await.replace([' ', '\n', '|'], "");
            let has = |name: String| plan.contains(&name);
            let found: String =
                (0..5).filter(|n| has(format!("/{n}.npy"))).map(|n| n.to_string()).collect();
            let more: String =
                (0..5).filter(|n| has(format!("/{n}.parquet"))).map(|n| n.to_string()).collect();
            assert_eq!((&*found, &*more), (arrays, others), "{condition}: {plan}");
        }
        let sql = "SELECT t, id FROM t WHERE twice = 8002";
        assert_eq!(cell(&text(&ctx, sql).await), "4001 | 4001");
        let found =
            npy_datafusion::sql(&ctx, "SELECT _row, id FROM t WHERE t = 2501").await.unwrap();
        assert_eq!(found.clone().count().await.unwrap(), 1);
    }
}
