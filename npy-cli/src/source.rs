//! The array that an argument names, read in blocks of rows, after its slice.
//!
//! `Source::open(&target)` reads the header only. `source.header()` is that of the array after the slice; `source.rows()` is the length of
//! its first dimension (1 without dimensions). `source.skip(n)` and `source.next(n)` go through the rows: `next` returns a `DynArray` in C
//! order whose first dimension counts the rows that were read, also if the array has no dimensions. The cost is that of what is selected:
//! parts of large rows are read alone.
//!
//! `open(&target)` returns an `Input` instead: an archive (`npz::Reader<File>`), or the `npy_core::Reader` of an array, without the slice.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};

use npy_core::{
    ByteOrder, DType, DynArray, Header, Limits, ObjectRef, Objects, Order, ReadOptions, Reader, npz,
};

use crate::input;
use crate::output::{Failure, Of, Result};
use crate::target::{Index, Target};

/// A stream that cannot seek, after its first bytes were looked at.
type Stream = io::Chain<Cursor<Vec<u8>>, Box<dyn Read>>;

/// A file that was opened.
pub(crate) enum Input {
    Archive(npz::Reader<File>),
    Array(AnyReader),
}

/// The reader of an array, from wherever it comes.
pub(crate) enum AnyReader {
    File(Box<Reader<File>>),
    /// A member that is compressed.
    Member(Box<Reader<npz::Member<File>>>),
    /// Any other member.
    Stored(Box<Reader<npz::Member<File>>>),
    Stream(Box<Reader<Stream>>),
    /// An array in memory: of CSV, JSON or Python objects.
    Memory(Box<Reader<Cursor<Vec<u8>>>>),
}

/// Calls a method of whichever reader it is.
macro_rules! each {
    ($any:expr, $reader:ident => $call:expr) => {
        match $any {
            AnyReader::File($reader) => $call,
            AnyReader::Member($reader) | AnyReader::Stored($reader) => $call,
            AnyReader::Stream($reader) => $call,
            AnyReader::Memory($reader) => $call,
        }
    };
}

/// Opens a file, or standard input, and the member of it that the target names.
pub(crate) fn open(target: &Target) -> Result<Input> {
    let input = open_file(target)?;
    let Some(member) = &target.member else { return Ok(input) };
    match input {
        Input::Archive(archive) => {
            Ok(Input::Array(AnyReader::member(&archive, member).of(&target.path_text())?))
        }
        Input::Array(_) => Err(Failure::new(
            target.path_text(),
            format!("is an array, not an archive, and so has no member {member:?}"),
        )),
    }
}

fn open_file(target: &Target) -> Result<Input> {
    let name = target.path_text();
    if target.is_stdin() {
        return open_stream(Box::new(io::stdin()), &name);
    }
    let mut file = File::open(&target.path).of(&name)?;
    let metadata = file.metadata().of(&name)?;
    if metadata.is_dir() {
        return Err(Failure::new(name, "is a directory; name a file in it"));
    }
    if !metadata.is_file() {
        return open_stream(Box::new(file), &name);
    }
    let start = start_of(&mut file).of(&name)?;
    if let Some(form) = input::Form::of(&target.path).filter(|_| !is_known(&start)) {
        return open_text(target, &form, None);
    }
    let is_named_npz =
        target.path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npz"));
    if is_archive(&start) || is_named_npz && !is_known(&start) {
        return Ok(Input::Archive(npz::Reader::open(&target.path).of(&name)?));
    }
    Ok(Input::Array(AnyReader::File(Box::new(Reader::open(&target.path).of(&name)?))))
}

/// Opens a file of CSV or JSON, whose columns are read for what is wanted.
pub(crate) fn open_text(
    target: &Target,
    form: &input::Form,
    wanted: Option<input::Wanted<'_>>,
) -> Result<Input> {
    let name = target.path_text();
    let array = match target.is_stdin() {
        true => input::read(io::stdin(), form, &name, wanted)?,
        false => input::read(File::open(&target.path).of(&name)?, form, &name, wanted)?,
    };
    Ok(Input::Array(AnyReader::of_array(array, &name)?))
}

