//! The reader of an array, from wherever it comes.

use std::io::{Cursor, Read, Seek};

use npy_core::{DynArray, Header, Order, Reader};

use super::file::Archive;
use super::stream::Stream;
use super::widened::Widened;
use crate::ml_dtype::{MlDtype, RawNumbers};
use crate::output::{Failure, Of, Result};
use crate::target::Target;

/// A reader of any origin.
pub(crate) struct AnyReader {
    reader: Box<dyn DynReader>,
    origin: Origin,
    seek: Seeking,
    /// The stream that it reads, if its origin is one.
    stream: Option<Stream>,
    /// The numbers that raw bytes are, if the file says so.
    numbers: Option<MlDtype>,
}

/// How a reader moves to a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Seeking {
    /// At no cost.
    Free,
    /// By inflating the chunk that has the row: a compressed member with a seek index.
    Chunks,
    /// It can only read on.
    Never,
}

/// The source of an array.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Origin {
    File,
    /// A member of an archive that is not compressed.
    Stored,
    /// A member that is compressed.
    Compressed,
    Stream,
    /// A tensor of a safetensors file.
    Tensor,
    /// Text that was read, or the indices of Python objects.
    Memory,
    /// A file without a header.
    Raw,
}

/// The methods of a reader that do not depend on its source.
pub(super) trait DynReader {
    fn header(&self) -> &Header;
    fn data_offset(&self) -> u64;
    fn read_rows(&mut self, rows: usize) -> npy_core::Result<DynArray>;
    fn read_all(&mut self) -> npy_core::Result<DynArray>;
    fn seek_to_row(&mut self, row: usize) -> npy_core::Result<()>;
    fn flatten(self: Box<Self>) -> npy_core::Result<Box<dyn DynReader>>;
}

impl<R: Read + Seek + 'static> DynReader for Reader<R> {
    fn header(&self) -> &Header {
        self.header()
    }

    fn data_offset(&self) -> u64 {
        self.data_offset()
    }

    fn read_rows(&mut self, rows: usize) -> npy_core::Result<DynArray> {
        self.read_dyn_chunk(rows)
    }

    fn read_all(&mut self) -> npy_core::Result<DynArray> {
        self.read_dyn()
    }

    fn seek_to_row(&mut self, row: usize) -> npy_core::Result<()> {
        self.seek_to_row(row)
    }

    fn flatten(self: Box<Self>) -> npy_core::Result<Box<dyn DynReader>> {
        Ok(Box::new((*self).flatten()?))
    }
}

impl AnyReader {
    pub(super) fn new<R: Read + Seek + 'static>(reader: Reader<R>, origin: Origin) -> Self {
        let seek = match origin {
            Origin::File | Origin::Stored | Origin::Tensor | Origin::Memory | Origin::Raw => {
                Seeking::Free
            }
            Origin::Compressed | Origin::Stream => Seeking::Never,
        };
        AnyReader { reader: Box::new(reader), origin, seek, stream: None, numbers: None }
    }

    pub(super) fn of_stream(reader: Reader<Stream>, stream: Stream) -> Self {
        AnyReader { stream: Some(stream), ..AnyReader::new(reader, Origin::Stream) }
    }

    /// Reads an array that is in memory, in C order.
    pub(crate) fn of_array(array: DynArray, name: &str) -> Result<Self> {
        let (dtype, shape) = (array.dtype().clone(), array.shape().to_vec());
        let reader = Reader::headerless(Cursor::new(array.into_bytes()), dtype, shape);
        Ok(AnyReader::new(reader.of(&name)?, Origin::Memory))
    }

    /// Opens a member of an archive.
    pub(crate) fn member(archive: &Archive, name: &str) -> npy_core::Result<Self> {
        let is_compressed = archive.is_compressed(name)?;
        let origin = if is_compressed { Origin::Compressed } else { Origin::Stored };
        let mut reader = archive.member(name, origin)?;
        if is_compressed && archive.is_seekable(name)? {
            reader.seek = Seeking::Chunks;
        }
        Ok(reader)
    }

    /// Says which numbers the raw bytes are.
    pub(crate) fn with_numbers(self, numbers: Option<MlDtype>) -> Self {
        AnyReader { numbers, ..self }
    }

    /// Returns the numbers that the raw bytes are, by the option or the file.
    pub(crate) fn numbers(&self, option: &RawNumbers) -> Option<MlDtype> {
        let dtype = self.header().dtype();
        option.of(dtype).or(self.numbers.filter(|numbers| numbers.fits(dtype)))
    }

    /// Reads raw bytes as the numbers that they are, by the option or the file.
    pub(crate) fn widened(self, option: &RawNumbers) -> npy_core::Result<Self> {
        let Some(numbers) = self.numbers(option) else { return Ok(self) };
        let reader = Box::new(Widened::new(self.reader, numbers)?);
        Ok(AnyReader { reader, numbers: None, ..self })
    }

    /// Like `widened`. It is an error if the option is for other bytes.
    pub(crate) fn numbers_of(self, option: &RawNumbers, target: &Target) -> Result<Self> {
        if option.is_named() && self.numbers(option).is_none() {
            let dtype = self.header().dtype();
            let message = format!(
                "--void names numbers that are saved as raw bytes of one size, V1 or V2, and its dtype is {dtype}; leave the option out"
            );
            return Err(Failure::new(target, message));
        }
        self.widened(option).of(target)
    }

    pub(crate) fn origin(&self) -> Origin {
        self.origin
    }

    pub(crate) fn header(&self) -> &Header {
        self.reader.header()
    }

    pub(super) fn stream(&self) -> Option<&Stream> {
        self.stream.as_ref()
    }

    /// Returns the offset of the data in the file or the member.
    pub(crate) fn data_offset(&self) -> u64 {
        self.reader.data_offset()
    }

    /// Returns the next rows, in C order.
    pub(crate) fn read_rows(&mut self, rows: usize) -> npy_core::Result<DynArray> {
        self.reader.read_rows(rows)
    }

    /// Reads the complete array.
    pub(crate) fn read_all(&mut self) -> npy_core::Result<DynArray> {
        self.reader.read_all()
    }

    /// Treats the array as one of one dimension, in the order of the file.
    pub(crate) fn flatten(self) -> npy_core::Result<Self> {
        Ok(AnyReader { reader: self.reader.flatten()?, ..self })
    }

    /// Returns how the reader moves to a row.
    pub(super) fn seeking(&self) -> Seeking {
        self.seek
    }

    /// Returns true for a small compressed member whose checksum is compared at its end alone.
    pub(super) fn is_checked_at_end(&self) -> bool {
        /// A larger member is not inflated to its end for a few of its rows.
        const SMALL: u64 = 4 << 20;
        let is_small = (1..=SMALL).contains(&self.header().data_bytes());
        self.origin == Origin::Compressed
            && self.seek == Seeking::Never
            && is_small
            && !self.header().dtype().has_object()
    }

    /// Moves to a row; returns false if the reader cannot.
    pub(super) fn seek_to_row(&mut self, row: usize) -> npy_core::Result<bool> {
        if self.seek == Seeking::Never {
            return Ok(false);
        }
        self.reader.seek_to_row(row).map(|()| true)
    }

    /// Returns true if the elements of a row are strided in the file.
    pub(super) fn is_strided(&self) -> bool {
        let long = self.header().shape().iter().filter(|&&length| length != 1).count();
        self.header().order() == Order::Fortran && long > 1
    }
}
