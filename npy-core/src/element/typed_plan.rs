//! The plan by which the elements of a file become values of a Rust type.

use crate::checked;
use crate::dtype::{ByteOrder, DType};
use crate::element::item_shape::ItemShape;
use crate::element::{Element, block, type_name};
use crate::error::{Error, ErrorKind};
use crate::header::Header;
use crate::limits::Limits;
use crate::plan::{Cast, Plan};
use crate::schema::Schema;
use crate::shape::{self, Order};

/// A plan that converts the elements of an array to Rust values, and the number of values.
pub(crate) struct ItemPlan {
    pub(crate) plan: Plan,
    /// The number of array elements in one value: 3 for `[f32; 3]`, 0 for `[f32; 0]`.
    pub(crate) per_item: usize,
    /// The number of values in the array.
    pub(crate) count: u64,
    /// The number of values in a block.
    pub(crate) per_block: usize,
}

impl ItemPlan {
    fn new(plan: Plan, per_item: usize, count: u64) -> Self {
        let per_block = block::items_per_block(&plan);
        ItemPlan { plan, per_item, count, per_block }
    }

    /// Creates a plan with one value for each element of the array.
    pub(crate) fn of_elements(plan: Plan, header: &Header) -> Self {
        ItemPlan::new(plan, 1, header.elements())
    }

    /// Like [`check_zero_size_items`], for this plan.
    pub(crate) fn check_zero_size_items<T>(
        &self,
        count: usize,
        limits: &Limits,
    ) -> Result<(), Error> {
        check_zero_size_items::<T>(&self.plan, count, limits)
    }
}

/// Returns an error if the elements have zero bytes and `count` is more than the limit allows.
pub(crate) fn check_zero_size_items<T>(
    plan: &Plan,
    count: usize,
    limits: &Limits,
) -> Result<(), Error> {
    if plan.src_itemsize > 0 {
        return Ok(());
    }
    limits.check_empty_items(count, size_of::<T>().max(plan.dst_itemsize))
}

/// The remedy where a type cannot be read in parts.
pub(crate) const READ_WHOLE: &str = "the whole array: use read_vec or read_array";

/// The plan to read one array as values of one type.
pub(crate) struct TypedPlan {
    id: SchemaId,
    pub(crate) items: ItemPlan,
    /// The number of dimensions before those of the type: 1 for an array of two dimensions that is read as `[f32; 3]`.
    pub(crate) ndim: usize,
    /// The order in which the values are decoded.
    pub(crate) order: Order,
    /// True if the elements of a value are not side by side in the file: a type with dimensions, in Fortran order.
    pub(crate) is_strided: bool,
    /// The dtype of a value in the file.
    pub(crate) found: DType,
}

impl TypedPlan {
    /// Creates the plan for the array of this header.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unsupported`] for Python objects, [`ErrorKind::Rank`] if the last dimensions
    /// are not those of the type, [`ErrorKind::Shape`] if a number of elements overflows, and the
    /// errors of [`canonical`] and [`Plan::reading`].
    pub(crate) fn new<T: Element>(header: &Header, cast: Cast) -> Result<Self, Error> {
        header.without_objects()?;
        let schema = canonical::<T>()?;
        let shape = ItemShape::of(&schema.dtype);
        let outer = shape.outer(header, type_name::<T>)?;
        let found = shape.in_file(header.dtype());
        let plan = reading::<T>(&found, &schema, cast)?;
        let is_strided = shape.is_strided(header.shape(), header.order());
        Ok(TypedPlan {
            id: schema_id::<T>(),
            items: ItemPlan::new(plan, shape.per_item()?, shape::bytes_in_file(outer, 1)?),
            ndim: outer.len(),
            order: if is_strided { Order::C } else { header.order() },
            is_strided,
            found,
        })
    }

