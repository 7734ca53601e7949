//! Reads archives, whose members are columns: of each, only the rows that are needed.

use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use datafusion::arrow::array::RecordBatch;
use datafusion::common::exec_datafusion_err;
use datafusion::error::{DataFusionError, Result};
use datafusion::physical_plan::metrics::Count;
use futures::future::try_join_all;
use futures::stream::{self, BoxStream};
use futures::{Stream, StreamExt};
use object_store::{GetOptions, GetRange, GetResultPayload, ObjectMeta, ObjectStore};

use crate::archive::{Fetched, Inflater};
use crate::columns::{Columns, MAX_SKIPPED, Selected};
use crate::header::{self, Member, Place, SHORTER, located};
use crate::records::{REQUEST, REQUESTS};

/// An archive, and the columns that are wanted of it.
pub(crate) struct Members {
    pub(crate) store: Arc<dyn ObjectStore>,
    pub(crate) meta: ObjectMeta,
    pub(crate) columns: Arc<Columns>,
    /// The number of rows of a batch.
    pub(crate) batch: u64,
    pub(crate) bytes_read: Count,
    /// What was fetched with the headers.
    pub(crate) fetched: Option<Fetched>,
}

/// A member whose rows are needed.
struct Part {
    index: usize,
    row_size: u64,
    values: Values,
}

enum Values {
    /// The position of the first row in the archive.
    At(u64),
    /// All rows, inflated.
    All(Bytes),
}

/// The members that are read.
struct Scan {
    members: Members,
    /// Those that the condition needs, or all if there is none.
    first: Vec<Part>,
    /// Those that only the returned columns need, where a row meets the condition.
    others: Vec<Part>,
    /// The number of members of the archive.
    count: usize,
}

/// What was fetched: the rows of each member.
type Rows = Vec<Bytes>;

/// The batches of a block of rows.
type Batches = Result<Vec<Result<RecordBatch>>>;

/// How bytes are read. The first request tells.
enum Access {
    Local(fs::File),
    Store(Rows),
}

impl Members {
    /// Returns these rows as batches.
    pub(crate) async fn stream(
        self,
        members: &[Member],
        directory: &Fetched,
        all_rows: u64,
        mut rows: Range<u64>,
    ) -> Result<BoxStream<'static, Result<RecordBatch>>> {
        let (mut first, wanted) = self.columns.parts();
        let mut others: Vec<usize> =
            wanted.into_iter().filter(|part| !first.contains(part)).collect();
        if first.is_empty() {
            std::mem::swap(&mut first, &mut others);
        }
        let used = || first.iter().chain(&others).filter_map(|&part| members.get(part));
        if used().any(|member| member.packed().is_some()) {
            // A compressed member is inflated once, by whoever has the first rows.
            rows = if rows.start == 0 { 0..all_rows } else { 0..0 };
        }
        if rows.is_empty() {
            return Ok(stream::empty().boxed());
        }
        let row_size: u64 = used().map(|member| member.dtype.itemsize() as u64).sum();
        let block = (REQUEST / row_size.max(1) / self.batch).max(1).saturating_mul(self.batch);
        let packed = used().filter(|member| member.packed().is_some()).collect::<Vec<_>>();
        let mut inflated = self.inflate(&packed, directory, all_rows).await?.into_iter();
        let mut open = |parts: &[usize]| -> Vec<Part> {
            let part = |&index: &usize| {
                let member = members.get(index)?;
                let values = match member.place {
                    Place::At(start) => Values::At(start),
                    Place::Packed(_) => Values::All(inflated.next()?),
                };
                Some(Part { index, row_size: member.dtype.itemsize() as u64, values })
            };
            parts.iter().filter_map(part).collect()
        };
        let (first, others) = (open(&first), open(&others));
        let scan = Arc::new(Scan { members: self, first, others, count: members.len() });
        let start = rows.start..rows.end.min(rows.start.saturating_add(block));
        match scan.begin(&start).await? {
            Access::Local(file) => Ok(scan.local(file, rows)),
            Access::Store(fetched) => Ok(scan.remote(fetched, start, rows.end, block)),
        }
    }

    async fn inflate(
        &self,
        packed: &[&Member],
        directory: &Fetched,
        rows: u64,
    ) -> Result<Vec<Bytes>> {
        if packed.is_empty() {
            return Ok(Vec::new());
        }
        let fetched = self.fetched.as_ref();
        let inflater = Inflater::new(directory, fetched, &*self.store, &self.meta).await?;
        let inflated = inflater.read(packed, rows).await?;
        self.bytes_read.add(inflated.iter().map(Bytes::len).sum());
        Ok(inflated)
    }

    /// Requests these bytes, unless they were fetched before.
    async fn get(&self, range: Range<u64>) -> Result<Bytes> {
        match self.fetched.as_ref().and_then(|fetched| fetched.slice(&range)) {
            Some(bytes) => Ok(bytes),
            None => header::get(&*self.store, &self.meta, range).await,
        }
    }
}

