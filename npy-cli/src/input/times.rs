//! Times and spans of time as text.

use npy_core::dtype::{Resolution, Unit};
use npy_core::time::{self, Day, Hour, Minute, Ms, Ns, Second, TimeUnit, Us};
use npy_core::{DateTime64, TimeDelta64};

/// The attoseconds of a second.
const SECOND: i128 = 1_000_000_000_000_000_000;

/// The units of spans of time that are guessed, the shortest first.
pub(super) const SPAN_UNITS: [Unit; 9] = {
    use Unit::{Day, Hour, Microsecond, Millisecond, Minute, Month, Nanosecond, Second, Year};
    [Nanosecond, Microsecond, Millisecond, Second, Minute, Hour, Day, Month, Year]
};

/// The resolution of times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Digits {
    Day,
    Hour,
    Minute,
    Second,
    Ms,
    Us,
    Ns,
}

impl Digits {
    /// Returns the resolution of a time such as `2024-01-31` or `2024-01-31 12:00:00.5`; `None` for any other text.
    pub(super) fn of(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let shape = |from: usize, form: &str| {
            let part = bytes.get(from..from + form.len())?;
            let same = |(byte, form): (&u8, u8)| match form {
                b'0' => byte.is_ascii_digit(),
                b'T' => matches!(byte, b'T' | b' '),
                other => *byte == other,
            };
            part.iter().zip(form.bytes()).all(same).then_some(())
        };
        shape(0, "0000-00-00")?;
        let digits = match bytes.len() {
            10 => Digits::Day,
            13 => shape(10, "T00").map(|()| Digits::Hour)?,
            16 => shape(10, "T00:00").map(|()| Digits::Minute)?,
            _ => {
                shape(10, "T00:00:00")?;
                match bytes.get(19..)? {
                    [] => Digits::Second,
                    [b'.', fraction @ ..] if fraction.iter().all(u8::is_ascii_digit) => {
                        match fraction.len() {
                            1..=3 => Digits::Ms,
                            4..=6 => Digits::Us,
                            7..=9 => Digits::Ns,
                            _ => return None,
                        }
                    }
                    _ => return None,
                }
            }
        };
        // The month and the day exist, and the time fits.
        digits.count(text).map(|_| digits)
    }

    /// Returns the resolution of a time that may end with its offset from UTC: `2024-01-31T12:00:00+02:00`.
    pub(super) fn of_any_zone(text: &str) -> Option<Self> {
        let local = text.strip_suffix('Z').or_else(|| {
            let (time, offset) = text.rsplit_once(['+', '-'])?;
            (time.contains(':') && matches!(offset.len(), 2 | 4 | 5)).then_some(time)
        });
        let Some(local) = local else { return Digits::of(text) };
        // An offset has minutes.
        let digits = Digits::of(local)?.max(Digits::Minute);
        digits.count(text).map(|_| digits)
    }

    pub(super) fn unit(self) -> Unit {
        match self {
            Digits::Day => Unit::Day,
            Digits::Hour => Unit::Hour,
            Digits::Minute => Unit::Minute,
            Digits::Second => Unit::Second,
            Digits::Ms => Unit::Millisecond,
            Digits::Us => Unit::Microsecond,
            Digits::Ns => Unit::Nanosecond,
        }
    }

    /// Returns the time in units. If it ends with its offset from UTC, it is converted to UTC.
    pub(super) fn count(self, text: &str) -> Option<i64> {
        count(text, self.unit(), false)
    }
}

/// Returns the number of units of a time, in any form that NumPy reads.
pub(super) fn point(text: &str, resolution: Resolution) -> Option<i64> {
    count(text, resolution.unit, false)
}

/// Returns the number of units of a span of time: `90 seconds`.
pub(super) fn span(text: &str, resolution: Resolution) -> Option<i64> {
    count(text, resolution.unit, true).or_else(|| days_and_time(text, resolution.unit))
}

