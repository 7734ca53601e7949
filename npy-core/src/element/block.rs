//! Decoding and encoding elements one block at a time.

use std::borrow::Borrow;
use std::ops::Range;

use crate::checked;
use crate::dtype::rust_type::rust_type;
use crate::dtype::{ByteOrder, DType, ScalarKind, descr};
use crate::element::cast::{Plain, Reserve};
use crate::element::{Element, InvalidValue, text, time, ucs4};
use crate::error::{Error, Place};
use crate::kernel::cast::{signed, text_of};
use crate::kernel::{self, Misfit};
use crate::limits;
use crate::plan::Plan;
use crate::plan::convert::Convert;

/// The size of a block in bytes, chosen so that a block stays in the second-level cache.
pub(crate) const BLOCK: usize = 256 << 10;

/// The size of a block for writing an array whose plan copies the encoded items unchanged: larger,
/// for fewer system calls, but still in the cache.
pub(crate) const WRITE_BLOCK: usize = 512 << 10;

/// The buffers for running a plan on one block after another: the block, and a second buffer for
/// the converted items of a plan that does not work in place.
#[derive(Clone, Default)]
pub(crate) struct Buffers {
    pub(crate) block: Vec<u8>,
    scratch: Vec<u8>,
}

impl Buffers {
    /// Refuses a block with a value that does not fit the dtype to which the plan converts it: such
    /// a value must not reach [`run`](Self::run).
    pub(crate) fn check(&self, plan: &Plan) -> Result<(), InvalidValue> {
        kernel::misfit(plan, &self.block).map_or(Ok(()), |misfit| Err(misfit_error(&misfit)))
    }

    /// Runs a plan over the block, which has `count` elements, and returns the converted bytes.
    pub(crate) fn run(&mut self, plan: &Plan, count: usize) -> &[u8] {
        kernel::run(plan, count, &mut self.block, &mut self.scratch)
    }

    /// Returns the result of the last run of this plan.
    #[inline]
    pub(crate) fn result(&self, plan: &Plan) -> &[u8] {
        if plan.is_in_place() { &self.block } else { &self.scratch }
    }

    /// Returns the buffers for the next run; empty buffers if a large element has made these grow.
    pub(crate) fn kept(self) -> Self {
        let capacity = self.block.capacity().max(self.scratch.capacity());
        if capacity <= 2 * BLOCK { self } else { Buffers::default() }
    }
}

/// Returns the error for a value that does not fit.
#[cold]
fn misfit_error(misfit: &Misfit<'_>) -> InvalidValue {
    let Convert { from, to, field, .. } = misfit.convert;
    let is_big = from.byte_order() == Some(ByteOrder::Big);
    let count = || signed(misfit.value, is_big);
    let value = match from.kind() {
        ScalarKind::Bytes => text::excerpt(text::without_zeros(misfit.value)),
        ScalarKind::Str => {
            let mut item = misfit.value.to_vec();
            if is_big {
                item.as_chunks_mut::<4>().0.iter_mut().for_each(|point| point.reverse());
            }
            match ucs4::text(&item) {
                Ok(text) => descr::excerpt(&format!("{text:?}")),
                Err(error) => return error.at_item(misfit.item),
            }
        }
        ScalarKind::DateTime(unit) => time::date_text(count(), unit),
        ScalarKind::TimeDelta(unit) => time::span_text(count(), unit),
        _ => text_of(misfit.value, *from),
    };
    let held = rust_type(&DType::from(*from)).map(|held| format!("{held} holds it"));
    let cast = from.is_number().then(|| {
        let other = misfit.convert.converted_text(misfit.value);
        format!("ReadOptions::new().cast(Cast::Numeric) makes {other} of it")
    });
    let remedy = held.into_iter().chain(cast).collect::<Vec<_>>().join(", and ");
    let error = InvalidValue::new(format!("{value} does not fit '{to}'"));
    let error = error.with_remedy(remedy).at_item(misfit.item);
    if field.is_empty() { error } else { error.in_field(field) }
}

/// Returns the number of elements in a block.
pub(crate) fn items_per_block(plan: &Plan) -> usize {
    items_in(BLOCK, plan)
}

/// Returns the number of elements in a block of this size: at least one.
pub(crate) fn items_in(block: usize, plan: &Plan) -> usize {
    block.checked_div(plan.src_itemsize.max(plan.dst_itemsize)).unwrap_or(block).max(1)
}

/// The number of elements in a filled block, and the error if they are fewer than requested.
pub(crate) type Filled = (usize, Option<Error>);

/// A function that fills a block with the bytes of the elements at these indices.
pub(crate) type Fill<'f> = &'f mut dyn FnMut(&mut Vec<u8>, Range<usize>) -> Result<Filled, Error>;

