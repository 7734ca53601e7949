//! An array whose length is stated when it is flushed: the number in the header is written anew.

use std::io::{self, Seek, SeekFrom, Write};

use super::sink::Sink;
use crate::error::{Error, ErrorKind, Result};
use crate::header::growth::Growth;
use crate::limits;
use crate::shape;

/// The header of an array that grows, and where both stand in the writer.
pub(super) struct Growing<W> {
    seek: fn(&mut W, SeekFrom) -> io::Result<u64>,
    header: Growth,
    /// Where the header starts in the writer, and where the data does.
    start: u64,
    data: u64,
    stated: Stated,
}

/// What a header states of an array that grows.
pub(super) struct Stated {
    /// All dimensions, and which of them grows.
    pub(super) shape: Vec<usize>,
    pub(super) axis: usize,
    /// How many items of the Rust type make one step of it, and how many bytes an item.
    pub(super) row: usize,
    pub(super) item_size: usize,
}

impl<W: Seek> Growing<W> {
    /// Behind this header, which starts there in the writer.
    pub(super) fn new(header: &[u8], start: u64, stated: Stated) -> Result<Self> {
        let data = start.saturating_add(limits::to_u64(header.len()));
        let header = Growth::new(header, stated.axis)?;
        Ok(Growing { seek: W::seek, header, start, data, stated })
    }
}

impl<W> Growing<W> {
    /// How many items there may be: as many as the header has room to say, and as an array can have.
    pub(super) fn most(&self) -> usize {
        self.header.most().min(self.most_rows()).saturating_mul(self.stated.row)
    }

    /// How many rows an array of such items can have.
    fn most_rows(&self) -> usize {
        let row_bytes = self.stated.row.saturating_mul(self.stated.item_size).max(1);
        isize::MAX.unsigned_abs().checked_div(row_bytes).unwrap_or(0)
    }

    /// The error for one item more than that.
    pub(super) fn full(&self) -> Error {
        let digits = self.header.digits();
        if self.header.most() > self.most_rows() {
            let reason = "with more items it is larger than any memory".into();
            return ErrorKind::Shape { shape: shape::repr(&self.stated.shape), reason }.into();
        }
        let what = format!(
            "a length of more than {digits} digits, which is all this header has room for,"
        );
        let needs = "a longer header: read the array and write it with write_npy, which leaves room to grow";
        ErrorKind::Unsupported { what, needs }.into()
    }
}

impl<W: Write> Growing<W> {
    /// Writes into the header how many whole rows there are. All items are written, and the writer stands behind them.
    pub(super) fn state(&mut self, count: usize, sink: &mut Sink<W>) -> Result<()> {
        let rows = count.checked_div(self.stated.row).unwrap_or(0);
        let (at, bytes) = self.header.set(rows);
        if bytes.is_empty() {
            return Ok(());
        }
        let patch = self.start.saturating_add(limits::to_u64(at));
        let data = limits::to_u64(count.saturating_mul(self.stated.item_size));
        let end = self.data.saturating_add(data);
        let seek = self.seek;
        sink.attempt(|inner| {
            seek(inner, SeekFrom::Start(patch))?;
            inner.write_all(bytes)?;
            seek(inner, SeekFrom::Start(end))?;
            inner.flush()
        })?;
        if let Some(length) = self.stated.shape.get_mut(self.stated.axis) {
            *length = rows;
        }
        Ok(())
    }

    /// Refuses items that make no whole row.
    pub(super) fn check_whole(&self, count: usize) -> Result<()> {
        match count.checked_rem(self.stated.row) {
            None | Some(0) => Ok(()),
            Some(part) => {
                let reason =
                    format!("only {part} of {} items came for the row behind it", self.stated.row);
                Err(ErrorKind::Shape { shape: shape::repr(&self.stated.shape), reason }.into())
            }
        }
    }
}

/// Where a writer stands, if it can tell.
pub(super) fn position<W: Seek>(writer: &mut W) -> Result<u64> {
    writer.stream_position().map_err(|error| {
        let reason = format!(
            "the length of the array is to be written into its header later, and this cannot go back there ({error}); Writer::with_shape states it at once"
        );
        io::Error::new(error.kind(), reason).into()
    })
}
