//! Functions whose results would be wrong in silence: each is right, or an error that says what to write.

use std::path::Path;

use crate::support::{error, rows, text};
use npy_core::{DynArray, Order, WriteNpy};
use npy_datafusion::session;

fn write(directory: &Path, name: &str, dtype: &str, shape: &[usize], counts: &[i64]) {
    let bytes = counts.iter().flat_map(|count| count.to_le_bytes()).collect();
    let array = DynArray::new(dtype.parse().unwrap(), shape, Order::C, bytes).unwrap();
    array.write_npy(directory.join(name)).unwrap();
}

/// Returns the cells of the only column.
fn cells(table: &str) -> Vec<&str> {
    let rows = table.lines().skip(3).filter(|line| line.starts_with('|'));
    rows.map(|line| line.trim_matches(['|', ' '])).collect()
}

/// Guards parts of spans of time that do not fit into 64 bits, and those of constants, of times and of intervals, which are DataFusion's.
#[tokio::test]
async fn parts_of_spans_are_exact_or_errors() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "s.npy", "'<m8[s]'", &[2], &[90_061, 1 << 62]);
    let ctx = session();
    let table = format!("npy('{}/s.npy')", directory.path().display());
    for (part, expected) in [
        ("extract(microsecond FROM value)", "90061000000"),
        ("date_part('hours', value)", "25"),
        ("datepart('nanosecond', value)", "90061000000000"),
        ("extract(epoch FROM value - INTERVAL '1 day')", "3661.0"),
        (
            "extract(millisecond FROM TIMESTAMP '2024-01-01T00:00:09.5' - TIMESTAMP '2024-01-01')",
            "9500",
        ),
        ("extract(year FROM TIMESTAMP '2024-01-01T00:00:09.5')", "2024"),
        ("extract(hour FROM INTERVAL '25 hours')", "25"),
    ] {
        let found = text(&ctx, &format!("SELECT {part} FROM {table} LIMIT 1")).await;
        assert_eq!(cells(&found), [expected], "{part}");
    }
    let refused = error(&ctx, &format!("SELECT date_part('nanosecond', value) FROM {table}")).await;
    assert!(refused.contains("which 64 bits do not hold; take a coarser one"), "{refused}");
    let refused = error(&ctx, &format!("SELECT extract(year FROM value) FROM {table}")).await;
    assert!(refused.contains("Year does not support"), "{refused}");
}

