//! Reads archives, whose members are columns, and folders, whose files are: of each, only the rows that are needed.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use datafusion::arrow::array::RecordBatch;
use datafusion::common::{exec_datafusion_err, internal_err};
use datafusion::error::{DataFusionError, Result};
use futures::future::{try_join, try_join_all};
use futures::stream::{self, BoxStream};
use futures::{Stream, StreamExt, TryStreamExt};
use object_store::{GetOptions, GetRange, GetResultPayload, ObjectMeta};

use crate::archive::Fetched;
use crate::columns::{self, Columns, MAX_SKIPPED, Selected};
use crate::header::{self, Member, Place, SHORTER, located};
use crate::packed::{self, Origin, Packed, Reading, Source};
use crate::records::{REQUEST, REQUESTS};

/// The requests for columns of a block that are under way at a time.
const COLUMNS: usize = 32;

/// An archive, and the columns that are wanted of it.
pub(crate) struct Members {
    pub(crate) origin: Origin,
    pub(crate) columns: Arc<Columns>,
    /// The number of rows of a batch.
    pub(crate) batch: u64,
    /// The number of rows that are needed of each part of the file.
    pub(crate) limit: Option<u64>,
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
    /// The positions of the columns, in the order in which a row has them, and the size of a value.
    Columns(Vec<u64>, u64),
    /// All rows, inflated.
    All(Bytes),
    /// The chunks that are inflated when they are needed.
    Chunks(Arc<packed::Index>),
    /// Inflated from the start, a part at a time.
    Stream,
}

/// The members that are read.
struct Scan {
    members: Members,
    /// Those that the condition needs, or all if there is none.
    first: Vec<Part>,
    /// Those that only the returned columns need, where a row meets the condition.
    others: Vec<Part>,
    /// The files of all members, where each has one of its own.
    files: Vec<Option<Arc<ObjectMeta>>>,
}

/// The fetched rows of each member.
type Rows = Vec<Bytes>;

/// The compressed members of a scan, by their numbers.
type Readings = BTreeMap<usize, Reading>;

/// A block of rows, as it was fetched.
struct Block {
    rows: Range<u64>,
    parts: Rows,
    /// Chunks of compressed members.
    chunks: Vec<(usize, Range<usize>, Bytes)>,
}

/// The batches of a block of rows.
type Batches = Result<Vec<Result<RecordBatch>>>;

/// How bytes are read. The first request tells.
enum Access {
    Local(Opened),
    Store(Rows),
}

/// Files of this machine.
#[derive(Default)]
struct Opened {
    archive: Option<fs::File>,
    /// Those of members that have one of their own, by the numbers of these.
    own: BTreeMap<usize, fs::File>,
}

impl Opened {
    /// Returns the file that has the rows of a member.
    fn of(&mut self, index: usize) -> Option<&mut fs::File> {
        self.own.get_mut(&index).or(self.archive.as_mut())
    }
}

