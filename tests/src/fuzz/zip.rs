//! Any bytes as an archive, whatever its members contain: it is refused, or each member is read within the limits, whole and from any position;
//! what could be read is written and copied, and read back equal. Also any bytes as a seek index.

use std::io::{Cursor, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, LazyLock};

use npy_zip::{Compression, Directory, Editor, Entry, Handle, Limits, Source, Writer};

use crate::zips::crc;

/// A name, and the bytes of the member if it can be read.
type Member = (String, Option<Vec<u8>>);

/// A low limit: by default a file of a few KiB may inflate to a thousand times its size, for each member.
fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.inflated_bytes = 1 << 20;
    limits
}

/// The size of the smallest entry.
const ENTRY: usize = 46;

pub(super) fn run(input: &[u8]) {
    by_index(input);
    by_threads(input);
    let file = Directory::of_file(Cursor::new(input), &limits());
    let Ok(directory) = Directory::read(Cursor::new(input), &limits()) else {
        assert!(file.is_err(), "less is required of a stream");
        return;
    };
    let count = directory.entries().len() + directory.shadowed();
    assert!(count * ENTRY <= input.len(), "more members than entries");
    assert_eq!(file.is_ok(), input.starts_with(b"PK\x03\x04") || input.starts_with(b"PK\x05\x06"));
    let members = read(&directory, input);
    written(&members);
    copied(&directory, input, &members);
}

/// Reads all members.
fn read(directory: &Directory, file: &[u8]) -> Vec<Member> {
    let mut members = Vec::new();
    for (index, entry) in directory.entries().iter().enumerate() {
        assert_eq!(directory.index(entry.name()), Some(index));
        let mut bytes = Vec::new();
        let opened = directory.member(entry, Cursor::new(file), &limits());
        let range = directory.stored_range(entry, &mut Cursor::new(file), &limits());
        // Compressed data may begin with a header of its own.
        assert!(opened.is_err() || range.is_ok());
        let done = opened.is_ok_and(|mut member| member.read_to_end(&mut bytes).is_ok());
        let limit = if entry.is_compressed() { 1 << 20 } else { file.len() };
        assert!(bytes.len() <= limit, "a member within its limit");
        if done {
            assert_eq!(u64::try_from(bytes.len()), Ok(entry.size()));
            sliced(directory, entry, file, &bytes);
            if let Some(range) = range.expect("it was opened") {
                let at = |position| usize::try_from(position).expect("a position in memory");
                assert_eq!(bytes, file[at(range.start)..at(range.end)]);
            }
        }
        members.push((entry.name().to_owned(), done.then_some(bytes)));
    }
    members
}

/// Reads a member that could be read from some positions on.
fn sliced(directory: &Directory, entry: &Entry, file: &[u8], bytes: &[u8]) {
    let mut member = directory.member(entry, Cursor::new(file), &limits()).expect("it was opened");
    for at in [bytes.len() / 2, bytes.len().saturating_sub(1), 1, bytes.len()] {
        // A member that is not deflated does not go back.
        if member.seek(SeekFrom::Start(at as u64)).is_err() {
            continue;
        }
        let mut found = vec![0; bytes.len().saturating_sub(at).min(100)];
        member.read_exact(&mut found).expect("it was read");
        assert_eq!(found, bytes[at..at + found.len()]);
    }
}

/// Returns a member of `size` bytes, and an archive of it with an index of four chunks.
fn indexed(size: usize, every: u64) -> (Vec<u8>, Vec<u8>) {
    let bytes: Vec<u8> = (0..size).map(|n| (n * n).to_le_bytes()[1] & 7).collect();
    let compression = Compression::deflate(1, 1).seek_every(every);
    let mut writer = Writer::seekable(Cursor::new(Vec::new()), compression).expect("memory");
    write(&mut writer, "x", &bytes);
    let file = writer.finish().expect("memory takes it").into_inner();
    (bytes, file)
}

/// Changes the index as the input says, with the right checksum. Returns true if it still has the checksums of the chunks.
fn forge(file: &mut [u8], input: &[u8]) -> bool {
    let name = b".x.sozip.idx";
    let named = file.windows(name.len()).rposition(|part| part == name).expect("an index");
    let (start, header) = (named + name.len(), named - 30);
    // The head, the checksums of four chunks, and three positions.
    let index = &mut file[start..start + 32 + 24 + 24];
    for change in input.chunks_exact(2).take(8) {
        index[usize::from(change[0]) % (32 + 24 + 24)] = change[1];
    }
    let is_checked = index[4..8] == [24, 0, 0, 0] && index[32..40] == *b"chunkcrc";
    let sum = crc(index).to_le_bytes();
    file[header + 14..header + 18].copy_from_slice(&sum);
    is_checked
}

