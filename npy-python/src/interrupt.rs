//! Ctrl-C: long work asks Python between blocks, and ends with its exception.

use std::cell::Cell;
use std::io;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// The time between two questions. Ctrl-C should end work within a tenth of a second.
const PAUSE: Duration = Duration::from_millis(30);

/// Returns the exception of a handler of a signal, such as `KeyboardInterrupt`, as an error of `io`.
///
/// Python is asked at most once in a pause. Only its main thread handles signals; in other threads nothing happens.
pub(crate) fn check() -> io::Result<()> {
    thread_local!(static ASKED: Cell<Option<Instant>> = const { Cell::new(None) });
    if ASKED.get().is_some_and(|asked| asked.elapsed() < PAUSE) {
        return Ok(());
    }
    let result = Python::attach(|py| py.check_signals());
    ASKED.set(Some(Instant::now()));
    result.map_err(io::Error::other)
}

/// Does work that asks nobody in a thread of its own. After Ctrl-C nobody waits for it: it ends by itself, and so must only read.
pub(crate) fn wait_for<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<T> {
    let (sender, receiver) = mpsc::channel();
    let thread = thread::Builder::new().spawn(move || sender.send(work()))?;
    loop {
        match receiver.recv_timeout(PAUSE) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => check()?,
            Err(RecvTimeoutError::Disconnected) => match thread.join() {
                Ok(_) => unreachable!("the thread sends before it ends"),
                Err(panic) => std::panic::resume_unwind(panic),
            },
        }
    }
}
