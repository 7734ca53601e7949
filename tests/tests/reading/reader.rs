//! Repeated reads of one reader: after its items were read, and after a failed read.

use std::cell::RefCell;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};

use npy_core::{
    ByteStr, Cast, DType, Element, ErrorKind, InvalidValue, Limits, NpyArray, NpyRecord,
    ReadOptions, Reader, WriteNpy,
};

fn file(array: &(impl WriteNpy + ?Sized)) -> Vec<u8> {
    let mut bytes = Vec::new();
    array.write_npy_to(&mut bytes).unwrap();
    bytes
}

#[test]
fn items_are_given_once() {
    let bytes = file(&[1u8, 2, 3]);
    let mut reader = Reader::new(&bytes[..]).unwrap();
    assert_eq!(reader.remaining(), 3);
    assert_eq!(reader.read_vec::<u8>().unwrap(), [1, 2, 3]);
    assert_eq!(reader.remaining(), 0);
    assert_eq!(reader.read_vec::<u8>().unwrap(), [0_u8; 0]);
    for error in [reader.read_array::<u8>().err(), reader.read_dyn().err()] {
        assert_eq!(
            error.unwrap().to_string(),
            "reading a whole array from a later position needs the start of the array: a new reader, or seek_to(0) of one that can seek"
        );
    }
    // Items of no bytes are counted like others.
    let bytes = file(&[ByteStr::<0>::default(); 3]);
    let mut reader = Reader::new(&bytes[..]).unwrap();
    assert_eq!(reader.read_vec::<ByteStr<0>>().unwrap().len(), 3);
    assert_eq!(reader.read_vec::<ByteStr<0>>().unwrap().len(), 0);
    // An empty array can be read any number of times.
    let bytes = file(&[0u8; 0]);
    let mut reader = Reader::new(&bytes[..]).unwrap();
    assert_eq!(reader.read_array::<u8>().unwrap(), reader.read_array::<u8>().unwrap());
}

/// Guards against an empty array instead of the error, when a refused read is repeated.
#[test]
fn a_refusal_is_repeated() {
    let bytes = file(&[1u8, 2, 3]);
    let mut limits = Limits::default();
    limits.array_bytes = Some(2);
    let mut reader = ReadOptions::new().limits(limits).reader(&bytes[..]).unwrap();
    for _ in 0..2 {
        let error = reader.read_vec::<u8>().unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Limit { .. }), "{error}");
        let error = reader.read_vec::<u16>().unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Mismatch { .. }), "{error}");
    }
    assert_eq!(reader.remaining(), 3);
}

/// Guards against items that are read from the wrong position.
#[test]
fn a_reader_that_failed_reads_no_more() {
    let bytes = file(&[1u32, 2, 3]);
    let mut reader = Reader::new(&bytes[..bytes.len() - 1]).unwrap();
    let error = reader.read_vec::<u32>().unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Truncated { .. }), "{error}");
    let again =
        [reader.read_vec::<u32>().err(), reader.read_array::<u32>().err(), reader.read_dyn().err()];
    for error in again {
        assert_eq!(
            error.unwrap().to_string(),
            "reading on after a read that failed, so that the position is unknown, needs a known one: a new reader, or seek_to(n) of one that can seek"
        );
    }
}

/// Guards memory: the value of an item of no bytes can be large.
#[test]
fn values_of_no_bytes_count_by_their_size() {
    let text = "{'descr': '|S0', 'fortran_order': False, 'shape': (1000000,), }";
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(text.len()).unwrap().to_le_bytes());
    bytes.extend(text.as_bytes());
    let mut options = ReadOptions::new();
    options.cast(Cast::Lossless);
    assert!(options.read_from::<Vec<ByteStr<16>>>(&bytes[..]).is_ok());
    let error = options.read_from::<Vec<ByteStr<5000>>>(&bytes[..]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Limit { name: "empty_items", .. }), "{error}");
}

