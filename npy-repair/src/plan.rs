//! A plan: the damage of a file, and the file that is written instead.

use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use npy_core::Header;
use whole_file::Options as NewOptions;

use crate::archive::Archive;
use crate::array::Array;
use crate::damage::Damage;
use crate::error::{Error, Result};
use crate::options::Options;

/// The damage of a file, and the file that will be written instead. Nothing is written before [`write`](Self::write).
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// use npy_core::{Header, Order, load};
/// use npy_repair::{Options, diagnose};
///
/// let mut file = Header::new("<u2".parse()?, [4], Order::C)?.to_bytes()?;
/// file.extend([1, 0, 2, 0, 3]); // of eight bytes
/// std::fs::write("x.npy", file)?;
///
/// let plan = diagnose("x.npy", &Options::new())?;
/// println!("{plan}"); // truncated: 3 bytes are missing; the first 2 of 4 along dimension 0 are complete and kept, …
/// plan.write("whole.npy")?;
/// assert_eq!(load::<Vec<u16>>("whole.npy")?, [1, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Plan {
    path: PathBuf,
    file: File,
    length: u64,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Array(Box<Array>),
    Archive(Box<Archive>),
}

/// Finds out what is wrong with a `.npy` or `.npz` file, and what can be restored of it. Reads the file, and changes nothing.
///
/// A file is an archive if it begins as one, or if its name ends with `.npz`. Of an archive, all members are read.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// use npy_repair::{Options, diagnose};
///
/// let plain = "{'descr': '<u2', 'fortran_order': False, 'shape': (np.int64(1),), }\n"; // as open_memmap writes it
/// let length = u16::try_from(plain.len()).expect("it is short").to_le_bytes();
/// std::fs::write("x.npy", [&b"\x93NUMPY\x01\x00"[..], &length, plain.as_bytes(), &[7, 0]].concat())?;
/// let plan = diagnose("x.npy", &Options::new())?;
/// assert_eq!(plan.damages()[0].to_string(), "the header has (np.int64(1),), which NumPy does not read; it becomes (1,)");
/// # Ok::<(), npy_repair::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::Unrepairable`] if nothing can be restored with certainty; [`Error::LostHeader`] if its header cannot be mended; [`Error::NotArray`] if it does not begin as an array; [`Error::Options`] if the options do not fit the file; [`Error::Io`].
pub fn diagnose(path: impl AsRef<Path>, options: &Options) -> Result<Plan> {
    let path = path.as_ref();
    // To open a pipe waits until it is written.
    if !path.metadata()?.is_file() {
        let what =
            "it is not a regular file, which a repair reads several times; copy it to one first";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what).into());
    }
    let mut file = File::open(path)?;
    let metadata = file.metadata()?;
    let length = metadata.len();
    let content = match options.raw.is_none() && is_archive(&mut file, path)? {
        true => Content::Archive(Box::new(Archive::diagnose(&file, length, options)?)),
        false => Content::Array(Box::new(Array::diagnose(&mut file, length, options)?)),
    };
    Ok(Plan { path: path.to_owned(), file, length, content })
}

/// Returns true if a file begins as an archive, or is named as one and does not begin as an array.
fn is_archive(file: &mut File, path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    (&mut *file).take(4).read_to_end(&mut start)?;
    file.seek(SeekFrom::Start(0))?;
    let is_named = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npz"));
    let is_array = start.get(1..) == Some(b"NUM") || start.starts_with(b"\x93");
    Ok(start.starts_with(b"PK\x03\x04")
        || start.starts_with(b"PK\x05\x06")
        || is_named && !is_array)
}

