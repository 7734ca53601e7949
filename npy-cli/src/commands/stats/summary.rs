//! The summary of one column: everything is counted in one pass, and summaries of parts are merged.

use crate::commands::stats::distinct::Distinct;
use crate::histogram::Histogram;

/// The numbers of a column, or of a part of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Summary {
    /// The values that are not missing.
    pub(crate) count: u64,
    pub(crate) missing: u64,
    /// The smallest and the largest of the floats.
    floats: Option<(f64, f64)>,
    /// The smallest and the largest of the integers, which may be among floats in a column of objects.
    exact: Option<(i128, i128)>,
    /// The sum of the integers.
    sum: i128,
    /// The first finite value, which the mean is counted from: a large value that all have does not take the digits of the others.
    shift: f64,
    /// The number of finite values, their mean minus the shift, and the sum of their squared deviations from the mean.
    finite: u64,
    mean: f64,
    deviations: f64,
    pub(crate) distinct: Distinct,
    pub(crate) histogram: Histogram,
    /// The objects that are not numbers, as long as they are not known to be all.
    others: Option<Box<Summary>>,
}

/// The number of values that are added at once, by instructions for vectors.
const LANES: usize = 8;

/// The sums of each eighth value.
struct Lanes {
    low: [f64; LANES],
    high: [f64; LANES],
    sum: [f64; LANES],
    missing: [u64; LANES],
    infinite: [u64; LANES],
}

impl Default for Lanes {
    fn default() -> Self {
        let (low, high) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
        Lanes { low, high, sum: [0.0; LANES], missing: [0; LANES], infinite: [0; LANES] }
    }
}

impl Lanes {
    #[inline(always)]
    fn add(&mut self, block: &[f64; LANES], shift: f64) {
        for (i, &value) in block.iter().enumerate() {
            // A comparison with NaN is false.
            self.low[i] = if value < self.low[i] { value } else { self.low[i] };
            self.high[i] = if value > self.high[i] { value } else { self.high[i] };
            self.missing[i] += u64::from(value.is_nan());
            self.infinite[i] += u64::from(value.abs() == f64::INFINITY);
            self.sum[i] += if value.abs() < f64::INFINITY { value - shift } else { 0.0 };
        }
    }
}

impl Summary {
    /// Adds floats; NaN is missing.
    pub(crate) fn add_floats(&mut self, values: &[f64]) {
        let range = self.add_moments(values);
        self.floats = joined(self.floats, range);
        // The sum with zero makes -0.0 the same as 0.0.
        let present = values.iter().filter(|value| !value.is_nan());
        self.distinct.add(present.map(|value| (value + 0.0).to_bits()));
    }

    /// Adds floats to the counts, the mean, the deviation and the histogram. Returns the smallest and the largest.
    fn add_moments(&mut self, values: &[f64]) -> Option<(f64, f64)> {
        let mut lanes = Lanes::default();
        if self.finite == 0 {
            // So small that no distance to it is infinite.
            let is_shift = |value: &&f64| value.abs() < 1e290;
            self.shift = values.iter().find(is_shift).copied().unwrap_or(0.0);
        }
        let shift = self.shift;
        let (blocks, rest) = values.as_chunks();
        blocks.iter().for_each(|block| lanes.add(block, shift));
        let mut filled = 0;
        if !rest.is_empty() {
            let mut block = [f64::NAN; LANES];
            block[..rest.len()].copy_from_slice(rest);
            lanes.add(&block, shift);
            filled = (LANES - rest.len()) as u64;
        }
        let low = lanes.low.into_iter().fold(f64::INFINITY, f64::min);
        let high = lanes.high.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = lanes.sum.iter().sum();
        let missing = lanes.missing.iter().sum::<u64>() - filled;
        let infinite: u64 = lanes.infinite.iter().sum();
        let all = values.len() as u64;
        self.missing += missing;
        self.count += all - missing;
        let finite = all - missing - infinite;
        if finite > 0 {
            let mean = match sum.is_finite() {
                true => sum / finite as f64,
                false => {
                    let values = values.iter().filter(|value| value.is_finite());
                    let mean: f64 = values.map(|value| value / finite as f64).sum();
                    mean.clamp(-f64::MAX, f64::MAX) - shift
                }
            };
            let deviation = |value: f64| {
                let distance = value - shift - mean;
                if value.abs() < f64::INFINITY { distance * distance } else { 0.0 }
            };
            let mut deviations = [0.0; LANES];
            for block in blocks {
                for (sum, &value) in deviations.iter_mut().zip(block) {
                    *sum += deviation(value);
                }
            }
            let rest: f64 = rest.iter().map(|&value| deviation(value)).sum();
            self.merge_moments(finite, mean, deviations.iter().sum::<f64>() + rest);
            self.histogram.add(values);
        }
        (missing < all).then_some((low, high))
    }

