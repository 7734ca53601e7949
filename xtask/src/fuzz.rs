//! `cargo xtask fuzz`: the targets of `tests/fuzz`, with LLVM's fuzzer.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::run as run_command;
use crate::{Result, root};

/// The default running time of a target, in seconds.
const SECONDS: &str = "60";

/// The compiler flags that `cargo fuzz` would use: coverage counters, traced comparisons, AddressSanitizer.
const FLAGS: [&str; 7] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Zsanitizer=address",
    "--cfg=fuzzing",
];

/// The only target built for: sanitizers need an explicit target.
const TRIPLE: &str = "x86_64-unknown-linux-gnu";

/// Runs the named target, or all targets one after the other.
pub(crate) fn run(args: &[&str]) -> Result {
    let (name, seconds) = match args {
        [] => (None, SECONDS),
        ["--seconds", seconds] => (None, *seconds),
        [name] => (Some(*name), SECONDS),
        [name, "--seconds", seconds] => (Some(*name), *seconds),
        _ => return Err("usage: cargo xtask fuzz [TARGET] [--seconds N]".into()),
    };
    let names = names()?;
    if let Some(name) = name.filter(|&name| !names.iter().any(|it| it == name)) {
        return Err(format!("unknown target {name}; use one of {}", names.join(", ")).into());
    }
    let programs = build()?;
    for target in names.iter().filter(|target| name.is_none_or(|name| name == *target)) {
        fuzz(&programs.join(target), target, seconds)?;
    }
    Ok(())
}

fn folder() -> PathBuf {
    root().join("tests/fuzz")
}

/// Returns the names of the targets; each file is a program.
fn names() -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder().join("targets"))? {
        names.extend(entry?.path().file_stem().map(|name| name.to_string_lossy().into_owned()));
    }
    names.sort();
    Ok(names)
}

/// Builds all targets; returns the folder with the programs.
fn build() -> Result<PathBuf> {
    let target = root().join("target/fuzz");
    // Not `CARGO`: that is the toolchain that runs this.
    let mut build = Command::new("cargo");
    build.args(["+nightly", "build", "--release", "--target", TRIPLE]).current_dir(folder());
    build.env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\u{1f}")).env_remove("RUSTUP_TOOLCHAIN");
    run_command(build.env("CARGO_TARGET_DIR", &target))?;
    Ok(target.join(TRIPLE).join("release"))
}

/// Runs a target from the inputs that earlier runs found. An input that fails is put into the regressions, which every `cargo test` runs.
fn fuzz(program: &Path, target: &str, seconds: &str) -> Result {
    let work = root().join("target/fuzz-corpus").join(target);
    let (corpus, seeds) = (work.join("corpus"), work.join("seeds"));
    let regressions = folder().join("regressions").join(target);
    for folder in [&corpus, &seeds, &regressions] {
        fs::create_dir_all(folder)?;
    }
    println!("== {target}, {seconds} s");
    let mut fuzz = Command::new(program);
    fuzz.args([&corpus, &seeds, &regressions]).env("NPY_FUZZ_SEEDS", &seeds);
    fuzz.arg(format!("-max_total_time={seconds}"));
    fuzz.arg(format!("-artifact_prefix={}/", regressions.display()));
    // No input may take more memory or time than this.
    fuzz.args(["-rss_limit_mb=2048", "-malloc_limit_mb=256", "-timeout=10", "-max_len=4096"]);
    run_command(fuzz.args(["-print_final_stats=1", "-use_value_profile=1"]))
}
