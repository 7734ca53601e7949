//! Arrays written item by item, without Python: the bytes, invalid items, and the file after a failure.

mod append;
mod failing;
#[cfg(unix)]
mod pages;
mod shared;
mod slots;
mod unfinished;

use std::cell::RefCell;
use std::fmt::Debug;
use std::fs;
use std::io::{self, Cursor, Seek, SeekFrom, Write};

use npy_core::time::Ns;
use npy_core::{
    ByteOrder, ByteStr, DType, DateTime64, Element, Error, ErrorKind, Header, InvalidValue,
    NpyArray, NpyRecord, Order, ReadNpy, Version, WriteNpy, WriteOptions, Writer,
};
use npy_tests::alloc::peak;

/// Returns the options that are tested: each byte order in each version.
fn options() -> Vec<WriteOptions> {
    let orders = [ByteOrder::Little, ByteOrder::Big];
    let versions = [Version::V1, Version::V2, Version::V3];
    let mut all = vec![WriteOptions::new()];
    for (order, version) in orders.into_iter().flat_map(|order| versions.map(|v| (order, v))) {
        let mut options = WriteOptions::new();
        options.byte_order(order).version(version);
        all.push(options);
    }
    all
}

fn memory<T: Element>(options: &WriteOptions) -> Writer<T, Cursor<Vec<u8>>> {
    options.writer(Cursor::new(Vec::new())).unwrap()
}

/// Writes the items in many ways, each of which must give the same bytes as `WriteNpy`.
fn assert_streams<T: Element + Debug>(items: &[T], options: &[WriteOptions]) {
    for options in options {
        let mut whole = Vec::new();
        options.write_to(&mut whole, items).unwrap();
        let same = |writer: Writer<T, Cursor<Vec<u8>>>, how: &str| {
            assert_eq!(writer.count(), items.len(), "{how}");
            let bytes = writer.finish().unwrap().into_inner();
            assert!(bytes == whole, "{how} of {} {}", items.len(), T::dtype());
        };

        let mut writer = memory(options);
        items.iter().for_each(|item| writer.push(item).unwrap());
        same(writer, "push");

        let mut writer = memory(options);
        writer.write_slice(items).unwrap();
        same(writer, "write_slice");

        let mut writer = memory(options);
        writer.extend(items).unwrap();
        same(writer, "extend");

        // With an iterator of unknown length.
        let mut writer = memory(options);
        writer.extend(items.iter().filter(|_| true)).unwrap();
        same(writer, "extend without a length");

        // All ways mixed, with a flush now and then.
        let mut writer = memory(options);
        for (i, chunk) in items.chunks(7).enumerate() {
            match i % 4 {
                0 => writer.write_slice(chunk).unwrap(),
                1 => writer.extend(chunk.iter()).unwrap(),
                _ => chunk.iter().for_each(|item| writer.push(item).unwrap()),
            }
            if i % 3 == 0 {
                writer.flush().unwrap();
            }
        }
        same(writer, "all ways");

        let mut bytes = Vec::new();
        let mut writer = options.with_shape::<T, _>(&mut bytes, &[items.len()]).unwrap();
        writer.extend(items).unwrap();
        writer.finish().unwrap();
        assert!(bytes == whole, "with_shape");
    }
}

/// Tests no items, few items, and numbers of items around those that need another digit.
fn assert_all_lengths<T: Element + Debug>(item: impl Fn(u16) -> T) {
    for n in [0, 1, 2, 9, 10, 11, 99, 100, 1001] {
        assert_streams(&(0..n).map(&item).collect::<Vec<_>>(), &options());
    }
}

#[derive(NpyRecord, Debug, Clone, PartialEq)]
struct Trace<const N: usize> {
    station: u32,
    #[npy(rename = "t0")]
    start: i64,
    gain: f32,
    samples: [f32; N],
}

fn trace(n: u16) -> Trace<4> {
    let samples = [0.5, f32::from(n), -1.0, 0.0];
    Trace { station: n.into(), start: -i64::from(n), gain: 1.5, samples }
}

#[derive(NpyRecord, Debug, Clone, PartialEq)]
#[npy(align)]
#[repr(C)]
struct Padded {
    flag: u8,
    time: DateTime64<Ns>,
    #[npy(endian = "big")]
    code: u16,
    name: ByteStr<3>,
}

fn padded(n: u16) -> Padded {
    let name = ByteStr::new(&[b'a', b'b'][..usize::from(n % 3)]).unwrap();
    Padded { flag: n.to_le_bytes()[0], time: DateTime64::new(n.into()), code: n, name }
}

