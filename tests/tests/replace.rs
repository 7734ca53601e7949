//! Replacing a file keeps its properties in the file system: links, open files, owner and permissions.

#![cfg(target_os = "linux")]
// Opening a map is unsafe.
#![allow(unsafe_code)]

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{ErrorKind as Io, Read, Seek, SeekFrom, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, lchown, symlink};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;

use npy_core::{ErrorKind, MapMut, ReadNpy, ViewError, WriteNpy, WriteOptions, Writer, npz};
use npy_tests::names;
use rustix::fs::{MemfdFlags, Mode, XattrFlags, inotify, memfd_create};
use rustix::thread::{CapabilitySet, capabilities, set_capabilities};
use tempfile::TempDir;

/// Another user and group.
const OTHER: u32 = 65_534;

/// Returns true if this process may change the owner of files; otherwise prints which test is skipped.
fn is_root(test: &str) -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        // `cargo test` shows the output of `eprintln!` only if a test fails.
        let text = format!("NOT TESTED: {test} needs root, who can give files to others\n");
        std::io::stderr().write_all(text.as_bytes()).unwrap();
    }
    is_root
}

/// The ways to write to a path.
#[expect(clippy::type_complexity)]
fn ways() -> [(&'static str, fn(&Path) -> npy_core::Result<()>); 4] {
    [
        ("write_npy", |path| [7u8].write_npy(path)),
        ("Writer", |path| {
            let mut writer = Writer::<u8, _>::create(path)?;
            writer.push(&7)?;
            writer.finish().map(drop)
        }),
        ("npz", |path| {
            let mut writer = npz::Writer::create(path)?;
            writer.write("x", &[7u8])?;
            writer.finish().map(drop)
        }),
        ("npz, appended", |path| {
            let mut writer = npz::Writer::append(path)?;
            writer.write("y", &[8u8])?;
            writer.finish().map(drop)
        }),
    ]
}

/// Returns an archive of one member.
fn archive() -> Vec<u8> {
    let mut writer = npz::Writer::new(std::io::Cursor::new(Vec::new())).unwrap();
    writer.write("x", &[1u8]).unwrap();
    writer.finish().unwrap().into_inner()
}

/// A directory that everybody may write to, like `/tmp`.
fn sticky() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::set_permissions(directory.path(), Permissions::from_mode(0o1777)).unwrap();
    directory
}

fn denied(error: &npy_core::Error) -> bool {
    matches!(error.kind(), ErrorKind::Io(io) if io.kind() == Io::PermissionDenied)
}

/// Guards users who write to `/tmp`: a link of another user cannot redirect the write to another file.
#[test]
fn a_link_of_another_user_in_a_sticky_directory_is_refused() {
    if !is_root("a_link_of_another_user_in_a_sticky_directory_is_refused") {
        return;
    }
    let (private, shared) = (tempfile::tempdir().unwrap(), sticky());
    let victim = private.path().join("victim");
    fs::write(&victim, archive()).unwrap();
    let link = shared.path().join("link");
    let through = shared.path().join("through");
    symlink(&link, &through).unwrap();
    for leads_to in [victim.clone(), private.path().join("new")] {
        symlink(&leads_to, &link).unwrap();
        lchown(&link, Some(OTHER), None).unwrap();
        // Our own link is followed, but not the other user's link that it leads to.
        for path in [&link, &through] {
            for (way, write) in ways() {
                let error = write(path).expect_err(way);
                assert!(denied(&error), "{way}: {error}");
                assert!(error.to_string().contains("link of user 65534"), "{way}: {error}");
            }
            // SAFETY: no other process has opened the file.
            let error = unsafe { MapMut::<u8>::create(path, &[1]) }.unwrap_err();
            assert!(matches!(&error, ViewError::Unreadable(error) if denied(error)), "{error}");
        }
        fs::remove_file(&link).unwrap();
    }
    assert!(fs::read(&victim).unwrap() == archive(), "another file was written");
    assert_eq!(names(private.path()), ["victim"]);
    assert_eq!(names(shared.path()), ["through"]);
}

