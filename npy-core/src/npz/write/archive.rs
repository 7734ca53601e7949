//! An archive to which members are added, one after another.

use std::fmt;
use std::io::{self, Write};
use std::mem;

use crc32fast::Hasher;

use super::headers::Member;
use super::output::Output;
use crate::error::Result;
use crate::limits::to_u64;
use crate::npz::directory::Central;

/// An archive in a writer.
pub(super) struct Archive<W> {
    pub(super) output: Output<W>,
    /// The entries of the complete members.
    directory: Central,
    /// The member that is being written.
    open: Option<Member>,
}

impl<W: Write> Archive<W> {
    /// Continues an archive that already has the members in `directory`.
    pub(super) fn new(output: Output<W>, directory: Central) -> Self {
        Archive { output, directory, open: None }
    }

    /// Begins a member of this many bytes.
    pub(super) fn begin(&mut self, name: String, size: u64, is_deflated: bool) -> io::Result<()> {
        self.output.check()?;
        // Bytes that cannot be compressed grow by an eighth at most.
        let max = if is_deflated { size.saturating_add(size / 8) } else { size };
        let member = Member {
            name,
            start: self.output.position().saturating_sub(self.directory.origin),
            is_deflated,
            is_streamed: self.output.is_stream(),
            is_large: max >= 0xfff0_0000,
            crc: Hasher::new(),
            compressed: 0,
            size: 0,
        };
        let header = member.local()?;
        self.open = Some(member);
        self.output.write_all(&header)
    }

    /// Writes the next bytes of a stored member.
    pub(super) fn write_stored(&mut self, bytes: &[u8]) -> io::Result<()> {
        let member = self.open.as_mut().ok_or_else(none_begun)?;
        member.crc.update(bytes);
        member.size = member.size.saturating_add(to_u64(bytes.len()));
        member.compressed = member.size;
        self.output.write_all(bytes)
    }

    /// Writes the next compressed bytes of a member. They inflate to `size` bytes, whose checksum is `crc`.
    pub(super) fn write_deflated(
        &mut self,
        bytes: &[u8],
        crc: &Hasher,
        size: usize,
    ) -> io::Result<()> {
        let member = self.open.as_mut().ok_or_else(none_begun)?;
        member.crc.combine(crc);
        member.size = member.size.saturating_add(to_u64(size));
        member.compressed = member.compressed.saturating_add(to_u64(bytes.len()));
        self.output.write_all(bytes)
    }

    /// Completes the member.
    pub(super) fn end(&mut self) -> io::Result<()> {
        let member = self.open.as_ref().ok_or_else(none_begun)?;
        let entry = member.central()?;
        if member.is_streamed {
            self.output.write_all(&member.descriptor()?)?;
        } else {
            let start = self.directory.origin.saturating_add(member.start);
            self.output.rewrite(start, &member.local()?)?;
        }
        self.directory.push(&entry);
        self.open = None;
        Ok(())
    }

    /// Discards the member that was begun. If the output cannot go back to the member's start, all later writes fail.
    pub(super) fn abort(&mut self, why: &dyn fmt::Display) {
        let Some(member) = self.open.take() else { return };
        let start = self.directory.origin.saturating_add(member.start);
        if self.output.check().is_ok() && self.output.go_back(start).is_err() {
            self.output.fail(why);
        }
    }

    /// Returns the writer without writing the directory, and the directory.
    pub(super) fn take_members(&mut self) -> Result<(W, Central)> {
        self.output.check()?;
        Ok((self.output.take_inner()?, mem::take(&mut self.directory)))
    }

    /// Writes the directory, and returns the writer.
    pub(super) fn finish(&mut self) -> Result<W> {
        self.output.check()?;
        // Readers look for the directory at the end of the file, so it must end there. A discarded member may have left bytes after this
        // position.
        self.output.go_to_directory(to_u64(self.directory.entries().len()))?;
        let start = self.output.position();
        self.output.write_all(self.directory.entries())?;
        self.output.write_all(&self.directory.end(start))?;
        self.output.take_inner()
    }
}

#[cold]
fn none_begun() -> io::Error {
    io::Error::other("no member was begun")
}
