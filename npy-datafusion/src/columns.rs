//! From the bytes of rows to columns: the condition first, and the other columns for the rows that pass.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, BooleanArray, RecordBatch, RecordBatchOptions, new_null_array,
};
use datafusion::arrow::compute::{cast, prep_null_mask_filter};
use datafusion::arrow::datatypes::{DataType, FieldRef, SchemaRef};
use datafusion::common::exec_datafusion_err;
use datafusion::error::{DataFusionError, Result};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::utils::{collect_columns, reassign_expr_columns};
use npy_arrow::{Options, VALUE, into_array};
use npy_core::dtype::DType;
use npy_core::{DynArray, Gather, Order};

use crate::header::external;
use crate::merge::{dtype_of, field_of};

/// The columns of a scan in one file.
pub(crate) struct Columns {
    wanted: Vec<Column>,
    /// The columns that are returned.
    schema: SchemaRef,
    /// The condition, and the columns that it needs.
    test: Option<(Arc<dyn PhysicalExpr>, SchemaRef, Vec<Column>)>,
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

/// Where the values of a column are.
enum From {
    /// A field of the records. It is converted to the dtype of the table, if that is another.
    Field(Gather, Option<DType>),
    /// The rows themselves.
    Rows(DType, Option<DType>),
    /// The file does not have it.
    Nowhere,
}

impl Columns {
    pub(crate) fn new(
        dtype: &DType,
        schema: &SchemaRef,
        wanted: &[usize],
        predicate: Option<Arc<dyn PhysicalExpr>>,
        options: &Options,
    ) -> Result<Self> {
        let column = |index: usize| Column::new(dtype, &schema.fields()[index], options);
        let columns = |indices: &[usize]| {
            indices.iter().map(|&index| column(index)).collect::<Result<Vec<_>>>()
        };
        let test = predicate.map(|predicate| {
            let mut used: Vec<usize> =
                collect_columns(&predicate).iter().map(|column| column.index()).collect();
            used.sort_unstable();
            used.dedup();
            let own = Arc::new(schema.project(&used)?);
            Ok::<_, DataFusionError>((
                reassign_expr_columns(predicate, &own)?,
                own,
                columns(&used)?,
            ))
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

    pub(crate) fn has_test(&self) -> bool {
        self.test.is_some()
    }

    /// Returns the rows that meet the condition; `None` if there are none.
    pub(crate) fn read(&self, records: &[u8], count: u64) -> Result<Option<RecordBatch>> {
        let count = usize::try_from(count).map_err(external)?;
        let batch = |schema: &SchemaRef, columns: &[Column], rows: Option<&[u32]>| {
            let count = rows.map_or(count, <[u32]>::len);
            let arrays = columns
                .iter()
                .map(|column| column.read(records, rows, count))
                .collect::<Result<Vec<_>>>()?;
            let options = RecordBatchOptions::new().with_row_count(Some(count));
            Ok::<_, DataFusionError>(RecordBatch::try_new_with_options(
                Arc::clone(schema),
                arrays,
                &options,
            )?)
        };
        let Some((test, schema, columns)) = &self.test else {
            return batch(&self.schema, &self.wanted, None).map(Some);
        };
        let passed = test.evaluate(&batch(schema, columns, None)?)?.into_array(count)?;
        let passed = passed.as_any().downcast_ref::<BooleanArray>();
        let passed = passed
            .ok_or_else(|| exec_datafusion_err!("a condition that is neither true nor false"))?;
        // A row whose condition is null does not pass.
        let passed =
            if passed.null_count() > 0 { prep_null_mask_filter(passed) } else { passed.clone() };
        match passed.true_count() {
            0 => Ok(None),
            all if all == count => batch(&self.schema, &self.wanted, None).map(Some),
            _ => {
                let rows =
                    passed.values().set_indices().map(u32::try_from).collect::<Result<Vec<_>, _>>();
                batch(&self.schema, &self.wanted, Some(&rows.map_err(external)?)).map(Some)
            }
        }
    }
}

impl Column {
    fn new(dtype: &DType, field: &FieldRef, options: &Options) -> Result<Self> {
        let wanted = dtype_of(field);
        // A column whose type a statement declares has no dtype: it is converted by Arrow.
        let own = match (&wanted, dtype.field(field.name())) {
            (Some(_), _) => Arc::clone(field),
            (None, Some(found)) => Arc::new(field_of(field.name(), found.dtype(), options)?),
            (None, None) => Arc::new(field_of(field.name(), dtype, options)?),
        };
        let other = |own: &DType| wanted.clone().filter(|wanted| wanted != own);
        let from = if dtype.field(field.name()).is_some() {
            let gather = Gather::new(dtype, field.name()).map_err(external)?;
            let to = other(gather.dtype());
            From::Field(gather, to)
        } else if !dtype.is_record() && field.name() == VALUE {
            From::Rows(dtype.clone(), other(dtype))
        } else {
            From::Nowhere
        };
        let to = field.data_type().clone();
        Ok(Column { field: own, to, from, options: options.clone() })
    }

    /// Returns the values of these rows, or of all.
    fn read(&self, records: &[u8], rows: Option<&[u32]>, count: usize) -> Result<ArrayRef> {
        let (dtype, to, bytes) = match &self.from {
            From::Nowhere => return Ok(new_null_array(&self.to, count)),
            From::Field(gather, to) => {
                let bytes = match rows {
                    Some(rows) => gather.rows(records, rows),
                    None => gather.all(records),
                };
                (gather.dtype(), to, bytes.map_err(external)?)
            }
            From::Rows(dtype, to) => {
                let size = dtype.itemsize();
                let bytes = match rows {
                    Some(rows) => {
                        rows.iter().flat_map(|&row| row_of(records, row, size)).copied().collect()
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
            array = array.cast(&base).map_err(external)?;
        }
        let array = into_array(array, &self.field, &self.options).map_err(external)?;
        if *self.field.data_type() == self.to { Ok(array) } else { Ok(cast(&array, &self.to)?) }
    }
}

fn row_of(records: &[u8], row: u32, size: usize) -> &[u8] {
    let start = row as usize * size;
    records.get(start..start + size).unwrap_or_default()
}

/// Returns the dtype without its sub-arrays, whose dimensions come after that of the rows.
pub(crate) fn flat(dtype: &DType, rows: usize) -> (DType, Vec<usize>) {
    let (mut base, mut shape) = (dtype, vec![rows]);
    while let Some((inner, dims)) = base.sub_array() {
        shape.extend_from_slice(dims);
        base = inner;
    }
    (base.clone(), shape)
}
