//! Layer 4: items in parts: what has to be encoded, and large values as they lie.

use super::{Element, InvalidValue};

/// Smaller values are copied as quickly as they are pointed at. What a fuzzer makes is small.
pub(crate) const LARGE: usize = if cfg!(fuzzing) { 16 } else { 2 << 10 };

/// Whether most of an item of `T` stays where it lies.
pub(crate) const fn most_lies<T: Element>() -> bool {
    T::__LYING > T::SIZE / 2
}

/// Canonical items in parts, in the order of their bytes.
#[doc(hidden)]
#[derive(Default)]
pub struct Parts<'v> {
    /// Room for what is encoded: zeros at first, and so padding is always, as in every run items of one type stand alike.
    room: Vec<u8>,
    /// How much of it is taken.
    encoded: usize,
    /// Values that are their items as they lie in memory, and how many bytes are encoded before each.
    lying: Vec<(usize, &'v [u8])>,
}

impl<'v> Parts<'v> {
    /// Adds so many bytes of padding.
    #[inline]
    pub(crate) fn pad(&mut self, bytes: usize) {
        self.slot(bytes);
    }

    /// Adds a value of so many bytes.
    ///
    /// # Errors
    ///
    /// That of `encode`.
    #[inline]
    pub fn encode(
        &mut self,
        size: usize,
        encode: impl FnOnce(&mut [u8]) -> Result<(), InvalidValue>,
    ) -> Result<(), InvalidValue> {
        // There is always room.
        let Some(slot) = self.slot(size) else { return Ok(()) };
        // Items that were written before have left their bytes in it.
        slot.fill(0);
        encode(slot)
    }

    /// Adds a value that is its item as it lies.
    #[inline]
    pub(crate) fn lie(&mut self, bytes: &'v [u8]) {
        self.lying.push((self.encoded, bytes));
    }

    /// Makes so many bytes part of what is encoded.
    #[inline]
    fn slot(&mut self, size: usize) -> Option<&mut [u8]> {
        let start = self.encoded;
        self.encoded = start.saturating_add(size);
        if self.encoded > self.room.len() {
            self.lengthen();
        }
        // Cut like that it has a length that the compiler knows.
        self.room.get_mut(start..)?.get_mut(..size)
    }

    #[cold]
    fn lengthen(&mut self) {
        self.room.resize(self.encoded.max(self.room.len().saturating_mul(2)), 0);
    }

    /// How many bytes are encoded.
    pub(crate) fn encoded(&self) -> usize {
        self.encoded
    }

    /// How many slices there are at the most.
    pub(crate) fn count(&self) -> usize {
        self.lying.len().saturating_mul(2).saturating_add(1)
    }

    /// The parts as slices, some of them of no bytes.
    pub(crate) fn slices(&self) -> impl Iterator<Item = &[u8]> {
        let mut first = 0;
        let last = self.lying.last().map_or(0, |&(end, _)| end);
        let pairs = self.lying.iter().flat_map(move |&(end, lying)| {
            let encoded = self.room.get(first..end).unwrap_or_default();
            first = end;
            [encoded, lying]
        });
        pairs.chain(self.room.get(last..self.encoded))
    }

    /// Drops all parts, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.encoded = 0;
        self.lying.clear();
    }
}
