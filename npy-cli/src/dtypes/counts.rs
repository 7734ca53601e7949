//! Dtypes with NumPy's counts and commas: `3f4` and `(2,3)f4` are sub-arrays, and `>u4,3f4` is a record of the fields `f0` and `f1`. Headers have none of them.

use npy_core::DType;

/// Returns the dtype of such a text, or of a list of fields in which some have such a dtype; `None` for any other text.
pub(super) fn parse(text: &str) -> Option<DType> {
    match text.starts_with('[') {
        true => written_out(text)?.parse().ok(),
        false => of_string(text),
    }
}

fn of_string(text: &str) -> Option<DType> {
    let dtypes: Vec<DType> = parts(text).into_iter().map(counted).collect::<Option<_>>()?;
    match &dtypes[..] {
        // NumPy reads `(2)f4` only between commas.
        [one] => {
            let is_number = text.contains('(') && !text.contains(',');
            (!is_number || one.sub_array().is_none()).then(|| one.clone())
        }
        _ => {
            let fields = dtypes.into_iter().enumerate();
            DType::record(fields.map(|(at, dtype)| (format!("f{at}"), dtype))).ok()
        }
    }
}

/// Returns the parts between the commas that are in no brackets.
fn parts(text: &str) -> Vec<&str> {
    let mut depth = 0usize;
    let is_separator = |c: char| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    };
    text.split(is_separator).collect()
}

/// Reads a dtype of a scalar, with a count or not. The byte order may precede the count.
fn counted(text: &str) -> Option<DType> {
    let (before, rest) = byte_order(text.trim());
    let (shape, rest) = match rest.strip_prefix('(') {
        Some(rest) => {
            let (shape, rest) = rest.split_once(')')?;
            let lengths = shape.strip_suffix(',').unwrap_or(shape);
            let lengths = lengths.split(',').filter(|_| !shape.trim().is_empty());
            (lengths.map(length).collect::<Option<Vec<usize>>>()?, rest)
        }
        None => {
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let (digits, rest) = rest.split_at(end);
            let count = if digits.is_empty() { None } else { Some(length(digits)?) };
            (count.into_iter().collect(), rest)
        }
    };
    let (after, name) = byte_order(rest.trim_start());
    let order = match (before, after) {
        ("", order) | (order, "") => order,
        (before, after) => (before == after).then_some(before)?,
    };
    let order = if order == "=" { "" } else { order };
    let base = super::plain(&format!("{order}{name}")).ok()?;
    // A count before a text is its width to NumPy if it has none.
    let is_open = base.itemsize() == 0 && !shape.is_empty();
    match (base.scalar().is_some() && !is_open, &shape[..]) {
        (false, _) => None,
        (true, []) => Some(base),
        (true, shape) => base.array(shape).ok(),
    }
}

/// Divides a text after its mark of a byte order, which may be missing.
fn byte_order(text: &str) -> (&str, &str) {
    text.split_at(usize::from(text.starts_with(['<', '>', '=', '|'])))
}

/// Reads the length of a dimension. As in Python, no zero precedes its digits.
fn length(text: &str) -> Option<usize> {
    let digits = text.trim();
    let is_padded = digits.len() > 1 && digits.starts_with('0');
    let are_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| are_digits && !is_padded)
}

/// Returns a list of fields whose dtypes with counts and commas are those of headers.
fn written_out(text: &str) -> Option<String> {
    let mut out = String::new();
    // The brackets that are open, each with the commas in it.
    let mut open: Vec<(char, usize)> = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (mut token, mut tail) = rest.split_at(c.len_utf8());
        match c {
            '(' | '[' => open.push((c, 0)),
            ')' | ']' => drop(open.pop()?),
            ',' => open.last_mut()?.1 += 1,
            '\'' | '"' => {
                (token, tail) = rest.split_at(end_of_string(rest)?);
                // The second item of a field.
                if let [.., ('[', _), ('(', 1)] = open[..]
                    && let Some(dtype) = of_string(&token[1..token.len() - 1])
                {
                    out += &literal(&dtype);
                    rest = tail;
                    continue;
                }
            }
            _ => {}
        }
        out += token;
        rest = tail;
    }
    Some(out)
}

/// Returns a dtype as a list of fields has it: that of a scalar in quotes.
fn literal(dtype: &DType) -> String {
    match dtype.scalar() {
        Some(_) => format!("'{dtype}'"),
        None => dtype.to_string(),
    }
}

/// Returns the number of bytes of the string that a text begins with.
fn end_of_string(text: &str) -> Option<usize> {
    let quote = text.chars().next()?;
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            c if c == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}
