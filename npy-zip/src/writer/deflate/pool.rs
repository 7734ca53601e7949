//! Compresses blocks on several threads: those of a pool, and the caller's while it waits.

use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use super::block::{Block, Task, compress};
use crate::checked;
use crate::room;

/// The stack of a thread.
const STACK: usize = 1 << 20;

/// Receives a block when it is compressed.
pub(in super::super) type Pending = Receiver<io::Result<Block>>;

type Job = (Task, Sender<io::Result<Block>>);

/// Threads that compress blocks.
pub(in super::super) struct Pool {
    level: u8,
    /// The largest number of threads, including the caller's.
    threads: usize,
    /// `None` once no more jobs will come.
    jobs: Option<Sender<Job>>,
    /// Locked by the worker that waits for the next job.
    queue: Arc<Mutex<Receiver<Job>>>,
    workers: Vec<JoinHandle<()>>,
}

impl Pool {
    pub(super) fn new(level: u8, threads: usize) -> Self {
        let (jobs, queue) = mpsc::channel();
        let queue = Arc::new(Mutex::new(queue));
        Pool { level, threads, jobs: Some(jobs), queue, workers: Vec::new() }
    }

    /// Queues a block, and starts another thread if the limit allows it and there are as many waiting blocks as threads.
    pub(super) fn start(&mut self, task: Task, waiting: usize) -> Pending {
        let (result, pending) = mpsc::channel();
        if let Some(jobs) = &self.jobs {
            // This cannot fail: the pool also owns the receiver.
            jobs.send((task, result)).ok();
        }
        let threads = checked::add(self.workers.len(), 1);
        if threads < self.threads && threads <= waiting {
            let (queue, level) = (Arc::clone(&self.queue), self.level);
            let thread = thread::Builder::new().name("npy-deflate".into()).stack_size(STACK);
            let thread = room::with_room(STACK, || thread.spawn(move || work(&queue, level)));
            // If the system has no more threads, or no memory for one, the existing ones do the work.
            self.workers.extend(thread.into_iter().flatten());
        }
        pending
    }

    /// Returns the compressed block, or `None` if it is not ready. With `must_wait`, compresses queued
    /// blocks and waits until it is ready.
    pub(in super::super) fn result(
        &mut self,
        block: &Pending,
        must_wait: bool,
    ) -> Option<io::Result<Block>> {
        loop {
            match block.try_recv() {
                Ok(result) => return Some(result),
                Err(TryRecvError::Disconnected) => return Some(Err(panicked())),
                Err(TryRecvError::Empty) if !must_wait => return None,
                Err(TryRecvError::Empty) => {}
            }
            match self.next_job() {
                Some(job) => run(self.level, job),
                None => return Some(block.recv().unwrap_or_else(|_| Err(panicked()))),
            }
        }
    }

    /// Takes a job from the queue; `None` if the queue is empty, or locked by a worker that waits for a job.
    fn next_job(&self) -> Option<Job> {
        self.queue.try_lock().ok()?.try_recv().ok()
    }
}

/// Discards the waiting jobs, and joins the threads.
impl Drop for Pool {
    fn drop(&mut self) {
        while self.next_job().is_some() {}
        self.jobs = None;
        for worker in self.workers.drain(..) {
            // A panic was already reported as the error of its block.
            worker.join().ok();
        }
    }
}

/// Returns a block that is compressed already.
#[cfg(feature = "zstd-write")]
pub(super) fn done(block: io::Result<Block>) -> Pending {
    let (result, pending) = mpsc::channel();
    // This cannot fail: the receiver is here.
    result.send(block).ok();
    pending
}

/// Compresses blocks until no more will come.
fn work(queue: &Mutex<Receiver<Job>>, level: u8) {
    loop {
        // Poisoning is ignored: nothing panics while holding the lock.
        let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match job {
            Ok(job) => run(level, job),
            Err(_) => return,
        }
    }
}

fn run(level: u8, (task, result): Job) {
    // zlib-rs panics if it gets no memory.
    let block = panic::catch_unwind(AssertUnwindSafe(|| compress(level, &task)));
    // Sending fails if the member was dropped: nobody waits for its blocks.
    result.send(block.unwrap_or_else(|_| Err(panicked()))).ok();
}

#[cold]
fn panicked() -> io::Error {
    io::Error::other("the compressor panicked, as it does without memory; use fewer threads")
}
