//! The hot loops that decode canonical bytes, compiled for each type.

use std::ops::Range;

use super::block::{Buffers, decode_blocks, items_per_block};
use super::cast::{Values, strided_items};
use super::typed_plan::{ItemPlan, check_zero_size_items};
use super::{Element, InvalidValue};
use crate::checked;
use crate::error::Error;
use crate::limits::Limits;
use crate::plan::Plan;
use crate::reserve;

/// Decodes the `count` elements in `buffers.block` and appends them to `out`, whose memory is
/// reserved. Stops at the first element that is invalid or has a value that does not fit.
pub(crate) fn decode<T: Element>(
    plan: &Plan,
    count: usize,
    buffers: &mut Buffers,
    out: &mut impl Values<T>,
) -> Result<(), InvalidValue> {
    let fits = buffers.check(plan);
    decode_fitting(plan, valid(&fits, count), buffers, out)?;
    fits
}

/// Decodes elements whose values all fit.
fn decode_fitting<T: Element>(
    plan: &Plan,
    count: usize,
    buffers: &mut Buffers,
    out: &mut impl Values<T>,
) -> Result<(), InvalidValue> {
    if T::SIZE == 0 {
        return decode_canonical(&[], count, out);
    }
    if count == 0 {
        return Ok(());
    }
    if let Some(at) = plan.contiguous_at() {
        let fields = checked::tail(&buffers.block, at);
        return decode_strided(fields, plan.src_itemsize, out);
    }
    if T::__INTERNALS.swaps() && plan.swaps_all() {
        return decode_valid(&buffers.block, count, out, |item| {
            T::__INTERNALS.decode::<true>(item)
        });
    }
    decode_canonical(buffers.run(plan, count), count, out)
}

/// Like [`decode`], for the `count` elements in `items`, which are in the dtype of the file.
/// Elements that are canonical in the file are decoded in place, all others in a copy.
fn decode_items<T: Element>(
    plan: &Plan,
    items: &[u8],
    count: usize,
    buffers: &mut Buffers,
    out: &mut impl Values<T>,
) -> Result<(), InvalidValue> {
    if plan.is_exact() {
        return decode_canonical(items, count, out);
    }
    buffers.block.clear();
    buffers.block.extend_from_slice(items);
    decode(plan, count, buffers, out)
}

/// Decodes the `count` elements in `items`, which are in the dtype of the file, block by block; `first` is the index of the first of them.
pub(crate) fn decode_slice<T: Element>(
    plan: &ItemPlan,
    first: usize,
    items: &[u8],
    count: usize,
    buffers: &mut Buffers,
    out: &mut Vec<T>,
) -> Result<(), Error> {
    let size = plan.plan.src_itemsize;
    let first = first.min(checked::sub(usize::MAX, count));
    let mut rest = items;
    let decode = |count: usize, buffers: &mut Buffers, out: &mut Vec<T>| {
        let (block, after) = checked::split(rest, checked::mul(count, size));
        rest = after;
        decode_items(&plan.plan, block, count, buffers, out)
    };
    let in_place = &mut |_: &mut Vec<u8>, rows: Range<usize>| Ok((rows.len(), None));
    decode_blocks(plan.per_block, first..checked::add(first, count), buffers, out, in_place, decode)
}

/// Decodes `count` canonical elements.
#[inline]
fn decode_canonical<T: Element>(
    items: &[u8],
    count: usize,
    out: &mut impl Values<T>,
) -> Result<(), InvalidValue> {
    if T::SIZE == 0 {
        let checked = T::check(&[]);
        out.append((0..valid(&checked, count)).map(|_| T::decode(&[])));
        return checked;
    }
    decode_valid(items, count, out, T::decode)
}

/// Decodes the elements before the first invalid one.
#[inline]
fn decode_valid<T: Element>(
    items: &[u8],
    count: usize,
    out: &mut impl Values<T>,
    decode: impl Fn(&[u8]) -> T,
) -> Result<(), InvalidValue> {
    let checked = T::check(items);
    let bytes = checked::mul(valid(&checked, count), T::SIZE);
    out.append(checked::slice(items, 0..bytes).chunks_exact(T::SIZE).map(decode));
    checked
}

