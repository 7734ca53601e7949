//! Compresses single blocks.

use std::io;

use crc32fast::Hasher;
use flate2::{Compress, Compression, FlushCompress, Status};

use crate::room;

/// The memory of an encoder, rounded up.
const ENCODER_BYTES: usize = 512 << 10;

/// A block to compress.
pub(super) struct Task {
    pub(super) bytes: Vec<u8>,
    /// The bytes before the block, at most as many as deflate's window.
    pub(super) dictionary: Vec<u8>,
    pub(super) is_last: bool,
}

/// Compressed bytes, and the checksum of the bytes that they inflate to.
pub(in super::super) struct Block {
    pub(in super::super) bytes: Vec<u8>,
    pub(in super::super) crc: Hasher,
}

/// Compresses a block. If that does not make it smaller, its bytes are stored as they are.
pub(super) fn compress(level: u8, task: &Task) -> io::Result<Block> {
    let mut crc = Hasher::new();
    crc.update(&task.bytes);
    // Not one that was reset: what it compressed before would change the bytes, which then depended on the threads.
    let level = Compression::new(level.into());
    let mut encoder = room::with_room(ENCODER_BYTES, || Compress::new(level, false))?;
    if !task.dictionary.is_empty() {
        encoder.set_dictionary(&task.dictionary)?;
    }
    let flush = if task.is_last { FlushCompress::Finish } else { FlushCompress::Sync };
    // At level 1, incompressible bytes grow by at most an eighth.
    let mut bytes = room::buffer(task.bytes.len() + task.bytes.len() / 8)?;
    loop {
        room::growing(&mut bytes, 1 << 10)?;
        let done = usize::try_from(encoder.total_in()).map_err(io::Error::other)?;
        let rest = task.bytes.get(done..).unwrap_or_default();
        let status = encoder.compress_vec(rest, &mut bytes, flush)?;
        // A flush is complete if the output buffer has space left.
        if status == Status::StreamEnd || (!task.is_last && bytes.len() < bytes.capacity()) {
            break;
        }
    }
    if !task.bytes.is_empty() && bytes.len() >= stored_size(task.bytes.len()) {
        bytes.clear();
        store(&task.bytes, task.is_last, &mut bytes)?;
    }
    Ok(Block { bytes, crc })
}

/// The most bytes in a stored block of deflate.
const MAX_STORED: usize = 0xffff;

/// The number of bytes before those of a stored block: its kind, the length, and the complement of the length.
const STORED_HEADER: usize = 5;

/// Returns the size of this many bytes in stored blocks.
fn stored_size(bytes: usize) -> usize {
    bytes + STORED_HEADER * bytes.div_ceil(MAX_STORED)
}

/// Appends bytes as stored blocks. As what comes before ends with a byte, so does this.
fn store(bytes: &[u8], is_last: bool, out: &mut Vec<u8>) -> io::Result<()> {
    room::growing(out, stored_size(bytes.len()))?;
    let mut blocks = bytes.chunks(MAX_STORED).peekable();
    while let Some(block) = blocks.next() {
        let length = u16::try_from(block.len()).map_err(io::Error::other)?;
        out.push(u8::from(is_last && blocks.peek().is_none()));
        out.extend(length.to_le_bytes());
        out.extend((!length).to_le_bytes());
        out.extend_from_slice(block);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::DeflateDecoder;

    use super::*;

    /// Returns bytes that do not repeat.
    fn noise(size: usize) -> Vec<u8> {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state.to_be_bytes()[0]
        };
        (0..size).map(|_| next()).collect()
    }

    /// Guards each size around those of stored blocks: noise grows by the headers of these at most, and is read back.
    #[test]
    fn a_block_that_does_not_shrink_is_stored() {
        for size in [0, 1, 100, MAX_STORED - 1, MAX_STORED, MAX_STORED + 1, 3 * MAX_STORED, 1 << 20]
        {
            for level in [1, 6, 9] {
                let task = Task { bytes: noise(size), dictionary: Vec::new(), is_last: true };
                let block = compress(level, &task).unwrap();
                assert!(block.bytes.len() <= stored_size(size).max(2), "{size} bytes");
                let mut found = Vec::new();
                DeflateDecoder::new(&block.bytes[..]).read_to_end(&mut found).unwrap();
                assert!(found == task.bytes, "{size} bytes, level {level}");
            }
        }
    }
}
