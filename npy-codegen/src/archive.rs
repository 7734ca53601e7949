//! The Rust code of a struct that reads an archive.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{Read, Seek};

use npy_core::dtype::ScalarKind;
use npy_core::npz::Reader;
use npy_core::{ErrorKind, Header, Result};

use crate::code::Code;
use crate::layout::is_blank;
use crate::names::{Names, pascal, type_name};
use crate::record::Types;

/// The maximum depth of nested structs. A name with more slashes stays a `rename`.
const MAX_DEPTH: usize = 16;

/// Returns the Rust code of a struct called `name` that reads the archive: it derives `npy_core::NpzArchive`, and has a
/// field for each member that is an array.
///
/// Members with slashes in their names become nested structs. If the parts after a prefix are all numbers, with the same members in
/// each, the prefix becomes a map. Records become structs as in [`record`](crate::record()).
///
/// ```
/// use std::io::Cursor;
///
/// use npy_core::{NpyArray, npz};
///
/// let mut writer = npz::Writer::new(Cursor::new(Vec::new()))?;
/// writer.write("epochs", &20u32)?;
/// for layer in 0..2 {
///     writer.write(&format!("layers/{layer}/weights"), &NpyArray::new(vec![0f32; 6], [2, 3])?)?;
/// }
/// let reader = npz::Reader::new(writer.finish()?)?;
/// assert_eq!(npy_codegen::archive(&reader, "Model")?.text, "\
/// /// An archive: `npy_core::npz::load::<Model>(path)` reads it.
/// #[derive(npy_core::NpzArchive, Debug, Clone, PartialEq)]
/// pub struct Model {
///     pub epochs: u32,
///     pub layers: std::collections::BTreeMap<usize, ModelLayersItem>,
/// }
///
/// /// A part of an archive.
/// #[derive(npy_core::NpzArchive, Debug, Clone, PartialEq)]
/// pub struct ModelLayersItem {
///     pub weights: npy_core::NpyArray<f32>,
/// }
/// ");
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// # Errors
///
/// As [`Reader::header`], if a member begins like an array and its header is malformed; a member that ends within its header is
/// left out.
pub fn archive<R: Read + Seek>(reader: &Reader<R>, name: &str) -> Result<Code> {
    let mut root = Group::default();
    let mut others = 0usize;
    for member in reader.names() {
        match reader.header(member) {
            Ok(header) => {
                // By the name `x.npy` alone, the array `x.npy` would be written as `x`.
                let file = format!("{member}.npy");
                let is_full = !member.ends_with(".npy") || !reader.contains(&file);
                let name = if is_full { member } else { &file };
                root.insert(&split(name, &|name| reader.contains(name)), header);
            }
            Err(error) => match error.kind() {
                ErrorKind::NotNpy { .. } | ErrorKind::Truncated { .. } => {
                    others = others.saturating_add(1);
                }
                _ => return Err(error),
            },
        }
    }
    let mut types = Types::default();
    let name = types.claim(&type_name(name));
    let mut doc = match root.parts.is_empty() {
        true => "/// An archive without arrays.\n".to_owned(),
        false => {
            format!("/// An archive: `npy_core::npz::load::<{name}>(path)` reads it.\n")
        }
    };
    if others > 0 {
        let _ = writeln!(doc, "///\n/// Left out: members that are not arrays ({others}).");
    }
    root.add(&mut types, &name, &doc);
    Ok(types.finish())
}

/// Splits the name of a member at its slashes. Stops at the first part that is empty, or that ends a name which is also a member; the rest
/// of the name then stays unsplit.
fn split<'n>(member: &'n str, is_member: &dyn Fn(&str) -> bool) -> Vec<&'n str> {
    let mut path = Vec::new();
    let mut rest = member;
    for (at, _) in member.match_indices('/') {
        let (outer, name) = (member.get(..at), rest.split_once('/'));
        let (Some(outer), Some((name, inner))) = (outer, name) else { break };
        let is_taken = is_member(outer);
        if name.is_empty() || inner.is_empty() || is_taken || path.len() == MAX_DEPTH {
            break;
        }
        path.push(name);
        rest = inner;
    }
    path.push(rest);
    path
}

/// The members of one struct, in the order of the archive.
#[derive(Default)]
struct Group {
    parts: Vec<(String, Part)>,
    /// The index of each part that is a group.
    groups: BTreeMap<String, usize>,
}

enum Part {
    Array(Header),
    Group(Group),
}

