//! Repairs damaged `.npy` and `.npz` files of NumPy.
//!
//! [`diagnose`] says what is wrong with a file and what can be restored of it; [`Plan::write`] writes the repaired file to another path. The damaged
//! file is never changed.
//!
//! ```
//! # let dir = tempfile::tempdir()?;
//! # std::env::set_current_dir(&dir)?;
//! use npy_core::{Header, Order, load};
//! use npy_repair::{Options, diagnose};
//!
//! // A copy that was interrupted.
//! let mut file = Header::new("<f8".parse()?, [1000], Order::C)?.to_bytes()?;
//! file.extend([0; 100]);
//! std::fs::write("x.npy", file)?;
//!
//! let plan = diagnose("x.npy", &Options::new())?;
//! if plan.is_needed() {
//!     println!("{plan}");
//!     plan.write("whole.npy")?;
//! }
//! assert_eq!(load::<Vec<f64>>("whole.npy")?.len(), 12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Repairs
//!
//! | damage | repair |
//! |---|---|
//! | a header that NumPy wrote and does not read: `np.int64(3)` or `array(3)` in the shape, a shape that is no tuple, `fortran_order` as a number, dtypes with metadata | it is written as NumPy reads it |
//! | a wrong length of the header, missing padding, a wrong version, one wrong byte of the first six | the dictionary and the size of the file say where the data is |
//! | a header in latin-1 that is said to be UTF-8 | it is written as the version of its text |
//! | a file that ends too early: a copy or a writer that was stopped | complete rows are kept; in Fortran order the complete parts along the last dimension |
//! | rows that the header does not count, also in a member | they are counted or removed, with [`Options::uncounted_rows`] |
//! | `\r\n` in place of each `\n`; bytes that became characters of UTF-8 | undone, if exactly the size results that the header states |
//! | data without a header | it gets one, with [`Options::raw`] |
//! | a header whose first bytes are lost | the data after it gets a new one, with [`Options::raw`] |
//! | an archive without a directory, or with a wrong one: a download or a writer that was stopped | the members are found by their own headers, and those that are complete are kept |
//! | members with a wrong checksum | they are left out |
//! | members that are a part of an array, also the one within which an archive ends, if it is stored or deflated | as a file; if an archive ends with 16 zeros or more, or a deflated member with any, the rows before these, because a copy may have made space for bytes that never came |
//! | members of one name | the last that is complete is kept; NumPy reads the last |
//!
//! # Certainty
//!
//! Nothing is guessed. A file is an error if more than one file could have become it: if bytes became U+FFFD, or a header ends before its dictionary does. An
//! array has no checksum, so a wrong byte in its data is not noticed, and neither are bytes that are missing in its middle, as after a copy that made `\n` of
//! each `\r\n`: the file is taken for one that ends too early, with a warning. In an archive, each member has a checksum.
//!
//! # Features
//!
//! `bzip2`, `lzma` and `zstd` check members that were compressed by these methods. Without them, such members are kept unchecked.

#![forbid(unsafe_code)]
#![warn(missing_debug_implementations)]
// Any bytes reach every line of this package, and none may panic.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod archive;
mod array;
mod damage;
mod error;
mod header;
mod literal;
mod options;
mod plan;
mod rows;
mod translation;

pub use damage::Damage;
pub use error::{Error, Result};
pub use options::{Options, Raw};
pub use plan::{Plan, diagnose};
pub use rows::Uncounted;
