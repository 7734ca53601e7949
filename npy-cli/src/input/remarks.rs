//! Remarks about columns that became text although their values look like numbers or times, and about lists whose items have no common dtype.

use std::cell::LazyCell;

use npy_core::DType;

use super::column::Column;
use super::decimal::{Decimal, has_point};
use super::encode::excerpt;
use super::end_comments;
use super::guess::kind_of_text;
use super::kind::Kind;
use super::lists::Uneven;
use super::looks::{ALL, Look, Looks};
use super::numbers::fits_float;
use super::times::Digits;
use super::tree::Tree;
use super::units_row::UnitsRow;
use super::value::{self, Value};
use super::{Form, delimiter};
use crate::{dtypes, shell};

/// The number of columns that have a remark. More of them are counted.
const MAX: usize = 4;

/// The columns, and what a dtype for one of them needs to know of the others.
pub(super) struct Columns<'a> {
    pub(super) all: &'a [Column],
    pub(super) tree: &'a Tree,
    /// The first row may be a line with names.
    pub(super) is_headless: bool,
    /// The name of the file.
    pub(super) file: &'a str,
    /// The form in which it was read.
    pub(super) form: Option<&'a Form>,
}

/// Returns remarks about columns that are text, and about `lists` whose items have no common dtype.
pub(super) fn of(columns: &Columns<'_>, lists: &[Uneven]) -> Vec<String> {
    let mut remarks = Vec::new();
    let mut more = 0;
    let marks = LazyCell::new(|| columns.marks());
    let units = if columns.is_headless { None } else { UnitsRow::find(columns.all) };
    remarks.extend(units.as_ref().map(|units| units.remark(columns.file)));
    let is_other = |at: &usize| units.as_ref().is_none_or(|units| !units.has(*at));
    for at in (0..columns.all.len()).filter(is_other) {
        let column = &columns.all[at];
        // The dtype of all columns is made for the remarks alone that are shown.
        let is_shown = remarks.len() < MAX;
        let option = |dtype: &str| match is_shown {
            true => columns.option(&[at], dtype),
            false => String::new(),
        };
        let commas = || match is_shown {
            true => about_commas(column, &marks),
            false => String::new(),
        };
        match about(column, is_shown, option, commas, columns) {
            Some(remark) if is_shown => remarks.push(remark),
            Some(_) => more += 1,
            None => {}
        }
    }
    let shown = lists.len().min(MAX - remarks.len());
    remarks.extend(lists[..shown].iter().map(|list| columns.about_list(list)));
    more += lists.len() - shown;
    if more > 0 {
        let columns =
            if more == 1 { "is 1 more column" } else { &format!("are {more} more columns") };
        remarks.push(format!("there {columns} with such a remark"));
    }
    remarks.extend(filled(columns.all));
    remarks
}

/// Returns the number of fields that a dtype names, also those of records within it.
fn count_fields(dtype: &DType) -> usize {
    if let Some((base, _)) = dtype.sub_array() {
        return count_fields(base);
    }
    match dtype.fields() {
        [] => 1,
        fields => fields.iter().map(|field| count_fields(field.dtype())).sum(),
    }
}

/// Returns a dtype with the fields of one column alone, and with all items of its lists.
fn alone(dtype: &DType, path: &[String]) -> npy_core::Result<DType> {
    if let Some((base, shape)) = dtype.sub_array() {
        return alone(base, path.get(shape.len()..).unwrap_or_default())?.array(shape);
    }
    let Some((first, rest)) = path.split_first() else { return Ok(dtype.clone()) };
    match dtype.field(first) {
        Some(field) => DType::record([(first.clone(), alone(field.dtype(), rest)?)]),
        None => Ok(dtype.clone()),
    }
}

