//! Advice for statements that other programs take.

use npy_core::time::{Day, Second};
use npy_core::{DateTime64, WriteNpy};

use crate::{files, run, stdout};

/// Guards errors for which the engine's own words do not say what to write.
#[test]
fn errors_say_what_to_write() {
    let directory = files();
    let at = directory.path();
    [DateTime64::<Second>::new(90_000)].write_npy(at.join("times.npy")).unwrap();
    [DateTime64::<Day>::new(1)].write_npy(at.join("dates.npy")).unwrap();
    std::fs::write(at.join("x.csv"), "a\n1\n").unwrap();
    [1_u8].write_npy(at.join("it's one.npy")).unwrap();
    for (arguments, expected) in [
        (
            &["SELECT hour(value) FROM t", "times.npy"][..],
            "no function hour; write date_part('hour', t)",
        ),
        (&["SELECT YEAR(value) FROM t", "times.npy"], "write date_part('year', t)"),
        (
            &["SELECT std(price) FROM t", "ticks.npy"],
            "no function std; write stddev(x), or stddev_pop(x)",
        ),
        (&["SELECT sinn(price) FROM t", "ticks.npy"], "Did you mean 'sin"),
        (
            &["SELECT 1 FROM t WHERE value > '1970-01-02 10:30'", "times.npy"],
            "a time with its seconds, '2026-01-02 10:30:00'",
        ),
        (
            &["SELECT 1 FROM t WHERE value > '1970-01-02 10:30'", "dates.npy"],
            "write a day as '2026-01-02'",
        ),
        (
            &["SELECT 1 FROM t WHERE value = 1970-01-02", "dates.npy"],
            "1970-01-02 is a subtraction of numbers; write '1970-01-02' for the day, or blanks around each minus",
        ),
        (
            &["COPY (SELECT 1 AS value FROM t WHERE value = 1970-01-02) TO 'o.npy'", "dates.npy"],
            "1970-01-02 is a subtraction",
        ),
        (&["SELECT * FROM 'ticks.npy'"], "files are a table by their function: npy('ticks.npy')"),
        (&["SELECT * FROM ticks.npy"], "npy('ticks.npy')"),
        (&["SELECT * FROM 'days/'"], "files are a table by their function: npy('days/')"),
        (
            &["SELECT * FROM 'x.csv'"],
            "make an array of it by npy convert x.csv x.npy, or write CREATE EXTERNAL TABLE x STORED AS CSV LOCATION 'x.csv' before the query",
        ),
        (&["SELECT * FROM x.csv", "ticks.npy"], "npy convert x.csv x.npy"),
        (
            &["SELECT * FROM t", "x.csv"],
            "x.csv: it is not a file of arrays; make an array of it by",
        ),
        (
            &["SELECT id FROM t a JOIN t b ON a.id = b.id", "ticks.npy"],
            "field id; write its table before it, a.id or b.id",
        ),
        (
            &["ticks.npy"],
            "ticks.npy: it is a file, and the statement comes before the files; run npy sql 'SELECT * FROM t' ticks.npy",
        ),
        (&["days"], "run npy sql 'SELECT * FROM t' days"),
        (&["none.npy"], "none.npy: it is a file"),
        (&["ticks.npy", "SELECT id FROM t"], "run npy sql 'SELECT id FROM t' ticks.npy"),
        (
            &["ticks.npy", "it's one.npy", "SELECT id FROM t"],
            "run npy sql 'SELECT id FROM t' ticks.npy 'it'\\''s one.npy'",
        ),
        (
            &["ticks.npy", "it's one.npy"],
            "run npy sql 'SELECT * FROM t' ticks.npy 'it'\\''s one.npy'",
        ),
        (&["SELECT * FROM \"it's one.npy\""], "npy('it''s one.npy')"),
        (
            &["SELECT 1 FROM t WHERE value = 1970-1-2", "dates.npy"],
            "1970-01-02 is a subtraction",
        ),
    ] {
        let output = run(at, arguments);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(
            stderr.contains(expected) && stderr.lines().count() == 1,
            "{arguments:?}: {stderr}"
        );
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}

/// Guards what the advice says: each statement runs.
#[test]
fn the_advice_can_be_followed() {
    let directory = files();
    let at = directory.path();
    [DateTime64::<Second>::new(90_000)].write_npy(at.join("times.npy")).unwrap();
    std::fs::write(at.join("x.csv"), "a\n1\n").unwrap();
    for part in ["year", "quarter", "month", "week", "day", "hour", "minute", "second", "dow"] {
        stdout(at, &[&format!("SELECT date_part('{part}', value) FROM t"), "times.npy"]);
    }
    for (sql, expected) in [
        ("SELECT to_char(value, '%Y-%m-%d') AS x FROM t", "1970-01-02"),
        (
            "SELECT count(*) AS x FROM t WHERE value > '1970-01-02' AND value < '1970-01-02 10:30:00'",
            "1",
        ),
        ("SELECT count(*) AS x FROM t WHERE value IS NULL", "0"),
        ("SELECT 7 % 4 AS x FROM t", "3"),
        ("SELECT length('abc') AS x FROM t", "3"),
        ("SELECT 2026 - 01 - 02 AS x FROM t", "2023"),
        ("SELECT 1000-13-20 AS x FROM t", "967"),
        (
            "SELECT stddev(a) + stddev_pop(a) + var_samp(a) + var_pop(a) AS x FROM (VALUES (1.0), (1.0)) v(a)",
            "0.0",
        ),
        ("SELECT percentile_cont(a, 0.5) AS x FROM (VALUES (1.0), (3.0)) v(a)", "2.0"),
        ("CREATE EXTERNAL TABLE x STORED AS CSV LOCATION 'x.csv'; SELECT a AS x FROM x", "1"),
    ] {
        assert_eq!(stdout(at, &[sql, "times.npy", "--csv"]), format!("x\n{expected}\n"), "{sql}");
    }
}
