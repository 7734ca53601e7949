//! The classes and functions that a pickle names, and which of them make plain data.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::{Call, Encoding, Form, Graph, Id, Node, decode_text};

impl Graph {
    /// Returns the module and the name of a class or function; `None` if the node is something else.
    ///
    /// ```
    /// use npy_pickle::{Pickle, parse};
    ///
    /// let pickle = Pickle::new(b"cos\nsystem\n.".to_vec())?;
    /// let graph = parse(&pickle)?;
    /// let name = graph.name(&pickle.bytes, graph.node(graph.root()));
    /// assert_eq!(name, Some(("os".into(), "system".into())));
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn name<'a>(&self, pickle: &'a [u8], node: Node) -> Option<(Cow<'a, str>, Cow<'a, str>)> {
        match node {
            Node::Data(Form::Global, data) => {
                let lines = data.of(pickle).split(|&byte| byte == b'\n');
                let mut lines = lines.map(String::from_utf8_lossy);
                Some((lines.next()?, lines.next()?))
            }
            Node::Global(module, name) => {
                Some((self.part_of_name(pickle, module)?, self.part_of_name(pickle, name)?))
            }
            _ => None,
        }
    }

    /// Iterates over the modules and names of the classes and functions that Python would import, each once.
    ///
    /// ```
    /// use npy_pickle::{Pickle, parse};
    ///
    /// let pickle = Pickle::new(b"cos\nsystem\n.".to_vec())?;
    /// let graph = parse(&pickle)?;
    /// assert_eq!(graph.names(&pickle.bytes).count(), 1);
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn names<'a>(
        &'a self,
        pickle: &'a [u8],
    ) -> impl Iterator<Item = (Cow<'a, str>, Cow<'a, str>)> {
        let mut seen = Names::default();
        self.nodes.iter().filter_map(move |&node| seen.first(self, pickle, node))
    }

    /// Returns true for a class or function that makes plain data in this pickle: [`is_data`], and `getattr` that only restores time zones.
    ///
    /// ```
    /// use npy_pickle::{Pickle, parse};
    ///
    /// let pickle = Pickle::new(b"cos\nsystem\n.".to_vec())?;
    /// let graph = parse(&pickle)?;
    /// assert!(!graph.is_harmless(&pickle.bytes, "os", "system"));
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn is_harmless(&self, pickle: &[u8], module: &str, name: &str) -> bool {
        is_data(module, name)
            || (module, name) == ("builtins", "getattr") && self.gets_zones_only(pickle)
    }

    /// Returns the text of a node that is part of a name.
    fn part_of_name<'a>(&self, pickle: &'a [u8], id: Id) -> Option<Cow<'a, str>> {
        let Node::Data(form, data) = self.node(id) else { return None };
        let bytes = data.of(pickle);
        // The encoding matters only for names that are not ASCII, and no name in the standard library is.
        let text = decode_text(form, bytes, Encoding::Latin1);
        Some(text.unwrap_or_else(|_| String::from_utf8_lossy(bytes)))
    }

    /// Returns true if the pickle uses `getattr` only to find `ZoneInfo._unpickle`, by which Python restores a time zone. So `getattr` is what
    /// these calls call, and is nowhere else in the pickle.
    fn gets_zones_only(&self, pickle: &[u8]) -> bool {
        let is_text = |id: Id, text: &[u8]| matches!(self.node(id), Node::Data(Form::Str, data) if data.of(pickle) == text);
        let is_global = |id: Id, module: &[u8], name: &[u8]| match self.node(id) {
            Node::Global(in_module, named) => is_text(in_module, module) && is_text(named, name),
            Node::Data(Form::Global, data) => {
                let mut lines = data.of(pickle).split(|&byte| byte == b'\n');
                lines.next() == Some(module) && lines.next() == Some(name)
            }
            _ => false,
        };
        let is_getattr = |id: Id| is_global(id, b"builtins", b"getattr");
        let is_zone = |call: &Call| {
            let Node::Tuple(arguments) = self.node(call.arguments) else { return false };
            match self.items(arguments) {
                &[class, method] => {
                    is_global(class, b"zoneinfo", b"ZoneInfo")
                        && is_text(method, b"_unpickle")
                        && !is_getattr(call.state)
                }
                _ => false,
            }
        };
        // The same names could be in text of other forms.
        let is_str = |id: Id| matches!(self.node(id), Node::Data(Form::Str, _));
        let is_plain = |node: &Node| match *node {
            Node::Global(module, name) => is_str(module) && is_str(name),
            _ => true,
        };
        self.nodes.iter().all(is_plain)
            && !is_getattr(self.root)
            && !self.items.iter().any(|&id| is_getattr(id))
            && self.calls.iter().all(|call| match is_getattr(call.callable) {
                true => is_zone(call),
                false => !is_getattr(call.state),
            })
    }
}

/// The names that were seen. A pickle can combine the same long texts to any number of names, so each text is hashed once.
#[derive(Default)]
struct Names<'a> {
    /// The number of the text of each node.
    nodes: HashMap<Id, usize>,
    texts: HashMap<Cow<'a, str>, usize>,
    seen: HashSet<(usize, usize)>,
}

impl<'a> Names<'a> {
    /// Returns the module and the name of a class or function that was not seen before.
    fn first(
        &mut self,
        graph: &Graph,
        pickle: &'a [u8],
        node: Node,
    ) -> Option<(Cow<'a, str>, Cow<'a, str>)> {
        let numbers = match node {
            Node::Global(module, name) => {
                (self.of_node(graph, pickle, module)?, self.of_node(graph, pickle, name)?)
            }
            _ => {
                let (module, name) = graph.name(pickle, node)?;
                (self.of_text(module), self.of_text(name))
            }
        };
        if !self.seen.insert(numbers) {
            return None;
        }
        graph.name(pickle, node)
    }

    fn of_node(&mut self, graph: &Graph, pickle: &'a [u8], id: Id) -> Option<usize> {
        if let Some(&number) = self.nodes.get(&id) {
            return Some(number);
        }
        let number = self.of_text(graph.part_of_name(pickle, id)?);
        self.nodes.insert(id, number);
        Some(number)
    }

    fn of_text(&mut self, text: Cow<'a, str>) -> usize {
        let next = self.texts.len();
        *self.texts.entry(text).or_insert(next)
    }
}

/// Returns the name that a module has in Python 3 and in NumPy 1.
///
/// ```
/// use npy_pickle::common_module;
///
/// assert_eq!(common_module("__builtin__"), "builtins");
/// ```
pub fn common_module(module: &str) -> &str {
    match module {
        "__builtin__" => "builtins",
        "numpy._core.multiarray" => "numpy.core.multiarray",
        "numpy._core._internal" => "numpy.core._internal",
        "numpy._core.numeric" => "numpy.core.numeric",
        "numpy._core.records" => "numpy.core.records",
        other => other,
    }
}

/// The classes and functions that make plain data, whatever their arguments are, by their modules ([`common_module`]).
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
const PANDAS: &str = "NA NaT _nat_unpickle __nat_unpickle _unpickle_timestamp _timedelta_unpickle Timestamp Timedelta Period Interval";

/// Returns true for a class or function that makes plain data, whatever its arguments are: those that Python's own types, NumPy and pandas name. A
/// name with dots leads out of its module, so it is compared as a whole.
///
/// ```
/// use npy_pickle::is_data;
///
/// assert!(is_data("datetime", "date") && !is_data("os", "system"));
/// ```
pub fn is_data(module: &str, name: &str) -> bool {
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
