//! The methods that owned, borrowed and mapped arrays share.

/// Implements the methods that read an array of elements. The type has the methods `shape`, `order` and `as_slice_memory_order`; the lifetime is that of its elements.
macro_rules! read_methods {
    ([$($generics:tt)*] $type:ty, $life:lifetime) => {
        impl<$($generics)*> $type {
            /// Returns the dimensions, if there are `N` of them: `let [rows, columns] = array.dims()?;`.
            ///
            /// ```
            /// use npy_core::NpyArray;
            ///
            /// let image = NpyArray::new(vec![0u8; 6], [2, 3])?;
            /// let [height, width] = image.view().dims()?;
            /// assert_eq!((height, width), (2, 3));
            /// assert!(image.dims::<3>().is_err());
            /// # Ok::<(), npy_core::Error>(())
            /// ```
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Rank`](crate::ErrorKind::Rank) for another number of dimensions.
            pub fn dims<const N: usize>(&self) -> crate::error::Result<[usize; N]> {
                crate::shape::dims(self.shape())
            }

            /// Returns the number of dimensions.
            ///
            /// ```
            /// use npy_core::NpyArray;
            ///
            /// let gains = NpyArray::new(vec![1, 2, 3, 4, 5, 6], [2, 3])?;
            /// assert_eq!(gains.ndim(), 2);
            /// # Ok::<(), npy_core::Error>(())
            /// ```
            pub fn ndim(&self) -> usize {
                self.shape().len()
            }

            /// Returns the number of elements.
            ///
            /// ```
            /// use npy_core::NpyArray;
            ///
            /// let gains = NpyArray::new(vec![1, 2, 3, 4, 5, 6], [2, 3])?;
            /// assert_eq!(gains.len(), 6);
            /// # Ok::<(), npy_core::Error>(())
            /// ```
            pub fn len(&self) -> usize {
                self.as_slice_memory_order().len()
            }

            /// Returns true if the array has no elements.
            ///
            /// ```
            /// use npy_core::NpyArray;
            ///
            /// assert!(NpyArray::<u8>::new(vec![], [0, 3])?.is_empty());
            /// # Ok::<(), npy_core::Error>(())
            /// ```
            pub fn is_empty(&self) -> bool {
                self.as_slice_memory_order().is_empty()
            }

            /// Returns the element of this index, one number for each dimension; `None` if the index is out of range.
            ///
            /// ```
            /// use npy_core::NpyArray;
            ///
            /// let gains = NpyArray::new(vec![1, 2, 3, 4, 5, 6], [2, 3])?;
            /// assert_eq!(gains.at(&[1, 2]), Some(&6));
            /// assert_eq!(gains.at(&[2, 0]), None);
            /// # Ok::<(), npy_core::Error>(())
            /// ```
            pub fn at(&self, index: &[usize]) -> Option<&$life T> {
                let position = crate::shape::position(self.shape(), self.order(), index)?;
                self.as_slice_memory_order().get(position)
            }

            /// Iterates over the elements in C order (the last index changes fastest), whatever their order in memory.
            ///
            /// ```
            /// use npy_core::{NpyView, Order};
            ///
            /// let view = NpyView::with_order(&[1, 4, 2, 5, 3, 6], [2, 3], Order::Fortran)?;
            /// assert!(view.iter().eq(&[1, 2, 3, 4, 5, 6]));
            /// # Ok::<(), npy_core::Error>(())
            /// ```
            pub fn iter(&self) -> crate::shape::Iter<$life, T> {
                let elements = self.as_slice_memory_order();
                crate::shape::Iter::new(elements, self.shape(), self.order(), crate::shape::Order::C)
            }

            /// Copies the elements in C order (the last index changes fastest), whatever their order in memory.
            ///
            /// ```
            /// use npy_core::{NpyView, Order};
            ///
            /// let view = NpyView::with_order(&[1, 4, 2, 5, 3, 6], [2, 3], Order::Fortran)?;
            /// assert_eq!(view.to_vec(), [1, 2, 3, 4, 5, 6]);
            /// # Ok::<(), npy_core::Error>(())
            /// ```
            pub fn to_vec(&self) -> Vec<T>
            where
                T: Clone,
            {
                self.iter().cloned().collect()
            }
        }

        /// Iterates over the elements in C order, whatever their order in memory.
        impl<'__i, $($generics)*> IntoIterator for &'__i $type {
            type Item = &'__i T;
            type IntoIter = crate::shape::Iter<'__i, T>;

            fn into_iter(self) -> crate::shape::Iter<'__i, T> {
                self.iter()
            }
        }
    };
}
pub(crate) use read_methods;

