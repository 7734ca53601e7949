//! NaN in comparisons: it is greater than all other numbers, with and without `GROUP BY`; and in medians, which are NaN.

use std::path::Path;

use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::compute::{cast, concat_batches};
use datafusion::arrow::datatypes::{DataType, Float64Type};
use datafusion::functions_aggregate::expr_fn::{max, min};
use datafusion::prelude::{SessionContext, col};
use npy_core::{DynArray, NpyRecord, Order, WriteNpy};
use npy_datafusion::{NpyOptions, register, session};

#[derive(NpyRecord, Clone, Copy)]
struct Row {
    id: u32,
    x: f64,
    y: f32,
}

/// The values of each group. Where NumPy differs: its `min` and `max` are NaN if one value is.
const GROUPS: [&[f32]; 8] = [
    &[1.0, f32::NAN, 2.0],
    &[f32::NAN, 3.0],
    &[5.0, f32::NAN],
    &[f32::NAN, f32::NAN],
    &[f32::INFINITY, f32::INFINITY],
    &[f32::NEG_INFINITY],
    &[f32::NEG_INFINITY, f32::NAN, f32::INFINITY],
    &[0.0, -1.5],
];

/// Returns the least and the greatest value by the documented order.
fn extremes(group: &[f32]) -> (f64, f64) {
    let mut sorted = group.to_vec();
    sorted.sort_by(f32::total_cmp);
    (sorted[0].into(), sorted[sorted.len() - 1].into())
}

/// Writes the groups, whose rows are mixed.
fn write(directory: &Path) {
    let mut rows = Vec::new();
    for n in 0..3 {
        for (id, group) in (0..).zip(GROUPS) {
            rows.extend(group.get(n).map(|&y| Row { id, x: y.into(), y }));
        }
    }
    rows.write_npy(directory.join("t.npy")).unwrap();
}

async fn table(ctx: &SessionContext, directory: &Path) {
    let path = directory.join("t.npy").display().to_string();
    register(ctx, "t", &path, NpyOptions::default()).await.unwrap();
}

/// Returns the columns of floats.
fn floats(batches: &[RecordBatch], column: usize) -> Vec<f64> {
    let all = concat_batches(&batches[0].schema(), batches).unwrap();
    let values = cast(all.column(column), &DataType::Float64).unwrap();
    values.as_primitive::<Float64Type>().values().to_vec()
}

async fn query(ctx: &SessionContext, sql: &str) -> Vec<RecordBatch> {
    ctx.sql(sql).await.unwrap().collect().await.unwrap()
}

#[track_caller]
fn assert_extremes(found: (&[f64], &[f64]), context: &str) {
    let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    let (least, greatest): (Vec<f64>, Vec<f64>) = GROUPS.map(extremes).into_iter().unzip();
    assert_eq!(bits(found.0), bits(&least), "{context}: {:?}, not {least:?}", found.0);
    assert_eq!(bits(found.1), bits(&greatest), "{context}: {:?}, not {greatest:?}", found.1);
}

/// Guards `min` and `max` of groups, of both widths, by every way that DataFusion computes them: they are those of each group alone.
#[tokio::test]
async fn groups_have_the_extremes_of_their_values() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path());
    let ctx = session();
    table(&ctx, directory.path()).await;
    let all = "SELECT count(*), min(x), max(x), min(y), max(y) FROM t GROUP BY id ORDER BY id";
    let over = "SELECT DISTINCT id, min(x) OVER (PARTITION BY id), max(x) OVER (PARTITION BY id) FROM t ORDER BY id";
    let kept =
        "SELECT id, min(x) FILTER (WHERE id < 99), max(DISTINCT x) FROM t GROUP BY id ORDER BY id";
    for sql in [all, over, kept] {
        let found = query(&ctx, sql).await;
        assert_extremes((&floats(&found, 1), &floats(&found, 2)), sql);
        if sql == all {
            assert_extremes((&floats(&found, 3), &floats(&found, 4)), "floats of 32 bits");
        }
    }
    let (mut least, mut greatest) = (Vec::new(), Vec::new());
    for id in 0..GROUPS.len() {
        let found = query(&ctx, &format!("SELECT min(x), max(x) FROM t WHERE id = {id}")).await;
        least.extend(floats(&found, 0));
        greatest.extend(floats(&found, 1));
    }
    assert_extremes((&least, &greatest), "without GROUP BY");
    // Another way of DataFusion: the few groups with the greatest maximum.
    let top =
        query(&ctx, "SELECT id, max(x) FROM t GROUP BY id ORDER BY max(x) DESC LIMIT 6").await;
    assert!(floats(&top, 1)[..5].iter().all(|value| value.is_nan()), "{:?}", floats(&top, 1));
    assert_eq!(floats(&top, 1)[5], f64::INFINITY);
    // The functions of a program are DataFusion's own, until the plan is made.
    let frame = ctx.table("t").await.unwrap();
    let frame = frame.aggregate(vec![col("id")], vec![min(col("x")), max(col("x"))]).unwrap();
    let found = frame.sort(vec![col("id").sort(true, true)]).unwrap().collect().await.unwrap();
    assert_extremes((&floats(&found, 1), &floats(&found, 2)), "expr_fn");
}

