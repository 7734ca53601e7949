//! Checksums of arrays, by which results are compared. `numpy.py` computes the same ones.

use crate::records::{Number, PackedTick, Tick, Trace};

/// An array with a checksum that depends on the order of its items.
pub(crate) trait Sum {
    fn sum(&self) -> u64;
}

/// Returns the sum of the numbers, each weighted by its position.
pub(crate) fn weighted(numbers: impl Iterator<Item = u64>) -> u64 {
    (1..).zip(numbers).fold(0, |sum, (i, number)| sum.wrapping_add(number.wrapping_mul(i)))
}

/// Combines several sums into one.
pub(crate) fn together(sums: impl IntoIterator<Item = u64>) -> u64 {
    sums.into_iter().fold(0, |sum, one| sum.wrapping_mul(31).wrapping_add(one))
}

impl<T: Number> Sum for [T] {
    fn sum(&self) -> u64 {
        weighted(self.iter().map(|number| number.bits()))
    }
}

impl Sum for [Tick] {
    fn sum(&self) -> u64 {
        let field = |bits: fn(&Tick) -> u64| weighted(self.iter().map(bits));
        together([
            field(|it| it.id.bits()),
            field(|it| it.time.bits()),
            field(|it| it.x.bits()),
            field(|it| it.y.bits()),
            field(|it| it.z.bits()),
            field(|it| it.flag.bits()),
            field(|it| it.count.bits()),
        ])
    }
}

impl Sum for [PackedTick] {
    fn sum(&self) -> u64 {
        self.iter().map(|tick| (*tick).into()).collect::<Vec<Tick>>().sum()
    }
}

impl Sum for [Trace] {
    fn sum(&self) -> u64 {
        let field = |bits: fn(&Trace) -> u64| weighted(self.iter().map(bits));
        together([
            field(|it| it.id.bits()),
            field(|it| it.start.bits()),
            field(|it| it.gain.bits()),
            weighted(self.iter().flat_map(|it| it.samples).map(|number| number.bits())),
        ])
    }
}
