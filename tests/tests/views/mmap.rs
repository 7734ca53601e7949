//! Files mapped into memory.

// Opening a map is unsafe.
#![allow(unsafe_code)]

use std::path::Path;

use ndarray::Array1;
use npy_core::mmap::Access;
use npy_core::{
    Be, Bool8, ByteOrder, ByteStr, DynArray, ErrorKind, FixedStr, Header, Map, MapAny, MapAnyMut,
    MapMut, NpyArray, NpyElement, NpyRecord, NpyView, Order, ReadNpy, ReadOptions, Reader,
    ViewError, WriteNpy, WriteOptions, ZeroCopy,
};
use tempfile::TempDir;

#[derive(NpyRecord, ZeroCopy, Debug, Clone, Copy, PartialEq)]
#[repr(C)]
struct Head {
    code: ByteStr<4>,
    gain: f32,
}

#[derive(NpyRecord, ZeroCopy, Debug, Clone, Copy, PartialEq)]
#[repr(C)]
struct Trace {
    time: i64,
    head: Head,
    samples: [f32; 6],
}

fn traces() -> Vec<Trace> {
    let head = |i: u8| Head { code: [b'A' + i; 4].into(), gain: f32::from(i) };
    let trace = |i: u8| Trace { time: i.into(), head: head(i), samples: [f32::from(i) / 2.0; 6] };
    (0..20).map(trace).collect()
}

fn saved(array: &(impl WriteNpy + ?Sized), order: ByteOrder) -> (TempDir, std::path::PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    WriteOptions::new().byte_order(order).write(&path, array).unwrap();
    (dir, path)
}

fn map<T: ZeroCopy>(path: impl AsRef<Path>) -> Result<Map<T>, ViewError> {
    // SAFETY: each test has its own directory, and does not change a mapped file; this holds for the maps below, too.
    unsafe { Map::open(path) }
}

fn map_any(path: impl AsRef<Path>) -> npy_core::Result<MapAny> {
    // SAFETY: as above.
    unsafe { MapAny::open(path) }
}

fn map_mut<T: ZeroCopy>(path: impl AsRef<Path>) -> Result<MapMut<T>, ViewError> {
    // SAFETY: as above; maps that fill parts of one file fill different parts.
    unsafe { MapMut::open(path) }
}

fn copied<T: ZeroCopy>(path: impl AsRef<Path>) -> Result<MapMut<T>, ViewError> {
    // SAFETY: as above.
    unsafe { MapMut::open_copy_on_write(path) }
}

fn created<T: ZeroCopy>(path: impl AsRef<Path>, shape: &[usize]) -> Result<MapMut<T>, ViewError> {
    // SAFETY: as above.
    unsafe { MapMut::create(path, shape) }
}

#[test]
fn a_map_is_the_items() {
    let (_dir, path) = saved(&traces(), ByteOrder::Little);
    let map = map::<Trace>(&path).unwrap();
    assert_eq!(*map, traces()[..]);
    assert_eq!((map.shape(), map.order(), map.header().count()), (&[20][..], Order::C, 20));
    assert_eq!(map.at(&[3]), Some(&traces()[3]));
    assert_eq!(map.at(&[20]), None);
    let gains = map.column::<f32>("head.gain").unwrap();
    assert_eq!(gains.to_vec().unwrap(), (0..20u8).map(f32::from).collect::<Vec<_>>());
    assert_eq!(gains.iter().len(), 20);
    assert_eq!((gains.get(19), gains.get(20), gains.get(usize::MAX)), (Some(19.0), None, None));
    let samples = map.column::<[f32; 6]>("samples").unwrap();
    assert_eq!(samples.get(4), Some([2.0; 6]));
    let error = map.column::<f64>("head.gain").unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Mismatch { .. }), "{error}");
    let error = error.to_string();
    assert!(error.starts_with(&format!("{}: field \"head.gain\": ", path.display())), "{error}");
    assert!(error.contains("a view converts nothing"), "{error}");
    assert!(error.ends_with("change the Rust type to f32"), "{error}");
    let error = map.column::<f64>("gain").unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::MissingField { .. }), "{error}");
}

