//! The names of the columns of CSV, in its first line, and in the lines after it that pandas writes for names of several levels.
//!
//! The index of pandas has no name in most files: its column becomes `index`, or `level_0`, `level_1` and so on, as `reset_index` names it.

use std::collections::HashSet;

use csv::StringRecord;

use super::column::Column;
use super::comments;
use super::guess::is_value;
use super::value::Value;

/// The names of the columns.
pub(super) struct Names {
    pub(super) names: Vec<String>,
    /// The number of columns at the start that had no name.
    pub(super) unnamed: usize,
    /// The number of lines that have names. The last may have those of the index alone.
    pub(super) lines: usize,
}

impl Names {
    /// Returns these names as they are.
    pub(super) fn plain(names: Vec<String>) -> Self {
        Names { names, unnamed: 0, lines: 1 }
    }

    /// Joins the names of a first line with those of the lines after it, if these have names, too.
    pub(super) fn of(first: &StringRecord, rest: &[&StringRecord]) -> Self {
        let mut names: Vec<String> = first.iter().map(str::to_owned).collect();
        let mut lines = 1;
        while let Some(line) = rest.get(lines - 1)
            && is_level(&names, line, rest.get(lines).copied())
        {
            for (name, level) in names.iter_mut().zip(*line).filter(|(_, level)| !is_empty(level)) {
                *name = format!("{name}.{level}");
            }
            lines += 1;
        }
        if lines > 1
            && let Some(line) = rest.get(lines - 1).filter(|line| line.len() == names.len())
            && let width = unnamed(&names).max(1)
            && line.iter().take(width).any(|field| !is_empty(field))
            && !line.iter().any(is_value)
            && line.iter().skip(width).all(is_empty)
        {
            for (name, field) in names.iter_mut().zip(*line).take(width) {
                field.clone_into(name);
            }
            lines += 1;
        }
        Names { unnamed: 0, names, lines }
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
            [one] => remarks.push(format!("the first column has no name: it is {one:?}")),
            all => {
                let names = all.join(", ");
                remarks.push(format!(
                    "the first {} columns have no name: they are {names}",
                    all.len()
                ));
            }
        }
        remarks
    }
}

fn is_empty(field: &str) -> bool {
    field.trim().is_empty()
}

/// Returns the number of names at the start that are empty.
fn unnamed(names: &[String]) -> usize {
    names.iter().take_while(|name| is_empty(name)).count()
}

/// Returns true for a line that has more names: the names before it are not all different, or the columns of the index are empty in both lines and the line after
/// them has values.
fn is_level(names: &[String], line: &StringRecord, next: Option<&StringRecord>) -> bool {
    let count = unnamed(names);
    let (above, here) = (&names[count..], || line.iter().skip(count));
    if line.len() != names.len() || above.is_empty() || here().any(is_empty) {
        return false;
    }
    let is_below = count > 0 && line.iter().take(count).all(is_empty);
    let mut known = HashSet::new();
    let is_repeated = above.iter().any(|name| !known.insert(name));
    let has_values = here().any(is_value);
    match is_repeated {
        true => is_below || count == 0 && !has_values,
        false => {
            // The first row, or the name of the index, which is alone in its line.
            let is_row = |line: &StringRecord| {
                let mut rest = line.iter().skip(count);
                let first = line.get(0).unwrap_or_default();
                first == "0"
                    || !is_empty(first) && (rest.clone().any(is_value) || rest.all(is_empty))
            };
            is_below && !has_values && next.is_some_and(is_row)
        }
    }
}

/// Refuses a first line that may be a row: one with a field that is empty or has a value. `unnamed` columns at the start had no name.
pub(super) fn check(columns: &[Column], unnamed: usize, missing: &[String]) -> Result<(), String> {
    const REMEDY: &str = "npy convert --no-header reads it as a row, and --header as names";
    let all: Vec<&str> = columns.iter().map(|column| column.path[0].as_str()).collect();
    let (index, names) = all.split_at(unnamed);
    let may_be_row =
        |found: &str| Err(format!("the first line may be a row, because its {found}; {REMEDY}"));
    // A table of pandas without names has their numbers, above its row numbers.
    let are_counted = || names.iter().enumerate().all(|(at, name)| *name == at.to_string());
    if let ([_], [first, ..]) = (index, columns)
        && is_counted(first)
        && are_counted()
    {
        return Ok(());
    }
    if let Some(at) = (0..unnamed).find(|&at| is_missing(&columns[at])) {
        return may_be_row(&format!("field {at} is empty"));
    }
    if !names.is_empty() && names.iter().all(|name| comments::is_number(name)) && unnamed == 0 {
        let message = "the first line has numbers, not the names of columns";
        return Err(format!("{message}; {REMEDY}"));
    }
    for (at, name) in all.iter().enumerate().skip(unnamed) {
        if is_empty(name) || missing.iter().any(|text| text == name) {
            return may_be_row(&format!("field {at} is empty"));
        }
        if is_value(name) {
            return may_be_row(&format!("field {at}, {name:?}, is a value"));
        }
    }
    Ok(())
}

/// Returns true for the row numbers that pandas writes.
fn is_counted(column: &Column) -> bool {
    let mut rows = column.values.iter().enumerate();
    !column.values.is_empty()
        && rows.all(|(row, value)| matches!(value, Value::Text(text) if **text == row.to_string()))
}

fn is_missing(column: &Column) -> bool {
    column.values.iter().all(|value| *value == Value::Missing)
}

#[cfg(test)]
mod tests {
    use csv::StringRecord;

    use super::Names;

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
            (&["L0,x,x,y", "L1,a,b,a", "0,0,1,2"], "L0.L1,x.a,x.b,y.a", 2),
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
            (&["a,b", "c,d"], "a,b", 1),
        ] {
            let lines: Vec<StringRecord> =
                lines.iter().map(|line| line.split(',').collect()).collect();
            let mut names = Names::of(&lines[0], &lines[1..].iter().collect::<Vec<_>>());
            names.name_index();
            assert_eq!((&*names.names.join(","), names.lines), (expected, count), "{lines:?}");
        }
    }
}
