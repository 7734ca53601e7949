//! SQL over `.npy` files: results are those of a plain loop, however the files are divided.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use datafusion::arrow::array::AsArray;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::concat_batches;
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type, UInt32Type};
use datafusion::logical_expr::{ColumnarValue, Volatility, create_udf};
use datafusion::prelude::{SessionConfig, SessionContext};
use npy_core::{ByteOrder, DType, DynArray, NpyArray, NpyRecord, Order, WriteNpy, WriteOptions};
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

#[derive(NpyRecord, Clone, Copy)]
struct Four {
    id: i64,
    b: i64,
    c: i64,
    d: i64,
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

/// Writes files of different lengths; one is empty, and one is big-endian. Returns all rows.
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
        ("npy()".to_owned(), "npy expects a location"),
        ("npy(1)".to_owned(), "npy expects a location"),
        (format!("npy('{at}/none-*.npy')"), "No files found"),
    ] {
        let error = ctx.sql(&format!("SELECT * FROM {call}")).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

/// Writes an array of a dtype, with the values of `write`.
fn save(directory: &Path, name: &str, descr: &str, bytes: Vec<u8>) {
    let dtype: DType = descr.parse().unwrap();
    let rows = bytes.len() / dtype.itemsize();
    let array = DynArray::new(dtype, [rows], Order::C, bytes).unwrap();
    array.write_npy(directory.join(name)).unwrap();
}

async fn error(ctx: &SessionContext, sql: &str) -> String {
    match ctx.sql(sql).await {
        Ok(frame) => frame.collect().await.unwrap_err().to_string(),
        Err(error) => error.to_string(),
    }
}

/// Guards that the wider or finer type is found in any order of the files, and that no field of a record is lost.
#[tokio::test]
async fn the_order_of_files_does_not_choose_their_type() {
    let one = |size: usize| 1u64.to_le_bytes()[..size].to_vec();
    let utf32 = |text: &str| text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
    let cases: [(&str, Vec<u8>, &str, Vec<u8>); 5] = [
        ("<U2", utf32("ab"), "<U6", utf32("abcdef")),
        ("|S2", b"ab".to_vec(), "|S6", b"abcdef".to_vec()),
        ("|S2", b"ab".to_vec(), "<U5", utf32("äbcde")),
        ("<M8[s]", one(8), "<M8[ms]", one(8)),
        ("<M8[Y]", one(8), "<M8[D]", one(8)),
    ];
    for (narrow, first, wide, second) in cases {
        for names in [["a.npy", "b.npy"], ["b.npy", "a.npy"]] {
            let directory = tempfile::tempdir().unwrap();
            save(directory.path(), names[0], narrow, first.clone());
            save(directory.path(), names[1], wide, second.clone());
            let ctx = session();
            let url = format!("{}/", directory.path().display());
            let mut options = NpyOptions::default();
            if narrow.starts_with("|S") && wide.starts_with("<U") {
                let refused = register(&ctx, "t", &url, options.clone()).await.unwrap_err();
                assert!(refused.to_string().contains("('text_from_bytes' 'true')"), "{refused}");
                options.text_from_bytes(true);
            }
            register(&ctx, "t", &url, options).await.unwrap();
            let values = rows(&ctx, "SELECT value FROM t").await;
            let (count, nulls) = values.iter().fold((0, 0), |(count, nulls), batch| {
                (count + batch.num_rows(), nulls + batch.column(0).null_count())
            });
            assert_eq!((count, nulls), (2, 0), "{narrow} and {wide}");
        }
    }
    let directory = tempfile::tempdir().unwrap();
    save(directory.path(), "a.npy", "[('r', [('a', '|u1'), ('b', '|u1')])]", vec![1, 2]);
    save(directory.path(), "b.npy", "[('r', [('a', '|u1')])]", vec![3]);
    let url = format!("{}/", directory.path().display());
    let refused = register(&session(), "t", &url, NpyOptions::default()).await.unwrap_err();
    assert!(refused.to_string().contains("neither type holds the values of both"), "{refused}");
    // The option reads bytes within records and lists as text, too, but not with the text of another file.
    for (bytes, text) in [
        ("[('r', [('a', '|S1')])]", "[('r', [('a', '<U1')])]"),
        ("[('a', '|S1', (1,))]", "[('a', '<U1', (1,))]"),
    ] {
        save(directory.path(), "a.npy", bytes, b"a".to_vec());
        save(directory.path(), "b.npy", text, utf32("b"));
        for on in [false, true] {
            let options = NpyOptions::new().text_from_bytes(on).clone();
            let refused = register(&session(), "t", &url, options).await.unwrap_err().to_string();
            assert!(refused.contains("of both; select files of one kind"), "{refused}");
        }
    }
}

/// Guards directories with files of another kind, whose rows would be null in each sum. A file may lack some columns, whatever the order of
/// the files, and one without rows is of any kind.
#[tokio::test]
async fn a_file_without_a_common_column_is_refused() {
    let descr = |names: &[&str]| {
        let fields: Vec<String> = names.iter().map(|name| format!("('{name}', '|u1')")).collect();
        format!("[{}]", fields.join(", "))
    };
    let directory = tempfile::tempdir().unwrap();
    let url = format!("{}/", directory.path().display());
    for names in [["a.npy", "b.npy", "c.npy"], ["a.npy", "c.npy", "b.npy"]] {
        save(directory.path(), names[0], &descr(&["x"]), vec![1]);
        save(directory.path(), names[1], &descr(&["x", "y"]), vec![1, 2]);
        save(directory.path(), names[2], &descr(&["y"]), vec![2]);
        save(directory.path(), "empty.npy", "<f8", vec![]);
        let ctx = session();
        register(&ctx, "t", &url, NpyOptions::default()).await.unwrap();
        assert_eq!(number(&ctx, "SELECT CAST(sum(x) AS DOUBLE) FROM t").await, 2.0);
    }

    save(directory.path(), "d.npy", "|u1", vec![1]);
    let refused = register(&session(), "t", &url, NpyOptions::default()).await.unwrap_err();
    let refused = refused.to_string();
    assert!(refused.contains("d.npy: it has no column in common with"), "{refused}");
    assert!(refused.contains("a.npy: it has \"value\", and that file \"x\", \"y\""), "{refused}");

    // The same with columns that are declared, also where the rows are only counted.
    let ctx = session();
    let at = directory.path().display();
    let sql = format!("CREATE EXTERNAL TABLE d (x INT, y INT) STORED AS NPY LOCATION '{at}/'");
    rows(&ctx, &sql).await;
    for query in ["SELECT x FROM d", "SELECT count(*) FROM d"] {
        let refused = error(&ctx, query).await;
        assert!(refused.contains("d.npy: it has no column of the table"), "{query}: {refused}");
    }
}

/// Guards random numbers in conditions: those of the condition and of the result are the same.
#[tokio::test]
async fn random_numbers_are_drawn_once() {
    let directory = tempfile::tempdir().unwrap();
    shards(directory.path());
    let ctx = session();
    let url = format!("{}/", directory.path().display());
    register(&ctx, "t", &url, NpyOptions::default()).await.unwrap();
    let least = "SELECT min(r) FROM (SELECT r FROM (SELECT price * 0 + random() AS r FROM t) WHERE r > 0.5)";
    assert!(number(&ctx, least).await > 0.5);
}

/// Guards declared types: a value that does not fit is an error, and not null; and nulls are counted.
#[tokio::test]
async fn values_that_do_not_fit_a_declared_type_are_errors() {
    let directory = tempfile::tempdir().unwrap();
    vec![1i64, 300].write_npy(directory.path().join("x.npy")).unwrap();
    let ctx = session();
    let at = directory.path().display();
    rows(&ctx, &format!("CREATE EXTERNAL TABLE t (value TINYINT) STORED AS NPY LOCATION '{at}/'"))
        .await;
    let refused = error(&ctx, "SELECT value FROM t").await;
    assert!(refused.contains("300"), "{refused}");
    let sql = format!(
        "CREATE EXTERNAL TABLE u (value BIGINT, y BIGINT NOT NULL) STORED AS NPY LOCATION '{at}/'"
    );
    rows(&ctx, &sql).await;
    let refused = error(&ctx, "SELECT count(y) FROM u").await;
    assert!(refused.contains("null"), "{refused}");
}

/// Guards files that are replaced while a session has their headers.
#[tokio::test]
async fn replaced_files_are_read_anew_or_refused() {
    let directory = tempfile::tempdir().unwrap();
    let store = Arc::new(InMemory::new());
    let value = |x: f64| x.to_le_bytes().to_vec();
    let write = async |dtype: &str, values: [f64; 2]| {
        save(directory.path(), "x.npy", dtype, values.map(value).concat());
        let file = fs::read(directory.path().join("x.npy")).unwrap();
        store.put(&"dir/x.npy".into(), file.into()).await.unwrap();
    };
    let (ours, of_user) = (session(), SessionContext::new());
    let local = format!("{}/", directory.path().display());
    write("[('a', '<f8'), ('b', '<f8')]", [1.0, 2.0]).await;
    for ctx in [&ours, &of_user] {
        let shared = Arc::clone(&store) as Arc<dyn ObjectStore>;
        ctx.register_object_store(&"mem://host/".try_into().unwrap(), shared);
        for (name, location) in [("t", local.as_str()), ("r", "mem://host/dir/")] {
            register(ctx, name, location, NpyOptions::default()).await.unwrap();
            assert_eq!(number(ctx, &format!("SELECT sum(a) FROM {name}")).await, 1.0);
        }
    }
    write("[('b', '<f8'), ('a', '<f8')]", [3.0, 4.0]).await;
    for (ctx, name) in [(&ours, "t"), (&ours, "r"), (&of_user, "t")] {
        assert_eq!(number(ctx, &format!("SELECT sum(a) FROM {name}")).await, 4.0);
    }
    // This one has a cache of the listings of stores.
    let refused = error(&of_user, "SELECT sum(a) FROM r").await;
    assert!(refused.contains("x.npy: the file has changed since it was listed"), "{refused}");
    rows(&of_user, "SET datafusion.runtime.list_files_cache_limit = '0'").await;
    assert_eq!(number(&of_user, "SELECT sum(a) FROM r").await, 4.0);
}

/// Guards directories with other files: they are no part of the table, on this machine and in a store, with and without declared columns.
#[tokio::test]
async fn only_files_of_the_format_are_rows() {
    let directory = tempfile::tempdir().unwrap();
    let store = Arc::new(InMemory::new());
    let mut file = Vec::new();
    vec![1i64, 2, 3].write_npy_to(&mut file).unwrap();
    for name in ["x.npy", "notes.txt", "copy.npz"] {
        let bytes = if name == "notes.txt" { b"notes".to_vec() } else { file.clone() };
        fs::write(directory.path().join(name), &bytes).unwrap();
        store.put(&format!("dir/{name}").as_str().into(), bytes.into()).await.unwrap();
    }
    fs::create_dir(directory.path().join("day=7")).unwrap();
    let ctx = session();
    ctx.register_object_store(
        &"mem://host/".try_into().unwrap(),
        Arc::clone(&store) as Arc<dyn ObjectStore>,
    );
    let local = format!("{}/", directory.path().display());
    for (n, location) in [local.as_str(), "mem://host/dir/"].into_iter().enumerate() {
        for (m, columns) in ["", "(value BIGINT)"].into_iter().enumerate() {
            let sql = format!(
                "CREATE EXTERNAL TABLE t{n}{m} {columns} STORED AS NPY LOCATION '{location}'"
            );
            rows(&ctx, &sql).await;
            assert_eq!(count(&ctx, &format!("SELECT count(*) FROM t{n}{m}")).await, 3, "{sql}");
            assert_eq!(count(&ctx, &format!("SELECT sum(value) FROM t{n}{m}")).await, 6, "{sql}");
        }
    }
    // Directories of a store are columns, too.
    let parts = InMemory::new();
    parts.put(&"day=1/x.npy".into(), file.clone().into()).await.unwrap();
    parts.put(&"day=2/x.npy".into(), file.into()).await.unwrap();
    ctx.register_object_store(&"mem://parts/".try_into().unwrap(), Arc::new(parts));
    rows(&ctx, "CREATE EXTERNAL TABLE p STORED AS NPY LOCATION 'mem://parts/'").await;
    assert_eq!(count(&ctx, "SELECT sum(value) FROM p WHERE day = '2'").await, 6);
    assert_eq!(count(&ctx, "SELECT count(*) FROM p").await, 6);
    // A single file may have any name.
    fs::rename(directory.path().join("x.npy"), directory.path().join("noext")).unwrap();
    let file = directory.path().join("noext");
    register(&ctx, "n", &file.display().to_string(), NpyOptions::default()).await.unwrap();
    assert_eq!(count(&ctx, "SELECT sum(value) FROM n").await, 6);
}

/// Guards the memory of a batch: large rows are read a few at a time.
#[tokio::test]
async fn large_rows_are_read_a_few_at_a_time() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npy");
    let header = npy_core::Header::new("|u1".parse().unwrap(), [100, 1 << 20], Order::C).unwrap();
    let start = header.to_bytes().unwrap();
    let file = fs::File::create(&path).unwrap();
    std::io::Write::write_all(&mut &file, &start).unwrap();
    // The data is a hole in the file.
    file.set_len(start.len() as u64 + header.data_bytes()).unwrap();
    let ctx = session();
    register(&ctx, "t", &path.display().to_string(), NpyOptions::default()).await.unwrap();
    for batch in rows(&ctx, "SELECT value FROM t LIMIT 20").await {
        assert!(batch.num_rows() <= 8, "{} rows", batch.num_rows());
    }
    assert_eq!(count(&ctx, "SELECT CAST(sum(value[5]) AS BIGINT) FROM t").await, 0);
}

