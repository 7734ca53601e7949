//! Dtypes as users write them: `f4`, `int`, `U`, or as in headers; with counts and commas (`dtypes/counts.rs`), and as Python prints them (`dtypes/literal.rs`).

mod counts;
mod literal;

use npy_core::dtype::{Field, Scalar, ScalarKind};
use npy_core::{DType, Error};

/// The advice for numbers that an integer dtype does not hold.
pub(crate) const NUMERIC: &str = "--cast numeric cuts off fractions, makes NaN 0 and floats beyond the range its nearest end, and keeps the lowest bits of integers";

/// Parses a dtype as headers have it, or without the byte order: `f4`; also one with counts and commas: `>u4,3f4`.
pub(crate) fn parse(text: &str) -> npy_core::Result<DType> {
    let name = without_module(text);
    let other = || literal::parse(text).or_else(|| counts::parse(name));
    let dtype = plain(name).or_else(|error| other().ok_or(error))?;
    if has_open_width(&dtype) && !is_packed(&dtype) {
        return Err(Error::custom(
            "a dtype with offsets, an itemsize or align=True needs the width of each text; write U16 in place of U",
        ));
    }
    Ok(dtype)
}

/// Returns true if fields are without bytes between them, also in inner records.
fn is_packed(dtype: &DType) -> bool {
    if let Some((base, _)) = dtype.sub_array() {
        return is_packed(base);
    }
    let mut end = 0;
    dtype.scalar().is_some()
        || dtype.fields().iter().all(|field| {
            let is_next = field.offset() == end;
            end += field.dtype().itemsize();
            is_next && is_packed(field.dtype())
        }) && end == dtype.itemsize()
}

/// Parses a dtype as headers have it, or without the byte order.
fn plain(text: &str) -> npy_core::Result<DType> {
    let name = match text {
        "int" => "i8",
        "half" => "f2",
        "single" => "f4",
        "double" => "f8",
        "csingle" => "c8",
        "cdouble" => "c16",
        other => other,
    };
    name.parse().or_else(|error| format!("<{name}").parse().map_err(|_| error))
}

/// Returns a dtype without the names of Python around it: `np.float32`, and `np.dtype([…])`, as `npy struct --python` prints it.
fn without_module(text: &str) -> &str {
    let plain = ["np.", "numpy."].iter().find_map(|module| text.strip_prefix(module));
    let plain = plain.unwrap_or(text);
    let inner = plain.strip_prefix("dtype(").and_then(|rest| rest.strip_suffix(')'));
    // In the parentheses, a name is in quotes.
    inner.map_or(plain, |inner| inner.trim_matches(['\'', '"']))
}

/// Returns the name of a dtype that was probably meant by one with a slip.
pub(crate) fn meant(text: &str) -> Option<&'static str> {
    const NAMES: [&str; 16] = [
        "bool",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float16",
        "float32",
        "float64",
        "complex64",
        "complex128",
        "double",
        "single",
    ];
    let text = without_module(text);
    let distance = |name: &&str| strsim::osa_distance(text, name);
    let nearest = NAMES.into_iter().min_by_key(distance)?;
    (1..=text.len() / 3).contains(&distance(&nearest)).then_some(nearest)
}

/// Gives texts without a width (`U`, `S`, `V`) the width that they have in the array, as NumPy's `astype` does.
pub(crate) fn with_widths(wanted: DType, found: &DType) -> npy_core::Result<DType> {
    match has_open_width(&wanted) {
        true => widened(&wanted, Some(found)),
        false => Ok(wanted),
    }
}

fn has_open_width(dtype: &DType) -> bool {
    match (dtype.scalar(), dtype.sub_array()) {
        (Some(scalar), _) => scalar.itemsize() == 0,
        (None, Some((base, _))) => has_open_width(base),
        (None, None) => dtype.fields().iter().any(|field| has_open_width(field.dtype())),
    }
}

