//! The attacks of `npy_tests::attacks`, on every reader: each ends as it must, in memory and work that the file's size bounds.

use std::path::Path;

use npy_core::{
    ArrayView, ByteStr, Cast, DynArray, ErrorKind, Header, Map, MapAny, NpyArray, NpyRecord,
    ReadNpy, ReadOptions, Reader, ZeroCopy,
};
use npy_tests::alloc::{Counting, peak, spent};
use npy_tests::attacks::{ALL, Attack, Outcome, file, header};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[derive(NpyRecord, ZeroCopy, Debug, Clone, Copy)]
#[npy(default)]
#[repr(C, packed)]
struct Row {
    #[npy(alias = "a")]
    x: u8,
    y: f64,
}

impl Default for Row {
    fn default() -> Self {
        Row { x: 1, y: 2.0 }
    }
}

/// How many items are asked for where there may be any number of them: all that a small attack has.
const SOME: usize = SMALL + 1000;

/// A way to read: `Ok` if it gave an array, however few of its items were wanted.
type Read = fn(&[u8], &Path) -> Result<(), String>;

fn said<T, E: ToString>(result: Result<T, E>) -> Result<(), String> {
    result.map(drop).map_err(|error| error.to_string())
}

/// The first items of an iterator, or the first error.
fn some<T, E: ToString>(items: impl Iterator<Item = Result<T, E>>) -> Result<(), String> {
    items.take(SOME).try_for_each(said)
}

fn stream<A: ReadNpy>(bytes: &[u8], _: &Path) -> Result<(), String> {
    said(A::read_npy_from(bytes))
}

fn lossless<A: ReadNpy>(bytes: &[u8], _: &Path) -> Result<(), String> {
    said(ReadOptions::new().cast(Cast::Lossless).read_from::<A>(bytes))
}

fn path<A: ReadNpy>(_: &[u8], path: &Path) -> Result<(), String> {
    said(A::read_npy(path))
}

fn dynamic(bytes: &[u8], _: &Path) -> Result<(), String> {
    let array = DynArray::read_npy_from(bytes).map_err(|error| error.to_string())?;
    drop(array.to_string());
    array.iter().take(SOME).for_each(|value| drop(value.to_string()));
    said(array.cast(&array.dtype().packed()))?;
    for field in array.dtype().fields().iter().take(SOME) {
        drop(array.field(field.name()));
    }
    Ok(())
}

fn rows(bytes: &[u8], _: &Path) -> Result<(), String> {
    let mut reader = Reader::new(bytes).map_err(|error| error.to_string())?;
    some(reader.deserialize::<serde_json::Value>().map_err(|error| error.to_string())?)
}

fn all_rows(bytes: &[u8], _: &Path) -> Result<(), String> {
    let array = DynArray::read_npy_from(bytes).map_err(|error| error.to_string())?;
    said(array.from_rows::<serde::de::IgnoredAny>())
}

fn records(bytes: &[u8], _: &Path) -> Result<(), String> {
    let mut reader = Reader::new(bytes).map_err(|error| error.to_string())?;
    some(reader.records::<Row>().map_err(|error| error.to_string())?)
}

fn column(bytes: &[u8], _: &Path) -> Result<(), String> {
    let mut reader = Reader::new(bytes).map_err(|error| error.to_string())?;
    said(reader.read_column::<u8>("a.a.a.a.a.a"))
}

fn map<T: ZeroCopy>(_: &[u8], path: &Path) -> Result<(), String> {
    // SAFETY: nobody else knows the file.
    #[allow(unsafe_code)]
    said(unsafe { Map::<T>::open(path) })
}

fn map_any(_: &[u8], path: &Path) -> Result<(), String> {
    // SAFETY: nobody else knows the file.
    #[allow(unsafe_code)]
    let map = unsafe { MapAny::open(path) }.map_err(|error| error.to_string())?;
    drop(map.column::<u8>("x"));
    drop(map.read::<Row>(0..SOME.min(map.header().count())));
    said(map.get::<Row>(0))
}

