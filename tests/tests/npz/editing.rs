//! Members of an archive that are replaced, added, removed, renamed and copied.

use std::collections::BTreeMap;
use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use npy_core::npz::{Editor, Reader, WriteOptions, Writer};
use npy_core::{ErrorKind, Result};
use npy_tests::fuzz::Random;
use npy_tests::rounds;
use npy_tests::zips::{Raw, archive, npy};
use tempfile::TempDir;

/// Writes an archive of these members into its own directory.
fn file(members: &[Raw]) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npz");
    fs::write(&path, archive(b"", members, b"a comment")).unwrap();
    (directory, path)
}

fn array(name: &str, value: u8) -> Raw {
    Raw::of(&format!("{name}.npy"), &npy(&[value; 100]))
}

/// Members that cannot be read, or have what a writer of ours does not write.
fn strange() -> Vec<Raw> {
    let raw = |name: &str| Raw::of(name, b"not an array");
    vec![
        Raw { method: 12, ..raw("bzip2.npy") },
        Raw { method: 99, flags: 1, ..raw("encrypted.npy") },
        Raw { flags: 1 << 5, ..raw("patched.npy") },
        Raw { crc: 1, ..raw("checksum.npy") },
        Raw { method: 8, size: 1 << 30, ..raw("large.npy") },
        Raw { name: b"caf\x82".to_vec(), ..raw("cafe") },
        Raw { extra: b"UT\x05\0\x01abcd".to_vec(), comment: b"hi".to_vec(), ..raw("notes.txt") },
        Raw { extra: b"abc".to_vec(), ..raw("incomplete extra field") },
        Raw { descriptor: true, ..array("descriptor", 1) },
        array("deflated", 2).deflated(),
        raw("directory/"),
    ]
}

/// A member as bytes: its entry without the position, and everything from its header to the next member.
type Bytes = (Vec<u8>, Vec<u8>);

/// Returns the members of an archive without a zip64 end record, by name.
fn members(path: &Path) -> BTreeMap<Vec<u8>, Bytes> {
    let file = fs::read(path).unwrap();
    let number = |at: usize, size: usize| {
        file[at..at + size].iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte))
    };
    let end = file.windows(4).rposition(|bytes| bytes == b"PK\x05\x06").unwrap();
    let directory = number(end + 16, 4);
    let (mut at, mut found) = (directory, Vec::new());
    while at < end {
        let name = at + 46..at + 46 + number(at + 28, 2);
        let size = 46 + number(at + 28, 2) + number(at + 30, 2) + number(at + 32, 2);
        let mut entry = file[at..at + size].to_vec();
        let start = number(at + 42, 4);
        entry[42..46].fill(0);
        found.push((file[name].to_vec(), start, entry));
        at += size;
    }
    let starts: Vec<usize> = found.iter().map(|(_, start, _)| *start).collect();
    let bytes = |start: usize| {
        let next = starts.iter().filter(|&&other| other > start).min().unwrap_or(&directory);
        file[start..*next].to_vec()
    };
    found.into_iter().map(|(name, start, entry)| (name, (entry, bytes(start)))).collect()
}

fn names(path: &Path) -> Vec<String> {
    Reader::open(path).unwrap().names().map(str::to_owned).collect()
}

fn read(path: &Path, name: &str) -> Vec<u8> {
    Reader::open(path).unwrap().read(name).unwrap()
}

fn edit(path: &Path, edit: impl FnOnce(&mut Editor)) {
    let mut editor = Editor::open(path).unwrap();
    edit(&mut editor);
    editor.finish().unwrap();
}

/// Guards members of every kind when others before them change their sizes, also members that cannot be read.
#[test]
fn untouched_members_keep_their_bytes() {
    let others = strange();
    let (_directory, path) = file(&[&[array("x", 0)], &others[..], &[array("y", 1)]].concat());
    let before = members(&path);
    edit(&path, |editor| {
        editor.write("x", &[9u8; 1001]).unwrap();
        editor.remove("y").unwrap();
        editor.write("z", &[8u8]).unwrap();
    });
    let after = members(&path);
    for Raw { name, .. } in &others {
        assert_eq!(before[name], after[name], "{}", name.escape_ascii());
    }
    assert_eq!(after.len(), others.len() + 2);
    assert_eq!((read(&path, "x"), read(&path, "z")), (vec![9; 1001], vec![8]));
    assert!(fs::read(&path).unwrap().ends_with(b"\x09\0a comment"));
    assert_eq!(names(&path)[0], "x", "a replaced member keeps its place");
}

