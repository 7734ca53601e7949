//! From Arrow's arrays to the bytes of NumPy.

use arrow_array::cast::AsArray;
use arrow_array::types::IntervalMonthDayNanoType;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, IntervalUnit, TimeUnit};
use npy_core::dtype::{DType, Scalar, ScalarKind};
use npy_core::{ByteOrder, DynArray, LongDouble, Order};

use crate::error::{Error, Result};
use crate::options::Options;
use crate::schema::{DESCR, product};
use crate::values::{Values, days, native, native_of, time};
use crate::wanted::resolve;

/// Returns a batch as an array of one dimension: a record for each row, with a field for each column.
///
/// If the batch was made of an array, and its columns still are of the same types, the dtype is the same: padding, byte orders, and an array
/// of numbers for the single column `value`. Otherwise the records are packed, and text is as wide as the longest value.
///
/// ```
/// use std::sync::Arc;
///
/// use npy_arrow::Options;
/// use npy_arrow::arrow_array::{ArrayRef, Int32Array, RecordBatch, StringArray};
///
/// let id: ArrayRef = Arc::new(Int32Array::from(vec![1, 2]));
/// let station: ArrayRef = Arc::new(StringArray::from(vec!["RJOB", "X"]));
/// let batch = RecordBatch::try_from_iter([("id", id), ("station", station)])?;
///
/// let array = npy_arrow::dyn_array(&batch, &Options::new())?;
/// assert_eq!(array.dtype().to_string(), "[('id', '<i4'), ('station', '<U4')]");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// For a null in a type that has no missing value ([`Options::fill_nulls`]), text that ends with a zero, and types that NumPy does not have:
/// lists of different lengths, maps, unions, decimals, intervals of months.
pub fn dyn_array(batch: &RecordBatch, options: &Options) -> Result<DynArray> {
    let schema = batch.schema();
    let whole: Option<DType> = schema.metadata().get(DESCR).and_then(|descr| descr.parse().ok());
    let columns = schema.fields().iter().zip(batch.columns());
    if let (Some(whole), [array], [field]) = (&whole, batch.columns(), &schema.fields()[..])
        && !whole.is_record()
    {
        return column(array, field, options);
    }
    let dtypes = columns.clone().map(|(field, array)| dtype_of(array, field, options));
    let dtypes = dtypes.collect::<Result<Vec<_>>>()?;
    let named = schema.fields().iter().map(|field| field.name().as_str()).zip(dtypes.iter());
    let dtype = record(named, whole.as_ref())?;
    let arrays: Vec<&ArrayRef> = batch.columns().iter().collect();
    let bytes = records(&arrays, &dtype, batch.num_rows(), options)?;
    Ok(DynArray::new(dtype, [batch.num_rows()], Order::C, bytes)?)
}

/// Returns one column as an array, whose first dimension is the rows.
///
/// ```
/// use npy_arrow::Options;
/// use npy_arrow::arrow_array::{ArrayRef, Float64Array};
/// use npy_arrow::arrow_schema::{DataType, Field};
///
/// let array: ArrayRef = std::sync::Arc::new(Float64Array::from(vec![Some(1.5), None]));
/// let field = Field::new("x", DataType::Float64, true);
/// let column = npy_arrow::column(&array, &field, &Options::new())?;
/// assert!(column.to_vec::<f64>()?[1].is_nan());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As [`dyn_array`].
pub fn column(array: &ArrayRef, field: &Field, options: &Options) -> Result<DynArray> {
    let dtype = dtype_of(array, field, options)?;
    if dtype.scalar().is_some_and(|scalar| scalar.kind() == ScalarKind::Object) {
        return objects(array);
    }
    let bytes = bytes(array, &dtype, options).map_err(|error| error.in_column(field.name()))?;
    let (base, inner) = dtype.flat();
    let shape = [&[array.len()], &inner[..]].concat();
    Ok(DynArray::new(base.clone(), shape, Order::C, bytes)?)
}

/// Returns text as Python objects, where a null is `None`.
fn objects(array: &ArrayRef) -> Result<DynArray> {
    if let Some(dictionary) = array.as_any_dictionary_opt() {
        return objects(&arrow_select::take::take(dictionary.values(), dictionary.keys(), None)?);
    }
    let text = |text: Option<&[u8]>| text.map(|text| String::from_utf8_lossy(text).into_owned());
    let texts: Vec<Option<String>> =
        texts(array).unwrap_or_default().into_iter().map(text).collect();
    Ok(DynArray::of(&texts)?)
}

