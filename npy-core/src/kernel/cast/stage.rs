//! Numbers to wider numbers, some at a time: each passes through a word, so that there is a loop for each size and not one for each pair.

use super::{half, is_big, to_half};
use crate::dtype::{Scalar, ScalarKind};
use crate::plan::convert::Convert;

/// How many numbers are on their way at a time: they stay in the first-level cache.
const MANY: usize = 64;

/// Calls what is made for each size and byte order of a number.
macro_rules! for_size {
    ($scalar:expr, $run:ident($($argument:expr),*)) => {
        match ($scalar.swap_unit(), is_big($scalar)) {
            (1, _) => $run::<1, false>($($argument),*),
            (2, false) => $run::<2, false>($($argument),*),
            (2, true) => $run::<2, true>($($argument),*),
            (4, false) => $run::<4, false>($($argument),*),
            (4, true) => $run::<4, true>($($argument),*),
            (_, false) => $run::<8, false>($($argument),*),
            (_, true) => $run::<8, true>($($argument),*),
        }
    };
}

impl Convert {
    /// Converts numbers, or parts of complex ones, that start these strides apart.
    pub(super) fn numbers(&self, from: &[u8], to: &mut [u8], strides: (usize, usize)) {
        let [from_some, to_some] =
            [strides.0, strides.1].map(|stride| stride.saturating_mul(MANY).max(1));
        for (from, to) in from.chunks(from_some).zip(to.chunks_mut(to_some)) {
            let mut stage = [0; MANY];
            let count = to.len().div_ceil(strides.1.max(1));
            let stage = stage.get_mut(..count).unwrap_or_default();
            for_size!(self.from, load(from, strides.0, stage));
            self.convert(stage);
            for_size!(self.to, store(stage, to, strides.1));
        }
    }

    /// From the bits of one kind to those of the other.
    // What is cut off is zero, or the sign again: the rules let nothing wider through.
    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss)]
    fn convert(&self, stage: &mut [u64]) {
        let size = self.from.swap_unit();
        let is_float =
            |scalar: Scalar| matches!(scalar.kind(), ScalarKind::Float | ScalarKind::Complex);
        match (self.from.kind(), size) {
            (ScalarKind::Bool, _) => map(stage, |n| u64::from(n != 0)),
            (ScalarKind::Int, 1) => map(stage, |n| i64::from(n as i8).cast_unsigned()),
            (ScalarKind::Int, 2) => map(stage, |n| i64::from(n as i16).cast_unsigned()),
            (ScalarKind::Int, 4) => map(stage, |n| i64::from(n as i32).cast_unsigned()),
            (ScalarKind::Float | ScalarKind::Complex, 2) => {
                map(stage, |n| f64::from(half(n as u16)).to_bits());
            }
            (ScalarKind::Float | ScalarKind::Complex, 4) => {
                map(stage, |n| f64::from(f32::from_bits(n as u32)).to_bits());
            }
            _ => {}
        }
        if is_float(self.to) {
            if !is_float(self.from) {
                map(stage, |n| (n.cast_signed() as f64).to_bits());
            }
            match self.to.swap_unit() {
                2 => map(stage, |n| u64::from(to_half(f64::from_bits(n)))),
                4 => map(stage, |n| u64::from((f64::from_bits(n) as f32).to_bits())),
                _ => {}
            }
        }
    }
}

fn map(stage: &mut [u64], f: impl Fn(u64) -> u64) {
    stage.iter_mut().for_each(|n| *n = f(*n));
}

/// Takes the bits of numbers.
fn load<const N: usize, const BIG: bool>(from: &[u8], stride: usize, stage: &mut [u64]) {
    let number = |bytes: &[u8; N]| {
        let mut word = [0; 8];
        let place = if BIG { word.last_chunk_mut() } else { word.first_chunk_mut() };
        if let Some(place) = place {
            *place = *bytes;
        }
        if BIG { u64::from_be_bytes(word) } else { u64::from_le_bytes(word) }
    };
    // Side by side, so that the compiler may take several at once.
    if stride == N {
        let pairs = from.as_chunks::<N>().0.iter().zip(stage);
        pairs.for_each(|(bytes, slot)| *slot = number(bytes));
        return;
    }
    let take = |item: &[u8], slot: &mut u64| {
        if let Some(bytes) = item.first_chunk::<N>() {
            *slot = number(bytes);
        }
    };
    // The last one may end where the next would not start: so the compiler knows how long the others are.
    let items = from.chunks_exact(stride.max(1));
    let last = items.remainder();
    let (slots, rest) = stage.split_at_mut_checked(items.len()).unwrap_or_default();
    items.zip(slots).for_each(|(item, slot)| take(item, slot));
    rest.iter_mut().take(1).for_each(|slot| take(last, slot));
}

/// Gives the bits of numbers.
fn store<const N: usize, const BIG: bool>(stage: &[u64], to: &mut [u8], stride: usize) {
    let bytes = |n: u64| {
        let (big, little) = (n.to_be_bytes(), n.to_le_bytes());
        if BIG { big.last_chunk::<N>().copied() } else { little.first_chunk::<N>().copied() }
    };
    if stride == N {
        let pairs = to.as_chunks_mut::<N>().0.iter_mut().zip(stage);
        pairs.for_each(|(slot, n)| *slot = bytes(*n).unwrap_or([0; N]));
        return;
    }
    let put = |item: &mut [u8], n: u64| {
        if let Some((slot, bytes)) = item.first_chunk_mut::<N>().zip(bytes(n)) {
            *slot = bytes;
        }
    };
    let whole = to.len().saturating_sub(to.len().checked_rem(stride).unwrap_or_default());
    let (items, last) = to.split_at_mut_checked(whole).unwrap_or_default();
    let items = items.chunks_exact_mut(stride.max(1));
    let (numbers, rest) = stage.split_at_checked(items.len()).unwrap_or_default();
    items.zip(numbers).for_each(|(item, n)| put(item, *n));
    rest.iter().take(1).for_each(|n| put(last, *n));
}
