//! The kinds of damage, each with its text.

use std::fmt;

use crate::rows::Uncounted;

/// Something that is wrong with a file, and what the repaired file will have instead.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// use npy_core::{Header, Order};
/// use npy_repair::{Damage, Options, diagnose};
///
/// let mut file = Header::new("<u2".parse()?, [4], Order::C)?.to_bytes()?;
/// file.extend([1, 0, 2, 0, 3]); // of eight bytes
/// std::fs::write("x.npy", file)?;
/// let plan = diagnose("x.npy", &Options::new())?;
/// assert!(matches!(plan.damages(), [Damage::Truncated { kept: 2, rest: 1, .. }]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Damage {
    /// One of the six bytes that each `.npy` file begins with is wrong.
    Magic {
        /// The bytes that are there.
        found: [u8; 6],
    },
    /// The file has a version of the format that does not exist, or another one than the form of its header.
    Version {
        /// The first number.
        major: u8,
        /// The second number.
        minor: u8,
    },
    /// The header has another length than it states.
    HeaderLength {
        /// The number of bytes that is stated.
        stated: u64,
        /// The number of bytes that it has.
        found: u64,
    },
    /// The dictionary in the header is not followed by blanks and a line end alone, and the size of the file says that the header has the right length.
    Padding,
    /// The text of the header is latin-1, and its version says UTF-8.
    Encoding,
    /// A value in the header is not written as NumPy reads it.
    Value {
        /// The value as it is.
        found: String,
        /// The same value as NumPy reads it.
        written: String,
    },
    /// The dtype has metadata, which NumPy can write and not read.
    Metadata {
        /// The number of dtypes that have some.
        count: usize,
        /// The first of them.
        first: String,
    },
    /// The file has no header.
    NoHeader {
        /// The header that it gets.
        header: String,
        /// The number of bytes of an incomplete row at the end, which are left out.
        rest: u64,
    },
    /// The header is damaged, and the data after it is raw data.
    LostHeader {
        /// The number of bytes of the header, which are left out.
        bytes: u64,
        /// The header that the data gets.
        header: String,
        /// The number of bytes of an incomplete row at the end, which are left out.
        rest: u64,
    },
    /// Each `\n` became `\r\n` when the file was copied.
    LineEnds {
        /// The number of them.
        count: u64,
    },
    /// Each byte from 0x80 on became a character of UTF-8 when the file was copied.
    Utf8 {
        /// The number of them.
        count: u64,
    },
    /// The file ends before the array does.
    Truncated {
        /// The number of bytes that are missing.
        missing: u64,
        /// The number of rows that the header states: along the first dimension, or in Fortran order along the last.
        stated: usize,
        /// The number of complete rows, which are kept.
        kept: usize,
        /// The number of bytes of an incomplete row, which are left out.
        rest: u64,
        /// The dimension of the rows.
        axis: usize,
    },
    /// Complete rows follow the array, and [are counted](crate::Options::uncounted_rows). The bytes of an incomplete one are left out.
    Uncounted(Uncounted),
    /// Other bytes follow the array, and [are left out](crate::Options::uncounted_rows).
    After {
        /// The number of them.
        bytes: u64,
    },
    /// The directory of an archive is missing or damaged. The members are found by their own headers.
    Directory {
        /// The problem.
        reason: String,
    },
    /// A member of an archive is damaged, and left out.
    Member {
        /// Its name.
        name: String,
        /// The problem.
        reason: String,
    },
    /// Several members have this name. The last that is complete is kept.
    SameName {
        /// The name.
        name: String,
    },
    /// The array in a member is damaged, and is repaired.
    Array {
        /// The name of the member.
        name: String,
        /// The damage.
        damage: Box<Damage>,
    },
}

