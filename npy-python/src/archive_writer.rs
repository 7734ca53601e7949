//! Archives that are written and changed.

use std::fs::File;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use npy_core::npz::{Editor, WriteOptions, Writer};
use npy_core::{DType, DynView, Objects, Order, ReadNpy};
use pyo3::prelude::*;
use whole_file::Destination;

use crate::error::{exception, io_exception, new};
use crate::interrupt::Interruptible;
use crate::memory::{Bytes, readable};

/// The options of `savez`: a level of zero stores.
fn options(level: u8, threads: usize, seekable: bool) -> WriteOptions {
    let mut options = WriteOptions::new();
    if level > 0 {
        options.deflate(level);
    }
    if !seekable {
        options.seek_every(0);
    }
    options.threads(threads);
    options
}

/// A new archive, which replaces the old one when it is complete.
#[pyclass]
pub(crate) struct ArchiveWriter {
    path: PathBuf,
    /// The mutex is only for the compiler: threads of Python take turns anyway.
    parts: Mutex<Option<(Writer<Interruptible<File>>, Destination)>>,
}

#[pymethods]
impl ArchiveWriter {
    #[new]
    fn create(path: PathBuf, level: u8, threads: usize, seekable: bool) -> PyResult<Self> {
        let mut file_options = whole_file::Options::new();
        file_options.prefix(".npy-");
        let file = file_options.create(&path).map_err(|error| io_exception(error, &path))?;
        let (file, destination) = file.into_parts();
        let writer = options(level, threads, seekable).writer(Interruptible::new(file));
        let writer = writer.map_err(exception)?;
        Ok(ArchiveWriter { path, parts: Mutex::new(Some((writer, destination))) })
    }

    /// Writes an array from its memory.
    fn write(
        &mut self,
        py: Python<'_>,
        name: &str,
        descr: &str,
        shape: Vec<usize>,
        is_fortran: bool,
        memory: &Bytes<'_>,
    ) -> PyResult<()> {
        let (writer, _) = of(&mut self.parts).as_mut().ok_or_else(complete)?;
        let (dtype, borrowed) = (dtype(descr)?, readable(memory)?);
        let bytes = borrowed.as_slice()?;
        py.detach(|| writer.write(name, &DynView::new(dtype, shape, order(is_fortran), bytes)?))
            .map_err(exception)
    }

    /// Writes the bytes of a file with objects.
    fn write_objects(&mut self, py: Python<'_>, name: &str, file: &[u8]) -> PyResult<()> {
        let (writer, _) = of(&mut self.parts).as_mut().ok_or_else(complete)?;
        py.detach(|| writer.write(name, &Objects::read_npy_from(file)?)).map_err(exception)
    }

    /// Replaces the old archive.
    fn finish(&mut self, py: Python<'_>) -> PyResult<()> {
        let (writer, destination) = of(&mut self.parts).take().ok_or_else(complete)?;
        let file = py.detach(|| writer.finish()).map_err(exception)?;
        py.detach(|| destination.finish(file.inner))
            .map(drop)
            .map_err(|error| io_exception(error, &self.path))
    }

    /// Removes the new archive.
    fn discard(&mut self) {
        if let Some((writer, _)) = of(&mut self.parts).take() {
            writer.discard();
        }
    }
}

/// An archive that is changed at the end, or not at all.
#[pyclass]
pub(crate) struct ArchiveEditor {
    editor: Mutex<Option<Editor>>,
}

#[pymethods]
impl ArchiveEditor {
    #[new]
    fn open(
        py: Python<'_>,
        path: PathBuf,
        level: u8,
        threads: usize,
        seekable: bool,
    ) -> PyResult<Self> {
        let open = || options(level, threads, seekable).edit(path);
        Ok(ArchiveEditor { editor: Mutex::new(Some(py.detach(open).map_err(exception)?)) })
    }

    fn names(&mut self) -> PyResult<Vec<String>> {
        let editor = of(&mut self.editor).as_ref().ok_or_else(complete)?;
        Ok(editor.names().map(str::to_owned).collect())
    }

    /// Writes an array from its memory, to the archive that will be.
    fn write(
        &mut self,
        py: Python<'_>,
        name: &str,
        descr: &str,
        shape: Vec<usize>,
        is_fortran: bool,
        memory: &Bytes<'_>,
    ) -> PyResult<()> {
        let editor = of(&mut self.editor).as_mut().ok_or_else(complete)?;
        let (dtype, borrowed) = (dtype(descr)?, readable(memory)?);
        let bytes = borrowed.as_slice()?;
        py.detach(|| editor.write(name, &DynView::new(dtype, shape, order(is_fortran), bytes)?))
            .map_err(exception)
    }

    /// Writes the bytes of a file with objects.
    fn write_objects(&mut self, py: Python<'_>, name: &str, file: &[u8]) -> PyResult<()> {
        let editor = of(&mut self.editor).as_mut().ok_or_else(complete)?;
        py.detach(|| editor.write(name, &Objects::read_npy_from(file)?)).map_err(exception)
    }

    fn remove(&mut self, name: &str) -> PyResult<()> {
        of(&mut self.editor).as_mut().ok_or_else(complete)?.remove(name).map_err(exception)
    }

    fn rename(&mut self, from: &str, to: &str) -> PyResult<()> {
        of(&mut self.editor).as_mut().ok_or_else(complete)?.rename(from, to).map_err(exception)
    }

    fn finish(&mut self, py: Python<'_>) -> PyResult<()> {
        let editor = of(&mut self.editor).take().ok_or_else(complete)?;
        py.detach(|| editor.finish()).map_err(exception)
    }

    fn discard(&mut self) {
        if let Some(editor) = of(&mut self.editor).take() {
            editor.discard();
        }
    }
}

/// Returns the value of a mutex that nobody else has.
fn of<T>(mutex: &mut Mutex<T>) -> &mut T {
    mutex.get_mut().unwrap_or_else(PoisonError::into_inner)
}

fn dtype(descr: &str) -> PyResult<DType> {
    descr.parse().map_err(exception)
}

fn order(is_fortran: bool) -> Order {
    if is_fortran { Order::Fortran } else { Order::C }
}

fn complete() -> PyErr {
    new("NpyValueError", "the archive is closed; open it again")
}
