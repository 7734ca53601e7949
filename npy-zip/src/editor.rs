//! Changes the members of an archive: a list is changed, and the members that it names are copied to a new archive.

mod moved;
mod raw;

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Read, Seek, Write};

use crate::checked;
use crate::directory::{Central, Directory, Entry};
use crate::error::{Error, Result};
use crate::name;
use crate::writer::{Compression, MemberWriter, Writer};
use raw::Raw;

/// An archive whose members are being replaced, added, removed or renamed.
///
/// ```
/// use std::io::{Cursor, Write};
///
/// use npy_zip::{Compression, Directory, Editor, Limits, Writer};
///
/// let stored = Compression::stored();
/// let mut writer = Writer::seekable(Cursor::new(Vec::new()), stored)?;
/// for name in ["a", "b"] {
///     writer.add(name, |member| member.begin(0))?;
/// }
/// let mut old = writer.finish()?;
///
/// let directory = Directory::read(&mut old, &Limits::default())?;
/// let central = directory.central(&mut old)?;
/// let (written, copied) = (Cursor::new(Vec::new()), Cursor::new(Vec::new()));
/// let mut editor = Editor::new(&directory, &central, stored, written, copied)?;
/// assert!(editor.rename("b", "c")? && editor.remove("a"));
/// editor.write("d", |member| member.begin(0))?;
///
/// let new = Writer::seekable(Cursor::new(Vec::new()), stored)?;
/// let new = editor.finish(&directory, &central, &mut old, new)?.finish()?;
/// let names: Vec<_> = Directory::read(new, &Limits::default())?.entries().iter().map(|entry| entry.name().to_owned()).collect();
/// assert_eq!(names, ["c", "d"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A member that is not touched is copied as it is: its data, its time, its comment and its other extra fields. It may be encrypted, or
/// compressed by any method. If it is stored and aligned, the padding in its header changes so that it stays aligned. Its seek index is
/// copied with it. The comment of the archive is kept, and bytes that belong to no member are dropped.
#[must_use = "only `finish` makes the changed archive"]
pub struct Editor<S: Write> {
    /// In the order of the archive; `None` for a member that was removed.
    members: Vec<Option<Member>>,
    /// The indices of the members of each name, in order. If there are several, readers find only the last.
    by_name: BTreeMap<String, Vec<usize>>,
    /// The number of old members, of those that stay as they are, and of members.
    old: usize,
    untouched: usize,
    len: usize,
    /// The members that were written, and their number.
    written: Writer<S>,
    count: usize,
    /// The bytes of the members that were copied from other archives.
    copied: S,
    /// True if all stored members become aligned.
    aligns: bool,
}

/// A member that the archive will have.
struct Member {
    /// The name in its headers, as they are now.
    name: String,
    /// Another name that it will have.
    new_name: Option<String>,
    bytes: Bytes,
}

impl Member {
    /// Returns the name that it will have.
    fn name(&self) -> &str {
        self.new_name.as_deref().unwrap_or(&self.name)
    }

    /// Returns true if it will be as it is in the archive that is edited.
    fn is_untouched(&self) -> bool {
        matches!(self.bytes, Bytes::Old(_)) && self.new_name.is_none()
    }
}

/// The source of a member's bytes.
enum Bytes {
    /// The archive that is edited.
    Old(Entry),
    /// The members that were written: the index of one.
    Written(usize),
    /// The members that were copied.
    Copied(Raw),
}

/// An error, and the member that it is about, if any.
#[derive(Debug)]
#[non_exhaustive]
pub struct MemberError {
    /// The name of the member.
    pub name: Option<String>,
    /// The error.
    pub error: Error,
}