/// Decodes the elements at these indices. `fill` appends the bytes of the elements at some of the
/// indices to a block; the bytes are in memory, so `fill` cannot fail.
pub(crate) fn decode_all<T: Element>(
    plan: &Plan,
    rows: Range<usize>,
    limits: &Limits,
    mut fill: impl FnMut(&mut Vec<u8>, Range<usize>),
) -> Result<Vec<T>, Error> {
    check_zero_size_items::<T>(plan, rows.len(), limits)?;
    let mut out = reserve::list(rows.len())?;
    let fill = &mut |block: &mut Vec<u8>, rows: Range<usize>| {
        block.clear();
        let count = rows.len();
        fill(block, rows);
        Ok((count, None))
    };
    let decode = |count, buffers: &mut Buffers, out: &mut Vec<T>| decode(plan, count, buffers, out);
    decode_blocks(items_per_block(plan), rows, &mut Buffers::default(), &mut out, fill, decode)?;
    Ok(out)
}

/// Returns the number of elements before the first invalid one; `count` if all are valid.
pub(crate) fn valid(checked: &Result<(), InvalidValue>, count: usize) -> usize {
    // A type outside of this crate may state any index.
    checked.as_ref().err().map_or(count, |error| error.item().min(count))
}

/// Decodes canonical items at this stride.
fn decode_strided<T: Element>(
    items: &[u8],
    stride: usize,
    out: &mut impl Values<T>,
) -> Result<(), InvalidValue> {
    let stride = stride.max(1);
    let error = |start: &[u8]| T::check(item::<T>(start)).err();
    let check = |i: usize| Some(error(checked::tail(items, checked::mul(i, stride)))?.at_item(i));
    // For types without invalid items, the compiler removes this loop, because it counts to a number known in advance.
    let count = items.len().div_ceil(stride);
    let checked = (0..count).find_map(check).map_or(Ok(()), Err);
    let bytes = checked::mul(valid(&checked, count), stride);
    append_strided(out, items.get(..bytes).unwrap_or(items), stride);
    checked
}

/// Appends the values of canonical items at this stride; the last item may be shorter than the stride.
pub(crate) fn append_strided<T: Element>(out: &mut impl Values<T>, items: &[u8], stride: usize) {
    // The iterators are not chained: in a chain, the compiler would reload the pointer of `out` for each value.
    let mut rest = items;
    if const { is_small::<T>() } {
        let eights;
        (eights, rest) = in_eights(items, stride);
        out.append(eights);
    }
    let (ones, last) = one_by_one(rest, stride);
    out.append(ones);
    out.append(last);
}

/// Folds the values of canonical items at this stride.
#[cfg(feature = "mmap")]
#[inline]
pub(crate) fn fold_strided<T: Element, B>(
    items: &[u8],
    stride: usize,
    init: B,
    mut f: impl FnMut(B, T) -> B,
) -> B {
    let (mut folded, mut rest) = (init, items);
    if const { is_small::<T>() } {
        let eights;
        (eights, rest) = in_eights(items, stride);
        folded = eights.fold(folded, &mut f);
    }
    let (ones, last) = one_by_one(rest, stride);
    last.fold(ones.fold(folded, &mut f), f)
}

/// Returns true if eight values fit on the stack easily.
const fn is_small<T>() -> bool {
    size_of::<T>() <= 64
}

/// Returns an iterator over the values, and the remaining items. The iterator decodes eight values
/// at once, so that the processor loads memory earlier.
#[inline]
fn in_eights<T: Element>(items: &[u8], stride: usize) -> (impl Iterator<Item = T>, &[u8]) {
    let eights = items.chunks_exact(stride.max(1).saturating_mul(8));
    let rest = eights.remainder();
    let values = move |eight| {
        let [a, b, c, d, e, f, g, h] = strided_items(eight, stride, T::SIZE).unwrap_or_default();
        // `map` of an array is not always inlined, and then takes three times as long.
        let of = T::decode;
        [of(a), of(b), of(c), of(d), of(e), of(f), of(g), of(h)]
    };
    (eights.flat_map(values), rest)
}

/// Returns two iterators over values: one for the chunks of a full stride, and one for the last
/// chunk if it is shorter. As the first iterator has no short chunk, the compiler knows the length
/// of its items.
#[inline]
fn one_by_one<T: Element>(
    items: &[u8],
    stride: usize,
) -> (impl Iterator<Item = T>, impl Iterator<Item = T>) {
    let ones = items.chunks_exact(stride.max(1));
    let last = Some(ones.remainder()).filter(|last| !last.is_empty());
    let value = |start| T::decode(item::<T>(start));
    (ones.map(value), last.into_iter().map(value))
}

/// Returns the item at the start of these bytes.
#[inline]
pub(crate) fn item<T: Element>(start: &[u8]) -> &[u8] {
    checked::slice(start, 0..T::SIZE)
}
