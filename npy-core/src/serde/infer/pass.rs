//! The serializer of both passes, which reduces the methods of serde to a few.

use serde::ser::{
    Impossible, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeTuple,
    SerializeTupleStruct, Serializer,
};

use super::key;
use crate::dtype::ScalarKind;
use crate::serde::RowError;

/// A pass over one value.
pub(in crate::serde) trait Pass: Sized {
    type Output;
    type Parts: Parts<Output = Self::Output>;

    fn leaf(self, value: Leaf<'_>) -> Result<Self::Output, RowError>;
    /// Returns the pass over the value in a `Some` or a newtype.
    fn inner(self) -> Result<Self, RowError>;
    fn parts(self, form: Form) -> Result<Self::Parts, RowError>;

    #[inline]
    fn run<T: Serialize + ?Sized>(self, value: &T) -> Result<Self::Output, RowError> {
        value.serialize(PassSerializer(self))
    }
}

/// A value without parts.
pub(in crate::serde) enum Leaf<'a> {
    Bool(bool),
    /// An integer, signed or not, of this many bytes.
    Int(i128, ScalarKind, usize),
    Single(f32),
    Float(f64),
    Text(&'a str),
    Bytes(&'a [u8]),
}

/// A pass over the parts of a sequence, tuple, struct or map.
pub(in crate::serde) trait Parts {
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
pub(in crate::serde) enum Form {
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

/// The methods for values without parts.
macro_rules! leaves {
    ($($method:ident($value:ident: $type:ty) => $leaf:expr;)*) => {$(
        #[inline]
        fn $method(self, $value: $type) -> Result<P::Output, RowError> {
            self.0.leaf($leaf)
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

    leaves! {
        serialize_bool(value: bool) => Leaf::Bool(value);
        serialize_i8(value: i8) => Leaf::Int(value.into(), ScalarKind::Int, 1);
        serialize_i16(value: i16) => Leaf::Int(value.into(), ScalarKind::Int, 2);
        serialize_i32(value: i32) => Leaf::Int(value.into(), ScalarKind::Int, 4);
        serialize_i64(value: i64) => Leaf::Int(value.into(), ScalarKind::Int, 8);
        serialize_u8(value: u8) => Leaf::Int(value.into(), ScalarKind::UInt, 1);
        serialize_u16(value: u16) => Leaf::Int(value.into(), ScalarKind::UInt, 2);
        serialize_u32(value: u32) => Leaf::Int(value.into(), ScalarKind::UInt, 4);
        serialize_u64(value: u64) => Leaf::Int(value.into(), ScalarKind::UInt, 8);
        serialize_f32(value: f32) => Leaf::Single(value);
        serialize_f64(value: f64) => Leaf::Float(value);
        serialize_char(value: char) => Leaf::Text(value.encode_utf8(&mut [0; 4]));
        serialize_str(text: &str) => Leaf::Text(text);
        serialize_bytes(bytes: &[u8]) => Leaf::Bytes(bytes);
    }

    begin_parts! {
        serialize_seq(Option<usize>) => Sequence;
        serialize_tuple(usize) => Tuple;
        serialize_tuple_struct(&'static str, usize) => TupleStruct;
        serialize_map(Option<usize>) => Named;
        serialize_struct(&'static str, usize) => Named;
    }

    refuse_variants! { serialize_tuple_variant serialize_struct_variant }

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
        self.0.leaf(Leaf::Text(variant))
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

/// Implements serde's traits for parts. The method of each trait receives the value; for the fields of a struct, it also receives the name.
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
