//! Members that are read from any row: stored, deflated with a seek index of ours or of others, and without one.

use std::cell::Cell;
use std::fs;
use std::io::{Cursor, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::rc::Rc;

use npy_core::npz::{Editor, ReadOptions, Reader, WriteOptions, Writer};
use npy_core::{DType, DynArray, ErrorKind, NpyArray, Order};
use npy_tests::alloc::peak;
use npy_tests::fuzz::Random;
use npy_tests::zips::{Raw, archive, crc, npy};

/// The bytes before the data of a short array.
const HEADER: usize = 128;

fn fill<W: Write>(mut writer: Writer<W>, members: &[(String, Vec<u8>)]) -> W {
    for (name, values) in members {
        writer.write(name, values).unwrap();
    }
    writer.finish().unwrap()
}

fn written(options: &WriteOptions, values: &[u8]) -> Vec<u8> {
    let members = [("x".to_owned(), values.to_vec())];
    fill(options.writer(Cursor::new(Vec::new())).unwrap(), &members).into_inner()
}

fn deflate(level: u8, seek_every: u64) -> WriteOptions {
    let mut options = WriteOptions::new();
    options.deflate(level).seek_every(seek_every);
    options
}

/// Returns bytes that can be compressed a little.
fn squares(count: u32) -> Vec<u8> {
    (0..count).map(|n| n.wrapping_mul(n).to_le_bytes()[1]).collect()
}

/// Seeks in a member at random, and compares what is read then.
fn check_slices<R: Read + Seek>(
    reader: &Reader<R>,
    name: &str,
    values: &[u8],
    random: &mut Random,
    what: &str,
) {
    let mut member = reader.member(name).unwrap();
    let mut at = 0;
    for _ in 0..8 {
        if random.below(3) > 0 {
            at = random.below(values.len() + 1);
            member.seek_to(at).unwrap();
        }
        if random.below(4) == 0 {
            assert!(member.read_vec::<u8>().unwrap() == values[at..], "{what}: from {at}");
            at = values.len();
            continue;
        }
        let most = [1, 100, 70_000, 3 << 20][random.below(4)];
        let (mut found, end) = (Vec::new(), values.len().min(at + 1 + random.below(most)));
        member.read_chunk::<u8>(&mut found, end - at).unwrap();
        assert!(found == values[at..end], "{what}: {at}..{end}");
        at = end;
    }
}

/// Guards members of all sizes, written in all ways: what is read after a seek is what the whole has there.
#[test]
fn slices_equal_whole_reads() {
    const CHUNK: usize = 4096;
    let sizes = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK - 1, 2 * CHUNK, 50_000, 2_500_000];
    let mut random = Random::new(3);
    let random = &mut random;
    for seed in 0..npy_tests::rounds(20) {
        let mut options = WriteOptions::new();
        let level = [None, Some(1), Some(6), Some(9)][random.below(4)];
        level.map(|level| options.deflate(level));
        let every = [0, 1, CHUNK as u64, 65_536, 1_000_000, u64::MAX][random.below(6)];
        options.seek_every(every).threads(1 + random.below(3));
        let what = format!("seed {seed}, level {level:?}, every {every}");
        let members: Vec<(String, Vec<u8>)> = sizes
            .into_iter()
            .map(|size| {
                let mask = [0, 3, 255][random.below(3)];
                let values = (0..size.saturating_sub(HEADER)).map(|_| random.byte() & mask);
                (format!("{size}"), values.collect())
            })
            .collect();
        let file = match random.below(3) {
            0 => fill(options.stream(Vec::new()), &members),
            _ => fill(options.writer(Cursor::new(Vec::new())).unwrap(), &members).into_inner(),
        };
        let reader = Reader::new(Cursor::new(&file)).unwrap();
        for (name, values) in &members {
            let (size, chunk) = (values.len() + HEADER, every.clamp(4096, 1 << 20));
            let chunk = usize::try_from(1 << chunk.ilog2()).unwrap();
            let is_seekable = level.is_none() || (every > 0 && size > chunk);
            assert_eq!(reader.is_seekable(name).unwrap(), is_seekable, "{what}, {name}");
            assert!(reader.read::<Vec<u8>>(name).unwrap() == *values, "{what}, {name}");
            check_slices(&reader, name, values, random, &format!("{what}, {name}"));
        }
    }
}

