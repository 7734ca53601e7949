//! Layer 6: everything that reads.

mod records;
mod seek;
mod source;
mod straight;
mod text;
mod values;

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use crate::array::NpyArray;
#[cfg(feature = "npz")]
use crate::dtype::DType;
use crate::dynamic::DynArray;
use crate::element::block::{self, BLOCK, Buffers, Key};
use crate::element::fit::{self, Fit};
use crate::element::{Element, InvalidValue};
use crate::error::{Error, ErrorKind, Place, Result};
use crate::header::{self, Header, Version};
use crate::limits::{self, Limits};
use crate::plan::{Cast, Plan};
use crate::reserve;
use crate::shape::{self, Order};
use source::Source;

pub use records::Records;

/// What can be read from a `.npy` file in one call.
///
/// | type | takes |
/// |---|---|
/// | `Vec<T>`, `Box<[T]>` | one dimension |
/// | `[T; N]` | so many items |
/// | [`NpyArray<T>`](crate::NpyArray) | any rank |
/// | [`DynArray`](crate::DynArray) | any rank and any dtype |
/// | `bool`, `i8` … `f64`, `FixedStr<N>`, `DateTime64<U>` and their like | a single item (0-d) |
/// | `Vec<String>`, `NpyArray<String>`, `String` | text (`U`, or `S` that is UTF-8) of any width |
/// | `Vec<Vec<u8>>`, `NpyArray<Vec<u8>>` | bytes (`S`) of any width |
///
/// `T` is any [`Element`]; [`types`](crate::types) has them all, with their dtypes.
/// A `T` that is a sub-array (`[f32; 3]`) stands for the last dimensions of the array: `Vec<[f32; 3]>` takes shape
/// `(n, 3)`. From a file in Fortran order, where the parts of such an item are far apart, the items come out in C order; that
/// takes three times the memory of the array while it is read.
///
/// Records are matched by field name: the order of the fields is free, fields that the struct lacks are skipped.
/// Byte order and padding do not matter. [`ReadOptions`] has more.
pub trait ReadNpy: Sized {
    /// Reads the file.
    ///
    /// ```
    /// use npy_core::{ReadNpy, WriteNpy};
    ///
    /// # let dir = std::env::temp_dir().join(format!("npy-core-doc-{}", std::process::id()));
    /// # std::fs::create_dir_all(&dir)?;
    /// # let path = dir.join("read.npy");
    /// [1.0, 2.0, 3.0].write_npy(&path)?;
    /// let numbers = Vec::<f64>::read_npy(&path)?;
    /// assert_eq!(numbers, [1.0, 2.0, 3.0]);
    /// # std::fs::remove_dir_all(&dir)?;
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Whatever [`ErrorKind`] names; the file must be whole and hold what the type takes.
    fn read_npy<P: AsRef<Path>>(path: P) -> Result<Self> {
        ReadOptions::new().read(path)
    }

    /// Reads exactly one array; the reader is left right behind it.
    ///
    /// # Errors
    ///
    /// As [`ReadNpy::read_npy`].
    fn read_npy_from<R: Read>(reader: R) -> Result<Self> {
        ReadOptions::new().read_from(reader)
    }

    /// Takes the array from a reader that has read the header.
    #[doc(hidden)]
    fn take<R: Read>(reader: &mut Reader<R>) -> Result<Self>;
}

/// How to read.
///
/// ```
/// use npy_core::{Cast, ReadOptions, WriteNpy};
///
/// let mut file = Vec::new();
/// [1u8, 2, 3].write_npy_to(&mut file)?;
/// let wide = ReadOptions::new().cast(Cast::Lossless).read_from::<Vec<u32>>(&file[..])?;
/// assert_eq!(wide, [1, 2, 3]);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    cast: Cast,
    limits: Limits,
    threads: usize,
}

impl ReadOptions {
    /// How much a file may ask for, as it was set.
    #[cfg(feature = "npz")]
    pub(crate) fn limit(&self) -> &Limits {
        &self.limits
    }

