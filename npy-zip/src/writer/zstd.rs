//! Compresses members by Zstandard: each is one frame, which is all that Python's `zipfile` reads of a member.

use std::io;

use crc32fast::Hasher;
use zstd::stream::raw::{Encoder, InBuffer, Operation, OutBuffer};

use super::deflate::Block;
use crate::room;

/// The bytes that are compressed at a time without a check that there is memory for more.
const STEP: usize = 128 << 10;

/// Compresses one member after another. The bytes do not depend on how they arrive.
pub(super) struct Frames {
    level: i32,
    /// The frame of a member that was begun.
    encoder: Option<Encoder<'static>>,
}

impl Frames {
    pub(super) fn new(level: i32) -> Self {
        Frames { level, encoder: None }
    }

    /// Begins the frame of a member of this many bytes, which its header states.
    pub(super) fn begin(&mut self, size: u64) -> io::Result<()> {
        let mut encoder = Encoder::new(self.level)?;
        encoder.set_pledged_src_size(Some(size))?;
        self.encoder = Some(encoder);
        Ok(())
    }

    /// Compresses the next bytes of the member.
    pub(super) fn compress(&mut self, bytes: &[u8], is_last: bool) -> io::Result<Block> {
        let encoder = self.encoder.as_mut().ok_or_else(super::none_begun)?;
        let mut crc = Hasher::new();
        crc.update(bytes);
        let mut out = Vec::new();
        let mut input = InBuffer::around(bytes);
        while input.pos() < bytes.len() {
            step(&mut out, |buffer| encoder.run(&mut input, buffer))?;
        }
        while is_last && step(&mut out, |buffer| encoder.finish(buffer, true))? > 0 {}
        if is_last {
            self.encoder = None;
        }
        Ok(Block { bytes: out, crc, chunks: Vec::new() })
    }
}

/// Appends what a function writes to a buffer.
fn step(
    out: &mut Vec<u8>,
    write: impl FnOnce(&mut OutBuffer<'_, Vec<u8>>) -> io::Result<usize>,
) -> io::Result<usize> {
    room::growing(out, STEP)?;
    let end = out.len();
    write(&mut OutBuffer::around_pos(out, end))
}