/// Guards the parts of members that are fetched alone: joined, they are the data of the rows, in each order and with rows of each size, and
/// the rows of the parts follow each other.
#[test]
fn chunks_are_the_data_of_the_rows() {
    let mut random = Random::new(11);
    let values: Vec<u16> = (0..60_000u16).map(|n| n.wrapping_mul(n) >> 6).collect();
    for shape in [vec![60_000], vec![300, 200], vec![6, 10_000], vec![1, 60_000]] {
        for order in [Order::C, Order::Fortran] {
            let array = NpyArray::with_order(values.clone(), shape.clone(), order).unwrap();
            let mut writer = deflate(6, 4096).writer(Cursor::new(Vec::new())).unwrap();
            writer.write("x", &array).unwrap();
            let file = writer.finish().unwrap().into_inner();
            let reader = Reader::new(Cursor::new(&file)).unwrap();
            let chunks = reader.chunks("x").unwrap().unwrap();
            let slowest = match chunks.header().order() {
                Order::C => shape.first(),
                Order::Fortran => shape.last(),
            };
            let &rows = slowest.unwrap();
            let row = 60_000 / rows;
            let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
            for _ in 0..20 {
                let start = random.below(rows + 1);
                let end = start + random.below(rows - start + 1);
                let parts = chunks.of_rows(start..end).unwrap();
                let mut found = Vec::new();
                for part in &parts {
                    let range = part.range();
                    let at = |position| usize::try_from(position).unwrap();
                    let bytes = &file[at(range.start)..at(range.end)];
                    let next = start + found.len() / (2 * row);
                    assert_eq!(part.rows().start, next, "{shape:?}, {order:?}: {start}..{end}");
                    found.extend(part.inflate(bytes).unwrap());
                    assert_eq!(part.rows().end, start + found.len().div_ceil(2 * row));
                }
                let expected = &data[2 * row * start..2 * row * end];
                assert!(found == expected, "{shape:?}, {order:?}: {start}..{end}");
            }
            let (first, second) = (rows / 3, rows / 2);
            assert!(chunks.of_rows(second..second).unwrap().is_empty());
            assert!(first == second || chunks.of_rows(second..first).unwrap().is_empty());
            let error = chunks.of_rows(0..rows + 1).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Shape { .. }), "{error}");
            let part = &chunks.of_rows(0..rows).unwrap()[0];
            let error = part.inflate(&file[..100]).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Archive { .. }), "{error}");
            assert!(error.to_string().contains("member \"x\""), "{error}");
        }
    }
}

/// Guards members without parts: those without an index, and a wrong index, which is as none.
#[test]
fn a_member_without_a_seek_index_has_no_chunks() {
    let values = squares(20_000);
    for options in [WriteOptions::new(), deflate(6, 0), deflate(6, 1 << 20)] {
        let file = written(&options, &values);
        assert!(Reader::new(Cursor::new(file)).unwrap().chunks("x").unwrap().is_none());
    }
    let mut file = written(&deflate(6, 4096), &values);
    let index = file.windows(8).position(|bytes| bytes == b"chunkcrc").unwrap();
    assert!(Reader::new(Cursor::new(&file)).unwrap().chunks("x").unwrap().is_some());
    file[index + 9] ^= 1;
    assert!(Reader::new(Cursor::new(&file)).unwrap().chunks("x").unwrap().is_none());
}

#[test]
fn members_with_an_index_are_the_same_for_any_number_of_threads() {
    let mut random = Random::new(5);
    let values: Vec<u8> = (0..5_000_000).map(|_| random.byte() & 15).collect();
    for every in [4096, 100_000, 1 << 20] {
        let mut options = deflate(6, every);
        let one = written(&options, &values);
        for threads in [2, 5] {
            assert!(written(options.threads(threads), &values) == one, "{every}, {threads}");
        }
    }
}