/// Guards batches with few rows that meet the condition: they are joined, and none is lost or twice.
#[tokio::test]
async fn few_rows_of_many_batches_are_joined() {
    let directory = tempfile::tempdir().unwrap();
    let all: Vec<i64> = (0..200_000).collect();
    all.write_npy(directory.path().join("x.npy")).unwrap();
    let ctx =
        session_with_config(SessionConfig::new().with_target_partitions(1).with_batch_size(100));
    let url = format!("{}/", directory.path().display());
    register(&ctx, "t", &url, NpyOptions::default()).await.unwrap();
    for (condition, expected) in
        [("value % 50 = 0", 4000), ("value % 10007 = 5", 20), ("value >= 199999", 1)]
    {
        let found = rows(&ctx, &format!("SELECT value FROM t WHERE {condition}")).await;
        assert_eq!(found.iter().map(RecordBatch::num_rows).sum::<usize>(), expected);
        if expected == 4000 {
            assert!(found.len() <= 400, "{} batches", found.len());
        }
    }
    assert_eq!(
        count(&ctx, "SELECT count(*) FROM (SELECT value FROM t WHERE value % 50 = 0 LIMIT 7)")
            .await,
        7
    );
}

/// Guards the message for a file whose dtype has changed since its table was made: it names the types, and nothing of Rust.
#[tokio::test]
async fn a_dtype_that_changed_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let url = format!("{}/", directory.path().display());
    save(directory.path(), "x.npy", "<i4", vec![1, 0, 0, 0]);
    let ctx = session();
    register(&ctx, "t", &url, NpyOptions::default()).await.unwrap();
    save(directory.path(), "x.npy", "<f8", 1.5f64.to_le_bytes().to_vec());
    let refused = error(&ctx, "SELECT value FROM t").await;
    assert!(
        refused.contains("x.npy")
            && refused.contains("\"value\" is <f8 in this file and <i4 in the table"),
        "{refused}"
    );
    assert!(refused.contains("create the table again") && !refused.contains("::"), "{refused}");
}

