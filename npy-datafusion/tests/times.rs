//! Comparisons of times with literals in a finer unit: no literal is cut.

use crate::support::{error, rows, text};
use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::Int64Type;
use datafusion::prelude::{SessionConfig, SessionContext, col, lit};
use npy_core::{DType, DynArray, Order, WriteNpy};
use npy_datafusion::{session, session_with_config};

/// The units of columns, and the nanoseconds of each.
const UNITS: [(&str, i128); 5] =
    [("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000), ("D", 86_400_000_000_000)];

const COUNTS: [i64; 8] = [-3, -2, -1, 0, 1, 2, 55, 56];

/// Writes the counts and a NaT in each unit.
fn write(directory: &std::path::Path) {
    for (unit, _) in UNITS {
        let dtype: DType = format!("[('m', '<M8[{unit}]')]").parse().unwrap();
        let counts = COUNTS.into_iter().chain([i64::MIN]);
        let bytes: Vec<u8> = counts.flat_map(|count| count.to_le_bytes()).collect();
        let array = DynArray::new(dtype, vec![COUNTS.len() + 1], Order::C, bytes).unwrap();
        array.write_npy(directory.join(format!("{unit}.npy"))).unwrap();
    }
}

async fn count(ctx: &SessionContext, sql: &str) -> usize {
    let found = text(ctx, sql).await;
    let cell = found.lines().nth(3).unwrap_or_default().trim_matches(['|', ' ']);
    cell.parse().unwrap_or_else(|_| panic!("{sql}: {found}"))
}

/// Guards every comparison, in every unit, before and after 1970, of files and of tables in memory.
#[tokio::test]
async fn a_literal_is_not_cut() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path());
    let ctx = session();
    for (unit, size) in UNITS {
        let at = directory.path().join(format!("{unit}.npy"));
        rows(&ctx, &format!("CREATE TABLE m_{unit} AS SELECT * FROM npy('{}')", at.display()))
            .await;
        for literal in [-2, 0, 55].map(|count| i128::from(count) * size) {
            for rest in [0, 1, size - 1] {
                let value = literal + rest;
                let time = format!("to_timestamp_nanos({value})");
                let of = |count: &&i64| i128::from(**count) * size;
                let number = |test: &dyn Fn(i128) -> bool| {
                    COUNTS.iter().filter(|count| test(of(count))).count()
                };
                for (condition, expected) in [
                    (format!("m < {time}"), number(&|it| it < value)),
                    (format!("m <= {time}"), number(&|it| it <= value)),
                    (format!("m > {time}"), number(&|it| it > value)),
                    (format!("{time} < m"), number(&|it| it > value)),
                    (format!("m >= {time}"), number(&|it| it >= value)),
                    (format!("m = {time}"), number(&|it| it == value)),
                    (format!("m <> {time}"), number(&|it| it != value)),
                    (format!("NOT (m = {time})"), number(&|it| it != value)),
                    (format!("m IS DISTINCT FROM {time}"), number(&|it| it != value) + 1),
                    (format!("m IS NOT DISTINCT FROM {time}"), number(&|it| it == value)),
                    (
                        format!("m BETWEEN to_timestamp_nanos(0) AND {time}"),
                        number(&|it| 0 <= it && it <= value),
                    ),
                    (
                        format!("m NOT BETWEEN to_timestamp_nanos(1) AND {time}"),
                        number(&|it| it < 1 || it > value),
                    ),
                    (
                        format!("m IN ({time}, to_timestamp_nanos(0))"),
                        number(&|it| it == value || it == 0),
                    ),
                    (
                        format!("m NOT IN ({time}, to_timestamp_nanos(1))"),
                        number(&|it| it != value && it != 1),
                    ),
                    (format!("m IN ({time}, NULL)"), number(&|it| it == value)),
                    (format!("m NOT IN ({time}, NULL)"), 0),
                    (format!("CAST(m AS TIMESTAMP) < {time}"), number(&|it| it < value)),
                    (
                        format!("CASE WHEN m < {time} THEN true ELSE false END"),
                        number(&|it| it < value),
                    ),
                ] {
                    for table in [format!("npy('{}')", at.display()), format!("m_{unit}")] {
                        let sql = format!("SELECT count(*) FROM {table} WHERE {condition}");
                        assert_eq!(count(&ctx, &sql).await, expected, "{unit} {value}: {sql}");
                    }
                }
            }
        }
    }
}

