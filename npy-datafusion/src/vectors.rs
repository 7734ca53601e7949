//! Distances of vectors: `npy_l2`, `npy_cosine` and `npy_dot` of lists of floats, as they are in the files.
//!
//! A column of lists is not converted to lists of another type: each value becomes an `f64` when it is used. So sums have the precision of NumPy's `float64`,
//! whatever the vectors have.

use std::sync::Arc;

use datafusion::arrow::array::builder::NullBufferBuilder;
use datafusion::arrow::array::{
    Array, ArrayRef, ArrowPrimitiveType, AsArray, Float64Array, OffsetSizeTrait, PrimitiveArray,
};
use datafusion::arrow::buffer::NullBuffer;
use datafusion::arrow::datatypes::{DataType, Field, Float16Type, Float32Type, Float64Type};
use datafusion::common::{ScalarValue, exec_err, internal_err, plan_err};
use datafusion::error::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use multiversion::multiversion;

/// Returns the functions.
pub(crate) fn functions() -> [Arc<ScalarUDF>; 3] {
    [Measure::L2, Measure::Cosine, Measure::Dot].map(|measure| {
        let signature = Signature::user_defined(Volatility::Immutable);
        Arc::new(ScalarUDF::new_from_impl(Distance { measure, signature }))
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Measure {
    /// `numpy.linalg.norm(a - b)`.
    L2,
    /// `1 - a @ b / (norm(a) * norm(b))`.
    Cosine,
    /// `a @ b`.
    Dot,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Distance {
    measure: Measure,
    signature: Signature,
}

impl ScalarUDFImpl for Distance {
    fn name(&self) -> &str {
        match self.measure {
            Measure::L2 => "npy_l2",
            Measure::Cosine => "npy_cosine",
            Measure::Dot => "npy_dot",
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Float64)
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let name = self.name();
        if types.len() != 2 {
            return plan_err!(
                "{name} has {} arguments; give it two vectors: {name}(v, [1.0, 2.0])",
                types.len()
            );
        }
        types.iter().map(|it| vector_type(name, it)).collect()
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [a, b] = &args.args[..] else {
            return internal_err!("{} without two arguments", self.name());
        };
        let is_scalar = matches!((a, b), (ColumnarValue::Scalar(_), ColumnarValue::Scalar(_)));
        let rows = if is_scalar { 1 } else { args.number_rows };
        let (a, b) = (Vectors::new(a)?, Vectors::new(b)?);
        let result = self.of(&a, &b, rows)?;
        Ok(match is_scalar {
            true => ColumnarValue::Scalar(ScalarValue::try_from_array(&result, 0)?),
            false => ColumnarValue::Array(Arc::new(result)),
        })
    }
}

/// Returns the type in which the function takes a vector. Only lists of integers, as `[1, 2]` is one, are converted.
fn vector_type(name: &str, from: &DataType) -> Result<DataType> {
    let doubles = DataType::new_list(DataType::Float64, true);
    match from {
        DataType::FixedSizeList(item, _) | DataType::List(item) | DataType::LargeList(item) => {
            if item.data_type().is_floating() {
                return Ok(from.clone());
            }
            let item = item.data_type();
            if item.is_integer() || item.is_decimal() || item.is_null() {
                return Ok(match from {
                    DataType::FixedSizeList(_, size) => DataType::FixedSizeList(
                        Arc::new(Field::new_list_field(DataType::Float64, true)),
                        *size,
                    ),
                    _ => doubles,
                });
            }
        }
        // A parameter whose type is not known yet.
        DataType::Null => return Ok(doubles),
        _ => {}
    }
    plan_err!(
        "{name} is of two vectors, which are lists of floats, and one argument is {from}; give it a column of a two-dimensional array, or a list [1.0, 2.0]"
    )
}

/// The vectors of an argument.
struct Vectors {
    /// The lists: one for each row, or one for all.
    lists: ArrayRef,
    is_scalar: bool,
}

/// The values of a list.
#[derive(Clone, Copy)]
enum Values<'v> {
    F16(&'v [<Float16Type as ArrowPrimitiveType>::Native]),
    F32(&'v [f32]),
    F64(&'v [f64]),
}

impl Vectors {
    fn new(value: &ColumnarValue) -> Result<Self> {
        Ok(match value {
            ColumnarValue::Array(lists) => Vectors { lists: Arc::clone(lists), is_scalar: false },
            ColumnarValue::Scalar(value) => {
                Vectors { lists: value.to_array_of_size(1)?, is_scalar: true }
            }
        })
    }

    /// Returns the values of all lists, and where those of each row are.
    fn parts(&self) -> Result<(Values<'_>, Ranges<'_>)> {
        let (items, ranges) = match self.lists.data_type() {
            DataType::FixedSizeList(..) => {
                let lists = self.lists.as_fixed_size_list();
                let size = usize::try_from(lists.value_length()).unwrap_or(0);
                (lists.values(), Ranges::Fixed(size))
            }
            DataType::List(_) => {
                let lists = self.lists.as_list::<i32>();
                (lists.values(), Ranges::Offsets32(lists.value_offsets()))
            }
            DataType::LargeList(_) => {
                let lists = self.lists.as_list::<i64>();
                (lists.values(), Ranges::Offsets64(lists.value_offsets()))
            }
            other => return internal_err!("vectors of type {other}"),
        };
        let values = match items.data_type() {
            DataType::Float16 => Values::F16(values_of::<Float16Type>(items)),
            DataType::Float32 => Values::F32(values_of::<Float32Type>(items)),
            DataType::Float64 => Values::F64(values_of::<Float64Type>(items)),
            other => return internal_err!("vectors of {other}"),
        };
        Ok((values, ranges))
    }

    /// Refuses a null within a list of a row that has one.
    fn check_items(&self, name: &str) -> Result<()> {
        let items = match self.lists.data_type() {
            DataType::FixedSizeList(..) => self.lists.as_fixed_size_list().values(),
            DataType::List(_) => self.lists.as_list::<i32>().values(),
            DataType::LargeList(_) => self.lists.as_list::<i64>().values(),
            other => return internal_err!("vectors of type {other}"),
        };
        if items.null_count() == 0 {
            return Ok(());
        }
        let (_, ranges) = self.parts()?;
        for row in (0..self.lists.len()).filter(|&row| self.lists.is_valid(row)) {
            if ranges.of(row).any(|item| items.is_null(item)) {
                return exec_err!(
                    "{name}: a vector has a null among its elements; leave out such rows, or save NaN in its place"
                );
            }
        }
        Ok(())
    }
}

fn values_of<T: ArrowPrimitiveType>(items: &ArrayRef) -> &[T::Native] {
    let items: &PrimitiveArray<T> = items.as_primitive();
    items.values()
}

/// The position of the values of a row.
enum Ranges<'v> {
    Fixed(usize),
    Offsets32(&'v [i32]),
    Offsets64(&'v [i64]),
}

impl Ranges<'_> {
    #[inline]
    fn of(&self, row: usize) -> std::ops::Range<usize> {
        fn between<O: OffsetSizeTrait>(offsets: &[O], row: usize) -> std::ops::Range<usize> {
            offsets[row].as_usize()..offsets[row + 1].as_usize()
        }
        match self {
            Ranges::Fixed(size) => row * size..(row + 1) * size,
            Ranges::Offsets32(offsets) => between(offsets, row),
            Ranges::Offsets64(offsets) => between(offsets, row),
        }
    }
}

impl Distance {
    fn of(&self, a: &Vectors, b: &Vectors, rows: usize) -> Result<Float64Array> {
        a.check_items(self.name())?;
        b.check_items(self.name())?;
        let ((values, of_a), (others, of_b)) = (a.parts()?, b.parts()?);
        // A function for each pair of types, so that the inner loops are plain.
        match (values, others) {
            (Values::F16(x), Values::F16(y)) => {
                self.each::<Float16Type, Float16Type>((a, x, &of_a), (b, y, &of_b), rows)
            }
            (Values::F16(x), Values::F32(y)) => {
                self.each::<Float16Type, Float32Type>((a, x, &of_a), (b, y, &of_b), rows)
            }
            (Values::F16(x), Values::F64(y)) => {
                self.each::<Float16Type, Float64Type>((a, x, &of_a), (b, y, &of_b), rows)
            }
            (Values::F32(x), Values::F16(y)) => {
                self.each::<Float32Type, Float16Type>((a, x, &of_a), (b, y, &of_b), rows)
            }
            (Values::F32(x), Values::F32(y)) => {
                self.each::<Float32Type, Float32Type>((a, x, &of_a), (b, y, &of_b), rows)
            }
            (Values::F32(x), Values::F64(y)) => {
                self.each::<Float32Type, Float64Type>((a, x, &of_a), (b, y, &of_b), rows)
            }
            (Values::F64(x), Values::F16(y)) => {
                self.each::<Float64Type, Float16Type>((a, x, &of_a), (b, y, &of_b), rows)
            }
            (Values::F64(x), Values::F32(y)) => {
                self.each::<Float64Type, Float32Type>((a, x, &of_a), (b, y, &of_b), rows)
            }
            (Values::F64(x), Values::F64(y)) => {
                self.each::<Float64Type, Float64Type>((a, x, &of_a), (b, y, &of_b), rows)
            }
        }
    }

    fn each<A: Float, B: Float>(
        &self,
        (a, x, of_a): (&Vectors, &[A::Native], &Ranges<'_>),
        (b, y, of_b): (&Vectors, &[B::Native], &Ranges<'_>),
        rows: usize,
    ) -> Result<Float64Array> {
        let (mut results, mut valid) = (Vec::with_capacity(rows), NullBufferBuilder::new(rows));
        let is_null = |nulls: Option<&NullBuffer>, at| nulls.is_some_and(|it| it.is_null(at));
        let (nulls_a, nulls_b) = (a.lists.nulls(), b.lists.nulls());
        for row in 0..rows {
            let at_a = if a.is_scalar { 0 } else { row };
            let at_b = if b.is_scalar { 0 } else { row };
            if is_null(nulls_a, at_a) || is_null(nulls_b, at_b) {
                results.push(0.0);
                valid.append_null();
                continue;
            }
            let (x, y) = (&x[of_a.of(at_a)], &y[of_b.of(at_b)]);
            if x.len() != y.len() {
                return exec_err!(
                    "{}: one vector has {} elements, and the other {}; give it vectors of one length",
                    self.name(),
                    x.len(),
                    y.len()
                );
            }
            valid.append_non_null();
            let result = match self.measure {
                Measure::L2 => sum::<A, B, _>(x, y, |a, b| (a - b) * (a - b)).sqrt(),
                Measure::Dot => sum::<A, B, _>(x, y, |a, b| a * b),
                Measure::Cosine => {
                    let dot = sum::<A, B, _>(x, y, |a, b| a * b);
                    let of_x = sum::<A, A, _>(x, x, |a, b| a * b);
                    let of_y = sum::<B, B, _>(y, y, |a, b| a * b);
                    // The square of a tiny number is zero, as that of zero.
                    let length = of_x.sqrt() * of_y.sqrt();
                    if length > 0.0 { 1.0 - dot / length } else { f64::NAN }
                }
            };
            // A NaN with a sign, as processors make one of 0 / 0, would come before all numbers.
            results.push(if result.is_nan() { f64::NAN } else { result });
        }
        Ok(Float64Array::new(results.into(), valid.finish()))
    }
}

/// A type of the numbers of vectors.
trait Float: ArrowPrimitiveType {
    fn wide(number: Self::Native) -> f64;
}

impl Float for Float16Type {
    fn wide(number: Self::Native) -> f64 {
        number.to_f64()
    }
}

impl Float for Float32Type {
    fn wide(number: f32) -> f64 {
        f64::from(number)
    }
}

impl Float for Float64Type {
    fn wide(number: f64) -> f64 {
        number
    }
}

/// The sums that are computed at a time, so that none waits for another.
const LANES: usize = 8;

/// Adds the terms of two vectors of one length. Wide registers are used where the processor has them, and the result has the same bits.
#[multiversion(targets("x86_64+avx2"))]
fn sum<A: Float, B: Float, F: Fn(f64, f64) -> f64>(
    x: &[A::Native],
    y: &[B::Native],
    term: F,
) -> f64 {
    let mut sums = [0.0; LANES];
    let ((blocks_x, rest_x), (blocks_y, rest_y)) = (x.as_chunks::<LANES>(), y.as_chunks::<LANES>());
    for (x, y) in blocks_x.iter().zip(blocks_y) {
        for lane in 0..LANES {
            sums[lane] += term(A::wide(x[lane]), B::wide(y[lane]));
        }
    }
    let rest = rest_x.iter().zip(rest_y).map(|(x, y)| term(A::wide(*x), B::wide(*y)));
    sums.iter().sum::<f64>() + rest.sum::<f64>()
}
