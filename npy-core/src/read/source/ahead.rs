//! A second thread that reads the next blocks of a file while the first one decodes.

use std::io::Result;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use super::{Placed, read_full};

/// Blocks that wait to be taken, at most. Two more are in work, one on each side: that is all the memory this takes.
const WAITING: usize = 2;

/// A file that is being read ahead.
#[derive(Debug)]
pub(super) struct Ahead {
    /// Never locked: it lets threads share a reader.
    blocks: Mutex<Receiver<Block>>,
    used: Sender<Vec<u8>>,
    thread: JoinHandle<()>,
}

/// What was read, and whether it failed then.
type Block = (Vec<u8>, Result<()>);

impl Ahead {
    /// Starts to read `bytes` bytes, `block` at a time; `None` where the system has no thread for it.
    pub(super) fn start(file: Placed, block: usize, bytes: usize) -> Option<Ahead> {
        let (sender, blocks) = mpsc::sync_channel(WAITING);
        let (used, spare) = mpsc::channel();
        let work = move || read(file, block, bytes, &sender, &spare);
        let thread = thread::Builder::new().name("npy-read".into()).spawn(work).ok()?;
        Some(Ahead { blocks: Mutex::new(blocks), used, thread })
    }

    /// Puts the next block in the place of one that is used; `None` if there is no more.
    pub(super) fn take(&mut self, block: &mut Vec<u8>) -> Option<Result<()>> {
        let blocks = self.blocks.get_mut().unwrap_or_else(PoisonError::into_inner);
        let (next, result) = blocks.recv().ok()?;
        let used = std::mem::replace(block, next);
        // A thread that has ended needs none.
        let _ = self.used.send(used);
        Some(result)
    }

    /// Ends it. What it has read and nobody took is read again.
    pub(super) fn stop(self) {
        drop((self.blocks, self.used));
        // If it panicked, its blocks have come to an end before they were all there.
        drop(self.thread.join());
    }
}

/// Reads the blocks until one is short, or nobody takes them any more.
fn read(
    mut file: Placed,
    block: usize,
    bytes: usize,
    blocks: &SyncSender<Block>,
    spare: &Receiver<Vec<u8>>,
) {
    let mut missing = bytes;
    while missing > 0 {
        let wanted = missing.min(block);
        let mut bytes = spare.try_recv().unwrap_or_default();
        bytes.resize(wanted, 0);
        let (found, result) = read_full(&mut file, &mut bytes);
        bytes.truncate(found);
        if blocks.send((bytes, result)).is_err() || found < wanted {
            break;
        }
        missing = missing.saturating_sub(wanted);
    }
}
