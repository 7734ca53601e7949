//! The header of a `.npy` file: dtype, shape and order, known without reading the data.
//!
//! NEP 1 and NumPy's `lib/_format_impl.py` specify the format. `read/header.rs` reads headers from files and streams.

mod cache;
mod data_size;
mod dict;
pub(crate) mod growth;

use std::borrow::Cow;
use std::fmt;
use std::str::Utf8Error;

use crate::checked;
use crate::dtype::DType;
use crate::dtype::{descr, reads_back};
use crate::error::formats;
use crate::error::{Error, ErrorKind, byte_count};
use crate::limits::{self, Limits};
use crate::literal::Dialect;
use crate::shape::{self, Order};
pub(crate) use data_size::DataSize;

/// The first six bytes of every `.npy` file.
pub const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// The version of the format. It determines the encoding of the header's text, and the width of the
/// field for the length of that text.
///
/// ```
/// use npy_core::Version;
///
/// let mut start: &[u8] = b"\x93NUMPY\x01\x00";
/// assert_eq!(Version::read_from(&mut start)?, Version::V1);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// 1.0: up to 65,535 bytes of latin-1.
    V1 = 1,
    /// 2.0: up to 4 GiB of latin-1. NumPy writes it for records with very many fields.
    V2 = 2,
    /// 3.0: up to 4 GiB of UTF-8. NumPy writes it for names that latin-1 cannot encode.
    V3 = 3,
}

impl Version {
    /// The size of magic and version in bytes.
    pub(crate) const BYTES: usize = 8;

    /// Returns the size in bytes of the length field, which comes after magic and version.
    pub(crate) fn length_bytes(self) -> usize {
        if self == Version::V1 { 2 } else { 4 }
    }

    /// Returns the offset of the header's text.
    pub(crate) fn text_offset(self) -> usize {
        checked::add(Version::BYTES, self.length_bytes())
    }

    /// Parses the first bytes of a file.
    pub(crate) fn parse(start: [u8; Version::BYTES]) -> Result<Version, Error> {
        let [magic @ .., major, minor] = start;
        if &magic != MAGIC {
            return Err(not_npy(&start));
        }
        match (major, minor) {
            (1, 0) => Ok(Version::V1),
            (2, 0) => Ok(Version::V2),
            (3, 0) => Ok(Version::V3),
            _ => Err(ErrorKind::Version { major, minor }.into()),
        }
    }

    /// Returns the version of Python whose literals the text may contain.
    fn dialect(self) -> Dialect {
        if self == Version::V3 { Dialect::Python3 } else { Dialect::Python2 }
    }

    /// Returns the size in the file, in bytes, of a part of the text.
    fn bytes_of(self, decoded: &str) -> usize {
        if self == Version::V3 { decoded.len() } else { decoded.chars().count() }
    }
}

/// Prints the number of the version: `1.0`.
impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}.0", *self as u8))
    }
}

/// Returns the error for a file that starts with these bytes and is not a `.npy` file.
pub(crate) fn not_npy(start: &[u8]) -> Error {
    let shown = start.get(..Version::BYTES).unwrap_or(start);
    let hint = formats::hint(start);
    ErrorKind::NotNpy { found: format!("\"{}\"", shown.escape_ascii()), hint }.into()
}

/// The header of a `.npy` file: dtype, shape and order.
///
/// ```
/// use npy_core::{Header, Order};
///
/// let header = Header::new("<f8".parse()?, [3, 4], Order::C)?;
/// let bytes = header.to_bytes()?;
/// assert_eq!(bytes.len(), 128);
///
/// let (parsed, data_offset) = Header::parse(&bytes)?;
/// assert_eq!(data_offset, 128);
/// assert_eq!(parsed.shape(), [3, 4]);
///
/// // Headers are equal if they describe the same array; the version is not compared.
/// assert_eq!(parsed, header);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Header {
    dtype: DType,
    shape: Vec<usize>,
    order: Order,
    payload: Payload,
    // The product of the shape, computed once.
    count: u64,
    // `None` for a new header, which is written in the oldest version that fits.
    version: Option<Version>,
}

