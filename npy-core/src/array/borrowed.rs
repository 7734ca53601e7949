//! Borrowed arrays: elements that are already in memory, in a slice or in the bytes of a file.

use std::fmt;
use std::ops::{Deref, DerefMut};

use super::access::{read_methods, slice_method, write_methods};
use super::{NpyArray, check_count};
use crate::checked;
use crate::element::cast::zero_copy::{ZeroCopy, values, values_mut};
use crate::error::{Error, ViewError};
use crate::limits::Limits;
use crate::shape::{Iter, Order};
use crate::view::{Located, locate};

/// A borrowed array of any rank: elements of a slice, or of the bytes of a `.npy` file, with a shape and an order.
///
/// Nothing is copied. The view dereferences to a slice of the elements in memory order, which is that of the file: `view[2]` and the methods
/// of slices count in that order. [`iter`](Self::iter), [`to_vec`](Self::to_vec) and [`at`](Self::at) count in C order.
///
/// It is written like the array that it is:
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
///
/// [`from_bytes`](Self::from_bytes) views a file in place. A `T` that is an array (`[f32; 3]`) consumes the last dimensions, as in
/// [`ReadNpy`](crate::ReadNpy):
///
/// ```
/// use npy_core::{Le, NpyRecord, NpyView, WriteNpy, ZeroCopy};
///
/// #[derive(NpyRecord, ZeroCopy, Clone, Copy)]
/// #[repr(C)]
/// struct Pick {
///     station: u8,
///     time: Le<f64>, // at any address: there is no padding before it
/// }
///
/// let mut file = Vec::new();
/// [Pick { station: 7, time: Le::new(0.5) }].write_npy_to(&mut file)?;
///
/// let picks = NpyView::<Pick>::from_bytes(&file)?;
/// assert_eq!(picks.shape(), [1]);
/// assert_eq!(picks[0].time.get(), 0.5);
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

    /// Views the array of the `.npy` file at the start of these bytes. Bytes after its data are ignored, and element bytes are not inspected.
    ///
    /// ```
    /// use npy_core::{NpyArray, NpyView, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// NpyArray::new(b"abcdef".to_vec(), [2, 3])?.write_npy_to(&mut file)?;
    /// let view = NpyView::<u8>::from_bytes(&file)?;
    /// assert_eq!(view.at(&[1, 0]), Some(&b'd'));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A [`ViewError`] if the elements differ from the type in memory (byte order, layout, alignment) and must be copied, or if the file
    /// holds something else or is truncated.
    pub fn from_bytes(file: &'a [u8]) -> Result<Self, ViewError>
    where
        T: ZeroCopy,
    {
        NpyView::of_file(file, &Limits::default())
    }

    /// Views a file within these limits.
    pub(crate) fn of_file(file: &'a [u8], limits: &Limits) -> Result<Self, ViewError>
    where
        T: ZeroCopy,
    {
        let Located { data, count, shape, order, .. } = locate::<T>(file, None, limits)?;
        // `locate` has checked the range, the length and the alignment.
        let items = file.get(data).and_then(|data| values(data, count));
        Ok(NpyView { items: checked::some(items), shape, order })
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

read_methods!(['a, T] NpyView<'a, T>, 'a);
slice_method!(['a, T] NpyView<'a, T>, 'a);

/// A borrowed array whose elements can be changed: a mutable [`NpyView`] of a slice, or of the bytes of a file.
///
/// ```
/// use npy_core::{Le, NpyViewMut, ReadNpy, WriteNpy};
///
/// let mut file = Vec::new();
/// [Le::new(1.5f64), Le::new(2.5)].write_npy_to(&mut file)?;
///
/// let mut view = NpyViewMut::<Le<f64>>::from_bytes(&mut file)?;
/// view[0] = Le::new(-1.0);
/// assert_eq!(Vec::<f64>::read_npy_from(&file[..])?, [-1.0, 2.5]);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// A type with padding cannot be viewed mutably, as writing a value may leave uninitialized bytes in its padding.
///
/// ```compile_fail,E0080
/// use npy_core::{NpyRecord, NpyViewMut, ZeroCopy};
///
/// #[derive(NpyRecord, ZeroCopy, Clone, Copy)]
/// #[npy(align)]
/// #[repr(C)]
/// struct Sample {
///     flag: u8, // 7 bytes of padding follow
///     value: f64,
/// }
///
/// let mut file = Vec::new();
/// let view = NpyViewMut::<Sample>::from_bytes(&mut file);
/// ```
pub struct NpyViewMut<'a, T> {
    items: &'a mut [T],
    shape: Vec<usize>,
    order: Order,
}

impl<'a, T> NpyViewMut<'a, T> {
    /// Creates an array of this shape from its elements in C order, like [`NpyView::new`].
    ///
    /// ```
    /// use npy_core::NpyViewMut;
    ///
    /// let mut samples = [1, 2, 3, 4, 5, 6];
    /// let mut view = NpyViewMut::new(&mut samples, [2, 3])?;
    /// view[3] = 0;
    /// assert_eq!(samples, [1, 2, 3, 0, 5, 6]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`NpyView::new`].
    pub fn new(items: &'a mut [T], shape: impl Into<Vec<usize>>) -> Result<Self, Error> {
        NpyViewMut::with_order(items, shape, Order::C)
    }

    /// Creates an array of this shape from its elements in this order.
    ///
    /// ```
    /// use npy_core::{NpyViewMut, Order};
    ///
    /// let mut samples = [1, 4, 2, 5, 3, 6];
    /// let view = NpyViewMut::with_order(&mut samples, [2, 3], Order::Fortran)?;
    /// assert_eq!(view.at(&[1, 0]), Some(&4));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`NpyView::new`].
    pub fn with_order(
        items: &'a mut [T],
        shape: impl Into<Vec<usize>>,
        order: Order,
    ) -> Result<Self, Error> {
        let shape = shape.into();
        check_count(&shape, items.len())?;
        Ok(NpyViewMut { items, shape, order })
    }

    /// Views the array of the `.npy` file at the start of these bytes, like [`NpyView::from_bytes`].
    ///
    /// ```
    /// use npy_core::{NpyArray, NpyViewMut, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// NpyArray::new(b"abcdef".to_vec(), [2, 3])?.write_npy_to(&mut file)?;
    /// let mut view = NpyViewMut::<u8>::from_bytes(&mut file)?;
    /// view[0] = b'x';
    /// assert!(file.ends_with(b"xbcdef"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`NpyView::from_bytes`].
    pub fn from_bytes(file: &'a mut [u8]) -> Result<Self, ViewError>
    where
        T: ZeroCopy,
    {
        NpyViewMut::of_file(file, &Limits::default())
    }

    /// Views a file within these limits.
    pub(crate) fn of_file(file: &'a mut [u8], limits: &Limits) -> Result<Self, ViewError>
    where
        T: ZeroCopy,
    {
        let Located { data, count, shape, order, .. } = locate::<T>(file, None, limits)?;
        // `locate` has checked the range, the length and the alignment.
        let items = file.get_mut(data).and_then(|data| values_mut(data, count));
        Ok(NpyViewMut { items: checked::some(items), shape, order })
    }

    /// Returns the dimensions; none for a single element.
    ///
    /// ```
    /// use npy_core::{NpyArray, NpyViewMut, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// NpyArray::new(b"abcdef".to_vec(), [2, 3])?.write_npy_to(&mut file)?;
    /// assert_eq!(NpyViewMut::<u8>::from_bytes(&mut file)?.shape(), [2, 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the order in which the elements are in memory.
    ///
    /// ```
    /// use npy_core::{NpyArray, NpyViewMut, Order, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// NpyArray::new(b"abcdef".to_vec(), [2, 3])?.write_npy_to(&mut file)?;
    /// assert_eq!(NpyViewMut::<u8>::from_bytes(&mut file)?.order(), Order::C);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn order(&self) -> Order {
        self.order
    }

    /// Returns the elements in the order of the memory, like the slice that the view dereferences to.
    ///
    /// ```
    /// use npy_core::{NpyArray, NpyViewMut, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// NpyArray::new(b"abcdef".to_vec(), [2, 3])?.write_npy_to(&mut file)?;
    /// let view = NpyViewMut::<u8>::from_bytes(&mut file)?;
    /// assert_eq!(view.as_slice_memory_order(), b"abcdef");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn as_slice_memory_order(&self) -> &[T] {
        self.items
    }

    fn parts_mut(&mut self) -> (&mut [T], &[usize], Order) {
        (self.items, &self.shape, self.order)
    }
}

read_methods!([T] NpyViewMut<'_, T>, '_);
slice_method!([T] NpyViewMut<'_, T>, '_);
write_methods!([T] NpyViewMut<'_, T>);

impl<T> DerefMut for NpyViewMut<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.items
    }
}

/// Implements the traits that both views have.
macro_rules! traits {
    ($($name:ident),*) => {$(
        /// Dereferences to the elements in the order of the memory.
        impl<T> Deref for $name<'_, T> {
            type Target = [T];

            fn deref(&self) -> &[T] {
                self.items
            }
        }

        impl<T: fmt::Debug> fmt::Debug for $name<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut s = f.debug_struct(stringify!($name));
                s.field("shape", &self.shape).field("order", &self.order);
                s.field("data", &self.items).finish()
            }
        }
    )*};
}

traits!(NpyView, NpyViewMut);
