//! Mapped files.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use bytes::Bytes;
use npy_core::{DynArray, MapAny, Order};

use crate::error::Result;
use crate::options::Options;
use crate::schema::schema;
use crate::to_arrow::{Part, batch, into_record_batch};

/// A map as the owner of its bytes.
struct Owner(MapAny);

impl AsRef<[u8]> for Owner {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

/// Returns the array of a mapped file as a batch, like [`record_batch`](crate::record_batch). Arrays of numbers in the byte order of the
/// machine are not copied: the batch holds the map.
///
/// ```
/// use npy_arrow::Options;
/// use npy_core::{MapAny, WriteNpy};
///
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// [1.5f64, 2.5].write_npy("x.npy")?;
/// // SAFETY: the file is ours alone.
/// let map = unsafe { MapAny::open("x.npy")? };
/// let batch = npy_arrow::map_batch(map, &Options::new())?;
/// assert_eq!(batch.num_rows(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As [`record_batch`](crate::record_batch).
pub fn map_batch(map: MapAny, options: &Options) -> Result<RecordBatch> {
    let (dtype, dims) = (map.header().dtype().clone(), map.header().shape().to_vec());
    if map.header().order() == Order::Fortran && dims.len() > 1 {
        let bytes = map.as_bytes().to_vec();
        return into_record_batch(DynArray::new(dtype, dims, Order::Fortran, bytes)?, options);
    }
    let (rows, shape) = match dims.split_first() {
        Some((rows, shape)) => (*rows, shape.to_vec()),
        None => (1, Vec::new()),
    };
    let part = Part { dtype, shape, rows, bytes: Buffer::from(Bytes::from_owner(Owner(map))) };
    let schema = schema(&part.row_dtype()?, options)?;
    batch(part, Arc::new(schema), options)
}
