//! W19: the sizes of compressed archives of seven kinds of data, and the times to write them and to read a part.

mod data;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use npy_core::{DynArray, ReadNpy, npz};

use crate::contest::median;
use crate::numpy::Numpy;
use crate::place::Place;
use data::KINDS;
pub(crate) use data::Random;

pub(crate) const ID: &str = "W19";

/// The bytes of each array.
const BYTES: u32 = 8 << 20;
const LEVELS: [u8; 3] = [1, 6, 9];
/// `np.savez_compressed` has no other.
const LEVEL_OF_NUMPY: u8 = 6;

/// The size and the times of one kind of data, compressed at one level.
pub(crate) struct Row {
    pub(crate) kind: &'static str,
    pub(crate) level: u8,
    /// The sizes, each divided by that of the `.npy` file: of zlib-rs without chunks, of ours with a seek index, and of NumPy.
    pub(crate) without_chunks: f64,
    pub(crate) ours: f64,
    pub(crate) numpy: Option<f64>,
    /// The time to write it, divided by that of zlib-rs without chunks.
    pub(crate) write: f64,
    /// The time to read ten rows in the middle, divided by the time to do so without a seek index.
    pub(crate) slice: f64,
}

impl Row {
    /// Returns true if the size misses its goal. At level 6, chunks add at most one hundredth; at level 1, no archive is larger than its data by
    /// more than a thousandth.
    pub(crate) fn is_missed(&self) -> bool {
        match self.level {
            1 => self.ours > 1.001,
            6 => self.ours > 1.01 * self.without_chunks,
            _ => false,
        }
    }
}

/// Measures every kind of data at every level.
pub(crate) fn measure(place: &Place, numpy: &mut Numpy, rounds: Option<usize>) -> Vec<Row> {
    let rounds = rounds.unwrap_or(5);
    let mut rows = Vec::new();
    for kind in KINDS {
        let input = place.path("sizes.npy");
        (kind.write)(&input, place.items(BYTES) as usize);
        let array = DynArray::read_npy(&input).unwrap();
        let bytes = fs::read(&input).unwrap();
        let of_raw = |size: u64| ratio(size, bytes.len() as u64);
        let numpy = of_raw(size_by_numpy(place, numpy));
        for level in LEVELS {
            let (plain, ours, other) =
                (place.path("plain.npz"), place.path("ours.npz"), place.path("other.npz"));
            let (mut write, mut slice) = (Vec::new(), Vec::new());
            for _ in 0..rounds {
                let without_chunks = time(|| write_without_chunks(&plain, &bytes, level));
                write.push(time(|| write_ours(&ours, &array, level, 1 << 20)) / without_chunks);
                write_ours(&other, &array, level, 0);
                let from_start = time(|| drop(read_slice(&other)));
                slice.push(time(|| drop(read_slice(&ours))) / from_start);
            }
            assert_eq!(read_slice(&ours), read_slice(&other), "{}", kind.name);
            rows.push(Row {
                kind: kind.name,
                level,
                without_chunks: of_raw(size_of(&plain)),
                ours: of_raw(size_of(&ours)),
                numpy: (level == LEVEL_OF_NUMPY).then_some(numpy),
                write: median(write),
                slice: median(slice),
            });
        }
    }
    rows
}

/// Writes an archive with the crate `zip`, which uses the same zlib-rs.
fn write_without_chunks(path: &Path, bytes: &[u8], level: u8) {
    let mut archive = zip::ZipWriter::new(fs::File::create(path).unwrap());
    let options = zip::write::FileOptions::default()
        .compression_method(zip::CompressionMethod::Deflated)
        .compression_level(Some(level.into()));
    archive.start_file("a.npy", options).unwrap();
    archive.write_all(bytes).unwrap();
    archive.finish().unwrap();
}

fn write_ours(path: &Path, array: &DynArray, level: u8, seek_every: u64) {
    let mut options = npz::WriteOptions::new();
    let mut archive = options.deflate(level).seek_every(seek_every).create(path).unwrap();
    archive.write("a", array).unwrap();
    archive.finish().unwrap();
}

/// Writes `sizes.npy` with NumPy, and returns the size of the archive.
fn size_by_numpy(place: &Place, numpy: &Numpy) -> u64 {
    numpy.contender(ID, place).run_once();
    size_of(&place.output())
}

/// Reads ten rows in the middle.
fn read_slice(path: &Path) -> Vec<u8> {
    const ROWS: usize = 10;
    let archive = npz::Reader::open(path).unwrap();
    let mut member = archive.member("a").unwrap();
    let rows = member.header().shape()[0];
    member.seek_to(rows / 2).unwrap();
    member.read_dyn_chunk(ROWS).unwrap().as_bytes().to_vec()
}

fn time(job: impl FnOnce()) -> f64 {
    let start = Instant::now();
    job();
    start.elapsed().as_secs_f64()
}

fn size_of(path: &Path) -> u64 {
    fs::metadata(path).unwrap().len()
}

#[expect(clippy::cast_precision_loss)] // It is rounded anyway.
fn ratio(size: u64, of: u64) -> f64 {
    size as f64 / of as f64
}
