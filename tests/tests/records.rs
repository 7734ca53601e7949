//! Reading in parts: items one by one, chunks, rows, columns.

use std::io::{Cursor, Read};

use npy_core::{
    ByteOrder, ByteStr, Cast, DynArray, ErrorKind, NpyArray, NpyElement, NpyRecord, Order,
    ReadOptions, Reader, WriteNpy, WriteOptions,
};
use npy_tests::alloc::peak;
use npy_tests::picky::Even;

#[derive(NpyRecord, Debug, Clone, PartialEq)]
struct Head {
    code: ByteStr<3>,
    gain: f32,
}

#[derive(NpyRecord, Debug, Clone, PartialEq)]
struct Trace {
    id: u32,
    head: Head,
    samples: [i16; 5],
}

fn traces(count: u32) -> Vec<Trace> {
    let trace = |id: u32| Trace {
        id,
        head: Head { code: "abc".try_into().unwrap(), gain: id as f32 },
        samples: [1, -2, 3, -4, (id % 1000) as i16],
    };
    (0..count).map(trace).collect()
}

fn file(array: &(impl WriteNpy + ?Sized), order: ByteOrder) -> Vec<u8> {
    let mut bytes = Vec::new();
    WriteOptions::new().byte_order(order).write_to(&mut bytes, array).unwrap();
    bytes
}

/// Returns one byte per call, like a slow pipe.
struct Drops<'a>(&'a [u8]);

impl Read for Drops<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let n = out.len().min(1);
        self.0.read(&mut out[..n])
    }
}

/// Guards every way of reading in parts: together the parts are the same as a complete read.
#[test]
fn parts_equal_a_complete_read() {
    // Several blocks, the last one incomplete.
    let all = traces(30_000);
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let bytes = file(&all, order);
        let mut reader = Reader::new(&bytes[..]).unwrap();
        let records: Vec<Trace> = reader.records().unwrap().map(Result::unwrap).collect();
        assert_eq!(records, all);
        assert_eq!(reader.remaining(), 0);
        assert!(reader.records::<Trace>().unwrap().next().is_none());
        for max in [1, 7, 9_362, 9_363, 100_000] {
            let mut reader = Reader::new(&bytes[..]).unwrap();
            let mut parts = Vec::new();
            loop {
                let before = parts.len();
                let n = reader.read_chunk::<Trace>(&mut parts, max).unwrap();
                assert_eq!(parts.len() - before, n);
                assert_eq!(reader.remaining(), all.len() - parts.len());
                if n < max {
                    break;
                }
            }
            assert_eq!(parts, all, "{max}");
        }
        let mut reader = Reader::new(&bytes[..]).unwrap();
        let first: Vec<Trace> =
            reader.records().unwrap().take(3).collect::<Result<_, _>>().unwrap();
        assert_eq!(first, all[..3]);
    }
    let few = file(&all[..3], ByteOrder::Little);
    let mut reader = Reader::new(Drops(&few)).unwrap();
    assert_eq!(reader.records::<Trace>().unwrap().map(Result::unwrap).count(), 3);
}