impl Damage {
    /// Returns true if the repaired file lacks something that the damaged one should have.
    ///
    /// ```
    /// use npy_repair::Damage;
    ///
    /// assert!(!Damage::Encoding.loses());
    /// assert!(Damage::Truncated { missing: 8, stated: 3, kept: 2, rest: 0, axis: 0 }.loses());
    /// ```
    pub fn loses(&self) -> bool {
        match self {
            Damage::Truncated { .. }
            | Damage::After { .. }
            | Damage::Member { .. }
            | Damage::SameName { .. } => true,
            Damage::Uncounted(Uncounted { rest, .. })
            | Damage::NoHeader { rest, .. }
            | Damage::LostHeader { rest, .. } => *rest > 0,
            Damage::Array { damage, .. } => damage.loses(),
            _ => false,
        }
    }
}

/// Prints the problem, and what is done about it.
impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Damage::Magic { found } => write!(
                f,
                "it begins with \"{}\" in place of \"\\x93NUMPY\"; the rest is a header, so the first bytes are mended",
                found.escape_ascii()
            ),
            Damage::Version { major: major @ 1..=3, minor: 0 } => write!(
                f,
                "its version {major}.0 does not fit the form of its header; the header is read by its form, and gets the right version"
            ),
            Damage::Version { major, minor } => write!(
                f,
                "its version {major}.{minor} does not exist; the header is read by its form, and gets the right version"
            ),
            Damage::HeaderLength { stated, found } => write!(
                f,
                "the header is said to have {}, and has {found}; it gets the right length",
                counted(*stated, "byte")
            ),
            Damage::Padding => f.write_str(
                "the padding after the dictionary of the header has other bytes than blanks; they become blanks",
            ),
            Damage::Encoding => f.write_str(
                "the header is latin-1, and its version 3.0 says UTF-8; it is written as the version of its text",
            ),
            Damage::Value { found, written } => write!(
                f,
                "the header has {}, which NumPy does not read; it becomes {written}",
                shortened(found)
            ),
            Damage::Metadata { count, first } => write!(
                f,
                "{} metadata, {}, which NumPy does not read; it is left out",
                if *count == 1 { "the dtype has".into() } else { format!("{count} dtypes have") },
                shortened(first)
            ),
            Damage::NoHeader { header, rest } => {
                let bytes = if *rest == 0 { "its bytes" } else { "the bytes of its complete rows" };
                write!(f, "it has no header; it gets that of {header}, and {bytes} stay as they are")?;
                rest_left_out(f, *rest, "row at the end")?;
                if *rest == 0 {
                    return Ok(());
                }
                f.write_str("; if its first bytes are a header of another program, cut these off first")
            }
            Damage::LostHeader { bytes, header, rest } => {
                let kept = if *rest == 0 { "bytes" } else { "bytes of complete rows" };
                write!(
                    f,
                    "its first {bytes} bytes are a damaged header; the data after them gets that of {header}, and its {kept} stay as they are"
                )?;
                rest_left_out(f, *rest, "row at the end")
            }
            Damage::LineEnds { count } => write!(
                f,
                "it was copied as text: {} became \\r\\n; each becomes \\n again, which gives the length that the header states",
                counted(*count, "line end")
            ),
            Damage::Utf8 { count } => write!(
                f,
                "it was copied as text: {} became UTF-8; each becomes a byte again, which gives the length that the header states",
                counted(*count, "byte")
            ),
            Damage::Truncated { missing, stated, kept, rest, axis } => {
                write!(
                    f,
                    "truncated: {} missing; the first {kept} of {stated} along dimension {axis} are complete and kept",
                    match missing {
                        1 => "1 byte is".into(),
                        n => format!("{n} bytes are"),
                    },
                )?;
                rest_left_out(f, *rest, "one")?;
                // `\n` in place of each `\r\n` cannot be told from an early end.
                f.write_str("; if the file was copied as text, they may be wrong: copy it again as binary")
            }
            Damage::Uncounted(rows) => {
                write!(f, "{rows} after the array, which the header does not count; now it does")?;
                rest_left_out(f, rows.rest, "one")
            }
            Damage::After { bytes } => {
                let verb = if *bytes == 1 { "is" } else { "are" };
                write!(f, "{} after the array, which {verb} left out", counted(*bytes, "byte"))
            }
            Damage::Directory { reason } => {
                write!(f, "{}; the members are found by their own headers", reason)
            }
            Damage::Member { name, reason } => {
                write!(f, "member {name:?}: {}; it is left out", reason)
            }
            Damage::SameName { name } => write!(
                f,
                "several members have the name {name:?}; the last that is complete is kept"
            ),
            Damage::Array { name, damage } => write!(f, "member {name:?}: {damage}"),
        }
    }
}

