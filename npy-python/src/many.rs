//! Many small files: they are read by threads, without the lock of the interpreter, and their arrays own the bytes that were read.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

use npy_core::{Header, Order};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::array_file::{ArrayFile, Opened};
use crate::memory::owned;

/// The number of files that are read before their arrays are made.
const BATCH: usize = 256;

/// A file that was read, or that `load` reads: one that is too large to be kept twice, and one that failed, because `load` has the advice.
enum Read {
    Small(Header, Vec<u8>, usize),
    Other,
}

/// Reads files. `dtype_of` returns the dtype of a literal, and `load` reads a file that is not small, or not a sound array without objects.
#[pyfunction]
pub(crate) fn read_many<'py>(
    py: Python<'py>,
    paths: Vec<PathBuf>,
    threads: usize,
    dtype_of: &Bound<'py, PyAny>,
    load: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyList>> {
    let arrays = PyList::empty(py);
    let ndarray = py.import(intern!(py, "numpy"))?.getattr(intern!(py, "ndarray"))?;
    let mut last: Option<(Header, Bound<'py, PyAny>)> = None;
    for batch in paths.chunks(BATCH) {
        py.check_signals()?;
        for (path, read) in batch.iter().zip(py.detach(|| read_batch(batch, threads))) {
            let Read::Small(header, bytes, offset) = read else {
                arrays.append(load.call1((path,))?)?;
                continue;
            };
            // Small files tend to have the same dtype.
            let dtype = match &last {
                Some((known, dtype)) if known.dtype() == header.dtype() => dtype.clone(),
                _ => {
                    let dtype = dtype_of.call1((header.dtype().descr(),))?;
                    last = Some((header.clone(), dtype.clone()));
                    dtype
                }
            };
            let shape = PyTuple::new(py, header.shape())?;
            let order = if header.order() == Order::Fortran { "F" } else { "C" };
            let strides: Option<()> = None;
            let buffer = owned(py, bytes);
            arrays.append(ndarray.call1((shape, dtype, buffer, offset, strides, order))?)?;
        }
    }
    Ok(arrays)
}

/// Reads some files, in their order.
fn read_batch(paths: &[PathBuf], threads: usize) -> Vec<Read> {
    let threads = threads.clamp(1, paths.len());
    if threads == 1 {
        return paths.iter().map(|path| read(path)).collect();
    }
    let part = paths.len().div_ceil(threads);
    let results = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for (i, part) in paths.chunks(part).enumerate() {
            let results = &results;
            scope.spawn(move || {
                let read: Vec<_> = part.iter().map(|path| read(path)).collect();
                results.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((i, read));
            });
        }
    });
    let mut parts = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    parts.sort_by_key(|(i, _)| *i);
    parts.into_iter().flat_map(|(_, part)| part).collect()
}

fn read(path: &Path) -> Read {
    let Ok(Opened::Array(file)) = ArrayFile::open(path.to_owned()) else { return Read::Other };
    if file.header().dtype().has_object() || file.header().data_bytes() == 0 {
        return Read::Other;
    }
    match file.small() {
        Some((header, bytes, offset)) => Read::Small(header, bytes, offset),
        None => Read::Other,
    }
}
