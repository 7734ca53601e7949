//! Files that an argument names as the output, and the rule for what is replaced, which `npy help` says.
//!
//! `Replacing` has the options. `replacing.output(path, &inputs)?` checks the rule, before anything is read; `output.write(|out| …)` then
//! writes the file, whole or not at all.

use std::fs::{self, Metadata};
use std::io::{self, BufWriter, IsTerminal, Seek, SeekFrom, Stdout, Write};
use std::path::Path;

use whole_file::{NewFile, Options};

use crate::output::{Failure, Result};
use crate::remote;
use crate::shell;
use crate::source;
use crate::target::Target;

/// The option of commands that write a file.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct Replacing {
    /// Refuses to replace a file
    #[arg(long)]
    pub(crate) no_clobber: bool,
}

/// A file that will be written.
pub(crate) struct OutputFile<'a> {
    path: &'a Path,
    no_clobber: bool,
    /// True if a file that another process makes in the meantime is kept.
    is_new: bool,
}

/// An output that is not complete.
#[derive(Debug)]
pub(crate) enum Begun {
    Stdout(Stdout),
    File(NewFile),
}

impl Replacing {
    /// Returns the option as in a command, if it is there.
    pub(crate) fn option(self) -> Option<String> {
        self.no_clobber.then(|| "--no-clobber".to_owned())
    }

    /// Returns the file to write. It is an error if one of the inputs is the same file.
    pub(crate) fn output<'a>(self, path: &'a Path, inputs: &[Target]) -> Result<OutputFile<'a>> {
        let output = OutputFile { path, no_clobber: self.no_clobber, is_new: false };
        if output.is_stdout() {
            return Ok(output);
        }
        remote::refuse_output(path)?;
        remote::refuse_directory(path)?;
        refuse_member(path)?;
        if let Some(input) = inputs.iter().find(|input| is_same_file(&input.path, path)) {
            let (name, input) = (path.display(), input.path_text());
            let what =
                if input == name.to_string() { String::new() } else { format!(" ({input})") };
            let message =
                format!("is also an input{what}; write to another name, and rename that file");
            return Err(Failure::new(name, message));
        }
        match self.no_clobber && path.is_file() {
            true => Err(output.exists()),
            false => Ok(output),
        }
    }
}

impl OutputFile<'_> {
    /// Refuses to write what is not text to a terminal.
    pub(crate) fn binary(self) -> Result<Self> {
        let is_terminal = match self.is_stdout() {
            true => io::stdout().is_terminal(),
            // Opening a pipe would wait for a writer.
            false => {
                fs::metadata(self.path).is_ok_and(|file| is_device(&file))
                    && fs::File::open(self.path).is_ok_and(|file| file.is_terminal())
            }
        };
        match is_terminal {
            true => Err(Failure::new(
                self.path.display(),
                "is a terminal, and the output is not text; name a file, or redirect it with > FILE",
            )),
            false => Ok(self),
        }
    }

    /// Keeps a file that another process makes in the meantime, unless `force` replaces it.
    pub(crate) fn unless_made(self, force: bool) -> Self {
        OutputFile { is_new: !force && !self.path.exists(), ..self }
    }

    /// Returns true for standard output.
    pub(crate) fn is_stdout(&self) -> bool {
        // By its path, a file that standard output is redirected to would be replaced.
        self.path.as_os_str() == "-" || self.path == Path::new("/dev/stdout")
    }

    /// Returns true for standard output, a pipe and the like.
    pub(crate) fn is_stream(&self) -> bool {
        self.is_stdout() || self.path.metadata().is_ok_and(|file| !file.is_file())
    }

    /// Creates the file, which gets its name by `finish`, or opens standard output.
    pub(crate) fn begin(&self) -> Result<Begun> {
        if self.is_stdout() {
            return Ok(Begun::Stdout(io::stdout()));
        }
        // The library's prefix: all temporary files of the command have it.
        let is_kept = self.no_clobber || self.is_new;
        let created = Options::new().prefix(".npy-").keep_existing(is_kept).create(self.path);
        created.map(Begun::File).map_err(|error| self.failure(error))
    }

    /// Gives the file its name.
    pub(crate) fn finish(&self, begun: Begun) -> Result<()> {
        match begun {
            Begun::Stdout(mut out) => Ok(out.flush()?),
            Begun::File(file) => file.finish().map(drop).map_err(|error| self.failure(error)),
        }
    }

    /// Writes the file, or to standard output, by a function.
    pub(crate) fn write<T>(&self, write: impl FnOnce(&mut dyn Write) -> Result<T>) -> Result<T> {
        let named = |failure: Failure| match self.is_stdout() {
            true => failure,
            false => failure.named(self.path.display()),
        };
        let mut out = BufWriter::with_capacity(1 << 16, self.begin()?);
        let result = write(&mut out).map_err(named)?;
        let begun = out.into_inner().map_err(|error| named(error.into_error().into()))?;
        self.finish(begun)?;
        Ok(result)
    }

    fn exists(&self) -> Failure {
        Failure::new(self.path.display(), "exists, and --no-clobber keeps it")
    }

    fn failure(&self, error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::AlreadyExists if self.no_clobber => self.exists(),
            io::ErrorKind::AlreadyExists if self.is_new => {
                let message = "another process has made it in the meantime; run the command again";
                Failure::new(self.path.display(), message)
            }
            io::ErrorKind::BrokenPipe => error.into(),
            _ => Failure::new(self.path.display(), error),
        }
    }
}

