//! The members of an archive, and their positions.

mod central;
mod end;
mod entry;
mod names;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;

use super::name;
use super::records::{CentralHeader, Common, EndRecord, LocalHeader, Part};
use crate::error::{Error, ErrorKind, Result, formats};
use crate::limits::{Limits, to_u64};
pub(super) use central::Central;
use end::End;
pub(super) use entry::Entry;
pub use names::Names;

const TRUNCATED: &str = "its directory ends too early";

pub(super) fn malformed(reason: impl Into<String>) -> Error {
    ErrorKind::Archive { reason: reason.into() }.into()
}

/// Adds what to do to the error for a pipe.
pub(super) fn advised(error: Error, of_pipe: &str) -> Error {
    let reason = match error.kind() {
        ErrorKind::Io(error) if error.kind() == io::ErrorKind::NotSeekable => {
            format!("an archive needs a file that can seek, and this is a pipe: {of_pipe}")
        }
        _ => return error,
    };
    ErrorKind::Io(io::Error::new(io::ErrorKind::NotSeekable, reason)).into()
}

/// The error for an archive whose bytes are wrong.
pub(super) fn corrupt(reason: impl Display) -> Error {
    malformed(format!("{reason}; copy the file again, or write it again"))
}

/// The directory of an archive.
pub(super) struct Directory {
    /// The members in the order of the archive. If several have one name, only the last is here, at the index of the first.
    members: Vec<Entry>,
    by_name: BTreeMap<String, usize>,
    /// The positions in the file at which members start, sorted. Members that are not in `members` are included.
    starts: Vec<u64>,
    end: End,
}

impl Directory {
    /// Reads the directory of a file. As in NumPy, the file must begin with a member, or with the end record if there are no members.
    pub(super) fn of_file(mut file: impl Read + Seek, limits: &Limits) -> Result<Self> {
        let first = read_at(&mut file, 0, 4)?;
        if [b"", LocalHeader::SIGNATURE, EndRecord::SIGNATURE].contains(&&first[..]) {
            return Directory::read(file, limits);
        }
        Err(match Directory::read(&mut file, limits) {
            Ok(_) => other_start(&mut file),
            Err(_) => not_an_archive(&mut file),
        })
    }

    /// Reads the directory of an archive, which may have anything before it.
    pub(super) fn read(mut reader: impl Read + Seek, limits: &Limits) -> Result<Self> {
        let length = reader.seek(SeekFrom::End(0))?;
        if length == 0 {
            return Err(malformed("it is empty"));
        }
        let Some(end) = End::find(&mut reader, length, limits)? else {
            return Err(not_an_archive(&mut reader));
        };
        reader.seek(SeekFrom::Start(end.start))?;
        let mut directory = BufReader::new(reader).take(end.size);
        let mut members: Vec<Entry> = Vec::new();
        let mut by_name = BTreeMap::new();
        let mut starts = Vec::new();
        for _ in 0..end.count {
            let position = end.start.saturating_add(end.size.saturating_sub(directory.limit()));
            let member = Entry::read(&mut directory, position, end.before)?;
            starts.push(member.start);
            let index = *by_name.entry(member.name.clone()).or_insert(members.len());
            match members.get_mut(index) {
                Some(first) => *first = member,
                None => members.push(member),
            }
        }
        if directory.limit() > 0 {
            // Python reads entries until the directory ends, so it would find members that the count omits.
            let (left, count) = (directory.limit(), end.count);
            return Err(corrupt(format!(
                "its directory has {left} bytes after the {count} members that are stated"
            )));
        }
        starts.sort_unstable();
        Ok(Directory { members, by_name, starts, end })
    }

    /// Returns the number of members that are not found because a later one has the same name.
    pub(super) fn shadowed(&self) -> usize {
        self.starts.len().saturating_sub(self.members.len())
    }

