//! Archives (`.npz`) in a store: their directory, and the headers of their members, from as few bytes as possible.

use std::collections::BTreeMap;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use datafusion::error::{DataFusionError, Result};
use futures::{StreamExt, TryStreamExt};
use npy_core::{Header, npz};
use object_store::{ObjectMeta, ObjectStore};

use crate::header::{self, Contents, File, Member, Place, located};
use crate::records::REQUEST;

/// The last bytes of an archive that are requested, which usually hold its directory. A smaller archive is requested whole.
const TAIL: u64 = 64 << 10;

/// The bytes that are requested of the header of a member.
const HEAD: u64 = 1024;

/// The headers that are requested at a time.
const AT_ONCE: usize = 16;

/// The requests for compressed members that are under way at a time.
const REQUESTS: usize = 6;

/// The least bytes that are divided between such requests.
const SMALLEST: u64 = 256 << 10;

/// Members with fewer bytes than this between them are one request.
const GAP: u64 = 64 << 10;

/// The largest compressed array that is read. It is in memory while the query runs, once for each file that is read at that time.
const INFLATED: u64 = 1 << 30;

/// The bytes of an archive that have been fetched. It is read like a file; where bytes are missing, a read fails and notes which.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fetched {
    size: u64,
    position: u64,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    /// What all copies have.
    shared: Arc<Parts>,
    /// What this copy has fetched.
    own: Parts,
    missing: Option<u64>,
    /// Where the last reads began that did not go on where one had ended.
    read: Vec<u64>,
    end: u64,
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
    fn with(&self, other: Option<&Fetched>) -> Self {
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
        self.lock().own.insert(range.start, bytes);
        Ok(())
    }

    /// Calls `read`, and fetches what it lacks until it has all.
    async fn complete<T>(
        &self,
        store: &dyn ObjectStore,
        meta: &ObjectMeta,
        read: impl Fn() -> npy_core::Result<T>,
    ) -> Result<T> {
        let mut size = HEAD;
        loop {
            let error = match read() {
                Ok(value) => return Ok(value),
                Err(error) => error,
            };
            let Some(start) = self.lock().missing.take() else { return Err(located(meta, &error)) };
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

/// Reads the directory of an archive and the headers of its members. What was fetched for them is still there.
pub(crate) async fn read(store: &dyn ObjectStore, meta: &ObjectMeta) -> Result<File> {
    let fetched = Fetched::new(meta.size);
    let tail = if meta.size <= 4 * TAIL { 0 } else { meta.size - TAIL };
    if meta.size > 0 {
        fetched.fetch(store, meta, tail..meta.size).await?;
    }
    let open = || {
        fetched.lock().read.clear();
        npz::Reader::new(fetched.clone())
    };
    let archive = fetched.complete(store, meta, open).await?;
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
        let (header, entry, stored) = fetched.complete(store, meta, read).await?;
        let place = match stored {
            Some(range) => Place::At(data_start(fetched, store, meta, range.start).await?),
            // The next member is its end.
            None => Place::Packed(entry..directory),
        };
        let array = header::array(&header);
        let array = array.map_err(|reason| located(meta, &format!("{name}: {reason}")))?;
        if header.shape().is_empty() {
            return Err(located(meta, &format!("{name}: a single value has no rows")));
        }
        Ok((Member { name: name.to_owned(), dtype: array.dtype, place }, array.rows, entry))
    };
    let members: Vec<(Member, u64, u64)> =
        futures::stream::iter(names).map(member).boxed().buffered(AT_ONCE).try_collect().await?;
    let rows = members.first().map_or(0, |(_, rows, _)| *rows);
    if let Some((member, other, _)) = members.iter().find(|(_, other, _)| *other != rows) {
        let reason = format!(
            "{0}: it has {other} rows, and the members before it {rows}; the members of an archive are the columns of one table: the command `npy convert x.npz::{0} {0}.npy` makes a file of one",
            member.name
        );
        return Err(located(meta, &reason));
    }
    let mut starts: Vec<u64> = members.iter().map(|(_, _, entry)| *entry).collect();
    starts.sort_unstable();
    let bounded = |(mut member, ..): (Member, u64, u64)| {
        if let Place::Packed(range) = &mut member.place {
            let next = starts.partition_point(|start| *start <= range.start);
            range.end = starts.get(next).copied().unwrap_or(range.end);
        }
        member
    };
    let members = members.into_iter().map(bounded).collect();
    let contents = Contents::Members { members, directory: fetched.directory(directory) };
    Ok(File { rows, contents, fetched: Some(fetched.fork()) })
}

/// Returns the position after the header that begins here.
async fn data_start(
    fetched: &Fetched,
    store: &dyn ObjectStore,
    meta: &ObjectMeta,
    start: u64,
) -> Result<u64> {
    let length = fetched.complete(store, meta, || {
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

/// Reads the compressed arrays of an archive.
pub(crate) struct Inflater<'a> {
    store: &'a dyn ObjectStore,
    meta: &'a ObjectMeta,
    fetched: Fetched,
    archive: npz::Reader<Fetched>,
}

impl<'a> Inflater<'a> {
    /// Opens an archive by its directory. What was fetched with it is not requested again.
    pub(crate) async fn new(
        directory: &Fetched,
        fetched: Option<&Fetched>,
        store: &'a dyn ObjectStore,
        meta: &'a ObjectMeta,
    ) -> Result<Self> {
        let fetched = directory.with(fetched);
        fetched.lock().is_opening = true;
        let archive = fetched.complete(store, meta, || npz::Reader::new(fetched.clone())).await?;
        fetched.lock().is_opening = false;
        Ok(Inflater { store, meta, fetched, archive })
    }

    /// Reads compressed arrays, and returns the rows of each. The next requests are under way while one is inflated.
    pub(crate) async fn read(&self, members: &[&Member], rows: u64) -> Result<Vec<Bytes>> {
        let (store, meta) = (self.store, self.meta);
        for member in members {
            let size = rows.saturating_mul(member.dtype.itemsize() as u64);
            if size > INFLATED {
                let reason = format!(
                    "{}: a compressed array is read whole, and this one has {size} bytes, of at most {INFLATED}; write it without compression, or in several files",
                    member.name
                );
                return Err(located(meta, &reason));
            }
        }
        let mut order: Vec<(usize, &Member, Range<u64>)> = members
            .iter()
            .enumerate()
            .filter_map(|(index, member)| Some((index, *member, member.packed()?)))
            .collect();
        order.sort_by_key(|(_, _, range)| range.start);
        let missing = order.iter().map(|(_, _, range)| range.clone());
        let missing = missing.filter(|range| self.fetched.slice(range).is_none()).collect();
        let get = |range: Range<u64>| async move {
            let bytes = header::get(store, meta, range.clone()).await?;
            Ok::<_, DataFusionError>((range, bytes))
        };
        let mut parts = futures::stream::iter(requests(missing)).map(get).buffered(REQUESTS);
        let (mut inflated, mut fetched_to) = (vec![Bytes::new(); members.len()], 0);
        for (index, member, range) in order {
            while fetched_to < range.end {
                let Some(part) = parts.next().await else { break };
                let (part, bytes) = part?;
                fetched_to = part.end;
                self.fetched.lock().own.insert(part.start, bytes);
            }
            if let Some(slot) = inflated.get_mut(index) {
                *slot = self.inflate(member, rows).await?;
            }
            // What comes before the next member is not needed any more.
            self.fetched.lock().own.0.retain(|start, bytes| start + bytes.len() as u64 > range.end);
        }
        Ok(inflated)
    }

    async fn inflate(&self, member: &Member, rows: u64) -> Result<Bytes> {
        let (store, meta) = (self.store, self.meta);
        let read = || self.archive.read_bytes(&member.name);
        let file = self.fetched.complete(store, meta, read).await?;
        let start = Header::parse(&file).map_err(|error| located(meta, &error))?.1;
        let bytes = Bytes::from(file).slice(start..);
        match bytes.len() as u64 == rows.saturating_mul(member.dtype.itemsize() as u64) {
            true => Ok(bytes),
            false => Err(located(meta, &format!("{}: its header has changed", member.name))),
        }
    }
}

/// Returns the requests for these ranges, which are in order: one for neighbors that are small, and several for what is large.
fn requests(ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    let mut joined: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end + GAP => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    let bytes: u64 = joined.iter().map(|range| range.end - range.start).sum();
    let size = (bytes / REQUESTS as u64 + 1).clamp(SMALLEST, REQUEST);
    let parts = |range: Range<u64>| {
        let starts = range.clone().step_by(usize::try_from(size).unwrap_or(usize::MAX));
        starts.map(move |start| start..range.end.min(start + size))
    };
    joined.into_iter().flat_map(parts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Guards the requests for compressed members: few for small neighbors, and several at once for large ones.
    #[test]
    fn neighbors_are_one_request_and_large_members_several() {
        let of_one = |range: Range<u64>| requests(std::iter::once(range).collect());
        let small = requests((0..30).map(|n| n * 1000..n * 1000 + 990).collect());
        assert_eq!((small.len(), small[0].start, small[0].end), (1, 0, 29_990));
        assert_eq!(requests(vec![0..10, 10 + GAP + 1..GAP + 20]).len(), 2);
        let large = of_one(0..3 << 20);
        assert_eq!(large.len(), REQUESTS);
        assert_eq!((large[0].start, large[5].end), (0, 3 << 20));
        let huge = of_one(7..(1 << 30) + 7);
        assert!(huge.iter().all(|range| range.end - range.start <= REQUEST));
        assert!(huge.windows(2).all(|pair| pair[0].end == pair[1].start));
    }
}
