//! The members of an archive whose directory is missing or wrong: they are found by their own headers.
//!
//! The file is read from its start. Where a member ends and another record follows, the next one is expected; otherwise the next header is
//! searched. At the end, all members that were found are read. A forged file can claim members within members, so the bytes that are searched
//! are limited to a few times the size of the file.

use std::collections::{HashMap, HashSet};
use std::io::Cursor;

use npy_zip::{Directory, Limits};

use super::cut::Cut;
use super::file::File;
use super::records::{self, Member};
use super::{Checked, check, of_zip};
use crate::array::Array;
use crate::damage::Damage;
use crate::error::{Result, problem, unrepairable};
use crate::header::{MAX_HEADER, to_u64};
use crate::options::Options;

/// The members that were found, in the order of the file.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Those whose bytes have their checksum, and those that cannot be checked: one of each name.
    pub(super) members: Vec<Member>,
    pub(super) lost: Vec<Lost>,
    /// The member within which the file ends, if rows of its array are complete.
    cut: Option<Member>,
    /// The same if it is compressed.
    pub(super) inflated: Option<Cut>,
    /// The names of several members, each once.
    pub(super) repeated: Vec<Vec<u8>>,
    /// The members of these names that are kept only if the preferred one is damaged, by their names; the likeliest is the last.
    others: HashMap<Vec<u8>, Vec<Member>>,
    /// The end of the last member.
    pub(super) end: u64,
}

/// A member that is damaged.
#[derive(Debug)]
pub(super) struct Lost {
    pub(super) name: Vec<u8>,
    pub(super) reason: String,
    pub(super) start: u64,
    /// The end of its data, by the size in its header.
    end: u64,
}

/// A file that is searched.
struct Scan<'f> {
    file: &'f File<'f>,
    /// True if the members end with a directory, so that a member which reaches beyond the end of the file has a wrong size.
    has_directory: bool,
    /// The number of bytes that may still be searched.
    budget: u64,
    found: Found,
}

/// The reasons why a member has no end.
const INCOMPLETE: &str = "the file ends within the member";
const STOPPED: &str = "its writer was stopped before it was complete";
const TOO_MANY: &str = "it was not checked, because too many members overlap";

/// The most members that are found, which is the most that are read.
const MAX_MEMBERS: usize = 1 << 20;

/// This many zeros at the end of a file may never have been written. Fewer are also a part of an array.
const MANY_ZEROS: u64 = 16;

/// The cost of reading a member alone, in addition to its bytes.
const COST_ALONE: u64 = 1 << 17;

/// The bytes that a search reads, however near its end is.
const COST_OF_SEARCH: u64 = 256;

/// The number of inflated bytes that cost as much as a byte of the file. A real member becomes at most 1,100 times its size.
const INFLATED_AT_ONCE: u64 = 256;

/// Finds the members of a file. The directory states positions of members, which are preferred to others of the same name.
pub(super) fn members(file: &File<'_>, stated: &HashSet<u64>) -> Result<Found> {
    let budget = file.len().saturating_mul(8).saturating_add(1 << 24);
    let has_directory = records::has_directory(file)?;
    let mut scan = Scan { file, has_directory, budget, found: Found::default() };
    let mut from = 0;
    while let Some(start) = records::next_member(file, from)? {
        let (size, member) = Member::read(file, start)?;
        if !scan.spend(size) {
            let name = b"?".to_vec();
            scan.found.lost.push(Lost { name, reason: TOO_MANY.into(), start, end: start });
            break;
        }
        from = match member {
            Some(member) => scan.member(member)?,
            None => start + 4,
        };
        if scan.found.members.len().max(scan.found.lost.len()) > MAX_MEMBERS {
            return Err(unrepairable(format!("it has more than {MAX_MEMBERS} members")));
        }
    }
    scan.found.end = scan.found.members.iter().map(|member| member.end).max().unwrap_or(0);
    scan.found.mark_within();
    scan.found.keep_one(stated);
    scan.found.forget_unnamed(file)?;
    scan.found.keep_cut();
    scan.found.keep_inflated();
    scan.check()?;
    Ok(scan.found)
}

