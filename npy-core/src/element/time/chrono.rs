//! Conversions to and from the types of `chrono`.

use chrono::{DateTime, Datelike, NaiveDate, TimeDelta, Utc};

use super::convert::{conversions, refused};
use super::{DateTime64, TimeDelta64, TimeUnit};
use crate::calendar::{NANOSECONDS_OF_DAY as DAY, exact_div};
use crate::element::{Element, InvalidValue};

/// The day number of 1970-01-01 in chrono.
const EPOCH: i128 = 719_163;
/// The number of nanoseconds in a second.
const SECOND: i128 = 1_000_000_000;

conversions! {
    DateTime64, DateTime<Utc>, "a chrono::DateTime": |nanoseconds| {
        let (seconds, rest) = split(nanoseconds)?;
        DateTime::from_timestamp(seconds, rest)
    }, |time| {
        let rest = i128::from(time.timestamp_subsec_nanos());
        // NumPy cannot represent a leap second.
        if rest < SECOND { joined(time.timestamp(), rest) } else { None }
    };
    DateTime64, NaiveDate, "a chrono::NaiveDate": |nanoseconds| {
        let days = exact_div(nanoseconds, DAY)?.checked_add(EPOCH)?;
        NaiveDate::from_num_days_from_ce_opt(i32::try_from(days).ok()?)
    }, |date| i128::from(date.num_days_from_ce()).checked_sub(EPOCH)?.checked_mul(DAY);
    TimeDelta64, TimeDelta, "a chrono::TimeDelta": |nanoseconds| {
        let (seconds, rest) = split(nanoseconds)?;
        TimeDelta::new(seconds, rest)
    }, |span| joined(span.num_seconds(), span.subsec_nanos().into());
}

/// Splits nanoseconds into whole seconds and the rest.
fn split(nanoseconds: i128) -> Option<(i64, u32)> {
    let seconds = i64::try_from(nanoseconds.div_euclid(SECOND)).ok()?;
    Some((seconds, u32::try_from(nanoseconds.rem_euclid(SECOND)).ok()?))
}

fn joined(seconds: i64, rest: i128) -> Option<i128> {
    i128::from(seconds).checked_mul(SECOND)?.checked_add(rest)
}

#[cfg(test)]
mod tests {
    use super::super::{Day, Month, Ms, Ns, Ps, Second, Us, Year};
    use super::*;

    #[test]
    fn moments_go_both_ways() {
        for count in [1_251_073_203_500, -1] {
            let time = DateTime64::<Ms>::new(count);
            let moment = DateTime::try_from(time).unwrap();
            assert_eq!(moment.timestamp_millis(), count);
            assert_eq!(DateTime64::<Ms>::try_from(moment).unwrap(), time);
            assert!(DateTime64::<Second>::try_from(moment).is_err());
        }
        let error = DateTime::try_from(DateTime64::<Ns>::NAT).unwrap_err();
        assert_eq!(error.to_string(), "NaT of '<M8[ns]' does not fit a chrono::DateTime");
        assert!(DateTime::try_from(DateTime64::<Ps>::new(1)).is_err());
        assert!(DateTime::try_from(DateTime64::<Second>::new(i64::MAX)).is_err());
        for end in [DateTime::<Utc>::MIN_UTC, DateTime::<Utc>::MAX_UTC] {
            let error = DateTime64::<Ns>::try_from(end).unwrap_err().to_string();
            assert!(error.ends_with(": it is out of range; use a coarser unit"), "{error}");
            let count = end.timestamp_micros();
            let end = DateTime::try_from(DateTime64::<Us>::new(count)).unwrap();
            assert_eq!(DateTime64::<Us>::try_from(end).unwrap().count(), count);
        }
    }

    /// Guards against a wrong result: as a count, a leap second equals the next second.
    #[test]
    fn a_leap_second_does_not_fit() {
        let leap = DateTime::from_timestamp(1_483_228_799, 1_500_000_000).unwrap();
        let error = DateTime64::<Ns>::try_from(leap).unwrap_err();
        assert_eq!(error.to_string(), "2016-12-31 23:59:60.500 UTC does not fit '<M8[ns]'");
    }

    #[test]
    fn dates_go_both_ways() {
        for date in [NaiveDate::MIN, NaiveDate::MAX, NaiveDate::from_ymd_opt(1970, 1, 1).unwrap()] {
            let time = DateTime64::<Day>::try_from(date).unwrap();
            assert_eq!(NaiveDate::try_from(time).unwrap(), date);
        }
        let first = |year, month| NaiveDate::from_ymd_opt(year, month, 1).unwrap();
        assert_eq!(NaiveDate::try_from(DateTime64::<Month>::new(-1)).unwrap(), first(1969, 12));
        assert_eq!(DateTime64::<Day>::try_from(first(2000, 3)).unwrap().to_string(), "2000-03-01");
        assert_eq!(DateTime64::<Year>::try_from(first(2024, 1)).unwrap().count(), 54);
        assert!(DateTime64::<Year>::try_from(first(2024, 2)).is_err());
        assert!(NaiveDate::try_from(DateTime64::<Second>::new(1)).is_err());
        assert!(NaiveDate::try_from(DateTime64::<Day>::new(i64::MAX)).is_err());
        assert!(NaiveDate::try_from(DateTime64::<Day>::NAT).is_err());
    }

    #[test]
    fn spans_go_both_ways() {
        for count in [-1_500_000_001, 1_500_000_001, -1, 0, i64::MAX, i64::MIN + 1] {
            let span = TimeDelta64::<Ns>::new(count);
            let delta = TimeDelta::try_from(span).unwrap();
            assert_eq!(delta.num_nanoseconds(), Some(count));
            assert_eq!(TimeDelta64::<Ns>::try_from(delta).unwrap(), span);
        }
        let error = TimeDelta64::<Us>::try_from(TimeDelta::nanoseconds(1)).unwrap_err().to_string();
        assert!(error.ends_with("; use a finer unit"), "{error}");
        assert!(TimeDelta64::<Ns>::try_from(TimeDelta::MAX).is_err());
        assert!(TimeDelta::try_from(TimeDelta64::<Second>::new(i64::MAX)).is_err());
        assert!(TimeDelta::try_from(TimeDelta64::<Month>::new(1)).is_err());
    }
}
