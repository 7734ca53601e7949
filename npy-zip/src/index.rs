//! Seek indexes: where a reader may start to inflate a member.
//!
//! The format is SOZip 0.5.0. An index is hidden after its member: it has the header of a member, and no entry in the directory. Other tools may
//! leave anything there, and a writer may lie, so whatever is not a correct index is as none. An index of ours has a checksum for each chunk,
//! where other readers skip bytes, and these checksums must combine to that of the member.

use std::io::{Read, Seek};
use std::ops::{Range, RangeInclusive};

use crate::checked;
use crate::checksum::{Checksum, Combined};
use crate::chunks::{CHECKSUM_SIZE, Chunk, Chunks, Layout};
use crate::directory::{Entry, read_at};
use crate::error::{Result, to_u64, to_usize};
use crate::records::{Common, LocalHeader, Part, SeekIndex};

/// The end of the name of an index.
const SUFFIX: &str = ".sozip.idx";

/// The number of bytes by which the name of an index is longer than that of the member: a dot and the suffix.
const LONGER: usize = 1 + SUFFIX.len();

/// The smallest and the largest chunk that is used. Each takes memory that a file of many small ones does not have, and is inflated as a whole
/// before a byte of it is returned.
const USED_CHUNKS: RangeInclusive<u64> = 512..=4 << 20;

/// Returns the name of a member's index: the file has a dot before it, and the suffix after it.
pub(crate) fn name_of(member: &str) -> String {
    match member.rsplit_once('/') {
        Some((directory, file)) => format!("{directory}/.{file}{SUFFIX}"),
        None => format!(".{member}{SUFFIX}"),
    }
}

/// Returns true if this is the name of the member's index. The dot may be before any part of the path: GDAL writes `a/.b/c` for `a/b/c`.
fn is_name(name: &[u8], member: &[u8]) -> bool {
    let Some(dotted) = name.strip_suffix(SUFFIX.as_bytes()) else { return false };
    if dotted.len().checked_sub(1) != Some(member.len()) {
        return false;
    }
    let equal = |(a, b): &(&u8, &u8)| a == b;
    let before = dotted.iter().zip(member).take_while(equal).count();
    let after = dotted.iter().rev().zip(member.iter().rev()).take_while(equal).count();
    let starts_part = |at: usize| match at.checked_sub(1) {
        None => true,
        Some(last) => member.get(last) == Some(&b'/'),
    };
    (checked::sub(member.len(), after)..=before)
        .any(|at| dotted.get(at) == Some(&b'.') && starts_part(at))
}

/// A deflated member with bytes after it, in which its index may be.
#[derive(Clone)]
pub(crate) struct Gap {
    /// The compressed bytes in the file.
    data: Range<u64>,
    /// The position of the next member or of the directory.
    end: u64,
    /// True if there is a descriptor directly after the data.
    has_descriptor: bool,
    /// The name of the member in its headers.
    name: Box<[u8]>,
    size: u64,
    crc: u32,
}

impl Gap {
    /// Returns the bytes after a member whose compressed bytes are at `data`, up to `end`; `None` if no index fits there, or the member is
    /// not deflated.
    pub(crate) fn new(entry: &Entry, data: &Range<u64>, end: u64) -> Option<Self> {
        let name = entry.raw_name();
        const REST: usize = LocalHeader::SIZE + LONGER + SeekIndex::SIZE;
        let fits = end.checked_sub(data.end)? >= to_u64(checked::add(name.len(), REST));
        let is_plain = entry.flags & (Common::PATCHED | Common::ENCRYPTED) == 0;
        (fits && is_plain && entry.is_deflated()).then(|| Gap {
            data: data.clone(),
            end,
            has_descriptor: entry.flags & Common::STREAMED != 0,
            name: name.into(),
            size: entry.size,
            crc: entry.crc,
        })
    }

    /// Reads the index and checks it; `None` if there is no correct one, or its chunks have a size that is not used.
    pub(crate) fn find(&self, reader: &mut (impl Read + Seek)) -> Result<Option<Index>> {
        Ok(match self.look(reader)? {
            Found::Index(index) if USED_CHUNKS.contains(&index.layout.chunk) => Some(index),
            _ => None,
        })
    }

