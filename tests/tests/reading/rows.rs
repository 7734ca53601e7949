//! Rows whose width is known at run time, arrays of any dtype in parts, and data that arrives in parts.

use std::fs::{self, File};
use std::io::{Cursor, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use npy_core::{
    ByteOrder, Cast, Decoder, DynArray, Element, Error, ErrorKind, Header, NpyArray, NpyRecord,
    Order, ReadNpy, ReadOptions, Reader, RowWriter, UncountedRows, WriteNpy, WriteOptions, Writer,
    load, save,
};
use npy_tests::picky::{Even, Lucky};

fn array<T: From<u16>>(shape: &[usize]) -> NpyArray<T> {
    let count = u16::try_from(shape.iter().product::<usize>().min(60_000)).unwrap();
    let items = (0..count.max(1)).cycle().map(T::from).take(shape.iter().product()).collect();
    NpyArray::new(items, shape).unwrap()
}

fn file(array: &impl WriteNpy, byte_order: ByteOrder, order: Order) -> Vec<u8> {
    let mut bytes = Vec::new();
    let options = WriteOptions::new().byte_order(byte_order).order(order).clone();
    options.write_to(&mut bytes, array).unwrap();
    bytes
}

fn text(error: &Error) -> String {
    error.to_string()
}

const BYTE_ORDERS: [ByteOrder; 2] = [ByteOrder::Little, ByteOrder::Big];

/// A record with padding after `a`, in C layout.
#[derive(NpyRecord, Debug, Clone, Copy, PartialEq)]
#[npy(align)]
#[repr(C)]
struct Padded {
    a: u8,
    b: f64,
}

impl From<u16> for Padded {
    fn from(n: u16) -> Self {
        Padded { a: n.to_le_bytes()[0], b: f64::from(n) }
    }
}

/// Guards that `read_into` reads what `read_vec` does: for small and large parts, both byte orders, files, streams and threads.
#[test]
fn read_into_reads_the_same_values() {
    fn check<T: Element + From<u16> + Clone + PartialEq + std::fmt::Debug>() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.npy");
        let all = array::<T>(&[300_000]).into_vec();
        for order in BYTE_ORDERS {
            let bytes = file(&all, order, Order::C);
            fs::write(&path, &bytes).unwrap();
            for part in [1, 100, 70_000, 140_001, 300_000] {
                let mut stream = Reader::new(&bytes[..]).unwrap();
                let mut opened = ReadOptions::new().threads(2).open(&path).unwrap();
                let mut found = vec![T::from(7); part];
                let most = if part == 1 { 300 } else { all.len() };
                for expected in all[..most].chunks_exact(part) {
                    stream.read_into(&mut found).unwrap();
                    assert_eq!(found, expected, "{part}");
                    opened.read_into(&mut found).unwrap();
                    assert_eq!(found, expected, "{part}");
                }
                assert_eq!(stream.remaining(), opened.remaining());
                let rest = all.len() - opened.remaining();
                assert_eq!(opened.read_vec::<T>().unwrap(), all[rest..]);
            }
        }
    }
    check::<f64>();
    check::<Padded>();
}

/// Guards elements that are left: a request for more of them, or from a truncated file, loses none.
#[test]
fn read_into_loses_nothing_if_too_few_are_left() {
    let bytes = file(&array::<i32>(&[3, 4]), ByteOrder::Little, Order::C);
    let mut reader = Reader::new(&bytes[..]).unwrap();
    let mut eight = [0; 8];
    reader.read_into(&mut eight).unwrap();
    let error = reader.read_into(&mut eight).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Shape { .. }), "{error}");
    assert_eq!(
        text(&error),
        "shape (3, 4): 4 elements are left, and 8 are expected; nothing was read"
    );
    assert_eq!(eight, [0, 1, 2, 3, 4, 5, 6, 7]);
    reader.read_into(&mut eight[..4]).unwrap();
    assert_eq!(eight, [8, 9, 10, 11, 4, 5, 6, 7]);
    reader.read_into::<i32>(&mut []).unwrap();

    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("short.npy");
    let all = array::<f64>(&[5000]);
    let bytes = file(&all, ByteOrder::Little, Order::C);
    fs::write(&path, &bytes[..bytes.len() - 8]).unwrap();
    let mut reader = Reader::open(&path).unwrap();
    let mut found = vec![0.0; 5000];
    let error = text(&reader.read_into(&mut found).unwrap_err());
    assert!(error.contains("expected 40000 bytes of data, found 39992"), "{error}");
    reader.read_into(&mut found[..4999]).unwrap();
    assert_eq!(found[..4999], all.as_slice_memory_order()[..4999]);
    // The length of a stream is unknown, so its bytes are gone.
    let mut reader = Reader::new(&bytes[..bytes.len() - 8]).unwrap();
    assert!(reader.read_into(&mut found).is_err());
    assert!(text(&reader.read_into(&mut found[..1]).unwrap_err()).contains("read that failed"));
}

