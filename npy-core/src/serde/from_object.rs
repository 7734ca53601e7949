//! Python objects as values of any type that can be deserialized.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::entries::{Entries, Entry, Variant};
use super::floats::Float;
use super::nested::{ArrayBytes, Axes, Nested, Parts, visit_items};
use super::rows::{Row, pair, shared_methods, visit_all};
use super::{ARRAY_TOKEN, COMPLEX, NOT_LATIN, RowError, Step, weight};
use crate::checked;
use crate::dtype::descr::excerpt;
use crate::dtype::{DType, Scalar, ScalarKind};
use crate::error::Error;
use crate::header::Header;
use crate::limits::to_u64;
use crate::objects::{
    Budget, Kind, Meaning, ObjectRef, Pairs, PickledArray, Record, RecordField, check_no_objects,
    is_missing, pairs,
};
use crate::shape::Order;
use crate::value::Value;
use npy_pickle::{Id, NONE, Range, Value as Python};

/// Deserializes a value from an object.
pub(super) fn from_object<'de, T: Deserialize<'de>>(object: ObjectRef<'de>) -> Result<T, Error> {
    let context = Context::new(object);
    T::deserialize(Object { object, context: &context }).map_err(RowError::into_error)
}

/// The state of a conversion.
pub(super) struct Context<'a> {
    /// Any object of the graph.
    object: ObjectRef<'a>,
    budget: RefCell<Budget>,
    /// The containers around the current object, once for each level.
    open: RefCell<Vec<Id>>,
    /// The dtypes that were parsed so far, by their nodes.
    dtypes: RefCell<HashMap<Id, Rc<DType>>>,
    records: RefCell<HashMap<Id, Rc<Record>>>,
}

impl<'a> Context<'a> {
    pub(super) fn new(object: ObjectRef<'a>) -> Self {
        Context {
            object,
            budget: RefCell::new(Budget::new(object.of)),
            open: RefCell::default(),
            dtypes: RefCell::default(),
            records: RefCell::default(),
        }
    }

    /// Counts an object that becomes a value.
    pub(super) fn spend(&self, object: ObjectRef<'_>) -> Result<(), RowError> {
        Ok(self.budget.borrow_mut().spend(object, weight::VALUE, object.limits())?)
    }

    /// Counts this many values, each of which takes this many bytes.
    fn spend_values(&self, count: u64, size: u64) -> Result<(), RowError> {
        let bytes = count.saturating_mul(size);
        Ok(self.budget.borrow_mut().spend_bytes(bytes, self.object.limits())?)
    }

    /// Counts the memory of a map, in addition to that of its entries.
    pub(super) fn spend_map(&self, entries: usize) -> Result<(), RowError> {
        self.spend_values(to_u64(entries.min(1)), weight::MAP)
    }

    /// Calls `read` for the contents of a container, which are this many levels deep.
    pub(super) fn within<T>(
        &self,
        container: ObjectRef<'_>,
        levels: usize,
        read: impl FnOnce() -> Result<T, RowError>,
    ) -> Result<T, RowError> {
        let depth = self.open.borrow().len();
        if self.open.borrow().contains(&container.id) {
            let reason = format!(
                "{} contains itself, which no value of serde does; npy_core::Objects has its parts",
                container.kind()
            );
            return Err(RowError::new(reason));
        }
        let inner = depth.saturating_add(levels);
        container.limits().check_object_depth(inner)?;
        self.open.borrow_mut().resize(inner, container.id);
        let result = read();
        self.open.borrow_mut().truncate(depth);
        result
    }

    /// Counts the nested lists that an array without elements becomes. They take no bytes in the pickle.
    pub(super) fn spend_lists(&self, shape: &[usize]) -> Result<(), RowError> {
        let lists = shape.iter().fold(1, |lists: u64, &n| lists.saturating_mul(to_u64(n.max(1))));
        self.spend_values(lists, weight::VALUE)
    }

