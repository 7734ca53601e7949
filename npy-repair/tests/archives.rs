//! Damaged archives: the members that are kept, and the cost of forged ones.

use std::fs;
use std::io::{Cursor, Read, Write};
use std::path::PathBuf;

use npy_core::{NpyArray, Order, UncountedRows};
use npy_repair::{Damage, Error, Options, Plan, diagnose};
use npy_tests::alloc::{Counting, peak, spent};
use npy_tests::zips::{self, Raw};
use npy_zip::{Compression, Directory, Limits, Writer};
use tempfile::TempDir;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const NAMES: [&str; 5] = ["a.npy", "b/c.npy", "größe.npy", "empty", "last.npy"];

/// The bytes of a member.
fn data(name: &str) -> Vec<u8> {
    match name {
        "empty" => Vec::new(),
        name => name.bytes().cycle().take(5000).collect(),
    }
}

fn archive(compression: Compression, is_stream: bool) -> Vec<u8> {
    fn fill<W: Write>(mut writer: Writer<W>) -> W {
        for name in NAMES {
            let bytes = data(name);
            let added = writer.add(name, |member| {
                member.begin(bytes.len() as u64)?;
                member.write_all(&bytes)
            });
            added.unwrap();
        }
        writer.finish().unwrap()
    }
    match is_stream {
        true => fill(Writer::stream(Vec::new(), compression)),
        false => fill(Writer::seekable(Cursor::new(Vec::new()), compression).unwrap()).into_inner(),
    }
}

/// Archives that differ in what a repair must know.
fn archives() -> Vec<Vec<u8>> {
    let deflate = Compression::deflate(6, 1).seek_every(4096);
    [Compression::stored(), deflate]
        .into_iter()
        .flat_map(|compression| [false, true].map(|is_stream| archive(compression, is_stream)))
        .collect()
}

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn diagnose(&self, bytes: &[u8]) -> Result<Plan, Error> {
        fs::write(self.path("x.npz"), bytes).unwrap();
        diagnose(self.path("x.npz"), &Options::new())
    }

    /// Repairs an archive, and returns the names of its members, whose bytes must be right.
    fn repaired(&self, bytes: &[u8]) -> Vec<String> {
        self.diagnose(bytes).unwrap().write(self.path("out.npz")).unwrap();
        let out = fs::read(self.path("out.npz")).unwrap();
        let limits = Limits::default();
        let directory = Directory::of_file(Cursor::new(&out), &limits).unwrap();
        let entries = directory.entries().iter();
        entries
            .map(|entry| {
                let mut found = Vec::new();
                let member = directory.member(entry, Cursor::new(&out), &limits);
                member.unwrap().read_to_end(&mut found).unwrap();
                assert!(found == data(entry.name()), "{}", entry.name());
                entry.name().to_owned()
            })
            .collect()
    }
}

/// Guards members of one name: the last is kept, and an archive with such members needs a repair.
#[test]
fn of_members_of_one_name_the_last_is_kept() {
    let folder = Folder::new();
    let twice = zips::archive(
        b"",
        &[Raw::of("a", b"old"), Raw::of("last.npy", &data("last.npy")), Raw::of("a", b"new")],
        b"",
    );
    let plan = folder.diagnose(&twice).unwrap();
    assert_eq!(plan.damages(), [Damage::SameName { name: "a".into() }]);
    assert!(plan.is_needed() && plan.damages()[0].loses());
    plan.write(folder.path("out.npz")).unwrap();
    let out = fs::read(folder.path("out.npz")).unwrap();
    let directory = Directory::of_file(Cursor::new(&out), &Limits::default()).unwrap();
    assert_eq!((directory.entries().len(), directory.shadowed()), (2, 0));
    let mut found = String::new();
    let entry = directory.find("a").unwrap();
    let mut member = directory.member(entry, Cursor::new(&out), &Limits::default()).unwrap();
    member.read_to_string(&mut found).unwrap();
    assert_eq!(found, "new");
    assert!(!folder.diagnose(&out).unwrap().is_needed());
}

