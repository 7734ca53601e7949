//! The header of a damaged file: where it ends, what it says, and what is wrong with it.
//!
//! A header is mended if its dictionary is complete. The dictionary says how much data there is, and so the size of the file decides where the
//! data begins.

use std::io::Cursor;

use npy_core::{ErrorKind, Header, Limits, npz};

use crate::damage::{Damage, shortened};
use crate::error::{Error, Result, problem, unrepairable};
use crate::literal::{self, Edit, Kind};

/// The six bytes that each file begins with.
pub(crate) const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// The most bytes of a header that are read, with its magic, version and length.
pub(crate) const MAX_HEADER: usize = (1 << 20) + 12;

const CUT_OFF: &str = "the file ends within its header, which says what the data is; copy it again";

/// A header, and the position of the data after it.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) header: Header,
    pub(crate) data: u64,
    pub(crate) damages: Vec<Damage>,
}

/// The form of the first bytes.
struct Form {
    /// The version of the text, after what is wrong with it was mended.
    is_utf8: bool,
    /// The positions of the text and of its length.
    text: usize,
    stated: u64,
}

/// Reads the header that a file of this length begins with. `start` is its first [`MAX_HEADER`] bytes.
pub(crate) fn find(start: &[u8], length: u64) -> Result<Found> {
    match Header::parse(start) {
        Ok((header, data)) => moved(start, length, header, data),
        Err(error) => mend(start, length, &problem(&error)),
    }
}

/// Corrects the position of the data after a header that can be read: its stated length may be wrong by some blanks.
fn moved(start: &[u8], length: u64, header: Header, data: usize) -> Result<Found> {
    let stated = to_u64(data);
    let dict = if start.get(6) == Some(&1) { 10 } else { 12 };
    let line = start.get(dict..).and_then(|text| {
        let end = dict + literal::end_of_dict(text)?;
        end_of_line(start, end)
    });
    let text = to_u64(dict);
    let right = Found { header, data: stated, damages: Vec::new() };
    let is_longer = is_longer(start, length, &right.header, dict, data);
    match line.map(to_u64) {
        Some(line) if line != stated && !is_data(start, length, &right.header, stated) => {
            // Every NumPy aligns the data, so a line that ends elsewhere may have a first byte of the data as its end.
            const ALIGNED: u64 = 16;
            let is_likelier = line.is_multiple_of(ALIGNED) || !stated.is_multiple_of(ALIGNED);
            if is_likelier && is_data(start, length, &right.header, line) {
                let (stated, found) = (stated.saturating_sub(text), line.saturating_sub(text));
                let damages = vec![Damage::HeaderLength { stated, found }];
                return Ok(Found { data: line, damages, ..right });
            }
            // NumPy reads it so, and ignores the bytes after the array. The pickle of objects, which has any size, is checked by itself.
            let end = stated.checked_add(right.header.data_bytes());
            let is_complete = end.is_some_and(|end| end <= length);
            match right.header.dtype().has_object() || is_complete && !is_longer {
                true => Ok(right),
                false => Err(ambiguous(stated.saturating_sub(text))),
            }
        }
        _ if is_longer => Err(ambiguous(stated.saturating_sub(text))),
        _ => Ok(right),
    }
}

/// Returns true if bytes were added to the padding, which now ends after the stated length: the size of the file says so. Data that begins with a line end,
/// and bytes after it, look the same, but for a header that does not end with one.
fn is_longer(start: &[u8], length: u64, header: &Header, dict: usize, data: usize) -> bool {
    let by_size = length.checked_sub(header.data_bytes()).and_then(|at| usize::try_from(at).ok());
    let Some(by_size) = by_size.filter(|at| *at > data) else { return false };
    let end = start.get(dict..).and_then(literal::end_of_dict).map(|end| dict + end);
    let padding = end.and_then(|end| start.get(end..by_size));
    !header.dtype().has_object()
        && !start.get(..data).is_some_and(|header| header.ends_with(b"\n"))
        && padding.is_some_and(|padding| {
            padding.ends_with(b"\n") && padding.iter().all(u8::is_ascii_whitespace)
        })
}

