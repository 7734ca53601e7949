//! Layer 3: runs a [`Plan`] over the items of a block.
//!
//! Step by step, and each step over all items: the block stays in the cache, and what a step does
//! is decided once.

pub(crate) mod cast;

use std::ops::Range;

use crate::plan::{Action, Plan, Step, Strategy};

/// Items of the dtype that is wanted, from a block of `count` items as they are in the file.
///
/// In place where nothing moves, else through `scratch`, where padding is zero.
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
            scratch.resize(count.saturating_mul(plan.dst_itemsize), 0);
            run_steps(steps, block, plan.src_itemsize, scratch, plan.dst_itemsize);
            scratch
        }
    }
}

/// One part of each record, side by side.
#[cfg(feature = "mmap")]
pub(crate) fn extract_column(
    records: &[u8],
    stride: usize,
    part: Range<usize>,
    parts: &mut Vec<u8>,
) {
    let size = part.len();
    let count = records.len().checked_div(stride).unwrap_or(0);
    parts.resize(count.saturating_mul(size), 0);
    let step = Step { from: part.start, to: 0, action: Action::Copy { bytes: size } };
    run_steps(&[step], records, stride, parts, size);
}

/// Runs the steps over items of these sizes. Recursion ends with the dtype, whose nesting is limited.
fn run_steps(steps: &[Step], from: &[u8], src_itemsize: usize, to: &mut [u8], dst_itemsize: usize) {
    if dst_itemsize == 0 {
        return;
    }
    for step in steps {
        let from = from.get(step.from..).unwrap_or_default();
        let to = to.get_mut(step.to..).unwrap_or_default();
        let sizes = (src_itemsize, dst_itemsize);
        match &step.action {
            Action::Copy { bytes } => match bytes {
                1 => pairs(from, to, sizes, copy_array::<1>),
                2 => pairs(from, to, sizes, copy_array::<2>),
                4 => pairs(from, to, sizes, copy_array::<4>),
                8 => pairs(from, to, sizes, copy_array::<8>),
                16 => pairs(from, to, sizes, copy_array::<16>),
                n => pairs(from, to, sizes, |f, t| copy(f, t, *n)),
            },
            Action::Fill { bytes } => {
                to.chunks_mut(dst_itemsize).for_each(|t| copy(bytes, t, bytes.len()));
            }
            Action::Swap { unit, count } if *count <= FEW => {
                for start in (0..*count).map(|i| i.saturating_mul(*unit)) {
                    let from = from.get(start..).unwrap_or_default();
                    let to = to.get_mut(start..).unwrap_or_default();
                    match unit {
                        2 => pairs(from, to, sizes, copy_turned::<2>),
                        4 => pairs(from, to, sizes, copy_turned::<4>),
                        8 => pairs(from, to, sizes, copy_turned::<8>),
                        16 => pairs(from, to, sizes, copy_turned::<16>),
                        n => pairs(from, to, sizes, |f, t| copy_swapped(f, t, *n, *n)),
                    }
                }
            }
            Action::Swap { unit, count } => {
                let bytes = unit.saturating_mul(*count);
                pairs(from, to, sizes, |f, t| copy_swapped(f, t, bytes, *unit));
            }
            Action::Convert { convert, count } => {
                let scalar = (convert.size_before(), convert.size_after());
                if *count <= FEW {
                    for i in 0..*count {
                        let from = from.get(i.saturating_mul(scalar.0)..).unwrap_or_default();
                        let to = to.get_mut(i.saturating_mul(scalar.1)..).unwrap_or_default();
                        convert.run(from, to, sizes);
                    }
                } else {
                    let bytes = (scalar.0.saturating_mul(*count), scalar.1.saturating_mul(*count));
                    pairs(from, to, sizes, |f, t| {
                        if let (Some(f), Some(t)) = (f.get(..bytes.0), t.get_mut(..bytes.1)) {
                            convert.run(f, t, scalar);
                        }
                    });
                }
            }
            Action::Repeat { count, from_stride, to_stride, steps } => {
                let f_bytes = count.saturating_mul(*from_stride);
                let t_bytes = count.saturating_mul(*to_stride);
                let each = |f: &[u8], t: &mut [u8]| {
                    if let (Some(f), Some(t)) = (f.get(..f_bytes), t.get_mut(..t_bytes)) {
                        run_steps(steps, f, *from_stride, t, *to_stride);
                    }
                };
                if src_itemsize == 0 {
                    // Records of no bytes in the file, whose fields here are all defaults.
                    to.chunks_mut(dst_itemsize).for_each(|t| each(&[], t));
                } else {
                    pairs(from, to, sizes, each);
                }
            }
        }
    }
}

