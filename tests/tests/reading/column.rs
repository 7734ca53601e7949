//! Columns of maps: one field of every record, in place.

// Opening a map is unsafe.
#![allow(unsafe_code)]

use std::fmt::Debug;
use std::path::PathBuf;

use npy_core::{
    Be, ByteOrder, ByteStr, Column, DType, DynArray, Element, ErrorKind, Header, Le, Map, MapAny,
    NpyRecord, Order, ReadNpy, Reader, ViewError, WriteNpy, WriteOptions, ZeroCopy,
};
use tempfile::TempDir;

/// 8 bytes in a record of 48: so a column of `f32`, `f64` or this type has a stride that is a multiple of its size.
#[derive(NpyRecord, ZeroCopy, Debug, Clone, Copy, PartialEq)]
#[repr(C)]
struct Head {
    code: ByteStr<4>,
    gain: f32,
}

#[derive(NpyRecord, ZeroCopy, Debug, Clone, Copy, PartialEq)]
#[repr(C)]
struct Trace {
    time: f64,
    head: Head,
    grid: [[i16; 3]; 2],
    axes: [Head; 2],
    flags: [u8; 4],
}

fn trace(i: u8) -> Trace {
    let head = |gain: u8| Head { code: [b'a' + i % 26; 4].into(), gain: gain.into() };
    let [x, y] = [i16::from(i), -i16::from(i)];
    Trace {
        time: f64::from(i) / 2.0,
        head: head(i),
        grid: [[x, 1, 2], [3, y, 5]],
        axes: [head(i / 2), head(i / 3)],
        flags: [i, 1, 2, 3],
    }
}

fn traces() -> Vec<Trace> {
    (0..200).map(trace).collect()
}

fn saved(array: &(impl WriteNpy + ?Sized), order: ByteOrder) -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    WriteOptions::new().byte_order(order).write(&path, array).unwrap();
    (dir, path)
}

fn map<T: ZeroCopy>(path: &PathBuf) -> Map<T> {
    // SAFETY: each test has its own directory, and does not change a mapped file; this holds for the maps below, too.
    unsafe { Map::open(path) }.unwrap()
}

fn map_any(path: &PathBuf) -> MapAny {
    // SAFETY: as above.
    unsafe { MapAny::open(path) }.unwrap()
}

/// Writes a file of this dtype with these bytes.
fn file(descr: &str, shape: &[usize], data: Vec<u8>) -> (TempDir, PathBuf) {
    let dtype: DType = descr.parse().unwrap();
    let (dir, path) = saved(&[0u8], ByteOrder::NATIVE);
    DynArray::new(dtype, shape, Order::C, data).unwrap().write_npy(&path).unwrap();
    (dir, path)
}

/// Compares every way to get the values with the expected value of each record.
#[track_caller]
fn assert_column<F: ZeroCopy + PartialEq + Debug>(path: &str, expected: impl Fn(Trace) -> F) {
    let expected: Vec<F> = traces().into_iter().map(expected).collect();
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let (_dir, file) = saved(&traces(), order);
        let any = map_any(&file);
        let column = any.column::<F>(path).unwrap();
        assert_eq!((column.len(), column.is_empty()), (200, false));
        assert_eq!(column.to_vec().unwrap(), expected, "{path} {order:?}");
        assert!(column.iter().eq(expected.iter().copied()), "{path} {order:?}: iter");
        let mut folded = Vec::new();
        column.iter().for_each(|value| folded.push(value));
        assert_eq!(folded, expected, "{path} {order:?}: fold");
        for (i, value) in expected.iter().enumerate() {
            assert_eq!(column.get(i), Some(*value), "{path} {order:?}: get({i})");
        }
        assert_eq!((column.get(200), column.get(usize::MAX)), (None, None));
        // The same as the reader gives.
        let mut reader = Reader::open(&file).unwrap();
        assert_eq!(reader.read_column::<F>(path).unwrap(), expected);
    }
    let (_dir, file) = saved(&traces(), ByteOrder::NATIVE);
    assert_eq!(map::<Trace>(&file).column::<F>(path).unwrap().to_vec().unwrap(), expected);
}

