//! Statements whose values come later.

use npy_core::WriteNpy;

use crate::{files, run, stdout};

/// Guards the values of `EXECUTE`: the answer is that of a statement with these literals, also beside columns of other types. Those that are
/// computed are converted as by CAST.
#[test]
fn values_are_those_of_literals() {
    let directory = files();
    let at = directory.path();
    [1u64, 7, (1 << 63) + 5].write_npy(at.join("u.npy")).unwrap();
    for (statement, values, expected) in [
        ("SELECT max(id) AS x FROM npy('ticks.npy') WHERE id < $1", "(2.5)", "2"),
        ("SELECT x * $1 AS x FROM (SELECT arrow_cast(200, 'UInt8') AS x) v", "(150)", "30000"),
        ("SELECT count(*) AS x FROM npy('u.npy') WHERE value > $1", "(9223372036854775809)", "1"),
        ("SELECT value / $1 AS x FROM npy('u.npy') WHERE value = $2", "(16, 7)", "0.4375"),
        ("SELECT id - $1 AS x FROM npy('ticks.npy') LIMIT $2", "(-5, 1)", "6"),
        ("SELECT DATE '2026-01-01' + INTERVAL $1 AS x", "('36 hours')", "2026-01-02T12:00:00"),
        ("SELECT count(*) AS x FROM npy($1)", "('u.npy')", "3"),
        ("SELECT DISTINCT ON (id) id AS x FROM npy('ticks.npy') WHERE id > $1", "(2)", "3"),
        (
            "WITH RECURSIVE r AS (SELECT CAST(1 AS INT) AS i UNION ALL SELECT i + $1 FROM r WHERE i < 9) SELECT max(i) AS x FROM r",
            "(4)",
            "9",
        ),
        ("SELECT $1 AS x", "([1.5, 2])", "\"[1.5, 2.0]\""),
        ("SELECT coalesce($1, $2) AS x", "(NULL, 'b')", "b"),
        ("SELECT 7 AS x", "", "7"),
        ("SELECT id AS x FROM npy('ticks.npy') ORDER BY $1 DESC LIMIT 1", "(1)", "1"),
        ("SELECT $1 AS x FROM npy('ticks.npy') GROUP BY $1", "(2026)", "2026"),
        ("SELECT $1 AS x FROM npy('ticks.npy') GROUP BY x, ($1)", "(2026)", "2026"),
        ("SELECT $1 AS x FROM (SELECT 1 AS x UNION ALL SELECT 2) GROUP BY x", "(2)", "2\n2"),
        (
            "SELECT y.\"a$b\" AS x FROM (SELECT id AS \"a$b\" FROM npy('ticks.npy')) y WHERE \"a$b\" > $1",
            "(2)",
            "3",
        ),
        ("SELECT DATE '2026-01-02' + INTERVAL $1 DAY AS x", "(3)", "2026-01-05"),
        ("SELECT DATE '2026-01-02' + INTERVAL $1 DAY AS x", "(-1)", "2026-01-01"),
        ("SELECT DATE $1 - 1 AS x", "('2026-01-02')", "2026-01-01"),
        ("SELECT $1 AS x", " USING 7", "7"),
    ] {
        let sql = format!("PREPARE p AS {statement}; EXECUTE p{values}");
        assert_eq!(stdout(at, &[&sql, "--csv"]), format!("x\n{expected}\n"), "{sql}");
    }
    for (sql, expected) in [
        ("PREPARE p(INT) AS SELECT $1 AS x; EXECUTE p(arrow_cast(7, 'Int64'))", "7"),
        ("PREPARE p(INT, INT) AS SELECT $1 AS x; EXECUTE p(coalesce(NULL, 7), 8)", "7"),
        ("PREPARE p(INT) AS SELECT $1 AS x; EXECUTE p(round(7.5) - 0.5)", "7"),
        (
            "PREPARE p(TIMESTAMP) AS SELECT CAST('2021-01-01' AS DATE) < $1 AS x; EXECUTE p('2021-01-01T12:00:00')",
            "true",
        ),
        ("PREPARE p(DOUBLE) AS SELECT 1 < $1 AS x; EXECUTE p(1.5)", "true"),
        ("PREPARE p(INT) AS SELECT INTERVAL $1 DAY = INTERVAL '3 days' AS x; EXECUTE p(3)", "true"),
        ("PREPARE p(TEXT) AS SELECT DATE $1 AS x; EXECUTE p('2026-01-02')", "2026-01-02"),
        ("PREPARE p(BIGINT) AS SELECT id AS x FROM npy('ticks.npy') LIMIT $1; EXECUTE p(1)", "1"),
        ("PREPARE \"P q\" AS SELECT $1 AS x; EXECUTE \"P q\"(1)", "1"),
        ("PREPARE P AS SELECT $1 AS x; EXECUTE p(1)", "1"),
        ("PREPARE p AS SELECT 1; DEALLOCATE p; PREPARE p AS SELECT $1 AS x; EXECUTE p(2)", "2"),
        ("PREPARE p AS SELECT x + y AS x FROM (SELECT $1 AS x, $2 AS y); EXECUTE p(1, 1)", "2"),
    ] {
        assert_eq!(stdout(at, &[sql, "--csv"]), format!("x\n{expected}\n"), "{sql}");
    }
    // The names do not depend on the values, which may be equal.
    let equal = "PREPARE p AS SELECT $1, sum(id * $2), sum(id * $3) FROM npy('ticks.npy'); EXECUTE p(2, 2, 2)";
    assert_eq!(stdout(at, &[equal, "--csv"]), "$1,sum(id * $2),sum(id * $3)\n2,12,12\n");
    let dollar = "PREPARE p AS SELECT \"a$b\", $1 FROM (SELECT 7 AS \"a$b\"); EXECUTE p(1)";
    assert_eq!(stdout(at, &[dollar, "--csv"]), "a$b,$1\n7,1\n");
    let twice = "PREPARE p AS SELECT $1 AS x; EXECUTE p(1); EXECUTE p('a'); EXPLAIN EXECUTE p(2)";
    let printed = stdout(at, &[twice, "--csv"]);
    assert!(printed.starts_with("x\n1\n\nx\na\n\nplan_type,plan\n"), "{printed}");
}

