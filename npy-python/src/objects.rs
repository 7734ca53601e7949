//! Python values of arrays of objects. Nothing is imported or called by a name in the file.
//!
//! Objects are made without recursion. A list, dict, set, array or `Call` is made empty and filled later, so cycles and shared objects keep
//! their identity. A tuple, frozenset and the arguments of a `Call` are made after their parts.

mod direct;
mod items;

use std::collections::{HashMap, HashSet};
use std::io::Cursor;
use std::path::PathBuf;

use npy_core::object::Kind;
use npy_core::{DType, DynArray, Header, ObjectRef, Objects, Order, ReadNpy};
use npy_pickle::time::{DateTime, Span, Time};
use npy_pickle::{BigInt, Form, Id, NONE, Node, Object, Value};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{
    IntoPyDict, PyByteArray, PyBytes, PyComplex, PyDict, PyFrozenSet, PyList, PySet, PyString,
    PyTuple,
};

use crate::error::{exception, in_python, new};
use crate::interrupt;
use crate::memory::owned;
use items::has_parts;

pub(crate) use direct::arrays_without_graph;

/// The objects that keys may have for each byte of the file, beyond [`FREE_KEY_PARTS`]: a tuple can be in a key any number of times, and each
/// time Python computes its hash again.
const MAX_KEY_EXPANSION: u64 = 16;
const FREE_KEY_PARTS: u64 = 1_000_000;

/// The deepest tuple that may be a key: Python computes hashes by recursion.
const MAX_KEY_DEPTH: u32 = 100;

/// The longest chain of arrays of objects in each other: NumPy drops them by recursion.
const MAX_ARRAY_DEPTH: usize = 500;

/// The bytes that nested arrays may have for each byte of the file, beyond [`FREE_BYTES`]: arrays can share their bytes in the file, but not in memory.
const MAX_EXPANSION: usize = 16;
const FREE_BYTES: usize = 256 << 20;

/// The part of a dtype's state with its flags, and the flag of a dtype that was made with `align=True`.
const DTYPE_FLAGS: usize = 7;
const ALIGNED: i64 = 0x80;

/// The bytes of a pickle that takes longer than a hundredth of a second to read.
const LARGE: u64 = 1 << 20;

/// Reads a file with objects.
#[pyfunction]
pub(crate) fn objects_in_file(py: Python<'_>, path: PathBuf) -> PyResult<Bound<'_, PyAny>> {
    let is_large = path.metadata().is_ok_and(|metadata| metadata.len() > LARGE);
    let read = || match is_large {
        true => interrupt::wait_for(|| DynArray::read_npy(path))?,
        false => DynArray::read_npy(path),
    };
    let pickled = py.detach(read).map_err(exception)?;
    array_of(py, pickled)?.map_err(exception)
}

/// Reads the bytes of a file with objects. Returns also the number of bytes that it takes.
#[pyfunction]
pub(crate) fn objects_in_bytes<'py>(
    py: Python<'py>,
    bytes: &[u8],
) -> PyResult<(Bound<'py, PyAny>, u64)> {
    let mut cursor = Cursor::new(bytes);
    let pickled = py.detach(|| DynArray::read_npy_from(&mut cursor)).map_err(exception)?;
    Ok((array_of(py, pickled)?.map_err(exception)?, cursor.position()))
}

/// Returns the names that a pickle imports and that are not types of data.
#[pyfunction]
pub(crate) fn unknown_names(py: Python<'_>, bytes: PyBackedBytes) -> PyResult<Vec<String>> {
    let is_large = bytes.len() as u64 > LARGE;
    let read = move || match is_large {
        true => interrupt::wait_for(move || Objects::read_npy_from(&bytes[..]))?,
        false => Objects::read_npy_from(&bytes[..]),
    };
    let objects = py.detach(read).map_err(exception)?;
    Ok(objects.unknown_globals().collect())
}

/// Makes the array of a pickle.
///
/// # Errors
///
/// The outer one is an exception; the inner one that of the library, which does not know where the pickle is.
pub(crate) fn array_of(
    py: Python<'_>,
    pickled: DynArray,
) -> PyResult<npy_core::Result<Bound<'_, PyAny>>> {
    if let Some(array) = direct::read(py, &pickled)? {
        return Ok(Ok(array));
    }
    let is_large = pickled.as_bytes().len() as u64 > LARGE;
    let parse = || match is_large {
        true => interrupt::wait_for(|| Objects::try_from(pickled)),
        false => Ok(Objects::try_from(pickled)),
    };
    match py.detach(parse).map_err(|error| exception(error.into()))? {
        Ok(objects) => built(py, &objects).map(Ok),
        Err(error) => Ok(Err(error)),
    }
}

