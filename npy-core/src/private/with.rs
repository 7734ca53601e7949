//! The conversions of fields that another type stores: `#[npy(with = module)]`.

use std::fmt::Display;
#[cfg(feature = "npz")]
use std::io::{Read, Seek, Write};

use crate::element::InvalidValue;
#[cfg(feature = "npz")]
use crate::error::{Error, Result as NpyResult};
#[cfg(feature = "npz")]
use crate::npz::{ArchiveField, Reader, Writer, inside};

/// The results that `encode` and `decode` of a module may return: the value, or a `Result` of it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither `{T}` nor a `Result` of it",
    label = "`encode` of the module returns its `Stored`, and `decode` the type of the field; or a `Result` of it, whose error can be printed"
)]
pub trait Converted<T> {
    /// True if the conversion can fail.
    const CAN_FAIL: bool;

    /// Returns the value, or the error as the reason.
    fn into_result(self) -> Result<T, InvalidValue>;
}

impl<T> Converted<T> for T {
    const CAN_FAIL: bool = false;

    #[inline]
    fn into_result(self) -> Result<T, InvalidValue> {
        Ok(self)
    }
}

impl<T, E: Display> Converted<T> for Result<T, E> {
    const CAN_FAIL: bool = true;

    #[inline]
    fn into_result(self) -> Result<T, InvalidValue> {
        self.map_err(|error| InvalidValue::new(error.to_string()))
    }
}

/// Returns true if the function can refuse a value.
pub const fn can_fail<T, S, C: Converted<T>>(_: fn(S) -> C) -> bool {
    C::CAN_FAIL
}

/// Returns the value to store, or why there is none.
#[inline]
pub fn encoded<S, C: Converted<S>>(value: C) -> Result<S, InvalidValue> {
    value.into_result()
}

/// Returns the value of a field whose stored value was [checked](check_decoded).
///
/// # Panics
///
/// If `decode` refuses a value that it has accepted just before. The field has no other value then.
#[inline]
#[expect(
    clippy::panic,
    reason = "no file causes it, only a function that gives two answers to the same question"
)]
pub fn decoded<T, C: Converted<T>>(value: C) -> T {
    match value.into_result() {
        Ok(value) => value,
        Err(error) => panic!("`decode` refused a value that it had accepted: {error}"),
    }
}

/// Refuses a stored value that `decode` refuses. If it cannot fail, it is not called.
#[inline]
pub fn check_decoded<T, C: Converted<T>>(decode: impl FnOnce() -> C) -> Result<(), InvalidValue> {
    if const { C::CAN_FAIL } {
        decode().into_result()?;
    }
    Ok(())
}

/// Returns the value of a field that was stored in the member of the first of these names that the archive has.
#[cfg(feature = "npz")]
pub fn decoded_field<T, C: Converted<T>, S: ArchiveField, R: Read + Seek>(
    value: C,
    from: &Reader<R>,
    at: &str,
    names: &[&str],
) -> NpyResult<T> {
    value.into_result().map_err(|error| {
        let names = names.iter().map(|name| inside(at, name));
        let found = names.into_iter().find(|name| S::__npy_is_in(from, name, None));
        from.in_file(Error::from(error).in_member(&found.unwrap_or_default()))
    })
}

/// Returns the value to store in the member of this name.
#[cfg(feature = "npz")]
pub fn encoded_field<S, C: Converted<S>, W: Write>(
    value: C,
    to: &mut Writer<W>,
    at: &str,
    name: &str,
) -> NpyResult<S> {
    value.into_result().map_err(|error| to.in_file(Error::from(error).in_member(&inside(at, name))))
}
