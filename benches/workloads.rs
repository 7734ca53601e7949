//! The workloads, one file for each kind; each compares the floor, this library and its peers.

mod casts;
mod column;
mod header;
mod map;
mod npz;
mod objects;
mod parallel;
mod plain;
mod records;
mod seekable;
mod seismic;
mod small_files;
mod streaming;
mod swapped;

use std::path::{Path, PathBuf};
use std::rc::Rc;

use npy_core::{DynArray, ReadNpy, ReadOptions};

use crate::contest::{Contender, Who, Workload};
use crate::place::Place;
use crate::sum::{Sum, weighted};

pub(crate) fn all() -> impl Iterator<Item = &'static Workload> {
    let of_kinds: [&[Workload]; 14] = [
        &plain::WORKLOADS,
        &records::WORKLOADS,
        &seismic::WORKLOADS,
        &swapped::WORKLOADS,
        &casts::WORKLOADS,
        &small_files::WORKLOADS,
        &npz::WORKLOADS,
        &seekable::WORKLOADS,
        &header::WORKLOADS,
        &column::WORKLOADS,
        &streaming::WORKLOADS,
        &parallel::WORKLOADS,
        &objects::WORKLOADS,
        // Last, because its file of 2 GB fragments memory, and large pages are then slow to get.
        &map::WORKLOADS,
    ];
    of_kinds.into_iter().flatten()
}

/// The number of repetitions for workloads that are run once.
fn once(_: &Place) -> u32 {
    1
}

/// The path of the file that is read.
fn input(place: &Place) -> PathBuf {
    place.path("input.npy")
}

/// Returns a checksum of a written file: its dtype, shape and data. The header itself is left out, because its padding may differ.
fn file_sum(path: &Path) -> u64 {
    let array = DynArray::read_npy(path).unwrap();
    let what = format!("{} {:?} {:?}", array.dtype(), array.shape(), array.order());
    weighted(what.bytes().chain(array.as_bytes().iter().copied()).map(u64::from))
}

/// Returns a contender that reads the input into a list.
fn reader<T>(place: &Place, who: Who, read: impl Fn(&Path) -> Vec<T> + 'static) -> Contender
where
    [T]: Sum,
{
    let path = input(place);
    Contender::new(who, move || read(&path), |items| items.sum())
}

/// Reads with this library and two threads.
fn two_threads<A: ReadNpy>(path: &Path) -> A {
    ReadOptions::new().threads(2).read(path).unwrap()
}

/// Returns a contender that writes a list to the output.
fn writer<T: 'static>(
    place: &Place,
    items: &Rc<Vec<T>>,
    who: Who,
    write: impl Fn(&Path, &[T]) + 'static,
) -> Contender {
    let (path, items) = (place.output(), Rc::clone(items));
    Contender::writing(who, move || write(&path, &items))
}
