//! The scalars of a row, in order.

use super::part::Node;
use super::{DType, Part, Scalar, ScalarKind};
use crate::checked;
use crate::shape::{self, Order};

/// A scalar of a row, or an array of scalars that are contiguous in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    path: String,
    scalar: Scalar,
    offset: usize,
    shape: Vec<usize>,
}

impl DType {
    /// Iterates over the scalars of an element, in the order of their offsets: those of nested records (`head.gain`), and those of each
    /// record in a sub-array of records (`axes[0].x`). A sub-array of scalars is one leaf.
    ///
    /// Nothing is collected. So a dtype of a file may have any number of leaves; `take` limits them.
    ///
    /// ```
    /// use npy_core::DType;
    ///
    /// let row: DType =
    ///     "[('station', '<u4'), ('head', [('gain', '<f4')]), ('samples', '<f4', (4,))]".parse()?;
    /// let leaves: Vec<_> = row.leaves().collect();
    /// let paths: Vec<_> = leaves.iter().map(|leaf| leaf.path()).collect();
    /// assert_eq!(paths, ["station", "head.gain", "samples"]);
    /// assert_eq!((leaves[2].offset(), leaves[2].shape()), (8, &[4][..]));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn leaves(&self) -> Leaves<'_> {
        Leaves::of(Part::of_row(self, &[]))
    }
}

impl<'a> Part<'a> {
    /// Iterates over the scalars of the part; see [`DType::leaves`].
    ///
    /// ```
    /// use npy_core::DType;
    ///
    /// let row: DType = "[('axes', [('x', '<f4'), ('y', '<f4')], (2,))]".parse()?;
    /// let paths: Vec<_> = row.part("axes[1]").unwrap().leaves().map(|leaf| leaf.path().to_owned()).collect();
    /// assert_eq!(paths, ["axes[1].x", "axes[1].y"]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn leaves(&self) -> Leaves<'a> {
        Leaves::of(self.clone())
    }
}

impl Leaf {
    /// Returns the name: `station`, `head.gain`, `axes[0].x`. It is empty for an element that is no record.
    ///
    /// ```
    /// use npy_core::{DType, Element};
    ///
    /// let record: DType = "[('gain', '<f4')]".parse()?;
    /// assert_eq!(record.leaves().next().unwrap().path(), "gain");
    /// assert_eq!(f32::dtype().leaves().next().unwrap().path(), "");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the name of a column with these scalars: the path, or `value` if that is empty.
    ///
    /// ```
    /// use npy_core::Element;
    ///
    /// assert_eq!(f32::dtype().leaves().next().unwrap().column_name(), "value");
    /// ```
    pub fn column_name(&self) -> &str {
        if self.path.is_empty() { "value" } else { &self.path }
    }

    /// Returns the scalar.
    ///
    /// ```
    /// use npy_core::DType;
    ///
    /// let record: DType = "[('gain', '>f4', (2,))]".parse()?;
    /// assert_eq!(record.leaves().next().unwrap().scalar().to_string(), ">f4");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn scalar(&self) -> &Scalar {
        &self.scalar
    }

    /// Returns the offset of the first scalar in the row, in bytes.
    ///
    /// ```
    /// use npy_core::DType;
    ///
    /// let record: DType = "[('id', '<u2'), ('gain', '<f4')]".parse()?;
    /// assert_eq!(record.leaves().last().unwrap().offset(), 2);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the dimensions of a sub-array of scalars; none for a single scalar.
    ///
    /// ```
    /// use npy_core::DType;
    ///
    /// let record: DType = "[('grid', ('<f4', (5,)), (2,))]".parse()?;
    /// assert_eq!(record.leaves().next().unwrap().shape(), [2, 5]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Iterates over the single scalars of a sub-array, in C order: `samples[0]`, `samples[1]` and so on. A single scalar is the only one.
    ///
    /// ```
    /// use npy_core::DType;
    ///
    /// let record: DType = "[('id', '|u1'), ('xy', '<f4', (2,))]".parse()?;
    /// let columns: Vec<_> = record.leaves().flat_map(|leaf| leaf.elements()).collect();
    /// let names: Vec<_> = columns.iter().map(|leaf| leaf.path()).collect();
    /// assert_eq!(names, ["id", "xy[0]", "xy[1]"]);
    /// assert_eq!(columns[2].offset(), 5);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn elements(self) -> impl Iterator<Item = Leaf> {
        let count = self.shape.iter().try_fold(1usize, |count, &n| count.checked_mul(n));
        // More elements than `usize` counts are more than can be visited.
        (0..count.unwrap_or(usize::MAX)).map_while(move |position| {
            let mut path = self.path.clone();
            for index in shape::index(&self.shape, Order::C, position) {
                path.push_str(&format!("[{index}]"));
            }
            let offset = position.checked_mul(self.scalar.itemsize())?.checked_add(self.offset)?;
            Some(Leaf { path, offset, shape: Vec::new(), ..self })
        })
    }

    /// Iterates over the real numbers of a single scalar: a complex number is two floats, `z.re` and `z.im`; any other scalar is itself.
    ///
    /// ```
    /// use npy_core::DType;
    ///
    /// let record: DType = "[('id', '|u1'), ('z', '<c8')]".parse()?;
    /// let columns: Vec<_> = record.leaves().flat_map(|leaf| leaf.reals()).collect();
    /// let names: Vec<_> = columns.iter().map(|leaf| leaf.path()).collect();
    /// assert_eq!(names, ["id", "z.re", "z.im"]);
    /// assert_eq!(columns[2].scalar().to_string(), "<f4");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn reals(self) -> impl Iterator<Item = Leaf> {
        let is_pair = self.scalar.kind() == ScalarKind::Complex && self.shape.is_empty();
        let half = self.scalar.itemsize() / 2;
        let names = if is_pair { &[".re", ".im"][..] } else { &[""] };
        names.iter().zip([0, half]).map(move |(name, within)| {
            if !is_pair {
                return self.clone();
            }
            let order = self.scalar.byte_order().unwrap_or(super::ByteOrder::Little);
            let scalar = Scalar::ordered(ScalarKind::Float, half, order);
            let path = format!("{}{name}", self.column_name());
            let offset = checked::add(self.offset, within);
            Leaf { path, scalar, offset, shape: Vec::new() }
        })
    }
}

