//! Writers that are dropped without `finish`: the archive is complete, or it is not there.

use std::fs;
use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use npy_core::npz::{self, Editor, Reader, WriteOptions, Writer};
use npy_core::{DynArray, DynRowAppender, NpyArray, NpzArchive, ReadNpy, RowWriter};
use npy_tests::disk::Disk;
use npy_tests::picky::Lucky;

fn names(path: &Path) -> Vec<String> {
    Reader::open(path).unwrap().names().map(str::to_owned).collect()
}

/// Guards the work of a program that forgets `finish`: the archive is complete, stored and compressed, new and appended to.
#[test]
fn an_archive_is_completed_when_its_writer_is_dropped() {
    let dir = tempfile::tempdir().unwrap();
    for (name, options) in [
        ("stored.npz", WriteOptions::new()),
        ("deflated.npz", WriteOptions::new().deflate(1).threads(2).clone()),
    ] {
        let path = dir.path().join(name);
        let values: Vec<u32> = (0..700_000).collect();
        let mut writer = options.create(&path).unwrap();
        writer.write("a", &values).unwrap();
        assert!(!path.exists(), "the file appears when it is complete");
        drop(writer);
        let mut writer = options.append(&path).unwrap();
        let mut rows = writer.start::<u32>("b").unwrap();
        rows.extend(&values).unwrap();
        drop(rows);
        drop(writer);
        assert_eq!(names(&path), ["a", "b"]);
        assert_eq!(Reader::open(&path).unwrap().read::<Vec<u32>>("b").unwrap(), values);
    }
}

/// Guards writers without a path.
#[test]
fn the_directory_of_a_stream_is_written_when_its_writer_is_dropped() {
    let mut bytes = Vec::new();
    let mut writer = Writer::stream(&mut bytes);
    writer.write("x", &[1u8, 2]).unwrap();
    drop(writer);
    let mut file = Cursor::new(Vec::new());
    let mut writer = Writer::new(&mut file).unwrap();
    writer.write("x", &[1u8, 2]).unwrap();
    drop(writer);
    for bytes in [bytes, file.into_inner()] {
        assert_eq!(Reader::new(Cursor::new(bytes)).unwrap().read::<Vec<u8>>("x").unwrap(), [1, 2]);
    }
}

/// Guards the old file: an archive that lacks what a program meant to write does not replace it.
#[test]
fn after_a_failure_or_a_panic_the_old_archive_stays() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npz");
    let mut writer = Writer::create(&path).unwrap();
    writer.write("old", &[1u8]).unwrap();
    writer.finish().unwrap();
    let before = fs::read(&path).unwrap();
    let write = |how: &dyn Fn(&mut Writer<fs::File>)| {
        for options in [WriteOptions::new(), WriteOptions::new().deflate(1).clone()] {
            for open in [WriteOptions::create, WriteOptions::append] {
                let mut writer = open(&options, &path).unwrap();
                writer.write("new", &[2u8]).unwrap();
                how(&mut writer);
                writer.write("another", &[3u8]).unwrap();
                drop(writer);
                assert_eq!(fs::read(&path).unwrap(), before);
            }
        }
    };
    write(&|writer| {
        writer.write("x", &[Lucky(1), Lucky(13)]).unwrap_err();
    });
    write(&|writer| {
        writer.write("new", &[2u8]).unwrap_err();
    });
    write(&|writer| {
        let mut rows = writer.start::<Lucky>("x").unwrap();
        rows.push(&Lucky(13)).unwrap_err();
    });
    write(&|writer| {
        let panicking = || {
            let mut rows = writer.start::<u8>("x").unwrap();
            rows.push(&1).unwrap();
            panic!("the program fails");
        };
        catch_unwind(AssertUnwindSafe(panicking)).unwrap_err();
    });
    write(&|writer| {
        let rows = writer.start::<u8>("x").unwrap();
        std::mem::forget(rows);
    });
    let panicking = || {
        let mut writer = Writer::create(&path).unwrap();
        writer.write("new", &[2u8]).unwrap();
        panic!("the program fails");
    };
    catch_unwind(AssertUnwindSafe(panicking)).unwrap_err();
    Writer::create(&path).unwrap().discard();
    let mut editor = Editor::open(&path).unwrap();
    editor.write("new", &[2u8]).unwrap();
    drop(editor);
    assert_eq!(fs::read(&path).unwrap(), before);
}

