//! The argument `FILE[::MEMBER][[SLICE]]`, in Python's words: `model.npz::layers/0/weights[:10,0]`, `t.npy[1000:2000]`; `-` is standard
//! input.
//!
//! `Target` has a parser for clap, so an argument is declared as `file: Target`. Paths need not be UTF-8. A path that exists as it is
//! written is never taken apart, and a member that exists is never taken for a slice of another. `Target::to_string` is what messages call the file.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::builder::{OsStringValueParser, TypedValueParser, ValueParser, ValueParserFactory};
use npy_core::npz;

use crate::raw::Raw;
use crate::remote;

/// An array, or an archive, that an argument names.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Target {
    /// `-` is standard input.
    pub(crate) path: PathBuf,
    /// The member of an archive.
    pub(crate) member: Option<String>,
    /// One for each dimension; `None` if the argument has no slice.
    pub(crate) slice: Option<Vec<Index>>,
    /// How the file is read if it has no header.
    pub(crate) raw: Option<Raw>,
}

/// One part of a slice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Index {
    /// `3`, `-1`: the dimension is dropped.
    At(i64),
    /// `1:10:2`: a range, and its step.
    Range { start: Option<i64>, stop: Option<i64>, step: i64 },
    /// `...`: as many complete dimensions as are left.
    Ellipsis,
}

/// Precedes `-[…]` and `-::member` in arguments, which would look like options. No argument of a user can have it.
const STDIN_MARK: char = '\0';

/// Marks an argument that names a part of standard input, and so is not an option.
pub(crate) fn marked(argument: OsString) -> OsString {
    match argument.to_str() {
        Some(text) if text.starts_with("-[") || text.starts_with("-::") => {
            format!("{STDIN_MARK}{text}").into()
        }
        _ => argument,
    }
}

impl Target {
    /// Returns true for standard input.
    pub(crate) fn is_stdin(&self) -> bool {
        self.path.as_os_str() == "-"
    }

    /// Returns true for a file at a URL.
    pub(crate) fn is_url(&self) -> bool {
        remote::is_url(&self.path)
    }

    /// Returns true for standard input, a pipe and the like, which can be read only once.
    pub(crate) fn is_stream(&self) -> bool {
        self.is_stdin() || self.path.metadata().is_ok_and(|file| !file.is_file())
    }

    /// Returns the same file, with this member of it.
    pub(crate) fn with_member(&self, name: &str) -> Target {
        Target { member: Some(name.to_owned()), ..self.clone() }
    }

    /// Refuses a slice, for commands that are about complete arrays.
    pub(crate) fn whole(&self) -> crate::output::Result<()> {
        match self.slice {
            None => Ok(()),
            Some(_) => Err(crate::output::Failure::new(
                self,
                "only the complete array can be described; leave out the slice, or print it with npy head or npy cat",
            )),
        }
    }

    /// Returns the path for messages: `standard input` for `-`.
    pub(crate) fn path_text(&self) -> String {
        if self.is_stdin() { "standard input".into() } else { self.path.display().to_string() }
    }
}

/// Refuses standard input, for commands that read a file several times or change it.
pub(crate) fn refuse_stdin(file: &Path) -> crate::output::Result<()> {
    match file.as_os_str() == "-" {
        true => Err(crate::output::Failure::new(
            "standard input",
            "this needs a file; save it to one first, and name that",
        )),
        false => Ok(()),
    }
}

/// Refuses standard input that is named twice.
pub(crate) fn refuse_two_stdin<'a>(
    targets: impl IntoIterator<Item = &'a Target>,
) -> crate::output::Result<()> {
    match targets.into_iter().filter(|target| target.is_stdin()).count() {
        0 | 1 => Ok(()),
        count => Err(crate::output::Failure::usage(format!(
            "standard input, -, is named {count} times, and can be read only once; save it to a file first, and name the file"
        ))),
    }
}

impl From<PathBuf> for Target {
    fn from(path: PathBuf) -> Self {
        Target { path, member: None, slice: None, raw: None }
    }
}