/// Each reader, and whether it must give an array where an attack is to be read.
const READERS: [(&str, bool, Read); 21] = [
    ("Header::parse", true, |bytes, _| said(Header::parse(bytes))),
    ("Header::read_npy", true, |_, path| said(Header::read_npy(path))),
    ("DynArray", true, dynamic),
    ("DynArray of a file", true, path::<DynArray>),
    ("Vec<u8>", false, stream::<Vec<u8>>),
    ("Vec<bool>", false, stream::<Vec<bool>>),
    ("Vec<ByteStr<0>>", false, lossless::<Vec<ByteStr<0>>>),
    ("Vec<ByteStr<9>>", false, lossless::<Vec<ByteStr<9>>>),
    ("NpyArray<f64>", false, lossless::<NpyArray<f64>>),
    ("Vec<[u8; 3]>", false, stream::<Vec<[u8; 3]>>),
    ("Vec<Row>", false, stream::<Vec<Row>>),
    ("Vec<Row> of a file", false, path::<Vec<Row>>),
    ("Vec<String>", false, stream::<Vec<String>>),
    ("Vec<Vec<u8>>", false, path::<Vec<Vec<u8>>>),
    ("Reader::records", false, records),
    ("Reader::read_column", false, column),
    ("Reader::deserialize", false, rows),
    ("DynArray::from_rows", false, all_rows),
    ("ArrayView", false, |bytes, _| said(ArrayView::<Row>::from_bytes(bytes))),
    ("Map", false, map::<u8>),
    ("MapAny", false, map_any),
];

/// Of how many pieces an attack is made, and of how many a large one.
const SMALL: usize = 2000;
const LARGE: usize = 12_000;

/// A folder for the files.
fn written(bytes: &[u8], folder: &tempfile::TempDir) -> std::path::PathBuf {
    let path = folder.path().join("x.npy");
    std::fs::write(&path, bytes).unwrap();
    path
}

/// Runs each attack on each reader.
fn each(sizes: &[usize], mut check: impl FnMut(&Attack, &[Vec<u8>], &str, &dyn Fn(usize))) {
    let folder = tempfile::tempdir().unwrap();
    for attack in ALL {
        let mut files: Vec<Vec<u8>> = sizes.iter().map(|&n| (attack.make)(n)).collect();
        // Some are what they are.
        files.dedup();
        let paths: Vec<_> = (0..files.len()).map(|i| folder.path().join(i.to_string())).collect();
        paths.iter().zip(&files).for_each(|(path, file)| std::fs::write(path, file).unwrap());
        for (name, _, read) in READERS {
            check(attack, &files, name, &|i| drop(read(&files[i], &paths[i])));
        }
    }
}

