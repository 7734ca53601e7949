//! Reads and writes descr literals, the form in which NumPy writes a dtype in a header.

use std::str::FromStr;

pub(crate) use super::excerpt::excerpt;
use super::{DType, Field, Kind, Record, Scalar, SubArray, build, names};
use crate::checked;
use crate::error::{Error, ErrorKind};
use crate::limits::Limits;
use crate::literal::text::Text;
use crate::literal::{self, Caps, Dialect, Fault, Item, Literal};
use crate::shape;

impl DType {
    /// Returns the literal that `np.save` writes after `'descr': `.
    ///
    /// ```
    /// use npy_core::DType;
    ///
    /// assert_eq!("<f8".parse::<DType>()?.descr(), "'<f8'");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn descr(&self) -> String {
        match self.kind() {
            Kind::Scalar(scalar) => format!("'{scalar}'"),
            Kind::SubArray(sub) => format!("({})", base_and_shape(sub)),
            Kind::Record(record) => record_literal(record),
        }
    }

    /// Returns the start of the literal, for a message.
    pub(crate) fn excerpt(&self) -> String {
        excerpt(&self.descr())
    }

    /// Returns the error for a dtype that is refused for this reason.
    pub(crate) fn refused(&self, reason: impl Into<String>) -> Error {
        ErrorKind::DType { descr: self.excerpt(), reason: reason.into() }.into()
    }
}

/// Parses a type string (`<f8`) or a descr literal: `[('x', '<f4'), ('y', '<i2', (3,))]`, `('<f4', (2,))`, `'<f8'`.
///
/// # Errors
///
/// [`ErrorKind::DType`] or [`ErrorKind::Shape`] if the text is not a dtype or not a Python literal,
/// [`ErrorKind::Limit`] if it exceeds the default limits.
impl FromStr for DType {
    type Err = Error;

    fn from_str(text: &str) -> Result<DType, Error> {
        DType::parse_with(text, &Limits::default())
    }
}

impl DType {
    /// Parses a type string or a descr literal like [`str::parse`], with other limits than the defaults.
    ///
    /// ```
    /// use npy_core::{DType, Limits};
    ///
    /// let mut limits = Limits::default();
    /// limits.fields = 1;
    /// assert!(DType::parse_with("[('x', '<f4')]", &limits).is_ok());
    /// assert!(DType::parse_with("[('x', '<f4'), ('y', '<f4')]", &limits).is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::DType`] or [`ErrorKind::Shape`] if the text is not a dtype or not a Python literal,
    /// [`ErrorKind::Limit`] if it exceeds the limits.
    pub fn parse_with(text: &str, limits: &Limits) -> Result<DType, Error> {
        let literal = text.trim_start().starts_with(['[', '(', '\'', '"', '{']);
        if literal {
            parse_text(text, limits)
        } else {
            let error = |reason| {
                ErrorKind::DType { descr: format!("\"{}\"", excerpt(text)), reason }.into()
            };
            Scalar::parse(text).map(DType::from).map_err(error)
        }
    }
}

/// The number of literals allowed per field: a tuple, a name, a dtype, and sometimes a title or a shape.
const LITERALS_A_FIELD: usize = 8;

/// Parses a Python literal within the limits.
pub(crate) fn parse_literal<'t>(
    text: &'t str,
    dialect: Dialect,
    limits: &Limits,
) -> Result<Literal<'t>, Fault> {
    // Saturates, because users may set the limit to `usize::MAX`. The 64 literals are for the other keys of a header.
    let items = limits.fields.saturating_mul(LITERALS_A_FIELD).saturating_add(64);
    let caps = Caps { nesting: limits.brackets(), items };
    Literal::parse(text, dialect, caps)
}

/// Parses a text that consists of one descr literal.
fn parse_text(text: &str, limits: &Limits) -> Result<DType, Error> {
    let parse = || read(parse_literal(text, Dialect::Python3, limits)?.root(), limits);
    parse().map_err(|fault| match fault.kind {
        // There is no header here.
        ErrorKind::Header { reason } => ErrorKind::DType { descr: excerpt(text), reason }.into(),
        kind => kind.into(),
    })
}

