//! Opening what a target names: a file, a pipe or standard input; an array, an archive or a text that becomes an array.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use npy_core::{Reader, npz};

use super::file::{AnyFile, Archive};
use super::reader::{AnyReader, Origin};
use super::safetensors::{MAX_HEADER, Safetensors};
use super::stream::Stream;
use crate::input;
use crate::output::{Failure, Of, Result};
use crate::raw::Raw;
use crate::remote;
use crate::shell;
use crate::target::Target;

/// The bytes by which a format is known: `begins_as_safetensors` needs most.
const START: u64 = 10;

/// A file that was opened.
pub(crate) enum Input {
    Archive(Archive),
    Array(AnyReader),
}

/// Opens a file, or standard input, and the member of it that the target names.
pub(crate) fn open(target: &Target) -> Result<Input> {
    if is_safetensors(target) {
        return Ok(Input::Array(Safetensors::open(target)?.only(target)?));
    }
    let input = open_file(target)?;
    let Some(member) = &target.member else { return Ok(input) };
    match input {
        Input::Archive(archive) => {
            let reader = AnyReader::member(&archive, member).of(&target.path_text());
            Ok(Input::Array(reader.map_err(|failure| match near(archive.names(), member) {
                Some(name) if !archive.contains(member) => {
                    let meant = shell::member(&target.path, name);
                    failure.with(&format!("; did you mean {meant}?"))
                }
                _ => failure,
            })?))
        }
        Input::Array(_) => Err(Failure::new(
            target.path_text(),
            format!("is an array, not an archive, and so has no member {member:?}"),
        )),
    }
}

/// Returns true for a safetensors file: by its name, or by its start. An array or an archive may have such a name, too.
pub(crate) fn is_safetensors(target: &Target) -> bool {
    let is_named = remote::extension(&target.path).as_deref() == Some("safetensors");
    // The start of a file at a URL would be another request.
    if !is_named && (target.is_url() || target.raw.is_some()) {
        return false;
    }
    start_of_target(target).is_some_and(|start| match is_named {
        true => !is_known(&start),
        false => begins_as_safetensors(&start),
    })
}

/// Returns true for the start of a safetensors file: the length of a header in JSON, and then that.
fn begins_as_safetensors(start: &[u8]) -> bool {
    let Some((length, text)) = start.split_first_chunk() else { return false };
    u64::from_le_bytes(*length) <= MAX_HEADER
        && [&b"{\""[..], b"{}", b"{ ", b"{\n"].iter().any(|begin| text.starts_with(begin))
}

/// Returns true for a file that begins as an array or an archive, whatever its name.
pub(crate) fn is_binary(target: &Target) -> bool {
    start_of_target(target).is_some_and(|start| is_known(&start))
}

/// Returns the first bytes of a file; `None` for a stream, which would lose them.
fn start_of_target(target: &Target) -> Option<Vec<u8>> {
    if target.is_stream() {
        return None;
    }
    AnyFile::open(&target.path).and_then(|mut file| start_of(&mut file)).ok()
}

/// Returns true for a file that begins as an archive, whatever its name.
pub(crate) fn begins_as_archive(path: &Path) -> bool {
    // Opening a pipe would wait for a writer.
    path.is_file()
        && File::open(path)
            .and_then(|mut file| start_of(&mut file))
            .is_ok_and(|start| is_archive(&start))
}

/// Opens the file that a target names. A missing one may have been meant as a file with `::` in its name.
pub(crate) fn file(target: &Target) -> Result<AnyFile> {
    AnyFile::open(&target.path).map_err(|error| match &target.member {
        Some(member) if error.kind() == io::ErrorKind::NotFound && !target.is_url() => {
            let archive = target.path_text();
            let message =
                format!("there is no such file, and no archive {archive} with a member {member:?}");
            Failure::new(target, message)
        }
        None if error.kind() == io::ErrorKind::NotFound && !target.is_url() => {
            let advice = member_after_colon(target)
                .map(|member| format!("; a member follows two colons: {}", shell::target(&member)));
            Failure::new(target.path_text(), error).with(&advice.unwrap_or_default())
        }
        _ => Failure::new(target.path_text(), error),
    })
}

/// Returns the member of an archive that `m.npz:name` names, or the one with the nearest name.
fn member_after_colon(target: &Target) -> Option<Target> {
    let path = target.path.to_str()?;
    let (archive, name) = path.match_indices(':').find_map(|(at, _)| {
        let archive = Path::new(&path[..at]);
        archive.is_file().then(|| (archive, path[at + 1..].trim_start_matches(':')))
    })?;
    let reader = npz::Reader::open(archive).ok()?;
    let found = match reader.contains(name) {
        true => Some(name),
        false => near(reader.names(), name).or_else(|| reader.names().next()),
    };
    Some(Target { path: archive.to_owned(), ..target.clone() }.with_member(found?))
}