/// Guards what becomes of each: none is read that must not be, and none is refused for another reason than the one that it is about.
#[test]
fn each_attack_ends_as_it_must() {
    let folder = tempfile::tempdir().unwrap();
    let mut wrong = Vec::new();
    for attack in ALL {
        let bytes = (attack.make)(SMALL);
        let path = written(&bytes, &folder);
        for (reader, any, read) in READERS {
            let said = match (attack.outcome, read(&bytes, &path)) {
                (Outcome::Refused(part), Err(message)) if any && !message.contains(part) => message,
                (Outcome::Refused(part), Ok(())) => {
                    // Only the data is not there, or is a program: the header may be read.
                    let in_data = ["cut short", "Python objects"].contains(&part);
                    if in_data && reader.starts_with("Header") {
                        continue;
                    }
                    "it was read".into()
                }
                (Outcome::Read, Err(message)) if any => message,
                _ => continue,
            };
            let Attack { name, cwe, .. } = attack;
            wrong.push(format!("{name}, CWE-{cwe}, {reader}: {said:.200}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Guards the screen of whoever reads the message: a file says nothing there that is not shown for what it is.
#[test]
fn no_message_holds_what_a_terminal_obeys() {
    let folder = tempfile::tempdir().unwrap();
    for attack in ALL {
        let bytes = (attack.make)(SMALL);
        let path = written(&bytes, &folder);
        for (reader, _, read) in READERS {
            let Err(message) = read(&bytes, &path) else { continue };
            let obeyed = |c: &char| {
                c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
            };
            let found = message.chars().find(obeyed);
            assert_eq!(found, None, "{}, {reader}: {message:?}", attack.name);
            assert!(message.len() < 4 * bytes.len() + 2000, "{}, {reader}", attack.name);
        }
    }
}

/// Guards memory: of a file it is what its bytes are, a few times, and of a header what that is, some times more.
#[test]
fn memory_is_bounded_by_the_bytes_that_are_there() {
    each(&[SMALL, LARGE], |attack, files, reader, read| {
        for (i, file) in files.iter().enumerate() {
            let ((), cost) = peak(|| read(i));
            let bound = 4 * file.len() + 48 * file.len().min(1 << 20) + (2 << 20);
            let name = attack.name;
            assert!(cost < bound, "{name}, {reader}: {cost} bytes for {}", file.len());
        }
    });
}

/// The header that was read last is known; here each is to be read.
fn forget() {
    Header::parse(&file(1, &header("'|u1'", "()"), &[])).unwrap();
}

/// Guards work, as far as the allocator sees it: what is copied, and copied again, grows as the file does.
#[test]
fn twice_the_file_takes_twice_the_memory() {
    each(&[SMALL, 2 * SMALL], |attack, files, reader, read| {
        let [a, b] = files else { return };
        let [one, two] = [0, 1].map(|i| {
            forget();
            spent(|| read(i)).1
        });
        let (name, sizes) = (attack.name, [a.len(), b.len()]);
        assert!(two < 2 * one + one / 2 + 4096, "{name}, {reader}: {one}, {two} for {sizes:?}");
    });
}

/// Guards work, all of it: how often each piece of the code is run, which the compiler counts. `cargo xtask work` has it do that.
#[cfg(counted)]
#[test]
fn twice_the_file_takes_twice_the_steps() {
    let mut most: Vec<(u64, String)> = Vec::new();
    each(&[LARGE / 2, LARGE], |attack, files, reader, read| {
        let [a, b] = files else { return };
        let [one, two] = [0, 1].map(|i| {
            forget();
            npy_tests::steps::counted(|| read(i)).1
        });
        let (name, sizes) = (attack.name, [a.len(), b.len()]);
        assert!(two < 2 * one + one / 5 + 20_000, "{name}, {reader}: {one}, {two} for {sizes:?}");
        let a_byte = two / (b.len() as u64 + 1000);
        most.push((a_byte, format!("{name}, {reader}")));
    });
    most.sort();
    for (steps, name) in most.iter().rev().take(10) {
        println!("{steps} steps a byte: {name}");
    }
}

/// Guards memory against the length of a file, where that costs its sender nothing: a file of holes.
///
/// The header is read, the first items are, and what is in a map; all of it is more than any memory. 409: data that grows.
#[test]
fn a_file_of_holes_takes_no_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    // As large as the file system lets it be.
    let sizes = (33..63).rev().map(|bits| 1_u64 << bits);
    let mut sizes = sizes.filter(|&size| {
        let text = header("'|u1'", &format!("({size},)"));
        let start = file(1, &text, &[]);
        std::fs::write(&path, &start).unwrap();
        let sparse = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        sparse.set_len(start.len() as u64 + size).is_ok()
    });
    let size = sizes.next().expect("a file of 8 GiB can be made");

    let (errors, cost) =
        peak(|| [DynArray::read_npy(&path).err(), Vec::<u8>::read_npy(&path).err()]);
    for error in errors {
        let error = error.expect("there is no memory for that");
        assert!(matches!(error.kind(), ErrorKind::Memory { .. }), "{size}: {error}");
    }
    assert!(cost < 1 << 20, "{cost}");
    let ((), cost) = peak(|| {
        assert_eq!(Header::read_npy(&path).unwrap().count() as u64, size);
        let mut reader = Reader::open(&path).unwrap();
        assert_eq!(reader.records::<u8>().unwrap().take(SOME).map(Result::unwrap).count(), SOME);
        reader.seek_to(reader.header().count() - 2).unwrap();
        assert_eq!(reader.read_vec::<u8>().unwrap(), [0, 0]);
    });
    assert!(cost < 2 << 20, "{cost}");
}
