//! Numbers as text: the integer that a number is, and whether a float keeps the digits of its text.

/// No float has as many digits.
const ALL_DIGITS: usize = 800;

/// Returns the integer part of a number, and true if there is no fraction. Numbers of more than 128 bits have the largest or the smallest
/// integer. `None` for `inf`, `nan` and anything else.
pub(crate) fn integer_part(text: &str) -> Option<(i128, bool)> {
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

/// Returns true if a float of 64 bits has the digits of a number's text: the nearest float is printed so in its shortest form, or with as many digits.
/// If it is halfway between two roundings, either is right: programs differ in which one they print. Zeros at the end do not count: programs print
/// large floats with them.
pub(super) fn fits_float(text: &str) -> bool {
    let text = text.trim();
    let Some(number) = decimal(text) else { return true };
    let Some(nearest) = text.parse::<f64>().ok().filter(|float| float.is_finite()) else {
        return false;
    };
    let nearest = nearest.abs();
    let count = number.0.len();
    let precision = count.min(ALL_DIGITS) - 1;
    // The shortest digits of a power of two need not be the next ones: the floats below are closer to each other than those above.
    [format!("{nearest:e}"), format!("{nearest:.precision$e}")]
        .iter()
        .any(|print| decimal(print).as_ref() == Some(&number))
        || count < ALL_DIGITS && is_halfway(&number, nearest)
}

/// Returns true if a float is halfway between this number and another one with as many digits.
fn is_halfway((digits, exponent): &(String, i64), float: f64) -> bool {
    let print = |precision: usize| decimal(&format!("{float:.precision$e}"));
    // One digit more than the number has, which is a 5.
    let exact = print(digits.len());
    let Some((all, first)) = exact.as_ref().filter(|_| exact == print(ALL_DIGITS)) else {
        return false;
    };
    let Some(lower) = all.strip_suffix('5').filter(|lower| lower.len() == digits.len()) else {
        return false;
    };
    // The last digit of the number is not a zero, so rounding up changes no other digit.
    let last = digits.len() - 1;
    let [lower, digits] = [lower.as_bytes(), digits.as_bytes()];
    first == exponent
        && lower[..last] == digits[..last]
        && (lower[last] == digits[last] || lower[last] + 1 == digits[last])
}

/// Returns true if a float of 64 bits is exactly the number of this text.
pub(crate) fn is_float(text: &str) -> bool {
    let Some(number) = decimal(text) else { return true };
    let nearest = text.trim().parse::<f64>().ok().filter(|float| float.is_finite());
    let print = |float: f64| format!("{:.ALL_DIGITS$e}", float.abs());
    number.0.len() <= ALL_DIGITS
        && nearest.is_some_and(|float| decimal(&print(float)) == Some(number))
}

/// Returns the digits of a number from the first to the last that is not zero, and the exponent of the first; `None` for zero, and for what has
/// no digits.
pub(crate) fn decimal(text: &str) -> Option<(String, i64)> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_digit = |c: &char| c.is_ascii_digit();
    let whole: String = whole.chars().filter(is_digit).collect();
    let digits = whole.clone() + fraction;
    let zeros = digits.find(|c: char| matches!(c, '1'..='9'))?;
    // An exponent of more than 64 bits is beyond that of any float.
    let exponent = exponent.trim();
    let limit = if exponent.starts_with('-') { i64::MIN } else { i64::MAX };
    let exponent: i64 = exponent.parse().unwrap_or(limit);
    let first = i64::try_from(whole.len()).ok()? - 1 - i64::try_from(zeros).ok()?;
    let digits = digits[zeros..].trim_end_matches('0').to_owned();
    Some((digits, exponent.saturating_add(first)))
}

#[cfg(test)]
mod tests {
    use super::{fits_float, integer_part, is_float};

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
    fn a_number_is_a_float_if_it_has_all_digits_of_one() {
        let smallest = format!("{:.1074}", f64::from_bits(1));
        for text in ["0", "-0.0", "1.50", "-1.5", "1e3", "9007199254740992", &smallest] {
            assert!(is_float(text), "{text}");
        }
        for text in ["0.1", "9007199254740993", "1e-400", "1e400", "1e23", &(smallest + "1")] {
            assert!(!is_float(text), "{text}");
        }
    }

    /// Guards digits that Python and Rust print: those of powers of two, and of floats halfway between two roundings.
    #[test]
    fn a_float_has_the_digits_that_any_program_prints() {
        for text in [
            // 2^-44 and 2^-24, as Python prints them.
            "5.684341886080802e-14",
            "5.960464477539063e-08",
            // Halfway between the two, and all digits.
            "684.4707641601562",
            "684.4707641601563",
            "684.47076416015625",
            "2.98023223876953125e-8",
            "2.980232238769531e-08",
            "0.5000000000000000",
            "9007199254740992.0 ",
        ] {
            assert!(fits_float(text), "{text}");
        }
        for text in [
            "5.6843418860808016e-14",
            "684.47076416015626",
            "684.470764160156249",
            "0.1234567890123456789012345678901",
        ] {
            assert!(!fits_float(text), "{text}");
        }
    }

    #[test]
    fn a_number_fits_if_the_nearest_float_rounds_to_its_digits() {
        for text in ["0", "-0.0", "1", "0.1", "-0.1", "+0.10", " 1e23", "120", "0.0120e3", "inf"] {
            assert!(fits_float(text), "{text}");
        }
        for text in ["9007199254740992", "0.10000000000000001", "1.7976931348623157e308", "5e-324"]
        {
            assert!(fits_float(text), "{text}");
        }
        // As JavaScript prints a float.
        assert!(fits_float("123456789012345680000") && fits_float("0.1000000000000000000"));
        let huge = ["1e99999999999999999999", "1e-99999999999999999999"];
        for text in ["9007199254740993", "0.123456789012345678", "1e-400", "3e-324", "1E400"]
            .into_iter()
            .chain(huge)
        {
            assert!(!fits_float(text), "{text}");
        }
        assert!(
            !fits_float(&"123".repeat(100_000))
                && !fits_float(&format!("0.{}", "3".repeat(100_000)))
        );
    }
}