/// Guards reads after a part was read: they return the rest.
#[test]
fn the_rest_follows_a_part() {
    let bytes = file(&traces(10), ByteOrder::Little);
    let mut reader = Reader::new(&bytes[..]).unwrap();
    let mut some = Vec::new();
    reader.read_chunk::<Trace>(&mut some, 4).unwrap();
    assert_eq!(reader.remaining(), 6);
    assert_eq!(reader.read_column::<u32>("id").unwrap(), [4, 5, 6, 7, 8, 9]);
    assert!(reader.read_dyn().unwrap_err().to_string().contains("from a later position"));
    let mut reader = Reader::new(&bytes[..]).unwrap();
    reader.read_chunk::<Trace>(&mut some, 4).unwrap();
    assert_eq!(reader.read_vec::<Trace>().unwrap(), traces(10)[4..]);
    // A sub-array counts as its number of items.
    let array = NpyArray::new((0..12u8).collect(), [6, 2]).unwrap();
    let bytes = file(&array, ByteOrder::Little);
    let mut reader = Reader::new(&bytes[..]).unwrap();
    let mut pairs: Vec<[u8; 2]> = Vec::new();
    reader.read_chunk(&mut pairs, 2).unwrap();
    assert_eq!((reader.remaining(), pairs.as_slice()), (8, &[[0, 1], [2, 3]][..]));
    assert_eq!(reader.read_vec::<[u8; 2]>().unwrap(), [[4, 5], [6, 7], [8, 9], [10, 11]]);
    let none: Vec<[f32; 0]> = vec![[]; 3];
    let bytes = file(&none, ByteOrder::Little);
    assert_eq!(Reader::new(&bytes[..]).unwrap().read_vec::<[f32; 0]>().unwrap(), none);
    let mut reader = Reader::new(&bytes[..]).unwrap();
    assert_eq!(reader.records::<[f32; 0]>().unwrap().count(), 3);
    assert_eq!(reader.read_chunk::<[f32; 0]>(&mut Vec::new(), 5).unwrap(), 0);
    let mut reader = Reader::new(Cursor::new(&bytes)).unwrap();
    reader.seek_to(2).unwrap();
    assert_eq!(reader.read_vec::<[f32; 0]>().unwrap().len(), 1);
}

/// Guards against sub-arrays that are put together from parts of different ones.
#[test]
fn a_part_of_a_sub_array_is_followed_by_its_rest() {
    let array = NpyArray::new((0..6u8).collect(), [3, 2]).unwrap();
    for order in [Order::C, Order::Fortran] {
        let bytes = file(&array.to_order(order), ByteOrder::Little);
        let mut reader = Reader::new(&bytes[..]).unwrap();
        let mut one = Vec::new();
        reader.read_chunk::<u8>(&mut one, 1).unwrap();
        let error = reader.read_vec::<[u8; 2]>().unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Unsupported { .. }), "{error}");
        assert_eq!(reader.read_chunk::<u8>(&mut one, 1).unwrap(), 1);
        assert_eq!(reader.read_vec::<[u8; 2]>().is_ok(), order == Order::C);
    }
}

/// Guards items that were read ahead: an iterator that is dropped early loses none.
#[test]
fn items_that_were_read_ahead_stay_in_the_reader() {
    let all: Vec<u32> = (0..300_000).collect();
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let bytes = file(&all, order);
        let mut reader = Reader::new(Cursor::new(&bytes)).unwrap();
        let two: Vec<u32> = reader.records().unwrap().take(2).map(Result::unwrap).collect();
        assert_eq!((two, reader.remaining()), (vec![0, 1], 299_998));
        assert_eq!(reader.records::<u32>().unwrap().next().unwrap().unwrap(), 2);
        assert_eq!(reader.deserialize::<u64>().unwrap().nth(1).unwrap().unwrap(), 4);
        let mut some = Vec::new();
        reader.read_chunk::<u32>(&mut some, 100_000).unwrap();
        assert_eq!(some[0], 5);
        reader.seek_to(7).unwrap();
        assert!(reader.records::<u32>().unwrap().take(70_000).map(Result::unwrap).eq(7..70_007));
        assert_eq!(reader.read_vec::<u32>().unwrap(), all[70_007..]);
    }
}

/// Guards the complete items of truncated data.
#[test]
fn whole_items_of_a_cut_stream_are_given() {
    let bytes = file(&[1u16, 2, 3, 4], ByteOrder::Big);
    let cut = &bytes[..bytes.len() - 3];
    let mut reader = Reader::new(cut).unwrap();
    let items: Vec<_> = reader.records::<u16>().unwrap().map(Result::ok).collect();
    assert_eq!(items, [Some(1), Some(2), None]);
    let mut some = Vec::new();
    assert!(Reader::new(cut).unwrap().read_chunk::<u16>(&mut some, 9).is_err());
    assert_eq!(some, [1, 2]);
    let mut reader = Reader::new(cut).unwrap();
    let items: Vec<_> = reader.deserialize::<u16>().unwrap().map(Result::ok).collect();
    assert_eq!(items, [Some(1), Some(2), None]);
    assert!(Reader::new(cut).unwrap().read_vec::<u16>().is_err());
}

