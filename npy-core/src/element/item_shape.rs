//! The dimensions of an array that belong to an element of a Rust type.

use crate::dtype::rust_type::rust_type;
use crate::dtype::{DType, ScalarKind};
use crate::error::Error;
use crate::header::Header;
use crate::plan::remedy::COMPLEX;
use crate::shape::{self, Order};

/// The dimensions of a Rust type: `(3,)` for `[f32; 3]`. They are the last dimensions of an array of the type.
pub(crate) struct ItemShape {
    /// The dtype of an array of the type: without the dimensions, so it is not a sub-array.
    pub(crate) base: DType,
    inner: Vec<usize>,
}

impl ItemShape {
    /// Returns the dimensions of a type with this dtype.
    pub(crate) fn of(item: &DType) -> Self {
        let (base, inner) = item.flat();
        ItemShape { base: base.clone(), inner }
    }

    /// Returns the number of array elements in one value of the type.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Shape`](crate::error::ErrorKind::Shape) if the number overflows.
    pub(crate) fn per_item(&self) -> Result<usize, Error> {
        shape::count(&self.inner)
    }

    /// Returns the number of dimensions of the type.
    pub(crate) fn ndim(&self) -> usize {
        self.inner.len()
    }

    /// Returns the outer dimensions followed by those of the type.
    pub(crate) fn array(&self, outer: &[usize]) -> Vec<usize> {
        [outer, &self.inner].concat()
    }

    /// Returns the dimensions of the array that come before those of the type. `who` returns the
    /// name of the type for the error.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Rank`](crate::error::ErrorKind::Rank) if the last dimensions are not those of the type.
    pub(crate) fn outer<'h>(
        &self,
        header: &'h Header,
        who: impl FnOnce() -> String,
    ) -> Result<&'h [usize], Error> {
        header.shape().strip_suffix(self.inner.as_slice()).ok_or_else(|| {
            let wanted = shape::repr_after("...", &self.inner);
            let remedy = match header.dtype().scalar().map(|scalar| scalar.kind()) {
                Some(ScalarKind::Complex) => COMPLEX.to_owned(),
                None if header.dtype().is_record() => {
                    "the items are records: read them as a struct that derives NpyRecord".to_owned()
                }
                _ => {
                    let row = type_of_row(header).map(|row| format!("{row}, or as "));
                    let row = row.unwrap_or_default();
                    format!("read it as {row}an NpyArray of the scalar, which takes any shape")
                }
            };
            header.rank(&who(), &wanted, remedy)
        })
    }

    /// Returns the dtype of one value of the type, in a file whose header states `dtype`.
    pub(crate) fn in_file(&self, dtype: &DType) -> DType {
        self.inner.iter().rev().fold(dtype.clone(), |item, &n| item.repeated(n))
    }

    /// Returns true if the elements of one value are not side by side in an array of this shape and
    /// order: the type has dimensions, and the order is Fortran.
    pub(crate) fn is_strided(&self, shape: &[usize], order: Order) -> bool {
        !self.inner.is_empty() && order.normalized(shape) == Order::Fortran
    }
}

/// Returns the Rust type of a row: `[f64; 3]` in a file of shape `(1000, 3)`; `None` for rows that are long, and better read as slices.
pub(crate) fn type_of_row(header: &Header) -> Option<String> {
    const MAX_ELEMENTS: usize = 64;
    let (_, row) = header.shape().split_first()?;
    let is_array = !row.is_empty() && shape::count(row).ok()? <= MAX_ELEMENTS;
    rust_type(&header.dtype().array(row).ok().filter(|_| is_array)?)
}
