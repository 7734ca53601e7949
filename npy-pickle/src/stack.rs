//! The stack of the machine, with its marks, and the memo.

use std::collections::HashMap;

use super::{Id, NONE, wide};
use crate::checked;
use crate::error::{Error, reserve};

/// The stack of the machine: the nodes to which opcodes refer by position.
#[derive(Default)]
pub(super) struct Stack {
    nodes: Vec<Id>,
    /// The positions of the marks.
    marks: Vec<u32>,
}

impl Stack {
    /// Returns the position below which nodes are out of reach until the mark is removed.
    fn floor(&self) -> usize {
        self.marks.last().map_or(0, |&mark| wide(mark))
    }

    #[inline]
    pub(super) fn push(&mut self, id: Id) -> Result<(), Error> {
        push(&mut self.nodes, id)
    }

    pub(super) fn pop(&mut self) -> Option<Id> {
        if self.nodes.len() > self.floor() { self.nodes.pop() } else { None }
    }

    /// Returns the node at the top.
    pub(super) fn top(&self) -> Option<Id> {
        if self.nodes.len() > self.floor() { self.nodes.last().copied() } else { None }
    }

    /// Returns the top `n` nodes, the topmost last.
    pub(super) fn last(&self, n: usize) -> Option<&[Id]> {
        let start = self.nodes.len().checked_sub(n).filter(|&start| start >= self.floor())?;
        self.nodes.get(start..)
    }

    /// Removes the top `n` nodes, which must exist.
    pub(super) fn drop_last(&mut self, n: usize) {
        self.nodes.truncate(checked::sub(self.nodes.len(), n));
    }

    pub(super) fn mark(&mut self) -> Result<(), Error> {
        let at = u32::try_from(self.nodes.len()).map_err(|_| Error::TooManyNodes)?;
        push(&mut self.marks, at)
    }

    /// Removes the last mark, and returns the number of nodes above it.
    pub(super) fn unmark(&mut self) -> Option<usize> {
        let mark = wide(self.marks.pop()?);
        Some(checked::sub(self.nodes.len(), mark))
    }
}

/// The memo of the machine: the nodes to which opcodes refer by number.
#[derive(Default)]
pub(super) struct Memo {
    /// The entries by number, which Python counts from zero. `NONE` if there is no entry of this number, or if it is in `sparse`.
    dense: Vec<Id>,
    /// The entries whose number is far above the others.
    sparse: HashMap<u32, Id>,
    /// The number of entries.
    count: u32,
}

impl Memo {
    #[inline]
    pub(super) fn put(&mut self, number: u32, id: Id) -> Result<(), Error> {
        /// Numbers below this are always in `dense`. A larger number is in `dense` if it exceeds the length of `dense` by less than a
        /// quarter.
        const ALWAYS_DENSE: usize = 1024;
        let at = wide(number);
        // The usual case.
        if at == self.dense.len() && self.sparse.is_empty() {
            self.count = self.count.saturating_add(1);
            return push(&mut self.dense, id);
        }
        if self.get(number).is_none() {
            self.count = self.count.saturating_add(1);
        }
        let end = checked::add(self.dense.len(), self.dense.len() / 4).max(ALWAYS_DENSE);
        if at < end {
            while self.dense.len() <= at {
                push(&mut self.dense, NONE)?;
            }
        }
        match self.dense.get_mut(at) {
            Some(entry) => *entry = id,
            None => drop(self.sparse.insert(number, id)),
        }
        Ok(())
    }

    /// Adds the entry whose number is the number of entries so far.
    #[inline]
    pub(super) fn append(&mut self, id: Id) -> Result<(), Error> {
        self.put(self.count, id)
    }

    pub(super) fn get(&self, number: u32) -> Option<Id> {
        let dense = self.dense.get(wide(number)).copied().filter(|&id| id != NONE);
        dense.or_else(|| self.sparse.get(&number).copied())
    }
}

/// Appends to a list that grows by a quarter, so that it takes little more memory than it needs.
#[inline]
pub(super) fn push<T>(list: &mut Vec<T>, item: T) -> Result<(), Error> {
    if list.len() == list.capacity() {
        grow(list)?;
    }
    list.push(item);
    Ok(())
}

#[cold]
fn grow<T>(list: &mut Vec<T>) -> Result<(), Error> {
    const FIRST: usize = 256;
    reserve(list, (list.len() / 4).max(FIRST))
}
