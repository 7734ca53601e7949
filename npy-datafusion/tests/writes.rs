//! Files that queries write: they read back as the query's rows, and there is none if the query fails.

use std::fs;
use std::path::Path;

use crate::support::{Counted, error, rows, text};
use datafusion::prelude::SessionConfig;
use npy_core::time::Second;
use npy_core::{DateTime64, DynArray, FixedStr, NpyRecord, ReadNpy, WriteNpy};
use npy_datafusion::{NpyOptions, register, session, session_with_config};

#[derive(NpyRecord, Clone, Copy, Debug, PartialEq)]
struct Tick {
    id: u32,
    price: f64,
    name: [u8; 3],
    flag: bool,
    pair: [f32; 2],
}

fn ticks(count: u32) -> Vec<Tick> {
    let tick = |n: u32| Tick {
        id: n,
        price: f64::from(n) / 4.0,
        name: *b"abc",
        flag: n.is_multiple_of(3),
        pair: [n as f32, 0.5],
    };
    (0..count).map(tick).collect()
}

/// Returns the names of the files in a directory, also of temporary ones.
fn names(directory: &Path) -> Vec<String> {
    let names = fs::read_dir(directory).unwrap();
    let mut names: Vec<_> =
        names.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn dtype(path: impl AsRef<Path>) -> String {
    DynArray::read_npy(path).unwrap().dtype().to_string()
}

/// Guards copies: one file, a directory, a directory by the values of a column; dtypes stay.
#[tokio::test]
async fn a_copy_reads_back() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    ticks(20_000).write_npy(at("t.npy")).unwrap();
    let ctx = session();
    let url = at("t.npy").display().to_string();
    register(&ctx, "t", &url, NpyOptions::default()).await.unwrap();

    let copied = text(&ctx, &format!("COPY t TO '{}'", at("copy.npy").display())).await;
    assert!(copied.contains("20000"), "{copied}");
    assert_eq!(Vec::<Tick>::read_npy(at("copy.npy")).unwrap(), ticks(20_000));
    assert_eq!(dtype(at("copy.npy")), dtype(at("t.npy")));

    let sql = format!("COPY t TO '{}/' STORED AS NPY", at("dir").display());
    rows(&ctx, &sql).await;
    let mut all: Vec<Tick> = Vec::new();
    for name in names(&at("dir")) {
        all.extend(Vec::<Tick>::read_npy(at("dir").join(name)).unwrap());
    }
    all.sort_by_key(|tick| tick.id);
    assert_eq!(all, ticks(20_000));

    let sql = format!(
        "COPY (SELECT id, price, id % 2 AS odd FROM t) TO '{}/' STORED AS NPY PARTITIONED BY (odd)",
        at("parts").display()
    );
    rows(&ctx, &sql).await;
    assert_eq!(names(&at("parts")), ["odd=0", "odd=1"]);
    let sql = format!(
        "CREATE EXTERNAL TABLE parts STORED AS NPY PARTITIONED BY (odd) LOCATION '{}/'",
        at("parts").display()
    );
    rows(&ctx, &sql).await;
    let sum = text(&ctx, "SELECT count(*), sum(id) FROM parts WHERE odd = '1'").await;
    assert!(sum.contains("| 10000    | 100000000 "), "{sum}");

    // The column `value` alone is an array without fields, and no rows are a file, too.
    let sql =
        format!("COPY (SELECT price AS value FROM t WHERE id < 3) TO '{}'", at("v.npy").display());
    rows(&ctx, &sql).await;
    assert_eq!(Vec::<f64>::read_npy(at("v.npy")).unwrap(), [0.0, 0.25, 0.5]);
    let sql = format!("COPY (SELECT * FROM t WHERE id < 0) TO '{}'", at("none.npy").display());
    rows(&ctx, &sql).await;
    assert_eq!(Vec::<Tick>::read_npy(at("none.npy")).unwrap(), []);
}

/// Guards text: as wide as the longest value of the file, whichever batch has it, also if the rows are in a temporary file.
#[tokio::test]
async fn text_is_as_wide_as_the_longest_value() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.npy");
    for count in [3, 1_000_000] {
        let config = SessionConfig::new().with_target_partitions(1).with_batch_size(1000);
        let ctx = session_with_config(config);
        let sql = format!(
            "COPY (SELECT value AS id, CASE WHEN value = {} THEN 'naïve' ELSE 'x' END AS s \
             FROM generate_series(1, {count})) TO '{}'",
            count - 1,
            path.display()
        );
        rows(&ctx, &sql).await;
        let array = DynArray::read_npy(&path).unwrap();
        assert_eq!(array.dtype().to_string(), "[('id', '<i8'), ('s', '<U5')]");
        let all: Vec<FixedStr<5>> = array.field("s").unwrap().to_vec().unwrap();
        assert_eq!(all.len(), count);
        let ends = [0, count - 2, count - 1].map(|row| all[row].to_string());
        assert_eq!(ends, ["x", "naïve", "x"]);
        let ids: Vec<i64> = array.field("id").unwrap().to_vec().unwrap();
        assert!(ids.into_iter().eq(1..=count as i64));
    }
}

