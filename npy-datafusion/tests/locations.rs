//! Which files a location has: patterns over directories, directories that are columns, links, and stores that are missing.

use std::fs;
use std::path::Path;

use crate::support::{Counted, error, rows, text};
use datafusion::prelude::SessionContext;
use npy_core::{NpyRecord, WriteNpy};
use npy_datafusion::{NpyOptions, register, session};

/// Writes files of one row each, whose value is their number.
fn write(directory: &Path, names: &[&str]) {
    for (n, name) in names.iter().enumerate() {
        let path = directory.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        [i64::try_from(n).unwrap()].write_npy(path).unwrap();
    }
}

/// Returns a table of one row, without its lines.
async fn cells(ctx: &SessionContext, sql: &str) -> Vec<String> {
    let table = text(ctx, sql).await;
    let rows = table.lines().filter(|line| line.starts_with('|')).skip(1);
    rows.flat_map(|row| row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()))
        .collect()
}

const NAMES: [&str; 6] =
    ["x.npy", "a/x.npy", "b/x.npy", "b/y.npy", "a/deep/x.npy", "c/day=1/x.npy"];

/// Guards patterns whose directories are patterns: of this machine, in a store, in a function, a registered table and a statement.
#[tokio::test]
async fn patterns_match_directories() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), &NAMES);
    let mut files = Vec::new();
    for name in NAMES {
        files.push((format!("dir/{name}"), fs::read(directory.path().join(name)).unwrap()));
    }
    let store = Counted::with(files.iter().map(|(name, bytes)| (&**name, bytes.clone()))).await;
    let local = directory.path().display().to_string();
    for at in [local.as_str(), &format!("file://{local}"), "mem://host/dir"] {
        let ctx = session();
        store.register(&ctx);
        for (n, (pattern, sum)) in [
            ("*/x.npy", "3"), // 1 + 2
            ("[ab]/*.npy", "6"),
            ("**/x.npy", "12"),
            ("**/*.npy", "15"),
            ("**", "15"),
            ("a/**/x.npy", "5"),
            ("*/", "6"),
            ("*/day=1/x.npy", "5"),
            ("*/day=*/*.npy", "5"),
            ("*.npy", "0"),
            ("*", "0"),
        ]
        .into_iter()
        .enumerate()
        {
            let location = format!("{at}/{pattern}");
            let sql = format!("SELECT sum(value) FROM npy('{location}')");
            assert_eq!(cells(&ctx, &sql).await, [sum], "{location}");
            register(&ctx, &format!("r{n}"), &location, NpyOptions::default()).await.unwrap();
            for columns in ["", "(value BIGINT)"] {
                let sql = format!(
                    "CREATE OR REPLACE EXTERNAL TABLE c{n} {columns} STORED AS NPY LOCATION '{location}'"
                );
                text(&ctx, &sql).await;
                for table in ["r", "c"] {
                    let sql =
                        format!("SELECT sum(value), count(*) FROM {table}{n} WHERE value >= 0");
                    assert_eq!(cells(&ctx, &sql).await[0], sum, "{location} {columns}");
                }
            }
        }
        // A file that is added later is a row of the next query.
        if at == local {
            [100i64].write_npy(directory.path().join("b/z.npy")).unwrap();
            assert_eq!(cells(&ctx, "SELECT sum(value) FROM r1").await, ["106"]);
            fs::remove_file(directory.path().join("b/z.npy")).unwrap();
        }
        for pattern in ["*/none.npy", "none/**/*.npy"] {
            let sql = format!("SELECT * FROM npy('{at}/{pattern}')");
            let refused = error(&ctx, &sql).await;
            assert!(refused.contains("No files found") && refused.contains("**"), "{refused}");
        }
        let refused = error(&ctx, "INSERT INTO c0 VALUES (7)").await;
        assert!(refused.contains("might not match it"), "{refused}");
    }
}

/// Guards names with brackets: one that exists is not a pattern.
#[tokio::test]
async fn a_file_may_have_brackets_in_its_name() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), &["x1.npy", "x[1].npy"]);
    let (ctx, at) = (session(), directory.path().display());
    for (name, value) in [("x[1].npy", "1"), ("x[12].npy", "0")] {
        let sql = format!("SELECT value FROM npy('{at}/{name}')");
        assert_eq!(cells(&ctx, &sql).await, [value], "{name}");
    }
}