/// Guards the paths: fields, nested records, items of sub-arrays, and the arrays and records around them.
#[test]
fn a_path_leads_to_any_part_of_a_record() {
    assert_column("time", |it| it.time);
    assert_column("head", |it| it.head);
    assert_column("head.gain", |it| it.head.gain);
    assert_column("head.code", |it| it.head.code);
    assert_column("grid", |it| it.grid);
    assert_column("grid[1]", |it| it.grid[1]);
    assert_column("grid[1][1]", |it| it.grid[1][1]);
    assert_column("grid[0][0]", |it| it.grid[0][0]);
    assert_column("axes[1]", |it| it.axes[1]);
    assert_column("axes[1].gain", |it| it.axes[1].gain);
    assert_column("flags[0]", |it| it.flags[0]);
    let (_dir, file) = saved(&traces(), ByteOrder::Little);
    let any = map_any(&file);
    for path in
        ["grid[2]", "grid[0][3]", "grid[", "grid[0]x", "time[0]", "head[0]", "axes.gain", "[0]", ""]
    {
        let error = any.column::<i16>(path).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::MissingField { .. }), "{path}: {error}");
    }
    let error = any.column::<f32>("grid[1][1]").unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Mismatch { .. }), "{error}");
    assert!(error.to_string().contains("grid[1][1]"), "{error}");
}

/// Guards the lengths that `ExactSizeIterator` promises, of both kinds of iterator.
#[test]
fn the_length_of_an_iterator_is_what_remains() {
    for order in [ByteOrder::Little, ByteOrder::Big] {
        // More than one batch of decoded values.
        let many: Vec<Trace> = (0..2500u32).map(|i| trace((i % 251) as u8)).collect();
        let (_dir, file) = saved(&many, order);
        let any = map_any(&file);
        let column = any.column::<f64>("time").unwrap();
        let mut values = column.iter();
        for (i, item) in many.iter().enumerate() {
            assert_eq!(values.len(), 2500 - i);
            if i == 1500 {
                break;
            }
            assert_eq!(values.next(), Some(item.time));
        }
        // The rest by `fold`.
        let rest = values.fold(Vec::new(), |mut all, value| {
            all.push(value);
            all
        });
        assert!(rest.iter().eq(many[1500..].iter().map(|it| &it.time)));
        let mut all = column.iter();
        assert_eq!((all.by_ref().count(), all.next(), all.next()), (2500, None, None));
    }
}

/// Guards the loop that handles several records at a time: for any number of records and any field, including the last.
#[test]
fn columns_of_any_length_have_all_values() {
    for count in 0..=33 {
        let (_dir, path) = saved(&traces()[..count], ByteOrder::Little);
        let map = map::<Trace>(&path);
        let times: Vec<_> = traces()[..count].iter().map(|trace| trace.time).collect();
        let flags: Vec<_> = traces()[..count].iter().map(|trace| trace.flags).collect();
        let column = map.column::<f64>("time").unwrap();
        for taken in 0..=count.min(3) {
            let mut iter = column.iter();
            assert_eq!(iter.by_ref().take(taken).collect::<Vec<_>>(), times[..taken]);
            let rest = iter.fold(Vec::new(), |list, time| [list, vec![time]].concat());
            assert_eq!(rest, times[taken..], "{count} records, {taken} taken one by one");
        }
        assert_eq!(map.column::<[u8; 4]>("flags").unwrap().to_vec().unwrap(), flags);
        let read = Reader::open(&path).unwrap().read_column::<[u8; 4]>("flags").unwrap();
        assert_eq!(read, flags, "{count} records, read");
    }
}

