//! The index of a directory: what is read with it, and that a file that has changed is read as without it.

use std::sync::Arc;

use crate::support::{Counted, error, rows, text};
use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::{Float64Type, Int64Type};
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::execution::TaskContext;
use datafusion::physical_plan::{ExecutionPlan, collect};
use datafusion::prelude::{SessionConfig, SessionContext};
use npy_core::{NpyRecord, WriteNpy, npz};
use npy_datafusion::{session, session_with_config, write_index};
use object_store::ObjectStoreExt;

#[derive(NpyRecord, Clone, Copy)]
struct Tick {
    t: i64,
    x: f64,
}

/// The rows of each file, and the files.
const ROWS: i64 = 10_000;
const FILES: i64 = 20;
const BLOCK: u64 = 1000;

fn ticks(file: i64) -> Vec<u8> {
    let tick = |n: i64| Tick { t: n, x: (n % 1000) as f64 };
    let mut bytes = Vec::new();
    (file * ROWS..(file + 1) * ROWS)
        .map(tick)
        .collect::<Vec<_>>()
        .write_npy_to(&mut bytes)
        .unwrap();
    bytes
}

/// Files of a store, sorted by `t`, and their index.
async fn store() -> Counted {
    let store = Counted::default();
    for file in 0..FILES {
        let path = format!("dir/{file:02}.npy");
        store.store.put(&path.as_str().into(), ticks(file).into()).await.unwrap();
    }
    let ctx = session();
    store.register(&ctx);
    let report = write_index(&ctx.state(), "mem://host/dir", None, BLOCK).await.unwrap();
    assert_eq!(
        (report.files, report.rows, report.columns),
        (20, 200_000, vec!["t".into(), "x".into()])
    );
    store
}

async fn table(store: &Counted, mode: &str, partitions: usize) -> SessionContext {
    let ctx = session_with_config(SessionConfig::new().with_target_partitions(partitions));
    store.register(&ctx);
    let create = format!(
        "CREATE EXTERNAL TABLE t STORED AS NPY LOCATION 'mem://host/dir/' OPTIONS ('index' '{mode}')"
    );
    rows(&ctx, &create).await;
    ctx
}

async fn number(ctx: &SessionContext, sql: &str) -> i64 {
    rows(ctx, sql).await[0].column(0).as_primitive::<Int64Type>().value(0)
}

/// Finds the scans of a plan.
fn scans(plan: &Arc<dyn ExecutionPlan>) -> Vec<Arc<dyn ExecutionPlan>> {
    match plan.name() {
        "DataSourceExec" => vec![Arc::clone(plan)],
        _ => plan.children().into_iter().flat_map(scans).collect(),
    }
}

/// Returns the result of a query, and these metrics of its scans.
async fn measured<const N: usize>(
    ctx: &SessionContext,
    sql: &str,
    names: [&str; N],
) -> (String, [usize; N]) {
    let plan = ctx.sql(sql).await.unwrap().create_physical_plan().await.unwrap();
    let rows = collect(Arc::clone(&plan), Arc::new(TaskContext::from(ctx))).await.unwrap();
    let scans = scans(&plan);
    let value = |name: &str| {
        let of_scan = |scan: &Arc<dyn ExecutionPlan>| scan.metrics()?.sum_by_name(name);
        scans.iter().filter_map(of_scan).map(|it| it.as_usize()).sum()
    };
    (pretty_format_batches(&rows).unwrap().to_string(), names.map(value))
}

