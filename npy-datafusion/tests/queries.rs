//! SQL over `.npy` files: results are those of a plain loop, however the files are divided.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::AsArray;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{Float64Type, Int64Type, UInt32Type};
use datafusion::prelude::{SessionConfig, SessionContext};
use npy_core::{ByteOrder, NpyRecord, WriteNpy, WriteOptions};
use npy_datafusion::{NpyOptions, register, session, session_with_config};
use object_store::memory::InMemory;
use object_store::{ObjectStore, ObjectStoreExt};

#[derive(NpyRecord, Clone, Copy, Debug, PartialEq)]
struct Tick {
    id: u32,
    price: f64,
    name: [u8; 3],
    flag: bool,
    pair: [f32; 2],
}

fn ticks(from: u32, count: u32) -> Vec<Tick> {
    let tick = |n: u32| Tick {
        id: n % 7,
        price: f64::from(n) / 4.0,
        name: *b"abc",
        flag: n.is_multiple_of(3),
        pair: [n as f32, 0.5],
    };
    (from..from + count).map(tick).collect()
}

/// Writes files of different lengths, of which one is empty and one is big-endian. Returns all rows.
fn shards(directory: &Path) -> Vec<Tick> {
    let mut all = Vec::new();
    for (i, count) in [1000, 1, 0, 20_000, 333].into_iter().enumerate() {
        let part = ticks(u32::try_from(all.len()).unwrap(), count);
        let order = if i == 3 { ByteOrder::Big } else { ByteOrder::Little };
        WriteOptions::new()
            .byte_order(order)
            .write(directory.join(format!("{i}.npy")), &part)
            .unwrap();
        all.extend(part);
    }
    all
}

