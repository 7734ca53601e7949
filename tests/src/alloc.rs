//! Measures the memory that a call takes, counted by the allocator.
//!
//! A single allocation of more than 1 GiB fails, so that a test does not depend on how much the machine would promise.
//!
//! A test says `#[global_allocator] static ALLOCATOR: Counting = Counting;` and calls [`peak`]. Each thread has its own
//! count, so tests that run at the same time do not affect each other. A test that runs alone in its process may
//! measure all threads together: [`peak_of_all`].

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;
use std::sync::atomic::{AtomicIsize, Ordering};

thread_local! {
    // `const` and without a destructor: these allocate nothing themselves, and outlive the thread's other values.
    static NOW: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
    static SPENT: Cell<u64> = const { Cell::new(0) };
}

static NOW_ALL: AtomicIsize = AtomicIsize::new(0);
static PEAK_ALL: AtomicIsize = AtomicIsize::new(0);

/// The largest allocation that succeeds.
const MOST: usize = 1 << 30;

/// The size from which [`limit_all`] makes allocations fail.
const LIMITED: usize = 4 << 10;

/// The number of bytes that all threads together may hold.
static LIMIT_ALL: AtomicIsize = AtomicIsize::new(isize::MAX);

/// The system's allocator, with a count. Memory that one thread allocates and another frees adds to the count of the
/// first and is subtracted from that of the second.
#[derive(Debug)]
pub struct Counting;

fn count(change: isize) {
    let now = NOW.get().wrapping_add(change);
    NOW.set(now);
    PEAK.set(PEAK.get().max(now));
    let all = NOW_ALL.fetch_add(change, Ordering::Relaxed).wrapping_add(change);
    PEAK_ALL.fetch_max(all, Ordering::Relaxed);
    // Each call counts as 16 bytes more, so that many small allocations are not free.
    SPENT.set(SPENT.get().wrapping_add(change.max(0).unsigned_abs() as u64 + 16));
}

/// Returns true if an allocation that adds `added` bytes must fail.
fn is_refused(size: usize, added: isize) -> bool {
    let held = NOW_ALL.load(Ordering::Relaxed).saturating_add(added);
    size > MOST || size >= LIMITED && held > LIMIT_ALL.load(Ordering::Relaxed)
}

/// The size of an allocation; a `Layout` has at most `isize::MAX` bytes.
fn bytes(size: usize) -> isize {
    size.cast_signed()
}

// SAFETY: each method passes its arguments to `System` and returns its result, or null, which means that there is no
// memory; counting neither allocates nor panics.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    // SAFETY: the caller's promises are those of `System::alloc`.
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_refused(layout.size(), bytes(layout.size())) {
            return std::ptr::null_mut();
        }
        // SAFETY: as promised to this function.
        let memory = unsafe { System.alloc(layout) };
        if !memory.is_null() {
            count(bytes(layout.size()));
        }
        memory
    }

    // SAFETY: the caller's promises are those of `System::alloc_zeroed`.
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_refused(layout.size(), bytes(layout.size())) {
            return std::ptr::null_mut();
        }
        // SAFETY: as promised to this function.
        let memory = unsafe { System.alloc_zeroed(layout) };
        if !memory.is_null() {
            count(bytes(layout.size()));
        }
        memory
    }

    // SAFETY: the caller's promises are those of `System::dealloc`.
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as promised to this function; all memory of `self` is the system's.
        unsafe { System.dealloc(memory, layout) };
        count(bytes(layout.size()).wrapping_neg());
    }

    // SAFETY: the caller's promises are those of `System::realloc`.
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if is_refused(size, bytes(size).wrapping_sub(bytes(layout.size()))) {
            return std::ptr::null_mut();
        }
        // SAFETY: as promised to this function; all memory of `self` is the system's.
        let grown = unsafe { System.realloc(memory, layout, size) };
        if !grown.is_null() {
            count(bytes(size).wrapping_sub(bytes(layout.size())));
        }
        grown
    }
}