    /// Returns the numbers of a range, after counting them.
    pub(super) fn range(
        &self,
        range: Range,
    ) -> Result<impl ExactSizeIterator<Item = i64>, RowError> {
        let malformed = || RowError::new("the range is malformed; save the array again");
        let numbers = range.numbers().ok_or_else(malformed)?;
        self.spend_values(to_u64(numbers.len()), weight::VALUE)?;
        Ok(numbers)
    }

    /// Returns the dtype of an array without Python objects.
    fn dtype(&self, array: PickledArray<'_>) -> Result<Rc<DType>, RowError> {
        let id = array.dtype.id();
        if let Some(dtype) = self.dtypes.borrow().get(&id) {
            return Ok(Rc::clone(dtype));
        }
        let dtype = Rc::new(self.object.other(id, NONE).as_dtype()?);
        check_no_objects(&dtype)?;
        self.dtypes.borrow_mut().insert(id, Rc::clone(&dtype));
        Ok(dtype)
    }

    /// Returns the fields of a record with this many items.
    pub(super) fn record(
        &self,
        record: ObjectRef<'_>,
        items: usize,
    ) -> Result<Rc<Record>, RowError> {
        let known = self.records.borrow().get(&record.record).cloned();
        let fields = match known {
            Some(fields) => fields,
            None => Rc::new(Record::of(record)?),
        };
        self.records.borrow_mut().entry(record.record).or_insert_with(|| Rc::clone(&fields));
        let expected = fields.fields.len();
        if expected != items {
            return Err(RowError::new(format!(
                "the record has {items} items, and its dtype has {expected} fields; save the array again"
            )));
        }
        Ok(fields)
    }

    /// Calls `read` with a scalar of NumPy.
    pub(super) fn scalar<T>(
        &self,
        scalar: PickledArray<'_>,
        read: impl FnOnce(Row<'_>) -> Result<T, RowError>,
    ) -> Result<T, RowError> {
        let dtype = self.dtype(scalar)?;
        match scalar.data.bytes() {
            Some(bytes) if bytes.len() == dtype.itemsize() => read(Row(Value::new(&dtype, &bytes))),
            _ => Err(RowError::new(format!(
                "a scalar of dtype {dtype} does not have {} bytes; save the array again",
                dtype.itemsize()
            ))),
        }
    }

    /// Calls `read` with an array that has no Python objects. If `are_values`, each element becomes a value, and counts as one.
    pub(super) fn nested<T>(
        &self,
        array: PickledArray<'_>,
        are_values: bool,
        read: impl FnOnce(Nested<'_>) -> Result<T, RowError>,
    ) -> Result<T, RowError> {
        let dtype = self.dtype(array)?;
        let header = Header::new(DType::clone(&dtype), array.shape()?, array.order)?;
        // The element of an array without dimensions is always read into memory first, because it is borrowed from there.
        let in_file = array.data.left_out().filter(|_| !header.shape().is_empty());
        let in_file = in_file.zip(self.object.of.file.as_deref());
        let in_file = in_file.map(|(contents, file)| ArrayBytes::of_file(file, contents));
        let in_memory = if in_file.is_some() { None } else { array.data.bytes() };
        let in_memory = in_memory.as_deref().unwrap_or_default();
        let bytes = in_file.unwrap_or(ArrayBytes::of(in_memory));
        let nested = Nested::new(&header, bytes, self.object.limits())?;
        if are_values {
            self.spend_values(header.elements(), weight::of_item(&dtype))?;
        } else {
            self.spend_values(1, bytes.length())?;
        }
        read(nested).map_err(|error| error.of_array(&dtype, header.shape()))
    }
}

/// Takes any object.
const AS_OBJECTS: &str = "read the file as Objects, which takes any object";

/// An object, as a deserializer.
#[derive(Clone, Copy)]
pub(super) struct Object<'a, 'c> {
    object: ObjectRef<'a>,
    context: &'c Context<'a>,
}

impl<'a, 'c> Object<'a, 'c> {
    fn other(self, id: Id, record: Id) -> Self {
        Object { object: self.object.other(id, record), ..self }
    }

    /// Returns the meaning of the object, and counts it.
    fn spend(self) -> Result<Meaning<'a>, RowError> {
        self.context.spend(self.object)?;
        Ok(self.object.meaning())
    }

    /// Returns the contents of a bytes object.
    fn bytes(self) -> Result<Cow<'a, [u8]>, RowError> {
        self.object.object().bytes().ok_or_else(|| RowError::new(NOT_LATIN))
    }

