//! Layer 5: one item of an array whose dtype is only known at run time.

mod print;

use crate::dtype::{ByteOrder, DType, Field, Kind, Resolution, Scalar, ScalarKind};
use crate::element::longdouble::LongDouble;
use crate::element::text::without_zeros;
use crate::element::time::NAT;
use crate::kernel::cast::{half, raw, signed};
use crate::plan;
use crate::shape;

/// An item of a [`DynArray`](crate::DynArray), or a part of one, looked at in place.
///
/// Numbers are as wide as they need be to hold what the dtype can: an `<i2` is an [`Int`](Value::Int) of 64 bits. It prints like
/// NumPy's items: `Display` for people, `Debug` with quotes around text.
///
/// ```
/// use npy_core::{DynArray, NpyRecord, ReadNpy, Value, WriteNpy};
///
/// #[derive(NpyRecord)]
/// struct Trace {
///     id: u8,
///     gains: [f32; 2],
/// }
///
/// let mut file = Vec::new();
/// [Trace { id: 7, gains: [0.1, 2.0] }].write_npy_to(&mut file)?;
///
/// let array = DynArray::read_npy_from(&file[..])?;
/// let item = array.get(&[0]).unwrap();
/// assert_eq!(item.to_string(), "(7, [0.1, 2.0])");
/// assert_eq!(item.field("id").and_then(|id| id.as_u64()), Some(7));
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Value<'a> {
    /// `|b1`
    Bool(bool),
    /// `|i1` to `<i8`
    Int(i64),
    /// `|u1` to `<u8`
    UInt(u64),
    /// `<f2`, whose values all are `f32`s
    F16(f32),
    /// `<f4`
    F32(f32),
    /// `<f8`
    F64(f64),
    /// `<c8`: the real and the imaginary part
    Complex32(f32, f32),
    /// `<c16`: the real and the imaginary part
    Complex64(f64, f64),
    /// `<f12`, `<f16`
    LongDouble(LongDouble),
    /// `<c24`, `<c32`: the real and the imaginary part
    ComplexLongDouble(LongDouble, LongDouble),
    /// `|S5`: the bytes without the zeros at the end
    Bytes(&'a [u8]),
    /// `<U5`
    Str(Str<'a>),
    /// `<M8[ns]`: a count of this resolution since 1970-01-01
    DateTime(i64, Option<Resolution>),
    /// `<m8[ns]`: a count of this resolution
    TimeDelta(i64, Option<Resolution>),
    /// `|V5`
    Void(&'a [u8]),
    /// A record
    Record(RecordValue<'a>),
    /// A sub-array
    Array(ArrayValue<'a>),
}

impl<'a> Value<'a> {
    /// The value of one item of this dtype. Bytes that are missing count as zero.
    pub(crate) fn new(dtype: &'a DType, item: &'a [u8]) -> Self {
        match dtype.kind() {
            Kind::Scalar(scalar) => Value::scalar(*scalar, item),
            Kind::Record(record) => Value::Record(RecordValue { fields: &record.fields, item }),
            Kind::SubArray(sub) => Value::Array(ArrayValue::new(&sub.base, &sub.shape, item)),
        }
    }

    fn scalar(scalar: Scalar, item: &'a [u8]) -> Self {
        let item = item.get(..scalar.itemsize()).unwrap_or(item);
        let order = scalar.byte_order().unwrap_or(ByteOrder::Little);
        let big = order == ByteOrder::Big;
        let parts = item.split_at_checked(item.len() / 2).unwrap_or_default();
        match (scalar.kind(), scalar.itemsize()) {
            (ScalarKind::Bool, _) => Value::Bool(raw(item, big) != 0),
            (ScalarKind::Int, _) => Value::Int(signed(item, big)),
            (ScalarKind::UInt, _) => Value::UInt(raw(item, big)),
            (ScalarKind::Float, 2) => Value::F16(half_single(item, big)),
            (ScalarKind::Float, 4) => Value::F32(single(item, big)),
            (ScalarKind::Float, 8) => Value::F64(f64::from_bits(raw(item, big))),
            (ScalarKind::Complex, 8) => {
                Value::Complex32(single(parts.0, big), single(parts.1, big))
            }
            (ScalarKind::Complex, 16) => {
                let part = |part| f64::from_bits(raw(part, big));
                Value::Complex64(part(parts.0), part(parts.1))
            }
            (ScalarKind::Float, _) => Value::LongDouble(long(item, big)),
            (ScalarKind::Complex, _) => {
                Value::ComplexLongDouble(long(parts.0, big), long(parts.1, big))
            }
            (ScalarKind::DateTime(resolution), _) => Value::DateTime(signed(item, big), resolution),
            (ScalarKind::TimeDelta(resolution), _) => {
                Value::TimeDelta(signed(item, big), resolution)
            }
            (ScalarKind::Bytes, _) => Value::Bytes(without_zeros(item)),
            (ScalarKind::Str, _) => Value::Str(Str { units: without_zero_units(item), order }),
            (ScalarKind::Void | ScalarKind::Object, _) => Value::Void(item),
        }
    }

    /// The integer, if it is one (or a `bool`) and an `i64` holds it.
    pub fn as_i64(&self) -> Option<i64> {
        match *self {
            Value::Bool(value) => Some(i64::from(value)),
            Value::Int(value) => Some(value),
            Value::UInt(value) => i64::try_from(value).ok(),
            _ => None,
        }
    }

    /// The integer, if it is one (or a `bool`) and a `u64` holds it.
    pub fn as_u64(&self) -> Option<u64> {
        match *self {
            Value::Bool(value) => Some(u64::from(value)),
            Value::Int(value) => u64::try_from(value).ok(),
            Value::UInt(value) => Some(value),
            _ => None,
        }
    }

    /// The number, if it is one and an `f64` holds it exactly.
    pub fn as_f64(&self) -> Option<f64> {
        match *self {
            Value::F16(value) | Value::F32(value) => Some(f64::from(value)),
            Value::F64(value) => Some(value),
            Value::LongDouble(value) => {
                let float = value.to_f64();
                LongDouble::from(float).is_same_number(value).then_some(float)
            }
            Value::UInt(value) => {
                let float = value as f64;
                (value.leading_zeros().saturating_add(value.trailing_zeros()) >= 11)
                    .then_some(float)
            }
            _ => {
                let value = self.as_i64()?;
                let size = value.unsigned_abs();
                let exact = size.leading_zeros().saturating_add(size.trailing_zeros()) >= 11;
                exact.then_some(value as f64)
            }
        }
    }

    /// Whether it is "not a time".
    pub fn is_nat(&self) -> bool {
        matches!(self, Value::DateTime(NAT, _) | Value::TimeDelta(NAT, _))
    }

    /// The bytes of `S` and `V`.
    pub fn as_bytes(&self) -> Option<&'a [u8]> {
        match *self {
            Value::Bytes(bytes) | Value::Void(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// The field of a record, or of a record in it: `"gain"`, `"hdr.gain"`. A field whose name has a dot in it is found too.
    ///
    /// `None` if this is no record, or it has no such field.
    pub fn field(&self, path: &str) -> Option<Value<'a>> {
        let Value::Record(record) = self else { return None };
        let (dtype, offset) = plan::field_at(record.fields, path)?;
        Some(Value::new(dtype, record.item.get(offset..)?))
    }
}

/// The text of an item: up to as many code points as its dtype has.
#[derive(Clone, Copy)]
pub struct Str<'a> {
    units: &'a [[u8; 4]],
    order: ByteOrder,
}

impl<'a> Str<'a> {
    /// The code points, without the zeros at the end. NumPy lets any number be one.
    pub fn code_points(&self) -> impl ExactSizeIterator<Item = u32> + Clone + use<'a> {
        let order = self.order;
        self.units.iter().map(move |unit| match order {
            ByteOrder::Little => u32::from_le_bytes(*unit),
            ByteOrder::Big => u32::from_be_bytes(*unit),
        })
    }

    /// The text.
    ///
    /// # Errors
    ///
    /// The first number in it that is no character: a surrogate, or one over U+10FFFF.
    pub fn to_text(&self) -> Result<String, u32> {
        self.code_points().map(|c| char::from_u32(c).ok_or(c)).collect()
    }

    /// The text, with U+FFFD for what is no character.
    pub fn to_text_lossy(&self) -> String {
        let character = |c| char::from_u32(c).unwrap_or(char::REPLACEMENT_CHARACTER);
        self.code_points().map(character).collect()
    }
}

/// A record: its fields in the order of the dtype.
#[derive(Clone, Copy)]
pub struct RecordValue<'a> {
    fields: &'a [Field],
    item: &'a [u8],
}

impl<'a> RecordValue<'a> {
    /// The names and values of the fields.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&'a str, Value<'a>)> + use<'a> {
        let item = self.item;
        self.fields.iter().map(move |field| {
            let part = item.get(field.offset()..).unwrap_or_default();
            (field.name(), Value::new(field.dtype(), part))
        })
    }

    /// The field of this name; `None` if there is none.
    pub fn get(&self, name: &str) -> Option<Value<'a>> {
        self.iter().find(|(found, _)| *found == name).map(|(_, value)| value)
    }
}