/// Guards bins of times beyond 1677 to 2262, which would all be null: also before the origin, and for units that a bin does not divide.
#[tokio::test]
async fn far_times_have_bins() {
    let directory = tempfile::tempdir().unwrap();
    // 1600-02-03T05:00, before 1970, 2024-01-02T03:04:05, 3000-06-01T01:00, and NaT.
    let seconds = [-11_673_226_800, -1, 1_704_164_645, 32_516_730_000, i64::MIN];
    for (unit, factor) in [("s", 1), ("ms", 1_000), ("us", 1_000_000)] {
        let counts = seconds.map(|it| if it == i64::MIN { it } else { it * factor });
        write(directory.path(), &format!("{unit}.npy"), &format!("'<M8[{unit}]'"), &[5], &counts);
    }
    write(directory.path(), "ns.npy", "'<M8[ns]'", &[1], &[i64::MIN + 1]);
    let ctx = session();
    let at = directory.path().display();
    for unit in ["s", "ms", "us"] {
        for (bin, expected) in [
            ("INTERVAL '1 day'", ["1600-02-03", "1969-12-31", "2024-01-02", "3000-06-01"]),
            (
                "INTERVAL '7 days', TIMESTAMP '2000-01-03'",
                ["1600-01-31", "1969-12-29", "2024-01-01", "3000-05-26"],
            ),
        ] {
            let bin = bin.replace(", TIMESTAMP", ", value, TIMESTAMP");
            let bin = if bin.contains("value") { bin } else { format!("{bin}, value") };
            let sql = format!("SELECT date_bin({bin}) AS bin FROM npy('{at}/{unit}.npy')");
            let found = text(&ctx, &sql).await;
            let days = expected.map(|day| format!("{day}T00:00:00"));
            assert_eq!(cells(&found)[..4], days, "{sql}");
            assert_eq!(cells(&found)[4], "", "{sql}");
            let groups = format!("SELECT count(DISTINCT bin) FROM ({sql})");
            assert_eq!(cells(&text(&ctx, &groups).await), ["4"], "{sql}");
        }
        let months =
            format!("SELECT date_bin(INTERVAL '1 month', value) FROM npy('{at}/{unit}.npy')");
        let refused = error(&ctx, &months).await;
        assert!(refused.contains("date_trunc('month', t)"), "{refused}");
    }
    for (sql, expected) in [
        (
            "date_bin(INTERVAL '1 day', CAST('3000-06-01T01:00:00' AS TIMESTAMP(0)))",
            "3000-06-01T00:00:00",
        ),
        ("date_bin(INTERVAL '1 month', TIMESTAMP '2024-03-05')", "2024-03-01T00:00:00"),
        (
            "date_bin(INTERVAL '7 minutes', TIMESTAMP '1969-12-31T23:59:59.5')",
            "1969-12-31T23:53:00",
        ),
        ("date_bin(NULL, TIMESTAMP '2024-03-05')", ""),
        ("date_bin(INTERVAL '1 hour', TIME '10:11:12')", "10:00:00"),
    ] {
        assert_eq!(cells(&text(&ctx, &format!("SELECT {sql}")).await), [expected], "{sql}");
    }
    let first = format!("SELECT date_bin(INTERVAL '1 day', value) FROM npy('{at}/ns.npy')");
    let refused = error(&ctx, &first).await;
    assert!(refused.contains("CAST(t AS TIMESTAMP(0))"), "{refused}");
}