    /// Adds a float beside which there may be integers: 1.0 and 1 are one distinct value.
    pub(crate) fn add_mixed(&mut self, value: f64) {
        #[expect(clippy::cast_possible_truncation, reason = "compared below")]
        let integer = value as i64;
        if integer as f64 != value || integer == i64::MAX {
            return self.add_floats(&[value]);
        }
        self.add_unlisted(value, integer.cast_unsigned());
    }

    /// Adds a number as the nearest float; `id` is that of the distinct value.
    pub(crate) fn add_unlisted(&mut self, value: f64, id: u64) {
        let range = self.add_moments(&[value]);
        self.floats = joined(self.floats, range);
        self.distinct.add(std::iter::once(id));
    }

    /// Adds integers, which were floats before, too. `None` is missing.
    pub(crate) fn add_integers(&mut self, floats: &[f64], values: &[i64], offset: i128) {
        self.add_moments(floats);
        self.distinct.add(values.iter().map(|value| value.cast_unsigned()));
        let of_block: i128 = values.iter().map(|&value| i128::from(value)).sum();
        self.sum += of_block + offset * values.len() as i128;
        let (low, high) = (values.iter().min(), values.iter().max());
        if let (Some(&low), Some(&high)) = (low, high) {
            let range = (i128::from(low) + offset, i128::from(high) + offset);
            self.exact = joined(self.exact, Some(range));
        }
    }

    /// Adds an integer beyond 64 bits; `id` is that of the distinct value.
    pub(crate) fn add_large_integer(&mut self, value: i128, id: u64) {
        self.add_moments(&[value as f64]);
        self.distinct.add(std::iter::once(id));
        self.exact = joined(self.exact, Some((value, value)));
    }

    /// Adds an object that is not a number; `id` is that of the distinct value.
    pub(crate) fn add_other(&mut self, id: u64) {
        let others = self.others.get_or_insert_default();
        others.count += 1;
        others.distinct.add(std::iter::once(id));
    }

    /// Counts the objects that are not numbers, if there are no numbers, after all objects were added.
    pub(crate) fn end_objects(&mut self) {
        if self.count == 0
            && let Some(others) = self.others.take()
        {
            *self = Summary { missing: self.missing, ..*others };
        }
    }

    /// Returns the number of objects that are not numbers and so not counted.
    pub(crate) fn left_out(&self) -> u64 {
        self.others.as_ref().map_or(0, |others| others.count)
    }

    /// Returns the smallest and the largest value, each as a float, and exactly if it is an integer.
    pub(crate) fn bounds(&self) -> Option<[(f64, Option<i128>); 2]> {
        let integer = |value: i128| (value as f64, Some(value));
        Some(match (self.floats, self.exact) {
            (None, exact) => exact.map(|(low, high)| [integer(low), integer(high)])?,
            (Some((low, high)), None) => [(low, None), (high, None)],
            (Some((low, high)), Some((exact_low, exact_high))) => [
                if is_less(low, exact_low) { (low, None) } else { integer(exact_low) },
                // As the sign of an integer is another one.
                if is_less(-high, exact_high.saturating_neg()) {
                    (high, None)
                } else {
                    integer(exact_high)
                },
            ],
        })
    }

    /// Returns the smallest and the largest value as floats.
    pub(crate) fn range(&self) -> Option<(f64, f64)> {
        self.bounds().map(|[(low, _), (high, _)]| (low, high))
    }

    /// Merges means and squared deviations (Chan, Golub and LeVeque).
    fn merge_moments(&mut self, finite: u64, mean: f64, deviations: f64) {
        let (old, new) = (self.finite as f64, finite as f64);
        let all = old + new;
        let difference = mean - self.mean;
        self.mean = match difference.is_finite() {
            true => self.mean + difference * (new / all),
            // The signs differ.
            false => self.mean * (old / all) + mean * (new / all),
        };
        self.deviations += deviations;
        // An infinite square times zero is no number.
        if self.finite > 0 {
            self.deviations += difference * difference * old * new / all;
        }
        self.finite += finite;
    }