impl ValueParserFactory for Target {
    type Parser = ValueParser;

    fn value_parser() -> ValueParser {
        OsStringValueParser::new().try_map(|text| Target::parse(&text)).into()
    }
}

impl Target {
    /// Takes an argument apart.
    pub(crate) fn parse(argument: &OsStr) -> Result<Self, String> {
        let text = argument.as_encoded_bytes();
        let text = text.strip_prefix(&[STDIN_MARK as u8]).unwrap_or(text);
        if path_of(text).exists() {
            return Ok(path_of(text).into());
        }
        if let Some((path, Ok(member))) =
            split_member(text).map(|(path, m)| (path, str::from_utf8(m)))
            && member.ends_with(']')
            && npz::Reader::open(path_of(path)).is_ok_and(|archive| archive.contains(member))
        {
            return Ok(Target::from(path_of(path)).with_member(member));
        }
        let is_directory = |path: &[u8]| path_of(path).is_dir();
        let (text, slice) = match text.strip_suffix(b"]").and_then(|text| split_last(text, b"[")) {
            // Brackets in a path: `run[old]/x.npy[3]` has a slice, `x[old]` has none.
            Some((path, slice)) if !path.is_empty() && !is_directory(path) => {
                let slice = String::from_utf8_lossy(slice);
                let slice: Result<Vec<Index>, _> = slice.split(',').map(Index::from_str).collect();
                (path, Some(slice?))
            }
            None if split_last(text, b"[").is_some_and(|(path, _)| path_of(path).is_file()) => {
                return Err("the slice has no ] at its end".into());
            }
            _ => (text, None),
        };
        if let Some(one) = slice.as_ref().and_then(|slice| one_slice(text, slice)) {
            return Err(format!("an array has one slice; write {}", crate::shell::target(&one)));
        }
        let (path, member) = match split_member(text) {
            Some(_) if path_of(text).exists() => (text, None),
            Some((path, member)) if !path.is_empty() => (path, Some(member)),
            _ => (text, None),
        };
        let member = match member {
            None => None,
            Some(member) => Some(String::from_utf8(member.to_vec()).map_err(|error| {
                let member = String::from_utf8_lossy(error.as_bytes()).into_owned();
                format!(
                    "the name of the member, {member:?}, is not UTF-8, and those in an archive are"
                )
            })?),
        };
        Ok(Target { path: path_of(path), member, slice, raw: None })
    }
}

/// Returns the target that Python's `x[5][0]` is: `x[5,0]`. `text` is what comes before the last slice.
fn one_slice(text: &[u8], last: &[Index]) -> Option<Target> {
    if !text.ends_with(b"]") || path_of(text).exists() {
        return None;
    }
    let target = Target::parse(path_of(text).as_os_str()).ok()?;
    let first = target.slice.as_ref().filter(|_| target.path.is_file() || target.is_stdin())?;
    // The second slice of a range is about the same dimension.
    let is_at = first.iter().all(|index| matches!(index, Index::At(_)));
    is_at.then(|| Target { slice: Some([first, last].concat()), ..target.clone() })
}

/// Splits at the first `::` after the name of a file that exists, or else at the first one.
fn split_member(text: &[u8]) -> Option<(&[u8], &[u8])> {
    // The host of a URL may be an address with colons.
    let start = remote::path_start(text).unwrap_or(0);
    let splits = || (start..text.len()).filter(|&at| text[at..].starts_with(b"::"));
    let at = splits().find(|&at| path_of(&text[..at]).is_file()).or_else(|| splits().next())?;
    Some((&text[..at], &text[at + 2..]))
}

fn split_last<'a>(text: &'a [u8], separator: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = text.windows(separator.len()).rposition(|part| part == separator)?;
    Some((&text[..at], &text[at + separator.len()..]))
}

/// Returns the path that a part of an argument's bytes is.
#[cfg(unix)]
pub(crate) fn path_of(text: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    OsStr::from_bytes(text).into()
}

