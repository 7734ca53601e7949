//! Scalars: their kinds and sizes, and their text form (`<f8`).

use std::fmt;
use std::sync::LazyLock;

use super::{ByteOrder, DType};
use crate::error::{Error, ErrorKind};
use crate::limits::MAX_ITEMSIZE;

/// A dtype that is not composed of others: a number, text, a time, raw bytes, or a Python object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scalar {
    kind: ScalarKind,
    // `None` for single bytes, `S`, `V` and `O`, which have no byte order. Only numbers of ml_dtypes are a `V` with a byte order.
    order: Option<ByteOrder>,
    itemsize: usize,
}

/// The kinds of scalar, NumPy's `dtype.kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ScalarKind {
    /// `b`: one byte; any value but zero is true.
    Bool,
    /// `i`: two's complement of 1, 2, 4 or 8 bytes.
    Int,
    /// `u`: unsigned, of 1, 2, 4 or 8 bytes.
    UInt,
    /// `f`: IEEE 754 of 2, 4 or 8 bytes; or a long double of 12 or 16 bytes, whose format depends on the machine.
    Float,
    /// `c`: two floats, the real part first.
    Complex,
    /// `m`: a span of time in 8 bytes: a signed number of steps of this resolution. `None` if it has no unit.
    TimeDelta(Option<Resolution>),
    /// `M`: a point in time in 8 bytes: the signed number of steps of this resolution since 1970-01-01. `None` if it has no unit.
    DateTime(Option<Resolution>),
    /// `S`: bytes, padded with zeros.
    Bytes,
    /// `U`: code points of 4 bytes, padded with zeros.
    Str,
    /// `V`: raw bytes. If the scalar has a byte order, it is a number of ml_dtypes: `<V2` and `>V2` are bfloat16.
    Void,
    /// `O`: a Python object; the file holds a pickle.
    Object,
}

/// The resolution of a time: a multiple of a unit, such as `25s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Resolution {
    /// The number of units per count, at least 1.
    pub multiple: u32,
    /// The unit.
    pub unit: Unit,
}

/// Defines the units of time, each with its abbreviation.
macro_rules! units {
    ($($unit:ident $name:literal),* $(,)?) => {
        /// The units of time that NumPy has.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Unit {
            $(#[doc = concat!("`", $name, "`")] $unit,)*
        }

        pub(crate) const UNITS: &[(Unit, &str)] = &[$((Unit::$unit, $name)),*];
    };
}

units! {
    Year "Y", Month "M", Week "W", Day "D", Hour "h", Minute "m", Second "s", Millisecond "ms",
    Microsecond "us", Nanosecond "ns", Picosecond "ps", Femtosecond "fs", Attosecond "as",
}

/// The scalars whose size is the same on every machine: their names, one-letter codes, kinds and sizes.
const NAMES: [(&str, &str, ScalarKind, usize); 19] = [
    ("bool", "?", ScalarKind::Bool, 1),
    ("int8", "b", ScalarKind::Int, 1),
    ("int16", "h", ScalarKind::Int, 2),
    ("int32", "i", ScalarKind::Int, 4),
    ("int64", "q", ScalarKind::Int, 8),
    ("uint8", "B", ScalarKind::UInt, 1),
    ("uint16", "H", ScalarKind::UInt, 2),
    ("uint32", "I", ScalarKind::UInt, 4),
    ("uint64", "Q", ScalarKind::UInt, 8),
    ("float16", "e", ScalarKind::Float, 2),
    ("float32", "f", ScalarKind::Float, 4),
    ("float64", "d", ScalarKind::Float, 8),
    ("complex64", "F", ScalarKind::Complex, 8),
    ("complex128", "D", ScalarKind::Complex, 16),
    // Python's own types. `int` is not here, because its size depends on the machine.
    ("float", "float", ScalarKind::Float, 8),
    ("complex", "complex", ScalarKind::Complex, 16),
    ("str", "str", ScalarKind::Str, 0),
    ("bytes", "bytes", ScalarKind::Bytes, 0),
    ("object", "object", ScalarKind::Object, 8),
];

