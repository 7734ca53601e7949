//! Compressed members of archives. Of one with a seek index, only the chunks with the rows of a query are fetched and inflated. Others are inflated
//! from their start: small ones as a whole, large ones a part at a time.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use datafusion::common::internal_datafusion_err;
use datafusion::error::{DataFusionError, Result};
use datafusion::physical_plan::metrics::Count;
use futures::future::try_join_all;
use futures::{StreamExt, TryStreamExt, stream};
use npy_core::npz::Chunk;
use npy_core::{ErrorKind, Header, npz};
use object_store::{ObjectMeta, ObjectStore};

use crate::archive::{Fetched, HEAD};
use crate::columns::Selected;
use crate::header::{self, Member, Place, located};
use crate::member_stream::MemberStream;
use crate::records::REQUEST;

/// The requests for compressed members that are under way at a time.
const REQUESTS: usize = 6;

/// The seek indexes that are read at a time.
const INDEXES: usize = 16;

/// The least bytes that are divided between such requests.
const SMALLEST: u64 = 256 << 10;

/// Members with fewer bytes than this between them are one request.
const GAP: u64 = 64 << 10;

/// A member of at most this many bytes is inflated as a whole, as a chunk of a seek index may be.
pub(crate) const WHOLE: u64 = 1 << 20;

/// The least bytes of the columns of a query that a part of an archive has. At its ends, it inflates chunks that the parts next to it inflate, too.
const PART: u64 = 16 << 20;

/// A file, as bytes.
#[derive(Clone)]
pub(crate) struct Origin {
    pub(crate) store: Arc<dyn ObjectStore>,
    pub(crate) meta: ObjectMeta,
    /// The bytes that were fetched with the headers.
    pub(crate) fetched: Option<Fetched>,
    pub(crate) bytes_read: Count,
    /// True if it is a file of this machine.
    pub(crate) is_local: bool,
}

impl Origin {
    /// Requests these bytes, unless they were fetched before.
    pub(crate) async fn get(&self, range: Range<u64>) -> Result<Bytes> {
        let bytes = match self.fetched.as_ref().and_then(|fetched| fetched.slice(&range)) {
            Some(bytes) => bytes,
            None => header::get(&*self.store, &self.meta, range).await?,
        };
        self.bytes_read.add(bytes.len());
        Ok(bytes)
    }

    pub(crate) fn error(&self, name: &str, reason: &dyn std::fmt::Display) -> DataFusionError {
        located(&*self.store, &self.meta, &format!("{name}: {reason}"))
    }
}

/// The chunks of a compressed member.
#[derive(Debug)]
pub(crate) struct Index {
    /// At least one.
    chunks: Vec<Chunk>,
    row_size: u64,
}

impl Index {
    /// Returns the numbers of the chunks that have these bytes of the data.
    fn within(&self, bytes: &Range<u64>) -> Range<usize> {
        let start = self.chunks.partition_point(|chunk| chunk.data_range().end <= bytes.start);
        let end = self.chunks.partition_point(|chunk| chunk.data_range().start < bytes.end);
        start..end.max(start)
    }

    fn bytes_of(&self, rows: &Range<u64>) -> Range<u64> {
        rows.start * self.row_size..rows.end * self.row_size
    }

    /// Returns the chunks that have these rows, but none of the row before them, if `is_continued`.
    pub(crate) fn of_rows(&self, rows: &Range<u64>, is_continued: bool) -> Range<usize> {
        let bytes = self.bytes_of(rows);
        let mut chunks = self.within(&bytes);
        if is_continued {
            let starts =
                self.chunks.partition_point(|chunk| chunk.data_range().start < bytes.start);
            chunks.start = starts.clamp(chunks.start, chunks.end);
        }
        chunks
    }

    /// Returns the chunks that have the rows of a block that were selected, in order.
    pub(crate) fn of_selected<'a>(
        &self,
        batches: impl Iterator<Item = (Range<u64>, &'a Selected)>,
    ) -> Vec<usize> {
        let mut chunks = Vec::new();
        let mut add = |rows: Range<u64>| {
            let bytes = self.bytes_of(&rows);
            let is_in_last = chunks.last().and_then(|&last| self.chunks.get(last));
            if is_in_last.is_some_and(|last: &Chunk| last.data_range().end >= bytes.end) {
                return;
            }
            let from = chunks.last().map_or(0, |last| last + 1);
            let found = self.within(&bytes);
            chunks.extend(found.start.max(from)..found.end);
        };
        for (batch, selected) in batches {
            match selected {
                Selected::None => {}
                Selected::All => add(batch),
                Selected::Rows(rows) => {
                    let rows = rows.iter().map(|&row| batch.start + u64::from(row));
                    rows.for_each(|row| add(row..row + 1));
                }
            }
        }
        chunks
    }

