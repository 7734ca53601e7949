//! Conversions to and from the types of `jiff`.

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};

use super::convert::{conversions, refused};
use super::{DateTime64, TimeDelta64, TimeUnit};
use crate::calendar::{NANOSECONDS_OF_DAY as DAY, exact_div};
use crate::element::{Element, InvalidValue};

const EPOCH: Date = Date::constant(1970, 1, 1);

conversions! {
    DateTime64, Timestamp, "a jiff::Timestamp":
        |nanoseconds| Timestamp::from_nanosecond(nanoseconds).ok(),
        |time| Some(time.as_nanosecond());
    DateTime64, Date, "a jiff::civil::Date": |nanoseconds| {
        let days = i64::try_from(exact_div(nanoseconds, DAY)?).ok()?;
        EPOCH.checked_add(SignedDuration::from_secs(days.checked_mul(86_400)?)).ok()
    }, |date| Some(date.duration_since(EPOCH).as_nanos());
    TimeDelta64, SignedDuration, "a jiff::SignedDuration": |nanoseconds| {
        let seconds = i64::try_from(nanoseconds.checked_div(1_000_000_000)?).ok()?;
        let rest = i32::try_from(nanoseconds.checked_rem(1_000_000_000)?).ok()?;
        // Both parts have the sign of the span, so `new` moves nothing from one to the other.
        Some(SignedDuration::new(seconds, rest))
    }, |span| Some(span.as_nanos());
}

#[cfg(test)]
mod tests {
    use super::super::{Day, Month, Ms, Ns, Ps, Second, Us, Year};
    use super::*;

    #[test]
    fn timestamps_go_both_ways() {
        let time = DateTime64::<Ms>::new(1_251_073_203_500);
        let stamp = Timestamp::try_from(time).unwrap();
        assert_eq!(stamp.to_string(), "2009-08-24T00:20:03.5Z");
        assert_eq!(DateTime64::<Ms>::try_from(stamp).unwrap(), time);
        assert_eq!(DateTime64::<Ns>::try_from(stamp).unwrap().count(), 1_251_073_203_500_000_000);
        let error = DateTime64::<Second>::try_from(stamp).unwrap_err();
        assert_eq!(
            error.to_string(),
            "2009-08-24T00:20:03.5Z does not fit '<M8[s]'; use a finer unit"
        );
        let error = Timestamp::try_from(DateTime64::<Ns>::NAT).unwrap_err();
        assert_eq!(error.to_string(), "NaT of '<M8[ns]' does not fit a jiff::Timestamp");
        assert!(Timestamp::try_from(DateTime64::<Ps>::new(1)).is_err());
        assert!(Timestamp::try_from(DateTime64::<Second>::new(i64::MAX)).is_err());
        for end in [Timestamp::MIN, Timestamp::MAX] {
            assert!(DateTime64::<Ns>::try_from(end).is_err());
            let end = end.round(jiff::Unit::Microsecond).unwrap_or(Timestamp::MIN);
            let time = DateTime64::<Us>::try_from(end).unwrap();
            assert_eq!(Timestamp::try_from(time).unwrap(), end);
        }
    }

    #[test]
    fn dates_go_both_ways() {
        for (date, days) in [
            (Date::MIN, -4_371_587),
            (Date::MAX, 2_932_896),
            (EPOCH, 0),
            (Date::constant(1582, 10, 4), -141_438),
        ] {
            let time = DateTime64::<Day>::try_from(date).unwrap();
            assert_eq!(time.count(), days);
            assert_eq!(Date::try_from(time).unwrap(), date);
            assert_eq!(time.to_string(), date.to_string().replace("-009999", "-9999"));
        }
        assert_eq!(
            Date::try_from(DateTime64::<Month>::new(-1)).unwrap(),
            Date::constant(1969, 12, 1)
        );
        assert_eq!(DateTime64::<Year>::try_from(Date::constant(2024, 1, 1)).unwrap().count(), 54);
        assert!(DateTime64::<Year>::try_from(Date::constant(2024, 2, 1)).is_err());
        assert!(Date::try_from(DateTime64::<Second>::new(1)).is_err());
        assert!(Date::try_from(DateTime64::<Day>::new(i64::MAX)).is_err());
        assert!(Date::try_from(DateTime64::<Day>::NAT).is_err());
    }

    #[test]
    fn spans_go_both_ways() {
        let span = TimeDelta64::<Ns>::new(-1_500_000_001);
        let duration = SignedDuration::try_from(span).unwrap();
        assert_eq!(duration, SignedDuration::new(-1, -500_000_001));
        assert_eq!(TimeDelta64::<Ns>::try_from(duration).unwrap(), span);
        assert!(TimeDelta64::<Us>::try_from(duration).is_err());
        assert!(SignedDuration::try_from(TimeDelta64::<Month>::new(1)).is_err());
        assert!(SignedDuration::try_from(TimeDelta64::<Day>::new(i64::MAX)).is_err());
        for end in [SignedDuration::MIN, SignedDuration::MAX] {
            assert!(TimeDelta64::<Ns>::try_from(end).is_err());
        }
        let most = TimeDelta64::<Second>::new(i64::MAX);
        assert_eq!(SignedDuration::try_from(most).unwrap().as_secs(), i64::MAX);
    }
}
