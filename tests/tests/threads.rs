//! Reading and writing with more threads: it changes the time, and nothing else.

use std::fs;
use std::io::ErrorKind::StorageFull;
#[cfg(target_os = "linux")]
use std::io::Write;
use std::panic::AssertUnwindSafe;
#[cfg(target_os = "linux")]
use std::{sync::mpsc, time::Duration};

use npy_core::{
    ByteOrder, ByteStr, DType, DynArray, Element, ErrorKind, InvalidValue, NpyArray, NpyElement,
    NpyRecord, Order, ReadNpy, ReadOptions, Reader, Records, WriteNpy, WriteOptions, Writer,
};

#[derive(NpyElement, Debug, Clone, Copy, PartialEq)]
#[repr(u8)]
enum Phase {
    P = 1,
    S = 2,
}

/// Eleven bytes, so that no item ends at a block boundary.
#[derive(NpyRecord, Debug, Clone, PartialEq)]
struct Pick {
    phase: Phase,
    code: ByteStr<2>,
    time: i64,
}

fn picks(count: i64) -> Vec<Pick> {
    let pick = |time: i64| Pick {
        phase: if time % 3 == 0 { Phase::P } else { Phase::S },
        code: ByteStr::new(&time.to_le_bytes()[..1]).unwrap_or_default(),
        time,
    };
    (0..count).map(pick).collect()
}

fn open(path: &std::path::Path) -> Reader<fs::File> {
    ReadOptions::new().threads(2).open(path).unwrap()
}

#[test]
fn several_threads_read_what_one_reads() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("picks.npy");
    // None, less than a block, too few for a second thread, and more.
    for count in
        [0, 1, 10_000, 300_000].into_iter().chain(npy_tests::is_thorough().then_some(1_000_000))
    {
        let all = picks(count);
        all.write_npy(&path).unwrap();
        for threads in [1, 2, 3, 8] {
            let open = || ReadOptions::new().threads(threads).open(&path).unwrap();
            assert!(open().read_vec::<Pick>().unwrap() == all, "{count} by {threads}");
            let times = open().read_column::<i64>("time").unwrap();
            assert!(times.iter().copied().eq(0..count), "{count} by {threads}");
        }
    }
    let all = picks(1_000_000);
    all.write_npy(&path).unwrap();
    // In parts that begin at any row, and the rest.
    let mut reader = open(&path);
    let mut found = Vec::new();
    for max in [1, 700_000, 5, 100_000] {
        reader.read_chunk(&mut found, max).unwrap();
    }
    reader.seek_to(900_000).unwrap();
    found.extend(reader.read_vec::<Pick>().unwrap());
    assert_eq!(reader.remaining(), 0);
    assert!(found[..800_006] == all[..800_006]);
    assert!(found[800_006..] == all[900_000..]);
    // An array of two dimensions, with swapped bytes.
    let array = NpyArray::new((0..2_000_000u32).collect(), [1000, 2000]).unwrap();
    WriteOptions::new().byte_order(ByteOrder::Big).write(&path, &array).unwrap();
    assert!(open(&path).read_array::<u32>().unwrap() == array);
}

/// Guards against the file position that another thread has left.
#[test]
fn seek_to_works_after_a_failed_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("picks.npy");
    let all = picks(1_000_000);
    all.write_npy(&path).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    let data = bytes.len() - 11 * all.len();
    bytes[data + 11 * 200_000] = 9;
    fs::write(&path, &bytes).unwrap();

    let mut reader = open(&path);
    let error = reader.read_vec::<Pick>().unwrap_err();
    assert!(error.to_string().contains("row 200000: field \"phase\": 9 is no"), "{error}");
    assert!(reader.read_vec::<Pick>().is_err());
    for row in [200_001, 5, 999_999] {
        reader.seek_to(row).unwrap();
        let mut one = Vec::new();
        reader.read_chunk::<Pick>(&mut one, 1).unwrap();
        assert_eq!(one, all[row..=row]);
    }
    // The length of the file is still known, too.
    reader.seek_to(500_000).unwrap();
    assert!(reader.read_vec::<Pick>().unwrap() == all[500_000..]);
}

