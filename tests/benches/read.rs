//! Reading large arrays, against a hand-written loop and a peer: `cargo xtask bench`.
//!
//! All contestants of a workload run in turn, round after round; what is printed is the median of the ratios to the
//! floor, taken round by round. The floor is the plain loop for the job: blocks of 256 KiB, safe code.

use std::fs::File;
use std::hint::black_box;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;
use std::time::Instant;

use npy_core::{Header, NpyRecord, Order, ReadNpy, Reader, WriteNpy, WriteOptions, Writer};

const ITEMS: u32 = 10_000_000;
const ROUNDS: usize = 9;

/// The packed 27-byte record of the workloads; 32 bytes in memory.
#[derive(NpyRecord, npyz::Deserialize, Debug, Clone, Copy, PartialEq)]
struct Tick {
    id: u32,
    time: f64,
    x: f32,
    y: f32,
    z: f32,
    flag: u8,
    count: i16,
}

fn tick(i: u32) -> Tick {
    let time = f64::from(i);
    #[expect(clippy::cast_possible_truncation)] // Any value will do.
    let (x, flag, count) = (time as f32, i as u8, i as i16);
    Tick { id: i, time, x, y: 0.5, z: -1.0, flag, count }
}

type Contestant<'a> = (&'a str, Box<dyn Fn() + 'a>);