impl Members {
    /// Returns rows as batches, and the index of the first one: compressed members are divided at their chunks.
    pub(crate) async fn stream(
        self,
        members: &[Member],
        directory: &Fetched,
        all_rows: u64,
        rows: Range<u64>,
    ) -> Result<(u64, BoxStream<'static, Result<RecordBatch>>)> {
        let (mut first, wanted) = self.columns.parts();
        let mut others: Vec<usize> =
            wanted.into_iter().filter(|part| !first.contains(part)).collect();
        if first.is_empty() {
            std::mem::swap(&mut first, &mut others);
        }
        let used = first.iter().chain(&others).filter_map(|&part| Some((part, members.get(part)?)));
        let used: Vec<(usize, &Member)> = used.collect();
        let row_size: u64 = used.iter().map(|(_, member)| member.dtype.itemsize() as u64).sum();
        let block = (REQUEST / row_size.max(1) / self.batch).max(1).saturating_mul(self.batch);
        let is_packed = used.iter().any(|(_, member)| member.packed().is_some());
        let is_limited = self.limit.is_some();
        let (rows, mut values, readings) = match is_packed {
            true => self.open(&used, directory, all_rows, row_size, rows).await?,
            false => (self.limited(rows), BTreeMap::new(), Readings::new()),
        };
        let start = rows.start;
        if rows.is_empty() {
            return Ok((start, stream::empty().boxed()));
        }
        let mut open = |parts: &[usize]| -> Vec<Part> {
            let part = |&index: &usize| {
                let member = members.get(index)?;
                let values = match member.place {
                    Place::At(start) => Values::At(start),
                    Place::Columns { start, ref order } => {
                        let size = member.dtype.flat().0.itemsize() as u64;
                        let position = |number: &u64| start + number * all_rows * size;
                        Values::Columns(order.iter().map(position).collect(), size)
                    }
                    Place::Packed { .. } => values.remove(&index)?,
                };
                Some(Part { index, row_size: member.dtype.itemsize() as u64, values })
            };
            parts.iter().filter_map(part).collect()
        };
        let (first, others) = (open(&first), open(&others));
        let files = members.iter().map(|member| member.file.clone()).collect();
        let scan = Arc::new(Scan { members: self, first, others, files });
        if is_packed {
            // The query may need few rows, so the first blocks are small.
            let smallest = (block / 8).next_multiple_of(scan.members.batch);
            let blocks = blocks(rows.clone(), smallest, block);
            // The checksum is compared at the end.
            let is_complete = !is_limited && rows.end == all_rows;
            return Ok((start, scan.remote(None, blocks, readings, is_complete)));
        }
        let begun = start..rows.end.min(start.saturating_add(block));
        let batches = match scan.begin(&begun).await? {
            Access::Local(file) => scan.local(file, rows),
            Access::Store(fetched) => {
                let rest = blocks(begun.end..rows.end, block, block);
                let first = Block { rows: begun, parts: fetched, chunks: Vec::new() };
                scan.remote(Some(first), rest, readings, false)
            }
        };
        Ok((start, batches))
    }

    fn limited(&self, rows: Range<u64>) -> Range<u64> {
        let end = rows.start.saturating_add(self.limit.unwrap_or(u64::MAX));
        rows.start..rows.end.min(end)
    }

    /// Finds out how compressed members are read, and which rows are those of this part of the file.
    async fn open(
        &self,
        used: &[(usize, &Member)],
        directory: &Fetched,
        all_rows: u64,
        row_size: u64,
        rows: Range<u64>,
    ) -> Result<(Range<u64>, BTreeMap<usize, Values>, Readings)> {
        let mut values = BTreeMap::new();
        let mut readings = Readings::new();
        let archive = Packed::open(self.origin.clone(), directory, all_rows).await?;
        let members: Vec<&Member> = used.iter().map(|(_, member)| *member).collect();
        let sources = archive.sources(&members).await?;
        let chunks = || sources.iter().flatten().filter_map(Source::chunks);
        let is_stream = sources.iter().flatten().any(|source| matches!(source, Source::Start));
        let rows = match (is_stream || chunks().next().is_none(), rows.start) {
            (false, _) => packed::divided(rows, all_rows, row_size, chunks()),
            // A member is inflated from its start once, by whoever has the first rows.
            (true, 0) => 0..all_rows,
            (true, _) => 0..0,
        };
        let rows = self.limited(rows);
        if rows.is_empty() {
            return Ok((rows, values, readings));
        }
        let is_whole = |source: &Option<Source>| matches!(source, Some(Source::Whole));
        let whole = used.iter().zip(&sources).filter(|(_, source)| is_whole(source));
        let (whole, small): (Vec<usize>, Vec<&Member>) = whole.map(|(used, _)| *used).unzip();
        let inflated = archive.whole(&small).await?;
        values.extend(whole.into_iter().zip(inflated.into_iter().map(Values::All)));
        for ((index, member), source) in used.iter().zip(sources) {
            let (part, source) = match source {
                None | Some(Source::Whole) => continue,
                Some(Source::Start) => (Values::Stream, Source::Start),
                Some(Source::Chunks(index)) => {
                    (Values::Chunks(Arc::clone(&index)), Source::Chunks(index))
                }
            };
            values.insert(*index, part);
            readings.insert(*index, archive.reading(member, source));
        }
        Ok((rows, values, readings))
    }
}

/// Divides rows into blocks, each twice as large as the one before it, up to `largest`.
fn blocks(
    rows: Range<u64>,
    smallest: u64,
    largest: u64,
) -> impl Iterator<Item = Range<u64>> + Send + 'static {
    let (mut start, mut size) = (rows.start, smallest);
    std::iter::from_fn(move || {
        let block = start..rows.end.min(start.saturating_add(size));
        start = block.end;
        size = size.saturating_mul(2).min(largest);
        (!block.is_empty()).then_some(block)
    })
}

