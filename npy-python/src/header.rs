//! Headers: of the bytes of a file, and the bytes that NumPy would write.

use npy_core::{DType, Header, Order};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use crate::error::exception;

/// A header for Python: the dtype as a literal, the shape, true for Fortran order, the version, and true if the data is a pickle.
pub(crate) type Parts<'py> = (String, Bound<'py, PyTuple>, bool, (u8, u8), bool);

/// Returns the parts of a header.
pub(crate) fn parts<'py>(py: Python<'py>, header: &Header) -> PyResult<Parts<'py>> {
    let shape = PyTuple::new(py, header.shape())?;
    let dtype = header.dtype();
    let is_fortran = header.order() == Order::Fortran;
    let version = match header.version() {
        npy_core::Version::V1 => (1, 0),
        npy_core::Version::V2 => (2, 0),
        _ => (3, 0),
    };
    Ok((dtype.descr(), shape, is_fortran, version, dtype.has_object()))
}

/// Parses the header at the start of these bytes. Returns the number of bytes that it needs if it is not complete, and otherwise its parts
/// and its length.
#[pyfunction]
pub(crate) fn parse_header<'py>(
    py: Python<'py>,
    bytes: &[u8],
) -> PyResult<(usize, Option<Parts<'py>>)> {
    match Header::needed(bytes) {
        Some(needed) if needed <= bytes.len() => {
            let (header, length) = Header::parse(bytes).map_err(exception)?;
            Ok((length, Some(parts(py, &header)?)))
        }
        Some(needed) => Ok((needed, None)),
        None if bytes.len() < 12 => Ok((bytes.len() + 1, None)),
        // An error, which says what is wrong.
        None => {
            let (header, length) = Header::parse(bytes).map_err(exception)?;
            Ok((length, Some(parts(py, &header)?)))
        }
    }
}

/// Returns the header as `np.save` writes it, or `None` for a dtype whose literal this library would write differently.
#[pyfunction]
pub(crate) fn format_header<'py>(
    py: Python<'py>,
    descr: &str,
    shape: Vec<usize>,
    is_fortran: bool,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let Some(dtype) = dtype_of(descr) else { return Ok(None) };
    let order = if is_fortran { Order::Fortran } else { Order::C };
    let header = Header::new(dtype, shape, order).map_err(exception)?;
    let bytes = header.to_bytes().map_err(exception)?;
    Ok(Some(PyBytes::new(py, &bytes)))
}

/// Returns the dtype of a literal that is written as it was.
pub(crate) fn dtype_of(descr: &str) -> Option<DType> {
    descr.parse().ok().filter(|dtype: &DType| dtype.descr() == descr)
}
