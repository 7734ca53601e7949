//! The fuzz target `end`: `npy_tests::fuzz` says what must hold.
#![no_main]

use npy_tests::fuzz;

libfuzzer_sys::fuzz_target!(
    init: fuzz::write_seeds("end"),
    |input: &[u8]| (fuzz::target("end").run)(input)
);
