//! Tables that are declared to be sorted: `OPTIONS ('sorted_by' 't')`. Files and blocks are left out, nothing is sorted, and a file that is not in order is
//! an error.

use crate::support::{Counted, error, rows, text};
use npy_core::{DType, DynArray, NpyRecord, Order, WriteNpy};
use npy_datafusion::datafusion::prelude::{SessionConfig, SessionContext};
use npy_datafusion::{session, session_with_config, write_index};

#[derive(NpyRecord, Clone, Copy)]
struct Tick {
    t: i64,
    x: f64,
}

fn file(times: &[i64]) -> Vec<u8> {
    let ticks: Vec<Tick> = times.iter().map(|&t| Tick { t, x: (t % 7) as f64 }).collect();
    let mut bytes = Vec::new();
    ticks.write_npy_to(&mut bytes).unwrap();
    bytes
}

/// Ten files whose names are not in the order of their times.
async fn store() -> Counted {
    let counted: Vec<(String, Vec<u8>)> = (0..10i64)
        .map(|n| {
            let times: Vec<i64> = (n * 1000..(n + 1) * 1000).collect();
            (format!("dir/{}.npy", (n * 7) % 10), file(&times))
        })
        .collect();
    let files = counted.iter().map(|(path, bytes)| (path.as_str(), bytes.clone()));
    Counted::with(files.chain([("dir/empty.npy", file(&[]))])).await
}

async fn table(store: &Counted, partitions: usize) -> SessionContext {
    let ctx = session_with_config(SessionConfig::new().with_target_partitions(partitions));
    store.register(&ctx);
    let create = "CREATE EXTERNAL TABLE t STORED AS NPY LOCATION 'mem://host/dir/' OPTIONS ('sorted_by' 't')";
    rows(&ctx, create).await;
    ctx
}

fn cells(table: &str) -> Vec<String> {
    let lines = table.lines().skip(3).filter(|line| line.starts_with('|'));
    lines.map(|line| line.trim_matches(['|', ' ']).to_owned()).collect()
}

/// Guards what the order is for: files that are left out, and `ORDER BY` without a sort, also with a limit.
#[tokio::test]
async fn an_order_leaves_out_files_and_sorts() {
    for partitions in [1, 3, 16] {
        let store = store().await;
        let ctx = table(&store, partitions).await;
        // The proof.
        rows(&ctx, "SELECT count(*) FROM t WHERE t < 0").await;
        store.take();
        let found =
            text(&ctx, "SELECT count(*), sum(x) FROM t WHERE t BETWEEN 4100 AND 4199").await;
        assert!(found.contains("| 100 "), "{found}");
        let (_, bytes) = store.take();
        assert!(bytes <= 1000 * 16, "one file: {bytes}");
        let plan = text(&ctx, "EXPLAIN SELECT * FROM t ORDER BY t").await;
        assert!(!plan.contains("SortExec") && plan.contains("output_ordering"), "{plan}");
        let all = cells(&text(&ctx, "SELECT t FROM t ORDER BY t").await);
        assert!(all.iter().map(|it| it.parse::<i64>().unwrap()).eq(0..10_000), "{partitions}");
        store.take();
        let few = cells(&text(&ctx, "SELECT t FROM t ORDER BY t LIMIT 3").await);
        assert_eq!(few, ["0", "1", "2"]);
        let (_, bytes) = store.take();
        assert!(bytes <= 16 * 3 * 16, "three rows of each partition at most: {bytes}");
        let last = cells(&text(&ctx, "SELECT t FROM t ORDER BY t DESC LIMIT 2").await);
        assert_eq!(last, ["9999", "9998"]);
        if partitions == 1 {
            // The last file, and the next one, which is opened meanwhile.
            let (_, bytes) = store.take();
            assert!(bytes <= 2 * 1000 * 16, "the last files alone: {bytes}");
        }
        let groups =
            text(&ctx, "SELECT t / 1000 AS k, count(*), min(t) FROM t GROUP BY k ORDER BY k").await;
        assert_eq!(cells(&groups).len(), 10);
    }
}

