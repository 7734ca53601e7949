//! The crate `zip` as the judge: it reads what we write, and we read what it writes, whatever its options.

use std::io::{Cursor, Read, Write};

use npy_core::npz::Reader;
use npy_tests::fuzz::Random;
use npy_tests::zips::npy;
use npy_tests::{random_archive, rounds};
use zip::write::{ExtendedFileOptions, FileOptions, ZipWriter};
use zip::{CompressionMethod, DateTime, ZipArchive};

/// Guards every part of an archive that other readers look at: both headers, sizes, checksums, the directory and its end.
#[test]
fn zip_reads_every_archive_of_ours() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.npz");
    let mut seekable = 0;
    for seed in 0..rounds(200) as u64 {
        let members = random_archive::write(&path, seed);
        let mut archive = ZipArchive::new(std::fs::File::open(&path).unwrap()).unwrap();
        assert_eq!(archive.len(), members.len(), "seed {seed}");
        for (index, (name, contents)) in members.iter().enumerate() {
            let mut member = archive.by_index(index).unwrap();
            assert_eq!(member.name().unwrap(), *name, "seed {seed}");
            let mut found = Vec::new();
            // It compares the checksum at the end.
            member.read_to_end(&mut found).unwrap();
            assert!(found == *contents, "seed {seed}: {name}");
        }
        let reader = Reader::open(&path).unwrap();
        let has_index =
            |name: &&str| reader.is_compressed(name).unwrap() && reader.is_seekable(name).unwrap();
        seekable += reader.names().filter(has_index).count();
    }
    assert!(seekable > rounds(40), "{seekable} members have a seek index");
}

fn options(random: &mut Random) -> FileOptions<'static, 'static, ExtendedFileOptions> {
    let method = [CompressionMethod::Stored, CompressionMethod::Deflated, CompressionMethod::Bzip2]
        [random.below(3)];
    let mut options = FileOptions::default().compression_method(method);
    if method != CompressionMethod::Stored && random.below(2) == 0 {
        options = options.compression_level(Some(1 + random.below(9) as i64));
    }
    if random.below(2) == 0 {
        options = options.large_file(true);
    }
    if random.below(2) == 0 {
        options = options.with_alignment([0, 1, 4, 64, 4096][random.below(5)]);
    }
    if random.below(2) == 0 {
        options = options.unix_permissions(0o640);
    }
    if random.below(2) == 0 {
        let time = DateTime::from_date_and_time(2026, 2, 28, 23, 59, 58).unwrap();
        options = options.last_modified_time(time);
    }
    if random.below(2) == 0 {
        options = options.with_file_comment("größe");
    }
    for central in [false, true] {
        if random.below(3) == 0 {
            let data = random_archive::bytes(random, 100);
            options.add_extra_field(0xbeef, data, central).unwrap();
        }
    }
    options
}

/// Writes members by `zip`; some are copies. Returns the members.
fn fill<W: Write + std::io::Seek>(
    random: &mut Random,
    writer: &mut ZipWriter<W>,
    members: &mut Vec<(String, Vec<u8>)>,
) {
    for _ in 0..random.below(5) {
        let name = format!("m{}", members.len());
        let most = [10, 100_000][random.below(2)];
        let values = random_archive::bytes(random, most);
        writer.start_file(format!("{name}.npy"), options(random)).unwrap();
        writer.write_all(&npy(&values)).unwrap();
        members.push((name, values));
    }
}

/// Guards the readers of extra fields, zip64, descriptors, comments, prefixes and other methods.
#[test]
fn we_read_every_archive_of_zip() {
    for seed in 0..rounds(300) as u64 {
        let mut random = Random::new(seed);
        let random = &mut random;
        let mut members = Vec::new();
        let bytes = if random.below(4) == 0 {
            // To a stream: the sizes come after the data.
            let mut writer = ZipWriter::new_stream(Vec::new());
            for _ in 0..random.below(4) {
                let name = format!("m{}", members.len());
                let values = random_archive::bytes(random, 100_000);
                let options = FileOptions::<()>::default().large_file(random.below(2) == 0);
                writer.start_file(format!("{name}.npy"), options).unwrap();
                writer.write_all(&npy(&values)).unwrap();
                members.push((name, values));
            }
            writer.finish().unwrap().into_inner()
        } else {
            let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
            fill(random, &mut writer, &mut members);
            if random.below(2) == 0 {
                writer.set_comment("a comment").unwrap();
            }
            let bytes = writer.finish().unwrap().into_inner();
            if random.below(2) == 0 {
                bytes
            } else {
                let mut writer = ZipWriter::new_append(Cursor::new(bytes)).unwrap();
                fill(random, &mut writer, &mut members);
                writer.finish().unwrap().into_inner()
            }
        };
        let reader = Reader::new(Cursor::new(bytes)).unwrap();
        assert!(reader.names().eq(members.iter().map(|(name, _)| name)), "seed {seed}");
        for (name, values) in &members {
            let read = reader.read::<Vec<u8>>(name);
            assert!(read.is_ok_and(|read| read == *values), "seed {seed}: {name}");
        }
    }
}
