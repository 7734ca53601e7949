//! The elements of an array in C or Fortran order.

use std::iter::FusedIterator;
use std::slice;

use super::{Order, Positions, reordered};
use crate::checked;

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
        Iter(match positions(shape, from, to) {
            None => Source::Stored(items.iter()),
            Some(positions) => Source::Reordered(items, positions),
        })
    }
}

/// Returns the positions of the elements, if the orders differ. Not inlined: this is compiled once, and not for each type.
#[inline(never)]
fn positions(shape: &[usize], from: Order, to: Order) -> Option<Positions> {
    (from.normalized(shape) != to.normalized(shape)).then(|| reordered(shape, from, to))
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

/// Iterates over the elements of an array by mutable reference, in C order.
#[derive(Debug)]
pub struct IterMut<'a, T>(SourceMut<'a, T>);

#[derive(Debug)]
enum SourceMut<'a, T> {
    /// C order.
    Stored(slice::IterMut<'a, T>),
    /// Fortran order: the first elements of all columns come first, then the second ones, and so on.
    Columns {
        /// The elements along the first dimension, for each index of the other dimensions, in C order.
        columns: Vec<slice::IterMut<'a, T>>,
        /// The position of the next element.
        next: usize,
        /// The position after the last element.
        end: usize,
    },
}

impl<'a, T> IterMut<'a, T> {
    /// Iterates in C order over elements that are in the order `from` in memory.
    pub(crate) fn new(items: &'a mut [T], shape: &[usize], from: Order) -> Self {
        // Dimensions of one element make columns that are as short.
        let shape: Vec<usize> = shape.iter().copied().filter(|&length| length != 1).collect();
        if from.normalized(&shape) == Order::C {
            return IterMut(SourceMut::Stored(items.iter_mut()));
        }
        let end = items.len();
        let (first, others) = shape.split_first().unwrap_or((&1, &[]));
        let columns = items.chunks_exact_mut((*first).max(1)).map(<[T]>::iter_mut);
        let mut columns: Vec<Option<slice::IterMut<'a, T>>> = columns.map(Some).collect();
        let in_c_order = reordered(others, Order::Fortran, Order::C);
        let columns = in_c_order.filter_map(|at| columns.get_mut(at)?.take()).collect();
        IterMut(SourceMut::Columns { columns, next: 0, end })
    }
}

impl<'a, T> Iterator for IterMut<'a, T> {
    type Item = &'a mut T;

    #[inline]
    fn next(&mut self) -> Option<&'a mut T> {
        match &mut self.0 {
            SourceMut::Stored(items) => items.next(),
            SourceMut::Columns { columns, next, end } => {
                let position = Some(*next).filter(|position| position < end)?;
                *next = checked::add(position, 1);
                let column = position.checked_rem(columns.len())?;
                columns.get_mut(column)?.next()
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.0 {
            SourceMut::Stored(items) => items.size_hint(),
            SourceMut::Columns { next, end, .. } => {
                let left = checked::sub(*end, *next);
                (left, Some(left))
            }
        }
    }

    // Checks the order once, and not for each element.
    #[inline]
    fn fold<A, F: FnMut(A, &'a mut T) -> A>(self, first: A, mut f: F) -> A {
        if let SourceMut::Stored(items) = self.0 {
            return items.fold(first, f);
        }
        let mut folded = first;
        for item in self {
            folded = f(folded, item);
        }
        folded
    }
}

impl<T> DoubleEndedIterator for IterMut<'_, T> {
    fn next_back(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            SourceMut::Stored(items) => items.next_back(),
            SourceMut::Columns { columns, next, end } => {
                let position = end.checked_sub(1).filter(|position| position >= next)?;
                *end = position;
                let column = position.checked_rem(columns.len())?;
                columns.get_mut(column)?.next_back()
            }
        }
    }
}

impl<T> ExactSizeIterator for IterMut<'_, T> {}

impl<T> FusedIterator for IterMut<'_, T> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::position;

    /// Guards that elements are changed in the order in which they are read, from both ends.
    #[test]
    fn elements_are_changed_in_c_order() {
        for shape in [
            &[][..],
            &[5],
            &[2, 3],
            &[3, 1, 2],
            &[1, 4],
            &[2, 3, 4],
            &[2, 0, 3],
            &[0],
            &[2, 2, 2, 3],
        ] {
            let count: usize = shape.iter().product();
            for order in [Order::C, Order::Fortran] {
                let mut items = vec![0; count];
                let mut iter = IterMut::new(&mut items, shape, order);
                assert_eq!(iter.len(), count, "{shape:?}");
                let last = iter.next_back().map(|item| *item = count);
                assert_eq!(last.is_some(), count > 0);
                iter.enumerate().for_each(|(n, item)| *item = n + 1);
                let found: Vec<usize> =
                    Iter::new(&items, shape, order, Order::C).copied().collect();
                assert!(found.iter().copied().eq(1..=count), "{shape:?} {order:?}: {found:?}");
            }
        }
        let mut items = [0; 6];
        IterMut::new(&mut items, &[2, 3], Order::Fortran).zip(1..).for_each(|(item, n)| *item = n);
        assert_eq!(position(&[2, 3], Order::Fortran, &[0, 1]), Some(2));
        assert_eq!(items, [1, 4, 2, 5, 3, 6]);
    }
}