/// Prints the dtype, the shape and the order: `<f8, shape (2, 3), C order`.
///
/// ```
/// use npy_core::{Header, Order};
///
/// let header = Header::new("[('x', '<f4'), ('y', '<f4')]".parse()?, [5], Order::C)?;
/// assert_eq!(header.to_string(), "[('x', '<f4'), ('y', '<f4')], shape (5,), C order");
/// # Ok::<(), npy_core::Error>(())
/// ```
impl fmt::Display for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (shape, order) = (shape::repr(&self.shape), self.order);
        write!(f, "{}, shape {shape}, {order:?} order", self.dtype)
    }
}

/// The form in which a file stores the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Payload {
    /// One element after the other.
    Items,
    /// A pickle of the array, because its dtype is or contains a Python object.
    Pickle,
}

impl Header {
    /// Creates the header of an array.
    ///
    /// ```
    /// use npy_core::{Header, Order};
    ///
    /// let header = Header::new("<f8".parse()?, [2, 3], Order::C)?;
    /// assert_eq!(header.data_bytes(), 48);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Shape`] for more than 64 dimensions or more bytes than an `i64` can count. [`ErrorKind::DType`] for a sub-array, whose
    /// dimensions belong in the shape, and for a dtype that could not be read back within the default [`Limits`]: nested too deep, with too
    /// many fields, with a field that would be read as padding, or with a sub-array of more than 64 dimensions.
    pub fn new(dtype: DType, shape: impl Into<Vec<usize>>, order: Order) -> Result<Self, Error> {
        reads_back::check(&dtype)?;
        Header::parsed(dtype, shape.into(), order)
    }

    /// Creates a header without checking that its dtype can be read back. For a header from a file, the parser has checked it.
    fn parsed(dtype: DType, shape: Vec<usize>, order: Order) -> Result<Self, Error> {
        if dtype.sub_array().is_some() {
            let reason =
                "the dtype of an array cannot be a sub-array; append its dimensions to the shape";
            return Err(dtype.refused(reason));
        }
        shape::bytes_in_file(&shape, dtype.itemsize())?;
        let count = shape::bytes_in_file(&shape, 1)?;
        let payload = if dtype.has_object() { Payload::Pickle } else { Payload::Items };
        Ok(Header { dtype, shape, order, payload, count, version: None })
    }

    /// Returns the header of an array with the same elements, but with another shape and order.
    pub(crate) fn with_shape(&self, shape: Vec<usize>, order: Order) -> Result<Self, Error> {
        let version = self.version;
        Ok(Header { version, ..Header::parsed(self.dtype.clone(), shape, order)? })
    }