/// Guards `finish`: any sequence of calls gives the same file as a single one.
#[test]
fn a_stream_is_byte_for_byte_what_write_npy_writes() {
    assert_all_lengths(|n| n % 2 == 0);
    assert_all_lengths(|n| n.to_le_bytes()[0]);
    assert_all_lengths(|n| n);
    assert_all_lengths(|n| -i32::from(n));
    assert_all_lengths(u64::from);
    assert_all_lengths(|n| f32::from(n) / 3.0);
    assert_all_lengths(f64::from);
    assert_all_lengths(|n| ByteStr::<3>::new(n.to_be_bytes()).unwrap());
    assert_all_lengths(|_| ByteStr::<0>::default());
    assert_all_lengths(|n| DateTime64::<Ns>::new(n.into()));
    assert_all_lengths(|n| [n, 1, 2]);
    assert_all_lengths(|n| [[n, 1], [2, 3], [4, 5]]);
    assert_all_lengths(|_| [0u16; 0]);
    assert_all_lengths(trace);
    assert_all_lengths(padded);
    assert_all_lengths(|n| [padded(n), padded(7)]);
}

/// Guards block boundaries, and items that are larger than a block.
#[test]
fn items_may_cross_block_boundaries() {
    const BLOCK: usize = 256 << 10;
    let mut big = WriteOptions::new();
    big.byte_order(ByteOrder::Big);
    let options = [WriteOptions::new(), big];
    for n in [BLOCK - 1, BLOCK, BLOCK + 1] {
        let bytes: Vec<u8> = (0..=250).cycle().take(n).collect();
        assert_streams(&bytes, &options[..1]);
    }
    let traces: Vec<_> = (0..20_000).map(trace).collect();
    assert_streams(&traces, &options);
    let large: Vec<_> = (0..3u32).map(|n| [n; BLOCK / 4 + 1]).collect();
    assert_streams(&large, &options);
}

/// Guards the position of the header: an array need not be at the start of its file.
#[test]
fn an_array_may_start_anywhere() {
    let mut file = Cursor::new(b"before".to_vec());
    file.seek(SeekFrom::End(0)).unwrap();
    let mut writer = Writer::<f64, _>::new(file).unwrap();
    writer.extend([1.0, 2.0]).unwrap();
    writer.flush().unwrap();
    writer.push(&3.0).unwrap();
    let mut file = writer.finish().unwrap();
    file.write_all(b"after").unwrap();
    let bytes = file.into_inner();
    let mut rest = bytes.strip_prefix(b"before").unwrap();
    assert_eq!(Vec::<f64>::read_npy_from(&mut rest).unwrap(), [1.0, 2.0, 3.0]);
    assert_eq!(rest, b"after");
}

/// Guards the header, which is written at the start and updated on each flush: another process can read the file
/// meanwhile.
#[test]
fn a_reader_can_follow_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    fs::write(&path, "what was there").unwrap();
    let mut writer = Writer::<Trace<4>, _>::create(&path).unwrap();
    let read = || Vec::<Trace<4>>::read_npy(&path).unwrap();
    assert_eq!(read(), []);
    let mut all = Vec::new();
    for n in 0..120 {
        writer.push(&trace(n)).unwrap();
        assert_eq!(read(), all, "not before it is flushed");
        writer.flush().unwrap();
        all.push(trace(n));
        assert_eq!(read(), all);
    }
    writer.push(&trace(0)).unwrap();
    writer.sync().unwrap();
    all.push(trace(0));
    assert_eq!(read(), all);
    writer.push(&trace(1)).unwrap();
    drop(writer);
    all.push(trace(1));
    assert_eq!(read(), all, "dropped without `finish`");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "no other file is left");
}

/// Guards `create`: the new file is complete when it replaces the old one, which is not truncated first.
#[cfg(unix)]
#[test]
fn create_does_not_empty_the_file_that_was_there() {
    let dir = tempfile::tempdir().unwrap();
    let (path, link) = (dir.path().join("x.npy"), dir.path().join("link.npy"));
    [1.0, 2.0].write_npy(&path).unwrap();
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let mut before = fs::File::open(&path).unwrap();
    let mut writer = Writer::<f64, _>::create(&link).unwrap();
    assert_eq!(Vec::<f64>::read_npy(&path).unwrap(), [0.0; 0]);
    assert_eq!(Vec::<f64>::read_npy_from(&mut before).unwrap(), [1.0, 2.0]);
    writer.push(&3.0).unwrap();
    writer.finish().unwrap();
    assert!(link.is_symlink());
    assert_eq!(Vec::<f64>::read_npy(&path).unwrap(), [3.0]);
}

/// A number that must be even. The bytes that it writes before the check must not stay.
#[derive(Debug, Clone, PartialEq)]
struct Even(u32);

impl Element for Even {
    const SIZE: usize = 4;

    fn dtype() -> DType {
        u32::dtype()
    }