/// Guards times that are cut by the calendar, beyond 1677 to 2262, too: they are those of NumPy's `astype`, and NaT is null.
#[tokio::test]
async fn far_times_are_cut_by_the_calendar() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path().display();
    // 0001-01-01T00:00, 1600-02-29T13:14:15, 1969-12-31T23:59:59, 2500-07-04T06:00, 9999-12-31T23:59:59, and NaT.
    let seconds = [-62_135_596_800, -11_670_950_745, -1, 16_741_144_800, 253_402_300_799, i64::MIN];
    for (unit, factor) in [("s", 1), ("ms", 1_000), ("us", 1_000_000)] {
        let counts = seconds.map(|it| if it == i64::MIN { it } else { it * factor });
        write(directory.path(), &format!("{unit}.npy"), &format!("'<M8[{unit}]'"), &[6], &counts);
    }
    let days = seconds.map(|it| if it == i64::MIN { it } else { it.div_euclid(86_400) });
    write(directory.path(), "D.npy", "'<M8[D]'", &[6], &days);
    let ctx = session();
    for (part, expected) in [
        ("YEAR", ["0001-01-01", "1600-01-01", "1969-01-01", "2500-01-01", "9999-01-01", ""]),
        ("quarter", ["0001-01-01", "1600-01-01", "1969-10-01", "2500-07-01", "9999-10-01", ""]),
        ("month", ["0001-01-01", "1600-02-01", "1969-12-01", "2500-07-01", "9999-12-01", ""]),
        ("week", ["0001-01-01", "1600-02-28", "1969-12-29", "2500-06-28", "9999-12-27", ""]),
        ("day", ["0001-01-01", "1600-02-29", "1969-12-31", "2500-07-04", "9999-12-31", ""]),
    ] {
        for file in ["s", "ms", "us", "D"] {
            let sql = format!("SELECT date_trunc('{part}', value) FROM npy('{at}/{file}.npy')");
            let found = text(&ctx, &sql).await;
            let times =
                expected.map(|it| if it.is_empty() { it.into() } else { format!("{it}T00:00:00") });
            assert_eq!(cells(&found), times, "{sql}");
        }
    }
    // Bins of days, and times of one value.
    for (sql, expected) in [
        (
            format!("date_bin(INTERVAL '1 day', value) FROM npy('{at}/D.npy') LIMIT 1 OFFSET 1"),
            "1600-02-29T00:00:00",
        ),
        (
            format!(
                "date_bin(INTERVAL '7 days', value, TIMESTAMP '2000-01-03') FROM npy('{at}/D.npy') LIMIT 1 OFFSET 1"
            ),
            "1600-02-28T00:00:00",
        ),
        (
            "date_trunc('hour', CAST('3000-06-01T01:02:03' AS TIMESTAMP(0)))".into(),
            "3000-06-01T01:00:00",
        ),
        ("date_trunc('month', TIMESTAMP '2024-03-05')".into(), "2024-03-01T00:00:00"),
        (
            "date_trunc('millisecond', CAST('3000-06-01T01:02:03' AS TIMESTAMP(0)))".into(),
            "3000-06-01T01:02:03",
        ),
        ("date_trunc('month', '2024-03-05')".into(), "2024-03-01T00:00:00"),
        ("date_trunc('month', NULL)".into(), ""),
        ("date_trunc('hour', TIME '10:11:12')".into(), "10:00:00"),
        ("date_trunc('day', TIMESTAMP '1969-12-31T23:59:59.5')".into(), "1969-12-31T00:00:00"),
    ] {
        assert_eq!(cells(&text(&ctx, &format!("SELECT {sql}")).await), [expected], "{sql}");
    }
    let first = "SELECT date_trunc('year', arrow_cast(-9223372036854775807, 'Timestamp(ns)'))";
    let refused = error(&ctx, first).await;
    assert!(refused.contains("CAST(t AS TIMESTAMP(0))"), "{refused}");
}

/// Guards floats that are no times of nanoseconds: the last one would take their place.
#[tokio::test]
async fn far_seconds_are_no_times() {
    let ctx = session();
    for (seconds, expected) in [
        ("10413810000.0", "to_timestamp_micros(x * 1000000)"),
        ("-1e10", "to_timestamp_micros(x * 1000000)"),
        ("arrow_cast(1e12, 'Float32')", "to_timestamp_micros(x * 1000000)"),
        ("CAST('NaN' AS DOUBLE)", "CASE WHEN isnan(x) THEN NULL ELSE x END"),
    ] {
        for sql in [
            format!("SELECT to_timestamp({seconds})"),
            format!("SELECT to_timestamp(s) FROM (VALUES (1.5), ({seconds})) t(s)"),
        ] {
            let refused = error(&ctx, &sql).await;
            assert!(refused.contains(expected), "{sql}: {refused}");
        }
    }
    for (sql, expected) in [
        ("to_timestamp(1.5)", "1970-01-01T00:00:01.500"),
        ("to_timestamp(9223372036)", "2262-04-11T23:47:16"),
        ("to_timestamp(nullif(CAST('NaN' AS DOUBLE), 'NaN'))", ""),
        ("to_timestamp('2024-01-01')", "2024-01-01T00:00:00"),
    ] {
        assert_eq!(cells(&text(&ctx, &format!("SELECT {sql}")).await), [expected], "{sql}");
    }
    // The function still follows the settings of the session.
    rows(&ctx, "SET TIME ZONE = '+02:00'").await;
    let found = text(&ctx, "SELECT to_timestamp(1.5)").await;
    assert!(found.contains("+02:00"), "{found}");
}