/// Returns the dtype of a column: that of its metadata, if it fits.
fn dtype_of(array: &ArrayRef, field: &Field, options: &Options) -> Result<DType> {
    resolve(array, field, options).map_err(|error| error.in_column(field.name()))
}

/// Returns a record of these fields: the one that is wanted, if it has just these, or else a packed one.
pub(crate) fn record<'f>(
    fields: impl Iterator<Item = (&'f str, &'f DType)> + Clone,
    wanted: Option<&'f DType>,
) -> Result<DType> {
    if let Some(wanted) = wanted.filter(|wanted| wanted.is_record())
        && wanted.fields().iter().map(|field| (field.name(), field.dtype())).eq(fields.clone())
    {
        return Ok(wanted.clone());
    }
    Ok(DType::record(fields.map(|(name, dtype)| (name, dtype.clone())))?)
}

/// Returns the columns as records of this dtype.
fn records(
    columns: &[&ArrayRef],
    dtype: &DType,
    rows: usize,
    options: &Options,
) -> Result<Vec<u8>> {
    let size = dtype.itemsize();
    let mut records = zeros(rows, size)?;
    for (array, field) in columns.iter().zip(dtype.fields()) {
        let values =
            bytes(array, field.dtype(), options).map_err(|error| error.in_column(field.name()))?;
        let (offset, width) = (field.offset(), field.dtype().itemsize());
        if Some(values.len()) != rows.checked_mul(width) {
            return Err(unlike(array, field.dtype()).in_column(field.name()));
        }
        match width {
            0 => {}
            1 => scatter::<1>(&mut records, size, offset, &values),
            2 => scatter::<2>(&mut records, size, offset, &values),
            4 => scatter::<4>(&mut records, size, offset, &values),
            8 => scatter::<8>(&mut records, size, offset, &values),
            _ => {
                for (record, value) in
                    records.chunks_exact_mut(size).zip(values.chunks_exact(width))
                {
                    if let Some(slot) =
                        record.get_mut(offset..).and_then(|rest| rest.get_mut(..width))
                    {
                        slot.copy_from_slice(value);
                    }
                }
            }
        }
    }
    Ok(records)
}

/// Copies values of `N` bytes to this offset of each record. The compiler knows the size, and copies without a call.
fn scatter<const N: usize>(records: &mut [u8], size: usize, offset: usize, values: &[u8]) {
    for (record, value) in records.chunks_exact_mut(size.max(1)).zip(values.as_chunks::<N>().0) {
        if let Some(slot) = record.get_mut(offset..).and_then(|rest| rest.first_chunk_mut()) {
            *slot = *value;
        }
    }
}

fn zeros(rows: usize, size: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let count = rows.checked_mul(size).filter(|&count| bytes.try_reserve_exact(count).is_ok());
    let Some(count) = count else {
        return Err(Error::other(format!(
            "there is not enough memory for {rows} rows of {size} bytes"
        )));
    };
    bytes.resize(count, 0);
    Ok(bytes)
}

/// Returns the values of an array as elements of this dtype.
fn bytes(array: &ArrayRef, dtype: &DType, options: &Options) -> Result<Vec<u8>> {
    if let Some(dictionary) = array.as_any_dictionary_opt() {
        let values = arrow_select::take::take(dictionary.values(), dictionary.keys(), None)?;
        return bytes(&values, dtype, options);
    }
    let (base, shape) = dtype.flat();
    let mut values = if !shape.is_empty() {
        let list = array.as_fixed_size_list_opt().ok_or_else(|| unlike(array, dtype))?;
        let elements = usize::try_from(list.value_length()).unwrap_or_default();
        let inner = inner_dtype(list.values(), elements, base, &shape)?;
        bytes(list.values(), &inner, options).map_err(|error| error.of_rows(elements))?
    } else if let Some(scalar) = base.scalar() {
        let values = scalars(array, scalar, options)?;
        return cast(values, base);
    } else {
        let record = array.as_struct_opt().ok_or_else(|| unlike(array, dtype))?;
        let columns: Vec<&ArrayRef> = record.columns().iter().collect();
        records(&columns, base, record.len(), options)?
    };
    fill(array, &mut values, dtype, &[], options)?;
    Ok(values)
}

