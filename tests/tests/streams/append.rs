//! Appending to existing files, by NumPy and other programs.

use super::*;
use npy_core::DynArray;
use std::path::{Path, PathBuf};

thread_local! {
    pub(super) static ANY: RefCell<Option<DType>> = const { RefCell::new(None) };
}

/// An item of `N` bytes and of any dtype, which is set per thread.
#[derive(Debug, PartialEq)]
pub(super) struct Any<const N: usize>(pub(super) [u8; N]);

impl<const N: usize> Element for Any<N> {
    const SIZE: usize = N;

    fn dtype() -> DType {
        ANY.with_borrow(|dtype| dtype.clone().unwrap())
    }

    fn decode(item: &[u8]) -> Self {
        Any(item.try_into().unwrap())
    }

    fn encode(&self, item: &mut [u8]) -> Result<(), InvalidValue> {
        item.copy_from_slice(&self.0);
        Ok(())
    }
}

fn append_items<const N: usize>(path: &Path, items: &[u8]) -> Result<usize, Error> {
    let mut writer = Writer::<Any<N>, _>::append(path)?;
    let before = writer.count();
    if N == 0 {
        writer.extend((0..before).map(|_| Any([0; N])))?;
    } else {
        let items = items.chunks_exact(N).map(|item| Any(item.try_into().unwrap()));
        for (i, item) in items.enumerate() {
            writer.push(&item)?;
            if i % 3 == 1 {
                writer.flush()?;
            }
        }
    }
    writer.finish()?;
    Ok(before)
}

/// Appends the items of an array to its own file; `None` if their size is not in the list.
fn append_again(path: &Path, array: &DynArray) -> Result<Option<usize>, Error> {
    let little = array.dtype().with_byte_order(ByteOrder::Little);
    let items = array.cast(&little).unwrap().into_bytes();
    macro_rules! sizes {
        ($($n:literal)*) => {
            match array.dtype().itemsize() {
                $($n => append_items::<$n>(path, &items).map(Some),)*
                _ => Ok(None),
            }
        };
    }
    let append = || {
        ANY.set(Some(array.dtype().clone()));
        sizes!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 36 40 48 56 64 72 80 480)
    };
    std::thread::scope(|scope| scope.spawn(append).join().unwrap())
}

/// Returns the array twice, one copy after the other in the file.
fn doubled(array: &DynArray) -> DynArray {
    let mut shape = array.shape().to_vec();
    shape[0] *= 2;
    let bytes = array.as_bytes().repeat(2);
    DynArray::new(array.dtype().clone(), shape, array.order(), bytes).unwrap()
}

/// Returns the `.npy` files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let inside = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    let npy = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "npy");
    paths.flat_map(inside).filter(npy).collect()
}

/// Returns true if the array cannot grow: it has no dimension for that, or its rows are empty or strided.
fn cannot_grow(array: &DynArray) -> bool {
    let Some(row) = array.shape().get(1..) else { return true };
    let is_strided = array.order() == Order::Fortran && row.iter().product::<usize>() > 1;
    is_strided || row.contains(&0)
}

/// Guards every dtype, byte order and shape of NumPy: after an append, the file is the one that NumPy would have
/// written.
#[test]
fn numpys_files_grow_as_numpy_would_have_written_them() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let (mut grown, mut refused) = (0, 0);
    for golden in files(&npy_tests::golden("")) {
        let name = golden.display();
        let before = fs::read(&golden).unwrap();
        fs::write(&path, &before).unwrap();
        let array = DynArray::read_npy(&golden).unwrap();
        match append_again(&path, &array) {
            Ok(count) => {
                assert_eq!(
                    count,
                    Some(array.shape().iter().product()),
                    "{name}: is its size in the list?"
                );
                let mut expected = Vec::new();
                let version = Header::read_npy(&golden).unwrap().version();
                let mut options = WriteOptions::new();
                options.version(version).write_to(&mut expected, &doubled(&array)).unwrap();
                assert!(fs::read(&path).unwrap() == expected, "{name}");
                grown += 1;
            }
            Err(error) => {
                assert!(cannot_grow(&array), "{name}: {error}");
                assert!(fs::read(&path).unwrap() == before, "{name}");
                refused += 1;
            }
        }
    }
    assert!(grown > 100 && refused < 10, "{grown} and {refused}");
}

