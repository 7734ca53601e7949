//! A directory of files `part-00000.npy`, …: each has as many rows as fit a size.
//!
//! All are written to a temporary directory, and get their names when the last one is complete.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use npy_core::{Header, Order};

use crate::commands::convert::Format;
use crate::output::{Failure, Of, Result};
use crate::output_file::{is_same_file, refuse_member};
use crate::remote;
use crate::target::Target;

/// More files are likelier a mistake in the unit of the size.
const MAX_PARTS: usize = 10_000;

/// The paths that a signal removes.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes incomplete files. The handler of a signal calls it, and then ends the process.
pub(crate) fn remove_unfinished() {
    // The lock stays taken, so that no other file gets its name.
    let unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    for path in unfinished.iter() {
        fs::remove_dir_all(path).or_else(|_| fs::remove_file(path)).ok();
    }
    std::mem::forget(unfinished);
}

/// A directory that is written.
pub(super) struct Parts {
    /// The directory as the user wrote it.
    directory: PathBuf,
    temporary: PathBuf,
    /// True if the directory is there already.
    exists: bool,
    /// The header of all rows together.
    header: Header,
    rows_per_part: usize,
    /// The rows that are not in a file yet.
    rows_left: usize,
    names: Vec<String>,
    part: Option<Part>,
}

/// The file that is written.
struct Part {
    file: BufWriter<File>,
    bytes_left: u64,
}

impl Parts {
    /// Checks the directory, before anything is read.
    pub(super) fn check(directory: &Path, inputs: &[Target], force: bool) -> Result<()> {
        remote::refuse_output(directory)?;
        refuse_member(directory)?;
        let name = directory.display();
        if !directory.is_dir() {
            // Without a separator at its end.
            let path = directory.components().as_path();
            let is_file = path == "-" || path.symlink_metadata().is_ok();
            if is_file || Format::of(path).is_some() {
                let message = "is the name of a file, and --target-size writes several; name a directory for them, such as parts";
                return Err(Failure::new(name, message));
            }
            return Ok(());
        }
        let mut is_empty = true;
        for entry in fs::read_dir(directory).of(&name)? {
            let path = entry.of(&name)?.path();
            is_empty = false;
            if !is_part(&path) {
                continue;
            }
            if let Some(input) = inputs.iter().find(|input| is_same_file(&input.path, &path)) {
                let message =
                    format!("is also an input ({}); write to another directory", input.path_text());
                return Err(Failure::new(path.display(), message));
            }
        }
        match is_empty || force {
            true => Ok(()),
            false => Err(Failure::new(
                name,
                "is not empty; name a new directory, or --force replaces its files part-*.npy and keeps the others",
            )),
        }
    }

    /// Creates the temporary directory. All files but the last have as many rows as `size` bytes hold, and at least one.
    pub(super) fn create(directory: &Path, header: Header, size: u64, force: bool) -> Result<Self> {
        let name = directory.display();
        let rows_left = header.shape().first().copied().unwrap_or(0);
        let row_bytes = header.data_bytes().checked_div(rows_left as u64).unwrap_or(0);
        let data = size.saturating_sub(header.to_bytes().of(&name)?.len() as u64);
        let rows_per_part = match data.checked_div(row_bytes) {
            Some(rows) => usize::try_from(rows.max(1)).unwrap_or(usize::MAX),
            None => usize::MAX,
        };
        let count = rows_left.div_ceil(rows_per_part);
        if count > MAX_PARTS && !force {
            let message = format!(
                "--target-size {size} writes {count} files; a size in megabytes is written as {size}MB, and --force writes them"
            );
            return Err(Failure::new(name, message));
        }
        let exists = directory.is_dir();
        // A directory that exists may be a link or a mount, so it stays.
        let parent = match directory.parent() {
            _ if exists => directory,
            Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
            parent => parent.unwrap_or(directory),
        };
        if !parent.is_dir() {
            let message = format!("no directory {}; create it first", parent.display());
            return Err(Failure::new(name, message));
        }
        let temporary = create_temporary(parent).of(&name)?;
        let directory = directory.to_owned();
        Ok(Parts {
            directory,
            temporary,
            exists,
            header,
            rows_per_part,
            rows_left,
            names: Vec::new(),
            part: None,
        })
    }

