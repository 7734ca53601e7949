//! `npy verify FILE...`: reads all of a file as a strict reader does, and says what is wrong with it.
//!
//! Checked are all that the library refuses (SECURITY.md): headers, sizes, the directory of an archive, the checksums of its members, pickles;
//! and what is well formed, but dangerous for other programs: pickles that import anything but data types, two members of one name,
//! names that lead out of a directory, seek indexes that are damaged or show other values, text of numbers that are not characters.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use npy_core::dtype::ScalarKind;
use npy_core::{ByteOrder, DType, DynArray, ErrorKind, Header, Objects};
use serde_json::json;

use crate::output::{
    Answer, Failure, Of, Output, Progress, Result, complain, printable, unless_unread,
};
use crate::raw::RawFiles;
use crate::source::safetensors::Safetensors;
use crate::source::{self, AnyFile, AnyReader, Archive, Input, follow, has_at};
use crate::target::Target;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<Target>,
    #[command(flatten)]
    raw: RawFiles,
    /// Prints only files with problems, and no remarks
    #[arg(short, long)]
    quiet: bool,
    /// One line of JSON for each file
    #[arg(long)]
    json: bool,
}

/// The findings in a file.
#[derive(Default)]
struct Report {
    problems: Vec<String>,
    /// Unusual facts that are no problems.
    remarks: Vec<String>,
    /// The names that np.load would import for its pickles.
    imports: Vec<String>,
}

impl Args {
    pub(crate) fn run(mut self) -> Result {
        self.files.iter_mut().for_each(|file| self.raw.mark(file));
        let mut out = Output::stdout();
        let mut answer = Ok(Answer::Yes);
        for target in &self.files {
            let report = match verify(target) {
                Ok(report) => report,
                Err(Failure::BrokenPipe) => return Err(Failure::BrokenPipe),
                Err(failure) => {
                    unless_unread(out.flush().map_err(Failure::from))?;
                    complain(&failure);
                    answer = Err(Failure::Reported);
                    continue;
                }
            };
            if !report.problems.is_empty() {
                answer = answer.and(Ok(Answer::No));
            }
            unless_unread(self.print(target, &report, &mut out))?;
        }
        unless_unread(out.finish().map(drop))?;
        answer
    }

    fn print(&self, target: &Target, report: &Report, out: &mut Output) -> Result<()> {
        let is_good = report.problems.is_empty();
        if self.quiet && is_good {
            return Ok(());
        }
        let name = target.to_string();
        if self.json {
            let line = json!({
                "file": name,
                "ok": is_good,
                "problems": report.problems,
                "remarks": report.remarks,
                "imports": report.imports,
            });
            writeln!(out, "{line}")?;
            return Ok(());
        }
        let name = printable(&name);
        for problem in &report.problems {
            writeln!(out, "{name}: {}: {}", out.bold("FAILED"), printable(problem))?;
        }
        if !is_good {
            for remark in &report.remarks {
                writeln!(out, "{name}: {}", printable(remark))?;
            }
        } else {
            let mut remarks = report.remarks.clone();
            if !report.imports.is_empty() {
                remarks.push(format!(
                    "np.load needs allow_pickle=True and imports {}",
                    report.imports.join(", ")
                ));
            }
            let remarks = remarks.iter().map(|remark| format!("; {}", printable(remark)));
            writeln!(out, "{name}: ok{}", remarks.collect::<String>())?;
        }
        Ok(())
    }
}

/// Returns the findings in a file; its name is never taken for more than a name. The error is that of a file that cannot be read at all.
pub(crate) fn findings(path: &Path) -> std::result::Result<crate::Findings, String> {
    let target = Target::from(path.to_path_buf());
    match verify(&target) {
        Ok(Report { problems, imports, .. }) => Ok(crate::Findings { problems, imports }),
        Err(Failure::Message(message)) => Err(message),
        Err(Failure::Unnamed(error)) => Err(format!("{target}: {error}")),
        // Nothing was printed.
        Err(Failure::BrokenPipe | Failure::Reported) => Err(format!("{target}: not readable")),
    }
}

