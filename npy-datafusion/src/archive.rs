//! Archives (`.npz`) in a store: their directory, and the headers of their members, from as few bytes as possible.

use std::collections::BTreeMap;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use datafusion::error::Result;
use futures::{StreamExt, TryStreamExt};
use npy_core::{Header, npz};
use object_store::{ObjectMeta, ObjectStore};

use crate::header::{self, Contents, File, Member, Place, STRIDED, located};

/// The last bytes of an archive that are requested, which usually hold its directory. A smaller archive is requested whole.
const TAIL: u64 = 64 << 10;

/// The bytes that are requested of the header of a member.
pub(crate) const HEAD: u64 = 1024;

/// The headers that are requested at a time.
const AT_ONCE: usize = 16;

/// The way to the other members of an archive that is no table.
const ALONE: &str = "the members of an archive are the columns of one table: the command `npy convert x.npz::NAME NAME.npy` makes a file of one";

/// The bytes of an archive that have been fetched. It is read like a file; where bytes are missing, a read fails and notes which.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fetched {
    size: u64,
    position: u64,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    /// The part that all copies share.
    shared: Arc<Parts>,
    /// The bytes that this copy has fetched.
    own: Parts,
    missing: Option<u64>,
    /// The positions of the last reads that did not continue an earlier one.
    read: Vec<u64>,
    end: u64,
    /// The number of bytes that this copy has requested.
    requested: usize,
    /// True while the directory is read: bytes before it, in which the end record is searched, are then zeros.
    is_opening: bool,
}

/// Parts of a file by their positions.
#[derive(Clone, Debug, Default)]
struct Parts(BTreeMap<u64, Bytes>);

impl Parts {
    /// Returns the bytes from this position to the end of the part that has it.
    fn get(&self, position: u64) -> Option<&[u8]> {
        let (start, part) = self.0.range(..=position).next_back()?;
        let at = usize::try_from(position - start).ok()?;
        part.get(at..).filter(|rest| !rest.is_empty())
    }

    /// Adds bytes, and removes parts within them.
    fn insert(&mut self, start: u64, bytes: Bytes) {
        let end = start + bytes.len() as u64;
        self.0.retain(|at, part| *at < start || at + part.len() as u64 > end);
        self.0.insert(start, bytes);
    }

    /// Returns the position of the first part after this position.
    fn next(&self, position: u64) -> Option<u64> {
        self.0.range(position..).next().map(|(start, _)| *start)
    }

    /// Returns these bytes, if one part has all of them.
    fn slice(&self, range: &Range<u64>) -> Option<Bytes> {
        let (start, part) = self.0.range(..=range.start).next_back()?;
        let from = usize::try_from(range.start - start).ok()?;
        let to = usize::try_from(range.end.checked_sub(*start)?).ok()?;
        (from <= to && to <= part.len()).then(|| part.slice(from..to))
    }

    fn memory(&self) -> usize {
        // A node of a map has 11 entries.
        let nodes = self.0.len().div_ceil(11) * 11 * size_of::<(u64, Bytes)>();
        nodes + self.0.values().map(Bytes::len).sum::<usize>()
    }
}

impl Fetched {
    fn new(size: u64) -> Self {
        Fetched { size, position: 0, state: Arc::default() }
    }

    /// Returns a file of this size whose first bytes were fetched.
    pub(crate) fn of_start(size: u64, bytes: Bytes) -> Self {
        let fetched = Fetched::new(size);
        fetched.lock().own.insert(0, bytes);
        fetched
    }

    /// Returns a copy. What one of the two fetches later, the other does not have.
    fn fork(&self) -> Self {
        let mut state = self.lock();
        if !state.own.0.is_empty() {
            let mut own = std::mem::take(&mut state.own.0);
            Arc::make_mut(&mut state.shared).0.append(&mut own);
        }
        let state = State { shared: Arc::clone(&state.shared), ..State::default() };
        Fetched { size: self.size, position: 0, state: Arc::new(Mutex::new(state)) }
    }

    /// Returns these bytes, if they were fetched at once.
    pub(crate) fn slice(&self, range: &Range<u64>) -> Option<Bytes> {
        let state = self.lock();
        state.own.slice(range).or_else(|| state.shared.slice(range))
    }

    /// Returns a copy that has nothing but the directory, which begins here.
    fn directory(&self, start: u64) -> Self {
        let mut parts = Parts::default();
        for range in [0..4, start..self.size] {
            // A copy: a slice would keep all that was fetched with it.
            let bytes = self.slice(&range).map(|bytes| Bytes::copy_from_slice(&bytes));
            parts.0.extend(bytes.map(|bytes| (range.start, bytes)));
        }
        let state = State { shared: Arc::new(parts), ..State::default() };
        Fetched { size: self.size, position: 0, state: Arc::new(Mutex::new(state)) }
    }

