//! Rows in a file: those of an array in Fortran order are strided, and are gathered.

use std::io::Read;
use std::ops::Range;

use super::position::Position;
use super::reader::Reader;
use crate::checked;
use crate::element::block::BLOCK;
use crate::error::{ErrorKind, Result};
use crate::header::Header;
use crate::limits;
use crate::reserve;
use crate::shape::{self, Order};

/// The rows of an array: a row is an index of the first dimension.
#[derive(Clone, Copy)]
pub(super) struct RowLayout {
    /// The number of rows.
    pub(super) rows: usize,
    /// The number of array elements in a row.
    pub(super) elements: usize,
    /// True if the elements of a row are strided in the file.
    pub(super) is_strided: bool,
}

impl RowLayout {
    /// Returns the rows of an array; `None` for a single element.
    pub(super) fn of(header: &Header) -> Result<Option<Self>> {
        let Some((&rows, inner)) = header.shape().split_first() else { return Ok(None) };
        let elements = limits::to_usize(shape::bytes_in_file(inner, 1)?)?;
        let is_strided = header.order().normalized(header.shape()) == Order::Fortran;
        Ok(Some(RowLayout { rows, elements, is_strided }))
    }

    /// Returns the number of bytes of this many rows.
    pub(super) fn bytes(&self, rows: usize, header: &Header) -> u64 {
        let items = limits::to_u64(rows).saturating_mul(limits::to_u64(self.elements));
        items.saturating_mul(limits::to_u64(header.dtype().itemsize()))
    }
}

impl<R> Reader<R> {
    /// Returns the index of the next row, which is at the position of the reader.
    pub(super) fn next_row_of(&self, layout: &RowLayout) -> Result<usize> {
        self.position.check_known()?;
        let is_at_row = match layout.is_strided {
            true => self.position.by_rows || self.position.elements == 0 || self.remaining() == 0,
            false => self.position.is_between(layout.elements),
        };
        if !is_at_row {
            let what = "reading rows from the middle of one".into();
            let needs =
                "a position at the start of one: move there with seek_to_row, or use a new reader";
            return Err(ErrorKind::Unsupported { what, needs }.into());
        }
        let row = match self.position.elements.checked_div(limits::to_u64(layout.elements)) {
            Some(row) => row,
            None => self.position.next_empty(limits::to_u64(layout.rows)),
        };
        limits::to_usize(row)
    }

    /// Moves past rows whose bytes were consumed; of strided rows, nothing is consumed before the last one.
    #[inline]
    pub(super) fn advance_rows(&mut self, layout: &RowLayout, first: usize, count: usize) {
        let elements = limits::to_u64(count).saturating_mul(limits::to_u64(layout.elements));
        self.position.elements = self.position.elements.saturating_add(elements);
        if layout.elements == 0 || layout.is_strided {
            self.advance_unusual(layout, first.saturating_add(count));
        }
    }

    /// Moves to row `end`, if rows have no elements or are strided. The elements before it were counted.
    #[inline(never)]
    fn advance_unusual(&mut self, layout: &RowLayout, end: usize) {
        if layout.elements == 0 {
            self.position = Position::at_row(end, layout.rows, 0);
            return;
        }
        self.position.by_rows = self.position.elements > 0;
        if end >= layout.rows {
            self.position.finish(self.header.elements());
            if self.strided.take().is_none() {
                self.source.skip(self.header.data_bytes());
            }
        }
    }
}

