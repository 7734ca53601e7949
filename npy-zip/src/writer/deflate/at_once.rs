//! Compresses each block at once, where there are no threads: for WebAssembly. The channels of `pool.rs` would add 18 KiB to a package that is sent to
//! browsers.

use std::cell::Cell;
use std::io;

use super::block::{Block, Task, compress};

/// A block that is compressed, until it is taken.
pub(in super::super) struct Pending(Cell<Option<io::Result<Block>>>);

/// The calls of the pool.
pub(in super::super) struct Pool {
    level: u8,
}

impl Pool {
    pub(super) fn new(level: u8, _threads: usize) -> Self {
        Pool { level }
    }

    pub(super) fn start(&mut self, task: Task, _waiting: usize) -> Pending {
        Pending(Cell::new(Some(compress(self.level, &task))))
    }

    /// Returns the compressed block; `None` if it was taken before.
    pub(in super::super) fn result(
        &mut self,
        block: &Pending,
        _must_wait: bool,
    ) -> Option<io::Result<Block>> {
        block.0.take()
    }
}
