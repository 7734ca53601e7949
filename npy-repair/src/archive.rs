//! An archive: the members that are complete, and the archive that is written of them.
//!
//! Nothing is decoded and encoded again: [`Editor`] copies the members. If the directory is wrong, one is made of the headers of the members
//! (`archive/scan.rs`), and is read as if it was at the end of the file (`archive/file.rs`).

mod file;
mod member;
mod records;
mod scan;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use npy_zip::{Compression, Directory, Editor, Entry, Limits, Writer};

use self::file::File;
use self::member::Member;
use crate::array::Array;
use crate::damage::{Damage, counted};
use crate::error::{Error, Result, problem, unrepairable};
use crate::header::{MAGIC, to_u64};
use crate::options::Options;

/// An archive as it will be written.
#[derive(Debug)]
pub(crate) struct Archive {
    pub(crate) damages: Vec<Damage>,
    pub(crate) remarks: Vec<String>,
    /// The names of the members that are kept.
    pub(crate) names: Vec<String>,
    /// The length of the file, and the directory that is read as if it came after it; empty if that of the file is right.
    length: u64,
    directory: Arc<[u8]>,
    /// The arrays that are written again, by the names of their members.
    arrays: HashMap<String, Array>,
}

/// The result of reading a member.
enum Checked {
    Right,
    /// It cannot be read, for another reason than damage.
    Unknown(String),
    Damaged(String),
}

impl Archive {
    /// Diagnoses an archive of this length.
    pub(crate) fn diagnose(file: &fs::File, length: u64) -> Result<Self> {
        let whole = File::new(file, length, Arc::default());
        let mut archive = match Directory::of_file(whole.clone(), &Limits::default()) {
            Ok(directory) => Archive::of_directory(&whole, &directory)?,
            Err(npy_zip::Error::Io(error)) => return Err(error.into()),
            Err(error) => Archive::of_members(&whole, &problem(&error))?,
        };
        archive.diagnose_arrays(file)?;
        Ok(archive)
    }

    /// Returns true if nothing is wrong.
    pub(crate) fn is_right(&self) -> bool {
        self.damages.is_empty()
    }

    fn new(length: u64) -> Self {
        Archive {
            damages: Vec::new(),
            remarks: Vec::new(),
            names: Vec::new(),
            length,
            directory: Arc::default(),
            arrays: HashMap::new(),
        }
    }

    /// Reads all members of a directory. If some are damaged, those are kept that their own headers describe rightly.
    fn of_directory(file: &File<'_>, directory: &Directory) -> Result<Self> {
        let mut archive = Archive::new(file.len());
        let (mut damaged, mut unknown) = (Vec::new(), Vec::new());
        for entry in directory.entries() {
            match check(directory, entry, file.clone())? {
                Checked::Right => {}
                Checked::Unknown(reason) => unknown.push((entry.name(), reason)),
                Checked::Damaged(reason) => damaged.push((entry.name(), reason)),
            }
            archive.names.push(entry.name().to_owned());
        }
        if damaged.is_empty() && unknown.is_empty() {
            return Ok(archive);
        }
        let mut found = scan::members(file)?;
        // A member that is right by its own header was not encrypted or compressed in another way: its entry is wrong.
        let right = found.members.iter().filter(|member| !member.is_unchecked);
        let right: HashSet<&str> = right.map(|member| &member.label[..]).collect();
        damaged.extend(unknown.extract_if(.., |(name, _)| right.contains(name)));
        if damaged.is_empty() {
            archive.remarks.extend(unknown.iter().map(|(name, reason)| unchecked(name, reason)));
            return Ok(archive);
        }
        let known: HashSet<&str> = directory.entries().iter().map(Entry::name).collect();
        let has_members = !right.is_empty();
        found.members.retain(|member| known.contains(&member.label[..]));
        if found.members.is_empty() && has_members {
            let reason = "the directory has other names for the members than they have themselves; cut off the directory to repair the rest by their own names";
            return Err(unrepairable(reason));
        }
        let mut mended = Archive::new(file.len());
        let kept = mended.keep(&found)?;
        if directory.shadowed() > 0 {
            mended.damages.extend(found.same_names());
        }
        let reasons: HashMap<&str, String> = damaged.into_iter().collect();
        for name in directory.entries().iter().map(Entry::name) {
            let reason = reasons.get(name).cloned();
            match (kept.contains(name), reason) {
                (true, None) => {}
                // The header of the member is right, and the entry in the directory was not.
                (true, Some(_)) => {
                    let reason = format!("the directory has wrong numbers for the member {name:?}");
                    mended.damages.push(Damage::Directory { reason });
                }
                (false, reason) => {
                    let reason = reason.unwrap_or_else(|| "its own header is damaged".into());
                    mended.damages.push(Damage::Member { name: name.to_owned(), reason });
                }
            }
        }
        Ok(mended)
    }

    /// Finds the members of an archive without a directory that can be read.
    fn of_members(file: &File<'_>, error: &str) -> Result<Self> {
        let found = scan::members(file)?;
        let mut archive = Archive::new(file.len());
        archive.damages.push(Damage::Directory { reason: error.to_owned() });
        let kept = archive.keep(&found)?;
        let name = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
        let mut known = HashSet::new();
        for (name, reason) in found.lost.iter().map(|(bytes, reason)| (name(bytes), reason)) {
            // A forged file can claim any number of members.
            if !kept.contains(&name) && known.insert(name.clone()) {
                archive.damages.push(Damage::Member { name, reason: reason.clone() });
            }
        }
        archive.damages.extend(found.same_names());
        Ok(archive)
    }