impl Scan {
    /// Fetches the first block, unless the file is one of this machine.
    async fn begin(&self, rows: &Range<u64>) -> Result<Access> {
        let (members, mut parts) = (&self.members, vec![Bytes::new(); self.count]);
        let mut ranges = self.ranges(&self.first, rows, &mut parts);
        let is_missing = |(_, range): &(usize, Range<u64>)| {
            members.fetched.as_ref().is_none_or(|fetched| fetched.slice(range).is_none())
        };
        if let Some(at) = ranges.iter().position(is_missing) {
            let (index, range) = ranges.swap_remove(at);
            let bounded = Some(GetRange::Bounded(range.clone()));
            let get = GetOptions { range: bounded, ..GetOptions::default() };
            let result = members.store.get_opts(&members.meta.location, get).await;
            let result = result.map_err(|error| located(&members.meta, &error))?;
            header::check_unchanged(&members.meta, &result.meta)?;
            if let GetResultPayload::File(file, _) = result.payload {
                return Ok(Access::Local(file));
            }
            let bytes = result.bytes().await.map_err(|error| located(&members.meta, &error))?;
            header::check_size(&members.meta, &bytes, &range)?;
            members.bytes_read.add(bytes.len());
            if let Some(slot) = parts.get_mut(index) {
                *slot = bytes;
            }
        }
        self.fetch(&ranges, &mut parts).await?;
        Ok(Access::Store(parts))
    }

    /// Returns the bytes of these rows of members, and takes them of those that are in memory.
    fn ranges(
        &self,
        parts: &[Part],
        rows: &Range<u64>,
        into: &mut [Bytes],
    ) -> Vec<(usize, Range<u64>)> {
        let mut ranges = Vec::new();
        for part in parts {
            let (start, end) = (rows.start * part.row_size, rows.end * part.row_size);
            match &part.values {
                Values::At(at) if part.row_size > 0 => {
                    ranges.push((part.index, at + start..at + end));
                }
                Values::At(_) => {}
                Values::All(bytes) => {
                    if let (Some(slot), Ok(start), Ok(end)) =
                        (into.get_mut(part.index), usize::try_from(start), usize::try_from(end))
                        && end <= bytes.len()
                    {
                        *slot = bytes.slice(start..end);
                    }
                }
            }
        }
        ranges
    }

    /// Fetches bytes of members, all at once.
    async fn fetch(&self, ranges: &[(usize, Range<u64>)], into: &mut [Bytes]) -> Result<()> {
        let mut gets = Vec::new();
        for (_, range) in ranges {
            gets.push(self.members.get(range.clone()));
        }
        for ((index, _), bytes) in ranges.iter().zip(try_join_all(gets).await?) {
            self.members.bytes_read.add(bytes.len());
            if let Some(slot) = into.get_mut(*index) {
                *slot = bytes;
            }
        }
        Ok(())
    }