impl Scan<'_> {
    /// Finds the end of a member, and returns the position from which the next one is searched.
    fn member(&mut self, member: Member) -> Result<u64> {
        let (name, data) = (member.name.clone(), member.data);
        let (start, stated_end) = (member.start, member.stated_end().unwrap_or(u64::MAX));
        let lost = |name, reason| Lost { name, reason, start, end: stated_end };
        // The length of a damaged header may be wrong, too, so that others seem to be within it.
        let after_damage = start + 4;
        if is_index(&name) {
            let end = member.stated_end().filter(|&end| end <= self.file.len()).unwrap_or(data);
            return Ok(if records::is_boundary(self.file, end)? { end } else { data });
        }
        let (member, is_delimited) = match self.end_of(member.clone())? {
            Ok(found) => found,
            Err(reason) => {
                let is_last = !self.has_directory && (reason == INCOMPLETE || reason == STOPPED);
                let reason = if is_last { self.keep_rows(&member, reason)? } else { Some(reason) };
                self.found.lost.extend(reason.map(|reason| lost(name, reason)));
                // A truncated archive ends within this member: headers in its data are those of other archives.
                return Ok(if self.has_directory && self.budget > 0 {
                    after_damage
                } else {
                    self.file.len()
                });
            }
        };
        let end = member.end;
        if is_delimited {
            self.found.members.push(member);
            return Ok(end);
        }
        if !self.spend_alone(&member) {
            self.found.lost.push(lost(name, TOO_MANY.into()));
            return Ok(self.file.len());
        }
        match check_alone(self.file, &member)? {
            Checked::Right => self.found.members.push(member),
            Checked::Unknown(reason) | Checked::Damaged(reason) => {
                self.found.lost.push(lost(name, reason));
                return Ok(after_damage);
            }
        }
        Ok(end)
    }

    /// Keeps the complete rows of the member within which the file ends. If there are none, returns the reason with which it is lost. Zeros at the end
    /// may be space that a copy made for bytes which never came, so only rows before them are certain.
    fn keep_rows(&mut self, member: &Member, mut reason: String) -> Result<Option<String>> {
        // Deflated, even one zero that was never written makes wrong values, and one that was is only the end of some rows.
        let min = if member.is_deflated() { 1 } else { MANY_ZEROS };
        let file = self.file.without_zeros(member.data, min)?;
        let zeros = self.file.len().saturating_sub(file.len());
        if zeros > 0 {
            let zeros = match zeros {
                1 => "byte of the file is zero".to_owned(),
                _ => format!("{zeros} bytes of the file are zeros"),
            };
            reason += &format!("; the last {zeros}, which may never have been written");
        }
        if member.is_deflated() && self.spend_cut(member) {
            self.found.inflated = Cut::find(&file, member, &reason)?;
            return Ok(self.found.inflated.is_none().then_some(reason));
        }
        let kept = if member.is_stored() { rows(&file, member.data)? } else { None };
        let Some((kept, axis)) = kept else { return Ok(Some(reason)) };
        let (all, _) = rows(self.file, member.data)?.unwrap_or((kept, axis));
        match all.saturating_sub(kept) {
            0 => {}
            1 => reason += &format!("; 1 more along dimension {axis} is left out"),
            more => reason += &format!("; {more} more along dimension {axis} are left out"),
        }
        let checksum = file.checksum(member.data)?;
        self.found.cut = Some(member.clone().cut(file.len(), checksum, reason));
        Ok(None)
    }

    /// Finds the end of a member's data; true if another record follows. The error is the reason why it has none.
    fn end_of(&mut self, member: Member) -> Result<std::result::Result<(Member, bool), String>> {
        let incomplete = || Ok(Err(INCOMPLETE.to_owned()));
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
                false => Ok(Err(STOPPED.into())),
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
            if !self.spend((at - from).saturating_add(COST_OF_SEARCH)) {
                return Ok(Err(TOO_MANY.into()));
            }
            let mut found = None;
            for member in
                member.with_descriptor(at, &self.file.bytes(at, 24)?).into_iter().flatten()
            {
                let is_delimited = records::is_boundary(self.file, member.end)?;
                if is_delimited || found.is_none() {
                    found = Some((member, is_delimited));
                }
                if is_delimited {
                    break;
                }
            }
            if let Some(found) = found {
                return Ok(Ok(found));
            }
            from = at + 4;
        }
        let reason =
            if self.spend(self.file.len().saturating_sub(from)) { INCOMPLETE } else { TOO_MANY };
        Ok(Err(reason.into()))
    }

    /// Reads all members, and keeps those that are not damaged. In the place of a damaged one, another of its name is kept.
    fn check(&mut self) -> Result<()> {
        let members = std::mem::take(&mut self.found.members);
        let entries = members.iter().map(Member::entry);
        let file =
            self.file.ending_with(self.file.len(), records::directory(entries, self.file.len()));
        let directory = Directory::read(file.clone(), &Limits::default()).map_err(of_zip)?;
        if directory.entries().len() != members.len() {
            let reason = "names of members differ as bytes, and are one name to readers; unpack the archive with another tool";
            return Err(unrepairable(reason));
        }
        for (mut member, entry) in members.into_iter().zip(directory.entries()) {
            member.label = entry.name().to_owned();
            match check(&directory, entry, file.clone())? {
                Checked::Right => self.found.members.push(member),
                Checked::Unknown(reason) => {
                    member.unchecked = Some(reason);
                    self.found.members.push(member);
                }
                Checked::Damaged(reason) => {
                    let other = self.other(&member)?;
                    self.found.members.extend(other);
                    let Member { name, start, end, .. } = member;
                    self.found.lost.push(Lost { name, reason, start, end });
                }
            }
        }
        Ok(())
    }

    /// Returns the last complete member that has the name of a damaged one.
    fn other(&mut self, damaged: &Member) -> Result<Option<Member>> {
        let others = self.found.others.remove(&damaged.name).unwrap_or_default();
        for mut member in others.into_iter().rev() {
            if !self.spend_alone(&member) {
                return Ok(None);
            }
            let is_named_so = member.is_utf8() == damaged.is_utf8();
            if is_named_so && let Checked::Right = check_alone(self.file, &member)? {
                member.label.clone_from(&damaged.label);
                return Ok(Some(member));
            }
        }
        Ok(None)
    }

    /// Returns false if reading this member alone is more than a real archive needs.
    fn spend_alone(&mut self, member: &Member) -> bool {
        let work = (member.end - member.data).saturating_add(member.inflated() / INFLATED_AT_ONCE);
        self.spend(work.saturating_add(COST_ALONE))
    }

    /// Returns false if inflating what is left of this member is more than a real archive needs.
    fn spend_cut(&mut self, member: &Member) -> bool {
        let member = member.clone().cut_within_data(self.file.len());
        self.spend_alone(&member)
    }

    /// Returns false if more bytes were read than a real archive needs.
    fn spend(&mut self, bytes: u64) -> bool {
        let left = self.budget.checked_sub(bytes);
        self.budget = left.unwrap_or(0);
        left.is_some()
    }
}