impl Plan {
    /// Returns true if the file is damaged, so that a repaired one is to be written.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_repair::{Options, diagnose};
    ///
    /// npy_core::save("x.npy", &[1.0, 2.0])?;
    /// assert!(!diagnose("x.npy", &Options::new())?.is_needed());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_needed(&self) -> bool {
        match &self.content {
            Content::Array(array) => !array.is_right(),
            Content::Archive(archive) => !archive.is_right(),
        }
    }

    /// Returns the damage that will be repaired.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_repair::{Options, diagnose};
    ///
    /// npy_core::save("x.npy", &[1.0, 2.0])?;
    /// assert!(diagnose("x.npy", &Options::new())?.damages().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn damages(&self) -> &[Damage] {
        match &self.content {
            Content::Array(array) => &array.damages,
            Content::Archive(archive) => &archive.damages,
        }
    }

    /// Returns remarks: unusual things that stay as they are.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{Header, Order};
    /// use npy_repair::{Options, diagnose};
    ///
    /// let mut file = Header::new("<u2".parse()?, [1], Order::C)?.to_bytes()?;
    /// file.extend([1, 0, 2]);
    /// std::fs::write("x.npy", file)?;
    /// assert_eq!(diagnose("x.npy", &Options::new())?.remarks(), ["1 byte after the array, which NumPy ignores"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn remarks(&self) -> &[String] {
        match &self.content {
            Content::Array(array) => &array.remarks,
            Content::Archive(archive) => &archive.remarks,
        }
    }

    /// Returns true if bytes after an array stay that [`Options::uncounted_rows`] would count or remove. Another array after one is a part of a stream, except
    /// in a member, in which readers refuse it.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{Header, Order};
    /// use npy_repair::{Options, diagnose};
    ///
    /// let mut file = Header::new("<u2".parse()?, [1], Order::C)?.to_bytes()?;
    /// file.extend([1, 0, 2]);
    /// std::fs::write("x.npy", file)?;
    /// assert!(diagnose("x.npy", &Options::new())?.has_uncounted());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn has_uncounted(&self) -> bool {
        match &self.content {
            Content::Array(array) => array.has_uncounted,
            Content::Archive(archive) => archive.has_uncounted,
        }
    }

    /// Returns the header that the repaired file will have; `None` for an archive.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::Header;
    /// use npy_repair::{Options, diagnose};
    ///
    /// npy_core::save("x.npy", &[1.0, 2.0])?;
    /// assert_eq!(diagnose("x.npy", &Options::new())?.header().map(Header::shape), Some(&[2][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn header(&self) -> Option<&Header> {
        match &self.content {
            Content::Array(array) => Some(&array.header),
            Content::Archive(_) => None,
        }
    }

    /// Returns the names of the members that the repaired archive will have; none for an array.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use std::fs::File;
    ///
    /// use npy_repair::{Options, diagnose};
    /// use npy_zip::{Compression, Writer};
    ///
    /// let mut writer = Writer::file(File::create("x.npz")?, Compression::stored())?;
    /// writer.add("a.txt", |member| member.begin(0))?;
    /// writer.finish()?;
    /// assert_eq!(diagnose("x.npz", &Options::new())?.members(), ["a.txt"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn members(&self) -> &[String] {
        match &self.content {
            Content::Array(_) => &[],
            Content::Archive(archive) => &archive.names,
        }
    }

    /// Returns the names of members that stay as they are although they are damaged: nothing of their arrays can be restored. The
    /// [remarks](Self::remarks) have the reasons.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use std::fs::File;
    /// use std::io::Write;
    ///
    /// use npy_core::{Header, Order};
    /// use npy_repair::{Options, diagnose};
    /// use npy_zip::{Compression, Writer};
    ///
    /// let header = Header::new("<f8".parse()?, [9], Order::C)?.to_bytes()?;
    /// let mut writer = Writer::file(File::create("x.npz")?, Compression::stored())?;
    /// writer.add("a.npy", |member| {
    ///     member.begin(header.len() as u64)?;
    ///     member.write_all(&header)
    /// })?;
    /// writer.finish()?;
    /// assert_eq!(diagnose("x.npz", &Options::new())?.unrepairable(), ["a.npy"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn unrepairable(&self) -> &[String] {
        match &self.content {
            Content::Array(_) => &[],
            Content::Archive(archive) => &archive.unrepairable,
        }
    }

    /// Writes the repaired file. It replaces a file of that name when it is complete. If nothing is wrong, it is a copy.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_repair::{Options, Raw, diagnose};
    ///
    /// std::fs::write("x.bin", [1, 0, 2, 0])?;
    /// let plan = diagnose("x.bin", Options::new().raw(Raw::new("<u2".parse()?, &[-1])))?;
    /// plan.write("x.npy")?;
    /// assert_eq!(npy_core::load::<Vec<u16>>("x.npy")?, [1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::SameFile`] if the path leads to the damaged file; [`Error::Changed`]; [`Error::Io`].
    pub fn write(&self, out: impl AsRef<Path>) -> Result<()> {
        self.write_by(out.as_ref(), false)
    }

    /// Writes the repaired file like [`write`](Self::write), and replaces none.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_repair::{Options, diagnose};
    ///
    /// npy_core::save("x.npy", &[1.0, 2.0])?;
    /// npy_core::save("y.npy", &[3.0])?;
    /// assert!(diagnose("x.npy", &Options::new())?.write_new("y.npy").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write), and [`Error::Io`] if there is a file of that name.
    pub fn write_new(&self, out: impl AsRef<Path>) -> Result<()> {
        self.write_by(out.as_ref(), true)
    }

    fn write_by(&self, out: &Path, keep_existing: bool) -> Result<()> {
        if is_same_file(&self.path, out) {
            return Err(Error::SameFile);
        }
        if self.file.metadata()?.len() != self.length {
            return Err(Error::Changed);
        }
        let mut options = NewOptions::new();
        options.prefix(".npy-").keep_existing(keep_existing);
        match &self.content {
            Content::Archive(archive) => archive.write(&self.file, &options, out),
            Content::Array(array) => {
                let mut to = BufWriter::with_capacity(1 << 16, options.create(out)?);
                array.write(&mut &self.file, &mut to)?;
                to.into_inner().map_err(io::IntoInnerError::into_error)?.finish()?;
                Ok(())
            }
        }
    }
}

/// Prints a line for each damage and each remark, and one for the file that will be written.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for damage in self.damages() {
            writeln!(f, "{damage}")?;
        }
        for remark in self.remarks() {
            writeln!(f, "{remark}")?;
        }
        let verb = match (self.is_needed(), self.unrepairable().is_empty()) {
            (true, _) => "becomes",
            (false, true) => "needs no repair:",
            (false, false) => "cannot be repaired:",
        };
        match &self.content {
            Content::Array(array) => write!(f, "{verb} {}", array.header),
            Content::Archive(archive) => write!(f, "{verb} {}", archive.summary()),
        }
    }
}

/// Returns true if both paths lead to one file.
#[cfg(unix)]
fn is_same_file(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let (Ok(one), Ok(other)) = (one.metadata(), other.metadata()) else { return false };
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Returns true if both paths lead to one file.
#[cfg(not(unix))]
fn is_same_file(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}
