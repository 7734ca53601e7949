//! The names of the columns of CSV, in its first line, and in the lines after it that pandas writes for names of several levels.
//!
//! The index of pandas has no name in most files: its column becomes `index`, or `level_0`, `level_1` and so on, as `reset_index` names it.

use std::collections::HashSet;

use super::column::{Column, with_points};
use super::comments;
use super::csv::Dialect;
use super::end_comments;
use super::guess::is_value;
use super::split::Line;
use super::value::Value;

/// The names of the columns.
pub(super) struct Names {
    pub(super) names: Vec<String>,
    /// The number of columns at the start that had no name.
    pub(super) unnamed: usize,
    /// The number of lines that have names. The last may have those of the index alone.
    pub(super) lines: usize,
    /// True if more lines may have names, and the lines after them do not prove it.
    may_have_levels: bool,
}

impl Names {
    /// Returns these names as they are.
    pub(super) fn plain(names: Vec<String>) -> Self {
        Names { names, unnamed: 0, lines: 1, may_have_levels: false }
    }

    /// Joins the names of a first line with those of the lines after it, if these have names, too. `rest` may end before the file does.
    pub(super) fn of(first: &Line, rest: &[&Line]) -> Self {
        let mut names: Vec<String> = first.iter().map(str::to_owned).collect();
        let first_names = names.clone();
        let mut lines = 1;
        while let Some(line) = rest.get(lines - 1)
            && is_level(&names, line, &rest[lines..])
        {
            for (name, level) in
                names.iter_mut().zip(line.iter()).filter(|(_, level)| !is_empty(level))
            {
                *name = format!("{name}.{level}");
            }
            lines += 1;
        }
        if lines == 1 {
            return Self::plain(names);
        }
        let (levels, below) = rest.split_at(lines - 1);
        if !are_levels(&first_names, levels, below) {
            return Names { may_have_levels: true, ..Self::plain(first_names) };
        }
        let width = unnamed(&first_names).max(1);
        if let Some(line) = below.first().filter(|line| has_index_names(line, width, names.len())) {
            for (name, field) in names.iter_mut().zip(line.iter()).take(width) {
                field.clone_into(name);
            }
            lines += 1;
        }
        Names { unnamed: 0, names, lines, may_have_levels: false }
    }

    /// Names the columns at the start that have no name.
    pub(super) fn name_index(&mut self) {
        let count = unnamed(&self.names);
        if count == self.names.len() {
            return;
        }
        self.unnamed = count;
        let known: HashSet<String> = self.names.iter().cloned().collect();
        for (at, name) in self.names.iter_mut().take(count).enumerate() {
            *name = if count == 1 { "index".into() } else { format!("level_{at}") };
            while known.contains(name) {
                name.insert_str(0, "level_0_");
            }
        }
    }

    /// Names the other columns without a name, as NumPy does, by numbers that no other name has. Returns a remark.
    pub(super) fn name_others(&mut self) -> Option<String> {
        let mut known: HashSet<String> = self.names.iter().cloned().collect();
        let mut named = Vec::new();
        for (at, name) in self.names.iter_mut().enumerate().filter(|(_, name)| name.is_empty()) {
            let mut names = (at..).map(|number| format!("f{number}"));
            *name = names.find(|name| known.insert(name.clone())).unwrap_or_default();
            named.push(name.clone());
        }
        let names = named.join(", ");
        (!named.is_empty())
            .then(|| format!("columns without a name are named as in NumPy: {names}"))
    }

    /// Returns remarks about names that the file does not have as they are.
    pub(super) fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if let (2.., Some(last)) = (self.lines, self.names.last()) {
            let lines = self.lines;
            remarks.push(format!(
                "the first {lines} lines have the names of the columns, such as {last:?}"
            ));
        }
        match &self.names[..self.unnamed] {
            [] => {}
            [one] => remarks.push(format!(
                "the first column has no name: it is {one:?}; npy convert --unnamed {one} writes CSV without it again"
            )),
            all => {
                remarks.push(format!(
                    "the first {} columns have no name: they are {}; npy convert --unnamed {} writes CSV without them again",
                    all.len(),
                    all.join(", "),
                    all.join(",")
                ));
            }
        }
        remarks
    }
}

/// Returns true for a name that the command writes above a column that has none: `value`, or that of an index, such as `[0]`. Several names with a delimiter
/// between them are not one.
pub(super) fn is_written(name: &str) -> bool {
    let is_divided = name.contains([';', '\t']) || name.contains("] ");
    name == "value" || with_points(name) != name && !is_divided
}

fn is_empty(field: &str) -> bool {
    field.trim().is_empty()
}

