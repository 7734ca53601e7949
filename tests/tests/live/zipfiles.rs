//! Damaged and contradictory archives, read by Python's `zipfile` and by us: whatever it refuses we refuse, and
//! whatever we read is the same as in Python.

use std::collections::BTreeMap;
use std::io::Cursor;

use npy_core::npz::{Reader, WriteOptions};
use npy_tests::fuzz::Random;
use npy_tests::zips::{Raw, archive, crc, npy};

use super::*;

/// Archives of many kinds, all valid for both readers.
fn good() -> Vec<Vec<u8>> {
    let x = || Raw::of("x.npy", &npy(&[1u32, 2, 3]));
    let y = || Raw::of("größe.npy", &npy(&[4u8, 5]));
    let old = || Raw { name: b"caf\x82.npy".to_vec(), ..x() };
    let large = || Raw { zip64: true, name: b"z.npy".to_vec(), ..x() }.deflated();
    let mut files = vec![
        archive(b"", &[x(), y()], b""),
        archive(b"", &[large(), Raw { descriptor: true, ..old() }], b"a comment"),
        archive(b"", &[Raw { extra: b"UT\x05\0\x01abcd".to_vec(), ..x() }, x()], b""),
    ];
    let mut options = WriteOptions::new();
    for options in [WriteOptions::new(), options.deflate(6).clone()] {
        let mut writer = options.writer(Cursor::new(Vec::new())).unwrap();
        writer.write("a", &[1.5f64; 9]).unwrap();
        writer.write("größe/b", &["x", "yz"]).unwrap();
        files.push(writer.finish().unwrap().into_inner());
    }
    // The zip64 end record, once as large archives need it and once redundant.
    for small in [[0xff; 12], [2, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0]] {
        let mut file = archive(b"", &[x(), y()], b"");
        let end = file.split_off(file.len() - 22);
        let at = file.len() as u64;
        let number = |at: usize| u64::from(u32::from_le_bytes([0, 1, 2, 3].map(|i| end[at + i])));
        file.extend(b"PK\x06\x06\x2c\0\0\0\0\0\0\0\x2d\x03\x2d\0\0\0\0\0\0\0\0\0");
        [2, 2, number(12), number(16)].iter().for_each(|n| file.extend(n.to_le_bytes()));
        file.extend(b"PK\x06\x07\0\0\0\0");
        file.extend(at.to_le_bytes());
        file.extend(b"\x01\0\0\0PK\x05\x06\0\0\0\0");
        file.extend(if small[0] == 0xff {
            small.to_vec()
        } else {
            [&small[..4], &end[12..20]].concat()
        });
        file.extend([0, 0]);
        files.push(file);
    }
    files
}

/// Makes one change, mostly to a number in the directory or in the end records.
fn changed(file: &mut Vec<u8>, random: &mut Random) {
    let directory = file.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
    let at = match random.below(3) {
        0 => random.below(file.len()),
        1 => directory + random.below(file.len() - directory),
        _ => file.len() - 1 - random.below(22),
    };
    match random.below(6) {
        0 => file[at] = random.byte(),
        1 => file[at] = [0, 1, 0xff][random.below(3)],
        2 => drop(file.drain(at..(at + 1 + random.below(8)).min(file.len()))),
        3 => drop(file.splice(at..at, (0..random.below(9)).map(|_| random.byte()))),
        _ => file[at] ^= 1 << random.below(8),
    }
}