/// Runs the contestants in turn; the first is the floor.
fn compare(name: &str, contestants: &[Contestant<'_>]) {
    let mut seconds = vec![Vec::new(); contestants.len()];
    for round in 0..=ROUNDS {
        for ((_, run), times) in contestants.iter().zip(&mut seconds) {
            let start = Instant::now();
            run();
            // The first round warms up.
            if round > 0 {
                times.push(start.elapsed().as_secs_f64());
            }
        }
    }
    let median = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    println!("{name}: floor {:.1} ms", median(seconds[0].clone()) * 1e3);
    for ((who, _), times) in contestants.iter().zip(&seconds) {
        let ratios = times.iter().zip(&seconds[0]).map(|(time, floor)| time / floor).collect();
        println!("  {who:<24} {:>6.2}", median(ratios));
    }
}

/// The floor: blocks of 256 KiB, each item decoded by hand.
fn by_hand<T, const SIZE: usize>(path: &Path, decode: impl Fn(&[u8; SIZE]) -> T) -> Vec<T> {
    let mut file = File::open(path).unwrap();
    let offset = npy_core::Header::read_from(&mut file).map(|_| file.stream_position().unwrap());
    file.seek(SeekFrom::Start(offset.unwrap())).unwrap();
    let bytes = usize::try_from(file.metadata().unwrap().len()).unwrap();
    let mut out = Vec::with_capacity(bytes / SIZE);
    let mut block = vec![0; (256 << 10) / SIZE * SIZE];
    loop {
        let mut filled = 0;
        while filled < block.len() {
            match file.read(&mut block[filled..]).unwrap() {
                0 => break,
                n => filled += n,
            }
        }
        if filled == 0 {
            return out;
        }
        out.extend(block[..filled].as_chunks().0.iter().map(&decode));
    }
}

fn tick_by_hand(item: &[u8; 27]) -> Tick {
    let at = |start: usize| -> [u8; 4] { item[start..start + 4].try_into().unwrap() };
    Tick {
        id: u32::from_le_bytes(at(0)),
        time: f64::from_le_bytes(item[4..12].try_into().unwrap()),
        x: f32::from_le_bytes(at(12)),
        y: f32::from_le_bytes(at(16)),
        z: f32::from_le_bytes(at(20)),
        flag: item[24],
        count: i16::from_le_bytes([item[25], item[26]]),
    }
}

fn by_npyz<T: npyz::Deserialize>(path: &Path) -> Vec<T> {
    let file = BufReader::new(File::open(path).unwrap());
    npyz::NpyFile::new(file).unwrap().into_vec().unwrap()
}

/// The floor of small files: one read of 4 KiB, and the data behind the header.
fn small_by_hand(path: &Path) -> Vec<f32> {
    let mut start = [0; 4096];
    let n = File::open(path).unwrap().read(&mut start).unwrap();
    let data = 10 + usize::from(u16::from_le_bytes([start[8], start[9]]));
    start[data..n].as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
}

/// A header of fifty fields, as text.
fn fifty_fields() -> Vec<u8> {
    let fields: Vec<_> = (0..50).map(|i| format!("('field_{i}', '<f4')")).collect();
    let descr = format!("[{}]", fields.join(", "));
    Header::new(descr.parse().unwrap(), [1000], Order::C).unwrap().to_bytes().unwrap()
}

/// What it takes to look at each byte of a header and find the strings in it.
fn strings(header: &[u8]) -> usize {
    header.split(|byte| *byte == b'\'').skip(1).step_by(2).map(<[u8]>::len).sum()
}

fn main() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let (numbers, big, ticks) = (path("numbers.npy"), path("big.npy"), path("ticks.npy"));
    let values: Vec<f64> = (0..ITEMS).map(f64::from).collect();
    values.write_npy(&numbers).unwrap();
    WriteOptions::new().byte_order(npy_core::ByteOrder::Big).write(&big, &values).unwrap();
    let all_ticks: Vec<_> = (0..ITEMS).map(tick).collect();
    all_ticks.write_npy(&ticks).unwrap();

    // The contestants agree, or the figures mean nothing.
    assert_eq!(by_hand(&ticks, tick_by_hand), Vec::<Tick>::read_npy(&ticks).unwrap());
    assert_eq!(by_npyz::<Tick>(&ticks), Vec::<Tick>::read_npy(&ticks).unwrap());

    compare(
        "W1r 1e7 f64",
        &[
            (
                "by hand",
                Box::new(|| drop(black_box(by_hand(&numbers, |b| f64::from_le_bytes(*b))))),
            ),
            ("npy-core", Box::new(|| drop(black_box(Vec::<f64>::read_npy(&numbers).unwrap())))),
            ("npyz", Box::new(|| drop(black_box(by_npyz::<f64>(&numbers))))),
        ],
    );
    compare(
        "W2r 1e7 packed records",
        &[
            ("by hand", Box::new(|| drop(black_box(by_hand(&ticks, tick_by_hand))))),
            ("npy-core", Box::new(|| drop(black_box(Vec::<Tick>::read_npy(&ticks).unwrap())))),
            ("npyz", Box::new(|| drop(black_box(by_npyz::<Tick>(&ticks))))),
        ],
    );
    compare(
        "W9 one f32 column of them",
        &[
            (
                "by hand",
                Box::new(|| {
                    drop(black_box(by_hand::<_, 27>(&ticks, |b| {
                        f32::from_le_bytes(b[12..16].try_into().unwrap())
                    })));
                }),
            ),
            (
                "npy-core",
                Box::new(|| {
                    let mut reader = Reader::open(&ticks).unwrap();
                    drop(black_box(reader.read_column::<f32>("x").unwrap()));
                }),
            ),
        ],
    );
    let small: Vec<_> = (0..5_000).map(|i| path(&format!("small_{i}.npy"))).collect();
    small.iter().for_each(|path| [0.5f32; 10].write_npy(path).unwrap());
    compare(
        "W5 5,000 files of ten f32",
        &[
            (
                "by hand",
                Box::new(|| small.iter().for_each(|path| drop(black_box(small_by_hand(path))))),
            ),
            (
                "npy-core",
                Box::new(|| {
                    for path in &small {
                        drop(black_box(Vec::<f32>::read_npy(path).unwrap()));
                    }
                }),
            ),
            (
                "npyz",
                Box::new(|| small.iter().for_each(|path| drop(black_box(by_npyz::<f32>(path))))),
            ),
        ],
    );
    let header = fifty_fields();
    let times = 0..2_000;
    compare(
        "W7 2,000 headers of 50 fields",
        &[
            (
                "find the strings",
                Box::new(|| times.clone().for_each(|_| _ = black_box(strings(&header)))),
            ),
            (
                "npy-core",
                Box::new(|| {
                    times.clone().for_each(|_| drop(black_box(Header::parse(&header).unwrap())));
                }),
            ),
            (
                "npyz",
                Box::new(|| {
                    let parse =
                        |_| drop(black_box(npyz::NpyHeader::from_reader(&header[..]).unwrap()));
                    times.clone().for_each(parse);
                }),
            ),
        ],
    );
    let out = path("out.npy");
    let by_hand_written =
        |bytes: &dyn Fn(&mut Vec<u8>, Range<usize>), count: usize, size: usize| {
            let mut file = File::create(&out).unwrap();
            let mut block = Vec::new();
            let step = (256 << 10) / size;
            for start in (0..count).step_by(step) {
                block.clear();
                bytes(&mut block, start..(start + step).min(count));
                file.write_all(&block).unwrap();
            }
        };
    compare(
        "W1w 1e7 f64 to a new file",
        &[
            (
                "by hand",
                Box::new(|| {
                    let bytes = |block: &mut Vec<u8>, range: Range<usize>| {
                        block.extend(values[range].iter().flat_map(|x| x.to_le_bytes()));
                    };
                    by_hand_written(&bytes, values.len(), 8);
                }),
            ),
            ("npy-core", Box::new(|| values.write_npy(&out).unwrap())),
        ],
    );
    compare(
        "W2w 1e7 packed records to a new file",
        &[
            (
                "by hand",
                Box::new(|| {
                    let bytes = |block: &mut Vec<u8>, range: Range<usize>| {
                        for tick in &all_ticks[range] {
                            let mut item = [0; 27];
                            item[..4].copy_from_slice(&tick.id.to_le_bytes());
                            item[4..12].copy_from_slice(&tick.time.to_le_bytes());
                            item[12..16].copy_from_slice(&tick.x.to_le_bytes());
                            item[16..20].copy_from_slice(&tick.y.to_le_bytes());
                            item[20..24].copy_from_slice(&tick.z.to_le_bytes());
                            item[24] = tick.flag;
                            item[25..].copy_from_slice(&tick.count.to_le_bytes());
                            block.extend_from_slice(&item);
                        }
                    };
                    by_hand_written(&bytes, all_ticks.len(), 27);
                }),
            ),
            ("npy-core", Box::new(|| all_ticks.write_npy(&out).unwrap())),
            (
                "npy-core Writer",
                Box::new(|| {
                    let mut writer = Writer::<Tick, _>::create(&out).unwrap();
                    writer.write_slice(&all_ticks).unwrap();
                    writer.finish().unwrap();
                }),
            ),
        ],
    );
    compare(
        "W4a 1e7 big-endian f64",
        &[
            ("by hand", Box::new(|| drop(black_box(by_hand(&big, |b| f64::from_be_bytes(*b)))))),
            ("npy-core", Box::new(|| drop(black_box(Vec::<f64>::read_npy(&big).unwrap())))),
            ("npyz", Box::new(|| drop(black_box(by_npyz::<f64>(&big))))),
        ],
    );
}
