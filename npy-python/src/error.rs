//! Exceptions: the classes of `npy_core._errors`, with the complete message of the library in Python's words.

use std::fmt::Display;
use std::io;
use std::path::Path;

use npy_core::{Error, ErrorKind, Place};
use pyo3::call::PyCallArgs;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// The rest of the sentence "an array of Python objects needs".
const ONE_PICKLE: &str = "one pickle of all rows, so that none can be added in place: use npy_core.load, numpy.concatenate and npy_core.save";

/// Names of the Rust library in its advice, and what a Python program calls instead.
const WORDS: &[(&str, &str)] = &[
    (
        "another type: Vec<Option<String>>, Vec<f64> or the like if all objects are of that kind, npy_core::Objects for any, or npy_core::object::load (feature `serde`) for structs",
        ONE_PICKLE,
    ),
    (
        "another type: a Vec of a struct with the fields that you need, npy_core::Objects for all, or npy_core::object::load (feature `serde`)",
        ONE_PICKLE,
    ),
    (
        "read the array and write it with write_npy, which leaves blanks to grow",
        "load the array and write it with npy_core.save, which leaves blanks to grow",
    ),
    (", or state the length first: write_npy, Writer::with_shape", ", or use npy_core.save"),
    ("npz::ReadOptions::limits", "a newer file"),
    (
        "npz::Reader::read_bytes gives the bytes of any member",
        "zipfile reads the bytes of any member",
    ),
    ("npz::Reader::read_bytes returns the complete member", "zipfile reads the complete member"),
    (
        "npz::Reader::new reads the bytes of an archive that has arrived, in a Cursor",
        "npy_core.Npz(io.BytesIO(...)) reads the bytes of an archive that has arrived",
    ),
    (
        "convert the array with DynArray::cast or cast_with before",
        "convert the array with astype before",
    ),
    ("create makes one, and append_or_create does both", "npy_core.append makes one"),
    (
        "write_npy_to and Writer::new write to an open file instead",
        "npy_core.save writes to an open file, too",
    ),
    ("npz::Writer::stream writes to it", "npy_core.savez writes to an open file, too"),
    ("read it by npz::Reader::new", "read it by npy_core.Npz(open(path, \"rb\"))"),
    ("npz::load or npz::Reader", "npy_core.Npz"),
    ("npy_core::load or ReadNpy::read_npy", "npy_core.load"),
    ("npz::Reader", "npy_core.Npz"),
    (
        "read it, and write it with WriteOptions::new().order(Order::C)",
        "write it to another file with npy_core.save(new_path, numpy.ascontiguousarray(npy_core.load(path)))",
    ),
    (
        "the file exists, and is kept; use another name",
        "another program has made the file since it was opened, and it is kept; open it again and repeat the changes, or move it away and call close again",
    ),
    ("npz::Writer::append", "npy_core.Npz(path, \"a\")"),
    (
        "keep its complete rows: the command npy repair FILE -o OUT --yes writes them to a file, and a loop over Reader::records returns those of a .npy file in C order before this error",
        "keep what is complete with the command npy repair FILE -o OUT --yes",
    ),
    (
        "keep its complete columns: the command npy repair FILE -o OUT --yes writes them to a file",
        "keep what is complete with the command npy repair FILE -o OUT --yes",
    ),
    (
        "keep its complete rows: a loop over Reader::records returns those of a .npy file in C order before this error",
        "keep what is complete: write the bytes to a file for the command npy repair",
    ),
    ("Reader::open", "npy_core.load"),
    ("ReadOptions::new().cast(Cast::Lossless)", "cast="),
    ("; a loop over its arrays ends when BufRead::fill_buf returns no bytes", ""),
    (
        "count them with WriteOptions::new().uncounted_rows(UncountedRows::Keep), or remove them with WriteOptions::new().uncounted_rows(UncountedRows::Remove)",
        "count them with the command npy append --uncounted keep FILE, or remove them with npy append --uncounted remove FILE",
    ),
    (
        "change the Rust type to one that holds it, or read the file as Objects, which takes any object",
        "npy_core.load reads any objects",
    ),
    ("change the Rust type to what the file holds", "use the dtype of the file"),
    (
        ", or to half::bf16, with the feature half, if ml_dtypes wrote it",
        ", and view(ml_dtypes.bfloat16) if ml_dtypes wrote it",
    ),
    ("so a Rust string cannot hold it", "so UTF-8 cannot hold it"),
    ("npy_core::object::load", "npy_core.load"),
    ("object::load", "npy_core.load"),
];

