//! Records made of columns.

use super::DynArray;
use crate::dtype::DType;
use crate::error::{Error, counted};
use crate::kernel;
use crate::reserve;
use crate::shape::{self, Order};

impl DynArray {
    /// Makes an array of records of columns, each with its name: NumPy's `np.rec.fromarrays`. It is for records whose fields are known only at
    /// run time; otherwise, derive [`NpyRecord`](crate::NpyRecord) for a struct.
    ///
    /// A column of more dimensions becomes sub-arrays: the shape `(n, 3)` is a field of shape `(3,)`. Each column keeps its byte order.
    /// [`DynArray::of`] makes a column of a list.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{DynArray, WriteNpy};
    ///
    /// let times = DynArray::of(&[0.0, 0.5])?;
    /// let channels = vec![("ch0", vec![1.5f32, 2.5]), ("ch1", vec![3.5, 4.5])];
    ///
    /// let mut columns = vec![("time", times)];
    /// for (name, values) in &channels {
    ///     columns.push((name, DynArray::of(values)?));
    /// }
    /// let records = DynArray::from_columns(columns)?;
    /// assert_eq!(records.dtype().to_string(), "[('time', '<f8'), ('ch0', '<f4'), ('ch1', '<f4')]");
    /// assert_eq!(records.to_string(), "[(0.0, 1.5, 3.5) (0.5, 2.5, 4.5)]");
    /// records.write_npy("run.npy")?;
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) for columns of different lengths and for one without dimensions, [`ErrorKind::DType`](crate::ErrorKind::DType) for a name that is used
    /// twice, [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for Python objects, [`ErrorKind::InvalidValue`](crate::ErrorKind::InvalidValue) if there are no columns.
    pub fn from_columns<N: AsRef<str>>(
        columns: impl IntoIterator<Item = (N, DynArray)>,
    ) -> Result<Self, Error> {
        let (mut fields, mut arrays, mut rows) = (Vec::new(), Vec::new(), None);
        for (name, array) in columns {
            let name = name.as_ref();
            array.header.without_objects()?;
            let invalid = |reason: &str| shape::invalid(array.shape(), reason).in_field(name);
            let Some((&length, inner)) = array.shape().split_first() else {
                return Err(invalid("a column has a dimension for its rows"));
            };
            let expected = *rows.get_or_insert(length);
            if length != expected {
                let rows = counted(expected, "row");
                return Err(invalid(&format!("the columns before it have {rows}")));
            }
            let field = array.dtype().array(inner).map_err(|error| error.in_field(name))?;
            fields.push((name.to_owned(), field));
            arrays.push(array.into_order(Order::C)?);
        }
        let Some(rows) = rows else {
            return Err(Error::invalid("there are no columns"));
        };
        let dtype = DType::record(fields)?;
        let size = shape::bytes(&[rows], dtype.itemsize())?;
        let mut bytes = reserve::zeros(size)?;
        for (field, array) in dtype.fields().iter().zip(&arrays) {
            let (size, at) = (field.dtype().itemsize(), (dtype.itemsize(), field.offset()));
            kernel::fill_column(array.as_bytes(), size, &mut bytes, at);
        }
        DynArray::new(dtype, [rows], Order::C, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(dtype: &str, shape: &[usize], order: Order, bytes: &[u8]) -> DynArray {
        DynArray::new(dtype.parse().unwrap(), shape, order, bytes.to_vec()).unwrap()
    }

    #[test]
    fn columns_become_fields_in_their_order() {
        let grid = array(">i2", &[2, 3], Order::Fortran, &[0, 1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6]);
        let inner = array("[('a', '|u1'), ('', '|V1'), ('b', '<u2')]", &[2], Order::C, &[7; 8]);
        let records = DynArray::from_columns([
            ("it's", array("|u1", &[2], Order::C, &[8, 9])),
            ("grid", grid),
            ("inner", inner),
            ("none", array("<f8", &[2, 0], Order::C, &[])),
        ])
        .unwrap();
        assert_eq!(
            records.dtype().to_string(),
            "[(\"it's\", '|u1'), ('grid', '>i2', (3,)), ('inner', [('a', '|u1'), ('', '|V1'), ('b', '<u2')]), ('none', '<f8', (0,))]"
        );
        assert_eq!(
            records.to_string(),
            "[(8, [1, 2, 3], (7, 1799), []) (9, [4, 5, 6], (7, 1799), [])]"
        );
        let empty = DynArray::from_columns([("x", array("<f8", &[0], Order::C, &[]))]).unwrap();
        assert_eq!(empty.shape(), [0]);
    }

    #[test]
    fn columns_that_do_not_fit_are_refused() {
        let column = |length: usize| array("|u1", &[length], Order::C, &vec![0; length]);
        let error = |columns: Vec<(&str, DynArray)>| {
            DynArray::from_columns(columns).unwrap_err().to_string()
        };
        assert!(error(vec![("a", column(2)), ("b", column(3))]).contains("have 2 rows"));
        assert!(error(vec![("a", column(2)), ("a", column(2))]).contains("used twice"));
        assert!(error(vec![("a", array("|u1", &[], Order::C, &[0]))]).contains("field \"a\""));
        assert!(error(vec![]).contains("no columns"));
    }
}