/// Returns a file of 128 bytes that states any number of rows without bytes.
fn without_bytes(descr: &str, shape: &[usize]) -> Vec<u8> {
    let header = npy_core::Header::new(descr.parse().unwrap(), shape.to_vec(), Order::C).unwrap();
    header.to_bytes().unwrap()
}

/// Guards files that state more rows than can be counted: each query is an error at once, also of a directory and of an archive. Fewer are rows.
#[tokio::test]
async fn rows_of_no_bytes_are_limited() {
    let directory = tempfile::tempdir().unwrap();
    let ctx = session();
    for (descr, shape) in [("|V0", &[1 << 60][..]), ("<f8", &[1 << 50, 0]), ("|S0", &[1 << 60, 3])]
    {
        for file in 0..7 {
            let path = directory.path().join(format!("{file}.npy"));
            fs::write(path, without_bytes(descr, shape)).unwrap();
        }
        let url = format!("{}/", directory.path().display());
        let refused = register(&ctx, "t", &url, NpyOptions::default()).await.unwrap_err();
        let refused = refused.to_string();
        let expected = format!(".npy: {} rows of zero bytes exceed the limit", shape[0]);
        assert!(refused.contains(&expected), "{refused}");
        // Declared columns need no header when the table is made.
        let at = directory.path().display();
        let sql = format!("CREATE EXTERNAL TABLE d (value DOUBLE) STORED AS NPY LOCATION '{at}/'");
        rows(&ctx, &sql).await;
        for query in
            ["SELECT count(*) FROM d", "SELECT value FROM d WHERE value > 1", "SELECT 1 FROM d"]
        {
            let refused = error(&ctx, query).await;
            assert!(refused.contains("rows of zero bytes exceed"), "{query}: {refused}");
        }
        rows(&ctx, "DROP TABLE d").await;
    }
    let path = directory.path().join("x.npz");
    let mut archive = npy_core::npz::Writer::create(&path).unwrap();
    let array = DynArray::new("|V0".parse().unwrap(), [1 << 60], Order::C, Vec::new()).unwrap();
    archive.write("a", &array).unwrap();
    archive.finish().unwrap();
    let path = path.display().to_string();
    let refused = register(&ctx, "t", &path, NpyOptions::default()).await.unwrap_err().to_string();
    assert!(refused.contains("x.npz: a: 1152921504606846976 rows of zero bytes"), "{refused}");

    let few = directory.path().join("few.npy");
    fs::write(&few, without_bytes("<f8", &[1000, 0])).unwrap();
    register(&ctx, "f", &few.display().to_string(), NpyOptions::default()).await.unwrap();
    assert_eq!(count(&ctx, "SELECT count(*) FROM f").await, 1000);
    assert_eq!(rows(&ctx, "SELECT value FROM f").await[0].num_rows(), 1000);
}

