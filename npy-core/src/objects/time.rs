//! Python's dates, times and spans, as they are stored in pickles.

use std::fmt;

use crate::calendar::{civil, first_day};

const DAY: i128 = 86_400 * SECOND;
const SECOND: i128 = 1_000_000_000;
const MICROSECOND: i128 = 1000;

/// A date, in days since 1970-01-01.
#[derive(Clone, Copy)]
pub(crate) struct Date(pub(crate) i128);

/// A time of day.
#[derive(Clone, Copy)]
pub(crate) struct Time {
    nanoseconds: i128,
    /// The offset of the zone from UTC.
    zone: Option<Span>,
}

/// A date and a time of day.
#[derive(Clone, Copy)]
pub(crate) struct DateTime {
    /// The nanoseconds since 1970-01-01T00:00 in the same zone.
    pub(crate) nanoseconds: i128,
    pub(crate) zone: Option<Span>,
}

/// A span of time in nanoseconds.
#[derive(Clone, Copy)]
pub(crate) struct Span(pub(crate) i128);

impl Date {
    /// Decodes four bytes.
    pub(super) fn new(bytes: &[u8]) -> Option<Self> {
        let &[high, low, month, day] = bytes else { return None };
        let year = i128::from(u16::from_be_bytes([high, low]));
        // The highest bit of the month is `fold`: it marks the second of two equal times when a clock is set back.
        let month =
            i128::from(month & 0x7f).checked_sub(1).filter(|month| (0..12).contains(month))?;
        let day = i128::from(day).checked_sub(1).filter(|day| (0..31).contains(day))?;
        first_day(year, month)?.checked_add(day).map(Date)
    }
}

impl Time {
    /// Decodes six bytes.
    pub(super) fn new(bytes: &[u8]) -> Option<Self> {
        let &[hour, minute, second, a, b, c] = bytes else { return None };
        // The highest bit of the hour is `fold`, as that of the month in a date.
        let (hour, minute, second) = (hour & 0x7f, minute, second);
        let microsecond = u32::from_be_bytes([0, a, b, c]);
        if hour > 23 || minute > 59 || second > 59 || microsecond > 999_999 {
            return None;
        }
        let minutes = i128::from(hour).saturating_mul(60).saturating_add(minute.into());
        let seconds = minutes.saturating_mul(60).saturating_add(second.into());
        let fraction = i128::from(microsecond).saturating_mul(MICROSECOND);
        let nanoseconds = seconds.saturating_mul(SECOND).saturating_add(fraction);
        Some(Time { nanoseconds, zone: None })
    }

    pub(super) fn in_zone(self, zone: Option<Span>) -> Self {
        Time { zone, ..self }
    }
}

impl DateTime {
    /// Decodes ten bytes.
    pub(super) fn new(bytes: &[u8]) -> Option<Self> {
        let (date, time) = bytes.split_at_checked(4)?;
        let (date, time) = (Date::new(date)?, Time::new(time)?);
        let nanoseconds = date.0.checked_mul(DAY)?.checked_add(time.nanoseconds)?;
        Some(DateTime { nanoseconds, zone: None })
    }

    /// Returns the time of this count, without a zone.
    pub(super) fn of_pandas(count: i64, unit: Option<i64>) -> Option<Self> {
        Some(DateTime { nanoseconds: Span::of_pandas(count, unit)?.0, zone: None })
    }

    /// Returns the same date and time of day, in this zone.
    pub(super) fn in_zone(self, zone: Option<Span>) -> Self {
        DateTime { zone, ..self }
    }

    /// Converts a time in UTC to this zone.
    pub(super) fn utc_in_zone(self, zone: Option<Span>) -> Self {
        let offset = zone.map_or(0, |offset| offset.0);
        DateTime { nanoseconds: self.nanoseconds.saturating_add(offset), zone }
    }

    /// Returns the nanoseconds since 1970-01-01T00:00 in UTC. A time without a zone is not converted.
    pub(super) fn to_utc(self) -> i128 {
        self.nanoseconds.saturating_sub(self.zone.map_or(0, |offset| offset.0))
    }
}

impl Span {
    pub(super) fn new(days: i64, seconds: i64, microseconds: i64) -> Option<Self> {
        let days = i128::from(days).checked_mul(DAY)?;
        let seconds = i128::from(seconds).checked_mul(SECOND)?;
        let microseconds = i128::from(microseconds).checked_mul(MICROSECOND)?;
        days.checked_add(seconds)?.checked_add(microseconds).map(Span)
    }

    /// Returns the span of this count; `unit` is NumPy's number of the unit, nanoseconds if there is none.
    pub(super) fn of_pandas(count: i64, unit: Option<i64>) -> Option<Self> {
        let unit = match unit {
            Some(7) => SECOND,
            Some(8) => 1_000_000,
            Some(9) => MICROSECOND,
            Some(10) | None => 1,
            Some(_) => return None,
        };
        i128::from(count).checked_mul(unit).map(Span)
    }

    /// Returns the span as NumPy prints it, in the largest unit of which it is a whole number: `100 seconds`.
    #[cfg(feature = "serde")]
    pub(crate) fn in_units(self) -> String {
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

    /// Returns the days, seconds and nanoseconds, of which only the days may be negative.
    fn parts(self) -> (i128, i128, i128) {
        let rest = self.0.rem_euclid(DAY);
        (self.0.div_euclid(DAY), rest / SECOND, rest % SECOND)
    }
}

/// Prints as in Python: `2001-02-03`.
impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = civil(self.0);
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

/// Prints as in Python: `04:05:06.000007+02:00`.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        time_of_day(f, self.nanoseconds)?;
        let Some(zone) = self.zone else { return Ok(()) };
        f.write_str(if zone.0 < 0 { "-" } else { "+" })?;
        let (_, seconds, fraction) = Span(zone.0.saturating_abs()).parts();
        match (seconds % 60, fraction) {
            (0, 0) => write!(f, "{:02}:{:02}", seconds / 3600, seconds / 60 % 60),
            _ => time_of_day(f, zone.0.saturating_abs()),
        }
    }
}

fn time_of_day(f: &mut fmt::Formatter<'_>, nanoseconds: i128) -> fmt::Result {
    let (_, seconds, fraction) = Span(nanoseconds).parts();
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
        let days = self.nanoseconds.div_euclid(DAY);
        let time = Time { nanoseconds: self.nanoseconds.rem_euclid(DAY), zone: self.zone };
        write!(f, "{}T{time}", Date(days))
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
