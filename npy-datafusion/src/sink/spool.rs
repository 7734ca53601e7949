//! Keeps the records of one file until their number is known: some in memory, the others in a temporary file.

use std::io::Write;
use std::sync::Arc;

use bytes::Bytes;
use datafusion::common::exec_datafusion_err;
use datafusion::error::Result;
use datafusion::execution::disk_manager::DiskManager;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::execution::{SpillFile, SpillWriter};
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use npy_core::dtype::DType;
use npy_core::{DynArray, Header, Order};

use crate::columns::flat;
use crate::header::external;

/// The bytes of a file that are kept in memory, unless the memory pool of the session has less.
pub(super) const IN_MEMORY: usize = 8 << 20;

/// The bytes that are converted at a time if the dtype has become wider.
const BLOCK: usize = 1 << 20;

/// The bytes of a file that has all its rows.
pub(super) struct Complete {
    pub(super) header: Vec<u8>,
    /// The number of bytes after the header.
    pub(super) size: u64,
    pub(super) rows: BoxStream<'static, Result<Bytes>>,
}

/// The records of one file.
pub(super) struct Spool {
    /// Rows of one dtype each. Each dtype holds all values of those before it: only text becomes wider.
    runs: Vec<Run>,
    memory: Vec<u8>,
    reservation: MemoryReservation,
    disk: Arc<DiskManager>,
    file: Option<(Arc<dyn SpillFile>, Box<dyn SpillWriter>)>,
}

struct Run {
    /// The dtype of a row.
    dtype: DType,
    rows: u64,
}

impl Spool {
    pub(super) fn new(runtime: Arc<RuntimeEnv>) -> Self {
        let reservation = MemoryConsumer::new("NpySink").with_can_spill(true);
        Spool {
            runs: Vec::new(),
            memory: Vec::new(),
            reservation: reservation.register(&runtime.memory_pool),
            disk: Arc::clone(&runtime.disk_manager),
            file: None,
        }
    }

    /// Returns the file; `None` if nothing was added, not even an array without rows.
    pub(super) fn complete(self) -> Result<Option<Complete>> {
        if self.runs.is_empty() {
            return Ok(None);
        }
        let (header, size) = (self.header()?, self.size());
        Ok(Some(Complete { header, size, rows: self.rows()? }))
    }

    /// Adds the rows of an array.
    pub(super) fn push(&mut self, array: &DynArray) -> Result<()> {
        let Some((&rows, inner)) = array.shape().split_first() else {
            return Err(exec_datafusion_err!("an array without rows"));
        };
        let dtype = array.dtype().array(inner).map_err(external)?;
        match self.runs.last_mut() {
            Some(run) if run.dtype == dtype => run.rows += rows as u64,
            // The dtype of a batch without rows says nothing about text.
            Some(run) if run.rows == 0 => *run = Run { dtype, rows: rows as u64 },
            _ => self.runs.push(Run { dtype, rows: rows as u64 }),
        }
        let bytes = array.as_bytes();
        if self.memory.len() + bytes.len() > IN_MEMORY
            || self.reservation.try_grow(bytes.len()).is_err()
        {
            return Ok(self.spill()?.write_all(bytes)?);
        }
        self.memory.extend_from_slice(bytes);
        Ok(())
    }

    /// Moves the records in memory to the file, and returns the file.
    fn spill(&mut self) -> Result<&mut dyn SpillWriter> {
        let (_, writer) = match &mut self.file {
            Some(file) => file,
            none => {
                let file = self.disk.create_tmp_file("writing a .npy file")?;
                let writer = file.open_writer()?;
                none.insert((file, writer))
            }
        };
        writer.write_all(&self.memory)?;
        self.memory.clear();
        self.reservation.free();
        Ok(&mut **writer)
    }

    /// Returns the header of the file.
    fn header(&self) -> Result<Vec<u8>> {
        let rows = self.runs.iter().map(|run| run.rows).sum::<u64>();
        let rows = usize::try_from(rows).map_err(external)?;
        let dtype = self.runs.last().map(|run| &run.dtype);
        let dtype = dtype.ok_or_else(|| exec_datafusion_err!("a file without a batch"))?;
        let (base, shape) = flat(dtype, rows);
        let header = Header::new(base, shape, Order::C).map_err(external)?;
        header.to_bytes().map_err(external)
    }

    /// Returns the number of bytes of all rows in the file.
    fn size(&self) -> u64 {
        let size = self.runs.last().map_or(0, |run| run.dtype.itemsize() as u64);
        self.runs.iter().map(|run| run.rows.saturating_mul(size)).fold(0, u64::saturating_add)
    }

    /// Returns the bytes of all rows, in the dtype of the header.
    fn rows(mut self) -> Result<BoxStream<'static, Result<Bytes>>> {
        let memory = futures::stream::iter([Ok(Bytes::from(std::mem::take(&mut self.memory)))]);
        let bytes = match self.file.take() {
            None => memory.boxed(),
            Some((file, mut writer)) => {
                writer.flush()?;
                writer.finish()?;
                let stored = file.read_stream()?;
                // The file is removed when its last owner is dropped.
                stored.chain(memory).inspect_ok(move |_| _ = &file).boxed()
            }
        };
        let Some(Run { dtype: last, .. }) = self.runs.last() else { return Ok(bytes) };
        if self.runs.len() == 1 {
            return Ok(bytes.inspect_ok(move |_| _ = &self.reservation).boxed());
        }
        let mut widening = Widening { to: last.clone(), carry: Vec::new(), spool: self, run: 0 };
        let bytes = bytes.map(Some).chain(futures::stream::iter([None]));
        Ok(bytes.map(move |bytes| widening.push(bytes.transpose()?)).boxed())
    }
}

/// Converts rows to the dtype of the last run.
struct Widening {
    to: DType,
    /// The bytes that are not converted yet.
    carry: Vec<u8>,
    spool: Spool,
    run: usize,
}

impl Widening {
    /// Adds bytes, and returns the rows that are converted; without bytes, all that remain.
    fn push(&mut self, bytes: Option<Bytes>) -> Result<Bytes> {
        let is_end = bytes.is_none();
        self.carry.extend_from_slice(&bytes.unwrap_or_default());
        if self.carry.len() < BLOCK && !is_end {
            return Ok(Bytes::new());
        }
        let (mut converted, mut start) = (Vec::new(), 0);
        while let Some(run) = self.spool.runs.get_mut(self.run) {
            let size = run.dtype.itemsize();
            let here = self.carry.len() - start;
            let rows = here.checked_div(size).map_or(run.rows, |rows| run.rows.min(rows as u64));
            let count = usize::try_from(rows).map_err(external)?;
            let end = start + count * size;
            let records = self.carry.get(start..end).unwrap_or_default();
            if run.dtype == self.to {
                converted.extend_from_slice(records);
            } else {
                let (base, shape) = flat(&run.dtype, count);
                let array = DynArray::new(base, shape, Order::C, records.to_vec());
                let array = array.and_then(|array| array.cast(&flat(&self.to, count).0));
                converted.extend_from_slice(array.map_err(external)?.as_bytes());
            }
            start = end;
            run.rows -= rows;
            if run.rows > 0 {
                break;
            }
            self.run += 1;
        }
        self.carry.drain(..start);
        Ok(converted.into())
    }
}
