//! The fields next to a map that is flattened into a struct.

use std::fmt;

/// The other fields of the struct that a value is flattened into, and of the structs that this one is flattened into. Their members are
/// theirs alone: a flattened map has no key that could be the name of one. That does not depend
/// on the members that an archive has: the name of an `Option` that is absent remains its own.
///
/// A map of arrays has no key that is the name of an array, or that begins with the name of an archive. A map of archives has no key that is
/// the name of an archive, or the first part of a name.
#[derive(Clone, Copy)]
pub struct Siblings<'s> {
    /// Returns true if one of the fields excludes the key. The second argument is true for the key of an array.
    reserves: fn(&str, bool) -> bool,
    outer: Option<&'s Siblings<'s>>,
}

impl<'s> Siblings<'s> {
    /// For generated code: the fields of a struct, which may itself be flattened.
    #[doc(hidden)]
    #[must_use]
    pub fn new(reserves: fn(&str, bool) -> bool, outer: Option<&'s Siblings<'s>>) -> Self {
        Siblings { reserves, outer }
    }

    /// Returns true if one of the fields excludes the key.
    pub(super) fn reserve(&self, key: &str, is_array: bool) -> bool {
        (self.reserves)(key, is_array)
            || self.outer.is_some_and(|outer| outer.reserve(key, is_array))
    }
}

impl fmt::Debug for Siblings<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Siblings").finish_non_exhaustive()
    }
}
