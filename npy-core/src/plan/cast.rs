//! How far dtypes may differ.

/// How far the dtype of a file may differ from the dtype of the Rust type.
///
/// Byte order, padding and the order of the fields never matter, and fields that the type does not have are skipped.
///
/// ```
/// use npy_core::{Cast, ReadOptions, WriteNpy};
///
/// let mut file = Vec::new();
/// [1i16, -2].write_npy_to(&mut file)?;
///
/// assert!(ReadOptions::new().read_from::<Vec<f64>>(&file[..]).is_err());
/// let widened: Vec<f64> = ReadOptions::new().cast(Cast::Lossless).read_from(&file[..])?;
/// assert_eq!(widened, [1.0, -2.0]);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cast {
    /// Every scalar of the file must have the kind and the size that the type expects.
    #[default]
    Exact,
    /// No value may change. A number may be widened if every value of its dtype fits exactly: to an integer, float or complex number of
    /// more bytes, from an integer to a float with enough bits, from `bool` to any number.
    ///
    /// Text may become longer or shorter, and a time may get another unit (`<M8[ns]` becomes `<M8[us]`, dates become seconds): an error
    /// names the first value that does not fit, or that is not a whole number of units. A time span is never converted between months or
    /// years and shorter units, because months have no fixed length. A field with `#[npy(width = N)]` accepts no text that is wider than
    /// `N`, whatever the cast.
    Lossless,
    /// Any number is converted to any other, as by Rust's `as`, and a time is rounded down to a whole number of units; all other values are
    /// converted as with `Lossless`. For a value within the range of the type, NumPy's `astype` returns the same.
    ///
    /// | from | to | result |
    /// |---|---|---|
    /// | integer | integer | the lowest bits: `300` as a `u8` is `44` |
    /// | integer | float | the nearest; from 65520 on, a half is infinite |
    /// | float | integer | truncated towards zero; the lowest or highest integer if it is out of range; zero for NaN |
    /// | float | float of fewer bytes | the nearest, ties to even; infinite if it is too large; NaN remains NaN |
    /// | complex | real number | the real part, converted |
    /// | real number | complex | the real part, converted, and an imaginary part of zero |
    /// | any | `bool` | true unless it is zero; NaN is true |
    /// | `bool` | any | zero or one |
    ///
    /// An imaginary part is dropped without an error, where NumPy warns (`ComplexWarning`); `Checked` refuses one that is not zero.
    ///
    /// Long doubles and bfloat16 are not converted to other numbers: read them as [`LongDouble`](crate::LongDouble) or `half::bf16`, which
    /// have `to_f64`.
    Numeric,
    /// Like `Numeric`, but an error names the first value that does not fit: an integer out of range; a time that is not a whole number of
    /// units; a float with a fraction, a NaN or an infinity that would become an integer; a finite float that would become infinite; an
    /// imaginary part that is not zero; and for a `bool`, any number but zero and one.
    ///
    /// Rounding is not an error: a float may lose digits, and an integer may be rounded to the nearest float (the `i64` 2⁵³ + 1 becomes the
    /// `f64` 2⁵³). [`Lossless`](Self::Lossless) changes no value.
    Checked,
}
