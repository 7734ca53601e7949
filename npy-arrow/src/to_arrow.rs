//! From the bytes of NumPy to Arrow's arrays.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, FixedSizeListArray, RecordBatch,
    RecordBatchOptions, StringArray, StructArray, make_array,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, SchemaRef};
use npy_core::dtype::{DType, Scalar};
use npy_core::{ByteOrder, DynArray, Float8, Gather, Limits, LongDouble, Order};

use crate::error::{Error, Result};
use crate::objects;
use crate::options::Options;
use crate::schema::{product, schema};
use crate::values::{Values, days, native};

/// Contiguous elements of a dtype, as NumPy stores them.
#[derive(Clone)]
pub(crate) struct Part {
    /// A dtype that is no sub-array.
    pub(crate) dtype: DType,
    /// The dimensions of the elements of a row.
    pub(crate) shape: Vec<usize>,
    pub(crate) rows: usize,
    pub(crate) bytes: Buffer,
}

/// Returns the array as a batch: a row for each index of its first dimension.
///
/// A record array of one dimension has a column for each field, any other array the single column `value`; see
/// [the table of types](crate#types). The metadata keep the dtype, so that [`dyn_array`](crate::dyn_array) returns the same array.
///
/// ```
/// use npy_arrow::Options;
/// use npy_core::{DynArray, NpyRecord, ReadNpy, WriteNpy};
///
/// #[derive(NpyRecord)]
/// struct Pick {
///     station: [u8; 4],
///     time: f64,
/// }
///
/// let mut file = Vec::new();
/// [Pick { station: *b"RJOB", time: 1.5 }].write_npy_to(&mut file)?;
///
/// let array = DynArray::read_npy_from(&file[..])?;
/// let batch = npy_arrow::record_batch(&array, &Options::new())?;
/// assert_eq!((batch.num_rows(), batch.num_columns()), (1, 2));
/// assert_eq!(npy_arrow::dyn_array(&batch, &Options::new())?, array);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// For Python objects that are not text or `None`, text with an invalid code point, times that Arrow cannot count, more than 2 GiB of text in a column.
pub fn record_batch(array: &DynArray, options: &Options) -> Result<RecordBatch> {
    into_record_batch(array.clone(), options)
}

/// Returns the array as a batch, like [`record_batch`]. Numbers of the byte order of the machine are not copied.
///
/// ```
/// use npy_arrow::Options;
/// use npy_core::{DynArray, Order};
///
/// let array = DynArray::new("<f8".parse()?, [1], Order::C, 1.5f64.to_le_bytes().to_vec())?;
/// let batch = npy_arrow::into_record_batch(array, &Options::new())?;
/// assert_eq!(batch.schema().field(0).name(), "value");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As [`record_batch`].
pub fn into_record_batch(array: DynArray, options: &Options) -> Result<RecordBatch> {
    if array.dtype().has_object() {
        return objects::batch(&array, options);
    }
    let array = if array.order() == Order::C { array } else { array.to_order(Order::C)? };
    let part = part(array);
    let schema = schema(&part.row_dtype()?, options)?;
    batch(part, Arc::new(schema), options)
}

/// Returns the rows of an array as one column, of the type that the field has: that of [`schema`](crate::schema) for this dtype.
///
/// ```
/// use npy_arrow::{Options, VALUE};
/// use npy_arrow::arrow_array::Array;
/// use npy_core::{DynArray, Order};
///
/// let array = DynArray::new(">i2".parse()?, [2], Order::C, vec![0, 1, 0, 2])?;
/// let schema = npy_arrow::schema(array.dtype(), &Options::new())?;
/// let column = npy_arrow::into_array(array, schema.field(0), &Options::new())?;
/// assert_eq!(column.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As [`record_batch`]; also if the field is of another type.
pub fn into_array(array: DynArray, field: &Field, options: &Options) -> Result<ArrayRef> {
    if array.dtype().has_object() {
        return objects::texts(&array);
    }
    let array = if array.order() == Order::C { array } else { array.to_order(Order::C)? };
    part(array).array(field, options)
}

