//! Reads the next parts of a file while the rows of one are taken, so that a file is in order and still read by several threads.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::common::runtime::SpawnedTask;
use datafusion::datasource::listing::{FileRange, PartitionedFile};
use datafusion::datasource::physical_plan::{FileOpenFuture, FileOpener};
use datafusion::error::{DataFusionError, Result};
use futures::stream::{self, BoxStream};
use futures::{FutureExt, StreamExt, future};
use tokio::sync::{Semaphore, mpsc};

use crate::records::REQUEST;

/// The least bytes of a part: opening the file costs as much as converting some kilobytes.
const LEAST: u64 = 1 << 20;

/// The batches of a part that wait to be taken have at most this many kilobytes, so that a function that makes large values of small ones does
/// not fill the memory.
const WAITING_KB: u32 = 32 << 10;

/// Opens files whose rows a scan takes in order.
pub(crate) struct ReadAhead {
    pub(crate) inner: Arc<dyn FileOpener>,
    /// The number of parts that are read at a time.
    pub(crate) threads: usize,
}

impl FileOpener for ReadAhead {
    fn open(&self, file: PartitionedFile) -> Result<FileOpenFuture> {
        let parts = parts(file.object_meta.size, self.threads);
        if file.range.is_some() || parts.len() < 2 {
            return self.inner.open(file);
        }
        let inner = Arc::clone(&self.inner);
        let started = move |range| {
            let part = PartitionedFile { range: Some(range), ..file.clone() };
            future::ready(start(Arc::clone(&inner), part))
        };
        // A part starts when it comes into the buffer, and not when it is taken.
        let batches = stream::iter(parts).map(started).buffered(self.threads).flatten();
        Ok(future::ready(Ok(batches.boxed())).boxed())
    }
}

/// Divides a file into ranges of equal size.
fn parts(size: u64, threads: usize) -> Vec<FileRange> {
    if threads < 2 {
        return Vec::new();
    }
    let part = size.div_ceil(threads as u64).clamp(LEAST, REQUEST);
    let range = |n: u64| {
        let position = |n: u64| i64::try_from(size.min(n * part)).unwrap_or(i64::MAX);
        FileRange { start: position(n), end: position(n + 1) }
    };
    (0..size.div_ceil(part)).map(range).collect()
}

