//! Any bytes as a file of a type: every way to read gives the same items or the same error, and items are written as
//! they were read.

use std::io::Cursor;

use npy_core::time::Second;
use npy_core::{
    ByteStr, Cast, DateTime64, DynArray, Element, FixedStr, NpyArray, NpyElement, NpyRecord,
    NpyView, ReadNpy, ReadOptions, Reader, Void, WriteNpy, ZeroCopy,
};

use super::choices::Choices;

#[derive(NpyRecord, Debug, Clone, Default)]
struct Packed {
    flag: bool,
    #[npy(rename = "x", alias = "X")]
    number: f64,
    name: ByteStr<3>,
    pair: [i16; 2],
    text: FixedStr<2>,
}

#[derive(NpyRecord, ZeroCopy, Debug, Clone, Copy, Default)]
#[npy(align)]
#[repr(C)]
pub(super) struct Aligned {
    a: u8,
    b: f64,
    c: u16,
}

#[derive(NpyElement, Debug, Clone, Copy, Default)]
#[repr(u8)]
enum Phase {
    #[default]
    P = 1,
    S = 7,
}

#[derive(NpyRecord, Debug, Clone, Default)]
#[npy(endian = "big")]
struct Nested {
    phase: Phase,
    hdr: Aligned,
    rows: [[Packed; 2]; 2],
    start: DateTime64<Second>,
    raw: Void<5>,
}

fn seven() -> u32 {
    7
}

/// Fields that may be missing in a file; in other formats they would be an `Option`.
#[derive(NpyRecord, Debug, Clone, Default)]
#[npy(deny_unknown_fields)]
struct Optional {
    #[npy(default = seven)]
    id: u32,
    #[npy(default)]
    hdr: Aligned,
    #[npy(default)]
    gains: [f32; 3],
    #[npy(skip)]
    #[allow(dead_code)]
    seen: bool,
}

#[derive(NpyRecord, Debug, Clone, Default)]
#[npy(default)]
struct All {
    #[npy(flatten)]
    hdr: Aligned,
    #[npy(width = 4)]
    text: String,
    phases: [Phase; 2],
    none: [u8; 0],
}

pub(super) fn run(input: &[u8]) {
    let mut choices = Choices(input);
    let check = choices.pick(&CHECKS);
    let cast = choices.pick(&[Cast::Exact, Cast::Lossless]);
    let chunk = choices.below(7) + 1;
    check(choices.rest(), cast, chunk);
}

type Check = fn(&[u8], Cast, usize);

const CHECKS: [Check; 16] = [
    check::<Packed>,
    check::<Aligned>,
    check::<Nested>,
    check::<Optional>,
    check::<All>,
    check::<Phase>,
    check::<bool>,
    check::<u8>,
    check::<i64>,
    check::<f32>,
    check::<FixedStr<3>>,
    check::<ByteStr<0>>,
    check::<[u16; 3]>,
    check::<[[Aligned; 2]; 1]>,
    check::<DateTime64<Second>>,
    text,
];

/// Returns canonical bytes, in which NaNs can be told apart, or the error message.
fn bytes<T: Element>(items: npy_core::Result<Vec<T>>) -> Result<Vec<u8>, String> {
    Ok(encoded(&items.map_err(|error| error.to_string())?))
}

fn encoded<T: Element>(items: &[T]) -> Vec<u8> {
    let mut bytes = vec![0; items.len() * T::SIZE];
    for (item, slot) in items.iter().zip(bytes.chunks_exact_mut(T::SIZE.max(1))) {
        item.encode(slot).expect("what was read can be written");
    }
    bytes
}

fn check<T: Element>(file: &[u8], cast: Cast, chunk: usize) {
    let mut options = ReadOptions::new();
    options.cast(cast);
    let whole = options.read_from::<NpyArray<T>>(file);
    let shape = whole.as_ref().map(|array| array.shape().to_vec()).unwrap_or_default();
    let count = whole.as_ref().map_or(0, |array| array.as_slice_memory_order().len());
    let whole = bytes(whole.map(NpyArray::into_vec));
    let listed = options.read_from::<Vec<T>>(file);
    if shape.len() == 1 {
        assert_eq!(listed.as_ref().map_or(0, Vec::len), count);
        assert_eq!(bytes(listed), whole);
    } else {
        assert!(listed.is_err() || whole.is_err(), "{shape:?} is not a list");
    }
    // A single item that takes the whole array is not a list.
    let single = whole.is_ok() && shape.is_empty();
    parts::<T>(file, &options, chunk, single, &whole);

    let Ok(dynamic) = DynArray::read_npy_from(file) else {
        return assert!(whole.is_err(), "whatever can be read as a type can be read as a DynArray");
    };
    // Not compared where the parts of an item may be strided: reading gathers such parts.
    let scattered = T::dtype().sub_array().is_some() && dynamic.shape().len() > 1;
    if cast == Cast::Exact && !scattered {
        let items = dynamic.to_vec::<T>();
        match &whole {
            Ok(whole) => assert_eq!(bytes(items).as_ref(), Ok(whole)),
            Err(error) => assert!(items.is_err(), "{error}"),
        }
    }
    if whole.is_ok() {
        again::<T>(file, &options);
    }
}

