//! One schema for files that differ.

use datafusion::arrow::datatypes::{Field, Schema};
use datafusion::common::exec_datafusion_err;
use datafusion::error::Result;
use npy_arrow::{DESCR, Options, schema};
use npy_core::dtype::{DType, ScalarKind};
use npy_core::{ByteOrder, DynArray, Order};

use crate::header::{File, external, listed};

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
        let columns = file.columns();
        self.check_common(&columns, path)?;
        for (name, dtype) in columns {
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
                            "{path}: the field {name:?} is {dtype}, in files before it {}, and neither type holds the values of both; state the columns that you need: CREATE EXTERNAL TABLE t (a BIGINT, b DOUBLE) …",
                            column.dtype
                        )
                    })?;
                }
            }
        }
        Ok(())
    }

    /// Refuses a file that has no column of the files before it: all their rows would be null in its columns, and the reverse.
    fn check_common(&self, columns: &[(&str, &DType)], path: &dyn std::fmt::Display) -> Result<()> {
        let is_known = |name: &str| self.fields.iter().any(|column| column.name == name);
        if self.fields.is_empty()
            || columns.is_empty()
            || columns.iter().any(|(name, _)| is_known(name))
        {
            return Ok(());
        }
        Err(exec_datafusion_err!(
            "{path}: it has no column of the files before it: its columns are {}, and theirs {}; name files of one kind, such as with a pattern",
            listed(columns.iter().map(|(name, _)| *name)),
            listed(self.fields.iter().map(|column| column.name.as_str()))
        ))
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
    let (Ok(record), Ok(to_record)) = (nested(from), nested(to)) else { return false };
    let mut item = vec![0; record.itemsize()];
    fill(from, &mut item);
    has_all_fields(from, to)
        && DynArray::new(record, [1], Order::C, item)
            .is_ok_and(|array| array.cast(&to_record).is_ok())
}

/// Sets an element to a value that no narrower type holds: text of full width, times of one unit.
fn fill(dtype: &DType, item: &mut [u8]) {
    if let Some((base, _)) = dtype.sub_array() {
        item.chunks_exact_mut(base.itemsize().max(1)).for_each(|item| fill(base, item));
        return;
    }
    for field in dtype.fields() {
        let range = field.offset()..field.offset() + field.dtype().itemsize();
        fill(field.dtype(), item.get_mut(range).unwrap_or_default());
    }
    let Some(scalar) = dtype.scalar() else { return };
    let is_big = scalar.byte_order() == Some(ByteOrder::Big);
    let mut set = |size: usize, value: u8| {
        for item in item.chunks_exact_mut(size) {
            let lowest = if is_big { item.last_mut() } else { item.first_mut() };
            lowest.into_iter().for_each(|byte| *byte = value);
        }
    };
    match scalar.kind() {
        ScalarKind::Bytes => set(1, b'a'),
        ScalarKind::Str => set(4, b'a'),
        ScalarKind::DateTime(_) | ScalarKind::TimeDelta(_) => set(8, 1),
        _ => {}
    }
}

/// Returns true if no field of a record is lost.
fn has_all_fields(from: &DType, to: &DType) -> bool {
    if let (Some((from, _)), Some((to, _))) = (from.sub_array(), to.sub_array()) {
        return has_all_fields(from, to);
    }
    from.fields().iter().all(|field| {
        let other = to.fields().iter().find(|other| other.name() == field.name());
        other.is_some_and(|other| has_all_fields(field.dtype(), other.dtype()))
    })
}

/// Returns the dtype of a column of the table, as its metadata state it.
pub(crate) fn dtype_of(field: &Field) -> Option<DType> {
    field.metadata().get(DESCR)?.parse().ok()
}
