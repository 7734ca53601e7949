//! One array: its header and the size of its data, and the file that is written of both.

use std::io::{self, Read, Seek, SeekFrom, Write};

use npy_core::{Header, Objects, Order, ReadNpy, UncountedRows};

use crate::damage::{Damage, counted};
use crate::error::{Error, Result, problem, unfit, unrepairable};
use crate::header::{self, MAGIC, MAX_HEADER, to_u64};
use crate::options::{Options, Raw};
use crate::rows::{Rows, Uncounted};
use crate::translation::{Measure, Translation, Undone, measure};

/// An array as it will be written.
#[derive(Debug)]
pub(crate) struct Array {
    pub(crate) header: Header,
    pub(crate) damages: Vec<Damage>,
    pub(crate) remarks: Vec<String>,
    /// True if bytes after the array stay that are not another array.
    pub(crate) has_uncounted: bool,
    /// The header as bytes.
    head: Vec<u8>,
    /// The position and the size of the data that is kept, in the file before its translation.
    data: u64,
    bytes: u64,
    translation: Option<Translation>,
}

/// The first bytes of files that were copied as latin-1 that became UTF-8.
const UTF8_MAGIC: &[u8] = b"\xc2\x93NUMPY";

impl Array {
    /// Diagnoses an array in a file or a member of this length.
    pub(crate) fn diagnose(
        file: &mut (impl Read + Seek),
        length: u64,
        options: &Options,
    ) -> Result<Self> {
        let start = start(file)?;
        if let Some(raw) = &options.raw {
            return Array::of_raw(raw, &start, length);
        }
        if let Some((translation, before)) = translation(&start, file)? {
            let mut undone = Vec::new();
            file.seek(SeekFrom::Start(0))?;
            Undone::new(&mut *file, translation)
                .take(to_u64(MAX_HEADER))
                .read_to_end(&mut undone)?;
            return Array::of_translated(file, &undone, translation, before);
        }
        let found = header::find(&start, length)?;
        if ends_with_return(&start, &found) {
            let reason = "the line of the header ends with \\r: it was copied as text, so that each \\n became \\r, and it is not known which were \\r before; copy the original as bytes";
            return Err(unrepairable(reason));
        }
        if found.header.dtype().has_object() {
            return Array::of_objects(found, file, length);
        }
        Array::of_items(found, file, length, options)
    }

    /// Returns true if nothing is wrong.
    pub(crate) fn is_right(&self) -> bool {
        self.damages.is_empty()
    }

    /// Returns the number of bytes of the file that is written.
    pub(crate) fn len(&self) -> u64 {
        to_u64(self.head.len()).saturating_add(self.bytes)
    }

    /// Returns the number of rows that are kept, and their dimension.
    pub(crate) fn rows(&self) -> (usize, usize) {
        let truncated = self.damages.iter().find_map(|damage| match damage {
            Damage::Truncated { kept, axis, .. } => Some((*kept, *axis)),
            _ => None,
        });
        let all = || Rows::counted(&self.header).map_or((0, 0), |rows| (rows.count, rows.axis));
        truncated.unwrap_or_else(all)
    }

    /// Writes the repaired array.
    pub(crate) fn write(&self, file: &mut (impl Read + Seek), out: &mut impl Write) -> Result<()> {
        out.write_all(&self.head)?;
        let copied = match self.translation {
            None => {
                file.seek(SeekFrom::Start(self.data))?;
                io::copy(&mut file.take(self.bytes), out)?
            }
            Some(translation) => {
                file.seek(SeekFrom::Start(0))?;
                let mut undone = Undone::new(file, translation);
                io::copy(&mut (&mut undone).take(self.data), &mut io::sink())?;
                io::copy(&mut undone.take(self.bytes), out)?
            }
        };
        if copied == self.bytes { Ok(()) } else { Err(Error::Changed) }
    }