/// Guards rows of records, of an array in Fortran order, and reads of both kinds after a seek.
#[test]
fn rows_of_any_array_are_sought() {
    let rows: Vec<[f32; 3]> = (0..40_000u16).map(|n| [f32::from(n), 0.5, -1.0]).collect();
    let matrix: Vec<u16> = (0..60_000).collect();
    let matrix = NpyArray::with_order(matrix, [300, 200], Order::Fortran).unwrap();
    for every in [0, 4096] {
        let mut writer = deflate(1, every).writer(Cursor::new(Vec::new())).unwrap();
        writer.write("rows", &rows).unwrap();
        writer.write("matrix", &matrix).unwrap();
        let reader = Reader::new(writer.finish().unwrap()).unwrap();
        let mut found = reader.member("rows").unwrap();
        for row in [39_999, 5, 20_000, 20_001, 0, 40_000] {
            found.seek_to(row).unwrap();
            let mut chunk = Vec::new();
            found.read_chunk::<[f32; 3]>(&mut chunk, 1).unwrap();
            assert_eq!(chunk.first(), rows.get(row));
        }
        found.seek_to(39_990).unwrap();
        assert_eq!(found.read_vec::<[f32; 3]>().unwrap(), rows[39_990..]);
        assert!(found.seek_to(40_001).is_err());
        let mut found = reader.member("matrix").unwrap();
        found.seek_to(150).unwrap();
        let mut column = Vec::new();
        found.read_chunk::<u16>(&mut column, 300).unwrap();
        assert!(column.iter().copied().eq(150 * 300..151 * 300));
        let mut found = reader.member("matrix").unwrap();
        found.seek_to_row(7).unwrap();
        let row = found.read_dyn_chunk(1).unwrap().to_vec::<u16>().unwrap();
        assert!(row.iter().copied().eq((0..200).map(|n| 7 + 300 * n)));
    }
}

/// A file that counts the bytes which are read from it.
struct Counted(Cursor<Vec<u8>>, Rc<Cell<usize>>);

impl Read for Counted {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let read = self.0.read(out)?;
        self.1.set(self.1.get() + read);
        Ok(read)
    }
}

impl Seek for Counted {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.0.seek(to)
    }
}

/// Guards the use of the index: a few rows of a large member read one chunk of it, and take its memory.
#[test]
fn a_slice_reads_one_chunk() {
    let mut random = Random::new(6);
    let values: Vec<u8> = (0..20 << 20).map(|_| random.byte()).collect();
    for every in [1 << 20, 64 << 10] {
        let file = written(&deflate(1, every), &values);
        let count = Rc::new(Cell::new(0));
        let reader = Reader::new(Counted(Cursor::new(file), Rc::clone(&count))).unwrap();
        let mut member = reader.member("x").unwrap();
        let before = count.get();
        let (found, memory) = peak(|| {
            member.seek_to(15_000_000).unwrap();
            let mut found = Vec::new();
            member.read_chunk::<u8>(&mut found, 10).unwrap();
            found
        });
        assert_eq!(found, values[15_000_000..15_000_010]);
        let (chunk, index) = (usize::try_from(every).unwrap(), 12 * values.len() / 4096);
        let read = count.get() - before;
        assert!(read < chunk + chunk / 100 + index, "{read}");
        assert!(memory < chunk + (300 << 10), "{memory}");
        // The next rows are in the same chunk.
        let before = count.get();
        member.read_chunk::<u8>(&mut Vec::new(), 1000).unwrap();
        member.seek_to(15_002_000).unwrap();
        member.read_chunk::<u8>(&mut Vec::new(), 10).unwrap();
        assert_eq!(count.get(), before);
    }
}

/// Writes an archive whose second member has an index, and returns the values of that.
fn indexed(path: &Path) -> Vec<u8> {
    let mut random = Random::new(8);
    let values: Vec<u8> = (0..100_000).map(|_| random.byte() & 7).collect();
    let mut writer = deflate(6, 4096).create(path).unwrap();
    writer.write("first", &[1u8; 5]).unwrap();
    writer.write("a/größe", &values).unwrap();
    writer.write("last", &values[..50_000]).unwrap();
    writer.finish().unwrap();
    values
}

