//! An array whose length is not known at first: each flush overwrites the length in the header.

use std::cmp::Ordering;
use std::io::{self, Seek, SeekFrom, Write};

use super::sink::Sink;
use crate::checked;
use crate::error::{Error, ErrorKind, Result};
use crate::header::growth::Growth;
use crate::limits;
use crate::shape;

/// The header of an array that grows, and the offsets of header and data in the writer.
pub(super) struct Growing<W> {
    seek: fn(&mut W, SeekFrom) -> io::Result<u64>,
    header: Growth,
    /// The offset of the header.
    start: u64,
    /// The offset of the data.
    data: u64,
    stated: GrowingShape,
    /// The number of rows; used only for rows without elements, which the number of elements does
    /// not count.
    empty_rows: usize,
}

/// The shape in the header of an array that grows, along the first dimension.
pub(super) struct GrowingShape {
    pub(super) shape: Vec<usize>,
    /// The number of elements of the Rust type in one row.
    pub(super) row: usize,
    /// The size of such an element in the file, in bytes.
    pub(super) item_size: usize,
}

impl GrowingShape {
    /// Returns the number of rows that the header states.
    pub(super) fn rows(&self) -> usize {
        *checked::some(self.shape.first())
    }

    /// Returns the number of bytes of a row.
    pub(super) fn row_bytes(&self) -> u64 {
        // The header has checked the product, which 32 bits need not hold if there are no rows.
        limits::to_u64(self.row).saturating_mul(limits::to_u64(self.item_size))
    }
}

impl<W: Seek> Growing<W> {
    /// Creates an array whose header and data start at these offsets of the writer.
    pub(super) fn new(header: Growth, (start, data): (u64, u64), stated: GrowingShape) -> Self {
        let empty_rows = stated.rows();
        Growing { seek: W::seek, header, start, data, stated, empty_rows }
    }
}

/// Returns the largest number of items of this many bytes that a file can have.
pub(super) fn most_in_file(item_bytes: usize) -> usize {
    let items = i64::MAX.unsigned_abs().checked_div(limits::to_u64(item_bytes.max(1))).unwrap_or(0);
    usize::try_from(items).unwrap_or(usize::MAX)
}

impl<W> Growing<W> {
    /// Returns the largest number of elements: the file can hold them, and their number of rows
    /// fits in the digits of the header.
    pub(super) fn max_elements(&self) -> usize {
        self.header.max_number().min(self.max_rows()).saturating_mul(self.stated.row)
    }

    /// Returns the largest number of rows that a file can have.
    fn max_rows(&self) -> usize {
        most_in_file(self.stated.row.saturating_mul(self.stated.item_size))
    }

    /// Returns the number of elements in a row.
    pub(super) fn row(&self) -> usize {
        self.stated.row
    }

    /// Returns the offset of the end of this many elements.
    pub(super) fn end(&self, count: usize) -> u64 {
        let bytes = limits::to_u64(count).saturating_mul(limits::to_u64(self.stated.item_size));
        self.data.saturating_add(bytes)
    }

    /// Returns the number of elements that the header states.
    pub(super) fn counted(&self) -> usize {
        checked::mul(self.stated.rows(), self.stated.row)
    }

    /// Returns the dimensions of the array in the file.
    pub(super) fn shape(&self) -> &[usize] {
        &self.stated.shape
    }

    /// Returns the number of complete rows among this many elements.
    pub(super) fn rows_of(&self, count: usize) -> usize {
        count.checked_div(self.stated.row).unwrap_or(self.empty_rows)
    }

    /// Adds a row without elements.
    pub(super) fn add_empty_row(&mut self) -> Result<()> {
        if self.empty_rows >= self.header.max_number().min(self.max_rows()) {
            return Err(self.full());
        }
        self.empty_rows = self.empty_rows.saturating_add(1);
        Ok(())
    }

