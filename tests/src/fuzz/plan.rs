//! A random dtype to a random dtype: a plan gives the same result as an interpreter that converts one scalar at a time.

use npy_core::dtype::{Scalar, ScalarKind};
use npy_core::{ByteOrder, DType, DynArray, Order};

use super::choices::Choices;

pub(super) fn run(input: &[u8]) {
    let mut choices = Choices(input);
    let from: DType = record(&mut choices, 3).parse().expect("a dtype");
    let to: DType = match choices.below(8) {
        0 => from.clone(),
        1 => from.with_byte_order(ByteOrder::Little),
        2 => record(&mut choices, 3).parse().expect("a dtype"),
        _ => relaid(&mut choices, &from).parse().expect("a dtype"),
    };
    // Sometimes more than a block of 256 KiB.
    let large = choices.one_in(250);
    let count = choices.below(6);
    let count = if large { (260 << 10) / from.itemsize().max(1) + 1 } else { count };
    if from.itemsize().max(to.itemsize()) > 1 << 12 {
        return;
    }
    let count = if from.itemsize() == 0 { count.min(5) } else { count };
    let mut bytes = choices.bytes((count * from.itemsize()).min(4096));
    bytes = bytes.into_iter().cycle().take(count * from.itemsize()).collect();
    bytes.resize(count * from.itemsize(), 0);
    let array = DynArray::new(from.clone(), [count], Order::C, bytes.clone());
    let cast = array.expect("as many bytes as it takes").cast(&to);
    match cast {
        Ok(cast) => {
            assert!(fits(&from, &to), "{from} to {to} was not to be");
            assert_eq!(cast.as_bytes().len(), count * to.itemsize());
            for i in 0..count {
                let before = &bytes[i * from.itemsize()..][..from.itemsize()];
                let after = &cast.as_bytes()[i * to.itemsize()..][..to.itemsize()];
                assert_same(&from, &to, before, after);
            }
        }
        Err(error) => {
            let is_cut =
                |i: usize| is_cut(&from, &to, &bytes[i * from.itemsize()..][..from.itemsize()]);
            let expected = !fits(&from, &to) || (0..count).any(is_cut);
            assert!(expected, "{from} to {to}: {error}");
        }
    }
}

fn scalar(choices: &mut Choices<'_>) -> String {
    let order = choices.pick(&["<", ">"]);
    let ordered = [
        "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "f12", "f16", "c8", "c16", "c24",
        "c32", "U0", "U2", "U3", "M8[s]", "m8[ns]", "V2",
    ];
    let plain = ["|b1", "|i1", "|u1", "|S0", "|S3", "|S5", "|V0", "|V5"];
    if choices.below(3) == 0 {
        choices.pick(&plain).into()
    } else {
        format!("{order}{}", choices.pick(&ordered))
    }
}

/// Returns a descr: a scalar, a sub-array or a record.
fn descr(choices: &mut Choices<'_>, depth: usize) -> String {
    match choices.below(if depth == 0 { 1 } else { 4 }) {
        0 | 1 => format!("'{}'", scalar(choices)),
        2 => {
            let shape = choices.pick(&["(2,)", "(3, 2)", "(1,)", "(0,)", "()", "(11,)"]);
            format!("({}, {shape})", descr(choices, depth - 1))
        }
        _ => record(choices, depth),
    }
}

fn record(choices: &mut Choices<'_>, depth: usize) -> String {
    let fields: Vec<String> = (0..choices.below(5))
        .map(|i| {
            let padding = choices.below(6).saturating_sub(2);
            format!("('', '|V{padding}'), ('f{i}', {})", descr(choices, depth - 1))
        })
        .collect();
    format!(
        "[{}{}('', '|V{}')]",
        fields.join(", "),
        if fields.is_empty() { "" } else { ", " },
        choices.below(3)
    )
}

/// Returns the descr of a similar dtype: other byte orders, sizes and padding, and fewer fields in another order.
fn relaid(choices: &mut Choices<'_>, dtype: &DType) -> String {
    if choices.one_in(40) {
        return descr(choices, 1);
    }
    if let Some((base, shape)) = dtype.sub_array() {
        let dims: String = shape.iter().map(|n| format!("{n},")).collect();
        return format!("({}, ({dims}))", relaid(choices, base));
    }
    let Some(scalar) = dtype.scalar() else {
        let mut fields: Vec<_> = dtype.fields().iter().collect();
        for i in (1..fields.len()).rev() {
            fields.swap(i, choices.below(i + 1));
        }
        fields.truncate(choices.below(fields.len() + 1));
        let fields = fields.into_iter().map(|field| {
            let padding = choices.below(4);
            let descr = relaid(choices, field.dtype());
            format!("('', '|V{padding}'), ('{}', {descr})", field.name())
        });
        return format!("[{}]", fields.collect::<Vec<_>>().join(", "));
    };
    let wider: &[&str] = match scalar.kind() {
        ScalarKind::Bool | ScalarKind::Int | ScalarKind::UInt => {
            &["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16", "f16"]
        }
        ScalarKind::Float | ScalarKind::Complex => {
            &["f2", "f4", "f8", "c8", "c16", "f12", "f16", "c24", "c32"]
        }
        ScalarKind::Bytes => &["S0", "S2", "S5", "S9", "V5"],
        ScalarKind::Str => &["U0", "U2", "U3", "U7"],
        _ => &[],
    };
    let order = choices.pick(&["<", ">"]);
    if wider.is_empty() || choices.below(3) == 0 {
        let order = choices.pick(&[ByteOrder::Little, ByteOrder::Big]);
        return dtype.with_byte_order(order).descr();
    }
    format!("'{order}{}'", choices.pick(wider))
}

