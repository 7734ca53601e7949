//! Casts of arrays. Without a loss, the values decide, and not the dtypes: 0.5 is an `f4` and 0.1 is not.

use npy_core::dtype::{Scalar, ScalarKind};
use npy_core::{Cast, DType, DynArray, ErrorKind, Order, Value};

use crate::dtypes::NUMERIC;
use crate::output::{Failure, Result, field_of, fields_of};
use crate::time_range;

/// Rows of a file that are cast.
pub(super) struct Block<'a> {
    pub(super) rows: &'a DynArray,
    /// The name of the file, and the index in it of the first row.
    pub(super) name: &'a str,
    pub(super) first: usize,
    /// The dimensions of the complete array.
    pub(super) ndim: usize,
    /// True if the rows are columns of the file.
    pub(super) are_columns: bool,
}

impl Block<'_> {
    /// Converts the rows to a dtype.
    pub(super) fn cast(&self, dtype: &DType, cast: Cast) -> Result<DynArray> {
        let failure = |error: npy_core::Error| {
            let dtypes = [self.rows.dtype(), dtype];
            let failure = Failure::in_block(self.name, &error, self.first, dtypes);
            let kind = error.kind();
            let path = fields_of(&error);
            let advice = match kind {
                ErrorKind::InvalidValue { .. } => self
                    .about_times(dtype, cast, &path)
                    .or_else(|| self.about_numbers(dtype, cast, &path)),
                ErrorKind::Mismatch { .. } => self.about_texts(dtype, &path),
                _ => None,
            };
            failure.with(&advice.unwrap_or_default())
        };
        let error = match self.rows.cast_with(dtype, cast) {
            Ok(array) => return Ok(array),
            Err(error) => error,
        };
        if cast != Cast::Lossless || !matches!(error.kind(), ErrorKind::Mismatch { .. }) {
            return Err(failure(error));
        }
        match self.rows.cast_with(dtype, Cast::Checked) {
            Ok(array) => match self.changed(&array) {
                // Without a cast back, nothing tells if a value changes.
                None => Err(failure(error)),
                Some(None) => Ok(array),
                Some(Some(message)) => Err(Failure::new(self.name, message)),
            },
            Err(other) if matches!(other.kind(), ErrorKind::InvalidValue { .. }) => {
                Err(failure(other))
            }
            Err(_) => Err(failure(error)),
        }
    }

    /// Returns the end of the error for a time that does not fit a dtype of times; `None` for other dtypes. `path` is that of its field.
    fn about_times(&self, dtype: &DType, cast: Cast, path: &[&str]) -> Option<String> {
        let [found, wanted] = [self.rows.dtype(), dtype].map(|dtype| field_of(dtype, path));
        let (found, wanted) = (found?, wanted?.flat().0.clone());
        let has_fractions = time_range::has_fractions(found.flat().0, &wanted)?;
        if has_fractions && cast != Cast::Numeric {
            return Some("; --cast numeric cuts times off to this unit".to_owned());
        }
        let held = time_range::held(&wanted)?;
        let longer = time_range::longer(self.rows, dtype)?;
        Some(format!(", which holds {held}; '{longer}' holds this one"))
    }

    /// Returns the end of the error for a number that does not fit a dtype of numbers; `None` for other dtypes.
    fn about_numbers(&self, dtype: &DType, cast: Cast, path: &[&str]) -> Option<String> {
        let [found, wanted] = self.scalars(dtype, path)?.map(|scalar| scalar.kind());
        let advice = match (found, wanted) {
            _ if cast != Cast::Checked => return None,
            (_, ScalarKind::Bool) => "--cast numeric makes it True, as any number but 0",
            (ScalarKind::Complex, ScalarKind::Float | ScalarKind::Int | ScalarKind::UInt) => {
                "--cast numeric converts the real part alone"
            }
            (_, ScalarKind::Int | ScalarKind::UInt) => NUMERIC,
            (_, ScalarKind::Float | ScalarKind::Complex) => "--cast numeric makes it infinite",
            _ => return None,
        };
        Some(format!("; {advice}"))
    }

    /// Returns the end of the error for a dtype that no cast converts, if the texts of the values become the other dtype, or if that lacks a unit. `path` is
    /// that of its field.
    fn about_texts(&self, dtype: &DType, path: &[&str]) -> Option<String> {
        use ScalarKind::{Bool, Bytes, Complex, DateTime, Float, Int, Str, TimeDelta, UInt, Void};
        let [found, wanted] = self.scalars(dtype, path)?;
        let size = wanted.itemsize();
        // The text of a long double is that of the nearest f8.
        let is_f8 = matches!((wanted.kind(), size), (Float, 8) | (Complex, 16));
        let (is_right, max_ndim) = match (found.kind(), wanted.kind()) {
            (Str | Bytes | DateTime(_), DateTime(None)) => {
                return Some("; name a unit, such as M8[s]".to_owned());
            }
            (Str | Bytes | TimeDelta(_), TimeDelta(None)) => {
                return Some("; name a unit, such as m8[s]".to_owned());
            }
            // Each column of a table has a resolution of its own.
            (Str | Bytes, DateTime(_) | TimeDelta(_)) => (true, 1),
            (Str | Bytes, Str | Bytes | Int | UInt) => (true, usize::MAX),
            (Str | Bytes, Float | Complex) => (is_f8 || size <= 8, usize::MAX),
            (Bool | Int | UInt | DateTime(_) | TimeDelta(_), Str | Bytes) => (true, usize::MAX),
            (Float, Float | Complex) | (Complex, Complex) => (is_f8, usize::MAX),
            _ => return None,
        };
        // The text of raw bytes is that of their digits, which becomes raw bytes alone.
        let has_raw = self.rows.dtype().leaves().any(|leaf| leaf.scalar().kind() == Void);
        // A table has the fields of records of one dimension.
        let max_ndim = if self.rows.dtype().is_record() { 1 } else { max_ndim };
        let columns = if self.are_columns { "-c NAMES " } else { "" };
        let input = if self.name.contains("::") { "IN::MEMBER" } else { "IN" };
        let gaps = match found.kind() {
            DateTime(_) | TimeDelta(_) => ", which is empty for NaT",
            _ => "",
        };
        (is_right && !has_raw && (1..=max_ndim).contains(&self.ndim)).then(|| {
            format!("; by text{gaps}: npy cat --csv {columns}{input} | npy convert - OUT --from csv --dtype DTYPE")
        })
    }

    /// Returns the scalars of the rows and of a dtype at the path of a field; `None` if their dimensions differ.
    fn scalars(&self, dtype: &DType, path: &[&str]) -> Option<[Scalar; 2]> {
        let (found, wanted) = (field_of(self.rows.dtype(), path)?, field_of(dtype, path)?);
        let ((found, inner), (wanted, wanted_inner)) = (found.flat(), wanted.flat());
        (inner == wanted_inner).then_some([*found.scalar()?, *wanted.scalar()?])
    }

    /// Returns a message for the first value that is another one after a cast and the cast back. `None` if there is no cast back.
    fn changed(&self, array: &DynArray) -> Option<Option<String>> {
        // Padding has no values.
        let packed = self.rows.dtype().packed();
        array.dtype().converts_to(&packed, Cast::Checked).ok()?;
        let before = self.rows.cast_with(&packed, Cast::Lossless).ok()?;
        // One of the values may be too large for the way back.
        let after = array.cast_with(&packed, Cast::Checked);
        let (size, cast_size) = (packed.itemsize().max(1), array.dtype().itemsize().max(1));
        let is_kept = |at: usize, value: &[u8], cast: &[u8]| match &after {
            Ok(after) => is_same(&packed, value, &after.as_bytes()[at * size..][..size]),
            Err(_) => DynArray::new(array.dtype().clone(), [], Order::C, cast.to_vec())
                .and_then(|cast| cast.cast_with(&packed, Cast::Checked))
                .is_ok_and(|after| is_same(&packed, value, after.as_bytes())),
        };
        let casts = array.as_bytes().chunks_exact(cast_size);
        let pairs = before.as_bytes().chunks_exact(size).zip(casts);
        let changed = pairs.enumerate().find(|&(at, (value, cast))| !is_kept(at, value, cast));
        Some(changed.map(|(at, (before, _))| {
            let value = DynArray::new(packed.clone(), [], Order::C, before.to_vec());
            let (rows, elements) = match self.rows.shape() {
                [] => (1, 1),
                [rows, inner @ ..] => (*rows, inner.iter().product::<usize>()),
            };
            let row = match self.rows.order() {
                Order::C => self.first + at / elements.max(1),
                // The first index is the fastest.
                Order::Fortran => self.first + at % rows.max(1),
            };
            let (value, dtype) = (value.map_or(String::new(), |value| value.to_string()), array.dtype());
            format!(
                "row {row}: {value} is not in '{dtype}' exactly; choose a larger dtype, or --cast checked"
            )
        }))
    }
}

/// Returns true if two elements have the same values. NaN is one value, whatever its bits are.
fn is_same(dtype: &DType, one: &[u8], other: &[u8]) -> bool {
    // The text of a scalar has all of its digits.
    let text = |scalar: &DType, bytes: &[u8]| format!("{:?}", Value::from_bytes(scalar, bytes));
    one == other
        || dtype.leaves().all(|leaf| {
            let scalar = DType::from(*leaf.scalar());
            let (size, count) = (scalar.itemsize(), leaf.shape().iter().product::<usize>());
            (0..count).map(|at| leaf.offset() + at * size).all(|start| {
                let [one, other] = [one, other].map(|bytes| &bytes[start..][..size]);
                one == other || text(&scalar, one) == text(&scalar, other)
            })
        })
}
