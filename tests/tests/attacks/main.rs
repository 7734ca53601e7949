//! The attacks of `npy_tests::attacks` on every reader: each has the expected outcome, and its memory and work are
//! bounded by the file size.

mod archives;
mod arrays;

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::LazyLock;

use npy_core::{DynArray, ErrorKind, Header, Limits, ReadNpy, Reader, npz};
use npy_tests::alloc::{Counting, peak, spent};
use npy_tests::attacks::{self, Attack, Outcome, file, header};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The number of items to request where there may be any number: more than a small attack has.
const SOME: usize = SMALL + 1000;

/// A way to read: `Ok` if it gave an array, even if it read only some of the items.
type Read = fn(&[u8], &Path) -> Result<(), String>;

fn said<T, E: ToString>(result: Result<T, E>) -> Result<(), String> {
    result.map(drop).map_err(|error| error.to_string())
}

/// The ways to read; the flag is true if a reader must give an array for every attack that is to be read.
type Readers = &'static [(&'static str, bool, Read)];

/// The attacks, with the readers that apply to them.
const KINDS: [(&[Attack], Readers); 2] =
    [(attacks::ALL, &arrays::READERS), (attacks::archives::ALL, &archives::READERS)];

fn attacks() -> impl Iterator<Item = (&'static Attack, Readers)> {
    KINDS.into_iter().flat_map(|(attacks, readers)| attacks.iter().map(move |it| (it, readers)))
}

/// The number of pieces in a small and in a large attack.
const SMALL: usize = 2000;
const LARGE: usize = 12_000;

/// Writes the bytes to a file in the folder.
fn written(bytes: &[u8], folder: &tempfile::TempDir) -> std::path::PathBuf {
    let path = folder.path().join("x.npy");
    std::fs::write(&path, bytes).unwrap();
    path
}

/// Runs each attack on each reader.
fn each(sizes: &[usize], mut check: impl FnMut(&Attack, &[Vec<u8>], &str, &dyn Fn(usize))) {
    let folder = tempfile::tempdir().unwrap();
    for (attack, readers) in attacks() {
        let mut files: Vec<Vec<u8>> = sizes.iter().map(|&n| (attack.make)(n)).collect();
        // Attacks of a fixed size are the same for all sizes.
        files.dedup();
        let paths: Vec<_> = (0..files.len()).map(|i| folder.path().join(i.to_string())).collect();
        paths.iter().zip(&files).for_each(|(path, file)| std::fs::write(path, file).unwrap());
        for &(name, _, read) in readers {
            check(attack, &files, name, &|i| drop(read(&files[i], &paths[i])));
        }
    }
}

/// A small attack that one reader has read.
struct Ended {
    attack: &'static Attack,
    reader: &'static str,
    any: bool,
    /// The length of the file.
    len: usize,
    result: Result<(), String>,
    /// The peak of the memory.
    cost: usize,
}

/// Each small attack on each reader: several tests look at the results, and only the first one waits for them.
static ENDED: LazyLock<Vec<Ended>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let mut ended = Vec::new();
    for (attack, readers) in attacks() {
        let bytes = (attack.make)(SMALL);
        let (path, len) = (written(&bytes, &folder), bytes.len());
        for &(reader, any, read) in readers {
            let (result, cost) = peak(|| read(&bytes, &path));
            ended.push(Ended { attack, reader, any, len, result, cost });
        }
    }
    ended
});

