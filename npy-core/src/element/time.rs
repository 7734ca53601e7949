//! Times: NumPy's `datetime64` and `timedelta64`, and the units they count in.
//!
//! ```
//! use npy_core::time::{Day, Ns, Second, Times};
//! use npy_core::{DateTime64, Element, TimeDelta64};
//!
//! assert_eq!(DateTime64::<Ns>::dtype().to_string(), "<M8[ns]");
//! assert_eq!(TimeDelta64::<Times<25, Second>>::dtype().to_string(), "<m8[25s]");
//! assert_eq!(DateTime64::<Day>::new(19_000).to_string(), "2022-01-08");
//! ```

#[cfg(feature = "chrono")]
mod chrono;
#[cfg(any(feature = "chrono", feature = "jiff"))]
mod convert;
#[cfg(feature = "jiff")]
mod jiff;

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

use crate::dtype::{ByteOrder, DType, Resolution, Scalar, ScalarKind, Unit};
use crate::element::cast::Plain;
use crate::element::{Element, Internals, InvalidValue};

/// A unit of time, as a type; [`Times`] makes multiples of one.
pub trait TimeUnit {
    /// What one count is; `None` for NumPy's generic times. A multiple other than 1 to 2147483647 does not compile where an
    /// [`Element`] counts in it.
    const RESOLUTION: Option<Resolution>;
}