#[test]
fn read_into_converts_and_names_the_row() {
    let bytes = file(&array::<u16>(&[6]), ByteOrder::Big, Order::C);
    let mut wide = [0_u64; 6];
    ReadOptions::new()
        .cast(Cast::Lossless)
        .reader(&bytes[..])
        .unwrap()
        .read_into(&mut wide)
        .unwrap();
    assert_eq!(wide, [0, 1, 2, 3, 4, 5]);
    let bytes = file(&vec![2_u8, 4, 5], ByteOrder::Little, Order::C);
    let mut even = [Even(0), Even(0), Even(0)];
    let error = Reader::new(&bytes[..]).unwrap().read_into(&mut even).unwrap_err();
    assert!(text(&error).starts_with("row 2: "), "{error}");
}

/// Writes the rows of an array one by one and several at a time.
fn write_rows<T: Element + Clone>(path: &Path, array: &NpyArray<T>, at_a_time: usize) {
    let row_shape = &array.shape()[1..];
    let row = row_shape.iter().product::<usize>();
    let mut writer = RowWriter::<T>::create(path, row_shape).unwrap();
    assert_eq!(writer.row_shape(), row_shape);
    if row == 0 {
        (0..array.shape()[0]).for_each(|_| writer.push_row(&[]).unwrap());
    } else {
        for rows in array.as_slice_memory_order().chunks(row * at_a_time) {
            match at_a_time {
                1 => writer.push_row(rows).unwrap(),
                _ => writer.push_rows(rows).unwrap(),
            }
        }
    }
    assert_eq!(writer.count(), array.shape()[0]);
    writer.finish().unwrap();
}

/// The shapes of arrays with rows: none, one, many, empty ones, and ones of more than a block.
const SHAPES: [&[usize]; 9] = [
    &[0, 3],
    &[1, 4],
    &[7, 1],
    &[3000, 5],
    &[3, 40_000],
    &[6, 0],
    &[4, 2, 3],
    &[0, 0],
    &[50, 3, 5, 7],
];

#[test]
fn rows_make_the_same_file_as_an_array() {
    fn check<T: Element + From<u16> + Clone>() {
        let dir = tempfile::tempdir().unwrap();
        let (whole, rows) = (dir.path().join("whole.npy"), dir.path().join("rows.npy"));
        for shape in SHAPES {
            let array = array::<T>(shape);
            save(&whole, &array).unwrap();
            for at_a_time in [1, 2, 1000] {
                write_rows(&rows, &array, at_a_time);
                assert!(fs::read(&rows).unwrap() == fs::read(&whole).unwrap(), "{shape:?}");
            }
            // Half of it, and the other half appended.
            let half = shape[0] / 2;
            let row = shape[1..].iter().product::<usize>();
            let items = array.as_slice_memory_order();
            let first =
                NpyArray::new(items[..half * row].to_vec(), [&[half], &shape[1..]].concat());
            save(&rows, &first.unwrap()).unwrap();
            let mut writer = RowWriter::<T>::append(&rows).unwrap();
            assert_eq!((writer.count(), writer.row_shape()), (half, &shape[1..]));
            for i in half..shape[0] {
                writer.push_row(&items[i * row..][..row]).unwrap();
                if i % 3 == 0 {
                    writer.flush().unwrap();
                    assert_eq!(Header::read_npy(&rows).unwrap().shape()[0], i + 1);
                }
            }
            writer.sync().unwrap();
            drop(writer);
            assert!(fs::read(&rows).unwrap() == fs::read(&whole).unwrap(), "{shape:?}");
        }
    }
    check::<f32>();
    check::<u16>();
    check::<Padded>();
}

#[test]
fn rows_are_appended_in_the_layout_of_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    WriteOptions::new().byte_order(ByteOrder::Big).write(&path, &array::<i32>(&[2, 3])).unwrap();
    let mut writer = RowWriter::<i32>::append(&path).unwrap();
    writer.push_rows(&[6, 7, 8, 9, 10, 11]).unwrap();
    writer.finish().unwrap();
    let read = DynArray::read_npy(&path).unwrap();
    assert_eq!((read.dtype().to_string().as_str(), read.shape()), (">i4", &[4, 3][..]));
    assert_eq!(read.to_vec::<i32>().unwrap(), (0..12).collect::<Vec<_>>());
    // An element that is a sub-array has dimensions of its own, at the end.
    let mut writer =
        WriteOptions::new().row_writer::<[u8; 2], _>(Cursor::new(Vec::new()), &[3]).unwrap();
    writer.push_row(&[[1, 2], [3, 4], [5, 6]]).unwrap();
    let file = writer.finish().unwrap().into_inner();
    assert_eq!(NpyArray::<u8>::read_npy_from(&file[..]).unwrap().shape(), [1, 3, 2]);
    fs::write(&path, file).unwrap();
    let mut writer = RowWriter::<[u8; 2]>::append(&path).unwrap();
    assert_eq!(writer.row_shape(), [3]);
    writer.push_row(&[[0; 2]; 3]).unwrap();
    assert_eq!(writer.count(), 2);
    writer.finish().unwrap();
}