    /// The error for an object that cannot become a value of this type.
    fn refuse(self, expected: &dyn serde::de::Expected) -> RowError {
        let object = self.object;
        let (found, remedy) = match object.kind() {
            // Its arguments may be long, and do not help.
            kind @ (Kind::Global | Kind::Object) => {
                (format!("{kind}: {}", excerpt(&object.name().unwrap_or_default())), AS_OBJECTS)
            }
            _ if object.is_missing() => (object.described(), "read it as an Option"),
            Kind::Complex => (object.described(), COMPLEX),
            _ => (object.described(), AS_OBJECTS),
        };
        RowError::new(format!("expected {expected}, found {found}; {remedy}"))
    }

    /// Visits the object by its own kind, whatever the visitor expects.
    fn visit<V: Visitor<'a>>(self, meaning: Meaning<'a>, visitor: V) -> Result<V::Value, RowError> {
        match meaning {
            Meaning::Python(value) => self.visit_value(value, visitor),
            Meaning::Missing => visitor.visit_unit(),
            Meaning::Record(ids) => self.fields(ids, ArrayForm::Any, visitor),
            Meaning::Array(array) => self.array(array, ArrayForm::Any, visitor),
            Meaning::Scalar(scalar) => {
                self.context.scalar(scalar, |row| row.deserialize_any(visitor))
            }
            Meaning::DType => visitor.visit_string(self.object.as_dtype()?.to_string()),
        }
    }

    fn visit_value<V: Visitor<'a>>(
        self,
        value: Python<'a>,
        visitor: V,
    ) -> Result<V::Value, RowError> {
        match value {
            Python::None => visitor.visit_unit(),
            Python::Bool(value) => visitor.visit_bool(value),
            Python::Int(number) => visitor.visit_i64(number),
            Python::BigInt(number) => match (number.to_i128(), number.to_u128()) {
                (Some(number), _) => visit_integer(number, visitor),
                (None, Some(number)) => visitor.visit_u128(number),
                (None, None) => Err(RowError::new(format!(
                    "the integer {} has more than 128 bits; read the file as Objects",
                    excerpt(&number.to_string())
                ))),
            },
            Python::Float(number) => visitor.visit_f64(number),
            Python::Complex(re, im) => visit_all(visitor, pair(re, im)),
            Python::Str => match self.object.text() {
                Ok(text) => visit_text(text, visitor),
                Err(reason) => Err(RowError::new(format!("{}: {reason}", self.object))),
            },
            Python::Bytes | Python::ByteArray => visit_bytes(self.bytes()?, visitor),
            Python::List(ids) | Python::Tuple(ids) | Python::Set(ids) | Python::FrozenSet(ids) => {
                self.items(ids, visitor)
            }
            Python::Dict(entries) => self.entries(pairs(entries, &[]), visitor),
            Python::Date(date) => visitor.visit_string(date.to_string()),
            Python::Time(time) => visitor.visit_string(time.to_string()),
            Python::DateTime(time) => visitor.visit_string(time.to_string()),
            Python::TimeDelta(span) => visitor.visit_string(span.in_units()),
            Python::Decimal(digits) => visit_text(digits, visitor),
            Python::Range(range) => {
                let numbers = self.context.range(range)?;
                visit_all(visitor, numbers.map(|number| Row(Value::Int(number))))
            }
            Python::Global => Err(self.refuse(&visitor)),
            Python::Instance(object) => {
                match (object.items(), object.attributes(), object.pairs()) {
                    ([], None, []) => Err(self.refuse(&visitor)),
                    ([], attributes, entries) => {
                        self.entries(pairs(entries, attributes.unwrap_or_default()), visitor)
                    }
                    (items, None | Some([]), []) => self.items(items, visitor),
                    // A list with attributes is neither a sequence nor a map.
                    _ => Err(self.refuse(&visitor)),
                }
            }
        }
    }

    /// Visits the items of a container.
    fn items<V: Visitor<'a>>(self, ids: &'a [Id], visitor: V) -> Result<V::Value, RowError> {
        self.context.within(self.object, 1, || {
            let axes = Axes { shape: &[ids.len()], order: Order::C, has_rows: false };
            visit_items(ids.iter().map(|&id| self.other(id, NONE)), axes, visitor)
        })
    }

    fn entries<V: Visitor<'a>>(self, left: Pairs<'a>, visitor: V) -> Result<V::Value, RowError> {
        self.context.spend_map(left.size_hint().0)?;
        self.context.within(self.object, 1, || {
            let entries = left.map(|&[key, value]| DictEntry { of: self, key, value });
            let value = visitor.visit_map(Entries::new(entries));
            value.map_err(|error: RowError| error.among(|| self.object.keys()))
        })
    }

    /// Visits the fields of a record, as a map or as a sequence.
    fn fields<V: Visitor<'a>>(
        self,
        ids: &'a [Id],
        form: ArrayForm,
        visitor: V,
    ) -> Result<V::Value, RowError> {
        let record = self.context.record(self.object, ids.len())?;
        self.context.spend_map(ids.len())?;
        self.context.within(self.object, 1, || {
            let fields = ids.iter().zip(&record.fields);
            let fields = Entries::new(fields.map(|(&id, field)| Field { of: self, id, field }));
            let value = match form {
                ArrayForm::Sequence => fields.visit_seq(visitor),
                _ => visitor.visit_map(fields),
            };
            value.map_err(|error| error.among(|| self.object.keys()))
        })
    }

    /// Visits an array.
    fn array<V: Visitor<'a>>(
        self,
        array: PickledArray<'a>,
        form: ArrayForm,
        visitor: V,
    ) -> Result<V::Value, RowError> {
        let shape = array.shape()?;
        self.context.within(self.object, shape.len(), || {
            if !array.has_objects() {
                return self.context.nested(array, true, |nested| form.visit(nested, visitor));
            }
            let (ids, record) = (array.objects()?, array.record());
            if let ([], Some(&single)) = (&shape[..], ids.first()) {
                return form.visit(self.other(single, record), visitor);
            }
            if ids.is_empty() {
                self.context.spend_lists(&shape)?;
            }
            let has_rows = self.object.id == self.object.of.pickle.graph().root();
            let items = Objects { of: self, ids, record, shape: &shape, has_rows };
            form.visit(items, visitor).map_err(|error| match shape.len() {
                // An item may be a list, too.
                1 => error,
                _ => error.of_array(&Scalar::little(ScalarKind::Object, 8).into(), &shape),
            })
        })
    }
}