/// Guards conditions that go down to a table through a view, and those whose time is known when the query begins.
#[tokio::test]
async fn a_view_and_now_are_not_cut() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path());
    let ctx = session();
    let at = directory.path().display();
    let half = "TIMESTAMP '1969-12-31T23:59:58.5'";
    for (sql, expected) in [
        (
            format!(
                "SELECT count(*) FROM (SELECT CAST(m AS TIMESTAMP) AS u FROM npy('{at}/s.npy')) WHERE u < {half}"
            ),
            2,
        ),
        (format!("SELECT count(*) FROM npy('{at}/s.npy') WHERE m < '1969-12-31T23:59:58.5'"), 2),
        (
            format!(
                "SELECT count(*) FROM npy('{at}/s.npy') a JOIN npy('{at}/ms.npy') b ON a.m = b.m"
            ),
            1,
        ),
        (
            format!(
                "SELECT count(*) FROM npy('{at}/s.npy') a, npy('{at}/ms.npy') b WHERE a.m < b.m"
            ),
            3 * 8 + 4,
        ),
        (
            format!(
                "SELECT count(*) FROM npy('{at}/s.npy') WHERE m IN (SELECT m FROM npy('{at}/ns.npy'))"
            ),
            1,
        ),
        (
            format!(
                "SELECT count(*) FROM npy('{at}/s.npy') WHERE m > (SELECT min(m) FROM npy('{at}/ms.npy'))"
            ),
            5,
        ),
        (
            format!(
                "SELECT count(*) FROM npy('{at}/D.npy') WHERE m < TIMESTAMP '1969-12-31T12:00:00'"
            ),
            3,
        ),
    ] {
        assert_eq!(count(&ctx, &sql).await, expected, "{sql}");
    }
    // A condition in the unit of the column is known to indices, and no conversion is left.
    let explain = format!("EXPLAIN SELECT * FROM npy('{at}/s.npy') WHERE m < {half}");
    let plan = text(&ctx, &explain).await;
    assert!(plan.contains("<= -2") || plan.contains("1969-12-31T23:59:58"), "{plan}");
    assert!(!plan.contains("npy_as_time"), "{plan}");
}

/// Guards times that a finer unit cannot count: they are compared in their own unit, also with other times.
#[tokio::test]
async fn far_years_are_compared() {
    let directory = tempfile::tempdir().unwrap();
    let dtype: DType = "[('m', '<M8[s]'), ('d', '<M8[D]')]".parse().unwrap();
    let values = [0, 0, i64::MAX / 1000, 1_000_000_000, -(i64::MAX / 1000), -1_000_000_000];
    let bytes = values.iter().flat_map(|count| count.to_le_bytes()).collect();
    let array = DynArray::new(dtype, vec![3], Order::C, bytes).unwrap();
    array.write_npy(directory.path().join("x.npy")).unwrap();
    let config = SessionConfig::new().with_target_partitions(1);
    let ctx = session_with_config(config);
    let table = format!("npy('{}/x.npy')", directory.path().display());
    for column in ["m", "d"] {
        for (condition, expected) in [
            ("< TIMESTAMP '2024-01-01T00:00:00.5'", 2),
            (">= TIMESTAMP '1969-01-01'", 2),
            ("= TIMESTAMP '1970-01-01'", 1),
        ] {
            let sql = format!("SELECT count(*) FROM {table} WHERE {column} {condition}");
            assert_eq!(count(&ctx, &sql).await, expected, "{sql}");
        }
    }
    let sql = format!("SELECT count(*) FROM {table} WHERE m < to_timestamp_nanos(CAST(d AS INT))");
    assert!(text(&ctx, &sql).await.contains("| 1 "), "{sql}");
}

/// Guards text and times beyond 1677 to 2262 that are compared, by columns with and without such times.
#[tokio::test]
async fn far_literals_are_compared() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path().display();
    // 1600-02-03T05:00, 2024-01-02T03:04:05, 2300-01-01T12:00 and 3000-06-01T01:00.
    let seconds = [-11_673_226_800, 1_704_164_645, 10_413_835_200, 32_516_730_000];
    for (unit, per) in [("s", 1), ("ms", 1_000), ("us", 1_000_000), ("ns", 1_000_000_000)] {
        let of_unit = if unit == "ns" { &seconds[1..2] } else { &seconds[..] };
        let counts = of_unit.iter().map(|it| it * per).chain([i64::MIN]);
        let bytes: Vec<u8> = counts.flat_map(|count| count.to_le_bytes()).collect();
        let dtype: DType = format!("[('m', '<M8[{unit}]')]").parse().unwrap();
        let array = DynArray::new(dtype, vec![of_unit.len() + 1], Order::C, bytes).unwrap();
        array.write_npy(directory.path().join(format!("{unit}.npy"))).unwrap();
    }
    let ctx = session();
    // The rows of the coarser units, and of nanoseconds.
    for (condition, expected, of_nanoseconds) in [
        ("m < '9999-12-31'", 4, 1),
        ("m < TIMESTAMP '9999-12-31'", 4, 1),
        ("m < TIMESTAMP '3000-01-01'", 3, 1),
        ("m > TIMESTAMP '3000-01-01'", 1, 0),
        ("TIMESTAMP '3000-01-01' < m", 1, 0),
        ("m > DATE '3000-01-01'", 1, 0),
        ("m > CAST('3000-01-01' AS TIMESTAMP(0))", 1, 0),
        ("m >= '1500-01-01'", 4, 1),
        ("m <= '1600-02-03T05:00:00'", 1, 0),
        ("m BETWEEN '2023-01-01' AND '2500-01-01'", 2, 1),
        ("m BETWEEN '2024-01-02T03:04:05.000000001' AND '2500-01-01'", 1, 0),
        ("m NOT BETWEEN '1000-01-01' AND '2500-01-01'", 1, 0),
        ("m = '3000-06-01T01:00:00'", 1, 0),
        ("m <> '3000-06-01T01:00:00'", 3, 1),
        ("NOT (m = '3000-06-01T01:00:00')", 3, 1),
        ("m IS DISTINCT FROM '3000-06-01T01:00:00'", 4, 2),
        ("m IS NOT DISTINCT FROM '3000-06-01T01:00:00.5'", 0, 0),
        ("m IN ('2300-01-01T12:00:00', '2024-01-02T03:04:05')", 2, 1),
        ("m NOT IN ('2300-01-01T12:00:00', '2300-01-01T12:00:01')", 3, 1),
        ("CASE WHEN m < '2500-01-01' THEN true ELSE false END", 3, 1),
    ] {
        for (unit, expected) in
            [("s", expected), ("ms", expected), ("us", expected), ("ns", of_nanoseconds)]
        {
            let sql = format!("SELECT count(*) FROM npy('{at}/{unit}.npy') WHERE {condition}");
            assert_eq!(count(&ctx, &sql).await, expected, "{sql}");
        }
    }
    // A row that nanoseconds do not count is equal to none of them.
    for (sql, expected) in [
        ("a JOIN b ON a.m = b.m", 1),
        ("a JOIN b USING (m)", 1),
        ("a LEFT JOIN b ON a.m = b.m AND b.m IS NOT NULL", 5),
        ("a FULL JOIN b ON b.m = a.m", 6),
        ("a, b WHERE a.m = b.m", 1),
        ("a WHERE EXISTS (SELECT 1 FROM b WHERE a.m = b.m)", 1),
        ("a WHERE NOT EXISTS (SELECT 1 FROM b WHERE a.m = b.m)", 4),
        ("a WHERE m IN (SELECT m FROM b)", 1),
    ] {
        let sql = format!(
            "WITH a AS (SELECT m FROM npy('{at}/ms.npy')), b AS (SELECT m FROM npy('{at}/ns.npy')) SELECT count(*) FROM {sql}"
        );
        assert_eq!(count(&ctx, &sql).await, expected, "{sql}");
    }
}