/// Returns the dtype that a literal describes, within the limits, like NumPy's `descr_to_dtype`.
pub(crate) fn read(item: Item<'_>, limits: &Limits) -> Result<DType, Fault> {
    let dtype = read_dtype(item)?;
    let fields = dtype.count_fields();
    if fields > limits.fields {
        return Err(Fault::limit(item.at(), "fields", "fields", fields, limits.fields));
    }
    Ok(dtype)
}

/// Reads a dtype. The recursion is bounded because the parser has limited the nesting of the literal.
fn read_dtype(item: Item<'_>) -> Result<DType, Fault> {
    match item.kind() {
        literal::Kind::Str => {
            let scalar = match item.plain() {
                Some(text) => Scalar::parse(text),
                None => Scalar::parse(item.text().as_ref().map_or("", Text::as_str)),
            };
            scalar.map(DType::from).map_err(|reason| fault(item, reason))
        }
        literal::Kind::List => read_record(item),
        literal::Kind::Tuple => {
            let [base, shape] = exactly(item.items()).ok_or_else(|| {
                fault(item, "a tuple is a dtype and a shape, as in ('<f4', (3,))")
            })?;
            read_sub_array(read_dtype(base)?, shape)
        }
        other => Err(fault(item, format!("{} is not a dtype; use '<f4', or a list", other.name()))),
    }
}

/// Reads a record: `[('a', '<f4'), (('title', 'b'), '<i2', (3,)), ('', '|V4')]`.
fn read_record(list: Item<'_>) -> Result<DType, Fault> {
    let mut fields: Vec<Field> = Vec::with_capacity(list.items().take(1 << 10).count());
    // The literal of each field, for error messages.
    let mut entries = Vec::with_capacity(fields.capacity());
    let mut offset = 0usize;
    for entry in list.items() {
        let (name, dtype) = read_entry(entry)?;
        let end = build::end_of(offset, &dtype).map_err(|reason| fault(entry, reason))?;
        if !is_padding(name, &dtype) {
            let (title, name) = read_name(name)?;
            fields.push(Field { name, title: title.map(Box::new), dtype, offset });
            entries.push(entry);
        }
        offset = end;
    }
    if let Some((index, name)) = names::repeated(&fields)
        && let Some(entry) = entries.get(index)
    {
        return Err(fault(*entry, names::used_twice(name)));
    }
    Ok(DType::of_fields(fields, offset))
}

/// Returns the name and the dtype of one entry of a record.
fn read_entry(entry: Item<'_>) -> Result<(Item<'_>, DType), Fault> {
    let malformed = || fault(entry, "a field must be a tuple of a name, a dtype and maybe a shape");
    if entry.kind() != literal::Kind::Tuple {
        return Err(malformed());
    }
    let mut parts = entry.items();
    let (Some(name), Some(dtype), shape, None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(malformed());
    };
    let dtype = read_dtype(dtype)?;
    let dtype = match shape {
        Some(shape) => read_sub_array(dtype, shape)?,
        None => dtype,
    };
    Ok((name, dtype))
}

/// Returns true if NumPy treats the field as padding: its name is empty, and its dtype is void.
fn is_padding(name: Item<'_>, dtype: &DType) -> bool {
    dtype.is_void() && name.text().is_some_and(|name| name == Text::new(""))
}