/// Guards the stack, which cannot hold many large values.
#[test]
fn large_values_are_taken_one_by_one() {
    #[derive(NpyRecord)]
    struct Full {
        id: u32,
        samples: Box<[f64; 16_000]>,
        code: u8,
    }
    /// A part of the fields.
    #[derive(NpyRecord)]
    struct Part {
        samples: [f64; 16_000],
    }
    let full = |id: u8| Full { id: 7, samples: Box::new([id.into(); 16_000]), code: id };
    let (_dir, path) = saved(&(0..9).map(full).collect::<Vec<_>>(), ByteOrder::Little);
    // The default size of a thread's stack.
    let thread = std::thread::Builder::new().stack_size(2 << 20);
    let work = move || {
        let parts = Vec::<Part>::read_npy(&path).unwrap();
        assert_eq!([parts[0].samples[9], parts[8].samples[9]], [0.0, 8.0]);
        let mut reader = Reader::open(&path).unwrap();
        assert_eq!(reader.read_column::<[f64; 16_000]>("samples").unwrap()[8][9], 8.0);
        let map = map_any(&path);
        let column = map.column::<[f64; 16_000]>("samples").unwrap();
        assert_eq!(column.iter().fold(0.0, |sum, samples| sum + samples[1]), 36.0);
        assert_eq!(column.to_vec().unwrap()[7][15_999], 7.0);
    };
    thread.spawn(work).unwrap().join().unwrap();
}

/// Guards parts of a column, which threads can share.
#[test]
fn a_range_is_a_column_of_its_own() {
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let (_dir, file) = saved(&traces(), order);
        let any = map_any(&file);
        let times = any.column::<f64>("time").unwrap();
        let all = times.to_vec().unwrap();
        for rows in [0..200, 0..0, 200..200, 7..8, 199..200, 3..170] {
            let part = times.range(rows.clone()).unwrap();
            assert_eq!((part.len(), part.get(rows.len())), (rows.len(), None));
            assert_eq!(part.to_vec().unwrap(), all[rows.clone()], "{rows:?}");
            assert_eq!(part.get(0), all[rows].first().copied());
        }
        assert_eq!(times.range(100..200).unwrap().range(10..20).unwrap().get(3), Some(all[113]));
        #[expect(clippy::reversed_empty_ranges)]
        let wrong = [0..201, 201..201, 5..4, usize::MAX..usize::MAX, 0..usize::MAX];
        for rows in wrong {
            assert!(times.range(rows.clone()).is_none(), "{rows:?}");
        }
        assert!(times.range(10..20).unwrap().range(0..11).is_none());

        let halves = [0..100, 100..200].map(|rows| times.range(rows).unwrap());
        let sum: f64 = std::thread::scope(|scope| {
            let threads = halves.map(|half| scope.spawn(move || half.iter().sum::<f64>()));
            threads.map(|thread| thread.join().unwrap()).iter().sum()
        });
        assert_eq!(sum, all.iter().sum::<f64>());
    }
}

/// Guards `as_slice`: it borrows the values from the file, and only if they are contiguous.
#[test]
fn a_contiguous_column_is_a_slice() {
    #[derive(NpyRecord, ZeroCopy, Debug, Clone, Copy, PartialEq)]
    #[repr(C)]
    struct One {
        head: Head,
    }
    let heads: Vec<_> = traces().into_iter().map(|it| One { head: it.head }).collect();
    let (_dir, file) = saved(&heads, ByteOrder::NATIVE);
    let (map, any) = (map::<One>(&file), map_any(&file));
    let column = map.column::<Head>("head").unwrap();
    let slice = column.as_slice().unwrap();
    assert_eq!(slice, heads.iter().map(|it| it.head).collect::<Vec<_>>());
    assert!(std::ptr::eq(slice.as_ptr().cast(), map.as_ptr()), "a copy");
    assert_eq!(any.column::<Head>("head").unwrap().as_slice().unwrap(), slice);
    assert_eq!(column.range(3..5).unwrap().as_slice().unwrap(), &slice[3..5]);
    assert!(column.range(3..3).unwrap().as_slice().unwrap().is_empty());

    let error = map.column::<f32>("head.gain").unwrap().as_slice().unwrap_err();
    let says = "x.npy: the values are 8 bytes apart, but a view of f32 (4 bytes) needs them side by side; copy them with Column::to_vec";
    assert!(error.to_string().ends_with(says), "{error}");
    // A single value is contiguous.
    let gain = map.column::<f32>("head.gain").unwrap().range(7..8).unwrap();
    assert_eq!(gain.as_slice().unwrap(), [7.0]);
}

