//! Widens numbers in groups. Each number passes through a 64-bit word, so one loop per size is enough, instead of one per pair of sizes.

use super::{Strides, half, is_big, to_half};
use crate::dtype::{Scalar, ScalarKind};
use crate::plan::convert::Convert;

/// The number of numbers in a group: few enough for their words to stay in the first-level cache.
const GROUP: usize = 64;

/// Calls a generic function with the size and the byte order of a scalar.
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
    /// Converts numbers, or parts of complex numbers, which are at these strides in `from` and `to`.
    pub(super) fn numbers(&self, from: &[u8], to: &mut [u8], strides: Strides) {
        let group_bytes = |stride: usize| stride.max(1).saturating_mul(GROUP);
        for (from, to) in
            from.chunks(group_bytes(strides.0)).zip(to.chunks_mut(group_bytes(strides.1)))
        {
            let mut words = [0; GROUP];
            let count = to.len().div_ceil(strides.1.max(1));
            let words = words.get_mut(..count).unwrap_or_default();
            for_size!(self.from, load(from, strides.0, words));
            self.convert(words);
            for_size!(self.to, store(words, to, strides.1));
        }
    }

    /// Converts each word from the bits of `self.from` to the bits of `self.to`.
    // Casts drop only zeros or copies of the sign bit: `Convert::new` refuses all other conversions.
    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss)]
    fn convert(&self, words: &mut [u64]) {
        let size = self.from.swap_unit();
        let is_float =
            |scalar: Scalar| matches!(scalar.kind(), ScalarKind::Float | ScalarKind::Complex);
        match (self.from.kind(), size) {
            (ScalarKind::Bool, _) => map(words, |n| u64::from(n != 0)),
            (ScalarKind::Int, 1) => map(words, |n| i64::from(n as i8).cast_unsigned()),
            (ScalarKind::Int, 2) => map(words, |n| i64::from(n as i16).cast_unsigned()),
            (ScalarKind::Int, 4) => map(words, |n| i64::from(n as i32).cast_unsigned()),
            (ScalarKind::Float | ScalarKind::Complex, 2) => {
                map(words, |n| f64::from(half(n as u16)).to_bits());
            }
            (ScalarKind::Float | ScalarKind::Complex, 4) => {
                map(words, |n| f64::from(f32::from_bits(n as u32)).to_bits());
            }
            _ => {}
        }
        if is_float(self.to) {
            if !is_float(self.from) {
                map(words, |n| (n.cast_signed() as f64).to_bits());
            }
            match self.to.swap_unit() {
                2 => map(words, |n| u64::from(to_half(f64::from_bits(n)))),
                4 => map(words, |n| u64::from((f64::from_bits(n) as f32).to_bits())),
                _ => {}
            }
        }
    }
}

fn map(words: &mut [u64], f: impl Fn(u64) -> u64) {
    words.iter_mut().for_each(|n| *n = f(*n));
}

/// Reads numbers that are this stride apart.
fn load<const N: usize, const BIG: bool>(from: &[u8], stride: usize, words: &mut [u64]) {
    let number = |bytes: &[u8; N]| {
        let mut word = [0; 8];
        let part = if BIG { word.last_chunk_mut() } else { word.first_chunk_mut() };
        if let Some(part) = part {
            *part = *bytes;
        }
        if BIG { u64::from_be_bytes(word) } else { u64::from_le_bytes(word) }
    };
    if stride == N {
        // Without gaps, the compiler can load several at once.
        let numbers = from.as_chunks::<N>().0.iter().zip(words);
        return numbers.for_each(|(bytes, word)| *word = number(bytes));
    }
    for (item, word) in from.chunks(stride.max(1)).zip(words) {
        if let Some(bytes) = item.first_chunk() {
            *word = number(bytes);
        }
    }
}

/// Writes numbers that are this stride apart.
fn store<const N: usize, const BIG: bool>(words: &[u64], to: &mut [u8], stride: usize) {
    let bytes = |word: u64| {
        let (big, little) = (word.to_be_bytes(), word.to_le_bytes());
        if BIG { big.last_chunk::<N>().copied() } else { little.first_chunk::<N>().copied() }
    };
    if stride == N {
        let numbers = to.as_chunks_mut::<N>().0.iter_mut().zip(words);
        return numbers.for_each(|(to, word)| *to = bytes(*word).unwrap_or([0; N]));
    }
    for (item, word) in to.chunks_mut(stride.max(1)).zip(words) {
        if let Some((to, bytes)) = item.first_chunk_mut().zip(bytes(*word)) {
            *to = bytes;
        }
    }
}