/// Guards tables that grow: new files have the dtypes of the table, and the next query reads them.
#[tokio::test]
async fn rows_are_inserted() {
    let directory = tempfile::tempdir().unwrap();
    ticks(10).write_npy(directory.path().join("a.npy")).unwrap();
    let ctx = session();
    let sql =
        format!("CREATE EXTERNAL TABLE t STORED AS NPY LOCATION '{}/'", directory.path().display());
    rows(&ctx, &sql).await;
    let inserted = "INSERT INTO t SELECT id + 100, price, name, flag, pair FROM t WHERE id < 3";
    rows(&ctx, inserted).await;
    let sum = text(&ctx, "SELECT count(*), sum(id) FROM t").await;
    assert!(sum.contains("| 13       | 348 "), "{sum}");
    for name in names(directory.path()) {
        assert_eq!(dtype(directory.path().join(&name)), dtype(directory.path().join("a.npy")));
    }

    // A table without files.
    let sql = format!(
        "CREATE EXTERNAL TABLE e (id INT NOT NULL, s VARCHAR NOT NULL) STORED AS NPY LOCATION '{}/new/'",
        directory.path().display()
    );
    rows(&ctx, &sql).await;
    assert!(text(&ctx, "SELECT count(*) AS n, max(id) FROM e").await.contains("| 0 | "));
    rows(&ctx, "INSERT INTO e VALUES (1, 'one'), (3, 'three')").await;
    let all = text(&ctx, "SELECT s FROM e WHERE id = 3").await;
    assert!(all.contains("three"), "{all}");
}

