//! Arrays viewed in place, as Rust values.

use std::fmt;
use std::ops::{Deref, DerefMut, Range};

use crate::checked;
use crate::dtype::difference::first_difference;
use crate::dtype::{ByteOrder, DType};
use crate::element::cast::zero_copy::{ZeroCopy, is_aligned, is_same, values, values_mut};
use crate::element::type_name;
use crate::element::typed_plan::TypedPlan;
use crate::error::{Error, ErrorKind, ViewError};
use crate::header::Header;
use crate::limits::{self, Limits};
use crate::plan::Cast;
use crate::shape::{self, Iter, IterMut, Order};

/// An array in the bytes of a `.npy` file, borrowed in place: nothing is copied, and element bytes are not inspected.
///
/// The view is a slice of the elements in the order of the file, with a shape. So `view[2]` and the methods of slices count in that order;
/// [`iter`](Self::iter), [`to_vec`](Self::to_vec) and [`at`](Self::at) count in C order. A `T` that is an
/// array (`[f32; 3]`) consumes the last dimensions, as in [`ReadNpy`](crate::ReadNpy).
///
/// ```
/// use npy_core::{ArrayView, Le, NpyRecord, WriteNpy, ZeroCopy};
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
/// let picks = ArrayView::<Pick>::from_bytes(&file)?;
/// assert_eq!(picks.shape(), [1]);
/// assert_eq!(picks[0].time.get(), 0.5);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone)]
pub struct ArrayView<'a, T> {
    items: &'a [T],
    shape: Vec<usize>,
    order: Order,
}

impl<'a, T> ArrayView<'a, T> {
    /// Views the array of the `.npy` file at the start of these bytes. Bytes after its data are
    /// ignored.
    ///
    /// ```
    /// use npy_core::{ArrayView, NpyArray, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// NpyArray::new(b"abcdef".to_vec(), [2, 3])?.write_npy_to(&mut file)?;
    /// let view = ArrayView::<u8>::from_bytes(&file)?;
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
        ArrayView::with_limits(file, &Limits::default())
    }
}

impl<'a, T: ZeroCopy> ArrayView<'a, T> {
    pub(crate) fn with_limits(file: &'a [u8], limits: &Limits) -> Result<Self, ViewError> {
        let Located { data, count, shape, order, .. } = locate::<T>(file, limits)?;
        // `locate` has checked the range, the length and the alignment.
        let items = file.get(data).and_then(|data| values(data, count));
        Ok(ArrayView { items: items.unwrap_or_default(), shape, order })
    }
}

impl<'a, T> ArrayView<'a, T> {
    /// Returns the elements in the order of the file. The slice may outlive the view: it borrows
    /// the bytes of the file.
    ///
    /// ```
    /// use npy_core::{ArrayView, NpyArray, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// NpyArray::new(b"abcdef".to_vec(), [2, 3])?.write_npy_to(&mut file)?;
    /// let view = ArrayView::<u8>::from_bytes(&file)?;
    /// assert_eq!(view.as_slice(), b"abcdef");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn as_slice(&self) -> &'a [T] {
        self.items
    }

    /// Returns the element at this index, which has one number for each dimension; `None` if the index is out of range.
    ///
    /// To find an element by its position in the file, use `get` of the slice.
    ///
    /// ```
    /// use npy_core::{ArrayView, NpyArray, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// NpyArray::new(b"abcdef".to_vec(), [2, 3])?.write_npy_to(&mut file)?;
    /// let view = ArrayView::<u8>::from_bytes(&file)?;
    /// assert_eq!(view.at(&[1, 0]), Some(&b'd'));
    /// assert_eq!(view.at(&[2, 0]), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn at(&self, index: &[usize]) -> Option<&'a T> {
        self.items.get(shape::position(&self.shape, self.order, index)?)
    }
}

/// A mutable [`ArrayView`]: assigning an element changes the borrowed bytes.
///
/// ```
/// use npy_core::{ArrayViewMut, Le, ReadNpy, WriteNpy};
///
/// let mut file = Vec::new();
/// [Le::new(1.5f64), Le::new(2.5)].write_npy_to(&mut file)?;
///
/// let mut view = ArrayViewMut::<Le<f64>>::from_bytes(&mut file)?;
/// view[0] = Le::new(-1.0);
/// assert_eq!(Vec::<f64>::read_npy_from(&file[..])?, [-1.0, 2.5]);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// A type with padding cannot be viewed mutably, as writing a value may leave uninitialized bytes in its padding.
///
/// ```compile_fail,E0080
/// use npy_core::{ArrayViewMut, NpyRecord, ZeroCopy};
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
/// let view = ArrayViewMut::<Sample>::from_bytes(&mut file);
/// ```
pub struct ArrayViewMut<'a, T> {
    items: &'a mut [T],
    shape: Vec<usize>,
    order: Order,
}

