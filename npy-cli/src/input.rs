//! Text that becomes an array: CSV and JSON, in lines or as a list.
//!
//! `read(stream, form, name, dtype)` returns an array of records, one field for each column. The dtypes of the columns follow from their
//! values (`column.rs`), or from `dtype`. All of the text is in memory, because the last row may decide the dtype of a column.
//! Python objects become columns, too, for a dtype (`objects.rs`).
//!
//! Text that the command has written becomes the same array again: the columns `x.0`, `x.1` (in JSON a list) are a field with a sub-array; `0`, `1`
//! are an array of two dimensions, and the only column `value` one of one dimension. With a `dtype`, `x.re` and `x.im` (in JSON a list of two) are a complex number,
//! and `90 seconds` is a span of time.
//!
//! | text | dtype |
//! |---|---|
//! | `True`, `true`, `TRUE` | `\|b1` |
//! | integers | `<i8`, or `<u8` if they do not fit |
//! | numbers, `inf`, `nan`, and beside them `Infinity`, `-NaN`, `-0` and the like; integers beside them or beside missing values, if no `<f8` changes them | `<f8` |
//! | ISO times | `<M8[D]`, `[h]`, `[m]`, `[s]`, `[ms]`, `[us]` or `[ns]`, by the most digits |
//! | `(1+2j)`, as `np.savetxt` writes complex numbers | `<c16` |
//! | anything else, also `007`, and `+5` without other numbers | `<U` of the longest |
//!
//! An empty field of CSV and `null` are missing: `nan`, `NaT`, or the empty text. Blanks around a number, a time, `True` or `False` of CSV do not count, as in `np.loadtxt`; those of text stay.
//!
//! The first line of CSV has the names of the columns, if none of its fields is empty or may be a value: a number, a time, `True` or `False`. Only the first ones may be empty,
//! above the index of pandas (`names.rs`). Any other first line is an error that names `--header` and `--no-header`, because a row would be lost as names.
//! Names of several levels are read only if the lines below them are certain to be those that pandas writes with its index.
//!
//! CSV may have lines that begin with `#`, as `np.savetxt` writes them: names before the first row, and comments (`comments.rs`) if the first column has numbers, times or booleans. Of text, they are comments if a blank follows, and
//! otherwise rows; a remark says so, and `--comments` says otherwise. Those after the numbers of a row are left out, too (`end_comments.rs`); those that `--comments` names end any row (`split.rs`). Quotes of a comment have no
//! meaning if they do not end in their line, unless they end as those of a field do, in a row (`quotes.rs`). If a blank is the delimiter, so is any run of blanks (`split.rs`). A first line `sep=;` states the delimiter, as for Excel; numbers with blanks between them show it (`delimiter.rs`).
//!
//! With a dtype of times, an offset from UTC (`Z`, `+02:00`) is applied, as NumPy does. Integers are counts of the unit; but in CSV, four digits are a year, if all
//! values are times or have four digits, and dates without hyphens (`20240131`) are refused. Beside other counts, `20240131` is a count, and without a dtype it is an integer.
//! Digits in the quotes of JSON, or in the text of an object, are no count: four are a year, and others are refused.

mod cells;
mod column;
mod comments;
mod copy;
mod csv;
mod decimal;
mod delimiter;
mod encode;
mod end_comments;
mod guess;
mod json;
mod kind;
mod lists;
mod looks;
mod names;
mod numbers;
mod objects;
mod options;
mod quotes;
mod remarks;
mod split;
mod times;
mod tree;
mod units_row;
mod value;

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::mem;
use std::path::Path;

use npy_core::dtype::{Field, ScalarKind};
use npy_core::{Cast, DType, DynArray, Order};

