//! NumPy's arrays as Arrow record batches, and back.

mod batches;
mod error;
mod from_arrow;
#[cfg(feature = "mmap")]
mod map;
#[cfg(feature = "npz")]
mod npz;
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
pub use to_arrow::{into_record_batch, record_batch};
pub use {arrow_array, arrow_schema};