/// Guards a file, whose length is known: it gives as many items as a stream, and the error is about the complete data.
#[test]
fn a_cut_file_gives_what_a_cut_stream_gives() {
    let all: Vec<u16> = (0..10_000).collect();
    let bytes = file(&all, ByteOrder::Big);
    let cut = &bytes[..bytes.len() - 3];
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    std::fs::write(&path, cut).unwrap();
    for taken in [0, 9_000] {
        let mut some = Vec::new();
        let mut reader = Reader::open(&path).unwrap();
        reader.read_chunk::<u16>(&mut some, taken).unwrap();
        let error = reader.read_vec::<u16>().unwrap_err().to_string();
        assert!(error.contains("expected 20000 bytes of data, found 19997"), "{error}");
        let error = reader.read_chunk::<u16>(&mut some, 10_000).unwrap_err().to_string();
        assert!(error.contains("expected 20000 bytes of data, found 19997"), "{error}");
        assert!(some == all[..9_998], "{}", some.len());
    }
}

#[test]
fn records_of_any_rank_come_in_file_order() {
    let c = NpyArray::new((0..6u8).collect(), [2, 3]).unwrap();
    for order in [Order::C, Order::Fortran] {
        let array = c.to_order(order);
        let bytes = file(&array, ByteOrder::Little);
        let mut reader = Reader::new(&bytes[..]).unwrap();
        let items: Vec<u8> = reader.records().unwrap().map(Result::unwrap).collect();
        assert_eq!(items, array.as_slice_memory_order());
    }
    let fortran = file(&c.to_order(Order::Fortran), ByteOrder::Little);
    let mut reader = Reader::new(&fortran[..]).unwrap();
    let error = reader.records::<[u8; 3]>().err().unwrap();
    let needs = "needs Reader::rows of their elements, which gathers each row, from the start or after seek_to_row, or the whole array";
    assert!(error.to_string().contains(needs), "{error}");
    assert_eq!(reader.read_vec::<[u8; 3]>().unwrap(), [[0, 1, 2], [3, 4, 5]]);
}

#[test]
fn seek_to_finds_any_row() {
    let all = traces(20_000);
    let bytes = file(&all, ByteOrder::Big);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    std::fs::write(&path, &bytes).unwrap();
    // A file is read ahead a little, a stream is not; bytes before the array do not count.
    let mut shifted = b"something".to_vec();
    shifted.extend(&bytes);
    let mut cursor = Cursor::new(shifted);
    cursor.set_position(9);
    let mut in_memory = Reader::new(cursor).unwrap();
    let mut on_disk = Reader::open(&path).unwrap();
    for row in [0, 19_999, 1, 10_000, 20_000, 3] {
        in_memory.seek_to(row).unwrap();
        on_disk.seek_to(row).unwrap();
        let (mut one, mut other) = (Vec::new(), Vec::new());
        in_memory.read_chunk::<Trace>(&mut one, 2).unwrap();
        on_disk.read_chunk::<Trace>(&mut other, 2).unwrap();
        assert_eq!(one, all[row..(row + 2).min(all.len())]);
        assert_eq!(other, one);
    }
    on_disk.seek_to(19_000).unwrap();
    assert_eq!(on_disk.read_vec::<Trace>().unwrap(), all[19_000..]);
    let error = on_disk.seek_to(20_001).unwrap_err();
    assert!(error.to_string().ends_with("no row 20001: the array has 20000"), "{error}");
    // Rows can be found after a failed `seek_to`.
    assert!(on_disk.read_vec::<Trace>().unwrap().is_empty());
    on_disk.seek_to(0).unwrap();
    assert_eq!(on_disk.read_dyn().unwrap().shape(), [20_000]);
    // A false header is detected, even after seeking to the end and back.
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..6000]).unwrap();
    let mut reader = Reader::open(&path).unwrap();
    reader.seek_to(20_000).unwrap();
    reader.seek_to(0).unwrap();
    let error = reader.read_vec::<Trace>().unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Truncated { .. }), "{error}");
    // In an array of several dimensions, a row is an index along the slowest axis.
    let c = NpyArray::new((0..6u8).collect(), [2, 3]).unwrap();
    for (order, row, rest) in [(Order::C, 1, vec![3, 4, 5]), (Order::Fortran, 2, vec![2, 5])] {
        let bytes = file(&c.to_order(order), ByteOrder::Little);
        let mut reader = Reader::new(Cursor::new(bytes)).unwrap();
        reader.seek_to(row).unwrap();
        let items: Vec<u8> = reader.records().unwrap().map(Result::unwrap).collect();
        assert_eq!(items, rest);
    }
}

