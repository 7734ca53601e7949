//! Safetensors files to archives and back, tensor by tensor.
//!
//! The member `__metadata__`, a name that no tensor has, keeps what an array cannot say, as JSON: the texts of the file, and which numbers of
//! ml_dtypes the raw bytes of the other members are.

use std::collections::HashSet;

use npy_core::{Cast, DType, DynArray, Header, Order, Value, npz};
use safetensors::tensor::{Dtype, Metadata, TensorInfo};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::Args;
use super::blocks::Blocks;
use crate::ml_dtype::MlDtype;
use crate::output::{Failure, Of, Progress, Result};
use crate::output_file::{Begun, OutputFile};
use crate::shell;
use crate::source::safetensors::{self as format, Pairs, Safetensors};
use crate::source::{self, AnyReader, Archive, Input};
use crate::target::Target;

/// The name of the member with a [`Note`].
const NOTE: &str = "__metadata__";

/// The metadata of a safetensors file: everything but the values of its tensors.
#[derive(Default, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
struct Note {
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Pairs>,
    /// The name of the numbers of each tensor whose array has raw bytes.
    #[serde(default, skip_serializing_if = "Pairs::is_empty")]
    dtypes: Pairs,
}

/// The arrays that become tensors.
enum Arrays {
    Archive(Archive),
    Tensors(Safetensors),
    One(Option<AnyReader>),
}

/// A tensor that will be written.
struct Planned {
    /// The name of the tensor, and that of the array in the input.
    name: String,
    member: String,
    info: TensorInfo,
    /// An array that cannot be opened again.
    blocks: Option<Blocks>,
}

impl Note {
    /// Reads the member of an archive.
    fn read(archive: &Archive, target: &Target) -> Result<Self> {
        let wrong = |why: &str| {
            let message = format!(
                "is not what npy convert writes of a safetensors file ({why}); remove it with npy npz rm, and say with --void which numbers raw bytes are"
            );
            Failure::new(target, message)
        };
        let array: DynArray = archive.read(NOTE).of(&target.path_text())?;
        let is_one = array.shape().iter().all(|&length| length == 1);
        let value = Value::from_bytes(array.dtype(), array.as_bytes()).filter(|_| is_one);
        let text: Vec<u8> = match value {
            Some(Value::Bytes(text)) => text.to_vec(),
            Some(Value::Str(text)) => {
                let chars = text.code_points().map(char::from_u32);
                chars.collect::<Option<String>>().ok_or_else(|| wrong("no text"))?.into_bytes()
            }
            _ => return Err(wrong("not one text")),
        };
        serde_json::from_slice(&text).map_err(|error| wrong(&error.to_string()))
    }

    /// Returns the note of a safetensors file.
    fn of(file: &Safetensors) -> Self {
        let names = file.tensors.iter().filter_map(|(tensor, info)| {
            format::name_of(info.dtype).map(|name| (tensor.clone(), name.to_owned()))
        });
        Note { metadata: file.metadata.clone(), dtypes: Pairs(names.collect()) }
    }

    /// Returns the name of the numbers of a tensor.
    fn name(&self, tensor: &str) -> Option<&str> {
        let Pairs(names) = &self.dtypes;
        names.iter().find(|(name, _)| name == tensor).map(|(_, dtype)| &**dtype)
    }

    fn is_empty(&self) -> bool {
        self.metadata.is_none() && self.dtypes.is_empty()
    }

    /// Returns the note as an array of one text.
    fn to_array(&self, name: &str) -> Result<DynArray> {
        let text = serde_json::to_vec(self)?;
        let dtype = format!("|S{}", text.len()).parse::<DType>().of(&name)?;
        DynArray::new(dtype, [], Order::C, text).of(&name)
    }
}

impl Args {
    /// Writes all tensors of a file to an archive.
    pub(super) fn tensors_to_npz(&self, output: &OutputFile<'_>) -> Result<()> {
        let file = Safetensors::open(&self.input)?;
        if !self.force && !output.is_stdout() {
            // A member may be listed with `.npy`.
            let names =
                file.tensors.iter().flat_map(|(name, _)| [name.clone(), format!("{name}.npy")]);
            self.check_lost(&names.chain([NOTE.to_owned()]).collect::<Vec<_>>())?;
        }
        let mut writer = super::super::npz::begin(output, &self.npz_options())?;
        match self.tensors(&file, &mut writer) {
            Ok(()) => output.finish(writer.finish().of(&self.output.path_text())?),
            Err(failure) => {
                writer.discard();
                Err(failure)
            }
        }
    }

