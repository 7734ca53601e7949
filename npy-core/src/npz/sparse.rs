//! Sparse matrices, as `scipy.sparse.save_npz` writes them and `scipy.sparse.load_npz` reads them.
//!
//! Each format is a struct with the arrays that SciPy keeps. It is an [`NpzArchive`], so [`save`](super::save) writes it to a file, and
//! [`load`](super::load) reads it. Reading and writing check that each array has the right length, and that every index is inside the
//! matrix. This module has no linear algebra.
//!
//! ```
//! # let dir = tempfile::tempdir()?;
//! # std::env::set_current_dir(&dir)?;
//! use npy_core::npz::{self, sparse::Csr};
//!
//! // [[0.0, 0.5, 0.0],
//! //  [1.5, 0.0, 2.5]]
//! let matrix = Csr {
//!     shape: [2, 3],
//!     indptr: vec![0, 1, 3],
//!     indices: vec![1, 0, 2],
//!     data: vec![0.5, 1.5, 2.5],
//!     is_array: true,
//! };
//!
//! npz::save("matrix.npz", &matrix)?; // scipy.sparse.load_npz(path) is a csr_array
//! assert_eq!(npz::load::<Csr<f64>>("matrix.npz")?, matrix);
//! # Ok::<(), npy_core::Error>(())
//! ```
//!
//! # Widths
//!
//! SciPy writes indices as `int32`, or as `int64` for matrices that need it. Both can be read into each [`Index`] type. A `Csr<f64>`
//! has indices of `i32`, and an index in the file that does not fit is an error. A `Csr<f64, i64>` holds every index.

mod any;
mod check;
mod index;

use std::io::{Read, Seek, Write};

use super::fields::{Siblings, below, inside};
use super::{ArchiveField, NpzArchive, Reader, Writer};
use crate::array::NpyArray;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::write::WriteNpy;
pub use any::{CooArray, Sparse};
pub use index::Index;

/// Compressed sparse rows: `csr_array` and `csr_matrix`. Row `i` has the values `data[indptr[i]..indptr[i + 1]]`, in the columns
/// `indices[indptr[i]..indptr[i + 1]]`.
///
/// ```
/// use npy_core::npz::sparse::Csr;
///
/// // [[0, 7]]
/// let mut matrix =
///     Csr { shape: [1, 2], indptr: vec![0, 1], indices: vec![1], data: vec![7u8], is_array: true };
/// matrix.check()?;
///
/// matrix.indices[0] = 2;
/// let error = matrix.check().unwrap_err();
/// assert_eq!(error.to_string(), "a csr matrix of shape (1, 2): indices[0] is 2, and must be from 0 to 1");
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Csr<T, I = i32> {
    /// Rows and columns.
    pub shape: [usize; 2],
    /// The start of each row, and the end of the last one.
    pub indptr: Vec<I>,
    /// The column of each value.
    pub indices: Vec<I>,
    /// The values.
    pub data: Vec<T>,
    /// True for a `csr_array` in SciPy, false for a `csr_matrix`.
    pub is_array: bool,
}

/// Compressed sparse columns: `csc_array` and `csc_matrix`. Column `i` has the values `data[indptr[i]..indptr[i + 1]]`, in the rows
/// `indices[indptr[i]..indptr[i + 1]]`.
///
/// ```
/// use npy_core::npz::sparse::Csc;
///
/// // [[0, 7]]
/// let matrix =
///     Csc { shape: [1, 2], indptr: vec![0, 0, 1], indices: vec![0], data: vec![7u8], is_array: true };
/// matrix.check()?;
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Csc<T, I = i32> {
    /// Rows and columns.
    pub shape: [usize; 2],
    /// The start of each column, and the end of the last one.
    pub indptr: Vec<I>,
    /// The row of each value.
    pub indices: Vec<I>,
    /// The values.
    pub data: Vec<T>,
    /// True for a `csc_array` in SciPy, false for a `csc_matrix`.
    pub is_array: bool,
}

