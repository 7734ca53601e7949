//! Advice for statements that other programs take.

use std::path::Path;

use npy_core::time::{Day, Ms, Second};
use npy_core::{DateTime64, DynArray, NpyRecord, Order, TimeDelta64, WriteNpy};

use crate::{files, run, stdout};

/// Returns an array of one element of 16 bytes.
pub(crate) fn raw(descr: &str) -> DynArray {
    DynArray::new(descr.parse().unwrap(), vec![1], Order::C, vec![0; 16]).unwrap()
}

/// Fields whose names are words of SQL.
#[derive(NpyRecord)]
struct Words {
    order: u8,
    from: u8,
    interval: u8,
    a: u8,
}

/// Fields whose names a statement has in double quotes.
#[derive(NpyRecord)]
struct Odd {
    #[npy(rename = "2theta")]
    theta: f64,
    #[npy(rename = "1e3")]
    thousand: u8,
    #[npy(rename = "true")]
    truth: u8,
    current_date: u8,
    current_timestamp: u8,
    top: u8,
    #[npy(rename = "x.y")]
    dot: u8,
    #[npy(rename = "q\"r")]
    quote: u8,
    celsius: u8,
}

/// A field whose name is a word of SQL, and a column without quotes.
#[derive(NpyRecord)]
struct User {
    current_user: u8,
}

/// Makes a folder of files that several threads read.
fn folder(at: &Path) {
    std::fs::create_dir(at.join("folder")).unwrap();
    for name in ["a.npy", "b.npy", "c.npy"] {
        std::fs::copy(at.join("ticks.npy"), at.join("folder").join(name)).unwrap();
    }
}

