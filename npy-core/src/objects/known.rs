//! The meaning of nodes, above all of the calls that Python and NumPy make to rebuild objects.

use std::borrow::Cow;
use std::fmt;

use super::array::{PickledArray, PickledScalar};
use super::invocation::Arguments;
use super::time::{Date, DateTime, Span, Time};
use super::{Kind, ObjectRef, Objects, dtype};
use npy_pickle::{self as pickle, BigInt, Call, Data, Form, Id, NONE, Node, is_data};

/// The kind of an object, with its parts.
pub(crate) enum Meaning<'a> {
    None,
    Missing,
    Bool(bool),
    Int(i64),
    BigInt(BigInt<'a>),
    Float(f64),
    Complex(f64, f64),
    /// Text in the pickle. A Rust string may not be able to hold it.
    Str(Form, Data),
    Bytes(Bytes<'a>),
    ByteArray(Bytes<'a>),
    List(&'a [Id]),
    Tuple(&'a [Id]),
    Set(&'a [Id]),
    FrozenSet(&'a [Id]),
    /// Keys and values alternate.
    Dict(&'a [Id]),
    Record(&'a [Id]),
    Array(PickledArray<'a>),
    Scalar(PickledScalar<'a>),
    Date(Date),
    Time(Time),
    DateTime(DateTime),
    TimeDelta(Span),
    Decimal(Cow<'a, str>),
    Range(i64, i64, i64),
    DType,
    Global,
    Object(Object<'a>),
}

/// The bytes of an object, which are decoded when they are needed: a pickle can use the same long text for any number of objects.
#[derive(Clone, Copy)]
pub(crate) struct Bytes<'a>(ObjectRef<'a>);

impl<'a> Bytes<'a> {
    /// Returns the bytes; `None` if they are stored as text that is not Latin-1, or if the file cannot be read.
    pub(crate) fn get(self) -> Option<Cow<'a, [u8]>> {
        self.0.raw_bytes()
    }

    /// Returns their length in the pickle.
    pub(super) fn length_in_pickle(self) -> u64 {
        self.0.raw_length()
    }
}

/// An object of a class that this crate does not know.
#[derive(Clone, Copy)]
pub(crate) struct Object<'a> {
    of: &'a Objects,
    call: &'a Call,
}

impl<'a> Object<'a> {
    /// Returns the items that Python would append to the object, if its class is a subclass of `list`.
    pub(crate) fn items(self) -> &'a [Id] {
        self.of.graph.items(self.call.items)
    }

    /// Returns the entries that Python would set in the object, if its class is a subclass of `dict`. Keys and values alternate.
    pub(crate) fn pairs(self) -> &'a [Id] {
        self.of.graph.items(self.call.pairs)
    }

    /// Returns the attributes, if the state of the object is a dictionary of them. Names and values alternate.
    pub(crate) fn attributes(self) -> Option<&'a [Id]> {
        let graph = &self.of.graph;
        let state = match graph.node(self.call.state) {
            // A pair: the dictionary of the attributes, and that of the attributes in slots.
            Node::Tuple(items) => *graph.items(items).first()?,
            _ => self.call.state,
        };
        match graph.node(state) {
            Node::Dict(pairs) => Some(graph.items(pairs)),
            _ => None,
        }
    }
}

impl<'a> ObjectRef<'a> {
    /// Returns what the object is.
    pub(crate) fn meaning(self) -> Meaning<'a> {
        match self.of.graph.node(self.id) {
            Node::Call(index) => match self.of.graph.call(index) {
                Some(call) => self.called(call),
                None => Meaning::None,
            },
            _ => self.plain(),
        }
    }

    /// Returns what the object is, if it is not a call.
    fn plain(self) -> Meaning<'a> {
        let graph = &self.of.graph;
        match graph.node(self.id) {
            Node::None | Node::Call(_) => Meaning::None,
            Node::Bool(value) => Meaning::Bool(value),
            Node::Int(number) => Meaning::Int(number),
            Node::Float(number) => Meaning::Float(number),
            Node::Data(form, data) => self.data(form, data),
            Node::List(items) => Meaning::List(graph.items(items)),
            Node::Tuple(items) => {
                let items = graph.items(items);
                let is_record =
                    self.record != NONE && dtype::field_count(self.of, self.record) == items.len();
                if is_record { Meaning::Record(items) } else { Meaning::Tuple(items) }
            }
            Node::Set(items) => Meaning::Set(graph.items(items)),
            Node::FrozenSet(items) => Meaning::FrozenSet(graph.items(items)),
            Node::Dict(pairs) => Meaning::Dict(graph.items(pairs)),
            node @ Node::Global(..) => self.named(node),
        }
    }

    fn data(self, form: Form, data: Data) -> Meaning<'a> {
        let bytes = data.of(&self.of.pickle);
        match form {
            Form::Str | Form::EscapedStr => Meaning::Str(form, data),
            Form::Python2 | Form::Python2Literal => match self.of.encoding {
                pickle::Encoding::Bytes => Meaning::Bytes(Bytes(self)),
                _ => Meaning::Str(form, data),
            },
            Form::Bytes => Meaning::Bytes(Bytes(self)),
            Form::ByteArray => Meaning::ByteArray(Bytes(self)),
            Form::Global => self.named(Node::Data(form, data)),
            Form::BigInt => Meaning::BigInt(BigInt::Binary(bytes)),
            Form::DecimalInt => Meaning::BigInt(BigInt::Decimal(bytes)),
        }
    }

    /// Returns the meaning of a class, a function, or another object that is stored by its name.
    fn named(self, node: Node) -> Meaning<'a> {
        match self.of.graph.name(&self.of.pickle, node) {
            Some((module, name))
                if name == "NA" && (module == "pandas" || module.starts_with("pandas.")) =>
            {
                Meaning::Missing
            }
            _ => Meaning::Global,
        }
    }

    /// Returns the meaning of a call of a known function or class with valid arguments; [`Meaning::Object`] for any other call.
    fn called(self, call: &'a Call) -> Meaning<'a> {
        let unknown = Meaning::Object(Object { of: self.of, call });
        let Some(invocation) = self.invocation() else { return unknown };
        let arguments = invocation.arguments;
        let items = self.of.graph.items(call.items);
        let pairs = self.of.graph.items(call.pairs);
        if !is_data(invocation.module(), invocation.name()) {
            return unknown;
        }
        let meaning = match (invocation.module(), invocation.name()) {
            ("numpy.core.multiarray" | "numpy.core._internal", "_reconstruct") => {
                PickledArray::of_state(self.of.reference(call.state)).map(Meaning::Array)
            }
            ("numpy.core.numeric", "_frombuffer") => {
                PickledArray::of_buffer(arguments).map(Meaning::Array)
            }
            ("numpy.core.multiarray", "scalar") => {
                PickledScalar::new(arguments).map(Meaning::Scalar)
            }
            ("numpy", "dtype") => Some(Meaning::DType),
            ("numpy.core._internal", "_convert_to_stringdtype_kwargs") => Some(Meaning::DType),
            ("builtins", "complex") => {
                let parts = arguments.float(0).zip(arguments.float(1));
                parts.map(|(re, im)| Meaning::Complex(re, im))
            }
            ("builtins", "bytearray") => {
                arguments.are_bytes().then_some(Meaning::ByteArray(Bytes(self)))
            }
            ("builtins", "bytes") | ("_codecs", "encode") => {
                arguments.are_bytes().then_some(Meaning::Bytes(Bytes(self)))
            }
            ("builtins", "set") => arguments.list(0).map(Meaning::Set),
            ("builtins", "frozenset") => arguments.list(0).map(Meaning::FrozenSet),
            ("builtins", "range" | "xrange") => {
                let parts = (arguments.int(0), arguments.int(1), arguments.int(2));
                let (Some(start), Some(stop), Some(step)) = parts else { return unknown };
                Some(Meaning::Range(start, stop, step))
            }
            // Python 2 passes a list of pairs.
            ("collections", "OrderedDict") if !arguments.ids.is_empty() => None,
            ("collections", "OrderedDict" | "defaultdict") => Some(Meaning::Dict(pairs)),
            // Python 2 passes the items, and Python 3 appends them.
            ("collections", "deque") => match arguments.list(0) {
                Some([]) => Some(Meaning::List(items)),
                passed => passed.filter(|_| items.is_empty()).map(Meaning::List),
            },
            ("decimal", "Decimal") => arguments.text(0).map(Meaning::Decimal),
            ("datetime", "date") => {
                arguments.bytes(0).and_then(|bytes| Date::new(&bytes)).map(Meaning::Date)
            }
            ("datetime", "time") => {
                let time = arguments.bytes(0).and_then(|bytes| Time::new(&bytes));
                let zone = arguments.zone(1);
                time.zip(zone).map(|(time, zone)| Meaning::Time(time.in_zone(zone)))
            }
            ("datetime", "datetime") => {
                let time = arguments.bytes(0).and_then(|bytes| DateTime::new(&bytes));
                let zone = arguments.zone(1);
                time.zip(zone).map(|(time, zone)| Meaning::DateTime(time.in_zone(zone)))
            }
            ("datetime", "timedelta") => arguments.span().map(Meaning::TimeDelta),
            (module, name) if module.starts_with("pandas.") => pandas(arguments, name),
            _ => None,
        };
        meaning.unwrap_or(unknown)
    }
}

/// Returns the meaning of a call of a function of pandas, whose arguments are a count and the number of its unit.
fn pandas<'a>(arguments: Arguments<'a>, name: &str) -> Option<Meaning<'a>> {
    match name {
        "_nat_unpickle" => Some(Meaning::Missing),
        "_unpickle_timestamp" => {
            let time = DateTime::of_pandas(arguments.int(0)?, arguments.int(3))?;
            // The count is in UTC, so the offset of a zone with rules, such as Europe/Paris, need not be known.
            let zone = arguments.zone(2).unwrap_or(Some(Span(0)));
            Some(Meaning::DateTime(time.utc_in_zone(zone)))
        }
        "_timedelta_unpickle" => {
            Span::of_pandas(arguments.int(0)?, arguments.int(1)).map(Meaning::TimeDelta)
        }
        _ => None,
    }
}

impl Meaning<'_> {
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Meaning::None => Kind::None,
            Meaning::Missing => Kind::Missing,
            Meaning::Bool(_) => Kind::Bool,
            Meaning::Int(_) | Meaning::BigInt(_) => Kind::Int,
            Meaning::Float(_) => Kind::Float,
            Meaning::Complex(..) => Kind::Complex,
            Meaning::Str(..) => Kind::Str,
            Meaning::Bytes(_) => Kind::Bytes,
            Meaning::ByteArray(_) => Kind::ByteArray,
            Meaning::List(_) => Kind::List,
            Meaning::Tuple(_) => Kind::Tuple,
            Meaning::Set(_) => Kind::Set,
            Meaning::FrozenSet(_) => Kind::FrozenSet,
            Meaning::Dict(_) => Kind::Dict,
            Meaning::Record(_) => Kind::Record,
            Meaning::Array(_) => Kind::Array,
            Meaning::Scalar(_) => Kind::Scalar,
            Meaning::Date(_) => Kind::Date,
            Meaning::Time(_) => Kind::Time,
            Meaning::DateTime(_) => Kind::DateTime,
            Meaning::TimeDelta(_) => Kind::TimeDelta,
            Meaning::Decimal(_) => Kind::Decimal,
            Meaning::Range(..) => Kind::Range,
            Meaning::DType => Kind::DType,
            Meaning::Global => Kind::Global,
            Meaning::Object(_) => Kind::Object,
        }
    }
}