    /// Returns the position in the file of neighboring chunks.
    pub(crate) fn range_of(&self, chunks: &Range<usize>) -> Range<u64> {
        let chunks = self.chunks.get(chunks.clone()).unwrap_or_default();
        let start = chunks.first().map_or(0, |chunk| chunk.range().start);
        start..chunks.last().map_or(start, |chunk| chunk.range().end)
    }

    /// Returns the rows that begin a part of the file: of some chunks, the first row that begins in it. A row of the query has `row_size` bytes.
    fn starts(&self, row_size: u64) -> impl Iterator<Item = u64> {
        let bytes = self.chunks.first().map_or(1, |chunk| {
            let data = chunk.data_range();
            (data.end - data.start).max(1)
        });
        let raw = (bytes / self.row_size.max(1)).max(1).saturating_mul(row_size).max(1);
        let step = usize::try_from(PART.div_ceil(raw)).unwrap_or(usize::MAX);
        let first_row = |chunk: &Chunk| chunk.data_range().start.div_ceil(self.row_size.max(1));
        self.chunks.iter().step_by(step).map(first_row)
    }
}

/// Returns the rows of a part of an archive, so that parts begin with chunks of the member with the largest rows, and each row is in one part. Rows have
/// `row_size` bytes in the members of the query.
pub(crate) fn divided<'a>(
    rows: Range<u64>,
    all_rows: u64,
    row_size: u64,
    indexes: impl Iterator<Item = &'a Arc<Index>>,
) -> Range<u64> {
    let Some(widest) = indexes.max_by_key(|index| index.row_size) else { return 0..0 };
    let next = |row: u64| match row {
        0 => 0,
        row => widest.starts(row_size).find(|&start| start >= row).unwrap_or(all_rows),
    };
    next(rows.start)..next(rows.end)
}

/// An archive with compressed members.
pub(crate) struct Packed {
    origin: Origin,
    directory: Fetched,
    fetched: Fetched,
    archive: npz::Reader<Fetched>,
    rows: u64,
}

impl Packed {
    /// Opens an archive by its directory. What was fetched with it is not requested again.
    pub(crate) async fn open(origin: Origin, directory: &Fetched, rows: u64) -> Result<Self> {
        let fetched = directory.with(origin.fetched.as_ref());
        let archive = fetched.open(&*origin.store, &origin.meta).await?;
        Ok(Packed { origin, directory: directory.clone(), fetched, archive, rows })
    }

    /// Finds out how each of these members is read; `None` for those that are not compressed.
    pub(crate) async fn sources(&self, members: &[&Member]) -> Result<Vec<Option<Source>>> {
        let mut sources = Vec::new();
        for member in members {
            sources.push(self.source(member));
        }
        let sources = stream::iter(sources).boxed().buffered(INDEXES).try_collect().await;
        self.origin.bytes_read.add(self.fetched.take_requested());
        sources
    }

    async fn source(&self, member: &Member) -> Result<Option<Source>> {
        let Place::Packed { index, .. } = &member.place else { return Ok(None) };
        if self.bytes_of(member) <= WHOLE {
            return Ok(Some(Source::Whole));
        }
        let index = index.get_or_try_init(|| self.index(member)).await?;
        Ok(Some(match index {
            Some(index) => Source::Chunks(Arc::clone(index)),
            None => Source::Start,
        }))
    }

    fn bytes_of(&self, member: &Member) -> u64 {
        self.rows.saturating_mul(member.dtype.itemsize() as u64)
    }

    /// Reads the seek index of a member; `None` if there is none.
    async fn index(&self, member: &Member) -> Result<Option<Arc<Index>>> {
        let (origin, name) = (&self.origin, &member.name);
        // Of an index by this library, all bytes: twelve for each chunk of 1 MiB.
        let size = HEAD + 12 * (self.bytes_of(member) >> 20);
        let read = || self.archive.chunks(name);
        let chunks = self.fetched.complete(&*origin.store, &origin.meta, size, read).await?;
        let Some(chunks) = chunks else { return Ok(None) };
        let array = header::array(chunks.header());
        let array = array.map_err(|reason| origin.error(name, &reason))?;
        if array.rows != self.rows || array.dtype != member.dtype {
            return Err(origin.error(name, &CHANGED));
        }
        let rows = usize::try_from(array.rows).map_err(header::external)?;
        let chunks = chunks.of_rows(0..rows).map_err(|error| origin.error(name, &error))?;
        let row_size = member.dtype.itemsize() as u64;
        Ok((!chunks.is_empty()).then(|| Arc::new(Index { chunks, row_size })))
    }

