//! Archives by other tools.

use std::io::{self, Cursor, Read, Seek, SeekFrom};

use npy_core::npz::{Reader, WriteOptions, Writer};
use npy_core::{ErrorKind, ReadNpy};

use npy_tests::zips::{Raw, archive, crc, entries, npy};

fn open(bytes: Vec<u8>) -> Reader<Cursor<Vec<u8>>> {
    Reader::new(Cursor::new(bytes)).unwrap()
}

fn members() -> Vec<Raw> {
    let long: Vec<u32> = (0..100_000).collect();
    vec![Raw::of("a.npy", &npy(&[1u8, 2])), Raw::of("b.npy", &npy(&long)).deflated()]
}

fn check(bytes: Vec<u8>, what: &str) {
    let reader = open(bytes);
    assert!(reader.names().eq(["a", "b"]), "{what}");
    assert_eq!(reader.read::<Vec<u8>>("a").unwrap(), [1, 2], "{what}");
    let b: Vec<u32> = reader.read("b").unwrap();
    assert!(b.into_iter().eq(0..100_000), "{what}");
}

#[test]
fn descriptors_zip64_fields_prefixes_and_comments_are_read() {
    check(archive(b"", &members(), b""), "plain");
    let change = |change: fn(&mut Raw)| {
        let mut members = members();
        members.iter_mut().for_each(change);
        archive(b"", &members, b"")
    };
    check(change(|member| member.descriptor = true), "sizes after the data");
    check(change(|member| member.zip64 = true), "zip64");
    check(change(|member| member.extra = b"UT\x05\x00\x01abcd".to_vec()), "extra fields");
    check(change(|member| member.local_lies = true), "the directory is what counts");
    check(archive(&[7; 5000], &members(), b""), "bytes before");
    check(archive(b"#!/bin/sh\n", &members(), &[b'c'; 65_535]), "a long comment");
}

#[test]
fn names_are_found_with_and_without_npy_exact_ones_first() {
    let members = [
        Raw::of("x.npy", &npy(&1u8)),
        Raw::of("x", &npy(&2u8)),
        Raw::of("y.npy.npy", &npy(&3u8)),
        Raw::of("é/ü.npy", &npy(&4u8)),
        Raw::of(".npy", &npy(&5u8)),
        Raw { name: b"caf\x82.npy".to_vec(), ..Raw::of("", &npy(&6u8)) },
    ];
    let reader = open(archive(b"", &members, b""));
    assert!(reader.names().eq(["x.npy", "x", "y.npy", "é/ü", "", "café"]));
    for (name, value) in
        [("x.npy", 1), ("x", 2), ("y.npy", 3), ("y.npy.npy", 3), ("é/ü", 4), ("", 5), ("café", 6)]
    {
        assert_eq!(reader.read::<u8>(name).unwrap(), value, "{name}");
    }
    assert!(!reader.contains("y"));
}

/// Guards archives with names that differ only in `.npy`: NumPy finds exact names first, so "a.npy" is not "a.npy.npy".
#[test]
fn each_name_in_names_reads_its_own_member() {
    let members = [
        Raw::of("a.npy", &npy(&1u8)),
        Raw::of("a.npy.npy", &npy(&2u8)),
        Raw::of("b.npy.npy", &npy(&3u8)),
        Raw::of("c", &npy(&4u8)),
        Raw::of("c.npy", &npy(&5u8)),
    ];
    for order in [members.clone(), {
        let mut m = members;
        m.reverse();
        m
    }] {
        let reader = open(archive(b"", &order, b""));
        let mut names: Vec<_> = reader.names().map(str::to_owned).collect();
        names.sort();
        assert_eq!(names, ["a", "a.npy.npy", "b.npy", "c", "c.npy"]);
        let values: Vec<u8> = names.iter().map(|name| reader.read(name).unwrap()).collect();
        assert_eq!(values, [1, 2, 3, 4, 5]);
        for (name, array) in reader.read_all().unwrap() {
            assert_eq!(reader.read::<u8>(&name).unwrap(), array.as_bytes()[0], "{name}");
        }
    }
}

