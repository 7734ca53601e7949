//! How much work a call is, without a clock: how often each piece of the code is run, as the compiler counts for coverage.
//!
//! Only in what `cargo xtask work` builds, with `-Cinstrument-coverage` and `--cfg=counted`.

// SAFETY: so the runtime declares them that the compiler links for coverage; each gives an address and does nothing.
#[allow(unsafe_code)]
unsafe extern "C" {
    fn __llvm_profile_begin_counters() -> *const u64;
    fn __llvm_profile_end_counters() -> *const u64;
}

/// All counts of the program, of all threads.
fn total() -> u64 {
    // SAFETY: the two are the ends of one array of numbers, which lives as long as the program. Other threads may add to it in between;
    // each number is read at once, and one that is a step behind does no harm.
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

/// What `f` returns, and how many pieces of code were run for it: those of this workspace and its dependencies, not of `std`.
pub fn counted<R>(f: impl FnOnce() -> R) -> (R, u64) {
    let start = total();
    let result = f();
    (result, total().wrapping_sub(start))
}