    /// Starts to read a member whose rows are taken in order.
    pub(crate) fn reading(&self, member: &Member, source: Source) -> Reading {
        Reading {
            state: match source {
                Source::Chunks(index) => State::Chunks { index, inflated: BTreeMap::new() },
                Source::Whole | Source::Start => State::Start,
            },
            origin: self.origin.clone(),
            directory: self.directory.clone(),
            member: member.clone(),
        }
    }

    /// Reads members as a whole, and returns the rows of each. The next requests are under way while one is inflated.
    pub(crate) async fn whole(&self, members: &[&Member]) -> Result<Vec<Bytes>> {
        let origin = &self.origin;
        let mut order: Vec<(usize, &Member, Range<u64>)> = members
            .iter()
            .enumerate()
            .filter_map(|(index, member)| Some((index, *member, member.packed()?)))
            .collect();
        order.sort_by_key(|(_, _, range)| range.start);
        let missing = order.iter().map(|(_, _, range)| range.clone());
        let missing = missing.filter(|range| self.fetched.slice(range).is_none()).collect();
        let get = |range: Range<u64>| async move {
            let bytes = header::get(&*origin.store, &origin.meta, range.clone()).await?;
            Ok::<_, DataFusionError>((range, bytes))
        };
        let mut parts = stream::iter(requests(missing)).map(get).buffered(REQUESTS);
        let (mut inflated, mut fetched_to) = (vec![Bytes::new(); members.len()], 0);
        for (index, member, range) in order {
            while fetched_to < range.end {
                let Some(part) = parts.next().await else { break };
                let (part, bytes) = part?;
                fetched_to = part.end;
                self.fetched.insert(part.start, bytes);
            }
            origin.bytes_read.add(usize::try_from(range.end - range.start).unwrap_or(0));
            if let Some(slot) = inflated.get_mut(index) {
                *slot = self.inflate(member).await?;
            }
            // The bytes before the next member are not needed any more.
            self.fetched.remove_before(range.end);
        }
        Ok(inflated)
    }

    async fn inflate(&self, member: &Member) -> Result<Bytes> {
        let (origin, read) = (&self.origin, || self.archive.read_bytes(&member.name));
        let file = self.fetched.complete(&*origin.store, &origin.meta, HEAD, read).await?;
        let start = Header::parse(&file).map_err(|error| origin.error(&member.name, &error))?.1;
        let bytes = Bytes::from(file).slice(start..);
        match bytes.len() as u64 == self.bytes_of(member) {
            true => Ok(bytes),
            false => Err(origin.error(&member.name, &CHANGED)),
        }
    }
}

/// The error of a header that is not the one that was read before.
pub(crate) const CHANGED: &str = "its header has changed; create the table again";

/// How a compressed member is read.
pub(crate) enum Source {
    /// It is small, and inflated as a whole.
    Whole,
    /// By the chunks of its seek index.
    Chunks(Arc<Index>),
    /// It has no seek index, and is inflated from its start, a part at a time.
    Start,
}

impl Source {
    /// Returns the chunks, if it is read by them.
    pub(crate) fn chunks(&self) -> Option<&Arc<Index>> {
        match self {
            Source::Chunks(index) => Some(index),
            _ => None,
        }
    }
}

/// A compressed member whose rows are taken in order.
pub(crate) struct Reading {
    state: State,
    origin: Origin,
    directory: Fetched,
    member: Member,
}

enum State {
    Chunks {
        index: Arc<Index>,
        /// The data of chunks, by their numbers.
        inflated: BTreeMap<usize, Bytes>,
    },
    /// Nothing was read yet.
    Start,
    Stream(Box<MemberStream>),
}

impl Reading {
    /// Returns the chunks that were not inflated yet, of those with rows that were selected, and all that are needed; `None` if the member is
    /// inflated from its start.
    pub(crate) fn needed<'a>(
        &self,
        batches: impl Iterator<Item = (Range<u64>, &'a Selected)>,
    ) -> Option<(Vec<Range<usize>>, Vec<usize>)> {
        let State::Chunks { index, inflated } = &self.state else { return None };
        let needed = index.of_selected(batches);
        let mut missing: Vec<Range<usize>> = Vec::new();
        for &chunk in needed.iter().filter(|chunk| !inflated.contains_key(chunk)) {
            match missing.last_mut() {
                Some(last) if last.end == chunk => last.end += 1,
                _ => missing.push(chunk..chunk + 1),
            }
        }
        Some((missing, needed))
    }

    /// Returns the data of these rows. Those that are in none of the chunks that were found to be needed are not looked at, and have any values.
    pub(crate) async fn rows(
        &mut self,
        rows: &Range<u64>,
        needed: Option<(Vec<Range<usize>>, Vec<usize>)>,
    ) -> Result<Bytes> {
        let (missing, needed) = needed.unwrap_or_default();
        self.fetch(missing).await?;
        self.data(rows, &needed).await
    }

