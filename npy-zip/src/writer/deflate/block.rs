//! Compresses single blocks.

use std::io;

use crc32fast::Hasher;
use flate2::{Compress, Compression, FlushCompress, Status};

use crate::checked;
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

/// Compresses a block.
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
    let mut bytes = room::buffer(checked::add(task.bytes.len(), task.bytes.len() / 8))?;
    loop {
        room::growing(&mut bytes, 1 << 10)?;
        let done = usize::try_from(encoder.total_in()).map_err(io::Error::other)?;
        let rest = task.bytes.get(done..).unwrap_or_default();
        let status = encoder.compress_vec(rest, &mut bytes, flush)?;
        // A flush is complete if the output buffer has space left.
        if status == Status::StreamEnd || (!task.is_last && bytes.len() < bytes.capacity()) {
            return Ok(Block { bytes, crc });
        }
    }
}
