//! The functions that generated code calls. Not public API: it changes without notice.

mod for_any;
#[cfg(feature = "__test-hooks")]
mod outline;
mod reads;
mod with;

use std::fmt::Display;
use std::io::Read;
use std::marker::PhantomData;
use std::ops::Range;

pub use for_any::{rust_type, variant};
#[cfg(feature = "__test-hooks")]
pub use outline::literal;
pub use reads::check_reads;
pub use with::{can_fail, check_decoded, decoded, encoded};
#[cfg(feature = "npz")]
pub use with::{decoded_field, encoded_field};

pub use crate::any::Variant;
use crate::checked;
use crate::dtype::{ByteOrder, DType, Field, Resolution, rust_type as types};
pub use crate::element::Internals;
pub use crate::element::cast::Plain;
use crate::element::cast::zero_copy::{MemoryField, ZeroCopy};
pub use crate::element::layout::{Packing, distinct, field, size, stated_size};
use crate::element::record::{FieldLayout, NpyRecord};
pub use crate::element::width::{AnyWidth, Codec, Width, WidthBytes};
use crate::element::{Element, InvalidValue};
use crate::error::Error;
use crate::read::Reader;
pub use crate::schema::Schema;
use crate::schema::{FieldRules, ReadRules};
use crate::write::ArrayWriter;

/// The dtype of a field, and the rules by which it is read.
#[derive(Debug)]
pub struct FieldSchema {
    dtype: DType,
    rules: FieldRules,
}

/// Creates the schema of a field.
pub fn member(schema: Schema) -> FieldSchema {
    let rules = FieldRules { inner: schema.rules, ..FieldRules::default() };
    FieldSchema { dtype: schema.dtype, rules }
}

impl FieldSchema {
    /// Adds other names that the field may have in a file.
    #[must_use]
    pub fn alias(mut self, aliases: &'static [&'static str]) -> Self {
        self.rules.aliases = aliases;
        self
    }

    /// Sets the function that returns the bytes of the field if a file lacks it.
    #[must_use]
    pub fn default(mut self, default: fn() -> Result<Vec<u8>, Error>) -> Self {
        self.rules.default = Some(default);
        self
    }
}

/// Creates the schema of a record of these fields.
pub fn record<const N: usize>(
    layouts: &[FieldLayout],
    size: usize,
    deny_unknown: bool,
    members: [FieldSchema; N],
) -> Schema {
    let mut fields = Vec::with_capacity(N);
    let mut rules = Vec::with_capacity(N);
    for (layout, member) in layouts.iter().zip(members) {
        if layout.flattened.is_empty() {
            fields.push(Field::of(layout.name, layout.title, layout.offset, member.dtype));
            rules.push(member.rules);
        } else {
            // The list of rules may be shorter than that of the fields.
            let mut inner = member.rules.inner.fields;
            inner.resize_with(member.dtype.fields().len(), FieldRules::default);
            rules.append(&mut inner);
            fields.extend(member.dtype.fields().iter().map(|field| field.moved(layout.offset)));
        }
    }
    let rules = ReadRules { deny_unknown, fields: rules, ..ReadRules::default() };
    Schema { dtype: DType::of_fields(fields, size), rules }
}

/// Returns the Rust type of a unit of time, for `npy-codegen`; `module` is the path of the module `time`.
pub fn unit_type(resolution: Option<Resolution>, module: &str) -> String {
    types::unit_type(resolution, module)
}

/// Reads an element from an array without dimensions.
///
/// # Errors
///
/// As [`ReadNpy::read_npy`](crate::ReadNpy::read_npy).
pub fn read_single<T: Element, R: Read>(reader: &mut Reader<R>) -> Result<T, Error> {
    reader.read_single()
}

/// Writes an element as an array without dimensions.
///
/// # Errors
///
/// As [`WriteNpy::write_npy`](crate::WriteNpy::write_npy).
pub fn write_single<T: Element>(element: &T, to: ArrayWriter<'_>) -> Result<(), Error> {
    to.single(element)
}

/// Returns the canonical bytes of a default value.
///
/// # Errors
///
/// [`ErrorKind::InvalidValue`](crate::ErrorKind::InvalidValue) if the dtype cannot hold it.
pub fn default_bytes(
    size: usize,
    encode: impl FnOnce(&mut [u8]) -> Result<(), InvalidValue>,
) -> Result<Vec<u8>, Error> {
    let mut bytes = vec![0; size];
    encode(&mut bytes).map_err(|error| {
        Error::invalid(format_args!("its default value cannot be stored: {error}"))
    })?;
    Ok(bytes)
}

/// Returns the dtype in memory of a record of these fields.
pub fn memory_record<const N: usize>(
    layouts: &[FieldLayout],
    size: usize,
    fields: [MemoryField; N],
) -> DType {
    let members = fields.map(|field| member(Schema::plain((field.dtype)())));
    record(layouts, size, false, members).into_dtype()
}

