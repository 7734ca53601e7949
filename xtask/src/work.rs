//! `cargo xtask work`: that the work which a file makes grows as its size does, counted and not timed.

use crate::Result;
use crate::command::{cargo, run as run_command};
use crate::root;

pub(crate) fn run() -> Result {
    // In a folder of its own: these flags change every crate.
    let target = root().join("target/work");
    let test = ["test", "--release", "--package", "npy-tests", "--test", "attacks", "steps"];
    let mut test = cargo(&test);
    // One after the other, as there is one count for all.
    test.args(["--", "--nocapture", "--test-threads=1"]);
    test.env("RUSTFLAGS", "-Cinstrument-coverage --cfg=counted");
    test.env("CARGO_TARGET_DIR", &target).env("LLVM_PROFILE_FILE", target.join("work.profraw"));
    run_command(&mut test)
}
