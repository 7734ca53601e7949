//! Writes an archive: members are added, one after another.
//!
//! A member is written in steps: it begins, its bytes follow, and it ends. Each step is done by the call that makes it, unless other threads still
//! compress earlier bytes: then the steps wait in a queue, in their order.

mod deflate;
mod headers;
mod index;
mod output;
#[cfg(feature = "zstd-write")]
mod zstd;

use std::collections::VecDeque;
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::mem;

use crate::checked;
use crate::checksum::Hasher;
use crate::directory::Central;
use crate::error::{Result, to_u64};
use crate::name;
use crate::records::Common;
use deflate::{Block, Compressor, Pending};
use headers::Member;
use index::Index;
use output::Output;

/// The most bytes of a stored member that are written at once: they are still in the cache after their checksum is computed.
const STORED_BLOCK: usize = 256 << 10;

/// A function that is called between blocks. Its error ends the work.
pub type Interrupt = fn() -> io::Result<()>;

/// How members are compressed when they are written.
#[derive(Clone, Copy, Debug)]
pub struct Compression {
    method: Method,
    threads: usize,
    /// The number of bytes of a chunk of a deflated member; `None` for members without chunks.
    chunk: Option<u32>,
    interrupt: Option<Interrupt>,
}

/// A method of compression, with its level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    Stored,
    Deflate(u8),
    #[cfg(feature = "zstd-write")]
    Zstd(u8),
}

impl Method {
    /// Returns the number in the zip format.
    fn number(self) -> u16 {
        match self {
            Method::Stored => Common::STORED,
            Method::Deflate(_) => Common::DEFLATED,
            #[cfg(feature = "zstd-write")]
            Method::Zstd(_) => Common::ZSTD,
        }
    }
}

impl Compression {
    /// Members are stored as they are.
    ///
    /// ```
    /// use npy_zip::{Compression, Writer};
    ///
    /// let mut writer = Writer::stream(Vec::new(), Compression::stored());
    /// writer.add("a", |member| member.begin(0))?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn stored() -> Self {
        Compression { method: Method::Stored, threads: 1, chunk: None, interrupt: None }
    }

    /// Members are deflated, at a level from 1 to 9 (nothing is written with any other), with this number of threads, including the caller's. The bytes do not depend on the
    /// number of threads. A reader can [start at each MiB](Self::seek_every).
    ///
    /// ```
    /// use npy_zip::{Compression, Writer};
    ///
    /// let mut writer = Writer::stream(Vec::new(), Compression::deflate(6, 2));
    /// writer.add("a", |member| member.begin(0))?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn deflate(level: u8, threads: usize) -> Self {
        let method = Method::Deflate(level);
        Compression { method, ..Compression::stored() }.threads(threads).seek_every(1 << 20)
    }

    /// Members are compressed by Zstandard, at a level from 1 to 22, with one thread. Each can be read from its start alone.
    ///
    /// ```
    /// use npy_zip::{Compression, Writer};
    ///
    /// let mut writer = Writer::stream(Vec::new(), Compression::zstd(3));
    /// writer.add("a", |member| member.begin(0))?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[cfg(feature = "zstd-write")]
    pub fn zstd(level: u8) -> Self {
        Compression { method: Method::Zstd(level), ..Compression::stored() }
    }

    /// Refuses a level that the method does not have.
    fn check(&self) -> io::Result<()> {
        let (level, most) = match self.method {
            Method::Stored => return Ok(()),
            Method::Deflate(level) => (level, 9),
            #[cfg(feature = "zstd-write")]
            Method::Zstd(level) => (level, 22),
        };
        if (1..=most).contains(&level) {
            return Ok(());
        }
        let text = format!(
            "there is no level {level} of compression; use one from 1 (fast) to {most} (small), or store the members, which does not compress"
        );
        Err(io::Error::new(io::ErrorKind::InvalidInput, text))
    }

    /// Members are deflated with this number of threads, including the caller's.
    ///
    /// ```
    /// use npy_zip::{Compression, Writer};
    ///
    /// let mut writer = Writer::stream(Vec::new(), Compression::deflate(6, 1).threads(2));
    /// writer.add("a", |member| member.begin(0))?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub fn threads(self, threads: usize) -> Self {
        Compression { threads: threads.max(1), ..self }
    }

    /// A reader can start to inflate a member at each multiple of this many bytes, or of fewer: the number is rounded down to a power of two,
    /// from 4 KiB to 1 MiB. The positions are in an index after the member, as SOZip has it, which other readers do not see. With 0, there
    /// is no index, and the member is inflated from its start. Each chunk takes 12 bytes of memory until its member is written.
    ///
    /// ```
    /// use std::io::{Cursor, Read, Seek, SeekFrom, Write};
    ///
    /// use npy_zip::{Compression, Directory, Limits, Writer};
    ///
    /// let compression = Compression::deflate(6, 1).seek_every(4096);
    /// let mut writer = Writer::seekable(Cursor::new(Vec::new()), compression)?;
    /// let numbers: Vec<u8> = (0..10_000u16).flat_map(u16::to_le_bytes).collect();
    /// writer.add("x", |member| {
    ///     member.begin(20_000)?;
    ///     member.write_all(&numbers)
    /// })?;
    /// let mut file = writer.finish()?;
    ///
    /// let limits = Limits::default();
    /// let directory = Directory::read(&mut file, &limits)?;
    /// let x = directory.find("x").expect("it was written");
    /// assert!(directory.is_seekable(x, &mut file, &limits)?);
    /// let mut member = directory.member(x, file, &limits)?;
    /// member.seek(SeekFrom::Start(9000))?;
    /// let mut bytes = [0; 2];
    /// member.read_exact(&mut bytes)?;
    /// assert_eq!(u16::from_le_bytes(bytes), 4500);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn seek_every(self, bytes: u64) -> Self {
        Compression { chunk: deflate::chunk_size(bytes), ..self }
    }

    /// Calls this function before each block that is written or copied, by the thread that writes. After an error of it nothing more is
    /// written, as after an error of the inner writer.
    ///
    /// ```
    /// use std::io;
    ///
    /// use npy_zip::{Compression, Writer};
    ///
    /// let stopped = || Err(io::Error::other("stopped"));
    /// let compression = Compression::stored().interrupt(Some(stopped));
    /// let mut writer = Writer::stream(Vec::new(), compression);
    /// let error = writer.add("x", |member| member.begin(0)).unwrap_err();
    /// assert_eq!(error.to_string(), "stopped");
    /// assert!(writer.finish().is_err());
    /// ```
    #[must_use]
    pub fn interrupt(self, interrupt: Option<Interrupt>) -> Self {
        Compression { interrupt, ..self }
    }
}

