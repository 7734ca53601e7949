//! Reads archives.

mod all;

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use npy_zip::{Entry, Handle, Source};

use super::chunks::Chunks;
use super::directory::{Directory, Names, of_archives};
use super::failure::{advised, malformed};
use super::member::Member;
use super::name;
use super::options::{OpenMember, ReadOptions};
use crate::error::{Error, ErrorKind, Place, Result, byte_count};
use crate::header::{Header, Payload};
use crate::limits::to_usize;
use crate::read::{self, ReadNpy};
use crate::reserve;

/// An archive that is being read. Opening it reads its directory; a member is read when it is requested.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// use npy_core::{NpyArray, npz};
///
/// let mut writer = npz::Writer::create("model.npz")?;
/// writer.write("weights", &NpyArray::new(vec![1.0f32, 2.0, 3.0, 4.0], [2, 2])?)?;
/// writer.write("epochs", &20u32)?;
/// writer.finish()?;
///
/// let reader = npz::Reader::open("model.npz")?;
/// assert!(reader.contains("weights"));
/// assert_eq!(reader.header("weights")?.shape(), [2, 2]);
/// let weights: NpyArray<f32> = reader.read("weights")?;
/// let epochs: u32 = reader.read("epochs")?;
/// assert_eq!((weights.at(&[1, 0]), epochs), (Some(&3.0), 20));
///
/// let error = reader.read::<u32>("epoch").unwrap_err();
/// assert!(error.to_string().ends_with(r#"no member "epoch"; its members are "weights", "epochs""#));
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// # Names
///
/// A member is found by its name in the archive, or else by that name without `.npy`. If two have the same name, the last is found, as
/// in NumPy.
///
/// # Checks
///
/// A member must be at the position that the directory states, with the same name, size and checksum, and its array must fill it. Members
/// that share bytes are refused. Memory is reserved up front for a stored member, as the file is known to have its bytes, and
/// for a deflated one that inflates at most fourfold, or to at most 1 MiB. For others, memory grows as bytes are inflated.
/// [`Limits`](crate::Limits) bounds the memory that an archive may take.
///
/// # Threads
///
/// Every method takes `&self`, so several threads can read from one reader. A clone is cheap: it shares the file and its directory. An
/// archive that was opened by its path is read by all threads at the same time; the reader passed to [`new`](Self::new) is used by one
/// at a time.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// use std::thread;
///
/// use npy_core::npz;
///
/// let mut writer = npz::Writer::create("model.npz")?;
/// writer.write("x", &[1.0f32, 2.0])?;
/// writer.write("y", &[3.0f32])?;
/// writer.finish()?;
///
/// let reader = npz::Reader::open("model.npz")?;
/// let mut threads = Vec::new();
/// for name in ["x", "y"] {
///     let reader = reader.clone();
///     threads.push(thread::spawn(move || reader.read::<Vec<f32>>(name)));
/// }
/// for thread in threads {
///     println!("{:?}", thread.join().unwrap()?);
/// }
/// # Ok::<(), npy_core::Error>(())
/// ```
pub struct Reader<R> {
    source: Arc<Source<R>>,
    pub(super) directory: Arc<Directory>,
    pub(super) options: ReadOptions,
    path: Option<Arc<Path>>,
    /// `None` if one thread reads.
    open_on_threads: Option<OpenMember<R>>,
}

impl<R> Clone for Reader<R> {
    /// Returns a reader of the same archive, which shares its file and directory.
    fn clone(&self) -> Self {
        Reader {
            source: Arc::clone(&self.source),
            directory: Arc::clone(&self.directory),
            options: self.options.clone(),
            path: self.path.clone(),
            open_on_threads: self.open_on_threads,
        }
    }
}

impl Reader<File> {
    /// Opens a file and reads its directory.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::Writer::create("model.npz")?;
    /// writer.write("weights", &[0.5, -1.0])?;
    /// writer.finish()?;
    ///
    /// let reader = npz::Reader::open("model.npz")?;
    /// assert_eq!(reader.read::<Vec<f64>>("weights")?, [0.5, -1.0]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Archive`] if it is not an archive, or has other bytes before the first member; [`ErrorKind::Unsupported`],
    /// [`ErrorKind::Limit`], [`ErrorKind::Io`].
    pub fn open<P: AsRef<Path>>(path: P) -> Result<Self> {
        ReadOptions::new().open(path)
    }
}

