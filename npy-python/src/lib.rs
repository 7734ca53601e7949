//! The native part of the Python package `npy_core`: `python/npy_core` has the public names.
//!
//! - `array_file.rs` reads the bytes of a file into the memory of an array, and `blocks.rs` by several threads;
//! - `many.rs` reads small files;
//! - `header.rs` reads and writes headers;
//! - `objects.rs` makes Python values of objects, as data, and `plain.rs` finds those that would not come back as they were;
//! - `output.rs` writes files that replace others when they are complete, and `append.rs` adds rows to one;
//! - `archive.rs` reads archives, and `archive_writer.rs` writes and changes them;
//! - `scan.rs` makes an Arrow stream of files;
//! - `command.rs` has the command and what it finds in files;
//! - `interrupt.rs` lets Ctrl-C end long work;
//! - `memory.rs` borrows the memory of NumPy's arrays;
//! - `error.rs` makes Python's exceptions of errors.

mod append;
mod archive;
mod archive_writer;
mod array_file;
mod blocks;
mod command;
mod error;
mod header;
mod interrupt;
mod many;
mod memory;
mod objects;
mod output;
mod plain;
mod scan;

use pyo3::pymodule;

/// The native part of `npy_core`; its names are private.
#[pymodule]
mod _native {
    use numpy::{PyArray1, PyArrayMethods};
    use pyo3::prelude::*;

    /// Takes the tables of NumPy's functions. At the first array it would be too late: Ctrl-C in that moment would be a panic.
    #[pymodule_init]
    fn take_tables(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let array = PyArray1::<u8>::zeros(module.py(), 0, false);
        array.try_readonly().map(drop).map_err(crate::error::busy)
    }

    #[pymodule_export]
    use crate::append::Appender;
    #[pymodule_export]
    use crate::archive::Archive;
    #[pymodule_export]
    use crate::archive_writer::ArchiveWriter;
    #[pymodule_export]
    use crate::array_file::{ArrayFile, open_array};
    #[pymodule_export]
    use crate::command::{command, findings, repair_advice};
    #[pymodule_export]
    use crate::header::{format_header, parse_header};
    #[pymodule_export]
    use crate::many::read_many;
    #[pymodule_export]
    use crate::objects::{arrays_without_graph, objects_in_bytes, objects_in_file, unknown_names};
    #[pymodule_export]
    use crate::output::NewFile;
    #[pymodule_export]
    use crate::plain::odd_object;
    #[pymodule_export]
    use crate::scan::Stream;
}
