//! Reads archives, whose members are columns: of each, only the rows that are needed.

use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use datafusion::arrow::array::RecordBatch;
use datafusion::common::exec_datafusion_err;
use datafusion::error::Result;
use datafusion::physical_plan::metrics::Count;
use futures::StreamExt;
use futures::future::try_join_all;
use futures::stream::BoxStream;
use object_store::{GetOptions, GetRange, GetResultPayload, ObjectMeta, ObjectStore};

use crate::archive::{Fetched, Inflater};
use crate::columns::{Columns, MAX_SKIPPED, Selected};
use crate::header::{self, Member, SHORTER, located};
use crate::records::REQUEST;

/// An archive, and the columns that are wanted of it.
pub(crate) struct Members {
    pub(crate) store: Arc<dyn ObjectStore>,
    pub(crate) meta: ObjectMeta,
    pub(crate) columns: Arc<Columns>,
    /// The number of rows of a batch.
    pub(crate) batch: u64,
    pub(crate) bytes_read: Count,
}

/// A member of which rows are needed.
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

/// What is read next.
struct Scan {
    members: Members,
    access: Access,
    /// The members that the condition needs, and those that only the returned columns need.
    tested: Vec<Part>,
    others: Vec<Part>,
    /// The number of members of the archive.
    count: usize,
    /// The rows of a request to a store.
    block: u64,
    /// The blocks since the last batch.
    skipped: usize,
}

/// How bytes are read.
enum Access {
    /// The first request tells.
    Unknown,
    Local(fs::File),
    Store,
}

impl Members {
    /// Returns these rows as batches.
    pub(crate) async fn stream(
        self,
        members: &[Member],
        fetched: &Fetched,
        all_rows: u64,
        mut rows: Range<u64>,
    ) -> Result<BoxStream<'static, Result<RecordBatch>>> {
        let (tested, wanted) = self.columns.parts();
        let others = wanted.into_iter().filter(|part| !tested.contains(part)).collect::<Vec<_>>();
        let used = || tested.iter().chain(&others).filter_map(|&part| members.get(part));
        if used().any(|member| member.start.is_none()) {
            // A compressed member is inflated once, by whoever has the first rows.
            rows = if rows.start == 0 { 0..all_rows } else { 0..0 };
        }
        if rows.is_empty() {
            return Ok(futures::stream::empty().boxed());
        }
        let row_size: u64 = used().map(|member| member.dtype.itemsize() as u64).sum();
        let tested = self.open(members, fetched, all_rows, &tested).await?;
        let others = self.open(members, fetched, all_rows, &others).await?;
        let block = (REQUEST / row_size.max(1) / self.batch).max(1).saturating_mul(self.batch);
        let (count, access) = (members.len(), Access::Unknown);
        let scan = Scan { members: self, access, tested, others, count, block, skipped: 0 };
        let blocks = futures::stream::unfold((scan, rows), |(mut scan, mut rows)| async move {
            if rows.is_empty() {
                return None;
            }
            let end = rows.end.min(rows.start.saturating_add(scan.block()));
            let block = scan.read(rows.start..end).await;
            rows.start = if block.is_ok() { end } else { rows.end };
            let mut batches = block.unwrap_or_else(|error| vec![Err(error)]);
            scan.skipped = if batches.is_empty() { scan.skipped + 1 } else { 0 };
            if scan.skipped > MAX_SKIPPED {
                scan.skipped = 0;
                batches.push(Ok(scan.members.columns.none()));
            }
            Some((futures::stream::iter(batches), (scan, rows)))
        });
        Ok(blocks.flatten().boxed())
    }

    /// Returns the bytes of these ranges.
    async fn get(&self, access: &mut Access, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        let (store, meta) = (&*self.store, &self.meta);
        let (mut fetched, mut rest) = (Vec::new(), ranges);
        if let (Access::Unknown, Some((first, others))) = (&*access, ranges.split_first()) {
            let range = Some(GetRange::Bounded(first.clone()));
            let get = GetOptions { range, ..GetOptions::default() };
            let result = store.get_opts(&meta.location, get).await;
            let result = result.map_err(|error| located(meta, &error))?;
            header::check_unchanged(meta, &result.meta)?;
            if let GetResultPayload::File(file, _) = result.payload {
                *access = Access::Local(file);
            } else {
                *access = Access::Store;
                let bytes = result.bytes().await.map_err(|error| located(meta, &error))?;
                header::check_size(meta, &bytes, first)?;
                fetched.push(bytes);
                rest = others;
            }
        }
        if let Access::Local(file) = access {
            for range in rest {
                let bytes = read_at(file, range).map_err(|error| match error.kind() {
                    std::io::ErrorKind::UnexpectedEof => located(meta, &SHORTER),
                    _ => located(meta, &error),
                });
                fetched.push(bytes?);
            }
            return Ok(fetched);
        }
        let mut gets = Vec::new();
        for range in rest {
            gets.push(header::get(store, meta, range.clone()));
        }
        fetched.extend(try_join_all(gets).await?);
        Ok(fetched)
    }

    /// Finds the rows of members, and inflates those that are compressed.
    async fn open(
        &self,
        members: &[Member],
        fetched: &Fetched,
        rows: u64,
        parts: &[usize],
    ) -> Result<Vec<Part>> {
        let mut opened = Vec::new();
        let mut inflater = None;
        for &index in parts {
            let Some(member) = members.get(index) else { continue };
            let values = match member.start {
                Some(start) => Values::At(start),
                None => {
                    let inflater = match &mut inflater {
                        Some(inflater) => inflater,
                        None => {
                            inflater.insert(Inflater::new(fetched, &*self.store, &self.meta).await?)
                        }
                    };
                    let bytes = inflater.read(member, rows).await?;
                    self.bytes_read.add(bytes.len());
                    Values::All(bytes)
                }
            };
            opened.push(Part { index, row_size: member.dtype.itemsize() as u64, values });
        }
        Ok(opened)
    }
}

