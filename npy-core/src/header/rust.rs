//! The Rust code of a type that reads the array of a header: `Header::to_rust`.

use super::Header;
use crate::dtype::rust::names::type_name;
use crate::dtype::rust::{Code, is_blank};

impl Header {
    /// Returns the Rust code of a type with this name for the elements of the array. The doc
    /// comment of the type shows the call that reads the array. The rest is as in
    /// [`DType::to_rust`](crate::DType::to_rust).
    ///
    /// A `build.rs` can write the struct of a file that it knows:
    ///
    /// ```
    /// use npy_core::{Header, Order};
    ///
    /// let header = Header::new("[('station', '<u4')]".parse()?, [1000], Order::C)?;
    /// assert_eq!(header.to_rust("Trace"), "\
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
    pub fn to_rust(&self, name: &str) -> String {
        let name = type_name(name);
        let mut code = Code::default();
        let (shape, call) = (crate::shape::repr(&self.shape), self.read_call(&name));
        let doc = format!("///\n/// `{call}` reads an array of shape {shape}.\n");
        code.add(&self.dtype, &name, &doc);
        code.finish()
    }

    /// Returns the call that reads the array if its elements have the type `name`.
    fn read_call(&self, name: &str) -> String {
        let array = self.array_of(name);
        if is_blank(&self.dtype) {
            "npy_core::DynArray::read_npy(path)".to_owned()
        } else if !self.dtype.has_object() {
            format!("{array}::read_npy(path)")
        } else if self.dtype.is_record() {
            format!("npy_core::object::load::<{}>(path)", array.replacen("::<", "<", 1))
        } else {
            format!("{name}::read_npy(path)")
        }
    }

    /// Returns the type of an array whose elements have the type `item`, as it is written in a
    /// call.
    fn array_of(&self, item: &str) -> String {
        match self.shape.len() {
            0 => item.to_owned(),
            1 => format!("Vec::<{item}>"),
            _ => format!("npy_core::NpyArray::<{item}>"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Order;

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
            let code = header.to_rust("Trace");
            assert!(code.contains(&format!("/// `{call}` reads an array of shape (")), "{code}");
        }
    }
}
