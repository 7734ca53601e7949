//! NumPy's arrays as Arrow record batches, and back.

mod error;
mod options;
mod schema;
mod to_arrow;
mod values;

pub use error::{Error, Result};
pub use options::Options;
pub use schema::{DESCR, VALUE, schema};
pub use to_arrow::{into_record_batch, record_batch};
pub use {arrow_array, arrow_schema};
