//! Archives that are written and changed.

use std::fs::File;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use npy_core::npz::{Editor, WriteOptions, Writer};
use npy_core::{DynView, Objects, Order, ReadNpy, WriteNpy};
use pyo3::prelude::*;

use crate::error::{exception, new};
use crate::interrupt;
use crate::memory::{Bytes, readable};

/// An archive that appears, or changes, when it is finished.
enum Archive {
    /// A new archive, which replaces an old one.
    New(Box<Writer<File>>),
    Edited(Box<Editor>),
}

impl Archive {
    fn write<A: WriteNpy + ?Sized>(&mut self, name: &str, array: &A) -> npy_core::Result<()> {
        match self {
            Archive::New(writer) => writer.write(name, array),
            Archive::Edited(editor) => editor.write(name, array),
        }
    }

    fn finish(self) -> npy_core::Result<()> {
        match self {
            Archive::New(writer) => writer.finish().map(drop),
            Archive::Edited(editor) => editor.finish(),
        }
    }

    fn discard(self) {
        match self {
            Archive::New(writer) => writer.discard(),
            Archive::Edited(editor) => editor.discard(),
        }
    }
}

/// An archive that is written or edited.
#[pyclass]
pub(crate) struct ArchiveWriter {
    /// `None` once it is closed. The mutex is only for the compiler: threads of Python take turns anyway.
    archive: Mutex<Option<Archive>>,
}

#[pymethods]
impl ArchiveWriter {
    /// A level of zero stores.
    #[new]
    fn open(
        py: Python<'_>,
        path: PathBuf,
        is_edited: bool,
        level: u8,
        threads: usize,
        seekable: bool,
    ) -> PyResult<Self> {
        let mut options = WriteOptions::new();
        options.threads(threads).interrupt(interrupt::check);
        if level > 0 {
            options.deflate(level);
        }
        if !seekable {
            options.seek_every(0);
        }
        let archive = py.detach(|| match is_edited {
            true => options.edit(path).map(Box::new).map(Archive::Edited),
            false => options.create(path).map(Box::new).map(Archive::New),
        });
        Ok(ArchiveWriter { archive: Mutex::new(Some(archive.map_err(exception)?)) })
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
        let archive = self.archive().as_mut().ok_or_else(closed)?;
        let borrowed = readable(memory)?;
        let (bytes, order) = (borrowed.as_slice()?, order(is_fortran));
        py.detach(|| archive.write(name, &DynView::new(descr.parse()?, shape, order, bytes)?))
            .map_err(exception)
    }

    /// Writes the bytes of a file with objects.
    fn write_objects(&mut self, py: Python<'_>, name: &str, file: &[u8]) -> PyResult<()> {
        let archive = self.archive().as_mut().ok_or_else(closed)?;
        py.detach(|| archive.write(name, &Objects::read_npy_from(file)?)).map_err(exception)
    }

    fn remove(&mut self, name: &str) -> PyResult<()> {
        self.editor()?.remove(name).map_err(exception)
    }

    fn rename(&mut self, from: &str, to: &str) -> PyResult<()> {
        self.editor()?.rename(from, to).map_err(exception)
    }

    /// Makes the archive what was written.
    fn finish(&mut self, py: Python<'_>) -> PyResult<()> {
        let archive = self.archive().take().ok_or_else(closed)?;
        py.detach(|| archive.finish()).map_err(exception)
    }

    /// Leaves the old archive, if there is one.
    fn discard(&mut self) {
        if let Some(archive) = self.archive().take() {
            archive.discard();
        }
    }
}

impl ArchiveWriter {
    fn archive(&mut self) -> &mut Option<Archive> {
        self.archive.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    fn editor(&mut self) -> PyResult<&mut Editor> {
        match self.archive() {
            Some(Archive::Edited(editor)) => Ok(editor),
            _ => Err(closed()),
        }
    }
}

fn order(is_fortran: bool) -> Order {
    if is_fortran { Order::Fortran } else { Order::C }
}

fn closed() -> PyErr {
    new("NpyValueError", "the archive is closed; open it again")
}
