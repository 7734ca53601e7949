//! A block of items at a time: the hot loops, which the compiler makes anew for each type.

use crate::dtype::{ByteOrder, DType};
use crate::element::{Element, InvalidValue};
use crate::error::{Error, ErrorKind, Place};
use crate::kernel;
use crate::limits;
use crate::plan::{Cast, Plan};
use crate::schema::Schema;

/// Bytes of a block: it stays in the second-level cache.
pub(crate) const BLOCK: usize = 256 << 10;

/// The two buffers that a run over blocks needs; each holds one block.
#[derive(Default)]
pub(crate) struct Buffers {
    pub(crate) block: Vec<u8>,
    scratch: Vec<u8>,
}

impl Buffers {
    /// Runs a plan over the `count` items of the block.
    pub(crate) fn run(&mut self, plan: &Plan, count: usize) -> &[u8] {
        kernel::run(plan, count, &mut self.block, &mut self.scratch)
    }
}

/// How many items of these sizes make a block.
pub(crate) fn items_per_block(plan: &Plan) -> usize {
    BLOCK.checked_div(plan.from_size.max(plan.to_size)).unwrap_or(BLOCK).max(1)
}

/// Decodes the `count` items in `buffers.block` to the end of `out`, as far as they are valid. The room has been made.
pub(crate) fn decode<T: Element>(
    plan: &Plan,
    count: usize,
    buffers: &mut Buffers,
    out: &mut Vec<T>,
) -> Result<(), InvalidValue> {
    let items = buffers.run(plan, count);
    let checked = T::check(items);
    let valid = checked.as_ref().err().map_or(count, InvalidValue::item);
    if T::SIZE == 0 {
        out.extend((0..valid).map(|_| T::decode(&[])));
    } else {
        let items = items.get(..valid.saturating_mul(T::SIZE)).unwrap_or(items);
        out.extend(items.chunks_exact(T::SIZE).map(T::decode));
    }
    checked
}

/// Encodes the next `count` items: the bytes for the file.
pub(crate) fn encode<'b, 't, T: Element + 't>(
    plan: &Plan,
    count: usize,
    items: impl Iterator<Item = &'t T>,
    buffers: &'b mut Buffers,
) -> Result<&'b [u8], InvalidValue> {
    // Padding is zero from the first block on; no item writes it.
    buffers.block.resize(count.saturating_mul(T::SIZE), 0);
    let slots = buffers.block.chunks_exact_mut(T::SIZE.max(1));
    for (i, (slot, item)) in slots.zip(items).enumerate() {
        item.encode(slot).map_err(|error| error.at_item(i))?;
    }
    Ok(buffers.run(plan, count))
}

/// Canonical items of `T`, and how they are found.
pub(crate) fn canonical<T: Element>() -> Result<Schema, Error> {
    let schema = T::schema(ByteOrder::Little).canonical();
    let dtype = &schema.dtype;
    if dtype.itemsize() == T::SIZE {
        return Ok(schema);
    }
    let reason =
        format!("its items have {} bytes, and Element::SIZE is {}", dtype.itemsize(), T::SIZE);
    Err(ErrorKind::DType { descr: dtype.descr(), reason }.into())
}

/// The way from items of a file to canonical items of `T`.
pub(crate) fn reading<T: Element>(file: &DType, cast: Cast) -> Result<Plan, Error> {
    let plan = Plan::reading(file, &canonical::<T>()?, cast);
    plan.map_err(|error| error.wanted_by(&type_name::<T>()))
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

/// The name of a type without its modules: `Vec<Trace<4>>`.
pub(crate) fn type_name<T: ?Sized>() -> String {
    let mut short = String::new();
    let mut word = 0;
    let mut before = ' ';
    for c in std::any::type_name::<T>().chars() {
        if c == ':' && before == ':' {
            short.truncate(word);
        } else if c != ':' {
            short.push(c);
            if !c.is_alphanumeric() && c != '_' {
                word = short.len();
            }
        }
        before = c;
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_their_modules() {
        assert_eq!(type_name::<Vec<Option<f32>>>(), "Vec<Option<f32>>");
        assert_eq!(type_name::<[crate::ByteStr<3>; 2]>(), "[ByteStr<3>; 2]");
        assert_eq!(type_name::<(u8, String)>(), "(u8, String)");
    }
}
