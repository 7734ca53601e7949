//! The second pass: the bytes of a row.

use serde::ser::{
    Impossible, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeTuple,
    SerializeTupleStruct, Serializer,
};

use super::kind::{no_dtype, none, variant};
use crate::dtype::{DType, ScalarKind};
use crate::element::width;
use crate::serde::RowError;

/// Writes a value as an item of the dtype that the first pass found.
pub(super) struct Fill<'a> {
    dtype: &'a DType,
    /// The dimensions of the sub-array that it is.
    shape: &'a [usize],
    item: &'a mut [u8],
}

impl<'a> Fill<'a> {
    pub(super) fn new(dtype: &'a DType, item: &'a mut [u8]) -> Self {
        match dtype.sub_array() {
            Some((base, shape)) => Fill { dtype: base, shape, item },
            None => Fill { dtype, shape: &[], item },
        }
    }

    fn kind(&self) -> Option<ScalarKind> {
        let scalar = self.dtype.scalar().filter(|_| self.shape.is_empty());
        scalar.map(|scalar| scalar.kind())
    }

    /// Writes an integer, into a field that other rows may have made wider, signed or a float.
    fn int(self, value: i128) -> Result<(), RowError> {
        let bits = u32::try_from(self.item.len().saturating_mul(8)).unwrap_or(0);
        let fits = match self.kind() {
            Some(ScalarKind::Int) => (value ^ (value >> 127)).checked_shr(bits.saturating_sub(1)),
            Some(ScalarKind::UInt) => value.checked_shr(bits),
            Some(ScalarKind::Float) => {
                let float = value as f64;
                // A whole number of at most 64 bits, which comes back.
                #[expect(clippy::cast_possible_truncation)]
                let same = float as i128 == value;
                return if same { self.float(float) } else { other(value) };
            }
            _ => return changed(),
        };
        if fits != Some(0) {
            return other(value);
        }
        self.item.iter_mut().zip(value.to_le_bytes()).for_each(|(slot, byte)| *slot = byte);
        Ok(())
    }

    fn float(self, value: f64) -> Result<(), RowError> {
        match (self.kind(), self.item.len()) {
            (Some(ScalarKind::Float), 4) => {
                // It was one of 4 bytes, or an integer that fits.
                #[expect(clippy::cast_possible_truncation)]
                self.item.copy_from_slice(&(value as f32).to_le_bytes());
                Ok(())
            }
            (Some(ScalarKind::Float), 8) => {
                self.item.copy_from_slice(&value.to_le_bytes());
                Ok(())
            }
            _ => changed(),
        }
    }

    fn parts(self) -> Result<Parts<'a>, RowError> {
        let Fill { dtype, shape, item } = self;
        match shape.split_first() {
            Some((&count, shape)) => {
                let stride = item.len().checked_div(count).unwrap_or(0);
                Ok(Parts { of: Of::Sequence { dtype, shape, stride }, item, at: 0, key: None })
            }
            None => Ok(Parts { of: Of::Record { dtype }, item, at: 0, key: None }),
        }
    }
}

/// The parts of a sequence, tuple, struct or map.
pub(super) struct Parts<'a> {
    of: Of<'a>,
    item: &'a mut [u8],
    /// The index of the next one.
    at: usize,
    key: Option<String>,
}

enum Of<'a> {
    Sequence { dtype: &'a DType, shape: &'a [usize], stride: usize },
    Record { dtype: &'a DType },
}

impl Parts<'_> {
    /// Writes the next part: of a sequence by its place, of a record also by its name.
    fn push<T: Serialize + ?Sized>(
        &mut self,
        name: Option<&str>,
        value: &T,
    ) -> Result<(), RowError> {
        let at = self.at;
        self.at = at.saturating_add(1);
        match self.of {
            Of::Sequence { dtype, shape, stride } => {
                let start = at.saturating_mul(stride);
                let part = self.item.get_mut(start..start.saturating_add(stride));
                let Some(item) = part else { return changed() };
                value.serialize(Fill { dtype, shape, item })
            }
            Of::Record { dtype } => {
                let here = dtype.fields().get(at);
                let field = match name {
                    Some(name) if here.is_none_or(|field| field.name() != name) => {
                        dtype.field(name)
                    }
                    _ => here,
                };
                let Some(field) = field else { return changed() };
                let Some(item) = self.item.get_mut(field.offset()..field.end()) else {
                    return changed();
                };
                let written = value.serialize(Fill::new(field.dtype(), item));
                written.map_err(|error| error.within(field.name()))
            }
        }
    }
}

