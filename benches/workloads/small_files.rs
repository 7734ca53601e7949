//! W5: five thousand files of ten numbers.

use std::path::Path;

use npy_core::{ReadNpy, WriteNpy};

use crate::contest::{Contender, Goal, Who, Workload};
use crate::place::Place;
use crate::sum::{Sum, together};
use crate::{by_hand, peers};

pub(super) const WORKLOADS: [Workload; 1] = [Workload {
    id: "W5",
    work: "open and read 5,000 files of ten `f32`; of each",
    goal: Goal::of(1.5),
    times: count,
    written: None,
    prepare,
    contenders,
    numpy: true,
}];

fn count(place: &Place) -> u32 {
    place.items(5_000)
}

fn paths(place: &Place) -> impl Iterator<Item = std::path::PathBuf> {
    (0..count(place)).map(|i| place.path(&format!("small_{i:04}.npy")))
}

fn prepare(place: &Place) {
    for (i, path) in (0_u16..).zip(paths(place)) {
        [f32::from(i); 10].write_npy(path).unwrap();
    }
}

fn contenders(place: &Place) -> Vec<Contender> {
    let reader = |who, read: fn(&Path) -> Vec<f32>| {
        let paths: Vec<_> = paths(place).collect();
        let all = move || paths.iter().map(|path| read(path)).collect::<Vec<_>>();
        Contender::new(who, all, |arrays| together(arrays.iter().map(|array| array.sum())))
    };
    vec![
        reader(Who::ByHand, by_hand::read_small),
        reader(Who::Ours, |path| Vec::read_npy(path).unwrap()),
        reader(Who::Npyz, peers::npyz_reads),
        reader(Who::NdarrayNpy, peers::ndarray_npy_reads),
    ]
}