/// Returns the number of names at the start that are empty.
fn unnamed(names: &[String]) -> usize {
    names.iter().take_while(|name| is_empty(name)).count()
}

/// Returns true for a line that may have more names: the names before it are not all different, or the columns of the index are empty in both lines and the lines after
/// them are those of pandas.
fn is_level(names: &[String], line: &Line, below: &[&Line]) -> bool {
    let count = unnamed(names);
    let width = count.max(1);
    let here = || line.iter().skip(width);
    if line.len() != names.len() || names.len() <= width || here().any(is_empty) {
        return false;
    }
    let is_below = count > 0 && line.iter().take(count).all(is_empty);
    let has_values = line.iter().any(is_value);
    match is_repeated(&names[width..]) {
        true => is_below || count == 0 && !has_values,
        false => is_below && !has_values && starts_table(below, width, names.len()),
    }
}

fn is_repeated(names: &[String]) -> bool {
    let mut known = HashSet::new();
    names.iter().any(|name| !known.insert(name))
}

/// Returns true if the lines after those of names are certain to be the ones that pandas writes. Otherwise, a row would be lost as names.
fn are_levels(first: &[String], levels: &[&Line], below: &[&Line]) -> bool {
    let count = unnamed(first);
    let width = count.max(1);
    let has_values = levels.iter().any(|line| line.iter().any(is_value));
    // Numbers below texts, in columns whose names would otherwise be there twice.
    let are_of_values =
        |below: &[&Line]| !has_values && below.first().is_some_and(|row| is_data(row, width));
    if count > 0 {
        return starts_table(below, width, first.len())
            || is_repeated(&first[width..]) && are_of_values(below);
    }
    // The levels have names of their own, so that nothing is empty above the index.
    let is_index = below.first().is_some_and(|line| has_index_names(line, width, first.len()));
    let rows = if is_index { &below[1..] } else { below };
    let are_counted = rows.iter().enumerate().all(|(at, row)| row.get(0) == Some(&*at.to_string()));
    are_counted && rows.len() > 1 || is_index && are_of_values(rows)
}

/// Returns true if the first line has the names of the index, or the row number 0.
fn starts_table(lines: &[&Line], width: usize, columns: usize) -> bool {
    let is_start = |line: &&Line| line.get(0) == Some("0") || has_index_names(line, width, columns);
    lines.first().is_some_and(is_start)
}

/// Returns true for a line with the names of the index, and of nothing else.
fn has_index_names(line: &Line, width: usize, columns: usize) -> bool {
    line.len() == columns
        && line.iter().take(width).any(|field| !is_empty(field))
        && !line.iter().any(is_value)
        && line.iter().skip(width).all(is_empty)
}

/// Returns true for a row with an index and values: numbers, times or booleans; some may be missing.
fn is_data(row: &Line, width: usize) -> bool {
    let mut data = row.iter().skip(width);
    !row.iter().take(width).any(is_empty)
        && data.clone().any(is_value)
        && data.all(|field| is_value(field) || is_empty(field))
}

/// Refuses a first line that may be a row: one with a field that is empty or has a value, or two that are the same. `header` says how many names were empty, and how many lines had names.
pub(super) fn check(columns: &[Column], header: &Names, dialect: &Dialect) -> Result<(), String> {
    const REMEDY: &str = "npy convert --no-header reads it as a row, and --header as names";
    /// The advice for names of several levels above an index of text, which no line after them proves.
    const LEVELS: &str = "; of names in several levels, pandas makes one by df.columns = df.columns.map('.'.join), for to_csv once more";
    let Names { unnamed, lines, may_have_levels, .. } = *header;
    let Dialect { missing, decimal, .. } = dialect;
    let is_value = |name: &str| {
        is_value(name) || decimal.is_some_and(|decimal| decimal.number(name).is_some())
    };
    let levels = if may_have_levels { LEVELS } else { "" };
    let all: Vec<&str> = columns.iter().map(|column| column.path[0].as_str()).collect();
    let (index, names) = all.split_at(unnamed);
    // Names of several levels may be numbers. The lines below them are those of pandas.
    let has_levels = lines > 1;
    let may_be_row = |found: &str| {
        Err(format!("the first line may be a row, because its {found}; {REMEDY}{levels}"))
    };
    // A table of pandas without names has their numbers, above its row numbers.
    let are_counted = || names.iter().enumerate().all(|(at, name)| *name == at.to_string());
    if let ([_], [first, ..]) = (index, columns)
        && are_counted()
        && is_counted(first)
    {
        return Ok(());
    }
    if let Some(at) = (0..unnamed).find(|&at| is_missing(&columns[at])) {
        return may_be_row(&format!("field {at} is empty"));
    }
    if !has_levels
        && unnamed == 0
        && !names.is_empty()
        && names.iter().all(|name| comments::is_number(name))
    {
        let message = "the first line has numbers, not the names of columns";
        return Err(format!("{message}; {REMEDY}"));
    }
    for (at, name) in all.iter().enumerate().skip(unnamed) {
        if is_empty(name) || missing.iter().any(|text| text == name) {
            return may_be_row(&format!("field {at} is empty"));
        }
        if !has_levels && is_value(name) {
            return may_be_row(&format!("field {at}, {name:?}, is a value"));
        }
        if !has_levels && is_value(end_comments::before(name)) {
            return may_be_row(&format!("field {at}, {name:?}, is a value before #"));
        }
    }
    let mut known = HashSet::new();
    if let Some(name) = all.iter().find(|name| !known.insert(**name)) {
        return Err(format!(
            "the column {name:?} is there twice; give it another name, or npy convert --no-header reads the first line as a row{levels}"
        ));
    }
    Ok(())
}

