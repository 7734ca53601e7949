//! Prints arrays like NumPy: long arrays are shortened in the middle.

use std::cell::Cell;
use std::fmt::{self, Formatter};

use super::DynArray;
use crate::checked;
use crate::dtype::Scalar;

/// Arrays of more elements are shortened.
const THRESHOLD: usize = 1000;
/// The number of elements or rows at each end of a shortened dimension.
const EDGE: usize = 3;
/// Printing stops after about this many pieces. An array of 64 dimensions has far more, even if each dimension is shortened.
const MAX_PIECES: usize = 20_000;

/// Prints the elements in brackets, one row per line. Of more than a thousand elements, only the first and last three along each dimension
/// are printed.
///
/// ```
/// use npy_core::{DynArray, Order};
///
/// let array = DynArray::new("<i2".parse()?, [2, 2], Order::C, vec![1, 0, 20, 0, 3, 0, 4, 0])?;
/// assert_eq!(array.to_string(), "[[ 1 20]\n [ 3  4]]");
/// # Ok::<(), npy_core::Error>(())
/// ```
impl fmt::Display for DynArray {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut pieces = Vec::new();
        collect(self, &mut Vec::new(), &mut pieces, &Cell::new(MAX_PIECES));
        // Numbers are aligned in columns; other values are not padded.
        let aligned = self.dtype().scalar().is_some_and(Scalar::is_number);
        let width = |piece: &Piece| match piece {
            Piece::Item(text) if aligned => text.chars().count(),
            _ => 0,
        };
        let width = pieces.iter().map(width).max().unwrap_or(0);
        pieces.iter().try_for_each(|piece| match piece {
            Piece::Item(text) => write!(f, "{text:>width$}"),
            Piece::Between(text) => f.write_str(text),
        })
    }
}

/// A piece of the printed array: an element, or the text between elements.
enum Piece {
    Item(String),
    Between(String),
}

/// Adds the pieces of the element at `index`. If `index` has fewer numbers than the array has dimensions, adds a sub-array in brackets.
///
/// The recursion depth is the number of dimensions, at most 64.
fn collect(array: &DynArray, index: &mut Vec<usize>, pieces: &mut Vec<Piece>, left: &Cell<usize>) {
    let Some(&n) = array.shape().get(index.len()) else {
        let mut text = String::new();
        // Writing to a `String` never fails.
        let _ = array.get(index).map(|value| value.print(&mut text, left));
        pieces.push(Piece::Item(text));
        return;
    };
    let elided = array.header().count() > THRESHOLD && n > 2 * EDGE;
    let depth = checked::add(index.len(), 1);
    let separator = match checked::sub(array.shape().len(), depth) {
        0 => " ".to_owned(),
        // One blank line between planes, two between three-dimensional parts, and so on.
        lines => format!("{}{}", "\n".repeat(lines), " ".repeat(depth)),
    };
    pieces.push(Piece::Between("[".into()));
    let mut i = 0usize;
    while i < n {
        if i > 0 {
            pieces.push(Piece::Between(separator.clone()));
        }
        let gap = elided && i == EDGE;
        let full = pieces.len() > MAX_PIECES || left.get() == 0;
        if gap || full {
            pieces.push(Piece::Between("...".into()));
            // If printing stops here, `n` may be below `EDGE`, and `i` is not used again.
            i = n.saturating_sub(EDGE);
        }
        if full {
            break;
        }
        if gap {
            pieces.push(Piece::Between(separator.clone()));
        }
        index.push(i);
        collect(array, index, pieces, left);
        index.pop();
        i = checked::add(i, 1);
    }
    pieces.push(Piece::Between("]".into()));
}

#[cfg(test)]
mod tests {
    use crate::{DynArray, Order};

    fn array(descr: &str, shape: &[usize], order: Order) -> DynArray {
        let dtype: crate::DType = descr.parse().unwrap();
        let count: usize = shape.iter().product();
        let size = dtype.itemsize();
        let bytes = (0..count).flat_map(|i| {
            let number = u64::try_from(i).unwrap().to_le_bytes();
            (0..size).map(move |j| number.get(j).copied().unwrap_or(0))
        });
        DynArray::new(dtype, shape, order, bytes.collect()).unwrap()
    }

    #[test]
    fn arrays_print_as_in_numpy() {
        assert_eq!(array("<i4", &[], Order::C).to_string(), "0");
        assert_eq!(array("<i4", &[0], Order::C).to_string(), "[]");
        assert_eq!(array("<i4", &[2, 0], Order::C).to_string(), "[[]\n []]");
        assert_eq!(array("<i4", &[2, 2], Order::Fortran).to_string(), "[[0 2]\n [1 3]]");
        let planes = array("|u1", &[2, 1, 2], Order::C);
        assert_eq!(planes.to_string(), "[[[0 1]]\n\n [[2 3]]]");
        let long = array("<i8", &[1001], Order::C);
        assert_eq!(long.to_string(), "[   0    1    2 ...  998  999 1000]");
        let record = array("[('a', '|u1'), ('b', '|S1', (2,))]", &[2], Order::C);
        assert_eq!(record.to_string(), "[(0, [b'', b'']) (1, [b'', b''])]");
    }

    #[test]
    fn the_output_for_a_huge_array_is_short() {
        // 2^62 elements if a `usize` has 64 bits.
        let mut shape = [2; usize::BITS as usize - 2];
        let endless = DynArray::new("|S0".parse().unwrap(), shape, Order::C, Vec::new()).unwrap();
        shape[shape.len() - 1] = 0;
        let nothing = DynArray::new("|u1".parse().unwrap(), shape, Order::C, Vec::new()).unwrap();
        let inside = "[('x', '|S0', (1000000, 1000)), ('y', '|S0', (2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2))]";
        let inside = DynArray::new(inside.parse().unwrap(), [900], Order::C, Vec::new()).unwrap();
        for array in [endless, nothing, inside] {
            assert!(array.to_string().len() < 4 << 20);
        }
    }
}