macro_rules! units {
    ($($(#[$doc:meta])* $name:ident = $unit:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub enum $name {}

        impl TimeUnit for $name {
            const RESOLUTION: Option<Resolution> = Some(Resolution { multiple: 1, unit: Unit::$unit });
        }
    )*};
}

units! {
    /// Years of the Gregorian calendar: `Y`.
    Year = Year,
    /// Months of the Gregorian calendar: `M`.
    Month = Month,
    /// Weeks of seven days; 1970-01-01, a Thursday, starts one: `W`.
    Week = Week,
    /// Days: `D`.
    Day = Day,
    /// Hours: `h`.
    Hour = Hour,
    /// Minutes: `m`.
    Minute = Minute,
    /// Seconds: `s`.
    Second = Second,
    /// Milliseconds: `ms`.
    Ms = Millisecond,
    /// Microseconds: `us`.
    Us = Microsecond,
    /// Nanoseconds: `ns`.
    Ns = Nanosecond,
    /// Picoseconds: `ps`.
    Ps = Picosecond,
    /// Femtoseconds: `fs`.
    Fs = Femtosecond,
    /// Attoseconds: `as`.
    As = Attosecond,
}

/// No unit: the generic `<M8` and `<m8`.
#[derive(Clone, Copy, Debug)]
pub enum Generic {}

impl TimeUnit for Generic {
    const RESOLUTION: Option<Resolution> = None;
}

/// `N` of a unit: `Times<25, Second>` is `[25s]`. `N` is 1 to 2147483647.
pub struct Times<const N: u32, U>(PhantomData<fn() -> U>);

impl<const N: u32, U: TimeUnit> TimeUnit for Times<N, U> {
    const RESOLUTION: Option<Resolution> = {
        const { assert!(is_multiple(N), "a multiple of a unit is 1 to 2147483647") };
        const {
            assert!(
                is_unit(U::RESOLUTION),
                "Times takes a unit: not a multiple of one, and not Generic"
            )
        };
        match U::RESOLUTION {
            Some(Resolution { unit, .. }) => Some(Resolution { multiple: N, unit }),
            None => None,
        }
    };
}

/// "Not a time".
pub(crate) const NAT: i64 = i64::MIN;

/// Whether NumPy has so many of a unit.
const fn is_multiple(n: u32) -> bool {
    n >= 1 && n <= 0x7fff_ffff
}

/// Stops the compiler at a unit whose multiple NumPy does not have.
const fn assert_multiple(resolution: Option<Resolution>) {
    if let Some(Resolution { multiple, .. }) = resolution {
        assert!(is_multiple(multiple), "a multiple of a unit is 1 to 2147483647");
    }
}

const fn is_unit(resolution: Option<Resolution>) -> bool {
    matches!(resolution, Some(Resolution { multiple: 1, .. }))
}

/// Defines one of the two kinds of time; both are a count of `U`, and the smallest count is "not a time".
macro_rules! time {
    ($(#[$doc:meta])* $name:ident, $kind:ident) => {
        $(#[$doc])*
        #[repr(transparent)]
        pub struct $name<U>(i64, PhantomData<fn() -> U>);

        impl<U> $name<U> {
            /// "Not a time": NumPy's missing value.
            pub const NAT: Self = Self::new(NAT);

            /// So many units; `i64::MIN` is [`NAT`](Self::NAT).
            pub const fn new(count: i64) -> Self {
                Self(count, PhantomData)
            }

            /// The number of units.
            pub const fn count(self) -> i64 {
                self.0
            }

            /// Whether it is [`NAT`](Self::NAT).
            pub const fn is_nat(self) -> bool {
                self.0 == NAT
            }
        }

        // By hand: the derives would ask the same of the unit.
        impl<U> Copy for $name<U> {}

        impl<U> Clone for $name<U> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<U> Default for $name<U> {
            fn default() -> Self {
                Self::new(0)
            }
        }

        /// Equal counts; unlike in NumPy, "not a time" equals itself.
        impl<U> PartialEq for $name<U> {
            fn eq(&self, other: &Self) -> bool {
                self.0 == other.0
            }
        }

        impl<U> Eq for $name<U> {}

        impl<U> PartialOrd for $name<U> {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }

        /// By time; "not a time" comes first.
        impl<U> Ord for $name<U> {
            fn cmp(&self, other: &Self) -> Ordering {
                self.0.cmp(&other.0)
            }
        }

        impl<U> Hash for $name<U> {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.0.hash(state);
            }
        }

        impl<U: TimeUnit> fmt::Debug for $name<U> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self)
            }
        }

        impl<U: TimeUnit> Element for $name<U> {
            const SIZE: usize = {
                const { assert_multiple(U::RESOLUTION) };
                8
            };
            const ALIGN: usize = 8;
            const __INTERNALS: Internals<Self> = Internals::DEFAULT
                .with_swapped(|item| Self::new(i64::__INTERNALS.decode::<true>(item)))
                .with_plain(Plain::of);

            fn dtype() -> DType {
                Self::dtype_in(ByteOrder::Little)
            }

            fn dtype_in(order: ByteOrder) -> DType {
                Scalar::ordered(ScalarKind::$kind(U::RESOLUTION), Self::SIZE, order).into()
            }

            #[inline]
            fn decode(item: &[u8]) -> Self {
                Self::new(i64::decode(item))
            }

            #[inline]
            fn encode(&self, item: &mut [u8]) -> Result<(), InvalidValue> {
                self.0.encode(item)
            }
        }
    };
}

time! {
    /// A point in time, counted in `U` from 1970-01-01T00:00 in no particular time zone: NumPy's `<M8[ns]`.
    ///
    /// ```
    /// use npy_core::DateTime64;
    /// use npy_core::time::Ms;
    ///
    /// let t = DateTime64::<Ms>::new(1_251_073_203_500);
    /// assert_eq!(t.to_string(), "2009-08-24T00:20:03.500");
    /// assert!(DateTime64::<Ms>::NAT.is_nat());
    /// ```
    DateTime64, DateTime
}

time! {
    /// A span of time, counted in `U`: NumPy's `<m8[s]`.
    ///
    /// ```
    /// use npy_core::TimeDelta64;
    /// use npy_core::time::{Second, Times};
    ///
    /// assert_eq!(TimeDelta64::<Times<25, Second>>::new(4).to_string(), "100 seconds");
    /// ```
    TimeDelta64, TimeDelta
}

