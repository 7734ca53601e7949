//! Headers of files in a store.

use datafusion::common::exec_datafusion_err;
use datafusion::error::{DataFusionError, Result};
use npy_core::dtype::DType;
use npy_core::{Header, Order};
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt};

/// The first bytes of a file that are requested; few headers are longer.
const FIRST: u64 = 4096;

/// What a scan must know of a file.
#[derive(Clone, Debug)]
pub(crate) struct File {
    /// The dtype of a row: of arrays of more dimensions than one, a sub-array.
    pub(crate) dtype: DType,
    pub(crate) rows: u64,
    /// The position of the first row.
    pub(crate) start: u64,
}

impl File {
    /// Returns the size of a row in bytes.
    pub(crate) fn row_size(&self) -> u64 {
        self.dtype.itemsize() as u64
    }
}

/// Reads the header of a file: by one request, unless the header is longer than 4 KiB.
pub(crate) async fn read(store: &dyn ObjectStore, meta: &ObjectMeta) -> Result<File> {
    let located =
        |error: &dyn std::fmt::Display| exec_datafusion_err!("{}: {error}", meta.location);
    let mut head = store.get_range(&meta.location, 0..meta.size.min(FIRST)).await?;
    if let Some(needed) = Header::needed(&head)
        && needed > head.len()
    {
        let end = meta.size.min(needed as u64);
        head = store.get_range(&meta.location, 0..end).await?;
    }
    let (header, start) = Header::parse(&head).map_err(|error| located(&error))?;
    let file = file(&header, start as u64).map_err(|reason| located(&reason))?;
    let complete =
        file.rows.checked_mul(file.row_size()).and_then(|size| size.checked_add(file.start));
    if complete.is_none_or(|size| size > meta.size) {
        return Err(located(&format!(
            "truncated: the header states {} rows of {} bytes, and the file has {} bytes",
            file.rows,
            file.row_size(),
            meta.size
        )));
    }
    Ok(file)
}

fn file(header: &Header, start: u64) -> Result<File, String> {
    let dtype = header.dtype();
    if dtype.has_object() {
        return Err("an array of Python objects is one pickle, and no table; read it with npy_core::object::load".into());
    }
    let (rows, inner) =
        header.shape().split_first().map_or((1, &[][..]), |(rows, inner)| (*rows, inner));
    if header.order() == Order::Fortran && !inner.is_empty() {
        return Err("the array is in Fortran order, so its rows are not contiguous; save it with np.ascontiguousarray".into());
    }
    let dtype = if inner.is_empty() {
        dtype.clone()
    } else {
        let shape: String = inner.iter().map(|n| format!("{n},")).collect();
        format!("({}, ({shape}))", dtype.descr())
            .parse()
            .map_err(|error: npy_core::Error| error.to_string())?
    };
    Ok(File { dtype, rows: rows as u64, start })
}

/// Converts an error of the library.
pub(crate) fn external(error: impl std::error::Error + Send + Sync + 'static) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}
