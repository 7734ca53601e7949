//! The number of distinct values, as long as they are few.

/// Distinct values, each as 64 bits, until there are too many.
#[derive(Clone, Debug, Default)]
pub(crate) struct Distinct {
    /// A table of values by their hash, whose length is a power of two; empty before the first value, and once there were too many.
    slots: Vec<Option<u64>>,
    count: usize,
    last: Option<u64>,
}

/// More values are not counted.
pub(crate) const MAX_DISTINCT: usize = 1000;
/// The slots for the first values: a file may have many columns with few values each.
const FIRST_SLOTS: usize = 16;

impl Distinct {
    pub(crate) fn add(&mut self, values: impl Iterator<Item = u64>) {
        if self.count > MAX_DISTINCT {
            return;
        }
        for value in values {
            if self.last == Some(value) {
                continue;
            }
            self.last = Some(value);
            // There are four times as many slots as values, so that most values are in their first slot.
            if self.slots.len() <= 4 * self.count {
                self.grow();
            }
            let slot = find(&self.slots, value);
            if self.slots[slot].is_none() {
                self.slots[slot] = Some(value);
                self.count += 1;
                if self.count > MAX_DISTINCT {
                    self.slots = Vec::new();
                    return;
                }
            }
        }
    }

    /// Moves the values to a larger table.
    #[cold]
    fn grow(&mut self) {
        let mut slots = vec![None; (4 * self.slots.len()).max(FIRST_SLOTS)];
        for value in self.slots.iter().flatten() {
            let slot = find(&slots, *value);
            slots[slot] = Some(*value);
        }
        self.slots = slots;
    }

    pub(crate) fn merge(&mut self, other: &Distinct) {
        if other.count > MAX_DISTINCT {
            *self = other.clone();
        }
        self.add(other.slots.iter().filter_map(|slot| *slot));
    }

    /// Returns the number of distinct values; `None` if there are more than `MAX_DISTINCT`.
    pub(crate) fn count(&self) -> Option<usize> {
        (self.count <= MAX_DISTINCT).then_some(self.count)
    }
}

/// Returns the slot that has the value, or the free one that it gets.
#[inline(always)]
fn find(slots: &[Option<u64>], value: u64) -> usize {
    // The upper bits of the product depend on all bits of the value.
    let unused = 1 + (slots.len() as u64).leading_zeros();
    let hash = value.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> unused;
    let mask = slots.len() - 1;
    let mut slot = usize::try_from(hash).unwrap_or(0) & mask;
    while slots[slot].is_some_and(|found| found != value) {
        slot = (slot + 1) & mask;
    }
    slot
}

/// Returns 64 bits for a text. Two texts have the same by chance only if there are billions.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    // FNV-1a, then mixed.
    let fold = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325, fold);
    hash ^ (hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::{Distinct, FIRST_SLOTS, MAX_DISTINCT};

    #[test]
    fn few_values_are_counted_and_many_are_not() {
        let mut few = Distinct::default();
        few.add([3, 3, 1, 2, 1].into_iter());
        assert_eq!((few.count(), few.slots.len()), (Some(3), FIRST_SLOTS));
        few.add(0..MAX_DISTINCT as u64);
        assert_eq!(few.count(), Some(MAX_DISTINCT));
        few.add(0..=MAX_DISTINCT as u64);
        assert_eq!(few.count(), None);
        let mut other = Distinct::default();
        other.add([7].into_iter());
        other.merge(&few);
        assert_eq!(other.count(), None);
    }
}