/// As ISO 8601, to the digits of the unit, as NumPy prints it; a generic one as its number.
impl<U: TimeUnit> fmt::Display for DateTime64<U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_date(f, self.0, U::RESOLUTION)
    }
}

/// The number and the unit, as NumPy prints it.
impl<U: TimeUnit> fmt::Display for TimeDelta64<U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_span(f, self.0, U::RESOLUTION)
    }
}

/// The `Display` of a count of this resolution since 1970.
pub(crate) fn write_date(
    f: &mut fmt::Formatter<'_>,
    count: i64,
    resolution: Option<Resolution>,
) -> fmt::Result {
    match resolution {
        _ if count == NAT => f.pad("NaT"),
        None => fmt::Display::fmt(&count, f),
        Some(resolution) => f.pad(&iso(scaled(count, resolution), resolution.unit)),
    }
}

/// The `Display` of a count of this resolution.
pub(crate) fn write_span(
    f: &mut fmt::Formatter<'_>,
    count: i64,
    resolution: Option<Resolution>,
) -> fmt::Result {
    match resolution {
        _ if count == NAT => f.pad("NaT"),
        None => f.pad(&format!("{count} generic time units")),
        Some(resolution) => {
            f.pad(&format!("{} {}", scaled(count, resolution), plural(resolution.unit)))
        }
    }
}

/// What NumPy calls many of a unit, and one.
fn plural(unit: Unit) -> &'static str {
    match unit {
        Unit::Year => "years",
        Unit::Month => "months",
        Unit::Week => "weeks",
        Unit::Day => "days",
        Unit::Hour => "hours",
        Unit::Minute => "minutes",
        Unit::Second => "seconds",
        Unit::Millisecond => "milliseconds",
        Unit::Microsecond => "microseconds",
        Unit::Nanosecond => "nanoseconds",
        Unit::Picosecond => "picoseconds",
        Unit::Femtosecond => "femtoseconds",
        Unit::Attosecond => "attoseconds",
    }
}

/// A count of multiples as a count of units. No product of an `i64` and a `u32` is out of range.
fn scaled(count: i64, resolution: Resolution) -> i128 {
    i128::from(count).saturating_mul(i128::from(resolution.multiple))
}

/// A count of units since 1970 as ISO 8601.
fn iso(count: i128, unit: Unit) -> String {
    // Units of a day, and the digits of a second.
    let (per_day, digits) = match unit {
        Unit::Year => return year(count.saturating_add(1970)),
        Unit::Month => {
            let (years, month) = (count.div_euclid(12), count.rem_euclid(12));
            let month = month.saturating_add(1);
            return format!("{}-{month:02}", year(years.saturating_add(1970)));
        }
        Unit::Week => return date(count.saturating_mul(7)),
        Unit::Day => return date(count),
        Unit::Hour => (24, 0),
        Unit::Minute => (1440, 0),
        Unit::Second => (86_400, 0),
        Unit::Millisecond => (86_400_000, 3),
        Unit::Microsecond => (86_400_000_000, 6),
        Unit::Nanosecond => (86_400_000_000_000, 9),
        Unit::Picosecond => (86_400_000_000_000_000, 12),
        Unit::Femtosecond => (86_400_000_000_000_000_000, 15),
        Unit::Attosecond => (86_400_000_000_000_000_000_000, 18),
    };
    let (day, rest) = (count.div_euclid(per_day), count.rem_euclid(per_day));
    let day = date(day);
    // From here on `rest` is counted in the smallest unit that is shown.
    match unit {
        Unit::Hour => format!("{day}T{rest:02}"),
        Unit::Minute => format!("{day}T{:02}:{:02}", rest / 60, rest % 60),
        _ => {
            let per_second = per_day / 86_400;
            let (seconds, fraction) = (rest.div_euclid(per_second), rest.rem_euclid(per_second));
            let (h, m, s) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
            let time = format!("{day}T{h:02}:{m:02}:{s:02}");
            if digits == 0 { time } else { format!("{time}.{fraction:0digits$}") }
        }
    }
}

