//! The dtype that holds the values of two others, as NumPy's `result_type` has it for numbers, texts and times.

use npy_core::dtype::{Field, Resolution, Scalar, ScalarKind, Unit};
use npy_core::{Cast, DType};

use crate::input::attoseconds_of;

/// Returns the dtype that holds the values of both: the first, if it does. `None` if no conversion makes one of both, or if the second lacks a field of the first.
/// 64-bit integers and floats become floats of 64 bits, which round some of these integers.
pub(super) fn common(a: &DType, b: &DType) -> Option<DType> {
    if let (Some(a_scalar), Some(b_scalar)) = (a.scalar(), b.scalar()) {
        return of_scalars(*a_scalar, *b_scalar).map(DType::from);
    }
    if let (Some((a_base, shape)), Some((b_base, other))) = (a.sub_array(), b.sub_array()) {
        return (shape == other).then(|| common(a_base, b_base)?.array(shape).ok())?;
    }
    if !a.is_record() || !b.is_record() {
        return None;
    }
    let field = |field: &Field| common(field.dtype(), b.field(field.name())?.dtype());
    let dtypes: Vec<DType> = a.fields().iter().map(field).collect::<Option<_>>()?;
    if a.fields().iter().map(Field::dtype).eq(&dtypes) {
        return Some(a.clone());
    }
    let itemsize = dtypes.iter().map(DType::itemsize).sum();
    let fields = a.fields().iter().zip(dtypes).map(|(field, dtype)| {
        let new = Field::new(field.name(), dtype);
        match field.title() {
            Some(title) => new.title(title),
            None => new,
        }
    });
    DType::from_fields(fields, itemsize).ok()
}

fn of_scalars(a: Scalar, b: Scalar) -> Option<Scalar> {
    use ScalarKind::{Bytes, DateTime, Str, TimeDelta};
    match (a.kind(), b.kind()) {
        (Str, Str) | (Bytes, Bytes) => Some(if a.itemsize() < b.itemsize() { b } else { a }),
        (DateTime(Some(one)), DateTime(Some(other))) => {
            of_kind(a, DateTime(Some(of_units(one, other, true)?)))
        }
        (TimeDelta(Some(one)), TimeDelta(Some(other))) => {
            of_kind(a, TimeDelta(Some(of_units(one, other, false)?)))
        }
        _ => of_numbers(a, b),
    }
}

/// Returns the scalar, or a new one if it is of another kind.
fn of_kind(scalar: Scalar, kind: ScalarKind) -> Option<Scalar> {
    match scalar.kind() == kind {
        true => Some(scalar),
        false => Scalar::new(kind, scalar.itemsize()).ok(),
    }
}

/// Returns the number that holds all values of both; if none does, the smallest to which both can be rounded.
fn of_numbers(a: Scalar, b: Scalar) -> Option<Scalar> {
    use ScalarKind::{Complex, Float, Int};
    let numbers =
        [(Int, 2), (Int, 4), (Int, 8), (Float, 4), (Float, 8), (Complex, 8), (Complex, 16)];
    let numbers = numbers.into_iter().filter_map(|(kind, size)| Scalar::new(kind, size).ok());
    let all: Vec<Scalar> = [a, b].into_iter().chain(numbers).collect();
    let becomes = |from: Scalar, to: Scalar, cast| {
        DType::from(from).converts_to(&DType::from(to), cast).is_ok()
    };
    let holds = |to: &&Scalar| [a, b].iter().all(|from| becomes(*from, **to, Cast::Lossless));
    let rounds = |to: &&Scalar| {
        to.itemsize() >= 8
            && matches!(to.kind(), Float | Complex)
            && [a, b].iter().all(|from| becomes(*from, **to, Cast::Checked))
            // Imaginary parts are not dropped.
            && ([a, b].iter().all(|from| from.kind() != Complex) || **to == all[all.len() - 1])
    };
    all.iter().find(holds).or_else(|| all.iter().find(rounds)).copied()
}

/// Returns the longest unit in which times of both are whole numbers; a month is one of days in dates alone.
fn of_units(a: Resolution, b: Resolution, is_date: bool) -> Option<Resolution> {
    let is_in_months = |resolution: Resolution| matches!(resolution.unit, Unit::Year | Unit::Month);
    let in_days = |resolution| match is_in_months(resolution) {
        true => Resolution { multiple: 1, unit: Unit::Day },
        false => resolution,
    };
    let [a, b] = match is_in_months(a) == is_in_months(b) {
        true => [a, b],
        false if is_date => [a, b].map(in_days),
        false => return None,
    };
    let unit = if size(a.unit) < size(b.unit) { a.unit } else { b.unit };
    let count = |resolution: Resolution| i128::from(resolution.multiple) * size(resolution.unit);
    let (mut greatest, mut rest) = (count(a), count(b));
    while rest > 0 {
        (greatest, rest) = (rest, greatest % rest);
    }
    let multiple = u32::try_from(greatest / size(unit)).ok()?;
    // The first resolution, if it is as long: 60 seconds are a minute.
    let is_same = |resolution: &Resolution| count(*resolution) == greatest;
    Some([a, b].into_iter().find(is_same).unwrap_or(Resolution { multiple, unit }))
}

/// Returns the attoseconds of a unit, and the months of one that is not a whole number of these.
fn size(unit: Unit) -> i128 {
    let months = if unit == Unit::Year { 12 } else { 1 };
    attoseconds_of(unit).unwrap_or(months)
}
