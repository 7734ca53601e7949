//! An array whose header cannot be mended: the commands that give its data a new one, of what is left of the old one.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use npy_core::DType;
use npy_repair::{Error, Options, diagnose};

use crate::dtypes;
use crate::shell;

/// The place of a dtype that is not known.
const DTYPE: &str = "DTYPE";

/// The position of the text in version 1.0.
const TEXT: usize = 10;

/// The length of `{'descr':'|i1','fortran_order':False,'shape':()}`, and of the bytes before it.
const LEAST: usize = TEXT + 48;

/// NumPy aligns the data.
const ALIGNED: usize = 16;

/// The position of the data in most files of NumPy, which fills a short header with blanks up to there.
pub(crate) const USUAL: usize = 128;

/// Returns the commands that repair the data of a file without its header; `None` if there is no data.
pub(crate) fn commands(path: &Path) -> Option<String> {
    let size = path.metadata().ok()?.len();
    let start = read_start(path)?;
    let position = match start.starts_with(b"\x93NUMPY") {
        true => Position::of(&start, size),
        false => after_rest_of_header(path).map_or(Position::Unknown, Position::Found),
    };
    LostHeader::of(&start, size, position).map(|lost| lost.commands(path))
}

/// Returns the commands that repair the data of a file after its first bytes.
pub(crate) fn cut(path: &Path, bytes: u64, dtype: &str, shape: &str) -> String {
    let rest = shell::new_output(Path::new("rest.bin"));
    format!(
        "tail -c +{} {} > {rest} && npy repair {rest} --raw {dtype} --shape {shape} -o OUT --yes",
        bytes + 1,
        shell::path(path)
    )
}

/// Returns the position of the data in a file whose first bytes are damaged, if the repair finds the rest of a header there.
fn after_rest_of_header(path: &Path) -> Option<usize> {
    match diagnose(path, &Options::new()) {
        Err(Error::LostHeader { data, .. }) => usize::try_from(data?).ok(),
        _ => None,
    }
}

/// Reads the part of a file in which a header may be.
fn read_start(path: &Path) -> Option<Vec<u8>> {
    const MAX: u64 = 1 << 16;
    let mut start = Vec::new();
    File::open(path).ok()?.take(MAX).read_to_end(&mut start).ok()?;
    Some(start)
}

/// The parts of a header that can be read.
#[derive(Debug, PartialEq)]
struct LostHeader {
    position: Position,
    dtype: Option<DType>,
    shape: Shape,
}

/// The position of the data.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Position {
    Found(usize),
    /// Nothing of the header says it.
    Unknown,
}

/// The dimensions of the data.
#[derive(Debug, PartialEq)]
enum Shape {
    /// The value of `--shape`.
    Known(String),
    Unknown,
    /// The header has several, and does not say that the data is in C order, in which alone raw data is read.
    OfUnknownOrder,
}

impl LostHeader {
    /// Looks for the parts of a header. `None` if there is no data after it.
    fn of(start: &[u8], size: u64, position: Position) -> Option<Self> {
        let offset = position.offset();
        let bytes = size.checked_sub(offset as u64).filter(|&bytes| bytes > 0)?;
        let header = String::from_utf8_lossy(start.get(..offset).unwrap_or(start));
        let fits = |dtype: &DType| {
            !dtype.has_object() && bytes.checked_rem(dtype.itemsize() as u64) == Some(0)
        };
        let dtype = find_dtype(&header).filter(fits);
        let items = dtype.as_ref().map(|dtype| bytes / dtype.itemsize() as u64);
        let shape = find_shape(&header, items);
        Some(LostHeader { position, dtype, shape })
    }

    fn commands(&self, path: &Path) -> String {
        let (dtype, note) = match &self.dtype {
            Some(dtype) => (shell::word(dtype.to_string().as_bytes()), ""),
            None => (DTYPE.to_owned(), ", with its dtype in place of DTYPE"),
        };
        let (shape, order) = match &self.shape {
            Shape::Known(shape) => (&**shape, ""),
            Shape::Unknown => ("-1", "; put its shape in place of -1 if it has several dimensions"),
            Shape::OfUnknownOrder => (
                "-1",
                ", with one dimension, because the header does not say that its order is C; if it is Fortran, reshape(SHAPE, order='F') of NumPy gives it the others",
            ),
        };
        let position = match self.position {
            Position::Found(_) => "",
            Position::Unknown => {
                "; the header does not say where it ends: this is the position in most files of np.save"
            }
        };
        let commands = cut(path, self.position.offset() as u64, &dtype, shape);
        format!("{commands}{note}{order}{position}")
    }
}

