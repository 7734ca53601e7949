//! `cargo xtask soak`: random operations by a process that is killed at random, for minutes.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::Result;
use crate::command::{cargo, run as run_command};
use crate::python::with_numpy_if_there;

/// The default duration in minutes.
const MINUTES: u64 = 3;

pub(crate) fn run(args: &[&str]) -> Result {
    let (mut minutes, mut seed) = (MINUTES, None);
    for pair in args.chunks(2) {
        match pair {
            ["--minutes", number] => minutes = number.parse()?,
            ["--seed", number] => seed = Some(number.parse()?),
            _ => return Err("usage: cargo xtask soak [--minutes N] [--seed N]".into()),
        }
    }
    // The seed is printed. It repeats the operations, but not the times of the kills.
    let seed: u64 = match seed {
        Some(seed) => seed,
        None => SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs(),
    };
    let test = ["test", "--release", "--package", "npy-tests", "--test", "soak"];
    let mut test = with_numpy_if_there(cargo(&test))?;
    test.args(["--", "--nocapture"]);
    test.env("NPY_SOAK_SECONDS", minutes.saturating_mul(60).to_string());
    run_command(test.env("NPY_SOAK_SEED", seed.to_string()))
}
