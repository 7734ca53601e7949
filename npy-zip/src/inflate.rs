//! Inflates deflated bytes: as a stream, or a chunk alone.

#[cfg(any(target_family = "wasm", test))]
mod small;

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Take};
use std::ops::Range;

#[cfg(not(target_family = "wasm"))]
use flate2::Decompress;
use flate2::{FlushDecompress, Status};
#[cfg(target_family = "wasm")]
use small::Decompress;

use crate::checked;
use crate::error::to_u64;

/// The compressed bytes of a member.
pub(crate) type Data<R> = BufReader<Take<R>>;

/// Inflates bytes as they are read. An error about the bytes themselves is `InvalidInput` or `UnexpectedEof`.
pub(crate) struct Inflater<R> {
    data: Data<R>,
    state: Decompress,
}

impl<R: Read> Inflater<R> {
    /// Starts to inflate `data`.
    pub(crate) fn new(data: Data<R>) -> Self {
        Inflater { data, state: Decompress::new(false) }
    }

    /// Returns the reader of the archive. It must not be moved, unless [`restart`](Self::restart) is called before the next read.
    pub(crate) fn reader(&mut self) -> &mut R {
        self.data.get_mut().get_mut()
    }

    /// Inflates the next bytes, and returns the numbers of those that were used and made.
    fn step(
        &mut self,
        out: &mut [u8],
        flush: FlushDecompress,
    ) -> io::Result<(usize, usize, Status)> {
        let input = self.data.fill_buf()?;
        let before = (self.state.total_in(), self.state.total_out());
        let status = self.state.decompress(input, out, flush);
        // Neither is more than the length of a slice.
        let count =
            |now: u64, before: u64| usize::try_from(checked::sub(now, before)).unwrap_or_default();
        let used = count(self.state.total_in(), before.0);
        let made = count(self.state.total_out(), before.1);
        match status {
            Ok(status) => Ok((used, made, status)),
            Err(_) => Err(io::Error::new(io::ErrorKind::InvalidInput, "corrupt deflate stream")),
        }
    }
}

impl<R: Read> Read for Inflater<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            let has_ended = self.data.fill_buf()?.is_empty();
            let flush = if has_ended { FlushDecompress::Finish } else { FlushDecompress::None };
            let (used, made, status) = self.step(out, flush)?;
            self.data.consume(used);
            if made > 0 || out.is_empty() || status == Status::StreamEnd {
                return Ok(made);
            }
            if has_ended {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }
}

impl<R: Read + Seek> Inflater<R> {
    /// Starts over, with the bytes in this range of the archive.
    pub(crate) fn restart(&mut self, range: Range<u64>) -> io::Result<()> {
        self.data.consume(self.data.buffer().len());
        let data = self.data.get_mut();
        data.get_mut().seek(SeekFrom::Start(range.start))?;
        data.set_limit(range.end.saturating_sub(range.start));
        self.state.reset(false);
        Ok(())
    }

    /// Inflates the chunk in this range of the archive. Returns false if it does not fill `out`, has bytes left over, refers to bytes before
    /// it, or does not end as a chunk ends.
    pub(crate) fn chunk(
        &mut self,
        range: Range<u64>,
        is_last: bool,
        out: &mut [u8],
    ) -> io::Result<bool> {
        let size = out.len();
        self.chunk_in_pieces(range, is_last, size, out, &mut |_| Ok(true))
    }

