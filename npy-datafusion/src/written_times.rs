//! Times that have no text, in files of other formats.
//!
//! `COPY … TO 'x.json'` writes a time by its text, and Arrow has none for years beyond 262,000: DataFusion's writer puts the text of the error in the place of
//! the value. A rule puts a function before the writer that refuses such times.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::common::config::ConfigOptions;
use datafusion::common::{Column, exec_err};
use datafusion::error::Result;
use datafusion::logical_expr::dml::CopyTo;
use datafusion::logical_expr::{
    ColumnarValue, Expr, LogicalPlan, Projection, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl,
    Signature, Volatility,
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

/// Checks the times that other writers than ours get.
#[derive(Debug)]
pub(crate) struct CheckWrittenTimes;

impl AnalyzerRule for CheckWrittenTimes {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let LogicalPlan::Copy(copy) = &plan else { return Ok(plan) };
        let schema = copy.input.schema();
        let is_checked = schema.fields().iter().any(|field| has_time(field.data_type()));
        if !is_checked || ["npy", "npz"].contains(&&*copy.file_type.get_ext()) {
            return Ok(plan);
        }
        let function = ScalarUDF::new_from_impl(WithText {
            signature: Signature::any(1, Volatility::Immutable),
        });
        let column = |(table, field): (Option<&_>, &Arc<Field>)| {
            let column = Expr::Column(Column::from((table, field)));
            match has_time(field.data_type()) {
                true => function.call(vec![column]).alias_qualified(table.cloned(), field.name()),
                false => column,
            }
        };
        let checked =
            Projection::try_new(schema.iter().map(column).collect(), Arc::clone(&copy.input))?;
        let input = Arc::new(LogicalPlan::Projection(checked));
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
