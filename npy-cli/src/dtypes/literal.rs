//! Dtypes as Python prints them: `dtype({'names': […], 'formats': […], 'offsets': […], 'itemsize': 24})`, `dtype(('<f4', (2,)))`, `dtype([…], align=True)`.
//!
//! Text between brackets and quotes is divided here; the library reads the names, and the dtypes without a dict in them.

use std::collections::HashMap;

use npy_core::DType;
use npy_core::dtype::{Field, ScalarKind};

/// Dicts within dicts. More are not a dtype.
const MAX_DEPTH: usize = 16;

/// Returns the dtype of such a text; `None` if it is another one, or wrong.
pub(super) fn parse(text: &str) -> Option<DType> {
    read(text, false, MAX_DEPTH)
}

fn read(text: &str, is_aligned: bool, depth: usize) -> Option<DType> {
    let depth = depth.checked_sub(1)?;
    let text = text.trim();
    let plain = text.strip_prefix("numpy.").or_else(|| text.strip_prefix("np.")).unwrap_or(text);
    if let Some(inner) = plain.strip_prefix("dtype(") {
        let parts = items(inner.strip_suffix(')')?)?;
        let (first, options) = parts.split_first()?;
        let is_align = |option: &&str| option.replace(' ', "") == "align=True";
        return options.iter().all(is_align).then(|| read(first, !options.is_empty(), depth))?;
    }
    match text.as_bytes().first()? {
        b'{' => dict(inner(text, ['{', '}'])?, depth),
        b'[' if is_aligned || text.contains('{') => {
            let tuples = items(inner(text, ['[', ']'])?)?;
            let fields = tuples.iter().map(|tuple| field(tuple, is_aligned, depth));
            let fields: Vec<(String, Option<String>, DType)> = fields.collect::<Option<_>>()?;
            placed(fields, is_aligned)
        }
        b'(' => match items(inner(text, ['(', ')'])?)?[..] {
            ["numpy.record", dtype] => read(dtype, is_aligned, depth),
            [base, shape] => read(base, is_aligned, depth)?.array(lengths(shape)?).ok(),
            _ => None,
        },
        b'\'' | b'"' => super::parse(&string(text)?).ok(),
        _ => text.parse().ok(),
    }
}

/// Reads the fields of a dict.
fn dict(text: &str, depth: usize) -> Option<DType> {
    let mut values = HashMap::new();
    for item in items(text)? {
        let (key, value) = item.split_once(':')?;
        values.insert(string(key.trim())?, value.trim());
    }
    let list = |key: &str| items(inner(values.get(key)?, ['[', ']'])?);
    let names: Vec<String> = list("names")?.into_iter().map(string).collect::<Option<_>>()?;
    let formats = list("formats")?.into_iter().map(|format| read(format, false, depth));
    let formats: Vec<DType> = formats.collect::<Option<_>>()?;
    let titles: Vec<Option<String>> = match values.get("titles") {
        Some(_) => list("titles")?.into_iter().map(title).collect::<Option<_>>()?,
        None => vec![None; names.len()],
    };
    if formats.len() != names.len() || titles.len() != names.len() {
        return None;
    }
    let fields: Vec<_> = names
        .into_iter()
        .zip(titles)
        .zip(formats)
        .map(|((name, title), dtype)| (name, title, dtype))
        .collect();
    if !values.contains_key("offsets") {
        return placed(fields, values.get("aligned") == Some(&"True"));
    }
    let offsets: Vec<usize> =
        list("offsets")?.into_iter().map(|text| text.parse().ok()).collect::<Option<_>>()?;
    if offsets.len() != fields.len() {
        return None;
    }
    let end =
        |((_, _, dtype), offset): (&(_, _, DType), &usize)| offset.checked_add(dtype.itemsize());
    let end = fields.iter().zip(&offsets).map(end).max().flatten().unwrap_or_default();
    let itemsize = match values.get("itemsize") {
        Some(text) => text.parse().ok()?,
        None => end,
    };
    with_offsets(fields, &offsets, itemsize)
}

