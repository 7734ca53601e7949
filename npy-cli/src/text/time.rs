//! Times as text.

use std::cell::RefCell;

use npy_core::Value;
use npy_core::dtype::{Resolution, Unit};

/// The units of a time from seconds to nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    per_second: i64,
    digits: usize,
}

impl Clock {
    pub(super) fn of(resolution: Resolution) -> Option<Self> {
        let (per_second, digits) = match (resolution.unit, resolution.multiple) {
            (Unit::Second, 1) => (1, 0),
            (Unit::Millisecond, 1) => (1_000, 3),
            (Unit::Microsecond, 1) => (1_000_000, 6),
            (Unit::Nanosecond, 1) => (1_000_000_000, 9),
            _ => return None,
        };
        Some(Clock { per_second, digits })
    }

    /// Writes a time, with this character between the date and the time of day.
    pub(super) fn write(self, count: i64, separator: u8, out: &mut Vec<u8>) {
        let seconds = count.div_euclid(self.per_second);
        let second = seconds.rem_euclid(86_400);
        date(seconds.div_euclid(86_400), out);
        out.push(separator);
        for (i, part) in [second / 3600, second / 60 % 60, second % 60].into_iter().enumerate() {
            if i > 0 {
                out.push(b':');
            }
            let digit = |digit: i64| b'0' + u8::try_from(digit).unwrap_or(0);
            out.extend_from_slice(&[digit(part / 10), digit(part % 10)]);
        }
        if self.digits > 0 {
            let mut buffer = itoa::Buffer::new();
            let fraction = buffer.format(count.rem_euclid(self.per_second));
            out.push(b'.');
            out.extend(std::iter::repeat_n(b'0', self.digits.saturating_sub(fraction.len())));
            out.extend_from_slice(fraction.as_bytes());
        }
    }
}

thread_local! {
    /// The day that was written last, as times close to each other are usually of the same day.
    static LAST_DAY: RefCell<(i64, String)> = const { RefCell::new((i64::MIN, String::new())) };
}

/// Writes the date of a day since 1970-01-01.
fn date(day: i64, out: &mut Vec<u8>) {
    LAST_DAY.with_borrow_mut(|(last, text)| {
        if *last != day || text.is_empty() {
            let days = Resolution { multiple: 1, unit: Unit::Day };
            (*last, *text) = (day, Value::DateTime(day, Some(days)).to_string());
        }
        out.extend_from_slice(text.as_bytes());
    });
}

/// Returns a time without zeros at the end of its fraction.
pub(crate) fn short_time(time: &str) -> String {
    match time.split_once('.') {
        Some((seconds, fraction)) => {
            let fraction = fraction.trim_end_matches('0');
            let point = if fraction.is_empty() { "" } else { "." };
            format!("{seconds}{point}{fraction}")
        }
        None => time.to_owned(),
    }
}
