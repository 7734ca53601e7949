//! Invalid values, failing disks, and writers that are dropped.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};

use npy_core::npz::sparse::Csr;
use npy_core::npz::{Reader, WriteOptions, Writer};
use npy_core::{ErrorKind, ReadNpy};
use npy_tests::disk::Disk;
use npy_tests::picky::Lucky;
use npy_tests::rounds;

/// Returns this many values and an invalid one after them.
fn unlucky(count: usize) -> Vec<Lucky> {
    let mut values = vec![Lucky(7); count];
    values.push(Lucky(13));
    values
}

fn ways() -> [WriteOptions; 3] {
    let (mut deflate, mut threads) = (WriteOptions::new(), WriteOptions::new());
    deflate.deflate(6);
    threads.deflate(6).threads(2);
    [WriteOptions::new(), deflate, threads]
}

#[test]
fn a_member_that_is_invalid_leaves_no_trace() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npz");
    for options in ways() {
        let write = |failing: &[usize]| {
            let mut writer = options.create(&path).unwrap();
            writer.write("a", &vec![1u8; 100_000]).unwrap();
            for &count in failing {
                let error = writer.write("bad", &unlucky(count)).unwrap_err().to_string();
                assert!(error.ends_with(&format!("member \"bad\": row {count}: 13")), "{error}");
            }
            writer.write("b", &[2u8]).unwrap();
            for &count in failing {
                writer.write("bad", &unlucky(count)).unwrap_err();
            }
            // The name can still be used.
            writer.write("bad", &[3u8]).unwrap();
            for &count in failing {
                writer.write("worse", &unlucky(count)).unwrap_err();
            }
            writer.finish().unwrap();
            std::fs::read(&path).unwrap()
        };
        // In the first block, after it, and after many blocks.
        let bytes = write(&[0, 10, 100_000, 1_000_000]);
        assert!(bytes == write(&[]), "the same bytes");
        let reader = Reader::open(&path).unwrap();
        assert!(reader.names().eq(["a", "b", "bad"]));
        assert_eq!(reader.read::<Vec<u8>>("bad").unwrap(), [3]);
    }
}

#[test]
fn after_an_invalid_member_an_archive_in_memory_can_continue() {
    let mut writer = Writer::new(Cursor::new(Vec::new())).unwrap();
    writer.write("bad", &unlucky(1_000_000)).unwrap_err();
    writer.write("a", &[1u8, 2]).unwrap();
    let reader = Reader::new(writer.finish().unwrap()).unwrap();
    assert!(reader.names().eq(["a"]));
    assert_eq!(reader.read::<Vec<u8>>("a").unwrap(), [1, 2]);
}

#[test]
fn after_a_partly_written_member_a_stream_fails() {
    let mut writer = Writer::stream(Vec::new());
    // Nothing of the first block is written yet.
    writer.write("bad", &unlucky(10)).unwrap_err();
    writer.write("a", &[1u8]).unwrap();
    writer.write("bad", &unlucky(1_000_000)).unwrap_err();
    let error = writer.write("b", &[1u8]).unwrap_err().to_string();
    assert!(error.contains("an earlier write failed (row 1000000: 13)"), "{error}");
    assert!(writer.finish().is_err());
}

#[test]
fn discarded_rows_are_no_member() {
    let mut writer = Writer::new(Cursor::new(Vec::new())).unwrap();
    let mut rows = writer.start::<u8>("a").unwrap();
    rows.push(&1).unwrap();
    rows.discard();
    let mut rows = writer.start::<Lucky>("a").unwrap();
    rows.push(&Lucky(1)).unwrap();
    let error = rows.push(&Lucky(13)).unwrap_err().to_string();
    assert_eq!(error, "member \"a\": row 1: 13");
    rows.extend([Lucky(2), Lucky(3)]).unwrap();
    rows.write_slice(&[Lucky(4)]).unwrap();
    assert_eq!(rows.count(), 4);
    rows.finish().unwrap();
    assert!(writer.start::<u8>("a").is_err(), "the name is taken");
    let reader = Reader::new(writer.finish().unwrap()).unwrap();
    assert_eq!(reader.read::<Vec<u32>>("a").unwrap(), [1, 2, 3, 4]);
}