/// An archive that is being written.
///
/// ```
/// use std::io::{Cursor, Write};
///
/// use npy_zip::{Compression, Directory, Limits, Writer};
///
/// let text = "any bytes; ".repeat(1000);
/// let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::deflate(6, 2))?;
/// writer.add("a.txt", |member| {
///     member.begin(11_000)?; // before the first byte
///     member.write_all(text.as_bytes())
/// })?;
/// let file = writer.finish()?;
/// assert!(file.get_ref().len() < 300);
/// assert_eq!(Directory::read(file, &Limits::default())?.entries().len(), 1);
/// # Ok::<(), npy_zip::Error>(())
/// ```
///
/// The data of each stored member begins at a multiple of [`ALIGNMENT`](crate::ALIGNMENT). The same members always make the same archive, because
/// all times in it are 1980-01-01. The large form of zip (zip64) is used only where sizes or numbers need it.
///
/// # Failures
///
/// A member whose bytes are not complete is dropped, and the writer can continue: a file is truncated, another writer that can seek
/// continues at the start of the member, and a stream can continue if it has not received a part of it. After the inner writer has failed or
/// panicked, every later call fails. Only [`finish`](Self::finish) makes an archive.
#[must_use = "only `finish` makes the archive"]
pub struct Writer<W> {
    output: Output<W>,
    /// The entries of the complete members.
    directory: Central,
    /// The member of the last step that was done.
    open: Option<Member>,
    method: Method,
    /// `None` if members are stored.
    compressor: Option<Compressor>,
    /// The steps that are not done yet. Without threads, there are none between calls.
    steps: VecDeque<Step>,
}

enum Step {
    /// Begins a member of this many bytes.
    Begin {
        name: String,
        size: u64,
    },
    /// Writes compressed bytes, which inflate to `size` bytes.
    Block {
        block: Pending,
        size: usize,
    },
    End,
}