/// Whatever an index says, the member is read; slices and chunks are right as long as the index has the checksums of the chunks, or if it was
/// compared with the member, and otherwise of the right length, or errors.
fn by_index(input: &[u8]) {
    let (bytes, mut file) = indexed(3 * 4096 + 10, 4096);
    let is_checked = forge(&mut file, input);
    let directory = Directory::of_file(Cursor::new(&file), &limits()).expect("what was written");
    let entry = directory.find("x").expect("its member");
    let open = || directory.member(entry, Cursor::new(&file), &limits()).expect("a member");
    let is_right = open().check_index().expect("memory");
    if is_checked || is_right {
        sliced(&directory, entry, &file, &bytes);
    }
    let chunks = directory.chunks(entry, &mut Cursor::new(&file), &limits()).expect("a member");
    for chunk in chunks.iter().flat_map(|chunks| chunks.iter()) {
        let at = |position| usize::try_from(position).expect("a position in memory");
        let compressed = &file[at(chunk.range.start)..at(chunk.range.end)];
        if let Ok(found) = chunk.inflate(compressed) {
            let expected = &bytes[at(chunk.position)..][..chunk.size];
            assert!(found.len() == chunk.size && (found == expected || !is_checked));
        } else {
            assert!(!is_right, "a chunk that was compared");
        }
    }
    let mut member = open();
    for at in [4096u64, 9000, 3 * 4096] {
        member.seek(SeekFrom::Start(at)).expect("it is deflated");
        let mut found = [0; 10];
        member.read_exact(&mut found).expect("the member is right");
    }
    member.rewind().expect("it is deflated");
    let mut found = Vec::new();
    member.read_to_end(&mut found).expect("the member is right");
    assert!(found == bytes);
}

/// As [`by_index`], with two threads. They need a member of more than 2 MiB, so this is for a few inputs only.
fn by_threads(input: &[u8]) {
    if input.first().is_none_or(|first| first % 32 != 0) {
        return;
    }
    const SIZE: usize = (3 << 20) + 10;
    static ARCHIVE: LazyLock<(Vec<u8>, Vec<u8>)> = LazyLock::new(|| indexed(SIZE, 1 << 20));
    let (bytes, archive) = &*ARCHIVE;
    let mut archive = archive.clone();
    forge(&mut archive, &input[1..]);
    let mut file = tempfile::tempfile().expect("a directory for files");
    file.write_all(&archive).expect("space");
    let source = Arc::new(Source::file(file));
    let mut limits = limits();
    limits.inflated_bytes = 4 << 20;
    let directory = Directory::of_file(Handle::new(&source), &limits).expect("what was written");
    let entry = directory.find("x").expect("its member");
    let mut member = directory.member_on_threads(entry, &source, &limits, 2).expect("a member");
    let mut found = Vec::new();
    member.read_to_end(&mut found).expect("the member is right");
    assert!(found == *bytes);
}

fn reopened(file: &[u8]) -> Vec<Member> {
    let directory = Directory::of_file(Cursor::new(file), &limits()).expect("what was written");
    read(&directory, file)
}

/// Writes the members that could be read, in all ways, and reads them back.
fn written(members: &[Member]) {
    let can_be_read = |(name, bytes): &Member| npy_zip::check_name(name).is_ok() && bytes.is_some();
    let members: Vec<Member> = members.iter().filter(|it| can_be_read(it)).cloned().collect();
    let deflate = Compression::deflate(1, 1);
    for compression in [Compression::stored(), deflate, deflate.seek_every(4096)] {
        let mut seekable = Writer::seekable(Cursor::new(Vec::new()), compression).expect("memory");
        let mut stream = Writer::stream(Vec::new(), compression);
        for (name, bytes) in &members {
            let bytes = bytes.as_deref().unwrap_or_default();
            write(&mut seekable, name, bytes);
            write(&mut stream, name, bytes);
        }
        let file = seekable.finish().expect("memory takes it").into_inner();
        assert_eq!(reopened(&file), members);
        let file = stream.finish().expect("memory takes it");
        assert_eq!(reopened(&file), members);
    }
}

fn write<W: Write>(writer: &mut Writer<W>, name: &str, bytes: &[u8]) {
    let added = writer.add(name, |member| {
        member.begin(bytes.len() as u64)?;
        member.write_all(bytes)
    });
    added.expect("memory takes it");
}

/// Copies all members to a new archive, with another name for the first.
fn copied(directory: &Directory, file: &[u8], members: &[Member]) {
    let Ok(central) = directory.central(Cursor::new(file)) else { return };
    let spool = || Cursor::new(Vec::new());
    let stored = Compression::stored();
    let mut editor = Editor::new(directory, &central, stored, spool(), spool()).expect("as read");
    assert!(editor.names().eq(members.iter().map(|(name, _)| name.as_str())));
    let mut expected = members.to_vec();
    if let Some((name, _)) = expected.first_mut()
        && editor.rename(name, "another").expect("a member can have this name")
    {
        "another".clone_into(name);
    }
    let new = Writer::seekable(spool(), stored).expect("memory takes it");
    let Ok(new) = editor.finish(directory, &central, &mut Cursor::new(file), new) else { return };
    let new = new.finish().expect("memory takes it").into_inner();
    for ((name, bytes), (expected_name, expected)) in reopened(&new).into_iter().zip(expected) {
        assert_eq!(name, expected_name);
        assert!(expected.is_none() || bytes == expected, "{name}");
    }
}