impl Columns<'_> {
    /// Returns the marks that an option can name: no number becomes another one, even in a column of text, and the comma is not between
    /// fields.
    fn marks(&self) -> Vec<Decimal> {
        let Some(Form::Csv(dialect)) = self.form else { return Vec::new() };
        let is_apart = dialect.delimiter.is_some_and(|delimiter| delimiter != delimiter::COMMA);
        let keeps = |column: &Column| {
            let mut values = column.values.iter();
            let [comma, point] = [Decimal::Comma, Decimal::Point];
            let is_comma =
                |text: &str| comma.number(text).is_some() && point.number(text).is_none();
            match values.clone().any(|value| is_comma(&value.text())) {
                true => !values.any(|value| comma.refuses(&value.text())),
                false => !values.any(|value| has_point(&value.text())),
            }
        };
        let is_quoted = |column: &Column| column.values.iter().any(|it| it.text().contains(','));
        let comma = (is_apart || self.all.iter().any(is_quoted)) && self.all.iter().all(keeps);
        [comma.then_some(Decimal::Comma), Some(Decimal::Point)].into_iter().flatten().collect()
    }

    /// Returns the option that says how numbers are written.
    fn mark(&self) -> Option<Decimal> {
        let Some(Form::Csv(dialect)) = self.form else { return None };
        dialect.decimal
    }

    /// Returns the option that reads a text of a column as a missing value, if programs write it for one. Columns of text stay as they are.
    fn missing(&self, text: &str, column: &Column) -> Option<String> {
        let is_name = |column: &Column| column.path == [text];
        // A column without other values would lose its texts.
        let is_alone = |column: &Column| {
            let is_word = |text: &str| text.is_empty() || value::MISSING.contains(&text);
            column.values.iter().all(|value| is_word(&value.text()))
                && column.values.iter().any(|value| value.text() == text)
        };
        let is_lost = |column: &Column| is_name(column) || is_alone(column);
        let reads_all = |mark: Decimal| column.values.iter().all(|it| is_read(mark, &it.text()));
        let are_read = match self.mark() {
            Some(mark) => reads_all(mark),
            None => reads_all(Decimal::Comma) || reads_all(Decimal::Point),
        };
        (value::MISSING.contains(&text) && are_read && !self.all.iter().any(is_lost))
            .then(|| format!("--missing {} reads it as missing", shell::word(text.as_bytes())))
    }

    /// Returns the option that reads columns with another dtype, and the other columns as they are. If there are many, it keeps one column alone, and says so.
    fn option(&self, changed: &[usize], dtype: &str) -> String {
        const MAX_FIELDS: usize = 8;
        let option = |dtype: &str| format!("--dtype {}", shell::word(dtype.as_bytes()));
        let path = &self.all[changed[0]].path;
        let is_untyped = self.all[0].values.are_untyped();
        let one = match self.dtype(changed, dtype) {
            _ if self.all.len() == 1 && is_untyped => return option(dtype),
            Ok(None) => return option(dtype),
            Ok(Some(record)) if count_fields(&record) <= MAX_FIELDS => {
                return option(&record.to_string());
            }
            // A key of an object within a row cannot be chosen for a dtype of numbers.
            Ok(Some(record)) if path.len() > 1 && !is_untyped => alone(&record, path).ok(),
            _ => None,
        };
        let option = match one {
            Some(one) => option(&one.to_string()),
            None => format!("{} {}", option(dtype), shell::column(&path.join("."))),
        };
        format!("for this column alone, {option}")
    }

    /// Returns the dtype of all columns, with another one for those that change; `None` if it is that of an array without fields.
    fn dtype(&self, changed: &[usize], dtype: &str) -> npy_core::Result<Option<DType>> {
        let dtype = dtypes::parse(dtype)?;
        let of_column = |(at, column): (usize, &Column)| match changed.contains(&at) {
            true => Ok(dtype.clone()),
            false => column.dtype(),
        };
        let all: Vec<DType> =
            self.all.iter().enumerate().map(of_column).collect::<npy_core::Result<_>>()?;
        match self.tree.plain(&all, false)? {
            Some(_) => Ok(None),
            None => self.tree.record(&all).map(Some),
        }
    }

    fn about_list(&self, Uneven { members, at, row, number }: &Uneven) -> String {
        format!(
            "column {} has another dtype than the columns of floats around it, because no float has all digits of {number} in row {row}; {} rounds it",
            name(&self.all[*at]),
            self.option(members, "f8")
        )
    }
}

/// Returns the advice for a column of numbers with commas: the options that read all of it.
fn about_commas(column: &Column, marks: &[Decimal]) -> String {
    let are_read =
        |mark: &&Decimal| column.values.iter().all(|value| is_read(**mark, &value.text()));
    match marks.iter().filter(are_read).collect::<Vec<_>>()[..] {
        [Decimal::Comma, _] => {
            "--decimal , reads decimal commas, and --decimal . commas between thousands"
        }
        [Decimal::Comma] => "--decimal , reads them",
        [_, ..] => "--decimal . reads them",
        [] => "write them with a point, and without separators of thousands",
    }
    .to_owned()
}

