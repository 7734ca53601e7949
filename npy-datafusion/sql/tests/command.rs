//! The command as it is run: tables by name and by position, the forms of the output, errors.

use std::path::Path;
use std::process::{Command, Output};

use npy_core::time::Second;
use npy_core::{DateTime64, NpyRecord, WriteNpy, npz};

#[derive(NpyRecord)]
struct Tick {
    id: u32,
    price: f64,
    pair: [f32; 2],
}

fn files() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let tick = |n: u16| Tick { id: n.into(), price: f64::from(n) / 2.0, pair: [n.into(), 0.5] };
    [tick(1), tick(2), tick(3)].write_npy(at("ticks.npy")).unwrap();
    std::fs::create_dir(at("days")).unwrap();
    [tick(4)].write_npy(at("days/a.npy")).unwrap();
    [tick(5)].write_npy(at("days/b.npy")).unwrap();
    let mut archive = npz::Writer::create(at("names.npz")).unwrap();
    archive.write("id", &[2u32, 3]).unwrap();
    archive.write("name", &["two", "three"]).unwrap();
    archive.finish().unwrap();
    directory
}

fn run(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_npy-sql"));
    command.current_dir(directory).args(arguments).output().unwrap()
}

#[track_caller]
fn stdout(directory: &Path, arguments: &[&str]) -> String {
    let output = run(directory, arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    String::from_utf8(output.stdout).unwrap()
}

/// Guards the names of tables: of files, directories, patterns and archives.
#[test]
fn files_are_tables() {
    let directory = files();
    let at = directory.path();
    let csv = |sql: &str, files: &[&str]| stdout(at, &[&[sql, "--csv"], files].concat());
    assert_eq!(csv("SELECT sum(price) AS s FROM ticks", &["ticks.npy"]), "s\n3.0\n");
    assert_eq!(csv("SELECT sum(price) AS s FROM t", &["ticks.npy"]), "s\n3.0\n");
    assert_eq!(csv("SELECT count(*) AS n FROM days", &["ticks.npy", "days"]), "n\n2\n");
    assert_eq!(csv("SELECT count(*) AS n FROM t2", &["ticks.npy", "days/*.npy"]), "n\n2\n");
    assert_eq!(csv("SELECT max(id) AS n FROM npy('days/*.npy')", &[]), "n\n5\n");
    let join = "SELECT name, price FROM t JOIN names USING (id) ORDER BY id";
    assert_eq!(csv(join, &["ticks.npy", "names.npz"]), "name,price\ntwo,1.0\nthree,1.5\n");
}

/// Guards the forms of the output, also of results without rows, and statements that write.
#[test]
fn rows_are_printed() {
    let directory = files();
    let at = directory.path();
    let sql = "SELECT id, pair FROM t WHERE id < 3 ORDER BY id";
    let table = "\
+----+------------+
| id | pair       |
+----+------------+
| 1  | [1.0, 0.5] |
| 2  | [2.0, 0.5] |
+----+------------+
";
    assert_eq!(stdout(at, &[sql, "ticks.npy"]), table);
    let csv = "id,pair\n1,\"[1.0, 0.5]\"\n2,\"[2.0, 0.5]\"\n";
    assert_eq!(stdout(at, &[sql, "ticks.npy", "--csv"]), csv);
    let json = "{\"id\":1,\"pair\":[1.0,0.5]}\n{\"id\":2,\"pair\":[2.0,0.5]}\n";
    assert_eq!(stdout(at, &[sql, "--json", "ticks.npy"]), json);
    let null = "SELECT id, nullif(id, 1) AS other FROM t WHERE id < 3 ORDER BY id";
    let json = "{\"id\":1,\"other\":null}\n{\"id\":2,\"other\":2}\n";
    assert_eq!(stdout(at, &[null, "--json", "ticks.npy"]), json);
    [npy_core::ByteStr::<4>::new("RJOB").unwrap()].write_npy(at.join("stations.npy")).unwrap();
    let stations = "SELECT value FROM t";
    assert_eq!(stdout(at, &[stations, "stations.npy", "--csv"]), "value\n524a4f42\n");
    assert_eq!(stdout(at, &[stations, "stations.npy", "--csv", "--text"]), "value\nRJOB\n");
    let none = "SELECT id FROM t WHERE id < 0";
    assert_eq!(stdout(at, &[none, "ticks.npy", "--csv"]), "id\n");
    assert_eq!(stdout(at, &[none, "ticks.npy", "--json"]), "");
    let copy = "COPY (SELECT id FROM t) TO 'ids.npy'";
    assert_eq!(stdout(at, &[copy, "ticks.npy", "--csv"]), "count\n3\n");
    assert!(at.join("ids.npy").exists());
}

/// Guards functions that compute with all values, also with those that are null.
#[test]
fn a_time_that_is_missing_overflows_nowhere() {
    let directory = files();
    let at = directory.path();
    [90_000, i64::MIN].map(DateTime64::<Second>::new).write_npy(at.join("times.npy")).unwrap();
    let sql = "SELECT date_trunc('day', value) AS day FROM t ORDER BY day";
    assert_eq!(stdout(at, &[sql, "times.npy", "--csv"]), "day\n1970-01-02T00:00:00\n\"\"\n");
}

/// Guards errors: exit code 2, and one line that names the file.
#[test]
fn errors_are_one_line() {
    let directory = files();
    let at = directory.path();
    std::fs::write(at.join("bad.npy"), "no array").unwrap();
    std::fs::create_dir(at.join("archives")).unwrap();
    std::fs::copy(at.join("names.npz"), at.join("archives/names.npz")).unwrap();
    [DateTime64::<Second>::new(1 << 62)].write_npy(at.join("times.npy")).unwrap();
    for (arguments, expected) in [
        (["SELECT 1 FROM t", "bad.npy"], "bad.npy: not a .npy file"),
        (["SELECT x FROM t", "ticks.npy"], "No field named x"),
        (["SELEC 1", "ticks.npy"], "SELEC"),
        (["SELECT 1 FROM t", "none.npy"], "none.npy"),
        (
            ["SELECT 1 FROM x", "ticks.npy"],
            "sql: Error during planning: table 'datafusion.public.x' not found; the tables are t, ticks",
        ),
        (["SELECT 1 FROM t", "names.npz::id"], "npy convert makes a file of a member"),
        (["SELECT 1 FROM t", "ticks.npy[1:]"], "npy convert makes a file of a member, of a slice"),
        (["SELECT 1 FROM t", "-"], "standard input"),
        (["SELECT 1 FROM t", "archives"], "its archives are a table as 'archives/*.npz'"),
        (["SELECT value FROM t", "times.npy"], "CAST(… AS BIGINT)"),
    ] {
        let output = run(at, &arguments);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr.starts_with("npy sql: ") && stderr.contains(expected), "{stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
    }
}
