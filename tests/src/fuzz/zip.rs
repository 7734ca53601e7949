//! Any bytes as an archive, whatever its members contain: it is refused, or each member is read within the limits; what could be read is
//! written and copied, and read back equal.

use std::io::{Cursor, Read, Write};

use npy_zip::{Compression, Directory, Editor, Limits, Writer};

/// A name, and the bytes of the member if it can be read.
type Member = (String, Option<Vec<u8>>);

/// A low limit: by default a file of a few KiB may inflate to a thousand times its size, for each member.
const LIMITS: Limits = Limits { members: 1 << 20, inflated_bytes: 1 << 20, inflation: 1100 };

/// The size of the smallest entry.
const ENTRY: usize = 46;

pub(super) fn run(input: &[u8]) {
    let file = Directory::of_file(Cursor::new(input), &LIMITS);
    let Ok(directory) = Directory::read(Cursor::new(input), &LIMITS) else {
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
        let opened = directory.member(entry, Cursor::new(file), &LIMITS);
        let range = directory.stored_range(entry, &mut Cursor::new(file), &LIMITS);
        // Compressed data may begin with a header of its own.
        assert!(opened.is_err() || range.is_ok());
        let done = opened.is_ok_and(|mut member| member.read_to_end(&mut bytes).is_ok());
        let limit = if entry.is_compressed() { 1 << 20 } else { file.len() };
        assert!(bytes.len() <= limit, "a member within its limit");
        if done {
            assert_eq!(u64::try_from(bytes.len()), Ok(entry.size()));
            if let Some(range) = range.expect("it was opened") {
                let at = |position| usize::try_from(position).expect("a position in memory");
                assert_eq!(bytes, file[at(range.start)..at(range.end)]);
            }
        }
        members.push((entry.name().to_owned(), done.then_some(bytes)));
    }
    members
}

fn reopened(file: &[u8]) -> Vec<Member> {
    let directory = Directory::of_file(Cursor::new(file), &LIMITS).expect("what was written");
    read(&directory, file)
}

/// Writes the members that could be read, in all ways, and reads them back.
fn written(members: &[Member]) {
    let can_be_read = |(name, bytes): &Member| npy_zip::check_name(name).is_ok() && bytes.is_some();
    let members: Vec<Member> = members.iter().filter(|it| can_be_read(it)).cloned().collect();
    for compression in [Compression::stored(), Compression::deflate(1, 1)] {
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
        && editor.rename(name, "another")
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
