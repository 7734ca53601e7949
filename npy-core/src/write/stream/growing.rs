//! An array whose length is stated when it is flushed: the number in the header is written anew.

use std::io::{self, Seek, SeekFrom, Write};

use super::sink::Sink;
use crate::error::{Error, ErrorKind, Result};
use crate::header::growth::Growth;
use crate::limits;
use crate::shape;

/// The reason why a write went elsewhere.
pub(crate) const APPENDS: &str = "the file was opened with append(true), so every write goes to its end, and what comes first cannot be changed; open it with write(true), or add to an array with Writer::append";

/// The header of an array that grows, and the offsets of both in the writer.
pub(super) struct Growing<W> {
    seek: fn(&mut W, SeekFrom) -> io::Result<u64>,
    header: Growth,
    /// The offsets of the header and of the data.
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
    /// An array whose header starts at the first of these offsets of the writer, and whose data at the second.
    pub(super) fn new(header: Growth, (start, data): (u64, u64), stated: Stated) -> Self {
        Growing { seek: W::seek, header, start, data, stated }
    }
}

impl<W> Growing<W> {
    /// How many items there may be: as many as the header has digits for, and as an array can have.
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
        let what =
            format!("a length of more than {digits} digits, for which this header has no blanks,");
        let needs = "a longer header: read the array and write it with write_npy, which leaves blanks to grow";
        ErrorKind::Unsupported { what, needs }.into()
    }
}

impl<W: Write> Growing<W> {
    /// Writes into the header how many whole rows there are. All items are written, and the writer is at their end.
    pub(super) fn state(&mut self, count: usize, sink: &mut Sink<W>) -> Result<()> {
        let rows = count.checked_div(self.stated.row).unwrap_or(0);
        let (at, field) = self.header.set(rows);
        if field.is_empty() {
            return Ok(());
        }
        let data = limits::to_u64(count.saturating_mul(self.stated.item_size));
        let (at, end) = (offset(self.start, at), self.data.saturating_add(data));
        sink.attempt(|inner| write_at(inner, self.seek, at, field, end))?;
        if let Some(length) = self.stated.shape.get_mut(self.stated.axis) {
            *length = rows;
        }
        Ok(())
    }

    /// Writes the number over itself, before there is an item that could be lost: a writer that cannot go back says so now.
    pub(super) fn check_rewrites(&self, inner: &mut W) -> io::Result<()> {
        let (at, field) = self.header.stated();
        write_at(inner, self.seek, offset(self.start, at), field, self.data)
    }

    /// Refuses items that make no whole row.
    pub(super) fn check_whole(&self, count: usize) -> Result<()> {
        match count.checked_rem(self.stated.row) {
            None | Some(0) => Ok(()),
            Some(part) => {
                let reason =
                    format!("only {part} of {} items came for the next row", self.stated.row);
                Err(ErrorKind::Shape { shape: shape::repr(&self.stated.shape), reason }.into())
            }
        }
    }
}

fn offset(start: u64, at: usize) -> u64 {
    start.saturating_add(limits::to_u64(at))
}

/// Writes bytes at an offset, all of them in one write, and goes to `end`.
fn write_at<W: Write>(
    inner: &mut W,
    seek: fn(&mut W, SeekFrom) -> io::Result<u64>,
    at: u64,
    bytes: &[u8],
    end: u64,
) -> io::Result<()> {
    seek(inner, SeekFrom::Start(at))?;
    inner.write_all(bytes)?;
    // The position of a writer with a buffer is known once that is written.
    inner.flush()?;
    let written = seek(inner, SeekFrom::Current(0))?;
    if written != at.saturating_add(limits::to_u64(bytes.len())) {
        return Err(io::Error::new(io::ErrorKind::Unsupported, APPENDS));
    }
    seek(inner, SeekFrom::Start(end)).map(drop)
}

/// The position of a writer, if it can tell.
pub(super) fn position<W: Seek>(writer: &mut W) -> Result<u64> {
    writer.stream_position().map_err(|error| {
        let reason = format!(
            "the length of the array is to be written into its header later, and this cannot go back there ({error}); Writer::with_shape states it at once"
        );
        io::Error::new(error.kind(), reason).into()
    })
}
