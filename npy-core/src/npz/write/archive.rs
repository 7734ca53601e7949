//! An archive to which members are added, one after another.
//!
//! A member is written in steps: it begins, its bytes follow, and it ends. Each step is done by the call that makes it, unless other threads still
//! compress earlier bytes: then the steps wait in a queue, in their order.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Read, Write};
use std::mem;

use crc32fast::Hasher;

use super::deflate::{Block, Compressor, Pending};
use super::headers::Member;
use super::output::Output;
use crate::element::block::BLOCK;
use crate::error::Result;
use crate::limits::to_u64;
use crate::npz::directory::Central;
use crate::npz::options::WriteOptions;
use crate::write::array_sink::ArraySink;

/// An archive in a writer.
pub(in crate::npz) struct Archive<W> {
    pub(in crate::npz) output: Output<W>,
    /// The entries of the complete members.
    pub(in crate::npz) directory: Central,
    /// The member of the last step that was done.
    open: Option<Member>,
    /// `None` if members are stored.
    compressor: Option<Compressor>,
    /// The steps that are not done yet. Without threads, there are none between calls.
    steps: VecDeque<Step>,
}

enum Step {
    /// Begins a member of this many bytes.
    Begin {
        name: String,
        size: u64,
    },
    /// Writes compressed bytes, which inflate to `size` bytes.
    Block {
        block: Pending,
        size: usize,
    },
    End,
}

impl<W: Write> Archive<W> {
    pub(in crate::npz) fn new(output: Output<W>, options: &WriteOptions) -> Self {
        Archive {
            output,
            directory: Central::default(),
            open: None,
            compressor: options.level.map(|level| Compressor::new(level, options.threads)),
            steps: VecDeque::new(),
        }
    }

    /// Adds a member of this name in the archive, even if another one has the name. `write` writes its bytes.
    pub(in crate::npz) fn add(
        &mut self,
        name: &str,
        write: &mut dyn FnMut(&mut dyn ArraySink) -> Result<()>,
    ) -> Result<()> {
        let mut member = MemberSink { archive: self, name, is_open: true };
        let written = write(&mut member).and_then(|()| Ok(member.archive.end()?));
        match &written {
            Ok(()) => member.is_open = false,
            Err(error) => member.abort(error),
        }
        written
    }

    /// Adds a member that another archive has: its headers, and its data. Returns false if there is less data than stated.
    pub(in crate::npz) fn add_copy(
        &mut self,
        header: &[u8],
        entry: &[u8],
        data: io::Take<impl Read>,
    ) -> Result<bool> {
        let size = data.limit();
        self.output.write_all(header)?;
        self.directory.push(entry);
        Ok(self.output.copy(data)? == size)
    }

    /// Returns the writer without writing the directory, and the directory.
    pub(in crate::npz) fn take_members(&mut self) -> Result<(W, Central)> {
        self.advance(0)?;
        self.output.check()?;
        Ok((self.output.take_inner()?, mem::take(&mut self.directory)))
    }

    /// Writes the directory, and returns the writer.
    pub(super) fn finish(&mut self) -> Result<W> {
        self.advance(0)?;
        self.output.check()?;
        // Readers look for the directory at the end of the file, so it must end there. A discarded member may have left bytes after this
        // position.
        self.output.go_to_directory(to_u64(self.directory.entries().len()))?;
        let start = self.output.position();
        self.output.write_all(self.directory.entries())?;
        self.output.write_all(&self.directory.end(start))?;
        self.output.take_inner()
    }

    /// Begins a member of this many bytes.
    fn begin(&mut self, name: &str, size: u64) -> io::Result<()> {
        self.output.check()?;
        if let Some(compressor) = &mut self.compressor {
            compressor.begin(size)?;
        }
        self.then(Step::Begin { name: name.to_owned(), size })
    }

