//! Two threads that read the blocks of a file: one that reads ahead, and the one that decodes, while the block it wants is not there.

use std::io::Result;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use super::{Placed, read_full};
use crate::limits;

/// Bytes of a block: less than one thread would read at a time, as there are up to five.
pub(super) const BLOCK: usize = 64 << 10;

/// Bytes that wait to be taken, before no more are read ahead. Three blocks at most are in work: that is all the memory this takes.
const WAITING: usize = 3 * BLOCK;

/// What a block counts for at least: one of few bytes, of items that grow, has its cost, too.
const LEAST: usize = 4 << 10;

/// A file that is being read ahead.
pub(super) struct Ahead {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    /// How many blocks were taken.
    taken: usize,
}

/// What both threads know.
struct Shared {
    /// Where the first block stands.
    file: Placed,
    /// Bytes of a block, and of all.
    block: usize,
    bytes: usize,
    state: Mutex<State>,
    /// Told of each block that is read or taken.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// How many blocks have been read or are being read.
    begun: usize,
    ready: Vec<Block>,
    spare: Vec<Vec<u8>>,
    /// Nobody takes blocks any more.
    stopped: bool,
    /// The other thread reads no more.
    ended: bool,
}

/// A block that was read: which, and whether it failed then.
struct Block {
    index: usize,
    bytes: Vec<u8>,
    result: Result<()>,
}

impl Ahead {
    /// Starts to read `bytes` bytes, `block` at a time; `None` where the system has no thread for it.
    pub(super) fn start(file: Placed, block: usize, bytes: usize) -> Option<Ahead> {
        let (state, changed) = Default::default();
        let shared = Arc::new(Shared { file, block, bytes, state, changed });
        let work = Worker(shared.clone());
        let thread = thread::Builder::new().name("npy-read".into()).spawn(move || work.run());
        Some(Ahead { shared, thread: Some(thread.ok()?), taken: 0 })
    }

    /// Puts the next block in the place of one that is used; `None` if there is no more.
    pub(super) fn take(&mut self, block: &mut Vec<u8>) -> Option<Result<()>> {
        let shared = &*self.shared;
        let mut state = shared.lock();
        loop {
            if let Some(at) = state.ready.iter().position(|ready| ready.index == self.taken) {
                let next = state.ready.swap_remove(at);
                state.spare.push(std::mem::replace(block, next.bytes));
                shared.changed.notify_all();
                self.taken = self.taken.saturating_add(1);
                return Some(next.result);
            }
            // The other thread is reading it. What comes then is not there yet either.
            let next = shared.begin(&mut state);
            let Some(index) = next else {
                if state.ended || self.taken >= state.begun {
                    return None;
                }
                state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            state = shared.read(state, index);
        }
    }

    /// Ends it. What was read and nobody took is read again.
    pub(super) fn stop(mut self) {
        let thread = self.thread.take();
        drop(self);
        // If it panicked, there is nothing to be told of.
        let _ = thread.map(JoinHandle::join);
    }
}

/// Ends the other thread, and does not wait for it.
impl Drop for Ahead {
    fn drop(&mut self) {
        self.shared.lock().stopped = true;
        self.shared.changed.notify_all();
    }
}

impl Shared {
    /// Nobody panics who has it; if so, it is as good as before.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next block that nobody reads, if there is one and not enough wait.
    fn begin(&self, state: &mut State) -> Option<usize> {
        let index = state.begun;
        let waiting = state.ready.len().saturating_mul(self.block.max(LEAST));
        if waiting >= WAITING || index.saturating_mul(self.block) >= self.bytes {
            return None;
        }
        state.begun = index.saturating_add(1);
        Some(index)
    }

    /// Reads a block, or a part of it at the end, while others have the state.
    fn read<'s>(&'s self, mut state: MutexGuard<'s, State>, index: usize) -> MutexGuard<'s, State> {
        let mut bytes = state.spare.pop().unwrap_or_default();
        drop(state);
        let before = index.saturating_mul(self.block);
        bytes.resize(self.bytes.saturating_sub(before).min(self.block), 0);
        let mut file = self.file.at(limits::to_u64(before));
        let (found, result) = read_full(&mut file, &mut bytes);
        bytes.truncate(found);
        let mut state = self.lock();
        state.ready.push(Block { index, bytes, result });
        state
    }
}

/// The other thread.
struct Worker(Arc<Shared>);

impl Worker {
    /// Reads blocks until there are no more, or nobody takes them.
    fn run(self) {
        let Worker(shared) = &self;
        let mut state = shared.lock();
        while !state.stopped && state.begun.saturating_mul(shared.block) < shared.bytes {
            let Some(index) = shared.begin(&mut state) else {
                state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            state = shared.read(state, index);
            shared.changed.notify_all();
        }
    }
}

/// Also where it panics: nobody waits for what it does not read.
impl Drop for Worker {
    fn drop(&mut self) {
        self.0.lock().ended = true;
        self.0.changed.notify_all();
    }
}