/// Guards values that the type of their column does not have: `INSERT INTO` adds the same value, or none.
#[tokio::test]
async fn inserted_values_are_exact_or_errors() {
    let ctx = session();
    let directory = tempfile::tempdir().unwrap();
    let columns = "i SMALLINT, f REAL, s TIMESTAMP(0), d DATE, b BOOLEAN";
    let sql = format!(
        "CREATE EXTERNAL TABLE e ({columns}) STORED AS NPY LOCATION '{}/new/'",
        directory.path().display()
    );
    rows(&ctx, &sql).await;
    // Columns of a query need different names.
    let (day, next) = ("'2021-01-01'", "'2021-01-02'");
    for (values, expected) in [
        (format!("7.9, 1, {day}, {next}"), "7.9 would become 7"),
        (format!("70000, 1, {day}, {next}"), "70000"),
        (format!("CAST(7.9 AS DECIMAL(5, 1)), 1, {day}, {next}"), "7.9 would become "),
        (format!("7, 1e39, {day}, {next}"), "1e39 would become inf"),
        (format!("7, '1e39', {day}, {next}"), "1e39 would become inf"),
        (format!("7, '-1e400', {day}, {next}"), "-1e400 would become -inf"),
        (
            format!("7, 1, '2021-01-01T00:00:00.9', {day}"),
            ":00.9 would become 2021-01-01T00:00:00 in",
        ),
        (
            format!("7, 1, '1921-01-01T00:00:00.9', {day}"),
            ":00.9 would become 1921-01-01T00:00:00 in",
        ),
        (
            format!("7, 1, TIMESTAMP '2021-01-01T00:00:00.9', {day}"),
            "2021-01-01T00:00:00.900 would become 2021-01-01T00:00:00 in",
        ),
        (format!("7, 1, '2021-01-01T00:00:00.00000000001', {day}"), "00001 would become 2021"),
        (format!("7, 1, {day}, '2021-01-01T12:00:00'"), "T12:00:00 would become 2021-01-01 in"),
    ] {
        for sql in [
            format!("INSERT INTO e (i, f, s, d) VALUES ({values})"),
            format!("INSERT INTO e (i, f, s, d) SELECT {values}"),
            format!("EXPLAIN ANALYZE INSERT INTO e (i, f, s, d) SELECT {values}"),
            format!("INSERT INTO e (i, f, s, d) SELECT v.* FROM (VALUES ({values})) v"),
        ] {
            let refused = error(&ctx, &sql).await;
            assert!(refused.contains(expected), "{sql}: {refused}");
        }
    }
    // A far time does not hide another one, and a number is not a boolean. The values of a statement have the names of their columns.
    for (columns, values, expected) in [
        (
            "s",
            "SELECT unnest(['3000-01-01', '2021-01-01T00:00:00.5'])",
            "2021-01-01T00:00:00.5 would become 2021-01-01T00:00:00 in the column \"s\", which is Timestamp(s); write date_trunc('second', ",
        ),
        (
            "b",
            "VALUES (7)",
            "7 would become true in the column \"b\", which is Boolean; write 7 <> 0",
        ),
        ("d, i", "VALUES ('2021-01-01', 7.9)", "7.9 would become 7 in the column \"i\""),
        ("d, i", "VALUES ('2021-01-01', 70000)", "the column \"i\""),
        ("i", "SELECT 70000", "the column \"i\""),
        (
            "i",
            "VALUES (CAST(7.9 AS SMALLINT))",
            "write round(7.9) or trunc(7.9), in VALUES also in the place of CAST(7.9 AS",
        ),
    ] {
        let refused = error(&ctx, &format!("INSERT INTO e ({columns}) {values}")).await;
        assert!(refused.contains(expected), "{refused}");
    }
    assert!(
        !directory.path().join("new").exists() || names(&directory.path().join("new")).is_empty()
    );
    // Digits are rounded, and what is there already is kept: infinity, nulls, far years, a day as a time.
    let kept = "INSERT INTO e VALUES (8.0, 0.1, '2021-01-01', '2021-01-01T00:00:00', 1), ('9', 'inf', '3000-01-01', NULL, true), (10, CAST('inf' AS DOUBLE), NULL, '1921-01-02', false)";
    rows(&ctx, kept).await;
    let all = text(&ctx, "SELECT i, f, s, d FROM e").await;
    for row in [
        "| 8  | 0.1 | 2021-01-01T00:00:00 | 2021-01-01 |",
        "| 9  | inf | 3000-01-01T00:00:00 |            |",
        "| 10 | inf |                     | 1921-01-02 |",
    ] {
        assert!(all.contains(row), "{all}");
    }

    fs::create_dir(directory.path().join("pairs")).unwrap();
    [[0.5f32, 1.5]].write_npy(directory.path().join("pairs/a.npy")).unwrap();
    let sql = format!(
        "CREATE EXTERNAL TABLE p STORED AS NPY LOCATION '{}/pairs/'",
        directory.path().display()
    );
    rows(&ctx, &sql).await;
    rows(&ctx, "INSERT INTO p VALUES ([2.5, 3.5])").await;
    // Columns of files have no nulls.
    let file = directory.path().join("nulls");
    fs::create_dir(&file).unwrap();
    ticks(1).write_npy(file.join("a.npy")).unwrap();
    let sql = format!("CREATE EXTERNAL TABLE n STORED AS NPY LOCATION '{}/'", file.display());
    rows(&ctx, &sql).await;
    for (sql, expected) in [
        (
            "n (price, id, name, flag, pair) VALUES (NULL, 1, [97, 98, 99], true, [1, 2])",
            "the column \"price\" has no nulls; write CAST('NaN' AS DOUBLE), or coalesce(…, CAST('NaN' AS DOUBLE))",
        ),
        ("n SELECT NULL, 1, [97, 98, 99], true, [1, 2]", "the column \"id\" has no nulls; write 0"),
        (
            "n SELECT 1, 2, [97, 98, 99], NULL, [1, 2]",
            "the column \"flag\" has no nulls; write false, or coalesce(…, false)",
        ),
        ("n (id) VALUES (1)", "the column \"price\" has no nulls"),
    ] {
        let refused = error(&ctx, &format!("INSERT INTO {sql}")).await;
        assert!(refused.contains(expected), "{sql}: {refused}");
    }
    rows(&ctx, "INSERT INTO n VALUES (1, CAST('NaN' AS DOUBLE), [97, 98, 99], true, [1, 2])").await;
    let refused = error(&ctx, "INSERT INTO p VALUES ([0.5, 1e39])").await;
    assert!(refused.contains("1e39 would become inf"), "{refused}");

    // Tables in memory have types that a file lacks.
    rows(&ctx, &format!("CREATE TABLE w ({columns})")).await;
    rows(&ctx, "CREATE TABLE m (p DECIMAL(5, 1), u TIMESTAMP, z VARCHAR)").await;
    let spans = "CREATE TABLE spans AS SELECT arrow_cast(INTERVAL '1 second', 'Duration(s)') AS d";
    rows(&ctx, spans).await;
    rows(
        &ctx,
        "CREATE TABLE bytes (x BYTEA, n BIGINT, day DATE NOT NULL, time TIMESTAMP(0) NOT NULL)",
    )
    .await;
    rows(&ctx, "INSERT INTO w (i) VALUES (7)").await;
    for (sql, expected) in [
        ("m (p) VALUES ('1.29')", "1.29 would become 1.3 in"),
        ("m (p) VALUES (1.29)", "1.29 would become 1.3 in"),
        (
            "m (u) VALUES ('2021-01-01T00:00:00.1234567891')",
            "would become 2021-01-01T00:00:00.123456789 in",
        ),
        ("spans VALUES (INTERVAL '1.5 seconds')", "in the column \"d\", which is Duration(s)"),
        ("spans SELECT INTERVAL '1.5 seconds'", "write arrow_cast(…, 'Duration(s)')"),
        ("m (p) SELECT v FROM (SELECT 1.29 AS v) q", "write round(q.v, 1)"),
        (
            "w (s) SELECT v FROM (SELECT TIMESTAMP '2021-01-01T00:00:00.5' AS v) q",
            "write date_trunc('second', q.v)",
        ),
        (
            "w (s) VALUES (TIMESTAMP '2021-01-01T00:00:00.5')",
            "write date_trunc('second', CAST('2021-01-01T00:00:00.500' AS TIMESTAMP(6)))",
        ),
        ("w (s) VALUES (1.5)", "write a time, '2026-01-02 10:30:00', or to_timestamp_seconds(1)"),
        // A number is not a time or bytes, and a time is not a number.
        (
            "w (s) VALUES (20260102)",
            "write a time, '2026-01-02 10:30:00', or to_timestamp_seconds(",
        ),
        ("w (s) SELECT v FROM (SELECT 7 AS v) q", "write to_timestamp_seconds(q.v)"),
        ("w (s) SELECT v FROM (SELECT 7.0 AS v) q", "write to_timestamp_seconds(floor(q.v))"),
        ("w (s) SELECT max(i) FROM w", "write to_timestamp_seconds(…)"),
        ("w (i) SELECT v FROM (SELECT 7.5 AS v) q", "write round(q.v) or trunc(q.v)"),
        ("w (b) SELECT i FROM w", "write w.i <> 0"),
        ("w (i) SELECT avg(i + 0.5) FROM w", "write round(…) or trunc(…)"),
        (
            "w (s) SELECT v FROM (SELECT '2021-01-01T00:00:00.5' AS v) q",
            "write date_trunc('second', CAST(q.v AS TIMESTAMP(6)))",
        ),
        ("w (d) VALUES (NULL), (20260102)", "20260102 would become +57440-04-11 in the column"),
        ("w (d) SELECT 20260102", "write a day, '2026-01-02', or arrow_cast(…, 'Date32')"),
        ("m (u) VALUES (7)", "or to_timestamp_nanos(7)"),
        ("spans VALUES (90)", "write arrow_cast(90, 'Duration(s)')"),
        ("spans SELECT v FROM (SELECT 1.0 AS v) q", "write arrow_cast(q.v, 'Duration(s)')"),
        ("w (f) VALUES (TIMESTAMP '2026-01-02')", "write arrow_cast(…, 'Float32')"),
        (
            "bytes (n, day, time) VALUES (DATE '2026-01-02', '1970-01-01', '1970-01-01')",
            "write arrow_cast(…, 'Int64')",
        ),
        ("w (f) SELECT v FROM (SELECT now() AS v) q", "write arrow_cast(q.v, 'Float32')"),
        ("w (f) SELECT d FROM spans", "PT1S would become 1.0 in the column \"f\""),
        ("m (p) SELECT d FROM spans", "write arrow_cast(spans.d, 'Decimal128(5, 1)')"),
        ("bytes (n) VALUES (1)", "write DATE '1970-01-01', or coalesce(…, DATE '1970-01-01')"),
        ("bytes (day) VALUES ('1970-01-01')", "write to_timestamp_seconds(0), or coalesce(…, to_"),
        ("bytes (x, day, time) VALUES (-1, '1970-01-01', '1970-01-01')", "write CAST(-1 AS TEXT)"),
        ("bytes (x, day, time) SELECT i, d, s FROM w", "write CAST(w.i AS TEXT)"),
        ("p VALUES ([TIMESTAMP '2026-01-02', NULL])", "would become 1.7673"),
        ("p SELECT v FROM (SELECT [now(), NULL] AS v) q", "write arrow_cast(…, 'Float32')"),
    ] {
        let refused = error(&ctx, &format!("INSERT INTO {sql}")).await;
        assert!(refused.contains(expected), "{sql}: {refused}");
    }
    // The advice of these errors.
    for sql in [
        "w (s) VALUES (date_trunc('second', CAST('2021-01-01T00:00:00.500' AS TIMESTAMP(6))))",
        "w (s) VALUES (to_timestamp_seconds(1))",
        "w (i) VALUES (round(7.9)), (trunc(-7.9))",
        "w (f) VALUES (CAST('inf' AS DOUBLE)), ('inf'), (-0.0), (9007199254740993)",
        "w (i) VALUES (-0.0), (TRY_CAST(7.9 AS SMALLINT))",
        "w (s) VALUES (date_trunc('second', CAST('2021-01-01T00:00:00.9' AS TIMESTAMP(6))))",
        "w (d) SELECT date_trunc('day', TIMESTAMP '2021-01-01T12:00:00')",
        "w (b) VALUES (7 <> 0), (1)",
        "w (s) VALUES (to_timestamp_seconds(20260102)), (NULL)",
        "w (s) SELECT to_timestamp_seconds(floor(q.v)) FROM (SELECT 7.0 AS v) q",
        "w (s) SELECT date_trunc('second', CAST(q.v AS TIMESTAMP(6))) FROM (SELECT '2021-01-01T00:00:00.5' AS v) q",
        "w (b) SELECT w.i <> 0 FROM w",
        "w (s) SELECT v FROM (SELECT CAST(NULL AS INT) AS v) q",
        "w (d) VALUES (arrow_cast(20455, 'Date32')), (CAST(NULL AS INT))",
        "w (f) VALUES (arrow_cast(TIMESTAMP '2026-01-02', 'Float32'))",
        "bytes (n, day, time) VALUES (arrow_cast(DATE '2026-01-02', 'Int64'), DATE '1970-01-01', to_timestamp_seconds(0))",
        "w (f, i) SELECT CAST(CAST(d AS BIGINT) AS DOUBLE), arrow_cast(d, 'Int64') FROM spans",
        "w (f, i) VALUES (true, false)",
        "m (p) SELECT arrow_cast(spans.d, 'Decimal128(5, 1)') FROM spans",
        "m (u) VALUES (to_timestamp_nanos(7))",
        "spans VALUES (arrow_cast(90, 'Duration(s)'))",
        "spans SELECT arrow_cast(q.v, 'Duration(s)') FROM (SELECT 1.0 AS v) q",
        "bytes (x, day, time) SELECT CAST(i AS TEXT), coalesce(d, DATE '1970-01-01'), coalesce(s, to_timestamp_seconds(0)) FROM w",
        "m VALUES (round(1.29, 1), '2021-01-01T00:00:00.1234567890', 7), (1.3, '2021-01-01', 7.5)",
        "spans VALUES (arrow_cast(INTERVAL '1.5 seconds', 'Duration(s)')), (INTERVAL '2 seconds')",
    ] {
        rows(&ctx, &format!("INSERT INTO {sql}")).await;
    }
}