impl Group {
    fn insert(&mut self, path: &[&str], header: Header) {
        let (first, rest) = match path {
            [] => return,
            [name] => {
                self.parts.push(((*name).to_owned(), Part::Array(header)));
                return;
            }
            [first, rest @ ..] => (*first, rest),
        };
        let at = *self.groups.entry(first.to_owned()).or_insert_with(|| {
            self.parts.push((first.to_owned(), Part::Group(Group::default())));
            self.parts.len().saturating_sub(1)
        });
        if let Some((_, Part::Group(group))) = self.parts.get_mut(at) {
            group.insert(rest, header);
        }
    }

    /// Adds the struct of this name.
    fn add(&self, types: &mut Types, name: &str, doc: &str) {
        let position = types.reserve();
        let idents = Names::of_fields(self.parts.iter().map(|(name, _)| name.as_str()));
        let mut body = String::new();
        for ((member, part), ident) in self.parts.iter().zip(&idents) {
            if ident.as_str().trim_start_matches("r#") != member {
                let _ = writeln!(body, "    #[npy(rename = {member:?})]");
            }
            let inner = format!("{name}{}", pascal(member));
            let ty = match part {
                Part::Array(header) => {
                    if let Some(note) = types.note(header.dtype()) {
                        let _ = writeln!(body, "    // {note}");
                    }
                    array_type(types, header, &inner)
                }
                Part::Group(group) => group.field_type(types, &inner),
            };
            let _ = writeln!(body, "    pub {ident}: {ty},");
        }
        let equality = if self.has_objects() { "" } else { ", PartialEq" };
        // An archive without arrays becomes a struct without fields, which cannot derive `NpzArchive`.
        let derive = if body.is_empty() { "" } else { "npy_core::NpzArchive, " };
        types.set(
            position,
            format!(
                "{doc}#[derive({derive}Debug, Clone{equality})]\npub struct {name} {{\n{body}}}\n"
            ),
        );
    }

    /// Adds the struct of a group within another, and returns the type of the field.
    fn field_type(&self, types: &mut Types, name: &str) -> String {
        const DOC: &str = "/// A part of an archive.\n";
        if let Some(item) = self.item() {
            let ty = match item {
                Part::Array(header) => array_type(types, header, &format!("{name}Item")),
                Part::Group(group) => {
                    let name = types.claim(&format!("{name}Item"));
                    group.add(types, &name, DOC);
                    name
                }
            };
            return format!("std::collections::BTreeMap<usize, {ty}>");
        }
        let name = types.claim(name);
        self.add(types, &name, DOC);
        name
    }

    /// Returns the value type of the map for this group: the common part, if every name is a number and all parts have the same types.
    fn item(&self) -> Option<&Part> {
        let is_number = |name: &str| name.parse::<usize>().is_ok_and(|n| n.to_string() == name);
        let (_, first) = self.parts.first()?;
        let same = |(name, part): &(String, Part)| is_number(name) && part.is_like(first);
        self.parts.iter().all(same).then_some(first)
    }

    fn has_objects(&self) -> bool {
        self.parts.iter().any(|(_, part)| match part {
            Part::Array(header) => header.dtype().has_object(),
            Part::Group(group) => group.has_objects(),
        })
    }
}

impl Part {
    /// Returns true if both have the same members, with equal dtypes and numbers of dimensions.
    fn is_like(&self, other: &Part) -> bool {
        match (self, other) {
            (Part::Array(one), Part::Array(other)) => {
                one.dtype() == other.dtype() && one.shape().len() == other.shape().len()
            }
            (Part::Group(one), Part::Group(other)) => {
                let mut pairs = one.parts.iter().zip(&other.parts);
                one.parts.len() == other.parts.len()
                    && pairs.all(|((name, one), (same, other))| name == same && one.is_like(other))
            }
            _ => false,
        }
    }
}