/// Checks a file. The error is that of a file that cannot be read at all.
fn verify(target: &Target) -> Result<Report> {
    if target.slice.is_some() {
        return Err(Failure::new(target, "complete arrays are checked; leave out the slice"));
    }
    if !target.is_stream() {
        source::file(target)?;
    } else if target.path.is_dir() {
        return source::open(target).map(|_| Report::default());
    }
    let mut report = Report::default();
    if target.member.is_none() && source::is_safetensors(target) {
        if let Err(failure) = Safetensors::open(target) {
            report.problems.push(without_path(&failure, target));
        }
        return Ok(report);
    }
    let result = match source::open(target) {
        Ok(Input::Archive(archive)) => {
            archive_members(&archive, target, &mut report);
            if !target.is_stream() {
                if archive.len() == 0 && has_at(&target.path, 0, b"PK\x03\x04") {
                    report.problems.push("the directory names no member, and the file begins with one; npy repair finds the members by their own headers".into());
                }
                let bytes = bytes_after_archive(&target.path).of(&target.path_text())?;
                report.remarks.extend(bytes.map(|bytes| follow(bytes, "archive")));
            }
            Ok(())
        }
        Ok(Input::Array(reader)) => array(reader, target, &mut report),
        Err(failure) => Err(failure),
    };
    match result {
        Err(Failure::BrokenPipe) => return Err(Failure::BrokenPipe),
        Err(failure) => report.problems.push(without_path(&failure, target)),
        Ok(()) => {}
    }
    Ok(report)
}

/// Returns the message without the name of the file, which starts the line.
fn without_path(failure: &Failure, target: &Target) -> String {
    let message = match failure {
        Failure::Message(message) => message.clone(),
        Failure::Unnamed(error) => error.to_string(),
        Failure::BrokenPipe | Failure::Reported => String::new(),
    };
    let path = target.path_text();
    [target.to_string(), path].iter().fold(message, |message, name| {
        message
            .strip_prefix(name.as_str())
            .and_then(|rest| rest.strip_prefix(": "))
            .map(str::to_owned)
            .unwrap_or(message)
    })
}

/// Reads an array to its end.
fn array(mut reader: AnyReader, target: &Target, report: &mut Report) -> Result<()> {
    let header = reader.header().clone();
    if header.dtype().has_object() {
        let objects = source::objects(&mut reader, target)?;
        check_imports(&objects, "", report);
        return Ok(());
    }
    let read = read_values(&mut reader, "", report);
    // A stream has them after its array alone.
    if let Some(text) = source::what_follows(&reader, target) {
        // Otherwise the data is where the header says.
        let is_right = source::has_line_end(&reader, target);
        if is_right { &mut report.remarks } else { &mut report.problems }.push(text);
    }
    read.of(target)
}

/// Reads the values of an array to its end, and checks its text. `place` starts the lines of the report.
fn read_values(reader: &mut AnyReader, place: &str, report: &mut Report) -> npy_core::Result<()> {
    let header = reader.header().clone();
    let mut text = TextCheck::default();
    if header.shape().is_empty() {
        text.check(&reader.read_all()?, 1);
    } else {
        let rows = rows_per_block(&header);
        let row = header.shape().iter().skip(1).fold(1, |row: usize, &n| row.saturating_mul(n));
        let mut progress = Progress::start(header.data_bytes());
        loop {
            let block = reader.read_rows(rows)?;
            if block.shape().first() == Some(&0) {
                break;
            }
            text.check(&block, row);
            progress.add(block.as_bytes().len());
        }
    }
    if let Some((row, c)) = text.not_unicode {
        report.problems.push(format!(
            "{place}row {row}: the text has the number {c:#x}, which is not a character; NumPy cannot make text of it"
        ));
    }
    if let Some((row, c)) = text.surrogate {
        report.remarks.push(format!(
            "{place}row {row}: the text has {c:#x}, half of a surrogate pair, which text in UTF-8 cannot have"
        ));
    }
    Ok(())
}

