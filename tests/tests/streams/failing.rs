//! A writer whose disk fails, at each byte and at each call.

use super::*;
use npy_tests::disk::Disk;
use npy_tests::rounds;

/// The result of a run on a failing disk.
struct Outcome {
    /// The numbers of items that were accepted, and of those that were flushed.
    taken: usize,
    flushed: usize,
    bytes: Vec<u8>,
    finished: bool,
}

/// Writes items in batches and flushes each, until the disk fails; later calls must fail, too.
fn run<T: Element>(disk: &Disk, batches: &[usize], item: impl Fn(usize) -> T) -> Option<Outcome> {
    let mut writer = Writer::<T, _>::new(disk.clone()).ok()?;
    let (mut taken, mut flushed, mut failed) = (0, 0, false);
    for &batch in batches {
        for _ in 0..batch {
            let pushed = writer.push(&item(taken));
            if failed {
                let error = pushed.unwrap_err().to_string();
                assert!(error.contains("an earlier write failed ("), "{error}");
                continue;
            }
            failed = pushed.is_err();
            taken += usize::from(!failed);
        }
        match writer.flush() {
            Ok(()) => {
                assert!(!failed, "every call after a failure is an error");
                flushed = taken;
            }
            Err(error) if failed => {
                let text = error.to_string();
                assert!(text.contains("an earlier write failed ("), "{text}");
            }
            Err(_) => failed = true,
        }
        // The item whose `push` failed may be counted.
        let count = writer.count();
        assert!((taken..=taken + 1).contains(&count), "{count}: accepted items stay accepted");
    }
    let finished = writer.finish().is_ok();
    assert!(!(finished && failed), "every call after a failure is an error");
    let bytes = disk.bytes();
    Some(Outcome { taken, flushed, bytes, finished })
}

/// Asserts that the file loads, contains everything that was flushed, and nothing that was not pushed.
fn assert_loads<T: Element + PartialEq>(outcome: &Outcome, item: impl Fn(usize) -> T, case: &str) {
    let read = Vec::<T>::read_npy_from(&outcome.bytes[..]);
    let items = read.unwrap_or_else(|error| panic!("{case}: {error}"));
    let expected: Vec<T> = (0..items.len()).map(item).collect();
    assert!(items == expected, "{case}");
    let (n, Outcome { taken, flushed, .. }) = (items.len(), outcome);
    assert!((*flushed..=*taken).contains(&n), "{case}: {flushed} <= {n} <= {taken}");
}

/// Runs with a failure at each byte of the file, and at each call.
fn assert_survives<T: Element + PartialEq>(batches: &[usize], item: impl Fn(usize) -> T) {
    let whole = run(&Disk::sound(), batches, &item).unwrap();
    assert!(whole.finished);
    assert_loads(&whole, &item, "nothing failed");
    let mut seen = std::collections::BTreeSet::new();
    for room in 0..whole.bytes.len() {
        let case = format!("full at {room}");
        match run(&Disk::with_room(room), batches, &item) {
            None => assert!(room < whole.bytes.len()),
            Some(outcome) => {
                assert!(!outcome.finished, "{case}");
                seen.insert(outcome.flushed);
                assert_loads(&outcome, &item, &case);
            }
        }
    }
    for calls in 0.. {
        let case = format!("call {calls} fails");
        match run(&Disk::with_calls(calls), batches, &item) {
            // Failures in the calls that write the header and its number.
            None => assert!(calls < 7, "{case}"),
            Some(outcome) if outcome.finished => {
                assert!(calls > batches.len() * 5);
                break;
            }
            Some(outcome) => assert_loads(&outcome, &item, &case),
        }
    }
    assert!(seen.len() >= batches.len(), "each flush was the last one once: {seen:?}");
}

fn number(n: usize) -> u16 {
    u16::try_from(n).unwrap()
}

/// Guards the order of writes: the header counts an item only after its last byte was written.
#[test]
fn a_writer_that_fails_anywhere_leaves_what_was_flushed() {
    assert_survives(&[1, 3, 5, 1, 30, 59, 2, 100], |n| number(n).to_le_bytes()[0]);
    assert_survives(&[2, 7, 1, 90, 1], |n| f64::from(number(n)));
    assert_survives(&[9, 1, 5], |n| trace(number(n)));
    assert_survives(&[1, 9, 1, 2], |n| padded(number(n)));
}

/// Guards full blocks, which are written before a flush: the header does not count them, and they do no harm.
#[test]
fn blocks_that_were_not_flushed_are_not_stated() {
    let item = |n: usize| [number(n); 30_000];
    for room in (0..1_000_000).step_by(1_000_000 / rounds(100)) {
        let disk = Disk::with_room(128 + room);
        let outcome = run(&disk, &[3, 9, 0, 1, 12], item).unwrap();
        assert_loads(&outcome, item, &format!("full at {room}"));
    }
}

/// Guards the state after a panic in the inner writer: it is unknown, so nothing more is written.
#[test]
fn a_writer_that_panicked_is_not_used_again() {
    struct Panics(bool);
    impl Write for Panics {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            assert!(!self.0, "in the middle of it");
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            self.0 = true;
            Ok(())
        }
    }
    let mut writer = Writer::<u8, _>::with_shape(Panics(false), &[9]).unwrap();
    writer.push(&1).unwrap();
    writer.flush().unwrap();
    writer.push(&2).unwrap();
    let flush = std::panic::AssertUnwindSafe(|| writer.flush());
    assert!(std::panic::catch_unwind(flush).is_err());
    let error = writer.push(&3).unwrap_err();
    assert!(error.to_string().contains("an earlier write failed (it panicked)"), "{error}");
}
