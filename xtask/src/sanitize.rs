//! `cargo xtask sanitize`: runs the tests with every memory access checked.

use std::process::Command;

use crate::Result;
use crate::command::{cargo, output, run as run_command};
use crate::python::target;

/// The library's own tests and the integration tests.
const TESTS: [&str; 8] = [
    "test",
    "--package",
    "npy-core",
    "--package",
    "npy-arrow",
    "--package",
    "npy-tests",
    "--no-fail-fast",
];

/// The default arguments. They leave out the examples in the documentation, each a separate program, and `live`, which would check Python.
const TARGETS: [&str; 2] = ["--lib", "--tests"];

/// The tests that are left out: processes that are killed within a millisecond, because under the sanitizer they would still be starting.
const LEFT_OUT: [&str; 3] = ["--", "--skip", "a_process_that_is_killed"];

/// Arguments go to `cargo test`, and narrow the run.
pub(crate) fn run(args: &[&str]) -> Result {
    let mut tests = match nightly_host() {
        Some(host) => {
            println!("AddressSanitizer, of the nightly toolchain");
            address_sanitizer(&host)
        }
        None => {
            println!(
                "There is no nightly toolchain, so valgrind is used, which is slower and checks only the heap. For AddressSanitizer, which \
                 also checks the stack: rustup toolchain install nightly --profile minimal"
            );
            valgrind(&host(&mut Command::new("rustc"))?)
        }
    };
    let mut parts = args.splitn(2, |arg| *arg == "--");
    let (for_cargo, for_tests) = (parts.next().unwrap_or(&[]), parts.next().unwrap_or(&[]));
    tests.args(TESTS).args(for_cargo);
    if !for_cargo.iter().any(|arg| arg.starts_with("--")) {
        tests.args(TARGETS);
    }
    tests.args(LEFT_OUT).args(for_tests);
    run_command(tests.env("CARGO_TARGET_DIR", target()?.join("sanitize")))
}

/// Returns a cargo command whose programs stop at the first invalid memory access. The standard library is not instrumented: its
/// accesses are checked only in the allocator and `memcpy`.
fn address_sanitizer(host: &str) -> Command {
    let mut command = Command::new("rustup");
    command.args(["run", "nightly", "cargo"]).current_dir(crate::root());
    // With an explicit target, macros and build scripts are built without the sanitizer: they run during compilation.
    command.env("CARGO_BUILD_TARGET", host).env("RUSTFLAGS", "-Zsanitizer=address");
    command
}

/// Returns a cargo command whose programs run in valgrind.
fn valgrind(host: &str) -> Command {
    let mut command = cargo(&[]);
    let runner = format!("CARGO_TARGET_{}_RUNNER", host.to_uppercase().replace('-', "_"));
    command.env(runner, "valgrind --quiet --error-exitcode=1");
    command
}

/// Returns the target that nightly builds for, if a nightly is installed.
fn nightly_host() -> Option<String> {
    let mut rustc = Command::new("rustup");
    // Rustup must not install one as a side effect.
    rustc.args(["run", "nightly", "rustc"]).env("RUSTUP_AUTO_INSTALL", "0");
    host(&mut rustc).ok()
}

/// Returns the target that this rustc builds for.
fn host(rustc: &mut Command) -> Result<String> {
    let version = output(rustc.arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.ok_or("rustc does not say which system it builds for")?.to_owned())
}