#[test]
fn ranks_and_empty_arrays_are_mapped() {
    let array = NpyArray::new((0..6).collect::<Vec<i32>>(), [2, 3]).unwrap();
    for order in [Order::C, Order::Fortran] {
        let (_dir, path) = saved(&array.to_order(order), ByteOrder::Little);
        let map = map::<i32>(&path).unwrap();
        assert_eq!((map.shape(), map.order()), (&[2, 3][..], order));
        assert_eq!(map.at(&[1, 0]), Some(&3));
        // Elements are changed in the order in which they are read.
        let mut other = copied::<i32>(&path).unwrap();
        other.iter_mut().zip(map.iter()).for_each(|(to, from)| *to = from * 10);
        (&mut other).into_iter().for_each(|to| *to += 1);
        assert_eq!(other.to_vec(), [1, 11, 21, 31, 41, 51]);
    }
    let (_dir, path) = saved(&7u16, ByteOrder::Little);
    assert_eq!(*map::<u16>(&path).unwrap(), [7]);
    let (_dir, path) = saved(&[0u16; 0], ByteOrder::Little);
    let mut map = map_mut::<u16>(&path).unwrap();
    assert!(map.is_empty() && map.as_slice_memory_order_mut().is_empty());
    map.flush_range(0..5).unwrap();
    let any = map_any(&path).unwrap();
    assert!(any.get::<u16>(0).is_err() && any.read::<u16>(0..0).unwrap().is_empty());
    assert!(any.get::<u16>(usize::MAX).is_err());
}

/// Guards the name of the file in the error of a truncated file.
#[test]
fn a_truncated_file_is_named() {
    let (_dir, path) = saved(&[1.0f64, 2.0], ByteOrder::Little);
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() - 3]).unwrap();
    let errors = [
        map::<f64>(&path).unwrap_err().into(),
        map_mut::<f64>(&path).unwrap_err().into(),
        map_any(&path).unwrap_err(),
    ];
    for error in errors {
        let error: npy_core::Error = error;
        let expected =
            format!("{}: truncated: expected 16 bytes of data, found 13", path.display());
        assert!(error.to_string().starts_with(&expected), "{error}");
    }
}

