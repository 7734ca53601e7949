//! Numbers as text: whether a number keeps the digits of its text.

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
    let exponent: i64 = exponent.parse().ok()?;
    let first = i64::try_from(whole.len()).ok()? - 1 - i64::try_from(zeros).ok()?;
    Some((digits[zeros..].to_owned(), exponent.checked_add(first)?))
}

#[cfg(test)]
mod tests {
    use super::keeps_digits;

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