/// Guards the outcome of each attack: none is read that must be refused, and none is refused for an unrelated reason.
#[test]
fn each_attack_ends_as_it_must() {
    let mut wrong = Vec::new();
    for Ended { attack, reader, any, result, .. } in &*ENDED {
        let said = match (attack.outcome, result) {
            (Outcome::Refused(part), Err(message)) if *any && !message.contains(part) => message,
            (Outcome::Refused(part), Ok(())) => {
                // Only the data is missing: the header itself may be read.
                if part == "truncated" && reader.starts_with("Header") {
                    continue;
                }
                // A reader need not read all of an archive.
                if !any && reader.starts_with("npz") {
                    continue;
                }
                "it was read"
            }
            (Outcome::Read, Err(message)) if *any => message,
            (Outcome::Pickle, Err(message))
                if *any && !message.contains("pickle") && !message.contains("Python objects") =>
            {
                message
            }
            _ => continue,
        };
        let Attack { name, cwe, .. } = attack;
        wrong.push(format!("{name}, CWE-{cwe}, {reader}: {said:.200}"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Guards the terminal of whoever reads a message: control characters of a file are escaped in it.
#[test]
fn messages_contain_no_control_characters() {
    for Ended { attack, reader, len, result, .. } in &*ENDED {
        let Err(message) = result else { continue };
        let obeyed = |c: &char| {
            c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        };
        let found = message.chars().find(obeyed);
        assert_eq!(found, None, "{}, {reader}: {message:?}", attack.name);
        assert!(message.len() < 4 * len + 2000, "{}, {reader}", attack.name);
    }
}

/// Guards memory: it is at most a small multiple of the file, and a larger multiple of its header.
#[test]
fn memory_is_bounded_by_the_bytes_that_are_there() {
    let check = |attack: &Attack, reader: &str, cost: usize, len: usize| {
        let bound = 4 * len + 48 * len.min(1 << 20) + (2 << 20);
        assert!(cost < bound, "{}, {reader}: {cost} bytes for {len}", attack.name);
    };
    for Ended { attack, reader, len, cost, .. } in &*ENDED {
        check(attack, reader, *cost, *len);
    }
    if npy_tests::is_thorough() {
        each(&[LARGE], |attack, files, reader, read| {
            check(attack, reader, peak(|| read(0)).1, files[0].len());
        });
    }
}

/// Replaces the cached header, so that each header is parsed.
fn forget() {
    Header::parse(&file(1, &header("'|u1'", "()"), &[])).unwrap();
}

/// Guards work as far as the allocator sees it: the bytes that are copied grow linearly with the file.
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

/// Guards all work: counts how often each region of the code runs, with the compiler's counters. Run by `cargo xtask
/// work`.
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

/// Guards memory against the length of a sparse file, which costs its sender nothing.
///
/// Reads the header, the first items, and the items of a map; the whole array is larger than any memory. 409: data
/// amplification.
#[test]
fn a_file_of_holes_takes_no_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    // As large as the file system allows.
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
        let error = error.expect("more than the memory there is");
        assert!(matches!(error.kind(), ErrorKind::Memory { .. }), "{size}: {error}");
    }
    assert!(cost < 1 << 20, "{cost}");
    let ((), cost) = peak(|| {
        assert_eq!(Header::read_npy(&path).unwrap().count() as u64, size);
        let mut reader = Reader::open(&path).unwrap();
        // An array that does not fit in memory can still be read in parts.
        reader.read_dyn().unwrap_err();
        reader.read_vec::<u8>().unwrap_err();
        assert_eq!(reader.records::<u8>().unwrap().take(SOME).map(Result::unwrap).count(), SOME);
        reader.seek_to(reader.header().count() - 2).unwrap();
        assert_eq!(reader.read_vec::<u8>().unwrap(), [0, 0]);
    });
    assert!(cost < 2 << 20, "{cost}");
}

/// Writes a sparse archive with false end records: a few KiB on disk, and a claim of as much memory as the file is
/// long.
///
/// `place` and `size` are those of the directory, and `more` is the length of the extra data in the zip64 end record.
fn sparse_archive(path: &Path, [count, size, place]: [u64; 3], more: u64) {
    let length = place + size;
    let mut end = b"PK\x06\x06".to_vec();
    end.extend((44 + more).to_le_bytes());
    end.extend([45, 3, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    [count, count, size, place].iter().for_each(|number| end.extend(number.to_le_bytes()));
    let mut file = File::create(path).unwrap();
    // The file begins like an archive.
    file.write_all(b"PK\x03\x04").unwrap();
    file.seek(SeekFrom::Start(length)).unwrap();
    file.write_all(&end).unwrap();
    file.seek(SeekFrom::Current(more.cast_signed())).unwrap();
    let mut rest = b"PK\x06\x07\0\0\0\0".to_vec();
    rest.extend(length.to_le_bytes());
    rest.extend(b"\x01\0\0\0PK\x05\x06\0\0\0\0");
    rest.extend([0xff; 12]);
    rest.extend([0, 0]);
    file.write_all(&rest).unwrap();
}

/// Opens the archive in every way, and returns the errors.
fn opened(path: &Path) -> [String; 4] {
    let mut limits = Limits::default();
    limits.members = u64::MAX;
    let mut all = npz::ReadOptions::new();
    all.limits(limits);
    // SAFETY: nobody else uses the file.
    #[allow(unsafe_code)]
    let map = unsafe { npz::Map::open(path) };
    [
        npz::Reader::open(path).unwrap_err().to_string(),
        all.open(path).unwrap_err().to_string(),
        map.unwrap_err().to_string(),
        npz::Writer::append(path).map(drop).unwrap_err().to_string(),
    ]
}

/// Not a test of its own: a process, as a reader that believes the file would abort it.
#[test]
#[ignore = "started by `a_sparse_archive_with_false_counts_is_refused`"]
fn child_that_opens_sparse_archives() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npz");
    const GIB: u64 = 1 << 30;
    let count = GIB / 46;
    let cases = [
        // As many members as fit in a directory of 1 GiB, after 2 GiB that could hold their data.
        (
            [count, GIB, 2 * GIB],
            0,
            "exceeds the limit of 1048576; if you trust the source, raise Limits::members",
        ),
        // One member more than fits.
        ([count + 1, GIB, 2 * GIB], 0, "its directory of 1073741824 bytes is said to have"),
        // A zip64 end record of 3 GiB.
        ([0, 0, 4], 3 * GIB, "its zip64 end record is not directly before the locator"),
        ([1, 46, 4], 3 * GIB, "its zip64 end record is not directly before the locator"),
    ];
    for (numbers, more, refusal) in cases {
        sparse_archive(&path, numbers, more);
        let (errors, cost) = peak(|| opened(&path));
        assert!(cost < 1 << 20, "{cost}: {errors:?}");
        assert!(errors[0].contains(refusal), "{numbers:?}: {}", errors[0]);
        for error in errors {
            let is_known =
                error.contains(refusal) || error.contains("something else where a member");
            assert!(error.contains("x.npz: ") && is_known, "{numbers:?}: {error}");
        }
    }
}

/// Guards memory against the claims of an archive before any member is read: a reader that allocates for them at once
/// aborts the process.
#[test]
fn a_sparse_archive_with_false_counts_is_refused() {
    assert!(npy_tests::again("child_that_opens_sparse_archives").status().unwrap().success());
}

/// Guards memory against members that cost their sender about eighty bytes each: a directory takes at most a small
/// multiple of the file.
#[test]
fn many_members_take_a_few_times_the_file() {
    let many = attacks::archives::ALL.iter().find(|attack| attack.name == "many_members");
    let file = (many.unwrap().make)(60_000 * 50);
    let (reader, cost) = peak(|| npz::Reader::new(std::io::Cursor::new(&file)).unwrap());
    assert_eq!(reader.len(), 60_000);
    assert!(cost < 12 * file.len(), "{cost} for {}", file.len());
    drop(reader);
    let mut limits = Limits::default();
    limits.members = 1000;
    let mut options = npz::ReadOptions::new();
    options.limits(limits);
    let error = options.reader(std::io::Cursor::new(&file)).unwrap_err().to_string();
    assert!(error.contains("Limits::members"), "{error}");
}

/// Guards the file system: the names in an archive are never used as paths.
#[test]
fn member_names_touch_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("a/b/c");
    std::fs::create_dir_all(&inner).unwrap();
    for attack in attacks::archives::ALL {
        let bytes = (attack.make)(SMALL);
        let path = inner.join("x.npz");
        std::fs::write(&path, &bytes).unwrap();
        for (_, _, read) in archives::READERS {
            drop(read(&bytes, &path));
        }
        let there = |path: &Path| path.read_dir().unwrap().count();
        let found = [
            folder.path().into(),
            folder.path().join("a"),
            folder.path().join("a/b"),
            inner.clone(),
        ];
        assert_eq!(found.map(|path| there(&path)), [1; 4], "{}", attack.name);
        assert!(std::fs::read(&path).unwrap() == bytes, "{}", attack.name);
    }
}