impl Write for Begun {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Begun::Stdout(out) => out.write(bytes),
            Begun::File(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Begun::Stdout(out) => out.flush(),
            Begun::File(file) => file.flush(),
        }
    }
}

/// Writes to standard output as to a stream, which cannot seek.
impl Seek for Begun {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        match self {
            Begun::Stdout(_) => Err(io::ErrorKind::NotSeekable.into()),
            Begun::File(file) => file.seek(position),
        }
    }
}

/// Returns the member of an archive that the path of an output names, without its slice, which no output has. A path that exists is a file.
pub(crate) fn member(path: &Path) -> Option<Target> {
    let target = Target { slice: None, ..Target::parse(path.as_os_str()).ok()? };
    target.member.as_ref()?;
    (is_named_archive(&target) || source::begins_as_archive(&target.path)).then_some(target)
}

/// Returns a member as the output of `npy convert`, in the words of a command.
pub(crate) fn converted(member: &Target) -> String {
    let option = if is_named_archive(member) { "" } else { " --to npz" };
    shell::target(member) + option
}

fn is_named_archive(target: &Target) -> bool {
    remote::extension(&target.path).as_deref() == Some("npz")
}

/// Refuses a member of an archive as the output of a command that writes files.
pub(crate) fn refuse_member(path: &Path) -> Result<()> {
    let Some(member) = member(path) else { return Ok(()) };
    let message = format!(
        "names a member of an archive, which npy convert alone writes; name a file or a directory; npy convert FILE {} then copies an array to the member",
        converted(&member)
    );
    Err(Failure::new(path.display(), message))
}

/// Refuses an output with the name of a compressed file, and names the plain one. A member may have any name.
pub(crate) fn refuse_compressed(path: &Path, plain: &Path) -> Result<()> {
    const TOOLS: [(&str, &str); 4] =
        [("gz", "gzip"), ("zst", "zstd"), ("xz", "xz"), ("bz2", "bzip2")];
    let suffix = path.extension().unwrap_or_default();
    let tool = TOOLS.iter().find(|(known, _)| suffix.eq_ignore_ascii_case(known));
    let Some((_, tool)) = tool.filter(|_| member(path).is_none()) else { return Ok(()) };
    remote::refuse_output(path)?;
    let plain = shell::new_output(plain);
    let message = format!(
        "npy writes no compressed files but .npz; write {plain}, and {tool} -c {plain} > {} compresses it",
        shell::new_output(path)
    );
    Err(Failure::new(path.display(), message))
}

/// Refuses a member of an archive as the output of a command that writes a picture or a page.
pub(crate) fn refuse_picture_as_member(path: &Path) -> Result<()> {
    match member(path) {
        Some(_) => Err(Failure::new(
            path.display(),
            "names a member of an archive, which has arrays alone as members; name a file",
        )),
        None => Ok(()),
    }
}

#[cfg(unix)]
fn is_device(file: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    file.file_type().is_char_device()
}

#[cfg(not(unix))]
fn is_device(_: &Metadata) -> bool {
    false
}

/// Returns true if both paths lead to one regular file, by whatever links. `-` is the file that standard input reads.
pub(crate) fn is_same_file(input: &Path, output: &Path) -> bool {
    let input = if input.as_os_str() == "-" { Path::new("/dev/stdin") } else { input };
    let (Ok(one), Ok(other)) = (input.metadata(), output.metadata()) else { return false };
    one.is_file() && other.is_file() && has_same_id((input, &one), (output, &other))
}

#[cfg(unix)]
fn has_same_id((_, one): (&Path, &Metadata), (_, other): (&Path, &Metadata)) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn has_same_id((one, _): (&Path, &Metadata), (other, _): (&Path, &Metadata)) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}
