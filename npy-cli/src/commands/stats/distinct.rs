//! The number of distinct values, as long as they are few.

/// Distinct values, each as 64 bits, until there are too many.
#[derive(Clone, Debug)]
pub(crate) struct Distinct {
    /// A table of values by their hash; empty once there were too many.
    slots: Vec<Option<u64>>,
    count: usize,
    last: Option<u64>,
}

/// More values are not counted.
pub(crate) const MAX_DISTINCT: usize = 1000;
/// Four times as many, so that most values are in their first slot.
const SLOTS: usize = 4096;

impl Default for Distinct {
    fn default() -> Self {
        Distinct { slots: vec![None; SLOTS], count: 0, last: None }
    }
}

impl Distinct {
    pub(crate) fn add(&mut self, values: impl Iterator<Item = u64>) {
        if self.slots.is_empty() {
            return;
        }
        for value in values {
            if self.last == Some(value) {
                continue;
            }
            self.last = Some(value);
            // The upper bits of the product depend on all bits of the value.
            let hash = value.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52;
            let mut slot = usize::try_from(hash).unwrap_or(0) % SLOTS;
            while self.slots[slot].is_some_and(|found| found != value) {
                slot = (slot + 1) % SLOTS;
            }
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

    pub(crate) fn merge(&mut self, other: &Distinct) {
        if other.slots.is_empty() {
            self.slots = Vec::new();
        }
        self.add(other.slots.iter().filter_map(|slot| *slot));
    }

    /// Returns the number of distinct values; `None` if there are more than `MAX_DISTINCT`.
    pub(crate) fn count(&self) -> Option<usize> {
        (!self.slots.is_empty()).then_some(self.count)
    }
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
    use super::{Distinct, MAX_DISTINCT};

    #[test]
    fn few_values_are_counted_and_many_are_not() {
        let mut few = Distinct::default();
        few.add([3, 3, 1, 2, 1].into_iter());
        assert_eq!(few.count(), Some(3));
        few.add(0..MAX_DISTINCT as u64);
        assert_eq!(few.count(), Some(MAX_DISTINCT));
        few.add(0..=MAX_DISTINCT as u64);
        assert_eq!(few.count(), None);
    }
}
