//! Writers that are dropped without `finish`, and files that a writer left when it was stopped.

use std::fs::{self, OpenOptions};
use std::io::{Cursor, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use npy_core::{
    ErrorKind, NpyArray, Order, ReadNpy, UncountedRows, WriteNpy, WriteOptions, Writer, load, save,
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
    // Two complete rows and a part of a third, in both orders of the array.
    for order in [Order::C, Order::Fortran] {
        let array = NpyArray::with_order(vec![1_u16, 2, 3, 4], [2, 2], order).unwrap();
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
        assert!(
            matches!(kind, ErrorKind::UncountedRows { counted: 2, uncounted: 2, .. }),
            "{error}"
        );
        assert_eq!(fs::read(&path).unwrap(), before);

        let mut writer = append(UncountedRows::Keep).unwrap();
        assert_eq!(writer.count(), 8);
        writer.write_slice(&[10, 11]).unwrap();
        writer.finish().unwrap();
        assert_eq!(read(), [1, 2, 3, 4, 5, 6, 7, 8, 10, 11]);

        prepare();
        append(UncountedRows::Remove).unwrap().finish().unwrap();
        assert_eq!(read(), [1, 2, 3, 4]);
        assert_eq!(fs::metadata(&path).unwrap().len(), 128 + 8);
    }
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
