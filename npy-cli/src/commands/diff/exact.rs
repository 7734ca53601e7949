//! Numbers of Python without a limit, `Decimal`, `Fraction` and long integers, compared exactly as Python does.

use std::fmt;

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
    /// A fraction that no decimal number is, `1/3`, or a number of very many digits, `0x123…`.
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
        // Integers of more than 4,300 digits are printed so.
        if size.starts_with("0x") {
            let sign = if is_negative { "-" } else { "" };
            return match Natural::of(size) {
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

/// A natural number in parts of nine decimal digits, the lowest one first. The highest one is not zero.
#[derive(PartialEq)]
struct Natural(Vec<u64>);

impl Natural {
    /// Each part is smaller.
    const BASE: u64 = 1_000_000_000;
    /// The digits of a part.
    const WIDTH: usize = 9;
    /// The digits of a text, and the places of a fraction: the conversion of more takes long.
    const MAX_DIGITS: usize = 10_000;

    /// Returns the number of decimal or, after `0x`, of hexadecimal digits; `None` if there are very many.
    fn of(text: &str) -> Option<Self> {
        let (radix, digits, width) = match text.strip_prefix("0x") {
            Some(digits) => (16, digits, 7),
            None => (10, text, Natural::WIDTH),
        };
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_number || digits.len() > Natural::MAX_DIGITS {
            return None;
        }
        let mut number = Natural(Vec::new());
        for digits in digits.as_bytes().chunks(width) {
            let size = digits.iter().fold(1, |size, _| size * u64::from(radix));
            let digits = str::from_utf8(digits).ok()?;
            number.multiply(size, u64::from_str_radix(digits, radix).ok()?);
        }
        Some(number)
    }

    /// Multiplies by a number of at most 32 bits, and adds another one.
    fn multiply(&mut self, by: u64, add: u64) {
        let mut carry = add;
        for part in &mut self.0 {
            let next = *part * by + carry;
            (*part, carry) = (next % Natural::BASE, next / Natural::BASE);
        }
        if carry > 0 {
            self.0.push(carry);
        }
    }

    /// Returns the quotient by a number of at most 32 bits; `None` if there is a remainder.
    fn divide(&self, by: u64) -> Option<Self> {
        let mut parts = self.0.clone();
        let mut rest = 0;
        for part in parts.iter_mut().rev() {
            let next = rest * Natural::BASE + *part;
            (*part, rest) = (next / by, next % by);
        }
        if parts.last() == Some(&0) {
            parts.pop();
        }
        (rest == 0).then_some(Natural(parts))
    }
}

impl fmt::Display for Natural {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((first, rest)) = self.0.split_last() else { return f.write_str("0") };
        write!(f, "{first}")?;
        rest.iter().rev().try_for_each(|part| write!(f, "{part:0width$}", width = Natural::WIDTH))
    }
}

/// Returns a fraction as a decimal number; `None` if it is not one, or has very many places.
fn decimal_of(numerator: &str, denominator: &str) -> Option<String> {
    /// A factor of the denominator, the one that makes a power of ten of it, and the exponent of that power.
    const STEPS: [(u64, u64, usize); 4] =
        [(512, 1_953_125, 9), (2, 5, 1), (1_953_125, 512, 9), (5, 2, 1)];
    let (sign, size) = match numerator.strip_prefix('-') {
        Some(size) => ("-", size),
        None => ("", numerator),
    };
    let (mut digits, mut rest) = (Natural::of(size)?, Natural::of(denominator)?);
    let mut places = 0;
    for (factor, other, width) in STEPS {
        while places < Natural::MAX_DIGITS
            && let Some(quotient) = rest.divide(factor)
        {
            rest = quotient;
            digits.multiply(other, 0);
            places += width;
        }
    }
    (rest.0 == [1]).then(|| format!("{sign}{digits}e-{places}"))
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
        let of_fraction = |a: &str, b: &str| decimal_of(a, b).map(|text| of(&text));
        assert_eq!(of_fraction("-7", "40"), Some(of("-0.175")));
        assert_eq!(of_fraction("1", "3"), None);
        assert_eq!(of_fraction("1", "0"), None);
        for (numerator, denominator) in [("1", ""), ("x", "2"), ("0x", "2"), ("1", "-2")] {
            assert_eq!(decimal_of(numerator, denominator), None, "{numerator}/{denominator}");
        }
        let float = |float| Exact::of_number(Number::Float(float));
        assert_eq!(of_fraction("3602879701896397", "36028797018963968"), float(0.1));
        assert_eq!(of_fraction("0x1", &format!("0x4{}", "0".repeat(268))), float(5e-324));
        assert_eq!(of_fraction("-1", &format!("1{}", "0".repeat(1100))), Some(of("-1e-1100")));
        assert_eq!(of_fraction("1", &format!("1{}", "0".repeat(9999))), None);
        assert_eq!(of("-0x1fffffffffffffffffffffffe"), of("-158456325028528675187087900670"));
        assert_eq!(of("0x0"), Exact::Zero);
        assert_ne!(of("0.1"), Exact::of_number(Number::Float(0.1)).unwrap());
        assert_ne!(of("1e99999999999"), of("1e99999999998"));
        for text in ["", "-", "1_0", "١", "1e", "x", ".5", "NaNx"] {
            assert_eq!(Exact::of_text(text), None, "{text}");
        }
    }
}