/// Guards the promise that a row is added as a whole or not at all.
#[test]
fn a_push_that_fails_leaves_no_byte_of_its_row() {
    // Rows of more than a block, too: no part of an invalid one may be in the file already.
    for width in [3, 300_000] {
        let mut writer = RowWriter::<Even, _>::new(Cursor::new(Vec::new()), &[width]).unwrap();
        let row = |n: u8| (0..width).map(|_| Even(n)).collect::<Vec<_>>();
        let invalid = || {
            let mut row = row(8);
            row[width - 1] = Even(3);
            row
        };
        writer.push_row(&row(2)).unwrap();
        let error = text(&writer.push_row(&invalid()).unwrap_err());
        let element = format!("row 1: element {} of the row: ", width - 1);
        assert!(error.contains(&element), "{error}");
        assert_eq!(writer.count(), 1);
        writer.push_row(&row(4)).unwrap();
        writer.flush().unwrap();
        assert!(writer.push_row(&invalid()).is_err());
        let mut rows = row(6);
        rows.extend(invalid());
        rows.extend(row(10));
        let error = writer.push_rows(&rows).unwrap_err();
        assert!(text(&error).starts_with("row 3: "), "{error}");
        for wrong in [width - 1, width + 1, 0] {
            let error = writer.push_row(&rows[..wrong]).unwrap_err();
            let reason = format!("shape ({width},): a row has {width} elements, found {wrong}");
            assert_eq!(text(&error), reason);
        }
        let error = writer.push_rows(&rows[..width + 1]).unwrap_err();
        assert!(text(&error).ends_with("which do not make complete rows"), "{error}");
        assert_eq!(writer.count(), 3);
        let file = writer.finish().unwrap().into_inner();
        let read = NpyArray::<u8>::read_npy_from(&file[..]).unwrap();
        assert_eq!(read.shape(), [3, width]);
        for (row, expected) in read.as_slice_memory_order().chunks(width).zip([2, 4, 6]) {
            assert!(row.iter().all(|&n| n == expected));
        }
    }
}

#[test]
fn a_value_that_panics_leaves_no_byte_of_its_row() {
    let mut writer = RowWriter::<Lucky, _>::new(Cursor::new(Vec::new()), &[2]).unwrap();
    writer.push_row(&[Lucky(1), Lucky(2)]).unwrap();
    let pushed = catch_unwind(AssertUnwindSafe(|| writer.push_row(&[Lucky(3), Lucky::PANICS])));
    assert!(pushed.is_err());
    writer.push_row(&[Lucky(5), Lucky(6)]).unwrap();
    let file = writer.finish().unwrap().into_inner();
    let read = NpyArray::<u32>::read_npy_from(&file[..]).unwrap();
    assert_eq!((read.shape(), read.as_slice_memory_order()), (&[2, 2][..], &[1, 2, 5, 6][..]));
}

#[test]
fn arrays_without_rows_are_refused_with_advice() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    save(&path, &[1.0, 2.0]).unwrap();
    let error = text(&RowWriter::<f64>::append(&path).unwrap_err());
    assert!(error.contains("x.npy: the array has shape (2,), RowWriter<f64> expects"), "{error}");
    assert!(error.contains("Writer::append"), "{error}");
    let error = text(&Reader::open(&path).unwrap().rows::<f64>().unwrap_err());
    assert!(error.contains("Reader::rows::<f64> expects two or more dimensions"), "{error}");
    assert!(error.contains("read_chunk"), "{error}");
    assert!(text(&RowWriter::<f64>::create(&path, &[]).unwrap_err()).contains("a Writer writes"));
    assert_eq!(load::<Vec<f64>>(&path).unwrap().len(), 2, "it was not replaced");

    save(&path, &1.5).unwrap();
    assert!(RowWriter::<f64>::append(&path).is_err());
    let mut reader = Reader::open(&path).unwrap();
    assert!(matches!(reader.rows::<f64>().unwrap_err().kind(), ErrorKind::Rank { .. }));
    let error = text(&reader.read_dyn_chunk(1).unwrap_err());
    assert!(error.contains("read_dyn"), "{error}");
    assert_eq!(reader.read_dyn().unwrap().to_vec::<f64>().unwrap(), [1.5]);

    let fortran = array::<f64>(&[2, 3]).into_order(Order::Fortran);
    save(&path, &fortran).unwrap();
    let error = text(&RowWriter::<f64>::append(&path).unwrap_err());
    assert!(error.contains("appending rows in Fortran order"), "{error}");
    assert!(text(&RowWriter::<f32>::append(&path).unwrap_err()).contains("x.npy: "));
    assert!(RowWriter::<[f64; 2]>::create(&path, &[usize::MAX, 2]).is_err());
    // Only one of several writers at a time.
    let writer = RowWriter::<u8>::create(&path, &[3]).unwrap();
    assert!(matches!(RowWriter::<u8>::append(&path).unwrap_err().kind(), ErrorKind::Locked));
    drop(writer);
    assert_eq!(RowWriter::<u8>::append(&path).unwrap().row_shape(), [3]);
}

