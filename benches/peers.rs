//! The other crates, used as their documentation shows.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use npyz::{AutoSerialize, Deserialize, NpyFile};

/// npyz reads one value at a time from its reader; its documentation says to use a buffered one.
pub(crate) fn npyz(path: &Path) -> NpyFile<BufReader<File>> {
    NpyFile::new(BufReader::new(File::open(path).unwrap())).unwrap()
}

pub(crate) fn npyz_reads<T: Deserialize>(path: &Path) -> Vec<T> {
    npyz(path).into_vec().unwrap()
}

pub(crate) fn npyz_writes<T: AutoSerialize + Copy>(path: &Path, items: &[T]) {
    npyz::to_file_1d(path, items.iter().copied()).unwrap();
}

pub(crate) fn ndarray_npy_reads<T: ndarray_npy::ReadableElement>(path: &Path) -> Vec<T> {
    let array: ndarray::Array1<T> = ndarray_npy::read_npy(path).unwrap();
    let (items, _) = array.into_raw_vec_and_offset();
    items
}
