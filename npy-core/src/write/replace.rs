//! A file that is replaced as a whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Writes a temporary file beside `path`, and puts it in its place once all is written.
pub(super) fn replace(
    path: &Path,
    write: &mut dyn FnMut(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    let old = match fs::metadata(path) {
        Ok(metadata) => Some(metadata),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error.into()),
    };
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        // A pipe or a device cannot be replaced; a directory says so itself.
        return write(&mut OpenOptions::new().write(true).open(path)?);
    }
    let target = if old.is_some() { fs::canonicalize(path)? } else { path.to_owned() };
    let mut file = temporary(&target)?;
    write(file.as_file_mut())?;
    if let Some(old) = old {
        file.as_file().set_permissions(old.permissions())?;
    }
    file.persist(&target).map_err(|error| Error::from(error.error))?;
    Ok(())
}

/// A file beside `target`, which goes when dropped.
fn temporary(target: &Path) -> Result<tempfile::NamedTempFile<File>> {
    let directory = match target.parent() {
        Some(parent) if parent != Path::new("") => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".npy-").suffix(".tmp");
    // As for any new file: what the umask leaves of it.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(&directory).map_err(|error| {
        let place = directory.display();
        let reason = format!("no temporary file can be made in {place}, which replaces the old one when whole: {error}");
        io::Error::new(error.kind(), reason).into()
    })
}