/// Returns true for a number with this mark, and for text that is not a number with any.
fn is_read(mark: Decimal, text: &str) -> bool {
    mark.number(text).is_some() || !Decimal::is_in(text)
}

/// Returns the name of a column in a message.
fn name(column: &Column) -> String {
    let name = column.path.join(".");
    if name.is_empty() { "\"\"".to_owned() } else { name }
}

/// Returns a remark about columns of integers that are floats because values are missing.
fn filled(columns: &[Column]) -> Option<String> {
    let is_filled = |column: &&Column| {
        let (mut has_integer, mut is_missing) = (false, false);
        column.kind == Kind::Float
            && column.values.iter().all(|value| {
                let is_integer = value.integer().is_some();
                has_integer |= is_integer;
                is_missing |= value == Value::Missing;
                is_integer || value == Value::Missing
            })
            && has_integer
            && is_missing
    };
    let names: Vec<String> = columns.iter().filter(is_filled).map(name).collect();
    let subject = match &names[..] {
        [] => return None,
        [one] => format!("column {one} has"),
        [_, _] | [_, _, _] => format!("columns {} have", names.join(", ")),
        [first, rest @ ..] => format!("columns {first} and {} more have", rest.len()),
    };
    Some(format!(
        "{subject} integers and missing values, which become floats and nan, as in pandas"
    ))
}

/// Returns a remark about a column that is text because of a few of its values.
fn about(
    own: &Column,
    is_shown: bool,
    dtype: impl Fn(&str) -> String,
    commas: impl Fn() -> String,
    columns: &Columns<'_>,
) -> Option<String> {
    // Those with comments have a remark already.
    let has_comments = || own.values.are_untyped() && end_comments::are_in(own.values.iter());
    if own.kind != Kind::Text || has_comments() {
        return None;
    }
    let name = name(own);
    let dtype = &dtype;
    let found = own.values.with_missing().map(|values| Column::new(own.path.clone(), values));
    let column = found.as_ref().unwrap_or(own);
    if let Some(remark) = mixed(column, &name, dtype) {
        return Some(remark);
    }
    let looks = Looks::of(column)?;
    // A column that is half of texts is meant to have them, unless they are the usual ones for missing values.
    let texts = looks.count(Look::Other);
    if 2 * texts + looks.count(Look::Missing) >= looks.total() {
        return None;
    }
    let most = looks.usual();
    let is_form = |look: &Look| look.relative() == Some(most) && looks.count(*look) > 0;
    let usual = ALL.into_iter().find(is_form).unwrap_or(most);
    let unusual = ALL.into_iter().filter(|look| *look != usual && usual.relative() != Some(*look));
    let first = unusual.clone().filter_map(|look| looks.first(look)).min();
    let Some((row, text)) = first else {
        let (row, text) = looks.first(usual)?;
        // The option that is there reads the other numbers.
        if usual == Look::Comma
            && let Some(mark) = columns.mark()
        {
            let texts = || column.values.iter().map(|value| value.text().into_owned());
            // A column of the other mark alone stays text.
            if !texts().any(|text| Decimal::is_in(&text) && is_read(mark, &text)) {
                return None;
            }
            let (row, text) = texts().enumerate().find(|(_, text)| !is_read(mark, text))?;
            let [mark, _] = mark.marks();
            return Some(format!(
                "column {name} is text because of {:?} in row {row}, which --decimal {mark} does not read",
                excerpt(&text)
            ));
        }
        let advice = match usual {
            Look::Comma => Some(commas()),
            Look::Zoned | Look::Span => Some(match time_dtype(column) {
                Some(times) if usual == Look::Span => {
                    format!("{} reads them", dtype(&times.to_string()))
                }
                Some(times) => format!("{} converts them to UTC", dtype(&times.to_string())),
                None => "no dtype holds all of them".to_owned(),
            }),
            _ => usual.advice(text, dtype),
        };
        return match advice {
            Some(advice) => Some(format!(
                "column {name} is text because of {:?} in row {row}: it has {}; {advice}",
                excerpt(text),
                usual.name()
            )),
            None => rounded(column, &name, dtype)
                .or_else(|| padded(column, &name, dtype))
                .or_else(|| unfilled(column, &name, usual, dtype)),
        };
    };
    let others = match unusual.map(|look| looks.count(look)).sum::<usize>() - 1 {
        0 => String::new(),
        1 => " and 1 other text".to_owned(),
        more => format!(" and {more} other texts"),
    };
    let remedy = match row {
        0 if columns.is_headless => {
            Some("leave out --no-header if the first line has names".to_owned())
        }
        _ if column.values.are_untyped() => {
            is_shown.then(|| columns.missing(text, column)).flatten()
        }
        _ => value::MISSING.contains(&text).then(|| "null in its place is missing".to_owned()),
    };
    Some(format!(
        "column {name} is text because of {:?} in row {row}{others}, and the other values are {}{}",
        excerpt(text),
        usual.relative().unwrap_or(usual).name(),
        remedy.map_or(String::new(), |remedy| format!("; {remedy}"))
    ))
}