fn open_stream(mut stream: Box<dyn Read>, name: &str) -> Result<Input> {
    let start = start_of(&mut stream).of(&name)?;
    let is_archive = is_archive(&start);
    let mut stream = Cursor::new(start).chain(stream);
    if !is_archive {
        let reader = Reader::new(stream).of(&name)?;
        return Ok(Input::Array(AnyReader::Stream(Box::new(reader))));
    }
    // The directory of an archive is at its end, so all of it must have arrived.
    let mut file = tempfile::tempfile().of(&name)?;
    io::copy(&mut stream, &mut file).of(&name)?;
    file.flush().of(&name)?;
    file.seek(SeekFrom::Start(0)).of(&name)?;
    Ok(Input::Archive(npz::Reader::new(file).of(&name)?))
}

fn start_of(stream: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    stream.take(4).read_to_end(&mut start)?;
    Ok(start)
}

/// Returns true for the start of an array or an archive, whatever the name of the file.
fn is_known(start: &[u8]) -> bool {
    is_archive(start) || start.starts_with(b"\x93NUM")
}

fn is_archive(start: &[u8]) -> bool {
    start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06")
}

impl Input {
    /// Returns the only array of the file.
    pub(crate) fn into_array(self, target: &Target) -> Result<AnyReader> {
        match self {
            Input::Array(reader) => Ok(reader),
            Input::Archive(archive) => {
                AnyReader::member(&archive, only_member(&archive, target)?).of(&target.path_text())
            }
        }
    }
}

/// Returns the name of the only member of an archive.
fn only_member<'a>(archive: &'a npz::Reader<File>, target: &Target) -> Result<&'a str> {
    let names: Vec<&str> = archive.names().collect();
    match names[..] {
        [name] => Ok(name),
        [] => Err(Failure::new(target, "the archive is empty")),
        [first, ..] => {
            let (count, path) = (names.len(), target.path.display());
            let first = first.escape_debug();
            let message = format!("the archive has {count} members; name one: {path}::{first}");
            Err(Failure::new(target, message))
        }
    }
}

impl AnyReader {
    /// Reads an array that is in memory, in C order.
    fn of_array(array: DynArray, name: &str) -> Result<Self> {
        let (dtype, shape) = (array.dtype().clone(), array.shape().to_vec());
        let reader = Reader::headerless(Cursor::new(array.into_bytes()), dtype, shape);
        Ok(AnyReader::Memory(Box::new(reader.of(&name)?)))
    }

    /// Opens a member of an archive.
    pub(crate) fn member(archive: &npz::Reader<File>, name: &str) -> npy_core::Result<Self> {
        let reader = Box::new(archive.member(name)?);
        Ok(match archive.is_compressed(name)? {
            true => AnyReader::Member(reader),
            false => AnyReader::Stored(reader),
        })
    }

    pub(crate) fn header(&self) -> &Header {
        each!(self, reader => reader.header())
    }

    /// Returns the offset of the data in the file or the member.
    pub(crate) fn data_offset(&self) -> u64 {
        each!(self, reader => reader.data_offset())
    }

    /// Returns the next rows, in C order.
    pub(crate) fn read_rows(&mut self, rows: usize) -> npy_core::Result<DynArray> {
        each!(self, reader => reader.read_dyn_chunk(rows))
    }

    /// Reads the complete array.
    pub(crate) fn read_all(&mut self) -> npy_core::Result<DynArray> {
        each!(self, reader => reader.read_dyn())
    }

    /// Treats the array as one of one dimension, in the order of the file.
    pub(crate) fn flatten(self) -> npy_core::Result<Self> {
        Ok(match self {
            AnyReader::File(reader) => AnyReader::File(Box::new(reader.flatten()?)),
            AnyReader::Member(reader) => AnyReader::Member(Box::new(reader.flatten()?)),
            AnyReader::Stored(reader) => AnyReader::Stored(Box::new(reader.flatten()?)),
            AnyReader::Stream(reader) => AnyReader::Stream(Box::new(reader.flatten()?)),
            AnyReader::Memory(reader) => AnyReader::Memory(Box::new(reader.flatten()?)),
        })
    }

    /// Returns true if the reader can move to any row at no cost.
    fn can_seek(&self) -> bool {
        matches!(self, AnyReader::File(_) | AnyReader::Stored(_) | AnyReader::Memory(_))
    }

