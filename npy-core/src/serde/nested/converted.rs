//! The numbers of an array, converted a block at a time.

use std::vec;

use super::bytes::{ArrayBytes, Blocks};
use crate::limits::to_u64;

/// An iterator over the numbers of an array. It ends early if the file cannot be read: [`Objects::check_file`](crate::Objects::check_file)
/// returns that error.
pub(super) struct Converted<'a, T> {
    blocks: Blocks<'a>,
    /// Converts a block.
    convert: fn(&[u8]) -> Vec<T>,
    block: vec::IntoIter<T>,
}

impl<'a, T> Converted<'a, T> {
    /// Iterates over bytes that are numbers of the size of `T`, which is not zero.
    pub(super) fn new(bytes: ArrayBytes<'a>, convert: fn(&[u8]) -> Vec<T>) -> Self {
        Converted { blocks: bytes.blocks(), convert, block: Vec::new().into_iter() }
    }

    /// Converts the next block, and returns its first number.
    #[cold]
    fn next_block(&mut self) -> Option<T> {
        self.block = (self.convert)(&self.blocks.next()?).into_iter();
        self.block.next()
    }
}

impl<T> Iterator for Converted<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        match self.block.next() {
            Some(number) => Some(number),
            None => self.next_block(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.blocks.left().checked_div(to_u64(size_of::<T>())).unwrap_or(0);
        let count = usize::try_from(left).unwrap_or(usize::MAX).saturating_add(self.block.len());
        (count, Some(count))
    }
}

impl<T> ExactSizeIterator for Converted<'_, T> {}