/// Reads `('name', dtype)` or `('name', dtype, shape)`.
fn field(tuple: &str, is_aligned: bool, depth: usize) -> Option<(String, Option<String>, DType)> {
    let parts = items(inner(tuple, ['(', ')'])?)?;
    let (name, dtype, shape) = match parts[..] {
        [name, dtype] => (name, dtype, None),
        [name, dtype, shape] => (name, dtype, Some(shape)),
        _ => return None,
    };
    let (title, name) = match name.starts_with('(') {
        true => match items(inner(name, ['(', ')'])?)?[..] {
            [title, name] => (Some(string(title)?), string(name)?),
            _ => return None,
        },
        false => (None, string(name)?),
    };
    let dtype = read(dtype, is_aligned, depth)?;
    let dtype = match shape {
        Some(shape) => dtype.array(lengths(shape)?).ok()?,
        None => dtype,
    };
    Some((name, title, dtype))
}

/// Returns a record whose fields come one after the other, or as a C compiler aligns them.
fn placed(fields: Vec<(String, Option<String>, DType)>, is_aligned: bool) -> Option<DType> {
    let (mut end, mut most, mut offsets) = (0usize, 1, Vec::new());
    for (_, _, dtype) in &fields {
        let alignment = if is_aligned { alignment(dtype) } else { 1 };
        let offset = end.checked_next_multiple_of(alignment)?;
        offsets.push(offset);
        end = offset.checked_add(dtype.itemsize())?;
        most = alignment.max(most);
    }
    with_offsets(fields, &offsets, end.checked_next_multiple_of(most)?)
}

fn with_offsets(
    fields: Vec<(String, Option<String>, DType)>,
    offsets: &[usize],
    itemsize: usize,
) -> Option<DType> {
    let fields = fields.into_iter().zip(offsets).map(|((name, title, dtype), &offset)| {
        let field = Field::new(name, dtype).at(offset);
        match title {
            Some(title) => field.title(title),
            None => field,
        }
    });
    DType::from_fields(fields, itemsize).ok()
}

/// Returns the alignment that NumPy gives a dtype: that of the C type.
fn alignment(dtype: &DType) -> usize {
    let (base, _) = dtype.flat();
    let Some(scalar) = base.scalar() else {
        return base.fields().iter().map(|field| alignment(field.dtype())).max().unwrap_or(1);
    };
    match scalar.kind() {
        ScalarKind::Bytes | ScalarKind::Void => 1,
        ScalarKind::Str => 4,
        ScalarKind::Complex => scalar.itemsize() / 2,
        _ => scalar.itemsize().max(1),
    }
}

/// Returns the text between two brackets.
fn inner(text: &str, [open, close]: [char; 2]) -> Option<&str> {
    text.trim().strip_prefix(open)?.strip_suffix(close)
}

/// Returns the parts between commas that are in no bracket and no quotes.
fn items(text: &str) -> Option<Vec<&str>> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0usize);
    let mut quote = None;
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (Some(_), '\\') => drop(chars.next()),
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.checked_sub(1)?,
            (None, ',') if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = text[start..].trim();
    // A comma may follow the last one.
    parts.extend((!last.is_empty()).then_some(last));
    (depth == 0 && quote.is_none()).then_some(parts)
}

/// Reads a string as the names of fields are read.
fn string(text: &str) -> Option<String> {
    let dtype: DType = format!("[({text}, '|i1')]").parse().ok()?;
    let field = dtype.fields().first()?;
    (dtype.fields().len() == 1).then(|| field.name().to_owned())
}

/// Reads a title, which may be `None`.
fn title(text: &str) -> Option<Option<String>> {
    if text == "None" { Some(None) } else { string(text).map(Some) }
}

/// Reads a shape.
fn lengths(text: &str) -> Option<Vec<usize>> {
    let parts = match text.starts_with('(') {
        true => items(inner(text, ['(', ')'])?)?,
        false => vec![text],
    };
    parts.into_iter().map(|length| length.parse().ok()).collect()
}
