//! Times among Python objects: those that are the same instant, in whichever zone or unit.

use npy_core::dtype::ScalarKind;
use npy_core::time::Second;
use npy_core::{Cast, DateTime64, DynArray, ObjectRef};

use crate::text::{numpy_time, object_text};

/// A time of Python or pandas.
#[derive(Clone, Copy, Debug, Hash, PartialEq)]
pub(super) struct Instant {
    /// True if it has an offset from UTC. One without differs from all that have one.
    is_aware: bool,
    /// The nanoseconds since 1970, in UTC if there is an offset; of a time of day, since midnight.
    nanoseconds: i128,
}

impl Instant {
    /// Returns the instant of a `datetime`, or of a `time`.
    pub(super) fn of(object: ObjectRef<'_>) -> Option<Self> {
        Instant::of_text(&object_text(object))
    }

    /// Returns true if the time has an offset from UTC.
    pub(super) fn is_aware(self) -> bool {
        self.is_aware
    }

    fn of_text(text: &str) -> Option<Self> {
        const SECOND: i128 = 1_000_000_000;
        let (date, time) = text.split_once('T').unwrap_or(("1970-01-01", text));
        let (local, offset) = time.split_at(time.find(['+', '-']).unwrap_or(time.len()));
        let (whole, fraction) = local.split_once('.').unwrap_or((local, ""));
        let seconds = format!("{date}T{whole}").parse::<DateTime64<Second>>().ok()?.count();
        let local = i128::from(seconds) * SECOND + nanoseconds(fraction)?;
        if offset.is_empty() {
            return Some(Instant { is_aware: false, nanoseconds: local });
        }
        let (sign, size) = offset.split_at(1);
        let (whole, fraction) = size.split_once('.').unwrap_or((size, ""));
        let mut seconds = 0;
        for (part, unit) in whole.split(':').zip([3600, 60, 1]) {
            seconds += part.parse::<i128>().ok()? * unit;
        }
        let offset = seconds * SECOND + nanoseconds(fraction)?;
        let nanoseconds = if sign == "-" { local + offset } else { local - offset };
        Some(Instant { is_aware: true, nanoseconds })
    }
}

/// Returns the nanoseconds of the digits after a point.
fn nanoseconds(fraction: &str) -> Option<i128> {
    format!("{fraction:0<9}").parse().ok().filter(|_| fraction.len() <= 9)
}

/// A time, or a span of time, of NumPy in the finest unit that has it. Equal times of different units have one.
#[derive(Debug, Hash, PartialEq)]
pub(super) struct Count {
    is_span: bool,
    unit: &'static str,
    bytes: Vec<u8>,
}

impl Count {
    /// Returns the time that an object is.
    pub(super) fn of(object: ObjectRef<'_>) -> Option<Self> {
        let is_span = matches!(numpy_time(object)?, ScalarKind::TimeDelta(_));
        Count::of_array(&object.as_array().ok()?, is_span)
    }

    pub(super) fn of_array(time: &DynArray, is_span: bool) -> Option<Self> {
        const UNITS: [&str; 13] =
            ["as", "fs", "ps", "ns", "us", "ms", "s", "m", "h", "D", "W", "M", "Y"];
        UNITS.into_iter().find_map(|unit| {
            let descr = format!("<{}8[{unit}]", if is_span { 'm' } else { 'M' });
            let cast = time.cast_with(&descr.parse().ok()?, Cast::Lossless).ok()?;
            Some(Count { is_span, unit, bytes: cast.into_bytes() })
        })
    }
}

#[cfg(test)]
mod tests {
    use npy_core::{DynArray, Order};

    use super::{Count, Instant};

    #[test]
    fn times_are_equal_in_each_zone() {
        let of = |text| Instant::of_text(text).unwrap();
        let noon = of("2024-01-01T12:00:00+00:00");
        for text in [
            "2024-01-01T14:00:00+02:00",
            "2024-01-01T04:30:00-07:30",
            "2024-01-01T12:00:30+00:00:30",
        ] {
            assert_eq!(of(text), noon, "{text}");
        }
        for text in [
            "2024-01-01T12:00:00",
            "2024-01-01T12:00:00.000000001+00:00",
            "2024-01-01T12:00:00+00:01",
        ] {
            assert_ne!(of(text), noon, "{text}");
        }
        assert_eq!(of("01:00:00+00:00"), of("03:00:00+02:00"));
        assert_eq!(of("9999-12-31T23:59:59.999999").nanoseconds % 1_000_000_000, 999_999_000);
        for text in ["", "x", "2024-01-01", "2024-01-01T12:00:00+x"] {
            assert_eq!(Instant::of_text(text), None, "{text}");
        }
    }

    #[test]
    fn times_are_equal_in_each_unit() {
        let of = |descr: &str, count: i64| {
            let bytes = count.to_le_bytes().to_vec();
            let array = DynArray::new(descr.parse().unwrap(), [], Order::C, bytes).unwrap();
            Count::of_array(&array, descr.starts_with("<m")).unwrap()
        };
        assert_eq!(of("<M8[D]", 19_723), of("<M8[ns]", 19_723 * 86_400_000_000_000));
        assert_eq!(of("<M8[Y]", 54), of("<M8[D]", 19_723));
        assert_eq!(of("<m8[m]", 1), of("<m8[s]", 60));
        assert_eq!(of("<m8[Y]", 1), of("<m8[M]", 12));
        assert_ne!(of("<m8[Y]", 0), of("<m8[D]", 0));
        assert_ne!(of("<m8[s]", 60), of("<M8[s]", 60));
        assert_ne!(of("<M8[ns]", 1), of("<M8[us]", 0));
        assert_eq!(of("<M8[Y]", 100_000), of("<M8[M]", 1_200_000));
    }
}
