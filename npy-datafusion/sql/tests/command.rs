//! The command as it is run: tables by name and by position, the forms of the output, errors.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use npy_core::time::Second;
use npy_core::{DateTime64, DynArray, NpyRecord, Order, WriteNpy, npz};

#[path = "command/advice.rs"]
mod advice;
#[path = "command/copies.rs"]
mod copies;
#[path = "command/prepared.rs"]
mod prepared;
#[path = "command/refused.rs"]
mod refused;

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

/// Guards the index of a directory, columns that only their names bring, and distances, as they are written on a command line.
#[test]
fn an_index_is_written_and_used() {
    let directory = files();
    let at = directory.path();
    let written = stdout(at, &["index", "days", "--columns", "id,price"]);
    let expected = "days: 2 files (2 read), 2 rows, bounds of id, price; _npy.index has ";
    assert!(written.starts_with(expected), "{written}");
    let sql = "EXPLAIN ANALYZE SELECT price FROM days WHERE id = 5";
    assert!(stdout(at, &[sql, "days"]).contains("files_pruned=1"));
    let sql = "SELECT *, _row FROM days WHERE _file LIKE '%/days/b.npy' AND id = 5";
    assert_eq!(stdout(at, &[sql, "days", "--csv"]), "id,price,pair,_row\n5,2.5,\"[5.0, 0.5]\",0\n");
    let sql = "SELECT id FROM days ORDER BY npy_l2(pair, [4.0, 0.5]) LIMIT 1";
    assert_eq!(stdout(at, &[sql, "days", "--csv"]), "id\n4\n");
    let output = run(at, &["index", "days", "--columns", "x"]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.starts_with("npy index: ") && stderr.contains("there is no column"), "{stderr}");
    assert_eq!(output.status.code(), Some(2));
    for (to, expected) in [
        ("none", "none: there is no such directory; check its name"),
        (
            "days/a.npy",
            "days/a.npy: it is a file, and an index is that of a directory; run npy index days",
        ),
        ("ticks.npy", "run npy index ."),
    ] {
        let output = run(at, &["index", to]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains(expected) && output.status.code() == Some(2), "{stderr}");
    }
    let help = stdout(at, &["index", "--help"]);
    assert!(help.contains("Usage: npy index [OPTIONS] <DIR>"), "{help}");
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
    // It holds for the tables of statements, too, and an option of such a table wins.
    [npy_core::FixedStr::<3>::new("ABC").unwrap()].write_npy(at.join("u.npy")).unwrap();
    let union = "SELECT value FROM npy('stations.npy') UNION ALL SELECT value FROM npy('u.npy') ORDER BY value";
    let table =
        "CREATE EXTERNAL TABLE s STORED AS NPY LOCATION 'stations.npy'; SELECT value FROM s";
    let bytes = "SELECT value FROM npy('stations.npy', 'text_from_bytes', 'false')";
    for (sql, expected) in
        [(union, "value\nABC\nRJOB\n"), (table, "value\nRJOB\n"), (bytes, "value\n524a4f42\n")]
    {
        assert_eq!(stdout(at, &[sql, "--csv", "--text"]), expected, "{sql}");
    }
    let hint = |arguments: &[&str]| String::from_utf8(run(at, arguments).stderr).unwrap();
    assert_eq!(hint(&[table, "--text"]), "");
    let expected = "npy sql: the bytes of the column \"value\" are printed in hexadecimal; --text reads them as text\n";
    assert_eq!(hint(&[stations, "stations.npy"]), expected);
    assert_eq!(hint(&[stations, "stations.npy", "--text"]), "");
    assert_eq!(hint(&["SELECT sha256(value) FROM t", "stations.npy"]), "");
    for (to, expected) in [("o.csv", expected), ("o.json", expected), ("o.npy", "")] {
        let copy = format!("COPY (SELECT value FROM t) TO '{to}'");
        assert_eq!(hint(&[&copy, "stations.npy"]), expected, "{to}");
        assert_eq!(hint(&[&copy, "stations.npy", "--text"]), "", "{to}");
    }
    DynArray::new("<f16".parse().unwrap(), vec![1], Order::C, vec![0; 16])
        .unwrap()
        .write_npy(at.join("l.npy"))
        .unwrap();
    let said = hint(&["SELECT value FROM t", "l.npy"]);
    assert!(said.ends_with("npy('x.npy', 'long_double_as_f64', 'true')\n"), "{said}");
    let floats = "SELECT value FROM npy('l.npy', 'long_double_as_f64', 'true')";
    assert_eq!(
        (stdout(at, &[floats, "--csv"]), hint(&[floats])),
        ("value\n0.0\n".into(), "".into())
    );
    let none = "SELECT id FROM t WHERE id < 0";
    assert_eq!(stdout(at, &[none, "ticks.npy", "--csv"]), "id\n");
    assert_eq!(stdout(at, &[none, "ticks.npy", "--json"]), "");
    let copy = "COPY (SELECT id FROM t) TO 'ids.npy'";
    assert_eq!(stdout(at, &[copy, "ticks.npy", "--csv"]), "count\n3\n");
    assert!(at.join("ids.npy").exists());
}