/// Returns true if data of the right size begins at this position: it ends with the file, or is a pickle, whose first byte is known.
fn is_data(start: &[u8], length: u64, header: &Header, at: u64) -> bool {
    const PICKLE: u8 = 0x80;
    if header.dtype().has_object() {
        let first = usize::try_from(at).ok().and_then(|at| start.get(at));
        return first == Some(&PICKLE);
    }
    length.checked_sub(at) == Some(header.data_bytes())
}

/// Returns the error for a header whose end is not known.
fn ambiguous(stated: u64) -> Error {
    let reason = format!(
        "the header is said to have {stated} bytes, which may be wrong, because neither its padding nor the size of the file says the same"
    );
    Error::LostHeader { reason, data: None }
}

/// Reads a header that is damaged; `error` is that of the library.
fn mend(start: &[u8], length: u64, error: &str) -> Result<Found> {
    let mut damages = Vec::new();
    let form = form(start, error, &mut damages)?;
    let incomplete = || match to_u64(start.len()) {
        read if read == length && start.iter().rev().take(8).all(|&byte| byte != 0) => {
            unrepairable(CUT_OFF)
        }
        _ => unreadable(error),
    };
    let text = start.get(form.text..).ok_or_else(incomplete)?;
    let size = literal::end_of_dict(text).ok_or_else(incomplete)?;
    let dict = text.get(..size).unwrap_or_default();
    let header = read_dict(dict, form.is_utf8, error, &mut damages)?;
    let data = data(start, form.text + size, length, &form, &header)?;
    let found = data - to_u64(form.text);
    if found != form.stated {
        damages.push(Damage::HeaderLength { stated: form.stated, found });
    } else if !is_blank(text, size, form.stated) {
        damages.push(Damage::Padding);
    }
    if damages.is_empty() {
        return Err(unreadable(error));
    }
    Ok(Found { header, data, damages })
}

/// Reads the magic, the version and the length. The position of the dictionary shows which version it is.
fn form(start: &[u8], error: &str, damages: &mut Vec<Damage>) -> Result<Form> {
    let damaged = || not_npy(start, error);
    let magic = *start.first_chunk::<6>().ok_or_else(damaged)?;
    match magic.iter().zip(MAGIC).filter(|(found, expected)| found != expected).count() {
        0 => {}
        1 => damages.push(Damage::Magic { found: magic }),
        _ => return Err(damaged()),
    }
    let &[major, minor, a, b, c, d, ..] = start.get(6..).unwrap_or_default() else {
        return Err(unrepairable("the file ends within its header; copy it again"));
    };
    let is_v1 = c == b'{';
    let is_later = start.get(12) == Some(&b'{');
    if !is_v1 && !is_later {
        return Err(if magic == *MAGIC { unreadable(error) } else { damaged() });
    }
    let is_right = match (major, minor) {
        (1, 0) => is_v1,
        (2 | 3, 0) => !is_v1,
        _ => false,
    };
    if !is_right {
        damages.push(Damage::Version { major, minor });
    }
    let (text, stated) = match is_v1 {
        true => (10, u16::from_le_bytes([a, b]).into()),
        false => (12, u32::from_le_bytes([a, b, c, d]).into()),
    };
    Ok(Form { is_utf8: !is_v1 && (!is_right || major == 3), text, stated })
}

/// Returns the error for a dictionary that does not say what the data is.
fn unreadable(error: &str) -> Error {
    Error::LostHeader { reason: error.to_owned(), data: None }
}

/// Returns the error for bytes that are not a damaged array either.
fn not_npy(start: &[u8], error: &str) -> Error {
    if start.starts_with(b"\xef\xbf\xbdNUMPY") {
        return unrepairable(
            "it was copied as text, and each byte that is not text became the same character U+FFFD; nothing can be restored, so copy the original as bytes",
        );
    }
    match (foreign(start), rest_of_header(start)) {
        (Some(hint), _) => unrepairable(format!("{error}; {hint}")),
        (None, Some(Rest { data, .. })) => Error::LostHeader {
            reason: format!("{error}, and the rest of a header ends before byte {data}"),
            data: Some(to_u64(data)),
        },
        (None, None) => Error::NotArray { reason: error.to_owned() },
    }
}

/// The rest of a header whose first bytes are damaged.
#[derive(Debug)]
pub(crate) struct Rest {
    /// The position of the data.
    pub(crate) data: usize,
    /// True if a key of the dictionary is there; records of text may have blanks and a line end, too.
    pub(crate) is_sure: bool,
}

