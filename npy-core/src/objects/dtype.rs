//! NumPy's dtypes within a pickle.

use std::collections::HashMap;

use crate::checked;
use crate::dtype::{DType, Field, sub_array};
use crate::error::{Error, ErrorKind};
use crate::limits::to_u64;
use crate::literal::repr;
use npy_pickle::{Arguments, Id, Invocation, NONE, Node, Object, Objects};

/// The most work of making a dtype, in bytes of its names and codes. A small pickle can have a very large dtype, because it can use one
/// dtype in others any number of times.
const MAX_WORK: u64 = 1 << 20;
/// The most levels of records and sub-arrays, as in a header.
const MAX_DEPTH: usize = 90;
/// The most bytes of the name of a field. The limit is needed because a pickle can use a name any number of times.
const MAX_NAME: u64 = 1 << 14;

/// Parses an object as a dtype.
pub(super) fn parse(object: Object<'_>) -> Result<DType, Error> {
    parse_counted(object).0
}

/// Parses an object as a dtype. Also returns the work that this took.
pub(super) fn parse_counted(object: Object<'_>) -> (Result<DType, Error>, u64) {
    let mut parser = Parser { left: MAX_WORK };
    let dtype = parser.dtype(object, 0).map_err(|reason| {
        // The message does not print the object, because that would parse it again.
        let code = parts(object).and_then(|(arguments, _)| arguments.text(0));
        let descr = code.as_deref().map_or("in the pickle".into(), repr::of_str);
        let descr = crate::dtype::descr::excerpt(&descr);
        ErrorKind::DType { descr, reason }.into()
    });
    (dtype, MAX_WORK.saturating_sub(parser.left))
}

const NOT_KNOWN: &str = "it is not a dtype that this version knows";
const MALFORMED: &str = "its fields are malformed";
const TOO_LARGE: &str = "it is nested too deeply, or too long";

struct Parser {
    /// The work that may still be done.
    left: u64,
}

impl Parser {
    fn spend(&mut self, work: u64) -> Result<(), String> {
        self.left = self.left.checked_sub(work).ok_or(TOO_LARGE)?;
        Ok(())
    }

    fn dtype(&mut self, object: Object<'_>, depth: usize) -> Result<DType, String> {
        if depth > MAX_DEPTH {
            return Err(TOO_LARGE.into());
        }
        self.spend(1)?;
        let (arguments, state) = parts(object).ok_or(NOT_KNOWN)?;
        self.spend(arguments.get(0).map_or(0, Object::length))?;
        let Some(code) = arguments.text(0) else {
            // The first argument is not text: it is the class of the scalars, such as `numpy.record`, or this is the dtype of text of any
            // length.
            return match state {
                Some(state) => self.record(&state, depth),
                None if is_text(object) => scalar("|O"),
                None => Err(NOT_KNOWN.into()),
            };
        };
        let Some(state) = state else { return scalar(&code) };
        if state.names().is_some() {
            return self.record(&state, depth);
        }
        if let Some(&[base, shape]) = state.part(2).tuple() {
            let base = self.dtype(state.of.object(base), checked::add(depth, 1))?;
            let lengths = state.of.object(shape).tuple().ok_or(NOT_KNOWN)?;
            self.spend(to_u64(lengths.len()))?;
            let length = |&id: &Id| usize::try_from(state.of.object(id).int()?).ok();
            let shape = lengths.iter().map(length).collect::<Option<_>>().ok_or(NOT_KNOWN)?;
            return sub_array(base, shape);
        }
        let order = state.part(1).ascii().ok_or(NOT_KNOWN)?;
        let unit = state.unit().ok_or(NOT_KNOWN)?;
        let dtype = scalar(&format!("{order}{code}{unit}"))?;
        // NumPy would use another item size for text and bytes.
        match state.part(5).int() {
            Some(size) if size != -1 && usize::try_from(size) != Ok(dtype.itemsize()) => {
                Err("its state has another item size".into())
            }
            _ => Ok(dtype),
        }
    }

