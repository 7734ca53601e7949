//! The first pass: what kind of value a row is.

use std::collections::HashSet;

use serde::ser::{
    Impossible, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeTuple,
    SerializeTupleStruct, Serializer,
};

use crate::dtype::{DType, Field, Scalar, ScalarKind};
use crate::limits::{Limits, MAX_ITEMSIZE, MAX_NDIM};
use crate::serde::RowError;

/// What is known of a value: enough for its dtype.
#[derive(Debug, PartialEq, Clone)]
pub(super) enum Kind {
    /// Nothing yet: before the first row, and what is in an empty sequence.
    Unknown,
    Bool,
    /// Of so many bytes, as the others.
    Int(usize),
    UInt(usize),
    Float(usize),
    /// Up to so many code points.
    Str(usize),
    /// Up to so many bytes.
    Bytes(usize),
    Sequence(usize, Box<Kind>),
    Record(Vec<(String, Kind)>),
}

impl Kind {
    /// Widens this to what holds the other, too.
    pub(super) fn join(&mut self, other: Kind) -> Result<(), RowError> {
        use Kind::{Bytes, Float, Int, Record, Sequence, Str, UInt, Unknown};
        match (&mut *self, other) {
            (_, Unknown) => {}
            (Unknown, other) => *self = other,
            (Int(a), Int(b)) | (UInt(a), UInt(b)) | (Float(a), Float(b)) => *a = (*a).max(b),
            (Str(a), Str(b)) | (Bytes(a), Bytes(b)) => *a = (*a).max(b),
            // A signed integer of twice the bytes holds an unsigned one, and a float of 8 bytes one of 4. What has 8 may
            // hold it, as most of what JSON calls a number: whether it does is looked at when it is written.
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

    /// Whether both are the same but for the length of text.
    fn is_like(&self, other: &Kind) -> bool {
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

    /// The dtype that holds all that was seen.
    pub(super) fn dtype(&self) -> Result<DType, RowError> {
        let scalar = |kind, size| Ok(Scalar::new(kind, size).into());
        let dtype: DType = match self {
            // No value of it will ever be written; NumPy's default.
            Kind::Unknown => scalar(ScalarKind::Float, 8),
            Kind::Bool => scalar(ScalarKind::Bool, 1),
            Kind::Int(size) => scalar(ScalarKind::Int, *size),
            Kind::UInt(size) => scalar(ScalarKind::UInt, *size),
            Kind::Float(size) => scalar(ScalarKind::Float, *size),
            // As in NumPy, text that is empty everywhere has room for one character.
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
                    placed.push(Field::new(name, None, offset, dtype));
                    offset = end;
                }
                Ok(DType::from_fields(placed, offset))
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
        "it takes {size} bytes a row, and an item of NumPy's 2147483647 at most"
    )))
}

/// Fields are matched by name; each row has them all.
fn join_records(
    fields: &mut [(String, Kind)],
    others: Vec<(String, Kind)>,
) -> Result<(), RowError> {
    let counts = (fields.len(), others.len());
    for (i, (name, kind)) in others.into_iter().enumerate() {
        // At the same place, as a rule.
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

/// Finds the kind of a value.
#[derive(Clone, Copy, Default)]
pub(super) struct Measure {
    /// How many values it is in.
    depth: usize,
}

impl Measure {
    /// Finds the kind of what is in this value: by recursion, so not too deep.
    fn inside(self) -> Result<Measure, RowError> {
        let most = Limits::default().brackets();
        if self.depth >= most {
            return Err(RowError::new(format!(
                "values nested more than {most} deep; no header holds their dtype"
            )));
        }
        Ok(Measure { depth: self.depth.saturating_add(1) })
    }
}

/// The values of a sequence, which are of one kind.
pub(super) struct Sequence {
    inside: Measure,
    of: Kind,
    count: usize,
}

impl SerializeSeq for Sequence {
    type Ok = Kind;
    type Error = RowError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), RowError> {
        self.count = self.count.saturating_add(1);
        self.of.join(value.serialize(self.inside)?)
    }

    fn end(self) -> Result<Kind, RowError> {
        Ok(Kind::Sequence(self.count, Box::new(self.of)))
    }
}

/// The parts of a tuple (also of an array `[T; N]`, which serde cannot tell from one) or of a tuple struct.
pub(super) struct Tuple {
    inside: Measure,
    parts: Vec<Kind>,
    may_be_sequence: bool,
}

impl Tuple {
    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), RowError> {
        let at = self.parts.len();
        let part = value.serialize(self.inside).map_err(|error| error.within(&format!("f{at}")))?;
        self.parts.push(part);
        Ok(())
    }

    fn kind(self) -> Result<Kind, RowError> {
        let alike = self.parts.windows(2).all(|pair| match pair {
            [one, other] => one.is_like(other),
            _ => true,
        });
        if alike && self.may_be_sequence {
            let mut of = Kind::Unknown;
            let count = self.parts.len();
            self.parts.into_iter().try_for_each(|part| of.join(part))?;
            return Ok(Kind::Sequence(count, Box::new(of)));
        }
        let named = |(i, part)| (format!("f{i}"), part);
        Ok(Kind::Record(self.parts.into_iter().enumerate().map(named).collect()))
    }
}

impl SerializeTuple for Tuple {
    type Ok = Kind;
    type Error = RowError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), RowError> {
        self.push(value)
    }

