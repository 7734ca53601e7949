//! The names of the members of an archive.

use std::slice;

use super::{Directory, Entry};
use crate::checked::named::named_iterator;

named_iterator! {
    /// Iterates over the names of the members of an archive; made by [`Reader::names`](crate::npz::Reader::names) and `npz::Map::names`.
    Names<'a> { of: &'a Directory, from: slice::Iter<'a, Entry> } => &'a str, |directory, entry| {
        directory.shown_name(entry)
    }
}
