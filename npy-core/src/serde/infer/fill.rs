//! The second pass: writes the bytes of a row.

use serde::ser::Serialize;

use super::key;
use crate::checked;
use crate::dtype::{DType, ScalarKind};
use crate::element::width;
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

    /// Writes an integer. Other rows may have made the field wider, signed or a float.
    fn int(self, value: i128, kind: ScalarKind) -> Result<(), RowError> {
        let bits: u32 = checked::narrow(checked::mul(self.item.len(), 8));
        let float = value as f64;
        let fits = match kind {
            ScalarKind::Int => {
                (value ^ (value >> 127)).checked_shr(bits.saturating_sub(1)) == Some(0)
            }
            ScalarKind::UInt => value.checked_shr(bits) == Some(0),
            // The integer has at most 64 bits, and must be the same after conversion to a float and back.
            #[expect(clippy::cast_possible_truncation)]
            ScalarKind::Float => float as i128 == value,
            _ => return changed(),
        };
        if !fits {
            return Err(RowError::new(format!(
                "no dtype holds both {value} and the other rows; use one type for all rows"
            )));
        }
        match kind {
            ScalarKind::Float => self.float(float),
            _ => self.store(&value.to_le_bytes()),
        }
        Ok(())
    }

    fn float(self, value: f64) {
        match self.item.len() {
            // The value was an `f32`, or an integer that an `f32` holds exactly.
            #[expect(clippy::cast_possible_truncation)]
            4 => self.store(&(value as f32).to_le_bytes()),
            _ => self.store(&value.to_le_bytes()),
        }
    }

    /// Writes the lowest bytes of a little-endian number to the item, which has enough bytes for the number.
    fn store(self, bytes: &[u8]) {
        self.item.iter_mut().zip(bytes).for_each(|(slot, &byte)| *slot = byte);
    }
}

impl<'a> Pass for Fill<'a> {
    type Output = ();
    type Error = RowError;
    type Parts = FillParts<'a>;

    fn leaf(self, value: Leaf<'_>) -> Result<(), RowError> {
        let Some(kind) = self.kind() else { return changed() };
        match (value, kind) {
            (Leaf::Int(value, ..), _) => return self.int(value, kind),
            (Leaf::Bool(value), ScalarKind::Bool) => self.store(&[value.into()]),
            (Leaf::Single(value), ScalarKind::Float) => self.float(value.into()),
            (Leaf::Float(value), ScalarKind::Float) => self.float(value),
            (Leaf::Text(text), ScalarKind::Str) => {
                return width::store_chars(text, self.item).map_err(RowError::new);
            }
            (Leaf::Bytes(bytes), ScalarKind::Bytes) => {
                return width::store_bytes(bytes, self.item).map_err(RowError::new);
            }
            _ => return changed(),
        }
        Ok(())
    }

    fn inner(self) -> Result<Self, RowError> {
        Ok(self)
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
