//! Inflates the chunks of a member on several threads, ahead of who reads it.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufReader, Read};
use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use crate::checked;
use crate::checksum::{Checksum, Combined};
use crate::chunks::{Chunk, Chunks};
use crate::error::to_u64;
use crate::inflate::Inflater;
use crate::room;
use crate::source::{Handle, Source};

/// The bytes for each thread that may be inflated before they are read.
const AHEAD: usize = 8 << 20;

type Inflating = Inflater<Handle<File>>;

/// The threads that inflate a member of a file.
pub(crate) struct Ahead {
    work: Arc<Work>,
    /// The number of threads that were not started yet: the first read does that.
    missing: usize,
    threads: Vec<JoinHandle<()>>,
    /// This thread helps while the next chunk is not there.
    inflater: Inflating,
    /// The chunk that is read. The first bytes of it were.
    bytes: Vec<u8>,
    used: usize,
    /// The checksum of all chunks so far, and of the member.
    sum: Combined,
    expected: u32,
}

/// The chunks, and how far each of the threads is.
struct Work {
    source: Arc<Source<File>>,
    chunks: Chunks,
    /// The most chunks that may be in [`State::inflated`].
    most: usize,
    state: Mutex<State>,
    /// A chunk was inflated or read, or the work is over.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The number of chunks that were read.
    read: usize,
    /// The chunks after these, with their checksums; `None` while a thread inflates it.
    inflated: VecDeque<Option<(Vec<u8>, u32)>>,
    /// Memory of chunks that were read.
    unused: Vec<Vec<u8>>,
    /// True if a chunk is not as the index says, or nobody reads any more.
    is_over: bool,
}

impl Ahead {
    /// Prepares to inflate all chunks of a member, which has this checksum.
    pub(crate) fn new(
        source: Arc<Source<File>>,
        threads: usize,
        chunks: Chunks,
        expected: u32,
    ) -> Self {
        let size = chunks.get(0).map_or(0, |chunk| chunk.size);
        let all = AHEAD.checked_div(size).unwrap_or(0).saturating_mul(threads);
        let inflater = inflater(&source);
        let (state, changed) = (Mutex::default(), Condvar::new());
        Ahead {
            // One chunk is read at the same time.
            work: Arc::new(Work {
                source,
                chunks,
                most: all.saturating_sub(1).max(1),
                state,
                changed,
            }),
            missing: threads.saturating_sub(1),
            threads: Vec::new(),
            inflater,
            bytes: Vec::new(),
            used: 0,
            sum: Combined::new(to_u64(size)),
            expected,
        }
    }

    /// Copies the next bytes to `out`, which is not empty, and returns their number. `None` if a chunk is not as the index says, or was not
    /// inflated for another reason: then the member is to be read without the index.
    pub(crate) fn read(&mut self, out: &mut [u8]) -> Option<usize> {
        if self.used == self.bytes.len() {
            self.advance()?;
        }
        let bytes = self.bytes.get(self.used..)?;
        let count = bytes.len().min(out.len());
        out.get_mut(..count)?.copy_from_slice(bytes.get(..count)?);
        self.used = checked::add(self.used, count);
        Some(count)
    }

    /// Waits for the next chunk, or inflates later ones.
    ///
    /// Each chunk begins where the one before it ends, and refers to nothing before it, so these are the bytes that are read without the index.
    fn advance(&mut self) -> Option<()> {
        self.start();
        let mut state = self.work.lock();
        let (bytes, checksum) = loop {
            if state.is_over {
                return None;
            }
            if let Some(first) = state.inflated.front_mut().and_then(Option::take) {
                break first;
            }
            state = match self.work.next(&mut state) {
                Some((index, buffer)) => {
                    drop(state);
                    self.work.inflate(index, buffer, &mut self.inflater);
                    self.work.lock()
                }
                None if state.inflated.is_empty() => return None,
                None => self.work.wait(state),
            };
        };
        state.inflated.pop_front();
        state.read = checked::add(state.read, 1);
        state.unused.push(mem::replace(&mut self.bytes, bytes));
        let is_last = state.read == self.work.chunks.len();
        drop(state);
        self.work.changed.notify_all();
        self.used = 0;
        self.sum.add(checksum, to_u64(self.bytes.len()));
        (!is_last || self.sum.value == self.expected).then_some(())
    }

    fn start(&mut self) {
        for _ in 0..mem::take(&mut self.missing) {
            let work = Arc::clone(&self.work);
            let thread = thread::Builder::new().name("npy-inflate".into());
            // If the system refuses a thread, the others do its work.
            self.threads.extend(thread.spawn(move || work.run()));
        }
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        self.work.end();
        for thread in self.threads.drain(..) {
            // A thread that has panicked has said so: see `Ended`.
            let _ = thread.join();
        }
    }
}

/// Ends the work if its thread panics, as zlib-rs does if it gets no memory. The member is then read without threads, or the error is found.
struct Ended<'w>(&'w Work);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.end();
        }
    }
}

impl Work {
    /// Poisoning is ignored: nothing panics while holding the lock, and the state would stay valid.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self) {
        self.lock().is_over = true;
        self.changed.notify_all();
    }

    /// Inflates chunks until there are no more, or nobody reads any more.
    fn run(&self) {
        let _ended = Ended(self);
        let mut inflater = inflater(&self.source);
        let mut state = self.lock();
        while !state.is_over && self.started(&state) < self.chunks.len() {
            state = match self.next(&mut state) {
                Some((index, buffer)) => {
                    drop(state);
                    self.inflate(index, buffer, &mut inflater);
                    self.lock()
                }
                None => self.wait(state),
            };
        }
    }

    fn started(&self, state: &State) -> usize {
        checked::add(state.read, state.inflated.len())
    }

    /// Returns the index of the chunk to inflate next, and memory for it; `None` if there is no other, or enough are inflated.
    fn next(&self, state: &mut State) -> Option<(usize, Vec<u8>)> {
        let index = self.started(state);
        if index >= self.chunks.len() || state.inflated.len() >= self.most {
            return None;
        }
        state.inflated.push_back(None);
        Some((index, state.unused.pop().unwrap_or_default()))
    }

    fn inflate(&self, index: usize, mut bytes: Vec<u8>, inflater: &mut Inflating) {
        let chunk = self.chunks.get(index);
        let checksum = chunk.and_then(|chunk| fill(&mut bytes, chunk, inflater));
        let Some(checksum) = checksum else { return self.end() };
        let mut state = self.lock();
        let place = checked::sub(index, state.read);
        if let Some(slot) = state.inflated.get_mut(place) {
            *slot = Some((bytes, checksum));
        }
        drop(state);
        self.changed.notify_all();
    }
}

/// Inflates a chunk and returns its checksum; `None` if it is not as the index says, or was not inflated for another reason.
fn fill(bytes: &mut Vec<u8>, chunk: Chunk, inflater: &mut Inflating) -> Option<u32> {
    let missing = chunk.size.saturating_sub(bytes.len());
    room::growing(bytes, missing).ok()?;
    // All are overwritten, so those of an earlier chunk need not become zeros.
    bytes.resize(chunk.size, 0);
    let is_complete = inflater.chunk(chunk.range, chunk.is_last, bytes).ok()?;
    let checksum = Checksum::of(bytes);
    let is_right = chunk.checksum.is_none_or(|expected| expected == checksum);
    (is_complete && is_right).then_some(checksum)
}

fn inflater(source: &Arc<Source<File>>) -> Inflating {
    const COMPRESSED: usize = 64 << 10;
    Inflater::new(BufReader::with_capacity(COMPRESSED, Handle::new(source).take(0)))
}