/// Guards failures: nulls name their column and row, and no file is left, of whatever size and store.
#[tokio::test]
async fn a_failed_write_leaves_no_file() {
    let directory = tempfile::tempdir().unwrap();
    let to = format!("{}/x.npy", directory.path().display());
    let store = Counted::default();
    let ctx = session();
    store.register(&ctx);

    let null =
        "SELECT value AS id, CASE WHEN value <> 9000 THEN 1 END AS n FROM generate_series(0, 9999)";
    let error_of = error(&ctx, &format!("COPY ({null}) TO '{to}'")).await;
    assert!(
        error_of.contains("x.npy: in the rows from 8192 on: column \"n\": row 808: a null"),
        "{error_of}"
    );
    assert!(error_of.contains("fill_nulls true"), "{error_of}");
    assert_eq!(names(directory.path()), [""; 0]);
    rows(&ctx, &format!("COPY ({null}) TO '{to}' OPTIONS (fill_nulls true)")).await;
    assert_eq!(names(directory.path()), ["x.npy"]);
    fs::remove_file(&to).unwrap();
    let unknown = error(&ctx, &format!("COPY ({null}) TO '{to}' OPTIONS (fil_nulls true)")).await;
    assert!(unknown.contains("there is no option fil_nulls for .npy files"), "{unknown}");
    let dotted = format!("COPY ({null}) TO '{to}' OPTIONS ('npy.fill_nulls' true)");
    let dotted = error(&ctx, &dotted).await;
    assert!(dotted.contains("there is no option npy.fill_nulls for .npy files"), "{dotted}");

    // The query itself fails after many rows have been written.
    for count in [10_000, 800_000] {
        let fails =
            format!("SELECT value, 1 / ({count} - value) AS q FROM generate_series(1, {count})");
        for target in
            [to.as_str(), &format!("{}/dir/", directory.path().display()), "mem://host/x.npy"]
        {
            let sql = format!("COPY ({fails}) TO '{target}' STORED AS NPY");
            let failure = error(&ctx, &sql).await;
            assert!(failure.contains("Divide by zero"), "{failure}");
        }
    }
    let left: Vec<_> = names(directory.path());
    let left = left.iter().flat_map(|name| match name.as_str() {
        "dir" => names(&directory.path().join(name)),
        name => vec![name.to_owned()],
    });
    // A removed temporary file may be removed in the background.
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    assert_eq!(left.collect::<Vec<_>>(), [""; 0]);
    assert_eq!(store.names().await, [""; 0]);
}

