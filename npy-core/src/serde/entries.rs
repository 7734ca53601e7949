//! Values that a deserializer gives one by one: the entries of a map, the fields of a record, and a variant with its contents.

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess,
    Visitor,
};

use super::RowError;

/// An entry of a map, or a field of a record.
pub(super) trait Entry<'de> {
    fn key<K: DeserializeSeed<'de>>(&self, seed: K) -> Result<K::Value, RowError>;

    /// Deserializes the value. An error in it gets the key.
    fn value<V: DeserializeSeed<'de>>(self, seed: V) -> Result<V::Value, RowError>;
}

/// Entries that are left.
pub(super) struct Entries<I: Iterator> {
    left: I,
    /// The entry whose key was returned last.
    current: Option<I::Item>,
}

impl<I: Iterator> Entries<I> {
    pub(super) fn new(left: I) -> Self {
        Entries { left, current: None }
    }

    /// Visits the values as a sequence. Fails if the visitor does not read all of it.
    pub(super) fn visit_seq<'de, V: Visitor<'de>>(
        mut self,
        visitor: V,
    ) -> Result<V::Value, RowError>
    where
        I: ExactSizeIterator<Item: Entry<'de>>,
    {
        let value = visitor.visit_seq(&mut self)?;
        match self.left.len() {
            0 => Ok(value),
            left => Err(more_items(left)),
        }
    }
}

impl<'de, I: Iterator<Item: Entry<'de>>> MapAccess<'de> for Entries<I> {
    type Error = RowError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, RowError> {
        self.current = self.left.next();
        self.current.as_ref().map(|entry| entry.key(seed)).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, RowError> {
        match self.current.take() {
            Some(entry) => entry.value(seed),
            None => Err(RowError::new("a value was requested before its key")),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        self.left.size_hint().1
    }
}

impl<'de, I: Iterator<Item: Entry<'de>>> SeqAccess<'de> for &mut Entries<I> {
    type Error = RowError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, RowError> {
        self.left.next().map(|entry| entry.value(seed)).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        self.left.size_hint().1
    }
}

/// Returns the error for a type that reads only the first items.
pub(super) fn more_items(left: usize) -> RowError {
    let items = if left == 1 { "item" } else { "items" };
    RowError::new(format!(
        "the type leaves {left} {items} unread; use one that reads all of them, such as a Vec"
    ))
}

/// A variant of an enum: its name or number, and its contents if it has any.
pub(super) struct Variant<D> {
    pub(super) key: D,
    pub(super) value: Option<D>,
    /// Locates an error in the contents of a variant; makes the error for none, where the type expects contents.
    pub(super) failed: fn(D, Option<RowError>) -> RowError,
}

impl<'de, D: Deserializer<'de, Error = RowError> + Copy> Variant<D> {
    fn contents<T>(self, read: impl FnOnce(D) -> Result<T, RowError>) -> Result<T, RowError> {
        let value = self.value.ok_or_else(|| (self.failed)(self.key, None))?;
        read(value).map_err(|error| (self.failed)(self.key, Some(error)))
    }
}

impl<'de, D: Deserializer<'de, Error = RowError> + Copy> EnumAccess<'de> for Variant<D> {
    type Error = RowError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), RowError> {
        seed.deserialize(self.key).map(|variant| (variant, self))
    }
}

impl<'de, D: Deserializer<'de, Error = RowError> + Copy> VariantAccess<'de> for Variant<D> {
    type Error = RowError;

    fn unit_variant(self) -> Result<(), RowError> {
        if self.value.is_none() { Ok(()) } else { self.contents(<()>::deserialize) }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, RowError> {
        self.contents(|value| seed.deserialize(value))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, RowError> {
        self.contents(|value| value.deserialize_seq(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, RowError> {
        self.contents(|value| value.deserialize_map(visitor))
    }
}