impl Scalar {
    /// Returns the kind of value.
    ///
    /// ```
    /// use npy_core::DType;
    /// use npy_core::dtype::ScalarKind;
    ///
    /// let dtype: DType = ">f8".parse()?;
    /// let scalar = dtype.scalar().unwrap();
    /// assert_eq!(scalar.kind(), ScalarKind::Float);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn kind(&self) -> ScalarKind {
        self.kind
    }

    /// Returns the byte order; `None` for single bytes, `S`, `V` and `O`, which have none. The numbers of ml_dtypes (`<V2`, `<V1`) have one.
    ///
    /// ```
    /// use npy_core::{ByteOrder, DType};
    ///
    /// let dtype: DType = ">f8".parse()?;
    /// let scalar = dtype.scalar().unwrap();
    /// assert_eq!(scalar.byte_order(), Some(ByteOrder::Big));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn byte_order(&self) -> Option<ByteOrder> {
        self.order
    }

    /// Returns the size of one value in bytes.
    ///
    /// ```
    /// use npy_core::DType;
    ///
    /// let dtype: DType = ">f8".parse()?;
    /// let scalar = dtype.scalar().unwrap();
    /// assert_eq!(scalar.itemsize(), 8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn itemsize(&self) -> usize {
        self.itemsize
    }

    /// Returns true for an integer, a float or a complex number.
    pub(crate) fn is_number(&self) -> bool {
        use ScalarKind::{Complex, Float, Int, UInt};
        matches!(self.kind, Int | UInt | Float | Complex)
    }

    /// Creates a scalar of this kind and this number of bytes. If it has a byte order, it is little-endian. Text (`U`) has 4 bytes per code
    /// point.
    ///
    /// ```
    /// use npy_core::{ByteOrder, DType};
    /// use npy_core::dtype::{Resolution, Scalar, ScalarKind, Unit};
    ///
    /// let float = Scalar::new(ScalarKind::Float, 4)?;
    /// assert_eq!(DType::from(float).to_string(), "<f4");
    /// assert_eq!(DType::from(float.with_byte_order(ByteOrder::Big)).to_string(), ">f4");
    ///
    /// let resolution = Resolution { multiple: 25, unit: Unit::Second };
    /// let time = Scalar::new(ScalarKind::DateTime(Some(resolution)), 8)?;
    /// assert_eq!(DType::from(time).to_string(), "<M8[25s]");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::DType`] if NumPy has no scalar of this kind and size.
    pub fn new(kind: ScalarKind, itemsize: usize) -> Result<Self, Error> {
        check_size(kind, itemsize).map_err(|reason| {
            let descr = format!("of {itemsize} bytes");
            ErrorKind::DType { descr, reason }
        })?;
        Ok(Scalar::little(kind, itemsize))
    }

    /// Creates a scalar from a valid kind and size. If it has a byte order, it is little-endian.
    pub(crate) fn little(kind: ScalarKind, itemsize: usize) -> Self {
        Scalar::ordered(kind, itemsize, ByteOrder::Little)
    }

    /// Creates a scalar from a valid kind and size.
    pub(crate) fn ordered(kind: ScalarKind, itemsize: usize, order: ByteOrder) -> Self {
        use ScalarKind::{Bytes, Object, Str, Void};
        let single = itemsize == 1 && kind != Str;
        let unordered = single || matches!(kind, Bytes | Void | Object);
        Scalar { kind, order: (!unordered).then_some(order), itemsize }
    }

    /// Returns the dtype of each part of a complex number; `None` for any other scalar.
    pub(crate) fn half(&self) -> Option<&'static DType> {
        static FLOATS: LazyLock<Vec<DType>> = LazyLock::new(|| {
            let float = |size, order| Scalar::ordered(ScalarKind::Float, size, order).into();
            let both = |size| [ByteOrder::Little, ByteOrder::Big].map(|order| float(size, order));
            [4, 8, 12, 16].into_iter().flat_map(both).collect()
        });
        let half = Scalar { kind: ScalarKind::Float, itemsize: self.itemsize / 2, ..*self };
        let is_half = |float: &&DType| float.scalar() == Some(&half);
        FLOATS.iter().find(|float| self.kind == ScalarKind::Complex && is_half(float))
    }

    /// Creates a number of ml_dtypes, which NumPy treats as raw bytes: `<V2`.
    pub(crate) fn extension(itemsize: usize, order: ByteOrder) -> Self {
        Scalar { kind: ScalarKind::Void, order: Some(order), itemsize }
    }

    /// Returns the same scalar in this byte order, if it has one.
    ///
    /// ```
    /// use npy_core::ByteOrder;
    /// use npy_core::dtype::{Scalar, ScalarKind};
    ///
    /// let big = Scalar::new(ScalarKind::Int, 2)?.with_byte_order(ByteOrder::Big);
    /// assert_eq!(big.to_string(), ">i2");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    #[must_use]
    pub fn with_byte_order(self, order: ByteOrder) -> Self {
        Scalar { order: self.order.map(|_| order), ..self }
    }

    /// Returns the number of bytes that are byte-swapped together: the size of a value, of half a complex number, or of a code point.
    /// Raw bytes (`|V2`) have no order of their own: their unit is 1.
    pub(crate) fn swap_unit(self) -> usize {
        match self.kind {
            ScalarKind::Complex => self.itemsize / 2,
            ScalarKind::Str => 4,
            ScalarKind::Void if self.order.is_none() => 1,
            _ => self.itemsize,
        }
    }

    /// Parses `<f8`, `|S5`, `>M8[25s]`, `float32`, `datetime64[ns]`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (order, rest) = match text.split_at_checked(1) {
            Some(("<", rest)) => (ByteOrder::Little, rest),
            Some((">", rest)) => (ByteOrder::Big, rest),
            Some(("=" | "|", rest)) => (ByteOrder::NATIVE, rest),
            _ => match name(text, ByteOrder::NATIVE) {
                Some(named) => return Ok(named),
                None => (ByteOrder::NATIVE, text),
            },
        };
        if rest.len() == 1
            && let Some(code) = name(rest, order)
        {
            return Ok(code);
        }
        let (kind, size) = kind_and_size(rest)?;
        // ml_dtypes has numbers of these sizes. All other raw bytes are those of NumPy, which drops their order.
        if kind == ScalarKind::Void && text.starts_with(['<', '>']) && matches!(size, 1 | 2) {
            return Ok(Scalar::extension(size, order));
        }
        Ok(Scalar::ordered(kind, size, order))
    }
}

