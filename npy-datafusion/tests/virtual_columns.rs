//! The columns `_file` and `_row`: in which statements they are, and which rows they name.

use std::path::Path;

use crate::support::Counted;
use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::Int64Type;
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::prelude::{SessionConfig, SessionContext};
use npy_core::{NpyRecord, WriteNpy, npz};
use npy_datafusion::{NpyOptions, register, session_with_config, sql};

#[derive(NpyRecord, Clone, Copy)]
struct Tick {
    id: i64,
    price: f64,
}

/// The rows of the file `n`: `id` is the number of the row among all files.
fn ticks(n: i64) -> Vec<Tick> {
    (0..5000).map(|row| Tick { id: n * 5000 + row, price: (row % 100) as f64 }).collect()
}

async fn table(directory: &Path) -> SessionContext {
    for n in 0..3 {
        ticks(n).write_npy(directory.join(format!("{n}.npy"))).unwrap();
    }
    let mut config = SessionConfig::new().with_target_partitions(4);
    config.options_mut().optimizer.repartition_file_min_size = 1;
    let ctx = session_with_config(config);
    let location = format!("{}/", directory.display());
    register(&ctx, "t", &location, NpyOptions::default()).await.unwrap();
    ctx
}

async fn text(ctx: &SessionContext, query: &str) -> String {
    let frame = sql(ctx, query).await.unwrap_or_else(|error| panic!("{query}: {error}"));
    let rows = frame.collect().await.unwrap_or_else(|error| panic!("{query}: {error}"));
    pretty_format_batches(&rows).unwrap().to_string()
}

async fn columns(ctx: &SessionContext, query: &str) -> Vec<String> {
    let frame = sql(ctx, query).await.unwrap_or_else(|error| panic!("{query}: {error}"));
    frame.schema().fields().iter().map(|field| field.name().clone()).collect()
}

async fn count(ctx: &SessionContext, query: &str) -> i64 {
    let rows = sql(ctx, query).await.unwrap().collect().await.unwrap();
    rows[0].column(0).as_primitive::<Int64Type>().value(0)
}

/// Guards `*`: it has no column that was not named.
#[tokio::test]
async fn a_wildcard_has_no_virtual_column() {
    let directory = tempfile::tempdir().unwrap();
    let ctx = table(directory.path()).await;
    for (query, expected) in [
        ("SELECT * FROM t", "id price"),
        ("SELECT *, _row FROM t", "id price _row"),
        ("SELECT _file, t.* FROM t", "_file id price"),
        ("SELECT * FROM t WHERE _row < 3", "id price"),
        ("SELECT * FROM t AS a WHERE a._row < 3", "id price"),
        ("SELECT * FROM (SELECT _row, id FROM t)", "_row id"),
        ("SELECT * FROM (SELECT _row, id FROM t) AS t", "_row id"),
        ("WITH t AS (SELECT *, _row AS n FROM t) SELECT * FROM t", "id price n"),
        ("SELECT a.*, b._row FROM t a JOIN t b ON a._row = b._row", "id price _row"),
        ("SELECT *, a._row FROM t a, t b WHERE a.id = b.id", "id price id price _row"),
        ("SELECT t._file, datafusion.public.t._row FROM datafusion.public.t", "_file _row"),
        ("SELECT public.t.*, public.t._row FROM public.t", "id price _row"),
        ("SELECT * FROM t ORDER BY _row DESC LIMIT 2", "id price"),
        ("SELECT * EXCLUDE (price), _row FROM t", "id _row"),
        ("SELECT * EXCLUDE (price) FROM t AS a WHERE a._row = 1", "id"),
    ] {
        assert_eq!(columns(&ctx, query).await.join(" "), expected, "{query}");
    }
    let function = format!("npy('{}/0.npy')", directory.path().display());
    let query = format!("SELECT *, _row FROM {function}");
    assert_eq!(columns(&ctx, &query).await.join(" "), "id price _row");
    assert!(ctx.sql("SELECT _row FROM t").await.is_err());
    ctx.sql("SET npy.virtual_columns = true").await.unwrap();
    assert_eq!(ctx.sql("SELECT _row FROM t").await.unwrap().count().await.unwrap(), 15_000);
    let error = ctx.sql("SET npy.columns = true").await.unwrap_err().to_string();
    assert!(error.contains("there are npy.virtual_columns"), "{error}");
}