/// Days since 1970-01-01 as text.
fn date(days: i128) -> String {
    let (of, month, day) = civil(days);
    format!("{}-{month:02}-{day:02}", year(of))
}

/// Days since 1970-01-01 as year, month and day of the Gregorian calendar, which is extended backwards.
///
/// The year starts in March here, which puts the leap day at its end (Howard Hinnant, `civil_from_days`).
// Nothing here is larger than the days that come in, which are at most 2^97.
#[expect(clippy::arithmetic_side_effects)]
fn civil(days: i128) -> (i128, i128, i128) {
    const ERA: i128 = 146_097;
    let days = days.saturating_add(719_468);
    let (era, day) = (days.div_euclid(ERA), days.rem_euclid(ERA));
    let year_of_era = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (era.saturating_mul(400) + year_of_era + i128::from(month <= 2), month, day)
}

/// A year in four characters or more, its sign among them, as NumPy prints it.
fn year(year: i128) -> String {
    format!("{year:04}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text<U: TimeUnit>(count: i64) -> String {
        DateTime64::<U>::new(count).to_string()
    }

    #[test]
    fn dates_print_as_in_numpy() {
        assert_eq!(text::<Year>(-1970), "0000");
        assert_eq!(text::<Month>(-1), "1969-12");
        assert_eq!(text::<Week>(1), "1970-01-08");
        assert_eq!(text::<Day>(0), "1970-01-01");
        assert_eq!(text::<Day>(11_016), "2000-02-29");
        assert_eq!(text::<Day>(-719_529), "-001-12-31");
        assert_eq!(text::<Hour>(-1), "1969-12-31T23");
        assert_eq!(text::<Minute>(61), "1970-01-01T01:01");
        assert_eq!(text::<Second>(951_827_696), "2000-02-29T12:34:56");
        assert_eq!(text::<Ns>(-1), "1969-12-31T23:59:59.999999999");
        assert_eq!(text::<As>(1), "1970-01-01T00:00:00.000000000000000001");
        assert_eq!(text::<Times<25, Second>>(4), "1970-01-01T00:01:40");
        assert_eq!(text::<Generic>(5), "5");
        assert_eq!(text::<Ns>(i64::MIN), "NaT");
        // The far ends do not overflow.
        for count in [i64::MAX, i64::MIN + 1] {
            assert!(!text::<Year>(count).is_empty());
            assert!(!text::<Week>(count).is_empty());
            assert!(!text::<Times<0x7fff_ffff, Week>>(count).is_empty());
        }
    }

    #[test]
    fn spans_print_as_in_numpy() {
        fn text<U: TimeUnit>(count: i64) -> String {
            TimeDelta64::<U>::new(count).to_string()
        }
        assert_eq!(text::<Second>(1), "1 seconds");
        assert_eq!(text::<Times<7, Day>>(-2), "-14 days");
        assert_eq!(text::<Generic>(3), "3 generic time units");
        assert_eq!(text::<Generic>(i64::MIN), "NaT");
        assert_eq!(format!("{:>8}|", TimeDelta64::<Year>::new(4)), " 4 years|");
        assert!(text::<Times<0x7fff_ffff, As>>(i64::MAX).ends_with("9 attoseconds"));
    }

    #[test]
    fn units_are_types() {
        assert_eq!(DateTime64::<Generic>::dtype().to_string(), "<M8");
        assert_eq!(TimeDelta64::<Times<7, Day>>::dtype().to_string(), "<m8[7D]");
        assert_eq!(DateTime64::<Us>::dtype_in(ByteOrder::Big).to_string(), ">M8[us]");
        assert!(DateTime64::<Ns>::NAT < DateTime64::new(-5));
        assert_eq!(TimeDelta64::<Day>::default().count(), 0);
    }
}
