//! Standard output, errors and the exit code.
//!
//! - Standard output has data alone: `Output::stdout()`, which is a `Write`, and knows the width of the terminal and whether to color.
//! - A subcommand returns `Result<Answer>`: `Answer::Yes` is exit code 0, `Answer::No` 1, and a `Failure` 2. A failure prints
//!   `npy: FILE: row 17, field t0: …` on standard error. `Failure::new(target, message)` makes one; errors of the library and `io::Error`
//!   become one by `?`; `.of(&target)` adds the file to an error that does not name it.
//! - A remark, after which the command goes on, is `note(target, message)`: `note: FILE: …` on standard error.
//! - If the reader of a pipe is gone, writing ends the command quietly, with exit code 0. `npy diff` and `npy verify` go on without output, because their exit code is an answer.

use std::fmt;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;

use npy_core::dtype::ScalarKind;
use npy_core::{Cast, DType, ErrorKind, Place};

use crate::fields;
use crate::python;
use crate::remedy;
use crate::remote;
use crate::shell;

/// The exit code of a command that did not fail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Answer {
    Yes,
    No,
}

pub(crate) type Result<T = Answer, E = Failure> = std::result::Result<T, E>;

/// An error for the user.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The reader of the output is gone.
    BrokenPipe,
    /// An error of the system for a file that is not named yet.
    Unnamed(io::Error),
    /// A message without the program's name.
    Message(String),
    /// All messages were printed with `complain`; only the exit code is left.
    Reported,
}

impl Failure {
    /// Returns the error for a file.
    pub(crate) fn new(file: impl fmt::Display, message: impl fmt::Display) -> Self {
        Failure::Message(format!("{file}: {message}"))
    }

    /// Returns the error of the library for a block of rows, whose first one is `first` in the file, and which were cast from one dtype to another.
    pub(crate) fn in_block(
        file: impl fmt::Display,
        error: &npy_core::Error,
        first: usize,
        dtypes: [&DType; 2],
    ) -> Self {
        let mut text = format!("{file}: ");
        for place in error.places() {
            text += &match place {
                Place::Row(row) => format!("row {}", (first as u64).saturating_add(*row)),
                place => place.to_string(),
            };
            text += ": ";
        }
        // The texts of an error are shortened.
        let reason = match error.kind() {
            ErrorKind::Mismatch { found, wanted, .. } => {
                let names = fields_of(error);
                let dtypes = dtypes.map(|dtype| field_of(dtype, &names));
                let array = python::load(&file.to_string()) + &python::all_indices(&names);
                mismatch([found, wanted], dtypes, &array)
            }
            kind => reason(kind),
        };
        Failure::Message(text + &reason)
    }

    /// Adds the name of the file to an error of the system.
    pub(crate) fn named(self, file: impl fmt::Display) -> Self {
        match self {
            Failure::Unnamed(error) => Failure::new(file, error),
            other => other,
        }
    }

    /// Adds the indices of the only column that is read to the Python in a message about a file.
    pub(crate) fn in_column(self, file: &str, indices: &str) -> Self {
        match self {
            Failure::Message(message) if !indices.is_empty() => {
                let array = python::load(file);
                Failure::Message(message.replace(&array, &format!("{array}{indices}")))
            }
            other => other,
        }
    }

    /// Returns true for a message that has this text.
    pub(crate) fn says(&self, text: &str) -> bool {
        matches!(self, Failure::Message(message) if message.contains(text))
    }

    /// Adds an advice to a message.
    pub(crate) fn with(self, advice: &str) -> Self {
        match self {
            Failure::Message(message) => Failure::Message(message + advice),
            other => other,
        }
    }

    /// Returns the error for the arguments.
    pub(crate) fn usage(message: impl fmt::Display) -> Self {
        Failure::Message(message.to_string())
    }
}

/// Adds the name of the file to an error.
pub(crate) trait Of<T> {
    /// Adds the file, unless the error names one already.
    fn of(self, file: &dyn fmt::Display) -> Result<T>;
}

impl<T> Of<T> for std::result::Result<T, npy_core::Error> {
    fn of(self, file: &dyn fmt::Display) -> Result<T> {
        self.map_err(|error| {
            if matches!(error.kind(), ErrorKind::Io(io) if io.kind() == io::ErrorKind::BrokenPipe) {
                return Failure::BrokenPipe;
            }
            let is_named = error.places().any(|place| matches!(place, Place::Path(_)));
            if is_named {
                return error.into();
            }
            Failure::new(file, message(&error, &file.to_string()))
        })
    }
}

impl<T> Of<T> for io::Result<T> {
    fn of(self, file: &dyn fmt::Display) -> Result<T> {
        self.map_err(|error| match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::BrokenPipe,
            _ => Failure::new(file, error),
        })
    }
}