/// The first numbers in text that are not characters, each with its row.
#[derive(Default)]
struct TextCheck {
    /// The number of rows that were checked.
    rows: usize,
    /// A number above U+10FFFF.
    not_unicode: Option<(usize, u32)>,
    /// A surrogate, which only Python allows in text.
    surrogate: Option<(usize, u32)>,
}

impl TextCheck {
    /// Checks the text of some rows, each of this many elements.
    fn check(&mut self, block: &DynArray, row_elements: usize) {
        let dtype = block.dtype();
        let first = self.rows;
        self.rows += block.shape().first().copied().unwrap_or(1);
        if !has_text(dtype) || block.as_bytes().is_empty() {
            return;
        }
        for (i, item) in block.as_bytes().chunks_exact(dtype.itemsize()).enumerate() {
            let row = first + i / row_elements.max(1);
            each_number(dtype, item, &mut |c| match c {
                0x11_0000.. => _ = self.not_unicode.get_or_insert((row, c)),
                0xd800..0xe000 => _ = self.surrogate.get_or_insert((row, c)),
                _ => {}
            });
        }
    }
}

/// Returns true if the dtype is text, or contains it. An item without bytes has none.
fn has_text(dtype: &DType) -> bool {
    if dtype.itemsize() == 0 {
        return false;
    }
    if let Some((base, _)) = dtype.sub_array() {
        return has_text(base);
    }
    dtype.scalar().is_some_and(|scalar| scalar.kind() == ScalarKind::Str)
        || dtype.fields().iter().any(|field| has_text(field.dtype()))
}

/// Calls a function for each number that stands for a character in the text of an item.
fn each_number(dtype: &DType, item: &[u8], each: &mut impl FnMut(u32)) {
    if let Some((base, _)) = dtype.sub_array() {
        if has_text(base) {
            item.chunks_exact(base.itemsize()).for_each(|item| each_number(base, item, each));
        }
        return;
    }
    if let Some(scalar) = dtype.scalar().filter(|scalar| scalar.kind() == ScalarKind::Str) {
        let is_big = scalar.byte_order() == Some(ByteOrder::Big);
        for &number in item.as_chunks().0 {
            each(if is_big { u32::from_be_bytes(number) } else { u32::from_le_bytes(number) });
        }
    }
    for field in dtype.fields() {
        let bytes = field.offset()..field.offset() + field.dtype().itemsize();
        each_number(field.dtype(), item.get(bytes).unwrap_or_default(), each);
    }
}

/// Returns the number of bytes after the end record of an archive and its comment, if there are any. The record is where Python finds it.
fn bytes_after_archive(path: &Path) -> io::Result<Option<u64>> {
    /// The size of the record without its comment, and the position of the comment's length.
    const RECORD: usize = 22;
    const COMMENT_LENGTH: usize = 20;
    let mut file = AnyFile::open(path)?;
    let length = file.size()?;
    file.seek(SeekFrom::Start(length.saturating_sub(RECORD as u64 + (1 << 16))))?;
    let mut tail = Vec::new();
    file.read_to_end(&mut tail)?;
    if tail.len() >= RECORD && tail[tail.len() - RECORD..].starts_with(b"PK\x05\x06") {
        return Ok(None);
    }
    let Some(at) = tail.windows(4).rposition(|bytes| bytes == b"PK\x05\x06") else {
        return Ok(None);
    };
    let comment = tail.get(at + COMMENT_LENGTH..).and_then(|rest| rest.first_chunk());
    let comment = usize::from(u16::from_le_bytes(*comment.unwrap_or(&[0; 2])));
    let after = tail.len().saturating_sub(at + RECORD + comment);
    Ok((after > 0).then_some(after as u64))
}

