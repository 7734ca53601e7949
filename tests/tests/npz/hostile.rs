//! Archives with false claims.

use std::io::Cursor;

use npy_core::npz::sparse::Csr;
use npy_core::npz::{ReadOptions, Reader, WriteOptions, Writer};
use npy_core::{DynArray, Error, ErrorKind, Limits, NpyRecord, Order};
use npy_tests::alloc::peak;
use npy_tests::rounds;
use npy_tests::zips::{Raw, archive, npy};

/// The memory limit of a refusal.
const FEW: usize = 4 << 20;

fn read(bytes: Vec<u8>) -> Result<Vec<(String, DynArray)>, Error> {
    Reader::new(Cursor::new(bytes))?.read_all()
}

/// Returns the error for an archive of this member.
fn refused(member: Raw) -> Error {
    let (error, cost) = peak(|| read(archive(b"", &[member], b"")).unwrap_err());
    assert!(cost < FEW, "{cost}: {error}");
    error
}

fn x() -> Raw {
    Raw::of("x.npy", &npy(&vec![7u16; 1000]))
}

#[test]
fn bytes_that_were_changed_are_refused() {
    for member in [x(), x().deflated()] {
        for at in [200, 1000, 2000] {
            let mut member = member.clone();
            member.data[at] ^= 1;
            let error = refused(member);
            assert!(matches!(error.kind(), ErrorKind::Checksum { .. }), "{error}");
        }
        let error = refused(Raw { crc: 1, ..member });
        assert!(error.to_string().starts_with("member \"x\": the checksum is "), "{error}");
    }
}

/// Guards the errors of a member that is read in parts: they name file and member, as those of a complete read.
#[test]
fn what_fails_in_a_stream_names_file_and_member() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npz");
    let mut member = x();
    member.data[1000] ^= 1;
    std::fs::write(&path, archive(b"", &[member], b"")).unwrap();
    let reader = Reader::open(&path).unwrap();
    let whole = reader.read::<Vec<u16>>("x").unwrap_err().to_string();
    assert!(whole.contains("x.npz: member \"x\": the checksum"), "{whole}");
    let mut stream = reader.member("x.npy").unwrap();
    assert_eq!(stream.read_vec::<u16>().unwrap_err().to_string(), whole);
    let mut stream = reader.member("x").unwrap();
    let row = stream.records::<u16>().unwrap().find_map(Result::err).unwrap();
    assert_eq!(row.to_string(), whole);
    let dtype = reader.member("x").unwrap().read_vec::<f32>().unwrap_err().to_string();
    assert!(dtype.contains("x.npz: member \"x\": the file holds '<u2'"), "{dtype}");
}

#[test]
fn members_are_as_long_as_their_header_says() {
    let file = npy(&vec![7u16; 1000]);
    for deflate in [false, true] {
        let of = |bytes: &[u8]| {
            let raw = Raw::of("x.npy", bytes);
            if deflate { raw.deflated() } else { raw }
        };
        let error = refused(of(&[&file[..], b"junk"].concat()));
        assert!(error.to_string().contains("4 bytes follow the array"), "{error}");
        let error = refused(of(&file[..file.len() - 1]));
        assert!(matches!(error.kind(), ErrorKind::Truncated { .. }), "{error}");
        let error = refused(of(&file[..60]));
        assert!(matches!(error.kind(), ErrorKind::Truncated { .. }), "{error}");
    }
    // The size in the directory differs from the inflated size.
    for by in [-1i64, 1] {
        let member = x().deflated();
        let size = member.size.checked_add_signed(by).unwrap();
        refused(Raw { size, ..member });
    }
    let inner = Raw::of("x.npy", &[&file[..], b"more"].concat()).deflated();
    let error = refused(Raw { size: file.len() as u64, crc: x().crc, ..inner });
    assert!(error.to_string().contains("inflates to more than the 2128 bytes"), "{error}");
    // All compressed bytes are there, so nothing is truncated.
    let inner = Raw::of("x.npy", &file[..1000]).deflated();
    let error = refused(Raw { size: file.len() as u64, crc: x().crc, ..inner });
    assert!(error.to_string().contains("malformed: the member ends after 1000 of 2128"), "{error}");
}

