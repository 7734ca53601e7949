//! The rows of an array, which grow its file, and those that its header does not count.

use std::fmt;

use npy_core::{Header, Order};

use crate::error::{Result, problem, unrepairable};
use crate::header::to_u64;

/// The rows of an array: the parts along the dimension that changes slowest in the file.
#[derive(Clone, Copy)]
pub(crate) struct Rows {
    pub(crate) axis: usize,
    pub(crate) count: usize,
    /// The number of bytes of a row, at least one.
    pub(crate) bytes: u64,
}

impl Rows {
    /// Returns the rows that the header counts; a truncated file has some of them.
    pub(crate) fn counted(header: &Header) -> Option<Self> {
        let mut long = (0..).zip(header.shape()).filter(|(_, n)| **n != 1);
        match (long.next(), long.next()) {
            // The order of the elements is the same along this dimension and along the first or the last.
            (Some((axis, _)), None) => Rows::along(header, axis),
            _ => Rows::growing(header),
        }
    }

    /// Returns the rows along the dimension that grows. Rows of one element are contiguous in both orders, and grow along the first.
    fn growing(header: &Header) -> Option<Self> {
        let others = header.shape().get(1..)?;
        let is_strided = header.order() == Order::Fortran && others.iter().any(|&n| n != 1);
        Rows::along(header, if is_strided { others.len() } else { 0 })
    }

    /// Returns the rows; `None` for an array without dimensions, and for rows without bytes.
    fn along(header: &Header, axis: usize) -> Option<Self> {
        let shape = header.shape();
        let count = *shape.get(axis)?;
        let others = shape.iter().enumerate().filter(|(i, _)| *i != axis);
        let itemsize = to_u64(header.dtype().itemsize());
        let bytes = others.map(|(_, n)| to_u64(*n)).try_fold(itemsize, u64::checked_mul)?;
        (bytes > 0).then_some(Rows { axis, count, bytes })
    }

    /// Returns the number of complete rows in this many bytes, and the bytes that are left.
    pub(crate) fn complete(&self, bytes: u64) -> (usize, u64) {
        let rows = bytes.checked_div(self.bytes).unwrap_or(0);
        let rows = usize::try_from(rows).unwrap_or(usize::MAX);
        (rows, bytes.checked_rem(self.bytes).unwrap_or(0))
    }

    /// Returns the header of this many rows.
    pub(crate) fn resized(&self, header: &Header, rows: usize) -> Result<Header> {
        let mut shape = header.shape().to_vec();
        if let Some(count) = shape.get_mut(self.axis) {
            *count = rows;
        }
        Header::new(header.dtype().clone(), shape, header.order())
            .map_err(|error| unrepairable(problem(&error)))
    }
}

/// Rows after an array that its header does not count, and the bytes of an incomplete one. It prints the number of rows with its noun.
///
/// ```
/// use npy_core::{Header, Order};
/// use npy_repair::Uncounted;
///
/// let header = Header::new("<u2".parse()?, [4, 3], Order::C)?;
/// let uncounted = Uncounted::of(&header, 13);
/// assert_eq!(uncounted, Some(Uncounted { rows: 2, rest: 1, axis: 0 }));
/// # assert_eq!(uncounted.expect("there are some").to_string(), "2 rows");
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uncounted {
    /// The number of complete rows: along the first dimension, or in Fortran order along the last.
    pub rows: usize,
    /// The number of bytes of an incomplete row after them.
    pub rest: u64,
    /// The dimension of the rows.
    pub axis: usize,
}

impl Uncounted {
    /// Returns the rows that a number of bytes after an array are, if they are not another array. `None` for an array without dimensions, and for
    /// one whose rows have no bytes.
    ///
    /// ```
    /// use npy_core::{Header, Order};
    /// use npy_repair::Uncounted;
    ///
    /// let columns = Header::new("<u2".parse()?, [4, 3], Order::Fortran)?;
    /// assert_eq!(Uncounted::of(&columns, 8).map(|uncounted| uncounted.to_string()).as_deref(), Some("1 column"));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn of(header: &Header, bytes: u64) -> Option<Self> {
        let growing = Rows::growing(header)?;
        let (rows, rest) = growing.complete(bytes);
        Some(Uncounted { rows, rest, axis: growing.axis })
    }

    /// Returns the header that counts these rows, too.
    pub(crate) fn counted_by(self, header: &Header) -> Result<Header> {
        let growing = Rows::growing(header).ok_or_else(|| unrepairable("it has no rows"))?;
        let count = growing.count.checked_add(self.rows);
        growing.resized(header, count.ok_or_else(|| unrepairable("too many rows"))?)
    }
}

impl fmt::Display for Uncounted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [one, more] = match self.axis {
            0 => ["row", "rows"],
            1 => ["column", "columns"],
            _ => ["part along the last dimension", "parts along the last dimension"],
        };
        write!(f, "{} {}", self.rows, if self.rows == 1 { one } else { more })
    }
}
