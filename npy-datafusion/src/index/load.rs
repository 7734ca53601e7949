//! Fetches the index of a directory: once a session, until it changes.

use std::any::Any;
use std::sync::Arc;

use datafusion::arrow::array::Array;
use datafusion::common::{HashMap, plan_datafusion_err};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::cache::cache_manager::{
    CachedFileMetadataEntry, FileMetadata, FileMetadataCache,
};
use object_store::path::Path;
use object_store::{GetOptions, ObjectMeta, ObjectStore, ObjectStoreExt};

use super::{Index, IndexMode, NAME, file};
use crate::groups::Groups;
use crate::header::{self, is_unchanged, named};
use crate::location::word;

/// The indices of the locations of a table, and its folders.
#[derive(Clone, Debug, Default)]
pub(crate) struct Loaded {
    /// Each with its directory.
    pub(crate) indices: Vec<(Path, Arc<Index>)>,
    /// True if the indices are trusted, so that no file is listed.
    pub(crate) are_frozen: bool,
    /// The folders of a table whose columns are files.
    pub(crate) groups: Groups,
}

/// An index in the cache of a session.
struct Cached(Arc<Index>);

impl FileMetadata for Cached {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn memory_size(&self) -> usize {
        // The path, the tag and the dtype of a file, twice the first.
        const ENTRY: usize = 600;
        let columns = self.0.columns.iter();
        let columns = columns.map(|it| {
            it.min.get_array_memory_size()
                + it.max.get_array_memory_size()
                + it.nulls.get_array_memory_size()
        });
        self.0.files.len() * ENTRY + columns.sum::<usize>()
    }

    fn extra_info(&self) -> HashMap<String, String> {
        HashMap::from([("files".into(), self.0.files.len().to_string())])
    }
}

/// Returns the path of the index of a directory.
pub(crate) fn path(directory: &Path) -> Path {
    Path::from_iter(directory.parts().chain([NAME.into()]))
}

/// Returns the index that is `listed`. One that is damaged, or that has changed since, is as none.
pub(crate) async fn load(
    cache: &FileMetadataCache,
    store: &dyn ObjectStore,
    directory: &Path,
    listed: &ObjectMeta,
) -> Option<Arc<Index>> {
    if let Some(index) = known(cache, listed) {
        return Some(index);
    }
    let bytes = header::get(store, listed, 0..listed.size).await.ok()?;
    let index = Arc::new(file::decode(bytes, directory).ok()?);
    keep(cache, listed, &index);
    Some(index)
}

/// Returns the index of a directory whose files are not listed. It is one request: for the index, or for its size and time if the session has it.
pub(crate) async fn load_frozen(
    cache: &FileMetadataCache,
    store: &dyn ObjectStore,
    directory: &Path,
) -> Result<Arc<Index>> {
    let location = path(directory);
    let missing = |error: object_store::Error| match error {
        object_store::Error::NotFound { .. } => plan_datafusion_err!(
            "{}: there is no index; write one by npy index {}, or create the table with OPTIONS ('index' '{}')",
            named(store, &location),
            word(&named(store, directory)),
            IndexMode::Auto
        ),
        error => header::plain(DataFusionError::from(error)),
    };
    if cache.get(&location).is_some() {
        let listed = store.head(&location).await.map_err(missing)?;
        if let Some(index) = known(cache, &listed) {
            return Ok(index);
        }
    }
    let result = store.get_opts(&location, GetOptions::default()).await.map_err(missing)?;
    let meta = result.meta.clone();
    let bytes = result.bytes().await.map_err(|error| header::failed(store, &meta, &error))?;
    let damaged = |error: DataFusionError| {
        plan_datafusion_err!(
            "{}: the index is damaged: {}; write it again by npy index {}",
            named(store, &location),
            error.strip_backtrace(),
            word(&named(store, directory))
        )
    };
    let index = Arc::new(file::decode(bytes, directory).map_err(damaged)?);
    keep(cache, &meta, &index);
    Ok(index)
}

fn known(cache: &FileMetadataCache, listed: &ObjectMeta) -> Option<Arc<Index>> {
    let entry = cache.get(&listed.location)?;
    // Without a tag, the path may be that of an index in another store.
    listed.e_tag.as_ref()?;
    if !is_unchanged(&entry.meta, listed) {
        return None;
    }
    let cached = entry.file_metadata.as_any().downcast_ref::<Cached>()?;
    Some(Arc::clone(&cached.0))
}

fn keep(cache: &FileMetadataCache, meta: &ObjectMeta, index: &Arc<Index>) {
    let cached = Arc::new(Cached(Arc::clone(index)));
    cache.put(&meta.location, CachedFileMetadataEntry::new(meta.clone(), cached));
}

impl Index {
    /// Puts the headers of files that are as in the index into the cache of the session, which reads the others.
    pub(crate) fn give_headers(&self, cache: &FileMetadataCache, files: &[ObjectMeta]) {
        for meta in files {
            let Some(kept) = self.entry(meta).and_then(|entry| entry.header.as_ref()) else {
                continue;
            };
            if header::known(Some(cache), meta).is_none() {
                let header = Arc::clone(kept);
                cache.put(&meta.location, CachedFileMetadataEntry::new(meta.clone(), header));
            }
        }
    }

    /// Returns all files, in the order of their paths.
    pub(crate) fn files(&self) -> Vec<ObjectMeta> {
        let mut files: Vec<_> = self.files.values().map(|entry| entry.meta.clone()).collect();
        files.sort_by(|a, b| a.location.cmp(&b.location));
        files
    }
}
