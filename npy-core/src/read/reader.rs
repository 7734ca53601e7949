//! The reader: a source of bytes, the header, and how far the array has been read.

use std::fmt;
use std::io::Read;

use super::header::read_header;
use super::position::Position;
use super::source::Source;
use crate::element::block::Buffers;
use crate::element::typed_plan::{ItemPlan, TypedPlan};
use crate::element::{Element, type_name};
use crate::error::{Error, ErrorKind, Place, Result};
use crate::header::Header;
use crate::limits::{self, Limits};
use crate::plan::Cast;
use crate::shape::Order;

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
///
/// Where the array is read in parts, up to 256 KiB are read ahead, never past its end. Elements that you do not consume stay in the
/// reader.
pub struct Reader<R> {
    pub(super) source: Source<R>,
    pub(super) header: Header,
    pub(super) position: Position,
    /// The plan for the type that was read last.
    plan: Option<TypedPlan>,
    /// The last block, to be used again with the same plan.
    pub(super) buffers: Buffers,
    pub(super) cast: Cast,
    pub(super) limits: Limits,
    /// Where the array is, innermost first.
    places: Vec<Place>,
}

impl<R> Reader<R> {
    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// How many elements have not been read yet.
    pub fn remaining(&self) -> usize {
        self.header.count().saturating_sub(self.position.elements())
    }

    /// The same reader, whose errors say that the array is in this place.
    pub(crate) fn within(mut self, place: Place) -> Self {
        self.places.push(place);
        self
    }

    /// What is read from.
    #[cfg(feature = "npz")]
    pub(crate) fn inner(&self) -> Option<&R> {
        self.source.inner()
    }

    pub(super) fn into_header(self) -> Header {
        self.header
    }

    /// The number of rows, and the dimensions of one.
    pub(super) fn rows(&self) -> (usize, &[usize]) {
        let shape = self.header.shape();
        let (rows, inner) = match self.header.order() {
            Order::C => shape.split_first(),
            Order::Fortran => shape.split_last(),
        }
        .unwrap_or((&1, &[]));
        (*rows, inner)
    }

    /// The index of the next value by this plan.
    pub(super) fn next_index(&self, plan: &ItemPlan) -> usize {
        self.position.next_index(plan, self.rows().0)
    }

    /// How many values remain by this plan.
    pub(super) fn items_left(&self, plan: &ItemPlan) -> usize {
        plan.count.saturating_sub(self.next_index(plan))
    }

    /// The bytes of the elements that remain.
    pub(super) fn bytes_left(&self) -> usize {
        self.remaining().saturating_mul(self.header.dtype().itemsize())
    }

    /// The error for data of which `found` bytes are there after those that were read.
    pub(super) fn truncated(&self, found: usize) -> Error {
        self.truncation()(found)
    }

    /// [`truncated`](Self::truncated), for other threads.
    pub(super) fn truncation(&self) -> impl Fn(usize) -> Error + Copy + use<R> {
        let whole = self.header.data_bytes();
        let before = whole.saturating_sub(self.bytes_left());
        move |found| {
            let found = limits::to_u64(before.saturating_add(found));
            ErrorKind::Truncated { what: "data", expected: limits::to_u64(whole), found }.into()
        }
    }

    /// The error with the places that the array is in.
    pub(crate) fn in_file(&self, error: Error) -> Error {
        self.places.iter().cloned().fold(error, Error::within)
    }

    /// Adds to what fails where the array is.
    pub(crate) fn located<A>(&mut self, read: impl FnOnce(&mut Self) -> Result<A>) -> Result<A> {
        read(self).map_err(|error| self.in_file(error))
    }

    /// Reads by the plan for `T`, which is made once where the array is read in parts.
    pub(super) fn with_plan<T: Element, A>(
        &mut self,
        read: impl FnOnce(&mut Self, &TypedPlan) -> Result<A>,
    ) -> Result<A> {
        let plan = self.take_plan::<T>().map_err(|error| self.in_file(error))?;
        let result = read(self, &plan).map_err(|error| self.in_file(error));
        self.plan = Some(plan);
        result
    }

