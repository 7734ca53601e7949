//! The members of an archive by the names of their arrays: with `.npy` or without.

use std::io::{Read, Seek};
use std::slice;

use npy_zip::Entry;

use super::name;
use crate::checked::{self, named::named_iterator};
use crate::error::{ErrorKind, Result};
use crate::limits::Limits;

/// The directory of an archive.
pub(super) struct Directory(npy_zip::Directory);

impl Directory {
    /// Reads the directory of a file. As in NumPy, the file must begin with its archive.
    pub(super) fn of_file(file: impl Read + Seek, limits: &Limits) -> Result<Self> {
        Ok(Directory(npy_zip::Directory::of_file(file, &of_archives(limits))?))
    }

    /// Reads the directory of an archive, which may have anything before it.
    pub(super) fn read(reader: impl Read + Seek, limits: &Limits) -> Result<Self> {
        Ok(Directory(npy_zip::Directory::read(reader, &of_archives(limits))?))
    }

    /// Returns the directory, in which each member has the name that is in the archive.
    pub(super) fn zip(&self) -> &npy_zip::Directory {
        &self.0
    }

    /// Iterates over the shortest names by which [`find`](Self::find) finds each member.
    pub(super) fn names(&self) -> Names<'_> {
        Names { of: self, from: self.0.entries().iter() }
    }

    /// Returns the name of a member without `.npy`, or unchanged if the archive also has a member of exactly the shorter name.
    fn shown<'n>(&self, name: &'n str) -> &'n str {
        let plain = name::plain(name);
        if self.0.index(plain).is_some() { name } else { plain }
    }

    /// Iterates over the names of the members whose archive names have this prefix, sorted by archive name, without scanning the others.
    pub(super) fn names_with_prefix<'d>(
        &'d self,
        prefix: &str,
    ) -> impl Iterator<Item = &'d str> + use<'d> {
        self.0.names_with_prefix(prefix).map(|name| self.shown(name))
    }

    /// Returns the index of the member of exactly this name or else, as in NumPy, of this name with `.npy` appended.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.0.index(name).or_else(|| self.0.index(&format!("{name}.npy")))
    }

    /// Like [`find`](Self::find), with an error that lists the members.
    pub(super) fn member(&self, name: &str) -> Result<usize> {
        self.find(name).ok_or_else(|| {
            let members = name::list(self.names());
            ErrorKind::MissingMember { name: name::excerpt(name), members }.into()
        })
    }

    /// Returns the entry of a member.
    pub(super) fn entry(&self, index: usize) -> &Entry {
        checked::some(self.0.entries().get(index))
    }

    /// Returns true for the entry of a folder, which tools for zip files make.
    pub(super) fn is_folder(&self, index: usize) -> bool {
        self.entry(index).name().ends_with('/') && self.entry(index).size() == 0
    }

    /// Returns the name of a member.
    pub(super) fn name(&self, index: usize) -> &str {
        self.shown(self.entry(index).name())
    }
}

/// Returns the limits of the container.
pub(super) fn of_archives(limits: &Limits) -> npy_zip::Limits {
    let mut of_zip = npy_zip::Limits::default();
    of_zip.members = limits.members;
    of_zip.inflated_bytes = limits.inflated_bytes;
    of_zip.inflation = limits.inflation;
    of_zip
}

named_iterator! {
    /// Iterates over the names of the members of an archive; made by [`Reader::names`](crate::npz::Reader::names) and `npz::Map::names`.
    Names<'a> { of: &'a Directory, from: slice::Iter<'a, Entry> } => &'a str, |directory, entry| {
        directory.shown(entry.name())
    }
}
