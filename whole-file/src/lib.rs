//! Files that appear when they are complete, or not at all, and locks of files that grow.
//!
//! ```
//! # let dir = tempfile::tempdir()?;
//! # std::env::set_current_dir(&dir)?;
//! use std::io::Write;
//!
//! use whole_file::NewFile;
//!
//! let mut file = NewFile::create("rows.csv")?;
//! file.write_all(b"a,b\n1,2\n")?;
//! assert!(!std::fs::exists("rows.csv")?);
//! file.finish()?;
//! assert_eq!(std::fs::read("rows.csv")?, b"a,b\n1,2\n");
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! - [`NewFile`] replaces a file, or creates one, by [`finish`](NewFile::finish). [`Options`] are about files that are kept, a loss of power,
//!   and temporary names.
//! - [`Destination`] is the name that such a file will have, for programs that hold the [`File`](std::fs::File) themselves. It also opens the
//!   file that will be replaced, and knows whether it is still the same.
//! - [`Lock`] lets one writer at a time add to a file.
//! - [`ScratchFile`] is a file for bytes that are needed for a while, in an open [`Directory`]; [`Spool`] is in memory while it is small.
//! - `remove_at_signals` leaves no incomplete file of a program that a signal ends (feature `signals`).
//! - [`allocate`] reserves the space of a file on the disk.
//!
//! # What is kept of a file that is replaced
//!
//! At any moment the path leads to the old file or to the complete new one, even if the process is killed. A loss of power may lose both;
//! [`Options::sync`] prevents that.
//!
//! Symbolic links are followed, even to a file that does not exist yet. In a directory with the sticky bit that everybody may write to,
//! like `/tmp`, a link is followed only if it belongs to this user or to the owner of the directory. This is Linux's rule
//! `fs.protected_symlinks`; here it applies on every Unix, even if the system has turned it off.
//!
//! The new file belongs to this user; other hard links still lead to the old file. The new file gets the permissions and the group of the
//! old one. If this user may not give it that group, its group keeps only those permissions that everybody has, too. Set-user-ID and
//! set-group-ID bits are not kept. On Linux POSIX ACLs and user attributes (`user.*`) are kept; other attributes are not. A file that this
//! user may not write to is not replaced.
//!
//! A pipe or a device is written to directly. So is an open file of a process (`/dev/stdout`, `/dev/fd/3`, `/proc/self/fd/3`): the bytes
//! are appended to it.
//!
//! # Temporary names
//!
//! On Linux the new file has no name while it is written, if the file system allows that: if the process is killed, nothing of it remains.
//! Once it is complete, it has a [temporary name](Options::prefix) in the directory until it is renamed. On other systems, and on file
//! systems without unnamed files (NFS), it has that name from the start. A process that handles signals calls
//! [`NewFile::remove_incomplete`] before it ends.
//!
//! # Errors
//!
//! All errors are [`std::io::Error`], and say what to do. They do not name the path that the caller passed. [`NoTemporaryFile`] is the inner
//! error if no file can be created in the directory, and [`TryLockError`](std::fs::TryLockError) tells a lock that another writer has.

// No call may panic; tests may.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects
    )
)]
#![forbid(unsafe_code)]
#![warn(missing_debug_implementations)]

#[cfg(unix)]
mod attributes;
mod destination;
mod lock;
mod names;
mod new_file;
#[cfg(not(unix))]
mod other;
mod scratch;
#[cfg(feature = "signals")]
mod signals;
mod space;
mod spool;
mod temporary;
#[cfg(unix)]
mod unix;

pub use destination::Destination;
pub use lock::Lock;
pub use new_file::{NewFile, Options};
#[cfg(not(unix))]
pub use other::Directory;
pub use scratch::ScratchFile;
#[cfg(feature = "signals")]
pub use signals::remove_at_signals;
pub use space::allocate;
pub use spool::Spool;
pub use temporary::NoTemporaryFile;
#[cfg(unix)]
pub use unix::Directory;

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
