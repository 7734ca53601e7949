//! Converts scalars to wider ones that represent every value exactly.

mod widen;

use std::iter;

use super::Strides;
use crate::dtype::{ByteOrder, Scalar, ScalarKind};
use crate::plan::convert::{Convert, is_long};

impl Convert {
    /// Converts scalars that are these strides apart.
    pub(super) fn run(&self, from: &[u8], to: &mut [u8], strides: Strides) {
        match (self.from.kind(), self.to.kind()) {
            (ScalarKind::Bytes | ScalarKind::Str, _) => {
                self.each(from, to, strides, |from, to| self.text(from, to));
            }
            _ if is_long(self.from) => {
                self.each(from, to, strides, |from, to| self.long(from, to));
            }
            (ScalarKind::Complex, _) => {
                self.numbers(from, to, strides);
                let second = from.get(self.from.swap_unit()..).unwrap_or_default();
                let to = to.get_mut(self.to.swap_unit()..).unwrap_or_default();
                self.numbers(second, to, strides);
            }
            (_, ScalarKind::Complex) => {
                // Sets all bytes of each number to zero, for the imaginary parts; then writes the real parts.
                self.each(from, to, strides, |_, to| to.fill(0));
                self.numbers(from, to, strides);
            }
            _ => self.numbers(from, to, strides),
        }
    }

    /// Calls `convert` for each scalar.
    fn each(
        &self,
        from: &[u8],
        to: &mut [u8],
        strides: Strides,
        convert: impl Fn(&[u8], &mut [u8]),
    ) {
        super::pairs(from, to, strides, |from, to| {
            let from = from.get(..self.from.itemsize());
            let to = to.get_mut(..self.to.itemsize());
            if let Some((from, to)) = from.zip(to) {
                convert(from, to);
            }
        });
    }

    /// Copies text, and pads it with zeros.
    fn text(&self, from: &[u8], to: &mut [u8]) {
        if let Some((text, rest)) = to.split_at_mut_checked(from.len()) {
            text.copy_from_slice(from);
            rest.fill(0);
            if self.from.byte_order() != self.to.byte_order() {
                super::swap_each(text, from.len(), from.len(), self.from.swap_unit());
            }
        }
    }

    /// Copies a long double, or both parts of a complex one, and pads each with zeros.
    fn long(&self, from: &[u8], to: &mut [u8]) {
        let (from_part, to_part) = (self.from.swap_unit(), self.to.swap_unit());
        let parts = from.chunks_exact(from_part.max(1)).zip(to.chunks_exact_mut(to_part.max(1)));
        let [from_big, to_big] = [self.from, self.to].map(is_big);
        parts.for_each(|(from, to)| {
            if from_big { write(from.iter().rev(), to, to_big) } else { write(from, to, to_big) }
        });
    }
}

fn is_big(scalar: Scalar) -> bool {
    scalar.byte_order() == Some(ByteOrder::Big)
}

/// Reads an unsigned number of up to eight bytes.
pub(crate) fn raw(bytes: &[u8], big: bool) -> u64 {
    let push = |n: u64, &byte: &u8| (n << 8) | u64::from(byte);
    if big { bytes.iter().fold(0, push) } else { bytes.iter().rev().fold(0, push) }
}

/// Reads a signed number of up to eight bytes.
pub(crate) fn signed(bytes: &[u8], big: bool) -> i64 {
    let highest = if big { bytes.first() } else { bytes.last() };
    let sign = if highest.is_some_and(|byte| byte & 0x80 != 0) { 0xff } else { 0 };
    let mut little = [sign; 8];
    write(bytes, little.get_mut(..bytes.len()).unwrap_or_default(), big);
    i64::from_le_bytes(little)
}

/// Copies the bytes of a number to `to`, truncated or padded with zeros at the end, and reverses `to` if `big`: so a little-endian number
/// becomes a big-endian one. (For bytes that fill `to`, it also converts back.)
fn write<'b>(little: impl IntoIterator<Item = &'b u8>, to: &mut [u8], big: bool) {
    let bytes = little.into_iter().copied().chain(iter::repeat(0));
    to.iter_mut().zip(bytes).for_each(|(slot, byte)| *slot = byte);
    if big {
        to.reverse();
    }
}

/// Converts an IEEE 754 number of half precision.
pub(crate) fn half(bits: u16) -> f32 {
    /// The value of the lowest bit, 2⁻²⁴.
    const LOWEST: f32 = f32::from_bits((127 - 24) << 23);
    let rest = u32::from(bits & 0x7fff) << 13;
    let size = match bits & 0x7c00 {
        0 => (f32::from(bits & 0x3ff) * LOWEST).to_bits(),
        0x7c00 => rest | 0x7f80_0000,
        // The exponent has a bias of 15 instead of 127.
        _ => rest.wrapping_add((127 - 15) << 23),
    };
    f32::from_bits(size | u32::from(bits & 0x8000) << 16)
}

