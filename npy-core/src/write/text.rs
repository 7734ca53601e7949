//! Writes text and bytes. The longest value determines the width.

use super::array_sink::ArraySink;
use super::array_writer::ArrayWriter;
use super::blocks::write_blocks;
use super::values::write_by_deref;
use super::{WriteNpy, WriteOptions};
use crate::array::NpyArray;
use crate::checked;
use crate::dtype::{ByteOrder, DType, Scalar, ScalarKind, descr};
use crate::element::text::excerpt;
use crate::element::{InvalidValue, block, ucs4};
use crate::error::Result;
use crate::limits::MAX_ITEMSIZE;
use crate::plan::{Cast, Plan};
use crate::shape::Order;
#[cfg(feature = "objects")]
use npy_pickle::emit::Emit;

/// A value that is written as one Python object, with that feature.
#[cfg(not(feature = "objects"))]
trait Emit {}

#[cfg(not(feature = "objects"))]
impl<T: ?Sized> Emit for T {}

/// A type of text. In an array, the longest value determines the width of all.
trait Text: Emit + AsRef<[u8]> {
    const KIND: ScalarKind;

    /// The number of bytes in one unit of width.
    const UNIT: usize;

    /// Returns the width that this value needs.
    fn width(&self) -> usize;

    /// Writes the value in little-endian order, and fills the rest of `item` with zeros.
    fn encode(&self, item: &mut [u8]);
}

impl Text for str {
    const KIND: ScalarKind = ScalarKind::Str;
    const UNIT: usize = 4;

    fn width(&self) -> usize {
        self.chars().count()
    }

    fn encode(&self, item: &mut [u8]) {
        ucs4::write(self.chars(), item);
    }
}

impl Text for [u8] {
    const KIND: ScalarKind = ScalarKind::Bytes;
    const UNIT: usize = 1;

    fn width(&self) -> usize {
        self.len()
    }

    fn encode(&self, item: &mut [u8]) {
        if let Some((start, rest)) = item.split_at_mut_checked(self.len()) {
            start.copy_from_slice(self);
            rest.fill(0);
        }
    }
}

/// The texts of an array: as a `dyn` iterator, so that the code for them is compiled once.
type Texts<'t, T> = Box<dyn Iterator<Item = &'t T> + 't>;

fn texts<'t, T: Text + ?Sized + 't>(
    items: impl Iterator<Item = &'t (impl AsRef<T> + ?Sized + 't)> + 't,
) -> Texts<'t, T> {
    Box::new(items.map(AsRef::as_ref))
}

/// Returns the number of bytes that an element needs to hold each of these texts.
fn measured<T: Text + ?Sized>(texts: Texts<'_, T>) -> Result<usize> {
    // NumPy writes at least one unit, even if all texts are empty.
    let mut width = 1;
    for (row, text) in texts.enumerate() {
        let (length, bytes) = (text.width(), text.as_ref());
        let reason = if length.saturating_mul(T::UNIT) > MAX_ITEMSIZE {
            "is longer than the 2147483647 bytes of NumPy's largest item"
        } else if bytes.last() == Some(&0) {
            "ends with a NUL, which NumPy would drop; trim it"
        } else {
            width = length.max(width);
            continue;
        };
        let shown = match std::str::from_utf8(bytes) {
            Ok(text) if T::KIND == ScalarKind::Str => descr::excerpt(&format!("{text:?}")),
            _ => excerpt(bytes),
        };
        let error = InvalidValue::new(format!("{shown} {reason}"));
        return Err(block::invalid(error, row));
    }
    Ok(checked::mul(width, T::UNIT))
}

impl WriteOptions {
    /// Writes an array of text; `items` iterates over the texts in a given order.
    fn write_texts<'t, T: Text + ?Sized>(
        &self,
        shape: &[usize],
        order: Order,
        items: &dyn Fn(Order) -> Texts<'t, T>,
        sink: &mut dyn ArraySink,
    ) -> Result<()> {
        #[cfg(feature = "objects")]
        if self.objects {
            return self.write_objects(shape, || items(Order::C), sink);
        }
        let order = self.order.unwrap_or(order);
        let size = measured(items(order))?;
        let dtype = |order| DType::from(Scalar::ordered(T::KIND, size, order));
        let written = dtype(self.byte_order.unwrap_or(ByteOrder::Little));
        let plan = Plan::new(&dtype(ByteOrder::Little), &written, Cast::Exact)?;
        self.write_header(written, shape, order, sink)?;
        let mut texts = items(order);
        let mut encode = |n: usize, block: &mut Vec<u8>| {
            block.resize(checked::mul(n, size), 0);
            let slots = block.chunks_exact_mut(size.max(1));
            slots.zip(texts.by_ref()).for_each(|(slot, text)| T::encode(text, slot));
            Ok(n)
        };
        write_blocks(&plan, shape, &mut encode, sink)
    }
}

/// Implements `WriteNpy` for lists and arrays of types that borrow as a [`Text`].
macro_rules! texts {
    ($($type:ty as $text:ty),*) => {$(
        impl WriteNpy for [$type] {
            fn write_npy_array(&self, to: ArrayWriter<'_>) -> Result<()> {
                let items = |_| texts::<$text>(self.iter());
                to.options.write_texts(&[self.len()], Order::C, &items, to.sink)
            }
        }

        write_by_deref! { [] Vec<$type> as [$type], [const N: usize] [$type; N] as [$type] }

        impl WriteNpy for NpyArray<$type> {
            fn write_npy_array(&self, to: ArrayWriter<'_>) -> Result<()> {
                let items = |order| texts::<$text>(self.in_order(order));
                to.options.write_texts(self.shape(), self.order(), &items, to.sink)
            }
        }
    )*};
}

texts!(String as str, &str as str, Vec<u8> as [u8], &[u8] as [u8]);

/// Writes a single element: an array without dimensions.
impl WriteNpy for str {
    fn write_npy_array(&self, to: ArrayWriter<'_>) -> Result<()> {
        let items = |_| texts::<str>(std::iter::once(self));
        to.options.write_texts(&[], Order::C, &items, to.sink)
    }
}

write_by_deref! { [] String as str }
