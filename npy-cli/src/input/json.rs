//! Lines of JSON: an object for each row. An object in an object is a nested record.

use std::collections::HashMap;
use std::fmt;
use std::io::{BufRead, BufReader, Read};

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::column::{Column, Value};
use crate::output::{Failure, Of, Result};

/// Reads the columns, and returns them with the number of rows.
pub(super) fn columns(stream: impl Read, name: &str) -> Result<(usize, Vec<Column>)> {
    let mut columns: Vec<Column> = Vec::new();
    let mut known: HashMap<Vec<String>, usize> = HashMap::new();
    let mut rows = 0;
    for line in BufReader::new(stream).lines() {
        let line = line.of(&name)?;
        if line.trim().is_empty() {
            continue;
        }
        let wrong =
            |message: &dyn fmt::Display| Failure::new(name, format!("row {rows}: {message}"));
        let json: Json = serde_json::from_str(&line).map_err(|error| wrong(&error))?;
        if !matches!(json, Json::Object(_)) {
            return Err(wrong(&"not an object; each line must be one, such as {\"a\": 1}"));
        }
        let mut leaves = Vec::new();
        json.leaves(&mut Vec::new(), &mut leaves);
        for (path, value) in leaves {
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
enum Json {
    Leaf(Value),
    Object(Vec<(String, Json)>),
}

impl Json {
    fn leaves(self, path: &mut Vec<String>, leaves: &mut Vec<(Vec<String>, Value)>) {
        match self {
            Json::Leaf(value) => leaves.push((path.clone(), value)),
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
        f.write_str("a number, a text, true, false, null or an object")
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

    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<Json, A::Error> {
        let reason =
            "a list is not read; give each of its items a key, such as {\"x0\": 1, \"x1\": 2}";
        Err(de::Error::custom(reason))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Json::Object(entries))
    }
}
