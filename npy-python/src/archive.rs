//! Archives that are read.

use std::collections::HashSet;
use std::fs::File;
use std::io::{Cursor, Read, Seek};
use std::path::PathBuf;

use npy_core::npz::{self, Member, ReadOptions, Reader};
use npy_core::{DynArray, Header, Objects, Order};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use crate::error::{exception, new};
use crate::header::{self, Parts};
use crate::interrupt;
use crate::memory::{Bytes, owned, writable};
use crate::objects::array_of;

/// The bytes that are inflated between two copies into the memory of an array; they stay in the cache.
const BLOCK: usize = 1 << 20;

/// An archive in a file, or in memory.
enum Source {
    File(Reader<File>),
    Bytes(Reader<Cursor<Vec<u8>>>),
}

/// Options by which Ctrl-C ends each read.
fn options() -> ReadOptions {
    let mut options = ReadOptions::new();
    options.interrupt(interrupt::check);
    options
}

/// An archive.
#[pyclass(frozen)]
pub(crate) struct Archive {
    source: Source,
}

/// Calls a method of whichever reader it is.
macro_rules! with {
    ($archive:expr, $reader:ident => $result:expr) => {
        match &$archive.source {
            Source::File($reader) => $result,
            Source::Bytes($reader) => $result,
        }
    };
}

#[pymethods]
impl Archive {
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf, threads: usize) -> PyResult<Self> {
        let open = || options().threads(threads).open(path);
        Ok(Archive { source: Source::File(py.detach(open).map_err(exception)?) })
    }

    #[staticmethod]
    fn of_bytes(py: Python<'_>, bytes: Vec<u8>) -> PyResult<Self> {
        let open = || options().reader(Cursor::new(bytes));
        Ok(Archive { source: Source::Bytes(py.detach(open).map_err(exception)?) })
    }

    /// The names of the members in the archive. Those of arrays end with `.npy`.
    ///
    /// A reader shows a name without `.npy`, unless another member has the shorter one.
    fn file_names(&self) -> Vec<String> {
        let shown: HashSet<&str> = with!(self, reader => reader.names().collect());
        let in_archive = |name: &str| {
            let file = format!("{name}.npy");
            let is_shown = shown.contains(&file[..]);
            match !is_shown && with!(self, reader => reader.contains(&file)) {
                true => file,
                false => name.to_owned(),
            }
        };
        with!(self, reader => reader.names().map(in_archive).collect())
    }

    /// The parts of the header of a member.
    fn header<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Parts<'py>> {
        let header = py.detach(|| with!(self, reader => reader.header(name))).map_err(exception)?;
        header::parts(py, &header)
    }

    fn is_seekable(&self, name: &str) -> PyResult<bool> {
        with!(self, reader => reader.is_seekable(name)).map_err(exception)
    }

    /// The parts of the header of a member, the position of the data in it, and its own position in the file if it is stored.
    fn place<'py>(&self, py: Python<'py>, name: &str) -> PyResult<(Parts<'py>, u64, Option<u64>)> {
        let find = || -> npy_core::Result<_> {
            let range = with!(self, reader => reader.stored_range(name))?;
            let (header, offset) = with!(self, reader => start_of(&reader.member(name)?));
            Ok((header, offset, range.map(|range| range.start)))
        };
        let (header, offset, position) = py.detach(find).map_err(exception)?;
        Ok((header::parts(py, &header)?, offset, position))
    }

    /// The bytes of a member, whatever it is.
    fn read_bytes<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyBytes>> {
        let bytes =
            py.detach(|| with!(self, reader => reader.read_bytes(name))).map_err(exception)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// A member with objects.
    fn read_objects<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let read = || with!(self, reader => reader.read::<DynArray>(name));
        let pickled = py.detach(read).map_err(exception)?;
        array_of(py, pickled)?.map_err(|error| {
            // The same error once more, with the name of the member.
            let again = py.detach(|| with!(self, reader => reader.read::<Objects>(name)));
            exception(again.err().unwrap_or(error))
        })
    }

    /// A member as bytes in its own order, read by the threads of the archive.
    fn read_whole<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bytes<'py>> {
        let array: DynArray =
            py.detach(|| with!(self, reader => reader.read(name))).map_err(exception)?;
        Ok(owned(py, array.into_bytes()))
    }

    /// Fills an array of bytes with the data of rows from this one on. In Fortran order, only with all of the data.
    fn read_into(
        &self,
        py: Python<'_>,
        name: &str,
        first: usize,
        memory: &Bytes<'_>,
    ) -> PyResult<()> {
        let mut borrowed = writable(memory)?;
        let memory = borrowed.as_slice_mut()?;
        py.detach(|| with!(self, reader => fill(reader, name, first, memory)))
    }

    /// Rows as bytes in C order, of a member in Fortran order, and their shape.
    fn read_rows<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        first: usize,
        count: usize,
    ) -> PyResult<(Bytes<'py>, Bound<'py, PyTuple>)> {
        let array = py.detach(|| with!(self, reader => rows(reader, name, first, count)));
        let array = array.map_err(exception)?;
        let shape = PyTuple::new(py, array.shape())?;
        Ok((owned(py, array.into_bytes()), shape))
    }
}

fn start_of<R: Read + Seek>(array: &npy_core::Reader<Member<R>>) -> (Header, u64) {
    (array.header().clone(), array.data_offset())
}

fn rows<R: Read + Seek>(
    archive: &npz::Reader<R>,
    name: &str,
    first: usize,
    count: usize,
) -> npy_core::Result<DynArray> {
    let mut array = archive.member(name)?;
    array.seek_to_row(first)?;
    array.read_dyn_chunk(count)
}

/// Copies rows into memory, block by block.
fn fill<R: Read + Seek>(
    archive: &npz::Reader<R>,
    name: &str,
    first: usize,
    memory: &mut [u8],
) -> PyResult<()> {
    let mut array = archive.member(name).map_err(exception)?;
    let header = array.header().clone();
    let is_strided = header.order() == Order::Fortran && header.shape().len() > 1;
    if header.shape().is_empty() || is_strided {
        let whole = array.read_dyn().map_err(exception)?;
        return copy(memory, whole.as_bytes());
    }
    if first > 0 {
        array.seek_to_row(first).map_err(exception)?;
    }
    let rows = header.shape().first().copied().unwrap_or(1).max(1);
    let row_bytes = usize::try_from(header.data_bytes()).map_err(|_| too_large())? / rows;
    let mut rest = memory;
    while !rest.is_empty() {
        let count = (BLOCK / row_bytes.max(1)).clamp(1, rest.len() / row_bytes.max(1));
        let block = array.read_dyn_chunk(count).map_err(exception)?;
        let bytes = block.as_bytes();
        if bytes.is_empty() {
            return Err(new(
                "NpyTruncatedError",
                format!("member {name:?}: its rows ended early; write the archive again"),
            ));
        }
        let (to, left) = rest.split_at_mut(bytes.len().min(rest.len()));
        copy(to, bytes)?;
        rest = left;
    }
    Ok(())
}

fn copy(memory: &mut [u8], bytes: &[u8]) -> PyResult<()> {
    if memory.len() != bytes.len() {
        return Err(new("NpyValueError", "the archive changed while it was read; open it again"));
    }
    memory.copy_from_slice(bytes);
    Ok(())
}

fn too_large() -> PyErr {
    new(
        "NpyMemoryError",
        "the member is larger than the memory of this machine can be; read rows of it",
    )
}