impl<W: Write + Seek> Writer<W> {
    /// Writes from the current position of a writer that can seek. It keeps its length when a member is dropped.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_zip::{Compression, Writer};
    ///
    /// let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::stored())?;
    /// writer.add("a", |member| member.begin(0))?;
    /// assert!(writer.finish()?.get_ref().starts_with(b"PK"));
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Io`](crate::Error::Io) if its position is not known; [`InvalidInput`](io::ErrorKind::InvalidInput) for a level that the method does not have.
    pub fn seekable(inner: W, compression: Compression) -> Result<Self> {
        compression.check()?;
        Ok(Writer::new(Output::seekable(inner)?, compression))
    }
}

impl Writer<File> {
    /// Writes from the current position of a file, which is truncated when a member is dropped.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use std::fs::File;
    ///
    /// use npy_zip::{Compression, Writer};
    ///
    /// let mut writer = Writer::file(File::create("x.zip")?, Compression::stored())?;
    /// writer.add("a", |member| member.begin(0))?;
    /// writer.finish()?;
    /// assert!(std::fs::read("x.zip")?.starts_with(b"PK"));
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Io`](crate::Error::Io), also for a pipe, which cannot seek; [`InvalidInput`](io::ErrorKind::InvalidInput) for a level that the method does not have.
    pub fn file(file: File, compression: Compression) -> Result<Self> {
        compression.check()?;
        Ok(Writer::new(Output::file(file)?, compression))
    }
}

impl<W: Write> Writer<W> {
    /// Writes to any writer, such as a pipe. The sizes and the checksum of a member come after its data.
    ///
    /// ```
    /// use npy_zip::{Compression, Writer};
    ///
    /// let mut writer = Writer::stream(Vec::new(), Compression::stored());
    /// writer.add("a", |member| member.begin(0))?;
    /// assert!(writer.finish()?.starts_with(b"PK"));
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    pub fn stream(inner: W, compression: Compression) -> Self {
        Writer::new(Output::stream(inner), compression)
    }

    fn new(mut output: Output<W>, compression: Compression) -> Self {
        let Compression { method, threads, chunk, interrupt } = compression;
        output.interrupt = interrupt;
        // A stream has no other way to tell.
        if let Err(error) = compression.check() {
            output.fail(&error);
        }
        let compressor = match method {
            Method::Stored => None,
            Method::Deflate(level) => Some(Compressor::new(level.clamp(1, 9), threads, chunk)),
            #[cfg(feature = "zstd-write")]
            Method::Zstd(level) => Some(Compressor::zstd(level.clamp(1, 22))),
        };
        Writer {
            output,
            directory: Central::default(),
            open: None,
            method,
            compressor,
            steps: VecDeque::new(),
        }
    }

    /// Adds a member, even if another one has the name. `write` announces the number of its bytes, and writes them.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_zip::{Compression, Writer};
    ///
    /// let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::stored())?;
    /// writer.add("a", |member| member.begin(0))?;
    /// assert!(writer.names().eq([b"a"]));
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of `write`; of the inner writer; [`InvalidInput`](io::ErrorKind::InvalidInput) for a name that
    /// [no member can have](crate::check_name), or if the number of bytes is not the announced one.
    pub fn add<E: From<io::Error> + fmt::Display>(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut MemberWriter<'_, W>) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let mut member = MemberWriter { archive: self, name, status: Status::New };
        let written = write(&mut member).and_then(|()| Ok(member.end()?));
        if let Err(error) = &written {
            member.abort(error);
        }
        written
    }

