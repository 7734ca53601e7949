//! Writing arrays of a Rust type: from contiguous memory, or element by element.

use std::io::Write;
use std::slice;

use super::WriteOptions;
use super::array_sink::ArraySink;
use super::blocks::{Encode, write_blocks};
use crate::dtype::DType;
use crate::dynamic::DynArray;
use crate::element::Element;
use crate::element::block::{BLOCK, encode_block};
use crate::element::type_info::TypeInfo;
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
    /// Writes an array of this shape. Only this function is compiled for each type.
    pub(crate) fn write_array<'t, T: Element + 't, I: Iterator<Item = &'t T>>(
        &self,
        shape: &[usize],
        elements: Elements<'t, T, impl FnOnce(Order) -> I>,
        sink: &mut dyn ArraySink,
    ) -> Result<()> {
        let in_memory = elements.contiguous.map_or(Order::C, |(_, order)| order);
        let target = self.target(TypeInfo::of::<T>(), shape, in_memory)?;
        let same_order = in_memory.normalized(shape) == target.items_order().normalized(shape);
        let contiguous = elements.contiguous.filter(|_| same_order);
        let raw = contiguous.and_then(|(items, _)| as_raw_bytes(&target.plan, items));
        let mut items = (elements.each)(target.items_order());
        let mut encode = |n: usize, block: &mut Vec<u8>| encode_block(&mut items, n, block);
        self.write_target(target, shape, raw, &mut encode, sink)
    }

    /// Writes an array without dimensions; `encode` supplies its only element.
    pub(super) fn write_scalar(
        &self,
        ty: TypeInfo,
        encode: Encode<'_>,
        sink: &mut dyn ArraySink,
    ) -> Result<()> {
        let target = self.target(ty, &[], Order::C)?;
        self.write_target(target, &[], None, encode, sink)
    }

    /// Returns the array that is written for elements of this type; `in_memory` is their order.
    fn target(&self, ty: TypeInfo, shape: &[usize], in_memory: Order) -> Result<Target> {
        let (plan, item) = self.item_shape(ty)?;
        let whole = item.array(shape);
        let order = self.order.unwrap_or(in_memory);
        let is_strided = item.is_strided(&whole, order);
        Ok(Target { plan, dtype: item.base, shape: whole, order, is_strided })
    }

    /// Writes the array of these elements: their bytes, or else those that `encode` supplies.
    fn write_target(
        &self,
        target: Target,
        shape: &[usize],
        raw: Option<&[u8]>,
        encode: Encode<'_>,
        sink: &mut dyn ArraySink,
    ) -> Result<()> {
        let Target { plan, dtype, shape: whole, order, is_strided } = target;
        let mut write_to = |writer: &mut dyn Write| match raw {
            Some(bytes) => Ok(writer.write_all(bytes)?),
            None => write_blocks(&plan, shape, encode, writer),
        };
        if is_strided {
            let mut bytes = Vec::new();
            write_to(&mut bytes)?;
            let array = DynArray::new(dtype, whole, Order::C, bytes)?;
            let options = WriteOptions { order: Some(order), ..self.without_byte_order() };
            return options.write_dyn(&array.view(), sink);
        }
        self.write_header(dtype, &whole, order, sink)?;
        write_to(sink)
    }

    /// Writes elements without a header.
    #[cfg(feature = "npz")]
    pub(crate) fn write_bytes<T: Element>(
        &self,
        items: &[T],
        writer: &mut dyn Write,
    ) -> Result<()> {
        let (plan, _) = self.item_shape(TypeInfo::of::<T>())?;
        if let Some(bytes) = as_raw_bytes(&plan, items) {
            return Ok(writer.write_all(bytes)?);
        }
        let shape = [items.len()];
        let mut items = items.iter();
        let mut encode = |n: usize, block: &mut Vec<u8>| encode_block(&mut items, n, block);
        write_blocks(&plan, &shape, &mut encode, writer)
    }
}

/// An array in a file.
struct Target {
    /// Converts canonical elements to those of the file.
    plan: Plan,
    dtype: DType,
    shape: Vec<usize>,
    order: Order,
    /// True if the parts of an element are contiguous in memory, but strided in the file.
    is_strided: bool,
}

impl Target {
    /// Returns the order in which elements are encoded.
    fn items_order(&self) -> Order {
        if self.is_strided { Order::C } else { self.order }
    }
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