/// Guards an array in Fortran order of one row: appending to it would not leave the first row in place.
#[test]
fn one_row_in_fortran_order_is_not_appended_to() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    for (shape, fits) in [("(1, 3)", false), ("(3, 1)", true), ("(0, 2)", false)] {
        let text = format!("{{'descr': '|u1', 'fortran_order': True, 'shape': {shape}, }}");
        let header = format!("{text:<117}\n");
        let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
        bytes.extend(header.bytes());
        bytes.extend([1, 2, 3]);
        fs::write(&path, bytes).unwrap();
        let appended = RowWriter::<u8>::append(&path);
        assert_eq!(appended.is_ok(), fits, "{shape}");
        if let Ok(mut writer) = appended {
            writer.push_row(&[4]).unwrap();
            writer.finish().unwrap();
            let read = NpyArray::<u8>::read_npy(&path).unwrap();
            assert_eq!(
                (read.shape(), read.as_slice_memory_order()),
                (&[4, 1][..], &[1, 2, 3, 4][..])
            );
        }
    }
}

#[test]
fn uncounted_rows_of_a_killed_writer_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let mut writer = RowWriter::<u32>::create(&path, &[1000]).unwrap();
    writer.push_row(&[1; 1000]).unwrap();
    writer.flush().unwrap();
    for n in 2..100 {
        writer.push_row(&[n; 1000]).unwrap();
    }
    // Like a killed process.
    std::mem::forget(writer);
    assert_eq!(load::<NpyArray<u32>>(&path).unwrap().shape(), [1, 1000]);
    // The lock of a process ends with it; this one still has it.
    let copy = dir.path().join("copy.npy");
    fs::copy(&path, &copy).unwrap();
    let error = RowWriter::<u32>::append(&copy).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::UncountedRows { counted: 1, .. }), "{error}");
    let mut writer =
        WriteOptions::new().uncounted_rows(UncountedRows::Keep).append_rows::<u32>(&copy).unwrap();
    let kept = writer.count();
    assert!(kept > 50, "{kept}");
    writer.push_row(&[7; 1000]).unwrap();
    writer.finish().unwrap();
    let read = load::<NpyArray<u32>>(&copy).unwrap();
    assert_eq!(read.shape(), [kept + 1, 1000]);
    assert_eq!(read[[kept - 1, 999]] as usize, kept);
}

/// Reads all rows, `n` at a time.
fn lent<T: Element + Clone, R: Read>(reader: &mut Reader<R>, n: usize) -> Vec<T> {
    let mut all = Vec::new();
    let mut rows = reader.rows::<T>().unwrap();
    let row = rows.row_shape().iter().product::<usize>();
    loop {
        let before = rows.len();
        let Some(some) = rows.next_rows(n).unwrap() else { break };
        assert_eq!(some.len(), before.min(n) * row);
        all.extend_from_slice(some);
        assert_eq!(rows.len(), before - before.min(n));
    }
    assert!(rows.is_empty());
    assert!(rows.next_row().unwrap().is_none());
    all
}

/// Guards rows of every shape, order and source: they are the rows of the array.
#[test]
fn rows_are_those_of_the_array() {
    fn check<T: Element + From<u16> + Clone + PartialEq + std::fmt::Debug>() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.npy");
        for (shape, order, byte_order) in SHAPES.iter().flat_map(|shape| {
            let both = move |order| BYTE_ORDERS.map(|byte_order| (shape, order, byte_order));
            [Order::C, Order::Fortran].into_iter().flat_map(both)
        }) {
            let array = array::<T>(shape);
            let bytes = file(&array, byte_order, order);
            fs::write(&path, &bytes).unwrap();
            let expected = array.as_slice_memory_order();
            for n in [1, 7, usize::MAX] {
                let case = format!("{shape:?} {order:?} {byte_order:?} {n}");
                let mut opened = Reader::open(&path).unwrap();
                assert!(lent::<T, _>(&mut opened, n) == expected, "{case}");
                assert_eq!(opened.remaining(), 0, "{case}");
                let followed = [&bytes[..], b"after"].concat();
                let mut rest = &followed[..];
                let mut stream = Reader::new(&mut rest).unwrap();
                assert!(lent::<T, _>(&mut stream, n) == expected, "{case}");
                assert_eq!(stream.remaining(), 0, "{case}");
                assert_eq!(rest, b"after", "{case}");
            }
        }
    }
    if npy_tests::is_thorough() {
        check::<f32>();
        check::<u16>();
    }
    check::<Padded>();
}

