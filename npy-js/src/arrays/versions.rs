//! Headers in a version of the format that the program states, as `numpy.lib.format.write_array` writes them.

use crate::{Failure, Result};
use npy_core::header::MAGIC;
use npy_core::{Header, Order};

/// The data begin at a multiple of this.
const ALIGNMENT: usize = 64;
/// The digits that the growing dimension has space for.
const GROWTH_DIGITS: usize = 21;

/// Returns a header, whose bytes have NumPy's default version, in another version.
pub(crate) fn restate(bytes: &[u8], header: &Header, version: &str) -> Result<Vec<u8>> {
    let mut text = text_of(bytes).trim_end().to_owned();
    let grows = match header.order() {
        Order::C => header.shape().first(),
        Order::Fortran => header.shape().last(),
    };
    if let Some(length) = grows {
        let digits = length.to_string().len();
        text.push_str(&" ".repeat(GROWTH_DIGITS.saturating_sub(digits)));
    }
    let latin = || text.chars().map(|c| u8::try_from(c).ok()).collect::<Option<Vec<u8>>>();
    let needs_three = || {
        let reason = "a name in the header is not latin-1, which versions 1.0 and 2.0 have; use version [3, 0]";
        Failure::Version(reason.to_owned())
    };
    let (major, length_bytes, encoded) = match version {
        "1.0" => (1, 2, latin().ok_or_else(needs_three)?),
        "2.0" => (2, 4, latin().ok_or_else(needs_three)?),
        "3.0" => (3, 4, text.into_bytes()),
        _ => {
            let reason = format!("there is no version {version}; use [1, 0], [2, 0] or [3, 0]");
            return Err(Failure::Version(reason));
        }
    };
    let prefix = MAGIC.len().saturating_add(2).saturating_add(length_bytes);
    let unpadded = encoded.len().saturating_add(1);
    let over = prefix.saturating_add(unpadded).checked_rem(ALIGNMENT).unwrap_or(0);
    let padding = ALIGNMENT.saturating_sub(over);
    let length = unpadded.saturating_add(padding);
    let mut bytes = MAGIC.to_vec();
    bytes.extend([major, 0]);
    match length_bytes {
        2 => bytes.extend(u16::try_from(length).map_err(|_| too_long(length))?.to_le_bytes()),
        _ => bytes.extend(u32::try_from(length).map_err(|_| too_long(length))?.to_le_bytes()),
    }
    bytes.extend(encoded);
    bytes.extend(std::iter::repeat_n(b' ', padding));
    bytes.push(b'\n');
    Ok(bytes)
}

fn too_long(length: usize) -> Failure {
    Failure::Version(format!(
        "the header has {length} bytes, and version 1.0 has at most 65535; use version [2, 0]"
    ))
}

/// Returns the text of a header in the version that it states.
fn text_of(header: &[u8]) -> String {
    let major = header.get(MAGIC.len()).copied().unwrap_or(1);
    let start = MAGIC.len().saturating_add(if major == 1 { 4 } else { 6 });
    let text = header.get(start..).unwrap_or_default();
    match major {
        3 => String::from_utf8_lossy(text).into_owned(),
        _ => text.iter().copied().map(char::from).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::restate;
    use npy_core::{Header, Order};

    /// Guards that a header in its own version is the same, and that NumPy's reader finds it in every other.
    #[test]
    fn a_header_has_the_version_that_was_asked_for() {
        for (descr, shape, order) in [
            ("<f8", vec![3, 4], Order::C),
            ("<f8", vec![3, 12_345], Order::Fortran),
            ("[('ü', '<i4')]", vec![], Order::C),
            ("|u1", vec![0], Order::C),
        ] {
            let header = Header::new(descr.parse().unwrap(), shape, order).unwrap();
            let bytes = header.to_bytes().unwrap();
            assert_eq!(restate(&bytes, &header, "1.0").unwrap(), bytes);
            for version in ["2.0", "3.0"] {
                let other = restate(&bytes, &header, version).unwrap();
                let (parsed, offset) = Header::parse(&other).unwrap();
                assert_eq!((parsed.version().to_string().as_str(), offset % 64), (version, 0));
                assert_eq!(parsed, header);
            }
        }
        let wide = Header::new("[('时', '<i4')]".parse().unwrap(), [1], Order::C).unwrap();
        let bytes = wide.to_bytes().unwrap();
        assert_eq!(restate(&bytes, &wide, "3.0").unwrap(), bytes);
        assert!(restate(&bytes, &wide, "1.0").is_err());
        assert!(restate(&bytes, &wide, "4.0").is_err());
    }
}