impl<'a, T> ArrayViewMut<'a, T> {
    /// Views the array of the `.npy` file at the start of these bytes, like
    /// [`ArrayView::from_bytes`].
    ///
    /// ```
    /// use npy_core::{ArrayViewMut, NpyArray, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// NpyArray::new(b"abcdef".to_vec(), [2, 3])?.write_npy_to(&mut file)?;
    /// let mut view = ArrayViewMut::<u8>::from_bytes(&mut file)?;
    /// view[0] = b'x';
    /// assert!(file.ends_with(b"xbcdef"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`ArrayView::from_bytes`].
    pub fn from_bytes(file: &'a mut [u8]) -> Result<Self, ViewError>
    where
        T: ZeroCopy,
    {
        ArrayViewMut::with_limits(file, &Limits::default())
    }
}

impl<'a, T: ZeroCopy> ArrayViewMut<'a, T> {
    pub(crate) fn with_limits(file: &'a mut [u8], limits: &Limits) -> Result<Self, ViewError> {
        let Located { data, count, shape, order, .. } = locate::<T>(file, limits)?;
        // `locate` has checked the range, the length and the alignment.
        let items = file.get_mut(data).and_then(|data| values_mut(data, count));
        Ok(ArrayViewMut { items: items.unwrap_or_default(), shape, order })
    }
}

impl<T> ArrayViewMut<'_, T> {
    /// Returns the elements in the order of the file.
    ///
    /// ```
    /// use npy_core::{ArrayViewMut, NpyArray, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// NpyArray::new(b"abcdef".to_vec(), [2, 3])?.write_npy_to(&mut file)?;
    /// let view = ArrayViewMut::<u8>::from_bytes(&mut file)?;
    /// assert_eq!(view.as_slice(), b"abcdef");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn as_slice(&self) -> &[T] {
        self.items
    }

    /// Returns the elements in the order of the file, mutable.
    ///
    /// ```
    /// use npy_core::{ArrayViewMut, NpyArray, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// NpyArray::new(b"abcdef".to_vec(), [2, 3])?.write_npy_to(&mut file)?;
    /// let mut view = ArrayViewMut::<u8>::from_bytes(&mut file)?;
    /// view.as_mut_slice().fill(b'x');
    /// assert!(file.ends_with(b"xxxxxx"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        self.items
    }

    /// Iterates over the elements in C order (the last index changes fastest), to change them.
    ///
    /// ```
    /// use npy_core::{ArrayViewMut, NpyArray, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// NpyArray::new(b"abcdef".to_vec(), [2, 3])?.write_npy_to(&mut file)?;
    /// let mut view = ArrayViewMut::<u8>::from_bytes(&mut file)?;
    /// view.iter_mut().for_each(u8::make_ascii_uppercase);
    /// assert!(file.ends_with(b"ABCDEF"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn iter_mut(&mut self) -> IterMut<'_, T> {
        IterMut::new(self.items, &self.shape, self.order)
    }

    /// Returns the element at this index, which has one number for each dimension; `None` if the index is out of range.
    ///
    /// ```
    /// use npy_core::{ArrayViewMut, NpyArray, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// NpyArray::new(b"abcdef".to_vec(), [2, 3])?.write_npy_to(&mut file)?;
    /// let view = ArrayViewMut::<u8>::from_bytes(&mut file)?;
    /// assert_eq!(view.at(&[1, 0]), Some(&b'd'));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn at(&self, index: &[usize]) -> Option<&T> {
        self.items.get(shape::position(&self.shape, self.order, index)?)
    }

    /// Returns the element at this index, mutable; `None` if the index is out of range.
    ///
    /// ```
    /// use npy_core::{ArrayViewMut, NpyArray, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// NpyArray::new(b"abcdef".to_vec(), [2, 3])?.write_npy_to(&mut file)?;
    /// let mut view = ArrayViewMut::<u8>::from_bytes(&mut file)?;
    /// if let Some(letter) = view.at_mut(&[1, 0]) {
    ///     *letter = b'x';
    /// }
    /// assert!(file.ends_with(b"abcxef"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn at_mut(&mut self, index: &[usize]) -> Option<&mut T> {
        self.items.get_mut(shape::position(&self.shape, self.order, index)?)
    }
}

/// Iterates over the elements in C order, to change them.
impl<'v, T> IntoIterator for &'v mut ArrayViewMut<'_, T> {
    type Item = &'v mut T;
    type IntoIter = IterMut<'v, T>;

    fn into_iter(self) -> IterMut<'v, T> {
        self.iter_mut()
    }
}