/// Guards long conditions: each term is one level of a tree, which a recursion goes down. The columns differ, so that
/// the planner does not make one term of them.
#[tokio::test(flavor = "multi_thread")]
async fn conditions_have_hundreds_of_terms() {
    let directory = tempfile::tempdir().unwrap();
    (0..1000i64).collect::<Vec<_>>().write_npy(directory.path().join("x.npy")).unwrap();
    let ctx = session();
    let url = format!("{}/", directory.path().display());
    register(&ctx, "t", &url, NpyOptions::default()).await.unwrap();
    let terms: Vec<String> =
        (0..400).map(|n| format!("(value > {} AND value < {})", 2 * n, 2 * n + 2)).collect();
    let sql = format!("SELECT count(*) FROM t WHERE {}", terms.join(" OR "));
    assert_eq!(count(&ctx, &sql).await, 400);
}

/// Guards floats in a column that is declared as integers: a fraction is an error that names the column, and not lost.
#[tokio::test]
async fn a_fraction_is_not_truncated() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path().display();
    for (name, values) in [("whole", [1.0, -0.0, 3e15]), ("part", [1.0, 2.5, 3.0])] {
        values.to_vec().write_npy(directory.path().join(format!("{name}.npy"))).unwrap();
        let pairs = NpyArray::<f64>::new(values.repeat(2), [3, 2]).unwrap();
        pairs.write_npy(directory.path().join(format!("{name}-pairs.npy"))).unwrap();
    }
    let ctx = session();
    for (name, column) in [
        ("whole", "BIGINT"),
        ("part", "BIGINT"),
        ("whole-pairs", "BIGINT[]"),
        ("part-pairs", "BIGINT[]"),
    ] {
        let sql = format!(
            "CREATE OR REPLACE EXTERNAL TABLE t (value {column}) STORED AS NPY LOCATION '{at}/{name}.npy'"
        );
        rows(&ctx, &sql).await;
        if name.starts_with("whole") {
            let found = rows(&ctx, "SELECT value FROM t").await;
            assert_eq!(found.iter().map(RecordBatch::num_rows).sum::<usize>(), 3);
            continue;
        }
        let failure = error(&ctx, "SELECT value FROM t").await;
        let expected = "the column \"value\"";
        assert!(failure.contains(expected) && failure.contains("2.5 is no integer"), "{failure}");
        assert!(failure.contains(&format!("{at}/{name}.npy")), "{failure}");
    }
}