impl Scan {
    /// Returns the number of rows that are read at a time. Of a file of this machine, they stay in the cache of the processor.
    fn block(&self) -> u64 {
        match self.access {
            Access::Local(_) => self.members.batch,
            Access::Unknown | Access::Store => self.block,
        }
    }

    /// Returns the batches of these rows that meet the condition.
    async fn read(&mut self, rows: Range<u64>) -> Result<Vec<Result<RecordBatch>>> {
        let mut parts = vec![Bytes::new(); self.count];
        self.fetch(true, &rows, &mut parts).await?;
        let starts =
            rows.clone().step_by(usize::try_from(self.members.batch).unwrap_or(usize::MAX));
        let batches: Vec<_> = starts
            .map(|start| start - rows.start..rows.end.min(start + self.members.batch) - rows.start)
            .collect();
        let mut selected = Vec::new();
        for batch in &batches {
            let slices = self.slices(&parts, batch);
            let count = count(batch)?;
            selected.push(self.members.columns.select(&slices, count)?);
        }
        if selected.iter().all(|selected| matches!(selected, Selected::None)) {
            return Ok(Vec::new());
        }
        self.fetch(false, &rows, &mut parts).await?;
        let batch = |(batch, selected): (&Range<u64>, _)| {
            let slices = self.slices(&parts, batch);
            let batch =
                count(batch).and_then(|count| self.members.columns.take(&slices, count, selected));
            let path = &self.members.meta.location;
            batch.map_err(|error| error.context(path.to_string())).transpose()
        };
        Ok(batches.iter().zip(&selected).filter_map(batch).collect())
    }

    /// Reads these rows of the members that the condition needs, or of the others.
    async fn fetch(&mut self, tested: bool, rows: &Range<u64>, into: &mut [Bytes]) -> Result<()> {
        let parts = if tested { &self.tested[..] } else { &self.others[..] };
        let range = |start: u64, part: &Part| {
            start + rows.start * part.row_size..start + rows.end * part.row_size
        };
        let mut ranges = Vec::new();
        for part in parts {
            match &part.values {
                Values::At(start) if part.row_size > 0 => ranges.push((part, range(*start, part))),
                Values::At(_) => {}
                Values::All(bytes) => {
                    let range = range(0, part);
                    let slot = into.get_mut(part.index);
                    if let (Some(slot), Ok(start), Ok(end)) =
                        (slot, usize::try_from(range.start), usize::try_from(range.end))
                        && end <= bytes.len()
                    {
                        *slot = bytes.slice(start..end);
                    }
                }
            }
        }
        let ranges_only: Vec<_> = ranges.iter().map(|(_, range)| range.clone()).collect();
        let fetched = self.members.get(&mut self.access, &ranges_only).await?;
        for ((part, _), bytes) in ranges.iter().zip(fetched) {
            self.members.bytes_read.add(bytes.len());
            if let Some(slot) = into.get_mut(part.index) {
                *slot = bytes;
            }
        }
        Ok(())
    }

    /// Returns the rows of a batch, of every member that was read.
    fn slices<'b>(&self, parts: &'b [Bytes], batch: &Range<u64>) -> Vec<&'b [u8]> {
        let mut slices = vec![&[][..]; self.count];
        for part in self.tested.iter().chain(&self.others) {
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