/// Returns the dtype that holds all times of a column, with their offsets from UTC, or all spans of time.
fn time_dtype(column: &Column) -> Option<DType> {
    let texts = || column.values.iter().map(|value| value.text().trim().to_owned());
    let texts = || texts().filter(|text| !text.is_empty());
    let Some(digits) = texts().filter_map(|text| Digits::of_any_zone(&text)).max() else {
        return column.dtype_of_spans();
    };
    texts().all(|text| digits.count(&text).is_some()).then(|| Kind::Time(digits).dtype(1).ok())?
}

/// Returns a remark about booleans among the numbers 0 and 1.
fn mixed(column: &Column, name: &str, dtype: impl Fn(&str) -> String) -> Option<String> {
    let are_booleans = column.values.iter().all(|value| value.as_bool().is_some());
    let mut numbers = column.values.iter().map(|value| value.integer().is_some());
    let row = numbers.position(|is_number| is_number).filter(|_| are_booleans)?;
    // In quotes of JSON, all of them are text.
    let is_boolean = |value: Value<'_>| matches!(value, Value::Bool(_));
    if !column.values.are_untyped() && !column.values.iter().any(is_boolean) {
        return None;
    }
    Some(format!(
        "column {name} is text because it has both True or False and numbers, such as {} in row {row}; {} reads all as booleans",
        column.values.get(row).text().trim(),
        dtype("bool")
    ))
}

/// Returns a remark about numbers with zeros before them, such as postal codes.
fn padded(column: &Column, name: &str, dtype: impl Fn(&str) -> String) -> Option<String> {
    let texts = || {
        column.values.iter().enumerate().filter_map(|(row, value)| match value {
            Value::Text(text) => Some((row, text)),
            _ => None,
        })
    };
    let is_padded = |text: &str| {
        let digits = text.trim().trim_start_matches(['-', '+']);
        digits.starts_with('0') && digits[1..].starts_with(|c: char| c.is_ascii_digit())
    };
    let is_finite = |text: &str| text.trim().parse::<f64>().is_ok_and(f64::is_finite);
    let are_numbers = texts().all(|(_, text)| is_finite(&text));
    let (row, text) = texts().find(|(_, text)| is_padded(text)).filter(|_| are_numbers)?;
    let text = text.trim();
    let is_whole = |value: Value<'_>| value.integer().is_some_and(|n| i64::try_from(n).is_ok());
    let numbers = if column.values.iter().all(is_whole) { "i8" } else { "f8" };
    Some(format!(
        "column {name} is text because the zeros before {text:?} in row {row} may count; {} reads numbers",
        dtype(numbers)
    ))
}

/// Returns a remark about booleans among which values are missing.
fn unfilled(
    column: &Column,
    name: &str,
    usual: Look,
    dtype: impl Fn(&str) -> String,
) -> Option<String> {
    let row = column.values.iter().position(|value| value == Value::Missing)?;
    (usual == Look::Bool).then(|| {
        format!(
            "column {name} is text because the value of row {row} is missing, and the others are {}; {} reads them as 1, 0 and nan",
            usual.name(),
            dtype("f8")
        )
    })
}

