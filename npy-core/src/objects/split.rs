//! Divides an array of records into plain data and objects.

use super::encode::Encoder;
use super::values::Budget;
use super::{ObjectRef, Objects};
use crate::dtype::{ByteOrder, Scalar, ScalarKind};
use crate::dynamic::DynArray;
use crate::element::block;
use crate::error::{Error, Place};
use crate::limits::to_u64;
use crate::reserve;
use crate::schema::ReadRules;
use crate::shape::{self, Order};

impl Objects {
    /// Divides records into plain data and objects: returns the array, in C order, in which each object is replaced by its index in the list
    /// that comes with it.
    ///
    /// Records with a text column, as of pandas' `DataFrame.to_records()`, are pickled as a whole, with their numbers and times as Python
    /// objects. Here these are elements of their dtypes again, in little-endian byte order. An index is a `<u8`, and so the fields have the
    /// offsets that they have in the dtype of the file.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::Objects;
    ///
    /// // np.save("picks.npy", np.array([("RJOB", 0.5), (None, 2)], [("station", object), ("gain", "<f4")]))
    /// # std::fs::write("picks.npy", [
    /// #     &b"\x93NUMPY\x01\x00\x76\x00"[..],
    /// #     &format!("{:<117}\n", "{'descr': [('station', '|O'), ('gain', '<f4')], 'fortran_order': False, 'shape': (2,), }").into_bytes(),
    /// #     b"\x80\x03cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85C\x01b\x87R(K\x01K\x02\x85cnumpy\ndtype\nX\x03\0\0\0V12K\0K\x01\x87R(K\x03X\x01\0\0\0|N",
    /// #     b"X\x07\0\0\0stationX\x04\0\0\0gain\x86}(X\x07\0\0\0stationcnumpy\ndtype\nX\x02\0\0\0O8K\0K\x01\x87R(K\x03X\x01\0\0\0|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tbK\0\x86",
    /// #     b"X\x04\0\0\0gaincnumpy\ndtype\nX\x02\0\0\0f4K\0K\x01\x87R(K\x03X\x01\0\0\0<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tbK\x08\x86uK\x0cK\x01K?tb\x89](",
    /// #     b"X\x04\0\0\0RJOBG?\xe0\0\0\0\0\0\0\x86NG@\0\0\0\0\0\0\0\x86etb.",
    /// # ].concat())?;
    /// let picks = Objects::read_npy("picks.npy")?;
    /// let (records, objects) = picks.split()?;
    /// assert_eq!(records.field("gain")?.to_vec::<f32>()?, [0.5, 2.0]);
    /// assert_eq!(records.field("station")?.to_vec::<u64>()?, [0, 1]);
    /// assert_eq!(objects[0].as_str().as_deref(), Some("RJOB"));
    /// assert!(objects[1].is_missing());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidValue`](crate::ErrorKind::InvalidValue), with the row and the field, for an object that is not a value of the
    /// dtype of its field; [`ErrorKind::Limit`](crate::ErrorKind::Limit) if the array is far larger than its pickle.
    pub fn split(&self) -> Result<(DynArray, Vec<ObjectRef<'_>>), Error> {
        let wanted = self.header.dtype().with_byte_order(ByteOrder::Little);
        let size = shape::bytes(self.header.shape(), wanted.itemsize())?;
        let mut budget = Budget::new(self);
        budget.spend_bytes(to_u64(size), &self.limits)?;
        let mut bytes = reserve::zeros(size)?;
        let mut encoder = Encoder::of_indices();
        let rules = ReadRules::default();
        let items = bytes.chunks_exact_mut(wanted.itemsize().max(1));
        for (row, (object, item)) in self.iter().zip(items).enumerate() {
            let encoded = encoder.encode(object, &wanted, &rules, item);
            encoded.map_err(|error| block::invalid(error, row))?;
            budget
                .spend(object, to_u64(size_of::<u64>()), &self.limits)
                .map_err(|error| error.within(Place::Row(to_u64(row))))?;
        }
        let dtype = wanted.with_scalars(&|scalar| match scalar.kind() {
            ScalarKind::Object => Scalar::ordered(ScalarKind::UInt, 8, ByteOrder::Little),
            _ => scalar,
        });
        let array = DynArray::new(dtype, self.header.shape(), Order::C, bytes)?;
        let objects = encoder.split.unwrap_or_default().into_iter().map(|id| self.reference(id));
        Ok((array.with_limits(self.limits), objects.collect()))
    }
}