#[test]
fn an_array_that_cannot_be_viewed_says_why() {
    let (_dir, path) = saved(&traces(), ByteOrder::Big);
    let error = map::<Trace>(&path).unwrap_err();
    assert!(matches!(error, ViewError::ByteOrder { .. }), "{error}");
    let copy = format!("Vec::<Trace>::read_npy({path:?})");
    assert!(error.to_string().contains(&copy), "{error}");
    // The place is that of the error, too.
    let place = format!("{}: the file holds ", path.display());
    assert!(error.to_string().starts_with(&place), "{error}");
    let error = npy_core::Error::from(error);
    assert_eq!(error.places().collect::<Vec<_>>(), [&npy_core::Place::Path(path.clone())]);
    assert_eq!(error.to_string().matches(&place).count(), 1, "{error}");
    let again = ViewError::from(error);
    assert!(matches!(again, ViewError::ByteOrder { .. }), "{again}");
    assert!(again.to_string().starts_with(&place), "{again}");
    let error = map::<f64>(&path).unwrap_err().to_string();
    assert!(error.contains("Reader::read_column (of a map MapAny::column), "), "{error}");
    // A `MapAny` decodes any layout.
    let any = map_any(&path).unwrap();
    assert_eq!(any.get::<Trace>(7).unwrap(), traces()[7]);
    assert_eq!(any.read::<Trace>(5..20).unwrap(), traces()[5..]);
    assert_eq!(any.column::<f32>("head.gain").unwrap().get(3), Some(3.0));
    assert_eq!(any.column::<i64>("time").unwrap().to_vec().unwrap()[19], 19);
    assert_eq!(any.column::<[f32; 6]>("samples").unwrap().iter().last(), Some([9.5; 6]));
    let error = any.column::<f64>("head.gain").unwrap_err().to_string();
    assert!(error.contains("; f32 reads it, and ReadOptions::new().cast("), "{error}");
    let error = any.get::<Trace>(20).unwrap_err().to_string();
    assert!(error.contains("x.npy: ") && error.contains("no element 20"), "{error}");
    #[expect(clippy::reversed_empty_ranges, reason = "the mistake")]
    let ranges = [
        (4..29, "the range 4..29 ends after the 20 elements; "),
        (5..2, "5..2 ends before its start; "),
    ];
    for (range, says) in ranges {
        let error = any.read::<Trace>(range).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
    #[expect(clippy::reversed_empty_ranges)]
    let reversed = any.read::<Trace>(3..2);
    assert!(reversed.is_err());
    let array =
        DynArray::new("[('code', '<U2'), ('ok', '?')]".parse().unwrap(), [1], Order::C, vec![0; 9]);
    let (_dir, path) = saved(&array.unwrap(), ByteOrder::Little);
    let any = map_any(&path).unwrap();
    let read = |path: &str, held: &str| {
        format!(
            "{path}; a column of a map does not check values; read it with Reader::read_column::<{held}>"
        )
    };
    let error = any.column::<ByteStr<2>>("code").unwrap_err().to_string();
    assert!(error.ends_with(&read("expects '|S2'", "FixedStr<2>")), "{error}");
    let error = any.column::<ByteStr<2>>("ok").unwrap_err().to_string();
    assert!(error.ends_with("expects '|S2'; change the Rust type to Bool8"), "{error}");
    assert!(!any.column::<Bool8>("ok").unwrap().get(0).unwrap().get());
    let error = any.column::<u8>("ok").unwrap_err().to_string();
    assert!(error.contains("; Bool8 reads it, and ReadOptions::new().cast("), "{error}");
    let mut reader = Reader::open(&path).unwrap();
    assert_eq!(reader.read_column::<FixedStr<2>>("code").unwrap(), [FixedStr::new("").unwrap()]);
    let (_dir, path) = saved(&[Be::new(1.5f64)], ByteOrder::Little);
    assert_eq!(map::<Be<f64>>(&path).unwrap()[0].get(), 1.5);
    let error = map::<f64>(path.with_extension("no")).unwrap_err();
    assert!(error.to_string().contains("x.no: No such file"), "{error}");
}

#[test]
fn items_of_no_bytes_are_counted() {
    let array = DynArray::new("[('x', '|S0')]".parse().unwrap(), [3], Order::C, Vec::new());
    let (_dir, path) = saved(&array.unwrap(), ByteOrder::Little);
    let any = map_any(&path).unwrap();
    let column = any.column::<ByteStr<0>>("x").unwrap();
    assert_eq!((column.len(), column.iter().count(), column.to_vec().unwrap().len()), (3, 3, 3));
    assert_eq!((column.get(2).is_some(), column.get(3).is_some()), (true, false));
    let many = DynArray::new("|S0".parse().unwrap(), [1 << 50], Order::C, Vec::new()).unwrap();
    let (_dir, path) = saved(&many, ByteOrder::Little);
    assert!(map_any(&path).unwrap().read::<ByteStr<0>>(0..1 << 50).is_err());
}

/// Guards reads past the end: a truncated file is refused when it is opened.
#[test]
fn a_file_that_is_cut_is_refused() {
    let (_dir, path) = saved(&traces(), ByteOrder::Little);
    let whole = std::fs::read(&path).unwrap();
    for end in (0..whole.len()).step_by(7).chain([whole.len() - 1]) {
        std::fs::write(&path, &whole[..end]).unwrap();
        assert!(map::<Trace>(&path).is_err(), "{end}");
        assert!(map_mut::<Trace>(&path).is_err(), "{end}");
        assert!(copied::<Trace>(&path).is_err(), "{end}");
        assert!(map_any(&path).is_err(), "{end}");
        // NumPy's `r+` would extend the file with zeros.
        assert_eq!(std::fs::metadata(&path).unwrap().len(), end as u64, "the file has grown");
    }
}

/// Guards arrays without items in every mode, also where the file ends with its header.
#[test]
fn arrays_of_nothing_are_mapped_in_every_mode() {
    for shape in [&[0][..], &[0, 3], &[2, 0, 4]] {
        let array = NpyArray::<f64>::new(vec![], shape).unwrap();
        let (_dir, path) = saved(&array, ByteOrder::NATIVE);
        assert!(map::<f64>(&path).unwrap().is_empty());
        let any = map_any(&path).unwrap();
        assert!(any.read::<f64>(0..0).unwrap().is_empty() && any.get::<f64>(0).is_err());
        for mut map in
            [map_mut::<f64>(&path), copied(&path), created(&path, shape)].map(Result::unwrap)
        {
            assert_eq!((map.shape(), map.len()), (shape, 0));
            assert!(map.is_empty() && map.as_slice_memory_order_mut().is_empty());
            assert!(map.at(&vec![0; shape.len()]).is_none());
            map.flush().unwrap();
            map.flush_range(0..1).unwrap();
            map.advise(Access::WillNeed).unwrap();
        }
        assert_eq!(NpyArray::<f64>::read_npy(&path).unwrap().shape(), shape);
    }
}

/// Guards files that cannot be mapped: the error has the path, and no other file is created in their place.
#[test]
fn what_is_no_whole_file_is_refused_in_every_mode() {
    fn check(path: &Path, part: &str) {
        let errors = [
            map::<u8>(path).unwrap_err().to_string(),
            map_mut::<u8>(path).unwrap_err().to_string(),
            copied::<u8>(path).unwrap_err().to_string(),
            map_any(path).unwrap_err().to_string(),
        ];
        for error in errors {
            assert!(error.contains(&path.display().to_string()), "{error}\nshould name {path:?}");
            assert!(error.contains(part), "{error}\nshould say {part}");
        }
    }
    let dir = tempfile::tempdir().unwrap();
    check(dir.path(), "");
    check(&dir.path().join("nowhere"), "");
    let path = dir.path().join("empty.npy");
    std::fs::write(&path, "").unwrap();
    check(&path, "it is empty");
    std::fs::write(&path, "PK\x03\x04, and so on").unwrap();
    check(&path, "npz");
    let error = created::<u8>(dir.path(), &[3]).unwrap_err();
    assert!(error.to_string().contains(&dir.path().display().to_string()), "{error}");
    // A file whose contents the kernel generates on each read has no memory to map.
    #[cfg(target_os = "linux")]
    {
        let error = map::<u8>("/proc/self/status").unwrap_err().to_string();
        assert!(error.contains("/proc/self/status: it cannot be mapped ("), "{error}");
    }
}

/// Guards read-only files: they can be mapped and copied, and the error of `MapMut::open` says so.
#[test]
fn read_only_files_are_mapped_read_only() {
    let (_dir, path) = saved(&traces(), ByteOrder::NATIVE);
    let mut permissions = std::fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&path, permissions).unwrap();
    check_read_only(&path);
    // Root may write to it despite the permissions.
    if std::fs::File::options().write(true).open(&path).is_err() {
        let error = map_mut::<Trace>(&path).unwrap_err().to_string();
        assert!(error.contains("Map::open looks at it"), "{error}");
    }
}

