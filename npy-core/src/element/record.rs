//! Structs as records.

use crate::element::Element;

/// A struct whose fields are the fields of a NumPy record.
///
/// `#[derive(NpyRecord)]` implements this trait and [`Element`]. The derive macro needs the feature `derive`, which is on by default: without it, the compiler
/// finds a trait of this name, and no macro.
///
/// ```
/// use npy_core::NpyRecord;
///
/// #[derive(NpyRecord)]
/// struct Pick {
///     station: u32,
///     #[npy(rename = "t0")]
///     time: i64,
/// }
///
/// let names: Vec<_> = Pick::FIELDS.iter().map(|field| field.name).collect();
/// assert_eq!(names, ["station", "t0"]);
/// assert_eq!(Pick::FIELDS[1].offset, 4);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a record: it has no fields",
    label = "`npy_core::NpyRecord` is not implemented for this type",
    note = "a struct of your own: `#[derive(npy_core::NpyRecord)]` on it",
    note = "`#[npy(flatten)]` puts the fields of a record in its place; without it any `npy_core::Element` can be a field"
)]
#[doc(alias("recarray", "structured"))]
pub trait NpyRecord: Element {
    /// The fields in the order of the record.
    const FIELDS: &'static [FieldLayout];
}

/// The name of a field, and its position in a canonical item ([`Element`]) of its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldLayout {
    /// The name in the file, which may be empty. A flattened record has an empty name, as only its
    /// fields are in the file.
    pub name: &'static str,
    /// The title in the file.
    pub title: Option<&'static str>,
    /// The offset in the record, in bytes.
    pub offset: usize,
    /// The size in bytes.
    pub size: usize,
    /// The alignment in a C struct, in bytes.
    pub align: usize,
    /// The fields of a flattened record, with offsets from its start; empty for any other field.
    pub flattened: &'static [FieldLayout],
    /// Hashes of the name and the title; zero if there is none. The compiler compares the hashes to
    /// find a name that occurs twice.
    pub(crate) keys: [u64; 2],
}