/// Returns the name that is nearest to another one, if they have most characters in common, or the first name of a group: `w/a` for `w`.
pub(crate) fn near<'a>(names: impl Iterator<Item = &'a str>, wanted: &str) -> Option<&'a str> {
    // An archive can have any number of names, and they can be long.
    const MAX: usize = 10_000;
    let is_short = |name: &&str| name.len() <= 200;
    let is_in_group = |name: &&&str| {
        !wanted.is_empty()
            && name.strip_prefix(wanted).is_some_and(|rest| rest.starts_with(['/', '.']))
    };
    let names: Vec<&str> = names.take(MAX).filter(is_short).collect();
    if let Some(name) = names.iter().find(is_in_group) {
        return Some(name);
    }
    // Names of one letter have none in common, unless only the case differs.
    let distance = |name: &&str| match name.eq_ignore_ascii_case(wanted) {
        true => 0,
        false => strsim::osa_distance(name, wanted),
    };
    let nearest = names.into_iter().min_by_key(distance)?;
    let length = wanted.chars().count();
    let is_part = || !wanted.is_empty() && (nearest.contains(wanted) || wanted.contains(nearest));
    let is_near = (distance(&nearest) <= length.div_ceil(3)) && distance(&nearest) < length.max(1);
    (is_near || is_part()).then_some(nearest)
}

fn open_file(target: &Target) -> Result<Input> {
    let name = target.path_text();
    if target.is_stdin() {
        return open_stream(Box::new(io::stdin()), target);
    }
    let mut file = match file(target)? {
        AnyFile::Local(file) => {
            let metadata = file.metadata().of(&name)?;
            if metadata.is_dir() {
                return Err(Failure::new(name, "is a directory; name a file in it"));
            }
            if !metadata.is_file() {
                return open_stream(Box::new(file), target);
            }
            AnyFile::Local(file)
        }
        #[cfg(feature = "clouds")]
        remote => remote,
    };
    let start = start_of(&mut file).of(&name)?;
    if let Some(form) = input::Form::of(&target.path).filter(|_| !is_known(&start)) {
        return open_text(target, &form, None);
    }
    if let Some(raw) = target.raw.as_ref().filter(|_| !is_known(&start)) {
        return Ok(Input::Array(raw_file(file, target, raw, &name)?));
    }
    let is_named_npz = remote::extension(&target.path).as_deref() == Some("npz");
    if is_archive(&start) || is_named_npz && !is_known(&start) {
        let archive = Archive::open(&target.path, &npz::ReadOptions::new());
        return Ok(Input::Archive(archive.of(&name)?));
    }
    Ok(Input::Array(match file {
        AnyFile::Local(_) => AnyReader::new(Reader::open(&target.path).of(&name)?, Origin::File),
        #[cfg(feature = "clouds")]
        AnyFile::Remote(file) => {
            // From its start.
            AnyReader::new(Reader::new(file.clone()).of(&name)?, Origin::File)
        }
    }))
}

/// Reads a file without a header.
fn raw_file(file: AnyFile, target: &Target, raw: &Raw, name: &str) -> Result<AnyReader> {
    match file {
        AnyFile::Local(_) => {
            check_rows(raw, target.path.metadata().of(&name)?.len(), target)?;
            let reader = Reader::open_headerless(&target.path, raw.dtype.clone(), &raw.row);
            Ok(AnyReader::new(reader.of(&name)?, Origin::Raw))
        }
        #[cfg(feature = "clouds")]
        AnyFile::Remote(file) => {
            check_rows(raw, file.size(), target)?;
            raw_rows(file.clone(), file.size(), raw, name)
        }
    }
}

/// Refuses data without a header that does not have complete rows, with the commands that leave out the other bytes.
fn check_rows(raw: &Raw, bytes: u64, target: &Target) -> Result<()> {
    let (row, name) = (raw.row_bytes(), target.path_text());
    let Some(rest) = bytes.checked_rem(row).filter(|rest| *rest > 0) else { return Ok(()) };
    let unit = if raw.row.is_empty() { "an element" } else { "a row" };
    let whole = if target.is_stream() { "the input" } else { "the file" };
    let failure =
        Failure::new(name, format!("{unit} has {row} bytes, and {whole} {bytes}: {rest} too many"));
    // The bytes before the data may be `rest` and those of any number of rows.
    let kept = bytes - rest;
    let path = shell::path(&target.path);
    Err(match bytes > row {
        true if target.is_url() => failure,
        false => failure,
        true if target.is_stream() => failure.with(&format!(
            "; if the data starts at byte N (from 1), tail -c +N | npy … - begins there, and if they come after the data, head -c {kept} | npy … -"
        )),
        true => failure.with(&format!(
            "; if the data starts at byte N (from 1), tail -c +N {path} > OUT makes a file of it, and if they come after the data, head -c {kept} {path} > OUT"
        )),
    })
}