impl From<npy_core::Error> for Failure {
    fn from(error: npy_core::Error) -> Self {
        match error.kind() {
            npy_core::ErrorKind::Io(_) if error.places().next().is_none() => {
                io::Error::from(error).into()
            }
            npy_core::ErrorKind::Io(io) if io.kind() == io::ErrorKind::BrokenPipe => {
                Failure::BrokenPipe
            }
            _ => {
                let path = error.places().find_map(|place| match place {
                    Place::Path(path) => Some(path.display().to_string()),
                    _ => None,
                });
                Failure::Message(message(&error, &path.unwrap_or_default()))
            }
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::BrokenPipe,
            _ => Failure::Unnamed(error),
        }
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        match error.io_error_kind() {
            Some(_) => io::Error::from(error).into(),
            None => Failure::Message(error.to_string()),
        }
    }
}

/// Returns the message of an error of the library, on one line. `file` is what the user calls the file.
fn message(error: &npy_core::Error, file: &str) -> String {
    let places: String = error.places().map(|place| format!("{place}: ")).collect();
    let text = reason(error.kind());
    let is_member = error.places().any(|place| matches!(place, Place::Member(_)));
    let Some(remedy) = remedy::for_damage(file, is_member, error.kind()) else {
        let is_text = matches!(error.kind(), ErrorKind::NotNpy { .. } | ErrorKind::NotNpz { .. });
        let text = match is_text && remote::is_url(file.as_ref()) {
            true => {
                text.replace("convert - ", &format!("convert {} ", shell::word(file.as_bytes())))
            }
            false => text,
        };
        return remedy::with_command(file, places + &text);
    };
    // The advice of the library is to copy the file again, which the remedy says, too.
    let (start, rest) = match error.kind() {
        // The bytes of the file may be those that separate an advice.
        ErrorKind::NotNpy { found, .. } | ErrorKind::NotNpz { found, .. } => {
            let end = text.find(&**found).map_or(0, |at| at + found.len());
            text.split_at(end)
        }
        _ => ("", &*text),
    };
    let problem = rest.split("; ").next().unwrap_or_default();
    format!("{places}{start}{problem}; {remedy}")
}

/// Returns true for the start of a line of names, `[0],[1]`, `[0][0],[0][1]` or `[0].x`, or of one name and a value in the next line. JSON has neither.
fn has_names(found: &str) -> bool {
    let digits = found.trim_start_matches('[').trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = digits.strip_prefix(']').filter(|_| !found.starts_with("[[")).unwrap_or_default();
    match rest.trim_start_matches("\\r").strip_prefix("\\n") {
        Some(next) => !matches!(next, "" | "\"") && !next.starts_with('['),
        None => rest.starts_with([',', '[', '.']) || rest.starts_with("\\t"),
    }
}

/// Returns the advice for text in the place of an array: that for a member of an archive, or for a stream by its first byte, as an object or
/// a list of JSON, or any other.
fn as_text(kind: &ErrorKind) -> &'static str {
    let (ErrorKind::NotNpy { found, hint, .. } | ErrorKind::NotNpz { found, hint, .. }) = kind
    else {
        return "";
    };
    let found = found.trim_start_matches(['"', ' ']);
    match found.as_bytes() {
        _ if hint.contains("npz::") => "; it looks like text: npy npz extract copies any member",
        [b'{', ..] => "; it looks like text: npy convert - OUT.npy --from jsonl reads JSON lines",
        [b'[', ..] if !has_names(found) => {
            "; it looks like text: npy convert - OUT.npy --from json reads a JSON list"
        }
        _ => "; it looks like text: npy convert - OUT.npy --from csv reads CSV",
    }
}

