//! Answers as JSON. A crate for it would make the module larger, and this only writes.

use std::fmt::Write;

/// A value of JSON.
pub(crate) enum Json {
    Null,
    Bool(bool),
    Int(u64),
    Float(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(&'static str, Json)>),
}

impl Json {
    /// Adds a value to an object.
    pub(crate) fn insert(&mut self, key: &'static str, value: impl Into<Json>) {
        if let Json::Object(fields) = self {
            fields.push((key, value.into()));
        }
    }

    pub(crate) fn to_text(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    /// The recursion is as deep as an answer: a few levels.
    fn write(&self, out: &mut String) {
        // Writing to a `String` never fails.
        let _ = match self {
            Json::Bool(value) => write!(out, "{value}"),
            Json::Int(value) => write!(out, "{value}"),
            Json::Float(value) if value.is_finite() => write!(out, "{value:e}"),
            Json::Null | Json::Float(_) => write!(out, "null"),
            Json::Text(text) => {
                write_text(text, out);
                Ok(())
            }
            Json::List(items) => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    item.write(out);
                }
                out.push(']');
                Ok(())
            }
            Json::Object(fields) => {
                out.push('{');
                for (i, (key, value)) in fields.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    write_text(key, out);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
                Ok(())
            }
        };
    }
}

pub(crate) fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '\0'..='\x1f' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out.push('"');
}

/// Returns an object with these fields.
pub(crate) fn object<const N: usize>(fields: [(&'static str, Json); N]) -> Json {
    Json::Object(fields.into())
}

macro_rules! from {
    ($($type:ty: $value:ident => $json:expr),* $(,)?) => {$(
        impl From<$type> for Json {
            fn from($value: $type) -> Self {
                $json
            }
        }
    )*};
}

from! {
    bool: value => Json::Bool(value),
    u64: value => Json::Int(value),
    usize: value => Json::Int(value as u64),
    f64: value => Json::Float(value),
    &str: value => Json::Text(value.to_owned()),
    String: value => Json::Text(value),
}

impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Self {
        value.map_or(Json::Null, T::into)
    }
}

impl<T: Into<Json>> From<Vec<T>> for Json {
    fn from(items: Vec<T>) -> Self {
        Json::List(items.into_iter().map(T::into).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::{Json, object};

    /// Guards that a script can parse any text and number of a file.
    #[test]
    fn answers_are_json() {
        let json = object([
            ("text", "a\"\\\n\0é".into()),
            ("numbers", vec![1.5, f64::NAN, -1e300].into()),
            ("none", Json::from(None::<bool>)),
            ("some", Some(3usize).into()),
        ]);
        let text =
            r#"{"text":"a\"\\\u000a\u0000é","numbers":[1.5e0,null,-1e300],"none":null,"some":3}"#;
        assert_eq!(json.to_text(), text);
    }
}