/// Opens a file of CSV or JSON, whose columns are read for what is wanted.
pub(crate) fn open_text(
    target: &Target,
    form: &input::Form,
    wanted: Option<input::Wanted<'_>>,
) -> Result<Input> {
    let name = target.path_text();
    let array = match target.is_stdin() {
        true => input::read(io::stdin(), form, &name, wanted)?,
        false => input::read(file(target)?, form, &name, wanted)?,
    };
    Ok(Input::Array(AnyReader::of_array(array, &name)?))
}

fn open_stream(mut stream: Box<dyn Read>, target: &Target) -> Result<Input> {
    let name = target.path_text();
    let start = start_of(&mut stream).of(&name)?;
    let (is_archive, is_known) = (is_archive(&start), is_known(&start));
    let is_safetensors = begins_as_safetensors(&start);
    let mut stream = Stream::new(start, stream);
    if let Some(raw) = target.raw.as_ref().filter(|_| !is_known) {
        let file = arrived(&mut stream).of(&name)?;
        let bytes = file.metadata().of(&name)?.len();
        check_rows(raw, bytes, target)?;
        return Ok(Input::Array(raw_rows(file, bytes, raw, &name)?));
    }
    if is_safetensors {
        let message = "is a safetensors file, whose tensors are read from a file alone; save it first (cat > IN.safetensors), and name that";
        return Err(Failure::new(name, message));
    }
    if !is_archive {
        return Ok(Input::Array(stream.into_array().of(&name)?));
    }
    // The directory of an archive is at its end, so all of it must have arrived.
    let archive = npz::Reader::new(arrived(&mut stream).of(&name)?).of(&name)?;
    Ok(Input::Archive(Archive::Local(archive)))
}

/// Copies all of a stream to a file without a name.
fn arrived(stream: &mut impl Read) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    io::copy(stream, &mut file)?;
    file.flush()?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}

/// Reads rows without a header, from a file that has no path.
fn raw_rows<R: Read + Seek + 'static>(
    file: R,
    bytes: u64,
    raw: &Raw,
    name: &str,
) -> Result<AnyReader> {
    let Raw { dtype, row } = raw;
    let rows = bytes.checked_div(raw.row_bytes()).and_then(|rows| usize::try_from(rows).ok());
    let Some(rows) = rows else {
        return Err(Failure::new(name, "a row has more bytes than a file"));
    };
    let reader = Reader::headerless(file, dtype.clone(), [&[rows], &row[..]].concat());
    Ok(AnyReader::new(reader.of(&name)?, Origin::Raw))
}

fn start_of(stream: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    stream.take(START).read_to_end(&mut start)?;
    Ok(start)
}

/// Returns true for the start of an array or an archive, whatever the name of the file.
fn is_known(start: &[u8]) -> bool {
    is_archive(start) || start.starts_with(b"\x93NUM")
}

fn is_archive(start: &[u8]) -> bool {
    start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06")
}

impl Input {
    /// Returns the only array of the file.
    pub(crate) fn into_array(self, target: &Target) -> Result<AnyReader> {
        match self {
            Input::Array(reader) => Ok(reader),
            Input::Archive(archive) => {
                AnyReader::member(&archive, only_member(&archive, target)?).of(&target.path_text())
            }
        }
    }
}

/// Returns the name of the only member of an archive.
pub(super) fn only_member<'a>(archive: &'a Archive, target: &Target) -> Result<&'a str> {
    let names: Vec<&str> = archive.names().collect();
    match names[..] {
        [name] => Ok(name),
        [] => Err(Failure::new(target, "the archive is empty")),
        [first, ..] => {
            const SHOWN: usize = 12;
            let count = names.len();
            let all: Vec<String> =
                names.iter().take(SHOWN).map(|name| name.escape_debug().to_string()).collect();
            let more = if count > SHOWN { ", …" } else { "" };
            let (all, first) = (all.join(", "), shell::member(&target.path, first));
            let message =
                format!("the archive has {count} members, {all}{more}; name one, as in {first}");
            Err(Failure::new(target, message))
        }
    }
}
