//! The fields of the items of an array of records.

use std::collections::HashMap;

use super::known::Meaning;
use super::{ObjectRef, dtype};
use crate::calendar::NAT;
use crate::dtype::{Scalar, ScalarKind};
use crate::error::Error;
use crate::value::Value;
use npy_pickle::{Id, NONE, Object, Value as Python};

/// The fields, in the order of the items of a record.
pub(crate) struct Record {
    pub(crate) fields: Vec<RecordField>,
    /// The indices of the fields.
    by_name: HashMap<String, usize>,
}

pub(crate) struct RecordField {
    pub(crate) name: String,
    /// The node of the dtype if the field is a record, and otherwise `NONE`.
    record: Id,
    /// The dtype if the field is a time. NumPy may pickle its values as counts.
    time: Option<Scalar>,
}

impl Record {
    /// Returns the fields of this item.
    pub(crate) fn of(record: ObjectRef<'_>) -> Result<Self, Error> {
        let dtype = dtype::parse(record.of.pickle.object(record.record))?;
        let scalars = dtype.fields().iter().map(|field| (field.name(), field.dtype().scalar()));
        let scalars: HashMap<_, _> = scalars.collect();
        let field = |(name, inner): (Object<'_>, Id)| {
            let name = match name.text() {
                Ok(name) => name.into_owned(),
                Err(_) => record.other(name.id(), NONE).to_string(),
            };
            let time = scalars.get(name.as_str()).copied().flatten().copied().filter(|scalar| {
                matches!(scalar.kind(), ScalarKind::DateTime(_) | ScalarKind::TimeDelta(_))
            });
            RecordField { name, record: inner, time }
        };
        let fields: Vec<_> = record.fields().map(field).collect();
        let by_name = fields.iter().enumerate().map(|(i, field)| (field.name.clone(), i)).collect();
        Ok(Record { fields, by_name })
    }

    /// Returns a field and its object in a record.
    pub(super) fn get<'a>(
        &self,
        name: &str,
        record: ObjectRef<'a>,
        ids: &[Id],
    ) -> Option<(&RecordField, ObjectRef<'a>)> {
        let &index = self.by_name.get(name)?;
        let field = self.fields.get(index)?;
        Some((field, field.object(record, *ids.get(index)?)))
    }
}

impl RecordField {
    /// Returns the object of this field.
    pub(crate) fn object<'a>(&self, record: ObjectRef<'a>, id: Id) -> ObjectRef<'a> {
        record.other(id, self.record)
    }

    /// Returns the object as a time, if the field is a time and the object is a count, or `None`, which means NaT.
    pub(crate) fn time(&self, object: ObjectRef<'_>) -> Option<Value<'static>> {
        let time = self.time?;
        let count = match object.meaning() {
            Meaning::Python(Python::Int(count)) => count,
            Meaning::Python(Python::None) => NAT,
            _ => return None,
        };
        match time.kind() {
            ScalarKind::DateTime(unit) => Some(Value::DateTime(count, unit)),
            ScalarKind::TimeDelta(unit) => Some(Value::TimeDelta(count, unit)),
            _ => None,
        }
    }
}