/// Guards the limits for items whose parts are strided.
#[test]
fn limits_hold_in_fortran_order() {
    let text = "{'descr': '|S0', 'fortran_order': True, 'shape': (100, 2), }";
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(text.len()).unwrap().to_le_bytes());
    bytes.extend(text.as_bytes());
    let mut limits = Limits::default();
    limits.empty_items = 99;
    let mut options = ReadOptions::new();
    let error = options.limits(limits).read_from::<NpyArray<[ByteStr<0>; 2]>>(&bytes[..]);
    assert!(matches!(error.unwrap_err().kind(), ErrorKind::Limit { name: "empty_items", .. }));
}

/// Guards the count of empty sub-arrays: each row has as many as its outer dimensions say.
#[test]
fn rows_of_items_without_values_are_counted() {
    let bytes = file(&NpyArray::<f32>::new(vec![], [5, 2, 0]).unwrap());
    let mut reader = Reader::new(Cursor::new(bytes)).unwrap();
    for row in [3, 0, 5, 4] {
        reader.seek_to(row).unwrap();
        assert_eq!(reader.records::<[f32; 0]>().unwrap().count(), 10 - 2 * row, "from row {row}");
        reader.seek_to(row).unwrap();
        let mut some = Vec::new();
        let first = reader.read_chunk::<[f32; 0]>(&mut some, 1).unwrap();
        let rest = reader.read_chunk::<[f32; 0]>(&mut some, 100).unwrap();
        assert_eq!((first + rest, some.len()), (10 - 2 * row, 10 - 2 * row), "from row {row}");
        reader.seek_to(row).unwrap();
        let rows = reader.records::<[[f32; 0]; 2]>().unwrap().count();
        assert_eq!(rows, 5 - row, "from row {row}");
    }
    // Another type continues where the last one stopped, also after `records`.
    reader.seek_to(0).unwrap();
    let (mut values, mut rows) = (Vec::<[f32; 0]>::new(), Vec::<[[f32; 0]; 2]>::new());
    assert_eq!(reader.read_chunk(&mut values, 2).unwrap(), 2);
    assert_eq!(reader.records::<[[f32; 0]; 2]>().unwrap().take(2).count(), 2);
    assert_eq!(reader.read_chunk(&mut values, 2).unwrap(), 2);
    assert_eq!(reader.read_chunk(&mut rows, 100).unwrap(), 1);
    assert_eq!(reader.records::<[f32; 0]>().unwrap().count(), 0);
}

/// Guards variance: a reader of long-lived bytes can be used where one of short-lived bytes is expected. Checked by the
/// compiler.
#[test]
fn a_reader_is_covariant_in_its_bytes() {
    fn shorter<'a>(reader: Reader<&'static [u8]>, _: &'a [u8]) -> Reader<&'a [u8]> {
        reader
    }
    let _ = shorter;
}

/// Six bytes: a field of two, and padding, which this type keeps so that it can be compared.
#[derive(Debug, PartialEq)]
struct Padded<const AT: usize>([u8; 6]);

impl<const AT: usize> Element for Padded<AT> {
    const SIZE: usize = 6;

    fn dtype() -> DType {
        let descr = match AT {
            0 => "[('n', '<u2'), ('', '|V4')]",
            _ => "[('', '|V4'), ('n', '<u2')]",
        };
        descr.parse().unwrap()
    }

    fn decode(item: &[u8]) -> Self {
        Padded(item.try_into().unwrap())
    }

    fn encode(&self, item: &mut [u8]) -> Result<(), InvalidValue> {
        item.copy_from_slice(&self.0);
        Ok(())
    }
}

/// Guards the plan that a reader keeps: another type gets its own plan, and its padding is zero.
#[test]
fn each_chunk_may_be_of_another_type() {
    #[derive(NpyRecord)]
    struct Number {
        n: u16,
    }

    let bytes = file(&[1, 2, 3, 4].map(|n| Number { n }));
    let mut reader = Reader::new(&bytes[..]).unwrap();
    let mut first: Vec<Padded<0>> = Vec::new();
    let mut last: Vec<Padded<4>> = Vec::new();
    for _ in 0..2 {
        reader.read_chunk(&mut first, 1).unwrap();
        reader.read_chunk(&mut last, 1).unwrap();
    }
    assert_eq!(first, [[1, 0, 0, 0, 0, 0], [3, 0, 0, 0, 0, 0]].map(Padded));
    assert_eq!(last, [[0, 0, 0, 0, 2, 0], [0, 0, 0, 0, 4, 0]].map(Padded));
}