/// Returns the type of the array of a member. `name` is that of a new struct, if its items are records.
fn array_type(types: &mut Types, header: &Header, name: &str) -> String {
    let dtype = header.dtype();
    if dtype.has_object() {
        return "npy_core::Objects".to_owned();
    }
    if is_blank(dtype) {
        return "npy_core::DynArray".to_owned();
    }
    let ndim = header.shape().len();
    let item = match dtype.scalar().map(|scalar| scalar.kind()) {
        Some(ScalarKind::Str) => "String".to_owned(),
        Some(ScalarKind::Bytes) if ndim > 0 => "Vec<u8>".to_owned(),
        _ => types.item_type(dtype, name),
    };
    match ndim {
        // A single record can be read and not written.
        0 if !dtype.is_record() => item,
        1 => format!("Vec<{item}>"),
        _ => format!("npy_core::NpyArray<{item}>"),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use npy_core::npz::{Reader, Writer};
    use npy_core::{DType, DynArray, Header, NpyArray, Order, ReadNpy};

    use super::archive;

    /// Returns the code for an archive of empty arrays.
    fn rust(members: &[(&str, &str, &[usize])]) -> String {
        let mut writer = Writer::new(Cursor::new(Vec::new())).unwrap();
        for (name, dtype, shape) in members {
            let dtype: DType = dtype.parse().unwrap();
            let header = Header::new(dtype, *shape, Order::C).unwrap();
            let bytes = vec![0; usize::try_from(header.data_bytes()).unwrap()];
            let file = [header.to_bytes().unwrap(), bytes].concat();
            writer.write(name, &DynArray::read_npy_from(&file[..]).unwrap()).unwrap();
        }
        let reader = Reader::new(writer.finish().unwrap()).unwrap();
        archive(&reader, "Model").unwrap().text
    }

    #[test]
    fn each_member_has_the_type_of_its_dimensions() {
        let code = rust(&[
            ("arr_0", "<f4", &[2]),
            ("Rate", "<f8", &[]),
            ("name", "<U5", &[]),
            ("names", "<U5", &[2]),
            ("raw", "|S5", &[2]),
            ("code", "|S5", &[]),
            ("picks", "[('t', '>i8')]", &[2]),
            ("pick", "[('t', '>i8')]", &[]),
        ]);
        for line in [
            "pub arr_0: Vec<f32>,",
            "#[npy(rename = \"Rate\")]\n    pub rate: f64,",
            "pub name: String,",
            "pub names: Vec<String>,",
            "pub raw: Vec<Vec<u8>>,",
            "pub code: npy_core::ByteStr<5>,",
            "pub picks: Vec<ModelPicks>,",
            // The same dtype, so the same struct.
            "pub pick: npy_core::NpyArray<ModelPicks>,",
        ] {
            assert!(code.contains(line), "{line}\n{code}");
        }
    }

    #[test]
    fn names_with_slashes_become_structs_or_maps() {
        let code = rust(&[
            ("a", "<f4", &[2]),
            ("a/x", "<f4", &[2]),
            ("b/y/z", "<f4", &[2]),
            ("b//c", "<f4", &[2]),
            ("/root", "<f4", &[2]),
            ("n/0", "<f4", &[2]),
            ("n/10", "<f4", &[5]),
            ("m/0", "<f4", &[2]),
            ("m/01", "<f4", &[2]),
            ("w.npy.npy", "<f4", &[2]),
        ]);
        for line in [
            "#[npy(rename = \"w.npy.npy\")]",
            "pub a: Vec<f32>,\n    #[npy(rename = \"a/x\")]\n    pub a_x: Vec<f32>,",
            "pub b: ModelB,",
            "pub y: ModelBY,",
            "#[npy(rename = \"/c\")]\n    pub c: Vec<f32>,",
            "#[npy(rename = \"/root\")]\n    pub root: Vec<f32>,",
            "pub n: std::collections::BTreeMap<usize, Vec<f32>>,",
            "pub m: ModelM,",
        ] {
            assert!(code.contains(line), "{line}\n{code}");
        }
    }

    /// Guards that the struct reads each member: an element of a record without fields has no type.
    #[test]
    fn members_of_records_without_fields_are_arrays_of_any_dtype() {
        let code = rust(&[("none", "[]", &[2]), ("n/0", "[]", &[2, 3])]);
        assert!(code.contains("pub none: npy_core::DynArray,"), "{code}");
        assert!(code.contains("BTreeMap<usize, npy_core::DynArray>"), "{code}");
    }

    /// Guards that what the struct leaves out is said.
    #[test]
    fn members_that_are_not_arrays_are_counted() {
        let mut writer = Writer::new(Cursor::new(Vec::new())).unwrap();
        writer.write("x", &NpyArray::from(vec![1u8])).unwrap();
        let bytes = writer.finish().unwrap().into_inner();
        // The magic of the member, which is stored.
        let at = bytes.windows(6).position(|magic| magic == b"\x93NUMPY").unwrap();
        let mut other = bytes.clone();
        other[at] = b'X';
        let code = archive(&Reader::new(Cursor::new(other)).unwrap(), "Model").unwrap().text;
        assert!(code.contains("/// Left out: members that are not arrays (1)."), "{code}");
        assert!(code.ends_with("pub struct Model {\n}\n"), "{code}");
    }
}