impl Scan {
    /// Returns where the bytes of a member are.
    fn origin(&self, index: usize) -> Origin {
        let origin = &self.members.origin;
        match self.files.get(index) {
            Some(Some(file)) => Origin {
                store: Arc::clone(&origin.store),
                meta: file.as_ref().clone(),
                fetched: None,
                bytes_read: origin.bytes_read.clone(),
                is_local: origin.is_local,
            },
            _ => origin.clone(),
        }
    }

    /// Opens the other members that have files of their own.
    async fn opened(&self, first: usize, file: fs::File) -> Result<Opened> {
        if !matches!(self.files.get(first), Some(Some(_))) {
            return Ok(Opened { archive: Some(file), own: BTreeMap::new() });
        }
        let mut own = BTreeMap::from([(first, file)]);
        for part in self.first.iter().chain(&self.others) {
            if own.contains_key(&part.index) {
                continue;
            }
            let Origin { store, meta, .. } = self.origin(part.index);
            let result = store.get_opts(&meta.location, GetOptions::default()).await;
            let result = result.map_err(|error| header::failed(&*store, &meta, &error))?;
            header::check_unchanged(&*store, &meta, &result.meta)?;
            let GetResultPayload::File(file, _) = result.payload else {
                return internal_err!("a store that has some of its files on this machine");
            };
            own.insert(part.index, file);
        }
        Ok(Opened { archive: None, own })
    }

    /// Fetches the first block, unless the file is one of this machine.
    async fn begin(&self, rows: &Range<u64>) -> Result<Access> {
        let mut parts = vec![Bytes::new(); self.files.len()];
        let mut ranges = self.ranges(&self.first, rows, &mut parts);
        if !self.members.origin.is_local {
            self.fetch(&ranges, rows, &mut parts).await?;
            return Ok(Access::Store(parts));
        }
        let is_missing = |(index, range): &(usize, Range<u64>)| {
            let fetched = self.origin(*index).fetched;
            fetched.is_none_or(|fetched| fetched.slice(range).is_none())
        };
        let mut first = None;
        if let Some(at) = ranges.iter().position(is_missing) {
            let (index, range) = ranges.remove(at);
            let Origin { store, meta, bytes_read, .. } = self.origin(index);
            let bounded = Some(GetRange::Bounded(range.clone()));
            let get = GetOptions { range: bounded, ..GetOptions::default() };
            let result = store.get_opts(&meta.location, get).await;
            let result = result.map_err(|error| header::failed(&*store, &meta, &error))?;
            header::check_unchanged(&*store, &meta, &result.meta)?;
            if let GetResultPayload::File(file, _) = result.payload {
                return Ok(Access::Local(self.opened(index, file).await?));
            }
            let bytes =
                result.bytes().await.map_err(|error| header::failed(&*store, &meta, &error))?;
            header::check_size(&*store, &meta, &bytes, &range)?;
            bytes_read.add(bytes.len());
            first = Some((at, (index, bytes)));
        }
        let mut found = self.get(&ranges).await?;
        if let Some((at, bytes)) = first {
            found.insert(at, bytes);
        }
        put(found, rows.end - rows.start, &mut parts);
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
                Values::Columns(columns, size) if *size > 0 => {
                    let range = |at: &u64| at + rows.start * size..at + rows.end * size;
                    ranges.extend(columns.iter().map(|at| (part.index, range(at))));
                }
                // Chunks are inflated by their own state.
                Values::At(_) | Values::Columns(..) | Values::Chunks(_) | Values::Stream => {}
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

    /// Fetches bytes of members, many at once.
    async fn get(&self, ranges: &[(usize, Range<u64>)]) -> Result<Vec<(usize, Bytes)>> {
        let mut gets = Vec::new();
        for (index, range) in ranges {
            let (origin, range) = (self.origin(*index), range.clone());
            gets.push(async move { Ok::<_, DataFusionError>((*index, origin.get(range).await?)) });
        }
        stream::iter(gets).buffered(COLUMNS).try_collect().await
    }

    /// Fetches bytes of members, and puts them in their places.
    async fn fetch(
        &self,
        ranges: &[(usize, Range<u64>)],
        rows: &Range<u64>,
        into: &mut [Bytes],
    ) -> Result<()> {
        put(self.get(ranges).await?, rows.end - rows.start, into);
        Ok(())
    }

    /// Reads a file of this machine a batch at a time: its rows stay in the cache of the processor.
    fn local(
        self: Arc<Self>,
        mut files: Opened,
        mut rows: Range<u64>,
    ) -> BoxStream<'static, Result<RecordBatch>> {
        let scan = Arc::clone(&self);
        let blocks = std::iter::from_fn(move || {
            if rows.is_empty() {
                return None;
            }
            let end = rows.end.min(rows.start.saturating_add(scan.members.batch));
            let block = scan.read_local(&mut files, &(rows.start..end));
            rows.start = if block.is_ok() { end } else { rows.end };
            Some(block)
        });
        self.flattened(stream::iter(blocks))
    }

