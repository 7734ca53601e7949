//! Writes archives member by member.

use std::collections::HashSet;
use std::fmt;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

use npy_zip::{Compression, MemberWriter};

use super::failure::advised;
use super::name;
use super::options::WriteOptions;
use super::target::Target;

use crate::error::{Error, ErrorKind, Result};
use crate::write::ArrayWriter;
use crate::write::WriteNpy;
use crate::write::array_sink::ArraySink;
use crate::write::replace::Directory;
use crate::write::unfinished::Unfinished;

/// The advice for a pipe.
pub(super) const OF_PIPE: &str = "npz::Writer::stream writes to it";

/// An archive that is being written. [`finish`](Self::finish) makes the file.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// use npy_core::{NpyArray, npz};
///
/// let mut writer = npz::Writer::create("model.npz")?;
/// writer.write("layer/weights", &NpyArray::new(vec![1.0f32, 2.0, 3.0, 4.0], [2, 2])?)?;
/// writer.write("layer/bias", &[0.5f32, -0.5])?;
/// writer.finish()?; // np.load reads it
///
/// let mut writer = npz::Writer::append("model.npz")?;
/// writer.write("epochs", &20u32)?;
/// writer.finish()?;
/// assert!(npz::Reader::open("model.npz")?.names().eq(["layer/weights", "layer/bias", "epochs"]));
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// Each member is, byte for byte, the `.npy` file that `np.save` writes, and its data starts at a multiple of 64 bytes. The same
/// members always make the same archive, because all times in it are 1980-01-01. The large form of zip (zip64) is used only where sizes or
/// numbers need it.
///
/// # Failures
///
/// A member with an invalid value is dropped, and the writer can continue. A [stream](Self::stream) cannot continue if a part of the
/// member was already written. A writer that was passed to [`new`](Self::new) keeps its length when a member is dropped. After the inner
/// writer has failed, every later call fails.
///
/// Only [`finish`](Self::finish) makes the archive. A file that [`create`](Self::create) or [`append`](Self::append) writes replaces the old
/// file only then. Before that, the old file stays, even if the program is killed. A loss of power may lose the file; see
/// [`WriteOptions::sync`].
///
/// A writer that is dropped without `finish` leaves the old file, or none: a `?` for an error of something else drops it, too, and half of
/// the members must not replace a complete archive. (A [`Writer`](crate::Writer) of one array writes to the file itself, and keeps its rows.)
/// Members are then lost, so a line on the standard error says that the archive was not written, unless an error was returned after
/// they were added, or the thread panics. [`discard`](Self::discard) says nothing. A writer that was passed to [`new`](Self::new) or [`stream`](Self::stream) is left
/// with members without a directory, which every reader refuses.
#[doc(alias("savez"))]
#[must_use = "only `finish` makes the archive; without it, the members are lost"]
pub struct Writer<W: Write> {
    archive: npy_zip::Writer<W>,
    pub(super) options: WriteOptions,
    /// The names that no other member may have.
    pub(super) names: HashSet<String>,
    /// The smallest `n` for which the name `arr_n` may be free.
    unnamed: u64,
    /// The file that the archive replaces at the end, and how; `None` if the caller passed the writer.
    target: Option<(Target, Commit<W>)>,
    pub(super) path: Option<PathBuf>,
    /// The directory of the file, for temporary files with rows.
    pub(super) directory: Option<Directory>,
    unfinished: Unfinished,
    /// True if the archive has other members than the file that it replaces.
    pub(super) is_changed: bool,
}

/// Gives a complete file its name.
type Commit<W> = fn(Target, W, bool) -> Result<W>;

