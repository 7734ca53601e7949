//! Changing the first dimension in the header of a file, as the array grows.

use std::borrow::Cow;

use super::dict::entries;
use super::{Version, decode, encode};
use crate::checked;
use crate::dtype::descr;
use crate::error::{Error, ErrorKind};
use crate::limits::{self, Limits};

/// The size of the smallest page of memory in bytes. Larger page sizes are multiples of it.
const PAGE: u64 = 4096;

/// The number of digits of the largest dimension, a 64-bit `isize::MAX`.
const DIGITS: usize = 19;

/// The bytes of a header that change when the first dimension grows.
///
/// They are within one page of the file. A kernel copies written bytes page by page, and stops between two pages if the process is
/// killed. So a change across two pages could be written in part, and the file would not load. A change within one page is written
/// completely or not at all.
///
/// Every change writes all of these bytes, including those that stay the same. If two processes
/// write to the file (on a file system without locks), the header has the number that was written
/// last, and never digits of both numbers.
#[derive(Debug)]
pub(crate) struct Growth {
    /// The offset of these bytes from the start of the header.
    at: usize,
    /// The bytes that were written last.
    field: Vec<u8>,
    /// The text of the header between the number and the blanks at the end. It moves to the right as the number gets longer. Empty if
    /// the number grows to the left, into blanks before it.
    rest: Vec<u8>,
}

impl Growth {
    /// Finds the first dimension in a complete, valid header, which is at the offset `start` of its file.
    ///
    /// If it cannot be changed within one page, returns a new header for the same array,
    /// with blanks before the number; otherwise returns the same header.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Header`] if there is no dimension, or the new header would be too long.
    pub(crate) fn new(header: &[u8], start: u64) -> Result<(Cow<'_, [u8]>, Growth), Error> {
        let missing = || {
            let reason = "the shape has no dimension along which the array should grow".into();
            Error::from(ErrorKind::Header { reason })
        };
        let number = Number::find(header).ok_or_else(missing)?;
        let found = [number.with_blanks_before(header), Some(number.with_blanks_after(header))];
        let found = found.into_iter().flatten().find(|growth| growth.is_in_one_page(start));
        if let Some(growth) = found {
            return Ok((Cow::Borrowed(header), growth));
        }
        let header = number.in_blanks(start)?;
        let number = Number::find(&header).ok_or_else(missing)?;
        let growth = number.with_blanks_before(&header).ok_or_else(missing)?;
        Ok((Cow::Owned(header), growth))
    }

    fn is_in_one_page(&self, start: u64) -> bool {
        let at_page = limits::to_u64(self.at).wrapping_add(start) % PAGE;
        at_page.wrapping_add(limits::to_u64(self.field.len())) <= PAGE
    }

    /// Returns the largest number of digits that fits.
    pub(crate) fn digits(&self) -> usize {
        checked::sub(self.field.len(), self.rest.len())
    }

    /// Returns the largest number that fits.
    pub(crate) fn max_number(&self) -> usize {
        10usize
            .checked_pow(checked::narrow(self.digits()))
            .map_or(usize::MAX, |n| checked::sub(n, 1))
    }

    /// Returns the offset of the bytes in the header, and the bytes that were written last.
    pub(crate) fn stated(&self) -> (usize, &[u8]) {
        (self.at, &self.field)
    }

    /// Sets the number. Returns the offset in the header and the bytes to write; no bytes if the number is the same or does not fit.
    pub(crate) fn set(&mut self, number: usize) -> (usize, &[u8]) {
        let number = number.to_string();
        let Some(blanks) = self.digits().checked_sub(number.len()) else {
            return (self.at, &[]);
        };
        let blanks = " ".repeat(blanks);
        let field = match self.rest.as_slice() {
            [] => [blanks.as_bytes(), number.as_bytes()].concat(),
            rest => [number.as_bytes(), rest, blanks.as_bytes()].concat(),
        };
        if field == self.field {
            return (self.at, &[]);
        }
        self.field = field;
        self.stated()
    }
}

/// The first dimension in the text of a header.
struct Number<'h> {
    version: Version,
    /// The text before the number, the number, and the text after it.
    before: String,
    digits: String,
    after: String,
    /// The offset of the number in the header; then the bytes of the header after the number.
    at: usize,
    tail: &'h [u8],
}

impl<'h> Number<'h> {
    fn find(header: &'h [u8]) -> Option<Self> {
        let (start, after) = header.split_first_chunk()?;
        let version = Version::parse(*start).ok()?;
        let (_, text) = after.split_at_checked(version.length_bytes())?;
        let decoded = decode(version, text).ok()?;
        // The caller has read this header within its own limits.
        let limits = Limits { nesting: usize::MAX, fields: usize::MAX, ..Limits::default() };
        let literal = descr::parse_literal(&decoded, version.dialect(), &limits).ok()?;
        let shape = entries(literal.root()).ok()?.shape?;
        let number = shape.items().next()?;
        let (before, rest) = decoded.split_at_checked(number.at())?;
        let (digits, after) = rest.split_at_checked(number.source().len())?;
        let text_at = header.len().checked_sub(text.len())?;
        let at = text_at.checked_add(version.bytes_of(before))?;
        let tail = header.get(at.checked_add(digits.len())?..)?;
        let (before, digits, after) = (before.into(), digits.into(), after.into());
        Some(Number { version, before, digits, after, at, tail })
    }