impl Found {
    /// Returns the damage of each name that several members have.
    pub(super) fn same_names(&self) -> impl Iterator<Item = Damage> {
        let names = self.repeated.iter().map(|name| String::from_utf8_lossy(name).into_owned());
        names.map(|name| Damage::SameName { name })
    }

    /// Marks the members that are within a damaged one.
    fn mark_within(&mut self) {
        // Both lists have the order of the file.
        let mut lost = self.lost.iter().peekable();
        let mut lost_end = 0;
        for member in &mut self.members {
            while let Some(before) = lost.next_if(|lost| lost.start < member.start) {
                lost_end = lost_end.max(before.end);
            }
            member.is_within = member.end <= lost_end;
        }
    }

    /// Prefers one member of each name, which is the last one: the others are older, or forged. But the directory knows better, and a member
    /// within a damaged one is likely that of another archive.
    fn keep_one(&mut self, stated: &HashSet<u64>) {
        let mut kept: HashMap<&[u8], (bool, bool, u64)> = HashMap::new();
        let mut repeated = HashSet::new();
        for Member { name, start, is_within, .. } in &self.members {
            let rank = (stated.contains(start), !is_within, *start);
            if let Some(other) = kept.insert(name, rank) {
                kept.insert(name, rank.max(other));
                repeated.insert(name.clone());
            }
        }
        self.repeated = repeated.into_iter().collect();
        self.repeated.sort();
        let kept: HashSet<u64> = kept.into_values().map(|(.., start)| start).collect();
        let is_other = |member: &mut Member| !kept.contains(&member.start);
        for member in self.members.extract_if(.., is_other) {
            self.others.entry(member.name.clone()).or_default().push(member);
        }
        self.others.values_mut().for_each(|others| others.sort_by_key(|member| !member.is_within));
    }