/// Returns rows of a dtype, whose bytes are in C order, as one column, like [`into_array`]. The column keeps the buffer if its values are numbers of the byte order
/// of the machine.
///
/// ```
/// use npy_arrow::Options;
/// use npy_arrow::arrow_array::Array;
/// use npy_core::dtype::DType;
///
/// let row: DType = "('<f4', (3,))".parse()?;
/// let schema = npy_arrow::schema(&row, &Options::new())?;
/// let column =
///     npy_arrow::buffer_into_array(vec![0u8; 24], &row, 2, schema.field(0), &Options::new())?;
/// assert_eq!(column.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As [`into_array`]; also for Python objects, and if the buffer has more or fewer bytes than these rows.
pub fn buffer_into_array(
    bytes: impl Into<Buffer>,
    dtype: &DType,
    rows: usize,
    field: &Field,
    options: &Options,
) -> Result<ArrayRef> {
    let bytes = bytes.into();
    if dtype.itemsize().checked_mul(rows) != Some(bytes.len()) {
        return Err(Error::other(format!(
            "{rows} rows of {dtype} are not {} bytes; give it the bytes of these rows alone",
            bytes.len()
        )));
    }
    let (base, shape) = dtype.flat();
    Part { dtype: base.clone(), shape, rows, bytes }.array(field, options)
}

/// Returns the elements of an array in C order.
pub(crate) fn part(array: DynArray) -> Part {
    let (dtype, dims) = (array.dtype().clone(), array.shape().to_vec());
    let (rows, shape) = match dims.split_first() {
        Some((rows, shape)) => (*rows, shape.to_vec()),
        None => (1, Vec::new()),
    };
    Part { dtype, shape, rows, bytes: Buffer::from_vec(array.into_bytes()) }
}

/// Converts the columns of this schema.
pub(crate) fn batch(part: Part, schema: SchemaRef, options: &Options) -> Result<RecordBatch> {
    let rows = RecordBatchOptions::new().with_row_count(Some(part.rows));
    let columns = if part.is_table() {
        let column = |field: &Arc<Field>| part.field(field.name())?.array(field, options);
        let named =
            |field: &Arc<Field>| column(field).map_err(|error| error.in_column(field.name()));
        schema.fields().iter().map(named).collect::<Result<Vec<_>>>()?
    } else if let [field] = &schema.fields()[..] {
        vec![part.array(field, options).map_err(|error| error.in_column(field.name()))?]
    } else {
        // The columns that were asked for are none, or several times the same.
        let column = |field: &Arc<Field>| {
            part.clone().array(field, options).map_err(|error| error.in_column(field.name()))
        };
        schema.fields().iter().map(column).collect::<Result<Vec<_>>>()?
    };
    Ok(RecordBatch::try_new_with_options(schema, columns, &rows)?)
}

impl Part {
    /// Returns the dtype of a row.
    pub(crate) fn row_dtype(&self) -> Result<DType> {
        Ok(self.dtype.array(&self.shape)?)
    }

    /// Returns true if each field is a column.
    pub(crate) fn is_table(&self) -> bool {
        self.dtype.is_record() && self.shape.is_empty()
    }

    /// Returns the number of elements of a row.
    fn elements(&self) -> Result<usize> {
        product(&self.shape).ok_or_else(|| Error::other("the shape of a row is too large"))
    }

    /// Returns one field of records.
    pub(crate) fn field(&self, name: &str) -> Result<Part> {
        let field = Gather::new(&self.dtype, name)?;
        let (base, inner) = field.dtype().flat();
        let shape = [&self.shape[..], &inner].concat();
        let bytes = Buffer::from_vec(field.all(&self.bytes)?);
        Ok(Part { dtype: base.clone(), shape, rows: self.rows, bytes })
    }