#[test]
fn a_column_is_one_field_of_every_record() {
    let all = traces(20_000);
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let bytes = file(&all, order);
        let reader = || Reader::new(&bytes[..]).unwrap();
        let gains: Vec<f32> = all.iter().map(|trace| trace.head.gain).collect();
        assert_eq!(reader().read_column::<f32>("head.gain").unwrap(), gains);
        // A second column would be empty in silence.
        let mut twice = Reader::new(Cursor::new(&bytes[..])).unwrap();
        twice.read_column::<f32>("head.gain").unwrap();
        let refused = twice.read_column::<f32>("head.gain").unwrap_err().to_string();
        assert!(
            refused.contains("the start of the array: a new reader, or seek_to(0)"),
            "{refused}"
        );
        // A program that waits for new records finds none yet.
        twice.seek_to(all.len()).unwrap();
        assert!(twice.read_column::<f32>("head.gain").unwrap().is_empty());
        assert!(twice.read_column::<f32>("head.gain").unwrap().is_empty());
        twice.seek_to(all.len() - 1).unwrap();
        assert_eq!(twice.read_column::<f32>("head.gain").unwrap().len(), 1);
        assert!(twice.read_column::<f32>("head.gain").is_err());
        twice.seek_to(0).unwrap();
        assert_eq!(twice.read_column::<f32>("head.gain").unwrap(), gains);
        let samples: Vec<[i16; 5]> = all.iter().map(|trace| trace.samples).collect();
        assert_eq!(reader().read_column::<[i16; 5]>("samples").unwrap(), samples);
        let heads: Vec<Head> = all.iter().map(|trace| trace.head.clone()).collect();
        assert_eq!(reader().read_column::<Head>("head").unwrap(), heads);
        let error = reader().read_column::<f32>("head.gian").unwrap_err();
        assert!(
            error.to_string().contains("no field \"head.gian\", which the call expects"),
            "{error}"
        );
        let error = reader().read_column::<f64>("head.gain").unwrap_err();
        assert!(error.to_string().starts_with("field \"head.gain\": the file holds"), "{error}");
        let mut lossless = ReadOptions::new();
        lossless.cast(Cast::Lossless);
        let wide = lossless.reader(&bytes[..]).unwrap().read_column::<f64>("head.gain").unwrap();
        assert!(wide.iter().copied().eq(gains.iter().copied().map(f64::from)));
    }
}

/// Guards the items before an invalid one, and its row number in a later block.
#[test]
fn items_before_an_invalid_one_are_given() {
    let mut bytes = vec![0u8; 600_000];
    bytes[300_000] = 7;
    let bytes = file(&bytes, ByteOrder::Little);
    let mut reader = Reader::new(&bytes[..]).unwrap();
    let mut records = reader.records::<Even>().unwrap();
    assert!(records.by_ref().take(300_000).all(|item| item.unwrap() == Even(0)));
    let error = records.next().unwrap().unwrap_err();
    assert_eq!(error.to_string(), "row 300000: 7 is odd");
    assert!(records.next().is_none());
    assert!(reader.read_vec::<Even>().is_err());
    let mut some = Vec::new();
    let mut reader = Reader::new(&bytes[..]).unwrap();
    assert!(reader.read_chunk::<Even>(&mut some, 400_000).is_err());
    assert_eq!(some.len(), 300_000);
}