/// Guards links that are followed: those of this user, those of the directory's owner, and all of them in a directory
/// that is not both sticky and writable for everybody.
#[test]
fn other_links_are_followed() {
    let (private, shared) = (tempfile::tempdir().unwrap(), sticky());
    let target = private.path().join("target");
    let check = |link: &Path, case: &str| {
        for exists in [false, true] {
            assert_eq!(target.exists(), exists);
            [7u8].write_npy(link).unwrap_or_else(|error| panic!("{case}: {error}"));
            assert_eq!(Vec::<u8>::read_npy(&target).unwrap(), [7], "{case}");
            assert!(link.is_symlink(), "{case}");
        }
        fs::remove_file(&target).unwrap();
    };
    let link = shared.path().join("link");
    symlink(&target, &link).unwrap();
    check(&link, "of this user");
    if !is_root("other_links_are_followed: of other users") {
        return;
    }
    lchown(&link, Some(OTHER), None).unwrap();
    chown(shared.path(), Some(OTHER), None).unwrap();
    check(&link, "of the owner of the directory");
    chown(shared.path(), Some(OTHER - 1), None).unwrap();
    for mode in [0o777, 0o1775] {
        fs::set_permissions(shared.path(), Permissions::from_mode(mode)).unwrap();
        check(&link, "where not everybody may write, or all may remove");
    }
}

/// Open files without a path, with their contents: a memfd, a removed file, and one that is open for appending.
fn open_files(directory: &Path) -> Vec<(&'static str, File)> {
    let memory = File::from(memfd_create("x", MemfdFlags::empty()).unwrap());
    let removed = tempfile::tempfile_in(directory).unwrap();
    let mut options = OpenOptions::new();
    let appended = options.read(true).append(true).create(true).open(directory.join("log"));
    let mut files = vec![("memfd", memory), ("removed", removed), ("appended", appended.unwrap())];
    for (_, file) in &mut files {
        file.write_all(b"before").unwrap();
    }
    files
}

/// Guards `/dev/stdout` and the like: the array is written after the existing contents, and no file is created.
#[test]
fn open_files_are_written_to_at_their_end() {
    let directory = tempfile::tempdir().unwrap();
    for (way, write) in &ways()[..3] {
        for (what, mut file) in open_files(directory.path()) {
            for path in ["/proc/self/fd", "/dev/fd"] {
                let path = Path::new(path).join(file.as_raw_fd().to_string());
                let length = file.metadata().unwrap().len();
                write(&path).unwrap_or_else(|error| panic!("{way}, {what}: {error}"));
                let mut all = Vec::new();
                file.seek(SeekFrom::Start(0)).unwrap();
                file.read_to_end(&mut all).unwrap();
                assert!(all.starts_with(b"before"), "{way}, {what}: the old contents are lost");
                let new = &all[usize::try_from(length).unwrap()..];
                if *way == "npz" {
                    // The offsets count from the start of the file, as in a self-extracting archive.
                    let all = std::io::Cursor::new(all);
                    let values = npz::Reader::new(all).unwrap().read::<Vec<u8>>("x").unwrap();
                    assert_eq!(values, [7], "{way}, {what}");
                } else {
                    assert_eq!(Vec::<u8>::read_npy_from(new).unwrap(), [7], "{way}, {what}");
                }
            }
        }
        assert_eq!(names(directory.path()), ["log"], "{way}");
        fs::remove_file(directory.path().join("log")).unwrap();
    }
    assert!(!Path::new("/memfd:x (deleted)").exists());
}

/// Guards open files without a path: operations that need a path refuse them.
#[test]
fn open_files_are_neither_mapped_nor_appended_to_as_archives() {
    let directory = tempfile::tempdir().unwrap();
    for (what, mut file) in open_files(directory.path()) {
        let path = PathBuf::from(format!("/dev/fd/{}", file.as_raw_fd()));
        file.write_all(&archive()).unwrap();
        let length = file.metadata().unwrap().len();
        // SAFETY: nobody else has the file.
        let error = unsafe { MapMut::<u8>::create(&path, &[1 << 20]) }.unwrap_err();
        assert!(error.to_string().contains("use a path of its own"), "{what}: {error}");
        let error = npz::Writer::append(&path).unwrap_err();
        assert!(error.to_string().contains("by its own path"), "{what}: {error}");
        assert_eq!(file.metadata().unwrap().len(), length, "{what}");
    }
}

