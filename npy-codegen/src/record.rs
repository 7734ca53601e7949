//! The Rust code of a struct that reads a dtype.
//!
//! The names and titles in a dtype come from a file. They get into the code as identifiers or as string literals, and nowhere else:
//! text of a file in a comment could end the comment.

use std::collections::HashMap;
use std::fmt::Write as _;

use npy_core::ByteOrder;
use npy_core::dtype::{DType, Field, Scalar, ScalarKind};

use crate::code::{Code, Need};
use crate::layout::{self, Layout, base, is_blank, is_in_rust, is_resized};
use crate::names::{self, Names, type_name};
use crate::scalars;

/// Returns the Rust code of a type called `name`, which reads and writes elements of this dtype.
///
/// A record becomes a struct that derives `npy_core::NpyRecord`, with a struct for each nested record; any other dtype
/// becomes an alias. Fields keep their order. A name that is not in Rust's style becomes a `rename`. The struct has the padding, the
/// titles and the byte orders of the dtype, so that it also writes the dtype, unless a comment above a field says otherwise. The code
/// needs no `use`: a `build.rs` can write it to a file for `include!`.
///
/// ```
/// use npy_core::DType;
///
/// let dtype: DType = "[('type', '|u1'), ('SNR', '>f4'), ('hdr', [('t0', '<M8[ns]')])]".parse()?;
/// assert_eq!(npy_codegen::record(&dtype, "Trace").text, r#"/// A record of 13 bytes.
/// #[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
/// #[npy(endian = "big")]
/// pub struct Trace {
///     pub r#type: u8,
///     #[npy(rename = "SNR")]
///     pub snr: f32,
///     pub hdr: TraceHdr,
/// }
///
/// /// A record of 8 bytes.
/// #[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
/// #[npy(endian = "little")]
/// pub struct TraceHdr {
///     pub t0: npy_core::DateTime64<npy_core::time::Ns>,
/// }
/// "#);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// | NumPy | Rust |
/// |---|---|
/// | `U` | as a field a `String` with its `width`; in a sub-array, or as the element of the array, a [`FixedStr`](npy_core::FixedStr) |
/// | `S`, `V` | [`ByteStr`](npy_core::ByteStr), [`Void`](npy_core::Void) |
/// | `f2`, `<V2` | `half::f16`, `half::bf16`: [`Need::Half`] |
/// | `c8`, `c16` | `num_complex::Complex`: [`Need::NumComplex`] |
/// | `f16`, `f12` | [`LongDouble`](npy_core::LongDouble); `f12` needs [`Cast::Lossless`](npy_core::Cast::Lossless) |
/// | `c32`, `c24` | [`ComplexLongDouble`](npy_core::ComplexLongDouble); `c24` needs [`Cast::Lossless`](npy_core::Cast::Lossless) |
/// | `<V1` | [`Float8`](npy_core::Float8) |
/// | sub-array | an array, in a `Box` if it is larger than 16 KiB |
/// | `O` in a record | the struct derives `serde::Deserialize` ([`Need::Serde`]), for `npy_core::object::load`; the type of the objects is a guess |
/// | `O` | [`Objects`](npy_core::Objects) |
pub fn record(dtype: &DType, name: &str) -> Code {
    let mut types = Types::default();
    types.add(dtype, &type_name(name), "");
    types.finish()
}

/// The trait by which generated structs are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Derive {
    NpyRecord,
    /// For records with Python objects.
    Deserialize,
}

/// The largest sub-array, in bytes, that is not in a `Box`.
const MAX_ON_STACK: usize = 16 << 10;

/// Generated types.
#[derive(Default)]
pub(crate) struct Types {
    items: Vec<String>,
    names: Names,
    needs: Vec<Need>,
    /// The names of the structs of nested records.
    structs: Vec<String>,
    /// The index of each in `structs`, by the text of its dtype and the byte order that it inherits.
    known: HashMap<String, usize>,
}

impl Types {
    /// Reserves the name of a new type: this one, or this one with a number if it is taken.
    pub(crate) fn claim(&mut self, name: &str) -> String {
        self.names.claim_type(name)
    }

    /// Adds what the code needs to the list, which is in the order of [`Need`].
    fn need(&mut self, need: Need) {
        if let Err(at) = self.needs.binary_search(&need) {
            self.needs.insert(at, need);
        }
    }

    /// Reserves a position in the output, so that a struct comes before the nested structs that are made while its fields are visited.
    pub(crate) fn reserve(&mut self) -> usize {
        self.items.push(String::new());
        self.items.len().saturating_sub(1)
    }

    /// Sets the code of a reserved type.
    pub(crate) fn set(&mut self, position: usize, code: String) {
        if let Some(item) = self.items.get_mut(position) {
            *item = code;
        }
    }

