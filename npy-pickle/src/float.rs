//! Floats from decimal text for WebAssembly, where the tables of Rust's own function would add 12 KiB to a package that is sent to browsers.
//! They are rare: only the first protocol of pickles, which is text, has them.

use crate::checked;

/// More digits than this decide nothing but whether there is a rest.
const MAX_DIGITS: usize = 800;

/// Parses a float as `str::parse` does: the nearest one; `None` if the text is not one.
pub(crate) fn parse(text: &str) -> Option<f64> {
    let (is_negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let named = |names: &[&str]| names.iter().any(|name| unsigned.eq_ignore_ascii_case(name));
    let value = match unsigned {
        _ if named(&["inf", "infinity"]) => f64::INFINITY,
        _ if named(&["nan"]) => f64::NAN,
        _ => decimal(unsigned)?,
    };
    Some(if is_negative { -value } else { value })
}

/// Returns the float nearest to a number without a sign.
fn decimal(text: &str) -> Option<f64> {
    let (number, exponent) = match text.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, exponent_of(exponent)?),
        None => (text, 0),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    // The exponent of the last digit that is used.
    let mut exponent = exponent.saturating_sub(i64::try_from(fraction.len()).ok()?);
    let significant: Vec<u8> = digits.into_iter().skip_while(|digit| *digit == b'0').collect();
    let used = significant.get(..MAX_DIGITS).unwrap_or(&significant);
    let rest = significant.get(used.len()..).unwrap_or_default();
    exponent = exponent.saturating_add(i64::try_from(rest.len()).ok()?);
    let size = exponent.saturating_add(i64::try_from(used.len()).ok()?);
    match used {
        [] => return Some(0.0),
        _ if size > 310 => return Some(f64::INFINITY),
        _ if size < -330 => return Some(0.0),
        _ => {}
    }
    // The words after the point are enough for more bits than a float has.
    let mut power = usize::try_from(exponent.unsigned_abs()).ok()?;
    let mut natural = Natural { words: Vec::new(), has_rest: rest.iter().any(|it| *it != b'0') };
    for digit in used {
        natural.multiply(10, u32::from(digit.wrapping_sub(b'0')));
    }
    let fraction_words = checked::add(power / 8, 4);
    natural.words.splice(0..0, std::iter::repeat_n(0, fraction_words));
    while power > 0 {
        let step = power.min(9);
        power = checked::sub(power, step);
        let by = u32::try_from(step).ok().and_then(|step| 10_u32.checked_pow(step))?;
        match exponent > 0 {
            true => natural.multiply(by, 0),
            false => natural.divide(by),
        }
    }
    Some(natural.to_f64(fraction_words))
}

/// Parses an exponent. One that is too large for any float is as good as infinite.
fn exponent_of(text: &str) -> Option<i64> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let size = digits.parse().unwrap_or(i64::MAX);
    Some(if is_negative { size.saturating_neg() } else { size })
}

/// A natural number: words of 32 bits, the lowest first; and whether a fraction was cut from it.
struct Natural {
    words: Vec<u32>,
    has_rest: bool,
}

impl Natural {
    fn multiply(&mut self, by: u32, add: u32) {
        let mut carry = u64::from(add);
        for word in &mut self.words {
            carry = u64::from(*word).saturating_mul(u64::from(by)).saturating_add(carry);
            *word = low(carry);
            carry >>= 32;
        }
        if carry > 0 {
            self.words.push(low(carry));
        }
    }

    fn divide(&mut self, by: u32) {
        let by = u64::from(by);
        let mut rest: u64 = 0;
        for word in self.words.iter_mut().rev() {
            rest = rest << 32 | u64::from(*word);
            *word = low(rest.checked_div(by).unwrap_or(0));
            rest = rest.checked_rem(by).unwrap_or(0);
        }
        self.has_rest |= rest > 0;
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
    }

    fn bit(&self, index: usize) -> u64 {
        let word = self.words.get(index / 32).copied().unwrap_or(0);
        u64::from(word >> (index % 32) & 1)
    }