/// Guards messages: they name what a user of SQL writes, and no item of the library; paths begin with a slash.
#[tokio::test]
async fn messages_are_about_sql() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path().display();
    let deep = format!("{}'<i4'{}", "[('a', ".repeat(200), ")]".repeat(200));
    let header = format!("{{'descr': {deep}, 'fortran_order': False, 'shape': (1,), }}\n");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
    file.extend(header.bytes());
    file.extend([0; 4]);
    fs::write(directory.path().join("deep.npy"), file).unwrap();
    let null = "SELECT CASE WHEN column1 > 1 THEN column1 END AS n FROM (VALUES (1), (2))";
    for (sql, expected) in [
        (format!("SELECT * FROM npy('{at}/deep.npy')"), "queries have no larger limit"),
        (format!("COPY ({null}) TO '{at}/x.npy'"), "COPY … OPTIONS (fill_nulls true)"),
    ] {
        let failure = error(&session(), &sql).await;
        assert!(failure.contains(expected) && failure.contains(&format!("{at}/")), "{failure}");
        for item in ["::", "Limits", "Options::", "Cast"] {
            assert!(!failure.contains(item), "{failure}");
        }
    }
}

/// Guards conditions that the plan sends while a query runs: rows that the query leaves out do not take part, and an error in them is none.
#[tokio::test]
async fn conditions_of_the_running_query_are_for_rows_that_pass() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npy");
    let values: Vec<i64> = (0..1000).map(|n| if n % 2 == 0 { 0 } else { n }).collect();
    NpyArray::new(values, [1000]).unwrap().write_npy(&path).unwrap();
    let config = SessionConfig::new().with_target_partitions(1).with_batch_size(16);
    let ctx = session_with_config(config);
    register(&ctx, "t", path.to_str().unwrap(), NpyOptions::default()).await.unwrap();
    let greatest = "SELECT 999000 / value AS d FROM t WHERE value <> 0 ORDER BY d LIMIT 1";
    assert_eq!(count(&ctx, greatest).await, 1000);
    let by_row =
        "SELECT 999000 / _row AS d FROM t WHERE _row <> 0 AND value <> 1 ORDER BY d LIMIT 1";
    let found = npy_datafusion::sql(&ctx, by_row).await.unwrap().collect().await.unwrap();
    assert_eq!(found[0].column(0).as_primitive::<Int64Type>().value(0), 1000);
    let needed = "SELECT 999000 / value AS d FROM t ORDER BY d LIMIT 1";
    assert!(error(&ctx, needed).await.contains("Divide by zero"));
}