/// Returns true for the row numbers that pandas writes.
fn is_counted(column: &Column) -> bool {
    let mut rows = column.values.iter().enumerate();
    column.values.len() > 0
        && rows.all(|(row, value)| matches!(value, Value::Text(text) if text == row.to_string()))
}

fn is_missing(column: &Column) -> bool {
    column.values.iter().all(|value| value == Value::Missing)
}

#[cfg(test)]
mod tests {
    use super::{Line, Names};

    #[test]
    fn names_of_pandas_are_joined_and_completed() {
        for (lines, expected, count) in [
            (&[",x,y", "0,1,2"][..], "index,x,y", 1),
            (&[",,v", "a,1,1"], "level_0,level_1,v", 1),
            (&[",index", "0,1"], "level_0_index,index", 1),
            (&[",x,x,y", ",a,b,a", "0,0,1,2"], "index,x.a,x.b,y.a", 2),
            (&[",x,x,y", ",a,b,a", "id,,,", "0,0,1,2"], "id,x.a,x.b,y.a", 3),
            (&[",x,x,y", ",1,2,1", "0,0,1,2"], "index,x.1,x.2,y.1", 2),
            (&["L0,x,x,y", "L1,a,b,a", "id,,,", "0,0,1,2"], "id,x.a,x.b,y.a", 3),
            (&["L0,x,x,y", "L1,a,b,a", "0,0,1,2", "1,0,1,2"], "L0.L1,x.a,x.b,y.a", 2),
            (&["L0,x,x", "L1,a,b", "id,,", "0,u,v", "1,u,v"], "id,x.a,x.b", 3),
            (&[",x,x", ",a,b", "s,0,"], "index,x.a,x.b", 2),
            (&[",,x,x", ",,a,b", "a,1,0,1"], "level_0,level_1,x.a,x.b", 2),
            (&[",x,x", ",a,a", ",i,j", "0,0,1"], "index,x.a.i,x.a.j", 3),
            (&[",x,y", ",a,b", "0,1,2"], "index,x.a,y.b", 2),
            (&[",x", ",a", "0,u"], "index,x.a", 2),
            (&[",x", ",a", "0,", "1,2"], "index,x.a", 2),
            (&[",x", ",a", "id,", "s,u"], "id,x.a", 3),
            // These lines are rows.
            (&[",x,y", ",a,b", ",c,d"], "index,x,y", 1),
            (&[",x,y", ",1,2", "0,1,2"], "index,x,y", 1),
            (&["x,x", "1,2"], "x,x", 1),
            (&["x,x", "a,b"], "x,x", 1),
            (&["x,x", "a,b", "0,1", "1,2"], "x,x", 1),
            (&["id,note,note", "k1,foo,bar", "k2,baz,qux"], "id,note,note", 1),
            (&["id,note,note", "k1,foo,bar", "k2,,", "k3,baz,qux"], "id,note,note", 1),
            (&["id,note,note", "k1,foo,bar", "0,baz,qux"], "id,note,note", 1),
            (&[",note,note", ",foo,bar", "k2,baz,qux"], "index,note,note", 1),
            (&[",city,name", ",Paris,Al", "5,Rome,10"], "index,city,name", 1),
            (&["a,b", "c,d"], "a,b", 1),
        ] {
            let lines: Vec<Line> = lines.iter().map(|line| line.split(',').collect()).collect();
            let mut names = Names::of(&lines[0], &lines[1..].iter().collect::<Vec<_>>());
            names.name_index();
            assert_eq!((&*names.names.join(","), names.lines), (expected, count), "{lines:?}");
        }
    }
}
