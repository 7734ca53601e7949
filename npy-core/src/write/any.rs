//! Implements `WriteNpy` for [`AnyArray`].

use super::{ArrayWriter, WriteNpy};
use crate::any::AnyArray;
use crate::checked;
use crate::error::Result;

impl WriteNpy for AnyArray {
    fn write_npy_array(&self, to: ArrayWriter<'_>) -> Result<()> {
        match self {
            AnyArray::Text(array) => array.write_npy_array(to),
            AnyArray::Bytes(array) => array.write_npy_array(to),
            AnyArray::Other(array) => array.write_npy_array(to),
            // The bytes of numbers and times are always known.
            array => array.view_of(&checked::some(array.bytes()))?.write_npy_array(to),
        }
    }
}
