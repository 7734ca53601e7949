//! Writes arrays whose dtype is only known at run time.

use std::io::Write;

use super::WriteOptions;
use super::array_sink::ArraySink;
use crate::dynamic::DynArray;
use crate::element::InvalidValue;
use crate::element::block::{self, Buffers};
use crate::error::Result;
use crate::plan::{Cast, Plan};
use crate::shape;

impl WriteOptions {
    /// Writes an array in its own byte order and memory order, unless the options state others.
    pub(super) fn write_dyn(&self, array: &DynArray, sink: &mut dyn ArraySink) -> Result<()> {
        let shape = array.shape();
        let order = self.order.unwrap_or(array.order());
        let dtype = match self.byte_order {
            Some(order) => array.dtype().with_byte_order(order),
            None => array.dtype().clone(),
        };
        let plan = Plan::new(array.dtype(), &dtype, Cast::Exact)?;
        self.write_header(dtype, shape, order, sink)?;
        let same_order = order.normalized(shape) == array.order().normalized(shape);
        if same_order && plan.is_exact() || array.as_bytes().is_empty() {
            sink.write_all(array.as_bytes())?;
            return Ok(());
        }
        let mut items = array.items_in(order);
        write_blocks(
            &plan,
            shape::count(shape)?,
            |n, buffers| {
                buffers.block.clear();
                items.by_ref().take(n).for_each(|item| buffers.block.extend_from_slice(item));
                Ok(buffers.run(&plan, n))
            },
            sink,
        )
    }
}

/// Writes `count` elements block by block; `encode` returns the bytes of the next `n` elements.
pub(super) fn write_blocks(
    plan: &Plan,
    count: usize,
    mut encode: impl for<'b> FnMut(usize, &'b mut Buffers) -> Result<&'b [u8], InvalidValue>,
    writer: &mut dyn Write,
) -> Result<()> {
    let mut buffers = Buffers::default();
    let mut first = 0usize;
    while first < count {
        let n = count.saturating_sub(first).min(block::items_per_block(plan));
        let bytes = encode(n, &mut buffers).map_err(|error| block::invalid(&error, first))?;
        writer.write_all(bytes)?;
        first = first.saturating_add(n);
    }
    Ok(())
}
