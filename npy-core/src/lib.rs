//! Reads NumPy's `.npy` and `.npz` files into Rust types and writes them back.
//!
//! A struct that derives [`NpyRecord`](macro@NpyRecord) has a structured dtype of NumPy. A `Vec` of
//! such structs is a structured array (record array, recarray), read or written with one call:
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
//! # let dir = tempfile::tempdir()?; std::env::set_current_dir(&dir)?;
//! let traces = vec![Trace { station: 7, start: 0, gain: 1.5, samples: [0.0; 4] }];
//! traces.write_npy("traces.npy")?; // np.load reads it
//! assert_eq!(Vec::<Trace<4>>::read_npy("traces.npy")?, traces);
//! # Ok::<(), npy_core::Error>(())
//! ```
//!
//! New here? The [tutorial](_guide::tutorial) goes from `np.save` to nested big-endian records; the
//! [cookbook](_guide::cookbook) has over forty tasks with a program for each; [the guide](_guide)
//! has the rest: records, troubleshooting, and how to move from NumPy, `npyz` and `ndarray-npy`.
//!
//! # Overview
//!
//! - Whole arrays: [`ReadNpy`], [`WriteNpy`] and their options, for `Vec<T>`, [`NpyArray`] and [`DynArray`].
//! - In parts: [`Reader`] returns elements one by one or in chunks, starts at any row, and can read a single column; [`Writer`] writes
//!   elements one by one, to a new file or at the end of an existing one. Rows of a width known at run time: [`Reader::rows`], [`RowWriter`]; of a dtype
//!   known at run time: [`Reader::read_dyn_chunk`], [`DynRowAppender`].
//! - Without `Read`, from asynchronous sources: [`Decoder`]. Files without a header: [`Reader::open_headerless`],
//!   [`WriteOptions::write_headerless`] and [`Writer::headerless`].
//! - The dtype and shape of a file: [`Header`], [`DType`]. The package `npy-codegen` writes a struct
//!   that reads a file; [`assert_reads!`] tests such a struct.
//! - Element types: [`Element`]; [`types`] lists the Rust types and their dtypes; times are in [`time`].
//! - Without copying: [`NpyView`] views an array in memory, [`Map`] and [`MapMut`] one in a file, if the element type is
//!   [`ZeroCopy`](macro@ZeroCopy). [`MapAny`] decodes the elements of a mapped file of any layout.
//! - Many arrays in one file: [`npz`]; a struct of arrays becomes an archive if it derives [`NpzArchive`](macro@NpzArchive).
//! - Arrays of whichever type the file has: [`AnyArray`], with [`for_any!`] and casts to one type. [`for_dtype!`] finds the Rust type of a dtype.
//! - Arrays that are only borrowed, to write them: [`NpyView`] of a slice, [`DynView`] of bytes.
//! - Arrays of any dtype: [`DynArray`], and its elements, [`Value`]; with the feature `serde`, conversions to and from types of serde.
//! - Python objects: lists of text and numbers are read like any other list, also with missing
//!   values (`Vec<Option<String>>`). [`Objects`] reads all other objects as data, and no Python
//!   code is run. With the feature `serde`, [`object`] reads objects into structs (`object::load`),
//!   and writes any value as objects (`object::save`). Lists of `Option` are written as objects,
//!   and text with [`WriteOptions::objects`].
//! - Errors: [`Error`], [`ErrorKind`]; limits on files: [`Limits`].
//!
//! # Without the feature `atomic`
//!
//! The default feature `atomic` replaces files by the package `whole-file`, as [`WriteNpy::write_npy`] says, and locks files that grow.
//! `mmap` and `npz` need it. Without it, the standard library alone replaces files: it writes a temporary file beside the target and renames
//! it, so that the target is still the old file or the complete new one. All methods are there, but:
//!
//! - The group, ACLs and attributes of the old file are not kept; its permissions are, those of a group that differs no more than for all
//!   others. The ACL of the directory may let more users read
//!   the new file.
//! - The temporary file has a name from the start, so it stays if the process is killed.
//! - Every link is followed, also one that another user put into `/tmp`; a link that leads to no file is itself replaced. If `/dev/stdout`
//!   leads to a file, that file is replaced.
//! - There are no locks. [`Writer::append`] lets several writers in, which lose each other's rows, and no error says that the file was
//!   replaced, renamed or removed while rows were written to it. [`ErrorKind::Locked`] is not returned for a file that
//!   another writer has open.

