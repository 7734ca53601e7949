//! Decoding data that arrives in parts, from any source: nothing is read here.

use std::fmt;
use std::mem;

use super::ReadOptions;
use super::data::lost;
use crate::checked;
use crate::element::block::Buffers;
use crate::element::decode::decode_slice;
use crate::element::typed_plan::{ItemPlan, TypedPlan, check_zero_size_items};
use crate::element::{Element, type_name};
use crate::error::{ErrorKind, Result};
use crate::header::{DataSize, Header};
use crate::limits::{self, Limits};

/// Decodes the data of an array that arrives in parts: for asynchronous streams, object stores, and all other sources that are not a
/// [`Read`](std::io::Read).
///
/// The program collects the bytes of the header ([`Header::needed`] says how many) and parses them. All bytes after that go to
/// [`feed`](Self::feed), in parts of any size.
///
/// ```
/// use npy_core::{Decoder, Header, WriteNpy};
///
/// let mut file = Vec::new();
/// [1.5_f64, -2.0, 3.25].write_npy_to(&mut file)?;
///
/// // Parts as they arrive: they end anywhere.
/// let mut parts = file.chunks(7);
/// let mut start = Vec::new();
/// let header_bytes = loop {
///     match Header::needed(&start) {
///         Some(needed) if start.len() >= needed => break needed,
///         _ => start.extend_from_slice(parts.next().unwrap_or_default()),
///     }
///     # assert!(start.len() <= file.len());
/// };
/// let (header, _) = Header::parse(&start)?;
///
/// let mut decoder = Decoder::<f64>::new(&header)?;
/// let mut numbers = Vec::new();
/// decoder.feed(&start[header_bytes..], &mut numbers)?;
/// for part in parts {
///     decoder.feed(part, &mut numbers)?;
/// }
/// decoder.finish()?;
/// assert_eq!(numbers, [1.5, -2.0, 3.25]);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// Elements come in the order of the file, whatever the number of dimensions: in Fortran order, the first index changes fastest
/// ([`NpyArray::with_order`](crate::NpyArray::with_order) takes them as they are). An element that is a sub-array is refused there, as its
/// parts are strided.
pub struct Decoder<T> {
    plan: ItemPlan,
    data: DataSize,
    limits: Limits,
    /// The index of the next element.
    next: u64,
    /// The first bytes of the next element, if not all have arrived.
    partial: Vec<u8>,
    buffers: Buffers,
    has_failed: bool,
    of: std::marker::PhantomData<fn() -> T>,
}

impl<T: Element> Decoder<T> {
    /// Creates a decoder for the data that comes after this header.
    ///
    /// ```
    /// use npy_core::{Decoder, Header, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// [1.0, 2.0, 3.0].write_npy_to(&mut file)?;
    /// let (header, start) = Header::parse(&file)?;
    /// let mut decoder = Decoder::<f64>::new(&header)?;
    /// let mut x = Vec::new();
    /// decoder.feed(&file[start..start + 10], &mut x)?;
    /// assert_eq!(x, [1.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`ReadNpy::read_npy`](crate::ReadNpy::read_npy) for a dtype or a shape that the type does not have;
    /// [`ErrorKind::Unsupported`] for Python objects, and for elements that are sub-arrays, in Fortran order.
    pub fn new(header: &Header) -> Result<Self> {
        ReadOptions::new().decoder(header)
    }

    /// Decodes the next bytes of the data, and appends the elements that are complete to `out`. Returns the number of bytes that belong to
    /// the array: all of them, or fewer if the array ends within them.
    ///
    /// ```
    /// use npy_core::{Decoder, Header, Order};
    ///
    /// let header = Header::new(">u2".parse()?, [2], Order::C)?;
    /// let mut decoder = Decoder::<u16>::new(&header)?;
    /// let mut out = Vec::new();
    /// assert_eq!(decoder.feed(&[0, 1, 0], &mut out)?, 3);
    /// assert_eq!((&out[..], decoder.remaining()), (&[1][..], 1));
    /// assert_eq!(decoder.feed(&[2, 77, 78, 79], &mut out)?, 1);
    /// assert_eq!((&out[..], decoder.remaining()), (&[1, 2][..], 0));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidValue`], with the row, for bytes that are not a value of the type; `out` then has the elements before it.
    /// [`ErrorKind::Limit`] for more elements of zero bytes than [`Limits`](crate::Limits) allow. Every later call fails too.
    pub fn feed(&mut self, bytes: &[u8], out: &mut Vec<T>) -> Result<usize> {
        if mem::replace(&mut self.has_failed, true) {
            return Err(lost());
        }
        let size = self.plan.plan.src_itemsize;
        let mut rest = bytes;
        if !self.partial.is_empty() {
            let missing = checked::sub(size, self.partial.len()).min(rest.len());
            let (first, after) = checked::split(rest, missing);
            self.partial.extend_from_slice(first);
            rest = after;
            if self.partial.len() == size {
                let item = mem::take(&mut self.partial);
                self.decode(&item, 1, out)?;
                self.partial = item;
                self.partial.clear();
            }
        }
        if self.partial.is_empty() {
            let left = self.remaining();
            let count = rest.len().checked_div(size).unwrap_or(left).min(left);
            let (items, after) = checked::split(rest, checked::mul(count, size));
            self.decode(items, count, out)?;
            rest = after;
            if self.remaining() > 0 {
                self.partial.extend_from_slice(rest);
                rest = &[];
            }
        }
        self.has_failed = false;
        Ok(checked::sub(bytes.len(), rest.len()))
    }

