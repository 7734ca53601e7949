//! Checks that the arrays of a sparse format are a valid matrix.

use std::collections::HashSet;

use super::{Bsr, Coo, Csc, Csr, CsrVector, Dia, Index};
use crate::error::Error;
use crate::shape;

/// The result of a check; the error is the reason why the matrix is invalid.
pub(super) type Checked = Result<(), String>;

/// The error for arrays that are not a valid matrix.
pub(super) fn error(format: &str, shape: &[usize], wrong: &str) -> Error {
    Error::invalid(format_args!("a {format} matrix of shape {}: {wrong}", shape::excerpt(shape)))
}

impl<T, I: Index> Csr<T, I> {
    pub(super) fn wrong(&self) -> Checked {
        let [rows, columns] = self.shape;
        compressed(&self.indptr, &self.indices, [rows, columns], self.data.len())
    }
}

impl<T, I: Index> CsrVector<T, I> {
    pub(super) fn wrong(&self) -> Checked {
        let [columns] = self.shape;
        compressed(&self.indptr, &self.indices, [1, columns], self.data.len())
    }
}

impl<T, I: Index> Csc<T, I> {
    pub(super) fn wrong(&self) -> Checked {
        let [rows, columns] = self.shape;
        compressed(&self.indptr, &self.indices, [columns, rows], self.data.len())
    }
}

impl<T, I: Index> Coo<T, I> {
    pub(super) fn wrong(&self) -> Checked {
        let [rows, columns] = self.shape;
        for (name, list, below) in [("row", &self.row, rows), ("col", &self.col, columns)] {
            length(name, list, self.data.len(), "data")?;
            within(name, list.iter().copied(), below)?;
        }
        Ok(())
    }
}

impl<T, I: Index> Dia<T, I> {
    pub(super) fn wrong(&self) -> Checked {
        let [diagonals, _] = self.data.shape() else {
            return Err(rank("data", self.data.shape(), "two: the diagonals, and the columns"));
        };
        length("offsets", &self.offsets, *diagonals, "the first dimension of data")?;
        let mut seen = HashSet::new();
        match self.offsets.iter().find(|offset| !seen.insert((**offset).into())) {
            Some(offset) => Err(format!("offsets has {offset} twice; a diagonal is given once")),
            None => Ok(()),
        }
    }
}

impl<T, I: Index> Bsr<T, I> {
    pub(super) fn wrong(&self) -> Checked {
        let [blocks, high, wide] = self.data.shape() else {
            let expected = "three: the blocks, and the rows and columns of each";
            return Err(rank("data", self.data.shape(), expected));
        };
        let [rows, columns] = self.shape;
        let whole = |n: usize, of: usize| {
            n.checked_div(of).filter(|_| n.checked_rem(of) == Some(0)).ok_or_else(|| {
                format!(
                    "it cannot be divided into the blocks of data, {high} rows by {wide} columns"
                )
            })
        };
        compressed(
            &self.indptr,
            &self.indices,
            [whole(rows, *high)?, whole(columns, *wide)?],
            *blocks,
        )
    }
}

/// Checks the lists of compressed rows (or columns): `major` is the number of rows, and each index must be less than `minor`.
fn compressed<I: Index>(
    indptr: &[I],
    indices: &[I],
    [major, minor]: [usize; 2],
    values: usize,
) -> Checked {
    length(
        "indptr",
        indptr,
        major.saturating_add(1),
        "one more than there are rows (csc: columns)",
    )?;
    length("indices", indices, values, "data")?;
    if let Some(first) = indptr.first().filter(|first| number(**first) != Some(0)) {
        return Err(format!("indptr begins with {first}, expected 0"));
    }
    let pairs = indptr.iter().zip(indptr.iter().skip(1)).enumerate();
    for (i, (from, to)) in pairs {
        if (*to).into() < (*from).into() {
            let next = i.saturating_add(1);
            return Err(format!("indptr[{next}] is {to}, less than the {from} before it"));
        }
    }
    match indptr.last() {
        // As in SciPy, there may be more values than `indptr` uses.
        Some(last) if number(*last).is_none_or(|last| last > values) => {
            Err(format!("indptr ends with {last}, and there are {values} values"))
        }
        _ => within("indices", indices.iter().copied(), minor),
    }
}

fn length<I>(name: &str, list: &[I], expected: usize, of: &str) -> Checked {
    match list.len() {
        n if n == expected => Ok(()),
        n => Err(format!("{name} has {n} items, and must have {expected}, as {of}")),
    }
}

pub(super) fn rank(name: &str, shape: &[usize], expected: &str) -> String {
    format!("{name} has shape {}; its dimensions are {expected}", shape::repr(shape))
}

/// Checks that each index is from 0 to `below` (exclusive).
pub(super) fn within<I: Index>(
    name: &str,
    list: impl IntoIterator<Item = I>,
    below: usize,
) -> Checked {
    let outside = |index: I| number(index).is_none_or(|index| index >= below);
    match list.into_iter().enumerate().find(|(_, index)| outside(*index)) {
        None => Ok(()),
        Some((i, index)) => Err(match below.checked_sub(1) {
            Some(last) => format!("{name}[{i}] is {index}, and must be from 0 to {last}"),
            None => format!("{name}[{i}] is {index}, and the matrix is empty"),
        }),
    }
}

