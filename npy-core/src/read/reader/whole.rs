//! Reading everything that remains of an array, by the fastest way that its type and its source allow.

use std::io::Read;
use std::mem;
use std::ops::Range;

use super::Reader;
use crate::array::NpyArray;
use crate::checked;
use crate::dynamic::DynArray;
use crate::element::block::{self, BLOCK, Buffers, Filled};
use crate::element::cast::{Plain, Reserve, Slots, fill_in_parts};
use crate::element::decode::decode;
use crate::element::typed_plan::ItemPlan;
use crate::element::{Element, InvalidValue};
use crate::error::Result;
use crate::header::Payload;
use crate::kernel;
use crate::limits;
use crate::read::parallel::each_part;
use crate::reserve;
use crate::shape::{Order, in_row, transpose};

/// Smaller results are decoded block by block. A fuzzer has small inputs, so it uses a low limit.
const DIRECT_MIN_BYTES: usize = if cfg!(fuzzing) { 16 } else { 1 << 20 };

/// Allocations of this size come from the system, already zeroed. Smaller ones mostly reuse memory that glibc's allocator has kept.
const FRESH_MIN_BYTES: usize = if cfg!(fuzzing) { 64 } else { 32 << 20 };

/// How values are read.
enum Strategy<T> {
    /// Straight into the result: the memory of the values is their bytes in the file, or these bytes swapped.
    Direct(Plain<T>),
    /// Decoded by several threads, each of which reads other blocks of the file.
    Threads,
    /// Decoded, one block after the other.
    Blocks,
    /// All bytes at once, which are moved to C order and then decoded: the parts of a value are strided in the file.
    Reordered,
}

impl<T: Element> Strategy<T> {
    fn of<R: Read>(reader: &Reader<R>, plan: &ItemPlan, is_strided: bool) -> Result<Self> {
        if is_strided {
            return Ok(Strategy::Reordered);
        }
        let bytes = reader.items_left(plan).saturating_mul(plan.plan.src_itemsize);
        let is_large = bytes >= DIRECT_MIN_BYTES && plan.plan.is_in_place();
        // Any bytes are values of a `Plain` type: there is nothing to check.
        if let Some(plain) = T::__INTERNALS.plain().filter(|_| is_large)
            && reader.check_available()?
        {
            return Ok(Strategy::Direct(plain));
        }
        // One thread reads values that need to be dropped: after an error, the values of other threads would leak.
        let may_share = !mem::needs_drop::<T>() && reader.data.source.is_worth_threads(bytes);
        match may_share && reader.check_available()? {
            true => Ok(Strategy::Threads),
            false => Ok(Strategy::Blocks),
        }
    }
}

/// Reads the list of [`Reader::read_vec`].
pub(super) fn list<R: Read, T: Element>(reader: &mut Reader<R>) -> Result<Vec<T>> {
    reader.with_plan::<T, _>(|reader, plan| match plan.ndim {
        1 => values(reader, &plan.items, plan.is_strided),
        n => Err(reader.no_list::<Vec<T>>(checked::tail(reader.header.shape(), n))),
    })
}

/// Reads the array of [`Reader::read_array`].
pub(super) fn array<R: Read, T: Element>(reader: &mut Reader<R>) -> Result<NpyArray<T>> {
    reader.with_plan::<T, _>(|reader, plan| {
        reader.check_nothing_read()?;
        let items = values(reader, &plan.items, plan.is_strided);
        let in_row = |error| in_row(error, plan.shape(&reader.header), plan.order);
        let items = items.map_err(in_row)?;
        let array = NpyArray::with_order(items, plan.shape(&reader.header), plan.order)?;
        in_order(array, reader.order.unwrap_or(plan.order))
    })
}

/// Reads the single element of an array without dimensions.
pub(super) fn single<R: Read, T: Element>(reader: &mut Reader<R>) -> Result<T> {
    reader.with_plan::<T, _>(|reader, plan| {
        reader.check_nothing_read()?;
        match plan.ndim {
            0 => values(reader, &plan.items, plan.is_strided)?.pop(),
            _ => None,
        }
        .ok_or_else(|| reader.no_single::<T>())
    })
}

/// Reads the array of [`Reader::read_dyn`].
pub(super) fn dynamic<R: Read>(reader: &mut Reader<R>) -> Result<DynArray> {
    reader.located(|reader| {
        reader.check_nothing_read()?;
        let array = bytes(reader)?;
        match reader.order {
            Some(order) if array.header().payload() == Payload::Items => array.into_order(order),
            _ => Ok(array),
        }
    })
}

