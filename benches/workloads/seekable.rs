//! W17, W18 and W20: compressed members with a seek index, read in parts, by two threads, and whole.

use std::fs::File;
use std::io::{BufReader, Read, copy, sink};
use std::path::{Path, PathBuf};

use npy_core::npz;

use super::npz::signal;
use super::once;
use crate::by_hand::{self, data_start};
use crate::contest::{Contender, Goal, Who, Workload};
use crate::place::Place;
use crate::sizes::Random;
use crate::sum::Sum;

pub(super) const WORKLOADS: [Workload; 4] = [
    Workload {
        id: "W17",
        work: "read ten numbers in the middle of a deflated member of 500 MB",
        goal: Goal::of(0.02),
        times: once,
        written: None,
        prepare: write_walk,
        contenders: |place| slicing(&walk(place)),
        numpy: true,
    },
    Workload {
        id: "W17d",
        work: "the same of 160 MB that deflate to less than half",
        goal: Goal::of(0.02),
        times: once,
        written: None,
        prepare: write_signal,
        contenders: |place| slicing(&with_chunks(place)),
        numpy: true,
    },
    Workload {
        id: "W18",
        work: "read that member with two threads; by our one thread",
        goal: Goal::of(1.0).with_two(0.60),
        times: once,
        written: None,
        prepare: write_signal,
        contenders: |place| {
            let path = with_chunks(place);
            vec![whole(&path, Who::Ours, 1), whole(&path, Who::OursTwice, 2)]
        },
        numpy: false,
    },
    Workload {
        id: "W20",
        work: "read it with one thread; by a member without a seek index",
        goal: Goal::of(1.03),
        times: once,
        written: None,
        prepare: write_signal,
        contenders: |place| {
            let by_hand = |path: PathBuf| {
                let read = move || by_hand::read_archive(&path).remove(0);
                Contender::new(Who::Other("by hand"), read, |numbers: &Vec<f32>| numbers.sum())
            };
            vec![
                whole(&without_chunks(place), Who::Other("without a seek index"), 1),
                whole(&with_chunks(place), Who::Ours, 1),
                by_hand(with_chunks(place)),
            ]
        },
        numpy: false,
    },
];

const NAME: &str = "array_0";

/// The number of values that W17 reads.
const COUNT: usize = 10;

fn walk(place: &Place) -> PathBuf {
    place.path("walk.npz")
}

fn with_chunks(place: &Place) -> PathBuf {
    place.path("chunks.npz")
}

fn without_chunks(place: &Place) -> PathBuf {
    place.path("no_chunks.npz")
}

/// Writes a random walk at level 1.
fn write_walk(place: &Place) {
    if walk(place).exists() {
        return;
    }
    let mut random = Random::new(1);
    let mut at = 0.0;
    let mut step = || {
        at += random.normal();
        #[expect(clippy::cast_possible_truncation)] // It is a walk of either type.
        let value = at as f32;
        value
    };
    let numbers: Vec<_> = (0..place.items(125_000_000)).map(|_| step()).collect();
    write(&walk(place), &numbers, 1, 1 << 20);
}

/// Writes the numbers of W6, twice as many, in one member at level 6: with a seek index and without one.
fn write_signal(place: &Place) {
    if with_chunks(place).exists() {
        return;
    }
    let numbers = signal(place, 40);
    write(&with_chunks(place), &numbers, 6, 1 << 20);
    write(&without_chunks(place), &numbers, 6, 0);
}

fn write(path: &Path, numbers: &Vec<f32>, level: u8, seek_every: u64) {
    let mut options = npz::WriteOptions::new();
    let mut archive =
        options.deflate(level).seek_every(seek_every).threads(2).create(path).unwrap();
    archive.write(NAME, numbers).unwrap();
    archive.finish().unwrap();
}

fn whole(path: &Path, who: Who, threads: usize) -> Contender {
    let path = path.to_owned();
    let read = move || -> Vec<f32> {
        npz::ReadOptions::new().threads(threads).open(&path).unwrap().read(NAME).unwrap()
    };
    Contender::new(who, read, |numbers| numbers.sum())
}

/// Returns the contenders that read some values of the middle.
fn slicing(path: &Path) -> Vec<Contender> {
    let reader = |who, read: fn(&Path) -> Vec<f32>| {
        let path = path.to_owned();
        Contender::new(who, move || read(&path), |numbers| numbers.sum())
    };
    vec![
        reader(Who::ByHand, from_the_start),
        reader(Who::Ours, |path| {
            let archive = npz::Reader::open(path).unwrap();
            let mut member = archive.member(NAME).unwrap();
            let mut numbers = Vec::new();
            let count = member.header().shape()[0];
            member.seek_to(count / 2).unwrap();
            member.read_chunk(&mut numbers, COUNT).unwrap();
            numbers
        }),
        reader(Who::Npyz, |path| {
            let mut archive = archive(path);
            let member = archive.by_name("array_0.npy").unwrap();
            let member = npyz::NpyFile::new(member).unwrap();
            let middle = usize::try_from(member.header().len() / 2).unwrap();
            let numbers = member.data::<f32>().unwrap();
            numbers.skip(middle).take(COUNT).map(Result::unwrap).collect()
        }),
        reader(Who::NdarrayNpy, |path| {
            let mut archive = ndarray_npy::NpzReader::new(File::open(path).unwrap()).unwrap();
            let array: ndarray::Array1<f32> = archive.by_name(NAME).unwrap();
            let middle = array.len() / 2;
            array.slice(ndarray::s![middle..middle + COUNT]).to_vec()
        }),
    ]
}

fn archive(path: &Path) -> zip::ZipArchive<BufReader<File>> {
    zip::ZipArchive::new(BufReader::new(File::open(path).unwrap())).unwrap()
}

/// Inflates the member from its start up to the values.
fn from_the_start(path: &Path) -> Vec<f32> {
    let mut archive = archive(path);
    let mut member = archive.by_name("array_0.npy").unwrap();
    let mut start = [0; 10];
    member.read_exact(&mut start).unwrap();
    let header = data_start(&start) as u64;
    let middle = (member.size() - header) / 4 / 2 * 4;
    let before = header - start.len() as u64 + middle;
    copy(&mut member.by_ref().take(before), &mut sink()).unwrap();
    let mut bytes = [0; COUNT * 4];
    member.read_exact(&mut bytes).unwrap();
    bytes.as_chunks().0.iter().map(|number| f32::from_le_bytes(*number)).collect()
}
