//! The module of the package `npy-core` for npm: `cargo xtask js` makes the package of this crate and the scripts in `npy-js/ts`.
//!
//! A [`Module`] answers calls with JSON and bytes. It reads its file through [`ReadAt`], a part at a time. In the package, `exports.rs` is
//! between it and the scripts; the tests call it on this machine. Headers, dtypes, archives and pickles are read here; arrays of
//! JavaScript are made by the scripts, which copy the bytes that this returns.
//!
//! The calls are those of the package (feature `arrays`) and those of the page (feature `view`): `cargo xtask page` makes the page of this
//! crate with the latter and of the scripts in `page/web`. So neither sends the code of the other.

// Whatever the file, the module must go on.
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

mod answer;
#[cfg(feature = "arrays")]
mod arrays;
#[cfg(target_family = "wasm")]
mod exports;
mod file;
mod json;
mod module;
mod text;
#[cfg(feature = "view")]
mod view;

pub use answer::{Answer, Failure};
pub use file::ReadAt;
pub use module::Module;
#[cfg(feature = "view")]
pub use view::Session;

/// The answer to a call, or the reason why there is none.
type Result<T> = std::result::Result<T, Failure>;

/// Parses a number of the scripts.
fn number<T: std::str::FromStr>(text: &str) -> Result<T> {
    text.parse().map_err(|_| Failure::Call("a number that is too large"))
}
