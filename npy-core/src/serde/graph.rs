//! Serializes Python objects to any format of serde.

use serde::ser::{Error as _, Serialize, SerializeMap, Serializer};

use super::array::Part;
use super::from_object::Context;
use super::{NOT_LATIN, RowError};
use crate::objects::{Meaning, ObjectRef, Objects, PickledArray};
use npy_pickle::{Id, Instance, NONE, Value};

/// Serializes the object with everything in it. The table of [`object::load`](crate::object::load) shows which value each object becomes.
/// Missing values other than the float `nan` become none, and times become text.
///
/// An object of a class that this crate does not know becomes a map, such as
/// `{"class": "module.name", "arguments": […], "state": …}`, with `"items"` or `"entries"` if it is a list or a dictionary; a class or
/// function has only the name. Objects that contain themselves, or exceed the [`Limits`](crate::Limits) of the file, are errors.
///
/// ```
/// use npy_core::Objects;
///
/// // np.save("model.npy", {"name": "spam", "rates": [0.5, 2]})
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// # std::fs::write("model.npy", [
/// #     &b"\x93NUMPY\x01\x00\x76\x00"[..],
/// #     &format!("{:<117}\n", "{'descr': '|O', 'fortran_order': False, 'shape': (), }").into_bytes(),
/// #     b"\x80\x03cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85C\x01b\x87R(K\x01)cnumpy\ndtype\nX\x02\0\0\0O8K\0K\x01\x87R(K\x03X\x01\0\0\0|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tb\x89](",
/// #     b"}(X\x04\0\0\0nameX\x04\0\0\0spamX\x05\0\0\0rates](G?\xe0\0\0\0\0\0\0K\x02euetb.",
/// # ].concat())?;
/// let objects = Objects::read_npy("model.npy")?;
/// let json = serde_json::to_string(&objects).unwrap();
/// assert_eq!(json, r#"{"name":"spam","rates":[0.5,2]}"#);
/// # Ok::<(), npy_core::Error>(())
/// ```
impl Serialize for ObjectRef<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let context = Context::new(*self);
        Serialized { object: *self, context: &context }.serialize(serializer)
    }
}

/// Serializes an array without dimensions as its object, and any other array as nested sequences of its objects; see [`ObjectRef`].
impl Serialize for Objects {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.root().serialize(serializer)
    }
}

/// An object that is being serialized.
#[derive(Clone, Copy)]
struct Serialized<'a, 'c> {
    object: ObjectRef<'a>,
    context: &'c Context<'a>,
}

/// Converts an error of the crate to one of a format.
fn failed<E: serde::ser::Error>(error: RowError) -> E {
    E::custom(error.into_error())
}

impl<'a> Serialized<'a, '_> {
    fn other(self, id: Id, record: Id) -> Self {
        Serialized { object: self.object.other(id, record), ..self }
    }

    /// Calls `write` for the contents of the object, which are this many levels deep.
    fn within<T, E: serde::ser::Error>(
        self,
        levels: usize,
        write: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        // An error of the format is kept as it is; only errors of this crate are converted.
        let mut failure = None;
        let result = self.context.within(self.object, levels, || match write() {
            Ok(value) => Ok(Some(value)),
            Err(error) => {
                failure = Some(error);
                Ok(None)
            }
        });
        match (result.map_err(failed)?, failure) {
            (Some(value), _) => Ok(value),
            (None, Some(error)) => Err(error),
            (None, None) => Err(E::custom("nothing was written")),
        }
    }

    fn items<S: Serializer>(self, ids: &[Id], serializer: S) -> Result<S::Ok, S::Error> {
        self.within(1, || serializer.collect_seq(ids.iter().map(|&id| self.other(id, NONE))))
    }

    fn entries<S: Serializer>(self, pairs: &[Id], serializer: S) -> Result<S::Ok, S::Error> {
        self.within(1, || Dict { of: self, pairs }.serialize(serializer))
    }

    fn record<S: Serializer>(self, ids: &[Id], serializer: S) -> Result<S::Ok, S::Error> {
        let record = self.context.record(self.object, ids.len()).map_err(failed)?;
        self.within(1, || {
            let mut map = serializer.serialize_map(Some(ids.len()))?;
            for (&id, field) in ids.iter().zip(&record.fields) {
                let object = field.object(self.object, id);
                match field.time(object) {
                    Some(time) => map.serialize_entry(&field.name, &time)?,
                    None => {
                        map.serialize_entry(&field.name, &Serialized { object, ..self })?;
                    }
                }
            }
            map.end()
        })
    }

    fn array<S: Serializer>(
        self,
        array: PickledArray<'a>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let shape = array.shape().map_err(S::Error::custom)?;
        self.within(shape.len(), || {
            if array.data.bytes().is_some() {
                // Counts the elements.
                self.context.nested(array, true, |_| Ok(())).map_err(failed)?;
                return self.object.as_array().map_err(S::Error::custom)?.serialize(serializer);
            }
            let ids = array.objects().map_err(S::Error::custom)?;
            if ids.is_empty() {
                self.context.spend_lists(&shape).map_err(failed)?;
            }
            let record = array.record();
            let element = |id: Id| self.other(id, record);
            Part { items: ids, shape: &shape, element }.serialize(serializer)
        })
    }

    /// Serializes the call of a class or function, or its name.
    fn call<S: Serializer>(
        self,
        called: Option<&Instance<'a>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let object = self.object;
        let inner = |object| Serialized { object, ..self };
        self.within(1, || {
            let mut map = serializer.serialize_map(None)?;
            map.serialize_entry("class", &object.name().unwrap_or_default())?;
            if let Some(arguments) = object.arguments() {
                map.serialize_entry("arguments", &inner(arguments))?;
            }
            if let Some(state) = object.state() {
                map.serialize_entry("state", &inner(state))?;
            }
            let (ids, pairs) = called.map_or((&[][..], &[][..]), |o| (o.items(), o.pairs()));
            if !ids.is_empty() {
                let (shape, element) = (&[ids.len()], |id: Id| self.other(id, NONE));
                map.serialize_entry("items", &Part { items: ids, shape, element })?;
            }
            if !pairs.is_empty() {
                map.serialize_entry("entries", &Dict { of: self, pairs })?;
            }
            map.end()
        })
    }
}

