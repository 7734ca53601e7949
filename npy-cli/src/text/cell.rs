//! One scalar of each row: its dtype, and its value from its bytes.

use npy_core::dtype::{Scalar, ScalarKind};
use npy_core::{ByteOrder, DType, ObjectRef, Value};

use super::time::Clock;

/// A column of scalars.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(super) dtype: DType,
    pub(super) kind: Kind,
    is_big: bool,
    pub(super) clock: Option<Clock>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Bool,
    Int,
    UInt,
    F32,
    F64,
    /// A float of another size.
    Float,
    Complex,
    Bytes,
    Str,
    DateTime,
    TimeDelta,
    Void,
    /// A Python object: its index.
    Object,
    /// A record or a sub-array.
    Other,
}

impl Cell {
    pub(crate) fn new(dtype: &DType) -> Self {
        let kind = match dtype.scalar().map(|scalar| (scalar.kind(), scalar.itemsize())) {
            Some((ScalarKind::Bool, _)) => Kind::Bool,
            Some((ScalarKind::Int, _)) => Kind::Int,
            Some((ScalarKind::UInt, _)) => Kind::UInt,
            Some((ScalarKind::Float, 4)) => Kind::F32,
            Some((ScalarKind::Float, 8)) => Kind::F64,
            Some((ScalarKind::Float, _)) => Kind::Float,
            Some((ScalarKind::Complex, _)) => Kind::Complex,
            Some((ScalarKind::Bytes, _)) => Kind::Bytes,
            Some((ScalarKind::Str, _)) => Kind::Str,
            Some((ScalarKind::DateTime(_), _)) => Kind::DateTime,
            Some((ScalarKind::TimeDelta(_), _)) => Kind::TimeDelta,
            Some((ScalarKind::Void, _)) => Kind::Void,
            Some((ScalarKind::Object, _)) => Kind::Object,
            _ => Kind::Other,
        };
        let order = dtype.scalar().and_then(Scalar::byte_order);
        let clock = match dtype.scalar().map(Scalar::kind) {
            Some(ScalarKind::DateTime(Some(resolution))) => Clock::of(resolution),
            _ => None,
        };
        Cell { dtype: dtype.clone(), kind, is_big: order == Some(ByteOrder::Big), clock }
    }

    /// Returns the dtype of an element.
    pub(crate) fn dtype(&self) -> &DType {
        &self.dtype
    }

    /// Returns the size of an element in bytes.
    pub(crate) fn size(&self) -> usize {
        self.dtype.itemsize()
    }

    /// Returns true if the column is aligned at the right, as numbers are.
    pub(crate) fn is_number(&self) -> bool {
        !matches!(self.kind, Kind::Bytes | Kind::Str | Kind::Void | Kind::Object | Kind::Other)
    }

    /// Decodes an element. Missing bytes count as zeros.
    pub(crate) fn value<'a>(&'a self, bytes: &'a [u8]) -> Value<'a> {
        Value::from_bytes(&self.dtype, bytes).unwrap_or(Value::Void(bytes))
    }

    /// Returns the bits of a number of at most eight bytes.
    #[inline(always)]
    pub(crate) fn bits(&self, bytes: &[u8]) -> u64 {
        let mut bits = [0; 8];
        let size = bytes.len().min(8);
        bits[..size].copy_from_slice(&bytes[..size]);
        if self.is_big {
            bits[..size].reverse();
        }
        u64::from_le_bytes(bits)
    }

    #[inline(always)]
    pub(crate) fn int(&self, bytes: &[u8]) -> i64 {
        let unused = 64 - 8 * u32::try_from(bytes.len().clamp(1, 8)).unwrap_or(8);
        (self.bits(bytes) << unused).cast_signed() >> unused
    }

    #[inline(always)]
    pub(crate) fn f32(&self, bytes: &[u8]) -> f32 {
        f32::from_bits(u32::try_from(self.bits(bytes)).unwrap_or(0))
    }

    #[inline(always)]
    pub(crate) fn f64(&self, bytes: &[u8]) -> f64 {
        f64::from_bits(self.bits(bytes))
    }

    /// Returns a number, a time or a boolean as a float; NaN for one that is missing, and for anything else.
    #[expect(clippy::cast_precision_loss, reason = "a picture has fewer digits than a float")]
    #[inline(always)]
    pub(crate) fn float(&self, bytes: &[u8]) -> f64 {
        match self.kind {
            Kind::F64 => self.f64(bytes),
            Kind::F32 => f64::from(self.f32(bytes)),
            Kind::Bool => f64::from(u8::from(self.bits(bytes) != 0)),
            Kind::Int => self.int(bytes) as f64,
            Kind::UInt => self.bits(bytes) as f64,
            Kind::DateTime | Kind::TimeDelta => match self.int(bytes) {
                i64::MIN => f64::NAN,
                count => count as f64,
            },
            _ => match self.value(bytes) {
                Value::LongDouble(value) => value.to_f64(),
                other => other.as_f64().unwrap_or(f64::NAN),
            },
        }
    }

    /// Returns the object whose index these bytes are.
    pub(crate) fn object<'a>(
        &self,
        bytes: &[u8],
        objects: &[ObjectRef<'a>],
    ) -> Option<ObjectRef<'a>> {
        objects.get(usize::try_from(self.bits(bytes)).ok()?).copied()
    }
}

/// Returns the dtype of the two parts of a complex number.
pub(crate) fn half_of(complex: &DType) -> DType {
    let order = complex.scalar().and_then(Scalar::byte_order).unwrap_or(ByteOrder::Little);
    let half = Scalar::new(ScalarKind::Float, complex.itemsize() / 2);
    half.map_or_else(|_| complex.clone(), |half| half.with_byte_order(order).into())
}
