//! The reasons why an array cannot be viewed in place.

use std::ops::Deref;

use super::{Error, ErrorKind, Place};

/// The location of a [`ViewError`], outermost place first; empty for bytes in memory. It is one word in size.
///
/// ```
/// use npy_core::{Le, Place, ViewError, npz};
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
///
/// let mut writer = npz::WriteOptions::new().deflate(6).create("x.npz")?;
/// writer.write("x", &[Le::new(1.0f64); 100])?;
/// writer.finish()?;
/// // SAFETY: the file is ours alone.
/// let map = unsafe { npz::Map::open("x.npz")? };
/// let error = map.view::<Le<f64>>("x").unwrap_err();
/// let ViewError::Compressed { places, .. } = error else { panic!("{error}") };
/// assert_eq!(places[..], [Place::Path("x.npz".into()), Place::Member("x".into())]);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places(Option<Box<List>>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct List(Vec<Place>);

impl Places {
    pub(crate) fn of(list: Vec<Place>) -> Self {
        Places((!list.is_empty()).then(|| Box::new(List(list))))
    }

    /// Adds these places to the location of an error.
    pub(crate) fn locate(&self, error: Error) -> Error {
        self.iter().rev().cloned().fold(error, Error::within)
    }
}

impl Deref for Places {
    type Target = [Place];

    fn deref(&self) -> &[Place] {
        self.0.as_ref().map_or(&[], |list| &list.0)
    }
}

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
        /// The file and the member; empty within an [`Error`], whose [`places`](Error::places) has them.
        places: Places,
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
        /// The file and the member; empty within an [`Error`], whose [`places`](Error::places) has them.
        places: Places,
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
        /// The file and the member; empty within an [`Error`], whose [`places`](Error::places) has them.
        places: Places,
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
        /// The file and the member; empty within an [`Error`], whose [`places`](Error::places) has them.
        places: Places,
    },

    /// The member of an archive is compressed, so its elements are not in the file as plain bytes.
    Compressed {
        /// The call that copies instead.
        copy: String,
        /// The file and the member; empty within an [`Error`], whose [`places`](Error::places) has them.
        places: Places,
    },

    /// The bytes end before the end of the data. For a file that is mapped, this is [`Unreadable`](Self::Unreadable), which names the
    /// file and holds [`ErrorKind::Truncated`].
    Short {
        /// The part of the file that the missing bytes belong to.
        what: &'static str,
        /// The number of bytes that the data should have.
        expected: u64,
        /// The number of bytes found.
        found: u64,
        /// The way to what is complete, as in [`ErrorKind::Truncated`].
        remedy: &'static str,
    },

    /// Any other error, for example an invalid header, a dtype that the type cannot be read from,
    /// or a file that cannot be opened, created or mapped.
    Unreadable(Error),
}

impl ViewError {
    /// Names the file: `locate` adds places to an error, `change` completes the call that copies.
    #[cfg(feature = "mmap")]
    #[must_use]
    pub(crate) fn located(
        mut self,
        locate: impl FnOnce(Error) -> Error,
        change: impl FnOnce(&mut String),
    ) -> Self {
        if let Some((copy, _)) = self.copy_and_places() {
            change(copy);
        }
        locate(self.into()).into()
    }

    /// Returns the location of an error about views, outermost place first.
    pub(super) fn places(&self) -> &[Place] {
        match self {
            ViewError::ByteOrder { places, .. }
            | ViewError::Layout { places, .. }
            | ViewError::Misaligned { places, .. }
            | ViewError::Stride { places, .. }
            | ViewError::Compressed { places, .. } => places,
            ViewError::Short { .. } | ViewError::Unreadable(_) => &[],
        }
    }

    /// Returns the call that copies instead, and the location; `None` if the error is not about views.
    fn copy_and_places(&mut self) -> Option<(&mut String, &mut Places)> {
        match self {
            ViewError::ByteOrder { copy, places, .. }
            | ViewError::Layout { copy, places, .. }
            | ViewError::Misaligned { copy, places, .. }
            | ViewError::Stride { copy, places, .. }
            | ViewError::Compressed { copy, places } => Some((copy, places)),
            ViewError::Short { .. } | ViewError::Unreadable(_) => None,
        }
    }
}

/// Converts [`ErrorKind::View`] to the error that it holds, with its location, and any other error to [`ViewError::Unreadable`].
impl From<Error> for ViewError {
    fn from(error: Error) -> Self {
        if !matches!(error.kind(), ErrorKind::View(_)) {
            return ViewError::Unreadable(error);
        }
        let found = Places::of(error.places().cloned().collect());
        match error.into_kind() {
            ErrorKind::View(mut view) => {
                if let Some((_, places)) = view.copy_and_places() {
                    *places = found;
                }
                view
            }
            kind => ViewError::Unreadable(kind.into()),
        }
    }
}

/// Converts to [`ErrorKind::View`], with the location, except for errors that are not about views:
/// [`ViewError::Unreadable`] becomes the error that it holds, and [`ViewError::Short`] becomes
/// [`ErrorKind::Truncated`].
impl From<ViewError> for Error {
    fn from(mut error: ViewError) -> Self {
        let places = error.copy_and_places().map(|(_, places)| std::mem::take(places));
        let places = places.unwrap_or_default();
        places.locate(match error {
            ViewError::Unreadable(error) => error,
            ViewError::Short { what, expected, found, remedy } => {
                ErrorKind::Truncated { what, expected, found, remedy }.into()
            }
            error => ErrorKind::View(error).into(),
        })
    }
}
