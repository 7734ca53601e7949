//! Reads rows that are contiguous: those of a `.npy` file.

use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::buffer::Buffer;
use datafusion::common::exec_datafusion_err;
use datafusion::error::{DataFusionError, Result};
use datafusion::physical_plan::metrics::Count;
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use object_store::{GetOptions, GetRange, GetResultPayload, ObjectMeta, ObjectStore};

use crate::archive::Fetched;
use crate::columns::{self, Columns, MAX_SKIPPED};
use crate::header::{self, SHORTER, located};

/// The bytes of one request to a store that is not this machine, and the most bytes of a batch of several rows.
pub(crate) const REQUEST: u64 = 8 << 20;

/// The bytes of a batch of rows, which stay in the cache of the processor until all columns are made of them, and its least number of rows.
const BATCH: u64 = 384 << 10;
const LEAST: u64 = 256;

/// Returns the most rows of a batch.
pub(crate) fn largest_batch(row_size: u64) -> u64 {
    let least = REQUEST.checked_div(row_size).unwrap_or(REQUEST).clamp(1, LEAST);
    BATCH.checked_div(row_size).unwrap_or(REQUEST).max(least)
}

/// The requests for one file that are under way at a time.
pub(crate) const REQUESTS: usize = 2;

/// A file, and the columns that are wanted of it.
#[derive(Clone)]
pub(crate) struct Records {
    pub(crate) store: Arc<dyn ObjectStore>,
    pub(crate) meta: ObjectMeta,
    /// The position of the first row of the file.
    pub(crate) start: u64,
    /// The size of a row in bytes, which is not 0.
    pub(crate) row_size: u64,
    pub(crate) columns: Arc<Columns>,
    /// The number of rows of a batch.
    pub(crate) batch: u64,
    pub(crate) bytes_read: Count,
    /// The bytes that were fetched with the header.
    pub(crate) fetched: Option<Fetched>,
}

impl Records {
    /// Returns these rows as batches.
    pub(crate) async fn stream(
        self,
        rows: Range<u64>,
    ) -> Result<BoxStream<'static, Result<RecordBatch>>> {
        // Of a store, some batches are one request. It tells whether the file is one of this machine.
        let block = (REQUEST / self.row_size / self.batch).max(1) * self.batch;
        let first = rows.start..rows.end.min(rows.start.saturating_add(block));
        let fetched = self.fetched.as_ref().filter(|_| first.end == rows.end);
        if let Some(bytes) = fetched.and_then(|fetched| fetched.slice(&self.bytes_of(&first))) {
            self.bytes_read.add(bytes.len());
            return Ok(futures::stream::iter(self.batches(bytes)).boxed());
        }
        let range = Some(GetRange::Bounded(self.bytes_of(&first)));
        let get = GetOptions { range, ..GetOptions::default() };
        let result = self.store.get_opts(&self.meta.location, get).await;
        let result = result.map_err(|error| header::failed(&*self.store, &self.meta, &error))?;
        header::check_unchanged(&*self.store, &self.meta, &result.meta)?;
        if let GetResultPayload::File(file, _) = result.payload {
            return self.read_local(file, rows);
        }
        let bytes = result
            .bytes()
            .await
            .map_err(|error| header::failed(&*self.store, &self.meta, &error))?;
        header::check_size(&*self.store, &self.meta, &bytes, &self.bytes_of(&first))?;
        self.bytes_read.add(bytes.len());
        let rest = first.end..rows.end;
        let starts = rest.clone().step_by(usize::try_from(block).unwrap_or(usize::MAX));
        let parts: Vec<_> =
            starts.map(|start| start..rest.end.min(start.saturating_add(block))).collect();
        let scan = self.clone();
        // The next block is fetched while one is looked at.
        let fetched = futures::stream::iter(parts)
            .map(move |rows| {
                let scan = scan.clone();
                async move {
                    let bytes = header::get(&scan.store, &scan.meta, scan.bytes_of(&rows)).await?;
                    scan.bytes_read.add(bytes.len());
                    Ok::<_, DataFusionError>(bytes)
                }
            })
            .buffered(REQUESTS);
        let blocks = futures::stream::once(async { Ok(bytes) }).chain(fetched);
        Ok(blocks
            .map_ok(move |bytes| futures::stream::iter(self.batches(bytes)))
            .try_flatten()
            .boxed())
    }

    /// Reads a file of this machine a batch at a time into one buffer, which stays in the cache of the processor. It is another one if a column has kept it.
    fn read_local(
        self,
        mut file: std::fs::File,
        rows: Range<u64>,
    ) -> Result<BoxStream<'static, Result<RecordBatch>>> {
        file.seek(SeekFrom::Start(self.bytes_of(&rows).start))?;
        let (mut rows, mut buffer) = (rows, Buffer::default());
        let batches = std::iter::from_fn(move || {
            for _ in 0..MAX_SKIPPED {
                if rows.is_empty() {
                    return None;
                }
                let end = rows.end.min(rows.start.saturating_add(self.batch));
                let part = std::mem::replace(&mut rows.start, end)..end;
                match self.read(&mut file, part, &mut buffer) {
                    Ok(None) => {}
                    Ok(Some(batch)) => return Some(Ok(batch)),
                    Err(error) => {
                        rows.start = rows.end;
                        return Some(Err(error));
                    }
                }
            }
            Some(Ok(self.columns.none()))
        });
        Ok(futures::stream::iter(batches).boxed())
    }

    /// Reads the next rows of a file; `None` if no row passes the condition.
    fn read(
        &self,
        file: &mut std::fs::File,
        rows: Range<u64>,
        buffer: &mut Buffer,
    ) -> Result<Option<RecordBatch>> {
        let range = self.bytes_of(&rows);
        let size = usize::try_from(range.end - range.start)
            .map_err(|_| exec_datafusion_err!("a batch of {} rows is too large", self.batch))?;
        // Arrow aligns its buffers. Some processors copy from the cache of files at less than half the speed to an address that is up to 32 bytes
        // after the position of the bytes in their page, as that of a `Vec` may be.
        let mut bytes = std::mem::take(buffer).into_mutable().unwrap_or_default();
        bytes.resize(size, 0);
        file.read_exact(&mut bytes).map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => located(&*self.store, &self.meta, &SHORTER),
            _ => located(&*self.store, &self.meta, &error),
        })?;
        self.bytes_read.add(size);
        *buffer = bytes.into();
        self.convert(columns::Bytes::Shared(buffer), rows.end - rows.start)
    }

    /// Returns the batches of a block. Each is made when it is requested, because the condition may have changed until then.
    fn batches(&self, block: Bytes) -> impl Iterator<Item = Result<RecordBatch>> + use<> {
        let (scan, size) = (self.clone(), self.row_size);
        let part = usize::try_from(self.batch * size).unwrap_or(usize::MAX);
        (0..block.len()).step_by(part).filter_map(move |start| {
            let end = block.len().min(start.saturating_add(part));
            let rows = block.get(start..end).unwrap_or_default();
            scan.convert(columns::Bytes::Lent(rows), rows.len() as u64 / size).transpose()
        })
    }

    fn convert(&self, records: columns::Bytes<'_>, count: u64) -> Result<Option<RecordBatch>> {
        let batch = self.columns.read(records, count);
        batch.map_err(|error| error.context(header::named(&*self.store, &self.meta.location)))
    }

    /// Returns the position of these rows in the file. The header has been compared with the size of the file.
    fn bytes_of(&self, rows: &Range<u64>) -> Range<u64> {
        let position = |row: u64| self.start + row * self.row_size;
        position(rows.start)..position(rows.end)
    }
}
