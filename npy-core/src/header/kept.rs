//! The header that was parsed last: files that belong together mostly have the same, or one of the same dtype.

use super::{Header, Version};
use crate::dtype::DType;
use crate::limits::Limits;
use crate::recent::{self, Recent};

/// Longer texts are not kept: memory that a file takes goes with it.
const LONGEST: usize = 16 << 10;

/// How NumPy's headers start, and how they go on behind the dtype.
const START: &[u8] = b"{'descr': ";
const BEHIND: &[u8] = b", 'fortran_order': ";

/// What a header was parsed from.
struct Parsed {
    version: Version,
    limits: Limits,
    text: Vec<u8>,
    /// Where the dtype ends in a text as NumPy writes it.
    dtype_ends: Option<usize>,
}

impl Parsed {
    /// The text up to the second key's value.
    fn up_to_order(&self) -> Option<&[u8]> {
        self.text.get(..self.dtype_ends?.checked_add(BEHIND.len())?)
    }
}

thread_local! {
    static KEPT: Recent<Parsed, (Header, usize)> = const { Recent::new() };
}

/// The header that this text was found to be the last time.
pub(super) fn find(version: Version, text: &[u8], limits: &Limits) -> Option<Header> {
    let same = |kept: &Parsed| kept.version == version && kept.limits == *limits;
    Some(recent::find(&KEPT, |kept| same(kept) && kept.text == text)?.0)
}

/// The dtype of the last header if this one states the same in the same place, and a dictionary of what it states besides.
pub(super) fn find_dtype(
    version: Version,
    text: &[u8],
    limits: &Limits,
) -> Option<(DType, Vec<u8>)> {
    let same = |kept: &Parsed| kept.version == version && kept.limits == *limits;
    let starts = |kept: &Parsed| kept.up_to_order().is_some_and(|start| text.starts_with(start));
    let (header, dtype_ends) = recent::find(&KEPT, |kept| same(kept) && starts(kept))?;
    let rest = text.get(dtype_ends..)?.strip_prefix(b", ")?;
    Some((header.dtype, [b"{", rest].concat()))
}

/// Keeps a header; `dtype` is where the dtype stands in its text.
pub(super) fn keep(text: &[u8], limits: &Limits, dtype: std::ops::Range<usize>, header: &Header) {
    let Some(version) = header.version.filter(|_| text.len() <= LONGEST) else { return };
    let behind = text.get(dtype.end..).unwrap_or_default();
    let usual = text.get(..dtype.start) == Some(START) && behind.starts_with(BEHIND);
    let dtype_ends = usual.then_some(dtype.end);
    let parsed = Parsed { version, limits: *limits, text: text.to_vec(), dtype_ends };
    recent::keep(&KEPT, parsed, (header.clone(), dtype.end));
}
