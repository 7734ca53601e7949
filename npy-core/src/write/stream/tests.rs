//! Tests of [`Writer`](super::Writer).

use super::*;
use crate::header::Header;
use std::io::{self, Cursor, SeekFrom};

/// A writer that keeps the header, and the offset and the length of each write.
#[derive(Default)]
struct Log {
    start: Vec<u8>,
    at: u64,
    writes: Vec<(u64, usize)>,
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writes.push((self.at, bytes.len()));
        if self.at < 128 {
            let at = usize::try_from(self.at).unwrap();
            self.start.resize(self.start.len().max(at + bytes.len()), 0);
            self.start[at..at + bytes.len()].copy_from_slice(bytes);
        }
        self.at += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Log {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match to {
            SeekFrom::Start(at) => self.at = at,
            SeekFrom::Current(by) => self.at = self.at.checked_add_signed(by).unwrap(),
            SeekFrom::End(_) => unreachable!(),
        }
        Ok(self.at)
    }
}

#[test]
fn a_flush_writes_the_elements_before_their_number() {
    let mut writer = Writer::<u16, _>::new(Log::default()).unwrap();
    let number = writer.get_ref().start.iter().position(|&byte| byte == b'0').unwrap();
    let number = u64::try_from(number).unwrap();
    let length = 19 + ",), }".len();
    assert_eq!(writer.get_ref().writes, [(0, 128), (number, length)]);
    for n in 0..3 {
        writer.push(&n).unwrap();
    }
    writer.flush().unwrap();
    assert_eq!(writer.get_ref().writes[2..], [(128, 6), (number, length)]);
    assert_eq!(writer.get_ref().at, 134, "and is at the end of the data again");
    writer.flush().unwrap();
    assert_eq!(writer.get_ref().writes.len(), 4, "there is nothing to write");
}

#[test]
fn full_blocks_are_written_at_once_and_stated_later() {
    let mut writer = Writer::<u16, _>::new(Log::default()).unwrap();
    let block = block::BLOCK;
    writer.write_slice(&vec![0; block]).unwrap();
    writer.push(&1).unwrap();
    let (first, second) = (128, 128 + block as u64);
    assert_eq!(writer.get_ref().writes[2..], [(first, block), (second, block)]);
    assert_eq!(Header::parse(&writer.get_ref().start).unwrap().0.shape(), [0]);
    let log = writer.finish().unwrap();
    assert_eq!(Header::parse(&log.start).unwrap().0.shape(), [block + 1]);
}

#[test]
fn files_are_larger_than_any_memory_of_32_bits() {
    let mut writer = Writer::<[f64; 2], _>::new(Log::default()).unwrap();
    writer.written = (1 << 28) - 2;
    writer.extend([[0.0; 2]; 5]).unwrap();
    let log = writer.finish().unwrap();
    assert_eq!(Header::parse(&log.start).unwrap().0.shape(), [(1 << 28) + 3, 2]);
    assert_eq!(log.at, 128 + 16 * ((1 << 28) + 3));
}

// With 32 bits, a `usize` cannot count that far.
#[cfg(target_pointer_width = "64")]
#[test]
fn counts_go_beyond_32_bits() {
    let mut writer = Writer::<[f64; 2], _>::new(Log::default()).unwrap();
    writer.written = (1 << 32) - 2;
    for _ in 0..5 {
        writer.push(&[0.0; 2]).unwrap();
    }
    assert_eq!(writer.count(), (1 << 32) + 3);
    let log = writer.finish().unwrap();
    assert_eq!(Header::parse(&log.start).unwrap().0.shape(), [(1 << 32) + 3, 2]);
    assert_eq!(log.at, 128 + 16 * ((1 << 32) + 3));
}

#[test]
fn an_element_beyond_the_largest_file_is_refused() {
    let mut writer = Writer::<[f64; 2], _>::new(Log::default()).unwrap();
    writer.written = writer.max_elements - 1;
    writer.pending.open(writer.max_elements - writer.written);
    writer.push(&[0.0; 2]).unwrap();
    let error = writer.push(&[0.0; 2]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Shape { .. }), "{error}");
    let log = writer.finish().unwrap();
    Header::parse(&log.start).unwrap();
}

#[test]
fn rows_of_several_blocks_are_written_as_one_by_one() {
    let values: Vec<u8> = (0..3 * 200_001u32).map(|n| n.to_le_bytes()[1]).collect();
    let new = || RowWriter::<u8, _>::new(Cursor::new(Vec::new()), &[3]).unwrap();
    let (mut at_once, mut one_by_one) = (new(), new());
    at_once.push_row(&values[..3]).unwrap();
    at_once.push_rows(&values[3..]).unwrap();
    at_once.push_rows(&[]).unwrap();
    assert_eq!(at_once.count(), 200_001);
    values.chunks(3).for_each(|row| one_by_one.push_row(row).unwrap());
    let file = at_once.finish().unwrap().into_inner();
    assert!(file[128..] == values);
    assert!(file == one_by_one.finish().unwrap().into_inner());
}
