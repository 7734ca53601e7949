//! What is requested of a store, and what is read of a file: headers once, no data for counts, no rows after a limit.

use std::sync::Arc;

use crate::support::{Counted, error, rows};
use bytes::Bytes;
use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::datatypes::{Float64Type, Int64Type};
use datafusion::execution::TaskContext;
use datafusion::execution::cache::cache_manager::CacheManagerConfig;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::physical_plan::{ExecutionPlan, collect};
use datafusion::prelude::{SessionConfig, SessionContext};
use futures::StreamExt;
use npy_core::{NpyRecord, WriteNpy, npz};
use npy_datafusion::{NpyOptions, register, session, session_with_config};
use object_store::ObjectStoreExt;

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
        (Vec::new(), "dir/b.npy: it has no bytes"),
    ] {
        let store = Counted::with([("dir/a.npy", bytes.clone()), ("dir/b.npy", damage)]).await;
        let ctx = session();
        store.register(&ctx);
        let error = register(&ctx, "t", "mem://host/dir/", NpyOptions::default()).await;
        let error = error.unwrap_err().to_string();
        assert!(error.contains("dir/b.npy: ") && error.contains(expected), "{error}");
    }
    // The file is replaced by a shorter one after its header was read.
    let (ctx, store) = table(1).await;
    store.store.put(&"dir/b.npy".into(), bytes[..1000].to_vec().into()).await.unwrap();
    let error = error(&ctx, "SELECT sum(price) FROM t").await;
    assert!(error.contains("dir/b.npy: "), "{error}");
}

/// Puts the same file into a store under many names.
async fn copies(file: Vec<u8>, count: usize, extension: &str) -> Counted {
    let (store, file) = (Counted::default(), Bytes::from(file));
    for n in 0..count {
        let path = format!("dir/{n:04}.{extension}");
        store.store.put(&path.as_str().into(), file.clone().into()).await.unwrap();
    }
    store
}

fn array(rows: usize) -> Vec<u8> {
    let mut file = Vec::new();
    vec![1i64; rows].write_npy_to(&mut file).unwrap();
    file
}

async fn sum(ctx: &SessionContext, sql: &str) -> i64 {
    rows(ctx, sql).await[0].column(0).as_primitive::<Int64Type>().value(0)
}

/// Guards the time of a scan of many files of a store: many requests are under way, however few partitions there are, and none is made twice.
#[tokio::test]
async fn files_are_requested_before_they_are_needed() {
    for partitions in [1, 2, 5] {
        let store = copies(array(10), 200, "npy").await;
        let ctx = session_with_config(SessionConfig::new().with_target_partitions(partitions));
        store.register(&ctx);
        register(&ctx, "t", "mem://host/dir/", NpyOptions::default()).await.unwrap();
        store.most_at_once();
        store.take();
        for _ in 0..2 {
            assert_eq!(sum(&ctx, "SELECT sum(value) FROM t").await, 2000);
            assert_eq!(store.take().0, 200);
            let most = store.most_at_once();
            assert!((20..=32 + partitions).contains(&most), "{most} requests at once");
        }
        // Whoever needs few files requests few.
        rows(&ctx, "SELECT value FROM t LIMIT 10").await;
        let (requests, _) = store.take();
        assert!(requests <= partitions, "{requests} requests");
        rows(&ctx, "SELECT value FROM t WHERE value = 1 LIMIT 10").await;
        let (requests, _) = store.take();
        assert!(requests <= 8 * partitions, "{requests} requests");
    }
}

/// Guards memory: files that are fetched before they are needed have 64 MiB together.
#[tokio::test]
async fn files_that_wait_are_bounded_by_their_bytes() {
    const ROWS: usize = 1 << 19;
    let store = copies(array(ROWS), 90, "npy").await;
    let ctx = session_with_config(SessionConfig::new().with_target_partitions(1));
    store.register(&ctx);
    register(&ctx, "t", "mem://host/dir/", NpyOptions::default()).await.unwrap();
    store.take();
    let frame = ctx.sql("SELECT value FROM t").await.unwrap();
    let mut batches = frame.execute_stream().await.unwrap();
    let mut seen = 0;
    while seen < 40 * ROWS {
        seen += batches.next().await.unwrap().unwrap().num_rows();
    }
    // The files that wait are complete by now. Each has 4 MiB and a header.
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    let (requests, _) = store.take();
    assert!((50..=41 + 15).contains(&requests), "{requests} requests");
}

/// Guards the cache of headers: archives are there by their directory and the dtypes of their members, and not whole.
#[tokio::test]
async fn small_archives_are_not_kept_whole() {
    let mut writer = npz::Writer::new(std::io::Cursor::new(Vec::new())).unwrap();
    writer.write("value", &vec![1i64; 4000]).unwrap();
    writer.write("other", &vec![1i64; 4000]).unwrap();
    let store = copies(writer.finish().unwrap().into_inner(), 100, "npz").await;
    let ctx = session();
    store.register(&ctx);
    // The archives have 6.4 MB.
    rows(&ctx, "SET datafusion.runtime.metadata_cache_limit = '300K'").await;
    register(&ctx, "t", "mem://host/dir/*.npz", NpyOptions::default()).await.unwrap();
    assert_eq!(store.take().0, 100);
    assert_eq!(sum(&ctx, "SELECT count(*) FROM t").await, 400_000);
    assert_eq!(store.take(), (0, 0));
    assert_eq!(sum(&ctx, "SELECT sum(value) FROM t").await, 400_000);
    assert_eq!(store.take(), (100, 100 * 32_000));
}

