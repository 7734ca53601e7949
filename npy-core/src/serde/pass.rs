//! A serializer that reduces the methods of serde to a few.

use serde::ser::{
    self, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use crate::dtype::ScalarKind;

/// A pass over one value.
pub(super) trait Pass: Sized {
    type Output;
    type Error: ser::Error;
    type Parts: Parts<Output = Self::Output, Error = Self::Error>;

    fn leaf(self, value: Leaf<'_>) -> Result<Self::Output, Self::Error>;
    /// Returns the pass over the value in a `Some` or a newtype.
    fn inner(self) -> Result<Self, Self::Error> {
        Ok(self)
    }
    /// Begins a value with parts, which may be those of a variant.
    fn parts(self, form: Form, variant: Option<Variant>) -> Result<Self::Parts, Self::Error>;

    #[inline]
    fn run<T: Serialize + ?Sized>(self, value: &T) -> Result<Self::Output, Self::Error> {
        value.serialize(PassSerializer(self))
    }
}

/// A value without parts.
pub(super) enum Leaf<'a> {
    /// `None`, `()` or a struct without fields, and its name in an error.
    None(&'static str),
    Bool(bool),
    /// An integer, signed or not, of this many bytes.
    Int(i128, ScalarKind, usize),
    /// A `u128`.
    Large(u128),
    Single(f32),
    Float(f64),
    /// Text, or a variant without fields.
    Text(&'a str),
    Bytes(&'a [u8]),
}

/// A pass over the parts of a sequence, tuple, struct or map.
pub(super) trait Parts {
    type Output;
    type Error;

    /// Reads the key of a map. Returns the name of the next part, if [`push`](Self::push) needs it.
    fn key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<Option<String>, Self::Error>;

    /// Adds the next part, with its name if it is a field, or if [`key`](Self::key) has returned one.
    fn push<T: Serialize + ?Sized>(
        &mut self,
        name: Option<&str>,
        value: &T,
    ) -> Result<(), Self::Error>;

    fn end(self) -> Result<Self::Output, Self::Error>;
}

/// The form of a value with parts.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Form {
    Sequence,
    /// A tuple or an array `[T; N]`: serde does not distinguish them.
    Tuple,
    /// A tuple struct of this name, or a tuple variant.
    TupleStruct(&'static str),
    /// A struct or a map.
    Named,
    /// The field of a variant.
    Newtype,
}

/// A variant with fields.
#[derive(Clone, Copy)]
pub(super) struct Variant {
    /// The name of the enum.
    pub(super) of: &'static str,
    pub(super) name: &'static str,
}

struct PassSerializer<P>(P);

pub(super) struct PartsSerializer<P> {
    parts: P,
    /// The name of the next part of a map.
    key: Option<String>,
}

/// The methods for values without parts.
macro_rules! leaves {
    ($($method:ident($($value:ident: $type:ty),*) => $leaf:expr;)*) => {$(
        #[inline]
        fn $method(self, $($value: $type),*) -> Result<P::Output, P::Error> {
            self.0.leaf($leaf)
        }
    )*};
}

/// The methods that begin a value with parts.
macro_rules! begin_parts {
    ($($method:ident($($name:ident: $argument:ty),*) => $form:expr, $variant:expr;)*) => {$(
        fn $method(self, $($name: $argument),*) -> Result<PartsSerializer<P::Parts>, P::Error> {
            Ok(PartsSerializer { parts: self.0.parts($form, $variant)?, key: None })
        }
    )*};
}

impl<P: Pass> Serializer for PassSerializer<P> {
    type Ok = P::Output;
    type Error = P::Error;
    type SerializeSeq = PartsSerializer<P::Parts>;
    type SerializeTuple = PartsSerializer<P::Parts>;
    type SerializeTupleStruct = PartsSerializer<P::Parts>;
    type SerializeTupleVariant = PartsSerializer<P::Parts>;
    type SerializeMap = PartsSerializer<P::Parts>;
    type SerializeStruct = PartsSerializer<P::Parts>;
    type SerializeStructVariant = PartsSerializer<P::Parts>;

    leaves! {
        serialize_bool(value: bool) => Leaf::Bool(value);
        serialize_i8(value: i8) => Leaf::Int(value.into(), ScalarKind::Int, 1);
        serialize_i16(value: i16) => Leaf::Int(value.into(), ScalarKind::Int, 2);
        serialize_i32(value: i32) => Leaf::Int(value.into(), ScalarKind::Int, 4);
        serialize_i64(value: i64) => Leaf::Int(value.into(), ScalarKind::Int, 8);
        serialize_i128(value: i128) => Leaf::Int(value, ScalarKind::Int, 16);
        serialize_u8(value: u8) => Leaf::Int(value.into(), ScalarKind::UInt, 1);
        serialize_u16(value: u16) => Leaf::Int(value.into(), ScalarKind::UInt, 2);
        serialize_u32(value: u32) => Leaf::Int(value.into(), ScalarKind::UInt, 4);
        serialize_u64(value: u64) => Leaf::Int(value.into(), ScalarKind::UInt, 8);
        serialize_u128(value: u128) => Leaf::Large(value);
        serialize_f32(value: f32) => Leaf::Single(value);
        serialize_f64(value: f64) => Leaf::Float(value);
        serialize_char(value: char) => Leaf::Text(value.encode_utf8(&mut [0; 4]));
        serialize_str(text: &str) => Leaf::Text(text);
        serialize_bytes(bytes: &[u8]) => Leaf::Bytes(bytes);
        serialize_none() => Leaf::None("`None` (use a value that stands for none: NaN, -1, an empty text)");
        serialize_unit() => Leaf::None("`()`");
        serialize_unit_struct(name: &'static str) => Leaf::None(name);
        serialize_unit_variant(_of: &'static str, _index: u32, name: &'static str) => Leaf::Text(name);
    }

    begin_parts! {
        serialize_seq(_length: Option<usize>) => Form::Sequence, None;
        serialize_tuple(_length: usize) => Form::Tuple, None;
        serialize_tuple_struct(name: &'static str, _length: usize) => Form::TupleStruct(name), None;
        serialize_tuple_variant(of: &'static str, _index: u32, name: &'static str, _length: usize) =>
            Form::TupleStruct(name), Some(Variant { of, name });
        serialize_map(_length: Option<usize>) => Form::Named, None;
        serialize_struct(_name: &'static str, _length: usize) => Form::Named, None;
        serialize_struct_variant(of: &'static str, _index: u32, name: &'static str, _length: usize) =>
            Form::Named, Some(Variant { of, name });
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<P::Output, P::Error> {
        self.0.inner()?.run(value)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<P::Output, P::Error> {
        self.serialize_some(value)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        of: &'static str,
        _: u32,
        name: &'static str,
        value: &T,
    ) -> Result<P::Output, P::Error> {
        let mut parts = self.0.parts(Form::Newtype, Some(Variant { of, name }))?;
        parts.push(Some(name), value)?;
        parts.end()
    }
}

/// Implements serde's traits for parts. The method of each trait receives the value; for the fields of a struct, it also receives the name.
macro_rules! parts {
    ($($trait:ident::$method:ident($($name:ident)?) => $passed:expr;)*) => {$(
        impl<P: Parts<Error: ser::Error>> $trait for PartsSerializer<P> {
            type Ok = P::Output;
            type Error = P::Error;

            fn $method<T: Serialize + ?Sized>(
                &mut self,
                $($name: &'static str,)?
                value: &T,
            ) -> Result<(), P::Error> {
                self.parts.push($passed, value)
            }

            fn end(self) -> Result<P::Output, P::Error> {
                self.parts.end()
            }
        }
    )*};
}

parts! {
    SerializeSeq::serialize_element() => None;
    SerializeTuple::serialize_element() => None;
    SerializeTupleStruct::serialize_field() => None;
    SerializeTupleVariant::serialize_field() => None;
    SerializeStruct::serialize_field(name) => Some(name);
    SerializeStructVariant::serialize_field(name) => Some(name);
}

impl<P: Parts<Error: ser::Error>> SerializeMap for PartsSerializer<P> {
    type Ok = P::Output;
    type Error = P::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), P::Error> {
        self.key = self.parts.key(key)?;
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), P::Error> {
        self.parts.push(self.key.as_deref(), value)
    }

    fn end(self) -> Result<P::Output, P::Error> {
        self.parts.end()
    }
}
