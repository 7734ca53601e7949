//! W13: reading with two threads. The floor is the hand-written loop in two threads, each reading one half, into memory with large pages.

use std::path::Path;

use npy_core::{ByteOrder, Element, ReadOptions, WriteNpy, WriteOptions};

use super::{input, once, reader};
use crate::by_hand::{read_halves, tick};
use crate::contest::{Contender, Goal, Who, Workload};
use crate::place::Place;
use crate::records::{self, Tick};
use crate::sum::Sum;

pub(super) const WORKLOADS: [Workload; 5] = [
    workload("W13-1r", "two threads: read 10 million `f64`", numbers, of_numbers),
    workload("W13-2r", "two threads: read 10 million packed records", ticks, of_ticks),
    workload(
        "W13-4a",
        "two threads: read 10 million big-endian `f64`",
        big_numbers,
        of_big_numbers,
    ),
    workload("W13-4b", "two threads: read 10 million big-endian records", big_ticks, of_big_ticks),
    workload("W13-9", "two threads: read one `f32` column of them", ticks, of_column),
];

const fn workload(
    id: &'static str,
    work: &'static str,
    prepare: fn(&Place),
    contenders: fn(&Place) -> Vec<Contender>,
) -> Workload {
    let goal = Goal::of(1.1);
    Workload { id, work, goal, times: once, written: None, prepare, contenders, numpy: false }
}

fn numbers(place: &Place) {
    (0..place.items(10_000_000))
        .map(f64::from)
        .collect::<Vec<_>>()
        .write_npy(input(place))
        .unwrap();
}

fn big_numbers(place: &Place) {
    let numbers: Vec<_> = (0..place.items(10_000_000)).map(f64::from).collect();
    WriteOptions::new().byte_order(ByteOrder::Big).write(input(place), &numbers).unwrap();
}

fn ticks(place: &Place) {
    let ticks: Vec<_> = (0..place.items(10_000_000)).map(records::tick).collect();
    ticks.write_npy(input(place)).unwrap();
}

fn big_ticks(place: &Place) {
    let ticks: Vec<_> = (0..place.items(10_000_000)).map(records::tick).collect();
    WriteOptions::new().byte_order(ByteOrder::Big).write(input(place), &ticks).unwrap();
}

/// Returns the contenders: the hand-written loop, and this library with two threads and with one.
fn contenders<T: Element + 'static>(
    place: &Place,
    by_hand: fn(&Path) -> Vec<T>,
    ours: fn(&Path, usize) -> Vec<T>,
) -> Vec<Contender>
where
    [T]: Sum,
{
    vec![
        reader(place, Who::ByHand, by_hand),
        reader(place, Who::Ours, move |path| ours(path, 2)),
        reader(place, Who::Other("one thread"), move |path| ours(path, 1)),
    ]
}

fn whole<T: Element>(path: &Path, threads: usize) -> Vec<T> {
    ReadOptions::new().threads(threads).read(path).unwrap()
}

fn of_numbers(place: &Place) -> Vec<Contender> {
    contenders(place, |path| read_halves(path, |bytes| f64::from_le_bytes(*bytes)), whole)
}

fn of_big_numbers(place: &Place) -> Vec<Contender> {
    contenders(place, |path| read_halves(path, |bytes| f64::from_be_bytes(*bytes)), whole)
}

fn of_ticks(place: &Place) -> Vec<Contender> {
    contenders::<Tick>(place, |path| read_halves(path, tick::little), whole)
}

fn of_big_ticks(place: &Place) -> Vec<Contender> {
    contenders::<Tick>(place, |path| read_halves(path, tick::big), whole)
}

fn of_column(place: &Place) -> Vec<Contender> {
    let by_hand = |path: &Path| {
        read_halves(path, |record: &[u8; 27]| {
            f32::from_le_bytes(record[12..16].try_into().unwrap())
        })
    };
    let ours = |path: &Path, threads| {
        ReadOptions::new().threads(threads).open(path).unwrap().read_column::<f32>("x").unwrap()
    };
    contenders(place, by_hand, ours)
}