/// Each item of one side with its item of the other. Both sides begin somewhere within their first item: so the last one is short, and
/// empty where they begin at its end, at a part of no bytes.
fn pairs(
    from: &[u8],
    to: &mut [u8],
    strides: (usize, usize),
    mut each: impl FnMut(&[u8], &mut [u8]),
) {
    let (from_stride, to_stride) = (strides.0.max(1), strides.1.max(1));
    // So the compiler knows how long all but the last are.
    let (items, places) = (from.chunks_exact(from_stride), to.chunks_exact_mut(to_stride));
    let whole = items.len().min(places.len());
    items.zip(places).for_each(|(item, place)| each(item, place));
    let last = from.get(whole.saturating_mul(from_stride)..).unwrap_or_default();
    let place = to.get_mut(whole.saturating_mul(to_stride)..).unwrap_or_default();
    if !place.is_empty() {
        each(last, place);
    }
}

/// So many in a row are gone through one after the other, each in all items.
const FEW: usize = 8;

/// Turns round what the steps say, where it stands.
fn swap_in_place(steps: &[Step], block: &mut [u8], itemsize: usize) {
    /// A part stays in the first-level cache from step to step.
    const PART: usize = 8 << 10;
    let itemsize = itemsize.max(1);
    let part = PART.checked_div(itemsize).unwrap_or(1).max(1).saturating_mul(itemsize);
    for part in block.chunks_mut(part) {
        for step in steps {
            let Action::Swap { unit, count } = step.action else { continue };
            let end = step.from.saturating_add(unit.saturating_mul(count));
            match unit {
                2 => swap_each::<2>(part, itemsize, step.from..end),
                4 => swap_each::<4>(part, itemsize, step.from..end),
                8 => swap_each::<8>(part, itemsize, step.from..end),
                16 => swap_each::<16>(part, itemsize, step.from..end),
                n => part.chunks_exact_mut(itemsize).for_each(|item| {
                    swap(item.get_mut(step.from..end).unwrap_or_default(), n);
                }),
            }
        }
    }
}

/// Turns round each run of `N` bytes in one place of each item.
fn swap_each<const N: usize>(items: &mut [u8], itemsize: usize, place: Range<usize>) {
    if place.len() == itemsize {
        turn_all::<N>(items);
    } else if place.len() <= FEW.saturating_mul(N) {
        // A loop over the items for each of them, none in each item.
        for start in place.step_by(N) {
            let items = items.chunks_exact_mut(itemsize);
            let places = items.filter_map(|item| item.get_mut(start..)?.first_chunk_mut::<N>());
            places.for_each(turn);
        }
    } else {
        let items = items.chunks_exact_mut(itemsize);
        items.for_each(|item| turn_all::<N>(item.get_mut(place.clone()).unwrap_or_default()));
    }
}

/// Turns round each run of `unit` bytes.
fn swap(bytes: &mut [u8], unit: usize) {
    match unit {
        2 => turn_all::<2>(bytes),
        4 => turn_all::<4>(bytes),
        8 => turn_all::<8>(bytes),
        16 => turn_all::<16>(bytes),
        n => bytes.chunks_exact_mut(n.max(1)).for_each(<[u8]>::reverse),
    }
}

/// Turns round each run of `N` bytes.
fn turn_all<const N: usize>(bytes: &mut [u8]) {
    bytes.as_chunks_mut::<N>().0.iter_mut().for_each(turn);
}