/// Moves the elements into this order: tile by tile, if they are moved as bytes.
pub(super) fn in_order<T: Element>(array: NpyArray<T>, order: Order) -> Result<NpyArray<T>> {
    let (shape, stored) = (array.shape(), array.order());
    let differs = stored.normalized(shape) != order.normalized(shape);
    // Elements of no bytes are not moved as bytes.
    let Some(plain) = T::__INTERNALS.plain().filter(|_| differs && T::SIZE > 0) else {
        return Ok(array.into_order(order));
    };
    let mut items = plain.zeros(array.len())?;
    let source = plain.bytes(array.as_slice_memory_order());
    transpose(source, plain.bytes_mut(&mut items), size_of::<T>(), shape, stored);
    NpyArray::with_order(items, shape, order)
}

/// Reads the values that remain.
pub(super) fn values<R: Read, T: Element>(
    reader: &mut Reader<R>,
    plan: &ItemPlan,
    is_strided: bool,
) -> Result<Vec<T>> {
    match Strategy::of(reader, plan, is_strided)? {
        Strategy::Direct(plain) => direct(reader, plan, &plain),
        Strategy::Threads => threads(reader, plan),
        Strategy::Blocks => {
            blocks(reader, plan, |n, buffers, out| decode(&plan.plan, n, buffers, out))
        }
        Strategy::Reordered => {
            reader.check_nothing_read()?;
            let array = bytes(reader)?.to_order(Order::C)?;
            // The bytes cannot be read once more.
            array.view().decode(plan, &reader.limits).inspect_err(|_| reader.data.lose())
        }
    }
}

fn direct<R: Read, T: Element>(
    reader: &mut Reader<R>,
    plan: &ItemPlan,
    plain: &Plain<T>,
) -> Result<Vec<T>> {
    let count = reader.items_left(plan);
    let bytes = count.saturating_mul(T::SIZE);
    let swap = |part: &mut [u8]| swap_in_place::<T>(plan, part);
    // Without memory for the values nothing is read, and the position stays.
    let is_used = bytes < FRESH_MIN_BYTES && !reader.data.source.is_worth_threads(bytes);
    let values = if is_used {
        into_used(reader, plain, count, plan.per_block, swap)?
    } else {
        let mut values = plain.zeros(count)?;
        reader.data.lose();
        let part = checked::mul(plan.per_block, T::SIZE);
        fill_parts(reader, plain.bytes_mut(&mut values), part, &swap)?;
        values
    };
    reader.data.finish();
    Ok(values)
}

/// Reads values into memory that may have been used before. Each part is zeroed just before it is read, while it is in the cache.
fn into_used<R: Read, T: Element>(
    reader: &mut Reader<R>,
    plain: &Plain<T>,
    count: usize,
    part: usize,
    swap: impl Fn(&mut [u8]),
) -> Result<Vec<T>> {
    let mut values = reserve::list(count)?;
    reader.data.lose();
    while values.len() < count {
        let start = values.len();
        let n = checked::sub(count, start).min(part);
        reserve::pages(checked::slice_mut(values.spare_capacity_mut(), 0..n));
        plain.append_zeros(&mut values, n);
        let bytes = plain.bytes_mut(checked::tail_mut(&mut values, start));
        if reader.data.source.fill_slice(bytes)? < bytes.len() {
            return Err(reader.data.ended());
        }
        swap(bytes);
    }
    Ok(values)
}

/// Swaps the bytes of values in place, if the plan says so.
pub(super) fn swap_in_place<T: Element>(plan: &ItemPlan, values: &mut [u8]) {
    let count = values.len().checked_div(T::SIZE).unwrap_or_default();
    kernel::run(&plan.plan, count, values, &mut Vec::new());
}

/// Reads the data that remains, without decoding it.
pub(super) fn bytes<R: Read>(reader: &mut Reader<R>) -> Result<DynArray> {
    let (header, limits) = (reader.header.clone(), reader.limits);
    if header.payload() == Payload::Pickle {
        let pickle = reader.read_pickle_bytes()?;
        return Ok(DynArray::of_pickle(header, pickle).with_limits(limits));
    }
    let bytes = limits::to_usize(reader.data.bytes_left())?;
    let plain = if reader.check_available()? { u8::__INTERNALS.plain() } else { None };
    let mut data = Vec::new();
    if let Some(plain) = plain {
        data = plain.zeros(bytes)?;
        reader.data.lose();
        fill_parts(reader, &mut data, BLOCK, &|_| ())?;
    } else {
        reader.data.lose();
        if reader.data.source.append(&mut data, bytes)? < bytes {
            return Err(reader.data.ended());
        }
    }
    reader.data.finish();
    Ok(DynArray::from_parts(header, data)?.with_limits(limits))
}

