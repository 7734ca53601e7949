//! Archives as tables: their members are columns, and only the columns that a query needs are read.

use std::fs;
use std::io::Cursor;

use crate::support::{Counted, error, rows, text};
use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::{Float64Type, Int64Type, UInt64Type};
use datafusion::prelude::SessionConfig;
use npy_core::{NpyArray, npz};
use npy_datafusion::{NpyOptions, register, session, session_with_config};

const ROWS: usize = 100_000;

/// Returns an archive of four columns.
fn archive(from: usize, options: &npz::WriteOptions) -> Vec<u8> {
    let mut writer = options.writer(Cursor::new(Vec::new())).unwrap();
    let rows = from..from + ROWS;
    writer
        .write("id", &rows.clone().map(|n| u32::try_from(n).unwrap() % 1000).collect::<Vec<_>>())
        .unwrap();
    writer.write("x", &rows.clone().map(|n| n as f64).collect::<Vec<_>>()).unwrap();
    writer.write("name", &rows.clone().map(|n| format!("n{}", n % 7)).collect::<Vec<_>>()).unwrap();
    let pair = rows.flat_map(|n| [n as f32, 0.5]).collect();
    writer.write("pair", &NpyArray::<f32>::new(pair, [ROWS, 2]).unwrap()).unwrap();
    writer.finish().unwrap().into_inner()
}

/// Guards requests: the headers once, and then the members of the query alone; of the others, those rows whose condition is true.
#[tokio::test]
async fn members_of_the_query_alone_are_requested() {
    let stored = archive(0, &npz::WriteOptions::new());
    let store = Counted::with([("dir/a.npz", stored)]).await;
    let ctx = session_with_config(SessionConfig::new().with_target_partitions(1));
    store.register(&ctx);
    register(&ctx, "t", "mem://host/dir/*.npz", NpyOptions::default()).await.unwrap();
    let (requests, bytes) = store.take();
    // The directory, the four headers, and their parts that a first request lacked.
    assert!(requests <= 6 && bytes <= 80 << 10, "{requests} requests, {bytes} bytes");
    let count = text(&ctx, "SELECT count(*) FROM t").await;
    assert!(count.contains("| 100000 "), "{count}");
    assert_eq!(store.take(), (0, 0));

    let sum = rows(&ctx, "SELECT sum(x) FROM t").await;
    let expected = (0..ROWS).map(|n| n as f64).sum::<f64>();
    assert_eq!(sum[0].column(0).as_primitive::<Float64Type>().value(0), expected);
    assert_eq!(store.take().1, 8 * ROWS as u64);

    // No row passes, so `pair` is not requested.
    rows(&ctx, "SELECT sum(pair[1]) FROM t WHERE id > 5000").await;
    assert_eq!(store.take().1, 4 * ROWS as u64);
    let found = text(&ctx, "SELECT name, pair[1] FROM t WHERE x = 12345").await;
    assert!(found.contains("| n4 ") && found.contains("12345.0"), "{found}");
    rows(&ctx, "SELECT x FROM t LIMIT 5").await;
    store.take();
    rows(&ctx, "SELECT x FROM t LIMIT 5").await;
    assert_eq!(store.take(), (1, 40));
}

/// Guards results: on this machine and in a store, compressed or not, however the files are divided.
#[tokio::test]
async fn results_do_not_depend_on_partitions_or_compression() {
    let directory = tempfile::tempdir().unwrap();
    let mut deflated = npz::WriteOptions::new();
    deflated.deflate(1);
    for (name, from, options) in
        [("part=a", 0, &npz::WriteOptions::new()), ("part=b", ROWS, &deflated)]
    {
        fs::create_dir(directory.path().join(name)).unwrap();
        fs::write(directory.path().join(name).join("t.npz"), archive(from, options)).unwrap();
    }
    let (all, half) = (2 * ROWS, ROWS as f64);
    let sum = (0..all).map(|n| n as f64).sum::<f64>();
    for partitions in [1, 3, 7] {
        let mut config = SessionConfig::new().with_target_partitions(partitions);
        config.options_mut().optimizer.repartition_file_min_size = 1;
        let ctx = session_with_config(config);
        let sql = format!(
            "CREATE EXTERNAL TABLE t STORED AS NPZ PARTITIONED BY (part) LOCATION '{}/'",
            directory.path().display()
        );
        rows(&ctx, &sql).await;
        let found = rows(&ctx, "SELECT sum(x), sum(pair[1]) FROM t").await;
        assert_eq!(found[0].column(0).as_primitive::<Float64Type>().value(0), sum);
        let found =
            text(&ctx, "SELECT count(*), min(x), max(name) FROM t WHERE id < 10 AND part = 'b'")
                .await;
        assert!(found.contains("| 1000 ") && found.contains(&format!("| {half:.1} ")), "{found}");
        let found = text(&ctx, "SELECT name, id FROM t ORDER BY x DESC LIMIT 1").await;
        assert!(found.contains("| n2   | 999 |"), "{found}");
    }
}

