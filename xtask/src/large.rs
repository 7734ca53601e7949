//! `cargo xtask large`: files of many gigabytes, which take too long for every run.

use crate::Result;
use crate::command::{cargo, run as run_command};

pub(crate) fn run() -> Result {
    let test = ["test", "--release", "--package", "npy-tests", "--features", "large"];
    run_command(cargo(&test).args(["--test", "large"]))
}