/// Guards the spool file of many rows: it is removed whether the rows are finished or not, and on Unix it never has a
/// name.
#[test]
fn rows_leave_no_file_behind() {
    let directory = tempfile::tempdir().unwrap();
    let files = || std::fs::read_dir(directory.path()).unwrap().count();
    let path = directory.path().join("x.npz");
    let mut writer = Writer::create(&path).unwrap();
    // Where the system supports it, the archive has no name yet.
    let before = files();
    assert!(before <= 1);
    for name in ["waits", "is finished"] {
        let mut rows = writer.start::<u32>(name).unwrap();
        // More than is kept in memory, then many single rows.
        rows.write_slice(&vec![7; 500_000]).unwrap();
        (0..500_000).for_each(|n| rows.push(&n).unwrap());
        assert_eq!(files(), before + usize::from(!cfg!(unix)));
        if name == "is finished" {
            rows.finish().unwrap();
        } else {
            rows.discard();
        }
    }
    writer.finish().unwrap();
    assert_eq!(files(), 1);
    let reader = Reader::open(&path).unwrap();
    let read: Vec<u32> = reader.read("is finished").unwrap();
    assert!(read.iter().copied().eq(std::iter::repeat_n(7, 500_000).chain(0..500_000)));
    assert!(!reader.contains("waits"));
}

/// Guards the order of members, also when many are complete before an earlier one.
#[test]
fn small_members_wait_for_a_slow_one() {
    let slow: Vec<u8> =
        (0..20_000_000u32).map(|n| n.wrapping_mul(0x915f_77f5).to_be_bytes()[0] & 3).collect();
    let archive = |threads| {
        let mut writer = WriteOptions::new()
            .deflate(9)
            .threads(threads)
            .writer(Cursor::new(Vec::new()))
            .unwrap();
        writer.write("slow", &slow).unwrap();
        (0..3000u32).for_each(|n| writer.write(&format!("{n}"), &n).unwrap());
        writer.finish().unwrap().into_inner()
    };
    assert!(archive(3) == archive(1));
}

#[test]
fn after_a_disk_failure_every_call_is_an_error() {
    let run = |disk: &Disk, options: &WriteOptions| {
        let mut writer = options.writer(disk.clone())?;
        let mut failed = false;
        for n in 0..6u8 {
            let written = writer.write(&format!("{n}"), &vec![u64::from(n); 20_000]);
            assert!(!failed || written.is_err(), "every call after a failure is an error");
            failed |= written.is_err();
        }
        let finished = writer.finish().map(drop);
        assert!(!failed || finished.is_err());
        finished
    };
    for options in ways() {
        let sound = Disk::sound();
        run(&sound, &options).unwrap();
        let whole = sound.bytes();
        for room in (0..whole.len()).step_by(whole.len() / rounds(50) + 1) {
            assert!(run(&Disk::with_room(room), &options).is_err(), "{room}");
        }
        run(&Disk::with_room(whole.len()), &options).unwrap();
        let most = (0..1000).find(|&calls| run(&Disk::with_calls(calls), &options).is_ok());
        assert!(most.unwrap() > 2);
    }
}

#[test]
fn a_discarded_archive_leaves_no_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npz");
    let mut writer = Writer::create(&path).unwrap();
    writer.write("a", &[1u8]).unwrap();
    writer.discard();
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    // A discarded archive in memory has no directory, either.
    let disk = Disk::sound();
    let mut writer = Writer::new(disk.clone()).unwrap();
    writer.write("a", &vec![1u8; 1_000_000]).unwrap();
    writer.discard();
    assert!(Reader::new(Cursor::new(disk.bytes())).is_err());
}

#[test]
fn invalid_member_names_are_refused() {
    let mut writer = Writer::new(Cursor::new(Vec::new())).unwrap();
    writer.write("a", &1u8).unwrap();
    for name in ["a", "a.npy", "a\0b", &"x".repeat(70_000)] {
        let error = writer.write(name, &1u8).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::MemberName { .. }), "{error}");
        assert!(error.to_string().len() < 500);
    }
    let reader = Reader::new(writer.finish().unwrap()).unwrap();
    let file = reader.read_bytes("a").unwrap();
    assert_eq!(u8::read_npy_from(&file[..]).unwrap(), 1);
}

