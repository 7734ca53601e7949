//! The meaning of nodes, above all of the calls that Python and NumPy make to rebuild objects.

use std::borrow::Cow;
use std::fmt;

use super::array::{PickledArray, PickledScalar};
use super::invocation::{Arguments, common_module, global};
use super::time::{Date, DateTime, Span, Time};
use super::{Kind, ObjectRef, Objects, dtype};
use npy_pickle::{self as pickle, Call, Data, Form, Id, NONE, Node};

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

/// An integer that an `i64` cannot hold, or may not be able to.
pub(crate) enum BigInt<'a> {
    /// Two's complement, the least significant byte first.
    Binary(&'a [u8]),
    /// A line of decimal digits with an optional sign and an optional `L`.
    Decimal(&'a [u8]),
}

impl BigInt<'_> {
    /// Returns the number, if it fits.
    pub(crate) fn to_i128(&self) -> Option<i128> {
        match self {
            BigInt::Binary(bytes) => {
                let (low, high) = bytes.split_at_checked(16).unwrap_or((bytes, &[]));
                let sign = if bytes.last().is_some_and(|&byte| byte >= 0x80) { 0xff } else { 0 };
                let mut number = [sign; 16];
                number.iter_mut().zip(low).for_each(|(to, from)| *to = *from);
                let number = i128::from_le_bytes(number);
                let same_sign = (number < 0) == (sign == 0xff);
                (same_sign && high.iter().all(|&byte| byte == sign)).then_some(number)
            }
            BigInt::Decimal(line) => digits(line).parse().ok(),
        }
    }

    /// Returns the number, if it fits.
    #[cfg(feature = "serde")]
    pub(crate) fn to_u128(&self) -> Option<u128> {
        match self {
            BigInt::Binary(bytes) => {
                let (low, high) = bytes.split_at_checked(16).unwrap_or((bytes, &[]));
                let mut number = [0; 16];
                number.iter_mut().zip(low).for_each(|(to, from)| *to = *from);
                let is_negative = bytes.last().is_some_and(|&byte| byte >= 0x80);
                (!is_negative && high.iter().all(|&byte| byte == 0))
                    .then(|| u128::from_le_bytes(number))
            }
            BigInt::Decimal(line) => digits(line).parse().ok(),
        }
    }

    /// Returns the work of printing it, in bytes that are copied. Converting a binary number to decimal takes the time of many copies.
    pub(super) fn work(&self) -> usize {
        match self {
            BigInt::Binary(bytes) => bytes.len().saturating_mul(64),
            BigInt::Decimal(line) => line.len(),
        }
    }
}

/// Returns the digits in a line, with their sign if it is negative.
fn digits(line: &[u8]) -> &str {
    let text = std::str::from_utf8(line).unwrap_or_default().trim();
    text.trim_end_matches('L').trim_start_matches('+')
}

