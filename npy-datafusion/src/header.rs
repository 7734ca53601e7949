//! Headers of files in a store, each of which is read once.

use datafusion::common::HashMap;
use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use datafusion::common::exec_datafusion_err;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::cache::cache_manager::{
    CachedFileMetadataEntry, FileMetadata, FileMetadataCache,
};
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

impl FileMetadata for File {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn memory_size(&self) -> usize {
        // The text of the dtype is about as long as its fields in memory.
        size_of::<Self>() + 4 * self.dtype.descr().len()
    }

    fn extra_info(&self) -> HashMap<String, String> {
        HashMap::from([("rows".into(), self.rows.to_string())])
    }
}

/// Returns the header of a file from the cache of the session, or reads it and keeps it there until the file changes.
pub(crate) async fn cached(
    cache: Option<&FileMetadataCache>,
    store: &dyn ObjectStore,
    meta: &ObjectMeta,
) -> Result<Arc<File>> {
    if let Some(entry) = cache.and_then(|cache| cache.get(&meta.location))
        && entry.is_valid_for(meta)
        && let Some(file) = entry.file_metadata.as_any().downcast_ref::<File>()
    {
        return Ok(Arc::new(file.clone()));
    }
    let file = Arc::new(read(store, meta).await?);
    if let Some(cache) = cache {
        let entry = CachedFileMetadataEntry::new(meta.clone(), Arc::clone(&file) as _);
        cache.put(&meta.location, entry);
    }
    Ok(file)
}

/// Returns bytes of a file. A file that ends before them is an error.
pub(crate) async fn get(
    store: &dyn ObjectStore,
    meta: &ObjectMeta,
    range: Range<u64>,
) -> Result<Bytes> {
    let bytes = store.get_range(&meta.location, range.clone()).await;
    let bytes = bytes.map_err(|error| located(meta, &error))?;
    // Some stores return fewer bytes than were requested.
    if (bytes.len() as u64) < range.end.saturating_sub(range.start) {
        return Err(located(meta, &SHORTER));
    }
    Ok(bytes)
}

/// The error of a file that ends before the rows that its header states.
pub(crate) const SHORTER: &str = "truncated: it ends before the rows that its header states";

/// Returns an error that names the file.
pub(crate) fn located(meta: &ObjectMeta, error: &dyn std::fmt::Display) -> DataFusionError {
    exec_datafusion_err!("{}: {error}", meta.location)
}

/// Reads the header of a file: by one request, unless the header is longer than 4 KiB.
async fn read(store: &dyn ObjectStore, meta: &ObjectMeta) -> Result<File> {
    let located = |error: &dyn std::fmt::Display| located(meta, error);
    let mut head = match meta.size {
        // No store returns a range of an empty file.
        0 => Bytes::new(),
        size => get(store, meta, 0..size.min(FIRST)).await?,
    };
    if let Some(needed) = Header::needed(&head)
        && needed > head.len()
    {
        head = get(store, meta, 0..meta.size.min(needed as u64)).await?;
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
    let dtype = sub_array(dtype, inner).map_err(|error| error.to_string())?;
    Ok(File { dtype, rows: rows as u64, start })
}

/// Returns the dtype of a row: of an array of more dimensions than one, a sub-array of the other dimensions.
pub(crate) fn sub_array(dtype: &DType, inner: &[usize]) -> npy_core::Result<DType> {
    if inner.is_empty() {
        return Ok(dtype.clone());
    }
    let shape: String = inner.iter().map(|n| format!("{n},")).collect();
    format!("({}, ({shape}))", dtype.descr()).parse()
}

/// Converts an error of the library.
pub(crate) fn external(error: impl std::error::Error + Send + Sync + 'static) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}
