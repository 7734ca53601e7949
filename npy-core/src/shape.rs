//! The number of elements of a shape, and the position of each in C and Fortran order.

mod iter;
mod transpose;

use crate::checked;
use crate::error::{Error, ErrorKind, counted};
use crate::limits::{self, MAX_NDIM, to_u64};
pub use iter::{Iter, IterMut};
pub(crate) use transpose::transpose;

/// The order in which the elements of an array are stored.
///
/// ```
/// use npy_core::{NpyArray, Order};
///
/// let c = NpyArray::new(vec![1, 2, 3, 4, 5, 6], [2, 3])?;
/// assert_eq!(c.to_order(Order::Fortran).as_slice_memory_order(), [1, 4, 2, 5, 3, 6]);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// The last index changes fastest, as in C and in Rust's nested arrays.
    #[default]
    C,
    /// The first index changes fastest, as in Fortran, MATLAB and Julia.
    Fortran,
}

impl Order {
    /// Returns the order that NumPy writes for an array of this shape: Fortran only if the two orders differ.
    pub(crate) fn normalized(self, shape: &[usize]) -> Order {
        let differ = shape.iter().filter(|&&n| n > 1).count() > 1 && !shape.contains(&0);
        if differ { self } else { Order::C }
    }
}

/// Returns the number of elements of an array in memory.
///
/// As in NumPy, the product of all dimensions other than zero must fit in an `isize`, even if the
/// array has no elements.
///
/// # Errors
///
/// [`ErrorKind::Shape`] for more than 64 dimensions, or a product over `isize::MAX`.
pub(crate) fn count(shape: &[usize]) -> Result<usize, Error> {
    bytes(shape, 1)
}

/// Returns the number of bytes of an array in memory, of this shape and item size; see [`count`].
pub(crate) fn bytes(shape: &[usize], itemsize: usize) -> Result<usize, Error> {
    let max = limits::to_u64(isize::MAX.unsigned_abs());
    product(shape, itemsize, max).and_then(limits::to_usize)
}

/// Returns the number of bytes of an array in a file, as a 64-bit number on every target; see [`count`].
pub(crate) fn bytes_in_file(shape: &[usize], itemsize: usize) -> Result<u64, Error> {
    product(shape, itemsize, i64::MAX.unsigned_abs())
}

fn product(shape: &[usize], itemsize: usize, max: u64) -> Result<u64, Error> {
    let error = |reason: String| invalid(shape, reason);
    if shape.len() > MAX_NDIM {
        return Err(error(format!(
            "it has {} dimensions, but NumPy has at most {MAX_NDIM}; combine some of them",
            shape.len()
        )));
    }
    let product = |size: usize| {
        let nonzero = shape.iter().filter(|&&n| n > 0);
        let mut sizes = nonzero.map(|&n| limits::to_u64(n));
        sizes.try_fold(limits::to_u64(size), u64::checked_mul).filter(|&n| n <= max)
    };
    // The number of elements must be in range even if they have no bytes.
    match product(1).and_then(|_| product(itemsize)) {
        Some(_) if shape.contains(&0) => Ok(0),
        Some(bytes) => Ok(bytes),
        None => Err(error("it would be larger than any memory".into())),
    }
}

/// Returns the dimensions as an array of a fixed length.
///
/// # Errors
///
/// [`ErrorKind::Rank`] if there are more or fewer.
pub(crate) fn dims<const N: usize>(shape: &[usize]) -> Result<[usize; N], Error> {
    <[usize; N]>::try_from(shape).map_err(|_| {
        let (wanted_by, wanted) = (format!("[usize; {N}]"), counted(N, "dimension"));
        let remedy = "use `shape`, which has any number of them".into();
        ErrorKind::Rank { shape: excerpt(shape), wanted_by, wanted, remedy }.into()
    })
}

/// Returns the error for a shape that is wrong for this reason.
pub(crate) fn invalid(shape: &[usize], reason: impl Into<String>) -> Error {
    ErrorKind::Shape { shape: excerpt(shape), reason: reason.into() }.into()
}

/// Returns the error for an array of this shape that gets another number of elements than it has.
pub(crate) fn wrong_count(shape: &[usize], count: usize, found: usize) -> Error {
    let (change, difference) = if found < count { ("add", "other") } else { ("leave out", "last") };
    let elements = count.abs_diff(found);
    let remedy = format!("{change} the {difference} {elements}, or state a shape of {found}");
    invalid(shape, format!("expected {}, found {found}; {remedy}", counted(count, "element")))
}

/// Formats a shape for an error message. If it has too many dimensions for NumPy, only the first eight and their number are shown.
pub(crate) fn excerpt(shape: &[usize]) -> String {
    match shape.split_at_checked(8) {
        Some((first, _)) if shape.len() > MAX_NDIM => {
            let first = repr(first);
            let open = first.strip_suffix(')').unwrap_or(&first);
            format!("{open}, …) of {} dimensions", shape.len())
        }
        _ => repr(shape),
    }
}

/// Formats a shape as a Python tuple: `()`, `(3,)`, `(2, 3)`.
pub(crate) fn repr(shape: &[usize]) -> String {
    let dimensions: Vec<String> = shape.iter().map(usize::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    format!("({}{comma})", dimensions.join(", "))
}

/// Returns the shape of an array whose last dimensions are `inner`, with a word for those before: `(n, 3)`.
pub(crate) fn repr_after(word: &str, inner: &[usize]) -> String {
    let inner: String = inner.iter().map(|n| format!(", {n}")).collect();
    format!("({word}{inner})")
}

/// Returns the position at which an array of this order stores the element of this index; `None` if the index is out of range.
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

/// Returns the index of the element at this position, the inverse of [`position`]. An array without elements has none, and the index is
/// zeros.
pub(crate) fn index(shape: &[usize], order: Order, position: usize) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    let mut rest = position;
    let set = |(at, &length): (&mut usize, &usize)| {
        *at = rest.checked_rem(length).unwrap_or(0);
        rest = rest.checked_div(length).unwrap_or(0);
    };
    match order {
        Order::C => index.iter_mut().zip(shape).rev().for_each(set),
        Order::Fortran => index.iter_mut().zip(shape).for_each(set),
    }
    index
}

