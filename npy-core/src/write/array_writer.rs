//! The writer that an array type writes itself to.

use std::fmt;

use super::WriteOptions;
use super::array_sink::ArraySink;
use super::elements::Elements;
use crate::element::Element;
use crate::error::Result;
use crate::shape::Order;

/// A writer of one array, with the options for writing it; see
/// [`WriteNpy::write_npy_array`](super::WriteNpy::write_npy_array).
pub struct ArrayWriter<'a> {
    pub(crate) options: &'a WriteOptions,
    pub(crate) sink: &'a mut dyn ArraySink,
}

impl<'a> ArrayWriter<'a> {
    pub(crate) fn new(options: &'a WriteOptions, sink: &'a mut dyn ArraySink) -> Self {
        ArrayWriter { options, sink }
    }

    /// Writes an array of this shape. `each` receives an order, and iterates over the elements in
    /// that order: in C order the last index changes fastest, in Fortran order the first.
    ///
    /// Elements that are contiguous in memory are written faster as a [`NpyView`](crate::NpyView).
    ///
    /// ```
    /// use npy_core::{ArrayWriter, NpyArray, Order, ReadNpy, Result, WriteNpy};
    ///
    /// /// A matrix of two columns, stored as two lists.
    /// struct Columns([Vec<f64>; 2]);
    ///
    /// impl WriteNpy for Columns {
    ///     fn write_npy_array(&self, to: ArrayWriter<'_>) -> Result<()> {
    ///         let rows = self.0[0].len();
    ///         to.elements(&[rows, 2], |order| {
    ///             (0..2 * rows).map(move |n| match order {
    ///                 Order::C => &self.0[n % 2][n / 2],
    ///                 Order::Fortran => &self.0[n / rows][n % rows],
    ///             })
    ///         })
    ///     }
    /// }
    ///
    /// let mut file = Vec::new();
    /// Columns([vec![1.0, 3.0], vec![2.0, 4.0]]).write_npy_to(&mut file)?;
    /// assert_eq!(NpyArray::<f64>::read_npy_from(&file[..])?[[1, 0]], 3.0);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`WriteNpy::write_npy`](super::WriteNpy::write_npy), and
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) if `each` yields fewer elements than the shape
    /// has. Further elements are ignored.
    pub fn elements<'t, T: Element + 't, I: Iterator<Item = &'t T>>(
        self,
        shape: &[usize],
        each: impl FnOnce(Order) -> I,
    ) -> Result<()> {
        self.options.write_array(shape, Elements { contiguous: None, each }, self.sink)
    }
}

impl fmt::Debug for ArrayWriter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArrayWriter").field("options", self.options).finish_non_exhaustive()
    }
}