    /// Writes the next bytes of the member, and returns their number.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.output.check()?;
        if self.compressor.is_none() {
            return self.store(bytes);
        }
        if self.compressor.as_ref().is_some_and(Compressor::is_full) {
            self.compress(false)?;
        }
        self.compressor.as_mut().map_or(Ok(0), |compressor| compressor.write(bytes))
    }

    /// Completes the member.
    fn end(&mut self) -> io::Result<()> {
        self.compress(true)?;
        self.then(Step::End)
    }

    /// Compresses the next block of the member, if it is compressed.
    fn compress(&mut self, is_last: bool) -> io::Result<()> {
        let waiting = self.waiting_blocks();
        let Some(compressor) = &mut self.compressor else { return Ok(()) };
        let (block, size) = compressor.start(is_last, waiting)?;
        self.then(Step::Block { block, size })
    }

    fn waiting_blocks(&self) -> usize {
        self.steps.iter().filter(|step| matches!(step, Step::Block { .. })).count()
    }

    /// Does a step after those that wait.
    fn then(&mut self, step: Step) -> io::Result<()> {
        self.steps.push_back(step);
        self.advance(self.compressor.as_ref().map_or(0, |compressor| compressor.max_waiting))
    }

    /// Does the steps whose bytes are compressed, in order. Waits for the next block while more than `max` blocks remain.
    fn advance(&mut self, max: usize) -> io::Result<()> {
        let mut blocks = self.waiting_blocks();
        while let Some(step) = self.steps.pop_front() {
            let done = match step {
                Step::Begin { name, size } => self.write_header(name, size),
                Step::End => self.complete(),
                Step::Block { block, size } => {
                    let compressor = self.compressor.as_mut();
                    let result = compressor.and_then(|c| c.pool.result(&block, blocks > max));
                    let Some(result) = result else {
                        self.steps.push_front(Step::Block { block, size });
                        return Ok(());
                    };
                    blocks = blocks.saturating_sub(1);
                    result.and_then(|block| self.append(&block, size))
                }
            };
            if let Err(error) = done {
                if self.compressor.is_some() {
                    // The call that wrote this member may have returned `Ok`, so the error must stop the whole archive.
                    self.output.fail(&error);
                }
                return Err(error);
            }
        }
        Ok(())
    }

    fn write_header(&mut self, name: String, size: u64) -> io::Result<()> {
        let is_deflated = self.compressor.is_some();
        // Bytes that cannot be compressed grow by an eighth at most.
        let max = if is_deflated { size.saturating_add(size / 8) } else { size };
        let member = Member {
            name,
            start: self.output.position(),
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

    /// Writes the next bytes of a stored member, and returns their number.
    fn store(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // At most one block, so that it is still in the cache when it is written after its checksum is computed.
        let block = bytes.get(..BLOCK).unwrap_or(bytes);
        let member = self.open.as_mut().ok_or_else(none_begun)?;
        member.crc.update(block);
        member.add(block.len(), block.len());
        self.output.write_all(block)?;
        Ok(block.len())
    }

    /// Writes the next block of a compressed member, which inflates to `size` bytes.
    fn append(&mut self, block: &Block, size: usize) -> io::Result<()> {
        let member = self.open.as_mut().ok_or_else(none_begun)?;
        member.crc.combine(&block.crc);
        member.add(block.bytes.len(), size);
        self.output.write_all(&block.bytes)
    }

    /// Writes what comes after the bytes of the open member, and its entry.
    fn complete(&mut self) -> io::Result<()> {
        let member = self.open.as_ref().ok_or_else(none_begun)?;
        let entry = member.central()?;
        if member.is_streamed {
            self.output.write_all(&member.descriptor()?)?;
        } else {
            self.output.rewrite(member.start, &member.local()?)?;
        }
        self.directory.push(&entry);
        self.open = None;
        Ok(())
    }

    /// Discards the member that was begun, which is the last one. If the output cannot go back to its start, all later writes fail.
    fn abort(&mut self, why: &dyn fmt::Display) {
        if let Some(compressor) = &mut self.compressor
            && !compressor.abort()
        {
            return;
        }
        while let Some(step) = self.steps.pop_back() {
            if let Step::Begin { .. } = step {
                return;
            }
        }
        let Some(member) = self.open.take() else { return };
        if self.output.check().is_ok() && self.output.go_back(member.start).is_err() {
            self.output.fail(why);
        }
    }
}

#[cold]
fn none_begun() -> io::Error {
    io::Error::other("no member was begun")
}

/// A member that is being written. If this is dropped before the member is complete, the archive does not get the member.
struct MemberSink<'a, W: Write> {
    archive: &'a mut Archive<W>,
    name: &'a str,
    is_open: bool,
}

impl<W: Write> MemberSink<'_, W> {
    fn abort(&mut self, why: &dyn fmt::Display) {
        self.is_open = false;
        self.archive.abort(why);
    }
}

/// Discards the member if encoding a value panicked, because the program may catch the panic and write other members.
impl<W: Write> Drop for MemberSink<'_, W> {
    fn drop(&mut self) {
        if self.is_open {
            self.abort(&"a value panicked");
        }
    }
}

impl<W: Write> ArraySink for MemberSink<'_, W> {
    fn begin(&mut self, bytes: u64) -> io::Result<()> {
        self.archive.begin(self.name, bytes)
    }
}

impl<W: Write> Write for MemberSink<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.archive.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
