//! Numbers among Python objects, compared as NumPy's scalars compare: a number of Python becomes one of the narrow type, and an integer of NumPy a float.

use npy_core::dtype::{Scalar, ScalarKind};
use npy_core::object::Kind;
use npy_core::{Cast, DType, DynArray, ObjectRef, Order, Value};

use super::Number;
use crate::text::object_text;

/// The type of a number.
#[derive(Clone, Copy, PartialEq)]
enum Type {
    /// Those of Python.
    Int,
    Float,
    Complex,
    /// Those of NumPy.
    NumpyInt,
    F16,
    F32,
    /// A float of eight bytes, or a complex number of 16.
    F64,
    /// A long double, which holds each integer of 64 bits.
    Long,
}

/// Returns the numbers that are compared for two objects; `None` unless both are numbers.
pub(super) fn numbers(a: ObjectRef<'_>, b: ObjectRef<'_>) -> Option<(Number, Number)> {
    if a.kind() != Kind::Scalar && b.kind() != Kind::Scalar {
        return Number::of_object(a).zip(Number::of_object(b));
    }
    let number = |object| Number::of_object(object).or_else(|| large_integer(object));
    let (one, other) = (number(a)?, number(b)?);
    let types = (type_of(a, one), type_of(b, other));
    Some((rounded(one, types.0, types.1), rounded(other, types.1, types.0)))
}

/// Returns an integer of more than 128 bits as the float that NumPy makes of it; `None` if that would be infinite.
fn large_integer(object: ObjectRef<'_>) -> Option<Number> {
    if object.kind() != Kind::Int {
        return None;
    }
    let float = object_text(object).parse::<f64>().ok().filter(|float| float.is_finite())?;
    Some(Number::Float(float))
}

fn type_of(object: ObjectRef<'_>, number: Number) -> Type {
    if object.kind() != Kind::Scalar {
        return match (number, object.kind()) {
            (Number::Integer(_), _) | (_, Kind::Int) => Type::Int,
            (Number::Complex(..), _) => Type::Complex,
            _ => Type::Float,
        };
    }
    let header = object.header().ok();
    let scalar = header.as_ref().and_then(|header| header.dtype().scalar());
    match scalar.map(|scalar| (scalar.kind(), scalar.itemsize())) {
        Some((ScalarKind::Int | ScalarKind::UInt | ScalarKind::Bool, _)) => Type::NumpyInt,
        Some((ScalarKind::Float, 2)) => Type::F16,
        Some((ScalarKind::Float, 4) | (ScalarKind::Complex, 8)) => Type::F32,
        Some((ScalarKind::Float, 8) | (ScalarKind::Complex, 16)) => Type::F64,
        _ => Type::Long,
    }
}

/// Returns a number of one type as it is compared with a number of another.
#[expect(clippy::cast_possible_truncation, reason = "as NumPy converts a number of Python")]
fn rounded(number: Number, from: Type, other: Type) -> Number {
    let by = |round: &dyn Fn(f64) -> f64| match number {
        Number::Integer(_) | Number::Float(_) => Number::Float(round(number.parts()[0])),
        Number::Complex(re, im) => Number::Complex(round(re), round(im)),
        long @ Number::Long(_) => long,
    };
    match (from, other) {
        (Type::Int | Type::Float, Type::F16) => by(&half),
        // There is no complex number of two halves.
        (Type::Complex, Type::F16) | (Type::Int | Type::Float | Type::Complex, Type::F32) => {
            by(&|part| f64::from(part as f32))
        }
        (Type::Int, Type::F64)
        | (Type::NumpyInt, Type::Float | Type::Complex | Type::F16 | Type::F32 | Type::F64) => {
            by(&|part| part)
        }
        _ => number,
    }
}

/// Rounds a number to a float of two bytes.
fn half(number: f64) -> f64 {
    let scalar = |size| Scalar::new(ScalarKind::Float, size).map(DType::from);
    let rounded = || {
        let wide = DynArray::new(scalar(8)?, [], Order::C, number.to_ne_bytes().to_vec())?;
        wide.cast_with(&scalar(2)?, Cast::Numeric)
    };
    match rounded().ok().as_ref().and_then(|array| array.get(&[])) {
        Some(Value::F16(half)) => half.into(),
        _ => number,
    }
}
