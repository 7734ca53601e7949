//! Writing `.npy` files: in one call, element by element, or row by row.

mod any;
pub(crate) mod array_sink;
mod array_writer;
mod blocks;
mod dynamic;
pub(crate) mod elements;
mod headerless;
pub(crate) mod lock;
#[cfg(feature = "objects")]
pub(crate) mod object;
pub(crate) mod replace;
mod stream;
mod text;
pub(crate) mod unfinished;
pub(crate) mod values;

use std::io::Write;
use std::path::Path;

use crate::checked::setters::setters;
use crate::dtype::{ByteOrder, DType};
#[cfg(feature = "npz")]
use crate::element::Element;
use crate::element::item_shape::ItemShape;
use crate::element::type_info::TypeInfo;
use crate::error::Result;
use crate::header::{Header, Version};
use crate::limits::{self, Limits};
use crate::plan::{Cast, Plan};
use crate::shape::Order;
use array_sink::{ArraySink, PlainWriter};
pub use array_writer::ArrayWriter;
#[cfg(feature = "npz")]
pub(crate) use stream::check_end;
pub use stream::{DynRowAppender, RowWriter, UncountedRows, Writer};

/// Writes a `.npy` file; the same as [`WriteNpy::write_npy`], without an import of the trait.
/// [`load`](crate::load) reads the file.
///
/// The file gets exactly this name: no `.npy` is added, and an array in a file `x.npz` is still an array, not an archive. `npz::save` writes those.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// use npy_core::{load, save};
///
/// save("gain.npy", &[0.5, 2.0])?;
/// assert_eq!(load::<Vec<f64>>("gain.npy")?, [0.5, 2.0]);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// # Errors
///
/// As [`WriteNpy::write_npy`].
pub fn save<A: WriteNpy + ?Sized>(path: impl AsRef<Path>, array: &A) -> Result<()> {
    array.write_npy(path)
}

/// A type that can be written to a `.npy` file in one call.
///
/// Slices, `Vec`s and arrays of an [`Element`] have one dimension; [`NpyArray`](crate::NpyArray) and [`DynArray`](crate::DynArray) have
/// any number. `bool`, numbers, `FixedStr<N>`, times and the like are single elements (0-d). An element that is a sub-array (`[f32; 3]`)
/// adds dimensions at the end.
///
/// Lists of `String`, `&str`, `Vec<u8>` and `&[u8]` are written as `<UN` and `|SN`, as wide as the
/// longest, or as Python objects ([`WriteOptions::objects`]). A list of `Option<T>` is always
/// written as Python objects: `T` is one of these types, `bool`, an integer, `f32` or `f64`. Python
/// gets `None` for a `None`. NumPy loads objects only with `np.load(path, allow_pickle=True)`.
///
/// The file is byte for byte what `np.save` writes for the same array. The padding of records is
/// written as zeros. A pickle of Python objects is of protocol 3, which each NumPy for Python 3 loads; NumPy 2 writes protocol 4.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an array: it cannot be written to a .npy file",
    label = "`npy_core::WriteNpy` is not implemented for this type",
    note = "an array: `Vec<T>`, `&[T]`, or `npy_core::NpyArray::new(data, [rows, columns])` for any number of dimensions",
    note = "`ndarray::Array`: the feature `ndarray` of npy-core, and ndarray 0.17",
    note = "a struct of arrays: `npy_core::npz::save` with `#[derive(npy_core::NpzArchive)]`; one record: `[record]`, a list of one"
)]
pub trait WriteNpy {
    /// Writes a temporary file in the same directory, and then renames it to `path`. An existing file is replaced.
    ///
    /// At any moment the file is either the old one or the complete new one, even if the program is killed. A loss of power may lose
    /// both; [`WriteOptions::sync`] prevents that. On Linux the temporary file has no name while it is written: if the program is killed,
    /// nothing of it remains. Once it is complete, it is called `.npy-….tmp` until it is renamed, with [`WriteOptions::sync`] until it is on
    /// the disk; such a file remains if the program is killed then. On other systems, and on file systems without unnamed files (NFS), it
    /// has that name from the start.
    ///
    /// Symbolic links are followed, even to a file that does not exist yet. In a directory with the sticky bit that everybody may write
    /// to, like `/tmp`, a link is followed only if it belongs to this user or to the owner of the directory. This is Linux's rule
    /// `fs.protected_symlinks`; here it applies on every Unix, even if the system has turned it off.
    ///
    /// The new file belongs to this user; other hard links still lead to the old file. The new file
    /// gets the permissions and the group of the old one. If this user may not give it that group,
    /// its group keeps only those permissions that everybody has, too. Set-user-ID and set-group-ID
    /// bits are not kept. On Linux POSIX ACLs and user attributes (`user.*`) are kept; other
    /// attributes are not.
    ///
    /// This is what the default feature `atomic` does; [without it](crate#without-the-feature-atomic), less is kept.
    ///
    /// A pipe or a device is written to directly. So is an open file of a process (`/dev/stdout`, `/dev/fd/3`, `/proc/self/fd/3`): the
    /// array is appended to it.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::WriteNpy;
    ///
    /// [1.0, 2.0, 3.0].write_npy("x.npy")?;
    /// assert_eq!(std::fs::metadata("x.npy")?.len(), 128 + 3 * 8);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`](crate::ErrorKind::Io), and [`ErrorKind::InvalidValue`](crate::ErrorKind::InvalidValue) for a
    /// value that its dtype cannot hold.
    fn write_npy<P: AsRef<Path>>(&self, path: P) -> Result<()> {
        WriteOptions::new().write(path, self)
    }

