//! `cargo xtask kill`: the tests that kill a process while it writes, several thousand times.

use crate::Result;
use crate::command::{cargo, run as run_command};

/// The default number of kills, which takes a minute or two.
const ROUNDS: &str = "20000";

pub(crate) fn run(rounds: Option<&str>) -> Result {
    // An optimized build writes more between two kills.
    let test = ["test", "--release", "--package", "npy-tests", "--test", "kill"];
    let mut test = cargo(&test);
    test.args(["--", "--nocapture"]).env("NPY_KILLS", rounds.unwrap_or(ROUNDS));
    run_command(&mut test)
}
