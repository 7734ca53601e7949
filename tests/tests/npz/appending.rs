//! Several writers of one archive.

use std::fs;
use std::io::Seek;
use std::path::{Path, PathBuf};
use std::time::Duration;

use npy_core::npz::{Editor, Reader, WriteOptions, Writer};
use npy_core::{ErrorKind, Result};
use tempfile::TempDir;

fn create(path: &Path, name: &str) {
    let mut writer = Writer::create(path).unwrap();
    writer.write(name, &1u8).unwrap();
    writer.finish().unwrap();
}

/// Makes an archive of one member in its own directory.
fn old_archive() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npz");
    create(&path, "old");
    (directory, path)
}

fn is_locked<T>(result: Result<T>) -> bool {
    result.is_err_and(|error| matches!(error.kind(), ErrorKind::Locked))
}

/// Guards other programs, backups and `make`: a file that gets nothing new is not written again.
#[cfg(unix)]
#[test]
fn an_archive_that_gets_nothing_new_is_not_touched() {
    use std::os::unix::fs::MetadataExt;

    let (_directory, path) = old_archive();
    let state = || {
        let found = fs::metadata(&path).unwrap();
        (found.ino(), found.mtime(), found.mtime_nsec())
    };
    let before = state();
    let changes: [fn(&Path); 5] = [
        |path| {
            let mut file = Writer::append(path).unwrap().finish().unwrap();
            assert_eq!(file.stream_position().unwrap(), fs::metadata(path).unwrap().len());
        },
        |path| {
            let mut writer = Writer::append(path).unwrap();
            writer.write("old", &2u8).unwrap_err();
            writer.finish().unwrap();
        },
        |path| Editor::open(path).unwrap().finish().unwrap(),
        |path| {
            let mut editor = Editor::open(path).unwrap();
            editor.rename("old", "old").unwrap();
            editor.write("new", &2u8).unwrap();
            editor.remove("new").unwrap();
            editor.finish().unwrap();
        },
        |path| {
            let mut editor = Editor::open(path).unwrap();
            editor.remove("old").unwrap();
            editor.discard();
        },
    ];
    for change in changes {
        change(&path);
        assert_eq!(state(), before);
    }
    let mut editor = Editor::open(&path).unwrap();
    editor.remove("old").unwrap();
    editor.finish().unwrap();
    assert_ne!(state(), before);
}

#[cfg(unix)]
#[test]
fn of_two_that_append_the_second_is_locked_out_until_the_first_has_ended() {
    let (directory, path) = old_archive();
    let mut first = Writer::append(&path).unwrap();
    let locked = Writer::append(&path).unwrap_err();
    assert!(
        matches!(locked.kind(), ErrorKind::Locked) && locked.to_string().contains("x.npz: "),
        "{locked}"
    );
    first.write("a", &1u8).unwrap();
    assert!(is_locked(Writer::append(&path)));
    first.finish().unwrap();
    // A writer that is discarded changes nothing and releases the lock.
    let mut dropped = Writer::append(&path).unwrap();
    dropped.write("b", &1u8).unwrap();
    assert!(is_locked(Writer::append(&path)));
    dropped.discard();
    let mut last = Writer::append(&path).unwrap();
    last.write("c", &1u8).unwrap();
    last.finish().unwrap();
    assert!(Reader::open(&path).unwrap().names().eq(["old", "a", "c"]));
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

/// Guards the lock when the file is opened by another path.
#[cfg(unix)]
#[test]
fn a_link_leads_to_the_same_lock() {
    let (directory, path) = old_archive();
    let link = directory.path().join("link.npz");
    std::os::unix::fs::symlink("x.npz", &link).unwrap();
    let mut writer = Writer::append(&link).unwrap();
    assert!(is_locked(Writer::append(&path)));
    writer.write("new", &1u8).unwrap();
    writer.finish().unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(Reader::open(&path).unwrap().names().eq(["old", "new"]));
}

#[cfg(unix)]
#[test]
fn an_archive_that_was_replaced_or_removed_meanwhile_is_left_as_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npz");
    for removed in [false, true] {
        create(&path, "old");
        let mut writer = Writer::append(&path).unwrap();
        writer.write("lost", &1u8).unwrap();
        if removed {
            fs::remove_file(&path).unwrap();
        } else {
            create(&path, "new");
        }
        let error = writer.finish().unwrap_err().to_string();
        assert!(
            error.contains("it was replaced, removed or changed while it was edited"),
            "{error}"
        );
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), usize::from(!removed));
        if !removed {
            assert!(Reader::open(&path).unwrap().names().eq(["new"]));
        }
    }
}