/// Guards text that is compared with days: its time of day is not cut, and the text of a day and of no time is DataFusion's.
#[tokio::test]
async fn the_time_of_a_text_is_not_cut() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path());
    let ctx = session();
    let table = format!("npy('{}/D.npy')", directory.path().display());
    // The days -3 to 2, 55 and 56, and a null.
    for (condition, expected) in [
        ("m < '1970-01-02T12:00:00'", 5),
        ("m <= '1970-01-02 00:00:00.000000001'", 5),
        ("'1970-01-02 12:00:00' > m", 5),
        ("m >= '1970-01-02T12:00:00'", 3),
        ("m = '1970-01-02T12:00:00'", 0),
        ("m = '1970-01-02T00:00:00'", 1),
        ("m = '1970-01-01T22:00:00-02:00'", 1),
        ("m <> '1970-01-02T12:00:00'", 8),
        ("m IS DISTINCT FROM '1970-01-02T12:00:00'", 9),
        ("m BETWEEN '1970-01-01T12:00:00' AND '1970-01-03'", 2),
        ("m NOT BETWEEN '1970-01-01T12:00:00' AND '1970-01-03T12:00:00'", 6),
        ("m IN ('1970-01-02T12:00:00', '1970-01-03')", 1),
        ("m NOT IN ('1970-01-02T12:00:00', '1970-01-03')", 7),
        ("m < '2500-01-02T12:00:00'", 8),
        ("m < '1970-01-02'", 4),
        ("m IN (SELECT m FROM t WHERE m < '1970-01-02T12:00:00')", 5),
    ] {
        let sql =
            format!("WITH t AS (SELECT * FROM {table}) SELECT count(*) FROM t WHERE {condition}");
        assert_eq!(count(&ctx, &sql).await, expected, "{sql}");
    }
    let sql = format!(
        "SELECT m < '1970-01-02T12:00:00', max(m) FROM {table} GROUP BY m < '1970-01-02T12:00:00' ORDER BY 2"
    );
    assert!(text(&ctx, &sql).await.contains("| true "), "{sql}");
    let refused = error(&ctx, &format!("SELECT 1 FROM {table} WHERE m < 'noon'")).await;
    assert!(refused.contains("Cannot cast string 'noon' to value of Date32 type"), "{refused}");
}

/// Guards conversions to several zones in one query, which the optimizer took for one.
#[tokio::test]
async fn zones_of_one_column_stay_apart() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path());
    let ctx = session();
    let hour =
        |zone: &str| format!("extract(hour FROM m AT TIME ZONE 'UTC' AT TIME ZONE '{zone}')");
    let (tokyo, berlin) = (hour("Asia/Tokyo"), hour("Europe/Berlin"));
    let sql = format!(
        "SELECT count(*) FROM npy('{}/s.npy') WHERE {tokyo} = {berlin} OR {tokyo} IS NULL",
        directory.path().display()
    );
    assert_eq!(count(&ctx, &sql).await, 1, "{sql}");
}

/// Guards comparisons of times in the keys of groups and windows: their columns keep their names, and windows their order.
#[tokio::test]
async fn times_are_compared_in_keys() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path());
    let ctx = session();
    let at = directory.path().display();
    let tables = format!(
        "(SELECT s.m AS s, ms.m AS ms, d.m AS d FROM npy('{at}/s.npy') s JOIN npy('{at}/ms.npy') ms ON s.m = ms.m JOIN npy('{at}/D.npy') d ON d.m = s.m)"
    );
    for (sql, expected) in [
        ("SELECT s >= ms AS a, count(*) AS n FROM t GROUP BY ROLLUP (s >= ms, d)", 3),
        ("SELECT s >= ms AS a, d, count(*) AS n FROM t GROUP BY CUBE (s >= ms, d)", 4),
        (
            "SELECT d < '1970-01-01T12:00:00' AS a FROM t GROUP BY GROUPING SETS ((d < '1970-01-01T12:00:00', s), (s))",
            2,
        ),
        ("SELECT row_number() OVER (PARTITION BY s >= ms ORDER BY d) AS n FROM t", 1),
        ("SELECT ntile(3) OVER (PARTITION BY NOT (s > ms) ORDER BY s < ms, d) AS n FROM t", 1),
    ] {
        let sql =
            format!("SELECT count(*) FROM ({})", sql.replace("FROM t", &format!("FROM {tables}")));
        assert_eq!(count(&ctx, &sql).await, expected, "{sql}");
    }
}

