//! The kind of a value, and the dtype for values of that kind.

use std::collections::HashSet;

use crate::dtype::{DType, Field, Scalar, ScalarKind};
use crate::limits::{MAX_ITEMSIZE, MAX_NDIM};
use crate::serde::RowError;

/// The kind of a value, from which its dtype is chosen.
#[derive(Debug, PartialEq, Clone)]
pub(super) enum Kind {
    /// Not known yet: before the first row, and for the items of an empty sequence.
    Unknown,
    Bool,
    /// An integer of this many bytes.
    Int(usize),
    UInt(usize),
    Float(usize),
    /// Text of at most this many code points.
    Str(usize),
    /// At most this many bytes.
    Bytes(usize),
    Sequence(usize, Box<Kind>),
    Record(Vec<(String, Kind)>),
}

impl Kind {
    /// Widens this kind so that it also holds the values of `other`.
    pub(super) fn join(&mut self, other: Kind) -> Result<(), RowError> {
        use Kind::{Bytes, Float, Int, Record, Sequence, Str, UInt, Unknown};
        match (&mut *self, other) {
            (_, Unknown) => {}
            (Unknown, other) => *self = other,
            (Int(a), Int(b)) | (UInt(a), UInt(b)) | (Float(a), Float(b)) => *a = (*a).max(b),
            (Str(a), Str(b)) | (Bytes(a), Bytes(b)) => *a = (*a).max(b),
            // An unsigned integer fits in a signed one of twice its bytes, and a 4-byte integer in an 8-byte float. An
            // 8-byte integer, as in JSON, may not fit; the second pass checks each value.
            (Int(a), UInt(b)) => *a = (*a).max(b.saturating_mul(2).min(8)),
            (UInt(b), Int(a)) => *self = Int(a.max(b.saturating_mul(2).min(8))),
            (Float(a), Int(b) | UInt(b)) => *a = if b < 4 { *a } else { 8 },
            (Int(b) | UInt(b), Float(a)) => *self = Float(if *b < 4 { a } else { 8 }),
            (Sequence(n, a), Sequence(m, b)) => {
                if *n != m {
                    return Err(RowError::new(format!(
                        "a sequence of {m} values, after one of {n}: a sub-array has one length"
                    )));
                }
                a.join(*b)?;
            }
            (Record(fields), Record(others)) => join_records(fields, others)?,
            (mine, other) if *mine == other => {}
            (mine, other) => {
                let (mine, other) = (mine.name(), other.name());
                return Err(RowError::new(format!(
                    "{other}, where there was {mine} before: a field has one dtype"
                )));
            }
        }
        Ok(())
    }

    /// Returns true if both are the same except for the length of text.
    pub(super) fn is_like(&self, other: &Kind) -> bool {
        match (self, other) {
            (Kind::Str(_), Kind::Str(_)) | (Kind::Bytes(_), Kind::Bytes(_)) => true,
            (Kind::Sequence(n, a), Kind::Sequence(m, b)) => n == m && a.is_like(b),
            (Kind::Record(a), Kind::Record(b)) => {
                let pairs = || a.iter().zip(b);
                a.len() == b.len() && pairs().all(|(a, b)| a.0 == b.0 && a.1.is_like(&b.1))
            }
            (one, other) => one == other,
        }
    }

    pub(super) fn is_number(&self) -> bool {
        matches!(self, Kind::Bool | Kind::Int(_) | Kind::UInt(_) | Kind::Float(_))
    }

    fn name(&self) -> &'static str {
        match self {
            Kind::Unknown => "nothing",
            Kind::Bool => "a bool",
            Kind::Int(_) => "an integer",
            Kind::UInt(_) => "an unsigned integer",
            Kind::Float(_) => "a float",
            Kind::Str(_) => "text",
            Kind::Bytes(_) => "bytes",
            Kind::Sequence(..) => "a sequence",
            Kind::Record(_) => "a record",
        }
    }

    /// Returns the dtype that holds all values of this kind.
    pub(super) fn dtype(&self) -> Result<DType, RowError> {
        let scalar = |kind, size| Ok::<DType, RowError>(Scalar::little(kind, size).into());
        let dtype: DType = match self {
            // NumPy's default dtype; no value is written in it.
            Kind::Unknown => scalar(ScalarKind::Float, 8),
            Kind::Bool => scalar(ScalarKind::Bool, 1),
            Kind::Int(size) => scalar(ScalarKind::Int, *size),
            Kind::UInt(size) => scalar(ScalarKind::UInt, *size),
            Kind::Float(size) => scalar(ScalarKind::Float, *size),
            // As in NumPy, the width is at least 1, even if the text is empty in every row.
            Kind::Str(n) => scalar(ScalarKind::Str, (*n).max(1).saturating_mul(4)),
            Kind::Bytes(n) => scalar(ScalarKind::Bytes, (*n).max(1)),
            Kind::Sequence(n, of) => {
                let of = of.dtype()?;
                fits(of.itemsize().saturating_mul(*n))?;
                let ndim = of.sub_array().map_or(0, |(_, shape)| shape.len());
                if ndim >= MAX_NDIM {
                    return Err(RowError::new(format!(
                        "sequences nested more than {MAX_NDIM} deep; a sub-array has at most {MAX_NDIM} dimensions"
                    )));
                }
                Ok(of.repeated(*n))
            }
            Kind::Record(fields) => {
                let (mut placed, mut offset) = (Vec::new(), 0usize);
                let mut names = HashSet::new();
                for (name, kind) in fields {
                    if !names.insert(name) {
                        return Err(RowError::new(format!("a second field called {name:?}")));
                    }
                    let dtype = kind.dtype().map_err(|error| error.within(name))?;
                    let end = fits(offset.saturating_add(dtype.itemsize()))?;
                    placed.push(Field::of(name, None, offset, dtype));
                    offset = end;
                }
                Ok(DType::of_fields(placed, offset))
            }
        }?;
        fits(dtype.itemsize())?;
        Ok(dtype)
    }
}

fn fits(size: usize) -> Result<usize, RowError> {
    if size <= MAX_ITEMSIZE {
        return Ok(size);
    }
    Err(RowError::new(format!(
        "it takes {size} bytes, but a NumPy item has at most 2147483647; write it in parts"
    )))
}

/// Joins the kinds of fields with the same name. Each row must have all fields.
fn join_records(
    fields: &mut [(String, Kind)],
    others: Vec<(String, Kind)>,
) -> Result<(), RowError> {
    let counts = (fields.len(), others.len());
    for (i, (name, kind)) in others.into_iter().enumerate() {
        // Fields are usually in the same order.
        let here = fields.get(i).is_some_and(|(known, _)| *known == name);
        let at = if here { Some(i) } else { fields.iter().position(|(known, _)| *known == name) };
        let Some((_, known)) = at.and_then(|at| fields.get_mut(at)) else {
            return Err(RowError::new(format!(
                "a field {name:?} that the first row does not have"
            )));
        };
        known.join(kind).map_err(|error| error.within(&name))?;
    }
    if counts.0 != counts.1 {
        return Err(RowError::new("fewer fields than the first row has"));
    }
    Ok(())
}