/// Guards an order by an expression and by a part of it: what the plan sends for it is about the columns of the query.
#[tokio::test]
async fn an_order_by_a_sum_and_its_part_is_right() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npy");
    let row = |n: i64| Four { id: n, b: n * 7919 % 1009, c: n * 31 % 13, d: n * 104_729 % 997 };
    let mut four: Vec<Four> = (0..1000).map(row).collect();
    four.write_npy(&path).unwrap();
    let config = SessionConfig::new().with_target_partitions(1).with_batch_size(16);
    let ctx = session_with_config(config);
    register(&ctx, "t", path.to_str().unwrap(), NpyOptions::default()).await.unwrap();
    // In the order of these columns, b is where the file has d.
    let sql = "SELECT id AS k, d FROM t ORDER BY b - c + id % 2, id LIMIT 20";
    let found = rows(&ctx, sql).await;
    let found = concat_batches(&found[0].schema(), &found).unwrap();
    four.sort_by_key(|row| (row.b - row.c + row.id % 2, row.id));
    let expected: Vec<i64> = four.iter().take(20).map(|row| row.id).collect();
    assert_eq!(found.column(0).as_primitive::<Int64Type>().values()[..], expected);
}

/// Guards the time of `ORDER BY f(x) LIMIT n`: the scan computes `f` once for each row, and the plan again for those that pass.
#[tokio::test]
async fn a_function_of_the_order_is_computed_once() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npy");
    let values: Vec<f64> = (0..10_000).map(f64::from).collect();
    NpyArray::new(values, [10_000]).unwrap().write_npy(&path).unwrap();
    let config = SessionConfig::new().with_target_partitions(1).with_batch_size(100);
    let ctx = session_with_config(config);
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let half = move |arguments: &[ColumnarValue]| {
        let values = ColumnarValue::values_to_arrays(arguments)?.remove(0);
        counted.fetch_add(values.len(), Ordering::Relaxed);
        let half = values.as_primitive::<Float64Type>().unary::<_, Float64Type>(|x| x / 2.0);
        Ok(ColumnarValue::Array(Arc::new(half)))
    };
    let types = (vec![DataType::Float64], DataType::Float64);
    ctx.register_udf(create_udf("half", types.0, types.1, Volatility::Immutable, Arc::new(half)));
    register(&ctx, "t", path.to_str().unwrap(), NpyOptions::default()).await.unwrap();
    let least = "SELECT half(value) AS d FROM t ORDER BY d LIMIT 3";
    let found = rows(&ctx, least).await;
    let found =
        found.iter().flat_map(|batch| batch.column(0).as_primitive::<Float64Type>().values());
    assert_eq!(found.copied().collect::<Vec<_>>(), [0.0, 0.5, 1.0]);
    let calls = calls.load(Ordering::Relaxed);
    assert!((10_000..10_500).contains(&calls), "{calls} calls for 10,000 rows");
}