/// Guards the order of floats elsewhere, as it is documented: `ORDER BY`, comparisons, `greatest`, `DISTINCT`, joins.
#[tokio::test]
async fn nan_is_the_greatest_number_and_equal_to_itself() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path());
    let ctx = session();
    table(&ctx, directory.path()).await;
    let nans = GROUPS.iter().flat_map(|group| *group).filter(|value| value.is_nan()).count();
    for (sql, expected) in [
        ("SELECT count(*) FROM t WHERE x > CAST('inf' AS DOUBLE)", nans),
        ("SELECT count(*) FROM t WHERE x = CAST('nan' AS DOUBLE)", nans),
        ("SELECT count(DISTINCT x) FROM t WHERE isnan(x)", 1),
        ("SELECT count(*) FROM (SELECT x FROM t WHERE isnan(x) GROUP BY x)", 1),
        ("SELECT count(*) FROM t a JOIN t b ON a.x = b.x WHERE isnan(a.x)", nans * nans),
        (
            "SELECT count(*) FROM t WHERE isnan(greatest(x, 1e300)) AND least(x, 1e300) = 1e300",
            nans,
        ),
    ] {
        assert_eq!(floats(&query(&ctx, sql).await, 0), [expected as f64], "{sql}");
    }
    let sorted = floats(&query(&ctx, "SELECT x FROM t ORDER BY x").await, 0);
    assert!(sorted.is_sorted_by(|a, b| a.total_cmp(b).is_le()), "{sorted:?}");
}

