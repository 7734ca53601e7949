//! The members of an archive, and their positions.

mod central;
mod end;
mod entry;

use std::collections::BTreeMap;
use std::fmt;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::ops::Range;

use crate::checked;
use crate::chunks::Chunks;
use crate::error::{Error, Result, Unsupported, corrupt, malformed, to_u64};
use crate::index::{Gap, Record};
use crate::limits::Limits;
use crate::records::{CentralHeader, Common, EndRecord, LocalHeader, Part};
use crate::room;
pub use central::Central;
use end::End;
pub use entry::Entry;

const TRUNCATED: &str = "its directory ends too early";

/// The directory of an archive: its members, and where they are.
///
/// ```
/// use std::io::{Cursor, Read};
///
/// use npy_zip::{Compression, Directory, Limits, Writer};
///
/// let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::stored())?;
/// writer.add("a.txt", |member| {
///     member.begin(5)?;
///     std::io::Write::write_all(member, b"hello")
/// })?;
/// let mut file = writer.finish()?;
///
/// let directory = Directory::read(&mut file, &Limits::default())?;
/// let entry = directory.find("a.txt").expect("it was written");
/// assert_eq!(entry.size(), 5);
/// let mut text = String::new();
/// directory.member(entry, &mut file, &Limits::default())?.read_to_string(&mut text)?;
/// assert_eq!(text, "hello");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Every number in it was checked against the length of the file. What Python refuses is refused, and so is what other readers would read
/// differently: two end records that disagree, bytes between the entries, archives in parts. A member is checked when it is opened: its
/// header must be where the directory says, with the same name, and no other member may begin within it.
pub struct Directory {
    /// The members in the order of the archive. If several have one name, only the last is here, at the index of the first.
    members: Vec<Entry>,
    by_name: BTreeMap<String, usize>,
    /// The positions in the file at which members start, sorted. Members that are not in `members` are included.
    starts: Vec<u64>,
    end: End,
    /// The bytes that the members inflate to whose ratio is above the limit, and that are not deflated.
    dense: u64,
}

