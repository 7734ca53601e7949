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

use crate::header::{self, Contents, File, Member, located};

/// The last bytes of an archive that are requested, which usually hold its directory. A smaller archive is requested whole.
const TAIL: u64 = 64 << 10;

/// The bytes that are requested of the header of a member.
const HEAD: u64 = 1024;

/// The headers that are requested at a time.
const AT_ONCE: usize = 16;

/// The largest compressed array that is read. It is in memory while the query runs, once for each file that is read at that time.
const INFLATED: u64 = 1 << 30;

/// The bytes of an archive that have been fetched. It is read like a file; where bytes are missing, a read fails and notes which.
#[derive(Clone, Debug)]
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

    fn memory(&self) -> usize {
        self.0.values().map(Bytes::len).sum()
    }
}

impl Fetched {
    fn new(size: u64) -> Self {
        Fetched { size, position: 0, state: Arc::default() }
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

    pub(crate) fn memory(&self) -> usize {
        let state = self.lock();
        state.shared.memory() + state.own.memory()
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
        self.lock().own.0.insert(range.start, bytes);
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
        let Some(found) = found else {
            state.missing = Some(self.position);
            return Err(io::Error::other("these bytes were not fetched"));
        };
        let count = found.len().min(out.len());
        out.iter_mut().zip(found).for_each(|(to, from)| *to = *from);
        drop(state);
        self.position += count as u64;
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

/// Reads the directory of an archive and the headers of its members.
pub(crate) async fn read(store: &dyn ObjectStore, meta: &ObjectMeta) -> Result<File> {
    let fetched = Fetched::new(meta.size);
    let tail = if meta.size <= 4 * TAIL { 0 } else { meta.size - TAIL };
    if meta.size > 0 {
        fetched.fetch(store, meta, tail..meta.size).await?;
    }
    let archive = fetched.complete(store, meta, || npz::Reader::new(fetched.clone())).await?;
    let (archive, fetched) = (&archive, &fetched);
    let names: Vec<String> = archive.names().map(str::to_owned).collect();
    let member = |name: String| async move {
        let name = &*name;
        let header = fetched.complete(store, meta, || archive.header(name)).await?;
        let range = fetched.complete(store, meta, || archive.stored_range(name)).await?;
        let start = match range {
            Some(range) => Some(data_start(fetched, store, meta, range.start).await?),
            None => None,
        };
        let array = header::array(&header);
        let array = array.map_err(|reason| located(meta, &format!("{name}: {reason}")))?;
        if header.shape().is_empty() {
            return Err(located(meta, &format!("{name}: a single value has no rows")));
        }
        Ok((Member { name: name.to_owned(), dtype: array.dtype, start }, array.rows))
    };
    let members: Vec<(Member, u64)> =
        futures::stream::iter(names).map(member).boxed().buffered(AT_ONCE).try_collect().await?;
    let rows = members.first().map_or(0, |(_, rows)| *rows);
    if let Some((member, other)) = members.iter().find(|(_, other)| *other != rows) {
        let reason =
            format!("{}: it has {other} rows, and the members before it {rows}", member.name);
        return Err(located(meta, &reason));
    }
    let members = members.into_iter().map(|(member, _)| member).collect();
    Ok(File { rows, contents: Contents::Members { members, fetched: fetched.fork() } })
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
    pub(crate) async fn new(
        fetched: &Fetched,
        store: &'a dyn ObjectStore,
        meta: &'a ObjectMeta,
    ) -> Result<Self> {
        let fetched = fetched.fork();
        let archive = fetched.complete(store, meta, || npz::Reader::new(fetched.clone())).await?;
        Ok(Inflater { store, meta, fetched, archive })
    }

    /// Reads a compressed array, and returns its rows.
    pub(crate) async fn read(&self, member: &Member, rows: u64) -> Result<Bytes> {
        let (store, meta) = (self.store, self.meta);
        let size = rows.saturating_mul(member.dtype.itemsize() as u64);
        if size > INFLATED {
            let reason = format!(
                "{}: a compressed array is read whole, and this one has {size} bytes, of at most {INFLATED}; write it without compression, or in several files",
                member.name
            );
            return Err(located(meta, &reason));
        }
        let read = || self.archive.read_bytes(&member.name);
        let file = self.fetched.complete(store, meta, read).await;
        // The compressed bytes are not needed any more.
        self.fetched.lock().own = Parts::default();
        let file = file?;
        let start = Header::parse(&file).map_err(|error| located(meta, &error))?.1;
        let bytes = Bytes::from(file).slice(start..);
        match bytes.len() as u64 == size {
            true => Ok(bytes),
            false => Err(located(meta, &format!("{}: its header has changed", member.name))),
        }
    }
}
