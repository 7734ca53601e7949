//! The operations on a disk that system calls are.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::disk::{Disk, Entry, Operation};
use crate::trace::Call;

/// The start of the line by which a program says how far it is.
pub(crate) const MARK: &str = "@ ";

/// Returns the operations of a program on the files of a disk, which was this before.
pub(crate) fn operations(calls: &[Call], root: &Path, before: &Disk) -> Vec<Operation> {
    let mut record = Record {
        root: root.to_owned(),
        disk: before.clone(),
        operations: Vec::new(),
        opened: Vec::new(),
        descriptors: HashMap::new(),
    };
    for call in calls {
        record.call(call);
    }
    record.operations
}

struct Record {
    root: PathBuf,
    /// As programs see it.
    disk: Disk,
    operations: Vec<Operation>,
    /// Files that were opened; several descriptors may share one.
    opened: Vec<Opened>,
    descriptors: HashMap<i64, usize>,
}

#[derive(Debug)]
struct Opened {
    what: What,
    position: usize,
    appends: bool,
}

#[derive(Clone, Debug)]
enum What {
    File(usize),
    /// A directory, and any path that is not under the root.
    Path(PathBuf),
}

impl Record {
    fn call(&mut self, call: &Call) {
        match call.name.as_str() {
            "openat" => {
                let path = self.path(call, 0);
                let what = self.open(&path, call.text(2));
                self.add(call.result, what, call.text(2).contains("O_APPEND"));
            }
            "open" => {
                let what = self.open(Path::new(&call.path(0)), call.text(1));
                self.add(call.result, what, call.text(1).contains("O_APPEND"));
            }
            "close" => drop(self.descriptors.remove(&call.number(0))),
            "dup" | "dup2" | "dup3" => self.duplicate(call),
            "fcntl" if call.text(1).starts_with("F_DUPFD") => self.duplicate(call),
            "read" | "readv" => self.advance(call.number(0), call.result),
            "lseek" => self.seek(call.number(0), call.result),
            "write" | "writev" if call.number(0) == 1 => self.mark(&call.written(1)),
            "write" | "writev" => self.write(call.number(0), None, || call.written(1)),
            "pwrite64" | "pwritev" | "pwritev2" => {
                let at = usize::try_from(call.number(3)).unwrap();
                self.write(call.number(0), Some(at), || call.written(1));
            }
            "copy_file_range" | "sendfile" | "splice" => self.copy(call),
            "ftruncate" => {
                let length = usize::try_from(call.number(1)).unwrap();
                if let Some(file) = self.file(call.number(0)) {
                    self.push(Operation::SetLength { file, length });
                }
            }
            "fsync" | "fdatasync" => self.sync(call.number(0)),
            "rename" | "renameat" | "renameat2" => self.rename(call),
            "linkat" => self.link(call),
            "unlink" | "unlinkat" => {
                let path = match call.name.as_str() {
                    "unlink" => PathBuf::from(call.path(0)),
                    _ => self.path(call, 0),
                };
                if let Some(path) = self.under_root(&path) {
                    self.push(Operation::SetNames(vec![(path, Entry::Absent)]));
                }
            }
            _ => self.refuse(call),
        }
    }

    /// Refuses a call that this does not know, if it can change a file of the disk.
    fn refuse(&self, call: &Call) {
        let shares = |call: &Call| {
            call.text(2).contains("PROT_WRITE") && call.text(3).contains("MAP_SHARED")
        };
        let changes = match call.name.as_str() {
            "fcntl" => false,
            "mmap" => shares(call) && call.text(4) != "-1" && self.file(call.number(4)).is_some(),
            "ioctl" | "fallocate" | "sync_file_range" => self.file(call.number(0)).is_some(),
            _ => true,
        };
        assert!(!changes, "no operation for this call; add it: {call:?}");
    }

    fn push(&mut self, operation: Operation) {
        self.disk.apply(&operation);
        self.operations.push(operation);
    }

    fn add(&mut self, descriptor: i64, what: What, appends: bool) {
        self.opened.push(Opened { what, position: 0, appends });
        self.descriptors.insert(descriptor, self.opened.len() - 1);
    }

    fn duplicate(&mut self, call: &Call) {
        if let Some(opened) = self.descriptors.get(&call.number(0)) {
            self.descriptors.insert(call.result, *opened);
        }
    }

    /// Returns the file of a descriptor, if it is one of the disk.
    fn file(&self, descriptor: i64) -> Option<usize> {
        match self.opened[*self.descriptors.get(&descriptor)?].what {
            What::File(file) => Some(file),
            What::Path(_) => None,
        }
    }

    /// Returns the path that two arguments of a call are: the descriptor of a directory, and a path from there.
    fn path(&self, call: &Call, index: usize) -> PathBuf {
        let path = PathBuf::from(call.path(index + 1));
        if call.text(index) == "AT_FDCWD" {
            return path;
        }
        match self.descriptors.get(&call.number(index)).map(|opened| &self.opened[*opened].what) {
            Some(What::Path(directory)) => directory.join(path),
            _ => path,
        }
    }

