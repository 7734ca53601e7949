//! Statistics of frames whose start moves: each is that of its own rows, whatever has left the frame.

use datafusion::arrow::array::AsArray;
use datafusion::arrow::compute::{cast, concat_batches};
use datafusion::arrow::datatypes::{DataType, Float64Type};
use datafusion::prelude::SessionContext;
use npy_datafusion::session;

/// Returns the first column of a result.
async fn floats(ctx: &SessionContext, sql: &str) -> Vec<Option<f64>> {
    let batches = ctx.sql(sql).await.unwrap().collect().await.unwrap();
    let all = concat_batches(&batches[0].schema(), &batches).unwrap();
    let values = cast(all.column(0), &DataType::Float64).unwrap();
    values.as_primitive::<Float64Type>().iter().collect()
}

/// Guards values that leave a frame: NaN, infinities, large ones, and integers that no float has. The results are those of pandas and NumPy.
#[tokio::test]
async fn what_has_left_a_frame_is_forgotten() {
    let ctx = session();
    let nan = Some(f64::NAN);
    for (call, values, expected) in [
        (
            "avg(x)",
            "1.0, 1e17, 3, 4, 5",
            vec![Some(1.0), Some(5e16), Some(5e16), Some(3.5), Some(4.5)],
        ),
        (
            "sum(x)",
            "1.0, 1e17, 3, 4, 5",
            vec![Some(1.0), Some(1e17), Some(1e17), Some(7.0), Some(9.0)],
        ),
        ("avg(x)", "1.0, 'NaN', 3, 4", vec![Some(1.0), nan, nan, Some(3.5)]),
        (
            "sum(x)",
            "1.0, 'inf', 3, 4",
            vec![Some(1.0), Some(f64::INFINITY), Some(f64::INFINITY), Some(7.0)],
        ),
        ("stddev_pop(x)", "1.0, 'NaN', 3, 4, 6", vec![Some(0.0), nan, nan, Some(0.5), Some(1.0)]),
        ("var_samp(x)", "1.0, 'inf', 3, 4, 6", vec![None, nan, nan, Some(0.5), Some(2.0)]),
        (
            "covar_pop(x, 2 * x)",
            "1.0, 'NaN', 3, 4, 6",
            vec![Some(0.0), nan, nan, Some(0.5), Some(2.0)],
        ),
        ("regr_slope(2 * x, x)", "1.0, 'NaN', 3, 4, 6", vec![None, nan, nan, Some(2.0), Some(2.0)]),
        ("corr(x, -x)", "1.0, 'NaN', 3, 4, 6", vec![None, nan, nan, Some(-1.0), Some(-1.0)]),
        ("avg(x)", "1.0, NULL, NULL, 4", vec![Some(1.0), Some(1.0), None, Some(4.0)]),
        (
            "sum(x) FILTER (WHERE x < 9)",
            "1.0, 9, 9, 4",
            vec![Some(1.0), Some(1.0), None, Some(4.0)],
        ),
    ] {
        let rows: Vec<_> = values
            .split(", ")
            .enumerate()
            .map(|(k, x)| format!("({k}, CAST({x} AS DOUBLE))"))
            .collect();
        let sql = format!(
            "SELECT {call} OVER (ORDER BY k ROWS 1 PRECEDING) FROM (VALUES {}) v(k, x) ORDER BY k",
            rows.join(", ")
        );
        let found = floats(&ctx, &sql).await;
        let is_equal = |(found, expected): (&Option<f64>, &Option<f64>)| match (found, expected) {
            (Some(found), Some(expected)) => {
                found == expected
                    || found.is_nan() && expected.is_nan()
                    || (found - expected).abs() < 1e-12
            }
            _ => found == expected,
        };
        assert!(
            found.len() == expected.len() && found.iter().zip(&expected).all(is_equal),
            "{sql}: {found:?}, not {expected:?}"
        );
    }
    let sql = "SELECT avg(x) OVER (ORDER BY k ROWS BETWEEN CURRENT ROW AND CURRENT ROW) FROM \
        (VALUES (0, 1), (1, 9223372036854775807), (2, 3)) v(k, x) ORDER BY k";
    assert_eq!(floats(&ctx, sql).await[2], Some(3.0));
}

/// Guards each function and kind of frame against the same function of the rows of each frame alone.
#[tokio::test]
async fn a_frame_has_the_statistics_of_its_rows() {
    let ctx = session();
    // With nulls and gaps.
    let table = "CREATE TABLE t AS SELECT k, CASE WHEN k % 11 = 5 THEN NULL ELSE 1e6 + sin(k * k) END AS x, \
        CASE WHEN k % 7 = 3 THEN NULL ELSE cos(k) - 1e6 END AS y \
        FROM (SELECT CAST(value + 40 * (value / 20) AS DOUBLE) AS k FROM generate_series(0, 99))";
    ctx.sql(table).await.unwrap().collect().await.unwrap();
    for call in [
        "avg(x)",
        "sum(x)",
        "stddev(x)",
        "stddev_pop(x)",
        "var_samp(x)",
        "var_pop(x)",
        "covar_samp(x, y)",
        "covar_pop(x, y)",
        "corr(x, y)",
        "regr_slope(y, x)",
        "regr_intercept(y, x)",
        "regr_r2(y, x)",
        "regr_avgx(y, x)",
        "regr_avgy(y, x)",
        "regr_sxx(y, x)",
        "regr_syy(y, x)",
        "regr_sxy(y, x)",
        "regr_count(y, x)",
    ] {
        for (low, high) in [(-30, 0), (-9, 9), (2, 12), (-20, -5)] {
            let bound = |bound: i32| match bound {
                0 => "CURRENT ROW".to_owned(),
                ..0 => format!("{} PRECEDING", -bound),
                _ => format!("{bound} FOLLOWING"),
            };
            let (first, last) = (bound(low), bound(high));
            for filter in ["", " FILTER (WHERE x > 999999.5)"] {
                let of_frame = format!(
                    "SELECT {call}{filter} OVER (ORDER BY k RANGE BETWEEN {first} AND {last}) FROM t ORDER BY k"
                );
                let alone = format!(
                    "SELECT {call}{filter} FROM (SELECT a.k AS at, b.x, b.y FROM t a LEFT JOIN t b \
                    ON b.k BETWEEN a.k + {low} AND a.k + {high}) GROUP BY at ORDER BY at"
                );
                let (found, expected) = (floats(&ctx, &of_frame).await, floats(&ctx, &alone).await);
                assert_eq!(found.len(), 100);
                for (row, (found, expected)) in found.iter().zip(&expected).enumerate() {
                    let is_equal = match (found, expected) {
                        (Some(found), Some(expected)) => {
                            (found - expected).abs() <= 1e-6 * expected.abs().max(0.1)
                        }
                        _ => found == expected,
                    };
                    assert!(is_equal, "{of_frame}: row {row}: {found:?}, not {expected:?}");
                }
            }
        }
    }
}
