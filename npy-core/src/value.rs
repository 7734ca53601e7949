//! The elements of a [`DynArray`](crate::DynArray): numbers, text, times and records whose type is known only at run time.

mod iter;
mod print;

use crate::calendar::NAT;
use crate::checked;
use crate::dtype::part::{self, Node};
use crate::dtype::{ByteOrder, DType, Field, Kind, Resolution, Scalar, ScalarKind};
use crate::element::longdouble::LongDouble;
use crate::element::text::without_zeros;
use crate::kernel::cast::{half, raw, signed};
use crate::shape;
pub use iter::{CodePoints, Fields, Parts};

/// An element of a [`DynArray`](crate::DynArray), or a part of an element, borrowed from the array.
///
/// Integers have 64 bits whatever their dtype: an `<i2` is an [`Int`](Value::Int). A value prints like an element in NumPy: `Display` is
/// for people, `Debug` has quotes around text.
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
///
/// Values are equal if they are the same variant and equal in Rust: NaN differs from itself. Byte
/// orders and the padding of records do not matter, but the padding of a [`LongDouble`] does.
#[derive(Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Value<'a> {
    /// `|b1`
    Bool(bool),
    /// `|i1` to `<i8`
    Int(i64),
    /// `|u1` to `<u8`
    UInt(u64),
    /// `<f2`; an `f32` holds every such number exactly
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
    /// `|S5`: the bytes without trailing zeros
    Bytes(&'a [u8]),
    /// `<U5`
    Str(Str<'a>),
    /// `<M8[ns]`: a count of this resolution since 1970-01-01
    DateTime(i64, Option<Resolution>),
    /// `<m8[ns]`: a count of this resolution
    TimeDelta(i64, Option<Resolution>),
    /// `|V5`
    Void(&'a [u8]),
    /// `|O`, or a record with such a field: the element is only in the pickle of the array, which
    /// [`Objects`](crate::Objects) reads
    Object,
    /// A record
    Record(RecordValue<'a>),
    /// A sub-array
    Array(ArrayValue<'a>),
}

impl<'a> Value<'a> {
    /// Decodes one item of this dtype, for programs that split the bytes of a
    /// [`DynArray`](crate::DynArray) into items themselves. `None` if `item` is shorter than
    /// [`DType::itemsize`].
    ///
    /// ```
    /// use npy_core::{DType, Value};
    ///
    /// let dtype: DType = ">i2".parse()?;
    /// assert_eq!(Value::from_bytes(&dtype, &[1, 2]), Some(Value::Int(258)));
    /// assert_eq!(Value::from_bytes(&dtype, &[1]), None);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn from_bytes(dtype: &'a DType, item: &'a [u8]) -> Option<Self> {
        (item.len() >= dtype.itemsize()).then(|| Value::new(dtype, item))
    }

    /// Reads one element of this dtype. Missing bytes count as zero.
    pub(crate) fn new(dtype: &'a DType, item: &'a [u8]) -> Self {
        let item = item.get(..dtype.itemsize()).unwrap_or(item);
        match dtype.kind() {
            Kind::Scalar(scalar) => Value::scalar(*scalar, item),
            Kind::Record(record) => Value::Record(RecordValue { fields: &record.fields, item }),
            Kind::SubArray(sub) => Value::Array(ArrayValue::new(&sub.base, &sub.shape, item)),
        }
    }

    /// Reads a scalar at the start of `item`.
    pub(crate) fn scalar(scalar: Scalar, item: &'a [u8]) -> Self {
        let item = item.get(..scalar.itemsize()).unwrap_or(item);
        let order = scalar.byte_order().unwrap_or(ByteOrder::Little);
        let big = order == ByteOrder::Big;
        // The real and the imaginary part of a complex number.
        let (re, im) = item.split_at_checked(item.len() / 2).unwrap_or((item, &[]));
        let single = |bytes| f32::from_bits(checked::narrow(raw(bytes, big)));
        let double = |bytes| f64::from_bits(raw(bytes, big));
        match (scalar.kind(), scalar.itemsize()) {
            (ScalarKind::Bool, _) => Value::Bool(raw(item, big) != 0),
            (ScalarKind::Int, _) => Value::Int(signed(item, big)),
            (ScalarKind::UInt, _) => Value::UInt(raw(item, big)),
            (ScalarKind::Float, 2) => Value::F16(half(checked::narrow(raw(item, big)))),
            (ScalarKind::Float, 4) => Value::F32(single(item)),
            (ScalarKind::Float, 8) => Value::F64(double(item)),
            (ScalarKind::Complex, 8) => Value::Complex32(single(re), single(im)),
            (ScalarKind::Complex, 16) => Value::Complex64(double(re), double(im)),
            (ScalarKind::Float, _) => Value::LongDouble(long(item, big)),
            (ScalarKind::Complex, _) => Value::ComplexLongDouble(long(re, big), long(im, big)),
            (ScalarKind::DateTime(resolution), _) => Value::DateTime(signed(item, big), resolution),
            (ScalarKind::TimeDelta(resolution), _) => {
                Value::TimeDelta(signed(item, big), resolution)
            }
            (ScalarKind::Bytes, _) => Value::Bytes(without_zeros(item)),
            (ScalarKind::Str, _) => {
                Value::Str(Str { units: without_zeros(item.as_chunks().0), order })
            }
            (ScalarKind::Void, _) => Value::Void(item),
            (ScalarKind::Object, _) => Value::Object,
        }
    }

    /// Returns the value of an integer or a `bool`, if it fits in an `i64`.
    ///
    /// ```
    /// use npy_core::{DynArray, Order};
    ///
    /// let array = DynArray::new("<i2".parse()?, [1], Order::C, vec![7, 0])?;
    /// let value = array.get(&[0]).unwrap();
    /// assert_eq!(value.as_i64(), Some(7));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn as_i64(&self) -> Option<i64> {
        self.as_i128().and_then(|number| number.try_into().ok())
    }

    pub(crate) fn as_i128(&self) -> Option<i128> {
        match *self {
            Value::Bool(value) => Some(value.into()),
            Value::Int(value) => Some(value.into()),
            Value::UInt(value) => Some(value.into()),
            _ => None,
        }
    }

    /// Returns the value of an integer or a `bool`, if it fits in a `u64`.
    ///
    /// ```
    /// use npy_core::{DynArray, Order};
    ///
    /// let array = DynArray::new("<i2".parse()?, [1], Order::C, vec![7, 0])?;
    /// let value = array.get(&[0]).unwrap();
    /// assert_eq!(value.as_u64(), Some(7));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn as_u64(&self) -> Option<u64> {
        self.as_i128().and_then(|number| number.try_into().ok())
    }

    /// Returns the value of a real number or a `bool`, if an `f64` can hold it exactly.
    ///
    /// ```
    /// use npy_core::{DynArray, Order};
    ///
    /// let array = DynArray::new("<i2".parse()?, [1], Order::C, vec![7, 0])?;
    /// let value = array.get(&[0]).unwrap();
    /// assert_eq!(value.as_f64(), Some(7.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn as_f64(&self) -> Option<f64> {
        match *self {
            Value::F16(value) | Value::F32(value) => Some(f64::from(value)),
            Value::F64(value) => Some(value),
            Value::LongDouble(value) => {
                let float = value.to_f64();
                LongDouble::from(float).is_same_number(value).then_some(float)
            }
            _ => {
                let value = self.as_i128()?;
                fits_float(value.unsigned_abs(), f64::MANTISSA_DIGITS).then_some(value as f64)
            }
        }
    }

    /// Returns true for NaT ("not a time").
    ///
    /// ```
    /// use npy_core::{DynArray, Order};
    ///
    /// let bytes = i64::MIN.to_le_bytes().to_vec();
    /// let array = DynArray::new("<M8[s]".parse()?, [1], Order::C, bytes)?;
    /// assert!(array.get(&[0]).is_some_and(|value| value.is_nat()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_nat(&self) -> bool {
        matches!(self, Value::DateTime(NAT, _) | Value::TimeDelta(NAT, _))
    }

    /// Returns the bytes of an `S`, without trailing zeros, or of a `V`; `None` for other values.
    ///
    /// ```
    /// use npy_core::{DynArray, Order};
    ///
    /// let array = DynArray::new("|S4".parse()?, [1], Order::C, b"RJ\0\0".to_vec())?;
    /// let value = array.get(&[0]).unwrap();
    /// assert_eq!(value.as_bytes(), Some(&b"RJ"[..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn as_bytes(&self) -> Option<&'a [u8]> {
        match *self {
            Value::Bytes(bytes) | Value::Void(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Returns a field of the record, or a part of one: `"gain"`, `"hdr.gain"`, `"samples[3]"`; see [`DType::part`].
    ///
    /// `None` if the value is not a record, or has no such field.
    ///
    /// ```
    /// use npy_core::{DynArray, Order};
    ///
    /// let dtype = "[('id', '|u1'), ('xy', '|u1', (2,))]".parse()?;
    /// let array = DynArray::new(dtype, [1], Order::C, vec![1, 2, 3])?;
    /// let record = array.get(&[0]).unwrap();
    /// assert_eq!(record.field("id").and_then(|id| id.as_i64()), Some(1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn field(&self, path: &str) -> Option<Value<'a>> {
        if matches!(self, Value::Record(_)) { part::find(self, path) } else { None }
    }
}

