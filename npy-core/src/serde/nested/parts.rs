//! Passes an array through serde without nesting, in one form.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::SeqDeserializer;
use serde::de::{
    self, Deserialize, DeserializeSeed, Deserializer, IntoDeserializer, SeqAccess, Visitor,
};

use super::native;
use crate::array::NpyArray;
use crate::checked;
use crate::dtype::DType;
use crate::dynamic::DynArray;
use crate::limits::Limits;
use crate::reserve;
use crate::serde::RowError;
use crate::shape::Order;

/// An array for a visitor that asked for one by [`ARRAY_TOKEN`](crate::serde::ARRAY_TOKEN): a sequence of its shape, true for Fortran order, its
/// elements, and if they are not Python objects also their dtype, and the limit of empty elements. The elements are one sequence, or bytes if the
/// visitor reads these.
pub(in crate::serde) struct Parts<'a, E> {
    pub(in crate::serde) shape: &'a [usize],
    pub(in crate::serde) order: Order,
    /// The elements, until they are read.
    pub(in crate::serde) elements: Option<E>,
    pub(in crate::serde) dtype: Option<&'a DType>,
    pub(in crate::serde) limits: &'a Limits,
    /// The number of parts that were read.
    pub(in crate::serde) read: usize,
}

impl<'de, E: Deserializer<'de, Error = RowError>> SeqAccess<'de> for Parts<'_, E> {
    type Error = RowError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, RowError> {
        let part = self.read;
        self.read = checked::add(part, 1);
        match (part, self.elements.take_if(|_| part == 2), self.dtype) {
            (0, ..) => seed.deserialize(SeqDeserializer::new(self.shape.iter().copied())),
            (1, ..) => seed.deserialize((self.order == Order::Fortran).into_deserializer()),
            (_, Some(elements), _) => seed.deserialize(elements),
            (3, _, Some(dtype)) => seed.deserialize(dtype.to_string().into_deserializer()),
            (4, _, Some(_)) => seed.deserialize(self.limits.empty_items.into_deserializer()),
            _ => return Ok(None),
        }
        .map(Some)
    }
}

/// Reads the shape and the order of an array.
fn layout<'de, A: SeqAccess<'de>>(seq: &mut A) -> Result<(Vec<usize>, Order), A::Error> {
    let shape = seq.next_element()?.ok_or_else(missing)?;
    let is_fortran = seq.next_element()?.ok_or_else(missing)?;
    Ok((shape, if is_fortran { Order::Fortran } else { Order::C }))
}

fn missing<E: de::Error>() -> E {
    E::custom("a part of the array is missing")
}

/// Reads an array, whose elements are deserialized.
pub(in crate::serde) fn typed<'de, T: Deserialize<'de>, A: SeqAccess<'de>>(
    mut seq: A,
) -> Result<NpyArray<T>, A::Error> {
    let (shape, order) = layout(&mut seq)?;
    let elements = seq.next_element_seed(All(PhantomData))?.ok_or_else(missing)?;
    NpyArray::with_order(elements, shape, order).map_err(de::Error::custom)
}

/// Reads all elements of an array into a list.
struct All<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for All<T> {
    type Value = Vec<T>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<T>, D::Error> {
        match native::token::<T>() {
            Some(token) => deserializer.deserialize_newtype_struct(token, self),
            None => deserializer.deserialize_seq(self),
        }
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for All<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the elements of an array")
    }

    /// Takes the list that was handed over.
    fn visit_unit<E: de::Error>(self) -> Result<Vec<T>, E> {
        native::take().ok_or_else(missing)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<T>, A::Error> {
        let count = seq.size_hint().unwrap_or(0);
        let mut elements = reserve::list(count).map_err(de::Error::custom)?;
        while let Some(element) = seq.next_element()? {
            elements.push(element);
        }
        Ok(elements)
    }
}

/// How an error describes a value of a format without dtypes.
pub(in crate::serde) const NO_DTYPE: de::Unexpected<'static> =
    de::Unexpected::Other("a value without a dtype");

/// Reads an array of any dtype: from Python objects, or from a file.
pub(in crate::serde) struct Whole;

impl<'de> Visitor<'de> for Whole {
    type Value = DynArray;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "an array of NumPy, of npy_core::object::load or Objects; other formats have no dtype, so read an NpyArray<T> from them",
        )
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<DynArray, A::Error> {
        let (shape, order) = layout(&mut seq)?;
        let bytes = seq.next_element_seed(Owned)?.ok_or_else(missing)?;
        let dtype = seq.next_element()?.ok_or_else(missing)?;
        let empty_items = seq.next_element()?.ok_or_else(missing)?;
        let array = DynArray::new(dtype, shape, order, bytes).map_err(de::Error::custom)?;
        // The other limits do not concern an array in memory.
        let limits = Limits { empty_items, ..Limits::default() };
        Ok(array.with_limits(limits))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, _: D) -> Result<DynArray, D::Error> {
        Err(de::Error::invalid_type(NO_DTYPE, &self))
    }
}

/// Reads bytes, and copies them only if they are borrowed.
struct Owned;

impl<'de> DeserializeSeed<'de> for Owned {
    type Value = Vec<u8>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<u8>, D::Error> {
        deserializer.deserialize_byte_buf(self)
    }
}

impl Visitor<'_> for Owned {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the bytes of an array")
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        reserve::copied(bytes).map_err(E::custom)
    }

    fn visit_byte_buf<E: de::Error>(self, bytes: Vec<u8>) -> Result<Vec<u8>, E> {
        Ok(bytes)
    }
}
