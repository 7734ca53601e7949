//! The package as programs use it: files that are replaced, locks, and processes that end in the middle.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::Path;
use std::process::Command;

use whole_file::{Lock, NewFile, Options};

fn names(directory: &Path) -> Vec<OsString> {
    fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name()).collect()
}

#[test]
fn a_file_is_replaced_when_it_is_complete() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x");
    for (sync, text) in [(false, "one"), (true, "two")] {
        let before = fs::read(&path).ok();
        let mut file = Options::new().sync(sync).create(&path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
        assert_eq!(fs::read(&path).ok(), before);
        file.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    NewFile::create(&path).unwrap().write_all(b"three").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "two");
    assert_eq!(names(dir.path()), ["x"], "a file that is dropped is removed");
}

#[test]
fn a_file_that_exists_is_kept_on_request() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x");
    let (first, second) =
        (NewFile::create_new(&path).unwrap(), NewFile::create_new(&path).unwrap());
    first.finish().unwrap();
    for error in [second.finish().unwrap_err(), NewFile::create_new(&path).unwrap_err()] {
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
    }
    assert_eq!(names(dir.path()), ["x"]);
}

/// Guards programs that find a mistake in a path late: after hours of work.
#[test]
fn a_path_of_no_file_is_refused_at_the_start() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["none/x", "x/", ".", ".."] {
        NewFile::create(dir.path().join(name)).unwrap_err();
    }
    assert!(names(dir.path()).is_empty());
}

/// Guards rows of two writers: the second is kept out while the first is there, and a file that was replaced is noticed.
#[cfg(unix)]
#[test]
fn a_lock_is_for_one_writer_and_for_one_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x");
    File::create(&path).unwrap();
    let (_file, lock) = Lock::open(&path).unwrap();
    assert!(matches!(Lock::open(&path), Err(TryLockError::WouldBlock)));
    assert!(lock.is_at(&path));
    NewFile::create(&path).unwrap().finish().unwrap();
    assert!(!lock.is_at(&path));
    drop(Lock::open(&path).unwrap());
    drop(lock);
}

const PATH: &str = "WHOLE_FILE_PATH";

/// Not a test of its own: a process that ends while it writes.
#[test]
#[ignore = "started by `a_process_that_ends_leaves_the_old_file`"]
fn child_that_ends() {
    let Some(path) = env::var_os(PATH) else { return };
    let mut file = NewFile::create(path).unwrap();
    file.write_all(b"half of the ne").unwrap();
    std::process::abort();
}

/// Guards the old file; and on Linux the directory, as the new file has no name until it is complete.
#[test]
fn a_process_that_ends_leaves_the_old_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x");
    fs::write(&path, "old").unwrap();
    let mut child = Command::new(env::current_exe().unwrap());
    child.args(["--exact", "child_that_ends", "--ignored"]).env(PATH, &path);
    assert!(!child.output().unwrap().status.success());
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    if cfg!(target_os = "linux") {
        assert_eq!(names(dir.path()), ["x"]);
    }
}