impl Position {
    /// Returns the position that the size of the file confirms, after the line of the header or where its length says; without one, the likelier of these.
    fn of(start: &[u8], size: u64) -> Self {
        let is_in_file = |at: &usize| *at as u64 <= size;
        let line = end_of_line(start).filter(is_in_file);
        let stated = stated_end(start).filter(|at| is_in_file(at) && *at >= LEAST);
        let by_size = offset_by_size(start, size);
        let found = match (line, stated) {
            _ if by_size.is_some_and(|at| {
                by_size == line || by_size == stated || first_line(start) == Some(at)
            }) =>
            {
                by_size
            }
            (Some(line), Some(stated)) => Some(likelier(start, line, stated)),
            // If bytes of the data are missing, too, this position is wrong by their number, which is hardly ever that of an alignment.
            (line, stated) => line.or(stated).or(by_size.filter(|at| at.is_multiple_of(ALIGNED))),
        };
        found.map_or(Position::Unknown, Position::Found)
    }

    /// Returns the position, or that of most files.
    fn offset(self) -> usize {
        match self {
            Position::Found(offset) => offset,
            Position::Unknown => USUAL,
        }
    }
}

/// Returns the position after the first line end that may be that of the header.
fn first_line(start: &[u8]) -> Option<usize> {
    Some(TEXT + start.get(TEXT..)?.iter().position(|&byte| byte == b'\n')? + 1)
}

/// Returns the position after the line of the header, which ends as one.
fn end_of_line(start: &[u8]) -> Option<usize> {
    let ends = |at: &usize| matches!(start.get(..*at), Some([.., b' ' | b'}', b'\n']));
    first_line(start).filter(ends)
}

/// Returns the position after the header by its stated length.
fn stated_end(start: &[u8]) -> Option<usize> {
    match *start.get(6..12)? {
        [1, _, a, b, ..] => Some(TEXT + usize::from(u16::from_le_bytes([a, b]))),
        [2 | 3, _, a, b, c, d] => {
            usize::try_from(u32::from_le_bytes([a, b, c, d])).ok()?.checked_add(TEXT + 2)
        }
        _ => None,
    }
}

/// Returns the position of the data if all of it is there, which the dtype and the shape say.
fn offset_by_size(start: &[u8], size: u64) -> Option<usize> {
    let text = String::from_utf8_lossy(start);
    let dtype = find_dtype(&text).filter(|dtype| !dtype.has_object())?;
    let dims = find_dims(&text)?;
    let bytes = dims.iter().try_fold(dtype.itemsize() as u64, |n, &dim| n.checked_mul(dim))?;
    usize::try_from(size.checked_sub(bytes)?).ok().filter(|&at| at > TEXT)
}

/// Returns the likelier of two positions, the end of a line and the stated end of the header. A byte that was lost or added moves the line, and a line end
/// that is a part of the data has other bytes than text before it.
fn likelier(start: &[u8], line: usize, stated: usize) -> usize {
    let between = |from: usize, to: usize| start.get(from..to).unwrap_or_default();
    let is_stated = match line < stated {
        true => {
            let blanks = between(line, stated);
            stated.is_multiple_of(ALIGNED)
                && !blanks.is_empty()
                && blanks.iter().all(|&byte| byte == b' ')
        }
        false => between(stated, line - 1).iter().any(u8::is_ascii_control),
    };
    if is_stated { stated } else { line }
}

