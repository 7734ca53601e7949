//! A second thread that writes blocks to a file while the first one encodes the next.

use std::fs::File;
use std::io::{Error, Result, Write};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread::{self, JoinHandle};

/// Blocks that wait to be written, at most. Two more are in work, one on each side.
const WAITING: usize = 2;

/// Less is written before a thread has started.
const WORTH_IT: usize = 4 << 20;

/// Longer writes are no blocks: all their bytes are there, and would only be copied.
const LONGEST: usize = 1 << 20;

/// A file that is written behind the back of who writes.
pub(super) struct Behind {
    file: File,
    written: usize,
    running: Option<Running>,
}

struct Running {
    blocks: SyncSender<Vec<u8>>,
    spare: Receiver<Vec<u8>>,
    thread: JoinHandle<Result<()>>,
}

impl Behind {
    pub(super) fn new(file: File) -> Self {
        Behind { file, written: 0, running: None }
    }

    /// Waits until all is written. Whoever drops it in place of this does not learn whether it is.
    pub(super) fn finish(mut self) -> Result<()> {
        self.stop()
    }

    fn stop(&mut self) -> Result<()> {
        let Some(running) = self.running.take() else { return Ok(()) };
        drop(running.blocks);
        let ended = running.thread.join();
        ended.unwrap_or_else(|_| Err(Error::other("the thread that writes has failed")))
    }
}

impl Running {
    /// `None` where the system has no thread for it.
    fn start(mut file: File) -> Option<Running> {
        let (blocks, to_write) = mpsc::sync_channel::<Vec<u8>>(WAITING);
        let (used, spare) = mpsc::channel();
        let work = move || {
            for block in to_write {
                file.write_all(&block)?;
                // Who has no more to write needs none.
                let _ = used.send(block);
            }
            Ok(())
        };
        let thread = thread::Builder::new().name("npy-write".into()).spawn(work).ok()?;
        Some(Running { blocks, spare, thread })
    }
}

impl Write for Behind {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        if bytes.len() > LONGEST {
            self.stop()?;
            return self.file.write(bytes);
        }
        self.written = self.written.saturating_add(bytes.len());
        if self.running.is_none() && self.written > WORTH_IT {
            self.running = self.file.try_clone().ok().and_then(Running::start);
        }
        let Some(running) = &self.running else { return self.file.write(bytes) };
        let mut block = running.spare.try_recv().unwrap_or_default();
        block.clear();
        block.extend_from_slice(bytes);
        if running.blocks.send(block).is_err() {
            // It takes no more because a write failed: that is the error.
            self.stop()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        self.stop()
    }
}
