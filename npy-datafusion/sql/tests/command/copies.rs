//! `COPY` as the command runs it: where a file is written, what it replaces, and what stays after an error or a signal.

use std::path::Path;
use std::process::Command;

use npy_core::WriteNpy;

use crate::{files, run, stdout};

/// Guards what `--help` says of copies of one column.
#[test]
fn a_copy_of_one_column_is_records_unless_it_is_called_value() {
    let directory = files();
    let at = directory.path();
    let copy =
        "COPY (SELECT price FROM t) TO 'a.npy'; COPY (SELECT price AS value FROM t) TO 'b.npy'";
    stdout(at, &[copy, "ticks.npy"]);
    let dtype =
        |name: &str| npy_core::Reader::open(at.join(name)).unwrap().header().dtype().to_string();
    assert_eq!((dtype("a.npy"), dtype("b.npy")), ("[('price', '<f8')]".into(), "<f8".into()));
    let help = stdout(at, &["--help"]);
    for words in ["A single column called value", "The rows of one file keep its order"] {
        assert!(help.contains(words), "{words}");
    }
}

/// Guards files that the engine writes: an old one stays until the new one is complete, and its permissions and links stay.
#[cfg(unix)]
#[test]
fn a_copy_that_fails_leaves_the_old_file() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let directory = files();
    let at = directory.path();
    let temporary = at.join("temporary");
    std::fs::create_dir(&temporary).unwrap();
    let run = |sql: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_npy-sql"));
        let command =
            command.current_dir(at).env("TMPDIR", &temporary).args([sql, "ticks.npy", "--csv"]);
        command.output().unwrap()
    };
    for extension in ["csv", "json"] {
        let name = format!("old.{extension}");
        std::fs::write(at.join(&name), "old").unwrap();
        std::fs::set_permissions(at.join(&name), PermissionsExt::from_mode(0o600)).unwrap();
        let link = format!("link.{extension}");
        symlink(&name, at.join(&link)).unwrap();
        for target in [&name, &link, &format!("file://{}/{name}", at.display())] {
            let failed = run(&format!("COPY (SELECT 1 / (id - 3) AS x FROM t) TO '{target}'"));
            assert_eq!(failed.status.code(), Some(2));
            assert_eq!(std::fs::read_to_string(at.join(&name)).unwrap(), "old", "{target}");
        }
        for (target, id) in [(&name, 1), (&link, 2)] {
            let copied = run(&format!("COPY (SELECT id FROM t WHERE id = {id}) TO '{target}'"));
            assert_eq!(String::from_utf8_lossy(&copied.stdout), "count\n1\n", "{copied:?}");
            let found = std::fs::read_to_string(at.join(&name)).unwrap();
            let expected = if extension == "csv" {
                format!("id\n{id}\n")
            } else {
                format!("{{\"id\":{id}}}\n")
            };
            assert_eq!(found, expected);
        }
        let mode = std::fs::metadata(at.join(&name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(at.join(&link).is_symlink());
    }
    std::fs::create_dir(at.join("new")).unwrap();
    for (sql, path, expected) in [
        ("COPY (SELECT id FROM t WHERE id > 9) TO 'none.csv'", "none.csv", "id\n"),
        ("COPY (SELECT id FROM t WHERE id = 1) TO 'new/a[1].csv'", "new/a[1].csv", "id\n1\n"),
        ("COPY (SELECT id FROM t WHERE id = 1) TO 'x.txt' STORED AS CSV", "x.txt", "id\n1\n"),
    ] {
        let copied = run(sql);
        assert!(copied.status.success(), "{copied:?}");
        assert_eq!(std::fs::read_to_string(at.join(path)).unwrap(), expected, "{sql}");
    }
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0);
}

/// Guards the temporary directory: nothing stays in it after a file that is larger than what is kept in memory.
#[test]
fn nothing_stays_in_the_temporary_directory() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    vec![0u64; 1 << 21].write_npy(at.join("large.npy")).unwrap();
    let temporary = at.join("temporary");
    std::fs::create_dir(&temporary).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_npy-sql"));
    let command = command.current_dir(at).env("TMPDIR", &temporary);
    let sql = "COPY (SELECT value FROM t) TO 'copy.npy'";
    assert!(command.args([sql, "large.npy"]).output().unwrap().status.success());
    assert_eq!(std::fs::metadata(at.join("copy.npy")).unwrap().len(), 128 + (8 << 21));
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0);
}

