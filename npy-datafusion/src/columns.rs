//! From the bytes of rows to columns: the condition first, and the other columns for the rows that pass.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayData, ArrayRef, AsArray, RecordBatch, RecordBatchOptions, make_array,
    new_null_array,
};
use datafusion::arrow::buffer::Buffer;
use datafusion::arrow::compute::kernels::numeric::sub;
use datafusion::arrow::compute::{CastOptions, cast, cast_with_options};
use datafusion::arrow::datatypes::{DataType, FieldRef, Fields, Float64Type, SchemaRef};
use datafusion::common::{ScalarValue, exec_datafusion_err, exec_err};
use datafusion::error::{DataFusionError, Result};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::utils::{collect_columns, reassign_expr_columns};
use npy_arrow::{Options, buffer_into_array, into_array};
use npy_core::dtype::DType;
use npy_core::{DynArray, Gather, Order};

use crate::condition::Condition;
use crate::floored::floored;
use crate::header::{Contents, File, external};
use crate::merge::{dtype_of, field_of, has_time};

/// The batches without a row that a scan reads before it returns an empty one, so that other tasks run and the query can be cancelled.
pub(crate) const MAX_SKIPPED: usize = 64;

/// The bytes of some rows of a part of a file.
#[derive(Clone, Copy)]
pub(crate) enum Bytes<'b> {
    /// Those of a buffer that is used again.
    Lent(&'b [u8]),
    /// Those of a buffer that a column may keep.
    Shared(&'b Buffer),
}

impl Bytes<'_> {
    /// Returns a buffer for a column.
    fn to_buffer(self) -> Buffer {
        match self {
            Bytes::Lent(bytes) => Buffer::from(bytes),
            Bytes::Shared(buffer) => buffer.clone(),
        }
    }
}

impl Deref for Bytes<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Lent(bytes) => bytes,
            Bytes::Shared(buffer) => buffer,
        }
    }
}

/// The columns of a scan in one file.
pub(crate) struct Columns {
    wanted: Vec<Column>,
    /// The columns that are returned.
    schema: SchemaRef,
    /// The condition, and the columns that it needs.
    test: Option<(Condition, SchemaRef, Vec<Column>)>,
}

/// A column of the table, in this file.
struct Column {
    /// The column with the type that its dtype has.
    field: FieldRef,
    /// The type that the table declares.
    to: DataType,
    from: From,
    options: Options,
}

/// The position of the values of a column. They are converted to the dtype of the table, if that is another.
enum From {
    /// A field of the records.
    Field(Gather, Option<DType>),
    /// The rows themselves, of a part of the file: a member of an archive, or the only array.
    Rows(usize, DType, Option<DType>),
    /// The file does not have it.
    Nowhere,
}

impl Columns {
    pub(crate) fn new(
        file: &File,
        schema: &SchemaRef,
        wanted: &[usize],
        predicate: Option<Arc<dyn PhysicalExpr>>,
        options: &Options,
    ) -> Result<Self> {
        let own = file.columns();
        let names: HashMap<&str, usize> =
            own.iter().enumerate().map(|(index, (name, _))| (*name, index)).collect();
        let column = |index: usize| {
            let field = &schema.fields()[index];
            let found = names.get(&**field.name());
            let found = found.and_then(|&index| Some((index, own.get(index)?.1)));
            Column::new(file, found, field, options)
        };
        let columns = |indices: &[usize]| {
            indices.iter().map(|&index| column(index)).collect::<Result<Vec<_>>>()
        };
        let test = predicate.map(|predicate| {
            let mut used: Vec<usize> =
                collect_columns(&predicate).iter().map(|column| column.index()).collect();
            used.sort_unstable();
            used.dedup();
            let own = Arc::new(schema.project(&used)?);
            let condition = Condition::new(&reassign_expr_columns(predicate, &own)?, &own)?;
            Ok::<_, DataFusionError>((condition, own, columns(&used)?))
        });
        Ok(Columns {
            wanted: columns(wanted)?,
            schema: Arc::new(schema.project(wanted)?),
            test: test.transpose()?,
        })
    }

    /// Returns true if nothing of a row is looked at.
    pub(crate) fn is_empty(&self) -> bool {
        self.wanted.is_empty() && self.test.is_none()
    }

    /// Returns a batch without rows.
    pub(crate) fn none(&self) -> RecordBatch {
        RecordBatch::new_empty(Arc::clone(&self.schema))
    }

