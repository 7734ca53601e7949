//! The memory of NumPy's arrays, as bytes.

use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1, PyReadwriteArray1};
use pyo3::prelude::*;

use crate::error::busy;

/// An array of bytes in one piece: `python/npy_core` makes it of any array.
pub(crate) type Bytes<'py> = Bound<'py, PyArray1<u8>>;

/// Borrows the memory to read it.
pub(crate) fn readable<'py>(bytes: &Bytes<'py>) -> PyResult<PyReadonlyArray1<'py, u8>> {
    bytes.try_readonly().map_err(busy)
}

/// Borrows the memory to change it.
pub(crate) fn writable<'py>(bytes: &Bytes<'py>) -> PyResult<PyReadwriteArray1<'py, u8>> {
    bytes.try_readwrite().map_err(busy)
}

/// Returns an array that owns these bytes.
pub(crate) fn owned(py: Python<'_>, bytes: Vec<u8>) -> Bytes<'_> {
    PyArray1::from_vec(py, bytes)
}
