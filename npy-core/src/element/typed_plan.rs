//! The plan by which the elements of a file become values of a Rust type.

use crate::checked;
use crate::dtype::DType;
use crate::element::item_shape::ItemShape;
use crate::element::type_info::TypeInfo;
use crate::element::{Element, block};
use crate::error::{Error, ErrorKind};
use crate::header::Header;
use crate::limits::Limits;
use crate::plan::remedy::naming_type;
use crate::plan::{Cast, Plan};
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

/// The plan to read one array as values of one type.
pub(crate) struct TypedPlan {
    ty: TypeInfo,
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
        TypedPlan::of(TypeInfo::of::<T>(), header, cast)
    }

    fn of(ty: TypeInfo, header: &Header, cast: Cast) -> Result<Self, Error> {
        header.without_objects()?;
        let schema = ty.canonical()?;
        let shape = ItemShape::of(&schema.dtype);
        let outer = shape.outer(header, || ty.name()).map_err(|error| {
            // If no cast converts the elements, another shape is no remedy.
            let file = header.dtype();
            let is_cast = file.is_record() || Plan::new(file, &shape.base, Cast::Numeric).is_ok();
            let other = ty.reading(file, &schema, cast).err().filter(|_| !is_cast);
            other.map_or(error, |other| naming_type(other, file, Some(header.shape().len())))
        })?;
        let found = shape.in_file(header.dtype());
        let plan = ty.reading(&found, &schema, cast);
        let plan = plan.map_err(|error| naming_type(error, &found, Some(outer.len())))?;
        let is_strided = shape.is_strided(header.shape(), header.order());
        Ok(TypedPlan {
            ty,
            items: ItemPlan::new(plan, shape.per_item()?, shape::bytes_in_file(outer, 1)?),
            ndim: outer.len(),
            order: if is_strided { Order::C } else { header.order() },
            is_strided,
            found,
        })
    }

    /// Returns true if this is the plan for `T`.
    pub(crate) fn is_for<T: Element>(&self) -> bool {
        self.ty.is_of::<T>()
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
