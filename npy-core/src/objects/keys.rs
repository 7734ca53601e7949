//! The text keys of an object: how they are found, and the errors about them.

use super::{Kind, ObjectRef};
use crate::dtype::descr;
use crate::limits::to_u64;
use npy_pickle::Node;

/// The number of keys that an error lists.
const SHOWN_KEYS: usize = 12;

impl<'a> ObjectRef<'a> {
    /// The error for a key that the object lacks.
    pub(super) fn missing(self, key: &str) -> String {
        match self.has_keys() {
            true => format!("there is no key {key:?}; the keys are {}", self.keys()),
            false => {
                format!("there is no key {key:?} in {}, which is not a dictionary", self.excerpt())
            }
        }
    }

    /// Returns true for an object of a kind that has keys, fields or attributes.
    pub(super) fn has_keys(self) -> bool {
        matches!(self.kind(), Kind::Dict | Kind::Record | Kind::Object)
    }

    /// Returns this key as a name, for an error.
    pub(super) fn as_name(self) -> String {
        self.as_str().map_or_else(|| self.excerpt(), |key| descr::excerpt(&key))
    }

    /// Returns the first keys, for an error.
    pub(crate) fn keys(self) -> String {
        let keys = self.entries().take(SHOWN_KEYS).filter_map(|(key, _)| key.as_str());
        let keys: Vec<String> = keys.map(|key| excerpt(&key)).collect();
        keys.join(", ")
    }

    /// Finds the values of text keys as [`get`](Self::get) does, all in one pass. Each search starts after the last match, because the keys
    /// are usually in the order of the entries. Returns the first key of an entry that is not one of them.
    pub(super) fn find<'k>(
        self,
        keys: impl IntoIterator<Item = &'k str, IntoIter: Clone>,
        found: &mut [Option<ObjectRef<'a>>],
    ) -> Option<ObjectRef<'a>> {
        let keys = keys.into_iter();
        let mut unknown = None;
        // A byte of text takes at most ten in the pickle, as an escape, and a string of Python 2 has quotes and a line feed. Longer keys
        // cannot match; they are not decoded, because a pickle can use a long key any number of times.
        let longest = keys.clone().map(str::len).max().unwrap_or(0);
        let longest = to_u64(longest).saturating_mul(10).saturating_add(16);
        let mut slots = keys.clone().zip(0..).cycle();
        for (name, value) in self.entries() {
            let may_be_text = matches!(name.object().node(), Node::Data(..) | Node::Call(_));
            let may_match = may_be_text && name.object().length() <= longest;
            let text = if may_match { name.as_str() } else { None };
            let slot = text.and_then(|text| {
                let (_, at) = slots.by_ref().take(found.len()).find(|(key, _)| *key == text)?;
                found.get_mut::<usize>(at)
            });
            match slot {
                Some(slot) => *slot = Some(value),
                None => unknown = unknown.or(Some(name)),
            }
        }
        unknown
    }
}

/// Shortens a key for an error.
fn excerpt(key: &str) -> String {
    descr::excerpt(&format!("{key:?}"))
}
