//! `npy repair FILE -o OUT`: says what is wrong with a file, and writes a repaired one.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::slice;

use npy_core::DType;
use npy_repair::{Damage, Error, Options, Plan, diagnose};

use crate::lost_header;
use crate::output::{Answer, Failure, Output, Result, note, printable, unless_unread};
use crate::output_file::{Replacing, refuse_compressed};
use crate::raw::Raw;
use crate::remedy;
use crate::remote;
use crate::shell;
use crate::source::After;
use crate::target::{Target, refuse_stdin};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The damaged .npy or .npz file, which stays as it is
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The repaired file
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Writes OUT; without this, npy repair says what it would do, and the exit code is 1 if FILE is damaged
    #[arg(short, long, requires = "output")]
    yes: bool,
    /// FILE has no header, and its data is rows of this dtype and shape, such as '<u2' or '<u2,384'
    #[arg(long, value_name = "DTYPE[,ROW]")]
    raw: Option<Raw>,
    /// The shape of the data without a header, such as 480,640; one number may be -1, which the size of the file says
    #[arg(
        long,
        value_name = "N,N,…",
        value_delimiter = ',',
        requires = "raw",
        allow_hyphen_values = true
    )]
    shape: Option<Vec<i64>>,
    #[command(flatten)]
    after: After,
    #[command(flatten)]
    replacing: Replacing,
}

impl Args {
    pub(crate) fn run(self) -> Result {
        if remote::is_url(&self.file) {
            let message = "files are repaired on this machine alone; download it first";
            return Err(Failure::new(self.file.display(), message));
        }
        refuse_stdin(&self.file)?;
        let name = self.file.display();
        if let Some(out) = &self.output {
            refuse_compressed(out, &out.with_extension(""))?;
            let output =
                self.replacing.output(out, slice::from_ref(&Target::from(self.file.clone())))?;
            if output.is_stdout() {
                return Err(Failure::usage("npy repair writes a file; name it with -o OUT"));
            }
        }
        if self.file.metadata().is_ok_and(|file| file.is_file() && file.len() == 0) {
            let message =
                "is empty, so that nothing can be restored; copy it again, or write it again";
            return Err(Failure::new(&name, message));
        }
        let plan =
            diagnose(&self.file, &self.options()?).map_err(|error| self.not_repaired(error))?;
        self.check_suffix()?;
        if self.raw.is_some()
            && let Some(text) = remedy::for_raw_text(&self.file)
        {
            note(&name, text);
        }
        if plan.damages().iter().any(|damage| matches!(damage, Damage::NoHeader { .. }))
            && let Some(advice) = self.without_header()
        {
            note(&name, advice);
        }
        let mut out = Output::stdout();
        unless_unread(self.print_damages(&plan, &mut out))?;
        let answer = match &self.output {
            _ if !plan.is_needed() && !plan.unrepairable().is_empty() => Answer::No,
            _ if !plan.is_needed() => Answer::Yes,
            Some(path) if self.yes => {
                // The user reads which data is lost before the file is written.
                unless_unread(out.flush().map_err(Failure::from))?;
                self.write(&plan, path)?;
                Answer::Yes
            }
            _ => Answer::No,
        };
        unless_unread(self.print_result(&plan, &mut out))?;
        unless_unread(out.finish().map(drop))?;
        Ok(answer)
    }

    /// Returns the message about a file that cannot be repaired, with the command that reads its data.
    fn not_repaired(&self, error: Error) -> Failure {
        let name = self.file.display();
        let text = match error {
            Error::NotArray { .. } | Error::Unrepairable { .. } => {
                remedy::for_text(&Target::from(self.file.clone()))
            }
            _ => None,
        };
        match (error, text) {
            (Error::NotArray { reason }, Some(text)) => {
                Failure::new(name, format!("{reason}; {text}"))
            }
            (Error::NotArray { reason }, None) => {
                Failure::new(name, reason + &remedy::for_raw_data(&self.file))
            }
            // It has the name of an archive.
            (_, Some(text)) => Failure::new(name, format!("not an archive; {text}")),
            (Error::LostHeader { reason, data }, None) => match lost_header::commands(&self.file) {
                Some(commands) => {
                    let error = Error::LostHeader { reason, data };
                    Failure::new(name, format!("{error}: {commands}"))
                }
                None => {
                    let advice = "no data follows the header; copy the file again";
                    Failure::new(name, format!("{reason}; {advice}"))
                }
            },
            (error, None) => {
                let advice = match error {
                    Error::Options { .. } => self.without_header(),
                    _ => None,
                };
                let advice = advice.map_or(String::new(), |advice| format!("; {advice}"));
                let message = format!("{name}: {error}{advice}");
                Failure::Message(remedy::with_command(&name.to_string(), message))
            }
        }
    }