    fn record(&mut self, state: &State<'_>, depth: usize) -> Result<DType, String> {
        let names = state.names().ok_or(MALFORMED)?;
        let mut entries = Entries::of(state);
        let mut fields = Vec::new();
        for &name in names {
            let name = state.of.object(name);
            self.spend(name.length().saturating_add(8))?;
            let parts = entries.get(name).and_then(Object::tuple).ok_or(MALFORMED)?;
            let (&[dtype, offset, ref title @ ..], true) = (parts, parts.len() <= 3) else {
                return Err(MALFORMED.into());
            };
            let offset = state.of.object(offset).int().and_then(|n| usize::try_from(n).ok());
            let name = text_of(name).ok_or(MALFORMED)?;
            let dtype = self.dtype(state.of.object(dtype), checked::add(depth, 1))?;
            let mut field = Field::new(name, dtype).at(offset.ok_or(MALFORMED)?);
            if let Some(&title) = title.first() {
                let title = state.of.object(title);
                self.spend(title.length())?;
                field = field.title(text_of(title).ok_or(MALFORMED)?);
            }
            fields.push(field);
        }
        let itemsize = state.part(5).int().and_then(|size| usize::try_from(size).ok());
        let dtype = DType::from_fields(fields, itemsize.ok_or(MALFORMED)?);
        dtype.map_err(|error| error.to_string())
    }
}

fn scalar(code: &str) -> Result<DType, String> {
    repr::of_str(code).parse().map_err(|error: Error| match error.into_kind() {
        ErrorKind::DType { reason, .. } => reason,
        kind => kind.to_string(),
    })
}

/// Returns true for the dtype of text of any length.
fn is_text(dtype: Object<'_>) -> bool {
    dtype.name().is_some_and(|name| name.ends_with("._convert_to_stringdtype_kwargs"))
}

/// The state that `numpy.dtype.__setstate__` gets: a version, the byte order, the base and shape of a sub-array, names, fields, item size,
/// alignment, flags, and metadata.
struct State<'a> {
    of: &'a Objects,
    parts: &'a [Id],
}

impl<'a> State<'a> {
    fn part(&self, index: usize) -> Object<'a> {
        self.of.object(self.parts.get(index).copied().unwrap_or(NONE))
    }

    fn names(&self) -> Option<&'a [Id]> {
        self.part(3).tuple()
    }

    /// Returns the unit of times, as in `[25s]`; empty for another dtype.
    fn unit(&self) -> Option<String> {
        let Some(&[_, unit]) = self.part(8).tuple() else { return Some(String::new()) };
        let &[name, multiple, ref divisor @ ..] = self.of.object(unit).tuple()? else {
            return None;
        };
        // NumPy writes a divisor, which is always one.
        if divisor.first().is_some_and(|&id| self.of.object(id).int() != Some(1)) {
            return None;
        }
        // The name is a bytes object, which Python 3 stores as a call in the protocols of Python 2.
        let name = self.of.object(name).short_bytes()?;
        let name = std::str::from_utf8(&name).ok()?;
        match self.of.object(multiple).int() {
            _ if name == "generic" => Some(String::new()),
            Some(1) => Some(format!("[{name}]")),
            Some(multiple) => Some(format!("[{multiple}{name}]")),
            None => None,
        }
    }
}

/// Returns text. NumPy or Python 2 may have stored it as bytes, which are decoded as Latin-1.
fn text_of(name: Object<'_>) -> Option<String> {
    if name.length() > MAX_NAME {
        return None;
    }
    if let Some(text) = name.ascii() {
        return Some(text.into_owned());
    }
    // In the protocols of Python 2, bytes are stored as a call.
    Some(name.bytes()?.iter().map(|&byte| char::from(byte)).collect())
}

