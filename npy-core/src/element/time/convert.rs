//! Converts times and spans to and from nanoseconds, which the types of other crates count.

use std::fmt::Display;

#[cfg(any(test, feature = "chrono", feature = "jiff"))]
use super::TimeDelta64;
use super::{DateTime64, TimeUnit};
use crate::calendar::{exact_div, from_nanoseconds, to_nanoseconds};
use crate::dtype::DType;
use crate::element::InvalidValue;

/// Implements the conversions to and from nanoseconds. `$is_date` is true for points in time, whose
/// years and months are those of the calendar.
macro_rules! nanoseconds {
    ($($time:ident, $is_date:literal;)*) => {$(
        impl<U: TimeUnit> $time<U> {
            /// Returns the nanoseconds; `None` for "not a time", for a fraction of a nanosecond, on
            /// overflow, for a generic unit, and for a span in years or months.
            pub(super) fn to_nanoseconds(self) -> Option<i128> {
                to_nanoseconds(self.count(), U::RESOLUTION?, $is_date)
            }

            /// Converts nanoseconds to a count; `None` for a fraction of a unit, for a count that
            /// does not fit in an `i64`, for a generic unit, and for a span in years or months.
            pub(super) fn from_nanoseconds(nanoseconds: i128) -> Option<Self> {
                from_nanoseconds(nanoseconds, U::RESOLUTION?, $is_date, exact_div).map(Self::new)
            }
        }
    )*};
}

nanoseconds! { DateTime64, true; }
#[cfg(any(test, feature = "chrono", feature = "jiff"))]
nanoseconds! { TimeDelta64, false; }

/// Returns the error for a time of another crate that is refused. `on_fraction` is the advice for a fraction of a unit.
pub(super) fn refused<U: TimeUnit>(
    time: impl Display,
    nanoseconds: Option<i128>,
    dtype: &DType,
    on_fraction: &str,
) -> InvalidValue {
    let floor = |n, unit| from_nanoseconds(n, unit, true, i128::checked_div_euclid);
    let advice = nanoseconds.zip(U::RESOLUTION).map_or("", |(n, unit)| match floor(n, unit) {
        Some(_) => on_fraction,
        None => ": it is out of range; use a coarser unit",
    });
    InvalidValue::new(format!("{time} does not fit '{dtype}'{advice}"))
}

/// Implements `TryFrom` in both directions between a time of this crate and a time of another crate.
///
/// `to` converts nanoseconds to the other time, and `from` converts the other time to nanoseconds.
/// Both return `None` if the result does not fit.
#[cfg(any(feature = "chrono", feature = "jiff"))]
macro_rules! conversions {
    ($($time:ident, $other:ty, $name:literal: $to:expr, $from:expr;)*) => {$(
        #[doc = concat!("Converts exactly. Fails for [`NAT`](", stringify!($time), "::NAT) and for a time that ", $name, " cannot hold.")]
        impl<U: TimeUnit> TryFrom<$time<U>> for $other {
            type Error = InvalidValue;

            fn try_from(time: $time<U>) -> Result<Self, InvalidValue> {
                let to: fn(i128) -> Option<$other> = $to;
                time.to_nanoseconds().and_then(to).ok_or_else(|| {
                    let dtype = $time::<U>::dtype();
                    InvalidValue::new(format!("{time} of '{dtype}' does not fit {}", $name))
                })
            }
        }

        /// Converts exactly. Fails for a fraction of a unit, for a count that does not fit in an
        /// `i64`, for a generic unit, and for a span in years or months.
        impl<U: TimeUnit> TryFrom<$other> for $time<U> {
            type Error = InvalidValue;

            fn try_from(other: $other) -> Result<Self, InvalidValue> {
                let from: fn($other) -> Option<i128> = $from;
                let nanoseconds = from(other);
                nanoseconds.and_then(Self::from_nanoseconds).ok_or_else(|| {
                    refused::<U>(other, nanoseconds, &Self::dtype(), "; use a finer unit")
                })
            }
        }
    )*};
}
#[cfg(any(feature = "chrono", feature = "jiff"))]
pub(super) use conversions;