    /// Returns the dtype of an element.
    ///
    /// ```
    /// use npy_core::{Header, Order};
    ///
    /// let header = Header::new("<f8".parse()?, [2, 3], Order::C)?;
    /// assert_eq!(header.dtype().to_string(), "<f8");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn dtype(&self) -> &DType {
        &self.dtype
    }

    /// Returns the dimensions; none for a single element.
    ///
    /// ```
    /// use npy_core::{Header, Order};
    ///
    /// let header = Header::new("<f8".parse()?, [2, 3], Order::C)?;
    /// assert_eq!(header.shape(), [2, 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the dimensions, if there are `N` of them: `let [rows, columns] = header.dims()?;`.
    ///
    /// ```
    /// use npy_core::{Header, Order};
    ///
    /// let header = Header::new("<f8".parse()?, [2, 3], Order::C)?;
    /// let [rows, columns] = header.dims()?;
    /// assert_eq!((rows, columns), (2, 3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Rank`] for another number of dimensions.
    pub fn dims<const N: usize>(&self) -> Result<[usize; N], Error> {
        shape::dims(self.shape())
    }

    /// Returns the order of the elements, as stated in the header.
    ///
    /// ```
    /// use npy_core::{Header, Order};
    ///
    /// let header = Header::new("<f8".parse()?, [2, 3], Order::C)?;
    /// assert_eq!(header.order(), Order::C);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn order(&self) -> Order {
        self.order
    }

    /// Returns the version of the file. For a new header, this is the version that will be written.
    ///
    /// ```
    /// use npy_core::{Header, Order, Version};
    ///
    /// let header = Header::new("<f8".parse()?, [2, 3], Order::C)?;
    /// assert_eq!(header.version(), Version::V1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn version(&self) -> Version {
        let written = || Version::parse(*self.encode().ok()?.first_chunk()?).ok();
        self.version.or_else(written).unwrap_or(Version::V3)
    }

    /// Returns the number of elements; on a 32-bit target, at most `usize::MAX`, even if there are
    /// more.
    ///
    /// ```
    /// use npy_core::{Header, Order};
    ///
    /// assert_eq!(Header::new("<f8".parse()?, [3, 4], Order::C)?.count(), 12);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn count(&self) -> usize {
        usize::try_from(self.count).unwrap_or(usize::MAX)
    }

    /// Returns the exact number of elements, which has 64 bits on every target.
    pub(crate) fn elements(&self) -> u64 {
        self.count
    }

    /// Returns the size of the data in bytes, which has 64 bits on every target. For Python
    /// objects, this is not the size of their pickle.
    ///
    /// ```
    /// use npy_core::{Header, Order};
    ///
    /// assert_eq!(Header::new("<f8".parse()?, [3, 4], Order::C)?.data_bytes(), 96);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn data_bytes(&self) -> u64 {
        // `Header::parsed` has checked that this does not overflow.
        self.count.saturating_mul(limits::to_u64(self.dtype.itemsize()))
    }

    /// Returns the error for data that ends after `found` bytes.
    pub(crate) fn truncated(&self, found: u64) -> Error {
        DataSize::of(self).truncated(found)
    }

    /// Returns the form of the data.
    pub(crate) fn payload(&self) -> Payload {
        self.payload
    }

    /// Refuses Python objects, which are stored as a pickle.
    pub(crate) fn without_objects(&self) -> Result<(), Error> {
        if self.payload == Payload::Items {
            return Ok(());
        }
        let quoted = |path: &String| format!("\"{}\"", descr::excerpt(path));
        let fields: Vec<String> = self.dtype.object_fields().iter().map(quoted).collect();
        let (what, needs) = if fields.is_empty() {
            (
                format!("an array of Python objects ({})", self.dtype.excerpt()),
                "another type: Vec<Option<String>>, Vec<f64> or the like if all objects are of that kind, npy_core::Objects for any, or npy_core::object::load (feature `serde`) for structs",
            )
        } else {
            let named = if fields.len() == 1 { "the field" } else { "the fields" };
            (
                format!("a record with Python objects in {named} {}", fields.join(", ")),
                "another type: a Vec of a struct with the fields that you need, npy_core::Objects for all, or npy_core::object::load (feature `serde`)",
            )
        };
        Err(ErrorKind::Unsupported { what, needs }.into())
    }

    /// Refuses Python objects, and data of `bytes` bytes if the array needs another number.
    pub(crate) fn check_data(&self, bytes: u64) -> Result<(), Error> {
        self.without_objects()?;
        if self.data_bytes() == bytes {
            return Ok(());
        }
        let expected = byte_count(self.data_bytes());
        Err(shape::invalid(&self.shape, format!("expected {expected} of data, found {bytes}")))
    }

    /// Returns the error for the type `wanted_by`, which expects another shape.
    pub(crate) fn rank(&self, wanted_by: &str, wanted: &str, remedy: impl Into<String>) -> Error {
        let shape = shape::excerpt(&self.shape);
        let (wanted_by, wanted, remedy) = (wanted_by.to_owned(), wanted.to_owned(), remedy.into());
        ErrorKind::Rank { shape, wanted_by, wanted, remedy }.into()
    }

    /// Parses the header at the start of `bytes`. Returns it and the offset of the data.
    ///
    /// ```
    /// use npy_core::{Header, Order};
    ///
    /// let header = Header::new("<f8".parse()?, [2, 3], Order::C)?;
    /// let bytes = header.to_bytes()?;
    /// let (parsed, offset) = Header::parse(&bytes)?;
    /// assert_eq!((parsed.shape(), offset), (&[2, 3][..], 128));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotNpy`] or [`ErrorKind::Version`] if it is not a `.npy` file,
    /// [`ErrorKind::Truncated`] if `bytes` ends within the header, [`ErrorKind::Header`],
    /// [`ErrorKind::DType`] or [`ErrorKind::Shape`] if the header is invalid, and
    /// [`ErrorKind::Limit`] if it exceeds the default [`Limits`]; [`parse_with`](Self::parse_with)
    /// accepts other limits.
    pub fn parse(bytes: &[u8]) -> Result<(Header, usize), Error> {
        Header::parse_with(bytes, &Limits::default())
    }

    /// Like [`parse`](Self::parse), with other limits.
    ///
    /// ```
    /// use npy_core::{ErrorKind, Header, Limits, Order};
    ///
    /// let bytes = Header::new("<f8".parse()?, [3, 4], Order::C)?.to_bytes()?;
    /// let mut limits = Limits::default();
    /// limits.header_bytes = 64;
    /// let error = Header::parse_with(&bytes, &limits).unwrap_err();
    /// assert!(matches!(error.kind(), ErrorKind::Limit { .. }));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse).
    pub fn parse_with(bytes: &[u8], limits: &Limits) -> Result<(Header, usize), Error> {
        let Some((start, rest)) = bytes.split_first_chunk() else {
            return Err(short_start(bytes));
        };
        let version = Version::parse(*start)?;
        let Some((length, rest)) = rest.split_at_checked(version.length_bytes()) else {
            return Err(short_header(version.length_bytes(), rest.len()));
        };
        let length = limits.check_header(text_length(length))?;
        let text = rest.get(..length).ok_or_else(|| short_header(length, rest.len()))?;
        let header = Header::parse_text(version, text, limits)?;
        check_line_break(text.last(), || rest.get(length).copied())?;
        Ok((header, checked::add(version.text_offset(), length)))
    }

    /// Returns the number of bytes of the header that starts with these bytes, which is also the offset of the data; `None` as long as there
    /// are too few bytes to tell. Twelve bytes are always enough.
    ///
    /// A program that receives a file in parts collects this number of bytes, and then calls [`parse`](Self::parse). If the bytes are not a
    /// header, or the header exceeds the default [`Limits`], this number of bytes is enough for [`parse`](Self::parse) to return that
    /// error. So no program waits for the 4 GiB that a header may claim.
    ///
    /// ```
    /// use npy_core::{Header, Order};
    ///
    /// let bytes = Header::new("<f8".parse()?, [3, 4], Order::C)?.to_bytes()?;
    /// assert_eq!(Header::needed(&bytes[..9]), None);
    /// assert_eq!(Header::needed(&bytes[..10]), Some(128));
    /// assert_eq!(Header::needed(b"PK"), Some(2));
    /// assert!(Header::parse(b"PK").is_err());
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn needed(bytes: &[u8]) -> Option<usize> {
        Header::needed_with(bytes, &Limits::default())
    }

    /// Returns the number of bytes of the header like [`needed`](Self::needed), for [`parse_with`](Self::parse_with) with the same limits.
    ///
    /// ```
    /// use npy_core::{Header, Limits};
    ///
    /// let mut limits = Limits::default();
    /// limits.header_bytes = 100;
    /// // A header of 118 bytes exceeds this limit.
    /// assert_eq!(Header::needed_with(b"\x93NUMPY\x01\x00v\x00", &limits), Some(10));
    /// assert_eq!(Header::needed(b"\x93NUMPY\x01\x00v\x00"), Some(128));
    /// ```
    pub fn needed_with(bytes: &[u8], limits: &Limits) -> Option<usize> {
        let Some((start, rest)) = bytes.split_first_chunk() else {
            let is_start = bytes.is_empty() || bytes.starts_with(MAGIC) || MAGIC.starts_with(bytes);
            return if is_start { None } else { Some(bytes.len()) };
        };
        let Ok(version) = Version::parse(*start) else { return Some(Version::BYTES) };
        let length = text_length(rest.get(..version.length_bytes())?);
        let length = limits.check_header(length).unwrap_or(0);
        Some(checked::add(version.text_offset(), length))
    }

    /// Parses the text of a header: the part after the length field.
    pub(crate) fn parse_text(
        version: Version,
        text: &[u8],
        limits: &Limits,
    ) -> Result<Header, Error> {
        if let Some(header) = cache::lookup(version, text, limits) {
            return Ok(header);
        }
        let header = dict::parse(version, text, limits)?;
        cache::store(version, text, limits, &header);
        Ok(header)
    }

    /// Returns the header as `np.save` writes it: in the oldest version that fits, padded to a
    /// multiple of 64 bytes. It contains blanks, so that the first dimension (in Fortran order, the
    /// last) can get more digits later.
    ///
    /// ```
    /// use npy_core::{Header, Order};
    ///
    /// let header = Header::new("<f8".parse()?, [2, 3], Order::C)?;
    /// let bytes = header.to_bytes()?;
    /// assert!(bytes.starts_with(b"\x93NUMPY"));
    /// assert_eq!(bytes.len(), 128);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Header`] if it is longer than the 1 MiB that a reader accepts by default ([`Limits::header_bytes`]);
    /// [`ErrorKind::DType`] for a sub-array of elements without bytes, which NumPy cannot load.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        self.to_bytes_in(None)
    }

    fn encode(&self) -> Result<Vec<u8>, Error> {
        let text = self.text();
        if text.chars().any(|c| c > '\u{ff}') {
            return encode(&text, Version::V3);
        }
        encode(&text, Version::V1).or_else(|_| encode(&text, Version::V2))
    }

    /// Returns the header in this version, or the reason why that is impossible; in the oldest that fits if none is stated.
    pub(crate) fn to_bytes_in(&self, version: Option<Version>) -> Result<Vec<u8>, Error> {
        reads_back::check_loads(&self.dtype)?;
        version.map_or_else(|| self.encode(), |version| encode(&self.text(), version))
    }

    /// Returns the Python dictionary. Blanks follow it, so that the length of the growing dimension
    /// can get more digits later.
    fn text(&self) -> String {
        // As in NumPy.
        const GROWTH_DIGITS: usize = 21;
        let order = self.order.normalized(&self.shape);
        let fortran = if order == Order::Fortran { "True" } else { "False" };
        let mut text = format!(
            "{{'descr': {}, 'fortran_order': {fortran}, 'shape': {}, }}",
            self.dtype.descr(),
            shape::repr(&self.shape)
        );
        let grows = if order == Order::Fortran { self.shape.last() } else { self.shape.first() };
        if let Some(n) = grows {
            let digits = n.to_string().len();
            text.extend(std::iter::repeat_n(' ', checked::sub(GROWTH_DIGITS, digits)));
        }
        text
    }
}

