//! Compresses single blocks.

use std::io;

use flate2::{Compress, Compression, FlushCompress, Status};

use super::BLOCK;
use crate::checked;
use crate::checksum::Hasher;
use crate::room;

/// The memory of an encoder, rounded up.
const ENCODER_BYTES: usize = 512 << 10;

/// A block to compress.
pub(super) struct Task {
    pub(super) bytes: Vec<u8>,
    /// The bytes before the block, at most as many as deflate's window; none if it has chunks.
    #[cfg_attr(target_family = "wasm", expect(dead_code, reason = "it is empty"))]
    pub(super) dictionary: Vec<u8>,
    /// The number of bytes of a chunk, if a reader may start at each.
    pub(super) chunk: Option<usize>,
    pub(super) is_last: bool,
}

/// Compressed bytes, and the checksum of the bytes that they inflate to.
pub(in super::super) struct Block {
    pub(in super::super) bytes: Vec<u8>,
    pub(in super::super) crc: Hasher,
    /// The start of each chunk, and its checksum.
    pub(in super::super) chunks: Vec<(usize, u32)>,
}

/// Compresses a block. A part of it that does not become smaller is stored as it is.
pub(super) fn compress(level: u8, task: &Task) -> io::Result<Block> {
    // Not one that was reset: what it compressed before would change the bytes, which then depended on the threads.
    let level = Compression::new(level.into());
    let mut encoder = room::with_room(ENCODER_BYTES, || Compress::new(level, false))?;
    #[cfg(not(target_family = "wasm"))]
    if !task.dictionary.is_empty() {
        encoder.set_dictionary(&task.dictionary)?;
    }
    // At level 1, incompressible bytes grow by at most an eighth.
    let mut bytes = room::buffer(checked::add(task.bytes.len(), task.bytes.len() / 8))?;
    let (mut crc, mut chunks) = (Hasher::new(), Vec::new());
    let mut rest = &task.bytes[..];
    loop {
        let part;
        (part, rest) = rest.split_at(rest.len().min(task.chunk.unwrap_or(BLOCK)));
        let is_last = task.is_last && rest.is_empty();
        let start = bytes.len();
        let flush = match task.chunk {
            _ if is_last => FlushCompress::Finish,
            // The next chunk will refer to nothing before it.
            Some(_) => FlushCompress::Full,
            None => FlushCompress::Sync,
        };
        deflate(&mut encoder, part, flush, &mut bytes)?;
        if !part.is_empty() && checked::sub(bytes.len(), start) >= stored_size(part.len()) {
            bytes.truncate(start);
            store(part, is_last, &mut bytes)?;
        }
        let mut part_crc = Hasher::new();
        part_crc.update(part);
        crc.combine(&part_crc);
        if task.chunk.is_some() {
            chunks.push((start, part_crc.finalize()));
            if !is_last {
                end_chunk(&mut bytes)?;
            }
        }
        if rest.is_empty() {
            return Ok(Block { bytes, crc, chunks });
        }
    }
}

/// Appends the compressed bytes.
fn deflate(
    encoder: &mut Compress,
    bytes: &[u8],
    flush: FlushCompress,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    let before = encoder.total_in();
    loop {
        room::growing(out, 1 << 10)?;
        let done =
            usize::try_from(checked::sub(encoder.total_in(), before)).map_err(io::Error::other)?;
        let rest = bytes.get(done..).unwrap_or_default();
        let status = encoder.compress_vec(rest, out, flush)?;
        // A flush is complete if the output buffer has space left.
        let is_flushed = flush != FlushCompress::Finish && out.len() < out.capacity();
        if status == Status::StreamEnd || is_flushed {
            return Ok(());
        }
    }
}

/// The most bytes in a stored block of deflate.
const MAX_STORED: usize = 0xffff;

/// An empty stored block. The first five bytes of a stored block are its kind, its length, and the complement of the length.
const EMPTY_STORED: [u8; 5] = [0, 0, 0, 0xff, 0xff];

/// Returns the size of this many bytes in stored blocks.
fn stored_size(bytes: usize) -> usize {
    checked::add(bytes, checked::mul(EMPTY_STORED.len(), bytes.div_ceil(MAX_STORED)))
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

/// Ends a chunk after a flush or stored blocks: adds bytes until it ends as SOZip requires it, as if it were flushed twice.
fn end_chunk(out: &mut Vec<u8>) -> io::Result<()> {
    room::growing(out, const { 2 * EMPTY_STORED.len() })?;
    // The bits before the length may be in one byte with other blocks.
    let [_, length @ ..] = EMPTY_STORED;
    if !out.ends_with(&length) {
        out.extend(EMPTY_STORED);
    }
    out.extend(EMPTY_STORED);
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

    fn task(bytes: Vec<u8>, chunk: Option<usize>, is_last: bool) -> Task {
        Task { bytes, dictionary: Vec::new(), chunk, is_last }
    }

    fn inflated(bytes: &[u8]) -> Vec<u8> {
        let mut found = Vec::new();
        DeflateDecoder::new(bytes).read_to_end(&mut found).unwrap();
        found
    }

    /// Guards each size around those of stored blocks: noise grows by the headers of these at most, and is read back.
    #[test]
    fn a_block_that_does_not_shrink_is_stored() {
        for size in [0, 1, 100, MAX_STORED - 1, MAX_STORED, MAX_STORED + 1, 3 * MAX_STORED, 1 << 20]
        {
            for level in [1, 6, 9] {
                let task = task(noise(size), None, true);
                let block = compress(level, &task).unwrap();
                assert!(block.bytes.len() <= stored_size(size).max(2), "{size} bytes");
                assert!(inflated(&block.bytes) == task.bytes, "{size} bytes, level {level}");
            }
        }
    }

    /// Guards that each chunk is inflated without those before it, and ends as SOZip says, whether it is stored or not.
    #[test]
    fn each_chunk_is_inflated_alone() {
        const CHUNK: usize = 4096;
        let bytes = [noise(CHUNK), vec![7; CHUNK], noise(CHUNK), vec![7; 100]].concat();
        for is_last in [false, true] {
            let block = compress(6, &task(bytes.clone(), Some(CHUNK), is_last)).unwrap();
            assert_eq!(block.chunks.len(), 4);
            for (index, &(start, crc)) in block.chunks.iter().enumerate() {
                let end = block.chunks.get(index + 1).map_or(block.bytes.len(), |next| next.0);
                let mut chunk = block.bytes[start..end].to_vec();
                if !(is_last && index == 3) {
                    assert!(chunk.ends_with(&[0, 0, 0xff, 0xff, 0, 0, 0, 0xff, 0xff]), "{index}");
                    chunk.extend([1, 0, 0, 0xff, 0xff]);
                }
                let expected = bytes.chunks(CHUNK).nth(index).unwrap();
                assert!(inflated(&chunk) == expected, "{index}");
                assert_eq!(crc, crc32fast::hash(expected));
            }
        }
    }
}
