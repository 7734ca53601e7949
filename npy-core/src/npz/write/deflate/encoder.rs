//! One block, compressed.

use std::io;

use crc32fast::Hasher;
use flate2::{Compress, Compression, FlushCompress, Status};

/// Bytes to compress.
pub(super) struct Task {
    pub(super) bytes: Vec<u8>,
    /// The bytes before them, at most the window of deflate.
    pub(super) dictionary: Vec<u8>,
    pub(super) is_last: bool,
}

/// Compressed bytes, and the checksum of the bytes that they inflate to.
pub(super) struct Block {
    pub(super) bytes: Vec<u8>,
    pub(super) crc: Hasher,
}

/// Compresses one block after another.
pub(super) struct Encoder(Compress);

impl Encoder {
    pub(super) fn new(level: u8) -> Self {
        Encoder(Compress::new(Compression::new(level.into()), false))
    }

    pub(super) fn run(&mut self, task: &Task) -> io::Result<Block> {
        let mut crc = Hasher::new();
        crc.update(&task.bytes);
        self.0.reset();
        if !task.dictionary.is_empty() {
            self.0.set_dictionary(&task.dictionary)?;
        }
        let flush = if task.is_last { FlushCompress::Finish } else { FlushCompress::Sync };
        // Level 1 adds at most an eighth to bytes that cannot be compressed.
        let mut bytes = Vec::with_capacity(task.bytes.len().saturating_add(task.bytes.len() / 8));
        loop {
            bytes.reserve(1 << 10);
            let done = usize::try_from(self.0.total_in()).map_err(io::Error::other)?;
            let rest = task.bytes.get(done..).unwrap_or_default();
            let status = self.0.compress_vec(rest, &mut bytes, flush)?;
            // A flush is complete if there is space left.
            if status == Status::StreamEnd || (!task.is_last && bytes.len() < bytes.capacity()) {
                return Ok(Block { bytes, crc });
            }
        }
    }
}