/// Guards a reader that has enough, as `head`: it is no error in any form.
#[test]
fn an_output_that_is_closed_is_no_error() {
    let directory = files();
    for form in ["--csv", "--json", "--text"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_npy-sql"));
        let sql = "SELECT value, value * 2 AS two FROM range(60000)";
        let command = command.current_dir(directory.path()).args([sql, form]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut start = [0; 8];
        child.stdout.take().unwrap().read_exact(&mut start).unwrap();
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && stderr.is_empty(), "{form}: {stderr}");
    }
}

/// Guards statements that fail: before the first row nothing is printed, neither names of columns nor the line between two results.
#[test]
fn a_statement_that_fails_prints_nothing() {
    let directory = files();
    let at = directory.path();
    for (sql, expected) in [
        ("COPY (SELECT 1 / (id - 2) AS x FROM t) TO 'x.npy'", ""),
        ("SELECT 1 / (id - id) AS x FROM t", ""),
        ("SELECT 1 AS a; SELECT 1 / (id - id) AS x FROM t", "a\n1\n"),
    ] {
        let output = run(at, &[sql, "ticks.npy", "--csv"]);
        assert_eq!(output.status.code(), Some(2), "{sql}");
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected, "{sql}");
    }
}

/// Guards sums beyond 64 bits, and what `--help` says of them.
#[test]
fn a_sum_that_does_not_fit_is_an_error() {
    let directory = files();
    let at = directory.path();
    [i64::MAX, 1].write_npy(at.join("large.npy")).unwrap();
    let output = run(at, &["SELECT sum(value) FROM t", "large.npy"]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    let expected = "npy sql: Execution error: sum(t.value) is 9223372036854775808, and Int64 does not hold it; sum decimals";
    assert!(stderr.starts_with(expected) && stderr.lines().count() == 1, "{stderr}");
    let sql = "SELECT sum(CAST(value AS DECIMAL(38, 0))) AS s, max(value) + 1 AS w FROM t";
    assert_eq!(
        stdout(at, &[sql, "large.npy", "--csv"]),
        "s,w\n9223372036854775808,-9223372036854775808\n"
    );
    assert!(stdout(at, &["--help"]).contains("x * y wrap at the width of their columns"));
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

/// Guards several statements, those of a file and of standard input, and settings for those after them.
#[test]
fn statements_run_one_after_another() {
    let directory = files();
    let at = directory.path();
    let csv = |arguments: &[&str]| stdout(at, &[arguments, &["--csv"]].concat());
    let two = "SELECT sum(price) AS a FROM t; SELECT count(*) AS b FROM days;";
    assert_eq!(csv(&[two, "ticks.npy", "days"]), "a\n3.0\n\nb\n2\n");
    let json = stdout(at, &[two, "ticks.npy", "days", "--json"]);
    assert_eq!(json, "{\"a\":3.0}\n{\"b\":2}\n");
    std::fs::write(at.join("two.sql"), two).unwrap();
    assert_eq!(csv(&["-f", "two.sql", "ticks.npy", "days"]), "a\n3.0\n\nb\n2\n");
    let mut piped = Command::new(env!("CARGO_BIN_EXE_npy-sql"));
    let piped = piped.current_dir(at).args(["--csv", "-f", "-", "ticks.npy", "days"]);
    let output = piped.stdin(std::fs::File::open(at.join("two.sql")).unwrap()).output().unwrap();
    assert_eq!(output.stdout, b"a\n3.0\n\nb\n2\n");

    // Settings change what comes after them, and print nothing.
    let show = "SHOW datafusion.execution.batch_size";
    assert!(csv(&[&format!("SET datafusion.execution.batch_size = 7; {show}")]).ends_with(",7\n"));
    let lower = "SET datafusion.sql_parser.enable_ident_normalization = true; SELECT ID FROM T WHERE ID = 2";
    assert_eq!(csv(&[lower, "ticks.npy"]), "id\n2\n");
    let table =
        "CREATE EXTERNAL TABLE d STORED AS NPY LOCATION 'days/'; SELECT sum(id) AS s FROM d";
    assert_eq!(csv(&[table]), "s\n9\n");
    assert!(csv(&["SHOW TABLES", "ticks.npy"]).contains("ticks"));

    // Nothing runs if a statement is no SQL, and nothing after one that fails.
    for (sql, is_printed, expected) in [
        ("SELECT 1; SELEC 2", false, "SELEC"),
        ("SELECT 1; SELECT x FROM t; SELECT 2", true, "No field named x; the columns are id"),
        (" ; ", false, "there is no statement"),
    ] {
        let output = run(at, &[sql, "ticks.npy", "--csv"]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{sql}");
        assert!(stderr.contains(expected) && stderr.lines().count() == 1, "{stderr}");
        assert_eq!(!output.stdout.is_empty(), is_printed, "{sql}");
        assert!(!String::from_utf8(output.stdout).unwrap().contains('2'), "{sql}");
    }
    let missing = run(at, &["-f", "none.sql", "ticks.npy"]);
    assert!(String::from_utf8(missing.stderr).unwrap().contains("none.sql: "));
}

#[derive(NpyRecord)]
struct Named {
    #[npy(rename = "Price")]
    price: f64,
    #[npy(rename = "total value")]
    total: f64,
}

/// Guards names of columns: they are written as in the file, and the error for another case says so.
#[test]
fn names_have_the_case_of_the_file() {
    let directory = files();
    let at = directory.path();
    [Named { price: 1.5, total: 2.5 }].write_npy(at.join("Named.npy")).unwrap();
    let csv = |sql: &str| stdout(at, &[sql, "Named.npy", "--csv"]);
    let sql = "SELECT SUM(Price) AS Sum, MAX(\"total value\") AS m FROM t WHERE t.Price > 1";
    assert_eq!(csv(sql), "Sum,m\n1.5,2.5\n");
    assert_eq!(csv("SELECT Price FROM Named"), "Price\n1.5\n");
    assert_eq!(csv("SELECT Price FROM named"), "Price\n1.5\n");
    for (sql, expected) in [
        ("SELECT price FROM t", "No field named price; write Price, since names have a case"),
        ("SELECT t.PRICE FROM t", "write Price"),
        ("SELECT \"Total value\" FROM t", "write \"total value\""),
        ("SELECT cost FROM t", "the columns are Price, \"total value\""),
    ] {
        let stderr = String::from_utf8(run(at, &[sql, "Named.npy"]).stderr).unwrap();
        assert!(stderr.contains(expected) && stderr.lines().count() == 1, "{stderr}");
    }
}

/// Guards the functions that users expect: the engine has them only if its features are on.
#[test]
fn functions_of_text_times_and_hashes_are_there() {
    let directory = files();
    let at = directory.path();
    [DateTime64::<Second>::new(86_400)].write_npy(at.join("times.npy")).unwrap();
    for (expression, expected) in [
        ("extract(year FROM value)", "1970"),
        ("extract(day FROM value)", "2"),
        ("date_part('month', value)", "1"),
        ("to_char(value, '%d.%m.%Y')", "02.01.1970"),
        ("substr('abc', 2, 1)", "b"),
        ("substring('abc' FROM 2 FOR 1)", "b"),
        ("position('c' IN 'abc')", "3"),
        ("trim(' a ')", "a"),
        ("overlay('abc' PLACING 'X' FROM 2 FOR 1)", "aXc"),
        ("split_part('a-b', '-', 2)", "b"),
        ("regexp_replace('a1', '[0-9]', 'x')", "ax"),
        ("left('abc', 2)", "ab"),
        ("md5('a')", "0cc175b9c0f1b6a831c399e269772661"),
        (
            "encode(sha256('a'), 'hex')",
            "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb",
        ),
        ("encode('ab', 'base64')", "YWI"),
        ("round(sqrt(2.0), 2)", "1.41"),
        ("array_length([1, 2])", "2"),
    ] {
        let sql = format!("SELECT {expression} AS x FROM t");
        assert_eq!(stdout(at, &[&sql, "times.npy", "--csv"]), format!("x\n{expected}\n"));
    }
}

/// Guards what `--help` says of NaN and null.
#[test]
fn nan_and_null_are_printed_as_help_says() {
    let directory = files();
    let at = directory.path();
    let sql = "SELECT nullif(id, 1) AS a, CASE id WHEN 2 THEN CAST('NaN' AS DOUBLE) WHEN 3 THEN CAST('inf' AS DOUBLE) END AS b, CASE id WHEN 2 THEN '' END AS c, 1 AS d FROM t ORDER BY id";
    let csv = "a,b,c,d\n,,,1\n2,NaN,,1\n3,inf,,1\n";
    assert_eq!(stdout(at, &[sql, "ticks.npy", "--csv"]), csv);
    let json = "\
{\"a\":null,\"b\":null,\"c\":null,\"d\":1}
{\"a\":2,\"b\":null,\"c\":\"\",\"d\":1}
{\"a\":3,\"b\":null,\"c\":null,\"d\":1}
";
    assert_eq!(stdout(at, &[sql, "ticks.npy", "--json"]), json);
    let help = stdout(at, &["--help"]);
    assert!(help.contains("CSV: NaN is NaN; null is empty"), "{help}");
    assert!(help.contains("NaN and infinity are null, too"), "{help}");
}

/// Guards directories `name=value`: a column, as in a table of a statement; and locations that are no file of this machine.
#[test]
fn directories_are_columns() {
    let directory = files();
    let at = directory.path();
    for day in ["1", "2"] {
        std::fs::create_dir_all(at.join(format!("runs/day={day}"))).unwrap();
        [day.parse::<i64>().unwrap()].write_npy(at.join(format!("runs/day={day}/x.npy"))).unwrap();
    }
    let sql = "SELECT day, value FROM t ORDER BY day";
    for location in ["runs", "runs/", "runs/*/x.npy", "runs/**/*.npy", "runs/day=*/x.npy"] {
        let csv = stdout(at, &[sql, location, "--csv"]);
        assert_eq!(csv, "day,value\n1,1\n2,2\n", "{location}");
    }
    let stderr = String::from_utf8(run(at, &["SELECT 1", "hdfs://host/x.npy"]).stderr).unwrap();
    assert!(stderr.contains("there is no store for hdfs://host"), "{stderr}");
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

/// Guards times that have no text: no form of the output has the error as a value.
#[test]
fn times_without_text_are_errors_in_each_form() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    [DateTime64::<Second>::new(1 << 62)].write_npy(at.join("times.npy")).unwrap();
    for sql in
        ["SELECT value FROM t", "SELECT [value] AS v FROM t", "SELECT struct(value) AS v FROM t"]
    {
        for form in [&[][..], &["--csv"], &["--json"]] {
            let output = run(at, &[&[sql, "times.npy"], form].concat());
            assert_eq!(output.status.code(), Some(2), "{sql} {form:?}");
            assert!(!String::from_utf8_lossy(&output.stdout).contains("ERROR"), "{sql} {form:?}");
        }
    }
}

/// Guards the stack: a condition of thousands of terms. The columns differ, so that the planner does not make one term of them.
#[test]
fn conditions_have_thousands_of_terms() {
    let directory = files();
    let terms: Vec<String> = (0..2000).map(|n| format!("price > {n}")).collect();
    let sql = format!("SELECT count(*) AS n FROM t WHERE {}", terms.join(" OR "));
    assert_eq!(stdout(directory.path(), &[&sql, "ticks.npy", "--csv"]), "n\n3\n");
}

/// Guards names of tables: a name that two files have is the table of neither, and no file has the name of another one's position.
#[test]
fn a_name_is_that_of_one_file() {
    let directory = files();
    let at = directory.path();
    for name in ["days/ticks.npy", "t.npy", "t2.npy", "Ticks.npy"] {
        std::fs::copy(at.join("days/a.npy"), at.join(name)).unwrap();
    }
    let error = |arguments: &[&str]| {
        let output = run(at, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let sql = "SELECT sum(id) AS s FROM ticks";
    let two = error(&[sql, "ticks.npy", "days/ticks.npy"]);
    assert!(two.contains("write t for ticks.npy, t2 for days/ticks.npy"), "{two}");
    let other = error(&["SELECT 1 FROM x", "ticks.npy", "days/ticks.npy", "names.npz"]);
    assert!(other.contains("the tables are t, t2, names"), "{other}");
    for files in [["ticks.npy", "t.npy"], ["t2.npy", "ticks.npy"]] {
        let refused = error(&[sql, files[0], files[1]]);
        assert!(refused.contains("name the files in another order"), "{refused}");
        // In this order, each name is that of its position.
        stdout(at, &[sql, files[1], files[0]]);
    }
    // Names have a case: the other one is only the second choice.
    assert_eq!(stdout(at, &[sql, "Ticks.npy", "ticks.npy", "--csv"]), "s\n6\n");
    assert_eq!(stdout(at, &[sql, "Ticks.npy", "--csv"]), "s\n4\n");
}

/// Guards two columns with one name, because a reader of JSON would see one of them; and settings that need more memory than there is.
#[test]
fn what_cannot_work_is_refused() {
    let directory = files();
    for (sql, expected) in [
        ("SELECT a.id, b.id FROM t a JOIN t b USING (price)", "two columns are called \"id\""),
        (
            "SET datafusion.execution.batch_size = 18446744073709551615; SELECT 1",
            "set 1048576 at most",
        ),
        ("SET datafusion.execution.batch_size = 10000000000; SELECT 1", "set 1048576 at most"),
        ("SET datafusion.execution.target_partitions = 10000000000; SELECT 1", "set 4096 at most"),
    ] {
        let output = run(directory.path(), &[sql, "ticks.npy", "--json"]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(expected) && stderr.lines().count() == 1, "{stderr}");
        assert!(output.stdout.is_empty());
    }
    let largest = "SET datafusion.execution.batch_size = 1048576; SELECT id, count(*) AS n FROM t GROUP BY id ORDER BY id LIMIT 1";
    assert_eq!(stdout(directory.path(), &[largest, "ticks.npy", "--csv"]), "id,n\n1,1\n");
}

/// Guards pipes: they are refused, and are not tables without rows.
#[cfg(unix)]
#[test]
fn a_pipe_is_refused() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_npy-sql"));
    let command = command.args(["SELECT count(*) FROM t", "/dev/stdin"]);
    let mut child = command
        .stdin(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdin.take());
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("/dev/stdin: it is a pipe"), "{stderr}");
}

/// Guards what `--help` says of lists.
#[test]
fn lists_count_from_one_as_help_says() {
    let directory = files();
    let at = directory.path();
    let sql = "SELECT pair[-3] AS a, pair[1] AS b, pair[2] AS c, pair[3] AS d FROM t WHERE id = 1";
    assert_eq!(stdout(at, &[sql, "ticks.npy", "--csv"]), "a,b,c,d\n,1.0,0.5,\n");
    let help = stdout(at, &["--help"]);
    assert!(
        help.contains(
            "Lists count from 1, value[0] is an error, and an index out of range is null"
        ),
        "{help}"
    );
}

/// Guards a pattern without quotes, which the shell replaces by several files: the table t would be the first one alone.
#[test]
fn files_that_no_statement_reads_are_refused() {
    let directory = files();
    let at = directory.path();
    let both = ["days/a.npy", "days/b.npy"];
    for sql in ["SELECT max(id) FROM t", "SELECT 1 FROM t WHERE id = (SELECT max(id) FROM t)"] {
        let output = run(at, &[sql, both[0], both[1]]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2));
        let expected = "days/b.npy: no statement reads this file, which is the table t2, and t is days/a.npy alone; for one table of all files, write their pattern in quotes, as 'days/*.npy'";
        assert!(stderr.contains(expected) && output.stdout.is_empty(), "{stderr}");
    }
    for sql in [
        "SELECT t.id FROM t JOIN t2 ON t.id < t2.id",
        "SELECT id FROM t; SELECT id FROM B",
        "SELECT id FROM a",
        "SELECT id FROM t2",
        "SHOW TABLES",
    ] {
        let lower = format!("SET datafusion.sql_parser.enable_ident_normalization = true; {sql}");
        stdout(at, &[&lower, both[0], both[1]]);
    }
}

/// Guards directories with arrays and archives: the table has the arrays, and a remark names what it lacks.
#[test]
fn archives_that_a_table_lacks_are_named() {
    let directory = files();
    let at = directory.path();
    std::fs::create_dir_all(at.join("runs/day=1")).unwrap();
    std::fs::copy(at.join("days/a.npy"), at.join("runs/day=1/a.npy")).unwrap();
    for name in ["days/x.npz", "days/y.npz", "runs/day=1/z.npz"] {
        std::fs::copy(at.join("names.npz"), at.join(name)).unwrap();
    }
    for (location, expected) in [
        (
            "days",
            "npy sql: days: its table has the .npy files, and not x.npz and 1 more .npz; 'days/*.npz' is a table of the archives\n",
        ),
        (
            "runs",
            "npy sql: runs/day=1: its table has the .npy files, and not z.npz; 'runs/day=1/*.npz' is a table of the archives\n",
        ),
        (
            "days/*",
            "npy sql: days/*: its table has the .npy files, and not x.npz and 1 more .npz; 'days/*.npz' is a table of the archives\n",
        ),
        (
            "r*/**/*.n*",
            "npy sql: r*/**/*.n*: its table has the .npy files, and not z.npz; 'r*/**/*.npz' is a table of the archives\n",
        ),
        (
            "r*/day=1/",
            "npy sql: r*/day=1/: its table has the .npy files, and not z.npz; 'r*/day=1/*.npz' is a table of the archives\n",
        ),
        ("days/a*", ""),
        ("days/*.npy", ""),
        ("days/*.npz", ""),
    ] {
        let output = run(at, &["SELECT count(*) FROM t", location]);
        assert!(output.status.success());
        assert_eq!(String::from_utf8(output.stderr).unwrap(), expected);
        // The other forms that name a location say the same, and once.
        if expected.is_empty() {
            continue;
        }
        let own = format!("npy('{location}')");
        let kind = location.trim_end_matches("/*.npz");
        for sql in [
            format!("SELECT count(*) FROM {own} WHERE 0 < (SELECT count(*) FROM {own})"),
            format!("EXPLAIN SELECT 1 FROM {own}"),
            format!("COPY (SELECT * FROM {own}) TO 'copy.npy'"),
            format!("CREATE EXTERNAL TABLE x STORED AS NPY LOCATION '{kind}'; SELECT 1 FROM x"),
        ] {
            // A directory of a statement may end in a slash or not.
            let sql = sql.replace("'days'", "'days/'").replace("'runs'", "'runs/'");
            let output = run(at, &[&sql]);
            let stderr = String::from_utf8(output.stderr).unwrap();
            let (_, remark) = expected.split_once(": its").unwrap();
            assert!(stderr.ends_with(remark) && stderr.lines().count() == 1, "{sql}: {stderr}");
        }
    }
}

/// Guards damaged files: the advice is that of the other subcommands.
#[test]
fn damaged_files_can_be_repaired() {
    let directory = files();
    let at = directory.path();
    let ticks = std::fs::read(at.join("ticks.npy")).unwrap();
    std::fs::write(at.join("cut it.npy"), &ticks[..ticks.len() - 1]).unwrap();
    std::fs::write(at.join("none.npy"), &ticks[..ticks.len() - 58]).unwrap();
    std::fs::write(at.join("magic.npy"), [b"\x92", &ticks[1..]].concat()).unwrap();
    let names = std::fs::read(at.join("names.npz")).unwrap();
    std::fs::write(at.join("cut.npz"), &names[..names.len() - 50]).unwrap();
    let mut archive = npz::WriteOptions::new().deflate(1).create(at.join("lost.npz")).unwrap();
    archive.write("x", &[7u32; 1000]).unwrap();
    archive.finish().unwrap();
    let mut lost = std::fs::read(at.join("lost.npz")).unwrap();
    // The stated checksum of the only member is wrong.
    lost[14] ^= 1;
    let entry = lost.windows(4).position(|it| it == b"PK\x01\x02").unwrap();
    lost[entry + 16] ^= 1;
    std::fs::write(at.join("lost.npz"), lost).unwrap();
    for (file, expected) in [
        ("cut it.npy", "2 of 3 rows are complete, and npy repair '"),
        ("cut it.npy", "cut it.npy' -o OUT --yes keeps them; or copy the file again"),
        ("none.npy", "bytes; write or copy the complete file again"),
        ("magic.npy", "magic.npy -o OUT --yes restores it; or copy the file again"),
        ("cut.npz", "cut.npz -o OUT --yes keeps its complete members; or copy the file again"),
        ("lost.npz", "checksum"),
    ] {
        let output = run(at, &["SELECT * FROM t", file]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains(expected) && stderr.lines().count() == 1, "{stderr}");
        // Nothing of the last one can be kept.
        assert_eq!(
            stderr.contains("npy repair"),
            !["none.npy", "lost.npz"].contains(&file),
            "{stderr}"
        );
    }
    // Errors about something else keep their advice.
    let output = run(at, &["COPY (SELECT 1 AS a) TO 'cut.npz'"]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    let expected = "write to another name, or replace it by --force";
    assert!(stderr.contains(expected) && !stderr.contains("npy repair"), "{stderr}");
}

/// Guards a frozen index: the error for a file that differs names the command that reads it again.
#[test]
fn a_frozen_index_says_how_it_is_written_again() {
    let directory = files();
    let at = directory.path();
    let sql = "SELECT sum(price) FROM npy('days/', 'index', 'frozen')";
    let failed = || {
        let output = run(at, &[sql]);
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    let command = format!("npy index {}", at.join("days").display());
    let missing = failed();
    assert!(missing.contains(&format!("there is no index; write one by {command},")), "{missing}");
    stdout(at, &["index", "days"]);
    std::fs::copy(at.join("ticks.npy"), at.join("days/a.npy")).unwrap();
    let changed = failed();
    let expected =
        "days/a.npy: it is not as in the index, which the table takes as it is ('frozen'): ";
    let advice = format!("; write the index again by {command}\n");
    assert!(changed.contains(expected) && changed.ends_with(&advice), "{changed}");
    assert!(
        changed.contains("'frozen'): the file has changed since it was listed; write"),
        "{changed}"
    );
    std::fs::remove_file(at.join("days/a.npy")).unwrap();
    let removed = failed();
    assert!(removed.contains(expected) && removed.ends_with(&advice), "{removed}");
    assert!(removed.contains("not found"), "{removed}");
    std::fs::write(at.join("days/_npy.index"), "no index").unwrap();
    let damaged = failed();
    assert!(damaged.contains("the index is damaged: ") && damaged.contains(&command), "{damaged}");
}

/// Guards what `--help` says of integers, and of conditions that are to guard others.
#[test]
fn integers_are_divided_as_help_says() {
    let directory = files();
    let at = directory.path();
    let sql = "SELECT id / 2 AS a, -7 / 2 AS b, id / 2.0 AS c, CASE WHEN id <> 3 THEN 1 / (id - 3) END AS d FROM t WHERE id = 3";
    assert_eq!(stdout(at, &[sql, "ticks.npy", "--csv"]), "a,b,c,d\n1,-3,1.5,\n");
    let help = stdout(at, &["--help"]);
    assert!(help.contains("1 / 2 is 0"), "{help}");
}

/// Guards the first page for the shell, `docs/start/shell.md`: its statements run one after another, with the files that the page has made before them.
#[cfg(unix)]
#[test]
fn the_statements_of_the_first_page_run() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/start/shell.md");
    let page = std::fs::read_to_string(page).unwrap();
    let blocks = page.split("```sh\n").skip(1).map(|block| block.split("```").next().unwrap());
    let script: String = blocks.filter(|block| block.contains("npy sql")).collect();
    assert_eq!(script.matches("npy sql ").count(), 13, "{script}");
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let reading = |time, celsius| Reading { time, celsius };
    [reading(0.0, 20.5), reading(0.5, 21.0), reading(1.0, 19.5)]
        .write_npy(at.join("readings.npy"))
        .unwrap();
    std::fs::write(at.join("readings.csv"), "time,celsius\n0.0,20.5\n0.5,21.0\n1.0,19.5\n")
        .unwrap();
    [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]].write_npy(at.join("plain.npy")).unwrap();
    let npy = format!("npy() {{ shift; {} \"$@\" --csv; }}\n", env!("CARGO_BIN_EXE_npy-sql"));
    let mut shell = Command::new("sh");
    let output = shell.args(["-e", "-c", &(npy + &script)]).current_dir(at).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8(output.stdout).unwrap();
    let expected = "count\n2\ntime,celsius\n0.0,20.5\n0.5,21.0\ncelsius\n20.5\n21.0\n19.5\ncount(*)\n5\ncount(*)\n5\ntime,celsius,celsius\n";
    assert!(printed.starts_with(expected), "{printed}");
    assert!(printed.contains("x,y\n1.0,2.0\n4.0,5.0\n"), "{printed}");
    assert!(printed.contains("bytes_read"), "{printed}");
    assert!(
        printed.ends_with("count\n1\ntime,celsius\n0.0,20.5\n0.5,21.0\nmax(t.celsius)\n21.0\n"),
        "{printed}"
    );
}

#[derive(NpyRecord)]
struct Reading {
    time: f64,
    celsius: f64,
}
