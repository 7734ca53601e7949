//! The data of an array and the position in it. They are one state, which only this file changes: the offset of the source is the position, and
//! nothing else counts elements that have bytes.

use std::fs::File;
use std::io::{Read, Seek};

use super::source::{FileAt, Source};
use crate::element::typed_plan::ItemPlan;
use crate::error::{Error, ErrorKind, Result};
use crate::header::{DataSize, Header};
use crate::limits::{self, to_u64};
use crate::shape::{self, Order};

/// The remedy in the error for a read that is possible only at the start of the array.
pub(super) const ITS_START: &str =
    "the start of the array: a new reader, or seek_to(0) of one that can seek";

/// The data of an array, and the position of the next read, whatever its type.
pub(super) struct Data<R> {
    /// The bytes. All that is read from it moves the position.
    pub(super) source: Source<R>,
    pub(super) size: DataSize,
    place: Place,
    /// The position among values that have no bytes: the number of values before it, and of all values. It is used if the data has no bytes.
    counted: (u64, u64),
    /// True if the last seek went to the end, after which no element can be read before the next seek.
    pub(super) at_end: bool,
}

/// The position of the next read.
enum Place {
    /// Anything: the source is at the next element.
    Elements,
    /// Rows of an array in Fortran order, whose elements are strided in the file: the position is after this many elements in C order. The rows
    /// are copied from memory, or read at their offsets, and the source stays where it is.
    Rows { elements: u64, memory: Option<Vec<u8>> },
    /// Nothing: a read has begun and not succeeded.
    Lost,
}

impl<R> Data<R> {
    /// Starts at the data, which comes next in the source.
    pub(super) fn new(mut source: Source<R>, header: &Header) -> Self {
        source.start_data();
        let (size, place) = (DataSize::of(header), Place::Elements);
        Data { source, size, place, counted: (0, 1), at_end: false }
    }

    /// Returns the number of elements before the position.
    pub(super) fn elements_before(&self) -> u64 {
        match &self.place {
            Place::Rows { elements, .. } => *elements,
            _ if self.size.bytes == 0 => self.counted_of(self.size.elements),
            _ => self.source.offset().checked_div(self.size.itemsize).unwrap_or(0),
        }
    }

    /// Returns the number of elements that were not read yet.
    pub(super) fn elements_left(&self) -> u64 {
        self.size.elements.saturating_sub(self.elements_before())
    }

    /// Returns the number of bytes of the elements that were not read yet.
    pub(super) fn bytes_left(&self) -> u64 {
        self.elements_left().saturating_mul(self.size.itemsize)
    }

    /// Returns the index of the next of `count` values without bytes: `counted`, scaled to `count`.
    fn counted_of(&self, count: u64) -> u64 {
        let (before, all) = self.counted;
        let scaled = u128::from(before).saturating_mul(u128::from(count));
        let index = scaled.div_ceil(u128::from(all.max(1)));
        u64::try_from(index).map_or(count, |index| index.min(count))
    }

    /// Returns the index of the next value of this plan.
    pub(super) fn next_index(&self, plan: &ItemPlan) -> u64 {
        match self.elements_before().checked_div(to_u64(plan.per_item)) {
            Some(index) => index,
            None => self.counted_of(plan.count),
        }
    }

    /// Returns true if a value of `per_item` elements can start at the position.
    #[inline]
    pub(super) fn is_between(&self, per_item: usize) -> bool {
        // The usual case has no division, because this runs for each chunk.
        per_item <= 1 || self.elements_before().is_multiple_of(to_u64(per_item))
    }

    /// Returns true if no element was read or skipped.
    pub(super) fn is_at_start(&self) -> bool {
        matches!(self.place, Place::Elements) && self.counted.0 == 0 && self.elements_before() == 0
    }

    /// Returns true if that many bytes of elements are left, and can be read next.
    #[inline]
    pub(super) fn has_left(&self, bytes: usize) -> bool {
        let left = self.size.bytes.saturating_sub(self.source.offset());
        matches!(self.place, Place::Elements) && to_u64(bytes) <= left
    }

