//! Axes: the round values that are named at an axis, as many as have labels that fit.
//!
//! `Axis::new(range, &scale, &room)` tries finer ticks first and takes the first whose labels neither overlap nor leave the room. A picture
//! and a terminal differ only in the room, whose unit is a pixel or a character.

use super::time::Clock;

/// A line with values, from the least to the greatest.
pub(crate) struct Axis {
    range: (f64, f64),
    pub(crate) ticks: Vec<Tick>,
}

/// A value that is named at an axis.
#[derive(Debug, PartialEq)]
pub(crate) struct Tick {
    pub(crate) value: f64,
    pub(crate) label: String,
    /// The position of the middle of the label, from the start of the axis. At an end of the axis, it is not that of the value.
    pub(crate) center: f64,
}

/// The kind of the values.
#[derive(Clone, Copy)]
pub(crate) enum Scale<'a> {
    Numbers,
    /// Indices and counts, between which nothing is.
    Integers,
    Times(&'a Clock),
}

/// The room for labels.
pub(crate) struct Room<'a> {
    /// The length of the axis.
    pub(crate) length: f64,
    /// How far a label may begin before the axis, and end after it.
    pub(crate) before: f64,
    pub(crate) after: f64,
    /// The least distance of two labels.
    pub(crate) gap: f64,
    pub(crate) most: usize,
    /// Returns the size of a label along the axis.
    pub(crate) size: &'a dyn Fn(&str) -> f64,
}

/// Values and their labels.
pub(crate) type Labels = Vec<(f64, String)>;

impl Axis {
    pub(crate) fn new(range: (f64, f64), scale: &Scale<'_>, room: &Room<'_>) -> Self {
        let mut candidates = match scale {
            Scale::Numbers => numbers(range, 0.0, room.most),
            Scale::Integers => numbers(range, 1.0, room.most),
            Scale::Times(clock) => clock.ticks(range, room.most),
        };
        let mut axis = Axis { range, ticks: Vec::new() };
        axis.ticks = candidates.find_map(|labels| axis.placed(labels, room)).unwrap_or_default();
        axis
    }

    /// Returns the position of a value: 0 at the start of the axis, 1 at its end.
    pub(crate) fn part(&self, value: f64) -> f64 {
        part(value, self.range)
    }

    /// Returns the labels with their positions if they fit.
    fn placed(&self, labels: Labels, room: &Room<'_>) -> Option<Vec<Tick>> {
        let mut end = f64::NEG_INFINITY;
        let place = |(value, label): (f64, String)| {
            let half = (room.size)(&label) / 2.0;
            let (first, last) = (half - room.before, room.length + room.after - half);
            let center = (self.part(value) * room.length).min(last).max(first);
            let fits = center - half >= end && center <= last;
            end = center + half + room.gap;
            fits.then_some(Tick { value, label, center })
        };
        labels.into_iter().map(place).collect()
    }
}

/// Returns the position of a value in a range: 0 at its start, 1 at its end. Both are halved, so that their difference is finite.
pub(crate) fn part(value: f64, (low, high): (f64, f64)) -> f64 {
    (value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0)
}

/// Returns the multiples of 1, 2 and 5 times powers of ten, the finest first. There are at most `most`, and the step is at least `least`.
fn numbers((low, high): (f64, f64), least: f64, most: usize) -> Box<dyn Iterator<Item = Labels>> {
    // Halved, so that the span is finite.
    let half = high / 2.0 - low / 2.0;
    let power = (2.0 * (half / most.max(1) as f64)).max(least).log10().floor();
    if !power.is_finite() {
        return Box::new(std::iter::empty());
    }
    let powers = (0..4).map(move |i| 10f64.powf(power + f64::from(i)));
    let steps = powers.flat_map(|power| [1.0, 2.0, 5.0].map(|n| n * power));
    let steps = steps.filter(move |step| *step >= least && 2.0 * (half / step) <= most as f64);
    Box::new(steps.map(move |step| {
        let first = (low / step).ceil();
        let values = (0..=most).map(|i| (first + i as f64) * step);
        // The last one may be a little more than the end, by rounding.
        let inside = values.take_while(|value| *value <= high + step / 1e6);
        inside.map(|value| (value, number(value, step, low.abs().max(high.abs())))).collect()
    }))
}