    /// Returns a [`Growth`] that uses the blanks before the number; `None` if there are too few. The number then grows to the left, and
    /// nothing moves.
    fn with_blanks_before(&self, header: &[u8]) -> Option<Growth> {
        let blanks = DIGITS.checked_sub(self.digits.len())?;
        let at = self.at.checked_sub(blanks)?;
        let field = header.get(at..at.checked_add(DIGITS)?)?;
        let enough = field.iter().take(blanks).all(|&byte| byte == b' ');
        enough.then(|| Growth { at, field: field.into(), rest: Vec::new() })
    }

    /// Returns a [`Growth`] that uses the blanks at the end of the header. The number then grows to the right, and the text after
    /// it moves into those blanks. NumPy's headers have enough of them.
    fn with_blanks_after(&self, header: &[u8]) -> Growth {
        let line = trimmed(self.tail, b"\r\n");
        let rest = trimmed(line, b" ");
        let blanks = checked::sub(line.len(), rest.len());
        let digits = checked::add(self.digits.len(), blanks).min(DIGITS.max(self.digits.len()));
        let end = checked::add(self.at, checked::add(digits, rest.len()));
        Growth {
            at: self.at,
            field: checked::slice(header, self.at..end).into(),
            rest: rest.into(),
        }
    }

    /// Returns a header with blanks before the number; blanks and number are within one page. The
    /// header is at the offset `start` of its file.
    fn in_blanks(&self, start: u64) -> Result<Vec<u8>, Error> {
        let header = |version: Version| {
            let at = checked::add(version.text_offset(), version.bytes_of(&self.before));
            let at_page = limits::to_u64(at).wrapping_add(start) % PAGE;
            let rest_of_page: usize = checked::narrow(PAGE.wrapping_sub(at_page));
            let skipped = " ".repeat(if rest_of_page < DIGITS { rest_of_page } else { 0 });
            let (before, digits, after) = (&self.before, &self.digits, self.after.trim_end());
            encode(&format!("{before}{skipped}{digits:>DIGITS$}{after}"), version)
        };
        // With the blanks, the header may be longer than 65,535 bytes, the limit of version 1.0.
        header(self.version).or_else(|_| header(self.version.max(Version::V2)))
    }
}