    /// Returns the type of an element that is not a record with Python objects. If the dtype contains a record, its struct gets this name.
    pub(crate) fn item_type(&mut self, dtype: &DType, name: &str) -> String {
        self.array_type(dtype, name, ByteOrder::Little, Derive::NpyRecord)
    }

    /// Returns the comment for a scalar that has another type in Rust than in the file.
    pub(crate) fn note(&self, dtype: &DType) -> Option<String> {
        dtype.scalar().and_then(|&scalar| note(scalar))
    }

    /// Adds the type of a dtype, and returns its name. `doc` comes after the first line of its documentation.
    pub(crate) fn add(&mut self, dtype: &DType, name: &str, doc: &str) -> String {
        let name = self.claim(name);
        let derive = if dtype.has_object() { Derive::Deserialize } else { Derive::NpyRecord };
        if is_blank(dtype) {
            let size = dtype.itemsize();
            self.items.push(format!(
                "/// One item of the array.\n{doc}// Differs: a record without fields, which only `npy_core::DynArray` reads.\npub type {name} = npy_core::Void<{size}>;\n"
            ));
        } else if dtype.is_record() {
            self.add_record(dtype, &name, doc, ByteOrder::Little, derive);
        } else {
            let position = self.reserve();
            let ty = self.item_type(dtype, &name);
            let note = base(dtype).scalar().and_then(|&scalar| note(scalar));
            let note = note.map_or(String::new(), |note| format!("// {note}\n"));
            self.set(
                position,
                format!("/// One item of the array.\n{doc}{note}pub type {name} = {ty};\n"),
            );
        }
        name
    }

    /// Returns the code.
    pub(crate) fn finish(self) -> Code {
        Code { text: self.items.join("\n"), needs: self.needs }
    }

    fn add_record(
        &mut self,
        dtype: &DType,
        name: &str,
        doc: &str,
        inherited: ByteOrder,
        derive: Derive,
    ) {
        let fields: Vec<&Field> = dtype.fields().iter().filter(|field| is_in_rust(field)).collect();
        let layout = if derive == Derive::Deserialize { Layout::Free } else { layout::of(dtype) };
        let stated = stated_order(&fields, inherited).filter(|_| derive == Derive::NpyRecord);
        let order = stated.unwrap_or(inherited);
        let position = self.reserve();

        let idents = Names::of_fields(fields.iter().map(|field| field.name()));
        let mut body = String::new();
        let mut end = 0;
        for (field, ident) in fields.iter().zip(&idents) {
            let mut attributes = Vec::new();
            if ident.as_str().trim_start_matches("r#") != field.name() {
                attributes.push(format!("rename = {:?}", field.name()));
            }
            if derive == Derive::NpyRecord {
                attributes.extend(attributes_of(field, order));
            }
            if layout == Layout::Stated && field.offset() != end {
                attributes.push(format!("offset = {}", field.offset()));
            }
            end = layout::end(field);
            for note in notes(field, derive) {
                let _ = writeln!(body, "    // {note}");
            }
            if !attributes.is_empty() {
                let tool = if derive == Derive::NpyRecord { "npy" } else { "serde" };
                let _ = writeln!(body, "    #[{tool}({})]", attributes.join(", "));
            }
            let ty = self.field_type(field, name, order, derive);
            let _ = writeln!(body, "    pub {ident}: {ty},");
        }
        let left_out = dtype.fields().iter().filter(|field| !is_in_rust(field)).count();
        if left_out > 0 {
            let _ = writeln!(
                body,
                "    // Left out: fields with a lone surrogate in the name or without fields of their own ({left_out})."
            );
        }

        let mut attributes = Vec::new();
        if let Some(order) = stated {
            attributes.push(format!("endian = \"{order}\""));
        }
        match layout {
            Layout::Aligned => attributes.push("align".to_owned()),
            Layout::Stated if end != dtype.itemsize() => {
                attributes.push(format!("itemsize = {}", dtype.itemsize()));
            }
            _ => {}
        }
        let npy = match attributes.as_slice() {
            [] => String::new(),
            some => format!("#[npy({})]\n", some.join(", ")),
        };
        let repr = if layout == Layout::Aligned { "#[repr(C)]\n" } else { "" };
        let derive = match derive {
            Derive::NpyRecord => "npy_core::NpyRecord",
            Derive::Deserialize => {
                self.need(Need::Serde);
                "serde::Deserialize"
            }
        };
        let size = dtype.itemsize();
        let code = format!(
            "/// A record of {size} bytes.\n{doc}#[derive({derive}, Debug, Clone, PartialEq)]\n{npy}{repr}pub struct {name} {{\n{body}}}\n"
        );
        self.set(position, code);
    }

    /// Returns the type of a field of the struct `outer`.
    fn field_type(
        &mut self,
        field: &Field,
        outer: &str,
        order: ByteOrder,
        derive: Derive,
    ) -> String {
        match field.dtype().scalar() {
            Some(scalar) if derive == Derive::NpyRecord && chars(*scalar) > 0 => {
                "String".to_owned()
            }
            _ => {
                let name = format!("{outer}{}", names::pascal(field.name()));
                self.array_type(field.dtype(), &name, order, derive)
            }
        }
    }

