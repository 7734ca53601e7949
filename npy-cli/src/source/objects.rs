//! Arrays that may have Python objects: the objects are in a list, and the array has their indices.

use npy_core::{ByteOrder, DType, Limits, ObjectRef, Objects, ReadOptions, npz};

use super::file::Archive;
use super::open::only_member;
use super::reader::{AnyReader, Origin};
use crate::output::{Of, Result, note};
use crate::target::Target;

/// An array, with its Python objects beside it, if it has any.
pub(crate) struct Parted<'a> {
    pub(crate) reader: AnyReader,
    /// The dtype of an element, which has objects where the reader has their indices.
    pub(crate) dtype: DType,
    pub(crate) objects: Vec<ObjectRef<'a>>,
    /// The objects and their pickle, if there are any.
    pub(crate) kept: Option<&'a Objects>,
}

impl<'a> Parted<'a> {
    /// Reads the objects of an array, and of another one nothing. `kept` is where the objects are kept.
    pub(crate) fn of(
        mut reader: AnyReader,
        target: &Target,
        kept: &'a mut Option<Objects>,
    ) -> Result<Self> {
        let dtype = reader.header().dtype().clone();
        if !dtype.has_object() {
            return Ok(Parted { reader, dtype, objects: Vec::new(), kept: None });
        }
        let name = target.to_string();
        let kept: &Objects = kept.insert(objects(&mut reader, target)?);
        let (array, objects) = kept.split().of(&name)?;
        let reader = AnyReader::of_array(array, &name)?;
        let dtype = dtype.with_byte_order(ByteOrder::Little);
        Ok(Parted { reader, dtype, objects, kept: Some(kept) })
    }
}

/// Says how many objects are `None`, if some are, where others may have the same text.
pub(crate) fn tell_of_none(name: &str, count: usize, becomes: &str) {
    match count {
        0 => {}
        1 => note(name, format!("1 value is None, and becomes {becomes}")),
        _ => note(name, format!("{count} values are None, and become {becomes}")),
    }
}

/// Reads the Python objects of a target, without its slice. `reader` is what was opened for it: a pipe cannot be opened again.
pub(crate) fn objects(reader: &mut AnyReader, target: &Target) -> Result<Objects> {
    let name = target.path_text();
    let mut limits = Limits::default();
    // A text of a fixed width beside the objects may be far wider than its values.
    limits.object_expansion = 1000;
    let mut options = ReadOptions::new();
    options.limits(limits);
    match reader.origin() {
        Origin::File if !target.is_url() => options.read(&target.path).of(&name),
        Origin::Stored | Origin::Compressed if !target.is_stream() => {
            let options = npz::ReadOptions::new().limits(limits).clone();
            let archive = Archive::open(&target.path, &options).of(&name)?;
            let member = match &target.member {
                Some(member) => member,
                None => only_member(&archive, target)?,
            };
            archive.read(member).of(&name)
        }
        // The pickle was not read yet; together with the header it is the file.
        _ => {
            let mut file = reader.header().to_bytes().of(&name)?;
            file.extend_from_slice(reader.read_all().of(&name)?.as_bytes());
            options.read_from(&file[..]).of(&name)
        }
    }
}