use self::column::Column;
pub(crate) use self::csv::{Comments, Dialect, FirstLine};
pub(crate) use self::decimal::Decimal;
use self::json::Digits;
pub(crate) use self::numbers::{decimal, integer_part, is_float};
pub(crate) use self::options::of as options;
pub(crate) use self::times::attoseconds_of;
use self::tree::{Tree, complex};
use crate::output::{Failure, Of, Result, note};
use crate::{remedy, remote, rows, shell};

/// The form of a text file.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    Csv(Dialect),
    JsonLines,
    /// A list of rows.
    Json,
}

impl Form {
    /// Returns the form that the name of a file says.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        match remote::extension(path)?.as_str() {
            "csv" => Some(Form::Csv(Dialect::default())),
            "tsv" => Some(Form::Csv(Dialect { delimiter: Some(b'\t'), ..Dialect::default() })),
            "jsonl" | "ndjson" => Some(Form::JsonLines),
            "json" => Some(Form::Json),
            _ => None,
        }
    }
}

/// Returns true for a file that begins as text of `np.savetxt` with blanks between its numbers, whatever its name.
pub(crate) fn is_savetxt(path: &Path, comments: Comments) -> bool {
    first_lines(path).is_ok_and(|lines| {
        let text = String::from_utf8_lossy(&lines);
        let shortened = match comments {
            Comments::Unknown => end_comments::removed(&text, None),
            Comments::Marked(_) | Comments::None => None,
        };
        let text = shortened.map_or(text, |shortened| shortened.text.into());
        delimiter::are_blanks(text.as_bytes(), comments)
    })
}

/// Says which lines at the start of a file of numbers have other numbers of them.
pub(crate) fn uneven(path: &Path) -> Option<String> {
    delimiter::uneven(str::from_utf8(&first_lines(path).ok()?).ok()?)
}

/// Reads the lines at the start of a file, the last of them to its end; none if its first bytes are not those of text.
fn first_lines(path: &Path) -> io::Result<Vec<u8>> {
    const ENOUGH: usize = 1 << 16;
    /// The longest text that is looked at: a file without lines is not read as a whole.
    const MAX: u64 = 1 << 24;
    let mut file = BufReader::new(File::open(path)?).take(MAX);
    let mut lines = Vec::new();
    let is_text = |byte: &u8| !byte.is_ascii_control() || byte.is_ascii_whitespace();
    if !file.fill_buf()?.iter().all(is_text) {
        return Ok(lines);
    }
    while lines.len() < ENOUGH && file.read_until(b'\n', &mut lines)? > 0 {}
    Ok(lines)
}

/// The dtype that the columns will be converted to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'a> {
    pub(crate) dtype: &'a DType,
    pub(crate) cast: Cast,
    /// The columns that are kept, if the dtype is that of all columns; none for all.
    pub(crate) columns: &'a [String],
    /// The columns that are chosen before the array is converted to a dtype of records.
    pub(crate) chosen: &'a [String],
}

/// Reads an array of records. `name` is that of the file, for messages. `wanted` says how to read the columns whose names it has.
pub(crate) fn read(
    stream: impl Read,
    form: &Form,
    name: &str,
    wanted: Option<Wanted<'_>>,
) -> Result<DynArray> {
    let table = table(stream, form, name, wanted)?;
    told(table, Some(form), name, wanted)
}

/// Reads the columns of a text.
fn table(stream: impl Read, form: &Form, name: &str, wanted: Option<Wanted<'_>>) -> Result<Table> {
    let dtype = wanted.map(|wanted| wanted.dtype);
    // Of JSON, an integer must not be that of a float which is only near to its text.
    let has_integers = dtype.is_some_and(has_integers);
    let digits = match wanted {
        None => Digits::Rounded,
        Some(Wanted { cast: Cast::Lossless, .. }) => Digits::Refused { has_integers },
        _ if has_integers => Digits::AsText,
        Some(_) => Digits::Rounded,
    };
    let stream = utf8(stream, name)?;
    match form {
        Form::Csv(dialect) => {
            let known = dtype.map_or(&[][..], DType::fields);
            let known: Vec<&str> = known.iter().map(Field::name).collect();
            let is_text = |name: &str| {
                let column = wanted.and_then(|wanted| wanted.of_column(&[name.to_owned()]));
                column.is_some_and(|column| is_text(column.dtype))
            };
            csv::columns(stream, name, dialect, &known, is_text)
        }
        Form::JsonLines => json::lines(stream, name, digits, wanted.is_none_or(Wanted::is_all)),
        Form::Json => json::list(stream, name, digits, wanted.is_none_or(Wanted::is_all)),
    }
}

