//! Maps as archives: the names of a value's members begin with the value's key.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;
use std::hash::{BuildHasher, Hash};
use std::io::{Read, Seek, Write};
use std::str::FromStr;

use super::{ArchiveField, NpzArchive, below, inside, names_below, read_at};
use crate::error::{Error, ErrorKind, Result};
use crate::npz::{Reader, Writer, name};

/// Implements the traits for a type of map. `$sorted` returns the keys as text and the values of `$map`, in the order in which they are
/// written.
macro_rules! map {
    ([$($generics:tt)*] $type:ty, |$map:ident| $sorted:expr) => {
        impl<$($generics)*> ArchiveField for $type {
            fn __npy_write<W: Write>(&self, to: &mut Writer<W>, at: &str) -> Result<()> {
                let $map = self;
                $sorted.try_for_each(|(key, field)| write(to, at, &key, field))
            }

            fn __npy_is_in<R: Read + Seek>(from: &Reader<R>, at: &str) -> bool {
                names_below(from, at).any(|member| Self::__npy_takes(member, at))
            }

            fn __npy_takes(member: &str, at: &str) -> bool {
                takes::<K, T>(member, at)
            }

            fn __npy_read<R: Read + Seek>(from: &Reader<R>, at: &str) -> Result<Self> {
                read(from, at)
            }
        }

        impl<$($generics)*> NpzArchive for $type {}
    };
}

map!([K: Ord + Display + FromStr, T: ArchiveField] BTreeMap<K, T>, |map| {
    map.iter().map(|(key, field)| (key.to_string(), field))
});

// Sorted, so that the same map always makes the same archive.
map!([K: Eq + Hash + Display + FromStr, T: ArchiveField, S: BuildHasher + Default] HashMap<K, T, S>, |map| {
    let mut sorted: Vec<_> = map.iter().map(|(key, field)| (key.to_string(), field)).collect();
    sorted.sort_by(|(one, _), (other, _)| one.cmp(other));
    sorted.into_iter()
});

/// Writes the members of a value.
fn write<T: ArchiveField, W: Write>(
    to: &mut Writer<W>,
    at: &str,
    key: &str,
    field: &T,
) -> Result<()> {
    if key.is_empty() || key.contains('/') || name::plain(key) != key {
        let reason = "a key that is empty, has a / or ends with .npy could not be read again; use other keys";
        let name = name::excerpt(key);
        return Err(to.in_file(ErrorKind::MemberName { name, reason }.into()));
    }
    if is_deep(at) {
        return Err(to.in_file(too_deep(at)));
    }
    field.__npy_write(to, &inside(at, key))
}

/// Reads the keys and the values of the map at `at`.
fn read<K, T, M, R>(from: &Reader<R>, at: &str) -> Result<M>
where
    K: Display + FromStr,
    T: ArchiveField,
    M: FromIterator<(K, T)>,
    R: Read + Seek,
{
    if let Some(deep) = names_below(from, at).find(|member| is_deep(member)) {
        return Err(from.in_file(too_deep(deep)));
    }
    let taken = names_below(from, at).filter(|member| takes::<K, T>(member, at));
    // Several members may have the same key. A key has only one text, the one that `Display` prints.
    let keys = taken.filter_map(|member| key_of::<K>(member, at));
    let keys: BTreeMap<&str, K> = keys.collect();
    let read = |(text, key): (&str, K)| Ok((key, read_at(from, &inside(at, text))?));
    keys.into_iter().map(read).collect()
}

/// Returns true if the member belongs to a value of the map at `at`.
fn takes<K: Display + FromStr, T: ArchiveField>(member: &str, at: &str) -> bool {
    let taken = |(text, _): (_, K)| T::__npy_takes(member, &inside(at, text));
    key_of(member, at).is_some_and(taken)
}

/// Returns true if the name has too many parts. Reading a map of maps is recursive, and a type that contains itself has no other bound.
fn is_deep(name: &str) -> bool {
    const MAX_DEPTH: usize = 64;
    name.split('/').nth(MAX_DEPTH).is_some()
}

fn too_deep(name: &str) -> Error {
    let reason = "maps in an archive may be nested at most 64 names deep";
    ErrorKind::MemberName { name: name::excerpt(name), reason }.into()
}

/// The key of the map at `at` that the member belongs to, as text and parsed. Text that `Display`
/// would not print is not a key: `01` is not the number 1.
fn key_of<'m, K: Display + FromStr>(member: &'m str, at: &str) -> Option<(&'m str, K)> {
    let text =
        below(member, at)?.split('/').next().filter(|text| !text.is_empty() && !is_deep(member))?;
    let key: K = text.parse().ok()?;
    (key.to_string() == text).then_some((text, key))
}