    fn tensors(&self, file: &Safetensors, writer: &mut npz::Writer<Begun>) -> Result<()> {
        let name = self.output.path_text();
        let mut note = Note::of(file);
        for tensor in &file.tensors {
            let member = &tensor.0;
            let array = self.array(file.reader(tensor)?, &self.input.with_member(member))?;
            if format::of_array(array.dtype()).is_some() && !format::is_packed(tensor.1.dtype) {
                // They are numbers now.
                note.dtypes.0.retain(|(tensor, _)| tensor != member);
            }
            // An archive has `x.npy` as the name of a member `x`.
            let ending = if member.ends_with(".npy") { ".npy" } else { "" };
            writer.write(&format!("{member}{ending}"), &array).of(&name)?;
        }
        match note.is_empty() {
            true => Ok(()),
            false => writer.write(NOTE, &note.to_array(&name)?).of(&name),
        }
    }

    /// Writes all arrays of the input as tensors, in little-endian bytes and C order.
    pub(super) fn to_safetensors(&self, output: &OutputFile<'_>) -> Result<()> {
        if self.compress || self.order.is_some() || self.endian.is_some() {
            let message = "--compress, --order and --endian are for .npy and .npz files; tensors are in C order and little-endian";
            return Err(Failure::usage(message));
        }
        let (mut arrays, note) = self.arrays()?;
        let mut planned = self.plan(&mut arrays, &note)?;
        let header = header(&mut planned, note.metadata.as_ref())
            .map_err(|message| Failure::new(&self.output, message))?;
        self.check_lost_tensors(&planned)?;
        let bytes = planned.last().map_or(0, |tensor| tensor.info.data_offsets.1);
        let mut progress = Progress::start(bytes as u64);
        output.write(|out| {
            out.write_all(&header)?;
            for Planned { name, member, info, blocks } in planned {
                let mut left = info.data_offsets.1 - info.data_offsets.0;
                let mut blocks = match blocks {
                    Some(blocks) => blocks,
                    None => self.tensor_blocks(&mut arrays, &member, note.name(&name))?,
                };
                // There may be any number of rows without bytes.
                while left > 0
                    && let Some(block) = blocks.next()?
                {
                    let bytes = block.as_bytes();
                    left = left.checked_sub(bytes.len()).ok_or_else(|| self.changed())?;
                    out.write_all(bytes)?;
                    progress.add(bytes.len());
                }
                if left > 0 {
                    return Err(self.changed());
                }
            }
            Ok(())
        })
    }

    fn changed(&self) -> Failure {
        Failure::new(self.input.path_text(), "changed while it was read; run the command again")
    }

    /// Opens the input, and reads its metadata.
    fn arrays(&self) -> Result<(Arrays, Note)> {
        if self.input.member.is_none() && source::is_safetensors(&self.input) {
            let file = Safetensors::open(&self.input)?;
            let note = Note::of(&file);
            return Ok((Arrays::Tensors(file), note));
        }
        match self.open()? {
            Input::Array(reader) => {
                source::tell_of_rest(&reader, &self.input);
                Ok((Arrays::One(Some(reader)), Note::default()))
            }
            Input::Archive(archive) => {
                let note = match archive.contains(NOTE) {
                    true => Note::read(&archive, &self.input.with_member(NOTE))?,
                    false => Note::default(),
                };
                Ok((Arrays::Archive(archive), note))
            }
        }
    }

