//! `cargo xtask test`: every test, those against a real NumPy too.

use crate::Result;
use crate::command::{cargo, run as run_command};
use crate::python::with_numpy;

/// Arguments narrow the run against NumPy, and leave out the other.
pub(crate) fn run(args: &[&str]) -> Result {
    if args.is_empty() {
        // Nothing may lean on a feature that is on by default; only the examples in the docs do.
        let bare = ["test", "--package", "npy-core", "--lib", "--no-default-features"];
        run_command(&mut cargo(&bare))?;
    }
    let all = cargo(&["test", "--workspace", "--all-features"]);
    run_command(with_numpy(all)?.args(args))
}