/// Guards stores: large files in several parts, whose rows are right.
#[tokio::test]
async fn a_store_receives_parts() {
    let store = Counted::default();
    let ctx = session();
    store.register(&ctx);
    let sql = "COPY (SELECT value AS id, value * 2 AS twice FROM generate_series(1, 2000000)) \
               TO 'mem://host/dir/x.npy'";
    rows(&ctx, sql).await;
    assert_eq!(store.names().await, ["dir/x.npy"]);
    register(&ctx, "t", "mem://host/dir/", NpyOptions::default()).await.unwrap();
    let sum = text(&ctx, "SELECT count(*), sum(id), sum(twice) FROM t WHERE twice = 2 * id").await;
    assert!(sum.contains("| 2000000  | 2000001000000 | 4000002000000 |"), "{sum}");
}

/// Guards a file that a query was to replace: it stays if the new one cannot be sent.
#[tokio::test]
async fn a_failed_write_keeps_the_older_file() {
    let store = Counted::default();
    let ctx = session();
    store.register(&ctx);
    rows(&ctx, "COPY (SELECT 1 AS id) TO 'mem://host/x.npy'").await;
    store.is_full.store(true, std::sync::atomic::Ordering::Relaxed);
    let failure = error(&ctx, "COPY (SELECT 2 AS id) TO 'mem://host/x.npy'").await;
    assert!(failure.contains("the store is full"), "{failure}");
    assert_eq!(store.names().await, ["x.npy"]);
}

