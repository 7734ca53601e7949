//! A file of this machine, or at a URL; and an archive in one of these.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

#[cfg(feature = "clouds")]
use npy_clouds::RemoteFile;
use npy_core::{Header, ReadNpy, npz};

use super::reader::AnyReader;
use crate::remote;

/// A file that was opened.
pub(crate) enum AnyFile {
    Local(File),
    #[cfg(feature = "clouds")]
    Remote(RemoteFile),
}

/// An archive that was opened. That of this machine is read by several threads.
pub(crate) enum Archive {
    Local(npz::Reader<File>),
    #[cfg(feature = "clouds")]
    Remote(npz::Reader<RemoteFile>),
}

/// Does the same with each kind.
macro_rules! each {
    ($kind:ident, $any:expr, $one:ident => $call:expr) => {
        match $any {
            $kind::Local($one) => $call,
            #[cfg(feature = "clouds")]
            $kind::Remote($one) => $call,
        }
    };
}

impl AnyFile {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        match remote::is_url(path) {
            #[cfg(feature = "clouds")]
            true => remote::open(path).map(AnyFile::Remote),
            #[cfg(not(feature = "clouds"))]
            true => Err(remote::missing()),
            false => File::open(path).map(AnyFile::Local),
        }
    }

    /// Returns the number of bytes.
    pub(crate) fn size(&self) -> io::Result<u64> {
        match self {
            AnyFile::Local(file) => Ok(file.metadata()?.len()),
            #[cfg(feature = "clouds")]
            AnyFile::Remote(file) => Ok(file.size()),
        }
    }

    /// Returns another reader of the file, which may move this one.
    pub(super) fn try_clone(&self) -> io::Result<Self> {
        match self {
            AnyFile::Local(file) => file.try_clone().map(AnyFile::Local),
            #[cfg(feature = "clouds")]
            AnyFile::Remote(file) => Ok(AnyFile::Remote(file.clone())),
        }
    }
}

/// Returns the number of bytes of a file, if it is known.
pub(crate) fn size(path: &Path) -> Option<u64> {
    match remote::is_url(path) {
        true => AnyFile::open(path).ok()?.size().ok(),
        false => path.metadata().ok().map(|metadata| metadata.len()),
    }
}

impl Read for AnyFile {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        each!(AnyFile, self, file => file.read(out))
    }
}

impl Seek for AnyFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        each!(AnyFile, self, file => file.seek(to))
    }
}

impl Archive {
    /// Opens the archive that a path or a URL names.
    pub(crate) fn open(path: &Path, options: &npz::ReadOptions) -> npy_core::Result<Self> {
        match remote::is_url(path) {
            #[cfg(feature = "clouds")]
            true => Ok(Archive::Remote(options.reader(remote::open(path)?)?)),
            #[cfg(not(feature = "clouds"))]
            true => Err(remote::missing().into()),
            false => options.open(path).map(Archive::Local),
        }
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        each!(Archive, self, archive => archive.names())
    }

    pub(crate) fn len(&self) -> usize {
        each!(Archive, self, archive => archive.len())
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        each!(Archive, self, archive => archive.contains(name))
    }

    pub(crate) fn shadowed(&self) -> usize {
        each!(Archive, self, archive => archive.shadowed())
    }

    pub(crate) fn is_compressed(&self, name: &str) -> npy_core::Result<bool> {
        each!(Archive, self, archive => archive.is_compressed(name))
    }

    pub(crate) fn is_seekable(&self, name: &str) -> npy_core::Result<bool> {
        each!(Archive, self, archive => archive.is_seekable(name))
    }

    pub(crate) fn check_index(&self, name: &str) -> npy_core::Result<bool> {
        each!(Archive, self, archive => archive.check_index(name))
    }

    pub(crate) fn header(&self, name: &str) -> npy_core::Result<Header> {
        each!(Archive, self, archive => archive.header(name))
    }

    pub(crate) fn read<A: ReadNpy>(&self, name: &str) -> npy_core::Result<A> {
        each!(Archive, self, archive => archive.read(name))
    }

    pub(crate) fn read_bytes(&self, name: &str) -> npy_core::Result<Vec<u8>> {
        each!(Archive, self, archive => archive.read_bytes(name))
    }

    pub(crate) fn copy_bytes(&self, name: &str, out: &mut dyn Write) -> npy_core::Result<u64> {
        each!(Archive, self, archive => archive.copy_bytes(name, out))
    }

    /// Returns the Rust struct that reads all members.
    pub(crate) fn code(&self, name: &str) -> npy_core::Result<npy_codegen::Code> {
        each!(Archive, self, archive => npy_codegen::archive(archive, name))
    }

    /// Opens a member, which is read from here on.
    pub(super) fn member(&self, name: &str, origin: super::Origin) -> npy_core::Result<AnyReader> {
        each!(Archive, self, archive => Ok(AnyReader::new(archive.member(name)?, origin)))
    }
}