fn widened(wanted: &DType, found: Option<&DType>) -> npy_core::Result<DType> {
    if let Some((base, shape)) = wanted.sub_array() {
        let found = found.and_then(DType::sub_array).map(|(base, _)| base);
        return widened(base, found)?.array(shape);
    }
    let Some(scalar) = wanted.scalar() else {
        let (mut fields, mut size) = (Vec::new(), 0);
        for field in wanted.fields() {
            let found = found.and_then(|found| found.field(field.name())).map(Field::dtype);
            let dtype = widened(field.dtype(), found)?;
            size += dtype.itemsize();
            let new = Field::new(field.name(), dtype);
            fields.push(match field.title() {
                Some(title) => new.title(title),
                None => new,
            });
        }
        return DType::from_fields(fields, size);
    };
    // The characters that are there.
    let width = found.and_then(DType::scalar).and_then(|found| match found.kind() {
        ScalarKind::Str => Some(found.itemsize() / 4),
        ScalarKind::Bytes | ScalarKind::Void => Some(found.itemsize()),
        _ => None,
    });
    let size = match (scalar.kind(), width) {
        (ScalarKind::Str, Some(width)) => 4 * width,
        (ScalarKind::Bytes | ScalarKind::Void, Some(width)) => width,
        // Numbers become no text: with a width, the conversion is refused, and without one, all values would be empty.
        (ScalarKind::Str, None) => 4,
        (ScalarKind::Bytes | ScalarKind::Void, None) => 1,
        _ => 0,
    };
    match scalar.itemsize() {
        0 => Scalar::new(scalar.kind(), size).map(DType::from),
        _ => Ok(wanted.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::{meant, parse, with_widths};

    #[test]
    fn dtypes_are_those_of_numpy() {
        for (text, dtype) in [
            ("f4", "<f4"),
            (">i2", ">i2"),
            ("int", "<i8"),
            ("str", "<U0"),
            ("double", "<f8"),
            ("np.float32", "<f4"),
            ("np.dtype('<f4')", "<f4"),
            ("np.dtype([('a', 'f4'), ('b', '<U2')])", "[('a', '<f4'), ('b', '<U2')]"),
            ("datetime64[s]", "<M8[s]"),
            ("[('a', 'f4')]", "[('a', '<f4')]"),
            ("3f4", "('<f4', (3,))"),
            (">u4, (2,3)f4", "[('f0', '>u4'), ('f1', '<f4', (2, 3))]"),
            ("[('n', '>u4'), ('3f4', '3f4')]", "[('n', '>u4'), ('3f4', '<f4', (3,))]"),
            ("np.dtype(('<f4', (2,)))", "('<f4', (2,))"),
            ("dtype((numpy.record, [('a', '<i4')]))", "[('a', '<i4')]"),
            ("{'names': ['a'], 'formats': ['i4']}", "[('a', '<i4')]"),
            ("{'names': ['a'], 'formats': ['3i4']}", "[('a', '<i4', (3,))]"),
            (
                "dtype([('a', 'i1'), ('b', [('c', 'i1'), ('d', '<c16')])], align=True)",
                "[('a', '|i1'), ('', '|V7'), ('b', [('c', '|i1'), ('', '|V7'), ('d', '<c16')])]",
            ),
        ] {
            assert_eq!(parse(text).unwrap().to_string(), dtype, "{text}");
        }
        for text in [
            "x9",
            "3x9",
            "03f4",
            "<3>f4",
            "(2f4",
            "f4,,f4",
            "f4,",
            "[('a', '3x9')]",
            "{'names': ['a'], 'formats': []}",
            "{'a': 'f4'}",
            "dtype([('a', 'f4')",
            "{",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        for (text, name) in [("flot32", Some("float32")), ("np.unit8", Some("uint8")), ("x9", None)]
        {
            assert_eq!(meant(text), name);
        }
    }

    /// Returns the size of a dtype, with the offsets and layouts of its fields.
    #[cfg(feature = "live")]
    fn layout(dtype: &npy_core::DType) -> String {
        let (base, shape) = dtype.flat();
        let fields = base
            .fields()
            .iter()
            .map(|field| format!("{}@{}:{}", field.name(), field.offset(), layout(field.dtype())));
        let fields = fields.collect::<Vec<_>>().join(" ");
        format!("{}{shape:?}{{{fields}}}", dtype.itemsize()).replace(' ', "")
    }

    /// Guards offsets beside texts whose width is not known yet, which were dropped.
    #[test]
    fn offsets_need_the_width_of_texts() {
        for (text, is_known) in [
            ("np.dtype([('a', 'i1'), ('b', 'U'), ('c', 'f8')], align=True)", false),
            ("{'names': ['a', 'b'], 'formats': ['i1', 'S'], 'offsets': [0, 8]}", false),
            ("{'names': ['a', 'b'], 'formats': ['i1', 'U'], 'itemsize': 128}", false),
            ("np.dtype([('a', 'i1'), ('b', 'U2'), ('c', 'f8')], align=True)", true),
            ("[('a', 'i1'), ('b', 'U'), ('c', [('d', 'S'), ('e', 'f8', (2,))])]", true),
        ] {
            let parsed = parse(text);
            assert_eq!(parsed.is_ok(), is_known, "{text}");
            if let Err(error) = parsed {
                assert!(error.to_string().contains("needs the width of each text"), "{error}");
            }
        }
    }

    /// Guards values: dtypes in the forms of Python have the layout that NumPy gives them, aligned or not, or are refused.
    #[cfg(feature = "live")]
    #[test]
    fn layouts_are_those_of_numpy() {
        let script = r#"
import sys, warnings
import numpy as np
warnings.simplefilter("ignore")
rng = np.random.default_rng(int(sys.argv[1]))
pick = lambda *texts: texts[rng.integers(len(texts))]
scalar = lambda: pick("i1", "u2", "f4", "f8", "c8", "c16", "U3", "S3", "V5", "M8[s]", "?", "2f4", "(2,3)i2", "(3)i4", "g")
def string():
    return repr(",".join(scalar() for _ in range(rng.integers(1, 4))))
def dtype(depth):
    kinds = ["string"] * 3 + ["list", "dict", "pair", "dtype"] * (depth > 0)
    kind = pick(*kinds)
    if kind == "string":
        return string()
    inner = lambda: dtype(depth - 1)
    names = "abc"[:rng.integers(1, 4)]
    if kind == "list":
        shape = lambda: pick("", "", ", 2", ", (2,)", ", (2, 3)")
        return "[" + ", ".join(f"('{name}', {inner()}{shape()})" for name in names) + "]"
    if kind == "pair":
        return f"({inner()}, (2,))" if rng.random() < 0.8 else f"(numpy.record, {inner()})"
    if kind == "dtype":
        return f"np.dtype({inner()}{pick('', ', align=True')})"
    formats = [inner() for _ in names]
    text = f"{{'names': {list(names)}, 'formats': [{', '.join(formats)}]"
    if rng.random() < 0.5:
        offsets, end = [], 0
        for name in names:
            end = -(-end // 8) * 8 if rng.random() < 0.9 else end
            offsets.append(end)
            end += int(rng.integers(8, 100))
        text += f", 'offsets': {offsets}"
    if rng.random() < 0.3:
        text += f", 'itemsize': {int(rng.integers(1, 30)) * 8}"
    return text + pick("", ", 'aligned': True", ", 'aligned': False") + "}"
def layout(d):
    base, shape = d, ()
    while base.subdtype:
        base, shape = base.subdtype[0], shape + base.subdtype[1]
    fields = " ".join(f"{name}@{base.fields[name][1]}:{layout(base.fields[name][0])}" for name in base.names or [])
    return f"{d.itemsize}{list(shape)}{{{fields}}}".replace(" ", "")
texts = ["'(2)f4'", "np.dtype('i1,f8', align=True)", "np.dtype([('a', 'i1,f8')], align=True)", "{'names': ['a'], 'formats': ['i4'], 'itemsize': 16}"]
texts += [f"np.dtype({dtype(3)}{pick('', ', align=True', ', align=True')})" for _ in range(int(sys.argv[2]))]
for text in texts:
    try:
        expected = layout(np.dtype(eval(text, {"np": np, "numpy": np})))
    except Exception:
        expected = ""
    print(text, expected, sep="\t")
"#;
        let count = npy_tests::rounds(4000).to_string();
        let arguments = ["1", &count].map(std::ffi::OsStr::new);
        let (mut read, mut valid) = (0, 0);
        for line in npy_tests::Numpy::run(script, &arguments).lines() {
            let (text, expected) = line.split_once('\t').unwrap();
            valid += usize::from(!expected.is_empty());
            let Ok(dtype) = parse(text) else { continue };
            assert_eq!(layout(&dtype), expected, "{text}");
            read += 1;
        }
        // Some are read by NumPy alone.
        assert!(read > valid / 2, "{read} of {valid}");
    }

    #[test]
    fn texts_get_the_width_that_they_have() {
        for (wanted, found, dtype) in [
            ("U", "<U5", "<U5"),
            ("S", "<U5", "|S5"),
            ("U2", "<U5", "<U2"),
            ("U", "<i4", "<U1"),
            (
                "[(('t', 'a'), 'U'), ('b', 'S', (2,)), ('c', [('d', 'V')]), ('e', 'f4')]",
                "[('c', [('d', '|V3')]), ('a', '<U2'), ('b', '|S7', (2,)), ('e', '<f8')]",
                "[(('t', 'a'), '<U2'), ('b', '|S7', (2,)), ('c', [('d', '|V3')]), ('e', '<f4')]",
            ),
        ] {
            let wanted = with_widths(parse(wanted).unwrap(), &found.parse().unwrap()).unwrap();
            assert_eq!(wanted.to_string(), dtype);
        }
    }
}