    /// Reads the index, and checks all but its positions.
    pub(crate) fn look(&self, reader: &mut (impl Read + Seek)) -> Result<Found> {
        let Some(start) = self.start(reader)? else { return Ok(Found::Nothing) };
        let name_size = checked::add(self.name.len(), LONGER);
        let header = read_at(reader, start, checked::add(LocalHeader::SIZE, name_size))?;
        let Some((LocalHeader { common }, name)) = LocalHeader::split_from(&header) else {
            return Ok(Found::Nothing);
        };
        if usize::from(common.name_length) != name_size || !is_name(name, &self.name) {
            return Ok(Found::Nothing);
        }
        let is_index = common.method == Common::STORED
            && common.flags & (Common::PATCHED | Common::ENCRYPTED | Common::STREAMED) == 0
            && common.compressed == common.size;
        let end_of_name = start.checked_add(to_u64(header.len()));
        let payload = end_of_name.and_then(|end| end.checked_add(common.extra_length.into()));
        let end = payload.and_then(|payload| payload.checked_add(common.size.into()));
        let (Some(payload), Some(end)) = (payload, end) else { return Ok(Found::Wrong) };
        if !is_index || end > self.end {
            return Ok(Found::Wrong);
        }
        let described = self.describe(Record { start, payload, end }, reader)?;
        Ok(match described {
            Some(index) if self.is_right(&index, common.crc, reader)? => Found::Index(index),
            _ => Found::Wrong,
        })
    }

    /// Returns the position of the index: after the data, or after the descriptor, which has one of four sizes.
    fn start(&self, reader: &mut (impl Read + Seek)) -> Result<Option<u64>> {
        const DESCRIPTORS: [usize; 4] = [12, 16, 20, 24];
        if !self.has_descriptor {
            return Ok(Some(self.data.end));
        }
        const LONGEST: usize = 24 + LocalHeader::SIGNATURE.len();
        let bytes = read_at(reader, self.data.end, LONGEST)?;
        let is_header = |&size: &usize| {
            bytes.get(size..).is_some_and(|rest| rest.starts_with(LocalHeader::SIGNATURE))
        };
        let size = DESCRIPTORS.into_iter().find(is_header);
        Ok(size.and_then(|size| self.data.end.checked_add(to_u64(size))))
    }

    /// Reads the start of the index at these positions; `None` if it does not describe the member.
    fn describe(&self, record: Record, reader: &mut (impl Read + Seek)) -> Result<Option<Index>> {
        const MAGIC: usize = SeekIndex::SIZE + SeekIndex::CHECKSUMS.len();
        let start = read_at(reader, record.payload, MAGIC)?;
        let Some((head, after)) = SeekIndex::split_from(&start) else { return Ok(None) };
        let compressed = checked::sub(self.data.end, self.data.start);
        let (chunk, position_size) = (u64::from(head.chunk), u64::from(head.position_size));
        let is_known = head.version == SeekIndex::VERSION && matches!(position_size, 4 | 8);
        let is_of_member = head.size == self.size && head.compressed == compressed;
        if !is_known || !is_of_member || chunk == 0 || self.size <= chunk {
            return Ok(None);
        }
        let chunks = self.size.div_ceil(chunk);
        let skipped = u64::from(head.skipped);
        let positions = record
            .payload
            .checked_add(to_u64(SeekIndex::SIZE))
            .and_then(|end| end.checked_add(skipped));
        let positions_size = checked::sub(chunks, 1).checked_mul(position_size);
        let (Some(positions), Some(positions_size)) = (positions, positions_size) else {
            return Ok(None);
        };
        if positions.checked_add(positions_size) != Some(record.end) {
            return Ok(None);
        }
        let has_checksums =
            SeekIndex::checksums_size(chunks) == Some(skipped) && after == SeekIndex::CHECKSUMS;
        let (size, data) = (self.size, self.data.clone());
        Ok(Some(Index {
            layout: Layout { chunk, count: chunks, size, data, position_size },
            positions,
            checksums: has_checksums.then(|| checked::add(record.payload, to_u64(MAGIC))),
            record,
        }))
    }