    /// Finds the dtype and the shape of each tensor, before anything is written.
    fn plan(&self, arrays: &mut Arrays, note: &Note) -> Result<Vec<Planned>> {
        let names: Vec<String> = match arrays {
            Arrays::Archive(archive) => {
                archive.names().filter(|name| *name != NOTE).map(str::to_owned).collect()
            }
            Arrays::Tensors(file) => file.tensors.iter().map(|(name, _)| name.clone()).collect(),
            Arrays::One(_) => vec![self.member_name()],
        };
        let is_one = matches!(arrays, Arrays::One(_));
        let mut planned = Vec::new();
        let mut taken = HashSet::new();
        for member in names {
            let name = tensor_name(arrays, &member).to_owned();
            let target = if is_one { self.input.clone() } else { self.input.with_member(&member) };
            if !taken.insert(name.clone()) {
                let message = format!(
                    "another member would be the tensor {name:?}, too; rename one with npy npz mv"
                );
                return Err(Failure::new(target, message));
            }
            let blocks = self.tensor_blocks(arrays, &member, note.name(&name))?;
            let header = blocks.header()?;
            let tensor = self.tensor(&header, note.name(&name), &target);
            let (dtype, shape) = tensor.map_err(|failure| match is_number(header.dtype()) {
                true => failure,
                false => failure.with(&self.without_others(arrays)),
            })?;
            let bytes = usize::try_from(header.data_bytes()).unwrap_or(usize::MAX);
            let info = TensorInfo { dtype, shape, data_offsets: (0, bytes) };
            let blocks = is_one.then_some(blocks);
            planned.push(Planned { name, member, info, blocks });
        }
        Ok(planned)
    }

    /// Opens an array, whose values are those of the tensor.
    fn tensor_blocks(
        &self,
        arrays: &mut Arrays,
        name: &str,
        noted: Option<&str>,
    ) -> Result<Blocks> {
        let member = self.input.with_member(name);
        let (reader, target) = match arrays {
            Arrays::Archive(archive) => {
                (AnyReader::member(archive, name).of(&self.input.path_text())?, &member)
            }
            Arrays::Tensors(file) => {
                let found = file.tensors.iter().find(|(tensor, _)| tensor == name);
                (file.reader(found.ok_or_else(|| self.changed())?)?, &member)
            }
            Arrays::One(reader) => (reader.take().ok_or_else(|| self.changed())?, &self.input),
        };
        if reader.header().dtype().has_object() {
            let message = format!(
                "Python objects are no tensor; convert numbers first: npy convert {} OUT.npy --dtype DTYPE",
                shell::read_again(target)
            );
            return Err(Failure::new(target, message));
        }
        let numbers = noted.and_then(|name| name.parse::<MlDtype>().ok());
        self.blocks(reader.with_numbers(numbers), target)
    }

    /// Returns the dtype and the shape of the tensor that an array becomes.
    fn tensor(
        &self,
        header: &Header,
        noted: Option<&str>,
        target: &Target,
    ) -> Result<(Dtype, Vec<usize>)> {
        let (dtype, shape) = (header.dtype(), header.shape().to_vec());
        if let Some(packed) =
            noted.and_then(format::of_name).filter(|noted| format::is_packed(*noted))
            && dtype.to_string() == "|u1"
        {
            let mut unpacked = shape;
            let bits = packed.bitsize();
            return match unpacked.last_mut().filter(|last| (**last * 8).is_multiple_of(bits)) {
                Some(last) => {
                    *last = *last * 8 / bits;
                    Ok((packed, unpacked))
                }
                None => {
                    let message = format!("its rows of bytes are no rows of {packed}");
                    Err(Failure::new(target, message))
                }
            };
        }
        let noted = noted.and_then(|name| name.parse::<MlDtype>().ok());
        let numbers = self.void.of(dtype).or(noted.filter(|numbers| numbers.fits(dtype)));
        let found = match numbers {
            Some(numbers) => format::of_name(numbers.name()),
            None => format::of_array(dtype),
        };
        found.map(|found| (found, shape)).ok_or_else(|| {
            let of_size = ["", "float8_e4m3fn", "bfloat16"];
            let name = numbers.map_or_else(|| dtype.to_string(), |numbers| numbers.name().into());
            let remedy = match of_size.get(dtype.itemsize()) {
                Some(example) if MlDtype::fits_some(dtype) && numbers.is_none() => {
                    format!("; say which numbers these bytes are, such as --void {example}")
                }
                _ if dtype.is_record() => "; choose one column with -c".into(),
                _ if is_number(dtype) => {
                    let wide = if dtype.to_string().contains('c') { "c8" } else { "f4" };
                    format!("; convert it to one that it has, such as --dtype {wide}")
                }
                // The caller knows the other members.
                _ => String::new(),
            };
            Failure::new(target, format!("safetensors has no dtype {name}{remedy}"))
        })
    }