    fn read_local(&self, files: &mut Opened, rows: &Range<u64>) -> Batches {
        let mut parts = vec![Bytes::new(); self.files.len()];
        let mut read = |of: &[Part], parts: &mut Rows| {
            let mut found = Vec::new();
            for (index, range) in self.ranges(of, rows, parts) {
                let Some(file) = files.of(index) else {
                    return internal_err!("a column whose file is not open");
                };
                let bytes = read_at(file, &range).map_err(|error| {
                    let Origin { store, meta, .. } = self.origin(index);
                    match error.kind() {
                        std::io::ErrorKind::UnexpectedEof => located(&*store, &meta, &SHORTER),
                        _ => located(&*store, &meta, &error),
                    }
                });
                let bytes = bytes?;
                self.members.origin.bytes_read.add(bytes.len());
                found.push((index, bytes));
            }
            put(found, rows.end - rows.start, parts);
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
        first: Option<Block>,
        rest: impl Iterator<Item = Range<u64>> + Send + 'static,
        readings: Readings,
        is_complete: bool,
    ) -> BoxStream<'static, Result<RecordBatch>> {
        let scan = Arc::clone(&self);
        let mut is_continued = first.is_some();
        let next = stream::iter(rest)
            .map(move |rows| {
                let scan = Arc::clone(&scan);
                let is_continued = std::mem::replace(&mut is_continued, true);
                async move { scan.block(rows, is_continued).await }
            })
            .buffered(REQUESTS);
        let all = stream::iter(first.map(Ok)).chain(next).boxed();
        let scan = Arc::clone(&self);
        let state = Some((all, readings));
        let blocks = stream::unfold(state, move |state| {
            let scan = Arc::clone(&scan);
            async move {
                let (mut blocks, mut readings) = state?;
                let batches = match blocks.next().await {
                    Some(Ok(block)) => scan.inflated(block, &mut readings).await,
                    Some(Err(error)) => Err(error),
                    None if is_complete => {
                        let ends = readings.values_mut().map(Reading::finish);
                        return Some((try_join_all(ends).await.map(|_| Vec::new()), None));
                    }
                    None => return None,
                };
                // Nothing is read after an error.
                let state = batches.is_ok().then_some((blocks, readings));
                Some((batches, state))
            }
        });
        self.flattened(blocks)
    }

    /// Fetches the rows of a block that the condition needs, or all. `is_continued`: the chunks of the row before it were fetched.
    async fn block(&self, rows: Range<u64>, is_continued: bool) -> Result<Block> {
        let mut parts = vec![Bytes::new(); self.files.len()];
        let ranges = self.ranges(&self.first, &rows, &mut parts);
        let (mut numbers, mut gets) = (Vec::new(), Vec::new());
        for part in &self.first {
            let Values::Chunks(index) = &part.values else { continue };
            let chunks = index.of_rows(&rows, is_continued);
            if !chunks.is_empty() {
                gets.push(self.members.origin.get(index.range_of(&chunks)));
                numbers.push((part.index, chunks));
            }
        }
        let fetched = stream::iter(gets).buffered(COLUMNS).try_collect::<Vec<_>>();
        let ((), fetched) = try_join(self.fetch(&ranges, &rows, &mut parts), fetched).await?;
        let numbered = numbers.into_iter().zip(fetched);
        let chunks = numbered.map(|((part, chunks), bytes)| (part, chunks, bytes)).collect();
        Ok(Block { rows, parts, chunks })
    }

