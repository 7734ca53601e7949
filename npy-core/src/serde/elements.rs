//! Single elements as values of serde: text, times, flags, and numbers of a byte order.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::element::bool8::Bool8;
use crate::element::endian::{Be, Le, Number};
use crate::element::text::ByteStr;
use crate::element::time::{DateTime64, TimeDelta64, TimeUnit};
use crate::element::ucs4::FixedStr;

/// Serializes as text, or as bytes in binary formats and if it is not UTF-8.
impl<const N: usize> Serialize for ByteStr<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.to_str() {
            Ok(text) if serializer.is_human_readable() => serializer.serialize_str(text),
            _ => serializer.serialize_bytes(self.as_bytes()),
        }
    }
}

impl<'de, const N: usize> Deserialize<'de> for ByteStr<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes<const N: usize>;

        impl<'de, const N: usize> Visitor<'de> for Bytes<N> {
            type Value = ByteStr<N>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "text or bytes, at most {N}")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<ByteStr<N>, E> {
                self.visit_bytes(text.as_bytes())
            }

            fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<ByteStr<N>, E> {
                ByteStr::new(bytes).map_err(E::custom)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<ByteStr<N>, A::Error> {
                let mut bytes = Vec::new();
                while let Some(byte) = seq.next_element::<u8>()? {
                    if bytes.len() == N {
                        return Err(de::Error::custom(format_args!("more than {N} bytes")));
                    }
                    bytes.push(byte);
                }
                ByteStr::new(bytes).map_err(de::Error::custom)
            }
        }

        deserializer.deserialize_bytes(Bytes)
    }
}

/// Deserializes a value by parsing text.
pub(super) struct Text<T, E> {
    pub(super) expecting: &'static str,
    pub(super) parse: fn(&str) -> Result<T, E>,
    /// The value for none and for a unit; `None` if these are errors.
    pub(super) missing: Option<T>,
}

impl<'de, T, F: fmt::Display> Visitor<'de> for Text<T, F> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expecting)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        (self.parse)(text).map_err(E::custom)
    }

    fn visit_none<E: de::Error>(self) -> Result<T, E> {
        let refused = || E::invalid_type(de::Unexpected::Option, &self.expecting);
        self.missing.ok_or_else(refused)
    }

    fn visit_unit<E: de::Error>(self) -> Result<T, E> {
        self.visit_none()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        deserializer.deserialize_str(self)
    }
}

/// Serializes as text.
impl<const N: usize> Serialize for FixedStr<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de, const N: usize> Deserialize<'de> for FixedStr<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Text { expecting: "text", parse: str::parse, missing: None };
        deserializer.deserialize_str(text)
    }
}

macro_rules! time {
    ($($name:ident, $expecting:literal, $doc:literal;)*) => {$(
        /// Serializes as the text that it prints, or as none for NaT; in binary formats, as the count.
        impl<U: TimeUnit> Serialize for $name<U> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match serializer.is_human_readable() {
                    false => serializer.serialize_i64(self.count()),
                    true if self.is_nat() => serializer.serialize_none(),
                    true => serializer.collect_str(self),
                }
            }
        }

        #[doc = $doc]
        impl<'de, U: TimeUnit> Deserialize<'de> for $name<U> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                match deserializer.is_human_readable() {
                    false => i64::deserialize(deserializer).map(Self::new),
                    true => {
                        let (expecting, missing) = ($expecting, Some(Self::NAT));
                        deserializer.deserialize_option(Text { expecting, parse: str::parse, missing })
                    }
                }
            }
        }
    )*};
}

time! {
    DateTime64, "a time, as in \"2009-08-24T00:20:03\"",
        "Deserializes the text that it prints. A text with an offset from UTC (`Z`, `+02:00`) is converted to UTC. In binary formats, the count.";
    TimeDelta64, "a span of time, as in \"100 seconds\"",
        "Deserializes the text that it prints; in binary formats, the count.";
}

macro_rules! like_its_value {
    ($([$($generics:tt)*] $type:ty: $value:ty;)*) => {$(
        /// Serializes as its value.
        impl<$($generics)*> Serialize for $type
        where
            $value: Serialize,
        {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.get().serialize(serializer)
            }
        }

        impl<'de, $($generics)*> Deserialize<'de> for $type
        where
            $value: Deserialize<'de>,
        {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                <$value>::deserialize(deserializer).map(Self::new)
            }
        }
    )*};
}

like_its_value! {
    [T: Number] Le<T>: T;
    [T: Number] Be<T>: T;
    [] Bool8: bool;
}
