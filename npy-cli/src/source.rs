//! An array after its slice, read in blocks of rows.
//!
//! | | |
//! |---|---|
//! | `source/open.rs` | `open(&target)`: the file, and its array or archive |
//! | `source/file.rs` | `AnyFile` and `Archive`: of this machine, or at a URL |
//! | `source/reader.rs` | `AnyReader`: the reader of an array, from wherever it comes |
//! | `source/safetensors.rs` | `Safetensors`: the tensors of such a file, each of them an array |
//! | `source/after.rs` | the bytes after an array in its file |
//! | `source/stream.rs` | `Stream`: standard input or a pipe, and the bytes after its array |
//! | `source/widened.rs` | raw bytes as the numbers of ml_dtypes that they are |
//! | `source/objects.rs` | `Parted`: an array, with its Python objects beside it |
//! | `source/selection.rs`, `source/steps.rs` | `Selection`: what a slice and the columns select, known from the header |
//! | `source/units.rs` | units of a reader by their positions |
//!
//! `Source::new(reader, selection, name)` reads nothing. `source.skip(n)` and `source.next(n)` go through the rows: `next` returns a `DynArray` in C
//! order whose first dimension counts the rows that were read, also if the array has no dimensions. The cost is that of what is selected:
//! parts of large rows are read alone.

mod after;
mod file;
mod objects;
mod open;
mod reader;
pub(crate) mod safetensors;
mod selection;
mod steps;
mod stream;
mod units;
mod widened;

use npy_core::{DType, DynArray, Header, Order};

pub(crate) use self::after::{
    After, bytes_after, follow, has_at, has_complete_slice, has_line_end, tell_of_rest,
    tell_of_text, truncation, what_follows,
};
pub(crate) use self::file::{AnyFile, Archive, size};
pub(crate) use self::objects::{Parted, objects, tell_of_none};
pub(crate) use self::open::{
    Input, begins_as_archive, file, is_binary, is_safetensors, near, open, open_text,
};
use self::reader::Seeking;
pub(crate) use self::reader::{AnyReader, Origin};
pub(crate) use self::selection::Selection;
pub(crate) use self::steps::Steps;
pub(crate) use self::stream::tell_of_streams;
use self::units::Units;
use crate::output::{Failure, Of, Result};
use crate::target::Target;

/// An array after its slice.
pub(crate) struct Source {
    units: Units,
    name: String,
    /// The dtype of an element.
    dtype: DType,
    selection: Selection,
    layout: Layout,
    /// True if the file ends early, but after all that is selected.
    is_truncated: bool,
    /// The next row to return, counted in the selection.
    next: usize,
    /// The number of items without bytes that were returned.
    empty: usize,
}

/// How rows are read.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Layout {
    /// The reader is flat, and the elements of a row are contiguous.
    Contiguous,
    /// The reader is flat, and rows are strided: for each selected element of a row, those of all rows are read.
    Columns,
    /// The reader gathers strided rows.
    Rows,
}

/// A tiny file can have any number of items without bytes.
pub(crate) const MAX_EMPTY_ITEMS: usize = 1 << 20;
/// Rows of more bytes are not read completely if a part of them is enough.
const LARGE_ROW: usize = 1 << 16;

impl Source {
    /// Opens an array; only its header is read.
    pub(crate) fn open(target: &Target) -> Result<Self> {
        Source::of(open(target)?.into_array(target)?, target)
    }

    /// Applies the slice of the target to an array.
    pub(crate) fn of(reader: AnyReader, target: &Target) -> Result<Self> {
        let selection = Selection::of(reader.header(), target)?;
        Source::new(reader, selection, target)
    }

    /// Reads what is selected of an array. The target is its name.
    pub(crate) fn new(reader: AnyReader, selection: Selection, target: &Target) -> Result<Self> {
        let name = target.to_string();
        let dtype = reader.header().dtype().clone();
        // Of a URL, the size would be another request.
        let is_truncated = !target.is_url() && has_complete_slice(&reader, target);
        let layout = match (reader.is_strided(), reader.seeking()) {
            (false, _) => Layout::Contiguous,
            _ if is_truncated => Layout::Columns,
            (true, Seeking::Chunks) if !dtype.has_object() => Layout::Columns,
            (true, Seeking::Free) if !selection.has_complete_rows() => Layout::Columns,
            (true, _) if selection.are_rows_joined => Layout::Columns,
            (true, _) => Layout::Rows,
        };
        let reader = match layout {
            Layout::Rows => reader,
            _ if dtype.has_object() => reader,
            _ => reader.flatten().of(&name)?,
        };
        let is_stream = reader.seeking() == Seeking::Never;
        let goes_back = selection.rows.step < 0 || layout == Layout::Columns && is_stream;
        let units = Units::new(reader, goes_back, layout == Layout::Columns);
        Ok(Source { units, name, dtype, selection, layout, is_truncated, next: 0, empty: 0 })
    }