/// Returns the number of units of a span as pandas writes it: `1 days 02:03:04.5`, `-1 days +23:59:59`.
fn days_and_time(text: &str, unit: Unit) -> Option<i64> {
    const DIGITS: usize = 18;
    let (days, time) = text.split_once(" day")?;
    let days: i64 = days.parse().ok()?;
    let time = time.strip_prefix('s').unwrap_or(time).strip_prefix(' ')?;
    let time = time.strip_prefix('+').unwrap_or(time);
    let (time, fraction) = time.split_once('.').unwrap_or((time, ""));
    let are_digits = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
    let parts: Vec<&str> =
        time.split(':').filter(|part| part.len() == 2).filter(are_digits).collect();
    let [hours, minutes, seconds] = parts[..] else { return None };
    if time.len() != 8 || fraction.len() > DIGITS || !are_digits(&fraction) {
        return None;
    }
    let number = |text: &str| text.parse::<i128>().ok();
    let [hours, minutes, seconds] = [number(hours)?, number(minutes)?, number(seconds)?];
    if hours > 23 || minutes > 59 || seconds > 59 {
        return None;
    }
    let seconds = i128::from(days) * 86_400 + 3600 * hours + 60 * minutes + seconds;
    let fraction = number(&format!("{fraction:0<DIGITS$}"))?;
    let attoseconds = seconds.checked_mul(SECOND)?.checked_add(fraction)?;
    let size = attoseconds_of(unit)?;
    (attoseconds % size == 0).then(|| i64::try_from(attoseconds / size).ok())?
}

/// Returns the attoseconds of a unit; `None` for one that is not always as long.
pub(crate) fn attoseconds_of(unit: Unit) -> Option<i128> {
    Some(match unit {
        Unit::Year | Unit::Month => return None,
        Unit::Week => 604_800 * SECOND,
        Unit::Day => 86_400 * SECOND,
        Unit::Hour => 3600 * SECOND,
        Unit::Minute => 60 * SECOND,
        Unit::Second => SECOND,
        Unit::Millisecond => SECOND / 1000,
        Unit::Microsecond => SECOND / 1_000_000,
        Unit::Nanosecond => SECOND / 1_000_000_000,
        Unit::Picosecond => 1_000_000,
        Unit::Femtosecond => 1000,
        Unit::Attosecond => 1,
    })
}

/// Returns true for a span of time that has a unit, whichever.
pub(super) fn is_span(text: &str) -> bool {
    [Unit::Month, Unit::Second, Unit::Nanosecond, Unit::Attosecond]
        .into_iter()
        .any(|unit| count(text, unit, true).or_else(|| days_and_time(text, unit)).is_some())
}

fn count(text: &str, unit: Unit, is_span: bool) -> Option<i64> {
    let parse = match unit {
        Unit::Year => parsed::<time::Year>,
        Unit::Month => parsed::<time::Month>,
        Unit::Week => parsed::<time::Week>,
        Unit::Day => parsed::<Day>,
        Unit::Hour => parsed::<Hour>,
        Unit::Minute => parsed::<Minute>,
        Unit::Second => parsed::<Second>,
        Unit::Millisecond => parsed::<Ms>,
        Unit::Microsecond => parsed::<Us>,
        Unit::Nanosecond => parsed::<Ns>,
        Unit::Picosecond => parsed::<time::Ps>,
        Unit::Femtosecond => parsed::<time::Fs>,
        Unit::Attosecond => parsed::<time::As>,
    };
    parse(text, is_span)
}

fn parsed<U: TimeUnit>(text: &str, is_span: bool) -> Option<i64> {
    match is_span {
        true => text.parse::<TimeDelta64<U>>().ok().map(TimeDelta64::count),
        false => text.parse::<DateTime64<U>>().ok().map(DateTime64::count),
    }
}

#[cfg(test)]
mod tests {
    use npy_core::dtype::Unit;

    use super::days_and_time;

    #[test]
    fn spans_of_pandas_are_counts() {
        for (text, unit, count) in [
            ("0 days 00:00:01", Unit::Second, Some(1)),
            ("1 day 00:00:00", Unit::Day, Some(1)),
            ("-1 days +23:59:59.5", Unit::Millisecond, Some(-500)),
            ("3 days 02:03:04.000000005", Unit::Nanosecond, Some(266_584_000_000_005)),
            ("0 days 00:00:00.5", Unit::Second, None),
            ("0 days 00:00:01", Unit::Month, None),
            ("106752 days 00:00:00", Unit::Nanosecond, None),
            ("0 days 0:00:01", Unit::Second, None),
            ("0 days 00:00:01.", Unit::Second, Some(1)),
            ("0 days", Unit::Second, None),
            ("0 days 00:00:-1", Unit::Second, None),
            ("0 days 23:59:59", Unit::Second, Some(86_399)),
            ("0 days 24:00:00", Unit::Second, None),
            ("0 days 00:60:00", Unit::Second, None),
            ("0 days 00:00:60", Unit::Second, None),
            ("9223372036854775807 days 00:00:00", Unit::Day, None),
            ("-9223372036854775808 days +23:59:59", Unit::Second, None),
            ("106751991167300 days 00:00:00", Unit::Second, Some(9_223_372_036_854_720_000)),
        ] {
            assert_eq!(days_and_time(text, unit), count, "{text}");
        }
    }
}