/// Removes these bytes from the end.
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

    /// Returns the growth of a header that can stay as it is.
    fn growth(header: &[u8]) -> Growth {
        let (same, growth) = Growth::new(header, 0).unwrap();
        assert!(matches!(same, Cow::Borrowed(_)));
        growth
    }

    #[test]
    fn every_change_writes_all_bytes_that_may_move() {
        let header = numpys(&[5]);
        let at = header.iter().position(|&byte| byte == b'5').unwrap();
        let mut growth = growth(&header);
        let field = |text: &str| format!("{text:24}").into_bytes();
        assert_eq!(growth.set(5).1, b"");
        assert_eq!(growth.set(7), (at, &*field("7,), }")));
        assert_eq!(growth.set(7).1, b"");
        assert_eq!(growth.set(10), (at, &*field("10,), }")));
        assert_eq!(growth.set(19), (at, &*field("19,), }")));
        assert_eq!(growth.set(3), (at, &*field("3,), }")));
        let max_number = isize::MAX.unsigned_abs();
        assert_eq!(growth.set(max_number), (at, &*field(&format!("{max_number},), }}"))));
    }

    #[test]
    fn any_length_fits_into_a_header_of_numpy() {
        let mut header = numpys(&[0, 3]);
        let mut growth = growth(&header);
        assert!(growth.max_number() >= isize::MAX.unsigned_abs());
        for n in [1, 9, 10, 12_345, 1 << (usize::BITS - 8), isize::MAX.unsigned_abs() / 24] {
            let (at, bytes) = growth.set(n);
            header[at..at + bytes.len()].copy_from_slice(bytes);
            assert_eq!(header, numpys(&[n, 3]), "{n}");
        }
    }

    /// Returns a header of this text.
    fn header(text: &str) -> Vec<u8> {
        let mut header = b"\x93NUMPY\x01\x00".to_vec();
        header.extend(u16::try_from(text.len()).unwrap().to_le_bytes());
        header.extend(text.as_bytes());
        header
    }

    #[test]
    fn a_header_without_blanks_allows_no_more_digits() {
        let shape = |text: &str| {
            header(&format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {text}}}"))
        };
        let mut one = growth(&shape("(3, 42)"));
        assert_eq!((one.digits(), one.max_number()), (1, 9));
        assert_eq!(one.set(10).1, b"", "it does not fit");
        let header = shape("(42, 3)");
        let mut two = growth(&header);
        assert_eq!((two.digits(), two.max_number()), (2, 99));
        assert_eq!(two.set(99), (header.len() - 7, &b"99, 3)}"[..]));
        assert!(Growth::new(&shape("()"), 0).is_err());
    }

    /// Guards files without locks: the number is that of the last writer, without digits of the
    /// other.
    #[test]
    fn two_writers_leave_the_number_of_the_last_one() {
        let mut file = numpys(&[5]);
        let mut writers = [growth(&file), growth(&file)];
        let numbers = [(0, 1999), (1, 7), (0, 2000), (1, 1998), (0, 2001), (1, 10_000), (0, 2002)];
        for (writer, number) in numbers {
            let (at, bytes) = writers[writer].set(number);
            file[at..at + bytes.len()].copy_from_slice(bytes);
            assert_eq!(file, numpys(&[number]));
        }
    }

    /// Grows an array whose header is at this offset of the file, and interrupts each write at each page. The file must
    /// then have the old number or the new one.
    fn assert_survives_cuts(header: &[u8], start: u64, case: &str) {
        let (before, _) = Header::parse(header).unwrap();
        let (header, mut growth) = Growth::new(header, start).unwrap();
        let (mut file, mut known) = (header.into_owned(), before.shape()[0]);
        assert_eq!(Header::parse(&file).unwrap().0, before, "{case}");
        assert_eq!(file.len() % 64, 0, "{case}");
        assert!(growth.max_number() >= isize::MAX.unsigned_abs(), "{case}");
        for number in [
            0,
            5,
            9,
            10,
            99,
            100,
            12_345,
            1 << (usize::BITS - 8),
            isize::MAX.unsigned_abs() / 4096,
            7,
        ] {
            let (at, bytes) = growth.set(number);
            let page = |i: usize| (start + u64::try_from(at + i).unwrap()) / PAGE;
            for (i, byte) in bytes.iter().enumerate() {
                file[at + i] = *byte;
                if i + 1 < bytes.len() && page(i) != page(i + 1) {
                    let cut = Header::parse(&file);
                    let cut = cut.unwrap_or_else(|error| panic!("{case}, {number}: {error}")).0;
                    assert!([known, number].contains(&cut.shape()[0]), "{case}, {number}");
                }
            }
            known = number;
            assert_eq!(Header::parse(&file).unwrap().0.shape()[0], number, "{case}");
            // The next writer can grow it without a new header.
            assert!(matches!(Growth::new(&file, start), Ok((Cow::Borrowed(_), _))), "{case}");
        }
    }

    /// Guards `flush` against `kill -9`, at any offset of the number in the file.
    #[test]
    fn a_change_interrupted_at_a_page_is_complete_or_absent() {
        for start in 3900..4200 {
            for shape in [&[0][..], &[12_345], &[4, 2, 3]] {
                assert_survives_cuts(&numpys(shape), start, &format!("{start}, {shape:?}"));
            }
        }
    }

    /// Guards `flush` against `kill -9` for headers of more than a page: with names of many
    /// lengths, and with keys after the shape.
    #[test]
    fn long_headers_survive_interrupted_changes() {
        for length in 3900..4150 {
            let name = "n".repeat(length);
            let (order, blanks) = ("'fortran_order': False", " ".repeat(20));
            let texts = [
                format!("{{'descr': [('{name}', '<u8')], {order}, 'shape': (9, 3), }}{blanks}"),
                format!("{{'shape': (9, 3), {order}, 'descr': [('{name}', '<u8')]}}{blanks}"),
                format!("{{'descr': [('Ω{name}', '<u8')], 'shape': (9,), {order}}}{blanks}"),
            ];
            for (text, version) in texts.iter().zip([Version::V1, Version::V2, Version::V3]) {
                let header = encode(text, version).unwrap();
                assert_survives_cuts(&header, 0, &format!("{length}, {version:?}"));
            }
        }
    }

    #[test]
    fn a_header_of_version_1_that_gets_too_long_becomes_one_of_version_2() {
        let text = |length| {
            let name = "n".repeat(length);
            format!("{{'shape': (9,), 'descr': [('{name}', '<u8')], 'fortran_order': False}}")
        };
        let longest = (65_000..66_000).rev().find_map(|n| encode(&text(n), Version::V1).ok());
        let longest = longest.unwrap();
        let (header, _) = Growth::new(&longest, 0).unwrap();
        assert_eq!((longest[6], header[6]), (1, 2));
        assert_survives_cuts(&longest, 0, "the longest of version 1.0");
    }
}
