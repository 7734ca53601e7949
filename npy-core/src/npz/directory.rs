//! Layer 7: the members of an archive, and their positions.

mod central;
mod end;
mod listed;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Slot;
use std::io::{BufReader, Read, Seek, SeekFrom};

use super::name;
use super::records::{Common, EndRecord, LocalHeader, Part};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::{self, Limits};
pub(super) use central::Central;
use end::End;
use listed::Listed;

const CUT: &str = "its directory ends too early; it was not written to its end or not copied whole";

pub(super) fn malformed(reason: impl Into<String>) -> Error {
    ErrorKind::Archive { reason: reason.into() }.into()
}

/// The directory of an archive.
pub(super) struct Directory {
    /// The members in the order of the archive. Of two with one name the last is here, at the position of the first.
    members: Vec<Listed>,
    by_name: BTreeMap<String, usize>,
    /// The positions at which members start in the file, in order; also those of members that are not in `members`.
    starts: Vec<u64>,
    end: End,
}

/// A member whose headers were checked.
pub(super) struct Entry {
    start: u64,
    /// The position of its data in the file.
    pub(super) data: u64,
    /// The number of bytes in the file.
    pub(super) compressed: u64,
    /// The number of bytes after inflating.
    pub(super) size: u64,
    pub(super) crc: u32,
    pub(super) deflated: bool,
}

impl Directory {
    /// Reads the directory of a file. As in NumPy, an archive is a file that begins with a member, or with the end if there is none.
    pub(super) fn of_file(mut file: impl Read + Seek, limits: &Limits) -> Result<Self> {
        let first = read_at(&mut file, 0, 4)?;
        if [b"", LocalHeader::SIGNATURE, EndRecord::SIGNATURE].contains(&&first[..]) {
            Directory::read(file, limits)
        } else {
            Err(other_start(&mut file))
        }
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
        let mut members: Vec<Listed> = Vec::new();
        let mut by_name = BTreeMap::new();
        let mut starts = Vec::new();
        for _ in 0..end.count {
            let member = Listed::read(&mut directory, end.before)?;
            starts.push(member.start);
            match by_name.entry(member.name.clone()) {
                Slot::Vacant(slot) => {
                    slot.insert(members.len());
                    members.push(member);
                }
                Slot::Occupied(slot) => {
                    if let Some(first) = members.get_mut(*slot.get()) {
                        *first = member;
                    }
                }
            }
        }
        if directory.limit() > 0 {
            // Python would see more members.
            let (left, count) = (directory.limit(), end.count);
            return Err(malformed(format!(
                "its directory has {left} bytes after the {count} members that are stated; make it anew"
            )));
        }
        starts.sort_unstable();
        Ok(Directory { members, by_name, starts, end })
    }

    /// The names in the archive.
    pub(super) fn file_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.members.iter().map(|member| member.name.as_str())
    }

    /// The names that [`find`](Self::find) accepts, one for each member.
    pub(super) fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.file_names().map(|name| self.shown(name))
    }

    /// The name of a member without `.npy`, unless `find` would return another member for it: one of exactly that name.
    fn shown<'n>(&self, name: &'n str) -> &'n str {
        let plain = name::plain(name);
        if self.by_name.contains_key(plain) { name } else { plain }
    }

    /// The names with this prefix, in order; found without a scan of the others.
    pub(super) fn names_with_prefix(&self, prefix: String) -> impl Iterator<Item = &str> {
        let names = self.by_name.range(prefix.clone()..).map(|(name, _)| name.as_str());
        names.take_while(move |name| name.starts_with(&prefix)).map(|name| self.shown(name))
    }

    /// The index of the member of exactly this name, or else of this name with `.npy` appended: NumPy's order.
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

    /// The name of a member.
    pub(super) fn name(&self, index: usize) -> &str {
        self.members.get(index).map(|member| self.shown(&member.name)).unwrap_or_default()
    }

    /// Checks the entry and the header of a member, and seeks to its data.
    pub(super) fn open(
        &self,
        index: usize,
        reader: &mut (impl Read + Seek),
        limits: &Limits,
    ) -> Result<Entry> {
        const PATCHED: u16 = 1 << 5;
        // Encryption, strong encryption, and masked headers.
        const ENCRYPTED: u16 = 1 | 1 << 6 | 1 << 13;
        let stated = self.members.get(index).ok_or_else(|| malformed("it has no such member"))?;
        if stated.flags & PATCHED != 0 {
            return Err(unsupported("a member of patched data", "a tool that applies the patch"));
        }
        if stated.flags & ENCRYPTED != 0 {
            return Err(unsupported("an encrypted member", "a tool that decrypts it first"));
        }
        let deflated = match stated.method {
            Common::STORED => false,
            Common::DEFLATED => true,
            other => return Err(unknown_method(other)),
        };
        let &Listed { start, compressed, size, crc, .. } = stated;
        if deflated {
            limits.check_inflated(compressed, size)?;
        } else if compressed != size {
            return Err(malformed(format!(
                "the directory says that {size} bytes are stored as {compressed}"
            )));
        }
        if start >= self.end.start {
            return Err(malformed("the member is to begin after the directory does"));
        }
        let data = find_data(stated, reader)?;
        let entry = Entry { start, data, compressed, size, crc, deflated };
        self.check_no_overlap(&entry)?;
        reader.seek(SeekFrom::Start(data))?;
        Ok(entry)
    }

    /// The position of the first entry in the file.
    pub(super) fn start(&self) -> u64 {
        self.end.start
    }

    /// Reads the directory as bytes, and the end records after it.
    pub(super) fn central(&self, reader: impl Read + Seek) -> Result<Central> {
        let end = self.end.start.saturating_add(self.end.size);
        Central::read(reader, self.end.before, self.end.start..end)
    }

    /// Refuses a member that shares bytes with another one or with the directory: with such members, a small archive could expand to any
    /// size.
    fn check_no_overlap(&self, entry: &Entry) -> Result<()> {
        let end = entry.data.saturating_add(entry.compressed);
        let before = self.starts.partition_point(|&start| start < entry.start);
        let within = self.starts.partition_point(|&start| start < end);
        if within.saturating_sub(before) > 1 || end > self.end.start {
            return Err(malformed(
                "the member reaches into what follows it; its size in the directory is wrong",
            ));
        }
        Ok(())
    }
}