/// Guards members of one name whose last is damaged: readers see only that, and the one before it is complete.
#[test]
fn of_members_of_one_name_the_last_complete_one_is_kept() {
    let folder = Folder::new();
    let names = ["a", "a", "b", "a"];
    let texts = ["first", "second", "other", "third"];
    let members: Vec<Raw> =
        names.iter().zip(texts).map(|(name, text)| Raw::of(name, text.as_bytes())).collect();
    let right = zips::archive(b"", &members, b"");
    let (last, second) = (position(&right, b"third"), position(&right, b"second"));
    let mut damaged = right.clone();
    damaged[last] ^= 1;
    // The header of the last is not found, or its directory is lost, or it is cut off.
    let mut without_header = right.clone();
    without_header[last - 31] ^= 1;
    let without_directory = damaged[..position(&damaged, b"PK\x01\x02")].to_vec();
    let cut_off = right[..last + 2].to_vec();
    let mut two = damaged.clone();
    two[second] ^= 1;
    for (bytes, kept) in [
        (&damaged, "second"),
        (&without_header, "second"),
        (&without_directory, "second"),
        (&cut_off, "second"),
        (&two, "first"),
    ] {
        let plan = folder.diagnose(bytes).unwrap();
        let [remark] = plan.remarks() else { panic!("{plan}") };
        assert!(remark.starts_with("member \"a\": the last of this name is damaged ("), "{plan}");
        assert!(plan.is_needed());
        let is_left_out = |damage: &Damage| matches!(damage, Damage::Member { .. });
        assert!(!plan.damages().iter().any(is_left_out), "{plan}");
        plan.write(folder.path("out.npz")).unwrap();
        let out = fs::read(folder.path("out.npz")).unwrap();
        let texts_there =
            texts.map(|text| out.windows(text.len()).any(|part| part == text.as_bytes()));
        assert_eq!(texts_there, texts.map(|text| text == kept || text == "other"), "{plan}");
    }
}

