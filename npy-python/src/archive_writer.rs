//! Archives that are written and changed.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, TryLockError};

use npy_core::npz::{Editor, WriteOptions, Writer};
use npy_core::{DynView, Objects, Order, ReadNpy, WriteNpy};
use pyo3::prelude::*;

use crate::error::{exception, new};
use crate::interrupt;
use crate::memory::{Bytes, readable};

/// An archive that appears, or changes, when it is finished.
enum Archive {
    New(Box<Writer<File>>),
    Edited(Box<Editor>),
    /// No archive: each change is checked as if it was the only one.
    Checked,
}

impl Archive {
    fn open(mode: &str, path: PathBuf, options: &mut WriteOptions) -> PyResult<Self> {
        match mode {
            "edit" => options.edit(path).map(Box::new).map(Archive::Edited).map_err(exception),
            "check" => Ok(Archive::Checked),
            _ => options
                .keep_existing(mode == "create_new")
                .create(path)
                .map(Box::new)
                .map(Archive::New)
                .map_err(exception),
        }
    }

    fn write<A: WriteNpy + ?Sized>(&mut self, name: &str, array: &A) -> npy_core::Result<()> {
        match self {
            Archive::New(writer) => writer.write(name, array),
            Archive::Edited(editor) => editor.write(name, array),
            Archive::Checked => checked(name, array),
        }
    }

    fn remove(&mut self, name: &str) -> npy_core::Result<()> {
        match self {
            Archive::Edited(editor) => editor.remove(name),
            // A member that was not written needs no removal.
            _ => Ok(()),
        }
    }

    fn rename(&mut self, from: &str, to: &str) -> npy_core::Result<()> {
        match self {
            Archive::Edited(editor) => editor.rename(from, to),
            _ => checked(to, &[0_u8; 0]),
        }
    }

    fn finish(self) -> PyResult<()> {
        match self {
            Archive::New(writer) => writer.finish().map(drop).map_err(exception),
            Archive::Edited(editor) => editor.finish().map_err(exception),
            Archive::Checked => Ok(()),
        }
    }

    fn discard(self) {
        match self {
            Archive::New(writer) => writer.discard(),
            Archive::Edited(editor) => editor.discard(),
            Archive::Checked => {}
        }
    }
}

/// Writes an array to nowhere, which fails as it would in an archive.
fn checked<A: WriteNpy + ?Sized>(name: &str, array: &A) -> npy_core::Result<()> {
    let mut archive = WriteOptions::new().interrupt(interrupt::check).stream(io::sink());
    let written = archive.write(name, array);
    archive.discard();
    written
}

/// An archive that is written or edited.
#[pyclass(frozen)]
pub(crate) struct ArchiveWriter {
    /// `None` once it is closed. Threads that share an archive take turns in Python. Only the handler of a signal finds it locked.
    archive: Mutex<Option<Archive>>,
}

#[pymethods]
impl ArchiveWriter {
    /// The mode is `edit`, `create`, `create_new` or `check`. A level of zero stores.
    #[new]
    fn open(
        py: Python<'_>,
        path: PathBuf,
        mode: &str,
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
        let archive = py.detach(|| Archive::open(mode, path, &mut options))?;
        Ok(ArchiveWriter { archive: Mutex::new(Some(archive)) })
    }

    /// Writes an array from its memory.
    fn write(
        &self,
        py: Python<'_>,
        name: &str,
        descr: &str,
        shape: Vec<usize>,
        is_fortran: bool,
        memory: &Bytes<'_>,
    ) -> PyResult<()> {
        let borrowed = readable(memory)?;
        let (bytes, order) = (borrowed.as_slice()?, order(is_fortran));
        self.change(py, |archive| {
            archive.write(name, &DynView::new(descr.parse()?, shape, order, bytes)?)
        })
    }

    /// Writes the bytes of a file with objects.
    fn write_objects(&self, py: Python<'_>, name: &str, file: &[u8]) -> PyResult<()> {
        self.change(py, |archive| archive.write(name, &Objects::read_npy_from(file)?))
    }

    fn remove(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        self.change(py, |archive| archive.remove(name))
    }

    fn rename(&self, py: Python<'_>, from: &str, to: &str) -> PyResult<()> {
        self.change(py, |archive| archive.rename(from, to))
    }

    /// Makes the archive what was written.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        let archive = self.archive()?.take().ok_or_else(closed)?;
        py.detach(|| archive.finish())
    }

    /// Leaves the old archive, if there is one.
    fn discard(&self) -> PyResult<()> {
        if let Some(archive) = self.archive()?.take() {
            archive.discard();
        }
        Ok(())
    }
}

impl ArchiveWriter {
    /// Changes the archive while other threads of Python run.
    fn change(
        &self,
        py: Python<'_>,
        change: impl FnOnce(&mut Archive) -> npy_core::Result<()> + Send,
    ) -> PyResult<()> {
        let mut guard = self.archive()?;
        let archive = guard.as_mut().ok_or_else(closed)?;
        py.detach(|| change(archive)).map_err(exception)
    }

    /// Returns the archive if no other call uses it. Waiting would be forever if that call is below this one, in the same thread.
    fn archive(&self) -> PyResult<MutexGuard<'_, Option<Archive>>> {
        match self.archive.try_lock() {
            Ok(guard) => Ok(guard),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(new(
                "NpyValueError",
                "another call writes to the archive at this moment; change it when that call has ended",
            )),
        }
    }
}

fn order(is_fortran: bool) -> Order {
    if is_fortran { Order::Fortran } else { Order::C }
}

fn closed() -> PyErr {
    new("NpyValueError", "the archive is closed; open it again")
}