/// Archives with one fault each, and its name.
fn wrong() -> Vec<(&'static str, Vec<u8>)> {
    let x = || Raw::of("x.npy", &npy(&[1u32, 2, 3]));
    let one = |member: Raw| archive(b"", &[member], b"");
    let end = |at: usize, bytes: &[u8]| {
        let mut file = archive(b"", &[x()], b"");
        let start = file.len() - 22 + at;
        file[start..start + bytes.len()].copy_from_slice(bytes);
        file
    };
    vec![
        ("a spanned marker", archive(b"PK\x07\x08", &[x()], b"")),
        ("a marker of one part", archive(b"PK00", &[x()], b"")),
        ("a script first", archive(b"#!/bin/sh\n", &[x()], b"")),
        ("a directory of no bytes", end(12, &[0; 4])),
        ("a directory of fewer bytes", end(12, &[40, 0, 0, 0])),
        ("a directory of more bytes", end(12, &[0xff, 0xff, 0, 0])),
        ("a directory elsewhere", end(16, &[0, 0, 0, 0x7f])),
        ("an end in the comment", archive(b"", &[x()], b"PK\x05\x06")),
        ("a name that is not UTF-8", one(Raw { name: b"\xff.npy".to_vec(), flags: 0x800, ..x() })),
        ("an extra field over its end", one(Raw { extra: b"\x01\0\xff\xff".to_vec(), ..x() })),
        ("an unknown field over its end", one(Raw { extra: b"zz\x09\0abc".to_vec(), ..x() })),
        (
            "a large number that is missing",
            one(Raw { size: 0xffff_ffff, extra: b"\x01\0\0\0".to_vec(), ..x() }),
        ),
        ("a member that is patched", one(Raw { flags: 1 << 5, ..x() })),
        ("a member that is encrypted", one(Raw { flags: 1, ..x() })),
        ("a member that is encrypted strongly", one(Raw { flags: 1 << 6, ..x() })),
        ("another name in the header", one(Raw { local_name: Some(b"y.npy".to_vec()), ..x() })),
        ("another checksum", one(Raw { crc: crc(b""), ..x() })),
    ]
}

/// Guards both readers: whatever Python refuses is refused here, and whatever is read here has the bytes that Python
/// reads.
#[test]
fn what_zipfile_refuses_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let good = good();
    let mut random = Random::new(11);
    let mut files: Vec<(String, Vec<u8>)> =
        wrong().into_iter().map(|(what, file)| (what.to_owned(), file)).collect();
    let wrong = files.len();
    files.extend(good.iter().map(|file| ("as it is".to_owned(), file.clone())));
    for i in 0..600 {
        let mut file = good[i % good.len()].clone();
        changed(&mut file, &mut random);
        files.push((format!("changed {i}"), file));
    }
    for (i, (_, file)) in files.iter().enumerate() {
        std::fs::write(dir.path().join(format!("{i}.npz")), file).unwrap();
    }
    // Prints a line for each file: `-` if it is refused, or its members with their bytes.
    let script = r"
import zipfile
for i in range(int(open('count').read())):
    try:
        f = np.load(f'{i}.npz')
        names = f.zip.namelist()
    except Exception:
        print('-')
        continue
    members = {}
    for name in names:
        try:
            members[name] = f.zip.read(name).hex()
        except Exception:
            members[name] = '-'
    print('	'.join(f'{name.encode().hex()} {members[name]}' for name in sorted(members)))
";
    std::fs::write(dir.path().join("count"), files.len().to_string()).unwrap();
    let said = python(script, dir.path());
    let said: Vec<&str> = said.lines().collect();
    assert_eq!(said.len(), files.len());

    let (mut refused, mut read) = (0, 0);
    for (i, ((what, _), python)) in files.iter().zip(said).enumerate() {
        let Ok(reader) = Reader::open(dir.path().join(format!("{i}.npz"))) else {
            assert!(!(wrong..wrong + good.len()).contains(&i), "{what}");
            refused += 1;
            continue;
        };
        assert_ne!(python, "-", "{i}, {what}: Python refuses it");
        let members = python.split('\t').filter_map(|member| member.split_once(' '));
        let members: BTreeMap<&str, &str> = members.collect();
        assert_eq!(reader.len(), members.len(), "{i}, {what}");
        for (name, bytes) in members {
            let name = name_of(name);
            match reader.read_bytes(&name) {
                Ok(ours) => {
                    assert_eq!(hex_of(&ours), bytes, "{i}, {what}, {name}");
                    assert!(i >= wrong, "{what}");
                    read += 1;
                }
                Err(error) => {
                    assert!(!(wrong..wrong + good.len()).contains(&i), "{what}: {error}");
                    refused += 1;
                }
            }
        }
    }
    println!("{refused} files and members refused, {read} members read");
    assert!(refused > 200 && read > 200, "{refused} {read}");
}

fn name_of(hex: &str) -> String {
    let digits = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    String::from_utf8((0..hex.len()).step_by(2).map(digits).collect()).unwrap()
}
