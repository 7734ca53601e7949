//! Converts arrays of objects to lists of a Rust type.

use super::encode::{Encoder, unexpected};
use super::{ObjectRef, Objects};
use crate::element::type_info::TypeInfo;
use crate::element::{Element, InvalidValue, block};
use crate::error::{Error, Place};
use crate::limits::{Limits, to_u64};
use crate::plan::Cast;
use crate::reserve;
use crate::schema::Schema;

/// A Rust type that a Python object can be converted to.
pub(crate) trait FromObject: Sized {
    /// Creates the converter for all objects of an array.
    fn converter(_: Cast) -> Result<Converter, Error> {
        Ok(Converter::default())
    }

    /// Converts an object.
    fn from_object(object: ObjectRef<'_>, by: &mut Converter) -> Result<Self, InvalidValue>;
}

/// The state of a conversion: the canonical schema of the element type, and the bytes of one element. Both are empty for `String` and
/// `Vec<u8>`.
#[derive(Default)]
pub(crate) struct Converter {
    schema: Option<Schema>,
    item: Vec<u8>,
    encoder: Encoder,
}

impl<T: Element> FromObject for T {
    fn converter(cast: Cast) -> Result<Converter, Error> {
        let info = TypeInfo::of::<T>();
        let schema = Some(info.canonical()?);
        let item = reserve::zeros(T::SIZE)?;
        Ok(Converter { schema, item, encoder: Encoder::of_type(info.name(), cast) })
    }

    fn from_object(object: ObjectRef<'_>, by: &mut Converter) -> Result<Self, InvalidValue> {
        if let Some(Schema { dtype, rules }) = &by.schema {
            by.encoder.encode(object, dtype, rules, &mut by.item)?;
        }
        T::check(&by.item)?;
        Ok(T::decode(&by.item))
    }
}

impl FromObject for String {
    fn from_object(object: ObjectRef<'_>, _: &mut Converter) -> Result<Self, InvalidValue> {
        match object.text() {
            Ok(text) => Ok(text.into_owned()),
            Err(_) if object.kind() != super::Kind::Str => Err(unexpected(object, "text")),
            Err(reason) => Err(InvalidValue::new(format!("{}: {reason}", object.excerpt()))),
        }
    }
}

impl FromObject for Vec<u8> {
    fn from_object(object: ObjectRef<'_>, _: &mut Converter) -> Result<Self, InvalidValue> {
        let bytes = object.as_bytes().ok_or_else(|| unexpected(object, "bytes"))?;
        Ok(bytes.into_owned())
    }
}

/// A missing value becomes Rust's `None`: Python's `None`, `nan`, and `NaT` and `NA` of pandas.
impl<T: FromObject> FromObject for Option<T> {
    fn converter(cast: Cast) -> Result<Converter, Error> {
        T::converter(cast)
    }

    fn from_object(object: ObjectRef<'_>, by: &mut Converter) -> Result<Self, InvalidValue> {
        if object.is_missing() { Ok(None) } else { T::from_object(object, by).map(Some) }
    }
}

impl Objects {
    /// Returns the objects as values of a Rust type, in C order. Numbers that the type cannot hold exactly are converted by the cast.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidValue`], with the row, for an object that is not such a value, or that the type cannot hold.
    pub(crate) fn values<T: FromObject>(&self, cast: Cast) -> Result<Vec<T>, Error> {
        let mut converter = T::converter(cast)?;
        let mut budget = Budget::new(self);
        /// The work of looking at an entry, in bytes that are copied.
        const ENTRY: u64 = 4;
        let mut searched = 0;
        let mut values = reserve::list(self.iter().len())?;
        for (row, object) in self.iter().enumerate() {
            // A pickle can use a large dictionary any number of times, each of which is searched.
            let work = converter.encoder.searched.saturating_sub(searched);
            searched = converter.encoder.searched;
            budget
                .spend(object, to_u64(size_of::<T>()), &self.limits)
                .and_then(|()| budget.spend_bytes(work.saturating_mul(ENTRY), &self.limits))
                .map_err(|error| error.within(Place::Row(to_u64(row))))?;
            let value = T::from_object(object, &mut converter);
            let value = value.map_err(|error| block::invalid(error, row));
            // If the file could not be read, that is the cause of the error, so it is returned instead.
            values.push(value.or_else(|error| self.check_file().and(Err(error)))?);
        }
        self.check_file()?;
        Ok(values)
    }
}

/// Counts the memory of values. A pickle can use an object any number of times, with a few bytes for each use, and each use becomes a value
/// of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    spent: u64,
    pickle: u64,
}

impl Budget {
    pub(crate) fn new(of: &Objects) -> Self {
        Budget { spent: 0, pickle: of.pickle.length() }
    }

    /// Counts one use of an object that becomes a value of this size in memory. Its text and bytes count in addition.
    #[inline]
    pub(crate) fn spend(
        &mut self,
        object: ObjectRef<'_>,
        size: u64,
        limits: &Limits,
    ) -> Result<(), Error> {
        self.spend_bytes(size.saturating_add(object.object().length_of_value()), limits)
    }

    /// Counts memory of values.
    #[inline]
    pub(crate) fn spend_bytes(&mut self, bytes: u64, limits: &Limits) -> Result<(), Error> {
        self.spent = self.spent.saturating_add(bytes);
        limits.check_objects(self.spent, self.pickle)
    }
}