/// The number of members that each process appends, one by one.
const MEMBERS: u32 = 25;

/// Not a test of its own: one of those that append.
#[test]
#[ignore = "started by `of_six_processes_that_append_none_loses_a_member`"]
fn child_that_appends() {
    let Some(path) = std::env::var_os("NPY_APPEND") else { return };
    let own = std::process::id();
    for n in 0..MEMBERS {
        let mut writer = loop {
            match Writer::append(&path) {
                Ok(writer) => break writer,
                Err(error) if matches!(error.kind(), ErrorKind::Locked) => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Err(error) => panic!("{error}"),
            }
        };
        writer.write(&format!("{own}/{n}"), &n).unwrap();
        writer.finish().unwrap();
    }
}

/// Guards the members of concurrent writers: six processes append to one archive, synchronized only by the lock.
#[cfg(unix)]
#[test]
fn of_six_processes_that_append_none_loses_a_member() {
    let (_directory, path) = old_archive();
    let mut children: Vec<_> = (0..6)
        .map(|_| {
            let mut child = npy_tests::again("npz::appending::child_that_appends");
            child.env("NPY_APPEND", &path).spawn().unwrap()
        })
        .collect();
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    let reader = Reader::open(&path).unwrap();
    assert_eq!(reader.names().len(), 1 + children.len() * MEMBERS as usize);
    for child in &children {
        for n in 0..MEMBERS {
            assert_eq!(reader.read::<u32>(&format!("{}/{n}", child.id())).unwrap(), n);
        }
    }
}

/// Guards that appending is editing without changes: the archive is the one that is written at once, for any number of threads, and an editor makes it, too.
#[test]
fn an_archive_that_is_appended_to_equals_one_that_is_written_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    // Small and large: copied by way of the buffer, or not; compressed in one block, or in several.
    let members = [10usize, 3_000_000, 70_000, 5, 1_500_000].map(|count| {
        (
            format!("x{count}"),
            (0..count).map(|n| u8::try_from(n * n % 251).unwrap()).collect::<Vec<_>>(),
        )
    });
    for level in [None, Some(1), Some(6)] {
        let mut options = WriteOptions::new();
        level.map(|level| options.deflate(level));
        let (once, grown, edited) = (path("once.npz"), path("grown.npz"), path("edited.npz"));
        let mut writer = options.create(&once).unwrap();
        for (name, values) in &members {
            writer.write(name, values).unwrap();
        }
        writer.finish().unwrap();
        for threads in [1, 2, 5] {
            options.threads(threads);
            for path in [&grown, &edited] {
                options.create(path).unwrap().finish().unwrap();
            }
            for (name, values) in &members {
                let mut writer = options.append(&grown).unwrap();
                writer.write(name, values).unwrap();
                writer.finish().unwrap();
                let mut editor = options.edit(&edited).unwrap();
                editor.write(name, values).unwrap();
                editor.finish().unwrap();
            }
            let [once, grown, edited] =
                [&once, &grown, &edited].map(|path| fs::read(path).unwrap());
            assert!(once == grown && once == edited, "{level:?}, {threads} threads");
        }
    }
}
