//! Layer 3: what a type asks of a file: a dtype, and what that does not say.

use crate::dtype::{ByteOrder, DType};
use crate::error::Error;

/// A dtype, and how its fields are found in files that have not just those.
///
/// Made by generated code.
#[derive(Clone, Debug)]
pub struct Schema {
    pub(crate) dtype: DType,
    pub(crate) wants: Wants,
}

/// What a type asks of a file beyond its dtype: of the record that it is, or that it has many of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wants {
    /// Whether a field that is not in the dtype is an error.
    pub(crate) deny_unknown: bool,
    /// For each field of the dtype what it asks for; those that are missing ask for nothing.
    pub(crate) fields: Vec<FieldWants>,
}

/// What a field asks for.
#[derive(Clone, Debug, Default)]
pub(crate) struct FieldWants {
    /// Other names that it may have in a file.
    pub(crate) aliases: &'static [&'static str],
    /// What it is in a file that does not have it.
    pub(crate) default: Option<DefaultBytes>,
    /// What the record in it asks for.
    pub(crate) inner: Wants,
}

/// Makes the canonical bytes of a value.
pub(crate) type DefaultBytes = fn() -> Result<Vec<u8>, Error>;

impl Schema {
    /// The dtype and nothing more.
    pub(crate) fn plain(dtype: DType) -> Self {
        Schema { dtype, wants: Wants::default() }
    }

    /// The dtype.
    pub fn into_dtype(self) -> DType {
        self.dtype
    }

    /// `n` items side by side.
    #[must_use]
    pub(crate) fn repeated(self, n: usize) -> Self {
        Schema { dtype: self.dtype.repeated(n), ..self }
    }

    /// The same with every number little-endian, as canonical bytes have it.
    #[must_use]
    pub(crate) fn canonical(self) -> Self {
        Schema { dtype: self.dtype.with_byte_order(ByteOrder::Little), ..self }
    }
}
