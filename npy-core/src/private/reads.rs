//! `assert_reads!`, for the tests of programs.

use std::path::Path;

use crate::dtype::ByteOrder;
use crate::dtype::difference::differences;
use crate::element::typed_plan::TypedPlan;
use crate::element::{Element, type_name};
use crate::header::Header;
use crate::plan::Cast;

/// Asserts that a type reads the items of a file: `assert_reads!(Trace, "data/x.npy")`.
///
/// Only the header of the file is read. If the type does not read it, the test fails with the error of reading and a list of all that
/// differs. What reading allows is no failure: another byte order or order of fields, other padding, fields that the struct lacks.
///
/// The command `npy struct` and the package `npy-codegen` write a struct that reads a file.
///
/// ```
/// use npy_core::{NpyRecord, WriteNpy, assert_reads};
///
/// #[derive(NpyRecord)]
/// struct Trace {
///     station: u32,
///     gain: f32,
/// }
///
/// # let dir = tempfile::tempdir()?;
/// # let path = dir.path().join("x.npy");
/// [Trace { station: 7, gain: 1.5 }].write_npy(&path)?;
/// assert_reads!(Trace, &path);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// ```should_panic
/// # use npy_core::{NpyRecord, WriteNpy, assert_reads};
/// # let dir = tempfile::tempdir().unwrap();
/// # let path = dir.path().join("x.npy");
/// # #[derive(NpyRecord)] struct Written { station: u32, gain: f64 }
/// # [Written { station: 7, gain: 1.5 }].write_npy(&path).unwrap();
/// # #[derive(NpyRecord)] struct Trace { station: u32, gain: f32 }
/// // x.npy: field "gain": the file has '<f8', …
/// // - "gain" is <f8 in the file, and <f4 in Trace
/// assert_reads!(Trace, &path);
/// ```
#[macro_export]
macro_rules! assert_reads {
    ($type:ty, $path:expr $(,)?) => {
        if let ::core::result::Result::Err(differences) = $crate::private::check_reads::<$type>(
            ::core::convert::AsRef::<::std::path::Path>::as_ref(&$path),
        ) {
            ::core::panic!("{}", differences)
        }
    };
}

/// Returns why `T` does not read the items of this file.
///
/// # Errors
///
/// The text of the error of reading, and a line for each difference.
pub fn check_reads<T: Element>(path: &Path) -> Result<(), String> {
    let header = Header::read_npy(path).map_err(|error| error.to_string())?;
    let Err(error) = TypedPlan::new::<T>(&header, Cast::Exact) else { return Ok(()) };
    let name = type_name::<T>();
    let mut message = error.wanted_by(&name).in_file(path).to_string();
    let order = ByteOrder::Little;
    let (found, wanted) =
        (header.dtype().with_byte_order(order), T::dtype().with_byte_order(order));
    let differences = differences(&found, &wanted, &name, false);
    for difference in differences.iter().take(MAX_LINES) {
        message.push_str("\n- ");
        message.push_str(difference);
    }
    if let Some(more @ 1..) = differences.len().checked_sub(MAX_LINES) {
        message.push_str(&format!("\n- and {more} more"));
    }
    Err(message)
}

/// The most differences that are listed.
const MAX_LINES: usize = 40;
