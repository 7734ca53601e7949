//! Several readers of one archive, in one thread and in several.

use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek};
use std::thread;

use npy_core::npz::{Reader, WriteOptions, Writer};
use npy_core::{Cast, NpzArchive, npz};

const MEMBERS: u32 = 6;

/// The values of a member: enough for several blocks.
fn values(member: u32) -> Vec<u32> {
    (0..70_000).map(|n| n * 7 + member).collect()
}

/// Makes an archive with stored or deflated members.
fn file(is_deflated: bool) -> Cursor<Vec<u8>> {
    let mut options = WriteOptions::new();
    if is_deflated {
        options.deflate(1);
    }
    let mut writer = options.writer(Cursor::new(Vec::new())).unwrap();
    for member in 0..MEMBERS {
        writer.write(&member.to_string(), &values(member)).unwrap();
    }
    writer.finish().unwrap()
}

/// Guards the position of each reader: members that are read at the same time do not disturb each other.
fn check<R: Read + Seek + Send + 'static>(reader: Reader<R>) {
    let mut members: Vec<_> =
        (0..MEMBERS).map(|member| reader.member(&member.to_string()).unwrap()).collect();
    let mut parts = vec![Vec::new(); members.len()];
    for round in 0..100 {
        for (member, part) in members.iter_mut().zip(&mut parts) {
            member.read_chunk::<u32>(part, 500 + round * 10).unwrap();
        }
        let name = (round % 6).to_string();
        assert_eq!(reader.header(&name).unwrap().shape(), [70_000]);
    }
    for ((member, part), n) in members.iter_mut().zip(&mut parts).zip(0..) {
        part.extend(member.read_vec::<u32>().unwrap());
        assert!(*part == values(n), "{n}");
    }
    let threads: Vec<_> = (0..4u32)
        .map(|thread| {
            let reader = reader.clone();
            thread::spawn(move || {
                for n in 0..MEMBERS {
                    let member = (n * 5 + thread) % MEMBERS;
                    let read: Vec<u32> = reader.read(&member.to_string()).unwrap();
                    assert!(read == values(member), "{member}");
                    assert!(!reader.read_bytes(&member.to_string()).unwrap().is_empty());
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    // A member outlives the reader that it came from.
    let mut member = reader.clone().member("3").unwrap();
    drop(reader);
    assert!(thread::spawn(move || member.read_vec::<u32>().unwrap()).join().unwrap() == values(3));
}

#[test]
fn readers_of_one_archive_do_not_move_each_other() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npz");
    for is_deflated in [false, true] {
        let bytes = file(is_deflated);
        std::fs::write(&path, bytes.get_ref()).unwrap();
        check(Reader::new(bytes).unwrap());
        check(Reader::open(&path).unwrap());
        check(Reader::new(File::open(&path).unwrap()).unwrap());
        check(Reader::new(BufReader::new(File::open(&path).unwrap())).unwrap());
    }
}

/// Guards programs that hold a reader in a shared place: it can be sent and shared between threads.
#[test]
fn a_reader_is_send_and_sync() {
    fn check<T: Send + Sync + Clone>(_: &T) {}
    check(&Reader::new(file(false)).unwrap());
    fn of_file(reader: &Reader<File>) {
        check(reader);
    }
    let _ = of_file;
}

/// Returns a reader of an archive with members of these names.
fn with_names(names: impl Iterator<Item = String>) -> Reader<Cursor<Vec<u8>>> {
    let mut writer = Writer::new(Cursor::new(Vec::new())).unwrap();
    names.for_each(|name| writer.write(&name, &1u8).unwrap());
    Reader::new(writer.finish().unwrap()).unwrap()
}

#[test]
fn a_reader_shows_its_names() {
    let few = format!("{:?}", with_names(["weights", "a \"b\""].map(str::to_owned).into_iter()));
    assert!(few.contains(r#"members: ["weights", "a \"b\""]"#), "{few}");
    let many = format!("{:?}", with_names((0..1000).map(|n| n.to_string())));
    assert!(many.ends_with("\"19\", … (1000 in all)], .. }"), "{many}");
}

#[derive(NpzArchive, Debug, PartialEq)]
struct Grid<T: npy_core::Element> {
    heights: Vec<T>,
}

/// Guards the calls for structs that take options, in both directions.
#[test]
fn structs_are_saved_and_loaded_with_options() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npz");
    let grid = Grid { heights: vec![1.5f32; 10_000] };
    npz::save_compressed(&path, &grid).unwrap();
    assert!(std::fs::metadata(&path).unwrap().len() < 1000);
    let by_options = directory.path().join("y.npz");
    WriteOptions::new().deflate(6).save(&by_options, &grid).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), std::fs::read(&by_options).unwrap());
    assert_eq!(npz::load::<Grid<f32>>(&path).unwrap(), grid);
    let wide: Grid<f64> = npz::ReadOptions::new().cast(Cast::Lossless).load(&path).unwrap();
    assert_eq!(wide.heights, [1.5; 10_000]);
}
