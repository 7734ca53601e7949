//! Reading: the traits and options of the public interface, and opening files.

mod data;
mod decoder;
mod header;
pub(crate) mod headerless;
#[cfg(not(feature = "objects"))]
mod no_objects;
#[cfg(feature = "objects")]
mod object;
mod parallel;
mod reader;
mod source;
pub(crate) mod values;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::array::{NpyView, NpyViewMut};
use crate::checked::setters::setters;
use crate::element::cast::zero_copy::ZeroCopy;
use crate::error::{ErrorKind, Place, Result, ViewError};
use crate::header::Header;
use crate::limits::Limits;
use crate::plan::Cast;
use crate::shape::Order;
#[cfg(feature = "objects")]
use npy_pickle::Encoding;
use source::Source;

pub use decoder::Decoder;
#[cfg(feature = "npz")]
pub(crate) use parallel::each_part;
#[cfg(feature = "serde")]
pub(crate) use reader::Items;
pub use reader::{IntoRecords, Reader, Records, RowReader};

/// Reads a `.npy` file; the same as [`ReadNpy::read_npy`], without an import of the trait.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// npy_core::save("x.npy", &[1.0, 2.0, 3.0])?;
/// let numbers = npy_core::load::<Vec<f64>>("x.npy")?;
/// assert_eq!(numbers, [1.0, 2.0, 3.0]);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// # Errors
///
/// As [`ReadNpy::read_npy`].
#[doc(alias = "fromfile")]
pub fn load<A: ReadNpy>(path: impl AsRef<Path>) -> Result<A> {
    A::read_npy(path)
}

/// A type that can be read from a `.npy` file in one call.
///
/// | type | reads |
/// |---|---|
/// | `Vec<T>`, `Box<[T]>` | one dimension |
/// | `[T; N]` | `N` elements |
/// | [`NpyArray<T>`](crate::NpyArray) | any rank |
/// | [`AnyArray`](crate::AnyArray) | any rank, of the type that the file has |
/// | [`DynArray`](crate::DynArray) | any rank and any dtype |
/// | `bool`, `i8` … `f64`, `FixedStr<N>`, `DateTime64<U>` and the like, derived records | a single element (0-d) |
/// | `Vec<String>`, `NpyArray<String>`, `String` | text (`U`, or `S` that is UTF-8) of any width |
/// | `Vec<Vec<u8>>`, `NpyArray<Vec<u8>>` | bytes (`S`) of any width |
///
/// `T` is any [`Element`](crate::Element); [`types`](crate::types) lists them with their dtypes. A `T` that is a sub-array
/// (`[f32; 3]`) consumes the last dimensions of the array: `Vec<[f32; 3]>` reads shape `(n, 3)`. In a file in Fortran order, the
/// parts of such an element are strided. The array is then converted to C order, which temporarily takes three times its memory.
///
/// The fields of records are matched by name and may have any order; fields that the struct lacks are skipped.
/// Byte order and padding do not matter. [`ReadOptions`] sets conversions, limits and threads.
#[doc(alias("fromfile"))]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an array: it cannot be read from a .npy file",
    label = "`npy_core::ReadNpy` is not implemented for this type",
    note = "an array: `Vec<T>` for one dimension, `npy_core::NpyArray<T>` for any number of them, `npy_core::DynArray` for any dtype; for `!` or `()`, which means that no type is named, name it, as in `npy_core::load::<Vec<f64>>(path)`",
    note = "a struct of arrays: `npy_core::npz::load` with `#[derive(npy_core::NpzArchive)]`; one record: `#[derive(npy_core::NpyRecord)]`, or a `Vec<T>`, whose elements it is",
    note = "`ndarray::Array`: the feature `ndarray` of npy-core, and ndarray 0.17",
    note = "a dict or other Python objects: `npy_core::object::load` into a struct of serde, or `npy_core::Objects`"
)]
pub trait ReadNpy: Sized {
    /// Reads the file.
    ///
    /// ```
    /// use npy_core::{ReadNpy, WriteNpy};
    ///
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// [1.0, 2.0, 3.0].write_npy("read.npy")?;
    /// let numbers = Vec::<f64>::read_npy("read.npy")?;
    /// assert_eq!(numbers, [1.0, 2.0, 3.0]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Any [`ErrorKind`]; the file must be complete, and its dtype and shape must be those of the type.
    fn read_npy<P: AsRef<Path>>(path: P) -> Result<Self> {
        ReadOptions::new().read(path)
    }

    /// Reads exactly one array, and no byte after it.
    ///
    /// ```
    /// use npy_core::{ReadNpy, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// [1.0, 2.0, 3.0].write_npy_to(&mut file)?;
    /// assert_eq!(Vec::<f64>::read_npy_from(&file[..])?, [1.0, 2.0, 3.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`ReadNpy::read_npy`].
    fn read_npy_from<R: Read>(reader: R) -> Result<Self> {
        ReadOptions::new().read_from(reader)
    }

