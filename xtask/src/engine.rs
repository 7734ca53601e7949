//! `cargo xtask engine`: the tests of `npy-datafusion` and `npy-sql`, which have a workspace of their own, some of them with a real NumPy.

use crate::Result;
use crate::command::{cargo, run as run_command};
use crate::python::with_numpy;

pub(crate) fn run() -> Result {
    let test = ["test", "--manifest-path", "npy-datafusion/Cargo.toml"];
    let packages = ["-p", "npy-datafusion", "-p", "npy-sql", "--features", "npy-datafusion/live"];
    run_command(with_numpy(cargo(&test))?.args(packages).args(["--target-dir", "target/engine"]))
}