/// Guards values that are not those of their types, and parameters without a value.
#[test]
fn values_that_do_not_fit_are_refused() {
    let directory = files();
    for (sql, expected) in [
        (
            "PREPARE p(INT, DATE) AS SELECT $1, $2; EXECUTE p(7, '2021-01-01T12:00:00')",
            "would become 2021-01-01 in the parameter $2 of p, which is Date32; state types that hold the values, for example DOUBLE, TIMESTAMP or INTERVAL, or none: PREPARE p AS …\n",
        ),
        (
            "PREPARE p(DATE) AS SELECT $1; EXECUTE p(TIMESTAMP '2021-01-01 12:00:00')",
            "would become 2021-01-01 in",
        ),
        ("PREPARE p(INT) AS SELECT $1; EXECUTE p(-1.5)", "-1.5 would become -1 in"),
        ("PREPARE p AS SELECT $1 + $2; EXECUTE p(1)", "EXECUTE p has no value for $2; write the"),
        ("PREPARE p AS SELECT $1; EXECUTE p(1, 2)", "value for $2, which PREPARE p does not have"),
        (
            "PREPARE p AS SELECT $1, $1; EXECUTE p(random())",
            "$1 of p is not known before; write it",
        ),
        ("SELECT 1; PREPARE p AS SELECT 1", "p is prepared, and not executed; write EXECUTE p(…)"),
        ("EXECUTE p(1)", "p is not prepared; write PREPARE p AS SELECT … before it"),
        ("PREPARE p AS SELECT 1; DEALLOCATE p; EXECUTE p", "p is not prepared; write PREPARE"),
        ("PREPARE p AS SELECT 1; PREPARE p AS SELECT 2; EXECUTE p", "; write DEALLOCATE p before"),
        ("PREPARE p AS SELECT $1; EXECUTE p($1)", "$1 of p is not known before; write it"),
        ("PREPARE p AS SELECT $1; EXECUTE p(x)", "the value of $1 of p: Schema error: No field"),
        ("EXPLAIN PREPARE p AS SELECT 1", "EXPLAIN shows the plan of a query, or of EXECUTE"),
    ] {
        let output = run(directory.path(), &[sql]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains(expected) && output.stdout.is_empty(), "{sql}: {stderr}");
        assert_eq!(output.status.code(), Some(2), "{sql}");
    }
}
