//! Converts numbers in groups. Each number passes through a 64-bit word, so one loop per size is enough, instead of one per pair of sizes.

use super::{Strides, half, is_big, to_half};
use crate::checked;
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

/// The type of the number in a word.
#[derive(Clone, Copy, PartialEq)]
enum Word {
    /// A `u64`.
    Unsigned,
    /// An `i64`.
    Signed,
    /// The bits of an `f64`.
    Float,
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
            let words = checked::slice_mut(&mut words, 0..count);
            for_size!(self.from, load(from, strides.0, words));
            let word = widen(words, self.from);
            narrow(words, word, self.to);
            for_size!(self.to, store(words, to, strides.1));
        }
    }

    /// Returns the index of the first number that `to` cannot hold. Of complex numbers, only the first part is looked at.
    pub(super) fn first_misfit(&self, from: &[u8], stride: usize) -> Option<usize> {
        let group_bytes = stride.max(1).saturating_mul(GROUP);
        for (group, from) in from.chunks(group_bytes).enumerate() {
            let mut words = [0; GROUP];
            let count = from.len().div_ceil(stride.max(1));
            let words = checked::slice_mut(&mut words, 0..count);
            for_size!(self.from, load(from, stride, words));
            let word = widen(words, self.from);
            if let Some(i) = words.iter().position(|&n| !fits(n, word, self.to)) {
                return Some(group.saturating_mul(GROUP).saturating_add(i));
            }
        }
        None
    }
}

/// Returns the text of a number.
pub(super) fn text(bytes: &[u8], scalar: Scalar) -> String {
    let mut words = [0];
    for_size!(scalar, load(bytes, scalar.swap_unit(), &mut words));
    let word = widen(&mut words, scalar);
    let [number] = words;
    match word {
        Word::Unsigned if scalar.kind() == ScalarKind::Bool => (number != 0).to_string(),
        Word::Unsigned => number.to_string(),
        Word::Signed => number.cast_signed().to_string(),
        Word::Float => format!("{:?}", f64::from_bits(number)),
    }
}

/// Widens each number to 64 bits.
#[expect(clippy::cast_possible_truncation, reason = "the higher bits of a word are zero")]
fn widen(words: &mut [u64], from: Scalar) -> Word {
    match (from.kind(), from.swap_unit()) {
        (ScalarKind::Int, 1) => map(words, |n| i64::from(n as i8).cast_unsigned()),
        (ScalarKind::Int, 2) => map(words, |n| i64::from(n as i16).cast_unsigned()),
        (ScalarKind::Int, 4) => map(words, |n| i64::from(n as i32).cast_unsigned()),
        (ScalarKind::Bool, _) => map(words, |n| u64::from(n != 0)),
        (ScalarKind::Float | ScalarKind::Complex, 2) => {
            map(words, |n| f64::from(half(n as u16)).to_bits());
        }
        (ScalarKind::Float | ScalarKind::Complex, 4) => {
            map(words, |n| f64::from(f32::from_bits(n as u32)).to_bits());
        }
        _ => {}
    }
    match from.kind() {
        ScalarKind::Float | ScalarKind::Complex => Word::Float,
        ScalarKind::Int => Word::Signed,
        _ => Word::Unsigned,
    }
}

/// Converts each word to the bits of a scalar, as Rust's `as` does. Storing it drops the higher bits.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "the result is defined as that of `as`"
)]
fn narrow(words: &mut [u64], word: Word, to: Scalar) {
    let float = f64::from_bits;
    match (word, to.kind(), to.swap_unit()) {
        (Word::Float, ScalarKind::Bool, _) => map(words, |n| u64::from(float(n) != 0.0)),
        (_, ScalarKind::Bool, _) => map(words, |n| u64::from(n != 0)),
        (Word::Float, ScalarKind::Int, 1) => map(words, |n| (float(n) as i8) as u64),
        (Word::Float, ScalarKind::Int, 2) => map(words, |n| (float(n) as i16) as u64),
        (Word::Float, ScalarKind::Int, 4) => map(words, |n| (float(n) as i32) as u64),
        (Word::Float, ScalarKind::Int, _) => map(words, |n| (float(n) as i64) as u64),
        (Word::Float, ScalarKind::UInt, 1) => map(words, |n| u64::from(float(n) as u8)),
        (Word::Float, ScalarKind::UInt, 2) => map(words, |n| u64::from(float(n) as u16)),
        (Word::Float, ScalarKind::UInt, 4) => map(words, |n| u64::from(float(n) as u32)),
        (Word::Float, ScalarKind::UInt, _) => map(words, |n| float(n) as u64),
        (_, ScalarKind::Int | ScalarKind::UInt, _) => {}
        (Word::Float, _, 4) => map(words, |n| u64::from((float(n) as f32).to_bits())),
        (Word::Signed, _, 4) => map(words, |n| u64::from((n.cast_signed() as f32).to_bits())),
        (Word::Unsigned, _, 4) => map(words, |n| u64::from((n as f32).to_bits())),
        (Word::Float, _, 2) => map(words, |n| u64::from(to_half(float(n)))),
        // An `f64` rounds only integers over 2⁵³, which become an infinity in any case; so no number is rounded twice.
        (Word::Signed, _, 2) => map(words, |n| u64::from(to_half(n.cast_signed() as f64))),
        (Word::Unsigned, _, 2) => map(words, |n| u64::from(to_half(n as f64))),
        (Word::Float, _, _) => {}
        (Word::Signed, _, _) => map(words, |n| (n.cast_signed() as f64).to_bits()),
        (Word::Unsigned, _, _) => map(words, |n| (n as f64).to_bits()),
    }
}

/// Returns true if a scalar can hold the number; a float may round it.
fn fits(n: u64, word: Word, to: Scalar) -> bool {
    let mut converted = [n];
    narrow(&mut converted, word, to);
    let [bits] = converted;
    let float = f64::from_bits(n);
    match to.kind() {
        ScalarKind::Bool => match word {
            Word::Float => float == 0.0 || float == 1.0,
            _ => n <= 1,
        },
        ScalarKind::Int | ScalarKind::UInt => {
            let wide: i128 = match word {
                Word::Unsigned => n.into(),
                Word::Signed => n.cast_signed().into(),
                Word::Float => match exact(float) {
                    Some(number) => number,
                    None => return false,
                },
            };
            in_range(wide, to)
        }
        _ => {
            let is_finite = match to.swap_unit() {
                2 => bits & 0x7c00 != 0x7c00,
                4 => bits & 0x7f80_0000 != 0x7f80_0000,
                _ => true,
            };
            is_finite || (word == Word::Float && !float.is_finite())
        }
    }
}

/// Returns the integer that is equal to a float, if there is one and it is below 10²⁰, which is more than 64 bits hold.
#[expect(clippy::cast_possible_truncation, reason = "the range is checked before")]
fn exact(float: f64) -> Option<i128> {
    (float.abs() < 1e20 && float.trunc() == float).then_some(float as i128)
}

/// Returns true if an integer scalar can hold the number.
fn in_range(number: i128, to: Scalar) -> bool {
    let bits = u32::try_from(to.itemsize()).unwrap_or(8).saturating_mul(8);
    let (below, above) = match to.kind() {
        ScalarKind::UInt => (0, bits),
        _ => (1, bits.saturating_sub(1)),
    };
    let end = 1i128.checked_shl(above).unwrap_or(i128::MAX);
    let start = if below == 0 { 0 } else { end.saturating_neg() };
    (start..end).contains(&number)
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
