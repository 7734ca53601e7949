//! The serializer of Python objects.

use std::fmt::{self, Display};

use serde::ser::{
    self, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use crate::checked;
use crate::error::{Error, ErrorKind};
use crate::header::Header;
use crate::serde::{ARRAY_ANSWER, ARRAY_TOKEN};
use crate::write::ArrayWriter;
use crate::write::object::{Pickle, changed};
use npy_pickle::emit::Batches;

/// The most lists, tuples, dicts and arrays around a value: values are serialized by recursion.
const MAX_DEPTH: usize = 128;

/// Writes a value as an array of objects.
pub(super) fn write<T: Serialize + ?Sized>(value: &T, to: ArrayWriter<'_>) -> Result<(), Error> {
    let serialize = |pickle: &mut Pickle<'_>, role: Role| {
        value.serialize(ObjectSerializer { pickle, depth: 0, role }).map_err(Error::from)
    };
    let root = serialize(&mut Pickle::new(None)?, Role::MeasuredRoot)?;
    let Made::Sequence(count) = root else {
        return to.options.write_pickled(&[], to.sink, &|pickle| {
            let mut list = pickle.to.begin_list()?;
            list.next(&mut pickle.to)?;
            serialize(pickle, Role::Value)?;
            list.end(&mut pickle.to)
        });
    };
    to.options.write_pickled(&[count], to.sink, &|pickle| match serialize(pickle, Role::Root)? {
        Made::Sequence(found) if found == count => Ok(()),
        _ => Err(changed()),
    })
}

/// The error of a value that cannot be serialized, or written.
#[derive(Debug)]
enum ObjectError {
    Failed(Error),
    /// Not a failure, but the answer of a format that has arrays: see [`has_arrays`](crate::serde::has_arrays).
    TakesArrays,
}

impl ObjectError {
    fn invalid(reason: impl Into<String>) -> Self {
        Error::from(ErrorKind::InvalidValue { reason: reason.into() }).into()
    }

    /// Adds the field around the error.
    fn in_field(self, name: &str) -> Self {
        match self {
            ObjectError::Failed(error) if !error.is_io() => error.in_field(name).into(),
            other => other,
        }
    }
}

impl From<Error> for ObjectError {
    fn from(error: Error) -> Self {
        ObjectError::Failed(error)
    }
}

impl From<ObjectError> for Error {
    fn from(error: ObjectError) -> Self {
        match error {
            ObjectError::Failed(error) => error,
            ObjectError::TakesArrays => changed(),
        }
    }
}

impl Display for ObjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ObjectError::Failed(error) => error.fmt(f),
            ObjectError::TakesArrays => f.write_str(ARRAY_ANSWER),
        }
    }
}

impl std::error::Error for ObjectError {}

impl ser::Error for ObjectError {
    fn custom<T: Display>(reason: T) -> Self {
        match reason.to_string() {
            reason if reason == ARRAY_TOKEN => ObjectError::TakesArrays,
            reason => ObjectError::invalid(reason),
        }
    }
}

/// The purpose for which a value is serialized.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    /// The outermost value, which is not written yet: only the elements of a sequence are counted.
    MeasuredRoot,
    /// The outermost value, which is a sequence: the list of all objects.
    Root,
    Value,
    /// A key of a dict, which Python must be able to hash.
    Key,
    /// The header of an array: its bytes are returned.
    Header,
    /// Bytes of the elements of an array, which are written as they are.
    Elements,
}

/// The result of serializing a value.
enum Made {
    Object,
    /// The outermost value is a sequence of this many elements.
    Sequence(usize),
    Header(Vec<u8>),
}

struct ObjectSerializer<'p, 'w> {
    pickle: &'p mut Pickle<'w>,
    /// The number of lists, tuples, dicts and arrays around the value.
    depth: usize,
    role: Role,
}

/// The parts of a list, tuple, dict or array.
struct Parts<'p, 'w> {
    pickle: &'p mut Pickle<'w>,
    depth: usize,
    form: Form,
    /// The role of the parts.
    role: Role,
    /// The number of items so far.
    count: usize,
    /// True if this is the list of all objects, whose number is returned.
    is_root: bool,
    /// True for the fields of a variant: they are the value in a dict of one entry, which ends after them.
    in_variant: bool,
}

enum Form {
    List(Batches),
    Tuple,
    Dict(Batches),
    /// An array. The next part is its header.
    Array,
    /// An array of objects.
    Objects(Batches),
    /// An array of other elements, whose bytes end at this position in the pickle.
    Elements(u64),
    /// The parts are not written.
    Skipped,
}

type Begun<'p, 'w> = Result<Parts<'p, 'w>, ObjectError>;