impl PartialEq for Header {
    fn eq(&self, other: &Self) -> bool {
        let order = |header: &Header| header.order.normalized(&header.shape);
        self.dtype == other.dtype && self.shape == other.shape && order(self) == order(other)
    }
}

impl Eq for Header {}

/// Refuses a file that was copied as text: such a copy replaces each `\n` by `\r\n`, which moves
/// the data. `last` is the last byte of the header, `next` returns the first byte of the data.
pub(crate) fn check_line_break(
    last: Option<&u8>,
    next: impl FnOnce() -> Option<u8>,
) -> Result<(), Error> {
    if last != Some(&b'\r') || next() != Some(b'\n') {
        return Ok(());
    }
    let reason = "it ends with \"\\r\\n\": the file was copied as text, which changed its data; copy the original as binary";
    Err(ErrorKind::Header { reason: reason.into() }.into())
}

/// Returns the bytes of a header: magic, version, length, text and padding.
fn encode(text: &str, version: Version) -> Result<Vec<u8>, Error> {
    const ALIGNMENT: usize = 64;
    let error = |reason: &str| Error::from(ErrorKind::Header { reason: reason.into() });
    let text = match version {
        Version::V3 => text.as_bytes().to_vec(),
        _ => text.chars().map(u8::try_from).collect::<Result<_, _>>().map_err(|_| {
            error("a name in the dtype cannot be encoded in latin-1; use Version::V3, which has UTF-8")
        })?,
    };
    let start = version.text_offset();
    let unpadded = checked::add(checked::add(start, text.len()), 1);
    // NumPy, too, adds 1 to 64 blanks, never 0.
    let padding = checked::sub(ALIGNMENT, unpadded % ALIGNMENT);
    let total = checked::add(unpadded, padding);
    let length = checked::sub(total, start);
    let max = Limits::default().header_bytes;
    if limits::to_u64(length) > max {
        return Err(error(&format!(
            "it has {length} bytes, but a reader accepts at most {max}; use fewer fields or shorter names"
        )));
    }
    let mut bytes = Vec::with_capacity(total);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&[version as u8, 0]);
    if version == Version::V1 {
        let length = u16::try_from(length).map_err(|_| {
            error("it is longer than 65535 bytes, the most that version 1.0 has; use Version::V2")
        })?;
        bytes.extend_from_slice(&length.to_le_bytes());
    } else {
        let length = u32::try_from(length).map_err(|_| error("it is longer than 4 GiB"))?;
        bytes.extend_from_slice(&length.to_le_bytes());
    }
    bytes.extend_from_slice(&text);
    bytes.resize(checked::sub(total, 1), b' ');
    bytes.push(b'\n');
    Ok(bytes)
}

