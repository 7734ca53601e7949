//! Files of the format safetensors: a header of JSON, and the tensors after it. Opening one reads the header alone.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};

use npy_core::{DType, Reader};
use safetensors::tensor::{Dtype, Metadata, TensorInfo};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use super::file::AnyFile;
use super::open::file;
use super::reader::{AnyReader, Origin};
use crate::ml_dtype::MlDtype;
use crate::output::{Failure, Of, Result};
use crate::remedy;
use crate::shell;
use crate::target::Target;

/// The largest header that the format allows.
pub(super) const MAX_HEADER: u64 = 100_000_000;

/// Each dtype, that of its array, and the name of its numbers if the array has raw bytes: that of ml_dtypes, or of safetensors if several numbers are
/// in a byte, as ml_dtypes has none of these.
const DTYPES: [(Dtype, &str, &str); 22] = [
    (Dtype::BOOL, "|b1", ""),
    (Dtype::U8, "|u1", ""),
    (Dtype::I8, "|i1", ""),
    (Dtype::I16, "<i2", ""),
    (Dtype::U16, "<u2", ""),
    (Dtype::F16, "<f2", ""),
    (Dtype::I32, "<i4", ""),
    (Dtype::U32, "<u4", ""),
    (Dtype::F32, "<f4", ""),
    (Dtype::C64, "<c8", ""),
    (Dtype::F64, "<f8", ""),
    (Dtype::I64, "<i8", ""),
    (Dtype::U64, "<u8", ""),
    (Dtype::BF16, "<V2", "bfloat16"),
    (Dtype::F8_E4M3, "<V1", "float8_e4m3fn"),
    (Dtype::F8_E5M2, "<V1", "float8_e5m2"),
    (Dtype::F8_E8M0, "<V1", "float8_e8m0fnu"),
    (Dtype::F8_E4M3FNUZ, "<V1", "float8_e4m3fnuz"),
    (Dtype::F8_E5M2FNUZ, "<V1", "float8_e5m2fnuz"),
    (Dtype::F4, "|u1", "F4"),
    (Dtype::F6_E2M3, "|u1", "F6_E2M3"),
    (Dtype::F6_E3M2, "|u1", "F6_E3M2"),
];

/// A file that was opened.
pub(crate) struct Safetensors {
    name: String,
    file: AnyFile,
    /// The position of the data.
    start: u64,
    /// The texts of `__metadata__`, in the order of the file.
    pub(crate) metadata: Option<Pairs>,
    /// In the order of their data.
    pub(crate) tensors: Vec<(String, TensorInfo)>,
}

/// Returns the dtype of safetensors for arrays of a dtype; `None` if there is none, and for raw bytes.
pub(crate) fn of_array(dtype: &DType) -> Option<Dtype> {
    let text = dtype.to_string();
    DTYPES.iter().find(|(_, array, name)| *array == text && name.is_empty()).map(|row| row.0)
}

/// Returns the dtype of safetensors whose arrays have these raw bytes.
pub(crate) fn of_name(name: &str) -> Option<Dtype> {
    DTYPES.iter().find(|row| row.2 == name && !name.is_empty()).map(|row| row.0)
}

/// Returns the name of the numbers that an array has as raw bytes.
pub(crate) fn name_of(dtype: Dtype) -> Option<&'static str> {
    DTYPES.iter().find(|row| row.0 == dtype).map(|row| row.2).filter(|name| !name.is_empty())
}

/// Returns true for numbers of less than a byte.
pub(crate) fn is_packed(dtype: Dtype) -> bool {
    dtype.bitsize() < 8
}

