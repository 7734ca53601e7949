//! Advice to the system about how a map will be used.

use super::{Map, MapAny, MapAnyMut, MapMut};
use crate::element::cast::zero_copy::ZeroCopy;
#[cfg(unix)]
use crate::error::Error;
use crate::error::Result;

/// Advice to the system about how a map will be used. The system then reads more or fewer pages ahead.
///
/// Advice never changes the values that are read, only the time that reading takes. It has no
/// effect on systems other than Unix.
///
/// ```
/// use npy_core::mmap::Access;
/// use npy_core::{Map, WriteNpy};
///
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// [1.5f64, 2.5].write_npy("x.npy")?;
/// // SAFETY: the file is ours alone.
/// let map = unsafe { Map::<f64>::open("x.npy")? };
/// map.advise(Access::Sequential)?;
/// assert_eq!(map.iter().sum::<f64>(), 4.0);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Access {
    /// No advice, as for a map that was just opened: the system reads some pages ahead.
    #[default]
    Normal,
    /// Access from the start to the end: the system reads many pages ahead, and may soon drop used ones.
    Sequential,
    /// Access at random positions, for example to single records of a file that is larger than memory: the system reads no pages ahead.
    Random,
    /// The complete map is used soon: the system may begin to read it at once.
    WillNeed,
}

#[cfg(unix)]
impl From<Access> for memmap2::Advice {
    fn from(access: Access) -> Self {
        match access {
            Access::Normal => Self::Normal,
            Access::Sequential => Self::Sequential,
            Access::Random => Self::Random,
            Access::WillNeed => Self::WillNeed,
        }
    }
}

/// Implements `advise` for types that hold a map.
macro_rules! advise {
    ($([$($generics:tt)*] $type:ty),* $(,)?) => {$(
        impl<$($generics)*> $type {
            /// Tells the system how the map will be used from then on.
            ///
            /// ```
            /// # let dir = tempfile::tempdir()?;
            /// # std::env::set_current_dir(&dir)?;
            /// use npy_core::mmap::Access;
            /// use npy_core::{Map, WriteNpy};
            ///
            /// [1.0, 2.0, 3.0].write_npy("x.npy")?;
            /// // SAFETY: the file is ours alone.
            /// let map = unsafe { Map::<f64>::open("x.npy")? };
            /// map.advise(Access::Random)?;
            /// assert_eq!(map[2], 3.0);
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Io`](crate::ErrorKind::Io) if the system refuses the advice. The map can still be used.
            #[cfg_attr(not(unix), expect(unused_variables))]
            pub fn advise(&self, access: Access) -> Result<()> {
                #[cfg(unix)]
                self.map.advise(access.into()).map_err(|error| Error::from(error).in_file(&self.path))?;
                Ok(())
            }
        }
    )*};
}

advise! { [T: ZeroCopy] Map<T>, [T: ZeroCopy] MapMut<T>, [] MapAny, [] MapAnyMut }