/// Guards the index in every change of an archive: it moves with its member, and has its new name.
#[test]
fn changes_of_an_archive_keep_the_index() {
    let directory = tempfile::tempdir().unwrap();
    let (path, other) = (directory.path().join("x.npz"), directory.path().join("other.npz"));
    let values = indexed(&path);
    let mut random = Random::new(9);
    let mut check = |path: &Path, name: &str| {
        let reader = Reader::open(path).unwrap();
        assert!(reader.is_seekable(name).unwrap(), "{name}");
        check_slices(&reader, name, &values, &mut random, name);
        let file = fs::read(path).unwrap();
        let (folder, file_name) = name.rsplit_once('/').unwrap_or(("", name));
        let slash = if folder.is_empty() { "" } else { "/" };
        let hidden = format!("{folder}{slash}.{file_name}.npy.sozip.idx");
        let found = file.windows(hidden.len()).filter(|bytes| *bytes == hidden.as_bytes());
        assert_eq!(found.count(), 1, "{hidden}");
        let all = file.windows(10).filter(|bytes| *bytes == b".sozip.idx").count();
        assert_eq!(all, reader.names().filter(|name| reader.is_seekable(name).unwrap()).count());
    };
    check(&path, "a/größe");
    let mut writer = deflate(1, 0).append(&path).unwrap();
    writer.write("more", &values).unwrap();
    writer.finish().unwrap();
    check(&path, "a/größe");
    assert!(!Reader::open(&path).unwrap().is_seekable("more").unwrap());
    let mut editor = Editor::open(&path).unwrap();
    editor.remove("first").unwrap();
    editor.rename("a/größe", "b/c/renamed").unwrap();
    editor.finish().unwrap();
    check(&path, "b/c/renamed");
    let mut editor = Editor::open(&path).unwrap();
    editor.rename("b/c/renamed", "plain").unwrap();
    editor.remove("last").unwrap();
    editor.finish().unwrap();
    check(&path, "plain");
    // Copied to another archive, and renamed there.
    Writer::create(&other).unwrap().finish().unwrap();
    for name in ["plain", "copied"] {
        let mut editor = Editor::open(&other).unwrap();
        editor.copy_from(&Reader::open(&path).unwrap(), "plain").unwrap();
        editor.rename("plain", name).unwrap();
        editor.finish().unwrap();
        check(&other, name);
    }
    // Replaced by one that an editor compresses.
    let mut editor = deflate(9, 8192).edit(&path).unwrap();
    editor.write("plain", &values).unwrap();
    editor.rename("plain", "d/new").unwrap();
    editor.finish().unwrap();
    check(&path, "d/new");
}

/// Returns the bytes as stored blocks, each chunk of them complete, and the positions of all chunks but the first.
fn chunks(bytes: &[u8], size: usize) -> (Vec<u8>, Vec<u64>) {
    let (mut out, mut positions) = (Vec::new(), Vec::new());
    let count = bytes.len().div_ceil(size);
    for (index, chunk) in bytes.chunks(size).enumerate() {
        if index > 0 {
            positions.push(out.len() as u64);
        }
        let mut blocks = chunk.chunks(0xffff).peekable();
        while let Some(block) = blocks.next() {
            let length = u16::try_from(block.len()).unwrap();
            out.push(u8::from(index + 1 == count && blocks.peek().is_none()));
            out.extend(length.to_le_bytes());
            out.extend((!length).to_le_bytes());
            out.extend(block);
        }
        if index + 1 < count {
            out.extend([0, 0, 0, 0xff, 0xff]);
        }
    }
    (out, positions)
}

/// Returns a member with an index of another writer, which has no checksums.
fn foreign(name: &[u8], index_name: &[u8], values: &[u8], chunk: usize) -> Raw {
    let file = npy(values);
    let (data, positions) = chunks(&file, chunk);
    with_index(name, index_name, &file, data, &positions, chunk)
}

