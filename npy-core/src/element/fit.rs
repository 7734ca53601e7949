//! How the items of a Rust type lie in the array of a file.

use crate::dtype::DType;
use crate::element::{Element, block};
use crate::error::Error;
use crate::header::Header;
use crate::shape::{self, Order};

/// What an array is as items of a type: a sub-array type stands for the last dimensions.
pub(crate) struct Fit {
    /// How many of the dimensions do not belong to the item.
    pub(crate) ndim: usize,
    /// What one item is in the file.
    pub(crate) item: DType,
    /// How many items of the array it is: several for a sub-array.
    pub(crate) per_item: usize,
    /// The order in which the items come out.
    pub(crate) order: Order,
    /// Whether the parts of an item do not stand together.
    pub(crate) scattered: bool,
}

impl Fit {
    /// The dimensions, without those that belong to the item.
    pub(crate) fn shape<'h>(&self, header: &'h Header) -> &'h [usize] {
        header.shape().get(..self.ndim).unwrap_or_default()
    }
}

/// How items of `T` lie in the array of this header. Of the dtypes only the dimensions are compared.
///
/// # Errors
///
/// [`ErrorKind::Unsupported`](crate::error::ErrorKind::Unsupported) for Python objects,
/// [`ErrorKind::Rank`](crate::error::ErrorKind::Rank) for other last dimensions.
pub(crate) fn fit<T: Element>(header: &Header) -> Result<Fit, Error> {
    header.without_objects()?;
    let wanted = block::canonical::<T>()?;
    let mut inner = Vec::new();
    let mut base = &wanted.dtype;
    while let Some((next, shape)) = base.sub_array() {
        inner.extend_from_slice(shape);
        base = next;
    }
    let Some(outer) = header.shape().strip_suffix(inner.as_slice()) else {
        let wanted = format!("{} as its last dimensions", shape::repr(&inner));
        let remedy = match header.dtype().is_record() {
            true => "the items are records: read them as a struct that derives NpyRecord",
            false => "read it as an NpyArray of the scalar, which takes any shape",
        };
        return Err(header.rank(&block::type_name::<T>(), &wanted, remedy));
    };
    let item = inner.iter().rev().fold(header.dtype().clone(), |item, &n| item.repeated(n));
    // A sub-array stands in C order; in a Fortran file its items are far apart.
    let order = header.order();
    let scattered = !inner.is_empty() && order.normalized(header.shape()) == Order::Fortran;
    let order = if scattered { Order::C } else { order };
    let per_item = shape::count(&inner)?;
    Ok(Fit { ndim: outer.len(), item, per_item, order, scattered })
}
