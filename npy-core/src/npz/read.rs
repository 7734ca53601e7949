//! Layer 7: an archive that is read.

mod all;

use std::fmt;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

use super::directory::{Directory, Entry, malformed};
use super::member::Member;
use super::options::ReadOptions;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::header::Header;
use crate::limits::to_u64;
use crate::read::{self, ReadNpy};
use crate::reserve;

/// An archive that is being read: its directory first, then members as they are asked for.
///
/// ```
/// use npy_core::{NpyArray, npz};
///
/// # let dir = std::env::temp_dir().join(format!("npy-core-doc-npz-reader-{}", std::process::id()));
/// # std::fs::create_dir_all(&dir)?;
/// # let path = dir.join("model.npz");
/// let mut writer = npz::Writer::create(&path)?;
/// writer.write("weights", &NpyArray::new(vec![1.0f32, 2.0, 3.0, 4.0], [2, 2])?)?;
/// writer.write("epochs", &20u32)?;
/// writer.finish()?;
///
/// let mut reader = npz::Reader::open(&path)?;
/// assert!(reader.contains("weights"));
/// assert_eq!(reader.header("weights")?.shape(), [2, 2]);
/// let weights: NpyArray<f32> = reader.read("weights")?;
/// let epochs: u32 = reader.read("epochs")?;
/// assert_eq!((weights.get(&[1, 0]), epochs), (Some(&3.0), 20));
///
/// let error = reader.read::<u32>("epoch").unwrap_err();
/// assert!(error.to_string().ends_with(r#"no member "epoch"; its members are "weights", "epochs""#));
/// # std::fs::remove_dir_all(&dir)?;
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// # Names
///
/// A member is found by its name in the archive, and else by that without `.npy`. Of two that have the same name the last is found, as
/// in NumPy.
///
/// # What is believed
///
/// Nothing that is not compared: the member must stand where the directory says, under its name, be of the size that is stated there, and
/// have its checksum; its array must fill it. Bytes that several members share are refused. A member that is stored is given its memory at
/// once, as the file is surely that long; one that is inflated as its bytes arrive, but for four times what it takes in the file.
/// [`Limits`](crate::Limits) has what an archive may ask for.
pub struct Reader<R> {
    inner: R,
    directory: Directory,
    options: ReadOptions,
    path: Option<PathBuf>,
    /// The file, if it is one that several threads may read.
    file: Option<fn(&R) -> &File>,
}

impl Reader<File> {
    /// Opens a file and reads its directory.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Archive`] if it is none, or does not begin with the archive; [`ErrorKind::Unsupported`], [`ErrorKind::Limit`],
    /// [`ErrorKind::Io`].
    pub fn open<P: AsRef<Path>>(path: P) -> Result<Self> {
        ReadOptions::new().open(path)
    }

    pub(super) fn open_with(path: &Path, options: ReadOptions) -> Result<Self> {
        let open = || {
            let mut inner = File::open(path)?;
            let directory = Directory::of_file(&mut inner, options.arrays.limit())?;
            let path = Some(path.to_owned());
            Ok(Reader { inner, directory, options, path, file: Some(|file| file) })
        };
        open().map_err(|error: Error| error.in_file(path))
    }
}

impl<R: Read + Seek> Reader<R> {
    /// Reads the directory of an archive, which may have anything before it.
    ///
    /// # Errors
    ///
    /// As [`open`](Reader::open).
    pub fn new(reader: R) -> Result<Self> {
        ReadOptions::new().reader(reader)
    }

    pub(super) fn new_with(mut inner: R, options: ReadOptions) -> Result<Self> {
        let directory = Directory::read(&mut inner, options.arrays.limit())?;
        Ok(Reader { inner, directory, options, path: None, file: None })
    }

    /// Iterates over the names of the members, in the order of the archive. [`read`](Self::read) of a name reads that member.
    ///
    /// They are without the `.npy` at their end, unless another member has exactly that name: the members `a.npy` and `a.npy.npy` are
    /// `a` and `a.npy.npy`. Members that are not arrays are included.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.directory.names()
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.names().len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether there is a member of this name.
    pub fn contains(&self, name: &str) -> bool {
        self.directory.find(name).is_some()
    }

