//! Seeking to a row.

use std::io::{Read, Seek};

use super::position::Position;
use super::reader::Reader;
use crate::error::{ErrorKind, Result};
use crate::shape::{self, Order};

impl<R: Read + Seek> Reader<R> {
    /// Moves to a row, so that the next read begins there. Rows are counted along the first dimension; in Fortran order, along the last.
    /// A `row` equal to the number of rows means the end.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::{Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// [1u32, 2, 3, 4, 5].write_npy_to(&mut file)?;
    ///
    /// let mut reader = Reader::new(Cursor::new(file))?;
    /// reader.seek_to(3)?;
    /// assert_eq!(reader.read_vec::<u32>()?, [4, 5]);
    /// reader.seek_to(1)?;
    /// let mut two = Vec::new();
    /// reader.read_chunk::<u32>(&mut two, 2)?;
    /// assert_eq!(two, [2, 3]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Shape`] for a row after the end, [`ErrorKind::Io`] if seeking fails.
    pub fn seek_to(&mut self, row: usize) -> Result<()> {
        self.located(|reader| {
            let shape = reader.header.shape();
            let (&rows, inner) = match reader.header.order() {
                Order::C => shape.split_first(),
                Order::Fortran => shape.split_last(),
            }
            .unwrap_or((&1, &[]));
            if row > rows {
                let shape = shape::repr(shape);
                let reason = format!("no row {row}: the array has {rows}");
                return Err(ErrorKind::Shape { shape, reason }.into());
            }
            // Neither product overflows: the header has checked the size of all rows.
            let before = row.saturating_mul(shape::count(inner)?);
            let bytes = before.saturating_mul(reader.header.dtype().itemsize());
            reader.source.seek_to_data(bytes)?;
            reader.position = Position::at_row(row, rows, before);
            Ok(())
        })
    }
}
