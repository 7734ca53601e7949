//! The memory that reads and writes take: the result, and at most 2 MiB more, in every way to read or write.

use std::io::{Cursor, sink};
use std::path::Path;

use npy_core::time::Ns;
use npy_core::{
    AnyArray, ByteOrder, Cast, DateTime64, DynArray, ErrorKind, NpyArray, NpyRecord, Order,
    ReadNpy, ReadOptions, Reader, WriteNpy, WriteOptions, Writer, object,
};
use npy_tests::alloc::{Counting, peak, peak_of_all};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const OVERHEAD: usize = 2 << 20;

/// 27 bytes in the file, 32 in memory.
#[derive(NpyRecord, Clone, Debug, PartialEq)]
struct Tick {
    id: u32,
    time: f64,
    place: [f32; 3],
    flag: u8,
    count: i16,
}

/// Some of the fields, in another order.
#[derive(NpyRecord)]
struct Part {
    count: i16,
    time: f64,
}

/// Enough rows for a second thread to start.
const TICKS: u32 = 200_000;

fn ticks() -> Vec<Tick> {
    let tick =
        |id: u32| Tick { id, time: f64::from(id), place: [1.0, 2.0, 3.0], flag: 7, count: -1 };
    (0..TICKS).map(tick).collect()
}

/// Asserts that a read takes only the memory of its result and a little more.
fn reads<A>(what: &str, bytes: usize, read: impl FnOnce() -> A) {
    takes(what, bytes, OVERHEAD, peak(read));
}

fn takes<A>(what: &str, bytes: usize, overhead: usize, (result, cost): (A, usize)) {
    assert!(cost >= bytes, "{what}: {cost} for {bytes}: nothing was measured");
    assert!(cost <= bytes + overhead, "{what}: {cost} for {bytes}");
    drop(result);
}

fn writes(what: &str, write: impl FnOnce() -> npy_core::Result<()>) {
    let (result, cost) = peak(write);
    result.unwrap();
    assert!(cost <= OVERHEAD, "{what}: {cost}");
}

fn bytes_of<T>(count: u32) -> usize {
    usize::try_from(count).unwrap() * size_of::<T>()
}

fn in_a_file(test: impl FnOnce(&Path)) {
    let dir = tempfile::tempdir().unwrap();
    test(&dir.path().join("x.npy"));
}

#[test]
fn records_are_read_into_their_memory_and_no_more() {
    in_a_file(|path| {
        for order in [ByteOrder::Little, ByteOrder::Big] {
            WriteOptions::new().byte_order(order).write(path, &ticks()).unwrap();
            read_records(path);
        }
    });
}

#[test]
fn arrays_are_read_into_their_memory_and_no_more() {
    in_a_file(read_numbers);
}

#[test]
fn records_are_written_from_where_they_are() {
    in_a_file(write_records);
}

#[test]
fn arrays_are_written_from_where_they_are_in_any_order() {
    in_a_file(write_arrays);
}

#[test]
fn a_second_thread_takes_no_more() {
    assert!(npy_tests::again("both_threads").status().unwrap().success());
}

/// Not a test of its own: the memory of all threads can be measured only where no other test runs.
#[test]
#[ignore = "started by `a_second_thread_takes_no_more`"]
fn both_threads() {
    in_a_file(|path| {
        let all = ticks();
        for order in [ByteOrder::Little, ByteOrder::Big] {
            let mut writing = WriteOptions::new();
            writing.byte_order(order);
            let ((), cost) = peak_of_all(|| writing.write(path, &all).unwrap());
            assert!(cost <= OVERHEAD, "written: {cost}");
            let mut options = ReadOptions::new();
            options.threads(2);
            let records = peak_of_all(|| options.read::<Vec<Tick>>(path).unwrap());
            takes("records", bytes_of::<Tick>(TICKS), OVERHEAD, records);
            let column = || options.open(path).unwrap().read_column::<f64>("time").unwrap();
            takes("a column", bytes_of::<f64>(TICKS), OVERHEAD / 2, peak_of_all(column));
        }
    });
}

fn read_records(path: &Path) {
    let all = bytes_of::<Tick>(TICKS);
    reads("records", all, || Vec::<Tick>::read_npy(path).unwrap());
    let part = bytes_of::<Part>(TICKS);
    reads("some fields", part, || Vec::<Part>::read_npy(path).unwrap());
    let column = bytes_of::<f64>(TICKS);
    let read = || Reader::open(path).unwrap().read_column::<f64>("time").unwrap();
    takes("a column", column, OVERHEAD / 2, peak(read));
    reads("as it is", 27 * all / 32, || DynArray::read_npy(path).unwrap());
    reads("one by one", 0, || {
        let mut reader = Reader::open(path).unwrap();
        let count = reader.records::<Tick>().unwrap().map(Result::unwrap).count();
        assert_eq!(count, usize::try_from(TICKS).unwrap());
    });
    reads("in chunks", 0, || {
        let mut reader = Reader::open(path).unwrap();
        let mut chunk = Vec::new();
        while reader.read_chunk::<Tick>(&mut chunk, 1_000).unwrap() > 0 {
            chunk.clear();
        }
    });
    reads("a few rows", 0, || {
        let mut reader = Reader::open(path).unwrap();
        for row in [30_000, 7, 99_999] {
            reader.seek_to(row).unwrap();
            reader.read_chunk::<Tick>(&mut Vec::new(), 1).unwrap();
        }
    });
}

