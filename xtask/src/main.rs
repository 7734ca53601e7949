//! The project's chores: `cargo xtask <command>`.

mod bench;
mod build_time;
mod ci;
mod command;
mod compile_time;
mod cross;
mod features;
mod fixtures;
mod fuzz;
mod kill;
mod large;
mod miri;
mod package;
mod python;
mod sanitize;
mod soak;
mod test;
mod tidy;
mod work;

use std::path::Path;
use std::process::ExitCode;

type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

const USAGE: &str = "\
usage: cargo xtask <command>

  test [ARGS]         all tests, those against a real NumPy too; ARGS as for `cargo test`,
                      which narrow the run
  fixtures [--check]  write tests/golden anew with NumPy; --check: only compare
  bench               the benchmark, into target/bench: results.md and results.svg
        [--only W1r,W9] [--rounds N]   a part of it; other than 9 to 21 rounds
        [--quick]     everything once, with little data
        [--readme]    the README shows the results
        --build       instead: how long first builds take, ours and the peers'
  compile-time        how long 100 derived structs compile, beside serde's
  kill [ROUNDS]       a process that writes is killed, some thousand times
  large               files and archives of many gigabytes, most of them holes
  soak [--minutes N] [--seed N]
                      random operations by a process that is killed at random, for 3 minutes;
                      NumPy looks at the files if its environment is there
  sanitize [ARGS]     the tests under AddressSanitizer, which takes a nightly Rust, or valgrind;
                      ARGS as for `cargo test`
  miri                the tests of `unsafe` code in Miri, which knows what is undefined; it is
                      installed if it is missing
  fuzz [TARGET] [--seconds N]
                      the targets of tests/fuzz, or one of them, for a minute each; needs nightly
  work                that the work which a hostile file makes grows as its size does
  cross               the unit tests on 32 bits (i686), and that it compiles for wasm32
  tidy                the conventions that a program can check
  ci                  everything that must hold before a change lands

test, fixtures, bench and ci need Python 3.11 or newer, and make an environment in target/venv.
PYTHON names another interpreter than python3.";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match args.as_slice() {
        ["test", rest @ ..] => test::run(rest),
        ["fixtures"] => fixtures::write(),
        ["fixtures", "--check"] => fixtures::check(),
        ["bench", rest @ ..] => bench::run(rest),
        ["compile-time"] => compile_time::run(),
        ["kill"] => kill::run(None),
        ["kill", rounds] => kill::run(Some(rounds)),
        ["large"] => large::run(),
        ["soak", rest @ ..] => soak::run(rest),
        ["sanitize", rest @ ..] => sanitize::run(rest),
        ["miri"] => miri::run(),
        ["fuzz", rest @ ..] => fuzz::run(rest),
        ["work"] => work::run(),
        ["cross"] => cross::run(),
        ["tidy"] => tidy::run(),
        ["ci"] => ci::run(),
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(())
        }
        _ => Err(USAGE.into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Where the workspace is.
fn root() -> &'static Path {
    // `xtask` is a folder of it.
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}