    /// Iterates over the names in the entries so far, as bytes.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_zip::{Compression, Writer};
    ///
    /// let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::stored())?;
    /// writer.add("a", |member| member.begin(0))?;
    /// assert!(writer.names().eq([b"a"]));
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    pub fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.directory.names()
    }

    /// Fails if an earlier call has failed, so that nothing more is written.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_zip::{Compression, Writer};
    ///
    /// let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::stored())?;
    /// writer.add("a", |member| member.begin(0))?;
    /// writer.check()?; // nothing has failed
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Io`](crate::Error::Io), with the text of the earlier error.
    pub fn check(&self) -> Result<()> {
        Ok(self.output.check()?)
    }

    /// Adds a member that another archive has: its headers, and its data. Returns false if there is less data than stated.
    pub(crate) fn add_copy(
        &mut self,
        header: &[u8],
        entry: &[u8],
        data: io::Take<impl Read>,
    ) -> Result<bool> {
        let size = data.limit();
        self.output.write_all(header)?;
        self.directory.push(entry);
        Ok(self.output.copy(data)? == size)
    }

    /// Adds the seek index of a member that was just added: its header, and its contents. Returns false if there are fewer than stated.
    pub(crate) fn copy_index(
        &mut self,
        header: &[u8],
        contents: io::Take<impl Read>,
    ) -> Result<bool> {
        let size = contents.limit();
        self.output.write_all(header)?;
        Ok(self.output.copy(contents)? == size)
    }

    /// Returns the position of the next member.
    pub(crate) fn position(&self) -> u64 {
        self.output.position()
    }

    pub(crate) fn copy_comment(&mut self, other: &Central) {
        self.directory.copy_comment(other);
    }

    /// Returns the writer without writing the directory, and the directory.
    pub(crate) fn take_members(&mut self) -> Result<(W, Central)> {
        self.advance(0)?;
        self.output.check()?;
        Ok((self.output.take_inner()?, mem::take(&mut self.directory)))
    }

    /// Writes the directory, and returns the inner writer, which is at the end of the archive.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_zip::{Compression, Writer};
    ///
    /// let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::stored())?;
    /// writer.add("a", |member| member.begin(0))?;
    /// let file = writer.finish()?;
    /// assert_eq!(file.position(), file.get_ref().len() as u64);
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Io`](crate::Error::Io) if the inner writer fails or has failed.
    pub fn finish(mut self) -> Result<W> {
        self.advance(0)?;
        self.output.check()?;
        // Readers look for the directory at the end of the file, so it must end there. A discarded member may have left bytes after this
        // position.
        self.output.go_to_directory(to_u64(self.directory.entries().len()))?;
        let start = self.output.position();
        self.output.write_all(self.directory.entries())?;
        self.output.write_all(&self.directory.end(start))?;
        self.output.take_inner()
    }

    /// Begins a member of this many bytes.
    fn begin(&mut self, name: &str, size: u64) -> io::Result<()> {
        self.output.check()?;
        if let Some(compressor) = &mut self.compressor {
            compressor.begin(size)?;
        }
        self.then(Step::Begin { name: name.to_owned(), size })
    }

    /// Writes the next bytes of the member, and returns their number.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.output.check()?;
        if bytes.is_empty() {
            // They would end a full block, which may be the last.
            return Ok(0);
        }
        if self.compressor.is_none() {
            return self.store(bytes);
        }
        if self.compressor.as_ref().is_some_and(Compressor::is_full) {
            self.compress(false)?;
        }
        self.compressor.as_mut().map_or(Ok(0), |compressor| compressor.write(bytes))
    }

    /// Completes the member.
    fn end(&mut self) -> io::Result<()> {
        self.compress(true)?;
        self.then(Step::End)
    }

    /// Compresses the next block of the member, if it is compressed.
    fn compress(&mut self, is_last: bool) -> io::Result<()> {
        let waiting = self.waiting_blocks();
        let Some(compressor) = &mut self.compressor else { return Ok(()) };
        let (block, size) = compressor.start(is_last, waiting)?;
        self.then(Step::Block { block, size })
    }

    fn waiting_blocks(&self) -> usize {
        self.steps.iter().filter(|step| matches!(step, Step::Block { .. })).count()
    }

    /// Does a step after those that wait.
    fn then(&mut self, step: Step) -> io::Result<()> {
        self.steps.push_back(step);
        self.advance(self.compressor.as_ref().map_or(0, |compressor| compressor.max_waiting))
    }

    /// Does the steps whose bytes are compressed, in order. Waits for the next block while more than `max` blocks remain.
    fn advance(&mut self, max: usize) -> io::Result<()> {
        let mut blocks = self.waiting_blocks();
        while let Some(step) = self.steps.pop_front() {
            let done = match step {
                Step::Begin { name, size } => self.write_header(name, size),
                Step::End => self.complete(),
                Step::Block { block, size } => {
                    let compressor = self.compressor.as_mut();
                    let result = compressor.and_then(|c| c.pool.result(&block, blocks > max));
                    let Some(result) = result else {
                        self.steps.push_front(Step::Block { block, size });
                        return Ok(());
                    };
                    blocks = checked::sub(blocks, 1);
                    result.and_then(|block| self.append(&block, size))
                }
            };
            if let Err(error) = done {
                if self.compressor.is_some() {
                    // The call that wrote this member may have returned `Ok`, so the error must stop the whole archive.
                    self.output.fail(&error);
                }
                return Err(error);
            }
        }
        Ok(())
    }

    fn write_header(&mut self, name: String, size: u64) -> io::Result<()> {
        let method = self.method.number();
        // Bytes that cannot be compressed are stored, in blocks whose headers take less than this.
        let max = if method == Common::STORED { size } else { size.saturating_add(size / 256) };
        let member = Member {
            name,
            start: self.output.position(),
            method,
            is_streamed: self.output.is_stream(),
            is_large: max >= 0xfff0_0000,
            crc: Hasher::new(),
            compressed: 0,
            size: 0,
            index: Index::default(),
        };
        let header = member.local()?;
        self.open = Some(member);
        self.output.write_all(&header)
    }

    /// Writes the next bytes of a stored member, and returns their number.
    fn store(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let block = bytes.get(..STORED_BLOCK).unwrap_or(bytes);
        let member = self.open.as_mut().ok_or_else(none_begun)?;
        member.crc.update(block);
        member.add(block.len(), block.len());
        self.output.write_all(block)?;
        Ok(block.len())
    }

    /// Writes the next block of a compressed member, which inflates to `size` bytes.
    fn append(&mut self, block: &Block, size: usize) -> io::Result<()> {
        let member = self.open.as_mut().ok_or_else(none_begun)?;
        member.crc.combine(&block.crc);
        for &(start, crc) in &block.chunks {
            member.index.add(checked::add(member.compressed, to_u64(start)), crc)?;
        }
        member.add(block.bytes.len(), size);
        self.output.write_all(&block.bytes)
    }

    /// Writes what comes after the bytes of the open member, its seek index, and its entry.
    fn complete(&mut self) -> io::Result<()> {
        let member = self.open.as_ref().ok_or_else(none_begun)?;
        let entry = member.central()?;
        if member.is_streamed {
            self.output.write_all(&member.descriptor()?)?;
        } else {
            self.output.rewrite(member.start, &member.local()?)?;
        }
        if let Some(chunk) = self.compressor.as_ref().and_then(|compressor| compressor.chunk)
            && let Some(index) = member.index(chunk)?
        {
            self.output.write_all(&index)?;
        }
        self.directory.push(&entry);
        self.open = None;
        Ok(())
    }

    /// Discards the member that was begun, which is the last one. If the output cannot go back to its start, all later writes fail.
    fn abort(&mut self, why: &dyn fmt::Display) {
        if let Some(compressor) = &mut self.compressor
            && !compressor.abort()
        {
            return;
        }
        while let Some(step) = self.steps.pop_back() {
            if let Step::Begin { .. } = step {
                return;
            }
        }
        let Some(member) = self.open.take() else { return };
        if self.output.check().is_ok() && self.output.go_back(member.start).is_err() {
            self.output.fail(why);
        }
    }
}

