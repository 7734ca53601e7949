//! Distances of vectors.

use crate::support::{error, rows};
use datafusion::arrow::array::{AsArray, Float64Array};
use datafusion::arrow::datatypes::{DataType, Float32Type, Float64Type};
use datafusion::common::ScalarValue;
use datafusion::prelude::SessionContext;
use npy_core::NpyArray;
use npy_datafusion::session;

/// A function of two vectors.
type Measure<'f> = &'f dyn Fn(&[f64], &[f64]) -> f64;

/// Registers `f32` vectors of three elements as `a`, and the same as `f64` as `b`.
fn write(directory: &std::path::Path) {
    let values: Vec<f32> = (0..30u8).map(|n| f32::from(n) / 7.0).collect();
    let wide: Vec<f64> = values.iter().map(|&value| f64::from(value)).collect();
    let path = |name: &str| directory.join(name);
    npy_core::save(path("a.npy"), &NpyArray::new(values, [10, 3]).unwrap()).unwrap();
    npy_core::save(path("b.npy"), &NpyArray::new(wide, [10, 3]).unwrap()).unwrap();
}

async fn numbers(ctx: &SessionContext, sql: &str) -> Vec<Option<f64>> {
    let batches = rows(ctx, sql).await;
    let of_batch = |column: &Float64Array| column.iter().collect::<Vec<_>>();
    batches.iter().flat_map(|it| of_batch(it.column(0).as_primitive::<Float64Type>())).collect()
}

/// Guards the three functions, on columns of different floats, and on lists in the statement.
#[tokio::test]
async fn distances_are_those_of_the_formula() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path());
    let ctx = session();
    let table = |name: &str| format!("npy('{}/{name}.npy')", directory.path().display());
    let vector =
        |row: u8| -> Vec<f64> { (0..3).map(|n| f64::from(f32::from(3 * row + n) / 7.0)).collect() };
    let query = [1.5, -2.0, 0.25];
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let l2 =
        |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
    let cosine = |a: &[f64], b: &[f64]| 1.0 - dot(a, b) / (dot(a, a).sqrt() * dot(b, b).sqrt());
    let measures: [(&str, Measure<'_>); 3] =
        [("npy_l2", &l2), ("npy_cosine", &cosine), ("npy_dot", &dot)];
    for name in ["a", "b"] {
        for (function, expected) in measures {
            let sql = format!("SELECT {function}(value, [1.5, -2, 0.25]) FROM {}", table(name));
            let found = numbers(&ctx, &sql).await;
            assert_eq!(found.len(), 10);
            for (row, found) in (0..10).zip(found) {
                let (found, expected) = (found.unwrap(), expected(&vector(row), &query));
                let is_nan = found.is_nan() && expected.is_nan();
                assert!(is_nan || (found - expected).abs() < 1e-12, "{function} {row}: {found}");
            }
        }
    }
    let sql = format!(
        "SELECT npy_l2(a.value, b.value) FROM {} a JOIN {} b ON npy_dot(a.value, [1, 0, 0]) = npy_dot(b.value, [1.0, 0, 0])",
        table("a"),
        table("b")
    );
    assert_eq!(numbers(&ctx, &sql).await, [Some(0.0); 10]);
    let best = format!(
        "SELECT npy_l2(value, [3.0, 3.1, 3.2]) FROM {} ORDER BY npy_l2(value, [3.0, 3.1, 3.2]) LIMIT 3",
        table("a")
    );
    let best = numbers(&ctx, &best).await;
    let mut all: Vec<f64> = (0..10).map(|row| l2(&vector(row), &[3.0, 3.1, 3.2])).collect();
    all.sort_by(f64::total_cmp);
    assert!(best.iter().zip(all).all(|(best, all)| (best.unwrap() - all).abs() < 1e-12));
}

/// Guards nulls, NaN and wrong arguments: a null gives null, NaN gives NaN, and a wrong argument is an error with advice.
#[tokio::test]
async fn nulls_nan_and_mistakes() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path());
    let ctx = session();
    let table = format!("npy('{}/a.npy')", directory.path().display());
    for (expression, expected) in [
        ("npy_l2([1.0, 2.0], [1, 4])", Some(2.0)),
        ("npy_l2(NULL, [1.0])", None),
        ("npy_dot(CAST(NULL AS DOUBLE[]), [1.0])", None),
        ("npy_dot([1.0, CAST('inf' AS DOUBLE)], [1.0, 2.0])", Some(f64::INFINITY)),
    ] {
        assert_eq!(
            numbers(&ctx, &format!("SELECT {expression}")).await,
            [expected],
            "{expression}"
        );
    }
    for expression in
        ["npy_l2([CAST('nan' AS DOUBLE)], [1.0])", "npy_cosine([0.0, 0.0], [1.0, 2.0])"]
    {
        let found = numbers(&ctx, &format!("SELECT {expression}")).await;
        assert!(found[0].unwrap().is_nan(), "{expression}");
    }
    for (expression, expected) in [
        ("npy_l2(value, [1.0, 2.0])", "one vector has 3 elements, and the other 2"),
        ("npy_l2(value, [1.0, NULL, 2.0])", "a null among its elements"),
        ("npy_l2(value, 1.0)", "one argument is Float64; give it a column"),
        ("npy_l2(value)", "has 1 arguments; give it two vectors"),
        ("npy_l2(value, ['a', 'b', 'c'])", "lists of floats"),
    ] {
        let error = error(&ctx, &format!("SELECT {expression} FROM {table}")).await;
        assert!(error.contains(expected), "{expression}: {error}");
    }
}

