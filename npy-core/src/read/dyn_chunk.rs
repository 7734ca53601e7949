//! Reading an array of any dtype in parts, without decoding it.

use std::io::Read;

use super::data::RowLayout;
use super::reader::Reader;
use crate::dynamic::DynArray;
use crate::element::type_name;
use crate::error::Result;
use crate::limits;
use crate::shape::Order;

impl<R: Read> Reader<R> {
    /// Reads the next `n` rows without decoding them, whatever their dtype; fewer at the end of the array, and none after it. A row is an
    /// index of the first dimension: a single element, if that is the only dimension.
    ///
    /// Only these rows are read, so the first five rows of a large file cost little. In a file in Fortran order they are gathered, at the
    /// cost that [`rows`](Self::rows) states; the result is in C order.
    ///
    /// ```
    /// use npy_core::{NpyArray, Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// NpyArray::new((0..12).collect(), [4, 3])?.write_npy_to(&mut file)?;
    ///
    /// let mut reader = Reader::new(&file[..])?;
    /// let first = reader.read_dyn_chunk(3)?;
    /// assert_eq!(first.shape(), [3, 3]);
    /// assert_eq!(first.to_vec::<i32>()?, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    /// assert_eq!(reader.read_dyn_chunk(3)?.shape(), [1, 3]);
    /// assert_eq!(reader.read_dyn_chunk(3)?.shape(), [0, 3]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`read_dyn`](Self::read_dyn), which also reads what this refuses: [`ErrorKind::Rank`](crate::ErrorKind::Rank) for a single element
    /// (0-d), and [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for Python objects. Also
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if a part of a row was read before.
    pub fn read_dyn_chunk(&mut self, n: usize) -> Result<DynArray> {
        self.located(|reader| {
            reader.header.without_objects()?;
            let Some(layout) = RowLayout::of(&reader.header)? else {
                let remedy = "read a single element with read_dyn";
                let who = format!("{} in parts", type_name::<DynArray>());
                return Err(reader.header.rank(&who, "one or more dimensions", remedy));
            };
            let first = reader.data.next_row(&layout)?;
            let rows = first..first.saturating_add(n).min(layout.rows);
            let mut shape = reader.header.shape().to_vec();
            if let Some(length) = shape.first_mut() {
                *length = rows.len();
            }
            let header = reader.header.with_shape(shape, Order::C)?;
            reader.limits.check_array(header.data_bytes())?;
            let mut data = Vec::new();
            if layout.is_strided {
                reader.gather_rows(&layout, rows.clone(), &mut data)?;
            } else {
                reader.read_next_bytes(header.data_bytes(), &mut data)?;
            }
            reader.data.pass_rows(&layout, rows.end);
            let array = DynArray::from_parts(header, data)?.with_limits(reader.limits);
            match reader.order {
                Some(order) => array.to_order(order),
                None => Ok(array),
            }
        })
    }

    /// Replaces the contents of `data` by the next bytes.
    fn read_next_bytes(&mut self, bytes: u64, data: &mut Vec<u8>) -> Result<()> {
        self.data.check_exist(bytes)?;
        let wanted = limits::to_usize(bytes)?;
        let left = self.data.bytes_left();
        self.data.lose();
        if self.data.source.fill(data, wanted, left)? < wanted {
            return Err(self.data.ended());
        }
        self.data.resume();
        Ok(())
    }
}
