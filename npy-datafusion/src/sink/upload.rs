//! Sends files to a store, where all of them appear at the end or none.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use datafusion::common::{exec_datafusion_err, exec_err, internal_err};
use datafusion::error::{DataFusionError, Result};
use futures::StreamExt;
use futures::stream::BoxStream;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutMode, PutPayload, WriteMultipart};
use whole_file::{NewFile, Options};

use super::spool::{Complete, IN_MEMORY};
use crate::header::named;

/// The parts of a file that S3 takes at most.
const PARTS: u64 = 10_000;

/// The parts that are sent at a time. Each is in memory until the store has it.
const AT_ONCE: usize = 2;

/// A file that is not visible yet.
pub(super) struct Upload {
    store: Arc<dyn ObjectStore>,
    path: Path,
    /// True if it replaces no file.
    no_clobber: bool,
    contents: Contents,
}

enum Contents {
    /// A file of this machine: its path, its header and its rows. A pipe would get them at once, so they wait until the query has succeeded.
    Local(PathBuf, Vec<u8>, BoxStream<'static, Result<Bytes>>),
    /// A file of this machine, which is complete and has no name yet.
    Complete(NewFile),
    /// A small file is one request, which is sent at the end.
    Whole(PutPayload),
    /// The parts have been sent, except the last one.
    Parts(WriteMultipart),
}

impl Upload {
    /// Sends all parts of a file but the last, without which a store does not show it. Those of a file of this machine wait.
    pub(super) async fn start(
        file: Complete,
        store: Arc<dyn ObjectStore>,
        path: Path,
        local: Option<PathBuf>,
        no_clobber: bool,
    ) -> Result<Self> {
        let Complete { header, size, mut rows } = file;
        let size = size.saturating_add(header.len() as u64);
        if let Some(local) = local {
            let contents = Contents::Local(local, header, rows);
            return Ok(Upload { store, path, no_clobber, contents });
        }
        let parts = match size <= IN_MEMORY as u64 {
            true => None,
            false => match store.put_multipart(&path).await {
                Ok(parts) => Some(parts),
                // Web servers take a file as a whole.
                Err(object_store::Error::NotImplemented { .. }) => None,
                Err(error) => return Err(error.into()),
            },
        };
        let Some(upload) = parts else {
            let mut file = header;
            while let Some(bytes) = rows.next().await {
                file.extend_from_slice(&bytes?);
            }
            let contents = Contents::Whole(file.into());
            return Ok(Upload { store, path, no_clobber, contents });
        };
        let part = usize::try_from(size / PARTS).unwrap_or(usize::MAX).max(IN_MEMORY) + 1;
        let mut parts = WriteMultipart::new_with_chunk_size(upload, part);
        parts.write(&header);
        while let Some(bytes) = rows.next().await {
            let sent = match bytes {
                Ok(bytes) => {
                    parts.put(bytes);
                    parts.wait_for_capacity(AT_ONCE).await.map_err(DataFusionError::from)
                }
                Err(error) => Err(error),
            };
            if let Err(error) = sent {
                // The first error is the one that matters.
                _ = parts.abort().await;
                return Err(error);
            }
        }
        Ok(Upload { store, path, no_clobber, contents: Contents::Parts(parts) })
    }

    /// Writes a file of this machine, which has no name yet: a disk that is full is noticed before the first file of the query is visible.
    async fn complete(self) -> Result<Self> {
        let Contents::Local(local, header, mut rows) = self.contents else {
            return Ok(self);
        };
        let located = |error: io::Error| exec_datafusion_err!("{}: {error}", local.display());
        let mut file = create(&local, self.no_clobber).map_err(located)?;
        file.write_all(&header).map_err(located)?;
        while let Some(bytes) = rows.next().await {
            file.write_all(&bytes?).map_err(located)?;
        }
        Ok(Upload { contents: Contents::Complete(file), ..self })
    }

    /// Makes the file visible.
    async fn finish(self) -> Result<()> {
        let Upload { store, path, no_clobber, contents } = self;
        match contents {
            Contents::Local(..) => {
                return internal_err!("a file that has no name yet is to be made visible");
            }
            Contents::Complete(file) => {
                _ = file.finish().map_err(|error| exec_datafusion_err!("/{path}: {error}"))?;
            }
            Contents::Whole(file) if no_clobber => put_new(&*store, &path, file).await?,
            Contents::Whole(file) => _ = store.put(&path, file).await?,
            Contents::Parts(parts) => {
                if no_clobber && let Err(error) = check_new(&*store, &path).await {
                    _ = parts.abort().await;
                    return Err(error);
                }
                _ = parts.finish().await?;
            }
        }
        Ok(())
    }

    /// Removes parts that have been sent, which a store would keep although no file has them.
    async fn abort(self) {
        if let Contents::Parts(parts) = self.contents {
            _ = parts.abort().await;
        }
    }
}

/// Sends a file that replaces none. Web servers have no such request, so they are asked first.
async fn put_new(store: &dyn ObjectStore, path: &Path, file: PutPayload) -> Result<()> {
    match store.put_opts(path, file.clone(), PutMode::Create.into()).await {
        Ok(_) => Ok(()),
        Err(object_store::Error::AlreadyExists { .. }) => exists(store, path),
        Err(object_store::Error::NotImplemented { .. }) => {
            check_new(store, path).await?;
            store.put(path, file).await?;
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}

/// Refuses a file that is there. Another program may still write one until the parts are complete: no store has a condition for those.
async fn check_new(store: &dyn ObjectStore, path: &Path) -> Result<()> {
    match store.head(path).await {
        Ok(_) => exists(store, path),
        Err(object_store::Error::NotFound { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn exists(store: &dyn ObjectStore, path: &Path) -> Result<()> {
    exec_err!(
        "{}: another program has written it meanwhile, and --no-clobber (npy.no_clobber) keeps it; write to another name",
        named(store, path)
    )
}

/// Begins a file that replaces others as all files of this project do: links are followed, permissions are kept, and pipes are written to.
fn create(path: &std::path::Path, no_clobber: bool) -> io::Result<NewFile> {
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory)?;
    }
    Options::new().prefix(".npy-").keep_existing(no_clobber).create(path)
}

/// Makes all files visible if the query has succeeded; otherwise, and if a file fails, there is none. All are complete before the first one is visible,
/// since most errors occur until then, and a file that is visible may have replaced an older one, which nothing brings back.
pub(super) async fn finish(uploads: Vec<Upload>, query: Result<()>) -> Result<()> {
    let (mut result, mut visible, mut complete) = (query, Vec::new(), Vec::new());
    for upload in uploads {
        match result {
            Ok(()) => match upload.complete().await {
                Ok(upload) => complete.push(upload),
                Err(error) => result = Err(error),
            },
            Err(_) => upload.abort().await,
        }
    }
    for upload in complete {
        if result.is_err() {
            upload.abort().await;
            continue;
        }
        let (store, path) = (Arc::clone(&upload.store), upload.path.clone());
        result = upload.finish().await;
        // If it has failed, what is at its path is an older file.
        if result.is_ok() {
            visible.push((store, path));
        }
    }
    if result.is_err() {
        for (store, path) in visible {
            _ = store.delete(&path).await;
        }
    }
    result
}
