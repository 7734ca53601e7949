//! Spans of time that are compared with intervals: a day has 24 hours.

use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::prelude::SessionContext;
use npy_core::time::{Ms, Second};
use npy_core::{NpyRecord, TimeDelta64, WriteNpy};
use npy_datafusion::{NpyOptions, register, session};

#[derive(NpyRecord)]
struct Row {
    id: i64,
    s: TimeDelta64<Second>,
    ms: TimeDelta64<Ms>,
}

/// Returns the values of the only column.
async fn column(ctx: &SessionContext, sql: &str) -> Result<Vec<String>, String> {
    let rows = async { ctx.sql(sql).await?.collect().await };
    let rows = rows.await.map_err(|error| error.strip_backtrace())?;
    let table = pretty_format_batches(&rows).unwrap().to_string();
    let cells = table.lines().skip(3).filter(|line| line.starts_with('|'));
    Ok(cells.map(|line| line.trim_matches(['|', ' ']).to_owned()).collect())
}

/// Guards days of intervals, in each place where a span is compared with one, or added to one. The spans are 1 second, 25 hours, and a minute less than 3 days.
#[tokio::test]
async fn a_day_among_spans_has_24_hours() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.npy");
    let spans = (0..).zip([1, 90_000, 259_140]);
    let rows =
        spans.map(|(id, s)| Row { id, s: TimeDelta64::new(s), ms: TimeDelta64::new(s * 1000) });
    let rows: Vec<Row> = rows.collect();
    rows.write_npy(&path).unwrap();
    let ctx = session();
    register(&ctx, "t", &path.display().to_string(), NpyOptions::default()).await.unwrap();
    for (condition, expected) in [
        ("s > INTERVAL '1 day'", "2"),
        ("ms > INTERVAL '1 day'", "2"),
        ("INTERVAL '1 day' < s", "2"),
        ("s > INTERVAL '1 day 1 hour'", "1"),
        ("s = INTERVAL '1 day 1 hour'", "1"),
        ("s < INTERVAL '1' DAY", "1"),
        ("s >= CAST('1 day' AS INTERVAL)", "2"),
        ("s BETWEEN -INTERVAL '2 days' AND INTERVAL '2 days'", "2"),
        ("s NOT IN (INTERVAL '1 day 1 hour', INTERVAL '1 second')", "1"),
        ("s IS DISTINCT FROM INTERVAL '1 day 1 hour'", "2"),
        ("s - ms + s > INTERVAL '1 day'", "2"),
        ("s + INTERVAL '1 day' > INTERVAL '2 days'", "2"),
        ("s > INTERVAL '1 day' + INTERVAL '2 hours'", "1"),
        ("INTERVAL '1 day' - s < INTERVAL '0 days'", "2"),
        ("s > (SELECT INTERVAL '1 day')", "2"),
        ("s > CASE WHEN id > 0 THEN INTERVAL '1 day' ELSE INTERVAL '0 days' END", "3"),
        ("s IN (INTERVAL '1 day 1 hour', (SELECT INTERVAL '1 second'))", "2"),
        ("s > INTERVAL '1.5 seconds'", "2"),
        ("nullif(s, INTERVAL '1 day 1 hour') IS NULL", "1"),
        ("greatest(s, INTERVAL '2 days') = INTERVAL '2 days'", "2"),
        ("CASE s WHEN INTERVAL '1 day 1 hour' THEN true END", "1"),
        ("to_timestamp_seconds(id) + s - to_timestamp_seconds(id) > INTERVAL '2 days'", "1"),
    ] {
        let sql = format!("SELECT count(*) FROM t WHERE {condition}");
        assert_eq!(column(&ctx, &sql).await, Ok(vec![expected.to_owned()]), "{condition}");
    }
    // After a time, a day is one of the calendar, and the next month has its length.
    let time = "SELECT TIMESTAMP '2026-01-30 12:00:00' + INTERVAL '1 day' + INTERVAL '1 month' = TIMESTAMP '2026-02-28 12:00:00'";
    assert_eq!(column(&ctx, time).await.unwrap(), ["true"]);
    for far in ["DATE '1600-01-01'", "CAST('1600-01-01' AS TIMESTAMP(0))"] {
        let case = format!(
            "SELECT date_part('day', {far} + CASE WHEN id > 0 THEN INTERVAL '1 day' ELSE INTERVAL '2 days' END) FROM t ORDER BY id"
        );
        assert_eq!(column(&ctx, &case).await.unwrap(), ["3", "2", "2"], "{far}");
    }
    // Nanoseconds do not count this span.
    [TimeDelta64::<Second>::new(1 << 44)].write_npy(directory.path().join("far.npy")).unwrap();
    let far = directory.path().join("far.npy").display().to_string();
    register(&ctx, "far", &far, NpyOptions::default()).await.unwrap();
    let far = "SELECT value > INTERVAL '200000 days' FROM far";
    assert_eq!(column(&ctx, far).await.unwrap(), ["true"]);
    // An interval that was made of spans in another query has hours.
    for spans in [
        "coalesce(s, INTERVAL '0 days')",
        "greatest(s, ms)",
        "CASE WHEN id < 0 THEN INTERVAL '1 day' ELSE ms END",
        "s + INTERVAL '0 seconds'",
        "s + ms - s",
    ] {
        let sql = format!(
            "WITH c AS (SELECT id, {spans} AS p FROM t) SELECT id FROM c GROUP BY id HAVING max(p) > INTERVAL '1 day' ORDER BY id"
        );
        assert_eq!(column(&ctx, &sql).await.unwrap(), ["1", "2"], "{spans}");
        let sql = format!("SELECT count(*) FROM (SELECT {spans} AS p FROM t) JOIN t ON s = p");
        assert_eq!(column(&ctx, &sql).await.unwrap(), ["3"], "{spans}");
    }
    // Without a span, a day is a day in sums, and has 24 hours in comparisons.
    for (sql, expected) in [
        ("SELECT date_part('day', INTERVAL '1 day' + INTERVAL '1 day')", "2"),
        ("SELECT date_part('day', greatest(INTERVAL '1 day', INTERVAL '2 days'))", "2"),
        ("SELECT date_part('day', nullif(INTERVAL '3 days', INTERVAL '0 days'))", "3"),
        ("SELECT p = INTERVAL '1 day' FROM (SELECT INTERVAL '1 day' AS p)", "true"),
        ("SELECT p < INTERVAL '1 day 1 second' FROM (SELECT INTERVAL '24 hours' AS p)", "true"),
        ("SELECT INTERVAL '1 day' > INTERVAL '25 hours'", "false"),
        ("SELECT p > INTERVAL '200000 days' FROM (SELECT INTERVAL '200001 days' AS p)", "true"),
        ("SELECT p < INTERVAL '200000 days' FROM (SELECT INTERVAL '25 hours' AS p)", "true"),
        ("SELECT p > INTERVAL '1 month' FROM (SELECT INTERVAL '2 months' AS p)", "true"),
        (
            "SELECT arrow_typeof(DATE '2026-01-01' + (INTERVAL '1 day' + INTERVAL '1 day'))",
            "Date32",
        ),
        ("SELECT s < INTERVAL '300000 days 1 nanosecond' FROM t LIMIT 1", "true"),
    ] {
        assert_eq!(column(&ctx, sql).await, Ok(vec![expected.to_owned()]), "{sql}");
    }
    let hours = "SELECT s > arrow_cast(p, 'Duration(s)') FROM t, (SELECT INTERVAL '24 hours' AS p) q ORDER BY id";
    assert_eq!(column(&ctx, hours).await.unwrap(), ["false", "true", "true"]);
    for (sql, expected) in [
        ("SELECT arrow_typeof(s + INTERVAL '1 day') FROM t LIMIT 1", "Duration(s)"),
        ("SELECT arrow_typeof(INTERVAL '1.5 seconds' - s) FROM t LIMIT 1", "Duration(ms)"),
        ("SELECT arrow_typeof(s - ms) FROM t LIMIT 1", "Duration(ms)"),
        ("SELECT CAST(sum(s - ms + INTERVAL '1 nanosecond') AS BIGINT) FROM t", "3"),
    ] {
        assert_eq!(column(&ctx, sql).await, Ok(vec![expected.to_owned()]), "{sql}");
    }
    for (sql, expected) in [
        ("SELECT count(*) FROM (SELECT s FROM t UNION SELECT INTERVAL '25 hours')", "3"),
        ("SELECT count(*) FROM t WHERE s IN (SELECT coalesce(ms, INTERVAL '0 days') FROM t)", "3"),
        ("SELECT count(*) FROM t JOIN (SELECT INTERVAL '25 hours' AS s) b USING (s)", "1"),
        (
            "WITH RECURSIVE r AS (SELECT arrow_cast(min(s), 'Duration(ms)') AS p FROM t UNION ALL SELECT p + INTERVAL '500 milliseconds' FROM r WHERE p < INTERVAL '2 seconds') SELECT count(*) FROM r",
            "3",
        ),
    ] {
        assert_eq!(column(&ctx, sql).await, Ok(vec![expected.to_owned()]), "{sql}");
    }
    for sql in [
        "SELECT s FROM t UNION ALL SELECT INTERVAL '1 day'",
        "SELECT s FROM t INTERSECT SELECT INTERVAL '1 day'",
        "SELECT id FROM t WHERE s IN (SELECT INTERVAL '1 day' AS p)",
        "SELECT id FROM t JOIN (SELECT INTERVAL '1 day' AS s) b USING (s)",
        "SELECT id FROM t WHERE s IN (SELECT INTERVAL '1 day' AS p LIMIT 1)",
        "SELECT id FROM t WHERE INTERVAL '1 day' IN (SELECT s FROM t)",
        "SELECT id FROM t JOIN (VALUES (INTERVAL '1 day')) v(s) USING (s)",
        "SELECT s FROM t UNION ALL SELECT * FROM (VALUES (INTERVAL '1 day')) v(p)",
        "SELECT coalesce(s, INTERVAL '1 hour') FROM t UNION ALL SELECT INTERVAL '1 day'",
        "SELECT id FROM t WHERE struct(s, id) = struct(INTERVAL '1 day', 1)",
    ] {
        let refused = column(&ctx, sql).await.unwrap_err();
        assert!(refused.contains("write the hours, as INTERVAL '24 hours'"), "{refused}");
    }
    let cut = "WITH RECURSIVE r AS (SELECT min(s) AS p FROM t UNION ALL SELECT p + INTERVAL '500 milliseconds' FROM r WHERE p < INTERVAL '2 seconds') SELECT count(*) FROM r";
    let refused = column(&ctx, cut).await.unwrap_err();
    assert!(refused.contains("write arrow_cast(…, 'Duration(ms)') there"), "{refused}");
    let beyond = column(&ctx, "SELECT value + INTERVAL '1 nanosecond' FROM far").await;
    assert!(beyond.is_err(), "{beyond:?}");
    let months = column(&ctx, "SELECT s > INTERVAL '1 month' FROM t").await.unwrap_err();
    assert!(
        months.contains("next to a span of time; write days, as INTERVAL '30 days'"),
        "{months}"
    );
}
