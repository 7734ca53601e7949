//! The loop that writes an array block by block.

use std::io::Write;

use crate::checked;
use crate::element::InvalidValue;
use crate::element::block::{self, BLOCK, Buffers, WRITE_BLOCK};
use crate::error::Result;
use crate::plan::Plan;
use crate::shape;

/// Replaces the contents of the block by the bytes of the next `n` elements, and returns their number: fewer than `n` if there are no more.
pub(super) type Encode<'e> = &'e mut dyn FnMut(usize, &mut Vec<u8>) -> Result<usize, InvalidValue>;

/// Writes the elements of an array of this shape, which `encode` supplies, converted by the plan.
pub(super) fn write_blocks(
    plan: &Plan,
    shape: &[usize],
    encode: Encode<'_>,
    writer: &mut dyn Write,
) -> Result<()> {
    let count = shape::count(shape)?;
    let per_block = block::items_in(if plan.is_exact() { WRITE_BLOCK } else { BLOCK }, plan);
    let mut buffers = Buffers::default();
    let mut first = 0usize;
    while first < count {
        let n = checked::sub(count, first).min(per_block);
        let encoded = encode(n, &mut buffers.block);
        let encoded = encoded.map_err(|error| block::invalid(error, first))?;
        first = checked::add(first, encoded);
        if encoded < n {
            return Err(shape::wrong_count(shape, count, first));
        }
        writer.write_all(buffers.run(plan, n))?;
    }
    Ok(())
}