/// Guards members that cannot be read when they are copied to another archive, and when they are renamed.
#[test]
fn members_that_cannot_be_read_are_copied_and_renamed() {
    let others = strange();
    let from = Reader::new(Cursor::new(archive(b"anything", &others, b""))).unwrap();
    let (_directory, path) = file(&[array("x", 0)]);
    let (_other, copied) = file(&others);
    edit(&path, |editor| {
        let names: Vec<_> = from.names().collect();
        for name in &names {
            editor.copy_from(&from, name).unwrap();
        }
        assert!(editor.names().eq(["x"].iter().chain(&names).copied()));
    });
    let (before, after) = (members(&copied), members(&path));
    for Raw { name, .. } in &others {
        assert_eq!(before[name], after[name], "{}", name.escape_ascii());
    }
    let stored = |path: &Path, name: &[u8]| members(path)[name].1[30 + name.len()..].to_vec();
    let data = stored(&path, b"encrypted.npy");
    edit(&path, |editor| {
        editor.rename("encrypted", "größe").unwrap();
        editor.rename("notes.txt", "read me").unwrap();
    });
    assert_eq!(stored(&path, "größe.npy".as_bytes()), data);
    let found = names(&path);
    assert!(found.contains(&"größe".into()) && found.contains(&"read me".into()), "{found:?}");
    let notes = members(&path).remove(&b"read me"[..]).unwrap().0;
    assert!(notes.ends_with(b"read meUT\x05\0\x01abcdhi"), "{}", notes.escape_ascii());
    assert_eq!(Reader::open(&path).unwrap().read_bytes("read me").unwrap(), b"not an array");
}

/// Guards that a change to one of two members with the same name never makes the hidden one appear.
#[test]
fn members_of_one_name_change_together() {
    let twice = [array("x", 1), array("y", 2), array("x", 3)];
    let after = |change: fn(&mut Editor)| {
        let (_directory, path) = file(&twice);
        edit(&path, change);
        let bytes = fs::read(&path).unwrap();
        let locals = bytes.windows(4).filter(|bytes| bytes == b"PK\x03\x04").count();
        let values: Vec<u8> = names(&path).iter().map(|name| read(&path, name)[0]).collect();
        (names(&path).join(" "), values, locals)
    };
    let named = |names: &str, values: &[u8], locals| (names.to_owned(), values.to_vec(), locals);
    assert_eq!(after(|_| ()), named("x y", &[3, 2], 3));
    assert_eq!(after(|editor| editor.remove("x").unwrap()), named("y", &[2], 1));
    assert_eq!(after(|editor| editor.write("x", &[4u8]).unwrap()), named("x y", &[4, 2], 2));
    assert_eq!(after(|editor| editor.rename("x", "z").unwrap()), named("z y", &[3, 2], 2));
    assert_eq!(after(|editor| editor.remove("y").unwrap()), named("x", &[3], 2));
}

/// Guards names with and without `.npy`: an editor and a reader find the same member.
#[test]
fn an_editor_finds_the_members_that_a_reader_finds() {
    let exact = Raw { name: b"x".to_vec(), ..array("x", 1) };
    let (_directory, path) = file(&[exact, array("x", 2), array("y", 3)]);
    edit(&path, |editor| {
        assert!(editor.names().eq(Reader::open(&path).unwrap().names()));
        editor.write("x", &[10u8]).unwrap();
        editor.write("y.npy", &[30u8]).unwrap();
    });
    assert_eq!(names(&path), ["x", "x.npy", "y"]);
    let values = ["x", "x.npy", "y"].map(|name| read(&path, name)[0]);
    assert_eq!(values, [10, 2, 30]);
    edit(&path, |editor| editor.remove("x").unwrap());
    assert_eq!((names(&path), read(&path, "x")[0]), (vec!["x".into(), "y".into()], 2));
}

