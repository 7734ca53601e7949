//! Members that are compressed by other threads.

use std::collections::{HashMap, VecDeque};
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use zip::PreparedZipFile;
use zip::result::ZipResult;
use zip::write::ZipFileBuilder;

use super::entry::{is_large, options};
use crate::element::block::BLOCK;
use crate::error::Result;
use crate::limits::to_u64;
use crate::npz::directory::zip_error;

/// So many bytes of members may wait for those before them.
const WAITING: usize = 64 << 20;
/// What a member counts for at least: its names and places take memory, too.
const AT_LEAST: usize = 64 << 10;

/// The members that are being compressed, and those that wait to be written, in their order.
#[derive(Default)]
pub(super) struct Jobs {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    /// The members, and what each of them takes.
    list: VecDeque<(String, usize)>,
    /// What they take together.
    size: usize,
    /// How many have been written.
    taken: usize,
}

/// A member that is compressed, if nothing failed.
pub(super) type Done = Result<PreparedZipFile>;

/// What all threads know.
#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Those that no thread has begun.
    tasks: VecDeque<Task>,
    /// How many are being compressed.
    running: usize,
    done: HashMap<usize, Done>,
    /// Nobody wants any more.
    stopped: bool,
}

/// A member to be compressed.
struct Task {
    index: usize,
    name: String,
    level: Option<u8>,
    bytes: Vec<u8>,
}

impl Jobs {
    /// Has the bytes of a member compressed, once fewer than `most` others are.
    pub(super) fn start(&mut self, file: &str, level: Option<u8>, bytes: Vec<u8>, most: usize) {
        let size = bytes.len().max(AT_LEAST);
        let index = self.taken.saturating_add(self.list.len());
        let task = Task { index, name: file.to_owned(), level, bytes };
        let mut state = self.shared.until(|state| state.begun() < most.max(1));
        state.tasks.push_back(task);
        let wanted = state.begun();
        drop(state);
        self.shared.changed.notify_all();
        if self.threads.len() < wanted {
            let shared = Arc::clone(&self.shared);
            let work = move || while shared.compress(false) {};
            let thread = thread::Builder::new().name("npy-deflate".into()).spawn(work);
            self.threads.extend(thread.ok());
        }
        if self.threads.is_empty() {
            // The system has no thread: this one does it.
            self.shared.compress(true);
        }
        self.list.push_back((file.to_owned(), size));
        self.size = self.size.saturating_add(size);
    }

    /// The next member to write, if that is done, or if too much waits for it, once it is.
    pub(super) fn next(&mut self, threads: usize) -> Option<(String, Done)> {
        // As many may wait as are compressed.
        let must = self.size > WAITING && self.list.len() > threads;
        let is_done = || self.shared.lock().done.contains_key(&self.taken);
        if must || is_done() { self.any() } else { None }
    }

    /// The next member to write, once it is done.
    pub(super) fn any(&mut self) -> Option<(String, Done)> {
        let (name, size) = self.list.pop_front()?;
        let mut state = self.shared.until(|state| state.done.contains_key(&self.taken));
        let done = state.done.remove(&self.taken)?;
        self.taken = self.taken.saturating_add(1);
        self.size = self.size.saturating_sub(size);
        Some((name, done))
    }
}

/// No thread goes on when its archive is gone.
impl Drop for Jobs {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.stopped = true;
        state.tasks.clear();
        drop(state);
        self.shared.changed.notify_all();
        for thread in self.threads.drain(..) {
            // What it did is of no use any more.
            drop(thread.join());
        }
    }
}

impl Shared {
    /// Nobody panics who has it.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state, once it is so.
    fn until(&self, is_so: impl Fn(&State) -> bool) -> MutexGuard<'_, State> {
        let state = self.changed.wait_while(self.lock(), |state| !is_so(state));
        state.unwrap_or_else(PoisonError::into_inner)
    }

    /// Compresses the next member; gives whether there was one. Waits for it, unless this is the only thread.
    fn compress(&self, alone: bool) -> bool {
        let ready = |state: &State| alone || state.stopped || !state.tasks.is_empty();
        let mut state = self.until(ready);
        let Some(task) = state.tasks.pop_front() else { return false };
        state.running = state.running.saturating_add(1);
        drop(state);
        let index = task.index;
        let done = catch_unwind(AssertUnwindSafe(|| task.run()));
        let panicked = |_| Err(io::Error::other("the thread that compressed it panicked").into());
        let done = done.map_or_else(panicked, |done| done.map_err(zip_error));
        let mut state = self.lock();
        state.running = state.running.saturating_sub(1);
        state.done.insert(index, done);
        drop(state);
        self.changed.notify_all();
        true
    }
}

impl State {
    /// How many are compressed, or are about to be.
    fn begun(&self) -> usize {
        self.tasks.len().saturating_add(self.running)
    }
}

impl Task {
    fn run(self) -> ZipResult<PreparedZipFile> {
        let Task { name, level, bytes, .. } = self;
        let large = is_large(to_u64(bytes.len()));
        let mut builder = ZipFileBuilder::new(name, options(level, large))?;
        for block in bytes.chunks(BLOCK) {
            builder.write_all(block)?;
        }
        builder.finish()
    }
}
