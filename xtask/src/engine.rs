//! `cargo xtask engine`: the tests of `npy-datafusion`, which is a workspace of its own, some of them with a real NumPy.

use crate::Result;
use crate::command::{cargo, run as run_command};
use crate::python::with_numpy;

pub(crate) fn run() -> Result {
    let test = ["test", "--manifest-path", "npy-datafusion/Cargo.toml", "--features", "live"];
    run_command(with_numpy(cargo(&test))?.args(["--target-dir", "target/engine"]))
}
