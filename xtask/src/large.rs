//! `cargo xtask large`: files and archives of many gigabytes, which take too long for every run.

use crate::Result;
use crate::command::{cargo, run as run_command};
use crate::python::with_numpy_if_there;

pub(crate) fn run() -> Result {
    let test = ["test", "--release", "--package", "npy-tests", "--test", "large"];
    // One after the other, because some need much disk space.
    let mut test = with_numpy_if_there(cargo(&test))?;
    run_command(test.args(["--", "--test-threads=1"]))
}
