//! A thread-local cache of the last parsed header, so that reading thousands of small files with the same header parses only the first one.

use std::cell::RefCell;

use super::{Header, Version};
use crate::limits::Limits;

/// The longest text that is cached, in bytes. It bounds the memory that the cache keeps.
const MAX_TEXT_BYTES: usize = 16 << 10;

/// A header, the text from which it was parsed, and the limits that it was checked against.
struct Parsed {
    version: Version,
    limits: Limits,
    text: Vec<u8>,
    header: Header,
}

thread_local! {
    static LAST: RefCell<Option<Parsed>> = const { RefCell::new(None) };
}

/// Returns the cached header, if it was parsed from this text within these limits.
pub(super) fn lookup(version: Version, text: &[u8], limits: &Limits) -> Option<Header> {
    // A thread that is ending may have freed its cache.
    let found = LAST.try_with(|last| {
        let last = last.try_borrow().ok()?;
        let last =
            last.as_ref().filter(|last| last.version == version && last.limits == *limits)?;
        (last.text == text).then(|| last.header.clone())
    });
    found.ok().flatten()
}

/// Replaces the cached header by this one, unless its text is too long.
pub(super) fn store(version: Version, text: &[u8], limits: &Limits, header: &Header) {
    if text.len() <= MAX_TEXT_BYTES {
        let (limits, text, header) = (*limits, text.to_vec(), header.clone());
        let parsed = Parsed { version, limits, text, header };
        let _ = LAST.try_with(|last| last.try_borrow_mut().map(|mut last| *last = Some(parsed)));
    }
}