/// True if every value of `from` is a value of `to`, or a text that may be: an independent version of
/// [`Cast::Lossless`](npy_core::Cast::Lossless).
fn fits(from: &DType, to: &DType) -> bool {
    match (from.scalar(), to.scalar()) {
        (Some(from), Some(to)) => scalar_fits(*from, *to),
        (None, None) if from.is_record() && to.is_record() => to.fields().iter().all(|wanted| {
            let found = from.field(wanted.name());
            found.is_some_and(|found| fits(found.dtype(), wanted.dtype()))
        }),
        (None, None) => {
            let ((f, f_shape), (t, t_shape)) = (flat(from), flat(to));
            from.sub_array().is_some()
                && to.sub_array().is_some()
                && f_shape == t_shape
                && fits(f, t)
        }
        _ => false,
    }
}

/// Returns the base and all dimensions of nested sub-arrays.
fn flat(mut dtype: &DType) -> (&DType, Vec<usize>) {
    let mut dims = Vec::new();
    while let Some((base, shape)) = dtype.sub_array() {
        dims.extend(shape);
        dtype = base;
    }
    (dtype, dims)
}

fn scalar_fits(from: Scalar, to: Scalar) -> bool {
    use ScalarKind::{Bool, Bytes, Complex, Float, Int, Str, UInt};
    let (f, t) = (from.itemsize(), to.itemsize());
    if from.kind() == to.kind() && f == t {
        return true;
    }
    // The width in bits of the integers that a float, or a part of a complex number, represents exactly.
    let precision = |kind, size| match (kind, size) {
        (Float, 2) => Some(11),
        (Float, 4) | (Complex, 8) => Some(24),
        (Float, 8) | (Complex, 16) => Some(53),
        _ => None,
    };
    match (from.kind(), to.kind()) {
        (Bytes, Bytes) | (Str, Str) => t > 0,
        (Int, Int) | (UInt, UInt | Int) => f < t,
        (Bool, Int | UInt) => true,
        (Bool, Float | Complex) => precision(to.kind(), t).is_some(),
        (Int | UInt, Float | Complex) => precision(to.kind(), t).is_some_and(|bits| f * 8 <= bits),
        // Long doubles convert only to other long doubles.
        (Float, Float) | (Complex, Complex) => {
            let (from, to) = (precision(from.kind(), f), precision(to.kind(), t));
            f < t && from.is_some() == to.is_some()
        }
        (Float, Complex) => {
            let (from, to) = (precision(from.kind(), f), precision(to.kind(), t));
            matches!((from, to), (Some(from), Some(to)) if from <= to)
        }
        _ => false,
    }
}

/// True if a text of the item is longer than `to` can hold.
fn is_cut(from: &DType, to: &DType, item: &[u8]) -> bool {
    if let (Some(_), Some(to)) = (from.scalar(), to.scalar()) {
        let is_text = matches!(to.kind(), ScalarKind::Bytes | ScalarKind::Str);
        return is_text && item.iter().skip(to.itemsize()).any(|&byte| byte != 0);
    }
    if to.is_record() {
        return to.fields().iter().any(|wanted| {
            let found = from.field(wanted.name()).expect("it fits");
            let item = &item[found.offset()..][..found.dtype().itemsize()];
            is_cut(found.dtype(), wanted.dtype(), item)
        });
    }
    let ((f, shape), (t, _)) = (flat(from), flat(to));
    let count: usize = shape.iter().product();
    (0..count).any(|i| is_cut(f, t, &item[i * f.itemsize()..][..f.itemsize()]))
}

