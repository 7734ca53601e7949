//! W15: arrays of Python objects.

use std::collections::BTreeMap;
use std::path::PathBuf;

use npy_core::{NpyArray, NpyView, ReadNpy, WriteNpy, WriteOptions, object};

use super::{input, once};
use crate::contest::{Contender, Goal, Who, Workload};
use crate::place::Place;
use crate::sum::{Sum, together, weighted};

pub(super) const WORKLOADS: [Workload; 2] = [
    Workload {
        id: "W15",
        work: "read a million texts that are Python objects; by NumPy",
        goal: Goal::of(1.0),
        times: once,
        written: None,
        prepare: prepare_texts,
        contenders: texts,
        numpy: true,
    },
    Workload {
        id: "W15d",
        work: "read a dict of ten arrays of a million `f64`; by reading ten files",
        goal: Goal::of(1.1),
        times: once,
        written: None,
        prepare: prepare_dict,
        contenders: dict,
        numpy: true,
    },
];

/// Writes the texts as NumPy does: in protocol 4, where each text is stored for later use, and in lists of a thousand.
fn prepare_texts(place: &Place) {
    let texts: Vec<_> = (0..place.items(1_000_000)).map(|i| format!("station-{i:07}")).collect();
    let mut file = Vec::new();
    WriteOptions::new().objects(true).write_to(&mut file, &texts).unwrap();
    let list = file.windows(2).position(|bytes| bytes == b"](").unwrap() + 1;
    file.truncate(list);
    let protocol = file.windows(2).position(|bytes| bytes == b"\x80\x03").unwrap() + 1;
    file[protocol] = 4;
    for texts in texts.chunks(1000) {
        file.push(b'(');
        for text in texts {
            file.extend([0x8c, u8::try_from(text.len()).unwrap()]);
            file.extend(text.as_bytes());
            file.push(0x94);
        }
        file.push(b'e');
    }
    file.extend(b"tb.");
    std::fs::write(input(place), file).unwrap();
}

/// NumPy is the floor.
fn texts(place: &Place) -> Vec<Contender> {
    let path = input(place);
    let read = move || Vec::<Option<String>>::read_npy(&path).unwrap();
    let sum = |texts: &Vec<Option<String>>| {
        let text =
            |text: &Option<String>| text.iter().flat_map(|text| text.bytes()).map(u64::from).sum();
        weighted(texts.iter().map(text))
    };
    vec![Contender::new(Who::Ours, read, sum)]
}

fn files(place: &Place) -> Vec<PathBuf> {
    (0..10).map(|i| place.path(&format!("part_{i}.npy"))).collect()
}

fn prepare_dict(place: &Place) {
    let numbers: Vec<f64> = (0..place.items(1_000_000)).map(f64::from).collect();
    let array = NpyView::new(&numbers, [numbers.len()]).unwrap();
    let dict: BTreeMap<_, _> = (0..10).map(|i| (format!("part_{i}"), &array)).collect();
    object::save(input(place), &dict).unwrap();
    files(place).iter().for_each(|path| array.write_npy(path).unwrap());
}

fn dict(place: &Place) -> Vec<Contender> {
    let (paths, path) = (files(place), input(place));
    let by_hand =
        move || paths.iter().map(|path| Vec::<f64>::read_npy(path).unwrap()).collect::<Vec<_>>();
    let arrays = move || object::load::<BTreeMap<String, NpyArray<f64>>>(&path).unwrap();
    let path = input(place);
    let any = move || object::load::<BTreeMap<String, npy_core::DynArray>>(&path).unwrap();
    vec![
        Contender::new(Who::ByHand, by_hand, |arrays| {
            together(arrays.iter().map(|array| array.sum()))
        }),
        Contender::new(Who::Ours, arrays, |dict| {
            together(dict.values().map(|array| array.as_slice_memory_order().sum()))
        }),
        Contender::new(Who::Other("as `DynArray`"), any, |dict| {
            together(dict.values().map(|array| array.to_vec::<f64>().unwrap().sum()))
        }),
    ]
}