#[cold]
fn none_begun() -> io::Error {
    io::Error::other("no member was begun")
}

impl<W> fmt::Debug for Writer<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").finish_non_exhaustive()
    }
}

/// A member that is being written; see [`Writer::add`].
pub struct MemberWriter<'a, W: Write> {
    archive: &'a mut Writer<W>,
    name: &'a str,
    status: Status,
}

#[derive(Clone, Copy, PartialEq)]
enum Status {
    New,
    Begun {
        announced: u64,
        written: u64,
    },
    /// Complete, or dropped after an error.
    Ended,
}

impl<W: Write> MemberWriter<'_, W> {
    /// Announces the number of bytes, once, before the first. The headers take the large form if they need it for this number. If the member
    /// then has another number of bytes, [`Writer::add`] fails.
    ///
    /// ```
    /// use std::io::{Cursor, Write};
    ///
    /// use npy_zip::{Compression, Writer};
    ///
    /// let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::stored())?;
    /// writer.add("a", |member| {
    ///     member.begin(5)?;
    ///     member.write_all(b"hello")
    /// })?;
    /// writer.finish()?;
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the inner writer; [`InvalidInput`](io::ErrorKind::InvalidInput) for a name that [no member can have](crate::check_name), or
    /// if the number was announced before.
    pub fn begin(&mut self, bytes: u64) -> io::Result<()> {
        name::refuse_wrong(self.name)?;
        if self.status != Status::New {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the member has begun before"));
        }
        self.status = Status::Begun { announced: bytes, written: 0 };
        self.archive.begin(self.name, bytes)
    }

    fn end(&mut self) -> io::Result<()> {
        let Status::Begun { announced, written } = self.status else { return Err(none_begun()) };
        if written != announced {
            let reason = format!(
                "{written} bytes were written, and {announced} were announced; announce the number of bytes that the member has"
            );
            return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
        self.archive.end()?;
        self.status = Status::Ended;
        Ok(())
    }

    fn abort(&mut self, why: &dyn fmt::Display) {
        if let Status::Begun { .. } = mem::replace(&mut self.status, Status::Ended) {
            self.archive.abort(why);
        }
    }
}