impl Writer<File> {
    /// Creates a file, as a transaction: before [`finish`](Self::finish), the old file stays and no new one appears.
    ///
    /// Links are followed and permissions are kept, as in [`WriteNpy::write_npy`](crate::WriteNpy::write_npy).
    ///
    /// Unlike NumPy, this function does not add `.npz` to the path.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::Writer::create("model.npz")?;
    /// writer.write("weights", &[0.5, -1.0])?;
    /// writer.finish()?;
    /// assert!(npz::Reader::open("model.npz")?.contains("weights"));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`], also for a pipe, which cannot seek; use [`stream`](Self::stream) for a pipe.
    pub fn create<P: AsRef<Path>>(path: P) -> Result<Self> {
        WriteOptions::new().create(path)
    }

    /// Opens an archive to add members at its end.
    ///
    /// Members are added to a copy, and [`finish`](Self::finish) replaces the archive with the copy. The old members are copied as an
    /// [`Editor`](super::Editor) copies them: their data, names, times, comments and extra fields do not change, and bytes that belong to no
    /// member are dropped.
    ///
    /// The archive is locked while the writer lives, so that no members are lost if two writers append at once. The lock is advisory, and
    /// only `append` and [`Editor`](super::Editor) take it: [`create`](Self::create) and [`save`](super::save) replace the archive without
    /// it. After that, [`finish`](Self::finish) of the writer that appends fails, and leaves the new archive as it is.
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
    /// let mut writer = npz::Writer::append("model.npz")?;
    /// writer.write("epochs", &20u32)?;
    /// writer.finish()?;
    /// assert!(npz::Reader::open("model.npz")?.names().eq(["weights", "epochs"]));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`], also if the file does not exist; [`ErrorKind::Archive`] if it is not an archive, or has data after its directory,
    /// which would be lost; [`ErrorKind::Locked`] while another writer appends to it.
    pub fn append<P: AsRef<Path>>(path: P) -> Result<Self> {
        WriteOptions::new().append(path)
    }

    /// Continues an archive that replaces the file at `path` when it is finished.
    pub(super) fn with_target(
        archive: npy_zip::Writer<File>,
        target: Target,
        options: WriteOptions,
        path: &Path,
    ) -> Self {
        let mut writer = Writer::with(archive, options);
        writer.directory = target.directory().cloned();
        writer.target = Some((target, Target::commit));
        writer.path = Some(path.to_owned());
        writer.unfinished = Unfinished::new(Some(path));
        writer
    }
}

impl<W: Write + Seek> Writer<W> {
    /// Writes an archive from the current position of `writer`.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::Writer::new(Cursor::new(Vec::new()))?;
    /// writer.write("x", &[1, 2, 3])?;
    /// let file = writer.finish()?;
    /// assert_eq!(npz::Reader::new(file)?.read::<Vec<i32>>("x.npy")?, [1, 2, 3]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`].
    pub fn new(writer: W) -> Result<Self> {
        WriteOptions::new().writer(writer)
    }
}