impl<R: Read> Reader<R> {
    /// Replaces the contents of `out` by the bytes of these rows, which are strided in the file: the elements of each row in C order.
    ///
    /// The elements of one index of a row, for all of these rows, are contiguous in the file: a run. The runs are read one by one. A source
    /// that cannot be read at any offset is read completely into memory first.
    pub(super) fn gather_rows(
        &mut self,
        layout: &RowLayout,
        rows: Range<usize>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        out.clear();
        let itemsize = self.header.dtype().itemsize();
        let bytes = limits::to_usize(layout.bytes(rows.len(), &self.header))?;
        if bytes == 0 {
            return Ok(());
        }
        let is_shared = self.source.shared().is_some();
        if self.strided.is_none() && !(is_shared && self.has_all_data()?) {
            // Nothing was consumed yet, even if a row was sought.
            let position = std::mem::take(&mut self.position);
            self.strided = Some(self.read_bytes()?.into_bytes());
            self.position = position;
        }
        reserve::growing(out, bytes)?;
        out.resize(bytes, 0);
        let (run, row_bytes) =
            (checked::mul(rows.len(), itemsize), checked::mul(layout.elements, itemsize));
        let next_run = layout.rows.saturating_mul(itemsize);
        let skipped = checked::mul(rows.start, itemsize);
        let runs_per_read = runs_per_read(layout, rows.len(), next_run);
        let inner = self.header.shape().get(1..).unwrap_or_default();
        let (mut group, mut read) = (0..0, Vec::new());
        // Run `index` has the elements at position `at` of each row.
        for (index, at) in shape::reordered(inner, Order::C, Order::Fortran).enumerate() {
            let start = match &self.strided {
                Some(_) => checked::add(checked::mul(index, next_run), skipped),
                None => {
                    if index >= group.end {
                        let end = layout.elements.min(index.saturating_add(runs_per_read));
                        group = index..end;
                        let gaps = checked::mul(checked::sub(group.len(), 1), next_run);
                        read.resize(checked::add(gaps, run), 0);
                        self.read_at(index, next_run, skipped, &mut read)?;
                    }
                    checked::mul(checked::sub(index, group.start), next_run)
                }
            };
            let data = self.strided.as_ref().unwrap_or(&read);
            let items = checked::slice(data, start..checked::add(start, run));
            let slots = out.get_mut(checked::mul(at, itemsize)..).unwrap_or_default();
            spread(items, itemsize, slots, row_bytes);
        }
        Ok(())
    }

    /// Reads a file from this byte of a run on.
    fn read_at(&self, run: usize, run_bytes: usize, byte: usize, out: &mut [u8]) -> Result<()> {
        let offset = limits::to_u64(run).saturating_mul(limits::to_u64(run_bytes));
        let offset = offset.saturating_add(limits::to_u64(byte));
        let found = match self.source.shared() {
            Some((file, _)) => file.at(offset).fill_slice(out)?,
            None => 0,
        };
        if found == out.len() {
            return Ok(());
        }
        let found = offset.saturating_add(limits::to_u64(found));
        let expected = self.header.data_bytes();
        Err(ErrorKind::Truncated { what: "data", expected, found }.into())
    }

    /// Refuses strided rows of a file that is known to be too short; returns true if it is known to be long enough.
    fn has_all_data(&self) -> Result<bool> {
        let bytes = self.header.data_bytes();
        match self.source.available(bytes) {
            Some(found) if found < bytes => {
                Err(ErrorKind::Truncated { what: "data", expected: bytes, found }.into())
            }
            known => Ok(known.is_some()),
        }
    }
}

/// Returns the number of runs to read at once. If runs are short and most of their rows are needed, the others are read with them.
fn runs_per_read(layout: &RowLayout, rows: usize, run_bytes: usize) -> usize {
    const SHORT: usize = 16 << 10;
    if run_bytes > SHORT || rows < layout.rows.div_ceil(4) {
        return 1;
    }
    BLOCK.checked_div(run_bytes).unwrap_or(1).max(1)
}

/// Copies items to slots that are `stride` bytes apart.
fn spread(items: &[u8], itemsize: usize, slots: &mut [u8], stride: usize) {
    // With a size that is known when compiled, a copy is one instruction.
    match itemsize {
        1 => spread_sized::<1>(items, slots, stride),
        2 => spread_sized::<2>(items, slots, stride),
        4 => spread_sized::<4>(items, slots, stride),
        8 => spread_sized::<8>(items, slots, stride),
        16 => spread_sized::<16>(items, slots, stride),
        _ => {
            let slots = slots.chunks_mut(stride.max(1));
            for (item, slot) in items.chunks_exact(itemsize.max(1)).zip(slots) {
                if let Some(slot) = slot.get_mut(..itemsize) {
                    slot.copy_from_slice(item);
                }
            }
        }
    }
}

fn spread_sized<const N: usize>(items: &[u8], slots: &mut [u8], stride: usize) {
    for (item, slot) in items.chunks_exact(N).zip(slots.chunks_mut(stride.max(1))) {
        if let (Some(item), Some(slot)) = (item.first_chunk::<N>(), slot.first_chunk_mut::<N>()) {
            *slot = *item;
        }
    }
}
