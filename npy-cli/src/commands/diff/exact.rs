//! Numbers of Python without a limit, `Decimal`, `Fraction` and long integers, compared exactly as Python does.

use npy_core::object::Kind;
use npy_core::{LongDouble, ObjectRef};

use super::objects::hash;
use super::{Number, bits};
use crate::input::{decimal, is_float};
use crate::text::object_text;

/// A number with all of its digits.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Exact {
    Nan,
    /// True if it is negative.
    Infinite(bool),
    Zero,
    /// The digits from the first to the last that is not zero, and the exponent of the first.
    Finite {
        is_negative: bool,
        digits: String,
        exponent: i64,
    },
    /// A fraction that no decimal number is, `1/3`, or an integer of very many digits, `0x123…`.
    Fraction(String),
}

/// Returns true for the kinds that may be such a number.
pub(super) fn is_unlimited(object: ObjectRef<'_>) -> bool {
    matches!(object.kind(), Kind::Decimal | Kind::Int) || is_fraction(object)
}

fn is_fraction(object: ObjectRef<'_>) -> bool {
    object.kind() == Kind::Object && object.name().is_some_and(|name| name == "fractions.Fraction")
}

impl Exact {
    /// Returns the number that an object is.
    pub(super) fn of(object: ObjectRef<'_>) -> Option<Self> {
        match Number::of_object(object) {
            Some(number) => Exact::of_number(number),
            None if is_fraction(object) => Exact::of_fraction(object),
            None if is_unlimited(object) => Exact::of_text(&object_text(object)),
            None => None,
        }
    }

    /// Returns the number of a fraction in lowest terms: the text `1/3` up to Python 3.11, and since then two integers.
    fn of_fraction(object: ObjectRef<'_>) -> Option<Self> {
        let arguments: Vec<String> = object.arguments()?.iter().map(object_text).collect();
        let (numerator, denominator) = match &arguments[..] {
            [text] => text.split_once('/').unwrap_or((text, "1")),
            [numerator, denominator] => (&**numerator, &**denominator),
            _ => return None,
        };
        if denominator == "1" {
            return Exact::of_text(numerator);
        }
        match decimal_of(numerator, denominator) {
            Some(text) => Exact::of_text(&text),
            None => Some(Exact::Fraction(format!("{numerator}/{denominator}"))),
        }
    }

    pub(super) fn of_number(number: Number) -> Option<Self> {
        /// More digits than any float has.
        const ALL_DIGITS: usize = 800;
        let float = match number {
            Number::Integer(integer) => return Exact::of_text(&integer.to_string()),
            Number::Float(float) | Number::Complex(float, 0.0) => float,
            Number::Long([re, im]) if bits(im) == 0 => {
                Some(re.to_f64()).filter(|float| bits(LongDouble::from(*float)) == bits(re))?
            }
            _ => return None,
        };
        match float {
            float if float.is_nan() => Some(Exact::Nan),
            float if float.is_infinite() => Some(Exact::Infinite(float < 0.0)),
            float => Exact::of_text(&format!("{float:.ALL_DIGITS$e}")),
        }
    }

