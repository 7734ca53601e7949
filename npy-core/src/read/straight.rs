//! Large results, whose bytes are read into where they stay.

use std::io::Read;

use super::{Reader, Way, truncated};
use crate::element::{Element, block};
use crate::error::Result;
use crate::kernel;
use crate::reserve;
use crate::view::Plain;

/// Memory of this size mostly comes from the system, as zeros that nobody writes; less, the allocator has to clear.
///
/// What a fuzzer finds is small.
const LARGE: usize = if cfg!(fuzzing) { 16 } else { 1 << 20 };

/// Memory of this size comes from the system: glibc's allocator gives what is smaller from memory that was used before.
const FRESH: usize = if cfg!(fuzzing) { 64 } else { 32 << 20 };

impl<R: Read> Reader<R> {
    /// Reads the items that remain, if they are surely there, many, and the same in memory as in the file, or turned round.
    pub(super) fn straight<T: Element>(&mut self, way: &Way) -> Result<Option<Vec<T>>> {
        let count = self.left(way);
        let large = count.saturating_mul(T::SIZE) >= LARGE && way.plan.is_in_place();
        let Some(plain) = large.then(T::__plain).flatten() else { return Ok(None) };
        if !self.is_there()? {
            return Ok(None);
        }
        let bytes = count.saturating_mul(T::SIZE);
        if bytes < FRESH && !self.source.has_second(bytes) {
            return self.part_by_part(way, &plain).map(Some);
        }
        let mut items = plain.zeros(count)?;
        let bytes = plain.bytes_mut(&mut items);
        let first = self.row(way);
        let before = self.header.data_bytes().saturating_sub(self.bytes_left());
        let turn = |part: &mut [u8]| {
            let count = part.len().checked_div(T::SIZE).unwrap_or_default();
            kernel::run(&way.plan, count, part, &mut Vec::new());
        };
        self.lost = true;
        let part = block::items_per_block(&way.plan).saturating_mul(T::SIZE);
        let found = self.source.fill_parts(bytes, part, &turn)?;
        let read = found.checked_div(T::SIZE).unwrap_or_default();
        self.remaining = self.remaining.saturating_sub(read.saturating_mul(way.per_item));
        if found < bytes.len() {
            return Err(truncated(self.header.data_bytes(), before.saturating_add(found)));
        }
        T::check(bytes).map_err(|error| block::invalid(&error, first))?;
        self.lost = false;
        Ok(Some(items))
    }

    /// Reads them into memory that may have been used before: zeros are written to each part while it is in the cache.
    fn part_by_part<T: Element>(&mut self, way: &Way, plain: &Plain<T>) -> Result<Vec<T>> {
        let mut items = Vec::new();
        reserve::exact(&mut items, self.left(way))?;
        let most = block::items_per_block(&way.plan);
        self.lost = true;
        while self.left(way) > 0 {
            let first = self.row(way);
            let before = self.header.data_bytes().saturating_sub(self.bytes_left());
            let start = items.len();
            let count = self.left(way).min(most);
            items.extend((0..count).map(|_| T::decode(&[])));
            let part = plain.bytes_mut(items.get_mut(start..).unwrap_or_default());
            let found = self.source.fill_slice(part)?;
            let read = found.checked_div(T::SIZE).unwrap_or_default();
            self.remaining = self.remaining.saturating_sub(read.saturating_mul(way.per_item));
            if found < part.len() {
                return Err(truncated(self.header.data_bytes(), before.saturating_add(found)));
            }
            let checked = T::check(kernel::run(&way.plan, read, part, &mut Vec::new()));
            checked.map_err(|error| block::invalid(&error, first))?;
        }
        self.lost = false;
        Ok(items)
    }
}