impl<R> Reader<R> {
    fn with(
        source: Source<R>,
        directory: Directory,
        options: &ReadOptions,
        path: Option<Arc<Path>>,
    ) -> Self {
        let (source, directory) = (Arc::new(source), Arc::new(directory));
        Reader { source, directory, options: options.clone(), path, open_on_threads: None }
    }
}

impl<R: Read + Seek> Reader<R> {
    /// Reads the directory of an archive. Other bytes may precede the archive.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::Writer::new(Cursor::new(Vec::new()))?;
    /// writer.write("weights", &[0.5, -1.0])?;
    /// let file = writer.finish()?.into_inner();
    ///
    /// let reader = npz::Reader::new(Cursor::new(&file[..]))?;
    /// assert_eq!(reader.read::<Vec<f64>>("weights")?, [0.5, -1.0]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`open`](Reader::open).
    pub fn new(reader: R) -> Result<Self> {
        ReadOptions::new().reader(reader)
    }

    /// Iterates over the names of the members, in the order of the archive. [`read`](Self::read) finds each member by that name.
    ///
    /// A final `.npy` is removed, unless another member already has the shortened name: the members `a.npy` and `a.npy.npy` are
    /// `a` and `a.npy.npy`. Members that are not arrays are included.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::Writer::create("model.npz")?;
    /// writer.write("weights", &[0.5, -1.0])?;
    /// writer.write("bias", &[0.25])?;
    /// writer.finish()?;
    ///
    /// let reader = npz::Reader::open("model.npz")?;
    /// assert_eq!(reader.names().collect::<Vec<_>>(), ["weights", "bias"]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn names(&self) -> Names<'_> {
        self.directory.names()
    }

    /// Returns the number of members.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::Writer::create("model.npz")?;
    /// writer.write("weights", &[0.5, -1.0])?;
    /// writer.write("bias", &[0.25])?;
    /// writer.finish()?;
    /// assert_eq!(npz::Reader::open("model.npz")?.len(), 2);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn len(&self) -> usize {
        self.names().len()
    }

    /// Returns the number of members that are not found because a later one has the same name. Other programs may find the earlier one.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::Writer::new(Cursor::new(Vec::new()))?;
    /// writer.write("x", &[1, 2, 3])?;
    /// assert_eq!(npz::Reader::new(writer.finish()?)?.shadowed(), 0);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn shadowed(&self) -> usize {
        self.directory.zip().shadowed()
    }

    /// Returns true if a member is compressed, by any method, also one that this build cannot read. [`is_seekable`](Self::is_seekable) tells
    /// whether it must be inflated from its start.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::Writer::new(Cursor::new(Vec::new()))?;
    /// writer.write("x", &[1, 2, 3])?;
    /// let archive = npz::Reader::new(writer.finish()?)?;
    /// assert!(!archive.is_compressed("x")?);
    /// let mut x = archive.member("x")?;
    /// x.seek_to(2)?;
    /// assert_eq!(x.read_vec::<i32>()?, [3]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::MissingMember`].
    pub fn is_compressed(&self, name: &str) -> Result<bool> {
        self.located(name, |reader, index| Ok(reader.directory.entry(index).is_compressed()))
    }

    /// Returns true if the [`Member`] can seek to any row at once: it is stored, or deflated with a seek index, which is read and checked
    /// ([`WriteOptions::seek_every`](super::WriteOptions::seek_every)). Any other is inflated up to the row.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::npz;
    ///
    /// let numbers = vec![0.5f64; 1 << 18];
    /// for (bytes, is_seekable) in [(1 << 20, true), (0, false)] {
    ///     let mut options = npz::WriteOptions::new();
    ///     let mut writer = options.deflate(6).seek_every(bytes).writer(Cursor::new(Vec::new()))?;
    ///     writer.write("x", &numbers)?;
    ///     assert_eq!(npz::Reader::new(writer.finish()?)?.is_seekable("x")?, is_seekable);
    /// }
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read), without those of the array.
    pub fn is_seekable(&self, name: &str) -> Result<bool> {
        self.raw(name, |zip, entry, archive, limits| Ok(zip.is_seekable(entry, archive, limits)?))
    }

    /// Compares the seek index of a compressed member with the member, which is inflated. Returns false if it is wrong, so that other values
    /// could be read by it than from the start; true if there is none.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::npz;
    ///
    /// let mut options = npz::WriteOptions::new();
    /// let mut writer = options.deflate(6).writer(Cursor::new(Vec::new()))?;
    /// writer.write("x", &vec![0.5f64; 1 << 18])?;
    /// let archive = npz::Reader::new(writer.finish()?)?;
    /// assert!(archive.is_seekable("x")? && archive.check_index("x")?);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read), without those of the array. The checksum of the member is not compared.
    pub fn check_index(&self, name: &str) -> Result<bool> {
        self.located(name, |reader, index| reader.open_member(index, 1)?.0.check_index())
    }

    /// Returns true if there are no members.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// npz::Writer::create("model.npz")?.finish()?;
    /// assert!(npz::Reader::open("model.npz")?.is_empty());
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns true if there is a member of this name.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::Writer::create("model.npz")?;
    /// writer.write("weights", &[0.5, -1.0])?;
    /// writer.finish()?;
    ///
    /// let reader = npz::Reader::open("model.npz")?;
    /// assert!(reader.contains("weights") && reader.contains("weights.npy"));
    /// assert!(!reader.contains("bias"));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn contains(&self, name: &str) -> bool {
        self.directory.find(name).is_some()
    }

    /// Reads the header of a member, and not its data.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::Writer::create("model.npz")?;
    /// writer.write("weights", &[0.5f32, -1.0])?;
    /// writer.finish()?;
    ///
    /// let header = npz::Reader::open("model.npz")?.header("weights")?;
    /// assert_eq!((header.dtype().to_string().as_str(), header.shape()), ("<f4", &[2][..]));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn header(&self, name: &str) -> Result<Header> {
        self.located(name, |reader, index| Ok(reader.open_array(index, 1)?.header().clone()))
    }

    /// Reads a member.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::Writer::create("model.npz")?;
    /// writer.write("weights", &[0.5, -1.0])?;
    /// writer.write("epochs", &20u32)?;
    /// writer.finish()?;
    ///
    /// let reader = npz::Reader::open("model.npz")?;
    /// let weights: Vec<f64> = reader.read("weights")?;
    /// let epochs: u32 = reader.read("epochs")?;
    /// assert_eq!((weights, epochs), (vec![0.5, -1.0], 20));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`ReadNpy::read_npy`]. [`ErrorKind::MissingMember`], with the members that there are; [`ErrorKind::Checksum`] and
    /// [`ErrorKind::Archive`] for a file that is damaged; [`ErrorKind::Unsupported`] for a member that is encrypted, or compressed by a
    /// method whose feature is off or that is unknown.
    pub fn read<A: ReadNpy>(&self, name: &str) -> Result<A> {
        self.located(name, |reader, index| {
            A::read_npy_array(&mut reader.open_array(index, reader.options.threads)?)
        })
    }

    /// Reads the bytes of a member, which need not be an array.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::{ReadNpy, npz};
    ///
    /// let mut writer = npz::Writer::new(Cursor::new(Vec::new()))?;
    /// writer.write("x", &[1u8, 2])?;
    /// let reader = npz::Reader::new(writer.finish()?)?;
    /// let file = reader.read_bytes("x")?; // what np.save writes
    /// assert_eq!(Vec::<u8>::read_npy_from(&file[..])?, [1, 2]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn read_bytes(&self, name: &str) -> Result<Vec<u8>> {
        self.located(name, |reader, index| {
            let (member, length) = reader.open_member(index, reader.options.threads)?;
            let mut bytes = Vec::new();
            if let Some(length) = length {
                reserve::exact(&mut bytes, to_usize(length)?)?;
            }
            { member }.read_to_end(&mut bytes)?;
            Ok(bytes)
        })
    }

    /// Writes the complete member, as [`read_bytes`](Self::read_bytes) returns it, and returns the number of its bytes. A member of any size takes a little
    /// memory.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::Writer::new(Cursor::new(Vec::new()))?;
    /// writer.write("x", &[1u8, 2])?;
    /// let reader = npz::Reader::new(writer.finish()?)?;
    /// let mut file = Vec::new();
    /// assert_eq!(reader.copy_bytes("x", &mut file)?, 130);
    /// assert_eq!(file, reader.read_bytes("x")?);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read), and those of the writer. The checksum is compared after the last byte was written.
    pub fn copy_bytes<W: Write + ?Sized>(&self, name: &str, writer: &mut W) -> Result<u64> {
        self.located(name, |reader, index| {
            let (mut member, _) = reader.open_member(index, reader.options.threads)?;
            Ok(io::copy(&mut member, writer)?)
        })
    }

    /// Opens a member, to read it in parts, or from any row ([`seek_to`](read::Reader::seek_to)). [`Member`] has what seeking costs.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::Writer::new(Cursor::new(Vec::new()))?;
    /// writer.write("x", &[1.0f64, 2.0, 3.0])?;
    /// let archive = npz::Reader::new(writer.finish()?)?;
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
    /// As [`read`](Self::read). The checksum is compared after the last byte was read, so elements read before that may be damaged.
    pub fn member(&self, name: &str) -> Result<read::Reader<Member<R>>> {
        let array = self.located(name, |reader, index| {
            let member = Place::Member(reader.directory.name(index).to_owned());
            Ok(reader.open_array(index, 1)?.within(member))
        })?;
        Ok(match &self.path {
            Some(path) => array.within(Place::Path(path.to_path_buf())),
            None => array,
        })
    }

    /// Returns the range of a member's bytes in the archive; `None` if the member is compressed. Any part of such a member can be read
    /// alone, for example by requests to a server for ranges of a file. No checksum is compared.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::{Header, npz};
    ///
    /// let mut writer = npz::Writer::new(Cursor::new(Vec::new()))?;
    /// writer.write("x", &[1u8, 2])?;
    /// let file = writer.finish()?.into_inner();
    /// let archive = npz::Reader::new(Cursor::new(&file))?;
    /// let range = archive.stored_range("x")?.expect("np.savez stores members");
    /// let (_, data) = Header::parse(&file[range.start as usize..])?;
    /// assert_eq!(file[range.start as usize + data..range.end as usize], [1, 2]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read), without those of the array.
    pub fn stored_range(&self, name: &str) -> Result<Option<Range<u64>>> {
        self.raw(name, |zip, entry, archive, limits| Ok(zip.stored_range(entry, archive, limits)?))
    }

    /// Returns the parts of a deflated member with a seek index, which is read and checked: each can be fetched and inflated alone, for example
    /// by requests to a server for ranges of a file. `None` if there is no such index, or for an array of Python objects;
    /// [`stored_range`](Self::stored_range) is for members that are not compressed.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::npz;
    ///
    /// let mut options = npz::WriteOptions::new();
    /// let mut writer = options.deflate(6).writer(Cursor::new(Vec::new()))?;
    /// writer.write("x", &vec![0.5f64; 1 << 20])?;
    /// let archive = npz::Reader::new(writer.finish()?)?;
    /// let chunks = archive.chunks("x")?.expect("it was written with an index");
    /// let ranges: Vec<_> = chunks.of_rows(500_000..500_010)?.iter().map(|chunk| chunk.range()).collect();
    /// assert_eq!(ranges.len(), 1);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn chunks(&self, name: &str) -> Result<Option<Chunks>> {
        self.located(name, |reader, index| {
            let array = reader.open_array(index, 1)?;
            if array.header().payload() == Payload::Pickle {
                return Ok(None);
            }
            let limits = of_archives(reader.options.arrays.limit());
            let (zip, entry) = (reader.directory.zip(), reader.directory.entry(index));
            let chunks = zip.chunks(entry, &mut Handle::new(&reader.source), &limits)?;
            let Some(chunks) = chunks else { return Ok(None) };
            let header_bytes = array.inner().map_or(0, Member::position);
            let name = reader.directory.name(index);
            Chunks::new(chunks, name, array.header().clone(), header_bytes).map(Some)
        })
    }

    /// Calls `read` with the entry of a member, which need not be readable, and the archive.
    pub(super) fn raw<A>(
        &self,
        name: &str,
        read: impl FnOnce(&npy_zip::Directory, &Entry, &mut Handle<R>, &npy_zip::Limits) -> Result<A>,
    ) -> Result<A> {
        self.located(name, |reader, index| {
            let (zip, entry) = (reader.directory.zip(), reader.directory.entry(index));
            let limits = of_archives(reader.options.arrays.limit());
            read(zip, entry, &mut Handle::new(&reader.source), &limits)
        })
    }

    /// Opens a member, which this many threads may inflate. Also returns its size, if memory for all of it may be reserved.
    fn open_member(&self, index: usize, threads: usize) -> Result<(Member<R>, Option<u64>)> {
        let limits = of_archives(self.options.arrays.limit());
        let (zip, entry) = (self.directory.zip(), self.directory.entry(index));
        let member = match self.open_on_threads.filter(|_| threads > 1) {
            Some(open) => open(zip, entry, &self.source, &limits, threads)?,
            None => zip.member(entry, Handle::new(&self.source), &limits)?,
        };
        Ok((Member::new(member.interrupt(self.options.interrupt)), trusted_len(entry)))
    }

    /// Opens a member, which this many threads may inflate, and reads the header of its array, which must fill it.
    fn open_array(&self, index: usize, threads: usize) -> Result<read::Reader<Member<R>>> {
        if self.directory.is_folder(index) {
            let hint = "it is the entry of a folder, which has no data; leave it out".into();
            return Err(ErrorKind::NotNpy { found: String::new(), hint }.into());
        }
        let (member, length) = self.open_member(index, threads)?;
        let size = member.size();
        let array = self.options.arrays.member(member, length).map_err(not_an_array)?;
        let header_bytes = array.inner().map_or(0, Member::position);
        let expected = array.header().data_bytes();
        let found = size.saturating_sub(header_bytes);
        if array.header().payload() == Payload::Pickle || expected == found {
            return Ok(array);
        }
        if expected > found {
            return Err(array.header().truncated(found));
        }
        let more = found.saturating_sub(expected);
        let verb = if more == 1 { "follows" } else { "follow" };
        Err(malformed(format!(
            "{} {verb} the array of the member; npz::Reader::read_bytes returns the complete member",
            byte_count(more)
        )))
    }

    /// Finds a member, and calls `read` with its index; adds the member and the path to an error.
    fn located<A>(&self, name: &str, read: impl FnOnce(&Self, usize) -> Result<A>) -> Result<A> {
        let result = self.directory.member(name).and_then(|index| {
            read(self, index).map_err(|error| error.in_member(self.directory.name(index)))
        });
        result.map_err(|error| self.in_file(error))
    }

    /// Adds the path, if there is one, to an error.
    pub(crate) fn in_file(&self, error: Error) -> Error {
        match &self.path {
            Some(path) => error.in_file(path),
            None => error,
        }
    }
}