/// Coordinates: `coo_array` and `coo_matrix` of two dimensions. The value `data[i]` is in row `row[i]` and column `col[i]`; values in
/// the same position are added.
///
/// ```
/// use npy_core::npz::sparse::Coo;
///
/// // [[0, 7]]
/// let matrix =
///     Coo { shape: [1, 2], row: vec![0], col: vec![1], data: vec![7u8], is_array: true };
/// matrix.check()?;
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Coo<T, I = i32> {
    /// Rows and columns.
    pub shape: [usize; 2],
    /// The row of each value.
    pub row: Vec<I>,
    /// The column of each value.
    pub col: Vec<I>,
    /// The values.
    pub data: Vec<T>,
    /// True for a `coo_array` in SciPy, false for a `coo_matrix`.
    pub is_array: bool,
}

/// Diagonals: `dia_array` and `dia_matrix`. The value `data[k, j]` is in column `j`, and in row `j - offsets[k]` if it exists.
///
/// ```
/// use npy_core::{NpyArray, npz::sparse::Dia};
///
/// // [[1, 7],
/// //  [0, 2]]
/// let data = NpyArray::new(vec![1, 2, 0, 7], [2, 2])?;
/// let matrix = Dia { shape: [2, 2], offsets: vec![0, 1], data, is_array: true };
/// matrix.check()?;
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Dia<T, I = i32> {
    /// Rows and columns.
    pub shape: [usize; 2],
    /// The diagonal of each row of the data: 0 for the main diagonal, positive above it, negative below it.
    pub offsets: Vec<I>,
    /// The values, with one row for each diagonal.
    pub data: NpyArray<T>,
    /// True for a `dia_array` in SciPy, false for a `dia_matrix`.
    pub is_array: bool,
}

/// Compressed rows of dense blocks: `bsr_array` and `bsr_matrix`. Row `i` of blocks has the blocks `data[indptr[i]..indptr[i + 1]]`,
/// in the block columns `indices[indptr[i]..indptr[i + 1]]`.
///
/// ```
/// use npy_core::{NpyArray, npz::sparse::Bsr};
///
/// // [[0, 0, 1, 2],
/// //  [0, 0, 3, 4]]
/// let data = NpyArray::new(vec![1, 2, 3, 4], [1, 2, 2])?;
/// let matrix =
///     Bsr { shape: [2, 4], indptr: vec![0, 1], indices: vec![1], data, is_array: true };
/// matrix.check()?;
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Bsr<T, I = i32> {
    /// Rows and columns, counted in values.
    pub shape: [usize; 2],
    /// The start of each row of blocks, and the end of the last one.
    pub indptr: Vec<I>,
    /// The column of each block, counted in blocks.
    pub indices: Vec<I>,
    /// The blocks. The dimensions are the number of blocks, the rows of a block and the columns of a block.
    pub data: NpyArray<T>,
    /// True for a `bsr_array` in SciPy, false for a `bsr_matrix`.
    pub is_array: bool,
}

/// Compressed sparse rows of one dimension: a `csr_array` of one dimension, which is a single row without a number. The index of `data[i]` is
/// `indices[i]`.
///
/// ```
/// use npy_core::npz::sparse::CsrVector;
///
/// // [0, 7]
/// let vector =
///     CsrVector { shape: [2], indptr: vec![0, 1], indices: vec![1], data: vec![7u8], is_array: true };
/// vector.check()?;
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CsrVector<T, I = i32> {
    /// The number of elements.
    pub shape: [usize; 1],
    /// Zero, and the end of the values.
    pub indptr: Vec<I>,
    /// The index of each value.
    pub indices: Vec<I>,
    /// The values.
    pub data: Vec<T>,
    /// True for a `csr_array` in SciPy. A `csr_matrix` has two dimensions, so SciPy does not load a vector with false.
    pub is_array: bool,
}

