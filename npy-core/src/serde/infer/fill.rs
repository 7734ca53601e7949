//! The second pass: writes the bytes of a row.

use serde::ser::Serialize;

use super::key;
use crate::checked;
use crate::dtype::{DType, ScalarKind};
use crate::element::{exact, width};
use crate::serde::RowError;
use crate::serde::pass::{Form, Leaf, Parts, Pass, Variant};

/// Writes a value as an item of the dtype that the first pass found.
pub(super) struct Fill<'a> {
    dtype: &'a DType,
    /// The dimensions, if it is a sub-array.
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
}

impl<'a> Pass for Fill<'a> {
    type Output = ();
    type Error = RowError;
    type Parts = FillParts<'a>;

    fn leaf(self, value: Leaf<'_>) -> Result<(), RowError> {
        let Some(kind) = self.kind() else { return changed() };
        let item = self.item;
        let written = match (value, kind) {
            // Other rows may have made the field wider, signed or a float.
            (Leaf::Int(value, ..), ScalarKind::Int | ScalarKind::UInt | ScalarKind::Float) => {
                let written = match kind {
                    ScalarKind::Float => exact::to_float(value).and_then(|n| exact::float(n, item)),
                    _ => exact::integer(value, kind == ScalarKind::Int, item),
                };
                return written.ok_or_else(|| {
                    RowError::new(format_args!(
                        "no dtype holds both {value} and the other rows; use one type for all rows"
                    ))
                });
            }
            (Leaf::Bool(value), ScalarKind::Bool) => exact::copy(&[value.into()], item),
            // As it is, also if it is NaN.
            (Leaf::Single(value), ScalarKind::Float) if item.len() == 4 => {
                exact::copy(&value.to_le_bytes(), item)
            }
            (Leaf::Single(value), ScalarKind::Float) => exact::float(value.into(), item),
            (Leaf::Float(value), ScalarKind::Float) => exact::float(value, item),
            (Leaf::Text(text), ScalarKind::Str) => {
                return width::store_chars(text, item).map_err(RowError::new);
            }
            (Leaf::Bytes(bytes), ScalarKind::Bytes) => {
                return width::store_bytes(bytes, item).map_err(RowError::new);
            }
            _ => None,
        };
        written.map_or_else(changed, Ok)
    }

    fn parts(self, _: Form, variant: Option<Variant>) -> Result<FillParts<'a>, RowError> {
        if variant.is_some() { changed() } else { Ok(FillParts { whole: self, next: 0 }) }
    }
}

/// Writes the parts of a sub-array or a record.
pub(super) struct FillParts<'a> {
    whole: Fill<'a>,
    /// The index of the next part.
    next: usize,
}

impl Parts for FillParts<'_> {
    type Output = ();
    type Error = RowError;

    fn key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<Option<String>, RowError> {
        key::text(key).map(Some)
    }

    /// Writes the next part. A part of a sub-array is found by its index, a field also by its name.
    fn push<T: Serialize + ?Sized>(
        &mut self,
        name: Option<&str>,
        value: &T,
    ) -> Result<(), RowError> {
        let index = self.next;
        self.next = checked::add(index, 1);
        let Fill { dtype, shape, item } = &mut self.whole;
        if let Some((&count, shape)) = shape.split_first() {
            let stride = item.len().checked_div(count).unwrap_or(0);
            let start = index.saturating_mul(stride);
            let part = item.get_mut(start..start.saturating_add(stride));
            let Some(item) = part else { return changed() };
            return Fill { dtype, shape, item }.run(value);
        }
        let here = dtype.fields().get(index);
        let field = match name {
            Some(name) if here.is_none_or(|field| field.name() != name) => dtype.field(name),
            _ => here,
        };
        let Some(field) = field else { return changed() };
        let Some(item) = item.get_mut(field.offset()..field.end()) else { return changed() };
        let written = Fill::new(field.dtype(), item).run(value);
        written.map_err(|error| error.within(field.name()))
    }

    fn end(self) -> Result<(), RowError> {
        Ok(())
    }
}

/// The error for a value that serializes differently in the two passes.
fn changed<T>() -> Result<T, RowError> {
    Err(RowError::new(
        "the value serialized differently the second time; its `Serialize` must give the same result each time",
    ))
}