/// Guards that files are opened for writing only if they will be changed, also for root: a running program cannot be
/// opened for writing, and is found not to be an array.
#[test]
fn a_running_program_is_not_opened_for_writing() {
    let path = std::env::current_exe().unwrap();
    let errors = [
        map::<u8>(&path).unwrap_err().into(),
        copied::<u8>(&path).unwrap_err().into(),
        map_any(&path).unwrap_err(),
    ];
    for error in errors {
        let error: npy_core::Error = error;
        assert!(matches!(error.kind(), ErrorKind::NotNpy { .. }), "{error}");
    }
}

/// The same with a file that cannot be changed at all, not even by root.
#[cfg(target_os = "linux")]
#[test]
fn sealed_files_are_mapped_for_reading() {
    use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
    use std::io::Write;
    use std::os::fd::AsRawFd;

    let fd = memfd_create("sealed", MemfdFlags::ALLOW_SEALING).unwrap();
    let mut file = std::fs::File::from(fd);
    let mut bytes = Vec::new();
    WriteOptions::new().byte_order(ByteOrder::NATIVE).write_to(&mut bytes, &traces()).unwrap();
    file.write_all(&bytes).unwrap();
    fcntl_add_seals(&file, SealFlags::WRITE | SealFlags::SHRINK | SealFlags::GROW).unwrap();
    let path = std::path::PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    check_read_only(&path);
    let error = map_mut::<Trace>(&path).unwrap_err();
    assert!(matches!(error, ViewError::Unreadable(_)), "{error}");
    let error = error.to_string();
    assert!(error.contains("use Map::open, or MapMut::open_copy_on_write"), "{error}");
}

fn check_read_only(path: &Path) {
    assert_eq!(*map::<Trace>(path).unwrap(), traces()[..]);
    assert_eq!(map_any(path).unwrap().get::<Trace>(3).unwrap(), traces()[3]);
    let mut copy = copied::<Trace>(path).unwrap();
    copy[3].time = -1;
    assert_eq!(copy.column::<i64>("time").unwrap().get(3), Some(-1));
    assert_eq!(map::<Trace>(path).unwrap()[3].time, 3);
}