/// Returns a member with these compressed bytes and an index without checksums.
fn with_index(
    name: &[u8],
    index_name: &[u8],
    file: &[u8],
    mut data: Vec<u8>,
    positions: &[u64],
    chunk: usize,
) -> Raw {
    let compressed = data.len() as u64;
    let mut index = Vec::new();
    for number in [1, 0, u32::try_from(chunk).unwrap(), 8] {
        index.extend(number.to_le_bytes());
    }
    index.extend((file.len() as u64).to_le_bytes());
    index.extend(compressed.to_le_bytes());
    positions.iter().for_each(|position| index.extend(position.to_le_bytes()));
    data.extend(b"PK\x03\x04\x14\0\0\0\0\0\0\0\x21\0");
    data.extend(crc(&index).to_le_bytes());
    let size = u32::try_from(index.len()).unwrap();
    data.extend([size.to_le_bytes(), size.to_le_bytes()].concat());
    data.extend(u16::try_from(index_name.len()).unwrap().to_le_bytes());
    data.extend([0, 0]);
    data.extend(index_name);
    data.extend(index);
    Raw { name: name.to_vec(), data, compressed, method: 8, ..Raw::of("", file) }
}

/// Guards the names that other writers give an index: compared as bytes, whatever they mean.
#[test]
fn indexes_of_others_are_found_by_the_bytes_of_their_names() {
    let values = squares(50_000);
    let mut random = Random::new(10);
    for (name, index_name, is_found) in [
        (&b"x.npy"[..], &b".x.npy.sozip.idx"[..], true),
        (b"a/b/x.npy", b"a/b/.x.npy.sozip.idx", true),
        (b"a/b/x.npy", b"a/.b/x.npy.sozip.idx", true),
        (b"caf\x82.npy", b".caf\x82.npy.sozip.idx", true),
        (b"caf\x82.npy", ".café.npy.sozip.idx".as_bytes(), false),
        (b"x.npy", b".y.npy.sozip.idx", false),
    ] {
        for zip64 in [false, true] {
            let member = Raw { zip64, ..foreign(name, index_name, &values, 7000) };
            let file = archive(b"before", &[member], b"");
            let reader = Reader::new(Cursor::new(file)).unwrap();
            let name = reader.names().next().unwrap();
            let what = format!("{name}: {}", index_name.escape_ascii());
            assert_eq!(reader.is_seekable(name).unwrap(), is_found, "{what}");
            assert!(reader.check_index(name).unwrap());
            assert!(reader.read::<Vec<u8>>(name).unwrap() == values);
            check_slices(&reader, name, &values, &mut random, &what);
        }
    }
}

/// Guards memory: chunks that are larger than 4 MiB are not inflated as a whole, so such an index is not used.
#[test]
fn an_index_with_large_chunks_is_not_used() {
    let values = vec![3u8; 12 << 20];
    for (chunk, is_used) in [(4 << 20, true), ((4 << 20) + 1, false)] {
        let member = foreign(b"x.npy", b".x.npy.sozip.idx", &values, chunk);
        let reader = Reader::new(Cursor::new(archive(b"", &[member], b""))).unwrap();
        assert_eq!(reader.is_seekable("x").unwrap(), is_used);
        let mut member = reader.member("x").unwrap();
        let mut found = Vec::new();
        let ((), memory) = peak(|| {
            member.seek_to(11 << 20).unwrap();
            member.read_chunk::<u8>(&mut found, 10).unwrap();
        });
        assert_eq!(found, [3; 10]);
        assert!(memory < 5 << 20, "{memory}");
    }
}

/// Guards that chunks of any size are compared: other programs use them.
#[test]
fn an_index_with_chunks_that_are_not_used_is_checked() {
    let values = vec![3u8; 12 << 20];
    for chunk in [100, (4 << 20) + 1] {
        let count = if chunk == 100 { 1000 } else { values.len() };
        let file = npy(&values[..count]);
        let (data, positions) = chunks(&file, chunk);
        let file = |data, positions: &[u64]| {
            let member = with_index(b"x.npy", b".x.npy.sozip.idx", &file, data, positions, chunk);
            Reader::new(Cursor::new(archive(b"", &[member], b""))).unwrap()
        };
        assert!(file(data.clone(), &positions).check_index("x").unwrap());
        assert!(!file(data.clone(), &positions).is_seekable("x").unwrap());
        let mut wrong = positions.clone();
        wrong[0] += 1;
        assert!(!file(data.clone(), &wrong).check_index("x").unwrap());
    }
}

