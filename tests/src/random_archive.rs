//! Archives of our writer, appender and editor by random calls, for other readers to judge.

use std::path::Path;

use npy_core::npz::{WriteOptions, Writer};
use npy_core::{DynArray, Order};

use crate::fuzz::Random;
use crate::zips::npy;

/// Returns bytes: noise, or what can be compressed.
pub fn bytes(random: &mut Random, most: usize) -> Vec<u8> {
    let length = random.below(most);
    filled(random, length)
}

fn filled(random: &mut Random, length: usize) -> Vec<u8> {
    let mask = [0, 3, 255][random.below(3)];
    (0..length).map(|_| random.byte() & mask).collect()
}

/// The names that members get: of several alphabets, nested, and with the ending.
const NAMES: [&str; 10] = [
    "a",
    "x.npy",
    "größe",
    "層/重み",
    "",
    "a/b/c",
    "🦀",
    "it's",
    "B",
    "long-name-of-a-member-that-goes-on",
];

/// The bytes before the data of a short array.
const HEADER: usize = 128;

/// The distances of seek indexes.
const CHUNKS: [usize; 3] = [4096, 1 << 16, 1 << 20];

fn array(random: &mut Random) -> DynArray {
    // Some members have several blocks of the compressor, or are some chunks, or a byte less or more.
    let bytes = match random.below(12) {
        0..4 => bytes(random, 10),
        4..8 => bytes(random, 5000),
        8 => bytes(random, 3 << 20),
        which => {
            let chunk = CHUNKS[[0, 0, 0, 0, 1, 1, 1, 2][random.below(8)]];
            let length = chunk * (1 + random.below(4)) + which - 10 - HEADER;
            filled(random, length)
        }
    };
    let dtype = "|u1".parse().expect("a dtype");
    let length = bytes.len();
    DynArray::new(dtype, [length], Order::C, bytes).expect("as many elements as bytes")
}

fn options(random: &mut Random) -> WriteOptions {
    let mut options = WriteOptions::new();
    if random.below(4) > 0 {
        options.deflate(u8::try_from(1 + random.below(9)).expect("a level"));
        let every = [0, CHUNKS[0], CHUNKS[1], CHUNKS[2]][random.below(4)];
        options.seek_every(every.try_into().expect("a distance"));
    }
    options.threads(1 + random.below(3));
    options
}

/// Writes an archive to this path by random calls: some members at first, some that are appended, some that are edited. Returns the members
/// in their order, with the names that zip has and their contents.
///
/// # Panics
///
/// If a call fails.
pub fn write(path: &Path, seed: u64) -> Vec<(String, Vec<u8>)> {
    let mut random = Random::new(seed);
    let random = &mut random;
    let mut members: Vec<(String, Vec<u8>)> = Vec::new();
    let mut unused: Vec<&str> = NAMES.to_vec();
    let mut add = |random: &mut Random, writer: &mut Writer<_>, members: &mut Vec<_>| {
        for _ in 0..random.below(4) {
            if unused.is_empty() {
                return;
            }
            let (name, array) = (unused.remove(random.below(unused.len())), array(random));
            writer.write(name, &array).expect("the member is written");
            members.push((zip_name(name), npy(&array)));
        }
    };
    let mut writer = options(random).create(path).expect("the archive is created");
    add(random, &mut writer, &mut members);
    writer.finish().expect("the archive is complete");
    for _ in 0..random.below(3) {
        let mut writer = options(random).append(path).expect("the archive is opened");
        add(random, &mut writer, &mut members);
        writer.finish().expect("the archive is complete");
    }
    if random.below(2) == 0 {
        edit(random, path, &mut members);
    }
    members
}

/// Removes, renames and replaces members.
fn edit(random: &mut Random, path: &Path, members: &mut Vec<(String, Vec<u8>)>) {
    let mut editor = options(random).edit(path).expect("the archive is opened");
    for _ in 0..random.below(4) {
        if members.is_empty() {
            break;
        }
        let index = random.below(members.len());
        let name = members[index].0.strip_suffix(".npy").expect("the ending").to_owned();
        match random.below(3) {
            0 => {
                editor.remove(&name).expect("it is there");
                members.remove(index);
            }
            1 => {
                let new = format!("{name}-{}", random.below(1 << 30));
                editor.rename(&name, &new).expect("the name is free");
                members[index].0 = zip_name(&new);
            }
            _ => {
                let array = array(random);
                editor.write(&name, &array).expect("the member is written");
                members[index].1 = npy(&array);
            }
        }
    }
    editor.finish().expect("the archive is replaced");
}

fn zip_name(name: &str) -> String {
    format!("{}.npy", name.strip_suffix(".npy").unwrap_or(name))
}