/// Guards defaults: the function is called once per file, also when the file is read in parts.
#[test]
fn a_default_is_made_once_a_file() {
    static MADE: AtomicU32 = AtomicU32::new(0);

    fn next() -> u32 {
        MADE.fetch_add(1, Ordering::Relaxed)
    }

    #[derive(NpyRecord)]
    struct Row {
        n: u8,
    }

    #[derive(NpyRecord, Debug, PartialEq)]
    struct Numbered {
        n: u8,
        #[npy(default = next)]
        file: u32,
    }

    let bytes = file(&[Row { n: 1 }, Row { n: 2 }]);
    for file in 0..2 {
        let mut reader = Reader::new(Cursor::new(&bytes)).unwrap();
        let mut rows: Vec<Numbered> = Vec::new();
        while reader.read_chunk(&mut rows, 1).unwrap() > 0 {}
        reader.seek_to(1).unwrap();
        rows.extend(reader.records().unwrap().map(Result::unwrap));
        assert_eq!(rows, [1, 2, 2].map(|n| Numbered { n, file }));
    }
}

/// Guards the iterator that has its reader: the same elements as `records`, and one error, which comes last.
#[test]
fn into_records_are_the_elements_of_records() {
    #[derive(npy_core::NpyElement, Clone, Copy, Debug, PartialEq)]
    #[repr(u8)]
    enum Flag {
        Off,
        On,
    }

    let mut file = Vec::new();
    (0..100_000).map(f64::from).collect::<Vec<_>>().write_npy_to(&mut file).unwrap();
    let mut reader = Reader::new(&file[..]).unwrap();
    let wanted: Vec<f64> = reader.records().unwrap().map(Result::unwrap).collect();
    let found: Vec<f64> =
        Reader::new(&file[..]).unwrap().into_records().unwrap().map(Result::unwrap).collect();
    assert_eq!(found, wanted);
    assert!(Reader::new(&file[..]).unwrap().into_records::<f32>().is_err());

    let mut file = Vec::new();
    [1u8, 0, 7, 1].write_npy_to(&mut file).unwrap();
    let mut flags = Reader::new(&file[..]).unwrap().into_records::<Flag>().unwrap();
    assert_eq!(flags.next().unwrap().unwrap(), Flag::On);
    assert_eq!(flags.next().unwrap().unwrap(), Flag::Off);
    assert!(flags.next().unwrap().unwrap_err().to_string().contains("row 2"));
    assert!(flags.next().is_none() && flags.next().is_none());

    let mut file = Vec::new();
    [0u16; 0].write_npy_to(&mut file).unwrap();
    assert_eq!(Reader::new(&file[..]).unwrap().into_records::<u16>().unwrap().count(), 0);
}

/// A stream in memory that grows, counts its seeks, and does not know its end.
#[derive(Clone, Default)]
struct Growing(Rc<RefCell<(Vec<u8>, usize, usize)>>);

impl Read for Growing {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let (bytes, at, _) = &mut *self.0.borrow_mut();
        let read = bytes.get(*at..).unwrap_or_default().read(out)?;
        *at += read;
        Ok(read)
    }
}

impl Seek for Growing {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (_, at, seeks) = &mut *self.0.borrow_mut();
        *seeks += 1;
        *at = match to {
            SeekFrom::Start(to) => to.try_into().unwrap(),
            SeekFrom::Current(by) => at.checked_add_signed(by.try_into().unwrap()).unwrap(),
            SeekFrom::End(_) => return Err(io::ErrorKind::Unsupported.into()),
        };
        Ok(*at as u64)
    }
}

