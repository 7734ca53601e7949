//! The advice for a file of another dtype than a type expects.

use super::{Cast, Convert};
use crate::dtype::rust_type::rust_type;
use crate::dtype::{DType, Part, Scalar, ScalarKind};
use crate::error::Error;

/// The words of an advice that the name of a Rust type replaces, if there is one.
pub(crate) const HELD: &str = "what the file holds";

/// The advice for complex numbers that are read as others.
pub(crate) const COMPLEX: &str =
    "read complex numbers as num_complex::Complex, with the feature num-complex";

const CHANGE: &str = "change the Rust type to ";
const TEXT: &str = "read text as ";
const BYTES: &str = "read bytes as ";

pub(super) const STATE_WIDTH: &str = "state its width: #[npy(width = N)]";

/// Returns the advice for text that is wider than a field.
pub(crate) fn raise_width(text: Scalar) -> String {
    format!(
        "raise `width` to {}, or state `width = any`, which reads all but cannot be written",
        width(text)
    )
}

/// Returns the advice for a dtype that the cast does not convert.
pub(super) fn remedy(from: &DType, to: &DType, cast: Cast) -> String {
    let held = rust_type(from);
    let ((from, from_shape), (to, to_shape)) = (from.flat(), to.flat());
    if to.is_record() && !from.is_record() {
        return format!("its elements are not records: change the Rust type to {HELD}");
    }
    let is_same_shape = from_shape == to_shape;
    let by = |cast| {
        let (from, to) = from.scalar().zip(to.scalar())?;
        Convert::new(*from, *to, cast).filter(|_| is_same_shape)
    };
    match (cast, by(Cast::Lossless), by(Cast::Checked)) {
        (Cast::Exact, Some(_), _) if !is_complex(from) && is_complex(to) => {
            return "read pairs of numbers as [T; 2]; ReadOptions::new().cast(Cast::Lossless) makes each a real part".into();
        }
        (Cast::Exact, Some(convert), _) if !convert.is_checked => {
            return "ReadOptions::new().cast(Cast::Lossless) widens when no value can change"
                .into();
        }
        (Cast::Exact, Some(_), _) => {
            return "ReadOptions::new().cast(Cast::Lossless) converts if every value fits".into();
        }
        (_, None, Some(convert)) => return by_checked(&convert),
        _ => {}
    }
    let (Some(scalar), Some(held)) = (from.scalar(), held) else {
        return match from.scalar().map(Scalar::kind) {
            Some(ScalarKind::Float) if from.itemsize() > 8 => {
                "read it as LongDouble, whose to_f64() rounds".into()
            }
            Some(ScalarKind::Complex) if from.itemsize() > 16 => {
                "read it as ComplexLongDouble, whose parts are LongDouble".into()
            }
            Some(ScalarKind::Complex) => COMPLEX.into(),
            None if from.is_record() && to.scalar().is_some() => {
                "read one field with Reader::read_column (of a map MapAny::column), the records as a struct, which the command npy struct writes, or any dtype as a DynArray".into()
            }
            _ => format!("{CHANGE}{HELD}"),
        };
    };
    let is_single = from_shape.is_empty();
    match scalar.kind() {
        ScalarKind::DateTime(_) | ScalarKind::TimeDelta(_) => {
            format!("read it as {held}, whose count() is an integer")
        }
        ScalarKind::Str if is_same_shape && is_number_or(to, ScalarKind::Bytes) => {
            format!("{TEXT}{HELD}")
        }
        ScalarKind::Bytes
            if is_same_shape && is_number_or(to, ScalarKind::Str)
                || is_single && is_number_or(to, ScalarKind::Str) && to.itemsize() == 1 =>
        {
            format!("{BYTES}{HELD}")
        }
        ScalarKind::Void if is_single && scalar.itemsize() == 2 => {
            format!(
                "{CHANGE}{HELD}, or to half::bf16, with the feature half, if ml_dtypes wrote it"
            )
        }
        ScalarKind::Void
            if is_same_shape && to.itemsize() == scalar.itemsize() && to.scalar().is_some() =>
        {
            format!("{CHANGE}{HELD}, or the file with NumPy's .view('{to}') if its bytes are that")
        }
        // No advice to convert the file: NumPy's `astype` cuts or wraps some values without an error.
        _ => format!("{CHANGE}{HELD}"),
    }
}

