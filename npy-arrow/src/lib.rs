//! NumPy's `.npy` and `.npz` files as Arrow record batches, and back: for DataFusion, Polars, DuckDB, Parquet, pyarrow and all others that speak
//! Arrow.
//!
//! ```
//! use npy_arrow::{Batches, Options};
//! use npy_core::{NpyRecord, Reader, WriteNpy};
//!
//! #[derive(NpyRecord)]
//! struct Tick {
//!     id: u32,
//!     price: f64,
//! }
//!
//! let mut file = Vec::new();
//! [Tick { id: 7, price: 1.5 }, Tick { id: 8, price: 2.5 }].write_npy_to(&mut file)?;
//!
//! for batch in Batches::new(Reader::new(&file[..])?, &Options::new())? {
//!     let batch = batch?;
//!     assert_eq!((batch.num_rows(), batch.num_columns()), (2, 2));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - From files: [`Batches`] batch by batch, [`map_batch`] without a copy, [`npz_batch`] with the members of an archive as columns.
//! - From memory: [`record_batch`], [`into_record_batch`], [`into_array`] and [`buffer_into_array`] for one column, and [`batch_of`] for structs.
//! - To NumPy: [`dyn_array`], [`rows`] for structs, [`column()`] and [`write_npz`] for single columns.
//! - Only the types: [`schema`].
//!
//! # Types
//!
//! A record has a column for each field; any other array has the column `value`, with a row for each index of its first dimension. The metadata
//! `npy.descr` of the schema and of each field hold the dtype, so that the way back gives the same dtype, with padding, titles and byte orders.
//!
//! | dtype | Arrow | notes |
//! |---|---|---|
//! | `?` | `Boolean` | |
//! | `i1` … `u8`, `f2`, `f4`, `f8` | `Int8` … `UInt64`, `Float16`, `Float32`, `Float64` | swapped if they have the other byte order; a null becomes NaN in floats |
//! | `c8`, `c16` | `FixedSizeList(Float32 or Float64, 2)`, extension `npy.complex` | [`Options::complex_as_struct`] |
//! | `f12`, `f16`, `c24`, `c32` | `FixedSizeBinary` | [`Options::long_double_as_f64`] |
//! | `<V2`, `>V2` (bfloat16) | `Float32` | for `V2`: [`Options::bfloat16`] |
//! | `V1` (numbers of 8 bits) | `Float32` | with [`Options::float8`]; back as `<f4` |
//! | `S` | `Binary`, without the zeros at the end | [`Options::text_from_bytes`] |
//! | `U` | `Utf8` | a code point that is no character is an error |
//! | `V` | `FixedSizeBinary` | |
//! | `M8[s]`, `[ms]`, `[us]`, `[ns]` | `Timestamp` | NaT is null |
//! | `M8[h]`, `[m]`, multiples such as `[25s]` | `Timestamp` of the unit, `s` for `h` and `m` | multiplied; too large is an error |
//! | `M8[D]`, `[W]`, `[M]`, `[Y]` | `Date32`: the first day | |
//! | `m8[W]` to `[ns]` | `Duration` | likewise |
//! | `M8`, `m8` of `ps`, `fs`, `as` or no unit; `m8[M]`, `[Y]` | `Int64` | NaT is null |
//! | sub-array, further dimensions | `FixedSizeList`, flat, with the extension `arrow.fixed_shape_tensor` for numbers | |
//! | record in a record | `Struct` | |
//! | `O` of text and `None`, also as a field of records | `Utf8` | only whole arrays; back by [`column()`] and [`write_npz`] |
//!
//! Arrow's own types become: `Utf8`, `LargeUtf8` and `Utf8View` `U`, as wide as the longest value; binary types `S`; dictionaries their values; `Time32`
//! and `Time64` spans since midnight; intervals of days and shorter units `m8[ns]`; timestamps with a time zone the same moments in UTC. Lists of different lengths,
//! maps, unions, decimals and intervals of months are errors. A null where the dtype has no missing value is an error that names column and row, unless [`Options::fill_nulls`].

// On docs.rs, each item names the feature that it needs.
#![cfg_attr(docsrs, feature(doc_cfg))]
// No code that handles the bytes of a file may panic.
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

mod batches;
mod error;
mod from_arrow;
#[cfg(feature = "mmap")]
mod map;
#[cfg(feature = "npz")]
mod npz;
mod objects;
mod options;
mod rows;
mod schema;
mod to_arrow;
mod values;
mod wanted;

pub use batches::Batches;
pub use error::{Error, Result};
pub use from_arrow::{column, dyn_array};
#[cfg(feature = "mmap")]
pub use map::map_batch;
#[cfg(feature = "npz")]
pub use npz::{npz_batch, write_npz};
pub use options::Options;
pub use rows::{batch_of, rows};
pub use schema::{DESCR, VALUE, schema};
pub use to_arrow::{buffer_into_array, into_array, into_record_batch, record_batch};
pub use {arrow_array, arrow_schema};