/// Returns the exception for an error of the library.
pub(crate) fn exception(error: Error) -> PyErr {
    let message = in_python(&error.to_string());
    let class = class_of(error.kind());
    let path = error.places().find_map(|place| match place {
        Place::Path(path) => Some(path.clone()),
        _ => None,
    });
    match error.into_kind() {
        ErrorKind::Io(inner) => of_io(inner, &message, path.as_deref()),
        ErrorKind::Locked => of_system(class, &message, None, path.as_deref()),
        _ => new(class, message),
    }
}

/// Returns the exception for an error of the system in a file.
pub(crate) fn io_exception(error: io::Error, path: &Path) -> PyErr {
    let message = format!("{}: {error}", path.display());
    of_io(error, &message, Some(path))
}

/// Returns an exception of a class of `npy_core._errors`.
pub(crate) fn new(class: &str, message: impl Display) -> PyErr {
    make(class, (message.to_string(),))
}

/// Returns an exception that is an `OSError`, with its attributes. Without a number, it is that of the class.
fn of_system(class: &str, message: &str, errno: Option<i32>, path: Option<&Path>) -> PyErr {
    make(class, (message, errno, path.map(Path::as_os_str)))
}

fn make(class: &str, arguments: impl for<'py> PyCallArgs<'py>) -> PyErr {
    Python::attach(|py| {
        let class = py.import("npy_core._errors")?.getattr(class)?;
        Ok(PyErr::from_value(class.call1(arguments)?))
    })
    .unwrap_or_else(|error: PyErr| error)
}

/// An error that Python raised while the library called it stays what it is.
fn of_io(error: io::Error, message: &str, path: Option<&Path>) -> PyErr {
    let class = match error.kind() {
        io::ErrorKind::NotFound => "NpyFileNotFoundError",
        io::ErrorKind::PermissionDenied => "NpyPermissionError",
        io::ErrorKind::AlreadyExists => "NpyFileExistsError",
        io::ErrorKind::IsADirectory => "NpyIsADirectoryError",
        io::ErrorKind::UnexpectedEof => return new("NpyTruncatedError", message),
        io::ErrorKind::OutOfMemory => return new("NpyMemoryError", message),
        _ => "NpyOSError",
    };
    // On Windows, the number is not that of C.
    let errno = error.raw_os_error().filter(|_| cfg!(unix));
    match error.into_inner().map(|inner| inner.downcast::<PyErr>()) {
        Some(Ok(raised)) => *raised,
        _ => of_system(class, message, errno, path),
    }
}

fn class_of(kind: &ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Truncated { .. } => "NpyTruncatedError",
        // An empty file.
        ErrorKind::NotNpy { found, .. } | ErrorKind::NotNpz { found, .. } if found == "\"\"" => {
            "NpyTruncatedError"
        }
        ErrorKind::Memory { .. } => "NpyMemoryError",
        ErrorKind::MissingMember { .. } | ErrorKind::MissingField { .. } => "NpyKeyError",
        ErrorKind::Locked => "NpyLockedError",
        _ => "NpyValueError",
    }
}

/// Replaces advice for Rust programs by that for Python.
pub(crate) fn in_python(message: &str) -> String {
    let replaced = |text: String, (rust, python): &(&str, &str)| text.replace(rust, python);
    // The call in Rust has the type of the value.
    const ONE_ROW: &str = "make it an array of one row with ";
    if let Some((start, _)) = message.split_once(ONE_ROW) {
        return format!("{start}{ONE_ROW}npy_core.save(path, [npy_core.load(path)])");
    }
    // Python has no such option, and NumPy has the same limit for nested lists.
    if let Some((start, limit)) = message.split_once("; if you trust the source, raise Limits::") {
        let advice = match limit {
            "nesting" => "NumPy has this limit, too: write the file again with fewer levels",
            _ => "if you trust the source, use numpy.load(path, allow_pickle=True)",
        };
        return format!("{start}; {advice}");
    }
    // The type of Rust is the end of the advice.
    if let Some((start, _)) = message.split_once("change the field to ") {
        return format!("{start}use the dtype that it has in the file");
    }
    WORDS.iter().fold(message.to_owned(), replaced)
}

/// The exception for memory of an array that another call changes at the same moment.
pub(crate) fn busy(error: impl Display) -> PyErr {
    PyRuntimeError::new_err(format!("the memory of the array is used by another call: {error}"))
}
