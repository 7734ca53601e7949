//! Large results, whose bytes are read into where they stay.

use std::io::Read;

use super::{Reader, Way, truncated};
use crate::element::{Element, block};
use crate::error::Result;
use crate::kernel;
use crate::reserve;
use crate::view::Plain;

/// Less is decoded block by block. What a fuzzer finds is small.
const LARGE: usize = if cfg!(fuzzing) { 16 } else { 1 << 20 };

/// Memory of this size comes from the system, as zeros that nobody writes. What is smaller was mostly used before: glibc's allocator
/// keeps it.
const FRESH: usize = if cfg!(fuzzing) { 64 } else { 32 << 20 };

impl<R: Read> Reader<R> {
    /// Reads the items that remain, if they are surely there, many, and the same in memory as in the file, or turned round.
    ///
    /// Of such a type any bytes are values: there is nothing to check.
    pub(super) fn straight<T: Element>(&mut self, way: &Way) -> Result<Option<Vec<T>>> {
        let count = self.left(way);
        let bytes = count.saturating_mul(T::SIZE);
        let large = bytes >= LARGE && way.plan.is_in_place();
        let Some(plain) = large.then(T::__plain).flatten() else { return Ok(None) };
        if !self.is_there()? {
            return Ok(None);
        }
        let turn = |part: &mut [u8]| {
            let count = part.len().checked_div(T::SIZE).unwrap_or_default();
            kernel::run(&way.plan, count, part, &mut Vec::new());
        };
        let part = block::items_per_block(&way.plan);
        let second = self.source.second(bytes);
        if bytes < FRESH && second.is_none() {
            return self.part_by_part(way, &plain, part, turn).map(Some);
        }
        let mut items = plain.zeros(count)?;
        let room = plain.bytes_mut(&mut items);
        self.lost = true;
        let found = self.source.fill_parts(room, part.saturating_mul(T::SIZE), &turn, second)?;
        self.took::<T>(way, bytes, found)?;
        self.lost = false;
        Ok(Some(items))
    }

    /// Reads them into memory that may have been used before: zeros are written to each part while it is in the cache.
    fn part_by_part<T: Element>(
        &mut self,
        way: &Way,
        plain: &Plain<T>,
        part: usize,
        turn: impl Fn(&mut [u8]),
    ) -> Result<Vec<T>> {
        let mut items = Vec::new();
        reserve::exact(&mut items, self.left(way))?;
        self.lost = true;
        while self.left(way) > 0 {
            let start = items.len();
            let count = self.left(way).min(part);
            reserve::pages(items.spare_capacity_mut().get_mut(..count).unwrap_or_default());
            plain.append_zeros(&mut items, count);
            let room = plain.bytes_mut(items.get_mut(start..).unwrap_or_default());
            let found = self.source.fill_slice(room)?;
            turn(room);
            let wanted = room.len();
            self.took::<T>(way, wanted, found)?;
        }
        self.lost = false;
        Ok(items)
    }

    /// Notes that so many of the bytes that were wanted were found; an error if that is not all of them.
    fn took<T: Element>(&mut self, way: &Way, wanted: usize, found: usize) -> Result<()> {
        let before = self.header.data_bytes().saturating_sub(self.bytes_left());
        let items = found.checked_div(T::SIZE).unwrap_or_default();
        self.remaining = self.remaining.saturating_sub(items.saturating_mul(way.per_item));
        if found < wanted {
            return Err(truncated(self.header.data_bytes(), before.saturating_add(found)));
        }
        Ok(())
    }
}
