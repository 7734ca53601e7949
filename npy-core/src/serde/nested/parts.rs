//! Passes an array through serde without nesting: as its bytes, or as all elements in one sequence.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{SeqDeserializer, StrDeserializer};
use serde::de::{
    self, Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer,
    SeqAccess, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::{Nested, native};
use crate::array::NpyArray;
use crate::dynamic::DynArray;
use crate::limits::Limits;
use crate::reserve;
use crate::serde::{ARRAY_TOKEN, RowError};
use crate::shape::Order;

/// An array for a visitor that asked for one by [`ARRAY_TOKEN`]. It is passed as an enum, so that the visitor recognizes it: no other
/// format passes an array in this way. If the visitor reads a struct variant, it gets the bytes; if it reads a tuple variant, it gets the
/// elements, as any type that can be deserialized.
pub(in crate::serde) struct Parts<'a, E> {
    pub(in crate::serde) shape: &'a [usize],
    pub(in crate::serde) order: Order,
    /// All elements, as one sequence.
    pub(in crate::serde) elements: E,
    /// The bytes, unless the elements are Python objects.
    pub(in crate::serde) bytes: Option<Nested<'a>>,
}

impl<'de, E: Deserializer<'de, Error = RowError>> EnumAccess<'de> for Parts<'_, E> {
    type Error = RowError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), RowError> {
        let token: StrDeserializer<'_, RowError> = ARRAY_TOKEN.into_deserializer();
        Ok((seed.deserialize(token)?, self))
    }
}

impl<'de, E: Deserializer<'de, Error = RowError>> VariantAccess<'de> for Parts<'_, E> {
    type Error = RowError;

    fn unit_variant(self) -> Result<(), RowError> {
        Err(unknown())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _: T) -> Result<T::Value, RowError> {
        Err(unknown())
    }

    /// Visits three values: the shape, true for Fortran order, and the elements.
    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, RowError> {
        visitor.visit_seq(Elements {
            next: 0,
            shape: self.shape,
            order: self.order,
            of: Some(self.elements),
        })
    }

    /// Visits five values: the dtype, the shape, true for Fortran order, the limit of empty elements, and the bytes.
    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, RowError> {
        match self.bytes {
            Some(of) => visitor.visit_seq(Bytes { next: 0, of }),
            None => Err(RowError::new(
                "an array of Python objects is not a DynArray; read it as NpyArray<T> or Vec<T>",
            )),
        }
    }
}

fn unknown() -> RowError {
    RowError::new("an array is not a variant of an enum")
}

/// The parts of a tuple variant.
struct Elements<'a, E> {
    next: usize,
    shape: &'a [usize],
    order: Order,
    of: Option<E>,
}

impl<'de, E: Deserializer<'de, Error = RowError>> SeqAccess<'de> for Elements<'_, E> {
    type Error = RowError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, RowError> {
        let part = self.next;
        self.next = part.saturating_add(1);
        match (part, self.of.take_if(|_| part == 2)) {
            (0, _) => seed.deserialize(lengths(self.shape)).map(Some),
            (1, _) => {
                seed.deserialize((self.order == Order::Fortran).into_deserializer()).map(Some)
            }
            (_, Some(elements)) => seed.deserialize(elements).map(Some),
            (_, None) => Ok(None),
        }
    }
}

/// The parts of a struct variant.
struct Bytes<'a> {
    next: usize,
    of: Nested<'a>,
}

impl<'de> SeqAccess<'de> for Bytes<'_> {
    type Error = RowError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, RowError> {
        let part = self.next;
        self.next = part.saturating_add(1);
        let Nested { dtype, shape, order, bytes, limits, .. } = self.of;
        match part {
            0 => seed.deserialize(dtype.to_string().into_deserializer()).map(Some),
            1 => seed.deserialize(lengths(shape)).map(Some),
            2 => seed.deserialize((order == Order::Fortran).into_deserializer()).map(Some),
            3 => seed.deserialize(limits.empty_items.into_deserializer()).map(Some),
            4 => seed.deserialize(AllBytes(bytes.all())).map(Some),
            _ => Ok(None),
        }
    }
}

/// The bytes of an array, as a deserializer. Bytes that were read from a file are moved, not copied.
struct AllBytes<'a>(Cow<'a, [u8]>);

impl<'de> Deserializer<'de> for AllBytes<'_> {
    type Error = RowError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        match self.0 {
            Cow::Owned(bytes) => visitor.visit_byte_buf(bytes),
            Cow::Borrowed(bytes) => visitor.visit_bytes(bytes),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct seq
        tuple tuple_struct map struct enum identifier ignored_any
    }
}

fn lengths(shape: &[usize]) -> SeqDeserializer<impl Iterator<Item = usize>, RowError> {
    SeqDeserializer::new(shape.iter().copied())
}

/// Reads an array from its parts, which only deserializers of this crate pass.
pub(in crate::serde) fn take_parts<'de, T: Deserialize<'de>, A: EnumAccess<'de>>(
    data: A,
) -> Result<NpyArray<T>, A::Error> {
    variant(data)?.tuple_variant(3, ElementParts(PhantomData))
}

/// Returns the variant, whose name must be the token.
fn variant<'de, A: EnumAccess<'de>>(data: A) -> Result<A::Variant, A::Error> {
    let (name, variant): (String, _) = data.variant()?;
    if name == ARRAY_TOKEN {
        return Ok(variant);
    }
    Err(A::Error::invalid_type(de::Unexpected::Enum, &"an array"))
}

struct ElementParts<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ElementParts<T> {
    type Value = NpyArray<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<NpyArray<T>, A::Error> {
        let shape: Vec<usize> = part(&mut seq)?;
        let order = order(part(&mut seq)?);
        let elements = seq.next_element_seed(All(PhantomData))?.ok_or_else(missing)?;
        NpyArray::with_order(elements, shape, order).map_err(A::Error::custom)
    }
}

/// Reads the next part of an array.
fn part<'de, T: Deserialize<'de>, A: SeqAccess<'de>>(seq: &mut A) -> Result<T, A::Error> {
    seq.next_element()?.ok_or_else(missing)
}

fn missing<E: de::Error>() -> E {
    E::custom("a part of the array is missing")
}

fn order(is_fortran: bool) -> Order {
    if is_fortran { Order::Fortran } else { Order::C }
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
        reserve::exact(&mut elements, count).map_err(A::Error::custom)?;
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

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<DynArray, A::Error> {
        variant(data)?.struct_variant(&[], WholeParts)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, _: D) -> Result<DynArray, D::Error> {
        Err(D::Error::invalid_type(NO_DTYPE, &self))
    }
}

struct WholeParts;

impl<'de> Visitor<'de> for WholeParts {
    type Value = DynArray;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<DynArray, A::Error> {
        let dtype = part(&mut seq)?;
        let shape: Vec<usize> = part(&mut seq)?;
        let order = order(part(&mut seq)?);
        // The other limits do not concern an array in memory.
        let limits = Limits { empty_items: part(&mut seq)?, ..Limits::default() };
        let bytes = seq.next_element_seed(Owned)?.ok_or_else(missing)?;
        let array = DynArray::new(dtype, shape, order, bytes).map_err(A::Error::custom)?;
        Ok(array.with_limits(limits))
    }
}

/// Reads bytes, and copies them only if they are borrowed.
struct Owned;

impl<'de> DeserializeSeed<'de> for Owned {
    type Value = Vec<u8>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<u8>, D::Error> {
        deserializer.deserialize_bytes(self)
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
