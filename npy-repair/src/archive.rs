//! An archive: the members that are complete, and the archive that is written of them.
//!
//! Nothing is decoded and encoded again: [`Editor`] copies the members. If the directory is wrong, one is made of the headers of the members
//! (`archive/scan.rs`), and is read as if it was at the end of the file (`archive/file.rs`).

mod file;
mod records;
mod scan;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{self, Read};
use std::path::Path;

use npy_zip::{Compression, Directory, Editor, Entry, Limits, Writer};

use self::file::File;
use self::records::Member;
use crate::array::Array;
use crate::damage::{Damage, counted};
use crate::error::{Error, Result, unrepairable};
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
    directory: Vec<u8>,
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
        let whole = File::new(file, length, Vec::new());
        let mut archive = match Directory::of_file(whole.clone(), &Limits::default()) {
            Ok(directory) => Archive::of_directory(&whole, &directory)?,
            Err(npy_zip::Error::Io(error)) => return Err(error.into()),
            Err(error) => Archive::of_members(&whole, &error.to_string())?,
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
            directory: Vec::new(),
            arrays: HashMap::new(),
        }
    }

    /// Reads all members of a directory. If some are damaged, those are kept that their own headers describe rightly.
    fn of_directory(file: &File<'_>, directory: &Directory) -> Result<Self> {
        let mut archive = Archive::new(file.len());
        let mut damaged = Vec::new();
        for entry in directory.entries() {
            match check(directory, entry, file.clone())? {
                Checked::Right => {}
                Checked::Unknown(reason) => archive.remark(entry.name(), &reason),
                Checked::Damaged(reason) => damaged.push((entry.name(), reason)),
            }
            archive.names.push(entry.name().to_owned());
        }
        if damaged.is_empty() {
            return Ok(archive);
        }
        let mut found = scan::members(file)?;
        let known: HashSet<&str> = directory.entries().iter().map(Entry::name).collect();
        found.members.retain(|member| known.contains(&member.label[..]));
        let mut archive = Archive::new(file.len());
        let kept = archive.keep(found)?;
        for (name, reason) in damaged {
            // The header of the member is right, and the entry in the directory was not.
            if kept.contains(name) {
                let reason = format!("the directory has wrong numbers for the member {name:?}");
                archive.damages.push(Damage::Directory { reason });
            } else {
                archive.damages.push(Damage::Member { name: name.to_owned(), reason });
            }
        }
        let reason = "its own header is damaged";
        for name in directory.entries().iter().map(Entry::name) {
            let is_known = |damage: &Damage| matches!(damage, Damage::Member { name: known, .. } if known == name);
            if !kept.contains(name) && !archive.damages.iter().any(is_known) {
                archive.damages.push(Damage::Member { name: name.into(), reason: reason.into() });
            }
        }
        Ok(archive)
    }

    /// Finds the members of an archive without a directory that can be read.
    fn of_members(file: &File<'_>, error: &str) -> Result<Self> {
        let mut found = scan::members(file)?;
        let mut archive = Archive::new(file.len());
        archive.damages.push(Damage::Directory { reason: error.to_owned() });
        let lost = std::mem::take(&mut found.lost);
        let kept = archive.keep(found)?;
        for (name, reason) in lost {
            let name = String::from_utf8_lossy(&name).into_owned();
            if !kept.contains(&name) {
                archive.damages.push(Damage::Member { name, reason });
            }
        }
        Ok(archive)
    }

    /// Keeps members that were found, of each name the last one, and returns the names.
    fn keep(&mut self, found: scan::Found) -> Result<HashSet<String>> {
        let mut last: HashMap<&str, u64> = HashMap::new();
        let mut repeated = Vec::new();
        for Member { label, start, .. } in &found.members {
            if last.insert(label, *start).is_some() && !repeated.contains(&label) {
                repeated.push(label);
            }
        }
        let kept = || {
            found.members.iter().filter(|member| last.get(&member.label[..]) == Some(&member.start))
        };
        self.names = kept().map(|member| member.label.clone()).collect();
        if self.names.is_empty() {
            return Err(unrepairable("no member of the archive is complete; copy the file again"));
        }
        for name in repeated {
            self.damages.push(Damage::SameName { name: name.clone() });
        }
        for (name, reason) in &found.unchecked {
            self.remark(name, reason);
        }
        self.directory = records::directory(kept(), self.length);
        Ok(self.names.iter().cloned().collect())
    }

    fn remark(&mut self, name: &str, reason: &str) {
        self.remarks.push(format!("member {name:?} is kept, and was not checked: {reason}"));
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
            let Ok(mut member) = directory.member(entry, file.clone(), &Limits::default()) else {
                continue;
            };
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
            let mut member =
                directory.member(entry, file.clone(), &Limits::default()).map_err(of_zip)?;
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
            | io::ErrorKind::InvalidInput => Ok(Checked::Damaged(error.to_string())),
            _ => Err(error.into()),
        },
        Err(error @ (Zip::Unsupported(_) | Zip::Limit { .. } | Zip::Memory { .. })) => {
            Ok(Checked::Unknown(error.to_string()))
        }
        Err(error) => Ok(Checked::Damaged(error.to_string())),
    }
}

fn of_zip(error: npy_zip::Error) -> Error {
    match error {
        npy_zip::Error::Io(error) => error.into(),
        error => unrepairable(error.to_string()),
    }
}
