//! Arrays of a Rust type as nested sequences.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{
    BoolDeserializer, BytesDeserializer, F32Deserializer, F64Deserializer, I64Deserializer,
    MapAccessDeserializer, StrDeserializer, U64Deserializer, UnitDeserializer,
};
use serde::de::{
    self, Deserialize, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess,
    Visitor,
};
use serde::ser::{Error as _, Serialize, SerializeSeq, SerializeTupleStruct, Serializer};

use super::nested::{NO_DTYPE, Whole, typed};
use super::rows::Row;
use super::{ARRAY_TOKEN, has_arrays, infer};
use crate::array::{NpyArray, NpyView};
use crate::checked;
use crate::dtype::{DType, Scalar, ScalarKind};
use crate::dynamic::DynArray;
use crate::error::Error;
use crate::header::Header;
use crate::limits::{Limits, MAX_NDIM};
use crate::shape::Order;
use crate::value::Value;

/// Serializes as nested sequences in C order, one level for each dimension, like `tolist()` in NumPy. A 0-d array becomes its element.
/// [`object::save`](crate::object::save) writes it as an array of NumPy instead.
///
/// ```
/// use npy_core::NpyArray;
///
/// let array = NpyArray::new(vec![1, 2, 3, 4], [2, 2])?;
/// let json = serde_json::to_string(&array).unwrap();
/// assert_eq!(json, "[[1,2],[3,4]]");
/// assert_eq!(serde_json::from_str::<NpyArray<i32>>(&json).unwrap(), array);
/// # Ok::<(), npy_core::Error>(())
/// ```
impl<T: Serialize> Serialize for NpyArray<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.view().serialize(serializer)
    }
}

/// Serializes like [`NpyArray`].
impl<T: Serialize> Serialize for NpyView<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if has_arrays(S::Error::custom) {
            return serialize_array(self, serializer);
        }
        // An array without elements may become any number of empty lists, so their number has the limit of elements without bytes.
        let lists = self.shape().iter().take_while(|&&n| n > 0);
        if self.shape().contains(&0) {
            let lists = lists.fold(1, |product: usize, &n| product.saturating_mul(n));
            let checked = Limits::default().check_empty_items(lists, 0);
            checked.map_err(serde::ser::Error::custom)?;
        }
        // All parts share one list of elements in C order.
        let elements: Vec<&T> = self.iter().collect();
        let part = Part { items: &elements, shape: self.shape(), element: |element| element };
        part.serialize(serializer)
    }
}

/// Serializes as an array of NumPy. Its dtype is that of the elements if all are numbers of the same type, and otherwise that of objects.
fn serialize_array<T: Serialize, S: Serializer>(
    array: &NpyView<'_, T>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let elements = array.as_slice_memory_order();
    if let Some(dtype) = infer::dtype_of_numbers(elements) {
        let header = Header::new(dtype.clone(), array.shape(), array.order());
        let mut parts = begin_array(header, serializer)?;
        for block in elements.chunks(ITEMS_IN_BLOCK) {
            parts.serialize_field(&Block(&dtype, block))?;
        }
        return parts.end();
    }
    let dtype = Scalar::little(ScalarKind::Object, 8).into();
    let mut parts = begin_array(Header::new(dtype, array.shape(), Order::C), serializer)?;
    for element in array.iter() {
        parts.serialize_field(element)?;
    }
    parts.end()
}

/// The number of items that are serialized at a time.
const ITEMS_IN_BLOCK: usize = 8 << 10;

/// Items of an array of infer, which serialize as their bytes.
struct Block<'a, T>(&'a DType, &'a [T]);

impl<T: Serialize> Serialize for Block<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&infer::bytes(self.0, self.1).map_err(S::Error::custom)?)
    }
}

/// Starts an array, for a format that has arrays.
pub(super) fn begin_array<S: Serializer>(
    header: Result<Header, Error>,
    serializer: S,
) -> Result<S::SerializeTupleStruct, S::Error> {
    let header = header.and_then(|header| header.to_bytes()).map_err(S::Error::custom)?;
    let mut parts = serializer.serialize_tuple_struct(ARRAY_TOKEN, 1)?;
    parts.serialize_field(&Value::Void(&header))?;
    Ok(parts)
}

/// A part of an array, in C order.
pub(super) struct Part<'a, I, F> {
    pub(super) items: &'a [I],
    pub(super) shape: &'a [usize],
    /// Returns the element for an item.
    pub(super) element: F,
}

impl<I: Copy, E: Serialize, F: Fn(I) -> E + Copy> Serialize for Part<'_, I, F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Part { items, element, .. } = *self;
        let Some((&count, shape)) = self.shape.split_first() else {
            return element(*checked::some(items.first())).serialize(serializer);
        };
        if shape.is_empty() {
            return serializer.collect_seq(items.iter().copied().map(element));
        }
        let mut seq = serializer.serialize_seq(Some(count))?;
        // If the array has no elements, each part is an empty slice.
        let size = items.len().checked_div(count).unwrap_or(0);
        for i in 0..count {
            let items = checked::part(items, i, size);
            seq.serialize_element(&Part { items, shape, element })?;
        }
        seq.end()
    }
}

/// Deserializes nested sequences. The format must say which of its values are sequences: JSON does, most binary formats do not. All
/// sequences of one level must have the same length. An element cannot be a sequence itself, such as `[f32; 3]` or a complex number.
///
/// An array among Python objects ([`object::load`](crate::object::load)) keeps its shape and order, and its elements can be of any type.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for NpyArray<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match has_arrays(<D::Error as de::Error>::custom) {
            true => deserializer.deserialize_newtype_struct(ARRAY_TOKEN, Typed(PhantomData)),
            false => of_lists(deserializer),
        }
    }
}