/// Implements a format from its name in the archive, and its arrays of indices in SciPy's order.
macro_rules! layout {
    ($type:ident, $name:literal, [$($index:ident),*]) => {
        impl<T, I: Index> $type<T, I> {
            /// Checks that the arrays make a valid matrix. Reading and writing do the same check.
            ///
            /// ```
            /// use npy_core::npz::sparse::Csr;
            ///
            /// // [[0, 7]]
            /// let mut matrix =
            ///     Csr { shape: [1, 2], indptr: vec![0, 1], indices: vec![1], data: vec![7], is_array: true };
            /// matrix.check()?;
            /// matrix.indices[0] = 2;
            /// assert!(matrix.check().is_err());
            /// # Ok::<(), npy_core::Error>(())
            /// ```
            ///
            /// # Errors
            ///
            /// [`ErrorKind::InvalidValue`](crate::ErrorKind::InvalidValue), which names the array and what is wrong with it.
            pub fn check(&self) -> Result<()> {
                self.wrong().map_err(|wrong| check::error($name, &self.shape, &wrong))
            }
        }

        impl<T: Element, I: Index> NpzArchive for $type<T, I> {}

        impl<T: Element, I: Index> ArchiveField for $type<T, I> {
            fn __npy_write<W: Write>(
                &self,
                to: &mut Writer<W>,
                at: &str,
                _: Option<&Siblings<'_>>,
            ) -> Result<()> {
                self.check().map_err(|error| to.in_file(error))?;
                $(to.write(&inside(at, stringify!($index)), &self.$index)?;)*
                end(to, at, $name, (&self.shape, &self.data, self.is_array))
            }

            fn __npy_is_in<R: Read + Seek>(
                from: &Reader<R>,
                at: &str,
                _: Option<&Siblings<'_>>,
            ) -> bool {
                from.contains(&inside(at, FORMAT))
            }

            fn __npy_takes(member: &str, at: &str, _: Option<&Siblings<'_>>) -> bool {
                let own = [FORMAT, SHAPE, DATA, IS_ARRAY, $(stringify!($index)),*];
                below(member, at).is_some_and(|name| own.contains(&name))
            }

            fn __npy_read<R: Read + Seek>(
                from: &Reader<R>,
                at: &str,
                _: Option<&Siblings<'_>>,
            ) -> Result<Self> {
                expect_format(from, at, $name)?;
                let shape = fixed_shape(from, at)?;
                $(let $index = index::read(from, &inside(at, stringify!($index)))?;)*
                let data = from.read(&inside(at, DATA))?;
                let is_array = inside(at, IS_ARRAY);
                let is_array = from.contains(&is_array) && from.read(&is_array)?;
                let matrix = $type { shape, $($index,)* data, is_array };
                matrix.check().map_err(|error| from.in_file(error))?;
                Ok(matrix)
            }
        }
    };
}

layout!(Csr, "csr", [indices, indptr]);
layout!(CsrVector, "csr", [indices, indptr]);
layout!(Csc, "csc", [indices, indptr]);
layout!(Coo, "coo", [row, col]);
layout!(Dia, "dia", [offsets]);
layout!(Bsr, "bsr", [indices, indptr]);

const FORMAT: &str = "format";
const SHAPE: &str = "shape";
const DATA: &str = "data";
const IS_ARRAY: &str = "_is_array";

/// Reads the format.
fn format<R: Read + Seek>(from: &Reader<R>, at: &str) -> Result<String> {
    let name = inside(at, FORMAT);
    check_small(from, &name)?;
    // The format is bytes, or text in files of SciPy before 1.0.
    from.read(&name)
}

/// Refuses another format than `expected`.
fn expect_format<R: Read + Seek>(from: &Reader<R>, at: &str, expected: &str) -> Result<()> {
    let format = format(from, at)?;
    if format == expected {
        return Ok(());
    }
    let reason = format_args!(
        "the matrix is of the format {format:?}, not {expected:?}; npz::sparse::Sparse takes each of csr, csc, coo, dia and bsr"
    );
    Err(from.in_file(Error::invalid(reason).in_member(&inside(at, FORMAT))))
}