    /// Returns true if this is the plan for `T`.
    pub(crate) fn is_for<T: Element>(&self) -> bool {
        let ((schema, size), (other, other_size)) = (self.id, schema_id::<T>());
        std::ptr::fn_addr_eq(schema, other) && size == other_size
    }

    /// Refuses to read in parts what is strided in the file; `needs` names the call that reads it.
    pub(crate) fn check_contiguous(&self, needs: &'static str) -> Result<(), Error> {
        if !self.is_strided {
            return Ok(());
        }
        let what = "reading some of the sub-arrays of a file in Fortran order, where their parts are strided,";
        Err(ErrorKind::Unsupported { what: what.into(), needs }.into())
    }

    /// Returns the dimensions before those of the type.
    pub(crate) fn shape<'h>(&self, header: &'h Header) -> &'h [usize] {
        checked::slice(header.shape(), 0..self.ndim)
    }
}

/// Identifies a schema: the function that makes it, and the item size. The compiler may merge the
/// functions of two types if their code is equal. The types then have the same schema and plan.
type SchemaId = (fn(ByteOrder) -> Schema, usize);

// Not inlined: two inlined copies might return different addresses for the schema function of one type.
/// Returns the identity of the schema of a type.
#[inline(never)]
fn schema_id<T: Element>() -> SchemaId {
    (T::__INTERNALS.schema, T::SIZE)
}

/// Returns the schema of `T` with all numbers little-endian.
///
/// # Errors
///
/// [`ErrorKind::DType`] for a type whose [`Element::SIZE`] is not the item size of its dtype.
pub(crate) fn canonical<T: Element>() -> Result<Schema, Error> {
    let canonical = T::__INTERNALS.schema(ByteOrder::Little).canonical();
    let (dtype, size) = (&canonical.dtype, canonical.dtype.itemsize());
    if size == T::SIZE {
        return Ok(canonical);
    }
    let reason =
        format!("its items have {size} bytes, but Element::SIZE is {}; make them equal", T::SIZE);
    Err(ErrorKind::DType { descr: dtype.descr(), reason }.into())
}

/// Returns the dtype of canonical items of `T`, which are converted to the dtype of the file when they are written.
///
/// # Errors
///
/// Those of [`canonical`]; [`ErrorKind::Unsupported`] for a type with text of any width.
pub(crate) fn canonical_to_write<T: Element>() -> Result<DType, Error> {
    let schema = canonical::<T>()?;
    if schema.rules.has_any_width() {
        let what = format!("writing {}, a type with text of any width,", type_name::<T>());
        let needs = "a width for each text: #[npy(width = N)] instead of #[npy(width = any)]";
        return Err(ErrorKind::Unsupported { what, needs }.into());
    }
    Ok(schema.dtype)
}

/// Creates the plan that converts items of the dtype `file` to canonical items of `T`, whose schema is `schema`.
fn reading<T: Element>(file: &DType, schema: &Schema, cast: Cast) -> Result<Plan, Error> {
    Plan::reading(file, schema, cast).map_err(|error| error.wanted_by(&type_name::<T>()))
}

/// Creates the plan that converts items of the dtype `file` to canonical items of `T`.
///
/// # Errors
///
/// Those of [`canonical`] and [`Plan::reading`].
#[cfg(any(feature = "mmap", feature = "npz"))]
pub(crate) fn item_plan<T: Element>(file: &DType, cast: Cast) -> Result<Plan, Error> {
    reading::<T>(file, &canonical::<T>()?, cast)
}

/// Creates the plan that converts the field at `path`, in records of the dtype `file`, to canonical items of `T`.
///
/// # Errors
///
/// Those of [`canonical`] and [`Plan::column`].
pub(crate) fn column_plan<T: Element>(file: &DType, path: &str, cast: Cast) -> Result<Plan, Error> {
    let plan = Plan::column(file, path, &canonical::<T>()?, cast);
    plan.map_err(|error| error.wanted_by(&type_name::<T>()))
}
