//! The bytes after an array in its file: another array, or rows that the header does not count.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use npy_core::{Header, Order};

use super::file::{AnyFile, size};
use super::reader::{AnyReader, Origin};
use crate::output::note;
use crate::remedy;
use crate::shell;
use crate::target::Target;
use crate::text::bytes_text;

/// Returns the bytes of data that the header of a file states and those that the file has; `None` if it is no file, or if they are unknown.
pub(crate) fn data_bytes(reader: &AnyReader, target: &Target) -> Option<(u64, u64)> {
    let header = reader.header();
    let is_known = reader.origin() == Origin::File && !header.dtype().has_object();
    let length = if is_known { size(&target.path)? } else { return None };
    Some((header.data_bytes(), length.saturating_sub(reader.data_offset())))
}

/// Returns the number of bytes after the array of a file, if there are any.
pub(crate) fn bytes_after(reader: &AnyReader, target: &Target) -> Option<u64> {
    let (expected, found) = data_bytes(reader, target)?;
    found.checked_sub(expected).filter(|&bytes| bytes > 0)
}

/// Says what the bytes after the array of a file may be, if there are any.
pub(crate) fn what_follows(reader: &AnyReader, target: &Target) -> Option<String> {
    let (header, bytes) = (reader.header(), bytes_after(reader, target)?);
    let text = follow(bytes, "array");
    let end = reader.data_offset().saturating_add(header.data_bytes());
    if has_at(&target.path, end, b"\x93NUMPY") {
        return Some(format!("{text}, which begin another array"));
    }
    // Rows as a writer appends them; in Fortran order, columns.
    let shape = header.shape();
    let path = shell::path(&target.path);
    let (part, noun, remedy) = match (grows_by_columns(header), shape) {
        (true, [part @ .., _]) => {
            let noun = match part.len() {
                1 => ["column", "columns"],
                _ => ["part along the last dimension", "parts along the last dimension"],
            };
            (part, noun, format!("npy repair {path} --uncounted keep -o OUT --yes"))
        }
        (_, [_, row @ ..]) => (row, ["row", "rows"], format!("npy append {path} --uncounted keep")),
        (_, []) => return Some(text),
    };
    // Bytes that are not complete rows are left by no writer that was stopped between two rows.
    let remove = (!grows_by_columns(header))
        .then(|| format!("npy append {path} --uncounted remove removes"));
    let itemsize = header.dtype().itemsize();
    let size = part.iter().try_fold(itemsize, |size, &n| size.checked_mul(n));
    let Some(size) = size.filter(|size| *size > 0) else { return Some(text) };
    let (count, rest) = (bytes / size as u64, bytes % size as u64);
    let rows = match count {
        0 => String::new(),
        1.. => {
            let (noun, them) = if count == 1 { (noun[0], "it") } else { (noun[1], "them") };
            format!(
                ": {count} {noun} that the header does not count, if a writer was stopped; {remedy} counts {them}"
            )
        }
    };
    let rest = match (rest, remove) {
        (1.., Some(remove)) => format!("; {remove} all bytes after the array"),
        _ => String::new(),
    };
    Some(format!("{text}{rows}{rest}"))
}

/// Returns true for an array to whose data no row can be added, because the elements of a row are strided.
pub(crate) fn grows_by_columns(header: &Header) -> bool {
    header.order() == Order::Fortran && header.shape().iter().skip(1).any(|&length| length != 1)
}

/// Says on standard error that a file of this machine has bytes after its array, which are not read, or that it is text and not the data that it is read as.
pub(crate) fn tell_of_rest(reader: &AnyReader, target: &Target) {
    // Of a URL, the size would be another request.
    if target.is_url() {
        return;
    }
    if let Some(text) = what_follows(reader, target) {
        note(target, format!("left out: {text}"));
    }
    tell_of_text(reader, target);
}

/// Says on standard error that a file is text, and not the data without a header that it is read as.
pub(crate) fn tell_of_text(reader: &AnyReader, target: &Target) {
    if reader.origin() == Origin::Raw
        && let Some(text) = remedy::for_raw_text(&target.path)
    {
        note(target, text);
    }
}

/// Says that bytes come after an array or an archive.
pub(crate) fn follow(bytes: u64, what: &str) -> String {
    let verb = if bytes == 1 { "follows" } else { "follow" };
    format!("{} {verb} the {what}", bytes_text(bytes))
}

/// Returns true if a file has these bytes at this position.
pub(crate) fn has_at<const N: usize>(path: &Path, position: u64, expected: &[u8; N]) -> bool {
    let mut start = [0; N];
    let read = AnyFile::open(path).and_then(|mut file| {
        file.seek(SeekFrom::Start(position))?;
        file.read_exact(&mut start)
    });
    read.is_ok() && start == *expected
}
