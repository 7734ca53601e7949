//! Sparse arrays of any number of dimensions, and of any format.

use std::io::{Read, Seek, Write};

use super::super::fields::{Siblings, below, inside};
use super::super::{ArchiveField, NpzArchive, Reader, Writer};
use super::{Bsr, Coo, Csc, Csr, CsrVector, DATA, Dia, FORMAT, IS_ARRAY, Index, SHAPE};
use super::{check, end, expect_format, format, index, shape};
use crate::array::NpyArray;
use crate::element::Element;
use crate::error::Result;
use crate::shape as dims;

/// Coordinates in any number of dimensions: `coo_array`. The value `data[i]` has the index `coords[[0, i]]`, `coords[[1, i]]` and so on;
/// values of the same index are added.
///
/// A file with a matrix of two dimensions is read, too.
///
/// ```
/// use npy_core::{NpyArray, npz::sparse::CooArray};
///
/// // [[[0, 0], [0, 7]]]
/// let coords = NpyArray::new(vec![0, 1, 1], [3, 1])?;
/// let array = CooArray { shape: vec![1, 2, 2], coords, data: vec![7u8] };
/// array.check()?;
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CooArray<T, I = i32> {
    /// The dimensions.
    pub shape: Vec<usize>,
    /// The index of each value, with one row for each dimension.
    pub coords: NpyArray<I>,
    /// The values.
    pub data: Vec<T>,
}

