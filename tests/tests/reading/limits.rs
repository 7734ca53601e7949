//! Limits hold for every call that reads a file: a limit that can only be raised in some calls would be a dead end.

// Opening a map is unsafe.
#![allow(unsafe_code)]

use npy_core::npz::{self, NpzArchive};
use npy_core::{
    DType, DynArray, Error, ErrorKind, Header, Limits, MapAny, ReadNpy, ReadOptions, ViewError,
    WriteNpy, WriteOptions,
};

#[derive(NpzArchive, Debug)]
struct Archive {
    x: Vec<f64>,
}

/// Returns the name of the limit in an error; panics for any other result.
fn limit<A>(result: Result<A, Error>) -> &'static str {
    match result.err().expect("no error").kind() {
        ErrorKind::Limit { name, .. } => name,
        other => panic!("{other}"),
    }
}

fn view_limit<A>(result: Result<A, ViewError>) -> &'static str {
    limit(result.map_err(Error::from))
}

#[test]
fn a_header_over_a_limit_is_refused_by_every_call() {
    let dir = tempfile::tempdir().unwrap();
    let (path, archive) = (dir.path().join("x.npy"), dir.path().join("x.npz"));
    [1.0, 2.0].write_npy(&path).unwrap();
    npz::save(&archive, &Archive { x: vec![1.0] }).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();

    let mut limits = Limits::default();
    limits.header_bytes = 64;
    let (mut options, mut archives) = (ReadOptions::new(), npz::ReadOptions::new());
    options.limits(limits);
    archives.limits(limits);

    assert_eq!(limit(options.read::<Vec<f64>>(&path)), "header_bytes");
    assert_eq!(limit(options.read_from::<Vec<f64>>(&bytes[..])), "header_bytes");
    assert_eq!(limit(Header::parse_with(&bytes, &limits)), "header_bytes");
    assert_eq!(view_limit(options.view::<f64>(&bytes)), "header_bytes");
    assert_eq!(view_limit(options.view_mut::<f64>(&mut bytes)), "header_bytes");
    // SAFETY: the files are ours alone.
    unsafe {
        assert_eq!(view_limit(options.map::<f64>(&path)), "header_bytes");
        assert_eq!(view_limit(options.map_mut::<f64>(&path)), "header_bytes");
        assert_eq!(view_limit(options.map_copy_on_write::<f64>(&path)), "header_bytes");
        assert_eq!(limit(options.map_any(&path)), "header_bytes");
        assert_eq!(view_limit(options.map_any_mut(&path)), "header_bytes");
        let map = archives.map(&archive).unwrap();
        assert_eq!(view_limit(map.view::<f64>("x")), "header_bytes");
        assert_eq!(view_limit(map.any("x")), "header_bytes");
        assert_eq!(view_limit(map.header("x")), "header_bytes");
    }
    assert_eq!(limit(archives.load::<Archive>(&archive)), "header_bytes");
    let append = WriteOptions::new().limits(limits).append::<f64>(&path);
    assert_eq!(limit(append), "header_bytes");

    limits.members = 0;
    let append = npz::WriteOptions::new().limits(limits).append(&archive);
    assert_eq!(limit(append), "members");
    limits.fields = 0;
    assert_eq!(limit(DType::parse_with("[('x', '<f4')]", &limits)), "fields");
}

#[test]
fn a_limit_can_be_raised_in_every_call() {
    // Over the default limit of brackets, and of the length of a header.
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("wide.npy");
    let fields: Vec<String> = (0..70_000).map(|i| format!("('{i}', '|u1')")).collect();
    let descr = format!("[{}]", fields.join(", "));
    let text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (1,), }}\n");
    let length = u32::try_from(text.len()).unwrap().to_le_bytes();
    let data = vec![1; 70_000];
    let file = [b"\x93NUMPY\x02\x00", &length[..], text.as_bytes(), &data].concat();
    std::fs::write(&path, &file).unwrap();

    let mut limits = Limits::default();
    limits.header_bytes = 1 << 24;
    limits.fields = 1 << 20;
    let mut options = ReadOptions::new();
    options.limits(limits);
    assert_eq!(limit(Header::parse(&file)), "header_bytes");
    assert_eq!(Header::parse_with(&file, &limits).unwrap().0.dtype().itemsize(), 70_000);
    assert_eq!(DType::parse_with(&descr, &limits).unwrap().fields().len(), 70_000);
    assert_eq!(options.read::<DynArray>(&path).unwrap().as_bytes(), data);
    // SAFETY: the file is ours alone.
    let map = unsafe { options.map_any(&path) }.unwrap();
    assert_eq!(map.column::<u8>("69999").unwrap().to_vec().unwrap(), [1]);
}

#[test]
fn an_array_and_a_map_keep_their_limits() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("nothing.npy");
    let nothing = DynArray::new("|V0".parse().unwrap(), [2 << 20], npy_core::Order::C, Vec::new());
    nothing.unwrap().write_npy(&path).unwrap();
    type Nothing = npy_core::Void<0>;

    let mut limits = Limits::default();
    assert_eq!(limit(DynArray::read_npy(&path).unwrap().to_vec::<Nothing>()), "empty_items");
    // The columns of a table without rows have bytes: the message does not say that they have none.
    let wide =
        DynArray::new("<f8".parse().unwrap(), [0, 2_000_000], npy_core::Order::C, Vec::new());
    let error = wide.unwrap().table().err().unwrap().to_string();
    let expected = "columns, rows and values with almost no data in the file, counted by 16 bytes of memory: 1048578 exceeds the limit of 1048576; if you trust the source, raise Limits::empty_items";
    assert_eq!(error, expected);
    limits.empty_items = 4 << 20;
    let mut options = ReadOptions::new();
    options.limits(limits);
    let array = options.read::<DynArray>(&path).unwrap();
    assert_eq!(array.to_vec::<Nothing>().unwrap().len(), 2 << 20);
    // SAFETY: the file is ours alone.
    let (strict, raised) = unsafe { (MapAny::open(&path), options.map_any(&path)) };
    assert_eq!(limit(strict.unwrap().read::<Nothing>(0..2 << 20)), "empty_items");
    assert_eq!(raised.unwrap().read::<Nothing>(0..2 << 20).unwrap().len(), 2 << 20);
}