/// Returns the path that a part of an argument's bytes is. A path with half of a surrogate pair, which Windows allows, is not found.
#[cfg(not(unix))]
pub(crate) fn path_of(text: &[u8]) -> PathBuf {
    String::from_utf8_lossy(text).into_owned().into()
}

impl FromStr for Index {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let number = |part: &str| {
            let wrong = |_| {
                let rows = match text.contains(['<', '>', '=']) {
                    true => "; npy sql chooses rows by their values: npy help sql",
                    false => "",
                };
                format!(
                    "{text:?} is not a slice; write one like [3], [:10], [-5:] or [::2, ..., 0]{rows}"
                )
            };
            part.trim().parse::<i64>().map_err(wrong)
        };
        let bound = |part: &str| match part.trim() {
            "" => Ok(None),
            part => number(part).map(Some),
        };
        let parts: Vec<&str> = text.split(':').collect();
        match parts[..] {
            ["..."] => Ok(Index::Ellipsis),
            [at] => Ok(Index::At(number(at)?)),
            [start, stop] => Ok(Index::Range { start: bound(start)?, stop: bound(stop)?, step: 1 }),
            [start, stop, step] => {
                let step = bound(step)?.unwrap_or(1);
                if step == 0 {
                    return Err(format!("the step of the slice {text:?} is zero"));
                }
                Ok(Index::Range { start: bound(start)?, stop: bound(stop)?, step })
            }
            _ => Err(format!("{text:?} has too many colons; a slice is start:stop:step")),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path_text())?;
        if let Some(member) = &self.member {
            write!(f, "::{}", member.escape_debug())?;
        }
        let Some(slice) = &self.slice else { return Ok(()) };
        for (i, index) in slice.iter().enumerate() {
            f.write_str(if i == 0 { "[" } else { "," })?;
            match index {
                Index::At(at) => write!(f, "{at}")?,
                Index::Ellipsis => f.write_str("...")?,
                Index::Range { start, stop, step } => {
                    let text = |bound: &Option<i64>| bound.map_or(String::new(), |n| n.to_string());
                    write!(f, "{}:{}", text(start), text(stop))?;
                    if *step != 1 {
                        write!(f, ":{step}")?;
                    }
                }
            }
        }
        f.write_str("]")
    }
}

#[cfg(test)]
mod tests {
    use super::{Index, Target};

    fn parsed(text: &str) -> (String, Option<String>, Option<Vec<Index>>) {
        let target = Target::parse(text.as_ref()).unwrap();
        assert_eq!(target.to_string(), text);
        (target.path.display().to_string(), target.member, target.slice)
    }

    #[test]
    fn each_part_of_a_target_is_optional() {
        let range = |start, stop, step| Index::Range { start, stop, step };
        assert_eq!(parsed("t.npy"), ("t.npy".into(), None, None));
        assert_eq!(
            parsed("t.npy[1000:2000]"),
            ("t.npy".into(), None, Some(vec![range(Some(1000), Some(2000), 1)]))
        );
        assert_eq!(
            parsed("m.npz::layers/0/w[:10,0]"),
            (
                "m.npz".into(),
                Some("layers/0/w".into()),
                Some(vec![range(None, Some(10), 1), Index::At(0)])
            )
        );
        let (.., slice) = parsed("t.npy[...,-1,::-2]");
        assert_eq!(slice, Some(vec![Index::Ellipsis, Index::At(-1), range(None, None, -2)]));
        let (path, member, slice) = parsed("http://[::1]:80/x.npz?a=b::m[3]");
        assert_eq!((path.as_str(), member.as_deref()), ("http://[::1]:80/x.npz?a=b", Some("m")));
        assert_eq!(slice, Some(vec![Index::At(3)]));
    }

    #[test]
    fn a_wrong_slice_says_what_a_slice_is() {
        for text in ["x[a]", "x[1:2:3:4]", "x[::0]", "x[]", "x[1,,2]"] {
            assert!(Target::parse(text.as_ref()).is_err(), "{text}");
        }
    }
}
