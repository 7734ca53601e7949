//! The rows of an array as a table of text.

use npy_core::dtype::{Leaf, Part, ScalarKind};
use npy_core::{DType, Header, Order, Value};

use super::Result;
use super::elements::Elements;
use crate::file::ReadAt;
use crate::json::{Json, object};
use crate::text;

/// The most columns of a table.
const MAX_COLUMNS: usize = 40;
/// The most characters of a value.
const MAX_TEXT: usize = 120;
/// The most rows that are shown at once, and the most bytes of their elements.
const MAX_ROWS: usize = 1000;
const MAX_BYTES: usize = 8 << 20;

/// The columns of an array. A row is an index of its first dimension.
pub(crate) struct Table {
    pub(crate) rows: usize,
    columns: Vec<Column>,
    /// The positions in the file of a row's elements, relative to its first one: only of those that are shown.
    elements: Vec<usize>,
    /// The distance in the file between an element of one row and that of the next.
    stride: usize,
    itemsize: usize,
    has_more: bool,
}

/// One scalar of a row.
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) dtype: DType,
    /// The position of its element among those of `Table::elements`.
    element: usize,
    /// Its offset in the element.
    offset: usize,
}

impl Table {
    pub(crate) fn new(header: &Header) -> Self {
        let shape = header.shape();
        let (&rows, inner) = shape.split_first().unwrap_or((&1, &[]));
        let count = inner.iter().fold(1, |count: usize, &n| count.saturating_mul(n));
        let (strides, stride) = strides(shape, header.order(), count);
        let mut table = Table {
            rows,
            columns: Vec::new(),
            elements: Vec::new(),
            stride,
            itemsize: header.dtype().itemsize(),
            has_more: false,
        };
        for leaf in leaves(header.dtype(), inner) {
            if table.columns.len() >= MAX_COLUMNS {
                table.has_more = true;
                break;
            }
            let Ok(dtype) = DType::from(*leaf.scalar()).array(leaf.shape()) else { break };
            let element = leaf.offset().checked_div(table.itemsize).unwrap_or(0);
            let index = index(element, inner);
            let position = index.iter().zip(&strides).map(|(i, stride)| i.saturating_mul(*stride));
            let position = position.fold(0, usize::saturating_add);
            if table.elements.last() != Some(&position) {
                table.elements.push(position);
            }
            table.columns.push(Column {
                name: text::start_of(&leaf.column_name(), MAX_TEXT),
                dtype,
                element: table.elements.len().saturating_sub(1),
                offset: leaf.offset().checked_rem(table.itemsize).unwrap_or(0),
            });
        }
        table
    }

    pub(crate) fn column(&self, index: usize) -> Option<&Column> {
        self.columns.get(index)
    }

    /// Returns the names of the columns, and which can be drawn.
    pub(crate) fn describe(&self) -> Json {
        let column = |column: &Column| {
            object([
                ("name", Json::from(column.name.as_str())),
                ("is_number", Json::from(is_number(&column.dtype))),
                ("is_drawn", Json::from(is_drawn(&column.dtype))),
            ])
        };
        let columns: Vec<Json> = self.columns.iter().map(column).collect();
        object([
            ("columns", Json::from(columns)),
            ("more_columns", Json::from(self.has_more)),
            ("rows", Json::from(self.rows)),
        ])
    }

    /// Returns some rows as lists of text.
    pub(crate) fn rows<F: ReadAt>(
        &self,
        elements: &mut Elements<F>,
        from: usize,
        count: usize,
    ) -> Result<Json> {
        let from = from.min(self.rows);
        let row_bytes = self.elements.len().saturating_mul(self.itemsize);
        let most = MAX_BYTES.checked_div(row_bytes).unwrap_or(MAX_ROWS).clamp(1, MAX_ROWS);
        let count = count.min(most).min(self.rows.saturating_sub(from));
        let block = self.block(elements, from, count)?;
        let mut rows = Vec::new();
        for row in 0..count {
            let cell = |column: &Column| {
                let value = column.value(block.get(row, column.element, self.itemsize));
                value.map_or(Json::Null, |value| text::start_of(&value, MAX_TEXT).into())
            };
            rows.push(Json::from(self.columns.iter().map(cell).collect::<Vec<_>>()));
        }
        Ok(object([("from", Json::from(from)), ("rows", Json::from(rows))]))
    }

    /// Reads the elements of some rows that are shown.
    fn block<F: ReadAt>(
        &self,
        elements: &mut Elements<F>,
        from: usize,
        count: usize,
    ) -> Result<Block> {
        let width = self.elements.len();
        let is_contiguous = (0..width).eq(self.elements.iter().copied());
        let mut parts = Vec::new();
        if !is_contiguous {
            for position in &self.elements {
                parts.push(self.strided(elements, from, count, *position)?);
            }
            return Ok(Block::ByElement(parts));
        }
        if self.stride == width {
            let at = from.saturating_mul(width);
            let bytes = elements.read(at, count.saturating_mul(width))?;
            let size = width.saturating_mul(self.itemsize).max(1);
            parts.extend(bytes.chunks(size).map(<[u8]>::to_vec));
        } else {
            for row in from..from.saturating_add(count) {
                parts.push(elements.read(row.saturating_mul(self.stride), width)?);
            }
        }
        Ok(Block::ByRow(parts))
    }

