//! Parses times and spans from the text that NumPy prints.

use std::cmp::Ordering;
use std::str::FromStr;

use super::{DateTime64, TimeDelta64, TimeUnit};
use crate::calendar::{DAY, attoseconds, converted, exact_div, first_day, to_count};
use crate::dtype::descr::excerpt;
use crate::dtype::{Resolution, UNITS, Unit};
use crate::element::{Element, InvalidValue};

/// Parses ISO 8601 as NumPy prints and reads it: `2009-08`, `2009-08-24`, `2009-08-24T00:20:03.5`, or `NaT`. A time that ends with its
/// offset from UTC (`Z`, `+02:00`) is converted to UTC. Nothing is rounded: the text must be a whole number of units. The text of a
/// `DateTime64<Generic>` is an integer.
///
/// ```
/// use npy_core::DateTime64;
/// use npy_core::time::{Day, Ms};
///
/// let time: DateTime64<Ms> = "2009-08-24T00:20:03.5".parse()?;
/// assert_eq!(time.count(), 1_251_073_203_500);
/// assert_eq!("2022-01-08".parse::<DateTime64<Day>>()?.count(), 19_000);
/// assert!("2022-01-08T12".parse::<DateTime64<Day>>().is_err());
/// # Ok::<(), npy_core::InvalidValue>(())
/// ```
impl<U: TimeUnit> FromStr for DateTime64<U> {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        if text.eq_ignore_ascii_case("NaT") {
            return Ok(Self::NAT);
        }
        let (local, offset) = split_offset(text).unwrap_or((text, 0));
        Self::parse_at(local, offset).ok_or_else(|| Self::not_a_time(text, local, offset))
    }
}

impl<U: TimeUnit> DateTime64<U> {
    /// Parses a time and subtracts `offset`, its offset from UTC in attoseconds. For a generic
    /// time, `offset` has no effect.
    fn parse_at(text: &str, offset: i128) -> Option<Self> {
        let count = match U::RESOLUTION {
            None => text.parse().ok(),
            Some(resolution) => date(text, offset, resolution),
        };
        count.map(Self::new)
    }

    /// Returns the error for a text whose parts are `local` and `offset`.
    fn not_a_time(text: &str, local: &str, offset: i128) -> InvalidValue {
        let (text, dtype) = (excerpt(&format!("{text:?}")), Self::dtype());
        let Some(own) = U::RESOLUTION else {
            return InvalidValue::new(format!(
                "{text} is not a time of '{dtype}'; write an integer"
            ));
        };
        let is_time_of =
            |unit: Unit| date(local, offset, Resolution { multiple: 1, unit }).is_some();
        let at = |unit| UNITS.iter().position(|(other, _)| *other == unit);
        // From the day on, a time that is whole in a unit is whole in all finer ones.
        let coarsest = units().skip_while(|unit| *unit != Unit::Day).find(|unit| is_time_of(*unit));
        let reason = match coarsest.map(|unit| at(unit).cmp(&at(own.unit))) {
            Some(Ordering::Less) => ": it is out of range; use a coarser unit",
            Some(Ordering::Equal) => ": it is no multiple of the unit; use another unit",
            Some(Ordering::Greater) => ": it has a fraction of a unit; use a finer unit",
            None => &format!("; write a time such as {}", Self::new(0)),
        };
        InvalidValue::new(format!("{text} is not a time of '{dtype}'{reason}"))
    }
}

