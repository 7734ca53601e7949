//! The traits of the standard library that an array has.

use std::fmt;
use std::ops::{Index, IndexMut};

use super::NpyArray;
use super::print::{Align, print};
use crate::shape::{self, Order};

/// Returns the element of this index, one number for each dimension; [`NpyArray::at`] does so without a panic.
///
/// # Panics
///
/// If the index is out of range, or has another number of dimensions.
impl<T, const N: usize> Index<[usize; N]> for NpyArray<T> {
    type Output = T;

    #[track_caller]
    fn index(&self, index: [usize; N]) -> &T {
        self.at(&index).unwrap_or_else(|| out_of_range(&index, &self.shape))
    }
}

/// Like [`Index`](#impl-Index%3C%5Busize;+N%5D%3E-for-NpyArray%3CT%3E), to change the element.
impl<T, const N: usize> IndexMut<[usize; N]> for NpyArray<T> {
    #[track_caller]
    fn index_mut(&mut self, index: [usize; N]) -> &mut T {
        let at = shape::position(&self.shape, self.order, &index);
        match at.and_then(|at| self.data.get_mut(at)) {
            Some(element) => element,
            None => out_of_range(&index, &self.shape),
        }
    }
}

#[track_caller]
#[expect(clippy::panic, reason = "indexing panics everywhere in Rust; `at` returns an `Option`")]
fn out_of_range(index: &[usize], shape: &[usize]) -> ! {
    panic!("index {index:?} is out of range of the shape {}", shape::excerpt(shape))
}

/// An array of one dimension.
impl<T> From<Vec<T>> for NpyArray<T> {
    fn from(data: Vec<T>) -> Self {
        let shape = vec![data.len()];
        NpyArray { data, shape, order: Order::C }
    }
}

/// Collects an array of one dimension.
impl<T> FromIterator<T> for NpyArray<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Vec::from_iter(items).into()
    }
}

/// Iterates over the elements of an array in C order, by value.
pub type IntoIter<T> = std::vec::IntoIter<T>;

/// Iterates over the elements in C order, whatever their order in memory.
impl<T> IntoIterator for NpyArray<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    fn into_iter(self) -> IntoIter<T> {
        self.into_vec().into_iter()
    }
}

/// Borrows the elements in the order of the memory, like [`as_slice_memory_order`](NpyArray::as_slice_memory_order).
impl<T> AsRef<[T]> for NpyArray<T> {
    fn as_ref(&self) -> &[T] {
        &self.data
    }
}

/// Arrays are equal if they have the same shape and the same elements at the same indexes, whatever their order in memory.
impl<T: PartialEq> PartialEq for NpyArray<T> {
    fn eq(&self, other: &Self) -> bool {
        self.shape == other.shape && self.iter().eq(other.iter())
    }
}

impl<T: Eq> Eq for NpyArray<T> {}

/// Prints the elements in brackets, one row per line. An array of more than a thousand elements shows the first and the last three
/// along each dimension.
///
/// ```
/// use npy_core::NpyArray;
///
/// let array = NpyArray::new(vec![1, 20, 3, 4], [2, 2])?;
/// assert_eq!(array.to_string(), "[[ 1 20]\n [ 3  4]]");
/// # Ok::<(), npy_core::Error>(())
/// ```
impl<T: fmt::Display> fmt::Display for NpyArray<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = |index: &[usize]| self.at(index).map(T::to_string).unwrap_or_default();
        print(f, &self.shape, Align::Right, element, || true)
    }
}
