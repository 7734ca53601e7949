//! Numbers as text: the integer that a number is, and whether a float keeps the digits of its text.

/// Returns the integer part of a number, and true if there is no fraction. Numbers of more than 128 bits have the largest or the smallest
/// integer. `None` for `inf`, `nan` and anything else.
pub(super) fn integer_part(text: &str) -> Option<(i128, bool)> {
    /// An integer of 128 bits has at most as many digits.
    const MAX_DIGITS: i64 = 39;
    let text = text.trim();
    if !text.contains(|c: char| c.is_ascii_digit()) || text.parse::<f64>().is_err() {
        return None;
    }
    let Some((digits, exponent)) = decimal(text) else { return Some((0, true)) };
    if exponent < 0 {
        return Some((0, false));
    }
    let sign = if text.starts_with('-') { "-" } else { "" };
    let limit = if sign.is_empty() { i128::MAX } else { i128::MIN };
    if exponent >= MAX_DIGITS {
        return Some((limit, true));
    }
    let width = usize::try_from(exponent + 1).ok()?;
    let (whole, fraction) = digits.split_at(digits.len().min(width));
    let whole = format!("{sign}{whole:0<width$}").parse().unwrap_or(limit);
    Some((whole, fraction.bytes().all(|digit| digit == b'0')))
}

/// Returns true if the number, rounded to as many digits as the text has, is the text. `print` prints its size with this many digits after
/// the point: `1.25e-3`.
pub(super) fn keeps_digits(text: &str, print: impl Fn(usize) -> String) -> bool {
    let Some((digits, _)) = decimal(text) else { return true };
    decimal(text) == decimal(&print(digits.len().saturating_sub(1)))
}

/// Returns true if an integer, rounded to its digits before the zeros at its end, is the same as a float. Programs print large floats with such
/// zeros.
#[expect(clippy::cast_precision_loss, reason = "the digits are compared")]
pub(super) fn fits_float(number: i128) -> bool {
    let size = number.unsigned_abs();
    if size < 1 << 53 {
        return true;
    }
    let text = size.to_string();
    let digits = text.trim_end_matches('0');
    let printed = format!("{:.*e}", digits.len().saturating_sub(1), size as f64);
    decimal(&printed).is_some_and(|(printed, _)| printed == digits)
}

/// Returns the digits of a number from the first that is not zero, and the exponent of this one; `None` for zero, and for what has no
/// digits.
fn decimal(text: &str) -> Option<(String, i64)> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_digit = |c: &char| c.is_ascii_digit();
    let whole: String = whole.chars().filter(is_digit).collect();
    let digits = whole.clone() + fraction;
    let zeros = digits.find(|c: char| matches!(c, '1'..='9'))?;
    // More digits than those of 64 bits are no mistake of the text.
    let limit = if exponent.starts_with('-') { i64::MIN } else { i64::MAX };
    let exponent: i64 = exponent.parse().unwrap_or(limit);
    let first = i64::try_from(whole.len()).ok()? - 1 - i64::try_from(zeros).ok()?;
    Some((digits[zeros..].to_owned(), exponent.saturating_add(first)))
}

#[cfg(test)]
mod tests {
    use super::{integer_part, keeps_digits};

    #[test]
    fn decimal_text_is_the_integer_that_it_says() {
        for (text, whole) in [
            ("9007199254740993.0", 9_007_199_254_740_993),
            ("1152921504606846975e0", 1_152_921_504_606_846_975),
            ("-893659252991e6", -893_659_252_991_000_000),
            (" 1.50e1 ", 15),
            ("100e-2", 1),
            ("0e99999999999999999999", 0),
            ("-0.0", 0),
            ("170141183460469231731687303715884105727.0", i128::MAX),
            ("1e39", i128::MAX),
            ("-1e99999999999999999999", i128::MIN),
        ] {
            assert_eq!(integer_part(text), Some((whole, true)), "{text}");
        }
        for (text, whole) in [
            ("0.99999999999999999999", 0),
            ("235.000000000000000005", 235),
            ("-1.5", -1),
            ("1e-99999999999999999999", 0),
        ] {
            assert_eq!(integer_part(text), Some((whole, false)), "{text}");
        }
        for text in ["", "inf", "-nan", "x", "1_0", "1e", "0x10"] {
            assert_eq!(integer_part(text), None, "{text}");
        }
    }

    #[test]
    fn a_number_keeps_its_digits_if_it_rounds_to_them() {
        let wide = |text: &str| {
            let number: f64 = text.parse().unwrap();
            keeps_digits(text, |digits| format!("{:.digits$e}", number.abs()))
        };
        for text in ["0", "-0.0", "1", "0.1", "-0.1", "+0.10", "1e23", "120", "0.0120e3"] {
            assert!(wide(text), "{text}");
        }
        for text in ["9007199254740992", "0.10000000000000001", "1.7976931348623157e308", "5e-324"]
        {
            assert!(wide(text), "{text}");
        }
        for text in ["9007199254740993", "0.123456789012345678", "1e-400", "1E400"] {
            assert!(!wide(text), "{text}");
        }
        let narrow = |text: &str| {
            let number: f32 = text.parse().unwrap();
            keeps_digits(text, |digits| format!("{:.digits$e}", number.abs()))
        };
        assert!(narrow("0.1") && narrow("16777216") && narrow("3.4028235e38"));
        assert!(!narrow("16777217") && !narrow("0.1234567891") && !narrow("1e39"));
    }
}
