//! Layer 4: how the elements of a file become values of a Rust type.

use crate::dtype::{ByteOrder, DType};
use crate::element::item_shape::ItemShape;
use crate::element::{Element, block, type_name};
use crate::error::{Error, ErrorKind};
use crate::header::Header;
use crate::limits::Limits;
use crate::plan::{Cast, Plan};
use crate::schema::Schema;
use crate::shape::{self, Order};

/// A plan for the elements of an array, and how many there are.
pub(crate) struct ItemPlan {
    pub(crate) plan: Plan,
    /// How many elements of the array make one: several for a sub-array, none for one without elements (`[f32; 0]`).
    pub(crate) per_item: usize,
    /// How many there are in the array.
    pub(crate) count: usize,
    /// How many make a block.
    pub(crate) per_block: usize,
}

impl ItemPlan {
    fn new(plan: Plan, per_item: usize, count: usize) -> Self {
        let per_block = block::items_per_block(&plan);
        ItemPlan { plan, per_item, count, per_block }
    }

    /// For the elements of an array as its dtype has them.
    pub(crate) fn of_elements(plan: Plan, header: &Header) -> Self {
        ItemPlan::new(plan, 1, header.count())
    }

    /// Refuses to make `count` values of elements that take no bytes in the file, if that is over the limit.
    pub(crate) fn check_empty<T>(&self, count: usize, limits: &Limits) -> Result<(), Error> {
        check_empty::<T>(&self.plan, count, limits)
    }
}

/// Refuses to make `count` values of elements that take no bytes in the file, if that is over the limit.
pub(crate) fn check_empty<T>(plan: &Plan, count: usize, limits: &Limits) -> Result<(), Error> {
    if plan.src_itemsize > 0 {
        return Ok(());
    }
    limits.check_empty_items(count, size_of::<T>().max(plan.dst_itemsize))
}

/// How the elements of one array become values of one type.
pub(crate) struct TypedPlan {
    id: SchemaId,
    pub(crate) items: ItemPlan,
    /// How many of the dimensions do not belong to the type.
    pub(crate) ndim: usize,
    /// The order in which the values come out.
    pub(crate) order: Order,
    /// Whether the parts of a value are not side by side in the file.
    pub(crate) is_strided: bool,
    /// What a value is in the file.
    pub(crate) found: DType,
}

impl TypedPlan {
    /// The plan for the array of this header.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unsupported`] for Python objects, [`ErrorKind::Rank`] for other last dimensions, and those of [`Plan::reading`].
    pub(crate) fn new<T: Element>(header: &Header, cast: Cast) -> Result<Self, Error> {
        header.without_objects()?;
        let schema = canonical::<T>()?;
        let shape = ItemShape::of(&schema.dtype);
        let outer = shape.outer(header, type_name::<T>)?;
        let found = shape.in_file(header.dtype());
        let plan = reading::<T>(&found, &schema, cast)?;
        let is_strided = shape.is_strided(header.shape(), header.order());
        Ok(TypedPlan {
            id: SchemaId::of::<T>(),
            items: ItemPlan::new(plan, shape.per_item()?, shape::count(outer)?),
            ndim: outer.len(),
            order: if is_strided { Order::C } else { header.order() },
            is_strided,
            found,
        })
    }

    /// Whether this is the plan for `T`.
    pub(crate) fn is_for<T: Element>(&self) -> bool {
        self.id.is(SchemaId::of::<T>())
    }

    /// The dimensions that do not belong to the type.
    pub(crate) fn shape<'h>(&self, header: &'h Header) -> &'h [usize] {
        header.shape().get(..self.ndim).unwrap_or_default()
    }
}

/// What a plan for a type depends on: the function that makes its schema, and the item size that is compared with it.
///
/// Two types that share both have the same plan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SchemaId {
    schema: fn(ByteOrder) -> Schema,
    size: usize,
}

impl SchemaId {
    /// Of a type. Not inlined, as each copy of the code may have a function of its own, at another address.
    #[inline(never)]
    pub(crate) fn of<T: Element>() -> Self {
        SchemaId { schema: T::__INTERNALS.schema, size: T::SIZE }
    }

    /// Whether both have the same schema.
    pub(crate) fn is(self, other: SchemaId) -> bool {
        std::ptr::fn_addr_eq(self.schema, other.schema) && self.size == other.size
    }
}

/// The canonical items of `T`, and how they are found.
///
/// # Errors
///
/// [`ErrorKind::DType`] for a type whose [`Element::SIZE`] is not the item size of its dtype.
pub(crate) fn canonical<T: Element>() -> Result<Schema, Error> {
    let canonical = T::__INTERNALS.schema(ByteOrder::Little).canonical();
    let dtype = &canonical.dtype;
    if dtype.itemsize() == T::SIZE {
        return Ok(canonical);
    }
    let reason =
        format!("its items have {} bytes, and Element::SIZE is {}", dtype.itemsize(), T::SIZE);
    Err(ErrorKind::DType { descr: dtype.descr(), reason }.into())
}

/// The plan from items of this dtype to canonical items of `T`, whose schema this is.
fn reading<T: Element>(file: &DType, schema: &Schema, cast: Cast) -> Result<Plan, Error> {
    Plan::reading(file, schema, cast).map_err(|error| error.wanted_by(&type_name::<T>()))
}

/// The plan from items of this dtype to canonical items of `T`.
///
/// # Errors
///
/// As [`Plan::reading`].
#[cfg(any(feature = "mmap", feature = "npz"))]
pub(crate) fn item_plan<T: Element>(file: &DType, cast: Cast) -> Result<Plan, Error> {
    reading::<T>(file, &canonical::<T>()?, cast)
}

/// The plan from records of this dtype to canonical items of `T`, which are at this path in each.
///
/// # Errors
///
/// As [`Plan::column`].
pub(crate) fn column_plan<T: Element>(file: &DType, path: &str, cast: Cast) -> Result<Plan, Error> {
    let plan = Plan::column(file, path, &canonical::<T>()?, cast);
    plan.map_err(|error| error.wanted_by(&type_name::<T>()))
}