impl<T> DerefMut for ArrayViewMut<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.items
    }
}

/// Implements the methods and traits that both views have.
macro_rules! view {
    ($($name:ident),*) => {$(
        impl<T> $name<'_, T> {
            /// Returns the dimensions. A 0-d array, which is a single element, has none.
            ///
            /// ```
            /// use npy_core::{ArrayView, NpyArray, WriteNpy};
            ///
            /// let mut file = Vec::new();
            /// NpyArray::new(b"abcdef".to_vec(), [2, 3])?.write_npy_to(&mut file)?;
            /// let view = ArrayView::<u8>::from_bytes(&file)?;
            /// assert_eq!(view.shape(), [2, 3]);
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            pub fn shape(&self) -> &[usize] {
                &self.shape
            }

            /// Returns the dimensions, if there are `N` of them: `let [rows, columns] = view.dims()?;`.
            ///
            /// ```
            /// use npy_core::{ArrayView, NpyArray, WriteNpy};
            ///
            /// let mut file = Vec::new();
            /// NpyArray::new(b"abcdef".to_vec(), [2, 3])?.write_npy_to(&mut file)?;
            /// let view = ArrayView::<u8>::from_bytes(&file)?;
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

            /// Returns the order in which the elements are in memory, which is that of the file.
            ///
            /// ```
            /// use npy_core::{ArrayView, NpyArray, Order, WriteNpy};
            ///
            /// let mut file = Vec::new();
            /// NpyArray::new(b"abcdef".to_vec(), [2, 3])?.write_npy_to(&mut file)?;
            /// let view = ArrayView::<u8>::from_bytes(&file)?;
            /// assert_eq!(view.order(), Order::C);
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            pub fn order(&self) -> Order {
                self.order
            }

            /// Returns the elements in memory order, like the slice that the view dereferences to.
            ///
            /// ```
            /// use npy_core::{ArrayView, NpyArray, WriteNpy};
            ///
            /// let mut file = Vec::new();
            /// NpyArray::new(b"abcdef".to_vec(), [2, 3])?.write_npy_to(&mut file)?;
            /// let view = ArrayView::<u8>::from_bytes(&file)?;
            /// assert_eq!(view.as_slice_memory_order(), b"abcdef");
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            pub fn as_slice_memory_order(&self) -> &[T] {
                self.items
            }

            /// Returns the elements in C order (the last index changes fastest), whatever their order in memory.
            ///
            /// ```
            /// use npy_core::{ArrayView, NpyArray, WriteNpy};
            ///
            /// let mut file = Vec::new();
            /// NpyArray::new(b"abcdef".to_vec(), [2, 3])?.write_npy_to(&mut file)?;
            /// let view = ArrayView::<u8>::from_bytes(&file)?;
            /// assert_eq!(view.to_vec(), b"abcdef");
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            pub fn to_vec(&self) -> Vec<T>
            where
                T: Clone,
            {
                self.iter().cloned().collect()
            }

            /// Iterates over the elements in C order (the last index changes fastest), whatever their order in memory.
            ///
            /// ```
            /// use npy_core::{ArrayView, NpyArray, WriteNpy};
            ///
            /// let mut file = Vec::new();
            /// NpyArray::new(b"abcdef".to_vec(), [2, 3])?.write_npy_to(&mut file)?;
            /// let view = ArrayView::<u8>::from_bytes(&file)?;
            /// assert_eq!(view.iter().max(), Some(&b'f'));
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            pub fn iter(&self) -> Iter<'_, T> {
                Iter::new(self.items, &self.shape, self.order, Order::C)
            }
        }

        /// Iterates over the elements in C order, whatever their order in memory.
        impl<'v, T> IntoIterator for &'v $name<'_, T> {
            type Item = &'v T;
            type IntoIter = Iter<'v, T>;

            fn into_iter(self) -> Iter<'v, T> {
                self.iter()
            }
        }

        /// Dereferences to the elements in the order of the file.
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

view!(ArrayView, ArrayViewMut);

/// An array that was found in the bytes of a file: the range of its data and its dimensions.
pub(crate) struct Located {
    #[cfg(feature = "mmap")]
    pub(crate) header: Header,
    /// The range of the data.
    pub(crate) data: Range<usize>,
    /// The number of values.
    pub(crate) count: usize,
    /// The dimensions, without those of the type.
    pub(crate) shape: Vec<usize>,
    pub(crate) order: Order,
}

/// Follows the name of a call in a message, when the array may be in memory. For a file, the path is named instead.
pub(crate) const OF_BYTES: &str = " (of bytes: read_npy_from)";

