//! A store whose errors say what to do, and which waits for an answer no longer than a user does.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt, TryStreamExt};
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetRange, GetResult, GetResultPayload, ListResult,
    MultipartUpload, ObjectMeta, ObjectStore, PutMode, PutMultipartOptions, PutOptions, PutPayload,
    PutResult, Result, UploadPart,
};

use super::Cloud;
use super::advice::{EMPTY, Place, Task, WHOLE, is_not_implemented, unnamed};
use super::answer::{Expected, compressed, is_packed};

/// The time in which a server answers, with all its retries, and in which the next bytes come. All bytes of an answer may take longer.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(super) struct CloudStore {
    inner: Arc<dyn ObjectStore>,
    place: Place,
}

impl CloudStore {
    pub(super) fn new(inner: Arc<dyn ObjectStore>, cloud: Cloud, root: &str) -> Self {
        CloudStore { inner, place: Place { cloud, root: root.to_owned(), task: Task::Read } }
    }

    fn place_of(&self, task: Task) -> Place {
        Place { task, ..self.place.clone() }
    }

    /// Waits for the first bytes of an answer.
    async fn answer<T>(
        &self,
        location: &Path,
        request: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        self.answer_of(Task::Read, location, request).await
    }

    async fn answer_of<T>(
        &self,
        task: Task,
        location: &Path,
        request: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        match tokio::time::timeout(PATIENCE, request).await {
            Ok(answer) => answer.map_err(|error| self.place_of(task).told(Some(location), error)),
            Err(_) => Err(self.place.silent(Some(location), PATIENCE)),
        }
    }

    /// Refuses a file whose first bytes may be those of a compressed one. Some servers name gzip for files that are not compressed.
    async fn check_start(&self, location: &Path, encoding: &str) -> Result<()> {
        let range = Some(GetRange::Bounded(0..2));
        let start = GetOptions { range, ..GetOptions::default() };
        let result = self.answer(location, self.inner.get_opts(location, start)).await?;
        let bytes = self.answer(location, result.bytes()).await?;
        match is_packed(encoding, &bytes) {
            true => Err(self.place.told(Some(location), compressed(encoding))),
            false => Ok(()),
        }
    }

    /// Returns the error of a server that has sent a complete file in place of a part. A file without bytes has no part, and another error.
    async fn without_parts(&self, location: &Path, error: Error) -> Error {
        let head = GetOptions { head: true, ..GetOptions::default() };
        match self.answer(location, self.inner.get_opts(location, head)).await {
            Ok(GetResult { meta: ObjectMeta { size: 0, .. }, .. }) => {
                let error = Error::Generic { store: "store", source: EMPTY.into() };
                self.place.told(Some(location), error)
            }
            _ => error,
        }
    }
}

impl fmt::Display for CloudStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.place.root)
    }
}

#[async_trait]
impl ObjectStore for CloudStore {
    async fn put_opts(
        &self,
        location: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        let has_condition = options.mode != PutMode::Overwrite;
        let result = self.inner.put_opts(location, payload, options).await;
        result.map_err(|error| match has_condition && is_not_implemented(&error) {
            // Callers do without.
            true => Error::NotImplemented {
                operation: "to write a file by a condition".into(),
                implementer: self.to_string(),
            },
            false => self.place_of(Task::Write).told(Some(location), error),
        })
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        let request = self.inner.put_multipart_opts(location, options);
        let inner = self.answer_of(Task::Write, location, request).await?;
        let place = self.place_of(Task::Write);
        Ok(Box::new(Parts { inner, place, location: location.clone() }))
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let (is_head, is_part) = (options.head, options.range.is_some());
        let mut result = match self.answer(location, self.inner.get_opts(location, options)).await {
            Err(error) if is_part && unnamed(&error) == WHOLE => {
                return Err(self.without_parts(location, error).await);
            }
            result => result?,
        };
        let expected = Expected::of(&result);
        if let Some(encoding) = expected.unproved().filter(|_| !is_head) {
            self.check_start(location, encoding).await?;
        }
        result.payload = match result.payload {
            GetResultPayload::Stream(bytes) => {
                let bytes = if is_head { bytes } else { expected.checked(bytes) };
                let bytes = in_time(bytes, self.place.clone(), Some(location.clone()));
                GetResultPayload::Stream(bytes)
            }
            #[allow(unreachable_patterns, reason = "a file of this machine, by the feature fs")]
            other => other,
        };
        Ok(result)
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        let place = self.place.clone();
        let deleted = self.inner.delete_stream(locations);
        deleted.map_err(move |error| place.told(None, error)).boxed()
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        let place = self.place_of(Task::List);
        match place.cloud {
            Cloud::Http => by_directories(Arc::clone(&self.inner), place, prefix.cloned()),
            _ => in_time(self.inner.list(prefix), place, prefix.cloned()),
        }
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        let result = self.inner.list_with_delimiter(prefix).await;
        let place = self.place_of(Task::List);
        result.map_err(|error| place.told(prefix, error))
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        let result = self.inner.copy_opts(from, to, options).await;
        result.map_err(|error| self.place.told(Some(to), error))
    }
}