    /// Keeps the member within which the file ends, unless a complete one has its name.
    fn keep_cut(&mut self) {
        let Some(cut) = self.cut.take() else { return };
        if self.members.iter().any(|member| member.name == cut.name) {
            let Member { name, unchecked, start, end, .. } = cut;
            self.lost.push(Lost { name, reason: unchecked.unwrap_or_default(), start, end });
        } else {
            self.members.push(cut);
        }
    }

    /// Forgets a compressed member within which the file ends if a complete one has its name.
    fn keep_inflated(&mut self) {
        let cut =
            self.inflated.take_if(|cut| self.members.iter().any(|member| member.name == cut.name));
        self.lost.extend(cut.map(|Cut { name, reason, start, end, .. }| Lost {
            name,
            reason,
            start,
            end,
        }));
    }

    /// Forgets members that a directory does not name in addition to the preferred ones: they may be those of an archive within another member.
    fn forget_unnamed(&mut self, file: &File<'_>) -> Result<()> {
        if !self.others.is_empty() {
            let names = records::listed(file, self.end)?;
            let repeated = records::repeated(&names);
            self.others.retain(|name, _| names.is_empty() || repeated.contains(&name[..]));
        }
        Ok(())
    }
}

/// Returns true for the seek index of the member before it, which is not a member.
pub(super) fn is_index(name: &[u8]) -> bool {
    let last = name.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    last.starts_with(b".") && last.ends_with(b".sozip.idx")
}

/// Returns the number of complete rows of the array from this position to the end of the file, and their dimension; `None` if there are
/// none.
fn rows(file: &File<'_>, data: u64) -> Result<Option<(usize, usize)>> {
    let start = file.bytes(data, to_u64(MAX_HEADER))?;
    let length = file.len().saturating_sub(data);
    let array = Array::diagnose(&mut Cursor::new(start), length, &Options::new());
    Ok(array.ok().map(|array| array.rows()))
}

/// Reads a member in an archive of its own.
fn check_alone(file: &File<'_>, member: &Member) -> Result<Checked> {
    let directory = records::directory([member.entry()].into_iter(), member.end);
    let alone = file.ending_with(member.end, directory);
    let directory = match Directory::read(alone.clone(), &Limits::default()) {
        Ok(directory) => directory,
        Err(npy_zip::Error::Io(error)) => return Err(error.into()),
        Err(error) => return Ok(Checked::Damaged(problem(&error))),
    };
    match directory.entries() {
        [entry] => check(&directory, entry, alone),
        _ => Ok(Checked::Damaged("it has no name".into())),
    }
}
