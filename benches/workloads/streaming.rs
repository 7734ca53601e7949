//! W11 and W12: records one by one, and a few at a time.

use std::path::Path;

use npy_core::{NpyView, Reader, WriteNpy};

use super::{input, once, reader};
use crate::contest::{Contender, Goal, Who, Workload};
use crate::place::Place;
use crate::records::{Tick, tick};
use crate::{by_hand, peers};

pub(super) const WORKLOADS: [Workload; 3] = [
    Workload {
        id: "W11",
        work: "sum one field of 10 million packed records, one by one",
        goal: Goal::of(1.2),
        times: once,
        written: None,
        prepare,
        contenders: one_by_one,
        numpy: false,
    },
    Workload {
        id: "W12",
        work: "sum it in chunks of 3 records",
        goal: Goal::of(2.0),
        times: once,
        written: None,
        prepare,
        contenders: in_chunks,
        numpy: false,
    },
    Workload {
        id: "W12r",
        work: "sum the first column of 10 million rows of 3 `f64`, the 3 known at run time",
        goal: Goal::of(2.0),
        times: once,
        written: None,
        prepare: |place| {
            let rows = place.items(10_000_000);
            let numbers: Vec<f64> = (0..3 * rows).map(f64::from).collect();
            let shape = [numbers.len() / 3, 3];
            NpyView::new(&numbers, shape).unwrap().write_npy(input(place)).unwrap();
        },
        contenders: in_rows,
        numpy: false,
    },
];

fn prepare(place: &Place) {
    let ticks: Vec<_> = (0..place.items(10_000_000)).map(tick).collect();
    ticks.write_npy(input(place)).unwrap();
}

/// Reads blocks of 256 KiB and extracts the one field.
fn by_hand(path: &Path) -> Vec<f64> {
    sum_by_hand::<27>(path, 4)
}

/// Sums the number at this offset in each item.
fn sum_by_hand<const SIZE: usize>(path: &Path, at: usize) -> Vec<f64> {
    let (mut file, bytes) = by_hand::open(path);
    let mut sum = 0.0;
    by_hand::each_block::<SIZE>(&mut file, bytes, |items| {
        for item in items {
            sum += f64::from_le_bytes(item[at..at + 8].try_into().unwrap());
        }
    });
    vec![sum]
}

fn one_by_one(place: &Place) -> Vec<Contender> {
    let ours = |path: &Path| {
        let mut reader = Reader::open(path).unwrap();
        vec![reader.records::<Tick>().unwrap().map(|tick| tick.unwrap().time).sum()]
    };
    let npyz = |path: &Path| {
        vec![peers::npyz(path).data::<Tick>().unwrap().map(|tick| tick.unwrap().time).sum()]
    };
    vec![
        reader::<f64>(place, Who::ByHand, by_hand),
        reader::<f64>(place, Who::Ours, ours),
        reader::<f64>(place, Who::Npyz, npyz),
    ]
}

fn in_chunks(place: &Place) -> Vec<Contender> {
    let ours = |path: &Path| {
        let mut reader = Reader::open(path).unwrap();
        let (mut chunk, mut sum) = (Vec::new(), 0.0);
        while reader.read_chunk::<Tick>(&mut chunk, 3).unwrap() > 0 {
            sum += chunk.iter().map(|tick| tick.time).sum::<f64>();
            chunk.clear();
        }
        vec![sum]
    };
    vec![reader::<f64>(place, Who::ByHand, by_hand), reader::<f64>(place, Who::Ours, ours)]
}

fn in_rows(place: &Place) -> Vec<Contender> {
    let ours = |path: &Path| {
        let mut reader = Reader::open(path).unwrap();
        let (mut rows, mut sum) = (reader.rows::<f64>().unwrap(), 0.0);
        while let Some(row) = rows.next_row().unwrap() {
            sum += row[0];
        }
        vec![sum]
    };
    let by_hand = |path: &Path| sum_by_hand::<24>(path, 0);
    vec![reader::<f64>(place, Who::ByHand, by_hand), reader::<f64>(place, Who::Ours, ours)]
}
