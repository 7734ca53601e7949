//! The selection that an index of a slice makes in one dimension, as Python does.

use npy_core::Order;

use crate::target::Index;

/// Indices of one dimension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Steps {
    /// The length of the dimension in the file.
    pub(super) length: usize,
    pub(super) start: usize,
    pub(crate) count: usize,
    /// Not zero.
    pub(super) step: i64,
    /// True if the dimension stays.
    pub(super) is_kept: bool,
}

impl Steps {
    pub(crate) const fn all(length: usize) -> Self {
        Steps { length, start: 0, count: length, step: 1, is_kept: true }
    }

    pub(super) fn is_all(&self) -> bool {
        *self == Steps { is_kept: self.is_kept, ..Steps::all(self.length) }
    }

    /// Applies an index. `dimension` is for the message.
    pub(super) fn of(index: Index, length: usize, dimension: usize) -> Result<Self, String> {
        match index {
            Index::Ellipsis => Ok(Steps::all(length)),
            Index::At(at) => {
                let start = from_end(at, length).filter(|&at| at < length);
                let start = start.ok_or_else(|| {
                    format!("index {at} is out of range: dimension {dimension} has length {length}")
                })?;
                Ok(Steps { length, start, count: 1, step: 1, is_kept: false })
            }
            Index::Range { start, stop, step } if step > 0 => {
                let bound = |at: i64| from_end(at, length).unwrap_or(0).min(length);
                let (start, stop) = (start.map_or(0, bound), stop.map_or(length, bound));
                let stride = usize::try_from(step).unwrap_or(usize::MAX);
                let count = stop.saturating_sub(start).div_ceil(stride);
                Ok(Steps { length, start, count, step, is_kept: true })
            }
            Index::Range { start, stop, step } => {
                // One more than the index, so that the position before the first one is 0.
                let bound = |at: i64| match from_end(at, length) {
                    Some(at) => at.saturating_add(1).min(length),
                    None => 0,
                };
                let (start, stop) = (start.map_or(length, bound), stop.map_or(0, bound));
                let stride = usize::try_from(step.unsigned_abs()).unwrap_or(usize::MAX);
                let count = start.saturating_sub(stop).div_ceil(stride);
                let start = start.saturating_sub(1);
                Ok(Steps { length, start, count, step, is_kept: true })
            }
        }
    }

    /// Joins this dimension, which has one selected index, with the next one, and returns the selected indices of both. The length may be that
    /// of an array without bytes.
    pub(super) fn join(self, inner: Steps, order: Order) -> Steps {
        let length = self.length.saturating_mul(inner.length);
        let (start, step) = match order {
            Order::C => {
                (self.start.saturating_mul(inner.length).saturating_add(inner.start), inner.step)
            }
            Order::Fortran => {
                let distance = i64::try_from(self.length).unwrap_or(i64::MAX);
                let start = self.length.saturating_mul(inner.start).saturating_add(self.start);
                (start, inner.step.saturating_mul(distance))
            }
        };
        Steps { length, start, step, ..inner }
    }

    /// Returns the distance between two indices.
    pub(super) fn stride(&self) -> usize {
        usize::try_from(self.step.unsigned_abs()).unwrap_or(usize::MAX)
    }

    /// Returns an index by its place among those that are selected, which is less than `count`, so that nothing overflows.
    pub(crate) fn nth(&self, place: usize) -> usize {
        let offset = self.stride().saturating_mul(place);
        if self.step < 0 {
            self.start.saturating_sub(offset)
        } else {
            self.start.saturating_add(offset)
        }
    }

    /// Returns the place of an index among those that are selected.
    pub(crate) fn find(&self, index: usize) -> Option<usize> {
        let offset = match self.step < 0 {
            true => self.start.checked_sub(index)?,
            false => index.checked_sub(self.start)?,
        };
        let is_step = offset.is_multiple_of(self.stride());
        Some(offset / self.stride()).filter(|&place| is_step && place < self.count)
    }
}

/// Returns a position that may count from the end; `None` if it is before the start.
fn from_end(at: i64, length: usize) -> Option<usize> {
    match usize::try_from(at.unsigned_abs()) {
        Ok(back) if at < 0 => length.checked_sub(back),
        Ok(at) => Some(at),
        Err(_) if at < 0 => None,
        Err(_) => Some(usize::MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::Steps;
    use crate::target::Target;

    /// Guards the numbers of columns: they are those in the file.
    #[test]
    fn an_index_is_found_where_it_is_selected() {
        for slice in ["::3", "1::2", "::-1", "5:0:-2", "3:3", "2"] {
            let target = Target::parse(format!("x[{slice}]").as_ref()).unwrap();
            let steps = Steps::of(target.slice.unwrap()[0], 7, 0).unwrap();
            let indices: Vec<usize> = (0..steps.count).map(|place| steps.nth(place)).collect();
            for index in 0..9 {
                assert_eq!(steps.find(index), indices.iter().position(|&i| i == index), "{slice}");
            }
        }
    }
}