/// Starts to read a part. It ends if the stream is dropped.
fn start(
    opener: Arc<dyn FileOpener>,
    part: PartitionedFile,
) -> BoxStream<'static, Result<RecordBatch>> {
    let (sender, mut receiver) = mpsc::unbounded_channel();
    let task = SpawnedTask::spawn(async move {
        let memory = Arc::new(Semaphore::new(WAITING_KB as usize));
        let mut batches = opener.open(part)?.await?;
        while let Some(batch) = batches.next().await {
            let batch = batch?;
            let size = u32::try_from(batch.get_array_memory_size() >> 10).unwrap_or(u32::MAX);
            let size = size.clamp(1, WAITING_KB);
            let permit = Arc::clone(&memory).acquire_many_owned(size).await;
            if sender.send((batch, permit)).is_err() {
                break;
            }
        }
        Ok::<_, DataFusionError>(())
    });
    let batches = stream::poll_fn(move |context| receiver.poll_recv(context));
    // An error comes after the rows before it. A panic is one here, too.
    let end = stream::once(task.join_unwind()).filter_map(|result| {
        let result = result.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error)));
        future::ready(result.flatten().err().map(Err))
    });
    batches.map(|(batch, _permit)| Ok(batch)).chain(end).boxed()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use datafusion::arrow::array::{ArrayRef, AsArray, Int64Array};
    use datafusion::arrow::datatypes::Int64Type;

    use super::*;

    const PARTS: usize = 8;

    /// Returns four batches for each part, which hold its number. Later parts are faster.
    #[derive(Default)]
    struct Numbers {
        /// Another column: each batch has a row of it, and holds its memory.
        other: Option<ArrayRef>,
        /// The part that fails, and the one that panics.
        failing: Option<i64>,
        panicking: Option<i64>,
        /// The number of batches so far.
        made: Arc<AtomicUsize>,
    }

    impl FileOpener for Numbers {
        fn open(&self, file: PartitionedFile) -> Result<FileOpenFuture> {
            let part = file.range.map_or(-1, |range| range.start >> 20);
            let (failing, panicking) = (self.failing, self.panicking);
            let (other, made) = (self.other.clone(), Arc::clone(&self.made));
            let batch = move || {
                made.fetch_add(1, Ordering::Relaxed);
                assert_ne!(panicking, Some(part), "a panic of the test");
                let part: ArrayRef = Arc::new(Int64Array::from(vec![part]));
                let other = other.as_ref().map(|other| ("other", other.slice(0, 1)));
                let columns = [("part", part)].into_iter().chain(other);
                RecordBatch::try_from_iter(columns).map_err(Into::into)
            };
            Ok(async move {
                let late =
                    Duration::from_millis(10 * (PARTS as u64).saturating_sub(part.cast_unsigned()));
                tokio::time::sleep(late).await;
                if failing == Some(part) {
                    return Err(DataFusionError::External("damaged".into()));
                }
                Ok(stream::iter(0..4).map(move |_| batch()).boxed())
            }
            .boxed())
        }
    }

    /// Opens a file of eight parts.
    async fn open(inner: Numbers, threads: usize) -> BoxStream<'static, Result<RecordBatch>> {
        let file = PartitionedFile::new("x.npy", (PARTS as u64) << 20);
        ReadAhead { inner: Arc::new(inner), threads }.open(file).unwrap().await.unwrap()
    }

    fn number(batch: RecordBatch) -> i64 {
        batch.column(0).as_primitive::<Int64Type>().value(0)
    }

    /// Guards the order, whichever part is ready first, and files of one thread, which are not divided.
    #[tokio::test(flavor = "multi_thread")]
    async fn parts_are_returned_in_order() {
        for threads in [8, 16] {
            let batches: Vec<_> = open(Numbers::default(), threads).await.collect().await;
            let numbers = batches.into_iter().map(|batch| number(batch.unwrap()));
            assert!(numbers.eq((0..8).flat_map(|part| [part; 4])));
        }
        let batches: Vec<_> = open(Numbers::default(), 1).await.collect().await;
        assert_eq!(batches.len(), 4);
    }

    /// Guards errors and panics: each comes after the rows before it, and no rows are missing in silence.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_failure_comes_in_its_place() {
        let failing = Numbers { failing: Some(5), ..Numbers::default() };
        let panicking = Numbers { panicking: Some(5), ..Numbers::default() };
        let mut batches = open(failing, 8).await;
        for part in (0..5).flat_map(|part| [part; 4]) {
            assert_eq!(number(batches.next().await.unwrap().unwrap()), part);
        }
        assert!(batches.next().await.unwrap().unwrap_err().to_string().contains("damaged"));
        let taken = SpawnedTask::spawn(async { open(panicking, 8).await.count().await });
        assert!(taken.join().await.unwrap_err().is_panic());
    }

    /// Guards memory: a part waits when its batches are large, until they are taken.
    #[tokio::test(flavor = "multi_thread")]
    async fn large_batches_wait() {
        let made = Arc::new(AtomicUsize::new(0));
        // The memory of each of these batches is what a part may have.
        let other: ArrayRef = Arc::new(Int64Array::from(vec![0; 4 << 20]));
        let large = Numbers { other: Some(other), made: Arc::clone(&made), ..Numbers::default() };
        let mut batches = open(large, PARTS).await;
        batches.next().await.unwrap().unwrap();
        tokio::time::sleep(Duration::from_millis(300)).await;
        // Of each part, one in the channel and one that waits; of the first, one more.
        assert_eq!(made.load(Ordering::Relaxed), 2 * PARTS + 1);
        assert_eq!(batches.count().await, 4 * PARTS - 1);
    }
}