/// Returns the advice for numbers that only a cast converts which looks at each. It says what the other cast loses.
fn by_checked(convert: &Convert) -> String {
    use ScalarKind::{Bool, Complex, Float, Int, UInt};
    let numeric = match (convert.from.kind(), convert.to.kind()) {
        (_, Bool) => "in any case: it makes true of all but zero",
        (Complex, Int | UInt) => {
            "in any case: it drops imaginary parts (num_complex::Complex, with the feature num-complex, keeps them) and fractions, cuts values to the range, and makes NaN zero"
        }
        (Complex, Float) => {
            "in any case: it drops imaginary parts, which num_complex::Complex (feature num-complex) keeps"
        }
        (Float, Int | UInt) => {
            "in any case: it drops fractions, cuts values to the range, and makes NaN zero"
        }
        (Int | UInt, Int | UInt) => "in any case: it keeps the lowest bits of the others",
        // All integers are in the range of a single.
        (Int | UInt, _) if convert.to.swap_unit() > 2 => {
            return "ReadOptions::new().cast(Cast::Checked) converts, and rounds integers that have more digits than the float".into();
        }
        _ => "in any case: it makes infinities of the others; both round",
    };
    format!(
        "ReadOptions::new().cast(Cast::Checked) converts if every value fits, ReadOptions::new().cast(Cast::Numeric) {numeric}"
    )
}

fn is_complex(dtype: &DType) -> bool {
    dtype.scalar().is_some_and(|scalar| scalar.kind() == ScalarKind::Complex)
}

/// Returns true if the dtype is a number or of this kind.
fn is_number_or(dtype: &DType, kind: ScalarKind) -> bool {
    dtype.scalar().is_some_and(|scalar| scalar.is_number() || scalar.kind() == kind)
}

/// Returns the `width` of a field that holds a text of this dtype: at least 1.
fn width(text: Scalar) -> usize {
    let size = text.itemsize();
    if text.kind() == ScalarKind::Str { (size / 4).max(1) } else { size.max(1) }
}

/// Changes the advice for a sub-array, where the type expects another number of elements or a single one.
pub(super) fn by_elements(error: Error, part: &Part<'_>, to: &DType) -> Error {
    let shape = part.shape();
    if shape.is_empty() || shape.contains(&0) || to.flat().1 == shape {
        return error;
    }
    let wanted = to.flat().1;
    // The last dimensions are those of the type.
    let (count, parts) = match shape.strip_suffix(wanted.as_slice()) {
        Some(more) if !wanted.is_empty() => (more.len(), "parts"),
        _ => (shape.len(), "elements"),
    };
    let first = format!("{}{}", part.path(), "[0]".repeat(count));
    error.map_remedy(|_| format!("read it as {HELD}, or one of its {parts} by a path: {first:?}"))
}

/// Names the type of a field of the file, if the advice is to change the type.
pub(super) fn naming_field(error: Error, found: &DType) -> Error {
    let held = rust_type(found).unwrap_or_else(|| HELD.into());
    error.map_remedy(|remedy| match (remedy.split_once(HELD), found.scalar()) {
        (Some((CHANGE, _)), _) => format!("change the field to {held}"),
        (Some((TEXT, _)), Some(text)) => {
            format!("{TEXT}{held}, or as a String with #[npy(width = {})]", width(*text))
        }
        (Some((BYTES, _)), Some(text)) => {
            format!("{BYTES}{held}, or as a String with #[npy(width = {}, bytes)]", width(*text))
        }
        _ => remedy.replace(HELD, &held),
    })
}

/// Names the Rust type of the file, and of arrays of it, if the advice is to convert values or to change the type.
/// `ndim` is the number of dimensions before those of a value; `None` if the user names the type of a value only.
pub(crate) fn naming_type(error: Error, found: &DType, ndim: Option<usize>) -> Error {
    let Some(item) = rust_type(found) else {
        // Arrays of floats are meant for the parts of complex numbers, which the casts drop.
        let is_array = found.sub_array().is_some();
        return error.map_remedy(|remedy| match remedy.contains("num_complex") && is_array {
            true => COMPLEX.into(),
            false => remedy.into(),
        });
    };
    let of = |item: &str| match ndim {
        None | Some(0) => item.to_owned(),
        Some(1) => format!("Vec<{item}>"),
        Some(_) => format!("NpyArray<{item}>"),
    };
    let name = of(&item);
    // A list or an array, and not a part of a record, may have text of any width.
    let is_whole = ndim.is_some() && found.scalar().is_some();
    naming_cast(error, &name).map_remedy(|remedy| match remedy.split_once(HELD) {
        Some((TEXT, _)) if is_whole => format!("{TEXT}{} or {name}", of("String")),
        Some((BYTES, _)) if is_whole && ndim > Some(0) => {
            format!("{BYTES}{} or {name}", of("Vec<u8>"))
        }
        _ => remedy.replace(HELD, &name),
    })
}

/// Names the Rust type that reads the file without the cast that is advised.
pub(crate) fn naming_cast(error: Error, held: &str) -> Error {
    error.map_remedy(|remedy| match remedy.starts_with("ReadOptions::") {
        true => format!("{held} reads it, and {remedy}"),
        false => remedy.into(),
    })
}