/// Guards text and fractions before 1970, which are cut to earlier times as by NumPy's `astype`, and text beyond the years of nanoseconds.
#[tokio::test]
async fn text_and_fractions_before_1970_are_cut_to_earlier_times() {
    let ctx = session();
    let text_of = "'1965-07-03T10:00:00.250250250'";
    for (value, expected) in [
        ("to_timestamp_seconds(x)", "1965-07-03T10:00:00"),
        ("to_timestamp_millis(x)", "1965-07-03T10:00:00.250"),
        ("to_timestamp_micros(x)", "1965-07-03T10:00:00.250250"),
        ("to_timestamp_nanos(x)", "1965-07-03T10:00:00.250250250"),
        ("to_timestamp_seconds(x, '%Y-%m-%dT%H:%M:%S%.f')", "1965-07-03T10:00:00"),
        ("to_timestamp_seconds(CAST(x AS TIMESTAMP))", "1965-07-03T10:00:00"),
        ("to_unixtime(x)", "-141919200"),
        ("to_unixtime(CAST(x AS TIMESTAMP))", "-141919200"),
        ("CAST(x AS TIMESTAMP(0))", "1965-07-03T10:00:00"),
        ("TRY_CAST(x AS TIMESTAMP(3))", "1965-07-03T10:00:00.250"),
        ("arrow_cast(x, 'Timestamp(s)')", "1965-07-03T10:00:00"),
        ("CAST(x AS DATE)", "1965-07-03"),
        ("to_date(x)", "1965-07-03"),
        ("to_date(x, '%Y-%m-%dT%H:%M:%S%.f')", "1965-07-03"),
        ("CAST(CAST(x AS TIMESTAMP) AS DATE)", "1965-07-03"),
        ("CAST(CAST(x AS TIMESTAMP(0)) AS DATE)", "1965-07-03"),
    ] {
        for sql in [
            format!("SELECT {}", value.replace("(x", &format!("({text_of}"))),
            format!("SELECT {value} FROM (VALUES ({text_of})) t(x)"),
        ] {
            assert_eq!(cells(&text(&ctx, &sql).await), [expected], "{sql}");
        }
    }
    for (sql, expected) in [
        ("to_timestamp_seconds(-1.5)", "1969-12-31T23:59:58"),
        ("to_timestamp_seconds(arrow_cast(-1.5, 'Float16'))", "1969-12-31T23:59:58"),
        ("to_timestamp_seconds(CAST(-1.5 AS DECIMAL(5, 1)))", "1969-12-31T23:59:58"),
        ("to_timestamp_millis(-1.5)", "1969-12-31T23:59:59.998"),
        ("to_timestamp_micros(-0.5)", "1969-12-31T23:59:59.999999"),
        ("to_unixtime(-1.5)", "-2"),
        ("to_timestamp_seconds(1.5)", "1970-01-01T00:00:01"),
        ("to_timestamp_seconds(-2)", "1969-12-31T23:59:58"),
        ("to_timestamp_seconds('3000-01-01')", "3000-01-01T00:00:00"),
        ("to_timestamp_seconds(NULL)", ""),
        ("to_timestamp_seconds(arrow_cast(NULL, 'Utf8'))", ""),
    ] {
        assert_eq!(cells(&text(&ctx, &format!("SELECT {sql}")).await), [expected], "{sql}");
    }
    for sql in ["to_timestamp_seconds('noon')", "to_timestamp_seconds(CAST('NaN' AS DOUBLE))"] {
        error(&ctx, &format!("SELECT {sql}")).await;
    }
    rows(&ctx, "SET TIME ZONE = '+02:00'").await;
    let found = text(&ctx, "SELECT to_timestamp_seconds('1965-07-03T10:00:00.5')").await;
    assert_eq!(cells(&found), ["1965-07-03T10:00:00+02:00"]);
}