/// Guards `advise`: every kind of map accepts it, and it changes no value.
#[test]
fn advice_changes_no_value() {
    let (_dir, path) = saved(&traces(), ByteOrder::NATIVE);
    let (map, any) = (map::<Trace>(&path).unwrap(), map_any(&path).unwrap());
    let mut changed = map_mut::<Trace>(&path).unwrap();
    let mut copy = copied::<Trace>(&path).unwrap();
    changed[5].time = -5;
    copy[5].time = -6;
    for access in [Access::Sequential, Access::Random, Access::WillNeed, Access::Normal] {
        map.advise(access).unwrap();
        any.advise(access).unwrap();
        changed.advise(access).unwrap();
        copy.advise(access).unwrap();
        assert_eq!((map[5].time, changed[5].time, copy[5].time), (-5, -5, -6), "{access:?}");
        assert_eq!(any.get::<Trace>(6).unwrap(), traces()[6]);
    }
    assert_eq!(Access::default(), Access::Normal);
}

/// Guards against invalid values: a `bool` of 2 and an enum of 9, in everything that reads files in place.
#[test]
fn no_bytes_make_an_invalid_value() {
    #[derive(NpyElement, Debug, Clone, Copy, PartialEq)]
    #[repr(u8)]
    enum Phase {
        P = 0,
        S = 1,
    }
    #[derive(NpyRecord, Debug, Clone, Copy, PartialEq)]
    struct Pick {
        manual: bool,
        phase: Phase,
        more: [Phase; 2],
    }
    /// The same bytes, as types without invalid values; see also `ui/zero_copy`.
    #[derive(NpyRecord, ZeroCopy, Debug, Clone, Copy, PartialEq)]
    #[repr(C)]
    struct Raw {
        manual: i8,
        phase: u8,
        more: [u8; 2],
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let write = |descr: &str, n: usize, bytes: &[u8]| {
        let dtype = descr.parse().unwrap();
        let array = DynArray::new(dtype, [n], Order::C, bytes.to_vec()).unwrap();
        array.write_npy(&path).unwrap();
        map_any(&path).unwrap()
    };
    let any = write("|b1", 3, &[0, 1, 2]);
    // As in NumPy, every nonzero byte is true.
    assert_eq!(any.read::<bool>(0..3).unwrap(), [false, true, true]);
    assert!(any.get::<bool>(2).unwrap());
    assert!(map::<u8>(&path).is_err() && copied::<i8>(&path).is_err());
    assert!(NpyView::<u8>::from_bytes(&std::fs::read(&path).unwrap()).is_err());
    assert_eq!(Array1::<bool>::read_npy(&path).unwrap().to_vec(), [false, true, true]);

    let any = write("|u1", 3, &[0, 1, 9]);
    assert_eq!(any.read::<Phase>(0..2).unwrap(), [Phase::P, Phase::S]);
    for error in [any.get::<Phase>(2).unwrap_err(), any.read::<Phase>(1..3).unwrap_err()] {
        assert!(matches!(error.kind(), ErrorKind::InvalidValue { .. }), "{error}");
        assert!(error.to_string().contains("row 2"), "{error}");
    }
    assert_eq!(*map::<u8>(&path).unwrap(), [0, 1, 9]);
    assert_eq!(map::<u8>(&path).unwrap().as_ndarray().unwrap()[[2]], 9);
    assert!(Array1::<Phase>::read_npy(&path).is_err());

    let descr = "[('manual', '|b1'), ('phase', '|u1'), ('more', '|u1', (2,))]";
    let bytes = [1, 1, 0, 1, 2, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 9];
    let any = write(descr, 4, &bytes);
    let pick = |manual, phase, more| Pick { manual, phase, more };
    assert_eq!(any.get::<Pick>(0).unwrap(), pick(true, Phase::S, [Phase::P, Phase::S]));
    assert_eq!(any.get::<Pick>(1).unwrap(), pick(true, Phase::P, [Phase::P; 2]));
    assert!(any.get::<Pick>(2).unwrap_err().to_string().contains("\"phase\""));
    assert!(any.get::<Pick>(3).unwrap_err().to_string().contains("\"more\""));
    assert!(any.read::<Pick>(0..4).unwrap_err().to_string().contains("row 2"));
    // Columns work for types that allow any bytes.
    assert_eq!(any.column::<u8>("phase").unwrap().to_vec().unwrap(), [1, 0, 9, 0]);
    assert_eq!(any.column::<u8>("more[1]").unwrap().iter().last(), Some(9));
    assert!(any.column::<u8>("manual").is_err());
    // Nor can a `bool` of the file be viewed as a number.
    assert!(map::<Raw>(&path).is_err() && map_mut::<Raw>(&path).is_err());
    let any = write(&descr.replace("|b1", "|i1"), 4, &bytes);
    assert_eq!(any.get::<Raw>(3).unwrap().more, [0, 9]);
    assert_eq!(map::<Raw>(&path).unwrap()[1].manual, 2);
    let file = std::fs::read(&path).unwrap();
    assert_eq!(NpyView::<Raw>::from_bytes(&file).unwrap()[2].phase, 9);
}

#[test]
fn changes_are_in_the_file_or_in_a_copy() {
    let (_dir, path) = saved(&traces(), ByteOrder::Little);
    let mut copy = copied::<Trace>(&path).unwrap();
    copy[0].time = -1;
    copy.flush().unwrap();
    assert_eq!(copy.column::<i64>("time").unwrap().get(0), Some(-1));
    assert_eq!(Vec::<Trace>::read_npy(&path).unwrap(), traces());
    drop(copy);
    let mut map = map_mut::<Trace>(&path).unwrap();
    map[19].samples[5] = 77.0;
    map.at_mut(&[0]).unwrap().time = -2;
    assert!(map.at_mut(&[20]).is_none());
    map.flush_range(0..1).unwrap();
    map.flush_range(19..1000).unwrap();
    map.flush().unwrap();
    let read = Vec::<Trace>::read_npy(&path).unwrap();
    assert_eq!((read[0].time, read[19].samples[5]), (-2, 77.0));
}

/// Guards a full disk: creating the file is an error, rather than a signal when it is filled.
#[cfg(target_os = "linux")]
#[test]
fn a_file_larger_than_the_disk_is_made_only_if_sparse() {
    // On a tmpfs, where a file that grows too large does no harm.
    let place = Path::new("/dev/shm");
    let disk = rustix::fs::statvfs(place).unwrap();
    let bytes = usize::try_from((disk.f_blocks + 1) * disk.f_frsize).unwrap();
    assert!(disk.f_blocks > 0, "this test needs a limited tmpfs at /dev/shm");
    let dir = tempfile::tempdir_in(place).unwrap();
    let path = dir.path().join("x.npy");
    [1u8, 2].write_npy(&path).unwrap();
    let error = created::<u8>(&path, &[bytes]).unwrap_err();
    let ViewError::Unreadable(error) = error else { panic!("{error}") };
    let is_full = |io: &std::io::Error| io.kind() == std::io::ErrorKind::StorageFull;
    assert!(matches!(error.kind(), ErrorKind::Io(io) if is_full(io)), "{error}");
    assert_eq!(Vec::<u8>::read_npy(&path).unwrap(), [1, 2]);
    // SAFETY: as above; only one page of it is written.
    let mut map = unsafe { MapMut::<u8>::create_sparse(&path, &[bytes]) }.unwrap();
    map[bytes - 1] = 7;
    assert_eq!(map.iter().rev().take(3).collect::<Vec<_>>(), [&7, &0, &0]);
}

/// Guards the disk space of a new file, which must be reserved before it is filled.
#[cfg(target_os = "linux")]
#[test]
fn a_new_file_has_its_space_unless_it_is_sparse() {
    use std::os::unix::fs::MetadataExt;

    // A file system that is known to reserve space.
    let dir = tempfile::tempdir_in("/dev/shm").unwrap();
    let path = dir.path().join("x.npy");
    let space = || std::fs::metadata(&path).unwrap().blocks() * 512;
    drop(created::<u8>(&path, &[1 << 20]).unwrap());
    assert!(space() >= 1 << 20, "{}", space());
    // SAFETY: as above.
    drop(unsafe { MapMut::<u8>::create_sparse(&path, &[1 << 20]) }.unwrap());
    assert!(space() < 1 << 16, "{}", space());
}

#[test]
fn a_new_file_is_zeros_of_its_shape() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("new.npy");
    std::fs::write(&path, vec![9; 1000]).unwrap();
    let mut map = created::<[f32; 3]>(&path, &[4, 2]).unwrap();
    assert_eq!((map.shape(), map.header().shape()), (&[4, 2][..], &[4, 2, 3][..]));
    *map.at_mut(&[3, 1]).unwrap() = [1.0, 2.0, 3.0];
    drop(map);
    let array = DynArray::read_npy(&path).unwrap();
    assert_eq!(array.get(&[3, 1, 2]).unwrap().as_f64(), Some(3.0));
    assert_eq!(array.get(&[0, 0, 0]).unwrap().as_f64(), Some(0.0));
    let same = NpyArray::new(array.to_vec::<f32>().unwrap(), [4, 2, 3]).unwrap();
    let mut bytes = Vec::new();
    same.write_npy_to(&mut bytes).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    let map = created::<f64>(&path, &[]).unwrap();
    assert_eq!(map.as_slice(), [0.0]);
    assert_eq!(Header::read_npy(&path).unwrap().shape(), [0_usize; 0]);
    drop(map);
    let before = std::fs::read(&path).unwrap();
    for shape in [&[usize::MAX, 2][..], &[1 << 59]] {
        assert!(created::<f64>(&path, shape).is_err());
        assert!(std::fs::read(&path).unwrap() == before, "the old contents are lost");
    }
}

