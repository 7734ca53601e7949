//! The advice for a text in place of an array: the command that converts it.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use npy_core::{ErrorKind, npz};

use crate::input;
use crate::shell;

/// Returns the advice for a file of text; `None` if the file is not text.
pub(super) fn advice(path: &Path) -> Option<String> {
    if !is_text(path)? {
        return None;
    }
    if let Some(uneven) = input::uneven(path) {
        return Some(uneven);
    }
    let Some(options) = input::options(path) else {
        return Some("npy convert --help has the options that read a table".to_owned());
    };
    Some(format!("npy convert {} OUT.npy{options} reads a table", shell::path(path)))
}

/// Returns true for a file whose first bytes are UTF-8 without control characters, except for tabs and line ends.
pub(super) fn looks_like_text(path: &Path) -> bool {
    const START: u64 = 1 << 12;
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(START).read_to_end(&mut start));
    let is_printed = |c: char| !c.is_control() || matches!(c, '\t' | '\n' | '\r');
    let is_text = |text: &str| !text.is_empty() && text.chars().all(is_printed);
    match (read, str::from_utf8(&start)) {
        (Ok(_), Ok(text)) => is_text(text),
        // The last character may be incomplete.
        (Ok(count), Err(error)) => {
            let valid = start.get(..error.valid_up_to()).unwrap_or_default();
            count as u64 == START
                && error.error_len().is_none()
                && str::from_utf8(valid).is_ok_and(is_text)
        }
        (Err(_), _) => false,
    }
}

/// Returns true for a file that the library takes for text by its first bytes and that is text, or that is named or looks like a text and has the first bytes of no other
/// format.
fn is_text(path: &Path) -> Option<bool> {
    let error = npz::Reader::open(path).err()?;
    let ErrorKind::NotNpz { hint, .. } = error.kind() else { return None };
    let is_named = || input::Form::of(path).is_some() || looks_like_text(path);
    // The rest of a header is text, too.
    let is_text = hint.starts_with("; it looks like text") && looks_like_text(path);
    Some(is_text || hint.is_empty() && is_named())
}