/// Guards the errors of all writing methods: they name the file once.
#[test]
fn each_error_names_the_file_once() {
    let directory = tempfile::tempdir().unwrap();
    let mut writer = Writer::create(directory.path().join("x.npz")).unwrap();
    let key = BTreeMap::from([(String::new(), 1u8)]);
    let none =
        Csr { shape: [1, 1], indptr: vec![7], indices: vec![], data: vec![1], is_array: true };
    let mut errors = vec![
        writer.write("a", &unlucky(1)).unwrap_err(),
        writer.write("a\0", &1u8).unwrap_err(),
        writer.start::<u8>("a\0").unwrap_err(),
        writer.write_fields(&key).unwrap_err(),
        writer.write_fields(&none).unwrap_err(),
    ];
    let mut rows = writer.start::<Lucky>("a").unwrap();
    errors.extend([
        rows.push(&Lucky(13)).unwrap_err(),
        rows.extend([Lucky(13)]).unwrap_err(),
        rows.write_slice(&[Lucky(13)]).unwrap_err(),
    ]);
    for error in errors {
        assert_eq!(error.to_string().matches("x.npz: ").count(), 1, "{error}");
    }
}

/// Guards against half a member: after a panic in a value that is caught, the archive does not have the member.
#[test]
fn a_value_that_panics_leaves_no_member() {
    let mut values = vec![Lucky(7); 1_000_000];
    values.push(Lucky::PANICS);
    for options in ways() {
        let mut writer = options.writer(Cursor::new(Vec::new())).unwrap();
        writer.write("a", &[1u8]).unwrap();
        let write = AssertUnwindSafe(|| writer.write("bad", &values));
        assert!(catch_unwind(write).is_err());
        writer.write("b", &[2u8]).unwrap();
        let reader = Reader::new(writer.finish().unwrap()).unwrap();
        assert!(reader.names().eq(["a", "b"]));
        assert_eq!(reader.read_all().unwrap().len(), 2);
        // A member that was partly written cannot be removed from a stream.
        let mut writer = options.stream(Vec::new());
        let written = catch_unwind(AssertUnwindSafe(|| writer.write("bad", &values)));
        assert!(written.is_err());
        let names = writer.finish().map(|file| Reader::new(Cursor::new(file)).unwrap().len());
        assert!(names.is_err() || names.is_ok_and(|count| count == 0));
    }
}

/// Guards against half a row: after a panic in a value that is caught, rows can be added, and the member has those that were.
#[test]
fn a_row_that_panics_is_not_in_the_member() {
    for options in ways() {
        let mut writer = options.writer(Cursor::new(Vec::new())).unwrap();
        let mut rows = writer.start::<Lucky>("a").unwrap();
        rows.push(&Lucky(1)).unwrap();
        for values in [&[Lucky::PANICS][..], &[Lucky(2), Lucky::PANICS]] {
            let before = rows.count();
            catch_unwind(AssertUnwindSafe(|| rows.write_slice(values))).unwrap_err();
            assert!(rows.count() < before + values.len());
        }
        rows.push(&Lucky(3)).unwrap();
        let count = rows.count();
        rows.finish().unwrap();
        let reader = Reader::new(writer.finish().unwrap()).unwrap();
        let found = reader.read::<Vec<u32>>("a").unwrap();
        assert_eq!((found.len(), found[0], found[count - 1]), (count, 1, 3));
    }
}

/// Not a test of its own: this process has a limit on the size of its files.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "started by `a_full_disk_leaves_the_old_archive`"]
fn child_on_a_full_disk() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let Some(path) = std::env::var_os("NPY_FULL_FILE") else { return };
    let path = std::path::Path::new(&path);
    let no_longer_than = |bytes| {
        setrlimit(Resource::Fsize, Rlimit { current: bytes, maximum: None }).unwrap();
    };
    let old = std::fs::read(path).unwrap();
    type Begin = fn(&WriteOptions, &std::path::Path) -> npy_core::Result<Writer<std::fs::File>>;
    let begins: [Begin; 2] =
        [|options, path| options.create(path), |options, path| options.append(path)];
    for (options, begin) in ways().iter().flat_map(|options| begins.map(|begin| (options, begin))) {
        let write = || {
            let mut writer = begin(options, path)?;
            writer.write("a", &[1u64; 30])?;
            let mut rows = writer.start::<u8>("b")?;
            rows.extend(0..9u8)?;
            rows.finish()?;
            writer.finish().map(drop)
        };
        let mut room = 0;
        loop {
            no_longer_than(Some(room));
            let written = write();
            no_longer_than(None);
            if written.is_ok() {
                break;
            }
            assert!(std::fs::read(path).unwrap() == old, "{room}");
            let files = path.parent().unwrap().read_dir().unwrap().count();
            assert_eq!(files, 1, "no temporary file is left");
            room += 1;
        }
        // The limit at which it succeeds is the size of the file.
        assert_eq!(std::fs::metadata(path).unwrap().len(), room);
        assert!(room > 200);
        std::fs::write(path, &old).unwrap();
    }
    // The error of the flush tells of the rows, so dropping the writer says nothing.
    let rows = path.with_file_name("rows.npy");
    let mut writer = npy_core::WriteOptions::new().atomic(true).create::<u64>(&rows).unwrap();
    writer.extend(0..100u64).unwrap();
    no_longer_than(Some(200));
    writer.flush().unwrap_err();
    no_longer_than(None);
    drop(writer);
    assert!(!rows.exists());
}

