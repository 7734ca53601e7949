//! Runs a [`Plan`] on the items of a block.
//!
//! Each step runs on many items before the next step, so that the kind of a step is rarely matched: a plan that only byte-swaps runs on
//! parts of 8 KiB, any other plan on the whole block.

pub(crate) mod cast;

use crate::checked;
use crate::plan::convert::Convert;
use crate::plan::{Action, Plan, Step, Strategy};

/// Converts a block of `count` items of the file, in place or into `scratch`. Padding in `scratch` is zero.
pub(crate) fn run<'b>(
    plan: &Plan,
    count: usize,
    block: &'b mut [u8],
    scratch: &'b mut Vec<u8>,
) -> &'b [u8] {
    match &plan.strategy {
        Strategy::Exact => block,
        Strategy::Swapped { steps, .. } => {
            swap_in_place(steps, block, plan.src_itemsize);
            block
        }
        Strategy::General(steps) => {
            // No step ever writes padding, so it stays zero from block to block.
            scratch.resize(checked::mul(count, plan.dst_itemsize), 0);
            run_steps(steps, block, scratch, (plan.src_itemsize, plan.dst_itemsize));
            scratch
        }
    }
}

/// A value that does not fit the scalar that it is converted to.
pub(crate) struct Misfit<'a> {
    /// The index of the item.
    pub(crate) item: usize,
    /// The bytes of the value.
    pub(crate) value: &'a [u8],
    pub(crate) convert: &'a Convert,
}

/// Finds the first item of a block with a value that does not fit, and returns that value.
pub(crate) fn misfit<'a>(plan: &'a Plan, block: &'a [u8]) -> Option<Misfit<'a>> {
    match &plan.strategy {
        Strategy::General(steps) if plan.is_checked && !block.is_empty() => {
            first_misfit(steps, block, plan.src_itemsize)
        }
        _ => None,
    }
}

fn first_misfit<'a>(steps: &'a [Step], from: &'a [u8], stride: usize) -> Option<Misfit<'a>> {
    let of_step = |step: &'a Step| {
        let from = checked::tail(from, step.from);
        match &step.action {
            Action::Convert(convert) if convert.is_checked => {
                let item = convert.misfit(from, stride)?;
                let start = checked::mul(item, stride);
                let value =
                    checked::slice(from, start..checked::add(start, convert.from.itemsize()));
                Some(Misfit { item, value, convert })
            }
            Action::Repeat { count, from_stride, steps, .. } => {
                let part = |i| checked::tail(from, checked::mul(i, *from_stride));
                let misfits = (0..*count).filter_map(|i| first_misfit(steps, part(i), stride));
                misfits.min_by_key(|misfit| misfit.item)
            }
            _ => None,
        }
    };
    steps.iter().filter_map(of_step).min_by_key(|misfit| misfit.item)
}

/// Copies one part of each record, without gaps, to `parts`.
pub(crate) fn extract_column(
    records: &[u8],
    stride: usize,
    part: std::ops::Range<usize>,
    parts: &mut Vec<u8>,
) {
    let size = part.len();
    let count = records.len().checked_div(stride).unwrap_or(0);
    parts.resize(checked::mul(count, size), 0);
    if !parts.is_empty() {
        copy_each::<false>(checked::tail(records, part.start), parts, (stride, size), size);
    }
}

/// Copies items without gaps to one part of each record: the first to the byte `offset`, and the next ones `stride` bytes apart.
pub(crate) fn fill_column(
    items: &[u8],
    size: usize,
    records: &mut [u8],
    (stride, offset): (usize, usize),
) {
    if !records.is_empty() {
        copy_each::<false>(items, checked::tail_mut(records, offset), (size, stride), size);
    }
}

/// The distances from one item to the next: in the file, and after conversion.
type Strides = (usize, usize);

/// For sub-arrays up to this length, the outer loop is over their elements, and the inner loop over all items.
const MAX_SHORT: usize = 8;

