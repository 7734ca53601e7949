//! Any bytes as an archive: all ways to read agree, and what could be read is written and read back equal.

use std::collections::HashMap;
use std::io::{Cursor, Write};

use npy_core::npz::sparse::{Bsr, Coo, Csc, Csr, Dia};
use npy_core::npz::{Map, ReadOptions, Reader, WriteOptions};
use npy_core::{DynArray, ErrorKind, Le, Limits, NpyRecord, NpyView, NpzArchive, ReadNpy};

use crate::zips::{Raw, archive, npy};

#[derive(NpyRecord, Debug, Clone, PartialEq)]
struct Row {
    x: u8,
    #[npy(alias = "c")]
    y: u64,
}

#[derive(NpzArchive, Debug, PartialEq)]
struct Fields {
    x: Option<DynArray>,
    #[npy(alias = "c")]
    y: Option<Vec<u64>>,
    group: Option<Group>,
}

#[derive(NpzArchive, Debug, PartialEq)]
struct Group {
    b: Vec<String>,
}

/// The number of wrong checksums to repair, so that the code after the check is reached.
const REPAIRS: usize = 6;

pub(super) fn run(input: &[u8]) {
    let mut bytes = input.to_vec();
    check(&bytes);
    let mut repaired = false;
    for _ in 0..REPAIRS {
        let Some((stated, found)) = wrong_checksum(&bytes) else { break };
        let Some(at) = bytes.windows(4).rposition(|window| window == stated.to_le_bytes()) else {
            break;
        };
        bytes[at..at + 4].copy_from_slice(&found.to_le_bytes());
        repaired = true;
    }
    if repaired {
        check(&bytes);
    }
}

/// Opens with a low limit on inflation: by default a file of a few KiB may inflate to a thousand times its size, for
/// each member.
fn open(bytes: &[u8]) -> Option<Reader<Cursor<&[u8]>>> {
    let mut limits = Limits::default();
    limits.inflated_bytes = 1 << 20;
    ReadOptions::new().limits(limits).reader(Cursor::new(bytes)).ok()
}

/// Returns the first wrong checksum: the stated one and the computed one.
fn wrong_checksum(bytes: &[u8]) -> Option<(u32, u32)> {
    match open(bytes)?.read_all().err()?.kind() {
        &ErrorKind::Checksum { expected, found, .. } => Some((expected, found)),
        _ => None,
    }
}

fn check(bytes: &[u8]) {
    let Some(mut reader) = open(bytes) else { return };
    let names: Vec<String> = reader.names().map(str::to_owned).collect();
    assert_eq!((reader.len(), reader.is_empty()), (names.len(), names.is_empty()));
    assert!(names.iter().all(|name| reader.contains(name)));
    let mut arrays = HashMap::new();
    for name in &names {
        if let Some(array) = one(&mut reader, name) {
            arrays.insert(name.clone(), array);
        }
    }
    if let Ok(all) = reader.read_all() {
        assert!(all.iter().map(|(name, _)| name).eq(&names));
        if are_keys(&names) {
            assert!(all.iter().all(|(name, array)| arrays.get(name) == Some(array)));
            again(&all);
        }
    }
    if let Ok(rows) = reader.read_columns::<Row>() {
        let written = write(&WriteOptions::new(), |writer| writer.write_columns(&rows));
        assert_eq!(reopened(&written).read_columns::<Row>().expect("what was written"), rows);
    }
    fields::<Fields>(&mut reader);
    fields::<Csr<f32>>(&mut reader);
    fields::<Csc<u8, i64>>(&mut reader);
    fields::<Coo<f32>>(&mut reader);
    fields::<Dia<u8>>(&mut reader);
    fields::<Bsr<u8>>(&mut reader);
    map(bytes, &names, &arrays);
}

/// Reads one member in all ways.
fn one(reader: &mut Reader<Cursor<&[u8]>>, name: &str) -> Option<DynArray> {
    let header = reader.header(name);
    let bytes = reader.read_bytes(name);
    let array = reader.read::<DynArray>(name);
    let parts = reader.member(name).and_then(|mut member| member.read_dyn());
    let typed = reader.read::<Vec<Le<u32>>>(name);
    assert_eq!(array.as_ref().ok(), parts.as_ref().ok(), "{name}");
    let Ok(array) = array else {
        assert!(typed.is_err(), "{name}");
        return None;
    };
    let header = header.expect("an array has a header");
    assert_eq!((header.shape(), header.dtype()), (array.shape(), array.dtype()));
    let bytes = bytes.expect("the bytes of an array");
    assert!(bytes.ends_with(array.as_bytes()), "{name}");
    assert_eq!(DynArray::read_npy_from(&bytes[..]).expect("a file"), array);
    if let Ok(typed) = typed {
        assert_eq!(typed, Vec::<Le<u32>>::read_npy_from(&bytes[..]).expect("a file"));
    }
    Some(array)
}

/// True if each name finds its own member and can be written.
fn are_keys(names: &[String]) -> bool {
    let mut sorted = names.to_vec();
    sorted.sort();
    sorted.windows(2).all(|pair| pair[0] != pair[1])
        && !names.iter().any(|name| name.ends_with(".npy"))
}

/// Writes arrays in all ways, and reads them back.
fn again(arrays: &[(String, DynArray)]) {
    let mut deflate = WriteOptions::new();
    deflate.deflate(1);
    for options in [WriteOptions::new(), deflate] {
        let written = write(&options, |writer| {
            arrays.iter().try_for_each(|(name, array)| writer.write(name, array))
        });
        assert_eq!(reopened(&written).read_all().expect("what was written"), arrays);
        let mut writer = options.stream(Vec::new());
        for (name, array) in arrays {
            writer.write(name, array).expect("memory takes it");
        }
        let streamed = writer.finish().expect("memory takes it");
        assert_eq!(reopened(&streamed).read_all().expect("what was written"), arrays);
    }
}

