//! `cargo xtask slow`: the tests that take long and rarely fail: they compile programs, or open a browser.

use crate::browser::with_browser;
use crate::command::{cargo, run as run_command};
use crate::python::with_numpy;
use crate::{Result, page};

/// The messages of the compiler, the structs that `npy-codegen` writes, the model of a reader, arrays of other crates and of serde, and pages in a browser.
const TESTS: [&str; 5] = ["ui", "structs_compile", "model", "foreign", "browser"];

pub(crate) fn run() -> Result {
    // Nothing may depend on default features, except the examples in the docs.
    let bare = ["test", "--package", "npy-core", "--lib", "--no-default-features"];
    run_command(&mut cargo(&bare))?;
    // A crate of a user, which is not a member of the workspace.
    let outside = ["test", "--manifest-path", "tests/outside/Cargo.toml"];
    run_command(cargo(&outside).args(["--target-dir", "target/outside"]))?;
    // All packages, so that their dependencies have the features that they have in `cargo xtask test`, and are not built again.
    let mut tests = cargo(&["test", "--workspace", "--all-features"]);
    tests.args(TESTS.iter().flat_map(|name| ["--test", name]));
    // The benchmark, once and with little data.
    tests.args(["--bench", "bench"]);
    run_command(with_browser(with_numpy(tests)?)?.env("NPY_PAGE", page::build()?))
}
