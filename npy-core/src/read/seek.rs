//! Seeking to a row.

use std::io::{Read, Seek};

use super::data::RowLayout;
use super::reader::Reader;
use crate::error::{ErrorKind, Result};
use crate::shape::{self, Order};

impl<R: Read + Seek> Reader<R> {
    /// Moves to a row in the order of the file, so that the next read begins there. Rows are counted along the first dimension; in Fortran order,
    /// along the last: of a matrix, these are its columns, which [`records`](Self::records), [`read_chunk`](Self::read_chunk) and
    /// [`read_into`](Self::read_into) read from there on. To move to a row of [`rows`](Self::rows) and [`read_dyn_chunk`](Self::read_dyn_chunk), use
    /// [`seek_to_row`](Self::seek_to_row).
    ///
    /// A `row` equal to the number of rows means the end. A row of an array of several dimensions is many elements; [`read_chunk`](Self::read_chunk)
    /// then counts values of its type.
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
    /// [`ErrorKind::Shape`] for a row after the end, [`ErrorKind::Io`] if seeking fails; the position is then unchanged.
    pub fn seek_to(&mut self, row: usize) -> Result<()> {
        self.seek_along(self.header.order(), row, |reader, rows, elements| {
            reader.data.seek(row, rows, elements)
        })
    }

    /// Moves to a row as [`rows`](Self::rows) and [`read_dyn_chunk`](Self::read_dyn_chunk) count them: along the first dimension in either
    /// order, where [`seek_to`](Self::seek_to) counts along the last one in Fortran order. A `row` equal to the number of rows means the end.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::{NpyArray, Order, Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// NpyArray::with_order((0u8..6).collect(), [3, 2], Order::Fortran)?.write_npy_to(&mut file)?;
    ///
    /// let mut reader = Reader::new(Cursor::new(file))?;
    /// reader.seek_to_row(2)?;
    /// assert_eq!(reader.read_dyn_chunk(1)?.to_vec::<u8>()?, [2, 5]);
    /// reader.seek_to_row(0)?;
    /// assert_eq!(reader.read_dyn_chunk(1)?.to_vec::<u8>()?, [0, 3]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`seek_to`](Self::seek_to).
    pub fn seek_to_row(&mut self, row: usize) -> Result<()> {
        self.seek_along(Order::C, row, |reader, rows, elements| {
            match RowLayout::of(&reader.header)? {
                Some(layout) if layout.is_strided => reader.data.seek_strided(&layout, row),
                _ => reader.data.seek(row, rows, elements),
            }
        })
    }

    /// Calls `seek` with the number of rows, and of elements in a row, along the dimension that changes slowest in this order.
    fn seek_along(
        &mut self,
        order: Order,
        row: usize,
        seek: impl FnOnce(&mut Self, usize, u64) -> Result<()>,
    ) -> Result<()> {
        self.located(|reader| {
            let shape = reader.header.shape();
            let (&rows, inner) = match order {
                Order::C => shape.split_first(),
                Order::Fortran => shape.split_last(),
            }
            .unwrap_or((&1, &[]));
            if row > rows {
                let shape = shape::repr(shape);
                let reason = format!("no row {row}: the array has {rows}");
                return Err(ErrorKind::Shape { shape, reason }.into());
            }
            let elements = shape::bytes_in_file(inner, 1)?;
            seek(reader, rows, elements)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, SeekFrom};

    use super::*;
    use crate::header::Header;

    /// A file with a header and zeros after it.
    struct Zeros {
        header: Vec<u8>,
        at: u64,
        end: u64,
    }

    impl Read for Zeros {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let header = self.header.get(usize::try_from(self.at).unwrap_or(usize::MAX)..);
            let left = usize::try_from(self.end - self.at).unwrap_or(usize::MAX);
            let read = match header {
                Some(mut header) if !header.is_empty() => header.read(out)?,
                _ => io::repeat(0).take(left as u64).read(out)?,
            };
            self.at += read as u64;
            Ok(read)
        }
    }

    impl Seek for Zeros {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.at = match to {
                SeekFrom::Start(at) => at,
                SeekFrom::Current(by) => self.at.checked_add_signed(by).unwrap(),
                SeekFrom::End(by) => self.end.checked_add_signed(by).unwrap(),
            };
            Ok(self.at)
        }
    }

    /// Guards that rows in Fortran order are found from any row, by a reader of a stream, which reads all data first.
    #[test]
    fn rows_in_fortran_order_are_sought_before_and_after_a_read() {
        let array =
            crate::NpyArray::with_order((0u8..12).collect(), [4, 3], Order::Fortran).unwrap();
        let mut file = Vec::new();
        crate::WriteNpy::write_npy_to(&array, &mut file).unwrap();
        let mut reader = Reader::new(io::Cursor::new(file)).unwrap();
        for row in [3, 0, 2, 2, 1] {
            reader.seek_to_row(row).unwrap();
            let first = u8::try_from(row).unwrap();
            let values = reader.read_dyn_chunk(1).unwrap().to_vec::<u8>().unwrap();
            assert_eq!(values, [first, first + 4, first + 8]);
        }
        reader.seek_to_row(4).unwrap();
        assert_eq!(reader.read_dyn_chunk(1).unwrap().shape(), [0, 3]);
        assert!(reader.seek_to_row(5).is_err());
    }

    #[test]
    fn files_over_4_gib_are_read_on_every_target() {
        // More bytes, and in the second file more elements, than 32 bits count.
        for (dtype, shape) in [("<f8", [3_000_000_000, 2]), ("|u1", [3_000_000_000, 2])] {
            let header = Header::new(dtype.parse().unwrap(), shape, Order::C).unwrap();
            let itemsize = header.dtype().itemsize() as u64;
            let header = header.to_bytes().unwrap();
            let end = header.len() as u64 + 6_000_000_000 * itemsize;
            let mut reader = Reader::new(Zeros { header, at: 0, end }).unwrap();
            reader.seek_to(2_999_999_000).unwrap();
            assert_eq!(reader.remaining(), 2000);
            if dtype == "<f8" {
                assert_eq!(reader.records::<[f64; 2]>().unwrap().take(10).count(), 10);
                assert_eq!(reader.read_chunk(&mut Vec::<[f64; 2]>::new(), 2000).unwrap(), 990);
            } else {
                assert_eq!(reader.records::<[u8; 2]>().unwrap().count(), 1000);
            }
            assert_eq!(reader.remaining(), 0);
            reader.seek_to(2_999_999_999).unwrap();
            assert_eq!(reader.remaining(), 2);
        }
    }
}
