//! Finds the end of a pickle, which states no length, without running it.

use super::malformed;
use super::opcode::{self, Missing};
use crate::checked;
use crate::error::Error;
use crate::limits::to_u64;

/// The search for the end of a pickle that arrives in parts.
///
/// The scan also counts the nodes, so that their memory can be reserved at once.
#[derive(Default)]
pub(crate) struct Scan {
    /// The opcodes before this position are complete.
    at: usize,
    /// No line feed is between `at` and this position.
    searched: usize,
    nodes: usize,
    /// The bytes before this position belong to the pickle, according to a frame.
    frame_end: u64,
}

/// The result of a scan.
pub(crate) enum Scanned {
    /// The pickle has this length, and at most this many nodes.
    Complete { length: usize, nodes: usize },
    /// The scan needs at least `needed` bytes. The pickle has at least `known` bytes, unless it is truncated.
    Incomplete { needed: u64, known: u64 },
    /// The contents of a large bytes object come next. The caller leaves them out: in the text, the bytes after the contents come next.
    LeftOut { length: u64 },
}

/// A bytes object of this many bytes, or more, may be left out of the text.
const LARGE: u64 = 1 << 18;

const STOP: u8 = b'.';
const FRAME: u8 = 0x95;

impl Scan {
    /// Continues with `text`, which starts with the text of the call before. With `leaves_out`, the contents of large bytes objects are
    /// left out of the text: the caller removes the part of them that it has already read.
    pub(crate) fn resume(&mut self, text: &[u8], leaves_out: bool) -> Result<Scanned, Error> {
        loop {
            match self.step(text, leaves_out) {
                Ok(None) => {}
                Ok(Some(found)) => return Ok(found),
                Err(Missing::Needs(needed)) => {
                    self.searched = text.len();
                    return Ok(Scanned::Incomplete { needed, known: self.frame_end.max(needed) });
                }
                Err(Missing::Refused(reason)) => return Err(malformed(self.at, reason)),
            }
        }
    }

    /// Skips one opcode.
    #[inline]
    fn step(&mut self, text: &[u8], leaves_out: bool) -> Result<Option<Scanned>, Missing> {
        let step = opcode::next(text, self.at, self.searched)?;
        if leaves_out && step.is_bytes() && step.length >= LARGE {
            (self.at, self.nodes) = (step.start, checked::add(self.nodes, step.nodes.into()));
            return Ok(Some(Scanned::LeftOut { length: step.length }));
        }
        let argument = step.argument(text)?;
        (self.at, self.nodes) = (argument.end, checked::add(self.nodes, step.nodes.into()));
        match step.opcode {
            STOP => Ok(Some(Scanned::Complete { length: self.at, nodes: self.nodes })),
            FRAME => {
                let length = checked::slice(text, argument).first_chunk().copied();
                let length = u64::from_le_bytes(length.unwrap_or_default());
                self.frame_end = to_u64(self.at).saturating_add(length);
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// Returns the position in the text at which the scan continues.
    pub(crate) fn position(&self) -> usize {
        self.at
    }
}