/// Guards days that are compared with numbers, which find no rows, and with a column of text, whose times DataFusion cuts: they are an error that says what to write. Other
/// subtractions are numbers.
#[tokio::test]
async fn days_are_not_compared_with_numbers_or_columns_of_text() {
    let ctx = session();
    let days = "(VALUES (DATE '2026-01-02', 7, '2026-01-02', TIMESTAMP '2026-01-02 00:00:00')) t(d, n, s, t)";
    for (condition, expected) in [
        (
            "d = 2026 - 1 - 2",
            "2026-01-02 is a subtraction of numbers, which t.d is compared with; write '2026-01-02'",
        ),
        ("d BETWEEN 2026-1-1 AND 2026-12-31", "write '2026-01-01' for the day"),
        ("s IN ('x', 2026-12-31)", "which t.s is compared with; write '2026-12-31'"),
        ("s <> 2026-12-31", "write '2026-12-31'"),
        ("arrow_cast(s, 'Dictionary(UInt16, Utf8)') = 2026-12-31", "write '2026-12-31'"),
        ("t >= 2026-1-2", "write '2026-01-02'"),
        (
            "d > 20260102",
            "t.d is a day, and 20260102 a number; write a day as '2026-01-02', or CAST(t.d AS INT)",
        ),
        ("n + 1 IS DISTINCT FROM d", "t.d is a day, and t.n + Int64(1) a number"),
        (
            "t = n",
            "t.t is a time, and t.n a number; write a time as '2026-01-02 10:30:00', or CAST(t.t AS BIGINT) for the nanoseconds",
        ),
        ("t IN (1.5)", "t.t is a time, and 1.5 a number"),
        (
            "5 < t - t",
            "t.t - t.t is a span of time, and 5 a number; write INTERVAL '5 seconds', or CAST(",
        ),
        (
            "s = d",
            "t.d is a day, and t.s is text; write CAST(t.s AS DATE) for the text, or CAST(t.s AS TIMESTAMP(6)) if it has times",
        ),
        ("d BETWEEN s AND '9999-12-31'", "CAST(t.s AS DATE)"),
        ("d IN ('2026-01-03', concat(s, ' 13:00:00'))", "write CAST(x AS DATE) for the text"),
        ("d = arrow_cast(s, 'Dictionary(UInt16, Utf8)')", "write CAST(x AS DATE)"),
        ("d < (SELECT '2026-01-02 13:00:00')", "write CAST(x AS DATE)"),
        ("d NOT IN (SELECT u.s FROM (VALUES ('2026-01-02 13:00:00')) u(s))", "CAST(u.s AS DATE)"),
        ("EXISTS (SELECT 1 FROM (VALUES (DATE '2026-01-02')) u(k) WHERE k = s)", "CAST(t.s AS"),
        (
            "(n, d) = (n, s)",
            "CAST(t.s AS TIMESTAMP(6)) if it has times, with struct(…) in the place of a tuple",
        ),
        ("(n, d) IN ((n, '2026-01-02'), (n, '2026-01-02 13:00:00'))", "13:00:00 is text; write"),
        ("CASE d WHEN s THEN true END", "CAST(t.s AS DATE)"),
        ("CASE d WHEN '2026-01-02T13:00:00' THEN true END", "13:00:00 is text; write"),
        ("nullif(d, s) IS NULL", "CAST(t.s AS DATE)"),
        ("greatest(d, '2026-01-02T13:00:00') = d", "13:00:00 is text; write"),
    ] {
        let refused = error(&ctx, &format!("SELECT * FROM {days} WHERE {condition}")).await;
        assert!(refused.contains(expected), "{condition}: {refused}");
    }
    for (condition, expected) in [
        ("CAST(s AS DATE) = d AND d = CAST(s AS TIMESTAMP)", 1),
        ("d = CAST(replace(s, '-', '') AS DATE)", 1),
        ("d < CAST(concat(s, ' 13:00:00') AS TIMESTAMP)", 1),
        ("d BETWEEN CAST(s AS DATE) AND '9999-12-31'", 1),
        ("d IN ('2026-01-03', CAST(concat(s, ' 13:00:00') AS TIMESTAMP))", 0),
        ("d NOT IN (SELECT CAST('2026-01-02 13:00:00' AS TIMESTAMP))", 1),
        ("(n, d) = (n, '2026-01-02')", 1),
        ("struct(d, n) = struct(CAST(concat(s, ' 13:00:00') AS TIMESTAMP), n)", 0),
        ("struct(d, n) = struct(CAST(s AS DATE), n)", 1),
        ("CASE d WHEN CAST('2026-01-02T13:00:00' AS TIMESTAMP) THEN true ELSE false END", 0),
        ("CASE d WHEN '2026-01-02' THEN true END", 1),
        ("nullif(d, CAST(concat(s, ' 13:00:00') AS TIMESTAMP)) IS NULL", 0),
        ("greatest(d, '2026-01-03') = '20260103'", 1),
        ("n < 2026-1-1", 1),
        ("n = 4096-1-1 - 4087", 1),
        ("d = '2026-01-02' AND d > DATE '2026-01-01' AND d < t + INTERVAL '1 second'", 1),
        ("CAST(d AS INT) > 20260102", 0),
        ("s = 2026", 0),
    ] {
        // Text that is no number is an error of its own.
        let days = if condition.starts_with("s ") {
            days.replace("'2026-01-02', T", "'7', T")
        } else {
            days.to_owned()
        };
        let sql = format!("SELECT count(*) FROM {days} WHERE {condition}");
        assert_eq!(count(&ctx, &sql).await, expected, "{sql}");
    }
    let tables = format!("WITH a AS (SELECT d FROM {days}), b AS (SELECT s AS d FROM {days})");
    for (query, expected) in [
        (
            "SELECT * FROM a JOIN b USING (d)",
            "CAST(b.d AS TIMESTAMP(6)) if it has times, with ON in",
        ),
        ("SELECT * FROM b NATURAL JOIN a", "with ON in the place of USING or NATURAL"),
        ("SELECT * FROM a JOIN b ON a.d = b.d", "a.d is a day, and b.d is text"),
        ("SELECT d FROM a INTERSECT SELECT d FROM b", "CAST(b.d AS DATE)"),
        (
            "SELECT count(*) OVER (ORDER BY d RANGE 7 PRECEDING) FROM a",
            "RANGE 7 has no unit; write INTERVAL '7 days'",
        ),
        (
            "SELECT d FROM a UNION SELECT d FROM b",
            "is days in one query, and text in another; write CAST(x AS DATE), or CAST(x AS TIMESTAMP(6)) if it has times, for the text, or",
        ),
        ("SELECT CASE WHEN a.d > now() THEN a.d ELSE b.d END FROM a, b", "CASE are b.d, which is"),
        ("SELECT nvl(a.d, '2026-01-02T13:00:00') FROM a", "'coalesce(Date32, Utf8)'"),
    ] {
        let refused = error(&ctx, &format!("{tables} {query}")).await;
        assert!(refused.contains(expected), "{query}: {refused}");
    }
    let on = "SELECT count(*) FROM a JOIN b ON a.d = CAST(b.d AS TIMESTAMP)";
    assert_eq!(count(&ctx, &format!("{tables} {on}")).await, 1);
    let case = "SELECT count(CASE WHEN a.d > now() THEN a.d ELSE '2026-01-02' END) FROM a";
    assert_eq!(count(&ctx, &format!("{tables} {case}")).await, 1);
    // The types of a view are converted before the rules.
    let view = |condition| format!("CREATE VIEW v AS SELECT * FROM {days} WHERE {condition}");
    let refused = npy_datafusion::sql(&ctx, &view("d = s")).await.unwrap_err().to_string();
    assert!(refused.contains("CAST(t.s AS DATE)"), "{refused}");
    npy_datafusion::sql(&ctx, &view("d < '2026-01-02 13:00:00'")).await.unwrap();
    assert_eq!(count(&ctx, "SELECT count(*) FROM v").await, 1);
}

