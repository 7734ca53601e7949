//! A thread-local cache of the last parsed header, so that reading thousands of small files of one type parses only the first header.

use std::cell::RefCell;
use std::ops::Range;

use super::{Header, Version};
use crate::checked;
use crate::dtype::DType;
use crate::limits::Limits;

/// The longest text that is cached, in bytes. It bounds the memory that the cache keeps.
const MAX_TEXT_BYTES: usize = 16 << 10;

/// How NumPy's headers start, and how they continue after the dtype.
const START: &[u8] = b"{'descr': ";
const AFTER: &[u8] = b", 'fortran_order': ";

/// A header, and the text from which it was parsed.
struct Parsed {
    version: Version,
    limits: Limits,
    text: Vec<u8>,
    header: Header,
    /// The offset of the end of the dtype; `None` if NumPy writes the text differently.
    dtype_end: Option<usize>,
}

impl Parsed {
    /// Returns whether a text starts with the same dtype, and NumPy writes both texts so.
    fn has_dtype_of(&self, text: &[u8]) -> bool {
        let end = self.dtype_end.and_then(|end| end.checked_add(AFTER.len()));
        end.and_then(|end| self.text.get(..end)).is_some_and(|start| text.starts_with(start))
    }
}

thread_local! {
    static LAST: RefCell<Option<Parsed>> = const { RefCell::new(None) };
}

/// Calls `look` with the cached header, if it has this version and these limits.
fn last<A>(
    version: Version,
    limits: &Limits,
    look: impl FnOnce(&Parsed) -> Option<A>,
) -> Option<A> {
    // While a thread ends, its cache is gone.
    let found = LAST.try_with(|last| {
        let last = last.try_borrow().ok()?;
        look(last.as_ref().filter(|last| last.version == version && last.limits == *limits)?)
    });
    found.ok().flatten()
}

/// Returns the cached header, if its text is the same.
pub(super) fn lookup(version: Version, text: &[u8], limits: &Limits) -> Option<Header> {
    last(version, limits, |last| (last.text == text).then(|| last.header.clone()))
}

/// Returns the cached dtype, if the text starts with the same one, and the rest of the text as a dictionary.
pub(super) fn lookup_dtype(
    version: Version,
    text: &[u8],
    limits: &Limits,
) -> Option<(DType, Vec<u8>)> {
    last(version, limits, |last| {
        let rest = text.get(last.dtype_end?..).filter(|_| last.has_dtype_of(text))?;
        Some((last.header.dtype.clone(), [b"{", rest.strip_prefix(b", ")?].concat()))
    })
}

/// Replaces the cached header. `dtype` is the range of the dtype in the text.
pub(super) fn store(text: &[u8], limits: &Limits, dtype: Range<usize>, header: &Header) {
    let Some(version) = header.version.filter(|_| text.len() <= MAX_TEXT_BYTES) else { return };
    let rest = checked::tail(text, dtype.end);
    let is_usual = text.get(..dtype.start) == Some(START) && rest.starts_with(AFTER);
    let dtype_end = is_usual.then_some(dtype.end);
    let (text, header) = (text.to_vec(), header.clone());
    let parsed = Parsed { version, limits: *limits, text, header, dtype_end };
    let _ = LAST.try_with(|last| last.try_borrow_mut().map(|mut last| *last = Some(parsed)));
}