    fn decode(item: &[u8]) -> Self {
        Even(u32::decode(item))
    }

    fn encode(&self, item: &mut [u8]) -> Result<(), InvalidValue> {
        item.fill(0xee);
        if self.0 % 2 == 1 {
            return Err(InvalidValue::new(format!("{} is odd", self.0)));
        }
        self.0.encode(item)
    }
}

/// Guards invalid items: they are not in the file, the others are, and the error names the row.
#[test]
fn an_invalid_value_leaves_no_byte() {
    for options in &options()[..3] {
        let mut writer = memory::<Even>(options);
        let mut taken = Vec::new();
        for n in 0..200_000 {
            match writer.push(&Even(n)) {
                Ok(()) => taken.push(Even(n)),
                Err(error) => {
                    assert_eq!(error.to_string(), format!("row {}: {n} is odd", taken.len()));
                }
            }
        }
        let values = |numbers: &[u32]| numbers.iter().copied().map(Even).collect::<Vec<_>>();
        let error = writer.write_slice(&values(&[2, 4, 5, 6])).unwrap_err();
        assert_eq!(error.to_string(), "row 100002: 5 is odd");
        let error = writer.extend(values(&[8, 9, 10])).unwrap_err();
        assert_eq!(error.to_string(), "row 100003: 9 is odd");
        taken.extend(values(&[2, 4, 8]));
        assert_eq!(writer.count(), taken.len());
        let file = writer.finish().unwrap().into_inner();
        let mut whole = Vec::new();
        options.write_to(&mut whole, &taken).unwrap();
        assert!(file == whole);
    }
}

/// Guards the stated count: more items are refused and not written, and fewer are an error in the end.
#[test]
fn a_stated_shape_is_kept() {
    let mut file = Vec::new();
    let mut writer = Writer::<u8, _>::with_shape(&mut file, &[2, 3]).unwrap();
    let error = writer.write_slice(&[0; 7]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Shape { .. }), "{error}");
    assert_eq!(writer.count(), 0);
    let error = writer.extend(0..7).unwrap_err();
    assert_eq!(error.to_string(), "shape (2, 3): it has 6 elements, and no more fit");
    writer.push(&6).unwrap_err();
    writer.write_slice(&[]).unwrap();
    assert_eq!(writer.count(), 6);
    writer.finish().unwrap();
    let array = NpyArray::<u8>::read_npy_from(&file[..]).unwrap();
    assert_eq!(
        (array.shape(), array.as_slice_memory_order()),
        (&[2, 3][..], &[0, 1, 2, 3, 4, 5][..])
    );

    let mut writer = Writer::<u8, _>::with_shape(Vec::new(), &[2, 3]).unwrap();
    writer.extend(0..5).unwrap();
    writer.flush().unwrap();
    let error = writer.finish().unwrap_err();
    assert_eq!(
        error.to_string(),
        "shape (2, 3): expected 6 elements, found 5; add the other 1, or state a shape of 5"
    );

    for shape in [&[][..], &[0], &[1], &[3, 0]] {
        let n: usize = shape.iter().product();
        let mut file = Vec::new();
        let mut writer = Writer::<[f32; 2], _>::with_shape(&mut file, shape).unwrap();
        writer.extend(vec![[0.5, 1.0]; n]).unwrap();
        assert!(writer.push(&[0.0; 2]).is_err());
        writer.finish().unwrap();
        let array = NpyArray::new(vec![[0.5f32, 1.0]; n], shape).unwrap();
        let mut whole = Vec::new();
        array.write_npy_to(&mut whole).unwrap();
        assert_eq!(file, whole, "{shape:?}");
    }
    assert!(Writer::<u8, _>::with_shape(Vec::new(), &[usize::MAX, 2]).is_err());
}

/// Guards Fortran order: items are given in the order of the file; items whose parts would be strided are refused.
#[test]
fn fortran_order_is_the_order_of_the_items() {
    let mut options = WriteOptions::new();
    options.order(Order::Fortran);
    let mut file = Vec::new();
    let mut writer = options.with_shape::<u8, _>(&mut file, &[2, 3]).unwrap();
    writer.extend(0..6).unwrap();
    writer.finish().unwrap();
    let array = NpyArray::<u8>::read_npy_from(&file[..]).unwrap();
    assert_eq!((array.order(), array.at(&[1, 0])), (Order::Fortran, Some(&1)));

    let refused = |error: Error| {
        assert!(matches!(error.kind(), ErrorKind::Unsupported { .. }), "{error}");
        let text = "[u8; 3] in Fortran order, where the parts of a row are strided, needs";
        assert!(error.to_string().starts_with(text), "{error}");
    };
    refused(options.with_shape::<[u8; 3], _>(Vec::new(), &[2]).unwrap_err());
    refused(options.writer::<[u8; 3], _>(Cursor::new(Vec::new())).unwrap_err());
    // With a single item the orders are the same, so it is allowed.
    assert!(options.with_shape::<[u8; 3], _>(Vec::new(), &[1]).is_ok());
    assert!(options.writer::<u8, _>(Cursor::new(Vec::new())).is_ok());
}

