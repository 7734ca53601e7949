//! Units of an array by their positions: elements of a flat reader, or rows. What moves to a position is hidden here.

use npy_core::{DynArray, Error, Order};

use super::reader::{AnyReader, Seeking};

/// A reader, and the position that it has.
pub(super) struct Units {
    reader: AnyReader,
    /// The next unit that the reader would read.
    at: usize,
    /// The data of a stream whose units are wanted in an order in which they do not arrive, or of a compressed member after too many moves.
    loaded: Option<DynArray>,
    /// True if the units are wanted from the last one on.
    goes_back: bool,
    /// The bytes that may still be inflated only because of moves; `None` if moves inflate nothing, or only forwards.
    left_to_waste: Option<usize>,
}

/// The bytes of a compressed member that a move inflates for nothing: those of a chunk, as most have them.
const CHUNK: usize = 1 << 20;

impl Units {
    /// `moves_around` is true if most moves are not to a position shortly after the last one.
    pub(super) fn new(reader: AnyReader, goes_back: bool, moves_around: bool) -> Self {
        let header = reader.header();
        let elements = header.shape().iter().fold(1_usize, |product, &n| product.saturating_mul(n));
        // Many moves inflate the same bytes again and again; then it is faster to inflate all of them once.
        let all = elements.saturating_mul(header.dtype().itemsize());
        let is_costly = moves_around && reader.seeking() == Seeking::Chunks;
        let left_to_waste = is_costly.then_some(all / 4);
        Units { reader, at: 0, loaded: None, goes_back, left_to_waste }
    }

    /// Returns true if units can be read in any order.
    pub(super) fn can_seek(&self) -> bool {
        self.reader.seeking() != Seeking::Never
    }

    /// Reads units from this position on.
    pub(super) fn take(&mut self, start: usize, count: usize) -> npy_core::Result<DynArray> {
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
        if self.wastes_too_much() {
            self.reader.seek_to_row(0)?;
            self.load()?;
        } else if self.reader.seek_to_row(unit)? {
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

    /// Returns true if the next move is one too many.
    fn wastes_too_much(&mut self) -> bool {
        let Some(left) = &mut self.left_to_waste else { return false };
        let is_enough = *left >= CHUNK;
        *left = left.saturating_sub(CHUNK);
        !is_enough
    }

    /// Reads all units, from the first one on.
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
