//! A Rust type, as code that is compiled once for all types knows it.

use crate::dtype::{ByteOrder, DType};
use crate::element::{Element, without_modules};
use crate::error::{Error, ErrorKind};
use crate::plan::remedy::naming_type;
use crate::plan::{Cast, Plan};
use crate::schema::Schema;

/// The schema, the item size and the name of an element type.
#[derive(Clone, Copy)]
pub(crate) struct TypeInfo {
    schema: fn(ByteOrder) -> Schema,
    size: usize,
    dtype: fn(ByteOrder) -> DType,
    name: fn() -> &'static str,
}

impl TypeInfo {
    pub(crate) fn of<T: Element>() -> Self {
        TypeInfo {
            schema: schema::<T>(),
            size: T::SIZE,
            dtype: T::dtype_in,
            name: std::any::type_name::<T>,
        }
    }

    /// Returns true for `T`, and for types with the same schema: the compiler may merge the functions of two types if their code is equal.
    pub(crate) fn is_of<T: Element>(self) -> bool {
        std::ptr::fn_addr_eq(self.schema, schema::<T>()) && self.size == T::SIZE
    }

    /// Returns the name without its modules.
    pub(crate) fn name(self) -> String {
        without_modules((self.name)())
    }

    /// Returns the dtype in which elements are written.
    pub(crate) fn dtype_in(self, order: ByteOrder) -> DType {
        (self.dtype)(order)
    }

    /// Returns the schema with all numbers little-endian.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::DType`] for a type whose [`Element::SIZE`] is not the item size of its dtype.
    pub(crate) fn canonical(self) -> Result<Schema, Error> {
        let canonical = (self.schema)(ByteOrder::Little).canonical();
        let (dtype, size) = (&canonical.dtype, canonical.dtype.itemsize());
        if size == self.size {
            return Ok(canonical);
        }
        let reason = format!(
            "its items have {size} bytes, but Element::SIZE is {}; make them equal",
            self.size
        );
        Err(ErrorKind::DType { descr: dtype.descr(), reason }.into())
    }

    /// Returns the dtype of canonical items, which are converted to the dtype of the file when they are written.
    ///
    /// # Errors
    ///
    /// Those of [`canonical`](Self::canonical); [`ErrorKind::Unsupported`] for a type with text of any width.
    pub(crate) fn canonical_to_write(self) -> Result<DType, Error> {
        let schema = self.canonical()?;
        if schema.rules.has_any_width() {
            let what = format!("writing {}, a type with text of any width,", self.name());
            let needs = "a width for each text: #[npy(width = N)] instead of #[npy(width = any)]";
            return Err(ErrorKind::Unsupported { what, needs }.into());
        }
        Ok(schema.dtype)
    }

    /// Creates the plan that converts items of the dtype `file` to canonical items, whose schema is `schema`.
    pub(crate) fn reading(self, file: &DType, schema: &Schema, cast: Cast) -> Result<Plan, Error> {
        Plan::reading(file, schema, cast).map_err(|error| error.wanted_by(&self.name()))
    }

    /// Creates the plan that converts items of the dtype `file` to canonical items.
    ///
    /// # Errors
    ///
    /// Those of [`canonical`](Self::canonical) and [`Plan::reading`].
    #[cfg(any(feature = "mmap", feature = "npz"))]
    pub(crate) fn item_plan(self, file: &DType, cast: Cast) -> Result<Plan, Error> {
        self.reading(file, &self.canonical()?, cast)
    }

    /// Creates the plan that converts the field at `path`, in records of the dtype `file`, to canonical items.
    ///
    /// # Errors
    ///
    /// Those of [`canonical`](Self::canonical) and [`Plan::column`].
    pub(crate) fn column_plan(self, file: &DType, path: &str, cast: Cast) -> Result<Plan, Error> {
        let plan = Plan::column(file, path, &self.canonical()?, cast);
        plan.map_err(|error| {
            // The call names the path, not the type.
            let Some(part) = file.part(path) else { return error };
            let found = part.dtype().ok();
            let error =
                found.into_iter().fold(error, |error, found| naming_type(error, &found, None));
            error.wanted_by(&self.name())
        })
    }
}

/// Returns the schema function of a type. Not inlined: two inlined copies might have different addresses.
#[inline(never)]
fn schema<T: Element>() -> fn(ByteOrder) -> Schema {
    T::__INTERNALS.schema
}