/// Guards headers of all versions and by other programs: only the length changes, as far as the header has blanks for
/// it.
#[test]
fn files_of_the_corpus_grow_in_place() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let mut grown = 0;
    for file in files(&npy_tests::corpus().join("files/valid")) {
        let Ok(array) = DynArray::read_npy(&file) else { continue };
        if array.dtype().has_object() {
            continue;
        }
        let name = file.display();
        let before = fs::read(&file).unwrap();
        fs::write(&path, &before).unwrap();
        let (header, start) = Header::parse(&before).unwrap();
        match append_again(&path, &array) {
            Ok(None) => continue,
            Ok(Some(_)) => {}
            Err(error) => {
                let text = error.to_string();
                let reason = cannot_grow(&array)
                    || text.contains("several arrays in a file")
                    || text.contains("all this header has room for");
                assert!(reason, "{name}: {text}");
                continue;
            }
        }
        let after = fs::read(&path).unwrap();
        let (longer, same_start) = Header::parse(&after).unwrap();
        assert_eq!((start, header.version()), (same_start, longer.version()), "{name}");
        assert_eq!(after.len(), start + 2 * array.as_bytes().len(), "{name}");
        assert!(after[start..].starts_with(array.as_bytes()), "{name}");
        let unpadded = |array: &DynArray| array.cast(&array.dtype().packed()).unwrap();
        let read = unpadded(&DynArray::read_npy(&path).unwrap());
        let expected = unpadded(&doubled(&array));
        assert_eq!((read.shape(), read.order()), (expected.shape(), expected.order()), "{name}");
        assert_eq!(read.dtype(), expected.dtype(), "{name}");
        assert!(read.as_bytes() == expected.as_bytes(), "{name}");
        grown += 1;
    }
    assert!(grown > 200, "{grown}");
}

/// Returns a file of version 1 with this header and data.
fn file(header: &str, data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(header.len()).unwrap().to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), data].concat()
}

/// Returns the file after these items were appended, and the first error.
fn appended<T: Element>(before: &[u8], items: &[T]) -> (Vec<u8>, Result<(), Error>) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    fs::write(&path, before).unwrap();
    let append = || {
        let mut writer = Writer::<T, _>::append(&path)?;
        let written = writer.extend(items);
        writer.finish()?;
        written
    };
    let result = append();
    (fs::read(&path).unwrap(), result)
}

#[track_caller]
fn assert_appends<T: Element>(before: &str, data: &[u8], items: &[T], after: &str, more: &[u8]) {
    let (bytes, result) = appended(&file(before, data), items);
    result.unwrap();
    let expected = file(after, &[data, more].concat());
    assert_eq!(bytes.escape_ascii().to_string(), expected.escape_ascii().to_string());
}

/// Guards the position of the number: it may be anywhere in the header, in any spelling, and the text after it moves
/// into the blanks.
#[test]
fn the_length_is_found_in_any_header() {
    let nine = [7; 9];
    assert_appends(
        "{'descr': '|u1', 'fortran_order': False, 'shape': (9,), }    \n",
        &nine,
        &[1u8],
        "{'descr': '|u1', 'fortran_order': False, 'shape': (10,), }   \n",
        &[1],
    );
    assert_appends(
        "{'shape':(9,),'fortran_order':False,'descr':'u1'}  \r\n",
        &nine,
        &[1u8, 2],
        "{'shape':(11,),'fortran_order':False,'descr':'u1'} \r\n",
        &[1, 2],
    );
    assert_appends(
        "{'shape': ((9),), 'fortran_order': False, 'descr': '|u1'}    ",
        &nine,
        &[1u8],
        "{'shape': ((10),), 'fortran_order': False, 'descr': '|u1'}   ",
        &[1],
    );
    assert_appends(
        "{'descr': '|u1', 'fortran_order': False, 'shape': (9L, 1L)} \n",
        &nine,
        &[1u8],
        "{'descr': '|u1', 'fortran_order': False, 'shape': (10L, 1L)}\n",
        &[1],
    );
    // This name has different byte lengths in latin-1 and UTF-8.
    #[derive(NpyRecord)]
    struct Named {
        é: u8,
    }
    for version in [Version::V1, Version::V2, Version::V3] {
        let mut options = WriteOptions::new();
        options.version(version);
        let [nine, ten] = [9, 10].map(|n| {
            let items: Vec<_> = (0..n).map(|é| Named { é }).collect();
            let mut bytes = Vec::new();
            options.write_to(&mut bytes, &items).unwrap();
            bytes
        });
        let (bytes, result) = appended(&nine, &[Named { é: 9 }]);
        result.unwrap();
        assert!(bytes == ten, "{version:?}");
    }
}