    /// The way from items of this dtype to canonical items of `T`.
    #[cfg(feature = "npz")]
    pub(crate) fn plan<T: Element>(&self, dtype: &DType) -> Result<Plan> {
        block::reading::<T>(dtype, self.cast)
    }

    /// Exact dtypes, default limits.
    pub fn new() -> Self {
        ReadOptions::default()
    }

    /// How far the dtype of the file may differ from the one that is wanted.
    pub fn cast(&mut self, cast: Cast) -> &mut Self {
        self.cast = cast;
        self
    }

    /// How much a file may ask for.
    pub fn limits(&mut self, limits: Limits) -> &mut Self {
        self.limits = limits;
        self
    }

    /// How many threads may work on one read; one by default.
    ///
    /// A second one reads a file with this one, which decodes, where that is more than a few MiB. More than two are of no use for
    /// one file.
    ///
    /// ```no_run
    /// let values: Vec<f64> = npy_core::ReadOptions::new().threads(2).read("large.npy")?;
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn threads(&mut self, threads: usize) -> &mut Self {
        self.threads = threads;
        self
    }

    /// Reads a file; see [`ReadNpy::read_npy`].
    ///
    /// # Errors
    ///
    /// As [`ReadNpy::read_npy`].
    pub fn read<A: ReadNpy>(&self, path: impl AsRef<Path>) -> Result<A> {
        A::take(&mut self.open(path)?)
    }

    /// Reads exactly one array from a reader; see [`ReadNpy::read_npy_from`].
    ///
    /// # Errors
    ///
    /// As [`ReadNpy::read_npy`].
    pub fn read_from<A: ReadNpy>(&self, reader: impl Read) -> Result<A> {
        A::take(&mut self.reader(reader)?)
    }

    /// Opens a file and reads its header.
    ///
    /// # Errors
    ///
    /// As [`ReadNpy::read_npy`].
    pub fn open(&self, path: impl AsRef<Path>) -> Result<Reader<File>> {
        let path = path.as_ref();
        let open = || {
            let source = Source::file(File::open(path)?)?;
            self.start(if self.threads > 1 { source.with_second_thread() } else { source })
        };
        match open_settled(open, path) {
            Ok(reader) => Ok(reader.within(Place::Path(path.to_owned()))),
            Err(error) => Err(error.in_file(path)),
        }
    }

    /// Reads the header that the reader stands before.
    ///
    /// # Errors
    ///
    /// As [`ReadNpy::read_npy`].
    pub fn reader<R: Read>(&self, reader: R) -> Result<Reader<R>> {
        self.start(Source::stream(reader))
    }

    /// Reads the header of what surely has so many bytes, if that is known.
    #[cfg(feature = "npz")]
    pub(crate) fn member<R: Read>(&self, reader: R, bytes: Option<u64>) -> Result<Reader<R>> {
        self.start(Source::of(reader, bytes))
    }

    fn start<R: Read>(&self, mut source: Source<R>) -> Result<Reader<R>> {
        let header = read_header(&mut source, &self.limits)?;
        source.data_starts();
        let remaining = header.count();
        Ok(Reader {
            source,
            header,
            remaining,
            lost: false,
            nothings: 0,
            rows_before: 0,
            known: None,
            buffers: Buffers::default(),
            options: self.clone(),
            places: Vec::new(),
        })
    }
}

/// An array that is being read: the header first, then the items.
///
/// ```
/// use npy_core::{Reader, WriteNpy};
///
/// let mut file = Vec::new();
/// [1.0f64, 2.0].write_npy_to(&mut file)?;
///
/// let mut reader = Reader::new(&file[..])?;
/// assert_eq!(reader.header().shape(), [2]);
/// assert_eq!(reader.read_vec::<f64>()?, [1.0, 2.0]);
/// assert_eq!(reader.remaining(), 0);
/// # Ok::<(), npy_core::Error>(())
/// ```
pub struct Reader<R> {
    source: Source<R>,
    header: Header,
    remaining: usize,
    /// Whether a read failed half-way: where the source stands is not known.
    lost: bool,
    /// How many items were given that are none of the array's (`[f32; 0]`), and how many rows were gone over before.
    nothings: usize,
    rows_before: usize,
    /// How items of the type that was read last are taken.
    known: Option<Arc<Known>>,
    /// What the chunk before was read into, by the same way.
    buffers: Buffers,
    options: ReadOptions,
    /// Where the array is, innermost first.
    places: Vec<Place>,
}