/// Guards the requests and the bytes of a query of a small range: the list and the index, and the blocks of the range.
#[tokio::test]
async fn a_range_reads_its_blocks_alone() {
    let store = store().await;
    for (mode, partitions) in [("auto", 1), ("auto", 4), ("frozen", 1), ("frozen", 3)] {
        store.take();
        let ctx = table(&store, mode, partitions).await;
        let (requests, index) = store.take();
        assert_eq!(requests, 1, "{mode}: the index, and no header");
        assert!(index < 20_000, "{index} bytes");
        let names = ["files_pruned", "blocks_pruned", "bytes_read"];
        let sql = "SELECT count(*), sum(x) FROM t WHERE t BETWEEN 52500 AND 54499";
        let (found, measured) = measured(&ctx, sql, names).await;
        assert!(found.contains("| 2000     | 999000.0"), "{found}");
        assert_eq!(measured, [19, 7, 3000 * 16], "{mode}");
        assert_eq!(store.take(), (1, 3000 * 16), "{mode}: one range");
        // Two ranges, and none.
        let sql = "SELECT count(*) FROM t WHERE t < 10 OR t >= 199990";
        assert_eq!(number(&ctx, sql).await, 20);
        assert_eq!(store.take(), (2, 2000 * 16), "{mode}");
        assert_eq!(number(&ctx, "SELECT count(*) FROM t WHERE t < 0").await, 0);
        assert_eq!(store.take(), (0, 0), "{mode}");
        // The other files of the index are there, too.
        assert_eq!(number(&ctx, "SELECT sum(t) FROM t").await, 199_999 * 100_000);
        let plan = text(&ctx, "EXPLAIN ANALYZE SELECT x FROM t WHERE t = 5").await;
        assert!(plan.contains("files_pruned=19") && plan.contains("blocks_pruned=9"), "{plan}");
    }
    let ctx = table(&store, "off", 1).await;
    store.take();
    assert_eq!(number(&ctx, "SELECT count(*) FROM t WHERE t = 5").await, 1);
    assert_eq!(store.take().1, 200_000 * 16);
}

/// Guards conditions that are known while the query runs: the best rows so far, and the keys of a join.
#[tokio::test]
async fn conditions_of_the_running_query_prune() {
    let store = store().await;
    let ctx = table(&store, "auto", 1).await;
    store.take();
    let sql = "SELECT t FROM t ORDER BY t LIMIT 3";
    let (found, [files, bytes]) = measured(&ctx, sql, ["files_pruned", "bytes_read"]).await;
    assert!(found.contains("| 2 |"), "{found}");
    // While the first file is read, the next one is opened.
    assert!(files >= 17 && bytes <= 3 * 160_000, "{files} files, {bytes} bytes");
    // The file with the greatest values is read first.
    let sql = "SELECT t FROM t ORDER BY t DESC LIMIT 3";
    let (found, [files, bytes]) = measured(&ctx, sql, ["files_pruned", "bytes_read"]).await;
    assert!(found.contains("| 199997 |"), "{found}");
    // While the first file is read, the next one is opened.
    assert!(files >= 17 && bytes <= 3 * 160_000, "{files} files, {bytes} bytes");
    let sql = "SELECT sum(x) FROM t JOIN (VALUES (70001), (70005)) AS k(t) ON t.t = k.t";
    let (found, [bytes]) = measured(&ctx, sql, ["bytes_read"]).await;
    assert!(found.contains("| 6.0 "), "{found}");
    assert!(bytes <= 20_000, "{bytes} bytes");
}

/// Guards answers without reading: exact ones only if the index is trusted.
#[tokio::test]
async fn a_frozen_index_answers_by_itself() {
    let store = store().await;
    let ctx = table(&store, "frozen", 2).await;
    store.take();
    let sql = "SELECT count(*), min(t), max(t) FROM t";
    let expected = "| 200000   | 0        | 199999   |";
    assert!(text(&ctx, sql).await.contains(expected));
    assert_eq!(store.take(), (0, 0));
    assert_eq!(
        rows(&ctx, "SELECT max(x) FROM t").await[0]
            .column(0)
            .as_primitive::<Float64Type>()
            .value(0),
        999.0
    );
    assert!(store.take().1 > 0, "floats are read");
    let ctx = table(&store, "auto", 2).await;
    store.take();
    assert!(text(&ctx, sql).await.contains(expected));
    assert!(store.take().1 > 0, "the index may be older than a file");
}

