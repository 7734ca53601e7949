//! Prints objects as Python does.

use std::fmt::{self, Display, Formatter};

use super::array::PickledArray;
use super::{Meaning, ObjectRef, dtype};
use crate::array::print::MAX_PIECES;
use crate::literal::repr;
use npy_pickle::print::{Printer, Style, text};
use npy_pickle::{Id, NONE, Object};

/// Prints the object like Python's `repr`. After twenty thousand parts, the rest becomes `...`.
impl Display for ObjectRef<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&text(self.object(), MAX_PIECES, self))
    }
}

/// Returns the start of an object as Python prints it.
pub(super) fn excerpt(object: ObjectRef<'_>) -> String {
    const SHOWN_PIECES: usize = 40;
    crate::dtype::descr::excerpt(&text(object.object(), SHOWN_PIECES, &object))
}

/// Prints what NumPy and pandas store, whichever object this one is.
impl Style for ObjectRef<'_> {
    fn print(
        &self,
        object: Object<'_>,
        printer: Printer<'_>,
        f: &mut Formatter<'_>,
    ) -> Option<fmt::Result> {
        let counted = |array: PickledArray<'_>| {
            let (array, work) = array.to_dyn_counted(self.limits());
            printer.spend(work);
            array
        };
        Some(match self.other(object.id(), NONE).meaning() {
            Meaning::Python(value) => printer.value(object, &value, f),
            Meaning::Missing => f.write_str("NA"),
            Meaning::Array(array) if array.has_objects() => of_objects(array, printer, f),
            Meaning::Array(array) => match counted(array) {
                Ok(array) => write!(f, "array({array})"),
                Err(_) => f.write_str("<malformed array>"),
            },
            Meaning::Scalar(scalar) => match counted(scalar) {
                Ok(scalar) => scalar.fmt(f),
                Err(_) => f.write_str("<malformed scalar>"),
            },
            Meaning::DType => {
                let (dtype, work) = dtype::parse_counted(object);
                printer.spend(work);
                match dtype {
                    Ok(dtype) => write!(f, "dtype({})", repr::of_str(&dtype.to_string())),
                    Err(_) => f.write_str("<unknown dtype>"),
                }
            }
            // Printed as the tuple that it is.
            Meaning::Record(_) => return None,
        })
    }

    fn quoted_code_points(&self, code_points: &[u32]) -> String {
        repr::of_code_points(code_points.iter().copied())
    }

    fn printable(&self, name: &str) -> String {
        repr::printable(name)
    }
}

/// Prints an array of objects, in brackets for each dimension.
fn of_objects(array: PickledArray<'_>, printer: Printer<'_>, f: &mut Formatter<'_>) -> fmt::Result {
    f.write_str("array(")?;
    let shape = array.shape().unwrap_or_default();
    part(array, array.objects().unwrap_or_default(), &shape, printer, f)?;
    f.write_str(", dtype=object)")
}

/// Prints the objects of a part of this shape.
fn part(
    array: PickledArray<'_>,
    ids: &[Id],
    shape: &[usize],
    printer: Printer<'_>,
    f: &mut Formatter<'_>,
) -> fmt::Result {
    let Some((&count, inner)) = shape.split_first() else {
        return ids.iter().try_for_each(|&id| printer.print(array.object(id), f));
    };
    f.write_str("[")?;
    let size = ids.len().checked_div(count).unwrap_or(0).max(1);
    printer.list(f, ids.chunks(size), |f, ids| part(array, ids, inner, printer, f))?;
    f.write_str("]")
}