/// The size of a member, if memory for all of it may be reserved before it is read: if it is stored, compressed by a small ratio, or small.
fn trusted_len(entry: &Entry) -> Option<u64> {
    const MAX_TRUSTED_RATIO: u64 = 4;
    const MAX_SMALL_BYTES: u64 = 1 << 20;
    let trusted = MAX_SMALL_BYTES.max(entry.compressed_size().saturating_mul(MAX_TRUSTED_RATIO));
    (!entry.is_compressed() || entry.size() <= trusted).then_some(entry.size())
}

/// The error for a member that is not an array.
fn not_an_array(error: Error) -> Error {
    error.map_kind(|kind| match kind {
        ErrorKind::NotNpy { found, hint } => {
            let hint = format!("{hint}; npz::Reader::read_bytes gives the bytes of any member");
            ErrorKind::NotNpy { found, hint }
        }
        kind => kind,
    })
}

impl<R> fmt::Debug for Reader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("npz::Reader")
            .field("path", &self.path)
            .field("members", &format_args!("[{}]", name::quoted(self.directory.names())))
            .finish_non_exhaustive()
    }
}

impl ReadOptions {
    /// Opens a file; see [`Reader::open`].
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{Cast, npz};
    ///
    /// let mut writer = npz::Writer::create("model.npz")?;
    /// writer.write("epochs", &20u8)?;
    /// writer.finish()?;
    ///
    /// let reader = npz::ReadOptions::new().cast(Cast::Lossless).open("model.npz")?;
    /// assert_eq!(reader.read::<u32>("epochs")?, 20);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Reader::open`].
    pub fn open(&self, path: impl AsRef<Path>) -> Result<Reader<File>> {
        let path = path.as_ref();
        let open = || -> Result<_> {
            let file = File::open(path)?;
            let directory = Directory::of_file(&file, self.arrays.limit())?;
            let reader = Reader::with(Source::file(file), directory, self, Some(path.into()));
            Ok(Reader { open_on_threads: self.open_member, ..reader })
        };
        let advice = "npz::Reader::new reads the bytes of an archive that has arrived, in a Cursor";
        open().map_err(|error| advised(error, advice).in_file(path))
    }

    /// Reads the directory of an archive; see [`Reader::new`].
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::{Cast, npz};
    ///
    /// let mut writer = npz::Writer::new(Cursor::new(Vec::new()))?;
    /// writer.write("epochs", &20u8)?;
    /// let file = writer.finish()?;
    ///
    /// let reader = npz::ReadOptions::new().cast(Cast::Lossless).reader(file)?;
    /// assert_eq!(reader.read::<u32>("epochs")?, 20);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Reader::new`].
    pub fn reader<R: Read + Seek>(&self, mut reader: R) -> Result<Reader<R>> {
        let directory = Directory::read(&mut reader, self.arrays.limit())?;
        Ok(Reader::with(Source::stream(reader), directory, self, None))
    }
}