impl<'a> Object<'a, '_> {
    /// Visits the object for a type that is not optional.
    fn typed<V: Visitor<'a>>(self, meaning: Meaning<'a>, visitor: V) -> Result<V::Value, RowError> {
        match meaning {
            Meaning::Python(Python::None) | Meaning::Missing => Err(self.refuse(&visitor)),
            meaning => self.visit(meaning, visitor),
        }
    }

    /// Visits the object for an integer.
    fn integer<V: Visitor<'a>>(
        self,
        meaning: Meaning<'a>,
        visitor: V,
    ) -> Result<V::Value, RowError> {
        let Meaning::Python(Python::Decimal(digits)) = meaning else {
            return self.typed(meaning, visitor);
        };
        match digits.parse() {
            Ok(number) => visit_integer(number, visitor),
            Err(_) => Err(self.refuse(&visitor)),
        }
    }

    /// Visits the object for a float.
    fn float<V: Visitor<'a>>(
        self,
        meaning: Meaning<'a>,
        float: Float,
        visitor: V,
    ) -> Result<V::Value, RowError> {
        match meaning {
            Meaning::Python(Python::Decimal(digits)) => match digits.parse() {
                Ok(number) => {
                    float.check_real(number, &visitor)?;
                    visitor.visit_f64(number)
                }
                Err(_) => Err(self.refuse(&visitor)),
            },
            Meaning::Python(Python::BigInt(number)) => match number.to_i128() {
                Some(number) => {
                    float.check_integer(number, &visitor)?;
                    visitor.visit_f64(number as f64)
                }
                None => self.visit_value(Python::BigInt(number), visitor),
            },
            Meaning::Python(Python::Int(number)) => {
                float.check_integer(number.into(), &visitor)?;
                visitor.visit_i64(number)
            }
            Meaning::Python(Python::Float(number)) => {
                float.check_real(number, &visitor)?;
                visitor.visit_f64(number)
            }
            Meaning::Python(Python::Complex(..)) => Err(self.refuse(&visitor)),
            Meaning::Array(array) => self.array(array, ArrayForm::Float(float), visitor),
            Meaning::Scalar(scalar) => self.context.scalar(scalar, |row| float.visit(row, visitor)),
            meaning => self.typed(meaning, visitor),
        }
    }
}

