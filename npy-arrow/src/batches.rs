//! Batches of a file, one after another.

use std::io::Read;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use npy_core::{DynArray, Order, Reader};

use crate::error::Result;
use crate::options::Options;
use crate::schema::schema;
use crate::to_arrow::{batch, check_empty, part};

/// The number of rows of a batch, unless you say another or rows are large: that of DataFusion.
const ROWS: usize = 8192;

/// The size of a batch of large rows, in bytes.
const BYTES: usize = 8 << 20;

/// Reads a file batch by batch, for whatever takes a [`RecordBatchReader`]. Memory is that of one batch.
///
/// ```
/// use npy_arrow::{Batches, Options};
/// use npy_core::{Reader, WriteNpy};
///
/// let mut file = Vec::new();
/// (0..10_000i32).collect::<Vec<_>>().write_npy_to(&mut file)?;
///
/// let batches = Batches::new(Reader::new(&file[..])?, &Options::new())?;
/// let rows: Vec<usize> = batches.map(|batch| Ok(batch?.num_rows())).collect::<Result<_, Box<dyn std::error::Error>>>()?;
/// assert_eq!(rows, [8192, 1808]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Batches<R> {
    reader: Reader<R>,
    options: Options,
    schema: SchemaRef,
    rows: usize,
    /// The rows that are left of an array whose rows have no elements, such as one of shape `(3, 0)`.
    empty_rows: usize,
}

impl<R: Read> Batches<R> {
    /// Starts with the next row of the reader.
    ///
    /// ```
    /// use npy_arrow::{Options, Batches};
    /// use npy_core::{Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// vec![0.5; 10].write_npy_to(&mut file)?;
    /// let batches = Batches::new(Reader::new(&file[..])?, &Options::new())?;
    /// for batch in batches {
    ///     assert_eq!(batch?.num_rows(), 10);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`schema`](crate::schema); and for more rows of no bytes than [`Limits::empty_items`](npy_core::Limits::empty_items).
    pub fn new(reader: Reader<R>, options: &Options) -> Result<Self> {
        let header = reader.header();
        let dtype = match header.shape() {
            [] | [_] => header.dtype().clone(),
            [_, inner @ ..] => header.dtype().array(inner)?,
        };
        let empty_rows = match header.shape() {
            [rows, inner @ ..] if inner.contains(&0) => *rows,
            _ => 0,
        };
        if dtype.itemsize() == 0 {
            check_empty("rows", header.shape().first().copied().unwrap_or(1))?;
        }
        let rows = BYTES.checked_div(dtype.itemsize()).map_or(ROWS, |rows| rows.clamp(1, ROWS));
        let schema = Arc::new(schema(&dtype, options)?);
        Ok(Batches { reader, options: options.clone(), schema, rows, empty_rows })
    }

    /// Sets the number of rows of a batch, at least one. The default is 8192, or as many as fit in 8 MiB.
    ///
    /// ```
    /// use npy_arrow::{Options, Batches};
    /// use npy_core::{Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// vec![0.5; 10].write_npy_to(&mut file)?;
    /// let batches = Batches::new(Reader::new(&file[..])?, &Options::new())?.with_rows(4);
    /// let rows: Vec<_> = batches.map(|batch| batch.map(|batch| batch.num_rows())).collect::<Result<_, _>>()?;
    /// assert_eq!(rows, [4, 4, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_rows(self, rows: usize) -> Self {
        Batches { rows: rows.max(1), ..self }
    }

    /// Takes only these columns, by their index in the schema, in this order. The others are read, but not converted.
    ///
    /// ```
    /// use npy_arrow::arrow_array::RecordBatchReader;
    /// use npy_arrow::{Batches, Options};
    /// use npy_core::{DynArray, Order, Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// let array = DynArray::new("[('a', '|u1'), ('b', '|u1')]".parse()?, [1], Order::C, vec![1, 2])?;
    /// array.write_npy_to(&mut file)?;
    /// let batches = Batches::new(Reader::new(&file[..])?, &Options::new())?.project(&[1])?;
    /// assert_eq!(batches.schema().field(0).name(), "b");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If there is no such column.
    pub fn project(self, columns: &[usize]) -> Result<Self> {
        let schema = Arc::new(self.schema.project(columns)?);
        Ok(Batches { schema, ..self })
    }

    fn read(&mut self) -> Result<Option<RecordBatch>> {
        if self.empty_rows > 0 {
            let rows = self.rows.min(self.empty_rows);
            self.empty_rows = self.empty_rows.saturating_sub(rows);
            let header = self.reader.header();
            let inner = header.shape().get(1..).unwrap_or_default();
            let shape = [&[rows], inner].concat();
            let array = DynArray::new(header.dtype().clone(), shape, Order::C, Vec::new())?;
            return batch(part(array), self.schema.clone(), &self.options).map(Some);
        }
        if self.reader.remaining() == 0 {
            return Ok(None);
        }
        let array = if self.reader.header().shape().is_empty() {
            self.reader.read_dyn()?
        } else {
            self.reader.read_dyn_chunk(self.rows)?
        };
        batch(part(array), self.schema.clone(), &self.options).map(Some)
    }
}

/// Ends after an error.
impl<R: Read> Iterator for Batches<R> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().map_err(ArrowError::from).transpose()
    }
}

impl<R: Read> RecordBatchReader for Batches<R> {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