/// Guards medians and percentiles of values with a NaN, by every way that DataFusion computes them: they are NaN, as in NumPy.
#[tokio::test]
async fn a_median_with_a_nan_is_nan() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path());
    let ctx = session();
    table(&ctx, directory.path()).await;
    for call in [
        "median(x)",
        "median(y)",
        "median(DISTINCT x)",
        "median(arrow_cast(x, 'Float16'))",
        "percentile_cont(x, 0.0)",
        "quantile_cont(0.25) WITHIN GROUP (ORDER BY y)",
        "percentile_cont(0.9) WITHIN GROUP (ORDER BY x DESC)",
        "approx_median(x)",
        "approx_percentile_cont(y, 0.5)",
        "approx_percentile_cont_with_weight(x, 1, 0.5)",
        "median(x) FILTER (WHERE id < 99)",
        "median(x) OVER (PARTITION BY id)",
    ] {
        let sql = match call.contains("OVER") {
            true => format!("SELECT DISTINCT id, {call} FROM t ORDER BY id"),
            false => format!("SELECT id, {call} FROM t GROUP BY id ORDER BY id"),
        };
        let found = floats(&query(&ctx, &sql).await, 1);
        assert_eq!(found.len(), GROUPS.len(), "{sql}");
        for (group, median) in GROUPS.iter().zip(found) {
            let has_nan = group.iter().any(|value| value.is_nan());
            // Between infinities DataFusion finds no percentile.
            let is_finite = group.iter().all(|value| value.is_finite());
            assert!(median.is_nan() || !has_nan, "{sql}: {group:?}: {median}");
            assert!(!median.is_nan() || !is_finite, "{sql}: {group:?}: {median}");
        }
    }
    for (sql, expected) in [
        ("SELECT median(x) FROM t", f64::NAN),
        ("SELECT median(x) FILTER (WHERE NOT isnan(x)) FROM t WHERE id < 3", 2.5),
        // Those of 0/0, whose NaN has a sign, and of NaN without one.
        (
            "SELECT median(x) FILTER (WHERE NOT isnan(x)) FROM (SELECT x FROM t WHERE id < 3 UNION ALL SELECT -CAST('NaN' AS DOUBLE))",
            2.5,
        ),
        (
            "SELECT median(CASE WHEN isnan(x) THEN NULL ELSE x END) FROM (SELECT x FROM t WHERE id < 3 UNION ALL SELECT -CAST('NaN' AS DOUBLE))",
            2.5,
        ),
        ("SELECT median(nanvl(x, 0.0)) FROM (SELECT -CAST('NaN' AS DOUBLE) AS x)", 0.0),
        ("SELECT median(id) FROM t WHERE id < 3", 1.0),
        ("SELECT CAST(median(CAST(id AS DECIMAL(9, 1))) AS DOUBLE) FROM t WHERE id < 3", 1.0),
        ("SELECT percentile_cont(x, 0.5) FROM t WHERE id = 7", -0.75),
        ("SELECT percentile_cont(-x, 0.5) FROM t WHERE id = 0", f64::NAN),
    ] {
        let found = floats(&query(&ctx, sql).await, 0);
        assert!(found == [expected] || found[0].is_nan() && expected.is_nan(), "{sql}: {found:?}");
    }
    // DataFusion cuts the weight of the second value to six digits. The numbers are those of np.percentile.
    let values = |of: &str, rows: &str| format!("SELECT {of} FROM (VALUES {rows}) v(a)");
    let small = "(2.0::DOUBLE), (4.0), (2.0), (3.0), (NULL)";
    for (sql, expected) in [
        (values("percentile_cont(a, 0.95)", small), 3.849_999_999_999_999_6),
        (values("quantile_cont(0.95) WITHIN GROUP (ORDER BY a DESC)", small), 2.0),
        (values("percentile_cont(DISTINCT a, 0.75)", small), 3.5),
        (values("percentile_cont(CAST(a AS INT), 0.25)", small), 2.0),
        (values("percentile_cont(arrow_cast(a, 'Float32'), 0.95)", small), f64::from(3.85_f32)),
        (
            values("percentile_cont(a, 0.95)", "(0.0::DOUBLE), (0.0), (0.0), (1e12)"),
            849_999_999_999.999_6,
        ),
        (values("percentile_cont(a, 0.75)", "('inf'::DOUBLE), ('inf'), (1.0)"), f64::INFINITY),
    ] {
        assert_eq!(floats(&query(&ctx, &sql).await, 0), [expected], "{sql}");
    }
    let nothing = query(&ctx, &values("percentile_cont(a, 0.5)", "(NULL::DOUBLE)")).await;
    assert_eq!(nothing[0].column(0).null_count(), 1);
    // The rows of a window leave it again.
    let sql = "SELECT percentile_cont(a, 0.25) OVER (ORDER BY b ROWS 1 PRECEDING) FROM \
        (VALUES (1.0::DOUBLE, 1), (2.0, 2), (6.0, 3), ('NaN', 4), (7.0, 5), (7.0, 6)) v(a, b) ORDER BY b";
    let found = floats(&query(&ctx, sql).await, 0);
    assert_eq!(found[..3], [1.0, 1.25, 3.0]);
    assert!(found[3].is_nan() && found[4].is_nan() && found[5] == 7.0, "{found:?}");
    let sql = "SELECT median(a) OVER (ORDER BY b ROWS 1 PRECEDING) FROM \
        (VALUES (1.5::DOUBLE, 1), ('NaN'::DOUBLE, 2), (3.0::DOUBLE, 3), (4.0::DOUBLE, 4)) v(a, b) ORDER BY b";
    let found = floats(&query(&ctx, sql).await, 0);
    assert_eq!((found[0], found[1].is_nan(), found[2].is_nan(), found[3]), (1.5, true, true, 3.5));
}

/// Guards groups of NaN in queries that need the first groups alone: they are one group, and no panic.
#[tokio::test]
async fn the_first_groups_have_one_of_nan() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path());
    let ctx = session();
    table(&ctx, directory.path()).await;
    for (sql, expected) in [
        ("SELECT DISTINCT x FROM t ORDER BY x DESC LIMIT 3", [f64::NAN, f64::INFINITY, 5.0]),
        (
            "SELECT y FROM t WHERE id = 6 OR isnan(x) OR x = 5.0 GROUP BY y ORDER BY max(y) DESC LIMIT 3",
            [f64::NAN, f64::INFINITY, 5.0],
        ),
        (
            "SELECT x, min(id) FROM t WHERE id < 2 AND x <> 2.0 GROUP BY x ORDER BY min(id), x LIMIT 3",
            [1.0, f64::NAN, 3.0],
        ),
    ] {
        let found = floats(&query(&ctx, sql).await, 0);
        let text = |values: &[f64]| format!("{values:?}");
        assert_eq!(text(&found), text(&expected), "{sql}");
    }
    let all = "SELECT x, max(id) FROM t GROUP BY x ORDER BY max(id) DESC LIMIT 20";
    assert_eq!(floats(&query(&ctx, all).await, 0).len(), 9, "{all}");
}