/// The methods that read what an object means in this way.
macro_rules! methods {
    ($how:ident: $($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
            let meaning = self.spend()?;
            self.$how(meaning, visitor)
        }
    )*};
}

/// Visits an integer as the smallest type of serde that holds it.
fn visit_integer<'de, V: Visitor<'de>>(number: i128, visitor: V) -> Result<V::Value, RowError> {
    match (i64::try_from(number), u64::try_from(number)) {
        (Ok(number), _) => visitor.visit_i64(number),
        (_, Ok(number)) => visitor.visit_u64(number),
        _ => visitor.visit_i128(number),
    }
}

fn visit_text<'de, V: Visitor<'de>>(text: Cow<'de, str>, visitor: V) -> Result<V::Value, RowError> {
    match text {
        Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
        Cow::Owned(text) => visitor.visit_string(text),
    }
}

fn visit_bytes<'de, V: Visitor<'de>>(
    bytes: Cow<'de, [u8]>,
    visitor: V,
) -> Result<V::Value, RowError> {
    match bytes {
        Cow::Borrowed(bytes) => visitor.visit_borrowed_bytes(bytes),
        Cow::Owned(bytes) => visitor.visit_byte_buf(bytes),
    }
}

impl<'de> Deserializer<'de> for Object<'de, '_> {
    type Error = RowError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        let meaning = self.spend()?;
        self.visit(meaning, visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        let is_missing = match self.object.meaning() {
            Meaning::Scalar(scalar) => self.context.scalar(scalar, |row| Ok(is_missing(row.0)))?,
            _ => self.object.is_missing(),
        };
        if !is_missing {
            return visitor.visit_some(self);
        }
        self.context.spend(self.object)?;
        visitor.visit_none()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, RowError> {
        if name != ARRAY_TOKEN {
            return visitor.visit_newtype_struct(self);
        }
        match self.object.meaning() {
            Meaning::Array(array) | Meaning::Scalar(array) if !array.has_objects() => {
                self.context.spend(self.object)?;
                self.context.nested(array, false, |nested| ArrayForm::Parts.visit(nested, visitor))
            }
            Meaning::Array(array) => {
                self.context.spend(self.object)?;
                self.array(array, ArrayForm::Parts, visitor)
            }
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        let meaning = self.spend()?;
        match (meaning, self.object.as_bytes()) {
            (_, Some(bytes)) => visit_bytes(bytes, visitor),
            (Meaning::Array(array), None) => self.array(array, ArrayForm::Bytes, visitor),
            (Meaning::Scalar(scalar), None) => {
                self.context.scalar(scalar, |row| row.deserialize_bytes(visitor))
            }
            (meaning, None) => self.typed(meaning, visitor),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        match self.spend()? {
            Meaning::Record(ids) => self.fields(ids, ArrayForm::Sequence, visitor),
            Meaning::Python(Python::Bytes | Python::ByteArray) => {
                let bytes = self.bytes()?;
                self.context.spend_values(to_u64(bytes.len()), weight::VALUE)?;
                visit_all(visitor, bytes.iter().copied())
            }
            Meaning::Array(array) => self.array(array, ArrayForm::Sequence, visitor),
            Meaning::Scalar(scalar) => {
                self.context.scalar(scalar, |row| row.deserialize_seq(visitor))
            }
            meaning => self.typed(meaning, visitor),
        }
    }

    shared_methods!();

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        match self.spend()? {
            Meaning::Scalar(scalar) => {
                self.context.scalar(scalar, |row| row.deserialize_i64(visitor))
            }
            meaning => self.integer(meaning, visitor),
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        let meaning = self.spend()?;
        self.float(meaning, Float::Double, visitor)
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        let meaning = self.spend()?;
        self.float(meaning, Float::Single, visitor)
    }

    forward_to_deserialize_any! { unit unit_struct }

    /// A key of a dictionary that is not text becomes the text that it prints.
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        match self.spend()? {
            Meaning::Python(value @ (Python::Str | Python::Bytes)) => {
                self.visit_value(value, visitor)
            }
            Meaning::Scalar(scalar) => {
                self.context.scalar(scalar, |row| visitor.visit_string(row.0.to_string()))
            }
            _ => visitor.visit_string(self.object.to_string()),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, RowError> {
        match self.spend()? {
            Meaning::Python(Python::Dict(&[key, value])) => {
                self.context.within(self.object, 1, || {
                    let (key, value) = (self.other(key, NONE), self.other(value, NONE));
                    visitor.visit_enum(Variant { key, value: Some(value), failed: in_variant })
                })
            }
            Meaning::Python(Python::Str) => {
                visitor.visit_enum(Variant { key: self, value: None, failed: in_variant })
            }
            Meaning::Scalar(scalar) => {
                self.context.scalar(scalar, |row| row.deserialize_enum(name, variants, visitor))
            }
            _ => Err(self.refuse(&visitor)),
        }
    }

    methods! {
        integer: deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i128 deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
        deserialize_u128
    }

    methods! {
        typed: deserialize_bool deserialize_char deserialize_str deserialize_string deserialize_map
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, RowError> {
        self.deserialize_map(visitor)
    }
}

/// The form in which a visitor reads an array.
#[derive(Clone, Copy)]
enum ArrayForm {
    Any,
    Bytes,
    Float(Float),
    Sequence,
    /// The parts of an array of NumPy.
    Parts,
}

impl ArrayForm {
    fn visit<'de, D: Deserializer<'de, Error = RowError>, V: Visitor<'de>>(
        self,
        items: D,
        visitor: V,
    ) -> Result<V::Value, RowError> {
        match self {
            ArrayForm::Any => items.deserialize_any(visitor),
            ArrayForm::Bytes => items.deserialize_bytes(visitor),
            ArrayForm::Float(float) => float.visit(items, visitor),
            ArrayForm::Sequence => items.deserialize_seq(visitor),
            ArrayForm::Parts => items.deserialize_newtype_struct(ARRAY_TOKEN, visitor),
        }
    }
}

/// The items of an array of Python objects, or of a part of one, in C order.
#[derive(Clone, Copy)]
struct Objects<'a, 's, 'c> {
    /// The array.
    of: Object<'a, 'c>,
    ids: &'a [Id],
    /// The node of the dtype if the items are records, and otherwise `NONE`.
    record: Id,
    shape: &'s [usize],
    has_rows: bool,
}

impl<'a> Objects<'a, '_, '_> {
    /// Visits all items as one sequence.
    fn flat<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, RowError> {
        let axes = Axes { shape: self.shape, order: Order::C, has_rows: self.has_rows };
        visit_items(self.ids.iter().map(|&id| self.of.other(id, self.record)), axes, visitor)
    }
}

impl<'de> Deserializer<'de> for Objects<'de, '_, '_> {
    type Error = RowError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        let (&count, inner) = match self.shape {
            [] | [_] => return self.flat(visitor),
            [count, inner @ ..] => (count, inner),
        };
        let size = self.ids.len().checked_div(count).unwrap_or(0);
        let part = |i| {
            let ids = checked::part(self.ids, i, size);
            Objects { ids, shape: inner, has_rows: false, ..self }
        };
        let axes = Axes { shape: &[count], order: Order::C, has_rows: self.has_rows };
        visit_items((0..count).map(part), axes, visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, RowError> {
        if name != ARRAY_TOKEN {
            return visitor.visit_newtype_struct(self);
        }
        let (shape, limits, elements) = (self.shape, self.of.object.limits(), Some(Flat(self)));
        let order = Order::C;
        visitor.visit_seq(Parts { shape, order, elements, dtype: None, limits, read: 0 })
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map
        struct enum identifier
    }
}

/// All items of an array as one sequence.
struct Flat<'a, 's, 'c>(Objects<'a, 's, 'c>);

impl<'de> Deserializer<'de> for Flat<'de, '_, '_> {
    type Error = RowError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        self.0.flat(visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, _: V) -> Result<V::Value, RowError> {
        Err(RowError::new(
            "an array of Python objects is not a DynArray; read it as NpyArray<T> or Vec<T>",
        ))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes option unit unit_struct newtype_struct seq
        tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// An entry of a dictionary.
struct DictEntry<'a, 'c> {
    of: Object<'a, 'c>,
    key: Id,
    value: Id,
}

impl DictEntry<'_, '_> {
    /// Adds the key to an error.
    #[cold]
    fn locate(&self, error: RowError) -> RowError {
        let key = self.of.other(self.key, NONE).object;
        match key.as_str() {
            Some(key) => error.within(&key),
            None => error.after(Step::Key(excerpt(&key.to_string()))),
        }
    }
}

impl<'de> Entry<'de> for DictEntry<'de, '_> {
    fn key<K: DeserializeSeed<'de>>(&self, seed: K) -> Result<K::Value, RowError> {
        let key = seed.deserialize(self.of.other(self.key, NONE));
        key.map_err(|error| self.locate(error))
    }

    fn value<V: DeserializeSeed<'de>>(self, seed: V) -> Result<V::Value, RowError> {
        let value = seed.deserialize(self.of.other(self.value, NONE));
        value.map_err(|error| self.locate(error))
    }
}

/// A field of a record.
struct Field<'a, 'r, 'c> {
    of: Object<'a, 'c>,
    id: Id,
    field: &'r RecordField,
}

impl<'de> Entry<'de> for Field<'de, '_, '_> {
    fn key<K: DeserializeSeed<'de>>(&self, seed: K) -> Result<K::Value, RowError> {
        seed.deserialize(self.field.name.as_str().into_deserializer())
    }

    fn value<V: DeserializeSeed<'de>>(self, seed: V) -> Result<V::Value, RowError> {
        let object = self.field.object(self.of.object, self.id);
        let value = match self.field.time(object) {
            Some(time) => self.of.context.spend(object).and_then(|()| seed.deserialize(Row(time))),
            None => seed.deserialize(Object { object, ..self.of }),
        };
        value.map_err(|error| error.within(&self.field.name))
    }
}

/// The error for a variant: adds its name, or says that it has no contents.
fn in_variant(key: Object<'_, '_>, error: Option<RowError>) -> RowError {
    match error {
        Some(error) => error.within(&key.object.as_str().unwrap_or_default()),
        None => RowError::new(format!(
            "the variant {} has contents, but there are none; expected a dictionary of the variant and its contents",
            excerpt(&key.object.to_string())
        )),
    }
}
