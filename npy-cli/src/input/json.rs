//! JSON: a value for each row, in lines or in a list. An object is a record, a list a sub-array, and any other value a column of its own.

use std::collections::HashMap;
use std::fmt;
use std::io::{BufRead, BufReader, Read};

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::column::{Column, Value};
use crate::output::{Failure, Result};

/// Returns the rows of lines of JSON.
pub(super) fn lines(stream: impl Read) -> impl Iterator<Item = serde_json::Result<Json>> {
    let lines = BufReader::new(stream).lines().map(|line| line.map_err(serde_json::Error::io));
    let is_row = |line: &serde_json::Result<String>| {
        line.as_ref().map_or(true, |line| !line.trim().is_empty())
    };
    lines.filter(is_row).map(|line| serde_json::from_str(&line?))
}

/// Returns the rows of one list; a text that is no list is one row.
pub(super) fn list(stream: impl Read) -> impl Iterator<Item = serde_json::Result<Json>> {
    match serde_json::from_reader(BufReader::new(stream)) {
        Ok(Json::List(rows)) => rows.into_iter().map(Ok).collect::<Vec<_>>(),
        other => vec![other],
    }
    .into_iter()
}

/// Sorts the values of the rows into columns, and returns these with the number of rows.
pub(super) fn columns(
    json: impl Iterator<Item = serde_json::Result<Json>>,
    name: &str,
) -> Result<(usize, Vec<Column>)> {
    let mut columns: Vec<Column> = Vec::new();
    let mut known: HashMap<Vec<String>, usize> = HashMap::new();
    let mut lists: HashMap<Vec<String>, usize> = HashMap::new();
    let mut rows = 0;
    for json in json {
        let wrong =
            |message: &dyn fmt::Display| Failure::new(name, format!("row {rows}: {message}"));
        let json = json.map_err(|error| match error.is_syntax() {
            true => wrong(&format!("{error}; JSON has no NaN and no Infinity: write null")),
            false => wrong(&error),
        })?;
        let mut found = Leaves::default();
        match json {
            Json::Leaf(value) => found.values.push((vec!["value".to_owned()], value)),
            json => json.leaves(&mut Vec::new(), &mut found),
        }
        for (path, length) in found.lists {
            let first = *lists.entry(path.clone()).or_insert(length);
            if first != length {
                let which =
                    if path.is_empty() { String::new() } else { format!(" {:?}", path.join(".")) };
                return Err(wrong(&format!(
                    "the list{which} has {length} items, and {first} in the first row that has it; lists must have one length"
                )));
            }
        }
        for (path, value) in found.values {
            let at = *known.entry(path.clone()).or_insert_with(|| {
                columns.push(Column::new(path, false));
                columns.len() - 1
            });
            let Some(column) = columns.get_mut(at) else { continue };
            if column.values.len() > rows {
                return Err(wrong(&format!("the key {:?} is there twice", column.path.join("."))));
            }
            fill(column, rows);
            column.push(value);
        }
        rows += 1;
    }
    columns.iter_mut().for_each(|column| fill(column, rows));
    Ok((rows, columns))
}

/// Adds what rows without the key miss.
fn fill(column: &mut Column, rows: usize) {
    while column.values.len() < rows {
        column.push(Value::Missing);
    }
}

/// A value of JSON, with its keys in order.
pub(super) enum Json {
    Leaf(Value),
    Object(Vec<(String, Json)>),
    List(Vec<Json>),
}

/// What a row has: its values, and the lengths of its lists.
#[derive(Default)]
struct Leaves {
    values: Vec<(Vec<String>, Value)>,
    lists: Vec<(Vec<String>, usize)>,
}

impl Json {
    fn leaves(self, path: &mut Vec<String>, leaves: &mut Leaves) {
        match self {
            Json::Leaf(value) => leaves.values.push((path.clone(), value)),
            Json::List(items) => {
                leaves.lists.push((path.clone(), items.len()));
                for (i, item) in items.into_iter().enumerate() {
                    path.push(i.to_string());
                    item.leaves(path, leaves);
                    path.pop();
                }
            }
            Json::Object(entries) => {
                for (key, value) in entries {
                    path.push(key);
                    value.leaves(path, leaves);
                    path.pop();
                }
            }
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, a text, true, false, null, a list or an object")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Json, E> {
        Ok(Json::Leaf(Value::Missing))
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Leaf(Value::Bool(value)))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Json, E> {
        Ok(Json::Leaf(Value::Int(number.into())))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Json, E> {
        Ok(Json::Leaf(Value::Int(number.into())))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Json, E> {
        Ok(Json::Leaf(Value::Float(number)))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Leaf(Value::Text(text.into())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Json::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Json::Object(entries))
    }
}
