//! Many arrays in one file: `.npz` archives, as of `np.savez` and `np.savez_compressed`. Feature `npz`, on by default.
//!
//! An archive is a zip file whose members are `.npy` files. [`Writer`] writes archives for `np.load`. [`Reader`] reads archives of
//! `np.savez`, `np.savez_compressed` and other zip tools. [`Map`] shows members in place. [`Editor`] replaces, adds, removes, renames and
//! copies members. [`save`], [`save_compressed`] and [`load`] are for structs and maps of arrays.
//!
//! ```
//! # let dir = tempfile::tempdir()?;
//! # std::env::set_current_dir(&dir)?;
//! use npy_core::npz;
//!
//! let mut writer = npz::Writer::create("model.npz")?;
//! writer.write("weights", &[0.5f32, -1.0])?;
//! writer.write("epochs", &20u32)?;
//! writer.finish()?;
//!
//! let reader = npz::Reader::open("model.npz")?;
//! assert!(reader.names().eq(["weights", "epochs"]));
//! let weights: Vec<f32> = reader.read("weights")?;
//! assert_eq!(weights, [0.5, -1.0]);
//! # Ok::<(), npy_core::Error>(())
//! ```
//!
//! # Names
//!
//! The array `"weights"` is the member `weights.npy`, as in NumPy; either name finds it. Member names, even `"../x"` or `"/etc/x"`, are map
//! keys only: they are never used as file-system paths.
//!
//! # Unsupported archives
//!
//! Members that were compressed by bzip2, LZMA or Zstandard are read with the features `bzip2`, `lzma` and `zstd`, and written by
//! Zstandard with `zstd-write`. Members that are encrypted, patched or compressed by another method are refused, with an error that says
//! so; [`Editor`] can still copy, rename and remove them. Also refused are archives in several parts, archives that Python's `zipfile`
//! does not open, and, by `Reader::open` and `Map`, files that do not begin with their archive.

mod chunks;
mod columns;
mod directory;
mod edit;
mod failure;
mod fields;
#[cfg(feature = "mmap")]
mod map;
mod member;
mod name;
mod options;
mod read;
mod rows;
pub mod sparse;
mod target;
mod write;

pub use chunks::{Chunk, Chunks};
pub use directory::Names;
pub use edit::Editor;
#[doc(hidden)]
pub use fields::Siblings;
pub(crate) use fields::inside;
pub use fields::{ArchiveField, NpzArchive, load, save, save_compressed};
#[cfg(feature = "mmap")]
pub use map::Map;
pub use member::Member;
#[cfg(feature = "derive")]
pub use npy_derive::NpzArchive;
pub use options::{ReadOptions, WriteOptions};
pub use read::Reader;
pub use rows::MemberWriter;
pub use write::Writer;
