//! Copying one field out of records.

use crate::checked;
use crate::dtype::DType;
use crate::error::Error;
use crate::header::Header;
use crate::kernel;
use crate::plan;
use crate::reserve;
use crate::shape::Order;

/// Copies one field out of records that are in memory. It is for programs that read the records by
/// their own code, such as a query engine.
///
/// The copied values are contiguous, and keep the byte order of the records.
///
/// ```
/// use npy_core::{DType, Gather};
///
/// let records: DType = "[('id', '|u1'), ('x', '<i2')]".parse()?;
/// let x = Gather::new(&records, "x")?;
/// assert_eq!(x.dtype().to_string(), "<i2");
///
/// let block = [1, 10, 0, 2, 20, 0, 3, 30, 0];
/// assert_eq!(x.all(&block)?, [10, 0, 20, 0, 30, 0]);
/// assert_eq!(x.rows(&block, &[2, 0])?, [30, 0, 10, 0]);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Gather {
    dtype: DType,
    offset: usize,
    record_size: usize,
}

impl Gather {
    /// Finds the field at this path (`"gain"`, `"head.gain"`, `"samples[3]"` or `"samples.3"`) in the dtype of the records.
    ///
    /// ```
    /// use npy_core::{DType, Gather};
    ///
    /// let dtype: DType = "[('id', '|u1'), ('gain', '<u2')]".parse()?;
    /// let gain = Gather::new(&dtype, "gain")?;
    /// assert_eq!(gain.dtype().to_string(), "<u2");
    /// assert!(Gather::new(&dtype, "station").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::MissingField`](crate::ErrorKind::MissingField) if there is no such field, [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for Python objects.
    pub fn new(records: &DType, path: &str) -> Result<Self, Error> {
        let part = plan::part_at(records, path)?;
        let (dtype, offset) = (part.dtype()?, part.offset());
        Header::new(records.clone(), [0], Order::C)?.without_objects()?;
        Ok(Gather { dtype, offset, record_size: records.itemsize() })
    }

