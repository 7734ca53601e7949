//! The compressed member within which an archive ends: the rows of its array that can be inflated.

use std::fs;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::sync::Arc;

use npy_zip::{Directory, Limits};

use super::file::File;
use super::member::Member;
use super::records;
use crate::array::Array;
use crate::error::{Error, Result};
use crate::options::Options;

/// An array that is written in place of its member.
#[derive(Debug)]
pub(super) struct Cut {
    /// The name as bytes, and as readers decode it.
    pub(super) name: Vec<u8>,
    pub(super) label: String,
    /// The reason why the member is incomplete.
    pub(super) reason: String,
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) array: Array,
    /// A directory of the member alone, to be read after it.
    directory: Arc<[u8]>,
}

impl Cut {
    /// Inflates what the file has of a member; `None` if that has not one complete row.
    pub(super) fn find(
        file: &File<'_>,
        member: &records::Member,
        reason: &str,
    ) -> Result<Option<Self>> {
        let end = file.len();
        let member = member.clone().cut_within_data(end);
        let directory: Arc<[u8]> = records::directory([member.entry()].into_iter(), end).into();
        let mut label = String::new();
        let array = read(file.ending_with(end, directory.to_vec()), |open, name| {
            label = name.to_owned();
            let Some(length) = inflated(open)? else { return Ok(None) };
            match Array::diagnose(open, length, &Options::new()) {
                Ok(array) => Ok(Some(array)),
                Err(Error::Io(error)) if !is_damage(&error) => Err(error.into()),
                Err(_) => Ok(None),
            }
        })?;
        let (name, start, reason) = (member.name, member.start, reason.to_owned());
        Ok(array.map(|array| Cut { name, label, reason, start, end, array, directory }))
    }

    /// Writes the array that is kept.
    pub(super) fn write(&self, file: &fs::File, out: &mut impl io::Write) -> Result<()> {
        let file = File::new(file, self.end, self.directory.clone());
        let written = read(file, |open, _| self.array.write(open, out).map(Some))?;
        written.ok_or(Error::Changed)
    }
}

/// Reads the only member of a file by a function, which gets its name, too.
fn read<T>(
    file: File<'_>,
    read: impl FnOnce(&mut Inflated<'_, '_>, &str) -> Result<Option<T>>,
) -> Result<Option<T>> {
    let Ok(directory) = Directory::read(file.clone(), &Limits::default()) else { return Ok(None) };
    let [entry] = directory.entries() else { return Ok(None) };
    match Member::open(&directory, entry, &file) {
        Ok(mut open) => read(&mut Inflated(&mut open), entry.name()),
        Err(npy_zip::Error::Io(error)) => Err(error.into()),
        Err(_) => Ok(None),
    }
}

/// Returns the number of bytes that can be inflated before the file ends; `None` if other bytes are damaged.
fn inflated(member: &mut impl Read) -> Result<Option<u64>> {
    match io::copy(member, &mut io::sink()) {
        Ok(count) => Ok(Some(count)),
        Err(error) if is_damage(&error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Returns true for an error about the bytes of a member.
fn is_damage(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::InvalidInput)
}

/// A member that ends where the file does.
struct Inflated<'m, 'a>(&'m mut Member<'a>);

impl Read for Inflated<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).or_else(|error| match error.get_ref().and_then(|e| e.downcast_ref()) {
            Some(npy_zip::Error::Truncated { .. }) => Ok(0),
            _ => Err(error),
        })
    }
}

impl Seek for Inflated<'_, '_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}