/// Turns bytes round: where there is a number of the size, as the machine does that.
#[inline]
fn turn<const N: usize>(bytes: &mut [u8; N]) {
    let bytes = bytes.as_mut_slice();
    if let Ok(n) = <&mut [u8; 2]>::try_from(&mut *bytes) {
        *n = u16::from_ne_bytes(*n).swap_bytes().to_ne_bytes();
    } else if let Ok(n) = <&mut [u8; 4]>::try_from(&mut *bytes) {
        *n = u32::from_ne_bytes(*n).swap_bytes().to_ne_bytes();
    } else if let Ok(n) = <&mut [u8; 8]>::try_from(&mut *bytes) {
        *n = u64::from_ne_bytes(*n).swap_bytes().to_ne_bytes();
    } else if let Ok(n) = <&mut [u8; 16]>::try_from(&mut *bytes) {
        *n = u128::from_ne_bytes(*n).swap_bytes().to_ne_bytes();
    } else {
        bytes.reverse();
    }
}

/// Copies `N` bytes: one move of the machine's.
fn copy_array<const N: usize>(from: &[u8], to: &mut [u8]) {
    if let (Some(from), Some(to)) = (from.first_chunk::<N>(), to.first_chunk_mut::<N>()) {
        *to = *from;
    }
}

/// Copies `N` bytes and turns them round.
fn copy_turned<const N: usize>(from: &[u8], to: &mut [u8]) {
    if let (Some(from), Some(to)) = (from.first_chunk::<N>(), to.first_chunk_mut::<N>()) {
        *to = *from;
        turn(to);
    }
}

fn copy(from: &[u8], to: &mut [u8], bytes: usize) {
    if let (Some(from), Some(to)) = (from.get(..bytes), to.get_mut(..bytes)) {
        to.copy_from_slice(from);
    }
}

/// Copies bytes and turns round each run of `unit` of them.
fn copy_swapped(from: &[u8], to: &mut [u8], bytes: usize, unit: usize) {
    copy(from, to, bytes);
    swap(to.get_mut(..bytes).unwrap_or_default(), unit);
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

        /// The same value laid out anew: other byte orders, other padding, fewer fields in another order.
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

    /// One item to one item, the slow and obvious way.
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
    fn every_path_gives_what_the_naive_interpreter_gives() {
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
            // Padding that stays in place is not looked at; blank it before comparing.
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
    fn neighbours_that_move_alike_move_together() {
        let from: DType = "[('a', '<f4'), ('b', '<f4'), ('c', '|u1')]".parse().unwrap();
        let to: DType = "[('', '|V4'), ('a', '<f4'), ('b', '<f4')]".parse().unwrap();
        let plan = Plan::new(&from, &to, Cast::Exact).unwrap();
        let Strategy::General(steps) = plan.strategy else { panic!() };
        assert_eq!(steps, [Step { from: 0, to: 4, action: Action::Copy { bytes: 8 } }]);
    }

    #[test]
    fn text_of_no_characters_is_zeros_and_not_its_neighbour() {
        for (from, to) in [("|S0", "|S3"), ("<U0", "<U1"), (">U0", "<U1")] {
            let record = |text: &str| format!("[('a', '{text}'), ('x', '|u1')]").parse().unwrap();
            let (from, to): (DType, DType) = (record(from), record(to));
            let plan = Plan::new(&from, &to, Cast::Lossless).unwrap();
            let mut expected = vec![0; to.itemsize()];
            *expected.last_mut().unwrap() = 7;
            assert_eq!(run(&plan, 1, &mut [7], &mut Vec::new()), expected, "{from} to {to}");
        }
        // Nor is it the padding that stands in its place, in items of the same size.
        let from = "[('x', '|u1'), ('a', '|S0', (2,)), ('', '|V4')]".parse().unwrap();
        let to = "[('x', '|u1'), ('a', '|S2', (2,))]".parse().unwrap();
        let plan = Plan::new(&from, &to, Cast::Lossless).unwrap();
        assert_eq!(run(&plan, 1, &mut [7, 1, 2, 3, 4], &mut Vec::new()), [7, 0, 0, 0, 0]);
    }

    #[test]
    fn items_that_cost_nothing_are_not_visited() {
        let huge = "[('a', '|V0', (1000000, 2000)), ('b', [('c', '|S0')], (2147483647,))]";
        let dtype: DType = huge.parse().unwrap();
        let plan = Plan::new(&dtype, &dtype.packed(), Cast::Exact).unwrap();
        assert_eq!(run(&plan, usize::MAX, &mut [], &mut Vec::new()), [0; 0]);
    }
}
