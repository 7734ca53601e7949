//! `cargo xtask portable`: the tests that need neither Python nor a browser, for any system.

use crate::command::{cargo, run as run_command};
use crate::{Result, tidy};

pub(crate) fn run() -> Result {
    tidy::run()?;
    run_command(&mut cargo(&["test", "--workspace"]))?;
    // It takes long to be compiled, so it is not among those.
    run_command(&mut cargo(&["test", "--workspace", "--test", "foreign"]))
}