    /// Reads the array from a reader that has read the header. It is the one method that an array type of another crate implements.
    ///
    /// ```
    /// use std::io::Read;
    ///
    /// use npy_core::{Error, NpyArray, ReadNpy, Reader, Result, WriteNpy};
    ///
    /// /// A picture: rows of pixels, one after the other.
    /// struct Picture {
    ///     width: usize,
    ///     pixels: Vec<u8>,
    /// }
    ///
    /// impl ReadNpy for Picture {
    ///     fn read_npy_array<R: Read>(reader: &mut Reader<R>) -> Result<Self> {
    ///         let array: NpyArray<u8> = reader.read_array()?;
    ///         let &[_, width] = array.shape() else {
    ///             return Err(Error::custom("a picture has two dimensions"));
    ///         };
    ///         Ok(Picture { width, pixels: array.into_vec() })
    ///     }
    /// }
    ///
    /// let mut file = Vec::new();
    /// NpyArray::new(vec![0_u8; 6], [2, 3])?.write_npy_to(&mut file)?;
    /// assert_eq!(Picture::read_npy_from(&file[..])?.width, 3);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`ReadNpy::read_npy`].
    fn read_npy_array<R: Read>(reader: &mut Reader<R>) -> Result<Self>;
}

/// Options for reading.
///
/// ```
/// use npy_core::{Cast, ReadOptions, WriteNpy};
///
/// let mut file = Vec::new();
/// [1u8, 2, 3].write_npy_to(&mut file)?;
/// let wide = ReadOptions::new().cast(Cast::Lossless).read_from::<Vec<u32>>(&file[..])?;
/// assert_eq!(wide, [1, 2, 3]);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    pub(crate) cast: Cast,
    pub(crate) limits: Limits,
    threads: usize,
    pub(crate) order: Option<Order>,
    #[cfg(feature = "objects")]
    pub(crate) encoding: Encoding,
}

