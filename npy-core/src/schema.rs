//! The schema of a Rust type, which is its dtype and the rules for reading its fields from a file.

use crate::dtype::{ByteOrder, DType};
use crate::error::Error;

/// A dtype, and the rules that match the fields of a file with the fields of the dtype.
///
/// Generated code creates schemas.
#[derive(Clone, Debug)]
pub struct Schema {
    pub(crate) dtype: DType,
    pub(crate) rules: ReadRules,
}

/// The rules of a record or a text. A sub-array has the rules of its elements.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReadRules {
    /// The widths that a text may have in a file.
    pub(crate) widths: Widths,
    /// True if it is an error that the file has a field that the dtype lacks.
    pub(crate) deny_unknown: bool,
    /// The rules of each field of the dtype, in order. Fields after the end of the list have no rules.
    pub(crate) fields: Vec<FieldRules>,
}

/// The widths that a text may have in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Widths {
    /// The width of the dtype.
    #[default]
    Same,
    /// The width of the dtype or a smaller one.
    UpTo,
    /// Any width up to [`MAX_ANY_WIDTH`] bytes; the dtype has the width 0. The canonical item is the size of the text in the file, as a
    /// little-endian `u32`, and then the text. Bytes after the text have no meaning.
    Any,
}

/// The size of the canonical item of a text of any width, without the text.
pub(crate) const ANY_WIDTH_PREFIX: usize = 4;

/// The largest text of any width, in bytes. Each canonical item has space for this many bytes. With
/// a larger limit, fewer items would fit in a block.
pub(crate) const MAX_ANY_WIDTH: usize = 4096;

impl ReadRules {
    /// Returns true if these are the rules of a text of any width, or of a record with such a text.
    pub(crate) fn has_any_width(&self) -> bool {
        self.widths == Widths::Any || self.fields.iter().any(|field| field.inner.has_any_width())
    }
}

/// The rules of a field.
#[derive(Clone, Debug, Default)]
pub(crate) struct FieldRules {
    /// Other names that the field may have in a file.
    pub(crate) aliases: &'static [&'static str],
    /// The value for a file that lacks the field; `None` if such a file is an error.
    pub(crate) default: Option<DefaultBytes>,
    /// The rules of the record or text in the field.
    pub(crate) inner: ReadRules,
}

/// A function that returns the canonical bytes of a default value.
pub(crate) type DefaultBytes = fn() -> Result<Vec<u8>, Error>;

impl Schema {
    /// Creates the schema of a dtype without any rules.
    pub(crate) fn plain(dtype: DType) -> Self {
        Schema { dtype, rules: ReadRules::default() }
    }

    /// Returns the dtype.
    pub fn into_dtype(self) -> DType {
        self.dtype
    }

    /// Returns the schema of a sub-array of `n` elements.
    #[must_use]
    pub(crate) fn repeated(self, n: usize) -> Self {
        Schema { dtype: self.dtype.repeated(n), ..self }
    }

    /// Returns the schema with every number little-endian, as in canonical bytes.
    #[must_use]
    pub(crate) fn canonical(self) -> Self {
        Schema { dtype: self.dtype.with_byte_order(ByteOrder::Little), ..self }
    }
}
