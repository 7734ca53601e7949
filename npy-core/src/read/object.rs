//! Reads arrays of Python objects, which are stored as a pickle.

use std::io::Read;
use std::path::Path;

use super::reader::Reader;
use super::source::{EndOfArray, FileAt};
use super::{ReadNpy, ReadOptions};
use crate::array::NpyArray;
use crate::checked;
use crate::dtype::{ByteOrder, DType, Scalar, ScalarKind};
use crate::dynamic::DynArray;
use crate::element::Element;
use crate::element::block::{self, BLOCK};
use crate::element::type_info::TypeInfo;
use crate::error::{Error, ErrorKind, Result};
use crate::header::{Header, Payload};
use crate::limits::{to_u64, to_usize};
use crate::objects::{ContentsFile, FromObject, Objects, ReadContents, check_payload, is_missing};
use crate::plan::Cast;
use crate::reserve;
use crate::shape::{self, Order};
use crate::value::Value;
use npy_pickle::{LeftOut, Pickle, Scan, Scanned};

impl<R: Read> Reader<R> {
    /// Reads the pickle. If `leave_out`, the source is a regular file, and the contents of large bytes objects stay there.
    fn read_pickle(&mut self, leave_out: bool) -> Result<Pickle> {
        self.check_nothing_read()?;
        self.check_allowed(0)?;
        self.data.lose();
        let mut pickle = Pickle::default();
        let mut scan = Scan::default();
        let mut left_out = 0u64;
        if let Some(left) = self.data.source.available(u64::MAX).filter(|_| !leave_out) {
            // The bytes exist, but need not belong to the pickle.
            let _ = reserve::exact(&mut pickle.bytes, to_usize(left)?);
        }
        loop {
            match scan.resume(&pickle.bytes, leave_out)? {
                Scanned::Complete { length, nodes } => {
                    self.check_end(&pickle.bytes, length)?;
                    pickle.bytes.truncate(length);
                    pickle.nodes = nodes;
                    self.data.finish();
                    return Ok(pickle);
                }
                Scanned::LeftOut { length } => {
                    let at = scan.position();
                    let offset = to_u64(at).saturating_add(left_out);
                    left_out = left_out.saturating_add(length);
                    let end = offset.saturating_add(length);
                    self.limits.check_array(end)?;
                    if let Some(found) = self.data.source.length().filter(|&found| found < end) {
                        return Err(Error::truncated("pickle", end, found));
                    }
                    pickle.bytes.truncate(at);
                    pickle.left_out.push(LeftOut { at, length, offset });
                    self.data.source.move_shared(end);
                }
                Scanned::Incomplete { needed, known } => {
                    self.read_more(&mut pickle.bytes, left_out, needed, known)?;
                }
            }
        }
    }

    /// Reads the bytes of the pickle.
    pub(super) fn read_pickle_bytes(&mut self) -> Result<Vec<u8>> {
        Ok(self.read_pickle(false)?.bytes)
    }

    /// Appends to a pickle until it has `needed` bytes. The bytes up to `known` belong to it; others are only read if that is allowed.
    fn read_more(
        &mut self,
        pickle: &mut Vec<u8>,
        left_out: u64,
        needed: u64,
        known: u64,
    ) -> Result<()> {
        let whole = needed.saturating_add(left_out);
        self.limits.check_array(whole)?;
        let before = to_u64(pickle.len());
        let missing = needed.saturating_sub(before);
        let wanted = match self.data.source.end_of_array() {
            // A false length costs no memory: parts double, and each must exist before the next is read.
            EndOfArray::Left => known.saturating_sub(before).min(before.max(to_u64(BLOCK))),
            EndOfArray::Ignored | EndOfArray::Refused => missing.max(to_u64(BLOCK)),
        };
        let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
        match self.data.source.append(pickle, wanted)? {
            0 => Err(Error::truncated("pickle", whole, before.saturating_add(left_out))),
            _ => Ok(()),
        }
    }

    /// Checks the bytes after the pickle.
    fn check_end(&mut self, pickle: &[u8], length: usize) -> Result<()> {
        if self.data.source.end_of_array() != EndOfArray::Refused {
            return Ok(());
        }
        if pickle.len() == length && self.data.source.append(&mut Vec::new(), 1)? == 0 {
            return Ok(());
        }
        let reason =
            "bytes follow the pickle, which must fill the member; save the archive again".into();
        Err(ErrorKind::Archive { reason }.into())
    }

    /// Reads the objects of an array.
    pub(crate) fn read_objects(&mut self) -> Result<Objects> {
        self.located(|reader| {
            check_payload(&reader.header)?;
            let pickle = reader.read_pickle(false)?;
            Objects::new(reader.header.clone(), pickle, None, reader.encoding, reader.limits)
        })
    }