    /// Returns a copy that also has what another one has fetched.
    pub(crate) fn with(&self, other: Option<&Fetched>) -> Self {
        let copy = self.fork();
        if let Some(other) = other {
            let other = other.lock();
            copy.lock().own.0.extend(other.shared.0.clone());
            copy.lock().own.0.extend(other.own.0.clone());
        }
        copy
    }

    pub(crate) fn memory(&self) -> usize {
        let state = self.lock();
        size_of::<State>() + state.shared.memory() + state.own.memory()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn fetch(
        &self,
        store: &dyn ObjectStore,
        meta: &ObjectMeta,
        range: Range<u64>,
    ) -> Result<()> {
        let range = range.start..range.end.min(self.size);
        let bytes = header::get(store, meta, range.clone()).await?;
        let mut state = self.lock();
        state.requested += bytes.len();
        state.own.insert(range.start, bytes);
        Ok(())
    }

    /// Returns the number of bytes that were requested since the last call.
    pub(crate) fn take_requested(&self) -> usize {
        std::mem::take(&mut self.lock().requested)
    }

    /// Adds bytes that were requested.
    pub(crate) fn insert(&self, start: u64, bytes: Bytes) {
        self.lock().own.insert(start, bytes);
    }

    /// Frees the bytes before this position that this copy has fetched.
    pub(crate) fn remove_before(&self, position: u64) {
        self.lock().own.0.retain(|start, bytes| start + bytes.len() as u64 > position);
    }

    /// Returns the position after the last bytes that were read.
    pub(crate) fn read_to(&self) -> u64 {
        self.lock().end
    }

    /// Returns true if the last read has failed because its bytes were not fetched.
    pub(crate) fn take_missing(&self) -> bool {
        self.lock().missing.take().is_some()
    }

    /// Opens the archive, whose directory this has.
    pub(crate) async fn open(
        &self,
        store: &dyn ObjectStore,
        meta: &ObjectMeta,
    ) -> Result<npz::Reader<Fetched>> {
        self.lock().is_opening = true;
        let archive = self.complete(store, meta, HEAD, || npz::Reader::new(self.clone())).await;
        self.lock().is_opening = false;
        archive
    }

    /// Calls `read`, and fetches what it lacks until it has all: at first this many bytes.
    pub(crate) async fn complete<T>(
        &self,
        store: &dyn ObjectStore,
        meta: &ObjectMeta,
        mut size: u64,
        read: impl Fn() -> npy_core::Result<T>,
    ) -> Result<T> {
        loop {
            let error = match read() {
                Ok(value) => return Ok(value),
                Err(error) => error,
            };
            let Some(start) = self.lock().missing.take() else {
                return Err(located(store, meta, &error));
            };
            self.fetch(store, meta, start..start.saturating_add(size)).await?;
            // Few requests for what is large, and few bytes for what is small.
            size = size.saturating_mul(4);
        }
    }
}

impl Read for Fetched {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() || self.position >= self.size {
            return Ok(0);
        }
        let mut state = self.lock();
        let found = state.own.get(self.position).or_else(|| state.shared.get(self.position));
        let count = match found {
            Some(found) => {
                let count = found.len().min(out.len());
                out.iter_mut().zip(found).for_each(|(to, from)| *to = *from);
                count
            }
            None if state.is_opening => {
                let next = state.shared.next(self.position).unwrap_or(self.size) - self.position;
                let count = usize::try_from(next).unwrap_or(usize::MAX).min(out.len());
                out.iter_mut().take(count).for_each(|to| *to = 0);
                count
            }
            None => {
                state.missing = Some(self.position);
                return Err(io::Error::other("these bytes were not fetched"));
            }
        };
        if state.read.is_empty() || state.end != self.position {
            state.read.push(self.position);
        }
        let end = self.position + count as u64;
        state.end = end;
        drop(state);
        self.position = end;
        Ok(count)
    }
}

impl Seek for Fetched {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::Current(by) => self.position.checked_add_signed(by),
            SeekFrom::End(by) => self.size.checked_add_signed(by),
        };
        self.position = position.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

