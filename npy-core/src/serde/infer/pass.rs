//! The serializer of both passes, which reduces the methods of serde to a few.

use serde::ser::{
    Impossible, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeTuple,
    SerializeTupleStruct, Serializer,
};

use super::key;
use super::kind::Kind;
use crate::serde::RowError;

/// A pass over one value.
pub(super) trait Pass: Sized {
    type Output;
    type Parts: Parts<Output = Self::Output>;

    fn bool(self, value: bool) -> Result<Self::Output, RowError>;
    /// Visits an integer of this kind.
    fn int(self, value: i128, kind: Kind) -> Result<Self::Output, RowError>;
    /// Visits a float of this kind.
    fn float(self, value: f64, kind: Kind) -> Result<Self::Output, RowError>;
    fn text(self, text: &str) -> Result<Self::Output, RowError>;
    fn bytes(self, bytes: &[u8]) -> Result<Self::Output, RowError>;
    /// Returns the pass over the value in a `Some` or a newtype.
    fn inner(self) -> Result<Self, RowError>;
    fn parts(self, form: Form) -> Result<Self::Parts, RowError>;

    fn run<T: Serialize + ?Sized>(self, value: &T) -> Result<Self::Output, RowError> {
        value.serialize(PassSerializer(self))
    }
}

/// A pass over the parts of a sequence, tuple, struct or map.
pub(super) trait Parts {
    type Output;

    /// Adds the next part, with its name if it has one.
    fn push<T: Serialize + ?Sized>(
        &mut self,
        name: Option<&str>,
        value: &T,
    ) -> Result<(), RowError>;

    fn end(self) -> Result<Self::Output, RowError>;
}

/// The form of a value with parts.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Form {
    Sequence,
    /// A tuple or an array `[T; N]`: serde does not distinguish them.
    Tuple,
    TupleStruct,
    /// A struct or a map.
    Named,
}

struct PassSerializer<P>(P);

struct PartsSerializer<P> {
    parts: P,
    /// The last key of a map.
    key: String,
}

fn no_dtype<T>(what: &str) -> Result<T, RowError> {
    Err(RowError::new(format!("{what} has no dtype")))
}

/// Returns the error for an enum variant with fields.
fn variant_with_fields<T>(name: &str) -> Result<T, RowError> {
    no_dtype(&format!("a variant of {name} with fields"))
}

macro_rules! numbers {
    ($($method:ident($type:ty) => $visit:ident, $kind:expr;)*) => {$(
        fn $method(self, value: $type) -> Result<P::Output, RowError> {
            self.0.$visit(value.into(), $kind)
        }
    )*};
}

/// The methods that begin a value with parts.
macro_rules! begin_parts {
    ($($method:ident($($argument:ty),*) => $form:ident;)*) => {$(
        fn $method(self, $(_: $argument),*) -> Result<PartsSerializer<P::Parts>, RowError> {
            Ok(PartsSerializer { parts: self.0.parts(Form::$form)?, key: String::new() })
        }
    )*};
}

/// The methods that begin a variant with fields.
macro_rules! refuse_variants {
    ($($method:ident)*) => {$(
        fn $method(
            self,
            name: &'static str,
            _: u32,
            _: &'static str,
            _: usize,
        ) -> Result<Impossible<P::Output, RowError>, RowError> {
            variant_with_fields(name)
        }
    )*};
}

impl<P: Pass> Serializer for PassSerializer<P> {
    type Ok = P::Output;
    type Error = RowError;
    type SerializeSeq = PartsSerializer<P::Parts>;
    type SerializeTuple = PartsSerializer<P::Parts>;
    type SerializeTupleStruct = PartsSerializer<P::Parts>;
    type SerializeTupleVariant = Impossible<P::Output, RowError>;
    type SerializeMap = PartsSerializer<P::Parts>;
    type SerializeStruct = PartsSerializer<P::Parts>;
    type SerializeStructVariant = Impossible<P::Output, RowError>;

    numbers! {
        serialize_i8(i8) => int, Kind::Int(1);
        serialize_i16(i16) => int, Kind::Int(2);
        serialize_i32(i32) => int, Kind::Int(4);
        serialize_i64(i64) => int, Kind::Int(8);
        serialize_u8(u8) => int, Kind::UInt(1);
        serialize_u16(u16) => int, Kind::UInt(2);
        serialize_u32(u32) => int, Kind::UInt(4);
        serialize_u64(u64) => int, Kind::UInt(8);
        serialize_f32(f32) => float, Kind::Float(4);
        serialize_f64(f64) => float, Kind::Float(8);
    }

    begin_parts! {
        serialize_seq(Option<usize>) => Sequence;
        serialize_tuple(usize) => Tuple;
        serialize_tuple_struct(&'static str, usize) => TupleStruct;
        serialize_map(Option<usize>) => Named;
        serialize_struct(&'static str, usize) => Named;
    }

    refuse_variants! { serialize_tuple_variant serialize_struct_variant }

    fn serialize_bool(self, value: bool) -> Result<P::Output, RowError> {
        self.0.bool(value)
    }

    fn serialize_char(self, value: char) -> Result<P::Output, RowError> {
        self.0.text(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, text: &str) -> Result<P::Output, RowError> {
        self.0.text(text)
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<P::Output, RowError> {
        self.0.bytes(bytes)
    }

    fn serialize_none(self) -> Result<P::Output, RowError> {
        no_dtype("`None` (use a value that stands for none: NaN, -1, an empty text)")
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<P::Output, RowError> {
        self.0.inner()?.run(value)
    }

    fn serialize_unit(self) -> Result<P::Output, RowError> {
        no_dtype("`()`")
    }

    fn serialize_unit_struct(self, name: &'static str) -> Result<P::Output, RowError> {
        no_dtype(name)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<P::Output, RowError> {
        self.0.text(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<P::Output, RowError> {
        self.serialize_some(value)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<P::Output, RowError> {
        variant_with_fields(name)
    }
}

/// Implements serde's traits for parts. Their method receives the value, and before it the name if the trait has one.
macro_rules! parts {
    ($($trait:ident::$method:ident($($name:ident)?) => $passed:expr;)*) => {$(
        impl<P: Parts> $trait for PartsSerializer<P> {
            type Ok = P::Output;
            type Error = RowError;

            fn $method<T: Serialize + ?Sized>(
                &mut self,
                $($name: &'static str,)?
                value: &T,
            ) -> Result<(), RowError> {
                self.parts.push($passed, value)
            }

            fn end(self) -> Result<P::Output, RowError> {
                self.parts.end()
            }
        }
    )*};
}

parts! {
    SerializeSeq::serialize_element() => None;
    SerializeTuple::serialize_element() => None;
    SerializeTupleStruct::serialize_field() => None;
    SerializeStruct::serialize_field(name) => Some(name);
}

impl<P: Parts> SerializeMap for PartsSerializer<P> {
    type Ok = P::Output;
    type Error = RowError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), RowError> {
        self.key = key::text(key)?;
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), RowError> {
        self.parts.push(Some(&self.key), value)
    }

    fn end(self) -> Result<P::Output, RowError> {
        self.parts.end()
    }
}