/// Makes the array of a graph of objects.
fn built<'py>(py: Python<'py>, objects: &Objects) -> PyResult<Bound<'py, PyAny>> {
    let mut builder = Builder::new(py, objects)?;
    let array = builder.empty(objects.header())?;
    let items = objects.iter().map(|item| item.object().id()).collect();
    let node = builder.pickle.map(|pickle| pickle.graph().root());
    if let Some(node) = node {
        // An object of the array may contain the array itself.
        builder.keep(node, array.clone());
        builder.arrays.insert(node, ());
    }
    builder.fill_later(Filling::Array(node, array.clone(), items));
    builder.run()?;
    Ok(array)
}

/// A container whose parts are made.
enum Filling<'py> {
    List(Bound<'py, PyList>, Vec<Id>),
    Set(Bound<'py, PySet>, Vec<Id>),
    Dict(Bound<'py, PyDict>, Vec<Id>),
    /// The array, and its node.
    Array(Option<Id>, Bound<'py, PyAny>, Vec<Id>),
    /// A call with its node, whose state and items are added.
    Call(Bound<'py, PyAny>, Id),
}

impl Filling<'_> {
    fn parts(&self, objects: &npy_pickle::Objects) -> Vec<Id> {
        match self {
            Filling::List(_, ids) | Filling::Set(_, ids) | Filling::Dict(_, ids) => ids.clone(),
            // Its parts are made block by block.
            Filling::Array(..) => Vec::new(),
            Filling::Call(_, id) => call_parts(objects.object(*id)),
        }
    }
}

/// The state, items and pairs of a call.
fn call_parts(object: Object<'_>) -> Vec<Id> {
    let state = object.state().map(Object::id);
    let graph = object.objects().graph();
    let more =
        object.call().map(|call| [graph.items(call.items), graph.items(call.pairs)].concat());
    state.into_iter().chain(more.unwrap_or_default()).collect()
}

struct Builder<'py, 'a> {
    py: Python<'py>,
    objects: &'a Objects,
    /// An object of the file, by which others are found.
    any: Option<ObjectRef<'a>>,
    pickle: Option<&'a npy_pickle::Objects>,
    made: Vec<Option<Bound<'py, PyAny>>>,
    /// The depth of tuples and frozensets, and the number of objects in them.
    sizes: HashMap<Id, (u32, u64)>,
    /// The number of objects in the keys so far.
    key_parts: u64,
    fillings: Vec<Filling<'py>>,
    /// An array of objects, and one that it contains.
    nested: Vec<(Id, Id)>,
    arrays: HashMap<Id, ()>,
    /// Arrays of records that copy other arrays, which are complete by then.
    copying: Vec<Copying<'py>>,
    array_bytes: usize,
    python: Names<'py>,
}

/// The parts of Python that are called. Nothing of it depends on the file.
struct Names<'py> {
    numpy: Bound<'py, PyModule>,
    datetime: Bound<'py, PyModule>,
    decimal: Bound<'py, PyModule>,
    call: Bound<'py, PyAny>,
    dtype_of: Bound<'py, PyAny>,
}

/// An array of records with sub-arrays or records of objects. Its own objects are made, but not set.
struct Copying<'py> {
    node: Option<Id>,
    array: Bound<'py, PyAny>,
    ids: Vec<Id>,
}

/// An object that can be made now, or after others.
enum Made<'py> {
    Now(Bound<'py, PyAny>),
    After(Vec<Id>),
}

impl<'py, 'a> Builder<'py, 'a> {
    fn new(py: Python<'py>, objects: &'a Objects) -> PyResult<Self> {
        let any = objects.iter().next();
        let pickle = any.map(|any| any.object().objects());
        let nodes = pickle.map_or(0, |pickle| pickle.graph().nodes().len());
        let python = Names {
            numpy: py.import("numpy")?,
            datetime: py.import("datetime")?,
            decimal: py.import("decimal")?,
            call: py.import("npy_core._call")?.getattr("Call")?,
            dtype_of: py.import("npy_core._dtypes")?.getattr("dtype_of")?,
        };
        Ok(Builder {
            py,
            objects,
            any,
            pickle,
            made: vec![None; nodes],
            sizes: HashMap::new(),
            key_parts: 0,
            fillings: Vec::new(),
            nested: Vec::new(),
            arrays: HashMap::new(),
            copying: Vec::new(),
            array_bytes: 0,
            python,
        })
    }

    fn fill_later(&mut self, filling: Filling<'py>) {
        self.fillings.push(filling);
    }

    /// Makes everything that is in the containers.
    fn run(&mut self) -> PyResult<()> {
        let Some(pickle) = self.pickle else { return Ok(()) };
        while let Some(filling) = self.fillings.pop() {
            self.py.check_signals()?;
            for id in filling.parts(pickle) {
                self.make(pickle, id)?;
            }
            self.fill(pickle, filling)?;
        }
        self.copy_records(pickle)?;
        self.check_array_depth()
    }

    /// Sets the records that copy arrays, each after the arrays that it copies.
    fn copy_records(&mut self, pickle: &'a npy_pickle::Objects) -> PyResult<()> {
        let arrays = std::mem::take(&mut self.copying);
        let nodes = arrays.iter().zip(0..).filter_map(|(array, i)| Some((array.node?, i)));
        let by_node: HashMap<Id, usize> = nodes.collect();
        let mut is_begun = vec![false; arrays.len()];
        let mut is_set = vec![false; arrays.len()];
        let mut stack: Vec<usize> = (0..arrays.len()).collect();
        while let Some(&index) = stack.last() {
            self.py.check_signals()?;
            let Copying { node, array, ids } = &arrays[index];
            if is_set[index] {
                stack.pop();
            } else if is_begun[index] {
                self.set_items(pickle, *node, array, ids)?;
                is_set[index] = true;
            } else {
                is_begun[index] = true;
                for part in parts_of_records(pickle, ids, &by_node) {
                    if is_begun[part] && !is_set[part] {
                        return Err(new(
                            "NpyValueError",
                            "the pickle has a record that contains itself; save the array again",
                        ));
                    }
                    stack.push(part);
                }
            }
        }
        Ok(())
    }

    /// Makes an object and the parts that it needs.
    fn make(&mut self, pickle: &'a npy_pickle::Objects, root: Id) -> PyResult<()> {
        if self.is_made(root) {
            return Ok(());
        }
        let object = pickle.object(root);
        // Python checks that text is UTF-8, so that it need not be checked here, too.
        if let Node::Data(Form::Str, text) = object.node()
            && let Ok(text) = PyString::from_bytes(self.py, text.of(&pickle.pickle().bytes))
        {
            self.keep(root, text.into_any());
            return Ok(());
        }
        // Most objects have no parts.
        let parts = match self.try_make(object)? {
            Made::Now(value) => {
                self.keep(root, value);
                return Ok(());
            }
            Made::After(parts) => parts,
        };
        let mut stack = vec![(root, true)];
        stack.extend(parts.into_iter().map(|part| (part, false)));
        while let Some((id, has_parts)) = stack.pop() {
            if self.is_made(id) {
                continue;
            }
            match self.try_make(pickle.object(id))? {
                Made::Now(value) => self.keep(id, value),
                // Of a file that was made by hand: an object within itself that Python could not make.
                Made::After(_) if has_parts => {
                    return Err(new(
                        "NpyValueError",
                        "the pickle has a tuple that contains itself; save the array again",
                    ));
                }
                Made::After(parts) => {
                    stack.push((id, true));
                    stack.extend(parts.into_iter().map(|id| (id, false)));
                }
            }
        }
        Ok(())
    }

    fn is_made(&self, id: Id) -> bool {
        self.made.get(id as usize).is_some_and(Option::is_some)
    }

    fn keep(&mut self, id: Id, value: Bound<'py, PyAny>) {
        if let Some(slot) = self.made.get_mut(id as usize) {
            *slot = Some(value);
        }
    }

    fn value(&self, id: Id) -> PyResult<Bound<'py, PyAny>> {
        match self.made.get(id as usize) {
            Some(Some(value)) => Ok(value.clone()),
            _ => unreachable!("the parts of an object are made before it"),
        }
    }

    fn values(&self, ids: &[Id]) -> PyResult<Vec<Bound<'py, PyAny>>> {
        ids.iter().map(|&id| self.value(id)).collect()
    }

    /// Returns the parts that are not made yet.
    fn missing(&self, ids: &[Id]) -> Vec<Id> {
        ids.iter().copied().filter(|&id| !self.is_made(id)).collect()
    }

    fn try_make(&mut self, object: Object<'a>) -> PyResult<Made<'py>> {
        let py = self.py;
        let value = match object.value() {
            Value::None => py.None().into_bound(py),
            Value::Bool(value) => value.into_pyobject(py)?.to_owned().into_any(),
            Value::Int(number) => number.into_pyobject(py)?.into_any(),
            Value::BigInt(number) => self.big_int(&number)?,
            Value::Float(number) => number.into_pyobject(py)?.into_any(),
            Value::Complex(re, im) => PyComplex::from_doubles(py, re, im).into_any(),
            Value::Str => match object.text() {
                Ok(text) => PyString::new(py, &text).into_any(),
                Err(reason) => return self.odd_text(object, reason).map(Made::Now),
            },
            Value::Bytes => PyBytes::new(py, &bytes_of(object)?).into_any(),
            Value::ByteArray => PyByteArray::new(py, &bytes_of(object)?).into_any(),
            Value::List(ids) => {
                let list = PyList::empty(py);
                self.fill_later(Filling::List(list.clone(), ids.to_vec()));
                list.into_any()
            }
            Value::Set(ids) => {
                let set = PySet::empty(py)?;
                self.fill_later(Filling::Set(set.clone(), ids.to_vec()));
                set.into_any()
            }
            Value::Dict(ids) => {
                let dict = PyDict::new(py);
                self.fill_later(Filling::Dict(dict.clone(), ids.to_vec()));
                dict.into_any()
            }
            Value::Tuple(ids) => {
                let missing = self.missing(ids);
                if !missing.is_empty() {
                    return Ok(Made::After(missing));
                }
                self.measure(object.id(), ids);
                PyTuple::new(py, self.values(ids)?)?.into_any()
            }
            Value::FrozenSet(ids) => {
                let missing = self.missing(ids);
                if !missing.is_empty() {
                    return Ok(Made::After(missing));
                }
                self.measure(object.id(), ids);
                for &id in ids {
                    self.check_key(id)?;
                }
                let set = PyFrozenSet::new(py, self.values(ids)?);
                set.map_err(|error| self.unhashable(&error))?.into_any()
            }
            Value::Date(date) => {
                self.python.datetime.call_method1("date", (date.year, date.month, date.day)).map_err(of_value)?
            }
            Value::Time(time) => self.time(object, time)?,
            Value::DateTime(time) => self.date_time(object, time)?,
            Value::TimeDelta(span) => self.span(span)?,
            Value::Decimal(digits) => {
                self.python.decimal.call_method1("Decimal", (digits.as_ref(),)).map_err(|_| {
                    new("NpyValueError", "the pickle has a decimal number whose digits are wrong; save the array again")
                })?
            }
            Value::Range(range) => {
                let builtins = py.import("builtins")?;
                builtins.call_method1("range", (range.start, range.stop, range.step)).map_err(of_value)?
            }
            Value::Global => self.global(object)?,
            Value::Instance(_) => return self.instance(object),
        };
        Ok(Made::Now(value))
    }

    fn big_int(&self, number: &BigInt<'_>) -> PyResult<Bound<'py, PyAny>> {
        let int = self.py.import("builtins")?.getattr("int")?;
        match number {
            BigInt::Binary(bytes) => {
                let signed = [("signed", true)].into_py_dict(self.py)?;
                let bytes = PyBytes::new(self.py, bytes);
                int.call_method("from_bytes", (bytes, "little"), Some(&signed))
            }
            BigInt::Decimal(digits) => {
                // A line of the pickle: `12L`, with its end.
                let line = String::from_utf8_lossy(digits);
                int.call1((line.trim().trim_end_matches('L'),)).map_err(of_value)
            }
        }
    }

    /// Text that is not UTF-8, with a half of a surrogate pair, or of Python 2.
    fn odd_text(&self, object: Object<'_>, reason: &str) -> PyResult<Bound<'py, PyAny>> {
        if let Some(code_points) = object.code_points() {
            let words: Vec<u8> = code_points.into_iter().flat_map(u32::to_le_bytes).collect();
            let bytes = PyBytes::new(self.py, &words);
            if let Ok(text) = bytes.call_method1("decode", ("utf-32-le", "surrogatepass")) {
                return Ok(text);
            }
        }
        let reason = in_python(reason);
        Err(new("NpyValueError", format!("{reason}; np.load(..., encoding=\"latin1\") reads it")))
    }

    fn span(&self, span: Span) -> PyResult<Bound<'py, PyAny>> {
        let microseconds = i64::try_from(span.0.div_euclid(1000)).map_err(|_| far())?;
        self.python.datetime.call_method1("timedelta", (0, 0, microseconds)).map_err(of_value)
    }

    fn zone(&self, zone: Option<Span>) -> PyResult<Bound<'py, PyAny>> {
        match zone {
            None => Ok(self.py.None().into_bound(self.py)),
            Some(Span(0)) => self.python.datetime.getattr("timezone")?.getattr("utc"),
            Some(offset) => self
                .python
                .datetime
                .call_method1("timezone", (self.span(offset)?,))
                .map_err(of_value),
        }
    }

    fn time(&self, object: Object<'_>, time: Time) -> PyResult<Bound<'py, PyAny>> {
        let (h, m, s, us) = clock(time);
        let arguments = (h, m, s, us, self.zone(time.zone)?);
        let fold = self.fold(object, 0)?;
        self.python.datetime.call_method("time", arguments, Some(&fold)).map_err(of_value)
    }

    fn date_time(&self, object: Object<'_>, time: DateTime) -> PyResult<Bound<'py, PyAny>> {
        let (DateTime { date, time }, (h, m, s, us)) = (time, clock(time.time));
        let arguments = (date.year, date.month, date.day, h, m, s, us, self.zone(time.zone)?);
        let fold = self.fold(object, 2)?;
        self.python.datetime.call_method("datetime", arguments, Some(&fold)).map_err(of_value)
    }

    /// The argument that marks the second of two equal times when a clock is set back: the highest bit of a byte of the state.
    fn fold(&self, object: Object<'_>, index: usize) -> PyResult<Bound<'py, PyDict>> {
        let call = object.invocation();
        let state = call.and_then(|call| call.arguments.get(0)?.short_bytes());
        let byte = state.and_then(|state| state.get(index).copied()).unwrap_or(0);
        [("fold", byte >> 7)].into_py_dict(self.py)
    }

    /// A class or function: its name without arguments.
    fn global(&mut self, object: Object<'a>) -> PyResult<Bound<'py, PyAny>> {
        if self.reference(object).kind() == Kind::Missing {
            return Ok(self.py.None().into_bound(self.py));
        }
        self.python.call.call1((name_of(object), self.py.None(), self.py.None()))
    }

    fn reference(&self, object: Object<'a>) -> ObjectRef<'a> {
        match self.any {
            Some(any) => any.other(object.id(), NONE),
            None => unreachable!("an object is in a file with objects"),
        }
    }

    fn instance(&mut self, object: Object<'a>) -> PyResult<Made<'py>> {
        let reference = self.reference(object);
        let numpy = match reference.kind() {
            Kind::Array => self.array(object, reference).map(Some),
            Kind::Scalar => self.scalar(reference),
            Kind::DType => match reference.as_dtype() {
                Ok(dtype) => self.dtype(object, &dtype).map(Some),
                Err(error) => Err(exception(error)),
            },
            Kind::Missing => self.python.numpy.call_method1("datetime64", ("NaT",)).map(Some),
            Kind::DateTime | Kind::TimeDelta => self.of_pandas(object),
            _ => Ok(None),
        };
        match numpy? {
            Some(value) => Ok(Made::Now(value)),
            None => self.call(object),
        }
    }

    /// An object of an unknown class: its name and arguments, and later its state.
    fn call(&mut self, object: Object<'a>) -> PyResult<Made<'py>> {
        let arguments = object.arguments();
        let missing = self.missing(&arguments.map(Object::id).into_iter().collect::<Vec<_>>());
        if !missing.is_empty() {
            return Ok(Made::After(missing));
        }
        let arguments = match arguments {
            Some(arguments) => self.value(arguments.id())?,
            None => PyTuple::empty(self.py).into_any(),
        };
        let call = self.python.call.call1((name_of(object), arguments, self.py.None()))?;
        if !call_parts(object).is_empty() {
            self.fill_later(Filling::Call(call.clone(), object.id()));
        }
        Ok(Made::Now(call))
    }

    /// A time or a span of pandas: nanoseconds stay in NumPy's types.
    fn of_pandas(&self, object: Object<'a>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(call) = object.invocation() else { return Ok(None) };
        let (count, unit, zone) = match call.name() {
            "_unpickle_timestamp" => {
                (call.arguments.int(0), call.arguments.int(3), call.arguments.zone(2))
            }
            "_timedelta_unpickle" => (call.arguments.int(0), call.arguments.int(1), None),
            _ => return Ok(None),
        };
        let (Some(count), Some(per_unit)) = (count, nanoseconds(unit)) else { return Ok(None) };
        let is_span = call.name() == "_timedelta_unpickle";
        let nanoseconds = i128::from(count) * per_unit;
        if nanoseconds % 1000 != 0 {
            let name = if is_span { "timedelta64" } else { "datetime64" };
            let Ok(count) = i64::try_from(nanoseconds) else { return Ok(None) };
            return self.python.numpy.call_method1(name, (count, "ns")).map(Some);
        }
        let span = self.span(Span(nanoseconds))?;
        if is_span {
            return Ok(Some(span));
        }
        // Of a zone with rules, such as Europe/Paris, the time in UTC.
        let zone = match zone.unwrap_or(Some(Span(0))) {
            Some(offset) => Some(self.zone(Some(offset))?),
            None => None,
        };
        let datetime = self.python.datetime.getattr("datetime")?;
        let epoch = datetime.call1((1970, 1, 1))?;
        let Some(zone) = zone else { return epoch.add(span).map(Some).map_err(of_value) };
        let utc = [("tzinfo", self.zone(Some(Span(0)))?)].into_py_dict(self.py)?;
        let epoch = epoch.call_method("replace", (), Some(&utc))?;
        epoch.add(span)?.call_method1("astimezone", (zone,)).map(Some).map_err(of_value)
    }

    /// Returns a dtype that is an object. Its literal does not say that it was made with `align=True`, but its state does.
    fn dtype(&self, object: Object<'a>, dtype: &DType) -> PyResult<Bound<'py, PyAny>> {
        let made = self.python.dtype_of.call1((dtype.descr(),))?;
        let state = object.state().and_then(Object::tuple);
        let flags = state.and_then(|parts| object.objects().object(*parts.get(DTYPE_FLAGS)?).int());
        if !dtype.is_record() || flags.is_none_or(|flags| flags & ALIGNED == 0) {
            return Ok(made);
        }
        self.py.import("npy_core._dtypes")?.call_method1("aligned", (made,))
    }

    fn scalar(&mut self, reference: ObjectRef<'a>) -> PyResult<Option<Bound<'py, PyAny>>> {
        // A scalar of objects is a call of NumPy that this does not take apart.
        let Ok(array) = reference.as_array() else { return Ok(None) };
        let header = Header::new(array.dtype().clone(), [], Order::C).map_err(exception)?;
        let array = self.array_of_bytes(&header, array.into_bytes())?;
        array.get_item(PyTuple::empty(self.py)).map(Some)
    }

    fn array(
        &mut self,
        object: Object<'a>,
        reference: ObjectRef<'a>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let header = reference.header().map_err(exception)?;
        if !header.dtype().has_object() {
            let array = reference.as_array().map_err(exception)?;
            let array = self.array_of_bytes(&header, array.into_bytes())?;
            // NumPy, too, gives nested arrays the byte order of the machine, but not records.
            let dtype = array.getattr("dtype")?;
            let native = dtype.call_method1("newbyteorder", ("=",))?;
            let is_record = header.dtype().is_record();
            return if is_record || dtype.eq(&native)? {
                Ok(array)
            } else {
                array.call_method1("astype", (native,))
            };
        }
        let items: Vec<Id> = reference.iter().map(|item| item.object().id()).collect();
        if items.len() != header.count() {
            return Err(new(
                "NpyValueError",
                "an array within the array has another number of objects than its shape; save it again",
            ));
        }
        let array = self.empty(&header)?;
        self.arrays.insert(object.id(), ());
        self.fill_later(Filling::Array(Some(object.id()), array.clone(), items));
        Ok(array)
    }

    fn array_of_bytes(&mut self, header: &Header, bytes: Vec<u8>) -> PyResult<Bound<'py, PyAny>> {
        self.array_bytes = self.array_bytes.saturating_add(bytes.len());
        let limit = self.objects.as_bytes().len().saturating_mul(MAX_EXPANSION).max(FREE_BYTES);
        if self.array_bytes > limit {
            return Err(new(
                "NpyValueError",
                format!(
                    "the arrays within the array take more than {limit} bytes, far more than the file; do not trust it"
                ),
            ));
        }
        let dtype = self.python.dtype_of.call1((header.dtype().descr(),))?;
        let shape = PyTuple::new(self.py, header.shape())?;
        let order = if header.order() == Order::Fortran { "F" } else { "C" };
        if bytes.is_empty() {
            let (buffer, strides): (Option<()>, Option<()>) = (None, None);
            return self
                .python
                .numpy
                .call_method1("ndarray", (shape, dtype, buffer, 0, strides, order));
        }
        let strides: Option<()> = None;
        self.python
            .numpy
            .call_method1("ndarray", (shape, dtype, owned(self.py, bytes), 0, strides, order))
    }

    /// Returns an array whose objects are not set.
    fn empty(&self, header: &Header) -> PyResult<Bound<'py, PyAny>> {
        let dtype = self.python.dtype_of.call1((header.dtype().descr(),))?;
        let shape = PyTuple::new(self.py, header.shape())?;
        let order = if header.order() == Order::Fortran { "F" } else { "C" };
        self.python.numpy.call_method1("empty", (shape, dtype, order))
    }

    fn fill(&mut self, pickle: &'a npy_pickle::Objects, filling: Filling<'py>) -> PyResult<()> {
        match filling {
            Filling::List(list, ids) => {
                for &id in &ids {
                    list.append(self.value(id)?)?;
                }
            }
            Filling::Set(set, ids) => {
                for &id in &ids {
                    self.check_key(id)?;
                    set.add(self.value(id)?).map_err(|error| self.unhashable(&error))?;
                }
            }
            Filling::Dict(dict, ids) => {
                for pair in ids.as_chunks::<2>().0 {
                    self.check_key(pair[0])?;
                    let (key, value) = (self.value(pair[0])?, self.value(pair[1])?);
                    dict.set_item(key, value).map_err(|error| self.unhashable(&error))?;
                }
            }
            Filling::Array(node, array, ids) => self.fill_array(pickle, node, &array, ids)?,
            Filling::Call(call, id) => self.fill_call(&call, pickle.object(id))?,
        }
        Ok(())
    }

    /// Makes and sets the objects of an array.
    fn fill_array(
        &mut self,
        pickle: &'a npy_pickle::Objects,
        node: Option<Id>,
        array: &Bound<'py, PyAny>,
        ids: Vec<Id>,
    ) -> PyResult<()> {
        if !has_parts(&array.getattr("dtype")?)? {
            return self.set_items(pickle, node, array, &ids);
        }
        // NumPy copies arrays into such records, and these arrays may have no objects yet.
        for &id in &ids {
            self.make(pickle, id)?;
        }
        self.copying.push(Copying { node, array: array.clone(), ids });
        Ok(())
    }

    fn fill_call(&self, call: &Bound<'py, PyAny>, object: Object<'a>) -> PyResult<()> {
        if let Some(state) = object.state() {
            call.setattr("state", self.value(state.id())?)?;
        }
        let Some(parts) = object.call() else { return Ok(()) };
        let graph = object.objects().graph();
        let items = graph.items(parts.items);
        if !items.is_empty() {
            call.setattr("items", PyList::new(self.py, self.values(items)?)?)?;
        }
        let pairs = graph.items(parts.pairs);
        if !pairs.is_empty() {
            let list = PyList::empty(self.py);
            for pair in pairs.as_chunks::<2>().0 {
                list.append((self.value(pair[0])?, self.value(pair[1])?))?;
            }
            call.setattr("pairs", list)?;
        }
        Ok(())
    }

    /// Notes the size of a tuple or frozenset.
    fn measure(&mut self, id: Id, parts: &[Id]) {
        let (mut depth, mut count) = (0, 1_u64);
        for part in parts {
            let (deep, many) = self.sizes.get(part).copied().unwrap_or((0, 1));
            depth = deep.max(depth);
            count = count.saturating_add(many);
        }
        self.sizes.insert(id, (depth.saturating_add(1), count));
    }

    /// Refuses a key whose hash would take Python too deep, or too long.
    fn check_key(&mut self, id: Id) -> PyResult<()> {
        let Some(&(depth, parts)) = self.sizes.get(&id) else { return Ok(()) };
        if depth > MAX_KEY_DEPTH {
            return Err(new(
                "NpyValueError",
                format!(
                    "a key of a dict or set is nested {depth} deep, more than {MAX_KEY_DEPTH}; do not trust the file"
                ),
            ));
        }
        self.key_parts = self.key_parts.saturating_add(parts);
        let limit = (self.objects.as_bytes().len() as u64).saturating_mul(MAX_KEY_EXPANSION);
        if self.key_parts > limit.max(FREE_KEY_PARTS) {
            return Err(new(
                "NpyValueError",
                format!(
                    "the keys of dicts and sets have {} parts, far more than the file has bytes; do not trust the file",
                    self.key_parts
                ),
            ));
        }
        Ok(())
    }

    fn unhashable(&self, error: &PyErr) -> PyErr {
        new(
            "NpyValueError",
            format!(
                "the pickle has a key that Python refuses: {}; save the array again",
                error.value(self.py)
            ),
        )
    }

    /// Refuses a long chain of arrays of objects, each in the one before.
    fn check_array_depth(&self) -> PyResult<()> {
        let mut inner: HashMap<Id, Vec<Id>> = HashMap::new();
        let mut outer: HashMap<Id, usize> = HashMap::new();
        for &(from, to) in &self.nested {
            inner.entry(from).or_default().push(to);
            *outer.entry(to).or_default() += 1;
        }
        // Arrays in an order in which each comes after those that contain it; arrays in circles are left out, and never dropped by NumPy.
        let mut ready: Vec<(Id, usize)> =
            inner.keys().filter(|id| !outer.contains_key(id)).map(|&id| (id, 1)).collect();
        let mut depths: HashMap<Id, usize> = HashMap::new();
        while let Some((id, depth)) = ready.pop() {
            if depth > MAX_ARRAY_DEPTH {
                return Err(new(
                    "NpyValueError",
                    format!(
                        "more than {MAX_ARRAY_DEPTH} arrays are nested in each other; do not trust the file"
                    ),
                ));
            }
            for part in inner.get(&id).into_iter().flatten() {
                let known = depths.entry(*part).or_default();
                *known = (*known).max(depth + 1);
                if let Some(left) = outer.get_mut(part) {
                    *left -= 1;
                    if *left == 0 {
                        ready.push((*part, *known));
                    }
                }
            }
        }
        Ok(())
    }
}

/// The name of a class or function. If the pickle gets it by calls, such as `getattr(int, "from_bytes")`, the names of those.
fn name_of(object: Object<'_>) -> String {
    /// Calls of calls of calls: nobody reads longer names.
    const MAX_CALLS: usize = 8;
    let (mut object, mut calls) = (object, String::new());
    for _ in 0..MAX_CALLS {
        if let Some(name) = object.name() {
            return format!("{name}{calls}");
        }
        let Some(call) = object.call() else { break };
        let callable = object.objects().object(call.callable);
        if let Some(method) = method_of(callable) {
            return format!("{method}{calls}");
        }
        calls.insert_str(0, "()");
        object = callable;
    }
    format!("?{calls}")
}

/// The dotted name of a method that a pickle gets by `getattr(class, "name")`.
fn method_of(object: Object<'_>) -> Option<String> {
    let call = object.invocation()?;
    if (call.module(), call.name()) != ("builtins", "getattr") {
        return None;
    }
    let class = call.arguments.get(0)?.name()?;
    Some(format!("{class}.{}", call.arguments.text(1)?))
}

/// Returns the arrays that are in these records, or in records within them.
fn parts_of_records(
    pickle: &npy_pickle::Objects,
    ids: &[Id],
    arrays: &HashMap<Id, usize>,
) -> Vec<usize> {
    let (mut seen, mut stack, mut parts) = (HashSet::new(), ids.to_vec(), Vec::new());
    while let Some(id) = stack.pop() {
        if let Some(&array) = arrays.get(&id) {
            parts.push(array);
        } else if let Some(items) = pickle.object(id).tuple()
            && seen.insert(id)
        {
            stack.extend(items);
        }
    }
    parts
}

fn bytes_of(object: Object<'_>) -> PyResult<std::borrow::Cow<'_, [u8]>> {
    object
        .bytes()
        .ok_or_else(|| new("NpyValueError", "the file changed while it was read; load it again"))
}

/// The hour, minute, second and microsecond of a time.
fn clock(time: Time) -> (i64, i64, i64, i64) {
    let microseconds = time.nanoseconds / 1000;
    let seconds = microseconds / 1_000_000;
    (seconds / 3600, seconds / 60 % 60, seconds % 60, microseconds % 1_000_000)
}

/// The nanoseconds of NumPy's number of a unit.
fn nanoseconds(unit: Option<i64>) -> Option<i128> {
    match unit {
        Some(7) => Some(1_000_000_000),
        Some(8) => Some(1_000_000),
        Some(9) => Some(1000),
        Some(10) | None => Some(1),
        Some(_) => None,
    }
}

fn far() -> PyErr {
    new(
        "NpyValueError",
        "the pickle has a span of time that Python cannot have; save the array again",
    )
}

/// The exception for a value that Python's own type refuses.
fn of_value(error: PyErr) -> PyErr {
    Python::attach(|py| {
        new(
            "NpyValueError",
            format!(
                "the pickle has a value that Python refuses: {}; save the array again",
                error.value(py)
            ),
        )
    })
}
