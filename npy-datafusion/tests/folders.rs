//! Folders in which each file is a column: `OPTIONS ('layout' 'columns')`.

use std::path::Path;

use crate::support::{Counted, error, rows, text};
use npy_core::{DType, DynArray, Order, WriteNpy};
use npy_datafusion::{session, session_with_config, sql};

/// Writes numbers from `first` on, of this shape.
fn write(path: &Path, dtype: &str, shape: &[usize], order: Order, first: i64) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    array(dtype, shape, order, first).write_npy(path).unwrap();
}

fn array(dtype: &str, shape: &[usize], order: Order, first: i64) -> DynArray {
    let dtype: DType = format!("'{dtype}'").parse().unwrap();
    let count = i64::try_from(shape.iter().product::<usize>()).unwrap();
    let number = |it: i64| match dtype.itemsize() {
        4 => i32::try_from(it).unwrap().to_le_bytes().to_vec(),
        _ => it.to_le_bytes().to_vec(),
    };
    let bytes = (first..first + count).flat_map(number).collect();
    DynArray::new(dtype, shape.to_vec(), order, bytes).unwrap()
}

/// Writes what Kilosort writes: columns of the shape (n, 1), and arrays of other lengths.
fn kilosort(directory: &Path) {
    let at = |name: &str| directory.join(name);
    write(&at("spike_times.npy"), "<i8", &[1000, 1], Order::C, 0);
    write(&at("spike_clusters.npy"), "<i4", &[1000], Order::C, 5000);
    write(&at("spike_positions.npy"), "<i8", &[1000, 2], Order::Fortran, 0);
    write(&at("templates.npy"), "<i8", &[7, 3, 2], Order::C, 0);
}

