//! A crate of a user, outside the workspace: its array type is read and written like those of npy-core.

use std::io::Read;

use npy_core::{
    ArrayWriter, Element, Error, NpyArray, NpyView, Order, ReadNpy, Reader, Result, WriteNpy,
};

/// A picture: rows of pixels, one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture<T> {
    pub width: usize,
    pub pixels: Vec<T>,
}

impl<T: Element> WriteNpy for Picture<T> {
    fn write_npy_array(&self, to: ArrayWriter<'_>) -> Result<()> {
        let height = self.pixels.len().checked_div(self.width).unwrap_or(0);
        NpyView::new(&self.pixels, [height, self.width])?.write_npy_array(to)
    }
}

impl<T: Element> ReadNpy for Picture<T> {
    fn read_npy_array<R: Read>(reader: &mut Reader<R>) -> Result<Self> {
        let array: NpyArray<T> = reader.read_array()?;
        let &[_, width] = array.shape() else {
            let rank = array.shape().len();
            return Err(Error::custom(format!("a picture has two dimensions, found {rank}")));
        };
        Ok(Picture { width, pixels: array.into_order(Order::C).into_vec() })
    }
}