/// Guards errors for which the engine's own words do not say what to write.
#[test]
fn errors_say_what_to_write() {
    let directory = files();
    let at = directory.path();
    [DateTime64::<Second>::new(90_000)].write_npy(at.join("times.npy")).unwrap();
    [TimeDelta64::<Ms>::new(1500)].write_npy(at.join("spans.npy")).unwrap();
    [DateTime64::<Day>::new(1)].write_npy(at.join("dates.npy")).unwrap();
    std::fs::write(at.join("x.csv"), "a\n1\n").unwrap();
    [1_u8].write_npy(at.join("it's one.npy")).unwrap();
    [[1.5_f64, 2.5, 3.5], [1.0, 9.0, 0.0]].write_npy(at.join("m.npy")).unwrap();
    for name in ["it-s.npy", "it.s.npy"] {
        std::fs::copy(at.join("it's one.npy"), at.join(name)).unwrap();
    }
    [Words { order: 1, from: 2, interval: 3, a: 4 }].write_npy(at.join("words.npy")).unwrap();
    let odd = Odd {
        theta: 0.5,
        thousand: 1,
        truth: 2,
        current_date: 3,
        current_timestamp: 3,
        top: 4,
        dot: 5,
        quote: 6,
        celsius: 7,
    };
    [odd].write_npy(at.join("odd.npy")).unwrap();
    [npy_core::ByteStr::<4>::new("RJOB").unwrap()].write_npy(at.join("stations.npy")).unwrap();
    std::fs::write(at.join("parquet.npy"), "PAR1\x15\x04\x15\x10").unwrap();
    folder(at);
    raw("<f16").write_npy(at.join("l.npy")).unwrap();
    raw("<c16").write_npy(at.join("c.npy")).unwrap();
    std::fs::copy(at.join("ticks.npy"), at.join("array.npz")).unwrap();
    let mut archive = npy_core::npz::Writer::create(at.join("mixed.npz")).unwrap();
    archive.write("a", &[1_i64, 2]).unwrap();
    archive.write("rate", &0.5_f64).unwrap();
    archive.finish().unwrap();
    for (arguments, expected) in [
        (
            &["SELECT hour(value) FROM t", "times.npy"][..],
            "no function hour; write date_part('hour', t)",
        ),
        (
            &["SELECT * FROM t PIVOT (sum(price) FOR id IN (0, 1))", "ticks.npy"],
            ": there is no PIVOT; write a column for each value: SELECT sum(x) FILTER (WHERE k = 1) AS one, sum(x) FILTER (WHERE k = 2) AS two FROM t\n",
        ),
        (
            &["SELECT * FROM t UNPIVOT (v FOR k IN (id, price))", "ticks.npy"],
            "there is no UNPIVOT; write SELECT 'x' AS k, x AS v FROM t UNION ALL",
        ),
        (
            &[
                "SELECT * FROM t a ASOF JOIN t b MATCH_CONDITION (a.id >= b.id) ON a.id = b.id",
                "ticks.npy",
            ],
            "ON b.time <= a.time GROUP BY a.time, and join t2 by last\n",
        ),
        (
            &["SELECT id * INTERVAL '1 day' FROM t", "ticks.npy"],
            "a number of days is a span by arrow_cast(CAST(n * 86400 AS BIGINT), 'Duration(s)')\n",
        ),
        (&["SELECT YEAR(value) FROM t", "times.npy"], "write date_part('year', t)"),
        (
            &["SELECT std(price) FROM t", "ticks.npy"],
            "no function std; write stddev(x), or stddev_pop(x)",
        ),
        (&["SELECT sinn(price) FROM t", "ticks.npy"], "Did you mean 'sin"),
        (
            &["SELECT hist(price) FROM t", "ticks.npy"],
            "there is no function hist, or it needs OVER (ORDER BY x); SHOW FUNCTIONS lists",
        ),
        (
            &["SELECT 2theta FROM t", "odd.npy"],
            "2theta is the number 2 and the name theta; write \"2theta\", in double quotes, for a name",
        ),
        (&["SELECT current_timestamp FROM t", "odd.npy"], "or current_timestamp()"),
        (&["SELECT current_date FROM npy('odd.npy')"], "write \"current_date\", in double quotes"),
        (
            &["SELECT \"x.y\", count(*) FROM npy('odd.npy') GROUP BY celsius"],
            "add \"x.y\" to GROUP BY",
        ),
        (&["SELECT 1 FROM t LIMIT 1_000", "odd.npy"], "is the number 1 and the name _000"),
        (&["SELECT * FROM 2024.npy", "odd.npy"], "by their function: npy('2024.npy')"),
        (&["SELECT t.2theta FROM t", "odd.npy"], "write \"2theta\", in double quotes"),
        (
            &["SELECT 1e3 FROM t", "odd.npy"],
            "1e3 is a number, and the name of a column; write \"1e3\", in double quotes, for the column, or CAST('1e3' AS DOUBLE)",
        ),
        (
            &["SELECT current_date FROM t", "odd.npy"],
            "write \"current_date\", in double quotes, for the column, or current_date()",
        ),
        (
            &["SELECT true FROM t", "odd.npy"],
            "write \"true\", in double quotes, for the column, or true AS x",
        ),
        (
            &["SELECT x.y FROM t", "odd.npy"],
            "No field named x.y; write \"x.y\", in double quotes\n",
        ),
        (&["SELECT t.x.y FROM t", "odd.npy"], "; write \"x.y\", in double quotes\n"),
        (
            &["SELECT celcius FROM t", "odd.npy"],
            "the columns are \"2theta\", \"1e3\", \"true\", \"current_date\", \"current_timestamp\", \"top\", \"x.y\", \"q\"\"r\", celsius; did you mean celsius?\n",
        ),
        (
            &["SELECT \"x.y\", count(*) FROM t GROUP BY celsius", "odd.npy"],
            "add \"x.y\" to GROUP BY, or take one of them, as in min(\"x.y\")",
        ),
        (
            &["SELECT \"q\"\"r\", count(*) FROM t GROUP BY celsius", "odd.npy"],
            "add \"q\"\"r\" to GROUP BY, or",
        ),
        (
            &["SELECT percentile_cont(price, price) FROM t", "ticks.npy"],
            "Execution error: the percentile is one number for all rows; write a number from 0 to 1",
        ),
        (
            &["SELECT 1 FROM t WHERE value = 'NaT'", "times.npy"],
            "; a time that is missing is null: write",
        ),
        (
            &["SELECT 1 FROM t WHERE isnan(value)", "times.npy"],
            "value is a time; write value IS NULL for NaT",
        ),
        (&["SELECT id / (id - 1) FROM t", "ticks.npy"], "; write nullif(y, 0) in the place of"),
        (
            &[
                "COPY (SELECT value, 1 AS a FROM t) TO 'o/' STORED AS NPY PARTITIONED BY (value)",
                "stations.npy",
            ],
            "; read the bytes as text by --text, or write CAST(x AS TEXT) AS x",
        ),
        (&["SELECT * FROM t", "parquet.npy"], "STORED AS PARQUET LOCATION '/"),
        (
            &["SELECT avg(value) FROM t", "m.npy"],
            "write array_avg(value) for that of each list, avg(value[1]) for",
        ),
        (&["SELECT 1 FROM t WHERE value > 250", "m.npy"], "array_max(x) > 2 is true"),
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
            "CREATE EXTERNAL TABLE x STORED AS CSV LOCATION 'x.csv' before the query, and leave x.csv out of the files",
        ),
        (
            &["SELECT * FROM 'x.parquet'"],
            "write CREATE EXTERNAL TABLE x STORED AS PARQUET LOCATION 'x.parquet' before the query",
        ),
        (
            &["SELECT * FROM t WHERE id = Oslo", "ticks.npy"],
            "single quotes: 'Oslo'; the columns are ",
        ),
        (
            &["SELECT * FROM t WHERE idd = 7", "ticks.npy"],
            "No field named idd; the columns are id, ",
        ),
        (
            &["SELECT id FROM t LIMIT five", "ticks.npy"],
            "No field named five; there are no columns here",
        ),
        (
            &["SELECT id, avg(price) FROM t", "ticks.npy"],
            "the column id can have several values in a group of rows; add id to GROUP BY, or take",
        ),
        (
            &["SELECT id FROM t WHERE price > (id > 1)", "ticks.npy"],
            "both sides need one type: CAST(",
        ),
        (&["SELECT value[1][2] FROM t", "m.npy"], "write m[2] for m[1][2]"),
        (
            &["SELECT 1 FROM t WHERE value > 1", "l.npy"],
            "npy('x.npy', 'long_double_as_f64', 'true')",
        ),
        (&["SELECT value['re'] FROM t", "c.npy"], "x[1] is the real part"),
        (&["SELECT count(*) FROM t; FROM t", "ticks.npy"], "write SELECT * FROM t"),
        (
            &["COPY (SELECT 1 AS x) TO 'zz'"],
            "STORED AS NPY, NPZ, CSV, JSON or PARQUET after the name",
        ),
        (
            &["SELECT a FROM t", "mixed.npz"],
            "rate: a single value has no rows; the members of an archive are the columns of one table: the command `npy convert x.npz::NAME NAME.npy`",
        ),
        (
            &["SELECT * FROM npy('mixed.npz::a')"],
            "the command `npy convert mixed.npz::a a.npy` makes a file of a member",
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
        (
            &["SELECT * FROM t", "array.npz"],
            "/array.npz: not a .npz archive: it starts with \"\\x93NUMPY\\x01\\x00\" and has no directory of members; it is a .npy file: rename it to .npy, or run npy convert /",
        ),
        (&["none.npy"], "none.npy: it is a file"),
        (
            &["SELECT 1 FROM t WHERE name = \"two\"", "names.npz"],
            "No field named two; text is in single quotes: 'two'",
        ),
        (
            &["COPY (SELECT 1 AS value FROM t WHERE name IN (\"it's\")) TO 'o.npy'", "names.npz"],
            "text is in single quotes: 'it''s'",
        ),
        (&["SELECT \"two\" FROM t", "names.npz"], "No field named two; the columns are"),
        (&["SELECT 1 FROM t WHERE two = 2", "names.npz"], "No field named two; the columns are"),
        (&["SELECT if(id > 1, 1, 0) FROM t", "ticks.npy"], "write CASE WHEN x > 0 THEN"),
        (&["SELECT iif(id > 1, 1, 0) FROM t", "ticks.npy"], "write CASE WHEN x > 0 THEN"),
        (&["SELECT norm(pair) FROM t", "ticks.npy"], "write sqrt(npy_dot(v, v))"),
        (&["SELECT group_concat(id) FROM t", "ticks.npy"], "write string_agg(x, ', ')"),
        (&["SELECT argmax(id, price) FROM t", "ticks.npy"], "write first_value(y ORDER BY x DESC"),
        (&["SELECT argmin(id, price) FROM t", "ticks.npy"], "write first_value(y ORDER BY x NULLS"),
        (
            &["INSERT INTO 'ticks.npy' SELECT * FROM t", "ticks.npy"],
            "write COPY (SELECT …) TO 'new.npy', and run npy append ticks.npy new.npy",
        ),
        (&["INSERT INTO ticks.npy VALUES (1)", "ticks.npy"], "run npy append ticks.npy new.npy"),
        (
            &["INSERT INTO \"it's one.npy\" VALUES (1)", "ticks.npy"],
            "run npy append 'it'\\''s one.npy' new.npy",
        ),
        (
            &["INSERT INTO 'names.npz' VALUES (1)", "ticks.npy"],
            "names.npz: INSERT INTO has no files; write a new archive with all rows: COPY (",
        ),
        (
            &[
                "CREATE EXTERNAL TABLE n (a DOUBLE) STORED AS NPY LOCATION 'days/new.npy'; INSERT INTO n VALUES (1.0)",
            ],
            "days/new.npy: INSERT INTO has no files, and this one does not exist; write COPY (SELECT …) TO '/",
        ),
        (&["INSERT INTO 'days/' VALUES (1)", "ticks.npy"], "STORED AS NPY LOCATION 'days/'"),
        (
            &["INSERT INTO ticks SELECT * FROM t", "ticks.npy"],
            "/ticks.npy: INSERT INTO has no files; write COPY (SELECT …) TO 'new.npy', and run npy append /",
        ),
        (
            &["INSERT INTO t SELECT * FROM t", "names.npz"],
            "UNION ALL SELECT …) TO 'new.npz', and ORDER BY",
        ),
        (
            &["INSERT INTO npy('ticks.npy') SELECT * FROM t", "ticks.npy"],
            "ticks.npy: INSERT INTO has no files; write COPY (SELECT …) TO 'new.npy', and run npy append ticks.npy new.npy",
        ),
        (&["INSERT INTO npy('days') VALUES (1)"], "STORED AS NPY LOCATION 'days/'"),
        (&["INSERT INTO npy('days/*.npy') VALUES (1)"], "STORED AS NPY LOCATION 'days/'"),
        (&["INSERT INTO npy('*.npy') VALUES (1)"], "STORED AS NPY LOCATION './'"),
        (
            &["SELECT sum(id) AS p, sum(CAST(id AS DOUBLE)) AS q FROM t", "ticks.npy"],
            "npy sql: Error during planning: Schema contains duplicate unqualified field name \"sum(t.id)\"; the name of a CAST is that of its column: give it another one in a subquery, as in SELECT sum(a), sum(b) FROM (",
        ),
        (
            &["SELECT id, count(*) FROM t GROUP BY id, CAST(id AS DOUBLE)", "ticks.npy"],
            "have the same name; the name of a CAST is that of its column",
        ),
        (
            &["COPY (SELECT 18000000000000000000::BIGINT UNSIGNED + 1 AS value) TO 'o.npy'"],
            "no dtype for Decimal128(21, 0); write CAST(value AS BIGINT UNSIGNED) AS value, or BIGINT",
        ),
        (
            &["COPY (SELECT CAST(1 AS DECIMAL(9, 2)) AS value) TO 'o.npy'"],
            "no dtype for Decimal128(9, 2); write CAST(value AS DOUBLE) AS value",
        ),
        (
            &["COPY (SELECT [price, id] AS value FROM t) TO 'o.npy'", "ticks.npy"],
            "no dtype for List(Float64); write x::DOUBLE[2] AS x, which states their length",
        ),
        (
            &["COPY (SELECT NULL::TEXT AS value) TO 'o.npy'"],
            "write coalesce(value, '') AS value, or COPY … OPTIONS (fill_nulls true)\n",
        ),
        (
            &["SELECT 1 FROM t WHERE id::BIGINT < -9223372036854775809", "ticks.npy"],
            "npy sql: Error during planning: a literal is -2^63, or is rounded to it",
        ),
        (
            &["SELECT pair[0] FROM t", "ticks.npy"],
            "npy sql: Error during planning: t.pair[0] is always null: lists of SQL begin at 1; write t.pair[1]",
        ),
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
        (&["SELECT 1 FROM t WHERE value = 1970-1-2", "dates.npy"], "1970-01-02 is a subtraction"),
        (
            &["SELECT 1 FROM t WHERE value > 1970-1-2", "times.npy"],
            "write '1970-01-02' for the day",
        ),
        (
            &["SELECT 1 FROM t WHERE value > 19700102", "dates.npy"],
            "t.value is a day, and 19700102",
        ),
        (
            &["SELECT 1 FROM t WHERE value > 19700102", "times.npy"],
            "npy sql: Error during planning: t.value is a time, and 19700102 a number; write a time as '2026-01-02 10:30:00', or CAST(t.value AS BIGINT) for the seconds since 1970",
        ),
        (&["SELECT 1 FROM t WHERE name LIKE \"a%\"", "names.npz"], "single quotes: 'a%'"),
        (&["SELECT 1 FROM t WHERE name NOT ILIKE \"a%\"", "names.npz"], "single quotes: 'a%'"),
        (&["SELECT 1 FROM t WHERE name SIMILAR TO \"a\"", "names.npz"], "single quotes: 'a'"),
        (&["SELECT 1 FROM t WHERE name BETWEEN 'a' AND \"b\"", "names.npz"], "quotes: 'b'"),
        (&["SELECT 1 FROM t WHERE name IS DISTINCT FROM \"b\"", "names.npz"], "quotes: 'b'"),
        (&["SELECT CASE name WHEN \"b\" THEN 1 END FROM t", "names.npz"], "quotes: 'b'"),
        (
            &["SELECT ticks.id FROM t", "ticks.npy"],
            "No field named ticks.id; the tables are t, where an alias replaces a name; the columns are id, price, pair\n",
        ),
        (
            &["SELECT id FROM (SELECT *, price + 1 AS id FROM t)", "ticks.npy"],
            "give the new column another name: x + 1 AS y",
        ),
        (
            &["SELECT 1 FROM t o JOIN ticks c ON o.id = ticks.id", "ticks.npy"],
            "No field named ticks.id; the tables are c, o, where an alias",
        ),
        (&["SELECT ticks.id FROM npy('ticks.npy')"], "the tables are \"npy()\", where"),
        (&["SELECT ticks.npy.id FROM t", "ticks.npy"], "ticks.npy.id; the tables are t, where"),
        (&["SELECT o.ID FROM t o", "ticks.npy"], "write id, since names have a case"),
        (
            &["COPY (SELECT 1 AS a) TO 'o.csv' OPTIONS (delimiter '\\t')"],
            "and a tab as E'\\t': OPTIONS (delimiter E'\\t')",
        ),
        (
            &["COPY SELECT id FROM t TO 'o.npy'", "ticks.npy"],
            "; write the query in parentheses: COPY (SELECT …) TO 'new.npy'",
        ),
        (
            &["SELECT sum(id > 1) FROM t", "ticks.npy"],
            "npy sql: sum is a function of numbers, and id > 1 is true or false; write sum(CAST(id > 1 AS INT)), or count(*) FILTER (WHERE id > 1)",
        ),
        (&["SELECT extract(weekday FROM value) FROM t", "times.npy"], "; write 'dow' for the day"),
        (&["SELECT isnat(value) FROM t", "times.npy"], "no function isnat; write t IS NULL"),
        (
            &["SELECT (value - value) * 2 FROM t", "times.npy"],
            "arrow_cast(CAST((value - value) AS BIGINT) * 2, 'Duration(s)')",
        ),
        (&["SELECT 1e400 AS a"], "1e400 is greater than each float; write CAST('inf' AS DOUBLE)"),
        (&["SELECT avg(id > 1) FROM t", "ticks.npy"], "write avg(CAST(id > 1 AS INT))"),
        (&["SELECT stddev(id > 1) FROM t", "ticks.npy"], "write stddev(CAST(id > 1 AS INT))"),
        (
            &["SELECT avg(id), avg(name) FROM t", "names.npz"],
            "avg is a function of numbers, and one of its arguments is text; write avg(CAST(… AS DOUBLE))",
        ),
        (
            &["SELECT time - '2024-01-01' FROM (SELECT value AS time FROM t)", "times.npy"],
            "a time as TIMESTAMP '2026-01-02'",
        ),
        (
            &["SELECT median(value) FROM t", "times.npy"],
            "npy sql: median is a function of numbers, and value is a time; write median(CAST(value AS BIGINT)) for the seconds since 1970, and to_timestamp_seconds(CAST(x AS BIGINT)) for the time of a result x",
        ),
        (
            &["SELECT percentile_cont(value, 0.9) FROM t", "times.npy"],
            "write percentile_cont(CAST(value AS BIGINT), 0.9) for the seconds since 1970, and to_t",
        ),
        (
            &["SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY name) FROM t", "names.npz"],
            "name is text; write percentile_cont(CAST(name AS DOUBLE), 0.5)",
        ),
        (
            &["SELECT corr(id > 1, price) FROM t", "ticks.npy"],
            "id > 1 is true or false; write corr(CAST(id > 1 AS INT), price)\n",
        ),
        (
            &["SELECT corr(price, id > 1) FROM t", "ticks.npy"],
            "id > 1 is true or false; write corr(price, CAST(id > 1 AS INT))\n",
        ),
        (
            &["SELECT power(2, name) FROM t", "names.npz"],
            "name is text; write power(2, CAST(name AS DOUBLE)), or power(2, TRY_CAST(name AS DOUBLE))",
        ),
        (
            &["SELECT power(id, name) FROM t", "names.npz"],
            "one of its arguments is text; write CAST(… AS DOUBLE), or TRY_CAST(… AS DOUBLE) if",
        ),
        (
            &["SELECT atan2(name, id) FROM t", "names.npz"],
            "name is text; write atan2(CAST(name AS DOUBLE), id), or",
        ),
        (
            &["SELECT round(value, 2) FROM t", "m.npy"],
            "value is a list; write round(value[1], 2) for the first value of each, or SELECT round(v, 2) FROM",
        ),
        (
            &["SELECT array_has(value, 'NaN') FROM t", "m.npy"],
            "value is a list of numbers, and 'NaN' is text; write array_has(value, CAST('NaN' AS DOUBLE))\n",
        ),
        (
            &["SELECT array_replace_all(value, 'NaN', 0.0) FROM t", "m.npy"],
            "write array_replace_all(value, CAST('NaN' AS DOUBLE), 0.0)\n",
        ),
        (
            &["SELECT value / 2 FROM t", "spans.npy"],
            "value is a span of time, and / takes numbers; compute with its count: arrow_cast(CAST(value AS BIGINT) / 2, 'Duration(ms)')\n",
        ),
        (
            &["SELECT 1.5 * value FROM t", "spans.npy"],
            "arrow_cast(CAST(1.5 * CAST(value AS BIGINT) AS BIGINT), 'Duration(ms)')\n",
        ),
        (
            &["SELECT 1 FROM t WHERE value ~ '^a'", "stations.npy"],
            "; bytes are text by --text, or by CAST(x AS TEXT)\n",
        ),
        (
            &["SELECT regexp_like(value, '^a') FROM t", "stations.npy"],
            "; bytes are text by --text, or by CAST(x AS TEXT)\n",
        ),
        (&["SELECT name + 'b' FROM t", "names.npz"], "; texts are joined by ||: x || 'b'\n"),
        (
            &["COPY (SELECT 1 AS a) TO x.npy"],
            "; write the name of the file in quotes: TO 'x.npy'\n",
        ),
        (
            &["SELECT * INTO 'x.npy' FROM t", "ticks.npy"],
            ": SELECT … INTO writes no file; write COPY (SELECT …) TO 'x.npy'\n",
        ),
        (
            &["COPY (SELECT 'ab' || chr(0) AS x) TO 'o.npy'"],
            "write encode(x, 'hex') AS x, which has all bytes, or rtrim(CAST(x AS TEXT), chr(0)) AS x for",
        ),
        (
            &["SELECT stddev(value) FROM t", "times.npy"],
            "write stddev(CAST(value AS BIGINT)) for the seconds since 1970",
        ),
        (
            &["SELECT avg(name) FROM t", "names.npz"],
            "name is text; write avg(CAST(name AS DOUBLE)), or avg(TRY_CAST(name AS DOUBLE)) if some texts are not numbers",
        ),
        (
            &["SELECT sum(value) FROM t", "m.npy"],
            "value is a list; write array_sum(value) for that of each list, sum(value[1]) for the first value of each, or SELECT sum(v) FROM (SELECT unnest(value) AS v FROM t)",
        ),
        (&["SELECT upper(value) FROM t", "times.npy"], "Function 'upper' requires String"),
        (
            &["SELECT 1 FROM t WHERE name = 2", "names.npz"],
            "; t.name is text; write TRY_CAST(t.name AS DECIMAL(38, 10)) in its place, or '2' in quotes\n",
        ),
        (
            &["SELECT name > 2 FROM t", "names.npz"],
            "; write TRY_CAST(t.name AS DECIMAL(38, 10)) in its place\n",
        ),
        (
            &["SELECT 1 FROM t WHERE name BETWEEN 1 AND 3", "names.npz"],
            "AS DECIMAL(38, 10)) in its place\n",
        ),
        (
            &["SELECT upper(name) IN (2) FROM t", "names.npz"],
            "; a value is text; write TRY_CAST(… AS DECIMAL(38, 10)) in its",
        ),
        (
            &["SELECT CAST(left(name, 1) AS INT) FROM t", "names.npz"],
            "a value is text, and not all of it are numbers; write TRY_CAST(… AS DECIMAL",
        ),
        (
            &["SELECT CAST(v AS INT) FROM (SELECT name || '7' AS v FROM t)", "names.npz"],
            "write TRY_CAST(… AS DECIMAL(",
        ),
        (
            &[
                "SELECT q.v = 2 FROM (SELECT replace(name, 'two', '2.5') AS v FROM t LIMIT 1) q",
                "names.npz",
            ],
            "TRY_CAST(q.v AS DOUBLE)",
        ),
        (
            &["SELECT 1 FROM t WHERE id = 'two'", "names.npz"],
            "; t.id is a number, and is compared with 'two'; write a number there",
        ),
        (
            &["SELECT 1 FROM t WHERE name > id", "names.npz"],
            "; write TRY_CAST(t.name AS DECIMAL(38, 10)) in its place\n",
        ),
        (
            &["SELECT 1 FROM t WHERE name = id", "names.npz"],
            "in its place, or CAST(t.id AS TEXT) in the place of the number\n",
        ),
        (
            &["COPY (SELECT CAST(name AS DOUBLE) AS value FROM t) TO 'o.npy'", "names.npz"],
            "; t.name is text, and not all of it are numbers; write TRY_CAST(t.name AS DOUBLE), which",
        ),
        (
            &["SELECT id * 2 AS d FROM t WHERE d > 2", "ticks.npy"],
            "No field named d; SELECT gives this name, which WHERE and other columns do not know: put the query within another one, SELECT * FROM (SELECT id * 2 AS d FROM …) WHERE d …, or write id * 2",
        ),
        (
            &["SELECT row_number() OVER () AS r FROM t WHERE r < 2", "ticks.npy"],
            "SELECT * FROM (SELECT row_number() OVER () AS r FROM …) WHERE r …\n",
        ),
        (
            &["SELECT id FROM t HAVING id > 2", "ticks.npy"],
            "HAVING is a condition on groups; write WHERE for one on rows",
        ),
        (&["SELECT * FROM it-s", "it-s.npy"], "; write \"it-s\", or t, for it-s.npy"),
        (&["SELECT * FROM it.s", "it.s.npy"], "not found; write \"it.s\", or t for it.s.npy"),
        (&["SELECT * FROM x", "it-s.npy"], "the tables are t, \"it-s\""),
        (
            &["SELECT * FROM it-s.npy"],
            "Column: 17\"); files are a table by their function: npy('it-s.npy')",
        ),
        (
            &["SELECT a, order FROM t", "words.npy"],
            "; order is a word of SQL: write \"order\", in double quotes, for the column",
        ),
        (
            &["SELECT a, from FROM t", "words.npy"],
            "t, words; from is a word of SQL: write \"from\"",
        ),
        (&["SELECT a, interval FROM t", "words.npy"], "interval is a word of SQL"),
        (
            &["SELECT b FROM t ORDER BY a", "words.npy"],
            "columns are \"order\", \"from\", \"interval\", a\n",
        ),
        (
            &["SELECT id FROM t GROUP BY ROLLUP (id, id)", "ticks.npy"],
            "; name each column of ROLLUP and CUBE once",
        ),
        (&["SELECT 1 FROM t JOIN t ON true", "ticks.npy"], "two names: t a JOIN t b"),
        (&["SELECT value + 1 FROM t", "times.npy"], "write a span of time, x + INTERVAL '5 sec"),
        (&["SELECT name + 1 FROM t", "names.npz"], "CAST(x AS DOUBLE) for the number that a text"),
        (&["SELECT 1 FROM t WHERE name", "names.npz"], "write a comparison"),
        (
            &["COPY (SELECT 1 AS a) TO 'o.csv' OPTIONS (header false)"],
            "not found on CsvOptions; write OPTIONS (has_header false)",
        ),
        (
            &["CREATE EXTERNAL TABLE x STORED AS CSV LOCATION 'x.csv' OPTIONS (sep ';')"],
            "write OPTIONS (delimiter ';')",
        ),
        (
            &["COPY (SELECT 1 AS a) TO 'o.csv' OPTIONS (bom true)"],
            "the options of CSV are has_header, delimiter",
        ),
        (
            &["COPY (SELECT pair FROM t) TO 'o.csv'", "ticks.npy"],
            "o.csv: CSV has single values, and the column \"pair\" has several in a row; write array_to_string(pair, ' ') AS pair, or pair[1] AS pair1 for one value, or TO 'x.json'",
        ),
        (
            &["COPY (SELECT struct(id, price) AS p FROM t) TO 'o.csv'", "ticks.npy"],
            "write p.c0 AS c0 for one field",
        ),
        (
            &["SELECT CAST(value AS TEXT) FROM t", "m.npy"],
            "write array_to_string(x, ' ') for the text of a list",
        ),
        (
            &["COPY (SELECT array_sort(value) AS value FROM t) TO 'o.npy'", "m.npy"],
            "write x::DOUBLE[3] AS x, which",
        ),
        (
            &["COPY (SELECT [[id, 1], [id, 2], [3, id]] AS x FROM t) TO 'o.npz'", "ticks.npy"],
            "write x::BIGINT[2][3] AS x, which",
        ),
        (
            &["COPY (SELECT a AS x FROM (VALUES ([1, 2]), ([3])) v(a)) TO 'o.npy'"],
            "the rows of an array have one length: write x[1] AS a, x[2] AS b, or unnest(x) AS x",
        ),
        (&["SELECT [id]::DOUBLE[2] FROM t", "ticks.npy"], "SELECT DISTINCT array_length(x) FROM"),
        (
            &["SELECT id FROM folder ORDER BY abs(pair[1])", "folder"],
            "give the expression of the order a name in a subquery, as in FROM (SELECT *, abs(v[1]) AS k FROM t) ORDER BY k",
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

/// Guards options of other programs: their texts have the lines of the parser of arguments.
#[test]
fn there_are_no_options_of_other_programs() {
    let directory = files();
    for (option, expected) in [
        (&["--format", "json"][..], "there is no option --format; write --json or --csv"),
        (&["-o", "x.csv"], "no option -o; write COPY (SELECT …) TO 'x.csv'"),
        (&["--output=x.csv"], "no option --output; write COPY (SELECT …) TO 'x.csv'"),
        (&["--parquet"], "no option --parquet; write COPY (SELECT …) TO 'x.parquet'"),
        (&["--jsonl"], "no option --jsonl; write --json"),
        (&["--tsv"], "STORED AS CSV OPTIONS (delimiter E'\\t')"),
        (&["--no-header"], "TO 'x.csv' OPTIONS (has_header false)"),
        (&["--table"], "rows are printed as a table without --csv and --json"),
        (&["-c", "SELECT 2"], "write the statement alone: npy sql 'SELECT * FROM t' x.npy"),
        (&["--cvs"], "there is no option --cvs; write --csv"),
        (&["--csvs"], "similar argument exists: '--csv'"),
    ] {
        let output = run(directory.path(), &[&["SELECT 1"], option].concat());
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains(expected), "{stderr}");
        assert_eq!(output.status.code(), Some(2));
    }
    let at = directory.path();
    let copy = "COPY (SELECT 1 AS a, 2 AS b) TO 'x.tsv' STORED AS CSV OPTIONS (delimiter E'\\t')";
    stdout(at, &[copy]);
    assert_eq!(std::fs::read_to_string(at.join("x.tsv")).unwrap(), "a\tb\n1\t2\n");
    stdout(at, &["COPY (SELECT 1 AS a) TO 'x.csv' OPTIONS (has_header false)"]);
    assert_eq!(std::fs::read_to_string(at.join("x.csv")).unwrap(), "1\n");
}

/// Guards rows of arrays of more dimensions: they are lists, whose order is not that of their numbers.
#[test]
fn lists_are_compared_with_a_remark() {
    let directory = files();
    let at = directory.path();
    [[1.5_f64, 2.5, 3.5], [1.0, 9.0, 0.0]].write_npy(at.join("m.npy")).unwrap();
    raw("<f16").write_npy(at.join("l.npy")).unwrap();
    raw("<c16").write_npy(at.join("c.npy")).unwrap();
    DynArray::new("<c32".parse().unwrap(), vec![1], Order::C, vec![0; 32])
        .unwrap()
        .write_npy(at.join("z.npy"))
        .unwrap();
    for (sql, said) in [
        (
            "SELECT max(value) FROM t",
            "max compares lists by their first values that differ; max(array_max(value)) is that of all values",
        ),
        ("SELECT min(value) FROM t", "min(array_min(value)) is"),
        (
            "SELECT value FROM t ORDER BY value DESC LIMIT 1",
            "ORDER BY compares lists by their first",
        ),
        ("SELECT max(array_max(value)) AS x, min(array_min(value)) AS y FROM t", ""),
        ("SELECT value FROM t ORDER BY array_max(value)", ""),
        ("SELECT max(p.v) FROM (SELECT struct(value AS v) AS p FROM t)", "max(array_max(p.v)) is"),
        (
            "SELECT p.v FROM (SELECT struct(value AS v) AS p FROM t) ORDER BY p.v",
            "; array_max(p.v) is",
        ),
        ("SELECT max(array_max(p.v)) FROM (SELECT struct(value AS v) AS p FROM t)", ""),
        ("SELECT max(value) FROM npy('c.npy')", ""),
        ("SELECT value FROM npy('c.npy') ORDER BY value", ""),
        (
            "SELECT max(value) FROM npy('l.npy')",
            "max compares the bytes of long doubles; npy('x.npy', 'long_double_as_f64', 'true') has their numbers\n",
        ),
        ("SELECT value FROM npy('z.npy')", ""),
    ] {
        let output = run(at, &[sql, "m.npy", "--csv"]);
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && text.contains(said), "{sql}: {text}");
        assert_eq!(text.is_empty(), said.is_empty(), "{sql}: {text}");
    }
    let sql = "SELECT max(array_max(value)) AS x, min(array_min(value)) AS y FROM t";
    assert_eq!(stdout(at, &[sql, "m.npy", "--csv"]), "x,y\n9.0,0.0\n");
}

/// Guards what the advice says: each statement runs.
#[test]
fn the_advice_can_be_followed() {
    let directory = files();
    let at = directory.path();
    [DateTime64::<Second>::new(90_000)].write_npy(at.join("times.npy")).unwrap();
    std::fs::write(at.join("x.csv"), "a\n1\n").unwrap();
    folder(at);
    [User { current_user: 5 }].write_npy(at.join("user.npy")).unwrap();
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
        ("SELECT 4096-1-1 AS x FROM t", "4094"),
        ("SELECT 2026-12-31 AS x FROM t", "1983"),
        (
            "SELECT sum(CAST(a AS INT)) + count(*) FILTER (WHERE a) AS x FROM (VALUES (true), (false)) v(a)",
            "2",
        ),
        (
            "SELECT stddev(a) + stddev_pop(a) + var_samp(a) + var_pop(a) AS x FROM (VALUES (1.0), (1.0)) v(a)",
            "0.0",
        ),
        ("SELECT sum(CASE WHEN a > 0 THEN 1 ELSE 0 END) AS x FROM (VALUES (1.0), (1.0)) v(a)", "2"),
        ("SELECT sqrt(npy_dot([3.0, 4.0], [3.0, 4.0])) AS x", "5.0"),
        ("SELECT string_agg(a, '-') AS x FROM (VALUES ('p'), ('q')) v(a)", "p-q"),
        (
            "SELECT first_value(b ORDER BY a DESC NULLS LAST) AS x FROM (VALUES (1, 2), (3, 4), (NULL, 5)) v(a, b)",
            "4",
        ),
        (
            "SELECT first_value(b ORDER BY a NULLS LAST) AS x FROM (VALUES (1, 2), (3, 4), (NULL, 5)) v(a, b)",
            "2",
        ),
        ("SELECT percentile_cont(a, 0.5) AS x FROM (VALUES (1.0), (3.0)) v(a)", "2.0"),
        (
            "SELECT sum(a) + sum(b) AS x FROM (SELECT *, CAST(a AS DOUBLE) AS b FROM (VALUES (1), (2)) v(a))",
            "6.0",
        ),
        (
            "SELECT count(*) AS x FROM (SELECT *, CAST(a AS DOUBLE) AS b FROM (VALUES (1), (2)) v(a)) GROUP BY a, b LIMIT 1",
            "1",
        ),
        ("CREATE EXTERNAL TABLE x STORED AS CSV LOCATION 'x.csv'; SELECT a AS x FROM x", "1"),
        (
            "SELECT to_timestamp_seconds(CAST(x AS BIGINT)) AS x FROM (SELECT median(CAST(value AS BIGINT)) AS x FROM t)",
            "1970-01-02T01:00:00",
        ),
        (
            "SELECT to_timestamp_seconds(CAST(percentile_cont(CAST(value AS BIGINT), 0.5) AS BIGINT)) AS x FROM t",
            "1970-01-02T01:00:00",
        ),
        ("SELECT stddev_pop(CAST(value AS BIGINT)) AS x FROM t", "0.0"),
        (
            "SELECT count(*) AS x FROM t WHERE CAST(value AS BIGINT) = 90000 AND value - value < INTERVAL '5 seconds'",
            "1",
        ),
        ("SELECT value + INTERVAL '5 seconds' AS x FROM t", "1970-01-02T01:00:05"),
        ("SELECT avg(TRY_CAST(a AS DOUBLE)) AS x FROM (VALUES ('1'), ('b')) v(a)", "1.0"),
        (
            "SELECT count(*) AS x FROM (VALUES ('1'), ('b')) v(a) WHERE TRY_CAST(a AS DOUBLE) = 1",
            "1",
        ),
        ("SELECT sum(\"npy()\".id) AS x FROM npy('ticks.npy')", "6"),
        ("SELECT sum(b._row) AS x FROM t CROSS JOIN npy('ticks.npy') b", "3"),
        (
            "SELECT count(CASE WHEN value IS NULL THEN CAST('NaN' AS DOUBLE) ELSE 1 END) AS x FROM t",
            "1",
        ),
        ("SELECT (6 | 3) - (6 & 3) + power(2, 3) AS x", "13.0"),
        ("SELECT sum(v) AS x FROM (SELECT unnest(a) AS v FROM (VALUES ([1, 2]), ([4])) v(a))", "7"),
        ("SELECT * FROM (SELECT a * 2 AS x FROM (VALUES (1), (2)) v(a)) WHERE x > 2", "4"),
        ("SELECT array_to_string([1.5, 2.0], ' ') AS x", "1.5 2"),
        ("SELECT array_avg([1.5, 2.5]) + array_sum([1.0, 2.0]) AS x", "5.0"),
        ("SELECT coalesce(1 / nullif(0, 0), 7) AS x", "7"),
        ("SELECT array_has([1.0, 'NaN'::DOUBLE], CAST('NaN' AS DOUBLE)) AS x", "true"),
        (
            "SELECT arrow_cast(CAST(1.5 * CAST(value - value AS BIGINT) AS BIGINT), 'Duration(s)') AS x FROM t",
            "P0D",
        ),
        ("SELECT rtrim(CAST('ab' || chr(0) AS TEXT), chr(0)) || encode('a', 'hex') AS x", "ab61"),
        ("SELECT count(*) AS x FROM (SELECT * FROM t UNION ALL SELECT value FROM t)", "2"),
        ("SELECT lag(value) OVER (PARTITION BY value ORDER BY _row) IS NULL AS x FROM t", "true"),
        ("SELECT current_date() = current_date AS x", "true"),
        ("SELECT value - TIMESTAMP '1970-01-01' = value - value AS x FROM t", "false"),
        ("SELECT avg(CAST(a AS DOUBLE)) AS x FROM (VALUES ('1')) v(a)", "1.0"),
        ("SELECT CAST('1e3' AS DOUBLE) AS x", "1000.0"),
        // DataFusion takes this word of SQL for a column.
        ("SELECT user AS x FROM (SELECT value = value AS user FROM t)", "true"),
        ("SELECT current_user AS x FROM npy('user.npy')", "5"),
        (
            "CREATE EXTERNAL TABLE e (x DOUBLE) STORED AS NPY LOCATION 'new/'; SELECT count(*) AS x FROM e",
            "0",
        ),
        (
            "CREATE EXTERNAL TABLE e (x DOUBLE) STORED AS NPY LOCATION 'new.npy'; SELECT count(*) AS x FROM e",
            "0",
        ),
        (
            "SELECT id AS x FROM (SELECT *, abs(pair[1]) AS k FROM npy('folder/')) ORDER BY k DESC LIMIT 1",
            "3",
        ),
    ] {
        assert_eq!(stdout(at, &[sql, "times.npy", "--csv"]), format!("x\n{expected}\n"), "{sql}");
    }
    let sql = "COPY (SELECT [1, 2]::DOUBLE[2] AS a, [[1, 2], [3, 4], [5, 6]]::BIGINT[2][3] AS m, CAST(18000000000000000000::BIGINT UNSIGNED + 1 AS BIGINT UNSIGNED) AS b, \
        coalesce(NULL::TEXT, '') AS c, coalesce(NULL::BOOLEAN, false) AS d, CAST(CAST(1.5 AS DECIMAL(9, 2)) AS DOUBLE) AS e) TO 'o.npy'";
    stdout(at, &[sql]);
    let found = stdout(at, &["SELECT a[2] AS a, b, c, d, e, m[6] AS m FROM t", "o.npy", "--csv"]);
    assert_eq!(found, "a,b,c,d,e,m\n2.0,18000000000000000001,,false,1.5,6\n");
    stdout(at, &["COPY (SELECT 1 AS a, 2 AS b) TO 'o.csv' OPTIONS (delimiter E'\\t')"]);
    assert_eq!(std::fs::read_to_string(at.join("o.csv")).unwrap(), "a\tb\n1\t2\n");
}