/// Finds a scalar by its name or one-letter code.
fn name(text: &str, order: ByteOrder) -> Option<Scalar> {
    let (.., kind, size) = NAMES.iter().find(|(name, code, ..)| [*name, *code].contains(&text))?;
    Some(Scalar::ordered(*kind, *size, order))
}

/// Returns why a text is not a scalar.
fn unknown(text: &str) -> String {
    if text.contains(',') {
        return "a record is a list of its fields, as in [('f0', '<i4'), ('f1', '<f4')]".into();
    }
    "not a dtype of NumPy; use one such as '<f8', '|S5', '<M8[ns]'".into()
}

/// Parses the kind and the size: the text after the byte order.
fn kind_and_size(text: &str) -> Result<(ScalarKind, usize), String> {
    use ScalarKind as K;
    let times: [(_, _, fn(_) -> _); 2] =
        [("datetime64", "M", K::DateTime), ("timedelta64", "m", K::TimeDelta)];
    for (name, letter, kind) in times {
        let resolution = match (text.strip_prefix(name), text.strip_prefix(letter)) {
            (Some(unit), _) => time(unit),
            (None, Some(rest)) => eight(rest).and_then(time),
            (None, None) => continue,
        };
        return resolution.map(|resolution| (kind(resolution), 8));
    }
    let (letter, rest) = text.split_at_checked(1).unwrap_or(("", text));
    let kind = match letter {
        "b" => K::Bool,
        "i" => K::Int,
        "u" => K::UInt,
        "f" => K::Float,
        "c" => K::Complex,
        "O" => K::Object,
        "S" => K::Bytes,
        "V" => K::Void,
        "U" => K::Str,
        "l" | "L" | "p" | "P" | "g" | "G" => {
            return Err("its size depends on the machine; write kind and size, as in '<i8'".into());
        }
        _ => return Err(unknown(text)),
    };
    let size = if rest.is_empty() && matches!(letter, "S" | "V" | "U" | "O") {
        0
    } else {
        number(rest).ok_or_else(|| unknown(text))?
    };
    let size = match kind {
        K::Object if matches!(size, 0 | 4) => 8,
        K::Str => size.saturating_mul(4),
        _ => size,
    };
    check_size(kind, size).map(|()| (kind, size))
}

