//! Arrays of Python objects, read as data.

mod array;
mod cast;
mod contents;
mod dtype;
mod encode;
mod globals;
mod keys;
mod known;
mod of_array;
mod print;
mod record;
mod split;
mod values;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::dtype::DType;
use crate::dynamic::DynArray;
use crate::error::{Error, ErrorKind};
use crate::header::Header;
use crate::limits::Limits;
use crate::shape;
use crate::value::Value;
pub(crate) use array::PickledArray;
pub(crate) use contents::{ContentsFile, ReadContents};
pub(crate) use known::Meaning;
pub use npy_pickle::Encoding;
use npy_pickle::{self as pickle, Form, Id, NONE, Node, Object, Pickle};
pub(crate) use of_array::check_payload;
pub(crate) use values::FromObject;
#[cfg(feature = "serde")]
pub(crate) use {array::check_no_objects, record::Record, record::RecordField, values::Budget};

/// An array of Python objects, or of records with such fields, as a graph of plain data.
///
/// NumPy stores these arrays as a pickle, and `np.load(allow_pickle=True)` runs whatever functions the pickle names. Here nothing is run: a
/// call is an object that names its function and has its arguments. So an untrusted file can be inspected safely, and
/// [`globals`](Self::globals) lists everything that Python would import. The format is that of Python's `pickle`, protocols 0 to 5.
///
/// Lists of text and numbers can be read without this type: `Vec<String>` or `Vec<Option<f64>>` read them like any other file. With the
/// feature `serde`, [`object::load`](crate::object) reads a file into structs.
///
/// ```
/// use npy_core::Objects;
///
/// // np.save("model.npy", {"name": "spam", "rates": [0.5, 2]})
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// # std::fs::write("model.npy", [
/// #     &b"\x93NUMPY\x01\x00\x76\x00"[..],
/// #     &format!("{:<117}\n", "{'descr': '|O', 'fortran_order': False, 'shape': (), }").into_bytes(),
/// #     b"\x80\x03cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85C\x01b\x87R(K\x01)cnumpy\ndtype\nX\x02\0\0\0O8K\0K\x01\x87R(K\x03X\x01\0\0\0|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tb\x89](",
/// #     b"}(X\x04\0\0\0nameX\x04\0\0\0spamX\x05\0\0\0rates](G?\xe0\0\0\0\0\0\0K\x02euetb.",
/// # ].concat())?;
/// let objects = Objects::read_npy("model.npy")?;
/// let model = objects.root();
/// assert_eq!(model.len(), 2);
/// assert_eq!(model.get("name")?.as_str().as_deref(), Some("spam"));
/// assert_eq!(model.get("rates")?.at(0).and_then(|rate| rate.as_f64()), Some(0.5));
/// assert_eq!(model.to_string(), "{'name': 'spam', 'rates': [0.5, 2]}");
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone)]
pub struct Objects {
    header: Header,
    pub(crate) pickle: pickle::Objects,
    limits: Limits,
    /// The file with the contents that were left out of the pickle.
    pub(crate) file: Option<Arc<ContentsFile>>,
    /// The node of the dtype, for records.
    record: Id,
    /// The objects of the array, in C order.
    items: pickle::Items,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal,)*) => {
        /// The kind of a Python object.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Kind {
            $($(#[$doc])* $kind,)*
        }

        /// The name of the kind in a message.
        impl fmt::Display for Kind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $(Kind::$kind => $name,)*
                })
            }
        }
    };
}