    /// Returns the parts of the file that the condition needs, and those that the returned columns need.
    pub(crate) fn parts(&self) -> (Vec<usize>, Vec<usize>) {
        let parts = |columns: &[Column]| {
            let mut parts: Vec<usize> = columns.iter().filter_map(Column::part).collect();
            parts.sort_unstable();
            parts.dedup();
            parts
        };
        (
            self.test.as_ref().map_or(Vec::new(), |(_, _, columns)| parts(columns)),
            parts(&self.wanted),
        )
    }

    /// Returns the rows that meet the condition; `None` if there are none. The rows are the only part of the file.
    pub(crate) fn read(&self, rows: Bytes<'_>, count: u64) -> Result<Option<RecordBatch>> {
        let count = usize::try_from(count).map_err(external)?;
        let selected = self.select(&[rows], count)?;
        self.take(&[rows], count, &selected)
    }

    /// Evaluates the condition. Only the parts that it needs must be there.
    pub(crate) fn select(&self, parts: &[Bytes<'_>], count: usize) -> Result<Selected> {
        let Some((test, schema, columns)) = &self.test else { return Ok(Selected::All) };
        let rows = batch(schema, columns, parts, count, None)?;
        let Some(passed) = test.passing(&rows)? else { return Ok(Selected::All) };
        Ok(match passed.true_count() {
            0 => Selected::None,
            all if all == count => Selected::All,
            _ => {
                let rows =
                    passed.values().set_indices().map(u32::try_from).collect::<Result<Vec<_>, _>>();
                Selected::Rows(rows.map_err(external)?)
            }
        })
    }

    /// Returns the rows that were selected. Only the parts that the returned columns need must be there.
    pub(crate) fn take(
        &self,
        parts: &[Bytes<'_>],
        count: usize,
        selected: &Selected,
    ) -> Result<Option<RecordBatch>> {
        let rows = match selected {
            Selected::None => return Ok(None),
            Selected::All => None,
            Selected::Rows(rows) => Some(&rows[..]),
        };
        batch(&self.schema, &self.wanted, parts, count, rows).map(Some)
    }
}

/// The rows of a batch that meet the condition.
pub(crate) enum Selected {
    None,
    All,
    Rows(Vec<u32>),
}

fn batch(
    schema: &SchemaRef,
    columns: &[Column],
    parts: &[Bytes<'_>],
    count: usize,
    rows: Option<&[u32]>,
) -> Result<RecordBatch> {
    let count = rows.map_or(count, <[u32]>::len);
    let arrays = columns.iter().map(|column| column.read(parts, rows, count));
    let options = RecordBatchOptions::new().with_row_count(Some(count));
    let arrays = arrays.collect::<Result<Vec<_>>>()?;
    Ok(RecordBatch::try_new_with_options(Arc::clone(schema), arrays, &options)?)
}

impl Column {
    /// Takes the column of the file with its dtype, if there is one.
    fn new(
        file: &File,
        found: Option<(usize, &DType)>,
        field: &FieldRef,
        options: &Options,
    ) -> Result<Self> {
        let wanted = dtype_of(field);
        // If Arrow's type is the same (text of another width, another byte order), there is nothing to convert, except times: Arrow lacks
        // some units, and their counts are integers.
        let other = |own: &DType| -> Result<Option<DType>> {
            let Some(wanted) = &wanted else { return Ok(None) };
            let is_same = match own != wanted && has_time(own) {
                true => false,
                false => {
                    let own = field_of(field.name(), own, options)?;
                    own.data_type().equals_datatype(field.data_type())
                }
            };
            Ok((!is_same).then(|| wanted.clone()))
        };
        let from = match (found, &file.contents) {
            (None, _) => From::Nowhere,
            (Some((_, own)), Contents::Rows { dtype, .. }) if dtype.is_record() => {
                From::Field(Gather::new(dtype, field.name()).map_err(external)?, other(own)?)
            }
            (Some((part, own)), _) => From::Rows(part, own.clone(), other(own)?),
        };
        // A column whose type a statement declares has no dtype: it is converted by Arrow.
        let own = match (&wanted, found) {
            (None, Some((_, own))) => Arc::new(field_of(field.name(), own, options)?),
            _ => Arc::clone(field),
        };
        let to = field.data_type().clone();
        if let (None, Some((_, dtype))) = (&wanted, found)
            && !keeps_unit(dtype, own.data_type(), &to)
        {
            return Err(exec_datafusion_err!(
                "the column {:?} is {dtype}, whose unit a column of {to} does not keep; {}",
                field.name(),
                match own.data_type() {
                    DataType::Timestamp(..) | DataType::Date32 =>
                        "declare it as TIMESTAMP, DATE or VARCHAR",
                    DataType::Duration(_) => "declare it as INTERVAL or VARCHAR",
                    _ => "create the table without columns, and it has the type of its files",
                }
            ));
        }
        Ok(Column { field: own, to, from, options: options.clone() })
    }

    /// Returns the part of the file that the column needs.
    fn part(&self) -> Option<usize> {
        match &self.from {
            From::Field(..) => Some(0),
            From::Rows(part, ..) => Some(*part),
            From::Nowhere => None,
        }
    }

    /// Returns the values of these rows, or of all.
    fn read(&self, parts: &[Bytes<'_>], rows: Option<&[u32]>, count: usize) -> Result<ArrayRef> {
        let part = self.part().and_then(|part| parts.get(part));
        let records = part.copied().unwrap_or(Bytes::Lent(&[]));
        let (dtype, to, bytes) = match &self.from {
            From::Nowhere => return Ok(new_null_array(&self.to, count)),
            From::Rows(_, dtype, None) if rows.is_none() && !dtype.has_object() => {
                let bytes = records.to_buffer();
                let array = buffer_into_array(bytes, dtype, count, &self.field, &self.options);
                return self.finish(array.map_err(external)?);
            }
            From::Field(gather, to) => {
                let bytes = match rows {
                    Some(rows) => gather.rows(&records, rows),
                    None => gather.all(&records),
                };
                (gather.dtype(), to, bytes.map_err(external)?)
            }
            From::Rows(_, dtype, to) => {
                let size = dtype.itemsize();
                let bytes = match rows {
                    Some(rows) => {
                        rows.iter().flat_map(|&row| row_of(&records, row, size)).copied().collect()
                    }
                    None => records.to_vec(),
                };
                (dtype, to, bytes)
            }
        };
        let (base, shape) = flat(dtype, count);
        let mut array = DynArray::new(base, shape, Order::C, bytes).map_err(external)?;
        if let Some(to) = to {
            let (base, shape) = flat(to, count);
            if shape != array.shape() {
                return Err(exec_datafusion_err!(
                    "the column {:?} has other dimensions than in other files",
                    self.field.name()
                ));
            }
            array = array.cast(&base).map_err(|_| {
                let name = self.field.name();
                let advice = match has_time(dtype) || has_time(to) {
                    true if matches!(self.to, DataType::Timestamp(..)) => format!(
                        "or else declare the column as TIMESTAMP(0), (3) or (6), which cuts times finer than seconds, milliseconds or microseconds: CREATE EXTERNAL TABLE t ({name:?} TIMESTAMP(0)) STORED AS NPY LOCATION '…'; or select files of one unit"
                    ),
                    true => "or else select files of one unit".to_owned(),
                    false => format!(
                        "or else declare the column: CREATE EXTERNAL TABLE t ({name:?} DOUBLE) STORED AS NPY LOCATION '…'"
                    ),
                };
                exec_datafusion_err!(
                    "the column {name:?} is {dtype} in this file and {to} in the table, which does not hold all values of that type; if the file has changed, create the table again, {advice}"
                )
            })?;
        }
        self.finish(into_array(array, &self.field, &self.options).map_err(external)?)
    }

    /// Converts the values to the type that the table declares.
    fn finish(&self, array: ArrayRef) -> Result<ArrayRef> {
        let array = zeros_for_nulls(array)?;
        if *self.field.data_type() == self.to {
            return Ok(array);
        }
        let array = floored(array, &self.to)?;
        // A value that does not fit is an error, and not null.
        let strict = CastOptions { safe: false, ..CastOptions::default() };
        let values = cast_with_options(&array, &self.to, &strict);
        let values = values.map_err(Into::into).and_then(|values| {
            check_whole(&array, &values)?;
            Ok::<_, DataFusionError>(values)
        });
        values.map_err(|error| error.context(format!("the column {:?}", self.field.name())))
    }
}

/// Refuses floats with a fraction where the statement declares integers.
fn check_whole(floats: &ArrayRef, integers: &ArrayRef) -> Result<()> {
    match fraction(floats, integers)? {
        Some(value) => exec_err!(
            "{value} is no integer; declare it as DOUBLE, and round it in the query: CAST(round(x) AS BIGINT)"
        ),
        None => Ok(()),
    }
}

/// Returns a float or a decimal with a fraction that was converted to an integer, also to a decimal of no fraction: Arrow truncates or rounds them.
pub(crate) fn fraction(floats: &ArrayRef, integers: &ArrayRef) -> Result<Option<ScalarValue>> {
    match (floats.data_type(), integers.data_type()) {
        (DataType::FixedSizeList(..), DataType::FixedSizeList(..)) => {
            let (floats, integers) = (floats.as_fixed_size_list(), integers.as_fixed_size_list());
            return fraction(floats.values(), integers.values());
        }
        (DataType::FixedSizeList(..), DataType::List(_)) => {
            let (floats, integers) = (floats.as_fixed_size_list(), integers.as_list::<i32>());
            return fraction(floats.values(), integers.values());
        }
        (from, to)
            if (from.is_floating() || from.is_decimal())
                && (to.is_integer() || matches!(to, DataType::Decimal128(_, 0))) => {}
        _ => return Ok(None),
    }
    let back = cast_with_options(integers, floats.data_type(), &CastOptions::default())?;
    // 0.0 is equal to -0.0 by subtraction, and by the order of Arrow it is not.
    let differences = cast(&sub(floats, &back)?, &DataType::Float64)?;
    let mut differences = differences.as_primitive::<Float64Type>().iter();
    let row = differences.position(|it| it.is_some_and(|it| it != 0.0));
    row.map(|row| ScalarValue::try_from_array(floats, row)).transpose()
}

/// Returns true if a column of the type `to`, which a statement declares, has the times of a dtype, whose own type is `from`: a number would be a count
/// without its unit. Where Arrow lacks the unit, `from` is a number already.
fn keeps_unit(dtype: &DType, from: &DataType, to: &DataType) -> bool {
    use DataType::{
        Date32, Date64, Duration, FixedSizeList, Interval, LargeList, LargeUtf8, List, Struct,
        Timestamp, Utf8, Utf8View,
    };
    if !has_time(dtype) {
        return true;
    }
    match (from, to) {
        (FixedSizeList(from, _), FixedSizeList(to, _) | List(to) | LargeList(to)) => {
            keeps_unit(dtype.flat().0, from.data_type(), to.data_type())
        }
        (Struct(from), Struct(to)) => dtype.flat().0.fields().iter().all(|field| {
            let part = |fields: &Fields| {
                fields.find(field.name()).map(|(_, part)| part.data_type().clone())
            };
            match (part(from), part(to)) {
                (Some(from), Some(to)) => keeps_unit(field.dtype(), &from, &to),
                _ => !has_time(field.dtype()),
            }
        }),
        (Timestamp(..) | Date32, Timestamp(..) | Date32 | Date64)
        | (Duration(_), Duration(_) | Interval(_))
        | (Timestamp(..) | Date32 | Duration(_), Utf8 | LargeUtf8 | Utf8View) => true,
        _ => false,
    }
}

/// Writes zeros in place of NaT, which is null: functions compute with all values, and the lowest integer would overflow.
fn zeros_for_nulls(array: ArrayRef) -> Result<ArrayRef> {
    let data = array.to_data();
    let is_time = matches!(
        data.data_type(),
        DataType::Timestamp(..) | DataType::Duration(_) | DataType::Int64
    );
    let Some(nulls) = data.nulls().filter(|nulls| is_time && nulls.null_count() > 0) else {
        return Ok(array);
    };
    let counts = data.buffer::<i64>(0).iter().zip(nulls);
    let counts: Vec<i64> =
        counts.map(|(&count, is_some)| if is_some { count } else { 0 }).collect();
    let zeroed = ArrayData::builder(data.data_type().clone()).len(data.len());
    Ok(make_array(zeroed.add_buffer(counts.into()).nulls(Some(nulls.clone())).build()?))
}

fn row_of(records: &[u8], row: u32, size: usize) -> &[u8] {
    let start = row as usize * size;
    records.get(start..start + size).unwrap_or_default()
}

/// Returns the dtype without its sub-arrays, whose dimensions come after that of the rows.
pub(crate) fn flat(dtype: &DType, rows: usize) -> (DType, Vec<usize>) {
    let (base, inner) = dtype.flat();
    (base.clone(), [&[rows], &inner[..]].concat())
}