    /// Returns true if the index has this checksum, and those of its chunks combine to that of the member.
    fn is_right(&self, index: &Index, crc: u32, reader: &mut (impl Read + Seek)) -> Result<bool> {
        /// A multiple of the size of a checksum.
        const PIECE: usize = 64 << 10;
        let Record { payload, end, .. } = index.record;
        let layout = &index.layout;
        let (mut sum, mut combined) = (Checksum::new(), Combined::new(layout.chunk));
        let (mut at, mut chunk) = (payload, 0);
        while at < end {
            let size = usize::try_from(checked::sub(end, at)).unwrap_or(PIECE).min(PIECE);
            let piece = read_at(reader, at, size)?;
            if piece.len() < size {
                return Ok(false);
            }
            sum.update(&piece);
            if let Some(checksums) = index.checksums {
                let before = usize::try_from(checksums.saturating_sub(at)).unwrap_or(size);
                for word in piece.get(before..).unwrap_or_default().chunks_exact(4) {
                    if let Some((checksum, _)) = u32::split_from(word)
                        && chunk < layout.count
                    {
                        combined.add(checksum, layout.size_of(chunk));
                        chunk = checked::add(chunk, 1);
                    }
                }
            }
            at = checked::add(at, to_u64(size));
        }
        let is_of_member = index.checksums.is_none() || combined.value == self.crc;
        Ok(sum.value() == crc && is_of_member)
    }
}

/// The bytes after a member.
pub(crate) enum Found {
    /// No index.
    Nothing,
    /// They have the name of its index, and are not a correct one.
    Wrong,
    Index(Index),
}

/// The index of a member. Its positions and checksums stay in the file.
pub(crate) struct Index {
    layout: Layout,
    /// The position in the file of the list of positions.
    positions: u64,
    /// The position in the file of the checksums.
    checksums: Option<u64>,
    pub(crate) record: Record,
}

/// The positions in the file of an index: of its header, its contents, and its end.
#[derive(Clone, Copy)]
pub(crate) struct Record {
    pub(crate) start: u64,
    pub(crate) payload: u64,
    pub(crate) end: u64,
}

impl Index {
    /// Finds the chunk with this byte of the member; `None` if the index cannot be correct.
    pub(crate) fn chunk(&self, at: u64, reader: &mut (impl Read + Seek)) -> Result<Option<Chunk>> {
        let number = at.checked_div(self.layout.chunk);
        let Some(number) = number.filter(|&number| number < self.layout.count) else {
            return Ok(None);
        };
        let chunks = self.chunks(number..checked::add(number, 1), reader)?;
        Ok(chunks.and_then(|chunks| chunks.get(0)))
    }

    /// Finds all chunks; `None` if the index cannot be correct.
    pub(crate) fn all(&self, reader: &mut (impl Read + Seek)) -> Result<Option<Chunks>> {
        self.chunks(0..self.layout.count, reader)
    }

    /// Finds the chunks of these numbers; there is at least one.
    fn chunks(
        &self,
        wanted: Range<u64>,
        reader: &mut (impl Read + Seek),
    ) -> Result<Option<Chunks>> {
        let positions = self.layout.positions(&wanted);
        let positions = read_list(reader, self.positions, positions, self.layout.position_size)?;
        let checksums = match self.checksums {
            Some(at) => Some(read_list(reader, at, wanted.clone(), CHECKSUM_SIZE)?),
            None => None,
        };
        Ok(Chunks::new(self.layout.clone(), wanted, positions, checksums))
    }
}

/// Reads the numbers at these indices of a list that begins at `position` of the file; each has `size` bytes. Returns fewer at the end of the file.
fn read_list(
    reader: &mut (impl Read + Seek),
    position: u64,
    indices: Range<u64>,
    size: u64,
) -> Result<Vec<u8>> {
    // All are within the index, whose size was checked.
    let start = checked::add(position, checked::mul(indices.start, size));
    let count = checked::sub(indices.end, indices.start);
    read_at(reader, start, to_usize(checked::mul(count, size))?)
}

#[cfg(test)]
mod tests {
    mod forged;

    use std::io::{Cursor, SeekFrom, Write};

    use super::*;
    use crate::records::CentralHeader;
    use crate::{Compression, Directory, Error, Limits, Member, Writer};

    const CHUNK: usize = 4096;
    const NAME: &str = "a/b/x.npy";