impl<S: Read + Write + Seek> Editor<S> {
    /// Begins with the members of an archive. New members are compressed as stated, and wait in `written`; members of other archives wait
    /// in `copied`. Both are empty.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_zip::{Compression, Directory, Editor, Limits, Writer};
    ///
    /// let stored = Compression::stored();
    /// let memory = || Cursor::new(Vec::new());
    /// let mut old = Writer::seekable(memory(), stored)?.finish()?;
    /// let directory = Directory::read(&mut old, &Limits::default())?;
    /// let central = directory.central(&mut old)?;
    /// let editor = Editor::new(&directory, &central, stored, memory(), memory())?;
    /// assert_eq!(editor.names().count(), 0);
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Io`]; [`Error::Malformed`] if `central` is not the directory that was read.
    pub fn new(
        directory: &Directory,
        central: &Central,
        compression: Compression,
        written: S,
        copied: S,
    ) -> Result<Self> {
        let mut members = Vec::new();
        let mut by_name: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for entry in directory.all_entries(central)? {
            let name = entry.name().to_owned();
            by_name.entry(name.clone()).or_default().push(members.len());
            members.push(Some(Member { name, new_name: None, bytes: Bytes::Old(entry) }));
        }
        let written = Writer::seekable(written, compression)?;
        let old = members.len();
        let (untouched, len) = (old, old);
        let (count, aligns) = (0, false);
        Ok(Editor { members, by_name, old, untouched, len, written, count, copied, aligns })
    }

    /// Adds a member, or replaces the members of this name by one. A new member comes after the others. If `write` fails, the old members
    /// stay.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_zip::{Compression, Directory, Editor, Limits, Writer};
    ///
    /// let stored = Compression::stored();
    /// let memory = || Cursor::new(Vec::new());
    /// let mut old = Writer::seekable(memory(), stored)?.finish()?;
    /// let directory = Directory::read(&mut old, &Limits::default())?;
    /// let central = directory.central(&mut old)?;
    /// let mut editor = Editor::new(&directory, &central, stored, memory(), memory())?;
    /// editor.write("a", |member| member.begin(0))?;
    /// assert!(editor.contains("a"));
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Writer::add`].
    pub fn write<E: From<io::Error> + fmt::Display>(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut MemberWriter<'_, S>) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        self.written.add(name, write)?;
        let bytes = Bytes::Written(self.count);
        self.count = checked::add(self.count, 1);
        self.put(name.to_owned(), bytes);
        Ok(())
    }

    /// Copies a member of another archive, which need not be readable, under the same name. Replaces members that have the name.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_zip::{Compression, Directory, Editor, Limits, Writer};
    ///
    /// let stored = Compression::stored();
    /// let memory = || Cursor::new(Vec::new());
    /// let mut old = Writer::seekable(memory(), stored)?.finish()?;
    /// let directory = Directory::read(&mut old, &Limits::default())?;
    /// let central = directory.central(&mut old)?;
    /// let mut editor = Editor::new(&directory, &central, stored, memory(), memory())?;
    ///
    /// let mut other = Writer::seekable(memory(), stored)?;
    /// other.add("b", |member| member.begin(0))?;
    /// let mut other = other.finish()?;
    /// let from = Directory::read(&mut other, &Limits::default())?;
    /// editor.copy(&from, &from.entries()[0], &mut other)?;
    /// assert!(editor.contains("b"));
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] if the other archive is damaged, so that the end of the member is unknown; [`Error::Io`].
    pub fn copy(
        &mut self,
        directory: &Directory,
        entry: &Entry,
        archive: &mut (impl Read + Seek),
    ) -> Result<()> {
        let raw = Raw::find(directory, entry, archive)?.copied(archive, &mut self.copied)?;
        self.put(entry.name().to_owned(), Bytes::Copied(raw));
        Ok(())
    }

    /// Aligns the stored members of the old archive, too, when [`finish`](Self::finish) copies them. Otherwise they stay as they are: aligned or not.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_zip::{Compression, Directory, Editor, Limits, Writer};
    ///
    /// let stored = Compression::stored();
    /// let memory = || Cursor::new(Vec::new());
    /// let mut old = Writer::seekable(memory(), stored)?.finish()?;
    /// let directory = Directory::read(&mut old, &Limits::default())?;
    /// let central = directory.central(&mut old)?;
    /// let mut editor = Editor::new(&directory, &central, stored, memory(), memory())?;
    /// editor.align();
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    pub fn align(&mut self) {
        self.aligns = true;
    }

    /// Appends the members to a new archive, to which others can then be added. `directory`, `central` and `archive` are those that the
    /// editor began with.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_zip::{Compression, Directory, Editor, Limits, Writer};
    ///
    /// let stored = Compression::stored();
    /// let memory = || Cursor::new(Vec::new());
    /// let mut old = Writer::seekable(memory(), stored)?.finish()?;
    /// let directory = Directory::read(&mut old, &Limits::default())?;
    /// let central = directory.central(&mut old)?;
    /// let mut editor = Editor::new(&directory, &central, stored, memory(), memory())?;
    /// editor.write("a", |member| member.begin(0))?;
    /// let new = Writer::seekable(memory(), stored)?;
    /// let new = editor.finish(&directory, &central, &mut old, new)?.finish()?;
    /// assert!(Directory::read(new, &Limits::default())?.find("a").is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] if the archive is damaged, so that the end of an old member is unknown, or was changed; [`Error::Io`].
    pub fn finish<W: Write>(
        mut self,
        directory: &Directory,
        central: &Central,
        archive: &mut (impl Read + Seek),
        mut to: Writer<W>,
    ) -> std::result::Result<Writer<W>, MemberError> {
        let none = |error| MemberError { name: None, error };
        let (mut written, entries) = self.written.take_members().map_err(none)?;
        let entries: Vec<&[u8]> = entries.iter().collect();
        to.copy_comment(central);
        for member in self.members.into_iter().flatten() {
            let name = member.new_name.as_deref();
            let added = match &member.bytes {
                Bytes::Old(entry) => Raw::find(directory, entry, archive)
                    .map(|raw| raw.aligned(self.aligns && !entry.is_compressed()))
                    .and_then(|raw| raw.append_to(&mut to, name, archive)),
                Bytes::Written(index) => {
                    let entry = entries.get(*index).copied().unwrap_or_default();
                    Raw::written(entry, &mut written)
                        .and_then(|raw| raw.append_to(&mut to, name, &mut written))
                }
                Bytes::Copied(raw) => raw.append_to(&mut to, name, &mut self.copied),
            };
            added.map_err(|error| MemberError { name: Some(member.name().to_owned()), error })?;
        }
        Ok(to)
    }
}

