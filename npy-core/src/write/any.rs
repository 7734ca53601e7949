//! Implements `WriteNpy` for [`AnyArray`].

use super::array_sink::ArraySink;
use super::elements::Elements;
use super::{ArrayWriter, WriteNpy, WriteOptions};
use crate::any::{AnyArray, for_each_typed};
use crate::array::NpyArray;
use crate::dtype::{ByteOrder, DType};
use crate::error::Result;

macro_rules! typed {
    ($(#[doc = $doc:literal] $(#[$cfg:meta])* $variant:ident: $type:ty,)*) => {
        impl WriteNpy for AnyArray {
            fn write_npy_array(&self, to: ArrayWriter<'_>) -> Result<()> {
                match self {
                    $($(#[$cfg])* AnyArray::$variant(array) => array.write_npy_array(to),)*
                    AnyArray::Text(array) => array.write_npy_array(to),
                    AnyArray::Bytes(array) => array.write_npy_array(to),
                    AnyArray::DateTime(counts, _) | AnyArray::TimeDelta(counts, _) => {
                        to.options.write_counts(&self.dtype(), counts, to.sink)
                    }
                    AnyArray::Other(array) => array.write_npy_array(to),
                }
            }
        }
    };
}

for_each_typed!(typed);

impl WriteOptions {
    /// Writes an array of times, given as counts of the unit of `dtype`.
    fn write_counts(
        &self,
        dtype: &DType,
        counts: &NpyArray<i64>,
        sink: &mut dyn ArraySink,
    ) -> Result<()> {
        let dtype = dtype.with_byte_order(self.byte_order.unwrap_or(ByteOrder::Little));
        let contiguous = Some((counts.as_slice_memory_order(), counts.order()));
        let elements = Elements { contiguous, each: |order| counts.in_order(order) };
        self.write_array_as(Some(dtype), counts.shape(), elements, sink)
    }
}