    /// Adds the summary of another part.
    pub(crate) fn merge(&mut self, other: &Summary) {
        self.count += other.count;
        self.missing += other.missing;
        self.floats = joined(self.floats, other.floats);
        self.exact = joined(self.exact, other.exact);
        self.sum += other.sum;
        if other.finite > 0 {
            if self.finite == 0 {
                self.shift = other.shift;
            }
            let mean = other.mean + (other.shift - self.shift);
            self.merge_moments(other.finite, mean, other.deviations);
        }
        self.distinct.merge(&other.distinct);
        self.histogram.merge(&other.histogram);
    }

    /// Returns the mean as `np.nanmean` does: infinite if a value is, and NaN if both infinities are there.
    pub(crate) fn mean(&self) -> Option<f64> {
        let (low, high) = self.range()?;
        Some(match (low == f64::NEG_INFINITY, high == f64::INFINITY) {
            (false, false) => (self.shift + self.mean).clamp(low, high),
            (true, false) => low,
            (false, true) => high,
            (true, true) => f64::NAN,
        })
    }

    /// Returns the mean of integers, rounded down.
    pub(crate) fn exact_mean(&self) -> Option<i128> {
        self.sum.checked_div_euclid(i128::from(self.count))
    }

    /// Returns the standard deviation as `np.nanstd` does: divided by the count, and NaN if a value is infinite.
    pub(crate) fn std(&self) -> Option<f64> {
        let (low, high) = self.range()?;
        let is_finite = low.is_finite() && high.is_finite();
        Some(if is_finite { (self.deviations / self.finite as f64).sqrt() } else { f64::NAN })
    }
}

/// Returns the range that has both.
fn joined<T: PartialOrd>(one: Option<(T, T)>, other: Option<(T, T)>) -> Option<(T, T)> {
    match (one, other) {
        (Some((low, high)), Some((other_low, other_high))) => Some((
            if other_low < low { other_low } else { low },
            if other_high > high { other_high } else { high },
        )),
        (one, other) => one.or(other),
    }
}

/// Returns true if a float is less than an integer, which may have more digits.
#[expect(clippy::cast_possible_truncation, reason = "the cast saturates, which is what is wanted")]
fn is_less(float: f64, integer: i128) -> bool {
    // Rounding keeps the order of numbers that do not become equal.
    let rounded = integer as f64;
    float < rounded || float == rounded && (float as i128) < integer
}

#[cfg(test)]
mod tests {
    use super::Summary;

    #[test]
    fn parts_that_are_merged_equal_the_whole() {
        let values: Vec<f64> = (0..1000).map(|i| f64::from(i % 37) * 0.5 - 3.0).collect();
        let mut whole = Summary::default();
        whole.add_floats(&values);
        let mut parts = Summary::default();
        for part in values.chunks(77) {
            let mut summary = Summary::default();
            summary.add_floats(part);
            parts.merge(&summary);
        }
        assert_eq!(whole.count, parts.count);
        assert_eq!(whole.range(), parts.range());
        assert!((whole.mean().unwrap() - parts.mean().unwrap()).abs() < 1e-12);
        assert!((whole.std().unwrap() - parts.std().unwrap()).abs() < 1e-12);
        assert_eq!(whole.distinct.count(), Some(37));
        assert_eq!(parts.distinct.count(), Some(37));
        assert_eq!(whole.histogram.bars(-3.0, 15.0, 10), parts.histogram.bars(-3.0, 15.0, 10));
    }

    /// Guards the digits of a deviation that is far smaller than the values; the expected one is exact.
    #[test]
    fn a_large_mean_takes_no_digits_of_the_deviation() {
        let noise: Vec<f64> = (0..100_000).map(|i| f64::from(i % 1000) / 1024.0).collect();
        let exact = 1000.0 / 1024.0 * ((1.0 - 1e-6) / 12.0_f64).sqrt();
        for offset in [0.0, 1e9, -1e12] {
            let values: Vec<f64> = noise.iter().map(|value| value + offset).collect();
            let mut whole = Summary::default();
            let mut parts = Summary::default();
            for (i, part) in values.chunks(777).enumerate() {
                whole.add_floats(part);
                let mut summary = Summary::default();
                summary.add_floats(&part[i % 7..]);
                summary.add_floats(&part[..i % 7]);
                parts.merge(&summary);
            }
            for summary in [whole, parts] {
                let std = summary.std().unwrap();
                assert!((std / exact - 1.0).abs() < 1e-12, "{offset}: {std}, {exact}");
            }
        }
    }

