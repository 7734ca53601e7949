//! Rows at the end of a file.

use std::path::PathBuf;
use std::{mem, process};

use npy_core::DynRowAppender;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::error::{exception, new};
use crate::memory::{Bytes, readable};

/// A file that grows.
#[pyclass]
pub(crate) struct Appender {
    writer: Option<DynRowAppender>,
    /// The process that opened the file.
    process: u32,
}

/// A forked process has a copy of the rows that its parent will write, and must not write them, too.
impl Drop for Appender {
    fn drop(&mut self) {
        if self.process != process::id() {
            mem::forget(self.writer.take());
        }
    }
}

#[pymethods]
impl Appender {
    #[new]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let writer = py.detach(|| DynRowAppender::open(path)).map_err(exception)?;
        Ok(Appender { writer: Some(writer), process: process::id() })
    }

    /// The dtype as a literal.
    #[getter]
    fn descr(&self) -> PyResult<String> {
        Ok(self.writer()?.dtype().descr())
    }

    #[getter]
    fn row_shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.writer()?.row_shape())
    }

    /// The number of rows.
    #[getter]
    fn count(&self) -> PyResult<usize> {
        Ok(self.writer()?.count())
    }

    /// Appends the rows in the memory of an array of the file's dtype, in C order.
    fn append(&mut self, py: Python<'_>, memory: &Bytes<'_>) -> PyResult<()> {
        let borrowed = readable(memory)?;
        let bytes = borrowed.as_slice()?;
        let writer = self.writer.as_mut().ok_or_else(closed)?;
        py.detach(|| writer.append_bytes(bytes)).map_err(exception)
    }

    /// Makes the rows visible to other readers.
    fn flush(&mut self, py: Python<'_>) -> PyResult<()> {
        let writer = self.writer.as_mut().ok_or_else(closed)?;
        py.detach(|| writer.flush()).map_err(exception)
    }

    /// Removes the rows that were not flushed, and closes the file.
    fn discard(&mut self) {
        if let Some(writer) = self.writer.take() {
            writer.discard();
        }
    }

    /// Writes what is left, and closes the file.
    fn finish(&mut self, py: Python<'_>) -> PyResult<()> {
        match self.writer.take() {
            Some(writer) => py.detach(|| writer.finish()).map_err(exception),
            None => Ok(()),
        }
    }
}

impl Appender {
    fn writer(&self) -> PyResult<&DynRowAppender> {
        self.writer.as_ref().ok_or_else(closed)
    }
}

fn closed() -> PyErr {
    new("NpyValueError", "the writer is closed; open another one with append=True")
}
