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

#[cfg(test)]
mod tests {
    use std::io::{self, Cursor, Read, Write};

    use crate::{Compression, Directory, Limits, Writer};

    /// Returns bytes that shrink to about the half.
    fn bytes(size: usize) -> Vec<u8> {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state.to_be_bytes()[0] & 15
        };
        (0..size).map(|_| next()).collect()
    }

    /// Writes one member, in parts of this size.
    fn archive(level: u8, bytes: &[u8], part: usize) -> Vec<u8> {
        let mut writer =
            Writer::seekable(Cursor::new(Vec::new()), Compression::zstd(level)).unwrap();
        let add = |member: &mut crate::MemberWriter<'_, _>| -> io::Result<()> {
            member.begin(u64::try_from(bytes.len()).unwrap())?;
            bytes.chunks(part).try_for_each(|part| member.write_all(part))
        };
        writer.add("a", add).unwrap();
        writer.finish().unwrap().into_inner()
    }

    /// Guards that our reader, which is other code, finds the bytes, for sizes around those of blocks.
    #[test]
    fn members_are_read_back_at_each_size() {
        for size in [0, 1, 100, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3 << 20] {
            let bytes = bytes(size);
            for level in [1, 3, 19] {
                let file = archive(level, &bytes, 100_000);
                assert!(file.len() < size * 2 / 3 + 200, "{size} bytes become {}", file.len());
                assert!(file == archive(level, &bytes, 7919), "the bytes depend on the parts");
                let directory = Directory::read(Cursor::new(&file), &Limits::default()).unwrap();
                let entry = directory.find("a").unwrap();
                assert!(entry.is_compressed());
                let mut member =
                    directory.member(entry, Cursor::new(&file), &Limits::default()).unwrap();
                let mut found = Vec::new();
                member.read_to_end(&mut found).unwrap();
                assert!(found == bytes, "{size} bytes, level {level}");
            }
        }
    }

    /// Guards that a member which fails is dropped with its frame, and that the next one has its own.
    #[test]
    fn a_member_that_is_dropped_leaves_no_frame() {
        let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::zstd(3)).unwrap();
        let bytes = bytes(2 << 20);
        let wrong = |member: &mut crate::MemberWriter<'_, _>| -> io::Result<()> {
            member.begin(3 << 20)?;
            member.write_all(&bytes)
        };
        writer.add("wrong", wrong).unwrap_err();
        let right = |member: &mut crate::MemberWriter<'_, _>| -> io::Result<()> {
            member.begin(2 << 20)?;
            member.write_all(&bytes)
        };
        writer.add("a", right).unwrap();
        assert!(writer.finish().unwrap().into_inner() == archive(3, &bytes, 1 << 20));
    }
}