/// Returns the value of `descr`, if it is complete. The first bytes of its key may be damaged.
fn find_dtype(header: &str) -> Option<DType> {
    const NEXT: &str = ", 'fortran_order'";
    let value = match header.split_once("'descr':") {
        Some((_, value)) => value.trim_start(),
        None => {
            const KEY_END: &str = "': ";
            let key_end = header.split_once(NEXT)?.0.rfind(KEY_END)?;
            &header[key_end + KEY_END.len()..]
        }
    };
    let text = match value.strip_prefix(['\'', '"']) {
        Some(text) => text.split(['\'', '"']).next()?,
        None => value.split_once(NEXT)?.0,
    };
    dtypes::parse(text).ok()
}

/// Returns the dimensions of this many items: all of `shape`, or those after the first one, also if the number is not known.
fn find_shape(header: &str, items: Option<u64>) -> Shape {
    let Some(dims) = find_dims(header) else { return Shape::Unknown };
    // One damaged byte of True or of the key would otherwise swap the dimensions.
    if dims.len() > 1 && !header.contains("'fortran_order': False") {
        return Shape::OfUnknownOrder;
    }
    let count = |dims: &[u64]| dims.iter().try_fold(1u64, |count, &n| count.checked_mul(n));
    let row: String = dims[1..].iter().map(|dim| format!(",{dim}")).collect();
    match (items, count(&dims[1..])) {
        (Some(items), _) if count(&dims) == Some(items) => {
            Shape::Known(format!("{}{row}", dims[0]))
        }
        (Some(items), Some(elements)) if items.checked_rem(elements) == Some(0) => {
            Shape::Known(format!("-1{row}"))
        }
        (None, Some(1..)) => Shape::Known(format!("-1{row}")),
        _ => Shape::Unknown,
    }
}