/// Returns the result of `f`, and the peak of the bytes that it held on this thread, above those held at its start.
///
/// # Panics
///
/// If the program's allocator is not [`Counting`]: it would measure nothing.
pub fn peak<R>(f: impl FnOnce() -> R) -> (R, usize) {
    let start = NOW.get();
    let probe = black_box(Box::new(0_u8));
    assert_ne!(
        NOW.get(),
        start,
        "nothing is counted: say `#[global_allocator] static ALLOCATOR: Counting = Counting;`"
    );
    drop(probe);
    let before = PEAK.replace(start);
    let result = f();
    let high = PEAK.get();
    // The peak of a call around this one.
    PEAK.set(high.max(before));
    (result, high.wrapping_sub(start).cast_unsigned())
}

/// Like [`peak`], but for all threads together. Use it only where no other test runs in the process.
pub fn peak_of_all<R>(f: impl FnOnce() -> R) -> (R, usize) {
    let start = NOW_ALL.load(Ordering::Relaxed);
    PEAK_ALL.store(start, Ordering::Relaxed);
    let result = f();
    let high = PEAK_ALL.load(Ordering::Relaxed);
    (result, high.wrapping_sub(start).cast_unsigned())
}

/// From now on, all threads together may hold this many more bytes: allocations of 4 KiB and more fail beyond it. Smaller ones succeed,
/// because the standard library aborts without them, whatever a program does. Use it only where no other test runs in the process.
pub fn limit_all(more: isize) {
    LIMIT_ALL.store(NOW_ALL.load(Ordering::Relaxed).saturating_add(more), Ordering::Relaxed);
}

/// Returns the result of `f`, and the cost of its allocations on this thread: all bytes that were ever allocated, and
/// 16 for each call.
pub fn spent<R>(f: impl FnOnce() -> R) -> (R, u64) {
    let start = SPENT.get();
    let result = f();
    (result, SPENT.get().wrapping_sub(start))
}

#[cfg(test)]
mod tests {
    use super::{Counting, MOST, peak, spent};

    #[global_allocator]
    static ALLOCATOR: Counting = Counting;

    #[test]
    fn the_peak_is_what_is_held_at_once() {
        let (kept, cost) = peak(|| {
            drop(vec![1_u8; 3000]);
            let mut kept = Vec::<u8>::with_capacity(1000);
            kept.reserve_exact(2000);
            kept
        });
        assert_eq!((kept.capacity(), cost), (2000, 3000));
    }

    #[test]
    fn freed_memory_counts_as_spent() {
        let ((), cost) = spent(|| {
            drop(vec![1_u8; 3000]);
            drop(vec![1_u8; 500]);
        });
        assert_eq!(cost, 3500 + 4 * 16);
    }

    #[test]
    fn an_allocation_of_more_than_1_gib_fails() {
        assert!(Vec::<u8>::new().try_reserve_exact(MOST + 1).is_err());
        let mut bytes = vec![0_u8; 9];
        assert!(bytes.try_reserve_exact(MOST).is_err());
    }

    #[test]
    fn nested_calls_of_peak_are_independent() {
        let (((), inner), outer) = peak(|| {
            drop(vec![0_u8; 500]);
            let _held = Box::new([0_u8; 100]);
            peak(|| drop(vec![1_u8; 200]))
        });
        assert_eq!((inner, outer), (200, 500));
    }

    #[test]
    fn other_threads_do_not_count() {
        let (sum, cost) = peak(|| {
            std::thread::scope(|scope| {
                scope
                    .spawn(|| vec![1_u8; 1 << 20].iter().map(|&n| u64::from(n)).sum::<u64>())
                    .join()
            })
        });
        assert_eq!(sum.unwrap(), 1 << 20);
        assert!(cost < 1 << 16, "{cost}");
    }
}
