//! W1: ten million numbers.

use std::path::Path;
use std::rc::Rc;

use npy_core::{ReadNpy, WriteNpy};

use super::{file_sum, input, once, reader, two_threads, writer};
use crate::contest::{Contender, Goal, Who, Workload};
use crate::place::Place;
use crate::{by_hand, peers};

pub(super) const WORKLOADS: [Workload; 2] = [
    Workload {
        id: "W1r",
        work: "read 10 million `f64` (80 MB)",
        goal: Goal::of(0.60).with_two(0.55),
        times: once,
        written: None,
        prepare,
        contenders: reading,
        numpy: true,
    },
    Workload {
        id: "W1w",
        work: "write them to a new file",
        goal: Goal::of(1.05),
        times: once,
        written: Some(file_sum),
        prepare,
        contenders: writing,
        numpy: true,
    },
];

fn prepare(place: &Place) {
    let numbers: Vec<f64> = (0..place.items(10_000_000)).map(f64::from).collect();
    numbers.write_npy(input(place)).unwrap();
}

fn reading(place: &Place) -> Vec<Contender> {
    let by_hand = |path: &Path| by_hand::read(path, |bytes| f64::from_le_bytes(*bytes));
    vec![
        reader(place, Who::ByHand, by_hand),
        reader(place, Who::Ours, |path| Vec::<f64>::read_npy(path).unwrap()),
        reader(place, Who::OursTwice, two_threads::<Vec<f64>>),
        reader(place, Who::Npyz, peers::npyz_reads::<f64>),
        reader(place, Who::NdarrayNpy, peers::ndarray_npy_reads::<f64>),
    ]
}

fn writing(place: &Place) -> Vec<Contender> {
    let numbers = Rc::new(Vec::<f64>::read_npy(input(place)).unwrap());
    let by_hand = |path: &Path, numbers: &[f64]| {
        by_hand::write(path, "'<f8'", numbers, |number| number.to_le_bytes());
    };
    let ndarray_npy = |path: &Path, numbers: &[f64]| {
        ndarray_npy::write_npy(path, &ndarray::ArrayView1::from(numbers)).unwrap();
    };
    vec![
        writer(place, &numbers, Who::ByHand, by_hand),
        writer(place, &numbers, Who::Ours, |path, numbers| numbers.write_npy(path).unwrap()),
        writer(place, &numbers, Who::Npyz, peers::npyz_writes),
        writer(place, &numbers, Who::NdarrayNpy, ndarray_npy),
    ]
}