kinds! {
    /// `None`
    None = "None",
    /// A missing value of pandas: `NaT` or `NA`. A missing number or text may also be the float `nan`.
    Missing = "a missing value",
    /// `True`, `False`
    Bool = "a bool",
    /// An integer of any size.
    Int = "an int",
    /// A float.
    Float = "a float",
    /// A complex number.
    Complex = "a complex number",
    /// Text.
    Str = "text",
    /// `bytes`
    Bytes = "bytes",
    /// `bytearray`
    ByteArray = "a bytearray",
    /// `list`, `collections.deque`
    List = "a list",
    /// `tuple`
    Tuple = "a tuple",
    /// `set`
    Set = "a set",
    /// `frozenset`
    FrozenSet = "a frozenset",
    /// `dict`, `OrderedDict`, `defaultdict`
    Dict = "a dictionary",
    /// An item of an array of records.
    Record = "a record",
    /// `numpy.ndarray`
    Array = "an array",
    /// A scalar of NumPy, such as `numpy.float32(1.5)`.
    Scalar = "a NumPy scalar",
    /// `datetime.date`
    Date = "a date",
    /// `datetime.time`
    Time = "a time of day",
    /// `datetime.datetime`, `pandas.Timestamp`
    DateTime = "a date and time",
    /// `datetime.timedelta`, `pandas.Timedelta`
    TimeDelta = "a span of time",
    /// `decimal.Decimal`
    Decimal = "a decimal number",
    /// `range`
    Range = "a range",
    /// `numpy.dtype`
    DType = "a dtype",
    /// A class or function that the pickle names.
    Global = "a class or function",
    /// An object that Python would create by calling a class or function that this crate does not know.
    Object = "an object of an unknown class",
}

/// A Python object in [`Objects`]. It is a cursor: copies are cheap.
#[derive(Clone, Copy)]
pub struct ObjectRef<'a> {
    pub(crate) of: &'a Objects,
    pub(crate) id: Id,
    /// The node of the dtype if the object is an item of an array of records; otherwise `NONE`.
    pub(crate) record: Id,
}

/// [`pickle::UNKNOWN_ENCODING`], and what to do.
const SET_ENCODING: &str = "the string was pickled by Python 2, is not ASCII, and has no stated encoding; read it with ReadOptions::new().encoding(Encoding::Latin1)";

impl From<pickle::Error> for Error {
    fn from(error: pickle::Error) -> Self {
        match error {
            pickle::Error::Malformed { byte, reason } => {
                ErrorKind::Pickle { byte, reason: reason.into() }.into()
            }
            pickle::Error::Truncated { expected, found } => {
                Error::truncated("pickle", expected, found)
            }
            pickle::Error::Memory { bytes } => ErrorKind::Memory { bytes }.into(),
            _ => {
                let what = "a pickle of more than four thousand million objects".into();
                let needs = "a newer version of this crate; save the array in parts";
                ErrorKind::Unsupported { what, needs }.into()
            }
        }
    }
}

impl Objects {
    /// Makes the graph of an array. `file` has the contents that were left out of the pickle.
    pub(crate) fn new(
        header: Header,
        pickle: Pickle,
        file: Option<ContentsFile>,
        encoding: Encoding,
        limits: Limits,
    ) -> Result<Self, Error> {
        let file = file.map(Arc::new);
        let left_out = file.clone().map(|file| -> Arc<dyn pickle::ReadLeftOut> { file });
        let pickle = pickle::Objects::new(pickle, encoding, left_out)?;
        let (record, items) = (NONE, pickle::Items::default());
        let mut objects = Objects { header, pickle, limits, file, record, items };
        (objects.record, objects.items) = objects.checked()?;
        Ok(objects)
    }

    /// Compares the pickle with the header. Returns the node of the dtype (`NONE` if the items are not records), and the objects.
    fn checked(&self) -> Result<(Id, pickle::Items), Error> {
        let Meaning::Array(array) = self.reference(self.pickle.graph().root()).meaning() else {
            return Err(Error::invalid("the pickle is not an array; save it again with np.save"));
        };
        let found = array.shape()?;
        if found != self.header.shape() {
            let (found, stated) = (shape::excerpt(&found), shape::excerpt(self.header.shape()));
            return Err(Error::invalid(format!(
                "the header states shape {stated}, but the pickle has shape {found}; save the array again"
            )));
        }
        let dtype = array.dtype()?;
        if dtype != *self.header.dtype() {
            return Err(Error::invalid(format!(
                "the header states dtype {}, but the pickle has {}; save the array again",
                self.header.dtype().excerpt(),
                dtype.excerpt()
            )));
        }
        let items = array.items()?;
        let record = if dtype.is_record() { array.dtype.id() } else { NONE };
        Ok((record, items))
    }

