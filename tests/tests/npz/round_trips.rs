//! Archives read back equal, in every way to write and read them.

use std::io::Cursor;

use npy_core::npz::{Reader, WriteOptions, Writer};
use npy_core::{DynArray, ErrorKind, NpyArray, Order, WriteNpy};
use npy_tests::time::soon;

type Memory = Cursor<Vec<u8>>;

/// The ways to write an archive in memory.
fn ways() -> Vec<(&'static str, WriteOptions)> {
    let stored = WriteOptions::new();
    let (mut quick, mut small, mut threads) =
        (WriteOptions::new(), WriteOptions::new(), WriteOptions::new());
    quick.deflate(1);
    small.deflate(9);
    threads.deflate(6).threads(3);
    vec![("stored", stored), ("quick", quick), ("small", small), ("threads", threads)]
}

/// Arrays of many sizes: empty, small, about a block, and several blocks.
fn arrays() -> Vec<(String, NpyArray<u32>)> {
    let sizes = [0, 1, 10, 1000, 16_352, 16_353, 65_504, 65_536, 200_000];
    sizes
        .into_iter()
        .map(|n: u32| {
            let items: Vec<u32> = (0..n).map(|i| i.wrapping_mul(0x9E37_79B9) >> (i % 32)).collect();
            (format!("group/a{n}"), NpyArray::new(items, [n as usize]).unwrap())
        })
        .collect()
}

fn fill<W: std::io::Write>(mut writer: Writer<W>) -> W {
    for (name, array) in arrays() {
        writer.write(&name, &array).unwrap();
    }
    let grid = NpyArray::with_order(vec![1.5f64, 2.5, 3.5, 4.5], [2, 2], Order::Fortran).unwrap();
    writer.write("grid.npy", &grid).unwrap();
    writer.write("größe", &20i16).unwrap();
    writer.write_unnamed(&["a", "bcd"]).unwrap();
    writer.write_unnamed(&true).unwrap();
    let mut rows = writer.start::<[f32; 2]>("rows").unwrap();
    rows.extend((0..100_000u32).map(|n| [n as f32, -1.0])).unwrap();
    rows.finish().unwrap();
    writer.finish().unwrap()
}

fn check<R: std::io::Read + std::io::Seek>(reader: Reader<R>, what: &str) {
    for (name, array) in arrays() {
        assert_eq!(reader.read::<NpyArray<u32>>(&name).unwrap(), array, "{what}: {name}");
        let mut file = Vec::new();
        array.write_npy_to(&mut file).unwrap();
        assert_eq!(reader.read_bytes(&name).unwrap(), file, "{what}: {name}");
    }
    let grid: NpyArray<f64> = reader.read("grid").unwrap();
    assert_eq!((grid.order(), grid.at(&[1, 0])), (Order::Fortran, Some(&2.5)));
    assert_eq!(reader.read::<i16>("größe.npy").unwrap(), 20);
    assert_eq!(reader.read::<Vec<String>>("arr_0").unwrap(), ["a", "bcd"]);
    assert!(reader.read::<bool>("arr_1").unwrap());
    let rows: Vec<[f32; 2]> = reader.read("rows").unwrap();
    assert_eq!((rows.len(), rows[99_999]), (100_000, [99_999.0, -1.0]));
    let mut names: Vec<_> = arrays().into_iter().map(|(name, _)| name).collect();
    names.extend(["grid", "größe", "arr_0", "arr_1", "rows"].map(str::to_owned));
    assert!(reader.names().eq(names.iter().map(String::as_str)), "{what}");
    let all = reader.read_all().unwrap();
    assert!(all.iter().map(|(name, _)| name).eq(&names));
    let last: &DynArray = &all.last().unwrap().1;
    assert_eq!(last.shape(), [100_000, 2]);
}

/// Sets a method of compression and its level.
type Compress = fn(&mut WriteOptions, u8) -> &mut WriteOptions;