/// Guards directories `name=value`: columns in a function and a registered table as in a statement, and no row is lost for them.
#[tokio::test]
async fn directories_are_columns_everywhere() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), &["day=1/a.npy", "day=2/a.npy", "day=2/b.npy"]);
    let at = directory.path().display();
    let ctx = session();
    register(&ctx, "r", &format!("{at}/"), NpyOptions::default()).await.unwrap();
    text(&ctx, &format!("CREATE EXTERNAL TABLE c STORED AS NPY LOCATION '{at}/'")).await;
    for table in ["r", "c", &format!("npy('{at}/')"), &format!("npy('{at}/day=*/**/*.npy')")] {
        let sql = format!("SELECT sum(value), count(*) FROM {table} WHERE day = '2'");
        assert_eq!(cells(&ctx, &sql).await, ["3", "2"], "{table}");
    }
    // A pattern has the columns that all its files have.
    write(directory.path(), &["day=1/hour=5/x.npy", "day=2/hour=6/x.npy"]);
    let sql = format!("SELECT sum(value) FROM npy('{at}/*/*/x.npy') WHERE hour = '6'");
    assert_eq!(cells(&ctx, &sql).await, ["1"]);
    let sql = format!("SELECT hour FROM npy('{at}/**/*.npy')");
    let refused = error(&ctx, &sql).await;
    assert!(refused.contains("No field named hour"), "{refused}");

    // A directory whose files are not all in the same directories is refused, however many files there are.
    for n in 0..20 {
        write(directory.path(), &[&format!("day=3/{n}.npy")]);
    }
    for file in ["z.npy", "day=3/hour=7/z.npy"] {
        let (mixed, ctx) = (directory.path().join(file), session());
        fs::remove_dir_all(directory.path().join("day=1/hour=5")).unwrap_or_default();
        fs::remove_dir_all(directory.path().join("day=2/hour=6")).unwrap_or_default();
        register(&ctx, "r", &format!("{at}/"), NpyOptions::default()).await.unwrap();
        write(directory.path(), &[file]);
        let create = format!("CREATE EXTERNAL TABLE m STORED AS NPY LOCATION '{at}/'");
        for sql in [&format!("SELECT count(*) FROM npy('{at}/')"), &create] {
            let refused = error(&ctx, sql).await;
            assert!(refused.contains("or name a pattern, as 'dir/day=*/*.npy'"), "{refused}");
        }
        for (pattern, count) in [("*.npy", 1), ("day=*/*.npy", 23)] {
            let sql = format!("SELECT count(*) FROM npy('{at}/{pattern}')");
            if pattern != "*.npy" || file == "z.npy" {
                assert_eq!(cells(&ctx, &sql).await, [count.to_string()]);
            }
        }
        if file == "z.npy" {
            // The table has been there before the file.
            let refused = error(&ctx, "SELECT count(*) FROM r").await;
            assert!(refused.contains("z.npy: it is not in directories day=…/"), "{refused}");
            let sql = "CREATE EXTERNAL TABLE d STORED AS NPY PARTITIONED BY (day) LOCATION";
            let refused = error(&ctx, &format!("{sql} '{at}/'")).await;
            assert!(refused.contains("z.npy: it is not in directories day=…/"), "{refused}");
        }
        fs::remove_file(mixed).unwrap();
    }
}

/// Guards links to files that do not exist: their rows would be missing in silence.
#[cfg(unix)]
#[tokio::test]
async fn a_link_without_its_file_is_an_error() {
    use std::os::unix::fs::symlink;

    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), &["a/x.npy", "a/deep/x.npy", "other/w.npy"]);
    let a = directory.path().join("a");
    symlink(directory.path().join("other/w.npy"), a.join("w.npy")).unwrap();
    symlink("none", a.join("notes.txt")).unwrap();
    symlink("none.npy", a.join("deep/y.npy")).unwrap();
    let ctx = session();
    let at = a.display();
    // The link in `deep` is not a file of this table, and `notes.txt` not of any.
    register(&ctx, "t", &format!("{at}/"), NpyOptions::default()).await.unwrap();
    text(&ctx, &format!("CREATE EXTERNAL TABLE c STORED AS NPY LOCATION '{at}/'")).await;
    assert_eq!(cells(&ctx, "SELECT sum(value) FROM t").await, ["2"]);
    let refused = error(&ctx, &format!("SELECT * FROM npy('{at}/**/*.npy')")).await;
    assert!(
        refused.contains("deep/y.npy: it is a link to a file that does not exist"),
        "{refused}"
    );
    fs::remove_file(directory.path().join("other/w.npy")).unwrap();
    for sql in ["SELECT sum(value) FROM t", "SELECT count(*) FROM c"] {
        let refused = error(&ctx, sql).await;
        assert!(refused.contains("a/w.npy: it is a link to a file"), "{refused}");
    }
}