    /// The plan for `T`: the stored one, or a new one.
    pub(super) fn take_plan<T: Element>(&mut self) -> Result<TypedPlan> {
        let plan = match self.plan.take() {
            Some(plan) if plan.is_for::<T>() => plan,
            other => {
                // By another plan padding is at other positions, and it must be zero.
                self.buffers = Buffers::default();
                if other.is_some() {
                    self.position.forget_values();
                }
                TypedPlan::new::<T>(&self.header, self.cast)?
            }
        };
        if plan.items.per_item == 0 || self.is_between(plan.items.per_item) {
            return Ok(plan);
        }
        let what = "reading sub-arrays where a part of one was read already".into();
        let needs = "all parts of it: read on with the type that was read before, or seek to a row";
        Err(ErrorKind::Unsupported { what, needs }.into())
    }

    /// Whether the position is between two values of this many elements, and not within one.
    #[inline]
    fn is_between(&self, per_item: usize) -> bool {
        // Without a division in the usual case: it is asked for each chunk.
        per_item == 1 || (per_item > 0 && self.remaining().is_multiple_of(per_item))
    }

    /// Where the stored plan is for `T`, and its values are canonical in the file: how many remain, and of how many elements each is.
    #[inline]
    pub(super) fn canonical_left<T: Element>(&self) -> Option<(usize, usize)> {
        let plan = self.plan.as_ref().filter(|plan| plan.is_for::<T>() && !plan.is_strided)?;
        let items = &plan.items;
        // As `take_plan` asks for it.
        let is_between = self.is_between(items.per_item);
        let is_canonical = items.plan.is_exact() && is_between && !self.position.is_lost();
        is_canonical.then(|| (self.items_left(items), items.per_item))
    }

    /// Refuses to read an array from its start if something of it has been read.
    pub(super) fn check_nothing_read(&self) -> Result<()> {
        if self.position.is_lost() || self.position.is_at_start() {
            return Ok(());
        }
        let what = "reading an array whole, after items of it were read,".into();
        let needs = "a new reader: open the file again";
        Err(ErrorKind::Unsupported { what, needs }.into())
    }

    /// Refuses this many bytes of data if they cannot be read any more, or are over the limit.
    pub(super) fn check_allowed(&self, bytes: usize) -> Result<()> {
        self.position.check()?;
        self.limits.check_array(limits::to_u64(bytes))
    }

    /// The error for a list of another rank.
    pub(super) fn no_list<A>(&self) -> Error {
        let remedy = "read it as an NpyArray, which takes any shape";
        self.header.rank(&type_name::<A>(), "one dimension", remedy)
    }

    /// The error for a single item of another rank.
    pub(super) fn no_single<A>(&self) -> Error {
        let remedy = "read it as a Vec, or as an NpyArray, which takes any shape";
        self.header.rank(&type_name::<A>(), "a single item", remedy)
    }
}

impl<R: Read> Reader<R> {
    /// Reads the header of an array.
    pub(super) fn start(mut source: Source<R>, cast: Cast, limits: Limits) -> Result<Self> {
        let header = read_header(&mut source, &limits)?;
        source.start_data();
        Ok(Reader {
            source,
            header,
            position: Position::default(),
            plan: None,
            buffers: Buffers::default(),
            cast,
            limits,
            places: Vec::new(),
        })
    }

    /// Whether not all bytes that remain are known to be there.
    pub(super) fn is_short(&self) -> bool {
        let bytes = self.bytes_left();
        self.source.available(bytes).is_none_or(|found| found < bytes)
    }

    /// Refuses to read all that remains if it is known not to be there; tells whether it is known to be there.
    pub(super) fn check_available(&self) -> Result<bool> {
        let bytes = self.bytes_left();
        self.check_allowed(bytes)?;
        match self.source.available(bytes) {
            Some(found) if found < bytes => Err(self.truncated(found)),
            known => Ok(known.is_some()),
        }
    }
}

impl<R> fmt::Debug for Reader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Reader");
        debug.field("header", &self.header).field("remaining", &self.remaining());
        debug.finish_non_exhaustive()
    }
}
