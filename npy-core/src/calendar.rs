//! Counts of units of time, and the proleptic Gregorian calendar.

use crate::dtype::{Resolution, Unit};

/// The count that means NaT ("not a time").
pub(crate) const NAT: i64 = i64::MIN;

impl Resolution {
    /// Returns true if each time of another resolution is a whole number of counts of this one: seconds are whole milliseconds, and not
    /// whole minutes. Months are whole days as dates, and not as spans; this is about dates.
    ///
    /// ```
    /// use npy_core::dtype::{Resolution, Unit};
    ///
    /// let of = |multiple, unit| Resolution { multiple, unit };
    /// assert!(of(1, Unit::Millisecond).holds(of(1, Unit::Second)));
    /// assert!(of(5, Unit::Second).holds(of(25, Unit::Second)));
    /// assert!(!of(1, Unit::Minute).holds(of(90, Unit::Second)));
    /// ```
    pub fn holds(self, other: Resolution) -> bool {
        // One step from 1970-01-01, which every resolution counts from.
        rescaled(1, other, self, true, exact_div).is_some()
    }
}

/// A division for units: [`exact_div`], or `i128::checked_div_euclid`, which rounds down.
pub(crate) type Divide = fn(i128, i128) -> Option<i128>;

/// Converts a count to another resolution. NaT stays NaT. Returns `None` if the result is a
/// fraction that the division refuses, or does not fit in an `i64`. Also returns `None` for a conversion of a
/// time span between months (or years) and shorter units, as months have no fixed length.
pub(crate) fn rescaled(
    count: i64,
    from: Resolution,
    to: Resolution,
    is_date: bool,
    divide: Divide,
) -> Option<i64> {
    if count == NAT {
        return Some(NAT);
    }
    let units = converted(scaled(count, from), from.unit, to.unit, is_date, divide)?;
    to_count(units, to, divide)
}

/// Returns the nanoseconds of a count; `None` for NaT, for a fraction of a nanosecond, for months and years of a time span, and on
/// overflow.
pub(crate) fn to_nanoseconds(count: i64, resolution: Resolution, is_date: bool) -> Option<i128> {
    if count == NAT {
        return None;
    }
    converted(scaled(count, resolution), resolution.unit, Unit::Nanosecond, is_date, exact_div)
}

/// Converts nanoseconds to a count; `None` for a fraction that the division refuses, for a count that does not fit in an `i64`, and for
/// months and years of a time span.
pub(crate) fn from_nanoseconds(
    nanoseconds: i128,
    resolution: Resolution,
    is_date: bool,
    divide: Divide,
) -> Option<i64> {
    let units = converted(nanoseconds, Unit::Nanosecond, resolution.unit, is_date, divide)?;
    to_count(units, resolution, divide)
}

/// Converts a number of units to another unit; `None` for a fraction that the division refuses, on overflow, and for a
/// conversion of a time span between months (or years) and shorter units.
pub(crate) fn converted(
    units: i128,
    from: Unit,
    to: Unit,
    is_date: bool,
    divide: Divide,
) -> Option<i128> {
    match (months(from), months(to)) {
        (Some(from), Some(to)) => divide(units.checked_mul(from)?, to),
        (Some(from), None) if is_date => {
            let months = units.checked_mul(from)?;
            let year = months.div_euclid(12).checked_add(1970)?;
            converted(first_day(year, months.rem_euclid(12))?, Unit::Day, to, true, divide)
        }
        (None, Some(to)) if is_date => {
            let (year, month, day) = civil(converted(units, from, Unit::Day, true, divide)?);
            let months =
                year.checked_sub(1970)?.checked_mul(12)?.checked_add(month)?.checked_sub(1)?;
            // Days after the first are a fraction of a month.
            divide(day.checked_sub(1)?, 31)?;
            divide(months, to)
        }
        _ => {
            let (from, to) = (attoseconds(from)?, attoseconds(to)?);
            match exact_div(from, to) {
                Some(factor) => units.checked_mul(factor),
                None => divide(units, exact_div(to, from)?),
            }
        }
    }
}

/// Returns the number of months in a year or a month; `None` for shorter units.
fn months(unit: Unit) -> Option<i128> {
    match unit {
        Unit::Year => Some(12),
        Unit::Month => Some(1),
        _ => None,
    }
}

/// Divides units by the multiple of the resolution; `None` for a fraction that the division refuses, and for a result that is not a valid count.
pub(crate) fn to_count(units: i128, resolution: Resolution, divide: Divide) -> Option<i64> {
    let count = i64::try_from(divide(units, i128::from(resolution.multiple))?).ok()?;
    (count != NAT).then_some(count)
}

/// Returns the quotient, if there is no remainder.
pub(crate) fn exact_div(n: i128, by: i128) -> Option<i128> {
    if n.checked_rem(by)? == 0 { n.checked_div(by) } else { None }
}

/// Returns the number of days from 1970-01-01 to the first day of a month (0 to 11): the reverse of
/// [`civil`], whose months are 1 to 12.
pub(crate) fn first_day(year: i128, month: i128) -> Option<i128> {
    // Years start in March here: from March on, the lengths of months repeat the pattern 31, 30, 31, 30, 31.
    let (year, month) = if month < 2 {
        (year.checked_sub(1)?, month.checked_add(10)?)
    } else {
        (year, month.checked_sub(2)?)
    };
    let leap_days =
        year.div_euclid(4).checked_sub(year.div_euclid(100))?.checked_add(year.div_euclid(400))?;
    let before = month.checked_mul(153)?.checked_add(2)?.div_euclid(5);
    let days = year.checked_mul(365)?.checked_add(leap_days)?.checked_add(before)?;
    days.checked_sub(719_468)
}

/// Converts days since 1970-01-01 to year, month (1 to 12) and day of the proleptic Gregorian
/// calendar.
///
/// The algorithm is Howard Hinnant's `civil_from_days`. Its years start in March, so that a leap day is the last day of a year.
// The number of days is less than 2^98, so nothing here overflows an `i128`.
#[expect(clippy::arithmetic_side_effects)]
pub(crate) fn civil(days: i128) -> (i128, i128, i128) {
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

/// Converts a count to a number of units: one count is `multiple` units. The product of an `i64`
/// and a `u32` always fits in an `i128`.
pub(crate) fn scaled(count: i64, resolution: Resolution) -> i128 {
    i128::from(count).saturating_mul(i128::from(resolution.multiple))
}

/// The length of a second in attoseconds.
pub(crate) const SECOND: i128 = 1_000_000_000_000_000_000;
/// The number of nanoseconds in a day.
pub(crate) const NANOSECONDS_OF_DAY: i128 = 86_400_000_000_000;
/// The length of a day in attoseconds.
pub(crate) const DAY: i128 = 86_400 * SECOND;

/// Returns the length of a unit in attoseconds; `None` for years and months, whose length varies.
pub(crate) fn attoseconds(unit: Unit) -> Option<i128> {
    match unit {
        Unit::Year | Unit::Month => None,
        Unit::Week => Some(7 * DAY),
        Unit::Day => Some(DAY),
        Unit::Hour => Some(3600 * SECOND),
        Unit::Minute => Some(60 * SECOND),
        Unit::Second => Some(SECOND),
        Unit::Millisecond => Some(1_000_000_000_000_000),
        Unit::Microsecond => Some(1_000_000_000_000),
        Unit::Nanosecond => Some(1_000_000_000),
        Unit::Picosecond => Some(1_000_000),
        Unit::Femtosecond => Some(1000),
        Unit::Attosecond => Some(1),
    }
}
