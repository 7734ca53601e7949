//! One schema for files that differ.

use datafusion::arrow::datatypes::{Field, Schema};
use datafusion::common::exec_datafusion_err;
use datafusion::error::Result;
use npy_arrow::{DESCR, Options, schema};
use npy_core::DynArray;
use npy_core::Order;
use npy_core::dtype::DType;

use crate::header::{File, external};

/// The fields of all files so far.
#[derive(Default)]
pub(crate) struct Merged {
    fields: Vec<Column>,
    files: usize,
}

struct Column {
    name: String,
    dtype: DType,
    files: usize,
}

impl Merged {
    /// Adds the columns of a file. A column that other files have, too, gets the wider of both types.
    pub(crate) fn add(&mut self, file: &File, path: &dyn std::fmt::Display) -> Result<()> {
        self.files += 1;
        for (name, dtype) in file.columns() {
            match self.fields.iter_mut().find(|column| column.name == name) {
                None => self.fields.push(Column {
                    name: name.to_owned(),
                    dtype: dtype.clone(),
                    files: 1,
                }),
                Some(column) => {
                    column.files += 1;
                    column.dtype = wider(&column.dtype, dtype).ok_or_else(|| {
                        exec_datafusion_err!(
                            "{path}: the field {name:?} is {dtype}, in files before it {}, and neither type holds the values of both",
                            column.dtype
                        )
                    })?;
                }
            }
        }
        Ok(())
    }

    /// Returns the schema. A field that is not in all files may be null.
    pub(crate) fn schema(&self, options: &Options) -> Result<Schema> {
        let column = |column: &Column| -> Result<Field> {
            let field = field_of(&column.name, &column.dtype, options)?;
            let is_nullable = field.is_nullable() || column.files < self.files;
            Ok(field.with_nullable(is_nullable))
        };
        let fields = self.fields.iter().map(column).collect::<Result<Vec<_>>>()?;
        Ok(Schema::new(fields))
    }
}

/// Returns the column of a dtype.
pub(crate) fn field_of(name: &str, dtype: &DType, options: &Options) -> Result<Field> {
    // A record would become its fields.
    let dtype = if dtype.is_record() { nested(dtype)? } else { dtype.clone() };
    let schema = schema(&dtype, options).map_err(external)?;
    Ok(schema.field(0).clone().with_name(name))
}

/// Returns a record with the one field `value`.
fn nested(dtype: &DType) -> Result<DType> {
    format!("[('value', {})]", dtype.descr()).parse().map_err(external)
}

/// Returns the type that holds the values of both.
fn wider(a: &DType, b: &DType) -> Option<DType> {
    if a == b || fits(b, a) {
        return Some(a.clone());
    }
    fits(a, b).then(|| b.clone())
}

/// Returns true if all values of a dtype can be converted to another one without loss.
fn fits(from: &DType, to: &DType) -> bool {
    // Arrays have no sub-arrays as elements, but records do.
    let (Ok(from), Ok(to)) = (nested(from), nested(to)) else { return false };
    DynArray::new(from, [0], Order::C, Vec::new()).is_ok_and(|array| array.cast(&to).is_ok())
}

/// Returns the dtype of a column of the table, as its metadata state it.
pub(crate) fn dtype_of(field: &Field) -> Option<DType> {
    field.metadata().get(DESCR)?.parse().ok()
}