/// Implements `as_slice` for views and maps, which are slices in memory order.
macro_rules! slice_method {
    ([$($generics:tt)*] $type:ty, $life:lifetime) => {
        impl<$($generics)*> $type {
            /// Returns the elements in the order of the memory, like the slice that this dereferences to.
            ///
            /// ```
            /// use npy_core::NpyView;
            ///
            /// let view = NpyView::new(&[1, 2, 3, 4, 5, 6], [2, 3])?;
            /// assert_eq!(view.as_slice(), [1, 2, 3, 4, 5, 6]);
            /// # Ok::<(), npy_core::Error>(())
            /// ```
            pub fn as_slice(&self) -> &$life [T] {
                self.as_slice_memory_order()
            }
        }
    };
}
pub(crate) use slice_method;

/// Implements the methods that change elements. The type has `parts_mut`: the elements in memory order, the shape and the order.
macro_rules! write_methods {
    ([$($generics:tt)*] $type:ty) => {
        impl<$($generics)*> $type {
            /// Returns the element of this index, to change it; `None` if the index is out of range.
            ///
            /// ```
            /// use npy_core::NpyArray;
            ///
            /// let mut gains = NpyArray::new(vec![1, 2, 3, 4, 5, 6], [2, 3])?;
            /// if let Some(gain) = gains.at_mut(&[1, 2]) {
            ///     *gain = 9;
            /// }
            /// assert_eq!(gains[[1, 2]], 9);
            /// # Ok::<(), npy_core::Error>(())
            /// ```
            pub fn at_mut(&mut self, index: &[usize]) -> Option<&mut T> {
                let (elements, shape, order) = self.parts_mut();
                elements.get_mut(crate::shape::position(shape, order, index)?)
            }

            /// Iterates over the elements in C order (the last index changes fastest), to change them.
            ///
            /// ```
            /// use npy_core::{NpyArray, Order};
            ///
            /// let mut array = NpyArray::with_order(vec![0; 6], [2, 3], Order::Fortran)?;
            /// for (element, n) in array.iter_mut().zip(1..) {
            ///     *element = n;
            /// }
            /// assert_eq!(array[[0, 1]], 2);
            /// # Ok::<(), npy_core::Error>(())
            /// ```
            pub fn iter_mut(&mut self) -> crate::shape::IterMut<'_, T> {
                let (elements, shape, order) = self.parts_mut();
                crate::shape::IterMut::new(elements, shape, order)
            }

            /// Returns the elements in the order of the memory, to change them.
            ///
            /// ```
            /// use npy_core::NpyArray;
            ///
            /// let mut gains = NpyArray::new(vec![1, 2, 3, 4, 5, 6], [2, 3])?;
            /// gains.as_slice_memory_order_mut().fill(0);
            /// assert_eq!(gains[[1, 2]], 0);
            /// # Ok::<(), npy_core::Error>(())
            /// ```
            pub fn as_slice_memory_order_mut(&mut self) -> &mut [T] {
                self.parts_mut().0
            }
        }

        /// Iterates over the elements in C order, to change them.
        impl<'__i, $($generics)*> IntoIterator for &'__i mut $type {
            type Item = &'__i mut T;
            type IntoIter = crate::shape::IterMut<'__i, T>;

            fn into_iter(self) -> crate::shape::IterMut<'__i, T> {
                self.iter_mut()
            }
        }
    };
}
pub(crate) use write_methods;
