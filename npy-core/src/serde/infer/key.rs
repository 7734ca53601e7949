//! The keys of maps, which are the names of fields.

use std::fmt::{self, Display, Formatter, Write as _};

use serde::ser::Serialize;

use crate::serde::RowError;

/// Returns the text of a key, which must be text or a number.
pub(super) fn text<T: Serialize + ?Sized>(key: &T) -> Result<String, RowError> {
    struct Key<'k, T: ?Sized>(&'k T);

    impl<T: Serialize + ?Sized> Display for Key<'_, T> {
        fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
            // A `Formatter` is a serializer that accepts text and numbers, and refuses everything else.
            self.0.serialize(f)
        }
    }

    let mut text = String::new();
    let written = write!(text, "{}", Key(key));
    written.map_err(|_| {
        RowError::new(
            "a key of a map names a field, and this one is not text or a number; use such keys",
        )
    })?;
    match text.as_str() {
        "" => Err(RowError::new(
            "a field needs a name, as NumPy reads one without a name as padding; use another key",
        )),
        _ => Ok(text),
    }
}
