//! How arrays print: as NumPy's do, long ones elided in the middle.

use std::cell::Cell;
use std::fmt::{self, Formatter};

use super::DynArray;
use crate::dtype::Scalar;

/// Arrays of more items are elided.
const THRESHOLD: usize = 1000;
/// Items and rows that an elided one shows at each end.
const EDGE: usize = 3;
/// Pieces that are shown, more or less: an array can have many dimensions, and items of no bytes without end.
const MOST: usize = 20_000;

/// The items in brackets, a row a line; of more than a thousand the first and the last three along each dimension.
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
        collect(self, &mut Vec::new(), &mut pieces, &Cell::new(MOST));
        // Numbers stand below each other; other things are as long as they are.
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

/// What an array prints as.
enum Piece {
    Item(String),
    Between(String),
}

/// Adds what stands at this index: of as many dimensions as the array has an item, of fewer a part in brackets.
///
/// Recursion ends with the dimensions, of which there are 64 at most.
fn collect(array: &DynArray, index: &mut Vec<usize>, pieces: &mut Vec<Piece>, left: &Cell<usize>) {
    let Some(&n) = array.shape().get(index.len()) else {
        let mut text = String::new();
        // A String takes what is written.
        let _ = array.get(index).map(|value| value.print(&mut text, left));
        pieces.push(Piece::Item(text));
        return;
    };
    let elided = array.header().count() > THRESHOLD && n > EDGE.saturating_mul(2);
    let depth = index.len().saturating_add(1);
    let separator = match array.shape().len().saturating_sub(depth) {
        0 => " ".to_owned(),
        // A blank line between planes, two between blocks of those, …
        lines => format!("{}{}", "\n".repeat(lines), " ".repeat(depth)),
    };
    pieces.push(Piece::Between("[".into()));
    let mut i = 0usize;
    while i < n {
        if i > 0 {
            pieces.push(Piece::Between(separator.clone()));
        }
        let gap = elided && i == EDGE;
        let full = pieces.len() > MOST || left.get() == 0;
        if gap || full {
            pieces.push(Piece::Between("...".into()));
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
        i = i.saturating_add(1);
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
    fn arrays_print_as_numpys() {
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
    fn an_array_without_end_prints_an_end() {
        // As many as there are numbers to count them.
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