/// Returns a multiple of a step as text, with the digits that tell it from the next. `greatest` is the greatest of the axis, as all of its
/// numbers have one form.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few digits")]
pub(crate) fn number(value: f64, step: f64, greatest: f64) -> String {
    // Without this, zero would be a tiny number.
    let value = if value.abs() < step / 1e6 { 0.0 } else { value };
    if value == 0.0 && !(1e-4..1e7).contains(&greatest) {
        return "0".into();
    }
    if (1e-4..1e7).contains(&greatest) {
        return format!("{value:.*}", (-step.log10().floor()).clamp(0.0, 12.0) as usize);
    }
    // A little more, so that a power of ten is not less than itself by rounding.
    let power = |value: f64| (value.abs() * 1.000_001).log10().floor();
    let digits = (power(value) - power(step)).clamp(0.0, 15.0) as usize;
    format!("{value:.digits$e}")
}

#[cfg(test)]
mod tests {
    use super::{Axis, Room, Scale, number};

    /// Returns the labels of an axis of this many characters.
    fn labels(range: (f64, f64), scale: &Scale<'_>, length: f64) -> Vec<String> {
        let size = |label: &str| label.chars().count() as f64;
        let room = Room { length, before: 4.0, after: 4.0, gap: 2.0, most: 12, size: &size };
        Axis::new(range, scale, &room).ticks.into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn labels_are_numbers_of_few_digits() {
        for (range, expected) in [
            ((0.0, 10.0), ["0", "2", "4", "6", "8", "10"].as_slice()),
            ((-1.1, 0.9), &["-1.0", "-0.5", "0.0", "0.5"]),
            ((1e6, 1e6 + 0.4), &["1000000.0", "1000000.2", "1000000.4"]),
            ((0.0, 3e-9), &["0", "1e-9", "2e-9", "3e-9"]),
            ((1.23e9, 1.25e9), &["1.23e9", "1.24e9", "1.25e9"]),
            ((-1.7e308, 1.7e308), &["-1e308", "0", "1e308"]),
        ] {
            assert_eq!(labels(range, &Scale::Numbers, 30.0), expected, "{range:?}");
        }
        // One that would be the label of the next multiple, too.
        assert_eq!(number(20_240_115.5, 0.5, 20_240_116.0), "2.02401155e7");
    }

    /// Guards that an index has no fraction, however short the axis is.
    #[test]
    fn integers_have_no_fraction() {
        assert_eq!(labels((0.0, 2.0), &Scale::Integers, 70.0), ["0", "1", "2"]);
        assert_eq!(labels((0.0, 0.4), &Scale::Integers, 70.0), ["0"]);
    }

    /// Guards that no two labels overlap, whatever the length of the axis.
    #[test]
    fn labels_have_a_gap_and_stay_in_the_room() {
        for length in 10..80 {
            let size = |label: &str| label.chars().count() as f64;
            let length = f64::from(length);
            let room = Room { length, before: 1.0, after: 2.0, gap: 2.0, most: 20, size: &size };
            let ticks = Axis::new((-12345.0, 67890.0), &Scale::Numbers, &room).ticks;
            assert!(!ticks.is_empty(), "{length}");
            let ends = ticks.iter().map(|tick| {
                let half = size(&tick.label) / 2.0;
                (tick.center - half, tick.center + half)
            });
            let ends: Vec<(f64, f64)> = ends.collect();
            assert!(ends[0].0 >= -1.0 && ends[ends.len() - 1].1 <= length + 2.0, "{ends:?}");
            assert!(ends.windows(2).all(|two| two[1].0 - two[0].1 >= 2.0), "{ends:?}");
        }
    }

    #[test]
    fn a_range_without_width_or_end_has_no_ticks() {
        assert!(labels((3.0, 3.0), &Scale::Numbers, 40.0).is_empty());
        assert!(labels((f64::NAN, 3.0), &Scale::Numbers, 40.0).is_empty());
    }
}
