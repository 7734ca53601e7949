//! Layer 7: `.npz` archives: many arrays in one file. Feature `npz`, on by default.
//!
//! An archive is a zip file, its members `.npy` files. [`Writer`] writes what `np.load` reads, [`Reader`] reads what `np.savez`,
//! `np.savez_compressed` and other zip tools write, [`Map`] shows members in place.
//!
//! ```
//! use npy_core::npz;
//!
//! # let dir = std::env::temp_dir().join(format!("npy-core-doc-npz-{}", std::process::id()));
//! # std::fs::create_dir_all(&dir)?;
//! # let path = dir.join("model.npz");
//! let mut writer = npz::Writer::create(&path)?;
//! writer.write("weights", &[0.5f32, -1.0])?;
//! writer.write("epochs", &20u32)?;
//! writer.finish()?;
//!
//! let mut reader = npz::Reader::open(&path)?;
//! assert!(reader.names().eq(["weights", "epochs"]));
//! let weights: Vec<f32> = reader.read("weights")?;
//! assert_eq!(weights, [0.5, -1.0]);
//! # std::fs::remove_dir_all(&dir)?;
//! # Ok::<(), npy_core::Error>(())
//! ```
//!
//! # Names
//!
//! The array `"weights"` is the member `weights.npy`, as in NumPy; either name finds it. Member names are map keys only, also those like
//! `"../x"` or `"/etc/x"`: they are never used as file-system paths.
//!
//! # Unsupported archives
//!
//! Members that are neither stored nor deflated, that are encrypted or patched, and archives in several parts are refused with an error
//! that says so; also archives that Python's `zipfile` does not open, and files that begin with anything else than the archive.

mod columns;
mod directory;
mod fields;
#[cfg(feature = "mmap")]
mod map;
mod member;
mod name;
mod options;
mod read;
mod records;
mod rows;
pub mod sparse;
mod spool;
mod write;

pub use fields::{ArchiveField, NpzArchive, load, save};
#[cfg(feature = "mmap")]
pub use map::Map;
pub use member::Member;
pub use options::{ReadOptions, WriteOptions};
pub use read::Reader;
pub use rows::Rows;
pub use write::Writer;
