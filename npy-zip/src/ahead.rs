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
        // If this thread panics, no other one inflates its chunk: a later read must not wait for it.
        let _ended = Ended(&self.work);
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
        let unused = mem::replace(&mut self.bytes, bytes);
        if room::growing(&mut state.unused, 1).is_ok() {
            state.unused.push(unused);
        }
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

    /// Returns the index of the chunk to inflate next, and memory for it; `None` if there is no other, enough are inflated, or no memory is left.
    fn next(&self, state: &mut State) -> Option<(usize, Vec<u8>)> {
        let index = self.started(state);
        if index >= self.chunks.len() || state.inflated.len() >= self.most {
            return None;
        }
        state.inflated.try_reserve(1).ok()?;
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

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;
    use crate::chunks::Layout;
    use crate::{Compression, Directory, Limits, Writer};

    const CHUNK: usize = 4096;
    const SIZE: usize = 20 * CHUNK + 100;

    fn bytes() -> Vec<u8> {
        (0..u32::try_from(SIZE).unwrap()).map(|n| n.wrapping_mul(n).to_le_bytes()[1]).collect()
    }

    /// Returns a file with a deflated member, and its chunks.
    fn source() -> (Arc<Source<File>>, Chunks) {
        let compression = Compression::deflate(1, 1).seek_every(CHUNK as u64);
        let mut writer = Writer::seekable(Cursor::new(Vec::new()), compression).unwrap();
        let add = |member: &mut crate::MemberWriter<'_, _>| {
            member.begin(SIZE as u64)?;
            member.write_all(&bytes())
        };
        writer.add("x", add).unwrap();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&writer.finish().unwrap().into_inner()).unwrap();
        let source = Arc::new(Source::file(file));
        let (mut reader, limits) = (Handle::new(&source), Limits::default());
        let directory = Directory::read(&mut reader, &limits).unwrap();
        let entry = directory.find("x").unwrap();
        let chunks = directory.chunks(entry, &mut reader, &limits).unwrap().unwrap();
        (source, chunks)
    }

    /// Returns the chunks with other positions and checksums.
    fn forged(chunks: &Chunks, change: impl FnOnce(&mut [u64], &mut Vec<u32>)) -> Chunks {
        let all: Vec<Chunk> = chunks.iter().collect();
        let data = all[0].range.start..all[all.len() - 1].range.end;
        let start = |chunk: &Chunk| chunk.range.start - data.start;
        let mut positions: Vec<u64> = all.iter().skip(1).map(start).collect();
        let mut checksums: Vec<u32> = all.iter().filter_map(|chunk| chunk.checksum).collect();
        change(&mut positions, &mut checksums);
        let checksums: Vec<u8> = checksums.into_iter().flat_map(u32::to_le_bytes).collect();
        let count = all.len() as u64;
        let layout =
            Layout { chunk: CHUNK as u64, count, size: SIZE as u64, data, position_size: 8 };
        let positions = positions.into_iter().flat_map(u64::to_le_bytes).collect();
        let checksums = Some(checksums).filter(|list| !list.is_empty());
        Chunks::new(layout, 0..count, positions, checksums).unwrap()
    }

    fn ahead(source: &Arc<Source<File>>, threads: usize, chunks: &Chunks) -> Ahead {
        let expected = Checksum::of(&bytes());
        Ahead::new(Arc::clone(source), threads, chunks.clone(), expected)
    }

    /// Reads until there are no more bytes.
    fn read_all(ahead: &mut Ahead, piece: usize) -> Vec<u8> {
        let (mut found, mut out) = (Vec::new(), vec![0; piece]);
        while let Some(count) = ahead.read(&mut out) {
            found.extend(&out[..count]);
        }
        found
    }

    /// Calls a function on a thread, and fails if it does not return.
    fn within_a_minute(call: impl FnOnce() + Send + 'static) {
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            call();
            sender.send(()).unwrap();
        });
        receiver.recv_timeout(Duration::from_secs(60)).unwrap();
    }

    /// Guards any number of threads, and few chunks ahead: a thread that waits is woken.
    #[test]
    fn several_threads_inflate_the_bytes_of_the_member() {
        within_a_minute(|| {
            let (source, chunks) = source();
            for round in 0..20 {
                for (threads, most) in [(1, 1), (2, 1), (2, 2), (3, 100), (30, 5)] {
                    let mut ahead = ahead(&source, threads, &chunks);
                    Arc::get_mut(&mut ahead.work).unwrap().most = most;
                    let found = read_all(&mut ahead, 1 + round * 700);
                    assert!(found == bytes(), "{threads} threads, {most} chunks");
                    assert_eq!(ahead.read(&mut [0]), None);
                }
            }
        });
    }

    /// Guards memory: a reader that is slow does not make the threads inflate more than they may, and memory is used again.
    #[test]
    fn threads_stay_within_their_memory() {
        const MOST: usize = 3;
        within_a_minute(|| {
            let (source, chunks) = source();
            let mut ahead = ahead(&source, 4, &chunks);
            Arc::get_mut(&mut ahead.work).unwrap().most = MOST;
            while ahead.read(&mut [0; CHUNK]).is_some() {
                thread::sleep(Duration::from_millis(5));
                let state = ahead.work.lock();
                assert!(state.inflated.len() <= MOST);
                assert!(state.inflated.len() + state.unused.len() <= MOST + 1);
            }
        });
    }

    /// Guards a reader that is dropped after any chunk, also while threads wait: they end, and let the file go.
    #[test]
    fn threads_end_with_their_reader() {
        within_a_minute(|| {
            let (source, chunks) = source();
            for count in 0..=chunks.len() {
                for (threads, most) in [(2, 1), (4, 3), (4, 100)] {
                    let mut ahead = ahead(&source, threads, &chunks);
                    Arc::get_mut(&mut ahead.work).unwrap().most = most;
                    for _ in 0..count {
                        ahead.read(&mut [0; CHUNK]).unwrap();
                    }
                    drop(ahead);
                    assert_eq!(Arc::strong_count(&source), 1, "{count}, {threads}");
                }
            }
        });
    }

    /// Guards each check of a chunk: the bytes before it are right, and none of it are returned.
    #[test]
    fn bytes_of_a_wrong_chunk_are_not_returned() {
        within_a_minute(|| {
            let (source, chunks) = source();
            for threads in [1, 2, 4] {
                for wrong in [0, 7, 20] {
                    let checksum = forged(&chunks, |_, checksums| checksums[wrong] ^= 1);
                    let position = forged(&chunks, |positions, checksums| {
                        checksums.clear();
                        positions[wrong.min(19)] -= 1;
                    });
                    for (forged, right) in [(checksum, wrong), (position, wrong.min(19))] {
                        let found = read_all(&mut ahead(&source, threads, &forged), CHUNK);
                        assert!(found.len() <= right * CHUNK, "{wrong}: {} bytes", found.len());
                        assert!(bytes().starts_with(&found), "{wrong}");
                    }
                }
            }
        });
    }

    /// Guards the checksum of the member: without it, the last chunk is not returned.
    #[test]
    fn the_last_chunk_is_returned_if_the_checksum_of_the_member_is_right() {
        within_a_minute(|| {
            let (source, chunks) = source();
            let without = forged(&chunks, |_, checksums| checksums.clear());
            for (chunks, threads) in [(&chunks, 1), (&without, 1), (&chunks, 3), (&without, 3)] {
                let mut ahead = ahead(&source, threads, chunks);
                assert!(read_all(&mut ahead, 1000) == bytes());
                let wrong = !Checksum::of(&bytes());
                let mut ahead = Ahead::new(Arc::clone(&source), threads, chunks.clone(), wrong);
                assert!(read_all(&mut ahead, 1000) == bytes()[..20 * CHUNK]);
            }
        });
    }

    /// Guards a panic, as for lack of memory: who reads does not wait for a chunk that nobody inflates.
    #[test]
    fn nobody_waits_for_a_thread_that_has_panicked() {
        within_a_minute(|| {
            let (source, chunks) = source();
            let panicking = || {
                let ahead = ahead(&source, 1, &chunks);
                let mut state = ahead.work.lock();
                // The number of chunks overflows, so the next call panics.
                state.read = usize::MAX;
                state.inflated.push_back(None);
                drop(state);
                ahead
            };
            let mut by_thread = panicking();
            let work = Arc::clone(&by_thread.work);
            assert!(thread::spawn(move || work.run()).join().is_err());
            assert_eq!(by_thread.read(&mut [0]), None);
            let mut by_reader = panicking();
            assert!(catch_unwind(AssertUnwindSafe(|| by_reader.read(&mut [0]))).is_err());
            assert_eq!(by_reader.read(&mut [0]), None);
        });
    }
}
