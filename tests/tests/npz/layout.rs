//! The bytes of an archive: alignment, reproducibility, zip64.

use std::io::{Cursor, Write};

use npy_core::npz::{Reader, WriteOptions, Writer};
use npy_tests::fuzz::Random;

fn number(bytes: &[u8], at: usize) -> usize {
    usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]))
}

/// Returns the position of each member's data, computed from the member's own header.
fn data(file: &[u8]) -> Vec<usize> {
    let end = file.len() - 22;
    assert_eq!(file[end..end + 4], *b"PK\x05\x06", "no comment");
    let long = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
    let mut at = long(end + 16);
    let mut found = Vec::new();
    for _ in 0..number(file, end + 10) {
        let local = long(at + 42);
        found.push(local + 30 + number(file, local + 26) + number(file, local + 28));
        at += 46 + number(file, at + 28) + number(file, at + 30) + number(file, at + 32);
    }
    found
}

fn write(options: &WriteOptions) -> Vec<u8> {
    let mut writer = options.writer(Cursor::new(Vec::new())).unwrap();
    for length in 0..200 {
        writer.write(&"n".repeat(length), &vec![1u8; length]).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn stored_data_starts_on_a_multiple_of_64() {
    let starts = data(&write(&WriteOptions::new()));
    assert_eq!(starts.len(), 200);
    assert!(starts.iter().all(|start| start % 64 == 0), "{starts:?}");
    // Nobody views deflated data in place, so its headers have no padding.
    let deflated = write(WriteOptions::new().deflate(1));
    assert!(data(&deflated).iter().any(|start| start % 64 != 0));
    assert_eq!(number(&deflated, 28), 0);
    // Also in a stream, whose members have data descriptors.
    let mut writer = Writer::stream(Vec::new());
    for length in 0..100 {
        writer.write(&"n".repeat(length), &vec![1u8; length]).unwrap();
    }
    assert!(data(&writer.finish().unwrap()).iter().all(|start| start % 64 == 0));
}

#[test]
fn the_same_arrays_make_the_same_bytes() {
    let mut deflate = WriteOptions::new();
    deflate.deflate(6);
    assert_eq!(write(&deflate), write(&deflate));
    // For any number of threads, also for members of many blocks that are written in parts of other sizes.
    let noise: Vec<[u8; 3]> = (0..400_000u32)
        .map(|n| {
            let n = n.wrapping_mul(0x9E37_79B9) >> 20;
            [n.to_le_bytes()[0] & 15, n.to_le_bytes()[1], 7]
        })
        .collect();
    let big = |options: &WriteOptions| {
        let mut writer = options.writer(Cursor::new(Vec::new())).unwrap();
        for name in ["a", "b", "c"] {
            writer.write(name, &noise).unwrap();
        }
        writer.finish().unwrap().into_inner()
    };
    let one = big(&deflate);
    for threads in [2, 3, 8] {
        assert!(big(deflate.threads(threads)) == one, "{threads} threads");
    }
}

/// Writes a member of many blocks, and members of exactly one and two blocks of 1 MiB, including the header of 128
/// bytes.
#[test]
fn large_members_are_compressed_by_several_threads_to_the_same_bytes() {
    let mut random = Random::new(7);
    let letter = |n: u32| {
        if n.is_multiple_of(2) { n.to_le_bytes()[0] } else { random.below(16).to_le_bytes()[0] }
    };
    let letters: Vec<u8> = (0..7_000_000).map(letter).collect();
    let sizes = [letters.len(), (1 << 20) - 128, (2 << 20) - 128, (1 << 20) - 127, 0];
    fn fill<W: Write>(mut writer: Writer<W>, letters: &[u8], sizes: &[usize]) -> W {
        for &size in sizes {
            writer.write(&format!("{size}"), &letters[..size]).unwrap();
        }
        writer.finish().unwrap()
    }
    let levels: &[u8] = if npy_tests::is_thorough() { &[1, 6, 9] } else { &[6] };
    for &level in levels {
        let mut options = WriteOptions::new();
        options.deflate(level);
        let files = [1, 2, 3, 8].map(|threads| {
            options.threads(threads);
            let seekable = options.writer(Cursor::new(Vec::new())).unwrap();
            let seekable = fill(seekable, &letters, &sizes).into_inner();
            [seekable, fill(options.stream(Vec::new()), &letters, &sizes)]
        });
        assert!(files.iter().all(|file| *file == files[0]), "level {level}");
        for file in &files[0] {
            let reader = Reader::new(Cursor::new(file)).unwrap();
            for size in sizes {
                let read: Vec<u8> = reader.read(&format!("{size}")).unwrap();
                assert!(read == letters[..size], "{size} bytes, level {level}");
            }
        }
    }
}

#[test]
fn small_archives_are_not_zip64() {
    for file in [write(&WriteOptions::new()), write(WriteOptions::new().deflate(1))] {
        assert!(!file.windows(4).any(|part| part == b"PK\x06\x06"));
        // The sizes in the first header are not placeholders.
        assert_eq!(number(&file, 18), usize::from(file[18]));
    }
}

/// Guards floats and noise, which level 1 makes larger than they are: what does not shrink is stored, block by block.
#[test]
fn a_compressed_archive_is_not_larger_than_its_arrays() {
    let mut random = Random::new(11);
    let mut at = 0.0f32;
    let mut step = || (0..12).map(|_| random.below(1000) as f32 / 1000.0).sum::<f32>() - 6.0;
    let walk: Vec<f32> = (0..3 << 18)
        .map(|_| {
            at += step();
            at
        })
        .collect();
    let mut random = Random::new(12);
    let noise: Vec<u8> = (0..3 << 20).map(|_| random.below(256).to_le_bytes()[0]).collect();
    let (levels, threads) =
        if npy_tests::is_thorough() { (&[1, 6, 9][..], &[1, 2][..]) } else { (&[6][..], &[2][..]) };
    for &level in levels {
        for &threads in threads {
            let mut options = WriteOptions::new();
            options.deflate(level).threads(threads);
            let mut writer = options.writer(Cursor::new(Vec::new())).unwrap();
            writer.write("walk", &walk).unwrap();
            writer.write("noise", &noise).unwrap();
            let file = writer.finish().unwrap().into_inner();
            assert!(file.len() <= 6 * 1_049_600, "level {level}: {} bytes", file.len());
            let reader = Reader::new(Cursor::new(file)).unwrap();
            assert!(reader.read::<Vec<f32>>("walk").unwrap() == walk);
            assert!(reader.read::<Vec<u8>>("noise").unwrap() == noise);
        }
    }
}

#[test]
fn more_than_65535_members_use_zip64() {
    const COUNT: u32 = 65_600;
    let mut writer = Writer::new(Cursor::new(Vec::new())).unwrap();
    for n in 0..COUNT {
        writer.write(&format!("{n}"), &n).unwrap();
    }
    let file = writer.finish().unwrap().into_inner();
    assert!(file.windows(4).any(|part| part == b"PK\x06\x06"));
    let reader = Reader::new(Cursor::new(file)).unwrap();
    assert_eq!(reader.len(), COUNT as usize);
    for n in [0, 1, 65_535, 65_536, COUNT - 1] {
        assert_eq!(reader.read::<u32>(&format!("{n}")).unwrap(), n);
    }
}

/// Guards that the compressed bytes of a block do not depend on what the same thread compressed before it. The data is one for which they
/// did.
#[test]
fn noise_is_compressed_by_several_threads_to_the_same_bytes() {
    let mut random = Random::new(7);
    let noise: Vec<u8> = (0..12 << 20).map(|_| random.below(4).to_le_bytes()[0]).collect();
    let levels: &[u8] = if npy_tests::is_thorough() { &[1, 6] } else { &[1] };
    for &level in levels {
        let files = [1, 2, 3, 8].map(|threads| {
            let mut options = WriteOptions::new();
            let mut writer =
                options.deflate(level).threads(threads).writer(Cursor::new(Vec::new())).unwrap();
            writer.write("zeros", &vec![7u8; 3 << 20]).unwrap();
            writer.write("noise", &noise).unwrap();
            writer.finish().unwrap().into_inner()
        });
        assert!(files.iter().all(|file| *file == files[0]), "level {level}");
    }
}
