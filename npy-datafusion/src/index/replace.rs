//! Takes from an old index all that still holds, and replaces it, unless another program has done so meanwhile.

use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use datafusion::arrow::array::Array;
use datafusion::arrow::datatypes::Schema;
use datafusion::common::exec_datafusion_err;
use datafusion::error::{DataFusionError, Result};
use datafusion::scalar::ScalarValue;
use object_store::path::Path;
use object_store::{
    GetOptions, ObjectMeta, ObjectStore, ObjectStoreExt, PutMode, PutOptions, UpdateVersion,
};
use whole_file::{Lock, NewFile};

use super::build::{BlockBounds, Read};
use super::{Bounds, Index, NAME, file, load};
use crate::header::{self, is_unchanged};

/// The index that is to be replaced.
pub(super) struct Old {
    pub(super) meta: ObjectMeta,
    /// `None` if it is damaged.
    pub(super) index: Option<Index>,
}

/// Returns true if each column of the new index has bounds of the same type in the old one, or was in none of its files.
pub(super) fn has_same_columns(old: &Index, schema: &Schema) -> bool {
    let has = |name: &str| {
        let headers = old.files.values().filter_map(|entry| entry.header.as_ref());
        headers.flat_map(|header| header.columns()).any(|(own, _)| own == name)
    };
    schema.fields().iter().all(|field| match old.column(field.name()) {
        Some(bounds) => bounds.field.data_type() == field.data_type(),
        None => !has(field.name()),
    })
}

/// Returns a file with its bounds in the old index, if it is as there.
pub(super) fn kept(
    old: Option<&Index>,
    schema: &Schema,
    meta: &ObjectMeta,
    file: &header::File,
) -> Option<Read> {
    let old = old?;
    let entry = old.entry(meta)?;
    // Without its header, the old index does not tell which columns the file had.
    let is_known = |name: &String| old.column(name).is_some();
    if entry.header.is_none() && !schema.fields().iter().all(|field| is_known(field.name())) {
        return None;
    }
    if entry.rows != file.rows {
        return None;
    }
    let column = |name: &str| -> Option<Vec<BlockBounds>> {
        match old.column(name) {
            Some(bounds) => entry.blocks.clone().map(|block| of_block(bounds, block)).collect(),
            None => Some(vec![BlockBounds::UNKNOWN; entry.blocks.len()]),
        }
    };
    let columns = schema.fields().iter().map(|field| column(field.name()));
    Some(Read {
        meta: entry.meta.clone(),
        file: file.clone(),
        columns: columns.collect::<Option<_>>()?,
    })
}

fn of_block(bounds: &Bounds, block: usize) -> Option<BlockBounds> {
    let value = |values| {
        let value = ScalarValue::try_from_array(values, block).ok()?;
        Some(Some(value).filter(|value| !value.is_null()))
    };
    let nulls = bounds.nulls.is_valid(block).then(|| bounds.nulls.value(block));
    let (min, max) = (value(&*bounds.min)?, value(&*bounds.max)?);
    Some(BlockBounds { min, max, nulls, is_sorted: bounds.sorted.value(block) })
}

/// The directory that an index is written to.
pub(super) struct Target {
    pub(super) store: Arc<dyn ObjectStore>,
    pub(super) directory: Path,
    /// The directory, if it is one of this machine.
    pub(super) local: Option<PathBuf>,
}

impl Target {
    /// Reads the index that is there.
    pub(super) async fn old(&self) -> Result<Option<Old>> {
        let path = load::path(&self.directory);
        let found = match self.store.get_opts(&path, GetOptions::default()).await {
            Ok(found) => found,
            Err(object_store::Error::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(header::plain(error.into())),
        };
        let meta = found.meta.clone();
        let bytes =
            found.bytes().await.map_err(|error| header::failed(&*self.store, &meta, &error))?;
        Ok(Some(Old { index: file::decode(bytes, &self.directory).ok(), meta }))
    }

    /// Writes an index. Returns false, and writes nothing, if the index that is there is not the old one.
    pub(super) async fn replace(&self, old: Option<ObjectMeta>, bytes: Vec<u8>) -> Result<bool> {
        match &self.local {
            Some(directory) => self.replace_local(directory, old, &bytes).await,
            None => self.put(old, bytes).await,
        }
    }

    async fn replace_local(
        &self,
        directory: &FilePath,
        old: Option<ObjectMeta>,
        bytes: &[u8],
    ) -> Result<bool> {
        let path = directory.join(NAME);
        let failed = |error: io::Error| exec_datafusion_err!("{}: {error}", path.display());
        let new = NewFile::create(&path).map_err(failed)?;
        new.file().write_all(bytes).map_err(failed)?;
        // Others that write the index wait for the time of a comparison and a change of names.
        let _lock = lock(directory).await.map_err(failed)?;
        let now = match self.store.head(&load::path(&self.directory)).await {
            Ok(now) => Some(now),
            Err(object_store::Error::NotFound { .. }) => None,
            Err(error) => return Err(DataFusionError::from(error)),
        };
        let is_old = match (&old, &now) {
            (Some(old), Some(now)) => is_unchanged(old, now),
            (None, None) => true,
            _ => false,
        };
        if is_old {
            new.finish().map_err(failed)?;
        }
        Ok(is_old)
    }

    async fn put(&self, old: Option<ObjectMeta>, bytes: Vec<u8>) -> Result<bool> {
        let path = load::path(&self.directory);
        let mode = match old {
            Some(old) => PutMode::Update(UpdateVersion { e_tag: old.e_tag, version: old.version }),
            None => PutMode::Create,
        };
        let options = PutOptions::from(mode);
        match self.store.put_opts(&path, bytes.clone().into(), options).await {
            Ok(_) => Ok(true),
            Err(
                object_store::Error::Precondition { .. }
                | object_store::Error::AlreadyExists { .. },
            ) => Ok(false),
            // The store cannot compare.
            Err(
                object_store::Error::NotImplemented { .. }
                | object_store::Error::NotSupported { .. },
            ) => {
                let put = self.store.put(&path, bytes.into()).await;
                put.map(|_| true).map_err(|error| header::plain(error.into()))
            }
            Err(error) => Err(header::plain(error.into())),
        }
    }
}

/// Takes the lock of a directory; `None` where directories have none, as on Windows.
async fn lock(directory: &FilePath) -> io::Result<Option<Lock>> {
    const STEP: Duration = Duration::from_millis(10);
    for _ in 0..1000 {
        let Ok(file) = File::open(directory) else { return Ok(None) };
        match Lock::take(&file) {
            Ok(lock) => return Ok(Some(lock)),
            Err(TryLockError::WouldBlock) => tokio::time::sleep(STEP).await,
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Err(io::Error::other("another program has locked its directory; wait until that has finished"))
}
