//! `cargo xtask test`: runs every test, including those against a real NumPy and in a real browser.

use crate::browser::with_browser;
use crate::command::{cargo, run as run_command};
use crate::python::with_numpy;
use crate::{Result, page};

/// Arguments narrow the run against NumPy, and skip the run without it.
pub(crate) fn run(args: &[&str]) -> Result {
    if args.is_empty() {
        // Nothing may depend on default features, except the examples in the docs.
        let bare = ["test", "--package", "npy-core", "--lib", "--no-default-features"];
        run_command(&mut cargo(&bare))?;
        // A crate of a user, which is not a member of the workspace.
        let outside = ["test", "--manifest-path", "tests/outside/Cargo.toml"];
        run_command(cargo(&outside).args(["--target-dir", "target/outside"]))?;
        // Examples that check their own results.
        for name in ["stream", "ranges"] {
            let remote = ["run", "--manifest-path", "examples/remote/Cargo.toml", "--bin", name];
            run_command(cargo(&remote).args(["--target-dir", "target/remote"]))?;
        }
    }
    let all = cargo(&["test", "--workspace", "--all-features"]);
    let page = page::build()?;
    run_command(with_browser(with_numpy(all)?)?.env("NPY_PAGE", page).args(args))
}