    /// Evaluates the condition for a block, and reads the other columns of the rows that meet it.
    async fn inflated(&self, block: Block, readings: &mut Readings) -> Batches {
        let Block { rows, mut parts, chunks } = block;
        for (part, numbers, bytes) in chunks {
            if let Some(reading) = readings.get_mut(&part) {
                reading.inflate(numbers, &bytes).await?;
            }
        }
        let all = [Selected::All];
        self.inflate(
            &self.first,
            &rows,
            || [rows.clone()].into_iter().zip(&all),
            readings,
            &mut parts,
        )
        .await?;
        let selected = self.select(&parts, &rows)?;
        if selected.iter().all(|selected| matches!(selected, Selected::None)) {
            readings.values_mut().for_each(|reading| reading.remove_before(rows.end));
            return Ok(Vec::new());
        }
        let ranges = self.ranges(&self.others, &rows, &mut parts);
        self.fetch(&ranges, &rows, &mut parts).await?;
        let in_file = |batch: Range<u64>| rows.start + batch.start..rows.start + batch.end;
        let batches = || self.batches(&rows).map(in_file).zip(&selected);
        self.inflate(&self.others, &rows, batches, readings, &mut parts).await?;
        readings.values_mut().for_each(|reading| reading.remove_before(rows.end));
        Ok(self.take(&parts, &rows, &selected))
    }

    /// Reads the rows of compressed members that were selected, all at once.
    async fn inflate<'s, B: Iterator<Item = (Range<u64>, &'s Selected)>>(
        &self,
        of: &[Part],
        rows: &Range<u64>,
        selected: impl Fn() -> B,
        readings: &mut Readings,
        parts: &mut Rows,
    ) -> Result<()> {
        let mut reads = Vec::new();
        for (part, reading) in readings.iter_mut() {
            if of.iter().any(|one| one.index == *part) {
                let needed = reading.needed(selected());
                reads.push(async move {
                    Ok::<_, DataFusionError>((*part, reading.rows(rows, needed).await?))
                });
            }
        }
        for (part, bytes) in try_join_all(reads).await? {
            if let Some(slot) = parts.get_mut(part) {
                *slot = bytes;
            }
        }
        Ok(())
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
            let Origin { store, meta, .. } = &self.members.origin;
            let path = header::named(&**store, &meta.location);
            taken.map_err(|error| error.context(path)).transpose()
        };
        self.batches(rows).zip(selected).filter_map(batch).collect()
    }

    /// Returns the rows of a batch, of every member that was read.
    fn slices<'b>(&self, parts: &'b [Bytes], batch: &Range<u64>) -> Vec<columns::Bytes<'b>> {
        let mut slices = vec![columns::Bytes::Lent(&[]); self.files.len()];
        for part in self.first.iter().chain(&self.others) {
            let at = |row: u64| usize::try_from(row * part.row_size).ok();
            if let (Some(slot), Some(bytes), Some(start), Some(end)) =
                (slices.get_mut(part.index), parts.get(part.index), at(batch.start), at(batch.end))
            {
                *slot = columns::Bytes::Lent(bytes.get(start..end).unwrap_or_default());
            }
        }
        slices
    }
}

/// Puts the bytes of members in their places. Of an array in Fortran order there are several columns.
fn put(found: Vec<(usize, Bytes)>, rows: u64, into: &mut [Bytes]) {
    for columns in found.chunk_by(|(a, _), (b, _)| a == b) {
        let [(index, first), ..] = columns else { continue };
        let Some(slot) = into.get_mut(*index) else { continue };
        *slot = match columns {
            [_] => first.clone(),
            _ => interleaved(
                columns,
                first.len() / usize::try_from(rows).unwrap_or(usize::MAX).max(1),
            ),
        };
    }
}

/// Returns rows that have one value of each column.
fn interleaved(columns: &[(usize, Bytes)], size: usize) -> Bytes {
    let row = columns.len() * size;
    let rows = columns.first().map_or(0, |(_, column)| column.len().checked_div(size).unwrap_or(0));
    let mut all = vec![0; rows * row];
    for (number, (_, column)) in columns.iter().enumerate() {
        let places = all
            .chunks_exact_mut(row)
            .filter_map(|row| row.get_mut(number * size..)?.get_mut(..size));
        for (to, from) in places.zip(column.chunks_exact(size)) {
            to.copy_from_slice(from);
        }
    }
    all.into()
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