/// Returns why no scalar of this kind has this size.
fn check_size(kind: ScalarKind, itemsize: usize) -> Result<(), String> {
    use ScalarKind as K;
    let (sizes, what): (&[usize], &str) = match kind {
        K::Bool => (&[1], "a bool has 1 byte"),
        K::Int => (&[1, 2, 4, 8], "an integer has 1, 2, 4 or 8 bytes"),
        K::UInt => (&[1, 2, 4, 8], "an unsigned integer has 1, 2, 4 or 8 bytes"),
        K::Float if itemsize == 1 => {
            return Err("a float of 1 byte is float8_e5m2 of ml_dtypes, which no NumPy reads either: save its bytes by `np.save(path, array.view('u1'))`, and make an npy_core::Float8 of each".into());
        }
        K::Float => (&[2, 4, 8, 12, 16], "a float has 2, 4, 8, 12 or 16 bytes"),
        K::Complex => (&[8, 16, 24, 32], "a complex number has 8, 16, 24 or 32 bytes"),
        K::DateTime(resolution) | K::TimeDelta(resolution) => {
            if resolution.is_some_and(|resolution| !is_multiple(resolution.multiple)) {
                return Err(BAD_MULTIPLE.into());
            }
            (&[8], "a time has 8 bytes")
        }
        // Files may state 4, for the pointers of a machine of 32 bits.
        K::Object => (&[8], "an object has 4 or 8 bytes"),
        K::Str if itemsize > MAX_ITEMSIZE => {
            return Err("text has at most 536870911 code points".into());
        }
        K::Str if !itemsize.is_multiple_of(4) => {
            return Err("a code point of text has 4 bytes".into());
        }
        K::Bytes | K::Void if itemsize > MAX_ITEMSIZE => {
            return Err(format!("an element has at most {MAX_ITEMSIZE} bytes"));
        }
        K::Bytes | K::Void | K::Str => return Ok(()),
    };
    if sizes.contains(&itemsize) { Ok(()) } else { Err(what.into()) }
}

const BAD_MULTIPLE: &str = "the multiple of a unit of time must be from 1 to 2147483647";

/// Returns true for a number of units that a time may count.
fn is_multiple(n: u32) -> bool {
    i32::try_from(n).is_ok_and(|n| n > 0)
}

/// Returns the text after the size of a time.
fn eight(text: &str) -> Result<&str, String> {
    text.strip_prefix('8').ok_or_else(|| "a time has 8 bytes".into())
}

/// Parses the resolution of a time: `[ns]`, `[25s]`, or no text.
fn time(text: &str) -> Result<Option<Resolution>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let inner = inner.ok_or("the unit of a time must be in brackets, as in '<M8[ns]'")?;
    let unit = inner.trim_start_matches(|c: char| c.is_ascii_digit());
    let multiple = inner.strip_suffix(unit).unwrap_or(inner);
    let multiple = if multiple.is_empty() {
        1
    } else {
        let n = number(multiple).and_then(|n| u32::try_from(n).ok());
        n.filter(|&n| is_multiple(n)).ok_or(BAD_MULTIPLE)?
    };
    if unit == "generic" && inner == unit {
        return Ok(None);
    }
    if unit.contains('/') {
        return Err(
            "divided units of time are not supported; write the smaller unit, [100ms] for [s/10]"
                .into(),
        );
    }
    // NumPy accepts the Greek letter, too.
    let unit = if unit == "μs" { "us" } else { unit };
    match UNITS.iter().find(|(_, name)| *name == unit) {
        Some((unit, _)) => Ok(Some(Resolution { multiple, unit: *unit })),
        None => Err("unknown unit of time; use one of Y M W D h m s ms us ns ps fs as".into()),
    }
}

/// Parses a decimal number without a sign, blanks or leading zeros.
fn number(text: &str) -> Option<usize> {
    let plain =
        text.bytes().all(|b| b.is_ascii_digit()) && (text.len() == 1 || !text.starts_with('0'));
    if plain { text.parse().ok() } else { None }
}

impl Unit {
    /// Returns NumPy's abbreviation: `ns`.
    ///
    /// ```
    /// use npy_core::dtype::Unit;
    ///
    /// assert_eq!(Unit::Nanosecond.name(), "ns");
    /// ```
    pub fn name(self) -> &'static str {
        UNITS.iter().find(|(unit, _)| *unit == self).map_or("", |(_, name)| name)
    }
}

/// Prints the resolution as in a dtype: `ns`, `25s`.
impl fmt::Display for Resolution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.multiple != 1 {
            write!(f, "{}", self.multiple)?;
        }
        f.write_str(self.unit.name())
    }
}

