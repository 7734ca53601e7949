//! One column of text: its values, and what they are read as.

use std::iter;

use npy_core::dtype::{Resolution, ScalarKind, Unit};
use npy_core::{Cast, DType};

use super::cells::Values;
use super::guess::guess;
use super::kind::Kind;
use super::times::{self, Digits};
use super::value::Value;
use super::{Records, Wanted};

/// A column.
#[derive(Debug)]
pub(crate) struct Column {
    /// The name, with those of the objects around it.
    pub(crate) path: Vec<String>,
    pub(crate) values: Values,
    pub(crate) kind: Kind,
    /// How far a number may differ from its text.
    pub(super) cast: Cast,
    /// The characters, or bytes, of the longest text.
    pub(super) width: usize,
    /// The error of a column of JSON whose values differ in form; they are not kept.
    pub(super) refused: Option<String>,
}

/// Returns the name of a column with indices after points: `a.3.x` for `a[3].x`.
pub(super) fn with_points(name: &str) -> String {
    let mut parts = name.split('[');
    let mut path = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(']') {
            Some((index, rest)) if index.parse::<usize>().is_ok() => {
                let point = if path.is_empty() { "" } else { "." };
                path.push_str(&format!("{point}{index}{rest}"));
            }
            // The brackets belong to the name of a field.
            _ => return name.to_owned(),
        }
    }
    path
}

/// Returns true if the name of a column that is chosen is that of the column at a position, or of one in it, or of one around it that has it: `has`
/// is asked for the rest of its path.
pub(super) fn asks_for(
    name: &str,
    at: usize,
    path: &[String],
    has: impl Fn(&[String]) -> bool,
) -> bool {
    let (asked, text) = (with_points(name.trim()), with_points(&path.join(".")));
    // A key may have points of its own.
    let rest = text.strip_prefix(&asked).and_then(|rest| rest.strip_prefix('.'));
    let is_part = |rest: &str| has(&rest.split('.').map(str::to_owned).collect::<Vec<_>>());
    let is_key = || (1..path.len()).any(|start| has(&path[start..]));
    is_within(&asked, &text)
        || rest.is_some_and(|rest| is_part(rest) || is_key())
        || asked.parse() == Ok(at)
}