/// Guards links to directories that do not exist: their rows are not left out in silence.
#[cfg(unix)]
#[tokio::test]
async fn a_broken_link_to_a_directory_of_a_column_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), &["day=1/x.npy", "a/x.npy"]);
    std::os::unix::fs::symlink("none", directory.path().join("day=2")).unwrap();
    std::os::unix::fs::symlink("none", directory.path().join(".#lock")).unwrap();
    let (ctx, at) = (session(), directory.path().display());
    for pattern in ["", "day=*/*.npy", "**/*.npy"] {
        let refused = error(&ctx, &format!("SELECT * FROM npy('{at}/{pattern}')")).await;
        assert!(refused.contains("day=2: it is a link to a directory"), "{refused}");
    }
    for pattern in ["day=1/", "day=1/*.npy", "a/*.npy"] {
        text(&ctx, &format!("SELECT * FROM npy('{at}/{pattern}')")).await;
    }
}

/// Guards links to directories that they are in: they have no other files, and where no file is looked for they do not matter.
#[cfg(unix)]
#[tokio::test]
async fn a_link_to_its_own_directory_has_no_files() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), &["x.npy", "a/x.npy", "a/deep/x.npy"]);
    for at in ["", "a", "a/deep"] {
        symlink(".", directory.path().join(at).join("loop")).unwrap();
        if !at.is_empty() {
            symlink("..", directory.path().join(at).join("up")).unwrap();
        }
    }
    let (ctx, at) = (session(), directory.path().display());
    for (pattern, sum) in
        [("", "0"), ("*.npy", "0"), ("a/", "1"), ("a/*/x.npy", "2"), ("a/**/*.npy", "3")]
    {
        let sql = format!("SELECT sum(value) FROM npy('{at}/{pattern}')");
        assert_eq!(cells(&ctx, &sql).await, [sum], "{pattern}");
        let sql =
            format!("CREATE OR REPLACE EXTERNAL TABLE c STORED AS NPY LOCATION '{at}/{pattern}'");
        text(&ctx, &sql).await;
        assert_eq!(cells(&ctx, "SELECT sum(value) FROM c").await, [sum], "{pattern}");
    }
    // A directory that cannot be listed is an error only where files are looked for. The superuser may list all.
    let deep = directory.path().join("a/deep");
    fs::set_permissions(&deep, fs::Permissions::from_mode(0o0)).unwrap();
    let found = fs::read_dir(&deep).is_err();
    assert_eq!(cells(&ctx, &format!("SELECT sum(value) FROM npy('{at}/a/')")).await, ["1"]);
    if found {
        let refused = error(&ctx, &format!("SELECT * FROM npy('{at}/a/**/*.npy')")).await;
        assert!(refused.contains("deep"), "{refused}");
    }
    fs::set_permissions(&deep, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Guards pipes, whose size is not known: they are no tables without rows, and no query waits for their bytes.
#[cfg(unix)]
#[tokio::test]
async fn a_pipe_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), &["x.npy"]);
    let pipe = directory.path().join("pipe.npy");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let (ctx, at) = (session(), directory.path().display());
    let declared =
        format!("CREATE EXTERNAL TABLE d (value BIGINT) STORED AS NPY LOCATION '{at}/pipe.npy'");
    text(&ctx, &declared).await;
    for sql in [
        &format!("SELECT count(*) FROM npy('{at}/pipe.npy')"),
        &format!("SELECT count(*) FROM npy('{at}/')"),
        &format!("SELECT count(*) FROM npy('{at}/*.npy')"),
        "SELECT count(*) FROM npy('/dev/null')",
        "SELECT count(*) FROM d",
    ] {
        let refused = error(&ctx, sql).await;
        assert!(refused.contains("it is a pipe or a device"), "{sql}: {refused}");
    }
}

/// Guards stores that are missing: a sentence that says what works, and no internal error.
#[tokio::test]
async fn a_store_that_is_missing_is_named() {
    let ctx = session();
    for sql in [
        "SELECT * FROM npy('hdfs://bucket/x.npy')",
        "SELECT * FROM npy('ftp://bucket/*/x.npy')",
        "CREATE EXTERNAL TABLE t STORED AS NPY LOCATION 'hdfs://bucket/dir/'",
        "COPY (SELECT 1 AS a) TO 'hdfs://bucket/x.npy' STORED AS NPY",
    ] {
        let refused = error(&ctx, sql).await;
        assert!(refused.contains("there is no store for "), "{refused}");
        assert!(!refused.contains("nternal"), "{refused}");
    }
    text(&ctx, "CREATE EXTERNAL TABLE u (a INT) STORED AS NPY LOCATION 'hdfs://bucket/dir/'").await;
    let refused = error(&ctx, "SELECT * FROM u").await;
    assert!(refused.contains("there is no store for hdfs://bucket"), "{refused}");
    let ctx = datafusion::prelude::SessionContext::new();
    let refused = register(&ctx, "t", "hdfs://bucket/x.npy", NpyOptions::default()).await;
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("there is no store for hdfs://bucket"), "{refused}");
}

