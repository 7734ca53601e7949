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