impl Directory {
    /// Reads the directory of a file, which must begin with a member, or with the end record if there are no members.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_zip::{Compression, Directory, Limits, Writer};
    ///
    /// let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::stored())?;
    /// writer.add("a", |member| member.begin(0))?;
    /// assert!(Directory::of_file(writer.finish()?, &Limits::default())?.find("a").is_some());
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::NotAnArchive`], [`Error::OtherStart`], [`Error::Malformed`], [`Error::Unsupported`], [`Error::Limit`], [`Error::Io`].
    pub fn of_file(mut file: impl Read + Seek, limits: &Limits) -> Result<Self> {
        let first = read_at(&mut file, 0, 4)?;
        if [b"", LocalHeader::SIGNATURE, EndRecord::SIGNATURE].contains(&&first[..]) {
            return Directory::read(file, limits);
        }
        Err(match Directory::read(&mut file, limits) {
            Ok(_) => other_start(&mut file),
            Err(_) => not_an_archive(&mut file),
        })
    }

    /// Reads the directory of an archive, which may have other bytes before it.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_zip::{Compression, Directory, Limits, Writer};
    ///
    /// let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::stored())?;
    /// writer.add("a", |member| member.begin(0))?;
    /// let file = [b"before", &writer.finish()?.into_inner()[..]].concat();
    /// assert_eq!(Directory::read(Cursor::new(file), &Limits::default())?.entries().len(), 1);
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`of_file`](Self::of_file), without [`Error::OtherStart`].
    pub fn read(mut reader: impl Read + Seek, limits: &Limits) -> Result<Self> {
        let length = reader.seek(SeekFrom::End(0))?;
        if length == 0 {
            return Err(malformed(
                "it is empty: the program that wrote it may not have finished; delete it or write it again",
            ));
        }
        let Some(end) = End::find(&mut reader, length, limits)? else {
            return Err(not_an_archive(&mut reader));
        };
        reader.seek(SeekFrom::Start(end.start))?;
        let mut directory = BufReader::new(reader).take(end.size);
        let mut members: Vec<Entry> = Vec::new();
        let mut by_name = BTreeMap::new();
        let mut starts = Vec::new();
        let mut dense = 0u64;
        for _ in 0..end.count {
            // The entries are within the file, so positions do not overflow.
            let position = checked::add(end.start, checked::sub(end.size, directory.limit()));
            let member = Entry::read(&mut directory, position, end.before)?;
            starts.push(member.start);
            if !member.is_deflated() && limits.is_dense(member.compressed, member.size) {
                dense = dense.saturating_add(member.size);
            }
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
        Ok(Directory { members, by_name, starts, end, dense })
    }

    /// Returns the entries, in the order of the archive. If several members have one name, only the last is here, in the place of the first.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_zip::{Compression, Directory, Limits, Writer};
    ///
    /// let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::stored())?;
    /// writer.add("a", |member| member.begin(0))?;
    /// let directory = Directory::read(writer.finish()?, &Limits::default())?;
    /// assert_eq!(directory.entries()[0].name(), "a");
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    pub fn entries(&self) -> &[Entry] {
        &self.members
    }

    /// Returns the number of members that are not found because a later one has the same name.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_zip::{Compression, Directory, Limits, Writer};
    ///
    /// let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::stored())?;
    /// writer.add("a", |member| member.begin(0))?;
    /// writer.add("a", |member| member.begin(0))?;
    /// let directory = Directory::read(writer.finish()?, &Limits::default())?;
    /// assert_eq!((directory.entries().len(), directory.shadowed()), (1, 1));
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    pub fn shadowed(&self) -> usize {
        checked::sub(self.starts.len(), self.members.len())
    }

    /// Returns the entry of the member of exactly this name.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_zip::{Compression, Directory, Limits, Writer};
    ///
    /// let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::stored())?;
    /// writer.add("a", |member| member.begin(0))?;
    /// let directory = Directory::read(writer.finish()?, &Limits::default())?;
    /// assert!(directory.find("a").is_some() && directory.find("b").is_none());
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    pub fn find(&self, name: &str) -> Option<&Entry> {
        self.members.get(self.index(name)?)
    }

    /// Returns the index in [`entries`](Self::entries) of the member of exactly this name.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_zip::{Compression, Directory, Limits, Writer};
    ///
    /// let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::stored())?;
    /// writer.add("a", |member| member.begin(0))?;
    /// let directory = Directory::read(writer.finish()?, &Limits::default())?;
    /// assert_eq!(directory.index("a"), Some(0));
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    pub fn index(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// Iterates over the names that have this prefix, sorted, without scanning the others.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_zip::{Compression, Directory, Limits, Writer};
    ///
    /// let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::stored())?;
    /// writer.add("a", |member| member.begin(0))?;
    /// writer.add("b/c", |member| member.begin(0))?;
    /// let directory = Directory::read(writer.finish()?, &Limits::default())?;
    /// assert!(directory.names_with_prefix("b/").eq(["b/c"]));
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    pub fn names_with_prefix<'d>(
        &'d self,
        prefix: &str,
    ) -> impl Iterator<Item = &'d str> + use<'d> {
        let prefix = prefix.to_owned();
        let names = self.by_name.range(prefix.clone()..).map(|(name, _)| name.as_str());
        names.take_while(move |name| name.starts_with(&prefix))
    }

    /// Checks the entry and the header of a member that is to be read. Returns the range of its bytes in the file.
    pub(crate) fn readable(
        &self,
        entry: &Entry,
        reader: &mut (impl Read + Seek),
        limits: &Limits,
    ) -> Result<Range<u64>> {
        if entry.flags & Common::PATCHED != 0 {
            return Err(Error::Unsupported(Unsupported::Patched));
        }
        if entry.flags & Common::ENCRYPTED != 0 {
            return Err(Error::Unsupported(Unsupported::Encrypted));
        }
        let &Entry { compressed, size, .. } = entry;
        match entry.method {
            method if entry.compression().is_some() => {
                let dense = (method != Common::DEFLATED).then_some(self.dense);
                limits.check_inflated(compressed, size, dense)?;
            }
            Common::STORED if compressed == size => {}
            Common::STORED => {
                return Err(corrupt(format!(
                    "the directory says that an uncompressed member of {size} bytes takes {compressed} bytes"
                )));
            }
            other => return Err(Error::Unsupported(Unsupported::Method(other))),
        }
        self.data_range(entry, reader)
    }

    /// Checks a member as [`member`](Self::member) does. Returns the range of its bytes in the file; `None` if it is compressed.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_zip::{Compression, Directory, Limits, Writer};
    ///
    /// let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::stored())?;
    /// writer.add("a", |member| member.begin(0))?;
    /// let mut file = writer.finish()?;
    /// let directory = Directory::read(&mut file, &Limits::default())?;
    /// let range = directory.stored_range(&directory.entries()[0], &mut file, &Limits::default())?;
    /// assert_eq!(range, Some(64..64));
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`member`](Self::member).
    pub fn stored_range(
        &self,
        entry: &Entry,
        reader: &mut (impl Read + Seek),
        limits: &Limits,
    ) -> Result<Option<Range<u64>>> {
        let range = self.readable(entry, reader, limits)?;
        Ok(if entry.is_compressed() { None } else { Some(range) })
    }

    /// Returns true if a member can be read from any position at once: it is stored, or deflated with a seek index.
    ///
    /// ```
    /// use std::io::{Cursor, Write};
    ///
    /// use npy_zip::{Compression, Directory, Limits, Writer};
    ///
    /// let deflated = Compression::deflate(6, 1);
    /// for (compression, is_seekable) in [(deflated, true), (deflated.seek_every(0), false)] {
    ///     let mut writer = Writer::seekable(Cursor::new(Vec::new()), compression)?;
    ///     writer.add("a", |member| {
    ///         member.begin(2 << 20)?;
    ///         member.write_all(&vec![7; 2 << 20])
    ///     })?;
    ///     let mut file = writer.finish()?;
    ///     let limits = Limits::default();
    ///     let directory = Directory::read(&mut file, &limits)?;
    ///     let a = &directory.entries()[0];
    ///     assert_eq!(directory.is_seekable(a, &mut file, &limits)?, is_seekable);
    /// }
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`member`](Self::member).
    pub fn is_seekable(
        &self,
        entry: &Entry,
        reader: &mut (impl Read + Seek),
        limits: &Limits,
    ) -> Result<bool> {
        let data = self.readable(entry, reader, limits)?;
        match self.gap(entry, &data) {
            Some(gap) => Ok(gap.find(reader)?.is_some()),
            None => Ok(!entry.is_compressed()),
        }
    }

    /// Returns the chunks of a deflated member; each can be inflated alone. `None` if it has no seek index.
    ///
    /// ```
    /// use std::io::{Cursor, Write};
    ///
    /// use npy_zip::{Compression, Directory, Limits, Writer};
    ///
    /// let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::deflate(6, 1))?;
    /// writer.add("a", |member| {
    ///     member.begin(3 << 20)?;
    ///     member.write_all(&vec![7; 3 << 20])
    /// })?;
    /// let mut file = writer.finish()?;
    /// let directory = Directory::read(&mut file, &Limits::default())?;
    /// let a = &directory.entries()[0];
    /// let chunks = directory.chunks(a, &mut file, &Limits::default())?.expect("it has an index");
    /// assert_eq!(chunks.len(), 3);
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`member`](Self::member).
    pub fn chunks(
        &self,
        entry: &Entry,
        reader: &mut (impl Read + Seek),
        limits: &Limits,
    ) -> Result<Option<Chunks>> {
        let data = self.readable(entry, reader, limits)?;
        let Some(gap) = self.gap(entry, &data) else { return Ok(None) };
        match gap.find(reader)? {
            Some(index) => index.all(reader),
            None => Ok(None),
        }
    }

    /// Returns the bytes after a member in which its seek index may be. The data of the member is at this range.
    pub(crate) fn gap(&self, entry: &Entry, data: &Range<u64>) -> Option<Gap> {
        Gap::new(entry, data, self.next_start(data.end))
    }

    /// Returns the start of the member after the one that ends here, or of the directory, which may place members anywhere, also behind itself.
    fn next_start(&self, end: u64) -> u64 {
        let next = self.starts.partition_point(|&start| start < end);
        let next = self.starts.get(next).copied().unwrap_or(self.end.start);
        next.min(self.end.start)
    }

    /// Returns the positions of the member that `entry` describes, even if it cannot be read. No other member is within them.
    pub(crate) fn extent(&self, entry: &Entry, reader: &mut (impl Read + Seek)) -> Result<Extent> {
        let data = self.data_range(entry, reader)?;
        let index = match self.gap(entry, &data) {
            Some(gap) => gap.find(reader)?.map(|index| index.record),
            None => None,
        };
        let end = match index {
            _ if entry.flags & Common::STREAMED == 0 => data.end,
            Some(index) => index.start,
            // A descriptor comes after the data. The size of a descriptor is not stated, so everything up to the next member counts as the
            // descriptor.
            None => self.next_start(data.end).min(data.end.saturating_add(LARGEST_DESCRIPTOR)),
        };
        Ok(Extent { start: entry.start, data: data.start, end, index })
    }

    /// Returns the range of the member's data, after the check of its header.
    fn data_range(&self, entry: &Entry, reader: &mut (impl Read + Seek)) -> Result<Range<u64>> {
        if entry.start >= self.end.start {
            return Err(corrupt(
                "the directory says that the member begins in or after the directory",
            ));
        }
        let start = find_data(entry, reader)?;
        let end = start.checked_add(entry.compressed).ok_or_else(overlap)?;
        self.check_no_overlap(entry.start, end)?;
        Ok(start..end)
    }

    /// Returns the entries of all members, also of those that are not found because a later one has the same name.
    pub(crate) fn all_entries(&self, central: &Central) -> Result<Vec<Entry>> {
        let mut position = self.end.start;
        let mut entry = |bytes: &[u8]| {
            let size = to_u64(bytes.len());
            let entry = Entry::read(&mut bytes.take(size), position, self.end.before);
            // The bytes were in the file, so the position is not larger than its length.
            position = checked::add(position, size);
            entry
        };
        central.iter().map(&mut entry).collect()
    }

    /// Reads the entry of a member as bytes: to write a directory that lacks other members.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_zip::{Compression, Directory, Limits, Writer};
    ///
    /// let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::stored())?;
    /// writer.add("a", |member| member.begin(0))?;
    /// let mut file = writer.finish()?;
    /// let directory = Directory::read(&mut file, &Limits::default())?;
    /// let bytes = directory.entry_bytes(&directory.entries()[0], &mut file)?;
    /// assert!(bytes.starts_with(b"PK\x01\x02"));
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] if the file has another directory now; [`Error::Io`].
    pub fn entry_bytes(&self, entry: &Entry, reader: &mut (impl Read + Seek)) -> Result<Vec<u8>> {
        let changed = || corrupt("its directory changed after it was opened");
        let bytes = read_at(reader, entry.position, CentralHeader::SIZE)?;
        let (header, _) = CentralHeader::split_from(&bytes).ok_or_else(changed)?;
        let bytes = read_at(reader, entry.position, header.entry_size())?;
        if bytes.len() == header.entry_size() { Ok(bytes) } else { Err(changed()) }
    }

    /// Reads the directory as bytes, and the end records after it: to change the archive, and to tell whether another program did.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_zip::{Compression, Directory, Limits, Writer};
    ///
    /// let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::stored())?;
    /// writer.add("a", |member| member.begin(0))?;
    /// let mut file = writer.finish()?;
    /// let directory = Directory::read(&mut file, &Limits::default())?;
    /// let central = directory.central(&mut file)?;
    /// assert!(central == directory.central(&mut file)?); // nothing has changed
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] if the directory has other bytes, or comes before other data, which a changed archive would lose.
    pub fn central(&self, reader: impl Read + Seek) -> Result<Central> {
        let end = checked::add(self.end.start, self.end.size);
        Central::read(reader, self.end.start..end)
    }

    /// Refuses a member that reaches into the next one or into the directory: with such members, a small archive could expand to any size.
    fn check_no_overlap(&self, start: u64, end: u64) -> Result<()> {
        let before = self.starts.partition_point(|&other| other < start);
        let within = self.starts.partition_point(|&other| other < end);
        if within > before.saturating_add(1) || end > self.end.start {
            return Err(overlap());
        }
        Ok(())
    }
}