#[derive(Debug)]
struct Object;

impl Element for Object {
    const SIZE: usize = 8;

    fn dtype() -> DType {
        "|O".parse().unwrap()
    }

    fn decode(_: &[u8]) -> Self {
        Object
    }

    fn encode(&self, _: &mut [u8]) -> Result<(), InvalidValue> {
        Ok(())
    }
}

/// Guards against files whose data would have to be a pickle.
#[test]
fn python_objects_are_refused() {
    let refused = |error: Error| {
        assert!(matches!(error.kind(), ErrorKind::Unsupported { .. }), "{error}");
    };
    refused(Writer::<Object, _>::new(Cursor::new(Vec::new())).unwrap_err());
    refused(Writer::<Object, _>::with_shape(Vec::new(), &[1]).unwrap_err());
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    refused(Writer::<Object, _>::create(&path).unwrap_err());
    assert!(!path.exists());
}

/// Guards memory: a writer holds a block or two, and less for small arrays.
#[test]
fn a_writer_holds_a_block() {
    let items = vec![1.5f64; 4_000_000];
    let traces: Vec<_> = (0..60_000).map(trace).collect();
    let mut big = WriteOptions::new();
    big.byte_order(ByteOrder::Big);
    let (_, cost) = peak(|| {
        let mut writer = big.with_shape(io::sink(), &[items.len()]).unwrap();
        writer.write_slice(&items).unwrap();
        writer.finish().unwrap();
    });
    assert!(cost < 1 << 20, "{cost}");
    let (_, cost) = peak(|| {
        let mut writer = Writer::<Trace<4>, _>::with_shape(io::sink(), &[traces.len()]).unwrap();
        writer.extend(traces.iter()).unwrap();
        writer.finish().unwrap();
    });
    assert!(cost < 1 << 20, "{cost}");
    let (_, cost) = peak(|| {
        let mut writer = Writer::<f64, _>::with_shape(io::sink(), &[10]).unwrap();
        items[..10].iter().for_each(|item| writer.push(item).unwrap());
        writer.finish().unwrap();
    });
    assert!(cost < 4 << 10, "{cost}");
}

/// Guards the errors for paths that cannot be written.
#[test]
fn what_cannot_be_created_says_why() {
    let dir = tempfile::tempdir().unwrap();
    for path in [dir.path().to_owned(), dir.path().join("no/x.npy")] {
        let error = Writer::<f64, _>::create(&path).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Io(_)), "{error}");
        assert!(error.to_string().starts_with(&path.display().to_string()), "{error}");
    }
    let missing = dir.path().join("missing.npy");
    let error = Writer::<f64, _>::append(&missing).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Io(_)), "{error}");
    assert!(error.to_string().contains("missing.npy"), "{error}");
    assert!(!missing.exists());
}

/// Guards the error for a stream that cannot seek back to the header; nothing is written to it.
#[test]
fn a_stream_that_cannot_seek_is_referred_to_with_shape() {
    struct Pipe<'a>(&'a RefCell<Vec<u8>>);
    impl Write for Pipe<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.borrow_mut().write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    impl Seek for Pipe<'_> {
        fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
            Err(io::Error::new(io::ErrorKind::NotSeekable, "Illegal seek"))
        }
    }
    let sent = RefCell::new(Vec::new());
    let error = Writer::<f64, _>::new(Pipe(&sent)).unwrap_err();
    assert!(error.to_string().contains("(Illegal seek); use Writer::with_shape"), "{error}");
    assert!(sent.borrow().is_empty());
    let mut writer = Writer::<f64, _>::with_shape(Pipe(&sent), &[1]).unwrap();
    writer.push(&1.0).unwrap();
    writer.finish().unwrap();
    assert_eq!(Vec::<f64>::read_npy_from(&sent.borrow()[..]).unwrap(), [1.0]);
}

/// Guards `Writer<T, File>`: it is `Send`, `'static` and `Debug`.
#[test]
fn a_writer_is_send_and_debug() {
    fn travels<T: Send + 'static>(it: T) -> T {
        it
    }
    let writer = travels(Writer::<Trace<4>, _>::new(Cursor::new(Vec::new())).unwrap());
    let text = format!("{writer:?}");
    assert_eq!(text, "Writer<Trace<4>, Cursor<Vec<u8>>> { path: None, count: 0, .. }");
    assert_eq!(writer.get_ref().get_ref().len(), 192, "the header is there already");
}
