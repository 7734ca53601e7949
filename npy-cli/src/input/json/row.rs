//! One row of JSON: its values with their paths.

use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::exact::Large;
use crate::input::value::Value;

/// A row: its values, and what its lists and objects are.
#[derive(Default)]
pub(in crate::input) struct Row {
    pub(super) values: Vec<(Vec<String>, Value<'static>)>,
    pub(super) shapes: Vec<(Vec<String>, Shape)>,
    /// Those of the stream, if it is JSON.
    large: Option<Large>,
}

/// A list or an object, which has values within.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Shape {
    /// A list of this length.
    List(usize),
    Object,
    /// The parts of a complex number.
    Complex,
}

/// Reads a row of a stream whose large numbers are known.
#[derive(Clone, Copy)]
pub(super) struct RowOf<'l>(pub(super) &'l Large);

impl<'de> DeserializeSeed<'de> for RowOf<'_> {
    type Value = Row;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Row, D::Error> {
        let mut row = Row { large: Some(self.0.clone()), ..Row::default() };
        Place { row: &mut row, path: &mut Vec::new() }.deserialize(deserializer)?;
        Ok(row)
    }
}

/// A place in a row, where a value is read.
pub(in crate::input) struct Place<'a> {
    pub(in crate::input) row: &'a mut Row,
    pub(in crate::input) path: &'a mut Vec<String>,
}

impl Place<'_> {
    pub(in crate::input) fn add(self, value: Value<'static>) {
        self.row.values.push((self.path.clone(), value));
    }

    pub(in crate::input) fn begin_list(&mut self, length: usize) {
        self.row.shapes.push((self.path.clone(), Shape::List(length)));
    }

    pub(in crate::input) fn begin_object(&mut self) {
        self.row.shapes.push((self.path.clone(), Shape::Object));
    }

    /// Adds a complex number, whose parts are two columns.
    pub(in crate::input) fn add_complex(mut self, parts: [Value<'static>; 2]) {
        self.row.shapes.push((self.path.clone(), Shape::Complex));
        for (name, part) in ["re", "im"].into_iter().zip(parts) {
            self.within(name.into()).add(part);
            self.path.pop();
        }
    }

    /// Returns the place of an item; its name is removed from `path` after it was added.
    pub(in crate::input) fn within(&mut self, name: String) -> Place<'_> {
        self.path.push(name);
        Place { row: self.row, path: self.path }
    }

    /// Adds a value of JSON.
    pub(in crate::input) fn read(self, text: &[u8]) -> Result<(), String> {
        let mut text = serde_json::Deserializer::from_slice(text);
        self.deserialize(&mut text).map_err(|error| error.to_string())
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
        self.add(Value::Missing);
        Ok(())
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<(), E> {
        self.add(Value::Bool(value));
        Ok(())
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<(), E> {
        self.add(Value::Int(number.into()));
        Ok(())
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<(), E> {
        self.add(Value::Int(number.into()));
        Ok(())
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<(), E> {
        let value = match self.row.large.as_ref().and_then(|large| large.digits(number)) {
            Some(digits) => Value::Large(digits.into()),
            None => Value::Float(number),
        };
        self.add(value);
        Ok(())
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<(), E> {
        self.add(Value::Text(text.to_owned().into()));
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        let (outer, mut length) = (self.row.shapes.len(), 0usize);
        while list.next_element_seed(self.within(length.to_string()))?.is_some() {
            self.path.pop();
            length += 1;
        }
        self.path.pop();
        // Before the lists within.
        self.row.shapes.insert(outer, (self.path.clone(), Shape::List(length)));
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        self.begin_object();
        while let Some(key) = map.next_key()? {
            map.next_value_seed(self.within(key))?;
            self.path.pop();
        }
        Ok(())
    }
}