/// Guards memory: the chunks take about as much as their index in the file.
#[test]
fn chunks_take_the_memory_of_their_index() {
    const SIZE: usize = 512;
    const COUNT: usize = 100_000;
    let file = npy(&vec![0u8; SIZE * COUNT - HEADER]);
    // Only the header is inflated, so the other chunks need not be right.
    let (mut data, mut positions) = chunks(&file[..17 * SIZE], SIZE);
    data.truncate(usize::try_from(positions[15]).unwrap());
    while positions.len() < COUNT - 1 {
        data.extend([0, 0]);
        positions.push(data.len() as u64);
    }
    data.extend([0, 0]);
    let member = with_index(b"x.npy", b".x.npy.sozip.idx", &file, data, &positions, SIZE);
    let reader = Reader::new(Cursor::new(archive(b"", &[member], b""))).unwrap();
    let (chunks, cost) = peak(|| reader.chunks("x").unwrap().unwrap());
    let last = chunks.of_rows(file.len() - HEADER - 1..file.len() - HEADER).unwrap();
    assert_eq!((last.len(), last[0].range().end - last[0].range().start), (1, 2));
    assert!(cost < 3 * 8 * COUNT, "{cost} bytes for {COUNT} chunks");
}

/// Guards memory: an index of small chunks would take many times the bytes of the archive.
#[test]
fn an_index_with_small_chunks_is_not_used() {
    let values = squares(100_000);
    for (chunk, is_used) in [(511, false), (512, true)] {
        let member = foreign(b"x.npy", b".x.npy.sozip.idx", &values, chunk);
        let reader = Reader::new(Cursor::new(archive(b"", &[member], b""))).unwrap();
        assert_eq!(reader.is_seekable("x").unwrap(), is_used, "{chunk}");
        assert_eq!(reader.chunks("x").unwrap().is_some(), is_used, "{chunk}");
        assert!(reader.check_index("x").unwrap());
    }
}

/// Guards against a chunk that seems to end as chunks do, and has one bit left over: with it, the next begins with another block.
#[test]
fn an_index_that_shows_other_values_is_wrong() {
    const START: &[u8] = b"\x04\xe0\x81\x92\x24\x49\x92\x24\xc9\x7e\x1b\x12\x8b\x9a\x47\x56\xcf\xde\xfb\xff\xbf\x79\x58\x05";
    let first = [START, &[0; 511], &[0xff; 2]].concat();
    let last = [&b"\x11\xa0\x0f\x5f\xf0"[..], &[0x51; 3966], &[0; 34]].concat();
    // These are the bytes from the start. By the index, the last 4000 are those of a stored block.
    let values = [&[66; 4][..], &[65; 4123], &[195, 208, 76], &[36; 3965], &[32]].concat();
    let member = with_index(
        b"x.npy",
        b".x.npy.sozip.idx",
        &values,
        [&first[..], &last].concat(),
        &[first.len() as u64],
        4096,
    );
    let reader = Reader::new(Cursor::new(archive(b"", &[member], b""))).unwrap();
    assert!(reader.read_bytes("x").unwrap() == values);
    assert!(reader.is_seekable("x").unwrap());
    assert!(!reader.check_index("x").unwrap());
}