/// Guards the values: whatever a scan leaves out, divides or reads in another order, they are those of the row.
#[tokio::test]
async fn rows_are_those_of_their_file() {
    let directory = tempfile::tempdir().unwrap();
    let ctx = table(directory.path()).await;
    let is_wrong =
        "_file <> concat('DIR/', CAST(id / 5000 AS VARCHAR), '.npy') OR _row <> id % 5000"
            .replace("DIR", &directory.path().display().to_string());
    for (query, expected) in [
        (format!("SELECT count(*) FROM t WHERE {is_wrong}"), 0),
        ("SELECT count(*) FROM t WHERE _row >= 0".into(), 15_000),
        ("SELECT count(*) FROM (SELECT _row FROM t)".into(), 15_000),
        ("SELECT sum(_row) FROM t".into(), 3 * 4999 * 2500),
        ("SELECT count(*) FROM t WHERE price = 7 AND _row BETWEEN 100 AND 299".into(), 6),
        (format!("SELECT count(*) FROM t WHERE price > 98 AND ({is_wrong})"), 0),
        (format!("SELECT count(*) FROM (SELECT *, _row, _file FROM t WHERE price > 50 LIMIT 70) WHERE {is_wrong}"), 0),
        (format!("SELECT count(*) FROM (SELECT *, _row, _file FROM t ORDER BY _row DESC LIMIT 7) WHERE _row < 4997 OR {is_wrong}"), 0),
        ("SELECT count(*) FROM t a JOIN t b ON a._row = b._row AND a._file = b._file WHERE a.id = b.id".into(), 15_000),
        ("SELECT count(DISTINCT _file) FROM t".into(), 3),
        ("SELECT count(*) FROM t WHERE _file LIKE '%1.npy'".into(), 5000),
    ] {
        assert_eq!(count(&ctx, &query).await, expected, "{query}");
    }
    let first = text(&ctx, "SELECT _row, id FROM t WHERE id > 4997 ORDER BY id LIMIT 3").await;
    let expected = "+------+------+\n| _row | id   |\n+------+------+\n| 4998 | 4998 |\n| 4999 | 4999 |\n| 0    | 5000 |\n+------+------+";
    assert_eq!(first, expected);
}

/// Guards archives, whose members may be compressed, files of a store, and a field that has such a name.
#[tokio::test]
async fn archives_and_stores_have_them_too() {
    let store = Counted::default();
    let ctx = session_with_config(SessionConfig::new().with_target_partitions(2));
    store.register(&ctx);
    let mut packed = npz::WriteOptions::new();
    packed.deflate(1);
    let names = ["stored.npz", "packed.npz", "x.npy"];
    for (name, options) in names.into_iter().zip([npz::WriteOptions::new(), packed.clone(), packed])
    {
        let mut writer = options.writer(std::io::Cursor::new(Vec::new())).unwrap();
        writer.write_columns(&ticks(0)).unwrap();
        let mut file = writer.finish().unwrap().into_inner();
        if name == "x.npy" {
            file.clear();
            ticks(0).write_npy_to(&mut file).unwrap();
        }
        use object_store::ObjectStoreExt;
        store.store.put(&name.into(), file.into()).await.unwrap();
        let query = format!(
            "SELECT count(*) FROM npy('mem://host/{name}') WHERE _row = id AND price >= 0 AND _file = 'mem://host/{name}'"
        );
        assert_eq!(count(&ctx, &query).await, 5000, "{name}");
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("own.npy");
    #[derive(NpyRecord, Clone, Copy)]
    struct Own {
        _row: i64,
    }
    [Own { _row: 7 }, Own { _row: 8 }].write_npy(&path).unwrap();
    let query = format!("SELECT * FROM npy('{}') WHERE _row = 8", path.display());
    assert_eq!(text(&ctx, &query).await, "+------+\n| _row |\n+------+\n| 8    |\n+------+");
}

/// Guards the names of results: they do not have the qualifier by which `*` leaves the columns out.
#[tokio::test]
async fn results_have_the_names_of_the_table() {
    let directory = tempfile::tempdir().unwrap();
    let ctx = table(directory.path()).await;
    for (query, expected) in [
        ("SELECT max(_row), max(id) FROM t", "max(t._row) max(t.id)"),
        ("SELECT a._row + 1 FROM t a", "a._row + Int64(1)"),
        ("SELECT max(_row) FROM public.t GROUP BY _file ORDER BY 1", "max(public.t._row)"),
        ("SELECT count(_row) AS n, _row % 2 FROM t GROUP BY 2", "n t._row % Int64(2)"),
    ] {
        assert_eq!(columns(&ctx, query).await.join(" "), expected, "{query}");
        text(&ctx, query).await;
    }
    std::fs::create_dir(directory.path().join("m")).unwrap();
    let copy =
        format!("COPY (SELECT max(_row) FROM t) TO '{}/m/m.npy'", directory.path().display());
    text(&ctx, &copy).await;
    let query = format!("SELECT * FROM npy('{}/m/m.npy')", directory.path().display());
    assert_eq!(columns(&ctx, &query).await, ["max(t._row)"]);
    text(&ctx, "CREATE TABLE m AS SELECT max(_row), _file FROM t GROUP BY _file").await;
    assert_eq!(columns(&ctx, "SELECT * FROM m").await, ["max(t._row)", "_file"]);
}