/// Guards that rows which were written after a seek are read: of a file, and of streams with and without a known end.
#[test]
fn a_seek_does_not_fix_the_length() {
    let rows: Vec<u32> = (0..1000).collect();
    let bytes = file(&rows);
    let (before, after) = bytes.split_at(bytes.len() - 2000);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    std::fs::write(&path, before).unwrap();
    let stream = Growing::default();
    stream.0.borrow_mut().0.extend(before);
    let mut readers = (
        Reader::open(&path).unwrap(),
        Reader::new(std::fs::File::open(&path).unwrap()).unwrap(),
        Reader::new(stream.clone()).unwrap(),
    );
    readers.0.seek_to(300).unwrap();
    readers.1.seek_to(300).unwrap();
    readers.2.seek_to(250).unwrap();
    let seeks = stream.0.borrow().2;
    readers.2.seek_to(300).unwrap();
    assert_eq!(stream.0.borrow().2, seeks + 1, "the end, which is not known, is asked for once");
    std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(after).unwrap();
    stream.0.borrow_mut().0.extend(after);
    assert_eq!(readers.0.read_vec::<u32>().unwrap(), rows[300..]);
    assert_eq!(readers.1.read_vec::<u32>().unwrap(), rows[300..]);
    assert_eq!(readers.2.read_vec::<u32>().unwrap(), rows[300..]);
}

/// Guards that a large file that grows is read to its new end.
#[test]
fn the_length_of_a_file_is_asked_anew() {
    let rows: Vec<u32> = (0..1_000_000).collect();
    let bytes = file(&rows);
    let (before, after) = bytes.split_at(bytes.len() / 2);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    std::fs::write(&path, before).unwrap();
    let mut reader = Reader::open(&path).unwrap();
    reader.seek_to(10).unwrap();
    let error = reader.read_vec::<u32>().unwrap_err().to_string();
    assert!(error.contains(&format!("found {};", before.len() - 128)), "{error}");
    std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(after).unwrap();
    assert_eq!(reader.read_vec::<u32>().unwrap(), rows[10..]);
}

/// Guards against values that were read ahead before another program changed them: a seek reads a file again.
#[test]
fn a_seek_reads_a_file_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    vec![0u8; 100_000].write_npy(&path).unwrap();
    let mut reader = Reader::open(&path).unwrap();
    let mut changed = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    for row in [5u32, 20, 50_000] {
        reader.seek_to(row as usize).unwrap();
        assert_eq!(reader.records::<u8>().unwrap().next().unwrap().unwrap(), 0);
        for row in [row, row + 5] {
            changed.seek(SeekFrom::Start(128 + u64::from(row))).unwrap();
            changed.write_all(&[7]).unwrap();
        }
        for row in [row + 5, row] {
            reader.seek_to(row as usize).unwrap();
            assert_eq!(reader.records::<u8>().unwrap().next().unwrap().unwrap(), 7, "{row}");
        }
    }
}

/// An element of a program which states a wrong index for an invalid value.
#[derive(Debug, PartialEq)]
struct Misplaced(u8);

impl Element for Misplaced {
    const SIZE: usize = 1;

    fn dtype() -> npy_core::DType {
        u8::dtype()
    }

    fn decode(item: &[u8]) -> Self {
        Misplaced(item[0])
    }

    fn encode(&self, item: &mut [u8]) -> Result<(), InvalidValue> {
        self.0.encode(item)
    }

    fn check(items: &[u8]) -> Result<(), InvalidValue> {
        match items.contains(&9) {
            true => Err(InvalidValue::new("nine").at_item(1000)),
            false => Ok(()),
        }
    }
}

/// Guards against a panic, and values that are not there.
#[test]
fn an_index_after_the_last_element_is_that_of_the_end() {
    let bytes = file(&[1u8, 2, 9, 3]);
    let records = || Reader::new(&bytes[..]).unwrap().into_records::<Misplaced>().unwrap();
    assert_eq!(records().filter(Result::is_ok).count(), 4);
    assert!(records().nth(4).unwrap().is_err());
    assert_eq!(records().fold(0, |count, value| count + usize::from(value.is_ok())), 4);
}