/// Guards the bytes of an archive in which members were written, renamed and removed before it was finished.
#[test]
fn only_the_last_of_several_changes_is_kept() {
    for threads in [None, Some(1), Some(3)] {
        let mut options = WriteOptions::new();
        if let Some(threads) = threads {
            options.deflate(6).threads(threads);
        }
        let finished = |change: &dyn Fn(&mut Editor)| {
            let (directory, path) = file(&[array("x", 0), array("y", 1)]);
            let mut editor = options.edit(&path).unwrap();
            change(&mut editor);
            editor.finish().unwrap();
            assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
            fs::read(&path).unwrap()
        };
        let large = vec![7u32; 1 << 19];
        let once = finished(&|editor| {
            editor.write("x", &large).unwrap();
            editor.write("new", &[4u8]).unwrap();
        });
        let often = finished(&|editor| {
            editor.write("x", &[1u8]).unwrap();
            editor.write("new", &large).unwrap();
            editor.write("x", &large[1..]).unwrap();
            editor.rename("new", "other").unwrap();
            editor.remove("other").unwrap();
            editor.write("x", &large).unwrap();
            editor.write("newer", &[4u8]).unwrap();
            editor.rename("newer", "new").unwrap();
        });
        assert!(once == often, "{threads:?}: {} and {} bytes", once.len(), often.len());
    }
}