    #[test]
    fn nan_is_missing_and_infinity_is_not() {
        let mut summary = Summary::default();
        summary.add_floats(&[1.0, f64::NAN, 3.0, f64::INFINITY]);
        assert_eq!((summary.count, summary.missing), (3, 1));
        assert_eq!(summary.range(), Some((1.0, f64::INFINITY)));
        assert_eq!(summary.mean(), Some(f64::INFINITY));
        assert!(summary.std().unwrap().is_nan());
        summary.add_floats(&[f64::NEG_INFINITY]);
        assert!(summary.mean().unwrap().is_nan());
    }

    /// Guards means whose sums are beyond the largest float.
    #[test]
    fn means_of_the_largest_floats_are_finite() {
        let max = f64::MAX;
        for (values, mean) in [
            (&[1.5e308, 1.5e308, 1.5e308][..], 1.5e308),
            (&[max; 20], max),
            (&[-1e289, max, max], max / 3.0 * 2.0),
            (&[max, -max, -max], max / -3.0),
            (&[-max, 1.0, max, 2.0], 0.75),
        ] {
            let (mut whole, mut singly) = (Summary::default(), Summary::default());
            whole.add_floats(values);
            for part in values.chunks(1) {
                singly.add_mixed(part[0]);
            }
            for summary in [whole, singly] {
                let found = summary.mean().unwrap();
                assert!((found - mean).abs() <= 1e-15 * max, "{values:?}: {found}");
            }
        }
        let mut equal = Summary::default();
        equal.add_floats(&[1e308, 1e308]);
        assert_eq!(equal.std(), Some(0.0));
    }

    /// Guards integers that no `f64` holds.
    #[test]
    fn large_integers_are_distinct_and_have_an_exact_mean() {
        let values = [1i64 << 60, (1 << 60) + 1, (1 << 60) + 5];
        let mut summary = Summary::default();
        summary.add_integers(&values.map(|value| value as f64), &values, 0);
        assert_eq!(summary.distinct.count(), Some(3));
        assert_eq!(summary.exact_mean(), Some((1 << 60) + 2));
        // One object is 1, and another 1.0.
        let mut summary = Summary::default();
        summary.add_integers(&[1.0], &[1], 0);
        summary.add_mixed(1.0);
        summary.add_mixed(1.5);
        assert_eq!(summary.distinct.count(), Some(2));
    }

    /// Guards objects: integers beyond 64 bits, and floats among them, are in the bounds.
    #[test]
    fn bounds_are_those_of_integers_and_floats() {
        let bounds = |values: &[Result<i128, f64>]| {
            let mut summary = Summary::default();
            for &value in values {
                match value {
                    Ok(value) => summary.add_large_integer(value, 0),
                    Err(value) => summary.add_mixed(value),
                }
            }
            summary.bounds().unwrap()
        };
        let large = 1i128 << 100;
        assert_eq!(
            bounds(&[Err(3.5), Ok(1), Ok(large)]),
            [(1.0, Some(1)), (large as f64, Some(large))]
        );
        assert_eq!(bounds(&[Err(0.5), Ok(1), Err(7.0)]), [(0.5, None), (7.0, None)]);
        let above = (1i128 << 53) + 1;
        let float = (1i128 << 53) as f64;
        assert_eq!(bounds(&[Ok(above), Err(float)]), [(float, None), (float, Some(above))]);
        assert_eq!(bounds(&[Ok(-above), Err(-float)]), [(-float, Some(-above)), (-float, None)]);
        let infinite = [(f64::NEG_INFINITY, None), (1e300, None)];
        assert_eq!(bounds(&[Ok(i128::MAX), Err(1e300), Err(f64::NEG_INFINITY)]), infinite);
        // An integer that is not known exactly.
        let mut summary = Summary::default();
        summary.add_integers(&[1.0], &[1], 0);
        summary.add_unlisted(-1e60, 0);
        assert_eq!(summary.bounds(), Some([(-1e60, None), (1.0, Some(1))]));
    }
}