/// Guards the old file: one that could not be mapped after it is created is refused before that.
#[test]
fn a_file_that_no_map_could_show_is_not_made() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("new.npy");
    let fortran = |path: &Path, shape: &[usize]| {
        // SAFETY: as above.
        unsafe { MapMut::<[f32; 3]>::create_with_order(path, shape, Order::Fortran) }
    };
    let error = fortran(&path, &[2]).unwrap_err().to_string();
    assert!(error.contains("Fortran order") && error.contains("new.npy"), "{error}");
    let objects = Header::new("|O".parse().unwrap(), [2], Order::C).unwrap();
    // SAFETY: as above.
    let error = unsafe { MapAnyMut::create(&path, &objects) }.unwrap_err().to_string();
    assert!(error.contains("Python objects"), "{error}");
    assert!(!path.exists());
    // A single row has the same elements in both orders.
    assert_eq!(fortran(&path, &[1]).unwrap().as_slice(), [[0.0; 3]]);
}

/// Guards a map whose dtype is known at run time: its limits, short files, and the part that is the data.
#[test]
fn a_map_of_any_dtype_is_changed_by_its_bytes() {
    let (_dir, path) = saved(&[1u8, 2, 3], ByteOrder::Little);
    // SAFETY: as above; here and below, the map is gone when the file is changed.
    let mut map = unsafe { MapAnyMut::open(&path) }.unwrap();
    assert_eq!(map.as_bytes(), [1, 2, 3]);
    map.as_bytes_mut()[2] = 9;
    assert_eq!(*map.view::<u8>().unwrap(), [1, 2, 9]);
    let error = map.view::<npy_core::Bool8>().unwrap_err().to_string();
    assert!(error.contains("x.npy") && error.contains("Bool8"), "{error}");
    map.advise(Access::Sequential).unwrap();
    map.flush().unwrap();
    drop(map);
    assert_eq!(Vec::<u8>::read_npy(&path).unwrap(), [1, 2, 9]);
    let mut limits = npy_core::Limits::default();
    limits.array_bytes = Some(2);
    // SAFETY: as above.
    let error = unsafe { ReadOptions::new().limits(limits).map_any_mut(&path) }.unwrap_err();
    assert!(error.to_string().contains("x.npy"), "{error}");
    let file = std::fs::read(&path).unwrap();
    std::fs::write(&path, &file[..file.len() - 1]).unwrap();
    // SAFETY: as above.
    let error = unsafe { MapAnyMut::open(&path) }.unwrap_err();
    assert!(error.to_string().contains("expected 3 bytes of data, found 2"), "{error}");
}