    fn new(header: Header, data: u64, bytes: u64, damages: Vec<Damage>) -> Result<Self> {
        let head = header.to_bytes().map_err(|error| unrepairable(problem(&error)))?;
        let remarks = Vec::new();
        Ok(Array {
            header,
            damages,
            remarks,
            has_uncounted: false,
            head,
            data,
            bytes,
            translation: None,
        })
    }

    /// Gives data a header.
    fn of_raw(raw: &Raw, start: &[u8], length: u64) -> Result<Self> {
        if start.starts_with(MAGIC) {
            return Err(unfit(
                "the file has a header, and so is not raw data; leave out the dtype",
            ));
        }
        // An array that has all bytes of the file leaves none for a header.
        let fits = |bytes| raw_header(raw, bytes).is_ok_and(|header| header.data_bytes() == bytes);
        let is_header = |rest: &header::Rest| match rest.is_sure {
            true => raw.shape.contains(&-1) || !fits(length),
            false => !fits(length) && fits(length.saturating_sub(to_u64(rest.data))),
        };
        let rest = header::rest_of_header(start).filter(is_header);
        let data = rest.map_or(0, |rest| to_u64(rest.data));
        let available = length.saturating_sub(data);
        let header = raw_header(raw, available).map_err(|error| match (error, data) {
            (Error::Options { reason }, 1..) => {
                unfit(format!("without the first {data} bytes, a damaged header, {reason}"))
            }
            (error, _) => error,
        })?;
        let bytes = header.data_bytes();
        let rest = available.saturating_sub(bytes);
        let text = header.to_string();
        let damage = match data {
            0 => Damage::NoHeader { header: text, rest },
            _ => Damage::LostHeader { bytes: data, header: text, rest },
        };
        Array::new(header, data, bytes, vec![damage])
    }

    /// Undoes the translation of a file, if that gives exactly the size that its header states.
    fn of_translated(
        file: &mut (impl Read + Seek),
        start: &[u8],
        translation: Translation,
        before: Measure,
    ) -> Result<Self> {
        let mut found = header::find(start, before.bytes)?;
        let expected = found.data.saturating_add(found.header.data_bytes());
        let is_exact = before.bytes == expected && before.lone == 0 && before.undone > 0;
        if !is_exact || found.header.dtype().has_object() {
            return Err(unrepairable(inexact(translation, &before, expected)));
        }
        let count = before.undone;
        found.damages.insert(
            0,
            match translation {
                Translation::LineEnds => Damage::LineEnds { count },
                Translation::Utf8 => Damage::Utf8 { count },
            },
        );
        file.seek(SeekFrom::Start(0))?;
        let bytes = found.header.data_bytes();
        let array = Array::new(found.header, found.data, bytes, found.damages)?;
        Ok(Array { translation: Some(translation), ..array })
    }

    /// Compares the size of the data with the header.
    fn of_items(
        found: header::Found,
        file: &mut (impl Read + Seek),
        length: u64,
        options: &Options,
    ) -> Result<Self> {
        let header::Found { header, data, mut damages } = found;
        let available = length.saturating_sub(data);
        let expected = header.data_bytes();
        if available < expected {
            let rows = Rows::counted(&header).filter(|rows| available >= rows.bytes);
            let rows = rows.ok_or_else(|| too_short(&header, available))?;
            let (kept, rest) = rows.complete(available);
            let missing = expected - available;
            let Rows { count: stated, axis, .. } = rows;
            damages.push(Damage::Truncated { missing, stated, kept, rest, axis });
            let header = rows.resized(&header, kept)?;
            let bytes = header.data_bytes();
            return Array::new(header, data, bytes, damages);
        }
        let after = available - expected;
        if after == 0 {
            return Array::new(header, data, available, damages);
        }
        let is_array = has_header(file, data.saturating_add(expected))?;
        if options.uncounted_rows == UncountedRows::Remove {
            damages.push(Damage::After { bytes: after });
            let mut array = Array::new(header, data, expected, damages)?;
            if is_array {
                array.remarks.push("the bytes that are left out begin another array".to_owned());
            }
            return Ok(array);
        }
        let uncounted = Uncounted::of(&header, after).filter(|uncounted| uncounted.rows > 0);
        if is_array || options.uncounted_rows != UncountedRows::Keep {
            let text = match uncounted {
                _ if is_array => ", which begin another array".to_owned(),
                Some(rows) => {
                    format!(": {rows} that the header does not count, if a writer was stopped")
                }
                None => ", which NumPy ignores".to_owned(),
            };
            let mut array = Array::new(header, data, available, damages)?;
            array.remarks.push(format!("{} after the array{text}", counted(after, "byte")));
            array.has_uncounted = !is_array;
            return Ok(array);
        }
        let header = match uncounted {
            Some(rows) => {
                damages.push(Damage::Uncounted(rows));
                rows.counted_by(&header)?
            }
            None => {
                damages.push(Damage::After { bytes: after });
                header
            }
        };
        let bytes = header.data_bytes();
        Array::new(header, data, bytes, damages)
    }