    /// Returns the type of a dtype. If it contains a record, its struct gets this name.
    fn array_type(
        &mut self,
        dtype: &DType,
        name: &str,
        order: ByteOrder,
        derive: Derive,
    ) -> String {
        if let Some(&scalar) = dtype.scalar() {
            if derive == Derive::Deserialize {
                return scalars::object_type(scalar);
            }
            if let Some(need) = scalars::need(scalar) {
                self.need(need);
            }
            return scalars::scalar_type(scalar);
        }
        if let Some((base, shape)) = dtype.sub_array() {
            let base = self.array_type(base, name, order, derive);
            if derive == Derive::Deserialize {
                return nest(shape, base, |inner, _| format!("Vec<{inner}>"));
            }
            let array = nest(shape, base, |inner, n| format!("[{inner}; {n}]"));
            return if dtype.itemsize() > MAX_ON_STACK { format!("Box<{array}>") } else { array };
        }
        // Structs leave such fields out, so this is the element of an alias or of a member of an archive.
        if is_blank(dtype) {
            return format!("npy_core::Void<{}>", dtype.itemsize());
        }
        let key = format!("{order:?} {}", dtype.descr());
        if let Some(known) = self.known.get(&key).and_then(|&index| self.structs.get(index)) {
            return known.clone();
        }
        let name = self.claim(name);
        self.known.insert(key, self.structs.len());
        self.structs.push(name.clone());
        self.add_record(dtype, &name, "", order, derive);
        name
    }
}

/// Wraps a type once for each dimension, the last one first.
fn nest(shape: &[usize], base: String, wrap: impl Fn(String, usize) -> String) -> String {
    shape.iter().rev().fold(base, |inner, &n| wrap(inner, n))
}

/// Returns the attributes of a field: width, title and byte order.
fn attributes_of(field: &Field, order: ByteOrder) -> Vec<String> {
    let mut attributes = Vec::new();
    if let Some(width) = field.dtype().scalar().map(|&scalar| chars(scalar)).filter(|&n| n > 0) {
        attributes.push(format!("width = {width}"));
    }
    if let Some(title) = field.title().filter(|_| field.has_exact_title()) {
        attributes.push(format!("title = {title:?}"));
    }
    if let Some(own) = order_of(field.dtype()).filter(|own| *own != order) {
        attributes.push(format!("endian = \"{own}\""));
    }
    attributes
}

/// Returns the comments on what differs between a field of the struct and that of the file.
fn notes(field: &Field, derive: Derive) -> Vec<String> {
    let base = base(field.dtype());
    let mut notes = Vec::new();
    if let (Some(scalar), Derive::Deserialize) = (base.scalar(), derive)
        && scalar.kind() == ScalarKind::Object
    {
        notes.push("Python objects: replace the type by that of the objects.".to_owned());
    }
    if derive == Derive::Deserialize {
        return notes;
    }
    notes.extend(base.scalar().and_then(|&scalar| note(scalar)));
    let inner = field.dtype().sub_array().map(|(base, _)| base);
    if inner.is_some_and(|inner| inner.sub_array().is_some()) {
        notes.push("Differs: a sub-array of sub-arrays in the file.".to_owned());
    }
    if !field.has_exact_title() {
        notes
            .push("Differs: a title in the file, which is not text that Rust can hold.".to_owned());
    }
    notes
}

/// Returns the comment for a scalar that has another type in the struct than in the file.
fn note(scalar: Scalar) -> Option<String> {
    is_resized(scalar)
        .then(|| format!("Differs: {scalar} in the file, which Cast::Lossless reads."))
}

/// Returns the byte order that the struct states: that of its fields, or little-endian if they differ; `None` if it is the inherited one. Nested records
/// state their own.
fn stated_order(fields: &[&Field], inherited: ByteOrder) -> Option<ByteOrder> {
    let mut orders = fields.iter().filter_map(|field| order_of(field.dtype()));
    let first = orders.next()?;
    let order = if orders.all(|order| order == first) { first } else { ByteOrder::Little };
    (order != inherited).then_some(order)
}

/// Returns the byte order of a scalar, or of the scalars in a sub-array; `None` for records, for raw bytes, and for types of one byte.
fn order_of(dtype: &DType) -> Option<ByteOrder> {
    let scalar = base(dtype).scalar()?;
    scalar.byte_order().filter(|_| scalar.itemsize() != 1)
}

/// Returns the number of characters of text; 0 for any other scalar.
fn chars(scalar: Scalar) -> usize {
    if scalar.kind() == ScalarKind::Str { scalar.itemsize() / 4 } else { 0 }
}

#[cfg(test)]
mod tests;