    /// Writes some bytes of the rows.
    pub(super) fn write(&mut self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            let part = match &mut self.part {
                Some(part) => part,
                None => self.begin()?,
            };
            let length = usize::try_from(part.bytes_left).unwrap_or(usize::MAX).min(bytes.len());
            let (of_part, rest) = bytes.split_at(length);
            part.file.write_all(of_part)?;
            part.bytes_left -= length as u64;
            bytes = rest;
            if part.bytes_left == 0 {
                self.end()?;
            }
        }
        Ok(())
    }

    /// Begins the next file.
    fn begin(&mut self) -> Result<&mut Part> {
        let rows = self.rows_left.min(self.rows_per_part);
        self.rows_left -= rows;
        let row = self.header.shape().iter().skip(1).copied();
        let shape: Vec<usize> = [rows].into_iter().chain(row).collect();
        let header = Header::new(self.header.dtype().clone(), shape, Order::C)?;
        let name = format!("part-{:05}.npy", self.names.len());
        let mut file = BufWriter::with_capacity(1 << 16, File::create(self.temporary.join(&name))?);
        file.write_all(&header.to_bytes()?)?;
        self.names.push(name);
        Ok(self.part.insert(Part { file, bytes_left: header.data_bytes() }))
    }

    fn end(&mut self) -> Result<()> {
        match self.part.take() {
            Some(mut part) => Ok(part.file.flush()?),
            None => Ok(()),
        }
    }

    /// Gives the files their names.
    pub(super) fn finish(mut self) -> Result<()> {
        if self.names.is_empty() {
            // There are no rows, or these have no bytes.
            self.begin()?;
            self.end()?;
        }
        if !self.exists {
            let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
            // A name of two ends in a separator: `out/`.
            fs::rename(&self.temporary, &self.directory).of(&self.directory.display())?;
            unfinished.clear();
            return Ok(());
        }
        let mut moved = Vec::new();
        for name in &self.names {
            let to = self.directory.join(name);
            let is_new = to.symlink_metadata().is_err();
            let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
            if let Err(error) = fs::rename(self.temporary.join(name), &to) {
                drop(unfinished);
                moved.iter().for_each(|path| _ = fs::remove_file(path));
                return Err(error).of(&to.display());
            }
            // A file that replaced another one stays.
            if is_new {
                unfinished.push(to.clone());
                moved.push(to);
            }
        }
        let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        unfinished.clear();
        for entry in fs::read_dir(&self.directory).of(&self.directory.display())? {
            let path = entry.of(&self.directory.display())?.path();
            let is_of_these = path
                .file_name()
                .and_then(|name| name.to_str())
                .is_some_and(|name| self.names.iter().any(|other| other == name));
            if is_part(&path) && !is_of_these {
                fs::remove_file(&path).of(&path.display())?;
            }
        }
        Ok(())
    }
}

impl Drop for Parts {
    fn drop(&mut self) {
        self.part = None;
        fs::remove_dir_all(&self.temporary).ok();
    }
}

/// Creates a directory for the files that are not complete.
fn create_temporary(parent: &Path) -> io::Result<PathBuf> {
    let mut number = 0u32;
    loop {
        let path = parent.join(format!(".npy-{}-{number}.tmp", std::process::id()));
        let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        match fs::create_dir(&path) {
            Ok(()) => {
                unfinished.push(path.clone());
                return Ok(path);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 1000 => {
                number += 1;
            }
            Err(error) => return Err(error),
        }
    }
}

/// Returns true for the path of a file that an earlier run may have written.
fn is_part(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let number = name.strip_prefix("part-").and_then(|name| name.strip_suffix(".npy"));
    number.is_some_and(|number| {
        number.len() >= 5 && number.bytes().all(|digit| digit.is_ascii_digit())
    })
}

/// Parses a number of bytes, with the units of `split -b`: MB are 10⁶ bytes, M and MiB 2²⁰.
pub(super) fn size(text: &str) -> Result<u64, String> {
    const LETTERS: [(&str, u32); 4] = [("k", 1), ("m", 2), ("g", 3), ("t", 4)];
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let unit = unit.trim().to_ascii_lowercase();
    let prefixed = LETTERS.iter().find_map(|(letter, power)| {
        let base: u64 = match unit.strip_prefix(letter)? {
            "b" => 1000,
            "" | "ib" => 1024,
            _ => return None,
        };
        Some(base.pow(*power))
    });
    let factor = prefixed.or_else(|| ["", "b"].contains(&&*unit).then_some(1));
    let size = number.parse().ok().zip(factor);
    let size = size.and_then(|(number, factor)| u64::checked_mul(number, factor));
    size.filter(|size| *size > 0)
        .ok_or_else(|| "a size is a number of bytes, such as 256MB, 1GiB or 500000".into())
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_have_the_units_of_other_commands() {
        for (text, bytes) in [
            ("500000", 500_000),
            ("256MB", 256_000_000),
            ("1 kB", 1000),
            ("2GiB", 2 << 30),
            ("64k", 64 << 10),
            ("1t", 1 << 40),
        ] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in ["", "0", "-1", "1.5GB", "MB", "3x", "99999999999GB", "1mbx", "1b b"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