impl Node for Value<'_> {
    fn is_array(&self) -> bool {
        matches!(self, Value::Array(_))
    }

    fn item(&self, index: usize) -> Option<Self> {
        if let Value::Array(array) = self { array.get(index) } else { None }
    }

    fn fields(&self) -> &[Field] {
        if let Value::Record(record) = self { record.fields } else { &[] }
    }

    fn field(&self, index: usize) -> Option<Self> {
        let Value::Record(record) = self else { return None };
        record.iter().nth(index).map(|(_, value)| value)
    }

    fn half(&self, name: &str) -> Option<Self> {
        let (re, im) = match *self {
            Value::Complex32(re, im) => (Value::F32(re), Value::F32(im)),
            Value::Complex64(re, im) => (Value::F64(re), Value::F64(im)),
            Value::ComplexLongDouble(re, im) => (Value::LongDouble(re), Value::LongDouble(im)),
            _ => return None,
        };
        [("re", re), ("im", im)].into_iter().find_map(|(half, part)| (half == name).then_some(part))
    }
}

/// The text of an element.
#[derive(Clone, Copy)]
pub struct Str<'a> {
    units: &'a [[u8; 4]],
    order: ByteOrder,
}

impl<'a> Str<'a> {
    /// Iterates over the code points, without trailing zeros. NumPy allows any number as a code point.
    ///
    /// ```
    /// use npy_core::{DynArray, Order, Value};
    ///
    /// let array = DynArray::new("<U2".parse()?, [1], Order::C, vec![b'R', 0, 0, 0, b'J', 0, 0, 0])?;
    /// let Some(Value::Str(text)) = array.get(&[0]) else { panic!("no text") };
    /// assert!(text.code_points().eq([0x52, 0x4a]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn code_points(&self) -> CodePoints<'a> {
        CodePoints { of: self.order, from: self.units.iter() }
    }

    /// Returns the text.
    ///
    /// ```
    /// use npy_core::{DynArray, Order, Value};
    ///
    /// let array = DynArray::new("<U2".parse()?, [1], Order::C, vec![b'R', 0, 0, 0, b'J', 0, 0, 0])?;
    /// let Some(Value::Str(text)) = array.get(&[0]) else { panic!("no text") };
    /// assert_eq!(text.to_text().as_deref(), Ok("RJ"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first number that is not a character: a surrogate, or a number over U+10FFFF.
    pub fn to_text(&self) -> Result<String, u32> {
        self.code_points().map(|c| char::from_u32(c).ok_or(c)).collect()
    }

    /// Returns the text, with U+FFFD in place of numbers that are not characters.
    ///
    /// ```
    /// use npy_core::{DynArray, Order, Value};
    ///
    /// let array = DynArray::new("<U2".parse()?, [1], Order::C, vec![b'R', 0, 0, 0, b'J', 0, 0, 0])?;
    /// let Some(Value::Str(text)) = array.get(&[0]) else { panic!("no text") };
    /// assert_eq!(text.to_text_lossy(), "RJ");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_text_lossy(&self) -> String {
        let character = |c| char::from_u32(c).unwrap_or(char::REPLACEMENT_CHARACTER);
        self.code_points().map(character).collect()
    }
}

