//! The project's chores: `cargo xtask <command>`.

mod adopt;
mod apt;
mod bench;
mod browser;
mod build_time;
mod ci;
mod command;
mod compile_time;
mod cross;
mod engine;
mod features;
mod fixtures;
mod fuzz;
mod js;
mod kill;
mod large;
mod marked;
mod miri;
mod model;
mod npm;
mod package;
mod page;
mod parallel;
mod portable;
mod power;
mod programs;
mod python;
mod release;
mod sanitize;
mod slow;
mod soak;
mod test;
mod tidy;
mod wasm;
mod wheel;
mod work;

use std::path::Path;
use std::process::ExitCode;

type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

const USAGE: &str = "\
usage: cargo xtask <command>

  test [--all] [ARGS] the quick tests, including those against a real NumPy; --all: also those with files at URLs,
                      of the derive macros, and all repetitions; ARGS go to `cargo test` and narrow the run
  slow                tests that compile programs, take long to be compiled or open a browser, npy-core without
                      features, and the benchmark once
  fixtures [--check]  rewrite tests/golden with NumPy; --check: only compare
  bench               the benchmark, into target/bench: results.md and results.svg
        [--only W1r,W9] [--rounds N]   some workloads; another number of rounds
        [--quick]     everything once, with little data
        [--docs]      puts the results into docs/benchmarks.md
  build-time          first builds with this library and with its peers, and the sizes of programs
  compile-time        compile time of 100 derived structs, compared with serde's
  kill [ROUNDS]       kill a process that writes, several thousand times
  model [SEQUENCES]   a million random sequences of calls of a reader, compared with a model
  power [STATES]      every state in which a loss of power may leave files that were synced: thousands of them,
                      made of recorded system calls; needs strace
  large               files and archives of many gigabytes, most of them holes
  soak [--minutes N] [--seed N]
                      random operations by a process that is killed at random, for 3 minutes;
                      NumPy checks the files if its environment exists
  sanitize [ARGS]     the tests under AddressSanitizer, which needs a nightly Rust, or valgrind;
                      ARGS go to `cargo test`
  miri                the tests of `unsafe` code in Miri, which detects undefined behavior;
                      Miri is installed if it is missing
  fuzz [TARGET] [--seconds N]
                      the targets of tests/fuzz, or one of them, for a minute each; needs nightly
  work                check that the work for a hostile file grows linearly with its size
  engine              the tests of npy-datafusion, a workspace of its own, also in clusters
  adopt [--all]       the programs of examples/adopt and examples/remote, workspaces of their own; --all: also
                      those whose crates take minutes to build
  cluster             three workers of a cluster on this machine, for SQL by hand
  cross               the unit tests on 32 bits (i686), and a check that wasm32 compiles
  wheel [--target TRIPLE]
                      the Python package, into target/wheels; --target: for a Linux, by zig, into
                      target/wheels-TRIPLE, also for the Python 3.14 without a lock
  python              the wheel in an empty environment: its tests, types and examples
  page                the page that shows files in a browser, into target/page/npy.html
  js                  the package for npm and the extension for editors, into target/js, and their tests, which need Node
  portable            tidy, and the tests that need neither Python nor a browser
  release [VERSION] --dry-run [--online] [--target TRIPLE] [STEP...]
                      what must hold before a version is published, and its artifacts; publishes nothing
  tidy                the conventions that a program can check
  ci                  everything that must hold before a change lands

test, slow, fixtures, bench and ci need Python 3.11 or newer, and create an environment in target/venv.
PYTHON names an interpreter other than python3.";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match args.as_slice() {
        ["test", rest @ ..] => test::run(rest),
        ["slow"] => slow::run(),
        ["fixtures"] => fixtures::write(),
        ["fixtures", "--check"] => fixtures::check(),
        ["bench", rest @ ..] => bench::run(rest),
        ["build-time"] => build_time::run(),
        ["compile-time"] => compile_time::run(),
        ["kill"] => kill::run(None),
        ["kill", rounds] => kill::run(Some(rounds)),
        ["model"] => model::run(None),
        ["model", sequences] => model::run(Some(sequences)),
        ["power"] => power::run(None),
        ["power", states] => power::run(Some(states)),
        ["large"] => large::run(),
        ["soak", rest @ ..] => soak::run(rest),
        ["sanitize", rest @ ..] => sanitize::run(rest),
        ["miri"] => miri::run(),
        ["fuzz", rest @ ..] => fuzz::run(rest),
        ["work"] => work::run(),
        ["cross"] => cross::run(),
        ["engine"] => engine::run(),
        ["adopt"] => adopt::small(),
        ["adopt", "--all"] => adopt::all(),
        ["wheel"] => wheel::build().map(drop),
        ["wheel", "--target", triple] => wheel::linux::build(triple),
        ["python"] => wheel::test(),
        ["page"] => page::run(),
        ["js"] => js::run(),
        ["portable"] => portable::run(),
        ["release", rest @ ..] => release::run(rest),
        ["cluster"] => engine::cluster(),
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

/// Returns the root folder of the workspace.
fn root() -> &'static Path {
    // `xtask` is a folder in it.
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}