/// Guards files without a header: the option states the rows, and what does not fit is an error.
#[tokio::test(flavor = "multi_thread")]
async fn files_without_a_header_are_tables() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: Vec<u8>| fs::write(directory.path().join(name), bytes).unwrap();
    write("1.bin", (0..3000u16).flat_map(u16::to_be_bytes).collect());
    write("2.bin", (3000..4500u16).flat_map(u16::to_be_bytes).collect());
    write("3.bin", Vec::new());
    write("odd.dat", vec![0; 9]);
    npy_core::save(directory.path().join("array.npy"), &[1u16, 2]).unwrap();
    // Data alone may have any name.
    write("plain.npy", (0..10u32).flat_map(u32::to_le_bytes).collect());
    let config = SessionConfig::new().with_target_partitions(3);
    let ctx = session_with_config(config);
    let at = directory.path().display();
    for (table, expected) in [
        (format!("npy('{at}/1.bin', 'raw', '>u2')"), [3000, 4_498_500]),
        (format!("npy('{at}/*.bin', 'raw', '>u2')"), [4500, 10_122_750]),
        (
            format!("(SELECT value[3] AS value FROM npy('{at}/?.bin', 'raw', '>u2,3'))"),
            [1500, 3_375_750],
        ),
        (format!("npy('{at}/plain.npy', 'raw', 'u4')"), [10, 45]),
        (
            format!(
                "(SELECT b AS value FROM npy('{at}/plain.npy', 'raw', '[(''a'', ''<u2''), (''b'', ''<u2'')]'))"
            ),
            [10, 0],
        ),
        (format!("npy('{at}/1.bin', 'raw', '>u2') WHERE value >= 2990"), [10, 29_945]),
    ] {
        let sql = format!("SELECT count(*), CAST(sum(value) AS BIGINT) FROM {table}");
        let found = rows(&ctx, &sql).await;
        let numbers = [0, 1].map(|i| found[0].column(i).as_primitive::<Int64Type>().value(0));
        assert_eq!(numbers, expected, "{sql}");
    }
    let sql = format!("SELECT _row, _file FROM npy('{at}/1.bin', 'raw', '>u2') WHERE value = 17");
    let found = npy_datafusion::sql(&ctx, &sql).await.unwrap().to_string().await.unwrap();
    assert!(found.contains("| 17 ") && found.contains("1.bin"), "{found}");
    for (arguments, expected) in [
        ("odd.dat', 'raw', '<u2'", "9 bytes are not a multiple of the 2 of a row"),
        ("', 'raw', '<u2'", "it is a directory"),
        ("1.bin', 'raw', 'u3'", "the option raw is \"u3\""),
        ("1.bin', 'raw', 'O'", "Python objects are not in files without a header"),
        ("1.bin', 'raw', '<u2,0'", "a row has no bytes"),
        ("1.bin', 'raw', '<u2', 'layout', 'columns'", "files without a header are neither"),
        ("none.bin', 'raw', '<u2'", "No files found"),
        ("array.npy', 'raw', '<u2'", "array.npy: it is a .npy file, whose header would be read"),
        ("*.bin', 'raw', '<u2', 'index', 'frozen'", "files without a header are neither"),
    ] {
        let error = error(&ctx, &format!("SELECT * FROM npy('{at}/{arguments})")).await;
        assert!(error.contains(expected), "{error}");
    }
    let create = format!(
        "CREATE EXTERNAL TABLE r STORED AS NPY LOCATION '{at}/1.bin' OPTIONS ('raw' '>u2')"
    );
    ctx.sql(&create).await.unwrap();
    assert_eq!(count(&ctx, "SELECT count(*) FROM r WHERE value < 7").await, 7);
    let refused = error(&ctx, "INSERT INTO r VALUES (1)").await;
    assert!(refused.contains("files without a header are read, and not written"), "{refused}");
}
