//! A file that goes when it is no longer needed.

use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::process;

/// The name of a file of ours, which goes with it.
#[derive(Debug)]
pub(crate) struct Temporary {
    /// From the root, so that it is found if the process moves to another directory; empty once there is nothing to remove.
    path: PathBuf,
}

/// A new file in this directory, to read and write; what else may be done with it by whom is for `mode` and the umask to say, on Unix.
pub(crate) fn create(directory: &Path, mode: u32) -> io::Result<(File, Temporary)> {
    // A name of 64 random bits is taken only if somebody guesses, and nobody guesses often.
    const TRIES: usize = 16;
    let directory = std::path::absolute(directory)?;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _ = mode;
    let mut result = Err(io::ErrorKind::AlreadyExists.into());
    for _ in 0..TRIES {
        let path = directory.join(format!(".npy-{:016x}.tmp", random()));
        result = options.open(&path).map(|file| (file, Temporary { path }));
        if !matches!(&result, Err(error) if error.kind() == io::ErrorKind::AlreadyExists) {
            break;
        }
    }
    result
}

/// What nobody knows beforehand: the standard library's keys against hash tables made to collide, which a process that was forked has
/// in common with its parent.
fn random() -> u64 {
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u32(process::id());
    hasher.finish()
}

impl Temporary {
    /// Gives the file another name, in place of what has it.
    pub(crate) fn rename(mut self, to: &Path) -> io::Result<()> {
        fs::rename(&self.path, to)?;
        self.path.clear();
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if self.path != Path::new("") {
            // If it cannot be removed, nobody is there to be told.
            let _ = fs::remove_file(&self.path);
        }
    }
}
