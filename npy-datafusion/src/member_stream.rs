//! A compressed member that is inflated from its start, in the memory of some requests.

use std::ops::Range;

use bytes::Bytes;
use datafusion::error::{DataFusionError, Result};
use futures::stream::{self, BoxStream};
use futures::{StreamExt, TryStreamExt};
use npy_core::npz;

use crate::archive::Fetched;
use crate::header::{self, Member};
use crate::packed::{CHANGED, Origin};

/// The requests of a member that are under way at a time.
const REQUESTS: usize = 2;

/// The sizes of the first request and of the largest. Each is twice as large as the one before it, because the query may need only the first rows.
const SIZES: Range<u64> = 64 << 10..4 << 20;

/// The bytes that are inflated at a time if they are not needed.
const SKIPPED: u64 = 1 << 20;

type Requests = BoxStream<'static, Result<(u64, Bytes)>>;

/// The rows of a compressed member, one after another.
pub(crate) struct MemberStream {
    origin: Origin,
    directory: Fetched,
    member: Member,
    /// The archive and its member. It has only the bytes that were fetched and not inflated yet.
    source: Fetched,
    reader: npy_core::Reader<npz::Member<Fetched>>,
    requests: Requests,
    /// The compressed bytes are requested up to here.
    fetched_to: u64,
    /// The compressed bytes to have before a block of rows is inflated, in addition to the size of its rows.
    margin: u64,
    /// The position after the member.
    end: u64,
    row: u64,
    rows: u64,
}

impl MemberStream {
    /// Opens a member.
    pub(crate) async fn open(origin: Origin, directory: Fetched, member: Member) -> Result<Self> {
        /// The bytes that the decoder reads ahead, and the headers.
        const MARGIN: u64 = 192 << 10;
        Self::with_margin(origin, directory, member, MARGIN).await
    }

    async fn with_margin(
        origin: Origin,
        directory: Fetched,
        member: Member,
        margin: u64,
    ) -> Result<Self> {
        let source = directory.with(None);
        let archive = source.open(&*origin.store, &origin.meta).await?;
        let range = member.packed().unwrap_or_default();
        let mut requests = requested(origin.clone(), range.clone());
        let mut fetched_to = range.start;
        let reader = loop {
            fetched_to = fetch(&source, &mut requests, fetched_to, fetched_to + 1).await?;
            match archive.member(&member.name) {
                Ok(reader) => break reader,
                Err(_) if source.take_missing() && fetched_to < range.end => {}
                Err(error) => return Err(header::located(&*origin.store, &origin.meta, &error)),
            }
        };
        let array = header::array(reader.header());
        let array = array.map_err(|reason| origin.error(&member.name, &reason))?;
        if array.dtype != member.dtype {
            return Err(origin.error(&member.name, &CHANGED));
        }
        let rows = array.rows;
        Ok(MemberStream {
            origin,
            directory,
            member,
            source,
            reader,
            requests,
            fetched_to,
            margin,
            end: range.end,
            row: 0,
            rows,
        })
    }

    /// Returns the number of rows of the member.
    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    /// Inflates the rows before this one, unless they were before.
    pub(crate) async fn skip_to(&mut self, row: u64) -> Result<()> {
        let part = (SKIPPED / self.row_size()).max(1);
        while self.row < row {
            self.read(part.min(row - self.row)).await?;
        }
        Ok(())
    }

    fn row_size(&self) -> u64 {
        (self.member.dtype.itemsize() as u64).max(1)
    }

    /// Returns the next rows.
    pub(crate) async fn read(&mut self, rows: u64) -> Result<Bytes> {
        let first = self.row;
        loop {
            // After a restart, the rows before these are inflated again.
            let is_before = self.row < first;
            let count = if is_before { rows.min(first - self.row) } else { rows };
            match self.inflate(count).await? {
                Some(_) if is_before => {}
                Some(bytes) => return Ok(bytes),
                None => {
                    let (origin, directory) = (self.origin.clone(), self.directory.clone());
                    let margin = self.margin.saturating_mul(4);
                    *self =
                        Self::with_margin(origin, directory, self.member.clone(), margin).await?;
                }
            }
        }
    }

    /// Inflates the next rows; `None` if more compressed bytes must be ready, because the writer has made more of them than deflate does.
    async fn inflate(&mut self, rows: u64) -> Result<Option<Bytes>> {
        let count = usize::try_from(rows).map_err(header::external)?;
        let size = rows.saturating_mul(self.row_size());
        // Bytes that do not become smaller are stored, with five more for some thousands.
        let needed = size.saturating_add(size / 8).saturating_add(self.margin);
        let needed = self.source.read_to().saturating_add(needed);
        self.fetched_to = fetch(&self.source, &mut self.requests, self.fetched_to, needed).await?;
        match self.reader.read_dyn_chunk(count) {
            Ok(array) if array.shape().first() == Some(&count) => {
                self.row += rows;
                self.source.remove_before(self.source.read_to());
                Ok(Some(array.into_bytes().into()))
            }
            Ok(_) => Err(self.origin.error(&self.member.name, &CHANGED)),
            Err(_) if self.source.take_missing() && self.fetched_to < self.end => Ok(None),
            Err(error) => Err(header::located(&*self.origin.store, &self.origin.meta, &error)),
        }
    }
}

/// Returns the bytes of a member, one part after another.
fn requested(origin: Origin, range: Range<u64>) -> Requests {
    let next = move |(start, size): (u64, u64)| {
        let end = range.end.min(start.saturating_add(size));
        (start < end).then(|| (start..end, (end, SIZES.end.min(size.saturating_mul(2)))))
    };
    let mut state = (range.start, SIZES.start);
    let parts = std::iter::from_fn(move || {
        let (part, after) = next(state)?;
        state = after;
        Some(part)
    });
    let get = move |part: Range<u64>| {
        let origin = origin.clone();
        async move { Ok::<_, DataFusionError>((part.start, origin.get(part).await?)) }
    };
    stream::iter(parts).map(get).buffered(REQUESTS).boxed()
}

/// Takes parts of a member until the bytes before this position are there, and returns the position of the next part.
async fn fetch(
    source: &Fetched,
    requests: &mut Requests,
    fetched_to: u64,
    needed: u64,
) -> Result<u64> {
    let mut fetched_to = fetched_to;
    while fetched_to < needed {
        let Some((start, bytes)) = requests.try_next().await? else { break };
        fetched_to = start + bytes.len() as u64;
        source.insert(start, bytes);
    }
    Ok(fetched_to)
}
