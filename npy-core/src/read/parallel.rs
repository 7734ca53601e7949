//! Work that several threads share: each takes the next part when it is idle.

use std::iter::Enumerate;
use std::panic::resume_unwind;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::element::block::Buffers;
use crate::error::{Error, Result};

/// The parts that no thread has taken, and the error of the first part that failed, with the index of that part.
struct Queue<'p, P> {
    parts: Enumerate<&'p mut (dyn Iterator<Item = P> + Send)>,
    failed: Option<(usize, Error)>,
}

/// Calls `work` with each part and its index, on this thread and others. Each thread takes the next part when it is idle.
///
/// # Errors
///
/// The error of the first part that fails; no part is begun after a failure.
pub(crate) fn each_part<P: Send>(
    threads: usize,
    parts: &mut (dyn Iterator<Item = P> + Send),
    work: impl Fn(usize, P, &mut Buffers) -> Result<()> + Sync,
) -> Result<()> {
    let queue = Mutex::new(Queue { parts: parts.enumerate(), failed: None });
    let run = || {
        let mut buffers = Buffers::default();
        while let Some((index, part)) = take(&queue) {
            if let Err(error) = work(index, part, &mut buffers) {
                let mut queue = lock(&queue);
                // Parts are taken in order, so this is the error that a single thread would return.
                if queue.failed.as_ref().is_none_or(|(first, _)| index < *first) {
                    queue.failed = Some((index, error));
                }
            }
        }
    };
    thread::scope(|scope| {
        let spawn = |_| thread::Builder::new().name("npy-read".into()).spawn_scoped(scope, run);
        // If the system refuses a thread, the others do its work.
        let others: Vec<_> = (1..threads).map_while(|i| spawn(i).ok()).collect();
        run();
        for other in others {
            if let Err(panic) = other.join() {
                resume_unwind(panic);
            }
        }
    });
    let failed = lock(&queue).failed.take();
    failed.map_or(Ok(()), |(_, error)| Err(error))
}

/// Takes the next part and its index; `None` after the last, or after a failure.
fn take<P>(queue: &Mutex<Queue<'_, P>>) -> Option<(usize, P)> {
    let mut queue = lock(queue);
    if queue.failed.is_some() { None } else { queue.parts.next() }
}

/// Poisoning is ignored: the queue is valid whenever the lock is free.
fn lock<'m, 'p, P>(queue: &'m Mutex<Queue<'p, P>>) -> MutexGuard<'m, Queue<'p, P>> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}
