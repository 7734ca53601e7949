//! A `.npy` file that is read into the memory of arrays.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use npy_core::{Header, Reader};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::blocks;
use crate::error::{exception, io_exception};
use crate::header;
use crate::memory::{Bytes, owned, writable};

/// The bytes that are read at once when a file is opened: its header, and all of a small array.
const FIRST_READ: usize = 4 << 10;

/// An open file whose header has been read.
#[pyclass(frozen)]
pub(crate) struct ArrayFile {
    file: File,
    path: PathBuf,
    header: Header,
    offset: u64,
    /// The number of bytes in the file.
    length: u64,
    /// The start of the file.
    start: Vec<u8>,
}

/// The result of opening a file by its path.
#[derive(IntoPyObject)]
pub(crate) enum Opened {
    Array(ArrayFile),
    /// `"archive"`, or `"stream"` for a pipe or a device, which cannot be read at positions.
    Other(&'static str),
}

/// Opens a file, and reads its header if it is a regular one that is not an archive.
#[pyfunction]
pub(crate) fn open_array(py: Python<'_>, path: PathBuf) -> PyResult<Opened> {
    py.detach(|| ArrayFile::open(path))
}

impl ArrayFile {
    pub(crate) fn open(path: PathBuf) -> PyResult<Opened> {
        let named = |error| io_exception(error, &path);
        let mut file = File::open(&path).map_err(named)?;
        let mut start = vec![0; FIRST_READ];
        // A pipe has nothing to be read yet, and what is read of it is lost.
        let length = match file.metadata().map_err(named)? {
            metadata if metadata.is_dir() => {
                return Err(named(std::io::ErrorKind::IsADirectory.into()));
            }
            metadata if !metadata.is_file() => return Ok(Opened::Other("stream")),
            metadata => metadata.len(),
        };
        let read = read_start(&mut file, &mut start).map_err(named)?;
        start.truncate(read);
        if start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06") {
            return Ok(Opened::Other("archive"));
        }
        // A header that is larger than the first read, or wrong, or half-written at this moment: the library reads it, or says why not.
        let (header, offset) = match Header::parse(&start) {
            Ok((header, offset)) => (header, offset as u64),
            Err(_) => {
                let reader = Reader::open(&path).map_err(exception)?;
                (reader.header().clone(), reader.data_offset())
            }
        };
        Ok(Opened::Array(ArrayFile { file, path, header, offset, length, start }))
    }

    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the data if all of it was read with the header.
    fn data_in_start(&self) -> Option<&[u8]> {
        let data = self.start.get(usize::try_from(self.offset).ok()?..)?;
        data.get(..usize::try_from(self.header.data_bytes()).ok()?)
    }

    /// Returns the start of the file, with all of its data, if it is small, and the position of the data.
    pub(crate) fn small(self) -> Option<(Header, Vec<u8>, usize)> {
        self.data_in_start()?;
        let offset = usize::try_from(self.offset).ok()?;
        let mut start = self.start;
        start.shrink_to_fit();
        Some((self.header, start, offset))
    }

    /// Fills the memory with the data from this position on.
    pub(crate) fn fill(&self, from: u64, memory: &mut [u8], threads: usize) -> PyResult<()> {
        let small = self.data_in_start().and_then(|data| {
            let from = usize::try_from(from).ok()?;
            data.get(from..from.checked_add(memory.len())?)
        });
        if let Some(data) = small {
            memory.copy_from_slice(data);
            return Ok(());
        }
        blocks::read(&self.file, self.offset + from, memory, threads)
            .map_err(|error| io_exception(error, &self.path))
    }
}

/// Reads until the buffer is full, or the file ends.
fn read_start(file: &mut File, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    loop {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => return Ok(filled),
            // A short read of a regular file is its end.
            Ok(n) => {
                filled += n;
                return Ok(filled);
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[pymethods]
impl ArrayFile {
    /// The parts of the header.
    #[getter]
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<header::Parts<'py>> {
        header::parts(py, &self.header)
    }

    /// The position of the data in the file.
    #[getter]
    fn offset(&self) -> u64 {
        self.offset
    }

    /// The bytes of data that the header states, and those that the file has.
    #[getter]
    fn lengths(&self) -> (u64, u64) {
        (self.header.data_bytes(), self.length.saturating_sub(self.offset))
    }

    /// Fills an array of bytes with the data from this position on.
    fn read_into(
        &self,
        py: Python<'_>,
        memory: &Bytes<'_>,
        from: u64,
        threads: usize,
    ) -> PyResult<()> {
        let mut borrowed = writable(memory)?;
        let memory = borrowed.as_slice_mut()?;
        py.detach(|| self.fill(from, memory, threads))
    }

    /// Returns rows as bytes in C order, of a file in Fortran order, and their shape.
    fn read_rows<'py>(
        &self,
        py: Python<'py>,
        first: usize,
        count: usize,
    ) -> PyResult<(Bytes<'py>, Bound<'py, PyTuple>)> {
        let read = || -> npy_core::Result<_> {
            let mut reader = Reader::open(&self.path)?;
            reader.seek_to_row(first)?;
            reader.read_dyn_chunk(count)
        };
        let array = py.detach(read).map_err(exception)?;
        let shape = PyTuple::new(py, array.shape())?;
        Ok((owned(py, array.into_bytes()), shape))
    }
}