/// Guards the number of digits: an item is refused if its count does not fit into the header; items before it stay.
#[test]
fn a_header_without_room_refuses_the_item_that_is_too_many() {
    let before = file("{'descr': '|u1', 'fortran_order': False, 'shape': (8,)}\n", &[0; 8]);
    let (bytes, result) = appended(&before, &[1u8, 2, 3]);
    let text = result.unwrap_err().to_string();
    assert!(text.contains("a length of more than 1 digits, for which this header has no blanks, needs a longer header"), "{text}");
    let expected = file(
        "{'descr': '|u1', 'fortran_order': False, 'shape': (9,)}\n",
        &[0, 0, 0, 0, 0, 0, 0, 0, 1],
    );
    assert_eq!(bytes, expected);
    // A slice is accepted completely or not at all.
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    fs::write(&path, &before).unwrap();
    let mut writer = Writer::<u8, _>::append(&path).unwrap();
    writer.write_slice(&[1, 2]).unwrap_err();
    writer.write_slice(&[1]).unwrap();
    writer.finish().unwrap();
    assert_eq!(fs::read(&path).unwrap(), expected);
}

/// Guards the end of the data: a file with missing data or with uncounted rows is refused, and a part of a row is overwritten.
#[test]
fn the_length_in_the_header_must_have_its_bytes() {
    let mut whole = Vec::new();
    [1u16, 2, 3].write_npy_to(&mut whole).unwrap();
    for end in 0..whole.len() {
        let (bytes, result) = appended(&whole[..end], &[4u16]);
        let error = result.unwrap_err();
        let kind = error.kind();
        assert!(matches!(kind, ErrorKind::Truncated { .. } | ErrorKind::NotNpy { .. }), "{error}");
        assert_eq!(bytes, whole[..end], "and nothing is written");
    }
    let mut longer = Vec::new();
    [1u16, 2, 3, 4].write_npy_to(&mut longer).unwrap();
    let part = [&whole[..], &[9]].concat();
    let (bytes, result) = appended(&part, &[4u16]);
    result.unwrap();
    assert_eq!(bytes, longer);
    let (bytes, result) = appended::<u16>(&part, &[]);
    result.unwrap();
    assert_eq!(bytes, part);
    for surplus in [&[9; 1000][..], b"\x93NUMP"] {
        let before = [&whole[..], surplus].concat();
        let (bytes, result) = appended(&before, &[4u16]);
        let error = result.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::UncountedRows { counted: 3, .. }), "{error}");
        assert_eq!(bytes, before, "and nothing is written");
    }
    // Another array after this one is an error.
    let two = [&whole[..], &whole].concat();
    let (bytes, result) = appended(&two, &[4u16]);
    let text = result.unwrap_err().to_string();
    assert!(
        text.contains("the first of several arrays in a file needs a file of its own"),
        "{text}"
    );
    assert_eq!(bytes, two);
}

