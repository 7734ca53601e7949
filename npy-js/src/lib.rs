//! The module of the package `npy-core` for npm: `cargo xtask js` makes the package of this crate and the scripts in `npy-js/ts`.
//!
//! A [`Module`] answers calls with JSON and bytes. It reads its file through [`ReadAt`], a part at a time. In the package, `exports.rs` is
//! between it and the scripts; the tests call it on this machine. Headers, dtypes, archives and pickles are read here; arrays of
//! JavaScript are made by the scripts, which copy the bytes that this returns.

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
mod describe;
#[cfg(target_family = "wasm")]
mod exports;
mod file;
mod json;
mod members;
mod module;
mod objects;
mod versions;

pub use answer::{Answer, Failure};
pub use file::ReadAt;
pub use module::Module;

/// The answer to a call, or the reason why there is none.
type Result<T> = std::result::Result<T, Failure>;