/// Returns the dtype of the values of a list of this many `elements`, which is stored as elements of `base` with these dimensions: `base` itself, or the dimensions
/// that are left if the values are lists, too.
fn inner_dtype(values: &ArrayRef, elements: usize, base: &DType, shape: &[usize]) -> Result<DType> {
    let is_base = base.scalar().is_some_and(|scalar| is_stored_as(scalar, values.data_type()));
    if is_base || !matches!(values.data_type(), DataType::FixedSizeList(..)) {
        return Ok(base.clone());
    }
    let used = (1..shape.len()).find(|&used| {
        shape.get(..used).and_then(product).is_some_and(|product| product == elements)
    });
    match used.and_then(|used| shape.get(used..)) {
        Some(inner) => Ok(base.array(inner)?),
        None => Err(unlike(values, base)),
    }
}

fn unlike(array: &ArrayRef, dtype: &DType) -> Error {
    Error::other(format!("{} has no values of dtype {dtype}", array.data_type()))
}

/// Writes `missing` for each null, or zeros if that is allowed.
fn fill(
    array: &ArrayRef,
    values: &mut [u8],
    dtype: &DType,
    missing: &[u8],
    options: &Options,
) -> Result<()> {
    let Some(nulls) = array.logical_nulls().filter(|nulls| nulls.null_count() > 0) else {
        return Ok(());
    };
    let size = dtype.itemsize();
    for row in (0..nulls.len()).filter(|&row| nulls.is_null(row)) {
        if missing.is_empty() && !options.fill_nulls {
            return Err(null(row, dtype));
        }
        let start = row.saturating_mul(size);
        if let Some(value) = values.get_mut(start..).and_then(|rest| rest.get_mut(..size)) {
            value.fill(0);
            value.iter_mut().zip(missing).for_each(|(to, from)| *to = *from);
        }
    }
    Ok(())
}

fn null(row: usize, dtype: &DType) -> Error {
    let reason = format!(
        "a null, and {} has no missing value; Options::fill_nulls makes it zero or empty",
        dtype.descr()
    );
    Error::other(reason).in_row(row)
}

/// Converts values from the dtype they have to the one that is wanted. Only the byte order and the unit of times differ.
fn cast((bytes, from): (Vec<u8>, DType), to: &DType) -> Result<Vec<u8>> {
    if from == *to {
        return Ok(bytes);
    }
    let rows = bytes.len().checked_div(from.itemsize()).unwrap_or_default();
    Ok(DynArray::new(from, [rows], Order::C, bytes)?.cast(to)?.into_bytes())
}

