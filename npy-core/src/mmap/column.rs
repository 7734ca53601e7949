//! One field of every record, in place.

use std::fmt;
use std::iter::FusedIterator;
use std::marker::PhantomData;
use std::ops::Range;
use std::vec;

use crate::checked;
use crate::dtype::rust_type::{rust_type, viewed_type};
use crate::dtype::{ByteOrder, DType};
use crate::element::block::{self, Buffers};
use crate::element::cast::zero_copy::{ZeroCopy, values};
use crate::element::decode::{self, append_strided, fold_strided};
use crate::element::type_info::TypeInfo;
use crate::element::type_name;
use crate::error::{Error, ErrorKind, Places, Result, ViewError};
use crate::header::Header;
use crate::kernel;
use crate::limits::Limits;
use crate::plan::remedy::naming_cast;
use crate::plan::{self, Cast, Plan, Strategy};
use crate::reserve;
use crate::view::{check_address, check_layout, for_view};

/// One field of every record of a map. Each value is decoded when it is requested.
///
/// ```
/// use npy_core::{MapAny, NpyRecord, WriteNpy};
///
/// #[derive(NpyRecord)]
/// struct Pick {
///     station: u8,
///     time: f64,
///     axes: [f32; 3],
/// }
///
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// let first = Pick { station: 7, time: 1.5, axes: [0.0, 0.5, 1.0] };
/// let second = Pick { station: 9, time: 2.5, axes: [2.0, 2.5, 3.0] };
/// [first, second].write_npy("x.npy")?;
/// // SAFETY: the file is ours alone.
/// let map = unsafe { MapAny::open("x.npy")? };
/// let times = map.column::<f64>("time")?;
/// assert_eq!(times.get(1), Some(2.5));
/// assert_eq!(times.iter().sum::<f64>(), 4.0);
/// // An element of a sub-array.
/// assert_eq!(map.column::<f32>("axes[2]")?.to_vec()?, [1.0, 3.0]);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone)]
pub struct Column<'a, F> {
    /// The records.
    data: &'a [u8],
    len: usize,
    stride: usize,
    /// The dtype of the field in the file, and its offset in a record.
    field: DType,
    offset: usize,
    /// Converts the field to canonical bytes.
    plan: Plan,
    limits: Limits,
    places: Places,
    of: PhantomData<F>,
}

const UNCHECKED: &str = "a column of a map does not check values; read it with Reader::read_column";

/// Returns the error for a cast that can fail for some values. It comes from `new`, because most
/// methods of a column return no errors.
fn cannot_check<F: ZeroCopy>(field: &DType) -> Error {
    plan::mismatch(field, F::dtype().excerpt(), UNCHECKED).wanted_by(&type_name::<F>())
}

impl<'a, F: ZeroCopy> Column<'a, F> {
    /// `cast` is `None` if the map converts nothing.
    pub(crate) fn new(
        header: &Header,
        data: &'a [u8],
        path: &str,
        cast: Option<Cast>,
        limits: &Limits,
    ) -> Result<Self> {
        let record = header.dtype();
        let part = plan::part_at(record, path)?;
        let (field, offset) = (part.dtype()?, part.offset());
        let plan = TypeInfo::of::<F>().item_plan(&field, cast.unwrap_or_default());
        let plan = plan.map_err(|error| {
            // The values of a column are decoded, from any byte order.
            let native = field.with_byte_order(ByteOrder::NATIVE);
            let is_cast = |remedy: &str| cast.is_some() && remedy.contains("cast(");
            let converts =
                matches!(error.kind(), ErrorKind::Mismatch { remedy, .. } if is_cast(remedy));
            let error = match viewed_type(&native) {
                Some(held) if converts => naming_cast(error, &held),
                None if !converts && native.flat().0.scalar().is_some() => {
                    let held = rust_type(&native).map(|held| format!("::<{held}>"));
                    error.map_remedy(|_| format!("{UNCHECKED}{}", held.unwrap_or_default()))
                }
                _ if converts => error,
                _ => for_view(error, &native),
            };
            error.in_field(path)
        })?;
        if plan.is_checked {
            return Err(cannot_check::<F>(&field).in_field(path));
        }
        let (stride, len) = (record.itemsize(), header.count());
        let (limits, places, of) = (*limits, Places::default(), PhantomData);
        Ok(Column { data, len, stride, field, offset, plan, limits, places, of })
    }

    /// Sets the location that errors name.
    pub(crate) fn within(self, places: Places) -> Self {
        Column { places, ..self }
    }

