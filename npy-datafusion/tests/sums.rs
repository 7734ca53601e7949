//! Sums of integers: each is right, or an error.

use std::path::Path;

use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::functions_aggregate::expr_fn::sum;
use datafusion::prelude::{SessionConfig, SessionContext, col};
use npy_core::{NpyRecord, WriteNpy};
use npy_datafusion::{NpyOptions, register, session, session_with_config};

#[derive(NpyRecord, Clone, Copy)]
struct Row {
    id: u32,
    x: i64,
    u: u64,
    d: npy_core::TimeDelta64<npy_core::time::Second>,
}

const MAX: i64 = i64::MAX;

/// Writes a file for each group of rows, so that its parts are added elsewhere.
fn write(directory: &Path, files: &[&[(u32, i64, u64)]]) {
    for (number, rows) in files.iter().enumerate() {
        let row =
            |&(id, x, u): &(u32, i64, u64)| Row { id, x, u, d: npy_core::TimeDelta64::new(x) };
        let rows: Vec<Row> = rows.iter().map(row).collect();
        rows.write_npy(directory.join(format!("{number}.npy"))).unwrap();
    }
}

async fn table(ctx: &SessionContext, directory: &Path) {
    let location = format!("{}/", directory.display());
    register(ctx, "t", &location, NpyOptions::default()).await.unwrap();
}

/// Returns the cells of a result, or the error.
async fn cells(ctx: &SessionContext, sql: &str) -> Result<String, String> {
    let rows = async { ctx.sql(sql).await?.collect().await };
    let rows = rows.await.map_err(|error| error.strip_backtrace())?;
    let table = pretty_format_batches(&rows).unwrap().to_string();
    let lines = table.lines().skip(3).filter(|line| line.starts_with('|'));
    let cells =
        |line: &str| line.split_whitespace().filter(|it| *it != "|").collect::<Vec<_>>().join(" ");
    Ok(lines.map(cells).collect::<Vec<_>>().join("; "))
}

/// Guards sums beyond 64 bits, by every way that DataFusion computes them: without and with groups, of a window, of values that differ.
#[tokio::test]
async fn a_sum_that_does_not_fit_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), &[&[(1, MAX, u64::MAX), (2, 5, 6)], &[(1, 1, 1), (2, -7, 3)]]);
    for partitions in [1, 4] {
        let ctx = session_with_config(SessionConfig::new().with_target_partitions(partitions));
        table(&ctx, directory.path()).await;
        for (sql, total) in [
            ("SELECT sum(x) FROM t", "9223372036854775806"),
            (
                "SELECT sum(x) FROM t WHERE id = 1",
                "sum(t.x) is 9223372036854775808, and Int64 does not hold it; sum decimals",
            ),
            (
                "SELECT sum(u) FROM t",
                "sum(t.u) is 18446744073709551625, and UInt64 does not hold it",
            ),
            ("SELECT id, sum(x) FROM t GROUP BY id", "is 9223372036854775808, and Int64"),
            ("SELECT id, sum(u) FROM t GROUP BY id", "is 18446744073709551616, and UInt64"),
            ("SELECT sum(DISTINCT x) FROM t WHERE id = 1", "is 9223372036854775808, and Int64"),
            ("SELECT sum(DISTINCT x), sum(DISTINCT u) FROM t WHERE id = 1", "and "),
            ("SELECT id, sum(DISTINCT x), sum(DISTINCT u) FROM t WHERE id = 1 GROUP BY id", "and "),
            (
                "SELECT sum(x) OVER (ORDER BY id, x DESC ROWS UNBOUNDED PRECEDING) FROM t WHERE id = 1",
                "is 9223372036854775808, and Int64",
            ),
            (
                "SELECT sum(x) OVER (ORDER BY id, x DESC ROWS 1 PRECEDING) FROM t WHERE id = 1",
                "is 9223372036854775808, and Int64",
            ),
            (
                "SELECT sum(DISTINCT x) OVER (ORDER BY id, x DESC ROWS 1 PRECEDING) FROM t WHERE id = 1",
                "is 9223372036854775808, and Int64",
            ),
            (
                "SELECT sum(d) FROM t WHERE id = 1",
                "Duration(s) does not hold it; sum their counts as decimals: sum(CAST(CAST(",
            ),
            (
                "SELECT count(DISTINCT u), sum(x) FROM t WHERE id = 1 GROUP BY id",
                "is 9223372036854775808, and Int64",
            ),
            (
                "SELECT sum(x) FILTER (WHERE id = 1) FROM t GROUP BY id",
                "is 9223372036854775808, and Int64",
            ),
        ] {
            let found = cells(&ctx, sql).await;
            let found = match &found {
                Ok(text) | Err(text) => text,
            };
            assert!(found.contains(total), "{partitions}: {sql}: {found}");
        }
        let exact = "SELECT sum(CAST(x AS DECIMAL(38, 0))) FROM t WHERE id = 1";
        assert_eq!(cells(&ctx, exact).await.unwrap(), "9223372036854775808");
        // The function of a program is DataFusion's own, until the plan is made.
        let frame = ctx.table("t").await.unwrap().aggregate(vec![], vec![sum(col("u"))]).unwrap();
        let error = frame.collect().await.unwrap_err().to_string();
        assert!(error.contains("18446744073709551625"), "{error}");
    }
}

