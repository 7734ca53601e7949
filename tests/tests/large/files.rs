//! Files of many gigabytes, sparse so that they take little disk space.

use std::fs::{self, File};
use std::path::Path;

use npy_core::{Element, Header, NpyRecord, Order, ReadOptions, Reader, Void};
use npy_tests::alloc::peak;

/// 64 KiB.
#[derive(NpyRecord)]
struct Shot {
    id: u64,
    samples: Void<65_528>,
}

const SHOTS: usize = (10 << 30) / 65_536;

/// Makes a sparse file of ten gibibytes of zeros.
fn shots(path: &Path) {
    let header = Header::new(Shot::dtype(), [SHOTS], Order::C).unwrap().to_bytes().unwrap();
    let length = header.len() + SHOTS * 65_536;
    fs::write(path, header).unwrap();
    let file = File::options().write(true).open(path).unwrap();
    file.set_len(length as u64).unwrap();
}

#[test]
fn ten_gibibytes_stream_through_a_few_blocks() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("shots.npy");
    shots(&path);
    let whole = |shot: &Shot| shot.id == 0 && shot.samples.0[65_527] == 0;
    let mut reader = Reader::open(&path).unwrap();
    let (count, cost) = peak(|| {
        let shots = reader.records::<Shot>().unwrap().map(Result::unwrap);
        shots.filter(whole).count()
    });
    assert_eq!((count, reader.remaining()), (SHOTS, 0));
    assert!(cost <= 2 << 20, "{cost}");
    // Rows near the end are found without reading the file.
    reader.seek_to(SHOTS - 2).unwrap();
    assert_eq!(reader.records::<Shot>().unwrap().count(), 2);
    // In chunks, and with a second thread.
    let mut reader = ReadOptions::new().threads(2).open(&path).unwrap();
    let mut chunk = Vec::new();
    let mut count = 0;
    while reader.read_chunk::<Shot>(&mut chunk, 1_000).unwrap() > 0 {
        count += chunk.drain(..).filter(whole).count();
    }
    assert_eq!(count, SHOTS);
    let ids = Reader::open(&path).unwrap().read_column::<u64>("id").unwrap();
    assert_eq!(ids.len(), SHOTS);
}