    /// Returns the number of records.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{Map, NpyRecord, WriteNpy, ZeroCopy};
    ///
    /// #[derive(NpyRecord, ZeroCopy, Clone, Copy)]
    /// #[repr(C)]
    /// struct Pick {
    ///     station: u32,
    ///     gain: f32,
    /// }
    ///
    /// [Pick { station: 7, gain: 1.5 }, Pick { station: 9, gain: 2.5 }].write_npy("picks.npy")?;
    /// // SAFETY: the file is ours alone.
    /// let map = unsafe { Map::<Pick>::open("picks.npy")? };
    /// let gain = map.column::<f32>("gain")?;
    /// assert_eq!(gain.len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true if there are no records.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{Map, NpyRecord, WriteNpy, ZeroCopy};
    ///
    /// #[derive(NpyRecord, ZeroCopy, Clone, Copy)]
    /// #[repr(C)]
    /// struct Pick {
    ///     station: u32,
    ///     gain: f32,
    /// }
    ///
    /// [Pick { station: 7, gain: 1.5 }, Pick { station: 9, gain: 2.5 }].write_npy("picks.npy")?;
    /// // SAFETY: the file is ours alone.
    /// let map = unsafe { Map::<Pick>::open("picks.npy")? };
    /// let gain = map.column::<f32>("gain")?;
    /// assert!(!gain.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the value in the record at this index; `None` if there is no such record.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{Map, NpyRecord, WriteNpy, ZeroCopy};
    ///
    /// #[derive(NpyRecord, ZeroCopy, Clone, Copy)]
    /// #[repr(C)]
    /// struct Pick {
    ///     station: u32,
    ///     gain: f32,
    /// }
    ///
    /// [Pick { station: 7, gain: 1.5 }, Pick { station: 9, gain: 2.5 }].write_npy("picks.npy")?;
    /// // SAFETY: the file is ours alone.
    /// let map = unsafe { Map::<Pick>::open("picks.npy")? };
    /// let gain = map.column::<f32>("gain")?;
    /// assert_eq!(gain.get(1), Some(2.5));
    /// assert_eq!(gain.get(2), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn get(&self, index: usize) -> Option<F> {
        if index >= self.len {
            return None;
        }
        let row = index..checked::add(index, 1);
        match self.plan.strategy {
            Strategy::Exact => Some(F::decode(self.rows(row)?.get(self.field_bytes())?)),
            _ => self.batch(row, &mut Buffers::default()).pop(),
        }
    }

    /// Returns the part of the column for these records; `None` if the range is not within the
    /// column.
    ///
    /// Each thread can read its own range:
    ///
    /// ```
    /// use npy_core::{MapAny, NpyRecord, WriteNpy};
    ///
    /// #[derive(NpyRecord)]
    /// struct Pick {
    ///     station: u8,
    ///     time: f64,
    /// }
    ///
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// let picks: Vec<_> = (0..100).map(|i| Pick { station: i, time: i.into() }).collect();
    /// picks.write_npy("x.npy")?;
    /// // SAFETY: the file is ours alone.
    /// let map = unsafe { MapAny::open("x.npy")? };
    /// let times = map.column::<f64>("time")?;
    /// let parts = [0..50, 50..100].map(|rows| times.range(rows).unwrap());
    /// let sum: f64 = std::thread::scope(|scope| {
    ///     let threads = parts.map(|part| scope.spawn(move || part.iter().sum::<f64>()));
    ///     threads.map(|thread| thread.join().unwrap()).iter().sum()
    /// });
    /// assert_eq!(sum, times.iter().sum::<f64>());
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn range(&self, records: Range<usize>) -> Option<Column<'a, F>> {
        let len = records.end.checked_sub(records.start)?;
        if records.end > self.len {
            return None;
        }
        Some(Column { data: self.rows(records)?, len, ..self.clone() })
    }

    /// Iterates over the values in the order of the file.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{Map, NpyRecord, WriteNpy, ZeroCopy};
    ///
    /// #[derive(NpyRecord, ZeroCopy, Clone, Copy)]
    /// #[repr(C)]
    /// struct Pick {
    ///     station: u32,
    ///     gain: f32,
    /// }
    ///
    /// [Pick { station: 7, gain: 1.5 }, Pick { station: 9, gain: 2.5 }].write_npy("picks.npy")?;
    /// // SAFETY: the file is ours alone.
    /// let map = unsafe { Map::<Pick>::open("picks.npy")? };
    /// let gain = map.column::<f32>("gain")?;
    /// assert_eq!(gain.iter().sum::<f32>(), 4.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn iter(&self) -> Values<'_, F> {
        let (items, batches) = match self.items() {
            Some(items) => (items, None),
            None => (&[][..], Some(Box::new(Batches::new(self)))),
        };
        Values { items, stride: self.stride, batches }
    }

    /// Returns the values in the order of the file.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{Map, NpyRecord, WriteNpy, ZeroCopy};
    ///
    /// #[derive(NpyRecord, ZeroCopy, Clone, Copy)]
    /// #[repr(C)]
    /// struct Pick {
    ///     station: u32,
    ///     gain: f32,
    /// }
    ///
    /// [Pick { station: 7, gain: 1.5 }, Pick { station: 9, gain: 2.5 }].write_npy("picks.npy")?;
    /// // SAFETY: the file is ours alone.
    /// let map = unsafe { Map::<Pick>::open("picks.npy")? };
    /// let gain = map.column::<f32>("gain")?;
    /// assert_eq!(gain.to_vec()?, [1.5, 2.5]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) if there is not enough memory.
    pub fn to_vec(&self) -> Result<Vec<F>> {
        self.values().map_err(|error| self.places.locate(error))
    }

    fn values(&self) -> Result<Vec<F>> {
        if self.stride == 0 {
            self.limits.check_empty_items(self.len, size_of::<F>())?;
        }
        let mut values = reserve::list(self.len)?;
        match self.items() {
            Some(items) => append_strided(&mut values, items, self.stride),
            None => values.extend(self.iter()),
        }
        Ok(values)
    }

    /// Returns the values in place, without copying. The values must be contiguous, so the field must fill the record.
    ///
    /// ```
    /// use npy_core::{Le, Map, NpyRecord, WriteNpy, ZeroCopy};
    ///
    /// #[derive(NpyRecord, ZeroCopy, Clone, Copy)]
    /// #[repr(C)]
    /// struct Level {
    ///     decibels: Le<f32>,
    /// }
    ///
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// [0.5, 1.5].map(|x| Level { decibels: Le::new(x) }).write_npy("x.npy")?;
    /// // SAFETY: the file is ours alone.
    /// let map = unsafe { Map::<Level>::open("x.npy")? };
    /// let levels = map.column::<Le<f32>>("decibels")?;
    /// assert_eq!(levels.as_slice()?[1].get(), 1.5);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ViewError::Stride`] if there are other bytes between the values, and otherwise the errors
    /// of [`NpyView::from_bytes`](crate::NpyView::from_bytes).
    pub fn as_slice(&self) -> Result<&'a [F], ViewError> {
        let size = size_of::<F>();
        if self.len > 1 && self.stride != size && size > 0 {
            return Err(self.located_view(self.wrong_stride("side by side")));
        }
        Ok(self.as_strided_slice()?.0)
    }

    /// Returns a slice from the first value of the column to the last, and a step: every `step`th
    /// value of the slice, from the first on, is a value of the column.
    ///
    /// # Errors
    ///
    /// The errors of [`as_slice`](Self::as_slice), but `Stride` only if the size of a record is not a multiple of the size of a value.
    pub(crate) fn as_strided_slice(&self) -> Result<(&'a [F], usize), ViewError> {
        self.strided_slice().map_err(|error| self.located_view(error))
    }

    fn strided_slice(&self) -> Result<(&'a [F], usize), ViewError> {
        let copy = || "Column::to_vec".to_owned();
        check_layout::<F>(&self.field, false, copy)?;
        let size = size_of::<F>();
        let Some(steps) = self.len.checked_sub(1).filter(|_| size > 0) else {
            self.limits.check_empty_items(self.len, 0)?;
            return Ok((values(&[], self.len).unwrap_or_default(), 1));
        };
        let step = self.stride.checked_div(size).unwrap_or_default();
        if steps > 0 && checked::mul(step, size) != self.stride {
            return Err(self.wrong_stride("at a distance that is a multiple of their size"));
        }
        let length = checked::add(checked::mul(steps, self.stride), size);
        let bytes = checked::slice(self.data, self.offset..checked::add(self.offset, length));
        check_address::<F>(bytes, copy)?;
        let count = checked::add(checked::mul(steps, step), 1);
        // The slice also has values between those of the column. They are valid, because any bytes
        // are a valid value of a `ZeroCopy` type.
        Ok((checked::some(values(bytes, count)), step))
    }

    fn wrong_stride(&self, wanted: &'static str) -> ViewError {
        let (stride, size, wanted_by) = (self.stride, size_of::<F>(), type_name::<F>());
        let (copy, places) = ("Column::to_vec".into(), Places::default());
        ViewError::Stride { stride, size, wanted, wanted_by, copy, places }
    }

    fn located_view(&self, error: ViewError) -> ViewError {
        error.located(|error| self.places.locate(error), |_| {})
    }

    /// Returns the bytes from the first value on, if the values need no conversion. Returns `None`
    /// for values of zero bytes, because the bytes do not tell how many there are.
    fn items(&self) -> Option<&'a [u8]> {
        let in_place = F::SIZE > 0 && matches!(self.plan.strategy, Strategy::Exact);
        // An empty column has no data.
        in_place.then(|| self.data.get(self.offset..).unwrap_or_default())
    }

    /// Returns the range of the field in the bytes of a record.
    fn field_bytes(&self) -> Range<usize> {
        self.offset..checked::add(self.offset, self.plan.src_itemsize)
    }

    /// Returns the bytes of these records; `None` if the range is not within the column.
    fn rows(&self, rows: Range<usize>) -> Option<&'a [u8]> {
        let bytes = |rows: usize| checked::mul(rows, self.stride);
        self.data.get(bytes(rows.start)..bytes(rows.end))
    }

    /// Decodes the values of these records, which must exist.
    fn batch(&self, rows: Range<usize>, buffers: &mut Buffers) -> Vec<F> {
        let count = rows.len();
        let records = checked::some(self.rows(rows));
        kernel::extract_column(records, self.stride, self.field_bytes(), &mut buffers.block);
        let items = buffers.run(&self.plan, count);
        // Any bytes are a valid value of a `ZeroCopy` type: there is nothing to check.
        match F::SIZE {
            0 => (0..count).map(|_| F::decode(&[])).collect(),
            size => items.chunks_exact(size).map(F::decode).collect(),
        }
    }
}

