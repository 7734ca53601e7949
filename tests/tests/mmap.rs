//! Files mapped into memory.

// Opening a map is.
#![allow(unsafe_code)]

use std::path::Path;

use npy_core::{
    Be, ByteOrder, ByteStr, DynArray, ErrorKind, Header, Map, MapAny, MapMut, NpyArray, NpyRecord,
    Order, ReadNpy, ViewError, WriteNpy, WriteOptions, ZeroCopy,
};
use tempfile::TempDir;

#[derive(NpyRecord, ZeroCopy, Debug, Clone, Copy, PartialEq)]
#[repr(C)]
struct Head {
    code: ByteStr<4>,
    gain: f32,
}

#[derive(NpyRecord, ZeroCopy, Debug, Clone, Copy, PartialEq)]
#[repr(C)]
struct Trace {
    time: i64,
    head: Head,
    samples: [f32; 6],
}

fn traces() -> Vec<Trace> {
    let head = |i: u8| Head { code: [b'A' + i; 4].into(), gain: f32::from(i) };
    let trace = |i: u8| Trace { time: i.into(), head: head(i), samples: [f32::from(i) / 2.0; 6] };
    (0..20).map(trace).collect()
}

fn saved(array: &(impl WriteNpy + ?Sized), order: ByteOrder) -> (TempDir, std::path::PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    WriteOptions::new().byte_order(order).write(&path, array).unwrap();
    (dir, path)
}

fn map<T: ZeroCopy>(path: impl AsRef<Path>) -> Result<Map<T>, ViewError> {
    // SAFETY: each test has a directory of its own, and leaves alone what is mapped; so below.
    unsafe { Map::open(path) }
}

fn map_any(path: impl AsRef<Path>) -> npy_core::Result<MapAny> {
    // SAFETY: as above.
    unsafe { MapAny::open(path) }
}

fn map_mut<T: ZeroCopy>(path: impl AsRef<Path>) -> Result<MapMut<T>, ViewError> {
    // SAFETY: as above; those that fill parts of one file fill different ones.
    unsafe { MapMut::open(path) }
}

fn copied<T: ZeroCopy>(path: impl AsRef<Path>) -> Result<MapMut<T>, ViewError> {
    // SAFETY: as above.
    unsafe { MapMut::open_copy_on_write(path) }
}

fn created<T: ZeroCopy>(path: impl AsRef<Path>, shape: &[usize]) -> Result<MapMut<T>, ViewError> {
    // SAFETY: as above.
    unsafe { MapMut::create(path, shape) }
}

#[test]
fn a_map_is_the_items() {
    let (_dir, path) = saved(&traces(), ByteOrder::Little);
    let map = map::<Trace>(&path).unwrap();
    assert_eq!(*map, traces()[..]);
    assert_eq!((map.shape(), map.order(), map.header().count()), (&[20][..], Order::C, 20));
    assert_eq!(map.at(&[3]), Some(&traces()[3]));
    assert_eq!(map.at(&[20]), None);
    let gains = map.column::<f32>("head.gain").unwrap();
    assert_eq!(gains.to_vec().unwrap(), (0..20u8).map(f32::from).collect::<Vec<_>>());
    assert_eq!(gains.iter().len(), 20);
    assert_eq!((gains.get(19), gains.get(20), gains.get(usize::MAX)), (Some(19.0), None, None));
    let samples = map.column::<[f32; 6]>("samples").unwrap();
    assert_eq!(samples.get(4), Some([2.0; 6]));
    let error = map.column::<f64>("head.gain").unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Mismatch { .. }), "{error}");
    let error = map.column::<f64>("gain").unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::MissingField { .. }), "{error}");
}

#[test]
fn ranks_and_empty_arrays_are_mapped() {
    let array = NpyArray::new((0..6).collect::<Vec<i32>>(), [2, 3]).unwrap();
    for order in [Order::C, Order::Fortran] {
        let (_dir, path) = saved(&array.to_order(order), ByteOrder::Little);
        let map = map::<i32>(&path).unwrap();
        assert_eq!((map.shape(), map.order()), (&[2, 3][..], order));
        assert_eq!(map.at(&[1, 0]), Some(&3));
    }
    let (_dir, path) = saved(&7u16, ByteOrder::Little);
    assert_eq!(*map::<u16>(&path).unwrap(), [7]);
    let (_dir, path) = saved(&[0u16; 0], ByteOrder::Little);
    let mut map = map_mut::<u16>(&path).unwrap();
    assert!(map.is_empty() && map.as_mut_slice().is_empty());
    map.flush_range(0..5).unwrap();
    let any = map_any(&path).unwrap();
    assert!(any.get::<u16>(0).is_err() && any.read::<u16>(0..0).unwrap().is_empty());
    assert!(any.get::<u16>(usize::MAX).is_err());
}

