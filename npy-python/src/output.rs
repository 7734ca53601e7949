//! A file that replaces another one when it is complete.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

use pyo3::prelude::*;
use whole_file::Destination;

use crate::error::{io_exception, new};
use crate::interrupt;
use crate::memory::{Bytes, readable};

/// The bytes that are written between two questions for signals.
const BLOCK: usize = 4 << 20;

/// A new file. Without `finish`, the old one stays; with `keep_existing`, it always stays.
#[pyclass]
pub(crate) struct NewFile {
    path: PathBuf,
    parts: Option<(File, Destination)>,
}

#[pymethods]
impl NewFile {
    #[new]
    fn create(path: PathBuf, sync: bool, keep_existing: bool) -> PyResult<Self> {
        let mut options = whole_file::Options::new();
        options.prefix(".npy-").sync(sync).keep_existing(keep_existing);
        let file = options.create(&path).map_err(|error| io_exception(error, &path))?;
        Ok(NewFile { path, parts: Some(file.into_parts()) })
    }

    /// Writes bytes.
    fn write(&mut self, py: Python<'_>, bytes: &[u8]) -> PyResult<()> {
        self.put(py, bytes)
    }

    /// Writes the memory of an array.
    fn write_memory(&mut self, py: Python<'_>, memory: &Bytes<'_>) -> PyResult<()> {
        let borrowed = readable(memory)?;
        self.put(py, borrowed.as_slice()?)
    }

    /// Gives the file its name.
    fn finish(&mut self, py: Python<'_>) -> PyResult<()> {
        let Some((file, destination)) = self.parts.take() else {
            return Err(new("NpyValueError", "the file is already complete; open another one"));
        };
        py.detach(|| destination.finish(file))
            .map(drop)
            .map_err(|error| io_exception(error, &self.path))
    }

    /// Removes the new file.
    fn discard(&mut self) {
        self.parts = None;
    }
}

impl NewFile {
    fn put(&mut self, py: Python<'_>, bytes: &[u8]) -> PyResult<()> {
        let Some((file, _)) = &mut self.parts else {
            return Err(new("NpyValueError", "the file is already complete; open another one"));
        };
        let write = || {
            for block in bytes.chunks(BLOCK) {
                file.write_all(block)?;
                interrupt::check()?;
            }
            Ok(())
        };
        py.detach(write).map_err(|error| io_exception(error, &self.path))
    }
}