#[test]
fn member_names_are_never_paths() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npz");
    let names = ["../up", "/etc/x", "C:\\x", "a/../../b", "con", "dir/"];
    let mut writer = Writer::create(&path).unwrap();
    for name in names {
        writer.write(name, &1u8).unwrap();
    }
    writer.finish().unwrap();
    let reader = Reader::open(&path).unwrap();
    assert!(reader.names().eq(names));
    for name in names {
        assert_eq!(reader.read::<u8>(name).unwrap(), 1);
    }
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    assert!(!directory.path().parent().unwrap().join("up.npy").exists());
}

#[test]
fn of_two_of_the_same_name_the_last_is_found() {
    let members = [Raw::of("x.npy", &npy(&1u8)), Raw::of("x.npy", &npy(&2u8))];
    assert_eq!(open(archive(b"", &members, b"")).read::<u8>("x").unwrap(), 2);
}

#[test]
fn members_that_are_no_arrays_are_bytes() {
    let members = [Raw::of("notes.txt", b"hello"), Raw::of("empty.npy", b"")];
    let reader = open(archive(b"", &members, b""));
    assert_eq!(reader.read_bytes("notes.txt").unwrap(), b"hello");
    assert_eq!(reader.read_bytes("empty").unwrap(), b"");
    let error = reader.read::<Vec<u8>>("notes.txt").unwrap_err().to_string();
    assert!(error.ends_with("; npz::Reader::read_bytes gives the bytes of any member"), "{error}");
    assert!(reader.read_all().is_err());
}

#[test]
fn what_cannot_be_read_says_what_it_needs() {
    let methods = [(95, "xz"), (9, "Deflate64"), (99, "method 99")];
    for (method, name) in methods {
        let member = Raw { method, ..Raw::of("x.npy", &npy(&1u8)) };
        let error = open(archive(b"", &[member], b"")).read::<u8>("x").unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Unsupported { .. }), "{error}");
        let text = error.to_string();
        assert!(
            text.starts_with(&format!("member \"x\": a member compressed by {name} needs")),
            "{text}"
        );
    }
    let member = Raw { flags: 1, ..Raw::of("x.npy", &npy(&1u8)) };
    let error = open(archive(b"", &[member], b"")).read::<u8>("x").unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unsupported { .. }), "{error}");
}

#[test]
fn a_member_is_read_in_parts() {
    let reader = open(archive(b"", &members(), b""));
    let mut member = reader.member("b").unwrap();
    let mut chunk = Vec::new();
    member.read_chunk::<u32>(&mut chunk, 3).unwrap();
    assert_eq!(chunk, [0, 1, 2]);
    assert_eq!(member.records::<u32>().unwrap().map(Result::unwrap).max(), Some(99_999));
    drop(member);
    // A member that was not read to its end does not affect the next one.
    reader.member("b").unwrap();
    assert_eq!(reader.read::<Vec<u8>>("a").unwrap(), [1, 2]);
    assert_eq!(reader.header("b").unwrap().shape(), [100_000]);
    assert!(Vec::<u8>::read_npy_from(&reader.read_bytes("a").unwrap()[..]).is_ok());
}

/// Guards the end of a member: reads may be interrupted, also in the search for the end of the compressed bytes.
#[test]
fn a_reader_may_be_interrupted() {
    /// Gives one byte in every second call, and is interrupted in the others.
    struct Interrupted(Cursor<Vec<u8>>, bool);

    impl Read for Interrupted {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let most = out.len().min(1);
            self.0.read(&mut out[..most])
        }
    }

    impl Seek for Interrupted {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.0.seek(to)
        }
    }

    let mut writer = WriteOptions::new().deflate(6).writer(Cursor::new(Vec::new())).unwrap();
    writer.write("x", &[1u8, 2, 3]).unwrap();
    let file = writer.finish().unwrap();
    let reader = Reader::new(Interrupted(file, false)).unwrap();
    assert_eq!(reader.read_bytes("x").unwrap(), npy(&[1u8, 2, 3]));
    assert_eq!(reader.read::<Vec<u8>>("x").unwrap(), [1, 2, 3]);
}