#[test]
fn what_cannot_be_viewed_is_told() {
    let (_dir, path) = saved(&traces(), ByteOrder::Big);
    let error = map::<Trace>(&path).unwrap_err();
    assert!(matches!(error, ViewError::ByteOrder { .. }), "{error}");
    // Any layout is decoded.
    let any = map_any(&path).unwrap();
    assert_eq!(any.get::<Trace>(7).unwrap(), traces()[7]);
    assert_eq!(any.read::<Trace>(5..20).unwrap(), traces()[5..]);
    assert_eq!(any.column::<f32>("head.gain").unwrap().get(3), Some(3.0));
    assert_eq!(any.column::<i64>("time").unwrap().to_vec().unwrap()[19], 19);
    assert_eq!(any.column::<[f32; 6]>("samples").unwrap().iter().last(), Some([9.5; 6]));
    let error = any.get::<Trace>(20).unwrap_err().to_string();
    assert!(error.contains("x.npy: ") && error.contains("no item 20"), "{error}");
    #[expect(clippy::reversed_empty_ranges)]
    let reversed = any.read::<Trace>(3..2);
    assert!(reversed.is_err());
    let (_dir, path) = saved(&[Be::new(1.5f64)], ByteOrder::Little);
    assert_eq!(map::<Be<f64>>(&path).unwrap()[0].get(), 1.5);
    let error = map::<f64>(path.with_extension("no")).unwrap_err();
    assert!(error.to_string().contains("x.no: No such file"), "{error}");
}

#[test]
fn items_of_no_bytes_are_counted() {
    let array = DynArray::new("[('x', '|S0')]".parse().unwrap(), [3], Order::C, Vec::new());
    let (_dir, path) = saved(&array.unwrap(), ByteOrder::Little);
    let any = map_any(&path).unwrap();
    let column = any.column::<ByteStr<0>>("x").unwrap();
    assert_eq!((column.len(), column.iter().count(), column.to_vec().unwrap().len()), (3, 3, 3));
    assert_eq!((column.get(2).is_some(), column.get(3).is_some()), (true, false));
    let many = DynArray::new("|S0".parse().unwrap(), [1 << 50], Order::C, Vec::new()).unwrap();
    let (_dir, path) = saved(&many, ByteOrder::Little);
    assert!(map_any(&path).unwrap().read::<ByteStr<0>>(0..1 << 50).is_err());
}

/// Guards reads past the end: a file that is short is refused when it is opened.
#[test]
fn a_file_that_is_cut_is_refused() {
    let (_dir, path) = saved(&traces(), ByteOrder::Little);
    let whole = std::fs::read(&path).unwrap();
    for end in (0..whole.len()).step_by(7).chain([whole.len() - 1]) {
        std::fs::write(&path, &whole[..end]).unwrap();
        assert!(map::<Trace>(&path).is_err(), "{end}");
        assert!(map_mut::<Trace>(&path).is_err(), "{end}");
        assert!(map_any(&path).is_err(), "{end}");
    }
}

#[test]
fn changes_are_in_the_file_or_in_a_copy() {
    let (_dir, path) = saved(&traces(), ByteOrder::Little);
    let mut copy = copied::<Trace>(&path).unwrap();
    copy[0].time = -1;
    copy.flush().unwrap();
    assert_eq!(copy.column::<i64>("time").unwrap().get(0), Some(-1));
    assert_eq!(Vec::<Trace>::read_npy(&path).unwrap(), traces());
    drop(copy);
    let mut map = map_mut::<Trace>(&path).unwrap();
    map[19].samples[5] = 77.0;
    map.at_mut(&[0]).unwrap().time = -2;
    assert!(map.at_mut(&[20]).is_none());
    map.flush_range(0..1).unwrap();
    map.flush_range(19..1000).unwrap();
    map.flush().unwrap();
    let read = Vec::<Trace>::read_npy(&path).unwrap();
    assert_eq!((read[0].time, read[19].samples[5]), (-2, 77.0));
}

#[test]
fn a_new_file_is_zeros_of_its_shape() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("new.npy");
    std::fs::write(&path, vec![9; 1000]).unwrap();
    let mut map = created::<[f32; 3]>(&path, &[4, 2]).unwrap();
    assert_eq!((map.shape(), map.header().shape()), (&[4, 2][..], &[4, 2, 3][..]));
    *map.at_mut(&[3, 1]).unwrap() = [1.0, 2.0, 3.0];
    drop(map);
    let array = DynArray::read_npy(&path).unwrap();
    assert_eq!(array.get(&[3, 1, 2]).unwrap().as_f64(), Some(3.0));
    assert_eq!(array.get(&[0, 0, 0]).unwrap().as_f64(), Some(0.0));
    let same = NpyArray::new(array.to_vec::<f32>().unwrap(), [4, 2, 3]).unwrap();
    let mut bytes = Vec::new();
    same.write_npy_to(&mut bytes).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    let map = created::<f64>(&path, &[]).unwrap();
    assert_eq!(map.as_slice(), [0.0]);
    assert_eq!(Header::read_npy(&path).unwrap().shape(), []);
    drop(map);
    let before = std::fs::read(&path).unwrap();
    for shape in [&[usize::MAX, 2][..], &[1 << 59]] {
        assert!(created::<f64>(&path, shape).is_err());
        assert!(std::fs::read(&path).unwrap() == before, "what was there is lost");
    }
}

/// Guards parallel work: several maps of one file, each filling its own part.
#[test]
fn parts_are_filled_at_the_same_time() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("shared.npy");
    drop(created::<u64>(&path, &[40_000]).unwrap());
    std::thread::scope(|scope| {
        for part in 0..4 {
            let path = &path;
            scope.spawn(move || {
                let mut map = map_mut::<u64>(path).unwrap();
                let rows = part * 10_000..(part + 1) * 10_000;
                for (i, slot) in rows.clone().zip(&mut map[rows]) {
                    *slot = i as u64;
                }
            });
        }
    });
    assert!(Vec::<u64>::read_npy(&path).unwrap().into_iter().eq(0..40_000));
}
