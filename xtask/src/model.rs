//! `cargo xtask model`: the test that compares a reader with a model of it, a million times.

use crate::Result;
use crate::command::{cargo, run as run_command};

/// The default number of sequences, which takes some minutes.
const SEQUENCES: &str = "1000000";

pub(crate) fn run(sequences: Option<&str>) -> Result {
    let test = ["test", "--release", "--package", "npy-tests", "--test", "model"];
    let mut test = cargo(&test);
    test.args(["--", "--nocapture"]).env("NPY_MODEL_SEQUENCES", sequences.unwrap_or(SEQUENCES));
    run_command(&mut test)
}
