//! Round times for an axis: from fractions of a second to years, the calendar's months among them.

use npy_core::dtype::{Resolution, Unit};
use npy_core::time::{Day, Month};
use npy_core::{DateTime64, Value};

use super::axis::Labels;
use crate::text::short_time;

/// The times of a column, as numbers that a float holds exactly: counts since the first one.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    resolution: Resolution,
    /// The first time, once it is known.
    origin: Option<i64>,
    /// The least and the greatest time: as a float, one that is far from the first lacks digits.
    range: Option<(i64, i64)>,
}

/// The distance of two ticks.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    /// Attoseconds.
    Fixed(i128),
    Months(i128),
}

/// Attoseconds, in which each unit that has a fixed length is an integer.
const SECOND: i128 = 1_000_000_000_000_000_000;
const MINUTE: i128 = 60 * SECOND;
const HOUR: i128 = 60 * MINUTE;
const DAY: i128 = 24 * HOUR;
/// The average of the Gregorian calendar: 30.436875 days.
const MONTH: i128 = 2_629_746 * SECOND;
/// The months before 1970, so that round years are those of the calendar.
const MONTHS_TO_1970: i128 = 1970 * 12;
/// 1970-01-05 was a Monday.
const FIRST_MONDAY: i128 = 4 * DAY;

impl Clock {
    pub(crate) const fn new(resolution: Resolution) -> Self {
        Clock { resolution, origin: None, range: None }
    }

    /// Returns the counts since the first time that was seen, which is this one if there was none; NaN for NaT.
    #[expect(clippy::cast_precision_loss, reason = "a picture has fewer digits than a float")]
    pub(crate) fn since_first(&mut self, count: i64) -> f64 {
        if count == i64::MIN {
            return f64::NAN;
        }
        let origin = *self.origin.get_or_insert(count);
        let (low, high) = self.range.unwrap_or((count, count));
        self.range = Some((low.min(count), high.max(count)));
        (i128::from(count) - i128::from(origin)) as f64
    }

    /// Returns a time as text.
    pub(crate) fn label(&self, since: f64) -> String {
        // The least integer is NaT.
        let least = i64::MIN + 1;
        let count = self.counts(since).clamp(least.into(), i64::MAX.into());
        self.text(i64::try_from(count).unwrap_or(least))
    }

    /// Returns the least and the greatest time.
    pub(crate) fn range(&self) -> Option<[String; 2]> {
        self.range.map(|(low, high)| [low, high].map(|count| self.text(count)))
    }

    fn text(&self, count: i64) -> String {
        short_time(&Value::DateTime(count, Some(self.resolution)).to_string())
    }

