//! A store that counts what is requested of it. Its files are in a directory of this machine, and it answers as a store of another one.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use async_trait::async_trait;
use futures::stream::{self, BoxStream, StreamExt};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{
    CopyOptions, GetOptions, GetResult, GetResultPayload, ListResult, MultipartUpload,
    OBJECT_STORE_COALESCE_DEFAULT, ObjectMeta, ObjectStore, ObjectStoreExt, PutMultipartOptions,
    PutOptions, PutPayload, PutResult, Result, coalesce_ranges,
};

/// The requests, and their bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Requested {
    /// The number of requests for bytes. Ranges that are near each other are one, as object_store joins them.
    pub(crate) requests: usize,
    /// The bytes of the ranges, without those between them.
    pub(crate) bytes: u64,
}

/// A directory whose requests are counted.
#[derive(Clone, Debug)]
pub(crate) struct Counted {
    files: Arc<LocalFileSystem>,
    requests: Arc<AtomicUsize>,
    bytes: Arc<AtomicU64>,
}

impl Counted {
    pub(crate) fn new(directory: &std::path::Path) -> Result<Self> {
        let files = Arc::new(LocalFileSystem::new_with_prefix(directory)?);
        Ok(Counted { files, requests: Arc::default(), bytes: Arc::default() })
    }

    /// Returns what was requested since the last call.
    pub(crate) fn take(&self) -> Requested {
        Requested {
            requests: self.requests.swap(0, Ordering::Relaxed),
            bytes: self.bytes.swap(0, Ordering::Relaxed),
        }
    }

    fn count(&self, requests: usize, bytes: u64) {
        self.requests.fetch_add(requests, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }
}

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Counted")
    }
}

#[async_trait]
impl ObjectStore for Counted {
    async fn put_opts(
        &self,
        location: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        self.files.put_opts(location, payload, options).await
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.files.put_multipart_opts(location, options).await
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let is_head = options.head;
        let result = self.files.get_opts(location, options).await?;
        if is_head {
            return Ok(result);
        }
        let (meta, range) = (result.meta.clone(), result.range.clone());
        let attributes = result.attributes.clone();
        let bytes = result.bytes().await?;
        self.count(1, range.end - range.start);
        let payload = GetResultPayload::Stream(stream::once(async { Ok(bytes) }).boxed());
        Ok(GetResult { payload, meta, range, attributes })
    }

    async fn get_ranges(
        &self,
        location: &Path,
        ranges: &[Range<u64>],
    ) -> Result<Vec<bytes::Bytes>> {
        self.count(0, ranges.iter().map(|range| range.end - range.start).sum());
        let fetch = |range: Range<u64>| async {
            self.count(1, 0);
            self.files.get_range(location, range).await
        };
        coalesce_ranges(ranges, fetch, OBJECT_STORE_COALESCE_DEFAULT).await
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        self.files.delete_stream(locations)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.files.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.files.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.files.copy_opts(from, to, options).await
    }
}
