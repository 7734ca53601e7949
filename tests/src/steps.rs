//! Measures work without a clock, as the number of times that each region of the code runs: the counters that the
//! compiler adds for coverage.
//!
//! Compiled only by `cargo xtask work`, with `-Cinstrument-coverage` and `--cfg=counted`.

// SAFETY: these are the declarations of the coverage runtime that the compiler links; each returns an address and has
// no effects.
#[allow(unsafe_code)]
unsafe extern "C" {
    fn __llvm_profile_begin_counters() -> *const u64;
    fn __llvm_profile_end_counters() -> *const u64;
}

/// Returns the sum of all counters of the program, of all threads.
fn total() -> u64 {
    // SAFETY: the two addresses are the ends of one array of numbers that lives as long as the program. Other threads
    // may increment a counter in between; each is read at once, and a slightly old value does no harm.
    #[allow(unsafe_code)]
    unsafe {
        let (mut at, end) = (__llvm_profile_begin_counters(), __llvm_profile_end_counters());
        let mut sum = 0_u64;
        while at < end {
            sum = sum.wrapping_add(at.read_volatile());
            at = at.add(1);
        }
        sum
    }
}

/// Returns the result of `f`, and the number of code regions that it ran: those of this workspace and its dependencies,
/// not of `std`.
pub fn counted<R>(f: impl FnOnce() -> R) -> (R, u64) {
    let start = total();
    let result = f();
    (result, total().wrapping_sub(start))
}
