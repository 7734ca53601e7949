//! Items whose large parts are written from where they lie.

use std::io::{self, ErrorKind, IoSlice, Write};

use crate::element::parts::Parts;
use crate::element::{Element, block};
use crate::error::Result;

/// How many slices go in one call: as many as Linux takes.
const SLICES: usize = 1024;

/// Writes items, many slices at a call. The writer takes that, however many bytes it is, as files do on Linux.
pub(super) fn put<T: Element>(items: &[T], writer: &mut dyn Write) -> Result<()> {
    let mut parts = Parts::default();
    for (row, item) in items.iter().enumerate() {
        item.__parts(&mut parts).map_err(|error| block::invalid(&error.at_item(row), 0))?;
        if parts.count() >= SLICES || parts.encoded() >= block::BLOCK {
            write(&parts, writer)?;
            parts.clear();
        }
    }
    Ok(write(&parts, writer)?)
}

/// Writes all parts.
fn write(parts: &Parts<'_>, writer: &mut dyn Write) -> io::Result<()> {
    let mut slices = Vec::with_capacity(parts.count());
    slices.extend(parts.slices().filter(|slice| !slice.is_empty()).map(IoSlice::new));
    let mut left = &mut slices[..];
    while !left.is_empty() {
        match writer.write_vectored(left) {
            Ok(0) => {
                return Err(io::Error::new(ErrorKind::WriteZero, "failed to write all bytes"));
            }
            Ok(written) => IoSlice::advance_slices(&mut left, written),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::{WriteNpy, WriteOptions};

    /// Takes at most so many bytes at a call, of several slices, and is interrupted before each.
    struct Slow {
        file: Vec<u8>,
        most: usize,
        calls: usize,
    }

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.write_vectored(&[IoSlice::new(bytes)])
        }

        fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
            self.calls += 1;
            if self.calls.is_multiple_of(2) {
                return Err(ErrorKind::Interrupted.into());
            }
            let bytes = slices.iter().flat_map(|slice| slice.iter().copied());
            let before = self.file.len();
            self.file.extend(bytes.take(self.most));
            Ok(self.file.len() - before)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn write(items: &[Box<[u16; 1500]>], most: usize) -> (Result<()>, Slow) {
        let mut slow = Slow { file: Vec::new(), most, calls: 0 };
        let options = WriteOptions { gathers: true, ..WriteOptions::new() };
        (options.write_to(&mut slow, items), slow)
    }

    /// Guards against writes that take a part of what they are given, and end within a slice.
    #[test]
    fn all_is_written_whatever_a_call_takes() {
        let items: Vec<_> = (0..700).map(|i| Box::new([i; 1500])).collect();
        let mut expected = Vec::new();
        items.write_npy_to(&mut expected).unwrap();
        for most in [7_001, 3_000, 1 << 30] {
            let (result, slow) = write(&items, most);
            result.unwrap();
            assert!(slow.file == expected, "{most} bytes at a call");
        }
    }

    /// Guards the speed: that values are written where they lie, and many at a call.
    #[test]
    fn a_call_writes_many_items() {
        let items: Vec<_> = (0..700).map(|i| Box::new([i; 1500])).collect();
        let (_, slow) = write(&items, 1 << 30);
        // The header, then 511 or so at a call, each after one that was interrupted.
        assert_eq!(slow.calls, 1 + 2 * 2);
    }

    /// Guards against waiting forever for a writer that takes no more.
    #[test]
    fn what_takes_nothing_is_an_error() {
        let mut slow = Slow { file: Vec::new(), most: 0, calls: 0 };
        let error = put(&[Box::new([1u16; 1500])], &mut slow).unwrap_err();
        assert!(
            matches!(error.kind(), crate::ErrorKind::Io(e) if e.kind() == ErrorKind::WriteZero)
        );
    }
}
