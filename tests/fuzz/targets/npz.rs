//! The fuzz target `npz`: `npy_tests::fuzz` says what must hold.
#![no_main]

use npy_tests::fuzz;

libfuzzer_sys::fuzz_target!(
    init: fuzz::write_seeds("npz"),
    |input: &[u8]| (fuzz::target("npz").run)(input)
);
