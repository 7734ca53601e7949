//! A block of items at a time: the hot loops, which the compiler makes anew for each type.

use std::borrow::Borrow;
use std::marker::PhantomData;
use std::rc::Rc;

use crate::dtype::{ByteOrder, DType};
use crate::element::{Element, InvalidValue};
use crate::error::{Error, ErrorKind, Place};
use crate::kernel;
use crate::limits::{self, Limits};
use crate::plan::{Cast, Plan};
use crate::recent::{self, Recent};
use crate::schema::Schema;
use crate::view;

/// Bytes of a block: it stays in the second-level cache.
pub(crate) const BLOCK: usize = 256 << 10;

/// Bytes of a block that is written at once, where no other thread waits for it: fewer calls of the system, and still in the cache.
pub(crate) const WRITTEN: usize = 512 << 10;

/// The two buffers that a run over blocks by one plan needs; each holds one block.
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

    /// What is kept for the next run: not the memory of one item that is larger than a block.
    pub(crate) fn kept(self) -> Self {
        let most = self.block.capacity().max(self.scratch.capacity());
        if most <= 2 * BLOCK { self } else { Buffers::default() }
    }
}

/// How many items of these sizes make a block.
pub(crate) fn items_per_block(plan: &Plan) -> usize {
    items_in(BLOCK, plan)
}

/// How many of them make one of so many bytes.
pub(crate) fn items_in(block: usize, plan: &Plan) -> usize {
    block.checked_div(plan.from_size.max(plan.to_size)).unwrap_or(block).max(1)
}

/// Refuses to make `count` values of items of no bytes, if they are over the limit.
pub(crate) fn check_empty<T>(plan: &Plan, count: usize, limits: &Limits) -> Result<(), Error> {
    match plan.from_size {
        0 => limits.check_empty_items(count, size_of::<T>().max(plan.to_size)),
        _ => Ok(()),
    }
}

/// Decodes the `count` items in `buffers.block` to the end of `out`, as far as they are valid. The room has been made.
pub(crate) fn decode<T: Element>(
    plan: &Plan,
    count: usize,
    buffers: &mut Buffers,
    out: &mut Vec<T>,
) -> Result<(), InvalidValue> {
    if T::SIZE == 0 {
        let checked = T::check(&[]);
        let valid = checked.as_ref().err().map_or(count, InvalidValue::item);
        out.extend((0..valid).map(|_| T::decode(&[])));
        return checked;
    }
    if let Some(at) = plan.one_run() {
        let runs = buffers.block.get(at..).unwrap_or_default();
        return decode_apart(runs, plan.from_size, out);
    }
    let turns = T::__TURNS && plan.turns_all();
    let items = if turns { &buffers.block } else { buffers.run(plan, count) };
    let checked = T::check(items);
    let valid = checked.as_ref().err().map_or(count, InvalidValue::item);
    let items = items.get(..valid.saturating_mul(T::SIZE)).unwrap_or(items).chunks_exact(T::SIZE);
    if turns {
        out.extend(items.map(T::__decode::<true>));
    } else {
        out.extend(items.map(T::decode));
    }
    checked
}

/// Decodes canonical items whose starts are `stride` bytes apart.
fn decode_apart<T: Element>(
    items: &[u8],
    stride: usize,
    out: &mut Vec<T>,
) -> Result<(), InvalidValue> {
    let stride = stride.max(1);
    let whole = |start: &[u8]| T::check(item::<T>(start)).err();
    let check = |i: usize| Some(whole(items.get(i.saturating_mul(stride)..)?)?.at_item(i));
    // Counted: where every item is valid, nothing is left of the loop.
    let count = items.len().div_ceil(stride);
    let invalid = (0..count).find_map(check);
    let valid = invalid.as_ref().map_or(count, InvalidValue::item);
    extend_apart(out, items.get(..valid.saturating_mul(stride)).unwrap_or(items), stride);
    invalid.map_or(Ok(()), Err)
}

