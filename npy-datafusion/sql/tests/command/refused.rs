//! Statements that the engine would answer wrongly in silence, and those that it lacks.

use npy_core::time::Second;
use npy_core::{ByteStr, DateTime64, WriteNpy};

use crate::advice::raw;
use crate::{files, run, stdout};

/// Guards joins without a condition, text among bytes and numbers, and messages about the inside of the engine.
#[test]
fn the_reason_is_in_plain_words() {
    let directory = files();
    let at = directory.path();
    [ByteStr::<4>::new("RJOB").unwrap()].write_npy(at.join("stations.npy")).unwrap();
    [ByteStr::<4>::new(b"a\xff").unwrap()].write_npy(at.join("latin.npy")).unwrap();
    raw("<f16").write_npy(at.join("l.npy")).unwrap();
    // 02:30 on the days when the clocks of Berlin go forward and back.
    for (name, seconds) in [("forward.npy", 1_711_852_200), ("back.npy", 1_729_996_200)] {
        [DateTime64::<Second>::new(seconds)].write_npy(at.join(name)).unwrap();
    }
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
        (&["SELECT lag(id) FROM t", "ticks.npy"], "lag, or it needs OVER (ORDER BY x)"),
        (&["SELECT rank() FROM t", "ticks.npy"], "rank, or it needs OVER (ORDER BY x)"),
        (
            &["SELECT INTERVAL '1 day' / INTERVAL '1 hour'"],
            "date_part('epoch', s) / date_part('epoch', r)",
        ),
        (
            &["SELECT date_trunc('5 minutes', TIMESTAMP '2026-01-02')"],
            "write one of them, or date_bin(INTERVAL '5 minutes', t)",
        ),
        (
            &["SELECT -arrow_cast(5400, 'Duration(s)')"],
            "the negative of a span of time s is INTERVAL '0 seconds' - s",
        ),
        (
            &["SELECT '2026-01-02' || '' + INTERVAL '1 day'"],
            "write CAST(x AS DATE) for a text that is a day",
        ),
        (
            &["SELECT ifnull(DATE '2026-01-02', '2026-01-03')"],
            "its arguments need one type: DATE '2026-01-02'",
        ),
        (&["SELECT value + 1 FROM t", "l.npy"], "npy('x.npy', 'long_double_as_f64', 'true')"),
        (
            &["SELECT sum(value) FROM t", "l.npy"],
            "value is bytes; if they are long doubles, read numbers by npy('x.npy', 'long_double_as_f64'",
        ),
        (
            &["SELECT CAST(id + 0.5 AS TIMESTAMP) FROM t", "ticks.npy"],
            "write to_timestamp(…) for seconds",
        ),
        (&["SELECT TRY_CAST(1.5 AS TIMESTAMP)"], "write to_timestamp(1.5) for seconds"),
        (&["SELECT CAST(1.5 AS TIMESTAMP)"], "write to_timestamp(1.5) for seconds"),
        (&["SELECT id::TIMESTAMP FROM t", "ticks.npy"], "write to_timestamp(t.id) for seconds"),
        (&["SELECT to_char(now(), 'YYYY-MM-DD')"], "write it as in '%Y-%m-%d %H:%M:%S'"),
        (
            &["SELECT to_char(arrow_cast(5400, 'Duration(s)'), 'HH:MM')"],
            "write extract(hour FROM s) for its hours",
        ),
        (
            &["SELECT avg(d) FROM (SELECT DATE '2026-01-02' AS d)"],
            "d is a day; write avg(CAST(d AS INT)) for the days since 1970, and CAST(CAST(x AS INT) AS DATE)",
        ),
        (
            &["PREPARE p AS SELECT DATE $1; EXECUTE p(DATE '2026-01-02')"],
            "$1 of p is the text of a literal, as in DATE $1, and its value is not one; write the value in quotes",
        ),
        (&["SELECT * FROM npy('*.npz::id')"], "npy('*.npz') has the members as columns"),
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
        (
            &["PREPARE p AS SELECT id FROM t UNION SELECT 'a'; EXECUTE p", "ticks.npy"],
            "of UNION is numbers",
        ),
        (&["SELECT id FROM t UNION BY NAME SELECT 'a' AS id", "ticks.npy"], "of UNION is numbers"),
        (
            &["SELECT NULL AS x UNION BY NAME SELECT 1 AS x UNION ALL BY NAME SELECT 'a' AS x"],
            "of UNION is numbers",
        ),
        (
            &[
                "WITH c AS (SELECT NULL AS x UNION ALL SELECT id FROM t) SELECT max(x) AS x FROM c UNION ALL SELECT 'a'",
                "ticks.npy",
            ],
            "of UNION is numbers",
        ),
        (&["SELECT _file AS x FROM t UNION ALL SELECT id FROM t", "ticks.npy"], "is numbers in"),
        (
            &["SELECT CASE WHEN id > 2 THEN name ELSE id END FROM t", "names.npz"],
            "the results of a CASE are t.name, which is text, and numbers",
        ),
        (
            &["SELECT ifnull(price, 'none') FROM t", "ticks.npy"],
            "results of coalesce are 'none', which",
        ),
        (&["SELECT nvl2(id, 'none', price) FROM t", "ticks.npy"], "results of nvl2 are 'none',"),
        (
            &["SELECT lag(count(*)) OVER (PARTITION BY id % 2) FROM t GROUP BY id", "ticks.npy"],
            "has none; write ORDER BY x ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING after it, if x is",
        ),
        (
            &["SELECT value AT TIME ZONE 'Europe/Berln' FROM t", "back.npy"],
            "Invalid timezone \"Europe/Berln\": failed to parse timezone; write the name of a zone",
        ),
        (
            &["SELECT value AT TIME ZONE 'Europe/Berlin' FROM t", "forward.npy"],
            "value has a local time that the zone leaves out or repeats, where its clocks change; write arrow_try_cast(value, 'Timestamp(ns, \"Europe/Berlin\")'), which",
        ),
        (
            &["SELECT value AT TIME ZONE 'Europe/Berlin' FROM t", "back.npy"],
            "value has a local time that the zone leaves out or repeats",
        ),
        (
            &["SELECT id FROM t WHERE row_number() OVER (ORDER BY id) = 1", "ticks.npy"],
            "npy sql: a window function has no value in WHERE",
        ),
        (
            &["SELECT count(*) FROM t GROUP BY count(*)", "ticks.npy"],
            "npy sql: a function of a group has no value in GROUP BY",
        ),
        (
            &[
                "SELECT id + 1 AS id, count(*) FROM t GROUP BY ROLLUP (id) ORDER BY grouping(id)",
                "ticks.npy",
            ],
            "in ORDER BY, write t.x for a column x whose name SELECT gives",
        ),
        (
            &["SELECT id FROM t WHERE price > avg(price)", "ticks.npy"],
            "using HAVING instead; write x > (SELECT avg(x) FROM t) for the value of all rows\n",
        ),
        (
            &["SELECT id, sum(price) AS price FROM t GROUP BY id ORDER BY sum(price)", "ticks.npy"],
            "; in ORDER BY, write t.x for a column x whose name SELECT gives to something else\n",
        ),
        (
            &[
                "SELECT id AS price, sum(price) OVER () FROM t ORDER BY sum(price) OVER ()",
                "ticks.npy",
            ],
            "; in ORDER BY, write t.x for a column x whose name SELECT gives to something else\n",
        ),
        (
            &[
                "SELECT id, sum(price) / sum(sum(price)) OVER () FROM t GROUP BY id ORDER BY 2",
                "ticks.npy",
            ],
            "ORDER BY cannot name a window function of groups by its number; give it a name",
        ),
        (
            &["SELECT id % 2 AS price FROM t GROUP BY ROLLUP (price)", "ticks.npy"],
            "; write id % 2 in GROUP BY, where price is a column, or add id to GROUP BY, or",
        ),
        (
            &["COPY (SELECT NULL::BOOLEAN AS x) TO 'o.npy'"],
            "write coalesce(x, false) AS x, or COPY",
        ),
        (
            &[
                "COPY (SELECT value, count(*) AS n FROM t GROUP BY ROLLUP (value)) TO 'o.npy'",
                "stations.npy",
            ],
            "write coalesce(value, X'') AS value, or COPY",
        ),
        (
            &["SELECT CAST('field metadata differs' AS INT)"],
            "Cannot cast string 'field metadata differs' to value of Int32 type\n",
        ),
        (
            &[
                "CREATE VIEW v AS SELECT CASE WHEN _row > 1 THEN '0' ELSE id END FROM t",
                "ticks.npy",
            ],
            "the results of a CASE are '0'",
        ),
        (
            &["PREPARE p AS SELECT * FROM t a LEFT JOIN t b USING (id); EXECUTE p()", "ticks.npy"],
            "an outer join with USING",
        ),
        (
            &["SELECT CASE WHEN id > 1 THEN 'NaN' ELSE price END FROM t", "ticks.npy"],
            "the results of a CASE are 'NaN', which is text, and numbers; write CAST(x AS DOUBLE) for the text, or CAST(x AS TEXT) for the numbers\n",
        ),
        (
            &["SELECT avg(price) FROM t WHERE price <> NaN", "ticks.npy"],
            "No field named NaN; write isnan(x) or NOT isnan(x) for a condition, and CAST('NaN'",
        ),
        (&["SELECT coalesce(price, nan) FROM t", "ticks.npy"], "named nan; write isnan(x) or NOT"),
        (
            &["CREATE TABLE n (i INT); INSERT INTO n VALUES ('7.5')"],
            "Cannot cast string '7.5' to value of Int32 type\n",
        ),
        (
            &["CREATE TABLE n (i INT); INSERT INTO n SELECT '7.5' AS v"],
            "; a value is text, and not all of it are numbers; write TRY_CAST(… AS DOUBLE)",
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
        ("SELECT sum(coalesce(id, '0')) AS x FROM t", "6"),
        (
            "SELECT CAST(CAST(avg(CAST(d AS INT)) AS INT) AS DATE) AS x FROM (SELECT DATE '2026-01-02' AS d)",
            "2026-01-02",
        ),
        (
            "SELECT date_part('epoch', INTERVAL '1 day') / date_part('epoch', INTERVAL '1 hour') AS x",
            "24.0",
        ),
        (
            "SELECT to_char(arrow_cast(5400, 'Duration(s)'), 'pretty') AS x",
            "0 days 1 hours 30 mins 0 secs",
        ),
        (
            "SELECT count(*) AS x FROM t WHERE NOT isnan(price) AND NOT isnan(CAST('NaN' AS DOUBLE))",
            "0",
        ),
        ("SELECT count(*) AS x FROM t WHERE array_max(pair) > 2 AND array_min(pair) < 2", "1"),
        ("SELECT count(b._row) AS x FROM t a JOIN npy('ticks.npy') b ON a.id = b.id", "3"),
        (
            "SELECT id % 2 AS x FROM t GROUP BY ROLLUP (id % 2) ORDER BY x DESC NULLS LAST LIMIT 1",
            "1",
        ),
        (
            "SELECT sum(n) AS x FROM (SELECT lag(count(*)) OVER (PARTITION BY id % 2 ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS n FROM t GROUP BY id)",
            "1",
        ),
        (
            "SELECT count(*) - count(arrow_try_cast(value, 'Timestamp(ns, \"Europe/Berlin\")')) AS x FROM npy('back.npy')",
            "1",
        ),
        ("SELECT id AS x FROM t QUALIFY row_number() OVER (ORDER BY id) = 1", "1"),
        (
            "SELECT max(n) AS x FROM (SELECT *, row_number() OVER (ORDER BY id) AS n FROM t) WHERE n < 3",
            "2",
        ),
        ("SELECT id AS x FROM t WHERE price > (SELECT avg(price) FROM t)", "3"),
        (
            "SELECT x FROM (SELECT sum(price) AS x, id AS price FROM t GROUP BY id ORDER BY sum(t.price) LIMIT 1)",
            "0.5",
        ),
        ("SELECT sum(sum(price)) OVER () AS x FROM t GROUP BY id ORDER BY x LIMIT 1", "3.0"),
        ("SELECT count(coalesce(nullif(value, value), X'')) AS x FROM npy('stations.npy')", "1"),
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

/// Guards `NATURAL JOIN` without a common column, which is a cross join.
#[test]
fn natural_joins_without_keys_have_a_remark() {
    let directory = files();
    let at = directory.path();
    [1_u8].write_npy(at.join("v.npy")).unwrap();
    for (sql, said) in [
        (
            "SELECT count(*) FROM t NATURAL JOIN v",
            "npy sql: NATURAL JOIN v has no common column, and joins all rows with each other: before it, the columns are id, price, pair, and in it, the columns are value; JOIN v ON … names what is compared\n",
        ),
        (
            "SELECT count(*) FROM v, (t NATURAL LEFT JOIN (SELECT 1 AS z))",
            "NATURAL JOIN (SELECT 1 AS z) has no common column",
        ),
        (
            "SELECT count(*) FROM t NATURAL JOIN (v CROSS JOIN (SELECT 1 AS z))",
            "has no common column",
        ),
        (
            "SELECT a._row FROM v, t a NATURAL JOIN npy('ticks.npy')",
            "NATURAL JOIN npy('ticks.npy') compares _file and _row, too: before it",
        ),
        ("SELECT t.id FROM t, v NATURAL JOIN (SELECT 1 AS value) AS w", ""),
    ] {
        let output = run(at, &[sql, "ticks.npy", "v.npy"]);
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && text.contains(said), "{sql}: {text}");
        assert_eq!(text.is_empty(), said.is_empty(), "{sql}: {text}");
    }
}
