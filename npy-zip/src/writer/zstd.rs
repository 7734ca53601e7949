//! Compresses members by Zstandard: each is one frame, which is all that Python's `zipfile` reads of a member.

use std::io;

use crc32fast::Hasher;
use zstd::stream::raw::{Encoder, InBuffer, Operation, OutBuffer};

use super::deflate::Block;
use crate::error::to_u64;
use crate::{checked, room};

/// The bytes that are compressed at a time without a check that there is memory for more.
const STEP: usize = 128 << 10;

/// The largest ratio that a member gets: readers refuse one above the 1,100 of `Limits::inflation`.
const MAX_RATIO: u64 = 1000;

/// The bytes of a small block. One of zeros takes four bytes, so that the ratio falls.
const SMALL_BLOCK: u64 = 2 << 10;

/// Compresses one member after another. The bytes do not depend on how they arrive.
pub(super) struct Frames {
    level: i32,
    /// The frame of a member that was begun.
    frame: Option<Frame>,
}

/// A member that is being compressed.
struct Frame {
    encoder: Encoder<'static>,
    read: u64,
    written: u64,
}

impl Frames {
    pub(super) fn new(level: i32) -> Self {
        Frames { level, frame: None }
    }

    /// Begins the frame of a member of this many bytes, which its header states.
    pub(super) fn begin(&mut self, size: u64) -> io::Result<()> {
        self.frame = Some(Frame::new(self.level, size)?);
        Ok(())
    }

    /// Compresses the next bytes of the member.
    pub(super) fn compress(&mut self, bytes: &[u8], is_last: bool) -> io::Result<Block> {
        let frame = self.frame.as_mut().ok_or_else(super::none_begun)?;
        let mut crc = Hasher::new();
        crc.update(bytes);
        let mut out = Vec::new();
        frame.compress(bytes, &mut out)?;
        if is_last {
            frame.finish(&mut out)?;
            self.frame = None;
        }
        Ok(Block { bytes: out, crc, chunks: Vec::new() })
    }
}

impl Frame {
    fn new(level: i32, size: u64) -> io::Result<Self> {
        let mut encoder = Encoder::new(level)?;
        encoder.set_pledged_src_size(Some(size))?;
        Ok(Frame { encoder, read: 0, written: 0 })
    }

    /// Appends the compressed bytes. The encoder gets no more than the ratio allows for what it has written; then, a small block ends, so
    /// that it writes.
    fn compress(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let allowed = self.written.saturating_mul(MAX_RATIO).saturating_sub(self.read);
            let is_dense = allowed < SMALL_BLOCK;
            let most = usize::try_from(allowed.max(SMALL_BLOCK)).unwrap_or(STEP);
            let (part, following) = rest.split_at(most.min(STEP).min(rest.len()));
            let start = out.len();
            let mut input = InBuffer::around(part);
            while input.pos() < part.len() {
                step(out, |buffer| self.encoder.run(&mut input, buffer))?;
            }
            while is_dense && step(out, |buffer| self.encoder.flush(buffer))? > 0 {}
            self.read = self.read.saturating_add(to_u64(part.len()));
            self.written = self.written.saturating_add(to_u64(checked::sub(out.len(), start)));
            rest = following;
        }
        Ok(())
    }

    /// Appends the end of the frame.
    fn finish(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        while step(out, |buffer| self.encoder.finish(buffer, true))? > 0 {}
        Ok(())
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

    use super::{Frame, to_u64};
    use crate::{Compression, Directory, Limits, Writer};

    /// Guards that a member keeps to a ratio that readers accept, of any size, and that other data shrinks as before.
    #[test]
    fn members_keep_to_the_ratio_of_readers() {
        let zeros = vec![0; 4 << 20];
        let pattern: Vec<u8> = (0u32..1 << 20).flat_map(|i| (i % 3).to_le_bytes()).collect();
        let mixed = [&zeros[..2 << 20], &bytes(1 << 18), &zeros[..2 << 20]].concat();
        let sizes = [2000, 130_000, 133_120, 400_000, 4 << 20];
        let zeros = sizes.map(|size| zeros[..size].to_vec());
        for data in zeros.into_iter().chain([pattern, mixed]) {
            let mut frame = Frame::new(3, to_u64(data.len())).unwrap();
            let mut out = Vec::new();
            for block in data.chunks(1 << 20) {
                frame.compress(block, &mut out).unwrap();
            }
            frame.finish(&mut out).unwrap();
            let limits = Limits::default();
            assert!(!limits.is_dense(to_u64(out.len()), to_u64(data.len())), "{}", out.len());
            let half = if data.len() > 4 << 20 { 1 << 17 } else { 0 };
            assert!(out.len() < half + data.len() / 500 + 50, "{} of {}", out.len(), data.len());
            let mut found = Vec::new();
            let mut decoder = ruzstd::decoding::StreamingDecoder::new(&out[..]).unwrap();
            decoder.read_to_end(&mut found).unwrap();
            assert!(found == data);
        }
    }

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
            // The highest levels take seconds for each megabyte of a build without optimization.
            let levels: &[u8] = if size > 1 << 20 { &[1, 3] } else { &[1, 3, 19] };
            for &level in levels {
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