impl<W: Write> Writer<W> {
    /// Writes an archive to any writer, such as a pipe or a socket. The size and the checksum of a member are written after its data.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::npz;
    ///
    /// let mut pipe = Vec::new();
    /// let mut writer = npz::Writer::stream(&mut pipe);
    /// writer.write("x", &[1, 2, 3])?;
    /// writer.finish()?;
    /// assert_eq!(npz::Reader::new(Cursor::new(pipe))?.read::<Vec<i32>>("x")?, [1, 2, 3]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn stream(writer: W) -> Self {
        WriteOptions::new().stream(writer)
    }

    fn with(archive: npy_zip::Writer<W>, options: WriteOptions) -> Self {
        Writer {
            archive,
            options,
            names: HashSet::new(),
            unnamed: 0,
            target: None,
            path: None,
            directory: None,
            unfinished: Unfinished::new(None),
            is_changed: false,
        }
    }

    /// Writes an array as a member. Names are map keys, and never paths of files: `""`, `"../x"` and `"/abs"` are allowed, as in `np.savez`.
    /// A program that extracts members to files has to check them. A name that ends with `.npy` is the complete name in the archive, so
    /// `"x.npy"` is the array `x`; NumPy's key `x.npy` is `"x.npy.npy"` here.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{NpyArray, npz};
    ///
    /// let mut writer = npz::Writer::create("model.npz")?;
    /// writer.write("weights", &NpyArray::new(vec![0.5, -1.0], [1, 2])?)?;
    /// writer.write("epochs", &20u32)?;
    /// writer.finish()?;
    /// assert_eq!(npz::Reader::open("model.npz")?.header("weights")?.shape(), [1, 2]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`WriteNpy::write_npy`], and [`ErrorKind::MemberName`] for a name that another member has or that no member can have.
    pub fn write<A: WriteNpy + ?Sized>(&mut self, name: &str, array: &A) -> Result<()> {
        let options = self.options.arrays.clone();
        self.add(name, &mut |sink| array.write_npy_array(ArrayWriter::new(&options, sink)))
    }

    /// Writes an array under the first of the names `arr_0`, `arr_1` and so on that no member has, like a positional argument of
    /// `np.savez`.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::Writer::create("ticks.npz")?;
    /// writer.write_unnamed(&[0.5, 1.5])?;
    /// writer.write_unnamed(&[2.5])?;
    /// writer.finish()?;
    /// assert!(npz::Reader::open("ticks.npz")?.names().eq(["arr_0", "arr_1"]));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`write`](Self::write).
    pub fn write_unnamed<A: WriteNpy + ?Sized>(&mut self, array: &A) -> Result<()> {
        while self.names.contains(&format!("arr_{}.npy", self.unnamed)) {
            self.unnamed = self.unnamed.saturating_add(1);
        }
        self.write(&format!("arr_{}", self.unnamed), array)
    }

    /// Writes the directory, and returns the inner writer, which is at the end of the archive. A file then replaces the old one, unless no
    /// member was [appended](Self::append) to that.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::Writer::new(Cursor::new(Vec::new()))?;
    /// writer.write("weights", &[0.5, -1.0])?;
    /// let file = writer.finish()?;
    /// assert_eq!(npz::Reader::new(file)?.read::<Vec<f64>>("weights")?, [0.5, -1.0]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`] if the inner writer fails or has failed.
    pub fn finish(mut self) -> Result<W> {
        self.unfinished.tell();
        let Writer { archive, target, path, is_changed, .. } = self;
        let finish = || {
            let inner = archive.finish()?;
            match target {
                Some((target, commit)) => commit(target, inner, is_changed),
                None => Ok(inner),
            }
        };
        finish().map_err(|error: Error| match path {
            Some(path) => error.in_file(&path),
            None => error,
        })
    }

    /// Drops the writer on purpose, and so without a message: the file of [`create`](Self::create) or [`append`](Self::append) stays as it
    /// was, or absent.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::Writer::create("model.npz")?;
    /// writer.write("weights", &[0.5, -1.0])?;
    /// writer.discard();
    /// assert!(!std::fs::exists("model.npz")?);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn discard(mut self) {
        self.unfinished.tell();
    }

    /// Adds a member with the bytes that `write` writes.
    pub(super) fn add(
        &mut self,
        name: &str,
        write: &mut dyn FnMut(&mut dyn ArraySink) -> Result<()>,
    ) -> Result<()> {
        self.located(|writer| {
            let file = writer.check_name(name)?;
            let added = writer.archive.add(&file, |sink| write(sink));
            added.map_err(|error: Error| error.in_member(name))?;
            writer.names.insert(file);
            Ok(())
        })?;
        self.unfinished.add();
        self.is_changed = true;
        Ok(())
    }

    /// Returns the name of a member in the archive. Fails if no member can have the name, or if another member has it.
    pub(super) fn check_name(&self, name: &str) -> Result<String> {
        self.archive.check()?;
        let file = name::in_archive(name)?;
        if !self.names.contains(&file) {
            return Ok(file);
        }
        let reason =
            "another member has it already; give each its own name, or replace it by npz::Editor";
        Err(ErrorKind::MemberName { name: name::excerpt(name), reason }.into())
    }

    /// Calls `write`, and adds the path to an error.
    pub(super) fn located<A>(&mut self, write: impl FnOnce(&mut Self) -> Result<A>) -> Result<A> {
        // A panic tells, too.
        let before = self.unfinished.tell();
        let result = write(self);
        if result.is_ok() {
            self.unfinished.told = before;
        }
        result.map_err(|error| self.in_file(error))
    }

    /// Adds the path, if there is one, to an error that a call returns.
    pub(crate) fn in_file(&mut self, error: Error) -> Error {
        self.unfinished.tell();
        match &self.path {
            Some(path) => error.in_file(path),
            None => error,
        }
    }
}

