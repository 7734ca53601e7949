//! Compresses members, with one thread or several.
//!
//! The bytes of a member are cut into blocks of 1 MiB. Each block is compressed separately, with the end of the previous block as its
//! dictionary. All but the last end with an empty stored block, so that together they form one deflate stream. The bytes do not depend on
//! the number of threads.

mod block;
mod pool;

use std::collections::VecDeque;
use std::io::{self, Write};
use std::mem;

use crate::error::Result;
use crate::reserve;

use super::archive::Archive;
use block::{Block, Task};
use pool::{Pending, Pool};

/// The number of bytes in a block.
const BLOCK: usize = 1 << 20;

/// The number of bytes at the end of a block that are the dictionary of the next: deflate looks back no further.
const DICTIONARY: usize = 32 << 10;

/// Compresses members, and adds them to an archive in their order.
pub(super) struct Compressor {
    pool: Pool,
    /// The member that is being cut into blocks.
    member: Option<Member>,
    /// The blocks that are not in the archive yet, in order.
    waiting: VecDeque<Waiting>,
    max_waiting: usize,
}

/// A member that is being cut into blocks.
struct Member {
    /// Its name and size, until they are passed to its first block.
    start: Option<(String, u64)>,
    /// The bytes of the next block.
    bytes: Vec<u8>,
    dictionary: Vec<u8>,
}

/// A block that is being compressed, or will be.
struct Waiting {
    /// The name and the size of the member, for its first block.
    start: Option<(String, u64)>,
    is_last: bool,
    size: usize,
    block: Pending,
}

impl Compressor {
    pub(super) fn new(level: u8, threads: usize) -> Self {
        // With one thread, each block is compressed at once. With more, two blocks for each thread may wait.
        let max_waiting = if threads > 1 { threads.saturating_mul(2) } else { 0 };
        Compressor {
            pool: Pool::new(level, threads),
            member: None,
            waiting: VecDeque::new(),
            max_waiting,
        }
    }

    /// Begins a member of this many bytes.
    pub(super) fn begin(&mut self, name: String, size: u64) -> io::Result<()> {
        let bytes = reserve::buffer(usize::try_from(size).unwrap_or(BLOCK).min(BLOCK))?;
        self.member = Some(Member { start: Some((name, size)), bytes, dictionary: Vec::new() });
        Ok(())
    }

    /// Appends bytes to the member, and returns their number.
    pub(super) fn write<W: Write>(
        &mut self,
        bytes: &[u8],
        archive: &mut Archive<W>,
    ) -> io::Result<usize> {
        archive.output.check()?;
        if self.member.as_ref().is_some_and(|member| member.bytes.len() >= BLOCK) {
            self.compress(false, archive)?;
        }
        let Some(member) = &mut self.member else { return Ok(0) };
        let missing = BLOCK.saturating_sub(member.bytes.len());
        let taken = bytes.get(..missing).unwrap_or(bytes);
        reserve::growing(&mut member.bytes, taken.len())?;
        member.bytes.extend_from_slice(taken);
        Ok(taken.len())
    }

    /// Completes the member.
    pub(super) fn end<W: Write>(&mut self, archive: &mut Archive<W>) -> io::Result<()> {
        self.compress(true, archive)?;
        self.member = None;
        Ok(())
    }

    /// Drops the member; returns true if its first block is in the archive.
    pub(super) fn abort(&mut self) -> bool {
        let Some(member) = self.member.take() else { return false };
        let mut is_in_archive = member.start.is_none();
        while let Some(waiting) = self.waiting.pop_back() {
            if waiting.is_last {
                // This is the last block of the previous member, which stays.
                self.waiting.push_back(waiting);
                break;
            }
            is_in_archive &= waiting.start.is_none();
        }
        is_in_archive
    }

    /// Adds all complete members to the archive.
    pub(super) fn finish<W: Write>(&mut self, archive: &mut Archive<W>) -> Result<()> {
        Ok(self.add_blocks(0, archive)?)
    }

    /// Queues the next block of the member, and adds blocks to the archive if too many are waiting.
    fn compress<W: Write>(&mut self, is_last: bool, archive: &mut Archive<W>) -> io::Result<()> {
        let Some(member) = &mut self.member else { return Ok(()) };
        let (mut next_bytes, mut next_dictionary) = (Vec::new(), Vec::new());
        if !is_last {
            let end = member.bytes.len().saturating_sub(DICTIONARY);
            let tail = member.bytes.get(end..).unwrap_or_default();
            next_dictionary = reserve::buffer(tail.len())?;
            next_dictionary.extend_from_slice(tail);
            next_bytes = reserve::buffer(BLOCK)?;
        }
        let bytes = mem::replace(&mut member.bytes, next_bytes);
        let dictionary = mem::replace(&mut member.dictionary, next_dictionary);
        let (start, size) = (member.start.take(), bytes.len());
        let task = Task { bytes, dictionary, is_last };
        let block = self.pool.start(task, self.waiting.len());
        let waiting = Waiting { start, is_last, size, block };
        self.waiting.push_back(waiting);
        self.add_blocks(self.max_waiting, archive)
    }

    /// Adds compressed blocks to the archive, in order; waits for the next one while more than `max` remain.
    fn add_blocks<W: Write>(&mut self, max: usize, archive: &mut Archive<W>) -> io::Result<()> {
        while let Some(first) = self.waiting.front() {
            let must_wait = self.waiting.len() > max;
            let Some(block) = self.pool.result(&first.block, must_wait) else { return Ok(()) };
            let Some(waiting) = self.waiting.pop_front() else { return Ok(()) };
            if let Err(error) = add(waiting, block, archive) {
                // The call that wrote this member has already returned `Ok`, so the error must stop the whole archive.
                archive.output.fail(&error);
                return Err(error);
            }
        }
        Ok(())
    }
}

/// Adds a block to the archive. All blocks before it have been added.
fn add<W: Write>(
    waiting: Waiting,
    block: io::Result<Block>,
    archive: &mut Archive<W>,
) -> io::Result<()> {
    let block = block?;
    if let Some((name, size)) = waiting.start {
        archive.begin(name, size, true)?;
    }
    archive.write_deflated(&block.bytes, &block.crc, waiting.size)?;
    if waiting.is_last { archive.end() } else { Ok(()) }
}