/// Converts the objects among the values of rows.
pub(crate) fn read_objects(
    rows: &mut rows::Rows<'_>,
    name: &str,
    wanted: Wanted<'_>,
) -> Result<DynArray> {
    told(objects::columns(rows, name, wanted)?, None, name, Some(wanted))
}

/// The columns of a text, or of objects.
struct Table {
    rows: usize,
    columns: Vec<Column>,
    /// The paths of objects of JSON and of dicts, each with the first row that has it. `None` for CSV, where only the names tell a list from a record.
    records: Option<Records>,
    /// True if the first line of CSV, which may have names, was read as a row.
    is_headless: bool,
    /// True if the only column of CSV has the text of several, which a remark says.
    is_undivided: bool,
    /// Remarks about the text, for the user.
    remarks: Vec<String>,
}

type Records = HashMap<Vec<String>, usize>;

/// Stores columns, and prints the remarks about them.
fn told(
    mut table: Table,
    form: Option<&Form>,
    name: &str,
    wanted: Option<Wanted<'_>>,
) -> Result<DynArray> {
    let tell = |remarks: Vec<String>| remarks.iter().for_each(|remark| note(name, remark));
    // Those about the text may say why the columns cannot be stored.
    tell(mem::take(&mut table.remarks));
    let (array, remarks) = stored(table, form, name, wanted)?;
    tell(remarks);
    Ok(array)
}

/// Stores columns, and returns remarks about their dtypes. `form` is that of a text.
fn stored(
    table: Table,
    form: Option<&Form>,
    name: &str,
    wanted: Option<Wanted<'_>>,
) -> Result<(DynArray, Vec<String>)> {
    let rows = table.rows;
    if let Some(Wanted { dtype, .. }) = wanted
        && table.columns.is_empty()
        && rows == 0
    {
        let array = DynArray::new(dtype.clone(), [0], Order::C, Vec::new()).of(&name)?;
        return Ok((array, Vec::new()));
    }
    let (columns, layout, remarks) = planned(table, form, name, wanted)?;
    Ok((encoded(&columns, rows, layout, name)?, remarks))
}