/// Guards a program that writes to `/dev/stdout` and is started with `>> log`.
#[test]
fn standard_output_is_appended_to() {
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("log");
    fs::write(&log, "before").unwrap();
    let output = OpenOptions::new().append(true).open(&log).unwrap();
    let inode = fs::metadata(&log).unwrap().ino();
    let mut child = npy_tests::again("replace::child_that_writes_to_standard_output");
    let status = child.stdout(output).stderr(Stdio::inherit()).status().unwrap();
    assert!(status.success());
    let all = fs::read(&log).unwrap();
    assert!(all.starts_with(b"before"), "the old contents are lost");
    let start = all.windows(6).position(|window| window == b"\x93NUMPY").unwrap();
    assert_eq!(Vec::<u8>::read_npy_from(&all[start..]).unwrap(), [7]);
    assert_eq!(fs::metadata(&log).unwrap().ino(), inode);
    assert_eq!(names(directory.path()), ["log"]);
}

#[test]
#[ignore = "started by `standard_output_is_appended_to`"]
fn child_that_writes_to_standard_output() {
    [7u8].write_npy("/dev/stdout").unwrap();
}

/// Guards against a path that ends like that of a directory: it cannot be a file.
#[test]
fn a_path_of_a_directory_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    [1u8].write_npy(directory.path().join("x.npy")).unwrap();
    for path in ["x.npy/", "x.npy/.", "new.npy/", "..", "."] {
        let path = directory.path().join(path);
        [2u8].write_npy(&path).expect_err(&path.display().to_string());
    }
    assert_eq!(Vec::<u8>::read_npy(directory.path().join("x.npy")).unwrap(), [1]);
    assert_eq!(names(directory.path()), ["x.npy"]);
}

/// Makes a file with these permissions in its own directory.
fn file(mode: u32) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npy");
    fs::write(&path, []).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
    (directory, path)
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

/// Guards against a program that would run with the rights of the user who wrote the file.
#[test]
fn set_user_id_bits_are_not_kept() {
    let (_directory, path) = file(0o6755);
    [1u8].write_npy(&path).unwrap();
    assert_eq!(mode(&path), 0o755);
}

/// Guards files that their owner has protected: they could be replaced, as the directory is writable.
#[test]
fn a_write_protected_file_is_not_replaced() {
    let (_directory, path) = file(0o444);
    let check = || {
        for (way, write) in ways() {
            let error = write(&path).expect_err(way);
            assert!(denied(&error) && error.to_string().contains("write-protected"), "{error}");
            assert!(fs::read(&path).unwrap().is_empty(), "{way}");
        }
    };
    match rustix::process::geteuid().is_root() {
        true => without(CapabilitySet::DAC_OVERRIDE, check),
        false => check(),
    }
}

/// Runs a closure in a thread that lacks a capability of root.
fn without(capability: CapabilitySet, act: impl FnOnce() + Send) {
    let act = || {
        let mut sets = capabilities(None).unwrap();
        sets.effective.remove(capability);
        set_capabilities(None, sets).unwrap();
        act();
    };
    thread::scope(|scope| scope.spawn(act).join().unwrap());
}

#[test]
fn the_group_is_kept_or_gets_no_more_than_everybody() {
    if !is_root("the_group_is_kept_or_gets_no_more_than_everybody") {
        return;
    }
    for (before, after) in [(0o660, 0o600), (0o664, 0o644), (0o647, 0o647), (0o755, 0o755)] {
        let (_directory, path) = file(before);
        chown(&path, Some(OTHER), Some(OTHER)).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(before)).unwrap();
        [1u8].write_npy(&path).unwrap();
        assert_eq!((fs::metadata(&path).unwrap().gid(), mode(&path)), (OTHER, before));
        without(CapabilitySet::CHOWN, || [2u8].write_npy(&path).unwrap());
        assert_ne!(fs::metadata(&path).unwrap().gid(), OTHER);
        assert_eq!(mode(&path), after, "{before:o}");
    }
}

const ACL: &str = "system.posix_acl_access";

/// Returns an ACL that lets one more user read, in the system's format.
fn acl(user: u32) -> Vec<u8> {
    let none = u32::MAX;
    let entries: [(u16, u16, u32); 5] =
        [(1, 6, none), (2, 4, user), (4, 0, none), (16, 4, none), (32, 0, none)];
    let mut bytes = 2u32.to_le_bytes().to_vec();
    for (tag, permissions, id) in entries {
        bytes.extend(tag.to_le_bytes());
        bytes.extend(permissions.to_le_bytes());
        bytes.extend(id.to_le_bytes());
    }
    bytes
}

fn attribute(path: &Path, name: &str) -> Option<Vec<u8>> {
    let mut value = vec![0; 100];
    let length = rustix::fs::getxattr(path, name, &mut value[..]).ok()?;
    value.truncate(length);
    Some(value)
}

