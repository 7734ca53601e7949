//! A reader compared with a model of it, which is an index into a list: random calls of every way to read and to seek, of files of random types,
//! shapes, orders and sources. `cargo xtask model` makes a million of these sequences.

mod file;
mod item;
mod steps;

use std::env;
use std::io::{self, Cursor, Read, Seek};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use npy_core::{ByteStr, Reader, npz};
use npy_tests::fuzz::Random;
use npy_tests::zips::{self, Raw};

use file::File;
use item::{Flag, Item, Trace, Wide};
use steps::{Model, Seeks};

/// Supplies a few bytes per call, and cannot seek.
struct Stream<'b> {
    bytes: &'b [u8],
    step: usize,
}

impl Read for Stream<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let most = out.len().min(self.step);
        self.bytes.read(&mut out[..most])
    }
}

fn seeks<R: Read + Seek>(may_fail: bool) -> Seeks<R> {
    Seeks { to: Reader::seek_to, to_row: Reader::seek_to_row, may_fail }
}

/// Makes random calls of a reader. Returns true if all elements were read.
fn run<R: Read, T: Item>(
    reader: Reader<R>,
    file: File<T>,
    seeks: Option<Seeks<R>>,
    random: &mut Random,
) -> bool {
    let mut model = Model::new(file);
    let mut reader = reader;
    for _ in 0..random.below(14) {
        match model.any(reader, seeks.as_ref(), random) {
            Some(again) => reader = again,
            None => return false,
        }
    }
    model.is_at_end()
}

fn sequence<T: Item>(random: &mut Random, most: usize, folder: &Path) {
    let file = File::<T>::random(random, most);
    let (end, name) = (file.bytes.len(), format!("{file:?}"));
    // Other bytes follow the array.
    let mut bytes = file.bytes.clone();
    bytes.extend(vec![0xEE; [0, 9, 5000][random.below(3)]]);
    match random.below(6) {
        0 | 1 => {
            let path = folder.join("x.npy");
            std::fs::write(&path, &bytes).unwrap();
            run(Reader::open(&path).unwrap(), file, Some(seeks(false)), random);
        }
        2 => {
            // The array need not be at the start.
            let before = random.below(300);
            let mut stream = Cursor::new([&vec![0xBB; before], &bytes[..]].concat());
            stream.set_position(before as u64);
            let reader = Reader::new(&mut stream).unwrap();
            let all = run(reader, file, Some(seeks(false)), random);
            let at = usize::try_from(stream.position()).unwrap() - before;
            assert!(if all { at == end } else { at <= end }, "{at} of {end}: {name}");
        }
        3 => {
            let step = [1 + random.below(7), 100_000][random.below(2)];
            let mut stream = Stream { bytes: &bytes, step };
            let all = run(Reader::new(&mut stream).unwrap(), file, None, random);
            let at = bytes.len() - stream.bytes.len();
            assert!(if all { at == end } else { at <= end }, "{at} of {end}: {name}");
        }
        source => {
            let member = Raw::of("x.npy", &file.bytes);
            let member = if source == 4 { member } else { member.deflated() };
            let archive =
                npz::Reader::new(Cursor::new(zips::archive(&[], &[member], &[]))).unwrap();
            run(archive.member("x").unwrap(), file, Some(seeks(source == 5)), random);
        }
    }
}

fn any(seed: u64, folder: &Path) {
    let random = &mut Random::new(seed);
    // Most files are small, some have several blocks, and some are just over the 4 KiB that are read at first.
    let most = match random.below(100) {
        0 => 90_000,
        1..8 => 3000,
        8..40 => 700,
        _ => 60,
    };
    match random.below(16) {
        0 | 1 => sequence::<u8>(random, most, folder),
        2..5 => sequence::<i16>(random, most, folder),
        5..8 => sequence::<f64>(random, most, folder),
        8 => sequence::<ByteStr<0>>(random, most, folder),
        9 | 10 => sequence::<Flag>(random, most, folder),
        11 if random.below(8) == 0 => sequence::<Wide>(random, 6, folder),
        _ => sequence::<Trace>(random, most, folder),
    }
}

/// A setting from the environment; by default that of a normal test run.
fn number(name: &str, usual: u64) -> u64 {
    env::var(name).map_or(usual, |text| text.parse().unwrap())
}

/// Guards the position of a reader: whatever was called before, the next call returns the next elements, and a call that seeks goes where it says.
#[test]
fn a_reader_is_an_index_into_a_list() {
    let (first, count) = (number("NPY_MODEL_SEED", 1), number("NPY_MODEL_SEQUENCES", 10_000));
    let next = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from).min(8) {
            scope.spawn(|| {
                let folder = tempfile::tempdir().unwrap();
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count {
                        break;
                    }
                    let seed = first + index;
                    if catch_unwind(AssertUnwindSafe(|| any(seed, folder.path()))).is_err() {
                        next.store(count, Ordering::Relaxed);
                        panic!("NPY_MODEL_SEED={seed} NPY_MODEL_SEQUENCES=1 repeats it");
                    }
                }
            });
        }
    });
    println!("{count} sequences from seed {first}");
}