/// Guards against waiting for data that comes later, or never, when an error is already certain.
#[cfg(target_os = "linux")]
#[test]
fn a_pipe_is_not_read_ahead() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("pipe");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let mut bytes = Vec::new();
    picks(1_000_000).write_npy_to(&mut bytes).unwrap();
    let data = bytes.len() - 11 * 1_000_000;
    // In the second block; the third is incomplete.
    bytes[data + 11 * 30_000] = 9;
    let (result, results) = mpsc::channel();
    let reading = path.clone();
    std::thread::spawn(move || result.send(open(&reading).read_vec::<Pick>().map(drop)));
    let mut pipe = fs::OpenOptions::new().write(true).open(&path).unwrap();
    pipe.write_all(&bytes[..560_000]).unwrap();
    let error = results.recv_timeout(Duration::from_secs(20)).unwrap().unwrap_err();
    assert!(error.to_string().contains("row 30000"), "{error}");
}

/// Panics when it decodes a negative number.
#[derive(Debug, PartialEq)]
struct Positive(i64);

impl Element for Positive {
    const SIZE: usize = 8;

    fn dtype() -> DType {
        i64::dtype()
    }

    fn decode(item: &[u8]) -> Self {
        let number = i64::decode(item);
        assert!(number >= 0, "a bug in the program");
        Positive(number)
    }

    fn encode(&self, item: &mut [u8]) -> Result<(), InvalidValue> {
        self.0.encode(item)
    }
}

/// Guards against a thread that continues after a panic, and against blocks that are mistaken for others.
#[test]
fn seek_to_works_after_a_panic() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let mut all: Vec<i64> = (0..1_000_000).collect();
    all[100_000] = -1;
    all.write_npy(&path).unwrap();
    for threads in [1, 2] {
        let mut reader = ReadOptions::new().threads(threads).open(&path).unwrap();
        let read = AssertUnwindSafe(|| reader.read_vec::<Positive>().map(drop));
        assert!(std::panic::catch_unwind(read).is_err());
        let mut one = Vec::new();
        let error = reader.read_chunk::<Positive>(&mut one, 1).unwrap_err();
        assert!(
            error.to_string().starts_with(&format!("{}: reading on", path.display())),
            "{error}"
        );
        for row in [100_001, 5, 999_999] {
            reader.seek_to(row).unwrap();
            one.clear();
            reader.read_chunk::<Positive>(&mut one, 1).unwrap();
            assert_eq!(one, [Positive(row.try_into().unwrap())]);
        }
    }
}

/// Guards that readers are `Send` and `Sync`: otherwise it does not compile.
#[test]
fn readers_are_send_and_sync() {
    fn check<T: Send + Sync>() {}
    check::<Reader<fs::File>>();
    check::<Records<&mut Reader<fs::File>, Pick>>();
    check::<Writer<Pick, fs::File>>();
}

#[test]
fn a_file_truncated_after_opening_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("picks.npy");
    picks(1_000_000).write_npy(&path).unwrap();
    let mut reader = open(&path);
    // The file is truncated after it was opened.
    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.set_len(8_000_000).unwrap();
    let mut found = Vec::new();
    let error = reader.read_chunk::<Pick>(&mut found, 1_000_000).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Truncated { .. }), "{error}");
    assert_eq!(found.len(), (8_000_000 - 192) / 11);
}