    /// Moves to a row; returns false if the reader cannot, as that of a compressed member.
    fn seek_to_row(&mut self, row: usize) -> npy_core::Result<bool> {
        match self {
            AnyReader::File(reader) => reader.seek_to_row(row)?,
            AnyReader::Memory(reader) => reader.seek_to_row(row)?,
            AnyReader::Stored(reader) => reader.seek_to_row(row)?,
            AnyReader::Member(_) | AnyReader::Stream(_) => return Ok(false),
        }
        Ok(true)
    }

    /// Returns true if the elements of a row are strided in the file.
    fn is_strided(&self) -> bool {
        let long = self.header().shape().iter().filter(|&&length| length != 1).count();
        self.header().order() == Order::Fortran && long > 1
    }
}

/// Reads the Python objects of a target, without its slice. `reader` is what `open` returned for it: a pipe cannot be opened again.
pub(crate) fn objects(reader: &mut AnyReader, target: &Target) -> Result<Objects> {
    let name = target.path_text();
    let mut limits = Limits::default();
    // A text of a fixed width beside the objects may be far wider than its values.
    limits.object_expansion = 1000;
    let mut options = ReadOptions::new();
    options.limits(limits);
    match reader {
        AnyReader::File(_) => options.read(&target.path).of(&name),
        AnyReader::Member(_) | AnyReader::Stored(_) if !target.is_stream() => {
            let archive = npz::ReadOptions::new().limits(limits).open(&target.path).of(&name)?;
            let member = match &target.member {
                Some(member) => member,
                None => only_member(&archive, target)?,
            };
            archive.read(member).of(&name)
        }
        // The pickle was not read yet; together with the header it is the file.
        _ => {
            let mut file = reader.header().to_bytes().of(&name)?;
            file.extend_from_slice(reader.read_all().of(&name)?.as_bytes());
            options.read_from(&file[..]).of(&name)
        }
    }
}

/// Returns a reader of an array with Python objects, in which each object is its index in the list that comes with it, and the dtype of the
/// elements with the objects.
pub(crate) fn split<'a>(
    objects: &'a Objects,
    target: &Target,
) -> Result<(AnyReader, DType, Vec<ObjectRef<'a>>)> {
    let name = target.to_string();
    let dtype = objects.header().dtype().with_byte_order(ByteOrder::Little);
    let (array, objects) = objects.split().of(&name)?;
    Ok((AnyReader::of_array(array, &name)?, dtype, objects))
}

/// An array after its slice.
pub(crate) struct Source {
    reader: AnyReader,
    name: String,
    /// The header after the slice.
    header: Header,
    /// The rows of the file that are selected; without dimensions, one.
    rows: Steps,
    /// The selection within each row: one for each further dimension of the file.
    inner: Vec<Steps>,
    layout: Layout,
    /// The next row to return, counted in the selection.
    next: usize,
    /// The number of items without bytes that were returned.
    empty: usize,
    /// The next unit that the reader would read: an element, or a row of `Layout::Rows`.
    at: usize,
    /// The data of a stream whose rows are selected in an order in which they do not arrive.
    loaded: Option<DynArray>,
}

/// How rows are read.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Layout {
    /// The reader is flat, and the elements of a row are contiguous.
    Contiguous,
    /// The reader is flat, and only parts of strided rows are selected: for each selected element of a row, those of all rows are read.
    Columns,
    /// The reader gathers strided rows.
    Rows,
}

/// Indices of one dimension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Steps {
    /// The length of the dimension in the file.
    length: usize,
    start: usize,
    pub(crate) count: usize,
    /// Not zero.
    step: i64,
    /// True if the dimension stays.
    is_kept: bool,
}

impl Steps {
    pub(crate) const fn all(length: usize) -> Self {
        Steps { length, start: 0, count: length, step: 1, is_kept: true }
    }

    fn is_all(&self) -> bool {
        *self == Steps { is_kept: self.is_kept, ..Steps::all(self.length) }
    }

