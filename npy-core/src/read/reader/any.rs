//! Reads an array as the type that its file has.

use std::io::Read;

use super::{Reader, whole};
use crate::any::{AnyArray, Variant, for_each_typed};
use crate::array::NpyArray;
use crate::dtype::{ByteOrder, Scalar, ScalarKind};
use crate::element::typed_plan::ItemPlan;
use crate::error::Result;
use crate::plan::{Cast, Plan};
use crate::read::ReadNpy;

macro_rules! typed {
    ($(#[doc = $doc:literal] $(#[$cfg:meta])* $variant:ident: $type:ty,)*) => {
        impl ReadNpy for AnyArray {
            fn read_npy_array<R: Read>(reader: &mut Reader<R>) -> Result<Self> {
                match Variant::of(reader.header.dtype()) {
                    $($(#[$cfg])* Some(Variant::$variant) => reader.read_array().map(AnyArray::$variant),)*
                    None => reader.read_no_element(),
                }
            }
        }
    };
}

for_each_typed!(typed);

impl<R: Read> Reader<R> {
    /// Reads the whole array, whose dtype is not that of an element.
    fn read_no_element(&mut self) -> Result<AnyArray> {
        match self.header.dtype().scalar().map(Scalar::kind) {
            Some(ScalarKind::Str) => ReadNpy::read_npy_array(self).map(AnyArray::Text),
            Some(ScalarKind::Bytes) => ReadNpy::read_npy_array(self).map(AnyArray::Bytes),
            Some(ScalarKind::DateTime(unit)) => Ok(AnyArray::DateTime(self.read_counts()?, unit)),
            Some(ScalarKind::TimeDelta(unit)) => Ok(AnyArray::TimeDelta(self.read_counts()?, unit)),
            _ => self.read_dyn().map(AnyArray::Other),
        }
    }

    /// Reads the whole array of times, whatever their unit, as their counts.
    fn read_counts(&mut self) -> Result<NpyArray<i64>> {
        self.located(|reader| {
            reader.check_nothing_read()?;
            let found = reader.header.dtype();
            let plan = Plan::new(found, &found.with_byte_order(ByteOrder::Little), Cast::Exact)?;
            let plan = ItemPlan::of_elements(plan, &reader.header);
            let counts = whole::values(reader, &plan, false)?;
            let stored = reader.header.order();
            let array = NpyArray::with_order(counts, reader.header.shape(), stored)?;
            whole::in_order(array, reader.order.unwrap_or(stored))
        })
    }
}