/// Guards byte order, padding and the order of the fields: those of the file are kept.
#[test]
fn items_are_written_as_the_file_has_them() {
    let header = "{'descr': [('t0', '>i8'), ('', '|V3'), ('samples', '<f4', (4,)), ('gain', '>f4'), ('station', '<u4')], 'fortran_order': False, 'shape': (0,)}  \n";
    let traces: Vec<_> = (0..30).map(trace).collect();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    fs::write(&path, file(header, &[])).unwrap();
    for chunk in traces.chunks(8) {
        let mut writer = Writer::<Trace<4>, _>::append(&path).unwrap();
        writer.write_slice(chunk).unwrap();
        writer.finish().unwrap();
    }
    assert_eq!(Vec::<Trace<4>>::read_npy(&path).unwrap(), traces);
    let array = DynArray::read_npy(&path).unwrap();
    assert!(array.dtype().to_string().starts_with("[('t0', '>i8'), ('', '|V3'), "));
    let padding = array.as_bytes().chunks(35).flat_map(|item| &item[8..11]);
    assert!(padding.eq(&[0; 90]));
}

/// Guards against an append that would lose a field or invent one.
#[test]
fn another_dtype_is_refused_and_named() {
    #[derive(NpyRecord)]
    struct Two {
        x: f32,
        y: i16,
    }
    let error = |descr: &str, shape: &str| {
        let header = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n");
        let before = file(&header, &[0; 60]);
        let (bytes, result) = appended(&before, &[Two { x: 0.0, y: 0 }]);
        assert!(bytes == before, "nothing is written");
        let text = result.unwrap_err().to_string();
        text.split_once("x.npy: ").unwrap().1.to_owned()
    };
    assert_eq!(
        error("[('x', '<f4'), ('y', '<i4')]", "(3,)"),
        "field \"y\": the file holds '<i4', Two expects '<i2'; change the Rust type to what the file holds, or write another file"
    );
    assert_eq!(
        error("[('x', '<f4')]", "(3,)"),
        "appending Two to a file without the field \"y\" needs a Rust type without that field, as its values would be lost"
    );
    assert_eq!(
        error("[('x', '<f4'), ('z', '|u1'), ('y', '<i2')]", "(3,)"),
        "appending Two to a file with the field \"z\" needs a Rust type with that field, as each row must have a value for it"
    );
    assert_eq!(
        error("[('x', '<f4'), ('y', '<i2')]", "()"),
        "the array has shape (), Two expects one or more dimensions; a single value has no rows: make it an array of one row with save(path, &[value])"
    );
    let before = file("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }\n", &[0; 48]);
    let advice = "; change the Rust type to [f64; 3], or write another file";
    let says = |text: String| assert!(text.ends_with(advice), "{text}");
    says(appended(&before, &[[0.0f64; 4]]).1.unwrap_err().to_string());
    says(appended(&before, &[[0.0f32; 3]]).1.unwrap_err().to_string());
    assert_eq!(
        error("[('x', '<f4'), ('y', '<i2')]", "(3, 0)"),
        "shape (3, 0): its rows have no elements, so there is nothing to append"
    );
    assert!(error("'|O'", "(3,)").starts_with("an array of Python objects ('|O') needs"));
    assert!(error("'<f8'", "(3,)").starts_with("the file holds '<f8', Two expects [("));
}

/// Guards appended rows against options that only make sense for reading: a default, or an alias.
#[test]
fn what_reading_allows_is_not_appended() {
    #[derive(NpyRecord)]
    struct Lenient {
        x: f32,
        #[npy(default)]
        y: i16,
    }
    #[derive(NpyRecord)]
    struct Renamed {
        #[npy(alias = "old")]
        x: f32,
    }
    let file = |name: &str| {
        let header = "{'descr': [('NAME', '<f4')], 'fortran_order': False, 'shape': (0,)} \n";
        file(&header.replace("NAME", name), &[])
    };
    let (bytes, result) = appended(&file("x"), &[Lenient { x: 0.0, y: 1 }]);
    assert!(matches!(result.unwrap_err().kind(), ErrorKind::Unsupported { .. }));
    assert!(bytes == file("x"));
    let (_, result) = appended(&file("old"), &[Renamed { x: 0.0 }]);
    assert!(matches!(result.unwrap_err().kind(), ErrorKind::Unsupported { .. }));
}

