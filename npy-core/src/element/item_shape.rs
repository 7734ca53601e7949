//! Layer 4: which dimensions of an array belong to an element of a Rust type.

use crate::dtype::DType;
use crate::error::Error;
use crate::header::Header;
use crate::plan;
use crate::shape::{self, Order};

/// The dimensions that an element of a Rust type has itself, which are the last ones of the array: `(3,)` of `[f32; 3]`.
pub(crate) struct ItemShape {
    /// What an element of the array is in the file: never a sub-array.
    pub(crate) base: DType,
    inner: Vec<usize>,
}

impl ItemShape {
    /// Of a type with this dtype.
    pub(crate) fn of(item: &DType) -> Self {
        let (base, inner) = plan::flatten(item);
        ItemShape { base: base.clone(), inner }
    }

    /// How many elements of the array make one of the type.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Shape`](crate::error::ErrorKind::Shape) for more than memory can have.
    pub(crate) fn per_item(&self) -> Result<usize, Error> {
        shape::count(&self.inner)
    }

    /// The shape of an array that has these dimensions before those of the type.
    pub(crate) fn array(&self, outer: &[usize]) -> Vec<usize> {
        [outer, &self.inner].concat()
    }

    /// The dimensions of the array that are not the type's, which is `who`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Rank`](crate::error::ErrorKind::Rank) for other last dimensions.
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

    /// What an element of the type is in a file of this dtype.
    pub(crate) fn in_file(&self, dtype: &DType) -> DType {
        self.inner.iter().rev().fold(dtype.clone(), |item, &n| item.repeated(n))
    }

    /// Whether the parts of an element are not side by side in an array of this shape: a sub-array is in C order.
    pub(crate) fn is_strided(&self, shape: &[usize], order: Order) -> bool {
        !self.inner.is_empty() && order.normalized(shape) == Order::Fortran
    }
}