/// Guards sessions that others have made: they get the store of a location, too.
#[cfg(feature = "clouds")]
#[tokio::test(flavor = "multi_thread")]
async fn a_session_of_datafusion_gets_the_stores_of_clouds() {
    let server = crate::server::Server::start();
    let mut file = Vec::new();
    [1i64, 2, 3].write_npy_to(&mut file).unwrap();
    server.put("dir/x.npy", file);
    let ctx = SessionContext::new();
    register(&ctx, "t", &server.url("dir/x.npy"), NpyOptions::default()).await.unwrap();
    assert_eq!(cells(&ctx, "SELECT sum(value) FROM t").await, ["6"]);
    // The file is replaced by one of the same size.
    let mut file = Vec::new();
    [0.5f64, 0.25, 1.0].write_npy_to(&mut file).unwrap();
    server.put("dir/x.npy", file);
    let failed = error(&ctx, "SELECT sum(value) FROM t").await;
    assert!(failed.contains("value"), "{failed}");
    let url = server.url("dir/x.npy");
    let ctx = session();
    assert_eq!(cells(&ctx, &format!("SELECT sum(value) FROM npy('{url}')")).await, ["1.75"]);
    assert_eq!(cells(&ctx, &format!("SELECT count(*) FROM npy('{url}')")).await, ["3"]);
}

/// Guards directories with the name of a field: neither of the two columns vanishes in silence.
#[tokio::test]
async fn a_directory_with_the_name_of_a_field_is_refused() {
    #[derive(NpyRecord)]
    struct Row {
        day: i64,
        x: f64,
    }
    let directory = tempfile::tempdir().unwrap();
    for day in [1, 2] {
        let parent = directory.path().join(format!("day={day}"));
        fs::create_dir(&parent).unwrap();
        [Row { day: 10 * day, x: 0.5 }].write_npy(parent.join("a.npy")).unwrap();
    }
    let at = directory.path().display();
    let create =
        |columns: &str| format!("CREATE EXTERNAL TABLE u STORED AS NPY {columns} LOCATION '{at}/'");
    for sql in [
        format!("SELECT * FROM npy('{at}/')"),
        format!("SELECT * FROM npy('{at}/day=*/*.npy')"),
        create(""),
        create("PARTITIONED BY (day)"),
    ] {
        let failure = error(&session(), &sql).await;
        assert!(failure.contains("have one name, \"day\"; rename the directories"), "{failure}");
    }
    // As the message advises.
    let ctx = session();
    rows(&ctx, "SET datafusion.execution.listing_table_factory_infer_partitions = false").await;
    let days = cells(&ctx, &format!("SELECT day FROM npy('{at}/') ORDER BY day")).await;
    assert_eq!(days, ["10", "20"]);
}

/// Guards files without bytes, which a writer left: a table with them is an error, also if they come later.
#[tokio::test]
async fn a_file_without_bytes_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path().display();
    write(directory.path(), &["a.npy"]);
    let ctx = session();
    rows(&ctx, &format!("CREATE EXTERNAL TABLE t STORED AS NPY LOCATION '{at}/'")).await;
    assert_eq!(cells(&ctx, "SELECT count(*) FROM t").await, ["1"]);
    fs::write(directory.path().join("b.npy"), b"").unwrap();
    for sql in [
        "SELECT count(*) FROM t".to_owned(),
        "SELECT * FROM t LIMIT 1".to_owned(),
        format!("SELECT * FROM npy('{at}/')"),
        format!("SELECT * FROM npy('{at}/*.npy')"),
        format!("SELECT * FROM npy('{at}/b.npy')"),
        format!("CREATE EXTERNAL TABLE u STORED AS NPY LOCATION '{at}/b.npy'"),
    ] {
        let failure = error(&ctx, &sql).await;
        assert!(failure.contains(&format!("{at}/b.npy: it has no bytes")), "{sql}: {failure}");
    }
    fs::write(directory.path().join("b.npz"), b"").unwrap();
    let failure = error(&ctx, &format!("SELECT * FROM npy('{at}/*.npz')")).await;
    assert!(failure.contains(&format!("{at}/b.npz: it has no bytes")), "{failure}");
    // Files that COPY has not finished have other names, and other directories keep their rows.
    fs::remove_file(directory.path().join("b.npy")).unwrap();
    fs::write(directory.path().join(".npy-1.tmp"), b"").unwrap();
    assert_eq!(cells(&ctx, "SELECT count(*) FROM t").await, ["1"]);
}