/// Runs the steps on all items. The recursion is as deep as the dtype is nested, and `Limits` bound that depth.
fn run_steps(steps: &[Step], from: &[u8], to: &mut [u8], strides: Strides) {
    if to.is_empty() {
        return;
    }
    for step in steps {
        let from = checked::tail(from, step.from);
        let to = checked::tail_mut(to, step.to);
        match &step.action {
            Action::Copy { bytes } => copy_each::<false>(from, to, strides, *bytes),
            Action::Fill { bytes } => {
                to.chunks_mut(strides.1).for_each(|to| copy(bytes, to, bytes.len()));
            }
            Action::Swap { unit, bytes } if *bytes <= checked::mul(*unit, MAX_SHORT) => {
                for start in (0..*bytes).step_by((*unit).max(1)) {
                    let from = checked::tail(from, start);
                    let to = checked::tail_mut(to, start);
                    copy_each::<true>(from, to, strides, *unit);
                }
            }
            Action::Swap { unit, bytes } => {
                copy_each::<false>(from, to, strides, *bytes);
                swap_each(to, strides.1, *bytes, *unit);
            }
            Action::Convert(convert) => convert.run(from, to, strides),
            Action::Repeat { count, from_stride, to_stride, steps } if *count <= MAX_SHORT => {
                for i in 0..*count {
                    let from = checked::tail(from, checked::mul(i, *from_stride));
                    let to = checked::tail_mut(to, checked::mul(i, *to_stride));
                    run_steps(steps, from, to, strides);
                }
            }
            Action::Repeat { count, from_stride, to_stride, steps } => {
                let from_bytes = checked::mul(*count, *from_stride);
                let to_bytes = checked::mul(*count, *to_stride);
                pairs(from, to, strides, |from, to| {
                    let from = checked::slice(from, 0..from_bytes);
                    let to = checked::slice_mut(to, 0..to_bytes);
                    run_steps(steps, from, to, (*from_stride, *to_stride));
                });
            }
        }
    }
}

/// Calls `each` with each item of `from` and the item of `to` at the same index.
///
/// Each slice may start at an offset within its first item, up to the size of an item. Its last item is then shorter by this offset, and
/// may be empty.
fn pairs(from: &[u8], to: &mut [u8], strides: Strides, mut each: impl FnMut(&[u8], &mut [u8])) {
    let (from_stride, to_stride) = (strides.0, strides.1.max(1));
    if from_stride == 0 {
        // The items have no bytes in the file, like empty text: each result is made from an empty slice.
        return to.chunks_mut(to_stride).for_each(|to| each(&[], to));
    }
    // All of these chunks have the same length, unlike the last one of `chunks`; so the compiler need not check each.
    let (items, results) = (from.chunks_exact(from_stride), to.chunks_exact_mut(to_stride));
    let count = items.len().min(results.len());
    items.zip(results).for_each(|(from, to)| each(from, to));
    let from = checked::tail(from, checked::mul(count, from_stride));
    let to = checked::tail_mut(to, checked::mul(count, to_stride));
    if !to.is_empty() {
        each(from, to);
    }
}

/// Copies the first `bytes` bytes of each item, and byte-swaps them if `SWAP`.
fn copy_each<const SWAP: bool>(from: &[u8], to: &mut [u8], strides: Strides, bytes: usize) {
    match bytes {
        1 => pairs(from, to, strides, copy_array::<1, SWAP>),
        2 => pairs(from, to, strides, copy_array::<2, SWAP>),
        4 => pairs(from, to, strides, copy_array::<4, SWAP>),
        8 => pairs(from, to, strides, copy_array::<8, SWAP>),
        16 => pairs(from, to, strides, copy_array::<16, SWAP>),
        n => pairs(from, to, strides, |from, to| {
            copy(from, to, n);
            if SWAP {
                checked::slice_mut(to, 0..n).reverse();
            }
        }),
    }
}

fn copy_array<const N: usize, const SWAP: bool>(from: &[u8], to: &mut [u8]) {
    let to = checked::some(to.first_chunk_mut::<N>());
    *to = *checked::some(from.first_chunk());
    if SWAP {
        to.reverse();
    }
}

fn copy(from: &[u8], to: &mut [u8], bytes: usize) {
    checked::slice_mut(to, 0..bytes).copy_from_slice(checked::slice(from, 0..bytes));
}

/// Runs steps that only byte-swap.
fn swap_in_place(steps: &[Step], block: &mut [u8], itemsize: usize) {
    /// A part of this size stays in the first-level cache from step to step.
    const PART_BYTES: usize = 8 << 10;
    let itemsize = itemsize.max(1);
    let items = PART_BYTES.checked_div(itemsize).unwrap_or_default().max(1);
    let part_bytes = checked::mul(items, itemsize);
    for part in block.chunks_mut(part_bytes) {
        for step in steps {
            if let Action::Swap { unit, bytes } = step.action {
                let part = checked::tail_mut(part, step.from);
                swap_each(part, itemsize, bytes, unit);
            }
        }
    }
}

/// In each item, byte-swaps the first `bytes` bytes in units of `unit` bytes.
fn swap_each(items: &mut [u8], itemsize: usize, bytes: usize, unit: usize) {
    match unit {
        2 => swap_arrays::<2>(items, itemsize, bytes),
        4 => swap_arrays::<4>(items, itemsize, bytes),
        8 => swap_arrays::<8>(items, itemsize, bytes),
        16 => swap_arrays::<16>(items, itemsize, bytes),
        // A long double of 12 bytes.
        n => {
            let items = items.chunks_mut(itemsize.max(1));
            let items = items.map(|item| checked::slice_mut(item, 0..bytes));
            items.flat_map(|part| part.chunks_exact_mut(n.max(1))).for_each(<[u8]>::reverse);
        }
    }
}

