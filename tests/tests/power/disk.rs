//! A model of a disk: what it has for certain, what it may have in addition, and every state in which a loss of power may leave it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::choices::{Choices, Of};

/// The bytes that a disk writes all or none of.
const PAGE: usize = 4096;

/// The entry of a directory for a name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Entry {
    Absent,
    /// A file, as an index of [`Disk::files`].
    File(usize),
    /// A symbolic link, with its text.
    Link(PathBuf),
}

/// A change of the disk that a program has asked for.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    /// A new file, without a name.
    Create,
    Write {
        file: usize,
        at: usize,
        bytes: Vec<u8>,
    },
    SetLength {
        file: usize,
        length: usize,
    },
    /// `fsync` or `fdatasync` of a file.
    SyncFile(usize),
    /// `fsync` of a directory.
    SyncDirectory(PathBuf),
    /// The files that names refer to from now on. A file system changes all of them at once, or each for itself.
    SetNames(Vec<(PathBuf, Entry)>),
    /// No change: the program says how far it is.
    Mark(String),
}

/// How a file system treats `fsync` of a file that has no name yet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Nameless {
    Synced,
    /// It does nothing, as on Btrfs.
    Ignored,
}

/// A disk, and the changes that it may lose.
#[derive(Clone, Debug)]
pub(crate) struct Disk {
    pub(crate) nameless: Nameless,
    pub(crate) directories: Vec<PathBuf>,
    files: Vec<File>,
    /// The files that each name has referred to since its directory was synced. Programs see the last one.
    names: BTreeMap<PathBuf, Vec<Entry>>,
}

#[derive(Clone, Debug, Default)]
struct File {
    /// The bytes when it was synced last.
    synced: Vec<u8>,
    changes: Vec<Operation>,
    /// The bytes that programs see.
    seen: Vec<u8>,
    has_name: bool,
}

/// The files of a state, with their bytes, and the links.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct State(BTreeMap<PathBuf, Result<Vec<u8>, PathBuf>>);

impl Disk {
    /// Returns the disk that has what is in a directory, for certain.
    pub(crate) fn of(root: &Path) -> Self {
        let mut disk = Disk {
            nameless: Nameless::Synced,
            directories: Vec::new(),
            files: Vec::new(),
            names: BTreeMap::new(),
        };
        disk.add(root);
        disk
    }

    fn add(&mut self, directory: &Path) {
        self.directories.push(directory.to_owned());
        for entry in fs::read_dir(directory).unwrap() {
            let entry = entry.unwrap();
            let (path, kind) = (entry.path(), entry.file_type().unwrap());
            let found = if kind.is_dir() {
                self.add(&path);
                continue;
            } else if kind.is_symlink() {
                Entry::Link(fs::read_link(&path).unwrap())
            } else {
                let synced = fs::read(&path).unwrap();
                self.files.push(File {
                    seen: synced.clone(),
                    synced,
                    has_name: true,
                    ..File::default()
                });
                Entry::File(self.files.len() - 1)
            };
            self.names.insert(path, vec![found]);
        }
    }

    /// Returns what a name leads to for programs.
    pub(crate) fn entry(&self, path: &Path) -> Entry {
        self.names.get(path).and_then(|entries| entries.last()).cloned().unwrap_or(Entry::Absent)
    }

    /// Returns the bytes of a file as programs see them.
    pub(crate) fn seen(&self, file: usize) -> &[u8] {
        &self.files[file].seen
    }

    pub(crate) fn count(&self) -> usize {
        self.files.len()
    }

    pub(crate) fn apply(&mut self, operation: &Operation) {
        match operation {
            Operation::Create => self.files.push(File::default()),
            Operation::Write { file, .. } | Operation::SetLength { file, .. } => {
                self.files[*file].change(operation);
            }
            Operation::SyncFile(file) => {
                let file = &mut self.files[*file];
                if file.has_name || self.nameless == Nameless::Synced {
                    file.synced.clone_from(&file.seen);
                    file.changes.clear();
                }
            }
            Operation::SyncDirectory(directory) => {
                for (path, entries) in &mut self.names {
                    if path.parent() == Some(directory) {
                        entries.drain(..entries.len() - 1);
                    }
                }
            }
            Operation::SetNames(names) => {
                for (path, entry) in names {
                    let entries =
                        self.names.entry(path.clone()).or_insert_with(|| vec![Entry::Absent]);
                    entries.push(entry.clone());
                    if let Entry::File(file) = entry {
                        self.files[*file].has_name = true;
                    }
                }
            }
            Operation::Mark(_) => {}
        }
    }