/// Returns what an error of the library says, on one line. The advice of the library is for programs; here it is what the command can do.
pub(crate) fn reason(kind: &ErrorKind) -> String {
    // The start of an advice, and what replaces it.
    let advice: [(&str, &str); 15] = [
        ("; a loop over its arrays ends ", ""),
        (", or keep its complete ", ""),
        (
            "; only a file that exists grows: ",
            "; only a file that exists grows: npy concat -o makes one",
        ),
        (
            "; only an archive that exists can be changed; ",
            "; only an archive that exists can be changed; npy npz pack makes one",
        ),
        (
            "needs a longer header: ",
            "needs a longer header: npy concat writes the rows of both to a new file",
        ),
        (": read it with npz::", ""),
        (": read it with npy_core::", ""),
        ("; it looks like text: ", as_text(kind)),
        ("npz::Reader::read_bytes returns ", remedy::UNCOUNTED),
        ("; npz::Reader::read_bytes ", "; npy npz extract copies any member"),
        (", and make an npy_core::", ""),
        (", or read it by npz::", ""),
        (", or replace it by npz::", ", as npy npz mv does in an archive"),
        ("; write_npy_to and Writer::new ", ""),
        (
            "; count them with WriteOptions::",
            "; npy append --uncounted keep counts them, --uncounted remove removes them",
        ),
    ];
    let text = match kind {
        ErrorKind::Limit { name: "object_expansion", .. } => {
            "the values would take far more memory than the file has bytes; np.load would need it, too".into()
        }
        ErrorKind::Limit { what, found, limit, .. } => {
            format!("{what}: {found} exceeds the limit of {limit}")
        }
        ErrorKind::Mismatch { found, wanted, .. } => {
            mismatch([found, wanted], [None, None], "np.load('IN.npy')")
        }
        ErrorKind::InvalidValue { reason, .. } => reason.replace('\n', " "),
        ErrorKind::MissingField { name, fields, .. } if fields.is_empty() => {
            format!("there is no field {name:?}, and no other")
        }
        ErrorKind::MissingField { name, fields, .. } => {
            format!("there is no field {name:?}; the fields are {fields}")
        }
        ErrorKind::UnknownField { name, .. } => {
            format!("there is a field {name:?}, which the dtype lacks")
        }
        ErrorKind::Rank { shape, wanted, .. } => {
            format!("the array has shape {shape} and should have {wanted}")
        }
        ErrorKind::Memory { bytes, .. } => {
            format!(
                "out of memory: {bytes} bytes could not be allocated; choose a part with a slice, such as [:1000]"
            )
        }
        ErrorKind::Unsupported { what, needs, .. } if needs.contains("npy_core::") => {
            format!(
                "{what} cannot be joined or appended; npy convert --dtype makes plain values of numbers, text and times"
            )
        }
        kind => kind.to_string().replace('\n', " "),
    };
    for (start, advice) in advice {
        if let Some(at) = text.find(start) {
            return format!("{}{advice}", &text[..at]);
        }
    }
    text
}

/// Returns the message for a dtype that does not become another one, by the texts of an error and the dtypes themselves, if they are known. `array` is an expression of
/// Python for the values.
fn mismatch([found, wanted]: [&str; 2], [from, to]: [Option<DType>; 2], array: &str) -> String {
    let of_text = |text: &str| text.trim_matches('\'').parse().ok();
    let (from, to) = (from.or_else(|| of_text(found)), to.or_else(|| of_text(wanted)));
    let (Some(from), Some(to)) = (from, to) else {
        return format!("dtype {found} cannot become {wanted}");
    };
    let cast = match (from.converts_to(&to, Cast::Checked), of_fields(&from, &to)) {
        (Ok(()), _) => {
            "with --cast lossless; --cast checked converts it, unless a value does not fit"
                .to_owned()
        }
        (Err(_), Some(advice)) => format!("as a whole; {advice}"),
        (Err(_), None) if has_counts(&from) && is_number(&to) => {
            let order = if from.flat().0.to_string().starts_with('>') { ">" } else { "" };
            format!(
                "with any --cast; in Python: np.save('OUT.npy', {array}.view('{order}i8')) has the counts of the times"
            )
        }
        (Err(_), None) => {
            "with any --cast: numbers become numbers, times times, S becomes S, and U becomes U"
                .to_owned()
        }
    };
    format!("dtype {found} cannot become {wanted} {cast}")
}

/// Returns the path of the field that an error is about.
pub(crate) fn fields_of(error: &npy_core::Error) -> Vec<&str> {
    let fields = error.places().filter_map(|place| match place {
        Place::Field(path) => Some(path.split('.')),
        _ => None,
    });
    fields.flatten().collect()
}

/// Returns the field of a dtype at a path, also within sub-arrays; `None` if there is none.
pub(crate) fn field_of(dtype: &DType, path: &[&str]) -> Option<DType> {
    let field = |dtype: &DType, name: &&str| Some(dtype.flat().0.field(name)?.dtype().clone());
    path.iter().try_fold(dtype.clone(), |dtype, name| field(&dtype, name))
}

/// Returns the options that convert a field of records to a dtype without fields, or all of them.
fn of_fields(found: &DType, wanted: &DType) -> Option<String> {
    const MAX_FIELDS: usize = 8;
    if wanted.flat().0.is_record() {
        return None;
    }
    let (one, _) = fields::that_become(found, wanted).next()?;
    let one = format!("{} converts one field", shell::column(one));
    let all = found.flat().0.fields().iter();
    let all: Option<Vec<(&str, DType)>> = all
        .map(|field| Some((field.name(), fields::converted(field, wanted, Cast::Checked)?)))
        .collect();
    match all.filter(|all| all.len() <= MAX_FIELDS).map(DType::record) {
        Some(Ok(all)) => {
            Some(format!("{one}, and --dtype {} all", shell::word(all.to_string().as_bytes())))
        }
        _ => Some(one),
    }
}

