//! The opcodes of pickles, protocols 0 to 5, and the sizes of their arguments. The source is Python's `pickletools`.

use std::ops::Range;

use crate::checked;
use crate::error::to_u64;

/// The argument that follows an opcode.
#[derive(Clone, Copy)]
enum Argument {
    /// This many bytes.
    Fixed(u8),
    /// A length of this many bytes, then the bytes that it counts.
    Counted(u8),
    /// The rest of the line, with its line feed.
    Line,
    /// Two lines, with their line feeds.
    TwoLines,
    /// None, because the opcode is refused.
    Refused(&'static str),
}

/// Returns the argument of an opcode, and the largest number of nodes that it makes.
const fn layout(opcode: u8) -> (Argument, u8) {
    use Argument::{Counted, Fixed, Line, Refused, TwoLines};
    match opcode {
        // These make no node: they change the stack or the memo, add to a node that exists, or end the pickle. `)` makes no node either:
        // there is one empty tuple, for which `machine` reserves a node in advance.
        b'(' | b'0' | b'1' | b'2' | b'a' | b'e' | b's' | b'u' | b'b' | b'.' => (Fixed(0), 0),
        b')' | 0x90 | 0x94 => (Fixed(0), 0),
        b'N' | b']' | b'}' | b'l' | b't' | b'd' | b'R' => (Fixed(0), 1),
        0x81 | 0x85..=0x89 | 0x8f | 0x91 | 0x93 => (Fixed(0), 1),
        b'o' | 0x92 => (Fixed(0), 2),
        0x80 | b'q' | b'h' => (Fixed(1), 0),
        b'r' | b'j' => (Fixed(4), 0),
        0x95 => (Fixed(8), 0),
        b'K' => (Fixed(1), 1),
        b'M' => (Fixed(2), 1),
        b'J' => (Fixed(4), 1),
        b'G' => (Fixed(8), 1),
        b'p' | b'g' => (Line, 0),
        b'I' | b'L' | b'F' | b'S' | b'V' => (Line, 1),
        b'c' => (TwoLines, 1),
        b'i' => (TwoLines, 3),
        b'U' | b'C' | 0x8a | 0x8c => (Counted(1), 1),
        b'X' | b'B' | b'T' | 0x8b => (Counted(4), 1),
        0x8d | 0x8e | 0x96 => (Counted(8), 1),
        b'P' | b'Q' => {
            (Refused("a persistent id, which only the program that wrote it can resolve"), 0)
        }
        0x82..=0x84 => {
            (Refused("an extension code, which only a registry in Python can resolve"), 0)
        }
        0x97 | 0x98 => (Refused("a buffer that is stored outside the pickle"), 0),
        _ => (Refused("a byte that is not an opcode"), 0),
    }
}

/// The layouts of all opcodes.
#[expect(clippy::indexing_slicing, reason = "the compiler evaluates it")]
static LAYOUTS: [(Argument, u8); 256] = {
    let mut layouts = [(Argument::Fixed(0), 0); 256];
    let mut opcode = 0u8;
    loop {
        layouts[opcode as usize] = layout(opcode);
        match opcode.checked_add(1) {
            Some(next) => opcode = next,
            None => break layouts,
        }
    }
};

/// The maximum length in bytes of a two-line argument: the name of a module, and the name of a class or function in it. No real name is
/// that long.
pub(super) const MAX_NAMES: usize = 4096;
pub(super) const LONG_NAME: &str = "the name of a module or of something in it is too long";

/// One opcode of a pickle.
pub(super) struct Step {
    pub(super) opcode: u8,
    /// The position of the argument: after its length, if it has one.
    pub(super) start: usize,
    /// The length of the argument, including line feeds. The bytes read so far may end within the argument.
    pub(super) length: u64,
    /// The largest number of nodes that the opcode makes.
    pub(super) nodes: u8,
}

/// The reason why there is no complete opcode.
pub(super) enum Missing {
    /// At least this many bytes of the pickle are needed.
    Needs(u64),
    /// The opcode is refused, for this reason.
    Refused(&'static str),
}

impl Step {
    /// Returns the position of the next opcode.
    #[inline]
    pub(super) fn end(&self) -> u64 {
        to_u64(self.start).saturating_add(self.length)
    }