/// Converts an index; `None` if it is negative.
fn number<I: Index>(index: I) -> Option<usize> {
    usize::try_from(index.into()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::NpyArray;

    fn csr(indptr: &[i32], indices: &[i32], values: usize) -> Csr<u8> {
        let (indptr, indices) = (indptr.to_vec(), indices.to_vec());
        Csr { shape: [2, 3], indptr, indices, data: vec![0; values], is_array: true }
    }

    fn dia(offsets: &[i32], shape: &[usize]) -> Dia<u8> {
        let data = NpyArray::new(vec![0; shape.iter().product()], shape).unwrap();
        Dia { shape: [2, 3], offsets: offsets.to_vec(), data, is_array: true }
    }

    fn bsr(indptr: &[i64], indices: &[i64], shape: &[usize]) -> Bsr<u8, i64> {
        let data = NpyArray::new(vec![0; shape.iter().product()], shape).unwrap();
        let (indptr, indices) = (indptr.to_vec(), indices.to_vec());
        Bsr { shape: [2, 4], indptr, indices, data, is_array: true }
    }

    fn coo(row: &[i32], col: &[i32], values: usize) -> Coo<u8> {
        let (row, col) = (row.to_vec(), col.to_vec());
        Coo { shape: [2, 3], row, col, data: vec![0; values], is_array: true }
    }

    /// Guards the checks: in a matrix that was read, no index is out of range.
    #[test]
    fn an_invalid_matrix_is_refused_with_the_reason() {
        let many = i64::MAX;
        for (wrong, message) in [
            (
                csr(&[0, 1], &[0], 1).wrong(),
                "indptr has 2 items, and must have 3, as one more than there are rows (csc: columns)",
            ),
            (csr(&[0, 1, 1], &[0], 2).wrong(), "indices has 1 items, and must have 2, as data"),
            (csr(&[1, 1, 1], &[0], 1).wrong(), "indptr begins with 1, expected 0"),
            (csr(&[-1, 1, 1], &[0], 1).wrong(), "indptr begins with -1, expected 0"),
            (csr(&[0, 1, 0], &[0], 1).wrong(), "indptr[2] is 0, less than the 1 before it"),
            (csr(&[0, 1, 2], &[0], 1).wrong(), "indptr ends with 2, and there are 1 values"),
            (csr(&[0, 1, 2], &[0, 3], 2).wrong(), "indices[1] is 3, and must be from 0 to 2"),
            (csr(&[0, 1, 2], &[-1, 2], 2).wrong(), "indices[0] is -1, and must be from 0 to 2"),
            (coo(&[0], &[0, 1], 2).wrong(), "row has 1 items, and must have 2, as data"),
            (coo(&[0, 1], &[0], 2).wrong(), "col has 1 items, and must have 2, as data"),
            (coo(&[2], &[0], 1).wrong(), "row[0] is 2, and must be from 0 to 1"),
            (coo(&[1], &[3], 1).wrong(), "col[0] is 3, and must be from 0 to 2"),
            (
                dia(&[0], &[3]).wrong(),
                "data has shape (3,); its dimensions are two: the diagonals, and the columns",
            ),
            (
                dia(&[0], &[2, 3]).wrong(),
                "offsets has 1 items, and must have 2, as the first dimension of data",
            ),
            (dia(&[1, 1], &[2, 3]).wrong(), "offsets has 1 twice; a diagonal is given once"),
            (
                bsr(&[0, 1], &[0], &[1, 2]).wrong(),
                "data has shape (1, 2); its dimensions are three: the blocks, and the rows and columns of each",
            ),
            (
                bsr(&[0, 1], &[0], &[1, 2, 3]).wrong(),
                "it cannot be divided into the blocks of data, 2 rows by 3 columns",
            ),
            (
                bsr(&[0, 1], &[0], &[1, 0, 2]).wrong(),
                "it cannot be divided into the blocks of data, 0 rows by 2 columns",
            ),
            (bsr(&[0, 1], &[2], &[1, 2, 2]).wrong(), "indices[0] is 2, and must be from 0 to 1"),
            (
                bsr(&[0, many], &[1], &[1, 2, 2]).wrong(),
                "indptr ends with 9223372036854775807, and there are 1 values",
            ),
        ] {
            assert_eq!(wrong.unwrap_err(), message);
        }
    }

    /// Guards unusual matrices, which SciPy accepts, too.
    #[test]
    fn an_unusual_matrix_is_accepted() {
        // A value that is in no row, and indices that are unsorted and repeated.
        csr(&[0, 0, 2], &[2, 2, 0], 3).wrong().unwrap();
        coo(&[1, 1], &[0, 0], 2).wrong().unwrap();
        // Diagonals that are outside the matrix and shorter than it.
        dia(&[-7, 9], &[2, 1]).wrong().unwrap();
        bsr(&[0, 0], &[], &[0, 2, 4]).wrong().unwrap();
        let empty = Csr { shape: [0, 0], ..csr(&[0], &[], 0) };
        empty.wrong().unwrap();
        let error = Coo { shape: [0, 0], ..coo(&[0], &[0], 1) }.wrong().unwrap_err();
        assert_eq!(error, "row[0] is 0, and the matrix is empty");
        // In csc, `indptr` has an item for each column.
        let (indptr, indices) = (vec![0, 0, 0, 1], vec![1]);
        let csc = Csc { shape: [2, 3], indptr, indices, data: vec![1u8], is_array: false };
        csc.wrong().unwrap();
        assert!(Csc { shape: [3, 2], ..csc }.wrong().is_err());
    }
}