impl Reader<File> {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    ///
    /// As [`ReadNpy::read_npy`].
    pub fn open<P: AsRef<Path>>(path: P) -> Result<Self> {
        ReadOptions::new().open(path)
    }
}

impl<R> Reader<R> {
    /// The same reader, whose array is in this place.
    pub(crate) fn within(mut self, place: Place) -> Self {
        self.places.push(place);
        self
    }

    /// Takes one item that was looked at.
    pub(crate) fn step(&mut self, way: &Way) {
        self.source.step(way.plan.from_size);
        self.remaining = self.remaining.saturating_sub(way.per_item);
        self.nothings = self.nothings.saturating_add(usize::from(way.per_item == 0));
    }

    /// What is read from.
    #[cfg(feature = "npz")]
    pub(crate) fn inner(&self) -> Option<&R> {
        self.source.inner()
    }

    /// Takes note that there is no going on.
    pub(crate) fn lose(&mut self) {
        self.lost = true;
    }
}

impl<R: Read> Reader<R> {
    /// Reads the header that `reader` stands before, and not a byte more.
    ///
    /// # Errors
    ///
    /// As [`ReadNpy::read_npy`].
    pub fn new(reader: R) -> Result<Self> {
        ReadOptions::new().reader(reader)
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// How many items have not been read yet.
    pub fn remaining(&self) -> usize {
        self.remaining
    }

    /// Reads the items that remain of an array of one dimension.
    ///
    /// # Errors
    ///
    /// As [`ReadNpy::read_npy`]. A read that fails once it has begun is the last: where the reader stands is not known then.
    pub fn read_vec<T: Element>(&mut self) -> Result<Vec<T>> {
        self.located(|reader| {
            let known = reader.known::<T>()?;
            if known.fit.ndim != 1 {
                return Err(reader.no_list::<Vec<T>>());
            }
            reader.items(&known)
        })
    }

    /// Reads the whole array, of which nothing may have been read.
    ///
    /// # Errors
    ///
    /// As [`Reader::read_vec`].
    pub fn read_array<T: Element>(&mut self) -> Result<NpyArray<T>> {
        self.located(|reader| {
            reader.untouched()?;
            let known = reader.known::<T>()?;
            let items = reader.items(&known)?;
            NpyArray::with_order(items, known.fit.shape(&reader.header), known.fit.order)
        })
    }

    /// Reads the whole array as it is, whatever its dtype. Nothing of it may have been read.
    ///
    /// # Errors
    ///
    /// As [`Reader::read_vec`], and [`ErrorKind::Unsupported`] for Python objects.
    pub fn read_dyn(&mut self) -> Result<DynArray> {
        self.located(|reader| {
            reader.untouched()?;
            reader.bytes()
        })
    }

    /// Reads the single item of an array without dimensions.
    fn read_single<T: Element>(&mut self) -> Result<T> {
        self.located(|reader| {
            reader.untouched()?;
            let known = reader.known::<T>()?;
            let single = if known.fit.ndim == 0 { reader.items(&known)?.pop() } else { None };
            single.ok_or_else(|| reader.no_single::<T>())
        })
    }

    /// How items of `T` are taken from this array: found out once, if they are read part by part.
    fn known<T: Element>(&mut self) -> Result<Arc<Known>> {
        let of = Key::of::<T>();
        let known = match &self.known {
            Some(known) if known.of.is(of) => Arc::clone(known),
            _ => {
                // By another way padding is elsewhere, and it is to be zero.
                self.buffers = Buffers::default();
                let fit = fit::fit::<T>(&self.header)?;
                let plan = block::reading::<T>(&fit.item, self.options.cast)?;
                let count = shape::count(fit.shape(&self.header))?;
                let way = Way { plan, per_item: fit.per_item, count };
                Arc::clone(self.known.insert(Arc::new(Known { of, fit, way })))
            }
        };
        if self.remaining.checked_rem(known.fit.per_item).is_some_and(|rest| rest > 0) {
            let what = "reading sub-arrays where a part of one was read already".into();
            let needs =
                "all parts of it: read on with the type that was read before, or seek to a row";
            return Err(ErrorKind::Unsupported { what, needs }.into());
        }
        Ok(known)
    }

    /// Decodes the items that remain, block by block.
    fn items<T: Element>(&mut self, Known { fit, way, .. }: &Known) -> Result<Vec<T>> {
        if fit.scattered {
            self.untouched()?;
            let array = self.bytes()?.to_order(Order::C)?;
            return array.decode(&way.plan, way.count, &self.options.limits);
        }
        if let Some(items) = self.straight(way)? {
            return Ok(items);
        }
        self.blocks(way, |n, buffers, out| block::decode(&way.plan, n, buffers, out))
    }

    /// Reads the items that remain block by block, with what decodes so many of them to the end of a list.
    fn blocks<T>(&mut self, way: &Way, decode: impl Decode<T>) -> Result<Vec<T>> {
        let count = self.left(way);
        block::check_empty::<T>(&way.plan, count, &self.options.limits)?;
        let mut out = Vec::new();
        if self.is_there()? {
            reserve::exact(&mut out, count)?;
        }
        let mut buffers = Buffers::default();
        self.some_with(way, count, &mut buffers, &mut out, decode)?;
        Ok(out)
    }

    /// Decodes the next `count` items, block by block. They remain, and are not over a limit.
    fn some<T: Element>(
        &mut self,
        way: &Way,
        count: usize,
        buffers: &mut Buffers,
        out: &mut Vec<T>,
    ) -> Result<()> {
        let decode =
            |n, buffers: &mut Buffers, out: &mut Vec<T>| block::decode(&way.plan, n, buffers, out);
        self.some_with(way, count, buffers, out, decode)
    }

    fn some_with<T>(
        &mut self,
        way: &Way,
        count: usize,
        buffers: &mut Buffers,
        out: &mut Vec<T>,
        decode: impl Decode<T>,
    ) -> Result<()> {
        let result = self.each_block(way, count, buffers, out, decode);
        self.source.stop();
        result
    }

    fn each_block<T>(
        &mut self,
        way: &Way,
        count: usize,
        buffers: &mut Buffers,
        out: &mut Vec<T>,
        mut decode: impl Decode<T>,
    ) -> Result<()> {
        let bytes = |items: usize| items.saturating_mul(way.plan.from_size);
        let most = block::items_in(self.source.block(bytes(count)), &way.plan);
        let mut missing = count;
        while missing > 0 {
            let n = missing.min(most);
            let first = self.row(way);
            let (n, cut) = self.block(way, n, buffers)?;
            reserve::growing(out, n)?;
            let decoded = decode(n, buffers, out);
            if let Some(error) = cut {
                // What is whole was given; that the file is cut matters more than what is in it.
                return Err(error);
            }
            decoded.map_err(|error| block::invalid(&error, first))?;
            self.lost = false;
            missing = missing.saturating_sub(n);
            self.source.read_ahead(bytes(most), bytes(missing));
        }
        Ok(())
    }

    /// Takes the bytes of the next `n` items that remain; if the data ends before, of those that are whole, and the error.
    ///
    /// The reader is lost until all of them were given: what was taken from the file cannot be taken again.
    fn block(
        &mut self,
        way: &Way,
        n: usize,
        buffers: &mut Buffers,
    ) -> Result<(usize, Option<Error>)> {
        self.not_lost()?;
        self.lost = true;
        let bytes = n.saturating_mul(way.plan.from_size);
        let found = self.source.fill(&mut buffers.block, bytes)?;
        let before = self.header.data_bytes().saturating_sub(self.bytes_left());
        let cut = found < bytes;
        let cut = cut.then(|| truncated(self.header.data_bytes(), before.saturating_add(found)));
        let n = found.checked_div(way.plan.from_size).unwrap_or(n);
        buffers.block.truncate(n.saturating_mul(way.plan.from_size));
        self.remaining = self.remaining.saturating_sub(n.saturating_mul(way.per_item));
        if way.per_item == 0 {
            self.nothings = self.nothings.saturating_add(n);
        }
        Ok((n, cut))
    }

    /// Fills the block with the bytes of the next `n` items, which remain; if the data ends before, with those that are whole, and
    /// the error.
    pub(crate) fn look(
        &mut self,
        way: &Way,
        n: usize,
        buffers: &mut Buffers,
    ) -> Result<(usize, Option<Error>)> {
        self.not_lost()?;
        let size = way.plan.from_size;
        let bytes = n.saturating_mul(size);
        let whole = self.header.data_bytes();
        let before = whole.saturating_sub(self.bytes_left());
        let found = self.source.look(bytes)?;
        let cut =
            (found.len() < bytes).then(|| truncated(whole, before.saturating_add(found.len())));
        let n = found.len().checked_div(size).unwrap_or(n);
        buffers.block.clear();
        buffers.block.extend_from_slice(found.get(..n.saturating_mul(size)).unwrap_or(found));
        Ok((n, cut))
    }

    /// How much the file may ask for.
    #[cfg(feature = "serde")]
    pub(crate) fn limits(&self) -> &Limits {
        &self.options.limits
    }

    /// The items as they are in the file.
    #[cfg(feature = "serde")]
    pub(crate) fn as_they_are(&self) -> Result<Way> {
        self.header.without_objects()?;
        let dtype = self.header.dtype();
        let plan = Plan::new(dtype, dtype, Cast::Exact)?;
        Ok(Way { plan, per_item: 1, count: self.header.count() })
    }

    /// How many items remain.
    pub(crate) fn left(&self, way: &Way) -> usize {
        self.remaining.checked_div(way.per_item).unwrap_or_else(|| {
            // Items that are none of the array's (`[f32; 0]`) are counted by themselves.
            let in_row = way.count.checked_div(self.rows().0).unwrap_or(0);
            let before = self.rows_before.saturating_mul(in_row).saturating_add(self.nothings);
            way.count.saturating_sub(before)
        })
    }

    /// The index of the next item.
    pub(crate) fn row(&self, way: &Way) -> usize {
        way.count.saturating_sub(self.left(way))
    }

    /// Takes the data as it is.
    fn bytes(&mut self) -> Result<DynArray> {
        self.header.without_objects()?;
        let bytes = self.bytes_left();
        let straight = if self.is_there()? { u8::__plain() } else { None };
        let mut data = match &straight {
            Some(plain) => plain.zeros(bytes)?,
            None => Vec::new(),
        };
        self.lost = true;
        let found = match straight {
            Some(_) => {
                let second = self.source.second(bytes);
                self.source.fill_parts(&mut data, BLOCK, &|_| (), second)?
            }
            None => self.source.append(&mut data, bytes)?,
        };
        if found < bytes {
            return Err(truncated(bytes, found));
        }
        self.lost = false;
        self.remaining = 0;
        DynArray::from_parts(self.header.clone(), data)
    }

    /// The bytes of the items that remain.
    fn bytes_left(&self) -> usize {
        self.remaining.saturating_mul(self.header.dtype().itemsize())
    }

    /// Refuses to give a whole array of which something has been read.
    fn untouched(&self) -> Result<()> {
        if self.lost || self.remaining == self.header.count() {
            return Ok(());
        }
        let what = "reading an array whole, after items of it were read,".into();
        let needs = "a new reader: open the file again";
        Err(ErrorKind::Unsupported { what, needs }.into())
    }

    /// Whether a read failed half-way.
    pub(crate) fn is_lost(&self) -> bool {
        self.lost
    }

    /// Refuses to read on after a failure.
    fn not_lost(&self) -> Result<()> {
        if !self.lost {
            return Ok(());
        }
        let what = "reading on after a read that failed".into();
        let needs = "a new reader: where this one stands in the file is not known";
        Err(ErrorKind::Unsupported { what, needs }.into())
    }

    /// Refuses so many bytes of data if they cannot be found any more, or are over the limit.
    fn is_allowed(&self, bytes: usize) -> Result<()> {
        self.not_lost()?;
        self.options.limits.check_array(limits::to_u64(bytes))
    }

    /// Refuses to read all that remains also if it is surely not there; tells whether it surely is there.
    fn is_there(&self) -> Result<bool> {
        let bytes = self.bytes_left();
        self.is_allowed(bytes)?;
        match self.source.available(bytes) {
            Some(found) if found < bytes => {
                let whole = self.header.data_bytes();
                let before = whole.saturating_sub(bytes);
                Err(truncated(whole, before.saturating_add(found)))
            }
            known => Ok(known.is_some()),
        }
    }

    /// Whether not all bytes that remain are known to be there.
    fn is_short(&self) -> bool {
        let bytes = self.bytes_left();
        self.source.available(bytes).is_none_or(|found| found < bytes)
    }

    /// Adds to what fails where the array is.
    pub(crate) fn located<A>(&mut self, read: impl FnOnce(&mut Self) -> Result<A>) -> Result<A> {
        read(self).map_err(|error| self.in_file(error))
    }

    /// The error for a list of another rank.
    fn no_list<A>(&self) -> Error {
        let remedy = "read it as an NpyArray, which takes any shape";
        self.header.rank(&block::type_name::<A>(), "one dimension", remedy)
    }

    /// The error for a single item of another rank.
    fn no_single<A>(&self) -> Error {
        let remedy = "read it as a Vec, or as an NpyArray, which takes any shape";
        self.header.rank(&block::type_name::<A>(), "a single item", remedy)
    }

    /// The error with the places that the array is in.
    pub(crate) fn in_file(&self, error: Error) -> Error {
        self.places.iter().cloned().fold(error, Error::within)
    }
}

impl<R> fmt::Debug for Reader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Reader");
        debug.field("header", &self.header).field("remaining", &self.remaining);
        debug.finish_non_exhaustive()
    }
}

