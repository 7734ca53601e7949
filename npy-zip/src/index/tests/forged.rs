//! Tests with indexes that others could have written: each field of them is checked.

use std::io::Cursor;

use super::super::*;
use crate::records::CentralHeader;

/// The number of compressed bytes before the index.
const COMPRESSED: usize = 500;

/// The parts of an index of two chunks, without checksums, and the member before it.
struct Forged {
    head: SeekIndex,
    /// The bytes that are skipped.
    skipped: Vec<u8>,
    /// The bytes of the list of positions.
    positions: usize,
    flags: u16,
    method: u16,
    /// The bytes of the index that the file does not have. The checksum is that of the others.
    missing: usize,
}

impl Forged {
    fn new() -> Self {
        let head = SeekIndex {
            version: SeekIndex::VERSION,
            skipped: 0,
            chunk: 4096,
            position_size: 8,
            size: 5000,
            compressed: COMPRESSED as u64,
        };
        let (skipped, method) = (Vec::new(), Common::STORED);
        Forged { head, skipped, positions: 8, flags: 0, method, missing: 0 }
    }

    fn of_chunks(chunk: u32, size: u64, positions: usize) -> Self {
        let mut forged = Forged::new();
        (forged.head.chunk, forged.head.size, forged.positions) = (chunk, size, positions * 8);
        forged
    }

    fn of_positions(size: u32, positions: usize) -> Self {
        let mut forged = Forged::new();
        (forged.head.position_size, forged.positions) = (size, positions);
        forged
    }

    fn skipping(skipped: &[u8]) -> Self {
        let mut forged = Forged { skipped: skipped.to_vec(), ..Forged::new() };
        forged.head.skipped = skipped.len().try_into().unwrap();
        forged
    }

    /// Writes the index, and finds it.
    fn find(&self) -> Option<Index> {
        let mut contents = self.head.to_bytes();
        contents.extend(&self.skipped);
        contents.resize(contents.len() + self.positions, 0);
        let length = u32::try_from(contents.len()).unwrap();
        contents.truncate(contents.len() - self.missing);
        let name = name_of("x");
        let common = Common {
            flags: self.flags,
            method: self.method,
            crc: crc32fast::hash(&contents),
            compressed: length,
            size: length,
            name_length: name.len().try_into().unwrap(),
            ..Common::default()
        };
        let mut file = vec![0; COMPRESSED];
        LocalHeader { common }.append_to(&mut file);
        file.extend(name.as_bytes());
        file.extend(contents);
        let gap = Gap {
            data: 0..COMPRESSED as u64,
            end: (file.len() + self.missing) as u64,
            has_descriptor: false,
            name: b"x".as_slice().into(),
            size: self.head.size,
            crc: 0,
        };
        gap.find(&mut Cursor::new(file)).unwrap()
    }
}

/// Guards each field of an index: with a number that cannot be, it is as none, though all others agree with it.
#[test]
fn each_field_of_an_index_is_checked() {
    let flags = |flags| Forged { flags, ..Forged::new() };
    const MAX: u32 = 4 << 20;
    for (forged, is_found, what) in [
        (Forged::new(), true, "all are right"),
        (flags(Common::UTF8), true, "a name in UTF-8"),
        (flags(Common::PATCHED), false, "patched"),
        (flags(Common::STREAMED), false, "sizes after it"),
        (flags(1), false, "encrypted"),
        (flags(1 << 6), false, "encrypted by another method"),
        (flags(1 << 13), false, "headers that are masked"),
        (Forged { method: Common::DEFLATED, ..Forged::new() }, false, "deflated"),
        (Forged::of_positions(4, 4), true, "positions of 4 bytes"),
        (Forged::of_positions(0, 0), false, "positions of no bytes"),
        (Forged::of_positions(2, 2), false, "positions of 2 bytes"),
        (Forged::of_positions(16, 16), false, "positions of 16 bytes"),
        (Forged::of_positions(8, 16), false, "a position too many"),
        (Forged::of_chunks(4999, 5000, 1), true, "a last chunk of a byte"),
        (Forged::of_chunks(5000, 5000, 0), false, "a chunk that is the member"),
        (Forged::of_chunks(u32::MAX, 5000, 0), false, "a chunk beyond the member"),
        (Forged::of_chunks(0, 5000, 0), false, "chunks of no bytes"),
        (Forged::of_chunks(512, 5000, 9), true, "the smallest chunks"),
        (Forged::of_chunks(511, 5000, 9), false, "smaller chunks"),
        (Forged::of_chunks(MAX, u64::from(MAX) + 2, 1), true, "the largest chunks"),
        (Forged::of_chunks(MAX + 1, u64::from(MAX) + 2, 1), false, "larger chunks"),
        (Forged { missing: 1, ..Forged::new() }, false, "a file that ends within it"),
    ] {
        assert_eq!(forged.find().is_some(), is_found, "{what}");
    }
}

/// Guards bytes of others that begin as checksums of ours, and are another number of bytes.
#[test]
fn checksums_are_read_if_each_chunk_has_one() {
    let skipping = |size: usize| {
        let mut skipped = SeekIndex::CHECKSUMS.to_vec();
        skipped.resize(size, 0);
        Forged::skipping(&skipped).find().map(|index| index.checksums.is_some())
    };
    for size in [8, 12, 15, 17, 24] {
        assert_eq!(skipping(size), Some(false), "{size}");
    }
    // These are of a member whose checksum is 0.
    assert_eq!(skipping(16), Some(true));
}

/// Guards that an index is looked for after deflated bytes only, and if it fits there.
#[test]
fn only_deflated_members_with_bytes_after_them_have_an_index() {
    const LEAST: u64 = 30 + 1 + 11 + 32;
    for (method, flags, bytes, is_some) in [
        (Common::DEFLATED, 0, LEAST, true),
        (Common::DEFLATED, 0, LEAST - 1, false),
        (Common::DEFLATED, Common::STREAMED | Common::UTF8, LEAST, true),
        (Common::DEFLATED, Common::PATCHED, LEAST, false),
        (Common::DEFLATED, 1, LEAST, false),
        (Common::DEFLATED, 1 << 6, LEAST, false),
        (Common::DEFLATED, 1 << 13, LEAST, false),
        (Common::STORED, 0, LEAST, false),
        (Common::BZIP2, 0, LEAST, false),
    ] {
        let common = Common { method, flags, name_length: 1, ..Common::default() };
        let mut header = CentralHeader { common, ..CentralHeader::default() }.to_bytes();
        header.push(b'x');
        let entry = Entry::read(&mut header.as_slice().take(1000), 0, 0).unwrap();
        let gap = Gap::new(&entry, &(10..20), 20 + bytes);
        assert_eq!(gap.is_some(), is_some, "method {method}, flags {flags:#x}, {bytes} bytes");
        assert!(Gap::new(&entry, &(10..20), 19).is_none());
    }
}

/// Guards positions: a chunk ends within the compressed bytes of its member.
#[test]
fn a_chunk_ends_within_the_member() {
    let head = Forged::new().head;
    let layout = Layout {
        chunk: head.chunk.into(),
        count: 2,
        size: head.size,
        data: 10..10 + head.compressed,
        position_size: 8,
    };
    for (position, is_some) in [(499, true), (500, true), (501, false), (u64::MAX, false)] {
        let positions = position.to_bytes();
        let chunks = Chunks::new(layout.clone(), 0..1, positions, None);
        assert_eq!(chunks.is_some(), is_some, "{position}");
    }
}
