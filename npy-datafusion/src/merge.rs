//! One schema for files that differ.

use std::collections::BTreeSet;

use datafusion::arrow::datatypes::{Field, Schema};
use datafusion::common::exec_datafusion_err;
use datafusion::error::Result;
use npy_arrow::{DESCR, Options, VALUE, schema};
use npy_core::Cast;
use npy_core::dtype::{DType, ScalarKind};

use crate::header::{File, external, listed};

/// The fields of all files so far.
pub(crate) struct Merged<'o> {
    options: &'o Options,
    fields: Vec<Column>,
    files: usize,
    /// One for each group of files that share columns with each other and not with the rest.
    kinds: Vec<Kind>,
}

struct Kind {
    /// The first file.
    path: String,
    columns: BTreeSet<String>,
}

struct Column {
    name: String,
    dtype: DType,
    files: usize,
}

impl<'o> Merged<'o> {
    pub(crate) fn new(options: &'o Options) -> Self {
        Merged { options, fields: Vec::new(), files: 0, kinds: Vec::new() }
    }

    /// Adds the columns of a file. A column that other files have, too, gets the wider of both types.
    pub(crate) fn add(&mut self, file: &File, path: &dyn std::fmt::Display) -> Result<()> {
        self.files += 1;
        let columns = file.columns();
        // Without rows, nothing is null.
        if file.rows > 0 && !columns.is_empty() {
            self.add_kind(columns.iter().map(|(name, _)| *name), path);
        }
        for (name, dtype) in columns {
            match self.fields.iter_mut().find(|column| column.name == name) {
                None => self.fields.push(Column {
                    name: name.to_owned(),
                    dtype: dtype.clone(),
                    files: 1,
                }),
                Some(column) => {
                    column.files += 1;
                    column.dtype = wider(&column.dtype, dtype, self.options).ok_or_else(|| {
                        let advice = advice(&column.dtype, dtype);
                        exec_datafusion_err!(
                            "{path}: the field {name:?} is {dtype}, in files before it {}, and neither type holds the values of both; {advice}",
                            column.dtype
                        )
                    })?;
                }
            }
        }
        Ok(())
    }

    /// Adds the columns of a file to the kind that has one of them, which joins kinds that have had none in common so far.
    fn add_kind<'c>(
        &mut self,
        columns: impl Iterator<Item = &'c str> + Clone,
        path: &dyn std::fmt::Display,
    ) {
        let mut kind = Kind { path: path.to_string(), columns: BTreeSet::new() };
        let mut is_first = true;
        self.kinds.retain_mut(|other| {
            if !columns.clone().any(|name| other.columns.contains(name)) {
                return true;
            }
            if std::mem::take(&mut is_first) {
                kind.path = std::mem::take(&mut other.path);
            }
            kind.columns.append(&mut other.columns);
            false
        });
        kind.columns.extend(columns.map(str::to_owned));
        self.kinds.push(kind);
    }

    /// Refuses files of more than one kind: the columns of each kind would be null in all rows of the others.
    fn check_kinds(&self) -> Result<()> {
        let [first, other, ..] = &self.kinds[..] else { return Ok(()) };
        Err(exec_datafusion_err!(
            "{}: it has no column in common with {}: it has {}, and that file {}; select files of one kind, for example 'dir/ticks-*.npy'",
            other.path,
            first.path,
            listed(other.columns.iter().map(String::as_str)),
            listed(first.columns.iter().map(String::as_str))
        ))
    }

    /// Returns the schema. A field that is not in all files may be null.
    pub(crate) fn schema(&self) -> Result<Schema> {
        self.check_kinds()?;
        let column = |column: &Column| -> Result<Field> {
            let field = field_of(&column.name, &column.dtype, self.options)?;
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
    let column = match dtype.is_record() {
        true => DType::record([(VALUE, dtype.clone())]).map_err(external)?,
        false => dtype.clone(),
    };
    let schema = schema(&column, options).map_err(external)?;
    Ok(schema.field(0).clone().with_name(name))
}

/// Returns the type that holds the values of both.
pub(crate) fn wider(a: &DType, b: &DType, options: &Options) -> Option<DType> {
    if a == b || fits(b, a, options) {
        return Some(a.clone());
    }
    fits(a, b, options).then(|| b.clone())
}

/// Returns how to read files without a type that holds the values of both.
fn advice(a: &DType, b: &DType) -> &'static str {
    use ScalarKind::{Float, Int, UInt};
    let kinds = a.scalar().zip(b.scalar()).map(|(a, b)| (a.kind(), b.kind()));
    match kinds {
        Some((Int | UInt, Int | UInt)) => {
            "declare all columns that you need, this one as DECIMAL(38, 0), which has all integers (DOUBLE would round those beyond 2^53): CREATE EXTERNAL TABLE t (…) STORED AS NPY LOCATION '…'"
        }
        Some((Int | UInt | Float, Int | UInt | Float)) => {
            "declare all columns that you need, this one as DOUBLE, which rounds integers beyond 2^53: CREATE EXTERNAL TABLE t (…) STORED AS NPY LOCATION '…'"
        }
        _ if wider(a, b, Options::new().text_from_bytes(true)).is_some() => {
            "both are text by --text, or by OPTIONS ('text_from_bytes' 'true')"
        }
        _ if wider(a, b, Options::new().bfloat16(true)).is_some() => {
            "raw bytes without an order are numbers of bfloat16 by OPTIONS ('void' 'bfloat16')"
        }
        _ => "select files of one kind, for example 'dir/ticks-*.npy'",
    }
}

