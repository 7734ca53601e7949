//! Values of serde as arrays of Python objects.

mod ser;

use std::io::Write;
use std::path::Path;

use serde::ser::Serialize;

use crate::error::Result;
use crate::write::{ArrayWriter, WriteNpy, WriteOptions};

/// Writes a value of serde as an array of Python objects, wherever an array can be written: with options, or as a member of an archive.
///
/// ```
/// use std::io::Cursor;
///
/// use npy_core::npz;
/// use npy_core::object::AsObject;
///
/// #[derive(serde::Serialize)]
/// struct Config {
///     name: &'static str,
///     rates: Vec<f64>,
/// }
///
/// let config = Config { name: "run 7", rates: vec![0.1, 0.01] };
/// let mut npz = npz::Writer::new(Cursor::new(Vec::new()))?;
/// npz.write("weights", &[0.5f32, -1.0])?;
/// // np.load(path, allow_pickle=True)["config"].item() is a dict.
/// npz.write("config", &AsObject(&config))?;
/// npz.finish()?;
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct AsObject<T>(pub T);

impl<T: Serialize> WriteNpy for AsObject<T> {
    fn write_npy_array(&self, to: ArrayWriter<'_>) -> Result<()> {
        ser::write(&self.0, to)
    }
}

/// Writes any value of serde as a file of Python objects, which `np.load(path, allow_pickle=True)` reads. The file is replaced as by
/// [`WriteNpy::write_npy`].
///
/// A sequence or a tuple is an array of one dimension, and its elements are the objects. Any other value is an array without dimensions:
/// in Python, `np.load(…).item()` is the object.
///
/// | value | Python object |
/// |---|---|
/// | `bool`, integers, floats | `bool`, `int`, `float` |
/// | text, `char` | `str` |
/// | bytes (`serde_bytes`) | `bytes` |
/// | `None`, `()`, a struct without fields | `None` |
/// | sequences | `list` |
/// | tuples, `[T; N]`, tuple structs | `tuple` |
/// | maps, structs | `dict` |
/// | a struct of one unnamed field, `Some` | its field |
/// | a variant without fields | its name, a `str` |
/// | any other variant | a `dict` with one entry, from its name to its field, or to a `tuple` or a `dict` of its fields |
/// | [`DateTime64`](crate::DateTime64), [`TimeDelta64`](crate::TimeDelta64) | `str`, as NumPy prints them, and `None` for NaT; a `DynArray` of them keeps its dtype |
/// | [`NpyArray`](crate::NpyArray), [`NpyView`](crate::NpyView), [`DynArray`](crate::DynArray) | `ndarray` |
///
/// The dtype of a `DynArray` is its own. The dtype of other arrays depends on how their elements serialize: it is `float32` if all are
/// `f32`, and so on for `bool` and all primitive numbers; it is `float64` if there are no elements; otherwise, it is that of objects. When
/// NumPy loads a nested array, it swaps big-endian numbers to the byte order of the machine.
///
/// ```
/// use npy_core::{Header, NpyArray, object};
///
/// #[derive(serde::Serialize)]
/// struct Run {
///     name: &'static str,
///     comment: Option<String>,
///     weights: NpyArray<f32>,
/// }
///
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// let run = Run { name: "first", comment: None, weights: NpyArray::new(vec![0.5; 6], [2, 3])? };
/// // np.load("run.npy", allow_pickle=True).item()["weights"].shape == (2, 3)
/// object::save("run.npy", &run)?;
///
/// let header = Header::parse(&std::fs::read("run.npy")?)?.0;
/// assert_eq!((header.dtype().to_string().as_str(), header.shape()), ("|O", &[][..]));
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::InvalidValue`](crate::ErrorKind::InvalidValue) for values nested more than 128 deep, for maps whose keys are lists, maps or
/// arrays, for errors of the value's own `Serialize`, and for a value that serializes differently each time;
/// [`ErrorKind::Io`](crate::ErrorKind::Io).
pub fn save<T: Serialize + ?Sized>(path: impl AsRef<Path>, value: &T) -> Result<()> {
    WriteOptions::new().write(path, &AsObject(value))
}

/// Writes any value of serde to a writer, like [`save`], and flushes it.
///
/// ```
/// use npy_core::{Header, object};
///
/// let ragged = vec![vec![1, 2, 3], vec![4]];
/// let mut file = Vec::new();
/// object::save_to(&mut file, &ragged)?;
/// assert_eq!(Header::parse(&file)?.0.shape(), [2]);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// # Errors
///
/// As [`save`].
pub fn save_to<T: Serialize + ?Sized>(writer: impl Write, value: &T) -> Result<()> {
    WriteOptions::new().write_to(writer, &AsObject(value))
}