    /// Converts the elements to an array of the type that this field has.
    pub(crate) fn array(self, field: &Field, options: &Options) -> Result<ArrayRef> {
        if !self.shape.is_empty() {
            let DataType::FixedSizeList(item, size) = field.data_type() else {
                return Err(Error::other(format!(
                    "{} has no elements for each row",
                    field.data_type()
                )));
            };
            let elements = self.elements()?;
            let rows = self
                .rows
                .checked_mul(elements)
                .ok_or_else(|| Error::other("the array is too large"))?;
            let all_rows = self.rows;
            let flat = Part { shape: Vec::new(), rows, ..self };
            let values = flat.array(item, options).map_err(|error| error.of_rows(elements))?;
            return Ok(Arc::new(FixedSizeListArray::try_new_with_length(
                item.clone(),
                *size,
                values,
                None,
                all_rows,
            )?));
        }
        let Some(scalar) = self.dtype.scalar().cloned() else {
            let DataType::Struct(fields) = field.data_type() else {
                return Err(Error::other(format!("{} has no fields", field.data_type())));
            };
            let column = |field: &Arc<Field>| self.field(field.name())?.array(field, options);
            let named =
                |field: &Arc<Field>| column(field).map_err(|error| error.in_column(field.name()));
            let columns = fields.iter().map(named).collect::<Result<Vec<_>>>()?;
            return Ok(Arc::new(StructArray::try_new_with_length(
                fields.clone(),
                columns,
                None,
                self.rows,
            )?));
        };
        self.scalars(&scalar, field.data_type(), options)
    }

    /// Converts scalars.
    fn scalars(self, scalar: &Scalar, data_type: &DataType, options: &Options) -> Result<ArrayRef> {
        let (rows, size) = (self.rows, scalar.itemsize());
        if size == 0 {
            check_empty("elements", rows)?;
        }
        Ok(match Values::of(scalar, options)? {
            Values::Bool => {
                let bits = BooleanBuffer::from_iter(self.bytes.iter().map(|&byte| byte != 0));
                Arc::new(BooleanArray::new(bits, None))
            }
            Values::Number(number) => numbers(number, rows, self.cast(&native(scalar))?, None)?,
            Values::Complex(part) => {
                let halves = self.cast(&native(scalar))?;
                let count =
                    rows.checked_mul(2).ok_or_else(|| Error::other("the array is too large"))?;
                complex(data_type, numbers(part, count, halves, None)?)?
            }
            Values::Time { data_type, unit } => {
                let counts = self.cast(&unit)?;
                let nulls = not_a_time(&counts);
                numbers(data_type, rows, counts, nulls)?
            }
            Values::Date => self.dates()?,
            Values::LongDouble => {
                let values: Vec<LongDouble> = self.dyn_array()?.to_vec()?;
                let values: Vec<f64> = values.into_iter().map(LongDouble::to_f64).collect();
                numbers(DataType::Float64, rows, Buffer::from_vec(values), None)?
            }
            Values::BFloat16 => {
                let bits = match scalar.byte_order() {
                    Some(ByteOrder::Big) => u16::from_be_bytes,
                    _ => u16::from_le_bytes,
                };
                // A bfloat16 is the upper half of a float.
                let halves = self.bytes.as_chunks().0.iter();
                let upper = halves.map(|&half| f32::from_bits(u32::from(bits(half)) << 16));
                numbers(
                    DataType::Float32,
                    rows,
                    Buffer::from_vec(upper.collect::<Vec<f32>>()),
                    None,
                )?
            }
            Values::Float8(format) => {
                let table: Vec<f32> =
                    (0..=u8::MAX).map(|bits| Float8(bits).to_f32(format)).collect();
                let number = |bits: &u8| table.get(usize::from(*bits)).copied();
                let numbers_of: Vec<f32> = self.bytes.iter().filter_map(number).collect();
                numbers(DataType::Float32, rows, Buffer::from_vec(numbers_of), None)?
            }
            Values::Bytes => {
                let (offsets, bytes) =
                    concatenated(self.items(size).map(|item| Ok(without_zeros(item))))?;
                Arc::new(BinaryArray::try_new(offsets, bytes, None)?)
            }
            Values::Ascii => {
                let text = self.items(size).map(|item| {
                    let item = without_zeros(item);
                    let reason =
                        |_| Error::other(format!("\"{}\" is not UTF-8", item.escape_ascii()));
                    std::str::from_utf8(item).map(str::as_bytes).map_err(reason)
                });
                let (offsets, bytes) = concatenated(text)?;
                Arc::new(StringArray::try_new(offsets, bytes, None)?)
            }
            Values::Text => {
                let (offsets, bytes) = self.text(scalar)?;
                Arc::new(StringArray::try_new(offsets, bytes, None)?)
            }
            Values::Objects => {
                return Err(Error::other(
                    "Python objects are not read in parts; read the whole array",
                ));
            }
            Values::Raw(size) => make_array(
                ArrayData::builder(DataType::FixedSizeBinary(size))
                    .len(rows)
                    .add_buffer(self.bytes)
                    .build()?,
            ),
        })
    }

