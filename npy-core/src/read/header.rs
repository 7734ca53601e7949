//! Reading a header, and nothing after it.

use std::io::Read;

use super::source::Source;
use crate::error::Result;
use crate::header::{self, Header, Version};
use crate::limits::Limits;

/// Reads a header and not a byte more.
pub(super) fn read_header<R: Read>(source: &mut Source<R>, limits: &Limits) -> Result<Header> {
    /// What nearly all headers take: no memory is asked for.
    const USUAL: usize = 2 << 10;
    let mut start = [0; Version::BYTES];
    let found = source.fill_slice(&mut start)?;
    if found < start.len() {
        return Err(header::short_start(start.get(..found).unwrap_or_default()));
    }
    let version = Version::parse(start)?;
    let mut length = [0; 4];
    let length = length.get_mut(..version.length_bytes()).unwrap_or_default();
    let found = source.fill_slice(length)?;
    if found < length.len() {
        return Err(header::truncated(length.len(), found));
    }
    let length = limits.check_header(header::text_length(length))?;
    let (mut usual, mut long) = ([0; USUAL], Vec::new());
    let text = match usual.get_mut(..length) {
        Some(text) => {
            let found = source.fill_slice(text)?;
            text.get(..found).unwrap_or_default()
        }
        None => {
            source.append(&mut long, length)?;
            &long
        }
    };
    if text.len() < length {
        return Err(header::truncated(length, text.len()));
    }
    Header::parse_text(version, text, limits)
}

impl Version {
    /// Reads magic and version, eight bytes, and not a byte more.
    ///
    /// # Errors
    ///
    /// [`NotNpy`](crate::ErrorKind::NotNpy), [`Version`](crate::ErrorKind::Version),
    /// [`Truncated`](crate::ErrorKind::Truncated), [`Io`](crate::ErrorKind::Io).
    pub fn read_from<R: Read>(reader: &mut R) -> Result<Version> {
        let mut start = Vec::new();
        Source::stream(reader).append(&mut start, Version::BYTES)?;
        match start.first_chunk() {
            Some(first) => Version::parse(*first),
            None => Err(header::short_start(&start)),
        }
    }
}
