//! `cargo xtask engine`: the tests of `npy-datafusion`, which is a workspace of its own.

use crate::Result;
use crate::command::{cargo, run as run_command};

pub(crate) fn run() -> Result {
    let test = ["test", "--manifest-path", "npy-datafusion/Cargo.toml"];
    run_command(cargo(&test).args(["--target-dir", "target/engine"]))
}