/// Guards the reader after some of the rows: it goes on with the next one, however far rows were decoded ahead.
#[test]
fn reading_goes_on_after_some_rows() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let array = array::<f64>(&[2000, 5]);
    let all = array.as_slice_memory_order();
    save(&path, &array).unwrap();
    let mut reader = Reader::open(&path).unwrap();
    let mut rows = reader.rows::<f64>().unwrap();
    let mut at = 0;
    for n in [1, 3, 1, 700, 2, 5, 400] {
        assert_eq!(rows.next_rows(n).unwrap().unwrap(), &all[at..at + n * 5], "{n}");
        at += n * 5;
    }
    assert_eq!(reader.remaining(), all.len() - at);
    let mut five = [0.0; 5];
    reader.read_into(&mut five).unwrap();
    assert_eq!(five, all[at..at + 5]);
    at += 5;
    assert_eq!(reader.read_dyn_chunk(2).unwrap().to_vec::<f64>().unwrap(), all[at..at + 10]);
    at += 10;
    assert_eq!(reader.rows::<f64>().unwrap().next_row().unwrap().unwrap(), &all[at..at + 5]);
    reader.read_into(&mut five[..2]).unwrap();
    let error = text(&reader.rows::<f64>().unwrap_err());
    assert!(error.contains("reading rows from the middle of one"), "{error}");
    assert!(reader.read_dyn_chunk(1).is_err());
    reader.seek_to(1999).unwrap();
    assert_eq!(lent::<f64, _>(&mut reader, 3), all[all.len() - 5..]);

    // In Fortran order, only more rows can be read.
    save(&path, &array.to_order(Order::Fortran)).unwrap();
    let file = fs::read(&path).unwrap();
    let check = |reader: &mut dyn FnMut(usize) -> Vec<f64>| {
        assert_eq!(reader(3), all[..15]);
        assert_eq!(reader(1), all[15..20]);
    };
    let mut opened = Reader::open(&path).unwrap();
    check(&mut |n| opened.rows::<f64>().unwrap().next_rows(n).unwrap().unwrap().to_vec());
    let mut stream = Reader::new(Cursor::new(&file)).unwrap();
    check(&mut |n| stream.read_dyn_chunk(n).unwrap().to_vec().unwrap());
    assert_eq!(stream.remaining(), all.len() - 20);
    let error = text(&opened.read_into(&mut five).unwrap_err());
    assert!(error.contains("after some rows of an array in Fortran order"), "{error}");
    assert!(opened.read_array::<f64>().is_err());
    assert!(stream.records::<f64>().is_err());
    assert_eq!(lent::<f64, _>(&mut opened, 9), all[20..]);
    stream.seek_to(0).unwrap();
    assert_eq!(stream.read_array::<f64>().unwrap(), array);
    stream.seek_to(0).unwrap();
    assert_eq!(lent::<f64, _>(&mut stream, 90), all);
}

/// Guards elements with dimensions of their own, whose parts are strided in Fortran order.
#[test]
fn elements_that_are_sub_arrays_have_rows() {
    let array = array::<f32>(&[20, 4, 3]);
    for order in [Order::C, Order::Fortran] {
        let bytes = file(&array, ByteOrder::Big, order);
        let mut reader = Reader::new(&bytes[..]).unwrap();
        let mut rows = reader.rows::<[f32; 3]>().unwrap();
        assert_eq!(rows.row_shape(), [4]);
        let row = rows.next_row().unwrap().unwrap();
        assert_eq!(row, [[0., 1., 2.], [3., 4., 5.], [6., 7., 8.], [9., 10., 11.]]);
        let rest = rows.next_rows(50).unwrap().unwrap();
        assert_eq!(rest.as_flattened(), &array.as_slice_memory_order()[12..]);
    }
    let bytes = file(&array, ByteOrder::Little, Order::C);
    assert!(Reader::new(&bytes[..]).unwrap().rows::<[[f32; 3]; 4]>().is_err());
    // Values without bytes.
    let none = NpyArray::new(Vec::<f32>::new(), [3, 2, 0]).unwrap();
    let bytes = file(&none, ByteOrder::Little, Order::C);
    let mut reader = Reader::new(&bytes[..]).unwrap();
    let mut rows = reader.rows::<[f32; 0]>().unwrap();
    assert_eq!(rows.next_row().unwrap().unwrap().len(), 2);
    assert_eq!(rows.next_rows(5).unwrap().unwrap().len(), 4);
    assert!(rows.next_row().unwrap().is_none());
}

/// Guards the rows before an error: they are lent first.
#[test]
fn complete_valid_rows_come_before_an_error() {
    let array = array::<f32>(&[10, 5]);
    let bytes = file(&array, ByteOrder::Little, Order::C);
    let short = &bytes[..bytes.len() - 30];
    for n in [1, 3, 9] {
        let mut reader = Reader::new(short).unwrap();
        let mut rows = reader.rows::<f32>().unwrap();
        let mut found = Vec::new();
        let error = loop {
            match rows.next_rows(n) {
                Ok(some) => found.extend_from_slice(some.unwrap()),
                Err(error) => break error,
            }
        };
        assert!(text(&error).contains("expected 200 bytes of data, found 170"), "{error}");
        assert_eq!(found, array.as_slice_memory_order()[..40], "{n}");
        assert!(rows.next_row().is_err());
        assert!(text(&reader.rows::<f32>().unwrap_err()).contains("read that failed"));
    }
    for (wide, order) in [(3, Order::C), (3, Order::Fortran), (300_000, Order::C)] {
        let mut numbers = vec![2_u8; 4 * wide];
        numbers[2 * wide + 1] = 3;
        let numbers = NpyArray::new(numbers, [4, wide]).unwrap();
        let bytes = file(&numbers, ByteOrder::Little, order);
        let mut reader = Reader::new(&bytes[..]).unwrap();
        let mut rows = reader.rows::<Even>().unwrap();
        assert_eq!(rows.next_rows(4).unwrap().unwrap().len(), 2 * wide);
        let error = text(&rows.next_rows(4).unwrap_err());
        assert!(error.starts_with("row 2: element 1 of the row: "), "{error}");
    }
    // A file that is known to be too short has no complete row in Fortran order.
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let bytes = file(&self::array::<f32>(&[1000, 5]), ByteOrder::Little, Order::Fortran);
    fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    for error in [
        Reader::open(&path).unwrap().rows::<f32>().unwrap().next_row().unwrap_err(),
        Reader::open(&path).unwrap().read_dyn_chunk(1).unwrap_err(),
        Reader::new(&bytes[..9000]).unwrap().rows::<f32>().unwrap().next_row().unwrap_err(),
    ] {
        assert!(matches!(error.kind(), ErrorKind::Truncated { .. }), "{error}");
    }
}