/// Guards files that overlap: they are merged, or sorted, and no row is lost.
#[tokio::test]
async fn files_may_overlap() {
    let files = [
        ("dir/a.npy", vec![0, 5, 9, 9]),
        ("dir/b.npy", vec![3, 4, 10]),
        ("dir/c.npy", vec![9, 11]),
    ];
    let files = files.iter().map(|(path, times)| (*path, file(times)));
    let store = Counted::with(files).await;
    for partitions in [1, 2, 8] {
        let ctx = table(&store, partitions).await;
        let all = cells(&text(&ctx, "SELECT t FROM t ORDER BY t").await).join(" ");
        assert_eq!(all, "0 3 4 5 9 9 9 10 11");
        let few = cells(&text(&ctx, "SELECT t FROM t WHERE t >= 4 ORDER BY t LIMIT 3").await);
        assert_eq!(few, ["4", "5", "9"]);
    }
}

/// Guards the declaration: a file that is not in order is an error that names it and the row, whatever the query would have read.
#[tokio::test]
async fn a_file_out_of_order_is_an_error() {
    for (times, reason) in [
        (vec![0, 5, 4, 9], "the row 2 of \"t\" is 4, less than the row before it"),
        (vec![0, 100, 5, 10], "the row 2 of \"t\" is 5"),
        ((0..9000).chain([8000]).collect::<Vec<i64>>(), "the row 9000 of \"t\" is 8000"),
        ((0..8192).chain([8000]).collect(), "the row 8192 of \"t\" is 8000"),
    ] {
        let files = [("dir/a.npy", file(&[20, 30])), ("dir/b.npy", file(&times))];
        let store = Counted::with(files).await;
        let ctx = table(&store, 2).await;
        for query in [
            "SELECT * FROM t WHERE t > 50",
            "SELECT t FROM t ORDER BY t LIMIT 1",
            "SELECT max(t) FROM t",
        ] {
            let message = error(&ctx, query).await;
            assert!(message.contains("b.npy") && message.contains(reason), "{query}: {message}");
        }
        // A query of other columns does not need the order.
        assert!(
            text(&ctx, "SELECT count(x) FROM t").await.contains(&(times.len() + 2).to_string())
        );
    }
    let ctx = session();
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path().display();
    let dtype: DType = "[('t', '<M8[s]'), ('v', '<i8', (2,))]".parse().unwrap();
    let bytes = [5, 0, 0, i64::MIN, 0, 0].iter().flat_map(|it: &i64| it.to_le_bytes()).collect();
    let array = DynArray::new(dtype, vec![2], Order::C, bytes).unwrap();
    array.write_npy(directory.path().join("x.npy")).unwrap();
    for (column, reason) in [
        ("t", "the row 1 of \"t\" is null"),
        ("v", "name a column of numbers, times or short text"),
        ("u", "no such column; it has \"t\", \"v\""),
    ] {
        let query = format!("SELECT t FROM npy('{at}/', 'sorted_by', '{column}')");
        let message = error(&ctx, &query).await;
        assert!(message.contains(reason), "{message}");
    }
}

/// Guards the proof: it is made once, again for a file that changes, and not at all if the index has it.
#[tokio::test]
async fn a_proof_is_made_once() {
    let store = store().await;
    let ctx = table(&store, 2).await;
    let query = "SELECT count(*) FROM t WHERE t = 4500";
    store.take();
    text(&ctx, query).await;
    let (_, bytes) = store.take();
    assert!(bytes >= 10_000 * 16, "all files are read: {bytes}");
    text(&ctx, query).await;
    let (_, bytes) = store.take();
    assert!(bytes <= 1000 * 16, "{bytes}");
    store.put("dir/3.npy", file(&[9500, 9400])).await;
    assert!(error(&ctx, query).await.contains("the row 1 of \"t\" is 9400"));
    store.put("dir/3.npy", file(&[9400, 9500])).await;
    assert!(text(&ctx, query).await.contains("| 1 "));

    let indexed = session();
    store.register(&indexed);
    write_index(&indexed.state(), "mem://host/dir", None, 100).await.unwrap();
    let ctx = table(&store, 2).await;
    store.take();
    text(&ctx, query).await;
    let (_, bytes) = store.take();
    assert!(bytes <= 30_000, "the index, and two blocks: {bytes}");
    let plan = text(&ctx, "EXPLAIN SELECT * FROM t ORDER BY t").await;
    assert!(plan.contains("output_ordering"), "{plan}");
}
