//! Writing arrays of a Rust type: from contiguous memory, or element by element.

use std::io::Write;
use std::slice;

use super::WriteOptions;
use super::array_sink::ArraySink;
use crate::dtype::DType;
use crate::dynamic::DynArray;
use crate::element::Element;
use crate::element::block::{self, BLOCK, Pending};
use crate::error::{ErrorKind, Result};
use crate::plan::Plan;
use crate::shape::{self, Order};

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
    /// Writes an array of this shape. Its order is that of the options, if set; or else that in
    /// memory, if the elements are contiguous there; or else C.
    pub(crate) fn write_array<'t, T: Element + 't, I: Iterator<Item = &'t T>>(
        &self,
        shape: &[usize],
        elements: Elements<'t, T, impl FnOnce(Order) -> I>,
        sink: &mut dyn ArraySink,
    ) -> Result<()> {
        self.write_array_as(None, shape, elements, sink)
    }

    /// Like [`write_array`](Self::write_array), but the header states `dtype`, if it is given. Its
    /// elements must have the same bytes as those of `T`.
    pub(super) fn write_array_as<'t, T: Element + 't, I: Iterator<Item = &'t T>>(
        &self,
        dtype: Option<DType>,
        shape: &[usize],
        elements: Elements<'t, T, impl FnOnce(Order) -> I>,
        sink: &mut dyn ArraySink,
    ) -> Result<()> {
        let in_memory = elements.contiguous.map_or(Order::C, |(_, order)| order);
        let order = self.order.unwrap_or(in_memory);
        let (plan, item) = self.item_shape::<T>()?;
        let whole = item.array(shape);
        if item.is_strided(&whole, order) {
            // The parts of an element are contiguous in memory, but strided in the file.
            let mut bytes = Vec::new();
            write_elements(plan, shape, Order::C, elements, &mut bytes)?;
            let array = DynArray::new(item.base, whole, Order::C, bytes)?;
            let options = WriteOptions { order: Some(order), ..self.without_byte_order() };
            return options.write_dyn(&array.view(), sink);
        }
        self.write_header(dtype.unwrap_or(item.base), &whole, order, sink)?;
        write_elements(plan, shape, order, elements, sink)
    }

    /// Writes elements without a header, in the dtype of [`item`](Self::item). Every `write_all` gets complete elements.
    #[cfg(feature = "npz")]
    pub(crate) fn write_bytes<T: Element>(
        &self,
        items: &[T],
        writer: &mut dyn Write,
    ) -> Result<()> {
        let (plan, _) = self.item_shape::<T>()?;
        write_elements(plan, &[items.len()], Order::C, list(items), writer)
    }
}

/// Writes the elements of an array in this order: directly from memory if possible, or else encoded
/// block by block.
fn write_elements<'t, T: Element + 't, I: Iterator<Item = &'t T>>(
    plan: Plan,
    shape: &[usize],
    order: Order,
    elements: Elements<'t, T, impl FnOnce(Order) -> I>,
    writer: &mut dyn Write,
) -> Result<()> {
    if let Some((items, found)) = elements.contiguous
        && found.normalized(shape) == order.normalized(shape)
        && let Some(bytes) = as_raw_bytes(&plan, items)
    {
        return Ok(writer.write_all(bytes)?);
    }
    let count = shape::count(shape)?;
    let mut items = (elements.each)(order);
    let block = if plan.is_exact() { block::WRITE_BLOCK } else { BLOCK };
    let mut pending = Pending::<T>::new(plan, block, count);
    let mut first = 0usize;
    while first < count {
        let slots = pending.prepare(count);
        let filled = pending.fill(slots, items.by_ref());
        let filled = filled.map_err(|error| block::invalid(error, first))?;
        if filled < slots {
            let found = first.saturating_add(filled);
            let reason = format!("expected {count} elements, found {found}");
            return Err(ErrorKind::Shape { shape: shape::excerpt(shape), reason }.into());
        }
        writer.write_all(pending.take())?;
        first = first.saturating_add(slots);
        pending.open(count.saturating_sub(first));
    }
    Ok(())
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
