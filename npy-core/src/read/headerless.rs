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

impl Reader<File> {
    /// Opens a file without a header, which has the data alone, as NumPy's `tofile` writes it. Its length states the number of rows, each of
    /// the shape `row`; with `&[]`, the array has one dimension.
    ///
    /// ```
    /// use npy_core::{ByteOrder, Reader};
    ///
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// std::fs::write("x.raw", [1, 0, 2, 0, 3, 0, 4, 0])?;
    /// let mut reader = Reader::open_headerless("x.raw", "<u2".parse()?, &[2])?;
    /// assert_eq!(reader.header().shape(), [2, 2]);
    /// assert_eq!(reader.read_array::<u16>()?.into_vec(), [1, 2, 3, 4]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Shape`] if the file ends within a row, or a row has no bytes; [`ErrorKind::DType`] for a sub-array, whose dimensions
    /// belong in the shape; [`ErrorKind::Unsupported`] for Python objects, and for a pipe or a device, which has no length;
    /// [`ErrorKind::Io`].
    #[doc(alias("fromfile"))]
    pub fn open_headerless<P: AsRef<Path>>(path: P, dtype: DType, row: &[usize]) -> Result<Self> {
        ReadOptions::new().open_headerless(path, dtype, row)
    }
}

impl<R: Read> Reader<R> {
    /// Starts at the data of an array without a header, which comes next in `reader`, in C order. For data in Fortran order, reverse the shape.
    /// A part of a file is read by seeking to its start first.
    ///
    /// ```
    /// use npy_core::Reader;
    ///
    /// let data: [u8; 6] = [0, 1, 0, 2, 0, 3];
    /// let mut reader = Reader::headerless(&data[..], ">i2".parse()?, [3])?;
    /// assert_eq!(reader.read_vec::<i16>()?, [1, 2, 3]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Shape`], [`ErrorKind::DType`] and [`ErrorKind::Unsupported`], as for [`open_headerless`](Reader::open_headerless). Data
    /// that is too short is an error of the read.
    #[doc(alias("fromfile", "frombuffer"))]
    pub fn headerless(reader: R, dtype: DType, shape: impl Into<Vec<usize>>) -> Result<Self> {
        ReadOptions::new().headerless(reader, dtype, shape)
    }
}

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
            let shape = shape_of_file(&mut file, &dtype, row)?;
            let header = Header::new(dtype, shape, Order::C)?;
            header.without_objects()?;
            Ok(Reader::of_data(Source::file(file, self.threads)?, header, 0, self))
        };
        match open() {
            Ok(reader) => Ok(reader.within(Place::Path(path.to_owned()))),
            Err(error) => Err(error.in_file(path)),
        }
    }
}

/// Returns the shape of all rows of this shape that the file has.
fn shape_of_file(file: &mut File, dtype: &DType, row: &[usize]) -> Result<Vec<usize>> {
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        let what = "a file without a header that has no length either".into();
        let needs = "Reader::headerless, which is told the shape";
        return Err(ErrorKind::Unsupported { what, needs }.into());
    }
    let row_bytes = shape::bytes_in_file(row, dtype.itemsize())?;
    let bytes = metadata.len().saturating_sub(file.stream_position()?);
    let what = if row.is_empty() { "an element" } else { "a row" };
    let reason = match (bytes.checked_div(row_bytes), bytes.checked_rem(row_bytes)) {
        (Some(rows), Some(0)) => return Ok([&[limits::to_usize(rows)?], row].concat()),
        (None, _) => "a row has no bytes, so the length of the file does not state their number; use Reader::headerless".to_owned(),
        (_, rest) => format!(
            "{what} has {row_bytes} bytes, and the file {bytes}: {} too many",
            rest.unwrap_or(0)
        ),

    };
    Err(ErrorKind::Shape { shape: shape::repr(row), reason }.into())
}