    /// Returns a state that a loss of power may leave: each name leads to something that it led to since its directory was synced, each
    /// file has a length that it had since it was synced, and each page the bytes that it had at some time since then.
    pub(crate) fn state(&self, choices: &mut dyn Choices) -> State {
        let mut state = BTreeMap::new();
        let mut chosen = BTreeMap::new();
        for (path, entries) in &self.names {
            let content = match &entries[choices.choose(Of::Name, entries.len())] {
                Entry::Absent => continue,
                Entry::Link(text) => Err(text.clone()),
                // Two names may lead to one file.
                Entry::File(file) => {
                    let bytes =
                        chosen.entry(*file).or_insert_with(|| self.files[*file].state(choices));
                    Ok(bytes.clone())
                }
            };
            state.insert(path.clone(), content);
        }
        State(state)
    }
}

impl File {
    fn change(&mut self, change: &Operation) {
        apply(change, &mut self.seen);
        self.changes.push(change.clone());
    }

    fn state(&self, choices: &mut dyn Choices) -> Vec<u8> {
        let mut now = self.synced.clone();
        let mut lengths = vec![now.len()];
        // The contents of each page since the file was synced, without its end in pages that are shorter.
        let mut pages: Vec<Vec<Vec<u8>>> =
            now.chunks(PAGE).map(|page| vec![page.to_vec()]).collect();
        for change in &self.changes {
            apply(change, &mut now);
            if !lengths.contains(&now.len()) {
                lengths.push(now.len());
            }
            for (index, page) in now.chunks(PAGE).enumerate() {
                if index == pages.len() {
                    // A page that the disk has not written has zeros, or what it had before.
                    pages.push(vec![Vec::new(), vec![0xa5; PAGE]]);
                }
                if pages[index].last().is_none_or(|last| last != page) {
                    pages[index].push(page.to_vec());
                }
            }
        }
        let length = lengths[choices.choose(Of::Length, lengths.len())];
        let mut state = Vec::with_capacity(length);
        for (index, contents) in pages.iter().enumerate().take(length.div_ceil(PAGE)) {
            state.extend_from_slice(&contents[choices.choose(Of::Page, contents.len())]);
            state.resize((index + 1) * PAGE, 0);
        }
        state.resize(length, 0);
        state
    }
}

/// Changes the bytes of a file.
fn apply(change: &Operation, bytes: &mut Vec<u8>) {
    match change {
        Operation::Write { at, bytes: new, .. } => {
            let end = at + new.len();
            bytes.resize(bytes.len().max(end), 0);
            bytes[*at..end].copy_from_slice(new);
        }
        Operation::SetLength { length, .. } => bytes.resize(*length, 0),
        other => unreachable!("no change of a file: {other:?}"),
    }
}

impl State {
    /// Puts the state into a directory instead of `root`, which had these directories.
    pub(crate) fn write(&self, root: &Path, directories: &[PathBuf], to: &Path) {
        let moved = |path: &Path| to.join(path.strip_prefix(root).unwrap());
        let _ = fs::remove_dir_all(to);
        for directory in directories {
            fs::create_dir_all(moved(directory)).unwrap();
        }
        for (path, content) in &self.0 {
            match content {
                Ok(bytes) => fs::write(moved(path), bytes).unwrap(),
                Err(text) => symlink(text, moved(path)).unwrap(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choices::All;

    fn contents(disk: &Disk) -> Vec<Option<Vec<u8>>> {
        let path = Path::new("/x");
        let mut all = All::default();
        let mut found = Vec::new();
        loop {
            let State(state) = disk.state(&mut all);
            found.push(state.get(path).map(|content| content.clone().unwrap()));
            if !all.advance() {
                break;
            }
        }
        found.sort();
        found.dedup();
        found
    }

    /// Guards the model: what may be lost, and what `fsync` keeps.
    #[test]
    fn data_and_names_are_lost_until_they_are_synced() {
        let empty = tempfile::tempdir().unwrap();
        let mut disk = Disk::of(empty.path());
        let path = PathBuf::from("/x");
        disk.apply(&Operation::Create);
        disk.apply(&Operation::Write { file: 0, at: 0, bytes: b"ab".to_vec() });
        assert_eq!(contents(&disk), [None]);
        disk.apply(&Operation::SetNames(vec![(path, Entry::File(0))]));
        let some = |bytes: &[u8]| Some(bytes.to_vec());
        let all = [None, some(b""), some(b"\0\0"), some(b"ab"), some(b"\xa5\xa5")];
        assert_eq!(contents(&disk), all);
        let mut ignored = disk.clone();
        disk.apply(&Operation::SyncDirectory("/".into()));
        assert_eq!(contents(&disk), all[1..]);
        disk.apply(&Operation::SyncFile(0));
        assert_eq!(contents(&disk), [some(b"ab")]);
        disk.apply(&Operation::Write { file: 0, at: 1, bytes: b"c".to_vec() });
        assert_eq!(contents(&disk), [some(b"ab"), some(b"ac")]);
        ignored.nameless = Nameless::Ignored;
        ignored.apply(&Operation::SyncFile(0));
        assert_eq!(contents(&ignored), [None, some(b"ab")]);
    }
}