/// In each item, byte-swaps the first `bytes` bytes in units of `N` bytes.
fn swap_arrays<const N: usize>(items: &mut [u8], itemsize: usize, bytes: usize) {
    if bytes == itemsize {
        swap_all::<N>(items);
    } else if bytes <= checked::mul(MAX_SHORT, N) {
        for start in (0..bytes).step_by(N) {
            let items = checked::tail_mut(items, start);
            each_item(items, itemsize, |item| {
                checked::some(item.first_chunk_mut::<N>()).reverse();
            });
        }
    } else {
        each_item(items, itemsize, |item| swap_all::<N>(checked::slice_mut(item, 0..bytes)));
    }
}

fn swap_all<const N: usize>(bytes: &mut [u8]) {
    bytes.as_chunks_mut::<N>().0.iter_mut().for_each(|unit| unit.reverse());
}

/// Calls `each` with each item. If `items` starts within an item, the last item is short.
fn each_item(items: &mut [u8], itemsize: usize, mut each: impl FnMut(&mut [u8])) {
    // All of these chunks have the same length, unlike the last one of `chunks_mut`; so the compiler need not check each.
    let mut items = items.chunks_exact_mut(itemsize.max(1));
    items.by_ref().for_each(&mut each);
    let last = items.into_remainder();
    if !last.is_empty() {
        each(last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::{ByteOrder, DType};
    use crate::plan::Cast;

    /// Random numbers that are the same in every run.
    struct Random(u64);

    impl Random {
        fn below(&mut self, n: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 33) as usize % n
        }

        fn scalar(&mut self) -> String {
            let order = ["<", ">"][self.below(2)];
            let kind = ["i2", "u4", "f8", "c8", "c16", "M8[s]", "f16", "U2", "f2"][self.below(9)];
            let plain = ["|u1", "|b1", "|S3", "|V5"][self.below(4)];
            if self.below(3) == 0 { plain.into() } else { format!("{order}{kind}") }
        }

        /// A descr: a scalar, a sub-array or a record.
        fn descr(&mut self, depth: usize) -> String {
            match self.below(if depth == 0 { 1 } else { 3 }) {
                0 => format!("'{}'", self.scalar()),
                1 => {
                    let shape = ["(2,)", "(3, 2)", "(1,)", "(0,)", "(11,)"][self.below(5)];
                    format!("({}, {shape})", self.descr(depth - 1))
                }
                _ => self.record(depth),
            }
        }

        fn record(&mut self, depth: usize) -> String {
            let fields: Vec<String> = (0..1 + self.below(4))
                .map(|i| {
                    let padding = self.below(6).saturating_sub(2);
                    format!("('', '|V{padding}'), ('f{i}', {})", self.descr(depth - 1))
                })
                .collect();
            format!("[{}, ('', '|V{}')]", fields.join(", "), self.below(3))
        }

        /// Returns a descr with other byte orders, other padding, and fewer fields in another order.
        fn relaid(&mut self, dtype: &DType) -> String {
            if let Some((base, shape)) = dtype.sub_array() {
                return format!("({}, {})", self.relaid(base), crate::shape::repr(shape));
            }
            if dtype.is_record() {
                let mut fields: Vec<_> = dtype.fields().iter().collect();
                for i in (1..fields.len()).rev() {
                    fields.swap(i, self.below(i + 1));
                }
                fields.truncate(1 + self.below(fields.len()));
                let fields: Vec<String> = fields
                    .into_iter()
                    .map(|field| {
                        let padding = self.below(4);
                        let descr = self.relaid(field.dtype());
                        format!("('', '|V{padding}'), ('{}', {descr})", field.name())
                    })
                    .collect();
                return format!("[{}]", fields.join(", "));
            }
            let order = [ByteOrder::Little, ByteOrder::Big][self.below(2)];
            dtype.with_byte_order(order).descr()
        }
    }

    /// Converts one item, the slow and obvious way.
    fn naive(from: &DType, to: &DType, item: &[u8], out: &mut [u8]) {
        if let (Some((f, shape)), Some((t, _))) = (from.sub_array(), to.sub_array()) {
            for i in 0..shape.iter().product() {
                let out = &mut out[i * t.itemsize()..];
                naive(f, t, &item[i * f.itemsize()..], out);
            }
        } else if to.is_record() {
            for wanted in to.fields() {
                let found = from.field(wanted.name()).unwrap();
                let out = &mut out[wanted.offset()..];
                naive(found.dtype(), wanted.dtype(), &item[found.offset()..], out);
            }
        } else {
            out[..to.itemsize()].copy_from_slice(&item[..to.itemsize()]);
            let (f, t) = (from.scalar().unwrap(), to.scalar().unwrap());
            if f.byte_order() != t.byte_order() {
                out[..t.itemsize()].chunks_mut(t.swap_unit()).for_each(<[u8]>::reverse);
            }
        }
    }

    #[test]
    fn every_strategy_gives_what_the_naive_interpreter_gives() {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let mut paths = [0; 3];
        for round in 0..3000 {
            let from: DType = random.record(3).parse().unwrap();
            let to = match round % 3 {
                0 => from.clone(),
                1 => from.with_byte_order(ByteOrder::Little),
                _ => random.relaid(&from).parse().unwrap(),
            };
            let plan = Plan::new(&from, &to, Cast::Exact).unwrap();
            paths[match plan.strategy {
                Strategy::Exact => 0,
                Strategy::Swapped { .. } => 1,
                Strategy::General(_) => 2,
            }] += 1;
            let count = 1 + random.below(5);
            let mut block: Vec<u8> = (0..count * from.itemsize())
                .map(|_| u8::try_from(random.below(256)).unwrap())
                .collect();
            let mut expected = vec![0; count * to.itemsize()];
            for i in 0..count {
                let item = &block[i * from.itemsize()..];
                naive(&from, &to, item, &mut expected[i * to.itemsize()..]);
            }
            let mut scratch = Vec::new();
            let got = run(&plan, count, &mut block, &mut scratch);
            // Padding is not compared, as it may be left as it was: remove it.
            let packed = to.packed();
            let blank = Plan::new(&to, &packed, Cast::Exact).unwrap();
            let (mut got, mut a, mut b) = (got.to_vec(), Vec::new(), Vec::new());
            let got = run(&blank, count, &mut got, &mut a);
            assert_eq!(got, run(&blank, count, &mut expected, &mut b), "{from} to {to}");
        }
        assert!(paths.iter().all(|&n| n > 200), "{paths:?}");
    }

    #[test]
    fn padding_comes_out_as_zeros() {
        let from: DType = "[('a', '|u1'), ('x', '|u1')]".parse().unwrap();
        let to: DType = "[('', '|V2'), ('x', '|u1'), ('', '|V1')]".parse().unwrap();
        let plan = Plan::new(&from, &to, Cast::Exact).unwrap();
        let mut block = vec![9, 7, 9, 8];
        assert_eq!(run(&plan, 2, &mut block, &mut Vec::new()), [0, 0, 7, 0, 0, 0, 8, 0]);
    }

    #[test]
    fn adjacent_fields_are_copied_together() {
        let from: DType = "[('a', '<f4'), ('b', '<f4'), ('c', '|u1')]".parse().unwrap();
        let to: DType = "[('', '|V4'), ('a', '<f4'), ('b', '<f4')]".parse().unwrap();
        let plan = Plan::new(&from, &to, Cast::Exact).unwrap();
        let Strategy::General(steps) = plan.strategy else { panic!() };
        assert_eq!(steps, [Step { from: 0, to: 4, action: Action::Copy { bytes: 8 } }]);
    }

    #[test]
    fn empty_text_becomes_zeros_and_not_the_next_field() {
        for (from, to) in [("|S0", "|S3"), ("<U0", "<U1"), (">U0", "<U1")] {
            let record = |text: &str| format!("[('a', '{text}'), ('x', '|u1')]").parse().unwrap();
            let (from, to): (DType, DType) = (record(from), record(to));
            let plan = Plan::new(&from, &to, Cast::Lossless).unwrap();
            let mut expected = vec![0; to.itemsize()];
            *expected.last_mut().unwrap() = 7;
            assert_eq!(run(&plan, 1, &mut [7], &mut Vec::new()), expected, "{from} to {to}");
        }
        // If the items have the same size, the text is not filled from padding at its offset either.
        let from = "[('x', '|u1'), ('a', '|S0', (2,)), ('', '|V4')]".parse().unwrap();
        let to = "[('x', '|u1'), ('a', '|S2', (2,))]".parse().unwrap();
        let plan = Plan::new(&from, &to, Cast::Lossless).unwrap();
        assert_eq!(run(&plan, 1, &mut [7, 1, 2, 3, 4], &mut Vec::new()), [7, 0, 0, 0, 0]);
    }

    #[test]
    fn items_without_bytes_are_not_visited() {
        let huge = "[('a', '|V0', (1000000, 2000)), ('b', [('c', '|S0')], (2147483647,))]";
        let dtype: DType = huge.parse().unwrap();
        let plan = Plan::new(&dtype, &dtype.packed(), Cast::Exact).unwrap();
        assert_eq!(run(&plan, usize::MAX, &mut [], &mut Vec::new()), [0; 0]);
    }
}
