//! The floors: the code that one would write by hand for the one file, safe where that is as fast.

mod halves;
mod header;
mod map;
pub(crate) mod tick;
mod zip;

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

pub(crate) use halves::read_halves;
pub(crate) use header::{Field, fields};
pub(crate) use map::Mapped;
#[cfg(unix)]
pub(crate) use map::pread;
pub(crate) use zip::{Method, read_archive, write_archive};

/// The size of a block, which stays in the cache between reading and decoding.
const BLOCK: usize = 256 << 10;

/// Opens a file and skips its header; returns the file and the number of bytes that follow.
pub(crate) fn open(path: &Path) -> (File, usize) {
    let mut file = File::open(path).unwrap();
    let length = usize::try_from(file.metadata().unwrap().len()).unwrap();
    let mut start = [0; 10];
    file.read_exact(&mut start).unwrap();
    let header = data_start(&start) - start.len();
    file.read_exact(&mut vec![0; header]).unwrap();
    (file, length - start.len() - header)
}

/// Returns the offset of the data, from the first ten bytes.
pub(crate) fn data_start(file: &[u8]) -> usize {
    10 + usize::from(u16::from_le_bytes([file[8], file[9]]))
}

/// Reads block by block, and decodes each item.
pub(crate) fn read<T, const SIZE: usize>(path: &Path, decode: impl Fn(&[u8; SIZE]) -> T) -> Vec<T> {
    let (mut file, bytes) = open(path);
    decoded(&mut file, bytes, decode, |_| ())
}

/// Reads this many bytes block by block, and calls `look` with the items of each block.
pub(crate) fn each_block<const SIZE: usize>(
    source: &mut impl Read,
    bytes: usize,
    mut look: impl FnMut(&[[u8; SIZE]]),
) {
    let mut block = vec![0; BLOCK / SIZE * SIZE];
    let mut left = bytes;
    while left > 0 {
        let size = left.min(block.len());
        source.read_exact(&mut block[..size]).unwrap();
        look(block[..size].as_chunks().0);
        left -= size;
    }
}

/// Decodes this many bytes of a stream; a callback receives each block.
fn decoded<T, const SIZE: usize>(
    source: &mut impl Read,
    bytes: usize,
    decode: impl Fn(&[u8; SIZE]) -> T,
    mut look: impl FnMut(&[u8]),
) -> Vec<T> {
    let mut out = Vec::with_capacity(bytes / SIZE);
    let mut block = vec![0; BLOCK / SIZE * SIZE];
    let mut left = bytes;
    while left > 0 {
        let size = left.min(block.len());
        source.read_exact(&mut block[..size]).unwrap();
        look(&block[..size]);
        out.extend(block[..size].as_chunks().0.iter().map(&decode));
        left -= size;
    }
    out
}

/// Writes block by block.
pub(crate) fn write<T, const SIZE: usize>(
    path: &Path,
    descr: &str,
    items: &[T],
    encode: impl Fn(&T) -> [u8; SIZE],
) {
    let mut file = File::create(path).unwrap();
    file.write_all(&header_of(descr, items.len())).unwrap();
    encoded(items, encode, |block| file.write_all(block).unwrap());
}

/// Encodes block by block.
fn encoded<T, const SIZE: usize>(
    items: &[T],
    encode: impl Fn(&T) -> [u8; SIZE],
    mut give: impl FnMut(&[u8]),
) {
    let mut block = vec![0; BLOCK / SIZE * SIZE];
    for part in items.chunks(BLOCK / SIZE) {
        for (bytes, item) in block.as_chunks_mut().0.iter_mut().zip(part) {
            *bytes = encode(item);
        }
        give(&block[..part.len() * SIZE]);
    }
}

/// Returns a header much like NumPy's.
fn header_of(descr: &str, count: usize) -> Vec<u8> {
    let dict = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': ({count},), }}");
    let length = (10 + dict.len() + 1).next_multiple_of(64) - 10;
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend(u16::try_from(length).unwrap().to_le_bytes());
    header.extend(format!("{dict:<width$}\n", width = length - 1).bytes());
    header
}

/// Reads a small file: one read of 4 KiB, which has the header and the data.
pub(crate) fn read_small(path: &Path) -> Vec<f32> {
    let mut start = [0; 4096];
    let n = File::open(path).unwrap().read(&mut start).unwrap();
    start[data_start(&start)..n].as_chunks().0.iter().map(|it| f32::from_le_bytes(*it)).collect()
}