/// Guards the existing file: it survives a full disk, at whatever byte it happens.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_the_old_archive() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npz");
    let mut writer = Writer::create(&path).unwrap();
    writer.write("old", &[1u8, 2, 3]).unwrap();
    writer.finish().unwrap();
    let child = npy_tests::again("npz::failing::child_on_a_full_disk");
    // A shell, which makes a write past the limit fail; by default the process would be killed.
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]).arg(child.get_program());
    let output = shell.args(child.get_args()).env("NPY_FULL_FILE", &path).output().unwrap();
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
    assert!(!said.contains("rows.npy"), "{said}");
}

/// Guards any writer: a full disk is an error, at whatever byte it happens.
#[test]
fn a_disk_full_at_any_byte_is_an_error() {
    for options in ways() {
        let run = |disk: &Disk| {
            let mut writer = options.writer(disk.clone())?;
            writer.write("a", &[1u64; 30])?;
            writer.write("b", &[2u8])?;
            writer.finish().map(drop)
        };
        let sound = Disk::sound();
        run(&sound).unwrap();
        for room in 0..sound.bytes().len() {
            let error = run(&Disk::with_room(room)).unwrap_err();
            let ErrorKind::Io(error) = error.kind() else { panic!("{room}: {error}") };
            assert_eq!(error.kind(), std::io::ErrorKind::StorageFull, "{room}: {error}");
        }
        run(&Disk::with_room(sound.bytes().len())).unwrap();
    }
}

/// Guards a process whose memory runs out while it compresses: an error, with any number of threads, and no abort.
#[test]
fn without_memory_compressing_is_an_error() {
    let mut results = std::collections::BTreeSet::new();
    for threads in [1, 8] {
        // From too little for the first block to enough.
        let steps = if npy_tests::is_thorough() { 1 } else { 16 };
        for extra in (0..64).step_by(steps).map(|step| step * 200).chain([1 << 20]) {
            let mut child = npy_tests::again("npz::failing::child_that_runs_out_of_memory");
            child.env("NPY_EXTRA_KIB", extra.to_string()).env("NPY_THREADS", threads.to_string());
            let output = child.output().unwrap();
            let out = String::from_utf8_lossy(&output.stdout);
            let err = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{extra} KiB, {threads} threads: {out}\n{err}");
            results.insert(out.contains("it is compressed"));
        }
    }
    assert_eq!(results.len(), 2, "some have enough memory, and others do not: {results:?}");
}

#[test]
#[ignore = "started by `without_memory_compressing_is_an_error`"]
fn child_that_runs_out_of_memory() {
    let number = |name| std::env::var(name).unwrap().parse::<isize>().unwrap();
    let (extra, threads) =
        (number("NPY_EXTRA_KIB") << 10, usize::try_from(number("NPY_THREADS")).unwrap());
    let values: Vec<u32> = (0..1_000_000u32).map(|n| n.wrapping_mul(n)).collect();
    npy_tests::alloc::limit_all(extra);
    let mut writer = WriteOptions::new().deflate(1).threads(threads).stream(std::io::sink());
    let written = (0..3).try_for_each(|i| writer.write(&format!("{i}"), &values));
    if written.and_then(|()| writer.finish().map(drop)).is_ok() {
        println!("it is compressed");
    }
}
