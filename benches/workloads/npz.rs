//! W6 and W14: archives of twenty arrays, and of one large array.

use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::Path;
use std::rc::Rc;

use npy_core::{ReadNpy, WriteNpy, npz};
use npyz::WriterBuilder;

use super::{input, once};
use crate::by_hand::{self, Method};
use crate::contest::{Contender, Goal, Who, Workload};
use crate::place::Place;
use crate::sum::{Sum, together};

pub(super) const WORKLOADS: [Workload; 5] = [
    Workload {
        id: "W6a",
        work: "write an npz of 20 arrays of a million `f32`, stored",
        goal: Goal::of(1.0),
        times: once,
        written: Some(sum_of_file),
        prepare,
        contenders: |place| writing(place, Method::Stored),
        numpy: true,
    },
    Workload {
        id: "W6b",
        work: "read that archive",
        goal: Goal::of(0.85).with_two(0.70),
        times: once,
        written: None,
        prepare,
        contenders: |place| reading(&archive(place, Method::Stored)),
        numpy: true,
    },
    Workload {
        id: "W6c",
        work: "write the same arrays deflated, level 6",
        goal: Goal::of(1.5).with_two(0.85),
        times: once,
        written: Some(sum_of_file),
        prepare,
        contenders: |place| writing(place, Method::Deflated),
        numpy: true,
    },
    Workload {
        id: "W6d",
        work: "read the deflated archive",
        goal: Goal::of(1.25).with_two(0.72),
        times: once,
        written: None,
        prepare,
        contenders: |place| reading(&archive(place, Method::Deflated)),
        numpy: true,
    },
    Workload {
        id: "W14",
        work: "write one array of 20 million `f32`, deflated; by our one thread",
        goal: Goal::of(1.0).with_two(0.55),
        times: once,
        written: Some(sum_of_file),
        prepare,
        contenders: writing_one,
        numpy: true,
    },
];

const COUNT: usize = 20;

type Arrays = Vec<Vec<f32>>;

fn archive(place: &Place, method: Method) -> std::path::PathBuf {
    place.path(match method {
        Method::Stored => "stored.npz",
        Method::Deflated => "deflated.npz",
    })
}

fn name(i: usize) -> String {
    format!("array_{i}")
}

fn prepare(place: &Place) {
    let signal = signal(place, 20);
    signal.write_npy(input(place)).unwrap();
    let arrays = split(&signal);
    for method in [Method::Stored, Method::Deflated] {
        by_hand::write_archive(&archive(place, method), &arrays, method);
    }
}

/// Returns the numbers of this many arrays of a million. Every fourth array is noise, which compresses to about nine tenths, like weights. The
/// others are a signal with three decimal places, which compresses to less than half.
pub(super) fn signal(place: &Place, arrays: u32) -> Vec<f32> {
    let count = place.items(1_000_000);
    let mut random = 1_u32;
    let step = |i: u32| {
        random = random.wrapping_mul(0x915f_77f5).wrapping_add(1);
        let [_, low, high, sign] = random.to_le_bytes();
        if (i / count).is_multiple_of(4) {
            return (f32::from(u16::from_le_bytes([low, high])) + 0.1) * (f32::from(sign) - 127.3);
        }
        let swing = (f32::from(u16::try_from(i % 6283).unwrap()) * 0.001).sin();
        swing.mul_add(1000.0, f32::from(sign) * 0.04).round() * 0.001
    };
    (0..arrays * count).map(step).collect()
}

fn split(signal: &[f32]) -> Arrays {
    signal.chunks(signal.len() / COUNT).map(<[f32]>::to_vec).collect()
}

fn sum(arrays: &[Vec<f32>]) -> u64 {
    together(arrays.iter().map(|array| array.sum()))
}

fn sum_of_file(path: &Path) -> u64 {
    sum(&by_hand::read_archive(path))
}

fn writing(place: &Place, method: Method) -> Vec<Contender> {
    let arrays = Rc::new(split(&Vec::<f32>::read_npy(input(place)).unwrap()));
    let writer = |who, write: fn(&Path, &[Vec<f32>], Method)| {
        let (path, arrays) = (place.output(), Rc::clone(&arrays));
        Contender::writing(who, move || write(&path, &arrays, method))
    };
    vec![
        writer(Who::ByHand, by_hand::write_archive),
        writer(Who::Ours, |path, arrays, method| ours_writes(path, arrays, method, 1)),
        writer(Who::OursTwice, |path, arrays, method| ours_writes(path, arrays, method, 2)),
        writer(Who::Npyz, npyz_writes),
        writer(Who::NdarrayNpy, ndarray_npy_writes),
    ]
}