    /// Writes the array to a writer, and flushes it. A compressor must then be finished by its own method.
    ///
    /// ```
    /// use npy_core::{ReadNpy, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// [0.5, 2.0].write_npy_to(&mut file)?;
    /// assert_eq!(Vec::<f64>::read_npy_from(&file[..])?, [0.5, 2.0]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`WriteNpy::write_npy`].
    fn write_npy_to<W: Write>(&self, writer: W) -> Result<()> {
        WriteOptions::new().write_to(writer, self)
    }

    /// Writes the array to this writer. An array type of another crate implements only this method.
    ///
    /// If the elements are contiguous in memory, pass them on as a [`NpyView`](crate::NpyView);
    /// otherwise, call [`ArrayWriter::elements`] with an iterator.
    ///
    /// ```
    /// use npy_core::{ArrayWriter, NpyArray, NpyView, ReadNpy, Result, WriteNpy};
    ///
    /// /// A picture: rows of pixels, one after the other.
    /// struct Picture {
    ///     width: usize,
    ///     pixels: Vec<u8>,
    /// }
    ///
    /// impl WriteNpy for Picture {
    ///     fn write_npy_array(&self, to: ArrayWriter<'_>) -> Result<()> {
    ///         let shape = [self.pixels.len() / self.width, self.width];
    ///         NpyView::new(&self.pixels, shape)?.write_npy_array(to)
    ///     }
    /// }
    ///
    /// let mut file = Vec::new();
    /// Picture { width: 3, pixels: vec![0; 6] }.write_npy_to(&mut file)?;
    /// assert_eq!(NpyArray::<u8>::read_npy_from(&file[..])?.shape(), [2, 3]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`WriteNpy::write_npy`].
    fn write_npy_array(&self, to: ArrayWriter<'_>) -> Result<()>;
}

/// Options for writing.
///
/// ```
/// use npy_core::{ByteOrder, Header, Order, Version, WriteOptions};
///
/// let mut file = Vec::new();
/// WriteOptions::new().byte_order(ByteOrder::Big).version(Version::V2).write_to(&mut file, &[1.0, 2.0])?;
///
/// let (header, _) = Header::parse(&file)?;
/// assert_eq!(header.dtype().to_string(), ">f8");
/// assert_eq!(header.version(), Version::V2);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct WriteOptions {
    version: Option<Version>,
    byte_order: Option<ByteOrder>,
    order: Option<Order>,
    sync: bool,
    atomic: bool,
    uncounted_rows: UncountedRows,
    #[cfg(feature = "objects")]
    objects: bool,
    limits: Limits,
    /// True if only the data is written. Set only by `headerless.rs`, in its own copy of the
    /// options.
    without_header: bool,
}