/// Guards conversions to a coarser unit, which NumPy's `astype` makes to the last time that is not later: before 1970 that is not the nearest to it.
#[tokio::test]
async fn times_before_1970_are_cut_to_earlier_ones() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path().display();
    // 10:20:00.250250 and 10:20:00 of 1965-07-03, a time after 1970, and NaT.
    let counts = [-141_918_000i64 * 1_000_000 + 250_250, -141_918_000_000_000, 1_250_250, i64::MIN];
    let dtype: DType = "<M8[us]".parse().unwrap();
    let bytes = counts.iter().flat_map(|count| count.to_le_bytes()).collect();
    let array = DynArray::new(dtype, vec![counts.len()], Order::C, bytes).unwrap();
    array.write_npy(directory.path().join("t.npy")).unwrap();
    let ctx = session();
    for declared in ["TIMESTAMP(0)", "TIMESTAMP(3)"] {
        let name = if declared == "TIMESTAMP(0)" { "s" } else { "ms" };
        let sql = format!(
            "CREATE EXTERNAL TABLE {name} (value {declared}) STORED AS NPY LOCATION '{at}/t.npy'"
        );
        rows(&ctx, &sql).await;
    }
    let of_file = format!("npy('{at}/t.npy')");
    for (expression, table, per_second) in [
        ("CAST(value AS TIMESTAMP(0))", &*of_file, 1),
        ("TRY_CAST(value AS TIMESTAMP(0))", &of_file, 1),
        ("CAST(value AS TIMESTAMP(3))", &of_file, 1_000),
        ("date_trunc('second', CAST(value AS TIMESTAMP(0)))", &of_file, 1),
        ("to_timestamp_seconds(value)", &of_file, 1),
        ("to_timestamp_millis(value)", &of_file, 1_000),
        ("arrow_cast(value, 'Timestamp(s)')", &of_file, 1),
        ("arrow_cast(make_array(value), 'List(Timestamp(s))')[1]", &of_file, 1),
        ("arrow_cast(make_array(value), 'FixedSizeList(1 x Timestamp(s))')[1]", &of_file, 1),
        (
            "arrow_cast(arrow_cast(value - TIMESTAMP '1970-01-01', 'Duration(us)'), 'Duration(s)')",
            &of_file,
            1,
        ),
        ("value", "s", 1),
        ("value", "ms", 1_000),
    ] {
        let sql = format!("SELECT arrow_cast({expression}, 'Int64') AS n FROM {table}");
        let found = text(&ctx, &sql).await;
        let found = found.lines().skip(3).filter(|line| line.starts_with('|'));
        let found: Vec<&str> = found.map(|line| line.trim_matches(['|', ' '])).collect();
        let floor = |count: &i64| count.div_euclid(1_000_000 / per_second).to_string();
        let expected: Vec<String> = counts[..3].iter().map(floor).chain([String::new()]).collect();
        assert_eq!(found, expected, "{sql}");
    }
    // A comparison with a time in the coarser unit is about the cut time.
    for (condition, expected) in [
        ("CAST(value AS TIMESTAMP(0)) = '1965-07-03T10:20:00'", 2),
        ("CAST(value AS TIMESTAMP(0)) <= '1965-07-03T10:20:00'", 2),
        ("CAST(value AS TIMESTAMP(0)) > '1965-07-03T10:20:00'", 1),
        ("CAST(value AS TIMESTAMP(0)) = '1970-01-01T00:00:01'", 1),
    ] {
        let sql = format!("SELECT count(*) FROM npy('{at}/t.npy') WHERE {condition}");
        assert_eq!(count(&ctx, &sql).await, expected, "{sql}");
    }
}

