//! Reads files into any type that serde can deserialize.

use std::io::Read;
use std::path::Path;

use serde::de::{Deserialize, DeserializeOwned};

use super::RowError;
use super::from_object::from_object;
use super::nested::Nested;
use crate::error::{Error, Result};
use crate::header::Payload;
#[cfg(feature = "npz")]
use crate::npz;
use crate::objects::{ObjectRef, Objects};
use crate::read::{ReadOptions, Reader};

/// Reads a file into any type that serde can deserialize. The file may hold Python objects, or have any other dtype.
///
/// No Python code is run: objects are data. An array without dimensions becomes its only object; any other array becomes nested sequences,
/// one level for each dimension.
///
/// | Python | Rust |
/// |---|---|
/// | `None`, and the missing values `nan`, `NaT` and `NA` | `None` of an `Option`; a float `nan` can also be read as a NaN |
/// | `bool`, `int`, `float`, `str`, `bytes` | `bool`, integers up to 128 bits, `f64` or `f32`, `String`, bytes |
/// | an integer (`int`, also of NumPy and in arrays) into `f64` or `f32` | the equal float; an error if there is none: read it as `i64` or `i128` |
/// | a `float` (`float64`) into `f32` | the nearest `f32`, as with [`Cast::Checked`](crate::Cast::Checked) and in serde; an error if that is infinite |
/// | `complex` | a tuple of two numbers |
/// | `list`, `tuple`, `set`, `frozenset`, `deque`, `range` | `Vec`, a tuple, a set |
/// | `dict`, `OrderedDict`, `defaultdict` | a struct, a map; with one entry also an enum, as in JSON |
/// | an item of an array of records | a struct, a map, a tuple |
/// | `numpy.ndarray` | nested `Vec`s, [`NpyArray`](crate::NpyArray), [`DynArray`](crate::DynArray) |
/// | scalars of NumPy | their values, as in [`DynArray::to_rows`](crate::DynArray::to_rows) |
/// | dates and times, also of pandas | [`DateTime64`](crate::DateTime64), which is in UTC if there is a zone; `String` in ISO 8601 |
/// | `timedelta`, also of pandas | [`TimeDelta64`](crate::TimeDelta64), or `String`: `100 seconds` |
/// | `Decimal` | `String`, or a number; of floats the nearest |
/// | `numpy.dtype` | [`DType`](crate::DType), `String` |
/// | an object of another class | a struct or map of its attributes |
///
/// In `flatten`, `untagged` and internally tagged enums, serde keeps the values before it knows their types, and rounds integers to floats.
///
/// Reading a nested array of numbers is as fast as reading a file of them, if it becomes an `NpyArray` of the same number type, or a
/// `DynArray`. Reading it into a `Vec` takes two to three times as long, because serde passes the numbers one by one.
///
/// To read with options, use [`Reader::read_as`].
///
/// ```
/// use npy_core::{NpyArray, object};
///
/// #[derive(serde::Deserialize)]
/// struct Model {
///     name: String,
///     epoch: Option<u32>,
///     rates: Vec<f64>,
/// }
///
/// // np.save("model.npy", {"name": "spam", "epoch": None, "rates": [0.5, 2]})
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// # std::fs::write("model.npy", [
/// #     &b"\x93NUMPY\x01\x00\x76\x00"[..],
/// #     &format!("{:<117}\n", "{'descr': '|O', 'fortran_order': False, 'shape': (), }").into_bytes(),
/// #     b"\x80\x03cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85C\x01b\x87R(K\x01)cnumpy\ndtype\nX\x02\0\0\0O8K\0K\x01\x87R(K\x03X\x01\0\0\0|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tb\x89](",
/// #     b"}(X\x04\0\0\0nameX\x04\0\0\0spamX\x05\0\0\0epochNX\x05\0\0\0rates](G?\xe0\0\0\0\0\0\0K\x02euetb.",
/// # ].concat())?;
/// let model: Model = object::load("model.npy")?;
/// assert_eq!(model.name, "spam");
/// assert_eq!((model.epoch, model.rates), (None, vec![0.5, 2.0]));
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// # Errors
///
/// As [`ReadNpy::read_npy`](crate::ReadNpy::read_npy); [`ErrorKind::Pickle`](crate::ErrorKind::Pickle) if the pickle is malformed;
/// [`ErrorKind::InvalidValue`](crate::ErrorKind::InvalidValue), with the row and the path, for an object that the type refuses or that
/// contains itself; [`ErrorKind::Limit`](crate::ErrorKind::Limit) above
/// [`Limits::object_depth`](crate::Limits::object_depth) and [`Limits::object_expansion`](crate::Limits::object_expansion).
pub fn load<T: DeserializeOwned>(path: impl AsRef<Path>) -> Result<T> {
    ReadOptions::new().open(path)?.read_as()
}