/// Returns true for a dtype of times, or spans of time, which are counts.
fn has_counts(dtype: &DType) -> bool {
    let kind = dtype.flat().0.scalar().map(|scalar| scalar.kind());
    matches!(kind, Some(ScalarKind::DateTime(_) | ScalarKind::TimeDelta(_)))
}

fn is_number(dtype: &DType) -> bool {
    use ScalarKind::{Bool, Complex, Float, Int, UInt};
    let kind = dtype.flat().0.scalar().map(|scalar| scalar.kind());
    matches!(kind, Some(Bool | Int | UInt | Float | Complex))
}

/// Prints an error for the user, and continues.
pub(crate) fn complain(failure: &Failure) {
    let message = match failure {
        Failure::BrokenPipe | Failure::Reported => return,
        Failure::Unnamed(error) => format!("standard output: {error}"),
        Failure::Message(message) => message.clone(),
    };
    // If standard error is gone, nobody reads it.
    let _ = writeln!(io::stderr(), "npy: {}", printable(&message));
}

/// Prints a remark about a file, which changes no exit code.
pub(crate) fn note(file: impl fmt::Display, remark: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "note: {}", printable(&format!("{file}: {remark}")));
}

/// Prints the error, if there is one, and returns the exit code.
pub(crate) fn exit_code(result: Result) -> ExitCode {
    match result {
        Ok(Answer::Yes) | Err(Failure::BrokenPipe) => ExitCode::SUCCESS,
        Ok(Answer::No) => ExitCode::from(1),
        Err(failure) => {
            complain(&failure);
            ExitCode::from(2)
        }
    }
}

/// Returns true for characters that control a terminal, that reorder the text around them, or that cannot be seen.
pub(crate) fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
        )
}

/// Escapes control characters, so that text from a file cannot control the terminal.
pub(crate) fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unsafe(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

/// Returns success if the reader of the output is gone: the exit code has the answer, too.
pub(crate) fn unless_unread<T: Default>(result: Result<T>) -> Result<T> {
    match result {
        Err(Failure::BrokenPipe) => Ok(T::default()),
        other => other,
    }
}

/// Standard output.
pub(crate) struct Output {
    to: BufWriter<io::Stdout>,
    /// True if the output may have colors.
    pub(crate) colored: bool,
    /// The width of the terminal, or `COLUMNS`; `None` in a pipe or a file, where lines may have any length.
    pub(crate) width: Option<usize>,
    /// True if the output is a terminal.
    pub(crate) is_terminal: bool,
    /// True if something was written.
    has_text: bool,
}

impl Output {
    pub(crate) fn stdout() -> Self {
        let stdout = io::stdout();
        let choice = anstream::AutoStream::choice(&stdout);
        let columns = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
        let is_terminal = stdout.is_terminal();
        let asked = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        let width = columns.or_else(|| is_terminal.then(|| asked().unwrap_or(80)));
        let colored = !matches!(choice, anstream::ColorChoice::Never);
        Output {
            to: BufWriter::with_capacity(1 << 16, stdout),
            colored,
            width,
            is_terminal,
            has_text: false,
        }
    }

    /// Writes an empty line, unless nothing is before it.
    pub(crate) fn gap(&mut self) -> Result<()> {
        if self.has_text {
            writeln!(self)?;
        }
        Ok(())
    }

    /// Returns the text in bold, if there are colors.
    pub(crate) fn bold(&self, text: &str) -> String {
        if self.colored { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// Returns the text in a weak color, if there are colors.
    pub(crate) fn dim(&self, text: &str) -> String {
        if self.colored { format!("\x1b[2m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// Writes what is left in the buffer. Each subcommand calls it at the end, because a drop would ignore the error.
    pub(crate) fn finish(mut self) -> Result {
        self.to.flush()?;
        Ok(Answer::Yes)
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.has_text = true;
        self.to.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// A progress bar on standard error, if that is a terminal and the work is long.
pub(crate) struct Progress(indicatif::ProgressBar);

/// Work on fewer bytes has no progress bar.
const LONG_WORK: u64 = 1 << 28;

impl Progress {
    /// Starts work on this many bytes.
    pub(crate) fn start(bytes: u64) -> Self {
        if bytes < LONG_WORK || !io::stderr().is_terminal() {
            return Progress(indicatif::ProgressBar::hidden());
        }
        let style = "{wide_bar} {bytes} of {total_bytes}, {eta} left";
        let style = indicatif::ProgressStyle::with_template(style)
            .unwrap_or_else(|_| indicatif::ProgressStyle::default_bar());
        Progress(indicatif::ProgressBar::new(bytes).with_style(style))
    }

    /// Says that this many bytes are done.
    pub(crate) fn add(&mut self, bytes: usize) {
        self.0.inc(bytes as u64);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