/// Guards tables whose new files have wider text than the first, also within records.
#[tokio::test]
async fn wider_text_can_be_inserted_and_read() {
    let directory = tempfile::tempdir().unwrap();
    vec!["abc"].write_npy(directory.path().join("a.npy")).unwrap();
    let ctx = session();
    let at = directory.path().display();
    rows(&ctx, &format!("CREATE EXTERNAL TABLE t STORED AS NPY LOCATION '{at}/'")).await;
    rows(&ctx, "INSERT INTO t VALUES ('wider text')").await;
    let all = text(&ctx, "SELECT max(value), min(value), count(*) FROM t").await;
    assert!(all.contains("| wider text ") && all.contains("| abc "), "{all}");

    let records = "SELECT value AS id, named_struct('s', CASE WHEN value < 9000 THEN 'long' ELSE 'x' END) AS r \
                   FROM generate_series(1, 20000)";
    rows(&ctx, &format!("COPY ({records}) TO '{at}/r.npy'")).await;
    assert_eq!(dtype(directory.path().join("r.npy")), "[('id', '<i8'), ('r', [('s', '<U4')])]");
}

/// Guards files that a copy replaces: a link is followed, permissions are kept, a pipe is written to, and nothing of a query that fails is.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_copy_replaces_as_all_files_are_replaced() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let ctx = session();
    let copy = |sql: &str, name: &str| {
        let target = directory.path().join(name);
        format!("COPY ({sql}) TO '{}' STORED AS NPY", target.display())
    };
    [1i64].write_npy(at("old.npy")).unwrap();
    fs::set_permissions(at("old.npy"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("old.npy", at("link.npy")).unwrap();
    rows(&ctx, &copy("SELECT 2 AS value", "link.npy")).await;
    assert!(at("link.npy").is_symlink());
    assert_eq!(Vec::<i64>::read_npy(at("old.npy")).unwrap(), [2]);
    assert_eq!(fs::metadata(at("old.npy")).unwrap().permissions().mode() & 0o777, 0o640);

    // A name without an extension is a directory, unless there is such a file.
    fs::rename(at("old.npy"), at("old")).unwrap();
    rows(&ctx, &copy("SELECT 3 AS value", "old")).await;
    assert_eq!(Vec::<i64>::read_npy(at("old")).unwrap(), [3]);

    for name in ["pipe", "pipe.npy"] {
        assert!(std::process::Command::new("mkfifo").arg(at(name)).status().unwrap().success());
        // Nothing is written, so nobody has to read.
        let fails = "SELECT 1 / (10000 - value) AS value FROM generate_series(1, 10000)";
        let failure = error(&ctx, &copy(fails, name)).await;
        assert!(failure.contains("Divide by zero"), "{failure}");
        let pipe = at(name);
        let reader = std::thread::spawn(move || fs::read(pipe).unwrap());
        rows(&ctx, &copy("SELECT 4 AS value", name)).await;
        let (bytes, mut file) = (reader.join().unwrap(), Vec::new());
        [4i64].write_npy_to(&mut file).unwrap();
        assert_eq!(bytes, file, "{name}");
    }
    assert_eq!(names(directory.path()), ["link.npy", "old", "pipe", "pipe.npy"]);
}

/// Guards names that DataFusion takes for patterns, and values that have no directory.
#[tokio::test]
async fn files_have_the_names_of_the_statement() {
    let directory = tempfile::tempdir().unwrap();
    let (ctx, at) = (session(), directory.path().display());
    for name in ["a[1].npy", "b[1]/x.npy", "c[1]/"] {
        rows(&ctx, &format!("COPY (SELECT 1 AS x) TO '{at}/{name}' STORED AS NPY")).await;
    }
    assert_eq!(names(directory.path()), ["a[1].npy", "b[1]", "c[1]"]);
    assert_eq!(names(&directory.path().join("b[1]")), ["x.npy"]);
    assert_eq!(names(&directory.path().join("c[1]")).len(), 1);
    for name in ["a*.npy", "a?.npy"] {
        let refused = error(&ctx, &format!("COPY (SELECT 1 AS x) TO '{at}/{name}'")).await;
        assert!(refused.contains("name one without * and ?"), "{refused}");
    }
    for none in ["NULL", "''"] {
        let sql = format!(
            "COPY (SELECT value AS x, CASE WHEN value < 2 THEN 'a' ELSE {none} END AS day FROM generate_series(1, 2)) \
             TO '{at}/days/' STORED AS NPY PARTITIONED BY (day)"
        );
        let refused = error(&ctx, &sql).await;
        assert!(
            refused.contains("write coalesce(nullif(day, ''), 'none') AS day for text"),
            "{refused}"
        );
        assert!(!directory.path().join("days").exists());
    }
    #[cfg(target_os = "linux")]
    {
        let refused = error(&ctx, "COPY (SELECT 1 AS x) TO '/proc/x.npy'").await;
        assert!(refused.contains("/proc/x.npy"), "{refused}");
    }
}

/// Guards times whose year is too far for a text, in files of other formats: an error, and no text of an error in the place of the value.
#[tokio::test]
async fn a_time_without_text_is_not_written() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path().display();
    let far = i64::MAX / 2;
    [1, far].map(DateTime64::<Second>::new).write_npy(directory.path().join("far.npy")).unwrap();
    let ctx = session();
    for (select, extension) in [
        ("SELECT value FROM", "json"),
        ("SELECT value, value AS b FROM", "csv"),
        ("SELECT named_struct('t', value) AS s FROM", "json"),
        ("SELECT make_array(value) AS s FROM", "json"),
    ] {
        let sql = format!("COPY ({select} npy('{at}/far.npy')) TO '{at}/x.{extension}'");
        let failure = error(&ctx, &sql).await;
        assert!(failure.contains("a time has no text"), "{sql}: {failure}");
    }
    let near = format!("SELECT value, 7 AS b FROM npy('{at}/far.npy') LIMIT 1");
    rows(&ctx, &format!("COPY ({near}) TO '{at}/near.json'")).await;
    let text = fs::read_to_string(directory.path().join("near.json")).unwrap();
    assert_eq!(text, "{\"value\":\"1970-01-01T00:00:01\",\"b\":7}\n");
    rows(&ctx, &format!("COPY (SELECT value FROM npy('{at}/far.npy')) TO '{at}/x.npy'")).await;
}

