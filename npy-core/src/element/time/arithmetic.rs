//! Sums and differences of times and spans, and other units.

use std::ops::{Add, Neg, Sub};

use super::{DateTime64, TimeDelta64, TimeUnit};
use crate::calendar::{NAT, exact_div, rescaled};
use crate::element::{Element, InvalidValue};

/// Implements an operator. As in NumPy, NaT and any other value make NaT. A result that does not fit is NaT, too.
macro_rules! operators {
    ($($(#[$doc:meta])* $left:ident $trait:ident::$method:ident $right:ident = $output:ident by $checked:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// As in NumPy, the result is NaT if one of the two is. It is also NaT if it does not fit, where NumPy's would be another time.
        impl<U: TimeUnit> $trait<$right<U>> for $left<U> {
            type Output = $output<U>;

            fn $method(self, other: $right<U>) -> $output<U> {
                let count = match self.is_nat() || other.is_nat() {
                    true => None,
                    false => self.count().$checked(other.count()),
                };
                $output::new(count.unwrap_or(NAT))
            }
        }
    )*};
}

operators! {
    /// Returns the span from `other` to this time.
    ///
    /// ```
    /// use npy_core::DateTime64;
    /// use npy_core::time::Ms;
    ///
    /// let start = DateTime64::<Ms>::new(1000);
    /// let end = DateTime64::<Ms>::new(2500);
    /// assert_eq!((end - start).count(), 1500);
    /// assert!((end - DateTime64::NAT).is_nat());
    /// assert_eq!(start + (end - start), end);
    /// ```
    DateTime64 Sub::sub DateTime64 = TimeDelta64 by checked_sub;
    /// Returns the time that is later by a span.
    DateTime64 Add::add TimeDelta64 = DateTime64 by checked_add;
    /// Returns the time that is earlier by a span.
    DateTime64 Sub::sub TimeDelta64 = DateTime64 by checked_sub;
    /// Returns the sum of two spans.
    TimeDelta64 Add::add TimeDelta64 = TimeDelta64 by checked_add;
    /// Returns the difference of two spans.
    TimeDelta64 Sub::sub TimeDelta64 = TimeDelta64 by checked_sub;
}

/// Returns the span in the other direction. NaT stays NaT.
impl<U: TimeUnit> Neg for TimeDelta64<U> {
    type Output = TimeDelta64<U>;

    fn neg(self) -> TimeDelta64<U> {
        // NaT is the lowest integer, which has no opposite.
        TimeDelta64::new(self.count().checked_neg().unwrap_or(NAT))
    }
}

macro_rules! cast {
    ($($time:ident, $is_date:literal, $example:literal;)*) => {$(
        impl<U: TimeUnit> $time<U> {
            /// Converts to another unit. Nothing is rounded, and NaT stays NaT.
            ///
            /// ```
            #[doc = $example]
            /// # Ok::<(), npy_core::InvalidValue>(())
            /// ```
            ///
            /// # Errors
            ///
            /// If the value has a fraction of the unit, or does not fit; for a generic unit; and for a span in years or months that becomes
            /// shorter units, or the reverse.
            pub fn cast<V: TimeUnit>(self) -> Result<$time<V>, InvalidValue> {
                let count = match (U::RESOLUTION, V::RESOLUTION) {
                    (Some(from), Some(to)) => rescaled(self.count(), from, to, $is_date, exact_div),
                    (None, None) => Some(self.count()),
                    _ => None,
                };
                count.map($time::new).ok_or_else(|| {
                    let (from, to) = (Self::dtype(), $time::<V>::dtype());
                    let reason = format!("{self} of '{from}' is no whole number of units of '{to}', or does not fit");
                    InvalidValue::new(reason)
                })
            }
        }
    )*};
}

cast! {
    DateTime64, true, "\
use npy_core::DateTime64;
use npy_core::time::{Ms, Ns};

let time = DateTime64::<Ms>::new(1500);
assert_eq!(time.cast::<Ns>()?.count(), 1_500_000_000);
assert!(time.cast::<npy_core::time::Second>().is_err()); // half a second is left";
    TimeDelta64, false, "\
use npy_core::TimeDelta64;
use npy_core::time::{Minute, Second};

assert_eq!(TimeDelta64::<Minute>::new(2).cast::<Second>()?.count(), 120);";
}

#[cfg(test)]
mod tests {
    use super::super::{Generic, Month, Ns, Second, Year};
    use super::*;

    #[test]
    fn nat_and_what_does_not_fit_is_nat() {
        let time = DateTime64::<Second>::new;
        let span = TimeDelta64::<Second>::new;
        assert_eq!(time(5) - time(7), span(-2));
        assert_eq!(time(5) - span(7), time(-2));
        assert_eq!(span(5) + span(7), span(12));
        assert_eq!(span(5) - span(7), span(-2));
        assert_eq!((-span(5), -span(NAT)), (span(-5), span(NAT)));
        for nat in [time(NAT) - time(NAT), time(0) - time(NAT), time(i64::MAX) - time(-1)] {
            assert!(nat.is_nat());
        }
        for nat in [
            time(NAT) + span(1),
            time(1) + span(NAT),
            time(i64::MAX) + span(1),
            time(-2) - span(i64::MAX),
        ] {
            assert!(nat.is_nat());
        }
    }

    #[test]
    fn other_units_are_exact() {
        let year = DateTime64::<Year>::new(54);
        assert_eq!(year.cast::<Second>().unwrap().to_string(), "2024-01-01T00:00:00");
        assert_eq!(year.cast::<Second>().unwrap().cast::<Month>().unwrap().to_string(), "2024-01");
        assert!(DateTime64::<Ns>::NAT.cast::<Second>().unwrap().is_nat());
        let error = DateTime64::<Ns>::new(1).cast::<Second>().unwrap_err().to_string();
        assert!(error.contains("'<M8[ns]' is no whole number of units of '<M8[s]'"), "{error}");
        assert!(DateTime64::<Second>::new(i64::MAX).cast::<Ns>().is_err());
        assert!(DateTime64::<Second>::new(1).cast::<Generic>().is_err());
        assert!(TimeDelta64::<Year>::new(1).cast::<Second>().is_err());
    }
}
