//! Why an array cannot be viewed where it lies.

use super::{Error, ErrorKind};

/// Why the bytes of an array cannot stand for Rust values as they are, and what to call instead.
///
/// `?` turns it into an [`Error`].
///
/// ```
/// use npy_core::{ArrayView, ReadNpy, ViewError, WriteNpy};
///
/// fn sum(file: &[u8]) -> npy_core::Result<u64> {
///     match ArrayView::<u64>::from_bytes(file) {
///         Ok(view) => Ok(view.iter().sum()),
///         // Nothing is wrong with the file: it only cannot be used in place.
///         Err(ViewError::ByteOrder { .. } | ViewError::Misaligned { .. }) => {
///             Ok(Vec::<u64>::read_npy_from(file)?.iter().sum())
///         }
///         Err(error) => Err(error.into()),
///     }
/// }
///
/// let mut file = Vec::new();
/// [1u64, 2].write_npy_to(&mut file)?;
/// assert_eq!(sum(&file)?, 3);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// Numbers are in another byte order than the type has in memory.
    #[error(
        "the file holds {found}, {wanted_by} has {wanted} in memory; {copy} copies it and turns the numbers round; to view it, keep them as Le<…> or Be<…>, which have a byte order"
    )]
    ByteOrder {
        /// The dtype in the file.
        found: String,
        /// The dtype of the type's memory.
        wanted: String,
        /// The name of the type.
        wanted_by: String,
        /// What copies instead.
        copy: String,
    },

    /// The items have another layout than the type has in memory: the type can be read, but not viewed.
    #[error(
        "the file holds {found}, {wanted_by} has {wanted} in memory; {copy} copies it, each field to its place"
    )]
    Layout {
        /// The dtype in the file.
        found: String,
        /// The dtype of the type's memory.
        wanted: String,
        /// The name of the type.
        wanted_by: String,
        /// What copies instead.
        copy: String,
    },

    /// The data is not at an address that the type can have.
    #[error(
        "the data lies {past} bytes behind a multiple of {align}, which is where {wanted_by} may lie; {copy} copies it; #[repr(C, packed)], Le<…> and Be<…> may lie anywhere"
    )]
    Misaligned {
        /// The alignment of the type, in bytes.
        align: usize,
        /// Bytes from the last such address to the data.
        past: usize,
        /// The name of the type.
        wanted_by: String,
        /// What copies instead.
        copy: String,
    },

    /// The values of a column have other bytes between them than such a slice or view can skip.
    #[error(
        "the values lie {stride} bytes apart and would have to lie {wanted}, as {wanted_by} takes {size}; {copy} copies them side by side"
    )]
    Stride {
        /// Bytes from one value to the next: of a record.
        stride: usize,
        /// Bytes of a value.
        size: usize,
        /// How they would have to lie.
        wanted: &'static str,
        /// The name of the type.
        wanted_by: String,
        /// What copies instead.
        copy: String,
    },

    /// The member of an archive is compressed: its bytes are not there to be looked at.
    #[error(
        "the member is compressed; {copy} inflates it; npz::WriteOptions::stored (np.savez) keeps members as they are"
    )]
    Compressed {
        /// What copies instead.
        copy: String,
    },

    /// The bytes end before the data does.
    #[error(
        "cut short: the data takes {expected} bytes and only {found} are there; the file was not written to its end or not copied whole"
    )]
    Short {
        /// Bytes that the data takes.
        expected: u64,
        /// Bytes that are there.
        found: u64,
    },

    /// The type cannot be read from this file either: the header is wrong, or it holds something else.
    #[error(transparent)]
    Unreadable(#[from] Error),
}

impl ViewError {
    /// The same, with another call that copies.
    #[cfg(all(feature = "npz", feature = "mmap"))]
    #[must_use]
    pub(crate) fn with_copy(mut self, call: String) -> Self {
        match &mut self {
            ViewError::ByteOrder { copy, .. }
            | ViewError::Layout { copy, .. }
            | ViewError::Misaligned { copy, .. }
            | ViewError::Stride { copy, .. }
            | ViewError::Compressed { copy } => *copy = call,
            ViewError::Short { .. } | ViewError::Unreadable(_) => {}
        }
        self
    }
}

/// What reading the file would say, where that fails too; otherwise an [`ErrorKind::View`].
impl From<ViewError> for Error {
    fn from(error: ViewError) -> Self {
        match error {
            ViewError::Unreadable(error) => error,
            ViewError::Short { expected, found } => {
                ErrorKind::Truncated { what: "the data", expected, found }.into()
            }
            error => ErrorKind::View(error).into(),
        }
    }
}
