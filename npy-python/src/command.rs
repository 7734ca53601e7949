//! The command `npy`, and what it finds in files.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use pyo3::prelude::*;

use crate::error::{exception, new};
use crate::interrupt;

/// Runs the command with these arguments, its name first, and returns its exit code.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    // An `ExitCode` cannot be read, but compared.
    let code = py.detach(|| npy_cli::main(arguments));
    (0..=u8::MAX).find(|&number| ExitCode::from(number) == code).unwrap_or(2)
}

/// Returns the command that repairs a file, with its effect, if it is damaged.
#[pyfunction]
pub(crate) fn repair_advice(py: Python<'_>, path: PathBuf) -> PyResult<Option<String>> {
    let advice = py.detach(|| interrupt::wait_for(move || npy_cli::repair_advice(&path)));
    advice.map_err(|error| exception(error.into()))
}

/// Returns the problems of a file, and the names that its pickles import.
#[pyfunction]
pub(crate) fn findings(py: Python<'_>, path: PathBuf) -> PyResult<(Vec<String>, Vec<String>)> {
    let findings = py.detach(|| interrupt::wait_for(move || npy_cli::verify(&path)));
    let found = findings
        .map_err(|error| exception(error.into()))?
        .map_err(|message| new("NpyOSError", message))?;
    Ok((found.problems, found.imports))
}