    /// The header of a member. Its data is not looked at.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn header(&mut self, name: &str) -> Result<Header> {
        self.located(name, |reader, index| Ok(reader.array(index)?.header().clone()))
    }

    /// Reads a member.
    ///
    /// # Errors
    ///
    /// As [`ReadNpy::read_npy`]. [`ErrorKind::MissingMember`], with the members that there are; [`ErrorKind::Checksum`] and
    /// [`ErrorKind::Archive`] for a file that is damaged; [`ErrorKind::Unsupported`] for a member that is encrypted, or compressed in
    /// another way than by deflate.
    pub fn read<A: ReadNpy>(&mut self, name: &str) -> Result<A> {
        self.located(name, |reader, index| A::take(&mut reader.array(index)?))
    }

    /// The bytes of a member as they are, whether it is an array or not.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::{ReadNpy, npz};
    ///
    /// let mut writer = npz::Writer::new(Cursor::new(Vec::new()))?;
    /// writer.write("x", &[1u8, 2])?;
    /// let mut reader = npz::Reader::new(writer.finish()?)?;
    /// let file = reader.read_bytes("x")?; // what np.save writes
    /// assert_eq!(Vec::<u8>::read_npy_from(&file[..])?, [1, 2]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn read_bytes(&mut self, name: &str) -> Result<Vec<u8>> {
        self.located(name, |reader, index| {
            let limits = reader.options.arrays.limit();
            let entry = reader.directory.open(index, &mut reader.inner, limits)?;
            let mut bytes = Vec::new();
            if let Some(sure) = sure(&entry) {
                reserve::exact(&mut bytes, crate::limits::to_usize(sure)?)?;
            }
            Member::new(&mut reader.inner, &entry).read_to_end(&mut bytes)?;
            Ok(bytes)
        })
    }

    /// A member, to be read in parts.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::Writer::new(Cursor::new(Vec::new()))?;
    /// writer.write("x", &[1.0f64, 2.0, 3.0])?;
    /// let mut archive = npz::Reader::new(writer.finish()?)?;
    /// let mut sum = 0.0;
    /// for number in archive.member("x")?.records::<f64>()? {
    ///     sum += number?;
    /// }
    /// assert_eq!(sum, 6.0);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read). The checksum is known with the last byte: what was read before may be wrong.
    pub fn member(&mut self, name: &str) -> Result<read::Reader<Member<&mut R>>> {
        // What is borrowed by the result cannot be used for the error, too.
        let Reader { inner, directory, options, path, .. } = self;
        let read = |index| array(inner, directory, index, options);
        let member = directory.member(name);
        let reader = member.and_then(|index| {
            let name = directory.name(index);
            let reader = read(index).map_err(|error| error.in_member(name))?;
            Ok(reader.within(Place::Member(name.to_owned())))
        });
        match (reader, path) {
            (Ok(reader), Some(path)) => Ok(reader.within(Place::Path(path.clone()))),
            (Err(error), Some(path)) => Err(error.in_file(path)),
            (reader, None) => reader,
        }
    }

    fn array(&mut self, index: usize) -> Result<read::Reader<Member<&mut R>>> {
        array(&mut self.inner, &self.directory, index, &self.options)
    }

    /// Finds a member, and adds it and the path to what fails.
    fn located<A>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut Self, usize) -> Result<A>,
    ) -> Result<A> {
        let member = self.directory.member(name);
        let result = member.and_then(|index| {
            let name = self.directory.name(index).to_owned();
            read(self, index).map_err(|error| error.in_member(&name))
        });
        result.map_err(|error| self.in_file(error))
    }

    /// How arrays are read.
    pub(super) fn arrays(&self) -> &read::ReadOptions {
        &self.options.arrays
    }

    /// The names that begin so.
    pub(super) fn names_from(&self, start: String) -> impl Iterator<Item = &str> {
        self.directory.names_from(start)
    }

    /// The error with the path, if there is one.
    pub(super) fn in_file(&self, error: Error) -> Error {
        match &self.path {
            Some(path) => error.in_file(path),
            None => error,
        }
    }
}

/// How many bytes of a member are surely there when it is read, if that is known.
fn sure(entry: &Entry) -> Option<u64> {
    // What is stored is in the file. For what is inflated the sender has paid a quarter of the memory, or it is little.
    const PAID: u64 = 4;
    const LITTLE: u64 = 1 << 20;
    let paid = entry.size <= LITTLE.max(entry.compressed.saturating_mul(PAID));
    (!entry.deflated || paid).then_some(entry.size)
}

/// The array of a member, whose header has been read.
fn array<R: Read + Seek>(
    mut reader: R,
    directory: &Directory,
    index: usize,
    options: &ReadOptions,
) -> Result<read::Reader<Member<R>>> {
    let entry = directory.open(index, &mut reader, options.arrays.limit())?;
    let member = Member::new(reader, &entry);
    let array = options.arrays.member(member, sure(&entry)).map_err(no_array)?;
    let data = array.inner().map_or(0, Member::position);
    let whole = data.saturating_add(to_u64(array.header().data_bytes()));
    if array.header().dtype().has_object() || whole == entry.size {
        return Ok(array);
    }
    if whole > entry.size {
        let (expected, found) = (whole.saturating_sub(data), entry.size.saturating_sub(data));
        return Err(ErrorKind::Truncated { what: "data", expected, found }.into());
    }
    let behind = entry.size.saturating_sub(whole);
    Err(malformed(format!(
        "{behind} bytes follow the array of the member; npz::Reader::read_bytes gives them"
    )))
}

/// The error for a member that is no array.
fn no_array(error: Error) -> Error {
    error.map_kind(|kind| match kind {
        ErrorKind::NotNpy { found, hint: "" } => {
            let hint = "; npz::Reader::read_bytes gives the bytes of any member";
            ErrorKind::NotNpy { found, hint }
        }
        kind => kind,
    })
}

impl<R> fmt::Debug for Reader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("npz::Reader")
            .field("path", &self.path)
            .field("members", &self.directory.names().len())
            .finish_non_exhaustive()
    }
}

impl ReadOptions {
    /// Opens a file; see [`Reader::open`].
    ///
    /// # Errors
    ///
    /// As [`Reader::open`].
    pub fn open(&self, path: impl AsRef<Path>) -> Result<Reader<File>> {
        Reader::open_with(path.as_ref(), self.clone())
    }

    /// Reads the directory of an archive; see [`Reader::new`].
    ///
    /// # Errors
    ///
    /// As [`Reader::new`].
    pub fn reader<R: Read + Seek>(&self, reader: R) -> Result<Reader<R>> {
        Reader::new_with(reader, self.clone())
    }
}