/// Parses a number and a unit as NumPy prints them, `100 seconds`, or `NaT`. The text may have
/// another unit than the type. Nothing is rounded.
///
/// ```
/// use npy_core::TimeDelta64;
/// use npy_core::time::{Ms, Second};
///
/// assert_eq!("100 seconds".parse::<TimeDelta64<Second>>()?.count(), 100);
/// assert_eq!("2 hours".parse::<TimeDelta64<Ms>>()?.count(), 7_200_000);
/// # Ok::<(), npy_core::InvalidValue>(())
/// ```
impl<U: TimeUnit> FromStr for TimeDelta64<U> {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        if text.eq_ignore_ascii_case("NaT") {
            return Ok(Self::NAT);
        }
        span(text, U::RESOLUTION).map(Self::new).ok_or_else(|| {
            let (text, dtype) = (excerpt(&format!("{text:?}")), Self::dtype());
            let form = match U::RESOLUTION {
                None => "a number and its unit: 100 generic time units",
                Some(_) => "a number and a unit, as in 100 seconds, with no fraction of a unit of the dtype",
            };
            InvalidValue::new(format!("{text} is not a span of '{dtype}'; write {form}"))
        })
    }
}

/// Returns the time without its offset from UTC, and the offset in attoseconds; `None` if the text
/// has no valid offset.
fn split_offset(text: &str) -> Option<(&str, i128)> {
    let time = text.find(['T', ' '])?;
    if let Some(local) = text.strip_suffix('Z') {
        return Some((local, 0));
    }
    let sign = text.rfind(['+', '-']).filter(|&sign| sign > time)?;
    let (local, offset) = text.split_at_checked(sign)?;
    let is_negative = offset.starts_with('-');
    let digits = offset.get(1..)?;
    let offset = match (digits.len(), digits.split_at_checked(2)) {
        (4, Some((hours, minutes))) => time_of_day(&format!("{hours}:{minutes}"))?,
        _ => time_of_day(digits)?,
    };
    Some((local, if is_negative { offset.checked_neg()? } else { offset }))
}

/// Parses a date, or a date and time, and subtracts the offset from UTC, which is in attoseconds. Returns the count at this resolution;
/// `None` if the text is invalid, or the count is not whole.
fn date(text: &str, offset: i128, resolution: Resolution) -> Option<i64> {
    let (day, time) = match text.split_once(['T', ' ']) {
        Some((day, time)) => (day, Some(time)),
        None => (text, None),
    };
    let (is_negative, day) = match day.strip_prefix('-') {
        Some(day) => (true, day),
        None => (false, day.strip_prefix('+').unwrap_or(day)),
    };
    let mut parts = day.split('-');
    let year = parts.next().filter(|year| year.len() >= 3).and_then(digits)?;
    let year = if is_negative { year.checked_neg()? } else { year };
    let month = parts.next().map(|month| two(month, 1, 12));
    let day = parts.next().map(|day| two(day, 1, 31));
    // A time needs a complete date.
    if parts.next().is_some() || (time.is_some() && day.is_none()) {
        return None;
    }
    let month = month.unwrap_or(Some(1))?.checked_sub(1)?;
    let first = first_day(year, month)?;
    let days = first.checked_add(day.unwrap_or(Some(1))?.checked_sub(1)?)?;
    let (next_year, next_month) =
        if month == 11 { (year.checked_add(1)?, 0) } else { (year, month.checked_add(1)?) };
    if days >= first_day(next_year, next_month)? {
        return None;
    }
    let rest = time.map_or(Some(0), time_of_day)?.checked_sub(offset)?;
    let months = || year.checked_sub(1970)?.checked_mul(12)?.checked_add(month);
    let is_start = rest == 0 && days == first;
    let units = match resolution.unit {
        Unit::Year if is_start => exact_div(months()?, 12)?,
        Unit::Month if is_start => months()?,
        Unit::Year | Unit::Month => return None,
        Unit::Week if rest == 0 => exact_div(days, 7)?,
        Unit::Week => return None,
        unit => {
            let length = attoseconds(unit)?;
            days.checked_mul(exact_div(DAY, length)?)?.checked_add(exact_div(rest, length)?)?
        }
    };
    to_count(units, resolution, exact_div)
}