    /// Returns the header of the file.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] { let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::Objects;
    ///
    /// // np.save("model.npy", {"name": "spam", "rates": [0.5, 2]})
    /// # npy_core::object::save("model.npy", &serde_json::json!({"name": "spam", "rates": [0.5, 2]}))?;
    /// let objects = Objects::read_npy("model.npy")?;
    /// assert_eq!(objects.header().dtype().to_string(), "|O");
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the only object of an array without dimensions. For any other array, returns the array itself, whose items are the objects.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] { let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::Objects;
    ///
    /// // np.save("model.npy", {"name": "spam", "rates": [0.5, 2]})
    /// # npy_core::object::save("model.npy", &serde_json::json!({"name": "spam", "rates": [0.5, 2]}))?;
    /// let objects = Objects::read_npy("model.npy")?;
    /// assert_eq!(objects.root().get("name")?.as_str().as_deref(), Some("spam"));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn root(&self) -> ObjectRef<'_> {
        match (self.header.shape(), self.iter().next()) {
            ([], Some(single)) => single,
            _ => self.reference(self.pickle.graph().root()),
        }
    }

    /// Iterates over the objects in C order, whatever the order of the array.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] { let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::Objects;
    ///
    /// // np.save("model.npy", {"name": "spam", "rates": [0.5, 2]})
    /// # npy_core::object::save("model.npy", &serde_json::json!({"name": "spam", "rates": [0.5, 2]}))?;
    /// let objects = Objects::read_npy("model.npy")?;
    /// assert_eq!(objects.iter().len(), 1);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn iter(&self) -> impl ExactSizeIterator<Item = ObjectRef<'_>> {
        let ids = self.pickle.graph().items(self.items).iter();
        ids.map(|&id| ObjectRef { of: self, id, record: self.record })
    }

    /// Returns the pickle.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] { let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::Objects;
    ///
    /// // np.save("model.npy", {"name": "spam", "rates": [0.5, 2]})
    /// # npy_core::object::save("model.npy", &serde_json::json!({"name": "spam", "rates": [0.5, 2]}))?;
    /// let objects = Objects::read_npy("model.npy")?;
    /// assert!(objects.as_bytes().starts_with(b"\x80"));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn as_bytes(&self) -> &[u8] {
        &self.pickle.pickle().bytes
    }

    fn reference(&self, id: Id) -> ObjectRef<'_> {
        ObjectRef { of: self, id, record: NONE }
    }
}