/// Guards sums of lists of integers, which have no float between, and those of other lists.
#[tokio::test]
async fn sums_of_lists_are_integers() {
    let directory = tempfile::tempdir().unwrap();
    let odd = (1 << 53) + 1;
    write(directory.path(), "i.npy", "'<i8'", &[2, 2], &[odd, 0, -odd, 1]);
    write(directory.path(), "u.npy", "'<u8'", &[1, 2], &[-2, 1]);
    let ctx = session();
    let at = directory.path().display();
    for (sql, expected) in [
        (
            format!("array_sum(value) FROM npy('{at}/i.npy')"),
            &["9007199254740993", "-9007199254740992"][..],
        ),
        (format!("list_sum(value) FROM npy('{at}/u.npy')"), &["18446744073709551615"]),
        ("arrow_typeof(array_sum([arrow_cast(1, 'UInt8')]))".to_owned(), &["UInt64"]),
        ("array_sum(arrow_cast([1, 2], 'LargeList(Int32)'))".to_owned(), &["3"]),
        ("array_sum([1, NULL, 2])".to_owned(), &["3"]),
        ("array_sum(arrow_cast([NULL], 'List(Int64)'))".to_owned(), &[""]),
        ("array_sum(arrow_cast([], 'List(Int64)'))".to_owned(), &[""]),
        ("array_sum(arrow_cast(NULL, 'List(Int64)'))".to_owned(), &[""]),
        ("array_sum([1.5, 2])".to_owned(), &["3.5"]),
        (
            "array_sum(CAST([9223372036854775807, 1] AS DOUBLE[]))".to_owned(),
            &["9.223372036854776e18"],
        ),
    ] {
        assert_eq!(cells(&text(&ctx, &format!("SELECT {sql}")).await), expected, "{sql}");
    }
    for (sql, expected) in [
        (
            "SELECT array_sum([4611686018427387904, 4611686018427387904])",
            "9223372036854775808, and Int64",
        ),
        (
            "SELECT array_sum(arrow_cast([-1 + 1, 18446744073709551615, 1], 'List(UInt64)'))",
            "18446744073709551616, and UInt64",
        ),
    ] {
        let refused = error(&ctx, sql).await;
        assert!(refused.contains(expected) && refused.contains("CAST(x AS DOUBLE[])"), "{refused}");
    }
}

/// Guards lengths of text, which DataFusion ignores.
#[tokio::test]
async fn lengths_of_text_are_refused() {
    let ctx = session();
    for sql in [
        "SELECT CAST('abc' AS VARCHAR(2))",
        "SELECT 'abc'::CHAR(2)",
        "SELECT TRY_CAST('abc' AS VARCHAR(2))",
        "CREATE TABLE t (s VARCHAR(2))",
        "CREATE EXTERNAL TABLE t (s CHAR(2)) STORED AS NPY LOCATION 'x/'",
    ] {
        let refused = error(&ctx, sql).await;
        assert!(
            refused.contains("(2): its length would be ignored") && refused.contains("left(x, 2)"),
            "{refused}"
        );
    }
    let found = text(&ctx, "SELECT left(CAST(12345 AS VARCHAR), 2)").await;
    assert_eq!(cells(&found), ["12"]);
}

