//! Appending rows to a file whose dtype is only known at run time.

use std::fs::File;
use std::path::Path;

use super::append;
use super::rows::RowWriter;
use crate::checked;
use crate::dtype::DType;
use crate::dynamic::DynArray;
use crate::error::{ErrorKind, Result};
use crate::plan::Cast;
use crate::shape::{self, Order};
use crate::write::WriteOptions;

/// Adds rows to a file whose dtype is only known at run time; [`Writer`](super::Writer) and
/// [`RowWriter`] add values of a Rust type.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// use npy_core::{DynRowAppender, DynArray, ReadNpy, WriteNpy};
///
/// [1.5f32, 2.5].write_npy("x.npy")?;
/// let more = DynArray::read_npy("x.npy")?;
///
/// let mut appender = DynRowAppender::open("x.npy")?;
/// appender.append(&more)?;
/// appender.finish()?;
/// assert_eq!(Vec::<f32>::read_npy("x.npy")?, [1.5, 2.5, 1.5, 2.5]);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// Locks, the length in the header, and the state of the file after a kill are as for a
/// [`Writer`](super::Writer).
#[derive(Debug)]
#[must_use = "`finish` is the only way to learn that all was written"]
pub struct DynRowAppender {
    /// The rows as bytes.
    rows: RowWriter<u8, File>,
    dtype: DType,
    row_shape: Vec<usize>,
}

impl DynRowAppender {
    /// Opens a file, to write more rows after those it has.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{DynRowAppender, save};
    ///
    /// save("ticks.npy", &[0.5, 1.5])?;
    /// assert_eq!(DynRowAppender::open("ticks.npy")?.count(), 2);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`RowWriter::append`], but arrays of every dtype except Python objects, and arrays of one
    /// dimension, are accepted. [`ErrorKind::Shape`] if a row has no bytes.
    pub fn open<P: AsRef<Path>>(path: P) -> Result<Self> {
        WriteOptions::new().append_dyn(path)
    }

