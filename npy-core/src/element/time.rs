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

mod arithmetic;
#[cfg(feature = "chrono")]
mod chrono;
mod convert;
#[cfg(feature = "jiff")]
mod jiff;
mod parse;
mod system;

use std::fmt;
use std::marker::PhantomData;

use crate::calendar::{DAY, NAT, attoseconds, civil, scaled};
use crate::checked;
use crate::dtype::{Resolution, Scalar, ScalarKind, Unit};
use crate::element::cast::Plain;
use crate::element::macros::{like_its_value, of_bytes};

/// A unit of time as a type. [`Times`] is a multiple of a unit.
pub trait TimeUnit {
    /// The length of one count; `None` for NumPy's generic times. If the multiple is not 1 to
    /// 2147483647, a time of this unit does not compile as an [`Element`](crate::Element).
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
    /// Weeks of seven days: `W`. They start on Thursdays, as 1970-01-01 was a Thursday.
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

/// A multiple of a unit: `Times<25, Second>` is `[25s]`. `N` is 1 to 2147483647.
pub struct Times<const N: u32, U>(PhantomData<fn() -> U>);

impl<const N: u32, U> fmt::Debug for Times<N, U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Times<{N}, _>")
    }
}

impl<const N: u32, U: TimeUnit> TimeUnit for Times<N, U> {
    const RESOLUTION: Option<Resolution> = {
        const { assert_multiple(Some(Resolution { multiple: N, unit: Unit::Day })) };
        const {
            assert!(
                matches!(U::RESOLUTION, Some(Resolution { multiple: 1, .. })),
                "Times takes a unit: not a multiple of one, and not Generic"
            )
        };
        match U::RESOLUTION {
            Some(Resolution { unit, .. }) => Some(Resolution { multiple: N, unit }),
            None => None,
        }
    };
}

/// Refuses, at compile time, a multiple that NumPy does not accept.
const fn assert_multiple(resolution: Option<Resolution>) {
    if let Some(Resolution { multiple, .. }) = resolution {
        let accepted = multiple >= 1 && multiple <= 0x7fff_ffff;
        assert!(accepted, "a multiple of a unit is 1 to 2147483647");
    }
}

/// Defines one of the two types of time. Both hold a count of `U`; `i64::MIN` is "not a time".
macro_rules! time {
    ($(#[$doc:meta])* $name:ident, $kind:ident) => {
        $(#[$doc])*
        ///
        /// Values compare by their counts. Unlike in NumPy, "not a time" equals itself, and is less than all other values.
        #[repr(transparent)]
        pub struct $name<U>(i64, PhantomData<fn() -> U>);

        impl<U> $name<U> {
            /// "Not a time": NumPy's missing value.
            pub const NAT: Self = Self::new(NAT);

            /// Creates a time from a number of units; `i64::MIN` makes [`NAT`](Self::NAT).
            ///
            /// ```
            /// use npy_core::DateTime64;
            /// use npy_core::time::Second;
            ///
            /// let time = DateTime64::<Second>::new(86_400);
            /// assert_eq!(time.to_string(), "1970-01-02T00:00:00");
            /// ```
            pub const fn new(count: i64) -> Self {
                Self(count, PhantomData)
            }

            /// Returns the number of units.
            ///
            /// ```
            /// use npy_core::TimeDelta64;
            /// use npy_core::time::Second;
            ///
            /// assert_eq!(TimeDelta64::<Second>::new(60).count(), 60);
            /// ```
            pub const fn count(self) -> i64 {
                self.0
            }

            /// Returns true if the value is [`NAT`](Self::NAT).
            ///
            /// ```
            /// use npy_core::DateTime64;
            /// use npy_core::time::Second;
            ///
            /// assert!(DateTime64::<Second>::NAT.is_nat());
            /// ```
            pub const fn is_nat(self) -> bool {
                self.0 == NAT
            }
        }

        // A derive would require that `U` is `Copy` and `Clone`, too.
        impl<U> Copy for $name<U> {}

        impl<U> Clone for $name<U> {
            fn clone(&self) -> Self {
                *self
            }
        }

        like_its_value!([U] $name<U>, count);

        impl<U: TimeUnit> fmt::Debug for $name<U> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self)
            }
        }

        of_bytes! {
            [U: TimeUnit] $name<U>: {
                const { assert_multiple(U::RESOLUTION) };
                8
            }, align 8, plain Plain::of,
            dtype |order| Scalar::ordered(ScalarKind::$kind(U::RESOLUTION), Self::SIZE, order),
            from_le |bytes| Self::new(i64::from_le_bytes(bytes)),
            from_be |bytes| Self::new(i64::from_be_bytes(bytes)),
            to_le |time| time.0.to_le_bytes();
        }
    };
}

