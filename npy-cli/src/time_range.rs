//! The times that a unit can count, for messages about those that it cannot.

use npy_core::dtype::{Resolution, Scalar, ScalarKind, Unit};
use npy_core::{ByteOrder, Cast, DType, DynArray, Value};

use crate::input::attoseconds_of;

/// Returns true if times, or spans of time, may have fractions in another unit; `None` for other scalars, and without a unit.
pub(crate) fn has_fractions(from: &DType, to: &DType) -> Option<bool> {
    let [from, to] = [resolution(from.scalar()?)?, resolution(to.scalar()?)?];
    let day = length(Resolution { multiple: 1, unit: Unit::Day });
    Some(match [from, to].map(|it| matches!(it.unit, Unit::Year | Unit::Month)) {
        // A month begins on any day.
        [true, false] => day % length(to) != 0,
        [false, true] => true,
        _ => length(from) % length(to) != 0,
    })
}

/// Returns words for the times, or spans of time, that a dtype holds.
pub(crate) fn held(dtype: &DType) -> Option<String> {
    // The least count is NaT.
    let [first, last] = [i64::MIN + 1, i64::MAX].map(|count| {
        let bytes = match dtype.scalar()?.byte_order()? {
            ByteOrder::Little => count.to_le_bytes(),
            ByteOrder::Big => count.to_be_bytes(),
        };
        Some(Value::from_bytes(dtype, &bytes)?.to_string())
    });
    let what = match dtype.scalar()?.kind() {
        ScalarKind::TimeDelta(_) => "spans",
        _ => "times",
    };
    Some(format!("{what} from {} to {}", first?, last?))
}

/// Returns a dtype with a time that other dtypes may not hold, if it becomes one of nanoseconds or less: longer units hold many thousands of years.
pub(crate) fn narrow<'t>(from: &DType, to: &'t DType) -> Option<&'t DType> {
    let (from, to) = (from.flat().0, to.flat().0);
    if to.is_record() {
        let mut fields = to.fields().iter();
        return fields.find_map(|field| narrow(from.field(field.name())?.dtype(), field.dtype()));
    }
    let microsecond = Resolution { multiple: 1, unit: Unit::Microsecond };
    let [from_length, to_length] =
        [resolution(from.scalar()?)?, resolution(to.scalar()?)?].map(length);
    (to_length < length(microsecond).min(from_length)).then_some(to)
}

/// Returns the dtype with the shortest unit that holds all times of an array, of those longer than the unit of a dtype that does not.
pub(crate) fn longer(rows: &DynArray, wanted: &DType) -> Option<DType> {
    const UNITS: [Unit; 12] = [
        Unit::Femtosecond,
        Unit::Picosecond,
        Unit::Nanosecond,
        Unit::Microsecond,
        Unit::Millisecond,
        Unit::Second,
        Unit::Minute,
        Unit::Hour,
        Unit::Day,
        Unit::Week,
        Unit::Month,
        Unit::Year,
    ];
    let (base, shape) = wanted.flat();
    let scalar = base.scalar()?;
    let shortest = length(resolution(scalar)?);
    let units = UNITS.into_iter().map(|unit| Resolution { multiple: 1, unit });
    let mut dtypes = units.filter(|unit| length(*unit) > shortest).filter_map(|unit| {
        let kind = match scalar.kind() {
            ScalarKind::DateTime(_) => ScalarKind::DateTime(Some(unit)),
            _ => ScalarKind::TimeDelta(Some(unit)),
        };
        let dtype = DType::from(Scalar::new(kind, scalar.itemsize()).ok()?);
        let dtype = dtype.with_byte_order(scalar.byte_order()?);
        if shape.is_empty() { Some(dtype) } else { dtype.array(&shape).ok() }
    });
    let dtype = dtypes.find(|dtype| rows.cast_with(dtype, Cast::Checked).is_ok());
    Some(dtype.unwrap_or_else(|| rows.dtype().clone()).flat().0.clone())
}

fn resolution(scalar: &Scalar) -> Option<Resolution> {
    match scalar.kind() {
        ScalarKind::DateTime(resolution) | ScalarKind::TimeDelta(resolution) => resolution,
        _ => None,
    }
}

/// Returns the attoseconds of a unit, in which a month has 30 days.
fn length(resolution: Resolution) -> i128 {
    let month = || attoseconds_of(Unit::Day).map_or(1, |day| 30 * day);
    let unit = attoseconds_of(resolution.unit).unwrap_or_else(|| match resolution.unit {
        Unit::Year => 12 * month(),
        _ => month(),
    });
    i128::from(resolution.multiple) * unit
}
