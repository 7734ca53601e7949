//! Items one by one and in chunks, columns: what does not take the memory of the whole array.

use std::io::Read;
use std::marker::PhantomData;
use std::mem;
use std::sync::Arc;
use std::vec;

use super::{Known, Reader, Way};
use crate::element::Element;
use crate::element::block::{self, Buffers};
use crate::error::{Error, ErrorKind, Result};
use crate::plan::Plan;
use crate::reserve;

impl<R: Read> Reader<R> {
    /// The items that remain one by one, in the order of the file. A block of 256 KiB is read at a time; of it remains in the reader what
    /// was not asked for.
    ///
    /// ```
    /// use npy_core::{NpyRecord, Reader, WriteNpy};
    ///
    /// #[derive(NpyRecord)]
    /// struct Pick {
    ///     station: u32,
    ///     time: f64,
    /// }
    ///
    /// let mut file = Vec::new();
    /// [Pick { station: 7, time: 1.5 }, Pick { station: 9, time: 2.5 }].write_npy_to(&mut file)?;
    ///
    /// let mut reader = Reader::new(&file[..])?;
    /// let mut latest = f64::MIN;
    /// for pick in reader.records::<Pick>()? {
    ///     latest = latest.max(pick?.time);
    /// }
    /// assert_eq!(latest, 2.5);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Reader::read_vec`], but for the number of dimensions: those of an array of several are gone through in the order of the
    /// file. What goes wrong on the way is an item of the iterator, and its last.
    pub fn records<T: Element>(&mut self) -> Result<Records<'_, R, T>> {
        let known = self.located(Self::one_by_one::<T>)?;
        Ok(Records {
            reader: self,
            known,
            buffers: Buffers::default(),
            batch: Vec::new().into_iter(),
            error: None,
            of: PhantomData,
        })
    }

    /// Appends the next items to `out`, up to `max` of them. Gives how many, which is zero at the end only.
    ///
    /// ```
    /// use npy_core::{Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// [1u32, 2, 3, 4, 5].write_npy_to(&mut file)?;
    ///
    /// let mut reader = Reader::new(&file[..])?;
    /// let mut chunk = Vec::new();
    /// let mut sums = Vec::new();
    /// while reader.read_chunk::<u32>(&mut chunk, 2)? > 0 {
    ///     sums.push(chunk.drain(..).sum::<u32>());
    /// }
    /// assert_eq!(sums, [3, 7, 5]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Reader::records`]; `out` then has the items before the one that failed.
    pub fn read_chunk<T: Element>(&mut self, out: &mut Vec<T>, max: usize) -> Result<usize> {
        self.located(|reader| {
            let known = reader.one_by_one::<T>()?;
            let way = &known.way;
            let count = reader.left(way).min(max);
            block::check_empty::<T>(&way.plan, count, &reader.options.limits)?;
            reader.is_allowed(count.saturating_mul(way.plan.from_size))?;
            let mut buffers = mem::take(&mut reader.buffers);
            let read = reader.some(way, count, &mut buffers, out);
            if reader.remaining > 0 {
                reader.buffers = buffers.kept();
            }
            read.map(|()| count)
        })
    }

    /// One field of every record that remains, `"gain"`, or a part of one: `"head.gain"` of a record in it, `"samples[3]"` of a sub-array.
    /// Only that is kept.
    ///
    /// ```
    /// use npy_core::{NpyRecord, Reader, WriteNpy};
    ///
    /// #[derive(NpyRecord)]
    /// struct Pick {
    ///     station: u32,
    ///     time: f64,
    /// }
    ///
    /// let mut file = Vec::new();
    /// [Pick { station: 7, time: 1.5 }, Pick { station: 9, time: 2.5 }].write_npy_to(&mut file)?;
    /// assert_eq!(Reader::new(&file[..])?.read_column::<f64>("time")?, [1.5, 2.5]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Reader::read_vec`], and [`ErrorKind::MissingField`] for a field that is not there.
    pub fn read_column<F: Element>(&mut self, path: &str) -> Result<Vec<F>> {
        self.located(|reader| {
            reader.header.without_objects()?;
            let canonical = block::canonical::<F>()?;
            let name = || block::type_name::<F>();
            let plan = Plan::column(reader.header.dtype(), path, &canonical, reader.options.cast)
                .map_err(|error| error.wanted_by(&name()))?;
            let way = Way { plan, per_item: 1, count: reader.header.count() };
            let count = reader.left(&way);
            block::check_empty::<F>(&way.plan, count, &reader.options.limits)?;
            let mut out = Vec::new();
            if reader.is_there()? {
                reserve::exact(&mut out, count)?;
            }
            reader.some(&way, count, &mut Buffers::default(), &mut out)?;
            Ok(out)
        })
    }

    /// How items of `T` are taken one after the other.
    fn one_by_one<T: Element>(&mut self) -> Result<Arc<Known>> {
        let known = self.known::<T>()?;
        if known.fit.scattered {
            let what = "reading sub-arrays one by one from a file in Fortran order, where their parts are far apart,";
            let needs = "the whole array: use read_vec or read_array";
            return Err(ErrorKind::Unsupported { what: what.into(), needs }.into());
        }
        Ok(known)
    }
}

/// The items of an array one by one: the iterator of [`Reader::records`].
pub struct Records<'r, R, T> {
    reader: &'r mut Reader<R>,
    known: Arc<Known>,
    buffers: Buffers,
    batch: vec::IntoIter<T>,
    /// What stopped the reading, behind the items in the batch.
    error: Option<Error>,
    of: PhantomData<T>,
}

impl<R: Read, T: Element> Iterator for Records<'_, R, T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        if let Some(item) = self.batch.next() {
            // Only now is it taken: what is not asked for remains in the reader.
            self.reader.step(&self.known.way);
            return Some(Ok(item));
        }
        if let Some(error) = self.error.take() {
            self.reader.lose();
            return Some(Err(error));
        }
        let way = &self.known.way;
        // In memory they are no more than a block either, however large the type is.
        let in_memory = block::BLOCK.checked_div(size_of::<T>()).unwrap_or(block::BLOCK).max(1);
        let count = self.reader.left(way).min(block::items_per_block(&way.plan)).min(in_memory);
        if count == 0 || self.reader.is_lost() {
            return None;
        }
        let mut batch = Vec::new();
        let read = self.fill(count, &mut batch);
        self.error = read.map_err(|error| self.reader.in_file(error)).err();
        self.batch = batch.into_iter();
        self.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        // Or an error in place of the last.
        (0, self.reader.left(&self.known.way).checked_add(1))
    }
}

impl<R: Read, T: Element> Records<'_, R, T> {
    /// Decodes the items of the next block; those before one that fails, too.
    fn fill(&mut self, count: usize, batch: &mut Vec<T>) -> Result<()> {
        let way = &self.known.way;
        let first = self.reader.row(way);
        let (n, cut) = self.reader.look(way, count, &mut self.buffers)?;
        reserve::growing(batch, n)?;
        block::decode(&way.plan, n, &mut self.buffers, batch)
            .map_err(|error| block::invalid(&error, first))?;
        cut.map_or(Ok(()), Err)
    }
}
