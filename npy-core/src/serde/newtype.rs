//! An array within a value of serde: a newtype with a private name, which carries the bytes of the array's `.npy` file.
//!
//! Only the format of Python objects ([`object::save`](crate::object::save), [`object::load`](crate::object::load)) knows the name. It is
//! a readable format (`is_human_readable`), except within this newtype, where it is binary: so an array recognizes it. All other formats
//! are the same within a newtype as around it, and get nested sequences.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::BytesDeserializer;
use serde::de::{
    self, Deserialize, DeserializeSeed, Deserializer, IntoDeserializer, SeqAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde::ser::{Serialize, SerializeSeq, Serializer};

use super::RowError;
use crate::dynamic::DynArray;
use crate::error::Error;
use crate::header::Header;
use crate::limits::{self, Limits};
use crate::reserve;
use crate::value::Value;

/// The name of the newtype. RON can print the names of structs, and only prints identifiers.
pub(super) const ARRAY: &str = "npy_core_array";

/// An array that can be serialized.
pub(super) trait Array {
    /// Serializes nested sequences, like `tolist()` in NumPy.
    fn lists<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;

    /// Serializes the header of the file, by [`header`], and then the data: blocks of bytes, or all elements if they become objects.
    fn file<S: SerializeSeq>(&self, to: &mut S) -> Result<(), S::Error>;
}

/// Serializes an array.
pub(super) fn serialize<A: Array, S: Serializer>(
    array: &A,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match serializer.is_human_readable() {
        true => serializer.serialize_newtype_struct(ARRAY, &Contents(array)),
        false => array.lists(serializer),
    }
}

/// Serializes the header of an array.
pub(super) fn header<S: SerializeSeq>(
    header: Result<Header, Error>,
    to: &mut S,
) -> Result<(), S::Error> {
    let bytes = header.and_then(|header| header.to_bytes()).map_err(serde::ser::Error::custom)?;
    to.serialize_element(&Value::Void(&bytes))
}

/// The contents of the newtype.
struct Contents<'a, A>(&'a A);

impl<A: Array> Serialize for Contents<'_, A> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return self.0.lists(serializer);
        }
        let mut parts = serializer.serialize_seq(None)?;
        self.0.file(&mut parts)?;
        parts.end()
    }
}

/// The contents of the newtype, as a deserializer of three values: the header of the file, the limit of empty elements, and the data. The
/// data is all bytes, or blocks of elements in the order of the memory, as the visitor prefers.
pub(super) struct File<D> {
    header: Option<Vec<u8>>,
    empty_items: Option<u64>,
    data: Option<D>,
}

impl<D> File<D> {
    pub(super) fn new(header: &Header, limits: &Limits, data: D) -> Result<Self, Error> {
        let header = Some(header.to_bytes()?);
        Ok(File { header, empty_items: Some(limits.empty_items), data: Some(data) })
    }
}

impl<'de, D: Deserializer<'de, Error = RowError>> Deserializer<'de> for File<D> {
    type Error = RowError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        visitor.visit_seq(self)
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct seq
        tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de, D: Deserializer<'de, Error = RowError>> SeqAccess<'de> for File<D> {
    type Error = RowError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, RowError> {
        if let Some(header) = self.header.take() {
            return seed.deserialize(BytesDeserializer::new(&header)).map(Some);
        }
        if let Some(limit) = self.empty_items.take() {
            return seed.deserialize(limit.into_deserializer()).map(Some);
        }
        self.data.take().map(|data| seed.deserialize(data)).transpose()
    }
}

/// Reads the contents of the newtype: the header, and the data by the seed that is made of the header.
struct Parts<F>(F);

impl<'de, S: DeserializeSeed<'de>, F: FnOnce(&Header) -> S> Visitor<'de> for Parts<F> {
    type Value = (Header, Limits, S::Value);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the header and the data of an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let missing = || de::Error::custom("a part of the array is missing");
        let header = seq.next_element_seed(Bytes)?.ok_or_else(missing)?;
        let (header, _) = Header::parse(&header).map_err(de::Error::custom)?;
        let empty_items = seq.next_element()?.ok_or_else(missing)?;
        // The other limits do not concern an array in memory.
        let limits = Limits { empty_items, ..Limits::default() };
        let data = seq.next_element_seed((self.0)(&header))?.ok_or_else(missing)?;
        Ok((header, limits, data))
    }
}

/// Reads an array with its dtype from the contents of the newtype.
pub(super) fn read_dyn<'de, D: Deserializer<'de>>(contents: D) -> Result<DynArray, D::Error> {
    let (header, limits, bytes) = contents.deserialize_seq(Parts(|_: &Header| Bytes))?;
    let array = DynArray::from_parts(header, bytes).map_err(de::Error::custom)?;
    Ok(array.with_limits(limits))
}

/// Reads an array of any elements from the contents of the newtype, in the order of the memory.
pub(super) fn read_elements<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    contents: D,
) -> Result<(Header, Vec<T>), D::Error> {
    let elements = |header: &Header| Elements { count: header.elements(), of: PhantomData };
    let (header, _, elements) = contents.deserialize_seq(Parts(elements))?;
    Ok((header, elements))
}

/// Reads bytes, and copies them only if they are borrowed.
struct Bytes;

impl<'de> DeserializeSeed<'de> for Bytes {
    type Value = Vec<u8>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<u8>, D::Error> {
        deserializer.deserialize_byte_buf(self)
    }
}

impl Visitor<'_> for Bytes {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bytes")
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        reserve::copy(bytes).map_err(E::custom)
    }

    fn visit_byte_buf<E: de::Error>(self, bytes: Vec<u8>) -> Result<Vec<u8>, E> {
        Ok(bytes)
    }
}

/// Reads all elements of an array, which come in blocks: the loop over a block is short.
struct Elements<T> {
    count: u64,
    of: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for Elements<T> {
    type Value = Vec<T>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<T>, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Elements<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the elements of an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<T>, A::Error> {
        let count = limits::to_usize(self.count).map_err(de::Error::custom)?;
        let mut elements = Vec::new();
        reserve::exact(&mut elements, count).map_err(de::Error::custom)?;
        while seq.next_element_seed(Block(&mut elements))?.is_some() {}
        Ok(elements)
    }
}

/// Appends the elements of a block.
struct Block<'v, T>(&'v mut Vec<T>);

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for Block<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Block<'_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("elements of an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        macro_rules! next {
            () => {
                seq.next_element()?.ok_or_else(|| de::Error::custom("an element is missing"))?
            };
        }
        // Eight at a time, as each call for the list looks at its capacity.
        for _ in 0..seq.size_hint().unwrap_or(0) / 8 {
            let eight = [next!(), next!(), next!(), next!(), next!(), next!(), next!(), next!()];
            self.0.extend(eight);
        }
        while let Some(element) = seq.next_element()? {
            self.0.push(element);
        }
        Ok(())
    }
}

/// Bytes as a deserializer. Bytes that were read from a file are moved, not copied.
pub(super) fn visit_bytes<'de, V: Visitor<'de>>(
    bytes: Cow<'_, [u8]>,
    visitor: V,
) -> Result<V::Value, RowError> {
    match bytes {
        Cow::Owned(bytes) => visitor.visit_byte_buf(bytes),
        Cow::Borrowed(bytes) => visitor.visit_bytes(bytes),
    }
}