/// Decodes the text, which is UTF-8 in version 3.0, and latin-1 in older versions.
fn decode(version: Version, text: &[u8]) -> Result<Cow<'_, str>, Utf8Error> {
    if version == Version::V3 || text.is_ascii() {
        return std::str::from_utf8(text).map(Cow::Borrowed);
    }
    Ok(Cow::Owned(text.iter().copied().map(char::from).collect()))
}

/// Decodes the length field, which has 2 or 4 little-endian bytes.
pub(crate) fn text_length(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |n, &byte| (n << 8) | u64::from(byte))
}

/// Returns the error for a stream that ends where an array could begin. It may have had others, so it is not damaged.
pub(crate) fn end_of_stream() -> Error {
    let hint = "it has no bytes, as a stream has none after its last array; a loop over its arrays ends when BufRead::fill_buf returns no bytes";
    ErrorKind::NotNpy { found: String::new(), hint: hint.into() }.into()
}

/// Returns the error for a file that ends within the header.
pub(crate) fn short_header(expected: usize, found: usize) -> Error {
    let (expected, found) = (limits::to_u64(expected), limits::to_u64(found));
    Error::truncated("header", expected, found)
}

/// Returns the error for a file that is shorter than magic and version.
pub(crate) fn short_start(start: &[u8]) -> Error {
    let magic = MAGIC.get(..start.len()).unwrap_or(MAGIC);
    let is_npy = !start.is_empty() && start.starts_with(magic);
    if is_npy { short_header(Version::BYTES, start.len()) } else { not_npy(start) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Place;

    fn file(version: u8, text: &[u8]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([version, 0]);
        if version == 1 {
            bytes.extend(u16::try_from(text.len()).unwrap().to_le_bytes());
        } else {
            bytes.extend(u32::try_from(text.len()).unwrap().to_le_bytes());
        }
        bytes.extend(text);
        bytes
    }

    fn error(text: &str) -> Error {
        Header::parse(&file(1, text.as_bytes())).unwrap_err()
    }

    fn written(descr: &str, shape: &[usize]) -> Vec<u8> {
        Header::new(descr.parse().unwrap(), shape, Order::C).unwrap().to_bytes().unwrap()
    }

    #[test]
    fn a_header_is_what_np_save_writes() {
        let bytes = written("<i4", &[7]);
        assert_eq!(bytes.len(), 128);
        assert_eq!(&bytes[..10], b"\x93NUMPY\x01\x00\x76\x00");
        let text = "{'descr': '<i4', 'fortran_order': False, 'shape': (7,), }";
        assert_eq!(&bytes[10..10 + text.len()], text.as_bytes());
        assert_eq!(bytes.last(), Some(&b'\n'));
    }

    #[test]
    fn padding_is_never_empty() {
        // In NumPy, a name of 31 letters makes a header of 128 bytes; a name of 32 makes 192.
        for (letters, bytes) in [(31, 128), (32, 192)] {
            let descr = format!("[('{}', '<f4')]", "n".repeat(letters));
            assert_eq!(written(&descr, &[2]).len(), bytes, "{letters}");
        }
    }

    #[test]
    fn the_oldest_version_that_fits_is_written() {
        let version = |descr: &str| written(descr, &[])[6];
        assert_eq!(version("[('é', '<f4')]"), 1);
        assert_eq!(version("[('整', '<f4')]"), 3);
        assert_eq!(version("[('\\u200b', '<f4')]"), 1);
        let long = format!("[('{}', '<f4')]", "n".repeat(65_500));
        assert_eq!(version(&long), 2);
        let header = Header::new(long.parse().unwrap(), [], Order::C).unwrap();
        assert_eq!(header.version(), Version::V2);
        assert!(header.to_bytes_in(Some(Version::V1)).is_err());
        let cjk = Header::new("[('整', '<f4')]".parse().unwrap(), [], Order::C).unwrap();
        assert!(cjk.to_bytes_in(Some(Version::V2)).is_err());
        assert_eq!(cjk.version(), Version::V3);
    }

    #[test]
    fn headers_of_the_same_array_are_equal() {
        let of =
            |order, shape: &[usize]| Header::new("<i4".parse().unwrap(), shape, order).unwrap();
        let parse = |bytes: Vec<u8>| Header::parse(&bytes).unwrap().0;
        let new = of(Order::C, &[2, 3]);
        assert_eq!(parse(new.to_bytes().unwrap()), new);
        assert_eq!(parse(new.to_bytes_in(Some(Version::V3)).unwrap()), new);
        assert_ne!(of(Order::Fortran, &[2, 3]), new);
        assert_eq!(of(Order::Fortran, &[6]), of(Order::C, &[6]));
    }

    #[test]
    fn the_cached_header_does_not_change_the_result() {
        let text =
            "{'descr': [('\u{e9}', '<f4'), ('b', '<f4')], 'fortran_order': False, 'shape': (2,), }";
        let name = |version| {
            let header = Header::parse(&file(version, text.as_bytes())).unwrap().0;
            header.dtype().fields()[0].name().to_owned()
        };
        assert_eq!([name(3), name(3), name(2), name(3)], ["é", "é", "Ã©", "é"]);
        // A text with the same dtype but another shape is parsed, not found in the cache.
        let other = text.replace("2,", "3, 4");
        assert_eq!(Header::parse(&file(3, other.as_bytes())).unwrap().0.shape(), [3, 4]);
        let wrong = text.replace("(2,)", "(2, 'descr')");
        let error = Header::parse(&file(3, wrong.as_bytes())).unwrap_err();
        let byte = 12 + text.find("2,").unwrap() + 3;
        assert_eq!(error.places().next(), Some(&Place::HeaderByte(byte)), "{error}");
        let twice = text.replace("(2,)", "(2,), 'descr': '<f4'");
        let error = Header::parse(&file(3, twice.as_bytes())).unwrap_err();
        assert!(error.to_string().contains("the key 'descr' is there twice"), "{error}");
        let limits = Limits { fields: 1, ..Limits::default() };
        let error = Header::parse_text(Version::V3, text.as_bytes(), &limits).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Limit { name: "fields", .. }), "{error}");
    }

    #[test]
    fn an_error_names_the_byte() {
        for (text, byte, part) in [
            ("{'descr': '<f3', 'fortran_order': False, 'shape': ()}", 20, "a float has"),
            ("{'descr': '<f4', 'fortran_order': 0, 'shape': ()}", 44, "True or False"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", 61, "a dimension must be"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': [1]}", 60, "must be a tuple"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (), 'x': 1}", 64, "unknown key"),
            ("{'descr': '<f4', 'fortran_order': False}", 10, "no key 'shape'"),
            ("{'descr': '<f4', 'descr': '<f4'}", 27, "twice"),
            ("[1]", 10, "a list"),
        ] {
            let error = error(text);
            assert_eq!(error.places().next(), Some(&Place::HeaderByte(byte)), "{error}");
            assert!(error.to_string().contains(part), "{error}");
        }
        // Positions count the bytes of the file, in which `é` has one byte. In the decoded text,
        // `é` has two bytes.
        let error = Header::parse(&file(1, b"{'descr': [('\xe9', '<f3')]}")).unwrap_err();
        assert_eq!(error.places().next(), Some(&Place::HeaderByte(27)), "{error}");
    }

    /// Guards the numbers in a title that is not a string: Python 3 cannot read Python 2's notation.
    #[test]
    fn a_title_of_python_2_is_written_for_python_3() {
        for (two, three) in [
            ("3L", "3"),
            ("(3L, -4L, 31)", "(3, -4, 31)"),
            ("(3L,'3L', b'4L'\n,0.5, (5L))", "(3,'3L', b'4L'\n,0.5, (5))"),
            ("(1e-05-2j)", "1e-05-2j"),
        ] {
            let text = |title: &str| {
                format!(
                    "{{'descr': [(({title}, 'a'), '<f4')], 'fortran_order': False, 'shape': ()}}"
                )
            };
            let header = Header::parse(&file(1, text(two).as_bytes())).unwrap().0;
            assert_eq!(header, Header::parse(&file(3, text(three).as_bytes())).unwrap().0);
            assert_eq!(header.dtype().descr(), format!("[(({three}, 'a'), '<f4')]"));
            assert_eq!(header.dtype().descr().parse::<DType>().unwrap(), *header.dtype());
        }
    }

    /// Guards the terminal on which an error is printed: control characters could change what it shows.
    #[test]
    fn control_characters_are_escaped_in_errors() {
        for (text, part) in [
            ("{'\u{202e}\x1b[2J': 1}", "unknown key '\\u202e\\x1b[2J'"),
            ("{'descr': '\x1b<f4'}", "dtype '\\x1b<f4'"),
            ("{'descr': '\x07', 'fortran_order': 1, 'shape': ()}", "dtype '\\x07'"),
            ("{'descr': '<f4', 'descr' \n '': 1}", "the key 'descr' \\x0a ''"),
            ("\u{9b}2J", "U+009B"),
        ] {
            let error = Header::parse(&file(3, text.as_bytes())).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
            assert!(!error.contains(char::is_control), "{error:?}");
        }
        let error = "\u{202e}\x1b\"".parse::<DType>().unwrap_err().to_string();
        assert!(error.starts_with("dtype \"\\u202e\\x1b\"\": "), "{error}");
    }

    #[test]
    fn a_header_truncated_anywhere_is_an_error() {
        for version in [1, 2, 3] {
            let complete =
                file(version, b"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n");
            assert_eq!(Header::parse(&complete).unwrap().1, complete.len());
            for end in 0..complete.len() {
                assert!(Header::parse(&complete[..end]).is_err(), "{end}");
            }
        }
    }

    #[test]
    fn headers_of_impossible_sizes_are_refused() {
        let shape =
            |shape: &str| format!("{{'descr': '|i1', 'fortran_order': False, 'shape': {shape}}}");
        for text in [
            shape("(4294967296, 4294967296)"),
            shape("(0, 9223372036854775807, 2)"),
            shape("(18446744073709551616,)"),
            shape("(True,)"),
            shape("(2.0,)"),
            "{'descr': '|S1000000000000000', 'fortran_order': False, 'shape': ()}".into(),
            "{'descr': '|V0', 'fortran_order': False, 'shape': (18446744073709551616,)}".into(),
            "{'descr': ('<f4', (2,)), 'fortran_order': False, 'shape': ()}".into(),
        ] {
            assert!(Header::parse(&file(1, text.as_bytes())).is_err(), "{text}");
        }
        // These twelve bytes claim a header of 4 GiB.
        let error = Header::parse(b"\x93NUMPY\x02\x00\xff\xff\xff\xff").unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Limit { name: "header_bytes", .. }), "{error}");
    }
}
