//! Writers that are dropped without `finish`, and files that a writer left when it was stopped.

use std::fs::{self, OpenOptions};
use std::io::{Cursor, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use npy_core::{
    ArrayWriter, ErrorKind, NpyArray, ReadNpy, Result, UncountedRows, WriteNpy, WriteOptions,
    Writer, load, save,
};

/// Guards rows that were pushed: a program that forgets `finish`, or ends early with `?` or a panic, loses none.
#[test]
fn a_writer_that_is_dropped_writes_what_it_has() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let rows = || load::<Vec<u32>>(&path).unwrap();
    let mut writer = Writer::<u32>::create(&path).unwrap();
    (0..1000).for_each(|n| writer.push(&n).unwrap());
    drop(writer);
    assert_eq!(rows(), (0..1000).collect::<Vec<_>>());

    let mut writer = Writer::<u32>::append(&path).unwrap();
    writer.push(&1000).unwrap();
    let panics = catch_unwind(AssertUnwindSafe(move || {
        writer.push(&1001).unwrap();
        panic!("of the program");
    }));
    assert!(panics.is_err());
    assert_eq!(rows(), (0..1002).collect::<Vec<_>>());

    // An array whose length was stated has what came.
    let mut file = Vec::new();
    let mut writer = Writer::<u8, _>::with_shape(&mut file, &[3]).unwrap();
    writer.push(&7).unwrap();
    drop(writer);
    assert_eq!(file[128..], [7]);
}

/// Guards `try_finish`: the writer is still there after an error, and after a success nothing is written twice.
#[test]
fn a_writer_can_try_to_finish() {
    let mut writer = Writer::<u8, _>::with_shape(Cursor::new(Vec::new()), &[2]).unwrap();
    writer.push(&1).unwrap();
    let error = writer.try_finish().unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Shape { .. }), "{error}");
    writer.push(&2).unwrap();
    writer.try_finish().unwrap();
    let file = writer.finish().unwrap().into_inner();
    assert_eq!(Vec::<u8>::read_npy_from(&file[..]).unwrap(), [1, 2]);
}

/// Guards rows that a writer left behind its header when it was killed: `append` removes none without being asked.
#[test]
fn uncounted_rows_are_refused_kept_or_removed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    // Two complete rows and a part of a third.
    let array = NpyArray::new(vec![1_u16, 2, 3, 4], [2, 2]).unwrap();
    let prepare = || {
        save(&path, &array).unwrap();
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(&[5, 0, 6, 0, 7, 0, 8, 0, 9]).unwrap();
    };
    let append = |rows| WriteOptions::new().uncounted_rows(rows).append::<u16>(&path);
    let read = || NpyArray::<u16>::read_npy(&path).unwrap().into_vec_memory_order();

    prepare();
    let before = fs::read(&path).unwrap();
    let error = Writer::<u16>::append(&path).unwrap_err();
    let kind = error.kind();
    assert!(matches!(kind, ErrorKind::UncountedRows { counted: 2, uncounted: 2, .. }), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before);

    let mut writer = append(UncountedRows::Keep).unwrap();
    assert_eq!(writer.count(), 8);
    // The header counts them at once.
    assert_eq!(read(), [1, 2, 3, 4, 5, 6, 7, 8]);
    writer.write_slice(&[10, 11]).unwrap();
    writer.finish().unwrap();
    assert_eq!(read(), [1, 2, 3, 4, 5, 6, 7, 8, 10, 11]);

    prepare();
    append(UncountedRows::Remove).unwrap().finish().unwrap();
    assert_eq!(read(), [1, 2, 3, 4]);
    assert_eq!(fs::metadata(&path).unwrap().len(), 128 + 8);
    // A part of a row is not a row.
    save(&path, &[1_u32]).unwrap();
    OpenOptions::new().append(true).open(&path).unwrap().write_all(&[9, 9, 9]).unwrap();
    let mut writer = Writer::<u32>::append(&path).unwrap();
    writer.push(&2).unwrap();
    writer.finish().unwrap();
    assert_eq!(fs::read(&path).unwrap()[128..], [1, 0, 0, 0, 2, 0, 0, 0]);
    let mut whole = Vec::new();
    [1_u32, 2].write_npy_to(&mut whole).unwrap();
    assert_eq!(load::<Vec<u32>>(&path).unwrap(), [1, 2]);
}

/// Guards a header without blanks: rows that its digits cannot count would be in the file and not in the array.
#[test]
fn kept_rows_that_the_header_cannot_count_are_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let text = "{'descr': '|u1', 'fortran_order': False, 'shape': (9,), }\n";
    let length = u16::try_from(text.len()).unwrap().to_le_bytes();
    let file = [b"\x93NUMPY\x01\x00", &length[..], text.as_bytes(), &[1; 14]].concat();
    fs::write(&path, &file).unwrap();
    let mut options = WriteOptions::new();
    match options.uncounted_rows(UncountedRows::Keep).append::<u8>(&path) {
        Err(_) => assert_eq!(fs::read(&path).unwrap(), file),
        Ok(writer) => {
            writer.finish().unwrap();
            assert_eq!(load::<Vec<u8>>(&path).unwrap().len(), 14);
        }
    }
}

/// Guards a good file from an array type that forgets to write itself.
#[test]
fn an_array_type_that_writes_nothing_leaves_the_old_file() {
    struct Nothing;
    impl WriteNpy for Nothing {
        fn write_npy_array(&self, _: ArrayWriter<'_>) -> Result<()> {
            Ok(())
        }
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    save(&path, &[1.0, 2.0]).unwrap();
    assert!(save(&path, &Nothing).is_err());
    assert!(Nothing.write_npy_to(Vec::new()).is_err());
    assert_eq!(load::<Vec<f64>>(&path).unwrap(), [1.0, 2.0]);
}

/// Guards readers from an array type that yields fewer elements than its shape has, in any block of them.
#[test]
fn an_array_type_with_too_few_elements_is_an_error() {
    struct Ones(usize, [usize; 1]);
    impl WriteNpy for Ones {
        fn write_npy_array(&self, to: ArrayWriter<'_>) -> Result<()> {
            to.elements(&self.1, |_| std::iter::repeat_n(&1u8, self.0))
        }
    }
    for (found, shape) in [(0, 1), (4, 6), (1 << 20, (1 << 20) + 1)] {
        let error = Ones(found, [shape]).write_npy_to(Vec::new()).unwrap_err().to_string();
        let s = if shape == 1 { "" } else { "s" };
        let missing = shape - found;
        let says = format!(
            "shape ({shape},): expected {shape} element{s}, found {found}; add the other {missing}, or state a shape of {found}"
        );
        assert_eq!(error, says);
    }
    Ones(7, [6]).write_npy_to(Vec::new()).unwrap();
}