fn rest_left_out(f: &mut fmt::Formatter<'_>, rest: u64, row: &str) -> fmt::Result {
    match rest {
        0 => Ok(()),
        1 => write!(f, ", and 1 byte of an incomplete {row} is left out"),
        n => write!(f, ", and {n} bytes of an incomplete {row} are left out"),
    }
}

/// Returns a number and its noun.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// Returns a text of a file for a message: short, and without control characters.
pub(crate) fn shortened(text: &str) -> String {
    const MAX: usize = 60;
    let mut shown: String = text.chars().take(MAX).flat_map(char::escape_default).collect();
    if text.chars().nth(MAX).is_some() {
        shown.push('…');
    }
    shown.replace("\\'", "'").replace("\\\"", "\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_damage_says_what_is_done() {
        let truncated = Damage::Truncated { missing: 5, stated: 4, kept: 2, rest: 1, axis: 0 };
        for (damage, text) in [
            (
                truncated.clone(),
                "truncated: 5 bytes are missing; the first 2 of 4 along dimension 0 are complete and kept, and 1 byte of an incomplete one is left out; if the file was copied as text, they may be wrong: copy it again as binary",
            ),
            (
                Damage::Array { name: "x.npy".into(), damage: Box::new(Damage::Encoding) },
                "member \"x.npy\": the header is latin-1, and its version 3.0 says UTF-8; it is written as the version of its text",
            ),
            (
                Damage::Member { name: "a".into(), reason: "the checksum is wrong".into() },
                "member \"a\": the checksum is wrong; it is left out",
            ),
            (
                Damage::Value { found: "(np.int64(3),)".into(), written: "(3,)".into() },
                "the header has (np.int64(3),), which NumPy does not read; it becomes (3,)",
            ),
            (
                Damage::Uncounted(Uncounted { rows: 1, rest: 0, axis: 0 }),
                "1 row after the array, which the header does not count; now it does",
            ),
            (Damage::After { bytes: 3 }, "3 bytes after the array, which are left out"),
            (
                Damage::Uncounted(Uncounted { rows: 1, rest: 0, axis: 1 }),
                "1 column after the array, which the header does not count; now it does",
            ),
            (
                Damage::Uncounted(Uncounted { rows: 2, rest: 1, axis: 2 }),
                "2 parts along the last dimension after the array, which the header does not count; now it does, and 1 byte of an incomplete one is left out",
            ),
        ] {
            assert_eq!(damage.to_string(), text);
        }
        assert!(truncated.loses() && !Damage::Encoding.loses());
        let no_header = |rest| Damage::NoHeader { header: "'<u2' (1, 4)".into(), rest };
        assert!(no_header(4).loses() && !no_header(0).loses());
        let text = "it has no header; it gets that of '<u2' (1, 4), and the bytes of its complete rows stay as they are, and 4 bytes of an incomplete row at the end are left out; if its first bytes are a header of another program, cut these off first";
        assert_eq!(no_header(4).to_string(), text);
    }

    #[test]
    fn texts_of_files_are_short_and_printable() {
        assert_eq!(shortened("('|S3', {\"a\": '\x1b'})"), "('|S3', {\"a\": '\\u{1b}'})");
        assert_eq!(shortened(&"x".repeat(100)).chars().count(), 61);
    }
}