    /// Returns round times, the finest first: at most `most`.
    pub(crate) fn ticks(
        &self,
        (low, high): (f64, f64),
        most: usize,
    ) -> Box<dyn Iterator<Item = Labels> + '_> {
        let limit = i128::try_from(most).unwrap_or(i128::MAX);
        Box::new(steps().filter_map(move |step| {
            let (unit, length) = match step {
                Step::Fixed(length) => (self.attoseconds()?, length),
                Step::Months(count) => match self.months() {
                    Some(months) => (months, count),
                    None => (self.attoseconds()?, count.checked_mul(MONTH)?),
                },
            };
            let first = self.counts(low).checked_mul(unit)?;
            let last = self.counts(high).checked_mul(unit)?;
            if length < unit || (last - first) / length > limit {
                return None;
            }
            let labels = match step {
                Step::Fixed(length) => self.fixed(unit, length, (first, last)),
                Step::Months(count) => self.calendar(unit, count, (first, last)),
            };
            let inside = labels.into_iter().filter(|(value, _)| (low..=high).contains(value));
            Some(inside.take(most + 1).collect())
        }))
    }

    /// Returns multiples of a fixed length.
    fn fixed(&self, unit: i128, length: i128, (first, last): (i128, i128)) -> Labels {
        let phase = if length % (7 * DAY) == 0 { FIRST_MONDAY } else { 0 };
        let start = (first - phase).div_euclid(length) * length + phase;
        let times = (0..).map(|i| start + i * length).take_while(|&time| time <= last);
        let times: Vec<i128> = times.filter(|&time| time >= first).collect();
        let has_date = times.iter().any(|time| time.rem_euclid(DAY) == 0);
        let label = |(i, &time): (usize, &i128)| {
            let (date, of_day) = (date(time.div_euclid(DAY)), time.rem_euclid(DAY));
            // One label has the date: midnight if that is in the picture, or else the first.
            let text = match (of_day == 0, i == 0 && !has_date) {
                (true, _) => date,
                (false, true) => format!("{date} {}", time_of_day(of_day, length)),
                (false, false) => time_of_day(of_day, length),
            };
            (self.since(time, unit), text)
        };
        times.iter().enumerate().map(label).collect()
    }

    /// Returns the first days of months.
    fn calendar(&self, unit: i128, count: i128, (first, last): (i128, i128)) -> Labels {
        let has_months = self.months().is_some();
        // The months of a picture of days are known only about: some are outside of it.
        let since_1970 = |time: i128| if has_months { time } else { time.div_euclid(MONTH) };
        let nth = |time: i128| (since_1970(time) + MONTHS_TO_1970).div_euclid(count);
        let months = (nth(first) - 1..=nth(last) + 1).map(|i| i * count - MONTHS_TO_1970);
        let labels = months.filter_map(|month| {
            let month_count = i64::try_from(month).ok()?;
            let time = match has_months {
                true => month,
                false => {
                    let day = DateTime64::<Month>::new(month_count).cast::<Day>().ok()?;
                    i128::from(day.count()) * DAY
                }
            };
            let (count, unit_of_label) = match count % 12 {
                0 => (month_count.div_euclid(12), Unit::Year),
                _ => (month_count, Unit::Month),
            };
            let resolution = Resolution { multiple: 1, unit: unit_of_label };
            let label = Value::DateTime(count, Some(resolution)).to_string();
            Some((self.since(time, unit), label))
        });
        labels.collect()
    }

    /// Returns a count since 1970.
    #[expect(clippy::cast_possible_truncation, reason = "counts fit in an i64")]
    fn counts(&self, since: f64) -> i128 {
        i128::from(self.origin.unwrap_or(0)).saturating_add(since.floor() as i128)
    }

    /// Returns the counts since the first time; `time` is in parts, and `unit` of them are one count.
    #[expect(clippy::cast_precision_loss, reason = "a picture has fewer digits than a float")]
    fn since(&self, time: i128, unit: i128) -> f64 {
        let (count, rest) = (time.div_euclid(unit), time.rem_euclid(unit));
        (count - i128::from(self.origin.unwrap_or(0))) as f64 + rest as f64 / unit as f64
    }

    /// Returns the attoseconds of a count; `None` for months and years.
    fn attoseconds(&self) -> Option<i128> {
        let unit = match self.resolution.unit {
            Unit::Year | Unit::Month => return None,
            Unit::Week => 7 * DAY,
            Unit::Day => DAY,
            Unit::Hour => HOUR,
            Unit::Minute => MINUTE,
            Unit::Second => SECOND,
            Unit::Millisecond => SECOND / 1000,
            Unit::Microsecond => SECOND / 1_000_000,
            Unit::Nanosecond => 1_000_000_000,
            Unit::Picosecond => 1_000_000,
            Unit::Femtosecond => 1000,
            Unit::Attosecond => 1,
        };
        Some(unit * i128::from(self.resolution.multiple))
    }

    /// Returns the months of a count; `None` for shorter units.
    fn months(&self) -> Option<i128> {
        let unit = match self.resolution.unit {
            Unit::Year => 12,
            Unit::Month => 1,
            _ => return None,
        };
        Some(unit * i128::from(self.resolution.multiple))
    }
}

/// Returns the distances of round times, the shortest first.
fn steps() -> impl Iterator<Item = Step> {
    let powers = |count| (0..count).map(|power| 10i128.pow(power));
    let decimal = |power: i128| [1, 2, 5].map(|n| n * power);
    let fractions = powers(18).flat_map(decimal);
    let sixtieths = [1, 2, 5, 10, 15, 30];
    let clock = sixtieths.map(|n| n * SECOND).into_iter().chain(sixtieths.map(|n| n * MINUTE));
    let hours = [1, 2, 3, 6, 12].map(|n| n * HOUR);
    let days = [1, 2, 7, 14].map(|n| n * DAY);
    let fixed = fractions.chain(clock).chain(hours).chain(days).map(Step::Fixed);
    let years = powers(17).flat_map(decimal).map(|n| 12 * n);
    fixed.chain([1, 2, 3, 6].into_iter().chain(years).map(Step::Months))
}

fn date(day: i128) -> String {
    let days = Resolution { multiple: 1, unit: Unit::Day };
    let day = i64::try_from(day).unwrap_or(i64::MIN);
    Value::DateTime(day, Some(days)).to_string()
}

