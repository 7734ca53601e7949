//! Layer 7: which members an archive has, and where.

mod central;
mod window;

use std::collections::BTreeMap;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use zip::read::ZipArchiveMetadata;
use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

use super::name;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::{self, Limits};
pub(super) use central::Central;
use window::Window;

/// An error of the crate below as one of ours.
pub(super) fn zip_error(error: ZipError) -> Error {
    match error {
        ZipError::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof => malformed(
            "its directory ends too early; it was not written to its end or not copied whole",
        ),
        ZipError::Io(error) => error.into(),
        error => malformed(error.to_string()),
    }
}

pub(super) fn malformed(reason: impl Into<String>) -> Error {
    ErrorKind::Archive { reason: reason.into() }.into()
}

/// The directory of an archive.
pub(super) struct Directory {
    zip: Arc<ZipArchiveMetadata>,
    /// The names in the archive, in its order, and where they are in it.
    files: Vec<String>,
    by_name: BTreeMap<String, usize>,
    /// Where the members start in the file, in order, and where the directory does.
    starts: Vec<u64>,
    end: u64,
    /// The position after the last entry of the directory.
    directory_end: u64,
    /// The position from which the positions in the directory count: bytes may come before an archive.
    origin: u64,
}

/// What the directory says of a member.
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
    /// Reads the directory of an archive.
    pub(super) fn read(reader: impl Read + Seek, limits: &Limits) -> Result<Self> {
        let mut window = Window::new(reader)?;
        if window.is_empty() {
            return Err(malformed("it is empty"));
        }
        let archive = match ZipArchive::new(&mut window) {
            Ok(archive) => archive,
            Err(error) => return Err(no_archive(&mut window, error)),
        };
        limits.check_members(archive.len())?;
        let (zip, end) = (archive.metadata(), archive.central_directory_start());
        let origin = archive.offset();
        drop(archive);
        let directory_end = whole(&zip, end, &mut window)?;
        let entries = (0..zip.len()).filter_map(|index| zip.entry(index).ok());
        // A name that cannot be read can still be told from the others.
        let files: Vec<_> = entries
            .map(|entry| match entry.name() {
                Ok(name) => name.into_owned(),
                Err(_) => String::from_utf8_lossy(entry.name_raw()).into_owned(),
            })
            // As in Python.
            .map(|name| name.split('\0').next().unwrap_or_default().to_owned())
            .collect();
        let by_name = files.iter().cloned().zip(0..).collect();
        let entries = (0..zip.len()).filter_map(|index| zip.entry(index).ok());
        let mut starts: Vec<_> = entries.map(|entry| entry.header_start()).collect();
        starts.sort_unstable();
        Ok(Directory { zip, files, by_name, starts, end, directory_end, origin })
    }

    /// The names in the archive.
    pub(super) fn file_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }

    /// The names without what they end with in the archive.
    pub(super) fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.file_names().map(name::plain)
    }

    /// The names that begin so, in order; each is found without a look at the others.
    pub(super) fn names_from(&self, start: String) -> impl Iterator<Item = &str> {
        let names = self.by_name.range(start.clone()..).map(|(name, _)| name.as_str());
        names.take_while(move |name| name.starts_with(&start)).map(name::plain)
    }

    /// Where a member is in the directory: one of just this name, or of this name and `.npy`.
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
        self.files.get(index).map(|name| name::plain(name)).unwrap_or_default()
    }

    /// Looks at a member, in the directory and where it stands, and goes to its data.
    pub(super) fn open(
        &self,
        index: usize,
        reader: &mut (impl Read + Seek),
        limits: &Limits,
    ) -> Result<Entry> {
        let stated = self.zip.entry(index).map_err(zip_error)?;
        if stated.encrypted() {
            return Err(unsupported("an encrypted member", "a tool that decrypts it first"));
        }
        let deflated = match stated.compression() {
            CompressionMethod::Stored => false,
            CompressionMethod::Deflated => true,
            other => return Err(compressed_otherwise(other)),
        };
        let start = stated.header_start();
        let (compressed, size) = (stated.compressed_size(), stated.size());
        if deflated {
            limits.check_inflated(compressed, size)?;
        } else if compressed != size {
            return Err(malformed(format!(
                "the directory says that {size} bytes are stored as {compressed}"
            )));
        }
        let data = self.data(&stated, reader)?;
        let entry = Entry { start, data, compressed, size, crc: stated.crc32(), deflated };
        self.alone(&entry)?;
        reader.seek(SeekFrom::Start(data))?;
        Ok(entry)
    }

    /// Where the data of a member starts, which its own header says; the name in that is compared.
    fn data(
        &self,
        stated: &zip::read::ZipFileEntry<'_>,
        reader: &mut (impl Read + Seek),
    ) -> Result<u64> {
        const FIXED: usize = 30;
        // 6.3, of 2006: the newest that there is.
        const VERSION: u8 = 63;
        let start = stated.header_start();
        let expected = stated.name_raw();
        let head = read_at(reader, start, FIXED.saturating_add(expected.len()))?;
        if !head.starts_with(b"PK\x03\x04") || head.len() < FIXED {
            return Err(malformed("there is no member where the directory says"));
        }
        if number(&head, 4).to_le_bytes()[0] > VERSION {
            return Err(unsupported(
                "a member of a newer kind of zip",
                "a tool of its time to unpack it",
            ));
        }
        let (name, extra) = (usize::from(number(&head, 26)), usize::from(number(&head, 28)));
        let own = head.get(FIXED..FIXED.saturating_add(name));
        if own != Some(expected) && !self.is_named(stated, name, reader)? {
            return Err(malformed("there is another member where the directory says"));
        }
        let header = FIXED.saturating_add(name).saturating_add(extra);
        start.checked_add(limits::to_u64(header)).ok_or_else(|| malformed("it has no such place"))
    }

    /// Whether the name of a member is the same in its own header and in the directory, byte for byte. The directory can give
    /// another one beside it.
    fn is_named(
        &self,
        stated: &zip::read::ZipFileEntry<'_>,
        length: usize,
        reader: &mut (impl Read + Seek),
    ) -> Result<bool> {
        let central = read_at(reader, stated.central_header_start().saturating_add(28), 2)?;
        if central.first_chunk().map(|&bytes| usize::from(u16::from_le_bytes(bytes)))
            != Some(length)
        {
            return Ok(false);
        }
        let central = read_at(reader, stated.central_header_start().saturating_add(46), length)?;
        let own = read_at(reader, stated.header_start().saturating_add(30), length)?;
        Ok(central == own)
    }

    /// Reads the directory and what follows it as bytes.
    pub(super) fn central(&self, reader: impl Read + Seek) -> Result<Central> {
        Central::read(reader, self.origin, self.end..self.directory_end)
    }

    /// Refuses a member of which bytes belong to another one or to the directory: an archive of a few bytes could be made of so many.
    fn alone(&self, entry: &Entry) -> Result<()> {
        let end = entry.data.saturating_add(entry.compressed);
        let before = self.starts.partition_point(|&start| start < entry.start);
        let within = self.starts.partition_point(|&start| start < end);
        if within.saturating_sub(before) > 1 || end > self.end {
            return Err(malformed(
                "the member reaches into what follows it; its size in the directory is wrong",
            ));
        }
        Ok(())
    }
}