impl Safetensors {
    /// Reads the header of a file, and checks it.
    pub(crate) fn open(target: &Target) -> Result<Self> {
        let name = target.path_text();
        let wrong = |why: &dyn fmt::Display| {
            let advice = remedy::for_text(target).map(|advice| format!("; {advice}"));
            let advice = advice.unwrap_or_default();
            Failure::new(&name, format!("is not a complete safetensors file: {why}{advice}"))
        };
        let mut file = file(target)?;
        let length = file.size().of(&name)?;
        let mut size = [0; 8];
        file.read_exact(&mut size).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => wrong(&"it has fewer than 8 bytes"),
            _ => Failure::new(&name, error),
        })?;
        let size = u64::from_le_bytes(size);
        if size > MAX_HEADER {
            return Err(wrong(&format!(
                "its header would have {size} bytes, and {MAX_HEADER} are allowed"
            )));
        }
        let start = 8 + size;
        if start > length {
            return Err(wrong(&format!(
                "its header has {size} bytes, and {} are there",
                length - 8
            )));
        }
        let mut text = Vec::new();
        (&mut file).take(size).read_to_end(&mut text).of(&name)?;
        let header: Metadata = serde_json::from_slice(&text)
            .map_err(|error| wrong(&format!("its header: {error}")))?;
        let data = u64::try_from(header.data_len()).unwrap_or(u64::MAX);
        if start.checked_add(data) != Some(length) {
            return Err(wrong(&format!(
                "its tensors have {data} bytes, and {} are there",
                length - start
            )));
        }
        let Texts { metadata } = serde_json::from_slice(&text)
            .map_err(|error| wrong(&format!("its header: {error}")))?;
        let mut tensors: Vec<(String, TensorInfo)> =
            header.tensors().into_iter().map(|(name, info)| (name, info.clone())).collect();
        tensors.sort_by(|(name, info), (other, before)| {
            (info.data_offsets, name).cmp(&(before.data_offsets, other))
        });
        Ok(Safetensors { name, file, start, metadata, tensors })
    }

    /// Opens a tensor as an array.
    pub(crate) fn reader(&self, (name, info): &(String, TensorInfo)) -> Result<AnyReader> {
        let tensor = || format!("{}::{}", self.name, name.escape_debug());
        let Some((_, array, numbers)) = DTYPES.iter().find(|row| row.0 == info.dtype) else {
            let message = format!("no array has its dtype {}", info.dtype);
            return Err(Failure::new(tensor(), message));
        };
        let mut shape = info.shape.clone();
        if is_packed(info.dtype) {
            let bits = info.dtype.bitsize();
            match shape.last_mut() {
                Some(last) if (*last * bits).is_multiple_of(8) => *last = *last * bits / 8,
                _ => {
                    let message = format!(
                        "its rows of {} do not end at a byte, so no array has its shape",
                        info.dtype
                    );
                    return Err(Failure::new(tensor(), message));
                }
            }
        }
        let (start, end) = info.data_offsets;
        let section = Section {
            file: self.file.try_clone().of(&self.name)?,
            start: self.start + start as u64,
            length: (end - start) as u64,
            position: 0,
        };
        let dtype = array.parse::<DType>().of(&self.name)?;
        let reader = Reader::headerless(section, dtype, shape).of(&tensor())?;
        let reader = AnyReader::new(reader, Origin::Tensor);
        Ok(reader.with_numbers(numbers.parse::<MlDtype>().ok()))
    }

    /// Opens the tensor that a target names, or the only one.
    pub(crate) fn only(&self, target: &Target) -> Result<AnyReader> {
        let Some(member) = &target.member else {
            let [tensor] = &self.tensors[..] else {
                let path = shell::path(&target.path);
                let first = self.tensors.first().map_or("NAME", |(name, _)| name);
                let message = format!(
                    "is a safetensors file with {} tensors; name one, as in {}, or convert all: npy convert {path} {}",
                    self.tensors.len(),
                    shell::member(&target.path, first),
                    shell::output(&target.path.with_extension("npz"))
                );
                return Err(Failure::new(&self.name, message));
            };
            return self.reader(tensor);
        };
        match self.tensors.iter().find(|(name, _)| name == member) {
            Some(tensor) => self.reader(tensor),
            None => Err(Failure::new(&self.name, format!("there is no tensor {member:?}"))),
        }
    }
}

/// A part of a file, as a file of its own.
struct Section {
    file: AnyFile,
    start: u64,
    length: u64,
    position: u64,
}

impl Read for Section {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.length.saturating_sub(self.position)).unwrap_or(usize::MAX);
        let max = buffer.len().min(left);
        // The position of the file is that of all its clones.
        self.file.seek(SeekFrom::Start(self.start + self.position))?;
        let count = self.file.read(&mut buffer[..max])?;
        self.position += count as u64;
        Ok(count)
    }
}

impl Seek for Section {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::Current(by) => self.position.checked_add_signed(by),
            SeekFrom::End(by) => self.length.checked_add_signed(by),
        };
        let position = position.filter(|position| *position <= self.length);
        self.position = position.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

/// The texts of a header, in their order, which `Metadata` does not keep.
#[derive(serde::Deserialize)]
struct Texts {
    #[serde(default, rename = "__metadata__")]
    metadata: Option<Pairs>,
}

/// Names with texts, in the order of an object of JSON.
#[derive(Clone, Default)]
pub(crate) struct Pairs(pub(crate) Vec<(String, String)>);

impl Pairs {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Pairs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, text)| (name, text)))
    }
}

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Pairs;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of texts")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Pairs, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = object.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }

        deserializer.deserialize_map(Object)
    }
}
