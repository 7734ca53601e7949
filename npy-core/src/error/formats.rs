//! Recognizes, by their first bytes, files of other formats that users mistake for `.npy` or
//! `.npz`.

/// The number of bytes at the start of a file that are enough to recognize its format.
pub(crate) const START: usize = 16;

/// The bytes that files of a format start with, and the advice for a program that expected an array. The formats are tried in this order.
const FORMATS: [(&[u8], &str); 31] = [
    (b"\x93NUMPY", "it is a .npy file: read it with npy_core::load or ReadNpy::read_npy"),
    (b"PK\x03\x04", "it is a .npz archive (or another zip): read it with npz::load or npz::Reader"),
    (b"PK\x05\x06", "it is an empty .npz archive (or another zip): read it with npz::Reader"),
    (b"version https://", "it looks like a Git LFS pointer: fetch the data with `git lfs pull`"),
    (b"<!", WEB_PAGE),
    (b"<h", WEB_PAGE),
    (b"<H", WEB_PAGE),
    (b"<?xml", "it is XML: the download may have failed, so look at its text"),
    (b"\xc2\x93NUMPY", RECODED),
    (b"\xef\xbf\xbdNUMPY", RECODED),
    (b"?NUMPY", RECODED),
    (b"\x1f\x8b", "it is compressed with gzip: decompress it first"),
    (b"\x28\xb5\x2f\xfd", "it is compressed with zstd: decompress it first"),
    (b"\xfd7zXZ\0", "it is compressed with xz: decompress it first"),
    (b"BZh", "it is compressed with bzip2: decompress it first"),
    (b"\x78\x01", ZLIB),
    (b"\x78\x5e", ZLIB),
    (b"\x78\x9c", ZLIB),
    (b"\x78\xda", ZLIB),
    (b"\x80\x02", PICKLE),
    (b"\x80\x03", PICKLE),
    (b"\x80\x04", PICKLE),
    (b"\x80\x05", PICKLE),
    (b"\x89HDF", "it is HDF5: open it with an HDF5 reader"),
    (b"\x89PNG", "it is a PNG picture: decode it with a PNG reader"),
    (b"CDF", "it is NetCDF: open it with a NetCDF reader"),
    (b"PAR1", "it is Parquet: open it with a Parquet reader"),
    (b"ARROW1", "it is an Arrow file: open it with an Arrow reader"),
    (b"MATLAB", "it is a MATLAB file: open it with scipy.io.loadmat and save it with np.save"),
    (b"SIMPLE", "it is FITS: open it with a FITS reader"),
    (b"%PDF", "it is a PDF"),
];

const WEB_PAGE: &str =
    "it is a web page, such as an error or a login page: download the file again";
const RECODED: &str = "it was copied as text, which changed its bytes: copy the original as binary";
const ZLIB: &str = "it is compressed with zlib: decompress it first";
const PICKLE: &str = "it is a Python pickle, which is code and is not run here: load it in Python and save it with np.save, or a masked array x with np.savez(OUT, data=x.data, mask=x.mask)";

/// Returns the format of a file that starts with these bytes, and what to do with it, as text to
/// append to a message. The text begins with `; `, and is empty if the format is unknown.
pub(crate) fn hint(start: &[u8]) -> String {
    advice(start).map_or_else(String::new, |advice| format!("; {advice}"))
}

fn advice(start: &[u8]) -> Option<&'static str> {
    if start.is_empty() {
        return Some(
            "it is empty: the program that wrote it may not have finished; delete it or write it again",
        );
    }
    if let Some((_, advice)) = FORMATS.iter().find(|(bytes, _)| start.starts_with(bytes)) {
        return Some(advice);
    }
    if is_safetensors(start) {
        return Some("it is a safetensors file: open it with a safetensors reader");
    }
    if start.iter().all(|&byte| byte == 0) {
        return Some("it starts with zeros: the program that wrote it may have been stopped");
    }
    if start.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace()) {
        return Some(
            "it looks like text: load it with np.loadtxt or np.genfromtxt and save it with np.save, or np.savez for a .npz",
        );
    }
    None
}

/// Returns true if a file starts like a safetensors file: with the length of a JSON header, and then a `{`.
fn is_safetensors(start: &[u8]) -> bool {
    const LARGEST_HEADER: u64 = 100_000_000;
    let Some((length, text)) = start.split_first_chunk() else { return false };
    u64::from_le_bytes(*length) <= LARGEST_HEADER && text.starts_with(b"{")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Guards the advice for files that users often mistake for an array.
    #[test]
    fn foreign_formats_are_named() {
        let cases: [(&[u8], &str); 12] = [
            (b"", "empty"),
            (b"<!DOCTYPE html>\n<h", "web page"),
            (b"<html><head>", "web page"),
            (b"version https://", "Git LFS"),
            (b"\x89HDF\r\n\x1a\n", "HDF5"),
            (b"\x89PNG\r\n\x1a\n", "PNG"),
            (b"\x40\0\0\0\0\0\0\0{\"a\":", "safetensors"),
            (b"\x78\x9c\x01\x02", "zlib"),
            (b"\xef\xbf\xbdNUMPY\x01\0", "as text"),
            (b"1.0, 2.0, 3.0\n4.0", "np.savez for a .npz"),
            (b"PK\x03\x04\x14\0", "npz::load"),
            (&[0; 16], "zeros"),
        ];
        for (start, named) in cases {
            let hint = hint(start);
            assert!(hint.starts_with("; it ") && hint.contains(named), "{start:?}: {hint}");
        }
        assert_eq!(hint(b"\xfe\xed\xfa\xce"), "");
    }
}
