//! Streams that are slow, stop or fail at each of their bytes: the right error, nothing lost, and no endless wait.
//!
//! `streams/failing.rs` tests the file that a `Writer` leaves on a failing disk.

use std::io::{self, Cursor, Write};

use npy_core::{
    DynArray, Error, ErrorKind, Header, NpyArray, NpyRecord, ReadNpy, Reader, Result, WriteNpy,
    Writer,
};
use npy_tests::faults::{Fault, Faulty};

#[derive(NpyRecord, Debug, Clone, PartialEq)]
struct Row {
    id: u8,
    x: f64,
    #[npy(endian = "big")]
    code: i32,
}

fn rows() -> Vec<Row> {
    (0..5).map(|id| Row { id, x: f64::from(id) / 3.0, code: 7 * i32::from(id) }).collect()
}

/// Bytes of a row and of a header.
const ROW: usize = 13;
const HEADER: usize = 192;

fn written() -> Vec<u8> {
    let mut bytes = Vec::new();
    rows().write_npy_to(&mut bytes).unwrap();
    assert_eq!(bytes.len(), HEADER + 5 * ROW);
    bytes
}

const FAULTS: [Fault; 4] = [
    Fault::Error(io::ErrorKind::Interrupted),
    Fault::Error(io::ErrorKind::WouldBlock),
    Fault::Dead,
    Fault::End,
];
const STEPS: [usize; 3] = [1, 7, usize::MAX];

type Stream<'a> = Faulty<Cursor<&'a [u8]>>;

