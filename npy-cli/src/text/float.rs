//! Floats as text, as Python prints them, and with fewer digits for tables.

use std::io::Write;

pub(super) const INFINITIES: [&str; 2] = ["-inf", "inf"];
/// JSON has no infinite numbers. As null they would be missing.
pub(super) const JSON_INFINITIES: [&str; 2] = ["\"-inf\"", "\"inf\""];

/// Writes a float as Python does. zmij's exponents have neither a sign nor two digits, and it writes 0.00001 without one.
pub(super) fn float<F: zmij::Float + Copy + Into<f64>>(
    value: F,
    nan: &str,
    infinities: [&str; 2],
    out: &mut Vec<u8>,
) {
    let wide: f64 = value.into();
    if !wide.is_finite() {
        let text = match wide {
            f64::NEG_INFINITY => infinities[0],
            f64::INFINITY => infinities[1],
            _ => nan,
        };
        out.extend_from_slice(text.as_bytes());
        return;
    }
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(value);
    if wide.abs() >= 1e-4 && wide.abs() < 1e16 || wide == 0.0 {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    match text.split_once('e') {
        Some((digits, exponent)) => {
            let (sign, exponent) = match exponent.strip_prefix('-') {
                Some(exponent) => ('-', exponent),
                None => ('+', exponent.trim_start_matches('+')),
            };
            // A `Vec` takes everything.
            let _ = write!(out, "{}e{sign}{exponent:0>2}", digits.trim_end_matches(".0"));
        }
        None if wide.abs() >= 1.0 => out.extend_from_slice(text.as_bytes()),
        None => {
            // 0.0000125 is 1.25e-05.
            let (sign, text) = match text.strip_prefix('-') {
                Some(text) => ("-", text),
                None => ("", text),
            };
            let zeros = text.bytes().skip(2).take_while(|&byte| byte == b'0').count();
            let digits = text.get(2 + zeros..).unwrap_or("0");
            let (first, rest) = digits.split_at(1);
            let point = if rest.is_empty() { "" } else { "." };
            let _ = write!(out, "{sign}{first}{point}{rest}e-{:0>2}", zeros + 1);
        }
    }
}

/// Returns a float with at most six digits.
pub(crate) fn short_float(value: f64) -> String {
    let mut text = Vec::new();
    float(value, "nan", INFINITIES, &mut text);
    let text = String::from_utf8(text).unwrap_or_default();
    if text.len() <= 9 || !value.is_finite() {
        return text;
    }
    let magnitude = value.abs();
    let text = format!("{value:.5e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    if (1e-4..1e7).contains(&magnitude) {
        // Six digits with those before the point, and without zeros after it; but at least one digit after it.
        let exponent: i64 = exponent.parse().unwrap_or(0);
        let decimals = usize::try_from((5 - exponent).max(1)).unwrap_or(6);
        let rounded = format!("{value:.decimals$}");
        let trimmed = rounded.trim_end_matches('0');
        return if trimmed.ends_with('.') { format!("{trimmed}0") } else { trimmed.to_owned() };
    }
    let digits = digits.trim_end_matches('0').trim_end_matches('.');
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    format!("{digits}e{sign}{exponent:0>2}")
}

/// Returns a number with at most six digits, and without a fraction of zero.
pub(crate) fn short_number(value: f64) -> String {
    let text = short_float(value);
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::{float, short_float};

    fn repr(value: f64) -> String {
        let mut out = Vec::new();
        float(value, "nan", super::INFINITIES, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn floats_are_printed_as_python_prints_them() {
        for (value, text) in [
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (0.1, "0.1"),
            (1e-4, "0.0001"),
            (1e-5, "1e-05"),
            (-1.25e-5, "-1.25e-05"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.5e300, "1.5e+300"),
            (5e-324, "5e-324"),
            (123456.789, "123456.789"),
            (f64::NAN, "nan"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(repr(value), text);
        }
    }

    #[test]
    fn tables_round_long_floats_to_six_digits() {
        for (value, text) in [
            (0.1, "0.1"),
            (1.0 / 3.0, "0.333333"),
            (2000.0 / 3.0, "666.667"),
            (-1.0 / 3000.0, "-0.000333333"),
            (1e7 / 3.0, "3333333.3"),
            (1e10 / 3.0, "3.33333e+09"),
            (1e-10 / 3.0, "3.33333e-11"),
        ] {
            assert_eq!(short_float(value), text);
        }
    }
}