impl ReadOptions {
    /// The defaults: exact dtypes, default limits, one thread.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{ReadOptions, WriteNpy};
    ///
    /// [1.0, 2.0, 3.0].write_npy("x.npy")?;
    /// let x: Vec<f64> = ReadOptions::new().read("x.npy")?;
    /// assert_eq!(x, [1.0, 2.0, 3.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new() -> Self {
        ReadOptions::default()
    }

    setters! {
        /// Sets how far the dtype of the file may differ from the dtype of the type that is read. [`Cast::Lossless`] changes no value;
        /// [`Cast::Checked`] rounds.
        ///
        /// Numbers that are Python objects have no dtype: a type takes those that it holds exactly, and with [`Cast::Numeric`] or
        /// [`Cast::Checked`] others of up to 64 bits, too.
        ///
        /// ```
        /// # let dir = tempfile::tempdir()?;
        /// # std::env::set_current_dir(&dir)?;
        /// use npy_core::{Cast, ReadOptions, WriteNpy};
        ///
        /// [1.0, 2.0, 3.0].write_npy("x.npy")?;
        /// let x: Vec<f32> = ReadOptions::new().cast(Cast::Numeric).read("x.npy")?;
        /// assert_eq!(x, [1.0, 2.0, 3.0]);
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        cast: Cast = cast;

        /// Sets the memory order of arrays; by default that of the file. An array in the other order is copied, which takes the memory of
        /// another array; of elements with padding or without a fixed size, of up to two.
        ///
        /// ```
        /// use npy_core::{NpyArray, Order, ReadOptions, WriteOptions};
        ///
        /// let mut file = Vec::new();
        /// let array = NpyArray::new(vec![1, 2, 3, 4, 5, 6], [2, 3])?;
        /// WriteOptions::new().order(Order::Fortran).write_to(&mut file, &array)?;
        ///
        /// let array: NpyArray<i32> = ReadOptions::new().order(Order::C).read_from(&file[..])?;
        /// assert_eq!(array.as_slice_memory_order(), [1, 2, 3, 4, 5, 6]);
        /// # Ok::<(), npy_core::Error>(())
        /// ```
        order: Order = Some(order);

        /// Sets the meaning of strings in arrays of Python objects that Python 2 wrote; by default, they must be ASCII.
        ///
        /// ```no_run
        /// use npy_core::ReadOptions;
        /// use npy_core::object::Encoding;
        ///
        /// let names: Vec<String> = ReadOptions::new().encoding(Encoding::Latin1).read("python2.npy")?;
        /// # Ok::<(), npy_core::Error>(())
        /// ```
        #[cfg(feature = "objects")]
        encoding: Encoding = encoding;

        /// Sets the limits on what a file may cost.
        ///
        /// ```
        /// # let dir = tempfile::tempdir()?;
        /// # std::env::set_current_dir(&dir)?;
        /// use npy_core::{Limits, ReadOptions, WriteNpy};
        ///
        /// [1.0, 2.0, 3.0].write_npy("x.npy")?;
        /// let mut limits = Limits::default();
        /// limits.array_bytes = Some(16);
        /// let x = ReadOptions::new().limits(limits).read::<Vec<f64>>("x.npy");
        /// assert!(x.is_err_and(|error| error.is_limit()));
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        limits: Limits = limits;

        /// Sets the number of threads that may work on one read, including this one; one by default.
        ///
        /// If a regular file has more than a few MiB to read, each thread reads and decodes blocks of its own. The gain depends on the
        /// machine: two threads take half to four fifths of the time of one. More threads gain nothing once memory is the bottleneck.
        ///
        /// ```no_run
        /// let values: Vec<f64> = npy_core::ReadOptions::new().threads(2).read("large.npy")?;
        /// # Ok::<(), npy_core::Error>(())
        /// ```
        threads: usize = threads;
    }

    /// Reads a file; see [`ReadNpy::read_npy`].
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{ReadOptions, WriteNpy};
    ///
    /// [1.0, 2.0, 3.0].write_npy("x.npy")?;
    /// let x: Vec<f64> = ReadOptions::new().threads(2).read("x.npy")?;
    /// assert_eq!(x, [1.0, 2.0, 3.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`ReadNpy::read_npy`].
    pub fn read<A: ReadNpy>(&self, path: impl AsRef<Path>) -> Result<A> {
        let path = path.as_ref();
        A::read_npy_array(&mut self.open(path)?).map_err(|error| {
            // An error of a type of another crate does not name the file.
            let names_file = matches!(error.places().next(), Some(Place::Path(_)));
            if names_file { error } else { error.in_file(path) }
        })
    }

    /// Reads exactly one array from a reader; see [`ReadNpy::read_npy_from`].
    ///
    /// ```
    /// use npy_core::{Cast, ReadOptions, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// [1.0, 2.0, 3.0].write_npy_to(&mut file)?;
    /// let x: Vec<f32> = ReadOptions::new().cast(Cast::Numeric).read_from(&file[..])?;
    /// assert_eq!(x, [1.0, 2.0, 3.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`ReadNpy::read_npy`].
    pub fn read_from<A: ReadNpy>(&self, reader: impl Read) -> Result<A> {
        A::read_npy_array(&mut self.reader(reader)?)
    }

    /// Opens a file and reads its header.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{Cast, ReadOptions, WriteNpy};
    ///
    /// [1.0, 2.0, 3.0].write_npy("x.npy")?;
    /// let mut reader = ReadOptions::new().cast(Cast::Numeric).open("x.npy")?;
    /// assert_eq!(reader.read_vec::<f32>()?, [1.0, 2.0, 3.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`ReadNpy::read_npy`].
    pub fn open(&self, path: impl AsRef<Path>) -> Result<Reader<File>> {
        let path = path.as_ref();
        let open = || self.start(Source::file(File::open(path)?, self.threads)?);
        match open_settled(open, path) {
            Ok(reader) => Ok(reader.within(Place::Path(path.to_owned()))),
            Err(error) => Err(error.in_file(path)),
        }
    }

    /// Reads the header, which must come next in the reader.
    ///
    /// ```
    /// use npy_core::{Cast, ReadOptions, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// [1.0, 2.0, 3.0].write_npy_to(&mut file)?;
    /// let mut reader = ReadOptions::new().cast(Cast::Numeric).reader(&file[..])?;
    /// assert_eq!(reader.read_vec::<f32>()?, [1.0, 2.0, 3.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`ReadNpy::read_npy`].
    pub fn reader<R: Read>(&self, reader: R) -> Result<Reader<R>> {
        self.start(Source::stream(reader))
    }

    /// Reads the header from a reader; `bytes` is the number of bytes in the reader, if known.
    #[cfg(feature = "npz")]
    pub(crate) fn member<R: Read>(&self, reader: R, bytes: Option<u64>) -> Result<Reader<R>> {
        self.start(Source::member(reader, bytes))
    }

    fn start<R: Read>(&self, source: Source<R>) -> Result<Reader<R>> {
        Reader::start(source, self)
    }

    /// Views the array of the `.npy` file that starts with these bytes; see [`NpyView::from_bytes`].
    ///
    /// ```
    /// use npy_core::{ReadOptions, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// [1.5f64, 2.5].write_npy_to(&mut file)?;
    /// assert_eq!(ReadOptions::new().view::<f64>(&file)?.as_slice_memory_order(), [1.5, 2.5]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`NpyView::from_bytes`].
    pub fn view<'f, T: ZeroCopy>(&self, file: &'f [u8]) -> Result<NpyView<'f, T>, ViewError> {
        NpyView::of_file(file, &self.limits)
    }

    /// Views the array like [`view`](Self::view), to change its elements in place.
    ///
    /// ```
    /// use npy_core::{ReadOptions, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// b"abc".write_npy_to(&mut file)?;
    /// let mut view = ReadOptions::new().view_mut::<u8>(&mut file)?;
    /// view[0] = b'x';
    /// assert!(file.ends_with(b"xbc"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`NpyView::from_bytes`].
    pub fn view_mut<'f, T: ZeroCopy>(
        &self,
        file: &'f mut [u8],
    ) -> Result<NpyViewMut<'f, T>, ViewError> {
        NpyViewMut::of_file(file, &self.limits)
    }

    /// Returns the limits that were set.
    #[cfg(any(feature = "mmap", feature = "npz"))]
    pub(crate) fn limit(&self) -> &Limits {
        &self.limits
    }

    /// Returns the cast that was set.
    #[cfg(any(feature = "mmap", feature = "npz"))]
    pub(crate) fn allowed_cast(&self) -> Cast {
        self.cast
    }
}

