//! `cargo xtask kill`: the tests that kill a process while it writes, some thousand times.

use crate::Result;
use crate::command::{cargo, run as run_command};

/// How often, if nothing else is said: a minute or two.
const ROUNDS: &str = "20000";

pub(crate) fn run(rounds: Option<&str>) -> Result {
    // Optimised, more is written between two kills.
    let test = ["test", "--release", "--package", "npy-tests", "--test", "kill"];
    let mut test = cargo(&test);
    test.args(["--", "--nocapture"]).env("NPY_KILLS", rounds.unwrap_or(ROUNDS));
    run_command(&mut test)
}