/// Fills `out` with the next bytes, a part at a time. Several threads share the parts if this is allowed and faster.
///
/// The thread that has read a part calls `finish` with it, while the part is in the cache.
pub(super) fn fill_parts<R: Read>(
    reader: &mut Reader<R>,
    out: &mut [u8],
    part: usize,
    finish: &(dyn Fn(&mut [u8]) + Sync),
) -> Result<()> {
    let (bytes, part) = (out.len(), part.max(1));
    let data = &mut reader.data;
    let first = data.source.offset();
    let is_worth_threads = data.source.is_worth_threads(bytes);
    if let Some(file) = data.shared().filter(|_| is_worth_threads) {
        let threads = file.threads.min(bytes.div_ceil(part));
        each_part(threads, &mut out.chunks_mut(part), |index, out: &mut [u8], _| {
            file.fill(first.saturating_add(limits::to_u64(checked::mul(index, part))), out)?;
            finish(out);
            Ok(())
        })?;
        data.source.move_shared(first.saturating_add(limits::to_u64(bytes)));
        return Ok(());
    }
    for part in out.chunks_mut(part) {
        if data.source.fill_slice(part)? < part.len() {
            return Err(data.ended());
        }
        finish(part);
    }
    Ok(())
}

/// Decodes the values that remain by several threads.
fn threads<R: Read, T: Element>(reader: &mut Reader<R>, plan: &ItemPlan) -> Result<Vec<T>> {
    let (count, size) = (reader.items_left(plan), plan.plan.src_itemsize);
    let (first, start) = (reader.next_row(plan), reader.data.source.offset());
    let bytes_of = |items: usize| limits::to_u64(items).saturating_mul(limits::to_u64(size));
    let mut values = reserve::list(count)?;
    reader.data.lose();
    // Work that is large enough for threads is shared.
    let Some(file) = reader.data.shared() else { return Ok(values) };
    fill_in_parts(&mut values, count, plan.per_block, |parts| {
        let threads = file.threads.min(count.div_ceil(plan.per_block));
        each_part(threads, parts, |index, mut slots: Slots<'_, T>, buffers| {
            let (before, n) = (checked::mul(index, plan.per_block), slots.len());
            buffers.block.resize(checked::mul(n, size), 0);
            file.fill(start.saturating_add(bytes_of(before)), &mut buffers.block)?;
            decode(&plan.plan, n, buffers, &mut slots)
                .map_err(|error| block::invalid(error, first.saturating_add(before)))
        })
    })?;
    reader.data.source.move_shared(start.saturating_add(bytes_of(count)));
    reader.data.finish();
    Ok(values)
}

/// Reads the values that remain block by block; `decode` appends those of a block.
pub(super) fn blocks<R: Read, T>(
    reader: &mut Reader<R>,
    plan: &ItemPlan,
    decode: impl FnMut(usize, &mut Buffers, &mut Vec<T>) -> Result<(), InvalidValue>,
) -> Result<Vec<T>> {
    let count = reader.allowed_items::<T>(plan, usize::MAX)?;
    let mut out = Vec::new();
    if reader.check_available()? {
        reserve::exact(&mut out, count)?;
    }
    next_blocks(reader, plan, count, &mut Buffers::default(), &mut out, decode)?;
    Ok(out)
}

/// Appends the next `count` values to `out`, block by block. The caller has this count from [`Reader::allowed_items`].
pub(super) fn next_blocks<R: Read, O: Reserve>(
    reader: &mut Reader<R>,
    plan: &ItemPlan,
    count: usize,
    buffers: &mut Buffers,
    out: &mut O,
    decode: impl FnMut(usize, &mut Buffers, &mut O) -> Result<(), InvalidValue>,
) -> Result<()> {
    let first = reader.next_row(plan).min(checked::sub(usize::MAX, count));
    let rows = first..checked::add(first, count);
    let fill =
        &mut |block: &mut Vec<u8>, rows: Range<usize>| fill_block(reader, plan, rows.len(), block);
    block::decode_blocks(plan.per_block, rows, buffers, out, fill, decode)?;
    reader.data.resume();
    Ok(())
}

/// Fills a block with the bytes of the next `n` values. If the data ends before that, the block has only the complete values.
///
/// It marks the position as lost, and the caller clears the mark once all values are decoded: a stream cannot be read twice, so the
/// values of a failed read are gone.
fn fill_block<R: Read>(
    reader: &mut Reader<R>,
    plan: &ItemPlan,
    n: usize,
    block: &mut Vec<u8>,
) -> Result<Filled> {
    let data = &mut reader.data;
    let left = data.bytes_left();
    data.lose();
    let size = plan.plan.src_itemsize;
    let bytes = checked::mul(n, size);
    let found = data.source.fill(block, bytes, left)?;
    if found == bytes {
        data.advance(plan, n);
        return Ok((n, None));
    }
    let complete = found.checked_div(size).unwrap_or_default();
    block.truncate(checked::mul(complete, size));
    Ok((complete, Some(data.ended())))
}
