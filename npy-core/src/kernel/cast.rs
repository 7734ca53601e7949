//! Converts scalars, and finds those that do not fit.

mod number;

use std::iter;

use super::Strides;
use crate::calendar::{self, NAT};
use crate::checked;
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
            (ScalarKind::DateTime(_) | ScalarKind::TimeDelta(_), _) => {
                self.each(from, to, strides, |from, to| {
                    let count = self.rescaled(from).unwrap_or(NAT);
                    write(&count.to_le_bytes(), to, is_big(self.to));
                });
            }
            (ScalarKind::Complex, ScalarKind::Bool) => {
                self.each(from, to, strides, |from, to| {
                    let (re, im) = from.split_at(from.len() / 2);
                    let is_true = !self.is_zero(re) || !self.is_zero(im);
                    to.fill(u8::from(is_true));
                });
            }
            (ScalarKind::Complex, ScalarKind::Complex) => {
                self.numbers(from, to, strides);
                let second = checked::tail(from, self.from.swap_unit());
                let to = checked::tail_mut(to, self.to.swap_unit());
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
            let from = checked::slice(from, 0..self.from.itemsize());
            convert(from, checked::slice_mut(to, 0..self.to.itemsize()));
        });
    }

    /// Returns the index of the first scalar at this stride that `to` cannot hold.
    pub(super) fn misfit(&self, from: &[u8], stride: usize) -> Option<usize> {
        let stride = stride.max(1);
        let first = |fits: &dyn Fn(&[u8]) -> bool| {
            let scalars =
                from.chunks(stride).map(|item| checked::slice(item, 0..self.from.itemsize()));
            scalars.enumerate().find_map(|(i, scalar)| (!fits(scalar)).then_some(i))
        };
        match (self.from.kind(), self.to.kind()) {
            (ScalarKind::Bytes | ScalarKind::Str, _) => {
                first(&|text| checked::tail(text, self.to.itemsize()).iter().all(|&byte| byte == 0))
            }
            (ScalarKind::DateTime(_) | ScalarKind::TimeDelta(_), _) => {
                first(&|count| self.rescaled(count).is_some())
            }
            (ScalarKind::Complex, ScalarKind::Complex) => {
                let second = checked::tail(from, self.from.swap_unit());
                let parts = [self.first_misfit(from, stride), self.first_misfit(second, stride)];
                parts.into_iter().flatten().min()
            }
            (ScalarKind::Complex, _) => {
                let is_real = |number: &[u8]| self.is_zero(checked::tail(number, number.len() / 2));
                [first(&is_real), self.first_misfit(from, stride)].into_iter().flatten().min()
            }
            _ => self.first_misfit(from, stride),
        }
    }

    /// Returns the text of the number that is made of this one.
    pub(crate) fn converted_text(&self, number: &[u8]) -> String {
        let mut converted = vec![0; self.to.itemsize()];
        self.run(number, &mut converted, (self.from.itemsize(), self.to.itemsize()));
        text_of(&converted, self.to)
    }

    /// Converts a time; `None` if it does not fit.
    fn rescaled(&self, count: &[u8]) -> Option<i64> {
        let count = signed(count, is_big(self.from));
        let (from, to, is_date) = match (self.from.kind(), self.to.kind()) {
            (ScalarKind::DateTime(from), ScalarKind::DateTime(to)) => (from?, to?, true),
            (ScalarKind::TimeDelta(from), ScalarKind::TimeDelta(to)) => (from?, to?, false),
            _ => return None,
        };
        let divide = if self.cuts { i128::checked_div_euclid } else { calendar::exact_div };
        calendar::rescaled(count, from, to, is_date, divide)
    }

    /// Returns true if a part of a complex number is zero, of any sign.
    fn is_zero(&self, part: &[u8]) -> bool {
        let (last, rest) = match is_big(self.from) {
            true => (part.first(), part.get(1..)),
            false => (part.last(), part.split_last().map(|(_, rest)| rest)),
        };
        last.is_none_or(|last| last & 0x7f == 0)
            && rest.unwrap_or_default().iter().all(|&byte| byte == 0)
    }

    /// Copies text, and shortens it or pads it with zeros.
    fn text(&self, from: &[u8], to: &mut [u8]) {
        let (text, rest) = to.split_at_mut(from.len().min(to.len()));
        text.copy_from_slice(checked::slice(from, 0..text.len()));
        rest.fill(0);
        if self.from.byte_order() != self.to.byte_order() {
            let bytes = text.len();
            super::swap_each(text, bytes, bytes, self.from.swap_unit());
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

/// Returns the text of a number.
pub(crate) fn text_of(number: &[u8], scalar: Scalar) -> String {
    match number.split_at_checked(scalar.swap_unit()) {
        Some((re, im)) if scalar.kind() == ScalarKind::Complex => {
            let [re, im] = [re, im].map(|part| number::text(part, scalar));
            let sign = if im.starts_with('-') { "" } else { "+" };
            format!("({re}{sign}{im}j)")
        }
        _ => number::text(number, scalar),
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
    write(bytes, checked::slice_mut(&mut little, 0..bytes.len()), big);
    i64::from_le_bytes(little)
}

/// Copies the bytes of a number to `to`, truncated or padded with zeros at the end. Then reverses `to` if `big`: a little-endian number
/// becomes a big-endian one, and a big-endian number that fills `to` becomes a little-endian one.
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

/// Converts a number to half precision: the nearest, ties to even, and an infinity if it is too large.
// The shift is less than 64, and all sums are small.
#[expect(clippy::arithmetic_side_effects)]
pub(crate) fn to_half(value: f64) -> u16 {
    let bits = value.to_bits();
    let sign: u16 = checked::narrow(bits >> 48 & 0x8000);
    // The exponent of a half, which has a bias of 15 instead of 1023.
    let exponent = (bits >> 52 & 0x7ff).cast_signed() - 1023 + 15;
    let fraction = bits & ((1 << 52) - 1);
    if value.is_nan() {
        // A quiet NaN, with the highest bits of the payload.
        return sign | 0x7e00 | checked::narrow::<u64, u16>(fraction >> 42);
    }
    if exponent >= 31 {
        return sign | 0x7c00;
    }
    // A subnormal half loses one more bit of the significand for each step of the exponent below one.
    let lost = (43 - exponent).clamp(42, 63);
    let significand = if exponent > 0 { fraction } else { fraction | 1 << 52 };
    let (kept, rest) = (significand >> lost, significand & ((1 << lost) - 1));
    let half = 1 << (lost - 1);
    let up = rest > half || (rest == half && kept & 1 == 1);
    // A carry adds one to the exponent, up to that of an infinity.
    let before = exponent.max(0).cast_unsigned() << 10;
    sign | checked::narrow::<u64, u16>(before + kept + u64::from(up))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::plan::Cast;

    fn scalar(text: &str) -> Scalar {
        *text.parse::<DType>().unwrap().scalar().unwrap()
    }

    fn convert(from: &str, to: &str, bytes: &[u8]) -> Vec<u8> {
        let (from, to) = (scalar(from), scalar(to));
        let mut out = vec![0xaa; to.itemsize()];
        Convert::new(from, to, Cast::Numeric).unwrap().run(
            bytes,
            &mut out,
            (from.itemsize(), to.itemsize()),
        );
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
                let convert =
                    Convert::new(scalar(from_dtype), scalar(to_dtype), Cast::Numeric).unwrap();
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

    /// Guards each cell of the table in the docs of [`Cast::Numeric`].
    #[test]
    fn numbers_become_others_as_by_as() {
        let float = |number: f64, to| convert("<f8", to, &number.to_le_bytes());
        let cases = [
            (convert("<i2", "|u1", &300i16.to_le_bytes()), vec![44]),
            (convert(">i8", "|i1", &(-129i64).to_be_bytes()), vec![127]),
            (
                convert("<u8", "<f4", &u64::MAX.to_le_bytes()),
                (u64::MAX as f32).to_le_bytes().into(),
            ),
            (
                convert("<i8", ">f8", &i64::MIN.to_le_bytes()),
                (i64::MIN as f64).to_be_bytes().into(),
            ),
            (convert("<u2", "<f2", &65535u16.to_le_bytes()), 0x7c00u16.to_le_bytes().into()),
            (float(-1.9, "<i4"), (-1i32).to_le_bytes().into()),
            (float(1e9, "<i2"), i16::MAX.to_le_bytes().into()),
            (float(-5.0, "<u8"), vec![0; 8]),
            (float(f64::NAN, "<i8"), vec![0; 8]),
            (float(f64::INFINITY, "<u4"), u32::MAX.to_le_bytes().into()),
            (float(0.1, "<f4"), 0.1f32.to_le_bytes().into()),
            (float(1e300, ">f4"), f32::INFINITY.to_be_bytes().into()),
            (float(f64::NAN, "|b1"), vec![1]),
            (float(-0.0, "|b1"), vec![0]),
            (float(2.5, "<c8"), [2.5f32.to_le_bytes(), [0; 4]].concat()),
            (
                convert("<c8", "<f8", &[[0, 0, 0x80, 0x3f], [9; 4]].concat()),
                1f64.to_le_bytes().into(),
            ),
            (convert("<c8", "|i1", &[[0, 0, 0x80, 0xbf], [9; 4]].concat()), vec![0xff]),
            (convert(">c16", "|b1", &[0; 16]), vec![0]),
            (convert("<c8", "|b1", &[[0; 4], [0, 0, 0x80, 0x3f]].concat()), vec![1]),
            (convert("<c8", "|b1", &[[0; 4], [0, 0, 0, 0x80]].concat()), vec![0]),
            (convert("|b1", "<c16", &[2]), [1f64.to_le_bytes(), [0; 8]].concat()),
        ];
        for (i, (found, expected)) in cases.into_iter().enumerate() {
            assert_eq!(found, expected, "case {i}");
        }
    }

    /// Guards which values fit, at the ends of the ranges.
    #[test]
    fn values_that_do_not_fit_are_found() {
        fn misfit(from: &str, to: &str, bytes: &[u8]) -> Option<usize> {
            let (from, to) = (scalar(from), scalar(to));
            Convert::new(from, to, Cast::Checked).unwrap().misfit(bytes, from.itemsize())
        }
        fn floats(to: &str, floats: &[f64]) -> Option<usize> {
            misfit("<f8", to, &floats.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>())
        }
        fn integers(to: &str, integers: &[i64]) -> Option<usize> {
            misfit(">i8", to, &integers.iter().flat_map(|n| n.to_be_bytes()).collect::<Vec<u8>>())
        }
        assert_eq!(integers("|i1", &[-128, 127, 128]), Some(2));
        assert_eq!(integers("|i1", &[-129]), Some(0));
        assert_eq!(integers("<u8", &[0, i64::MAX, -1]), Some(2));
        assert_eq!(integers("<u4", &[u32::MAX.into(), 1 << 32]), Some(1));
        assert_eq!(integers("|b1", &[0, 1, -1]), Some(2));
        assert_eq!(integers("<f2", &[65519, 65520]), Some(1));
        assert_eq!(misfit("<u8", "<i8", &u64::MAX.to_le_bytes()), Some(0));
        assert_eq!(
            floats("<i8", &[-9_223_372_036_854_775_808.0, 9_223_372_036_854_775_808.0]),
            Some(1)
        );
        assert_eq!(
            floats("<u8", &[-0.0, 18_446_744_073_709_549_568.0, 18_446_744_073_709_551_616.0]),
            Some(2)
        );
        for misfit in [0.5, f64::NAN, f64::INFINITY, 1e300, -1.0] {
            assert_eq!(floats("|u1", &[255.0, misfit]), Some(1), "{misfit}");
        }
        assert_eq!(floats("|b1", &[1.0, -0.0, 0.5]), Some(2));
        assert_eq!(floats("<f4", &[0.1, f64::NAN, f64::INFINITY, 3.4e38, 3.5e38]), Some(4));
        assert_eq!(floats("<f2", &[f64::NEG_INFINITY, 65519.0, 65520.0]), Some(2));
        let complex = [0f32, 0.0, 1.0, -0.0, 2.0, 1.0].map(f32::to_le_bytes).concat();
        assert_eq!(misfit("<c8", "<f8", &complex), Some(2));
        assert_eq!(misfit("<c8", "|b1", &complex), Some(2));
        let complex = [1.0, 1e300, 1e300, 0.0].map(f64::to_be_bytes).concat();
        assert_eq!(misfit(">c16", "<c8", &complex), Some(0));
        assert_eq!(misfit("|S3", "|S1", b"a\0\0bc\0"), Some(1));
        assert_eq!(
            misfit("<M8[D]", "<M8[ns]", &[1, i64::MIN, 106_752].map(i64::to_le_bytes).concat()),
            Some(2)
        );
        assert_eq!(
            misfit("<M8[ns]", "<M8[us]", &[i64::MIN, -1000, 1].map(i64::to_le_bytes).concat()),
            Some(2)
        );
        assert_eq!(
            misfit("<M8[D]", "<M8[M]", &[31, 59, 60].map(i64::to_le_bytes).concat()),
            Some(2)
        );
    }

    #[test]
    fn a_half_is_the_nearest() {
        for (value, bits) in [
            (65519.9, 0x7bff),
            (65520.0, 0x7c00),
            (1e300, 0x7c00),
            (-1.0, 0xbc00),
            (1.000_488_281_25, 0x3c00),
            (1.000_488_281_250_1, 0x3c01),
            (1.001_464_843_75, 0x3c02),
            (0.000_060_975, 0x03ff),
            (6.102e-5, 0x0400),
            (2.980_232_238_769_531_3e-8, 0x0000),
            (2.980_232_238_769_532e-8, 0x0001),
            (-1e-300, 0x8000),
            (5e-324, 0x0000),
        ] {
            assert_eq!(to_half(value), bits, "{value}");
        }
        assert!((0..=u16::MAX).all(|bits| {
            let is_nan = bits & 0x7c00 == 0x7c00 && bits & 0x3ff != 0;
            is_nan || to_half(half(bits).into()) == bits
        }));
        assert_eq!(to_half(f64::NAN), 0x7e00);
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