    /// Returns the commands that convert the members of an archive that are numbers.
    fn without_others(&self, arrays: &Arrays) -> String {
        let Arrays::Archive(archive) = arrays else {
            return "; its tensors are numbers, and .npy and .npz files have all dtypes".to_owned();
        };
        let is_other = |name: &&str| {
            let member = AnyReader::member(archive, name);
            member.is_ok_and(|member| !is_number(member.header().dtype()))
        };
        let others: Vec<String> =
            archive.names().filter(is_other).map(|name| shell::word(name.as_bytes())).collect();
        let path = &self.input.path;
        if others.len() == archive.names().count() || self.input.is_stream() {
            return "; leave it out, as its tensors are numbers".to_owned();
        }
        let copy = match path.with_extension("tensors.npz") {
            copy if copy.exists() => "OUT.npz".into(),
            copy => shell::output(&copy),
        };
        format!(
            "; without these members: cp {} {copy} && npy npz rm {copy} {} && npy convert {copy} {}",
            shell::path(path),
            shell::last(others),
            shell::output(&self.output.path)
        )
    }

    /// Refuses to replace a safetensors file that has other tensors.
    fn check_lost_tensors(&self, planned: &[Planned]) -> Result<()> {
        let path = &self.output.path;
        if self.force || !path.is_file() {
            return Ok(());
        }
        let Ok(before) = Safetensors::open(&Target::from(path.clone())) else { return Ok(()) };
        let lost = before
            .tensors
            .iter()
            .find(|(name, _)| planned.iter().all(|tensor| tensor.name != *name));
        match lost {
            None => Ok(()),
            Some((name, _)) => {
                let message =
                    format!("exists, and its tensor {name:?} would be lost; --force replaces it");
                Err(Failure::new(path.display(), message))
            }
        }
    }
}

/// Returns true for a dtype that `--dtype f4` converts, and for bytes and records, which have their own advice.
fn is_number(dtype: &DType) -> bool {
    let number = "<f4".parse::<DType>();
    dtype.is_record()
        || MlDtype::fits_some(dtype)
        || number.is_ok_and(|number| dtype.converts_to(&number, Cast::Numeric).is_ok())
}

/// Returns the name of the tensor that a member becomes: that of its file without `.npy`. A member is listed with it if there is another of the shorter
/// name.
fn tensor_name<'a>(arrays: &Arrays, member: &'a str) -> &'a str {
    match (arrays, member.strip_suffix(".npy")) {
        (Arrays::Archive(archive), Some(name)) if !archive.contains(&format!("{member}.npy")) => {
            name
        }
        _ => member,
    }
}

/// Sorts the tensors as the crate `safetensors` does, so that each is aligned, and returns the bytes before the first.
fn header(planned: &mut [Planned], metadata: Option<&Pairs>) -> Result<Vec<u8>, String> {
    planned.sort_by(|one, other| {
        other.info.dtype.cmp(&one.info.dtype).then_with(|| one.name.cmp(&other.name))
    });
    let mut end = 0usize;
    for tensor in planned.iter_mut() {
        let start = end;
        end = start
            .checked_add(tensor.info.data_offsets.1)
            .ok_or("all tensors together are more than a file can have")?;
        tensor.info.data_offsets = (start, end);
    }
    let infos = planned.iter().map(|tensor| (tensor.name.clone(), tensor.info.clone())).collect();
    Metadata::new(None, infos).map_err(|error| error.to_string())?;
    let mut text =
        serde_json::to_vec(&HeaderText { metadata, planned }).map_err(|error| error.to_string())?;
    text.resize(text.len().next_multiple_of(8), b' ');
    let mut header = Vec::from((text.len() as u64).to_le_bytes());
    header.extend(text);
    Ok(header)
}

/// The header as JSON. `Metadata` would write the texts in any order.
struct HeaderText<'a> {
    metadata: Option<&'a Pairs>,
    planned: &'a [Planned],
}

impl Serialize for HeaderText<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(metadata) = self.metadata {
            map.serialize_entry(NOTE, metadata)?;
        }
        for tensor in self.planned {
            map.serialize_entry(&tensor.name, &tensor.info)?;
        }
        map.end()
    }
}