/// Guards the other reasons for an error: byte order, layout, address.
#[test]
fn a_column_that_cannot_be_a_slice_says_why() {
    let bytes: Vec<u8> = (0..24).collect();
    let other = if cfg!(target_endian = "big") { "<" } else { ">" };
    let (_dir, path) = file(&format!("[('x', '{other}f8')]"), &[3], bytes.clone());
    let any = map_any(&path);
    let column = any.column::<f64>("x").unwrap();
    let error = column.as_slice().unwrap_err();
    assert!(matches!(error, ViewError::ByteOrder { .. }), "{error}");
    assert!(error.to_string().starts_with(&format!("{}: ", path.display())), "{error}");
    assert!(
        error.to_string().contains(", or copy and byte-swap it with Column::to_vec"),
        "{error}"
    );
    assert_eq!(any.column::<Be<f64>>("x").unwrap().as_slice().is_ok(), other == ">");

    let own = if other == "<" { ">" } else { "<" };
    let descr = format!("[('x', [('gain', '{own}f4'), ('code', '|S4')])]");
    let (_dir, path) = file(&descr, &[3], bytes.clone());
    let any = map_any(&path);
    let error = any.column::<Head>("x").unwrap().as_slice().unwrap_err();
    assert!(matches!(error, ViewError::Layout { .. }), "{error}");
    assert!(error.to_string().contains("Column::to_vec"), "{error}");

    // At an odd address, and with a stride of 9 bytes.
    let (_dir, path) = file(&format!("[('a', '|u1'), ('x', '{own}f8')]"), &[2], bytes[..18].into());
    let any = map_any(&path);
    let first = any.column::<f64>("x").unwrap().range(0..1).unwrap();
    let error = first.as_slice().unwrap_err();
    assert!(matches!(error, ViewError::Misaligned { align: 8, past: 1, .. }), "{error}");
    assert!(first.to_vec().is_ok());
    let bytes = any.column::<[u8; 8]>("x");
    assert!(bytes.is_err(), "a number is not a sub-array");
}

/// Guards empty columns: no records, records of no bytes, fields of no bytes.
#[test]
fn a_column_may_be_empty() {
    let (_dir, path) = saved(&[] as &[Trace], ByteOrder::NATIVE);
    let map = map::<Trace>(&path);
    let column = map.column::<f32>("head.gain").unwrap();
    assert!(column.is_empty() && column.get(0).is_none() && column.iter().next().is_none());
    assert!(column.to_vec().unwrap().is_empty() && column.as_slice().unwrap().is_empty());
    assert!(column.range(0..0).unwrap().is_empty() && column.range(0..1).is_none());

    for (descr, data) in
        [("[('a', '|S0'), ('x', '<u2')]", vec![1, 0, 2, 0]), ("[('a', '|S0')]", vec![])]
    {
        let (_dir, path) = file(descr, &[2], data);
        let any = map_any(&path);
        let column = any.column::<ByteStr<0>>("a").unwrap();
        assert_eq!(
            (column.len(), column.iter().count(), column.to_vec().unwrap().len()),
            (2, 2, 2)
        );
        assert_eq!(column.as_slice().unwrap().len(), 2);
        assert_eq!((column.get(1).is_some(), column.get(2)), (true, None));
        assert_eq!(column.range(1..2).unwrap().iter().count(), 1);
        assert!(column.range(0..3).is_none() && column.range(3..3).is_none());
    }
    // More values than fit in any memory.
    let (_dir, path) = file("[('a', '|S0')]", &[1 << 50], vec![]);
    let any = map_any(&path);
    let column = any.column::<[ByteStr<0>; 1]>("a");
    assert!(column.is_err(), "no sub-array");
    let column = any.column::<ByteStr<0>>("a").unwrap();
    assert!(column.to_vec().is_err() && column.as_slice().is_err());
    assert_eq!(column.iter().len(), 1 << 50);
}