#[test]
fn a_truncated_file_gives_its_complete_records() {
    let all = traces(20_000);
    let bytes = file(&all, ByteOrder::Little);
    let cut = &bytes[..bytes.len() - 1];
    let mut reader = Reader::new(cut).unwrap();
    let mut given = 0;
    let mut error = None;
    for record in reader.records::<Trace>().unwrap() {
        match record {
            Ok(record) => {
                assert_eq!(record, all[given]);
                given += 1;
            }
            Err(e) => error = Some(e),
        }
    }
    assert!(given > 10_000, "{given}");
    assert!(matches!(error.unwrap().kind(), ErrorKind::Truncated { .. }));
}

/// Guards memory: reading in parts takes a block, and a column takes its own size.
#[test]
fn reading_in_parts_takes_little_memory() {
    let bytes = file(&traces(400_000), ByteOrder::Big);
    let (count, cost) = peak(|| {
        let mut reader = Reader::new(&bytes[..]).unwrap();
        reader.records::<Trace>().unwrap().map(Result::unwrap).count()
    });
    assert_eq!(count, 400_000);
    assert!(cost < 2 << 20, "{cost}");
    let (column, cost) =
        peak(|| Reader::new(&bytes[..]).unwrap().read_column::<u32>("id").unwrap());
    assert_eq!(column.len(), 400_000);
    // The length of a stream is unknown, so the vector grows, and the old and the new buffer exist at the same time.
    assert!(cost < 400_000 * 4 * 3 + (2 << 20), "{cost}");
}

#[test]
fn rows_deserialize_to_any_type() {
    let bytes = file(&traces(20_000), ByteOrder::Big);
    let mut reader = Reader::new(&bytes[..]).unwrap();
    let mut rows = reader.deserialize::<(u32, serde_json::Value, Vec<i64>)>().unwrap();
    let (id, head, samples) = rows.nth(15_000).unwrap().unwrap();
    assert_eq!((id, samples), (15_000, vec![1, -2, 3, -4, 0]));
    assert_eq!(head, serde_json::json!({"code": "abc", "gain": 15_000.0}));
    assert_eq!(rows.count(), 4_999);
    // A row that cannot be deserialized is an error, and iteration goes on with the next one.
    let bytes = file(&[1u16, 300, 2], ByteOrder::Little);
    let mut reader = Reader::new(&bytes[..]).unwrap();
    let rows: Vec<Result<u8, String>> = reader
        .deserialize::<u8>()
        .unwrap()
        .map(|row| row.map_err(|error| error.to_string()))
        .collect();
    assert_eq!(rows[0], Ok(1));
    assert!(rows[1].as_ref().unwrap_err().starts_with("row 1: "));
    assert_eq!(rows[2], Ok(2));
    let array = DynArray::new("|O".parse().unwrap(), [1], Order::C, vec![0; 8]);
    assert!(array.is_err());
}

#[test]
fn an_invalid_value_in_a_column_names_its_row() {
    /// The record in the file; `2` is not a `Phase`.
    #[derive(NpyRecord)]
    struct Raw {
        id: u16,
        phase: u8,
        rest: u8,
    }
    #[derive(NpyElement, Debug, PartialEq)]
    #[repr(u8)]
    enum Phase {
        P,
        S,
    }
    #[derive(NpyRecord)]
    struct Pick {
        phase: Phase,
    }
    let raw = |id: u16| Raw { id, phase: u8::from(id == 7_000) * 2, rest: 9 };
    let mut bytes = Vec::new();
    (0..10_000).map(raw).collect::<Vec<_>>().write_npy_to(&mut bytes).unwrap();
    let error = Reader::new(&bytes[..]).unwrap().read_column::<Phase>("phase").unwrap_err();
    assert!(error.to_string().starts_with("row 7000: 2 is not a variant"), "{error}");
    let mut reader = Reader::new(&bytes[..]).unwrap();
    reader.read_chunk::<Pick>(&mut Vec::new(), 6_000).unwrap();
    let mut found = Vec::new();
    let error = reader.read_chunk::<Pick>(&mut found, 4_000).unwrap_err();
    assert!(error.to_string().starts_with("row 7000: field \"phase\": 2 is"), "{error}");
    assert_eq!(found.len(), 1_000);
    assert!(found.iter().all(|pick| pick.phase == Phase::P));
}