impl<'a> Serialized<'a, '_> {
    fn value<S: Serializer>(self, value: &Value<'a>, serializer: S) -> Result<S::Ok, S::Error> {
        let object = self.object;
        match value {
            Value::None => serializer.serialize_none(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Int(number) => serializer.serialize_i64(*number),
            Value::BigInt(number) => match (number.to_i128(), number.to_u128()) {
                (Some(number), _) => match (i64::try_from(number), u64::try_from(number)) {
                    (Ok(number), _) => serializer.serialize_i64(number),
                    (_, Ok(number)) => serializer.serialize_u64(number),
                    _ => serializer.serialize_i128(number),
                },
                (None, Some(number)) => serializer.serialize_u128(number),
                (None, None) => {
                    Err(S::Error::custom("an integer of more than 128 bits cannot be serialized"))
                }
            },
            Value::Float(number) => serializer.serialize_f64(*number),
            Value::Complex(re, im) => (re, im).serialize(serializer),
            Value::Str => match object.text() {
                Ok(text) => serializer.serialize_str(&text),
                Err(reason) => Err(S::Error::custom(format_args!("{object}: {reason}"))),
            },
            Value::Bytes | Value::ByteArray => match object.object().bytes() {
                Some(bytes) => serializer.serialize_bytes(&bytes),
                None => Err(S::Error::custom(NOT_LATIN)),
            },
            Value::List(ids) | Value::Tuple(ids) | Value::Set(ids) | Value::FrozenSet(ids) => {
                self.items(ids, serializer)
            }
            Value::Dict(pairs) => self.entries(pairs, serializer),
            Value::Date(date) => serializer.collect_str(date),
            Value::Time(time) => serializer.collect_str(time),
            Value::DateTime(time) => serializer.collect_str(time),
            Value::TimeDelta(span) => serializer.serialize_str(&span.in_units()),
            Value::Decimal(digits) => serializer.serialize_str(digits),
            Value::Range(range) => {
                serializer.collect_seq(self.context.range(*range).map_err(failed)?)
            }
            Value::Global => self.call(None, serializer),
            Value::Instance(instance) => self.call(Some(instance), serializer),
        }
    }
}

impl Serialize for Serialized<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let object = self.object;
        self.context.spend(object).map_err(failed)?;
        match object.meaning() {
            Meaning::Python(value) => self.value(&value, serializer),
            Meaning::Missing => serializer.serialize_none(),
            Meaning::Record(ids) => self.record(ids, serializer),
            Meaning::Array(array) => self.array(array, serializer),
            Meaning::Scalar(_) => {
                object.as_array().map_err(S::Error::custom)?.serialize(serializer)
            }
            Meaning::DType => object.as_dtype().map_err(S::Error::custom)?.serialize(serializer),
        }
    }
}

/// The entries of a dictionary.
struct Dict<'a, 's, 'c> {
    of: Serialized<'a, 'c>,
    /// Keys and values alternate.
    pairs: &'s [Id],
}

impl Serialize for Dict<'_, '_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let pair = |&[key, value]: &[Id; 2]| (self.of.other(key, NONE), self.of.other(value, NONE));
        serializer.collect_map(self.pairs.as_chunks().0.iter().map(pair))
    }
}