/// Guards files that differ from the index: read anew in `auto`, and an error in `frozen`, where a file that is not in the index is not in the table.
#[tokio::test]
async fn a_file_that_has_changed_is_read_anew() {
    let store = store().await;
    let (auto, frozen) = (table(&store, "auto", 2).await, table(&store, "frozen", 2).await);
    // The same size, and other rows.
    store.store.put(&"dir/03.npy".into(), ticks(50).into()).await.unwrap();
    store.store.put(&"dir/99.npy".into(), ticks(60).into()).await.unwrap();
    for ctx in [&auto, &table(&store, "auto", 2).await] {
        assert_eq!(number(ctx, "SELECT count(*) FROM t WHERE t >= 500000").await, 20_000);
        assert_eq!(number(ctx, "SELECT count(*) FROM t WHERE t BETWEEN 30000 AND 39999").await, 0);
        assert_eq!(number(ctx, "SELECT max(t) FROM t").await, 609_999);
    }
    assert_eq!(number(&frozen, "SELECT count(*) FROM t WHERE t >= 500000").await, 0);
    let error = error(&frozen, "SELECT sum(x) FROM t WHERE t < 35000").await;
    assert!(error.contains("dir/03.npy: it is not as in the index"), "{error}");
    // With a new index, both have the new rows.
    write_index(&auto.state(), "mem://host/dir/", Some(&["t".into()]), BLOCK).await.unwrap();
    for ctx in [&auto, &frozen] {
        assert_eq!(number(ctx, "SELECT count(*) FROM t WHERE t >= 500000").await, 20_000);
    }
}