/// Appends the values of canonical items whose starts are `stride` bytes apart; the last one may end sooner.
pub(crate) fn extend_apart<T: Element>(out: &mut Vec<T>, items: &[u8], stride: usize) {
    // Not as one chain: with that the compiler looks up for each value where `out` lies.
    let mut rest = items;
    if const { is_small::<T>() } {
        let eights;
        (eights, rest) = in_eights(items, stride);
        out.extend(eights);
    }
    let (ones, last) = one_by_one(rest, stride);
    out.extend(ones);
    out.extend(last);
}

/// Folds the values of such items.
#[cfg(feature = "mmap")]
#[inline]
pub(crate) fn fold_apart<T: Element, B>(
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

/// Whether eight values are nothing to the stack.
const fn is_small<T>() -> bool {
    size_of::<T>() <= 64
}

/// The values, eight at a turn of the loop, so that the processor gets sooner to the memory that is next; and the items that are left.
#[inline]
fn in_eights<T: Element>(items: &[u8], stride: usize) -> (impl Iterator<Item = T>, &[u8]) {
    let eights = items.chunks_exact(stride.max(1).saturating_mul(8));
    let rest = eights.remainder();
    let values = move |eight| {
        let [a, b, c, d, e, f, g, h] =
            view::items_apart(eight, stride, T::SIZE).unwrap_or_default();
        // Written out: whether `map` of an array is inlined is luck, and it takes three times as long where it is not.
        let of = T::decode;
        [of(a), of(b), of(c), of(d), of(e), of(f), of(g), of(h)]
    };
    (eights.flat_map(values), rest)
}

/// The values, one at a turn of the loop; and that of an item at the end that stops before the next would start. So the compiler knows
/// how long the others are.
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

/// The item that starts here.
#[inline]
pub(crate) fn item<T: Element>(start: &[u8]) -> &[u8] {
    start.get(..T::SIZE).unwrap_or_default()
}

/// Encoded items that wait to be written: one block at the most.
pub(crate) struct Pending<T> {
    plan: Plan,
    buffers: Buffers,
    /// How many items a block has.
    block: usize,
    /// How many items wait, and how many may.
    count: usize,
    most: usize,
    items: PhantomData<fn(&T)>,
}

impl<T: Element> Pending<T> {
    /// For items that go to the file by this plan, in blocks of so many bytes; `left` of them may come.
    pub(crate) fn new(plan: Plan, block: usize, left: usize) -> Self {
        let block = items_in(block, &plan);
        let buffers = Buffers::default();
        let mut pending = Pending { plan, buffers, block, count: 0, most: 0, items: PhantomData };
        pending.open(left);
        pending
    }

    /// How many items wait.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Makes room for up to `wanted` more items; tells for how many.
    #[inline]
    pub(crate) fn room(&mut self, wanted: usize) -> usize {
        let room = self.most.saturating_sub(self.count).min(wanted);
        let bytes = self.count.saturating_add(room).saturating_mul(T::SIZE);
        if bytes > self.buffers.block.len() {
            self.lengthen(bytes);
        }
        room
    }

    #[cold]
    fn lengthen(&mut self, bytes: usize) {
        self.buffers.block.resize(bytes, 0);
    }

    /// Encodes items, at most as many as there is [`room`](Self::room) for; tells how many.
    ///
    /// # Errors
    ///
    /// For the first item that is invalid, of which no byte stays; the items before it do, and it says how many. So it is if
    /// the iterator panics, or an item does.
    #[inline]
    pub(crate) fn fill<B: Borrow<T>>(
        &mut self,
        room: usize,
        items: impl Iterator<Item = B>,
    ) -> Result<usize, InvalidValue> {
        let first = self.count.saturating_mul(T::SIZE);
        let end = first.saturating_add(room.saturating_mul(T::SIZE));
        let mut taken = Taken { items: 0, count: &mut self.count };
        if T::SIZE == 0 {
            for item in items.take(room) {
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

    /// Encodes one item the quick way, if there is room and it is valid; tells whether it did.
    #[inline]
    pub(crate) fn push(&mut self, item: &T) -> bool {
        let first = self.count.saturating_mul(T::SIZE);
        let slot = self.buffers.block.get_mut(first..first.saturating_add(T::SIZE));
        let taken = self.count < self.most && slot.is_some_and(|slot| encode(item, slot).is_ok());
        self.count = self.count.saturating_add(usize::from(taken));
        taken
    }

    /// The bytes for the file of all items that wait. No more may come until they are written: see [`open`](Self::open).
    pub(crate) fn take(&mut self) -> &[u8] {
        let count = std::mem::take(&mut self.count);
        self.most = 0;
        self.buffers.block.truncate(count.saturating_mul(self.plan.from_size));
        self.buffers.run(&self.plan, count)
    }

    /// Lets items come again, `left` at the most.
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
    if const { !T::__TURNS } {
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

/// Canonical items of `T`, and how they are found.
pub(crate) fn canonical<T: Element>() -> Result<Rc<Schema>, Error> {
    let of = Key::of::<T>();
    if let Some(schema) = recent::find(&RECENT, |key| key.is(of)) {
        return Ok(schema);
    }
    let canonical = Rc::new(T::schema(ByteOrder::Little).canonical());
    let dtype = &canonical.dtype;
    if dtype.itemsize() != T::SIZE {
        let reason =
            format!("its items have {} bytes, and Element::SIZE is {}", dtype.itemsize(), T::SIZE);
        return Err(ErrorKind::DType { descr: dtype.descr(), reason }.into());
    }
    recent::keep(&RECENT, of, canonical.clone());
    Ok(canonical)
}

/// What a type is known by: what makes its schema, and the size that this is checked against.
#[derive(Clone, Copy)]
pub(crate) struct Key {
    schema: fn(ByteOrder) -> Schema,
    size: usize,
}

impl Key {
    pub(crate) fn of<T: Element>() -> Self {
        Key { schema: T::schema, size: T::SIZE }
    }

    /// Whether the schema is the same. Where two types have one function for it, they have one schema.
    pub(crate) fn is(self, other: Key) -> bool {
        std::ptr::fn_addr_eq(self.schema, other.schema) && self.size == other.size
    }
}

thread_local! {
    static RECENT: Recent<Key, Rc<Schema>> = const { Recent::new() };
    static RECENT_PLAN: Recent<Made, Plan> = const { Recent::new() };
}

/// The way from items of a file to canonical items of `T`.
pub(crate) fn reading<T: Element>(file: &DType, cast: Cast) -> Result<Plan, Error> {
    let schema = canonical::<T>()?;
    let same =
        |made: &Made| made.cast == cast && made.from.is(file) && Rc::ptr_eq(&made.to, &schema);
    if let Some(plan) = recent::find(&RECENT_PLAN, same) {
        return Ok(plan);
    }
    let plan = Plan::reading(file, &schema, cast);
    let plan = plan.map_err(|error| error.wanted_by(&type_name::<T>()))?;
    // Others may hold a default, which is asked for each time.
    if plan.is_exact() {
        let made = Made { cast, from: file.clone(), to: schema };
        recent::keep(&RECENT_PLAN, made, plan.clone());
    }
    Ok(plan)
}

/// What a plan was made from.
struct Made {
    cast: Cast,
    from: DType,
    to: Rc<Schema>,
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

    /// Guards the memory of a reader: that of a large item, also of one that the file did not have, is given back.
    #[test]
    fn buffers_of_a_block_are_kept() {
        let kept = |bytes| {
            let block = Vec::with_capacity(bytes);
            Buffers { block, ..Buffers::default() }.kept().block.capacity()
        };
        assert_eq!([BLOCK, 3 * BLOCK].map(kept), [BLOCK, 0]);
    }

    #[test]
    fn names_lose_their_modules() {
        assert_eq!(type_name::<Vec<Option<f32>>>(), "Vec<Option<f32>>");
        assert_eq!(type_name::<[crate::ByteStr<3>; 2]>(), "[ByteStr<3>; 2]");
        assert_eq!(type_name::<(u8, String)>(), "(u8, String)");
    }
}