impl<'p, 'w> ObjectSerializer<'p, 'w> {
    /// Starts a list, tuple, dict or array, whose parts have this role.
    fn begin(
        self,
        role: Role,
        form: impl FnOnce(&mut Pickle<'w>) -> Result<Form, Error>,
    ) -> Begun<'p, 'w> {
        let depth = self.inner_depth()?;
        let ObjectSerializer { pickle, role: own, .. } = self;
        let form = if own == Role::MeasuredRoot { Form::Skipped } else { form(pickle)? };
        Ok(Parts { pickle, depth, form, role, count: 0, is_root: false, in_variant: false })
    }

    /// Returns the depth of the parts of this value.
    fn inner_depth(&self) -> Result<usize, ObjectError> {
        if self.depth >= MAX_DEPTH {
            return Err(ObjectError::invalid(format!(
                "values are nested more than {MAX_DEPTH} deep; store them in one list, and refer to them by their positions"
            )));
        }
        Ok(checked::add(self.depth, 1))
    }

    fn list(self) -> Begun<'p, 'w> {
        self.no_key("a list")?;
        let is_root = matches!(self.role, Role::MeasuredRoot | Role::Root);
        let list = self.begin(Role::Value, |pickle| Ok(Form::List(pickle.to.begin_list()?)))?;
        Ok(Parts { is_root, ..list })
    }

    fn tuple(self) -> Begun<'p, 'w> {
        if matches!(self.role, Role::MeasuredRoot | Role::Root) {
            return self.list();
        }
        // The parts of a key are hashed, too.
        let role = self.role;
        self.begin(role, |pickle| {
            pickle.to.begin_tuple()?;
            Ok(Form::Tuple)
        })
    }

    fn dict(self) -> Begun<'p, 'w> {
        self.no_key("a dict")?;
        self.begin(Role::Value, |pickle| Ok(Form::Dict(pickle.to.begin_dict()?)))
    }

    /// Starts a dict of one entry, and returns the serializer of its value.
    fn variant(self, name: &str) -> Result<Self, ObjectError> {
        self.no_key("a dict")?;
        let depth = self.inner_depth()?;
        self.pickle.to.begin_entry()?;
        self.pickle.to.str(name)?;
        Ok(ObjectSerializer { pickle: self.pickle, depth, role: Role::Value })
    }

    fn no_key(&self, what: &str) -> Result<(), ObjectError> {
        if self.role == Role::Key {
            return Err(ObjectError::invalid(format!(
                "{what} cannot be the key of a dict in Python; use text, a number or a tuple"
            )));
        }
        Ok(())
    }
}

/// The methods for values without parts.
macro_rules! leaves {
    ($($method:ident($value:ident: $type:ty) => $emit:ident($argument:expr);)*) => {$(
        fn $method(self, $value: $type) -> Result<Made, ObjectError> {
            self.pickle.to.$emit($argument)?;
            Ok(Made::Object)
        }
    )*};
}

impl<'p, 'w> Serializer for ObjectSerializer<'p, 'w> {
    type Ok = Made;
    type Error = ObjectError;
    type SerializeSeq = Parts<'p, 'w>;
    type SerializeTuple = Parts<'p, 'w>;
    type SerializeTupleStruct = Parts<'p, 'w>;
    type SerializeTupleVariant = Parts<'p, 'w>;
    type SerializeMap = Parts<'p, 'w>;
    type SerializeStruct = Parts<'p, 'w>;
    type SerializeStructVariant = Parts<'p, 'w>;