/// Converts the index of an element in the data, at which an error happened, to its row and to its index within the row.
pub(crate) fn in_row(error: Error, shape: &[usize], order: Order) -> Error {
    let Some((_, inner @ [_, ..])) = shape.split_first() else { return error };
    let elements = inner.iter().fold(1, |n: u64, &dim| n.saturating_mul(to_u64(dim)));
    let error = match order.normalized(shape) {
        Order::C => error,
        // In the file the first dimension varies fastest, and in a row the last one.
        Order::Fortran => error.recounted(|at| {
            let index = index(shape, Order::Fortran, checked::narrow(at));
            to_u64(checked::some(position(shape, Order::C, &index)))
        }),
    };
    error.in_row_of(elements)
}

/// Iterates over the elements in the order `to`, and returns the position of each in the order `from`.
///
/// [`count`] has accepted the shape, so none of the strides overflows.
pub(crate) fn reordered(shape: &[usize], from: Order, to: Order) -> Positions {
    let mut strides = vec![0; shape.len()];
    let mut stride = 1usize;
    let mut set = |(slot, &n): (&mut usize, &usize)| {
        *slot = stride;
        stride = checked::mul(stride, n);
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
    Positions::new(axes)
}

/// The iterator of [`reordered`]. It counts like an odometer whose first axis changes fastest.
#[derive(Clone, Debug)]
pub(crate) struct Positions {
    axes: Vec<Axis>,
    at: usize,
    /// The number of positions returned from the front, and of those not returned yet.
    passed: usize,
    left: usize,
}

#[derive(Clone, Debug)]
struct Axis {
    index: usize,
    len: usize,
    stride: usize,
}

impl Positions {
    fn new(axes: Vec<Axis>) -> Self {
        let is_empty = axes.iter().any(|axis| axis.len == 0);
        let left = if is_empty { 0 } else { axes.iter().map(|axis| axis.len).product() };
        Positions { axes, at: 0, passed: 0, left }
    }
}

impl Iterator for Positions {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        self.passed = checked::add(self.passed, 1);
        let at = self.at;
        for axis in &mut self.axes {
            axis.index = checked::add(axis.index, 1);
            if axis.index < axis.len {
                self.at = checked::add(self.at, axis.stride);
                break;
            }
            axis.index = 0;
            let back = checked::mul(checked::sub(axis.len, 1), axis.stride);
            self.at = checked::sub(self.at, back);
        }
        Some(at)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl DoubleEndedIterator for Positions {
    fn next_back(&mut self) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        let mut index = checked::add(self.passed, self.left);
        let mut at = 0usize;
        for axis in &self.axes {
            let (quotient, rest) = (index.checked_div(axis.len)?, index.checked_rem(axis.len)?);
            at = checked::add(at, checked::mul(rest, axis.stride));
            index = quotient;
        }
        Some(at)
    }
}

impl ExactSizeIterator for Positions {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_counted_and_those_too_large_are_refused() {
        assert_eq!(count(&[]).unwrap(), 1);
        assert_eq!(count(&[2, 3]).unwrap(), 6);
        // A quarter of the address space, and the square root of the address space.
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
        // Not all callers know the size of an element.
        let error = count(&[usize::MAX, 3]).unwrap_err().to_string();
        assert!(error.ends_with("3): it would be larger than any memory"), "{error}");
    }

    #[test]
    fn sizes_in_files_have_64_bits_on_every_target() {
        assert_eq!(bytes_in_file(&[1 << 16, 1 << 16], 8).unwrap(), 1 << 35);
        assert_eq!(bytes_in_file(&[1 << 30, 1 << 30], 4).unwrap(), 1 << 62);
        assert!(bytes_in_file(&[1 << 30, 1 << 30], 8).is_err());
    }

    #[test]
    fn a_shape_prints_as_a_python_tuple() {
        assert_eq!(repr(&[]), "()");
        assert_eq!(repr(&[3]), "(3,)");
        assert_eq!(repr(&[2, 3]), "(2, 3)");
    }

    #[test]
    fn an_error_quotes_the_first_dimensions_of_a_long_shape() {
        assert_eq!(excerpt(&[2; MAX_NDIM]), repr(&[2; MAX_NDIM]));
        let error = bytes(&[7; 20_000], 1).unwrap_err().to_string();
        assert!(error.starts_with("shape (7, 7, 7, "), "{error}");
        assert!(error.contains(", 7, …) of 20000 dimensions: it has 20000"), "{error}");
        assert!(error.len() < 200, "{error}");
    }

    #[test]
    fn fortran_order_is_written_only_if_it_differs_from_c_order() {
        for shape in [&[][..], &[5], &[1, 5], &[5, 1, 1], &[0, 3], &[2, 3, 0]] {
            assert_eq!(Order::Fortran.normalized(shape), Order::C, "{shape:?}");
        }
        assert_eq!(Order::Fortran.normalized(&[2, 1, 3]), Order::Fortran);
    }

    #[test]
    fn reordered_agrees_with_position_for_every_element() {
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