/// Reads the title, if there is one, and the name: `'x'` or `('title', 'x')`.
fn read_name(item: Item<'_>) -> Result<(Option<Text>, Text), Fault> {
    if let Some(name) = item.text() {
        return Ok((None, name));
    }
    let pair = exactly(item.items()).filter(|_| item.kind() == literal::Kind::Tuple);
    let pair = pair.and_then(|[title, name]: [Item<'_>; 2]| Some((title, name.text()?)));
    let (title, name) = pair.ok_or_else(|| {
        fault(item, "the name of a field must be a string, or a tuple of a title and a name")
    })?;
    let title = match title.kind() {
        literal::Kind::Str => title.text(),
        literal::Kind::None => None,
        literal::Kind::List | literal::Kind::Dict => {
            return Err(fault(title, "a title must be hashable, as a string is"));
        }
        _ => Some(Text::other(&title.python3_source())),
    };
    Ok((title, name))
}

/// Reads the shape of a sub-array (a tuple, a list or a number). Returns the sub-array, or `base` if the shape is empty.
fn read_sub_array(base: DType, item: Item<'_>) -> Result<DType, Fault> {
    let shape = match item.kind() {
        literal::Kind::Int => vec![read_dimension(item)?],
        _ => read_shape(item)?,
    };
    build::sub_array(base, shape).map_err(|reason| fault(item, reason))
}

/// Reads the dimensions in a tuple or list of integers.
fn read_shape(item: Item<'_>) -> Result<Vec<usize>, Fault> {
    match item.kind() {
        literal::Kind::Tuple | literal::Kind::List => item.items().map(read_dimension).collect(),
        other => {
            Err(fault(item, format!("a shape must be a tuple of integers, not {}", other.name())))
        }
    }
}

/// Reads one dimension, which must not be negative and must fit in a `usize`.
pub(crate) fn read_dimension(item: Item<'_>) -> Result<usize, Fault> {
    let n = item.int().and_then(|n| usize::try_from(n).ok());
    n.ok_or_else(|| Fault {
        at: item.at(),
        kind: ErrorKind::Shape {
            shape: excerpt(item.source()),
            reason: match item.kind() {
                literal::Kind::Int => {
                    "a dimension must be a number from 0 to 9223372036854775807".into()
                }
                other => format!("a dimension must be an integer, not {}", other.name()),
            },
        },
    })
}

fn fault(item: Item<'_>, reason: impl Into<String>) -> Fault {
    let kind = ErrorKind::DType { descr: excerpt(item.source()), reason: reason.into() };
    Fault { at: item.at(), kind }
}

/// Returns the items, if there are exactly `N`.
fn exactly<const N: usize, T>(mut items: impl Iterator<Item = T>) -> Option<[T; N]> {
    let found: Vec<T> = items.by_ref().take(N).collect();
    if items.next().is_some() { None } else { found.try_into().ok() }
}

/// Returns the literal of a record, like NumPy's `dtype_to_descr`. Padding becomes entries with an empty name.
fn record_literal(record: &Record) -> String {
    let mut entries = Vec::with_capacity(record.fields.len());
    let padding = |size| (size > 0).then(|| format!("('', '|V{size}')"));
    let mut end = 0;
    for field in &record.fields {
        entries.extend(padding(checked::sub(field.offset, end)));
        entries.push(field_literal(field));
        end = field.end();
    }
    entries.extend(padding(checked::sub(record.itemsize, end)));
    format!("[{}]", entries.join(", "))
}

fn field_literal(field: &Field) -> String {
    let name = match &field.title {
        Some(title) => format!("({}, {})", title.repr(), field.name.repr()),
        None => field.name.repr(),
    };
    match field.dtype.kind() {
        Kind::SubArray(sub) => format!("({name}, {})", base_and_shape(sub)),
        _ => format!("({name}, {})", field.dtype.descr()),
    }
}

fn base_and_shape(sub: &SubArray) -> String {
    format!("{}, {}", sub.base.descr(), shape::repr(&sub.shape))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<DType, Error> {
        text.parse()
    }

    #[test]
    fn dtypes_of_numpy_print_as_they_were_parsed() {
        for text in [
            "[]",
            "[('', '|V8')]",
            "[('a', '|i1'), ('n', [('x', '>f4'), ('y', '|S3')])]",
            "[('b', '<f4', (3,))]",
            "[('c', ('<f8', (5,)), (2,))]",
            "[(('title', 'name'), '<f4')]",
            "[((5, 'a'), '<i4'), ((5, 'b'), '<i4')]",
            "[(('', 'a'), '<f4')]",
            "[('a', '|i1'), ('', '|V7'), ('b', '<f8'), ('c', '<i2'), ('', '|V6')]",
            "[('a', '|S0'), ('b', '<U0'), ('c', '|V0'), ('d', '<i4')]",
            "[('a', [])]",
            "[('', '<i4')]",
            "[('', [])]",
            "[('a', [('', '|V4')])]",
            "[(('t', ''), '|V4'), ('a', '<i4')]",
            "[(\"it's\", '<f4'), ('say \"hi\"', '<f4')]",
            "[('é', '<f4'), ('\\ud800', '<f4'), ('\\x00', '<f4')]",
            "[('o', '|O'), ('t', '<M8[25s]')]",
        ] {
            assert_eq!(parse(text).unwrap().descr(), text);
        }
    }

    #[test]
    fn other_spellings_print_as_numpy_writes_them() {
        for (text, canonical) in [
            ("[('a', '<f4', 2)]", "[('a', '<f4', (2,))]"),
            ("[('a', '<f4', [2, 3])]", "[('a', '<f4', (2, 3))]"),
            ("[('a', '<f4', ())]", "[('a', '<f4')]"),
            ("[('a', ('<f4', (2,))), ]", "[('a', '<f4', (2,))]"),
            ("[('', ('|V2', (2,))), ('a', '<f4')]", "[('', '|V4'), ('a', '<f4')]"),
            ("[('', '<f4', (2,)), ('a', '<i4')]", "[('', '|V8'), ('a', '<i4')]"),
            ("[('', '|V0')]", "[]"),
            ("[('', '|V1'), ('', '|V2')]", "[('', '|V3')]"),
            ("[((None, 'a'), '<i4')]", "[('a', '<i4')]"),
            ("[(u'a', \"<i4\")]", "[('a', '<i4')]"),
        ] {
            assert_eq!(parse(text).unwrap().descr(), canonical, "{text}");
        }
    }

    #[test]
    fn dtypes_that_numpy_refuses_are_refused() {
        for text in [
            "[()]",
            "['ab']",
            "[['a', '<f4']]",
            "{('a', '<f4')}",
            "{'names': ['a'], 'formats': ['<f4']}",
            "[('a', '')]",
            "[('a',)]",
            "[('a', '<f4', (1,), 3)]",
            "[((), '<f4')]",
            "[(1, '<f4')]",
            "[(([], 'a'), '<f4')]",
            "(('a', '<f4'), ('b', '<f4'))",
            "[('a', '<f4'), ('a', '<i4')]",
            "[('', '<f4'), ('', '<f4')]",
            "[(('a', 'a'), '<f4')]",
            "[(('b', 'a'), '<i4'), ('b', '<i4')]",
            "[(('t', 'a'), '<i4'), (('t', 'b'), '<i4')]",
            "[('a', '<f4', (-1,))]",
            "[('a', '<f4', True)]",
            "[('a', '<f4', 2.0)]",
            "[('a', '<f4', (2147483648,))]",
            "[('a', '|V2147483647'), ('b', '|V2147483647')]",
            "[('a', None)]",
            "('<f4', (1, 1), 1)",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        let deep = format!("[('a', '|u1', ({}))]", "1,".repeat(65));
        assert!(parse(&deep).is_err());
        // The message names the text, as there is no header.
        let error = parse("[('a', '<f4')").unwrap_err().to_string();
        assert!(error.starts_with("dtype [('a', '<f4'): "), "{error}");
    }

    #[test]
    fn deep_nesting_is_refused_without_recursion() {
        let nested = |n: usize| format!("{}'|u1'{}", "[('a', ".repeat(n), ")]".repeat(n));
        assert_eq!(parse(&nested(90)).unwrap().itemsize(), 1);
        let limits = Limits { nesting: usize::MAX, ..Limits::default() };
        let error = parse_text(&nested(201), &limits).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Limit { limit: 400, .. }), "{error}");
        assert!(parse_text(&nested(199), &limits).is_ok());
        for n in [101, 100_000] {
            let error = parse(&nested(n)).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Limit { name: "nesting", .. }), "{error}");
        }
    }
}
