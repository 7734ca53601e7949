//! Data without a header, as `tofile` writes it: read and written.

use std::fs::{self, File};

use npy_core::{
    ByteOrder, DType, Element, ErrorKind, Header, NpyArray, Order, ReadOptions, Reader, WriteNpy,
    WriteOptions, Writer,
};

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

const BYTE_ORDERS: [ByteOrder; 2] = [ByteOrder::Little, ByteOrder::Big];

#[test]
fn files_without_a_header_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.raw");
    let dtype = |descr: &str| descr.parse::<DType>().unwrap();
    let numbers = array::<f64>(&[1000, 6]);
    let data = file(&numbers, ByteOrder::Big, Order::C).split_off(128);
    fs::write(&path, &data).unwrap();
    let mut reader = Reader::open_headerless(&path, dtype(">f8"), &[6]).unwrap();
    assert_eq!((reader.header().shape(), reader.data_offset()), (&[1000, 6][..], 0));
    let mut rows = reader.rows::<f64>().unwrap();
    assert_eq!(rows.next_row().unwrap().unwrap(), [0., 1., 2., 3., 4., 5.]);
    reader.seek_to(999).unwrap();
    assert_eq!(reader.read_dyn_chunk(5).unwrap().shape(), [1, 6]);
    let flat = ReadOptions::new()
        .threads(2)
        .open_headerless(&path, dtype(">f8"), &[])
        .unwrap()
        .read_vec::<f64>()
        .unwrap();
    assert_eq!(flat, numbers.as_slice_memory_order());
    let mut records =
        Reader::open_headerless(&path, dtype("[('x', '>f8'), ('y', '>f8', (2,))]"), &[]).unwrap();
    assert_eq!(records.read_column::<f64>("y[1]").unwrap()[..2], [2.0, 5.0]);
    // A part of a stream, with something else after it.
    let mut rest = &data[80..];
    let mut reader = Reader::headerless(&mut rest, dtype(">f8"), [2, 2]).unwrap();
    assert_eq!(reader.read_array::<f64>().unwrap().into_vec(), [10., 11., 12., 13.]);
    assert_eq!(rest.len(), data.len() - 80 - 32);

    let error = Reader::open_headerless(&path, dtype(">f8"), &[7]).unwrap_err().to_string();
    assert!(
        error.contains("x.raw: shape (7,): a row has 56 bytes, and the file 48000: 8 too many")
    );
    for (descr, row) in [("|V0", &[][..]), ("<f8", &[0]), ("|O", &[]), ("<f8", &[usize::MAX, 9])] {
        let error = Reader::open_headerless(&path, dtype(descr), row).unwrap_err();
        assert!(error.to_string().contains("x.raw"), "{descr}: {error}");
    }
    assert!(Reader::headerless(&data[..], dtype("|O"), [1]).is_err());
    let mut short = Reader::headerless(&data[..7], dtype("<f8"), [1]).unwrap();
    assert!(matches!(short.read_vec::<f64>().unwrap_err().kind(), ErrorKind::Truncated { .. }));
    #[cfg(target_os = "linux")]
    {
        let error = Reader::open_headerless("/dev/null", dtype("<f8"), &[]).unwrap_err();
        assert!(error.to_string().contains("Reader::headerless"), "{error}");
    }
    fs::write(&path, []).unwrap();
    let mut reader = Reader::open_headerless(&path, dtype(">f8"), &[6]).unwrap();
    assert_eq!(reader.read_array::<f64>().unwrap().shape(), [0, 6]);
}

/// Guards data without a header: the bytes after the header of the same array, in C order unless the options state another.
#[test]
fn files_without_a_header_are_written() {
    fn check<T: Element + From<u16> + Clone>(shape: &[usize]) {
        let array = array::<T>(shape);
        let columns = array.clone().into_order(Order::Fortran);
        for byte_order in BYTE_ORDERS {
            let with_header = file(&array, byte_order, Order::C);
            let (_, start) = Header::parse(&with_header).unwrap();
            let data = &with_header[start..];
            let options = WriteOptions::new().byte_order(byte_order).clone();
            for array in [&array, &columns] {
                let mut found = Vec::new();
                options.write_headerless_to(&mut found, array).unwrap();
                assert!(found == data, "{shape:?} {byte_order}");
            }
            let mut writer = options.headerless::<T, _>(Vec::new()).unwrap();
            for part in array.as_slice_memory_order().chunks(7) {
                writer.write_slice(part).unwrap();
            }
            assert!(writer.finish().unwrap() == data, "{shape:?} {byte_order}");
        }
        let mut found = Vec::new();
        WriteOptions::new().order(Order::Fortran).write_headerless_to(&mut found, &array).unwrap();
        let with_header = file(&array, ByteOrder::Little, Order::Fortran);
        assert!(found == with_header[with_header.len() - found.len()..], "{shape:?}");
    }
    for shape in [&[][..], &[0], &[5], &[3, 4], &[2, 3, 4], &[200, 300], &[4, 0]] {
        check::<u16>(shape);
        check::<f64>(shape);
    }
}

/// Guards what becomes of files: they are replaced, added to, and not touched by an array that cannot be written.
#[test]
fn data_without_a_header_replaces_and_is_added_to() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.raw");
    WriteOptions::new().write_headerless(&path, &[[1u8, 2], [3, 4]]).unwrap();
    let end = File::options().append(true).open(&path).unwrap();
    let mut writer = Writer::<[u8; 2], _>::headerless(end).unwrap();
    writer.push(&[5, 6]).unwrap();
    writer.flush().unwrap();
    assert_eq!(fs::read(&path).unwrap(), [1, 2, 3, 4, 5, 6]);
    writer.push(&[7, 8]).unwrap();
    assert_eq!(writer.count(), 2);
    writer.sync().unwrap();
    writer.finish().unwrap();
    assert_eq!(fs::read(&path).unwrap(), [1, 2, 3, 4, 5, 6, 7, 8]);

    let error = WriteOptions::new().write_headerless(&path, &vec![Some(1i64), None]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unsupported { .. }), "{error}");
    assert!(error.to_string().contains("x.raw"), "{error}");
    assert_eq!(fs::read(&path).unwrap().len(), 8);
    WriteOptions::new().write_headerless(&path, &Vec::<f64>::new()).unwrap();
    assert!(fs::read(&path).unwrap().is_empty());
}