impl<S: Write> Editor<S> {
    /// Iterates over the names that the members have now, in order, each once.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_zip::{Compression, Directory, Editor, Limits, Writer};
    ///
    /// let stored = Compression::stored();
    /// let memory = || Cursor::new(Vec::new());
    /// let mut old = Writer::seekable(memory(), stored)?.finish()?;
    /// let directory = Directory::read(&mut old, &Limits::default())?;
    /// let central = directory.central(&mut old)?;
    /// let mut editor = Editor::new(&directory, &central, stored, memory(), memory())?;
    /// editor.write("a", |member| member.begin(0))?;
    /// assert!(editor.names().eq(["a"]));
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let members = self.members.iter().enumerate();
        members.filter_map(|(index, member)| {
            let name = member.as_ref()?.name();
            (self.by_name.get(name)?.first() == Some(&index)).then_some(name)
        })
    }

    /// Returns true if there is a member of exactly this name now.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_zip::{Compression, Directory, Editor, Limits, Writer};
    ///
    /// let stored = Compression::stored();
    /// let memory = || Cursor::new(Vec::new());
    /// let mut old = Writer::seekable(memory(), stored)?.finish()?;
    /// let directory = Directory::read(&mut old, &Limits::default())?;
    /// let central = directory.central(&mut old)?;
    /// let mut editor = Editor::new(&directory, &central, stored, memory(), memory())?;
    /// editor.write("a", |member| member.begin(0))?;
    /// assert!(editor.contains("a") && !editor.contains("b"));
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    pub fn contains(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// Returns the number of members of exactly this name now. Readers find only the last of them, and a change of the name leaves one.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_zip::{Compression, Directory, Editor, Limits, Writer};
    ///
    /// let stored = Compression::stored();
    /// let memory = || Cursor::new(Vec::new());
    /// let mut old = Writer::seekable(memory(), stored)?;
    /// old.add("a", |member| member.begin(0))?;
    /// old.add("a", |member| member.begin(0))?;
    /// let mut old = old.finish()?;
    /// let directory = Directory::read(&mut old, &Limits::default())?;
    /// let central = directory.central(&mut old)?;
    /// let mut editor = Editor::new(&directory, &central, stored, memory(), memory())?;
    /// assert_eq!((editor.count("a"), editor.count("b")), (2, 0));
    /// editor.write("a", |member| member.begin(0))?;
    /// assert_eq!(editor.count("a"), 1);
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    pub fn count(&self, name: &str) -> usize {
        self.by_name.get(name).map_or(0, Vec::len)
    }

    /// Returns true if the changed archive differs from the old one: false, for example, after a new member was removed
    /// again, or a renamed one has its name again.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_zip::{Compression, Directory, Editor, Limits, Writer};
    ///
    /// let stored = Compression::stored();
    /// let memory = || Cursor::new(Vec::new());
    /// let mut old = Writer::seekable(memory(), stored)?.finish()?;
    /// let directory = Directory::read(&mut old, &Limits::default())?;
    /// let central = directory.central(&mut old)?;
    /// let mut editor = Editor::new(&directory, &central, stored, memory(), memory())?;
    /// editor.write("a", |member| member.begin(0))?;
    /// assert!(editor.is_changed());
    /// editor.remove("a");
    /// assert!(!editor.is_changed());
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    pub fn is_changed(&self) -> bool {
        self.untouched < self.old || self.len > self.old
    }

    /// Removes all members of this name. Returns false if there is none.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_zip::{Compression, Directory, Editor, Limits, Writer};
    ///
    /// let stored = Compression::stored();
    /// let memory = || Cursor::new(Vec::new());
    /// let mut old = Writer::seekable(memory(), stored)?.finish()?;
    /// let directory = Directory::read(&mut old, &Limits::default())?;
    /// let central = directory.central(&mut old)?;
    /// let mut editor = Editor::new(&directory, &central, stored, memory(), memory())?;
    /// editor.write("a", |member| member.begin(0))?;
    /// assert!(editor.remove("a") && !editor.remove("a"));
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    pub fn remove(&mut self, name: &str) -> bool {
        self.take(name).is_some()
    }

    /// Renames a member, which keeps its place in the order; of several with the name, the last, and the others are removed. Returns false,
    /// and changes nothing, if there is none, or if another member has the new name.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_zip::{Compression, Directory, Editor, Limits, Writer};
    ///
    /// let stored = Compression::stored();
    /// let memory = || Cursor::new(Vec::new());
    /// let mut old = Writer::seekable(memory(), stored)?.finish()?;
    /// let directory = Directory::read(&mut old, &Limits::default())?;
    /// let central = directory.central(&mut old)?;
    /// let mut editor = Editor::new(&directory, &central, stored, memory(), memory())?;
    /// editor.write("a", |member| member.begin(0))?;
    /// assert!(editor.rename("a", "b")? && !editor.rename("a", "c")?);
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Io`] of the kind [`InvalidInput`](io::ErrorKind::InvalidInput) for a name that [no member can have](crate::check_name);
    /// nothing is changed.
    pub fn rename(&mut self, from: &str, to: &str) -> Result<bool> {
        if from == to {
            return Ok(self.contains(from));
        }
        name::refuse_wrong(to)?;
        if self.contains(to) {
            return Ok(false);
        }
        let Some((first, member)) = self.take(from) else { return Ok(false) };
        let new_name = (member.name != to).then(|| to.to_owned());
        self.insert(first, Member { new_name, ..member });
        Ok(true)
    }

    /// Replaces the members of this name by one, or adds it.
    fn put(&mut self, name: String, bytes: Bytes) {
        let first = self.take(&name).map_or(self.members.len(), |(first, _)| first);
        self.insert(first, Member { name, new_name: None, bytes });
    }

    /// Removes all members of this name. Returns the index of the first, and the last, which readers would find.
    fn take(&mut self, name: &str) -> Option<(usize, Member)> {
        let indices = self.by_name.remove(name)?;
        let mut last = None;
        for &index in &indices {
            last = self.members.get_mut(index).and_then(Option::take);
            if last.as_ref().is_some_and(Member::is_untouched) {
                self.untouched = checked::sub(self.untouched, 1);
            }
            self.len = checked::sub(self.len, 1);
        }
        Some((*indices.first()?, last?))
    }

    fn insert(&mut self, index: usize, member: Member) {
        self.len = checked::add(self.len, 1);
        if member.is_untouched() {
            self.untouched = checked::add(self.untouched, 1);
        }
        self.by_name.insert(member.name().to_owned(), vec![index]);
        match self.members.get_mut(index) {
            Some(slot) => *slot = Some(member),
            None => self.members.push(Some(member)),
        }
    }
}

impl<S: Write> fmt::Debug for Editor<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Editor").field("members", &self.by_name.len()).finish_non_exhaustive()
    }
}

impl fmt::Display for MemberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = &self.name {
            write!(f, "member {name:?}: ")?;
        }
        self.error.fmt(f)
    }
}

impl std::error::Error for MemberError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.error.source()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::Limits;

    type Memory = Cursor<Vec<u8>>;

    fn memory() -> Memory {
        Cursor::new(Vec::new())
    }

    /// Returns an archive of empty members of these names.
    fn archive(names: &[&str]) -> Memory {
        let mut writer = Writer::seekable(memory(), Compression::stored()).unwrap();
        for name in names {
            writer.add(name, |member| member.begin(0)).unwrap();
        }
        writer.finish().unwrap()
    }

    /// Changes an archive of these members, and returns the names in the new one.
    fn edited(names: &[&str], change: impl FnOnce(&mut Editor<Memory>)) -> Vec<String> {
        let mut old = archive(names);
        let directory = Directory::read(&mut old, &Limits::default()).unwrap();
        let central = directory.central(&mut old).unwrap();
        let stored = Compression::stored();
        let mut editor = Editor::new(&directory, &central, stored, memory(), memory()).unwrap();
        change(&mut editor);
        let shown: Vec<_> = editor.names().map(str::to_owned).collect();
        let new = Writer::seekable(memory(), stored).unwrap();
        let new = editor.finish(&directory, &central, &mut old, new).unwrap();
        let names = new.names().map(|name| String::from_utf8(name.to_vec()).unwrap()).collect();
        let new = Directory::read(new.finish().unwrap(), &Limits::default()).unwrap();
        assert!(new.entries().iter().map(Entry::name).eq(shown));
        names
    }

    #[test]
    fn members_keep_their_order() {
        let names = edited(&["a", "b", "c"], |editor| {
            editor.write("b", |member| member.begin(0)).unwrap();
            editor.write("d", |member| member.begin(0)).unwrap();
            assert!(editor.rename("a", "e").unwrap());
            assert!(!editor.rename("e", "c").unwrap() && !editor.rename("a", "f").unwrap());
            assert!(editor.remove("c") && !editor.remove("c"));
        });
        assert_eq!(names, ["e", "b", "d"]);
    }

    /// Guards archives that an editor did not change: they are not written again.
    #[test]
    fn only_changes_that_stay_count() {
        type Change = fn(&mut Editor<Memory>);
        fn rename(editor: &mut Editor<Memory>, from: &str, to: &str) {
            assert!(editor.rename(from, to).unwrap());
        }
        let changes: [(Change, bool); 8] = [
            (|_| (), false),
            (|editor| rename(editor, "a", "a"), false),
            (|editor| rename(editor, "a", "c"), true),
            (
                |editor| {
                    rename(editor, "a", "c");
                    rename(editor, "c", "d");
                    rename(editor, "d", "a");
                },
                false,
            ),
            // The second member of the name is gone.
            (
                |editor| {
                    rename(editor, "b", "c");
                    rename(editor, "c", "b");
                },
                true,
            ),
            (
                |editor| {
                    editor.write("a", |member| member.begin(0)).unwrap();
                    rename(editor, "a", "c");
                    rename(editor, "c", "a");
                },
                true,
            ),
            (|editor| assert!(editor.remove("b")), true),
            (|editor| editor.write("b", |member| member.begin(0)).unwrap(), true),
        ];
        for (change, is_changed) in changes {
            edited(&["a", "b", "b"], |editor| {
                editor.write("c", |member| member.begin(0)).unwrap();
                assert!(editor.is_changed());
                editor.remove("c");
                change(editor);
                assert_eq!(editor.is_changed(), is_changed);
            });
        }
    }

    /// Guards that members of one name stay, and become one if they are changed: otherwise readers would find another of them.
    #[test]
    fn a_change_of_a_name_leaves_one_member_of_it() {
        assert_eq!(edited(&["a", "a", "b"], |_| ()), ["a", "a", "b"]);
        let renamed = edited(&["b", "a", "a"], |editor| assert!(editor.rename("a", "c").unwrap()));
        assert_eq!(renamed, ["b", "c"]);
    }

    #[test]
    fn a_member_of_another_archive_replaces_one_of_its_name() {
        let mut other = archive(&["x", "b"]);
        let directory = Directory::read(&mut other, &Limits::default()).unwrap();
        let names = edited(&["a", "b", "c"], |editor| {
            for entry in directory.entries() {
                editor.copy(&directory, entry, &mut other).unwrap();
            }
        });
        assert_eq!(names, ["a", "b", "c", "x"]);
    }

    /// Guards names that a header cannot hold: an archive with one could not be read.
    #[test]
    fn a_name_that_no_member_can_have_is_refused() {
        let names = edited(&["a"], |editor| {
            for (name, problem) in [("x".repeat(70_000), "60,000 bytes"), (String::new(), "empty")]
            {
                let error = editor.rename("a", &name).unwrap_err();
                assert!(error.to_string().contains(problem), "{error}");
                assert!(!editor.is_changed());
            }
        });
        assert_eq!(names, ["a"]);
    }

    #[test]
    fn an_error_names_the_member_that_it_is_about() {
        let error = |name| MemberError { name, error: Error::Checksum { expected: 1, found: 2 } };
        let text = error(Some("a\n".into())).to_string();
        assert!(text.starts_with(r#"member "a\n": the checksum is"#), "{text}");
        assert!(error(None).to_string().starts_with("the checksum is"));
    }
}
