//! W9: one column of many records. The floor maps the file, as NumPy does.

use std::path::Path;

use npy_core::{ReadOptions, Reader, WriteNpy};

use super::{input, once, reader};
use crate::by_hand::{self, Mapped};
use crate::contest::{Contender, Goal, Who, Workload};
use crate::peers;
use crate::place::Place;
use crate::records::{Tick, tick};

pub(super) const WORKLOADS: [Workload; 1] = [Workload {
    id: "W9",
    work: "read one `f32` column of 10 million packed records (270 MB)",
    goal: Goal::of(0.90).with_two(0.80),
    times: once,
    written: None,
    prepare,
    contenders,
    numpy: true,
}];

fn prepare(place: &Place) {
    let ticks: Vec<_> = (0..place.items(10_000_000)).map(tick).collect();
    ticks.write_npy(input(place)).unwrap();
}

fn x(record: &[u8; 27]) -> f32 {
    f32::from_le_bytes(record[12..16].try_into().unwrap())
}

fn contenders(place: &Place) -> Vec<Contender> {
    let mapped = |path: &Path| Mapped::open(path).data().as_chunks().0.iter().map(x).collect();
    let ours = |path: &Path| Reader::open(path).unwrap().read_column::<f32>("x").unwrap();
    let twice = |path: &Path| {
        let mut reader = ReadOptions::new().threads(2).open(path).unwrap();
        reader.read_column::<f32>("x").unwrap()
    };
    let npyz = |path: &Path| {
        peers::npyz(path).data::<Tick>().unwrap().map(|tick| tick.unwrap().x).collect()
    };
    vec![
        reader::<f32>(place, Who::ByHand, mapped),
        reader(place, Who::Ours, ours),
        reader(place, Who::OursTwice, twice),
        reader::<f32>(place, Who::Npyz, npyz),
        reader(place, Who::Other("by hand in blocks of 256 KiB"), |path| by_hand::read(path, x)),
    ]
}