/// Guards an index that is damaged or missing, and mistakes.
#[tokio::test]
async fn a_damaged_index_is_none() {
    let store = store().await;
    let location = "dir/_npy.index".into();
    let bytes = store.store.get(&location).await.unwrap().bytes().await.unwrap();
    for end in [0, 1, 100, bytes.len() / 2, bytes.len() - 1] {
        store.store.put(&location, bytes.slice(..end).into()).await.unwrap();
        let ctx = table(&store, "auto", 1).await;
        assert_eq!(number(&ctx, "SELECT count(*) FROM t WHERE t = 70000").await, 1, "{end}");
        let sql = "CREATE EXTERNAL TABLE f STORED AS NPY LOCATION 'mem://host/dir/' OPTIONS ('index' 'frozen')";
        let error = error(&ctx, sql).await;
        assert!(error.contains("the index is damaged") && error.contains("npy index"), "{error}");
    }
    store.store.delete(&location).await.unwrap();
    let ctx = table(&store, "auto", 1).await;
    let location = "LOCATION 'mem://host/dir/'";
    for (sql, expected) in [
        (
            format!("CREATE EXTERNAL TABLE f STORED AS NPY {location} OPTIONS ('index' 'frozen')"),
            "there is no index; write one",
        ),
        (
            format!("CREATE EXTERNAL TABLE f STORED AS NPY {location} OPTIONS ('index' 'on')"),
            "it is 'auto', 'frozen', 'off' or 'update'",
        ),
    ] {
        let error = error(&ctx, &sql).await;
        assert!(error.contains(expected), "{error}");
    }
    let state = ctx.state();
    for (location, columns, expected) in [
        ("mem://host/none", None, "there are no .npy and no .npz files"),
        (
            "mem://host/dir",
            Some(vec!["y".to_owned()]),
            "there is no column \"y\"; the files have \"t\", \"x\"",
        ),
    ] {
        let error = write_index(&state, location, columns.as_deref(), BLOCK).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}

/// Guards an index that is written again: what has changed is read, and nothing else, and the index is as a new one.
#[tokio::test]
async fn an_index_written_again_reads_what_has_changed() {
    let store = store().await;
    let location = "dir/_npy.index".into();
    let bytes = async || store.store.get(&location).await.unwrap().bytes().await.unwrap();
    let write = async |columns: Option<&[String]>, block: u64| {
        let ctx = session();
        store.register(&ctx);
        write_index(&ctx.state(), "mem://host/dir", columns, block).await.unwrap()
    };
    store.take();
    assert_eq!(write(None, BLOCK).await.read, 0);
    assert_eq!(store.take().0, 1, "the index");
    let old = bytes().await;
    // One is replaced, one is new, and one is gone.
    store.store.put(&"dir/03.npy".into(), ticks(50).into()).await.unwrap();
    store.store.put(&"dir/a/20.npy".into(), ticks(20).into()).await.unwrap();
    store.store.delete(&"dir/07.npy".into()).await.unwrap();
    let report = write(None, BLOCK).await;
    assert_eq!((report.files, report.read, report.rows), (20, 2, 200_000));
    let (requests, read) = store.take();
    assert_eq!(requests, 5, "the index, and the headers and the rows of two files");
    assert!(read < 2 * 200_000, "{read} bytes");
    let updated = bytes().await;
    assert_ne!(old, updated);
    store.store.delete(&location).await.unwrap();
    assert_eq!(write(None, BLOCK).await.read, 20);
    assert_eq!(bytes().await, updated);
    // Other columns, other blocks, and damage: all files are read.
    let t = ["t".to_owned()];
    assert_eq!(write(Some(&t), BLOCK).await.read, 20);
    assert_eq!(write(Some(&t), BLOCK).await.read, 0);
    assert_eq!(write(Some(&t), 500).await.read, 20);
    let damaged = bytes().await.slice(..100);
    store.store.put(&location, damaged.into()).await.unwrap();
    assert_eq!(write(Some(&t), 500).await.read, 20);
    // The columns and the blocks of the old one.
    let ctx = session();
    store.register(&ctx);
    let copy = "COPY (SELECT CAST(7 AS BIGINT) AS t) TO 'mem://host/dir/40.npy' STORED AS NPY OPTIONS ('index' 'update')";
    rows(&ctx, copy).await;
    assert_eq!(write(Some(&t), 500).await.read, 0);
    // A column that no file of the old index has is unknown in their blocks.
    store.store.delete(&location).await.unwrap();
    write(None, BLOCK).await;
    let mut more = Vec::new();
    [More { t: 8, y: 3 }].write_npy_to(&mut more).unwrap();
    store.store.put(&"dir/50.npy".into(), more.into()).await.unwrap();
    assert_eq!(write(None, BLOCK).await.read, 1);
    let updated = bytes().await;
    store.store.delete(&location).await.unwrap();
    write(None, BLOCK).await;
    assert_eq!(bytes().await, updated);
    // A column of another type: the old bounds do not fit.
    let mut wider = Vec::new();
    [Wider { y: 2.5 }].write_npy_to(&mut wider).unwrap();
    store.store.put(&"dir/60.npy".into(), wider.into()).await.unwrap();
    assert_eq!(write(Some(&["y".to_owned()]), BLOCK).await.read, 23);
}

#[derive(NpyRecord, Clone, Copy)]
struct Wider {
    y: f64,
}

#[derive(NpyRecord, Clone, Copy)]
struct More {
    t: i64,
    y: i32,
}

/// Guards copies that write the index: a frozen table has the files of all of them, however many run at once.
#[tokio::test(flavor = "multi_thread")]
async fn copies_at_once_are_all_in_the_index() {
    let directory = tempfile::tempdir().unwrap();
    let local = directory.path().display().to_string();
    let store = Counted::default();
    for at in [&*local, "mem://host/dir"] {
        let mut copies = Vec::new();
        for n in 0..8 {
            let ctx = session();
            store.register(&ctx);
            // A file, and a directory in which the engine names the files.
            let to = if n % 2 == 0 { format!("{at}/{n}.npy") } else { format!("{at}/") };
            let sql = format!(
                "COPY (SELECT CAST({n} AS BIGINT) AS t) TO '{to}' STORED AS NPY OPTIONS ('index' 'update')"
            );
            copies.push(tokio::spawn(async move { rows(&ctx, &sql).await }));
        }
        for copy in copies {
            copy.await.unwrap();
        }
        let ctx = session();
        store.register(&ctx);
        let create = format!(
            "CREATE EXTERNAL TABLE t STORED AS NPY LOCATION '{at}/' OPTIONS ('index' 'frozen')"
        );
        rows(&ctx, &create).await;
        assert_eq!(number(&ctx, "SELECT count(*) FROM t").await, 8, "{at}");
        assert_eq!(number(&ctx, "SELECT sum(t) FROM t").await, 28, "{at}");
    }
    // The index of a copy that fails is the old one.
    let index = directory.path().join("_npy.index");
    let before = std::fs::read(&index).unwrap();
    let sql = format!(
        "COPY (SELECT 1 / (value - 5) AS t FROM range(10)) TO '{local}/' STORED AS NPY OPTIONS ('index' 'update')"
    );
    error(&session(), &sql).await;
    assert_eq!(std::fs::read(&index).unwrap(), before);
    let names: Vec<_> =
        std::fs::read_dir(directory.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(names.len(), 9, "{names:?}");
}

/// Guards that the index is not listed as a file of the table.
#[tokio::test]
async fn an_index_is_no_file_of_the_table() {
    let directory = tempfile::tempdir().unwrap();
    for file in 0..2 {
        std::fs::write(directory.path().join(format!("{file}.npy")), ticks(file)).unwrap();
    }
    let at = directory.path().to_str().unwrap();
    let ctx = session();
    write_index(&ctx.state(), at, None, BLOCK).await.unwrap();
    for pattern in ["", "*", "*.npy", "**/*"] {
        let sql = format!("SELECT count(*) FROM npy('{at}/{pattern}') WHERE t >= 15000");
        assert_eq!(number(&ctx, &sql).await, 5000, "{pattern}");
    }
    let names: Vec<_> =
        std::fs::read_dir(directory.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(names.len(), 3, "{names:?}");
}

/// Guards plans that go to other processes: they have the blocks, and the other process reads neither the index nor a header.
#[cfg(feature = "proto")]
#[tokio::test]
async fn blocks_travel_with_the_scan() {
    use datafusion::datasource::physical_plan::FileScanConfig;
    use datafusion::datasource::source::DataSourceExec;
    use datafusion_proto::bytes::{
        physical_plan_from_bytes_with_extension_codec, physical_plan_to_bytes_with_extension_codec,
    };
    let store = store().await;
    let ctx = table(&store, "auto", 3).await;
    let sql = "SELECT count(*), sum(x) FROM t WHERE t BETWEEN 9500 AND 10499 OR t = 190000";
    let plan = ctx.sql(sql).await.unwrap().create_physical_plan().await.unwrap();
    let codec = npy_datafusion::NpyPhysicalCodec::default();
    let bytes = physical_plan_to_bytes_with_extension_codec(plan, &codec).unwrap();
    let other = session();
    store.register(&other);
    store.take();
    let plan =
        physical_plan_from_bytes_with_extension_codec(&bytes, &other.task_ctx(), &codec).unwrap();
    let rows = collect(plan, other.task_ctx()).await.unwrap();
    let found = pretty_format_batches(&rows).unwrap().to_string();
    assert!(found.contains("| 1001     | 499500.0"), "{found}");
    assert_eq!(store.take(), (3, 3000 * 16));
    // The tags of the files are there, too: another file is no other rows.
    let plan = ctx.sql(sql).await.unwrap().create_physical_plan().await.unwrap();
    let scan = scans(&plan).remove(0);
    let files = |plan: &Arc<dyn ExecutionPlan>| -> Vec<Option<String>> {
        let scan = plan.downcast_ref::<DataSourceExec>().unwrap().data_source();
        let scan = scan.downcast_ref::<FileScanConfig>().unwrap();
        let files = scan.file_groups.iter().flat_map(|group| group.iter());
        files.map(|file| file.object_meta.e_tag.clone()).collect()
    };
    let bytes = physical_plan_to_bytes_with_extension_codec(Arc::clone(&scan), &codec).unwrap();
    let sent =
        physical_plan_from_bytes_with_extension_codec(&bytes, &other.task_ctx(), &codec).unwrap();
    assert!(files(&scan).iter().all(Option::is_some));
    assert_eq!(files(&sent), files(&scan));
}

/// Guards columns whose names end in `.npy`: each has its own bounds.
#[tokio::test]
async fn a_column_may_end_in_npy() {
    let dtype = "[('x', '<i8'), ('x.npy', '<i8'), ('x.npy/', '<i8'), ('.npy', '<i8')]";
    let dtype: npy_core::DType = dtype.parse().unwrap();
    let values = (0..100i64).flat_map(|row| [row, row + 1000, row + 2000, row + 3000]);
    let bytes = values.flat_map(i64::to_le_bytes).collect();
    let array = npy_core::DynArray::new(dtype, vec![100], npy_core::Order::C, bytes).unwrap();
    let directory = tempfile::tempdir().unwrap();
    array.write_npy(directory.path().join("a.npy")).unwrap();
    let at = directory.path().to_str().unwrap();
    let ctx = session();
    let report = write_index(&ctx.state(), at, None, 10).await.unwrap();
    assert_eq!(report.columns, [".npy", "x", "x.npy", "x.npy/"]);
    let create = format!(
        "CREATE EXTERNAL TABLE t STORED AS NPY LOCATION '{at}/' OPTIONS ('index' 'frozen')"
    );
    rows(&ctx, &create).await;
    for (column, least) in [("x", 0), ("x.npy", 1000), ("x.npy/", 2000), (".npy", 3000)] {
        let extremes = format!("SELECT min(\"{column}\") FROM t");
        assert_eq!(number(&ctx, &extremes).await, least, "{column}");
        let few = format!("SELECT count(*) FROM t WHERE \"{column}\" < {}", least + 15);
        let (found, [pruned]) = measured(&ctx, &few, ["blocks_pruned"]).await;
        assert!(found.contains("| 15 ") && pruned == 8, "{column} {pruned}: {found}");
    }
}

/// Writes archives of the same rows as [`store`] has, and their index.
async fn archives(options: &npz::WriteOptions) -> Counted {
    let store = Counted::default();
    for file in 0..FILES {
        let path = format!("dir/{file:02}.npz");
        store.put(&path, archive(options, file)).await;
    }
    let ctx = session();
    store.register(&ctx);
    let report = write_index(&ctx.state(), "mem://host/dir", None, BLOCK).await.unwrap();
    assert_eq!((report.files, report.rows, report.read), (20, 200_000, 20));
    // Nothing has changed, so nothing is read but the headers.
    let again = write_index(&ctx.state(), "mem://host/dir", None, BLOCK).await.unwrap();
    assert_eq!((again.read, again.bytes), (0, report.bytes));
    store
}

fn archive(options: &npz::WriteOptions, file: i64) -> Vec<u8> {
    let mut writer = options.writer(std::io::Cursor::new(Vec::new())).unwrap();
    let rows = file * ROWS..(file + 1) * ROWS;
    writer.write("t", &rows.clone().collect::<Vec<i64>>()).unwrap();
    writer.write("x", &rows.map(|n| (n % 1000) as f64).collect::<Vec<f64>>()).unwrap();
    writer.finish().unwrap().into_inner()
}

/// Guards archives of an index: those without a row of the query are not read, and of stored ones the blocks of the query alone; one that has changed is read
/// as without an index.
#[tokio::test]
async fn archives_have_bounds() {
    let mut packed = npz::WriteOptions::new();
    packed.deflate(1);
    for (options, is_stored) in [(npz::WriteOptions::new(), true), (packed, false)] {
        let store = archives(&options).await;
        for (mode, partitions) in [("auto", 1), ("auto", 4), ("frozen", 2)] {
            let ctx = session_with_config(SessionConfig::new().with_target_partitions(partitions));
            store.register(&ctx);
            let create = format!(
                "CREATE EXTERNAL TABLE t STORED AS NPZ LOCATION 'mem://host/dir/' OPTIONS ('index' '{mode}')"
            );
            rows(&ctx, &create).await;
            store.take();
            let names = ["files_pruned", "blocks_pruned", "bytes_read"];
            let sql = "SELECT count(*), sum(x) FROM t WHERE t BETWEEN 52500 AND 54499";
            let (found, measured) = measured(&ctx, sql, names).await;
            assert!(found.contains("| 2000     | 999000.0"), "{found}");
            assert_eq!(measured[0], 19, "{mode}");
            if is_stored {
                assert_eq!(measured, [19, 7, 3000 * 16], "{mode}");
            }
            let sql =
                "SELECT count(*) AS n, min(t), max(t) FROM t WHERE t % 50000 = 7 OR t = 199999";
            let found = text(&ctx, sql).await;
            assert!(found.contains("| 5 | 7        | 199999"), "{found}");
            assert_eq!(number(&ctx, "SELECT max(t) FROM t").await, 199_999);
        }
        // The rows of the first file are those of the last one now.
        store.put("dir/00.npz", archive(&options, FILES - 1)).await;
        let ctx = session();
        store.register(&ctx);
        rows(&ctx, "CREATE EXTERNAL TABLE t STORED AS NPZ LOCATION 'mem://host/dir/'").await;
        assert_eq!(number(&ctx, "SELECT count(*) FROM t WHERE t = 199999").await, 2);
        assert_eq!(number(&ctx, "SELECT count(*) FROM t WHERE t < 10000").await, 0);
        let report = write_index(&ctx.state(), "mem://host/dir", None, BLOCK).await.unwrap();
        assert_eq!(report.read, 1);
        assert_eq!(number(&ctx, "SELECT count(*) FROM t WHERE t = 199999").await, 2);
    }
}

/// Guards blocks of -0.0, whose bounds are those of 0.0: `NOT IN` tells the two apart, and must not leave them out.
#[tokio::test]
async fn blocks_of_negative_zeros_are_read_for_lists_that_lack_them() {
    let directory = tempfile::tempdir().unwrap();
    for (name, value) in [("a", -0.0f64), ("b", 0.0), ("c", 1.0)] {
        vec![value; 4].write_npy(directory.path().join(format!("{name}.npy"))).unwrap();
    }
    let (ctx, at) = (session(), directory.path().display().to_string());
    write_index(&ctx.state(), &at, None, BLOCK).await.unwrap();
    for list in ["NOT IN (0.0, 1.5, 2.5, 3.5)", "NOT IN (-0.0, 1.5, 2.5, 3.5)", "IN (0.0, 5.0)"] {
        let mut counts = Vec::new();
        for index in ["off", "auto", "frozen"] {
            let sql =
                format!("SELECT count(*) FROM npy('{at}/', 'index', '{index}') WHERE value {list}");
            counts.push(rows(&ctx, &sql).await[0].column(0).as_primitive::<Int64Type>().value(0));
        }
        assert!(counts.iter().all(|count| *count == counts[0]), "{list}: {counts:?}");
    }
}

/// Guards a table of several directories: the error of a file that differs names the directory whose index is to be written again.
#[tokio::test]
async fn a_frozen_index_of_several_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let ctx = session();
    let at = |name: &str| directory.path().join(name).display().to_string();
    for name in ["a", "b"] {
        std::fs::create_dir(at(name)).unwrap();
        std::fs::write(at(&format!("{name}/0.npy")), ticks(0)).unwrap();
        write_index(&ctx.state(), &at(name), None, BLOCK).await.unwrap();
    }
    let create = format!(
        "CREATE EXTERNAL TABLE t STORED AS NPY LOCATION ('{}/', '{}/') OPTIONS ('index' 'frozen')",
        at("a"),
        at("b")
    );
    rows(&ctx, &create).await;
    std::fs::write(at("b/0.npy"), &ticks(0)[..1000]).unwrap();
    let error = error(&ctx, "SELECT sum(x) FROM t").await;
    let expected = format!("write the index again by npy index {}", at("b"));
    assert!(error.ends_with(&expected), "{error}");
    assert!(error.contains("b/0.npy: it is not as in the index"), "{error}");
}
