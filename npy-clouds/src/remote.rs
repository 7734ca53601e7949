//! A file at a URL, as a reader that waits for its store.
//!
//! Few bytes are requested after a seek, and more each time that the program reads on; then the next block is requested before it is needed. Small
//! blocks are kept, so that a file that is opened again is not requested again: its start, and the directory of an archive.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use bytes::Bytes;
use object_store::path::Path;
use object_store::{Error, GetOptions, GetRange, ObjectMeta, ObjectStore};
use tokio::runtime::{Builder, Handle};
use tokio::task::JoinHandle;
use url::{Position, Url};

use crate::{Cloud, advice, made};

/// The bytes of a request after a seek.
const FIRST: u64 = 1 << 16;

/// The most bytes of the end of an archive: a comment, and the end records before it.
const END: u64 = FIRST + 128;

/// The factor by which the requests of a program that reads on grow.
const GROWTH: u64 = 4;

/// The bytes of a request from which on the next block is requested, too.
const AHEAD_FROM: u64 = 1 << 20;

/// The most bytes of a request.
const MOST: u64 = 4 << 20;

/// The number of small blocks that are kept.
const KEPT: usize = 16;

/// A file at a URL, which requests read in blocks of up to 4 MiB.
///
/// Its clones are readers of the same version of the file. A file that another program replaces is an error when it is read.
///
/// ```no_run
/// use std::io::{Read, Seek, SeekFrom};
///
/// let mut file = npy_clouds::RemoteFile::open("s3://bucket/dir/x.npy")?;
/// let mut bytes = [0; 8];
/// file.seek(SeekFrom::Start(128))?;
/// file.read_exact(&mut bytes)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct RemoteFile {
    shared: Arc<Shared>,
    position: u64,
    /// The block that was read last.
    window: Block,
    /// The bytes of the last request.
    step: u64,
    /// The block after the window.
    next: Option<Pending>,
}

/// The file of several readers.
struct Shared {
    store: Arc<dyn ObjectStore>,
    location: Path,
    /// The size and the version.
    meta: ObjectMeta,
    runtime: Handle,
    kept: Mutex<VecDeque<Block>>,
}

/// Bytes of a file, and their position.
#[derive(Clone, Default)]
struct Block {
    start: u64,
    bytes: Bytes,
}

/// A block that was requested.
struct Pending {
    range: Range<u64>,
    answer: Receiver<object_store::Result<Bytes>>,
    task: JoinHandle<()>,
}

impl RemoteFile {
    /// Opens the file at a URL, by a request for its first bytes. The store takes the usual environment variables.
    ///
    /// ```
    /// let error = npy_clouds::RemoteFile::open("ftp://host/x.npy").unwrap_err();
    /// assert!(error.to_string().starts_with("there is no store for ftp://"));
    /// ```
    ///
    /// # Errors
    ///
    /// Wrong URLs, missing credentials and files, and servers that do not answer. The message says what to do, and does not have the URL.
    pub fn open(url: &str) -> io::Result<Self> {
        let (store, location) = located(url).map_err(io::Error::other)?;
        let runtime = runtime()?;
        let first = get(Arc::clone(&store), location.clone(), 0..FIRST, None);
        let (sender, answer) = mpsc::channel();
        runtime.spawn(async move {
            // Nobody may wait for it any more.
            let _ = sender.send(first.await);
        });
        let (meta, bytes) = received(&answer)?;
        let kept = Mutex::new(VecDeque::from([Block { start: 0, bytes }]));
        Ok(RemoteFile::of(Arc::new(Shared { store, location, meta, runtime, kept })))
    }

    fn of(shared: Arc<Shared>) -> Self {
        let step = FIRST / GROWTH;
        RemoteFile { shared, position: 0, window: Block::default(), step, next: None }
    }

    /// Returns the number of bytes of the file.
    ///
    /// ```no_run
    /// let file = npy_clouds::RemoteFile::open("https://host/x.npy")?;
    /// println!("{} bytes", file.size());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn size(&self) -> u64 {
        self.shared.meta.size
    }

    /// Returns the block that has the next bytes. The program needs `wanted` of them.
    fn block(&mut self, wanted: usize) -> io::Result<Block> {
        let (at, size) = (self.position, self.size());
        let reads_on = at == self.window.end();
        let grown = if reads_on { self.step.saturating_mul(GROWTH) } else { FIRST };
        let wanted = u64::try_from(wanted).unwrap_or(MOST);
        self.step = grown.max(wanted).min(MOST);
        let requested = match self.next.take().filter(|next| next.range.contains(&at)) {
            Some(next) => next,
            None => {
                if let Some(block) = self.shared.kept_at(at) {
                    return Ok(block);
                }
                // The end of an archive is searched backwards.
                let is_end = !reads_on && size.saturating_sub(at) <= END;
                let range = match is_end {
                    true => size.saturating_sub(END)..size,
                    false => at..at.saturating_add(self.step).min(size),
                };
                Pending::start(&self.shared, range)
            }
        };
        let end = requested.range.end;
        if reads_on && self.step >= AHEAD_FROM && end < size {
            let range = end..end.saturating_add(MOST).min(size);
            self.next = Some(Pending::start(&self.shared, range));
        }
        let block = requested.wait()?;
        self.shared.keep(&block);
        Ok(block)
    }
}

/// The clone reads from the start of the file.
impl Clone for RemoteFile {
    fn clone(&self) -> Self {
        RemoteFile::of(Arc::clone(&self.shared))
    }
}

impl fmt::Debug for RemoteFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let location = &self.shared.location;
        f.debug_struct("RemoteFile").field("location", location).finish_non_exhaustive()
    }
}

