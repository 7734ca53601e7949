//! Numbers as items of a dtype that may not hold them: each is written exactly, or not at all.

use crate::checked;
use crate::kernel::cast::{half, to_half};

/// Writes bytes that are a whole item.
pub(crate) fn copy(bytes: &[u8], out: &mut [u8]) -> Option<()> {
    (bytes.len() == out.len()).then(|| out.copy_from_slice(bytes))
}

/// Writes an integer, if it fits.
pub(crate) fn integer(number: i128, is_signed: bool, out: &mut [u8]) -> Option<()> {
    let bits = u32::try_from(out.len()).ok()?.checked_mul(8)?;
    // All higher bits are copies of the sign, which is the highest bit of a signed integer.
    let (sign, bits) = if is_signed { (number >> 127, bits.checked_sub(1)?) } else { (0, bits) };
    ((number ^ sign).checked_shr(bits)? == 0).then_some(())?;
    copy(checked::slice(&number.to_le_bytes(), 0..out.len()), out)
}

/// Returns the float that is equal to an integer, if there is one.
#[expect(clippy::cast_possible_truncation, reason = "the result is compared with the number")]
pub(crate) fn to_float(number: i128) -> Option<f64> {
    let float = number as f64;
    let back = float as i128;
    // The largest `i128` is not a float, but the conversion back saturates to it.
    (back == number && number != i128::MAX).then_some(float)
}

/// Writes a float, if it fits exactly.
pub(crate) fn float(number: f64, out: &mut [u8]) -> Option<()> {
    match out.len() {
        8 => copy(&number.to_le_bytes(), out),
        4 => {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "the result is compared with the number"
            )]
            let narrow = number as f32;
            (f64::from(narrow) == number || number.is_nan()).then_some(())?;
            copy(&narrow.to_le_bytes(), out)
        }
        2 => {
            let narrow = to_half(number);
            (f64::from(half(narrow)) == number || number.is_nan()).then_some(())?;
            copy(&narrow.to_le_bytes(), out)
        }
        _ => None,
    }
}