    /// Iterates over the shortest names by which [`find`](Self::find) finds each member.
    pub(super) fn names(&self) -> Names<'_> {
        Names { of: self, from: self.members.iter() }
    }

    /// Returns the shortest name of this member.
    pub(super) fn shown_name<'d>(&self, member: &'d Entry) -> &'d str {
        self.shown(member.name.as_str())
    }

    /// Returns the name of a member without `.npy`, or unchanged if the archive also has a member of exactly the shorter name.
    fn shown<'n>(&self, name: &'n str) -> &'n str {
        let plain = name::plain(name);
        if self.by_name.contains_key(plain) { name } else { plain }
    }

    /// Iterates over the names of the members whose archive names have this prefix, sorted by archive name, without scanning the others.
    pub(super) fn names_with_prefix(&self, prefix: String) -> impl Iterator<Item = &str> {
        let names = self.by_name.range(prefix.clone()..).map(|(name, _)| name.as_str());
        names.take_while(move |name| name.starts_with(&prefix)).map(|name| self.shown(name))
    }

    /// Returns the index of the member of exactly this name or else, as in NumPy, of this name with `.npy` appended.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        let exact = self.by_name.get(name);
        exact.or_else(|| self.by_name.get(&format!("{name}.npy"))).copied()
    }

    /// Like [`find`](Self::find), with an error that lists the members.
    pub(super) fn member(&self, name: &str) -> Result<usize> {
        self.find(name).ok_or_else(|| {
            let members = name::list(self.names());
            ErrorKind::MissingMember { name: name::excerpt(name), members }.into()
        })
    }

    /// Returns the name of a member.
    pub(super) fn name(&self, index: usize) -> &str {
        self.members.get(index).map(|member| self.shown(&member.name)).unwrap_or_default()
    }

    /// Checks the entry and the header of a member, and seeks to its data. Returns the entry and the position of the data.
    pub(super) fn open(
        &self,
        index: usize,
        reader: &mut (impl Read + Seek),
        limits: &Limits,
    ) -> Result<(&Entry, u64)> {
        const PATCHED: u16 = 1 << 5;
        // Encryption, strong encryption, and masked headers.
        const ENCRYPTED: u16 = 1 | 1 << 6 | 1 << 13;
        let entry = self.entry(index)?;
        if entry.flags & PATCHED != 0 {
            return Err(unsupported("a member of patched data", "a tool that applies the patch"));
        }
        if entry.flags & ENCRYPTED != 0 {
            return Err(unsupported("an encrypted member", "a tool that decrypts it first"));
        }
        let &Entry { compressed, size, .. } = entry;
        match entry.method {
            _ if entry.compression().is_some() => limits.check_inflated(compressed, size)?,
            Common::STORED if compressed == size => {}
            Common::STORED => {
                return Err(corrupt(format!(
                    "the directory says that an uncompressed member of {size} bytes takes {compressed} bytes"
                )));
            }
            other => return Err(unknown_method(other)),
        }
        let data = self.data_range(entry, reader)?.start;
        reader.seek(SeekFrom::Start(data))?;
        Ok((entry, data))
    }

    /// Checks a member as `open` does. Returns the range of its bytes; `None` if it is compressed.
    pub(super) fn stored_range(
        &self,
        index: usize,
        reader: &mut (impl Read + Seek),
        limits: &Limits,
    ) -> Result<Option<Range<u64>>> {
        let (entry, data) = self.open(index, reader, limits)?;
        // `open` has checked that the member ends before the directory.
        let end = data.saturating_add(entry.size);
        Ok(entry.compression().is_none().then_some(data..end))
    }

    /// Returns the entry of a member.
    pub(super) fn entry(&self, index: usize) -> Result<&Entry> {
        self.members.get(index).ok_or_else(|| malformed("it has no such member"))
    }

    /// Returns the positions of the member that `entry` describes, even if it cannot be read. No other member is within them.
    pub(super) fn extent(&self, entry: &Entry, reader: &mut (impl Read + Seek)) -> Result<Extent> {
        let data = self.data_range(entry, reader)?;
        let end = if entry.flags & Common::STREAMED == 0 {
            data.end
        } else {
            // A descriptor comes after the data. The size of a descriptor is not stated, so everything up to the next member counts as the
            // descriptor. The directory may place that member anywhere, also behind itself.
            let next = self.starts.partition_point(|&start| start < data.end);
            let next = self.starts.get(next).copied().unwrap_or(self.end.start);
            next.min(self.end.start).min(data.end.saturating_add(LARGEST_DESCRIPTOR))
        };
        Ok(Extent { start: entry.start, data: data.start, end })
    }

    /// Returns the range of the member's data, after the check of its header.
    fn data_range(&self, entry: &Entry, reader: &mut (impl Read + Seek)) -> Result<Range<u64>> {
        if entry.start >= self.end.start {
            return Err(corrupt(
                "the directory says that the member begins in or after the directory",
            ));
        }
        let start = find_data(entry, reader)?;
        let end = start.saturating_add(entry.compressed);
        self.check_no_overlap(entry.start, end)?;
        Ok(start..end)
    }

    /// Returns the entries of all members, also of those that are not found because a later one has the same name.
    pub(super) fn all_entries(&self, central: &Central) -> Result<Vec<Entry>> {
        let mut position = self.end.start;
        let mut entry = |bytes: &[u8]| {
            let size = to_u64(bytes.len());
            let entry = Entry::read(&mut bytes.take(size), position, self.end.before);
            position = position.saturating_add(size);
            entry
        };
        central.iter().map(&mut entry).collect()
    }

    /// Reads the entry of a member as bytes.
    pub(super) fn entry_bytes(
        &self,
        entry: &Entry,
        reader: &mut (impl Read + Seek),
    ) -> Result<Vec<u8>> {
        let changed = || corrupt("its directory changed after it was opened");
        let bytes = read_at(reader, entry.position, CentralHeader::SIZE)?;
        let (header, _) = CentralHeader::split_from(&bytes).ok_or_else(changed)?;
        let bytes = read_at(reader, entry.position, header.entry_size())?;
        if bytes.len() == header.entry_size() { Ok(bytes) } else { Err(changed()) }
    }

    /// Reads the directory as bytes, and the end records after it.
    pub(super) fn central(&self, reader: impl Read + Seek) -> Result<Central> {
        let end = self.end.start.saturating_add(self.end.size);
        Central::read(reader, self.end.start..end)
    }

    /// Refuses a member that reaches into the next one or into the directory: with such members, a small archive could expand to any size.
    fn check_no_overlap(&self, start: u64, end: u64) -> Result<()> {
        let before = self.starts.partition_point(|&other| other < start);
        let within = self.starts.partition_point(|&other| other < end);
        if within.saturating_sub(before) > 1 || end > self.end.start {
            return Err(malformed(
                "the member overlaps the next one or the directory; write the archive again",
            ));
        }
        Ok(())
    }
}