async fn cells(
    ctx: &npy_datafusion::datafusion::prelude::SessionContext,
    query: &str,
) -> Vec<String> {
    let frame = sql(ctx, query).await.unwrap_or_else(|error| panic!("{query}: {error}"));
    let rows = frame.collect().await.unwrap_or_else(|error| panic!("{query}: {error}"));
    let text = datafusion::arrow::util::pretty::pretty_format_batches(&rows).unwrap().to_string();
    let lines = text.lines().skip(3).filter(|line| line.starts_with('|'));
    lines
        .map(|line| line.trim_matches(['|', ' ']).split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

/// Guards one folder as a table: (n, 1) is one number in a row, other dimensions are lists, in either order.
#[tokio::test]
async fn a_folder_is_a_table() {
    let directory = tempfile::tempdir().unwrap();
    kilosort(directory.path());
    let ctx = session();
    let create = format!(
        "CREATE EXTERNAL TABLE spikes STORED AS NPY LOCATION '{}/spike_*.npy' OPTIONS ('layout' 'columns')",
        directory.path().display()
    );
    rows(&ctx, &create).await;
    for (query, expected) in [
        ("SELECT count(*) FROM spikes", "1000"),
        ("SELECT spike_times, spike_clusters FROM spikes WHERE spike_clusters = 5007", "7 | 5007"),
        ("SELECT spike_positions FROM spikes WHERE spike_times = 3", "[3, 1003]"),
        ("SELECT sum(spike_times) FROM spikes WHERE spike_positions[2] >= 1998", "1997"),
        ("SELECT spike_times FROM spikes WHERE _row = 999", "999"),
        ("SELECT max(_row) FROM spikes WHERE _row < 9", "8"),
        ("SELECT spike_times FROM spikes LIMIT 1 OFFSET 500", "500"),
    ] {
        assert_eq!(cells(&ctx, query).await, [expected], "{query}");
    }
    // The path of the folder, where the rows are.
    let found = cells(&ctx, "SELECT DISTINCT _file FROM spikes").await;
    assert_eq!(found, [directory.path().display().to_string()]);
    let function = format!(
        "SELECT count(*) FROM npy('{}/spike_*.npy', 'layout', 'columns') WHERE spike_times < 10",
        directory.path().display()
    );
    assert_eq!(cells(&ctx, &function).await, ["10"]);
}

/// Guards groups of rows, whose folders may have any name, or be the columns of the table.
#[tokio::test]
async fn folders_are_groups_of_rows() {
    let directory = tempfile::tempdir().unwrap();
    for (number, folder) in ["b", "a.1", ".hidden"].into_iter().enumerate() {
        let first = 100 * i64::try_from(number).unwrap();
        let at = |name: &str| directory.path().join("groups").join(folder).join(name);
        write(&at("spikes.times.npy"), "<i8", &[100], Order::C, first);
        let dtype = if folder == "b" { "<i4" } else { "<i8" };
        write(&at("spikes.clusters.npy"), dtype, &[100], Order::C, first + 7);
        if folder == "b" {
            write(&at("extra.npy"), "<i8", &[100, 1], Order::C, 0);
        }
        let at = |name: &str| directory.path().join(format!("days/day={number}")).join(name);
        write(&at("x.npy"), "<i8", &[10], Order::C, first);
    }
    let ctx = session();
    let at = directory.path().display();
    let groups = format!("npy('{at}/groups/', 'layout', 'columns')");
    for (query, expected) in [
        (format!("SELECT count(*), sum(\"spikes.times\") FROM {groups}"), "200 | 19900"),
        (format!("SELECT count(extra), sum(extra) FROM {groups}"), "100 | 4950"),
        (format!("SELECT sum(\"spikes.clusters\" - \"spikes.times\") FROM {groups}"), "1400"),
        (format!("SELECT count(*) FROM npy('{at}/groups/*/', 'layout', 'columns')"), "300"),
        (
            format!(
                "SELECT day, sum(x) FROM npy('{at}/days/', 'layout', 'columns') WHERE day = '1' GROUP BY day"
            ),
            "1 | 1045",
        ),
    ] {
        assert_eq!(cells(&ctx, &query).await, [expected], "{query}");
    }
    // A declared column that no folder has is null.
    let create = format!(
        "CREATE EXTERNAL TABLE t (\"spikes.times\" BIGINT, other INT) STORED AS NPY LOCATION '{at}/groups/' OPTIONS ('layout' 'columns')"
    );
    rows(&ctx, &create).await;
    assert_eq!(cells(&ctx, "SELECT count(other), count(*) FROM t").await, ["0 | 200"]);
}

/// Guards the messages for folders that are no table: each names the files, and what to do.
#[tokio::test]
async fn what_is_no_table_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    kilosort(&at.join("ks"));
    write(&at.join("single/x.npy"), "<i8", &[3], Order::C, 0);
    write(&at.join("single/rate.npy"), "<i8", &[], Order::C, 0);
    write(&at.join("both/x.npy"), "<i8", &[3], Order::C, 0);
    write(&at.join("both/a/x.npy"), "<i8", &[3], Order::C, 0);
    write(&at.join("kinds/a/x.npy"), "<i8", &[3], Order::C, 0);
    write(&at.join("kinds/b/y.npy"), "<i8", &[3], Order::C, 0);
    std::fs::create_dir(at.join("empty")).unwrap();
    write(&at.join("bytes/x.npy"), "<i8", &[3], Order::C, 0);
    std::fs::write(at.join("bytes/y.npy"), "").unwrap();
    let ctx = session();
    for (location, options, parts) in [
        (
            "ks/",
            "'layout', 'columns'",
            &["templates.npy: it has 7 rows", "spike_clusters.npy has 1000", "pattern"][..],
        ),
        ("single/", "'layout', 'columns'", &["rate.npy: a single value", "leave it out"]),
        ("both/", "'layout', 'columns'", &["both/", "both/a", "name 'dir/*.npy'"]),
        ("kinds/", "'layout', 'columns'", &["no column in common", "\"x\"", "\"y\""]),
        ("empty/", "'layout', 'columns'", &["No files found"]),
        ("bytes/", "'layout', 'columns'", &["y.npy: it has no bytes"]),
        ("single/x.npy", "'layout', 'columns'", &["it is one file", "'dir/'"]),
        ("single/", "'layout', 'wide'", &["\"wide\"", "'columns'"]),
        ("single/", "'layout'", &["names and values"]),
        ("single/", "'layout', 'columns', 'index', 'frozen'", &["without ('index' 'frozen')"]),
        ("*.npz", "'layout', 'columns'", &["the columns of an archive are its members"]),
    ] {
        let query = format!("SELECT * FROM npy('{}/{location}', {options})", at.display());
        let message = error(&ctx, &query).await;
        assert!(parts.iter().all(|part| message.contains(part)), "{query}: {message}");
    }
    let create = format!(
        "CREATE EXTERNAL TABLE t STORED AS NPY LOCATION '{}/ks/spike_*.npy' OPTIONS ('layout' 'columns')",
        at.display()
    );
    rows(&ctx, &create).await;
    let insert = error(&ctx, "INSERT INTO t SELECT * FROM t").await;
    assert!(insert.contains("not written"), "{insert}");
    let copy = format!(
        "COPY (SELECT 1 AS a) TO '{}/o/' STORED AS NPY OPTIONS ('layout' 'columns')",
        at.display()
    );
    let copy = error(&ctx, &copy).await;
    assert!(copy.contains("write an archive"), "{copy}");
}

/// Guards files that change after the table was created: another length is an error, and other values are those of the new file.
#[tokio::test]
async fn a_file_that_changes_is_seen() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    write(&at("a.npy"), "<i8", &[100], Order::C, 0);
    write(&at("b.npy"), "<i8", &[100], Order::C, 0);
    let ctx = session();
    let create = format!(
        "CREATE EXTERNAL TABLE t STORED AS NPY LOCATION '{}/' OPTIONS ('layout' 'columns')",
        directory.path().display()
    );
    rows(&ctx, &create).await;
    assert_eq!(cells(&ctx, "SELECT sum(a + b), count(*) FROM t").await, ["9900 | 100"]);
    write(&at("b.npy"), "<i8", &[99], Order::C, 0);
    let message = error(&ctx, "SELECT count(*) FROM t").await;
    assert!(
        message.contains("b.npy: it has 99 rows") && message.contains("a.npy has 100"),
        "{message}"
    );
    write(&at("a.npy"), "<i8", &[99], Order::C, 1);
    assert_eq!(cells(&ctx, "SELECT sum(a + b), count(*) FROM t").await, ["9801 | 99"]);
}