    /// Applies an index as Python does.
    fn of(index: Index, length: usize, dimension: usize) -> Result<Self, String> {
        match index {
            Index::Ellipsis => Ok(Steps::all(length)),
            Index::At(at) => {
                let start = from_end(at, length).filter(|&at| at < length);
                let start = start.ok_or_else(|| {
                    format!("index {at} is out of range: dimension {dimension} has length {length}")
                })?;
                Ok(Steps { length, start, count: 1, step: 1, is_kept: false })
            }
            Index::Range { start, stop, step } if step > 0 => {
                let bound = |at: i64| from_end(at, length).unwrap_or(0).min(length);
                let (start, stop) = (start.map_or(0, bound), stop.map_or(length, bound));
                let stride = usize::try_from(step).unwrap_or(usize::MAX);
                let count = stop.saturating_sub(start).div_ceil(stride);
                Ok(Steps { length, start, count, step, is_kept: true })
            }
            Index::Range { start, stop, step } => {
                // One more than the index, so that the position before the first one is 0.
                let bound = |at: i64| match from_end(at, length) {
                    Some(at) => at.saturating_add(1).min(length),
                    None => 0,
                };
                let (start, stop) = (start.map_or(length, bound), stop.map_or(0, bound));
                let stride = usize::try_from(step.unsigned_abs()).unwrap_or(usize::MAX);
                let count = start.saturating_sub(stop).div_ceil(stride);
                let start = start.saturating_sub(1);
                Ok(Steps { length, start, count, step, is_kept: true })
            }
        }
    }

    fn stride(&self) -> usize {
        usize::try_from(self.step.unsigned_abs()).unwrap_or(usize::MAX)
    }

    /// Returns the position of an index that is less than `count`, so that nothing overflows.
    pub(crate) fn nth(&self, i: usize) -> usize {
        let offset = self.stride().saturating_mul(i);
        if self.step < 0 { self.start.saturating_sub(offset) } else { self.start + offset }
    }

    /// Returns the place of an index among those that are selected.
    pub(crate) fn find(&self, index: usize) -> Option<usize> {
        let offset = match self.step < 0 {
            true => self.start.checked_sub(index)?,
            false => index.checked_sub(self.start)?,
        };
        let is_step = offset.is_multiple_of(self.stride());
        Some(offset / self.stride()).filter(|&place| is_step && place < self.count)
    }
}

/// Returns a position that may count from the end; `None` if it is before the start.
fn from_end(at: i64, length: usize) -> Option<usize> {
    match usize::try_from(at.unsigned_abs()) {
        Ok(back) if at < 0 => length.checked_sub(back),
        Ok(at) => Some(at),
        Err(_) if at < 0 => None,
        Err(_) => Some(usize::MAX),
    }
}

/// Applies a slice to a shape.
fn select(shape: &[usize], slice: &[Index]) -> Result<Vec<Steps>, String> {
    let given = slice.iter().filter(|index| **index != Index::Ellipsis).count();
    if slice.len() > given + 1 {
        return Err("a slice has at most one `...`".into());
    }
    let Some(left) = shape.len().checked_sub(given) else {
        let dimensions = shape.len();
        return Err(format!(
            "the slice has {given} parts, but the array has {dimensions} dimensions"
        ));
    };
    let mut indices = Vec::new();
    for &index in slice {
        let count = if index == Index::Ellipsis { left } else { 1 };
        indices.extend(std::iter::repeat_n(index, count));
    }
    indices.resize(shape.len(), Index::Ellipsis);
    let numbered = indices.iter().zip(shape).enumerate();
    numbered.map(|(dimension, (&index, &length))| Steps::of(index, length, dimension)).collect()
}

/// Returns the number of scalars in an item. The recursion is as deep as the dtype, whose nesting is limited.
fn scalars(dtype: &DType) -> usize {
    if let Some((base, shape)) = dtype.sub_array() {
        return shape.iter().fold(scalars(base), |count, &n| count.saturating_mul(n));
    }
    let fields = dtype.fields().iter().map(|field| scalars(field.dtype()));
    fields.fold(1, usize::saturating_add)
}

/// A tiny file can have any number of items without bytes.
const MAX_EMPTY_ITEMS: usize = 1 << 20;
/// Rows of more bytes are not read completely if a part of them is enough.
const LARGE_ROW: usize = 1 << 16;

impl Source {
    /// Opens an array; only its header is read.
    pub(crate) fn open(target: &Target) -> Result<Self> {
        Source::of(open(target)?.into_array(target)?, target, usize::MAX)
    }

