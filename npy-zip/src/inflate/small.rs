//! The decompressor for WebAssembly: `zlib-rs` would add 20 KiB to a package that is sent to browsers. `flate2` with `miniz_oxide` does not
//! refuse what refers to bytes before the first one, so its inner function is called here.

use flate2::{FlushDecompress, Status};
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::{
    TINFL_FLAG_HAS_MORE_INPUT, TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF,
};
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

use crate::checked;
use crate::error::to_u64;

/// The bytes that a stream can refer to.
const DISTANCE: usize = 32 << 10;
/// When as many bytes are made, the last [`DISTANCE`] of them are moved to the start.
const WINDOW: usize = 2 * DISTANCE;

/// A stream of deflate, with the calls of `flate2::Decompress`.
pub(super) struct Decompress {
    core: Box<DecompressorOxide>,
    window: Vec<u8>,
    /// The number of bytes in the window.
    filled: usize,
    total_in: u64,
    total_out: u64,
    has_ended: bool,
}

/// The bytes are not those of a stream.
#[derive(Debug)]
pub(super) struct Corrupt;

impl Decompress {
    pub(super) fn new(_zlib_header: bool) -> Self {
        Decompress {
            core: Box::default(),
            window: vec![0; WINDOW],
            filled: 0,
            total_in: 0,
            total_out: 0,
            has_ended: false,
        }
    }

    pub(super) fn reset(&mut self, _zlib_header: bool) {
        self.core.init();
        (self.filled, self.total_in, self.total_out) = (0, 0, 0);
        self.has_ended = false;
    }

    pub(super) fn total_in(&self) -> u64 {
        self.total_in
    }

    pub(super) fn total_out(&self) -> u64 {
        self.total_out
    }

    /// Inflates bytes to `out`, until it is full or the input is used.
    pub(super) fn decompress(
        &mut self,
        input: &[u8],
        out: &mut [u8],
        flush: FlushDecompress,
    ) -> Result<Status, Corrupt> {
        let (mut input, mut out) = (input, out);
        let more = if flush == FlushDecompress::Finish { 0 } else { TINFL_FLAG_HAS_MORE_INPUT };
        while !self.has_ended {
            if self.filled == WINDOW {
                self.window.copy_within(DISTANCE.., 0);
                self.filled = DISTANCE;
            }
            // No more than the caller has space for is made.
            let end = WINDOW.min(self.filled.saturating_add(out.len()));
            let window = self.window.get_mut(..end).unwrap_or_default();
            let flags = more | TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
            let (status, used, made) =
                decompress(&mut self.core, input, window, self.filled, flags);
            let bytes = window.get(self.filled..).and_then(|bytes| bytes.get(..made));
            let (filled, rest) = out.split_at_mut_checked(made).ok_or(Corrupt)?;
            filled.copy_from_slice(bytes.ok_or(Corrupt)?);
            out = rest;
            input = input.get(used..).unwrap_or_default();
            self.filled = checked::add(self.filled, made);
            self.total_in = self.total_in.saturating_add(to_u64(used));
            self.total_out = self.total_out.saturating_add(to_u64(made));
            match status {
                TINFLStatus::Done => self.has_ended = true,
                TINFLStatus::HasMoreOutput if !out.is_empty() => {}
                TINFLStatus::HasMoreOutput | TINFLStatus::NeedsMoreInput => return Ok(Status::Ok),
                TINFLStatus::FailedCannotMakeProgress => return Ok(Status::BufError),
                _ => return Err(Corrupt),
            }
        }
        Ok(Status::StreamEnd)
    }
}

#[cfg(test)]
mod tests {
    use flate2::{Compress, Compression, FlushCompress};

    use super::*;

    /// Inflates a stream, given and taken in parts of these sizes.
    fn inflated(stream: &[u8], input: usize, output: usize) -> Result<(Vec<u8>, u64), Corrupt> {
        let mut state = Decompress::new(false);
        // Nothing of another stream is left.
        state.decompress(&stream[..50], &mut [0; 5], FlushDecompress::None)?;
        state.reset(false);
        let (mut all, mut out) = (Vec::new(), vec![0; output]);
        loop {
            let at = usize::try_from(state.total_in()).unwrap();
            let part = &stream[at..stream.len().min(at + input)];
            let before = state.total_out();
            let status = state.decompress(part, &mut out, FlushDecompress::None)?;
            let made = usize::try_from(state.total_out() - before).unwrap();
            all.extend_from_slice(&out[..made]);
            if status == Status::StreamEnd || (part.is_empty() && made == 0) {
                return Ok((all, state.total_in()));
            }
        }
    }

    /// Guards that a stream is inflated whatever the sizes of the parts are, and that no byte after it is used.
    #[test]
    fn streams_are_inflated_in_parts() {
        let bytes: Vec<u8> =
            (0..300_000_u32).map(|i| ((i / 7) ^ (i % 13)).to_le_bytes()[0]).collect();
        let mut encoder = Compress::new(Compression::new(6), false);
        let mut stream = Vec::with_capacity(400_000);
        encoder.compress_vec(&bytes, &mut stream, FlushCompress::Finish).unwrap();
        let size = stream.len() as u64;
        stream.extend(b"after");
        for (input, output) in [(1 << 20, 1 << 20), (1, 1000), (777, 1), (5000, 70_000), (3, 3)] {
            let found = inflated(&stream, input, output).unwrap();
            assert!(found == (bytes.clone(), size), "{input}, {output}");
        }
    }

    /// Guards that bytes before the first one are not zeros, also after the window was moved.
    #[test]
    fn a_reference_to_nothing_is_an_error() {
        let mut encoder = Compress::new(Compression::new(6), false);
        let mut stream = Vec::with_capacity(1 << 17);
        let noise: Vec<u8> =
            (0..40_000_u32).map(|i| i.wrapping_mul(0x9e37_79b9).to_be_bytes()[1]).collect();
        encoder.compress_vec(&noise, &mut stream, FlushCompress::Sync).unwrap();
        let start = stream.len();
        encoder.compress_vec(&noise[20_000..], &mut stream, FlushCompress::Finish).unwrap();
        assert!(inflated(&stream, 1000, 1000).unwrap().0.len() == 60_000);
        assert!(inflated(&stream[start..], 1000, 1000).is_err());
    }
}