/// Returns the values as elements of the dtype that is closest to the scalar, and that dtype.
fn scalars(array: &ArrayRef, scalar: &Scalar, options: &Options) -> Result<(Vec<u8>, DType)> {
    let dtype = DType::from(*scalar);
    let (own, rows) = (native(scalar), array.len());
    let filled = |array: &ArrayRef, mut values: Vec<u8>, dtype: DType, missing: &[u8]| {
        fill(array, &mut values, &dtype, missing, options)?;
        Ok((values, dtype))
    };
    let float = |bits: DataType| match bits {
        DataType::Float16 => 0x7e00u16.to_ne_bytes().to_vec(),
        DataType::Float32 => f32::NAN.to_ne_bytes().to_vec(),
        _ => f64::NAN.to_ne_bytes().to_vec(),
    };
    match (scalar.kind(), array.data_type()) {
        (ScalarKind::Bool, DataType::Boolean) => {
            let values = array.as_boolean().values().iter().map(u8::from).collect();
            filled(array, values, own, &[])
        }
        (ScalarKind::Int | ScalarKind::UInt, _) => filled(array, primitive(array), own, &[]),
        (ScalarKind::Float, DataType::Float64) if scalar.itemsize() > 8 => {
            let values = array.as_primitive::<arrow_array::types::Float64Type>();
            let values: Vec<LongDouble> =
                values.iter().map(|value| LongDouble::from(value.unwrap_or(f64::NAN))).collect();
            let array = DynArray::of(&values)?;
            let dtype = array.dtype().clone();
            Ok((array.into_bytes(), dtype))
        }
        (ScalarKind::Float, DataType::FixedSizeBinary(_)) => filled(array, raw(array), dtype, &[]),
        (ScalarKind::Float, bits) => filled(array, primitive(array), own, &float(bits.clone())),
        (ScalarKind::Complex, DataType::FixedSizeBinary(_)) => {
            filled(array, raw(array), dtype, &[])
        }
        (ScalarKind::Complex, DataType::FixedSizeList(..)) => {
            let halves = bytes(array.as_fixed_size_list().values(), &half(scalar)?, options)?;
            filled(array, halves, own, &[])
        }
        (ScalarKind::Complex, DataType::Struct(_)) => {
            let dtype = half(scalar)?;
            let (size, width) = (scalar.itemsize(), dtype.itemsize());
            let mut values = zeros(rows, size)?;
            for (part, offset) in array.as_struct().columns().iter().zip([0, width]) {
                let part = bytes(part, &dtype, options)?;
                match width {
                    4 => scatter::<4>(&mut values, size, offset, &part),
                    _ => scatter::<8>(&mut values, size, offset, &part),
                }
            }
            filled(array, values, own, &[])
        }
        (ScalarKind::DateTime(_) | ScalarKind::TimeDelta(_), data_type) => {
            let dtype = match time_dtype(data_type)? {
                Some(dtype) => dtype,
                None => own,
            };
            let counts = if let DataType::Interval(_) = data_type {
                nanoseconds(array)?
            } else if data_type.primitive_width() == Some(4) {
                let wider = |&count: &[u8; 4]| i64::from(i32::from_ne_bytes(count)).to_ne_bytes();
                primitive(array).as_chunks().0.iter().flat_map(wider).collect()
            } else {
                primitive(array)
            };
            filled(array, counts, dtype, &i64::MIN.to_ne_bytes())
        }
        (ScalarKind::Bytes | ScalarKind::Str, _) => Ok((text(array, scalar, options)?, dtype)),
        (ScalarKind::Void, DataType::Float32) => {
            let half = match scalar.byte_order() {
                Some(ByteOrder::Big) => u16::to_be_bytes,
                _ => u16::to_le_bytes,
            };
            let mut values = Vec::new();
            for (row, bits) in primitive(array).as_chunks::<4>().0.iter().enumerate() {
                let bits = f32::from_ne_bytes(*bits).to_bits();
                if bits & 0xffff != 0 && array.is_valid(row) {
                    let number = f32::from_bits(bits);
                    return Err(Error::other(format!("{number} has more digits than a bfloat16"))
                        .in_row(row));
                }
                let [high, low, ..] = bits.to_be_bytes();
                values.extend(half(u16::from_be_bytes([high, low])));
            }
            filled(array, values, dtype, &half(0x7fc0))
        }
        (ScalarKind::Void, DataType::FixedSizeBinary(_)) => filled(array, raw(array), dtype, &[]),
        (ScalarKind::Object, _) => Err(Error::other(
            "text with nulls becomes Python objects, which have no place in records; save the columns with write_npz",
        )),
        _ => Err(unlike(array, &dtype)),
    }
}

/// Returns the dtype of the real and the imaginary part. A null becomes NaN.
fn half(complex: &Scalar) -> Result<DType> {
    native_of(ScalarKind::Float, complex.itemsize() / 2)
}

/// Returns the dtype of the counts of Arrow's times, in the byte order of the machine; `None` for integers.
pub(crate) fn time_dtype(data_type: &DataType) -> Result<Option<DType>> {
    Ok(Some(match data_type {
        DataType::Date32 => days()?,
        DataType::Date64 => time(ScalarKind::DateTime, TimeUnit::Millisecond)?,
        DataType::Timestamp(unit, _) => time(ScalarKind::DateTime, *unit)?,
        DataType::Duration(unit) | DataType::Time32(unit) | DataType::Time64(unit) => {
            time(ScalarKind::TimeDelta, *unit)?
        }
        DataType::Interval(IntervalUnit::MonthDayNano) => {
            time(ScalarKind::TimeDelta, TimeUnit::Nanosecond)?
        }
        _ => return Ok(None),
    }))
}

/// Returns the nanoseconds of intervals of SQL, in which a day is 24 hours.
fn nanoseconds(array: &ArrayRef) -> Result<Vec<u8>> {
    const OF_DAY: i64 = 86_400_000_000_000;
    let mut bytes = Vec::new();
    for (row, interval) in array.as_primitive::<IntervalMonthDayNanoType>().iter().enumerate() {
        let count = match interval {
            None => Some(0),
            Some(interval) if interval.months == 0 => {
                let days = i64::from(interval.days).checked_mul(OF_DAY);
                days.and_then(|days| days.checked_add(interval.nanoseconds))
            }
            Some(_) => None,
        };
        let count = count.filter(|&count| count != i64::MIN).ok_or_else(|| {
            Error::other(
                "an interval of months, or of more than 292 years, is not a span of time; write one of days and shorter units",
            )
            .in_row(row)
        })?;
        bytes.extend(count.to_ne_bytes());
    }
    Ok(bytes)
}

