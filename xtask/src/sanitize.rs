//! `cargo xtask sanitize`: the tests once more, with each access to memory checked.

use std::process::Command;

use crate::Result;
use crate::command::{cargo, output, run as run_command};
use crate::python::target;

/// The library's tests and those from outside.
const TESTS: [&str; 6] =
    ["test", "--package", "npy-core", "--package", "npy-tests", "--no-fail-fast"];

/// If nothing else is said. Not the examples of the documentation, of which each is a program of its own, and not `live`, where Python would be checked.
const TARGETS: [&str; 2] = ["--lib", "--tests"];

/// Left out: what rustc says of wrong structs, as nothing of the library runs there; and processes that are killed within a millisecond,
/// as these are still starting then.
const LEFT_OUT: [&str; 5] =
    ["--", "--skip", "the_compiler_points_at_the_mistake", "--skip", "a_process_that_is_killed"];

/// Arguments are those of `cargo test`, and narrow the run.
pub(crate) fn run(args: &[&str]) -> Result {
    let mut tests = match nightly_host() {
        Some(host) => {
            println!("AddressSanitizer, of the nightly toolchain");
            address_sanitizer(&host)
        }
        None => {
            println!(
                "There is no nightly toolchain (rustup toolchain install nightly --profile minimal), whose AddressSanitizer also sees \
                 the stack; valgrind it is, which is slower and sees the heap alone."
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

/// A cargo whose programs stop at the first access to memory that is not theirs. The standard library is as it always is: what it
/// does with memory of ours is seen where it calls the allocator and `memcpy`.
fn address_sanitizer(host: &str) -> Command {
    let mut command = Command::new("rustup");
    command.args(["run", "nightly", "cargo"]).current_dir(crate::root());
    // With a target, macros and build scripts are built without: they run in rustc.
    command.env("CARGO_BUILD_TARGET", host).env("RUSTFLAGS", "-Zsanitizer=address");
    command
}

/// A cargo whose programs run in valgrind.
fn valgrind(host: &str) -> Command {
    let mut command = cargo(&[]);
    let runner = format!("CARGO_TARGET_{}_RUNNER", host.to_uppercase().replace('-', "_"));
    command.env(runner, "valgrind --quiet --error-exitcode=1");
    command
}

/// The system that nightly builds for, if there is a nightly.
fn nightly_host() -> Option<String> {
    let mut rustc = Command::new("rustup");
    // It is not to be installed by the way.
    rustc.args(["run", "nightly", "rustc"]).env("RUSTUP_AUTO_INSTALL", "0");
    host(&mut rustc).ok()
}

/// The system that this rustc builds for.
fn host(rustc: &mut Command) -> Result<String> {
    let version = output(rustc.arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.ok_or("rustc does not say which system it builds for")?.to_owned())
}
