//! Members that are compressed by other threads.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use zip::PreparedZipFile;
use zip::result::ZipResult;
use zip::write::ZipFileBuilder;

use super::archive::Archive;
use super::entry::{is_large, options};
use crate::element::block::BLOCK;
use crate::error::Result;
use crate::npz::directory::zip_error;

/// So many bytes of members may wait for those before them, however many members these are.
const WAITING: usize = 64 << 20;

/// The members that are being compressed, and those that wait to be written, in their order.
#[derive(Default)]
pub(super) struct Jobs {
    list: VecDeque<Job>,
    crew: Arc<Crew>,
}

impl Jobs {
    /// Has the bytes of a member compressed, once fewer than `threads` others are.
    pub(super) fn start(
        &mut self,
        file: &str,
        level: Option<u8>,
        bytes: Vec<u8>,
        threads: usize,
    ) -> Result<()> {
        let (name, size) = (file.to_owned(), bytes.len());
        let running = self.crew.join(threads);
        let work = thread::Builder::new().name("npy-deflate".into()).spawn(move || {
            let _running = running;
            let large = is_large(bytes.get(..BLOCK).unwrap_or(&bytes));
            let mut builder = ZipFileBuilder::new(name, options(level, large))?;
            for block in bytes.chunks(BLOCK) {
                io::Write::write_all(&mut builder, block)?;
            }
            builder.finish()
        })?;
        self.list.push_back(Job { file: file.to_owned(), size, work: Some(work) });
        Ok(())
    }

    /// The next member to write, if that is done, or if too much waits for it.
    pub(super) fn next(&mut self, threads: usize) -> Option<Job> {
        let size = |job: &Job| job.size;
        let much = self.list.iter().map(size).fold(0, usize::saturating_add) > WAITING;
        // One may wait while the others are compressed.
        let many = much && self.list.len() > threads;
        if many || self.list.front()?.is_done() { self.any() } else { None }
    }

    /// The next member to write.
    pub(super) fn any(&mut self) -> Option<Job> {
        self.list.pop_front()
    }
}

/// A member that is compressed by another thread.
pub(super) struct Job {
    file: String,
    /// Its bytes, before.
    size: usize,
    /// None once its end was waited for.
    work: Option<JoinHandle<ZipResult<PreparedZipFile>>>,
}

impl Job {
    /// The name in the archive.
    pub(super) fn file(&self) -> &str {
        &self.file
    }

    fn is_done(&self) -> bool {
        self.work.as_ref().is_some_and(JoinHandle::is_finished)
    }

    /// Writes the member, when it is compressed.
    pub(super) fn finish<W: io::Write>(mut self, archive: &mut Archive<W>) -> Result<()> {
        let done = self.work.take().and_then(|work| work.join().ok());
        let panicked = || io::Error::other("the thread that compressed it panicked");
        archive.add(done.ok_or_else(panicked)?.map_err(zip_error)?)
    }
}

/// No thread goes on when its archive is gone.
impl Drop for Job {
    fn drop(&mut self) {
        if let Some(work) = self.work.take() {
            // Nobody asks how it ended.
            drop(work.join());
        }
    }
}

/// How many threads compress.
#[derive(Default)]
struct Crew {
    running: Mutex<usize>,
    left: Condvar,
}

impl Crew {
    /// One more, once there are fewer than so many.
    fn join(self: &Arc<Self>, threads: usize) -> Running {
        let crew = Arc::clone(self);
        let full = |running: &mut usize| *running >= threads.max(1);
        let running = crew.left.wait_while(self.running(), full);
        let mut running = running.unwrap_or_else(PoisonError::into_inner);
        *running = running.saturating_add(1);
        drop(running);
        Running(crew)
    }

    /// Nobody panics who has it.
    fn running(&self) -> MutexGuard<'_, usize> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A thread that compresses, until it ends, however it does.
struct Running(Arc<Crew>);

impl Drop for Running {
    fn drop(&mut self) {
        let mut running = self.0.running();
        *running = running.saturating_sub(1);
        self.0.left.notify_one();
    }
}
