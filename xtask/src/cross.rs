//! `cargo xtask cross`: tests the library with 32-bit sizes, and checks that it compiles without an operating system.

use std::path::Path;
use std::process::Command;

use crate::command::{cargo, installs, output, run as run_command};
use crate::{Result, apt};

/// The 32-bit Linux target, whose tests run on the machine that builds them.
const NARROW: &str = "i686-unknown-linux-gnu";

/// The target without files or threads; it is checked, not run.
const BARE: &str = "wasm32-unknown-unknown";

/// The error if the 32-bit C library is missing.
const REMEDY: &str = "\
The unit tests for 32 bits need a C library of 32 bits:
  Debian, Ubuntu   apt install gcc-multilib
  Fedora           dnf install glibc-devel.i686 libgcc.i686";

pub(crate) fn run() -> Result {
    if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        install_target(NARROW)?;
        install_multilib()?;
        for features in ["--all-features", "--no-default-features"] {
            let test = ["test", "--package", "npy-core", "--lib", features, "--target", NARROW];
            run_command(&mut cargo(&test))?;
        }
    } else {
        println!("The unit tests for {NARROW} run on x86-64 Linux alone.");
    }
    install_target(BARE)?;
    for features in ["", "derive,npz,serde,ndarray,half,num-complex"] {
        let check = ["check", "--package", "npy-core", "--lib", "--no-default-features"];
        run_command(cargo(&check).args(["--target", BARE, "--features", features]))?;
    }
    let check = ["check", "--package", "whole-file", "--target", BARE];
    run_command(&mut cargo(&check))?;
    check_imports()
}

/// Refuses a dependency that needs JavaScript: outside a browser, such a module does not start.
fn check_imports() -> Result {
    let tree = [
        "tree",
        "--package",
        "npy-core",
        "--target",
        BARE,
        "--edges",
        "normal",
        "--prefix",
        "none",
    ];
    let tree = output(&mut cargo(&tree))?;
    match tree.lines().find(|line| line.starts_with("wasm-bindgen") || line.starts_with("js-sys")) {
        Some(found) => Err(format!("on {BARE}, the default features need {found}").into()),
        None => Ok(()),
    }
}

/// Has rustup install the standard library for this target, if the toolchain lacks it.
pub(crate) fn install_target(target: &str) -> Result {
    let _lock = installs()?;
    let installed = output(Command::new("rustup").args(["target", "list", "--installed"]))?;
    if installed.lines().any(|installed| installed == target) {
        return Ok(());
    }
    println!("installing the standard library for {target}");
    run_command(Command::new("rustup").args(["target", "add", target]))
}

/// Has the 32-bit C library installed if it is missing.
fn install_multilib() -> Result {
    let is_there = ["/usr/lib32/crt1.o", "/usr/lib/crt1.o", "/usr/lib/i386-linux-gnu/crt1.o"];
    if is_there.into_iter().any(|start| Path::new(start).exists()) {
        return Ok(());
    }
    apt::install("gcc-multilib", REMEDY)
}