    leaves! {
        serialize_bool(value: bool) => bool(value);
        serialize_i8(value: i8) => int(value.into());
        serialize_i16(value: i16) => int(value.into());
        serialize_i32(value: i32) => int(value.into());
        serialize_i64(value: i64) => int(value.into());
        serialize_i128(value: i128) => int(value);
        serialize_u8(value: u8) => int(value.into());
        serialize_u16(value: u16) => int(value.into());
        serialize_u32(value: u32) => int(value.into());
        serialize_u64(value: u64) => int(value.into());
        serialize_u128(value: u128) => uint(value);
        serialize_f32(value: f32) => float(value.into());
        serialize_f64(value: f64) => float(value);
        serialize_char(value: char) => str(value.encode_utf8(&mut [0; 4]));
        serialize_str(text: &str) => str(text);
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<Made, ObjectError> {
        match self.role {
            Role::Header => return Ok(Made::Header(bytes.to_vec())),
            Role::Elements => self.pickle.to.put(bytes)?,
            _ => self.pickle.to.bytes(bytes)?,
        }
        Ok(Made::Object)
    }

    fn serialize_none(self) -> Result<Made, ObjectError> {
        self.pickle.to.none()?;
        Ok(Made::Object)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Made, ObjectError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<Made, ObjectError> {
        self.serialize_none()
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Made, ObjectError> {
        self.serialize_none()
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<Made, ObjectError> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<Made, ObjectError> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Made, ObjectError> {
        let ObjectSerializer { pickle, depth, role } = self.variant(variant)?;
        let inner = ObjectSerializer { pickle: &mut *pickle, depth, role };
        value.serialize(inner).map_err(|error| error.in_field(variant))?;
        pickle.to.end_entry()?;
        Ok(Made::Object)
    }

    fn serialize_seq(self, _: Option<usize>) -> Begun<'p, 'w> {
        self.list()
    }

    fn serialize_tuple(self, _: usize) -> Begun<'p, 'w> {
        self.tuple()
    }

    fn serialize_tuple_struct(self, name: &'static str, _: usize) -> Begun<'p, 'w> {
        if name != ARRAY_TOKEN {
            return self.tuple();
        }
        self.no_key("an array")?;
        self.begin(Role::Header, |_| Ok(Form::Array))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Begun<'p, 'w> {
        let tuple = self.variant(variant)?.tuple()?;
        Ok(Parts { in_variant: true, ..tuple })
    }

    fn serialize_map(self, _: Option<usize>) -> Begun<'p, 'w> {
        self.dict()
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Begun<'p, 'w> {
        self.dict()
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Begun<'p, 'w> {
        let dict = self.variant(variant)?.dict()?;
        Ok(Parts { in_variant: true, ..dict })
    }
}

impl Parts<'_, '_> {
    /// Serializes a value as a part.
    fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<Made, ObjectError> {
        let (pickle, depth, role) = (&mut *self.pickle, self.depth, self.role);
        value.serialize(ObjectSerializer { pickle, depth, role })
    }

    /// Adds an item to a list or tuple, or a part of an array.
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ObjectError> {
        self.count = checked::add(self.count, 1);
        match &mut self.form {
            Form::Skipped => return Ok(()),
            // When bytes are only counted, `begin_array` has counted them already.
            Form::Elements(_) if self.pickle.to.only_counts() => return Ok(()),
            Form::List(items) | Form::Objects(items) | Form::Dict(items) => {
                items.next(&mut self.pickle.to)?;
            }
            Form::Array | Form::Elements(_) | Form::Tuple => {}
        }
        match self.value(value)? {
            Made::Header(bytes) => self.begin_array(&Header::parse(&bytes)?.0),
            Made::Object | Made::Sequence(_) => Ok(()),
        }
    }

    fn begin_array(&mut self, header: &Header) -> Result<(), ObjectError> {
        let Parts { pickle, form, role, .. } = self;
        pickle.begin_array(header)?;
        if header.dtype().has_object() {
            *form = Form::Objects(pickle.to.begin_list()?);
            *role = Role::Value;
            return Ok(());
        }
        let bytes = header.data_bytes();
        pickle.to.begin_bytes(bytes)?;
        *form = Form::Elements(pickle.to.written().saturating_add(bytes));
        *role = Role::Elements;
        if pickle.to.only_counts() {
            pickle.to.count(bytes);
        }
        Ok(())
    }

    /// Adds a key to a dict.
    fn key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), ObjectError> {
        if let Form::Dict(entries) = &mut self.form {
            entries.next(&mut self.pickle.to)?;
            let (pickle, depth) = (&mut *self.pickle, self.depth);
            key.serialize(ObjectSerializer { pickle, depth, role: Role::Key })?;
        }
        Ok(())
    }

    /// Adds the value of the last key to a dict.
    fn entry<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ObjectError> {
        if let Form::Dict(_) = self.form {
            self.value(value)?;
        }
        Ok(())
    }

    fn end(self) -> Result<Made, ObjectError> {
        let to = &mut self.pickle.to;
        match self.form {
            Form::List(items) | Form::Dict(items) => items.end(to)?,
            Form::Tuple => to.end_tuple()?,
            Form::Objects(items) => {
                items.end(to)?;
                self.pickle.end_array()?;
            }
            Form::Elements(end) if to.written() == end => self.pickle.end_array()?,
            // The header is missing, or states another number of bytes. This can only happen if a type of another crate uses our name.
            Form::Elements(_) | Form::Array => return Err(changed().into()),
            Form::Skipped => {}
        }
        if self.in_variant {
            self.pickle.to.end_entry()?;
        }
        Ok(if self.is_root { Made::Sequence(self.count) } else { Made::Object })
    }
}

/// Implements serde's traits for the parts of lists, tuples and arrays.
macro_rules! items {
    ($($trait:ident::$method:ident;)*) => {$(
        impl $trait for Parts<'_, '_> {
            type Ok = Made;
            type Error = ObjectError;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ObjectError> {
                self.item(value)
            }

            fn end(self) -> Result<Made, ObjectError> {
                self.end()
            }
        }
    )*};
}

items! {
    SerializeSeq::serialize_element;
    SerializeTuple::serialize_element;
    SerializeTupleStruct::serialize_field;
    SerializeTupleVariant::serialize_field;
}

/// Implements serde's traits for the fields of structs.
macro_rules! fields {
    ($($trait:ident),*) => {$(
        impl $trait for Parts<'_, '_> {
            type Ok = Made;
            type Error = ObjectError;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), ObjectError> {
                self.key(name)?;
                self.entry(value).map_err(|error| error.in_field(name))
            }

            fn end(self) -> Result<Made, ObjectError> {
                self.end()
            }
        }
    )*};
}

fields!(SerializeStruct, SerializeStructVariant);

impl SerializeMap for Parts<'_, '_> {
    type Ok = Made;
    type Error = ObjectError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), ObjectError> {
        self.key(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ObjectError> {
        self.entry(value)
    }

    fn end(self) -> Result<Made, ObjectError> {
        self.end()
    }
}
