//! The zip file that is written, until it fails.

use std::io::{self, Write};
use std::sync::Arc;

use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{PreparedZipFile, ZipWriter};

use crate::error::{Error, Result};
use crate::npz::directory::zip_error;
use crate::npz::output::{Fate, Output};

/// A zip file in a writer.
pub(super) struct Archive<W: Write> {
    /// None once it is finished.
    zip: Option<Zip<W>>,
    fate: Arc<Fate>,
}

/// As the writer can seek or not.
enum Zip<W: Write> {
    Seeking(ZipWriter<Output<W>>),
    Streaming(ZipWriter<StreamWriter<Output<W>>>),
}

/// Calls the same on both, unless a write has failed: `zip` may be anywhere in its work then, if that was a panic.
macro_rules! either {
    ($archive:expr, $name:ident => $call:expr) => {
        match &mut $archive.checked()?.zip {
            Some(Zip::Seeking($name)) => $call,
            Some(Zip::Streaming($name)) => $call,
            // Nobody has it then.
            None => Err(io::Error::from(io::ErrorKind::BrokenPipe).into()),
        }
    };
}

impl<W: Write> Archive<W> {
    /// An archive from where the writer is.
    pub(super) fn seeking((output, fate): (Output<W>, Arc<Fate>)) -> Self {
        Archive { zip: Some(Zip::Seeking(ZipWriter::new(output))), fate }
    }

    /// A new archive in which nothing is changed that is written.
    pub(super) fn streaming((output, fate): (Output<W>, Arc<Fate>)) -> Self {
        Archive { zip: Some(Zip::Streaming(ZipWriter::new_stream(output))), fate }
    }

    /// An error if a write has failed.
    pub(super) fn check(&self) -> Result<()> {
        self.fate.check()
    }

    fn checked(&mut self) -> io::Result<&mut Self> {
        self.fate.try_check()?;
        Ok(self)
    }

    /// Begins a member.
    pub(super) fn start(&mut self, file: &str, options: SimpleFileOptions) -> io::Result<()> {
        either!(self, zip => Ok(zip.start_file(file, options)?))
    }

    /// Drops the member that was begun. Where that cannot be, nothing more is written.
    pub(super) fn abort(&mut self, why: &Error) {
        match self.try_abort() {
            Ok(()) => self.fate.cut(),
            Err(_) => self.fate.fail(why),
        }
    }

    fn try_abort(&mut self) -> Result<()> {
        either!(self, zip => zip.abort_file().map_err(zip_error))
    }

    /// Writes nothing more.
    pub(super) fn fail(&self, why: &Error) {
        self.fate.fail(why);
    }

    /// Adds a member that is compressed.
    pub(super) fn add(&mut self, member: PreparedZipFile) -> Result<()> {
        either!(self, zip => zip.add_prepared_file(member).map_err(zip_error))
    }

    /// Writes the directory, and gives the writer back.
    pub(super) fn finish(&mut self) -> Result<W> {
        self.check()?;
        self.fate.finishing();
        let output = match self.zip.take() {
            Some(Zip::Seeking(zip)) => zip.finish().map_err(zip_error)?,
            Some(Zip::Streaming(zip)) => zip.finish().map_err(zip_error)?.into_inner(),
            None => return Err(io::Error::from(io::ErrorKind::BrokenPipe).into()),
        };
        Ok(output.into_inner()?)
    }
}

/// The bytes of the member that was begun.
impl<W: Write> Write for Archive<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        either!(self, zip => zip.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// `zip` finishes what is dropped; here nothing is written that was not asked for.
impl<W: Write> Drop for Archive<W> {
    fn drop(&mut self) {
        self.fate.give_up();
    }
}
