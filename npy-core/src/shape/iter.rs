//! The elements of an array in C or Fortran order.

use std::slice;

use super::{Order, Positions, reordered};

/// Iterates over the elements of an array by reference.
#[derive(Clone, Debug)]
pub struct Iter<'a, T>(Source<'a, T>);

#[derive(Clone, Debug)]
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

    // The order is looked up once and not for each element.
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
