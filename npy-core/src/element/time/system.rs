//! Conversions between `DateTime64` and `SystemTime`.

use std::time::{Duration, SystemTime};

use super::{DateTime64, TimeUnit};
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
        let (is_before, span) = match time.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(span) => (false, span),
            Err(error) => (true, error.duration()),
        };
        let nanoseconds = i128::try_from(span.as_nanos()).ok();
        let signed = nanoseconds.and_then(|n| if is_before { n.checked_neg() } else { Some(n) });
        signed.and_then(Self::from_nanoseconds).ok_or_else(|| {
            let side = if is_before { "before" } else { "after" };
            let dtype = Self::dtype();
            let reason = format!("the time {span:?} {side} 1970-01-01 does not fit '{dtype}'");
            InvalidValue::new(reason)
        })
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
    use super::super::{Day, Generic, Ms, Ns, Ps, Second};
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
        assert_eq!(error.to_string(), "the time 1.5s before 1970-01-01 does not fit '<M8[s]'");
        let error = SystemTime::try_from(DateTime64::<Ns>::NAT).unwrap_err();
        assert_eq!(error.to_string(), "NaT of '<M8[ns]' does not fit a SystemTime");
        assert!(SystemTime::try_from(DateTime64::<Ps>::new(1)).is_err());
        assert!(SystemTime::try_from(DateTime64::<Day>::new(i64::MAX)).is_err());
        assert!(DateTime64::<Generic>::try_from(SystemTime::UNIX_EPOCH).is_err());
        let late = SystemTime::UNIX_EPOCH + Duration::from_secs(10_000_000_000);
        assert!(DateTime64::<Ns>::try_from(late).is_err());
    }
}