#[test]
fn claims_take_no_memory() {
    let mut header = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    header.extend(
        format!(
            "{:<117}\n",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (1099511627776,), }"
        )
        .bytes(),
    );
    let whole = (1u64 << 43) + 128;
    let stored = Raw { size: whole, compressed: whole, zip64: true, ..Raw::of("x.npy", &header) };
    refused(stored);
    let lying = Raw::of("x.npy", &header).deflated();
    let error = refused(Raw { size: whole, zip64: true, ..lying.clone() });
    assert!(matches!(error.kind(), ErrorKind::Limit { name: "inflated_bytes", .. }), "{error}");
    // A claim within the limits, without the data.
    let mut limits = Limits::default();
    limits.inflated_bytes = u64::MAX;
    limits.inflation = u64::MAX;
    let bytes = archive(b"", &[Raw { size: whole, zip64: true, ..lying }], b"");
    let (error, cost) = peak(|| {
        let reader = ReadOptions::new().limits(limits).reader(Cursor::new(bytes)).unwrap();
        reader.read_all().unwrap_err()
    });
    assert!(
        error.to_string().contains("the member ends after 128 of 8796093022336 bytes"),
        "{error}"
    );
    assert!(cost < FEW, "{cost}");
}

#[test]
fn bombs_are_limited() {
    let mut writer = WriteOptions::new().deflate(9).writer(Cursor::new(Vec::new())).unwrap();
    writer.write("zeros", &vec![0u8; 8 << 20]).unwrap();
    let file = writer.finish().unwrap().into_inner();
    assert!(file.len() < 10_000);
    assert_eq!(read(file.clone()).unwrap()[0].1.as_bytes().len(), 8 << 20, "zeros are not a bomb");
    let under = |set: fn(&mut Limits)| {
        let mut limits = Limits::default();
        set(&mut limits);
        let reader = ReadOptions::new().limits(limits).reader(Cursor::new(file.clone())).unwrap();
        let (error, cost) = peak(|| reader.read::<Vec<u8>>("zeros").unwrap_err());
        assert!(cost < FEW);
        error.to_string()
    };
    assert!(under(|limits| limits.inflated_bytes = 1 << 20).contains("Limits::inflated_bytes"));
    assert!(under(|limits| limits.inflation = 100).contains("Limits::inflation"));
    assert!(under(|limits| limits.array_bytes = Some(1000)).contains("Limits::array_bytes"));
    let mut limits = Limits::default();
    limits.members = 0;
    let error = ReadOptions::new().limits(limits).reader(Cursor::new(file)).unwrap_err();
    assert!(error.to_string().contains("Limits::members"), "{error}");
}

/// Guards memory: members that do not belong to the struct, or are longer than the others, are refused before they are
/// inflated; a megabyte could become a gigabyte.
#[test]
fn columns_are_refused_before_they_are_inflated() {
    #[derive(NpyRecord, Debug)]
    #[npy(deny_unknown_fields)]
    struct Only {
        _x: u8,
    }
    #[derive(NpyRecord, Debug)]
    struct Both {
        _x: u8,
        _zeros: u8,
    }
    #[derive(NpyRecord, Debug)]
    struct Wide {
        _zeros: f64,
    }
    #[derive(NpyRecord, Debug)]
    struct More {
        _zeros: u8,
        _more: u8,
    }
    let mut writer = WriteOptions::new().deflate(9).writer(Cursor::new(Vec::new())).unwrap();
    writer.write("_zeros", &vec![0u8; 16 << 20]).unwrap();
    writer.write("_x", &[1u8, 2]).unwrap();
    let file = writer.finish().unwrap().into_inner();
    fn refusal<T: NpyRecord + std::fmt::Debug>(file: &[u8]) -> String {
        let reader = Reader::new(Cursor::new(file)).unwrap();
        let (error, cost) = peak(|| reader.read_columns::<T>().unwrap_err().to_string());
        assert!(cost < 1 << 20, "{cost}: {error}");
        error
    }
    let unknown = refusal::<Only>(&file);
    assert!(unknown.contains("\"_zeros\"") && unknown.contains("Only"), "{unknown}");
    assert!(unknown.contains("deny_unknown_fields"), "{unknown}");
    let length = refusal::<Both>(&file);
    assert!(length.contains("the column \"_zeros\" has 16777216 rows"), "{length}");
    assert!(refusal::<Wide>(&file).contains("field \"_zeros\""));
    assert!(refusal::<More>(&file).contains("no member \"_more\""));
    // Members that are not arrays are checked by name, too.
    let text =
        archive(b"", &[Raw::of("notes.txt", b"hello"), Raw::of("_x.npy", &npy(&[1u8]))], b"");
    assert!(refusal::<Only>(&text).contains("\"notes.txt\""));
}