#[cfg(test)]
mod tests {
    use super::super::{As, Day, Generic, Hour, Month, Ns, Ps, Second, Times, Week, Year};
    use super::*;
    use crate::calendar::NANOSECONDS_OF_DAY as DAY;
    use crate::calendar::{civil, first_day};

    #[test]
    fn months_start_where_the_calendar_says() {
        for months in -60_000i128..60_000 {
            let (year, month) = (months.div_euclid(12), months.rem_euclid(12));
            assert_eq!(civil(first_day(year, month).unwrap()), (year, month + 1, 1));
        }
        for count in [-2_000_000, -23_640, -1, 0, 1, 649, 100_000] {
            let months = DateTime64::<Month>::new(count);
            let nanoseconds = months.to_nanoseconds().unwrap();
            assert_eq!(DateTime64::from_nanoseconds(nanoseconds), Some(months));
            let text = DateTime64::<Day>::from_nanoseconds(nanoseconds).unwrap().to_string();
            assert_eq!(text, format!("{months}-01"));
        }
        assert_eq!(DateTime64::<Year>::from_nanoseconds(365 * DAY).unwrap().count(), 1);
        assert_eq!(DateTime64::<Year>::from_nanoseconds(31 * DAY), None);
        assert_eq!(DateTime64::<Month>::from_nanoseconds(30 * DAY), None);
        assert_eq!(DateTime64::<Times<3, Month>>::from_nanoseconds(31 * DAY), None);
    }

    #[test]
    fn only_what_is_exact_is_converted() {
        assert_eq!(DateTime64::<Hour>::new(-1).to_nanoseconds(), Some(-DAY / 24));
        assert_eq!(DateTime64::<Ps>::new(-1000).to_nanoseconds(), Some(-1));
        assert_eq!(DateTime64::<Ps>::new(-1001).to_nanoseconds(), None);
        assert_eq!(
            TimeDelta64::<Times<25, Second>>::new(4).to_nanoseconds(),
            Some(100_000_000_000)
        );
        assert_eq!(TimeDelta64::<Times<25, Second>>::from_nanoseconds(30_000_000_000), None);
        assert_eq!(TimeDelta64::<Week>::from_nanoseconds(-14 * DAY), Some(TimeDelta64::new(-2)));
        // Spans of months and years, and generic units, have no fixed length.
        assert_eq!(TimeDelta64::<Month>::new(1).to_nanoseconds(), None);
        assert_eq!(TimeDelta64::<Year>::from_nanoseconds(0), None);
        assert_eq!(DateTime64::<Generic>::new(0).to_nanoseconds(), None);
        assert_eq!(DateTime64::<Generic>::from_nanoseconds(0), None);
        // "Not a time" is not converted in either direction.
        assert_eq!(DateTime64::<Ns>::NAT.to_nanoseconds(), None);
        assert_eq!(DateTime64::<Ns>::from_nanoseconds(i64::MIN.into()), None);
        let least = i128::from(i64::MIN) + 1;
        assert_eq!(DateTime64::<Ns>::from_nanoseconds(least).unwrap().count(), i64::MIN + 1);
        assert_eq!(DateTime64::<Ns>::from_nanoseconds(i128::from(i64::MAX) + 1), None);
        // Extreme numbers are refused, and nothing overflows.
        assert_eq!(DateTime64::<As>::from_nanoseconds(i128::MAX), None);
        assert_eq!(DateTime64::<Year>::from_nanoseconds(i128::MIN), None);
        assert_eq!(DateTime64::<Times<0x7fff_ffff, Week>>::new(i64::MAX).to_nanoseconds(), None);
        assert!(DateTime64::<Times<0x7fff_ffff, Year>>::new(i64::MAX).to_nanoseconds().is_none());
    }
}