/// Guards sums that fit although those of their parts do not, nulls, groups without rows, and windows whose rows leave.
#[tokio::test]
async fn a_sum_that_fits_is_right() {
    let directory = tempfile::tempdir().unwrap();
    write(
        directory.path(),
        &[
            &[(1, MAX, u64::MAX), (1, MAX, 0), (2, 1, 1), (3, i64::MIN, 0)],
            &[(1, -MAX, 0), (1, -MAX, 0), (1, 4, 0), (2, 1, 2), (3, MAX, 0)],
        ],
    );
    for partitions in [1, 4] {
        let ctx = session_with_config(SessionConfig::new().with_target_partitions(partitions));
        table(&ctx, directory.path()).await;
        for (sql, expected) in [
            ("SELECT sum(x) FROM t", "5"),
            (
                "SELECT id, sum(x), sum(u) FROM t GROUP BY id ORDER BY id",
                "1 4 18446744073709551615; 2 2 3; 3 -1 0",
            ),
            ("SELECT sum(x) FILTER (WHERE id = 2) FROM t GROUP BY id ORDER BY id", "; 2; "),
            ("SELECT id, sum(nullif(x, 1)) FROM t GROUP BY id ORDER BY id", "1 4; 2; 3 -1"),
            ("SELECT sum(nullif(x, 1)) FROM t WHERE id < 3", "4"),
            ("SELECT sum(x) FROM t WHERE id = 9", ""),
            ("SELECT sum(DISTINCT x) FROM t", "-9223372036854775803"),
            ("SELECT sum(DISTINCT x), sum(DISTINCT u) FROM t WHERE id > 1", "0 3"),
            (
                "SELECT id, sum(x), count(DISTINCT u) FROM t GROUP BY id ORDER BY id",
                "1 4 2; 2 2 2; 3 -1 1",
            ),
            // The sums of the rows of one distinct value do not fit.
            ("SELECT count(DISTINCT x > 0), sum(x) FROM t", "2 5"),
            ("SELECT count(DISTINCT x > 0), sum(x) FROM t WHERE id = 1 GROUP BY id", "2 4"),
            ("SELECT count(DISTINCT x > 0), CAST(sum(d) AS BIGINT) FROM t WHERE id < 3", "2 6"),
            (
                "SELECT sum(x) OVER (ORDER BY u, x ROWS 1 PRECEDING) FROM t WHERE id = 2 ORDER BY u",
                "1; 2",
            ),
            (
                "SELECT sum(x) OVER (ORDER BY x ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM t WHERE id = 3 ORDER BY x",
                "-1; -1",
            ),
            ("SELECT CAST(sum(d) AS BIGINT) FROM t WHERE id < 3", "6"),
            // Averages of spans whose sums do not fit.
            ("SELECT CAST(avg(d) AS BIGINT) FROM t WHERE x > 9", "9223372036854775807"),
            (
                "SELECT id, CAST(avg(d) AS BIGINT) FROM t WHERE x > 9 OR x < -9 GROUP BY id ORDER BY id",
                "1 0; 3 9223372036854775807",
            ),
            (
                "SELECT CAST(avg(d) OVER (ORDER BY x DESC ROWS 1 PRECEDING) AS BIGINT) FROM t WHERE id = 1 AND x > 0 ORDER BY x DESC",
                "9223372036854775807; 9223372036854775807; 4611686018427387905",
            ),
            ("SELECT avg(d) IS NULL FROM t WHERE id = 9", "true"),
            ("SELECT sum(id), sum(x * 0 + 1), avg(id) FROM t WHERE id = 2", "4 2 2.0"),
        ] {
            let found = cells(&ctx, sql).await;
            assert_eq!(found.as_deref(), Ok(expected), "{partitions}: {sql}");
        }
    }
}

