//! The bytes after an array in its file: another array, or rows that the header does not count.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use npy_core::UncountedRows;
use npy_repair::Uncounted;

use super::file::{AnyFile, size};
use super::reader::{AnyReader, Origin};
use super::selection::Selection;
use crate::output::note;
use crate::remedy;
use crate::shell;
use crate::target::Target;
use crate::text::bytes_text;

/// The option of commands that write arrays anew or let them grow.
#[derive(clap::Args)]
pub(crate) struct After {
    /// Counts complete rows after the array that its header does not count, or removes all bytes there; a writer that was stopped may have left them
    #[arg(long, value_enum, value_name = "keep|remove", hide_possible_values = true)]
    uncounted: Option<Choice>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Choice {
    Keep,
    Remove,
}

impl After {
    /// Returns the choice for the rows that the header does not count.
    pub(crate) fn rows(&self) -> UncountedRows {
        match self.uncounted {
            None => UncountedRows::Refuse,
            Some(Choice::Keep) => UncountedRows::Keep,
            Some(Choice::Remove) => UncountedRows::Remove,
        }
    }

    /// Returns the option as in a command, if it is there.
    pub(crate) fn option(&self) -> Option<String> {
        let choice = match self.uncounted? {
            Choice::Keep => "keep",
            Choice::Remove => "remove",
        };
        Some(format!("--uncounted {choice}"))
    }
}

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

/// Says what the bytes after the array of a file may be, if there are any. Standard input must have been read to the end of its array; of
/// another pipe, they are for the next program that reads it.
pub(crate) fn what_follows(reader: &AnyReader, target: &Target) -> Option<String> {
    if let Some(stream) = reader.stream() {
        return if target.is_stdin() { stream.what_follows() } else { None };
    }
    let (header, bytes) = (reader.header(), bytes_after(reader, target)?);
    let text = follow(bytes, "array");
    let end = reader.data_offset().saturating_add(header.data_bytes());
    if has_at(&target.path, end, b"\x93NUMPY") {
        return Some(format!("{text}, which begin another array"));
    }
    let path = shell::path(&target.path);
    if !has_line_end(reader, target) {
        return Some(format!(
            "{text}, and its header does not end with a line end, as if bytes were added to it: npy repair {path} says where its data may begin"
        ));
    }
    let uncounted = Uncounted::of(header, bytes);
    // Only rows along the first dimension are added in place.
    let command = |choice| match uncounted {
        Some(Uncounted { axis: 0, .. }) => format!("npy append {path} --uncounted {choice}"),
        _ => format!("npy repair {path} --uncounted {choice} -o OUT --yes"),
    };
    let (rows, rest) = uncounted.map_or((0, bytes), |uncounted| (uncounted.rows, uncounted.rest));
    let counted = match (rows, uncounted) {
        (1.., Some(rows)) => format!(
            ": {rows} that the header does not count, if a writer was stopped; {} counts {}",
            command("keep"),
            if rows.rows == 1 { "it" } else { "them" }
        ),
        _ => String::new(),
    };
    let removed = match rest {
        0 => String::new(),
        _ => format!(
            "; bytes may have been inserted before them, or the dtype may lack a field; if the last values are right, {} removes all bytes after the array",
            command("remove")
        ),
    };
    Some(text + &counted + &removed)
}

/// Returns true if the header of a file ends with a line end, as those of NumPy do.
pub(crate) fn has_line_end(reader: &AnyReader, target: &Target) -> bool {
    match reader.stream() {
        Some(stream) => stream.has_line_end(),
        None => has_at(&target.path, reader.data_offset().saturating_sub(1), b"\n"),
    }
}

/// Says on standard error that a file of this machine has bytes after its array, which are not read, that it is truncated after what is read, or that it is text and not the data that it is read as. Of a stream, `tell_of_streams` says so later.
pub(crate) fn tell_of_rest(reader: &AnyReader, target: &Target) {
    // Of a URL, the size would be another request.
    if target.is_url() {
        return;
    }
    if let Some(stream) = reader.stream().filter(|_| target.is_stdin()) {
        stream.tell_later(target);
    } else if let Some(text) = what_follows(reader, target) {
        note(target, format!("left out: {text}"));
    }
    tell_of_truncation(reader, target);
    tell_of_text(reader, target);
}

/// Says that a file has fewer bytes of data than its header states.
pub(crate) fn truncation(reader: &AnyReader, target: &Target) -> Option<String> {
    let (expected, found) =
        data_bytes(reader, target).filter(|(expected, found)| found < expected)?;
    let noun = if expected == 1 { "byte" } else { "bytes" };
    let problem = format!("truncated: expected {expected} {noun} of data, found {found}");
    let remedy = remedy::for_array(target).map_or(String::new(), |remedy| format!("; {remedy}"));
    Some(problem + &remedy)
}

/// Returns true for a slice that has all of its data, of a file that is truncated. Any other ends with an error that says so.
pub(crate) fn has_complete_slice(reader: &AnyReader, target: &Target) -> bool {
    let header = reader.header();
    let itemsize = header.dtype().itemsize() as u64;
    match (data_bytes(reader, target), Selection::of(header, target)) {
        (Some((expected, found)), Ok(selection)) if target.slice.is_some() && found < expected => {
            selection.end(header.order()).saturating_mul(itemsize) <= found
        }
        _ => false,
    }
}

/// Says on standard error that the file of a complete slice is truncated.
fn tell_of_truncation(reader: &AnyReader, target: &Target) {
    if has_complete_slice(reader, target)
        && let Some(text) = truncation(reader, target)
    {
        note(target, text);
    }
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