    /// Returns the elements, each with this number of bytes; as many empty ones as there are rows if it has none.
    fn items(&self, size: usize) -> impl Iterator<Item = &[u8]> {
        let bytes: &[u8] = &self.bytes;
        (0..self.rows).map(move |row| {
            let start = row.saturating_mul(size);
            bytes.get(start..start.saturating_add(size)).unwrap_or_default()
        })
    }

    /// Copies the elements only if something else has them, too.
    fn dyn_array(self) -> Result<DynArray> {
        let bytes = self.bytes.into_vec().unwrap_or_else(|shared| shared.to_vec());
        Ok(DynArray::new(self.dtype, [self.rows], Order::C, bytes)?)
    }

    /// Returns the bytes of the elements as another dtype.
    fn cast(self, dtype: &DType) -> Result<Buffer> {
        if self.dtype == *dtype {
            return Ok(self.bytes);
        }
        Ok(Buffer::from_vec(self.dyn_array()?.cast(dtype)?.into_bytes()))
    }

    /// Converts to days in 32 bits.
    fn dates(self) -> Result<ArrayRef> {
        let rows = self.rows;
        let counts = self.cast(&days()?)?;
        let nulls = not_a_time(&counts);
        let mut days = Vec::with_capacity(rows);
        for (row, count) in integers(&counts).enumerate() {
            let day = if count == i64::MIN { Ok(0) } else { i32::try_from(count) };
            days.push(day.map_err(|_| {
                Error::other(format!("{count} days are too many for Date32")).in_row(row)
            })?);
        }
        numbers(DataType::Date32, rows, Buffer::from_vec(days), nulls)
    }

    /// Converts code points to UTF-8.
    fn text(&self, scalar: &Scalar) -> Result<(OffsetBuffer<i32>, Buffer)> {
        let from = match scalar.byte_order() {
            Some(ByteOrder::Big) => u32::from_be_bytes,
            _ => u32::from_le_bytes,
        };
        let mut text = Text::with_capacity(self.rows);
        let mut buffer = [0; 4];
        for (row, item) in self.items(scalar.itemsize()).enumerate() {
            let points = item.as_chunks::<4>().0;
            let used = points
                .iter()
                .rposition(|&point| point != [0; 4])
                .map_or(0, |last| last.saturating_add(1));
            for &point in points.iter().take(used) {
                let point = from(point);
                let Some(char) = char::from_u32(point) else {
                    return Err(
                        Error::other(format!("U+{point:04X} is not a character")).in_row(row)
                    );
                };
                text.bytes.extend_from_slice(char.encode_utf8(&mut buffer).as_bytes());
            }
            text.end(row)?;
        }
        Ok(text.finish())
    }
}

/// Refuses more rows or elements without bytes than the library reads: a small file may state any number of them.
pub(crate) fn check_empty(what: &str, count: usize) -> Result<()> {
    let limit = Limits::default().empty_items;
    match u64::try_from(count).is_ok_and(|count| count <= limit) {
        true => Ok(()),
        false => {
            Err(Error::other(format!("{count} {what} of zero bytes exceed the limit of {limit}")))
        }
    }
}

/// Values of different lengths, one after another.
struct Text {
    offsets: Vec<i32>,
    bytes: Vec<u8>,
}

impl Text {
    fn with_capacity(rows: usize) -> Self {
        let mut offsets = Vec::with_capacity(rows.saturating_add(1));
        offsets.push(0);
        Text { offsets, bytes: Vec::new() }
    }

    /// Ends the value of this row.
    fn end(&mut self, row: usize) -> Result<()> {
        let Ok(offset) = i32::try_from(self.bytes.len()) else {
            let reason = "the text of a column of a batch is limited to 2 GiB; read the file in batches with npy_arrow::Batches";
            return Err(Error::other(reason).in_row(row));
        };
        self.offsets.push(offset);
        Ok(())
    }