/// Opens a file, and once more if its length may have been read while a writer changed it.
///
/// The system lets a reader see half of a write. A writer first writes the items and then their number, so in a file that
/// grows the number never is too large but then.
fn open_settled(
    mut open: impl FnMut() -> Result<Reader<File>>,
    path: &Path,
) -> Result<Reader<File>> {
    let first = open();
    let may_change = match &first {
        Ok(reader) => reader.is_short(),
        Err(error) => matches!(error.kind(), ErrorKind::Header { .. } | ErrorKind::Shape { .. }),
    };
    // A pipe gives its bytes once.
    if may_change && path.is_file() {
        drop(first);
        return open();
    }
    first
}

/// The way from items of the file to those of a type.
pub(crate) struct Way {
    pub(crate) plan: Plan,
    /// How many items of the array make one: several for a sub-array.
    per_item: usize,
    /// How many there are in the array.
    count: usize,
}

/// How items of one type are taken.
struct Known {
    of: Key,
    fit: Fit,
    way: Way,
}

/// What decodes so many items of a block to the end of a list.
trait Decode<T>: FnMut(usize, &mut Buffers, &mut Vec<T>) -> Result<(), InvalidValue> {}

impl<T, F: FnMut(usize, &mut Buffers, &mut Vec<T>) -> Result<(), InvalidValue>> Decode<T> for F {}