impl fmt::Debug for Directory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Directory").field("members", &self.members.len()).finish_non_exhaustive()
    }
}

#[cold]
fn overlap() -> Error {
    malformed("the member overlaps the next one or the directory; write the archive again")
}

/// The size of the descriptor after the data of a member: a signature, the checksum, and two sizes of 8 bytes.
const LARGEST_DESCRIPTOR: u64 = 24;

/// The positions in the file of a member's header and data, of the end of both, and of the seek index there.
#[derive(Clone, Copy)]
pub(crate) struct Extent {
    pub(crate) start: u64,
    pub(crate) data: u64,
    pub(crate) end: u64,
    pub(crate) index: Option<Record>,
}

impl Extent {
    /// Returns the positions of a member that has no descriptor after its data, in a file that this package wrote.
    pub(crate) fn of_written(entry: &Entry, reader: &mut (impl Read + Seek)) -> Result<Self> {
        let data = find_data(entry, reader)?;
        let end = checked::add(data, entry.compressed);
        let index = match Gap::new(entry, &(data..end), u64::MAX) {
            Some(gap) => gap.find(reader)?.map(|index| index.record),
            None => None,
        };
        Ok(Extent { start: entry.start, data, end, index })
    }
}

/// Reads the header of a member, and returns the position of its data. The header must have the name from the directory.
fn find_data(entry: &Entry, reader: &mut (impl Read + Seek)) -> Result<u64> {
    let expected = entry.raw_name();
    let size = checked::add(LocalHeader::SIZE, expected.len());
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
pub(crate) fn read_at(reader: &mut (impl Read + Seek), at: u64, count: usize) -> Result<Vec<u8>> {
    const MAX_RESERVED: usize = 1 << 20;
    reader.seek(SeekFrom::Start(at))?;
    let mut bytes = Vec::new();
    room::growing(&mut bytes, count.min(MAX_RESERVED))?;
    reader.take(to_u64(count)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The error for a file without an end record: an incomplete archive, or a file of another format.
fn not_an_archive(file: &mut (impl Read + Seek)) -> Error {
    match read_at(file, 0, 16) {
        Ok(start) if start.starts_with(b"PK") => {
            corrupt("it has no end record, so it is incomplete")
        }
        Ok(start) => Error::NotAnArchive { start },
        Err(error) => error,
    }
}

/// The error for an archive that has other bytes before it.
fn other_start(file: &mut (impl Read + Seek)) -> Error {
    match read_at(file, 0, 6) {
        Ok(start) => Error::OtherStart { start },
        Err(error) => error,
    }
}
