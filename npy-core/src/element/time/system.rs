//! Conversions between `DateTime64` and `SystemTime`.

use std::time::{Duration, SystemTime};

use super::convert::refused;
use super::{DateTime64, TimeUnit};
use crate::calendar::from_nanoseconds;
use crate::element::{Element, InvalidValue};

/// Converts exactly. Fails for a fraction of a unit, for a count that does not fit in an `i64`, and
/// for the unit [`Generic`](super::Generic). Any time from 1678 to 2261 fits `DateTime64<Ns>`.
///
/// ```
/// use std::time::SystemTime;
///
/// use npy_core::DateTime64;
/// use npy_core::time::Ns;
///
/// let now = DateTime64::<Ns>::try_from(SystemTime::now())?;
/// assert!(now.count() > 0);
/// # Ok::<(), npy_core::InvalidValue>(())
/// ```
impl<U: TimeUnit> TryFrom<SystemTime> for DateTime64<U> {
    type Error = InvalidValue;

    fn try_from(time: SystemTime) -> Result<Self, InvalidValue> {
        let count = nanoseconds(time);
        count.and_then(Self::from_nanoseconds).ok_or_else(|| {
            let (side, span) = match time.duration_since(SystemTime::UNIX_EPOCH) {
                Ok(span) => ("after", span),
                Err(error) => ("before", error.duration()),
            };
            let time = format!("the time {span:?} {side} 1970-01-01");
            let floor = ": it has a fraction of a unit; DateTime64::floor rounds it down";
            refused::<U>(time, count, &Self::dtype(), floor)
        })
    }
}

impl<U: TimeUnit> DateTime64<U> {
    /// Returns the current time of the system in UTC, rounded down to the unit.
    ///
    /// ```
    /// use npy_core::DateTime64;
    /// use npy_core::time::{Second, Us};
    ///
    /// let stamp = DateTime64::<Us>::now();
    /// assert!(stamp.count() > 1_700_000_000_000_000);
    /// assert!(!DateTime64::<Second>::now().is_nat());
    /// ```
    pub fn now() -> Self {
        Self::floor(SystemTime::now())
    }

    /// Converts a time of the system, rounded down to the unit. `try_from` refuses a fraction of a unit instead.
    ///
    /// The result is NaT if the count does not fit in an `i64`, as that of femtoseconds since 1970, and for the unit
    /// [`Generic`](super::Generic).
    ///
    /// ```
    /// use std::time::{Duration, SystemTime};
    ///
    /// use npy_core::DateTime64;
    /// use npy_core::time::Ms;
    ///
    /// let time = SystemTime::UNIX_EPOCH + Duration::from_micros(1_999);
    /// assert_eq!(DateTime64::<Ms>::floor(time).count(), 1);
    /// assert!(DateTime64::<Ms>::try_from(time).is_err());
    /// ```
    pub fn floor(time: SystemTime) -> Self {
        let floor =
            || from_nanoseconds(nanoseconds(time)?, U::RESOLUTION?, true, i128::checked_div_euclid);
        floor().map_or(Self::NAT, Self::new)
    }
}

/// Returns the nanoseconds since 1970.
fn nanoseconds(time: SystemTime) -> Option<i128> {
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(span) => i128::try_from(span.as_nanos()).ok(),
        Err(error) => i128::try_from(error.duration().as_nanos()).ok()?.checked_neg(),
    }
}

/// Converts exactly, as UTC. Fails for [`NAT`](DateTime64::NAT) and for a time that the system's clock cannot hold.
impl<U: TimeUnit> TryFrom<DateTime64<U>> for SystemTime {
    type Error = InvalidValue;

    fn try_from(time: DateTime64<U>) -> Result<Self, InvalidValue> {
        let system = time.to_nanoseconds().and_then(|nanoseconds| {
            let span = duration(nanoseconds.unsigned_abs())?;
            match nanoseconds < 0 {
                true => SystemTime::UNIX_EPOCH.checked_sub(span),
                false => SystemTime::UNIX_EPOCH.checked_add(span),
            }
        });
        // Windows counts in units of 100 nanoseconds and drops any remainder. This check refuses a
        // time that has one.
        let is_same =
            |system: &SystemTime| DateTime64::<U>::try_from(*system).is_ok_and(|back| back == time);
        system.filter(is_same).ok_or_else(|| {
            let dtype = DateTime64::<U>::dtype();
            InvalidValue::new(format!("{time} of '{dtype}' does not fit a SystemTime"))
        })
    }
}

fn duration(nanoseconds: u128) -> Option<Duration> {
    let seconds = u64::try_from(nanoseconds.checked_div(1_000_000_000)?).ok()?;
    let rest = u32::try_from(nanoseconds.checked_rem(1_000_000_000)?).ok()?;
    Some(Duration::new(seconds, rest))
}

#[cfg(test)]
mod tests {
    use super::super::{As, Day, Generic, Month, Ms, Ns, Ps, Second, Times, Us, Week, Year};
    use super::*;

    /// Guards that times before and after 1970 are converted exactly, and never rounded.
    #[test]
    fn system_times_go_both_ways() {
        for count in [0, 1_251_073_203_500, -1, -86_400_001] {
            let time = DateTime64::<Ms>::new(count);
            let system = SystemTime::try_from(time).unwrap();
            assert_eq!(DateTime64::<Ms>::try_from(system).unwrap(), time);
        }
        let second = SystemTime::UNIX_EPOCH + Duration::from_secs(86_400);
        assert_eq!(DateTime64::<Day>::try_from(second).unwrap().to_string(), "1970-01-02");
        let half = SystemTime::UNIX_EPOCH - Duration::from_millis(1500);
        let error = DateTime64::<Second>::try_from(half).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the time 1.5s before 1970-01-01 does not fit '<M8[s]': it has a fraction of a unit; DateTime64::floor rounds it down"
        );
        let error = SystemTime::try_from(DateTime64::<Ns>::NAT).unwrap_err();
        assert_eq!(error.to_string(), "NaT of '<M8[ns]' does not fit a SystemTime");
        assert!(SystemTime::try_from(DateTime64::<Ps>::new(1)).is_err());
        assert!(SystemTime::try_from(DateTime64::<Day>::new(i64::MAX)).is_err());
        assert!(DateTime64::<Generic>::try_from(SystemTime::UNIX_EPOCH).is_err());
        assert_eq!(DateTime64::<Second>::floor(half).count(), -2);
        assert_eq!(DateTime64::<Times<25, Second>>::floor(second).count(), 86_400 / 25);
        assert_eq!(DateTime64::<Ps>::floor(second).count(), 86_400_000_000_000_000);
        assert_eq!(DateTime64::<Week>::floor(half).count(), -1);
        let spring = SystemTime::UNIX_EPOCH + Duration::from_secs(1_709_208_000);
        assert_eq!(DateTime64::<Month>::floor(spring).to_string(), "2024-02");
        assert_eq!(DateTime64::<Year>::floor(half).to_string(), "1969");
        assert!(DateTime64::<As>::floor(second).is_nat());
        let late = SystemTime::UNIX_EPOCH + Duration::from_secs(10_000_000_000);
        let error = DateTime64::<Ns>::try_from(late).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the time 10000000000s after 1970-01-01 does not fit '<M8[ns]': it is out of range; use a coarser unit"
        );
        assert_eq!(DateTime64::<Us>::try_from(late).unwrap(), DateTime64::floor(late));
    }
}
