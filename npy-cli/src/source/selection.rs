//! The part of an array that is read, from its header alone: the slice of the target, and then the columns that are needed.

use npy_core::{Header, Order};

use super::steps::Steps;
use crate::output::{Failure, Of, Result};
use crate::target::{Index, Target};

/// The rows that are selected, and what is selected of each row.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    /// The first dimension that is left after the slice, joined with those before it, which have one selected index each.
    /// Without dimensions, one row.
    pub(super) rows: Steps,
    /// The first dimension as in the file, for the numbers of rows.
    numbers: Steps,
    /// One for each further dimension of the file.
    pub(super) inner: Vec<Steps>,
    /// True if `rows` are several dimensions of the file.
    pub(super) are_rows_joined: bool,
    /// The header of the array after the slice.
    header: Header,
}

impl Selection {
    /// Applies the slice of the target.
    pub(crate) fn of(header: &Header, target: &Target) -> Result<Self> {
        let order = header.order();
        let slice = target.slice.as_deref().unwrap_or(&[]);
        let steps = select(header.shape(), slice).map_err(|text| Failure::new(target, text))?;
        let header = match target.slice {
            None => header.clone(),
            Some(_) => {
                let kept = steps.iter().filter(|steps| steps.is_kept);
                let shape: Vec<usize> = kept.map(|steps| steps.count).collect();
                Header::new(header.dtype().clone(), shape, Order::C).of(target)?
            }
        };
        let kept = steps.iter().position(|steps| steps.is_kept);
        let (joined, inner) = steps.split_at(kept.map_or(steps.len(), |first| first + 1));
        let one = Steps::all(1);
        let rows = joined.iter().copied().reduce(|outer, inner| outer.join(inner, order));
        Ok(Selection {
            rows: rows.unwrap_or(one),
            numbers: joined.last().copied().unwrap_or(one),
            inner: inner.to_vec(),
            are_rows_joined: joined.len() > 1,
            header,
        })
    }

    /// Returns the header of the array after the slice.
    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the number of rows: the length of the first dimension, or 1.
    pub(crate) fn rows(&self) -> usize {
        self.rows.count
    }

    /// Returns the index of a row in its dimension of the file.
    pub(super) fn number(&self, row: usize) -> usize {
        self.numbers.nth(row)
    }

    /// Returns the dimensions of a row.
    pub(crate) fn row_steps(&self) -> Vec<Steps> {
        self.inner.iter().copied().filter(|steps| steps.is_kept).collect()
    }

    /// Returns the number of elements of a row.
    pub(crate) fn row_elements(&self) -> usize {
        self.inner.iter().fold(1, |product: usize, steps| product.saturating_mul(steps.count))
    }

    /// Returns the number of elements of a row of the file.
    pub(super) fn file_row_elements(&self) -> usize {
        self.inner.iter().fold(1, |product: usize, steps| product.saturating_mul(steps.length))
    }

    /// Returns the number of elements of the file up to the last one that is selected.
    pub(super) fn end(&self, order: Order) -> u64 {
        let mut dimensions: Vec<&Steps> = [&self.rows].into_iter().chain(&self.inner).collect();
        if order == Order::C {
            dimensions.reverse();
        }
        end(dimensions.into_iter())
    }

    /// Returns true if rows are complete.
    pub(super) fn has_complete_rows(&self) -> bool {
        self.inner.iter().all(Steps::is_all)
    }

    /// Leaves out the end of each row, but not the first `elements`. Of more than one dimension, each is cut.
    pub(crate) fn shorten_rows(&mut self, elements: usize) {
        let mut missing = elements;
        for steps in self.inner.iter_mut().rev() {
            steps.count = steps.count.min(missing);
            missing = missing.div_ceil(steps.count.max(1));
        }
    }
}

/// Returns the number of elements up to the last one that is selected. The first dimension is the one that varies fastest.
fn end<'s>(dimensions: impl Iterator<Item = &'s Steps>) -> u64 {
    let (mut last, mut stride) = (0, 1);
    for steps in dimensions {
        let Some(end) = steps.count.checked_sub(1) else { return 0 };
        let index = steps.nth(0).max(steps.nth(end));
        last = (index as u64).saturating_mul(stride).saturating_add(last);
        stride = stride.saturating_mul(steps.length as u64);
    }
    last.saturating_add(1)
}

/// Returns the number of elements of a contiguous row after the last one that is selected.
pub(super) fn elements_after(inner: &[Steps]) -> usize {
    let all = inner.iter().fold(1, |product: usize, steps| product.saturating_mul(steps.length));
    usize::try_from(end(inner.iter().rev())).map_or(0, |end| all.saturating_sub(end))
}

/// Applies a slice to a shape.
fn select(shape: &[usize], slice: &[Index]) -> Result<Vec<Steps>, String> {
    let given = slice.iter().filter(|index| **index != Index::Ellipsis).count();
    if slice.len() > given + 1 {
        return Err("a slice has at most one `...`".into());
    }
    let Some(left) = shape.len().checked_sub(given) else {
        let dimensions = shape.len();
        return Err(format!(
            "the slice has {given} parts, but the array has {dimensions} dimensions"
        ));
    };
    let mut indices = Vec::new();
    for &index in slice {
        let count = if index == Index::Ellipsis { left } else { 1 };
        indices.extend(std::iter::repeat_n(index, count));
    }
    indices.resize(shape.len(), Index::Ellipsis);
    let numbered = indices.iter().zip(shape).enumerate();
    numbered.map(|(dimension, (&index, &length))| Steps::of(index, length, dimension)).collect()
}