/// Returns the position after the last entry. Refuses a directory that goes on after the members that are counted: Python would see
/// those, too.
fn whole(zip: &ZipArchiveMetadata, start: u64, reader: &mut (impl Read + Seek)) -> Result<u64> {
    const FIXED: usize = 46;
    let more = || malformed("it has more members than it says; make it anew");
    let entries = (0..zip.len()).filter_map(|index| zip.entry(index).ok());
    let Some(last) = entries.map(|entry| entry.central_header_start()).max() else {
        // Of none the end stands there, and how many bytes the directory takes in it.
        let end = read_at(reader, start, FIXED.saturating_add(2))?;
        let size = if end.starts_with(b"PK\x06\x06") { 40..48 } else { 12..16 };
        let is_nothing = end.get(size).is_none_or(|size| size.iter().all(|&byte| byte == 0));
        return if is_nothing { Ok(start) } else { Err(more()) };
    };
    let head = read_at(reader, last, FIXED)?;
    let lengths = [28, 30, 32].map(|at| u64::from(number(&head, at)));
    let length = lengths.iter().fold(limits::to_u64(FIXED), |sum, n| sum.saturating_add(*n));
    let end = last.saturating_add(length);
    let next = read_at(reader, end, 4)?;
    if next == b"PK\x01\x02" { Err(more()) } else { Ok(end) }
}

/// A number of two bytes.
fn number(bytes: &[u8], at: usize) -> u16 {
    let bytes = bytes.get(at..).and_then(<[u8]>::first_chunk).copied();
    u16::from_le_bytes(bytes.unwrap_or_default())
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
fn compressed_otherwise(method: CompressionMethod) -> Error {
    const NAMES: [(CompressionMethod, &str); 5] = [
        (CompressionMethod::BZIP2, "bzip2"),
        (CompressionMethod::LZMA, "LZMA"),
        (CompressionMethod::XZ, "xz"),
        (CompressionMethod::ZSTD, "Zstandard"),
        (CompressionMethod::DEFLATE64, "Deflate64"),
    ];
    let known = NAMES.iter().find(|(known, _)| *known == method);
    let how = known.map_or_else(|| format!("{method}"), |(_, name)| (*name).to_owned());
    unsupported(
        format!("a member compressed by {how}"),
        "another form: load it in Python and save it with np.savez or np.savez_compressed",
    )
}

/// The error for a file that has no directory, with what it seems to be.
fn no_archive(window: &mut Window<impl Read + Seek>, error: ZipError) -> Error {
    let start = window.seek(SeekFrom::Start(0)).map_err(Error::from);
    let start = start.and_then(|_| read_at(window, 0, 6)).unwrap_or_default();
    match &start[..] {
        b"\x93NUMPY" => malformed("it is a .npy file, of one array: ReadNpy::read_npy reads it"),
        [b'P', b'K', ..] => match zip_error(error) {
            error if matches!(error.kind(), ErrorKind::Io(_)) => error,
            error => error.map_kind(|kind| match kind {
                ErrorKind::Archive { reason } => ErrorKind::Archive {
                    reason: format!(
                        "{reason}; it may not be written to its end or not copied whole"
                    ),
                },
                kind => kind,
            }),
        },
        _ => zip_error(error),
    }
}