/// Returns true for a call that makes a dtype.
pub(super) fn is_dtype(call: &Invocation<'_>) -> bool {
    matches!(
        (call.module(), call.name()),
        ("numpy", "dtype") | ("numpy.core._internal", "_convert_to_stringdtype_kwargs")
    )
}

/// Returns the arguments of the call that makes a dtype, and its state.
fn parts(dtype: Object<'_>) -> Option<(Arguments<'_>, Option<State<'_>>)> {
    let call = dtype.invocation().filter(is_dtype)?;
    let state = match dtype.state() {
        Some(state) => Some(State { of: dtype.objects(), parts: state.tuple()? }),
        None => None,
    };
    Some((call.arguments, state))
}

/// Returns the node of this dtype if it is that of a record, and otherwise `NONE`.
pub(super) fn record(dtype: Object<'_>) -> Id {
    let is_record = parts(dtype).and_then(|(_, state)| state?.names()).is_some();
    if is_record { dtype.id() } else { NONE }
}

/// Returns the number of fields of this dtype of a record.
pub(super) fn field_count(record: Object<'_>) -> usize {
    let names = parts(record).and_then(|(_, state)| state?.names());
    names.unwrap_or_default().len()
}

/// The dictionary of the fields of a record: from names to dtypes and offsets.
#[derive(Clone, Debug)]
struct Entries<'a> {
    of: &'a Objects,
    pairs: &'a [Id],
    next: usize,
    /// Built when an entry is not in the order of the names.
    by_name: Option<HashMap<String, Id>>,
}

impl<'a> Entries<'a> {
    fn of(state: &State<'a>) -> Self {
        let pairs = match state.part(4).node() {
            Node::Dict(pairs) => state.of.graph().items(pairs),
            _ => &[],
        };
        // A field has an entry for its name, and may have one for its title.
        let most = state.names().unwrap_or_default().len().saturating_mul(4);
        let pairs = if pairs.len() <= most { pairs } else { &[] };
        Entries { of: state.of, pairs, next: 0, by_name: None }
    }

    /// Returns the entry of the next name.
    fn get(&mut self, name: Object<'a>) -> Option<Object<'a>> {
        let of = self.of;
        if self.by_name.is_none()
            && let Some(&[key, value]) = self.pairs.get(self.next..self.next.saturating_add(2))
            && (key == name.id() || text_of(of.object(key)) == text_of(name))
        {
            self.next = self.next.saturating_add(2);
            return Some(of.object(value));
        }
        let by_name = self.by_name.get_or_insert_with(|| {
            let pairs = self.pairs.as_chunks().0.iter();
            pairs.filter_map(|&[key, value]| Some((text_of(of.object(key))?, value))).collect()
        });
        by_name.get(&text_of(name)?).map(|&entry| of.object(entry))
    }
}

/// The fields of a record, one by one.
#[derive(Clone, Debug)]
pub(crate) struct Fields<'a> {
    of: &'a Objects,
    names: std::slice::Iter<'a, Id>,
    entries: Entries<'a>,
}

impl<'a> Fields<'a> {
    /// Returns the fields of the record of this dtype.
    pub(super) fn of(dtype: Object<'a>) -> Self {
        let of = dtype.objects();
        let state = parts(dtype).and_then(|(_, state)| state);
        let state = state.unwrap_or(State { of, parts: &[] });
        let names = state.names().unwrap_or_default().iter();
        Fields { of, names, entries: Entries::of(&state) }
    }
}

impl<'a> Iterator for Fields<'a> {
    /// The name, and the node of the dtype if the field is a record; otherwise `NONE`.
    type Item = (Object<'a>, Id);

    fn next(&mut self) -> Option<(Object<'a>, Id)> {
        let name = self.of.object(*self.names.next()?);
        let entry = self.entries.get(name).and_then(Object::tuple);
        let dtype = entry.and_then(|entry| entry.first()).copied();
        Some((name, record(self.of.object(dtype.unwrap_or(NONE)))))
    }
}
