//! The elements of an array, by their positions in the file.

use std::io::{Read, Seek};

use npy_core::{Reader, npz};

use super::Result;
use crate::file::{Part, ReadAt};

/// Of a compressed member, this many bytes are inflated and kept.
const MAX_INFLATED: usize = 256 << 20;
/// The most bytes that are inflated at once.
const CHUNK: usize = 1 << 20;
/// Larger elements are not shown.
const MAX_ITEM: usize = 1 << 20;

/// The source of elements.
pub(crate) enum Elements<F> {
    /// A file or a stored member: any part is read by itself.
    Seekable(Box<Reader<Part<F>>>),
    /// A compressed member with a seek index: the chunks are inflated that have the part.
    Chunks(Box<Reader<npz::Member<Part<F>>>>),
    /// A compressed member, which is inflated from its start.
    Inflated { reader: Box<Reader<npz::Member<Part<F>>>>, bytes: Vec<u8> },
}

impl<F: ReadAt> Elements<F> {
    pub(crate) fn seekable(reader: Reader<Part<F>>) -> Result<Self> {
        Ok(Elements::Seekable(Box::new(flat(reader)?)))
    }

    /// The elements of a compressed member.
    pub(crate) fn inflated(
        reader: Reader<npz::Member<Part<F>>>,
        is_seekable: bool,
    ) -> Result<Self> {
        let reader = Box::new(flat(reader)?);
        Ok(match is_seekable {
            true => Elements::Chunks(reader),
            false => Elements::Inflated { reader, bytes: Vec::new() },
        })
    }

    /// Returns the bytes of some elements. `at` counts in the order of the file.
    pub(crate) fn read(&mut self, at: usize, count: usize) -> Result<Vec<u8>> {
        match self {
            Elements::Seekable(reader) => read_at(reader, at, count),
            Elements::Chunks(reader) => read_at(reader, at, count),
            Elements::Inflated { reader, bytes } => {
                let size = reader.header().dtype().itemsize();
                let start = at.saturating_mul(size);
                let end = at.saturating_add(count).saturating_mul(size);
                if end > MAX_INFLATED {
                    let limit = MAX_INFLATED >> 20;
                    return Err(format!(
                        "the member is compressed without a seek index, so it can only be read from its start, and this page inflates {limit} MiB of it; the command `npy` reads all"
                    ));
                }
                while bytes.len() < end {
                    let chunk = CHUNK.checked_div(size).unwrap_or(CHUNK).max(1);
                    let chunk = reader.read_dyn_chunk(chunk).map_err(|error| error.to_string())?;
                    if chunk.as_bytes().is_empty() {
                        break;
                    }
                    bytes.extend_from_slice(chunk.as_bytes());
                }
                Ok(bytes.get(start..end.min(bytes.len())).unwrap_or_default().to_vec())
            }
        }
    }
}

fn read_at<R: Read + Seek>(reader: &mut Reader<R>, at: usize, count: usize) -> Result<Vec<u8>> {
    reader.seek_to(at).map_err(|error| error.to_string())?;
    let chunk = reader.read_dyn_chunk(count).map_err(|error| error.to_string())?;
    Ok(chunk.into_bytes())
}

/// Returns the reader of an array of one dimension, whose elements are small enough.
fn flat<R: Read>(reader: Reader<R>) -> Result<Reader<R>> {
    let size = reader.header().dtype().itemsize();
    if size > MAX_ITEM {
        return Err(format!("an element has {size} bytes; this page shows those of up to 1 MiB"));
    }
    reader.flatten().map_err(|error| error.to_string())
}