/// Tells the day on which DataFusion has mended its `min` and `max` (apache/datafusion#24432).
#[tokio::test]
async fn datafusion_is_mended() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path());
    let ctx = SessionContext::new();
    table(&ctx, directory.path()).await;
    let found = query(&ctx, "SELECT min(x), max(x) FROM t GROUP BY id ORDER BY id").await;
    let (least, greatest) = (floats(&found, 0), floats(&found, 1));
    // A NaN replaces the values before it, and infinities are less than the starting value.
    let is_wrong =
        [least[2].is_nan(), greatest[0] == 2.0, least[4] == f64::MAX, greatest[5] == f64::MIN];
    assert_eq!(
        is_wrong, [true; 4],
        "DataFusion is mended, at least in part: remove src/own_aggregates/min_max.rs if the other tests pass without it"
    );
}

/// Guards conditions that joins send to the scan: they compare bits, and -0.0 is 0.0, also where an integer or a part of a record becomes a float.
#[tokio::test]
async fn joins_find_both_zeros() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name).display().to_string();
    let rows = |zero: f32| {
        let row = |n: u32| Row { id: n, x: if n == 0 { zero.into() } else { n.into() }, y: zero };
        (0..3).map(row).collect::<Vec<_>>()
    };
    rows(-0.0).write_npy(at("a.npy")).unwrap();
    rows(0.0)[..1].write_npy(at("b.npy")).unwrap();
    let half = |bits: u16| {
        DynArray::new("<f2".parse().unwrap(), vec![1], Order::C, bits.to_le_bytes().into())
    };
    half(0x8000).unwrap().write_npy(at("c.npy")).unwrap();
    half(0).unwrap().write_npy(at("d.npy")).unwrap();
    for filters in [true, false] {
        let ctx = session();
        let set = format!("SET datafusion.optimizer.enable_dynamic_filter_pushdown = {filters}");
        query(&ctx, &set).await;
        for name in ["a", "b", "c", "d"] {
            register(&ctx, name, &at(&format!("{name}.npy")), NpyOptions::default()).await.unwrap();
        }
        for (sql, expected) in [
            ("SELECT count(*) FROM a JOIN b ON a.x = b.x", 1),
            ("SELECT count(*) FROM a JOIN b ON a.y = b.y", 3),
            ("SELECT count(*) FROM a JOIN b ON a.x = b.x AND a.id = b.id", 1),
            ("SELECT count(*) FROM b JOIN a ON a.x = b.id", 1),
            ("SELECT count(*) FROM c JOIN d ON c.value = d.value", 1),
            ("SELECT count(*) FROM a WHERE x IN (SELECT x FROM b)", 1),
            ("SELECT count(*) FROM a WHERE x NOT IN (SELECT x FROM b)", 2),
            ("SELECT count(*) FROM a WHERE EXISTS (SELECT 1 FROM b WHERE a.x = b.x)", 1),
            ("SELECT count(*) FROM (SELECT x FROM a EXCEPT SELECT x FROM b)", 2),
            ("SELECT count(*) FROM (SELECT x FROM a INTERSECT SELECT x FROM b)", 1),
        ] {
            let found = floats(&query(&ctx, sql).await, 0);
            assert_eq!(found, [f64::from(expected)], "{filters}: {sql}");
        }
    }
}

/// Guards what the documentation says of zeros and of the NaN of 0/0: which queries see one value, and how the others do.
#[tokio::test]
async fn zeros_and_signs_are_as_documented() {
    let directory = tempfile::tempdir().unwrap();
    let zeros = [-0.0f32, 0.0, -f32::NAN, f32::NAN, 1.0];
    let row = |y: f32| Row { id: 0, x: y.into(), y };
    zeros.map(row).write_npy(directory.path().join("t.npy")).unwrap();
    let ctx = session();
    table(&ctx, directory.path()).await;
    for column in ["x", "y"] {
        for (sql, expected) in [
            ("SELECT count(*) FROM t WHERE x = 0.0", 2),
            ("SELECT count(*) FROM t WHERE x < 0.0", 1),
            ("SELECT count(*) FROM (SELECT DISTINCT x FROM t)", 4),
            ("SELECT count(*) FROM (SELECT x FROM t GROUP BY x)", 4),
            ("SELECT count(*) FROM t WHERE x + 0.0 IN (0.0, 2.0, 3.0, 4.0)", 2),
            ("SELECT count(DISTINCT x + 0.0) + 0 * count(*) FROM t", 4),
            (
                "SELECT count(*) FROM (SELECT rank() OVER (ORDER BY x + 0.0) AS r FROM t) WHERE r = 2",
                2,
            ),
            (
                "SELECT count(DISTINCT CASE WHEN isnan(x) THEN CAST('NaN' AS DOUBLE) ELSE x + 0.0 END) FROM t",
                3,
            ),
            ("SELECT count(*) FROM t a JOIN t b ON a.x = b.x", 7),
        ] {
            let sql = sql.replace('x', column);
            assert_eq!(floats(&query(&ctx, &sql).await, 0), [f64::from(expected)], "{sql}");
        }
    }
}