/// Asserts that both items hold the same values.
fn assert_same(from: &DType, to: &DType, before: &[u8], after: &[u8]) {
    if let (Some(f), Some(t)) = (from.scalar(), to.scalar()) {
        let same = if f.kind() == t.kind() && f.itemsize() == t.itemsize() {
            // Compares the bytes, those of a number in little-endian order.
            turned(*f, before) == turned(*t, after)
        } else {
            number(*f, before) == number(*t, after)
        };
        assert!(same, "{from} {before:?} became {to} {after:?}");
    } else if to.is_record() {
        for wanted in to.fields() {
            let found = from.field(wanted.name()).expect("it fits");
            assert_same(
                found.dtype(),
                wanted.dtype(),
                &before[found.offset()..][..found.dtype().itemsize()],
                &after[wanted.offset()..][..wanted.dtype().itemsize()],
            );
        }
    } else {
        let ((f, shape), (t, _)) = (flat(from), flat(to));
        for i in 0..shape.iter().product() {
            let before = &before[i * f.itemsize()..][..f.itemsize()];
            assert_same(f, t, before, &after[i * t.itemsize()..][..t.itemsize()]);
        }
    }
}

/// Returns the bytes with each number in little-endian order.
fn turned(scalar: Scalar, bytes: &[u8]) -> Vec<u8> {
    let unit = match scalar.kind() {
        ScalarKind::Complex => bytes.len() / 2,
        ScalarKind::Str => 4,
        ScalarKind::Bool | ScalarKind::Bytes | ScalarKind::Object => 1,
        _ => bytes.len(),
    };
    let mut bytes = bytes.to_vec();
    if scalar.byte_order() == Some(ByteOrder::Big) {
        bytes.chunks_mut(unit.max(1)).for_each(<[u8]>::reverse);
    }
    bytes
}

/// The value of a scalar, whatever its size.
#[derive(PartialEq, Debug)]
enum Number {
    /// The real and the imaginary part; also an integer that is small enough to be exact as a float.
    Float(Float, Float),
    Int(i128),
    Bytes(Vec<u8>),
}

/// A float for which all NaNs are equal, and the two zeros are not.
#[derive(PartialEq, Debug)]
enum Float {
    Nan,
    Bits(u64),
}

fn float(value: f64) -> Float {
    if value.is_nan() { Float::Nan } else { Float::Bits(value.to_bits()) }
}

fn number(scalar: Scalar, bytes: &[u8]) -> Number {
    let bytes = turned(scalar, bytes);
    let unsigned = |bytes: &[u8]| bytes.iter().rev().fold(0_i128, |n, &b| n << 8 | i128::from(b));
    // Uses one form for equal numbers: a float if it is certainly exact.
    let int = |n: i128| {
        if n.abs() < 1 << 53 { Number::Float(float(n as f64), float(0.0)) } else { Number::Int(n) }
    };
    let trimmed = || {
        let zeros = bytes.iter().rev().take_while(|&&byte| byte == 0).count();
        Number::Bytes(bytes[..bytes.len() - zeros].to_vec())
    };
    match scalar.kind() {
        ScalarKind::Bool => int(i128::from(bytes != [0])),
        ScalarKind::UInt => int(unsigned(&bytes)),
        ScalarKind::Int => {
            let n = unsigned(&bytes);
            let bits = 8 * bytes.len();
            int(if n >> (bits - 1) == 1 { n - (1 << bits) } else { n })
        }
        ScalarKind::Float if bytes.len() <= 8 => Number::Float(float(ieee(&bytes)), float(0.0)),
        ScalarKind::Complex if bytes.len() <= 16 => {
            let (re, im) = bytes.split_at(bytes.len() / 2);
            Number::Float(float(ieee(re)), float(ieee(im)))
        }
        // Only ten bytes of a long double count.
        ScalarKind::Float => Number::Bytes(bytes[..10].to_vec()),
        ScalarKind::Complex => {
            let (re, im) = bytes.split_at(bytes.len() / 2);
            Number::Bytes([&re[..10], &im[..10]].concat())
        }
        _ => trimmed(),
    }
}

/// Decodes a float of up to 8 bytes as IEEE 754 defines it.
fn ieee(bytes: &[u8]) -> f64 {
    let bits = bytes.iter().rev().fold(0_u64, |n, &byte| n << 8 | u64::from(byte));
    let (exponent_bits, fraction_bits) = match bytes.len() {
        2 => (5, 10),
        4 => (8, 23),
        _ => return f64::from_bits(bits),
    };
    let fraction = (bits & ((1 << fraction_bits) - 1)) as f64 / f64::powi(2.0, fraction_bits);
    let exponent = i32::try_from(bits >> fraction_bits & ((1 << exponent_bits) - 1)).unwrap_or(0);
    let bias = (1 << (exponent_bits - 1)) - 1;
    let size = if exponent == (1 << exponent_bits) - 1 {
        if fraction == 0.0 { f64::INFINITY } else { f64::NAN }
    } else if exponent == 0 {
        fraction * f64::powi(2.0, 1 - bias)
    } else {
        (1.0 + fraction) * f64::powi(2.0, exponent - bias)
    };
    if bits >> (exponent_bits + fraction_bits) == 1 { -size } else { size }
}