/// Guards arrays of several dimensions: only complete rows count.
#[test]
fn rows_of_more_dimensions_grow_whole() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let items: Vec<u16> = (0..24).collect();
    NpyArray::new(items[..12].to_vec(), [2, 2, 3]).unwrap().write_npy(&path).unwrap();
    let before = NpyArray::<u16>::read_npy(&path).unwrap();
    let mut writer = Writer::<u16, _>::append(&path).unwrap();
    writer.extend(&items[12..17]).unwrap();
    writer.flush().unwrap();
    assert_eq!(NpyArray::<u16>::read_npy(&path).unwrap(), before, "no row is whole yet");
    writer.extend(&items[17..]).unwrap();
    assert_eq!(writer.count(), 24);
    writer.finish().unwrap();
    let expected = NpyArray::new(items.clone(), [4, 2, 3]).unwrap();
    assert_eq!(NpyArray::<u16>::read_npy(&path).unwrap(), expected);

    let mut writer = Writer::<u16, _>::append(&path).unwrap();
    writer.extend(&items[..8]).unwrap();
    let text = writer.finish().unwrap_err().to_string();
    assert!(text.contains("its last row has 2 of 6 elements; write the rest before finish, or whole rows by RowWriter"), "{text}");
    let read = NpyArray::<u16>::read_npy(&path).unwrap();
    assert_eq!(read.as_slice_memory_order()[..24], items, "the whole rows are there");
    assert_eq!(read.as_slice_memory_order().len(), 30);

    // An element type with one dimension takes the last dimension.
    NpyArray::new(items[..12].to_vec(), [2, 2, 3]).unwrap().write_npy(&path).unwrap();
    let mut writer = Writer::<[u16; 3], _>::append(&path).unwrap();
    assert_eq!(writer.count(), 4);
    writer.extend(items[12..].as_chunks::<3>().0).unwrap();
    writer.finish().unwrap();
    let expected = NpyArray::new(items, [4, 2, 3]).unwrap();
    assert_eq!(NpyArray::<u16>::read_npy(&path).unwrap(), expected);
    let error = Writer::<[u16; 2], _>::append(&path).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Rank { .. }), "{error}");
}

/// Guards the message about an empty file: it is a file that a program left, and not the end of a stream.
#[test]
fn an_empty_file_is_not_appended_to() {
    use npy_core::{DynRowAppender, RowWriter, load, npz};

    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    fs::write(&path, "").unwrap();
    let errors = [
        load::<Vec<u16>>(&path).unwrap_err(),
        Writer::<u16>::append(&path).map(Writer::discard).unwrap_err(),
        Writer::<u16>::append_or_create(&path).map(Writer::discard).unwrap_err(),
        RowWriter::<u16>::append(&path).map(RowWriter::discard).unwrap_err(),
        RowWriter::<u16>::append_or_create(&path, &[3]).map(RowWriter::discard).unwrap_err(),
        DynRowAppender::open(&path).map(DynRowAppender::discard).unwrap_err(),
        npz::Writer::append(&path).map(drop).unwrap_err(),
    ];
    let advice =
        "it is empty: the program that wrote it may not have finished; delete it or write it again";
    for error in errors {
        let text = error.to_string();
        assert!(text.starts_with(&path.display().to_string()) && text.ends_with(advice), "{text}");
    }
    assert_eq!(fs::read(&path).unwrap(), b"");
}