/// Guards the users who may read a file: they are the same after it was replaced.
#[test]
fn acls_and_attributes_of_users_are_kept() {
    // A file system that supports both.
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    let path = directory.path().join("x.npy");
    [1u8].write_npy(&path).unwrap();
    let set = |path: &Path, name: &str, value: &[u8]| {
        rustix::fs::setxattr(path, name, value, XattrFlags::empty()).unwrap();
    };
    set(&path, ACL, &acl(OTHER));
    set(&path, "user.note", b"text");
    set(&path, "user.empty", b"");
    assert_eq!(mode(&path), 0o640);
    for (way, write) in &ways()[..3] {
        write(&path).unwrap();
        assert_eq!(attribute(&path, ACL).as_deref(), Some(&acl(OTHER)[..]), "{way}");
        assert_eq!(attribute(&path, "user.note").as_deref(), Some(&b"text"[..]), "{way}");
        assert_eq!(attribute(&path, "user.empty").as_deref(), Some(&b""[..]), "{way}");
        assert_eq!(mode(&path), 0o640, "{way}");
    }
    // The directory's default ACL applies to new files, and not to the replacement of a file without an ACL.
    fs::remove_file(&path).unwrap();
    fs::write(&path, []).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
    set(directory.path(), "system.posix_acl_default", &acl(OTHER));
    [1u8].write_npy(&path).unwrap();
    assert_eq!((attribute(&path, ACL), mode(&path)), (None, 0o640));
    [1u8].write_npy(directory.path().join("new.npy")).unwrap();
    assert_eq!(attribute(&directory.path().join("new.npy"), ACL), Some(acl(OTHER)));
}

/// Guards files that lose their group: the ACL would then apply to another group.
#[test]
fn an_acl_is_not_kept_if_the_group_is_not() {
    if !is_root("an_acl_is_not_kept_if_the_group_is_not") {
        return;
    }
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    let path = directory.path().join("x.npy");
    [1u8].write_npy(&path).unwrap();
    chown(&path, None, Some(OTHER)).unwrap();
    rustix::fs::setxattr(&path, ACL, &acl(OTHER), XattrFlags::empty()).unwrap();
    without(CapabilitySet::CHOWN, || [2u8].write_npy(&path).unwrap());
    assert_eq!((attribute(&path, ACL), mode(&path)), (None, 0o600));
}

/// Guards programs that watch a directory for complete files: such a file gets its name by a rename, also if it is new.
#[test]
fn a_complete_file_is_moved_to_its_name() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npy");
    let watch = inotify::init(inotify::CreateFlags::NONBLOCK).unwrap();
    inotify::add_watch(&watch, directory.path(), inotify::WatchFlags::MOVED_TO).unwrap();
    for (way, write) in ways() {
        write(&path).unwrap_or_else(|error| panic!("{way}: {error}"));
        let mut buffer = [std::mem::MaybeUninit::uninit(); 4096];
        let mut events = inotify::Reader::new(&watch, &mut buffer);
        assert_eq!(events.next().unwrap().file_name(), Some(c"x.npy"), "{way}");
    }
}

