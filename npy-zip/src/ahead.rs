//! Inflates the chunks of a member on several threads.

use std::fs::File;
use std::io::{BufReader, Read};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crate::checked;
use crate::checksum::{Checksum, Combined};
use crate::chunks::{Chunk, Chunks};
use crate::error::{Result, to_u64};
use crate::inflate::Inflater;
use crate::room;
use crate::source::{Handle, Source};

/// The number of bytes that a thread inflates before the next ones are read.
const BATCH: usize = 8 << 20;

/// The threads that inflate a member of a file.
pub(crate) struct Ahead {
    source: Arc<Source<File>>,
    threads: usize,
    /// The chunks of the member, and the index of the first that was not inflated yet.
    chunks: Chunks,
    next: usize,
    /// The bytes that were inflated last. The first ones were read.
    bytes: Vec<u8>,
    used: usize,
    /// The checksum of all bytes so far, and of the member.
    sum: Combined,
    expected: u32,
}

impl Ahead {
    /// Starts with all chunks of a member, which has this checksum.
    pub(crate) fn new(
        source: Arc<Source<File>>,
        threads: usize,
        chunks: Chunks,
        expected: u32,
    ) -> Self {
        let size = chunks.get(0).map_or(0, |chunk| chunk.size);
        let sum = Combined::new(to_u64(size));
        Ahead { source, threads, chunks, next: 0, bytes: Vec::new(), used: 0, sum, expected }
    }

    /// Copies the next bytes to `out`, which is not empty, and returns their number. `None` if a chunk is not as the index says, or was not
    /// inflated for another reason: then the member is to be read without the index.
    pub(crate) fn read(&mut self, out: &mut [u8]) -> Option<usize> {
        if self.used == self.bytes.len() && !self.inflate().is_ok_and(|is_right| is_right) {
            return None;
        }
        let bytes = self.bytes.get(self.used..)?;
        let count = bytes.len().min(out.len());
        out.get_mut(..count)?.copy_from_slice(bytes.get(..count)?);
        self.used = checked::add(self.used, count);
        Some(count)
    }

    /// Inflates the next chunks. Returns false if one is not as the index says.
    ///
    /// Each chunk begins where the one before it ends, and refers to nothing before it, so these are the bytes that are read without the index.
    fn inflate(&mut self) -> Result<bool> {
        let max = BATCH.saturating_mul(self.threads);
        let (mut batch, mut size) = (Vec::new(), 0);
        while let Some(chunk) = self.chunks.get(self.next) {
            let with_chunk = checked::add(size, chunk.size);
            if size > 0 && with_chunk > max {
                break;
            }
            size = with_chunk;
            room::growing(&mut batch, 1)?;
            batch.push((chunk, 0));
            self.next = checked::add(self.next, 1);
        }
        self.used = 0;
        let missing = size.saturating_sub(self.bytes.len());
        room::growing(&mut self.bytes, missing)?;
        // All are overwritten, so those of the last batch need not become zeros.
        self.bytes.resize(size, 0);
        if !inflate_all(&mut batch, &mut self.bytes, &self.source, self.threads) {
            return Ok(false);
        }
        for (chunk, checksum) in &batch {
            self.sum.add(*checksum, to_u64(chunk.size));
        }
        Ok(self.next < self.chunks.len() || self.sum.value == self.expected)
    }
}

/// Inflates chunks on this thread and others, and sets their checksums. Returns false if one fails.
fn inflate_all(
    batch: &mut [(Chunk, u32)],
    mut out: &mut [u8],
    source: &Arc<Source<File>>,
    threads: usize,
) -> bool {
    let jobs = batch.iter_mut().map(move |(chunk, checksum)| {
        let part = out.split_off_mut(..chunk.size).unwrap_or_default();
        (&*chunk, checksum, part)
    });
    let jobs = Mutex::new(jobs);
    let run = || {
        const COMPRESSED: usize = 64 << 10;
        let data = BufReader::with_capacity(COMPRESSED, Handle::new(source).take(0));
        let mut inflater = Inflater::new(data);
        loop {
            // Poisoning is ignored: nothing panics while holding the lock.
            let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((chunk, checksum, out)) = job else { return true };
            let inflated = inflater.chunk(chunk.range.clone(), chunk.is_last, out);
            *checksum = Checksum::of(out);
            let is_right = chunk.checksum.is_none_or(|expected| expected == *checksum);
            if !is_right || !inflated.is_ok_and(|is_complete| is_complete) {
                return false;
            }
        }
    };
    thread::scope(|scope| {
        let spawn = |_| thread::Builder::new().name("npy-inflate".into()).spawn_scoped(scope, run);
        // If the system refuses a thread, the others do its work.
        let others: Vec<_> = (1..threads).map_while(|index| spawn(index).ok()).collect();
        let mut is_right = run();
        for other in others {
            // zlib-rs panics if it gets no memory. The member is then read without threads, or the error is found.
            is_right &= other.join().unwrap_or(false);
        }
        is_right
    })
}
