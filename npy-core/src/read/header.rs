//! Reading a header, and nothing after it.

use std::io::Read;

use super::source::{EndOfArray, Source};
use crate::checked;
use crate::error::{Result, formats};
use crate::header::{self, Header, Version};
use crate::limits::Limits;

/// Reads a header, and no byte after it. Returns it and the number of its bytes.
pub(super) fn read_header<R: Read>(
    source: &mut Source<R>,
    limits: &Limits,
) -> Result<(Header, usize)> {
    let version = read_version(source)?;
    let length = source.take(version.length_bytes())?;
    if length.len() < version.length_bytes() {
        return Err(header::short_header(version.length_bytes(), length.len()));
    }
    let length = limits.check_header(header::text_length(length))?;
    let text = source.take(length)?;
    if text.len() < length {
        return Err(header::short_header(length, text.len()));
    }
    let last = text.last().copied();
    let header = Header::parse_text(version, text, limits)?;
    // The start of a file is buffered. Of a stream, no byte after the header is read.
    header::check_line_break(last.as_ref(), || source.buffered().first().copied())?;
    Ok((header, checked::add(version.text_offset(), length)))
}

fn read_version<R: Read>(source: &mut Source<R>) -> Result<Version> {
    let is_stream = source.end_of_array() == EndOfArray::Left;
    let start = source.take(Version::BYTES)?;
    if is_stream && start.is_empty() {
        return Err(header::end_of_stream());
    }
    match start.first_chunk() {
        Some(start) if start.starts_with(header::MAGIC) => Version::parse(*start),
        Some(&start) => {
            // More bytes name more formats; those of a stream are left in it.
            let more = source.buffered();
            let more = more.get(..formats::START.saturating_sub(start.len())).unwrap_or(more);
            Err(header::not_npy(&[&start, more].concat()))
        }
        None => Err(header::short_start(start)),
    }
}

impl Version {
    /// Reads the magic and the version, which are eight bytes, and no byte after them.
    ///
    /// ```
    /// use npy_core::{Version, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// [1.0, 2.0, 3.0].write_npy_to(&mut file)?;
    /// let version = Version::read_from(&mut &file[..])?;
    /// assert_eq!(version, Version::V1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`NotNpy`](crate::ErrorKind::NotNpy), [`Version`](crate::ErrorKind::Version),
    /// [`Truncated`](crate::ErrorKind::Truncated), [`Io`](crate::ErrorKind::Io).
    pub fn read_from<R: Read>(reader: &mut R) -> Result<Version> {
        read_version(&mut Source::stream(reader))
    }
}