/// Prints the scalar like NumPy's `dtype.str`: `<f8`.
impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.order {
            None => "|",
            Some(ByteOrder::Little) => "<",
            Some(ByteOrder::Big) => ">",
        })?;
        let size = self.itemsize;
        match self.kind {
            ScalarKind::Bool => write!(f, "b{size}"),
            ScalarKind::Int => write!(f, "i{size}"),
            ScalarKind::UInt => write!(f, "u{size}"),
            ScalarKind::Float => write!(f, "f{size}"),
            ScalarKind::Complex => write!(f, "c{size}"),
            ScalarKind::Bytes => write!(f, "S{size}"),
            ScalarKind::Str => write!(f, "U{}", size / 4),
            ScalarKind::Void => write!(f, "V{size}"),
            ScalarKind::Object => f.write_str("O"),
            ScalarKind::TimeDelta(None) => f.write_str("m8"),
            ScalarKind::DateTime(None) => f.write_str("M8"),
            ScalarKind::TimeDelta(Some(resolution)) => write!(f, "m8[{resolution}]"),
            ScalarKind::DateTime(Some(resolution)) => write!(f, "M8[{resolution}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_of_numpy_print_as_they_were_parsed() {
        for text in [
            "|b1", "|i1", "|u1", "<i2", ">i8", "<u4", "<f2", "<f4", ">f8", "<f16", "<c8", ">c16",
            "<c32", "|S0", "|S5", "<U0", ">U3", "|V0", "|V8", "<M8", "<M8[ns]", ">m8[25s]",
            "<M8[Y]", "<m8[as]", "|O", "<V2", ">V2", "<V1", ">V1",
        ] {
            assert_eq!(Scalar::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn other_spellings_print_as_numpy_writes_them() {
        for (text, canonical) in [
            ("<i1", "|i1"),
            (">b1", "|b1"),
            ("<S3", "|S3"),
            ("=V2", "|V2"),
            ("<V0", "|V0"),
            (">V4", "|V4"),
            ("<V8", "|V8"),
            ("|f4", "<f4"),
            ("=f4", "<f4"),
            ("f4", "<f4"),
            ("b1", "|b1"),
            ("O8", "|O"),
            ("|O4", "|O"),
            ("S", "|S0"),
            ("<M8[1s]", "<M8[s]"),
            ("<M8[generic]", "<M8"),
            ("<m8[μs]", "<m8[us]"),
            ("float32", "<f4"),
            ("float", "<f8"),
            ("complex", "<c16"),
            ("str", "<U0"),
            ("bytes", "|S0"),
            ("object", "|O"),
            ("datetime64", "<M8"),
            ("datetime64[25s]", "<M8[25s]"),
            ("timedelta64[D]", "<m8[D]"),
            (">q", ">i8"),
            ("|?", "|b1"),
        ] {
            assert_eq!(Scalar::parse(text).unwrap().to_string(), canonical, "{text}");
        }
    }

    #[test]
    fn texts_that_are_not_dtypes_are_refused() {
        for text in [
            "",
            "<",
            "|",
            "<>f4",
            "<f1",
            "<f3",
            "<f10",
            "<f32",
            "<i3",
            "<i16",
            "<u16",
            "<c2",
            "<c4",
            "<b2",
            "<Z8",
            "<M4",
            "foo",
            "<float32",
            "<float",
            "|str",
            "int",
            "datetime64[",
            "Float64",
            " <f4",
            "<f4 ",
            "<f4\0",
            "<f4junk",
            "<f4.0",
            "<f4L",
            "S3.0",
            "S-1",
            "V-1",
            "S+5",
            "S2147483648",
            "U536870912",
            "|S1000000000000000",
            "S99999999999999999999",
            "<M8[foo]",
            "<M8ns]",
            "<M8[ns",
            "<M8[ns]x",
            "<M8[]",
            "<M8[-1s]",
            "<M8[0s]",
            "<M8[2147483648s]",
            "<M8[s/0]",
            "<m8[5Y/0]",
            "<M8[s/7]",
            "<M8[ ns]",
            "i4,f4",
            "2f4",
            "<i 4",
            "i04",
            "l",
            "g",
            "é",
        ] {
            assert!(Scalar::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn complex_numbers_and_text_are_byte_swapped_in_parts() {
        for (text, unit) in [("<c16", 8), ("<U7", 4), ("<f8", 8), ("<f16", 16), ("<M8[s]", 8)] {
            assert_eq!(Scalar::parse(text).unwrap().swap_unit(), unit);
        }
    }

    /// Guards the difference between the numbers of ml_dtypes, which have an order, and raw bytes.
    #[test]
    fn raw_bytes_are_not_byte_swapped() {
        for (text, big, unit) in [("|V2", "|V2", 1), ("|V4", "|V4", 1), ("<V2", ">V2", 2)] {
            let scalar = Scalar::parse(text).unwrap();
            assert_eq!(scalar.with_byte_order(ByteOrder::Big).to_string(), big);
            assert_eq!(scalar.swap_unit(), unit);
        }
    }
}