/// Guards the first times of nanoseconds, which are not a second of nanoseconds: in a coarser unit they are a time, also in declared columns and copies.
#[tokio::test]
async fn the_first_nanoseconds_are_cut_to_earlier_seconds() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path().display();
    let dtype: DType = "<M8[ns]".parse().unwrap();
    let counts = [i64::MIN + 1, 1, i64::MIN];
    let bytes = counts.iter().flat_map(|count| count.to_le_bytes()).collect();
    let array = DynArray::new(dtype, vec![counts.len()], Order::C, bytes).unwrap();
    array.write_npy(directory.path().join("t.npy")).unwrap();
    let ctx = session();
    let declared =
        format!("CREATE EXTERNAL TABLE s (value TIMESTAMP(0)) STORED AS NPY LOCATION '{at}/t.npy'");
    rows(&ctx, &declared).await;
    let cast = format!("SELECT CAST(value AS TIMESTAMP(0)) AS value FROM npy('{at}/t.npy')");
    rows(&ctx, &format!("COPY ({cast}) TO '{at}/copy.npy'")).await;
    for (value, table) in [
        ("value", "s".to_owned()),
        ("value", format!("({cast})")),
        ("value", format!("npy('{at}/copy.npy')")),
        ("TRY_CAST(value AS TIMESTAMP(0))", format!("npy('{at}/t.npy')")),
        ("make_array(CAST(value AS TIMESTAMP(0)))[1]", format!("npy('{at}/t.npy')")),
        ("arrow_cast(make_array(value), 'List(Timestamp(s))')[1]", format!("npy('{at}/t.npy')")),
        (
            "arrow_cast(struct(value), 'Struct(\"c0\": Timestamp(s))')['c0']",
            format!("npy('{at}/t.npy')"),
        ),
    ] {
        let sql = format!("SELECT arrow_cast({value}, 'Int64') AS n FROM {table}");
        let found = text(&ctx, &sql).await;
        let found = found.lines().skip(3).filter(|line| line.starts_with('|'));
        let found: Vec<&str> = found.map(|line| line.trim_matches(['|', ' '])).collect();
        assert_eq!(found, ["-9223372037", "0", ""], "{sql}");
    }
}