/// Guards that an index can be wrong and the member is still read, unless its bytes are damaged: this is an error then.
#[test]
fn a_slice_of_a_damaged_member_is_an_error() {
    let values = squares(50_000);
    let member = foreign(b"x.npy", b".x.npy.sozip.idx", &values, 7000);
    let position =
        member.data.windows(8).rposition(|bytes| bytes == 7010u64.to_le_bytes()).unwrap();
    // The header of a stored block in the third chunk.
    let damaged_at = 2 * 7010 + 1;
    for (wrong_index, damaged) in [(true, false), (false, true), (true, true)] {
        let mut member = member.clone();
        if wrong_index {
            member.data[position] ^= 1;
            let start = member.data.windows(4).rposition(|four| four == b"PK\x03\x04").unwrap();
            let index = member.data[start + 30 + 16..].to_vec();
            member.data[start + 14..start + 18].copy_from_slice(&crc(&index).to_le_bytes());
        }
        if damaged {
            member.data[damaged_at] ^= 1;
        }
        let file = Cursor::new(archive(b"", &[member], b""));
        let (length, count) = (file.get_ref().len(), Rc::new(Cell::new(0)));
        let reader = Reader::new(Counted(file, Rc::clone(&count))).unwrap();
        assert!(reader.is_seekable("x").unwrap());
        assert!(!reader.check_index("x").unwrap());
        let mut array = reader.member("x").unwrap();
        array.seek_to(14_000).unwrap();
        let mut found = Vec::new();
        let read = array.read_chunk::<u8>(&mut found, 500);
        if damaged {
            let error = read.unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Archive { .. }), "{error}");
            assert!(error.to_string().contains("member \"x\""), "{error}");
        } else {
            read.unwrap();
            assert!(found == values[14_000..14_500]);
        }
        array.seek_to(7100).unwrap();
        let mut found = Vec::new();
        match array.read_chunk::<u8>(&mut found, 10) {
            Ok(_) => assert!(found == values[7100..7110]),
            Err(_) => assert!(damaged && wrong_index),
        }
        // An index that was wrong is not used again.
        let before = count.get();
        if !damaged {
            array.seek_to(7000).unwrap();
            array.read_chunk::<u8>(&mut found, 10).unwrap();
            assert!(count.get() - before <= length, "{} bytes", count.get() - before);
        }
    }
}

/// Guards members of NumPy and of other tools, which have no index.
#[test]
fn a_member_without_an_index_is_inflated_up_to_the_row() {
    let values = squares(200_000);
    let file = npy(&values);
    let plain = Raw::of("x.npy", &file).deflated();
    let mut random = Random::new(12);
    let members =
        [plain.clone(), Raw { descriptor: true, ..plain.clone() }, Raw { zip64: true, ..plain }];
    for member in members {
        let reader = Reader::new(Cursor::new(archive(b"", &[member], b""))).unwrap();
        assert!(!reader.is_seekable("x").unwrap());
        check_slices(&reader, "x", &values, &mut random, "without an index");
    }
    let unknown = Raw { method: 99, ..Raw::of("x.npy", b"any") };
    let reader = Reader::new(Cursor::new(archive(b"", &[unknown], b""))).unwrap();
    let error = reader.is_seekable("x").unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unsupported { .. }), "{error}");
}

/// Guards that bytes which were read ahead are not inflated again, from the start, when a few rows are skipped.
#[test]
fn a_seek_within_what_was_read_ahead_moves_nothing() {
    let values = squares(1 << 20);
    let count = Rc::new(Cell::new(0));
    let file = written(&deflate(1, 0), &values);
    let length = file.len();
    let reader = Reader::new(Counted(Cursor::new(file), Rc::clone(&count))).unwrap();
    let mut member = reader.member("x").unwrap();
    let mut found = Vec::new();
    for at in (0..values.len() - 10).step_by(997) {
        member.seek_to(at).unwrap();
        found.clear();
        member.read_chunk::<u8>(&mut found, 10).unwrap();
        assert!(found == values[at..at + 10]);
    }
    assert!(count.get() < 2 * length, "{} of {length}", count.get());
}