/// Guards against a header of few bytes that claims rows without bytes for ever.
#[test]
fn rows_without_bytes_are_limited() {
    for (order, shape) in [
        (Order::C, [1 << 20, 1 << 20]),
        (Order::Fortran, [1 << 20, 1 << 20]),
        (Order::Fortran, [2, 1 << 29]),
    ] {
        let header = Header::new("|V0".parse().unwrap(), shape, order).unwrap();
        let bytes = header.to_bytes().unwrap();
        let mut reader = Reader::new(&bytes[..]).unwrap();
        let error = reader.rows::<npy_core::Void<0>>().unwrap().next_rows(1 << 20).unwrap_err();
        assert!(error.is_limit(), "{error}");
        let mut reader = Reader::new(&bytes[..]).unwrap();
        assert_eq!(reader.read_dyn_chunk(1).unwrap().shape(), [1, shape[1]]);
    }
}

/// Counts the bytes that are read from it.
struct Counted<R>(R, u64);

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let n = self.0.read(out)?;
        self.1 += n as u64;
        Ok(n)
    }
}

/// Guards `head`: the first rows of a large file cost as much as those rows.
#[test]
fn the_first_rows_do_not_read_the_whole_file() {
    let array = array::<f64>(&[20_000, 10]);
    let bytes = file(&array, ByteOrder::Big, Order::C);
    let mut counted = Counted(&bytes[..], 0);
    let first = Reader::new(&mut counted).unwrap().read_dyn_chunk(5).unwrap();
    assert_eq!((first.shape(), first.dtype().to_string().as_str()), (&[5, 10][..], ">f8"));
    assert_eq!(first.to_vec::<f64>().unwrap(), array.as_slice_memory_order()[..50]);
    assert_eq!(counted.1, 128 + 400);
}

#[test]
fn chunks_of_any_dtype_make_the_whole_array() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    for (shape, order) in SHAPES
        .iter()
        .chain(&[&[9][..], &[0]])
        .flat_map(|shape| [(shape, Order::C), (shape, Order::Fortran)])
    {
        let array = array::<Padded>(shape);
        let bytes = file(&array, ByteOrder::Big, order);
        fs::write(&path, &bytes).unwrap();
        for n in [1, 4, 5000] {
            let mut opened = Reader::open(&path).unwrap();
            let mut stream = Reader::new(&bytes[..]).unwrap();
            let (mut rows, mut found) = (0, Vec::new());
            while rows < shape[0] {
                let chunk = opened.read_dyn_chunk(n).unwrap();
                assert!(chunk == stream.read_dyn_chunk(n).unwrap());
                assert_eq!(chunk.shape()[0], n.min(shape[0] - rows));
                assert_eq!(chunk.order(), Order::C);
                rows += chunk.shape()[0];
                found.extend(chunk.to_vec::<Padded>().unwrap());
            }
            assert_eq!(opened.read_dyn_chunk(n).unwrap().shape()[0], 0);
            assert_eq!((opened.remaining(), stream.remaining()), (0, 0));
            assert!(found == array.as_slice_memory_order(), "{shape:?} {order:?} {n}");
        }
    }
    let chunk =
        ReadOptions::new().order(Order::Fortran).open(&path).unwrap().read_dyn_chunk(3).unwrap();
    assert_eq!(chunk.shape(), [0]);
    let bytes = file(&array::<u16>(&[4, 2]), ByteOrder::Little, Order::C);
    let mut reader = ReadOptions::new().order(Order::Fortran).reader(&bytes[..]).unwrap();
    assert_eq!(reader.read_dyn_chunk(2).unwrap().as_bytes(), [0, 0, 2, 0, 1, 0, 3, 0]);
    // A truncated file whose length is known loses nothing.
    fs::write(&path, &file(&array::<f64>(&[1000]), ByteOrder::Little, Order::C)[..5000]).unwrap();
    let mut reader = Reader::open(&path).unwrap();
    assert!(reader.read_dyn_chunk(1000).is_err());
    assert_eq!(reader.read_dyn_chunk(600).unwrap().shape(), [600]);
}

