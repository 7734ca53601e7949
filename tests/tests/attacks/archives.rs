//! Every way to read an archive.

use std::io::Cursor;
use std::path::Path;

use npy_core::npz::sparse::{Coo, Csr};
use npy_core::npz::{Editor, Map, ReadOptions, Reader, Writer};
use npy_core::{DynArray, Le, Limits, NpyRecord, NpyView, NpzArchive};

use crate::{Read, SOME, said};

#[derive(NpyRecord)]
struct Row {
    x: u8,
    y: u8,
}

#[derive(NpzArchive)]
struct Fields {
    x: Option<DynArray>,
    y: Option<Vec<u8>>,
}

/// Options for untrusted archives.
fn options() -> ReadOptions {
    let mut limits = Limits::default();
    limits.inflation = 50;
    let mut options = ReadOptions::new();
    options.limits(limits);
    options
}

type Archive<'b> = Reader<Cursor<&'b [u8]>>;

fn open(bytes: &[u8]) -> Result<(Archive<'_>, Vec<String>), String> {
    let reader = options().reader(Cursor::new(bytes)).map_err(|error| error.to_string())?;
    let names = reader.names().take(SOME).map(str::to_owned).collect();
    Ok((reader, names))
}

/// Applies `f` to each member, and returns the first error.
fn each<T>(
    bytes: &[u8],
    read: impl Fn(&mut Archive<'_>, &str) -> npy_core::Result<T>,
) -> Result<(), String> {
    let (mut reader, names) = open(bytes)?;
    let read = names.iter().map(|name| said(read(&mut reader, name)));
    // Reads all of them, even after an error.
    read.fold(Ok(()), Result::and)
}

fn names(bytes: &[u8], _: &Path) -> Result<(), String> {
    let (reader, names) = open(bytes)?;
    assert!(names.iter().all(|name| reader.contains(name)));
    assert!(!reader.contains("no such member"));
    Ok(())
}

fn fields<T: NpzArchive>(bytes: &[u8], _: &Path) -> Result<(), String> {
    said(open(bytes)?.0.read_fields::<T>())
}

fn threads(_: &[u8], path: &Path) -> Result<(), String> {
    let reader = options().threads(3).open(path);
    said(reader.and_then(|reader| reader.read_all()))
}

fn map(_: &[u8], path: &Path) -> Result<(), String> {
    // SAFETY: nobody else uses the file.
    #[allow(unsafe_code)]
    let map = unsafe { Map::open(path) }.map_err(|error| error.to_string())?;
    let mut all = Ok(());
    for name in map.names().take(SOME) {
        drop(map.view::<Le<f64>>(name));
        drop(map.column::<u8>(name, "x"));
        drop(map.header(name));
        let view: Result<NpyView<'_, u8>, _> = map.view(name);
        let any = map.any(name).and_then(|any| Ok(any.get::<u8>(0)?));
        all = all.and(said(view)).and(said(any));
    }
    all
}

fn append(_: &[u8], path: &Path) -> Result<(), String> {
    let mut writer = Writer::append(path).map_err(|error| error.to_string())?;
    let written = said(writer.write("new", &[1u8]));
    // The file stays as it is.
    writer.discard();
    written
}

fn edit(_: &[u8], path: &Path) -> Result<(), String> {
    let copy = path.with_extension("edited");
    std::fs::copy(path, &copy).map_err(|error| error.to_string())?;
    let edited = Editor::open(&copy).and_then(|mut editor| {
        editor.write("new", &[1u8])?;
        editor.finish()
    });
    std::fs::remove_file(copy).map_err(|error| error.to_string())?;
    said(edited)
}

pub(crate) const READERS: [(&str, bool, Read); 13] = [
    ("npz::Reader::names", false, names),
    ("npz::Reader::read_all", true, |bytes, _| said(open(bytes)?.0.read_all())),
    ("npz::Reader::read_all by threads", true, threads),
    ("npz::Reader::read_bytes", false, |bytes, _| each(bytes, |it, name| it.read_bytes(name))),
    ("npz::Reader::header", false, |bytes, _| each(bytes, |it, name| it.header(name))),
    ("npz::Reader::read", true, |bytes, _| each(bytes, |it, name| it.read::<Vec<u8>>(name))),
    ("npz::Reader::read_columns", false, |bytes, _| said(open(bytes)?.0.read_columns::<Row>())),
    ("npz::Reader::read_fields", false, fields::<Fields>),
    ("sparse::Csr", false, fields::<Csr<f32>>),
    ("sparse::Coo", false, fields::<Coo<u8, i64>>),
    ("npz::Map", false, map),
    ("npz::Writer::append", false, append),
    ("npz::Editor", false, edit),
];
