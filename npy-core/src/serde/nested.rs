//! Deserializes arrays of numbers, text or records as nested sequences. Each type of numbers has its own loop.

mod bytes;
mod converted;
mod native;
mod parts;

use std::borrow::Cow;

use serde::de::{DeserializeSeed, Deserializer, IntoDeserializer, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::entries::more_items;
use super::floats::Float;
use super::rows::{Row, shared_methods};
use super::{ARRAY_TOKEN, RowError, Step, weight};
use crate::checked;
use crate::dtype::{ByteOrder, DType, ScalarKind};
use crate::dynamic::DynArray;
use crate::element::Element;
use crate::error::Error;
use crate::header::Header;
use crate::limits::Limits;
use crate::reserve;
use crate::shape::{self, Order};
use crate::value::Value;
pub(super) use bytes::ArrayBytes;
use converted::Converted;
pub(super) use parts::{NO_DTYPE, Parts, Whole, typed};

/// An array without Python objects, or a part of one, as a deserializer.
#[derive(Clone, Copy)]
pub(super) struct Nested<'a> {
    dtype: &'a DType,
    shape: &'a [usize],
    order: Order,
    bytes: ArrayBytes<'a>,
    limits: &'a Limits,
    /// True if the items along the first dimension are the rows of a file.
    has_rows: bool,
}

impl<'a> Nested<'a> {
    /// Returns the deserializer of an array.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Shape`] if there are too few or too many bytes, [`ErrorKind::Unsupported`] for Python objects,
    /// [`ErrorKind::Limit`] if the values may take much more memory than the bytes.
    pub(super) fn new(
        header: &'a Header,
        bytes: ArrayBytes<'a>,
        limits: &'a Limits,
    ) -> Result<Self, Error> {
        header.check_data(bytes.length())?;
        let (dtype, shape, order) = (header.dtype(), header.shape(), header.order());
        weight::check(dtype, shape, 0, limits)?;
        let order = order.normalized(shape);
        Ok(Nested { dtype, shape, order, bytes, limits, has_rows: false })
    }

    /// Returns the deserializer of the array of a file: an error in it names the row.
    pub(super) fn of_file(array: &'a DynArray) -> Result<Self, Error> {
        let nested = Nested::new(array.header(), ArrayBytes::of(array.as_bytes()), array.limits())?;
        Ok(Nested { has_rows: true, ..nested })
    }

    /// Returns the bytes of the elements in C order.
    fn in_c_order(&self) -> Result<Cow<'a, [u8]>, RowError> {
        if self.order == Order::C {
            return Ok(self.bytes.all());
        }
        let array = self.to_dyn()?.to_order(Order::C)?;
        Ok(Cow::Owned(array.into_bytes()))
    }

    fn to_dyn(self) -> Result<DynArray, Error> {
        let header = Header::new(self.dtype.clone(), self.shape, self.order)?;
        let bytes = match self.bytes.all() {
            Cow::Owned(bytes) => bytes,
            Cow::Borrowed(bytes) => reserve::copied(bytes)?,
        };
        Ok(DynArray::from_parts(header, bytes)?.with_limits(*self.limits))
    }

    /// Returns the single element of an array without dimensions.
    fn single(&self) -> Option<Row<'a>> {
        self.shape.is_empty().then(|| Row(Value::new(self.dtype, self.bytes.memory())))
    }

    /// Visits the items along the first dimension.
    fn visit<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        let Some((&count, inner)) = self.shape.split_first() else {
            return Row(Value::new(self.dtype, self.bytes.memory())).deserialize_any(visitor);
        };
        if inner.is_empty() {
            return elements(self.dtype, self.bytes, self.axes(&[count]), visitor);
        }
        let bytes = self.in_c_order()?;
        let size = shape::bytes(inner, self.dtype.itemsize())?;
        let part = |i| {
            let bytes = ArrayBytes::of(checked::part(&bytes, i, size));
            Nested { shape: inner, order: Order::C, bytes, has_rows: false, ..self }
        };
        visit_items((0..count).map(part), self.axes(&[count]), visitor)
    }

    /// Returns the axes of items with this shape.
    fn axes<'s>(&self, shape: &'s [usize]) -> Axes<'s> {
        Axes { shape, order: self.order, has_rows: self.has_rows }
    }
}