/// Decides how columns are stored, and returns remarks about their dtypes.
fn planned(
    Table { rows, mut columns, records, is_headless, is_undivided, .. }: Table,
    form: Option<&Form>,
    name: &str,
    wanted: Option<Wanted<'_>>,
) -> Result<(Vec<Column>, Layout, Vec<String>)> {
    let dtype = wanted.map(|wanted| wanted.dtype);
    if columns.is_empty() {
        let message = match rows {
            0 => "is empty; npy convert with --dtype makes an array without rows of it",
            _ => "has no columns",
        };
        return Err(Failure::new(name, message));
    }
    let is_csv = records.is_none();
    let mut records = records.unwrap_or_default();
    if let Some(Wanted { dtype, columns: names @ [_, ..], .. }) = wanted
        && !dtype.is_record()
    {
        let chosen = column::choose(&mut columns, &mut records, names);
        chosen.map_err(|message| Failure::new(name, message))?;
    }
    divide_names(&mut columns, dtype, is_csv);
    if let Some(dtype) = dtype {
        let is_record = |path: &[String]| leaf(dtype, path).is_some_and(DType::is_record);
        let paths = columns.iter().map(|column| &column.path);
        let parts = paths.flat_map(|path| (0..path.len()).map(|depth| &path[..depth]));
        records.extend(parts.filter(|path| is_record(path)).map(|path| (path.to_vec(), 0)));
    }
    // Of a column that is chosen alone, the fields are those of the dtype.
    let is_wanted = |(at, column): (usize, &Column)| match wanted {
        Some(Wanted { dtype, chosen: [name], .. }) => {
            column::asks_for(name, at, &column.path, |part| has_column(dtype, part))
        }
        Some(Wanted { dtype, .. }) => has_column(dtype, &column.path),
        None => true,
    };
    let mut wanted_columns = columns.iter().enumerate().filter(|it| is_wanted(*it));
    let refusal = wanted_columns.find_map(|(_, column)| column.refused.clone());
    let (refused, mut columns): (Vec<_>, Vec<_>) =
        columns.into_iter().partition(|column| column.refused.is_some());
    if let Some(wanted) = wanted {
        check_records(&mut columns, &records, wanted, name)?;
    }
    if let Some(message) = refusal {
        return Err(Failure::new(name, message));
    }
    // The cast leaves them out, like all columns that the dtype does not name.
    columns.extend(refused);
    column::find_kinds(&mut columns, wanted);
    let uneven = lists::unify(&mut columns, &records, dtype.is_none());
    let tree = Tree::of(&columns, &records, name)?;
    // Text that stays has its own width.
    decimal::finish(&mut columns, name)?;
    let remarks = match dtype {
        None if !is_undivided => {
            let columns =
                remarks::Columns { all: &columns, tree: &tree, is_headless, file: name, form };
            let found = remarks::of(&columns, &uneven);
            found.into_iter().chain(json::about_null(columns.all)).collect()
        }
        _ => Vec::new(),
    };
    // Lists of JSON may be complex numbers.
    let is_json = matches!(form, Some(Form::Json | Form::JsonLines));
    let layout = Layout::of(tree, &columns, dtype, is_json, name)?;
    Ok((columns, layout, remarks))
}

/// Refuses objects and dicts where the dtype has no fields for their keys.
fn check_records(
    columns: &mut [Column],
    records: &Records,
    wanted: Wanted<'_>,
    name: &str,
) -> Result<()> {
    let mut paths: Vec<(&Vec<String>, &usize)> = records.iter().collect();
    paths.sort_by_key(|(path, row)| (**row, *path));
    for (path, row) in paths {
        // The keys were chosen by their names.
        if path.is_empty() && !wanted.columns.is_empty() {
            continue;
        }
        let Some(dtype) = wanted.of_column(path).map(|wanted| wanted.dtype) else { continue };
        let parts = columns.iter().filter_map(|column| column.path.strip_prefix(&path[..]));
        let keys: HashSet<&str> = parts.filter_map(|rest| Some(rest.first()?.as_str())).collect();
        let are_parts = keys == HashSet::from(["re", "im"]);
        let has_fields = dtype.is_record() && !dtype.fields().is_empty();
        // Other columns were chosen, or the objects have no keys.
        if keys.is_empty() || has_fields || is_complex(dtype) && are_parts {
            continue;
        }
        // Without a width, it is in the value.
        let text = match dtype.itemsize() {
            0 => dtype.to_string().trim_end_matches('0').to_owned(),
            _ => dtype.to_string(),
        };
        let advice = advice_for_keys(columns, records, wanted, name)?;
        return Err(Failure::new(
            name,
            format!("row {row}: there are keys, for which '{text}' has no fields; {advice}"),
        ));
    }
    Ok(())
}

