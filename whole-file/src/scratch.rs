//! Files for bytes that are needed for a while.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use crate::Directory;
use crate::temporary::Temporary;

/// A file without a final name, which only its owner may read. [`Options::scratch`](crate::Options::scratch) creates it.
///
/// On Unix the file has no name, so that nothing is left if the process is killed. Elsewhere it is removed when it is dropped.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// use std::io::{Read, Seek, Write};
///
/// use whole_file::{Directory, Options};
///
/// let mut file = Options::new().scratch(&Directory::open(&std::env::temp_dir())?)?;
/// file.write_all(b"abc")?;
/// file.rewind()?;
/// let mut text = String::new();
/// file.read_to_string(&mut text)?;
/// assert_eq!(text, "abc");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct ScratchFile {
    // The fields are in this order so that the file is closed before it is removed, as some systems require.
    file: File,
    _temporary: Option<Temporary>,
}

impl ScratchFile {
    pub(crate) fn create(directory: &Directory, prefix: &'static str) -> io::Result<Self> {
        // Only its owner may read the file, because others may have access to the directory.
        let (file, temporary) = directory.create(true, prefix)?;
        // On Unix, `temporary` is dropped, which removes the open file: nothing is left if the process is killed.
        Ok(ScratchFile { file, _temporary: (!cfg!(unix)).then_some(temporary) })
    }
}

impl Read for ScratchFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
    }
}

impl Write for ScratchFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for ScratchFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}
