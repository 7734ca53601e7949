//! `_file` and `_row`: the path of the file that a row is in, and its index there. No file has these columns: a scan makes them.
//!
//! They are columns of the schema of the files, which their metadata mark. So tables, plans and codecs know them as they know the others.

mod planner;

use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, DictionaryArray, Int64Array, RecordBatch, RecordBatchOptions, StringArray,
    UInt16Array,
};
use datafusion::arrow::compute::filter_record_batch;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::exec_datafusion_err;
use datafusion::error::Result;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::utils::{collect_columns, reassign_expr_columns};
use futures::StreamExt;
use futures::stream::BoxStream;

use crate::condition::Condition;

pub(crate) use planner::VirtualColumns;
pub use planner::{name_of_table, sql, statement_to_plan};

/// The path of the file, as a location names it.
pub(crate) const FILE: &str = "_file";

/// The index of the row in its file.
pub(crate) const ROW: &str = "_row";

/// The key of the metadata that mark a virtual column.
const MARK: &str = "npy.virtual";

type Batches = BoxStream<'static, Result<RecordBatch>>;

/// Returns the columns of files, and the virtual ones after them. A column of the files that has such a name stays.
pub(crate) fn with_virtual(files: &Schema, names: &Schema) -> Schema {
    let text = DataType::Dictionary(Box::new(DataType::UInt16), Box::new(DataType::Utf8));
    let marked = [(FILE, text), (ROW, DataType::Int64)].map(|(name, of_type)| {
        Field::new(name, of_type, false).with_metadata([(MARK.into(), name.into())].into())
    });
    let own = marked.into_iter().filter(|field| names.field_with_name(field.name()).is_err());
    let fields = files.fields().iter().cloned().chain(own.map(Arc::new));
    Schema::new_with_metadata(fields.collect::<Vec<_>>(), files.metadata().clone())
}

/// Returns true for a virtual column.
pub(crate) fn is_virtual(field: &Field) -> bool {
    field.metadata().contains_key(MARK)
}

/// A scan that returns virtual columns, or has conditions on them.
pub(crate) struct Numbered {
    /// The columns that are read of the file.
    pub(crate) read: Vec<usize>,
    /// All columns that are needed: those that are read, and the virtual ones.
    all: SchemaRef,
    /// For each of them, the column of the rows that are read; `None` for a virtual one.
    sources: Vec<Option<usize>>,
    /// The conditions on them.
    test: Option<Condition>,
    /// Those that are returned.
    returned: Vec<usize>,
}

impl Numbered {
    /// Returns the plan of a scan of these columns; `None` if no virtual column is needed.
    pub(crate) fn new(
        schema: &SchemaRef,
        wanted: &[usize],
        predicate: Option<&Arc<dyn PhysicalExpr>>,
    ) -> Result<Option<Self>> {
        let tested = predicate.into_iter().flat_map(collect_columns);
        let mut used: Vec<usize> = tested.map(|column| column.index()).collect();
        used.extend(wanted);
        used.sort_unstable();
        used.dedup();
        let all = Arc::new(schema.project(&used)?);
        if !all.fields().iter().any(|field| is_virtual(field)) {
            return Ok(None);
        }
        let mut read = Vec::new();
        let sources = used.iter().zip(all.fields()).map(|(&index, field)| {
            let is_read = !is_virtual(field);
            is_read.then(|| {
                read.push(index);
                read.len() - 1
            })
        });
        let sources = sources.collect();
        let test =
            predicate.map(|it| Condition::new(&reassign_expr_columns(Arc::clone(it), &all)?, &all));
        let returned = wanted.iter().filter_map(|it| used.binary_search(it).ok()).collect();
        Ok(Some(Numbered { read, all, sources, test: test.transpose()?, returned }))
    }

    /// Adds the virtual columns to the rows of a file from `first` on, and evaluates the conditions. All of these rows are there.
    pub(crate) fn apply(self: Arc<Self>, batches: Batches, first: u64, file: &str) -> Batches {
        let path: ArrayRef = Arc::new(StringArray::from(vec![file]));
        let mut next = first;
        let numbered = batches.map(move |batch| {
            let batch = batch?;
            let start = next;
            next += batch.num_rows() as u64;
            self.batch(&batch, start, &path)
        });
        numbered.boxed()
    }

    fn batch(&self, read: &RecordBatch, start: u64, path: &ArrayRef) -> Result<RecordBatch> {
        let count = read.num_rows();
        let column = |(source, field): (&Option<usize>, &Arc<Field>)| -> Result<ArrayRef> {
            Ok(match source {
                Some(index) => Arc::clone(read.column(*index)),
                None if field.name() == FILE => {
                    let keys = UInt16Array::from_value(0, count);
                    Arc::new(DictionaryArray::try_new(keys, Arc::clone(path))?)
                }
                None => Arc::new(Int64Array::from_iter_values(rows_from(start, count)?)),
            })
        };
        let columns = self.sources.iter().zip(self.all.fields()).map(column);
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(count));
        let mut all = RecordBatch::try_new_with_options(Arc::clone(&self.all), columns, &options)?;
        if let Some(test) = &self.test
            && let Some(passed) = test.passing(&all)?
        {
            all = filter_record_batch(&all, &passed)?;
        }
        Ok(all.project(&self.returned)?)
    }
}

/// Returns the indices of rows as SQL has them.
fn rows_from(start: u64, count: usize) -> Result<std::ops::Range<i64>> {
    let end = start.checked_add(count as u64).and_then(|end| i64::try_from(end).ok());
    let end = end.ok_or_else(|| exec_datafusion_err!("a file of more rows than _row can count"))?;
    Ok(start.cast_signed()..end)
}