/// Returns a remark about a column of numbers that is text because a float would change an integer, or because they may be telephone numbers.
fn rounded(column: &Column, name: &str, dtype: impl Fn(&str) -> String) -> Option<String> {
    // Other numbers, such as 007, are text on purpose.
    let is_plain = |value: Value<'_>| match value {
        Value::Bool(_) | Value::Bytes(_) => false,
        Value::Text(text) if column.values.are_untyped() => {
            let text = text.trim();
            let plain = text.strip_prefix('+').unwrap_or(text);
            matches!(kind_of_text(plain), Kind::Int(_) | Kind::UInt(_) | Kind::Float)
                || is_large(plain)
        }
        Value::Text(_) => false,
        _ => true,
    };
    if !column.values.iter().all(is_plain) {
        return None;
    }
    if let Some((row, text)) = first_large(column) {
        return Some(format!(
            "column {name} is text because no float has all digits of {text} in row {row}; {} rounds it",
            dtype("f8")
        ));
    }
    let first = |is_so: fn(&str) -> bool| {
        column.values.iter().enumerate().find_map(|(row, value)| match value {
            Value::Text(text) if is_so(text.trim()) => Some((row, text)),
            _ => None,
        })
    };
    if let Some((row, text)) = first(is_large) {
        return Some(format!(
            "column {name} is text because no dtype of numbers holds {} in row {row} and the other values; {}",
            excerpt(&text),
            match text.trim().parse() {
                Ok(f64::INFINITY | f64::NEG_INFINITY) => {
                    format!("{} --cast numeric makes it infinite", dtype("f8"))
                }
                _ => format!("{} reads them as floats", dtype("f8")),
            }
        ));
    }
    let (row, text) = first(has_plus)?;
    let is_whole = |value: Value<'_>| value.integer().is_some_and(|n| i64::try_from(n).is_ok());
    // Only floats have missing values.
    let numbers = if column.values.iter().all(is_whole) { "i8" } else { "f8" };
    Some(format!(
        "column {name} is text because all of its numbers have a plus sign, such as {text:?} in row {row}; {} reads them as numbers",
        dtype(numbers)
    ))
}

/// Returns true for an integer that is beyond those of 64 bits with a sign, and for a number that is infinite as a float.
fn is_large(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let are_digits = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    let is_infinite = || text.parse::<f64>().is_ok_and(f64::is_infinite);
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    is_number && (are_digits && text.parse::<i64>().is_err() || is_infinite())
}

/// Returns true for an integer with a plus sign.
fn has_plus(text: &str) -> bool {
    text.trim().starts_with('+') && text.trim().parse::<i128>().is_ok()
}

/// Returns the first integer that changes as a float, with its row.
pub(super) fn first_large(column: &Column) -> Option<(usize, i128)> {
    let large = |number: &i128| !fits_float(&number.to_string());
    let mut values = column.values.iter().enumerate();
    values.find_map(|(row, value)| Some((row, value.integer().filter(large)?)))
}

#[cfg(test)]
mod tests {
    use super::super::cells::Values;
    use super::super::column::{Column, find_kinds};
    use super::super::tree::Tree;
    use super::{Columns, alone, count_fields, of};

    /// Returns the remarks about columns of these names and texts.
    fn remarks(columns: &[(&str, &[&str])]) -> Vec<String> {
        let column = |(name, texts): &(&str, &[&str])| {
            Column::new(vec![(*name).to_owned()], Values::of_fields(texts))
        };
        let mut columns: Vec<Column> = columns.iter().map(column).collect();
        find_kinds(&mut columns, None);
        let tree = Tree::of(&columns, &Default::default(), "x").unwrap();
        of(
            &Columns { all: &columns, tree: &tree, is_headless: false, file: "x.csv", form: None },
            &[],
        )
    }