    /// Keeps members that were found, and returns their names.
    fn keep(&mut self, found: &scan::Found) -> Result<HashSet<String>> {
        if found.members.is_empty() {
            return Err(unrepairable("no member of the archive is complete; copy the file again"));
        }
        self.names = found.members.iter().map(|member| member.label.clone()).collect();
        for member in found.members.iter().filter(|member| member.is_unchecked) {
            let reason = "it is encrypted, or compressed by an unknown method";
            self.remarks.push(unchecked(&member.label, reason));
        }
        self.directory = records::directory(found.members.iter(), self.length).into();
        Ok(self.names.iter().cloned().collect())
    }

    /// Returns the archive as it will be read: the file, and the directory after it.
    fn mended<'f>(&self, file: &'f fs::File) -> Result<(File<'f>, Directory)> {
        let file = File::new(file, self.length, self.directory.clone());
        let directory = Directory::read(file.clone(), &Limits::default()).map_err(of_zip)?;
        Ok((file, directory))
    }

    /// Diagnoses the arrays in the members: a program may have written a part of one, with the checksum of that part.
    fn diagnose_arrays(&mut self, file: &fs::File) -> Result<()> {
        let (file, directory) = self.mended(file)?;
        for entry in directory.entries() {
            let name = entry.name();
            let Ok(mut member) = Member::open(&directory, entry, &file) else { continue };
            let mut start = Vec::new();
            if (&mut member).take(to_u64(MAGIC.len())).read_to_end(&mut start).is_err()
                || start != MAGIC
            {
                continue;
            }
            match Array::diagnose(&mut member, entry.size(), &Options::new()) {
                Ok(array) if array.is_right() => {}
                Ok(array) => {
                    let damages = array.damages.iter().map(|damage| Damage::Array {
                        name: name.to_owned(),
                        damage: Box::new(damage.clone()),
                    });
                    self.damages.extend(damages);
                    self.arrays.insert(name.to_owned(), array);
                }
                Err(Error::Unrepairable { reason }) => {
                    self.remarks.push(format!("member {name:?} is kept as it is: {reason}"));
                }
                // The member was not checked, because it cannot be read completely.
                Err(_) => {}
            }
        }
        Ok(())
    }

    /// Writes the repaired archive.
    pub(crate) fn write(
        &self,
        file: &fs::File,
        options: &whole_file::Options,
        out: &Path,
    ) -> Result<()> {
        let (mut file, directory) = self.mended(file)?;
        let central = directory.central(file.clone()).map_err(of_zip)?;
        let (new, destination) = options.create(out)?.into_parts();
        let spool = || options.spool(destination.directory());
        let deflate = Compression::deflate(6, 1);
        let mut editor =
            Editor::new(&directory, &central, deflate, spool(), spool()).map_err(of_zip)?;
        for entry in directory.entries() {
            let Some(array) = self.arrays.get(entry.name()) else { continue };
            let mut member = Member::open(&directory, entry, &file).map_err(of_zip)?;
            editor.write(entry.name(), |to| {
                to.begin(array.len())?;
                array.write(&mut member, to)
            })?;
        }
        let writer = Writer::file(new, Compression::stored()).map_err(of_zip)?;
        let writer = editor
            .finish(&directory, &central, &mut file, writer)
            .map_err(|error| of_zip(error.error))?;
        destination.finish(writer.finish().map_err(of_zip)?)?;
        Ok(())
    }

    /// Describes the repaired archive.
    pub(crate) fn summary(&self) -> String {
        format!("an archive of {}", counted(to_u64(self.names.len()), "member"))
    }
}

/// Says that a member is kept although it was not checked.
fn unchecked(name: &str, reason: &str) -> String {
    format!("member {name:?} is kept, and was not checked: {reason}")
}

/// Reads a member to its end.
fn check(directory: &Directory, entry: &Entry, file: File<'_>) -> Result<Checked> {
    let read = directory.member(entry, file, &Limits::default()).and_then(|mut member| {
        io::copy(&mut member, &mut io::sink())?;
        Ok(())
    });
    use npy_zip::Error as Zip;
    match read {
        Ok(()) => Ok(Checked::Right),
        Err(Zip::Io(error)) => match error.kind() {
            io::ErrorKind::InvalidData
            | io::ErrorKind::UnexpectedEof
            | io::ErrorKind::InvalidInput => Ok(Checked::Damaged(problem(&error))),
            _ => Err(error.into()),
        },
        Err(error @ (Zip::Unsupported(_) | Zip::Limit { .. } | Zip::Memory { .. })) => {
            Ok(Checked::Unknown(problem(&error)))
        }
        Err(error) => Ok(Checked::Damaged(problem(&error))),
    }
}

fn of_zip(error: npy_zip::Error) -> Error {
    match error {
        npy_zip::Error::Io(error) => error.into(),
        error => unrepairable(problem(&error)),
    }
}