impl<W: Write> ArraySink for MemberWriter<'_, W> {
    fn begin(&mut self, bytes: u64) -> io::Result<()> {
        MemberWriter::begin(self, bytes)
    }
}

impl<W: Write> fmt::Debug for Writer<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("npz::Writer")
            .field("path", &self.path)
            .field("members", &self.archive.names().count())
            .finish_non_exhaustive()
    }
}

impl WriteOptions {
    pub(super) fn compression(&self) -> Compression {
        self.method.threads(self.threads).seek_every(self.seek_every).interrupt(self.interrupt)
    }

    /// Creates a file; see [`Writer::create`].
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::WriteOptions::new().deflate(6).create("model.npz")?;
    /// writer.write("weights", &[0.5, -1.0])?;
    /// writer.finish()?;
    /// assert_eq!(npz::Reader::open("model.npz")?.read::<Vec<f64>>("weights")?, [0.5, -1.0]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`Writer::create`].
    pub fn create(&self, path: impl AsRef<Path>) -> Result<Writer<File>> {
        let path = path.as_ref();
        let create = || {
            let (file, target) = Target::create(path, self)?;
            let archive = npy_zip::Writer::file(file, self.compression())?;
            Ok(Writer::with_target(archive, target, self.clone(), path))
        };
        create().map_err(|error: Error| advised(error, OF_PIPE).in_file(path))
    }

    /// Opens an archive to add members; see [`Writer::append`].
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// npz::Writer::create("model.npz")?.finish()?;
    /// let mut writer = npz::WriteOptions::new().deflate(6).append("model.npz")?;
    /// writer.write("weights", &[0.5, -1.0])?;
    /// writer.finish()?;
    /// assert!(npz::Reader::open("model.npz")?.is_compressed("weights")?);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`Writer::append`].
    pub fn append(&self, path: impl AsRef<Path>) -> Result<Writer<File>> {
        let editor = self.edit(path)?;
        let mut names: HashSet<String> = editor.members.names().map(str::to_owned).collect();
        let mut writer = editor.into_writer()?;
        // An extra field may hold a second name for a member, which not all readers use.
        let plain = writer.archive.names();
        names.extend(plain.map(|name| String::from_utf8_lossy(name).into_owned()));
        writer.names = names;
        Ok(writer)
    }

    /// Writes an archive to a writer that can seek; see [`Writer::new`].
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::WriteOptions::new().deflate(6).writer(Cursor::new(Vec::new()))?;
    /// writer.write("weights", &[0.5, -1.0])?;
    /// assert!(npz::Reader::new(writer.finish()?)?.is_compressed("weights")?);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`Writer::new`].
    pub fn writer<W: Write + Seek>(&self, writer: W) -> Result<Writer<W>> {
        let archive = npy_zip::Writer::seekable(writer, self.compression())?;
        Ok(Writer::with(archive, self.clone()))
    }

    /// Writes an archive to any writer; see [`Writer::stream`].
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::WriteOptions::new().deflate(6).stream(Vec::new());
    /// writer.write("weights", &[0.5, -1.0])?;
    /// let file = writer.finish()?;
    /// assert!(npz::Reader::new(Cursor::new(file))?.is_compressed("weights")?);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn stream<W: Write>(&self, writer: W) -> Writer<W> {
        Writer::with(npy_zip::Writer::stream(writer, self.compression()), self.clone())
    }
}
