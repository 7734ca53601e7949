//! Layer 7: which members an archive has, and where.

mod central;
mod end;
mod listed;
mod numbers;
mod window;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Place;
use std::io::{Read, Seek, SeekFrom};

use super::name;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::{self, Limits};
pub(super) use central::Central;
use end::End;
use listed::Listed;
use numbers::Numbers;
use window::Window;

/// What is wrong with an archive that ends too early.
const CUT: &str = "its directory ends too early; it was not written to its end or not copied whole";

pub(super) fn malformed(reason: impl Into<String>) -> Error {
    ErrorKind::Archive { reason: reason.into() }.into()
}

/// The directory of an archive.
pub(super) struct Directory {
    /// The members in the order of the archive. Of two of one name the last is here, at the position of the first.
    members: Vec<Listed>,
    by_name: BTreeMap<String, usize>,
    /// The positions at which members start in the file, in order, those that are not in `members` too.
    starts: Vec<u64>,
    end: End,
}

/// What the directory says of a member that is read.
pub(super) struct Entry {
    start: u64,
    /// Where the bytes of it stand that the archive has, and how many they are.
    pub(super) data: u64,
    pub(super) compressed: u64,
    /// How many they are when inflated.
    pub(super) size: u64,
    pub(super) crc: u32,
    pub(super) deflated: bool,
}

impl Directory {
    /// Reads the directory of a file. As in NumPy, an archive is a file that begins with a member, or with the end if there is none.
    pub(super) fn of_file(mut file: impl Read + Seek, limits: &Limits) -> Result<Self> {
        let first = read_at(&mut file, 0, 4)?;
        match &first[..] {
            b"" | b"PK\x03\x04" | b"PK\x05\x06" => Directory::read(file, limits),
            _ => Err(begins_otherwise(&mut file)),
        }
    }

