//! A file that is replaced as a whole or not at all.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::path::{Path, PathBuf};

use super::temporary::{self, Temporary};
use crate::error::Result;

/// Everybody may read and write it, as far as the umask allows.
const ANY_NEW_FILE: u32 = 0o666;

/// Writes a temporary file beside `path`, and puts it in its place once all is written. The file stays open.
pub(crate) fn replace(path: &Path, write: &mut dyn FnMut(&mut File) -> Result<()>) -> Result<File> {
    let (mut file, place) = begin(path)?;
    write(&mut file)?;
    place.take(file)
}

/// The place that a file takes once it is written; if it never does, the file goes.
#[derive(Debug)]
pub(crate) struct Place {
    /// Where the file is now, and where it goes; none for what cannot be replaced, and is written to directly.
    way: Option<(Temporary, PathBuf)>,
    permissions: Option<Permissions>,
}

/// A new file beside `path`, which will take its place.
pub(crate) fn begin(path: &Path) -> Result<(File, Place)> {
    let old = match fs::metadata(path) {
        Ok(metadata) => Some(metadata),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error.into()),
    };
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        // A pipe or a device cannot be replaced; a directory says so itself.
        let file = OpenOptions::new().write(true).open(path)?;
        return Ok((file, Place { way: None, permissions: None }));
    }
    // From the root: the process may be elsewhere once the file is written.
    let target = followed(path);
    let target = std::path::absolute(&target).unwrap_or(target);
    let permissions = old.map(|old| old.permissions());
    let (file, temporary) = beside(&target, permissions.as_ref())?;
    Ok((file, Place { way: Some((temporary, target)), permissions }))
}

impl Place {
    /// Where the file will stand, unless it is written to directly.
    #[cfg(feature = "npz")]
    pub(crate) fn directory(&self) -> Option<&Path> {
        self.way.as_ref().map(|(_, target)| directory(target))
    }

    /// Puts the file there, which stays open.
    pub(crate) fn take(self, file: File) -> Result<File> {
        let Some((temporary, target)) = self.way else { return Ok(file) };
        if let Some(permissions) = self.permissions {
            file.set_permissions(permissions)?;
        }
        temporary.rename(&target)?;
        Ok(file)
    }
}

/// Where a path leads through links, also if there is no file yet.
fn followed(path: &Path) -> PathBuf {
    // As many as Linux follows; more are an error before we come here.
    const MOST: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST {
        let Ok(link) = fs::read_link(&path) else { break };
        path = directory(&path).join(link);
    }
    path
}

/// Where the file of a path stands.
fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

/// A file beside `target`, which goes when dropped. Where it replaces another, only its owner can read it until it does.
fn beside(target: &Path, old: Option<&Permissions>) -> Result<(File, Temporary)> {
    let directory = directory(target);
    temporary::create(directory, old.map_or(ANY_NEW_FILE, mode)).map_err(|error| {
        let place = directory.display();
        let reason = match error.kind() {
            io::ErrorKind::NotFound => format!("there is no directory {place}; make it first"),
            _ => format!(
                "no temporary file can be made in {place}, to take the place of the old one when whole: {}",
                plain(&error)
            ),
        };
        io::Error::new(error.kind(), reason).into()
    })
}

/// What the owner may do with the old file.
#[cfg(unix)]
fn mode(old: &Permissions) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(old) & 0o700
}

/// Only Unix says it in a number.
#[cfg(not(unix))]
fn mode(_: &Permissions) -> u32 {
    ANY_NEW_FILE
}

/// What the system says, without the name of the temporary file.
fn plain(error: &io::Error) -> String {
    let system = error.raw_os_error().map(io::Error::from_raw_os_error);
    system.map_or_else(|| error.kind().to_string(), |error| error.to_string())
}