/// A record, with its fields in the order of the dtype.
#[derive(Clone, Copy)]
pub struct RecordValue<'a> {
    fields: &'a [Field],
    item: &'a [u8],
}

impl<'a> RecordValue<'a> {
    /// Iterates over the names and values of the fields.
    ///
    /// ```
    /// use npy_core::{DynArray, Order, Value};
    ///
    /// let dtype = "[('id', '|u1'), ('xy', '|u1', (2,))]".parse()?;
    /// let array = DynArray::new(dtype, [1], Order::C, vec![1, 2, 3])?;
    /// let Some(Value::Record(record)) = array.get(&[0]) else { panic!("no record") };
    /// let names: Vec<_> = record.iter().map(|(name, _)| name).collect();
    /// assert_eq!(names, ["id", "xy"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn iter(&self) -> Fields<'a> {
        Fields { of: self.item, from: self.fields.iter() }
    }

    /// Returns the field of this name, if there is one.
    ///
    /// ```
    /// use npy_core::{DynArray, Order, Value};
    ///
    /// let dtype = "[('id', '|u1'), ('xy', '|u1', (2,))]".parse()?;
    /// let array = DynArray::new(dtype, [1], Order::C, vec![1, 2, 3])?;
    /// let Some(Value::Record(record)) = array.get(&[0]) else { panic!("no record") };
    /// assert_eq!(record.get("id").and_then(|id| id.as_i64()), Some(1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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

    /// Returns the dimensions; only the outer ones for a sub-array of sub-arrays.
    ///
    /// ```
    /// use npy_core::{DynArray, Order, Value};
    ///
    /// let dtype = "[('id', '|u1'), ('xy', '|u1', (2,))]".parse()?;
    /// let array = DynArray::new(dtype, [1], Order::C, vec![1, 2, 3])?;
    /// let Some(Value::Array(xy)) = array.get(&[0]).and_then(|value| value.field("xy")) else {
    ///     panic!("no sub-array");
    /// };
    /// assert_eq!(xy.shape(), [2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shape(&self) -> &'a [usize] {
        self.shape
    }

    /// Iterates along the first dimension: over sub-arrays of one dimension less, or over elements.
    ///
    /// ```
    /// use npy_core::{DynArray, Order, Value};
    ///
    /// let dtype = "[('id', '|u1'), ('xy', '|u1', (2,))]".parse()?;
    /// let array = DynArray::new(dtype, [1], Order::C, vec![1, 2, 3])?;
    /// let Some(Value::Array(xy)) = array.get(&[0]).and_then(|value| value.field("xy")) else {
    ///     panic!("no sub-array");
    /// };
    /// assert_eq!(xy.iter().filter_map(|part| part.as_i64()).sum::<i64>(), 5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn iter(&self) -> Parts<'a> {
        let count = self.shape.first().copied();
        debug_assert!(count.is_some(), "a sub-array has a dimension");
        Parts { of: *self, from: 0..count.unwrap_or(0) }
    }

    /// Returns the part at this index of the first dimension; `None` if the index is out of range.
    ///
    /// ```
    /// use npy_core::{DynArray, Order, Value};
    ///
    /// let dtype = "[('id', '|u1'), ('xy', '|u1', (2,))]".parse()?;
    /// let array = DynArray::new(dtype, [1], Order::C, vec![1, 2, 3])?;
    /// let Some(Value::Array(xy)) = array.get(&[0]).and_then(|value| value.field("xy")) else {
    ///     panic!("no sub-array");
    /// };
    /// assert_eq!(xy.get(1).and_then(|y| y.as_i64()), Some(3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn get(&self, index: usize) -> Option<Value<'a>> {
        (index < *self.shape.first()?).then(|| self.nth(index))
    }

    /// Returns the part at this index of the first dimension; the index is in range.
    fn nth(&self, i: usize) -> Value<'a> {
        let rest = checked::tail(self.shape, 1);
        let stride = shape::bytes(rest, self.base.itemsize());
        debug_assert!(stride.is_ok(), "a part is not larger than the sub-array: {rest:?}");
        let stride = stride.unwrap_or(0);
        let part = checked::part(self.item, i, stride);
        match rest {
            [] => Value::new(self.base, part),
            _ => Value::Array(ArrayValue::new(self.base, rest, part)),
        }
    }
}

/// Returns true if a float with this many bits of precision, 24 or 53, can hold an integer of this magnitude exactly.
pub(crate) fn fits_float(magnitude: u128, bits: u32) -> bool {
    magnitude
        .checked_shr(magnitude.trailing_zeros())
        .is_none_or(|odd| odd.checked_shr(bits) == Some(0))
}

/// Reads a long double, which has 12 or 16 bytes.
fn long(bytes: &[u8], big: bool) -> LongDouble {
    let mut little = [0; 16];
    if let Some(number) = little.get_mut(..bytes.len()) {
        number.copy_from_slice(bytes);
        if big {
            number.reverse();
        }
    }
    LongDouble(little)
}
