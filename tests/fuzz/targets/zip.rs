//! The fuzz target `zip`: `npy_tests::fuzz` says what must hold.
#![no_main]

use npy_tests::fuzz;

libfuzzer_sys::fuzz_target!(
    init: fuzz::write_seeds("zip"),
    |input: &[u8]| (fuzz::target("zip").run)(input)
);