/// Guards existing members with a Unicode name: they stay, and both of their names are taken.
#[test]
fn a_member_with_a_second_name_in_an_extra_field_is_appended_to_and_both_names_are_taken() {
    let (plain, name) = (b"caf_.npy", "café.npy");
    let mut extra = vec![0x75, 0x70, u8::try_from(5 + name.len()).unwrap(), 0, 1];
    extra.extend(crc(plain).to_le_bytes());
    extra.extend(name.bytes());
    let members = [Raw { extra, ..Raw::of("caf_.npy", &npy(&1u8)) }];
    let file = archive(b"", &members, b"");
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npz");
    std::fs::write(&path, &file).unwrap();
    let mut writer = Writer::append(&path).unwrap();
    for taken in ["café", "caf_"] {
        let error = writer.write(taken, &2u8).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::MemberName { .. }), "{error}");
    }
    writer.write("new", &2u8).unwrap();
    writer.finish().unwrap();
    assert_eq!(entries(&std::fs::read(&path).unwrap())[..1], entries(&file));
    assert_eq!(Reader::open(&path).unwrap().read::<u8>("café").unwrap(), 1);
}

/// Guards what other tools wrote: comments, extra fields, attributes, times, and the hidden first of two members of one
/// name.
#[test]
fn what_append_does_not_touch_stays_byte_for_byte() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npz");
    let members = || {
        let mut members = members();
        // Neither ASCII nor UTF-8, and not marked as UTF-8.
        members[0].comment = b"caf\xe9 \x80".to_vec();
        // A Unix time with an owner, as Info-ZIP writes it, and an unknown field.
        members[1].extra =
            b"UT\x05\x00\x01abcdux\x0b\x00\x01\x04\xe8\x03\0\0\x04\xe8\x03\0\0\xfe\xca\x02\0hi"
                .to_vec();
        members.push(Raw::of("twice.npy", &npy(&1u8)));
        members.push(Raw { comment: "é".into(), ..Raw::of("twice.npy", &npy(&2u8)) });
        members.push(Raw { flags: 1, ..Raw::of("encrypted.npy", b"secret") });
        members.push(Raw { method: 14, ..Raw::of("lzma.npy", b"small") });
        members.push(Raw { name: b"caf\x82.npy".to_vec(), ..Raw::of("", &npy(&6u8)) });
        members
    };
    let change = |change: fn(&mut Raw)| {
        let mut members = members();
        members.iter_mut().for_each(change);
        members
    };
    for members in [
        members(),
        change(|member| member.descriptor = true),
        change(|member| member.zip64 = true),
        vec![],
    ] {
        for comment in [&b""[..], b"caf\xe9"] {
            let mut file = archive(b"", &members, comment);
            for entry in entries(&file) {
                let at = file.windows(entry.len()).rposition(|bytes| bytes == entry).unwrap();
                // Creator, time, and attributes that differ from ours.
                file[at + 4..at + 6].copy_from_slice(&[63, 10]);
                file[at + 12..at + 16].copy_from_slice(&[0x21, 0x43, 0x65, 0x57]);
                file[at + 36..at + 42].copy_from_slice(&[1, 0, 0x20, 0, 0xed, 0x81]);
            }
            let old = entries(&file);
            for new in 0..3usize {
                std::fs::write(&path, &file).unwrap();
                let mut writer = Writer::append(&path).unwrap();
                for n in 0..new {
                    writer.write(&format!("new{n}"), &[7u16]).unwrap();
                }
                writer.finish().unwrap();
                let now = std::fs::read(&path).unwrap();
                let start = file.len() - 22 - comment.len() - old.concat().len();
                assert!(now[..start] == file[..start], "the members themselves");
                let entries = entries(&now);
                assert_eq!(entries[..old.len()], old);
                assert_eq!(entries.len(), old.len() + new);
                assert!(now.ends_with(comment));
                if new == 0 {
                    assert!(now == file);
                }
                let reader = open(now);
                for n in 0..new {
                    assert_eq!(reader.read::<Vec<u16>>(&format!("new{n}")).unwrap(), [7]);
                }
                if !members.is_empty() {
                    assert_eq!(reader.read::<u8>("twice").unwrap(), 2);
                    assert_eq!(reader.read::<Vec<u32>>("b").unwrap().len(), 100_000);
                    assert_eq!(reader.read::<u8>("café").unwrap(), 6);
                }
            }
        }
    }
}