/// Guards parameters, whose type is known when they have values.
#[tokio::test]
async fn a_parameter_is_a_vector() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path());
    let ctx = session();
    let sql = format!("SELECT npy_dot(value, $1) FROM npy('{}/a.npy')", directory.path().display());
    let query = [0.0f32, 7.0, 0.0].map(|value| ScalarValue::Float32(Some(value)));
    let query = ScalarValue::List(ScalarValue::new_list(&query, &DataType::Float32, true));
    let frame = ctx.sql(&sql).await.unwrap().with_param_values(vec![query]).unwrap();
    let found = frame.collect().await.unwrap();
    let found = found[0].column(0).as_primitive::<Float64Type>();
    let expected: Vec<f64> =
        (0..10u8).map(|row| f64::from(f32::from(3 * row + 1) / 7.0) * 7.0).collect();
    assert_eq!(found.values().to_vec(), expected);
}

/// Guards buffers that columns keep: a file of several batches has its own values in each, though all of them are kept, and batches are small enough
/// for the cache of a processor.
#[tokio::test]
async fn batches_that_are_kept_have_their_own_rows() {
    const ROWS: usize = 3000;
    const SIZE: usize = 256;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("wide.npy");
    let value = |row: usize, n: usize| (row * 7 + n) as f32;
    let values: Vec<f32> =
        (0..ROWS).flat_map(|row| (0..SIZE).map(move |n| value(row, n))).collect();
    npy_core::save(&path, &NpyArray::new(values, [ROWS, SIZE]).unwrap()).unwrap();
    let ctx = session();
    for condition in ["true", "npy_dot(value, value) >= 0", "value[1] < 14000"] {
        let sql = format!("SELECT value FROM npy('{}') WHERE {condition}", path.display());
        let batches = rows(&ctx, &sql).await;
        assert!(batches.iter().all(|batch| batch.num_rows() <= 512), "{condition}");
        let mut row = 0;
        for batch in &batches {
            let lists = batch.column(0).as_fixed_size_list();
            let found = lists.values().as_primitive::<Float32Type>().values();
            for list in found.chunks(SIZE) {
                assert!((0..SIZE).all(|n| list[n] == value(row, n)), "{condition}: row {row}");
                row += 1;
            }
        }
        let expected = if condition.starts_with("value") { 2000 } else { ROWS };
        assert_eq!(row, expected, "{condition}");
    }
}

/// Guards that a row without a distance is not the nearest: NaN comes after all numbers.
#[tokio::test]
async fn rows_without_a_distance_come_last() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("v.npy");
    let values = vec![1.0f32, 0.0, 0.0, 0.0, f32::INFINITY, 1.0, 0.0, 1.0];
    npy_core::save(&path, &NpyArray::new(values, [4, 2]).unwrap()).unwrap();
    let ctx = session();
    ctx.sql("SET npy.virtual_columns = true").await.unwrap();
    for (distance, expected) in [
        ("npy_cosine(value, [1.0, 0.0])", "0, 3"),
        ("npy_l2(value, [CAST('inf' AS DOUBLE), 0.0])", "0, 1, 3"),
    ] {
        let sql = format!(
            "SELECT _row FROM npy('{}') ORDER BY {distance}, _row LIMIT {}",
            path.display(),
            expected.split(", ").count()
        );
        let found: Vec<String> = rows(&ctx, &sql)
            .await
            .iter()
            .flat_map(|batch| {
                let column = datafusion::arrow::compute::cast(batch.column(0), &DataType::Int64);
                let column = column.unwrap();
                let column = column.as_primitive::<datafusion::arrow::datatypes::Int64Type>();
                column.values().iter().map(ToString::to_string).collect::<Vec<_>>()
            })
            .collect();
        assert_eq!(found.join(", "), expected, "{sql}");
        let sql = format!("SELECT 1.0 FROM npy('{}') WHERE {distance} < -1e300", path.display());
        assert!(numbers(&ctx, &sql).await.is_empty(), "{sql}");
    }
    // The square of such a length is zero.
    let sql = format!(
        "SELECT 1.0 FROM npy('{}') WHERE npy_cosine(value, [1e-320, 1e-320]) < 1e300",
        path.display()
    );
    assert!(numbers(&ctx, &sql).await.is_empty());
}