    /// Returns the nearest float; of two, the even one. This many of the words are after the point.
    fn to_f64(&self, fraction_words: usize) -> f64 {
        /// The exponent of the smallest float.
        const SMALLEST: i32 = -1074;
        let last = self.words.last().map_or(0, |word| word.leading_zeros() as usize);
        let bits = checked::sub(self.words.len().saturating_mul(32), last);
        let signed = |bits: usize| i32::try_from(bits).unwrap_or(i32::MAX);
        let exponent = signed(bits).saturating_sub(signed(fraction_words.saturating_mul(32)));
        let precision = exponent.saturating_sub(SMALLEST).min(53);
        let Ok(kept) = usize::try_from(precision) else { return 0.0 };
        let Some(half) = bits.checked_sub(checked::add(kept, 1)) else { return 0.0 };
        let above = (checked::add(half, 1)..bits).rev();
        let mut mantissa = above.fold(0, |all, index| all << 1 | self.bit(index));
        let has_rest = self.has_rest || (0..half).any(|index| self.bit(index) > 0);
        if self.bit(half) == 1 && (has_rest || mantissa & 1 == 1) {
            mantissa = mantissa.wrapping_add(1);
        }
        scaled(mantissa, exponent.saturating_sub(precision))
    }
}

/// Returns `mantissa` times a power of two, which is a float, or too large for one.
#[expect(clippy::cast_precision_loss, reason = "it has at most 53 bits, or is a power of two")]
fn scaled(mantissa: u64, exponent: i32) -> f64 {
    // A power of two that is too small for a float of full precision is one of two steps. Each step is exact.
    let steps = if exponent < 0 { [exponent.saturating_add(64), -64] } else { [exponent, 0] };
    steps.into_iter().fold(mantissa as f64, |value, step| {
        let biased = u64::try_from(step.saturating_add(1023)).unwrap_or(0);
        value * f64::from_bits(biased << 52)
    })
}

fn low(value: u64) -> u32 {
    u32::try_from(value & u64::from(u32::MAX)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[track_caller]
    fn check(text: &str) {
        let expected: Option<f64> = text.parse().ok();
        assert_eq!(parse(text).map(f64::to_bits), expected.map(f64::to_bits), "{text}");
    }

    #[test]
    fn every_form_is_that_of_rust() {
        let forms = "0,-0,+1,1.,.5,.,,-,1e5,1E-5,1e+5,1e,e5,1e-,1_0, 1,0x1,1.2.3,inf,-INF,Infinity,nan,in,-0.0e-9,00012.500";
        let large = "1e999999999999999999999,1e-999999999999999999999,0e999999999999999999999";
        for text in forms.split(',').chain(large.split(',')) {
            check(text);
        }
        assert!(parse("-nan").is_some_and(f64::is_nan));
    }

    /// Guards the nearest float: at the ends of the range, halfway between two, and with more digits than are used.
    #[test]
    fn the_nearest_float_is_that_of_rust() {
        let ends = "1.7976931348623157e308 1.7976931348623158e308 1.797693134862315807e308 1.7976931348623159e308 2e308 2.2250738585072014e-308";
        let small = "2.2250738585072011e-308 5e-324 4.9406564584124654e-324 2.4703282292062327e-324 2.4703282292062328e-324 2.5e-324 2e-324";
        let halfway = "9007199254740993 9007199254740992.999 9007199254740993.0000000000000000000000000001 9007199254740991.5 0.1 0.3";
        for text in [ends, small, halfway].into_iter().flat_map(|list| list.split(' ')) {
            check(text);
        }
        for end in ["", "0", "1"] {
            check(&format!("9007199254740993.{}{end}", "0".repeat(900)));
            check(&format!("{}{end}e-700", "123456789".repeat(90)));
        }
        let mut state = 7_u64;
        for round in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let number = f64::from_bits(state ^ state >> 29);
            check(&format!("{number:e}"));
            check(&format!("{number:.25e}"));
            check(&format!("{}e{}", state >> (round % 60), round % 700 - 350));
        }
    }
}