fn truncated(expected: usize, found: usize) -> Error {
    let (expected, found) = (limits::to_u64(expected), limits::to_u64(found));
    ErrorKind::Truncated { what: "the data", expected, found }.into()
}

/// Reads a header and not a byte more.
fn read_header<R: Read>(source: &mut Source<R>, limits: &Limits) -> Result<Header> {
    /// What nearly all headers take: no memory is asked for.
    const USUAL: usize = 2 << 10;
    let mut start = [0; Version::BYTES];
    let found = source.fill_slice(&mut start)?;
    if found < start.len() {
        return Err(header::short_start(start.get(..found).unwrap_or_default()));
    }
    let version = Version::parse(start)?;
    let mut length = [0; 4];
    let length = length.get_mut(..version.length_bytes()).unwrap_or_default();
    let found = source.fill_slice(length)?;
    if found < length.len() {
        return Err(header::truncated(length.len(), found));
    }
    let length = limits.check_header(header::text_length(length))?;
    let (mut usual, mut long) = ([0; USUAL], Vec::new());
    let text = match usual.get_mut(..length) {
        Some(text) => {
            let found = source.fill_slice(text)?;
            text.get(..found).unwrap_or_default()
        }
        None => {
            source.append(&mut long, length)?;
            &long
        }
    };
    if text.len() < length {
        return Err(header::truncated(length, text.len()));
    }
    Header::parse_text(version, text, limits)
}