/// Returns a time of day, with the digits that multiples of the step have.
fn time_of_day(time: i128, step: i128) -> String {
    let minutes = format!("{:02}:{:02}", time / HOUR, time / MINUTE % 60);
    if step % MINUTE == 0 {
        return minutes;
    }
    let seconds = format!("{minutes}:{:02}", time / SECOND % 60);
    if step % SECOND == 0 {
        return seconds;
    }
    // A step of less than a second is 1, 2 or 5 times a power of ten.
    let digits = 18 - step.to_string().bytes().rev().take_while(|&digit| digit == b'0').count();
    let fraction = format!("{:018}", time % SECOND);
    format!("{seconds}.{}", fraction.get(..digits).unwrap_or(&fraction))
}

#[cfg(test)]
mod tests {
    use npy_core::dtype::{Resolution, Unit};

    use super::super::axis::{Axis, Room, Scale};
    use super::Clock;

    /// Returns the labels of an axis of 40 or 100 characters, from one count to another.
    fn labels(unit: Unit, from: i64, to: i64, length: f64) -> Vec<String> {
        let mut clock = Clock::new(Resolution { multiple: 1, unit });
        let range = (clock.since_first(from), clock.since_first(to));
        let size = |label: &str| label.chars().count() as f64;
        let room = Room { length, before: 8.0, after: 0.0, gap: 2.0, most: 10, size: &size };
        let ticks = Axis::new(range, &Scale::Times(&clock), &room).ticks;
        ticks.into_iter().map(|tick| tick.label).collect()
    }

    /// Guards that times are round in each unit, and that one label has the date.
    #[test]
    fn labels_are_round_times() {
        // 2024-01-31T09:29:37
        const START: i64 = 1_706_693_377;
        for (length, unit, factor, span, expected) in [
            (
                60.0,
                Unit::Nanosecond,
                1_000_000_000,
                2,
                &["2024-01-31 09:29:37", "09:29:38", "09:29:39"][..],
            ),
            (60.0, Unit::Second, 1, 90, &["2024-01-31 09:30:00", "09:30:30", "09:31:00"]),
            (40.0, Unit::Second, 1, 90, &["2024-01-31 09:30", "09:31"]),
            (60.0, Unit::Second, 1, 3600, &["2024-01-31 09:30", "09:45", "10:00", "10:15"]),
            (
                90.0,
                Unit::Second,
                1,
                86_400,
                &["12:00", "15:00", "18:00", "21:00", "2024-02-01", "03:00", "06:00", "09:00"],
            ),
            (40.0, Unit::Second, 1, 86_400, &["12:00", "18:00", "2024-02-01", "06:00"]),
            (40.0, Unit::Second, 1, 3 * 86_400, &["2024-02-01", "2024-02-02", "2024-02-03"]),
            (
                60.0,
                Unit::Millisecond,
                1000,
                25 * 86_400,
                &["2024-02-05", "2024-02-12", "2024-02-19"],
            ),
            (40.0, Unit::Second, 1, 100 * 86_400, &["2024-02", "2024-03", "2024-04", "2024-05"]),
            (40.0, Unit::Second, 1, 400 * 86_400, &["2024-04", "2024-07", "2024-10", "2025-01"]),
            (
                40.0,
                Unit::Second,
                1,
                30 * 365 * 86_400,
                &["2025", "2030", "2035", "2040", "2045", "2050"],
            ),
        ] {
            let found = labels(unit, START * factor, (START + span) * factor, length);
            assert_eq!(found, expected, "{span} s in {length} characters");
        }
        assert_eq!(labels(Unit::Month, 0, 30, 40.0), ["1970", "1971", "1972"]);
        assert_eq!(
            labels(Unit::Year, -70, 54, 60.0),
            ["1900", "1920", "1940", "1960", "1980", "2000", "2020"]
        );
        assert_eq!(
            labels(Unit::Day, 19_753, 19_755, 100.0),
            ["2024-01-31", "2024-02-01", "2024-02-02"]
        );
    }

    /// Guards fractions of a second near the present, where a float of nanoseconds since 1970 has no room for them.
    #[test]
    fn nanoseconds_are_told_apart() {
        let start = 1_706_693_377_000_000_000;
        let found = labels(Unit::Nanosecond, start, start + 4, 160.0);
        assert_eq!(found.len(), 5, "{found:?}");
        assert_eq!(found[1], "09:29:37.000000001");
    }

    /// Guards that times at the ends of the calendar end in an axis.
    #[test]
    fn extreme_times_have_an_axis() {
        for unit in [Unit::Year, Unit::Month, Unit::Week, Unit::Day, Unit::Second, Unit::Attosecond]
        {
            labels(unit, i64::MIN + 1, i64::MAX, 40.0);
            labels(unit, i64::MAX - 1, i64::MAX, 40.0);
        }
    }
}
