//! The reasons why an array cannot be viewed in place.

use super::{Error, ErrorKind};

/// The reason why the bytes of an array cannot be used as Rust values in place, and the call that copies them instead.
///
/// `?` converts it to an [`Error`].
///
/// ```
/// use npy_core::{NpyView, ReadNpy, ViewError, WriteNpy};
///
/// fn sum(file: &[u8]) -> npy_core::Result<u64> {
///     match NpyView::<u64>::from_bytes(file) {
///         Ok(view) => Ok(view.iter().sum()),
///         // The file is valid, but cannot be used in place.
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
#[derive(Debug)]
#[non_exhaustive]
pub enum ViewError {
    /// The numbers are in a different byte order than the type has in memory.
    ByteOrder {
        /// The dtype in the file.
        found: String,
        /// The dtype that the type has in memory.
        wanted: String,
        /// The name of the type.
        wanted_by: String,
        /// The call that copies instead.
        copy: String,
    },

    /// The elements have a different layout than the type has in memory: the type can be read, but not viewed.
    Layout {
        /// The dtype in the file.
        found: String,
        /// The dtype that the type has in memory.
        wanted: String,
        /// The name of the type.
        wanted_by: String,
        /// The call that copies instead.
        copy: String,
    },

    /// The data is not at an address that is aligned for the type.
    Misaligned {
        /// The alignment of the type, in bytes.
        align: usize,
        /// The number of bytes from the last aligned address to the data.
        past: usize,
        /// The name of the type.
        wanted_by: String,
        /// The call that copies instead.
        copy: String,
    },

    /// The values of a column are not at the distance that the view needs. A slice needs them side by side; a strided view needs a
    /// distance that is a multiple of their size.
    Stride {
        /// The number of bytes from one value to the next, which is the size of a record.
        stride: usize,
        /// The number of bytes of a value.
        size: usize,
        /// The distance that the view needs, as a phrase for the message.
        wanted: &'static str,
        /// The name of the type.
        wanted_by: String,
        /// The call that copies instead.
        copy: String,
    },

    /// The member of an archive is compressed, so its elements are not in the file as plain bytes.
    Compressed {
        /// The call that copies instead.
        copy: String,
    },

    /// The bytes end before the end of the data. For a file that is mapped, this is [`Unreadable`](Self::Unreadable), which names the
    /// file and holds [`ErrorKind::Truncated`].
    Short {
        /// The number of bytes that the data should have.
        expected: u64,
        /// The number of bytes found.
        found: u64,
    },

    /// Any other error, for example an invalid header, a dtype that the type cannot be read from,
    /// or a file that cannot be opened, created or mapped.
    Unreadable(Error),
}

impl ViewError {
    /// Names the file: `locate` adds the place to an error, `change` completes the call that copies.
    #[cfg(feature = "mmap")]
    #[must_use]
    pub(crate) fn located(
        mut self,
        locate: impl FnOnce(Error) -> Error,
        change: impl FnOnce(&mut String),
    ) -> Self {
        match &mut self {
            ViewError::ByteOrder { copy, .. }
            | ViewError::Layout { copy, .. }
            | ViewError::Misaligned { copy, .. }
            | ViewError::Stride { copy, .. }
            | ViewError::Compressed { copy } => change(copy),
            // As an `Error`, the missing bytes can have a place.
            ViewError::Short { .. } | ViewError::Unreadable(_) => {
                return ViewError::Unreadable(locate(self.into()));
            }
        }
        self
    }
}

/// Converts to [`ErrorKind::View`], except for errors that are not about views:
/// [`ViewError::Unreadable`] becomes the error that it holds, and [`ViewError::Short`] becomes
/// [`ErrorKind::Truncated`].
impl From<ViewError> for Error {
    fn from(error: ViewError) -> Self {
        match error {
            ViewError::Unreadable(error) => error,
            ViewError::Short { expected, found } => Error::truncated("data", expected, found),
            error => ErrorKind::View(error).into(),
        }
    }
}
