//! `cargo xtask test`: runs every test that takes no minute, including those against a real NumPy.

use crate::Result;
use crate::command::{cargo, run as run_command};
use crate::engine::moto;
use crate::power::with_strace;
use crate::python::with_numpy;

/// Arguments narrow the run against NumPy, and skip the run without it.
pub(crate) fn run(args: &[&str]) -> Result {
    if args.is_empty() {
        // Nothing may depend on default features, except the examples in the docs.
        let bare = ["test", "--package", "npy-core", "--lib", "--no-default-features"];
        run_command(&mut cargo(&bare))?;
    }
    let mut all = cargo(&["test", "--workspace", "--all-features"]);
    // One of the others runs without a network.
    if !args.contains(&"--test") || args.contains(&"moto") {
        all.env("NPY_MOTO", moto()?);
    }
    run_command(with_strace(with_numpy(all)?).args(args))
}