/// Guards several threads that inflate one member: they read what one thread reads, of each dtype and order, with chunks of any size.
#[test]
fn several_threads_read_what_one_thread_reads() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npz");
    let values = squares(5 << 19);
    let dtypes = [
        "|u1",
        "<i2",
        ">f4",
        "<c16",
        "|S12",
        "<U3",
        "<M8[ms]",
        "[('a', '<f4'), ('b', '|u1', (3,)), ('c', '>i8')]",
    ];
    for (every, order) in [(4096, Order::Fortran), (1 << 20, Order::C), (0, Order::C)] {
        let mut arrays = Vec::new();
        let mut writer = deflate(1, every).threads(2).create(&path).unwrap();
        for name in dtypes {
            let dtype: DType = name.parse().unwrap();
            let shape = [values.len() / dtype.itemsize() / 3, 3];
            let bytes = values[..shape[0] * 3 * dtype.itemsize()].to_vec();
            let array = DynArray::new(dtype, shape, order, bytes).unwrap();
            writer.write(name, &array).unwrap();
            arrays.push((name, array));
        }
        writer.finish().unwrap();
        let one = Reader::open(&path).unwrap();
        let threads: &[usize] = if npy_tests::is_thorough() { &[2, 3, 20] } else { &[3] };
        for &threads in threads {
            let reader = ReadOptions::new().threads(threads).open(&path).unwrap();
            for (name, array) in &arrays {
                assert!(reader.read::<DynArray>(name).unwrap() == *array, "{name}, {threads}");
                let (found, expected) = (reader.read_bytes(name), one.read_bytes(name));
                assert!(found.unwrap() == expected.unwrap(), "{name}, {threads}");
            }
            let all = reader.read_all().unwrap();
            assert!(all.iter().map(|(_, array)| array).eq(arrays.iter().map(|(_, array)| array)));
        }
    }
}

/// Guards that threads are used, and the memory that they take: more than a chunk, and at most 8 MiB each.
#[test]
fn each_thread_takes_at_most_eight_mib() {
    const SIZE: usize = 24 << 20;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npz");
    let mut random = Random::new(12);
    let values: Vec<u8> = (0..SIZE).map(|_| random.byte()).collect();
    let mut writer = deflate(1, 1 << 20).create(&path).unwrap();
    writer.write("x", &values).unwrap();
    writer.finish().unwrap();
    for (threads, more) in [(1, 0..2), (2, 2..18)] {
        let reader = ReadOptions::new().threads(threads).open(&path).unwrap();
        let (found, memory) = peak(|| reader.read::<Vec<u8>>("x").unwrap());
        assert!(found == values);
        assert!(more.contains(&((memory - SIZE) >> 20)), "{threads}: {memory}");
    }
}

/// Guards an index that is wrong, and damage: several threads read, or report, what one does.
#[test]
fn threads_do_not_trust_an_index() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npz");
    // With two threads, the last chunks are inflated after the first ones were read.
    let values = squares(18 << 20);
    let member = || foreign(b"x.npy", b".x.npy.sozip.idx", &values, 1 << 20);
    let header = usize::try_from(member().compressed).unwrap();
    let index = header + 30 + b".x.npy.sozip.idx".len();
    let read = |threads: usize| {
        let reader = ReadOptions::new().threads(threads).open(&path).unwrap();
        (reader.is_seekable("x").unwrap(), reader.read::<Vec<u8>>("x"))
    };
    // One of the positions is wrong.
    let places = [100, 1 << 20, 17 << 20, header - 1, 0, 1];
    let (positions, places) = if npy_tests::is_thorough() {
        (&[0, 8, 17][..], &places[..])
    } else {
        (&[17][..], &places[2..4])
    };
    for position in positions {
        let mut wrong = member();
        wrong.data[index + 32 + 8 * position] ^= 1;
        let sum = crc(&wrong.data[index..]).to_le_bytes();
        wrong.data[header + 14..header + 18].copy_from_slice(&sum);
        fs::write(&path, archive(b"", &[wrong], b"")).unwrap();
        let (is_seekable, found) = read(2);
        assert!(is_seekable && found.unwrap() == values, "{position}");
    }
    // A byte of the data is wrong, or the structure of the deflated bytes.
    for &at in places {
        let mut wrong = member();
        wrong.data[at] ^= 4;
        fs::write(&path, archive(b"", &[wrong], b"")).unwrap();
        let errors = [1, 2].map(|threads| read(threads).1.unwrap_err().to_string());
        assert_eq!(errors[0], errors[1], "{at}");
    }
}