fn write(
    options: &WriteOptions,
    put: impl FnOnce(&mut npy_core::npz::Writer<Cursor<Vec<u8>>>) -> npy_core::Result<()>,
) -> Vec<u8> {
    let mut writer = options.writer(Cursor::new(Vec::new())).expect("memory takes it");
    put(&mut writer).expect("memory takes it");
    writer.finish().expect("memory takes it").into_inner()
}

fn reopened(bytes: &[u8]) -> Reader<Cursor<&[u8]>> {
    Reader::new(Cursor::new(bytes)).expect("what was written")
}

/// Reads a struct, writes it and reads it back. Compares the debug text, as numbers may be NaN.
fn fields<T: NpzArchive + std::fmt::Debug>(reader: &mut Reader<Cursor<&[u8]>>) {
    let Ok(read) = reader.read_fields::<T>() else { return };
    let written = write(&WriteOptions::new(), |writer| writer.write_fields(&read));
    let again: T = reopened(&written).read_fields().expect("what was written");
    assert_eq!(format!("{again:?}"), format!("{read:?}"));
}

/// Views the members in place. Checksums are not checked here, so members may be visible that cannot be read.
fn map(bytes: &[u8], names: &[String], arrays: &HashMap<String, DynArray>) {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(bytes).expect("the disk takes it");
    // SAFETY: nobody else uses the file.
    #[allow(unsafe_code)]
    let map = unsafe { Map::open(file.path()) };
    if !bytes.starts_with(b"PK\x03\x04") && !bytes.starts_with(b"PK\x05\x06") {
        assert!(map.is_err(), "a file begins with its archive");
        return;
    }
    let map = map.expect("its directory was read before");
    assert!(map.names().eq(names.iter().map(String::as_str)));
    for name in names {
        assert!(map.contains(name));
        let view: Result<NpyView<'_, u8>, _> = map.view(name);
        let any = map.any(name);
        let header = map.header(name);
        let _ = map.view::<Le<f64>>(name).map(|view| view.len());
        let _ = map.column::<u8>(name, "x").map(|column| column.iter().count());
        if let Ok(any) = &any {
            let some = 0..any.header().count().min(8);
            let _ = (any.get::<Row>(0), any.read::<u32>(some));
        }
        let Some(array) = arrays.get(name) else { continue };
        if let Ok(header) = header {
            assert_eq!((header.shape(), header.dtype()), (array.shape(), array.dtype()));
            assert!(any.is_ok(), "{name}");
        }
        if let Ok(view) = view {
            assert_eq!(view.as_slice(), array.as_bytes());
        }
    }
}

/// Small archives of many kinds: our own, and those of other tools.
pub(super) fn seeds() -> Vec<Vec<u8>> {
    let mut deflate = WriteOptions::new();
    deflate.deflate(6);
    let mut files = Vec::new();
    for options in [WriteOptions::new(), deflate] {
        files.push(write(&options, |writer| {
            writer.write("a", &[1.5f64; 9])?;
            writer.write("group/b", &["x", "yz"])?;
            writer.write_unnamed(&true)
        }));
        files.push(write(&options, |writer| {
            writer.write_columns(&[Row { x: 1, y: 2 }, Row { x: 3, y: 4 }])
        }));
        files.push(write(&options, |writer| writer.write("größe", &vec![0u8; 3000])));
        files.push(write(&options, |_| Ok(())));
        let mut stream = options.stream(Vec::new());
        stream.write("x", &[Row { x: 1, y: 2 }]).expect("memory takes it");
        stream.write("y", &[1u64, 2]).expect("memory takes it");
        files.push(stream.finish().expect("memory takes it"));
    }
    let mut indexed = WriteOptions::new();
    indexed.deflate(9).seek_every(4096);
    let numbers: Vec<u16> = (0..5000).map(|n| n / 10).collect();
    files.push(write(&indexed, |writer| writer.write("x", &numbers)));
    let (indptr, indices) = (vec![0, 1], vec![1]);
    let csr = Csr { shape: [1, 2], indptr, indices, data: vec![7f32], is_array: true };
    files.push(write(&WriteOptions::new(), |writer| writer.write_fields(&csr)));
    let (row, col) = (vec![0, 0], vec![1, 0]);
    let coo = Coo { shape: [1, 2], row, col, data: vec![7f32, 1.0], is_array: false };
    files.push(write(&WriteOptions::new(), |writer| writer.write_fields(&coo)));

    let x = || Raw::of("x.npy", &npy(&[1u32, 2, 3]));
    let y = || Raw { name: b"y.npy".to_vec(), ..x() };
    let other = [x(), Raw { zip64: true, ..y() }, Raw { descriptor: true, ..y() }.deflated()];
    files.push(archive(b"before", &other, b"a comment"));
    files.push(archive(b"", &[x(), x()], b""));
    files.push(archive(b"", &[Raw { place: Some(0), ..y() }, x()], b""));
    files.push(archive(b"", &[Raw { flags: 1, ..x() }, Raw { method: 12, ..y() }], b""));
    let unicode = [b"up\x09\0\x01\0\0\0\0z.np".to_vec(), b"\x01\0\x08\0\0\0\0\0\0\0\0\0".to_vec()];
    files.extend(unicode.map(|extra| archive(b"", &[Raw { extra, ..x() }], b"")));
    files.push(archive(b"", &[Raw::of("a\0b", b"any"), Raw::of("../x", b""), x()], b""));
    files
}
