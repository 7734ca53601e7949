//! Any bytes as a damaged file: nothing panics, and a repaired file needs no repair, by the same program and by the library.

use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;

use npy_core::{DynArray, NpyArray, Order, ReadNpy, UncountedRows, WriteNpy};
use npy_repair::{Options, Raw, diagnose};
use npy_tests::fuzz::{Random, mutate};
use npy_zip::{Compression, Directory, Limits, Writer};

/// Returns files of each kind, which are right.
fn seeds() -> Vec<(&'static str, Vec<u8>)> {
    let array = |order, shape: [usize; 2]| {
        let values: Vec<u16> = (0..12).collect();
        let mut bytes = Vec::new();
        NpyArray::with_order(values, shape, order).unwrap().write_npy_to(&mut bytes).unwrap();
        bytes
    };
    let mut names = Vec::new();
    ["größe", "\n"].write_npy_to(&mut names).unwrap();
    let members = [array(Order::C, [4, 3]), names.clone(), b"text".to_vec()];
    let archive = |compression, is_stream| {
        fn fill<W: Write>(mut writer: Writer<W>, members: &[Vec<u8>]) -> W {
            for (name, bytes) in ["a.npy", "größe.npy", "c"].into_iter().zip(members) {
                let added = writer.add(name, |member| {
                    member.begin(bytes.len() as u64)?;
                    member.write_all(bytes)
                });
                added.unwrap();
            }
            writer.finish().unwrap()
        }
        match is_stream {
            true => fill(Writer::stream(Vec::new(), compression), &members),
            false => {
                fill(Writer::seekable(Cursor::new(Vec::new()), compression).unwrap(), &members)
                    .into_inner()
            }
        }
    };
    let text = array(Order::C, [4, 3])
        .iter()
        .flat_map(|byte| match byte {
            b'\n' => vec![b'\r', b'\n'],
            byte => vec![*byte],
        })
        .collect();
    vec![
        ("npy", array(Order::C, [4, 3])),
        ("npy", array(Order::Fortran, [4, 3])),
        ("npy", names),
        ("npy", text),
        ("npz", archive(Compression::stored(), false)),
        ("npz", archive(Compression::deflate(6, 1), false)),
        ("npz", archive(Compression::stored(), true)),
        ("npz", archive(Compression::deflate(6, 1), true)),
    ]
}

/// Repairs a file, and checks the result.
fn check(path: &Path, out: &Path, options: &Options) -> bool {
    let Ok(plan) = diagnose(path, options) else { return false };
    let _ = plan.to_string();
    if !plan.is_needed() {
        return false;
    }
    plan.write(out).unwrap_or_else(|error| panic!("{plan}: {error}"));
    let again = diagnose(out, &Options::new()).unwrap();
    assert!(!again.is_needed(), "{plan}, and then {again}");
    let bytes = fs::read(out).unwrap();
    match plan.header() {
        Some(header) => {
            let array = DynArray::read_npy_from(&bytes[..]).unwrap();
            assert_eq!((array.shape(), array.dtype()), (header.shape(), header.dtype()));
        }
        None => {
            let directory = Directory::of_file(Cursor::new(&bytes), &Limits::default()).unwrap();
            assert_eq!(directory.entries().len(), plan.members().len());
        }
    }
    true
}

#[test]
fn a_repaired_file_needs_no_repair() {
    const ROUNDS: u64 = 400;
    let folder = tempfile::tempdir().unwrap();
    let mut repaired = 0;
    for (kind, seed) in seeds() {
        let path = folder.path().join(format!("x.{kind}"));
        let out = folder.path().join(format!("out.{kind}"));
        for round in 0..ROUNDS {
            let mut bytes = seed.clone();
            mutate(&mut bytes, &mut Random::new(round));
            fs::write(&path, &bytes).unwrap();
            let mut options = Options::new();
            if round % 5 == 0 {
                options.uncounted_rows(UncountedRows::Keep);
            }
            if round % 7 == 0 {
                options.raw(Raw::new("|u1".parse().unwrap(), &[-1]));
            }
            repaired += usize::from(check(&path, &out, &options));
            assert!(fs::read(&path).unwrap() == bytes);
        }
    }
    assert!(repaired > 500, "{repaired}");
}