/// Guards that maps and columns are `Send` and `Sync`: otherwise it does not compile.
#[test]
fn maps_and_columns_are_send_and_sync() {
    fn check<T: Send + Sync>() {}
    check::<Map<Trace>>();
    check::<npy_core::MapMut<Trace>>();
    check::<MapAny>();
    check::<Column<'_, f64>>();
    check::<Column<'_, Le<u16>>>();
    check::<npy_core::NpyView<'_, Trace>>();
    check::<npy_core::NpyViewMut<'_, Trace>>();
}

/// Guards the end of the file: the last record ends there.
#[test]
fn the_last_value_of_a_column_is_read() {
    let (_dir, path) = saved(&traces(), ByteOrder::NATIVE);
    let header = Header::read_npy(&path).unwrap();
    assert_eq!(header.dtype(), &Trace::memory_dtype());
    let any = map_any(&path);
    assert_eq!(any.column::<u8>("flags[3]").unwrap().iter().last(), Some(3));
    assert_eq!(any.column::<[u8; 4]>("flags").unwrap().get(199), Some([199, 1, 2, 3]));
    assert_eq!(Vec::<Trace>::read_npy(&path).unwrap().len() * Trace::SIZE, 200 * 48);
}

/// Guards one grammar of names: each column of a table is read by its name, also parts of complex numbers and arrays without fields.
#[test]
fn names_of_the_columns_of_a_table_are_paths() {
    let dtype = "[('id', '|u1'), ('z', '>c16', (2,)), ('h', [('c', '<c8'), ('t', '<M8[s]')])]";
    for (dtype, columns) in [(dtype, 8), ("<c8", 2), (">f4", 1)] {
        let dtype: DType = dtype.parse().unwrap();
        let bytes = (0..3 * dtype.itemsize()).map(|n| u8::try_from(n % 60).unwrap()).collect();
        let array = DynArray::new(dtype, [3], Order::C, bytes).unwrap();
        let mut file = Vec::new();
        array.write_npy_to(&mut file).unwrap();
        let table = array.table().unwrap();
        assert_eq!(table.names().len(), columns);
        for (i, name) in table.names().iter().enumerate() {
            let column = array.field(name).unwrap();
            for (row, cells) in table.rows().enumerate() {
                assert_eq!(column.get(&[row]).unwrap(), cells[i], "{name}");
                let record = array.get(&[row]).unwrap();
                assert!(record.field(name).is_none_or(|value| value == cells[i]), "{name}");
            }
            if column.dtype().to_string() == ">f8" {
                let read = Reader::new(&file[..]).unwrap().read_column::<f64>(name).unwrap();
                assert_eq!(read, column.to_vec::<f64>().unwrap());
            }
        }
    }
    let part = |name: &str| {
        let array = DynArray::of(&[[1.5f32, 2.5]]).unwrap();
        let complex = DynArray::new("<c8".parse().unwrap(), [1], Order::C, array.as_bytes().into());
        complex.unwrap().field(name).map(|field| field.to_string())
    };
    assert_eq!(part("value.im").unwrap(), "[2.5]");
    assert!(part("value.x").is_err());
}