/// Discards the member if the caller panicked, because the program may catch the panic and write other members.
impl<W: Write> Drop for MemberWriter<'_, W> {
    fn drop(&mut self) {
        self.abort(&"a value panicked");
    }
}

impl<W: Write> Write for MemberWriter<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Status::Begun { written, .. } = &mut self.status else { return Err(none_begun()) };
        let count = self.archive.write(bytes)?;
        *written = checked::add(*written, to_u64(count));
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<W: Write> fmt::Debug for MemberWriter<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemberWriter").field("name", &self.name).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;
    use crate::{Directory, Limits};

    /// Guards that a write of nothing does not end a block: the last chunk would be empty, and the index wrong.
    #[test]
    fn a_write_of_nothing_adds_no_chunk() {
        let mut writer =
            Writer::seekable(Cursor::new(Vec::new()), Compression::deflate(1, 1)).unwrap();
        let bytes = vec![7; 2 << 20];
        let add = |member: &mut MemberWriter<'_, _>| {
            member.begin(2 << 20)?;
            member.write_all(&bytes)?;
            member.write(&[]).map(drop)
        };
        writer.add("a", add).unwrap();
        let mut file = writer.finish().unwrap();
        let limits = Limits::default();
        let directory = Directory::of_file(&mut file, &limits).unwrap();
        let entry = directory.find("a").unwrap();
        assert!(directory.is_seekable(entry, &mut file, &limits).unwrap());
        assert!(directory.member(entry, file, &limits).unwrap().check_index().unwrap());
    }

    /// Guards that a member which is not written as it should be is dropped, whatever was wrong, and that the writer can continue.
    #[test]
    fn a_member_that_is_not_complete_is_dropped() {
        for compression in [Compression::stored(), Compression::deflate(1, 1)] {
            let mut writer = Writer::seekable(Cursor::new(Vec::new()), compression).unwrap();
            let long = "x".repeat(60_001);
            for (name, wrong) in [("a\0b", 1), (&long, 1), ("none", 0), ("twice", 2)] {
                let add = |member: &mut MemberWriter<'_, _>| {
                    (0..wrong).try_for_each(|_| member.begin(3))?;
                    member.write_all(b"abc")
                };
                writer.add(name, add).unwrap_err();
            }
            for announced in [2, 4] {
                let add = |member: &mut MemberWriter<'_, _>| {
                    member.begin(announced)?;
                    member.write_all(b"abc")
                };
                let error = writer.add("announced", add).unwrap_err();
                assert!(error.to_string().starts_with("3 bytes were written, and"), "{error}");
            }
            let nothing = |_: &mut MemberWriter<'_, _>| Ok::<(), io::Error>(());
            writer.add("nothing", nothing).unwrap_err();
            let panics = |member: &mut MemberWriter<'_, _>| -> io::Result<()> {
                member.begin(3)?;
                member.write_all(b"a")?;
                panic!("a value");
            };
            let panicked = catch_unwind(AssertUnwindSafe(|| writer.add("panics", panics)));
            assert!(panicked.is_err());
            let add = |member: &mut MemberWriter<'_, _>| {
                member.begin(3)?;
                member.write_all(b"abc")
            };
            writer.add("a", add).unwrap();
            assert!(writer.names().eq([b"a"]));
            let file = writer.finish().unwrap();
            let directory = Directory::of_file(file, &Limits::default()).unwrap();
            assert_eq!(directory.entries().len(), 1);
        }
    }
}
