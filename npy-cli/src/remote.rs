//! Paths that are URLs: `s3://`, `gs://`, `az://`, `abfs://`, `http://`, `https://`. The feature `clouds` reads the files at them; nothing writes to them.

use std::io;
use std::path::Path;

use crate::output::{Failure, Result};

/// The schemes of URLs, with the others that mean the same.
const SCHEMES: [&str; 10] =
    ["s3", "s3a", "gs", "az", "azure", "adl", "abfs", "abfss", "http", "https"];

/// Returns true for a URL, which is never a path of this machine.
pub(crate) fn is_url(path: &Path) -> bool {
    path_start(path.as_os_str().as_encoded_bytes()).is_some()
}

/// Returns the position in a URL after its host; `None` for paths.
pub(crate) fn path_start(text: &[u8]) -> Option<usize> {
    let scheme = text.iter().position(|&byte| byte == b':')?;
    let is_known = SCHEMES.iter().any(|name| name.as_bytes().eq_ignore_ascii_case(&text[..scheme]));
    let host = text[scheme..].strip_prefix(b"://").filter(|_| is_known)?;
    let length = host.iter().position(|&byte| byte == b'/').unwrap_or(host.len());
    Some(text.len() - host.len() + length)
}

/// Returns the extension of a file in lower case. The query of a URL is not part of it.
pub(crate) fn extension(path: &Path) -> Option<String> {
    let plain = path.to_str().filter(|_| is_url(path)).and_then(|url| url.split('?').next());
    let extension = plain.map_or(path, Path::new).extension()?;
    Some(extension.to_str()?.to_ascii_lowercase())
}

/// Refuses a URL in the place of a file that is written.
pub(crate) fn refuse_output(path: &Path) -> Result<()> {
    let message = "files are written on this machine alone; write one here, and upload it";
    refuse(path, message)
}

/// Returns an error for a file that cannot be changed in place: a URL, a directory, or a pipe, whose data may never end.
pub(crate) fn refuse_change(path: &Path) -> Result<()> {
    let message =
        "files are changed on this machine alone; download it, change it, and upload it again";
    refuse(path, message)?;
    refuse_directory(path)?;
    match path.metadata().is_ok_and(|file| !file.is_file()) {
        true => Err(Failure::new(path.display(), "is a pipe or a device; name a regular file")),
        false => Ok(()),
    }
}

/// Returns an error if the path is that of a directory, or has a separator at its end.
pub(crate) fn refuse_directory(path: &Path) -> Result<()> {
    match path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/") {
        true => Err(Failure::new(path.display(), "is a directory; name a file in it")),
        false => Ok(()),
    }
}

fn refuse(path: &Path, message: &str) -> Result<()> {
    match is_url(path) {
        true => Err(Failure::new(path.display(), message)),
        false => Ok(()),
    }
}

#[cfg(feature = "clouds")]
pub(crate) use reading::open;

#[cfg(feature = "clouds")]
mod reading {
    use std::collections::VecDeque;
    use std::path::PathBuf;
    use std::sync::{Mutex, PoisonError};

    use npy_clouds::RemoteFile;

    use super::{Path, io};

    /// The files that were opened last, each of them with a few blocks.
    static OPENED: Mutex<VecDeque<(PathBuf, RemoteFile)>> = Mutex::new(VecDeque::new());

    /// The number of those.
    const MOST: usize = 64;

    /// Opens the file at a URL. One that was opened before is the same version of it, without another request.
    pub(crate) fn open(url: &Path) -> io::Result<RemoteFile> {
        let lock = || OPENED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, file)) = lock().iter().find(|(opened, _)| opened == url) {
            return Ok(file.clone());
        }
        let text = url.to_str().ok_or_else(|| {
            io::Error::other("the URL is not UTF-8; write other bytes as % and two digits")
        })?;
        let file = RemoteFile::open(text).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound if text.contains('*') => {
                io::Error::other("there is no such file; npy reads no patterns in URLs, so name each file, or use npy sql")
            }
            _ => error,
        })?;
        let mut opened = lock();
        opened.truncate(MOST - 1);
        opened.push_front((url.to_owned(), file.clone()));
        Ok(file)
    }
}

/// The error of a command that reads no URLs.
#[cfg(not(feature = "clouds"))]
pub(crate) fn missing() -> io::Error {
    io::Error::other(
        "this npy was built without the feature clouds, which reads files at URLs; cargo install npy-cli --features clouds makes one that does, or download the file first",
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{extension, is_url, path_start};

    #[test]
    fn urls_are_those_of_stores() {
        for (text, start) in [
            ("s3://bucket/dir/x.npy", 11),
            ("HTTPS://host:80/x.npy", 15),
            ("http://[::1]:80/x.npz::m", 15),
            ("abfss://box@account.dfs.core.windows.net/x", 40),
            ("gs://bucket", 11),
        ] {
            assert_eq!(path_start(text.as_bytes()), Some(start), "{text}");
        }
        for (text, expected) in [
            ("dir/x.NPZ", Some("npz")),
            ("https://host/x.csv?X-Signature=a.b", Some("csv")),
            ("x.csv?y", Some("csv?y")),
            ("x", None),
        ] {
            assert_eq!(extension(Path::new(text)).as_deref(), expected, "{text}");
        }
        for text in ["x.npy", "-", "dir/s3://x", "s3:/x", "s3", "x.npz::m", "C:\\x", "ftp://host/x"]
        {
            assert!(!is_url(Path::new(text)), "{text}");
        }
    }
}
