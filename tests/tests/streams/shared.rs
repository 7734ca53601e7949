//! Files that another program writes to at the same time, or that were opened for appending.

use std::env;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, BufWriter, Read};
use std::path::Path;
use std::process::Stdio;

use super::*;
use npy_core::{RowWriter, npz};

fn is_locked<T: Element>(path: &Path) -> bool {
    match Writer::<T, _>::append(path) {
        Ok(_) => false,
        Err(error) => {
            assert!(matches!(error.kind(), ErrorKind::Locked), "{error}");
            assert!(error.to_string().contains("another writer has it open"), "{error}");
            true
        }
    }
}

/// Guards rows written to a file that no longer has a name: each call that says that rows are in the file is an error.
#[test]
fn a_writer_whose_file_was_replaced_does_not_succeed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let replacements: [fn(&Path); 3] = [
        |path| [7u64].write_npy(path).unwrap(),
        |path| drop(Writer::<u64, _>::create(path).unwrap().finish().unwrap()),
        |path| std::fs::remove_file(path).unwrap(),
    ];
    for (i, replace) in replacements.iter().enumerate() {
        for create in [true, false] {
            [1u64].write_npy(&path).unwrap();
            let mut writer = match create {
                true => Writer::<u64, _>::create(&path).unwrap(),
                false => Writer::<u64, _>::append(&path).unwrap(),
            };
            writer.push(&2).unwrap();
            writer.flush().unwrap();
            writer.sync().unwrap();
            replace(&path);
            for call in [Writer::flush, Writer::sync] {
                let error = call(&mut writer).unwrap_err().to_string();
                assert!(
                    error.contains("it was replaced or removed while rows were written"),
                    "{error}"
                );
            }
            let error = writer.finish().unwrap_err().to_string();
            assert!(error.contains("x.npy: it was replaced or removed"), "{i} {create}: {error}");
        }
    }
}

/// Guards logs that are rotated: the rows are in the file that was renamed, and `finish` says so.
#[cfg(unix)]
#[test]
fn a_file_that_was_renamed_keeps_its_rows() {
    let dir = tempfile::tempdir().unwrap();
    let (path, rotated) = (dir.path().join("x.npy"), dir.path().join("x.1.npy"));
    let mut writer = Writer::<u64, _>::create(&path).unwrap();
    writer.push(&1).unwrap();
    std::fs::rename(&path, &rotated).unwrap();
    writer.push(&2).unwrap();
    writer.flush().unwrap();
    assert_eq!(Vec::<u64>::read_npy(&rotated).unwrap(), [1, 2]);
    let error = writer.finish().unwrap_err().to_string();
    assert!(error.contains("the rows are in the file with the other name"), "{error}");
}

/// Guards two writers in one process: the second is refused until the first has finished.
#[test]
fn a_file_that_is_written_to_takes_no_second_writer() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let mut first = Writer::<u64, _>::create(&path).unwrap();
    first.push(&0).unwrap();
    assert!(is_locked::<u64>(&path), "while it is created");
    let _file = first.finish().unwrap();
    assert!(!is_locked::<u64>(&path), "a writer that has finished holds nothing");

    let mut first = Writer::<u64, _>::append(&path).unwrap();
    first.push(&1).unwrap();
    assert!(is_locked::<u64>(&path), "while another one appends");
    assert_eq!(Vec::<u64>::read_npy(&path).unwrap(), [0], "and can be read");
    drop(first);
    assert!(!is_locked::<u64>(&path), "a writer that was dropped holds nothing");

    // The file that replaces it is not locked.
    let _first = Writer::<u64, _>::append(&path).unwrap();
    [5u64].write_npy(&path).unwrap();
    assert!(!is_locked::<u64>(&path));
}

/// Guards writers that start at once without a file: one creates it, and no other replaces it.
#[test]
fn writers_that_start_at_once_lose_no_row() {
    const WRITERS: usize = 3;
    let dir = tempfile::tempdir().unwrap();
    for (round, sync) in (0..100).map(|round| (round, round % 10 == 0)) {
        let path = dir.path().join(format!("{round}.npy"));
        let start = std::sync::Barrier::new(WRITERS);
        let write = || {
            start.wait();
            let mut options = WriteOptions::new();
            options.sync(sync);
            let mut writer = loop {
                match options.append_or_create::<u64>(&path) {
                    Err(error) => assert!(matches!(error.kind(), ErrorKind::Locked), "{error}"),
                    Ok(writer) => break writer,
                }
            };
            writer.push(&7).unwrap();
            writer.finish().unwrap();
        };
        std::thread::scope(|scope| {
            (0..WRITERS).for_each(|_| drop(scope.spawn(write)));
        });
        assert_eq!(Vec::<u64>::read_npy(&path).unwrap(), [7; WRITERS], "{sync}");
    }
    assert_eq!(npy_tests::names(dir.path()).len(), 100, "no temporary name is left");
}

