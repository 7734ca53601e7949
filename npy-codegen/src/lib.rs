//! Rust structs for NumPy's `.npy` and `.npz` files: code that [npy-core](npy_core) reads the files with.
//!
//! ```
//! use npy_core::{Header, Order};
//!
//! // In a program, of a file: `Header::read_npy("traces.npy")?`.
//! let header = Header::new("[('station', '<u4'), ('gain', '<f4')]".parse()?, [1000], Order::C)?;
//! let code = npy_codegen::header(&header, "Trace");
//! assert!(code.needs.is_empty());
//! assert_eq!(code.text, "\
//! /// A record of 8 bytes.
//! ///
//! /// `Vec::<Trace>::read_npy(path)` reads an array of shape (1000,).
//! #[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
//! pub struct Trace {
//!     pub station: u32,
//!     pub gain: f32,
//! }
//! ");
//! # Ok::<(), npy_core::Error>(())
//! ```
//!
//! - For an array, [`header()`]; for a dtype alone, [`record()`]; for an archive, [`archive()`].
//! - Each returns [`Code`]: the text, and what it [needs](Need) besides `npy-core`.
//!
//! The command `npy struct` prints the same code, and `npy_core::assert_reads!` tests that a struct still reads a file. Names in a file become
//! identifiers or string literals of the code, and are in no comment: so a file cannot add code of its own.

#![forbid(unsafe_code)]
// No code that handles the bytes of a file may panic.
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects
)]
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects
    )
)]

mod archive;
mod code;
mod header;
mod layout;
mod names;
mod record;
mod scalars;

pub use archive::archive;
pub use code::{Code, Need};
pub use header::header;
pub use record::record;
