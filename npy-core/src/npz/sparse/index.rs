//! The indices of a sparse matrix, in 32 or 64 bits.

use std::fmt::Display;
use std::io::{Read, Seek};

use super::super::Reader;
use crate::array::NpyArray;
use crate::element::Element;
use crate::error::{Error, Result};

/// The type of the indices of a sparse matrix: `i32` or `i64`, as in SciPy.
pub trait Index: Element + Copy + Display + Into<i64> + TryFrom<i64> + sealed::Sealed {}

impl Index for i32 {}
impl Index for i64 {}

mod sealed {
    pub trait Sealed {}
    impl Sealed for i32 {}
    impl Sealed for i64 {}
}

/// Reads a list of 32-bit or 64-bit indices, and converts it to `I`.
pub(super) fn read<I: Index, R: Read + Seek>(from: &Reader<R>, name: &str) -> Result<Vec<I>> {
    match is_narrow(from, name)? {
        true => converted(from.read::<Vec<i32>>(name)?, from, name),
        false => converted(from.read::<Vec<i64>>(name)?, from, name),
    }
}

/// Reads an array of 32-bit or 64-bit indices, and converts it to `I`.
pub(super) fn read_array<I: Index, R: Read + Seek>(
    from: &Reader<R>,
    name: &str,
) -> Result<NpyArray<I>> {
    let header = from.header(name)?;
    let indices = match is_narrow(from, name)? {
        true => converted(from.read::<NpyArray<i32>>(name)?.into_vec(), from, name)?,
        false => converted(from.read::<NpyArray<i64>>(name)?.into_vec(), from, name)?,
    };
    NpyArray::new(indices, header.shape()).map_err(|error| from.in_file(error))
}

fn is_narrow<R: Read + Seek>(from: &Reader<R>, name: &str) -> Result<bool> {
    Ok(from.header(name)?.dtype().itemsize() == i32::SIZE)
}

/// Converts indices to `I`.
fn converted<I: Index, J: Index, R: Read + Seek>(
    indices: Vec<J>,
    from: &Reader<R>,
    name: &str,
) -> Result<Vec<I>> {
    let fit = |n: J| {
        let n = n.into();
        I::try_from(n).map_err(|_| n)
    };
    let indices: Result<Vec<I>, i64> = indices.into_iter().map(fit).collect();
    indices.map_err(|n| {
        let reason = format_args!(
            "the index {n} does not fit into 32 bits; use indices of i64, as in Csr<f64, i64>"
        );
        from.in_file(Error::invalid(reason).in_member(name))
    })
}