/// Guards chunks of any dtype: if the file was truncated after it was opened, the message says how many bytes it has, and after a seek the reader
/// reads what is there.
#[test]
fn a_chunk_of_a_file_truncated_after_opening_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let all: Vec<u64> = (0..10_000).collect();
    let array = NpyArray::new(all.clone(), [1000, 10]).unwrap();
    for order in [Order::C, Order::Fortran] {
        WriteOptions::new().order(order).write(&path, &array).unwrap();
        let whole = fs::read(&path).unwrap();
        let mut reader = open(&path);
        assert_eq!(reader.read_dyn_chunk(300).unwrap().to_vec::<u64>().unwrap(), all[..3000]);
        fs::write(&path, &whole[..128 + 400 * 80 + 3]).unwrap();
        let error = reader.read_dyn_chunk(300).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Truncated { found: 32_003, .. }), "{error}");
        assert!(reader.read_dyn_chunk(300).is_err(), "{order:?}");
        reader.seek_to_row(300).unwrap();
        match (order, reader.read_dyn_chunk(100)) {
            (Order::C, rows) => assert_eq!(rows.unwrap().to_vec::<u64>().unwrap(), all[3000..4000]),
            // The elements of a row are at the end of the file, too.
            (Order::Fortran, rows) => drop(rows.unwrap_err()),
        }
        fs::write(&path, &whole).unwrap();
        reader.seek_to_row(300).unwrap();
        assert_eq!(reader.read_dyn_chunk(1000).unwrap().to_vec::<u64>().unwrap(), all[3000..]);
    }
}

/// Guards a buffer that two threads fill: it is filled completely, from any row on, in either byte order.
#[test]
fn two_threads_fill_one_list() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    // An odd number of parts, and of items in the last one.
    let all: Vec<u64> = (0..1_000_003).map(|n| n << 20).collect();
    for order in [ByteOrder::Little, ByteOrder::Big] {
        WriteOptions::new().byte_order(order).write(&path, &all).unwrap();
        for from in [0, 1, 300, 450_000] {
            let mut reader = open(&path);
            reader.seek_to(from).unwrap();
            assert!(reader.read_vec::<u64>().unwrap() == all[from..], "{order:?} {from}");
            assert_eq!(reader.remaining(), 0);
            // The position is at the end, and can be moved back.
            let mut two = Vec::new();
            reader.seek_to(7).unwrap();
            reader.read_chunk::<u64>(&mut two, 2).unwrap();
            assert_eq!(two, all[7..9]);
        }
        let mut two = ReadOptions::new();
        two.threads(2);
        assert!(two.read::<DynArray>(&path).unwrap().to_vec::<u64>().unwrap() == all);
        // Truncated after the part that opening has read, in the part of either thread.
        for length in [5000, 3_000_000, 7_999_999] {
            let mut reader = open(&path);
            let bytes = fs::read(&path).unwrap();
            fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(length).unwrap();
            let error = reader.read_vec::<u64>().unwrap_err();
            let found = length - 128;
            assert!(
                matches!(error.kind(), ErrorKind::Truncated { found: at, .. } if *at == found),
                "{length}: {error}"
            );
            let mut two = Vec::new();
            reader.seek_to(50).unwrap();
            reader.read_chunk::<u64>(&mut two, 2).unwrap();
            assert_eq!(two, all[50..52]);
            fs::write(&path, bytes).unwrap();
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let error = picks(1_000_000).write_npy("/dev/full").unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Io(e) if e.kind() == StorageFull), "{error}");
    // An invalid value is an error, and the old file stays.
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("old.npy");
    [1u8].write_npy(&path).unwrap();
    let mut names = vec![Named { name: String::new() }; 1_000_000];
    names[999_999].name = "too long".into();
    let error = names.write_npy(&path).unwrap_err();
    assert!(error.to_string().contains("row 999999"), "{error}");
    assert_eq!(Vec::<u8>::read_npy(&path).unwrap(), [1]);
}

/// A record with a value that may be too long.
#[derive(NpyRecord, Clone)]
struct Named {
    #[npy(width = 5)]
    name: String,
}

/// Guards against threads without work.
#[test]
fn there_are_no_more_threads_than_blocks() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let all = picks(500_000);
    all.write_npy(&path).unwrap();
    let mut options = ReadOptions::new();
    assert!(options.threads(usize::MAX).read::<Vec<Pick>>(&path).unwrap() == all);
    let times = options.open(&path).unwrap().read_column::<i64>("time").unwrap();
    assert!(times.into_iter().eq(0..500_000));
}
