//! `cargo xtask large`: files of many gigabytes, which take too long for every run.

use crate::Result;
use crate::command::{cargo, run as run_command};

pub(crate) fn run() -> Result {
    let test = ["test", "--release", "--package", "npy-tests", "--test", "large"];
    run_command(&mut cargo(&test))
}