    /// Applies the slice of the target to an array. Of rows that are large, at least `columns` elements are selected if they have that many, and
    /// maybe no more.
    pub(crate) fn of(reader: AnyReader, target: &Target, columns: usize) -> Result<Self> {
        let name = target.to_string();
        let file = reader.header().clone();
        let mut selection = select(file.shape(), target.slice.as_deref().unwrap_or(&[]))
            .map_err(|message| Failure::new(&name, message))?;
        let mut missing = columns;
        for steps in selection.iter_mut().skip(1).rev() {
            steps.count = steps.count.min(missing);
            missing = missing.div_ceil(steps.count.max(1));
        }
        let shape: Vec<usize> =
            selection.iter().filter(|steps| steps.is_kept).map(|steps| steps.count).collect();
        let header = Header::new(file.dtype().clone(), shape, Order::C).of(&name)?;
        let is_all = selection.iter().all(|steps| steps.is_all());
        let header = if is_all && target.slice.is_none() { file.clone() } else { header };
        let mut steps = selection.into_iter();
        let rows = steps.next().unwrap_or(Steps::all(1));
        let inner: Vec<Steps> = steps.collect();
        let layout = match reader.is_strided() {
            false => Layout::Contiguous,
            true if reader.can_seek() && !inner.iter().all(Steps::is_all) => Layout::Columns,
            true => Layout::Rows,
        };
        let reader = match layout {
            Layout::Rows => reader,
            _ if file.dtype().has_object() => reader,
            _ => reader.flatten().of(&name)?,
        };
        Ok(Source {
            reader,
            name,
            header,
            rows,
            inner,
            layout,
            next: 0,
            at: 0,
            empty: 0,
            loaded: None,
        })
    }

    /// Returns the header of the array after the slice.
    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the name for messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the number of rows: the length of the first dimension that the reader steps along.
    pub(crate) fn rows(&self) -> usize {
        self.rows.count
    }

    /// Returns the index of the next row, counted in the selection.
    pub(crate) fn position(&self) -> usize {
        self.next
    }

    /// Returns the index in the file of a selected row.
    pub(crate) fn file_row(&self, row: usize) -> usize {
        self.rows.nth(row)
    }

    /// Returns the dimensions of a row.
    pub(crate) fn row_steps(&self) -> Vec<Steps> {
        self.inner.iter().copied().filter(|steps| steps.is_kept).collect()
    }

    /// Returns the shape of a row.
    pub(crate) fn row_shape(&self) -> Vec<usize> {
        self.row_steps().iter().map(|steps| steps.count).collect()
    }

    /// Returns the dtype of an element.
    pub(crate) fn dtype(&self) -> &DType {
        self.header.dtype()
    }

    /// Returns the number of elements of a row of the file.
    fn row_elements(&self) -> usize {
        self.inner.iter().fold(1, |product: usize, steps| product.saturating_mul(steps.length))
    }

    /// Returns the bytes of a row of the file.
    fn file_row_bytes(&self) -> usize {
        self.row_elements().saturating_mul(self.dtype().itemsize())
    }

    /// Returns the bytes of a selected row.
    pub(crate) fn row_bytes(&self) -> usize {
        let selected = self.inner.iter().map(|steps| steps.count);
        selected.fold(self.dtype().itemsize(), usize::saturating_mul)
    }

    /// Returns the number of rows that a block of about a quarter of a megabyte has.
    pub(crate) fn rows_per_block(&self) -> usize {
        let stride = self.rows.stride();
        let bytes = match self.is_sparse() {
            true => self.row_bytes(),
            false => self.file_row_bytes().saturating_mul(stride),
        };
        // Each read of strided rows takes one system call for each element of a row.
        let block: usize = if self.layout == Layout::Contiguous { 1 << 18 } else { 1 << 22 };
        // Items without bytes have text, too.
        let row = self.inner.iter().map(|steps| steps.count);
        let scalars = row.fold(scalars(self.dtype()), usize::saturating_mul);
        (block / bytes.max(scalars).max(1)).max(1)
    }

    /// Skips some rows; they are not read if the file can seek.
    pub(crate) fn skip(&mut self, rows: usize) {
        self.next = self.next.saturating_add(rows).min(self.rows.count);
    }