/// Guards the number of files that the README states for the cache of 50 MB: 80,000 arrays or 25,000 archives of five members.
#[tokio::test]
async fn the_cache_has_as_many_headers_as_the_pages_say() {
    let mut writer = npz::Writer::new(std::io::Cursor::new(Vec::new())).unwrap();
    for name in ["first", "second", "third", "fourth", "fifth"] {
        writer.write(name, &vec![1i64; 400]).unwrap();
    }
    let archive = writer.finish().unwrap().into_inner();
    for (bytes, ending, limit) in [(array(400), "npy", "62K"), (archive, "npz", "204K")] {
        let store = copies(bytes, 100, ending).await;
        let ctx = session();
        store.register(&ctx);
        rows(&ctx, &format!("SET datafusion.runtime.metadata_cache_limit = '{limit}'")).await;
        register(&ctx, "t", &format!("mem://host/dir/*.{ending}"), NpyOptions::default())
            .await
            .unwrap();
        store.take();
        assert_eq!(sum(&ctx, "SELECT count(*) FROM t").await, 40_000);
        assert_eq!(store.take(), (0, 0), "{ending}");
    }
}

/// Guards scans that read the header themselves, as executors do: the bytes that come with it are not requested again.
#[tokio::test]
async fn bytes_that_come_with_a_header_are_used() {
    let mut packed = npz::WriteOptions::new();
    packed.deflate(1);
    for options in [npz::WriteOptions::new(), packed] {
        let mut writer = options.writer(std::io::Cursor::new(Vec::new())).unwrap();
        writer.write("value", &vec![1i64; 4000]).unwrap();
        writer.write("other", &vec![2i64; 4000]).unwrap();
        let archive = copies(writer.finish().unwrap().into_inner(), 1, "npz").await;
        let file = copies(array(400), 1, "npy").await;
        for (store, location, rows_of) in
            [(archive, "mem://host/dir/*.npz", 4000), (file, "mem://host/dir/", 400)]
        {
            let ctx = session();
            store.register(&ctx);
            rows(&ctx, "SET datafusion.runtime.metadata_cache_limit = '0K'").await;
            register(&ctx, "t", location, NpyOptions::default()).await.unwrap();
            store.take();
            assert_eq!(sum(&ctx, "SELECT sum(value) FROM t").await, rows_of);
            // The planner reads the header for the number of rows, and the scan again.
            assert_eq!(store.take().0, 2, "{location}");
        }
    }
}

/// Guards round trips: whatever the number of members or of columns that are files, their requests run together.
#[tokio::test]
async fn members_of_a_query_are_requested_together() {
    const MEMBERS: usize = 12;
    const ROWS: usize = 200_000;
    let name = |n: usize| format!("c{n:02}");
    let values = |n: usize| -> Vec<i64> {
        (0..ROWS as i64).map(|row| row * 7919 % 1009 + n as i64).collect()
    };
    let archive = |options: &npz::WriteOptions| {
        let mut writer = options.writer(std::io::Cursor::new(Vec::new())).unwrap();
        (0..MEMBERS).for_each(|n| writer.write(&name(n), &values(n)).unwrap());
        writer.finish().unwrap().into_inner()
    };
    let mut packed = npz::WriteOptions::new();
    packed.deflate(1);
    let columns: Vec<String> = (0..MEMBERS).map(name).collect();
    let sums: Vec<String> = columns.iter().map(|column| format!("sum({column})")).collect();
    let expected: i64 = (0..MEMBERS).map(|n| values(n).iter().sum::<i64>()).sum();
    let files: Vec<(String, Vec<u8>)> = (0..MEMBERS)
        .map(|n| {
            let mut file = Vec::new();
            values(n).write_npy_to(&mut file).unwrap();
            (format!("folder/{}.npy", name(n)), file)
        })
        .collect();
    // One after another, each request would be a round trip.
    let check = |store: &Counted, table: &str| {
        let (rounds, (requests, _)) = (store.rounds(), store.take());
        assert!(rounds <= 16 && requests >= 2 * MEMBERS, "{table}: {rounds}, {requests}");
    };
    for (table, files) in [
        (
            "npy('mem://host/dir/a.npz')",
            vec![("dir/a.npz".to_owned(), archive(&npz::WriteOptions::new()))],
        ),
        ("npy('mem://host/dir/a.npz')", vec![("dir/a.npz".to_owned(), archive(&packed))]),
        ("npy('mem://host/folder/*.npy', 'layout', 'columns')", files),
    ] {
        let store = Counted::default();
        for (path, file) in files {
            store.put(&path, file).await;
        }
        let ctx = session_with_config(SessionConfig::new().with_target_partitions(1));
        store.register(&ctx);
        store.rounds();
        store.take();
        // The headers first, and then the rows.
        let all = format!("SELECT {} AS s FROM {table}", sums.join(" + "));
        assert_eq!(sum(&ctx, &all).await, expected, "{table}");
        check(&store, table);
        let some = format!("SELECT {} AS s FROM {table} WHERE c00 < 10", sums.join(" + "));
        sum(&ctx, &some).await;
        check(&store, table);
    }
}
