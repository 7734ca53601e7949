//! Compresses members, with one thread or several.
//!
//! The bytes of a member are cut into blocks of 1 MiB. Each block is compressed separately, or stored if that does not make it smaller. All
//! but the last end at a byte, so that together they form one deflate stream. The bytes do not depend on the number of threads.
//!
//! A block consists of chunks, which refer to nothing before them: a reader may start at each. If a member shall have none, the end of the
//! previous block is the dictionary of each.

mod block;
#[cfg(not(target_family = "wasm"))]
mod pool;
#[cfg(target_family = "wasm")]
#[path = "deflate/at_once.rs"]
mod pool;

use std::io;
use std::mem;
use std::ops::RangeInclusive;

#[cfg(feature = "zstd-write")]
use super::zstd::Frames;
use crate::room;

pub(super) use block::Block;
use block::Task;
pub(super) use pool::Pending;
use pool::Pool;

/// The number of bytes in a block.
const BLOCK: usize = 1 << 20;

/// The smallest chunk and the largest.
const CHUNKS: RangeInclusive<u64> = 4 << 10..=1 << 20;

/// Returns the size of chunks such that a reader may start at each multiple of this many bytes; `None` for 0.
pub(super) fn chunk_size(every: u64) -> Option<u32> {
    let bounded = every.clamp(*CHUNKS.start(), *CHUNKS.end());
    let size = 1 << bounded.checked_ilog2()?;
    if every == 0 { None } else { Some(size) }
}

/// The number of bytes at the end of a block that are the dictionary of the next: deflate looks back no further. The compressor for WebAssembly has no
/// dictionaries.
const DICTIONARY: usize = if cfg!(target_family = "wasm") { 0 } else { 32 << 10 };

/// Cuts members into blocks, and compresses these.
pub(super) struct Compressor {
    pub(super) pool: Pool,
    /// The number of bytes of a chunk, which a block is a multiple of; `None` for members without chunks.
    pub(super) chunk: Option<u32>,
    /// The block that is being filled; `None` between members.
    next: Option<Next>,
    /// The number of blocks that may wait for the threads.
    pub(super) max_waiting: usize,
    /// Compresses the blocks, if they are not deflated.
    #[cfg(feature = "zstd-write")]
    frames: Option<Frames>,
}

/// The next block of a member.
#[derive(Default)]
struct Next {
    bytes: Vec<u8>,
    dictionary: Vec<u8>,
}

impl Compressor {
    pub(super) fn new(level: u8, threads: usize, chunk: Option<u32>) -> Self {
        // With one thread, each block is compressed at once. With more, two blocks for each thread may wait.
        let max_waiting = if threads > 1 { threads.saturating_mul(2) } else { 0 };
        Compressor {
            pool: Pool::new(level, threads),
            chunk,
            next: None,
            max_waiting,
            #[cfg(feature = "zstd-write")]
            frames: None,
        }
    }

    /// Compresses by Zstandard, in the thread of the caller.
    #[cfg(feature = "zstd-write")]
    pub(super) fn zstd(level: u8) -> Self {
        let frames = Some(Frames::new(level.into()));
        Compressor { frames, ..Compressor::new(1, 1, None) }
    }

    /// Begins a member of this many bytes.
    pub(super) fn begin(&mut self, size: u64) -> io::Result<()> {
        let bytes = room::buffer(usize::try_from(size).unwrap_or(BLOCK).min(BLOCK))?;
        self.next = Some(Next { bytes, dictionary: Vec::new() });
        #[cfg(feature = "zstd-write")]
        if let Some(frames) = &mut self.frames {
            frames.begin(size)?;
        }
        Ok(())
    }

    /// Returns true if the block must be started before more bytes fit.
    pub(super) fn is_full(&self) -> bool {
        self.next.as_ref().is_some_and(|next| next.bytes.len() >= BLOCK)
    }

    /// Appends bytes to the block, and returns their number.
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(next) = &mut self.next else { return Ok(0) };
        // A block is started before it has more.
        let missing = BLOCK.saturating_sub(next.bytes.len());
        let taken = bytes.get(..missing).unwrap_or(bytes);
        room::growing(&mut next.bytes, taken.len())?;
        next.bytes.extend_from_slice(taken);
        Ok(taken.len())
    }

    /// Starts to compress the block, and returns its result and its size. `waiting` other blocks are not in the archive yet.
    pub(super) fn start(&mut self, is_last: bool, waiting: usize) -> io::Result<(Pending, usize)> {
        let mut following = None;
        if !is_last {
            let bytes = self.next.as_ref().map_or(&[][..], |next| &next.bytes);
            let tail = match self.chunk {
                None => bytes.get(bytes.len().saturating_sub(DICTIONARY)..).unwrap_or_default(),
                Some(_) => &[],
            };
            let mut dictionary = room::buffer(tail.len())?;
            dictionary.extend_from_slice(tail);
            following = Some(Next { bytes: room::buffer(BLOCK)?, dictionary });
        }
        let Next { bytes, dictionary } =
            mem::replace(&mut self.next, following).unwrap_or_default();
        let size = bytes.len();
        #[cfg(feature = "zstd-write")]
        if let Some(frames) = &mut self.frames {
            return Ok((pool::done(frames.compress(&bytes, is_last)), size));
        }
        let chunk = self.chunk.and_then(|chunk| usize::try_from(chunk).ok());
        Ok((self.pool.start(Task { bytes, dictionary, chunk, is_last }, waiting), size))
    }

    /// Drops the block that is being filled; returns false if there is none.
    pub(super) fn abort(&mut self) -> bool {
        self.next.take().is_some()
    }
}
