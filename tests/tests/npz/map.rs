//! Members viewed in place.

// Opening a map is unsafe: the files here are this test's own.
#![allow(unsafe_code)]

use npy_core::npz::{Editor, Map, WriteOptions, Writer};
use npy_core::{Le, NpyArray, NpyRecord, NpyView, ViewError};

use npy_tests::zips::{Raw, archive, npy};

#[derive(NpyRecord, Debug, PartialEq)]
struct Pick {
    station: u8,
    time: f64,
}

fn map(path: &std::path::Path) -> Map {
    // SAFETY: the file is in a directory of this test.
    unsafe { Map::open(path) }.unwrap()
}

#[test]
fn stored_members_are_viewed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npz");
    let mut writer = WriteOptions::new().create(&path).unwrap();
    let grid = NpyArray::new((0..6u8).map(f64::from).collect(), [2, 3]).unwrap();
    writer.write("odd", &[1u8, 2, 3]).unwrap();
    writer.write("grid", &grid).unwrap();
    writer
        .write("picks", &[Pick { station: 1, time: 0.5 }, Pick { station: 2, time: 1.5 }])
        .unwrap();
    writer.finish().unwrap();

    let map = map(&path);
    assert!(map.names().eq(["odd", "grid", "picks"]));
    let view: NpyView<'_, f64> = map.view("grid").unwrap();
    assert_eq!((view.shape(), view.at(&[1, 2])), (&[2, 3][..], Some(&5.0)));
    assert_eq!(view.as_ptr().addr() % 64, 0);
    assert_eq!(map.header("odd").unwrap().shape(), [3]);
    assert_eq!(map.column::<f64>("picks", "time").unwrap().to_vec().unwrap(), [0.5, 1.5]);
    let any = map.any("picks").unwrap();
    drop(map);
    assert_eq!(any.get::<Pick>(1).unwrap(), Pick { station: 2, time: 1.5 });
    let error = any.get::<u32>(0).unwrap_err().to_string();
    assert!(error.contains("x.npz: member \"picks\": "), "{error}");
}

#[test]
fn what_cannot_be_viewed_says_what_to_call() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npz");
    // The first local header has 30 bytes, and the name has 5, so the data is 3 bytes after a multiple of 8.
    let file = npy(&[1u64, 2]);
    let members = [Raw::of("x.npy", &file), Raw::of("y.npy", &file).deflated()];
    std::fs::write(&path, archive(b"", &members, b"")).unwrap();
    let map = map(&path);
    let error = map.view::<u64>("x").unwrap_err();
    assert!(matches!(error, ViewError::Misaligned { align: 8, past: 3, .. }), "{error}");
    let place = format!("{}: member \"x\": ", path.display());
    assert!(error.to_string().starts_with(&place), "{error}");
    let call = format!("with npz::Reader::open({path:?})?.read(\"x\"), or");
    assert!(error.to_string().contains(&call), "{error}");
    assert_eq!(map.view::<Le<u64>>("x").unwrap()[1].get(), 2);
    assert!(matches!(map.view::<Le<f32>>("x").unwrap_err(), ViewError::Unreadable(_)));
    let errors = [
        map.view::<u64>("y").unwrap_err(),
        map.header("y").unwrap_err(),
        map.any("y").unwrap_err(),
        map.column::<u64>("y", "a").unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(error, ViewError::Compressed { .. }), "{error}");
        assert!(
            error.to_string().contains("x.npz: member \"y\": the member is compressed"),
            "{error}"
        );
        let call = format!("inflate it with npz::Reader::open({path:?})?.read(\"y\"), or");
        assert!(error.to_string().contains(&call), "{error}");
    }
    let error = map.view::<u64>("z").unwrap_err().to_string();
    assert!(error.contains("x.npz: the archive has no member \"z\""), "{error}");
}

/// Guards members that are viewed in place: their data stays aligned after any change of position.
#[test]
fn aligned_members_stay_aligned() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npz");
    let mut writer = Writer::create(&path).unwrap();
    for name in ["a", "b", "c", "d"] {
        writer.write(name, &[1.5f64; 5]).unwrap();
    }
    writer.finish().unwrap();
    let mut editor = Editor::open(&path).unwrap();
    editor.remove("a").unwrap();
    editor.rename("b", "a longer name").unwrap();
    editor.write("d", &[2.5f64; 3]).unwrap();
    editor.write("e", &[3.5f64; 3]).unwrap();
    editor.finish().unwrap();
    let map = map(&path);
    for (name, first) in [("a longer name", 1.5), ("c", 1.5), ("d", 2.5), ("e", 3.5)] {
        let view = map.view::<f64>(name).unwrap();
        assert_eq!((view[0], view.as_slice_memory_order().as_ptr() as usize % 64), (first, 0));
    }
}