/// Guards parallel work: several maps of one file, each filling its own part.
#[test]
fn parts_are_filled_at_the_same_time() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("shared.npy");
    drop(created::<u64>(&path, &[40_000]).unwrap());
    std::thread::scope(|scope| {
        for part in 0..4 {
            let path = &path;
            scope.spawn(move || {
                let mut map = map_mut::<u64>(path).unwrap();
                let rows = part * 10_000..(part + 1) * 10_000;
                for (i, slot) in rows.clone().zip(&mut map[rows]) {
                    *slot = i as u64;
                }
            });
        }
    });
    assert!(Vec::<u64>::read_npy(&path).unwrap().into_iter().eq(0..40_000));
}

/// Guards the rules for text in maps of any layout, which decode records on request.
#[test]
fn a_map_of_any_layout_reads_text_of_other_widths() {
    #[derive(NpyRecord, Debug, Clone, PartialEq)]
    struct Note {
        #[npy(width = 2)]
        name: String,
        code: u16,
    }

    #[derive(NpyRecord, Debug, Clone, PartialEq)]
    struct Outer {
        note: Note,
    }

    #[derive(NpyRecord, Debug, Clone, PartialEq)]
    struct Wide {
        #[npy(width = 9)]
        name: String,
        code: u16,
    }

    #[derive(NpyRecord, Debug, Clone, PartialEq)]
    struct Open {
        #[npy(width = any)]
        name: String,
        code: u16,
    }

    #[derive(NpyRecord, Debug, Clone, PartialEq)]
    struct OuterWide {
        note: Wide,
    }

    #[derive(NpyRecord, Debug, Clone, PartialEq)]
    struct OuterOpen {
        note: Open,
    }

    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("notes.npy");
    let names = ["é𝄞", "", "ab"];
    let outer = names.map(|name| Outer { note: Note { name: name.into(), code: 258 } });
    let mut options = npy_core::WriteOptions::new();
    options.byte_order(npy_core::ByteOrder::Big).write(&path, &outer).unwrap();
    let open = names.map(|name| Open { name: name.into(), code: 258 });
    let wide = names.map(|name| Wide { name: name.into(), code: 258 });

    let map = map_any(&path).unwrap();
    assert_eq!(map.get::<OuterOpen>(2).unwrap(), OuterOpen { note: open[2].clone() });
    let read = map.read::<OuterOpen>(0..3).unwrap();
    assert!(read.into_iter().map(|outer| outer.note).eq(open));
    assert_eq!(map.get::<OuterWide>(0).unwrap(), OuterWide { note: wide[0].clone() });
    let read = map.read::<OuterWide>(0..3).unwrap();
    assert!(read.into_iter().map(|outer| outer.note).eq(wide));
}

