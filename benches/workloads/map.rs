//! W8: a file of two gigabytes, mapped.

// Only this benchmark uses its files.
#![allow(unsafe_code)]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{iter, thread};

use npy_core::{Map, ReadNpy, Reader, WriteNpy, Writer};

use super::once;
use crate::by_hand::{self, Mapped};
use crate::contest::{Contender, Goal, Who, Workload};
use crate::peers;
use crate::place::Place;
use crate::records::{PackedTick, Tick, tick};
use crate::sum::Sum;

pub(super) const WORKLOADS: [Workload; 4] = [
    Workload {
        id: "W8a",
        work: "open a map of a file of 2 GB",
        goal: Goal::of(2.0),
        times,
        written: None,
        prepare,
        contenders: opening,
        numpy: true,
    },
    Workload {
        id: "W8b",
        work: "read 1,000 random records of that file, mapped",
        goal: Goal::of(1.1),
        times: once,
        written: None,
        prepare,
        contenders: picking,
        numpy: true,
    },
    Workload {
        id: "W8b'",
        work: "read 1,000 random records with a `Reader`",
        goal: Goal::of(0.2),
        times: once,
        written: None,
        prepare,
        contenders: seeking,
        numpy: false,
    },
    Workload {
        id: "W8c",
        work: "sum one `f64` column of that file, mapped",
        goal: Goal::of(1.05).with_two(0.65),
        times: once,
        written: None,
        prepare,
        contenders: summing,
        numpy: true,
    },
];

/// The path of the file that all four workloads use.
fn large(place: &Place) -> PathBuf {
    place.path("large.npy")
}

fn rows(place: &Place) -> u32 {
    place.items(74_074_074)
}

fn times(place: &Place) -> u32 {
    place.items(1_000)
}

fn prepare(place: &Place) {
    std::fs::write(place.path("times"), times(place).to_string()).unwrap();
    let random = (0..1_000_u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16);
    let picks: Vec<_> = random.map(|random| random % u64::from(rows(place))).collect();
    picks.write_npy(place.path("picks.npy")).unwrap();
    if !large(place).exists() {
        let mut writer = Writer::<Tick, _>::create(large(place)).unwrap();
        writer.extend((0..rows(place)).map(tick)).unwrap();
        writer.finish().unwrap();
    }
}

fn map(path: &Path) -> Map<PackedTick> {
    // SAFETY: the file is in a folder of this benchmark's own, and no one writes to it while it is mapped.
    unsafe { Map::open(path) }.unwrap()
}

/// Returns a contender that opens the file repeatedly, and returns the number of records in it.
fn opener(place: &Place, who: Who, open: impl Fn(&Path) -> usize + 'static) -> Contender {
    let (path, times) = (large(place), times(place));
    let again = move || (0..times).map(|_| open(&path)).last();
    Contender::new(who, again, |rows| u64::try_from(rows.unwrap()).unwrap())
}

fn opening(place: &Place) -> Vec<Contender> {
    vec![
        opener(place, Who::ByHand, |path| Mapped::open(path).data().len() / 27),
        opener(place, Who::Ours, |path| map(path).len()),
        opener(place, Who::Npyz, |path| usize::try_from(peers::npyz(path).header().len()).unwrap()),
    ]
}

/// Returns a contender that opens the file and reads the records at some indices.
fn picker(
    place: &Place,
    who: Who,
    pick: impl Fn(&Path, &[usize]) -> Vec<Tick> + 'static,
) -> Contender {
    let path = large(place);
    let picks = Vec::<u64>::read_npy(place.path("picks.npy")).unwrap();
    let picks: Vec<_> = picks.into_iter().map(|pick| usize::try_from(pick).unwrap()).collect();
    Contender::new(who, move || pick(&path, &picks), |ticks| ticks.sum())
}

fn mapped_by_hand(path: &Path, picks: &[usize]) -> Vec<Tick> {
    let map = Mapped::open(path);
    let items = map.data().as_chunks().0;
    picks.iter().map(|&i| by_hand::tick::little(&items[i])).collect()
}

fn picking(place: &Place) -> Vec<Contender> {
    let ours = |path: &Path, picks: &[usize]| {
        let map = map(path);
        picks.iter().map(|&i| map[i].into()).collect()
    };
    vec![picker(place, Who::ByHand, mapped_by_hand), picker(place, Who::Ours, ours)]
}

fn seeking(place: &Place) -> Vec<Contender> {
    let ours = |path: &Path, picks: &[usize]| {
        let mut reader = Reader::open(path).unwrap();
        let mut ticks = Vec::with_capacity(picks.len());
        for &i in picks {
            reader.seek_to(i).unwrap();
            reader.read_chunk::<Tick>(&mut ticks, 1).unwrap();
        }
        ticks
    };
    let npyz = |path: &Path, picks: &[usize]| {
        let mut reader = peers::npyz(path).data::<Tick>().unwrap();
        picks.iter().map(|&i| reader.read_at(u64::try_from(i).unwrap()).unwrap()).collect()
    };
    vec![
        picker(place, Who::ByHand, mapped_by_hand),
        picker(place, Who::Ours, ours),
        picker(place, Who::Npyz, npyz),
        #[cfg(unix)]
        picker(place, Who::Other("`pread` by hand"), by_hand::pread),
    ]
}

/// Returns a contender that adds up the times.
fn adder(place: &Place, who: Who, add: impl Fn(&Path) -> f64 + 'static) -> Contender {
    let path = large(place);
    // The numbers are integers.
    Contender::new(who, move || add(&path), |sum| format!("{sum:.0}").parse().unwrap())
}

/// Adds up parts of a million rows; the next free thread takes the next part.
fn in_parts(path: &Path) -> f64 {
    const ROWS: usize = 1_000_000;
    let map = map(path);
    let times = map.column::<f64>("time").unwrap();
    let next = AtomicUsize::new(0);
    let work = || {
        let starts = iter::from_fn(|| Some(next.fetch_add(ROWS, Ordering::Relaxed)));
        let starts = starts.take_while(|&start| start < times.len());
        let sum = |start| {
            let rows = start..times.len().min(start + ROWS);
            times.range(rows).unwrap().iter().sum::<f64>()
        };
        starts.map(sum).sum::<f64>()
    };
    thread::scope(|scope| {
        let other = scope.spawn(work);
        work() + other.join().unwrap()
    })
}

fn summing(place: &Place) -> Vec<Contender> {
    let by_hand = |path: &Path| {
        let map = Mapped::open(path);
        let items = map.data().as_chunks::<27>().0;
        items.iter().map(|item| f64::from_le_bytes(item[4..12].try_into().unwrap())).sum()
    };
    let npyz = |path: &Path| {
        peers::npyz(path).data::<Tick>().unwrap().map(|tick| tick.unwrap().time).sum()
    };
    vec![
        adder(place, Who::ByHand, by_hand),
        adder(place, Who::Ours, |path| map(path).column::<f64>("time").unwrap().iter().sum()),
        adder(place, Who::OursTwice, in_parts),
        adder(place, Who::Npyz, npyz),
    ]
}