/// Returns true if all values of a dtype can be converted to another one without loss.
fn fits(from: &DType, to: &DType, options: &Options) -> bool {
    use ScalarKind::{Bytes, Str};
    match from.scalar().zip(to.scalar()).map(|(from, to)| (from.kind(), to.kind())) {
        Some((Bytes, Str)) => options.names().any(|name| name == "text_from_bytes"),
        _ => from.converts_to(to, Cast::Lossless).is_ok() && keeps(from, to, options),
    }
}

/// Returns true if no field is lost, no text becomes shorter, and no time coarser: a lossless cast would refuse such values one by one. Raw bytes
/// without an order are a number if an option says so; bytes of a number are not raw ones, which would have either order.
fn keeps(from: &DType, to: &DType, options: &Options) -> bool {
    use ScalarKind::{Bytes, DateTime, Str, TimeDelta, Void};
    let ((from, _), (to, _)) = (from.flat(), to.flat());
    let Some((from, to)) = from.scalar().zip(to.scalar()) else {
        let other = |field: &npy_core::Field| to.field(field.name());
        return from.fields().iter().all(|field| {
            other(field).is_some_and(|other| keeps(field.dtype(), other.dtype(), options))
        });
    };
    match (from.kind(), to.kind()) {
        (Void, Void) => match (from.byte_order(), to.byte_order()) {
            (None, Some(_)) => options.names().any(|name| name == "bfloat16"),
            (from, to) => from.is_some() == to.is_some(),
        },
        (Bytes | Str, _) => from.itemsize() <= to.itemsize(),
        (DateTime(Some(from)), DateTime(Some(to))) => to.holds(from),
        (TimeDelta(Some(from)), TimeDelta(Some(to))) => to.holds(from),
        _ => true,
    }
}

/// Returns true if a value has a time in it.
pub(crate) fn has_time(dtype: &DType) -> bool {
    let (base, _) = dtype.flat();
    match base.scalar() {
        Some(scalar) => {
            matches!(scalar.kind(), ScalarKind::DateTime(_) | ScalarKind::TimeDelta(_))
        }
        None => base.fields().iter().any(|field| has_time(field.dtype())),
    }
}

/// Returns the dtype of a column of the table, as its metadata state it.
pub(crate) fn dtype_of(field: &Field) -> Option<DType> {
    field.metadata().get(DESCR)?.parse().ok()
}