/// Guards seconds in files of Parquet, which has none: they are milliseconds there, and no numbers.
#[cfg(feature = "parquet")]
#[tokio::test]
async fn seconds_are_times_in_parquet() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path().display();
    let far = i64::MAX / 2;
    [1, far].map(DateTime64::<Second>::new).write_npy(directory.path().join("t.npy")).unwrap();
    let ctx = session();
    let table = format!(
        "(SELECT value AS t, make_array(value) AS l, named_struct('t', value, 'n', 7) AS s, named_struct('l', make_array(value)) AS sl, 7 AS n FROM npy('{at}/t.npy'))"
    );
    rows(&ctx, &format!("COPY (SELECT * FROM {table} LIMIT 1) TO '{at}/p.parquet'")).await;
    rows(&ctx, &format!("CREATE EXTERNAL TABLE p STORED AS PARQUET LOCATION '{at}/p.parquet'"))
        .await;
    let types = "SELECT arrow_typeof(t), arrow_typeof(l[1]), arrow_typeof(s['t']), arrow_typeof(sl['l'][1]) FROM p";
    let types = text(&ctx, types).await;
    assert_eq!(types.matches("| Timestamp(ms) ").count(), 4, "{types}");
    let values = "t = '1970-01-01T00:00:01' AND l[1] = t AND s['t'] = t AND s['n'] = 7 AND sl['l'][1] = t AND n = 7";
    let found = text(&ctx, &format!("SELECT count(*) AS n FROM p WHERE {values}")).await;
    assert!(found.contains("| 1 "), "{found}");
    for column in ["t", "l", "s"] {
        let sql = format!("COPY (SELECT {column} FROM {table}) TO '{at}/q.parquet'");
        let failure = error(&ctx, &sql).await;
        let is_of_value =
            ["exceeds the representable", "Overflow"].iter().any(|it| failure.contains(it));
        assert!(is_of_value, "{column}: {failure}");
    }
}