impl Header {
    /// Reads the header of a file.
    ///
    /// ```
    /// use npy_core::{Header, WriteNpy};
    ///
    /// # let dir = std::env::temp_dir().join(format!("npy-core-doc-header-{}", std::process::id()));
    /// # std::fs::create_dir_all(&dir)?;
    /// # let path = dir.join("x.npy");
    /// [1i32, 2].write_npy(&path)?;
    /// assert_eq!(Header::read_npy(&path)?.dtype().to_string(), "<i4");
    /// # std::fs::remove_dir_all(&dir)?;
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Header::parse`], and [`ErrorKind::Io`].
    pub fn read_npy<P: AsRef<Path>>(path: P) -> Result<Header> {
        Ok(Reader::open(path)?.header)
    }

    /// Reads the header that `reader` stands before, and not a byte more.
    ///
    /// # Errors
    ///
    /// As [`Header::read_npy`].
    pub fn read_from<R: Read>(reader: &mut R) -> Result<Header> {
        Ok(Reader::new(reader)?.header)
    }
}

impl Version {
    /// Reads magic and version, eight bytes, and not a byte more.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotNpy`], [`ErrorKind::Version`], [`ErrorKind::Truncated`], [`ErrorKind::Io`].
    pub fn read_from<R: Read>(reader: &mut R) -> Result<Version> {
        let mut start = Vec::new();
        Source::stream(reader).append(&mut start, Version::BYTES)?;
        match start.first_chunk() {
            Some(first) => Version::parse(*first),
            None => Err(header::short_start(&start)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::WriteNpy;
    use std::fs;

    /// Guards a reader of a file that grows: half of a change of its length is read again, and that once.
    #[test]
    fn a_length_that_was_read_half_written_is_read_again() {
        let path = std::env::temp_dir().join(format!("npy-core-half-{}.npy", std::process::id()));
        // In a file that is read with its header, and in a longer one.
        for rows in [200u16, 20_000] {
            let (mut sound, mut longer) = (Vec::new(), Vec::new());
            (0..rows).collect::<Vec<_>>().write_npy_to(&mut sound).unwrap();
            (0..rows + 99).collect::<Vec<_>>().write_npy_to(&mut longer).unwrap();
            let half = [&longer[..128], &sound[128..]].concat();
            let bracket = sound.iter().position(|&byte| byte == b')').unwrap();
            let mut malformed = sound.clone();
            malformed[bracket] = b',';

            let read = |states: [&[u8]; 2]| {
                let mut states = states.into_iter();
                let open = || {
                    fs::write(&path, states.next().expect("a third one")).unwrap();
                    ReadOptions::new().start(Source::file(File::open(&path)?)?)
                };
                let opened = open_settled(open, &path);
                let items = opened.and_then(|mut reader| reader.read_vec::<u16>());
                (items.map(|items| items.len()), states.len())
            };
            for first in [&half, &malformed] {
                let (items, left) = read([first, &sound]);
                assert_eq!((items.unwrap(), left), (rows.into(), 0));
            }
            let (items, left) = read([&sound, &half]);
            assert_eq!(
                (items.unwrap(), left),
                (rows.into(), 1),
                "a file that is sound is read once"
            );
            let (items, left) = read([&half, &half]);
            let error = items.unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Truncated { .. }), "{error}");
            assert_eq!(left, 0);
        }
        fs::remove_file(path).unwrap();
    }
}
