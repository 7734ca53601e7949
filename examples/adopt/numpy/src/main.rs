//! An array of records in Python: a struct that derives `NpyRecord` and `ZeroCopy` is an `Element` of rust-numpy.

use std::error::Error;
use std::ffi::CString;

use npy_core::{NpyRecord, ZeroCopy, load, save};
use numpy::{PyArray1, PyArrayDescr, PyArrayMethods};
use pyo3::prelude::*;

#[derive(NpyRecord, ZeroCopy, Debug, Clone, Copy, PartialEq)]
#[npy(align)]
#[repr(C)]
struct Pick {
    station: u16,
    time: f64,
    amplitude: [f32; 3],
}

/// Returns the dtype of NumPy that a value has in memory, with its padding.
fn dtype_in_memory<T: ZeroCopy>(py: Python<'_>) -> PyResult<Bound<'_, PyArrayDescr>> {
    let descr = py.eval(&CString::new(T::memory_dtype().descr())?, None, None)?;
    let dtype = py.import("numpy.lib.format")?.call_method1("descr_to_dtype", (descr,))?;
    Ok(dtype.cast_into()?)
}

// SAFETY: by `ZeroCopy`, the memory of a `Pick` is an item of that dtype; it holds no Python object.
unsafe impl numpy::Element for Pick {
    const IS_COPY: bool = true;

    fn get_dtype(py: Python<'_>) -> Bound<'_, PyArrayDescr> {
        dtype_in_memory::<Pick>(py).expect("NumPy knows every dtype that npy-core has")
    }

    fn clone_ref(&self, _: Python<'_>) -> Self {
        *self
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("picks.npy");
    let picks = [
        Pick { station: 7, time: 12.25, amplitude: [0.5, -1.0, 2.0] },
        Pick { station: 9, time: 12.75, amplitude: [0.25, 0.0, -4.0] },
    ];
    Python::attach(|py| {
        let numpy = py.import("numpy")?;
        // From Rust to Python, which writes a file, and back.
        numpy.call_method1("save", (&path, PyArray1::from_slice(py, &picks)))?;
        assert_eq!(load::<Vec<Pick>>(&path)?, picks);

        // From our file to an array of Python, and its records in Rust, in place.
        save(&path, &picks)?;
        let array = numpy.call_method1("load", (&path,))?;
        let times = array.get_item("time")?.call_method0("sum")?;
        assert_eq!(times.extract::<f64>()?, 25.0);
        let array = array.cast_into::<PyArray1<Pick>>().map_err(PyErr::from)?;
        assert_eq!(array.readonly().as_slice()?, picks);
        Ok(())
    })
}
