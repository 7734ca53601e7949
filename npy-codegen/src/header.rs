//! The Rust code of a type that reads the array of a header.

use npy_core::Header;

use crate::code::Code;
use crate::layout::is_blank;
use crate::names::type_name;
use crate::record::Types;

/// Returns the Rust code of a type called `name` for the elements of the array. The doc comment of the type shows the call that reads the
/// array. The rest is as in [`record`](crate::record()).
///
/// A `build.rs` can write the struct of a file that it knows:
///
/// ```
/// use npy_core::{Header, Order};
///
/// let header = Header::new("[('station', '<u4')]".parse()?, [1000], Order::C)?;
/// assert_eq!(npy_codegen::header(&header, "Trace").text, "\
/// /// A record of 4 bytes.
/// ///
/// /// `Vec::<Trace>::read_npy(path)` reads an array of shape (1000,).
/// #[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
/// pub struct Trace {
///     pub station: u32,
/// }
/// ");
/// # Ok::<(), npy_core::Error>(())
/// ```
pub fn header(header: &Header, name: &str) -> Code {
    let name = type_name(name);
    let mut types = Types::default();
    let (shape, call) = (tuple(header.shape()), read_call(header, &name));
    let doc = format!("///\n/// `{call}` reads an array of shape {shape}.\n");
    types.add(header.dtype(), &name, &doc);
    types.finish()
}

/// Returns the call that reads the array if its elements have the type `name`.
fn read_call(header: &Header, name: &str) -> String {
    let array = array_of(header, name);
    let dtype = header.dtype();
    if is_blank(dtype) {
        "npy_core::DynArray::read_npy(path)".to_owned()
    } else if !dtype.has_object() {
        format!("{array}::read_npy(path)")
    } else if dtype.is_record() {
        format!("npy_core::object::load::<{}>(path)", array.replacen("::<", "<", 1))
    } else {
        format!("{name}::read_npy(path)")
    }
}

/// Returns the type of an array whose elements have the type `item`, as it is written in a call.
fn array_of(header: &Header, item: &str) -> String {
    match header.shape().len() {
        0 => item.to_owned(),
        1 => format!("Vec::<{item}>"),
        _ => format!("npy_core::NpyArray::<{item}>"),
    }
}

/// Returns a shape as a tuple of Python.
fn tuple(shape: &[usize]) -> String {
    let dimensions: Vec<String> = shape.iter().map(usize::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    format!("({}{comma})", dimensions.join(", "))
}

#[cfg(test)]
mod tests {
    use npy_core::{Header, Order};

    #[test]
    fn the_call_fits_the_shape_and_the_dtype() {
        for (dtype, shape, call) in [
            ("<f4", &[][..], "Trace::read_npy(path)"),
            ("<f4", &[3], "Vec::<Trace>::read_npy(path)"),
            ("<f4", &[3, 0], "npy_core::NpyArray::<Trace>::read_npy(path)"),
            ("|O", &[3], "Trace::read_npy(path)"),
            ("[]", &[3], "npy_core::DynArray::read_npy(path)"),
            ("[('a', '|O')]", &[3], "npy_core::object::load::<Vec<Trace>>(path)"),
        ] {
            let header = Header::new(dtype.parse().unwrap(), shape, Order::C).unwrap();
            let code = super::header(&header, "Trace").text;
            assert!(code.contains(&format!("/// `{call}` reads an array of shape (")), "{code}");
        }
    }
}
