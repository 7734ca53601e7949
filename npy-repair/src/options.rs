//! The options of a diagnosis.

use npy_core::{DType, UncountedRows};

/// Settings of [`diagnose`](crate::diagnose): the array in a file without a header, and rows that are to be counted.
///
/// ```
/// use npy_core::UncountedRows;
/// use npy_repair::{Options, Raw};
///
/// let mut options = Options::new();
/// options.raw(Raw::new("<u2".parse()?, &[-1, 3])).uncounted_rows(UncountedRows::Keep);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub(crate) raw: Option<Raw>,
    pub(crate) uncounted_rows: UncountedRows,
}

impl Options {
    /// Repairs what is certain.
    ///
    /// ```
    /// let options = npy_repair::Options::new();
    /// # drop(options);
    /// ```
    pub fn new() -> Self {
        Options::default()
    }

    /// States the array that the data of a file without a header is. A file that has a header is refused; the rest of one whose first bytes are
    /// damaged is left out, if a key of it is there, or if the size of the file fits only without it ([`Damage::LostHeader`](crate::Damage::LostHeader)).
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_repair::{Options, Raw, diagnose};
    ///
    /// std::fs::write("raw.npy", [1, 0, 2, 0, 3, 0])?; // as np.array([1, 2, 3], "<u2").tofile("raw.npy")
    /// let mut options = Options::new();
    /// options.raw(Raw::new("<u2".parse()?, &[-1]));
    /// diagnose("raw.npy", &options)?.write("x.npy")?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn raw(&mut self, raw: Raw) -> &mut Self {
        self.raw = Some(raw);
        self
    }

    /// Determines what is done about bytes after the end of an array that are not another array, also about those in an archive; a writer that was
    /// killed may have left rows. [`Keep`](UncountedRows::Keep) counts complete rows and removes other bytes, and [`Remove`](UncountedRows::Remove)
    /// removes all bytes, except those after Python objects. Without this option they stay, and are a [remark](crate::Plan::remarks).
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{Header, Order, UncountedRows};
    /// use npy_repair::{Options, diagnose};
    ///
    /// let mut file = Header::new("<u2".parse()?, [1], Order::C)?.to_bytes()?;
    /// file.extend([1, 0, 2, 0, 3, 0]);
    /// std::fs::write("x.npy", file)?;
    /// assert!(!diagnose("x.npy", &Options::new())?.is_needed());
    /// for (rows, count) in [(UncountedRows::Keep, 3), (UncountedRows::Remove, 1)] {
    ///     let plan = diagnose("x.npy", Options::new().uncounted_rows(rows))?;
    ///     assert_eq!(plan.header().map(Header::shape), Some(&[count][..]));
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn uncounted_rows(&mut self, rows: UncountedRows) -> &mut Self {
        self.uncounted_rows = rows;
        self
    }
}

/// The array that the data of a file without a header is.
///
/// ```
/// use npy_repair::Raw;
///
/// let rows_of_three = Raw::new("<u2".parse()?, &[-1, 3]);
/// # drop(rows_of_three);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Raw {
    pub(crate) dtype: DType,
    pub(crate) shape: Vec<i64>,
}

impl Raw {
    /// States dtype and shape, in which one dimension may be -1: the size of the file says it.
    ///
    /// ```
    /// let raw = npy_repair::Raw::new("<f4".parse()?, &[-1]);
    /// # drop(raw);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn new(dtype: DType, shape: &[i64]) -> Self {
        Raw { dtype, shape: shape.to_vec() }
    }
}
