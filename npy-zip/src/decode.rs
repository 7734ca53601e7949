//! The methods by which members are compressed.

use std::io::{self, BufReader, Read, Seek, Take};
use std::ops::Range;

#[cfg(feature = "zstd")]
use ruzstd::decoding::FrameDecoder;

use crate::directory::Entry;
use crate::error::Result;
#[cfg(any(feature = "lzma", feature = "zstd"))]
use crate::error::{Error, corrupt};
#[cfg(any(feature = "bzip2", feature = "lzma", feature = "zstd"))]
use crate::inflate::Data;
use crate::inflate::Inflater;
use crate::records::Method;

/// Decompresses a member as it is read. An error about the bytes themselves is `InvalidInput`, `InvalidData` or `UnexpectedEof`.
pub(crate) enum Decoder<R> {
    Deflate(Inflater<R>),
    #[cfg(feature = "bzip2")]
    Bzip2(bzip2::bufread::BzDecoder<Data<R>>),
    #[cfg(feature = "lzma")]
    Lzma(Box<lzma_rust2::LzmaReader<Data<R>>>),
    #[cfg(feature = "zstd")]
    Zstd(Box<FrameDecoder>, Data<R>),
}

impl<R: Read> Decoder<R> {
    /// Starts to decompress `data`.
    #[cfg_attr(
        not(any(feature = "lzma", feature = "zstd")),
        expect(unused_variables, clippy::unnecessary_wraps, reason = "only these have headers")
    )]
    pub(crate) fn new(method: Method, entry: &Entry, data: Take<R>) -> Result<Self> {
        const COMPRESSED: usize = 64 << 10;
        let data = BufReader::with_capacity(COMPRESSED, data);
        Ok(match method {
            Method::Deflate => Decoder::Deflate(Inflater::new(data)),
            #[cfg(feature = "bzip2")]
            Method::Bzip2 => Decoder::Bzip2(bzip2::bufread::BzDecoder::new(data)),
            #[cfg(feature = "lzma")]
            Method::Lzma => Decoder::Lzma(Box::new(lzma(entry, data)?)),
            #[cfg(feature = "zstd")]
            Method::Zstd => zstd(entry, data)?,
        })
    }
}

impl<R: Read + Seek> Decoder<R> {
    /// Refuses a method whose data cannot be decompressed from its start again.
    pub(crate) fn check_restart(&self) -> io::Result<()> {
        match self {
            Decoder::Deflate(_) => Ok(()),
            #[cfg(any(feature = "bzip2", feature = "lzma", feature = "zstd"))]
            _ => {
                let reason = "a member that is not deflated can only seek forward; open it again";
                Err(io::Error::new(io::ErrorKind::Unsupported, reason))
            }
        }
    }

    /// Starts over, with the bytes in this range of the archive.
    pub(crate) fn restart(&mut self, data: Range<u64>) -> io::Result<()> {
        self.check_restart()?;
        match self {
            Decoder::Deflate(inflater) => inflater.restart(data),
            #[cfg(any(feature = "bzip2", feature = "lzma", feature = "zstd"))]
            _ => Ok(()),
        }
    }
}

impl<R: Read> Read for Decoder<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Decoder::Deflate(data) => data.read(out),
            #[cfg(feature = "bzip2")]
            Decoder::Bzip2(data) => data.read(out),
            #[cfg(feature = "lzma")]
            Decoder::Lzma(data) => data.read(out).map_err(of_lzma),
            #[cfg(feature = "zstd")]
            Decoder::Zstd(frame, data) => inflate(frame, data, out),
        }
    }
}

/// Reads the header that the zip format puts before LZMA data: two bytes for the version, two for the length of the properties, and
/// these, one byte for the model and four for the size of the dictionary.
#[cfg(feature = "lzma")]
fn lzma<R: Read>(entry: &Entry, mut data: Data<R>) -> Result<lzma_rust2::LzmaReader<Data<R>>> {
    const END_MARKER: u16 = 1 << 1;
    let mut header = [0; 9];
    data.read_exact(&mut header)
        .map_err(|error| damaged(error, "its LZMA header is incomplete"))?;
    let [_, _, 5, 0, model, dictionary @ ..] = header else {
        return Err(corrupt("its LZMA header is not of the length that the zip format has"));
    };
    // A match cannot reach back further than the start of the member, so a dictionary larger than the member would only waste memory.
    let most = u32::try_from(entry.size).unwrap_or(u32::MAX);
    let dictionary = u32::from_le_bytes(dictionary).min(most);
    let size = if entry.flags & END_MARKER == 0 { entry.size } else { u64::MAX };
    let reader = lzma_rust2::LzmaReader::new_with_props(data, size, model, dictionary, None);
    reader.map_err(|error| damaged(error, "its LZMA properties are invalid"))
}

/// Corrects the kind of the one error about bytes that the decoder does not call invalid: a match before the start of the member.
#[cfg(feature = "lzma")]
fn of_lzma(error: io::Error) -> io::Error {
    match error.to_string() == "dist overflow" {
        true => io::ErrorKind::InvalidData.into(),
        false => error,
    }
}

/// Reads the header of a Zstandard frame.
#[cfg(feature = "zstd")]
fn zstd<R: Read>(entry: &Entry, mut data: Data<R>) -> Result<Decoder<R>> {
    // The window takes memory at once. Every decoder should allow 8 MiB (RFC 8878, 3.1.1.1.2); more is of use only for larger members.
    const WINDOW: u64 = 8 << 20;
    let mut frame = FrameDecoder::new();
    frame.set_max_window_size(entry.size.max(WINDOW));
    match frame.init(&mut data) {
        Ok(()) => Ok(Decoder::Zstd(Box::new(frame), data)),
        Err(error) => {
            let reason = format!("its Zstandard frame cannot be read: {error}");
            Err(damaged(cause_of(error), &reason))
        }
    }
}

/// Decompresses blocks until there are bytes to return.
#[cfg(feature = "zstd")]
fn inflate(frame: &mut FrameDecoder, data: &mut impl Read, out: &mut [u8]) -> io::Result<usize> {
    use ruzstd::decoding::BlockDecodingStrategy::UptoBlocks;

    while frame.can_collect() == 0 && !frame.is_finished() {
        frame.decode_blocks(&mut *data, UptoBlocks(1)).map_err(cause_of)?;
    }
    frame.read(out)
}

/// Returns the error of the reader below, or else the error that the bytes are invalid.
#[cfg(feature = "zstd")]
fn cause_of(error: ruzstd::decoding::errors::FrameDecoderError) -> io::Error {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    while let Some(inner) = cause {
        if let Some(io) = inner.downcast_ref::<io::Error>() {
            return match io.raw_os_error() {
                Some(code) => io::Error::from_raw_os_error(code),
                None => io::Error::new(io.kind(), io.to_string()),
            };
        }
        cause = inner.source();
    }
    io::Error::new(io::ErrorKind::InvalidData, error.to_string())
}

/// Converts an error in the header of compressed data.
#[cfg(any(feature = "lzma", feature = "zstd"))]
fn damaged(error: io::Error, reason: &str) -> Error {
    match error.kind() {
        io::ErrorKind::InvalidInput
        | io::ErrorKind::InvalidData
        | io::ErrorKind::UnexpectedEof
        | io::ErrorKind::Unsupported
        | io::ErrorKind::OutOfMemory => corrupt(reason),
        _ => error.into(),
    }
}