fn is_within(path: &str, outer: &str) -> bool {
    path.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Keeps the columns of these names, in their order: `x` is also all of `x.0`, `x.1` and so on, and a number that is not a name is the position of a column.
pub(super) fn choose(
    columns: &mut Vec<Column>,
    records: &mut Records,
    names: &[String],
) -> Result<(), String> {
    let paths: Vec<String> =
        columns.iter().map(|column| with_points(&column.path.join("."))).collect();
    let mut chosen = Vec::new();
    for name in names {
        let asked = with_points(name.trim());
        let mut found: Vec<usize> =
            (0..paths.len()).filter(|&at| is_within(&paths[at], &asked)).collect();
        let mut outer = paths.iter().zip(&*columns).filter(|(path, _)| is_within(&asked, path));
        if found.is_empty()
            && let Some(message) = outer.find_map(|(_, column)| column.refused.clone())
        {
            return Err(message);
        }
        if found.is_empty() {
            found.extend(asked.parse::<usize>().ok().filter(|&at| at < paths.len()));
        }
        if found.is_empty() {
            let known: Vec<&str> = paths.iter().take(12).map(String::as_str).collect();
            let more = if paths.len() > known.len() { ", …" } else { "" };
            return Err(format!(
                "there is no column {asked:?}; the columns are {}{more}",
                known.join(", ")
            ));
        }
        if let Some(&twice) = found.iter().find(|at| chosen.contains(*at)) {
            return Err(format!("the column {:?} is chosen twice; name it once", paths[twice]));
        }
        // The objects around what was chosen are not in the array.
        for &at in &found {
            join_start(&mut columns[at].path, &asked);
        }
        let joined = records.drain().map(|(mut path, row)| {
            join_start(&mut path, &asked);
            (path, row)
        });
        *records = joined.collect();
        chosen.extend(found);
    }
    let mut all: Vec<Option<Column>> = columns.drain(..).map(Some).collect();
    columns.extend(chosen.iter().filter_map(|&at| all[at].take()));
    Ok(())
}

/// Joins the first names of a path if together they are the name that was asked for.
fn join_start(path: &mut Vec<String>, asked: &str) {
    if let Some(depth) = (1..=path.len()).find(|&depth| path[..depth].join(".") == asked) {
        path.splice(..depth, [asked.to_owned()]);
    }
}

/// Decides how to read the values: as the dtype says, unless they need something else that can be cast to it, or as what they look like.
pub(super) fn find_kinds(columns: &mut [Column], wanted: Option<Wanted<'_>>) {
    let wanted = |column: &Column| wanted.and_then(|wanted| wanted.of_column(&column.path));
    let others = columns.iter().filter(|column| wanted(column).is_none());
    let values: Vec<&Values> = others.map(|column| &column.values).collect();
    let mut guessed = guess(&values).into_iter();
    for column in columns {
        let kind = match wanted(column) {
            None => guessed.next().unwrap_or(Kind::Text),
            Some(wanted) => {
                column.cast = wanted.cast;
                column.kind_for(wanted.dtype)
            }
        };
        column.set_kind(kind);
    }
}

/// Returns the parts of a name: those of fields, which have points in front, and indices, which have points or brackets.
fn steps(dtype: &DType, name: &str) -> Option<Vec<String>> {
    if name.is_empty() {
        return Some(Vec::new());
    }
    if let Some((base, shape)) = dtype.sub_array() {
        let (mut path, mut rest) = (Vec::new(), name);
        for &length in shape {
            let index;
            (index, rest) = match rest.strip_prefix('[') {
                Some(rest) => rest.split_once(']')?,
                None => {
                    let rest = rest.strip_prefix('.')?;
                    rest.split_at(rest.find(['.', '[']).unwrap_or(rest.len()))
                }
            };
            index.parse::<usize>().ok().filter(|&index| index < length)?;
            path.push(index.to_owned());
        }
        path.extend(steps(base, rest)?);
        return Some(path);
    }
    let name = name.strip_prefix('.')?;
    if super::is_complex(dtype) {
        return matches!(name, "re" | "im").then(|| vec![name.to_owned()]);
    }
    dtype.fields().iter().find_map(|field| {
        let rest = steps(field.dtype(), name.strip_prefix(field.name())?)?;
        Some([vec![field.name().to_owned()], rest].concat())
    })
}

impl Column {
    pub(crate) fn new(path: Vec<String>, values: Values) -> Self {
        Column { path, values, kind: Kind::Text, cast: Cast::Numeric, width: 1, refused: None }
    }

    /// Divides the name into its parts, if the dtype has a field there and none of this name.
    pub(super) fn split_like(&mut self, dtype: &DType) {
        if let [name] = &self.path[..]
            && dtype.field(name).is_none()
            && let Some(path) = steps(dtype, &format!(".{name}"))
        {
            self.path = path;
        }
    }

    /// Divides the name of a part of a complex number (`x.re`, `0.1.im`) at its points.
    pub(super) fn split_parts(&mut self) {
        if let [name] = &self.path[..]
            && let Some((_, "re" | "im")) = name.rsplit_once('.')
        {
            self.path = with_points(name).split('.').map(str::to_owned).collect();
        }
    }

    fn kind_for(&self, dtype: &DType) -> Kind {
        use ScalarKind as S;
        let guess = || guess(&[&self.values])[0];
        let Some(scalar) = dtype.scalar() else { return guess() };
        match scalar.kind() {
            S::Bool => Kind::Bool,
            S::Int => Kind::Int(scalar.itemsize()),
            S::UInt => Kind::UInt(scalar.itemsize()),
            S::Complex if self.has_complex() => Kind::Complex,
            S::Float if self.are_booleans() => Kind::Truth,
            S::Float | S::Complex => Kind::Float,
            S::Str => Kind::Text,
            S::Bytes => Kind::Bytes,
            S::Void => Kind::Void(*scalar),
            S::TimeDelta(Some(resolution)) => {
                // Spans that are not counts of the unit are read as they are, and cast. Months are not cast to days.
                let is_month = |unit: Unit| times::attoseconds_of(unit).is_none();
                let units = iter::once(resolution.unit).chain(times::SPAN_UNITS.into_iter().rev());
                let units = units.filter(|unit| is_month(*unit) == is_month(resolution.unit));
                Kind::Span(self.resolution_of_spans(units).unwrap_or(resolution))
            }
            S::DateTime(Some(resolution)) => match self.digits() {
                // Times with seconds are read as they are, and cast.
                Some(digits) => Kind::Time(digits),
                None if resolution.unit != Unit::Year && self.are_counts() => {
                    Kind::Count(resolution)
                }
                None => Kind::Point(resolution),
            },
            _ => guess(),
        }
    }

    /// Returns true if a text is a complex number with both parts, and not one part of it.
    fn has_complex(&self) -> bool {
        self.values
            .iter()
            .any(|value| value.as_float().is_none() && value.complex_parts().is_some())
    }

    /// Returns true if all values that are there are True or False, and not numbers. The words for missing values do not count: an error names their option.
    fn are_booleans(&self) -> bool {
        let is_there = |value: &Value<'_>| *value != Value::Missing && !value.is_missing_word();
        let mut values = self.values.iter().filter(is_there).peekable();
        let is_boolean = |value: Value<'_>| value.as_bool().is_some() && value.as_float().is_none();
        values.peek().is_some() && values.all(is_boolean)
    }

    /// Returns true if these are integers whose text is known, as in CSV, and not all of them can be years or dates without hyphens: `2020` is a year in NumPy, too, and `20200101` is refused.
    fn are_counts(&self) -> bool {
        let values = || self.values.iter().filter(|value| *value != Value::Missing);
        let is_untyped = self.values.are_untyped();
        let is_count = |value: Value<'_>| match value {
            Value::Int(_) => true,
            Value::Text(text) => is_untyped && text.trim().parse::<i64>().is_ok(),
            _ => false,
        };
        let is_date = |value: Value<'_>| {
            let Value::Text(text) = &value else { return false };
            match text.trim() {
                text if text.len() == 4 => true,
                text if text.len() == 8 && text.is_ascii() => {
                    let (year, day) = text.split_at(4);
                    let (month, day) = day.split_at(2);
                    Digits::of(&format!("{year}-{month}-{day}")).is_some()
                }
                _ => false,
            }
        };
        values().all(is_count) && !(values().count() > 0 && values().all(is_date))
    }

    /// Returns the resolution of the first of these units in which all spans of time are counts.
    fn resolution_of_spans(&self, units: impl Iterator<Item = Unit>) -> Option<Resolution> {
        let is_count = |value: &Value<'_>, resolution| {
            *value == Value::Missing || times::span(value.text().trim(), resolution).is_some()
        };
        let mut resolutions = units.map(|unit| Resolution { multiple: 1, unit });
        resolutions.find(|&resolution| self.values.iter().all(|it| is_count(&it, resolution)))
    }

    /// Returns the dtype that holds all values if they are spans of time.
    pub(super) fn dtype_of_spans(&self) -> Option<DType> {
        Kind::Span(self.resolution_of_spans(times::SPAN_UNITS.into_iter())?).dtype(1).ok()
    }

    /// Returns the resolution of times, which may have offsets from UTC; `None` if there is anything else.
    pub(super) fn digits(&self) -> Option<Digits> {
        let values = self.values.iter().filter(|value| *value != Value::Missing);
        let digits = values.map(|value| match &value {
            Value::Text(text) => Digits::of_any_zone(text.trim()),
            _ => None,
        });
        digits.collect::<Option<Vec<_>>>()?.into_iter().max()
    }

    /// Sets what the values are read as.
    pub(super) fn set_kind(&mut self, kind: Kind) {
        self.kind = kind;
        let values = self.values.iter();
        let width = match kind {
            Kind::Text => values.map(|value| value.text().chars().count()).max(),
            Kind::Bytes => values.map(|value| value.bytes().len()).max(),
            Kind::Void(_) => values.filter_map(|value| Some(value.void()?.len())).max(),
            _ => None,
        };
        self.width = width.unwrap_or(0).max(1);
    }

    /// Returns true if a dtype holds all values.
    pub(super) fn holds(&mut self, dtype: &DType, cast: Cast) -> bool {
        self.cast = cast;
        self.set_kind(self.kind_for(dtype));
        let mut slot = vec![0; self.itemsize()];
        let is_text = matches!(self.kind, Kind::Text | Kind::Bytes);
        let fits = !is_text || dtype.itemsize() == 0 || slot.len() <= dtype.itemsize();
        fits && (0..self.values.len()).all(|row| self.encode(row, &mut slot).is_ok())
    }

    /// Returns the dtype of the values.
    pub(crate) fn dtype(&self) -> npy_core::Result<DType> {
        self.kind.dtype(self.width)
    }

    /// Returns the size of a value in bytes.
    pub(crate) fn itemsize(&self) -> usize {
        self.kind.itemsize(self.width)
    }
}
