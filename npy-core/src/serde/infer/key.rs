//! The keys of maps, which are the names of fields.

use std::fmt::{self, Display, Formatter, Write as _};

use serde::ser::Serialize;

use crate::serde::RowError;

/// The text that a key is, or the number as text.
pub(super) fn text<T: Serialize + ?Sized>(key: &T) -> Result<String, RowError> {
    struct Key<'k, T: ?Sized>(&'k T);

    impl<T: Serialize + ?Sized> Display for Key<'_, T> {
        fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
            // A formatter takes what is text or a number, and nothing else.
            self.0.serialize(f)
        }
    }

    let mut text = String::new();
    let written = write!(text, "{}", Key(key));
    written.map_err(|_| RowError::new("a key of a map names a field, and this one is no text"))?;
    match text.as_str() {
        "" => Err(RowError::new("a field needs a name: NumPy takes one without for padding")),
        _ => Ok(text),
    }
}