/// Returns the options for objects and dicts that a dtype has no fields for: a dtype of all columns, which keeps the wanted one where that holds all values. If it is long, one
/// column that the wanted one holds.
fn advice_for_keys(
    columns: &mut [Column],
    records: &Records,
    wanted: Wanted<'_>,
    name: &str,
) -> Result<String> {
    const MAX_FIELDS: usize = 8;
    let paths: Vec<Vec<String>> = columns.iter().map(|column| column.path.clone()).collect();
    column::find_kinds(columns, None);
    let mut dtypes = Vec::new();
    let (mut held, mut lost) = (Vec::new(), HashSet::new());
    for (column, path) in columns.iter_mut().zip(&paths) {
        let guessed = column.dtype().of(&name)?;
        let mut outer = (0..=path.len()).rev().map(|depth| &path[..depth]);
        let dtype = outer.find_map(|path| wanted.of_column(path)).map(|wanted| wanted.dtype);
        let is_held =
            dtype.is_some_and(|dtype| !dtype.is_record() && column.holds(dtype, wanted.cast));
        // One part of a complex number, which may be a list, is not all of it.
        let is_part = |part: &str, outer: &[String]| {
            !outer.is_empty() && (matches!(part, "re" | "im") || !records.contains_key(outer))
        };
        let value = match path.split_last() {
            Some((part, outer)) if dtype.is_some_and(is_complex) && is_part(part, outer) => outer,
            _ => path,
        };
        if is_held {
            held.push(value);
        } else {
            lost.insert(value);
        }
        dtypes.push(match dtype.filter(|_| is_held) {
            // Without a width, it is in the values.
            Some(dtype) if dtype.itemsize() == 0 => column.dtype().of(&name)?,
            Some(dtype) => dtype.clone(),
            None => guessed,
        });
    }
    let held = held.into_iter().find(|value| !lost.contains(value)).map(|value| value.join("."));
    let choice = |path: &str| format!("{} chooses one", shell::column(path));
    if !wanted.columns.is_empty() {
        return Ok(choice(&held.unwrap_or_else(|| paths[0].join("."))));
    }
    if columns.len() <= MAX_FIELDS {
        let dtype = Tree::of(columns, records, name)?.record(&dtypes).of(&name)?;
        let dtype = shell::word(dtype.to_string().as_bytes());
        return Ok(format!("as records: --dtype {dtype}"));
    }
    let held = held.filter(|_| !wanted.dtype.is_record());
    let choice = held.map(|column| format!(", and {}", choice(&column)));
    Ok(format!("without --dtype they are records{}", choice.unwrap_or_default()))
}

/// Divides names such as `x.0` and `z.re` into their parts: as the dtype has them, or in CSV if they are complete lists.
fn divide_names(columns: &mut [Column], dtype: Option<&DType>, is_csv: bool) {
    if let Some(dtype) = dtype.filter(|dtype| dtype.is_record()) {
        return columns.iter_mut().for_each(|column| column.split_like(dtype));
    }
    if dtype.is_some_and(is_complex) {
        columns.iter_mut().for_each(Column::split_parts);
    }
    if is_csv {
        lists::split(columns);
    }
}

impl<'a> Wanted<'a> {
    /// Returns true if all columns are wanted.
    fn is_all(self) -> bool {
        self.columns.is_empty() && !self.dtype.is_record()
    }

    /// Returns what a column will be converted to.
    fn of_column(self, path: &[String]) -> Option<Wanted<'a>> {
        let dtype = self.dtype;
        let dtype = match dtype.is_record() {
            true => leaf(dtype, path).or_else(|| complex_of(dtype, path)),
            false => Some(dtype),
        };
        dtype.map(|dtype| Wanted { dtype, ..self })
    }
}

/// How the columns are stored in the items of an array.
struct Layout {
    dtype: DType,
    /// The dimensions of a row.
    inner: Vec<usize>,
    /// The bytes of a row.
    row_bytes: usize,
    /// The columns, one after the other. Fields of a nested record come together, so this may not be their order in the text.
    order: Vec<usize>,
}

