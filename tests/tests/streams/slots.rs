//! The contents of a block: no bytes of earlier items, and all items that were accepted.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::*;
use npy_core::npz;

/// Writes one byte of its item and leaves the others unchanged; then fails or panics for some values.
#[derive(Debug, Clone, Copy)]
struct OneByte(u32);

const FAILS: u32 = u32::MAX;
const PANICS: u32 = u32::MAX - 1;

impl Element for OneByte {
    const SIZE: usize = 16;

    fn dtype() -> DType {
        "|V16".parse().unwrap()
    }

    fn decode(_: &[u8]) -> Self {
        unreachable!()
    }

    fn encode(&self, item: &mut [u8]) -> Result<(), InvalidValue> {
        item[self.0 as usize % 16] = 9;
        assert!(self.0 != PANICS, "a value that panics");
        if self.0 == FAILS { Err(InvalidValue::new("none")) } else { Ok(()) }
    }
}

#[derive(NpyRecord, Clone)]
struct Holds {
    before: u32,
    inner: [OneByte; 2],
    large: [f32; 600],
}

fn assert_ones(data: &[u8], size: usize, ones: usize, case: &str) {
    assert!(!data.is_empty(), "{case}");
    for (i, item) in data.chunks_exact(size).enumerate() {
        assert_eq!(item.iter().filter(|&&byte| byte != 0).count(), ones, "{case}: item {i}");
    }
}

/// Guards the promise of `Element::encode` that each item arrives as zeros, in every block.
#[test]
fn bytes_that_a_type_does_not_write_are_zero() {
    let items: Vec<OneByte> = (0..70_000).map(|i| OneByte(i * 7 / 3)).collect();
    let mut file = Vec::new();
    items.write_npy_to(&mut file).unwrap();
    assert_ones(&file[128..], 16, 1, "write_npy_to");
    assert_streams(&items, &[WriteOptions::new()]);

    let mut archive = npz::Writer::new(Cursor::new(Vec::new())).unwrap();
    archive.write("a", &items).unwrap();
    let mut rows = archive.start::<OneByte>("b").unwrap();
    rows.extend(&items).unwrap();
    rows.finish().unwrap();
    let archive = npz::Reader::new(archive.finish().unwrap()).unwrap();
    for name in ["a", "b"] {
        let array = archive.read::<npy_core::DynArray>(name).unwrap();
        assert_ones(array.as_bytes(), 16, 1, name);
    }

    // In records, including those that are written in parts.
    let record = |i| Holds { before: 0, inner: [OneByte(i), OneByte(i / 2)], large: [0.0; 600] };
    let records: Vec<Holds> = (0..2_000).map(record).collect();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    records.write_npy(&path).unwrap();
    let file = fs::read(path).unwrap();
    let size = Holds::SIZE;
    assert_ones(&file[file.len() - records.len() * size..], size, 2, "in parts");
    let mut file = Vec::new();
    records.write_npy_to(&mut file).unwrap();
    assert_ones(&file[file.len() - records.len() * size..], size, 2, "in blocks");
}

/// Guards against items that fail after they have written some bytes.
#[test]
fn an_item_that_fails_leaves_no_byte_to_the_next() {
    let mut writer = Writer::<OneByte, _>::new(Cursor::new(Vec::new())).unwrap();
    for n in 0..100 {
        writer.push(&OneByte(n)).unwrap();
        writer.push(&OneByte(FAILS)).unwrap_err();
        writer.extend([OneByte(n), OneByte(FAILS)]).unwrap_err();
        let mut panics = |item| catch_unwind(AssertUnwindSafe(|| writer.push(&item))).unwrap_err();
        panics(OneByte(PANICS));
        writer.push(&OneByte(n)).unwrap();
    }
    let file = writer.finish().unwrap().into_inner();
    assert_eq!(file.len(), 128 + 300 * 16);
    assert_ones(&file[128..], 16, 1, "after failures");
}

/// Guards the items of an iterator that panics: those before the panic are in the file.
#[test]
fn an_iterator_that_panics_loses_no_item_that_was_taken() {
    fn assert_taken<T: Element + PartialEq + Debug>(item: impl Fn(u32) -> T + Copy) {
        for n in [0, 1, 100, 70_001] {
            let mut writer = Writer::<T, _>::new(Cursor::new(Vec::new())).unwrap();
            writer.push(&item(0)).unwrap();
            let items = (1..).map(|i| if i > n { panic!("no more than {n}") } else { item(i) });
            catch_unwind(AssertUnwindSafe(|| writer.extend(items))).unwrap_err();
            assert_eq!(writer.count(), n as usize + 1);
            writer.push(&item(n + 1)).unwrap();
            let file = writer.finish().unwrap().into_inner();
            let expected: Vec<T> = (0..=n + 1).map(item).collect();
            assert!(Vec::<T>::read_npy_from(&file[..]).unwrap() == expected, "{n}");
        }
    }
    assert_taken(|i| i);
    assert_taken(|i| [i, 7]);
    assert_taken(|_| [0u32; 0]);
}