/// Guards the umask, which some systems ignore for files without a name.
#[test]
fn a_file_for_everybody_is_made_with_a_name() {
    let child = npy_tests::again("replace::child_without_umask").output().unwrap();
    let said = String::from_utf8_lossy(&[child.stdout, child.stderr].concat()).into_owned();
    assert!(child.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
#[ignore = "started by `a_file_for_everybody_is_made_with_a_name`"]
fn child_without_umask() {
    rustix::process::umask(Mode::empty());
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npz");
    let mut writer = npz::Writer::create(&path).unwrap();
    writer.write("x", &[7u8]).unwrap();
    let [name] = &names(directory.path())[..] else { panic!("{:?}", names(directory.path())) };
    assert!(name.starts_with(".npy-") && name.ends_with(".tmp"), "{name}");
    writer.discard();
    assert_eq!(names(directory.path()), [""; 0], "it is removed");
    for (way, write) in ways() {
        write(&path).unwrap_or_else(|error| panic!("{way}: {error}"));
        assert_eq!((names(directory.path()), mode(&path)), (vec!["x.npz".into()], 0o666), "{way}");
    }
}

/// Guards `sync`: the files are the same with it and without it.
#[test]
fn synced_files_are_as_others() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let values: Vec<u64> = (0..100_000).collect();
    WriteOptions::new().sync(true).write(path("x.npy"), &values).unwrap();
    assert_eq!(Vec::<u64>::read_npy(path("x.npy")).unwrap(), values);
    let mut writer = WriteOptions::new().sync(true).create::<u64>(path("x.npy")).unwrap();
    writer.write_slice(&values).unwrap();
    writer.sync().unwrap();
    writer.push(&7).unwrap();
    writer.finish().unwrap();
    assert_eq!(Vec::<u64>::read_npy(path("x.npy")).unwrap(), [&values[..], &[7]].concat());
    let mut options = npz::WriteOptions::new();
    options.sync(true);
    for begin in [npz::WriteOptions::create, npz::WriteOptions::append] {
        let mut writer = begin(&options, path("x.npz")).unwrap();
        writer.write_unnamed(&values).unwrap();
        writer.finish().unwrap();
    }
    let reader = npz::Reader::open(path("x.npz")).unwrap();
    assert_eq!(reader.read::<Vec<u64>>("arr_1").unwrap(), values);
    assert_eq!(names(directory.path()), ["x.npy", "x.npz"]);
}

/// Guards the name after a power failure: with `sync`, and only then, the directory is synced, too.
#[test]
fn sync_needs_a_directory_that_can_be_opened() {
    if !is_root("sync_needs_a_directory_that_can_be_opened") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npy");
    fs::set_permissions(directory.path(), Permissions::from_mode(0o300)).unwrap();
    // Otherwise root could open it despite the permissions.
    without(CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH, || {
        for (way, write) in &ways()[..3] {
            write(&path).unwrap_or_else(|error| panic!("{way}: {error}"));
        }
        let error = WriteOptions::new().sync(true).write(&path, &[7u8]).unwrap_err();
        assert!(denied(&error), "{error}");
        let error = WriteOptions::new().sync(true).create::<u8>(&path).unwrap_err();
        assert!(denied(&error), "{error}");
        let mut writer = npz::WriteOptions::new().sync(true).create(&path).unwrap();
        writer.write("x", &[7u8]).unwrap();
        assert!(denied(&writer.finish().unwrap_err()));
        let mut writer = Writer::<u8, _>::create(&path).unwrap();
        let error = writer.sync().unwrap_err();
        assert!(denied(&error), "{error}");
    });
    // The directory is synced only once.
    fs::set_permissions(directory.path(), Permissions::from_mode(0o700)).unwrap();
    let mut writer = Writer::<u8, _>::create(&path).unwrap();
    writer.sync().unwrap();
    fs::set_permissions(directory.path(), Permissions::from_mode(0o300)).unwrap();
    without(CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH, || {
        writer.push(&7).unwrap();
        writer.sync().unwrap();
    });
    assert_eq!(Vec::<u8>::read_npy(&path).unwrap(), [7]);
}

/// Guards `WriteOptions::atomic`: the file has its name only when the writer is finished.
#[test]
fn a_writer_may_name_its_file_at_the_end() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let names = || std::fs::read_dir(dir.path()).unwrap().count();
    let mut options = WriteOptions::new();
    options.atomic(true);

    let mut writer = options.create::<f64>(&path).unwrap();
    writer.push(&1.0).unwrap();
    writer.flush().unwrap();
    assert!(!path.exists());
    drop(writer);
    assert_eq!(names(), 0);

    for sync in [false, true] {
        let mut writer = options.sync(sync).create::<f64>(&path).unwrap();
        writer.write_slice(&[1.0, 2.0]).unwrap();
        writer.sync().unwrap();
        writer.try_finish().unwrap();
        assert_eq!((Vec::<f64>::read_npy(&path).unwrap(), names()), (vec![1.0, 2.0], 1));
        writer.finish().unwrap();
    }

    // Another file may appear meanwhile; it is replaced.
    let mut writer = options.create::<f64>(&path).unwrap();
    [9u8].write_npy(&path).unwrap();
    writer.push(&3.0).unwrap();
    assert_eq!(Vec::<u8>::read_npy(&path).unwrap(), [9]);
    writer.finish().unwrap();
    assert_eq!((Vec::<f64>::read_npy(&path).unwrap(), names()), (vec![3.0], 1));

    let writer = options.create::<f64>(&path).unwrap();
    drop(writer);
    assert_eq!((Vec::<f64>::read_npy(&path).unwrap(), names()), (vec![3.0], 1));
}
