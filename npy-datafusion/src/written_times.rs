//! Times that files of other formats cannot have.
//!
//! `COPY … TO 'x.json'` writes a time by its text, and Arrow has none for years beyond 262,000: DataFusion's writer puts the text of the error in the place of
//! the value. A rule puts a function before the writer that refuses such times. Parquet has no seconds, and DataFusion's writer puts their counts there, which are numbers. So they
//! become milliseconds.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Schema, TimeUnit};
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::common::config::ConfigOptions;
use datafusion::common::{Column, exec_err};
use datafusion::error::Result;
use datafusion::logical_expr::dml::CopyTo;
use datafusion::logical_expr::{
    ColumnarValue, Expr, LogicalPlan, Projection, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl,
    Signature, Volatility, cast,
};
use datafusion::optimizer::AnalyzerRule;

/// Refuses times that have no text, because their year is too far. A program that prints the rows of a query calls it first: Arrow's formatters write
/// the text of the error in the place of the value.
///
/// ```
/// # use std::sync::Arc;
/// use npy_datafusion::datafusion::arrow::array::{ArrayRef, RecordBatch, TimestampSecondArray};
///
/// let batch = |seconds: i64| {
///     let times: ArrayRef = Arc::new(TimestampSecondArray::from(vec![seconds]));
///     RecordBatch::try_from_iter([("t", times)])
/// };
/// assert!(npy_datafusion::check_times(&batch(1_700_000_000)?).is_ok());
/// assert!(npy_datafusion::check_times(&batch(i64::MAX / 1000)?).is_err());
/// # Ok::<(), npy_datafusion::datafusion::arrow::error::ArrowError>(())
/// ```
///
/// # Errors
///
/// If there is such a time.
pub fn check_times(batch: &RecordBatch) -> Result<()> {
    batch.columns().iter().try_for_each(check_column)
}

fn check_column(column: &ArrayRef) -> Result<()> {
    if !has_time(column.data_type()) {
        return Ok(());
    }
    // Within a list or a record, the error would be text.
    let options = FormatOptions::default().with_display_error(false);
    let formatter = ArrayFormatter::try_new(column.as_ref(), &options)?;
    for row in 0..column.len() {
        if let Err(error) = formatter.value(row).try_to_string() {
            return exec_err!(
                "a time has no text, since its year is too far ({error}); CAST(… AS BIGINT) is the count of such a time"
            );
        }
    }
    Ok(())
}

fn has_time(data_type: &DataType) -> bool {
    let field = Schema::new(vec![Field::new("", data_type.clone(), true)]);
    field.flattened_fields().iter().any(|part| part.data_type().is_temporal())
}

/// Returns a type with milliseconds in the place of seconds; `None` if it has no seconds.
fn in_milliseconds(of_type: &DataType) -> Option<DataType> {
    let part = |field: &FieldRef| {
        let of_type = in_milliseconds(field.data_type())?;
        Some(Arc::new(field.as_ref().clone().with_data_type(of_type)))
    };
    match of_type {
        DataType::Timestamp(TimeUnit::Second, zone) => {
            Some(DataType::Timestamp(TimeUnit::Millisecond, zone.clone()))
        }
        DataType::List(values) => part(values).map(DataType::List),
        DataType::FixedSizeList(values, length) => {
            part(values).map(|values| DataType::FixedSizeList(values, *length))
        }
        DataType::Struct(fields) => {
            let is_of_seconds = fields.iter().any(|field| part(field).is_some());
            let parts = fields.iter().map(|field| part(field).unwrap_or_else(|| Arc::clone(field)));
            is_of_seconds.then(|| DataType::Struct(parts.collect()))
        }
        _ => None,
    }
}

/// Checks and converts the times that other writers than ours get.
#[derive(Debug)]
pub(crate) struct CheckWrittenTimes;

impl AnalyzerRule for CheckWrittenTimes {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let LogicalPlan::Copy(copy) = &plan else { return Ok(plan) };
        let format = copy.file_type.get_ext();
        let function = ScalarUDF::new_from_impl(WithText {
            signature: Signature::any(1, Volatility::Immutable),
        });
        let written = |column: Expr, of_type: &DataType| match &*format {
            "npy" | "npz" => None,
            "parquet" => in_milliseconds(of_type).map(|to| cast(column, to)),
            _ => has_time(of_type).then(|| function.call(vec![column])),
        };
        let mut is_changed = false;
        let columns = copy.input.schema().iter().map(|(table, field)| {
            let column = Expr::Column(Column::from((table, field)));
            match written(column.clone(), field.data_type()) {
                Some(written) => {
                    is_changed = true;
                    written.alias_qualified(table.cloned(), field.name())
                }
                None => column,
            }
        });
        let columns = columns.collect();
        if !is_changed {
            return Ok(plan);
        }
        let written = Projection::try_new(columns, Arc::clone(&copy.input))?;
        let input = Arc::new(LogicalPlan::Projection(written));
        Ok(LogicalPlan::Copy(CopyTo { input, ..copy.clone() }))
    }

    fn name(&self) -> &str {
        "check_written_times"
    }
}

/// The function that returns its argument, or an error.
#[derive(Debug, PartialEq, Eq, Hash)]
struct WithText {
    signature: Signature,
}

impl ScalarUDFImpl for WithText {
    fn name(&self) -> &str {
        "npy_time_with_text"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        Ok(types.first().cloned().unwrap_or(DataType::Null))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [value] = &args.args[..] else { return exec_err!("a time to check is one column") };
        check_column(&value.to_array(args.number_rows)?)?;
        Ok(value.clone())
    }
}