/// A sub-array, in C order.
#[derive(Clone, Copy)]
pub struct ArrayValue<'a> {
    base: &'a DType,
    shape: &'a [usize],
    item: &'a [u8],
}

impl<'a> ArrayValue<'a> {
    pub(crate) fn new(base: &'a DType, shape: &'a [usize], item: &'a [u8]) -> Self {
        ArrayValue { base, shape, item }
    }

    /// The dimensions; those of a sub-array of sub-arrays are the outer ones.
    pub fn shape(&self) -> &'a [usize] {
        self.shape
    }

    /// What stands along the first dimension: sub-arrays of one dimension less, or items.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Value<'a>> + use<'a> {
        let array = *self;
        (0..self.shape.first().copied().unwrap_or(0)).map(move |i| array.nth(i))
    }

    /// The one of these at this index; `None` behind the last.
    pub fn get(&self, index: usize) -> Option<Value<'a>> {
        (index < *self.shape.first()?).then(|| self.nth(index))
    }

    /// The one of these at this index, which there is.
    fn nth(&self, i: usize) -> Value<'a> {
        let rest = self.shape.get(1..).unwrap_or_default();
        let stride = shape::bytes(rest, self.base.itemsize());
        debug_assert!(stride.is_ok(), "of a size that exists a part does, too: {rest:?}");
        let stride = stride.unwrap_or(0);
        let start = i.saturating_mul(stride);
        let part = self.item.get(start..start.saturating_add(stride)).unwrap_or_default();
        match rest {
            [] => Value::new(self.base, part),
            _ => Value::Array(ArrayValue::new(self.base, rest, part)),
        }
    }
}

/// The bytes of a long double, of which there are twelve or sixteen.
fn long(bytes: &[u8], big: bool) -> LongDouble {
    let mut little = [0; 16];
    let order = |slot: (&mut u8, &u8)| *slot.0 = *slot.1;
    if big {
        little.iter_mut().zip(bytes.iter().rev()).for_each(order);
    } else {
        little.iter_mut().zip(bytes).for_each(order);
    }
    LongDouble(little)
}

fn single(bytes: &[u8], big: bool) -> f32 {
    f32::from_bits(u32::try_from(raw(bytes, big)).unwrap_or_default())
}

fn half_single(bytes: &[u8], big: bool) -> f32 {
    half(u16::try_from(raw(bytes, big)).unwrap_or_default())
}

/// Whole code points, without the zeros at the end.
fn without_zero_units(bytes: &[u8]) -> &[[u8; 4]] {
    let units = bytes.as_chunks::<4>().0;
    let zeros = units.iter().rev().take_while(|unit| **unit == [0; 4]).count();
    units.get(..units.len().saturating_sub(zeros)).unwrap_or_default()
}