impl<T, I: Index> CooArray<T, I> {
    /// Checks that the arrays make a valid sparse array. Reading and writing do the same check.
    ///
    /// ```
    /// use npy_core::{NpyArray, npz::sparse::CooArray};
    ///
    /// let coords = NpyArray::new(vec![0, 1, 1], [3, 1])?;
    /// let mut array = CooArray { shape: vec![1, 2, 2], coords, data: vec![7] };
    /// array.check()?;
    /// array.shape = vec![1, 1, 1];
    /// assert!(array.check().is_err());
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidValue`](crate::ErrorKind::InvalidValue), which names the array and what is wrong with it.
    pub fn check(&self) -> Result<()> {
        self.wrong().map_err(|wrong| check::error(COO, &self.shape, &wrong))
    }

    fn wrong(&self) -> check::Checked {
        let (dimensions, values) = (self.shape.len(), self.data.len());
        if self.coords.shape() != [dimensions, values] {
            let found = dims::repr(self.coords.shape());
            return Err(format!(
                "coords has shape {found}, and must have ({dimensions}, {values}): the number of dimensions, and that of values"
            ));
        }
        let mut indices = self.coords.iter().copied();
        for (dimension, &below) in self.shape.iter().enumerate() {
            let name = format!("coords[{dimension}]");
            check::within(&name, indices.by_ref().take(values), below)?;
        }
        Ok(())
    }
}

const COO: &str = "coo";
/// The coordinates of two dimensions, which have names of their own.
const ROW_AND_COLUMN: [&str; 2] = ["row", "col"];
const COORDS: &str = "coords";

impl<T: Element, I: Index> NpzArchive for CooArray<T, I> {}

impl<T: Element, I: Index> ArchiveField for CooArray<T, I> {
    fn __npy_write<W: Write>(
        &self,
        to: &mut Writer<W>,
        at: &str,
        _: Option<&Siblings<'_>>,
    ) -> Result<()> {
        self.check().map_err(|error| to.in_file(error))?;
        // As in SciPy.
        if self.shape.len() == ROW_AND_COLUMN.len() {
            let coords: Vec<&I> = self.coords.iter().collect();
            let lists = coords.chunks(self.data.len().max(1));
            for (i, name) in ROW_AND_COLUMN.into_iter().enumerate() {
                let list = lists.clone().nth(i).unwrap_or_default();
                let list: Vec<I> = list.iter().map(|&&index| index).collect();
                to.write(&inside(at, name), &list)?;
            }
        } else {
            to.write(&inside(at, COORDS), &self.coords)?;
        }
        end(to, at, COO, (&self.shape, &self.data, true))
    }

    fn __npy_is_in<R: Read + Seek>(from: &Reader<R>, at: &str, _: Option<&Siblings<'_>>) -> bool {
        from.contains(&inside(at, FORMAT))
    }

    fn __npy_takes(member: &str, at: &str, _: Option<&Siblings<'_>>) -> bool {
        let [row, column] = ROW_AND_COLUMN;
        let own = [FORMAT, SHAPE, DATA, IS_ARRAY, COORDS, row, column];
        below(member, at).is_some_and(|name| own.contains(&name))
    }

    fn __npy_read<R: Read + Seek>(
        from: &Reader<R>,
        at: &str,
        _: Option<&Siblings<'_>>,
    ) -> Result<Self> {
        expect_format(from, at, COO)?;
        let shape = shape(from, at)?;
        let coords = inside(at, COORDS);
        let coords = if from.contains(&coords) {
            index::read_array(from, &coords)?
        } else {
            let [row, column] = ROW_AND_COLUMN.map(|name| index::read(from, &inside(at, name)));
            let (row, column): (Vec<I>, Vec<I>) = (row?, column?);
            let shape = [2, row.len()];
            NpyArray::new([row, column].concat(), shape).map_err(|error| from.in_file(error))?
        };
        let array = CooArray { shape, coords, data: from.read(&inside(at, DATA))? };
        array.check().map_err(|error| from.in_file(error))?;
        Ok(array)
    }
}

/// A sparse matrix or array of any format: the one that the file has.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// use npy_core::npz::{self, sparse::{Coo, Sparse}};
///
/// // scipy.sparse.save_npz(path, scipy.sparse.coo_array([[0, 7]]))
/// let matrix = Coo { shape: [1, 2], row: vec![0], col: vec![1], data: vec![7u8], is_array: true };
/// npz::save("matrix.npz", &matrix)?;
/// match npz::load::<Sparse<u8>>("matrix.npz")? {
///     Sparse::Csr(_) => println!("compressed rows"),
///     Sparse::Coo(found) => assert_eq!(found, matrix),
///     other => panic!("{other:?}"),
/// }
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Sparse<T, I = i32> {
    /// Compressed rows.
    Csr(Csr<T, I>),
    /// Compressed rows of one dimension.
    CsrVector(CsrVector<T, I>),
    /// Compressed columns.
    Csc(Csc<T, I>),
    /// Coordinates of two dimensions.
    Coo(Coo<T, I>),
    /// Coordinates of any other number of dimensions.
    CooArray(CooArray<T, I>),
    /// Diagonals.
    Dia(Dia<T, I>),
    /// Compressed rows of blocks.
    Bsr(Bsr<T, I>),
}

impl<T: Element, I: Index> NpzArchive for Sparse<T, I> {}

impl<T: Element, I: Index> ArchiveField for Sparse<T, I> {
    fn __npy_write<W: Write>(
        &self,
        to: &mut Writer<W>,
        at: &str,
        _: Option<&Siblings<'_>>,
    ) -> Result<()> {
        match self {
            Sparse::Csr(matrix) => matrix.__npy_write(to, at, None),
            Sparse::CsrVector(vector) => vector.__npy_write(to, at, None),
            Sparse::Csc(matrix) => matrix.__npy_write(to, at, None),
            Sparse::Coo(matrix) => matrix.__npy_write(to, at, None),
            Sparse::CooArray(array) => array.__npy_write(to, at, None),
            Sparse::Dia(matrix) => matrix.__npy_write(to, at, None),
            Sparse::Bsr(matrix) => matrix.__npy_write(to, at, None),
        }
    }

    fn __npy_is_in<R: Read + Seek>(from: &Reader<R>, at: &str, _: Option<&Siblings<'_>>) -> bool {
        from.contains(&inside(at, FORMAT))
    }

    fn __npy_takes(member: &str, at: &str, _: Option<&Siblings<'_>>) -> bool {
        let takes =
            [Csr::<T, I>::__npy_takes, CooArray::<T, I>::__npy_takes, Dia::<T, I>::__npy_takes];
        takes.iter().any(|takes| takes(member, at, None))
    }

    fn __npy_read<R: Read + Seek>(
        from: &Reader<R>,
        at: &str,
        _: Option<&Siblings<'_>>,
    ) -> Result<Self> {
        match format(from, at)?.as_str() {
            "csc" => Csc::__npy_read(from, at, None).map(Sparse::Csc),
            COO if shape(from, at)?.len() == 2 => Coo::__npy_read(from, at, None).map(Sparse::Coo),
            COO => CooArray::__npy_read(from, at, None).map(Sparse::CooArray),
            "dia" => Dia::__npy_read(from, at, None).map(Sparse::Dia),
            "bsr" => Bsr::__npy_read(from, at, None).map(Sparse::Bsr),
            "csr" if shape(from, at)?.len() == 1 => {
                CsrVector::__npy_read(from, at, None).map(Sparse::CsrVector)
            }
            // Also the error for a format that SciPy does not have.
            _ => Csr::__npy_read(from, at, None).map(Sparse::Csr),
        }
    }
}
