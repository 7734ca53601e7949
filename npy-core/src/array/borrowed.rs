//! A borrowed array: elements that are already in memory.

use std::fmt;

use super::{NpyArray, check_count};
use crate::error::Error;
use crate::shape::{self, Iter, Order};

/// A borrowed array of any rank: elements of a slice, with a shape and an order. It is written without copying them.
///
/// ```
/// use npy_core::{NpyArray, NpyView, ReadNpy, WriteNpy};
///
/// let pixels = [0_u8, 1, 2, 3, 4, 5];
/// let mut file = Vec::new();
/// NpyView::new(&pixels, [2, 3])?.write_npy_to(&mut file)?;
/// assert_eq!(NpyArray::<u8>::read_npy_from(&file[..])?[[1, 0]], 3);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone)]
pub struct NpyView<'a, T> {
    items: &'a [T],
    shape: Vec<usize>,
    order: Order,
}

impl<'a, T> NpyView<'a, T> {
    /// Creates an array of this shape from its elements in C order: the last index changes fastest.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{NpyView, WriteNpy};
    ///
    /// let samples = [1, 2, 3, 4, 5, 6];
    /// NpyView::new(&samples, [2, 3])?.write_npy("samples.npy")?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) if the shape has another number of elements.
    pub fn new(items: &'a [T], shape: impl Into<Vec<usize>>) -> Result<Self, Error> {
        NpyView::with_order(items, shape, Order::C)
    }

    /// Creates an array of this shape from its elements in this order.
    ///
    /// ```
    /// use npy_core::{NpyView, Order};
    ///
    /// let samples = [1, 4, 2, 5, 3, 6];
    /// let view = NpyView::with_order(&samples, [2, 3], Order::Fortran)?;
    /// assert_eq!(view.at(&[1, 0]), Some(&4));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) if the shape has another number of elements.
    pub fn with_order(
        items: &'a [T],
        shape: impl Into<Vec<usize>>,
        order: Order,
    ) -> Result<Self, Error> {
        let shape = shape.into();
        check_count(&shape, items.len())?;
        Ok(NpyView { items, shape, order })
    }

    pub(super) fn from_parts(items: &'a [T], shape: Vec<usize>, order: Order) -> Self {
        NpyView { items, shape, order }
    }

    /// Returns the dimensions; none for a single element.
    ///
    /// ```
    /// use npy_core::NpyView;
    ///
    /// let samples = [1, 2, 3, 4, 5, 6];
    /// let view = NpyView::new(&samples, [2, 3])?;
    /// assert_eq!(view.shape(), [2, 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the dimensions, if there are `N` of them: `let [rows, columns] = view.dims()?;`.
    ///
    /// ```
    /// use npy_core::NpyView;
    ///
    /// let samples = [1, 2, 3, 4, 5, 6];
    /// let view = NpyView::new(&samples, [2, 3])?;
    /// let [rows, columns] = view.dims()?;
    /// assert_eq!((rows, columns), (2, 3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Rank`](crate::ErrorKind::Rank) for another number of dimensions.
    pub fn dims<const N: usize>(&self) -> Result<[usize; N], Error> {
        shape::dims(self.shape())
    }

    /// Returns the order in which the elements are in memory.
    ///
    /// ```
    /// use npy_core::{NpyView, Order};
    ///
    /// let samples = [1, 4, 2, 5, 3, 6];
    /// let view = NpyView::with_order(&samples, [2, 3], Order::Fortran)?;
    /// assert_eq!(view.order(), Order::Fortran);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn order(&self) -> Order {
        self.order
    }

    /// Returns the number of elements.
    ///
    /// ```
    /// use npy_core::NpyView;
    ///
    /// let samples = [1, 2, 3, 4, 5, 6];
    /// let view = NpyView::new(&samples, [2, 3])?;
    /// assert_eq!(view.len(), 6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns true if the array has no elements.
    ///
    /// ```
    /// use npy_core::NpyView;
    ///
    /// let samples = [1, 2, 3, 4, 5, 6];
    /// let view = NpyView::new(&samples, [2, 3])?;
    /// assert!(!view.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns the element of this index, one number for each dimension; `None` if the index is out of range.
    ///
    /// ```
    /// use npy_core::NpyView;
    ///
    /// let samples = [1, 2, 3, 4, 5, 6];
    /// let view = NpyView::new(&samples, [2, 3])?;
    /// assert_eq!(view.at(&[1, 2]), Some(&6));
    /// assert_eq!(view.at(&[2, 0]), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn at(&self, index: &[usize]) -> Option<&'a T> {
        self.items.get(shape::position(&self.shape, self.order, index)?)
    }

    /// Iterates over the elements in C order (the last index changes fastest), whatever their order in memory.
    ///
    /// ```
    /// use npy_core::{NpyView, Order};
    ///
    /// let samples = [1, 4, 2, 5, 3, 6];
    /// let view = NpyView::with_order(&samples, [2, 3], Order::Fortran)?;
    /// assert!(view.iter().eq(&[1, 2, 3, 4, 5, 6]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn iter(&self) -> Iter<'a, T> {
        self.in_order(Order::C)
    }

    /// Returns the elements in the order of the memory, which [`order`](Self::order) names.
    ///
    /// ```
    /// use npy_core::{NpyView, Order};
    ///
    /// let samples = [1, 4, 2, 5, 3, 6];
    /// let view = NpyView::with_order(&samples, [2, 3], Order::Fortran)?;
    /// assert_eq!(view.as_slice_memory_order(), [1, 4, 2, 5, 3, 6]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn as_slice_memory_order(&self) -> &'a [T] {
        self.items
    }

    /// Copies the elements into an array with this order in memory.
    ///
    /// ```
    /// use npy_core::{NpyView, Order};
    ///
    /// let samples = [1, 4, 2, 5, 3, 6];
    /// let view = NpyView::with_order(&samples, [2, 3], Order::Fortran)?;
    /// let rows = view.to_order(Order::C);
    /// assert_eq!(rows.as_slice_memory_order(), [1, 2, 3, 4, 5, 6]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_order(&self, order: Order) -> NpyArray<T>
    where
        T: Clone,
    {
        let data = self.in_order(order).cloned().collect();
        NpyArray { data, shape: self.shape.clone(), order }
    }

    /// Iterates over the elements in this order.
    pub(crate) fn in_order(&self, order: Order) -> Iter<'a, T> {
        Iter::new(self.items, &self.shape, self.order, order)
    }
}

impl<T: fmt::Debug> fmt::Debug for NpyView<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NpyView")
            .field("shape", &self.shape)
            .field("order", &self.order)
            .field("data", &self.items)
            .finish()
    }
}
