//! An archive: the members that are complete, and the archive that is written of them.
//!
//! Nothing is decoded and encoded again: [`Editor`] copies the members. If the directory is wrong, one is made of the headers of the members
//! (`archive/scan.rs`), and is read as if it was at the end of the file (`archive/file.rs`).

mod cut;
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

use self::cut::Cut;
use self::file::File;
use self::member::Member;
use crate::array::Array;
use crate::damage::{Damage, counted};
use crate::error::{Error, Result, problem, unrepairable};
use crate::header::{MAGIC, foreign, to_u64};
use crate::options::Options;

/// An archive as it will be written.
#[derive(Debug)]
pub(crate) struct Archive {
    pub(crate) damages: Vec<Damage>,
    pub(crate) remarks: Vec<String>,
    /// True if bytes after the array of a member stay.
    pub(crate) has_uncounted: bool,
    /// The names of the members that are kept.
    pub(crate) names: Vec<String>,
    /// The names of members that are kept although they are damaged.
    pub(crate) unrepairable: Vec<String>,
    /// The length of the file, and the directory that is read as if it came after it; empty if that of the file is right.
    length: u64,
    directory: Arc<[u8]>,
    /// The arrays that are written again, by the names of their members.
    arrays: HashMap<String, Array>,
    /// The array of the compressed member within which the file ends.
    cut: Option<Cut>,
}

/// The number of bytes by which another format is known.
const FIRST: u64 = 64;

const NO_MEMBER: &str = "no member of the archive is complete; copy the file again";

/// The result of reading a member.
enum Checked {
    Right,
    /// It cannot be read, for another reason than damage.
    Unknown(String),
    Damaged(String),
}

