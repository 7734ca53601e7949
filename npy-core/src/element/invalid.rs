//! The error of a value that a dtype cannot hold.

use crate::error::{Error, ErrorKind};

/// A value that a dtype cannot hold, or bytes that are not a value of a type.
///
/// ```
/// use npy_core::InvalidValue;
///
/// let error = InvalidValue::new("9 is not a variant of Phase").in_field("phase").in_field("pick");
/// assert_eq!(error.to_string(), r#"field "pick.phase": 9 is not a variant of Phase"#);
/// ```
// Boxed, so that the `Result` that `encode` returns in the hottest loop is one word.
pub struct InvalidValue(Box<Invalid>);

#[derive(Debug)]
struct Invalid {
    item: usize,
    field: String,
    reason: String,
    /// The remedy, if it is not in the reason.
    remedy: String,
}

impl InvalidValue {
    /// Creates the error with its reason.
    ///
    /// ```
    /// use npy_core::InvalidValue;
    ///
    /// let error = InvalidValue::new("2 is neither true nor false");
    /// assert_eq!(error.reason(), "2 is neither true nor false");
    /// ```
    pub fn new(reason: impl Into<String>) -> Self {
        let (field, remedy) = (String::new(), String::new());
        InvalidValue(Box::new(Invalid { item: 0, field, reason: reason.into(), remedy }))
    }

    /// Adds a remedy, which the message has after the reason.
    #[must_use]
    pub(crate) fn with_remedy(mut self, remedy: String) -> Self {
        self.0.remedy = remedy;
        self
    }

    /// Adds the name of the field that the value is in. In nested records, the innermost field is added first.
    ///
    /// ```
    /// use npy_core::InvalidValue;
    ///
    /// let error = InvalidValue::new("no such code").in_field("code").in_field("hdr");
    /// assert_eq!(error.field(), "hdr.code");
    /// ```
    #[must_use]
    pub fn in_field(mut self, name: &str) -> Self {
        let inner = std::mem::take(&mut self.0.field);
        self.0.field = if inner.is_empty() { name.to_owned() } else { format!("{name}.{inner}") };
        self
    }

    /// Sets the index of the invalid item among the items that were checked.
    ///
    /// ```
    /// use npy_core::InvalidValue;
    ///
    /// let error = InvalidValue::new("no such code").at_item(3);
    /// assert_eq!(error.item(), 3);
    /// ```
    #[must_use]
    pub fn at_item(mut self, index: usize) -> Self {
        self.0.item = index;
        self
    }

    /// Returns the index of the invalid item among the items that were checked or encoded.
    ///
    /// ```
    /// use npy_core::InvalidValue;
    ///
    /// assert_eq!(InvalidValue::new("no such code").item(), 0);
    /// ```
    pub fn item(&self) -> usize {
        self.0.item
    }

    /// Returns the path of the field (`"hdr.gain"`); empty outside a record.
    ///
    /// ```
    /// use npy_core::InvalidValue;
    ///
    /// assert_eq!(InvalidValue::new("no such code").field(), "");
    /// ```
    pub fn field(&self) -> &str {
        &self.0.field
    }

    /// Returns the reason why the value is invalid.
    ///
    /// ```
    /// use npy_core::InvalidValue;
    ///
    /// assert_eq!(InvalidValue::new("no such code").reason(), "no such code");
    /// ```
    pub fn reason(&self) -> &str {
        &self.0.reason
    }
}

impl std::fmt::Display for InvalidValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.field().is_empty() {
            write!(f, "field {:?}: ", self.field())?;
        }
        f.write_str(self.reason())?;
        if self.0.remedy.is_empty() { Ok(()) } else { write!(f, "; {}", self.0.remedy) }
    }
}

/// Prints the message, so that `fn main() -> Result<(), InvalidValue>` shows it.
impl std::fmt::Debug for InvalidValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for InvalidValue {}

/// Converts an invalid value where `?` is used in a function that returns [`npy_core::Result`](crate::Result). The field becomes a
/// part of the location; the [index](InvalidValue::item) is dropped, because it counts within an unknown block.
///
/// ```
/// use npy_core::ByteStr;
///
/// fn code(text: &str) -> npy_core::Result<ByteStr<4>> {
///     Ok(ByteStr::new(text)?)
/// }
///
/// assert_eq!(code("RJOB")?, "RJOB");
/// assert!(code("GRIMSEL").is_err());
/// # Ok::<(), npy_core::Error>(())
/// ```
impl From<InvalidValue> for Error {
    fn from(invalid: InvalidValue) -> Self {
        let Invalid { field, reason, remedy, .. } = *invalid.0;
        let error = Error::from(ErrorKind::InvalidValue { reason, remedy });
        if field.is_empty() { error } else { error.in_field(&field) }
    }
}
