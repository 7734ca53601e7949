//! Numbers: `-3`, `1.5e-05`, `2j`, `1+2j`.

use super::Kind;

/// The most digits of an integer. Python has a limit, too, because the time to read one grows with
/// the square of its length.
pub(super) const MAX_DIGITS: usize = 300;

/// Returns the kind of a number; `None` if the word is not one.
pub(super) fn kind(word: &str) -> Option<Kind> {
    let unsigned = word.strip_prefix('-').unwrap_or(word);
    let Some(complex) = unsigned.strip_suffix('j') else {
        return kind_of_real(unsigned);
    };
    // The sign between the two parts, and not that of an exponent.
    let sign = |&(at, _): &(usize, &str)| !complex.get(..at).is_some_and(|it| it.ends_with('e'));
    let imaginary = match complex.rmatch_indices(['+', '-']).find(sign) {
        Some((at, _)) => {
            let (real, imaginary) = complex.split_at_checked(at)?;
            kind_of_real(real)?;
            imaginary.get(1..)?
        }
        None => complex,
    };
    is_float(imaginary).then_some(Kind::Float)
}

/// Returns the kind of an integer or float without a sign.
fn kind_of_real(word: &str) -> Option<Kind> {
    if !is_float(word) {
        None
    } else if !word.bytes().all(|byte| byte.is_ascii_digit()) {
        Some(Kind::Float)
    } else {
        // Python refuses a leading zero, unless all digits are zeros.
        let allowed = !word.starts_with('0') || word.bytes().all(|byte| byte == b'0');
        (allowed && word.len() <= MAX_DIGITS).then_some(Kind::Int)
    }
}

/// Returns true for digits, with a point and an exponent or without.
fn is_float(word: &str) -> bool {
    let (number, exponent) = word.split_once(['e', 'E']).unwrap_or((word, "0"));
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let needed = !whole.is_empty() && !exponent.is_empty();
    needed && [whole, fraction, exponent].into_iter().all(are_digits)
}

#[cfg(test)]
mod tests {
    use super::is_float;

    /// Guards the grammar of floats, which are kept as text: what Python prints, and no word that it refuses.
    #[test]
    fn floats_are_recognized() {
        for float in ["0", "1.5", "1.", "1e5", "1.5e-05", "2E+10", "1e999"] {
            assert!(is_float(float), "{float}");
        }
        for other in
            ["", ".", ".5", "e5", "1e", "1e+", "1.5.2", "1e5e5", "0x1", "1_0", "nan", "inf", "+1"]
        {
            assert!(!is_float(other), "{other}");
        }
    }
}
