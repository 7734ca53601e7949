//! Implements `WriteNpy` for [`AnyArray`].

use super::{ArrayWriter, WriteNpy};
use crate::any::AnyArray;
use crate::error::Result;

impl WriteNpy for AnyArray {
    fn write_npy_array(&self, to: ArrayWriter<'_>) -> Result<()> {
        match (self, self.bytes()) {
            (AnyArray::Text(array), _) => array.write_npy_array(to),
            (AnyArray::Bytes(array), _) => array.write_npy_array(to),
            (AnyArray::Other(array), _) => array.write_npy_array(to),
            (array, bytes) => array.view_of(&bytes.unwrap_or_default())?.write_npy_array(to),
        }
    }
}