/// Converts an integer of at most eleven bits to half precision, which represents it exactly.
fn to_half(value: f64) -> u16 {
    let bits = value.to_bits();
    // The sign, an exponent of five bits and bias 15 (from eleven bits and bias 1023), and the first ten bits of the fraction.
    let sign = (bits >> 48) & 0x8000;
    let rest = if value == 0.0 { 0 } else { (bits >> 42).wrapping_sub(1008 << 10) & 0x7fff };
    u16::try_from(sign | rest).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;

    fn scalar(text: &str) -> Scalar {
        *text.parse::<DType>().unwrap().scalar().unwrap()
    }

    fn convert(from: &str, to: &str, bytes: &[u8]) -> Vec<u8> {
        let (from, to) = (scalar(from), scalar(to));
        let mut out = vec![0xaa; to.itemsize()];
        Convert::new(from, to).unwrap().run(bytes, &mut out, (from.itemsize(), to.itemsize()));
        out
    }

    #[test]
    fn a_converted_scalar_has_the_same_value() {
        assert_eq!(convert("|i1", "<i4", &[0xfe]), (-2i32).to_le_bytes());
        assert_eq!(convert(">i2", ">i8", &(-300i16).to_be_bytes()), (-300i64).to_be_bytes());
        assert_eq!(
            convert("<u4", "<f8", &u32::MAX.to_le_bytes()),
            f64::from(u32::MAX).to_le_bytes()
        );
        assert_eq!(convert("|b1", "<f4", &[7]), 1f32.to_le_bytes());
        assert_eq!(
            convert(">f4", "<f8", &(-0.1f32).to_be_bytes()),
            f64::from(-0.1f32).to_le_bytes()
        );
        assert_eq!(
            convert("<f4", "<c8", &2.5f32.to_le_bytes()),
            [2.5f32.to_le_bytes(), [0; 4]].concat()
        );
        assert_eq!(convert("|S2", "|S4", b"ab"), b"ab\0\0");
        assert_eq!(convert(">U1", "<U2", &[0, 0, 0, b'x']), [b'x', 0, 0, 0, 0, 0, 0, 0]);
    }

    /// Guards the boundaries between groups of numbers, and the last number, which has no gap after it.
    #[test]
    fn many_scalars_convert_like_single_ones_at_any_stride() {
        const MANY: usize = 150;
        let pairs = [
            ("|b1", ">f2"),
            ("|i1", "<i8"),
            ("<i2", ">i4"),
            (">u4", "<f8"),
            (">f2", "<c8"),
            ("<f4", "<f8"),
            (">c8", "<c16"),
            ("|S3", "|S5"),
            (">U1", "<U2"),
            (">f12", "<f16"),
        ];
        for (from_dtype, to_dtype) in pairs {
            let [from, to] = [from_dtype, to_dtype].map(|text| scalar(text).itemsize());
            for gap in [0, 3] {
                let strides = (from + gap, to + gap);
                let length = |stride, size| (MANY - 1) * stride + size;
                let bytes: Vec<u8> = (0..61).cycle().take(length(strides.0, from)).collect();
                let mut many = vec![0xaa; length(strides.1, to)];
                let convert = Convert::new(scalar(from_dtype), scalar(to_dtype)).unwrap();
                convert.run(&bytes, &mut many, strides);
                for i in 0..MANY {
                    let one = self::convert(from_dtype, to_dtype, &bytes[i * strides.0..][..from]);
                    let at = i * strides.1;
                    assert_eq!(many[at..][..to], one, "{from_dtype} {to_dtype}: {i}");
                    let gap = many.get(at + to..at + strides.1).unwrap_or_default();
                    assert!(gap.iter().all(|&byte| byte == 0xaa), "{from_dtype} {to_dtype}: {i}");
                }
            }
        }
    }

    #[test]
    fn halves_are_widened_exactly() {
        for (bits, value) in [
            (0x3c00u16, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0001, 5.960_464_477_539_063e-8),
            (0x0400, 6.103_515_625e-5),
            (0x8000, -0.0),
            (0x7c00, f64::INFINITY),
            (0x3555, 0.333_251_953_125),
        ] {
            assert_eq!(f64::from(half(bits)).to_bits(), value.to_bits(), "{bits:#x}");
        }
        // A NaN keeps its sign and its payload.
        assert_eq!([0x7e00, 0xfd55].map(|bits| half(bits).to_bits()), [0x7fc0_0000, 0xffaa_a000]);
    }

    #[test]
    fn small_integers_survive_conversion_to_half_and_back() {
        for n in i8::MIN..=i8::MAX {
            let bytes = convert("|i1", ">f2", &n.to_le_bytes());
            let bits = u16::from_be_bytes(bytes.try_into().unwrap());
            assert_eq!(half(bits).to_bits(), f32::from(n).to_bits(), "{n}");
        }
        assert_eq!(convert("|u1", "<f2", &[255]), 0x5bf8u16.to_le_bytes());
        assert_eq!(convert("|b1", "<f2", &[1]), 0x3c00u16.to_le_bytes());
    }

    #[test]
    fn long_doubles_move_to_wider_slots() {
        let twelve: Vec<u8> = (1..=12).collect();
        let widened = [&twelve[..], &[0; 4]].concat();
        let reversed = |bytes: &[u8]| bytes.iter().rev().copied().collect::<Vec<u8>>();
        assert_eq!(convert("<f12", "<f16", &twelve), widened);
        assert_eq!(convert(">f12", "<f16", &reversed(&twelve)), widened);
        assert_eq!(convert("<f12", ">f16", &twelve), reversed(&widened));
        let two = [&twelve[..], &twelve[..]].concat();
        assert_eq!(convert("<c24", "<c32", &two), [&widened[..], &widened[..]].concat());
    }
}