/// Guards levels of compression: one that the method does not have is refused, before anything is written.
#[test]
fn levels_that_do_not_exist_are_refused() {
    let levels = [0, 10, 255].map(|level| (level, 9, WriteOptions::deflate as Compress));
    #[cfg(feature = "zstd-write")]
    let levels =
        levels.into_iter().chain([0, 23, 255].map(|n| (n, 22, WriteOptions::zstd as Compress)));
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npz");
    for (level, most, compress) in levels {
        let mut options = WriteOptions::new();
        compress(&mut options, level);
        let advice = format!(
            "there is no level {level} of compression; use one from 1 (fast) to {most} (small), or store"
        );
        let refused =
            |error: npy_core::Error| assert!(error.to_string().contains(&advice), "{error}");
        refused(options.create(&path).unwrap_err());
        refused(options.writer(Cursor::new(Vec::new())).unwrap_err());
        refused(options.stream(Vec::new()).write("x", &[1u8]).unwrap_err());
        assert!(!path.exists());
        Writer::create(&path).unwrap().finish().unwrap();
        refused(options.edit(&path).unwrap_err());
        refused(options.append(&path).unwrap_err());
        std::fs::remove_file(&path).unwrap();
        options.stored().create(&path).unwrap().discard();
        compress(&mut options, most).create(&path).unwrap().discard();
    }
}

/// Guards the names that a program prints by `{:?}`: those of large archives are cut.
#[test]
fn names_are_shown_by_debug() {
    let mut writer = Writer::new(Cursor::new(Vec::new())).unwrap();
    writer.write("a", &[1u8]).unwrap();
    writer.write("b", &[1u8]).unwrap();
    let reader = Reader::new(writer.finish().unwrap()).unwrap();
    assert_eq!(format!("{:?}", reader.names()), r#"["a", "b"]"#);
    let mut writer = Writer::new(Cursor::new(Vec::new())).unwrap();
    for name in 0..21 {
        writer.write(&name.to_string(), &[1u8]).unwrap();
    }
    let reader = Reader::new(writer.finish().unwrap()).unwrap();
    assert!(format!("{:?}", reader.names()).ends_with(r#""19", ..]"#));
}

#[test]
fn archives_in_memory_streams_and_files_read_back_equal() {
    let directory = tempfile::tempdir().unwrap();
    for (what, options) in ways() {
        let seeking = fill(options.writer(Memory::default()).unwrap()).into_inner();
        check(Reader::new(Cursor::new(&seeking)).unwrap(), what);
        let streamed = fill(options.stream(Vec::new()));
        check(Reader::new(Cursor::new(&streamed)).unwrap(), what);
        let path = directory.path().join(what);
        fill(options.create(&path).unwrap());
        assert_eq!(std::fs::read(&path).unwrap(), seeking, "{what}");
        check(Reader::open(&path).unwrap(), what);
        check(npy_core::npz::ReadOptions::new().threads(3).open(&path).unwrap(), what);
    }
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), ways().len());
}

#[test]
fn appended_members_come_after_the_old_ones() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npz");
    let mut writer = Writer::create(&path).unwrap();
    writer.write("a", &[1u8]).unwrap();
    writer.write_unnamed(&[2u8]).unwrap();
    writer.finish().unwrap();

    let mut writer = WriteOptions::new().deflate(6).append(&path).unwrap();
    let error = writer.write("a.npy", &[1u8]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::MemberName { .. }), "{error}");
    writer.write_unnamed(&vec![3u8; 1000]).unwrap();
    // The old archive stays until `finish`.
    assert_eq!(Reader::open(&path).unwrap().len(), 2);
    drop(writer);
    assert_eq!(Reader::open(&path).unwrap().len(), 2);

    let mut writer = WriteOptions::new().deflate(6).append(&path).unwrap();
    writer.write_unnamed(&vec![3u8; 1000]).unwrap();
    writer.finish().unwrap();
    let reader = Reader::open(&path).unwrap();
    assert!(reader.names().eq(["a", "arr_0", "arr_1"]));
    assert_eq!(reader.read::<Vec<u8>>("arr_1").unwrap(), [3; 1000]);
    assert_eq!(reader.read::<Vec<u8>>("arr_0").unwrap(), [2]);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
}

/// Guards the time: the next free name is found without comparing all names that are taken.
#[test]
fn many_arrays_without_names_are_written_in_time() {
    const COUNT: u32 = 20_000;
    let mut writer = Writer::new(Memory::default()).unwrap();
    writer.write("arr_7", &7u32).unwrap();
    // It takes less than a second; if every name were compared for every array, it would take more than sixty.
    soon("unnamed arrays", || {
        for n in (0..COUNT).filter(|n| *n != 7) {
            writer.write_unnamed(&n).unwrap();
        }
    });
    let reader = Reader::new(writer.finish().unwrap()).unwrap();
    assert_eq!(reader.len(), COUNT as usize);
    for n in [0, 6, 7, 8, COUNT - 1] {
        assert_eq!(reader.read::<u32>(&format!("arr_{n}")).unwrap(), n);
    }
}
