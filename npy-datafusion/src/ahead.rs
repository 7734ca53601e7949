//! Opens files of a store before a partition asks for them: it asks for one after another, and each is a request that is waited for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use datafusion::arrow::array::RecordBatch;
use datafusion::common::runtime::SpawnedTask;
use datafusion::datasource::listing::{FileRange, PartitionedFile};
use datafusion::datasource::physical_plan::{FileOpenFuture, FileOpener, FileScanConfig};
use datafusion::error::{DataFusionError, Result};
use datafusion::physical_expr::PhysicalExpr;
use futures::stream::BoxStream;
use object_store::path::Path;

use crate::opener::NpyOpener;

/// The files that are opened ahead at a time, by all partitions of a scan.
const FILES: usize = 32;

/// The bytes of the files that are opened ahead, of all partitions of a scan.
const BYTES: u64 = 64 << 20;

type Batches = BoxStream<'static, Result<RecordBatch>>;

/// The state of a scan while it runs. All its partitions have it.
pub(crate) type SharedAhead = Mutex<Weak<Ahead>>;

/// The files of a scan, in the order in which its partitions ask for them.
pub(crate) struct Ahead {
    files: Vec<PartitionedFile>,
    positions: HashMap<(Path, Option<(i64, i64)>), usize>,
    /// The condition of the files that wait. A plan that runs again may have another one.
    predicate: Option<Arc<dyn PhysicalExpr>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// For each file, true if it was opened, or is being opened.
    begun: Vec<bool>,
    /// The files that nobody has asked for yet, and their bytes. If the scan ends, they are closed.
    waiting: HashMap<usize, (SpawnedTask<Result<Batches>>, u64)>,
    bytes: u64,
    /// The number of files that partitions have asked for.
    opened: usize,
}

impl Ahead {
    /// Returns the state that the other partitions of the scan have, or that of the first one.
    fn of(shared: &SharedAhead, scan: &FileScanConfig, opener: &NpyOpener) -> Arc<Self> {
        let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
        let predicate = opener.predicate.clone();
        if let Some(ahead) = shared.upgrade()
            && is_same(ahead.predicate.as_ref(), predicate.as_ref())
        {
            return ahead;
        }
        let files: Vec<PartitionedFile> =
            scan.file_groups.iter().flat_map(|group| group.iter()).cloned().collect();
        let positions = files.iter().enumerate().map(|(n, file)| (key(file), n)).collect();
        let begun = vec![false; files.len()];
        let state = Mutex::new(State { begun, ..State::default() });
        let ahead = Arc::new(Ahead { files, positions, predicate, state });
        *shared = Arc::downgrade(&ahead);
        ahead
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_same(a: Option<&Arc<dyn PhysicalExpr>>, b: Option<&Arc<dyn PhysicalExpr>>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => Arc::ptr_eq(a, b),
        (None, None) => true,
        _ => false,
    }
}

fn key(file: &PartitionedFile) -> (Path, Option<(i64, i64)>) {
    let range = file.range.as_ref().map(|FileRange { start, end }| (*start, *end));
    (file.object_meta.location.clone(), range)
}

/// Opens files, and those after them.
pub(crate) struct AheadOpener {
    opener: Arc<NpyOpener>,
    ahead: Arc<Ahead>,
}

impl AheadOpener {
    /// Returns an opener of the files of a scan that opens those of a store ahead. A file of this machine is opened when it is needed.
    pub(crate) fn of(
        opener: Arc<NpyOpener>,
        scan: &FileScanConfig,
        shared: &SharedAhead,
    ) -> Arc<dyn FileOpener> {
        // A limit without a condition needs the first rows, and no others.
        let is_limited = scan.limit.is_some() && opener.predicate.is_none();
        if scan.object_store_url.as_str().starts_with("file:") || is_limited {
            return opener;
        }
        let ahead = Ahead::of(shared, scan, &opener);
        Arc::new(AheadOpener { opener, ahead })
    }

    /// Opens the files after this one: no more than were asked for so far, since the query may need no others.
    fn open_others(&self, state: &mut State, position: usize) {
        let most = FILES.min(state.opened);
        state.opened += 1;
        let others = self.ahead.files.iter().enumerate().skip(position + 1);
        for (position, file) in others.take(4 * FILES) {
            if state.waiting.len() >= most {
                return;
            }
            let is_begun = state.begun.get_mut(position);
            let Some(is_begun) = is_begun.filter(|is_begun| !**is_begun) else { continue };
            // Files are opened in order, so one that is too large is waited for.
            let Some(bytes) = self.opener.bytes_of(file) else { return };
            if state.bytes.saturating_add(bytes) > BYTES {
                return;
            }
            let Ok(open) = self.opener.open(file.clone()) else { return };
            *is_begun = true;
            state.bytes += bytes;
            state.waiting.insert(position, (SpawnedTask::spawn(open), bytes));
        }
    }
}

impl FileOpener for AheadOpener {
    fn open(&self, file: PartitionedFile) -> Result<FileOpenFuture> {
        let Some(&position) = self.ahead.positions.get(&key(&file)) else {
            return self.opener.open(file);
        };
        let mut state = self.ahead.lock();
        if let Some(is_begun) = state.begun.get_mut(position) {
            *is_begun = true;
        }
        let waiting = state.waiting.remove(&position);
        state.bytes -= waiting.as_ref().map_or(0, |(_, bytes)| *bytes);
        self.open_others(&mut state, position);
        drop(state);
        let Some((task, _)) = waiting else { return self.opener.open(file) };
        Ok(Box::pin(async move {
            let opened = task.join_unwind().await;
            opened.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error)))?
        }))
    }
}