/// Opens an archive; what was fetched for that is there, too.
async fn opened(
    store: &dyn ObjectStore,
    meta: &ObjectMeta,
) -> Result<(npz::Reader<Fetched>, Fetched)> {
    let fetched = Fetched::new(meta.size);
    let tail = if meta.size <= 4 * TAIL { 0 } else { meta.size - TAIL };
    if meta.size > 0 {
        fetched.fetch(store, meta, tail..meta.size).await?;
    }
    let open = || {
        fetched.lock().read.clear();
        npz::Reader::new(fetched.clone())
    };
    let archive = fetched.complete(store, meta, HEAD, open).await?;
    Ok((archive, fetched))
}

/// Returns the names of the members of an archive. A file that does not begin with `PK` has none.
pub(crate) async fn names(store: &dyn ObjectStore, meta: &ObjectMeta) -> Result<Vec<String>> {
    if meta.size < 4 || !header::get(store, meta, 0..4).await?.starts_with(b"PK") {
        return Ok(Vec::new());
    }
    let (archive, _) = opened(store, meta).await?;
    Ok(archive.names().map(str::to_owned).collect())
}

/// Reads the directory of an archive and the headers of its members. What was fetched for them is still there.
pub(crate) async fn read(store: &dyn ObjectStore, meta: &ObjectMeta) -> Result<File> {
    let (archive, fetched) = opened(store, meta).await?;
    // The directory is read last, after its end.
    let directory = fetched.lock().read.last().copied().unwrap_or(meta.size);
    let (archive, fetched) = (&archive, &fetched);
    let names: Vec<String> = archive.names().map(str::to_owned).collect();
    let member = |name: String| async move {
        let name = &*name;
        let read = || {
            fetched.lock().read.clear();
            let header = archive.header(name)?;
            // It begins with the entry of the member.
            let entry = fetched.lock().read.first().copied().unwrap_or_default();
            Ok((header, entry, archive.stored_range(name)?))
        };
        let (header, entry, stored) = fetched.complete(store, meta, HEAD, read).await?;
        let array = header::array(&header);
        let refused = |reason: &str| located(store, meta, &format!("{name}: {reason}; {ALONE}"));
        let array = array.map_err(|reason| refused(&reason))?;
        let place = match (stored, array.columns) {
            (Some(range), columns) => {
                let start = data_start(fetched, store, meta, range.start).await?;
                columns.map_or(Place::At(start), |order| Place::Columns { start, order })
            }
            (None, Some(_)) => {
                let reason =
                    format!("{name}: the array is compressed and in Fortran order, {STRIDED}");
                return Err(located(store, meta, &reason));
            }
            // The next member is its end.
            (None, None) => Place::Packed { range: entry..directory, index: Arc::default() },
        };
        if header.shape().is_empty() {
            return Err(refused("a single value has no rows"));
        }
        let (name, dtype) = (name.to_owned(), array.dtype);
        Ok((Member { name, dtype, place, file: None }, array.rows, entry))
    };
    let members: Vec<(Member, u64, u64)> =
        futures::stream::iter(names).map(member).boxed().buffered(AT_ONCE).try_collect().await?;
    let rows = members.first().map_or(0, |(_, rows, _)| *rows);
    if let Some((member, other, _)) = members.iter().find(|(_, other, _)| *other != rows) {
        let reason = format!(
            "{}: it has {other} rows, and the members before it {rows}; {ALONE}",
            member.name
        );
        return Err(located(store, meta, &reason));
    }
    let mut starts: Vec<u64> = members.iter().map(|(_, _, entry)| *entry).collect();
    starts.sort_unstable();
    let bounded = |(mut member, ..): (Member, u64, u64)| {
        if let Place::Packed { range, .. } = &mut member.place {
            let next = starts.partition_point(|start| *start <= range.start);
            range.end = starts.get(next).copied().unwrap_or(range.end);
        }
        member
    };
    let members = members.into_iter().map(bounded).collect();
    let contents = Contents::Members { members, directory: fetched.directory(directory) };
    Ok(File { rows, contents, fetched: Some(fetched.fork()), is_single: false })
}

/// Returns the position after the header that begins here.
async fn data_start(
    fetched: &Fetched,
    store: &dyn ObjectStore,
    meta: &ObjectMeta,
    start: u64,
) -> Result<u64> {
    let length = fetched.complete(store, meta, HEAD, || {
        let mut file = fetched.clone();
        file.seek(SeekFrom::Start(start))?;
        let mut head = vec![0; 12];
        loop {
            file.read_exact(head.get_mut(..).unwrap_or_default())?;
            match Header::needed(&head) {
                Some(needed) if needed > head.len() => head.resize(needed, 0),
                _ => return Ok(Header::parse(&head)?.1),
            }
            file.seek(SeekFrom::Start(start))?;
        }
    });
    Ok(start + length.await? as u64)
}