impl<'a> ObjectRef<'a> {
    /// Returns the kind of the object.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] { let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::Objects;
    /// use npy_core::object::Kind;
    ///
    /// // np.save("model.npy", {"name": "spam", "rates": [0.5, 2]})
    /// # npy_core::object::save("model.npy", &serde_json::json!({"name": "spam", "rates": [0.5, 2]}))?;
    /// let objects = Objects::read_npy("model.npy")?;
    /// let model = objects.root();
    /// assert_eq!(model.kind(), Kind::Dict);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn kind(self) -> Kind {
        self.meaning().kind()
    }

    /// Returns true for a missing value: `None`, the float `nan`, and `NaT` and `NA` of pandas; also the scalars `nan` and `NaT` of NumPy.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] { let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::Objects;
    ///
    /// // np.save("model.npy", {"name": "spam", "rates": [0.5, 2]})
    /// # npy_core::object::save("model.npy", &serde_json::json!({"name": "spam", "rates": [0.5, 2]}))?;
    /// let objects = Objects::read_npy("model.npy")?;
    /// let model = objects.root();
    /// assert!(!model.get("name")?.is_missing());
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn is_missing(self) -> bool {
        match self.object().node() {
            Node::None => true,
            Node::Float(number) => number.is_nan(),
            Node::Data(Form::Global, _) | Node::Global(..) | Node::Call(_) => {
                match self.meaning() {
                    Meaning::Missing => true,
                    Meaning::Scalar(scalar) => {
                        self.scalar(scalar, |value| Some(is_missing(value))) == Some(true)
                    }
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// Returns a boolean, of Python or NumPy.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] { let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::Objects;
    ///
    /// // np.save("x.npy", np.array(True, object))
    /// # npy_core::object::save("x.npy", &serde_json::json!(true))?;
    /// let objects = Objects::read_npy("x.npy")?;
    /// let root = objects.root();
    /// assert_eq!(root.as_bool(), Some(true));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn as_bool(self) -> Option<bool> {
        match self.meaning() {
            Meaning::Python(pickle::Value::Bool(value)) => Some(value),
            Meaning::Scalar(scalar) => self.scalar(scalar, |value| match value {
                Value::Bool(value) => Some(value),
                _ => None,
            }),
            _ => None,
        }
    }

    /// Returns an integer, of Python or NumPy, if it fits.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] { let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::Objects;
    ///
    /// // np.save("x.npy", np.array(-7, object))
    /// # npy_core::object::save("x.npy", &serde_json::json!(-7))?;
    /// let objects = Objects::read_npy("x.npy")?;
    /// let root = objects.root();
    /// assert_eq!(root.as_i64(), Some(-7));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn as_i64(self) -> Option<i64> {
        self.as_i128().and_then(|number| number.try_into().ok())
    }

    /// Returns an integer, of Python or NumPy, if it fits.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] { let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::Objects;
    ///
    /// // np.save("x.npy", np.array(7, object))
    /// # npy_core::object::save("x.npy", &serde_json::json!(7))?;
    /// let objects = Objects::read_npy("x.npy")?;
    /// let root = objects.root();
    /// assert_eq!(root.as_u64(), Some(7));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn as_u64(self) -> Option<u64> {
        self.as_i128().and_then(|number| number.try_into().ok())
    }

    /// Returns an integer, of Python or NumPy, if it fits.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] { let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::Objects;
    ///
    /// // np.save("x.npy", np.array(7, object))
    /// # npy_core::object::save("x.npy", &serde_json::json!(7))?;
    /// let objects = Objects::read_npy("x.npy")?;
    /// let root = objects.root();
    /// assert_eq!(root.as_i128(), Some(7));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn as_i128(self) -> Option<i128> {
        match self.meaning() {
            Meaning::Python(pickle::Value::Int(number)) => Some(number.into()),
            Meaning::Python(pickle::Value::BigInt(number)) => number.to_i128(),
            Meaning::Scalar(scalar) => self.scalar(scalar, |value| value.as_i128()),
            _ => None,
        }
    }

    /// Returns a float, of Python or NumPy, or an integer that an `f64` can hold exactly.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] { let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::Objects;
    ///
    /// // np.save("x.npy", np.array(0.5, object))
    /// # npy_core::object::save("x.npy", &serde_json::json!(0.5))?;
    /// let objects = Objects::read_npy("x.npy")?;
    /// let root = objects.root();
    /// assert_eq!(root.as_f64(), Some(0.5));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn as_f64(self) -> Option<f64> {
        match self.meaning() {
            Meaning::Scalar(scalar) => self.scalar(scalar, |value| value.as_f64()),
            meaning => encode::number(&meaning),
        }
    }

    /// Returns text, of Python or NumPy. Text of Python is borrowed, unless the pickle escapes it.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] { let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::Objects;
    ///
    /// // np.save("model.npy", {"name": "spam", "rates": [0.5, 2]})
    /// # npy_core::object::save("model.npy", &serde_json::json!({"name": "spam", "rates": [0.5, 2]}))?;
    /// let objects = Objects::read_npy("model.npy")?;
    /// let model = objects.root();
    /// assert_eq!(model.get("name")?.as_str().as_deref(), Some("spam"));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn as_str(self) -> Option<Cow<'a, str>> {
        self.text().ok()
    }

    /// Returns the text, or the reason why there is none.
    #[inline]
    pub(crate) fn text(self) -> Result<Cow<'a, str>, &'static str> {
        if !matches!(self.object().node(), Node::Call(_)) {
            return self.object().text().map_err(|reason| match reason {
                pickle::UNKNOWN_ENCODING => SET_ENCODING,
                reason => reason,
            });
        }
        let code_points = self.code_points().ok_or("it is not text")?;
        let text: Option<String> = code_points.into_iter().map(char::from_u32).collect();
        text.map(Cow::Owned).ok_or("the text has a surrogate, so a Rust string cannot hold it")
    }

    /// Returns the code points of text, of Python or NumPy. Unlike a Rust string, Python's text may have surrogates.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] { let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::Objects;
    ///
    /// // np.save("x.npy", np.array("é", object))
    /// # npy_core::object::save("x.npy", &serde_json::json!("é"))?;
    /// let objects = Objects::read_npy("x.npy")?;
    /// assert_eq!(objects.root().code_points().unwrap(), [0xe9]);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn code_points(self) -> Option<Vec<u32>> {
        let Meaning::Scalar(scalar) = self.meaning() else { return self.object().code_points() };
        self.scalar(scalar, |value| match value {
            Value::Str(text) => Some(text.code_points().collect()),
            _ => None,
        })
    }

    /// Calls `read` with a scalar of NumPy, if it is valid.
    fn scalar<T>(
        self,
        scalar: PickledArray<'a>,
        read: impl FnOnce(Value<'_>) -> Option<T>,
    ) -> Option<T> {
        read(scalar.to_dyn(self.limits()).ok()?.get(&[])?)
    }

    /// Returns bytes, of `bytes`, `bytearray`, `numpy.bytes_`, or a string of Python 2.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] { let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::Objects;
    ///
    /// // np.save("model.npy", {"name": "spam", "rates": [0.5, 2]})
    /// # npy_core::object::save("model.npy", &serde_json::json!({"name": "spam", "rates": [0.5, 2]}))?;
    /// let objects = Objects::read_npy("model.npy")?;
    /// let model = objects.root();
    /// assert_eq!(model.get("name")?.as_bytes(), None);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn as_bytes(self) -> Option<Cow<'a, [u8]>> {
        match self.meaning() {
            Meaning::Python(
                pickle::Value::Bytes | pickle::Value::ByteArray | pickle::Value::Str,
            ) => self.object().bytes(),
            Meaning::Scalar(scalar) => self.scalar(scalar, |value| match value {
                Value::Bytes(bytes) => Some(Cow::Owned(bytes.to_vec())),
                _ => None,
            }),
            _ => None,
        }
    }

    /// Returns a nested array of numbers, text or records, or a scalar of NumPy as an array without dimensions.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] { let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// # npy_core::object::save("x.npy", &std::collections::BTreeMap::from([("w", npy_core::NpyView::new(&[1.0, 2.0], [2])?)]))?;
    /// use npy_core::Objects;
    ///
    /// let objects = Objects::read_npy("x.npy")?;
    /// let weights = objects.root().get("w")?.as_array()?;
    /// assert_eq!(weights.to_vec::<f64>()?, [1.0, 2.0]);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidValue`] if it is something else, or an array of Python objects, whose items [`iter`](Self::iter) returns.
    pub fn as_array(self) -> Result<DynArray, Error> {
        match self.meaning() {
            Meaning::Array(array) | Meaning::Scalar(array) => array.to_dyn(self.limits()),
            other => Err(self.unexpected(&other, "an array")),
        }
    }

    /// Returns the dtype, shape and order of a nested array, or of a scalar of NumPy.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] { let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// # npy_core::object::save("x.npy", &std::collections::BTreeMap::from([("w", npy_core::NpyView::new(&[1.0, 2.0], [2])?)]))?;
    /// use npy_core::Objects;
    ///
    /// let objects = Objects::read_npy("x.npy")?;
    /// assert_eq!(objects.root().get("w")?.header()?.shape(), [2]);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidValue`] if the object is neither, [`ErrorKind::DType`] or [`ErrorKind::Shape`] if its dtype or its shape is
    /// invalid.
    pub fn header(self) -> Result<Header, Error> {
        match self.meaning() {
            Meaning::Array(array) | Meaning::Scalar(array) => array.header(),
            other => Err(self.unexpected(&other, "an array")),
        }
    }

    /// Returns this object as a dtype.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] { let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::Objects;
    ///
    /// # npy_core::object::save("model.npy", &serde_json::json!({"name": "spam", "rates": [0.5, 2]}))?;
    /// let objects = Objects::read_npy("model.npy")?;
    /// let model = objects.root();
    /// assert!(model.as_dtype().is_err()); // a dict is no dtype
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::DType`] if it is not a dtype, or not one that this version knows.
    pub fn as_dtype(self) -> Result<DType, Error> {
        dtype::parse(self.object())
    }

    /// Returns the value of a text key in a dictionary, the field of a record, or the attribute of another object. If a key occurs
    /// several times, the last counts, as in Python.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] { let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::Objects;
    ///
    /// // np.save("model.npy", {"name": "spam", "rates": [0.5, 2]})
    /// # npy_core::object::save("model.npy", &serde_json::json!({"name": "spam", "rates": [0.5, 2]}))?;
    /// let objects = Objects::read_npy("model.npy")?;
    /// let model = objects.root();
    /// assert_eq!(model.get("rates")?.len(), 2);
    /// assert!(model.get("gain").is_err());
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidValue`] if there is none; the message lists the keys of the object.
    pub fn get(self, key: &str) -> Result<ObjectRef<'a>, Error> {
        let mut found = [None];
        self.find([key], &mut found);
        let [found] = found;
        found.ok_or_else(|| Error::invalid(self.missing(key)))
    }

    /// Returns the item at this index of those that [`iter`](Self::iter) returns.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] { let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::Objects;
    ///
    /// // np.save("model.npy", {"name": "spam", "rates": [0.5, 2]})
    /// # npy_core::object::save("model.npy", &serde_json::json!({"name": "spam", "rates": [0.5, 2]}))?;
    /// let objects = Objects::read_npy("model.npy")?;
    /// let model = objects.root();
    /// let rate = model.get("rates")?.at(0).and_then(|rate| rate.as_f64());
    /// assert_eq!(rate, Some(0.5));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn at(self, index: usize) -> Option<ObjectRef<'a>> {
        self.iter().nth(index)
    }

    /// Returns the number of items ([`iter`](Self::iter)), or of [`entries`](Self::entries) if there are no items.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] { let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::Objects;
    ///
    /// // np.save("model.npy", {"name": "spam", "rates": [0.5, 2]})
    /// # npy_core::object::save("model.npy", &serde_json::json!({"name": "spam", "rates": [0.5, 2]}))?;
    /// let objects = Objects::read_npy("model.npy")?;
    /// let model = objects.root();
    /// assert_eq!(model.get("rates")?.len(), 2);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[expect(
        clippy::len_without_is_empty,
        reason = "an object that is not a container is neither empty nor not"
    )]
    pub fn len(self) -> usize {
        match self.meaning() {
            Meaning::Python(pickle::Value::Dict(entries)) => entries.len() / 2,
            Meaning::Python(pickle::Value::Instance(instance)) if instance.items().is_empty() => {
                self.entries().count()
            }
            _ => self.iter().len(),
        }
    }

    /// Iterates over the items of a list, tuple, set or record, of an array of Python objects (in C order), or of an object whose class is
    /// a subclass of `list`. All other objects have no items. Nor do arrays of numbers and of text, which [`as_array`](Self::as_array) returns.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] { let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::Objects;
    ///
    /// // np.save("model.npy", {"name": "spam", "rates": [0.5, 2]})
    /// # npy_core::object::save("model.npy", &serde_json::json!({"name": "spam", "rates": [0.5, 2]}))?;
    /// let objects = Objects::read_npy("model.npy")?;
    /// let model = objects.root();
    /// let rates: Vec<_> = model.get("rates")?.iter().filter_map(|rate| rate.as_f64()).collect();
    /// assert_eq!(rates, [0.5, 2.0]);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn iter(self) -> Items<'a> {
        use pickle::Value::{FrozenSet, Instance, List, Set, Tuple};
        let (mut record, mut fields) = (NONE, None);
        let ids = match self.meaning() {
            Meaning::Python(List(ids) | Tuple(ids) | Set(ids) | FrozenSet(ids)) => ids,
            Meaning::Record(ids) => {
                fields = Some(self.fields());
                ids
            }
            Meaning::Array(array) => {
                record = array.record();
                array.objects().unwrap_or_default()
            }
            Meaning::Python(Instance(instance)) => instance.items(),
            _ => &[],
        };
        Items { of: self.of, ids: ids.iter(), record, fields }
    }

    /// Iterates over the entries of a dictionary, or over the fields of a record. For an object of a class that this crate does not know,
    /// iterates over its entries if the class is a subclass of `dict`, and then over its attributes. All other objects have no entries. A
    /// key may occur twice; the last one counts.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] { let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::Objects;
    ///
    /// // np.save("model.npy", {"name": "spam", "rates": [0.5, 2]})
    /// # npy_core::object::save("model.npy", &serde_json::json!({"name": "spam", "rates": [0.5, 2]}))?;
    /// let objects = Objects::read_npy("model.npy")?;
    /// let model = objects.root();
    /// for (key, value) in model.entries() {
    ///     println!("{key}: {value}");
    /// }
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn entries(self) -> Entries<'a> {
        let none = Entries { of: self.of, pairs: pairs(&[], &[]), fields: None };
        match self.meaning() {
            Meaning::Python(pickle::Value::Dict(entries)) => {
                Entries { pairs: pairs(entries, &[]), ..none }
            }
            Meaning::Record(_) => Entries { fields: Some((self.fields(), self.iter())), ..none },
            Meaning::Python(pickle::Value::Instance(instance)) => {
                let attributes = instance.attributes().unwrap_or_default();
                Entries { pairs: pairs(instance.pairs(), attributes), ..none }
            }
            _ => none,
        }
    }

    /// Returns the name (`module.name`) of this class or function, or of the one that Python would call to create this object; `None` for
    /// plain values such as numbers, text and lists.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] { let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::Objects;
    ///
    /// # npy_core::object::save("model.npy", &serde_json::json!({"name": "spam", "rates": [0.5, 2]}))?;
    /// let objects = Objects::read_npy("model.npy")?;
    /// let model = objects.root();
    /// assert_eq!(model.name(), None); // a dict is no class
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn name(self) -> Option<String> {
        self.object().name()
    }

    /// Returns the arguments of the call by which Python would create this object.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] { let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::Objects;
    ///
    /// # npy_core::object::save("model.npy", &serde_json::json!({"name": "spam", "rates": [0.5, 2]}))?;
    /// let objects = Objects::read_npy("model.npy")?;
    /// let model = objects.root();
    /// assert!(model.arguments().is_none()); // a dict is made by no call
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn arguments(self) -> Option<ObjectRef<'a>> {
        Some(self.other(self.object().arguments()?.id(), NONE))
    }

    /// Returns the state that Python would set in this object after creating it.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] { let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::Objects;
    ///
    /// # npy_core::object::save("model.npy", &serde_json::json!({"name": "spam", "rates": [0.5, 2]}))?;
    /// let objects = Objects::read_npy("model.npy")?;
    /// let model = objects.root();
    /// assert!(model.state().is_none()); // a dict has no state
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn state(self) -> Option<ObjectRef<'a>> {
        Some(self.other(self.object().state()?.id(), NONE))
    }

    /// Returns the object in the pickle, with its identity: an object that the pickle contains twice has the same
    /// [`id`](npy_pickle::Object::id). The package `npy-pickle` says what it is in Python; it knows no arrays.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] { let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::Objects;
    ///
    /// // np.save("model.npy", {"name": "spam", "rates": [0.5, 2]})
    /// # npy_core::object::save("model.npy", &serde_json::json!({"name": "spam", "rates": [0.5, 2]}))?;
    /// let objects = Objects::read_npy("model.npy")?;
    /// let model = objects.root();
    /// assert_eq!(model.get("name")?.object().id(), model.get("name")?.object().id());
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn object(self) -> Object<'a> {
        self.of.pickle.object(self.id)
    }

    /// Returns the limits that the file was read with.
    pub(crate) fn limits(self) -> &'a Limits {
        &self.of.limits
    }

    /// Returns another object of the pickle; `record` is the node of its dtype if it is an item of an array of records, and otherwise
    /// [`NONE`](npy_pickle::NONE).
    ///
    /// ```
    /// # #[cfg(feature = "serde")] { let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::Objects;
    ///
    /// // np.save("model.npy", {"name": "spam", "rates": [0.5, 2]})
    /// # npy_core::object::save("model.npy", &serde_json::json!({"name": "spam", "rates": [0.5, 2]}))?;
    /// let objects = Objects::read_npy("model.npy")?;
    /// let name = objects.root().get("name")?.object().id();
    /// assert_eq!(objects.root().other(name, u32::MAX).as_str().as_deref(), Some("spam"));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn other(self, id: Id, record: Id) -> Self {
        ObjectRef { of: self.of, id, record }
    }

    /// Iterates over the fields of a record.
    pub(crate) fn fields(self) -> dtype::Fields<'a> {
        dtype::Fields::of(self.of.pickle.object(self.record))
    }

    /// Returns the start of the object as Python prints it, for an error.
    pub(crate) fn excerpt(self) -> String {
        print::excerpt(self)
    }

    /// Returns the kind of the object and the object itself, for an error.
    pub(crate) fn described(self) -> String {
        match self.kind() {
            kind @ Kind::None => kind.to_string(),
            kind => format!("{kind}: {}", self.excerpt()),
        }
    }

    /// The error for an object that is something else than `wanted`.
    fn unexpected(self, found: &Meaning<'_>, wanted: &str) -> Error {
        let (found, excerpt) = (found.kind(), self.excerpt());
        Error::invalid(format_args!("expected {wanted}, found {found}: {excerpt}"))
    }
}