/// Returns the number of rows in a block of about a megabyte.
fn rows_per_block(header: &Header) -> usize {
    let rows = header.shape().first().copied().unwrap_or(1).max(1) as u64;
    let row_bytes = (header.data_bytes() / rows).max(1);
    // Rows without bytes cost nothing, however many they are.
    usize::try_from((1 << 20) / row_bytes)
        .unwrap_or(usize::MAX)
        .max(1)
        .max(if header.data_bytes() == 0 { usize::MAX } else { 1 })
}

/// Reads all members of an archive.
fn archive_members(archive: &Archive, target: &Target, report: &mut Report) {
    match archive.shadowed() {
        0 => {}
        1 => report
            .problems
            .push("a member has the name of a later one; readers find the one or the other; npy repair keeps the last".into()),
        count => report.problems.push(format!(
            "{count} members have the names of later ones; readers find the one or the other; npy repair keeps the last ones"
        )),
    }
    for name in archive.names() {
        let text = |error: npy_core::Error| without_path(&Failure::from(error), target);
        match member(archive, name, report) {
            Err(error) => report.problems.push(text(error)),
            Ok(()) => {
                let is_right = archive.check_index(name).map_err(text);
                report.problems.extend(of_index(name, is_right));
            }
        }
        if super::npz::leads_out(name) {
            report.problems.push(format!(
                "member {name:?}: the name leads out of the directory that it is extracted to"
            ));
        }
    }
}

/// Returns the problem of a seek index that is wrong, or that could not be checked.
fn of_index(name: &str, is_right: std::result::Result<bool, String>) -> Option<String> {
    match is_right {
        Ok(true) => None,
        Ok(false) => Some(format!(
            "member {name:?}: its seek index is wrong, so that other values could be read by it; write the archive again"
        )),
        Err(message) => Some(message),
    }
}

fn member(archive: &Archive, name: &str, report: &mut Report) -> npy_core::Result<()> {
    /// Members of fewer bytes are read at once.
    const SMALL: u64 = 16 << 20;
    let mut reader = match AnyReader::member(archive, name) {
        Ok(reader) => reader,
        Err(error) if matches!(error.kind(), ErrorKind::NotNpy { .. }) => {
            report.remarks.push(format!("member {name:?} is not an array"));
            return archive.copy_bytes(name, &mut io::sink()).map(drop);
        }
        Err(error) => return Err(error),
    };
    let header = reader.header();
    let place = format!("member {name:?}: ");
    if header.dtype().has_object() {
        let objects = archive.read::<Objects>(name)?;
        check_imports(&objects, &place, report);
        return Ok(());
    }
    if header.data_bytes() < SMALL && !has_text(header.dtype()) {
        return archive.copy_bytes(name, &mut io::sink()).map(drop);
    }
    read_values(&mut reader, &place, report)
}

/// Adds the imports of a pickle, and a problem for those that are more than data. `place` starts its line.
fn check_imports(objects: &Objects, place: &str, report: &mut Report) {
    for import in objects.unknown_globals() {
        report.problems.push(format!(
            "{place}np.load(allow_pickle=True) would import {import}, which is not a known type of data"
        ));
    }
    for import in objects.globals() {
        if !report.imports.contains(&import) {
            report.imports.push(import);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::path::PathBuf;

    use super::{Failure, Target, of_index, without_path};

    /// Guards an index that a disk does not read: the member was read before, and nothing else tells of it.
    #[test]
    fn an_index_that_cannot_be_checked_is_a_problem() {
        let failure = Failure::from(npy_core::Error::from(io::Error::other("bad sector")));
        let message = without_path(&failure, &Target::from(PathBuf::from("x.npz")));
        assert_eq!(of_index("x", Err(message)).as_deref(), Some("bad sector"));
        assert!(
            of_index("x", Ok(false)).unwrap().contains("member \"x\": its seek index is wrong")
        );
        assert_eq!(of_index("x", Ok(true)), None);
    }
}
