//! W4: files in the other byte order.

use std::path::Path;

use npy_core::{ByteOrder, ReadNpy, WriteOptions};

use super::{input, once, reader};
use crate::contest::{Contender, Goal, Who, Workload};
use crate::place::Place;
use crate::records::{Tick, tick};
use crate::{by_hand, peers};

pub(super) const WORKLOADS: [Workload; 2] = [
    Workload {
        id: "W4a",
        work: "read 10 million big-endian `f64`",
        goal: Goal::of(0.60),
        times: once,
        written: None,
        prepare: |place| {
            prepare(place, &(0..place.items(10_000_000)).map(f64::from).collect::<Vec<_>>());
        },
        contenders: numbers,
        numpy: true,
    },
    Workload {
        id: "W4b",
        work: "read 10 million big-endian packed records",
        goal: Goal::of(0.65),
        times: once,
        written: None,
        prepare: |place| {
            prepare(place, &(0..place.items(10_000_000)).map(tick).collect::<Vec<_>>());
        },
        contenders: records,
        numpy: true,
    },
];

fn prepare<T: npy_core::Element>(place: &Place, items: &[T]) {
    WriteOptions::new().byte_order(ByteOrder::Big).write(input(place), items).unwrap();
}

fn numbers(place: &Place) -> Vec<Contender> {
    let by_hand = |path: &Path| by_hand::read(path, |bytes| f64::from_be_bytes(*bytes));
    vec![
        reader(place, Who::ByHand, by_hand),
        reader(place, Who::Ours, |path| Vec::<f64>::read_npy(path).unwrap()),
        reader(place, Who::Npyz, peers::npyz_reads::<f64>),
        reader(place, Who::NdarrayNpy, peers::ndarray_npy_reads::<f64>),
    ]
}

fn records(place: &Place) -> Vec<Contender> {
    vec![
        reader(place, Who::ByHand, |path| by_hand::read(path, by_hand::tick::big)),
        reader(place, Who::Ours, |path| Vec::<Tick>::read_npy(path).unwrap()),
        reader(place, Who::Npyz, peers::npyz_reads::<Tick>),
    ]
}