/// Visits all elements as one sequence.
fn elements<'de, V: Visitor<'de>>(
    dtype: &DType,
    bytes: ArrayBytes<'_>,
    axes: Axes<'_>,
    visitor: V,
) -> Result<V::Value, RowError> {
    if let Some(scalar) = dtype.scalar() {
        let is_big = scalar.byte_order() == Some(ByteOrder::Big);
        match (scalar.kind(), scalar.itemsize()) {
            (ScalarKind::Bool, 1) => return numbers::<bool, _>(bytes, is_big, axes, visitor),
            (ScalarKind::Int, 1) => return numbers::<i8, _>(bytes, is_big, axes, visitor),
            (ScalarKind::Int, 2) => return numbers::<i16, _>(bytes, is_big, axes, visitor),
            (ScalarKind::Int, 4) => return numbers::<i32, _>(bytes, is_big, axes, visitor),
            (ScalarKind::Int, 8) => return numbers::<i64, _>(bytes, is_big, axes, visitor),
            (ScalarKind::UInt, 1) => return numbers::<u8, _>(bytes, is_big, axes, visitor),
            (ScalarKind::UInt, 2) => return numbers::<u16, _>(bytes, is_big, axes, visitor),
            (ScalarKind::UInt, 4) => return numbers::<u32, _>(bytes, is_big, axes, visitor),
            (ScalarKind::UInt, 8) => return numbers::<u64, _>(bytes, is_big, axes, visitor),
            (ScalarKind::Float, 4) => return numbers::<f32, _>(bytes, is_big, axes, visitor),
            (ScalarKind::Float, 8) => return numbers::<f64, _>(bytes, is_big, axes, visitor),
            _ => {}
        }
    }
    let (size, bytes) = (dtype.itemsize(), bytes.all());
    let row = |i| Row(Value::new(dtype, checked::part(&bytes, i, size)));
    visit_items((0..shape::count(axes.shape)?).map(row), axes, visitor)
}

/// Visits all numbers as one sequence.
fn numbers<'de, T: Element, V: Visitor<'de>>(
    bytes: ArrayBytes<'_>,
    is_big: bool,
    axes: Axes<'_>,
    visitor: V,
) -> Result<V::Value, RowError>
where
    Number<T>: Deserializer<'de, Error = RowError>,
{
    let convert = if is_big { converted::<T, true> } else { converted::<T, false> };
    match bytes.single_block() {
        // For a single block, the loop need not check for a next block.
        Some(block) => visit_items(convert(block).into_iter().map(Number), axes, visitor),
        None => visit_items(Converted::new(bytes, convert).map(Number), axes, visitor),
    }
}

/// Returns the numbers of a block.
fn converted<T: Element, const SWAPPED: bool>(block: &[u8]) -> Vec<T> {
    let items = block.chunks_exact(T::SIZE.max(1));
    items.map(|item| T::__INTERNALS.decode::<SWAPPED>(item)).collect()
}

/// Visits a sequence. Fails if the visitor does not read all of it. An error in an item gets the index of the item.
pub(super) fn visit_items<'de, V: Visitor<'de>>(
    items: impl ExactSizeIterator<Item: Deserializer<'de, Error = RowError>>,
    axes: Axes<'_>,
    visitor: V,
) -> Result<V::Value, RowError> {
    let count = items.len();
    let mut items = Items { items, count, axes };
    let value = visitor.visit_seq(&mut items)?;
    match items.items.len() {
        0 => Ok(value),
        left => Err(more_items(left)),
    }
}

/// The axes along which items are visited.
#[derive(Clone, Copy)]
pub(super) struct Axes<'a> {
    pub(super) shape: &'a [usize],
    pub(super) order: Order,
    /// True if the first axis is that of the rows of a file.
    pub(super) has_rows: bool,
}

impl Axes<'_> {
    /// Adds the position of an item to its error.
    #[cold]
    fn locate(&self, mut error: RowError, item: usize) -> RowError {
        let index = shape::index(self.shape, self.order, item);
        for (axis, at) in index.into_iter().enumerate().rev() {
            let is_row = self.has_rows && axis == 0;
            error = error.after(if is_row { Step::Row(at) } else { Step::Item(at) });
        }
        error
    }
}

struct Items<'a, I> {
    items: I,
    /// The number of all items.
    count: usize,
    axes: Axes<'a>,
}

