//! How far an array has been read.

use crate::element::typed_plan::ItemPlan;
use crate::error::{Error, ErrorKind};

/// The position in an array, counted in its elements; in values where those have no elements (`[f32; 0]`).
#[derive(Debug, Default)]
pub(super) struct Position {
    /// Elements that were read or passed over.
    elements: usize,
    /// The row that was sought last, and values without elements that were read since.
    row: usize,
    values: usize,
    /// Whether a read failed partway: the position is unknown.
    is_lost: bool,
}

impl Position {
    /// At the start of a row, before which there are this many elements.
    pub(super) fn at_row(row: usize, elements: usize) -> Self {
        Position { elements, row, ..Position::default() }
    }

    /// Whether nothing was read or passed over.
    pub(super) fn is_at_start(&self) -> bool {
        self.elements == 0 && self.row == 0 && self.values == 0
    }

    /// Begins to count values without elements anew at the row that was sought, as those of another type are others.
    pub(super) fn forget_values(&mut self) {
        self.values = 0;
    }

    /// Elements that were read or passed over.
    pub(super) fn elements(&self) -> usize {
        self.elements
    }

    /// The index of the next value of a type, in an array of `rows` rows.
    pub(super) fn next_index(&self, plan: &ItemPlan, rows: usize) -> usize {
        match plan.per_item {
            // Without a division: it is asked for each chunk.
            1 => self.elements,
            n => self.elements.checked_div(n).unwrap_or_else(|| {
                let per_row = plan.count.checked_div(rows).unwrap_or(0);
                self.row.saturating_mul(per_row).saturating_add(self.values)
            }),
        }
    }

    /// Passes over `count` values of a type, of this many elements each.
    #[inline]
    pub(super) fn advance(&mut self, per_item: usize, count: usize) {
        self.elements = self.elements.saturating_add(count.saturating_mul(per_item));
        if per_item == 0 {
            self.values = self.values.saturating_add(count);
        }
    }

    /// Passes over all elements of the array.
    pub(super) fn finish(&mut self, count: usize) {
        self.elements = count;
    }

    /// Marks the position as unknown, until [`restore`](Self::restore).
    pub(super) fn lose(&mut self) {
        self.is_lost = true;
    }

    /// Marks it as known again.
    pub(super) fn restore(&mut self) {
        self.is_lost = false;
    }

    /// Whether it is unknown.
    pub(super) fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// Refuses to read on after a failure.
    pub(super) fn check(&self) -> Result<(), Error> {
        if !self.is_lost {
            return Ok(());
        }
        let what = "reading on after a read that failed".into();
        let needs = "a new reader: the position of this one in the file is unknown";
        Err(ErrorKind::Unsupported { what, needs }.into())
    }
}
