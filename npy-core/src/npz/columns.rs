//! Writes and reads records as archives with one array for each field.

use std::io::{self, Read, Seek, Write};

use super::name;
use super::read::Reader;
use super::write::Writer;
use crate::checked;
use crate::dtype::{ByteOrder, DType, Field};
use crate::dynamic::DynArray;
use crate::element::block::{self, BLOCK};
use crate::element::decode::decode_all;
use crate::element::record::NpyRecord;
use crate::element::type_info::TypeInfo;
use crate::element::type_name;
use crate::element::typed_plan::check_zero_size_items;
use crate::error::{Error, ErrorKind, Result};
use crate::header::Header;
use crate::limits::{Limits, MAX_ITEMSIZE};
use crate::plan::{self, Plan};
use crate::reserve;
use crate::shape::{self, Order};
use crate::write::ArrayWriter;
use crate::write::WriteNpy;

impl<W: Write> Writer<W> {
    /// Writes records as columns. Each field becomes a member with the name of the field and one row for each record.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::{NpyRecord, npz};
    ///
    /// #[derive(NpyRecord, Debug, PartialEq)]
    /// struct Pick {
    ///     station: u32,
    ///     position: [f32; 3],
    /// }
    ///
    /// let picks = [Pick { station: 7, position: [0.0, 1.0, 2.0] }, Pick { station: 9, position: [0.5; 3] }];
    /// let mut writer = npz::Writer::new(Cursor::new(Vec::new()))?;
    /// writer.write_columns(&picks)?;
    ///
    /// let reader = npz::Reader::new(writer.finish()?)?;
    /// assert_eq!(reader.read::<Vec<u32>>("station")?, [7, 9]);
    /// assert_eq!(reader.header("position")?.shape(), [2, 3]);
    /// assert_eq!(reader.read_columns::<Pick>()?, picks);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// All columns are built before the first is written, so this needs additional memory of the size of the records.
    ///
    /// # Errors
    ///
    /// The errors of [`write`](Self::write). If a value is invalid or a name is taken, no member is written.
    pub fn write_columns<T: NpyRecord>(&mut self, records: &[T]) -> Result<()> {
        let options = self.options.arrays.clone();
        let made = self.located(|writer| {
            let record = options.item::<T>();
            let columns = record.fields().iter().map(|field| (field.clone(), Vec::new())).collect();
            let mut columns = Columns { itemsize: record.itemsize(), columns };
            for (field, _) in &columns.columns {
                writer.check_name(field.name())?;
                if name::plain(field.name()) != field.name() {
                    let reason = "a column whose name ends with .npy could not be read again; rename the field";
                    let name = name::excerpt(field.name());
                    return Err(ErrorKind::MemberName { name, reason }.into());
                }
            }
            options.write_bytes(records, &mut columns)?;
            Ok(columns)
        });
        // The bytes already have their final byte order, so they must not be swapped again.
        let options = options.without_byte_order();
        for (field, bytes) in made?.columns {
            let (base, inner) = field.dtype().flat();
            let shape = [&[records.len()], &inner[..]].concat();
            let array = DynArray::new(base.clone(), shape, Order::C, bytes)?;
            self.add(field.name(), &mut |sink| {
                array.write_npy_array(ArrayWriter::new(&options, sink))
            })?;
        }
        Ok(())
    }
}

/// Splits the bytes of records into columns.
struct Columns {
    itemsize: usize,
    columns: Vec<(Field, Vec<u8>)>,
}

