//! Python's dates, times and spans.

use std::fmt;

const DAY: i128 = 86_400 * SECOND;
const SECOND: i128 = 1_000_000_000;
const MICROSECOND: i128 = 1000;

/// `datetime.date`. Python's years are 1 to 9999.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Date {
    /// The year.
    pub year: i64,
    /// The month: 1 to 12.
    pub month: u8,
    /// The day of the month: 1 to 31.
    pub day: u8,
}

/// `datetime.time`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Time {
    /// The nanoseconds since midnight, fewer than a day has.
    pub nanoseconds: i64,
    /// The offset of the zone from UTC.
    pub zone: Option<Span>,
}

/// `datetime.datetime`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DateTime {
    /// The date in the zone of the time.
    pub date: Date,
    /// The time of day.
    pub time: Time,
}

/// `datetime.timedelta`: a span of time in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span(pub i128);

impl Date {
    /// Decodes four bytes.
    pub(crate) fn new(bytes: &[u8]) -> Option<Self> {
        let &[high, low, month, day] = bytes else { return None };
        // The highest bit of the month is `fold`: it marks the second of two equal times when a clock is set back.
        let (month, year) = (month & 0x7f, u16::from_be_bytes([high, low]).into());
        let is_date = (1..=12).contains(&month) && (1..=31).contains(&day);
        is_date.then_some(Date { year, month, day })
    }
}

impl Time {
    /// Decodes six bytes.
    pub(crate) fn new(bytes: &[u8], zone: Option<Span>) -> Option<Self> {
        let &[hour, minute, second, a, b, c] = bytes else { return None };
        // The highest bit of the hour is `fold`, as that of the month in a date.
        let hour = hour & 0x7f;
        let microsecond = u32::from_be_bytes([0, a, b, c]);
        if hour > 23 || minute > 59 || second > 59 || microsecond > 999_999 {
            return None;
        }
        let minutes = i64::from(hour).saturating_mul(60).saturating_add(minute.into());
        let seconds = minutes.saturating_mul(60).saturating_add(second.into());
        let microseconds = seconds.saturating_mul(1_000_000).saturating_add(microsecond.into());
        Some(Time { nanoseconds: microseconds.saturating_mul(1000), zone })
    }
}

impl DateTime {
    /// Decodes ten bytes.
    pub(crate) fn new(bytes: &[u8], zone: Option<Span>) -> Option<Self> {
        let (date, time) = bytes.split_at_checked(4)?;
        Some(DateTime { date: Date::new(date)?, time: Time::new(time, zone)? })
    }
}

impl Span {
    pub(crate) fn new(days: i64, seconds: i64, microseconds: i64) -> Option<Self> {
        let days = i128::from(days).checked_mul(DAY)?;
        let seconds = i128::from(seconds).checked_mul(SECOND)?;
        let microseconds = i128::from(microseconds).checked_mul(MICROSECOND)?;
        days.checked_add(seconds)?.checked_add(microseconds).map(Span)
    }

    /// Returns the span as text, in the largest unit that counts it without a fraction.
    ///
    /// ```
    /// use npy_pickle::time::Span;
    ///
    /// assert_eq!(Span(100_000_000_000).in_units(), "100 seconds");
    /// ```
    pub fn in_units(self) -> String {
        const UNITS: [(i128, &str); 4] = [
            (DAY, "days"),
            (SECOND, "seconds"),
            (1_000_000, "milliseconds"),
            (MICROSECOND, "microseconds"),
        ];
        let whole = |(length, name): (i128, &str)| match self.0.checked_rem(length)? {
            0 => Some(format!("{} {name}", self.0.checked_div(length)?)),
            _ => None,
        };
        let text = UNITS.into_iter().find_map(whole);
        text.unwrap_or_else(|| format!("{} nanoseconds", self.0))
    }

    /// Returns the days, seconds and nanoseconds. Only the days may be negative.
    fn parts(self) -> (i128, i128, i128) {
        let rest = self.0.rem_euclid(DAY);
        (self.0.div_euclid(DAY), rest / SECOND, rest % SECOND)
    }
}

/// Prints as in Python: `2001-02-03`.
impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

/// Prints as in Python: `04:05:06.000007+02:00`.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        time_of_day(f, Span(self.nanoseconds.into()))?;
        let Some(zone) = self.zone else { return Ok(()) };
        f.write_str(if zone.0 < 0 { "-" } else { "+" })?;
        let offset = Span(zone.0.saturating_abs());
        let (_, seconds, fraction) = offset.parts();
        match (seconds % 60, fraction) {
            (0, 0) => write!(f, "{:02}:{:02}", seconds / 3600, seconds / 60 % 60),
            _ => time_of_day(f, offset),
        }
    }
}

fn time_of_day(f: &mut fmt::Formatter<'_>, since_midnight: Span) -> fmt::Result {
    let (_, seconds, fraction) = since_midnight.parts();
    write!(f, "{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)?;
    match fraction {
        0 => Ok(()),
        _ if fraction % MICROSECOND == 0 => write!(f, ".{:06}", fraction / MICROSECOND),
        _ => write!(f, ".{fraction:09}"),
    }
}

/// Prints as in Python: `2001-02-03T04:05:06.000007+02:00`.
impl fmt::Display for DateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}T{}", self.date, self.time)
    }
}

/// Prints as Python's `repr`, with a fraction if there are nanoseconds.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (days, seconds, fraction) = self.parts();
        write!(f, "timedelta({days}, {seconds}, {}", fraction / MICROSECOND)?;
        match fraction % MICROSECOND {
            0 => f.write_str(")"),
            nanoseconds => write!(f, ".{nanoseconds:03})"),
        }
    }
}