/// Returns the value of `shape`, if it is complete and not empty.
fn find_dims(header: &str) -> Option<Vec<u64>> {
    let dims = header.split_once("'shape':")?.1.trim_start().strip_prefix('(')?.split_once(')')?.0;
    // `(3,)` has one dimension; other commas are after a number that was lost.
    let one = dims.strip_suffix(',').filter(|one| !one.contains(','));
    one.unwrap_or(dims).split(',').map(|dim| dim.trim().parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{LostHeader, Position};

    fn found(start: &[u8], size: u64) -> Option<LostHeader> {
        LostHeader::of(start, size, Position::of(start, size))
    }

    #[test]
    fn the_commands_have_what_is_left_of_the_header() {
        let whole = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
        for (text, bytes, expected) in [
            (whole, 24, "--raw '<f4' --shape 2,3 -o"),
            (whole, 12, "--raw '<f4' --shape -1,3 -o"),
            (whole, 16, "--raw '<f4' --shape -1 -o"),
            (whole, 13, "--raw DTYPE --shape -1,3 -o OUT --yes, with its dtype in place"),
            ("{'descr': '<f9', 'shape': (2, 3), }", 24, "--raw DTYPE --shape -1 -o"),
            ("{'descr': '|O', 'shape': (2, 3), }", 24, "--raw DTYPE --shape -1 -o"),
            (
                "{'descr': [('a', '<i2')], 'fortran_order': False, 'shape': (5,), }",
                10,
                "--raw \"[('a', '<i2')]\" --shape 5 -o",
            ),
            (
                "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }",
                24,
                "--raw '<f4' --shape -1 -o OUT --yes, with one dimension, because",
            ),
            // A damaged key does not say that the order is C.
            (
                "{'descr': '<f4', 'Xortran_order': True, 'shape': (2, 3), }",
                24,
                "--raw '<f4' --shape -1 -o OUT --yes, with one dimension, because",
            ),
            (
                "{'descr': '<f4', 'fortran_orXer': False, 'shape': (2, 3), }",
                12,
                "--raw '<f4' --shape -1 -o OUT --yes, with one dimension, because",
            ),
            ("{'descr': '<f4', 'Xortran_order': True, 'shape': (6,), }", 24, "--shape 6 -o"),
        ] {
            let header = format!("{text:<117}\n");
            let mut file = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
            file.extend(header.as_bytes());
            let size = 128 + bytes;
            let commands = found(&file, size).unwrap().commands(Path::new("x.npy"));
            assert!(commands.starts_with("tail -c +129 x.npy > "), "{commands}");
            assert!(commands.contains(expected), "{commands}");
            // The line or the length alone say where the data begins.
            for at in [8, 127] {
                let mut damaged = file.clone();
                damaged[at] = b'x';
                assert_eq!(
                    found(&damaged, size).map(|lost| lost.position),
                    Some(Position::Found(128)),
                    "{at}"
                );
            }
        }
        // Blanks after the line belong to the header, if it ends where NumPy aligns the data.
        for (newline, length, expected) in [(127, 70, 128), (126, 118, 128), (126, 115, 127)] {
            let mut file = b"\x93NUMPY\x01\x00".to_vec();
            file.extend(u16::to_le_bytes(length));
            file.resize(152, b' ');
            file[newline] = b'\n';
            assert_eq!(
                found(&file, 152).map(|lost| lost.position),
                Some(Position::Found(expected)),
                "{newline}"
            );
        }
        assert_eq!(found(b"\x93NUMPY", 6), None);
    }

    /// Guards headers with one byte less or more: the size of the file, or the line itself, says where the data begins.
    #[test]
    fn a_byte_that_was_lost_or_added_moves_the_data() {
        let text = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }";
        let mut file = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
        file.extend(format!("{text:<117}\n").as_bytes());
        file.extend([1, 0, 32, 10, 5, 0, 32, 10, 0, 0, 0, 0]);
        for at in [8, 9, 10, 21, 22, 24, 30, 50, 100] {
            let shorter = [&file[..at], &file[at + 1..]].concat();
            let added = [&file[..at], b"x", &file[at..]].concat();
            for (damaged, expected) in [(shorter, 127), (added, 129)] {
                let lost = found(&damaged, damaged.len() as u64).unwrap();
                assert_eq!(lost.position, Position::Found(expected), "{at}");
                if ![21, 22, 24].contains(&at) {
                    let commands = lost.commands(Path::new("x.npy"));
                    assert!(commands.contains("--raw '<f4' --shape 3 -o"), "{at}: {commands}");
                }
            }
        }
        // Neither the line nor the length says where the data begins. The size does, unless bytes are missing.
        let mut unknown = file.clone();
        (unknown[8], unknown[127]) = (200, b'x');
        unknown[128..].fill(7);
        for (missing, expected) in [(0, Position::Found(128)), (4, Position::Unknown)] {
            let damaged = &unknown[..140 - missing];
            let lost = found(damaged, damaged.len() as u64).unwrap();
            assert_eq!(lost.position, expected, "{missing}");
        }
        // A byte was added before the line end, which the size confirms.
        let mut added = file.clone();
        added.insert(127, b'a');
        added[129..].fill(7);
        let lost = found(&added, added.len() as u64).unwrap();
        assert_eq!(lost.position, Position::Found(129));
        // Zeros in place of the length do not say that the data begins in the header.
        let mut zeros = added.clone();
        zeros[8..40].fill(0);
        zeros[127] = b' ';
        let lost = found(&zeros, zeros.len() as u64).unwrap();
        assert_eq!(lost.position, Position::Found(129));
        // A dimension was lost, and the text in the data has line ends.
        let mut shape = file.clone();
        shape.truncate(128);
        shape.extend(b"ab1\nab2\nab3\nab4\nab5\nab6\n");
        let at = shape.windows(4).position(|part| part == b"(3,)").unwrap();
        shape[at..at + 4].copy_from_slice(b"(,2)");
        let lost = found(&shape, shape.len() as u64).unwrap();
        assert_eq!(lost.position, Position::Found(128));
        // The data has a line end, and the header none.
        let mut zeros = file.clone();
        zeros[10..128].fill(0);
        let position = |bytes: &[u8]| found(bytes, 140).unwrap().position;
        assert_eq!(position(&zeros), Position::Found(128));
        zeros[..10].fill(0);
        zeros[128..].fill(7);
        assert_eq!(position(&zeros), Position::Unknown);
        let commands = found(&zeros, 140).unwrap().commands(Path::new("x.npy"));
        assert!(commands.starts_with("tail -c +129 x.npy > "), "{commands}");
        assert!(commands.contains("; the header does not say where it ends"), "{commands}");
    }
}