// Users derive `Debug` for structs that hold types of this crate.
#![warn(missing_debug_implementations)]
// On docs.rs, each item names the feature that it needs.
#![cfg_attr(docsrs, feature(doc_cfg))]
// Links to items of features that are off have no target. With all features, every link is checked.
#![cfg_attr(
    not(all(
        feature = "derive",
        feature = "mmap",
        feature = "npz",
        feature = "objects",
        feature = "ndarray",
        feature = "serde",
        feature = "half",
        feature = "num-complex",
        feature = "jiff",
        feature = "chrono"
    )),
    allow(rustdoc::broken_intra_doc_links)
)]
// No code that handles the bytes of a file may panic; tests may.
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

// Derived code names this crate `npy_core`, also in the tests of this crate.
#[cfg(test)]
extern crate self as npy_core;

/// Compiles the examples of the README.
#[cfg(all(doctest, feature = "derive"))]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod _guide;
mod any;
mod array;
mod calendar;
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
#[cfg(feature = "objects")]
mod objects;
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

/// Arrays of Python objects, which are read as data; see [`Objects`]. With the feature `serde`, they become Rust structs.
///
/// The records of a pandas frame with text, `np.save("frame.npy", df.to_records(index=False))`, are read in one call:
///
/// ```
/// # #[cfg(feature = "serde")] {
/// use npy_core::{DateTime64, object, time::Us};
///
/// #[derive(serde::Deserialize)]
/// struct Row {
///     station: Option<String>,         // a column of text, where None and nan are missing
///     count: i64,
///     time: Option<DateTime64<Us>>,    // M8[us] of pandas 3; M8[ns] of pandas 2 needs Ns
/// }
///
/// let read = || object::load::<Vec<Row>>("frame.npy");
/// # let _ = read;
/// # }
/// ```
#[cfg(feature = "objects")]
pub mod object {
    pub use crate::objects::{Encoding, Entries, Items, Kind, ObjectRef, Objects};
    #[cfg(feature = "serde")]
    pub use crate::serde::object::{AsObject, save, save_to};
    #[cfg(feature = "serde")]
    pub use crate::serde::{load, load_from};
}

/// The iterators that methods return, for programs that name their types.
pub mod iter {
    pub use crate::array::IntoIter;
    pub use crate::dynamic::{TableRows, Values};
    #[cfg(feature = "mmap")]
    pub use crate::mmap::Values as ColumnValues;
    pub use crate::read::IntoRecords;
    pub use crate::shape::{Iter, IterMut};
    pub use crate::value::{CodePoints, Fields, Parts};
}

#[cfg(feature = "serde")]
pub use crate::serde::DeserializedRows;
pub use any::AnyArray;
pub use array::{NpyArray, NpyView, NpyViewMut};
pub use dtype::{ByteOrder, DType, Field};
pub use dynamic::{DynArray, DynView, Gather, Table, TableRow};
pub use element::bool8::Bool8;
pub use element::cast::zero_copy::ZeroCopy;
pub use element::endian::{Be, Le};
pub use element::float8::{Float8, Float8Format};
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
pub use mmap::{Column, Map, MapAny, MapAnyMut, MapMut};
#[cfg(feature = "derive")]
pub use npy_derive::{NpyElement, NpyRecord, ZeroCopy};
#[cfg(feature = "npz")]
pub use npz::NpzArchive;
#[cfg(feature = "objects")]
pub use objects::{ObjectRef, Objects};
pub use plan::Cast;
pub use read::{Decoder, ReadNpy, ReadOptions, Reader, Records, RowReader, load};
pub use shape::Order;
pub use value::Value;
pub use write::{
    ArrayWriter, DynRowAppender, RowWriter, UncountedRows, WriteNpy, WriteOptions, Writer, save,
};

/// [`NpyView`] by its other name, for views of files.
pub type ArrayView<'a, T> = NpyView<'a, T>;

/// [`NpyViewMut`] by its other name.
pub type ArrayViewMut<'a, T> = NpyViewMut<'a, T>;