/// Guards what README says of quotients: unsigned columns of 64 bits and signed integers are divided as floats, and no others of integers.
#[tokio::test]
async fn quotients_are_as_documented() {
    let ctx = session();
    for (sql, expected) in [
        ("7 / 10", "0"),
        ("-7 / 2", "-3"),
        ("arrow_cast(7, 'UInt64') / 10", "0.7"),
        ("(arrow_cast(6, 'UInt64') + 1) / 16", "0.4375"),
        ("2 / (arrow_cast(64, 'UInt64') * 1)", "0.03125"),
        ("coalesce(sum(arrow_cast(7, 'UInt64')), 0) / 16", "0.4375"),
        ("nullif(arrow_cast(7, 'UInt64'), 0) / 16", "0.4375"),
        (
            "x / 1 FROM (SELECT CAST(9007199254740993 AS DECIMAL(18, 0)) AS x)",
            "9007199254740993.0000",
        ),
        ("CAST(7 AS DECIMAL(38, 0)) / 16", "0.4375"),
        ("CAST(7 AS DECIMAL(38, 0)) / 64", "0.1093"),
        ("sum(CAST(7 AS DECIMAL(38, 0))) / 64", "0.1093"),
        ("arrow_cast(7, 'Decimal128(38, 0)') / 64", "0.1093"),
        ("(SELECT CAST(9007199254740993 AS DECIMAL(18, 0))) / 1", "9007199254740993.0000"),
        ("CAST(arrow_cast(7, 'UInt64') AS BIGINT) / 10", "0"),
        ("count(*) * 3 / sum(arrow_cast(200000, 'UInt32'))", "0.000015"),
        ("arrow_cast(7, 'UInt32') / 10", "0"),
        ("arrow_cast(7, 'UInt64') / arrow_cast(10, 'UInt64')", "0"),
        ("arrow_typeof(row_number() OVER () / 10)", "Int64"),
        ("array_length([1, 2]) / 10", "0"),
        ("arrow_typeof(sum(arrow_cast(7, 'UInt8')))", "UInt64"),
        ("arrow_typeof(count(*))", "Int64"),
        ("array_avg([1, 2])", "1.5"),
    ] {
        assert_eq!(cells(&text(&ctx, &format!("SELECT {sql}")).await), [expected], "{sql}");
    }
}

/// Guards counts that DataFusion has without a sign, so that a difference of two of them wraps: they have one, as in PostgreSQL.
#[tokio::test]
async fn counts_have_a_sign() {
    let directory = tempfile::tempdir().unwrap();
    let ctx = session();
    rows(&ctx, "CREATE TABLE t AS SELECT * FROM (VALUES (1, 3), (2, 2), (3, 1)) v(a, b)").await;
    for (sql, expected) in [
        ("rank() OVER (ORDER BY a) - rank() OVER (ORDER BY b)", "-2"),
        ("dense_rank() OVER (ORDER BY a) - dense_rank() OVER (ORDER BY b)", "-2"),
        ("row_number() OVER (ORDER BY a) - row_number() OVER (ORDER BY b)", "-2"),
        ("ntile(3) OVER (ORDER BY a) - ntile(3) OVER (ORDER BY b)", "-2"),
        ("row_number() OVER w - array_length([a, b]) FROM t WINDOW w AS (ORDER BY a)", "-1"),
        (
            "x - y FROM (SELECT a, rank() OVER (ORDER BY a) AS x, cardinality([a, b]) AS y FROM t)",
            "-1",
        ),
        ("array_length([a]) - list_length([a, b])", "-1"),
        ("array_position([1, 2], 1) - array_position([1, 2], 2)", "-1"),
        ("array_positions([1, 2], 1)[1] - array_dims([1, 2])[1]", "-1"),
        ("array_ndims([a]) - array_ndims([[a]])", "-1"),
        ("(SELECT approx_distinct(a) - regr_count(a, b) - 1 FROM t)", "-1"),
        ("(SELECT max(n) - 4 FROM (SELECT approx_distinct(a) OVER () AS n FROM t))", "-1"),
    ] {
        let from = if sql.contains("FROM t W") || sql.starts_with("x -") { "" } else { "FROM t" };
        let query = format!("SELECT {sql} {from} ORDER BY a LIMIT 1");
        assert_eq!(cells(&text(&ctx, &query).await), [expected], "{query}");
    }
    let path = directory.path().join("x.npy");
    let copy = format!(
        "COPY (SELECT rank() OVER (ORDER BY a) - rank() OVER (ORDER BY b) AS value FROM t) TO '{}'",
        path.display()
    );
    rows(&ctx, &copy).await;
    let mut differences: Vec<i64> = npy_core::load(path).unwrap();
    differences.sort_unstable();
    assert_eq!(differences, [-2, 0, 2]);
}
