//! A page that shows NumPy's `.npy` and `.npz` files in a browser: `cargo xtask page` makes one HTML file of this crate and `page/web`.
//!
//! A [`Session`] reads a file through [`ReadAt`], a part at a time, and answers with JSON. In the browser, `exports.rs` is between it and the
//! script of the page; the tests open files of this machine.

// Whatever the file, the page must go on.
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

mod describe;
mod elements;
#[cfg(target_family = "wasm")]
mod exports;
mod file;
mod json;
mod objects;
mod plot;
mod session;
mod table;
mod text;

pub use file::ReadAt;
pub use session::Session;

/// The reason why something is not shown, as text.
type Result<T> = std::result::Result<T, String>;
