//! An array whose header cannot be mended: the commands that give its data a new one, of what is left of the old one.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use npy_core::DType;

use crate::dtypes;
use crate::shell;

/// The place of a dtype that is not known.
const DTYPE: &str = "DTYPE";

/// Returns the commands that repair the data of a file without its header; `None` if the position of the data is not known.
pub(crate) fn commands(path: &Path) -> Option<String> {
    let size = path.metadata().ok()?.len();
    LostHeader::of(&read_start(path)?, size).map(|lost| lost.commands(path))
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
    /// The position of the data.
    offset: usize,
    dtype: Option<DType>,
    shape: Shape,
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
    /// Looks for the parts of a header. `None` if the position of the data is not known.
    fn of(start: &[u8], size: u64) -> Option<Self> {
        let offset = data_offset(start, size)?;
        let bytes = size.checked_sub(offset as u64).filter(|&bytes| bytes > 0)?;
        let header = String::from_utf8_lossy(start.get(..offset).unwrap_or(start));
        let fits = |dtype: &DType| {
            !dtype.has_object() && bytes.checked_rem(dtype.itemsize() as u64) == Some(0)
        };
        let dtype = find_dtype(&header).filter(fits);
        let shape = match &dtype {
            Some(dtype) => find_shape(&header, bytes / dtype.itemsize() as u64),
            None => Shape::Unknown,
        };
        Some(LostHeader { offset, dtype, shape })
    }

    fn commands(&self, path: &Path) -> String {
        let rest = shell::new_output(Path::new("rest.bin"));
        let (dtype, note) = match &self.dtype {
            Some(dtype) => (shell::word(dtype.to_string().as_bytes()), ""),
            None => (DTYPE.to_owned(), ", with its dtype in place of DTYPE"),
        };
        let (shape, order) = match &self.shape {
            Shape::Known(shape) => (&**shape, ""),
            Shape::Unknown => ("-1", ""),
            Shape::OfUnknownOrder => (
                "-1",
                ", with one dimension, because the header does not say that its order is C; if it is Fortran, reshape(SHAPE, order='F') of NumPy gives it the others",
            ),
        };
        format!(
            "tail -c +{} {} > {rest} && npy repair {rest} --raw {dtype} --shape {shape} -o OUT --yes{note}{order}",
            self.offset + 1,
            shell::path(path)
        )
    }
}

/// Returns the position of the data: after the line of the header, or where the length of the header says. NumPy aligns it, so that one that is aligned is likelier.
fn data_offset(start: &[u8], size: u64) -> Option<usize> {
    const ALIGNED: usize = 16;
    /// The position of the text in version 1.0.
    const TEXT: usize = 10;
    let line = || {
        let rest = start.get(TEXT..)?;
        let end = rest.iter().position(|&byte| byte == b'\n')?;
        matches!(rest[..end].last(), Some(b' ' | b'}')).then_some(TEXT + end + 1)
    };
    let stated = || match *start.get(6..12)? {
        [1, _, a, b, ..] => Some(TEXT + usize::from(u16::from_le_bytes([a, b]))),
        [2 | 3, _, a, b, c, d] => {
            usize::try_from(u32::from_le_bytes([a, b, c, d])).ok()?.checked_add(TEXT + 2)
        }
        _ => None,
    };
    let found: Vec<usize> =
        [line(), stated()].into_iter().flatten().filter(|&at| at as u64 <= size).collect();
    let aligned = found.iter().find(|at| at.is_multiple_of(ALIGNED));
    aligned.or(found.first()).copied()
}

/// Returns the value of `descr`, if it is complete.
fn find_dtype(header: &str) -> Option<DType> {
    let value = header.split_once("'descr':")?.1.trim_start();
    let text = match value.strip_prefix(['\'', '"']) {
        Some(text) => text.split(['\'', '"']).next()?,
        None => value.split_once(", 'fortran_order'")?.0,
    };
    dtypes::parse(text).ok()
}

/// Returns the dimensions of this many items: all of `shape`, or those after the first one.
fn find_shape(header: &str, items: u64) -> Shape {
    let Some(dims) = find_dims(header) else { return Shape::Unknown };
    // One damaged byte of True or of the key would otherwise swap the dimensions.
    if dims.len() > 1 && !header.contains("'fortran_order': False") {
        return Shape::OfUnknownOrder;
    }
    let count = |dims: &[u64]| dims.iter().try_fold(1u64, |count, &n| count.checked_mul(n));
    let row: String = dims[1..].iter().map(|dim| format!(",{dim}")).collect();
    if count(&dims) == Some(items) {
        return Shape::Known(format!("{}{row}", dims[0]));
    }
    match count(&dims[1..]).and_then(|row| items.checked_rem(row)) {
        Some(0) => Shape::Known(format!("-1{row}")),
        _ => Shape::Unknown,
    }
}

/// Returns the value of `shape`, if it is complete and not empty.
fn find_dims(header: &str) -> Option<Vec<u64>> {
    let dims = header.split_once("'shape':")?.1.trim_start().strip_prefix('(')?.split_once(')')?.0;
    let dims = dims.split(',').map(str::trim).filter(|dim| !dim.is_empty());
    let dims: Vec<u64> = dims.map(|dim| dim.parse().ok()).collect::<Option<_>>()?;
    (!dims.is_empty()).then_some(dims)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::LostHeader;

    #[test]
    fn the_commands_have_what_is_left_of_the_header() {
        let whole = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
        for (text, bytes, expected) in [
            (whole, 24, "--raw '<f4' --shape 2,3 -o"),
            (whole, 12, "--raw '<f4' --shape -1,3 -o"),
            (whole, 16, "--raw '<f4' --shape -1 -o"),
            (whole, 13, "--raw DTYPE --shape -1 -o OUT --yes, with its dtype in place"),
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
            let commands = LostHeader::of(&file, size).unwrap().commands(Path::new("x.npy"));
            assert!(commands.starts_with("tail -c +129 x.npy > "), "{commands}");
            assert!(commands.contains(expected), "{commands}");
            // The line or the length alone say where the data begins.
            for at in [8, 127] {
                let mut damaged = file.clone();
                damaged[at] = b'x';
                assert_eq!(
                    LostHeader::of(&damaged, size).map(|lost| lost.offset),
                    Some(128),
                    "{at}"
                );
            }
        }
        // Where the line and the length differ, that of the two is right which is aligned.
        for (newline, length, expected) in [(127, 70, 128), (126, 118, 128), (126, 115, 127)] {
            let mut file = b"\x93NUMPY\x01\x00".to_vec();
            file.extend(u16::to_le_bytes(length));
            file.resize(152, b' ');
            file[newline] = b'\n';
            assert_eq!(
                LostHeader::of(&file, 152).map(|lost| lost.offset),
                Some(expected),
                "{newline}"
            );
        }
        assert_eq!(LostHeader::of(b"\x93NUMPY", 6), None);
    }
}