/// Reads the header of a member, and returns the position of its data. The name in it must be the one in the directory.
fn find_data(stated: &Listed, reader: &mut (impl Read + Seek)) -> Result<u64> {
    let expected = stated.raw_name();
    let size = LocalHeader::SIZE.saturating_add(expected.len());
    let header = read_at(reader, stated.start, size)?;
    let Some((LocalHeader { common }, name)) = LocalHeader::split_from(&header) else {
        return Err(malformed("there is no member where the directory says"));
    };
    // The same bytes are another name if only one of the two is UTF-8.
    let is_same = expected.is_ascii() || (common.flags ^ stated.flags) & Common::UTF8 == 0;
    if name != expected || usize::from(common.name_length) != name.len() || !is_same {
        return Err(malformed("there is another member where the directory says"));
    }
    let data = stated.start.checked_add(limits::to_u64(size));
    data.and_then(|data| data.checked_add(common.extra_length.into()))
        .ok_or_else(|| malformed("its data begins after byte 2⁶⁴"))
}

/// Reads the bytes at this position, or fewer at the end.
fn read_at(reader: &mut (impl Read + Seek), at: u64, count: usize) -> Result<Vec<u8>> {
    const MAX_RESERVED: usize = 1 << 20;
    reader.seek(SeekFrom::Start(at))?;
    let mut bytes = Vec::with_capacity(count.min(MAX_RESERVED));
    reader.take(limits::to_u64(count)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unsupported(what: impl Into<String>, needs: &'static str) -> Error {
    ErrorKind::Unsupported { what: what.into(), needs }.into()
}

/// The error for a compression method that is not supported.
fn unknown_method(method: u16) -> Error {
    const NAMES: [(u16, &str); 5] =
        [(12, "bzip2"), (14, "LZMA"), (95, "xz"), (93, "Zstandard"), (9, "Deflate64")];
    let known = NAMES.iter().find(|(known, _)| *known == method);
    let how = known.map_or_else(|| format!("method {method}"), |(_, name)| (*name).to_owned());
    unsupported(
        format!("a member compressed by {how}"),
        "another form: load it in Python and save it with np.savez or np.savez_compressed",
    )
}

/// The error for a file that has no end record, which says if it is a `.npy` file.
fn not_an_archive(file: &mut (impl Read + Seek)) -> Error {
    match read_at(file, 0, 6).as_deref() {
        Ok(b"\x93NUMPY") => {
            malformed("it is a .npy file, of one array: ReadNpy::read_npy reads it")
        }
        Ok(_) => {
            malformed("it has no end record; it was not written to its end or not copied whole")
        }
        Err(_) => malformed("it has no end record, and its start cannot be read"),
    }
}

/// The error for a file that does not begin as an archive does.
fn other_start(file: &mut (impl Read + Seek)) -> Error {
    match read_at(file, 0, 6) {
        Ok(start) if start != b"\x93NUMPY" => malformed(format!(
            "the file begins with b\"{}\", where NumPy expects a member; remove what is before the archive, or read it by npz::Reader::new",
            start.escape_ascii()
        )),
        _ => not_an_archive(file),
    }
}
