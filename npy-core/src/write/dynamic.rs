//! Writes arrays whose dtype is only known at run time.

#[cfg(feature = "objects")]
use super::ArrayWriter;
use super::array_sink::ArraySink;
use super::blocks::write_blocks;
use super::{WriteNpy, WriteOptions};
use crate::dynamic::{DynArray, DynView};
use crate::error::Result;
use crate::header::{Header, Payload};
use crate::limits;
#[cfg(feature = "objects")]
use crate::objects::Objects;
use crate::plan::{Cast, Plan};
use crate::read::ReadNpy;

impl DynArray {
    /// Makes an array of anything that can be written: a list, an array of `ndarray`, text, a single value. It is what the file would have.
    ///
    /// ```
    /// use npy_core::DynArray;
    ///
    /// let array = DynArray::of(&["RJOB", "GRSS 2"])?;
    /// assert_eq!((array.dtype().to_string().as_str(), array.shape()), ("<U6", &[2][..]));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`WriteNpy::write_npy_to`].
    pub fn of<A: WriteNpy + ?Sized>(array: &A) -> Result<DynArray> {
        let mut file = Vec::new();
        array.write_npy_to(&mut file)?;
        DynArray::read_npy_from(&file[..])
    }
}

impl WriteOptions {
    /// Writes an array in its own byte order and memory order, unless the options state others.
    pub(super) fn write_dyn(&self, array: &DynView<'_>, sink: &mut dyn ArraySink) -> Result<()> {
        if array.header().payload() == Payload::Pickle {
            return self.write_pickle(array.header(), array.as_bytes(), sink);
        }
        let shape = array.shape();
        let order = self.order.unwrap_or(array.order());
        let dtype = match self.byte_order {
            Some(order) => array.dtype().with_byte_order(order),
            None => array.dtype().clone(),
        };
        let plan = Plan::new(array.dtype(), &dtype, Cast::Exact)?;
        self.write_header(dtype, shape, order, sink)?;
        let same_order = order.normalized(shape) == array.order().normalized(shape);
        if same_order && plan.is_exact() || array.as_bytes().is_empty() {
            sink.write_all(array.as_bytes())?;
            return Ok(());
        }
        let mut items = array.items_in(order);
        let mut encode = |n: usize, block: &mut Vec<u8>| {
            block.clear();
            items.by_ref().take(n).for_each(|item| block.extend_from_slice(item));
            Ok(n)
        };
        write_blocks(&plan, shape, &mut encode, sink)
    }
}

impl WriteOptions {
    /// Writes an array of Python objects, given as its pickle. The pickle states the byte order and
    /// the order of the elements, so the options cannot change them.
    pub(super) fn write_pickle(
        &self,
        header: &Header,
        pickle: &[u8],
        sink: &mut dyn ArraySink,
    ) -> Result<()> {
        self.begin(header, limits::to_u64(pickle.len()), sink)?;
        Ok(sink.write_all(pickle)?)
    }
}

#[cfg(feature = "objects")]
impl WriteNpy for Objects {
    fn write_npy_array(&self, to: ArrayWriter<'_>) -> Result<()> {
        to.options.write_pickle(self.header(), self.as_bytes(), to.sink)
    }
}