    /// Requests chunks, and inflates them.
    async fn fetch(&mut self, chunks: Vec<Range<usize>>) -> Result<()> {
        let State::Chunks { index, .. } = &self.state else { return Ok(()) };
        let index = Arc::clone(index);
        let mut gets = Vec::new();
        for chunks in &chunks {
            gets.push(self.origin.get(index.range_of(chunks)));
        }
        let fetched = try_join_all(gets).await?;
        for (chunks, bytes) in chunks.into_iter().zip(fetched) {
            self.inflate(chunks, &bytes).await?;
        }
        Ok(())
    }

    /// Inflates neighboring chunks. If one is wrong, the member is inflated from its start: that tells whether the index is wrong or the member.
    pub(crate) async fn inflate(&mut self, chunks: Range<usize>, compressed: &Bytes) -> Result<()> {
        let State::Chunks { index, inflated } = &mut self.state else { return Ok(()) };
        let start = index.range_of(&chunks).start;
        let mut is_wrong = false;
        for (number, chunk) in chunks.clone().zip(index.chunks.get(chunks).unwrap_or_default()) {
            let range = chunk.range();
            let at = |position: u64| usize::try_from(position - start).ok();
            let bytes = at(range.start).zip(at(range.end));
            let bytes = bytes.and_then(|(start, end)| compressed.get(start..end));
            match chunk.inflate(bytes.unwrap_or_default()) {
                Ok(data) => {
                    inflated.insert(number, data.into());
                }
                Err(error) if matches!(error.kind(), ErrorKind::Memory { .. }) => {
                    return Err(self.origin.error(&self.member.name, &error));
                }
                Err(_) => {
                    is_wrong = true;
                    break;
                }
            }
        }
        if is_wrong {
            let mut complete = self.stream().await?;
            complete.skip_to(complete.rows()).await?;
            self.state = State::Stream(Box::new(self.stream().await?));
        }
        Ok(())
    }

    fn stream(&self) -> impl Future<Output = Result<MemberStream>> + Send + use<> {
        MemberStream::open(self.origin.clone(), self.directory.clone(), self.member.clone())
    }

    async fn data(&mut self, rows: &Range<u64>, needed: &[usize]) -> Result<Bytes> {
        if matches!(self.state, State::Start) {
            self.state = State::Stream(Box::new(self.stream().await?));
        }
        match &mut self.state {
            State::Stream(stream) => {
                stream.skip_to(rows.start).await?;
                stream.read(rows.end - rows.start).await
            }
            State::Chunks { index, inflated } => joined(index, inflated, rows, needed),
            State::Start => Err(internal_datafusion_err!("a member was not opened")),
        }
    }

    /// Frees the chunks that have no row after these.
    pub(crate) fn remove_before(&mut self, row: u64) {
        if let State::Chunks { index, inflated } = &mut self.state {
            let next = index.within(&index.bytes_of(&(row..row + 1))).start;
            *inflated = inflated.split_off(&next);
        }
    }

    /// Reads a member that is inflated from its start to its end, where its checksum is compared.
    pub(crate) async fn finish(&mut self) -> Result<()> {
        match &mut self.state {
            State::Stream(stream) => stream.skip_to(stream.rows()).await,
            _ => Ok(()),
        }
    }
}

/// Returns the data of these rows, with zeros for what is in none of the `needed` chunks.
fn joined(
    index: &Index,
    inflated: &BTreeMap<usize, Bytes>,
    rows: &Range<u64>,
    needed: &[usize],
) -> Result<Bytes> {
    let bytes = index.bytes_of(rows);
    let at =
        |position: u64, start: u64| usize::try_from(position - start).map_err(header::external);
    let mut data = Vec::new();
    for number in needed {
        let chunk = index.chunks.get(*number).map(Chunk::data_range).zip(inflated.get(number));
        let (range, chunk) =
            chunk.ok_or_else(|| internal_datafusion_err!("chunk {number} was not inflated"))?;
        let start = range.start.max(bytes.start);
        let end = range.end.min(bytes.end).max(start);
        let part = at(start, range.start)?..at(end, range.start)?;
        if start == bytes.start && end == bytes.end {
            return Ok(chunk.slice(part));
        }
        if data.is_empty() {
            data = vec![0; at(bytes.end, bytes.start)?];
        }
        let to = data.get_mut(at(start, bytes.start)?..at(end, bytes.start)?);
        let (Some(to), Some(from)) = (to, chunk.get(part)) else {
            return Err(internal_datafusion_err!("chunk {number} has other bytes than it states"));
        };
        to.copy_from_slice(from);
    }
    Ok(data.into())
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
