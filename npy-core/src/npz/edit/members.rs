//! The members that an edited archive will have.

use std::collections::BTreeMap;

use super::raw::Raw;
use crate::error::{Error, ErrorKind, Result};
use crate::npz::directory::Entry;
use crate::npz::name;

/// The source of a member's bytes.
pub(super) enum Bytes {
    /// The archive that is edited.
    Old(Entry),
    /// The arrays that were written: the index of one.
    Written(usize),
    /// The members that were copied.
    Copied(Raw),
}

/// A member that the archive will have.
pub(super) struct Member {
    /// The name in the archive.
    pub(super) file: String,
    is_renamed: bool,
    pub(super) bytes: Bytes,
}

impl Member {
    /// Returns the new name; `None` if the headers of the member already have it.
    pub(super) fn new_name(&self) -> Option<&str> {
        self.is_renamed.then_some(self.file.as_str())
    }
}

/// The members that the archive will have.
pub(super) struct Members {
    /// In the order of the archive; `None` for a member that was removed.
    members: Vec<Option<Member>>,
    /// The indices of the members of each name, in order. If there are several, readers find only the last.
    by_name: BTreeMap<String, Vec<usize>>,
    /// The number of arrays that were written.
    written: usize,
}

impl Members {
    pub(super) fn new(entries: Vec<Entry>) -> Self {
        let mut members = Members { members: Vec::new(), by_name: BTreeMap::new(), written: 0 };
        for entry in entries {
            let file = entry.file_name().to_owned();
            members.by_name.entry(file.clone()).or_default().push(members.members.len());
            members.members.push(Some(Member {
                file,
                is_renamed: false,
                bytes: Bytes::Old(entry),
            }));
        }
        members
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Member> {
        self.members.iter().flatten()
    }

    /// Returns the names by which readers will find the members, in order.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let members = self.members.iter().enumerate();
        members.filter_map(|(index, member)| {
            let file = member.as_ref()?.file.as_str();
            let is_first = self.by_name.get(file)?.first() == Some(&index);
            let plain = name::plain(file);
            let shown = if self.by_name.contains_key(plain) { file } else { plain };
            is_first.then_some(shown)
        })
    }

    /// Returns the name in the archive of the member that readers will find by this name.
    pub(super) fn find(&self, name: &str) -> Option<&str> {
        let found = self.by_name.get_key_value(name);
        let found = found.or_else(|| self.by_name.get_key_value(&format!("{name}.npy")));
        found.map(|(file, _)| file.as_str())
    }

    /// Like [`find`](Self::find), with an error that lists the members.
    pub(super) fn existing(&self, name: &str) -> Result<&str> {
        self.find(name).ok_or_else(|| {
            let names: Vec<_> = self.names().collect();
            let members = name::list(names.into_iter());
            ErrorKind::MissingMember { name: name::excerpt(name), members }.into()
        })
    }

    /// Makes the array that was written last the member of this archive name.
    pub(super) fn write(&mut self, file: String) {
        let bytes = Bytes::Written(self.written);
        self.written = self.written.saturating_add(1);
        self.put(file, bytes);
    }

    /// Replaces the members of this name in the archive by one, or adds it.
    pub(super) fn put(&mut self, file: String, bytes: Bytes) {
        let first = self.remove(&file).map_or(self.members.len(), |(first, _)| first);
        self.insert(first, Member { file, is_renamed: false, bytes });
    }

    /// Removes all members of this name in the archive. Returns the index of the first, and the last, which readers would find.
    pub(super) fn remove(&mut self, file: &str) -> Option<(usize, Member)> {
        let indices = self.by_name.remove(file)?;
        let mut last = None;
        for &index in &indices {
            last = self.members.get_mut(index).and_then(Option::take);
        }
        Some((*indices.first()?, last?))
    }

    pub(super) fn rename(&mut self, from: &str, to: &str) -> Result<()> {
        let file = self.existing(from)?.to_owned();
        let is_array = name::plain(&file) != file;
        let new = if is_array { name::in_archive(to)? } else { to.to_owned() };
        name::check(&new)?;
        if new == file {
            return Ok(());
        }
        if [to, &new].iter().any(|name| self.find(name).is_some_and(|other| other != file)) {
            return Err(taken(to));
        }
        if let Some((first, member)) = self.remove(&file) {
            self.insert(first, Member { file: new, is_renamed: true, ..member });
        }
        Ok(())
    }

    fn insert(&mut self, index: usize, member: Member) {
        self.by_name.insert(member.file.clone(), vec![index]);
        match self.members.get_mut(index) {
            Some(slot) => *slot = Some(member),
            None => self.members.push(Some(member)),
        }
    }
}

fn taken(name: &str) -> Error {
    let reason = "another member has it already; remove that one first, or use another name";
    ErrorKind::MemberName { name: name::excerpt(name), reason }.into()
}
