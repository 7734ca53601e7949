//! Writing arrays of a Rust type: from contiguous memory, or element by element.

#[cfg(feature = "npz")]
use std::io::Write;
use std::slice;

use super::WriteOptions;
use super::array_sink::ArraySink;
use super::blocks::write_blocks;
use crate::checked;
use crate::dynamic::DynArray;
use crate::element::block::{BLOCK, encode_block};
use crate::element::item_shape::ItemShape;
use crate::element::{Element, InvalidValue};
use crate::error::Result;
use crate::plan::Plan;
use crate::shape::Order;

/// The elements of an array that will be written.
pub(crate) struct Elements<'t, T, F> {
    /// The elements and their order, if they are contiguous in memory.
    pub(crate) contiguous: Option<(&'t [T], Order)>,
    /// Iterates over the elements in a given order.
    pub(crate) each: F,
}

/// The elements of a list, which are the same in both orders.
pub(crate) fn list<'t, T>(
    items: &'t [T],
) -> Elements<'t, T, impl FnOnce(Order) -> slice::Iter<'t, T>> {
    Elements { contiguous: Some((items, Order::C)), each: |_| items.iter() }
}

impl WriteOptions {
    /// Writes an array of this shape. Here is what depends on the type: all else is compiled once.
    pub(crate) fn write_array<'t, T: Element + 't, I: Iterator<Item = &'t T>>(
        &self,
        shape: &[usize],
        elements: Elements<'t, T, impl FnOnce(Order) -> I>,
        sink: &mut dyn ArraySink,
    ) -> Result<()> {
        let (plan, item) = self.item_shape::<T>()?;
        let Elements { contiguous, each } = elements;
        let raw = contiguous.and_then(|(items, _)| as_raw_bytes(&plan, items));
        let in_memory = contiguous.map_or(Order::C, |(_, order)| order);
        let (mut each, mut items) = (Some(each), None);
        let mut encode = |order: Order, n: usize, block: &mut Vec<u8>| {
            let items = items.get_or_insert_with(|| checked::some(each.take())(order));
            encode_block(items, n, block)
        };
        let encoded = Encoded { plan, item, in_memory, raw, encode: &mut encode };
        self.write_encoded(shape, encoded, sink)
    }

    /// Writes an array whose type is no longer known.
    fn write_encoded(
        &self,
        shape: &[usize],
        elements: Encoded<'_>,
        sink: &mut dyn ArraySink,
    ) -> Result<()> {
        let Encoded { plan, item, in_memory, raw, encode } = elements;
        let order = self.order.unwrap_or(in_memory);
        let whole = item.array(shape);
        if item.is_strided(&whole, order) {
            // The parts of an element are contiguous in memory, but strided in the file.
            let mut bytes = Vec::new();
            write_blocks(&plan, shape, &mut |n, block| encode(Order::C, n, block), &mut bytes)?;
            let array = DynArray::new(item.base, whole, Order::C, bytes)?;
            let options = WriteOptions { order: Some(order), ..self.without_byte_order() };
            return options.write_dyn(&array.view(), sink);
        }
        self.write_header(item.base, &whole, order, sink)?;
        match raw.filter(|_| in_memory.normalized(shape) == order.normalized(shape)) {
            Some(bytes) => Ok(sink.write_all(bytes)?),
            None => write_blocks(&plan, shape, &mut |n, block| encode(order, n, block), sink),
        }
    }

    /// Writes elements without a header.
    #[cfg(feature = "npz")]
    pub(crate) fn write_bytes<T: Element>(
        &self,
        items: &[T],
        writer: &mut dyn Write,
    ) -> Result<()> {
        let (plan, _) = self.item_shape::<T>()?;
        if let Some(bytes) = as_raw_bytes(&plan, items) {
            return Ok(writer.write_all(bytes)?);
        }
        let shape = [items.len()];
        let mut items = items.iter();
        let mut encode = |n: usize, block: &mut Vec<u8>| encode_block(&mut items, n, block);
        write_blocks(&plan, &shape, &mut encode, writer)
    }
}

/// The elements of an array, as bytes.
struct Encoded<'e> {
    plan: Plan,
    item: ItemShape,
    /// The order of the elements in memory, which is that of the file unless the options state another.
    in_memory: Order,
    /// The bytes in that order, if they need not be encoded.
    raw: Option<&'e [u8]>,
    /// Replaces the contents of the block by the next `n` elements in this order, and returns their number.
    encode: &'e mut dyn FnMut(Order, usize, &mut Vec<u8>) -> Result<usize, InvalidValue>,
}

/// The size in bytes of the smallest array that may be written directly from memory. A smaller
/// array is always encoded, which is faster than checking whether it needs to be. Fuzzers make only
/// small arrays, so their limit is lower.
const RAW_MIN_BYTES: usize = if cfg!(fuzzing) { 16 } else { BLOCK };

/// Returns the bytes of a large slice, if they need not be encoded.
fn as_raw_bytes<'t, T: Element>(plan: &Plan, items: &'t [T]) -> Option<&'t [u8]> {
    let large = plan.is_exact() && size_of_val(items) >= RAW_MIN_BYTES;
    Some(large.then(|| T::__INTERNALS.plain())??.bytes(items))
}