/// Reads the shape.
fn shape<R: Read + Seek>(from: &Reader<R>, at: &str) -> Result<Vec<usize>> {
    let name = inside(at, SHAPE);
    check_small(from, &name)?;
    let shape: Vec<i64> = index::read(from, &name)?;
    let dimensions: Option<Vec<usize>> = shape.iter().map(|&n| usize::try_from(n).ok()).collect();
    dimensions.ok_or_else(|| {
        let reason = format_args!(
            "{shape:?} is not a shape, which has no negative numbers; save the matrix again"
        );
        from.in_file(Error::invalid(reason).in_member(&name))
    })
}

/// Reads the shape of a matrix, which has two dimensions, or of a vector, which has one.
fn fixed_shape<R: Read + Seek, const N: usize>(from: &Reader<R>, at: &str) -> Result<[usize; N]> {
    let shape = shape(from, at)?;
    <[usize; N]>::try_from(shape).map_err(|shape| {
        let expected = match N {
            1 => "a vector, which is one number; npz::sparse::Sparse has any number of dimensions",
            _ => "a matrix, which is two numbers; npz::sparse::CooArray has any number of dimensions, and CsrVector one",
        };
        let reason = format_args!("{shape:?} is not the shape of {expected}");
        from.in_file(Error::invalid(reason).in_member(&inside(at, SHAPE)))
    })
}

/// Refuses a member that is too large for a format or a shape, before it is inflated.
fn check_small<R: Read + Seek>(from: &Reader<R>, name: &str) -> Result<()> {
    const MAX_BYTES: u64 = 512;
    let bytes = from.header(name)?.data_bytes();
    if bytes <= MAX_BYTES {
        return Ok(());
    }
    let reason = format_args!(
        "it has {bytes} bytes, too many for the format or the shape of a matrix; save the matrix again"
    );
    Err(from.in_file(Error::invalid(reason).in_member(name)))
}

