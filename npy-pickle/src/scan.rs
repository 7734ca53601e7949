//! Finds the end of a pickle, which states no length, without running it.

use super::opcode::{self, Missing};
use crate::checked;
use crate::error::{Error, malformed, to_u64};

/// The search for the end of a pickle that arrives in parts.
///
/// The scan also counts the nodes, so that their memory can be reserved at once.
///
/// ```
/// use npy_pickle::{Scan, Scanned};
///
/// let text = b"\x80\x03](K\x07e. and more";
/// let mut scan = Scan::default();
/// assert!(matches!(scan.resume(&text[..5], false)?, Scanned::Incomplete { needed: 6, .. }));
/// assert!(matches!(scan.resume(text, false)?, Scanned::Complete { length: 8, .. }));
/// # Ok::<(), npy_pickle::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Scan {
    /// The opcodes before this position are complete.
    at: usize,
    /// No line feed is between `at` and this position.
    searched: usize,
    nodes: usize,
    /// The number of bytes that were left out of the text so far.
    left_out: u64,
    /// The end of the last frame, as a position in the pickle. All bytes before it belong to the pickle.
    frame_end: u64,
}

/// The result of a scan, which ends in one of these ways.
#[derive(Debug)]
pub enum Scanned {
    /// The pickle ends in the text.
    Complete {
        /// Its number of bytes.
        length: usize,
        /// The largest number of its nodes.
        nodes: usize,
    },
    /// The pickle goes on after the text.
    Incomplete {
        /// The number of bytes that the scan needs at least.
        needed: u64,
        /// The number of bytes that the pickle has at least, unless it is truncated.
        known: u64,
    },
    /// The contents of a large bytes object come next. The caller leaves them out: in the text, the bytes after the contents come next.
    LeftOut {
        /// Their number of bytes.
        length: u64,
    },
}

/// A bytes object of this many bytes, or more, may be left out of the text.
const LARGE: u64 = 1 << 18;

const STOP: u8 = b'.';
const FRAME: u8 = 0x95;

impl Scan {
    /// Continues with `text`, which starts with the text of the call before. With `leaves_out`, the contents of large bytes objects are
    /// left out of the text: the caller removes the part of them that it has already read.
    ///
    /// ```
    /// use npy_pickle::{Scan, Scanned};
    ///
    /// let mut scan = Scan::default();
    /// assert!(matches!(scan.resume(b"K", false)?, Scanned::Incomplete { needed: 2, .. }));
    /// assert!(matches!(scan.resume(b"K\x07.", false)?, Scanned::Complete { length: 3, nodes: 1 }));
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] if the bytes are not a pickle.
    pub fn resume(&mut self, text: &[u8], leaves_out: bool) -> Result<Scanned, Error> {
        loop {
            match self.step(text, leaves_out) {
                Ok(None) => {}
                Ok(Some(found)) => return Ok(found),
                Err(Missing::Needs(needed)) => {
                    self.searched = text.len();
                    let known = self.frame_end.saturating_sub(self.left_out).max(needed);
                    return Ok(Scanned::Incomplete { needed, known });
                }
                Err(Missing::Refused(reason)) => return Err(malformed(self.at, reason)),
            }
        }
    }

    /// Skips one opcode.
    #[inline]
    fn step(&mut self, text: &[u8], leaves_out: bool) -> Result<Option<Scanned>, Missing> {
        let step = opcode::next(text, self.at, self.searched)?;
        let start = self.in_pickle(self.at);
        if leaves_out && step.is_bytes() && step.length >= LARGE {
            (self.at, self.nodes) = (step.start, checked::add(self.nodes, step.nodes.into()));
            self.left_out = self.left_out.saturating_add(step.length);
            self.check_frame(start)?;
            return Ok(Some(Scanned::LeftOut { length: step.length }));
        }
        let argument = step.argument(text)?;
        (self.at, self.nodes) = (argument.end, checked::add(self.nodes, step.nodes.into()));
        self.check_frame(start)?;
        match step.opcode {
            // Python refuses this unless other bytes follow. No pickle of its own is like that.
            STOP if self.in_pickle(self.at) < self.frame_end => {
                Err(Missing::Refused("the pickle ends before its last frame"))
            }
            STOP => Ok(Some(Scanned::Complete { length: self.at, nodes: self.nodes })),
            FRAME if start < self.frame_end => {
                Err(Missing::Refused("a frame begins before the end of the last one"))
            }
            FRAME => {
                let length = text.get(argument).and_then(<[u8]>::first_chunk).copied();
                let length = u64::from_le_bytes(length.unwrap_or_default());
                let end = self.in_pickle(self.at).checked_add(length);
                let end = end.filter(|&end| i64::try_from(end).is_ok());
                self.frame_end = end.ok_or(Missing::Refused("a frame of 2⁶³ bytes or more"))?;
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// Refuses an opcode that began at `start` within a frame, and ends after it.
    #[inline]
    fn check_frame(&self, start: u64) -> Result<(), Missing> {
        if start < self.frame_end && self.frame_end < self.in_pickle(self.at) {
            return Err(Missing::Refused("an opcode continues after the end of its frame"));
        }
        Ok(())
    }

    /// Converts a position in the text to one in the pickle.
    fn in_pickle(&self, at: usize) -> u64 {
        to_u64(at).saturating_add(self.left_out)
    }

    /// Returns the position in the text at which the scan continues.
    ///
    /// ```
    /// use npy_pickle::Scan;
    ///
    /// let mut scan = Scan::default();
    /// scan.resume(b"K\x07K", false)?;
    /// assert_eq!(scan.position(), 2);
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn position(&self) -> usize {
        self.at
    }
}
