//! A block of elements at a time: what is decoded from it, and what is encoded into it.

use std::borrow::Borrow;
use std::marker::PhantomData;
use std::ops::Range;

use crate::element::{Element, InvalidValue};
use crate::error::{Error, ErrorKind, Place};
use crate::kernel;
use crate::limits;
use crate::plan::Plan;
use crate::reserve;

/// Bytes of a block: it stays in the second-level cache.
pub(crate) const BLOCK: usize = 256 << 10;

/// Bytes of a block that is written at once: fewer calls of the system, and still in the cache.
pub(crate) const WRITTEN: usize = 512 << 10;

/// The two buffers that a run over blocks by one plan needs; each holds one block.
#[derive(Default)]
pub(crate) struct Buffers {
    pub(crate) block: Vec<u8>,
    scratch: Vec<u8>,
}

impl Buffers {
    /// Runs a plan over the `count` elements of the block.
    pub(crate) fn run(&mut self, plan: &Plan, count: usize) -> &[u8] {
        kernel::run(plan, count, &mut self.block, &mut self.scratch)
    }

    /// What the last run by this plan has made.
    #[inline]
    pub(crate) fn result(&self, plan: &Plan) -> &[u8] {
        if plan.is_in_place() { &self.block } else { &self.scratch }
    }

    /// What is kept for the next run: not the memory of one element that is larger than a block.
    pub(crate) fn kept(self) -> Self {
        let most = self.block.capacity().max(self.scratch.capacity());
        if most <= 2 * BLOCK { self } else { Buffers::default() }
    }
}

/// How many elements of these sizes make a block.
pub(crate) fn items_per_block(plan: &Plan) -> usize {
    items_in(BLOCK, plan)
}

/// How many of them make a block of this many bytes.
pub(crate) fn items_in(block: usize, plan: &Plan) -> usize {
    block.checked_div(plan.src_itemsize.max(plan.dst_itemsize)).unwrap_or(block).max(1)
}

/// How many elements a block was filled with; if those that were asked for are not all there, also why.
pub(crate) type Filled = (usize, Option<Error>);

/// Makes the block the bytes of the elements at these indices.
pub(crate) type Fill<'f> = &'f mut dyn FnMut(&mut Vec<u8>, Range<usize>) -> Result<Filled, Error>;

/// Decodes the elements at these indices to the end of `out`, block by block, of `most` elements each.
///
/// `fill` makes the block the bytes of the next elements, and `decode` adds that many values to the list.
pub(crate) fn decode_blocks<T>(
    most: usize,
    rows: Range<usize>,
    buffers: &mut Buffers,
    out: &mut Vec<T>,
    fill: Fill<'_>,
    mut decode: impl FnMut(usize, &mut Buffers, &mut Vec<T>) -> Result<(), InvalidValue>,
) -> Result<(), Error> {
    let mut first = rows.start;
    while first < rows.end {
        let end = rows.end.min(first.saturating_add(most));
        let (count, missing) = fill(&mut buffers.block, first..end)?;
        reserve::growing(out, count)?;
        let decoded = decode(count, buffers, out);
        // What is complete was decoded; that the data is truncated matters more than what is in it.
        missing.map_or(Ok(()), Err)?;
        decoded.map_err(|error| invalid(&error, first))?;
        first = end;
    }
    Ok(())
}

/// The bytes of the elements at these indices, in those of an array.
pub(crate) fn bytes_of(data: &[u8], rows: Range<usize>, itemsize: usize) -> &[u8] {
    let at = |row: usize| row.saturating_mul(itemsize);
    data.get(at(rows.start)..at(rows.end)).unwrap_or_default()
}

/// Encoded items that are not written yet: at most one block.
pub(crate) struct Pending<T> {
    plan: Plan,
    buffers: Buffers,
    /// How many items a block has.
    block: usize,
    /// How many items there are, and how many there may be.
    count: usize,
    most: usize,
    items: PhantomData<fn(&T)>,
}

impl<T: Element> Pending<T> {
    /// For items that are written by this plan, in blocks of this many bytes; `left` of them may come.
    pub(crate) fn new(plan: Plan, block: usize, left: usize) -> Self {
        let block = items_in(block, &plan);
        let buffers = Buffers::default();
        let mut pending = Pending { plan, buffers, block, count: 0, most: 0, items: PhantomData };
        pending.open(left);
        pending
    }

