//! Arrays and scalars of NumPy within a pickle.

use std::borrow::Cow;

#[cfg(feature = "serde")]
use super::contents::ArrayBytes;
use super::invocation::Arguments;
use super::{ObjectRef, Objects, dtype};
use crate::dtype::DType;
use crate::dynamic::DynArray;
use crate::error::{Error, ErrorKind};
use crate::header::Header;
use crate::limits::MAX_NDIM;
use crate::reserve;
use crate::shape::{self, Order};
use npy_pickle::{self as pickle, Id, Node};

/// An array: the state that `numpy.ndarray.__setstate__` gets.
#[derive(Clone, Copy)]
pub(crate) struct PickledArray<'a> {
    of: &'a Objects,
    shape: Id,
    dtype: Id,
    order: Order,
    /// A list of objects in C order, or bytes in `order`.
    data: Id,
}

/// A scalar: its dtype and its bytes.
#[derive(Clone, Copy)]
pub(crate) struct PickledScalar<'a> {
    of: &'a Objects,
    dtype: Id,
    data: Id,
}

impl<'a> PickledArray<'a> {
    /// Parses the state of an array: an optional version, the shape, the dtype, true for Fortran order, and the data. NumPy knows the versions 0
    /// and 1.
    pub(super) fn of_state(state: ObjectRef<'a>) -> Option<Self> {
        let (shape, dtype, is_fortran, data) = match *state.tuple()? {
            [version, shape, dtype, is_fortran, data] => {
                let is_known = matches!(state.of.graph.node(version), Node::Int(0 | 1));
                is_known.then_some((shape, dtype, is_fortran, data))?
            }
            [shape, dtype, is_fortran, data] => (shape, dtype, is_fortran, data),
            _ => return None,
        };
        let order = match state.of.graph.node(is_fortran) {
            Node::Bool(true) | Node::Int(1) => Order::Fortran,
            Node::Bool(false) | Node::Int(0) => Order::C,
            _ => return None,
        };
        Some(PickledArray { of: state.of, shape, dtype, order, data })
    }

    /// Parses the arguments of `_frombuffer`, the function that rebuilds an array in protocol 5: the bytes, the dtype, the shape and the
    /// order.
    pub(super) fn of_buffer(arguments: Arguments<'a>) -> Option<Self> {
        let &[data, dtype, shape, _] = arguments.ids else { return None };
        let order = match arguments.text(3)?.as_ref() {
            "C" => Order::C,
            "F" => Order::Fortran,
            _ => return None,
        };
        Some(PickledArray { of: arguments.of, shape, dtype, order, data })
    }

    pub(crate) fn shape(self) -> Result<Vec<usize>, Error> {
        let invalid = |reason: &str| -> Error {
            // The message does not print the objects, because that may need the shape again.
            ErrorKind::Shape { shape: "in the pickle".into(), reason: reason.into() }.into()
        };
        let Some(lengths) = self.of.reference(self.shape).tuple() else {
            return Err(invalid("it is not a tuple"));
        };
        if lengths.len() > MAX_NDIM {
            return Err(invalid("an array has at most 64 dimensions"));
        }
        let length = |&id| self.of.reference(id).int().and_then(|n| usize::try_from(n).ok());
        let lengths: Option<Vec<usize>> = lengths.iter().map(length).collect();
        lengths.ok_or_else(|| invalid("a dimension is an integer from zero"))
    }

    pub(crate) fn dtype_id(self) -> Id {
        self.dtype
    }

    #[cfg(feature = "serde")]
    pub(crate) fn order(self) -> Order {
        self.order
    }

    pub(super) fn dtype(self) -> Result<DType, Error> {
        dtype::parse(self.of.reference(self.dtype))
    }

    pub(super) fn header(self) -> Result<Header, Error> {
        Header::new(self.dtype()?, self.shape()?, self.order)
    }

    /// Returns the node of the dtype if the items are records, and otherwise `NONE`.
    pub(crate) fn record(self) -> Id {
        dtype::record(self.of, self.dtype)
    }

    /// Returns the objects of the array.
    pub(super) fn items(self) -> Result<pickle::Items, Error> {
        let invalid = |reason: String| Error::from(ErrorKind::InvalidValue { reason });
        let Node::List(items) = self.of.graph.node(self.data) else {
            return Err(invalid(
                "the array does not have a list of Python objects; read it with as_array".into(),
            ));
        };
        let (found, expected) = (self.of.graph.items(items).len(), shape::count(&self.shape()?)?);
        if found != expected {
            return Err(invalid(format!(
                "the array has {found} objects, and its shape has {expected}; save it again"
            )));
        }
        Ok(items)
    }

