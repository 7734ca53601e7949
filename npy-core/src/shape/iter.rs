//! The elements of an array in C or Fortran order.

use std::iter::FusedIterator;
use std::slice;

use super::{Order, Positions, reordered};

/// Iterates over the elements of an array by reference.
#[derive(Debug)]
pub struct Iter<'a, T>(Source<'a, T>);

#[derive(Debug)]
enum Source<'a, T> {
    /// The order of the memory.
    Stored(slice::Iter<'a, T>),
    /// The other order.
    Reordered(&'a [T], Positions),
}

impl<'a, T> Iter<'a, T> {
    /// Iterates in the order `to` over elements that are in the order `from` in memory.
    pub(crate) fn new(items: &'a [T], shape: &[usize], from: Order, to: Order) -> Self {
        if from.normalized(shape) == to.normalized(shape) {
            return Iter(Source::Stored(items.iter()));
        }
        Iter(Source::Reordered(items, reordered(shape, from, to)))
    }
}

impl<'a, T> Iterator for Iter<'a, T> {
    type Item = &'a T;

    #[inline]
    fn next(&mut self) -> Option<&'a T> {
        match &mut self.0 {
            Source::Stored(items) => items.next(),
            Source::Reordered(items, positions) => items.get(positions.next()?),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.0 {
            Source::Stored(items) => items.size_hint(),
            Source::Reordered(_, positions) => positions.size_hint(),
        }
    }

    // In memory order, this takes constant time, even in a memory map of many gigabytes.
    fn nth(&mut self, n: usize) -> Option<&'a T> {
        match &mut self.0 {
            Source::Stored(items) => items.nth(n),
            Source::Reordered(items, positions) => items.get(positions.nth(n)?),
        }
    }

    fn count(self) -> usize {
        self.len()
    }

    fn last(mut self) -> Option<&'a T> {
        self.next_back()
    }

    // Checks the order once, and not for each element.
    #[inline]
    fn fold<A, F: FnMut(A, &'a T) -> A>(self, first: A, f: F) -> A {
        match self.0 {
            Source::Stored(items) => items.fold(first, f),
            Source::Reordered(items, positions) => {
                positions.filter_map(|at| items.get(at)).fold(first, f)
            }
        }
    }
}

impl<T> DoubleEndedIterator for Iter<'_, T> {
    fn next_back(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Source::Stored(items) => items.next_back(),
            Source::Reordered(items, positions) => items.get(positions.next_back()?),
        }
    }
}

impl<T> ExactSizeIterator for Iter<'_, T> {}

impl<T> FusedIterator for Iter<'_, T> {}

impl<T> Clone for Iter<'_, T> {
    fn clone(&self) -> Self {
        Iter(match &self.0 {
            Source::Stored(items) => Source::Stored(items.clone()),
            Source::Reordered(items, positions) => Source::Reordered(items, positions.clone()),
        })
    }
}
