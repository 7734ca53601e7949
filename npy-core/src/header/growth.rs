//! Layer 3: a header in a file, and the one number in it that grows with the array.

use super::dict::entries;
use super::{Version, decode};
use crate::dtype::descr;
use crate::error::{Error, ErrorKind};
use crate::limits::Limits;

/// The end of a header from a dimension on: the dimension can be written anew in its place.
///
/// What stands behind the dimension moves into the blanks at the end of the header, or back out of them. The length of
/// the header, and all else in it, stays.
#[derive(Debug)]
pub(crate) struct Growth {
    /// Where the dimension stands, counted from the start of the header.
    at: usize,
    /// The bytes from there to the end of the header, as they are in the file.
    tail: Vec<u8>,
    /// Of these, what follows the dimension, up to the blanks.
    rest: Vec<u8>,
    /// What ends the line, behind the blanks.
    line_end: Vec<u8>,
}

impl Growth {
    /// Finds the dimension of this index in a header, which is valid and whole.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Header`] if there is none.
    pub(crate) fn new(header: &[u8], dimension: usize) -> Result<Growth, Error> {
        let limits = Limits::default();
        let find = || {
            let (start, after) = header.split_first_chunk()?;
            let version = Version::parse(*start).ok()?;
            let (_, text) = after.split_at_checked(version.length_bytes())?;
            let text_at = header.len().checked_sub(text.len())?;
            let decoded = decode(version, text).ok()?;
            let literal = descr::parse_literal(&decoded, version.dialect(), &limits).ok()?;
            let shape = entries(literal.root()).ok()?.shape?;
            let number = shape.items().nth(dimension)?;
            let at = text_at.checked_add(version.bytes_of(decoded.get(..number.at())?))?;
            Some((at, number.source().len()))
        };
        let Some((at, digits)) = find() else {
            let reason = format!("it has no dimension {dimension} that could grow");
            return Err(ErrorKind::Header { reason }.into());
        };
        let tail = header.get(at..).unwrap_or_default();
        let after = tail.get(digits..).unwrap_or_default();
        let line = trimmed(after, b"\r\n");
        let (line_end, rest) = (after.get(line.len()..).unwrap_or_default(), trimmed(line, b" "));
        Ok(Growth { at, tail: tail.into(), rest: rest.into(), line_end: line_end.into() })
    }

    /// The most digits there is room for.
    pub(crate) fn digits(&self) -> usize {
        let taken = self.rest.len().saturating_add(self.line_end.len());
        self.tail.len().saturating_sub(taken)
    }

    /// The largest number there is room for.
    pub(crate) fn most(&self) -> usize {
        let digits = u32::try_from(self.digits()).unwrap_or(u32::MAX);
        10usize.checked_pow(digits).map_or(usize::MAX, |over| over.saturating_sub(1))
    }

    /// Sets the number: where in the header to write, and what; nothing if the number is the same or has no room.
    pub(crate) fn set(&mut self, number: usize) -> (usize, &[u8]) {
        let mut tail = number.to_string().into_bytes();
        tail.extend_from_slice(&self.rest);
        let blanks_end = self.tail.len().saturating_sub(self.line_end.len());
        if tail.len() > blanks_end {
            return (self.at, &[]);
        }
        tail.resize(blanks_end, b' ');
        tail.extend_from_slice(&self.line_end);
        // Only what changes: most often one digit or two, and the fewer bytes the sooner all are there.
        let differs = |(new, old)| new != old;
        let changes = || tail.iter().zip(&self.tail).map(differs);
        let first = changes().position(|changed| changed).unwrap_or(tail.len());
        let last =
            changes().rposition(|changed| changed).map_or(first, |last| last.saturating_add(1));
        self.tail = tail;
        (self.at.saturating_add(first), self.tail.get(first..last).unwrap_or_default())
    }
}

/// Without these bytes at its end.
fn trimmed<'b>(mut bytes: &'b [u8], set: &[u8]) -> &'b [u8] {
    while let [start @ .., last] = bytes
        && set.contains(last)
    {
        bytes = start;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::header::Header;
    use crate::shape::Order;

    fn numpys(shape: &[usize]) -> Vec<u8> {
        Header::new("<f8".parse().unwrap(), shape, Order::C).unwrap().to_bytes().unwrap()
    }

    #[test]
    fn only_what_changes_is_written() {
        let header = numpys(&[5]);
        let at = header.iter().position(|&byte| byte == b'5').unwrap();
        let mut growth = Growth::new(&header, 0).unwrap();
        assert_eq!(growth.set(5).1, b"");
        assert_eq!(growth.set(7), (at, &b"7"[..]));
        assert_eq!(growth.set(7).1, b"");
        assert_eq!(growth.set(10), (at, &b"10,), }"[..]));
        assert_eq!(growth.set(19), (at + 1, &b"9"[..]));
        assert_eq!(growth.set(27), (at, &b"27"[..]));
        assert_eq!(growth.set(3), (at, &b"3,), } "[..]));
    }

    #[test]
    fn any_length_fits_into_numpys_header() {
        let mut header = numpys(&[0, 3]);
        let mut growth = Growth::new(&header, 0).unwrap();
        assert!(growth.digits() >= 21);
        assert_eq!(growth.most(), usize::MAX);
        for n in [1, 9, 10, 12_345, 1 << 33, isize::MAX.unsigned_abs() / 24] {
            let (at, bytes) = growth.set(n);
            header[at..at + bytes.len()].copy_from_slice(bytes);
            assert_eq!(header, numpys(&[n, 3]), "{n}");
        }
    }

    #[test]
    fn a_header_without_blanks_has_the_room_of_its_number() {
        let text = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 42)}";
        let mut header = b"\x93NUMPY\x01\x00".to_vec();
        header.extend(u16::try_from(text.len()).unwrap().to_le_bytes());
        header.extend(text.as_bytes());
        let at = header.len() - 4;
        let mut first = Growth::new(&header, 0).unwrap();
        assert_eq!((first.digits(), first.most()), (1, 9));
        assert_eq!(first.set(10).1, b"", "there is no room");
        let mut last = Growth::new(&header, 1).unwrap();
        assert_eq!((last.digits(), last.most()), (2, 99));
        assert_eq!(last.set(99), (at, &b"99"[..]));
        assert!(Growth::new(&header, 2).is_err());
    }
}