    /// Refuses to read elements after a read that failed, or after rows of an array in Fortran order.
    #[inline]
    pub(super) fn check(&self) -> Result<()> {
        match self.place {
            Place::Elements => Ok(()),
            Place::Rows { .. } => Err(between_rows()),
            Place::Lost => Err(lost()),
        }
    }

    /// Returns true after a read that failed.
    pub(super) fn is_lost(&self) -> bool {
        matches!(self.place, Place::Lost)
    }

    /// Begins to read elements. Unless [`resume`](Self::resume) or [`finish`](Self::finish) is called, the position is lost.
    #[inline]
    pub(super) fn lose(&mut self) {
        self.place = Place::Lost;
    }

    /// Ends the read of some elements successfully. The position is where the source is.
    #[inline]
    pub(super) fn resume(&mut self) {
        self.place = Place::Elements;
    }

    /// Ends the read of all elements successfully.
    pub(super) fn finish(&mut self) {
        debug_assert!(
            self.size.bytes == 0 || self.source.offset() == self.size.bytes,
            "not at the end"
        );
        self.place = Place::Elements;
        if self.size.elements > 0 {
            self.counted = (1, 1);
        }
    }

    /// Counts `n` values of this plan, whose bytes were consumed.
    #[inline]
    pub(super) fn advance(&mut self, plan: &ItemPlan, n: usize) {
        if plan.plan.src_itemsize == 0 {
            self.counted = (self.next_index(plan).saturating_add(to_u64(n)), plan.count);
        }
    }

    /// The error for data that has ended.
    pub(super) fn ended(&self) -> Error {
        self.size.truncated(self.source.found())
    }

    /// Returns the file, if it can be read at any offset.
    pub(super) fn shared(&self) -> Option<Shared<'_>> {
        let (file, threads) = self.source.shared()?;
        Some(Shared { file, threads, size: self.size })
    }
}

/// A file that is read at any offset from the start of the data, also by several threads.
pub(super) struct Shared<'f> {
    file: FileAt<&'f File>,
    /// The number of threads that may read it.
    pub(super) threads: usize,
    size: DataSize,
}

impl Shared<'_> {
    /// Refuses a file that is too short.
    pub(super) fn check_complete(&self) -> Result<()> {
        match self.file.length_from(0) {
            Some(length) if length < self.size.bytes => Err(self.size.truncated(length)),
            _ => Ok(()),
        }
    }

    /// Fills `out` with the bytes at this offset.
    pub(super) fn fill(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        let found = self.file.at(offset).fill_slice(out)?;
        match found == out.len() {
            true => Ok(()),
            false => Err(self.size.truncated(offset.saturating_add(to_u64(found)))),
        }
    }
}

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
        let items = to_u64(rows).saturating_mul(to_u64(self.elements));
        items.saturating_mul(to_u64(header.dtype().itemsize()))
    }
}

impl<R> Data<R> {
    /// Returns the index of the next row; an error if the position is within a row.
    pub(super) fn next_row(&self, layout: &RowLayout) -> Result<usize> {
        let is_at_row = match self.place {
            Place::Lost => return Err(lost()),
            Place::Rows { .. } => true,
            Place::Elements if layout.is_strided => {
                self.elements_before() == 0 || self.elements_left() == 0
            }
            Place::Elements if layout.elements == 0 => {
                let (before, all) = self.counted;
                let scaled = u128::from(before).saturating_mul(u128::from(to_u64(layout.rows)));
                all == 0 || scaled.is_multiple_of(u128::from(all))
            }
            Place::Elements => self.is_between(layout.elements),
        };
        if !is_at_row {
            return Err(within_row());
        }
        let rows = to_u64(layout.rows);
        let row = self.elements_before().checked_div(to_u64(layout.elements));
        limits::to_usize(row.unwrap_or_else(|| self.counted_of(rows)))
    }