    /// How many items there are.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Prepares slots for up to `wanted` more items; tells for how many.
    #[inline]
    pub(crate) fn prepare(&mut self, wanted: usize) -> usize {
        let slots = self.most.saturating_sub(self.count).min(wanted);
        let bytes = self.count.saturating_add(slots).saturating_mul(T::SIZE);
        if bytes > self.buffers.block.len() {
            self.lengthen(bytes);
        }
        slots
    }

    #[cold]
    fn lengthen(&mut self, bytes: usize) {
        self.buffers.block.resize(bytes, 0);
    }

    /// Encodes items, at most as many as slots were [prepared](Self::prepare); tells how many.
    ///
    /// # Errors
    ///
    /// For the first item that is invalid; none of its bytes stay. The items before it are taken, and the error says how many. The same
    /// holds if the iterator or an item panics.
    #[inline]
    pub(crate) fn fill<B: Borrow<T>>(
        &mut self,
        slots: usize,
        items: impl Iterator<Item = B>,
    ) -> Result<usize, InvalidValue> {
        let first = self.count.saturating_mul(T::SIZE);
        let end = first.saturating_add(slots.saturating_mul(T::SIZE));
        let mut taken = Taken { items: 0, count: &mut self.count };
        if T::SIZE == 0 {
            for item in items.take(slots) {
                item.borrow().encode(&mut []).map_err(|error| error.at_item(taken.items))?;
                taken.items = taken.items.wrapping_add(1);
            }
        } else {
            let free = self.buffers.block.get_mut(first..end).unwrap_or_default();
            for (slot, item) in free.chunks_exact_mut(T::SIZE).zip(items) {
                encode(item.borrow(), slot).map_err(|error| error.at_item(taken.items))?;
                taken.items = taken.items.wrapping_add(1);
            }
        }
        Ok(taken.items)
    }

    /// Encodes one item if a slot is free and the item is valid; tells whether it did.
    #[inline]
    pub(crate) fn push(&mut self, item: &T) -> bool {
        let first = self.count.saturating_mul(T::SIZE);
        let slot = self.buffers.block.get_mut(first..first.saturating_add(T::SIZE));
        let taken = self.count < self.most && slot.is_some_and(|slot| encode(item, slot).is_ok());
        self.count = self.count.saturating_add(usize::from(taken));
        taken
    }

    /// The bytes of all items as they are written. No more may come until then: see [`open`](Self::open).
    pub(crate) fn take(&mut self) -> &[u8] {
        let count = std::mem::take(&mut self.count);
        self.most = 0;
        self.buffers.block.truncate(count.saturating_mul(self.plan.src_itemsize));
        self.buffers.run(&self.plan, count)
    }

    /// Accepts items again, at most `left`.
    pub(crate) fn open(&mut self, left: usize) {
        self.most = self.block.min(left);
    }
}

/// Encodes an item into a slot with bytes of an earlier item, which are cleared if they could stay.
///
/// Types of this crate and records of them write all bytes but padding, which is zero from the first item on. Of others
/// nobody knows.
#[inline]
fn encode<T: Element>(item: &T, slot: &mut [u8]) -> Result<(), InvalidValue> {
    if const { !T::__INTERNALS.swaps() } {
        slot.fill(0);
    }
    item.encode(slot)
}

/// Items that were taken: counted also if the next one panics.
struct Taken<'c> {
    items: usize,
    count: &'c mut usize,
}

impl Drop for Taken<'_> {
    #[inline]
    fn drop(&mut self) {
        *self.count = self.count.saturating_add(self.items);
    }
}

/// An invalid value as an error, with the row that it is in; `first` is the row of the first item of the block.
pub(crate) fn invalid(error: &InvalidValue, first: usize) -> Error {
    let kind = ErrorKind::InvalidValue { reason: error.reason().to_owned() };
    let row = limits::to_u64(first.saturating_add(error.item()));
    let error = match error.field() {
        "" => Error::from(kind),
        field => Error::from(kind).in_field(field),
    };
    error.within(Place::Row(row))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Guards the memory of a reader: that of a large item, also of one that the file did not have, is given back.
    #[test]
    fn buffers_of_a_block_are_kept() {
        let kept = |bytes| {
            let block = Vec::with_capacity(bytes);
            Buffers { block, ..Buffers::default() }.kept().block.capacity()
        };
        assert_eq!([BLOCK, 3 * BLOCK].map(kept), [BLOCK, 0]);
    }
}
