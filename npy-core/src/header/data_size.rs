//! The size of the data that a header states, and the error for data that ends earlier.

use super::{Header, Payload};
use crate::error::truncated::{COLUMNS_IN_MEMORY, ROWS_IN_MEMORY};
use crate::error::{Error, ErrorKind};
use crate::limits::to_u64;
use crate::shape::Order;

/// The size of the data of an array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DataSize {
    pub(crate) bytes: u64,
    /// The number of elements, and the number of bytes of each. The data of a pickle has elements, but no size of one.
    pub(crate) elements: u64,
    pub(crate) itemsize: u64,
    order: Order,
    /// The number of bytes of a row; in Fortran order, of an index of the last dimension.
    row: u64,
}

impl DataSize {
    pub(crate) fn of(header: &Header) -> Self {
        let itemsize = match header.payload() {
            Payload::Items => to_u64(header.dtype().itemsize()),
            Payload::Pickle => 0,
        };
        let elements = header.elements();
        // The header has checked the product.
        let bytes = elements.wrapping_mul(itemsize);
        let order = header.order().normalized(header.shape());
        let rows = match order {
            Order::C => header.shape().first(),
            Order::Fortran => header.shape().last(),
        };
        let row = bytes.checked_div(rows.map_or(1, |&rows| to_u64(rows))).unwrap_or(bytes);
        DataSize { bytes, elements, itemsize, order, row }
    }

    /// Returns the error for data that ends after `found` bytes.
    pub(crate) fn truncated(&self, found: u64) -> Error {
        let (what, remedy) = self.missing(found);
        ErrorKind::Truncated { what, expected: self.bytes, found, remedy }.into()
    }

    /// Returns the name of data that ends after `found` bytes, and the advice to keep what is complete of it, if anything is.
    pub(crate) fn missing(&self, found: u64) -> (&'static str, &'static str) {
        let remedy = match self.order {
            _ if found < self.row => "",
            Order::C => ROWS_IN_MEMORY,
            Order::Fortran => COLUMNS_IN_MEMORY,
        };
        (if self.elements == 1 { "the element" } else { "data" }, remedy)
    }
}
