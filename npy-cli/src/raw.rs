//! The option `--raw DTYPE[,ROW]`: files without a header, which are data alone, as NumPy's `tofile` writes them.
//!
//! A subcommand that reads has `RawFiles` among its arguments, and calls `raw.mark(&mut target)` before it opens anything. A file that
//! begins as `.npy` or `.npz`, or is named as text, is read as that, so that `npy diff --raw '<i2' x.bin x.npy` compares both.

use std::str::FromStr;

use npy_core::{DType, Header, Order};

use crate::dtypes;
use crate::shell;
use crate::target::Target;

/// The option of subcommands that read.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct RawFiles {
    /// Reads files without a header as rows of this dtype and shape, such as '<i2', '<i2,384' or 'f4,480x640'
    ///
    /// DTYPE is as NumPy has it, and ROW the shape of a row: without one, each item is a row. The size of the file states the number of
    /// rows. Files that begin as .npy or .npz, or are named as text, are read as such.
    #[arg(long, value_name = "DTYPE[,ROW]")]
    raw: Option<Raw>,
}

/// The rows of a file without a header.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Raw {
    pub(crate) dtype: DType,
    /// The shape of a row.
    pub(crate) row: Vec<usize>,
}

impl RawFiles {
    /// Says how the file of a target is read if it has no header.
    pub(crate) fn mark(&self, target: &mut Target) {
        target.raw.clone_from(&self.raw);
    }

    /// Returns the option as in a command, if it is there.
    pub(crate) fn option(&self) -> Option<String> {
        self.raw.as_ref().map(Raw::option)
    }
}

impl Raw {
    /// Returns the option as in a command.
    pub(crate) fn option(&self) -> String {
        let Raw { dtype, row } = self;
        let row: Vec<String> = row.iter().map(usize::to_string).collect();
        let separator = if row.is_empty() { "" } else { "," };
        let text = format!("{dtype}{separator}{}", row.join("x"));
        format!("--raw {}", shell::word(text.as_bytes()))
    }

    /// Returns the bytes of a row; 0 if there are too many for a file.
    pub(crate) fn row_bytes(&self) -> u64 {
        let size = |bytes: usize, &n: &usize| bytes.checked_mul(n);
        self.row.iter().try_fold(self.dtype.itemsize(), size).unwrap_or(0) as u64
    }
}

impl FromStr for Raw {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // A dtype may have commas, and only what follows the last one is a shape: 384, 480x640.
        let is_shape = |part: &str| part.split('x').all(is_number);
        let (dtype, row) = match text.rsplit_once(',') {
            Some((dtype, row)) if is_shape(row.trim()) => (dtype, Some(row.trim())),
            _ => (text, None),
        };
        let row = row.into_iter().flat_map(|row| row.split('x'));
        let row: Result<Vec<usize>, _> = row.map(str::parse).collect();
        let row = row.map_err(|error| format!("the shape of a row: {error}"))?;
        let dtype = dtypes::parse(dtype).map_err(|error| match dtypes::meant(dtype) {
            Some(name) => format!("there is no such dtype; did you mean {name}?"),
            None => match with_x(text) {
                Some(raw) => format!("the dimensions of a row have x between them; write {raw}"),
                None => format!("{error}; write DTYPE or DTYPE,ROW, such as '<i2' or 'f4,480x640'"),
            },
        })?;
        // The dimensions of a sub-array are the last ones of a row.
        let (base, inner) = dtype.flat();
        let (dtype, row) = (base.clone(), [row, inner].concat());
        let header =
            Header::new(dtype.clone(), &row[..], Order::C).map_err(|error| error.to_string())?;
        if header.data_bytes() == 0 {
            return Err(
                "a row has no bytes, so the size of a file would not state their number".into()
            );
        }
        if dtype.has_object() {
            return Err(
                "Python objects are not in files without a header; name another dtype".into()
            );
        }
        Ok(Raw { dtype, row })
    }
}

/// Returns `u1,2x3` for `u1,2,3`.
fn with_x(text: &str) -> Option<String> {
    let (dtype, row) = text.split_once(',')?;
    let is_row = dtypes::parse(dtype).is_ok() && row.split(',').all(is_number);
    is_row.then(|| format!("{dtype},{}", row.replace(',', "x")))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::Raw;

    #[test]
    fn a_dtype_may_be_followed_by_the_shape_of_a_row() {
        for (text, dtype, row) in [
            ("<i2", "<i2", &[][..]),
            ("f4,3", "<f4", &[3]),
            ("<u2, 3", "<u2", &[3]),
            ("uint16,480x640", "<u2", &[480, 640]),
            ("[('a', '<f4'), ('b', '|u1', 3)]", "[('a', '<f4'), ('b', '|u1', (3,))]", &[]),
            ("[('a', '<f4'), ('b', '|u1')],2", "[('a', '<f4'), ('b', '|u1')]", &[2]),
            ("[('a','>u4'),('b','3f4')]", "[('a', '>u4'), ('b', '<f4', (3,))]", &[]),
            (">u4,3f4", "[('f0', '>u4'), ('f1', '<f4', (3,))]", &[]),
            ("(2,3)f4,4", "<f4", &[4, 2, 3]),
        ] {
            let raw: Raw = text.parse().unwrap();
            assert_eq!((raw.dtype.to_string().as_str(), &raw.row[..]), (dtype, row), "{text}");
        }
        for text in [
            "",
            "<i2,",
            "<i2,x",
            "<i2,3x",
            "<i2,-1",
            "<i2,0",
            "O",
            "V0",
            "<i2,99999999999999999999",
        ] {
            assert!(text.parse::<Raw>().is_err(), "{text}");
        }
        assert!("u1,2,3".parse::<Raw>().unwrap_err().ends_with("; write u1,2x3"));
        assert!("int33,3".parse::<Raw>().unwrap_err().ends_with("did you mean int32?"));
    }
}
