//! The file or stream of an archive, shared by all that read from it.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::to_u64;

/// The bytes of an archive, which several [`Handle`]s share.
///
/// A file is read at an offset, by all threads at the same time. A stream is locked, and used by one handle at a time.
///
/// ```
/// use std::io::{Cursor, Read};
/// use std::sync::Arc;
///
/// use npy_zip::{Handle, Source};
///
/// let source = Arc::new(Source::stream(Cursor::new(b"abcdef")));
/// let (mut first, mut second) = (Handle::new(&source), Handle::new(&source));
/// let mut bytes = [0; 2];
/// first.read_exact(&mut bytes)?;
/// first.read_exact(&mut bytes)?;
/// assert_eq!(&bytes, b"cd");
/// second.read_exact(&mut bytes)?;
/// assert_eq!(&bytes, b"ab");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Source<R>(Bytes<R>);

enum Bytes<R> {
    File(Arc<File>),
    Stream(Mutex<Stream<R>>),
}

/// A stream, which one reader at a time uses.
struct Stream<R> {
    inner: R,
    /// The position of `inner`; `None` while a call moves it, and after a call that failed or panicked.
    position: Option<u64>,
}

impl<R> Source<R> {
    /// Creates the source of any reader.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_zip::Source;
    ///
    /// let source = Source::stream(Cursor::new(b"abc"));
    /// assert!(source.parallel().is_none());
    /// ```
    pub fn stream(inner: R) -> Self {
        Source(Bytes::Stream(Mutex::new(Stream { inner, position: None })))
    }

    /// Returns the same source as one that several threads can read at the same time; `None` for a stream.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_zip::Source;
    ///
    /// let source = Source::stream(Cursor::new(b"abc"));
    /// assert!(source.parallel().is_none());
    /// ```
    pub fn parallel(&self) -> Option<Source<File>> {
        match &self.0 {
            Bytes::File(file) => Some(Source(Bytes::File(Arc::clone(file)))),
            Bytes::Stream(_) => None,
        }
    }
}

impl Source<File> {
    /// Creates the source of a file. Where the system cannot read at an offset, the file is locked like a stream.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_zip::Source;
    ///
    /// let source = Source::file(std::fs::File::create("x.zip")?);
    /// assert_eq!(source.parallel().is_some(), cfg!(any(unix, windows)));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn file(file: File) -> Self {
        match cfg!(any(unix, windows)) {
            true => Source(Bytes::File(Arc::new(file))),
            false => Source::stream(file),
        }
    }
}

#[cfg(unix)]
fn read_at(file: &File, out: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, out, at)
}

#[cfg(windows)]
fn read_at(file: &File, out: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, out, at)
}

#[cfg(not(any(unix, windows)))]
fn read_at(mut file: &File, out: &mut [u8], at: u64) -> io::Result<usize> {
    file.seek(SeekFrom::Start(at))?;
    file.read(out)
}

/// Locks a stream. Poisoning is ignored: after a panic, `position` is `None`, so the next reader seeks.
fn lock<R>(stream: &Mutex<Stream<R>>) -> MutexGuard<'_, Stream<R>> {
    stream.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<R: Read + Seek> Stream<R> {
    /// Reads at this position. Seeks only if another reader has moved the stream, because a seek empties the buffer of a `BufReader`.
    fn read_at(&mut self, out: &mut [u8], position: u64) -> io::Result<usize> {
        if self.position.take() != Some(position) {
            self.inner.seek(SeekFrom::Start(position))?;
        }
        let read = self.inner.read(out)?;
        self.position = Some(position.saturating_add(to_u64(read)));
        Ok(read)
    }
}

/// A reader of a [`Source`] with a position of its own.
pub struct Handle<R> {
    source: Arc<Source<R>>,
    position: u64,
}

impl<R> Handle<R> {
    /// Creates a handle at the start of the source.
    ///
    /// ```
    /// use std::io::Cursor;
    /// use std::sync::Arc;
    ///
    /// use npy_zip::{Handle, Source};
    ///
    /// let source = Arc::new(Source::stream(Cursor::new(b"abc")));
    /// assert_eq!(std::io::read_to_string(Handle::new(&source))?, "abc");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn new(source: &Arc<Source<R>>) -> Self {
        Handle { source: Arc::clone(source), position: 0 }
    }
}

impl<R> fmt::Debug for Source<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").finish_non_exhaustive()
    }
}

impl<R> fmt::Debug for Handle<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle").field("position", &self.position).finish_non_exhaustive()
    }
}

impl<R: Read + Seek> Read for Handle<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = match &self.source.0 {
            Bytes::File(file) => read_at(file, out, self.position),
            Bytes::Stream(stream) => lock(stream).read_at(out, self.position),
        }?;
        self.position = self.position.saturating_add(to_u64(read));
        Ok(read)
    }
}

impl<R: Read + Seek> Seek for Handle<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match (to, &self.source.0) {
            (SeekFrom::Start(position), _) => Some(position),
            (SeekFrom::Current(by), _) => self.position.checked_add_signed(by),
            // Nothing else uses the position of the file.
            (SeekFrom::End(_), Bytes::File(file)) => Some((&**file).seek(to)?),
            (SeekFrom::End(_), Bytes::Stream(stream)) => {
                let mut stream = lock(stream);
                stream.position = None;
                Some(stream.inner.seek(to)?)
            }
        };
        self.position = position.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    /// Counts its seeks, and fails or panics on request.
    struct Counted {
        inner: Cursor<Vec<u8>>,
        seeks: usize,
        fails_next: bool,
    }

    impl Read for Counted {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let read = self.inner.read(out)?;
            if std::mem::take(&mut self.fails_next) {
                return Err(io::ErrorKind::Interrupted.into());
            }
            Ok(read)
        }
    }

    impl Seek for Counted {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.seeks += 1;
            self.inner.seek(to)
        }
    }

    /// Guards that readers of one stream do not move each other, that a single one causes no seeks, and that a read which failed after
    /// it moved the stream is repeated from the right position.
    #[test]
    fn each_handle_has_its_own_position() {
        let inner = Cursor::new((0..100).collect());
        let source = Arc::new(Source::stream(Counted { inner, seeks: 0, fails_next: false }));
        let stream = || match &source.0 {
            Bytes::Stream(stream) => lock(stream),
            Bytes::File(_) => unreachable!(),
        };
        let next = |handle: &mut Handle<Counted>| {
            let mut bytes = [0; 10];
            handle.read_exact(&mut bytes).unwrap();
            bytes[0]
        };
        let (mut first, mut second) = (Handle::new(&source), Handle::new(&source));
        assert_eq!((next(&mut first), next(&mut first), stream().inner.seeks), (0, 10, 1));
        second.seek(SeekFrom::End(-50)).unwrap();
        assert_eq!((next(&mut second), next(&mut first), next(&mut second)), (50, 20, 60));
        stream().inner.fails_next = true;
        assert_eq!((next(&mut second), next(&mut first)), (70, 30));
        first.seek(SeekFrom::Current(-10)).unwrap();
        assert_eq!(next(&mut first), 30);
        assert!(first.seek(SeekFrom::Current(-1000)).is_err());
    }
}