    fn finish(self) -> (OffsetBuffer<i32>, Buffer) {
        (OffsetBuffer::new(ScalarBuffer::from(self.offsets)), Buffer::from_vec(self.bytes))
    }
}

fn concatenated<'i>(
    items: impl Iterator<Item = Result<&'i [u8]>>,
) -> Result<(OffsetBuffer<i32>, Buffer)> {
    let mut text = Text::with_capacity(items.size_hint().0);
    for (row, item) in items.enumerate() {
        text.bytes.extend_from_slice(item.map_err(|error| error.in_row(row))?);
        text.end(row)?;
    }
    Ok(text.finish())
}

fn without_zeros(item: &[u8]) -> &[u8] {
    let used = item.iter().rposition(|&byte| byte != 0).map_or(0, |last| last.saturating_add(1));
    item.get(..used).unwrap_or_default()
}

/// Returns an array of numbers with these bytes. They are copied if they are not aligned.
fn numbers(
    data_type: DataType,
    rows: usize,
    bytes: Buffer,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    let data = ArrayData::builder(data_type).len(rows).add_buffer(bytes).nulls(nulls);
    Ok(make_array(data.align_buffers(true).build()?))
}

/// Returns the numbers in pairs, as the type says.
fn complex(data_type: &DataType, parts: ArrayRef) -> Result<ArrayRef> {
    match data_type {
        DataType::FixedSizeList(item, size) => {
            Ok(Arc::new(FixedSizeListArray::try_new(item.clone(), *size, parts, None)?))
        }
        DataType::Struct(fields) => {
            let halves = [0, 1].map(|first| {
                let data = parts.to_data();
                let size = data.data_type().primitive_width().unwrap_or_default();
                let bytes = data.buffers().first().map(Buffer::as_slice).unwrap_or_default();
                let half = bytes.chunks_exact(size.max(1)).skip(first).step_by(2);
                let bytes: Vec<u8> = half.flatten().copied().collect();
                numbers(data.data_type().clone(), parts.len() / 2, Buffer::from_vec(bytes), None)
            });
            let halves = halves.into_iter().collect::<Result<Vec<_>>>()?;
            Ok(Arc::new(StructArray::try_new(fields.clone(), halves, None)?))
        }
        _ => Err(Error::other(format!("{data_type} is no type of complex numbers"))),
    }
}

/// Returns which counts are times, if some are not: `NaT` is the lowest integer.
fn not_a_time(counts: &Buffer) -> Option<NullBuffer> {
    let times =
        NullBuffer::new(BooleanBuffer::from_iter(integers(counts).map(|count| count != i64::MIN)));
    (times.null_count() > 0).then_some(times)
}

fn integers(bytes: &Buffer) -> impl Iterator<Item = i64> {
    bytes.as_chunks::<8>().0.iter().map(|&bytes| i64::from_ne_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray;
    use arrow_array::types::Float32Type;

    use super::*;
    use crate::schema::schema;

    /// Guards memory: a column keeps an aligned buffer, and copies another one.
    #[test]
    fn a_buffer_is_kept_if_it_is_aligned() {
        let row: DType = "('<f4', (3,))".parse().unwrap();
        let schema = schema(&row, &Options::new()).unwrap();
        let column = |bytes: Buffer, rows| {
            buffer_into_array(bytes, &row, rows, schema.field(0), &Options::new())
        };
        let numbers: Vec<f32> = (0..6u8).map(f32::from).collect();
        let aligned = Buffer::from_vec(numbers.clone());
        let bytes = [&[0][..], &aligned].concat();
        let shifted = Buffer::from_vec(bytes).slice(1);
        for (buffer, is_kept) in [(aligned, true), (shifted, false)] {
            let lists = column(buffer.clone(), 2).unwrap();
            let values = lists.as_fixed_size_list().values().as_primitive::<Float32Type>();
            assert_eq!(values.values().to_vec(), numbers);
            assert_eq!(values.values().inner().as_ptr() == buffer.as_ptr(), is_kept);
        }
        let error = column(Buffer::from_vec(vec![0u8; 25]), 2).unwrap_err().to_string();
        assert!(error.contains("2 rows") && error.contains("25 bytes"), "{error}");
    }
}
