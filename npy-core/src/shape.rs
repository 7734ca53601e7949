//! Layer 1: counting the items of a shape, and where each stands in C and Fortran order.

use std::fmt::Write;

use crate::error::{Error, ErrorKind};
use crate::limits::MAX_NDIM;

/// The order in which the items of an array stand in the file.
///
/// ```
/// use npy_core::{NpyArray, Order};
///
/// let c = NpyArray::new(vec![1, 2, 3, 4, 5, 6], [2, 3])?;
/// assert_eq!(c.to_order(Order::Fortran).as_slice(), [1, 4, 2, 5, 3, 6]);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// The last index runs fastest, as in C and in Rust's nested arrays.
    #[default]
    C,
    /// The first index runs fastest, as in Fortran, MATLAB and Julia.
    Fortran,
}

impl Order {
    /// The order that NumPy states for an array of this shape: Fortran only where the two differ.
    pub(crate) fn normalized(self, shape: &[usize]) -> Order {
        let differ = shape.iter().filter(|&&n| n > 1).count() > 1 && !shape.contains(&0);
        if differ { self } else { Order::C }
    }
}

/// The number of items of a shape.
///
/// As NumPy has it, an array without items still must have dimensions whose product (zeros left
/// out) is a size that exists.
///
/// # Errors
///
/// More than 64 dimensions, or a product over `isize::MAX`.
pub(crate) fn count(shape: &[usize]) -> Result<usize, Error> {
    bytes(shape, 1)
}

/// The number of bytes of a shape of items of this size; see [`count`].
pub(crate) fn bytes(shape: &[usize], itemsize: usize) -> Result<usize, Error> {
    let error = |reason: String| Error::from(ErrorKind::Shape { shape: repr(shape), reason });
    if shape.len() > MAX_NDIM {
        return Err(error(format!(
            "{} dimensions, and NumPy has no more than {MAX_NDIM}",
            shape.len()
        )));
    }
    let max = isize::MAX.unsigned_abs();
    let product = |size: usize| {
        let nonzero = shape.iter().filter(|&&n| n > 0);
        nonzero.copied().try_fold(size, usize::checked_mul).filter(|&n| n <= max)
    };
    // The items of a dtype without bytes must be countable, too.
    match product(1).and_then(|_| product(itemsize)) {
        Some(_) if shape.contains(&0) => Ok(0),
        Some(bytes) => Ok(bytes),
        None => Err(error(format!("with items of {itemsize} bytes it is larger than any memory"))),
    }
}

/// The shape as Python writes a tuple: `()`, `(3,)`, `(2, 3)`.
pub(crate) fn repr(shape: &[usize]) -> String {
    let mut out = String::new();
    write_repr(shape, &mut out);
    out
}

/// [`repr`], to the end of `out`.
pub(crate) fn write_repr(shape: &[usize], out: &mut String) {
    out.push('(');
    for (i, n) in shape.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        // Writing to a String does not fail.
        let _ = write!(out, "{n}");
    }
    out.push_str(if shape.len() == 1 { ",)" } else { ")" });
}

/// The position of the item of this index in the order given; `None` outside the shape.
pub(crate) fn position(shape: &[usize], order: Order, index: &[usize]) -> Option<usize> {
    if index.len() != shape.len() {
        return None;
    }
    let fold = |at: usize, (&i, &n): (&usize, &usize)| {
        if i < n { at.checked_mul(n)?.checked_add(i) } else { None }
    };
    match order {
        Order::C => index.iter().zip(shape).try_fold(0, fold),
        Order::Fortran => index.iter().zip(shape).rev().try_fold(0, fold),
    }
}