impl Write for Columns {
    /// Expects complete records.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let itemsize = self.itemsize.max(1);
        for (field, column) in &mut self.columns {
            let records = bytes.chunks_exact(itemsize).len();
            let size = checked::mul(records, field.dtype().itemsize());
            reserve::growing(column, size).map_err(io::Error::other)?;
        }
        // Works block by block, so that a block is still in the CPU cache when its last column is extracted.
        let block = BLOCK.checked_div(itemsize).unwrap_or(1).max(1).saturating_mul(itemsize);
        for block in bytes.chunks(block) {
            for (field, column) in &mut self.columns {
                for record in block.chunks_exact(itemsize) {
                    column.extend_from_slice(checked::slice(record, field.offset()..field.end()));
                }
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<R: Read + Seek> Reader<R> {
    /// Reads columns as records. Each field of the struct is read from the member of its name, which has one row for each record.
    ///
    /// Members for which the struct has no field are skipped. `#[npy(alias = "…")]`, `#[npy(default)]` and
    /// `#[npy(deny_unknown_fields)]` work as for a file of records. All columns are read before the records are made, which takes twice the
    /// memory of the records.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{NpyRecord, npz};
    ///
    /// #[derive(NpyRecord)]
    /// struct Pick {
    ///     station: u32,
    ///     time: f64,
    /// }
    ///
    /// let mut writer = npz::Writer::create("picks.npz")?;
    /// writer.write("time", &[1.5, 2.5])?;
    /// writer.write("station", &[7u32, 9])?;
    /// writer.finish()?;
    ///
    /// let picks: Vec<Pick> = npz::Reader::open("picks.npz")?.read_columns()?;
    /// assert_eq!((picks[1].station, picks[1].time), (9, 2.5));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`read`](Self::read), and [`ErrorKind::Shape`] for columns of different lengths. Names and headers are compared
    /// with the struct before any data is read.
    pub fn read_columns<T: NpyRecord>(&self) -> Result<Vec<T>> {
        let names = self.columns::<T>().map_err(|error| self.in_file(error))?;
        let mut headers = Vec::with_capacity(names.len());
        for name in names {
            let header = self.header(&name)?;
            headers.push((name, header));
        }
        let options = &self.options.arrays;
        let plan = || {
            let (record, count) = record(&headers)?;
            let plan = TypeInfo::of::<T>().item_plan(&record, options.allowed_cast())?;
            check_zero_size_items::<T>(&plan, count, options.limit())?;
            Ok((plan, count))
        };
        let (plan, count) = plan().map_err(|error| self.in_file(self.missing(error)))?;
        let mut columns = Vec::with_capacity(headers.len());
        for (name, _) in &headers {
            let array: DynArray = self.read(name)?;
            let column = match array.order() {
                Order::C => array,
                Order::Fortran => array.to_order(Order::C).map_err(|error| self.in_file(error))?,
            };
            columns.push(column);
        }
        let limits = self.options.arrays.limit();
        records(&plan, count, &columns, limits).map_err(|error| self.in_file(error))
    }

    /// Returns the names of the members that are fields of the struct. Other members are an error if the struct denies unknown fields.
    fn columns<T: NpyRecord>(&self) -> Result<Vec<String>> {
        let schema = T::__INTERNALS.schema(ByteOrder::Little);
        let mut fields: Vec<_> = schema.dtype.fields().iter().map(Field::name).collect();
        fields.extend(schema.rules.fields.iter().flat_map(|field| field.aliases).copied());
        let (names, others): (Vec<_>, Vec<_>) =
            self.names().partition(|name| fields.contains(name));
        match others.first() {
            Some(name) if schema.rules.deny_unknown => {
                Err(plan::unknown(name, plan::UNKNOWN).wanted_by(&type_name::<T>()))
            }
            _ => Ok(names.into_iter().map(str::to_owned).collect()),
        }
    }

    /// Replaces the error for a missing field with the error for a missing member.
    fn missing(&self, error: Error) -> Error {
        error.map_kind(|kind| match kind {
            ErrorKind::MissingField { name, .. } => {
                let members = name::list(self.names());
                ErrorKind::MissingMember { name, members }
            }
            kind => kind,
        })
    }
}

/// Decodes records from the rows of columns.
fn records<T: NpyRecord>(
    plan: &Plan,
    count: usize,
    columns: &[DynArray],
    limits: &Limits,
) -> Result<Vec<T>> {
    let row = |column: &DynArray| column.as_bytes().len().checked_div(count).unwrap_or(0);
    let sizes: Vec<_> = columns.iter().map(row).collect();
    decode_all(plan, 0..count, limits, |block, rows| {
        for row in rows {
            for (column, &size) in columns.iter().zip(&sizes) {
                let row = row..checked::add(row, 1);
                block.extend_from_slice(block::bytes_of(column.as_bytes(), row, size));
            }
        }
    })
}

/// Returns the dtype of a record with one field for each column, and the number of records.
fn record(columns: &[(String, Header)]) -> Result<(DType, usize)> {
    let mut fields = Vec::with_capacity(columns.len());
    let mut offset = 0usize;
    let mut first = None;
    for (name, column) in columns {
        column.without_objects().map_err(|error| error.in_member(name))?;
        let refused = |reason: &str| shape::invalid(column.shape(), reason).in_member(name);
        let Some((&rows, inner)) = column.shape().split_first() else {
            let reason = "a column needs a first dimension, with a row for each record";
            return Err(refused(reason));
        };
        let (other, others) = *first.get_or_insert((name, rows));
        if rows != others {
            return Err(refused(&format!("the column {other:?} has {others} rows")));
        }
        let end = offset.saturating_add(shape::bytes(inner, column.dtype().itemsize())?);
        if end > MAX_ITEMSIZE {
            let what = "rows of more than 2147483647 bytes".into();
            let needs = "reading the columns by themselves: npz::Reader::read";
            return Err(Error::from(ErrorKind::Unsupported { what, needs }).in_member(name));
        }
        let item = column.dtype().array(inner).map_err(|error| error.in_member(name))?;
        fields.push(Field::of(name, None, offset, item));
        offset = end;
    }
    Ok((DType::of_fields(fields, offset), first.map_or(0, |(_, rows)| rows)))
}
