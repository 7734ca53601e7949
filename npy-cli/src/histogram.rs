//! A histogram whose range grows with the values, so that one pass is enough.

/// Converts a float without fraction; the nearest integer if it is out of range.
#[expect(clippy::cast_possible_truncation, reason = "the cast saturates, which is what is wanted")]
fn integer(value: f64) -> i64 {
    value as i64
}

/// Converts a float that is not negative; its fraction is cut off.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, and the fraction is not wanted"
)]
#[inline(always)]
fn index(value: f64) -> usize {
    value as usize
}

/// The number of bins.
const BINS: usize = 1024;

/// Counts of values in bins whose width is a power of two, so that two histograms can be merged.
#[derive(Clone, Debug, Default)]
pub(crate) struct Histogram {
    /// Bin `i` has the values from `(first + i) * width` on; empty before the first value.
    counts: Vec<u64>,
    first: i64,
    /// The binary logarithm of the width.
    exponent: i32,
}

impl Histogram {
    /// Adds values; those that are not finite are ignored.
    pub(crate) fn add(&mut self, values: &[f64]) {
        let mut rest = values;
        while let Some((&value, later)) = rest[self.add_inside(rest)..].split_first() {
            if value.is_finite() {
                self.add_outside(value);
            }
            rest = later;
        }
    }

    /// Adds values that are in a bin, up to the first one that is not; returns their number.
    fn add_inside(&mut self, values: &[f64]) -> usize {
        let scale = (-f64::from(self.exponent)).exp2();
        let first = self.first as f64;
        let Some(counts) = self.counts.first_chunk_mut::<BINS>() else { return 0 };
        for (i, &value) in values.iter().enumerate() {
            let at = value * scale - first;
            if !(0.0..BINS as f64).contains(&at) {
                return i;
            }
            counts[index(at) % BINS] += 1;
        }
        values.len()
    }

    fn add_outside(&mut self, value: f64) {
        if self.counts.is_empty() {
            // So fine that the bins are merged often, but never so fine that an index is not exact.
            let magnitude = value.abs().max(f64::MIN_POSITIVE).log2().floor();
            self.exponent = i32::try_from(integer(magnitude) - 40).unwrap_or(0).max(-1000);
            self.first = self.index(value) - BINS as i64 / 2;
            self.counts = vec![0; BINS];
        }
        self.cover(value);
        let at = self.index(value) - self.first;
        if let Some(count) = usize::try_from(at).ok().and_then(|at| self.counts.get_mut(at)) {
            *count += 1;
        }
    }

    fn index(&self, value: f64) -> i64 {
        // Divided in two steps, because the scale itself may be infinite.
        let half = self.exponent / 2;
        integer(
            (value * (-f64::from(half)).exp2() * (-f64::from(self.exponent - half)).exp2()).floor(),
        )
    }

    /// Moves and widens the bins until the value is in one.
    fn cover(&mut self, value: f64) {
        loop {
            let used = |count: &u64| *count > 0;
            let index = self.index(value);
            let low = self.counts.iter().position(used).map_or(index, |at| self.first + at as i64);
            let high =
                self.counts.iter().rposition(used).map_or(index, |at| self.first + at as i64);
            let (low, high) = (low.min(index), high.max(index));
            if high.saturating_sub(low) < BINS as i64 {
                if index < self.first || index >= self.first + BINS as i64 {
                    let spare = BINS as i64 - 1 - (high - low);
                    self.shift_to(low - spare / 2);
                }
                return;
            }
            self.widen();
        }
    }

    /// Makes this the first bin.
    fn shift_to(&mut self, first: i64) {
        let mut counts = vec![0; BINS];
        for (i, &count) in self.counts.iter().enumerate() {
            let at = usize::try_from(self.first + i as i64 - first).ok();
            if let Some(slot) = at.and_then(|at| counts.get_mut(at)) {
                *slot += count;
            }
        }
        (self.counts, self.first) = (counts, first);
    }

    /// Doubles the width of the bins.
    fn widen(&mut self) {
        let first = self.first.div_euclid(2);
        let mut counts = vec![0; BINS];
        for (i, &count) in self.counts.iter().enumerate() {
            let at = (self.first + i as i64).div_euclid(2) - first;
            counts[usize::try_from(at).unwrap_or(0)] += count;
        }
        (self.counts, self.first) = (counts, first);
        self.exponent += 1;
    }

    /// Adds the counts of another histogram.
    pub(crate) fn merge(&mut self, other: &Histogram) {
        if self.counts.is_empty() {
            *self = other.clone();
            return;
        }
        let mut other = other.clone();
        while other.exponent < self.exponent && !other.counts.is_empty() {
            other.widen();
        }
        for (i, &count) in other.counts.iter().enumerate() {
            if count == 0 {
                continue;
            }
            // The middle of the bin, which is in one bin of any wider histogram.
            let middle = ((other.first + i as i64) as f64 + 0.5) * f64::from(other.exponent).exp2();
            self.cover(middle);
            let at = self.index(middle) - self.first;
            if let Some(slot) = usize::try_from(at).ok().and_then(|at| self.counts.get_mut(at)) {
                *slot += count;
            }
        }
    }

    /// Returns the counts of bars of equal width between two values. A bin that is in two bars counts for the one of its middle.
    pub(crate) fn bars(&self, low: f64, high: f64, bars: usize) -> Vec<u64> {
        let mut counts = vec![0; bars];
        let width = f64::from(self.exponent).exp2();
        for (i, &count) in self.counts.iter().enumerate() {
            let middle = ((self.first + i as i64) as f64 + 0.5) * width;
            let position = crate::plot::axis::part(middle, (low, high)) * bars as f64;
            let last = bars.saturating_sub(1);
            let bar = if position.is_finite() { index(position.max(0.0)).min(last) } else { 0 };
            if let Some(slot) = counts.get_mut(bar) {
                *slot += count;
            }
        }
        counts
    }
}

/// Draws counts as blocks, one character for each.
pub(crate) fn blocks(counts: &[u64]) -> String {
    const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let block = |&count: &u64| match count {
        0 => ' ',
        _ => BLOCKS[usize::try_from(u128::from(count) * 7 / u128::from(most)).unwrap_or(7).min(7)],
    };
    counts.iter().map(block).collect()
}

#[cfg(test)]
mod tests {
    use super::{Histogram, blocks};

    #[test]
    fn bars_count_all_values_whatever_their_scale() {
        for scale in [1e-300, 1e-5, 1.0, 1e9, 1e300] {
            let values: Vec<f64> = (0..1000).map(|i| f64::from(i) * scale).collect();
            let mut histogram = Histogram::default();
            histogram.add(&values);
            let bars = histogram.bars(0.0, 999.0 * scale, 10);
            assert_eq!(bars.iter().sum::<u64>(), 1000);
            assert!(bars.iter().all(|count| (90..=110).contains(count)), "{scale}: {bars:?}");
        }
    }

    #[test]
    fn one_far_value_does_not_lose_the_others() {
        let mut histogram = Histogram::default();
        histogram.add(&[1.0, 2.0, 3.0, -1e18, 0.0]);
        assert_eq!(histogram.bars(-1e18, 3.0, 4), [1, 0, 0, 4]);
        assert_eq!(blocks(&[1, 0, 0, 4]), "▂  █");
    }
}
