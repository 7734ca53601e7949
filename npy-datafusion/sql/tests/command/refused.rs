//! Statements that the engine would answer wrongly in silence, and those that it lacks.

use npy_core::{ByteStr, WriteNpy};

use crate::{files, run, stdout};

/// Guards joins without a condition, text among bytes and numbers, and messages about the inside of the engine.
#[test]
fn the_reason_is_in_plain_words() {
    let directory = files();
    let at = directory.path();
    [ByteStr::<4>::new("RJOB").unwrap()].write_npy(at.join("stations.npy")).unwrap();
    [ByteStr::<4>::new(b"a\xff").unwrap()].write_npy(at.join("latin.npy")).unwrap();
    for (arguments, expected) in [
        (
            &[
                "SELECT (SELECT b.id FROM t b WHERE b.id <= a.id ORDER BY b.id DESC LIMIT 1) FROM t a",
                "ticks.npy",
            ][..],
            "npy sql: this form of subquery is not supported here; write it as a join, or unnest(…) in SELECT\n",
        ),
        (
            &[
                "SELECT x.id FROM t a, LATERAL (SELECT b.id FROM t b WHERE b.id = a.id LIMIT 1) x",
                "ticks.npy",
            ],
            "this form of subquery",
        ),
        (
            &["SELECT EXISTS (SELECT 1 FROM t b WHERE b.id <= a.id) FROM t a", "ticks.npy"],
            "this form",
        ),
        (&["SELECT id IN (SELECT 1) FROM t a", "ticks.npy"], "this form"),
        (&["SELECT v FROM t, unnest(pair) AS u(v)", "ticks.npy"], "this form"),
        (
            &[
                "WITH RECURSIVE r AS (SELECT id FROM t UNION ALL SELECT r.id + 1 FROM r WHERE id < 3) SELECT * FROM r",
                "ticks.npy",
            ],
            "write nullif(x, NULL) AS x in the place of each column x of a file",
        ),
        (
            &["SELECT id FROM t WHERE id IS DISTINCT FROM 1 AND id < 2 OR price > 3", "ticks.npy"],
            "write (id IS DISTINCT FROM 1) with its parentheses",
        ),
        (
            &["SELECT id FROM t WHERE price >= ALL (SELECT price FROM t)", "ticks.npy"],
            "ANY and ALL of a subquery are not supported; write IN for = ANY, and NOT IN for <> ALL\n",
        ),
        (&["SELECT price ^ 2 FROM t", "ticks.npy"], "x ^ y is XOR of integers; write power(x, y)"),
        (&["SELECT id ^ 2 FROM t", "ticks.npy"], "and (x | y) - (x & y) for XOR\n"),
        (&["SELECT 1 FROM t WHERE 2 ^ 3 = 8", "ticks.npy"], "and (x | y) - (x & y) for XOR\n"),
        (
            &["SELECT count(*) FROM t POSITIONAL JOIN t a", "ticks.npy"],
            "JOIN t a has no condition; write ON …, or else CROSS JOIN t a\n",
        ),
        (&["SELECT count(*) FROM (t a INNER JOIN t b)", "ticks.npy"], "else CROSS JOIN t b\n"),
        (
            &["SELECT a.id, _row FROM t a JOIN t b ON a.id = b.id", "ticks.npy"],
            "write its table before it, a._row or b._row\n",
        ),
        (
            &["SELECT id FROM npy('ticks.npy') JOIN t \"2x\" ON true", "ticks.npy"],
            "write its table before it, \"npy()\".id or \"2x\".id\n",
        ),
        (
            &["SELECT rank() OVER (ORDER BY value) FROM t", "stations.npy"],
            "npy sql: Cannot run range queries on datatype: Binary; bytes are text by --text, or by CAST(x AS TEXT)\n",
        ),
        (
            &["SELECT value FROM t UNION ALL SELECT 'é'", "stations.npy"],
            "\"value\" of UNION is bytes in one query, and text in another; write CAST(x AS TEXT) for the bytes\n",
        ),
        (
            &["SELECT price FROM t UNION ALL SELECT '0'", "ticks.npy"],
            "\"price\" of UNION is numbers in one query, and text in another; write CAST(x AS TEXT) for the numbers\n",
        ),
        (
            &["CREATE VIEW v AS SELECT id FROM t UNION SELECT 'a'", "ticks.npy"],
            "of UNION is numbers",
        ),
        (&["PREPARE p AS SELECT id FROM t UNION SELECT 'a'", "ticks.npy"], "of UNION is numbers"),
        (
            &[
                "CREATE VIEW v AS SELECT CASE WHEN _row > 1 THEN '0' ELSE id END FROM t",
                "ticks.npy",
            ],
            "the results of a CASE are '0'",
        ),
        (
            &["PREPARE p AS SELECT * FROM t a LEFT JOIN t b USING (id)", "ticks.npy"],
            "an outer join with USING",
        ),
        (
            &["SELECT CASE WHEN id > 1 THEN 'NaN' ELSE price END FROM t", "ticks.npy"],
            "the results of a CASE are 'NaN', which is text, and numbers; make them one type by CAST(x AS DOUBLE), or CAST(x AS TEXT)\n",
        ),
        (&["SELECT id # 255 FROM t", "ticks.npy"], "; write (x | y) - (x & y) for XOR\n"),
        (&["SELECT 1 FROM t WHERE id > 1 && id < 3", "ticks.npy"], "; write AND\n"),
        (&["UPDATE t SET id = 3", "ticks.npy"], "to a new file: COPY (SELECT …) TO 'new.npy'\n"),
        (&["DELETE FROM t", "ticks.npy"], "to a new file: COPY (SELECT …) TO 'new.npy'\n"),
        (
            &["SELECT * FROM t", "latin.npy", "--text"],
            "; bytes that are not text are read by npy('x.npy', 'text_from_bytes', 'false')\n",
        ),
    ] {
        let output = run(at, arguments);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains(expected), "{arguments:?}: {stderr}");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
    // The statements of the messages.
    for (sql, expected) in [
        (
            "SELECT sum(last) AS x FROM (SELECT a.id, max(b.id) AS last FROM t a LEFT JOIN t b ON b.id <= a.id GROUP BY a.id)",
            "6",
        ),
        ("SELECT count(*) AS x FROM t CROSS JOIN t a", "9"),
        (
            "WITH RECURSIVE r AS (SELECT nullif(id, NULL) AS id FROM t UNION ALL SELECT r.id + 1 FROM r WHERE id < 3) SELECT max(id) AS x FROM r",
            "3",
        ),
        ("SELECT count(value) AS x FROM npy('latin.npy', 'text_from_bytes', 'false')", "1"),
        (
            "SELECT count(*) AS x FROM (SELECT CAST(value AS TEXT) FROM npy('stations.npy') UNION SELECT 'RJOB')",
            "1",
        ),
        ("SELECT count(*) AS x FROM (SELECT CAST(price AS TEXT) FROM t UNION ALL SELECT '0')", "4"),
        ("SELECT count(*) OVER (ORDER BY CAST(value AS TEXT)) AS x FROM npy('stations.npy')", "1"),
    ] {
        assert_eq!(stdout(at, &[sql, "ticks.npy", "--csv"]), format!("x\n{expected}\n"), "{sql}");
    }
}
