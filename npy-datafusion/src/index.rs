//! The index of a directory: `_npy.index`, an archive that NumPy opens. It has the header of each file, and for each block of rows the least and the
//! greatest value of its columns. In a directory without `.npy` files, the files are its archives, whose headers are not in the index.
//!
//! | member | values |
//! |---|---|
//! | `version` | 1 |
//! | `block` | the rows of a block |
//! | `columns` | the columns that were asked for; not there if all were |
//! | `files` | records: `path` from the directory on, `size`, `modified`, `etag`, `rows`, `start` (the position of the first row), `dtype` (of a row; empty if the header is not here) |
//! | `min/x`, `max/x` | of the column `x`, for each block of each file in this order |
//! | `known/x` | false where a block has no such value |
//! | `nulls/x` | the number of nulls, and of NaT, of each block; -1 where it is not known |
//! | `sorted/x` | true where no value of a block is null, or less than the one before it; older indices do not have it |
//!
//! A column whose name ends in `.npy` has a slash after it: `min/x.npy/`.
//!
//! An entry is used for a file of the same size, time and etag, and for no other.

mod attach;
mod blocks;
mod bounds;
mod build;
mod file;
mod load;
mod replace;
mod sound;

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, BooleanArray, Int64Array};
use datafusion::arrow::datatypes::Field;
use datafusion::common::plan_datafusion_err;
use datafusion::error::{DataFusionError, Result};
use object_store::ObjectMeta;
use object_store::path::Path;

pub(crate) use attach::{attach, best_first, extremes_of_file, is_sorted, passing, without_pruned};
pub(crate) use blocks::{FileBlocks, Pruner, Runs, TableIndex};
pub(crate) use bounds::{is_indexed, unsorted_at};
use build::Wanted;
pub(crate) use build::update_index;
pub use build::{IndexReport, write_index};
pub(crate) use load::{Loaded, load, load_frozen, path};

use crate::header::{File, is_unchanged};

/// The name of an index in its directory.
pub const NAME: &str = "_npy.index";

/// The rows of a block, unless another number is asked for.
pub const INDEX_BLOCK: u64 = 65_536;

/// The use of an index by a table: `OPTIONS ('index' 'frozen')`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexMode {
    /// The files are listed, and those that are as in the index are read with it.
    #[default]
    Auto,
    /// The files are those of the index, which are not listed. A file that differs is an error.
    Frozen,
    /// There is no index.
    Off,
    /// Tables use the index as by `Auto`, and `COPY` and `INSERT INTO` write it again when their files are there.
    Update,
}

impl std::str::FromStr for IndexMode {
    type Err = DataFusionError;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "auto" => Ok(IndexMode::Auto),
            "frozen" => Ok(IndexMode::Frozen),
            "off" => Ok(IndexMode::Off),
            "update" => Ok(IndexMode::Update),
            _ => Err(plan_datafusion_err!(
                "the option index is {text:?}; it is 'auto', 'frozen', 'off' or 'update'"
            )),
        }
    }
}

impl fmt::Display for IndexMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            IndexMode::Auto => "auto",
            IndexMode::Frozen => "frozen",
            IndexMode::Off => "off",
            IndexMode::Update => "update",
        })
    }
}

/// An index in memory.
#[derive(Debug)]
pub(crate) struct Index {
    /// The columns and the size of blocks that the index was requested with.
    wanted: Wanted,
    files: HashMap<Path, Entry>,
    columns: Vec<Bounds>,
}

/// A file of an index.
#[derive(Clone, Debug)]
struct Entry {
    meta: ObjectMeta,
    rows: u64,
    /// Its header; `None` if it is not in the index, as that of an archive or of an array in Fortran order.
    header: Option<Arc<File>>,
    /// Its blocks among those of all files.
    blocks: Range<usize>,
}

/// The bounds of a column in the blocks of all files.
#[derive(Clone, Debug)]
pub(crate) struct Bounds {
    pub(crate) field: Field,
    /// The least values; null where there is none.
    pub(crate) min: ArrayRef,
    pub(crate) max: ArrayRef,
    /// The number of nulls; null where it is not known.
    pub(crate) nulls: Int64Array,
    /// True where a block is known to be sorted and without nulls.
    pub(crate) sorted: BooleanArray,
}

impl Index {
    /// Returns the bounds of a column.
    fn column(&self, name: &str) -> Option<&Bounds> {
        self.columns.iter().find(|column| column.field.name() == name)
    }

    /// Returns the entry of a file that is as in the index.
    fn entry(&self, meta: &ObjectMeta) -> Option<&Entry> {
        let entry = self.files.get(&meta.location)?;
        is_unchanged(&entry.meta, meta).then_some(entry)
    }
}

/// Returns the number of blocks of a file.
fn blocks_of(rows: u64, block: u64) -> Option<usize> {
    usize::try_from(rows.checked_add(block.checked_sub(1)?)?.checked_div(block)?).ok()
}
