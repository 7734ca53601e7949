//! Layer 5: an array of any rank with items of a Rust type.

use std::fmt;

use crate::error::{Error, ErrorKind};
use crate::shape::{self, Order};

/// An array of any rank: the items in the order of the file, the shape, and which order that is.
///
/// ```
/// use npy_core::{NpyArray, Order, ReadNpy, WriteNpy};
///
/// let array = NpyArray::new(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3])?;
/// assert_eq!(array.get(&[1, 0]), Some(&4.0));
///
/// let mut file = Vec::new();
/// array.to_order(Order::Fortran).write_npy_to(&mut file)?;
/// assert_eq!(NpyArray::<f64>::read_npy_from(&file[..])?, array);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone)]
pub struct NpyArray<T> {
    data: Vec<T>,
    shape: Vec<usize>,
    order: Order,
}

impl<T> NpyArray<T> {
    /// An array of this shape from its items in C order: the last index runs fastest.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Shape`] if the shape has another number of items.
    pub fn new(data: Vec<T>, shape: impl Into<Vec<usize>>) -> Result<Self, Error> {
        NpyArray::with_order(data, shape, Order::C)
    }

    /// An array of this shape from its items in this order.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Shape`] if the shape has another number of items.
    pub fn with_order(
        data: Vec<T>,
        shape: impl Into<Vec<usize>>,
        order: Order,
    ) -> Result<Self, Error> {
        let shape = shape.into();
        let count = shape::count(&shape)?;
        if count != data.len() {
            let reason = format!("it has {count} items, and {} are given", data.len());
            return Err(ErrorKind::Shape { shape: shape::repr(&shape), reason }.into());
        }
        Ok(NpyArray { data, shape, order })
    }

    /// The dimensions; none for a single item.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The order in which the items stand.
    pub fn order(&self) -> Order {
        self.order
    }

    /// The items in the order of the file.
    pub fn as_slice(&self) -> &[T] {
        &self.data
    }

    /// The items in the order of the file, to change them.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.data
    }

    /// The items in the order of the file.
    pub fn into_vec(self) -> Vec<T> {
        self.data
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.data.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// The item of this index, one number for each dimension; `None` outside the shape.
    pub fn get(&self, index: &[usize]) -> Option<&T> {
        self.data.get(shape::position(&self.shape, self.order, index)?)
    }

    /// The items in logical order: the last index runs fastest, in whatever order they stand.
    ///
    /// ```
    /// use npy_core::{NpyArray, Order};
    ///
    /// let array = NpyArray::with_order(vec![1, 4, 2, 5, 3, 6], [2, 3], Order::Fortran)?;
    /// assert!(array.iter().eq(&[1, 2, 3, 4, 5, 6]));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.in_order(Order::C)
    }

    /// Whether the items stand in this order.
    pub(crate) fn stands_in(&self, order: Order) -> bool {
        self.order.normalized(&self.shape) == order.normalized(&self.shape)
    }

    /// The items in this order.
    pub(crate) fn in_order(&self, order: Order) -> impl Iterator<Item = &T> {
        let (straight, permuted) = if self.stands_in(order) {
            (Some(self.data.iter()), None)
        } else {
            (None, Some(shape::reordered(&self.shape, self.order, order)))
        };
        let permuted = permuted.into_iter().flatten().filter_map(|at| self.data.get(at));
        straight.into_iter().flatten().chain(permuted)
    }

    /// The same array with its items in this order.
    #[must_use]
    pub fn to_order(&self, order: Order) -> Self
    where
        T: Clone,
    {
        let data = self.in_order(order).cloned().collect();
        NpyArray { data, shape: self.shape.clone(), order }
    }
}

/// Same shape, same items at the same indexes; in which order they stand does not matter.
impl<T: PartialEq> PartialEq for NpyArray<T> {
    fn eq(&self, other: &Self) -> bool {
        self.shape == other.shape && self.iter().eq(other.iter())
    }
}

impl<T: fmt::Debug> fmt::Debug for NpyArray<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NpyArray")
            .field("shape", &self.shape)
            .field("order", &self.order)
            .field("data", &self.data)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_and_shape_must_agree() {
        assert!(NpyArray::new(vec![0; 5], [2, 3]).is_err());
        assert!(NpyArray::new(Vec::<u8>::new(), [usize::MAX, 2]).is_err());
        assert_eq!(NpyArray::new(vec![7], []).unwrap().get(&[]), Some(&7));
        assert!(NpyArray::new(Vec::<u8>::new(), [0, 3]).unwrap().is_empty());
    }

    #[test]
    fn order_is_storage_and_not_value() {
        let c = NpyArray::new((0..24).collect(), [2, 3, 4]).unwrap();
        let fortran = c.to_order(Order::Fortran);
        assert_ne!(c.as_slice(), fortran.as_slice());
        assert_eq!(c, fortran);
        assert_eq!(c.get(&[1, 2, 3]), fortran.get(&[1, 2, 3]));
        assert_eq!(fortran.to_order(Order::C).as_slice(), c.as_slice());
    }
}