fn ours_writes(path: &Path, arrays: &[Vec<f32>], method: Method, threads: usize) {
    let mut options = npz::WriteOptions::new();
    if method == Method::Deflated {
        options.deflate(6);
    }
    let mut archive = options.threads(threads).create(path).unwrap();
    for (i, array) in arrays.iter().enumerate() {
        archive.write(&name(i), array).unwrap();
    }
    archive.finish().unwrap();
}

/// Writes one member with the numbers of W6c. Our one thread comes first, as the floor of the others.
fn writing_one(place: &Place) -> Vec<Contender> {
    let array = Rc::new([Vec::<f32>::read_npy(input(place)).unwrap()]);
    let writer = |who, threads| {
        let (path, array) = (place.output(), Rc::clone(&array));
        let write = move || ours_writes(&path, &*array, Method::Deflated, threads);
        Contender::writing(who, write)
    };
    vec![writer(Who::Ours, 1), writer(Who::OursTwice, 2)]
}

/// Writes as the feature `npz` of npyz does.
fn npyz_writes(path: &Path, arrays: &[Vec<f32>], method: Method) {
    let mut archive = zip::ZipWriter::new(BufWriter::new(File::create(path).unwrap()));
    let method = match method {
        Method::Stored => zip::CompressionMethod::Stored,
        Method::Deflated => zip::CompressionMethod::Deflated,
    };
    let options = zip::write::FileOptions::default().compression_method(method);
    for (i, array) in arrays.iter().enumerate() {
        archive.start_file(npyz::npz::file_name_from_array_name(&name(i)), options).unwrap();
        let shape = [u64::try_from(array.len()).unwrap()];
        let builder = npyz::WriteOptions::new().default_dtype().shape(&shape);
        let mut writer = builder.writer(&mut archive).begin_nd().unwrap();
        writer.extend(array.iter().copied()).unwrap();
        writer.finish().unwrap();
    }
    archive.finish().unwrap();
}

fn ndarray_npy_writes(path: &Path, arrays: &[Vec<f32>], method: Method) {
    let file = BufWriter::new(File::create(path).unwrap());
    let mut archive = match method {
        Method::Stored => ndarray_npy::NpzWriter::new(file),
        Method::Deflated => ndarray_npy::NpzWriter::new_compressed(file),
    };
    for (i, array) in arrays.iter().enumerate() {
        archive.add_array(name(i), &ndarray::ArrayView1::from(array)).unwrap();
    }
    archive.finish().unwrap();
}

fn reading(path: &Path) -> Vec<Contender> {
    let reader = |who, read: fn(&Path) -> Arrays| {
        let path = path.to_owned();
        Contender::new(who, move || read(&path), |arrays| sum(arrays))
    };
    vec![
        reader(Who::ByHand, by_hand::read_archive),
        reader(Who::Ours, |path| {
            let archive = npz::Reader::open(path).unwrap();
            (0..COUNT).map(|i| archive.read(&name(i)).unwrap()).collect()
        }),
        two_threads(path),
        reader(Who::Npyz, |path| {
            let file = BufReader::new(File::open(path).unwrap());
            let mut archive = zip::ZipArchive::new(file).unwrap();
            let read = |i| {
                let name = npyz::npz::file_name_from_array_name(&name(i));
                npyz::NpyFile::new(archive.by_name(&name).unwrap()).unwrap().into_vec().unwrap()
            };
            (0..COUNT).map(read).collect()
        }),
        reader(Who::NdarrayNpy, |path| {
            let mut archive = ndarray_npy::NpzReader::new(File::open(path).unwrap()).unwrap();
            let read = |i| {
                let array: ndarray::Array1<f32> = archive.by_name(&name(i)).unwrap();
                array.into_raw_vec_and_offset().0
            };
            (0..COUNT).map(read).collect()
        }),
    ]
}

/// Reads all members at once, as only `read_all` uses several threads.
fn two_threads(path: &Path) -> Contender {
    let path = path.to_owned();
    let all = move || npz::ReadOptions::new().threads(2).open(&path).unwrap().read_all().unwrap();
    Contender::new(Who::OursTwice, all, |arrays| {
        together(arrays.iter().map(|(_, array)| array.to_vec::<f32>().unwrap().sum()))
    })
}