impl Read for RemoteFile {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() || self.position >= self.size() {
            return Ok(0);
        }
        if self.window.from(self.position).is_empty() {
            self.window = self.block(out.len())?;
        }
        let count = self.window.from(self.position).read(out)?;
        self.position = self.position.saturating_add(count as u64);
        Ok(count)
    }
}

impl Seek for RemoteFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::Current(by) => self.position.checked_add_signed(by),
            SeekFrom::End(by) => self.size().checked_add_signed(by),
        };
        self.position = position.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

impl Shared {
    fn kept(&self) -> MutexGuard<'_, VecDeque<Block>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kept_at(&self, position: u64) -> Option<Block> {
        self.kept().iter().find(|block| !block.from(position).is_empty()).cloned()
    }

    fn keep(&self, block: &Block) {
        if block.bytes.len() as u64 > END {
            return;
        }
        let mut kept = self.kept();
        // The first one is the start of the file.
        if kept.len() == KEPT {
            kept.remove(1);
        }
        kept.push_back(block.clone());
    }
}

impl Block {
    fn end(&self) -> u64 {
        self.start.saturating_add(self.bytes.len() as u64)
    }

    /// Returns the bytes from a position of the file on; none if it is not in the block.
    fn from(&self, position: u64) -> &[u8] {
        let offset =
            position.checked_sub(self.start).and_then(|offset| usize::try_from(offset).ok());
        offset.and_then(|offset| self.bytes.get(offset..)).unwrap_or_default()
    }
}

impl Pending {
    fn start(shared: &Arc<Shared>, range: Range<u64>) -> Self {
        let (sender, answer) = mpsc::channel();
        let (own, wanted) = (Arc::clone(shared), range.clone());
        let task = shared.runtime.spawn(async move {
            let (store, location) = (Arc::clone(&own.store), own.location.clone());
            let found = get(store, location, wanted, Some(&own.meta)).await;
            // Nobody may wait for it any more.
            let _ = sender.send(found.map(|(_, bytes)| bytes));
        });
        Pending { range, answer, task }
    }

    fn wait(self) -> io::Result<Block> {
        let bytes = received(&self.answer)?;
        Ok(Block { start: self.range.start, bytes })
    }
}

/// A block that nobody needs is not received to its end.
impl Drop for Pending {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Waits for an answer.
fn received<T>(answer: &Receiver<object_store::Result<T>>) -> io::Result<T> {
    let ended = |_| io::Error::other("the request has ended without an answer; run it again");
    answer.recv().map_err(ended)?.map_err(|error| {
        let kind = match error {
            Error::NotFound { .. } => io::ErrorKind::NotFound,
            _ => io::ErrorKind::Other,
        };
        io::Error::new(kind, advice::unnamed(&error))
    })
}

/// Requests a range of a file, which is an error if it is not the version that is known.
async fn get(
    store: Arc<dyn ObjectStore>,
    location: Path,
    range: Range<u64>,
    known: Option<&ObjectMeta>,
) -> object_store::Result<(ObjectMeta, Bytes)> {
    let tag = known.and_then(|known| known.e_tag.clone());
    let options = GetOptions {
        range: Some(GetRange::Bounded(range)),
        // No weak tag matches.
        if_match: tag.filter(|tag| !tag.starts_with("W/")),
        ..GetOptions::default()
    };
    let result = store.get_opts(&location, options).await?;
    let meta = result.meta.clone();
    // Some servers do not compare tags.
    let is_same = |known: &ObjectMeta| {
        let is_same = |meta: &ObjectMeta| (meta.size, meta.e_tag.clone());
        let has_tag = known.e_tag.is_some();
        is_same(known) == is_same(&meta) && (has_tag || known.last_modified == meta.last_modified)
    };
    if !known.is_none_or(is_same) {
        let source = "another program has written it meanwhile; run it again".into();
        return Err(Error::Precondition { path: location.to_string(), source });
    }
    Ok((meta, result.bytes().await?))
}

/// Returns the store of a URL, and the position of the file in it.
fn located(text: &str) -> Result<(Arc<dyn ObjectStore>, Path), String> {
    let url = Url::parse(text)
        .map_err(|error| format!("is not a URL ({error}); write one like s3://bucket/dir/x.npy"))?;
    let scheme = url.scheme();
    let Some(cloud) = Cloud::of(scheme) else {
        return Err(format!(
            "there is no store for {scheme}://; there are s3, gs, az, abfs, http and https"
        ));
    };
    let escape = |sign, code| {
        format!(
            "a {sign} ends the path of a URL; write it as {code} if it is in the name of the file"
        )
    };
    if url.fragment().is_some() {
        return Err(escape('#', "%23"));
    }
    if url.path().ends_with('/') || url.path().is_empty() {
        return Err("is the URL of a directory; name a file in it".into());
    }
    if cloud != Cloud::Http {
        if url.query().is_some() {
            return Err(escape('?', "%3F"));
        }
        let root = &url[..Position::BeforePath];
        let location = Path::from_url_path(url.path()).map_err(|error| error.to_string())?;
        return Ok((made(cloud, root, root)?, location));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("names and passwords are not sent to servers; name a file that needs none, or download it first".into());
    }
    // The address is that of the file, with its query, which may be a signature.
    let name = &url[..Position::AfterPath];
    Ok((made(cloud, url.as_str(), name)?, Path::default()))
}

/// Returns the runtime of all readers, which a thread of its own runs.
fn runtime() -> io::Result<Handle> {
    static RUNTIME: OnceLock<Handle> = OnceLock::new();
    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime.clone());
    }
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let handle = runtime.handle().clone();
    std::thread::Builder::new()
        .name("npy-clouds".into())
        .spawn(move || runtime.block_on(std::future::pending::<()>()))?;
    // Another thread may have been faster; then both run.
    Ok(RUNTIME.get_or_init(|| handle).clone())
}