/// Guards signals while a query keeps rows on the disk: no file is left, the old one stays, and the process ends by the signal.
#[cfg(target_os = "linux")]
#[test]
fn no_signal_leaves_a_file() {
    use std::os::unix::process::ExitStatusExt;
    use std::time::{Duration, Instant};

    let directory = files();
    let temporary = directory.path().join("temporary");
    std::fs::create_dir(&temporary).unwrap();
    let has_files = |in_it: &Path| std::fs::read_dir(in_it).unwrap().next().is_some();
    // More rows than the disk has room for, so it does not end before the signal.
    let sql = "COPY (SELECT value FROM generate_series(1, 100000000000)) TO 'old.npy'";
    for (signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1), ("QUIT", 3)] {
        [7i64].write_npy(directory.path().join("old.npy")).unwrap();
        let mut command = Command::new("env");
        command.args(["--default-signal", env!("CARGO_BIN_EXE_npy-sql"), sql]);
        command.current_dir(directory.path()).env("TMPDIR", &temporary);
        let mut child = command.spawn().unwrap();
        let start = Instant::now();
        while !has_files(&temporary) && start.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(has_files(&temporary));
        let id = child.id().to_string();
        assert!(
            Command::new("kill").args([&format!("-{signal}"), &id]).status().unwrap().success()
        );
        let status = child.wait().unwrap();
        assert_eq!(status.signal(), Some(number), "{status:?}");
        assert!(!has_files(&temporary), "{signal}");
        let old: Vec<i64> = npy_core::ReadNpy::read_npy(directory.path().join("old.npy")).unwrap();
        assert_eq!(old, [7]);
        let names = std::fs::read_dir(directory.path()).unwrap();
        assert!(names.flatten().all(|name| !name.file_name().to_string_lossy().starts_with('.')));
    }
}