    /// Decodes complete elements.
    fn decode(&mut self, items: &[u8], count: usize, out: &mut Vec<T>) -> Result<()> {
        check_zero_size_items::<T>(&self.plan.plan, count, &self.limits)?;
        let first = usize::try_from(self.next).unwrap_or(usize::MAX);
        decode_slice(&self.plan, first, items, count, &mut self.buffers, out)?;
        self.next = self.next.saturating_add(limits::to_u64(count));
        Ok(())
    }

    /// Checks that the array is complete.
    ///
    /// ```
    /// use npy_core::{Decoder, Header, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// [1.0, 2.0, 3.0].write_npy_to(&mut file)?;
    /// let (header, start) = Header::parse(&file)?;
    /// let mut decoder = Decoder::<f64>::new(&header)?;
    /// let mut x = Vec::new();
    /// decoder.feed(&file[start..start + 10], &mut x)?;
    /// assert!(decoder.finish().is_err());
    /// decoder.feed(&file[start + 10..], &mut x)?;
    /// decoder.finish()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Truncated`] if some of its bytes have not arrived. Elements of zero bytes are decoded by any call of
    /// [`feed`](Self::feed), also one without bytes; until then they are missing, too.
    pub fn finish(&self) -> Result<()> {
        if self.has_failed {
            return Err(lost());
        }
        if self.remaining() == 0 {
            return Ok(());
        }
        if self.plan.plan.src_itemsize == 0 {
            let reason = "the elements have no bytes, so none arrive with them: call Decoder::feed once with an empty slice";
            let (reason, remedy) = (reason.into(), String::new());
            return Err(ErrorKind::InvalidValue { reason, remedy }.into());
        }
        let size = limits::to_u64(self.plan.plan.src_itemsize);
        let found = self.next.saturating_mul(size);
        let found = found.saturating_add(limits::to_u64(self.partial.len()));
        Err(self.data.truncated(found))
    }
}

impl<T> Decoder<T> {
    /// Returns the number of elements that are not decoded yet. On a 32-bit target, this is `usize::MAX` if there are more.
    ///
    /// ```
    /// use npy_core::{Decoder, Header, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// [1.0, 2.0, 3.0].write_npy_to(&mut file)?;
    /// let (header, start) = Header::parse(&file)?;
    /// let mut decoder = Decoder::<f64>::new(&header)?;
    /// let mut x = Vec::new();
    /// decoder.feed(&file[start..start + 10], &mut x)?;
    /// assert_eq!(decoder.remaining(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn remaining(&self) -> usize {
        let left = self.plan.count.saturating_sub(self.next);
        usize::try_from(left).unwrap_or(usize::MAX)
    }
}

impl<T> fmt::Debug for Decoder<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(&type_name::<Self>())
            .field("remaining", &self.remaining())
            .finish_non_exhaustive()
    }
}

impl ReadOptions {
    /// Creates a decoder for the data that comes after this header; see [`Decoder`]. Threads do not matter.
    ///
    /// ```
    /// use npy_core::{Cast, Header, Order, ReadOptions};
    ///
    /// let header = Header::new("|u1".parse()?, [2], Order::C)?;
    /// let mut decoder = ReadOptions::new().cast(Cast::Lossless).decoder::<f32>(&header)?;
    /// let mut out = Vec::new();
    /// decoder.feed(&[1, 2], &mut out)?;
    /// assert_eq!(out, [1.0, 2.0]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Decoder::new`], and [`ErrorKind::Limit`] for an array over [`Limits::array_bytes`](crate::Limits::array_bytes).
    pub fn decoder<T: Element>(&self, header: &Header) -> Result<Decoder<T>> {
        let plan = TypedPlan::new::<T>(header, self.cast)?;
        plan.check_contiguous("the whole array: NpyArray::read_npy_from")?;
        self.limits.check_array(header.data_bytes())?;
        Ok(Decoder {
            plan: plan.items,
            data: DataSize::of(header),
            limits: self.limits,
            next: 0,
            partial: Vec::new(),
            buffers: Buffers::default(),
            has_failed: false,
            of: std::marker::PhantomData,
        })
    }
}
