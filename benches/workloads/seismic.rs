//! W3: twenty thousand seismic records, each with 1024 samples.

use std::path::Path;
use std::rc::Rc;

use npy_core::{ReadNpy, WriteNpy};

use super::{file_sum, input, once, reader, writer};
use crate::contest::{Contender, Goal, Who, Workload};
use crate::place::Place;
use crate::records::{Trace, trace};
use crate::{by_hand, peers};

pub(super) const WORKLOADS: [Workload; 2] = [
    Workload {
        id: "W3r",
        work: "read 20,000 seismic records of 1024 samples (82 MB)",
        goal: Goal::of(0.62),
        times: once,
        written: None,
        prepare,
        contenders: reading,
        numpy: true,
    },
    Workload {
        id: "W3w",
        work: "write them",
        goal: Goal::of(1.05),
        times: once,
        written: Some(file_sum),
        prepare,
        contenders: writing,
        numpy: true,
    },
];

const DESCR: &str =
    "[('id', '<u8'), ('start', '<i8'), ('gain', '<f4'), ('samples', '<f4', (1024,))]";

fn prepare(place: &Place) {
    let traces: Vec<_> = (0..place.items(20_000)).map(trace).collect();
    traces.write_npy(input(place)).unwrap();
}

fn read_by_hand(path: &Path) -> Vec<Trace> {
    by_hand::read(path, |item: &[u8; 4116]| {
        let mut samples = [0.0; 1024];
        for (sample, bytes) in samples.iter_mut().zip(item[20..].as_chunks().0) {
            *sample = f32::from_le_bytes(*bytes);
        }
        Trace {
            id: u64::from_le_bytes(item[..8].try_into().unwrap()),
            start: i64::from_le_bytes(item[8..16].try_into().unwrap()),
            gain: f32::from_le_bytes(item[16..20].try_into().unwrap()),
            samples,
        }
    })
}

fn write_by_hand(path: &Path, traces: &[Trace]) {
    by_hand::write(path, DESCR, traces, |trace| {
        let mut item = [0; 4116];
        item[..8].copy_from_slice(&trace.id.to_le_bytes());
        item[8..16].copy_from_slice(&trace.start.to_le_bytes());
        item[16..20].copy_from_slice(&trace.gain.to_le_bytes());
        for (bytes, sample) in item[20..].as_chunks_mut().0.iter_mut().zip(&trace.samples) {
            *bytes = sample.to_le_bytes();
        }
        item
    });
}

fn reading(place: &Place) -> Vec<Contender> {
    vec![
        reader(place, Who::ByHand, read_by_hand),
        reader(place, Who::Ours, |path| Vec::<Trace>::read_npy(path).unwrap()),
        reader(place, Who::Npyz, peers::npyz_reads::<Trace>),
    ]
}

fn writing(place: &Place) -> Vec<Contender> {
    let traces = Rc::new(Vec::<Trace>::read_npy(input(place)).unwrap());
    vec![
        writer(place, &traces, Who::ByHand, write_by_hand),
        writer(place, &traces, Who::Ours, |path, traces| traces.write_npy(path).unwrap()),
        writer(place, &traces, Who::Npyz, peers::npyz_writes),
    ]
}
