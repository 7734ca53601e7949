//! One row of JSON: its values with their paths.

use std::fmt;

use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::input::value::Value;

/// A row: its values, and the lengths of its lists.
#[derive(Default)]
pub(super) struct Row {
    pub(super) values: Vec<(Vec<String>, Value)>,
    pub(super) lists: Vec<(Vec<String>, usize)>,
}

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut row = Row::default();
        Place { row: &mut row, path: &mut Vec::new() }.deserialize(deserializer)?;
        Ok(row)
    }
}

/// A place in a row, where a value is read.
struct Place<'a> {
    row: &'a mut Row,
    path: &'a mut Vec<String>,
}

impl Place<'_> {
    fn add<E>(self, value: Value) -> Result<(), E> {
        let path = match self.path[..] {
            [] => vec!["value".to_owned()],
            _ => self.path.clone(),
        };
        self.row.values.push((path, value));
        Ok(())
    }

    fn within(&mut self, name: String) -> Place<'_> {
        self.path.push(name);
        Place { row: self.row, path: self.path }
    }
}

impl<'de> DeserializeSeed<'de> for Place<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Place<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, a text, true, false, null, a list or an object")
    }

    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        self.add(Value::Missing)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<(), E> {
        self.add(Value::Bool(value))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<(), E> {
        self.add(Value::Int(number.into()))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<(), E> {
        self.add(Value::Int(number.into()))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<(), E> {
        self.add(Value::Float(number))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<(), E> {
        self.add(Value::Text(text.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        let (outer, mut length) = (self.row.lists.len(), 0usize);
        while list.next_element_seed(self.within(length.to_string()))?.is_some() {
            self.path.pop();
            length += 1;
        }
        self.path.pop();
        // Before the lists within.
        self.row.lists.insert(outer, (self.path.clone(), length));
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key()? {
            map.next_value_seed(self.within(key))?;
            self.path.pop();
        }
        Ok(())
    }
}