/// Returns true for the scalars `nan` and `NaT` of NumPy.
pub(crate) fn is_missing(scalar: Value<'_>) -> bool {
    scalar.is_nat() || scalar.as_f64().is_some_and(f64::is_nan)
}

/// The items of a container: the iterator of [`ObjectRef::iter`].
#[derive(Clone, Debug)]
pub struct Items<'a> {
    of: &'a Objects,
    ids: std::slice::Iter<'a, Id>,
    /// The dtype of the items, if they are records.
    record: Id,
    /// The dtypes of the items, if they are the fields of a record.
    fields: Option<dtype::Fields<'a>>,
}

impl<'a> Iterator for Items<'a> {
    type Item = ObjectRef<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let &id = self.ids.next()?;
        let record = match &mut self.fields {
            Some(fields) => fields.next().map_or(NONE, |(_, record)| record),
            None => self.record,
        };
        Some(ObjectRef { of: self.of, id, record })
    }

    /// Leaves out items at once: many objects may share a long list.
    fn nth(&mut self, count: usize) -> Option<Self::Item> {
        let Some(last) = count.checked_sub(1) else { return self.next() };
        if let Some(fields) = &mut self.fields {
            fields.nth(last)?;
        }
        self.ids.nth(last)?;
        self.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.ids.size_hint()
    }
}

