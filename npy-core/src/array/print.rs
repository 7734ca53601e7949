//! The printed form of arrays, which is NumPy's: long arrays are shortened in the middle.

use std::fmt::{self, Formatter};

use crate::checked;

/// Arrays of more elements are shortened.
const THRESHOLD: usize = 1000;
/// The number of elements or rows at each end of a shortened dimension.
const EDGE: usize = 3;
/// The approximate number of pieces after which printing stops. An array may have 64 dimensions, or any number of elements of zero bytes.
pub(crate) const MAX_PIECES: usize = 20_000;

/// The alignment of elements.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    /// All elements are as wide as the widest, and end in the same column.
    Right,
    /// Elements are not padded.
    None,
}

/// Prints an array of this shape; `element` returns the text at an index. Printing stops once `may_go_on` returns false.
pub(crate) fn print(
    f: &mut Formatter<'_>,
    shape: &[usize],
    align: Align,
    mut element: impl FnMut(&[usize]) -> String,
    may_go_on: impl Fn() -> bool,
) -> fmt::Result {
    let mut printer = Printer {
        shape,
        // The shape of an array was counted before.
        elided: shape.iter().fold(1, |count: usize, &n| count.saturating_mul(n)) > THRESHOLD,
        element: &mut element,
        may_go_on: &may_go_on,
        pieces: Vec::new(),
    };
    printer.collect(&mut Vec::new());
    let width = |piece: &Piece| match piece {
        Piece::Item(text) if align == Align::Right => text.chars().count(),
        _ => 0,
    };
    let width = printer.pieces.iter().map(width).max().unwrap_or(0);
    printer.pieces.iter().try_for_each(|piece| match piece {
        Piece::Item(text) => write!(f, "{text:>width$}"),
        Piece::Between(text) => f.write_str(text),
    })
}

/// A piece of the printed array: an element, or the text between elements.
enum Piece {
    Item(String),
    Between(String),
}

struct Printer<'p> {
    shape: &'p [usize],
    elided: bool,
    element: &'p mut dyn FnMut(&[usize]) -> String,
    may_go_on: &'p dyn Fn() -> bool,
    pieces: Vec<Piece>,
}

impl Printer<'_> {
    /// Adds the pieces of the part at this index: an element if the index is complete, and otherwise a sub-array in brackets.
    ///
    /// The recursion is as deep as the array has dimensions, at most 64.
    fn collect(&mut self, index: &mut Vec<usize>) {
        let Some(&n) = self.shape.get(index.len()) else {
            let text = (self.element)(index);
            self.pieces.push(Piece::Item(text));
            return;
        };
        let elided = self.elided && n > 2 * EDGE;
        let depth = checked::add(index.len(), 1);
        let separator = match checked::sub(self.shape.len(), depth) {
            0 => " ".to_owned(),
            // One blank line between planes, two between three-dimensional parts, and so on.
            lines => format!("{}{}", "\n".repeat(lines), " ".repeat(depth)),
        };
        self.add("[");
        let mut i = 0usize;
        while i < n {
            if i > 0 {
                self.add(&separator);
            }
            let gap = elided && i == EDGE;
            let full = self.pieces.len() > MAX_PIECES || !(self.may_go_on)();
            if gap || full {
                self.add("...");
                // Not used again if printing stops here.
                i = n.saturating_sub(EDGE);
            }
            if full {
                break;
            }
            if gap {
                self.add(&separator);
            }
            index.push(i);
            self.collect(index);
            index.pop();
            i = checked::add(i, 1);
        }
        self.add("]");
    }

    fn add(&mut self, text: &str) {
        self.pieces.push(Piece::Between(text.to_owned()));
    }
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
        // As many elements as can be counted.
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