/// Prints the number in decimal, or in hexadecimal if it is very long.
impl fmt::Display for BigInt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BigInt::Binary(bytes) => f.write_str(&pickle::decimal(bytes)),
            BigInt::Decimal(line) => f.write_str(digits(line)),
        }
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
        match global(self.of, node) {
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

/// The classes and functions that make plain data, whatever their arguments are, by their modules ([`common_module`]). `called` knows the meaning
/// of most of them, and of no other.
const DATA: [(&str, &str); 22] = [
    (
        "numpy",
        "ndarray recarray matrix dtype record void str_ bytes_ bool bool_ int8 int16 int32 int64 intc longlong uint8 uint16 uint32 \
         uint64 uintc ulonglong float16 float32 float64 longdouble float96 float128 complex64 complex128 clongdouble complex192 complex256 \
         datetime64 timedelta64",
    ),
    // The classes of arrays with Python objects: `np.rec.array`, pandas' `to_records`, `np.matrix` and `np.ma.array`.
    ("numpy.rec", "recarray record"),
    ("numpy.core.records", "recarray record"),
    ("numpy.matrixlib.defmatrix", "matrix"),
    ("numpy.ma", "MaskedArray _mareconstruct"),
    ("numpy.ma.core", "MaskedArray _mareconstruct"),
    ("numpy.core.multiarray", "_reconstruct scalar"),
    ("numpy.core._internal", "_reconstruct _convert_to_stringdtype_kwargs"),
    ("numpy.core.numeric", "_frombuffer"),
    (
        "builtins",
        "complex bytearray bytes set frozenset range xrange slice Ellipsis list tuple dict int long float str bool",
    ),
    ("_codecs", "encode"),
    ("collections", "OrderedDict defaultdict deque Counter"),
    ("decimal", "Decimal"),
    ("fractions", "Fraction"),
    ("uuid", "UUID"),
    // Python 3.13 has paths in `pathlib._local`. None of them opens a file.
    ("pathlib", "PosixPath WindowsPath PurePosixPath PureWindowsPath"),
    ("ipaddress", "IPv4Address IPv6Address IPv4Network IPv6Network IPv4Interface IPv6Interface"),
    ("datetime", "date time datetime timedelta timezone"),
    ("zoneinfo", "ZoneInfo ZoneInfo._unpickle"),
    ("pytz", "_UTC _p _FixedOffset"),
    ("dateutil.tz", "tzutc tzoffset"),
    // The lengths of periods.
    (
        "pandas._libs.tslibs.offsets",
        "YearEnd QuarterEnd MonthEnd Week BusinessDay Day Hour Minute Second Milli Micro Nano",
    ),
];

/// The same, of pandas, in whichever of its modules.
const PANDAS: &str = "NA NaT _nat_unpickle _unpickle_timestamp _timedelta_unpickle Timestamp Timedelta Period Interval";

/// Returns true for a class or function that makes plain data, whatever its arguments are. A name with dots leads out of its module, so that
/// it is compared as a whole.
fn is_data(module: &str, name: &str) -> bool {
    let module = match common_module(module) {
        "pathlib._local" => "pathlib",
        "dateutil.tz.tz" => "dateutil.tz",
        other => other,
    };
    let names = DATA.iter().find(|(known, _)| *known == module).map(|(_, names)| *names);
    let is_pandas = module == "pandas" || module.starts_with("pandas.");
    let names = names.or(is_pandas.then_some(PANDAS)).unwrap_or_default();
    names.split(' ').any(|known| known == name && !name.is_empty())
}

/// Returns true for a class or function that makes plain data in this pickle.
pub(super) fn is_harmless(of: &Objects, module: &str, name: &str) -> bool {
    is_data(module, name) || (module, name) == ("builtins", "getattr") && gets_zones_only(of)
}

/// Returns true if the pickle uses `getattr` only to find `ZoneInfo._unpickle`, by which Python restores a time zone. So `getattr` is what
/// these calls call, and is nowhere else in the pickle.
fn gets_zones_only(of: &Objects) -> bool {
    let graph = &of.graph;
    let is_getattr = |id: Id| is_global(of, id, b"builtins", b"getattr");
    let is_zone = |call: &Call| match of.reference(call.arguments).tuple() {
        Some(&[class, method]) => {
            is_global(of, class, b"zoneinfo", b"ZoneInfo")
                && is_text(of, method, b"_unpickle")
                && !is_getattr(call.state)
        }
        _ => false,
    };
    // The same names could be in text of other forms.
    let is_plain = |node: &Node| match *node {
        Node::Global(module, name) => {
            [module, name].into_iter().all(|id| matches!(graph.node(id), Node::Data(Form::Str, _)))
        }
        _ => true,
    };
    graph.nodes().iter().all(is_plain)
        && !is_getattr(graph.root())
        && !graph.all_items().iter().any(|&id| is_getattr(id))
        && graph.calls().iter().all(|call| match is_getattr(call.callable) {
            true => is_zone(call),
            false => !is_getattr(call.state),
        })
}

/// Returns true for the class or function of this name.
fn is_global(of: &Objects, id: Id, module: &[u8], name: &[u8]) -> bool {
    match of.graph.node(id) {
        Node::Global(in_module, named) => {
            is_text(of, in_module, module) && is_text(of, named, name)
        }
        Node::Data(Form::Global, data) => {
            let mut lines = data.of(&of.pickle).split(|&byte| byte == b'\n');
            lines.next() == Some(module) && lines.next() == Some(name)
        }
        _ => false,
    }
}

/// Returns true for this text.
fn is_text(of: &Objects, id: Id, text: &[u8]) -> bool {
    matches!(of.graph.node(id), Node::Data(Form::Str, data) if data.of(&of.pickle) == text)
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