/// The rows that a way to read gave, and its result.
type Read = fn(&mut Stream<'_>) -> (Vec<Row>, Result<()>);

fn whole<A: ReadNpy>(stream: &mut Stream<'_>, rows: fn(A) -> Vec<Row>) -> (Vec<Row>, Result<()>) {
    match A::read_npy_from(stream) {
        Ok(array) => (rows(array), Ok(())),
        Err(error) => (Vec::new(), Err(error)),
    }
}

/// Reads with a reader whose header is complete.
fn with_reader(
    stream: &mut Stream<'_>,
    read: impl FnOnce(&mut Reader<&mut Stream<'_>>, &mut Vec<Row>) -> Result<()>,
) -> (Vec<Row>, Result<()>) {
    let mut rows = Vec::new();
    let result = Reader::new(stream).and_then(|mut reader| read(&mut reader, &mut rows));
    (rows, result)
}

/// The ways to read. After an error, each reads again and must fail, as the position is unknown.
const READS: [(&str, Read); 7] = [
    ("Vec", |stream| whole(stream, |rows: Vec<Row>| rows)),
    ("NpyArray", |stream| whole(stream, NpyArray::into_vec)),
    ("DynArray", |stream| whole(stream, |array: DynArray| array.to_vec().unwrap())),
    ("records", |stream| {
        with_reader(stream, |reader, rows| {
            let mut records = reader.records()?;
            while let Some(row) = records.next() {
                match row {
                    Ok(row) => rows.push(row),
                    Err(error) => {
                        assert!(records.next().is_none(), "an error is the last item");
                        assert!(reader.read_vec::<Row>().is_err());
                        return Err(error);
                    }
                }
            }
            Ok(())
        })
    }),
    ("read_chunk", |stream| {
        with_reader(stream, |reader, rows| {
            loop {
                match reader.read_chunk(rows, 2) {
                    Ok(0) => return Ok(()),
                    Ok(_) => {}
                    Err(error) => {
                        assert!(reader.read_chunk::<Row>(rows, 2).is_err());
                        return Err(error);
                    }
                }
            }
        })
    }),
    ("read_column", |stream| {
        with_reader(stream, |reader, rows| {
            let column = reader.read_column::<f64>("x");
            assert!(column.is_ok() || reader.read_column::<f64>("x").is_err());
            rows.extend(column?.iter().zip(self::rows()).map(|(&x, row)| Row { x, ..row }));
            Ok(())
        })
    }),
    ("deserialize", |stream| {
        with_reader(stream, |reader, rows| {
            for row in reader.deserialize::<(u8, f64, i32)>()? {
                let (id, x, code) = row?;
                rows.push(Row { id, x, code });
            }
            Ok(())
        })
    }),
];

/// Asserts that this fault caused the error.
#[track_caller]
fn assert_is(error: &Error, fault: Fault, case: &str) {
    let found = match error.kind() {
        ErrorKind::Io(error) => Some(error.kind()),
        _ => None,
    };
    match fault {
        Fault::Error(kind) => assert_eq!(found, Some(kind), "{case}: {error}"),
        Fault::Dead => assert!(error.to_string().contains("pulled out"), "{case}: {error}"),
        Fault::End => {
            // A stream of no bytes is not a truncated file but not a file at all.
            let cut =
                matches!(error.kind(), ErrorKind::Truncated { .. } | ErrorKind::NotNpy { .. });
            let full = found == Some(io::ErrorKind::WriteZero);
            assert!(cut || full, "{case}: {error}");
        }
    }
}

/// Guards each way to read, with a fault at each byte: an interruption is retried, an end is a truncated file, and
/// other errors are passed on unchanged.
#[test]
fn a_stream_that_fails_anywhere_is_the_right_error() {
    let (bytes, rows) = (written(), rows());
    for (name, read) in READS {
        for step in STEPS {
            let mut slow = Faulty::slow(Cursor::new(&bytes[..]), step);
            let (found, result) = read(&mut slow);
            result.unwrap();
            assert_eq!(found, rows, "{name}, {step} at a time");
            // Each byte is read once, with a few more calls to find the end.
            assert!(slow.calls < bytes.len() / step.min(ROW) + 40, "{name}: {} calls", slow.calls);

            for (fault, at) in FAULTS.iter().flat_map(|f| (0..bytes.len()).map(move |at| (*f, at)))
            {
                let case = format!("{name}, {step} at a time, {fault:?} at {at}");
                let mut stream = Faulty::new(Cursor::new(&bytes[..]), step, at, fault);
                let (found, result) = read(&mut stream);
                assert!(stream.calls < bytes.len() / step.min(ROW) + 50, "{case}: no end");
                if fault == Fault::Error(io::ErrorKind::Interrupted) {
                    result.unwrap_or_else(|error| panic!("{case}: {error}"));
                    assert_eq!(found, rows, "{case}");
                    continue;
                }
                assert_is(&result.unwrap_err(), fault, &case);
                assert_eq!(found, rows[..found.len()], "{case}: the rows before the fault");
                let there = at.saturating_sub(HEADER) / ROW;
                assert!(found.len() <= there, "{case}");
                if fault == Fault::End && matches!(name, "records" | "read_chunk" | "deserialize") {
                    assert_eq!(found.len(), there, "{case}: all complete rows are given");
                }
            }
        }
    }
}

/// Guards the position of a reader that failed: `seek_to` makes it known again, and nothing is lost.
#[test]
fn a_reader_that_failed_can_go_back() {
    let (bytes, rows) = (written(), rows());
    let kind = io::ErrorKind::WouldBlock;
    for (step, at) in
        STEPS.into_iter().flat_map(|step| (HEADER..bytes.len()).map(move |at| (step, at)))
    {
        for row in 0..=rows.len() {
            let stream = Faulty::new(Cursor::new(&bytes[..]), step, at, Fault::Error(kind));
            let mut reader = Reader::new(stream).unwrap();
            let mut some = Vec::new();
            // Reads some rows as a chunk and the rest as records, until it fails.
            let first = reader.read_chunk::<Row>(&mut some, row);
            let error = match first {
                Ok(_) => reader.records::<Row>().unwrap().find_map(Result::err),
                Err(error) => Some(error),
            };
            assert_is(&error.unwrap(), Fault::Error(kind), "it fails once");
            reader.seek_to(row).unwrap();
            assert_eq!(reader.read_vec::<Row>().unwrap(), rows[row..], "{step}, {at}, {row}");
        }
    }
}

/// Guards reads of the header alone.
#[test]
fn a_header_that_does_not_come_is_the_right_error() {
    let bytes = written();
    for (step, fault) in STEPS.into_iter().flat_map(|step| FAULTS.map(|fault| (step, fault))) {
        for at in 0..HEADER {
            let mut stream = Faulty::new(Cursor::new(&bytes[..]), step, at, fault);
            let header = Header::read_from(&mut stream);
            match fault {
                Fault::Error(io::ErrorKind::Interrupted) => {
                    assert_eq!(header.unwrap().shape(), [5])
                }
                _ => assert_is(&header.unwrap_err(), fault, &format!("{step}, {fault:?}, {at}")),
            }
        }
        let stream = Faulty::new(Cursor::new(&bytes[..]), step, HEADER, Fault::Dead);
        Reader::new(stream).expect("no byte after the header is read");
    }
}

/// Writes the rows; returns the stream on success.
type Wrote = fn(Faulty<Cursor<Vec<u8>>>) -> Result<Faulty<Cursor<Vec<u8>>>>;

/// Writes the rows, and checks that every call after an error fails.
fn through<W: Write>(mut writer: Writer<Row, W>) -> Result<W> {
    let mut failed = None;
    for row in rows() {
        for result in [writer.push(&row), writer.flush()] {
            match (&failed, result) {
                (None, Ok(())) => {}
                (None, Err(error)) => failed = Some(error),
                (Some(_), result) => {
                    let again = result.expect_err("every call after a failure is an error");
                    assert!(again.to_string().contains("an earlier write failed"), "{again}");
                }
            }
        }
    }
    let finished = writer.finish();
    match failed {
        None => finished,
        Some(error) => {
            assert!(finished.is_err(), "a writer that failed does not finish");
            Err(error)
        }
    }
}

const WRITES: [(&str, Wrote); 3] = [
    ("write_npy_to", |mut stream| rows().write_npy_to(&mut stream).map(|()| stream)),
    ("with_shape", |stream| through(Writer::with_shape(stream, &[5])?)),
    ("Writer", |stream| through(Writer::new(stream)?)),
];

/// Guards each way to write, with a fault at each byte.
#[test]
fn a_stream_that_takes_no_more_is_the_right_error() {
    let bytes = written();
    for (name, write) in WRITES {
        for step in STEPS {
            let slow = Faulty::slow(Cursor::new(Vec::new()), step);
            let done = write(slow).unwrap();
            assert!(*done.get_ref().get_ref() == bytes, "{name}, {step} at a time");
            for (fault, at) in FAULTS.iter().flat_map(|f| (0..bytes.len()).map(move |at| (*f, at)))
            {
                let case = format!("{name}, {step} at a time, {fault:?} at {at}");
                let result = write(Faulty::new(Cursor::new(Vec::new()), step, at, fault));
                match (fault, result) {
                    (Fault::Error(io::ErrorKind::Interrupted), Ok(stream)) => {
                        assert!(*stream.get_ref().get_ref() == bytes, "{case}");
                    }
                    (_, Ok(_)) => panic!("{case}: it failed without an error"),
                    (_, Err(error)) => assert_is(&error, fault, &case),
                }
            }
        }
    }
}

/// Guards that the last bytes, which a buffer still has, are written before the call returns: a buffer that is dropped has no error.
#[test]
fn an_error_of_the_last_bytes_is_returned() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    for array in [&[][..], &[1.5]] {
        let error = array.write_npy_to(io::BufWriter::new(Full)).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Io { .. }), "{error}");
    }
}
