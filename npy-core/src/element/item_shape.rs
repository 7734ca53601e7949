//! Layer 4: the dimensions of an array that belong to an element of a Rust type.

use crate::dtype::DType;
use crate::error::Error;
use crate::header::Header;
use crate::plan;
use crate::shape::{self, Order};

/// The dimensions of a Rust type, which are the last ones of the array: `(3,)` for `[f32; 3]`.
pub(crate) struct ItemShape {
    /// The dtype of the array, which is not a sub-array.
    pub(crate) base: DType,
    inner: Vec<usize>,
}

impl ItemShape {
    /// Returns the dimensions of a type with this dtype.
    pub(crate) fn of(item: &DType) -> Self {
        let (base, inner) = plan::flatten(item);
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

    /// Appends the dimensions of the type to the outer ones.
    pub(crate) fn array(&self, outer: &[usize]) -> Vec<usize> {
        [outer, &self.inner].concat()
    }

    /// Returns the dimensions of the array without those of the type, which errors call `who`.
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
            let wanted = format!("{} as its last dimensions", shape::repr(&self.inner));
            let remedy = match header.dtype().is_record() {
                true => "the items are records: read them as a struct that derives NpyRecord",
                false => "read it as an NpyArray of the scalar, which takes any shape",
            };
            header.rank(&who(), &wanted, remedy)
        })
    }

    /// Returns the dtype of a value of the type in a file of this dtype.
    pub(crate) fn in_file(&self, dtype: &DType) -> DType {
        self.inner.iter().rev().fold(dtype.clone(), |item, &n| item.repeated(n))
    }

    /// Returns true if the parts of a value are strided in an array of this shape: a sub-array is in C order.
    pub(crate) fn is_strided(&self, shape: &[usize], order: Order) -> bool {
        !self.inner.is_empty() && order.normalized(shape) == Order::Fortran
    }
}