    /// Returns the dtype of the file.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{DynRowAppender, save};
    ///
    /// save("ticks.npy", &[0.5, 1.5])?;
    /// assert_eq!(DynRowAppender::open("ticks.npy")?.dtype().to_string(), "<f8");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn dtype(&self) -> &DType {
        &self.dtype
    }

    /// Returns the dimensions of a row.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{DynRowAppender, save};
    ///
    /// save("weights.npy", &[[0.5, 1.5, 2.5]])?;
    /// assert_eq!(DynRowAppender::open("weights.npy")?.row_shape(), [3]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn row_shape(&self) -> &[usize] {
        &self.row_shape
    }

    /// Returns the number of rows of the array, including those that the file had before and those not yet written.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{DynRowAppender, load, save};
    ///
    /// save("ticks.npy", &[0.5, 1.5])?;
    /// let mut appender = DynRowAppender::open("ticks.npy")?;
    /// appender.append(&load("ticks.npy")?)?;
    /// assert_eq!(appender.count(), 4);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn count(&self) -> usize {
        self.rows.count()
    }

    /// Adds all rows of an array. Numbers are byte-swapped if the file has the other byte order,
    /// and the fields of records are matched by name.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{ByteOrder, DynRowAppender, WriteOptions, load, save};
    ///
    /// save("ticks.npy", &[0.5, 1.5])?;
    /// WriteOptions::new().byte_order(ByteOrder::Big).write("more.npy", &[2.5])?;
    /// let mut appender = DynRowAppender::open("ticks.npy")?;
    /// appender.append(&load("more.npy")?)?;
    /// appender.finish()?;
    /// assert_eq!(load::<Vec<f64>>("ticks.npy")?, [0.5, 1.5, 2.5]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`DynArray::cast_with`] for an array of another dtype, [`ErrorKind::Shape`] for rows of
    /// another shape: no row is added then. Also as [`RowWriter::push_rows`].
    pub fn append(&mut self, array: &DynArray) -> Result<()> {
        let rows = self.rows_of(array);
        let rows = self.rows.located(rows)?;
        self.append_bytes(rows.as_bytes())
    }

    /// Returns an array as rows of the file.
    fn rows_of(&self, array: &DynArray) -> Result<DynArray> {
        if array.shape().split_first().is_none_or(|(_, row)| row != self.row_shape) {
            let reason = format!(
                "the rows of the file have shape {}; append rows of that shape",
                shape::repr(&self.row_shape)
            );
            return Err(shape::invalid(array.shape(), reason));
        }
        let cast = array.cast_with(&self.dtype, Cast::Exact).map_err(|error| {
            error.map_kind(|kind| match kind {
                // Here the file is what the array becomes.
                ErrorKind::Mismatch { found: array, wanted: file, .. } => ErrorKind::Mismatch {
                    in_memory: false,
                    found: file,
                    wanted: array,
                    wanted_by: "the appended array".into(),
                    remedy: "convert the array with DynArray::cast or cast_with before".into(),
                },
                kind => kind,
            })
        });
        cast?.to_order(Order::C)
    }

    /// Appends rows whose bytes are as in the file: items of its dtype, in C order. They are not looked at, and not converted.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{DynRowAppender, load, save};
    ///
    /// save("ticks.npy", &[0.5])?;
    /// let mut appender = DynRowAppender::open("ticks.npy")?;
    /// appender.append_bytes(&[1.5f64.to_le_bytes(), 2.5f64.to_le_bytes()].concat())?;
    /// appender.finish()?;
    /// assert_eq!(load::<Vec<f64>>("ticks.npy")?, [0.5, 1.5, 2.5]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`RowWriter::push_rows`]; no row is added if the bytes do not make complete rows.
    pub fn append_bytes(&mut self, rows: &[u8]) -> Result<()> {
        self.rows.push_rows(rows)
    }

    /// Writes the added rows, then their number into the header: from here on the file has them.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{DynRowAppender, Header, load, save};
    ///
    /// save("ticks.npy", &[0.5, 1.5])?;
    /// let mut appender = DynRowAppender::open("ticks.npy")?;
    /// appender.append(&load("ticks.npy")?)?;
    /// appender.flush()?;
    /// assert_eq!(Header::read_npy("ticks.npy")?.shape(), [4]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`RowWriter::flush`].
    pub fn flush(&mut self) -> Result<()> {
        self.rows.flush()
    }

    /// Drops the appender on purpose: rows that were not flushed are removed from the file; see [`Writer::discard`](super::Writer::discard).
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{DynRowAppender, load, save};
    ///
    /// save("ticks.npy", &[0.5])?;
    /// let mut appender = DynRowAppender::open("ticks.npy")?;
    /// appender.append(&load("ticks.npy")?)?;
    /// appender.discard();
    /// assert_eq!(load::<Vec<f64>>("ticks.npy")?, [0.5]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn discard(self) {
        self.rows.discard();
    }

    /// Writes the remaining rows.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{DynRowAppender, load, save};
    ///
    /// save("ticks.npy", &[0.5])?;
    /// let mut appender = DynRowAppender::open("ticks.npy")?;
    /// appender.append(&load("ticks.npy")?)?;
    /// appender.finish()?;
    /// assert_eq!(load::<Vec<f64>>("ticks.npy")?, [0.5, 0.5]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`RowWriter::finish`].
    pub fn finish(self) -> Result<()> {
        self.rows.finish().map(drop)
    }
}