/// Guards data after a directory: a digital signature, or other bytes.
#[test]
fn an_archive_with_data_after_its_directory_is_not_appended_to() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npz");
    let plain = archive(b"", &members(), b"");
    let (before, end) = plain.split_at(plain.len() - 22);
    let signed = [before, b"PK\x05\x05\x02\0ok", end].concat();
    for file in [signed, [&plain[..], b"more"].concat()] {
        std::fs::write(&path, &file).unwrap();
        if Reader::open(&path).is_err() {
            continue;
        }
        let error = Writer::append(&path).unwrap_err().to_string();
        assert!(error.contains("data after its directory that would be lost; "), "{error}");
        assert!(std::fs::read(&path).unwrap() == file);
    }
}

/// Guards members of other tools: they stay unchanged, followed by the new ones.
#[test]
fn archives_of_other_tools_are_appended_to() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npz");
    let change = |change: fn(&mut Raw)| {
        let mut members = members();
        members.push(Raw { name: b"caf\x82.npy".to_vec(), ..Raw::of("", &npy(&6u8)) });
        members.iter_mut().for_each(change);
        members
    };
    for members in [
        change(|_| {}),
        change(|member| member.descriptor = true),
        change(|member| member.zip64 = true),
        change(|member| member.extra = b"UT\x05\x00\x01abcd".to_vec()),
    ] {
        for comment in [&b""[..], b"a comment"] {
            std::fs::write(&path, archive(b"", &members, comment)).unwrap();
            let mut writer = Writer::append(&path).unwrap();
            writer.write("c", &[3u16]).unwrap();
            writer.finish().unwrap();
            let file = std::fs::read(&path).unwrap();
            assert!(file.ends_with(comment));
            let reader = open(file);
            assert!(reader.names().eq(["a", "b", "café", "c"]));
            assert_eq!(reader.read::<Vec<u32>>("b").unwrap().len(), 100_000);
            assert_eq!(reader.read::<u8>("café").unwrap(), 6);
            assert_eq!(reader.read::<Vec<u16>>("c").unwrap(), [3]);
            assert_eq!(reader.read_all().unwrap().len(), 4);
        }
    }
}

/// Guards files against something that NumPy cannot open: bytes before the first member. A stream may begin with other
/// bytes.
#[test]
fn a_file_begins_with_its_archive() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npz");
    for prefix in [&b"#!/bin/sh\n"[..], b"PK\x07\x08", b"PK00", b"PK\x01\x02", &[7; 70_000]] {
        let file = archive(prefix, &members(), b"");
        std::fs::write(&path, &file).unwrap();
        check(file, "a stream");
        // SAFETY: nobody else uses the file.
        #[allow(unsafe_code)]
        let map = unsafe { npy_core::npz::Map::open(&path) };
        for error in [
            Reader::open(&path).unwrap_err(),
            map.unwrap_err(),
            Writer::append(&path).map(drop).unwrap_err(),
        ] {
            let text = error.to_string();
            assert!(
                text.contains("x.npz: the archive is malformed: the file begins with"),
                "{text}"
            );
            assert!(text.contains("where NumPy expects a member; remove what is before"), "{text}");
        }
    }
    // A prefix that looks like the start of a member.
    let file = archive(b"PK\x03\x04", &members(), b"");
    std::fs::write(&path, &file).unwrap();
    assert_eq!(Reader::open(&path).unwrap().read::<Vec<u8>>("a").unwrap(), [1, 2]);
    let mut writer = Writer::append(&path).unwrap();
    writer.write("new", &[7u8]).unwrap();
    writer.finish().unwrap();
    let appended = std::fs::read(&path).unwrap();
    assert_eq!(appended[..30], file[4..34], "it begins with the first member now");
    let reader = Reader::open(&path).unwrap();
    assert_eq!(reader.read::<Vec<u8>>("a").unwrap(), [1, 2]);
    assert_eq!(reader.read::<Vec<u8>>("new").unwrap(), [7]);
}

/// Guards that a member is compressed even if its method is not supported: it cannot seek, either.
#[test]
fn a_member_of_an_unknown_method_is_compressed() {
    let members = [Raw { method: 99, ..Raw::of("x.npy", b"any") }, Raw::of("y.npy", b"any")];
    let reader = Reader::new(Cursor::new(archive(b"", &members, b""))).unwrap();
    assert!(reader.is_compressed("x").unwrap() && !reader.is_compressed("y").unwrap());
}