/// The name of the kind in a message.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::None => "None",
            Kind::Missing => "a missing value",
            Kind::Bool => "a bool",
            Kind::Int => "an int",
            Kind::Float => "a float",
            Kind::Complex => "a complex number",
            Kind::Str => "text",
            Kind::Bytes => "bytes",
            Kind::ByteArray => "a bytearray",
            Kind::List => "a list",
            Kind::Tuple => "a tuple",
            Kind::Set => "a set",
            Kind::FrozenSet => "a frozenset",
            Kind::Dict => "a dictionary",
            Kind::Record => "a record",
            Kind::Array => "an array",
            Kind::Scalar => "a NumPy scalar",
            Kind::Date => "a date",
            Kind::Time => "a time of day",
            Kind::DateTime => "a date and time",
            Kind::TimeDelta => "a span of time",
            Kind::Decimal => "a decimal number",
            Kind::Range => "a range",
            Kind::DType => "a dtype",
            Kind::Global => "a class or function",
            Kind::Object => "an object of an unknown class",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::is_data;
    use crate::header::Header;
    use crate::objects::Objects;
    use crate::read::ReadNpy;
    use crate::shape::Order;

    /// Returns the unknown names in an array of one object, which these opcodes make.
    fn unknown(object: &[u8]) -> Vec<String> {
        let header = Header::new("|O".parse().unwrap(), [1], Order::C).unwrap();
        let array =
            b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR(I1\n(I1\nt";
        let dtype = b"cnumpy\ndtype\n(S'O8'\nI0\nI1\ntRI00\n(l";
        let file = [&header.to_bytes().unwrap(), &array[..], dtype, object, b"atb."].concat();
        Objects::read_npy_from(&file[..]).unwrap().unknown_globals().collect()
    }

    /// Guards that `getattr` is data only where Python restores a time zone.
    #[test]
    fn getattr_is_harmless_for_time_zones_alone() {
        let zone = b"(czoneinfo\nZoneInfo\nX\x09\0\0\0_unpickletR(X\x03\0\0\0UTCI01\ntR";
        let all = |parts: &[&[u8]]| unknown(&parts.concat());
        assert!(all(&[b"cbuiltins\ngetattr\n", zone]).is_empty());
        assert!(all(&[b"X\x08\0\0\0builtinsX\x07\0\0\0getattr\x93", zone]).is_empty());
        let unknown: [&[&[u8]]; 8] = [
            &[b"cbuiltins\ngetattr\n(czoneinfo\nZoneInfo\nX\x09\0\0\0__class__tR"],
            &[b"cbuiltins\ngetattr\n(cdecimal\nDecimal\nX\x09\0\0\0_unpickletR"],
            &[b"cbuiltins\ngetattr\n(czoneinfo\nZoneInfo\nX\x09\0\0\0_unpickleNtR"],
            // By itself, once more in a tuple, as a key, and as a state.
            &[b"cbuiltins\ngetattr\n"],
            &[b"(cbuiltins\ngetattr\np9\n", zone, b"g9\nt"],
            &[b"cbuiltins\ngetattr\np9\n", zone, b"}g9\nNs\x86"],
            &[b"cbuiltins\ngetattr\np9\n", zone, b"0cuuid\nUUID\n(tRg9\nb"],
            // By names in another form.
            &[b"S'builtins'\nS'getattr'\n\x93", zone],
        ];
        for object in unknown {
            assert_eq!(all(object), ["builtins.getattr"], "{}", object.concat().escape_ascii());
        }
    }

    /// Guards that code which pickles can call is not taken for data.
    #[test]
    fn only_types_of_data_are_harmless() {
        for (module, name) in [
            ("numpy", "dtype"),
            ("numpy._core.multiarray", "_reconstruct"),
            ("__builtin__", "set"),
            ("datetime", "date"),
            ("pandas._libs.tslibs.timestamps", "_unpickle_timestamp"),
            ("pandas._libs.tslibs.offsets", "MonthEnd"),
            // np.save(frame.to_records())
            ("numpy.rec", "recarray"),
            ("numpy", "record"),
            ("numpy._core.records", "recarray"),
            ("numpy", "complex128"),
            ("numpy.ma.core", "_mareconstruct"),
            ("uuid", "UUID"),
            ("pathlib", "PosixPath"),
            ("fractions", "Fraction"),
            ("ipaddress", "IPv4Address"),
        ] {
            assert!(is_data(module, name), "{module} {name}");
        }
        for (module, name) in [
            ("os", "system"),
            ("posix", "system"),
            ("builtins", "eval"),
            ("builtins", "getattr"),
            ("numpy", "load"),
            ("", "eval"),
            ("numpy.core.multiarray._reconstruct", "x"),
            // Modules import others.
            ("pandas._libs.lib", "np.os.system"),
            ("pandas._libs.lib.np.os", "system"),
            ("pytz", "os.system"),
            ("numpy.rec", "fromfile"),
            ("pathlib", "os.system"),
            ("uuid", "os.system"),
            ("dateutil.tz.tz", "tzfile"),
        ] {
            assert!(!is_data(module, name), "{module} {name}");
        }
    }
}
