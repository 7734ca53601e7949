//! Files as one Arrow stream, which is read while it is consumed.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use npy_arrow::{Batches, Options};
use npy_core::{DynArray, Objects, Reader};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::error::{exception, in_python, new};
use crate::interrupt;

/// The files of a scan.
#[pyclass(frozen)]
pub(crate) struct Stream {
    paths: Vec<PathBuf>,
    columns: Option<Vec<String>>,
}

#[pymethods]
impl Stream {
    #[new]
    fn open(paths: Vec<PathBuf>, columns: Option<Vec<String>>) -> Self {
        Stream { paths, columns }
    }

    /// The names of the columns.
    fn columns(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let files = py.detach(|| self.files())?;
        Ok(files.schema.fields().iter().map(|field| field.name().clone()).collect())
    }

    /// The stream as Arrow's PyCapsule interface defines it.
    fn capsule<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let files = py.detach(|| self.files())?;
        let stream = FFI_ArrowArrayStream::new(Box::new(files));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}

impl Stream {
    fn files(&self) -> PyResult<Files> {
        let Some(first) = self.paths.first() else {
            return Err(new("NpyFileNotFoundError", "no file matches; check the pattern"));
        };
        let first = self.batches(first)?;
        let schema = first.schema();
        let rest = self.paths.iter().skip(1).cloned().collect();
        Ok(Files { schema, current: Some(first), rest, columns: self.columns.clone() })
    }

    fn batches(&self, path: &Path) -> PyResult<Rows> {
        open(path, self.columns.as_deref()).map_err(|failure| match failure {
            Failure::Npy(error) => exception(error),
            Failure::Other(class, message) => new(class, message),
        })
    }
}

/// The batches of a file.
type Rows = Box<dyn RecordBatchReader + Send>;

/// Why a file has no batches.
enum Failure {
    Npy(npy_core::Error),
    Other(&'static str, String),
}

fn open(path: &Path, columns: Option<&[String]>) -> Result<Rows, Failure> {
    let reader = Reader::open(path).map_err(Failure::Npy)?;
    let failed = |error: npy_arrow::Error| {
        Failure::Other("NpyValueError", in_python(&format!("{}: {error}", path.display())))
    };
    let options = Options::new();
    if !reader.header().dtype().has_object() {
        let batches = Batches::new(reader, &options).map_err(failed)?;
        let Some(columns) = columns else { return Ok(Box::new(batches)) };
        let indices = indices(path, &batches.schema(), columns)?;
        return Ok(Box::new(batches.project(&indices).map_err(failed)?));
    }
    // The objects are one pickle, and become text at once.
    let array: DynArray = Objects::read_npy(path).map_err(Failure::Npy)?.into();
    let mut batch = npy_arrow::record_batch(&array, &options).map_err(failed)?;
    if let Some(columns) = columns {
        let indices = indices(path, &batch.schema(), columns)?;
        batch = batch.project(&indices).map_err(|error| failed(error.into()))?;
    }
    let schema = batch.schema();
    Ok(Box::new(RecordBatchIterator::new([Ok(batch)], schema)))
}

/// Returns the positions of columns.
fn indices(path: &Path, schema: &SchemaRef, columns: &[String]) -> Result<Vec<usize>, Failure> {
    let index = |column: &String| {
        schema.index_of(column).map_err(|_| {
            let known: Vec<&str> =
                schema.fields().iter().map(|field| field.name().as_str()).collect();
            let (path, known) = (path.display(), known.join(", "));
            Failure::Other(
                "NpyKeyError",
                format!("{path}: no column {column:?}; the columns are {known}"),
            )
        })
    };
    columns.iter().map(index).collect()
}

/// The batches of one file after the other.
struct Files {
    schema: SchemaRef,
    current: Option<Rows>,
    rest: VecDeque<PathBuf>,
    columns: Option<Vec<String>>,
}

/// Says how the columns of a file differ from those of the first one.
fn difference(found: &SchemaRef, first: &SchemaRef) -> String {
    let other =
        found.fields().iter().find(|field| !first.fields().iter().any(|known| known == *field));
    match (other, other.and_then(|field| first.field_with_name(field.name()).ok())) {
        (Some(field), Some(same)) => {
            let name = field.name();
            format!("column {name:?} is {}, and {}", field.data_type(), same.data_type())
        }
        (Some(field), None) => format!("it has a column {:?}, which is not", field.name()),
        (None, _) => "its columns are fewer, or in another order, than those".to_owned(),
    }
}

impl Files {
    fn open_next(&mut self, path: &Path) -> Result<(), ArrowError> {
        let batches = open(path, self.columns.as_deref()).map_err(|failure| {
            ArrowError::ExternalError(
                match failure {
                    Failure::Npy(error) => in_python(&error.to_string()),
                    Failure::Other(_, message) => message,
                }
                .into(),
            )
        })?;
        if batches.schema().fields() != self.schema.fields() {
            let path = path.display();
            let differs = difference(&batches.schema(), &self.schema);
            return Err(ArrowError::SchemaError(format!(
                "{path}: {differs} in the first file; scan files of one dtype, or name the columns that all have"
            )));
        }
        self.current = Some(batches);
        Ok(())
    }
}

impl Iterator for Files {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Err(error) = check_signals() {
                self.current = None;
                self.rest.clear();
                return Some(Err(error));
            }
            if let Some(batch) = self.current.as_mut()?.next() {
                let batch = batch.map_err(|error| match error {
                    ArrowError::ExternalError(inner) => {
                        ArrowError::ExternalError(in_python(&inner.to_string()).into())
                    }
                    other => other,
                });
                return Some(batch.and_then(|batch| batch.with_schema(Arc::clone(&self.schema))));
            }
            self.current = None;
            let path = self.rest.pop_front()?;
            if let Err(error) = self.open_next(&path) {
                self.rest.clear();
                return Some(Err(error));
            }
        }
    }
}

/// Ends the stream after Ctrl-C. Its consumer raises an exception of its own, so Python gets the signal once more, for after that.
fn check_signals() -> Result<(), ArrowError> {
    interrupt::check().map_err(|error| {
        Python::attach(|py| {
            let again = py.import("_thread").and_then(|it| it.call_method0("interrupt_main"));
            again.map_or_else(|error| error.write_unraisable(py, None), drop);
        });
        ArrowError::ExternalError(error.into())
    })
}

impl RecordBatchReader for Files {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}
