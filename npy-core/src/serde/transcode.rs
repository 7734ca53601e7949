//! Serializes whatever a deserializer passes to a visitor.

use std::cell::Cell;
use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Error as _, Serialize, SerializeMap, SerializeSeq, Serializer};

use super::newtype;

/// A deserializer that can be serialized once.
pub(super) struct Transcode<D>(Cell<Option<D>>);

impl<D> Transcode<D> {
    pub(super) fn new(deserializer: D) -> Self {
        Transcode(Cell::new(Some(deserializer)))
    }
}

impl<'de, D: Deserializer<'de>> Serialize for Transcode<D> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(deserializer) = self.0.take() else {
            return Err(S::Error::custom("the format serializes a part of a value twice"));
        };
        let mut failure = None;
        let written = deserializer.deserialize_any(ToFormat { serializer, failure: &mut failure });
        written.map_err(|error| failure.unwrap_or_else(|| S::Error::custom(error)))
    }
}

/// A visitor that serializes what it gets.
struct ToFormat<'f, S: Serializer> {
    serializer: S,
    /// The error of the format, which a deserializer cannot pass on.
    failure: &'f mut Option<S::Error>,
}

/// Keeps an error of the format.
fn keep<T, F, E: de::Error>(result: Result<T, F>, failure: &mut Option<F>) -> Result<T, E> {
    result.map_err(|error| {
        *failure = Some(error);
        E::custom("the value cannot be serialized")
    })
}

/// The methods for values without parts.
macro_rules! leaves {
    ($($visit:ident($($value:ident: $type:ty)?) => $serialize:ident;)*) => {$(
        fn $visit<E: de::Error>(self $(, $value: $type)?) -> Result<S::Ok, E> {
            keep(self.serializer.$serialize($($value)?), self.failure)
        }
    )*};
}

impl<'de, S: Serializer> Visitor<'de> for ToFormat<'_, S> {
    type Value = S::Ok;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value that can be serialized")
    }

    leaves! {
        visit_bool(value: bool) => serialize_bool;
        visit_i64(value: i64) => serialize_i64;
        visit_i128(value: i128) => serialize_i128;
        visit_u64(value: u64) => serialize_u64;
        visit_u128(value: u128) => serialize_u128;
        visit_f32(value: f32) => serialize_f32;
        visit_f64(value: f64) => serialize_f64;
        visit_str(text: &str) => serialize_str;
        visit_bytes(bytes: &[u8]) => serialize_bytes;
        visit_none() => serialize_none;
        visit_unit() => serialize_none;
    }

    /// Serializes an array, which is the only newtype.
    fn visit_newtype_struct<D: Deserializer<'de>>(self, contents: D) -> Result<S::Ok, D::Error> {
        keep(newtype::read_dyn(contents)?.serialize(self.serializer), self.failure)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<S::Ok, A::Error> {
        let ToFormat { serializer, failure } = self;
        let mut to = keep(serializer.serialize_seq(seq.size_hint()), failure)?;
        while seq.next_element_seed(Element(&mut to, failure))?.is_some() {}
        keep(to.end(), failure)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<S::Ok, A::Error> {
        let ToFormat { serializer, failure } = self;
        let mut to = keep(serializer.serialize_map(map.size_hint()), failure)?;
        while map.next_key_seed(Key(&mut to, failure))?.is_some() {
            map.next_value_seed(Entry(&mut to, failure))?;
        }
        keep(to.end(), failure)
    }
}

/// Seeds that serialize a part of a value.
macro_rules! parts {
    ($($name:ident: $trait:ident::$serialize:ident;)*) => {$(
        struct $name<'a, S: $trait>(&'a mut S, &'a mut Option<S::Error>);

        impl<'de, S: $trait> DeserializeSeed<'de> for $name<'_, S> {
            type Value = ();

            fn deserialize<D: Deserializer<'de>>(self, part: D) -> Result<(), D::Error> {
                keep(self.0.$serialize(&Transcode::new(part)), self.1)
            }
        }
    )*};
}

parts! {
    Element: SerializeSeq::serialize_element;
    Key: SerializeMap::serialize_key;
    Entry: SerializeMap::serialize_value;
}