    /// Returns the dtype of the field, which may be a sub-array or a record.
    ///
    /// ```
    /// use npy_core::{DType, Gather};
    ///
    /// let dtype: DType = "[('id', '|u1'), ('gain', '<u2')]".parse()?;
    /// let gain = Gather::new(&dtype, "gain")?;
    /// assert_eq!(gain.dtype().itemsize(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn dtype(&self) -> &DType {
        &self.dtype
    }

    /// Returns the values of the field in all `records`, one after another.
    ///
    /// ```
    /// use npy_core::{DType, Gather};
    ///
    /// let dtype: DType = "[('id', '|u1'), ('gain', '<u2')]".parse()?;
    /// let gain = Gather::new(&dtype, "gain")?;
    /// let records = [7, 1, 0, 8, 2, 0, 9, 3, 0];
    /// assert_eq!(gain.all(&records)?, [1, 0, 2, 0, 3, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidValue`](crate::ErrorKind::InvalidValue) if the length of `records` is not a multiple of the size of a
    /// record, [`ErrorKind::Memory`](crate::ErrorKind::Memory) if there is not enough memory.
    pub fn all(&self, records: &[u8]) -> Result<Vec<u8>, Error> {
        self.check(records)?;
        let size = self.dtype.itemsize();
        let mut values = reserve::list(checked::mul(size, self.count(records)))?;
        let field = self.offset..checked::add(self.offset, size);
        kernel::extract_column(records, self.record_size, field, &mut values);
        Ok(values)
    }

    /// Returns the values of the field in the records with the indices `rows`, in that order.
    /// Records are counted from zero.
    ///
    /// ```
    /// use npy_core::{DType, Gather};
    ///
    /// let dtype: DType = "[('id', '|u1'), ('gain', '<u2')]".parse()?;
    /// let gain = Gather::new(&dtype, "gain")?;
    /// let records = [7, 1, 0, 8, 2, 0, 9, 3, 0];
    /// assert_eq!(gain.rows(&records, &[2, 0])?, [3, 0, 1, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`all`](Self::all); [`ErrorKind::InvalidValue`](crate::ErrorKind::InvalidValue) if an index in `rows` is out of range.
    pub fn rows(&self, records: &[u8], rows: &[u32]) -> Result<Vec<u8>, Error> {
        self.check(records)?;
        let count = self.count(records);
        if let Some(row) =
            rows.iter().find(|&&row| usize::try_from(row).is_ok_and(|row| row >= count))
        {
            return Err(Error::invalid(format!("there is no record {row} in a block of {count}")));
        }
        let record = |&row: &u32| checked::part(records, checked::narrow(row), self.record_size);
        self.copied(rows.iter().map(record))
    }

    fn count(&self, records: &[u8]) -> usize {
        records.len().checked_div(self.record_size).unwrap_or_default()
    }

    fn check(&self, records: &[u8]) -> Result<(), Error> {
        let (bytes, record) = (records.len(), self.record_size);
        if bytes.checked_rem(record).unwrap_or(bytes) == 0 {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "{bytes} bytes are not a whole number of records of {record} bytes; pass complete records"
        )))
    }

    /// Copies the field of each record. For the sizes of numbers, `numbers` has the size as a
    /// constant, so that the compiler copies without a call.
    fn copied<'r>(
        &self,
        records: impl ExactSizeIterator<Item = &'r [u8]>,
    ) -> Result<Vec<u8>, Error> {
        match self.dtype.itemsize() {
            1 => self.numbers::<1>(records),
            2 => self.numbers::<2>(records),
            4 => self.numbers::<4>(records),
            8 => self.numbers::<8>(records),
            size => {
                let mut bytes = reserve::list(checked::mul(size, records.len()))?;
                let field = self.offset..checked::add(self.offset, size);
                for record in records {
                    bytes.extend_from_slice(checked::slice(record, field.clone()));
                }
                Ok(bytes)
            }
        }
    }

    fn numbers<'r, const N: usize>(
        &self,
        records: impl ExactSizeIterator<Item = &'r [u8]>,
    ) -> Result<Vec<u8>, Error> {
        let mut values: Vec<[u8; N]> = reserve::list(records.len())?;
        let value = |record| *checked::some(checked::tail(record, self.offset).first_chunk());
        values.extend(records.map(value));
        Ok(values.into_flattened())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Guards every size that `copied` distinguishes, in a record whose fields are misaligned.
    #[test]
    fn fields_of_every_size_are_copied() {
        let dtype: DType = "[('a', '|u1'), ('b', '<u2'), ('c', '|S3'), ('d', '<u4'), ('e', '>f8'), ('f', '<c16'), ('g', '|S0')]"
            .parse()
            .unwrap();
        let size = dtype.itemsize();
        let block: Vec<u8> = (0..=255).cycle().take(size * 3).collect();
        for field in dtype.fields() {
            let gather = Gather::new(&dtype, field.name()).unwrap();
            let of = |row: usize| &block[row * size + field.offset()..][..field.dtype().itemsize()];
            assert_eq!(
                gather.all(&block).unwrap(),
                [of(0), of(1), of(2)].concat(),
                "{}",
                field.name()
            );
            assert_eq!(gather.rows(&block, &[2, 2, 0]).unwrap(), [of(2), of(2), of(0)].concat());
            assert_eq!(gather.rows(&block, &[]).unwrap(), []);
        }
    }

    #[test]
    fn blocks_and_rows_that_do_not_fit_are_errors() {
        let dtype: DType = "[('a', '|u1'), ('b', '<u2')]".parse().unwrap();
        let gather = Gather::new(&dtype, "b").unwrap();
        let error = gather.all(&[0; 4]).unwrap_err().to_string();
        assert_eq!(
            error,
            "4 bytes are not a whole number of records of 3 bytes; pass complete records"
        );
        let error = gather.rows(&[0; 6], &[0, 2]).unwrap_err().to_string();
        assert_eq!(error, "there is no record 2 in a block of 2");
        assert_eq!(gather.all(&[]).unwrap(), []);
        assert!(Gather::new(&dtype, "c").is_err());
        let empty: DType = "[('s', '|S0')]".parse().unwrap();
        let gather = Gather::new(&empty, "s").unwrap();
        assert_eq!(gather.all(&[]).unwrap(), []);
        assert!(gather.all(&[1]).is_err());
        assert!(gather.rows(&[], &[0]).is_err());
        let objects: DType = "[('o', '|O')]".parse().unwrap();
        assert!(Gather::new(&objects, "o").is_err());
    }
}
