//! W2: ten million packed records of 27 bytes.

use std::path::Path;
use std::rc::Rc;

use npy_core::{ReadNpy, WriteNpy, Writer};

use super::{file_sum, input, once, reader, two_threads, writer};
use crate::contest::{Contender, Goal, Who, Workload};
use crate::place::Place;
use crate::records::{PackedTick, Tick, tick};
use crate::{by_hand, peers};

pub(super) const WORKLOADS: [Workload; 3] = [
    Workload {
        id: "W2r",
        work: "read 10 million packed records of 27 bytes as structs of 32",
        goal: Goal::of(0.65).with_two(0.60),
        times: once,
        written: None,
        prepare,
        contenders: reading,
        numpy: true,
    },
    Workload {
        id: "W2p",
        work: "read them as packed structs of 27 bytes",
        goal: Goal::of(0.50),
        times: once,
        written: None,
        prepare,
        contenders: packed,
        numpy: true,
    },
    Workload {
        id: "W2w",
        work: "write structs as packed records",
        goal: Goal::of(1.05),
        times: once,
        written: Some(file_sum),
        prepare,
        contenders: writing,
        numpy: true,
    },
];

fn prepare(place: &Place) {
    let ticks: Vec<_> = (0..place.items(10_000_000)).map(tick).collect();
    ticks.write_npy(input(place)).unwrap();
}

fn read_by_hand(path: &Path) -> Vec<Tick> {
    by_hand::read(path, by_hand::tick::little)
}

fn reading(place: &Place) -> Vec<Contender> {
    vec![
        reader(place, Who::ByHand, read_by_hand),
        reader(place, Who::Ours, |path| Vec::<Tick>::read_npy(path).unwrap()),
        reader(place, Who::OursTwice, two_threads::<Vec<Tick>>),
        reader(place, Who::Npyz, peers::npyz_reads::<Tick>),
    ]
}

fn packed(place: &Place) -> Vec<Contender> {
    vec![
        reader(place, Who::ByHand, read_by_hand),
        reader(place, Who::Ours, |path| Vec::<PackedTick>::read_npy(path).unwrap()),
    ]
}

fn writing(place: &Place) -> Vec<Contender> {
    let ticks = Rc::new(Vec::<Tick>::read_npy(input(place)).unwrap());
    let by_hand = |path: &Path, ticks: &[Tick]| {
        by_hand::write(path, by_hand::tick::DESCR, ticks, by_hand::tick::encoded);
    };
    let one_by_one = |path: &Path, ticks: &[Tick]| {
        let mut writer = Writer::<Tick, _>::create(path).unwrap();
        writer.extend(ticks).unwrap();
        writer.finish().unwrap();
    };
    vec![
        writer(place, &ticks, Who::ByHand, by_hand),
        writer(place, &ticks, Who::Ours, |path, ticks| ticks.write_npy(path).unwrap()),
        writer(place, &ticks, Who::Npyz, peers::npyz_writes),
        writer(place, &ticks, Who::Other("`Writer`, one by one"), one_by_one),
    ]
}