/// Guards a program that goes on: after a refused value, `finish` completes the archive; discarded rows are no failure.
#[test]
fn a_program_may_go_on_after_a_failure() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npz");
    let mut writer = Writer::create(&path).unwrap();
    writer.write("x", &[Lucky(13)]).unwrap_err();
    writer.write("x", &[Lucky(1)]).unwrap();
    writer.finish().unwrap();
    assert_eq!(names(&path), ["x"]);

    let mut writer = Writer::create(&path).unwrap();
    writer.start::<u8>("y").unwrap().discard();
    writer.write("z", &[1u8]).unwrap();
    drop(writer);
    assert_eq!(names(&path), ["z"]);
}

/// Guards rows that cannot be written when their writer is dropped: `finish` of the archive says so.
#[test]
fn rows_that_are_lost_are_an_error_of_the_archive() {
    let disk = Disk::with_room(100);
    let mut writer = npz::Writer::stream(disk);
    let mut rows = writer.start::<u64>("x").unwrap();
    rows.extend(0..100_000u64).unwrap();
    drop(rows);
    writer.finish().unwrap_err();
}

/// Guards the rows of the other writers that can be dropped.
#[test]
fn rows_of_arrays_are_written_when_their_writers_are_dropped() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let mut rows = RowWriter::<u8>::create(&path, &[2]).unwrap();
    rows.push_row(&[1, 2]).unwrap();
    drop(rows);
    let mut more = DynRowAppender::open(&path).unwrap();
    let row = NpyArray::new(vec![3u8, 4], [1, 2]).unwrap();
    more.append(&DynArray::of(&row).unwrap()).unwrap();
    drop(more);
    let found = NpyArray::<u8>::read_npy(&path).unwrap();
    assert_eq!((found.shape(), found.as_slice_memory_order()), (&[2, 2][..], &[1, 2, 3, 4][..]));
}

/// A struct with a field that `encode` of its module may refuse.
mod even {
    pub(super) type Stored = Vec<u8>;

    pub(super) fn encode(half: &[u8]) -> Result<Stored, String> {
        let double = |&n: &u8| n.checked_mul(2).ok_or_else(|| format!("{n} is too large"));
        half.iter().map(double).collect()
    }

    pub(super) fn decode(stored: Stored) -> Result<Vec<u8>, String> {
        let half = |n: u8| if n.is_multiple_of(2) { Ok(n / 2) } else { Err(format!("{n} is odd")) };
        stored.into_iter().map(half).collect()
    }
}

#[derive(NpzArchive, Debug, PartialEq)]
struct Halves {
    first: Vec<u8>,
    #[npy(with = even, alias = "halves")]
    half: Vec<u8>,
    #[npy(with = even, default)]
    other: Vec<u8>,
}

/// Guards `with` in archives: the errors of both functions name the member, and no incomplete archive replaces another.
#[test]
fn a_module_may_refuse_the_value_of_a_member() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npz");
    let good = Halves { first: vec![1], half: vec![2], other: vec![100] };
    npz::save(&path, &good).unwrap();
    assert_eq!(npz::load::<Halves>(&path).unwrap(), good);
    let before = fs::read(&path).unwrap();
    let error = npz::save(&path, &Halves { half: vec![200], ..good }).unwrap_err().to_string();
    assert!(error.contains("x.npz: member \"half\": 200 is too large"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before);
    for name in ["half", "halves"] {
        let mut writer = Writer::create(&path).unwrap();
        writer.write("first", &[1u8]).unwrap();
        writer.write(name, &[2u8, 3]).unwrap();
        writer.finish().unwrap();
        let error = npz::load::<Halves>(&path).unwrap_err().to_string();
        assert!(error.contains(&format!("x.npz: member {name:?}: 3 is odd")), "{error}");
    }
}