/// Guards decoding of parts that end anywhere: the same elements as from a reader, and no byte of what follows.
#[test]
fn parts_that_end_anywhere_are_decoded() {
    fn check<T: Element + From<u16> + PartialEq + std::fmt::Debug + Clone>(shape: &[usize]) {
        let array = array::<T>(shape);
        for order in BYTE_ORDERS {
            let bytes = [file(&array, order, Order::C), b"after".to_vec()].concat();
            let (header, start) = Header::parse(&bytes).unwrap();
            assert_eq!(Header::needed(&bytes), Some(start));
            for size in [1, 2, 3, 7, 8, 100, 300_000] {
                let mut decoder = Decoder::<T>::new(&header).unwrap();
                let (mut out, mut used) = (Vec::new(), 0);
                for part in bytes[start..].chunks(size) {
                    let complete = decoder.remaining() == 0;
                    assert_eq!(decoder.finish().is_ok(), complete);
                    let n = decoder.feed(part, &mut out).unwrap();
                    assert!(n == part.len() || decoder.remaining() == 0);
                    used += n;
                    assert_eq!(decoder.remaining(), header.count() - out.len());
                }
                decoder.finish().unwrap();
                assert!(out == array.as_slice_memory_order(), "{size}");
                assert_eq!(used, bytes.len() - start - 5);
            }
        }
    }
    check::<u16>(&[5]);
    check::<f64>(&[2, 3]);
    check::<Padded>(&[10]);
    check::<f64>(&[40_000]);
    check::<Padded>(&[0]);
}

#[test]
fn a_decoder_names_the_row_and_stops() {
    let header = Header::new("|u1".parse().unwrap(), [5], Order::C).unwrap();
    let mut decoder = Decoder::<Even>::new(&header).unwrap();
    let mut out = Vec::new();
    decoder.feed(&[2, 4], &mut out).unwrap();
    let error = text(&decoder.finish().unwrap_err());
    assert!(error.contains("expected 5 bytes of data, found 2"), "{error}");
    let error = text(&decoder.feed(&[6, 7], &mut out).unwrap_err());
    assert!(error.starts_with("row 3: "), "{error}");
    assert_eq!(out.len(), 3);
    assert!(text(&decoder.feed(&[8], &mut out).unwrap_err()).contains("failed"));
    // An element in two parts, whose bytes are missing at the end.
    let header = Header::new("<f8".parse().unwrap(), [2], Order::C).unwrap();
    let mut decoder = Decoder::<f64>::new(&header).unwrap();
    decoder.feed(&[0; 11], &mut Vec::new()).unwrap();
    assert!(text(&decoder.finish().unwrap_err()).contains("found 11"));

    assert!(Decoder::<f32>::new(&header).is_err());
    let wide = Header::new("<f8".parse().unwrap(), [4, 2], Order::C).unwrap();
    assert_eq!(Decoder::<[f64; 2]>::new(&wide).unwrap().remaining(), 4);
    let fortran = Header::new("<f8".parse().unwrap(), [4, 2], Order::Fortran).unwrap();
    assert!(Decoder::<[f64; 2]>::new(&fortran).is_err());
    assert_eq!(Decoder::<f64>::new(&fortran).unwrap().remaining(), 8);
    let objects = Header::new("|O".parse().unwrap(), [4], Order::C).unwrap();
    assert!(Decoder::<f64>::new(&objects).is_err());
    // Elements of no bytes come with the first call, and are limited.
    let none = |count: usize| Header::new("|V0".parse().unwrap(), [count], Order::C).unwrap();
    let mut out = Vec::new();
    let mut decoder = Decoder::<npy_core::Void<0>>::new(&none(3)).unwrap();
    assert_eq!(decoder.feed(b"x", &mut out).unwrap(), 0);
    assert_eq!(out.len(), 3);
    let mut decoder = Decoder::<npy_core::Void<0>>::new(&none(1 << 40)).unwrap();
    assert!(decoder.feed(&[], &mut Vec::new()).unwrap_err().is_limit());
}

/// Guards a program that collects the header: it knows when it has enough, and is not made to wait for what cannot be a header.
#[test]
fn the_size_of_a_header_is_known_early() {
    for descr in ["<f8", &format!("[('{}', '<f4')]", "n".repeat(70_000)), "[('整', '<f4')]"] {
        let header = Header::new(descr.parse().unwrap(), [3], Order::C).unwrap();
        let bytes = header.to_bytes().unwrap();
        let known = if bytes[6] == 1 { 10 } else { 12 };
        for end in 0..bytes.len().min(200) {
            let expected = (end >= known).then_some(bytes.len());
            assert_eq!(Header::needed(&bytes[..end]), expected, "{end}");
        }
        let mut reader = Reader::new(&bytes[..]).unwrap();
        assert_eq!(reader.data_offset(), bytes.len() as u64);
        assert!(reader.read_dyn().is_err());
    }
    for (bytes, needed) in [
        (&b""[..], None),
        (b"\x93NUM", None),
        (b"\x93NUMPX", Some(6)),
        (b"P", Some(1)),
        (b"\x93NUMPY\x09\x00", Some(8)),
        (b"not an array at all", Some(8)),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff", Some(12)),
    ] {
        assert_eq!(Header::needed(bytes), needed, "{}", bytes.escape_ascii());
        if let Some(needed) = needed {
            assert!(Header::parse(&bytes[..needed]).is_err(), "{}", bytes.escape_ascii());
        }
    }
}