/// Guards the rows of an array in Fortran order: what is added at the end of its file would be columns, so no appender opens it, whatever its
/// elements are. The advice makes an array that grows.
#[test]
fn no_appender_adds_columns_to_an_array_in_fortran_order() {
    use npy_core::{DynRowAppender, RowWriter, load};

    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let errors = || {
        [
            Writer::<u16>::append(&path).map(Writer::discard).unwrap_err(),
            Writer::<[u16; 3]>::append(&path).map(Writer::discard).unwrap_err(),
            RowWriter::<u16>::append(&path).map(RowWriter::discard).unwrap_err(),
            DynRowAppender::open(&path).map(DynRowAppender::discard).unwrap_err(),
        ]
    };
    let advice = "appending rows in Fortran order, where the elements of a row are strided, needs an array in C order: read it, and write it with WriteOptions::new().order(Order::C)";
    // With one row, or none, both orders are the same, but with more they are not.
    for rows in 0..3 {
        let header = format!("{{'descr': '<u2', 'fortran_order': True, 'shape': ({rows}, 3), }}\n");
        let before = file(&header, &vec![7; rows * 6]);
        fs::write(&path, &before).unwrap();
        for error in errors() {
            assert_eq!(error.to_string(), format!("{}: {advice}", path.display()));
        }
        assert_eq!(fs::read(&path).unwrap(), before);

        let array: NpyArray<u16> = load(&path).unwrap();
        WriteOptions::new().order(Order::C).write(&path, &array).unwrap();
        let mut writer = Writer::<u16>::append(&path).unwrap();
        writer.extend([1, 2, 3]).unwrap();
        writer.finish().unwrap();
        let longer: NpyArray<u16> = load(&path).unwrap();
        assert_eq!((longer.shape(), longer[[rows, 2]]), (&[rows + 1, 3][..], 3));
    }
    // Rows of one element are contiguous in each order.
    for shape in ["(2,)", "(2, 1)"] {
        let header = format!("{{'descr': '<u2', 'fortran_order': True, 'shape': {shape}, }}    \n");
        fs::write(&path, file(&header, &[1, 0, 2, 0])).unwrap();
        let mut writer = Writer::<u16>::append(&path).unwrap();
        writer.push(&3).unwrap();
        writer.finish().unwrap();
        assert_eq!(load::<NpyArray<u16>>(&path).unwrap().into_vec(), [1, 2, 3], "{shape}");
    }
}

/// Guards the advice for arrays that have no rows, or one that is no row: it makes an array that grows.
#[test]
fn a_single_value_becomes_a_row_as_the_message_says() {
    use npy_core::{DynRowAppender, RowWriter, load, save};

    let dir = tempfile::tempdir().unwrap();
    let path = &dir.path().join("x.npy");
    save(path, &1.5f64).unwrap();
    for error in [
        Writer::<f64>::append(path).map(Writer::discard).unwrap_err(),
        Writer::<[f64; 2]>::append(path).map(Writer::discard).unwrap_err(),
        RowWriter::<f64>::append(path).map(RowWriter::discard).unwrap_err(),
        DynRowAppender::open(path).map(DynRowAppender::discard).unwrap_err(),
    ] {
        let text = error.to_string();
        let advice = "; a single value has no rows: make it an array of one row with save(path, &[load::<f64>(path)?])";
        assert!(text.contains("the array has shape (), ") && text.ends_with(advice), "{text}");
    }
    let make = || save(path, &[load::<f64>(path)?]);
    make().unwrap();
    let mut writer = Writer::<f64>::append(path).unwrap();
    writer.push(&2.5).unwrap();
    writer.finish().unwrap();
    assert_eq!(load::<Vec<f64>>(path).unwrap(), [1.5, 2.5]);
    // An array of one dimension is a single element of the type of its row, and has rows of another.
    let error = Writer::<[f64; 2]>::append(path).map(Writer::discard).unwrap_err().to_string();
    assert!(error.ends_with("; change the Rust type to f64, or write another file"), "{error}");
}

/// Guards counts of more than 32 bits, in a sparse file of four gigabytes.
#[test]
fn counts_go_beyond_32_bits() {
    const MANY: u64 = (1 << 32) - 2;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let header = Header::new("|u1".parse().unwrap(), [usize::try_from(MANY).unwrap()], Order::C);
    fs::write(&path, header.unwrap().to_bytes().unwrap()).unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_len(128 + MANY).unwrap();
    let mut writer = Writer::<u8, _>::append(&path).unwrap();
    writer.extend(1..=5).unwrap();
    let mut file = writer.finish().unwrap();
    let length = Header::read_npy(&path).unwrap().shape()[0];
    assert_eq!(length as u64, MANY + 5);
    assert_eq!(file.metadata().unwrap().len(), 128 + MANY + 5);
    let mut last = [0; 6];
    file.seek(SeekFrom::End(-6)).unwrap();
    io::Read::read_exact(&mut file, &mut last).unwrap();
    assert_eq!(last, [0, 1, 2, 3, 4, 5]);
}