/// Guards columns of two units: they are compared exactly, also where the finer unit does not count a time of the coarser one.
#[tokio::test]
async fn far_times_of_two_columns_are_compared() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    // 1600-02-29T13:14:15 and NaT, and times within the nanoseconds: before 1970, with a rest.
    let seconds = [-11_670_950_745, -1, 0, 16_741_663_200, 253_402_300_799, i64::MIN];
    let days = [-135_081, -1, 0, 193_769, 2_932_896, 0];
    let nanoseconds = [i64::MIN + 1, -1, 1, i64::MAX, 0, 0];
    for (name, dtype, counts) in
        [("s", "<M8[s]", seconds), ("d", "<M8[D]", days), ("n", "<M8[ns]", nanoseconds)]
    {
        let bytes = counts.iter().flat_map(|count: &i64| count.to_le_bytes()).collect();
        let array = DynArray::new(format!("'{dtype}'").parse().unwrap(), [6], Order::C, bytes);
        array.unwrap().write_npy(at.join(format!("{name}.npy"))).unwrap();
    }
    let ctx = session();
    let at = at.display();
    let table = format!(
        "(SELECT s._row AS k, s.value AS s, d.value AS d, n.value AS n FROM npy('{at}/s.npy') s JOIN npy('{at}/d.npy') d ON s._row = d._row JOIN npy('{at}/n.npy') n ON s._row = n._row)"
    );
    for (condition, expected) in [
        ("s < n", [Some(true), Some(true), Some(true), Some(false), Some(false), None]),
        ("n <= s", [Some(false), Some(false), Some(false), Some(true), Some(true), None]),
        ("s = n", [Some(false), Some(false), Some(false), Some(false), Some(false), None]),
        ("s <> n", [Some(true), Some(true), Some(true), Some(true), Some(true), None]),
        ("d < n", [Some(true), Some(true), Some(true), Some(false), Some(false), Some(false)]),
        ("d = n", [Some(false), Some(false), Some(false), Some(false), Some(false), Some(true)]),
        ("s > d", [Some(true), Some(true), Some(false), Some(true), Some(true), None]),
        ("s = d", [Some(false), Some(false), Some(true), Some(false), Some(false), None]),
        ("s BETWEEN d AND n", [Some(true), Some(true), Some(true), Some(false), Some(false), None]),
        (
            "s NOT BETWEEN d AND n",
            [Some(false), Some(false), Some(false), Some(true), Some(true), None],
        ),
        (
            "s IS DISTINCT FROM n",
            [Some(true), Some(true), Some(true), Some(true), Some(true), Some(true)],
        ),
        (
            "s IS NOT DISTINCT FROM d",
            [Some(false), Some(false), Some(true), Some(false), Some(false), Some(false)],
        ),
    ] {
        let sql = format!("SELECT {condition} AS c FROM {table} ORDER BY k");
        let found = npy_datafusion::sql(&ctx, &sql).await.unwrap().collect().await.unwrap();
        let found = datafusion::arrow::compute::concat_batches(&found[0].schema(), &found).unwrap();
        let found: Vec<_> = found.column(0).as_boolean().iter().collect();
        assert_eq!(found, expected, "{condition}");
        let count = expected.iter().filter(|it| **it == Some(true)).count();
        let sql = format!("SELECT count(*) AS c FROM {table} WHERE {condition}");
        let rows = npy_datafusion::sql(&ctx, &sql).await.unwrap().collect().await.unwrap();
        let rows = rows[0].column(0).as_primitive::<Int64Type>().value(0);
        assert_eq!(rows, count as i64, "{sql}");
    }
    // Keys of joins: equal times that nanoseconds do not count are equal.
    for (on, expected) in [
        ("date_trunc('day', a.value) = b.value", 6),
        ("a.value = b.value", 2),
        ("a.value IN (b.value, b.value)", 2),
        ("a.value > b.value", 16),
    ] {
        let sql =
            format!("SELECT a.value FROM npy('{at}/s.npy') a JOIN npy('{at}/d.npy') b ON {on}");
        let count = ctx.sql(&sql).await.unwrap().count().await.unwrap();
        assert_eq!(count, expected, "{sql}");
    }
    // The rest is an error with what to write.
    for (of, instead) in [
        ("s - d", "s - CAST(d AS TIMESTAMP(0))"),
        ("coalesce(s, d)", "coalesce(s, CAST(d AS TIMESTAMP(0)))"),
        ("unnest([s, d])", "unnest([s, CAST(d AS TIMESTAMP(0))])"),
        ("coalesce(s, TIMESTAMP '1970-01-01')", "coalesce(s, CAST('1970-01-01' AS TIMESTAMP(0)))"),
    ] {
        let sql = format!("SELECT {of} FROM {table}");
        let plan = npy_datafusion::sql(&ctx, &sql).await.unwrap();
        let refused = plan.collect().await.unwrap_err().to_string();
        assert!(refused.contains("value has a time that nanoseconds do not count, the unit of its expression; write CAST("), "{refused}");
        let sql = format!("SELECT {instead} FROM {table}");
        npy_datafusion::sql(&ctx, &sql).await.unwrap().collect().await.unwrap();
    }
}