/// Reads an array of NumPy, or nested sequences.
struct Typed<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Typed<T> {
    type Value = NpyArray<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array, or nested sequences")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<NpyArray<T>, A::Error> {
        typed(seq)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<NpyArray<T>, D::Error> {
        of_lists(inner)
    }
}

fn of_lists<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<NpyArray<T>, D::Error> {
    let is_exact = has_arrays(<D::Error as de::Error>::custom);
    let mut found = Found { is_exact, elements: Vec::new(), shape: Vec::new(), ndim: None };
    Level { found: &mut found, depth: 0 }.deserialize(deserializer)?;
    // The inner dimensions are unknown only if an outer one is zero.
    let shape: Vec<usize> = found.shape.into_iter().map(Option::unwrap_or_default).collect();
    NpyArray::with_order(found.elements, shape, Order::C).map_err(de::Error::custom)
}

/// Deserializes an array of NumPy among Python objects ([`object::load`](crate::object::load)), with its dtype and its bytes. Other
/// formats have no dtype, so nothing else can be deserialized.
///
/// ```
/// use npy_core::{DynArray, WriteNpy, object};
///
/// let mut file = Vec::new();
/// [1.5f32, 2.0].write_npy_to(&mut file)?;
/// let array: DynArray = object::load_from(&file[..])?;
/// assert_eq!(array.dtype().to_string(), "<f4");
/// assert!(serde_json::from_str::<DynArray>("[1.5, 2.0]").is_err());
/// # Ok::<(), npy_core::Error>(())
/// ```
impl<'de> Deserialize<'de> for DynArray {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match has_arrays(<D::Error as de::Error>::custom) {
            true => deserializer.deserialize_newtype_struct(ARRAY_TOKEN, Whole),
            false => Err(de::Error::invalid_type(NO_DTYPE, &Whole)),
        }
    }
}

/// The elements so far, and the part of the shape that is known.
struct Found<T> {
    /// True if the format is one of this crate, which rounds no integer. JSON has numbers of 17 digits that are meant as floats.
    is_exact: bool,
    elements: Vec<T>,
    /// The length of the sequences of each level, once one is complete.
    shape: Vec<Option<usize>>,
    /// The number of levels around an element, once there is one.
    ndim: Option<usize>,
}

/// Deserializes an element or a sequence with `depth` sequences around it.
struct Level<'a, T> {
    found: &'a mut Found<T>,
    depth: usize,
}

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for Level<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<T> Level<'_, T> {
    /// Deserializes an element from a number of this value.
    fn number<'de, D: Deserializer<'de>>(self, value: Value<'_>, other: D) -> Result<(), D::Error>
    where
        T: Deserialize<'de>,
    {
        match self.found.is_exact {
            true => self.element(Row(value)).map_err(de::Error::custom),
            false => self.element(other),
        }
    }

    fn element<'de, D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error>
    where
        T: Deserialize<'de>,
    {
        let Level { found, depth } = self;
        if found.shape.len() > depth || found.ndim.is_some_and(|ndim| ndim != depth) {
            return Err(ragged());
        }
        found.ndim = Some(depth);
        found.elements.push(T::deserialize(deserializer)?);
        Ok(())
    }
}

fn ragged<E: de::Error>() -> E {
    E::custom("the nested sequences do not have the same length everywhere, as an array needs")
}

macro_rules! elements {
    ($($visit:ident($type:ty) = $deserializer:ident;)*) => {$(
        fn $visit<E: de::Error>(self, value: $type) -> Result<(), E> {
            let element: $deserializer<E> = value.into_deserializer();
            self.element(element)
        }
    )*};
}

macro_rules! numbers {
    ($($visit:ident($type:ty) = $value:ident, $deserializer:ident;)*) => {$(
        fn $visit<E: de::Error>(self, value: $type) -> Result<(), E> {
            let element: $deserializer<E> = value.into_deserializer();
            self.number(Value::$value(value), element)
        }
    )*};
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Level<'_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an element of an array, or nested sequences of them")
    }

    elements! {
        visit_bool(bool) = BoolDeserializer;
        visit_f32(f32) = F32Deserializer;
        visit_str(&str) = StrDeserializer;
    }

    numbers! {
        visit_i64(i64) = Int, I64Deserializer;
        visit_u64(u64) = UInt, U64Deserializer;
        visit_f64(f64) = F64, F64Deserializer;
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<(), E> {
        self.element(BytesDeserializer::new(bytes))
    }

    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        let element: UnitDeserializer<E> = ().into_deserializer();
        self.element(element)
    }

    fn visit_none<E: de::Error>(self) -> Result<(), E> {
        self.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.deserialize(deserializer)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<(), D::Error> {
        self.deserialize(inner)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        self.element(MapAccessDeserializer::new(map))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let Level { found, depth } = self;
        let inner = checked::add(depth, 1);
        if depth >= MAX_NDIM {
            let limit = format_args!("sequences nested more than {MAX_NDIM} deep");
            return Err(de::Error::custom(limit));
        }
        if found.ndim.is_some_and(|ndim| depth >= ndim) {
            return Err(ragged());
        }
        if found.shape.len() < inner {
            found.shape.resize(inner, None);
        }
        let mut count = 0usize;
        while seq.next_element_seed(Level { found: &mut *found, depth: inner })?.is_some() {
            count = checked::add(count, 1);
        }
        match found.shape.get_mut(depth) {
            Some(length) if length.is_none_or(|length| length == count) => *length = Some(count),
            _ => return Err(ragged()),
        }
        Ok(())
    }
}
