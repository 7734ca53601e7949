//! `cargo xtask work`: checks that the work for a file grows linearly with its size; steps are counted, not timed.

use crate::Result;
use crate::command::{cargo, run as run_command};
use crate::root;

pub(crate) fn run() -> Result {
    // In a separate folder, because these flags rebuild every crate.
    let target = root().join("target/work");
    let test = ["test", "--release", "--package", "npy-tests", "--test", "attacks", "steps"];
    let mut test = cargo(&test);
    // One test at a time, because they share one counter.
    test.args(["--", "--nocapture", "--test-threads=1"]);
    test.env("RUSTFLAGS", "-Cinstrument-coverage --cfg=counted");
    test.env("CARGO_TARGET_DIR", &target).env("LLVM_PROFILE_FILE", target.join("work.profraw"));
    run_command(&mut test)
}