time! {
    /// A point in time, counted in `U` from 1970-01-01T00:00, without a time zone: NumPy's `<M8[ns]`.
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

/// Prints like NumPy: as ISO 8601 up to the unit (`2009-08` for months); a generic time as its number.
impl<U: TimeUnit> fmt::Display for DateTime64<U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match U::RESOLUTION {
            None if !self.is_nat() => fmt::Display::fmt(&self.0, f),
            resolution => f.pad(&date_text(self.0, resolution)),
        }
    }
}

/// Prints like NumPy: the number and the unit.
impl<U: TimeUnit> fmt::Display for TimeDelta64<U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&span_text(self.0, U::RESOLUTION))
    }
}

/// Returns the text of a count of this resolution since 1970.
pub(crate) fn date_text(count: i64, resolution: Option<Resolution>) -> String {
    match resolution {
        _ if count == NAT => "NaT".to_owned(),
        None => count.to_string(),
        Some(resolution) => iso(scaled(count, resolution), resolution.unit),
    }
}

/// Returns the text of a span of this count and resolution.
pub(crate) fn span_text(count: i64, resolution: Option<Resolution>) -> String {
    match resolution {
        _ if count == NAT => "NaT".to_owned(),
        None => format!("{count} generic time units"),
        // NumPy prints the plural even for one.
        Some(resolution) => {
            format!("{} {:?}s", scaled(count, resolution), resolution.unit).to_ascii_lowercase()
        }
    }
}

/// Formats a count of units since 1970 as ISO 8601.
fn iso(count: i128, unit: Unit) -> String {
    // The number of units in a day; 1 for a day and for longer units.
    let per_day = attoseconds(unit).and_then(|length| DAY.checked_div(length)).unwrap_or(1).max(1);
    let (day, rest) = (count.div_euclid(per_day), count.rem_euclid(per_day));
    match unit {
        // NumPy prints a year in four characters or more, including its sign.
        Unit::Year => format!("{:04}", count.saturating_add(1970)),
        Unit::Month => {
            let (years, months) = (count.div_euclid(12), count.rem_euclid(12));
            format!("{:04}-{:02}", years.saturating_add(1970), months.saturating_add(1))
        }
        Unit::Week => date(count.saturating_mul(7)),
        Unit::Day => date(count),
        Unit::Hour => format!("{}T{rest:02}", date(day)),
        Unit::Minute => format!("{}T{:02}:{:02}", date(day), rest / 60, rest % 60),
        _ => {
            let per_second = per_day / 86_400;
            let (seconds, fraction) = (rest.div_euclid(per_second), rest.rem_euclid(per_second));
            let (h, m, s) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
            let time = format!("{}T{h:02}:{m:02}:{s:02}", date(day));
            match checked::narrow(per_second.ilog10()) {
                0 => time,
                digits => format!("{time}.{fraction:0digits$}"),
            }
        }
    }
}

/// Formats days since 1970-01-01.
fn date(days: i128) -> String {
    let (year, month, day) = civil(days);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ByteOrder, Element};

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
        // The extremes do not overflow.
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