/// Decodes the elements at these indices and appends them to `out`, in blocks of at most `per_block` elements.
///
/// `fill` fills a block with bytes, and `decode` appends the values of the block to `out`.
pub(crate) fn decode_blocks<O: Reserve>(
    per_block: usize,
    rows: Range<usize>,
    buffers: &mut Buffers,
    out: &mut O,
    fill: Fill<'_>,
    mut decode: impl FnMut(usize, &mut Buffers, &mut O) -> Result<(), InvalidValue>,
) -> Result<(), Error> {
    let mut first = rows.start;
    while first < rows.end {
        let end = rows.end.min(first.saturating_add(per_block));
        let (count, missing) = fill(&mut buffers.block, first..end)?;
        out.reserve(count)?;
        let decoded = decode(count, buffers, out);
        // The complete elements are in `out` even if the data is truncated. The error for the truncated data takes precedence over the one
        // for an invalid value.
        missing.map_or(Ok(()), Err)?;
        decoded.map_err(|error| invalid(error, first))?;
        first = end;
    }
    Ok(())
}

/// Returns the bytes of the elements at these indices.
pub(crate) fn bytes_of(data: &[u8], rows: Range<usize>, itemsize: usize) -> &[u8] {
    checked::slice(data, checked::mul(rows.start, itemsize)..checked::mul(rows.end, itemsize))
}

/// Encoded items that are not yet written: at most one block.
pub(crate) struct Pending<T> {
    plan: Plan,
    buffers: Buffers,
    /// The number of items in a block.
    block: usize,
    /// The number of items that are pending.
    count: usize,
    /// The largest `count` before [`take`](Self::take): a block, or fewer at the end of the array.
    accepted: usize,
    /// The proof that values in memory are canonical items, if [`align`](Self::align) found it.
    pub(crate) plain: Option<Plain<T>>,
}

impl<T: Element> Pending<T> {
    /// Creates a buffer for at most `left` items, which are written with this plan in blocks of this size.
    pub(crate) fn new(plan: Plan, block: usize, left: usize) -> Self {
        let block = items_in(block, &plan);
        let buffers = Buffers::default();
        let mut pending = Pending { plan, buffers, block, count: 0, accepted: 0, plain: None };
        pending.open(left);
        pending
    }

    /// Returns the number of items that are pending.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Prepares slots for up to `wanted` more items, and returns their number.
    #[inline]
    pub(crate) fn prepare(&mut self, wanted: usize) -> usize {
        let slots = checked::sub(self.accepted, self.count).min(wanted);
        let bytes = checked::mul(checked::add(self.count, slots), T::SIZE);
        if bytes > self.buffers.block.len() {
            self.lengthen(bytes);
        }
        slots
    }

    #[cold]
    fn lengthen(&mut self, bytes: usize) {
        self.buffers.block.resize(bytes, 0);
    }

    /// Encodes items into [prepared](Self::prepare) slots, and returns the number of these items.
    ///
    /// # Errors
    ///
    /// [`InvalidValue`] for the first invalid item, with its index among `items`. The items before
    /// the invalid one are kept. After a panic, the items that were encoded are kept.
    #[inline]
    pub(crate) fn fill<B: Borrow<T>>(
        &mut self,
        slots: usize,
        items: impl Iterator<Item = B>,
    ) -> Result<usize, InvalidValue> {
        let first = checked::mul(self.count, T::SIZE);
        let end = checked::add(first, checked::mul(slots, T::SIZE));
        let mut taken = CountOnDrop { items: 0, count: &mut self.count };
        let free = checked::slice_mut(&mut self.buffers.block, first..end);
        encode_each::<T, B>(items.take(slots), free, &mut taken.items)?;
        Ok(taken.items)
    }

    /// Encodes all items, or none if one is invalid or panics. The caller has
    /// [prepared](Self::prepare) a slot for each.
    ///
    /// # Errors
    ///
    /// [`InvalidValue`] for the first invalid item, with its index among `items`.
    pub(crate) fn fill_all(&mut self, items: &[T]) -> Result<(), InvalidValue> {
        if let Some(plain) = &self.plain {
            let first = checked::mul(self.count, T::SIZE);
            let bytes = plain.bytes(items);
            let free = first..checked::add(first, bytes.len());
            checked::slice_mut(&mut self.buffers.block, free).copy_from_slice(bytes);
            self.count = checked::add(self.count, items.len());
            return Ok(());
        }
        let kept = self.count;
        let mut undo = TruncateOnDrop { pending: self, kept };
        undo.pending.fill(items.len(), items.iter())?;
        undo.kept = undo.pending.count;
        Ok(())
    }