/// Guards intervals of SQL, which are spans of nanoseconds: copied, and inserted into a table that declares them; those of months are none.
#[tokio::test]
async fn intervals_are_spans() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path().display();
    let ctx = session();
    let span = "arrow_cast(1500, 'Duration(ms)')";
    let copy = format!(
        "COPY (SELECT {span} + INTERVAL '1 day' AS a, coalesce({span}, INTERVAL '0 seconds') AS b, CAST(NULL AS INTERVAL) AS c) TO '{at}/x.npy'"
    );
    rows(&ctx, &copy).await;
    let array = DynArray::read_npy(directory.path().join("x.npy")).unwrap();
    assert_eq!(array.dtype().to_string(), "[('a', '<m8[ms]'), ('b', '<m8[ns]'), ('c', '<m8[ns]')]");
    let counts: Vec<i64> =
        array.as_bytes().chunks(8).map(|it| i64::from_le_bytes(it.try_into().unwrap())).collect();
    assert_eq!(counts, [86_401_500, 1_500_000_000, i64::MIN]);
    for interval in ["1 month", "300 years", "200000 days"] {
        let sql = format!("COPY (SELECT INTERVAL '{interval}' AS a) TO '{at}/y.npy'");
        let refused = error(&ctx, &sql).await;
        assert!(refused.contains("is not a span of time; write one of days"), "{refused}");
    }

    let declared = format!("CREATE EXTERNAL TABLE n (d INTERVAL) STORED AS NPY LOCATION '{at}/n/'");
    rows(&ctx, &declared).await;
    rows(&ctx, "INSERT INTO n VALUES (INTERVAL '1 day'), (INTERVAL '1.5 seconds'), (NULL)").await;
    let sum = text(&ctx, "SELECT count(d), max(d) FROM n").await;
    assert!(sum.contains("24 hours"), "{sum}");
    let found = text(&ctx, &format!("SELECT arrow_typeof(d) FROM npy('{at}/n/') LIMIT 1")).await;
    assert!(found.contains("Duration(ns)"), "{found}");
    let declared = format!("CREATE EXTERNAL TABLE o (d TIME) STORED AS NPY LOCATION '{at}/o/'");
    let refused = error(&ctx, &declared).await;
    assert!(refused.contains("declare it as INTERVAL"), "{refused}");
}

/// Guards rows for a directory whose files have other columns: its table would not be read.
#[tokio::test]
async fn rows_of_other_columns_are_not_inserted() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path().display();
    let ctx = session();
    rows(&ctx, &format!("COPY (SELECT 1 AS a) TO '{at}/d/' STORED AS NPY")).await;
    let before = names(&directory.path().join("d"));
    for (columns, value, expected) in [
        ("b INT", "1", "its files have the columns \"a\", and the table has \"b\""),
        ("a VARCHAR", "'x'", "the column \"a\" is <i8 in its files, and <U1 in the table"),
    ] {
        let table = format!("CREATE EXTERNAL TABLE t ({columns}) STORED AS NPY LOCATION '{at}/d/'");
        rows(&ctx, &table).await;
        let refused = error(&ctx, &format!("INSERT INTO t VALUES ({value})")).await;
        assert!(refused.contains(expected), "{refused}");
        rows(&ctx, "DROP TABLE t").await;
    }
    assert_eq!(names(&directory.path().join("d")), before);
    let table =
        format!("CREATE EXTERNAL TABLE t (a BIGINT, b INT) STORED AS NPY LOCATION '{at}/d/'");
    rows(&ctx, &table).await;
    rows(&ctx, "INSERT INTO t VALUES (2, 3)").await;
    assert!(text(&ctx, "SELECT sum(a), sum(b) FROM t").await.contains("3"));

    rows(&ctx, &format!("CREATE EXTERNAL TABLE s (a INT) STORED AS NPY LOCATION '{at}/new'")).await;
    let refused = error(&ctx, "INSERT INTO s VALUES (1)").await;
    assert!(refused.contains(&format!("write LOCATION '{at}/new/'")), "{refused}");
}