async fn rows(ctx: &SessionContext, sql: &str) -> Vec<RecordBatch> {
    let frame = ctx.sql(sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
    frame.collect().await.unwrap_or_else(|error| panic!("{sql}: {error}"))
}

async fn number(ctx: &SessionContext, sql: &str) -> f64 {
    rows(ctx, sql).await[0].column(0).as_primitive::<Float64Type>().value(0)
}

async fn count(ctx: &SessionContext, sql: &str) -> i64 {
    rows(ctx, sql).await[0].column(0).as_primitive::<Int64Type>().value(0)
}

/// Guards ranges of files, conditions, projections and limits: with any number of partitions the same rows.
#[tokio::test]
async fn results_do_not_depend_on_the_partitions() {
    let directory = tempfile::tempdir().unwrap();
    let all = shards(directory.path());
    let url = format!("file://{}/", directory.path().display());
    for partitions in [1, 3, 7, 13] {
        let mut config = SessionConfig::new().with_target_partitions(partitions);
        config.options_mut().optimizer.repartition_file_min_size = 1;
        let ctx = session_with_config(config);
        register(&ctx, "t", &url, NpyOptions::default()).await.unwrap();
        assert_eq!(count(&ctx, "SELECT count(*) FROM t").await, i64::try_from(all.len()).unwrap());
        let sum: f64 = all.iter().map(|tick| tick.price).sum();
        assert_eq!(number(&ctx, "SELECT sum(price) FROM t").await, sum);
        let sum: f64 =
            all.iter().filter(|tick| tick.id == 3 && tick.flag).map(|tick| tick.price).sum();
        assert_eq!(number(&ctx, "SELECT sum(price) FROM t WHERE id = 3 AND flag").await, sum);
        let none = count(&ctx, "SELECT count(*) FROM t WHERE price < 0").await;
        assert_eq!(none, 0);
        let ids: Vec<u32> =
            rows(&ctx, "SELECT id FROM t WHERE price >= 5000 ORDER BY price LIMIT 5")
                .await
                .iter()
                .flat_map(|batch| batch.column(0).as_primitive::<UInt32Type>().values().to_vec())
                .collect();
        let expected: Vec<u32> =
            all.iter().filter(|tick| tick.price >= 5000.0).take(5).map(|tick| tick.id).collect();
        assert_eq!(ids, expected);
        let some = rows(&ctx, "SELECT * FROM t LIMIT 3").await;
        assert_eq!(some.iter().map(RecordBatch::num_rows).sum::<usize>(), 3);
        let first = number(&ctx, "SELECT sum(CAST(pair[1] AS DOUBLE)) FROM t").await;
        assert_eq!(first, all.iter().map(|tick| f64::from(tick.pair[0])).sum::<f64>());
    }
}

/// Guards SQL alone: a table, and directories that are a column.
#[tokio::test]
async fn tables_are_created_by_sql() {
    let directory = tempfile::tempdir().unwrap();
    for day in ["2024-05-01", "2024-05-02"] {
        let part = directory.path().join(format!("day={day}"));
        fs::create_dir(&part).unwrap();
        ticks(0, 100).write_npy(part.join("t.npy")).unwrap();
    }
    let ctx = session();
    let sql = format!(
        "CREATE EXTERNAL TABLE t STORED AS NPY PARTITIONED BY (day) LOCATION '{}/'",
        directory.path().display()
    );
    rows(&ctx, &sql).await;
    assert_eq!(count(&ctx, "SELECT count(*) FROM t").await, 200);
    assert_eq!(
        count(&ctx, "SELECT count(*) FROM t WHERE day = '2024-05-02' AND id < 7").await,
        100
    );
    assert_eq!(count(&ctx, "SELECT count(DISTINCT day) FROM t").await, 2);
}

#[derive(NpyRecord)]
struct Old {
    price: f32,
    id: u8,
}

/// Guards files of other dtypes: narrower numbers, another order of fields, a field that is missing, plain arrays.
#[tokio::test]
async fn files_of_other_dtypes_are_reconciled() {
    let directory = tempfile::tempdir().unwrap();
    ticks(0, 10).write_npy(directory.path().join("b.npy")).unwrap();
    [Old { price: 0.5, id: 200 }].write_npy(directory.path().join("a.npy")).unwrap();
    let ctx = session();
    let url = format!("file://{}/", directory.path().display());
    register(&ctx, "t", &url, NpyOptions::default()).await.unwrap();
    assert_eq!(number(&ctx, "SELECT price FROM t WHERE id = 200").await, 0.5);
    assert_eq!(count(&ctx, "SELECT count(*) FROM t WHERE name IS NULL").await, 1);
    assert_eq!(count(&ctx, "SELECT count(*) FROM t").await, 11);

    let plain = tempfile::tempdir().unwrap();
    vec![1.5f64, 2.5].write_npy(plain.path().join("x.npy")).unwrap();
    let url = format!("file://{}/", plain.path().display());
    register(&ctx, "x", &url, NpyOptions::default()).await.unwrap();
    assert_eq!(number(&ctx, "SELECT sum(value) FROM x WHERE value > 2").await, 2.5);

    vec!["text"].write_npy(plain.path().join("y.npy")).unwrap();
    // A session remembers the files of a directory.
    let ctx = session();
    let error = register(&ctx, "y", &url, NpyOptions::default()).await.unwrap_err().to_string();
    assert!(error.contains("y.npy: the field \"value\" is <U4, in files before it <f8"), "{error}");
}

/// Guards damaged files: the error names the file, whenever it is found.
#[tokio::test]
async fn damaged_files_are_named() {
    let directory = tempfile::tempdir().unwrap();
    shards(directory.path());
    let url = format!("file://{}/", directory.path().display());
    let ctx = session();
    register(&ctx, "t", &url, NpyOptions::default()).await.unwrap();
    let path = directory.path().join("3.npy");
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    let frame = ctx.sql("SELECT sum(price) FROM t").await.unwrap();
    let error = frame.collect().await.unwrap_err().to_string();
    assert!(error.contains("3.npy") && error.contains("truncated"), "{error}");
    fs::write(&path, b"no array").unwrap();
    // A session remembers the files of a directory.
    let ctx = session();
    let error = register(&ctx, "u", &url, NpyOptions::default()).await.unwrap_err().to_string();
    assert!(error.contains("3.npy: not a .npy file"), "{error}");
}

/// Guards stores of other machines: results are the same, by ranges.
#[tokio::test]
async fn files_of_a_store_are_read_by_ranges() {
    let store = Arc::new(InMemory::new());
    let all = ticks(0, 50_000);
    let mut file = Vec::new();
    all.write_npy_to(&mut file).unwrap();
    store.put(&"dir/t.npy".into(), file.into()).await.unwrap();
    let ctx = session();
    ctx.register_object_store(&"mem://host/".try_into().unwrap(), store as Arc<dyn ObjectStore>);
    register(&ctx, "t", "mem://host/dir/", NpyOptions::default()).await.unwrap();
    let sum: f64 = all.iter().filter(|tick| tick.id != 2).map(|tick| tick.price).sum();
    assert_eq!(number(&ctx, "SELECT sum(price) FROM t WHERE id <> 2").await, sum);
    let some = rows(&ctx, "SELECT id FROM t LIMIT 10").await;
    assert_eq!(some.iter().map(RecordBatch::num_rows).sum::<usize>(), 10);
}

/// Guards the table function, on a runtime of one thread and of several: files, directories, patterns, and errors.
#[tokio::test]
async fn a_function_is_a_table() {
    functions().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_function_is_a_table_on_several_threads() {
    functions().await;
}

async fn functions() {
    let directory = tempfile::tempdir().unwrap();
    let all = shards(directory.path());
    let mut archive = npy_core::npz::Writer::create(directory.path().join("a.npz")).unwrap();
    archive.write("id", &[1i64, 2]).unwrap();
    archive.finish().unwrap();
    let ctx = session();
    let at = directory.path().display();
    for (location, expected) in [
        (format!("{at}/"), all.len()),
        (format!("{at}/*.npy"), all.len()),
        (format!("{at}/[01].npy"), 1001),
        (format!("file://{at}/[01].npy"), 1001),
        (format!("{at}/4.npy"), 333),
        (format!("{at}/*.npz"), 2),
    ] {
        let sql = format!("SELECT count(*) FROM npy('{location}') WHERE id >= 0");
        assert_eq!(count(&ctx, &sql).await, i64::try_from(expected).unwrap(), "{location}");
    }
    let join =
        format!("SELECT count(*) FROM npy('{at}/*.npz') a JOIN npy('{at}/1.npy') b USING (id)");
    assert!(count(&ctx, &join).await <= 1);
    for (call, expected) in [
        ("npy()".to_owned(), "npy expects one text"),
        ("npy(1)".to_owned(), "npy expects one text"),
        (format!("npy('{at}/none-*.npy')"), "No files found"),
    ] {
        let error = ctx.sql(&format!("SELECT * FROM {call}")).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