/// Returns the dtype in memory of a struct with one field. If the struct is stored like its field, this is the dtype of the field;
/// otherwise it is a record.
pub fn newtype<T: Element>([field]: [MemoryField; 1]) -> DType {
    let (own, inner) = (T::dtype(), (field.dtype)());
    match own.fields() {
        _ if own.with_byte_order(ByteOrder::Little) == inner.with_byte_order(ByteOrder::Little) => {
            inner
        }
        [field] => {
            let field = Field::of(field.name(), field.title(), field.offset(), inner);
            DType::of_fields(vec![field], T::SIZE)
        }
        _ => T::dtype_in(ByteOrder::NATIVE),
    }
}

/// Detects whether a type is `ZeroCopy`: if it is, `Probe::<T>::__plain()` is the inherent function, and otherwise the function of
/// [`NotZeroCopy`].
#[derive(Debug)]
pub struct Probe<T>(PhantomData<T>);

impl<T: ZeroCopy> Probe<T> {
    /// Returns the proof that the memory of a `T` is its canonical bytes; `None` if it is not.
    pub fn __plain() -> Option<Plain<T>> {
        Plain::of()
    }
}

/// The fallback for types that are not known to be `ZeroCopy`.
pub trait NotZeroCopy<T> {
    /// Returns `None`: there is no proof.
    fn __plain() -> Option<Plain<T>> {
        None
    }
}

impl<T> NotZeroCopy<T> for Probe<T> {}

/// Returns the layout of the field at this index.
// The compiler evaluates this: a wrong index is a compile error.
#[expect(clippy::indexing_slicing)]
const fn layout_of<R: NpyRecord, const I: usize>() -> FieldLayout {
    R::FIELDS[I]
}

/// Returns the range of one field in the item of a record.
#[inline]
fn range_of<R: NpyRecord, const I: usize>() -> Range<usize> {
    let field = const { layout_of::<R, I>() };
    field.offset..checked::add(field.offset, field.size)
}

/// Returns the bytes of one field of a record.
#[inline]
pub fn part<R: NpyRecord, const I: usize>(item: &[u8]) -> &[u8] {
    checked::slice(item, range_of::<R, I>())
}

/// Checks one field of a record.
#[inline]
pub fn check_part<R: NpyRecord, const I: usize>(
    item: &[u8],
    check: impl FnOnce(&[u8]) -> Result<(), InvalidValue>,
) -> Result<(), InvalidValue> {
    check(part::<R, I>(item)).map_err(|error| in_field::<R, I>(error))
}

/// Encodes one field of a record.
#[inline]
pub fn put<R: NpyRecord, const I: usize>(
    item: &mut [u8],
    encode: impl FnOnce(&mut [u8]) -> Result<(), InvalidValue>,
) -> Result<(), InvalidValue> {
    let part = checked::slice_mut(item, range_of::<R, I>());
    encode(part).map_err(|error| in_field::<R, I>(error))
}

/// Adds the name of the field to the error.
#[cold]
fn in_field<R: NpyRecord, const I: usize>(error: InvalidValue) -> InvalidValue {
    let field = const { layout_of::<R, I>() };
    // The fields of a flattened record have their names already.
    if field.flattened.is_empty() { error.in_field(field.name) } else { error }
}

/// Checks a run of integers, each of which must be a variant of the enum of this name.
#[inline]
pub fn check_variants<I: Element + Copy + Display>(
    items: &[u8],
    name: &str,
    is_variant: impl Fn(I) -> bool,
) -> Result<(), InvalidValue> {
    let mut values = items.chunks_exact(I::SIZE.max(1)).map(I::decode).enumerate();
    match values.find(|&(_, value)| !is_variant(value)) {
        None => Ok(()),
        Some((i, value)) => {
            Err(InvalidValue::new(format!("{value} is not a variant of {name}")).at_item(i))
        }
    }
}

/// Checks a run of records one by one.
#[inline]
pub fn check(
    items: &[u8],
    size: usize,
    each: impl Fn(&[u8]) -> Result<(), InvalidValue>,
) -> Result<(), InvalidValue> {
    // This loop counts its rounds, so that the compiler can remove it for types without invalid items.
    let count = items.len().checked_div(size).unwrap_or(0);
    let record = |i: usize| items.get(checked::mul(i, size)..).and_then(|rest| rest.get(..size));
    (0..count).try_for_each(|i| each(checked::some(record(i))).map_err(|error| error.at_item(i)))
}

/// An archive that is also a record.
#[diagnostic::on_unimplemented(
    message = "this attribute is for records, and `{Self}` is not a record",
    label = "has no effect on an archive member; remove it",
    note = "a struct may be both: `#[derive(npy_core::NpyRecord, npy_core::NpzArchive)]`"
)]
pub trait AlsoRecord {}

#[diagnostic::do_not_recommend]
impl<T: NpyRecord> AlsoRecord for T {}

/// Refuses a struct that is not a record.
pub fn also_record<T: AlsoRecord>() {}

/// Creates the error for memory that could not be allocated, which a test cannot cause.
#[cfg(feature = "__test-hooks")]
pub fn memory_error(bytes: u64) -> Error {
    crate::error::ErrorKind::Memory { bytes }.into()
}
