//! Reads text and bytes of any width.

use std::io::Read;

use super::{Reader, whole};
use crate::array::NpyArray;
use crate::checked;
use crate::dtype::{ByteOrder, ScalarKind};
use crate::element::text::{excerpt, without_zeros};
use crate::element::typed_plan::ItemPlan;
use crate::element::{InvalidValue, type_name, ucs4};
use crate::error::Result;
use crate::header::Payload;
use crate::plan::{self, Cast, Plan};
use crate::read::ReadNpy;

/// A function that decodes a little-endian element.
type Maker<T> = fn(&[u8]) -> Result<T, InvalidValue>;

/// A type that can be read from elements of any width.
trait Text: Sized {
    /// The dtypes that the type can be read from, for messages.
    const WANTED: &'static str;

    /// Returns the function that decodes elements of this kind; `None` if the type cannot be read from them.
    fn maker(kind: ScalarKind) -> Option<Maker<Self>>;
}

impl Text for String {
    const WANTED: &'static str = "'<U' or '|S' of any width";

    fn maker(kind: ScalarKind) -> Option<Maker<Self>> {
        match kind {
            ScalarKind::Str => Some(ucs4::text),
            ScalarKind::Bytes => Some(utf8),
            _ => None,
        }
    }
}

impl Text for Vec<u8> {
    const WANTED: &'static str = "'|S' of any width";

    fn maker(kind: ScalarKind) -> Option<Maker<Self>> {
        match kind {
            ScalarKind::Bytes => Some(|item| Ok(without_zeros(item).to_vec())),
            _ => None,
        }
    }
}

/// Decodes UTF-8.
fn utf8(item: &[u8]) -> Result<String, InvalidValue> {
    let bytes = without_zeros(item);
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(_) => Err(InvalidValue::new(format!(
            "{} is not UTF-8, and the file does not say which encoding it has; NpyArray<Vec<u8>> reads it",
            excerpt(bytes)
        ))),
    }
}

impl<R: Read> Reader<R> {
    /// Reads the remaining elements, whatever their width.
    fn texts<T: Text>(&mut self) -> Result<Vec<T>> {
        let found = self.header.dtype();
        let Some(make) = found.scalar().and_then(|scalar| T::maker(scalar.kind())) else {
            let remedy = "read it as the Rust type of its values (see npy_core::types), or as a DynArray, which takes any dtype";
            let error = plan::mismatch(found, T::WANTED.into(), remedy);
            return Err(error.wanted_by(&type_name::<T>()));
        };
        let plan = Plan::new(found, &found.with_byte_order(ByteOrder::Little), Cast::Exact)?;
        let plan = ItemPlan::of_elements(plan, &self.header);
        let size = plan.plan.dst_itemsize;
        whole::blocks(self, &plan, |count, buffers, out| {
            let items = buffers.run(&plan.plan, count);
            for i in 0..count {
                let item = checked::part(items, i, size);
                out.push(make(item).map_err(|error| error.at_item(i))?);
            }
            Ok(())
        })
    }
}

/// Implements `ReadNpy` for lists and arrays of a type.
macro_rules! texts {
    ($($type:ty),*) => {$(
        impl ReadNpy for Vec<$type> {
            fn read_npy_array<R: Read>(reader: &mut Reader<R>) -> Result<Self> {
                if reader.header.payload() == Payload::Pickle {
                    return reader.read_object_vec();
                }
                reader.located(|reader| match reader.header.shape() {
                    [_] => reader.texts(),
                    _ => Err(reader.no_list::<Self>(&[])),
                })
            }
        }

        impl ReadNpy for NpyArray<$type> {
            fn read_npy_array<R: Read>(reader: &mut Reader<R>) -> Result<Self> {
                if reader.header.payload() == Payload::Pickle {
                    return reader.read_object_array();
                }
                reader.located(|reader| {
                    reader.check_nothing_read()?;
                    let texts = reader.texts()?;
                    let stored = reader.header.order();
                    let array = NpyArray::with_order(texts, reader.header.shape(), stored)?;
                    Ok(array.into_order(reader.order.unwrap_or(stored)))
                })
            }
        }
    )*};
}

texts!(String, Vec<u8>);

/// Reads a single element: an array without dimensions.
impl ReadNpy for String {
    fn read_npy_array<R: Read>(reader: &mut Reader<R>) -> Result<Self> {
        if reader.header.payload() == Payload::Pickle {
            return reader.read_object_single();
        }
        reader.located(|reader| {
            reader.check_nothing_read()?;
            let text = if reader.header.shape().is_empty() { reader.texts()?.pop() } else { None };
            text.ok_or_else(|| reader.no_single::<String>())
        })
    }
}