    /// Inflates a chunk of this size, as [`chunk`](Self::chunk), and calls a function for each piece, which is in `buffer`. Returns false if
    /// it does.
    pub(crate) fn chunk_in_pieces(
        &mut self,
        range: Range<u64>,
        is_last: bool,
        size: usize,
        buffer: &mut [u8],
        each: &mut dyn FnMut(&[u8]) -> io::Result<bool>,
    ) -> io::Result<bool> {
        /// A flush ends with these bytes.
        const END: u32 = 0x0000_ffff;
        self.restart(range)?;
        let (mut left, mut filled, mut end) = (size, 0, u32::MAX);
        while !self.data.fill_buf()?.is_empty() {
            if filled == buffer.len() && left > 0 {
                if !each(buffer)? {
                    return Ok(false);
                }
                filled = 0;
            }
            let most = checked::add(filled, left).min(buffer.len());
            let rest = buffer.get_mut(filled..most).unwrap_or_default();
            let (used, made, status) = match self.step(rest, FlushDecompress::None) {
                Ok(step) => step,
                Err(error) if error.kind() == io::ErrorKind::InvalidInput => return Ok(false),
                Err(error) => return Err(error),
            };
            let bytes = self.data.buffer().get(..used).unwrap_or_default();
            for &byte in bytes.get(used.saturating_sub(size_of_val(&END))..).unwrap_or_default() {
                end = end << 8 | u32::from(byte);
            }
            self.data.consume(used);
            filled = checked::add(filled, made);
            left = checked::sub(left, made);
            if status == Status::StreamEnd {
                let is_complete = is_last && left == 0 && self.data.fill_buf()?.is_empty();
                return Ok(is_complete && each(buffer.get(..filled).unwrap_or_default())?);
            }
            if used == 0 && made == 0 {
                return Ok(false);
            }
        }
        if is_last || left > 0 || end != END || !each(buffer.get(..filled).unwrap_or_default())? {
            return Ok(false);
        }
        // If no block is open and no bit is left, an empty last block ends the stream. All of it is used then: with a bit left, it is another
        // block, which ends before.
        const LAST: [u8; 5] = [1, 0, 0, 0xff, 0xff];
        let (read, made, mut more) = (self.state.total_in(), self.state.total_out(), [0]);
        let ended = self.state.decompress(&LAST, &mut more, FlushDecompress::Finish);
        Ok(matches!(ended, Ok(Status::StreamEnd))
            && self.state.total_in().checked_sub(read) == Some(to_u64(LAST.len()))
            && self.state.total_out() == made)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use flate2::{Compress, Compression, FlushCompress};

    use super::*;

    /// Returns bytes deflated as a chunk: with a full flush at the end, or as the last one.
    fn deflated(bytes: &[u8], is_last: bool) -> Vec<u8> {
        let flush = if is_last { FlushCompress::Finish } else { FlushCompress::Full };
        let mut out = Vec::with_capacity(1000);
        let mut encoder = Compress::new(Compression::new(6), false);
        encoder.compress_vec(bytes, &mut out, flush).unwrap();
        out
    }

    fn is_right(bytes: &[u8], is_last: bool, size: usize) -> bool {
        let file = [b"before", bytes, b"after"].concat();
        let end = 6 + bytes.len() as u64;
        let mut inflater = Inflater::new(BufReader::with_capacity(3, Cursor::new(file).take(0)));
        let mut out = vec![0; size];
        inflater.chunk(6..end, is_last, &mut out).unwrap()
    }

    /// Guards each rule of a chunk.
    #[test]
    fn a_chunk_is_refused_unless_it_is_complete_and_independent() {
        let bytes = b"some bytes, some bytes, and more of them";
        for is_last in [false, true] {
            let whole = deflated(bytes, is_last);
            assert!(is_right(&whole, is_last, bytes.len()));
            assert!(!is_right(&whole, !is_last, bytes.len()));
            assert!(!is_right(&whole, is_last, bytes.len() - 1));
            assert!(!is_right(&whole, is_last, bytes.len() + 1));
            assert!(!is_right(&[&whole[..], &[0]].concat(), is_last, bytes.len()));
            for end in 0..whole.len() {
                assert!(!is_right(&whole[..end], is_last, bytes.len()), "{end} bytes");
            }
        }
        // The second half of a stream refers to the first.
        let mut encoder = Compress::new(Compression::new(6), false);
        let mut out = Vec::with_capacity(1000);
        encoder.compress_vec(bytes, &mut out, FlushCompress::Sync).unwrap();
        let start = out.len();
        encoder.compress_vec(bytes, &mut out, FlushCompress::Sync).unwrap();
        assert!(!is_right(&out[start..], false, bytes.len()));
        assert!(is_right(&out, false, 2 * bytes.len()));
        // A stored block without the marker after it.
        assert!(!is_right(b"\0\x03\0\xfc\xffabc", false, 3));
        assert!(is_right(b"\0\x03\0\xfc\xffabc\0\0\0\xff\xff", false, 3));
        // A stored block that is still open.
        let open = [&[0, 8, 0, 0xf7, 0xff][..], b"abc\0\0\xff\xff"].concat();
        assert!(!is_right(&open, false, 7));
    }

    /// Guards the last bit: in this block, an end of 15 bits leaves one of the `FF FF`, and with it the next chunk begins.
    #[test]
    fn a_chunk_with_a_bit_left_over_is_refused() {
        const START: &[u8] = b"\x04\xe0\x81\x92\x24\x49\x92\x24\xc9\x7e\x1b\x12\x8b\x9a\x47\x56\xcf\xde\xfb\xff\xbf\x79\x58\x05";
        let chunk = [START, &[0; 511], &[0xff; 2]].concat();
        assert!(!is_right(&chunk, false, 4096));
        // As the start of a stream, it is right up to there.
        let mut state = Decompress::new(false);
        let mut out = vec![0; 4096];
        state.decompress(&chunk, &mut out, FlushDecompress::None).unwrap();
        assert_eq!((state.total_in(), state.total_out()), (537, 4096));
    }
}