    /// Returns one element of each row, one after the other. `position` is that of the element in the first row.
    pub(crate) fn strided<F: ReadAt>(
        &self,
        elements: &mut Elements<F>,
        from: usize,
        count: usize,
        position: usize,
    ) -> Result<Vec<u8>> {
        let at = |row: usize| row.saturating_mul(self.stride).saturating_add(position);
        let stride = self.stride.saturating_mul(self.itemsize);
        if self.stride == 1 {
            return elements.read(at(from), count);
        }
        let mut packed = Vec::new();
        if stride.saturating_mul(count) <= MAX_BYTES && count > 0 {
            let last = count.saturating_sub(1).saturating_mul(self.stride);
            let all = elements.read(at(from), last.saturating_add(1))?;
            for item in all.chunks(stride.max(1)) {
                packed.extend_from_slice(item.get(..self.itemsize).unwrap_or_default());
            }
            return Ok(packed);
        }
        for row in from..from.saturating_add(count) {
            packed.extend_from_slice(&elements.read(at(row), 1)?);
        }
        Ok(packed)
    }

    /// Reads one column of some rows, and calls `visit` with each value.
    pub(crate) fn visit<F: ReadAt>(
        &self,
        elements: &mut Elements<F>,
        column: &Column,
        from: usize,
        count: usize,
        mut visit: impl FnMut(usize, Value<'_>),
    ) -> Result<()> {
        let position = self.elements.get(column.element).copied().unwrap_or(0);
        let items = self.strided(elements, from, count, position)?;
        for (row, item) in (from..).zip(items.chunks(self.itemsize.max(1)).take(count)) {
            if let Some(value) = column.value(item) {
                visit(row, value);
            }
        }
        Ok(())
    }

    /// Returns the bytes of the file between the start of a row's element and that of the next.
    pub(crate) fn stride_bytes(&self) -> usize {
        self.stride.saturating_mul(self.itemsize)
    }
}

/// The elements of some rows.
enum Block {
    ByRow(Vec<Vec<u8>>),
    ByElement(Vec<Vec<u8>>),
}

impl Block {
    /// Returns the bytes of an element; none if it has none.
    fn get(&self, row: usize, element: usize, size: usize) -> &[u8] {
        let (part, at) = match self {
            Block::ByRow(parts) => (parts.get(row), element),
            Block::ByElement(parts) => (parts.get(element), row),
        };
        let start = at.saturating_mul(size);
        part.and_then(|part| part.get(start..start.saturating_add(size))).unwrap_or_default()
    }
}

/// Returns the columns of a row: its scalars, and sub-arrays of scalars in records.
fn leaves(dtype: &DType, inner: &[usize]) -> Box<dyn Iterator<Item = Leaf>> {
    let row = Part::of_row(dtype, inner).leaves().take(MAX_COLUMNS.saturating_add(1));
    match dtype.is_record() {
        true => Box::new(row.collect::<Vec<_>>().into_iter()),
        false => Box::new(row.collect::<Vec<_>>().into_iter().flat_map(Leaf::elements)),
    }
}

impl Column {
    /// Returns the value of this column in an element.
    fn value<'a>(&'a self, element: &'a [u8]) -> Option<Value<'a>> {
        Value::from_bytes(&self.dtype, element.get(self.offset..)?)
    }
}

/// Returns the distances in the file between the elements of a row, and between the rows.
fn strides(shape: &[usize], order: Order, row: usize) -> (Vec<usize>, usize) {
    let inner = shape.get(1..).unwrap_or_default();
    let mut strides = Vec::new();
    match order {
        Order::C => {
            let mut stride: usize = 1;
            for length in inner.iter().rev() {
                strides.push(stride);
                stride = stride.saturating_mul(*length);
            }
            strides.reverse();
            (strides, row)
        }
        Order::Fortran => {
            let mut stride = shape.first().copied().unwrap_or(1);
            for length in inner {
                strides.push(stride);
                stride = stride.saturating_mul(*length);
            }
            (strides, 1)
        }
    }
}

/// Returns the index of the element at this position in C order.
fn index(position: usize, shape: &[usize]) -> Vec<usize> {
    let mut rest = position;
    let mut index = Vec::new();
    for length in shape.iter().rev() {
        index.push(rest.checked_rem(*length).unwrap_or(0));
        rest = rest.checked_div(*length).unwrap_or(0);
    }
    index.reverse();
    index
}

fn is_number(dtype: &DType) -> bool {
    use ScalarKind as K;
    let kind = dtype.scalar().map(npy_core::dtype::Scalar::kind);
    matches!(kind, Some(K::Int | K::UInt | K::Float | K::Complex))
}

fn is_drawn(dtype: &DType) -> bool {
    use ScalarKind as K;
    let kind = dtype.scalar().map(npy_core::dtype::Scalar::kind);
    matches!(kind, Some(K::Bool | K::Int | K::UInt | K::Float | K::DateTime(_) | K::TimeDelta(_)))
}
