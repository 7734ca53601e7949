//! The first pass: finds the kind of a row.

use std::mem;

use serde::ser::Serialize;

use super::key;
use super::kind::Kind;
use crate::checked;
use crate::dtype::ScalarKind;
use crate::limits::Limits;
use crate::serde::RowError;
use crate::serde::pass::{Form, Leaf, Parts, Pass, Variant};

/// Finds the kind of a value.
#[derive(Clone, Copy, Default)]
pub(super) struct Measure {
    /// The number of values around this one.
    depth: usize,
}

impl Pass for Measure {
    type Output = Kind;
    type Error = RowError;
    type Parts = MeasureParts;

    fn leaf(self, value: Leaf<'_>) -> Result<Kind, RowError> {
        Ok(match value {
            Leaf::None(what) => return no_dtype(what),
            Leaf::Int(.., 16) | Leaf::Large(_) => return no_dtype("an integer of 128 bits"),
            Leaf::Bool(_) => Kind::Bool,
            Leaf::Int(_, ScalarKind::UInt, size) => Kind::UInt(size),
            Leaf::Int(_, _, size) => Kind::Int(size),
            Leaf::Single(_) => Kind::Float(4),
            Leaf::Float(_) => Kind::Float(8),
            Leaf::Text(text) => Kind::Str(text.chars().count()),
            Leaf::Bytes(bytes) => Kind::Bytes(bytes.len()),
        })
    }

    /// Limits the depth, as values are measured by recursion.
    fn inner(self) -> Result<Measure, RowError> {
        let max = Limits::default().brackets();
        if self.depth >= max {
            return Err(RowError::new(format!(
                "values nested more than {max} deep; no header holds their dtype"
            )));
        }
        Ok(Measure { depth: checked::add(self.depth, 1) })
    }

    fn parts(self, form: Form, variant: Option<Variant>) -> Result<MeasureParts, RowError> {
        if let Some(Variant { of, .. }) = variant {
            return no_dtype(&format!("a variant of {of} with fields"));
        }
        let inner = self.inner()?;
        Ok(MeasureParts { inner, form, count: 0, item: Kind::Unknown, fields: Vec::new() })
    }
}

/// Finds the kind of a value with parts.
pub(super) struct MeasureParts {
    inner: Measure,
    form: Form,
    /// The number of parts of a sequence, and their kind.
    count: usize,
    item: Kind,
    /// The parts of a tuple, struct or map. Those of a tuple have no names until `end`.
    fields: Vec<(String, Kind)>,
}

impl Parts for MeasureParts {
    type Output = Kind;
    type Error = RowError;

    fn key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<Option<String>, RowError> {
        key::text(key).map(Some)
    }

    fn push<T: Serialize + ?Sized>(
        &mut self,
        name: Option<&str>,
        value: &T,
    ) -> Result<(), RowError> {
        let kind = self.inner.run(value);
        if self.form == Form::Sequence {
            return self.push_item(kind?);
        }
        let kind = kind.map_err(|error| match name {
            Some(name) => error.within(name),
            None => error.within(&tuple_field(self.fields.len())),
        })?;
        self.fields.push((name.unwrap_or_default().to_owned(), kind));
        Ok(())
    }

    fn end(mut self) -> Result<Kind, RowError> {
        let pairs = self.fields.iter().zip(self.fields.iter().skip(1));
        let mut pairs = pairs.map(|((_, one), (_, other))| (one, other));
        if self.form == Form::Tuple && pairs.all(|(one, other)| one.is_like(other)) {
            self.form = Form::Sequence;
            for (_, kind) in mem::take(&mut self.fields) {
                self.push_item(kind)?;
            }
        }
        match self.form {
            Form::Sequence => return Ok(Kind::Sequence(self.count, Box::new(self.item))),
            Form::Tuple | Form::TupleStruct(_) => {
                for (i, (name, _)) in self.fields.iter_mut().enumerate() {
                    *name = tuple_field(i);
                }
            }
            Form::Named | Form::Newtype => {}
        }
        Ok(Kind::Record(self.fields))
    }
}

impl MeasureParts {
    fn push_item(&mut self, kind: Kind) -> Result<(), RowError> {
        self.count = checked::add(self.count, 1);
        self.item.join(kind)
    }
}

fn no_dtype<T>(what: &str) -> Result<T, RowError> {
    Err(RowError::new(format!("{what} has no dtype")))
}

/// Returns the name of a part of a tuple.
fn tuple_field(index: usize) -> String {
    format!("f{index}")
}
