//! Members and archives over 4 GiB, which need zip64 for sizes and positions.

// Opening a map is unsafe: the files here are this test's own.
#![allow(unsafe_code)]

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use npy_core::npz::{self, Reader, WriteOptions, Writer};
use npy_core::{Element, Header, Map, Order};
use npy_tests::alloc::peak;

use crate::sparse::Sparse;

/// More than 4 GiB of numbers.
const BIG: usize = (1 << 29) + 1000;
/// Three of these are more than 4 GiB together.
const PART: usize = 180 << 20;
/// The last number; all others are zero.
const LAST: u64 = 0x0123_4567_89ab_cdef;
/// The memory limit.
const FEW: usize = 4 << 20;

/// Maps a sparse file of `count` numbers.
fn numbers(path: &Path, count: usize) -> Map<u64> {
    let header = Header::new(u64::dtype(), [count], Order::C).unwrap().to_bytes().unwrap();
    let end = (header.len() + 8 * count) as u64;
    fs::write(path, header).unwrap();
    let mut file = File::options().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(end - 8)).unwrap();
    file.write_all(&LAST.to_le_bytes()).unwrap();
    // SAFETY: the file is in a directory of this test.
    unsafe { Map::open(path) }.unwrap()
}

fn put<W: Write>(mut writer: Writer<W>, members: &[(&str, &[u64])]) -> W {
    for (name, numbers) in members {
        writer.write(name, *numbers).unwrap();
    }
    writer.finish().unwrap()
}

/// Reads every byte, and compares the checksums.
fn check(path: &Path, members: &[(&str, &[u64])]) {
    let mut reader = Reader::open(path).unwrap();
    assert!(reader.names().eq(members.iter().map(|(name, _)| *name)));
    for (name, numbers) in members {
        assert_eq!(reader.header(name).unwrap().shape(), [numbers.len()]);
        let mut member = reader.member(name).unwrap();
        let (mut count, mut last) = (0, None);
        let mut chunk: Vec<u64> = Vec::new();
        while member.read_chunk(&mut chunk, 32 << 10).unwrap() > 0 {
            count += chunk.len();
            last = chunk.last().copied();
            assert!(chunk.drain(..).all(|number| number == 0 || number == LAST));
        }
        assert_eq!((count, last.as_ref()), (numbers.len(), numbers.last()), "{name}");
    }
    check_in_python(path, members);
}

/// The same with `zipfile` and NumPy, if they are installed.
fn check_in_python(path: &Path, members: &[(&str, &[u64])]) {
    const SCRIPT: &str = "
import sys, zipfile
import numpy as np
path, *members = sys.argv[1:]
with zipfile.ZipFile(path) as archive:
    assert archive.testzip() is None
    assert archive.namelist() == [name + '.npy' for name in members[::2]], archive.namelist()
    for name, count in zip(members[::2], map(int, members[1::2])):
        with archive.open(name + '.npy') as member:
            assert np.lib.format.read_magic(member) == (1, 0)
            shape, _, dtype = np.lib.format.read_array_header_1_0(member)
            assert (shape, dtype) == ((count,), '<u8'), (shape, dtype)
with np.load(path) as arrays:
    small = arrays['small']
    assert small.tolist()[-1] == 0x0123456789abcdef, small
";
    if std::env::var_os("NPY_PYTHON").is_none() {
        println!("{}: without NumPy", path.display());
        return;
    }
    let members = members.iter().flat_map(|(name, it)| [name.to_string(), it.len().to_string()]);
    let members: Vec<_> = members.collect();
    let args = members.iter().map(AsRef::as_ref);
    npy_tests::Numpy::run(
        SCRIPT,
        &std::iter::once(path.as_os_str()).chain(args).collect::<Vec<_>>(),
    );
}

/// Writes the members stored and deflated, to a file and to a stream, and reads them back.
fn each_way(source: &Path, count: usize, names: &[&'static str]) {
    let map = numbers(source, count);
    let mut members: Vec<_> = names.iter().map(|name| (*name, &map[..])).collect();
    // A small member after the large ones, so that it starts past 4 GiB.
    let small = [0, LAST];
    members.push(("small", &small));
    let path = source.with_extension("npz");
    let mut deflate = WriteOptions::new();
    deflate.deflate(1);
    for options in [WriteOptions::new(), deflate] {
        let ((), cost) = peak(|| {
            let mut file = put(options.writer(Sparse::create(&path)).unwrap(), &members);
            file.flush().unwrap();
        });
        assert!(cost < FEW, "{cost}");
        check(&path, &members);
        let ((), cost) = peak(|| {
            let mut file = put(options.stream(Sparse::create(&path)), &members);
            file.flush().unwrap();
        });
        assert!(cost < FEW, "{cost}");
        check(&path, &members);
    }
}

#[test]
fn a_member_of_more_than_4_gib() {
    let dir = tempfile::tempdir().unwrap();
    each_way(&dir.path().join("x.npy"), BIG, &["big"]);
}

#[test]
fn an_archive_of_more_than_4_gib() {
    let dir = tempfile::tempdir().unwrap();
    let source = dir.path().join("x.npy");
    each_way(&source, PART, &["a", "b", "c"]);
    // A stored archive can be mapped, and a member can be appended.
    let path = source.with_extension("npz");
    let numbers = numbers(&source, PART);
    let members = [("a", &numbers[..]), ("b", &numbers[..]), ("c", &numbers[..])];
    put(Writer::new(Sparse::create(&path)).unwrap(), &members).flush().unwrap();
    assert!(fs::metadata(&path).unwrap().len() > 1 << 32);
    let mut writer = Writer::append(&path).unwrap();
    writer.write("small", &[0, LAST]).unwrap();
    writer.finish().unwrap();
    check(&path, &[members[0], members[1], members[2], ("small", &[0, LAST])]);
    // SAFETY: the file is in a directory of this test.
    let map = unsafe { npz::Map::open(&path) }.unwrap();
    assert_eq!(map.view::<u64>("c").unwrap().last(), Some(&LAST));
    assert_eq!(map.view::<u64>("small").unwrap()[..], [0, LAST]);
}

/// The rows are spooled to a file that is not sparse.
#[test]
fn rows_of_more_than_4_gib() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npz");
    let ((), cost) = peak(|| {
        let mut writer = WriteOptions::new().deflate(1).create(&path).unwrap();
        let mut rows = writer.start::<u64>("big").unwrap();
        let block = vec![0; 32 << 10];
        (0..BIG / block.len()).for_each(|_| rows.write_slice(&block).unwrap());
        let left = BIG - rows.count() - 1;
        rows.extend(std::iter::repeat_n(0, left).chain([LAST])).unwrap();
        rows.finish().unwrap();
        writer.write("small", &[0, LAST]).unwrap();
        writer.finish().unwrap();
    });
    assert!(cost < FEW, "{cost}");
    // The same contents as the sparse file.
    let mut reader = Reader::open(&path).unwrap();
    assert_eq!(reader.header("big").unwrap().shape(), [BIG]);
    let mut member = reader.member("big").unwrap();
    let sum = member.records::<u64>().unwrap().map(Result::unwrap).fold(0, u64::wrapping_add);
    assert_eq!(sum, LAST);
    assert_eq!(reader.read::<Vec<u64>>("small").unwrap(), [0, LAST]);
}
