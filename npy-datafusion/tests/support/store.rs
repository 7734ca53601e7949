//! A store in memory that counts what is requested of it.

#![allow(dead_code, reason = "no test uses all of it")]

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use datafusion::arrow::array::RecordBatch;
use datafusion::prelude::SessionContext;
use futures::stream::BoxStream;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, GetOptions, GetRange, GetResult, ListResult, MultipartUpload, ObjectMeta,
    ObjectStore, ObjectStoreExt, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};

/// The time of a request to a slow store: long enough that all requests that need not wait for each other are under way at once.
const LATENCY: Duration = Duration::from_millis(10);

/// A store in memory, with a list of the requests for bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counted {
    pub(crate) store: Arc<InMemory>,
    gets: Arc<Mutex<Vec<(Path, u64)>>>,
    /// True if it takes no more files.
    pub(crate) is_full: Arc<AtomicBool>,
    /// True if a request takes some time, as in a store of a network.
    pub(crate) is_slow: Arc<AtomicBool>,
    /// The requests that are under way, and the most that were at once.
    now: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
    /// The times that a request began when no other was under way.
    rounds: Arc<AtomicUsize>,
}

impl Counted {
    /// Puts a file into the store, and registers the store as `mem://host/`.
    pub(crate) async fn with(files: impl IntoIterator<Item = (&str, Vec<u8>)>) -> Self {
        let counted = Counted::default();
        for (path, bytes) in files {
            counted.store.put(&path.into(), bytes.into()).await.unwrap();
        }
        counted
    }

    /// Puts a file in the place of another one.
    pub(crate) async fn put(&self, path: &str, bytes: Vec<u8>) {
        self.store.put(&path.into(), bytes.into()).await.unwrap();
    }

    pub(crate) fn register(&self, ctx: &SessionContext) {
        ctx.register_object_store(&"mem://host/".try_into().unwrap(), Arc::new(self.clone()));
    }

    /// Returns the number of requests since the last call, and their bytes.
    pub(crate) fn take(&self) -> (usize, u64) {
        let gets = std::mem::take(&mut *self.gets.lock().unwrap());
        (gets.len(), gets.iter().map(|(_, bytes)| bytes).sum())
    }

    /// Makes each request take some time. Returns the most that were under way at once since the last call.
    pub(crate) fn most_at_once(&self) -> usize {
        self.is_slow.store(true, Ordering::Relaxed);
        self.most.swap(0, Ordering::Relaxed)
    }

    /// Makes each request take some time. Returns the round trips since the last call: the times that a request began when no other was under way.
    pub(crate) fn rounds(&self) -> usize {
        self.is_slow.store(true, Ordering::Relaxed);
        self.rounds.swap(0, Ordering::Relaxed)
    }

    /// Returns the names of all files.
    pub(crate) async fn names(&self) -> Vec<String> {
        use futures::TryStreamExt;
        let files = self.store.list(None).try_collect::<Vec<_>>().await.unwrap();
        files.into_iter().map(|meta| meta.location.to_string()).collect()
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
        if self.is_full.load(Ordering::Relaxed) {
            let source = "the store is full".into();
            return Err(object_store::Error::Generic { store: "Counted", source });
        }
        self.store.put_opts(location, payload, options).await
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.store.put_multipart_opts(location, options).await
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let is_head = options.head;
        let range = options.range.clone();
        let now = self.now.fetch_add(1, Ordering::Relaxed) + 1;
        self.most.fetch_max(now, Ordering::Relaxed);
        self.rounds.fetch_add(usize::from(now == 1), Ordering::Relaxed);
        if self.is_slow.load(Ordering::Relaxed) {
            tokio::time::sleep(LATENCY).await;
        }
        let result = self.store.get_opts(location, options).await;
        self.now.fetch_sub(1, Ordering::Relaxed);
        let result = result?;
        if !is_head {
            assert!(!matches!(range, Some(GetRange::Offset(_))), "an open range: {location}");
            let bytes = result.range.end - result.range.start;
            self.gets.lock().unwrap().push((location.clone(), bytes));
        }
        Ok(result)
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        self.store.delete_stream(locations)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.store.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.store.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.store.copy_opts(from, to, options).await
    }
}

/// Returns the rows of a query.
pub(crate) async fn rows(ctx: &SessionContext, sql: &str) -> Vec<RecordBatch> {
    let frame = ctx.sql(sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
    frame.collect().await.unwrap_or_else(|error| panic!("{sql}: {error}"))
}

/// Returns the rows of a query as text.
pub(crate) async fn text(ctx: &SessionContext, sql: &str) -> String {
    use datafusion::arrow::util::pretty::pretty_format_batches;
    pretty_format_batches(&rows(ctx, sql).await).unwrap().to_string()
}

/// Returns the error of a query.
pub(crate) async fn error(ctx: &SessionContext, sql: &str) -> String {
    match ctx.sql(sql).await {
        Ok(frame) => match frame.collect().await {
            Ok(rows) => panic!("{sql}: {rows:?}"),
            Err(error) => error.to_string(),
        },
        Err(error) => error.to_string(),
    }
}