/// The iterator of [`DType::leaves`].
#[derive(Clone, Debug)]
pub struct Leaves<'a> {
    /// The parts that the next one is within, each with the index of the item or field that comes next. Its length is limited by the nesting of the dtype.
    open: Vec<(Part<'a>, usize)>,
    /// A part that is a leaf itself.
    single: Option<Part<'a>>,
}

impl<'a> Leaves<'a> {
    pub(super) fn of(part: Part<'a>) -> Self {
        let mut leaves = Leaves { open: Vec::new(), single: None };
        leaves.enter(part);
        leaves
    }

    /// Goes on with a part. One without a scalar is skipped: a tiny header can have 2⁶² of them.
    fn enter(&mut self, part: Part<'a>) {
        if !part.base.is_record() {
            self.single = Some(part);
        } else if !part.shape.contains(&0) && part.base.has_scalars() {
            self.open.push((part, 0));
        }
    }
}

impl Iterator for Leaves<'_> {
    type Item = Leaf;

    fn next(&mut self) -> Option<Leaf> {
        loop {
            if let Some(Part { path, offset, base, shape }) = self.single.take() {
                let scalar = *base.scalar()?;
                return Some(Leaf { path, scalar, offset, shape });
            }
            let (part, next) = self.open.last_mut()?;
            let index = *next;
            *next = checked::add(index, 1);
            let inner = if part.shape.is_empty() { part.field(index) } else { part.item(index) };
            match inner {
                Some(inner) => self.enter(inner),
                None => drop(self.open.pop()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaves(descr: &str) -> Vec<(String, usize, Vec<usize>)> {
        let dtype: DType = descr.parse().unwrap();
        dtype.leaves().map(|leaf| (leaf.path, leaf.offset, leaf.shape)).collect()
    }

    #[test]
    fn nested_records_and_sub_arrays_of_records_are_opened() {
        let found = leaves(
            "[('a', '|u1'), ('', '|V3'), ('h', [('r', [('x', '<f4'), ('y', '<i2', (2,))], (2, 1)), ('t', '|S3')]), ('e', '<f4', (0,))]",
        );
        let expected = [
            ("a", 0, &[][..]),
            ("h.r[0][0].x", 4, &[]),
            ("h.r[0][0].y", 8, &[2]),
            ("h.r[1][0].x", 12, &[]),
            ("h.r[1][0].y", 16, &[2]),
            ("h.t", 20, &[]),
            ("e", 23, &[0]),
        ];
        let expected = expected.map(|(path, at, shape)| (path.to_owned(), at, shape.to_vec()));
        assert_eq!(found, expected);
        assert_eq!(leaves("<f8"), [(String::new(), 0, vec![])]);
        assert_eq!(leaves("('<f8', (2, 3))"), [(String::new(), 0, vec![2, 3])]);
        assert_eq!(leaves("[]"), []);
    }

    /// Guards the time: none of the records has a scalar, and there are 2³¹ of them.
    #[test]
    fn records_without_scalars_are_skipped() {
        assert_eq!(leaves("[('a', [], (2147483647,)), ('b', '|u1')]").len(), 1);
        assert_eq!(leaves("[('a', [('x', '<f4', (0,)), ('y', [])], (2147483647,))]"), []);
    }

    #[test]
    fn each_leaf_is_found_by_its_path() {
        let dtype: DType =
            "[('h', [('r', [('x', '<f4'), ('y', '<i2', (2, 3))], (2,)), ('t.u', '|S3')]), ('z', '>c16')]"
                .parse()
                .unwrap();
        for leaf in dtype.leaves().flat_map(Leaf::elements) {
            let part = dtype.part(&leaf.path).unwrap();
            assert_eq!((part.offset(), part.base().scalar()), (leaf.offset, Some(&leaf.scalar)));
            assert_eq!(part.path(), leaf.path);
        }
        let reals: Vec<_> =
            dtype.leaves().last().unwrap().reals().map(|leaf| (leaf.path, leaf.offset)).collect();
        assert_eq!(reals, [("z.re".to_owned(), 35), ("z.im".to_owned(), 43)]);
    }
}