    /// Reads the directory of an archive, which may have anything before it.
    pub(super) fn read(reader: impl Read + Seek, limits: &Limits) -> Result<Self> {
        let mut file = Window::new(reader)?;
        if file.len() == 0 {
            return Err(malformed("it is empty"));
        }
        let Some(end) = End::find(&mut file, limits)? else {
            return Err(no_archive(&mut file));
        };
        file.seek(SeekFrom::Start(end.start))?;
        let mut directory = file.take(end.size);
        let mut members: Vec<Listed> = Vec::new();
        let mut by_name = BTreeMap::new();
        let mut starts = Vec::new();
        for _ in 0..end.count {
            let member = Listed::read(&mut directory, end.before)?;
            starts.push(member.start);
            match by_name.entry(member.name.clone()) {
                Place::Vacant(place) => {
                    place.insert(members.len());
                    members.push(member);
                }
                Place::Occupied(place) => {
                    if let Some(first) = members.get_mut(*place.get()) {
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

    /// The names that begin so, in order; each is found without a look at the others.
    pub(super) fn names_from(&self, start: String) -> impl Iterator<Item = &str> {
        let names = self.by_name.range(start.clone()..).map(|(name, _)| name.as_str());
        names.take_while(move |name| name.starts_with(&start)).map(|name| self.shown(name))
    }

    /// The index of the member of exactly this name, or else of this name with `.npy` appended. NumPy searches in the same order.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        let exact = self.by_name.get(name);
        exact.or_else(|| self.by_name.get(&format!("{name}.npy"))).copied()
    }

    /// [`find`](Self::find), or the error that says which members there are.
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

    /// Looks at a member, in the directory and where it stands, and goes to its data.
    pub(super) fn open(
        &self,
        index: usize,
        reader: &mut (impl Read + Seek),
        limits: &Limits,
    ) -> Result<Entry> {
        const PATCHED: u16 = 1 << 5;
        // By a password, strongly, and with headers that are masked.
        const ENCRYPTED: u16 = 1 | 1 << 6 | 1 << 13;
        let stated = self.members.get(index).ok_or_else(|| malformed("it has no such member"))?;
        if stated.flags & PATCHED != 0 {
            return Err(unsupported("a member of patched data", "a tool that applies the patch"));
        }
        if stated.flags & ENCRYPTED != 0 {
            return Err(unsupported("an encrypted member", "a tool that decrypts it first"));
        }
        let deflated = match stated.method {
            0 => false,
            8 => true,
            other => return Err(compressed_otherwise(other)),
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
        let data = data(stated, reader)?;
        let entry = Entry { start, data, compressed, size, crc, deflated };
        self.alone(&entry)?;
        reader.seek(SeekFrom::Start(data))?;
        Ok(entry)
    }

    /// The position of the first entry in the file.
    pub(super) fn start(&self) -> u64 {
        self.end.start
    }

    /// Reads the directory and what follows it as bytes.
    pub(super) fn central(&self, reader: impl Read + Seek) -> Result<Central> {
        let end = self.end.start.saturating_add(self.end.size);
        Central::read(reader, self.end.before, self.end.start..end)
    }

    /// Refuses a member of which bytes belong to another one or to the directory: an archive of a few bytes could be made of so many.
    fn alone(&self, entry: &Entry) -> Result<()> {
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

/// The position of a member's data, which its own header says. The name in that is compared.
fn data(stated: &Listed, reader: &mut (impl Read + Seek)) -> Result<u64> {
    const FIXED: usize = 30;
    let expected = stated.raw_name();
    let head = read_at(reader, stated.start, FIXED.saturating_add(expected.len()))?;
    if !head.starts_with(b"PK\x03\x04") || head.len() < FIXED {
        return Err(malformed("there is no member where the directory says"));
    }
    let mut numbers = Numbers(&head);
    let _signature_and_version: [u8; 6] = numbers.bytes()?;
    let flags = numbers.u16()?;
    let _sizes_and_others: [u8; 18] = numbers.bytes()?;
    let (name, extra) = (usize::from(numbers.u16()?), usize::from(numbers.u16()?));
    // The same bytes are another name if only one of the two is UTF-8.
    let is_same = expected.is_ascii() || (flags ^ stated.flags) & listed::UTF8 == 0;
    if name != expected.len() || numbers.0 != expected || !is_same {
        return Err(malformed("there is another member where the directory says"));
    }
    let header = FIXED.saturating_add(name).saturating_add(extra);
    let data = stated.start.checked_add(limits::to_u64(header));
    data.ok_or_else(|| malformed("it has no such place"))
}

/// The bytes there, or fewer at the end.
fn read_at(reader: &mut (impl Read + Seek), at: u64, count: usize) -> Result<Vec<u8>> {
    reader.seek(SeekFrom::Start(at))?;
    let mut bytes = Vec::with_capacity(count);
    reader.take(limits::to_u64(count)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unsupported(what: impl Into<String>, needs: &'static str) -> Error {
    ErrorKind::Unsupported { what: what.into(), needs }.into()
}

/// The error for a member that is compressed in a way that is not ours.
fn compressed_otherwise(method: u16) -> Error {
    const NAMES: [(u16, &str); 5] =
        [(12, "bzip2"), (14, "LZMA"), (95, "xz"), (93, "Zstandard"), (9, "Deflate64")];
    let known = NAMES.iter().find(|(known, _)| *known == method);
    let how = known.map_or_else(|| format!("method {method}"), |(_, name)| (*name).to_owned());
    unsupported(
        format!("a member compressed by {how}"),
        "another form: load it in Python and save it with np.savez or np.savez_compressed",
    )
}

/// The error for a file that has no end record, with what it seems to be.
fn no_archive(file: &mut (impl Read + Seek)) -> Error {
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
fn begins_otherwise(file: &mut (impl Read + Seek)) -> Error {
    match read_at(file, 0, 6) {
        Ok(start) if start != b"\x93NUMPY" => malformed(format!(
            "the file begins with b\"{}\", where NumPy expects a member; remove what is before the archive, or read it by npz::Reader::new",
            start.escape_ascii()
        )),
        _ => no_archive(file),
    }
}