    /// Returns the next rows, at most `max`, in C order; `None` after the last one.
    pub(crate) fn next(&mut self, max: usize) -> Result<Option<DynArray>> {
        let count = max.min(self.rows.count - self.next);
        if count == 0 {
            return Ok(None);
        }
        if self.row_bytes() == 0 {
            let items = self.inner.iter().map(|steps| steps.count.max(1));
            self.empty = self.empty.saturating_add(items.fold(count, usize::saturating_mul));
            if self.empty > MAX_EMPTY_ITEMS {
                let rows = self.rows.count;
                let message = format!(
                    "its {rows} rows have no bytes, and more than {MAX_EMPTY_ITEMS} items without bytes are too many to go through; choose some with a slice"
                );
                return Err(Failure::new(&self.name, message));
            }
        }
        let array = self.read(count).of(&self.name)?;
        self.next += count;
        Ok(Some(array))
    }

    /// Reads all rows that are left, with the shape that the array has after its slice.
    pub(crate) fn read_all(&mut self) -> Result<DynArray> {
        let header = self.header.clone();
        let count = self.rows.count - self.next;
        let bytes = match count {
            0 => Vec::new(),
            _ => self.read(count).of(&self.name)?.into_bytes(),
        };
        self.next += count;
        DynArray::new(header.dtype().clone(), header.shape(), Order::C, bytes).of(&self.name)
    }

    /// Returns true if rows are far from each other, or only small parts of them are selected.
    fn is_sparse(&self) -> bool {
        let is_far = self.rows.stride() > 1;
        let is_part = !self.inner.iter().all(Steps::is_all);
        // A stream cannot go back within a row.
        let goes_back = self.inner.iter().any(|steps| steps.step < 0);
        if goes_back && !self.reader.can_seek() {
            return false;
        }
        let distance = self.file_row_bytes().saturating_mul(self.rows.stride());
        (is_far || is_part) && distance > LARGE_ROW
    }

    fn read(&mut self, count: usize) -> npy_core::Result<DynArray> {
        let first = self.rows.nth(self.next);
        let last = self.rows.nth(self.next + count - 1);
        let (low, span) = (first.min(last), first.abs_diff(last) + 1);
        let shape = [vec![count], self.row_shape()].concat();
        let mut bytes = Vec::new();
        if self.layout == Layout::Columns {
            self.read_columns(count, low, span, &mut bytes)?;
            return DynArray::new(self.dtype().clone(), shape, Order::C, bytes);
        }
        let unit = if self.layout == Layout::Rows { 1 } else { self.row_elements() };
        if self.is_sparse() {
            for i in self.next..self.next + count {
                let row = self.rows.nth(i);
                if self.layout == Layout::Rows {
                    let row = self.take(row, 1)?;
                    pick(row.as_bytes(), &self.inner, &mut bytes);
                } else {
                    let inner = self.inner.clone();
                    self.read_parts(row * unit, &inner, unit, &mut bytes)?;
                }
            }
        } else {
            let block = self.take(low.saturating_mul(unit), span.saturating_mul(unit))?;
            if span == count && self.rows.step > 0 && self.inner.iter().all(Steps::is_all) {
                return DynArray::new(self.dtype().clone(), shape, Order::C, block.into_bytes());
            }
            let size = self.file_row_bytes();
            for i in self.next..self.next + count {
                let start = (self.rows.nth(i) - low) * size;
                if let Some(row) = block.as_bytes().get(start..start + size) {
                    pick(row, &self.inner, &mut bytes);
                }
            }
        }
        DynArray::new(self.dtype().clone(), shape, Order::C, bytes)
    }

    /// Reads what is selected of a contiguous part of a row, which starts at an element of the file.
    fn read_parts(
        &mut self,
        start: usize,
        inner: &[Steps],
        elements: usize,
        out: &mut Vec<u8>,
    ) -> npy_core::Result<()> {
        let size = elements.saturating_mul(self.dtype().itemsize());
        if inner.iter().all(Steps::is_all) || size <= LARGE_ROW {
            let part = self.take(start, elements)?;
            pick(part.as_bytes(), inner, out);
            return Ok(());
        }
        let Some((steps, rest)) = inner.split_first() else { return Ok(()) };
        let stride = elements / steps.length.max(1);
        if steps.step == 1 && rest.iter().all(Steps::is_all) {
            let part = self.take(start + steps.start * stride, steps.count * stride)?;
            out.extend_from_slice(part.as_bytes());
            return Ok(());
        }
        for i in 0..steps.count {
            self.read_parts(start + steps.nth(i) * stride, rest, stride, out)?;
        }
        Ok(())
    }