    /// Checks the pickle of Python objects, whose end only the pickle itself states.
    fn of_objects(
        found: header::Found,
        file: &mut (impl Read + Seek),
        length: u64,
    ) -> Result<Self> {
        let bytes = length.saturating_sub(found.data);
        let array = Array::new(found.header, found.data, bytes, found.damages)?;
        file.seek(SeekFrom::Start(array.data))?;
        match Objects::read_npy_from((&array.head[..]).chain(&mut *file)) {
            Ok(_) => Ok(array),
            Err(error) => {
                let problem = problem(&error);
                Err(unrepairable(format!(
                    "the pickle of its Python objects is damaged: {problem}; copy the file again"
                )))
            }
        }
    }
}

/// Reads the first bytes: the header, or as many bytes as one can have if it is damaged.
fn start(file: &mut (impl Read + Seek)) -> io::Result<Vec<u8>> {
    const FIRST: u64 = 4096;
    file.seek(SeekFrom::Start(0))?;
    let mut start = Vec::new();
    file.take(FIRST).read_to_end(&mut start)?;
    if Header::parse(&start).is_err() {
        file.take(to_u64(MAX_HEADER) - FIRST).read_to_end(&mut start)?;
    }
    Ok(start)
}

/// Returns the translation that the first bytes show, with the measure of the file.
fn translation(
    start: &[u8],
    file: &mut (impl Read + Seek),
) -> Result<Option<(Translation, Measure)>> {
    let translation = if start.starts_with(UTF8_MAGIC) {
        Translation::Utf8
    } else if has_line_end(start) && Header::parse(start).is_err() {
        Translation::LineEnds
    } else {
        return Ok(None);
    };
    match measure(file, translation)? {
        Some(measure) => Ok(Some((translation, measure.counted_for(translation)))),
        None => Err(unrepairable(
            "it was copied as text, and some of its characters are not bytes; nothing can be restored, so copy the original as bytes",
        )),
    }
}

impl Measure {
    /// Ignores what does not matter to a translation.
    fn counted_for(self, translation: Translation) -> Self {
        let lone = if translation == Translation::LineEnds { self.lone } else { 0 };
        Measure { lone, ..self }
    }
}

/// Returns true if the line of the header ends with `\r\n`.
fn has_line_end(start: &[u8]) -> bool {
    let dict = match (start.get(10), start.get(12)) {
        (Some(b'{'), _) => 10,
        (_, Some(b'{')) => 12,
        _ => return false,
    };
    let rest = start.get(dict..).unwrap_or_default();
    let Some(end) = crate::literal::end_of_dict(rest) else { return false };
    let blanks = rest.get(end..).unwrap_or_default();
    let line = blanks.trim_ascii_start();
    let skipped = blanks.len() - line.len();
    // The end of the line is white space, and so is at the end of what was skipped.
    blanks.get(..skipped).is_some_and(|skipped| {
        let padding = skipped.iter().take_while(|&&byte| byte == b' ').count();
        skipped.get(padding..padding + 2) == Some(b"\r\n")
    })
}