/// Opens a file. Opens it again if the number of elements in its header may have been half-written at that moment.
///
/// The system lets a reader see half of a write. Writers write the elements before their number, so a number that is too large
/// for the file may be half-written.
fn open_settled(
    mut open: impl FnMut() -> Result<Reader<File>>,
    path: &Path,
) -> Result<Reader<File>> {
    let first = open();
    let may_change = match &first {
        Ok(reader) => reader.may_be_short(),
        Err(error) => matches!(error.kind(), ErrorKind::Header { .. } | ErrorKind::Shape { .. }),
    };
    // A pipe cannot be read again.
    if may_change && path.is_file() {
        drop(first);
        return open();
    }
    first
}

impl Header {
    /// Reads the header of a file. The data is not read, so a file that ends too early passes: [`Reader::open`] has the check of its length.
    ///
    /// ```
    /// use npy_core::{Header, WriteNpy};
    ///
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// [1i32, 2].write_npy("x.npy")?;
    /// assert_eq!(Header::read_npy("x.npy")?.dtype().to_string(), "<i4");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Header::parse`], and [`ErrorKind::Io`].
    pub fn read_npy<P: AsRef<Path>>(path: P) -> Result<Header> {
        Ok(Reader::open(path)?.into_header())
    }

    /// Reads the header, which must come next in `reader`, and no byte after it.
    ///
    /// ```
    /// use npy_core::{Header, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// [1.0, 2.0, 3.0].write_npy_to(&mut file)?;
    /// let mut bytes = &file[..];
    /// let header = Header::read_from(&mut bytes)?;
    /// assert_eq!((header.shape(), bytes.len()), (&[3][..], 24));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Header::read_npy`].
    pub fn read_from<R: Read>(reader: &mut R) -> Result<Header> {
        Ok(Reader::new(reader)?.into_header())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::WriteNpy;
    use std::fs;

    /// Guards a reader of a growing file: it opens the file once more, but only once, if it saw a half-written header.
    #[test]
    fn a_half_written_length_is_read_again() {
        let path = std::env::temp_dir().join(format!("npy-core-half-{}.npy", std::process::id()));
        // A file that is read together with its header, and a longer one.
        for rows in [200u16, 20_000] {
            let (mut sound, mut longer) = (Vec::new(), Vec::new());
            (0..rows).collect::<Vec<_>>().write_npy_to(&mut sound).unwrap();
            (0..rows + 99).collect::<Vec<_>>().write_npy_to(&mut longer).unwrap();
            let half = [&longer[..128], &sound[128..]].concat();
            let bracket = sound.iter().position(|&byte| byte == b')').unwrap();
            let mut malformed = sound.clone();
            malformed[bracket] = b',';

            let read = |states: [&[u8]; 2]| {
                let mut states = states.into_iter();
                let open = || {
                    fs::write(&path, states.next().expect("a third one")).unwrap();
                    ReadOptions::new().start(Source::file(File::open(&path)?, 1)?)
                };
                let opened = open_settled(open, &path);
                let items = opened.and_then(|mut reader| reader.read_vec::<u16>());
                (items.map(|items| items.len()), states.len())
            };
            for first in [&half, &malformed] {
                let (items, left) = read([first, &sound]);
                assert_eq!((items.unwrap(), left), (rows.into(), 0));
            }
            let (items, left) = read([&sound, &half]);
            assert_eq!(
                (items.unwrap(), left),
                (rows.into(), 1),
                "a file that is sound is read once"
            );
            let (items, left) = read([&half, &half]);
            let error = items.unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Truncated { .. }), "{error}");
            assert_eq!(left, 0);
        }
        fs::remove_file(path).unwrap();
    }
}