/// Finds the rest of a header by its last key and the end of its line, or by its padding: NumPy fills it with blanks and a line end up to where it aligns
/// the data.
pub(crate) fn rest_of_header(start: &[u8]) -> Option<Rest> {
    const KEY: &[u8] = b"'shape': (";
    let find = |part: &[u8]| start.windows(part.len()).position(|bytes| bytes == part);
    let Some(key) = find(KEY) else {
        return padding(start).map(|data| Rest { data, is_sure: false });
    };
    // The header may be whole, after other data.
    if find(MAGIC).is_some_and(|magic| magic < key) {
        return None;
    }
    let data = start.get(key + KEY.len()..)?;
    let end = data.iter().position(|&byte| byte == b'\n')?;
    let (shape, padding) =
        data.get(..end)?.split_at_checked(data.iter().position(|&byte| byte == b'}')? + 1)?;
    let is_line = shape.iter().all(|byte| b"0123456789L,) }".contains(byte))
        && padding.iter().all(|&byte| byte == b' ');
    is_line.then_some(Rest { data: key + KEY.len() + end + 1, is_sure: true })
}

/// Returns the position after blanks and a line end that may be the padding of a header without a key that is left.
fn padding(start: &[u8]) -> Option<usize> {
    const ALIGNED: usize = 16;
    const MIN_BLANKS: usize = 4;
    /// The shortest header of NumPy, and the longest that is likely.
    const LENGTHS: std::ops::RangeInclusive<usize> = 64..=1 << 10;
    let ends_line = |data: usize| {
        let line = start.get(..data)?.strip_suffix(b"\n")?;
        let blanks = line.iter().rev().take_while(|&&byte| byte == b' ').count();
        let text = line.get(..line.len() - blanks)?;
        (blanks >= MIN_BLANKS || text.ends_with(b", }")).then_some(())
    };
    // A line of text may end so, too.
    let is_binary = start.iter().any(|byte| byte.is_ascii_control() && !b"\t\r\n".contains(byte));
    // Bytes that are missing leave the end of the text alone, and the padding at any position.
    let end = start.iter().position(|&byte| byte == b'\n').filter(|_| is_binary)?;
    let line = start.get(..end)?;
    let is_tail = |byte: &u8| b"'shape: (0123456789L,) }".contains(byte);
    if end >= MIN_BLANKS && line.ends_with(b"  ") && line.iter().all(is_tail) {
        return Some(end + 1);
    }
    let data = LENGTHS.step_by(ALIGNED).find(|&data| ends_line(data).is_some())?;
    // Records of text may have blanks and a line end, too: then an earlier one is too short for a header, or each has them.
    let is_first = (ALIGNED..data).step_by(ALIGNED).all(|data| ends_line(data).is_none());
    let is_only = (2..=4).all(|n| ends_line(n * data).is_none());
    (is_first && is_only).then_some(data)
}

/// Returns the other format that a file has by its first bytes, and what to do with it: a pointer of Git LFS, a web page, a compressed file and so on.
pub(crate) fn foreign(start: &[u8]) -> Option<String> {
    // Whitespace before a web page does not count.
    let start = match start.trim_ascii_start() {
        page @ [b'<', ..] => page,
        _ => start,
    };
    // Text and zeros may be data without a header, and arrays and archives are repaired: the library says of each the same as of its sample.
    const OWN: [&[u8]; 6] = [MAGIC, b"PK\x03\x04", b"PK\x05\x06", b"text", &[0], b""];
    let advice = advice(start)?;
    let is_own = OWN.iter().any(|sample| self::advice(sample).as_deref() == Some(&advice));
    (!is_own).then_some(advice)
}

/// Returns the advice of the library about a file that starts with these bytes.
fn advice(start: &[u8]) -> Option<String> {
    let error = npz::Reader::new(Cursor::new(start)).err()?;
    let ErrorKind::NotNpz { hint, .. } = error.kind() else { return None };
    hint.strip_prefix("; ").map(str::to_owned)
}