/// Guards other programs, backups and `make`: a file that gets nothing new is not written again.
#[cfg(unix)]
#[test]
fn a_file_that_gets_nothing_new_is_not_touched() {
    use npy_core::{DynRowAppender, RowWriter, UncountedRows, WriteOptions};
    use std::os::unix::fs::MetadataExt;

    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let mut rows = RowWriter::<u8>::create(&path, &[2]).unwrap();
    rows.push_row(&[1, 2]).unwrap();
    rows.finish().unwrap();
    let state = || {
        let found = fs::metadata(&path).unwrap();
        (found.ino(), found.mtime(), found.mtime_nsec())
    };
    let before = state();
    for uncounted in [UncountedRows::Refuse, UncountedRows::Keep, UncountedRows::Remove] {
        let mut options = WriteOptions::new();
        options.uncounted_rows(uncounted).sync(true);
        options.append::<u8>(&path).unwrap().finish().unwrap();
        options.append_rows::<u8>(&path).unwrap().finish().unwrap();
        let mut writer = options.append::<u8>(&path).unwrap();
        writer.push(&3).unwrap();
        writer.discard();
        assert_eq!(state(), before, "{uncounted:?}");
    }
    DynRowAppender::open(&path).unwrap().finish().unwrap();
    assert_eq!(state(), before);
}

/// Guards rows that were written before the writer was discarded: the header does not count them, so the next writer would refuse the file.
#[test]
fn a_discarded_writer_leaves_the_file_as_it_was() {
    use npy_core::{DynArray, DynRowAppender, NpyArray, RowWriter};

    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let rows = NpyArray::new((0..100_000).collect::<Vec<i32>>(), [50_000, 2]).unwrap();
    rows.write_npy(&path).unwrap();
    let before = fs::read(&path).unwrap();

    let mut writer = Writer::<[i32; 2]>::append(&path).unwrap();
    writer.extend(std::iter::repeat_n([7, 8], 50_000)).unwrap();
    assert!(fs::metadata(&path).unwrap().len() > before.len() as u64, "some are written");
    writer.discard();
    assert_eq!(fs::read(&path).unwrap(), before);

    let mut writer = RowWriter::<i32>::append(&path).unwrap();
    writer.push_rows(rows.as_slice_memory_order()).unwrap();
    writer.discard();
    assert_eq!(fs::read(&path).unwrap(), before);

    let mut appender = DynRowAppender::open(&path).unwrap();
    appender.append(&DynArray::read_npy(&path).unwrap()).unwrap();
    appender.discard();
    assert_eq!(fs::read(&path).unwrap(), before);

    // Rows that were flushed stay.
    let mut writer = Writer::<[i32; 2]>::append(&path).unwrap();
    writer.push(&[7, 8]).unwrap();
    writer.flush().unwrap();
    writer.extend(std::iter::repeat_n([7, 8], 50_000)).unwrap();
    writer.discard();
    assert_eq!(Header::read_npy(&path).unwrap().shape(), [50_001, 2]);
    Writer::<[i32; 2]>::append(&path).unwrap().finish().unwrap();
}

/// Guards rows of another writer, which has flushed them where there are no locks, and rows that were flushed before the file failed.
#[test]
fn a_discarded_writer_leaves_the_rows_of_others() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    vec![1u8; 10].write_npy(&path).unwrap();
    let mut writer = Writer::<u8>::append(&path).unwrap();
    writer.extend(std::iter::repeat_n(2, 300_000)).unwrap();
    // As a writer without the lock would: the rows, then their number.
    let other = fs::OpenOptions::new().write(true).open(&path).unwrap();
    let mut other = std::io::BufWriter::new(other);
    let mut rows = Vec::new();
    vec![3u8; 15].write_npy_to(&mut rows).unwrap();
    other.write_all(&rows).unwrap();
    other.flush().unwrap();
    let before = fs::read(&path).unwrap();
    assert!(before.len() > 200_000, "some are written");
    writer.discard();
    assert_eq!(fs::read(&path).unwrap(), before);
}