    /// Guards columns that look like values and are text: each has a remark, and text has none.
    #[test]
    fn a_column_that_looks_like_values_has_a_remark() {
        for (texts, expected) in [
            (
                &["1,5", "2,5"][..],
                "because of \"1,5\" in row 0: it has numbers with decimal commas or separators of thousands; write them with a point",
            ),
            (
                &["True", "", "False"],
                "because the value of row 1 is missing, and the others are True or False; --dtype f8 reads them as 1, 0 and nan",
            ),
            (
                &["x", "01/02/2024", "3/4/2024"],
                "because of \"x\" in row 0, and the other values are dates or times in a form",
            ),
            (
                &[
                    "2024-03-01 12:00:00 UTC",
                    "2024-03-01 12:00:00 CET",
                    "2024-03-01 12:00:00 +0100",
                    "2024-03-01 12:00:00,250",
                    "2024-03-01 9:05",
                    "2024-03-01 24:00:00",
                    "2024-02-30 12:00:00",
                    "31/01/2024",
                ],
                "in row 0: it has dates or times in a form that is not read; that which is read is 2024-01-31T12:00:00.250, without a zone",
            ),
            (
                &["18446744073709551616", "1"],
                "no dtype of numbers holds 18446744073709551616 in row 0 and the other values; --dtype f8 reads",
            ),
            (
                &["1", "-18446744073709551617"],
                "no float has all digits of -18446744073709551617 in row 1; --dtype f8 rounds it",
            ),
            (&["9223372036854775808", "-1"], "holds 9223372036854775808 in row 0 and"),
            (
                &["1.5", "1e400"],
                "holds 1e400 in row 1 and the other values; --dtype f8 --cast numeric makes it infinite",
            ),
            (
                &["1+2j", "", "3+4j"],
                "because of \"1+2j\" in row 0: it has complex numbers that only a dtype reads; --dtype c16 reads",
            ),
            (
                &["(1+2j)", "(1e400+2j)"],
                "because of \"(1e400+2j)\" in row 1: it has complex numbers that only a dtype reads; --dtype c16 --cast",
            ),
            (&["(9007199254740993+0j)"], "--dtype c16 rounds it"),
            (
                &["(1+2j)", "(3+4j)", "x"],
                "because of \"x\" in row 2, and the other values are complex numbers",
            ),
            (
                &["0 days 00:00:01", "-1 days +23:59:59.5"],
                "it has spans of time; --dtype '<m8[ns]' reads them",
            ),
            (&["5 years", "1 days"], "it has spans of time; no dtype holds all of them"),
            (&["1000 days", "5000000 days"], "--dtype '<m8[us]' reads them"),
            (&["0,5", "1.5"], "; write them with a point, and without separators of thousands"),
            (&["2 months"], "--dtype '<m8[M]' reads them"),
            (
                &["True", "False", "maybe"],
                "because of \"maybe\" in row 2, and the other values are True or False",
            ),
            (&["2024-01-01T00:00:00Z", "2024-01-01T00:00:00"], "--dtype '<M8[s]' converts"),
            (
                &["007", "12"],
                "because the zeros before \"007\" in row 0 may count; --dtype i8 reads numbers",
            ),
            (&["", "-00.5"], "before \"-00.5\" in row 1 may count; --dtype f8 reads numbers"),
            (&["007", "x"], ""),
            (
                &["10%", "2.5%"],
                "because of \"10%\" in row 0: it has numbers with a percent sign; write",
            ),
            (
                &["12:30", "9:05"],
                "it has times of day; write them with their dates, 2024-01-31T12:30",
            ),
            (
                &["0", "True", "1"],
                "numbers, such as 0 in row 0; --dtype bool reads all as booleans",
            ),
            (&["True", "2"], "because of \"True\" in row 0, and the other values are numbers"),
            (&["10.0.0.1", "1.2.3"], ""),
            (&["yes", "no", "True"], ""),
            (&["1,5", "one"], ""),
            (&["Smith, J", "Doe, J"], ""),
            (&["1", "2"], ""),
            (&["", ""], ""),
        ] {
            let remarks = remarks(&[("a", texts)]);
            assert_eq!(remarks.is_empty(), expected.is_empty(), "{texts:?}: {remarks:?}");
            assert!(
                remarks.iter().all(|remark| remark.contains(expected)),
                "{texts:?}: {remarks:?}"
            );
        }
    }

    /// Guards the other columns: a dtype alone would be that of all of them, and `-c` would leave them out.
    #[test]
    fn a_dtype_keeps_the_other_columns() {
        let mut columns =
            vec![("b 1", &["1+2j", "2j"][..]), ("c", &["xyz", ""]), ("d", &["1", "2"])];
        let record = "--dtype \"[('b 1', '<c16'), ('c', '<U3'), ('d', '<i8')]\" reads them";
        assert!(remarks(&columns)[0].ends_with(record), "{:?}", remarks(&columns));
        columns.extend(["e", "f", "g", "h", "i", "j"].map(|name| (name, &["1", "2"][..])));
        let option = "; for this column alone, --dtype c16 -c 'b 1' reads them";
        assert!(remarks(&columns)[0].ends_with(option), "{:?}", remarks(&columns));
        // Nested records count by their fields, and lists once.
        let dtype = crate::dtypes::parse("[('a', [('t', 'i8', 9), ('u', 'f8')], 2), ('b', 'i8')]");
        let dtype = dtype.unwrap();
        assert_eq!(count_fields(&dtype), 3);
        let path = ["a", "1", "t", "8"].map(str::to_owned);
        let only = "[('a', [('t', '<i8', (9,))], (2,))]";
        assert_eq!(alone(&dtype, &path).unwrap().to_string(), only);
    }
}
