//! Calls that end soon.

use std::fs;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// The longest time that a processor works for one call on a file of a few MB.
const MOST: Duration = Duration::from_secs(10);

/// Returns the time that a processor has worked for this thread: on a machine that does other things as well, the clock runs on. On other systems than Linux, it is that of the clock.
fn time() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let file = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = file.and_then(|file| file.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

/// Returns the result of a call.
///
/// # Panics
///
/// If a processor works for it for more than ten seconds.
#[track_caller]
pub fn soon<R>(what: &str, call: impl FnOnce() -> R) -> R {
    let start = time();
    let result = call();
    let took = time() - start;
    if std::env::var_os("NPY_SHOW_TIMES").is_some() && took > Duration::from_millis(1000) {
        println!("{what}: {took:?}");
    }
    assert!(took < MOST, "{what}: {took:?}");
    result
}
