//! The position of a reader in its array.

use crate::checked;
use crate::element::typed_plan::ItemPlan;
use crate::error::{Error, ErrorKind};
use crate::limits::to_u64;

/// The position in an array. The next read continues here, whatever its type.
#[derive(Debug, Default)]
pub(super) struct Position {
    /// The number of elements before the position.
    pub(super) elements: u64,
    /// The position among values without elements (`[f32; 0]`): the number of values before it, and the number of all values.
    empty_values: (u64, u64),
    /// True if some rows of an array in Fortran order were read. `elements` is then the number of their elements, which are strided in the
    /// file: only more rows can be read.
    pub(super) by_rows: bool,
    /// True during a read, and after one that failed: the position is unknown.
    pub(super) is_lost: bool,
}

impl Position {
    /// Returns the position at the start of row `row` of `rows`, after `elements` elements.
    pub(super) fn at_row(row: usize, rows: usize, elements: u64) -> Self {
        let empty_values = (to_u64(row), to_u64(rows));
        Position { elements, empty_values, by_rows: false, is_lost: false }
    }

    /// Returns true if no element was read or skipped.
    pub(super) fn is_at_start(&self) -> bool {
        self.elements == 0 && self.empty_values.0 == 0
    }

    /// Returns true if a value of `per_item` elements can start at this position.
    #[inline]
    pub(super) fn is_between(&self, per_item: usize) -> bool {
        // The usual case has no division, because this runs for each chunk.
        per_item <= 1 || self.elements.is_multiple_of(to_u64(per_item))
    }

    /// Returns the index of the next value of this plan.
    #[inline]
    pub(super) fn next_index(&self, plan: &ItemPlan) -> u64 {
        match plan.per_item {
            // This case has no division, because this runs for each chunk.
            1 => self.elements,
            n => {
                self.elements.checked_div(to_u64(n)).unwrap_or_else(|| self.next_empty(plan.count))
            }
        }
    }

    /// Returns the index of the next value if the array has `count` values without elements: `empty_values`, scaled to `count`.
    #[cold]
    pub(super) fn next_empty(&self, count: u64) -> u64 {
        let (before, all) = self.empty_values;
        let scaled = u128::from(before).saturating_mul(u128::from(count));
        let index = if all == 0 { 0 } else { scaled.div_ceil(u128::from(all)) };
        u64::try_from(index).map_or(count, |index| index.min(count))
    }

    /// Moves past `n` values of this plan.
    #[inline]
    pub(super) fn advance(&mut self, plan: &ItemPlan, n: usize) {
        let elements = checked::mul(n, plan.per_item);
        self.elements = self.elements.saturating_add(to_u64(elements));
        if plan.per_item == 0 {
            let before = self.next_empty(plan.count).saturating_add(to_u64(n));
            self.empty_values = (before, plan.count);
        }
    }

    /// Moves to the end of an array of `count` elements, after a complete read.
    pub(super) fn finish(&mut self, count: u64) {
        (self.elements, self.by_rows, self.is_lost) = (count, false, false);
    }

    /// Refuses to read on after a read that failed, or after rows of an array in Fortran order.
    #[inline]
    pub(super) fn check(&self) -> Result<(), Error> {
        match self.by_rows {
            false => self.check_known(),
            true => Err(between_rows()),
        }
    }

    /// Refuses to read on after a read that failed.
    #[inline]
    pub(super) fn check_known(&self) -> Result<(), Error> {
        if self.is_lost { Err(lost()) } else { Ok(()) }
    }
}

#[cold]
fn between_rows() -> Error {
    let what = "reading elements after some rows of an array in Fortran order".into();
    let needs =
        "the rest of its rows first (Reader::rows, Reader::read_dyn_chunk), or a new reader";
    ErrorKind::Unsupported { what, needs }.into()
}

#[cold]
pub(super) fn lost() -> Error {
    let what = "reading on after a read that failed".into();
    let needs = "a new reader: the position of this one in the file is unknown";
    ErrorKind::Unsupported { what, needs }.into()
}