/// Guards archives that are no table, and damaged ones: errors name the file and the member.
#[tokio::test]
async fn archives_that_are_no_table_are_named() {
    let two = |a: &[u8], b: &[u8]| {
        let mut writer = npz::Writer::new(Cursor::new(Vec::new())).unwrap();
        writer.write("a", a).unwrap();
        writer.write("b", b).unwrap();
        writer.finish().unwrap().into_inner()
    };
    let good = two(&[1, 2], &[3, 4]);
    let mut scalar = npz::Writer::new(Cursor::new(Vec::new())).unwrap();
    scalar.write("a", &1u8).unwrap();
    for (bytes, expected) in [
        (two(&[1, 2], &[3]), "b: it has 1 rows, and the members before it 2"),
        (scalar.finish().unwrap().into_inner(), "a: a single value has no rows"),
        (good[..good.len() - 5].to_vec(), "dir/x.npz: "),
        (b"PK\x03\x04 nothing".to_vec(), "dir/x.npz: "),
    ] {
        let store = Counted::with([("dir/x.npz", bytes)]).await;
        let ctx = session();
        store.register(&ctx);
        let failure = register(&ctx, "t", "mem://host/dir/x.npz", NpyOptions::default()).await;
        let failure = failure.unwrap_err().to_string();
        assert!(failure.contains("dir/x.npz: ") && failure.contains(expected), "{failure}");
    }
    let mut damaged = archive(0, npz::WriteOptions::new().deflate(1));
    let middle = damaged.len() / 2;
    damaged[middle..middle + 1000].fill(0xff);
    let store = Counted::with([("dir/x.npz", damaged)]).await;
    let ctx = session();
    store.register(&ctx);
    register(&ctx, "t", "mem://host/dir/x.npz", NpyOptions::default()).await.unwrap();
    let failure = error(&ctx, "SELECT sum(x), min(name), sum(pair[1]) FROM t").await;
    assert!(failure.contains("dir/x.npz: "), "{failure}");
}

/// Guards the time until compressed members are read: few requests, at once, whose bytes are those of the members that are needed.
#[tokio::test]
async fn compressed_members_are_requested_at_once() {
    const ROWS: usize = 60_000;
    let mut options = npz::WriteOptions::new();
    let mut writer = options.deflate(1).writer(Cursor::new(Vec::new())).unwrap();
    let mut random = 1u32;
    let mut sums = Vec::new();
    for n in 0..30 {
        let values: Vec<u8> = std::iter::repeat_with(|| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            random.to_be_bytes()[0]
        })
        .take(ROWS)
        .collect();
        sums.push(values.iter().map(|value| u64::from(*value)).sum::<u64>());
        writer.write(&format!("c{n}"), &values).unwrap();
    }
    let archive = writer.finish().unwrap().into_inner();
    let size = archive.len() as u64;
    let store = Counted::with([("dir/a.npz", archive)]).await;
    let ctx = session_with_config(SessionConfig::new().with_target_partitions(2));
    store.register(&ctx);
    register(&ctx, "t", "mem://host/dir/*.npz", NpyOptions::default()).await.unwrap();
    store.most_at_once();
    store.take();
    let columns: Vec<String> = (0..30).map(|n| format!("sum(c{n})")).collect();
    let found = rows(&ctx, &format!("SELECT {} FROM t", columns.join(", "))).await;
    for (n, sum) in sums.iter().enumerate() {
        assert_eq!(found[0].column(n).as_primitive::<UInt64Type>().value(0), *sum);
    }
    let (requests, bytes) = store.take();
    assert!(requests <= 7 && bytes <= size, "{requests} requests, {bytes} of {size} bytes");
    assert_eq!(store.most_at_once(), 6);
    // Of some members, no bytes of the others.
    rows(&ctx, "SELECT sum(c3), sum(c20) FROM t WHERE c29 > 7").await;
    let (requests, bytes) = store.take();
    assert!(requests == 3 && bytes < 3 * 64_000, "{requests} requests, {bytes} bytes");
}

