//! The header that this thread parsed last: thousands of small files of one type are read without parsing each.

use std::cell::RefCell;
use std::ops::Range;

use super::{Header, Version};
use crate::dtype::DType;
use crate::limits::Limits;

/// Longer texts are not stored: memory that a file takes is given back with it.
const LONGEST: usize = 16 << 10;

/// How NumPy's headers start, and how they continue after the dtype.
const START: &[u8] = b"{'descr': ";
const AFTER: &[u8] = b", 'fortran_order': ";

/// A header, and what it was parsed from.
struct Parsed {
    version: Version,
    limits: Limits,
    text: Vec<u8>,
    header: Header,
    /// Where the dtype ends in a text as NumPy writes it.
    dtype_end: Option<usize>,
}

impl Parsed {
    /// Whether a text starts with the same dtype as this one, as NumPy writes it.
    fn has_dtype_of(&self, text: &[u8]) -> bool {
        let end = self.dtype_end.and_then(|end| end.checked_add(AFTER.len()));
        end.and_then(|end| self.text.get(..end)).is_some_and(|start| text.starts_with(start))
    }
}

thread_local! {
    static LAST: RefCell<Option<Parsed>> = const { RefCell::new(None) };
}

/// Looks at the header that was parsed last under the same rules.
fn last<A>(
    version: Version,
    limits: &Limits,
    look: impl FnOnce(&Parsed) -> Option<A>,
) -> Option<A> {
    // A thread that ends has none.
    let found = LAST.try_with(|last| {
        let last = last.try_borrow().ok()?;
        look(last.as_ref().filter(|last| last.version == version && last.limits == *limits)?)
    });
    found.ok().flatten()
}

/// The header of this text, if it was the last one.
pub(super) fn lookup(version: Version, text: &[u8], limits: &Limits) -> Option<Header> {
    last(version, limits, |last| (last.text == text).then(|| last.header.clone()))
}

/// The dtype of the last header if this text starts with the same, and the rest of the text as a dictionary.
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

/// Stores a header in place of the last one; `dtype` is where the dtype is in its text.
pub(super) fn store(text: &[u8], limits: &Limits, dtype: Range<usize>, header: &Header) {
    let Some(version) = header.version.filter(|_| text.len() <= LONGEST) else { return };
    let rest = text.get(dtype.end..).unwrap_or_default();
    let is_usual = text.get(..dtype.start) == Some(START) && rest.starts_with(AFTER);
    let dtype_end = is_usual.then_some(dtype.end);
    let (text, header) = (text.to_vec(), header.clone());
    let parsed = Parsed { version, limits: *limits, text, header, dtype_end };
    let _ = LAST.try_with(|last| last.try_borrow_mut().map(|mut last| *last = Some(parsed)));
}