impl WriteOptions {
    /// Returns the defaults, which are those of `np.save` on most machines: little-endian, the oldest version that fits, the array's order.
    ///
    /// ```
    /// use npy_core::{WriteNpy, WriteOptions};
    ///
    /// let (mut file, mut same) = (Vec::new(), Vec::new());
    /// WriteOptions::new().write_to(&mut file, &[0.5, 2.0])?;
    /// [0.5, 2.0].write_npy_to(&mut same)?;
    /// assert_eq!(file, same);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn new() -> Self {
        WriteOptions::default()
    }

    setters! {
        /// Sets the version of the format; by default the oldest that fits.
        ///
        /// ```
        /// use npy_core::{Header, Version, WriteOptions};
        ///
        /// let mut file = Vec::new();
        /// WriteOptions::new().version(Version::V3).write_to(&mut file, &[0.5])?;
        /// assert_eq!(Header::parse(&file)?.0.version(), Version::V3);
        /// # Ok::<(), npy_core::Error>(())
        /// ```
        version: Version = Some(version);

        /// Sets the byte order of numbers. Types with a byte order of their own (`#[npy(endian = "…")]`) keep it. In a
        /// [`DynArray`](crate::DynArray), all numbers are written in this order.
        ///
        /// ```
        /// use npy_core::{ByteOrder, WriteOptions};
        ///
        /// let mut file = Vec::new();
        /// WriteOptions::new().byte_order(ByteOrder::Big).write_to(&mut file, &[1u16, 2])?;
        /// assert_eq!(file[128..], [0, 1, 0, 2]);
        /// # Ok::<(), npy_core::Error>(())
        /// ```
        byte_order: ByteOrder = Some(byte_order);

        /// Sets the order of the elements; by default the order that the array has.
        ///
        /// ```
        /// use npy_core::{NpyArray, Order, WriteOptions};
        ///
        /// let weights = NpyArray::new(vec![1u8, 2, 3, 4], [2, 2])?;
        /// let mut file = Vec::new();
        /// WriteOptions::new().order(Order::Fortran).write_to(&mut file, &weights)?;
        /// assert_eq!(file[128..], [1, 3, 2, 4]);
        /// # Ok::<(), npy_core::Error>(())
        /// ```
        order: Order = Some(order);

        /// Sets whether a written file must survive a loss of power. By default it need not, which is much faster.
        ///
        /// If set, [`write`](Self::write) returns once the file and its name are on the disk. A loss of
        /// power before it returns leaves the old or the new file; a later one leaves the new file.
        /// `finish` of a writer from [`create`](Self::create) returns once all elements are on the
        /// disk; [`Writer::sync`], once those written so far are. On systems other than Unix, these
        /// calls do not wait for the file's name.
        ///
        /// Other writers ([`write_to`](Self::write_to), [`writer`](Self::writer)) must be synced by the caller.
        ///
        /// ```
        /// # let dir = tempfile::tempdir()?;
        /// # std::env::set_current_dir(&dir)?;
        /// use npy_core::{ReadNpy, WriteOptions};
        ///
        /// WriteOptions::new().sync(true).write("x.npy", &[1.5, 2.5])?;
        /// assert_eq!(Vec::<f64>::read_npy("x.npy")?, [1.5, 2.5]);
        /// # Ok::<(), npy_core::Error>(())
        /// ```
        sync: bool = sync;

        /// Sets whether the file of a writer from [`create`](Self::create) gets its name only when
        /// [`Writer::finish`] succeeds. Until then, an existing file stays, and nobody sees an
        /// unfinished one. By default, the file gets its name at once. [`write`](Self::write) always
        /// names the file last.
        ///
        /// [`append`](Self::append) ignores this: it adds to the file itself.
        ///
        /// If such a writer is dropped without `finish`, or the process is killed, all its elements are
        /// lost; a line on the standard error says so, unless an error was returned after they were added.
        /// [`Writer::discard`] says nothing. A successful [`Writer::try_finish`] also names the file; later
        /// elements are written into it.
        ///
        /// ```
        /// # let dir = tempfile::tempdir()?;
        /// # std::env::set_current_dir(&dir)?;
        /// use npy_core::{WriteOptions, load, save};
        ///
        /// save("x.npy", &[1.0, 2.0])?;
        /// let mut writer = WriteOptions::new().atomic(true).create::<f64>("x.npy")?;
        /// writer.push(&3.0)?;
        /// assert_eq!(load::<Vec<f64>>("x.npy")?, [1.0, 2.0]);
        /// writer.finish()?;
        /// assert_eq!(load::<Vec<f64>>("x.npy")?, [3.0]);
        /// # Ok::<(), npy_core::Error>(())
        /// ```
        atomic: bool = atomic;

        /// Sets the limits on the header that [`append`](Self::append) reads.
        ///
        /// ```
        /// # let dir = tempfile::tempdir()?;
        /// # std::env::set_current_dir(&dir)?;
        /// use npy_core::{ErrorKind, Limits, WriteOptions, save};
        ///
        /// save("x.npy", &[1.0, 2.0])?;
        /// let mut limits = Limits::default();
        /// limits.header_bytes = 64;
        /// let error = WriteOptions::new().limits(limits).append::<f64>("x.npy").unwrap_err();
        /// assert!(matches!(error.kind(), ErrorKind::Limit { .. }));
        /// # Ok::<(), npy_core::Error>(())
        /// ```
        limits: Limits = limits;

        /// Sets what [`append`](Self::append) does with complete rows that the header does not count; by default it refuses the file.
        ///
        /// ```
        /// # let dir = tempfile::tempdir()?;
        /// # std::env::set_current_dir(&dir)?;
        /// use std::io::Write;
        ///
        /// use npy_core::{ErrorKind, UncountedRows, WriteOptions, Writer, load, save};
        ///
        /// save("x.npy", &[1.0, 2.0])?;
        /// // A row that a writer left when it was killed.
        /// std::fs::OpenOptions::new().append(true).open("x.npy")?.write_all(&3.0_f64.to_le_bytes())?;
        ///
        /// let error = Writer::<f64>::append("x.npy").unwrap_err();
        /// assert!(matches!(error.kind(), ErrorKind::UncountedRows { counted: 2, uncounted: 1, .. }));
        /// let mut writer =
        ///     WriteOptions::new().uncounted_rows(UncountedRows::Keep).append::<f64>("x.npy")?;
        /// writer.push(&4.0)?;
        /// writer.finish()?;
        /// assert_eq!(load::<Vec<f64>>("x.npy")?, [1.0, 2.0, 3.0, 4.0]);
        /// # Ok::<(), npy_core::Error>(())
        /// ```
        uncounted_rows: UncountedRows = uncounted_rows;

        /// Sets whether text and bytes are written as Python objects; off by default.
        ///
        /// With this option, an array of text (`String`, `&str`) or bytes (`Vec<u8>`, `&[u8]`) has
        /// `dtype=object`: its elements have any length, and may end with NULs. Python reads it with
        /// `np.load(path, allow_pickle=True)`. Without this option, its dtype is `<UN` or `|SN`, and
        /// every element takes the memory of the longest.
        ///
        /// Arrays of other types are not affected. Lists of `Option` are always objects, because no
        /// other dtype has a `None`.
        ///
        /// Objects have no byte order, and are written in C order, whatever [`order`](Self::order) says.
        ///
        /// ```
        /// use npy_core::{Header, WriteOptions};
        ///
        /// let mut file = Vec::new();
        /// WriteOptions::new().objects(true).write_to(&mut file, &["a", "a much longer text"])?;
        /// assert_eq!(Header::parse(&file)?.0.dtype().to_string(), "|O");
        /// # Ok::<(), npy_core::Error>(())
        /// ```
        #[cfg(feature = "objects")]
        objects: bool = objects;
    }

    /// Writes a file; see [`WriteNpy::write_npy`].
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{Version, WriteOptions, load};
    ///
    /// WriteOptions::new().version(Version::V2).write("gain.npy", &[0.5, 2.0])?;
    /// assert_eq!(load::<Vec<f64>>("gain.npy")?, [0.5, 2.0]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`WriteNpy::write_npy`].
    pub fn write<A: WriteNpy + ?Sized>(&self, path: impl AsRef<Path>, array: &A) -> Result<()> {
        let path = path.as_ref();
        let replaced = replace::replace(path, self.sync, &mut |file| self.write_to(file, array));
        replaced.map(drop).map_err(|e| e.in_file(path))
    }

    /// Writes to a writer; see [`WriteNpy::write_npy_to`].
    ///
    /// ```
    /// use npy_core::{ByteOrder, Header, WriteOptions};
    ///
    /// let mut file = Vec::new();
    /// WriteOptions::new().byte_order(ByteOrder::Big).write_to(&mut file, &[0.5])?;
    /// assert_eq!(Header::parse(&file)?.0.dtype().to_string(), ">f8");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`WriteNpy::write_npy`].
    pub fn write_to<A: WriteNpy + ?Sized>(&self, mut writer: impl Write, array: &A) -> Result<()> {
        let mut sink = PlainWriter::new(&mut writer);
        array.write_npy_array(ArrayWriter::new(self, &mut sink))?;
        sink.check_begun()?;
        // A `BufWriter` that is dropped would lose the error.
        Ok(writer.flush()?)
    }

    fn header(dtype: DType, shape: &[usize], order: Order) -> Result<Header> {
        let header = Header::new(dtype, shape, order)?;
        header.without_objects()?;
        Ok(header)
    }

    fn header_bytes(&self, header: &Header) -> Result<Vec<u8>> {
        if self.without_header {
            header.without_objects()?;
            return Ok(Vec::new());
        }
        header.to_bytes_in(self.version)
    }

    /// Returns the dtype in which elements of `T` are written.
    #[cfg(feature = "npz")]
    pub(crate) fn item<T: Element>(&self) -> DType {
        T::dtype_in(self.byte_order.unwrap_or(ByteOrder::Little))
    }

    /// Returns the plan that converts canonical elements (see [`TypeInfo::canonical_to_write`]) to those in the file, and the dimensions
    /// of an element itself.
    fn item_shape(&self, ty: TypeInfo) -> Result<(Plan, ItemShape)> {
        let item = ty.dtype_in(self.byte_order.unwrap_or(ByteOrder::Little));
        let plan = Plan::new(&ty.canonical_to_write()?, &item, Cast::Exact)?;
        Ok((plan, ItemShape::of(&item)))
    }

    /// Makes a header, tells the sink its length and that of the data, and writes it.
    fn write_header(
        &self,
        dtype: DType,
        shape: &[usize],
        order: Order,
        sink: &mut dyn ArraySink,
    ) -> Result<()> {
        let header = WriteOptions::header(dtype, shape, order)?;
        self.begin(&header, header.data_bytes(), sink)
    }

    /// Tells the sink the length of an array whose data has this many bytes, then writes its header.
    fn begin(&self, header: &Header, data: u64, sink: &mut dyn ArraySink) -> Result<()> {
        let header = self.header_bytes(header)?;
        sink.begin(limits::to_u64(header.len()).saturating_add(data))?;
        Ok(sink.write_all(&header)?)
    }

    /// Returns the same options for arrays whose bytes already have the requested byte order.
    pub(crate) fn without_byte_order(&self) -> Self {
        WriteOptions { byte_order: None, ..self.clone() }
    }
}