/// Parses a time of day (`12`, `12:34`, `12:34:56` or `12:34:56.789`) as the number of attoseconds since midnight.
fn time_of_day(text: &str) -> Option<i128> {
    let (clock, fraction) = match text.split_once('.') {
        Some((clock, fraction)) => (clock, Some(fraction)),
        None => (text, None),
    };
    let mut parts = clock.split(':');
    let hours = two(parts.next()?, 0, 23)?;
    let minutes = parts.next().map_or(Some(0), |minutes| two(minutes, 0, 59))?;
    let seconds = parts.next();
    if parts.next().is_some() || (fraction.is_some() && seconds.is_none()) {
        return None;
    }
    let seconds = seconds.map_or(Some(0), |seconds| two(seconds, 0, 59))?;
    let minutes = hours.checked_mul(60)?.checked_add(minutes)?;
    let seconds = minutes.checked_mul(60)?.checked_add(seconds)?;
    let attoseconds = match fraction {
        Some(fraction) if (1..=18).contains(&fraction.len()) => {
            digits(&format!("{fraction:0<18}"))?
        }
        Some(_) => return None,
        None => 0,
    };
    seconds.checked_mul(1_000_000_000_000_000_000)?.checked_add(attoseconds)
}

/// Parses a span as a count at this resolution; `None` for invalid text and for a fraction.
fn span(text: &str, resolution: Option<Resolution>) -> Option<i64> {
    let (number, name) = text.trim().split_once(' ')?;
    let number: i128 = number.parse::<i128>().ok()?;
    let Some(resolution) = resolution else {
        return (name == "generic time units").then(|| i64::try_from(number).ok())?;
    };
    let unit = units().find(|unit| {
        let singular = format!("{unit:?}").to_ascii_lowercase();
        name.strip_suffix('s').unwrap_or(name).eq_ignore_ascii_case(&singular)
    })?;
    to_count(converted(number, unit, resolution.unit, false, exact_div)?, resolution, exact_div)
}

/// Iterates over the units, the longest first.
fn units() -> impl Iterator<Item = Unit> {
    UNITS.iter().map(|(unit, _)| *unit)
}

/// Parses digits without a sign.
fn digits(text: &str) -> Option<i128> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

/// Parses a number of exactly two digits, from `min` to `max`.
fn two(text: &str, min: i128, max: i128) -> Option<i128> {
    digits(text).filter(|n| text.len() == 2 && (min..=max).contains(n))
}

#[cfg(test)]
mod tests {
    use super::super::{
        As, Day, Generic, Hour, Minute, Month, Ms, Ns, Second, Times, Us, Week, Year,
    };
    use super::*;

    #[test]
    fn a_text_that_is_no_time_of_the_unit_says_why() {
        fn error<U: TimeUnit>(text: &str) -> String {
            text.parse::<DateTime64<U>>().unwrap_err().to_string()
        }
        let ends = |error: String, end: &str| assert!(error.ends_with(end), "{error}");
        ends(
            error::<Ns>("3000-01-01T00:00:00"),
            "'<M8[ns]': it is out of range; use a coarser unit",
        );
        ends(
            error::<Second>("3000-01-01T00:00:00.5"),
            "it has a fraction of a unit; use a finer unit",
        );
        ends(error::<Week>("2022-01-01"), "it has a fraction of a unit; use a finer unit");
        ends(
            error::<Times<25, Second>>("2022-01-01T00:00:01"),
            "it is no multiple of the unit; use another unit",
        );
        fn check_example<U: TimeUnit>(expected: &str) {
            let error = error::<U>("24.08.2009");
            let (_, example) = error.split_once("; write a time such as ").unwrap();
            assert_eq!(example, expected);
            assert_eq!(example.parse::<DateTime64<U>>().unwrap().count(), 0);
        }
        check_example::<Year>("1970");
        check_example::<Day>("1970-01-01");
        check_example::<Times<25, Second>>("1970-01-01T00:00:00");
        ends(error::<Generic>("yesterday"), "write an integer");
    }

    fn both_ways<U: TimeUnit>(counts: &[i64]) {
        for &count in counts {
            let time = DateTime64::<U>::new(count);
            assert_eq!(time.to_string().parse::<DateTime64<U>>().unwrap(), time, "{time}");
            let span = TimeDelta64::<U>::new(count);
            assert_eq!(span.to_string().parse::<TimeDelta64<U>>().unwrap(), span, "{span}");
        }
    }