/// Parses the dictionary, after its values are written as NumPy reads them.
fn read_dict(dict: &[u8], is_utf8: bool, error: &str, damages: &mut Vec<Damage>) -> Result<Header> {
    let mut version = if is_utf8 { 3 } else { 2 };
    let text = match str::from_utf8(dict) {
        Ok(text) if is_utf8 || dict.is_ascii() => text.to_owned(),
        Err(_) if is_utf8 && is_latin1(dict) => {
            version = 2;
            damages.push(Damage::Encoding);
            latin1(dict)
        }
        Err(_) if is_utf8 => return Err(unreadable(error)),
        _ => latin1(dict),
    };
    let malformed = || unreadable(error);
    let edits = literal::edits(&text).ok_or_else(malformed)?;
    let edited = literal::edited(&text, &edits).ok_or_else(malformed)?;
    note(&text, &edits, damages);
    let bytes = match version {
        2 => edited.chars().filter_map(|c| u8::try_from(c).ok()).collect(),
        _ => edited.into_bytes(),
    };
    let length = u32::try_from(bytes.len()).map_err(|_| malformed())?;
    let mut file = MAGIC.to_vec();
    file.extend([version, 0]);
    file.extend(length.to_le_bytes());
    file.extend(bytes);
    let mut limits = Limits::default();
    limits.header_bytes = to_u64(MAX_HEADER);
    match Header::parse_with(&file, &limits) {
        Ok((header, _)) => Ok(header),
        // Positions are those of the file only if nothing was edited.
        Err(new) if !edits.is_empty() => Err(unreadable(&problem(&new))),
        Err(_) => Err(malformed()),
    }
}

/// Adds the damage that the edits undo.
fn note(text: &str, edits: &[Edit], damages: &mut Vec<Damage>) {
    let source = |edit: &Edit| text.get(edit.range.clone()).unwrap_or_default().to_owned();
    let mut metadata = edits.iter().filter(|edit| edit.kind == Kind::Metadata);
    if let Some(first) = metadata.next() {
        let count = 1 + metadata.count();
        damages.push(Damage::Metadata { count, first: shortened(&source(first)) });
    }
    for edit in edits.iter().filter(|edit| edit.kind == Kind::Value) {
        let written = shortened(&edit.new);
        damages.push(Damage::Value { found: shortened(&source(edit)), written });
    }
}

/// Finds the data after the dictionary, which ends at `end`. Its line and the stated length say the same, or one of them is confirmed by the size
/// of the file; without a line end, the padding may be.
fn data(start: &[u8], end: usize, length: u64, form: &Form, header: &Header) -> Result<u64> {
    let line = end_of_line(start, end).map(to_u64);
    let stated = to_u64(form.text) + form.stated;
    if line == Some(stated) {
        return Ok(stated);
    }
    let rest = start.get(end..).unwrap_or_default();
    let padding = to_u64(end + rest.iter().take_while(|&&byte| byte == b' ').count());
    // A line end where the header is said to end shows that a byte of the padding is wrong, and not its length; the size is then that of other data.
    let is_stated = padding < stated
        && usize::try_from(stated).is_ok_and(|at| start.get(at - 1) == Some(&b'\n'));
    let candidates = [line, Some(stated), (!is_stated).then_some(padding)].into_iter().flatten();
    let mut candidates = candidates.filter(|&at| at >= to_u64(end));
    if let Some(found) = candidates.find(|&at| is_data(start, length, header, at)) {
        return Ok(found);
    }
    match line.is_none() && (to_u64(end)..=padding).contains(&stated) {
        true => Ok(stated),
        false if padding == length && stated > length => Err(unrepairable(CUT_OFF)),
        false => Err(ambiguous(form.stated)),
    }
}

/// Returns the position after the line end that follows the dictionary and its padding.
fn end_of_line(start: &[u8], end: usize) -> Option<usize> {
    let rest = start.get(end..)?;
    let blanks = rest.iter().take_while(|&&byte| byte == b' ').count();
    (rest.get(blanks) == Some(&b'\n')).then_some(end + blanks + 1)
}

/// Returns true if nothing but white space is between the dictionary and the end of the header.
fn is_blank(text: &[u8], dict: usize, stated: u64) -> bool {
    let end = usize::try_from(stated).unwrap_or(usize::MAX);
    text.get(dict..end).is_some_and(|padding| padding.trim_ascii().is_empty())
}