    /// Makes the block a multiple of `row` items, at least one row, and accepts up to `left` items.
    /// Also looks for the proof that values in memory are canonical items.
    pub(crate) fn align(&mut self, row: usize, left: usize) {
        let rows = self.block.checked_div(row).unwrap_or(0).max(1);
        self.block = checked::mul(rows, row);
        self.plain = T::__INTERNALS.plain();
        self.open(left);
    }

    /// Encodes one item if a slot is free and the item is valid, and returns true if so.
    #[inline]
    pub(crate) fn push(&mut self, item: &T) -> bool {
        let first = checked::mul(self.count, T::SIZE);
        let slot = self.buffers.block.get_mut(first..checked::add(first, T::SIZE));
        let taken =
            self.count < self.accepted && slot.is_some_and(|slot| encode(item, slot).is_ok());
        self.count = checked::add(self.count, usize::from(taken));
        taken
    }

    /// Removes all items, and returns their bytes in the dtype of the file. No items are accepted until [`open`](Self::open) is called.
    pub(crate) fn take(&mut self) -> &[u8] {
        let count = std::mem::take(&mut self.count);
        self.accepted = 0;
        self.buffers.block.truncate(checked::mul(count, self.plan.src_itemsize));
        self.buffers.run(&self.plan, count)
    }

    /// Accepts items again, at most `left` of them.
    pub(crate) fn open(&mut self, left: usize) {
        self.accepted = self.block.min(left);
    }
}

/// Replaces the contents of a block by up to `n` items, and returns the number of these items; see [`Pending::fill`] for errors.
pub(crate) fn encode_block<'t, T: Element + 't>(
    items: &mut impl Iterator<Item = &'t T>,
    n: usize,
    block: &mut Vec<u8>,
) -> Result<usize, InvalidValue> {
    block.resize(checked::mul(n, T::SIZE), 0);
    let mut count = 0;
    encode_each::<T, _>(items.take(n), block, &mut count)?;
    Ok(count)
}

/// Encodes items into slots, as long as there are both, and counts the items.
#[inline]
fn encode_each<T: Element, B: Borrow<T>>(
    items: impl Iterator<Item = B>,
    slots: &mut [u8],
    count: &mut usize,
) -> Result<(), InvalidValue> {
    if T::SIZE == 0 {
        for item in items {
            encode(item.borrow(), &mut []).map_err(|error| error.at_item(*count))?;
            *count = count.wrapping_add(1);
        }
    } else {
        for (slot, item) in slots.chunks_exact_mut(T::SIZE).zip(items) {
            encode(item.borrow(), slot).map_err(|error| error.at_item(*count))?;
            *count = count.wrapping_add(1);
        }
    }
    Ok(())
}

/// Encodes an item into a slot that may have the bytes of an earlier item.
///
/// Types that can decode byte-swapped items (such as numbers, and records of them) overwrite all
/// bytes except padding, which is always zero. For other types, the slot is cleared first.
///
/// The item is checked as it will be when it is read: a value that only `check` refuses must not be written.
#[inline]
fn encode<T: Element>(item: &T, slot: &mut [u8]) -> Result<(), InvalidValue> {
    if const { !T::__INTERNALS.swaps() } {
        slot.fill(0);
    }
    item.encode(slot)?;
    T::check(slot)
}

/// Removes the items after the first `kept` ones when dropped, also by a panic.
struct TruncateOnDrop<'p, T: Element> {
    pending: &'p mut Pending<T>,
    kept: usize,
}

impl<T: Element> Drop for TruncateOnDrop<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.pending.count = self.kept;
    }
}

/// Adds the number of encoded items to `count` when dropped, also by a panic.
struct CountOnDrop<'c> {
    items: usize,
    count: &'c mut usize,
}

impl Drop for CountOnDrop<'_> {
    #[inline]
    fn drop(&mut self) {
        *self.count = checked::add(*self.count, self.items);
    }
}

/// Converts an invalid value to an error with the row of its item; `first` is the row of the first
/// item of the block.
pub(crate) fn invalid(error: InvalidValue, first: usize) -> Error {
    // Saturates, because a type outside of this crate may state any index.
    let row = limits::to_u64(first.saturating_add(error.item()));
    Error::from(error).within(Place::Row(row))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Guards the memory of a reader: a buffer that grew for a large item is freed instead of kept.
    #[test]
    fn buffers_of_a_block_are_kept() {
        let kept = |bytes| {
            let block = Vec::with_capacity(bytes);
            Buffers { block, ..Buffers::default() }.kept().block.capacity()
        };
        assert_eq!([BLOCK, 3 * BLOCK].map(kept), [BLOCK, 0]);
    }
}
