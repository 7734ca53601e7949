//! One of the arrays that are joined, as bytes in C order.

use npy_core::{Cast, DType, Header, Order};

use crate::output::{Failure, Of, Result};
use crate::source::{self, AnyReader, Selection, Source};
use crate::target::Target;

/// An array whose bytes are taken part by part.
pub(super) struct Input<'a> {
    target: &'a Target,
    header: Header,
    /// `None` while it is closed: there may be thousands of files. A stream cannot be opened again.
    source: Option<Source>,
    /// The number of rows that were read, and the bytes of the last of them, taken up to here.
    rows: usize,
    block: Vec<u8>,
    taken: usize,
}

/// How inputs are read.
#[derive(Clone, Copy)]
pub(super) struct Reading<'a> {
    /// The dtype of the result.
    pub(super) dtype: &'a DType,
    /// The most bytes of a block, if a row has fewer.
    pub(super) block: usize,
    /// True if files are closed after each block.
    pub(super) closes: bool,
    /// The end of the error for a value that does not fit.
    pub(super) advice: &'a str,
}

impl<'a> Input<'a> {
    /// Reads the header of an array, after its slice. A stream stays open.
    pub(super) fn open(target: &'a Target) -> Result<(Self, Header)> {
        let reader = source::open(target)?.into_array(target)?;
        source::tell_of_rest(&reader, target);
        let header = Selection::of(reader.header(), target)?.header().clone();
        let is_plain = !header.shape().is_empty() && !header.dtype().has_object();
        let source = match target.is_stream() && is_plain {
            true => Some(source_of(reader, target)?),
            false => None,
        };
        let input =
            Input { target, header: header.clone(), source, rows: 0, block: Vec::new(), taken: 0 };
        Ok((input, header))
    }

    /// Passes the next bytes to a function, block by block.
    pub(super) fn take(
        &mut self,
        mut bytes: u64,
        reading: Reading<'_>,
        mut write: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        while bytes > 0 {
            if self.taken == self.block.len() {
                self.read(reading)?;
            }
            let rest = &self.block[self.taken..];
            let length = usize::try_from(bytes).unwrap_or(usize::MAX).min(rest.len());
            write(&rest[..length])?;
            self.taken += length;
            bytes -= length as u64;
        }
        // Of thousands of inputs, those at their end keep no memory.
        if self.taken == self.block.len() {
            (self.block, self.taken) = (Vec::new(), 0);
        }
        Ok(())
    }

    /// Reads the next block, which has rows.
    fn read(&mut self, reading: Reading<'_>) -> Result<()> {
        let changed = || {
            let message = "the file changed while it was read; run the command again";
            Failure::new(self.target, message)
        };
        let source = match &mut self.source {
            Some(source) => source,
            closed => {
                let reader = source::open(self.target)?.into_array(self.target)?;
                let selection = Selection::of(reader.header(), self.target)?;
                let found = selection.header();
                if (found.shape(), found.dtype()) != (self.header.shape(), self.header.dtype()) {
                    return Err(changed());
                }
                let source = closed.insert(source_of(reader, self.target)?);
                source.skip(self.rows);
                source
            }
        };
        let most = (reading.block / source.row_bytes().max(1)).max(1);
        let rows = source.next(source.rows_per_block().min(most))?.ok_or_else(changed)?;
        self.rows = source.position();
        let is_at_end = self.rows == source.rows();
        if (reading.closes || is_at_end) && !self.target.is_stream() {
            self.source = None;
        }
        self.block = match rows.dtype() == reading.dtype {
            true => rows.into_bytes(),
            false => {
                let cast = rows.cast_with(reading.dtype, Cast::Lossless).of(self.target);
                cast.map_err(|failure| failure.with(reading.advice))?.into_bytes()
            }
        };
        self.taken = 0;
        Ok(())
    }
}

/// Reads rows, or elements if they have the order of the result: a row may be large.
fn source_of(reader: AnyReader, target: &Target) -> Result<Source> {
    let is_contiguous = target.slice.is_none() && reader.header().order() == Order::C;
    Source::of(if is_contiguous { reader.flatten().of(target)? } else { reader }, target)
}