/// Returns true if Python can have written this text as latin-1, and none of it is a character of UTF-8. Python escapes what cannot be
/// printed.
fn is_latin1(text: &[u8]) -> bool {
    const SOFT_HYPHEN: u8 = 0xad;
    let is_printed =
        |byte: &u8| matches!(byte, b'\n' | b' '..=b'~' | 0xa1..) && *byte != SOFT_HYPHEN;
    text.iter().all(is_printed) && text.utf8_chunks().all(|chunk| chunk.valid().is_ascii())
}

fn latin1(bytes: &[u8]) -> String {
    bytes.iter().copied().map(char::from).collect()
}

pub(crate) fn to_u64(number: usize) -> u64 {
    number as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use npy_core::Order;

    fn file(shape: &[usize]) -> Vec<u8> {
        let header = Header::new("<u2".parse().unwrap(), shape, Order::C).unwrap();
        let mut bytes = header.to_bytes().unwrap();
        bytes.extend(vec![7; usize::try_from(header.data_bytes()).unwrap()]);
        bytes
    }

    fn found(bytes: &[u8]) -> Result<Found> {
        find(bytes, to_u64(bytes.len()))
    }

    /// Guards each byte of magic, version and length: any value of it is mended, or is right.
    #[test]
    fn one_wrong_byte_before_the_dictionary_is_mended() {
        let right = file(&[5]);
        for at in 0..10 {
            for value in 0..=255 {
                let mut bytes = right.clone();
                bytes[at] = value;
                let found = found(&bytes).unwrap();
                assert_eq!((found.header.shape(), found.data), (&[5][..], 128), "{at} {value}");
                assert_eq!(found.damages.is_empty(), value == right[at], "{at} {value}");
            }
        }
    }

    /// Guards the words about a version that exists, and is not that of this header.
    #[test]
    fn a_version_of_another_header_is_told_from_one_that_does_not_exist() {
        for (major, words) in
            [(2, "2.0 does not fit the form"), (3, "3.0 does not fit"), (4, "4.0 does not exist")]
        {
            let mut bytes = file(&[5]);
            bytes[6] = major;
            let damage = found(&bytes).unwrap().damages[0].to_string();
            assert!(damage.contains(words), "{damage}");
        }
    }

    /// Guards that nobody is sent to repair the data of a file that has none.
    #[test]
    fn a_file_that_ends_in_its_padding_is_to_be_copied_again() {
        let bytes = file(&[5]);
        for length in [80, 100, 127] {
            let error = found(&bytes[..length]).unwrap_err().to_string();
            assert_eq!(error, CUT_OFF, "{length}");
        }
    }

    /// Guards bytes that were added before the end of the line: the data begins after it if its alignment and the size say so, and nobody is told that all is right.
    #[test]
    fn bytes_that_were_added_to_the_padding_are_noticed_by_the_size() {
        for (added, byte) in [(1, b' '), (4, b' '), (16, b' '), (17, b' '), (1, b'\n'), (2, b'\t')]
        {
            let right = file(&[5]);
            let bytes = [&right[..100], &vec![byte; added], &right[100..]].concat();
            match found(&bytes) {
                Ok(found) if added == 16 => assert_eq!((found.data, found.damages.len()), (144, 1)),
                found => assert!(matches!(found, Err(Error::LostHeader { .. })), "{added} {byte}"),
            }
        }
    }

    #[test]
    fn padding_that_is_missing_is_noticed_by_the_size() {
        for (end, missing) in [(120, 1), (127, 4), (120, 16), (128, 1), (128, 40)] {
            let mut bytes = file(&[5]);
            bytes.drain(end - missing..end);
            let found = found(&bytes).unwrap();
            assert_eq!(found.data, to_u64(128 - missing));
            assert_eq!(found.damages.len(), 1);
        }
        // Bytes of the data are missing, too, so that the size would say something else.
        let mut bytes = file(&[5]);
        bytes.drain(110..130);
        assert!(found(&bytes).is_err());
    }

    /// Guards files that NumPy reads, whose data begins as the end of a line, and files with blanks after the line.
    #[test]
    fn a_line_end_alone_does_not_move_the_data() {
        // A header without a line end, and data that begins with one.
        let mut bare = file(&[5]);
        bare[127] = b' ';
        bare[128] = b'\n';
        let mut blanks = file(&[5]);
        let dict = blanks.iter().rposition(|&byte| byte == b'}').unwrap();
        blanks[dict + 1] = b'\n';
        for bytes in [bare, blanks] {
            for more in [0, 1, 2, 40] {
                let longer = [&bytes[..], &vec![1; more]].concat();
                let right = found(&longer);
                // As after a blank that was added to the padding.
                if longer[127] == b' ' && more == 1 {
                    assert!(matches!(right, Err(Error::LostHeader { .. })));
                    continue;
                }
                let right = right.unwrap();
                assert_eq!((right.data, right.damages), (128, vec![]), "{more}");
            }
            assert!(found(&bytes[..bytes.len() - 3]).is_err());
            // Another damage does not make it certain either.
            let mut two = bytes[..bytes.len() - 3].to_vec();
            two[0] = 0;
            assert!(found(&two).is_err());
        }
    }

    /// Guards the padding: the size of the file confirms the stated length of the header.
    #[test]
    fn padding_with_other_bytes_becomes_blanks() {
        for at in [118, 120, 126, 127] {
            let mut bytes = file(&[5]);
            bytes[at] = b'x';
            let right = found(&bytes).unwrap();
            assert_eq!((right.header.shape(), right.data), (&[5][..], 128), "{at}");
            assert_eq!(right.damages, [Damage::Padding], "{at}");
            bytes.push(0);
            assert!(found(&bytes).is_err(), "{at}");
            // The size is that of data which begins at this byte, if as many are missing at its end.
            bytes.truncate(at + 10);
            assert!(at == 127 || found(&bytes).is_err(), "{at}");
        }
    }

    /// Guards that nobody is sent to read a file as data without a header which begins with one.
    #[test]
    fn a_header_without_its_first_brace_is_lost() {
        let right = file(&[5]);
        let changed =
            |at: usize, bytes: &[u8]| [&right[..at], bytes, &right[at + bytes.len()..]].concat();
        let no_length = [&right[..9], &right[10..]].concat();
        let longer = [&right[..8], b"\0", &right[8..]].concat();
        for bytes in [changed(10, b"("), changed(6, &[0; 122]), no_length, longer] {
            assert!(matches!(found(&bytes), Err(Error::LostHeader { .. })));
        }
        // Without the magic, the text and the blanks show a header, or the blanks alone after bytes that are not text.
        for (lost, is_header) in [(2, true), (12, true), (100, true), (123, true), (124, false)] {
            let bytes = changed(0, &vec![0; lost]);
            let error = found(&bytes).unwrap_err();
            assert_eq!(matches!(error, Error::LostHeader { .. }), is_header, "{lost}: {error}");
            assert_eq!(rest_of_header(&bytes).is_some(), is_header, "{lost}");
        }
        // Bytes that are missing move the data.
        let key = right.windows(6).position(|part| part == b"'shape").unwrap();
        for lost in [6, 8, 20, 33, key, key + 1, key + 12, 80, 99, 123] {
            let rest = rest_of_header(&right[lost..]).unwrap();
            assert_eq!((rest.data, rest.is_sure), (128 - lost, lost <= key), "{lost}");
        }
        let text = format!("{:<63}\n", "größe").repeat(4);
        let foreign = [&[0; 127][..], b"\n", &[32; 16]].concat();
        let padding = [&right[64..], &[0; 8]].concat();
        assert_eq!(
            rest_of_header(&padding).map(|rest| (rest.data, rest.is_sure)),
            Some((64, false))
        );
        let records = |length: usize| [&[1][..], &vec![b' '; length - 2], b"\n"].concat().repeat(9);
        // A whole array after other data, and text in the data after a header without its line end.
        let second = [&[1; 64], &right[..]].concat();
        let text_after = [&[0; 8], &right[8..127], b"  7       \n"].concat();
        for bytes in [text.as_bytes(), &foreign, &records(16), &records(64), &second, &text_after] {
            assert!(matches!(found(bytes), Err(Error::NotArray { .. })));
        }
    }

    #[test]
    fn ambiguous_headers_are_refused() {
        let right = file(&[5]);
        let mut two = right.clone();
        (two[0], two[5]) = (0, 0);
        let mut dict = right.clone();
        dict[20] = b'}';
        for bytes in
            [&two[..], &dict, b"", b"\x93NUMPY", &right[..60], b"\xef\xbf\xbdNUMPY\x01\0v\0{'de"]
        {
            assert!(found(bytes).is_err());
        }
    }
}
