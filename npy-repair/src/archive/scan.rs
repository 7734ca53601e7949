//! The members of an archive whose directory is missing or wrong: they are found by their own headers.
//!
//! The file is read once from its start. After a member that is complete, the next one is expected; otherwise the next header is searched. A
//! forged file can claim members within members, so the bytes that are read are limited to a few times the size of the file.

use npy_zip::{Directory, Limits};

use super::file::File;
use super::records::{self, Member};
use super::{Checked, check};
use crate::error::Result;

/// The members that were found, in the order of the file.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Those whose bytes have their checksum, and those that cannot be checked.
    pub(super) members: Vec<Member>,
    /// Those that are damaged, with the reason.
    pub(super) lost: Vec<(Vec<u8>, String)>,
    /// Those that cannot be checked.
    pub(super) unchecked: Vec<(String, String)>,
}

/// A file that is searched.
struct Scan<'f> {
    file: &'f File<'f>,
    /// True if the members end with a directory, so that a member which reaches beyond the end of the file has a wrong size.
    has_directory: bool,
    /// The number of bytes that may still be read.
    budget: u64,
    found: Found,
}

/// Finds the members of a file.
pub(super) fn members(file: &File<'_>) -> Result<Found> {
    let budget = file.len().saturating_mul(8).saturating_add(1 << 20);
    let has_directory = records::has_directory(file)?;
    let mut scan = Scan { file, has_directory, budget, found: Found::default() };
    let mut from = 0;
    while let Some(start) = records::next_member(file, from)? {
        from = match Member::read(file, start)? {
            Some(member) => scan.member(member)?,
            None => start + 4,
        };
    }
    Ok(scan.found)
}

impl Scan<'_> {
    /// Checks a member, and returns the position from which the next one is searched.
    fn member(&mut self, member: Member) -> Result<u64> {
        let (name, data) = (member.name.clone(), member.data);
        if is_index(&name) {
            return Ok(member.stated_end().filter(|&end| end <= self.file.len()).unwrap_or(data));
        }
        let (mut member, is_delimited) = match self.end_of(member)? {
            Ok(found) => found,
            Err(reason) => {
                self.found.lost.push((name, reason));
                // A truncated archive ends within this member: headers in its data are those of other archives.
                return Ok(if self.has_directory { data } else { self.file.len() });
            }
        };
        if !self.spend(member.end - data) {
            self.found
                .lost
                .push((name, "it was not checked, because too many members overlap".into()));
            return Ok(self.file.len());
        }
        let end = member.end;
        let checked;
        (checked, member.label) = check_alone(self.file, &member)?;
        match checked {
            Checked::Right => self.found.members.push(member),
            Checked::Unknown(reason) if is_delimited => {
                self.found.unchecked.push((member.label.clone(), reason));
                self.found.members.push(member);
            }
            Checked::Unknown(reason) | Checked::Damaged(reason) => {
                self.found.lost.push((name, reason));
                return Ok(if is_delimited { end } else { data });
            }
        }
        Ok(end)
    }

    /// Finds the end of a member's data; true if another record follows. The error is the reason why it has none.
    fn end_of(&mut self, member: Member) -> Result<std::result::Result<(Member, bool), String>> {
        let incomplete = || Ok(Err("the file ends within the member".to_owned()));
        if !member.has_no_size() {
            let Some(end) = member.stated_end().filter(|&end| end <= self.file.len()) else {
                return incomplete();
            };
            // A descriptor repeats the sizes of the header: with or without a signature, and with sizes of four or eight bytes.
            let descriptors: &[u64] = if member.is_streamed() { &[16, 24, 12, 20] } else { &[] };
            for more in [0].iter().chain(descriptors) {
                let after = end.saturating_add(*more);
                if after <= self.file.len() && records::is_boundary(self.file, after)? {
                    return Ok(Ok((member.ending_at(after), true)));
                }
            }
            return Ok(Ok((member.ending_at(end), false)));
        }
        if !member.is_streamed() {
            let at_end = member.data == self.file.len();
            return match !at_end && records::is_boundary(self.file, member.data)? {
                true => Ok(Ok((member.without_data(), true))),
                false => Ok(Err("its writer was stopped before it was complete".into())),
            };
        }
        self.end_of_stream(&member)
    }

    /// Finds the descriptor after the data of a member whose size is nowhere else.
    fn end_of_stream(
        &mut self,
        member: &Member,
    ) -> Result<std::result::Result<(Member, bool), String>> {
        let mut from = member.data;
        while let Some(at) = records::next_descriptor(self.file, from)? {
            if !self.spend(at - from) {
                return Ok(Err("it was not checked, because too many members overlap".into()));
            }
            if let Some(found) = member.with_descriptor(at, &self.file.bytes(at, 24)?) {
                let is_delimited = records::is_boundary(self.file, found.end)?;
                return Ok(Ok((found, is_delimited)));
            }
            from = at + 4;
        }
        self.spend(self.file.len().saturating_sub(from));
        Ok(Err("the file ends within the member".into()))
    }

    /// Returns false if more bytes were read than a real archive needs.
    fn spend(&mut self, bytes: u64) -> bool {
        let left = self.budget.checked_sub(bytes);
        self.budget = left.unwrap_or(0);
        left.is_some()
    }
}

/// Returns true for the seek index of the member before it, which is no member.
fn is_index(name: &[u8]) -> bool {
    let last = name.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    last.starts_with(b".") && last.ends_with(b".sozip.idx")
}

/// Reads a member in an archive of its own, and returns its name as readers decode it, too.
fn check_alone(file: &File<'_>, member: &Member) -> Result<(Checked, String)> {
    let alone = file.ending_with(member.end, records::directory([member].into_iter(), member.end));
    let directory = match Directory::read(alone.clone(), &Limits::default()) {
        Ok(directory) => directory,
        Err(npy_zip::Error::Io(error)) => return Err(error.into()),
        Err(error) => return Ok((Checked::Damaged(error.to_string()), String::new())),
    };
    match directory.entries() {
        [entry] => Ok((check(&directory, entry, alone)?, entry.name().to_owned())),
        _ => Ok((Checked::Damaged("it is none".into()), String::new())),
    }
}
