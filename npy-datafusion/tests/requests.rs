//! What is requested of a store, and what is read of a file: headers once, no data for counts, no rows after a limit.

#[path = "support/store.rs"]
mod support;

use std::sync::Arc;

use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::datatypes::{Float64Type, Int64Type};
use datafusion::execution::TaskContext;
use datafusion::execution::cache::cache_manager::CacheManagerConfig;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::physical_plan::{ExecutionPlan, collect};
use datafusion::prelude::{SessionConfig, SessionContext};
use npy_core::{NpyRecord, WriteNpy};
use npy_datafusion::{NpyOptions, register, session, session_with_config};
use object_store::ObjectStoreExt;
use support::{Counted, error, rows};

#[derive(NpyRecord, Clone, Copy)]
struct Tick {
    id: u32,
    price: f64,
    more: [u8; 20],
}

const ROWS: u32 = 100_000;

/// Two files, whose prices rise from 0.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    let file = |from: u32| {
        let tick = |n: u32| Tick { id: n % 1000, price: f64::from(n), more: [7; 20] };
        let mut file = Vec::new();
        (from..from + ROWS / 2).map(tick).collect::<Vec<_>>().write_npy_to(&mut file).unwrap();
        file
    };
    vec![("dir/a.npy", file(0)), ("dir/b.npy", file(ROWS / 2))]
}

async fn table(partitions: usize) -> (SessionContext, Counted) {
    let store = Counted::with(files()).await;
    let ctx = session_with_config(SessionConfig::new().with_target_partitions(partitions));
    store.register(&ctx);
    register(&ctx, "t", "mem://host/dir/", NpyOptions::default()).await.unwrap();
    (ctx, store)
}

/// Guards the cache of headers: one request for each file, whoever needs the header, and none for counts.
#[tokio::test]
async fn each_header_is_requested_once() {
    let (ctx, store) = table(4).await;
    assert_eq!(store.take(), (2, 2 * 4096));
    let count = rows(&ctx, "SELECT count(*) FROM t").await;
    assert_eq!(count[0].column(0).as_primitive::<Int64Type>().value(0), i64::from(ROWS));
    assert_eq!(store.take(), (0, 0));
    let data = u64::from(ROWS) * 32;
    for _ in 0..2 {
        rows(&ctx, "SELECT sum(price) FROM t").await;
        let (_, bytes) = store.take();
        assert_eq!(bytes, data, "the data, and no header");
    }
    // A file that changes is read again.
    let mut file = Vec::new();
    [Tick { id: 1, price: 0.5, more: [0; 20] }].write_npy_to(&mut file).unwrap();
    store.store.put(&"dir/a.npy".into(), file.into()).await.unwrap();
    let headers = ctx.runtime_env().cache_manager.get_file_metadata_cache();
    let caches = CacheManagerConfig::default().with_file_metadata_cache(Some(headers));
    let runtime = RuntimeEnvBuilder::new().with_cache_manager(caches).build_arc().unwrap();
    let ctx = SessionContext::new_with_config_rt(SessionConfig::new(), runtime);
    store.register(&ctx);
    register(&ctx, "u", "mem://host/dir/", NpyOptions::default()).await.unwrap();
    let sum = rows(&ctx, "SELECT sum(price) FROM u WHERE id = 1 AND price < 1").await;
    assert_eq!(sum[0].column(0).as_primitive::<Float64Type>().value(0), 0.5);
}

/// Guards limits: without a condition, only the rows that are returned are requested.
#[tokio::test]
async fn a_limit_requests_its_rows_alone() {
    let (ctx, store) = table(1).await;
    store.take();
    let some = rows(&ctx, "SELECT id FROM t LIMIT 10").await;
    assert_eq!(some.iter().map(RecordBatch::num_rows).sum::<usize>(), 10);
    let (requests, bytes) = store.take();
    assert!(requests <= 1 && bytes <= 10 * 32, "{requests} requests, {bytes} bytes");
}