/// For each position of an array in the order `to`, the position of the same item in the order `from`.
///
/// The shape has been counted: its strides fit.
pub(crate) fn reordered(shape: &[usize], from: Order, to: Order) -> Positions {
    let count = if shape.contains(&0) { 0 } else { shape.iter().product() };
    let mut strides = vec![0; shape.len()];
    let mut stride = 1usize;
    let mut set = |(slot, &n): (&mut usize, &usize)| {
        *slot = stride;
        stride = stride.saturating_mul(n);
    };
    match from {
        Order::C => strides.iter_mut().zip(shape).rev().for_each(&mut set),
        Order::Fortran => strides.iter_mut().zip(shape).for_each(&mut set),
    }
    let mut axes: Vec<Axis> = strides
        .into_iter()
        .zip(shape)
        .map(|(stride, &len)| Axis { index: 0, len, stride })
        .collect();
    if to == Order::C {
        axes.reverse();
    }
    Positions { axes, at: 0, left: count }
}

/// The iterator of [`reordered`]: an odometer whose first axis runs fastest.
pub(crate) struct Positions {
    axes: Vec<Axis>,
    at: usize,
    left: usize,
}

struct Axis {
    index: usize,
    len: usize,
    stride: usize,
}

impl Iterator for Positions {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        let at = self.at;
        for axis in &mut self.axes {
            axis.index = axis.index.saturating_add(1);
            if axis.index < axis.len {
                self.at = self.at.saturating_add(axis.stride);
                break;
            }
            axis.index = 0;
            let back = axis.len.saturating_sub(1).saturating_mul(axis.stride);
            self.at = self.at.saturating_sub(back);
        }
        Some(at)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Positions {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_counted_and_absurd_ones_refused() {
        assert_eq!(count(&[]).unwrap(), 1);
        assert_eq!(count(&[2, 3]).unwrap(), 6);
        // A quarter of all numbers, and the root of one more than all.
        let (quarter, root) = (1 << (usize::BITS - 2), 1 << (usize::BITS / 2));
        assert_eq!(count(&[0, quarter]).unwrap(), 0);
        assert_eq!(bytes(&[quarter], 0).unwrap(), 0);
        for (shape, itemsize) in [
            (&[root, root][..], 1),
            (&[0, isize::MAX as usize, 2], 1),
            (&[root, root, 0], 1),
            (&[0, isize::MAX as usize], 8),
            (&[root, root], 0),
            (&[usize::MAX], 1),
            (&[1; 65], 1),
        ] {
            assert!(bytes(shape, itemsize).is_err(), "{shape:?} of {itemsize}");
        }
    }

    #[test]
    fn a_shape_prints_as_pythons_tuple() {
        assert_eq!(repr(&[]), "()");
        assert_eq!(repr(&[3]), "(3,)");
        assert_eq!(repr(&[2, 3]), "(2, 3)");
    }

    #[test]
    fn fortran_is_stated_only_where_it_differs() {
        for shape in [&[][..], &[5], &[1, 5], &[5, 1, 1], &[0, 3], &[2, 3, 0]] {
            assert_eq!(Order::Fortran.normalized(shape), Order::C, "{shape:?}");
        }
        assert_eq!(Order::Fortran.normalized(&[2, 1, 3]), Order::Fortran);
    }

    #[test]
    fn reordering_visits_every_item_where_position_says_it_is() {
        let shape = [2, 3, 4];
        for (from, to) in [(Order::C, Order::Fortran), (Order::Fortran, Order::C)] {
            let map: Vec<_> = reordered(&shape, from, to).collect();
            assert_eq!(map.len(), 24);
            for i in 0..2 {
                for j in 0..3 {
                    for k in 0..4 {
                        let index = [i, j, k];
                        let at = position(&shape, to, &index).unwrap();
                        assert_eq!(Some(map[at]), position(&shape, from, &index));
                    }
                }
            }
        }
        assert_eq!(reordered(&[], Order::C, Order::Fortran).collect::<Vec<_>>(), [0]);
        assert_eq!(reordered(&[0, 3], Order::C, Order::Fortran).count(), 0);
        assert_eq!(position(&shape, Order::C, &[0, 3, 0]), None);
        assert_eq!(position(&shape, Order::C, &[0, 0]), None);
    }
}
