//! An array in blocks of rows: the chosen columns, with their values cast.

use npy_core::{Cast, DType, DynArray, Header, Order};

use super::cast::Block;
use crate::columns::Columns;
use crate::output::{Of, Result};
use crate::source::Source;

pub(super) struct Blocks {
    source: Source,
    /// `None` for complete rows.
    columns: Option<Columns>,
    /// The dtype to which the blocks are cast.
    dtype: DType,
    cast: Cast,
    /// The indices of the only column in Python; none of all, or of several.
    indices: String,
    /// The shape of the complete array.
    shape: Vec<usize>,
}

impl Blocks {
    /// `wanted` returns the dtype that elements of a dtype become, and `indices` are those of the only column in Python.
    pub(super) fn new(
        source: Source,
        columns: Option<Columns>,
        wanted: impl FnOnce(&DType) -> Result<DType>,
        cast: Cast,
        indices: String,
    ) -> Result<Self> {
        // Columns of no rows have the dtype and the dimensions of all.
        let shape = [vec![0], source.row_shape()].concat();
        let mut rows =
            DynArray::new(source.dtype().clone(), shape, Order::C, Vec::new()).of(&source.name())?;
        if let Some(columns) = &columns {
            rows = columns.take(&rows).of(&source.name())?;
        }
        let row_shape = rows.shape().get(1..).unwrap_or_default();
        let has_rows = source.header().shape().len() > source.row_shape().len();
        let count = has_rows.then(|| source.rows());
        let shape = count.into_iter().chain(row_shape.iter().copied()).collect();
        let dtype = wanted(rows.dtype())?;
        Ok(Blocks { source, columns, dtype, cast, indices, shape })
    }

    /// Returns the header of the complete array.
    pub(super) fn header(&self) -> Result<Header> {
        Header::new(self.dtype.clone(), &self.shape[..], Order::C).of(&self.source.name())
    }

    /// Returns the next rows; `None` after the last one.
    pub(super) fn next(&mut self) -> Result<Option<DynArray>> {
        let first = self.source.position();
        let Some(mut block) = self.source.next(self.source.rows_per_block())? else {
            return Ok(None);
        };
        if let Some(columns) = &self.columns {
            block = columns.take(&block).of(&self.source.name())?;
        }
        if *block.dtype() == self.dtype {
            return Ok(Some(block));
        }
        let name = self.source.name();
        let (ndim, are_columns) = (self.shape.len(), self.columns.is_some());
        let block = Block { rows: &block, name, first, ndim, are_columns };
        let cast = block.cast(&self.dtype, self.cast);
        cast.map(Some).map_err(|failure| failure.in_column(name, &self.indices))
    }

    /// Returns all rows as one array.
    pub(super) fn all(mut self) -> Result<DynArray> {
        let header = self.header()?;
        let mut bytes = Vec::new();
        // There may be any number of rows without bytes.
        while header.data_bytes() > 0
            && let Some(block) = self.next()?
        {
            bytes.extend_from_slice(block.as_bytes());
        }
        DynArray::new(self.dtype, self.shape, Order::C, bytes).of(&self.source.name())
    }
}
