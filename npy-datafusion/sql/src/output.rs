//! Rows as a table, as CSV, or as lines of JSON.

use std::collections::HashSet;
use std::io::{BufWriter, Stdout, Write, stdout};
use std::sync::Arc;

use futures::StreamExt;
use npy_datafusion::check_times;
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
    // Lines of JSON are rows of any result.
    if !is_first && !matches!(form, Form::Json) {
        writeln!(out)?;
    }
    match form {
        Form::Table => {
            let schema = rows.schema();
            let mut batches = vec![RecordBatch::new_empty(schema)];
            while let Some(batch) = rows.next().await {
                let batch = batch?;
                check_times(&batch)?;
                batches.push(batch);
            }
            let table = pretty_format_batches(&batches)?.to_string();
            for line in table.lines() {
                writeln!(out, "{}", printable(line))?;
            }
        }
        Form::Csv => write_csv(&mut out, rows).await?,
        Form::Json => {
            check_names(&rows.schema())?;
            // Each line has all columns.
            let json = WriterBuilder::new().with_explicit_nulls(true);
            let mut json = json.build::<_, LineDelimited>(&mut out);
            while let Some(batch) = rows.next().await {
                let batch = batch?;
                check_times(&batch)?;
                json.write(&batch)?;
            }
            json.finish()?;
        }
    }
    Ok(out.flush()?)
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

/// CSV has no lists and no records: they are text.
async fn write_csv(out: &mut BufWriter<Stdout>, mut rows: SendableRecordBatchStream) -> Result<()> {
    let schema = flat_schema(&rows.schema());
    let mut csv = csv::Writer::new(out);
    csv.write(&RecordBatch::new_empty(Arc::clone(&schema)))?;
    while let Some(batch) = rows.next().await {
        let batch = batch?;
        check_times(&batch)?;
        let columns = batch.columns().iter().map(flat_column).collect::<Result<Vec<_>>>()?;
        csv.write(&RecordBatch::try_new(Arc::clone(&schema), columns)?)?;
    }
    Ok(())
}

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
