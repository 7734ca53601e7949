//! Reads a file with several threads. Each thread takes the next block, reads it at its offset, and decodes it into its part of the result.

use std::io::Read;
use std::iter::Enumerate;
use std::mem;
use std::panic::resume_unwind;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use super::reader::Reader;
use crate::element::Element;
use crate::element::block::{self, Buffers};
use crate::element::cast::{Slots, fill_in_parts};
use crate::element::decode::decode;
use crate::element::typed_plan::ItemPlan;
use crate::error::{Error, Result};
use crate::limits;
use crate::reserve;

impl<R: Read> Reader<R> {
    /// Decodes the remaining values with several threads; `None` if a single thread must read them, or is faster.
    pub(super) fn read_parallel<T: Element>(&mut self, plan: &ItemPlan) -> Result<Option<Vec<T>>> {
        let (count, size) = (self.items_left(plan), plan.plan.src_itemsize);
        let bytes = count.saturating_mul(size);
        // One thread reads values that need to be dropped: after an error, the values of other threads would leak.
        if mem::needs_drop::<T>()
            || !self.data.source.is_worth_threads(bytes)
            || !self.check_available()?
        {
            return Ok(None);
        }
        let (truncated, first) = (self.data.truncation(), self.next_row(plan));
        let start = self.data.source.offset();
        let mut values = Vec::new();
        reserve::exact(&mut values, count)?;
        self.data.lose();
        // What is worth threads is shared.
        let Some((file, threads)) = self.data.source.shared() else { return Ok(None) };
        fill_in_parts(&mut values, count, plan.per_block, |parts| {
            let threads = threads.min(count.div_ceil(plan.per_block));
            each_part(threads, parts, |index, mut slots: Slots<'_, T>, buffers| {
                let (before, n) = (index.saturating_mul(plan.per_block), slots.len());
                let at = start.saturating_add(limits::to_u64(before.saturating_mul(size)));
                buffers.block.resize(n.saturating_mul(size), 0);
                let found = file.at(at).fill_slice(&mut buffers.block)?;
                if found < buffers.block.len() {
                    return Err(truncated(at.saturating_add(limits::to_u64(found))));
                }
                decode(&plan.plan, n, buffers, &mut slots)
                    .map_err(|error| block::invalid(error, first.saturating_add(before)))
            })
        })?;
        self.data.source.move_shared(start.saturating_add(limits::to_u64(bytes)));
        self.data.finish();
        Ok(Some(values))
    }
}

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