    /// Returns a path without links and dots in its directories, if it is one of the disk.
    fn under_root(&self, path: &Path) -> Option<PathBuf> {
        let is_directory = path.file_name().is_none() || path.ends_with(".");
        let canonical = match is_directory || path.is_dir() {
            true => fs::canonicalize(path).ok()?,
            false => fs::canonicalize(path.parent()?).ok()?.join(path.file_name()?),
        };
        canonical.starts_with(&self.root).then_some(canonical)
    }

    fn open(&mut self, path: &Path, flags: &str) -> What {
        if let Some(file) = self.open_again(path) {
            return What::File(file);
        }
        let Some(path) = self.under_root(path) else { return What::Path(path.to_owned()) };
        if flags.contains("O_TMPFILE") {
            return self.create();
        }
        match self.disk.entry(&path) {
            _ if path.is_dir() || flags.contains("O_PATH") => What::Path(path),
            Entry::File(file) => {
                if flags.contains("O_TRUNC") {
                    self.push(Operation::SetLength { file, length: 0 });
                }
                What::File(file)
            }
            Entry::Link(text) => {
                let target = path.parent().unwrap().join(text);
                self.open(&target, flags)
            }
            Entry::Absent => {
                assert!(
                    flags.contains("O_CREAT"),
                    "{} was opened, but does not exist",
                    path.display()
                );
                let created = self.create();
                let entry = Entry::File(self.disk.count() - 1);
                self.push(Operation::SetNames(vec![(path, entry)]));
                created
            }
        }
    }

    /// Returns the file of a path that names a descriptor.
    fn open_again(&self, path: &Path) -> Option<usize> {
        let number = path.strip_prefix("/proc/self/fd").ok()?;
        self.file(number.to_str()?.parse().ok()?)
    }

    fn create(&mut self) -> What {
        self.push(Operation::Create);
        What::File(self.disk.count() - 1)
    }

    fn advance(&mut self, descriptor: i64, by: i64) {
        if let Some(opened) = self.descriptors.get(&descriptor) {
            self.opened[*opened].position += usize::try_from(by).unwrap();
        }
    }

    fn seek(&mut self, descriptor: i64, to: i64) {
        if let Some(opened) = self.descriptors.get(&descriptor) {
            self.opened[*opened].position = usize::try_from(to).unwrap();
        }
    }

    /// Writes at a position, or at that of the file, which moves.
    fn write(&mut self, descriptor: i64, at: Option<usize>, bytes: impl FnOnce() -> Vec<u8>) {
        let Some(file) = self.file(descriptor) else { return };
        let bytes = bytes();
        let length = bytes.len();
        let opened = &mut self.opened[self.descriptors[&descriptor]];
        if opened.appends {
            opened.position = self.disk.seen(file).len();
        }
        let start = at.unwrap_or(opened.position);
        if at.is_none() {
            opened.position += length;
        }
        self.push(Operation::Write { file, at: start, bytes });
    }

    /// Copies bytes from a file to another one, at their positions.
    fn copy(&mut self, call: &Call) {
        let (from, to) = match call.name.as_str() {
            "sendfile" => (call.number(1), call.number(0)),
            _ => (call.number(0), call.number(2)),
        };
        let count = usize::try_from(call.result).unwrap();
        let is_here = call.name == "sendfile" && call.text(2) == "NULL"
            || call.name == "copy_file_range" && call.text(1) == "NULL" && call.text(3) == "NULL";
        let Some(source) = self.file(from).filter(|_| is_here) else {
            assert!(self.file(to).is_none(), "no operation for this call; add it: {call:?}");
            return;
        };
        let start = self.opened[self.descriptors[&from]].position;
        let bytes = self.disk.seen(source)[start..start + count].to_vec();
        self.advance(from, call.result);
        self.write(to, None, || bytes);
    }

    fn sync(&mut self, descriptor: i64) {
        let Some(opened) = self.descriptors.get(&descriptor) else { return };
        match self.opened[*opened].what.clone() {
            What::File(file) => self.push(Operation::SyncFile(file)),
            What::Path(path) if path.starts_with(&self.root) => {
                self.push(Operation::SyncDirectory(path));
            }
            What::Path(_) => {}
        }
    }

    fn rename(&mut self, call: &Call) {
        let (from, to) = match call.name.as_str() {
            "rename" => (PathBuf::from(call.path(0)), PathBuf::from(call.path(1))),
            _ => (self.path(call, 0), self.path(call, 2)),
        };
        if call.name == "renameat2" {
            assert!(["0", "RENAME_NOREPLACE"].contains(&call.text(4)), "{call:?}");
        }
        let (Some(from), Some(to)) = (self.under_root(&from), self.under_root(&to)) else { return };
        let entry = self.disk.entry(&from);
        self.push(Operation::SetNames(vec![(to, entry), (from, Entry::Absent)]));
    }

    fn link(&mut self, call: &Call) {
        let Some(to) = self.under_root(&self.path(call, 2)) else { return };
        let from = self.path(call, 0);
        let entry = match self.open_again(&from) {
            Some(file) => Entry::File(file),
            None => self.disk.entry(&self.under_root(&from).unwrap()),
        };
        self.push(Operation::SetNames(vec![(to, entry)]));
    }

    fn mark(&mut self, bytes: &[u8]) {
        for line in String::from_utf8_lossy(bytes).lines() {
            if let Some(mark) = line.strip_prefix(MARK) {
                self.push(Operation::Mark(mark.to_owned()));
            }
        }
    }
}