/// Guards against a value whose first part was already read as another type.
#[test]
fn partly_read_sub_arrays_are_refused_even_if_buffered() {
    let mut file = Vec::new();
    let rows: Vec<[u32; 3]> = (0..10).map(|n| [3 * n, 3 * n + 1, 3 * n + 2]).collect();
    rows.write_npy_to(&mut file).unwrap();
    let mut reader = Reader::new(&file[..]).unwrap();
    let mut out = Vec::new();
    for _ in 0..2 {
        reader.read_chunk::<[u32; 3]>(&mut out, 1).unwrap();
    }
    assert_eq!(reader.deserialize::<u32>().unwrap().next().unwrap().unwrap(), 6);
    for max in [1, 7] {
        let error = reader.read_chunk::<[u32; 3]>(&mut out, max).unwrap_err();
        assert!(error.to_string().contains("from the middle of one"), "{error}");
    }
    assert_eq!(out, rows[..2]);
    // Reads the remaining parts, then complete values again.
    assert_eq!(reader.records::<u32>().unwrap().take(2).map(Result::unwrap).last(), Some(8));
    assert_eq!(reader.read_chunk::<[u32; 3]>(&mut out, 1).unwrap(), 1);
    assert_eq!(out[2], rows[3]);
}

/// Guards the advice for sub-arrays after a seek in Fortran order, where they are strided: no position helps, and the call that is named works.
#[test]
fn sub_arrays_in_fortran_order_are_read_as_rows_after_a_seek() {
    let mut file = Vec::new();
    let matrix = NpyArray::new((0..20).map(f64::from).collect(), [4, 5]).unwrap();
    WriteOptions::new().order(Order::Fortran).write_to(&mut file, &matrix).unwrap();
    let mut reader = Reader::new(Cursor::new(file)).unwrap();
    reader.seek_to(3).unwrap();
    let error = reader.read_chunk::<[f64; 5]>(&mut Vec::new(), 1).unwrap_err().to_string();
    assert!(
        error.contains("in Fortran order, where their parts are strided, needs Reader::rows"),
        "{error}"
    );
    reader.seek_to_row(3).unwrap();
    let mut rows = reader.rows::<f64>().unwrap();
    assert_eq!(rows.next_row().unwrap().unwrap(), [15.0, 16.0, 17.0, 18.0, 19.0]);
}

/// Guards against a failed reader that looks as if it were at its end.
#[test]
fn after_a_failure_no_iterator_begins() {
    struct Fails<'b>(&'b [u8], bool);

    impl std::io::Read for Fails<'_> {
        fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
            if self.0.len() < 3800 && !self.1 {
                self.1 = true;
                return Err(std::io::ErrorKind::WouldBlock.into());
            }
            let count = out.len().min(100);
            self.0.read(&mut out[..count])
        }
    }

    let mut file = Vec::new();
    (0..1000u32).collect::<Vec<_>>().write_npy_to(&mut file).unwrap();
    let mut reader = Reader::new(Fails(&file, false)).unwrap();
    let (read, failed): (Vec<_>, Vec<_>) =
        reader.records::<u32>().unwrap().partition(Result::is_ok);
    assert!(!read.is_empty() && failed.len() == 1);
    assert!(reader.remaining() > 0);
    for error in [reader.records::<u32>().err(), reader.deserialize::<u32>().err()] {
        let error = error.unwrap().to_string();
        assert!(error.contains("reading on after a read that failed"), "{error}");
    }
}
