//! Maps as archives: the names of a value's members begin with the value's key.
//!
//! The names of arrays in a map may have several parts, `l/w`. Names of other fields of the struct that a map is flattened into are not its
//! own.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;
use std::hash::{BuildHasher, Hash};
use std::io::{Read, Seek, Write};
use std::str::FromStr;

use super::{
    ArchiveField, NpzArchive, Siblings, below, inside, names_below, read_at, unknown_members,
};
use crate::error::{Error, ErrorKind, Result};
use crate::npz::{Reader, Writer, name};

/// Implements the traits for a type of map. `$sorted` returns the keys as text and the values of `$map`, in the order in which they are
/// written.
macro_rules! map {
    ([$($generics:tt)*] $type:ty, |$map:ident| $sorted:expr) => {
        impl<$($generics)*> ArchiveField for $type {
            fn __npy_write<W: Write>(
                &self,
                to: &mut Writer<W>,
                at: &str,
                siblings: Option<&Siblings<'_>>,
            ) -> Result<()> {
                let $map = self;
                let keys = Keys::of::<T>(siblings);
                $sorted.try_for_each(|(key, field)| write(to, at, &key, field, keys))
            }

            fn __npy_is_in<R: Read + Seek>(
                from: &Reader<R>,
                at: &str,
                siblings: Option<&Siblings<'_>>,
            ) -> bool {
                members_below(from, at)
                    .any(|member| siblings.is_none() || Self::__npy_takes(member, at, siblings))
            }

            fn __npy_takes(member: &str, at: &str, siblings: Option<&Siblings<'_>>) -> bool {
                takes::<K, T>(member, at, Keys::of::<T>(siblings))
            }

            fn __npy_read<R: Read + Seek>(
                from: &Reader<R>,
                at: &str,
                siblings: Option<&Siblings<'_>>,
            ) -> Result<Self> {
                let keys = Keys::of::<T>(siblings);
                if siblings.is_none() {
                    check_all_taken::<K, T, R>(from, at, keys)?;
                }
                read(from, at, keys)
            }

            // Next to a map of archives, a map of arrays has only names of one part. To ask each archive for its members would take
            // exponential time in a type that contains itself.
            fn __npy_reserves(key: &str, is_array: bool) -> bool {
                is_array && !T::__NPY_IS_ARRAY && key.contains('/')
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

/// The keys that a map may have.
#[derive(Clone, Copy)]
struct Keys<'s> {
    siblings: Option<&'s Siblings<'s>>,
    /// True if the values are arrays: a key is then the complete name below the map, and not only the part before the first `/`.
    of_arrays: bool,
}

impl<'s> Keys<'s> {
    fn of<T: ArchiveField>(siblings: Option<&'s Siblings<'s>>) -> Self {
        Keys { siblings, of_arrays: T::__NPY_IS_ARRAY }
    }

    /// Returns true if the key is excluded by another field of the struct that the map is flattened into.
    fn is_reserved(self, key: &str) -> bool {
        self.siblings.is_some_and(|siblings| siblings.reserve(key, self.of_arrays))
    }
}

/// Writes the members of a value.
fn write<T: ArchiveField, W: Write>(
    to: &mut Writer<W>,
    at: &str,
    key: &str,
    field: &T,
    keys: Keys<'_>,
) -> Result<()> {
    let reason = if key.is_empty() {
        "an empty key could not be read again; use other keys"
    } else if !keys.of_arrays && key.contains('/') {
        "a key that has a / could not be read again, except in a map of arrays; use other keys"
    } else if keys.is_reserved(key) {
        "a key of a flattened map that is the name of another field would be read as that field; use another key, or rename the field"
    } else if is_deep(at) {
        return Err(to.in_file(too_deep(at)));
    } else {
        let mut name = inside(at, key);
        // A name that ends with .npy is the complete name in the archive. `Reader::names` has such a name next to the shorter one.
        let is_alone = || to.check_name(name::plain(&name)).is_ok();
        if keys.of_arrays && name::plain(key) != key && is_alone() {
            let file = to.check_name(&name).map_err(|error| to.in_file(error))?;
            // No field after the map may have the shorter name.
            to.names.insert(file);
            name.push_str(".npy");
        }
        return field.__npy_write(to, &name, None);
    };
    Err(to.in_file(ErrorKind::MemberName { name: name::excerpt(key), reason }.into()))
}

/// Reads the keys and the values of the map at `at`.
fn read<K, T, M, R>(from: &Reader<R>, at: &str, keys: Keys<'_>) -> Result<M>
where
    K: Display + FromStr,
    T: ArchiveField,
    M: FromIterator<(K, T)>,
    R: Read + Seek,
{
    if !T::__NPY_IS_ARRAY
        && let Some(deep) = names_below(from, at).find(|member| {
            is_deep(member)
                && !below(member, at).is_some_and(|name| keys.is_reserved(first_part(name)))
        })
    {
        return Err(from.in_file(too_deep(deep)));
    }
    let taken = members_below(from, at).filter(|member| takes::<K, T>(member, at, keys));
    // Several members may have the same key. A key has only one text, the one that `Display` prints.
    let keys: BTreeMap<&str, K> =
        taken.filter_map(|member| key_of::<K>(member, at, keys)).collect();
    let read = |(text, key): (&str, K)| match read_at::<T, R>(from, &inside(at, text)) {
        Ok(value) => Ok((key, value)),
        Err(error) if T::__NPY_IS_ARRAY => Err(of_any_dtype(error)),
        Err(error) => Err(error),
    };
    keys.into_iter().map(read).collect()
}

/// Advises a map of arrays of any dtype: the type that reads this member may not read the next one.
fn of_any_dtype(error: Error) -> Error {
    if !matches!(error.kind(), ErrorKind::Mismatch { .. }) {
        return error;
    }
    error.map_remedy(|remedy| {
        let any = "a map of AnyArray (or DynArray) reads members of any dtype";
        // A cast helps if all members are numbers.
        match remedy.find("npz::ReadOptions::") {
            Some(cast) => format!("{any}, and {}", &remedy[cast..]),
            None => any.into(),
        }
    })
}

/// Refuses members below `at` that the map would leave out: who loads a map and saves it would lose them. A struct in the map may leave
/// out members below its name.
fn check_all_taken<K, T, R>(from: &Reader<R>, at: &str, keys: Keys<'_>) -> Result<()>
where
    K: Display + FromStr,
    T: ArchiveField,
    R: Read + Seek,
{
    let (taken, mut others): (Vec<&str>, Vec<&str>) =
        members_below(from, at).partition(|member| takes::<K, T>(member, at, keys));
    if !T::__NPY_IS_ARRAY {
        let parts = taken.iter().filter_map(|member| Some((key_of::<K>(member, at, keys)?.0, ())));
        let parts: BTreeMap<&str, ()> = parts.collect();
        others.retain(|member| {
            let part = below(member, at).and_then(|name| name.split_once('/'));
            part.is_none_or(|(part, _)| !parts.contains_key(part))
        });
    }
    // Reading archives says that such a name is too deep.
    let is_too_deep = !T::__NPY_IS_ARRAY && others.iter().any(|member| is_deep(member));
    if others.is_empty() || is_too_deep {
        return Ok(());
    }
    let remedy = if from.contains("") {
        "npz::Reader::read reads each by its name"
    } else {
        "npz::Reader::read reads each by its name, npz::load::<BTreeMap<String, AnyArray>> reads all arrays, and a map with #[npy(flatten)] in a struct leaves them to other fields"
    };
    Err(from.in_file(unknown_members(&others, remedy).into()))
}

/// Returns the members below `at` that may be arrays.
fn members_below<'r, R: Read + Seek>(
    from: &'r Reader<R>,
    at: &str,
) -> impl Iterator<Item = &'r str> + use<'r, R> {
    let is_folder =
        |member| from.directory.find(member).is_some_and(|index| from.directory.is_folder(index));
    names_below(from, at).filter(move |member| !is_folder(member))
}

/// Returns true if the member belongs to a value of the map at `at`.
fn takes<K: Display + FromStr, T: ArchiveField>(member: &str, at: &str, keys: Keys<'_>) -> bool {
    let taken = |(text, _): (_, K)| T::__npy_takes(member, &inside(at, text), None);
    key_of(member, at, keys).is_some_and(taken)
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
fn key_of<'m, K: Display + FromStr>(
    member: &'m str,
    at: &str,
    keys: Keys<'_>,
) -> Option<(&'m str, K)> {
    let text = match below(member, at)? {
        name if keys.of_arrays => name,
        _ if is_deep(member) => return None,
        name => first_part(name),
    };
    if text.is_empty() || keys.is_reserved(text) {
        return None;
    }
    let key: K = text.parse().ok()?;
    (key.to_string() == text).then_some((text, key))
}

fn first_part(name: &str) -> &str {
    name.split_once('/').map_or(name, |(first, _)| first)
}