    /// Reads selected elements of strided rows.
    fn read_columns(
        &mut self,
        count: usize,
        low: usize,
        span: usize,
        out: &mut Vec<u8>,
    ) -> npy_core::Result<()> {
        let itemsize = self.dtype().itemsize();
        let selected = self.inner.iter().map(|steps| steps.count).product::<usize>();
        out.resize(count * selected * itemsize, 0);
        let rows = self.rows;
        for column in 0..selected {
            // The position of the element in the file: the first dimension varies fastest.
            let (mut rest, mut offset) = (column, 0);
            let mut indices = vec![0; self.inner.len()];
            for (index, steps) in indices.iter_mut().zip(&self.inner).rev() {
                *index = steps.nth(rest % steps.count);
                rest /= steps.count;
            }
            for (index, steps) in indices.iter().zip(&self.inner).rev() {
                offset = offset * steps.length + index;
            }
            let run = self.take(offset * rows.length + low, span)?;
            for i in 0..count {
                let from = (rows.nth(self.next + i) - low) * itemsize;
                let to = (i * selected + column) * itemsize;
                out[to..to + itemsize].copy_from_slice(&run.as_bytes()[from..from + itemsize]);
            }
        }
        Ok(())
    }

    /// Reads units from this position on.
    fn take(&mut self, start: usize, count: usize) -> npy_core::Result<DynArray> {
        self.move_to(start)?;
        if let Some(all) = &self.loaded {
            return part_of(all, start, count);
        }
        let block = self.reader.read_rows(count)?;
        self.at = start + count;
        Ok(block)
    }

    /// Moves the reader.
    fn move_to(&mut self, unit: usize) -> npy_core::Result<()> {
        if unit == self.at || self.loaded.is_some() {
            return Ok(());
        }
        if self.reader.seek_to_row(unit)? {
            // Nothing was read.
        } else if unit < self.at || (self.rows.step < 0 && self.at == 0) {
            // The stream has passed the position, or will have: all of it is needed.
            let units = self.reader.header().shape().first().copied().unwrap_or(1);
            if self.at > 0 {
                // Rows only advance, unless the step is negative, which was seen before the first read.
                let reason = "the parts of this slice are not in the order of the stream; write it to a file first";
                return Err(npy_core::Error::custom(reason));
            }
            self.loaded = Some(self.reader.read_rows(units)?);
        } else {
            let itemsize = self.dtype().itemsize().max(1);
            let block = ((1 << 18) / itemsize).max(1);
            while self.at < unit {
                let count = block.min(unit - self.at);
                self.reader.read_rows(count)?;
                self.at += count;
            }
        }
        self.at = unit;
        Ok(())
    }
}

/// Appends the selected items of an array in C order.
fn pick(bytes: &[u8], selection: &[Steps], out: &mut Vec<u8>) {
    let Some((steps, rest)) =
        selection.split_first().filter(|_| !selection.iter().all(Steps::is_all))
    else {
        out.extend_from_slice(bytes);
        return;
    };
    let part = bytes.len() / steps.length.max(1);
    for i in 0..steps.count {
        let start = steps.nth(i) * part;
        if let Some(bytes) = bytes.get(start..start + part) {
            pick(bytes, rest, out);
        }
    }
}

/// Returns some units of an array in C order.
fn part_of(array: &DynArray, first: usize, count: usize) -> npy_core::Result<DynArray> {
    let shape = [&[count], array.shape().get(1..).unwrap_or_default()].concat();
    let units = array.shape().first().copied().unwrap_or(1).max(1);
    let size = array.as_bytes().len() / units;
    let bytes = array.as_bytes().get(first * size..(first + count) * size).unwrap_or_default();
    DynArray::new(array.dtype().clone(), shape, Order::C, bytes.to_vec())
}

#[cfg(test)]
mod tests {
    use npy_core::{NpyArray, Order, WriteNpy, npz};

    use super::{Source, Steps, select};
    use crate::output::{Failure, Result};
    use crate::target::Target;

    /// The items of an array in memory that a slice selects.
    struct Selection {
        rows: Steps,
        inner: Vec<Steps>,
    }