/// Guards sums of times and spans of a finer unit, which have all values of NumPy, and frames of `RANGE`.
#[tokio::test]
async fn sums_have_the_finer_unit() {
    let directory = tempfile::tempdir().unwrap();
    let dtype: DType =
        "[('d', '<M8[D]'), ('s', '<M8[s]'), ('p', '<m8[ms]'), ('h', '<m8[h]')]".parse().unwrap();
    let values: [i64; 12] = [0, 0, 1500, 25, 1, 1, 500, -25, 2, 2, -1, 0];
    let bytes = values.iter().flat_map(|count| count.to_le_bytes()).collect();
    let array = DynArray::new(dtype, vec![3], Order::C, bytes).unwrap();
    array.write_npy(directory.path().join("x.npy")).unwrap();
    let ctx = session_with_config(SessionConfig::new().with_target_partitions(1));
    let at = directory.path().display();
    rows(&ctx, &format!("CREATE VIEW t AS SELECT * FROM npy('{at}/x.npy')")).await;
    let column = async |frame: datafusion::prelude::DataFrame| {
        let stated = frame.schema().field(0).data_type().clone();
        let found = frame.collect().await.unwrap();
        assert_eq!(found[0].schema().field(0).data_type(), &stated);
        let values = found.iter().flat_map(|batch| {
            let texts = datafusion::arrow::compute::cast(
                batch.column(0),
                &datafusion::arrow::datatypes::DataType::Utf8,
            );
            let texts = texts.unwrap();
            texts.as_string::<i32>().iter().map(|it| it.unwrap().to_owned()).collect::<Vec<_>>()
        });
        values.collect::<Vec<_>>().join(" ")
    };
    for (sum, expected) in [
        ("d + INTERVAL '12 hours'", "1970-01-01T12:00:00 1970-01-02T12:00:00 1970-01-03T12:00:00"),
        ("d - INTERVAL '25 hours'", "1969-12-30T23:00:00 1969-12-31T23:00:00 1970-01-01T23:00:00"),
        ("d + INTERVAL '1 month 1 day'", "1970-02-02 1970-02-03 1970-02-04"),
        ("d + CAST('1 day' AS INTERVAL)", "1970-01-02 1970-01-03 1970-01-04"),
        ("s + '1 day'::INTERVAL", "1970-01-02T00:00:00 1970-01-02T00:00:01 1970-01-02T00:00:02"),
        (
            "INTERVAL '250 milliseconds' + d",
            "1970-01-01T00:00:00.250 1970-01-02T00:00:00.250 1970-01-03T00:00:00.250",
        ),
        (
            "s - INTERVAL '500 milliseconds'",
            "1969-12-31T23:59:59.500 1970-01-01T00:00:00.500 1970-01-01T00:00:01.500",
        ),
        (
            "s + CASE WHEN s = d THEN INTERVAL '1 second' ELSE INTERVAL '1 millisecond' END",
            "1970-01-01T00:00:01 1970-01-01T00:00:01.001 1970-01-01T00:00:02.001",
        ),
        ("s + p", "1970-01-01T00:00:01.500 1970-01-01T00:00:01.500 1970-01-01T00:00:01.999"),
        ("s + h", "1970-01-02T01:00:00 1969-12-30T23:00:01 1970-01-01T00:00:02"),
        ("d + h", "1970-01-02T01:00:00 1969-12-31T23:00:00 1970-01-03T00:00:00"),
        (
            "d + (p + INTERVAL '1 second')",
            "1970-01-01T00:00:02.500 1970-01-02T00:00:01.500 1970-01-03T00:00:00.999",
        ),
        ("count(*) OVER (ORDER BY s RANGE INTERVAL '500 milliseconds' PRECEDING)", "1 1 1"),
        // Windows of one order are one step.
        (
            "count(*) OVER (ORDER BY d RANGE INTERVAL '25 hours' PRECEDING) + rank() OVER (ORDER BY d) \
             + count(*) OVER (ORDER BY d RANGE INTERVAL '2 days' PRECEDING) + count(*) OVER (ORDER BY d DESC)",
            "6 8 9",
        ),
        ("count(*) OVER (ORDER BY s DESC RANGE INTERVAL '1500 milliseconds' PRECEDING)", "1 2 2"),
        (
            "count(*) OVER (ORDER BY d RANGE BETWEEN INTERVAL '36 hours' PRECEDING AND INTERVAL '12 hours' FOLLOWING)",
            "1 2 2",
        ),
    ] {
        let frame = ctx.sql(&format!("SELECT {sum} AS x FROM t")).await.unwrap();
        assert_eq!(column(frame).await, expected, "{sum}");
    }
    let half = datafusion::scalar::ScalarValue::new_interval_mdn(0, 0, 500_000_000);
    let frame = ctx.table("t").await.unwrap().sort_by(vec![col("s")]).unwrap();
    let found = frame.select(vec![col("s") - lit(half)]).unwrap().collect().await.unwrap();
    let first = datafusion::arrow::util::pretty::pretty_format_batches(&found).unwrap().to_string();
    assert!(first.contains("1969-12-31T23:59:59.500"), "{first}");
    assert_eq!(
        count(&ctx, "SELECT count(*) FROM t WHERE s < CAST(d AS DATE) + INTERVAL '1 second'").await,
        3
    );
    let calendar = |start: &str, step: &str| {
        format!(
            "WITH RECURSIVE c AS (SELECT {start} AS d UNION ALL SELECT d + INTERVAL '{step}' FROM c WHERE d < '1970-01-03') SELECT count(*) FROM c"
        )
    };
    let of_days = calendar("DATE '1970-01-01'", "1 hour");
    for recursion in [
        of_days.clone(),
        of_days.replace("hour'", "hour' + INTERVAL '30 minutes'"),
        of_days
            .replace("SELECT d + INTERVAL '1 hour'", "SELECT greatest(d + INTERVAL '1 hour', d)"),
        of_days
            .replace("SELECT d + INTERVAL '1 hour'", "SELECT * FROM (SELECT d + INTERVAL '1 hour'")
            .replace("'1970-01-03'", "'1970-01-03')"),
    ] {
        let refused = error(&ctx, &recursion).await;
        assert!(refused.contains("recursive query; write CAST(… AS TIMESTAMP("), "{refused}");
    }
    for (start, step, expected) in [
        ("DATE '1970-01-01'", "1 day", 3),
        ("CAST(DATE '1970-01-01' AS TIMESTAMP(0))", "1 hour", 49),
    ] {
        assert_eq!(count(&ctx, &calendar(start, step)).await, expected, "{start}");
    }
    // A sum that nanoseconds do not count, with what to write.
    let far = "FROM (SELECT CAST('3000-01-01' AS TIMESTAMP(0)) AS t)";
    let refused = error(&ctx, &format!("SELECT t + arrow_cast(1, 'Duration(ns)') {far}")).await;
    assert!(refused.contains("and arrow_cast(d, 'Duration(s)') of a span d"), "{refused}");
    let instead = "arrow_cast(arrow_cast(1, 'Duration(ns)'), 'Duration(s)')";
    rows(&ctx, &format!("SELECT t + {instead} {far}")).await;
}