/// Writes the members that all formats have, after the indices.
fn end<W: Write>(
    to: &mut Writer<W>,
    at: &str,
    format: &str,
    (shape, data, is_array): (&[usize], &impl WriteNpy, bool),
) -> Result<()> {
    to.write(
        &inside(at, FORMAT),
        &crate::element::text::ByteStr::<3>::new(format).map_err(Error::invalid)?,
    )?;
    let dimension = |n| i64::try_from(n).map_err(Error::invalid);
    let shape: Result<Vec<i64>> = shape.iter().copied().map(dimension).collect();
    to.write(&inside(at, SHAPE), &shape?)?;
    to.write(&inside(at, DATA), data)?;
    // SciPy writes `_is_array` only for sparse arrays, not for matrices.
    if is_array { to.write(&inside(at, IS_ARRAY), &true) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    type Bytes = Cursor<Vec<u8>>;

    fn matrix() -> Csr<f32> {
        let (indptr, indices) = (vec![0, 1, 2], vec![2, 0]);
        Csr { shape: [2, 3], indptr, indices, data: vec![0.5, 1.5], is_array: false }
    }

    /// Returns an archive with the members that `write` writes.
    fn reader(write: impl FnOnce(&mut Writer<Bytes>) -> Result<()>) -> Reader<Bytes> {
        let mut writer = Writer::new(Cursor::default()).unwrap();
        write(&mut writer).unwrap();
        Reader::new(writer.finish().unwrap()).unwrap()
    }

    /// Returns an archive of `matrix()` in which members from `other` replace those of the same name.
    fn with(other: impl FnOnce(&mut Writer<Bytes>) -> Result<()>) -> Reader<Bytes> {
        let mut changed = reader(other);
        let mut whole = reader(|writer| writer.write_fields(&matrix()));
        let names: Vec<String> = whole.names().map(str::to_owned).collect();
        reader(|writer| {
            for name in names {
                let from = if changed.contains(&name) { &mut changed } else { &mut whole };
                writer.write(&name, &from.read::<crate::DynArray>(&name)?)?;
            }
            Ok(())
        })
    }

    fn refusal(reader: Reader<Bytes>) -> String {
        reader.read_fields::<Csr<f32>>().unwrap_err().to_string()
    }

    /// Guards the names and their order, which are SciPy's. The name of a matrix in a struct precedes them.
    #[test]
    fn members_are_scipys() {
        let names = ["indices", "indptr", "format", "shape", "data"];
        let mut matrix = matrix();
        assert!(reader(|writer| writer.write_fields(&matrix)).names().eq(names));
        matrix.is_array = true;
        let reader = reader(|writer| matrix.__npy_write(writer, "x", None));
        assert!(reader.names().eq(
            names.map(|name| format!("x/{name}")).iter().map(String::as_str).chain(["x/_is_array"])
        ));
        assert_eq!(reader.header("x/format").unwrap().dtype().to_string(), "|S3");
        assert_eq!(reader.header("x/shape").unwrap().dtype().to_string(), "<i8");
        assert!(
            Csr::<f32>::__npy_is_in(&reader, "x", None)
                && !Csr::<f32>::__npy_is_in(&reader, "", None)
        );
        assert_eq!(Csr::<f32>::__npy_read(&reader, "x", None).unwrap(), matrix);
        for member in reader.names() {
            assert!(
                Csr::<f32>::__npy_takes(member, "x", None)
                    && !Csr::<f32>::__npy_takes(member, "", None),
                "{member}"
            );
        }
    }

    /// Guards that indices of each width are read into the other if they fit.
    #[test]
    fn indices_are_read_in_either_width() {
        let narrow = reader(|writer| writer.write_fields(&matrix()));
        let wide = narrow.read_fields::<Csr<f32, i64>>().unwrap();
        assert_eq!(wide.indices, [2i64, 0]);
        let wide = reader(|writer| writer.write_fields(&wide));
        assert_eq!(wide.header("indptr").unwrap().dtype().to_string(), "<i8");
        assert_eq!(wide.read_fields::<Csr<f32>>().unwrap(), matrix());
        assert_eq!(
            refusal(with(|writer| writer.write("indices", &[1i64 << 32, 0]))),
            "member \"indices\": the index 4294967296 does not fit into 32 bits; use indices of i64, as in Csr<f64, i64>"
        );
        let shape = [2i32, 3];
        let narrow = with(|writer| writer.write("shape", &shape));
        assert_eq!(narrow.read_fields::<Csr<f32>>().unwrap(), matrix());
    }

    /// Guards against reading another format, an invalid shape or an invalid matrix.
    #[test]
    fn invalid_matrices_are_not_read() {
        assert_eq!(
            refusal(with(|writer| writer.write("format", "csc"))),
            "member \"format\": the matrix is of the format \"csc\", not \"csr\"; npz::sparse::Sparse takes each of csr, csc, coo, dia and bsr"
        );
        for (shape, shown) in [(&[2i64][..], "[2]"), (&[2, 3, 4], "[2, 3, 4]")] {
            assert_eq!(
                refusal(with(|writer| writer.write("shape", shape))),
                format!(
                    "member \"shape\": {shown} is not the shape of a matrix, which is two numbers; npz::sparse::CooArray has any number of dimensions, and CsrVector one"
                )
            );
        }
        assert_eq!(
            refusal(with(|writer| writer.write("shape", &[2i64, -3]))),
            "member \"shape\": [2, -3] is not a shape, which has no negative numbers; save the matrix again"
        );
        assert_eq!(
            refusal(with(|writer| writer.write("indices", &[1i32, 7]))),
            "a csr matrix of shape (2, 3): indices[1] is 7, and must be from 0 to 2"
        );
        assert!(refusal(reader(|_| Ok(()))).contains("no member \"format\""));
        // SciPy before 1.0 may write text.
        let text = with(|writer| writer.write("format", &"csr".to_owned()));
        assert_eq!(text.read_fields::<Csr<f32>>().unwrap(), matrix());
    }

    /// Guards against writing a matrix that SciPy would refuse.
    #[test]
    fn invalid_matrices_are_not_written() {
        let wrong = Csr { indices: vec![3, 0], ..matrix() };
        let mut writer = Writer::new(Bytes::default()).unwrap();
        let error = writer.write_fields(&wrong).unwrap_err().to_string();
        assert!(error.contains("indices[0] is 3"), "{error}");
        assert!(Reader::new(writer.finish().unwrap()).unwrap().is_empty());
    }
}
