//! Arrays and scalars of NumPy within a pickle.

use super::dtype;
use crate::dtype::DType;
use crate::dynamic::DynArray;
use crate::error::{Error, ErrorKind};
use crate::header::Header;
use crate::limits::{Limits, MAX_NDIM, to_u64};
use crate::reserve;
use crate::shape::{self, Order};
use npy_pickle::{self as pickle, Arguments, Id, Node, Object};

/// An array: the state that `numpy.ndarray.__setstate__` gets. Or a scalar: its dtype and its bytes.
#[derive(Clone, Copy)]
pub(crate) struct PickledArray<'a> {
    /// `None` for a scalar.
    shape: Option<Object<'a>>,
    pub(crate) dtype: Object<'a>,
    pub(crate) order: Order,
    /// A list of objects in C order, or bytes in `order`.
    pub(crate) data: Object<'a>,
}

impl<'a> PickledArray<'a> {
    /// Parses the state of an array: an optional version, the shape, the dtype, true for Fortran order, and the data. NumPy knows the versions 0
    /// and 1.
    pub(super) fn of_state(state: Object<'a>) -> Option<Self> {
        let part = |id| state.objects().object(id);
        let (shape, dtype, is_fortran, data) = match *state.tuple()? {
            [version, shape, dtype, is_fortran, data] => {
                let is_known = matches!(part(version).int(), Some(0 | 1));
                is_known.then_some((shape, dtype, is_fortran, data))?
            }
            [shape, dtype, is_fortran, data] => (shape, dtype, is_fortran, data),
            _ => return None,
        };
        let order = match part(is_fortran).node() {
            Node::Bool(true) | Node::Int(1) => Order::Fortran,
            Node::Bool(false) | Node::Int(0) => Order::C,
            _ => return None,
        };
        let (shape, dtype, data) = (Some(part(shape)), part(dtype), part(data));
        Some(PickledArray { shape, dtype, order, data })
    }

    /// Parses the arguments of `_frombuffer`, the function that rebuilds an array in protocol 5: the bytes, the dtype, the shape and the
    /// order.
    pub(super) fn of_buffer(arguments: Arguments<'a>) -> Option<Self> {
        let order = match arguments.text(3)?.as_ref() {
            "C" => Order::C,
            "F" => Order::Fortran,
            _ => return None,
        };
        let (data, dtype, shape) = (arguments.get(0)?, arguments.get(1)?, arguments.get(2));
        (arguments.ids.len() == 4).then_some(PickledArray { shape, dtype, order, data })
    }

    /// Parses the arguments of `scalar`.
    pub(super) fn of_scalar(arguments: Arguments<'a>) -> Option<Self> {
        let (dtype, data) = (arguments.get(0)?, arguments.get(1)?);
        let scalar = PickledArray { shape: None, dtype, order: Order::C, data };
        (arguments.ids.len() == 2).then_some(scalar)
    }

    pub(crate) fn shape(self) -> Result<Vec<usize>, Error> {
        let invalid = |reason: &str| -> Error {
            // The message does not print the objects, because that may need the shape again.
            ErrorKind::Shape { shape: "in the pickle".into(), reason: reason.into() }.into()
        };
        let Some(shape) = self.shape else { return Ok(Vec::new()) };
        let Some(lengths) = shape.tuple() else {
            return Err(invalid("it is not a tuple"));
        };
        if lengths.len() > MAX_NDIM {
            return Err(invalid("an array has at most 64 dimensions"));
        }
        let length =
            |&id: &Id| shape.objects().object(id).int().and_then(|n| usize::try_from(n).ok());
        let lengths: Option<Vec<usize>> = lengths.iter().map(length).collect();
        lengths.ok_or_else(|| invalid("a dimension is an integer from zero"))
    }

    pub(super) fn dtype(self) -> Result<DType, Error> {
        dtype::parse(self.dtype)
    }

    pub(super) fn header(self) -> Result<Header, Error> {
        Header::new(self.dtype()?, self.shape()?, self.order)
    }

    /// Returns the node of the dtype if the items are records, and otherwise `NONE`.
    pub(crate) fn record(self) -> Id {
        dtype::record(self.dtype)
    }

    /// Returns the objects of the array.
    pub(super) fn items(self) -> Result<pickle::Items, Error> {
        let Node::List(items) = self.data.node() else {
            return Err(Error::invalid(
                "the array does not have a list of Python objects; read it with as_array",
            ));
        };
        let found = self.data.objects().graph().items(items).len();
        let expected = shape::count(&self.shape()?)?;
        if found != expected {
            return Err(Error::invalid(format!(
                "the array has {found} objects, and its shape has {expected}; save it again"
            )));
        }
        Ok(items)
    }

    /// Returns the objects of the array.
    pub(crate) fn objects(self) -> Result<&'a [Id], Error> {
        self.items().map(|items| self.data.objects().graph().items(items))
    }

    /// Returns another object of the pickle.
    pub(super) fn object(self, id: Id) -> Object<'a> {
        self.data.objects().object(id)
    }

    /// Returns true for an array of Python objects.
    pub(crate) fn has_objects(self) -> bool {
        matches!(self.data.node(), Node::List(_))
    }

    pub(super) fn to_dyn(self, limits: &Limits) -> Result<DynArray, Error> {
        self.to_dyn_counted(limits).0
    }

    /// Returns the array or the error, and the work that it took, in bytes.
    pub(super) fn to_dyn_counted(self, limits: &Limits) -> (Result<DynArray, Error>, u64) {
        let (dtype, work) = dtype::parse_counted(self.dtype);
        let bytes = self.data.bytes();
        let work = work.saturating_add(bytes.as_ref().map_or(0, |bytes| to_u64(bytes.len())));
        let array = dtype.and_then(|dtype| {
            let header = Header::new(dtype, self.shape()?, self.order)?;
            let Some(bytes) = bytes else {
                let reason = "the array has Python objects, and no bytes; iterate over its items";
                return Err(Error::invalid(reason));
            };
            check_no_objects(header.dtype())?;
            Ok(DynArray::from_parts(header, reserve::copied(&bytes)?)?.with_limits(*limits))
        });
        (array, work)
    }
}

/// Refuses a dtype with Python objects for data in bytes, which would be their addresses.
pub(crate) fn check_no_objects(dtype: &DType) -> Result<(), Error> {
    if !dtype.has_object() {
        return Ok(());
    }
    Err(Error::invalid(
        "Python objects are stored as bytes, which NumPy refuses, too; save them again",
    ))
}
