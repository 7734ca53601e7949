//! Every way to read a single array.

use std::path::Path;

use npy_core::{
    AnyArray, ByteStr, Cast, DynArray, Header, Map, MapAny, MapAnyMut, NpyArray, NpyRecord,
    NpyView, Objects, ReadNpy, ReadOptions, Reader, ZeroCopy,
};

use crate::{Read, SOME, said};

#[derive(NpyRecord, ZeroCopy, Debug, Clone, Copy)]
#[npy(default)]
#[repr(C, packed)]
struct Row {
    #[npy(alias = "a")]
    x: u8,
    y: f64,
}

impl Default for Row {
    fn default() -> Self {
        Row { x: 1, y: 2.0 }
    }
}

/// Takes the first items of an iterator; an error if one of them is an error.
fn some<T, E: ToString>(items: impl Iterator<Item = Result<T, E>>) -> Result<(), String> {
    items.take(SOME).try_for_each(said)
}

fn stream<A: ReadNpy>(bytes: &[u8], _: &Path) -> Result<(), String> {
    said(A::read_npy_from(bytes))
}

fn lossless<A: ReadNpy>(bytes: &[u8], _: &Path) -> Result<(), String> {
    said(ReadOptions::new().cast(Cast::Lossless).read_from::<A>(bytes))
}

fn path<A: ReadNpy>(_: &[u8], path: &Path) -> Result<(), String> {
    said(A::read_npy(path))
}

fn dynamic(bytes: &[u8], _: &Path) -> Result<(), String> {
    let array = DynArray::read_npy_from(bytes).map_err(|error| error.to_string())?;
    drop(array.to_string());
    array.iter().take(SOME).for_each(|value| drop(value.to_string()));
    said(array.cast(&array.dtype().packed()))?;
    for field in array.dtype().fields().iter().take(SOME) {
        drop(array.field(field.name()));
    }
    Ok(())
}

fn objects(bytes: &[u8], _: &Path) -> Result<(), String> {
    let objects = Objects::read_npy_from(bytes).map_err(|error| error.to_string())?;
    drop(objects.to_string());
    objects.globals().take(SOME).for_each(drop);
    objects.iter().take(SOME).for_each(|object| drop(object.to_string()));
    Ok(())
}

fn rows(bytes: &[u8], _: &Path) -> Result<(), String> {
    let mut reader = Reader::new(bytes).map_err(|error| error.to_string())?;
    some(reader.deserialize::<serde_json::Value>().map_err(|error| error.to_string())?)
}

fn all_rows(bytes: &[u8], _: &Path) -> Result<(), String> {
    let array = DynArray::read_npy_from(bytes).map_err(|error| error.to_string())?;
    said(array.to_rows::<serde::de::IgnoredAny>())
}

fn records(bytes: &[u8], _: &Path) -> Result<(), String> {
    let mut reader = Reader::new(bytes).map_err(|error| error.to_string())?;
    some(reader.records::<Row>().map_err(|error| error.to_string())?)
}

fn column(bytes: &[u8], _: &Path) -> Result<(), String> {
    let mut reader = Reader::new(bytes).map_err(|error| error.to_string())?;
    said(reader.read_column::<u8>("a.a.a.a.a.a"))
}

fn map<T: ZeroCopy>(_: &[u8], path: &Path) -> Result<(), String> {
    // SAFETY: nobody else uses the file.
    #[allow(unsafe_code)]
    said(unsafe { Map::<T>::open(path) })
}

fn map_any(_: &[u8], path: &Path) -> Result<(), String> {
    // SAFETY: nobody else uses the file.
    #[allow(unsafe_code)]
    let map = unsafe { MapAny::open(path) }.map_err(|error| error.to_string())?;
    drop(map.column::<u8>("x"));
    drop(map.read::<Row>(0..SOME.min(map.header().count())));
    said(map.get::<Row>(0))
}

fn map_any_mut(_: &[u8], path: &Path) -> Result<(), String> {
    // SAFETY: nobody else uses the file.
    #[allow(unsafe_code)]
    let mut map = unsafe { MapAnyMut::open(path) }.map_err(|error| error.to_string())?;
    let bytes = map.as_bytes().len();
    said(map.view_mut::<u8>().map(|view| assert_eq!(view.len(), bytes)))
}

/// The readers; the flag is true if a reader must give an array for every attack that is to be read.
pub(crate) const READERS: [(&str, bool, Read); 26] = [
    ("Header::parse", true, |bytes, _| said(Header::parse(bytes))),
    ("Header::read_npy", true, |_, path| said(Header::read_npy(path))),
    ("DynArray", true, dynamic),
    ("DynArray of a file", true, path::<DynArray>),
    ("AnyArray", false, stream::<AnyArray>),
    ("AnyArray of a file", false, path::<AnyArray>),
    ("Vec<u8>", false, stream::<Vec<u8>>),
    ("Vec<bool>", false, stream::<Vec<bool>>),
    ("Vec<ByteStr<0>>", false, lossless::<Vec<ByteStr<0>>>),
    ("Vec<ByteStr<9>>", false, lossless::<Vec<ByteStr<9>>>),
    ("NpyArray<f64>", false, lossless::<NpyArray<f64>>),
    ("Vec<[u8; 3]>", false, stream::<Vec<[u8; 3]>>),
    ("Vec<Row>", false, stream::<Vec<Row>>),
    ("Vec<Row> of a file", false, path::<Vec<Row>>),
    ("Vec<String>", false, stream::<Vec<String>>),
    ("Vec<Vec<u8>>", false, path::<Vec<Vec<u8>>>),
    ("Vec<Option<String>>", false, stream::<Vec<Option<String>>>),
    ("Objects", false, objects),
    ("Reader::records", false, records),
    ("Reader::read_column", false, column),
    ("Reader::deserialize", false, rows),
    ("DynArray::to_rows", false, all_rows),
    ("NpyView", false, |bytes, _| said(NpyView::<Row>::from_bytes(bytes))),
    ("Map", false, map::<u8>),
    ("MapAny", false, map_any),
    ("MapAnyMut", false, map_any_mut),
];