impl WriteOptions {
    /// Opens a file of any dtype to write more rows after those it has; see [`DynRowAppender`].
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{WriteOptions, load, save};
    ///
    /// save("ticks.npy", &[0.5])?;
    /// let mut appender = WriteOptions::new().sync(true).append_dyn("ticks.npy")?;
    /// appender.append(&load("ticks.npy")?)?;
    /// appender.finish()?;
    /// assert_eq!(load::<Vec<f64>>("ticks.npy")?, [0.5, 0.5]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`DynRowAppender::open`].
    pub fn append_dyn(&self, path: impl AsRef<Path>) -> Result<DynRowAppender> {
        let mut opened = None;
        let writer = append::open(self, path.as_ref(), &mut |header| {
            let stated = append::check_bytes(header)?;
            opened = Some((header.dtype().clone(), checked::tail(header.shape(), 1).to_vec()));
            Ok(stated)
        })?;
        // `check` ran, so there is a header.
        let (dtype, row_shape) = checked::some(opened);
        Ok(DynRowAppender { rows: RowWriter::of(writer)?, dtype, row_shape })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::array::NpyArray;
    use crate::error::ErrorKind;
    use crate::read::ReadNpy;
    use crate::write::WriteNpy;

    /// Guards that appended rows have the same bytes as those from a writer of a Rust type.
    #[test]
    fn appends_what_a_typed_writer_appends() {
        let folder = tempfile::tempdir().unwrap();
        let [ours, theirs] = ["ours.npy", "theirs.npy"].map(|name| folder.path().join(name));
        let rows = NpyArray::new((0u16..8).collect(), [4, 2]).unwrap();
        for path in [&ours, &theirs] {
            rows.write_npy(path).unwrap();
        }
        let more = DynArray::read_npy(&theirs).unwrap();
        let swapped = more.cast(&">u2".parse().unwrap()).unwrap();
        let mut appender = DynRowAppender::open(&ours).unwrap();
        let mut writer = RowWriter::<u16>::append(&theirs).unwrap();
        for round in 0..30 {
            appender.append(if round % 2 == 0 { &more } else { &swapped }).unwrap();
            writer.push_rows(&(0..8).collect::<Vec<_>>()).unwrap();
            appender.flush().unwrap();
            assert_eq!(DynArray::read_npy(&ours).unwrap().shape(), [8 + 4 * round, 2]);
        }
        assert_eq!(appender.count(), 124);
        appender.finish().unwrap();
        writer.finish().unwrap();
        assert_eq!(fs::read(&ours).unwrap(), fs::read(&theirs).unwrap());
    }

    /// Guards that a refused array leaves the file as it is.
    #[test]
    fn refuses_rows_that_do_not_fit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.npy");
        NpyArray::new(vec![1.5f32; 6], [3, 2]).unwrap().write_npy(&path).unwrap();
        let before = fs::read(&path).unwrap();
        let mut appender = DynRowAppender::open(&path).unwrap();
        let wrong = |dtype: &str, shape: &[usize]| {
            let dtype: DType = dtype.parse().unwrap();
            let bytes = vec![0; shape.iter().product::<usize>() * dtype.itemsize()];
            DynArray::new(dtype, shape, Order::C, bytes).unwrap()
        };
        for array in [wrong("<f4", &[3]), wrong("<f4", &[1, 3]), wrong("<f4", &[])] {
            let error = appender.append(&array).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Shape { .. }), "{error}");
        }
        let error = appender.append(&wrong("<f8", &[1, 2])).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Mismatch { .. }), "{error}");
        let says = "the file holds '<f4', the appended array expects '<f8'; convert the array with DynArray::cast";
        assert!(error.to_string().contains(says), "{error}");
        let place = format!("{}: ", path.display());
        assert!(error.to_string().starts_with(&place), "{error}");
        appender.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), before);

        let strided = NpyArray::with_order(vec![1u8; 6], [3, 2], Order::Fortran).unwrap();
        strided.write_npy(&path).unwrap();
        let error = DynRowAppender::open(&path).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Unsupported { .. }), "{error}");
        7u8.write_npy(&path).unwrap();
        let error = DynRowAppender::open(&path).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Rank { .. }), "{error}");
    }
}