impl Layout {
    fn of(
        mut tree: Tree,
        columns: &[Column],
        wanted: Option<&DType>,
        is_json: bool,
        name: &str,
    ) -> Result<Self> {
        let is_record = wanted.is_some_and(DType::is_record);
        if let Some(dtype) = wanted {
            tree.join(is_json, &|path| match is_record {
                true => leaf(dtype, path).is_some_and(is_complex),
                false => is_complex(dtype),
            });
        }
        let number = wanted.filter(|dtype| is_complex(dtype)).and_then(|_| tree.parts(is_json));
        let dtypes: Vec<DType> =
            columns.iter().map(Column::dtype).collect::<npy_core::Result<_>>().of(&name)?;
        let plain = match number {
            _ if is_record => None,
            Some([re, _]) => Some((complex(&dtypes[re]).of(&name)?, Vec::new())),
            None => tree.plain(&dtypes, wanted.is_some()).of(&name)?,
        };
        let (dtype, inner) = match plain {
            Some(plain) => plain,
            None => (tree.record(&dtypes).of(&name)?, Vec::new()),
        };
        let row_bytes = columns.iter().map(Column::itemsize).sum();
        let order = number.map_or_else(|| tree.order(), Vec::from);
        Ok(Layout { dtype, inner, row_bytes, order })
    }
}

/// Stores the values of the columns.
fn encoded(columns: &[Column], rows: usize, layout: Layout, name: &str) -> Result<DynArray> {
    /// All columns of that many rows are stored before the next rows.
    const BLOCK: usize = 1024;
    let Layout { dtype, inner, row_bytes, order } = layout;
    let total = rows.saturating_mul(row_bytes);
    let mut bytes = Vec::new();
    if bytes.try_reserve_exact(total).is_err() {
        let message = format!(
            "the array would have {total} bytes, more than the memory: one long text makes all rows wide"
        );
        return Err(Failure::new(name, message));
    }
    bytes.resize(total, 0);
    let size = row_bytes.max(1);
    for (block, items) in bytes.chunks_mut(size.saturating_mul(BLOCK)).enumerate() {
        let mut offset = 0;
        for column in order.iter().map(|&at| &columns[at]) {
            let width = column.itemsize();
            for (at, item) in items.chunks_exact_mut(size).enumerate() {
                let row = block * BLOCK + at;
                column.encode(row, &mut item[offset..offset + width]).map_err(|message| {
                    let field = column.path.join(".");
                    Failure::new(name, format!("row {row}, field {field}: {message}"))
                })?;
            }
            offset += width;
        }
    }
    let shape: Vec<usize> = std::iter::once(rows).chain(inner).collect();
    DynArray::new(dtype, shape, Order::C, bytes).of(&name)
}

/// Returns the text without a byte order mark. UTF-16, which Excel and PowerShell can write, is refused.
fn utf8<R: Read>(mut stream: R, name: &str) -> Result<impl Read + use<R>> {
    let mut start = Vec::new();
    stream.by_ref().take(6).read_to_end(&mut start).of(&name)?;
    match &start[..] {
        [0xef, 0xbb, 0xbf, ..] => drop(start.drain(..3)),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
            let message = "the text is UTF-16; iconv -f UTF-16 -t UTF-8 converts it";
            return Err(Failure::new(name, message));
        }
        start => {
            if let Some(what) = other_format(start) {
                let message = remedy::with_command(name, format!("{name}: it is {what}"));
                return Err(Failure::Message(message));
            }
        }
    }
    Ok(Cursor::new(start).chain(stream))
}