    /// Reads the objects of an array, to make values of them at once: the contents of large bytes objects stay in the file until then. The
    /// caller calls [`Objects::check_file`] at the end.
    pub(crate) fn read_objects_for_values(&mut self) -> Result<Objects> {
        self.located(|reader| {
            check_payload(&reader.header)?;
            let has_length = reader.data.source.length().is_some();
            let may_share = has_length && reader.data.source.shared().is_some();
            let pickle = reader.read_pickle(may_share)?;
            let file = match reader.data.source.shared().filter(|_| may_share) {
                Some((file, _)) => Some(ContentsFile::new(file.cloned()?)),
                None => None,
            };
            Objects::new(reader.header.clone(), pickle, file, reader.encoding, reader.limits)
        })
    }

    /// Reads a list of values that are stored as Python objects.
    pub(super) fn read_object_vec<T: FromObject>(&mut self) -> Result<Vec<T>> {
        self.located(|reader| match reader.header.shape() {
            [_] => Ok(()),
            _ => Err(reader.no_list::<Vec<T>>(&[])),
        })?;
        let objects = self.read_objects_for_values()?;
        objects.values(self.cast).map_err(|error| self.in_file(error))
    }

    /// Reads an array of values that are stored as Python objects, which are always in C order.
    pub(super) fn read_object_array<T: FromObject>(&mut self) -> Result<NpyArray<T>> {
        let objects = self.read_objects_for_values()?;
        self.located(|reader| {
            let shape = reader.header.shape();
            let values = objects
                .values(reader.cast)
                .map_err(|error| shape::in_row(error, shape, Order::C))?;
            let array = NpyArray::with_order(values, shape, Order::C)?;
            Ok(array.into_order(reader.order.unwrap_or(Order::C)))
        })
    }

    /// Reads a single value that is stored as a Python object.
    pub(super) fn read_object_single<T: FromObject>(&mut self) -> Result<T> {
        self.located(|reader| match reader.header.shape() {
            [] => Ok(()),
            _ => Err(reader.no_single::<T>()),
        })?;
        let objects = self.read_objects_for_values()?;
        self.located(|reader| {
            objects.values(reader.cast)?.pop().ok_or_else(|| reader.no_single::<T>())
        })
    }
}

/// Offsets are from the position of the file.
impl ReadContents for FileAt {
    fn fill(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        let found = self.borrowed().at(offset).fill_slice(out)?;
        if found == out.len() {
            return Ok(());
        }
        let (expected, found) = (to_u64(out.len()), to_u64(found));
        Err(Error::truncated("a bytes object", expected, found))
    }

    fn read(&self, offset: u64, length: u64) -> Result<Vec<u8>> {
        let length = to_usize(length)?;
        // The system clears the pages, and nothing else does.
        let plain = u8::__INTERNALS.plain().ok_or_else(|| reserve::refused(length))?;
        let mut bytes = plain.zeros(length)?;
        self.fill(offset, &mut bytes)?;
        Ok(bytes)
    }
}

impl ReadNpy for Objects {
    fn read_npy_array<R: Read>(reader: &mut Reader<R>) -> Result<Self> {
        reader.read_objects()
    }
}

impl Objects {
    /// Reads a file; the same as [`ReadNpy::read_npy`], without an import of the trait.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] {
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::Objects;
    ///
    /// // np.save("model.npy", {"name": "spam", "rates": [0.5, 2]})
    /// # npy_core::object::save("model.npy", &serde_json::json!({"name": "spam", "rates": [0.5, 2]}))?;
    /// let objects = Objects::read_npy("model.npy")?;
    /// assert_eq!(objects.root().len(), 2);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`ReadNpy::read_npy`]; [`ErrorKind::Pickle`] if the pickle is malformed.
    pub fn read_npy<P: AsRef<Path>>(path: P) -> Result<Self> {
        ReadOptions::new().read(path)
    }
}

/// Implements `ReadNpy` for lists and arrays of optional values; the functions read an array of another dtype than that of objects.
macro_rules! options {
    ($([$($generics:tt)*] $type:ty: $list:ident, $array:ident);* $(;)?) => {$(
        impl<$($generics)*> ReadNpy for Vec<Option<$type>> {
            fn read_npy_array<R: Read>(reader: &mut Reader<R>) -> Result<Self> {
                match reader.header.payload() {
                    Payload::Pickle => reader.read_object_vec(),
                    Payload::Items => $list(reader),
                }
            }
        }

        impl<$($generics)*> ReadNpy for NpyArray<Option<$type>> {
            fn read_npy_array<R: Read>(reader: &mut Reader<R>) -> Result<Self> {
                match reader.header.payload() {
                    Payload::Pickle => reader.read_object_array(),
                    Payload::Items => $array(reader),
                }
            }
        }
    )*};
}

