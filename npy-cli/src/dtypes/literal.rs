//! Dtypes as Python prints them: `dtype({'names': […], 'formats': […], 'offsets': […], 'itemsize': 24})`, `dtype(('<f4', (2,)))`, `dtype([…], align=True)`.
//!
//! Text between brackets and quotes is divided here; the library reads the names, and the dtypes without a dict in them.

use std::collections::HashMap;

use npy_core::DType;
use npy_core::dtype::{Field, ScalarKind};

/// Dicts within dicts. More are not a dtype.
const MAX_DEPTH: usize = 16;

/// A dtype, and the alignment that NumPy gives it: 1 for a record that is not aligned.
struct Aligned {
    dtype: DType,
    alignment: usize,
}

/// A field without its offset: its name, title and dtype.
type Part = (String, Option<String>, Aligned);

/// Returns the dtype of such a text; `None` if it is another one, or wrong.
pub(super) fn parse(text: &str) -> Option<DType> {
    Some(read(text, false, MAX_DEPTH)?.dtype)
}

fn read(text: &str, is_aligned: bool, depth: usize) -> Option<Aligned> {
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
        b'{' => dict(inner(text, ['{', '}'])?, is_aligned, depth),
        b'[' if is_aligned || text.contains('{') => {
            let tuples = items(inner(text, ['[', ']'])?)?;
            let fields = tuples.iter().map(|tuple| field(tuple, is_aligned, depth));
            placed(fields.collect::<Option<_>>()?, is_aligned)
        }
        b'(' => match items(inner(text, ['(', ')'])?)?[..] {
            // NumPy prints `align=True` after such a dtype, and leaves it out when it reads that.
            // Of a sub-array, only its bytes are left.
            ["numpy.record", dtype] if !is_aligned => {
                read(dtype, false, depth).filter(|it| it.dtype.is_record())
            }
            [base, shape] => repeated(read(base, is_aligned, depth)?, shape),
            _ => None,
        },
        b'\'' | b'"' => of_string(super::parse(&string(text)?).ok()?, is_aligned),
        _ => Some(unaligned(text.parse().ok()?)),
    }
}

/// Returns the dtype of a string. That of several dtypes between commas is a record.
fn of_string(dtype: DType, is_aligned: bool) -> Option<Aligned> {
    if !is_aligned || dtype.fields().is_empty() {
        return Some(unaligned(dtype));
    }
    let fields = dtype.fields().iter();
    let fields =
        fields.map(|field| (field.name().to_owned(), None, unaligned(field.dtype().clone())));
    placed(fields.collect(), true)
}

/// Reads the fields of a dict.
fn dict(text: &str, is_aligned: bool, depth: usize) -> Option<Aligned> {
    let mut values = HashMap::new();
    for item in items(text)? {
        let (key, value) = item.split_once(':')?;
        values.insert(string(key.trim())?, value.trim());
    }
    let is_aligned = match values.get("aligned") {
        Some(&"True") => true,
        None | Some(&"False") => is_aligned,
        Some(_) => return None,
    };
    let list = |key: &str| items(inner(values.get(key)?, ['[', ']'])?);
    let names: Vec<String> = list("names")?.into_iter().map(string).collect::<Option<_>>()?;
    let formats = list("formats")?.into_iter().map(|format| read(format, is_aligned, depth));
    let formats: Vec<Aligned> = formats.collect::<Option<_>>()?;
    let titles: Vec<Option<String>> = match values.get("titles") {
        Some(_) => list("titles")?.into_iter().map(title).collect::<Option<_>>()?,
        None => vec![None; names.len()],
    };
    if formats.len() != names.len() || titles.len() != names.len() {
        return None;
    }
    let fields = names.into_iter().zip(titles).zip(formats);
    let fields: Vec<Part> = fields.map(|((name, title), dtype)| (name, title, dtype)).collect();
    let offsets = match values.get("offsets") {
        Some(_) => list("offsets")?.into_iter().map(|text| text.parse().ok()).collect(),
        None => offsets(&fields, is_aligned),
    };
    let itemsize = match values.get("itemsize") {
        Some(text) => Some(text.parse().ok()?),
        None => None,
    };
    with_offsets(fields, &offsets?, itemsize, is_aligned)
}

/// Reads `('name', dtype)` or `('name', dtype, shape)`.
fn field(tuple: &str, is_aligned: bool, depth: usize) -> Option<Part> {
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
        Some(shape) => repeated(dtype, shape)?,
        None => dtype,
    };
    Some((name, title, dtype))
}

/// Returns the dtype of a sub-array.
fn repeated(base: Aligned, shape: &str) -> Option<Aligned> {
    let dtype = base.dtype.array(lengths(shape)?).ok()?;
    Some(Aligned { dtype, ..base })
}

/// Returns a record whose fields come one after the other, or as a C compiler aligns them.
fn placed(fields: Vec<Part>, is_aligned: bool) -> Option<Aligned> {
    let offsets = offsets(&fields, is_aligned)?;
    with_offsets(fields, &offsets, None, is_aligned)
}

/// Returns the offsets of fields that come one after the other, or as a C compiler aligns them.
fn offsets(fields: &[Part], is_aligned: bool) -> Option<Vec<usize>> {
    let mut end = 0usize;
    let next = |(_, _, part): &Part| {
        let offset = end.checked_next_multiple_of(if is_aligned { part.alignment } else { 1 })?;
        end = offset.checked_add(part.dtype.itemsize())?;
        Some(offset)
    };
    fields.iter().map(next).collect()
}

/// Returns a record of fields with these offsets; `None` if NumPy refuses them, as it does if an aligned record has a field that is not.
fn with_offsets(
    fields: Vec<Part>,
    offsets: &[usize],
    itemsize: Option<usize>,
    is_aligned: bool,
) -> Option<Aligned> {
    if offsets.len() != fields.len() {
        return None;
    }
    let (mut alignment, mut end) = (1, 0);
    for ((_, _, part), offset) in fields.iter().zip(offsets) {
        if is_aligned && !offset.is_multiple_of(part.alignment) {
            return None;
        }
        alignment = if is_aligned { part.alignment.max(alignment) } else { 1 };
        end = offset.checked_add(part.dtype.itemsize())?.max(end);
    }
    let itemsize = match itemsize {
        Some(itemsize) => itemsize,
        None => end.checked_next_multiple_of(alignment)?,
    };
    if itemsize < end || !itemsize.is_multiple_of(alignment) {
        return None;
    }
    let fields = fields.into_iter().zip(offsets).map(|((name, title, part), &offset)| {
        let field = Field::new(name, part.dtype).at(offset);
        match title {
            Some(title) => field.title(title),
            None => field,
        }
    });
    Some(Aligned { dtype: DType::from_fields(fields, itemsize).ok()?, alignment })
}

/// Returns a dtype with its alignment. That of numbers is that of the C type, also in a sub-array.
fn unaligned(dtype: DType) -> Aligned {
    let alignment = dtype.flat().0.scalar().map_or(1, |scalar| match scalar.kind() {
        ScalarKind::Bytes | ScalarKind::Void => 1,
        ScalarKind::Str => 4,
        ScalarKind::Complex => scalar.itemsize() / 2,
        _ => scalar.itemsize().max(1),
    });
    Aligned { dtype, alignment }
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