    /// Returns the header of the array after the slice.
    pub(crate) fn header(&self) -> &Header {
        self.selection.header()
    }

    /// Returns what is selected.
    pub(crate) fn selection(&self) -> &Selection {
        &self.selection
    }

    /// Returns the name for messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the number of rows: the length of the first dimension after the slice, or 1.
    pub(crate) fn rows(&self) -> usize {
        self.selection.rows()
    }

    /// Returns the index of the next row, counted in the selection.
    pub(crate) fn position(&self) -> usize {
        self.next
    }

    /// Returns the index in the file of a selected row.
    pub(crate) fn file_row(&self, row: usize) -> usize {
        self.selection.number(row)
    }

    /// Returns the shape of a row.
    pub(crate) fn row_shape(&self) -> Vec<usize> {
        self.selection.row_steps().iter().map(|steps| steps.count).collect()
    }

    /// Returns the dtype of an element.
    pub(crate) fn dtype(&self) -> &DType {
        &self.dtype
    }

    /// Returns the bytes of a row of the file.
    fn file_row_bytes(&self) -> usize {
        self.selection.file_row_elements().saturating_mul(self.dtype.itemsize())
    }

    /// Returns the bytes of a selected row.
    pub(crate) fn row_bytes(&self) -> usize {
        self.selection.row_elements().saturating_mul(self.dtype.itemsize())
    }

    /// Returns the number of rows that a block of about a quarter of a megabyte has.
    pub(crate) fn rows_per_block(&self) -> usize {
        let bytes = match self.is_sparse() {
            true => self.row_bytes(),
            false => self.file_row_bytes().saturating_mul(self.selection.rows.stride()),
        };
        // Each read of strided rows takes one system call for each element of a row.
        let block: usize = if self.layout == Layout::Contiguous { 1 << 18 } else { 1 << 22 };
        // Items without bytes have text, too.
        let scalars = self.selection.row_elements().saturating_mul(scalars(&self.dtype));
        (block / bytes.max(scalars).max(1)).max(1)
    }

    /// Skips some rows; they are not read if the file can seek.
    pub(crate) fn skip(&mut self, rows: usize) {
        self.next = self.next.saturating_add(rows).min(self.rows());
    }