fn read_numbers(path: &Path) {
    let array = NpyArray::new(vec![1.5f32; 1_000_000], [500, 2_000]).unwrap();
    let bytes = 4 * 1_000_000;
    for order in [Order::C, Order::Fortran] {
        WriteOptions::new().order(order).write(path, &array).unwrap();
        reads("an array", bytes, || NpyArray::<f32>::read_npy(path).unwrap());
        let widened = || ReadOptions::new().cast(Cast::Lossless).read::<NpyArray<f64>>(path);
        reads("an array, wider", 2 * bytes, || widened().unwrap());
        reads("an array as it is", bytes, || DynArray::read_npy(path).unwrap());
        reads("an array of its type", bytes, || AnyArray::read_npy(path).unwrap());
        reads("an array of its type, moved", bytes, || {
            AnyArray::read_npy(path).unwrap().cast::<f32>(Cast::Exact).unwrap()
        });
    }
    let times = NpyArray::from((0..1_000_000).map(DateTime64::<Ns>::new).collect::<Vec<_>>());
    for order in [ByteOrder::Little, ByteOrder::Big] {
        WriteOptions::new().byte_order(order).write(path, &times).unwrap();
        reads("times of any unit", 8 * 1_000_000, || AnyArray::read_npy(path).unwrap());
        let any = AnyArray::from(times.clone());
        writes("times of any unit", || WriteOptions::new().byte_order(order).write(path, &any));
    }
}

fn write_records(path: &Path) {
    let all = ticks();
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let mut options = WriteOptions::new();
        options.byte_order(order);
        writes("records", || options.write_to(sink(), &all));
        writes("records to a file", || options.write(path, &all));
    }
    writes("one by one", || {
        let mut writer = Writer::<Tick, _>::create(path)?;
        writer.extend(&all)?;
        writer.finish().map(drop)
    });
    writes("a slice", || {
        let mut writer = Writer::<Tick, _>::append(path)?;
        writer.write_slice(&all)?;
        writer.finish().map(drop)
    });
}

fn write_arrays(path: &Path) {
    let array = NpyArray::new((0..1_000_000u32).collect(), [500, 2_000]).unwrap();
    let mut file = Vec::new();
    array.write_npy_to(&mut file).unwrap();
    let dynamic = DynArray::read_npy_from(Cursor::new(file)).unwrap();
    let text = vec!["some text"; 100_000];
    for order in [Order::C, Order::Fortran] {
        for byte_order in [ByteOrder::Little, ByteOrder::Big] {
            let mut options = WriteOptions::new();
            options.order(order).byte_order(byte_order);
            writes("an array", || options.write(path, &array));
            writes("an array of any dtype", || options.write(path, &dynamic));
            writes("text", || options.write(path, &text));
        }
    }
    writes("objects", || WriteOptions::new().objects(true).write(path, &text));
    writes("any value", || object::save(path, &[Some(&array), None]));
}

/// Guards the buffer for runs of strided rows: without memory for it, the process was aborted.
#[test]
fn without_memory_strided_rows_are_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npy");
    let data = vec![0.5f64; 2 * ROWS];
    NpyArray::with_order(data, [ROWS, 2], Order::Fortran).unwrap().write_npy(&path).unwrap();
    let mut results = std::collections::BTreeSet::new();
    // From too little for the result, of 16 MiB, to enough for it and a column. Running a test takes some memory, too.
    for extra in (2..=28).step_by(2) {
        let mut child = npy_tests::again("child_that_reads_strided_rows");
        child.env("NPY_EXTRA_MIB", extra.to_string()).env("NPY_FILE", &path);
        let output = child.output().unwrap();
        let out = String::from_utf8_lossy(&output.stdout);
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{extra} MiB: {out}\n{err}");
        results.insert(out.contains("they are read"));
    }
    assert_eq!(results.len(), 2, "some have enough memory, and others do not: {results:?}");
}

const ROWS: usize = 1 << 20;

#[test]
#[ignore = "started by `without_memory_strided_rows_are_an_error`"]
fn child_that_reads_strided_rows() {
    let extra: isize = std::env::var("NPY_EXTRA_MIB").unwrap().parse().unwrap();
    let mut reader = Reader::open(std::env::var_os("NPY_FILE").unwrap()).unwrap();
    npy_tests::alloc::limit_all(extra << 20);
    match reader.read_dyn_chunk(ROWS - 1) {
        Ok(_) => println!("they are read"),
        Err(error) => assert!(matches!(error.kind(), ErrorKind::Memory { .. }), "{error}"),
    }
}
