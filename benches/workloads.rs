//! The workloads, a file for each kind; in each the floor, ours and the peers side by side.

mod column;
mod header;
mod map;
mod npz;
mod parallel;
mod plain;
mod records;
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
    let of_kinds: [&[Workload]; 11] = [
        &plain::WORKLOADS,
        &records::WORKLOADS,
        &seismic::WORKLOADS,
        &swapped::WORKLOADS,
        &small_files::WORKLOADS,
        &npz::WORKLOADS,
        &header::WORKLOADS,
        &column::WORKLOADS,
        &streaming::WORKLOADS,
        &parallel::WORKLOADS,
        // Last: after its file of 2 GB memory is in pieces, and large pages come slowly.
        &map::WORKLOADS,
    ];
    of_kinds.into_iter().flatten()
}

/// A run does it once.
fn once(_: &Place) -> u32 {
    1
}

/// What is read.
fn input(place: &Place) -> PathBuf {
    place.path("input.npy")
}

/// What a file comes to that was written: its dtype, its shape and its data, as the header may be padded as one likes.
fn file_sum(path: &Path) -> u64 {
    let array = DynArray::read_npy(path).unwrap();
    let what = format!("{} {:?} {:?}", array.dtype(), array.shape(), array.order());
    weighted(what.bytes().chain(array.as_bytes().iter().copied()).map(u64::from))
}

/// One who reads the input into a list.
fn reader<T>(place: &Place, who: Who, read: impl Fn(&Path) -> Vec<T> + 'static) -> Contender
where
    [T]: Sum,
{
    let path = input(place);
    Contender::new(who, move || read(&path), |items| items.sum())
}

/// Ours, with a second thread.
fn two_threads<A: ReadNpy>(path: &Path) -> A {
    ReadOptions::new().threads(2).read(path).unwrap()
}

/// One who writes a list to the output.
fn writer<T: 'static>(
    place: &Place,
    items: &Rc<Vec<T>>,
    who: Who,
    write: impl Fn(&Path, &[T]) + 'static,
) -> Contender {
    let (path, items) = (place.output(), Rc::clone(items));
    Contender::writing(who, move || write(&path, &items))
}