/// The size of the descriptor after the data of a member: a signature, the checksum, and two sizes of 8 bytes.
const LARGEST_DESCRIPTOR: u64 = 24;

/// The positions in the file of a member's header and data, and of the end of both.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    pub(super) start: u64,
    pub(super) data: u64,
    pub(super) end: u64,
}

impl Extent {
    /// Returns the positions of a member that has no descriptor after its data, in a file that this crate wrote.
    pub(super) fn of_written(entry: &Entry, reader: &mut (impl Read + Seek)) -> Result<Self> {
        let data = find_data(entry, reader)?;
        Ok(Extent { start: entry.start, data, end: data.saturating_add(entry.compressed) })
    }
}

/// Reads the header of a member, and returns the position of its data. The header must have the name from the directory.
fn find_data(entry: &Entry, reader: &mut (impl Read + Seek)) -> Result<u64> {
    let expected = entry.raw_name();
    let size = LocalHeader::SIZE.saturating_add(expected.len());
    let header = read_at(reader, entry.start, size)?;
    let Some((LocalHeader { common }, name)) = LocalHeader::split_from(&header) else {
        return Err(corrupt("there is no member where the directory says"));
    };
    // If only one of the two headers has the UTF-8 flag, the same bytes decode to different names.
    let is_same = expected.is_ascii() || (common.flags ^ entry.flags) & Common::UTF8 == 0;
    if name != expected || usize::from(common.name_length) != name.len() || !is_same {
        return Err(corrupt("there is another member where the directory says"));
    }
    let data = entry.start.checked_add(to_u64(size));
    data.and_then(|data| data.checked_add(common.extra_length.into()))
        .ok_or_else(|| corrupt("the data of the member begins after byte 2⁶⁴"))
}

/// Reads `count` bytes at this position, or fewer at the end of the file.
fn read_at(reader: &mut (impl Read + Seek), at: u64, count: usize) -> Result<Vec<u8>> {
    const MAX_RESERVED: usize = 1 << 20;
    reader.seek(SeekFrom::Start(at))?;
    let mut bytes = Vec::with_capacity(count.min(MAX_RESERVED));
    reader.take(to_u64(count)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unsupported(what: impl Into<String>, needs: &'static str) -> Error {
    ErrorKind::Unsupported { what: what.into(), needs }.into()
}

/// The error for a compression method that is not supported.
fn unknown_method(method: u16) -> Error {
    const UNPACK: &str = "another form: unpack it with a tool that knows the method, and save the arrays with np.savez or np.savez_compressed";
    let (name, needs) = match method {
        Common::BZIP2 => ("bzip2", "the feature `bzip2` of npy-core"),
        Common::LZMA => ("LZMA", "the feature `lzma` of npy-core"),
        Common::ZSTD => ("Zstandard", "the feature `zstd` of npy-core"),
        95 => ("xz", UNPACK),
        9 => ("Deflate64", UNPACK),
        _ => return unsupported(format!("a member compressed by method {method}"), UNPACK),
    };
    unsupported(format!("a member compressed by {name}"), needs)
}

/// The error for a file without an end record: an incomplete archive, or a file of another format.
fn not_an_archive(file: &mut (impl Read + Seek)) -> Error {
    match read_at(file, 0, formats::START) {
        Ok(start) if start.starts_with(b"PK") => {
            corrupt("it has no end record, so it is incomplete")
        }
        Ok(start) => {
            let shown = start.get(..8).unwrap_or(&start);
            let found = format!("\"{}\"", shown.escape_ascii());
            ErrorKind::NotNpz { found, hint: formats::hint(&start) }.into()
        }
        Err(error) => error,
    }
}

/// The error for an archive that has other bytes before it.
fn other_start(file: &mut (impl Read + Seek)) -> Error {
    match read_at(file, 0, 6) {
        Ok(start) => malformed(format!(
            "the file begins with b\"{}\", where NumPy expects a member; remove what is before the archive, or read it by npz::Reader::new",
            start.escape_ascii()
        )),
        Err(error) => error,
    }
}