    /// Reads a file of this machine a batch at a time: its rows stay in the cache of the processor.
    fn local(
        self: Arc<Self>,
        mut file: fs::File,
        mut rows: Range<u64>,
    ) -> BoxStream<'static, Result<RecordBatch>> {
        let scan = Arc::clone(&self);
        let blocks = std::iter::from_fn(move || {
            if rows.is_empty() {
                return None;
            }
            let end = rows.end.min(rows.start.saturating_add(scan.members.batch));
            let block = scan.read_local(&mut file, &(rows.start..end));
            rows.start = if block.is_ok() { end } else { rows.end };
            Some(block)
        });
        self.flattened(stream::iter(blocks))
    }

    fn read_local(&self, file: &mut fs::File, rows: &Range<u64>) -> Batches {
        let mut parts = vec![Bytes::new(); self.count];
        let mut read = |of: &[Part], parts: &mut Rows| {
            for (index, range) in self.ranges(of, rows, parts) {
                let bytes = read_at(file, &range).map_err(|error| match error.kind() {
                    std::io::ErrorKind::UnexpectedEof => located(&self.members.meta, &SHORTER),
                    _ => located(&self.members.meta, &error),
                });
                let bytes = bytes?;
                self.members.bytes_read.add(bytes.len());
                if let Some(slot) = parts.get_mut(index) {
                    *slot = bytes;
                }
            }
            Ok::<_, DataFusionError>(())
        };
        read(&self.first, &mut parts)?;
        let selected = self.select(&parts, rows)?;
        if selected.iter().all(|selected| matches!(selected, Selected::None)) {
            return Ok(Vec::new());
        }
        read(&self.others, &mut parts)?;
        Ok(self.take(&parts, rows, &selected))
    }

    /// Reads a file of a store by blocks. The next one is fetched while one is looked at.
    fn remote(
        self: Arc<Self>,
        fetched: Rows,
        start: Range<u64>,
        end: u64,
        block: u64,
    ) -> BoxStream<'static, Result<RecordBatch>> {
        let starts = (start.end..end).step_by(usize::try_from(block).unwrap_or(usize::MAX));
        let rest = starts.map(move |start| start..end.min(start.saturating_add(block)));
        let scan = Arc::clone(&self);
        let next = stream::iter(rest)
            .map(move |rows| {
                let scan = Arc::clone(&scan);
                async move {
                    let mut parts = vec![Bytes::new(); scan.count];
                    let ranges = scan.ranges(&scan.first, &rows, &mut parts);
                    scan.fetch(&ranges, &mut parts).await?;
                    Ok::<_, DataFusionError>((rows, parts))
                }
            })
            .buffered(REQUESTS);
        let all = stream::once(async move { Ok((start, fetched)) }).chain(next);
        let scan = Arc::clone(&self);
        let blocks = all.then(move |block| {
            let scan = Arc::clone(&scan);
            async move {
                let (rows, mut parts) = block?;
                let selected = scan.select(&parts, &rows)?;
                if selected.iter().all(|selected| matches!(selected, Selected::None)) {
                    return Ok(Vec::new());
                }
                let ranges = scan.ranges(&scan.others, &rows, &mut parts);
                scan.fetch(&ranges, &mut parts).await?;
                Ok(scan.take(&parts, &rows, &selected))
            }
        });
        self.flattened(blocks)
    }

    /// Returns the batches of all blocks, up to the first error. After many blocks without a row there is an empty batch.
    fn flattened(
        self: Arc<Self>,
        blocks: impl Stream<Item = Batches> + Send + 'static,
    ) -> BoxStream<'static, Result<RecordBatch>> {
        let mut skipped = 0;
        let batches = blocks.map(move |block| {
            let mut batches = block.unwrap_or_else(|error| vec![Err(error)]);
            skipped = if batches.is_empty() { skipped + 1 } else { 0 };
            if skipped > MAX_SKIPPED {
                skipped = 0;
                batches.push(Ok(self.members.columns.none()));
            }
            stream::iter(batches)
        });
        batches.flatten().boxed()
    }

    /// Returns the batches of a block, as ranges of its rows.
    fn batches(&self, rows: &Range<u64>) -> impl Iterator<Item = Range<u64>> + use<> {
        let (batch, count) = (self.members.batch, rows.end - rows.start);
        let starts = (0..count).step_by(usize::try_from(batch).unwrap_or(usize::MAX));
        starts.map(move |start| start..count.min(start + batch))
    }

    /// Evaluates the condition for each batch of a block.
    fn select(&self, parts: &[Bytes], rows: &Range<u64>) -> Result<Vec<Selected>> {
        let select = |batch: Range<u64>| {
            self.members.columns.select(&self.slices(parts, &batch), count(&batch)?)
        };
        self.batches(rows).map(select).collect()
    }

    /// Returns the batches of a block, of the rows that were selected.
    fn take(
        &self,
        parts: &[Bytes],
        rows: &Range<u64>,
        selected: &[Selected],
    ) -> Vec<Result<RecordBatch>> {
        let batch = |(batch, selected): (Range<u64>, _)| {
            let slices = self.slices(parts, &batch);
            let taken =
                count(&batch).and_then(|count| self.members.columns.take(&slices, count, selected));
            let path = &self.members.meta.location;
            taken.map_err(|error| error.context(path.to_string())).transpose()
        };
        self.batches(rows).zip(selected).filter_map(batch).collect()
    }

    /// Returns the rows of a batch, of every member that was read.
    fn slices<'b>(&self, parts: &'b [Bytes], batch: &Range<u64>) -> Vec<&'b [u8]> {
        let mut slices = vec![&[][..]; self.count];
        for part in self.first.iter().chain(&self.others) {
            let at = |row: u64| usize::try_from(row * part.row_size).ok();
            if let (Some(slot), Some(bytes), Some(start), Some(end)) =
                (slices.get_mut(part.index), parts.get(part.index), at(batch.start), at(batch.end))
            {
                *slot = bytes.get(start..end).unwrap_or_default();
            }
        }
        slices
    }
}

fn count(rows: &Range<u64>) -> Result<usize> {
    usize::try_from(rows.end - rows.start)
        .map_err(|_| exec_datafusion_err!("a batch of too many rows"))
}

fn read_at(file: &mut fs::File, range: &Range<u64>) -> std::io::Result<Bytes> {
    let mut bytes =
        vec![0; usize::try_from(range.end - range.start).map_err(std::io::Error::other)?];
    file.seek(SeekFrom::Start(range.start))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes.into())
}