/// The iterator of [`Column::iter`].
#[derive(Clone)]
pub struct Values<'c, F> {
    /// The bytes from the next value on; empty if values are decoded in batches.
    items: &'c [u8],
    stride: usize,
    /// Decodes the values in batches; `None` if `items` has them in place. The box lets a loop over
    /// values in place keep its state in registers.
    batches: Option<Box<Batches<'c, F>>>,
}

impl<F: ZeroCopy> Iterator for Values<'_, F> {
    type Item = F;

    #[inline]
    fn next(&mut self) -> Option<F> {
        if self.items.is_empty() {
            return self.batches.as_mut().and_then(|batches| batches.next());
        }
        let value = F::decode(decode::item::<F>(self.items));
        // From the last value on, at most `stride` bytes are left: after it, `items` is empty.
        self.items = self.items.get(self.stride..).unwrap_or_default();
        Some(value)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let batched = |it: &Batches<'_, F>| checked::add(it.rows.len(), it.batch.len());
        let in_place = || self.items.len().div_ceil(self.stride.max(1));
        let left = self.batches.as_deref().map_or_else(in_place, batched);
        (left, Some(left))
    }

    /// `sum`, `max` and others call `fold`. It chooses between values in place and batches once,
    /// not for each value.
    #[inline]
    fn fold<B, G: FnMut(B, F) -> B>(self, init: B, f: G) -> B {
        match self.batches {
            None => fold_strided(self.items, self.stride, init, f),
            // The `fold` of the box itself would call `next` for each value.
            Some(batches) => (*batches).fold(init, f),
        }
    }
}