/// Returns true if the line of the header ends with `\r`, which NumPy never writes.
fn ends_with_return(start: &[u8], found: &header::Found) -> bool {
    let last = usize::try_from(found.data).ok().and_then(|data| data.checked_sub(1));
    last.and_then(|last| start.get(last)) == Some(&b'\r')
}

/// Returns the reason why a translation cannot be undone.
fn inexact(translation: Translation, before: &Measure, expected: u64) -> String {
    let Measure { bytes, lone, .. } = before;
    let what = match translation {
        Translation::LineEnds => "each \\n became \\r\\n",
        Translation::Utf8 => "bytes became characters of UTF-8",
    };
    let why = match (translation, lone) {
        (Translation::LineEnds, 1..) => {
            format!("{lone} \\n are without \\r, so it is not known where one was added")
        }
        _ => format!("undone, the file would have {bytes} bytes, and its header states {expected}"),
    };
    format!("it was copied as text, so that {what}; {why}; copy the original as bytes")
}

/// Returns the header of data without one: that of the complete rows, if the size of the file states their number.
fn raw_header(raw: &Raw, length: u64) -> Result<Header> {
    let Raw { dtype, shape } = raw;
    let itemsize = to_u64(dtype.itemsize());
    let mut known = shape.iter().filter(|&&n| n != -1);
    let row = known.try_fold(itemsize, |bytes, &n| bytes.checked_mul(u64::try_from(n).ok()?));
    let row = row.ok_or_else(|| {
        unfit("a dimension must be -1, 0 or more, and all together a size of a file")
    })?;
    let (rows, rest) = match shape.iter().filter(|&&n| n == -1).count() {
        0 => (1, length.abs_diff(row)),
        1 if row == 0 => {
            return Err(unfit(
                "a row has no bytes, so the size of the file does not state their number",
            ));
        }
        1 => (length / row, length % row),
        _ => return Err(unfit("only one dimension can be -1")),
    };
    // Bytes at the end are an incomplete row only if rows are counted by the first dimension.
    let are_rows = rows > 0 && shape.first() == Some(&-1);
    if rest > 0 && shape.contains(&-1) && !are_rows {
        let verb = if rest == 1 { "is" } else { "are" };
        return Err(unfit(format!(
            "the file has {}, and a row {row}: {rest} {verb} left over; state another dtype or shape",
            counted(length, "byte")
        )));
    }
    if rest > 0 && !are_rows {
        let sizes = format!("the file has {}, and the array {row}", counted(length, "byte"));
        return Err(unfit(match length.checked_sub(row) {
            Some(more) => format!(
                "{sizes}; state another dtype or shape, or cut off {more} if they are a header or come after the data"
            ),
            None => format!(
                "{sizes}; state another dtype or shape, in which -1 is the dimension that the size says"
            ),
        }));
    }
    let number = |n: i64| if n == -1 { usize::try_from(rows) } else { usize::try_from(n) };
    let shape: std::result::Result<Vec<usize>, _> = shape.iter().map(|&n| number(n)).collect();
    let shape = shape.map_err(|_| unfit("a dimension is too large for this system"))?;
    let header =
        Header::new(dtype.clone(), shape, Order::C).map_err(|error| unfit(problem(&error)))?;
    match header.dtype().has_object() {
        true => Err(unfit("raw data cannot be Python objects; state another dtype")),
        false => Ok(header),
    }
}

/// Returns the error for a file that has not one row.
fn too_short(header: &Header, available: u64) -> Error {
    unrepairable(format!(
        "truncated: the array {header} has {}, and {} there, not one complete row; copy the file again",
        counted(header.data_bytes(), "byte"),
        match available {
            1 => "1 byte is".into(),
            n => format!("{n} bytes are"),
        }
    ))
}

/// Returns true if the header of another array is at this position: `np.save` was called again for an open file.
fn has_header(file: &mut (impl Read + Seek), position: u64) -> Result<bool> {
    file.seek(SeekFrom::Start(position))?;
    let mut start = Vec::new();
    file.take(to_u64(MAGIC.len())).read_to_end(&mut start)?;
    Ok(start == MAGIC)
}