options! {
    [T: Element] T: list_with_missing, array_with_missing;
    [] String: list_of_all, array_of_all;
    [] Vec<u8>: list_of_all, array_of_all;
}

fn list_of_all<T, R: Read>(reader: &mut Reader<R>) -> Result<Vec<Option<T>>>
where
    Vec<T>: ReadNpy,
{
    Ok(Vec::<T>::read_npy_array(reader)?.into_iter().map(Some).collect())
}

fn array_of_all<T, R: Read>(reader: &mut Reader<R>) -> Result<NpyArray<Option<T>>>
where
    NpyArray<T>: ReadNpy,
{
    let array = NpyArray::<T>::read_npy_array(reader)?;
    mapped(array, |values| Ok(values.into_iter().map(Some).collect()))
}

fn list_with_missing<T: Element, R: Read>(reader: &mut Reader<R>) -> Result<Vec<Option<T>>> {
    if loses_missing::<T>(&reader.header, reader.cast)? {
        let floats = Vec::<f64>::read_npy_array(reader)?;
        return reader.located(|reader| of_floats(floats, reader.cast));
    }
    let values = Vec::<T>::read_npy_array(reader)?;
    reader.located(|_| with_missing(values))
}

fn array_with_missing<T: Element, R: Read>(reader: &mut Reader<R>) -> Result<NpyArray<Option<T>>> {
    if loses_missing::<T>(&reader.header, reader.cast)? {
        let floats = NpyArray::<f64>::read_npy_array(reader)?;
        return reader.located(|reader| mapped(floats, |floats| of_floats(floats, reader.cast)));
    }
    let array = NpyArray::<T>::read_npy_array(reader)?;
    reader.located(|_| mapped(array, with_missing))
}

/// Makes an array of the same shape and order of other elements.
fn mapped<T, U>(
    array: NpyArray<T>,
    map: impl FnOnce(Vec<T>) -> Result<Vec<U>>,
) -> Result<NpyArray<U>> {
    let (shape, order) = (array.shape().to_vec(), array.order());
    NpyArray::with_order(map(array.into_vec_memory_order())?, shape, order)
}

/// Returns true if a cast makes numbers of NaN, so that the missing values must be found before it.
fn loses_missing<T: Element>(header: &Header, cast: Cast) -> Result<bool> {
    use ScalarKind::{Bool, Float, Int, UInt};
    let kind = |dtype: &DType| dtype.scalar().map(Scalar::kind);
    let is_cast = matches!(cast, Cast::Numeric | Cast::Checked);
    Ok(is_cast
        && kind(header.dtype()) == Some(Float)
        && matches!(kind(&TypeInfo::of::<T>().canonical()?.dtype), Some(Bool | Int | UInt)))
}

/// Casts floats; a NaN is a missing value.
fn of_floats<T: Element>(floats: Vec<f64>, cast: Cast) -> Result<Vec<Option<T>>> {
    let dtype = TypeInfo::of::<T>().canonical()?.dtype;
    let present = floats.iter().enumerate().filter(|(_, float)| !float.is_nan());
    let bytes = present.clone().flat_map(|(_, float)| float.to_le_bytes()).collect();
    let rows: Vec<usize> = present.map(|(row, _)| row).collect();
    let from = Scalar::ordered(ScalarKind::Float, 8, ByteOrder::Little).into();
    let array = DynArray::new(from, [rows.len()], Order::C, bytes)?;
    let values = array.cast_with(&dtype, cast).and_then(|array| array.to_vec());
    // The error names the row among all.
    let among_all = |row| to_u64(*checked::some(rows.get(checked::narrow::<u64, usize>(row))));
    let mut values = values.map_err(|error| error.recounted(among_all))?.into_iter();
    Ok(floats.iter().map(|float| if float.is_nan() { None } else { values.next() }).collect())
}

/// Returns the values; `None` for a NaN and for NaT, as in an array of objects.
fn with_missing<T: Element>(values: Vec<T>) -> Result<Vec<Option<T>>> {
    use ScalarKind::{DateTime, Float, TimeDelta};
    let dtype = TypeInfo::of::<T>().canonical()?.dtype;
    if !matches!(dtype.scalar().map(Scalar::kind), Some(Float | DateTime(_) | TimeDelta(_))) {
        return Ok(values.into_iter().map(Some).collect());
    }
    let mut item = vec![0; T::SIZE];
    let mut optional = reserve::list(values.len())?;
    for (row, value) in values.into_iter().enumerate() {
        value.encode(&mut item).map_err(|error| block::invalid(error, row))?;
        let is_missing = Value::from_bytes(&dtype, &item).is_some_and(is_missing);
        optional.push((!is_missing).then_some(value));
    }
    Ok(optional)
}