/// Guards stored members of a store: the next rows are requested while some are looked at, also before a condition is evaluated.
#[tokio::test]
async fn stored_members_are_requested_ahead() {
    const ROWS: usize = 5 << 20;
    let mut writer = npz::Writer::new(Cursor::new(Vec::new())).unwrap();
    writer.write("x", &vec![1i64; ROWS]).unwrap();
    writer.write("y", &vec![2u8; ROWS]).unwrap();
    let store = Counted::with([("dir/a.npz", writer.finish().unwrap().into_inner())]).await;
    let ctx = session_with_config(SessionConfig::new().with_target_partitions(1));
    store.register(&ctx);
    register(&ctx, "t", "mem://host/dir/*.npz", NpyOptions::default()).await.unwrap();
    for (sql, expected) in [
        ("SELECT sum(x) FROM t", ROWS),
        ("SELECT count(x) FROM t WHERE x > 0", ROWS),
        ("SELECT count(*) FROM t WHERE x > 1", 0),
    ] {
        store.most_at_once();
        store.take();
        let found = rows(&ctx, sql).await;
        let found = found[0].column(0).as_primitive::<Int64Type>().value(0);
        assert_eq!(found, i64::try_from(expected).unwrap(), "{sql}");
        assert_eq!((store.take(), store.most_at_once()), ((5, 8 * ROWS as u64), 2), "{sql}");
    }
}

/// Guards archives that queries write: a column is an array, with its dtype, and the rows read back.
#[tokio::test]
async fn a_copy_is_an_archive() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path().display();
    let store = Counted::with([("dir/a.npz", archive(0, &npz::WriteOptions::new()))]).await;
    let ctx = session_with_config(SessionConfig::new().with_target_partitions(2));
    store.register(&ctx);
    register(&ctx, "t", "mem://host/dir/*.npz", NpyOptions::default()).await.unwrap();
    let select = "SELECT id, x, name || 'é' AS name, pair, id % 2 = 0 AS even FROM t";
    for to in [format!("{at}/x.npz"), "mem://host/out/x.npz".to_owned()] {
        let sql = format!("COPY ({select}) TO '{to}' STORED AS NPZ");
        let count = rows(&ctx, &sql).await;
        let count = count[0].column(0).as_primitive::<UInt64Type>().value(0);
        assert_eq!(count, ROWS as u64);
        let both = format!(
            "SELECT count(*) FROM npy('{to}') c JOIN ({select}) t ON c.x = t.x
             WHERE c.id = t.id AND c.name = t.name AND c.pair = t.pair AND c.even = t.even"
        );
        let found = text(&ctx, &both).await;
        assert!(found.contains("| 100000 "), "{to}: {found}");
    }
    let reader = npz::Reader::open(directory.path().join("x.npz")).unwrap();
    assert!(reader.names().eq(["id", "x", "name", "pair", "even"]));
    assert_eq!(reader.header("id").unwrap().dtype().to_string(), "<u4");
    assert_eq!(reader.header("name").unwrap().dtype().to_string(), "<U3");
    assert_eq!(reader.header("pair").unwrap().shape(), [ROWS, 2]);
    // By the values of a column, and into a table.
    let sql = format!(
        "COPY (SELECT id % 3 AS k, x FROM t) TO '{at}/parts/' STORED AS NPZ PARTITIONED BY (k)"
    );
    rows(&ctx, &sql).await;
    let create =
        format!("CREATE EXTERNAL TABLE p STORED AS NPZ PARTITIONED BY (k) LOCATION '{at}/parts/'");
    rows(&ctx, &create).await;
    let found = text(&ctx, "SELECT count(*), sum(x) FROM p WHERE k = '1'").await;
    let expected = text(&ctx, "SELECT count(*), sum(x) FROM t WHERE id % 3 = 1").await;
    assert_eq!(found.lines().nth(3), expected.lines().nth(3));
    for (sql, expected) in [
        (
            format!("COPY (SELECT t.id, u.id FROM t JOIN t u ON t.x = u.x) TO '{at}/y.npz'"),
            "two columns are called",
        ),
        (format!("COPY (SELECT x, nullif(id, 7) AS n FROM t) TO '{at}/y.npz'"), "y.npz: n: "),
    ] {
        let failure = error(&ctx, &sql).await;
        assert!(failure.contains(expected), "{failure}");
        assert!(!directory.path().join("y.npz").exists());
    }
}
