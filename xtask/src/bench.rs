//! `cargo xtask bench`: the benchmarks.

use crate::Result;
use crate::command::{cargo, run as run_command};
use crate::python::with_numpy;

pub(crate) fn run(args: &[&str]) -> Result {
    run_command(with_numpy(cargo(&["bench", "--package", "npy-tests"]))?.args(args))
}