/// Finds the array of the `.npy` file at the start of these bytes. Returns an error if it cannot be
/// viewed as values of `T`.
pub(crate) fn locate<T: ZeroCopy>(file: &[u8], limits: &Limits) -> Result<Located, ViewError> {
    let (header, start) = Header::parse_with(file, limits)?;
    let plan = TypedPlan::new::<T>(&header, Cast::Exact).map_err(to_read_a_copy)?;
    let copy = || {
        let whole = if plan.ndim == 1 { "Vec" } else { "NpyArray" };
        format!("{whole}::<{}>::read_npy{OF_BYTES}", type_name::<T>())
    };
    check_layout::<T>(&plan.found, plan.is_strided, copy)?;
    let shape = plan.shape(&header).to_vec();
    let count = limits::to_usize(plan.items.count)?;
    if size_of::<T>() == 0 {
        limits.check_empty_items(count, 0)?;
    }
    limits.check_array(header.data_bytes())?;
    let data = data_range(&header, start, file)?;
    check_address::<T>(checked::slice(file, data.clone()), copy)?;
    Ok(Located {
        #[cfg(feature = "mmap")]
        header,
        data,
        count,
        shape,
        order: plan.order,
    })
}

/// Replaces a remedy that advises a cast or a default. A view converts nothing, so the new remedy advises to read a copy.
fn to_read_a_copy(error: Error) -> Error {
    const FIELDS: &str = "a view needs exactly the fields of the file: change the struct, or read a copy, which can have defaults";
    without_cast(error).map_kind(|kind| match kind {
        ErrorKind::MissingField { name, wanted_by, fields, .. } => {
            ErrorKind::MissingField { name, wanted_by, fields, remedy: FIELDS.into() }
        }
        other => other,
    })
}

/// Replaces a remedy that advises a cast, which a view does not do.
pub(crate) fn without_cast(error: Error) -> Error {
    const COPY: &str = "a view converts nothing: read a copy with ReadOptions::cast, or change the Rust type \
        to what the file holds";
    error.map_kind(|kind| match kind {
        ErrorKind::Mismatch { found, wanted, wanted_by, remedy } if remedy.contains("cast(") => {
            ErrorKind::Mismatch { found, wanted, wanted_by, remedy: COPY.into() }
        }
        other => other,
    })
}

/// Returns the range of the data, which begins at `start`. Returns an error if the file ends before
/// the data.
pub(crate) fn data_range(
    header: &Header,
    start: usize,
    file: &[u8],
) -> Result<Range<usize>, ViewError> {
    let rest = checked::sub(file.len(), start);
    let (expected, found) = (header.data_bytes(), limits::to_u64(rest));
    if expected > found {
        return Err(ViewError::Short { expected, found });
    }
    Ok(start..checked::add(start, checked::narrow(expected)))
}

/// Returns an error if the values in the file, of dtype `found`, have another layout than `T` in
/// memory. `copy` names the call that copies them instead.
pub(crate) fn check_layout<T: ZeroCopy>(
    found: &DType,
    is_strided: bool,
    copy: impl FnOnce() -> String,
) -> Result<(), ViewError> {
    let memory = T::memory_dtype();
    if !is_strided && is_same(found, &memory) {
        return Ok(());
    }
    let little = |dtype: &DType| dtype.with_byte_order(ByteOrder::Little);
    let only_swapped = !is_strided && is_same(&little(found), &little(&memory));
    let quoted = |dtype: &DType| crate::dtype::descr::excerpt(&dtype.descr());
    let is_shortened = |text: &str| text.ends_with('…');
    let (wanted_by, copy) = (type_name::<T>(), copy());
    let difference = first_difference(found, &memory, &wanted_by);
    let (mut found, wanted) = (quoted(found), quoted(&memory));
    if is_strided {
        found.push_str(" in Fortran order, so its parts are strided");
    } else if let Some(difference) = difference.filter(|_| is_shortened(&found)) {
        // Both texts may begin alike.
        found.push_str(&format!(" ({difference})"));
    }
    Err(if only_swapped {
        ViewError::ByteOrder { found, wanted, wanted_by, copy }
    } else {
        ViewError::Layout { found, wanted, wanted_by, copy }
    })
}

/// Returns an error if the bytes are not aligned for `T`. `copy` names the call that copies them
/// instead.
pub(crate) fn check_address<T>(
    bytes: &[u8],
    copy: impl FnOnce() -> String,
) -> Result<(), ViewError> {
    if is_aligned::<T>(bytes) {
        return Ok(());
    }
    let align = align_of::<T>();
    let past = bytes.as_ptr().addr().checked_rem(align).unwrap_or_default();
    Err(ViewError::Misaligned { align, past, copy: copy(), wanted_by: type_name::<T>() })
}
