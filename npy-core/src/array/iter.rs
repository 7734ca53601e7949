//! The elements of an array by value.

use std::vec;

/// Iterates over the elements of an array in C order, by value.
#[derive(Clone, Debug)]
pub struct IntoIter<T>(pub(super) vec::IntoIter<T>);

impl<T> Iterator for IntoIter<T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        self.0.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }

    fn fold<A, F: FnMut(A, T) -> A>(self, first: A, f: F) -> A {
        self.0.fold(first, f)
    }
}

impl<T> DoubleEndedIterator for IntoIter<T> {
    fn next_back(&mut self) -> Option<T> {
        self.0.next_back()
    }
}

impl<T> ExactSizeIterator for IntoIter<T> {}
