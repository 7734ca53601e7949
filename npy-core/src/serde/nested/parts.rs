//! Passes an array through serde without nesting, in one form: its header, as in a file, and then its elements.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::BytesDeserializer;
use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, SeqAccess, Visitor};

use super::native;
use crate::array::NpyArray;
use crate::dynamic::DynArray;
use crate::error::Error;
use crate::header::{Header, Payload};
use crate::limits::Limits;
use crate::reserve;
use crate::serde::RowError;

/// An array for a visitor that asked for one by [`ARRAY_TOKEN`](crate::serde::ARRAY_TOKEN): a sequence of two parts. A visitor that reads the
/// second as bytes gets those of the elements; any other gets the elements, as one sequence.
pub(in crate::serde) struct Parts<E> {
    /// The header, and the limit of empty elements.
    header: Option<Vec<u8>>,
    elements: Option<E>,
}

impl<E> Parts<E> {
    pub(in crate::serde) fn new(
        header: Result<Header, Error>,
        limits: &Limits,
        elements: E,
    ) -> Result<Self, RowError> {
        let mut header = header?.to_bytes()?;
        header.extend(limits.empty_items.to_le_bytes());
        Ok(Parts { header: Some(header), elements: Some(elements) })
    }
}

impl<'de, E: Deserializer<'de, Error = RowError>> SeqAccess<'de> for Parts<E> {
    type Error = RowError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, RowError> {
        if let Some(header) = self.header.take() {
            return seed.deserialize(BytesDeserializer::new(&header)).map(Some);
        }
        self.elements.take().map(|elements| seed.deserialize(elements)).transpose()
    }
}

/// Reads the header of an array. The other limits do not concern an array in memory.
fn header<'de, A: SeqAccess<'de>>(seq: &mut A) -> Result<(Header, Limits), A::Error> {
    let bytes = seq.next_element_seed(Owned)?.ok_or_else(missing)?;
    let (header, length) = Header::parse(&bytes).map_err(de::Error::custom)?;
    let empty_items = bytes.get(length..).and_then(<[u8]>::first_chunk).ok_or_else(missing)?;
    let empty_items = u64::from_le_bytes(*empty_items);
    Ok((header, Limits { empty_items, ..Limits::default() }))
}

fn missing<E: de::Error>() -> E {
    E::custom("a part of the array is missing")
}

/// Reads an array, whose elements are deserialized.
pub(in crate::serde) fn typed<'de, T: Deserialize<'de>, A: SeqAccess<'de>>(
    mut seq: A,
) -> Result<NpyArray<T>, A::Error> {
    let (header, _) = header(&mut seq)?;
    let elements = seq.next_element_seed(All(PhantomData))?.ok_or_else(missing)?;
    NpyArray::with_order(elements, header.shape(), header.order()).map_err(de::Error::custom)
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
        let mut elements = Vec::new();
        let count = seq.size_hint().unwrap_or(0);
        reserve::exact(&mut elements, count).map_err(de::Error::custom)?;
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
        let (header, limits) = header(&mut seq)?;
        if header.payload() == Payload::Pickle {
            return Err(de::Error::custom(
                "an array of Python objects is not a DynArray; read it as NpyArray<T> or Vec<T>",
            ));
        }
        let bytes = seq.next_element_seed(Owned)?.ok_or_else(missing)?;
        let array = DynArray::from_parts(header, bytes).map_err(de::Error::custom)?;
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
        let mut owned = Vec::new();
        reserve::exact(&mut owned, bytes.len()).map_err(E::custom)?;
        owned.extend_from_slice(bytes);
        Ok(owned)
    }

    fn visit_byte_buf<E: de::Error>(self, bytes: Vec<u8>) -> Result<Vec<u8>, E> {
        Ok(bytes)
    }
}