/// Guards files that are written to the standard output: the number of rows is not among their bytes.
#[test]
#[cfg(unix)]
fn a_copy_to_the_output_is_alone_there() {
    let directory = files();
    let at = directory.path();
    let copy = |format: &str| {
        format!("COPY (SELECT id FROM t WHERE id < 3) TO '/dev/stdout' STORED AS {format}")
    };
    let run = |sql: &str| run(at, &[sql, "ticks.npy"]);
    let output = run(&copy("NPY"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut reader = npy_core::Reader::new(&output.stdout[..]).unwrap();
    assert_eq!(reader.read_dyn().unwrap().as_bytes(), [1, 0, 0, 0, 2, 0, 0, 0]);
    assert_eq!(output.stdout.len(), 128 + 8);
    for (format, expected) in [("CSV", "id\n1\n2\n"), ("JSON", "{\"id\":1}\n{\"id\":2}\n")] {
        let output = run(&copy(format));
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{stderr}");
    }
}

/// Guards the files of a query: `COPY` replaces none of them, whatever it is called, and also if the query needs no row of it.
#[test]
#[cfg(unix)]
fn a_copy_replaces_no_input() {
    let directory = files();
    let at = directory.path();
    stdout(at, &["index", "days"]);
    std::fs::hard_link(at.join("ticks.npy"), at.join("same.npy")).unwrap();
    std::os::unix::fs::symlink("ticks.npy", at.join("link.npy")).unwrap();
    std::fs::write(at.join("c.csv"), "x\n1\n2\n").unwrap();
    std::fs::create_dir(at.join("columns")).unwrap();
    [1i64, 2].write_npy(at.join("columns/x.npy")).unwrap();
    let read = |name: &str| std::fs::read(at.join(name)).unwrap();
    let csv = "CREATE EXTERNAL TABLE c STORED AS CSV LOCATION 'c.csv' OPTIONS ('format.has_header' 'true')";
    for (file, query, target) in [
        ("ticks.npy", "SELECT * FROM t WHERE id > 1", "ticks.npy"),
        ("ticks.npy", "SELECT * FROM t", "days/../ticks.npy"),
        ("ticks.npy", "SELECT * FROM t", "same.npy"),
        ("ticks.npy", "SELECT * FROM t", "link.npy"),
        ("ticks.npy", "SELECT * FROM t", "ticks.npy' STORED AS CSV --"),
        ("ticks.npy", "SELECT 1 AS x WHERE 1 < (SELECT max(id) FROM t)", "ticks.npy"),
        ("ticks.npy", "SELECT _row, id FROM t", "ticks.npy"),
        ("days/a.npy", "SELECT * FROM days WHERE id > 4", "days/a.npy"),
        ("days/a.npy", "SELECT * FROM npy('days/*.npy', 'index', 'frozen')", "days/a.npy"),
        (
            "columns/x.npy",
            "SELECT x + 1 AS value FROM npy('columns/', 'layout', 'columns')",
            "columns/x.npy",
        ),
        ("names.npz", "SELECT id, name FROM npy('names.npz')", "names.npz"),
        ("c.csv", "SELECT * FROM c", "c.csv"),
    ] {
        let before = read(file);
        for sql in [
            format!("{csv}; COPY ({query}) TO '{target}"),
            format!("{csv}; CREATE VIEW v AS {query}; COPY v TO '{target}"),
            format!("{csv}; EXPLAIN ANALYZE COPY ({query}) TO '{target}"),
        ] {
            let quote = if target.contains('\'') { "" } else { "'" };
            let input = if query.contains("days") { "days" } else { "ticks.npy" };
            let output = run(at, &[&format!("{sql}{quote}"), input, "--force"]);
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert!(stderr.contains("is also an input of the query ("), "{sql}: {stderr}");
            assert_eq!(output.status.code(), Some(2));
            assert!(read(file) == before, "{sql}");
        }
    }
    // A new file, and one that the query does not read.
    for target in ["days/c.npy", "names.npy"] {
        stdout(at, &[&format!("COPY (SELECT * FROM days) TO '{target}'"), "days"]);
        stdout(at, &[&format!("COPY (SELECT * FROM t) TO '{target}'"), "ticks.npy"]);
    }
}

/// Guards archives: `COPY` replaces one that has other members only if it is told so. `--no-clobber` keeps every file.
#[test]
fn a_copy_loses_no_member() {
    let directory = files();
    let at = directory.path();
    let read = |name: &str| std::fs::read(at.join(name)).unwrap();
    let before = read("names.npz");
    let failed = |sql: &str, option: &str| {
        let output = run(at, &[sql, "ticks.npy", option]);
        assert_eq!(output.status.code(), Some(2), "{sql}");
        String::from_utf8(output.stderr).unwrap()
    };
    for (query, format, lost) in [
        ("SELECT id FROM t", "", "name"),
        ("SELECT id, price AS name2 FROM t", "", "name"),
        ("SELECT id, 'x' AS name FROM t", " STORED AS NPY", "id"),
        ("SELECT id FROM t", " STORED AS CSV", "id"),
    ] {
        let stderr = failed(&format!("COPY ({query}) TO 'names.npz'{format}"), "--csv");
        let expected = format!("names.npz: it exists, and its member {lost:?} would be lost");
        assert!(stderr.contains(&expected) && stderr.lines().count() == 1, "{stderr}");
        assert!(read("names.npz") == before);
    }
    // An archive under another name, and URLs that would be patterns.
    std::fs::copy(at.join("names.npz"), at.join("names.zip")).unwrap();
    let stderr = failed("COPY (SELECT id FROM t) TO 'names.zip' STORED AS NPY", "--csv");
    assert!(stderr.contains("its member \"id\" would be lost"), "{stderr}");
    for name in ["n[1].npz", "n?.npy", "n*.csv"] {
        let sql = format!("COPY (SELECT id FROM t) TO 'file://{}/{name}'", at.display());
        assert!(failed(&sql, "--csv").contains("it is a pattern"), "{name}");
    }
    // The engine itself would empty the file before the query fails.
    std::fs::write(at.join("kept.csv"), "kept").unwrap();
    let sql = "EXPLAIN ANALYZE COPY (SELECT 10 / (id - 2) AS q FROM t) TO 'kept.csv'";
    assert!(failed(sql, "--csv").contains("kept.csv: it exists, and EXPLAIN ANALYZE"));
    assert!(read("kept.csv") == b"kept");
    // The same members, and others if the user says so.
    stdout(at, &["COPY (SELECT id, 'x' AS name, 1 AS more FROM t) TO 'names.npz'", "ticks.npy"]);
    stdout(at, &["COPY (SELECT id FROM t) TO 'names.npz'", "ticks.npy", "--force"]);
    assert_eq!(stdout(at, &["SELECT * FROM names", "names.npz", "--csv"]), "id\n1\n2\n3\n");
    let set = "SET npy.force = true; COPY (SELECT price FROM t) TO 'names.npz'";
    stdout(at, &[set, "ticks.npy"]);

    std::fs::write(at.join("old.csv"), "old").unwrap();
    for name in ["days/a.npy", "names.npz", "old.csv"] {
        let before = read(name);
        let stderr = failed(&format!("COPY (SELECT id FROM t) TO '{name}'"), "--no-clobber");
        assert!(stderr.contains("it exists, and --no-clobber"), "{stderr}");
        assert!(read(name) == before);
    }
    for name in ["new.npy", "new.npz", "new.csv"] {
        stdout(at, &[&format!("COPY (SELECT id FROM t) TO '{name}'"), "ticks.npy", "--no-clobber"]);
    }
}

/// Guards names that `COPY` would not write as the user means them.
#[test]
fn a_copy_is_where_the_statement_says() {
    let directory = files();
    let at = directory.path();
    let failed = |sql: &str| {
        let output = run(at, &[sql, "ticks.npy"]);
        assert_eq!(output.status.code(), Some(2), "{sql}");
        String::from_utf8(output.stderr).unwrap()
    };
    for (to, expected) in [
        ("'new/x.npy'", "new/x.npy: there is no directory "),
        ("'new/x.csv'", "new/x.csv: there is no directory "),
        ("'ticks.npy/x.npy'", "ticks.npy/x.npy: there is no directory "),
        ("'~/x.npy'", "~/x.npy: ~ is not replaced in a statement, as a shell does"),
        ("'~/out/' STORED AS NPY", "write the path itself"),
        ("'$HOME/x.npy'", "$HOME/x.npy: $HOME is not replaced in a statement"),
        (
            "'x.npy' STORED AS CSV",
            "x.npy: its name says npy, and STORED AS says CSV; write another name, or STORED AS NPY",
        ),
        ("'x.CSV' STORED AS NPY", "x.CSV: its name says CSV, and STORED AS says NPY"),
        ("'x.npz' STORED AS NPY", "x.npz: its name says npz"),
        (
            "'x.csv.gz' STORED AS CSV",
            "x.csv.gz: its name says that it is compressed, and COPY does not compress; write x.csv, and",
        ),
        (
            "'x.gz'",
            "no format has the extension gz; write STORED AS NPY, NPZ, CSV, JSON or PARQUET after the name",
        ),
        (
            "'x.npz' OPTIONS ('compression' 'deflate')",
            "the option compression is \"deflate\", and what COPY writes is not compressed; leave it out, and run npy convert x.npz y.npz --compress",
        ),
        ("'x.npz' OPTIONS ('colour' 'red')", "there is no option colour for .npz files"),
    ] {
        let stderr = failed(&format!("COPY (SELECT id FROM t) TO {to}"));
        assert!(stderr.contains(expected) && stderr.lines().count() == 1, "{stderr}");
    }
    let stderr = failed("SELECT * INTO x FROM t");
    assert!(stderr.contains("writes no file; write COPY (SELECT …) TO 'x.npy'"), "{stderr}");
    let names = std::fs::read_dir(at).unwrap().flatten();
    let mut names: Vec<_> = names.map(|it| it.file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["days", "names.npz", "ticks.npy"]);
    // Directories are made for several files.
    stdout(at, &["COPY (SELECT id FROM t) TO 'new/dir/' STORED AS NPY", "ticks.npy"]);
    stdout(at, &["COPY (SELECT id FROM t) TO 'x.txt' STORED AS CSV", "ticks.npy"]);
    stdout(at, &["COPY (SELECT id FROM t) TO '~x.npy'", "ticks.npy"]);
}

/// Guards directories that have files: those of other columns or other directories would break their table.
#[test]
fn a_copy_breaks_no_table() {
    let directory = files();
    let at = directory.path();
    let copy = |query: &str, by: &str| {
        format!(
            "COPY ({query}) TO 'days' STORED AS NPY{by}; SELECT count(*) AS n FROM npy('days/')"
        )
    };
    for (query, by, expected) in [
        (
            "SELECT id, price FROM t",
            "",
            "days: its files have the columns \"id\", \"price\", \"pair\", and the query has \"id\", \"price\"; write to another",
        ),
        ("SELECT *, 1 AS x FROM t", "", "the query has \"id\", \"price\", \"pair\", \"x\""),
        (
            "SELECT 'a' AS id, price, pair FROM t",
            "",
            "days: the column \"id\" is <u4 in its files, and <U1 in the query; convert it by CAST",
        ),
        (
            "SELECT *, 1 AS day FROM t",
            " PARTITIONED BY (day)",
            "days: its files are in no directory name=value, and those of the query in day=…/; write",
        ),
    ] {
        let output = run(at, &[&copy(query, by), "ticks.npy"]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains(expected), "{stderr}");
        assert_eq!(std::fs::read_dir(at.join("days")).unwrap().count(), 2);
    }
    // The same columns in another order, and others if the user says so.
    let same = copy("SELECT price, pair, id FROM t", "");
    assert!(stdout(at, &[&same, "ticks.npy", "--csv"]).ends_with("n\n5\n"));
    let other = copy("SELECT id, 1 AS x FROM t", "");
    assert!(stdout(at, &[&other, "ticks.npy", "--csv", "--force"]).ends_with("n\n8\n"));
}