/// The error for a number that goes with none of the other rows.
fn other<T>(value: i128) -> Result<T, RowError> {
    Err(RowError::new(format!("{value} has no place in a dtype that holds the other rows, too")))
}

/// The error for a value that is another one at each look.
fn changed<T>() -> Result<T, RowError> {
    Err(RowError::new(
        "it serialized as something else when it was measured; it must be the same each time",
    ))
}

/// Makes the parts of something by this method.
macro_rules! parts {
    ($($trait:ident::$method:ident),*) => {$(
        impl $trait for Parts<'_> {
            type Ok = ();
            type Error = RowError;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), RowError> {
                self.push(None, value)
            }

            fn end(self) -> Result<(), RowError> {
                Ok(())
            }
        }
    )*};
}

parts!(
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field
);

impl SerializeStruct for Parts<'_> {
    type Ok = ();
    type Error = RowError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), RowError> {
        self.push(Some(name), value)
    }

    fn end(self) -> Result<(), RowError> {
        Ok(())
    }
}

impl SerializeMap for Parts<'_> {
    type Ok = ();
    type Error = RowError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), RowError> {
        self.key = Some(super::key::text(key)?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), RowError> {
        let name = self.key.take();
        self.push(name.as_deref(), value)
    }

    fn end(self) -> Result<(), RowError> {
        Ok(())
    }
}

/// The methods of numbers.
macro_rules! numbers {
    ($($method:ident($type:ty) => $write:ident),* $(,)?) => {$(
        fn $method(self, value: $type) -> Result<(), RowError> {
            self.$write(value.into())
        }
    )*};
}

impl<'a> Serializer for Fill<'a> {
    type Ok = ();
    type Error = RowError;
    type SerializeSeq = Parts<'a>;
    type SerializeTuple = Parts<'a>;
    type SerializeTupleStruct = Parts<'a>;
    type SerializeTupleVariant = Impossible<(), RowError>;
    type SerializeMap = Parts<'a>;
    type SerializeStruct = Parts<'a>;
    type SerializeStructVariant = Impossible<(), RowError>;

    numbers! {
        serialize_i8(i8) => int,
        serialize_i16(i16) => int,
        serialize_i32(i32) => int,
        serialize_i64(i64) => int,
        serialize_u8(u8) => int,
        serialize_u16(u16) => int,
        serialize_u32(u32) => int,
        serialize_u64(u64) => int,
        serialize_f32(f32) => float,
        serialize_f64(f64) => float,
    }

    fn serialize_bool(self, value: bool) -> Result<(), RowError> {
        match (self.kind(), self.item) {
            (Some(ScalarKind::Bool), [slot]) => *slot = u8::from(value),
            _ => return changed(),
        }
        Ok(())
    }

    fn serialize_char(self, value: char) -> Result<(), RowError> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, text: &str) -> Result<(), RowError> {
        match self.kind() {
            Some(ScalarKind::Str) => width::store_chars(text, self.item).map_err(RowError::new),
            _ => changed(),
        }
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<(), RowError> {
        match self.kind() {
            Some(ScalarKind::Bytes) => width::store_bytes(bytes, self.item).map_err(RowError::new),
            _ => changed(),
        }
    }

    fn serialize_none(self) -> Result<(), RowError> {
        none()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), RowError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), RowError> {
        no_dtype("`()`")
    }

    fn serialize_unit_struct(self, name: &'static str) -> Result<(), RowError> {
        no_dtype(name)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), RowError> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), RowError> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), RowError> {
        variant(name)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Parts<'a>, RowError> {
        self.parts()
    }

    fn serialize_tuple(self, _: usize) -> Result<Parts<'a>, RowError> {
        self.parts()
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Parts<'a>, RowError> {
        self.parts()
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, RowError> {
        variant(name)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Parts<'a>, RowError> {
        self.parts()
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Parts<'a>, RowError> {
        self.parts()
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, RowError> {
        variant(name)
    }
}
