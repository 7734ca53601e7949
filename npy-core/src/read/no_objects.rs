//! Arrays of Python objects in a program without the feature `objects`: an error that names it.

use super::reader::Reader;
use crate::array::NpyArray;
use crate::error::{Error, ErrorKind, Result};

impl<R> Reader<R> {
    pub(super) fn read_object_vec<T>(&mut self) -> Result<Vec<T>> {
        Err(self.needs_objects())
    }

    pub(super) fn read_object_array<T>(&mut self) -> Result<NpyArray<T>> {
        Err(self.needs_objects())
    }

    pub(super) fn read_object_single<T>(&mut self) -> Result<T> {
        Err(self.needs_objects())
    }

    pub(super) fn read_pickle_bytes(&mut self) -> Result<Vec<u8>> {
        Err(self.needs_objects())
    }

    fn needs_objects(&self) -> Error {
        let what = "reading an array of Python objects".into();
        let needs = "the feature `objects` of npy-core";
        self.in_file(ErrorKind::Unsupported { what, needs }.into())
    }
}

#[cfg(test)]
mod tests {
    use crate::{DynArray, Header, NpyArray, Order, ReadNpy};

    /// Guards programs that left the feature out: each way to read says which it is.
    #[test]
    fn an_array_of_objects_names_the_feature() {
        let header = Header::new("|O".parse().unwrap(), [1], Order::C).unwrap();
        let file = [header.to_bytes().unwrap(), b"\x80\x03]N.".to_vec()].concat();
        for result in [
            Vec::<f64>::read_npy_from(&file[..]).map(drop),
            Vec::<String>::read_npy_from(&file[..]).map(drop),
            NpyArray::<f64>::read_npy_from(&file[..]).map(drop),
            f64::read_npy_from(&file[..]).map(drop),
            DynArray::read_npy_from(&file[..]).map(drop),
        ] {
            let message = result.unwrap_err().to_string();
            assert!(message.contains("needs the feature `objects` of npy-core"), "{message}");
        }
    }
}