/// An iterator that decodes the values of a column a batch at a time.
#[derive(Clone)]
struct Batches<'c, F> {
    column: &'c Column<'c, F>,
    /// The records that come after `batch`.
    rows: Range<usize>,
    batch: vec::IntoIter<F>,
    buffers: Buffers,
}

impl<'c, F: ZeroCopy> Batches<'c, F> {
    fn new(column: &'c Column<'c, F>) -> Self {
        let rows = 0..column.len;
        Batches { column, rows, batch: Vec::new().into_iter(), buffers: Buffers::default() }
    }

    /// Decodes the next batch; returns true if it has values.
    fn refill(&mut self) -> bool {
        // A batch is small, so that the first value does not wait for many others.
        const MAX_BATCH: usize = 1024;
        let count = block::items_per_block(&self.column.plan).min(MAX_BATCH).min(self.rows.len());
        let end = checked::add(self.rows.start, count);
        self.batch = self.column.batch(self.rows.start..end, &mut self.buffers).into_iter();
        self.rows.start = end;
        count > 0
    }
}

impl<F: ZeroCopy> Iterator for Batches<'_, F> {
    type Item = F;

    // This is cold, so that it is not inlined into the loop over values in place.
    #[cold]
    #[inline(never)]
    fn next(&mut self) -> Option<F> {
        if self.batch.len() == 0 {
            self.refill();
        }
        self.batch.next()
    }

    fn fold<B, G: FnMut(B, F) -> B>(mut self, init: B, mut f: G) -> B {
        let mut folded = init;
        loop {
            folded = std::mem::take(&mut self.batch).fold(folded, &mut f);
            if !self.refill() {
                return folded;
            }
        }
    }
}

impl<F: ZeroCopy> ExactSizeIterator for Values<'_, F> {}

impl<F: ZeroCopy> FusedIterator for Values<'_, F> {}

impl<F: ZeroCopy> fmt::Debug for Values<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Values").field("left", &self.len()).finish_non_exhaustive()
    }
}

impl<F: ZeroCopy + fmt::Debug> fmt::Debug for Column<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