#[test]
fn names_that_no_member_can_have_are_refused() {
    let (_directory, path) = file(&[array("x", 0), array("y", 1)]);
    let mut editor = Editor::open(&path).unwrap();
    let refused = |result: Result<()>, expected: &str| {
        let error = result.unwrap_err().to_string();
        assert!(error.contains("x.npz: ") && error.contains(expected), "{error}");
    };
    refused(editor.write("a\0b", &1u8), "NUL");
    editor.write("", &1u8).unwrap();
    editor.remove("").unwrap();
    refused(editor.write(&"a".repeat(60_001), &1u8), "60,000 bytes");
    refused(editor.rename("x", "a\0b"), "NUL");
    refused(editor.rename("x", "y"), "another member has it already; remove that one first");
    refused(editor.rename("x", "y.npy"), "another member has it already");
    refused(editor.rename("z", "a"), r#"no member "z"; its members are "x", "y""#);
    refused(editor.remove("z"), r#"no member "z"; its members are "x", "y""#);
    let other = Reader::new(Cursor::new(archive(b"", &[], b""))).unwrap();
    let error = editor.copy_from(&other, "z").unwrap_err().to_string();
    assert_eq!(error, r#"the archive has no member "z"; it has none"#);
    editor.rename("x", "x").unwrap();
    editor.remove("y").unwrap();
    editor.rename("x", "y").unwrap();
    editor.finish().unwrap();
    assert_eq!((names(&path), read(&path, "y")[0]), (vec!["y".into()], 0));
}

/// Guards the old member when the array that would replace it has an invalid value.
#[test]
fn a_member_that_cannot_be_written_leaves_the_old_one() {
    let (_directory, path) = file(&[array("x", 5), array("y", 6)]);
    edit(&path, |editor| {
        let error = editor.write("x", &["nul at the end\0"]).unwrap_err().to_string();
        assert!(error.contains("x.npz: member \"x\": "), "{error}");
        editor.write("y", &[7u8]).unwrap();
    });
    assert_eq!((read(&path, "x")[0], read(&path, "y")[0]), (5, 7));
}

#[test]
fn an_archive_can_lose_all_members_and_get_new_ones() {
    let (_directory, path) = file(&[array("x", 5)]);
    edit(&path, |editor| editor.remove("x").unwrap());
    assert_eq!(names(&path).len(), 0);
    edit(&path, |editor| editor.write("y", &[6u8]).unwrap());
    assert_eq!((names(&path), read(&path, "y")), (vec!["y".into()], vec![6]));
}

#[test]
fn without_finish_nothing_changes() {
    let (directory, path) = file(&[array("x", 5)]);
    let before = fs::read(&path).unwrap();
    let mut editor = Editor::open(&path).unwrap();
    assert_eq!(
        format!("{editor:?}"),
        format!("npz::Editor {{ path: {path:?}, members: [\"x\"], .. }}")
    );
    editor.write("x", &vec![1u64; 1 << 18]).unwrap();
    drop(editor);
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    let missing = Editor::open(directory.path().join("none.npz")).unwrap_err();
    assert!(matches!(missing.kind(), ErrorKind::Io(_)), "{missing}");
}

/// Guards the work of other programs: an archive that changed since it was opened is not replaced.
#[cfg(unix)]
#[test]
fn an_archive_that_changed_meanwhile_is_left_as_it_is() {
    type Change = fn(&Path);
    let changes: [(&str, Change); 5] = [
        ("replaced", |path| {
            let other = path.with_extension("new");
            fs::write(&other, archive(b"", &[array("x", 9)], b"")).unwrap();
            fs::rename(other, path).unwrap();
        }),
        ("removed", |path| fs::remove_file(path).unwrap()),
        ("written in place", |path| {
            let members = [array("x", 0), array("y", 1), array("z", 2)];
            fs::write(path, archive(b"", &members, b"a comment")).unwrap();
        }),
        ("truncated", |path| fs::write(path, b"").unwrap()),
        ("longer", |path| {
            let bytes = [&fs::read(path).unwrap()[..], b"more"].concat();
            fs::write(path, bytes).unwrap();
        }),
    ];
    for (what, change) in changes {
        let (directory, path) = file(&[array("x", 0), array("y", 1)]);
        let mut editor = Editor::open(&path).unwrap();
        editor.write("x", &[5u8]).unwrap();
        change(&path);
        let changed = fs::read(&path).ok();
        let error = editor.finish().unwrap_err();
        let message = error.to_string();
        assert!(
            message.contains("x.npz: ") && message.contains("open it again and repeat"),
            "{what}: {error}"
        );
        assert_eq!(fs::read(&path).ok(), changed, "{what}");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), usize::from(changed.is_some()));
    }
}

#[cfg(unix)]
#[test]
fn of_an_editor_and_another_writer_the_second_is_locked_out() {
    let (_directory, path) = file(&[array("x", 0)]);
    let is_locked = |error: npy_core::Error| matches!(error.kind(), ErrorKind::Locked);
    let editor = Editor::open(&path).unwrap();
    assert!(Editor::open(&path).is_err_and(is_locked));
    assert!(Writer::append(&path).is_err_and(is_locked));
    editor.finish().unwrap();
    let writer = Writer::append(&path).unwrap();
    assert!(Editor::open(&path).is_err_and(is_locked));
    drop(writer);
    Editor::open(&path).unwrap().finish().unwrap();
}

/// Guards against copying a member whose end is unknown. The archive can be repaired, because such a member can be removed.
#[test]
fn a_member_that_shares_bytes_is_not_copied_but_removed() {
    let reach = |compressed| Raw { size: compressed, compressed, ..array("bad", 1) };
    let elsewhere = Raw { place: Some(3), ..array("bad", 1) };
    let renamed = Raw { local_name: Some(b"other".to_vec()), ..array("bad", 1) };
    for bad in [reach(300), reach(1 << 30), elsewhere, renamed] {
        let (_directory, path) = file(&[bad, array("y", 2)]);
        let before = fs::read(&path).unwrap();
        let mut editor = Editor::open(&path).unwrap();
        editor.write("y", &[3u8]).unwrap();
        let error = editor.finish().unwrap_err();
        assert!(error.to_string().contains("x.npz: member \"bad\": "), "{error}");
        assert!(matches!(error.kind(), ErrorKind::Archive { .. }), "{error}");
        assert_eq!(fs::read(&path).unwrap(), before);
        let from = Reader::open(&path).unwrap();
        let (_other, other) = file(&[]);
        assert!(Editor::open(&other).unwrap().copy_from(&from, "bad").is_err());
        edit(&path, |editor| editor.remove("bad").unwrap());
        assert_eq!((names(&path), read(&path, "y")[0]), (vec!["y".into()], 2));
    }
}

/// Guards every mixture of changes: after each, the archive has exactly the expected members.
#[test]
fn random_changes_make_the_expected_archive() {
    let mut random = Random::new(22);
    let (_directory, path) = file(&[]);
    let mut expected: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for round in 0..rounds(150) {
        let mut options = WriteOptions::new();
        if random.below(2) == 0 {
            options.deflate(1).threads(1 + random.below(2));
        }
        let mut editor = options.edit(&path).unwrap();
        let old = Reader::open(&path).unwrap();
        let before = expected.clone();
        for _ in 0..random.below(6) {
            let name = format!("{}", random.below(6));
            match random.below(5) {
                0 | 1 => {
                    let size = if random.below(9) == 0 { 700_000 } else { random.below(300) };
                    let value = vec![random.byte(); size];
                    editor.write(&name, &value).unwrap();
                    expected.insert(name, value);
                }
                2 => {
                    let removed = editor.remove(&name);
                    assert_eq!(removed.is_ok(), expected.remove(&name).is_some());
                }
                3 => {
                    let to = format!("{}", random.below(8));
                    let fits =
                        expected.contains_key(&name) && (to == name || !expected.contains_key(&to));
                    assert_eq!(editor.rename(&name, &to).is_ok(), fits);
                    if fits {
                        let value = expected.remove(&name).unwrap();
                        expected.insert(to, value);
                    }
                }
                _ => {
                    let copied = editor.copy_from(&old, &name);
                    assert_eq!(copied.is_ok(), before.contains_key(&name));
                    expected.extend(before.get(&name).map(|value| (name, value.clone())));
                }
            }
        }
        editor.finish().unwrap();
        let reader = Reader::open(&path).unwrap();
        let found: BTreeMap<String, Vec<u8>> =
            reader.names().map(|name| (name.to_owned(), reader.read(name).unwrap())).collect();
        assert!(found == expected, "round {round}");
    }
}

/// Guards archives whose bytes are damaged: an edited archive has the members that can be read in the old one.
#[test]
fn what_can_be_read_in_a_damaged_archive_can_be_read_after_an_edit() {
    let mut random = Random::new(7);
    let good = [
        archive(b"", &[&strange()[..], &[array("x", 0), array("y", 1)]].concat(), b""),
        archive(b"", &[array("x", 0), array("x", 1), Raw { zip64: true, ..array("y", 2) }], b"z"),
    ];
    let (_directory, path) = file(&[]);
    let (mut finished, mut read) = (0, 0);
    for round in 0..rounds(1500) {
        let mut bytes = good[round % 2].clone();
        let directory = bytes.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
        for _ in 0..1 + random.below(2) {
            let start = if random.below(4) == 0 { 0 } else { directory };
            let at = start + random.below(bytes.len() - start);
            match random.below(3) {
                0 => bytes[at] = [0, 1, 0xff][random.below(3)],
                1 => bytes[at] = random.byte(),
                _ => bytes[at] ^= 1 << random.below(8),
            }
        }
        fs::write(&path, &bytes).unwrap();
        let Ok(mut editor) = Editor::open(&path) else { continue };
        let old = Reader::new(Cursor::new(bytes)).unwrap();
        assert!(editor.names().eq(old.names()), "round {round}");
        editor.write("new", &[1u8]).unwrap();
        if editor.finish().is_err() {
            continue;
        }
        finished += 1;
        let new = Reader::open(&path).unwrap();
        for name in old.names().filter(|&name| name != "new") {
            if let Ok(bytes) = old.read_bytes(name) {
                assert!(new.read_bytes(name).unwrap() == bytes, "round {round}, {name}");
                read += 1;
            }
        }
        assert_eq!(new.read::<Vec<u8>>("new").unwrap(), [1]);
    }
    assert!(finished > rounds(300) && read > rounds(1000), "{finished} {read}");
}

/// Guards the members before one that is not where the directory says: they can be copied, and the other one removed.
#[test]
fn a_member_in_a_wrong_place_does_not_reach_into_the_others() {
    for place in [100_000, 900] {
        let good = Raw { descriptor: true, ..array("good", 1) };
        let bad = Raw { descriptor: true, place: Some(place), ..array("bad", 2) };
        let (_directory, path) = file(&[good, bad]);
        let from = Reader::open(&path).unwrap();
        let mut editor = Editor::open(&path).unwrap();
        editor.remove("bad").unwrap();
        editor.rename("good", "better").unwrap();
        editor.copy_from(&from, "good").unwrap();
        editor.finish().unwrap();
        let reader = Reader::open(&path).unwrap();
        for name in ["good", "better"] {
            assert_eq!(reader.read::<Vec<u8>>(name).unwrap(), [1; 100], "{place}");
        }
        // Nothing of the old directory was copied.
        let bytes = fs::read(&path).unwrap();
        let entries = bytes.windows(4).filter(|bytes| bytes == b"PK\x01\x02").count();
        assert_eq!(entries, 2, "{place}");
    }
}