/// Reads exactly one array from a reader, and no byte after it; see [`load`].
///
/// ```
/// use npy_core::{WriteNpy, object};
///
/// let mut file = Vec::new();
/// [1u8, 2, 3].write_npy_to(&mut file)?;
/// let numbers: Vec<i64> = object::load_from(&file[..])?;
/// assert_eq!(numbers, [1, 2, 3]);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// # Errors
///
/// As [`load`].
pub fn load_from<T: DeserializeOwned>(reader: impl Read) -> Result<T> {
    Reader::new(reader)?.read_as()
}

impl<R: Read> Reader<R> {
    /// Reads the array into any type that serde can deserialize; see [`object::load`](crate::object::load).
    ///
    /// ```
    /// use npy_core::{Limits, ReadOptions, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// [[1.5f32, 2.0], [3.0, 4.0]].write_npy_to(&mut file)?;
    /// let mut limits = Limits::default();
    /// limits.object_depth = 1000;
    /// let pairs: Vec<(f64, f64)> = ReadOptions::new().limits(limits).reader(&file[..])?.read_as()?;
    /// assert_eq!(pairs, [(1.5, 2.0), (3.0, 4.0)]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`object::load`](crate::object::load).
    pub fn read_as<T: DeserializeOwned>(&mut self) -> Result<T> {
        match self.header().payload() {
            Payload::Pickle => {
                let objects = self.read_objects_for_values()?;
                let value = objects.deserialize();
                // If the file could not be read, that is the cause of any other error, so it is returned instead.
                let value = objects.check_file().and(value);
                value.map_err(|error| self.in_file(error))
            }
            Payload::Items => {
                let array = self.read_dyn()?;
                let nested = Nested::of_file(&array).map_err(RowError::from);
                let value = nested.and_then(|nested| {
                    let (dtype, shape) = (array.dtype(), array.shape());
                    T::deserialize(nested).map_err(|error| error.of_array(dtype, shape))
                });
                value.map_err(|error| self.in_file(error.into_error()))
            }
        }
    }
}

#[cfg(feature = "npz")]
impl<R: Read + std::io::Seek> npz::Reader<R> {
    /// Reads a member into any type that serde can deserialize; see [`object::load`](crate::object::load).
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::Writer::new(Cursor::new(Vec::new()))?;
    /// writer.write("x", &[1.0, 2.0])?;
    /// let reader = npz::Reader::new(writer.finish()?)?;
    /// assert_eq!(reader.read_as::<(f32, f32)>("x")?, (1.0, 2.0));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`object::load`](crate::object::load) and [`read`](npz::Reader::read).
    pub fn read_as<T: DeserializeOwned>(&self, name: &str) -> Result<T> {
        self.member(name)?.read_as()
    }
}

impl Objects {
    /// Converts the objects to any type that serde can deserialize; see [`object::load`](crate::object::load). Text and bytes can be
    /// borrowed.
    ///
    /// ```no_run
    /// use npy_core::Objects;
    ///
    /// let objects = Objects::read_npy("names.npy")?;
    /// let names: Vec<&str> = objects.deserialize()?;
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`object::load`](crate::object::load).
    pub fn deserialize<'a, T: Deserialize<'a>>(&'a self) -> Result<T, Error> {
        self.root().deserialize()
    }
}

impl<'a> ObjectRef<'a> {
    /// Converts the object to any type that serde can deserialize; see [`object::load`](crate::object::load). Text and bytes can be
    /// borrowed.
    ///
    /// ```no_run
    /// use npy_core::{DynArray, Objects};
    ///
    /// let checkpoint = Objects::read_npy("checkpoint.npy")?;
    /// let weights: Vec<DynArray> = checkpoint.root().get("weights")?.deserialize()?;
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`object::load`](crate::object::load).
    pub fn deserialize<T: Deserialize<'a>>(self) -> Result<T, Error> {
        from_object(self)
    }
}