/// Guards the file that `append_or_create` finds: it grows, also by rows, and rows of another shape are refused.
#[test]
fn a_file_that_exists_is_not_created_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    for count in [1, 2] {
        let mut writer = RowWriter::<u64, _>::append_or_create(&path, &[2]).unwrap();
        writer.push_row(&[7, 9]).unwrap();
        writer.finish().unwrap();
        assert_eq!(Header::read_npy(&path).unwrap().shape(), [count, 2]);
    }
    let error = RowWriter::<u64, _>::append_or_create(&path, &[3]).unwrap_err().to_string();
    assert!(error.ends_with("shape (3,): the rows of the file have the shape (2,)"), "{error}");
    let mut writer = Writer::<[u64; 2], _>::append_or_create(&path).unwrap();
    writer.push(&[1, 2]).unwrap();
    writer.finish().unwrap();
    assert_eq!(Header::read_npy(&path).unwrap().shape(), [3, 2]);
    assert!(Writer::<f32, _>::append_or_create(&path).is_err());

    let error = Writer::<u64, _>::append_or_create(dir.path().join("no/x.npy")).unwrap_err();
    assert!(error.to_string().contains("create it first"), "{error}");
}

/// Guards a file that appears while an atomic writer of the same name writes.
#[test]
fn an_atomic_writer_does_not_replace_a_file_that_it_did_not_find() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let mut writer = WriteOptions::new().atomic(true).append_or_create::<u64>(&path).unwrap();
    writer.push(&7).unwrap();
    [1u64].write_npy(&path).unwrap();
    let error = writer.finish().unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::Io(error) if error.kind() == io::ErrorKind::AlreadyExists)
    );
    assert_eq!(Vec::<u64>::read_npy(&path).unwrap(), [1]);
    assert_eq!(npy_tests::names(dir.path()), ["x.npy"]);
}

const FILE: &str = "NPY_SHARED_FILE";

/// Not a test of its own: the other process, which appends 2,000 rows, prints a line, and finishes when it gets a byte.
#[test]
#[ignore = "started by `of_two_processes_that_append_the_second_is_locked_out`"]
fn child() {
    let Some(path) = env::var_os(FILE) else { return };
    let mut writer = Writer::<u64, _>::append(path).unwrap();
    writer.extend(0..2_000).unwrap();
    println!("appended");
    io::stdin().read_exact(&mut [0]).unwrap();
    writer.finish().unwrap();
}

/// Guards the rows of two processes: none of the 4,000 is lost.
#[test]
fn of_two_processes_that_append_the_second_is_locked_out() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    Writer::<u64, _>::create(&path).unwrap().finish().unwrap();
    let mut child = npy_tests::again("streams::shared::child")
        .env(FILE, &path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut lines = lines.map_while(Result::ok);
    assert!(lines.any(|line| line.ends_with("appended")));
    assert!(is_locked::<u64>(&path));
    child.stdin.take().unwrap().write_all(b"!").unwrap();
    lines.for_each(drop);
    assert!(child.wait().unwrap().success());

    let mut writer = Writer::<u64, _>::append(&path).unwrap();
    writer.extend(2_000..4_000).unwrap();
    writer.finish().unwrap();
    let expected: Vec<u64> = (0..4_000).collect();
    assert_eq!(Vec::<u64>::read_npy(&path).unwrap(), expected);
}

/// Guards the length, which must be written in the header: the first call reports that this is impossible.
#[test]
fn a_file_opened_for_appending_is_refused_before_it_has_an_item() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let open = || OpenOptions::new().append(true).open(&path).unwrap();
    for before in [&b""[..], b"what was there"] {
        let writers: [fn(File) -> Result<(), Error>; 2] = [
            |file| Writer::<u8, _>::new(file).map(drop),
            |file| Writer::<u8, _>::new(BufWriter::new(file)).map(drop),
        ];
        for writer in writers {
            fs::write(&path, before).unwrap();
            let error = writer(open()).unwrap_err().to_string();
            assert!(error.contains("the file was opened with append(true)"), "{error}");
            assert!(error.contains("Writer::append"), "{error}");
            assert!(fs::read(&path).unwrap().starts_with(before));
        }
    }
}

/// Guards the text for a device, whose position stays where it is: that is not a file opened for appending.
#[cfg(unix)]
#[test]
fn a_device_without_positions_is_refused_with_the_reason() {
    let mut writer = Writer::<u8, _>::create("/dev/null").unwrap();
    writer.push(&1).unwrap();
    let error = writer.finish().unwrap_err().to_string();
    assert!(error.contains("/dev/null: the position does not follow the writes"), "{error}");
    assert!(error.contains("Writer::with_shape") && !error.contains("append"), "{error}");
}

/// Guards archives, whose checksums are written at the start of each member: an archive that does not load must be an
/// error.
#[test]
fn an_archive_in_a_file_opened_for_appending_is_whole_or_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npz");
    let write = |length: usize, before: &[u8]| -> Result<(), Error> {
        fs::write(&path, before).unwrap();
        let file = OpenOptions::new().append(true).open(&path).unwrap();
        let mut writer = npz::Writer::new(BufWriter::new(file))?;
        writer.write("a", &vec![1u8; length])?;
        writer.write("b", &vec![2u8; length])?;
        writer.finish().map(drop)
    };
    for (length, before) in [(10, &b"before"[..]), (1 << 20, b"before"), (1 << 20, b"")] {
        let error = write(length, before).unwrap_err().to_string();
        assert!(error.contains("the file was opened with append(true)"), "{length}: {error}");
        assert!(fs::read(&path).unwrap().starts_with(before));
    }
    // Nothing needs to be overwritten here.
    write(10, b"").unwrap();
    let reader = npz::Reader::open(&path).unwrap();
    assert_eq!(reader.read::<Vec<u8>>("b").unwrap(), [2; 10]);
}