    fn end(self) -> Result<Kind, RowError> {
        self.kind()
    }
}

impl SerializeTupleStruct for Tuple {
    type Ok = Kind;
    type Error = RowError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), RowError> {
        self.push(value)
    }

    fn end(self) -> Result<Kind, RowError> {
        self.kind()
    }
}

/// The fields of a struct or a map.
pub(super) struct Fields {
    inside: Measure,
    fields: Vec<(String, Kind)>,
    key: String,
}

impl Fields {
    fn new(inside: Measure) -> Self {
        Fields { inside, fields: Vec::new(), key: String::new() }
    }

    fn push<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), RowError> {
        let kind = value.serialize(self.inside).map_err(|error| error.within(name))?;
        self.fields.push((name.to_owned(), kind));
        Ok(())
    }
}

impl SerializeStruct for Fields {
    type Ok = Kind;
    type Error = RowError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), RowError> {
        self.push(name, value)
    }

    fn end(self) -> Result<Kind, RowError> {
        Ok(Kind::Record(self.fields))
    }
}

impl SerializeMap for Fields {
    type Ok = Kind;
    type Error = RowError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), RowError> {
        self.key = super::key::text(key)?;
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), RowError> {
        let name = std::mem::take(&mut self.key);
        self.push(&name, value)
    }

    fn end(self) -> Result<Kind, RowError> {
        Ok(Kind::Record(self.fields))
    }
}

/// The error for what has no fixed size.
pub(super) fn no_dtype<T>(what: &str) -> Result<T, RowError> {
    Err(RowError::new(format!("{what} has no dtype")))
}

/// The error for `None`.
pub(super) fn none<T>() -> Result<T, RowError> {
    no_dtype("`None` (use a value that stands for none: NaN, -1, an empty text)")
}

/// The error for a variant that is more than its name.
pub(super) fn variant<T>(name: &str) -> Result<T, RowError> {
    no_dtype(&format!("a variant of {name} with fields"))
}

/// The methods of scalars, each of which is a kind.
macro_rules! scalars {
    ($($method:ident($value:ident: $type:ty) => $kind:expr),* $(,)?) => {$(
        fn $method(self, $value: $type) -> Result<Kind, RowError> {
            Ok($kind)
        }
    )*};
}

impl Serializer for Measure {
    type Ok = Kind;
    type Error = RowError;
    type SerializeSeq = Sequence;
    type SerializeTuple = Tuple;
    type SerializeTupleStruct = Tuple;
    type SerializeTupleVariant = Impossible<Kind, RowError>;
    type SerializeMap = Fields;
    type SerializeStruct = Fields;
    type SerializeStructVariant = Impossible<Kind, RowError>;

    scalars! {
        serialize_bool(_value: bool) => Kind::Bool,
        serialize_i8(_value: i8) => Kind::Int(1),
        serialize_i16(_value: i16) => Kind::Int(2),
        serialize_i32(_value: i32) => Kind::Int(4),
        serialize_i64(_value: i64) => Kind::Int(8),
        serialize_u8(_value: u8) => Kind::UInt(1),
        serialize_u16(_value: u16) => Kind::UInt(2),
        serialize_u32(_value: u32) => Kind::UInt(4),
        serialize_u64(_value: u64) => Kind::UInt(8),
        serialize_f32(_value: f32) => Kind::Float(4),
        serialize_f64(_value: f64) => Kind::Float(8),
        serialize_char(_value: char) => Kind::Str(1),
        serialize_str(text: &str) => Kind::Str(text.chars().count()),
        serialize_bytes(bytes: &[u8]) => Kind::Bytes(bytes.len()),
    }

    fn serialize_none(self) -> Result<Kind, RowError> {
        none()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Kind, RowError> {
        value.serialize(self.inside()?)
    }

    fn serialize_unit(self) -> Result<Kind, RowError> {
        no_dtype("`()`")
    }

    fn serialize_unit_struct(self, name: &'static str) -> Result<Kind, RowError> {
        no_dtype(name)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<Kind, RowError> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<Kind, RowError> {
        value.serialize(self.inside()?)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<Kind, RowError> {
        variant(name)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Sequence, RowError> {
        Ok(Sequence { inside: self.inside()?, of: Kind::Unknown, count: 0 })
    }

    fn serialize_tuple(self, _: usize) -> Result<Tuple, RowError> {
        Ok(Tuple { inside: self.inside()?, parts: Vec::new(), may_be_sequence: true })
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Tuple, RowError> {
        Ok(Tuple { inside: self.inside()?, parts: Vec::new(), may_be_sequence: false })
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, RowError> {
        variant(name)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Fields, RowError> {
        self.inside().map(Fields::new)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Fields, RowError> {
        self.inside().map(Fields::new)
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, RowError> {
        variant(name)
    }
}
