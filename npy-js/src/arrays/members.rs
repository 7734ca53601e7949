//! The members of an archive, and archives that are written.

use std::io::{Cursor, Read, Seek, SeekFrom, Write};

use npy_core::{Header, Limits, Objects, ReadOptions};
use npy_zip::{Compression, Directory, Entry, Member};

use super::describe;
use super::objects;
use crate::file::{Part, ReadAt, hull};
use crate::json::Json;
use crate::{Failure, Result};

/// The extension of members that are arrays, which NumPy does not show.
const EXTENSION: &str = ".npy";

/// An archive, and the member of it that is read.
pub(crate) struct Members<F> {
    file: F,
    directory: Directory,
    /// The member, and where its data begin.
    open: Option<(Member<Part<F>>, u64)>,
}

impl<F: ReadAt + Clone> Members<F> {
    pub(crate) fn new(file: F) -> Result<Self> {
        let directory = Directory::read(Part::all(file.clone()), &npy_zip::Limits::default())?;
        Ok(Members { file, directory, open: None })
    }

    /// Returns the names as NumPy shows them: without `.npy`, unless another member is called so.
    pub(crate) fn names(&self) -> Json {
        let shown = |entry: &Entry| {
            let plain = entry.name().strip_suffix(EXTENSION).unwrap_or(entry.name());
            let is_taken = self.directory.find(plain).is_some();
            Json::from(if is_taken { entry.name() } else { plain })
        };
        Json::from(self.directory.entries().iter().map(shown).collect::<Vec<_>>())
    }

    /// Opens a member, and says what its header says and how it is stored.
    pub(crate) fn open(&mut self, name: &str) -> Result<Json> {
        self.open = None;
        let mut member = self.member(name)?;
        let header = Header::read_from(&mut member).map_err(|error| within(error, name))?;
        let offset = member.position();
        let mut json = describe::header(&header, offset);
        let (entry, mut file) = (self.entry(name)?, Part::all(self.file.clone()));
        let limits = npy_zip::Limits::default();
        match self.directory.stored_range(entry, &mut file, &limits)? {
            Some(range) => {
                json.insert("stored", vec![range.start.saturating_add(offset), range.end]);
                json.insert("checksum", u64::from(entry.checksum()));
            }
            None => {
                let is_seekable = self.directory.is_seekable(entry, &mut file, &limits)?;
                json.insert("seekable", is_seekable);
            }
        }
        self.open = Some((member, offset));
        Ok(json)
    }

    /// Returns the range of the file that has these bytes of a member; `null` if the member has no index.
    pub(crate) fn chunks(&self, name: &str, from: u64, to: u64) -> Result<Json> {
        let (entry, mut file) = (self.entry(name)?, Part::all(self.file.clone()));
        let all = self.directory.chunks(entry, &mut file, &npy_zip::Limits::default())?;
        let Some(all) = all else { return Ok(Json::Null) };
        let range = hull(all.of_bytes(from..to).map(|chunk| chunk.range));
        Ok(range.map_or(Json::Null, |range| vec![range.start, range.end].into()))
    }

    /// Moves to a byte of the data of the member that is open.
    pub(crate) fn seek(&mut self, byte: u64) -> Result<Json> {
        let (member, offset) = self.open.as_mut().ok_or(NOT_OPEN)?;
        member.seek(SeekFrom::Start(offset.saturating_add(byte)))?;
        Ok(Json::Null)
    }

    /// Returns the next bytes of the data; fewer at its end.
    pub(crate) fn next(&mut self, count: u64) -> Result<Vec<u8>> {
        let (member, _) = self.open.as_mut().ok_or(NOT_OPEN)?;
        let mut bytes = Vec::new();
        member.take(count).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Returns all bytes of a member, which need not be an array.
    pub(crate) fn raw(&self, name: &str) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.member(name)?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    pub(crate) fn objects(&self, name: &str) -> Result<String> {
        let mut options = ReadOptions::new();
        options.limits(limits());
        let found: Objects = options.read_from(self.member(name)?)?;
        Ok(objects::to_json(&found)?)
    }

    fn member(&self, name: &str) -> Result<Member<Part<F>>> {
        let file = Part::all(self.file.clone());
        Ok(self.directory.member(self.entry(name)?, file, &npy_zip::Limits::default())?)
    }

    fn entry(&self, name: &str) -> Result<&Entry> {
        let found = self.directory.find(name);
        let found = found.or_else(|| self.directory.find(&format!("{name}{EXTENSION}")));
        found.ok_or_else(|| Failure::Member(name.to_owned()))
    }
}

const NOT_OPEN: Failure = Failure::Call("no member is open");

fn within(error: npy_core::Error, name: &str) -> Failure {
    Failure::In(name.to_owned(), error)
}

/// The limits: only pickles are read into the memory of the module at once.
pub(crate) fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.array_bytes = Some(objects::MAX_PICKLE);
    limits
}

/// An archive that is written.
pub(crate) struct NewArchive(npy_zip::Writer<Cursor<Vec<u8>>>);

impl NewArchive {
    pub(crate) fn new(is_compressed: bool) -> Result<Self> {
        let compression = match is_compressed {
            true => Compression::deflate(6, 1),
            false => Compression::stored(),
        };
        Ok(NewArchive(npy_zip::Writer::seekable(Cursor::new(Vec::new()), compression)?))
    }

    /// Adds a member, given as a `.npy` file.
    pub(crate) fn add(&mut self, name: &str, file: &[u8]) -> Result<Json> {
        npy_zip::check_name(name).map_err(|reason| Failure::Name(name.to_owned(), reason))?;
        self.0.add(&format!("{name}{EXTENSION}"), |member| -> std::io::Result<()> {
            member.begin(file.len() as u64)?;
            member.write_all(file)
        })?;
        Ok(Json::Null)
    }

    pub(crate) fn finish(self) -> Result<Vec<u8>> {
        Ok(self.0.finish()?.into_inner())
    }
}