    impl Selection {
        /// Applies the slice of the target to a shape.
        fn of(shape: &[usize], target: &Target) -> Result<Self> {
            let selection = select(shape, target.slice.as_deref().unwrap_or(&[]));
            let mut steps = selection.map_err(|message| Failure::new(target, message))?.into_iter();
            let rows = steps.next().unwrap_or(Steps::all(1));
            Ok(Selection { rows, inner: steps.collect() })
        }

        /// Returns the number of rows.
        fn rows(&self) -> usize {
            self.rows.count
        }

        /// Returns the number of items of a row.
        fn row_items(&self) -> usize {
            self.inner.iter().map(|steps| steps.count).product()
        }

        /// Iterates over the indices of the items of a row, in C order.
        fn row(&self, row: usize) -> impl Iterator<Item = usize> {
            let row = self.rows.nth(row);
            (0..self.row_items()).map(move |item| {
                let (mut rest, mut index, mut stride) = (item, 0, 1);
                for steps in self.inner.iter().rev() {
                    index += steps.nth(rest % steps.count) * stride;
                    rest /= steps.count;
                    stride *= steps.length;
                }
                row * stride + index
            })
        }
    }

    /// Guards the numbers of columns: they are those in the file.
    #[test]
    fn an_index_is_found_where_it_is_selected() {
        for slice in ["::3", "1::2", "::-1", "5:0:-2", "3:3", "2"] {
            let target = Target::parse(format!("x[{slice}]").as_ref()).unwrap();
            let steps = select(&[7], &target.slice.unwrap()).unwrap()[0];
            let indices: Vec<usize> = (0..steps.count).map(|i| steps.nth(i)).collect();
            for index in 0..9 {
                assert_eq!(steps.find(index), indices.iter().position(|&i| i == index), "{slice}");
            }
        }
    }

    const SLICES: [&str; 12] = [
        "",
        "[2]",
        "[-1]",
        "[1:3]",
        "[::-1]",
        "[::2]",
        "[5:0:-2]",
        "[...,1]",
        "[:,::-1]",
        "[1:,1:2]",
        "[-3:-1,-1]",
        "[9:]",
    ];

    /// Reads an array in blocks of two rows.
    fn read(target: &str) -> Vec<u16> {
        let target = Target::parse(target.as_ref()).unwrap();
        let mut source = Source::open(&target).unwrap();
        let mut values = Vec::new();
        while let Some(block) = source.next(2).unwrap() {
            values.extend(block.to_vec::<u16>().unwrap());
        }
        values
    }

    /// Guards that each way to read selects what Python would: rows and parts of rows, in both orders, of files and archives, in rows
    /// that are small or so large that parts of them are read alone.
    #[test]
    fn slices_select_the_same_from_each_kind_of_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name).display().to_string();
        for shape in [vec![6, 4], vec![6, 3, 2], vec![3, 33_000], vec![3, 2, 17_000]] {
            let count = shape.iter().product();
            // In logical order, each element is its index, modulo a prime.
            let logical: Vec<u16> =
                (0..count).map(|i: usize| u16::try_from(i % 65_521).unwrap()).collect();
            let array = NpyArray::new(logical.clone(), shape.clone()).unwrap();
            for order in [Order::C, Order::Fortran] {
                let array = array.to_order(order);
                array.write_npy(path("x.npy")).unwrap();
                let mut archive =
                    npz::WriteOptions::new().deflate(1).create(path("x.npz")).unwrap();
                archive.write("x", &array).unwrap();
                archive.finish().unwrap();
                let mut archive = npz::Writer::create(path("stored.npz")).unwrap();
                archive.write("x", &array).unwrap();
                archive.finish().unwrap();
                for slice in SLICES {
                    let target = Target::parse(format!("x{slice}").as_ref()).unwrap();
                    let selection = Selection::of(&shape, &target).unwrap();
                    let indices = (0..selection.rows()).flat_map(|row| selection.row(row));
                    let expected: Vec<u16> = indices.map(|index| logical[index]).collect();
                    for file in ["x.npy", "x.npz::x", "stored.npz::x"] {
                        let found = read(&format!("{}{slice}", path(file)));
                        assert!(found == expected, "{file}{slice} of {shape:?} in {order:?}");
                    }
                }
            }
        }
    }
}