/// Guards sums of many rows, large and small, which are added by two loops, and groups that leave an aggregation of sorted rows.
#[tokio::test]
async fn sums_of_many_rows_are_those_of_wide_integers() {
    let directory = tempfile::tempdir().unwrap();
    let mut state = 7u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        state
    };
    let rows: Vec<(u32, i64, u64)> = (0..30_000u32)
        .map(|n| {
            let shift = if n % 1000 < 500 { 30 } else { 2 };
            let bits = next();
            (n / 100, (bits.cast_signed() >> shift) * [1, -1][n as usize % 2], bits >> (shift + 15))
        })
        .collect();
    write(directory.path(), &[&rows[..10_000], &rows[10_000..10_001], &rows[10_001..]]);
    let ctx = session();
    table(&ctx, directory.path()).await;
    let total = |of: &dyn Fn(&(u32, i64, u64)) -> i128| rows.iter().map(of).sum::<i128>();
    let (x, u) = (total(&|row| row.1.into()), total(&|row| row.2.into()));
    let found = cells(&ctx, "SELECT sum(CAST(x AS DECIMAL(38, 0))) FROM t").await.unwrap();
    assert_eq!(found, x.to_string());
    // The message of one that does not fit has it, too.
    let found = match cells(&ctx, "SELECT sum(x) FROM t").await {
        Ok(text) | Err(text) => text,
    };
    assert!(found.contains(&x.to_string()), "{found}: {x}");
    let found = cells(&ctx, "SELECT sum(CAST(u AS DECIMAL(38, 0))) FROM t").await.unwrap();
    assert_eq!(found, u.to_string());
    let both = "SELECT count(*) FROM (SELECT id, sum(x) AS a, sum(d) AS b FROM (SELECT id, x, CAST(x AS DECIMAL(38, 0)) AS d FROM t) GROUP BY id) WHERE a <> b";
    let sorted = both.replace("FROM t)", "FROM t ORDER BY id)");
    let small = both.replace("FROM t)", "FROM t WHERE abs(x) < 1000000000000000)");
    for sql in [both, &sorted, &small] {
        let found = match cells(&ctx, sql).await {
            Ok(text) | Err(text) => text,
        };
        assert!(found == "0" || found.contains("does not hold it") && *sql != small, "{found}");
    }
}

/// Guards the speed of sums of values that differ: DataFusion divides them between threads, which changes no sum.
#[tokio::test]
async fn sums_of_values_that_differ_are_divided() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), &[&[(1, 2, 3), (1, 2, 3), (2, 5, 7)]]);
    let ctx = session();
    table(&ctx, directory.path()).await;
    for (sql, is_divided) in [
        ("SELECT sum(DISTINCT x) FROM t GROUP BY id", true),
        ("SELECT count(DISTINCT x), sum(DISTINCT x) FROM t", true),
        ("SELECT count(DISTINCT x), sum(u) FROM t", false),
    ] {
        let plan = ctx.sql(sql).await.unwrap().into_optimized_plan().unwrap();
        assert_eq!(plan.to_string().matches("Aggregate:").count() == 2, is_divided, "{sql}");
    }
}