    /// Moves to the row `next`, after the rows before it were read.
    #[inline]
    pub(super) fn pass_rows(&mut self, layout: &RowLayout, next: usize) {
        if layout.is_strided {
            self.pass_strided(layout, next);
        } else if self.size.bytes == 0 && self.counted_of(to_u64(layout.rows)) != to_u64(next) {
            self.counted = (to_u64(next), to_u64(layout.rows));
        }
    }

    #[inline(never)]
    fn pass_strided(&mut self, layout: &RowLayout, next: usize) {
        let elements = to_u64(next).saturating_mul(to_u64(layout.elements));
        let memory = match &mut self.place {
            Place::Rows { memory, .. } => memory.take(),
            _ => None,
        };
        if elements >= self.size.elements {
            // The bytes in memory were read from the source.
            if memory.is_none() && self.source.offset() < self.size.bytes {
                self.source.move_shared(self.size.bytes);
            }
            self.finish();
        } else if elements > 0 || memory.is_some() {
            self.place = Place::Rows { elements, memory };
        }
    }

    /// Returns the complete data in the order of the file, if it is in memory.
    pub(super) fn memory(&self) -> Option<&[u8]> {
        match &self.place {
            Place::Rows { memory, .. } => memory.as_deref(),
            _ => None,
        }
    }

    /// Begins to read the complete data into memory, from its start. Returns the position, for [`keep`](Self::keep).
    pub(super) fn leave_rows(&mut self) -> u64 {
        let elements = self.elements_before();
        self.place = Place::Elements;
        elements
    }

    /// Keeps the complete data in memory, and returns to this position.
    pub(super) fn keep(&mut self, memory: Vec<u8>, elements: u64) {
        self.place = Place::Rows { elements, memory: Some(memory) };
    }
}

impl<R: Read> Data<R> {
    /// Refuses to read this many bytes if the source is known to have fewer; returns true if it is known to have them.
    pub(super) fn check_exist(&self, bytes: u64) -> Result<bool> {
        match self.source.available(bytes) {
            Some(found) if found < bytes => {
                Err(self.size.truncated(self.source.length().unwrap_or(found)))
            }
            known => Ok(known.is_some()),
        }
    }
}

impl<R: Read + Seek> Data<R> {
    /// Moves to a row of this many, each of which has this many elements that are contiguous in the file.
    pub(super) fn seek(&mut self, row: usize, rows: usize, elements: u64) -> Result<()> {
        // Neither product overflows: the header has checked the size of all rows.
        let before = to_u64(row).saturating_mul(elements);
        self.source.seek_to_data(before.saturating_mul(self.size.itemsize))?;
        self.place = Place::Elements;
        self.counted = (to_u64(row), to_u64(rows));
        self.at_end = row == rows;
        Ok(())
    }

    /// Moves to a row of an array in Fortran order.
    pub(super) fn seek_strided(&mut self, layout: &RowLayout, row: usize) -> Result<()> {
        let elements = to_u64(layout.elements);
        if row == 0 || row == layout.rows {
            return self.seek(row, layout.rows, elements);
        }
        // The data in memory is complete; otherwise the rows are read from the start of the data.
        if self.memory().is_none() {
            self.seek(0, layout.rows, elements)?;
        }
        self.at_end = false;
        self.pass_strided(layout, row);
        Ok(())
    }
}

#[cold]
fn between_rows() -> Error {
    let what = "reading elements after some rows of an array in Fortran order".into();
    let needs = "the rest of its rows first (Reader::rows, Reader::read_dyn_chunk), or its start: a new reader, or seek_to(0) of one that can seek";
    ErrorKind::Unsupported { what, needs }.into()
}

#[cold]
fn within_row() -> Error {
    let what = "reading rows from the middle of one".into();
    let needs = "a position at the start of one: move there with seek_to_row, or use a new reader";
    ErrorKind::Unsupported { what, needs }.into()
}

#[cold]
pub(super) fn lost() -> Error {
    let what = "reading on after a read that failed, so that the position is unknown,".into();
    let needs = "a known one: a new reader, or seek_to(n) of one that can seek";
    ErrorKind::Unsupported { what, needs }.into()
}
