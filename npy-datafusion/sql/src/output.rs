//! Rows as a table, as CSV, or as lines of JSON.

use std::collections::HashSet;
use std::io::{BufWriter, Write, stdout};
use std::sync::Arc;

use futures::StreamExt;
use npy_datafusion::datafusion::arrow::array::{Array, ArrayRef, RecordBatch, StringArray};
use npy_datafusion::datafusion::arrow::csv;
use npy_datafusion::datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use npy_datafusion::datafusion::arrow::json::WriterBuilder;
use npy_datafusion::datafusion::arrow::json::writer::LineDelimited;
use npy_datafusion::datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use npy_datafusion::datafusion::arrow::util::pretty::pretty_format_batches;
use npy_datafusion::datafusion::common::plan_err;
use npy_datafusion::datafusion::error::Result;
use npy_datafusion::datafusion::execution::SendableRecordBatchStream;
use npy_datafusion::{DESCR, check_times};

/// The form of the output.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    Table,
    Csv,
    Json,
}

/// Prints rows. Only a table has all of them in memory, because its columns are as wide as their longest values.
pub(crate) async fn print(
    mut rows: SendableRecordBatchStream,
    form: Form,
    is_first: bool,
) -> Result<()> {
    let mut out = BufWriter::new(stdout());
    let schema = rows.schema();
    if let Form::Json = form {
        check_names(&schema)?;
    }
    remark_on_bytes(&schema);
    // A statement that fails before its first row prints nothing, not even its columns.
    let mut next = checked(rows.next().await)?;
    // Lines of JSON are rows of any result.
    if !is_first && !matches!(form, Form::Json) {
        writeln!(out)?;
    }
    match form {
        Form::Table => {
            let mut batches = vec![RecordBatch::new_empty(schema)];
            while let Some(batch) = next {
                batches.push(batch);
                next = checked(rows.next().await)?;
            }
            let table = pretty_format_batches(&batches)?.to_string();
            for line in table.lines() {
                writeln!(out, "{}", printable(line))?;
            }
        }
        Form::Csv => {
            let schema = flat_schema(&schema);
            out.write_all(&csv_of(&RecordBatch::new_empty(Arc::clone(&schema)), true)?)?;
            while let Some(batch) = next {
                let columns =
                    batch.columns().iter().map(flat_column).collect::<Result<Vec<_>>>()?;
                let batch = RecordBatch::try_new(Arc::clone(&schema), columns)?;
                out.write_all(&csv_of(&batch, false)?)?;
                next = checked(rows.next().await)?;
            }
        }
        Form::Json => {
            while let Some(batch) = next {
                out.write_all(&json_of(&batch)?)?;
                next = checked(rows.next().await)?;
            }
        }
    }
    Ok(out.flush()?)
}

/// Returns true for long doubles as bytes. Complex ones are always bytes.
pub(crate) fn is_long_double(field: &Field) -> bool {
    let descr = field.metadata().get(DESCR).map(|it| it.trim_matches('\''));
    descr.is_some_and(|it| it.ends_with("f12") || it.ends_with("f16"))
        && matches!(field.data_type(), DataType::FixedSizeBinary(_))
}

/// The option that makes numbers of long doubles.
pub(crate) const AS_NUMBERS: &str = "npy('x.npy', 'long_double_as_f64', 'true')";

/// Tells that bytes of the dtype S, and long doubles, are in hexadecimal, as the writers of text have them.
pub(crate) fn remark_on_bytes(schema: &Schema) {
    let is_text = |field: &&Arc<Field>| {
        let descr = field.metadata().get(DESCR);
        *field.data_type() == DataType::Binary
            && descr.is_some_and(|it| it.trim_matches('\'').starts_with("|S"))
    };
    let find = |is: &dyn Fn(&&Arc<Field>) -> bool| schema.fields().iter().find(is);
    for (field, remedy) in [
        (find(&is_text), "--text reads them as text".to_owned()),
        (
            find(&|field| is_long_double(field)),
            format!("they are long doubles, and numbers by {AS_NUMBERS}"),
        ),
    ] {
        let Some(field) = field else { continue };
        let remark = format!(
            "the bytes of the column {:?} are printed in hexadecimal; {remedy}",
            field.name()
        );
        eprintln!("npy sql: {}", printable(&remark));
    }
}

/// Returns a batch of a result whose times can be printed.
fn checked(batch: Option<Result<RecordBatch>>) -> Result<Option<RecordBatch>> {
    let Some(batch) = batch.transpose()? else { return Ok(None) };
    check_times(&batch)?;
    Ok(Some(batch))
}

/// Returns the rows of a batch as CSV, in memory: the error of Arrow's writer does not tell that whoever reads the output has closed it.
fn csv_of(batch: &RecordBatch, has_header: bool) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    csv::WriterBuilder::new().with_header(has_header).build(&mut bytes).write(batch)?;
    Ok(bytes)
}

/// Returns a line for each row of a batch, with all columns.
fn json_of(batch: &RecordBatch) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let json = WriterBuilder::new().with_explicit_nulls(true);
    let mut json = json.build::<_, LineDelimited>(&mut bytes);
    json.write(batch)?;
    json.finish()?;
    Ok(bytes)
}

/// Refuses columns of one name: a reader of JSON has one value for a key.
fn check_names(schema: &Schema) -> Result<()> {
    let mut seen = HashSet::new();
    match schema.fields().iter().find(|field| !seen.insert(field.name())) {
        None => Ok(()),
        Some(field) => {
            let name = field.name();
            plan_err!(
                "two columns are called {name:?}, and JSON has one value for a key; give one another name: SELECT a.x AS ax, b.x"
            )
        }
    }
}

/// Returns the schema of CSV, which has no lists and no records: they are text.
fn flat_schema(schema: &SchemaRef) -> SchemaRef {
    let fields = schema.fields().iter().map(|field| match field.data_type().is_nested() {
        true => Arc::new(Field::new(field.name(), DataType::Utf8, true)),
        false => Arc::clone(field),
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

fn flat_column(column: &ArrayRef) -> Result<ArrayRef> {
    if !column.data_type().is_nested() {
        return Ok(Arc::clone(column));
    }
    let options = FormatOptions::default();
    let formatter = ArrayFormatter::try_new(column.as_ref(), &options)?;
    let texts = (0..column.len()).map(|row| {
        if column.is_null(row) { Ok(None) } else { formatter.value(row).try_to_string().map(Some) }
    });
    let texts = texts.collect::<std::result::Result<Vec<_>, _>>()?;
    Ok(Arc::new(StringArray::from(texts)))
}

/// Escapes control characters, so that text from a file cannot control the terminal.
pub(crate) fn printable(text: &str) -> String {
    let mut printable = String::with_capacity(text.len());
    for char in text.chars() {
        match char.is_control() {
            true => printable.extend(char.escape_unicode()),
            false => printable.push(char),
        }
    }
    printable
}
