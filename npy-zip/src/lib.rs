//! Zip archives, as Python's `zipfile` and NumPy read and write them.
//!
//! [`Directory`] reads the directory of an archive and opens its [members](Member), [`Writer`] writes an archive, and [`Editor`] changes one
//! by copying what stays. Nothing here knows what the members contain, and names are never used as paths.
//!
//! ```
//! use std::io::{Cursor, Read, Write};
//!
//! use npy_zip::{Compression, Directory, Limits, Writer};
//!
//! let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::deflate(6, 1))?;
//! writer.add("greeting.txt", |member| {
//!     member.begin(5)?;
//!     member.write_all(b"hello")
//! })?;
//! let mut file = writer.finish()?;
//!
//! let limits = Limits::default();
//! let directory = Directory::read(&mut file, &limits)?;
//! for entry in directory.entries() {
//!     let mut bytes = Vec::new();
//!     directory.member(entry, &mut file, &limits)?.read_to_end(&mut bytes)?;
//!     assert_eq!((entry.name(), &bytes[..]), ("greeting.txt", &b"hello"[..]));
//! }
//! # Ok::<(), npy_zip::Error>(())
//! ```
//!
//! [`Source`] shares a file or a stream between several members that are read at the same time.
//!
//! # Features
//!
//! `bzip2`, `lzma` and `zstd` read members that were compressed by these methods. Stored and deflated ones are always read.
//! `zstd-write` also writes members by Zstandard (`Compression::zstd`), by the reference code in C.

#![forbid(unsafe_code)]
#![warn(missing_debug_implementations)]
// The bytes of an archive reach every line of this package, and none may panic.
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

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod ahead;
mod checked;
mod checksum;
mod chunks;
mod decode;
mod directory;
mod editor;
mod error;
mod extra;
mod index;
mod inflate;
mod limits;
mod member;
mod name;
mod records;
mod room;
mod source;
mod writer;

pub use chunks::{Chunk, Chunks};
pub use directory::{Central, Directory, Entry};
pub use editor::{Editor, MemberError};
pub use error::{Error, Result, Unsupported};
pub use limits::Limits;
pub use member::Member;
pub use name::check_name;
pub use source::{Handle, Source};
pub use writer::{Compression, Interrupt, MemberWriter, Writer};

/// The data of each stored member that is written begins at a multiple of this number of bytes. It is the size of a cache line, and enough
/// for the alignment of any value, so that the member can be used in a mapped file.
pub const ALIGNMENT: u8 = 64;
