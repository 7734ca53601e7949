//! The fuzz target `graph`: `npy_tests::fuzz` says what must hold.
#![no_main]

use npy_tests::fuzz;

libfuzzer_sys::fuzz_target!(
    init: fuzz::write_seeds("graph"),
    |input: &[u8]| (fuzz::target("graph").run)(input)
);
