//! The fuzz targets, on any toolchain: their seeds, inputs that once failed, and some thousand others that are the same
//! in every run.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use npy_tests::alloc::peak;
use npy_tests::fuzz::{Random, Target, mutate, target};
use npy_tests::rounds;

/// The memory limit of a run, for an input of a few KiB: an archive may inflate to a thousand times its size, and is
/// written again.
const MOST: usize = 48 << 20;

/// The number of changed inputs for a target, in addition to its seeds; for the writers, each input is a session with
/// files.
fn changed(target: Target) -> usize {
    rounds(if ["writer", "archive"].contains(&target.name) { 150 } else { 10_000 })
}

/// Runs one input, and shows it on failure.
fn run(target: Target, input: &[u8]) {
    let (run, cost) = peak(|| catch_unwind(AssertUnwindSafe(|| (target.run)(input))));
    if run.is_err() || cost > MOST {
        panic!("{}, {cost} bytes: b\"{}\"", target.name, input.escape_ascii());
    }
}

fn all(name: &str) {
    let target = target(name);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/regressions").join(name);
    for file in std::fs::read_dir(folder).into_iter().flatten() {
        run(target, &std::fs::read(file.unwrap().path()).unwrap());
    }
    let seeds = (target.seeds)();
    seeds.iter().for_each(|seed| run(target, seed));
    let mut random = Random::new(7);
    for _ in 0..changed(target) {
        let mut input = seeds[random.below(seeds.len())].clone();
        mutate(&mut input, &mut random);
        run(target, &input);
    }
}

macro_rules! targets {
    ($($name:ident),*) => {$(
        #[test]
        fn $name() {
            all(stringify!($name));
        }
    )*};
}

targets!(
    literal, header, dtype, dynamic, record, view, plan, pickle, graph, npz, zip, end, writer,
    archive
);

/// Guards the lists of tests, of targets and of programs against each other.
#[test]
fn each_target_is_run_here_and_by_the_fuzzer() {
    let own = include_str!("fuzzed.rs");
    let list = own.split_once("\ntargets!(").unwrap().1.split_once(");").unwrap().0;
    for target in npy_tests::fuzz::TARGETS {
        assert!(list.split(',').any(|name| name.trim() == target.name), "{}", target.name);
        let program = format!("fuzz/targets/{}.rs", target.name);
        assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(program).is_file(), "{}", target.name);
    }
}