    /// Returns the objects of the array.
    #[cfg(feature = "serde")]
    pub(crate) fn objects(self) -> Result<&'a [Id], Error> {
        self.items().map(|items| self.of.graph.items(items))
    }

    /// Returns true for an array of Python objects.
    pub(crate) fn has_objects(self) -> bool {
        matches!(self.of.graph.node(self.data), Node::List(_))
    }

    /// Returns the data of an array without Python objects.
    pub(crate) fn bytes(self) -> Option<Cow<'a, [u8]>> {
        self.of.reference(self.data).raw_bytes()
    }

    /// Returns the data of an array without Python objects, if it is still in the file.
    #[cfg(feature = "serde")]
    pub(crate) fn bytes_in_file(self) -> Option<ArrayBytes<'a>> {
        let Node::Data(form, data) = self.of.graph.node(self.data) else { return None };
        Some(ArrayBytes::of_file(self.of, self.of.left_out(form, data)?))
    }

    pub(super) fn to_dyn(self) -> Result<DynArray, Error> {
        to_dyn(self.header()?, self.bytes(), self.of)
    }

    /// Returns the array or the error, and the work that it took, in bytes.
    pub(super) fn to_dyn_counted(self) -> (Result<DynArray, Error>, usize) {
        to_dyn_counted(self.of, self.dtype, self.data, |dtype| {
            Header::new(dtype, self.shape()?, self.order)
        })
    }
}

impl<'a> PickledScalar<'a> {
    pub(super) fn new(arguments: Arguments<'a>) -> Option<Self> {
        let &[dtype, data] = arguments.ids else { return None };
        Some(PickledScalar { of: arguments.of, dtype, data })
    }

    pub(super) fn header(self) -> Result<Header, Error> {
        Header::new(dtype::parse(self.of.reference(self.dtype))?, [], Order::C)
    }

    #[cfg(feature = "serde")]
    pub(crate) fn dtype_id(self) -> Id {
        self.dtype
    }

    /// Returns the data of the scalar.
    #[cfg(feature = "serde")]
    pub(crate) fn bytes(self) -> Option<Cow<'a, [u8]>> {
        self.of.reference(self.data).raw_bytes()
    }

    pub(super) fn to_dyn(self) -> Result<DynArray, Error> {
        to_dyn(self.header()?, self.of.reference(self.data).raw_bytes(), self.of)
    }

    /// Returns the scalar as an array without dimensions or the error, and the work that it took, in bytes.
    pub(super) fn to_dyn_counted(self) -> (Result<DynArray, Error>, usize) {
        to_dyn_counted(self.of, self.dtype, self.data, |dtype| Header::new(dtype, [], Order::C))
    }

    /// Returns the scalar as an array without dimensions, if it is valid.
    pub(crate) fn value(self) -> Option<DynArray> {
        self.to_dyn().ok()
    }
}

fn to_dyn_counted(
    of: &Objects,
    dtype: Id,
    data: Id,
    header: impl FnOnce(DType) -> Result<Header, Error>,
) -> (Result<DynArray, Error>, usize) {
    let (dtype, work) = dtype::parse_counted(of.reference(dtype));
    let bytes = of.reference(data).raw_bytes();
    let work = work.saturating_add(bytes.as_ref().map_or(0, |bytes| bytes.len()));
    (dtype.and_then(header).and_then(|header| to_dyn(header, bytes, of)), work)
}

/// Refuses a dtype with Python objects for data in bytes, which would be their addresses.
pub(crate) fn check_no_objects(dtype: &DType) -> Result<(), Error> {
    if !dtype.has_object() {
        return Ok(());
    }
    let reason =
        "Python objects are stored as bytes, which NumPy refuses, too; save them again".into();
    Err(ErrorKind::InvalidValue { reason }.into())
}

fn to_dyn(header: Header, bytes: Option<Cow<'_, [u8]>>, of: &Objects) -> Result<DynArray, Error> {
    let Some(bytes) = bytes else {
        let reason = "the array has Python objects, and no bytes; iterate over its items".into();
        return Err(ErrorKind::InvalidValue { reason }.into());
    };
    check_no_objects(header.dtype())?;
    let mut owned = Vec::new();
    reserve::exact(&mut owned, bytes.len())?;
    owned.extend_from_slice(&bytes);
    Ok(DynArray::from_parts(header, owned)?.with_limits(*of.limits()))
}
