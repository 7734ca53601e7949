//! Integers of any size.

use std::fmt;

use super::text::decimal;

/// An integer that an `i64` cannot hold, or may not be able to. Its [`Display`](fmt::Display) is decimal, or hexadecimal above 4,300 digits, as the time
/// for decimal grows with the square of the length.
#[derive(Clone, Copy, Debug)]
pub enum BigInt<'a> {
    /// Two's complement, the least significant byte first.
    Binary(&'a [u8]),
    /// A line of decimal digits with an optional sign and an optional `L`.
    Decimal(&'a [u8]),
}

impl BigInt<'_> {
    /// Returns the number, if it fits.
    ///
    /// ```
    /// use npy_pickle::BigInt;
    ///
    /// assert_eq!(BigInt::Binary(&[0xff]).to_i128(), Some(-1));
    /// assert_eq!(BigInt::Decimal(b"12L\n").to_i128(), Some(12));
    /// assert_eq!(BigInt::Binary(&[1; 17]).to_i128(), None);
    /// ```
    pub fn to_i128(&self) -> Option<i128> {
        match self {
            BigInt::Binary(bytes) => {
                let (low, high) = bytes.split_at_checked(16).unwrap_or((bytes, &[]));
                let sign = if bytes.last().is_some_and(|&byte| byte >= 0x80) { 0xff } else { 0 };
                let mut number = [sign; 16];
                number.iter_mut().zip(low).for_each(|(to, from)| *to = *from);
                let number = i128::from_le_bytes(number);
                let same_sign = (number < 0) == (sign == 0xff);
                (same_sign && high.iter().all(|&byte| byte == sign)).then_some(number)
            }
            BigInt::Decimal(line) => digits(line).parse().ok(),
        }
    }

    /// Returns the number, if it fits.
    ///
    /// ```
    /// use npy_pickle::BigInt;
    ///
    /// assert_eq!(BigInt::Binary(&[0xff; 17]).to_u128(), None);
    /// assert_eq!(BigInt::Binary(&[0, 1]).to_u128(), Some(256));
    /// ```
    pub fn to_u128(&self) -> Option<u128> {
        match self {
            BigInt::Binary(bytes) => {
                let (low, high) = bytes.split_at_checked(16).unwrap_or((bytes, &[]));
                let mut number = [0; 16];
                number.iter_mut().zip(low).for_each(|(to, from)| *to = *from);
                let is_negative = bytes.last().is_some_and(|&byte| byte >= 0x80);
                (!is_negative && high.iter().all(|&byte| byte == 0))
                    .then(|| u128::from_le_bytes(number))
            }
            BigInt::Decimal(line) => digits(line).parse().ok(),
        }
    }

    /// Returns the work of printing it, in bytes that are copied. Converting a binary number to decimal takes the time of many copies.
    ///
    /// ```
    /// use npy_pickle::BigInt;
    ///
    /// assert!(BigInt::Binary(&[1; 9]).work() > BigInt::Decimal(b"72340172838076673\n").work());
    /// ```
    pub fn work(&self) -> usize {
        match self {
            BigInt::Binary(bytes) => bytes.len().saturating_mul(64),
            BigInt::Decimal(line) => line.len(),
        }
    }
}

/// Returns the digits in a line, with their sign if it is negative.
fn digits(line: &[u8]) -> &str {
    let text = std::str::from_utf8(line).unwrap_or_default().trim();
    text.trim_end_matches('L').trim_start_matches('+')
}

/// Prints the number in decimal, or in hexadecimal if it is very long.
impl fmt::Display for BigInt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BigInt::Binary(bytes) => f.write_str(&decimal(bytes)),
            BigInt::Decimal(line) => f.write_str(digits(line)),
        }
    }
}