/// Guards the same for matrices: format and shape are read without inflating more than a few bytes.
#[test]
fn a_matrix_is_refused_before_it_is_inflated() {
    let long = vec![b'c'; 16 << 20];
    let long = DynArray::new("|S16777216".parse().unwrap(), [], Order::C, long).unwrap();
    let names = ["format", "shape", "_is_array"];
    for name in names.into_iter().skip(if npy_tests::is_thorough() { 0 } else { 2 }) {
        let mut writer = WriteOptions::new().deflate(1).writer(Cursor::new(Vec::new())).unwrap();
        match name {
            "format" => writer.write("format", &long).unwrap(),
            _ => writer.write("format", "csr").unwrap(),
        }
        match name {
            "shape" => writer.write("shape", &vec![0i64; 2 << 20]).unwrap(),
            _ => writer.write("shape", &[0i64, 0]).unwrap(),
        }
        writer.write("_is_array", &vec![true; 16 << 20]).unwrap();
        for name in ["indices", "indptr"] {
            writer.write(name, &[0i32][..usize::from(name == "indptr")]).unwrap();
        }
        writer.write("data", &[0f32; 0]).unwrap();
        let reader = Reader::new(writer.finish().unwrap()).unwrap();
        let (error, cost) = peak(|| reader.read_fields::<Csr<f32>>().unwrap_err().to_string());
        assert!(cost < 2 << 20, "{cost}: {error}");
        assert!(error.contains(&format!("member {name:?}")), "{error}");
    }
}

#[test]
fn overlapping_members_are_refused() {
    // Both directory entries point to the same member.
    let second = Raw { name: b"y.npy".to_vec(), place: Some(0), ..x() };
    let error = read(archive(b"", &[x(), second], b"")).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Archive { .. }), "{error}");
    // The first member reaches into the second, and then into the directory.
    for more in [10, 2300, 4000] {
        let first = Raw { compressed: x().compressed + more, size: x().size + more, ..x() };
        let error = read(archive(b"", &[first, Raw { name: b"y.npy".to_vec(), ..x() }], b""));
        let error = error.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Archive { .. }), "{more}: {error}");
    }
}

#[test]
fn wrong_member_positions_are_refused() {
    for place in [1, 40, 1 << 20, 1 << 40, u64::MAX] {
        refused(Raw { place: Some(place), zip64: place > 1 << 30, ..x() });
    }
    let error = refused(Raw { local_name: Some(b"y.npy".to_vec()), ..x() });
    assert!(error.to_string().contains("another member where the directory says"), "{error}");
    refused(Raw { local_name: Some(b"x.npyy".to_vec()), ..x() });
}

