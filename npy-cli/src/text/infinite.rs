//! Python objects as JSON, which has no infinite numbers: serde_json writes them as null, as if they were missing.

use serde::Serialize;
use serde::ser::{self, Serializer};

/// A value whose infinite numbers are the texts `inf` and `-inf`.
pub(super) struct Infinite<T>(pub(super) T);

/// The format, or a list or an object in it, that the value is written to.
struct To<S>(S);

impl<T: Serialize> Serialize for Infinite<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(To(serializer))
    }
}

/// Writes values as the format does.
macro_rules! same {
    ($($method:ident($($name:ident: $type:ty),*) -> $result:ident;)*) => {
        $(fn $method(self, $($name: $type),*) -> Result<Self::$result, S::Error> {
            self.0.$method($($name),*)
        })*
    };
}

/// Begins values with others within.
macro_rules! outer {
    ($($method:ident($($name:ident: $type:ty),*) -> $result:ident;)*) => {
        $(fn $method(self, $($name: $type),*) -> Result<Self::$result, S::Error> {
            self.0.$method($($name),*).map(To)
        })*
    };
}

impl<S: Serializer> Serializer for To<S> {
    type Ok = S::Ok;
    type Error = S::Error;
    type SerializeSeq = To<S::SerializeSeq>;
    type SerializeTuple = To<S::SerializeTuple>;
    type SerializeTupleStruct = To<S::SerializeTupleStruct>;
    type SerializeMap = To<S::SerializeMap>;
    type SerializeStruct = To<S::SerializeStruct>;
    // Objects have no variants.
    type SerializeTupleVariant = S::SerializeTupleVariant;
    type SerializeStructVariant = S::SerializeStructVariant;

    fn serialize_f32(self, value: f32) -> Result<S::Ok, S::Error> {
        match value.is_infinite() {
            true => self.serialize_f64(value.into()),
            false => self.0.serialize_f32(value),
        }
    }

    fn serialize_f64(self, value: f64) -> Result<S::Ok, S::Error> {
        match value {
            f64::INFINITY => self.0.serialize_str("inf"),
            f64::NEG_INFINITY => self.0.serialize_str("-inf"),
            value => self.0.serialize_f64(value),
        }
    }

    same! {
        serialize_bool(value: bool) -> Ok;
        serialize_i8(value: i8) -> Ok;
        serialize_i16(value: i16) -> Ok;
        serialize_i32(value: i32) -> Ok;
        serialize_i64(value: i64) -> Ok;
        serialize_i128(value: i128) -> Ok;
        serialize_u8(value: u8) -> Ok;
        serialize_u16(value: u16) -> Ok;
        serialize_u32(value: u32) -> Ok;
        serialize_u64(value: u64) -> Ok;
        serialize_u128(value: u128) -> Ok;
        serialize_char(value: char) -> Ok;
        serialize_str(value: &str) -> Ok;
        serialize_bytes(value: &[u8]) -> Ok;
        serialize_none() -> Ok;
        serialize_unit() -> Ok;
        serialize_unit_struct(name: &'static str) -> Ok;
        serialize_unit_variant(name: &'static str, at: u32, variant: &'static str) -> Ok;
        serialize_tuple_variant(name: &'static str, at: u32, variant: &'static str, len: usize) -> SerializeTupleVariant;
        serialize_struct_variant(name: &'static str, at: u32, variant: &'static str, len: usize) -> SerializeStructVariant;
    }

    outer! {
        serialize_seq(len: Option<usize>) -> SerializeSeq;
        serialize_tuple(len: usize) -> SerializeTuple;
        serialize_tuple_struct(name: &'static str, len: usize) -> SerializeTupleStruct;
        serialize_map(len: Option<usize>) -> SerializeMap;
        serialize_struct(name: &'static str, len: usize) -> SerializeStruct;
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        self.0.serialize_some(&Infinite(value))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        self.0.serialize_newtype_struct(name, &Infinite(value))
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        at: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        self.0.serialize_newtype_variant(name, at, variant, &Infinite(value))
    }

    fn is_human_readable(&self) -> bool {
        self.0.is_human_readable()
    }
}

/// Writes the parts of a list.
macro_rules! parts {
    ($($outer:ident, $method:ident;)*) => {
        $(impl<S: ser::$outer> ser::$outer for To<S> {
            type Ok = S::Ok;
            type Error = S::Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), S::Error> {
                self.0.$method(&Infinite(value))
            }

            fn end(self) -> Result<S::Ok, S::Error> {
                self.0.end()
            }
        })*
    };
}

parts! {
    SerializeSeq, serialize_element;
    SerializeTuple, serialize_element;
    SerializeTupleStruct, serialize_field;
}

impl<S: ser::SerializeMap> ser::SerializeMap for To<S> {
    type Ok = S::Ok;
    type Error = S::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), S::Error> {
        self.0.serialize_key(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), S::Error> {
        self.0.serialize_value(&Infinite(value))
    }

    fn end(self) -> Result<S::Ok, S::Error> {
        self.0.end()
    }
}

impl<S: ser::SerializeStruct> ser::SerializeStruct for To<S> {
    type Ok = S::Ok;
    type Error = S::Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), S::Error> {
        self.0.serialize_field(name, &Infinite(value))
    }

    fn end(self) -> Result<S::Ok, S::Error> {
        self.0.end()
    }
}