    /// Guards that printed times and spans are parsed as the same values, in many units and for extreme counts.
    #[test]
    fn printed_times_and_spans_are_parsed() {
        let counts = [0, 1, -1, 59, 11_016, -719_529, i64::MAX, i64::MIN, i64::MIN + 1];
        both_ways::<Year>(&counts);
        both_ways::<Month>(&counts);
        both_ways::<Week>(&counts);
        both_ways::<Day>(&counts);
        both_ways::<Hour>(&counts);
        both_ways::<Minute>(&counts);
        both_ways::<Second>(&counts);
        both_ways::<Ms>(&counts);
        both_ways::<Us>(&counts);
        both_ways::<Ns>(&counts);
        both_ways::<As>(&counts);
        both_ways::<Generic>(&counts);
        both_ways::<Times<25, Second>>(&counts);
    }

    /// Guards the sign of an offset, and offsets across midnight and with seconds.
    #[cfg(feature = "serde")]
    #[test]
    fn offsets_from_utc_are_subtracted() {
        let utc = |text: &str| text.parse::<DateTime64<Ms>>().map(|time| time.to_string());
        for (text, expected) in [
            ("2009-08-24T00:20:03.5", "2009-08-24T00:20:03.500"),
            ("2009-08-24T00:20:03Z", "2009-08-24T00:20:03.000"),
            ("2009-08-24T00:20:03.5+02:00", "2009-08-23T22:20:03.500"),
            ("2009-08-23 22:20-02:30", "2009-08-24T00:50:00.000"),
            ("2009-08-23 22:20-0230", "2009-08-24T00:50:00.000"),
            ("2009-08-24T22+02", "2009-08-24T20:00:00.000"),
            ("1890-01-01T00:53:28+00:53:28", "1890-01-01T00:00:00.000"),
            ("2009-08-24", "2009-08-24T00:00:00.000"),
        ] {
            assert_eq!(utc(text).unwrap(), expected, "{text}");
        }
        for text in [
            "2009-08-24T00:20+",
            "2009-08-24T00:20+2",
            "2009-08-24T00:20+02:",
            "2009-08-24T00:20+02:00Z",
            "Z",
            "+",
        ] {
            assert!(utc(text).is_err(), "{text}");
        }
        assert!("2009-08-24T01+05:30".parse::<DateTime64<Hour>>().is_err());
    }

    #[test]
    fn only_complete_and_exact_text_is_parsed() {
        for text in [
            "",
            "2009-",
            "09-08-24-",
            "2009-13",
            "2009-02-29",
            "2009-08-24T",
            "2009-08T01",
            "2009-08-24T24",
            "2009-08-24T00:60",
            "2009-08-24T00:00:00.",
            "2009-08-24T00:00.5",
            "2009-08-24Z",
            "2009-08-24T00:20:03.0005",
            "+-2009",
            "20 09",
            "2009-8-4",
            "99999999999999999999999999999999999999999",
            "é",
            "-",
        ] {
            assert!(text.parse::<DateTime64<Ms>>().is_err(), "{text}");
            assert!(text.parse::<TimeDelta64<Ms>>().is_err(), "{text}");
        }
        assert!("nat".parse::<DateTime64<Ms>>().unwrap().is_nat());
        assert_eq!("2000-02-29 00:00".parse::<DateTime64<Ms>>().unwrap().count(), 951_782_400_000);
        assert!("2009-08-24".parse::<DateTime64<Month>>().is_err());
        assert!("30 seconds".parse::<TimeDelta64<Times<25, Second>>>().is_err());
        assert_eq!("2 years".parse::<TimeDelta64<Month>>().unwrap().count(), 24);
        let error = "noon".parse::<DateTime64<Ms>>().unwrap_err().to_string();
        assert!(
            error.starts_with("\"noon\" is not a time of '<M8[ms]'; write a time such as 1970"),
            "{error}"
        );
    }
}