/// Guards the second array of a file: the offset counts from its own header.
#[test]
fn the_offset_of_the_data_counts_from_the_header() {
    let mut file = tempfile::tempfile().unwrap();
    let write = |file: &mut File| {
        let mut writer = Writer::<u8, _>::new(file).unwrap();
        writer.write_slice(&[1, 2, 3]).unwrap();
        writer.finish().unwrap();
    };
    write(&mut file);
    write(&mut file);
    std::io::Seek::rewind(&mut file).unwrap();
    for _ in 0..2 {
        let mut reader = Reader::new(&mut file).unwrap();
        assert_eq!(reader.data_offset(), 128);
        assert_eq!(reader.read_vec::<u8>().unwrap(), [1, 2, 3]);
    }
}

/// Guards rows that are read ahead in Fortran order: they keep to the limits that the rows asked for keep to.
#[test]
fn rows_ahead_keep_to_the_limits() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npy");
    let array: NpyArray<i32> = array(&[300, 10]);
    WriteOptions::new().order(Order::Fortran).write(&path, &array).unwrap();
    let mut limits = npy_core::Limits::default();
    limits.array_bytes = Some(100);
    let open = || ReadOptions::new().limits(limits).open(&path);
    // The array is larger than the limit, so only rows of it can be read.
    let Ok(mut reader) = open() else { panic!("{}", text(&open().unwrap_err())) };
    let mut rows = reader.rows::<i32>().unwrap();
    let mut count = 0;
    while let Some(row) = rows.next_rows(2).unwrap() {
        assert_eq!(row[0], count * 10);
        count += 2;
    }
    assert_eq!(count, 300);
    let mut reader = open().unwrap();
    let error = reader.rows::<i32>().unwrap().next_rows(3).unwrap_err();
    assert!(error.is_limit(), "{error}");

    let header = Header::new("|S0".parse().unwrap(), [1_000_000, 2], Order::Fortran).unwrap();
    fs::write(&path, header.to_bytes().unwrap()).unwrap();
    let mut reader = Reader::open(&path).unwrap();
    let mut rows = reader.rows::<npy_core::ByteStr<0>>().unwrap();
    assert_eq!(rows.next_row().unwrap().unwrap().len(), 2);
}

/// Guards the end of a decoder: what it says is why elements are missing.
#[test]
fn a_decoder_says_what_is_missing() {
    let header = Header::new("|S0".parse().unwrap(), [5], Order::C).unwrap();
    let mut decoder = Decoder::<npy_core::ByteStr<0>>::new(&header).unwrap();
    assert!(text(&decoder.finish().unwrap_err()).contains("call Decoder::feed once"));
    let mut out = Vec::new();
    decoder.feed(&[], &mut out).unwrap();
    decoder.finish().unwrap();
    assert_eq!(out.len(), 5);
    let header = Header::new("|b1".parse().unwrap(), [3], Order::C).unwrap();
    let mut decoder =
        Decoder::<Even>::new(&Header::new("|u1".parse().unwrap(), [3], Order::C).unwrap()).unwrap();
    let mut out = Vec::new();
    let error = text(&decoder.feed(&[2, 3, 4], &mut out).unwrap_err());
    assert!(error.contains("row 1"), "{error}");
    assert!(!text(&decoder.finish().unwrap_err()).contains("truncated"));
    let empty =
        Decoder::<bool>::new(&Header::new(header.dtype().clone(), [0], Order::C).unwrap()).unwrap();
    empty.finish().unwrap();
}

/// Guards rows that are lent from the buffer of the reader: at positions that are no multiple of the alignment of a number, before bytes
/// that follow the array, in turn with several rows at once, and after an error.
#[test]
fn rows_are_lent_from_the_buffer_wherever_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let (rows, width) = (3000, 3);
    let all = array::<f64>(&[rows, width]);
    let bytes = file(&all, ByteOrder::Little, Order::C);
    let header = Header::read_from(&mut &bytes[..]).unwrap().to_bytes().unwrap();
    for blanks in 0..9_u8 {
        // A header that is longer by some blanks.
        let mut moved = header.clone();
        moved[8] += blanks;
        let end = moved.len() - 1;
        moved.splice(end..end, vec![b' '; blanks.into()]);
        moved.extend_from_slice(&bytes[header.len()..]);
        moved.extend([0xff; 100]);
        fs::write(&path, &moved).unwrap();
        let mut reader = Reader::open(&path).unwrap();
        let mut lent = reader.rows::<f64>().unwrap();
        let mut found = Vec::new();
        for several in [1, 2, 0, 7].into_iter().cycle() {
            let next = match several {
                0 => lent.next_row().unwrap(),
                n => lent.next_rows(n).unwrap(),
            };
            let Some(next) = next else { break };
            found.extend_from_slice(next);
            if found.len() < 60 {
                found.extend_from_slice(lent.next_row().unwrap().unwrap());
            }
        }
        assert_eq!(found, all.to_vec(), "{blanks} blanks");
        assert!(lent.next_row().unwrap().is_none());

        fs::write(&path, &moved[..header.len() + usize::from(blanks) + 8 * width * 100 + 5])
            .unwrap();
        let mut reader = Reader::open(&path).unwrap();
        let mut lent = reader.rows::<f64>().unwrap();
        for row in 0..100 {
            let next = lent.next_row().unwrap().unwrap();
            assert_eq!(next, &all.to_vec()[row * width..(row + 1) * width]);
        }
        for _ in 0..2 {
            assert!(lent.next_row().is_err());
        }
    }
}