    fn bytes(size: usize) -> Vec<u8> {
        let value = |n: u32| n.wrapping_mul(0x9e37_79b9).to_be_bytes()[0] >> (n >> 12 & 7);
        (0..u32::try_from(size).unwrap()).map(value).collect()
    }

    /// Returns an archive of a member with an index, and another member.
    fn archive(size: usize, is_streamed: bool) -> Vec<u8> {
        fn fill<W: Write>(mut writer: Writer<W>, size: usize) -> W {
            for (name, size) in [(NAME, size), ("y", 10)] {
                let bytes = bytes(size);
                let add = |member: &mut crate::MemberWriter<'_, _>| {
                    member.begin(bytes.len() as u64)?;
                    member.write_all(&bytes)
                };
                writer.add(name, add).unwrap();
            }
            writer.finish().unwrap()
        }
        let compression = Compression::deflate(6, 1).seek_every(CHUNK as u64);
        match is_streamed {
            true => fill(Writer::stream(Vec::new(), compression), size),
            false => {
                let writer = Writer::seekable(Cursor::new(Vec::new()), compression).unwrap();
                fill(writer, size).into_inner()
            }
        }
    }

    fn find(file: &[u8]) -> Option<Index> {
        let mut file = Cursor::new(file);
        let limits = Limits::default();
        let directory = Directory::read(&mut file, &limits).unwrap();
        let entry = directory.find(NAME).unwrap();
        let data = directory.readable(entry, &mut file, &limits).unwrap();
        let found = directory.gap(entry, &data)?.find(&mut file).unwrap();
        assert_eq!(directory.is_seekable(entry, &mut file, &limits).unwrap(), found.is_some());
        found
    }

    fn open(file: &[u8]) -> Member<Cursor<&[u8]>> {
        let limits = Limits::default();
        let directory = Directory::read(Cursor::new(file), &limits).unwrap();
        directory.member(directory.find(NAME).unwrap(), Cursor::new(file), &limits).unwrap()
    }

    /// Reads some slices, each after a seek in a new member; each must be right.
    fn check_slices(file: &[u8], size: usize, what: &str) {
        let expected = bytes(size);
        let ends = [1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 3 * CHUNK + 5, size - 1, size];
        for start in ends.into_iter().filter(|&start| start <= size) {
            let mut member = open(file);
            member.seek(SeekFrom::Start(start as u64)).unwrap();
            let mut found = vec![0; (CHUNK + 20).min(size - start)];
            let read = member.read_exact(&mut found).map_err(Error::from);
            read.unwrap_or_else(|error| panic!("{what}: from {start}: {error}"));
            assert!(found == expected[start..start + found.len()], "{what}: from {start}");
        }
        let mut found = Vec::new();
        open(file).read_to_end(&mut found).unwrap();
        assert!(found == expected, "{what}");
    }

    /// Changes the contents of the index, whose checksum stays right.
    fn forged(file: &[u8], change: impl FnOnce(&mut [u8])) -> Vec<u8> {
        let Record { start, payload, end } = find(file).unwrap().record;
        let at = |position: u64| usize::try_from(position).unwrap();
        let mut file = file.to_vec();
        let contents = &mut file[at(payload)..at(end)];
        change(contents);
        let crc = crc32fast::hash(contents).to_le_bytes();
        file[at(start) + 14..at(start) + 18].copy_from_slice(&crc);
        file
    }

    #[test]
    fn names_have_a_dot_before_a_part() {
        assert_eq!(name_of("x.npy"), ".x.npy.sozip.idx");
        assert_eq!(name_of("a/b/x.npy"), "a/b/.x.npy.sozip.idx");
        for name in ["a/b/.x", "a/.b/x", ".a/b/x"] {
            assert!(is_name(format!("{name}.sozip.idx").as_bytes(), b"a/b/x"), "{name}");
        }
        for name in ["a./b/x", "a/b/x.", "a/b.x", "a/b/y", "a/b/.y", "./b/x", "a/b/x", ""] {
            assert!(!is_name(format!("{name}.sozip.idx").as_bytes(), b"a/b/x"), "{name}");
        }
        assert!(is_name(b"...x.sozip.idx", b"..x") && is_name(b".\x82.sozip.idx", b"\x82"));
        assert!(!is_name(b".x.sozip.id", b"x"));
    }

    /// Guards sizes around those of chunks, after a descriptor, too.
    #[test]
    fn members_of_more_than_one_chunk_have_an_index() {
        for is_streamed in [false, true] {
            for size in [1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK - 1, 2 * CHUNK, 10 * CHUNK + 3] {
                let file = archive(size, is_streamed);
                let index = find(&file);
                assert_eq!(index.is_some(), size > CHUNK, "{size}");
                if let Some(index) = index {
                    assert_eq!(index.layout.count, size.div_ceil(CHUNK) as u64);
                    assert!(index.checksums.is_some());
                }
                assert!(open(&file).check_index().unwrap());
                check_slices(&file, size, "ours");
            }
        }
    }

    /// Guards each check of an index: with one number wrong, it is as none, and the member is read.
    #[test]
    fn an_index_with_a_wrong_number_is_as_none() {
        const SIZE: usize = 5 * CHUNK + 100;
        let file = archive(SIZE, false);
        let end = find(&file).unwrap().record.end - find(&file).unwrap().record.payload;
        let positions = usize::try_from(end).unwrap() - 5 * 8;
        // The version, what is skipped, the chunk, the size of positions, both sizes, checksums.
        for at in [0, 4, 5, 7, 8, 9, 11, 12, 13, 16, 23, 24, 31, 40, 63] {
            for bit in [0, 3, 7] {
                let what = format!("byte {at}, bit {bit}");
                let wrong = forged(&file, |index| index[at] ^= 1 << bit);
                assert!(find(&wrong).is_none(), "{what}");
                assert!(!open(&wrong).check_index().unwrap(), "{what}");
                check_slices(&wrong, SIZE, &what);
            }
        }
        // Without this word, what is skipped says nothing.
        let other = forged(&file, |index| index[32] ^= 1);
        assert!(find(&other).unwrap().checksums.is_none());
        check_slices(&other, SIZE, "without checksums");
        // Two that are exchanged, and then do not combine to that of the member.
        let wrong = forged(&file, |index| index[40..48].rotate_left(4));
        assert!(find(&wrong).is_none());
        // All positions: bits, all zeros, all ones, descending, out of range.
        for at in positions..positions + 5 * 8 {
            for value in [0, 1, 0x7f, 0xff] {
                let wrong = forged(&file, |index| index[at] = value);
                check_slices(&wrong, SIZE, &format!("position, byte {at}: {value}"));
                assert_eq!(open(&wrong).check_index().unwrap(), wrong == file);
            }
        }
        for value in [0, 1, 100, u64::MAX / 2, u64::MAX] {
            let wrong = forged(&file, |index| {
                for position in index[positions..].chunks_mut(8) {
                    position.copy_from_slice(&value.to_le_bytes());
                }
            });
            check_slices(&wrong, SIZE, &format!("positions of {value}"));
        }
        let reversed = forged(&file, |index| {
            let mut all: Vec<_> = index[positions..].chunks(8).map(<[u8]>::to_vec).collect();
            all.reverse();
            index[positions..].copy_from_slice(&all.concat());
        });
        check_slices(&reversed, SIZE, "positions that descend");
    }

    /// Guards that no member begins within an index, and that the directory does not.
    #[test]
    fn an_index_ends_before_what_comes_next() {
        let file = archive(3 * CHUNK, false);
        let end = find(&file).unwrap().record.end;
        let directory = Directory::read(Cursor::new(&file), &Limits::default()).unwrap();
        let entry = directory.find(NAME).unwrap();
        let data = directory.readable(entry, &mut Cursor::new(&file), &Limits::default()).unwrap();
        for (next, is_found) in [(end, true), (end - 1, false), (data.end, false), (0, false)] {
            let gap = Gap::new(entry, &data, next);
            let found = gap.and_then(|gap| gap.find(&mut Cursor::new(&file)).unwrap());
            assert_eq!(found.is_some(), is_found, "{next}");
        }
    }

    /// Guards memory: of a chunk that claims more than its bytes can inflate to, none is taken.
    #[test]
    fn a_chunk_cannot_inflate_to_more_than_deflate_makes() {
        let file = archive(3 * CHUNK, false);
        for (position, is_found) in [(3, false), (4, true)] {
            let other = forged(&file, |index| {
                let first = index.len() - 2 * 8;
                index[first..first + 8].copy_from_slice(&u64::to_le_bytes(position));
            });
            let chunk = find(&other).unwrap().chunk(0, &mut Cursor::new(&other)).unwrap();
            assert_eq!(chunk.is_some(), is_found, "{position}");
        }
    }

    /// Guards chunks that are fetched by others: joined, they are the member, and other bytes than theirs are errors.
    #[test]
    fn chunks_are_the_member_and_other_bytes_are_errors() {
        const SIZE: usize = 3 * CHUNK + 100;
        let limits = Limits::default();
        let chunks_of = |file: &[u8]| {
            let mut file = Cursor::new(file);
            let directory = Directory::read(&mut file, &limits).unwrap();
            directory.chunks(directory.find(NAME).unwrap(), &mut file, &limits).unwrap()
        };
        for is_streamed in [false, true] {
            let file = archive(SIZE, is_streamed);
            let chunks: Vec<Chunk> = chunks_of(&file).unwrap().iter().collect();
            let compressed = |chunk: &Chunk| {
                let Range { start, end } = chunk.range.clone();
                file[usize::try_from(start).unwrap()..usize::try_from(end).unwrap()].to_vec()
            };
            let inflated: Vec<_> =
                chunks.iter().map(|chunk| chunk.inflate(&compressed(chunk)).unwrap()).collect();
            assert!(inflated.concat() == bytes(SIZE));
            for (chunk, other) in chunks.iter().zip(chunks.iter().skip(1)) {
                let error = chunk.inflate(&compressed(other)).unwrap_err();
                assert!(!matches!(error, Error::Io(_)), "{error}");
                let mut cut = compressed(chunk);
                cut.pop();
                let error = chunk.inflate(&cut).unwrap_err().to_string();
                assert!(error.contains("does not inflate to the 4096 bytes"), "{error}");
            }
        }
        let file = archive(SIZE, false);
        let descending = forged(&file, |index| {
            let last = index.len() - 8;
            index.copy_within(last - 16..last - 8, last);
        });
        assert!(find(&descending).is_some() && chunks_of(&descending).is_none());
        assert!(chunks_of(&archive(CHUNK, false)).is_none());
    }

    /// Guards the checksum of the member: after a seek to the start, all is read without the index.
    #[test]
    fn from_the_start_the_checksum_is_compared() {
        let file = archive(3 * CHUNK, false);
        let mut file = forged(&file, |index| index[32] ^= 1);
        let crc = crc32fast::hash(&bytes(3 * CHUNK)).to_le_bytes();
        let at = file.windows(4).rposition(|bytes| bytes == crc).unwrap();
        file[at] ^= 1;
        let mut member = open(&file);
        member.seek(SeekFrom::Start(5000)).unwrap();
        member.read_exact(&mut [0; 10]).unwrap();
        member.rewind().unwrap();
        let error = Error::from(member.read_to_end(&mut Vec::new()).unwrap_err());
        assert!(matches!(error, Error::Checksum { .. }), "{error}");
    }

    /// Guards the header of an index: each byte of it and of the contents, without another checksum.
    #[test]
    fn an_index_with_a_wrong_byte_is_as_none() {
        const SIZE: usize = 2 * CHUNK + 100;
        for is_streamed in [false, true] {
            let file = archive(SIZE, is_streamed);
            let record = find(&file).unwrap().record;
            for at in record.start..record.end {
                let mut wrong = file.clone();
                wrong[usize::try_from(at).unwrap()] ^= 0x10;
                // Nobody needs the version and the time in the header.
                let is_unused = matches!(at - record.start, 4..=5 | 6 | 7 | 10..=13);
                assert!(find(&wrong).is_none() || is_unused, "byte {}", at - record.start);
                check_slices(&wrong, SIZE, &format!("byte {}", at - record.start));
            }
        }
    }

    /// Guards that damage is an error or changes nothing in a slice, and never a wrong value: each chunk has a checksum.
    #[test]
    fn slices_of_damaged_members_are_right_or_errors() {
        const SIZE: usize = 3 * CHUNK + 100;
        let file = archive(SIZE, false);
        let expected = bytes(SIZE);
        let end = usize::try_from(find(&file).unwrap().record.start).unwrap();
        let mut errors = 0;
        for at in (60..end).step_by(7) {
            let mut damaged = file.clone();
            damaged[at] ^= 4;
            for start in [10, CHUNK + 10, 3 * CHUNK + 10] {
                let mut member = open(&damaged);
                member.seek(SeekFrom::Start(start as u64)).unwrap();
                let mut found = [0; 50];
                match member.read_exact(&mut found) {
                    Ok(()) => assert!(found == expected[start..start + 50], "{at}: {start}"),
                    Err(_) => errors += 1,
                }
            }
        }
        assert!(errors > 100, "{errors}");
    }

    /// Guards that an index which lies about the positions and is otherwise right does not hide the bytes that are there.
    #[test]
    fn checksums_of_chunks_that_lie_are_found() {
        const SIZE: usize = 2 * CHUNK;
        let file = archive(SIZE, false);
        // Both chunks changed so that the combined checksum stays right.
        let parts: Vec<u32> = bytes(SIZE).chunks(CHUNK).map(crc32fast::hash).collect();
        let mut combined = Combined::new(CHUNK as u64);
        combined.add(parts[0] ^ 1, CHUNK as u64);
        combined.add(parts[1], CHUNK as u64);
        let change = combined.value ^ crc32fast::hash(&bytes(SIZE));
        let wrong = forged(&file, |index| {
            index[40..44].copy_from_slice(&(parts[0] ^ 1).to_le_bytes());
            index[44..48].copy_from_slice(&(parts[1] ^ change).to_le_bytes());
        });
        assert!(find(&wrong).is_some());
        assert!(!open(&wrong).check_index().unwrap());
        check_slices(&wrong, SIZE, "checksums that lie");
    }

    /// Guards an index of other writers: positions of four bytes, nothing skipped or anything, extra fields, the name of GDAL.
    #[test]
    fn indexes_of_other_writers_are_used() {
        const SIZE: usize = 3 * CHUNK + 1;
        let file = archive(SIZE, false);
        let Record { start, payload, end } = find(&file).unwrap().record;
        let at = |position: u64| usize::try_from(position).unwrap();
        let contents = &file[at(payload)..at(end)];
        let positions = &contents[contents.len() - 3 * 8..];
        let (directory, _) = file.split_at(at(start));
        for (skipped, size) in [(0usize, 8usize), (3, 8), (0, 4), (32, 4)] {
            let mut index = contents[..32].to_vec();
            index[4..8].copy_from_slice(&u32::try_from(skipped).unwrap().to_le_bytes());
            index[12] = u8::try_from(size).unwrap();
            index.resize(32 + skipped, 7);
            positions.chunks(8).for_each(|position| index.extend(&position[..size]));
            let length = u32::try_from(index.len()).unwrap();
            let name = b"a/.b/x.npy.sozip.idx";
            let common = Common {
                crc: crc32fast::hash(&index),
                compressed: length,
                size: length,
                name_length: name.len().try_into().unwrap(),
                extra_length: 4,
                ..Common::default()
            };
            // The directory moves, and its last member, which is not looked at here, not with it.
            let end_record = file.len() - 22;
            let number = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
            let central = usize::try_from(number(end_record + 16)).unwrap();
            let mut other = directory.to_vec();
            LocalHeader { common }.append_to(&mut other);
            other.extend(name);
            other.extend([9, 9, 0, 0]);
            other.extend(index);
            let new_central = u32::try_from(other.len()).unwrap();
            let first = CentralHeader::split_from(&file[central..]).unwrap().0.entry_size();
            other.extend(&file[central..central + first]);
            let mut last = file[end_record..].to_vec();
            last[8] = 1;
            last[10] = 1;
            last[12..16].copy_from_slice(&u32::try_from(first).unwrap().to_le_bytes());
            last[16..20].copy_from_slice(&new_central.to_le_bytes());
            other.extend(last);
            let found = find(&other).unwrap_or_else(|| panic!("{skipped}, {size}"));
            assert_eq!((found.checksums, found.layout.position_size), (None, size as u64));
            check_slices(&other, SIZE, "of another writer");
        }
    }
}
