//! An array of raw bytes, read as the numbers that these are.

use npy_core::{ByteOrder, DType, DynArray, Header};

use super::reader::DynReader;
use crate::ml_dtype::MlDtype;

/// Reads numbers of ml_dtypes as `f4`, which has all of them exactly.
pub(super) struct Widened {
    reader: Box<dyn DynReader>,
    numbers: MlDtype,
    header: Header,
}

impl Widened {
    pub(super) fn new(reader: Box<dyn DynReader>, numbers: MlDtype) -> npy_core::Result<Self> {
        let found = reader.header();
        let header = Header::new(f4()?, found.shape(), found.order())?;
        Ok(Widened { reader, numbers, header })
    }

    fn widen(&self, array: DynArray) -> npy_core::Result<DynArray> {
        let little = array.into_byte_order(ByteOrder::Little)?;
        DynArray::new(f4()?, little.shape(), little.order(), self.numbers.widen(little.as_bytes()))
    }
}

fn f4() -> npy_core::Result<DType> {
    "<f4".parse()
}

impl DynReader for Widened {
    fn header(&self) -> &Header {
        &self.header
    }

    fn data_offset(&self) -> u64 {
        self.reader.data_offset()
    }

    fn read_rows(&mut self, rows: usize) -> npy_core::Result<DynArray> {
        let rows = self.reader.read_rows(rows)?;
        self.widen(rows)
    }

    fn read_all(&mut self) -> npy_core::Result<DynArray> {
        let array = self.reader.read_all()?;
        self.widen(array)
    }

    fn seek_to_row(&mut self, row: usize) -> npy_core::Result<()> {
        self.reader.seek_to_row(row)
    }

    fn flatten(self: Box<Self>) -> npy_core::Result<Box<dyn DynReader>> {
        Ok(Box::new(Widened::new(self.reader.flatten()?, self.numbers)?))
    }
}