/// Guards the advice for files of other formats that are named `.npz`.
#[test]
fn another_format_is_named_for_an_archive() {
    let folder = Folder::new();
    for (start, part) in [
        (&b"\n  <html><head>login"[..], "it is a web page"),
        (b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
        (b"\x1f\x8b\x08\0\0\0\0\0", "it is compressed with gzip"),
        (b"PK\x03\x04", "no member of the archive is complete"),
        (b"nothing", "no member of the archive is complete"),
    ] {
        let error = folder.diagnose(start).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}

fn position(bytes: &[u8], part: &[u8]) -> usize {
    bytes.windows(part.len()).position(|window| window == part).unwrap()
}

#[test]
fn an_archive_that_ends_anywhere_keeps_its_complete_members() {
    let folder = Folder::new();
    for bytes in archives() {
        let starts: Vec<usize> = (0..bytes.len())
            .filter(|&at| bytes[at..].starts_with(b"PK\x03\x04"))
            .chain([position(&bytes, b"PK\x01\x02")])
            .collect();
        let step = if npy_tests::is_thorough() { 97 } else { 499 };
        for length in (0..bytes.len()).step_by(step).chain(starts.iter().copied()) {
            match folder.diagnose(&bytes[..length]) {
                // A member is complete where the next one, or the directory, would begin.
                Ok(_) => {
                    let names = folder.repaired(&bytes[..length]);
                    assert_eq!(names, NAMES[..names.len()], "{length}");
                }
                Err(error) => assert!(length < starts[1], "{length}: {error}"),
            }
        }
        let directory = *starts.last().unwrap();
        assert_eq!(folder.repaired(&bytes[..directory]), NAMES);
    }
}

#[test]
fn a_member_with_a_wrong_byte_is_left_out() {
    let folder = Folder::new();
    for mut bytes in archives() {
        let name = position(&bytes, b"b/c.npy");
        let extra = usize::from(u16::from_le_bytes([bytes[name - 2], bytes[name - 1]]));
        bytes[name + 7 + extra + 9] ^= 0x10;
        let plan = folder.diagnose(&bytes).unwrap();
        assert!(
            matches!(plan.damages(), [Damage::Member { name, .. }] if name == "b/c.npy"),
            "{plan}"
        );
        assert_eq!(folder.repaired(&bytes), ["a.npy", "größe.npy", "empty", "last.npy"]);
    }
}

/// Guards a wrong directory of right members: each of its bytes may be wrong.
#[test]
fn a_wrong_directory_is_made_again() {
    let folder = Folder::new();
    let bytes = archive(Compression::stored(), false);
    let directory = position(&bytes, b"PK\x01\x02");
    for at in directory..bytes.len() {
        let mut wrong = bytes.clone();
        wrong[at] ^= 0x04;
        let names = folder.repaired(&wrong);
        // A wrong name in the directory is the name that the member has lost.
        let is_name = NAMES
            .iter()
            .any(|name| wrong[directory..].windows(name.len()).all(|part| part != name.as_bytes()));
        assert!(names == NAMES || is_name && names.len() == NAMES.len() - 1, "{at}: {names:?}");
    }
}

/// Guards an end record that was overwritten: it is that of an empty archive, and the file has members.
#[test]
fn an_empty_directory_after_members_is_made_again() {
    let folder = Folder::new();
    for bytes in archives() {
        let end = position(&bytes, b"PK\x05\x06");
        let mut without_directory = bytes[..position(&bytes, b"PK\x01\x02")].to_vec();
        without_directory.extend(&bytes[end..]);
        for (mut wrong, end) in
            [(bytes.clone(), end), (without_directory.clone(), without_directory.len() - 22)]
        {
            wrong[end + 8..end + 20].fill(0);
            let plan = folder.diagnose(&wrong).unwrap();
            let expected = "the directory names no member, and the file has some";
            assert!(
                matches!(plan.damages(), [Damage::Directory { reason }] if reason == expected),
                "{plan}"
            );
            assert_eq!(folder.repaired(&wrong), NAMES);
        }
    }
    let empty = zips::archive(b"", &[], b"");
    assert!(!folder.diagnose(&empty).unwrap().is_needed());
    // The only member is damaged, too.
    let mut lost = zips::archive(b"", &[Raw::of("a.npy", &data("a.npy"))], b"");
    let end = position(&lost, b"PK\x05\x06");
    lost[end + 8..end + 20].fill(0);
    lost[100] ^= 1;
    let error = folder.diagnose(&lost).unwrap_err().to_string();
    assert!(error.contains("no member of the archive is complete"), "{error}");
}

/// Guards sizes of eight bytes after a member: read as if they had four, they say that it is empty.
#[test]
fn sizes_after_a_member_may_have_eight_bytes() {
    let folder = Folder::new();
    let members = ["a.npy", "last.npy"].map(|name| Raw {
        descriptor: true,
        zip64: true,
        ..Raw::of(name, &data(name)).deflated()
    });
    let mut bytes = zips::archive(b"", &members, b"");
    let directory = position(&bytes, b"PK\x01\x02");
    // Neither the directory nor a member follows the last one.
    bytes[directory + 2] ^= 0x10;
    assert_eq!(folder.repaired(&bytes), ["a.npy", "last.npy"]);
}

/// Guards the lengths and the flags in a member's own header, each with a wrong byte.
#[test]
fn wrong_headers_hide_no_other_members() {
    let folder = Folder::new();
    let bytes = archive(Compression::stored(), false);
    let second = position(&bytes, b"b/c.npy") - 30;
    // With the upper byte of a length, the header reaches over members after it.
    for at in [27, 29] {
        let mut wrong = bytes.clone();
        wrong[second + at] = 0x30;
        assert_eq!(folder.repaired(&wrong), ["a.npy", "größe.npy", "empty", "last.npy"], "{at}");
    }
    // Python refuses "patched data"; without a directory, nothing else has the flags.
    let mut wrong = bytes[..position(&bytes, b"PK\x01\x02")].to_vec();
    wrong[second + 6] |= 0x20;
    assert_eq!(folder.repaired(&wrong), NAMES);
    let out = fs::read(folder.path("out.npz")).unwrap();
    let entries: Vec<usize> =
        (0..out.len()).filter(|&at| out[at..].starts_with(b"PK\x01\x02")).collect();
    assert!(entries.iter().all(|at| out[at + 8] & 0x20 == 0));
    // The directory has another name for the only member.
    let mut one = zips::archive(b"", &[Raw::of("a.npy", &data("a.npy"))], b"");
    let name = one.windows(5).rposition(|part| part == b"a.npy").unwrap();
    one[name] = b'b';
    let error = folder.diagnose(&one).unwrap_err().to_string();
    assert!(error.starts_with("the directory has other names"), "{error}");
}

/// Guards members that the directory reads rightly: they stay, although their own headers or members of an archive within say something else.
#[test]
fn a_damaged_member_changes_no_other() {
    let folder = Folder::new();
    let inner = zips::archive(b"", &[Raw::of("a.npy", b"another array")], b"");
    let members = [Raw::of("a.npy", &data("a.npy")), Raw::of("inner.npz", &inner)];
    for members in [members.clone(), [members[1].clone(), members[0].clone()]] {
        let mut bytes = zips::archive(b"", &members, b"");
        let header = position(&bytes, b"inner.npz") - 30;
        bytes[header + 2] ^= 4;
        assert_eq!(folder.repaired(&bytes), ["a.npy"]);
        // The directory has a wrong checksum for the member, and still its position.
        let entry = bytes.windows(5).rposition(|part| part == b"a.npy").unwrap() - 46;
        bytes[entry + 16] ^= 4;
        assert_eq!(folder.repaired(&bytes), ["a.npy"]);
    }
    // The member of that name within another one is not the one that the directory names.
    let third = Raw::of("b/c.npy", &data("b/c.npy"));
    for order in [[0, 1, 2], [1, 0, 2], [2, 1, 0]] {
        let [one, two, three] = order.map(|n| [&members[0], &members[1], &third][n].clone());
        let mut bytes = zips::archive(b"", &[one, two, three], b"");
        let header = position(&bytes, b"inner.npz") - 30;
        bytes[header + 2] ^= 4;
        let last = position(&bytes, &data("a.npy")) + data("a.npy").len() - 1;
        bytes[last] ^= 4;
        assert_eq!(folder.repaired(&bytes), ["b/c.npy"]);
    }
    // With other bytes in it, the directory is wrong: one that is not within a damaged member is preferred.
    let mut bytes = zips::archive(b"", &members, b"");
    let within = position(&bytes, b"another array");
    bytes.splice(within + 13..within + 13, *b"more");
    assert_eq!(folder.repaired(&bytes), ["a.npy"]);
    // The first has a wrong checksum in its own header, which readers do not look at.
    let mut bytes = archive(Compression::stored(), false);
    bytes[14] ^= 4;
    let second = position(&bytes, b"b/c.npy");
    bytes[second + 2000] ^= 4;
    assert_eq!(folder.repaired(&bytes), ["a.npy", "größe.npy", "empty", "last.npy"]);
}

/// Guards a directory that is read no more, and still names the members.
#[test]
fn each_member_that_the_directory_names_is_kept_or_reported() {
    let folder = Folder::new();
    let mut bytes = archive(Compression::stored(), false);
    let second = position(&bytes, b"b/c.npy");
    bytes.remove(second - 28);
    let plan = folder.diagnose(&bytes).unwrap();
    let lost = |damage: &Damage| matches!(damage, Damage::Member { name, .. } if name == "b/c.npy");
    assert_eq!(plan.damages().iter().filter(|damage| lost(damage)).count(), 1, "{plan}");
    assert_eq!(folder.repaired(&bytes), ["a.npy", "größe.npy", "empty", "last.npy"]);
}

#[test]
fn bytes_before_an_archive_are_left_out() {
    let folder = Folder::new();
    let bytes = [b"HTTP/1.1 200 OK\r\n\r\n", &archive(Compression::stored(), false)[..]].concat();
    assert_eq!(folder.repaired(&bytes), NAMES);
    assert!(folder.diagnose(b"nothing").unwrap_err().to_string().contains("no member"));
}

/// Guards `np.savez` that failed in a member: the archive is right, and the array in it is not complete.
#[test]
fn a_part_of_an_array_in_a_member_keeps_its_rows() {
    let folder = Folder::new();
    let mut array = Vec::new();
    npy_core::WriteNpy::write_npy_to(&[1u16, 2, 3], &mut array).unwrap();
    array.pop();
    let mut writer = Writer::stream(Vec::new(), Compression::stored());
    for (name, bytes) in [("short.npy", &array[..]), ("other.txt", b"text")] {
        writer
            .add(name, |member| {
                member.begin(bytes.len() as u64)?;
                member.write_all(bytes)
            })
            .unwrap();
    }
    let plan = folder.diagnose(&writer.finish().unwrap()).unwrap();
    assert!(
        matches!(plan.damages(), [Damage::Array { name, .. }] if name == "short.npy"),
        "{plan}"
    );
    plan.write(folder.path("out.npz")).unwrap();
    let out = fs::read(folder.path("out.npz")).unwrap();
    let directory = Directory::read(Cursor::new(&out), &Limits::default()).unwrap();
    let entry = directory.find("short.npy").unwrap();
    let member = directory.member(entry, Cursor::new(&out), &Limits::default()).unwrap();
    assert_eq!(npy_core::ReadNpy::read_npy_from(member).ok(), Some(vec![1u16, 2]));
    assert!(directory.find("other.txt").is_some());
}

/// Guards the member within which an archive ends: its complete rows are kept by its name, also of a writer that was stopped; a complete member of that
/// name is preferred.
#[test]
fn the_rows_of_the_last_member_of_a_truncated_archive_are_kept() {
    let folder = Folder::new();
    let arrays = [vec![1u16, 2, 3], vec![4, 5, 6, 7]].map(|values| {
        let mut array = Vec::new();
        npy_core::WriteNpy::write_npy_to(&values, &mut array).unwrap();
        array
    });
    let read = |plan: &Plan, name: &str| {
        plan.write(folder.path("out.npz")).unwrap();
        let out = fs::read(folder.path("out.npz")).unwrap();
        let directory = Directory::of_file(Cursor::new(&out), &Limits::default()).unwrap();
        let entry = directory.find(name).unwrap();
        let member = directory.member(entry, Cursor::new(&out), &Limits::default()).unwrap();
        <Vec<u16> as npy_core::ReadNpy>::read_npy_from(member).unwrap()
    };
    for names in [&["a.npy", "b.npy"][..], &["b.npy"]] {
        let members: Vec<Raw> = names
            .iter()
            .zip(&arrays[2 - names.len()..])
            .map(|(name, array)| Raw::of(name, array))
            .collect();
        let right = zips::archive(b"", &members, b"");
        let data = right.windows(6).rposition(|part| part == b"\x93NUMPY").unwrap() + 128;
        let mut stopped = right.clone();
        let header = data - 128 - 35;
        stopped[header + 14..header + 26].fill(0);
        for (bytes, count) in
            [(&right[..data + 5], 2), (&stopped[..data + 5], 2), (&stopped[..data + 8], 4)]
        {
            let plan = folder.diagnose(bytes).unwrap();
            assert_eq!(plan.members(), names);
            let [remark] = plan.remarks() else { panic!("{plan}") };
            assert!(
                remark.starts_with("member \"b.npy\" is kept, and was not checked: "),
                "{plan}"
            );
            let is_truncated = plan.damages().iter().any(|damage| {
                matches!(damage, Damage::Array { name, damage } if name == "b.npy" && damage.loses())
            });
            assert_eq!(is_truncated, count < 4, "{plan}");
            assert_eq!(read(&plan, "b.npy"), [4, 5, 6, 7][..count]);
        }
        // Not one row is complete.
        match folder.diagnose(&right[..data + 1]) {
            Ok(plan) => assert_eq!(plan.members(), ["a.npy"]),
            Err(error) => {
                assert!(error.to_string().contains("no member of the archive"), "{error}")
            }
        }
    }
    // Rows that are zeros may be space for bytes that never came. Those before them are kept.
    let rows: Vec<u16> = (1..=50).chain([0; 50]).collect();
    let mut array = Vec::new();
    npy_core::WriteNpy::write_npy_to(&rows, &mut array).unwrap();
    let bytes = zips::archive(b"", &[Raw::of("b.npy", &array)], b"");
    let data = bytes.windows(6).rposition(|part| part == b"\x93NUMPY").unwrap() + 128;
    for (count, kept, text) in [
        (57, 57, "the file ends within the member"),
        (
            58,
            49,
            "the file ends within the member; the last 17 bytes of the file are zeros, which may never have been written; 9 more along dimension 0 are left out",
        ),
    ] {
        let plan = folder.diagnose(&bytes[..data + 2 * count]).unwrap();
        let remark = format!("member \"b.npy\" is kept, and was not checked: {text}");
        assert_eq!(plan.remarks(), [remark]);
        assert!(plan.damages().iter().any(Damage::loses), "{plan}");
        assert_eq!(read(&plan, "b.npy"), rows[..kept]);
    }
    // In Fortran order, they are columns.
    for (shape, count, zeros, text) in [
        ([2, 50], 58, 17, "; 5 more along dimension 1 are left out"),
        ([20, 5], 60, 21, "; 1 more along dimension 1 is left out"),
        ([20, 5], 59, 19, ""),
    ] {
        let columns = NpyArray::with_order(rows.clone(), shape, Order::Fortran).unwrap();
        let mut array = Vec::new();
        npy_core::WriteNpy::write_npy_to(&columns, &mut array).unwrap();
        let bytes = zips::archive(b"", &[Raw::of("b.npy", &array)], b"");
        let plan = folder.diagnose(&bytes[..data + 2 * count]).unwrap();
        let remark = format!(
            "member \"b.npy\" is kept, and was not checked: the file ends within the member; the last {zeros} bytes of the file are zeros, which may never have been written{text}"
        );
        assert_eq!(plan.remarks(), [remark]);
    }
    // No row is certain.
    let error = folder.diagnose(&[&bytes[..data], &[0; 100]].concat()).unwrap_err();
    assert!(error.to_string().contains("no member of the archive"), "{error}");
    let both = zips::archive(b"", &[Raw::of("a.npy", &arrays[0]), Raw::of("b.npy", &array)], b"");
    let data = both.windows(6).rposition(|part| part == b"\x93NUMPY").unwrap() + 128;
    let plan = folder.diagnose(&[&both[..data], &[0; 100]].concat()).unwrap();
    let reason = "member \"b.npy\": the file ends within the member; the last 100 bytes of the file are zeros, which may never have been written; it is left out";
    assert!(plan.damages().iter().any(|damage| damage.to_string() == reason), "{plan}");
    let twice = [Raw::of("a.npy", &arrays[0]), Raw::of("a.npy", &arrays[1])];
    let bytes = zips::archive(b"", &twice, b"");
    let data = bytes.windows(6).rposition(|part| part == b"\x93NUMPY").unwrap() + 128;
    let plan = folder.diagnose(&bytes[..data + 6]).unwrap();
    assert!(
        plan.remarks()[0]
            .contains("the last of this name is damaged (the file ends within the member)"),
        "{plan}"
    );
    assert_eq!(read(&plan, "a.npy"), [1, 2, 3]);
}

/// Guards members whose array ends earlier: NumPy reads it, and other readers only after a repair, which is asked for.
#[test]
fn bytes_after_the_array_of_a_member_are_counted_or_removed() {
    let folder = Folder::new();
    let array = |values: &[u16]| {
        let mut bytes = Vec::new();
        npy_core::WriteNpy::write_npy_to(values, &mut bytes).unwrap();
        bytes
    };
    let rows = [&array(&[1, 2])[..], &[3, 0, 4, 0, 5]].concat();
    let rest = [&array(&[1, 2])[..], &[3]].concat();
    let two = [array(&[1, 2]), array(&[3])].concat();
    let members = [("rows.npy", &rows), ("rest.npy", &rest), ("two.npy", &two)];
    let deflate = Compression::deflate(6, 1);
    for compression in [Compression::stored(), deflate] {
        let mut writer = Writer::seekable(Cursor::new(Vec::new()), compression).unwrap();
        for (name, bytes) in members {
            let added = writer.add(name, |member| {
                member.begin(bytes.len() as u64)?;
                member.write_all(bytes)
            });
            added.unwrap();
        }
        fs::write(folder.path("x.npz"), writer.finish().unwrap().into_inner()).unwrap();
        let repaired = |options: &Options| {
            let plan = diagnose(folder.path("x.npz"), options).unwrap();
            plan.write(folder.path("out.npz")).unwrap();
            plan.to_string()
        };
        let text = repaired(&Options::new());
        let row =
            "member \"rows.npy\": 5 bytes after the array: 2 rows that the header does not count";
        assert!(text.starts_with(row) && text.contains("\nneeds no repair"), "{text}");
        assert!(
            text.contains("member \"rest.npy\": 1 byte after the array, which NumPy ignores\n")
        );
        let read = |name| {
            let out = npy_core::npz::Reader::open(folder.path("out.npz")).unwrap();
            out.read::<Vec<u16>>(name)
        };
        let text = repaired(Options::new().uncounted_rows(UncountedRows::Keep));
        let another = "member \"two.npy\": 130 bytes after the array, which begin another array\n";
        assert!(text.contains(another), "{text}");
        assert_eq!(read("rows").unwrap(), [1, 2, 3, 4]);
        assert_eq!(read("rest").unwrap(), [1, 2]);
        assert!(read("two").is_err());
        let text = repaired(Options::new().uncounted_rows(UncountedRows::Remove));
        assert!(
            text.contains("member \"two.npy\": 130 bytes after the array, which are left out\n")
        );
        assert!(["rows", "rest", "two"].iter().all(|name| read(name).unwrap() == [1, 2]));
    }
}

/// Guards a compressed member within which the file ends: the rows that can be inflated are kept, and are those that were written.
#[test]
fn the_rows_that_can_be_inflated_are_kept() {
    let folder = Folder::new();
    let values: Vec<u32> = (0..4000_u32).map(|n| n.wrapping_mul(2_654_435_761) >> 12).collect();
    let mut array = Vec::new();
    npy_core::WriteNpy::write_npy_to(&values, &mut array).unwrap();
    let fill = |mut writer: Writer<Cursor<Vec<u8>>>| {
        for name in ["a.npy", "b.npy"] {
            let added = writer.add(name, |member| {
                member.begin(array.len() as u64)?;
                member.write_all(&array)
            });
            added.unwrap();
        }
        writer.finish().unwrap().into_inner()
    };
    let deflate = Compression::deflate(6, 1);
    let right = fill(Writer::seekable(Cursor::new(Vec::new()), deflate).unwrap());
    let stream = fill(Writer::stream(Cursor::new(Vec::new()), deflate));
    let second = |bytes: &[u8]| bytes.windows(4).rposition(|part| part == b"PK\x03\x04").unwrap();
    let mut stopped = right.clone();
    let header = second(&right);
    stopped[header + 14..header + 26].fill(0);
    for bytes in [&right, &stopped, &stream] {
        let end = position(bytes, b"PK\x01\x02");
        let (start, mut before) = (second(bytes), 0);
        for cut in (start + 40..end).step_by(499).chain([end - 40]) {
            let Ok(plan) = folder.diagnose(&bytes[..cut]) else { panic!("{cut}") };
            if plan.members() == ["a.npy"] {
                assert!(before == 0 && cut < start + 1200, "{cut}: {plan}");
                continue;
            }
            assert_eq!(plan.members(), ["a.npy", "b.npy"]);
            assert!(plan.damages().iter().any(|damage| {
                matches!(damage, Damage::Array { name, damage } if name == "b.npy" && damage.loses())
            }));
            plan.write(folder.path("out.npz")).unwrap();
            let out = npy_core::npz::Reader::open(folder.path("out.npz")).unwrap();
            let kept: Vec<u32> = out.read("b").unwrap();
            assert!(values.starts_with(&kept) && kept.len() >= before, "{cut}");
            before = kept.len();
        }
        assert!((3900..4000).contains(&before), "{before}");
    }
    // Zeros at the end are space for bytes that never came: the rows before them are kept.
    let kept = |bytes: &[u8]| {
        let plan = folder.diagnose(bytes).unwrap();
        plan.write(folder.path("out.npz")).unwrap();
        let out = npy_core::npz::Reader::open(folder.path("out.npz")).unwrap();
        (out.read::<Vec<u32>>("b").unwrap(), plan.remarks()[0].clone())
    };
    let cut = header + 2000 + right[header + 2000..].iter().position(|&byte| byte != 0).unwrap();
    let before = kept(&right[..=cut]).0;
    for (zeros, end) in [
        (1, "the last byte of the file is zero, which may never have been written"),
        (15, "the last 15 bytes of the file are zeros, which may never have been written"),
        (64, "the last 64 bytes of the file are zeros, which may never have been written"),
    ] {
        let (rows, remark) = kept(&[&right[..=cut], &vec![0; zeros][..]].concat());
        assert!(rows == before && values.starts_with(&rows) && rows.len() > 500, "{zeros}");
        assert!(remark.ends_with(end), "{remark}");
    }
    // Other bytes than those of a stream are not read as one.
    let mut damaged = right[..header + 3000].to_vec();
    damaged[header + 500..header + 600].fill(0xff);
    assert_eq!(folder.diagnose(&damaged).unwrap().members(), ["a.npy"]);
    // Of one name, the member that is complete is kept.
    let mut twice = right[..header + 2000].to_vec();
    let name = header + 30;
    twice[name..name + 5].copy_from_slice(b"a.npy");
    let plan = folder.diagnose(&twice).unwrap();
    assert_eq!(plan.members(), ["a.npy"]);
    assert!(plan.remarks()[0].contains("the last of this name is damaged"), "{plan}");
}

/// Guards time and memory: headers in the data of members that claim all of the file, and streams without an end.
#[test]
fn forged_archives_cost_linear_time_and_little_memory() {
    let folder = Folder::new();
    let local = |flags: u16, size: u32| {
        let mut header = b"PK\x03\x04\x14\0".to_vec();
        header.extend(flags.to_le_bytes());
        header.extend([0; 10]);
        header.extend([size, size].map(u32::to_le_bytes).concat());
        header.extend([1, 0, 0, 0, b'x']);
        header
    };
    for (flags, descriptor) in [(0, &b""[..]), (8, b""), (8, b"PK\x07\x08")] {
        let bytes = |count: u32| {
            let one = [&local(flags, 0)[..], descriptor].concat().len();
            let total = u32::try_from(one).unwrap() * count;
            let mut bytes = Vec::new();
            for i in 0..count {
                let rest =
                    if flags == 0 { total - i * u32::try_from(one).unwrap() - 31 } else { 0 };
                bytes.extend(local(flags, rest));
                bytes.extend(descriptor);
            }
            // So that the file does not seem to end within a member.
            bytes.extend(b"PK\x05\x06");
            bytes
        };
        // All that is read is allocated: the cost of allocations grows with the time, and is the same in each run.
        for count in [400, 1600, 6400] {
            let bytes = bytes(count);
            let ((result, memory), cost) = spent(|| peak(|| folder.diagnose(&bytes).is_err()));
            assert!(result);
            assert!(memory < (4 << 20) + 20 * bytes.len(), "{memory}");
            // Four times the bytes that may be searched.
            assert!(cost < 4 * (8 * bytes.len() as u64 + (1 << 24)), "{flags}, {count}: {cost}");
        }
    }
}

/// Guards memory: entries that overlap, each with a name of the largest length.
#[test]
fn entries_that_overlap_take_little_memory() {
    let folder = Folder::new();
    let mut bytes = zips::archive(b"", &[Raw::of("a.npy", &data("a.npy"))], b"");
    bytes.truncate(position(&bytes, b"PK\x01\x02"));
    for number in 0..1_u32 << 12 {
        bytes.extend(b"PK\x01\x02");
        bytes.extend(number.to_le_bytes());
        bytes.extend([0xff; 24]);
    }
    let (result, memory) = peak(|| folder.diagnose(&bytes));
    assert_eq!(result.unwrap().members(), ["a.npy"]);
    assert!(memory < (4 << 20) + 20 * bytes.len(), "{memory}");
}

/// Guards time: members of little data that state a large size, each read alone because no record follows it.
#[test]
fn members_that_inflate_much_are_limited() {
    let folder = Folder::new();
    let mut bytes = zips::archive(b"", &[Raw::of("a.npy", &data("a.npy"))], b"");
    bytes.truncate(position(&bytes, b"PK\x01\x02"));
    const BZIP2: u16 = 12;
    const COUNT: u32 = 100;
    for number in 0..COUNT {
        bytes.extend(b"PK\x03\x04\x2e\0\0\0");
        bytes.extend(BZIP2.to_le_bytes());
        bytes.extend([0; 8]);
        bytes.extend([40, 256 << 20].map(u32::to_le_bytes).concat());
        bytes.extend([3, 0, 0, 0]);
        bytes.extend(format!("{number:03}").as_bytes());
        bytes.extend([0; 60]);
    }
    let plan = folder.diagnose(&bytes).unwrap();
    assert_eq!(plan.members(), ["a.npy"]);
    // The last is the one that was too many, and nothing is searched after it.
    let lost = plan.damages().iter().filter(|damage| matches!(damage, Damage::Member { .. }));
    let read = lost.count() - 1;
    assert!((4..20).contains(&read), "{read} members were read");
}

/// Guards an archive that ends within its directory, at each byte: no name that is cut is that of a lost member.
#[test]
fn an_archive_that_ends_within_its_directory_loses_no_member() {
    let folder = Folder::new();
    let members = ["a.npy", "b/c.npy"].map(|name| Raw::of(name, b"data"));
    let bytes = zips::archive(b"", &members, b"");
    for end in position(&bytes, b"PK\x01\x02")..bytes.len() {
        let plan = folder.diagnose(&bytes[..end]).unwrap();
        assert_eq!(plan.members(), ["a.npy", "b/c.npy"]);
        assert!(matches!(plan.damages(), [Damage::Directory { .. }]), "{end}: {plan}");
    }
}

/// Guards the directory of an archive within the last member: its names are not those of members.
#[test]
fn names_in_a_damaged_archive_within_are_not_reported() {
    let folder = Folder::new();
    let inner = [("x.npy", &b"an array"[..]), ("last.npy", &data("last.npy"))];
    let inner = zips::archive(b"", &inner.map(|(name, bytes)| Raw::of(name, bytes)), b"");
    let members = [Raw::of("a.npy", &data("a.npy")), Raw::of("inner.npz", &inner)];
    let mut bytes = zips::archive(b"", &members, b"");
    let within = position(&bytes, b"x.npy");
    bytes.drain(within - 30..within - 27);
    let plan = folder.diagnose(&bytes).unwrap();
    let lost = |damage: &Damage| match damage {
        Damage::Member { name, .. } => Some(name.clone()),
        _ => None,
    };
    let lost: Vec<String> = plan.damages().iter().filter_map(lost).collect();
    assert_eq!(lost, ["inner.npz"], "{plan}");
    let [remark] = plan.remarks() else { panic!("{plan}") };
    assert!(remark.starts_with("member \"last.npy\" is kept, and may be one of an"), "{remark}");
    assert_eq!(folder.repaired(&bytes), ["a.npy", "last.npy"]);
}

/// Guards an archive whose directory was never written, and whose last member is an archive: the directory at the end of the file is that of the member.
#[test]
fn the_directory_of_a_member_is_not_that_of_the_archive() {
    let folder = Folder::new();
    for inner in [&[("last.npy", &data("last.npy")[..])][..], &[]] {
        let inner: Vec<Raw> = inner.iter().map(|(name, bytes)| Raw::of(name, bytes)).collect();
        let inner = zips::archive(b"", &inner, b"");
        let members = [Raw::of("a.npy", &data("a.npy")), Raw::of("inner.npz", &inner)];
        let mut bytes = zips::archive(b"", &members, b"");
        bytes.truncate(position(&bytes, &inner) + inner.len());
        let plan = folder.diagnose(&bytes).unwrap();
        assert_eq!(plan.members(), ["a.npy", "inner.npz"], "{plan}");
        let text = plan.to_string();
        assert!(text.contains("is that of the archive in its member \"inner.npz\""), "{text}");
        plan.write(folder.path("out.npz")).unwrap();
        let out = fs::read(folder.path("out.npz")).unwrap();
        position(&out, &inner);
    }
}

/// Guards members before an archive that is complete: readers do not see them, and so they are reported.
#[test]
fn members_before_a_complete_archive_are_reported() {
    let folder = Folder::new();
    let before = zips::archive(b"", &[Raw::of("old.npy", b"an array")], b"");
    let bytes = [&before[..], &archive(Compression::stored(), false)].concat();
    let plan = folder.diagnose(&bytes).unwrap();
    let [remark] = plan.remarks() else { panic!("{plan}") };
    assert!(remark.starts_with("member \"old.npy\" is left out: it is before"), "{remark}");
    assert_eq!(plan.members(), NAMES);
}