/// Asserts that reading in parts gives the same as reading at once.
fn parts<T: Element>(
    file: &[u8],
    options: &ReadOptions,
    chunk: usize,
    single: bool,
    whole: &Result<Vec<u8>, String>,
) {
    let Ok(mut reader) = options.reader(Cursor::new(file)) else { return };
    if let (Ok(mut rows), Ok(whole)) = (reader.rows::<T>(), whole) {
        let mut lent = Vec::new();
        for _ in 0..10_000 {
            let Some(some) = rows.next_rows(chunk.max(1)).expect("as at once") else { break };
            lent.extend(encoded(some));
        }
        assert!(!rows.is_empty() || lent == *whole, "in rows");
    }

    let Ok(mut reader) = options.reader(Cursor::new(file)) else { return };
    let Ok(records) = reader.records::<T>() else { return };
    let records: Vec<_> = records.take(100_000).collect();
    // Items of no bytes can be read one by one without end, although all of them at once would exceed the limit.
    let endless = records.len() == 100_000;
    if !endless {
        assert!(records.iter().rev().skip(1).all(Result::is_ok), "an error is the last item");
        let records = bytes(records.into_iter().collect());
        // Of several errors this is the first, which may differ from the one that a complete read reports.
        assert_eq!(records.as_ref().ok(), whole.as_ref().ok(), "one by one");
    }

    let Ok(mut reader) = options.reader(Cursor::new(file)) else { return };
    let (mut items, mut calls) = (Vec::new(), 0);
    let read = loop {
        calls += 1;
        match reader.read_chunk::<T>(&mut items, chunk) {
            Ok(n) if n > 0 && calls < 10_000 => {}
            other => break other,
        }
    };
    if calls < 10_000 {
        let read = bytes(read.map(|_| items));
        assert_eq!(read.as_ref().ok(), whole.as_ref().ok(), "in chunks");
    }

    let Ok(mut reader) = options.reader(Cursor::new(file)) else { return };
    // Reads the second half, then everything: nothing of the first read may remain.
    let rows = reader.header().shape().first().copied().unwrap_or(1);
    if reader.header().shape().len() == 1 && rows < 10_000 && !single {
        reader.seek_to(rows / 2).expect("there is such a row");
        let half = reader.read_vec::<T>();
        reader.seek_to(0).expect("there is such a row");
        assert_eq!(bytes(reader.read_vec::<T>()).ok(), whole.clone().ok(), "after going back");
        if let (Ok(half), Ok(whole)) = (bytes(half), whole) {
            assert!(whole.ends_with(&half), "from the middle on");
        }
    }
}

/// Asserts that items are the same after they were written and read.
fn again<T: Element>(file: &[u8], options: &ReadOptions) {
    let array = options.read_from::<NpyArray<T>>(file).expect("a second time");
    if array.as_slice_memory_order().len() > 100_000 {
        return;
    }
    let mut written = Vec::new();
    array.write_npy_to(&mut written).expect("what was read can be written");
    let read = NpyArray::<T>::read_npy_from(&written[..]).expect("and read");
    assert_eq!(read.shape(), array.shape());
    let logical = |array: &NpyArray<T>| {
        array.iter().flat_map(|item| encoded(std::slice::from_ref(item))).collect::<Vec<_>>()
    };
    assert_eq!(logical(&read), logical(&array));
}

/// Reads and writes lists of text of any width.
fn text(file: &[u8], _: Cast, _: usize) {
    if let Ok(texts) = Vec::<String>::read_npy_from(file) {
        let mut written = Vec::new();
        texts.write_npy_to(&mut written).expect("what was read can be written");
        assert_eq!(Vec::<String>::read_npy_from(&written[..]).expect("and read"), texts);
    }
    if let Ok(bytes) = Vec::<Vec<u8>>::read_npy_from(file) {
        let mut written = Vec::new();
        bytes.write_npy_to(&mut written).expect("what was read can be written");
        assert_eq!(Vec::<Vec<u8>>::read_npy_from(&written[..]).expect("and read"), bytes);
    }
    let _ = String::read_npy_from(file);
    let _ = NpyView::<u8>::from_bytes(file);
    if let Ok(mut reader) = Reader::new(file) {
        let _ = reader.read_column::<f32>("x.y");
    }
}

pub(super) fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    let mut add = |check: u8, write: &dyn Fn(&mut Vec<u8>) -> npy_core::Result<()>| {
        for cast in 0..2 {
            let mut seed = vec![check, cast, 2];
            write(&mut seed).expect("memory takes it");
            seeds.push(seed);
        }
    };
    add(0, &|out| vec![Packed::default(); 3].write_npy_to(out));
    add(1, &|out| vec![Aligned { a: 1, b: 2.5, c: 3 }; 3].write_npy_to(out));
    add(2, &|out| vec![Nested::default(); 3].write_npy_to(out));
    add(3, &|out| vec![Optional::default(); 3].write_npy_to(out));
    add(3, &|out| vec![Aligned::default(); 3].write_npy_to(out));
    add(4, &|out| vec![All::default(); 3].write_npy_to(out));
    add(5, &|out| [1u8, 7, 1, 9].write_npy_to(out));
    add(6, &|out| [true, false].write_npy_to(out));
    add(7, &|out| [1u8, 7, 1, 9].write_npy_to(out));
    add(8, &|out| [1i16, -7, 1, 9].write_npy_to(out));
    add(9, &|out| [1i16, -7, 1, 9].write_npy_to(out));
    add(10, &|out| ["a", "bc"].write_npy_to(out));
    add(11, &|out| vec![ByteStr::<0>::default(); 5].write_npy_to(out));
    add(12, &|out| vec![[1u16, 2, 3]; 5].write_npy_to(out));
    add(13, &|out| vec![[[Aligned::default(); 2]; 1]; 5].write_npy_to(out));
    add(14, &|out| vec![DateTime64::<Second>::new(5); 5].write_npy_to(out));
    add(15, &|out| ["a", "bc", "\u{1f600}"].write_npy_to(out));
    for (i, file) in super::seeds_of_files().into_iter().enumerate() {
        let check = u8::try_from(i % CHECKS.len()).unwrap_or(0);
        seeds.push([&[check, 1, 1][..], &file].concat());
    }
    seeds
}