impl ExactSizeIterator for Items<'_> {}

/// Iterates over the keys and values in two lists, in which keys and values alternate.
pub(crate) type Pairs<'a> =
    std::iter::Chain<std::slice::Iter<'a, [Id; 2]>, std::slice::Iter<'a, [Id; 2]>>;

/// Iterates over the keys and values in both lists.
pub(crate) fn pairs<'a>(first: &'a [Id], second: &'a [Id]) -> Pairs<'a> {
    first.as_chunks().0.iter().chain(second.as_chunks().0)
}

/// The entries of a dictionary: the iterator of [`ObjectRef::entries`].
#[derive(Clone, Debug)]
pub struct Entries<'a> {
    of: &'a Objects,
    pairs: Pairs<'a>,
    fields: Option<(dtype::Fields<'a>, Items<'a>)>,
}

impl<'a> Iterator for Entries<'a> {
    type Item = (ObjectRef<'a>, ObjectRef<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        if let Some((fields, values)) = &mut self.fields {
            return Some((self.of.reference(fields.next()?.0.id()), values.next()?));
        }
        let &[key, value] = self.pairs.next()?;
        Some((self.of.reference(key), self.of.reference(value)))
    }

    /// Leaves out entries at once, as those of [`Items`].
    fn nth(&mut self, count: usize) -> Option<Self::Item> {
        let Some(last) = count.checked_sub(1) else { return self.next() };
        match &mut self.fields {
            Some((fields, values)) => _ = (fields.nth(last)?, values.nth(last)?),
            None => _ = self.pairs.nth(last)?,
        }
        self.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.fields {
            Some((_, values)) => (0, Some(values.len())),
            None => self.pairs.size_hint(),
        }
    }
}

impl fmt::Debug for Objects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Objects").field("header", &self.header).finish_non_exhaustive()
    }
}

impl fmt::Display for Objects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.root().fmt(f)
    }
}

impl fmt::Debug for ObjectRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
