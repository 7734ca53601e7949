//! NumPy's `.npy` files to Rust structs and back.
//!
//! `.npy` is how arrays travel between programs. A struct that derives [`NpyRecord`](macro@NpyRecord) has a NumPy dtype, and
//! then a `Vec` of it is read from a file and written to one in a line:
//!
//! ```
//! use npy_core::{NpyRecord, ReadNpy, WriteNpy};
//!
//! #[derive(NpyRecord, Debug, Clone, PartialEq)]
//! struct Trace<const N: usize> {
//!     station: u32,
//!     #[npy(rename = "t0")]
//!     start: i64,
//!     gain: f32,
//!     samples: [f32; N],
//! }
//!
//! # let dir = std::env::temp_dir().join(format!("npy-core-doc-lib-{}", std::process::id()));
//! # std::fs::create_dir_all(&dir)?;
//! # let path = dir.join("traces.npy");
//! let traces = vec![Trace { station: 7, start: 0, gain: 1.5, samples: [0.0; 4] }];
//! traces.write_npy(&path)?; // np.load reads it
//! assert_eq!(Vec::<Trace<4>>::read_npy(&path)?, traces);
//! # std::fs::remove_dir_all(&dir)?;
//! # Ok::<(), npy_core::Error>(())
//! ```
//!
//! # Where to look
//!
//! - Whole arrays: [`ReadNpy`], [`WriteNpy`] and their options, for `Vec<T>`, [`NpyArray`] and [`DynArray`].
//! - In parts: [`Reader`] gives items one by one, in chunks, from a row on, or a column of them; [`Writer`] takes items as they come, for files
//!   that are new and files that are there.
//! - What is in a file: [`Header`], [`DType`].
//! - Items: [`Element`]; which Rust type is which dtype stands in [`types`]; times are in [`time`].
//! - Arrays used where they lie, without a copy: [`ArrayView`], for types that are [`ZeroCopy`](macro@ZeroCopy); in files, [`Map`], [`MapMut`],
//!   and for any layout [`MapAny`].
//! - Many arrays in one file: [`npz`]; a struct of arrays is one if it derives [`NpzArchive`](macro@NpzArchive).
//! - Arrays of any dtype: [`DynArray`], and its items, [`Value`]; with the feature `serde` to and from what that reaches.
//! - What can go wrong: [`Error`], [`ErrorKind`]; how much a file may ask for: [`Limits`].

// No panic on a path that a file's bytes reach; tests may.
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

// The derive names this crate by its name; so must the crate's own tests.
#[cfg(test)]
extern crate self as npy_core;

mod array;
mod checked;
pub mod dtype;
mod dynamic;
mod element;
mod error;
pub mod header;
#[cfg(feature = "ndarray")]
mod interop;
mod kernel;
mod limits;
mod literal;
#[cfg(feature = "mmap")]
pub mod mmap;
#[cfg(feature = "npz")]
pub mod npz;
mod plan;
#[doc(hidden)]
pub mod private;
mod read;
mod reserve;
mod schema;
#[cfg(feature = "serde")]
mod serde;
mod shape;
pub mod types;
pub mod value;
mod view;
mod write;

#[cfg(feature = "serde")]
pub use crate::serde::Rows;
pub use array::NpyArray;
pub use dtype::{ByteOrder, DType, Field};
pub use dynamic::DynArray;
pub use element::cast::zero_copy::ZeroCopy;
pub use element::endian::{Be, Le};
pub use element::float8::Float8;
pub use element::longdouble::{ComplexLongDouble, LongDouble};
pub use element::record::{FieldLayout, NpyRecord};
pub use element::text::ByteStr;
pub use element::time::{DateTime64, TimeDelta64};
pub use element::ucs4::FixedStr;
pub use element::void::Void;
pub use element::{Element, InvalidValue, endian, time};
pub use error::{Error, ErrorKind, Place, Result, ViewError};
pub use header::{Header, Version};
pub use limits::Limits;
#[cfg(feature = "mmap")]
pub use mmap::{Column, Map, MapAny, MapMut};
#[cfg(all(feature = "derive", feature = "npz"))]
pub use npy_derive::NpzArchive;
#[cfg(feature = "derive")]
pub use npy_derive::{NpyElement, NpyRecord, ZeroCopy};
#[cfg(feature = "npz")]
pub use npz::NpzArchive;
pub use plan::Cast;
pub use read::{ReadNpy, ReadOptions, Reader, Records};
pub use shape::Order;
pub use value::Value;
pub use view::{ArrayView, ArrayViewMut};
pub use write::{WriteNpy, WriteOptions, Writer};