/// Guards maps of files without a header: the rows that the length states, types with dimensions and records, and lengths that are no whole
/// number of rows.
#[test]
fn files_without_a_header_are_mapped() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.raw");
    let bytes: Vec<u8> = (0..120).collect();
    std::fs::write(&path, &bytes).unwrap();
    fn raw<T: ZeroCopy>(path: &Path, row: &[usize]) -> Result<Map<T>, ViewError> {
        // SAFETY: as above.
        unsafe { Map::open_headerless(path, row) }
    }
    let map = raw::<Be<u16>>(&path, &[2, 3]).unwrap();
    assert_eq!((map.shape(), map.at(&[9, 1, 2]).unwrap().get()), (&[10, 2, 3][..], 0x7677));
    assert_eq!(map.header().dtype(), &">u2".parse().unwrap());
    let triples = raw::<[u8; 3]>(&path, &[4]).unwrap();
    assert_eq!((triples.shape(), triples[39]), (&[10, 4][..], [117, 118, 119]));
    let records = raw::<Trace>(&path, &[]).unwrap();
    assert_eq!(
        (records.len(), records[1].time),
        (3, i64::from_ne_bytes([40, 41, 42, 43, 44, 45, 46, 47]))
    );
    assert_eq!(
        records.column::<ByteStr<4>>("head.code").unwrap().get(1),
        Some([48, 49, 50, 51].into())
    );
    let error = raw::<u64>(&path, &[7]).unwrap_err().to_string();
    assert!(
        error.contains("x.raw: shape (7,): a row has 56 bytes, and the file 120: 8 too many"),
        "{error}"
    );
    for row in [&[0][..], &[usize::MAX, 9]] {
        assert!(matches!(raw::<u64>(&path, row), Err(ViewError::Unreadable(_))), "{row:?}");
    }
    std::fs::write(&path, []).unwrap();
    assert_eq!(raw::<f32>(&path, &[3]).unwrap().shape(), [0, 3]);
    let error = raw::<f32>(&dir.path().join("absent"), &[]).unwrap_err().to_string();
    assert!(error.contains("absent"), "{error}");
}