    /// Returns the error for one element more than `max_elements`.
    pub(super) fn full(&self) -> Error {
        let digits = self.header.digits();
        if self.header.max_number() >= self.max_rows() {
            let reason = "with more elements it would be larger than any memory";
            return shape::invalid(self.shape(), reason);
        }
        let what =
            format!("a length of more than {digits} digits, for which this header has no blanks,");
        let needs = "a longer header: read the array and write it with write_npy, which leaves blanks to grow";
        ErrorKind::Unsupported { what, needs }.into()
    }
}

impl<W: Write> Growing<W> {
    /// Writes the number of complete rows into the header. The caller has written all elements, and the writer is at their end.
    pub(super) fn state(&mut self, count: usize, sink: &mut Sink<W>) -> Result<()> {
        let (rows, end) = (self.rows_of(count), self.end(count));
        if self.header.set(rows).1.is_empty() {
            return Ok(());
        }
        // Also if the write fails: this is then the number that the field of `written_field` has.
        *checked::some(self.stated.shape.first_mut()) = rows;
        let (at, field) = self.written_field();
        sink.attempt(|inner| write_at(inner, self.seek, at, field, end))
    }

    /// Writes the same length into the header again, so that a writer that cannot overwrite its
    /// header fails before elements are written.
    pub(super) fn check_rewrites(&self, inner: &mut W) -> io::Result<()> {
        let (at, field) = self.written_field();
        write_at(inner, self.seek, at, field, self.data)
    }

    /// Returns the offset of the bytes of the header that change, and these bytes: they were or are now written.
    pub(super) fn written_field(&self) -> (u64, &[u8]) {
        let (at, field) = self.header.stated();
        (self.start.saturating_add(limits::to_u64(at)), field)
    }

    /// Refuses elements that do not make complete rows.
    pub(super) fn check_complete(&self, count: usize) -> Result<()> {
        match count.checked_rem(self.stated.row) {
            None | Some(0) => Ok(()),
            Some(part) => {
                let row = self.stated.row;
                let reason = format!(
                    "its last row has {part} of {row} elements; write the rest before finish, or whole rows by RowWriter"
                );
                Err(shape::invalid(self.shape(), reason))
            }
        }
    }
}

/// Writes bytes at an offset, all of them in one write, and seeks to `end`.
fn write_at<W: Write>(
    inner: &mut W,
    seek: fn(&mut W, SeekFrom) -> io::Result<u64>,
    at: u64,
    bytes: &[u8],
    end: u64,
) -> io::Result<()> {
    seek(inner, SeekFrom::Start(at))?;
    inner.write_all(bytes)?;
    // A buffered writer reports its position only after a flush.
    inner.flush()?;
    let found = seek(inner, SeekFrom::Current(0))?;
    check_end(found, at.saturating_add(limits::to_u64(bytes.len())))?;
    seek(inner, SeekFrom::Start(end)).map(drop)
}

/// Refuses a writer whose position after a write is not the end of that write.
pub(crate) fn check_end(position: u64, end: u64) -> io::Result<()> {
    let reason = match position.cmp(&end) {
        Ordering::Equal => return Ok(()),
        Ordering::Greater => {
            "the file was opened with append(true), so every write goes to its end, and what comes first cannot be changed; open it with write(true), or add to an array with Writer::append"
        }
        Ordering::Less => {
            "the position does not follow the writes, as in a device (/dev/null), so what comes first cannot be changed; write to a regular file, or state the length first: write_npy, Writer::with_shape"
        }
    };
    Err(io::Error::new(io::ErrorKind::Unsupported, reason))
}

/// Returns the position of a writer.
pub(super) fn position<W: Seek>(writer: &mut W) -> Result<u64> {
    writer.stream_position().map_err(|error| {
        let reason = format!(
            "the length of the array must be written into its header later, and the writer cannot seek back to it ({error}); use Writer::with_shape, which writes the length first"
        );
        io::Error::new(error.kind(), reason).into()
    })
}