impl Archive {
    /// Diagnoses an archive of this length.
    pub(crate) fn diagnose(file: &fs::File, length: u64, options: &Options) -> Result<Self> {
        let whole = File::new(file, length, Arc::default());
        let mut archive = match Directory::of_file(whole.clone(), &Limits::default()) {
            Ok(directory) => Archive::at_end(&whole, &directory)?,
            Err(npy_zip::Error::Io(error)) => return Err(error.into()),
            Err(error) => {
                let found = scan::members(&whole, &HashSet::new())?;
                if found.members.is_empty()
                    && found.inflated.is_none()
                    && let Some(hint) = foreign(&File::bytes(&whole, 0, FIRST)?)
                {
                    return Err(unrepairable(format!("not an archive; {hint}")));
                }
                Archive::of_members(&whole, found, &problem(&error))?
            }
        };
        archive.diagnose_arrays(file, options)?;
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
            has_uncounted: false,
            unrepairable: Vec::new(),
            names: Vec::new(),
            length,
            directory: Arc::default(),
            arrays: HashMap::new(),
            cut: None,
        }
    }

    /// Diagnoses the archive whose directory is at the end of the file. It may be an archive within the last member of another one, whose own directory
    /// was never written.
    fn at_end(file: &File<'_>, directory: &Directory) -> Result<Self> {
        let first = directory.entries().iter().map(Entry::header_start).min();
        if first == Some(0) || first.is_some() && !records::begins_with_member(file)? {
            return Archive::of_directory(file, directory);
        }
        let start = first.unwrap_or(file.len());
        let found = scan::members(file, &HashSet::new())?;
        if let Some(outer) = found.members.iter().find(|member| member.contains(start, file.len()))
        {
            let reason = format!(
                "the directory at the end of the file is that of the archive in its member {:?}",
                outer.label
            );
            return Archive::of_members(file, found, &reason);
        }
        // The end record of an archive may have been overwritten: an empty archive has no members before its directory.
        if first.is_none() && !(found.members.is_empty() && found.lost.is_empty()) {
            let reason = "the directory names no member, and the file has some";
            return Archive::of_members(file, found, reason);
        }
        let mut archive = Archive::of_directory(file, directory)?;
        // Of a name that the directory has, an older one is not missed.
        let is_before = |member: &&records::Member| {
            member.end <= start && directory.find(&member.label).is_none()
        };
        let before = found.members.iter().filter(is_before);
        archive.remarks.extend(before.map(|member| {
            format!(
                "member {:?} is left out: it is before the archive, and the directory does not name it; cut off the directory to keep it",
                member.label
            )
        }));
        Ok(archive)
    }

    /// Reads all members of a directory. Those that are damaged are kept if their own headers describe them rightly; nothing else changes.
    fn of_directory(file: &File<'_>, directory: &Directory) -> Result<Self> {
        let mut archive = Archive::new(file.len());
        let (mut damaged, mut unknown) = (HashMap::new(), HashMap::new());
        for entry in directory.entries() {
            match check(directory, entry, file.clone())? {
                Checked::Right => {}
                Checked::Unknown(reason) => drop(unknown.insert(entry.name(), reason)),
                Checked::Damaged(reason) => drop(damaged.insert(entry.name(), reason)),
            }
            archive.names.push(entry.name().to_owned());
        }
        let is_repeated = directory.shadowed() > 0;
        if damaged.is_empty() && unknown.is_empty() && !is_repeated {
            return Ok(archive);
        }
        let stated = directory.entries().iter().map(Entry::header_start).collect();
        let found = scan::members(file, &stated)?;
        let (mut right, mut others) = (HashMap::new(), HashMap::new());
        let names = records::listed(file, found.end)?;
        let repeated = records::repeated(&names);
        for member in found.members.iter().filter(|member| member.unchecked.is_none()) {
            let label = member.label.as_str();
            match directory.find(label) {
                Some(entry) if !is_of_entry(member, directory, entry, file)? => {
                    // The directory names it, too, but readers see only the last of its name.
                    if repeated.contains(&member.name[..]) && !member.is_within {
                        others.insert(label, member);
                    }
                }
                _ => drop(right.insert(label, member)),
            }
        }
        // A member that is right by its own header was not encrypted or compressed in another way: its entry is wrong.
        damaged.extend(unknown.extract_if(|name, _| right.contains_key(*name)));
        archive.remarks.extend(unknown.iter().map(|(name, reason)| unchecked(name, reason)));
        archive.remarks.sort();
        if damaged.is_empty() && !is_repeated {
            return Ok(archive);
        }
        let mut entries = Vec::new();
        archive.names.clear();
        if is_repeated {
            archive.damages.extend(found.same_names());
            if archive.damages.is_empty() {
                let reason = "the directory names a member several times".to_owned();
                archive.damages.push(Damage::Directory { reason });
            }
        }
        for entry in directory.entries() {
            let name = entry.name().to_owned();
            let bytes = match (damaged.get(&name[..]), right.get(&name[..])) {
                (None, _) => {
                    let bytes = directory.entry_bytes(entry, &mut file.clone()).map_err(of_zip)?;
                    let member = right.get(&name[..]).copied();
                    moved(bytes, entry.header_start(), member)?
                }
                (Some(_), Some(member)) => {
                    let reason = format!("the directory has wrong numbers for the member {name:?}");
                    archive.damages.push(Damage::Directory { reason });
                    member.entry()
                }
                (Some(reason), None) => match others.get(&name[..]) {
                    Some(member) => {
                        archive.remarks.push(other_of_name(&name, reason));
                        member.entry()
                    }
                    None => {
                        archive.damages.push(Damage::Member { name, reason: reason.clone() });
                        continue;
                    }
                },
            };
            entries.push(bytes);
            archive.names.push(name);
        }
        if entries.is_empty() {
            return Err(unrepairable(match right.is_empty() {
                true => NO_MEMBER,
                false => {
                    "the directory has other names for the members than they have themselves; cut off the directory to repair the rest by their own names"
                }
            }));
        }
        archive.directory = records::directory(entries.into_iter(), archive.length).into();
        Ok(archive)
    }

    /// Keeps the members that were found of an archive without a directory that can be read.
    fn of_members(file: &File<'_>, mut found: scan::Found, error: &str) -> Result<Self> {
        let mut archive = Archive::new(file.len());
        archive.damages.push(Damage::Directory { reason: error.to_owned() });
        archive.cut = found.inflated.take();
        let found = &found;
        archive.keep(found)?;
        let text = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
        archive.remarks.extend(later_of_names(found));
        let mut known: HashSet<String> = archive.names.iter().cloned().collect();
        known.extend(found.members.iter().map(|member| text(&member.name)));
        let listed = records::listed(file, found.end)?;
        let named: HashSet<&[u8]> = listed.iter().map(|name| &name[..]).collect();
        for member in &found.members {
            if member.is_within && !named.contains(&member.name[..]) {
                archive.remarks.push(within(&member.label));
            }
        }
        let listed = listed.iter().filter(|name| !scan::is_index(name));
        let listed = listed
            .map(|name| (&name[..], "the directory names it, and it has no header of this name"));
        let lost = found.lost.iter().map(|lost| (&lost.name[..], &lost.reason[..]));
        for (name, reason) in lost.chain(listed) {
            // A forged file can claim any number of members.
            if known.insert(text(name)) {
                let damage = Damage::Member { name: text(name), reason: reason.to_owned() };
                archive.damages.push(damage);
            }
        }
        archive.damages.extend(found.same_names());
        Ok(archive)
    }

    /// Keeps members that were found.
    fn keep(&mut self, found: &scan::Found) -> Result<()> {
        if found.members.is_empty() && self.cut.is_none() {
            return Err(unrepairable(NO_MEMBER));
        }
        self.names = found.members.iter().map(|member| member.label.clone()).collect();
        for member in &found.members {
            if let Some(reason) = &member.unchecked {
                self.remarks.push(unchecked(&member.label, reason));
            }
        }
        if let Some(Cut { label, reason, array, .. }) = &self.cut {
            self.names.push(label.clone());
            self.remarks.push(unchecked(label, reason));
            self.damages.extend(damages_of(label, array));
        }
        let entries = found.members.iter().map(records::Member::entry);
        self.directory = records::directory(entries, self.length).into();
        Ok(())
    }

    /// Returns the archive as it will be read: the file, and the directory after it.
    fn mended<'f>(&self, file: &'f fs::File) -> Result<(File<'f>, Directory)> {
        let file = File::new(file, self.length, self.directory.clone());
        let directory = Directory::read(file.clone(), &Limits::default()).map_err(of_zip)?;
        Ok((file, directory))
    }

    /// Diagnoses the arrays in the members: a program may have written a part of one, with the checksum of that part.
    fn diagnose_arrays(&mut self, file: &fs::File, options: &Options) -> Result<()> {
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
            match Array::diagnose(&mut member, entry.size(), options) {
                Ok(array) => {
                    // Readers refuse a member with any bytes after its array.
                    self.has_uncounted |= !array.remarks.is_empty();
                    let remarks = array.remarks.iter();
                    self.remarks.extend(remarks.map(|remark| format!("member {name:?}: {remark}")));
                    if !array.is_right() {
                        self.damages.extend(damages_of(name, &array));
                        self.arrays.insert(name.to_owned(), array);
                    }
                }
                Err(error @ (Error::Unrepairable { .. } | Error::LostHeader { .. })) => {
                    self.remarks.push(format!("member {name:?} is kept as it is: {error}"));
                    self.unrepairable.push(name.to_owned());
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
        let source = file;
        let (mut file, directory) = self.mended(source)?;
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
        if let Some(cut) = &self.cut {
            editor.write(&cut.label, |to| {
                to.begin(cut.array.len())?;
                cut.write(source, to)
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
        let archive = format!("an archive of {}", counted(to_u64(self.names.len()), "member"));
        match self.unrepairable.len() {
            0 => archive,
            damaged => format!("{archive}, {damaged} of them damaged"),
        }
    }
}

/// Returns the damage of the array in a member.
fn damages_of(name: &str, array: &Array) -> impl Iterator<Item = Damage> {
    array
        .damages
        .iter()
        .map(|damage| Damage::Array { name: name.to_owned(), damage: Box::new(damage.clone()) })
}

/// Says that a member is kept although it was not checked.
fn unchecked(name: &str, reason: &str) -> String {
    format!("member {name:?} is kept, and was not checked: {reason}")
}

/// Says that the last member of a name is damaged, and another one is kept.
fn other_of_name(name: &str, reason: &str) -> String {
    format!(
        "member {name:?}: the last of this name is damaged ({reason}); the one before it is kept"
    )
}

/// Returns a remark for each member that is kept although a later one of its name is damaged.
fn later_of_names(found: &scan::Found) -> Vec<String> {
    let mut lost: HashMap<&[u8], &scan::Lost> = HashMap::new();
    for one in &found.lost {
        let last = lost.entry(&one.name).or_insert(one);
        if one.start > last.start {
            *last = one;
        }
    }
    let later = |member: &records::Member| {
        let lost = lost.get(&member.name[..]).filter(|lost| lost.start > member.start)?;
        Some(other_of_name(&member.label, &lost.reason))
    };
    found.members.iter().filter_map(later).collect()
}

/// Says that a member is kept although it may not be one of the archive itself.
fn within(name: &str) -> String {
    format!(
        "member {name:?} is kept, and may be one of an archive in a damaged member: it is within that, and the directory does not name it"
    )
}

/// Returns true if a member that was found is that of an entry, whose position or checksum is right. A member of the same name may be one of an
/// archive within another member.
fn is_of_entry(
    member: &records::Member,
    directory: &Directory,
    entry: &Entry,
    file: &File<'_>,
) -> Result<bool> {
    if member.start == entry.header_start() {
        return Ok(true);
    }
    let bytes = directory.entry_bytes(entry, &mut file.clone()).map_err(of_zip)?;
    Ok(member.has_checksum_of(&bytes))
}

/// Returns an entry with the position of its member in the file. An entry that has four bytes for it may need more.
fn moved(entry: Vec<u8>, start: u64, member: Option<&records::Member>) -> Result<Vec<u8>> {
    let moved = records::placed(entry, start).or_else(|| Some(member?.entry()));
    moved
        .ok_or_else(|| unrepairable("the archive begins after 4 GiB of other bytes; cut these off"))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Guards an archive after more than 4 GiB of other bytes, whose entries have four bytes for a position.
    #[test]
    fn an_entry_that_has_too_few_bytes_for_a_position_is_made_again() {
        let start = 1 << 33;
        let member = records::Member::named(b"a", start);
        let entry = records::Member::named(b"a", 7).entry();
        assert_eq!(moved(entry.clone(), 7, None).unwrap(), entry);
        assert_eq!(moved(entry.clone(), start, Some(&member)).unwrap(), member.entry());
        let error = moved(entry, start, None).unwrap_err().to_string();
        assert!(error.starts_with("the archive begins after 4 GiB of other bytes; cut"), "{error}");
    }
}