/// Returns what a file is that begins so and is not text, and what to do.
fn other_format(start: &[u8]) -> Option<&'static str> {
    const FORMATS: [(&[u8], &str); 6] = [
        (b"\x93NUMPY", "an array as .npy, and not text; leave out --from"),
        (
            b"PK\x03\x04",
            "a zip archive, and not text; leave out --from if its members are arrays, and unzip -p prints one that is text",
        ),
        (b"\x1f\x8b", "compressed with gzip: decompress it first"),
        (b"\x28\xb5\x2f\xfd", "compressed with zstd: decompress it first"),
        (b"\xfd7zXZ\0", "compressed with xz: decompress it first"),
        (b"BZh", "compressed with bzip2: decompress it first"),
    ];
    // Names of columns may begin like the one of bzip2, without its size and the first of its magic numbers.
    let is_bzip2 = || start.get(4..6) == Some(b"1A");
    let is_start =
        |(magic, _): &(&[u8], &str)| start.starts_with(magic) && (*magic != b"BZh" || is_bzip2());
    let (_, what) = FORMATS.into_iter().find(is_start)?;
    Some(what)
}

/// Returns the dtype at a path of names, and of indices in sub-arrays.
fn leaf<'d>(dtype: &'d DType, path: &[String]) -> Option<&'d DType> {
    if path.is_empty() {
        return Some(dtype);
    }
    if let Some((base, shape)) = dtype.sub_array() {
        let (indices, rest) = path.split_at_checked(shape.len())?;
        let exists = |(index, &length): (&String, &usize)| {
            index.parse::<usize>().is_ok_and(|index| index < length)
        };
        return indices.iter().zip(shape).all(exists).then(|| leaf(base, rest))?;
    }
    // A column that is chosen has one name for all of its path.
    let field = |depth: usize| Some((depth, dtype.field(&path[..depth].join("."))?));
    let (depth, field) = (1..=path.len()).find_map(field)?;
    leaf(field.dtype(), &path[depth..])
}

/// Returns true if a dtype has a field for a column or for one around it, or has no fields.
fn has_column(dtype: &DType, path: &[String]) -> bool {
    let (base, shape) = dtype.flat();
    match path.get(shape.len()..).and_then(<[String]>::split_first) {
        Some((first, rest)) if base.is_record() => {
            base.field(first).is_some_and(|field| has_column(field.dtype(), rest))
        }
        _ => true,
    }
}

fn has_integers(dtype: &DType) -> bool {
    let (base, _) = dtype.flat();
    base.fields().iter().any(|field| has_integers(field.dtype())) || is_integer(base)
}

fn is_integer(dtype: &DType) -> bool {
    let kind = dtype.scalar().map(|scalar| scalar.kind());
    matches!(kind, Some(ScalarKind::Int | ScalarKind::UInt))
}

fn is_text(dtype: &DType) -> bool {
    let kind = dtype.flat().0.scalar().map(|scalar| scalar.kind());
    matches!(kind, Some(ScalarKind::Str | ScalarKind::Bytes))
}

fn is_complex(dtype: &DType) -> bool {
    dtype.scalar().is_some_and(|scalar| scalar.kind() == ScalarKind::Complex)
}

/// Returns the dtype of a complex number whose parts have this dtype.
fn complex_of<'d>(dtype: &'d DType, path: &[String]) -> Option<&'d DType> {
    let (part, path) = path.split_last()?;
    let is_part = matches!(part.as_str(), "re" | "im" | "0" | "1");
    leaf(dtype, path).filter(|dtype| is_part && is_complex(dtype))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;

    use super::{Comments, is_savetxt};

    /// Guards the cost of a file that is not text: its first part says so.
    #[test]
    fn of_data_that_is_not_text_a_small_part_is_read() {
        let bytes_read = || {
            let status = fs::read_to_string("/proc/thread-self/io").unwrap();
            let line = status.lines().next().unwrap();
            line.strip_prefix("rchar: ").unwrap().parse::<usize>().unwrap()
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.bin");
        fs::write(&path, vec![1; 1 << 20]).unwrap();
        let before = bytes_read();
        assert!(!is_savetxt(&path, Comments::Unknown));
        assert!(bytes_read() - before < 1 << 16);
        let line = "1.5 2.5 ".repeat(20_000) + "\n";
        fs::write(&path, line.repeat(2)).unwrap();
        assert!(is_savetxt(&path, Comments::Unknown));
    }
}