/// Guards what is requested of a store: the columns of the query alone, and those of conditions first.
#[tokio::test]
async fn only_the_columns_of_a_query_are_requested() {
    const ROWS: u64 = 300_000;
    let mut files = Vec::new();
    for folder in ["a", "b"] {
        for column in ["x", "y", "z"] {
            let mut bytes = Vec::new();
            array("<i8", &[300_000], Order::C, 0).write_npy_to(&mut bytes).unwrap();
            files.push((format!("dir/{folder}/{column}.npy"), bytes));
        }
    }
    let store =
        Counted::with(files.iter().map(|(path, bytes)| (path.as_str(), bytes.clone()))).await;
    let config =
        npy_datafusion::datafusion::prelude::SessionConfig::new().with_target_partitions(3);
    let ctx = session_with_config(config);
    store.register(&ctx);
    let create = "CREATE EXTERNAL TABLE t STORED AS NPY LOCATION 'mem://host/dir/' OPTIONS ('layout' 'columns')";
    rows(&ctx, create).await;
    assert_eq!(store.take(), (6, 6 * 4096), "the headers");
    rows(&ctx, "SELECT count(*) FROM t").await;
    assert_eq!(store.take(), (0, 0));
    for (query, expected) in [
        ("SELECT sum(x) FROM t", 2 * ROWS * 8),
        ("SELECT sum(x), sum(z) FROM t", 4 * ROWS * 8),
        // No row passes, so the other columns are not requested.
        ("SELECT sum(x), sum(z) FROM t WHERE y < 0", 2 * ROWS * 8),
    ] {
        text(&ctx, query).await;
        let (_, bytes) = store.take();
        assert_eq!(bytes, expected, "{query}");
    }
    assert_eq!(cells(&ctx, "SELECT x, z FROM t WHERE y = 299999").await, ["299999 | 299999"; 2]);
    store.take();
    let few = cells(&ctx, "SELECT x FROM t LIMIT 3").await;
    assert_eq!(few, ["0", "1", "2"]);
    let (_, bytes) = store.take();
    assert!(bytes <= 100 * 8, "{bytes}");
}
