//! Units of an array by their positions: elements of a flat reader, or rows. What moves to a position is hidden here.

use npy_core::{DynArray, Error, Order};

use super::reader::AnyReader;

/// A reader, and the position that it has.
pub(super) struct Units {
    reader: AnyReader,
    /// The next unit that the reader would read.
    at: usize,
    /// The data of a stream whose units are wanted in an order in which they do not arrive, or of a small member whose checksum is at its end.
    loaded: Option<DynArray>,
    /// True if the units are wanted from the last one on.
    goes_back: bool,
}

impl Units {
    pub(super) fn new(reader: AnyReader, goes_back: bool) -> Self {
        Units { reader, at: 0, loaded: None, goes_back }
    }

    /// Returns true if units can be read in any order.
    pub(super) fn can_seek(&self) -> bool {
        self.reader.can_seek()
    }

    /// Reads units from this position on.
    pub(super) fn take(&mut self, start: usize, count: usize) -> npy_core::Result<DynArray> {
        if self.at == 0 && self.loaded.is_none() && self.reader.is_checked_at_end() {
            self.load()?;
        }
        self.move_to(start)?;
        if let Some(all) = &self.loaded {
            return part_of(all, start, count);
        }
        let block = self.reader.read_rows(count)?;
        self.at = start + count;
        Ok(block)
    }

    fn move_to(&mut self, unit: usize) -> npy_core::Result<()> {
        if unit == self.at || self.loaded.is_some() {
            return Ok(());
        }
        if self.reader.seek_to_row(unit)? {
            // Nothing was read.
        } else if unit < self.at || (self.goes_back && self.at == 0) {
            // The stream has passed the position, or will have: all of it is needed.
            if self.at > 0 {
                // Rows only advance, unless they go back, which is known before the first read.
                let reason = "the parts of this slice are not in the order of the stream; write it to a file first";
                return Err(Error::custom(reason));
            }
            self.load()?;
        } else {
            let itemsize = self.reader.header().dtype().itemsize().max(1);
            let block = ((1 << 18) / itemsize).max(1);
            while self.at < unit {
                let count = block.min(unit - self.at);
                self.reader.read_rows(count)?;
                self.at += count;
            }
        }
        self.at = unit;
        Ok(())
    }

    /// Reads all units.
    fn load(&mut self) -> npy_core::Result<()> {
        let units = self.reader.header().shape().first().copied().unwrap_or(1);
        self.loaded = Some(self.reader.read_rows(units)?);
        Ok(())
    }
}

/// Returns some units of an array in C order.
fn part_of(array: &DynArray, first: usize, count: usize) -> npy_core::Result<DynArray> {
    let shape = [&[count], array.shape().get(1..).unwrap_or_default()].concat();
    let units = array.shape().first().copied().unwrap_or(1).max(1);
    let size = array.as_bytes().len() / units;
    let bytes = array.as_bytes().get(first * size..(first + count) * size).unwrap_or_default();
    DynArray::new(array.dtype().clone(), shape, Order::C, bytes.to_vec())
}