impl<'de, I> SeqAccess<'de> for &mut Items<'_, I>
where
    I: ExactSizeIterator<Item: Deserializer<'de, Error = RowError>>,
{
    type Error = RowError;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, RowError> {
        let Some(item) = self.items.next() else { return Ok(None) };
        match seed.deserialize(item) {
            Ok(value) => Ok(Some(value)),
            Err(error) => {
                let before = self.count.saturating_sub(self.items.len()).saturating_sub(1);
                Err(self.axes.locate(error, before))
            }
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

impl<'de> Deserializer<'de> for Nested<'_> {
    type Error = RowError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        self.visit(visitor)
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        match self.single() {
            Some(single) => single.deserialize_i64(visitor),
            None => self.visit(visitor),
        }
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        match self.single() {
            Some(single) => single.deserialize_f32(visitor),
            None => self.visit(visitor),
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        match self.single() {
            Some(single) => single.deserialize_f64(visitor),
            None => self.visit(visitor),
        }
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        match (self.single(), self.dtype.scalar()) {
            (Some(single), _) => single.deserialize_bytes(visitor),
            (None, Some(scalar)) if scalar.kind() == ScalarKind::UInt && scalar.itemsize() == 1 => {
                visitor.visit_bytes(&self.in_c_order()?)
            }
            _ => self.visit(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        match self.single() {
            Some(single) => single.deserialize_option(visitor),
            None => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, RowError> {
        match name {
            ARRAY_TOKEN => {
                let Nested { dtype, shape, order, limits, .. } = self;
                let (elements, dtype) = (Some(Flat(self)), Some(dtype));
                visitor.visit_seq(Parts { shape, order, elements, dtype, limits, read: 0 })
            }
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        match self.single() {
            Some(single) => single.deserialize_seq(visitor),
            None => self.visit(visitor),
        }
    }

    shared_methods!();

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, RowError> {
        match self.single() {
            Some(single) => single.deserialize_enum(name, variants, visitor),
            None => self.visit(visitor),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i128 u8 u16 u32 u64 u128 char str string unit unit_struct map struct identifier
    }
}

/// All elements of an array as one sequence, in the order of the memory.
struct Flat<'a>(Nested<'a>);

impl<'de> Deserializer<'de> for Flat<'_> {
    type Error = RowError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        elements(self.0.dtype, self.0.bytes, self.0.axes(self.0.shape), visitor)
    }

    /// Bytes that are still in the file are moved, not copied.
    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        match self.0.bytes.all() {
            Cow::Owned(bytes) => visitor.visit_byte_buf(bytes),
            Cow::Borrowed(bytes) => visitor.visit_bytes(bytes),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        token: &'static str,
        visitor: V,
    ) -> Result<V::Value, RowError> {
        match native::hand_over(self.0.dtype, self.0.bytes, token)? {
            true => visitor.visit_unit(),
            false => self.deserialize_any(visitor),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes option unit unit_struct seq
        tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// A number or a `bool` of an array, as a deserializer.
#[derive(Clone, Copy)]
struct Number<T>(T);

macro_rules! number {
    ($($type:ty: $visit:ident, $check:ident $(, missing if $is_missing:path)?;)*) => {$(
        impl<'de> Deserializer<'de> for Number<$type> {
            type Error = RowError;

            #[inline]
            fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
                visitor.$visit(self.0)
            }

            #[inline]
            fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
                Float::Single.$check(self.0.into(), &visitor)?;
                visitor.$visit(self.0)
            }

            #[inline]
            fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
                Float::Double.$check(self.0.into(), &visitor)?;
                visitor.$visit(self.0)
            }

            #[inline]
            fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
                $(
                    if $is_missing(self.0) {
                        return visitor.visit_none();
                    }
                )?
                visitor.visit_some(self)
            }

            #[inline]
            fn deserialize_newtype_struct<V: Visitor<'de>>(
                self,
                _: &'static str,
                visitor: V,
            ) -> Result<V::Value, RowError> {
                visitor.visit_newtype_struct(self)
            }

            fn deserialize_enum<V: Visitor<'de>>(
                self,
                name: &'static str,
                variants: &'static [&'static str],
                visitor: V,
            ) -> Result<V::Value, RowError> {
                self.0.into_deserializer().deserialize_enum(name, variants, visitor)
            }

            forward_to_deserialize_any! {
                bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 char str string bytes byte_buf unit unit_struct seq tuple
                tuple_struct map struct identifier ignored_any
            }
        }
    )*};
}

number! {
    bool: visit_bool, check_integer;
    i8: visit_i8, check_integer;
    i16: visit_i16, check_integer;
    i32: visit_i32, check_integer;
    i64: visit_i64, check_integer;
    u8: visit_u8, check_integer;
    u16: visit_u16, check_integer;
    u32: visit_u32, check_integer;
    u64: visit_u64, check_integer;
    f32: visit_f32, check_real, missing if f32::is_nan;
    f64: visit_f64, check_real, missing if f64::is_nan;
}
