//! Casts of arrays. Without a loss, the values decide, and not the dtypes: 0.5 is an `f4` and 0.1 is not.

use npy_core::{Cast, DType, DynArray, ErrorKind, Order};

use crate::output::{Failure, Result};

/// Rows of a file that are cast.
pub(super) struct Block<'a> {
    pub(super) rows: &'a DynArray,
    /// The name of the file, and the index in it of the first row.
    pub(super) name: &'a str,
    pub(super) first: usize,
}

impl Block<'_> {
    /// Converts the rows to a dtype.
    pub(super) fn cast(&self, dtype: &DType, cast: Cast) -> Result<DynArray> {
        let failure = |error| Failure::in_block(self.name, &error, self.first);
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

    /// Returns a message for the first value that is another one after a cast and the cast back. `None` if there is no cast back.
    fn changed(&self, array: &DynArray) -> Option<Option<String>> {
        // Padding has no values.
        let packed = self.rows.dtype().packed();
        let before = self.rows.cast_with(&packed, Cast::Lossless).ok()?;
        let after = array.cast_with(&packed, Cast::Checked).ok()?;
        let size = packed.itemsize().max(1);
        let pairs = before.as_bytes().chunks_exact(size).zip(after.as_bytes().chunks_exact(size));
        let changed = pairs.enumerate().find(|(_, (before, after))| before != after);
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
