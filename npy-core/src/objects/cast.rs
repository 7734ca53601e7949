//! Casts numbers that are Python objects.

use super::ObjectRef;
use super::known::Meaning;
use crate::dtype::{ByteOrder, Scalar, ScalarKind};
use crate::dynamic::DynArray;
use crate::element::exact::copy;
use crate::plan::Cast;
use crate::shape::Order;
use npy_pickle::Value as Python;

/// Writes a number that the scalar does not hold exactly; `None` if it is not a number, or the cast refuses it.
pub(super) fn number(
    object: ObjectRef<'_>,
    wanted: Scalar,
    cast: Cast,
    out: &mut [u8],
) -> Option<()> {
    use ScalarKind::{Bool, Complex, Float, Int, UInt};
    let may_lose = matches!(cast, Cast::Numeric | Cast::Checked);
    if !may_lose || !matches!(wanted.kind(), Bool | Int | UInt | Float | Complex) {
        return None;
    }
    let array = |kind, bytes: &[u8]| {
        let dtype = Scalar::ordered(kind, bytes.len(), ByteOrder::Little).into();
        DynArray::new(dtype, [], Order::C, bytes.to_vec()).ok()
    };
    let found = match object.meaning() {
        Meaning::Scalar(found) => found.to_dyn(object.limits()).ok(),
        Meaning::Python(Python::Bool(value)) => array(Bool, &[value.into()]),
        Meaning::Python(Python::Int(value)) => array(Int, &value.to_le_bytes()),
        Meaning::Python(Python::BigInt(value)) => {
            array(UInt, &u64::try_from(value.to_i128()?).ok()?.to_le_bytes())
        }
        Meaning::Python(Python::Float(value)) => array(Float, &value.to_le_bytes()),
        Meaning::Python(Python::Complex(re, im)) => {
            array(Complex, &[re.to_le_bytes(), im.to_le_bytes()].concat())
        }
        _ => None,
    };
    copy(found?.cast_with(&wanted.into(), cast).ok()?.as_bytes(), out)
}