    /// Refuses an output with the suffix of the other kind of file.
    fn check_suffix(&self) -> Result<()> {
        let Some(out) = self.output.as_ref().filter(|_| self.raw.is_none()) else { return Ok(()) };
        let has_suffix = |path: &Path, suffix: &str| {
            path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(suffix))
        };
        let mut start = Vec::new();
        if let Ok(file) = File::open(&self.file) {
            file.take(2).read_to_end(&mut start)?;
        }
        // As the diagnosis has it.
        let is_archive =
            start == b"PK" || has_suffix(&self.file, "npz") && !start.starts_with(b"\x93");
        let (own, other) = if is_archive { ("npz", "npy") } else { ("npy", "npz") };
        match has_suffix(out, other) {
            true => {
                let message = format!(
                    "{} is repaired as the kind of file that it is; give the output a name that ends in .{own}",
                    self.file.display()
                );
                Err(Failure::new(out.display(), message))
            }
            false => Ok(()),
        }
    }

    fn options(&self) -> Result<Options> {
        let mut options = Options::new();
        if let Some(raw) = &self.raw {
            if self.shape.is_some() && !raw.row.is_empty() {
                let message = "--shape has all dimensions; leave out ROW of --raw";
                return Err(Failure::usage(message));
            }
            options.raw(npy_repair::Raw::new(raw.dtype.clone(), &self.raw_shape(raw)));
        }
        options.uncounted_rows(self.after.rows());
        Ok(options)
    }

    /// Returns the shape of the data without a header.
    fn raw_shape(&self, raw: &Raw) -> Vec<i64> {
        let row = raw.row.iter().filter_map(|&n| i64::try_from(n).ok());
        self.shape.clone().unwrap_or_else(|| [-1].into_iter().chain(row).collect())
    }

    /// Returns the commands that leave out the first bytes of data without a header, if these may be a damaged one.
    fn without_header(&self) -> Option<String> {
        let raw = self.raw.as_ref()?;
        let mut start = Vec::new();
        File::open(&self.file).ok()?.take(2).read_to_end(&mut start).ok()?;
        if start == b"\x93N" {
            return None;
        }
        let shape = self.raw_shape(raw);
        let length = self.file.metadata().ok()?.len();
        let bytes = header_length(&raw.dtype, &shape, length, remedy::is_named_array(&self.file))?;
        let dtype = shell::word(raw.dtype.to_string().as_bytes());
        let shape: Vec<String> = shape.iter().map(i64::to_string).collect();
        let commands = lost_header::cut(&self.file, bytes, &dtype, &shape.join(","));
        Some(format!("if the first {bytes} bytes are a header, this leaves them out: {commands}"))
    }

    fn print_damages(&self, plan: &Plan, out: &mut Output) -> Result<()> {
        let name = printable(&self.file.display().to_string());
        let text = plan.to_string();
        let (damages, _) = text.trim_end().rsplit_once('\n').unwrap_or_default();
        for line in damages.lines() {
            writeln!(out, "{name}: {}", printable(line))?;
        }
        for advice in plan.damages().iter().filter_map(|damage| self.unchecked(damage)) {
            writeln!(out, "{name}: {}", printable(&advice))?;
        }
        if plan.has_uncounted()
            && let Some(advice) = remedy::with_file(remedy::UNCOUNTED, &self.file)
        {
            writeln!(out, "{name}: {}", printable(&advice))?;
        }
        Ok(())
    }

    /// Returns the command that reads a member without its checksum: the bytes may be right.
    fn unchecked(&self, damage: &Damage) -> Option<String> {
        let Damage::Member { name, reason } = damage else { return None };
        if !reason.starts_with("the checksum is ") {
            return None;
        }
        let out = Path::new(Path::new(name).file_name()?);
        remedy::unzip(&self.file, Some(name), out, &format!("{name:?}"))
    }

    /// Prints what the file becomes, which is true once it is written.
    fn print_result(&self, plan: &Plan, out: &mut Output) -> Result<()> {
        let name = printable(&self.file.display().to_string());
        let text = plan.to_string();
        let last = text.lines().last().unwrap_or_default();
        let end = match &self.output {
            _ if !plan.is_needed() => String::new(),
            Some(path) if self.yes => format!(", in {}", path.display()),
            Some(path) => format!(" in {}, with --yes", path.display()),
            None => ", with -o OUT --yes".into(),
        };
        writeln!(out, "{name}: {}{}", printable(last), printable(&end))?;
        Ok(())
    }

    fn write(&self, plan: &Plan, path: &Path) -> Result<()> {
        let written = match self.replacing.no_clobber {
            true => plan.write_new(path),
            false => plan.write(path),
        };
        written.map_err(|error| match error {
            Error::Changed => Failure::new(self.file.display(), error),
            error => Failure::new(path.display(), error),
        })
    }
}

/// Returns the number of bytes before the data that may be a header, of NumPy or of another program, if the data without them has the stated shape.
fn header_length(dtype: &DType, shape: &[i64], length: u64, is_named_array: bool) -> Option<u64> {
    let mut known = shape.iter().filter(|&&n| n != -1);
    let itemsize = dtype.itemsize() as u64;
    let bytes = known.try_fold(itemsize, |bytes, &n| bytes.checked_mul(n.try_into().ok()?))?;
    if !shape.contains(&-1) {
        return length.checked_sub(bytes).filter(|before| *before > 0);
    }
    let usual = lost_header::USUAL as u64;
    let rest = length.checked_rem(bytes)?;
    let is_usual = length > usual && (length - usual).is_multiple_of(bytes);
    match rest {
        0 => (is_named_array && is_usual).then_some(usual),
        rest => Some(if is_usual { usual } else { rest }),
    }
}