/// Returns the bytes of primitive values; a null has any.
fn primitive(array: &ArrayRef) -> Vec<u8> {
    let data = array.to_data();
    let width = data.data_type().primitive_width().unwrap_or_default();
    part_of(&data, width)
}

/// Returns the bytes of binary values of one length.
fn raw(array: &ArrayRef) -> Vec<u8> {
    let data = array.to_data();
    let width = match data.data_type() {
        DataType::FixedSizeBinary(size) => usize::try_from(*size).unwrap_or_default(),
        _ => 0,
    };
    part_of(&data, width)
}

fn part_of(data: &arrow_data::ArrayData, width: usize) -> Vec<u8> {
    let bytes = data.buffers().first().map(|buffer| buffer.as_slice()).unwrap_or_default();
    let start = data.offset().saturating_mul(width);
    let end = start.saturating_add(data.len().saturating_mul(width));
    bytes.get(start..end).unwrap_or_default().to_vec()
}

/// Returns the text or the bytes of each row, if the array has such values.
pub(crate) fn texts(array: &ArrayRef) -> Option<Vec<Option<&[u8]>>> {
    fn text<'a>(values: impl Iterator<Item = Option<&'a str>>) -> Vec<Option<&'a [u8]>> {
        values.map(|value| value.map(str::as_bytes)).collect()
    }
    Some(match array.data_type() {
        DataType::Utf8 => text(array.as_string::<i32>().iter()),
        DataType::LargeUtf8 => text(array.as_string::<i64>().iter()),
        DataType::Utf8View => text(array.as_string_view().iter()),
        DataType::Binary => array.as_binary::<i32>().iter().collect(),
        DataType::LargeBinary => array.as_binary::<i64>().iter().collect(),
        DataType::BinaryView => array.as_binary_view().iter().collect(),
        _ => return None,
    })
}

/// Writes text or bytes, padded with zeros.
fn text(array: &ArrayRef, scalar: &Scalar, options: &Options) -> Result<Vec<u8>> {
    let dtype = DType::from(*scalar);
    let size = scalar.itemsize();
    let mut bytes = zeros(array.len(), size)?;
    let texts = texts(array).ok_or_else(|| unlike(array, &dtype))?;
    let encode = match scalar.byte_order() {
        Some(ByteOrder::Big) => u32::to_be_bytes,
        _ => u32::to_le_bytes,
    };
    // An element may have no bytes, and then its text is empty.
    let mut items = bytes.chunks_exact_mut(size.max(1));
    for (row, text) in texts.into_iter().enumerate() {
        let item = items.next().unwrap_or_default();
        let Some(text) = text else {
            if options.fill_nulls {
                continue;
            }
            return Err(null(row, &dtype));
        };
        if text.ends_with(&[0]) {
            let reason = "the value ends with a zero byte, which NumPy takes for padding; write it as FixedSizeBinary";
            return Err(Error::other(reason).in_row(row));
        }
        if scalar.kind() == ScalarKind::Bytes {
            item.iter_mut().zip(text).for_each(|(to, from)| *to = *from);
            continue;
        }
        let text = std::str::from_utf8(text)
            .map_err(|_| Error::other("the value is not UTF-8").in_row(row))?;
        for (point, char) in item.as_chunks_mut::<4>().0.iter_mut().zip(text.chars()) {
            *point = encode(u32::from(char));
        }
    }
    Ok(bytes)
}

/// Returns how the values of a scalar are stored, for both ways that the options choose from.
pub(crate) fn is_stored_as(scalar: &Scalar, data_type: &DataType) -> bool {
    let plain = Options::new();
    let mut other = Options::new();
    other.text_from_bytes(true).long_double_as_f64(true).bfloat16(true);
    [plain, other].iter().any(|options| match Values::of(scalar, options) {
        Ok(Values::Complex(part)) => match data_type {
            DataType::FixedSizeList(item, 2) => *item.data_type() == part,
            DataType::Struct(fields) => {
                let names = fields.iter().map(|field| field.name());
                names.eq(["re", "im"]) && fields.iter().all(|field| *field.data_type() == part)
            }
            _ => false,
        },
        Ok(values) => values.data_type() == *data_type,
        Err(_) => false,
    })
}