    /// Returns true if the argument is the contents of a `bytes` or `bytearray` object whose length prefix takes four or eight bytes.
    #[inline]
    pub(super) fn is_bytes(&self) -> bool {
        matches!(self.opcode, b'B' | 0x8e | 0x96)
    }

    /// Returns the range of the argument, if the text contains all of it.
    #[inline]
    pub(super) fn argument(&self, text: &[u8]) -> Result<Range<usize>, Missing> {
        match usize::try_from(self.end()) {
            Ok(end) if end <= text.len() => Ok(self.start..end),
            _ => Err(Missing::Needs(self.end())),
        }
    }
}

/// Finds the opcode at `at`, and the length of its argument. If the argument is a line, the search for its line feed begins at `searched`;
/// the caller knows that there is none before.
#[inline]
pub(super) fn next(text: &[u8], at: usize, searched: usize) -> Result<Step, Missing> {
    let start = checked::add(at, 1);
    let Some(&opcode) = text.get(at) else { return Err(Missing::Needs(to_u64(start))) };
    let Some(&(argument, nodes)) = LAYOUTS.get(usize::from(opcode)) else {
        return Err(Missing::Refused("a byte that is not an opcode"));
    };
    let (start, length) = match argument {
        Argument::Fixed(length) => (start, length.into()),
        Argument::Counted(1) => match text.get(start) {
            Some(&length) => (checked::add(start, 1), length.into()),
            None => return Err(Missing::Needs(to_u64(start).saturating_add(1))),
        },
        Argument::Counted(size) => {
            let end = checked::add(start, size.into());
            let Some(length) = text.get(start..end) else {
                return Err(Missing::Needs(to_u64(end)));
            };
            let length = match length.first_chunk() {
                Some(&length) => u64::from_le_bytes(length),
                None => {
                    u32::from_le_bytes(length.first_chunk().copied().unwrap_or_default()).into()
                }
            };
            (end, length)
        }
        Argument::Line | Argument::TwoLines | Argument::Refused(_) => {
            (start, lines(argument, text, start, searched)?)
        }
    };
    Ok(Step { opcode, start, length, nodes })
}

/// Returns the length of an argument of one or two lines, or the reason why the opcode is refused.
#[cold]
fn lines(argument: Argument, text: &[u8], start: usize, searched: usize) -> Result<u64, Missing> {
    match argument {
        Argument::Line => line(text, start, searched.max(start)),
        Argument::TwoLines => {
            let second = line(text, start, start).and_then(|first| {
                let start = start.saturating_add(usize::try_from(first).unwrap_or(usize::MAX));
                Ok(line(text, start, start)?.saturating_add(first))
            });
            let found = second.as_ref().map_or(to_u64(text.len().saturating_sub(start)), |n| *n);
            if found > to_u64(MAX_NAMES) { Err(Missing::Refused(LONG_NAME)) } else { second }
        }
        Argument::Refused(reason) => Err(Missing::Refused(reason)),
        Argument::Fixed(length) | Argument::Counted(length) => Ok(length.into()),
    }
}

/// Returns the length from `start` to the end of the first line that ends at or after `searched`.
fn line(text: &[u8], start: usize, searched: usize) -> Result<u64, Missing> {
    let rest = text.get(searched..).unwrap_or_default();
    match rest.iter().position(|&byte| byte == b'\n') {
        Some(at) => Ok(to_u64(checked::sub(checked::add(checked::add(searched, at), 1), start))),
        None => Err(Missing::Needs(to_u64(text.len()).saturating_add(1))),
    }
}