    /// Returns the number of a text that Python has written; `None` for any other text.
    fn of_text(text: &str) -> Option<Self> {
        let (is_negative, size) = match text.strip_prefix('-') {
            Some(size) => (true, size),
            None => (false, text),
        };
        if let Some(digits) = size.strip_prefix("0x") {
            let sign = if is_negative { "-" } else { "" };
            return match decimal_of_hex(digits) {
                Some(digits) => Exact::of_text(&format!("{sign}{digits}")),
                None => Some(Exact::Fraction(text.to_owned())),
            };
        }
        let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if size == "Infinity" {
            return Some(Exact::Infinite(is_negative));
        }
        if size.strip_prefix('s').unwrap_or(size).strip_prefix("NaN").is_some_and(is_digits) {
            return Some(Exact::Nan);
        }
        let (mantissa, exponent) = size.split_once(['e', 'E']).unwrap_or((size, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        if whole.is_empty()
            || !is_digits(whole)
            || !is_digits(fraction)
            || exponent.parse::<i64>().is_err()
        {
            return None;
        }
        Some(match decimal(size) {
            Some((digits, exponent)) => Exact::Finite { is_negative, digits, exponent },
            None => Exact::Zero,
        })
    }

    /// Returns the hash, which is that of the same number of any other type.
    pub(super) fn hash(&self) -> u64 {
        let float = |float: f64| hash((7, [float.to_bits(), 0]));
        match self {
            Exact::Nan => hash(6),
            Exact::Infinite(is_negative) => {
                float(if *is_negative { f64::NEG_INFINITY } else { f64::INFINITY })
            }
            Exact::Zero => hash((5, 0i128)),
            Exact::Fraction(text) => hash((12, text)),
            Exact::Finite { is_negative, digits, exponent } => {
                let sign = if *is_negative { "-" } else { "" };
                if let Some(integer) = integer(sign, digits, *exponent) {
                    return hash((5, integer));
                }
                let text = format!("{sign}{}.{}e{exponent}", &digits[..1], &digits[1..]);
                match text.parse() {
                    Ok(number) if is_float(&text) => float(number),
                    _ => hash((12, text)),
                }
            }
        }
    }
}

/// Returns the decimal digits of an integer, as which those of more than 4,300 digits are not printed; `None` for more than 10,000, whose conversion takes long.
fn decimal_of_hex(text: &str) -> Option<String> {
    /// Each part has nine decimal digits.
    const BASE: u64 = 1_000_000_000;
    const MAX_DIGITS: usize = 10_000;
    if text.len() > MAX_DIGITS {
        return None;
    }
    let mut parts: Vec<u64> = vec![0];
    for digits in text.as_bytes().chunks(7) {
        let digits = str::from_utf8(digits).ok()?;
        let mut carry = u64::from_str_radix(digits, 16).ok()?;
        for part in &mut parts {
            let next = (*part << (4 * digits.len())) + carry;
            (*part, carry) = (next % BASE, next / BASE);
        }
        if carry > 0 {
            parts.push(carry);
        }
    }
    let (last, rest) = parts.split_last()?;
    let rest = rest.iter().rev().map(|part| format!("{part:09}"));
    Some(last.to_string() + &rest.collect::<String>())
}

/// Returns a fraction as a decimal number; `None` if it is not one, or has more than 128 bits.
fn decimal_of(numerator: &str, denominator: &str) -> Option<String> {
    let (mut digits, mut rest) =
        (numerator.parse::<i128>().ok()?, denominator.parse::<i128>().ok()?);
    let mut places = 0;
    for (prime, other) in [(2, 5), (5, 2)] {
        while rest > 1 && rest % prime == 0 {
            (digits, rest, places) = (digits.checked_mul(other)?, rest / prime, places + 1);
        }
    }
    (rest == 1).then(|| format!("{digits}e-{places}"))
}

/// Returns an integer of at most 128 bits.
fn integer(sign: &str, digits: &str, exponent: i64) -> Option<i128> {
    /// No such integer has more digits.
    const MAX_DIGITS: usize = 39;
    let width = usize::try_from(exponent).ok()?.checked_add(1)?;
    match digits.len() <= width && width <= MAX_DIGITS {
        true => format!("{sign}{digits:0<width$}").parse().ok(),
        false => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Exact, Number, decimal_of, hash};

    /// Guards that equal numbers have one value and one hash, in each form.
    #[test]
    fn a_number_has_one_value_in_each_form() {
        let of = |text: &str| Exact::of_text(text).unwrap();
        for (text, number) in [
            ("1.00", Number::Integer(1)),
            ("-1E+2", Number::Integer(-100)),
            ("-0.0", Number::Float(-0.0)),
            ("0.50", Number::Complex(0.5, 0.0)),
            ("-Infinity", Number::Float(f64::NEG_INFINITY)),
            ("-sNaN12", Number::Float(f64::NAN)),
            (
                "1606938044258990275541962092341162602522202993782792835301376",
                Number::Float(2f64.powi(200)),
            ),
        ] {
            assert_eq!(of(text), Exact::of_number(number).unwrap(), "{text}");
            let hashed = match number.integer() {
                Some(integer) => hash((5, integer)),
                None if number.parts()[0].is_nan() => hash(6),
                None => hash((7, number.parts().map(f64::to_bits))),
            };
            assert_eq!(of(text).hash(), hashed, "{text}");
        }
        let of_fraction = |a, b| decimal_of(a, b).map(|text| of(&text));
        assert_eq!(of_fraction("-7", "40"), Some(of("-0.175")));
        assert_eq!(of_fraction("1", "3"), None);
        assert_eq!(of_fraction("1", "0"), None);
        assert_eq!(of("-0x1fffffffffffffffffffffffe"), of("-158456325028528675187087900670"));
        assert_eq!(of("0x0"), Exact::Zero);
        assert_ne!(of("0.1"), Exact::of_number(Number::Float(0.1)).unwrap());
        assert_ne!(of("1e99999999999"), of("1e99999999998"));
        for text in ["", "-", "1_0", "١", "1e", "x", ".5", "NaNx"] {
            assert_eq!(Exact::of_text(text), None, "{text}");
        }
    }
}