    /// Returns the next rows, at most `max`, in C order; `None` after the last one.
    pub(crate) fn next(&mut self, max: usize) -> Result<Option<DynArray>> {
        let count = max.min(self.rows() - self.next);
        if count == 0 {
            return Ok(None);
        }
        if self.row_bytes() == 0 {
            let items = self.selection.inner.iter().map(|steps| steps.count.max(1));
            self.empty = self.empty.saturating_add(items.fold(count, usize::saturating_mul));
            if self.empty > MAX_EMPTY_ITEMS {
                let rows = self.rows();
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
        let header = self.header().clone();
        let count = self.rows() - self.next;
        let bytes = match count {
            0 => Vec::new(),
            _ => self.read(count).of(&self.name)?.into_bytes(),
        };
        self.next += count;
        DynArray::new(header.dtype().clone(), header.shape(), Order::C, bytes).of(&self.name)
    }

    /// Returns true if rows are far from each other, or only small parts of them are selected.
    fn is_sparse(&self) -> bool {
        let is_far = self.selection.rows.stride() > 1;
        let is_part = !self.selection.has_complete_rows();
        // A stream cannot go back within a row.
        let goes_back = self.selection.inner.iter().any(|steps| steps.step < 0);
        if goes_back && !self.units.can_seek() {
            return false;
        }
        let distance = self.file_row_bytes().saturating_mul(self.selection.rows.stride());
        (is_far || is_part) && distance > LARGE_ROW
    }

    fn read(&mut self, count: usize) -> npy_core::Result<DynArray> {
        let rows = self.selection.rows;
        let first = rows.nth(self.next);
        let last = rows.nth(self.next + count - 1);
        let (low, span) = (first.min(last), first.abs_diff(last) + 1);
        let shape = [vec![count], self.row_shape()].concat();
        let mut bytes = Vec::new();
        if self.row_bytes() == 0 {
            return DynArray::new(self.dtype.clone(), shape, Order::C, bytes);
        }
        if self.layout == Layout::Columns {
            self.read_columns(count, low, span, &mut bytes)?;
            return DynArray::new(self.dtype.clone(), shape, Order::C, bytes);
        }
        let unit = match self.layout {
            Layout::Rows => 1,
            _ => self.selection.file_row_elements(),
        };
        let inner = self.selection.inner.clone();
        if self.is_sparse() {
            for i in self.next..self.next + count {
                let row = rows.nth(i);
                if self.layout == Layout::Rows {
                    let row = self.units.take(row, 1)?;
                    pick(row.as_bytes(), &inner, &mut bytes);
                } else {
                    self.read_parts(row * unit, &inner, unit, &mut bytes)?;
                }
            }
        } else {
            let block = self.take(low.saturating_mul(unit), span.saturating_mul(unit), &inner)?;
            if span == count && rows.step > 0 && self.selection.has_complete_rows() {
                return DynArray::new(self.dtype.clone(), shape, Order::C, block);
            }
            let size = self.file_row_bytes();
            for i in self.next..self.next + count {
                let start = (rows.nth(i) - low) * size;
                if let Some(row) = block.get(start..start + size) {
                    pick(row, &inner, &mut bytes);
                }
            }
        }
        DynArray::new(self.dtype.clone(), shape, Order::C, bytes)
    }

    /// Reads units that end with a row or a part of one. If the file is truncated, the elements after the selected ones are zeros.
    fn take(&mut self, start: usize, count: usize, inner: &[Steps]) -> npy_core::Result<Vec<u8>> {
        let unused = if self.is_truncated { selection::elements_after(inner) } else { 0 };
        let mut bytes = self.units.take(start, count.saturating_sub(unused))?.into_bytes();
        bytes.resize(bytes.len() + unused * self.dtype.itemsize(), 0);
        Ok(bytes)
    }

    /// Reads what is selected of a contiguous part of a row, which starts at an element of the file.
    fn read_parts(
        &mut self,
        start: usize,
        inner: &[Steps],
        elements: usize,
        out: &mut Vec<u8>,
    ) -> npy_core::Result<()> {
        let size = elements.saturating_mul(self.dtype.itemsize());
        if inner.iter().all(Steps::is_all) || size <= LARGE_ROW {
            let part = self.take(start, elements, inner)?;
            pick(&part, inner, out);
            return Ok(());
        }
        let Some((steps, rest)) = inner.split_first() else { return Ok(()) };
        let stride = elements / steps.length.max(1);
        if steps.step == 1 && rest.iter().all(Steps::is_all) {
            let part = self.units.take(start + steps.start * stride, steps.count * stride)?;
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
        let itemsize = self.dtype.itemsize();
        let (rows, inner) = (self.selection.rows, self.selection.inner.clone());
        let selected = self.selection.row_elements();
        out.resize(count * selected * itemsize, 0);
        for column in 0..selected {
            // The position of the element in the file: the first dimension varies fastest.
            let (mut rest, mut offset) = (column, 0);
            let mut indices = vec![0; inner.len()];
            for (index, steps) in indices.iter_mut().zip(&inner).rev() {
                *index = steps.nth(rest % steps.count);
                rest /= steps.count;
            }
            for (index, steps) in indices.iter().zip(&inner).rev() {
                offset = offset * steps.length + index;
            }
            let run = self.units.take(offset * rows.length + low, span)?;
            for i in 0..count {
                let from = (rows.nth(self.next + i) - low) * itemsize;
                let to = (i * selected + column) * itemsize;
                out[to..to + itemsize].copy_from_slice(&run.as_bytes()[from..from + itemsize]);
            }
        }
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

/// Returns the number of scalars in an item, and of lists without any. The recursion is as deep as the dtype, whose nesting is limited.
fn scalars(dtype: &DType) -> usize {
    if let Some((base, shape)) = dtype.sub_array() {
        return shape.iter().fold(scalars(base), |count, &n| count.saturating_mul(n.max(1)));
    }
    let fields = dtype.fields().iter().map(|field| scalars(field.dtype()));
    fields.fold(1, usize::saturating_add)
}

#[cfg(test)]
mod tests {
    use npy_core::{Header, NpyArray, Order, WriteNpy, npz};

    use super::{Selection, Source};
    use crate::target::Target;

    /// Returns the indices of the items that are selected of a row, in C order.
    fn indices(selection: &Selection, row: usize) -> impl Iterator<Item = usize> {
        let row = selection.rows.nth(row);
        (0..selection.row_elements()).map(move |item| {
            let (mut rest, mut index, mut stride) = (item, 0, 1);
            for steps in selection.inner.iter().rev() {
                index += steps.nth(rest % steps.count) * stride;
                rest /= steps.count;
                stride *= steps.length;
            }
            row * stride + index
        })
    }

    const SLICES: [&str; 14] = [
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
        "[1,1]",
        "[-1,::-2]",
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

    /// Guards that parts of a compressed member are read by its seek index: the columns of strided rows, and parts of long rows from the last element on.
    #[cfg(target_os = "linux")]
    #[test]
    fn slices_of_an_indexed_member_read_only_its_chunks() {
        /// Returns the bytes that this thread has read.
        fn bytes_read() -> usize {
            let status = std::fs::read_to_string("/proc/thread-self/io").unwrap();
            status.lines().next().unwrap().strip_prefix("rchar: ").unwrap().parse().unwrap()
        }
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.npz");
        // It does not shrink, so that the chunks have a size.
        let values = |i: u32| i.wrapping_mul(0x9e37_79b9).rotate_left(15).wrapping_mul(0x85eb_ca6b);
        let cases: [(_, _, &[&str]); 2] = [
            ([400_000, 8], Order::Fortran, &["[1000:1010,3]", "[-5:,1:3]", "[5::-1,7]"]),
            ([2, 1_600_000], Order::C, &["[:,800000:799990:-1]", "[1,::-800000]"]),
        ];
        for (shape, order, slices) in cases {
            let array = NpyArray::new((0..3_200_000).map(values).collect(), shape).unwrap();
            let mut archive = npz::WriteOptions::new().deflate(1).create(&path).unwrap();
            archive.write("x", &array.to_order(order)).unwrap();
            archive.finish().unwrap();
            for slice in slices {
                let before = bytes_read();
                let target = format!("{}::x{slice}", path.display());
                let target = Target::parse(target.as_ref()).unwrap();
                Source::open(&target).unwrap().read_all().unwrap();
                let bytes = bytes_read() - before;
                assert!(bytes < 5 << 20, "{slice} of {shape:?}: {bytes} bytes");
            }
        }
    }

    /// Guards that each way to read selects what Python would: rows and parts of rows, in both orders, of files and archives, in rows
    /// that are small or so large that parts of them are read alone.
    #[test]
    fn slices_select_the_same_from_each_kind_of_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name).display().to_string();
        let long = npy_tests::is_thorough().then(|| vec![3, 2, 17_000]);
        for shape in [vec![6, 4], vec![6, 3, 2], vec![3, 33_000]].into_iter().chain(long) {
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
                let mut options = npz::WriteOptions::new();
                let options = options.deflate(1).seek_every(4096);
                let mut archive = options.create(path("indexed.npz")).unwrap();
                archive.write("x", &array).unwrap();
                archive.finish().unwrap();
                let mut archive = npz::Writer::create(path("stored.npz")).unwrap();
                archive.write("x", &array).unwrap();
                archive.finish().unwrap();
                for slice in SLICES {
                    let target = Target::parse(format!("x{slice}").as_ref()).unwrap();
                    let header = Header::new("<u2".parse().unwrap(), &shape[..], Order::C).unwrap();
                    let selection = Selection::of(&header, &target).unwrap();
                    let selected = (0..selection.rows()).flat_map(|row| indices(&selection, row));
                    let expected: Vec<u16> = selected.map(|index| logical[index]).collect();
                    for file in ["x.npy", "x.npz::x", "indexed.npz::x", "stored.npz::x"] {
                        let found = read(&format!("{}{slice}", path(file)));
                        assert!(found == expected, "{file}{slice} of {shape:?} in {order:?}");
                    }
                }
            }
        }
    }
}