/// The directories that are listed at a time.
const DIRECTORIES: usize = 16;

/// The most levels of directories: a link of the server to a directory above it has no end.
const LEVELS: usize = 64;

/// The most directories of a level: two such links make twice as many at each.
const MOST: usize = 1 << 16;

/// Lists a directory and those below it, each by a request of its own: web servers refuse to list all at once (`Depth: infinity`).
fn by_directories(
    store: Arc<dyn ObjectStore>,
    place: Place,
    first: Option<Path>,
) -> BoxStream<'static, Result<ObjectMeta>> {
    let of_level = move |(level, directories): (usize, Vec<Option<Path>>)| {
        let (store, place) = (Arc::clone(&store), place.clone());
        async move {
            if directories.is_empty() {
                return Ok(None);
            }
            if level == LEVELS || directories.len() > MOST {
                let source = format!(
                    "{} has more than {LEVELS} levels of directories, or {MOST} of a level; name one of those below",
                    place.root
                );
                return Err(Error::Generic { store: "HTTP", source: source.into() });
            }
            let lists = directories.into_iter().map(|path| listed(&*store, &place, path));
            let lists = futures::stream::iter(lists).buffered(DIRECTORIES);
            let lists: Vec<ListResult> = lists.try_collect().await?;
            let (mut files, mut below) = (Vec::new(), Vec::new());
            for list in lists {
                files.extend(list.objects.into_iter().map(Ok));
                below.extend(list.common_prefixes.into_iter().map(Some));
            }
            Ok(Some((futures::stream::iter(files), (level + 1, below))))
        }
    };
    futures::stream::try_unfold((0, vec![first]), of_level).try_flatten().boxed()
}

/// Lists a directory without those below it. An answer has no directory that is not in it.
async fn listed(store: &dyn ObjectStore, place: &Place, path: Option<Path>) -> Result<ListResult> {
    let request = store.list_with_delimiter(path.as_ref());
    let mut list = match tokio::time::timeout(PATIENCE, request).await {
        Ok(list) => list.map_err(|error| place.told(path.as_ref(), error))?,
        Err(_) => return Err(place.silent(path.as_ref(), PATIENCE)),
    };
    let is_below = |found: &Path| path.as_ref().is_none_or(|path| found.prefix_matches(path));
    list.common_prefixes.retain(|found| is_below(found) && Some(found) != path.as_ref());
    list.objects.retain(|found| is_below(&found.location));
    Ok(list)
}

/// Returns a stream whose next part comes in time, or is an error.
fn in_time<T: Send + 'static>(
    parts: BoxStream<'static, Result<T>>,
    place: Place,
    location: Option<Path>,
) -> BoxStream<'static, Result<T>> {
    let next = |(mut parts, place, location): (
        BoxStream<'static, Result<T>>,
        Place,
        Option<Path>,
    )| async move {
        let part = match tokio::time::timeout(PATIENCE, parts.next()).await {
            Ok(part) => part?.map_err(|error| place.told(location.as_ref(), error)),
            Err(_) => Err(place.silent(location.as_ref(), PATIENCE)),
        };
        // After an error, nothing is asked for.
        let rest = if part.is_ok() { parts } else { futures::stream::empty().boxed() };
        Some((part, (rest, place, location)))
    };
    futures::stream::unfold((parts, place, location), next).boxed()
}

/// A file that is sent in parts.
#[derive(Debug)]
struct Parts {
    inner: Box<dyn MultipartUpload>,
    place: Place,
    location: Path,
}

impl Parts {
    fn told(&self, error: Error) -> Error {
        self.place.told(Some(&self.location), error)
    }
}

#[async_trait]
impl MultipartUpload for Parts {
    fn put_part(&mut self, data: PutPayload) -> UploadPart {
        let (place, location) = (self.place.clone(), self.location.clone());
        let sent = self.inner.put_part(data);
        sent.map(move |sent| sent.map_err(|error| place.told(Some(&location), error))).boxed()
    }

    async fn complete(&mut self) -> Result<PutResult> {
        let result = self.inner.complete().await;
        result.map_err(|error| self.told(error))
    }

    async fn abort(&mut self) -> Result<()> {
        let result = self.inner.abort().await;
        result.map_err(|error| self.told(error))
    }
}