#[test]
fn what_is_no_archive_says_so() {
    let cases: [(&[u8], &str); 4] = [
        (
            b"",
            "the archive is malformed: it is empty: the program that wrote it may not have finished; delete it or write it again",
        ),
        (&npy(&[1u8]), "it is a .npy file: read it with npy_core::load"),
        (b"hello, world", "it looks like text"),
        (&archive(b"", &[x()], b"")[..1000], "so it is incomplete"),
    ];
    for (bytes, says) in cases {
        let error = Reader::new(Cursor::new(bytes)).unwrap_err();
        let kind = error.kind();
        assert!(matches!(kind, ErrorKind::Archive { .. } | ErrorKind::NotNpz { .. }), "{error}");
        assert!(error.to_string().contains(says), "{error}");
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npz");
    std::fs::write(&path, "hello").unwrap();
    for error in [Reader::open(&path).unwrap_err(), Writer::append(&path).unwrap_err()] {
        assert!(error.to_string().contains("x.npz: not a .npz archive"), "{error}");
    }
}

#[test]
fn a_directory_that_is_cut_is_refused() {
    let whole = archive(b"", &[x(), Raw { name: b"y.npy".to_vec(), ..x() }.deflated()], b"");
    for end in (0..whole.len()).step_by(7).chain(whole.len() - 100..whole.len()) {
        assert!(read(whole[..end].to_vec()).is_err(), "{end}");
    }
}

/// Pseudo-random numbers, the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % below as u64).unwrap()
    }
}

/// Valid archives of all kinds, to be damaged.
fn good() -> Vec<Vec<u8>> {
    let fill = |mut writer: Writer<Cursor<Vec<u8>>>| {
        writer.write("a", &[1.5f64; 20]).unwrap();
        writer.write("größe/b", &["x", "yz"]).unwrap();
        writer.write("c", &vec![9u32; 300]).unwrap();
        writer.finish().unwrap().into_inner()
    };
    let mut deflate = WriteOptions::new();
    deflate.deflate(6);
    let mut files = vec![fill(Writer::new(Cursor::new(Vec::new())).unwrap())];
    files.push(fill(deflate.writer(Cursor::new(Vec::new())).unwrap()));
    files.push(fill(deflate.stream(Cursor::new(Vec::new()))));
    files.push(fill(Writer::stream(Cursor::new(Vec::new()))));
    let other = [x(), Raw { name: b"y.npy".to_vec(), zip64: true, ..x() }.deflated()];
    files.push(archive(b"before", &other, b"a comment"));
    files
}

#[test]
fn damaged_archives_are_refused_or_read_right() {
    let good: Vec<_> = good().into_iter().map(|file| (read(file.clone()).unwrap(), file)).collect();
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let (mut refused, mut right, mut less) = (0, 0, 0);
    for round in 0..rounds(10_000) {
        let (arrays, file) = &good[round % good.len()];
        let mut bytes = file.clone();
        for _ in 0..=random.next(3) {
            // Half of the changes are in the directory.
            let length = bytes.len().max(1);
            let at = if random.next(2) == 0 {
                random.next(length)
            } else {
                length - 1 - random.next(length.min(400))
            };
            match random.next(6) {
                0 => bytes.truncate(at),
                1 => {
                    let end = (at + random.next(40)).min(bytes.len());
                    bytes.drain(at.min(end)..end);
                }
                2 => bytes.insert(at.min(bytes.len()), 0xff),
                3 => bytes
                    .get_mut(at)
                    .into_iter()
                    .for_each(|byte| *byte = u8::try_from(random.next(256)).unwrap()),
                _ => bytes.get_mut(at).into_iter().for_each(|byte| *byte ^= 1 << random.next(8)),
            }
        }
        let size = bytes.len();
        let (result, cost) = peak(|| read(bytes));
        assert!(cost < FEW + 16 * size, "{round}: {cost}");
        match result {
            Err(error) => {
                assert!(!error.to_string().is_empty());
                refused += 1;
            }
            // Names may have changed, but each array must be one of the original ones.
            Ok(found) => {
                for (name, array) in &found {
                    assert!(arrays.iter().any(|(_, other)| other == array), "{round}: {name}");
                }
                right += usize::from(found.len() == arrays.len());
                less += usize::from(found.len() < arrays.len());
            }
        }
    }
    println!("{refused} refused, {right} read right, {less} with fewer members");
    assert!(refused > rounds(5000) && right > rounds(100), "{refused} {right}");
}