/// Finds the scan of a plan.
fn scan(plan: &Arc<dyn ExecutionPlan>) -> Vec<Arc<dyn ExecutionPlan>> {
    if plan.name() == "DataSourceExec" {
        return vec![Arc::clone(plan)];
    }
    plan.children().into_iter().flat_map(scan).collect()
}

/// Runs a query, and returns the rows that left the scan of each table.
async fn scanned(ctx: &SessionContext, sql: &str) -> (Vec<RecordBatch>, Vec<usize>) {
    let plan = ctx.sql(sql).await.unwrap().create_physical_plan().await.unwrap();
    let rows = collect(Arc::clone(&plan), Arc::new(TaskContext::from(ctx))).await.unwrap();
    let output = |scan: &Arc<dyn ExecutionPlan>| scan.metrics().unwrap().output_rows().unwrap();
    (rows, scan(&plan).iter().map(output).collect())
}

/// Guards conditions that are known only while the query runs: the best ten so far, and the keys of a join.
#[tokio::test]
async fn conditions_of_the_running_query_are_applied() {
    let (ctx, _) = table(1).await;
    let sql = "SELECT id, price * 2 AS twice FROM t ORDER BY twice LIMIT 10";
    let (best, scanned_rows) = scanned(&ctx, sql).await;
    let best: Vec<f64> = best
        .iter()
        .flat_map(|batch| batch.column(1).as_primitive::<Float64Type>().values().to_vec())
        .collect();
    assert_eq!(best, (0..10).map(|n| f64::from(n * 2)).collect::<Vec<_>>());
    // The first batch holds the best ten, and no row after it passes.
    assert!(scanned_rows[0] <= 8192, "{scanned_rows:?}");

    let key = [Tick { id: 42, price: -1.0, more: [0; 20] }];
    let directory = tempfile::tempdir().unwrap();
    key.write_npy(directory.path().join("key.npy")).unwrap();
    let url = format!("file://{}/", directory.path().display());
    register(&ctx, "k", &url, NpyOptions::default()).await.unwrap();
    let sql = "SELECT t.price FROM k JOIN t ON k.id = t.id";
    let (joined, scanned_rows) = scanned(&ctx, sql).await;
    assert_eq!(joined.iter().map(RecordBatch::num_rows).sum::<usize>(), 100);
    assert_eq!(scanned_rows, [1, 100]);
}

/// Guards damaged files in a store: a clear error that names the file.
#[tokio::test]
async fn damaged_files_of_a_store_are_named() {
    let (_, bytes) = files().remove(0);
    for (damage, expected) in [
        (bytes[..bytes.len() - 1].to_vec(), "truncated: the header states 50000 rows of 32 bytes"),
        (bytes[..100].to_vec(), "dir/b.npy: truncated"),
        (b"\x93NUMPY\x09\x00".to_vec(), "dir/b.npy: "),
    ] {
        let store = Counted::with([("dir/a.npy", bytes.clone()), ("dir/b.npy", damage)]).await;
        let ctx = session();
        store.register(&ctx);
        let error = register(&ctx, "t", "mem://host/dir/", NpyOptions::default()).await;
        let error = error.unwrap_err().to_string();
        assert!(error.contains("dir/b.npy: ") && error.contains(expected), "{error}");
    }
    // Tables of DataFusion ignore empty files, whatever their format.
    let store = Counted::with([("dir/a.npy", bytes.clone()), ("dir/b.npy", Vec::new())]).await;
    let ctx = session();
    store.register(&ctx);
    register(&ctx, "t", "mem://host/dir/", NpyOptions::default()).await.unwrap();
    let count = rows(&ctx, "SELECT count(*) FROM t WHERE id >= 0").await;
    assert_eq!(count[0].column(0).as_primitive::<Int64Type>().value(0), 50_000);
    // The file is replaced by a shorter one after its header was read.
    let (ctx, store) = table(1).await;
    store.store.put(&"dir/b.npy".into(), bytes[..1000].to_vec().into()).await.unwrap();
    let error = error(&ctx, "SELECT sum(price) FROM t").await;
    assert!(error.contains("dir/b.npy: "), "{error}");
}
