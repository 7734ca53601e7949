//! Files without a header: the data alone, as NumPy's `tofile` writes it.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;

use super::ReadOptions;
use super::reader::Reader;
use super::source::Source;
use crate::dtype::DType;
use crate::error::{ErrorKind, Place, Result};
use crate::header::Header;
use crate::limits;
use crate::shape::{self, Order};

impl ReadOptions {
    /// Starts at the data of an array without a header; see [`Reader::headerless`].
    ///
    /// ```
    /// use npy_core::{Cast, ReadOptions};
    ///
    /// let bytes = [1, 0, 2, 0];
    /// let mut options = ReadOptions::new();
    /// let mut reader = options.cast(Cast::Lossless).headerless(&bytes[..], "<u2".parse()?, [2])?;
    /// assert_eq!(reader.read_vec::<u32>()?, [1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Reader::headerless`].
    pub fn headerless<R: Read>(
        &self,
        reader: R,
        dtype: DType,
        shape: impl Into<Vec<usize>>,
    ) -> Result<Reader<R>> {
        let header = Header::new(dtype, shape, Order::C)?;
        header.without_objects()?;
        Ok(Reader::of_data(Source::stream(reader), header, 0, self))
    }

    /// Opens a file without a header; see [`Reader::open_headerless`].
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{Cast, ReadOptions};
    ///
    /// std::fs::write("x.raw", [1, 0, 2, 0])?;
    /// let mut options = ReadOptions::new();
    /// let mut reader = options.cast(Cast::Lossless).open_headerless("x.raw", "<u2".parse()?, &[])?;
    /// assert_eq!(reader.read_vec::<u32>()?, [1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Reader::open_headerless`].
    pub fn open_headerless(
        &self,
        path: impl AsRef<Path>,
        dtype: DType,
        row: &[usize],
    ) -> Result<Reader<File>> {
        let path = path.as_ref();
        let open = || -> Result<_> {
            let mut file = File::open(path)?;
            let header = header_of(rest_of(&mut file)?, dtype, row)?;
            Ok(Reader::of_data(Source::file(file, self.threads)?, header, 0, self))
        };
        match open() {
            Ok(reader) => Ok(reader.within(Place::Path(path.to_owned()))),
            Err(error) => Err(error.in_file(path)),
        }
    }
}

/// Returns the number of bytes from the position of the file to its end.
fn rest_of(file: &mut File) -> Result<u64> {
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        let what = "a file without a header that has no length either".into();
        let needs = "Reader::headerless, which is told the shape";
        return Err(ErrorKind::Unsupported { what, needs }.into());
    }
    Ok(metadata.len().saturating_sub(file.stream_position()?))
}

/// Returns the header of the array that all rows of this shape in these bytes are.
pub(crate) fn header_of(bytes: u64, dtype: DType, row: &[usize]) -> Result<Header> {
    let row_bytes = shape::bytes_in_file(row, dtype.itemsize())?;
    let what = if row.is_empty() { "an element" } else { "a row" };
    let reason = match (bytes.checked_div(row_bytes), bytes.checked_rem(row_bytes)) {
        (Some(rows), Some(0)) => {
            let header = Header::new(dtype, [&[limits::to_usize(rows)?], row].concat(), Order::C)?;
            header.without_objects()?;
            return Ok(header);
        }
        (None, _) => "a row has no bytes, so the length of the file does not state their number; use Reader::headerless".to_owned(),
        (_, rest) => format!(
            "{what} has {row_bytes} bytes, and the file {bytes}: {} too many",
            rest.unwrap_or(0)
        ),
    };
    Err(shape::invalid(row, reason))
}
