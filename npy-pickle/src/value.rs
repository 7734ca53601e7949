//! The values of objects, above all of the calls by which Python restores its own types.

use std::borrow::Cow;
use std::fmt;

use crate::time::{Date, DateTime, Span, Time};
use crate::{BigInt, Call, Form, Id, Invocation, Node, Object, is_data};

/// A value of one of Python's own types. Items are nodes: [`Objects::object`](crate::Objects::object).
#[derive(Clone, Debug)]
pub enum Value<'a> {
    /// `None`.
    None,
    /// `True` or `False`.
    Bool(bool),
    /// An integer of at most 8 bytes.
    Int(i64),
    /// An integer of more than 8 bytes.
    BigInt(BigInt<'a>),
    /// A float.
    Float(f64),
    /// A complex number: its real and its imaginary part.
    Complex(f64, f64),
    /// Text, which [`Object::text`] decodes. A Rust string may not be able to hold it.
    Str,
    /// `bytes`, which [`Object::bytes`] returns.
    Bytes,
    /// `bytearray`, which [`Object::bytes`] returns.
    ByteArray,
    /// `list` or `collections.deque`.
    List(&'a [Id]),
    /// `tuple`.
    Tuple(&'a [Id]),
    /// `set`.
    Set(&'a [Id]),
    /// `frozenset`.
    FrozenSet(&'a [Id]),
    /// `dict`, `OrderedDict` or `defaultdict`. Keys and values alternate.
    Dict(&'a [Id]),
    /// `datetime.date`.
    Date(Date),
    /// `datetime.time`.
    Time(Time),
    /// `datetime.datetime`.
    DateTime(DateTime),
    /// `datetime.timedelta`.
    TimeDelta(Span),
    /// `decimal.Decimal`, as its digits.
    Decimal(Cow<'a, str>),
    /// `range`.
    Range(Range),
    /// A class or function.
    Global,
    /// The result of a call of any other class or function.
    Instance(Instance<'a>),
}

/// A `range`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The first number.
    pub start: i64,
    /// The end, which is not in the range.
    pub stop: i64,
    /// The step from each number to the next; not zero in Python.
    pub step: i64,
}

impl Range {
    /// Iterates over the numbers; `None` if the step is zero.
    ///
    /// ```
    /// use npy_pickle::Range;
    ///
    /// let range = Range { start: 0, stop: 5, step: 2 };
    /// assert!(range.numbers().is_some_and(|numbers| numbers.eq([0, 2, 4])));
    /// ```
    pub fn numbers(self) -> Option<impl ExactSizeIterator<Item = i64>> {
        let (start, step) = (i128::from(self.start), i128::from(self.step));
        let span = i128::from(self.stop).saturating_sub(start);
        // Rounded away from zero.
        let steps = span.saturating_add(step).saturating_sub(step.signum()).checked_div(step)?;
        let count = usize::try_from(steps.max(0)).ok()?;
        Some((0..count).map(move |i| {
            let offset = step.saturating_mul(i128::try_from(i).unwrap_or(i128::MAX));
            i64::try_from(start.saturating_add(offset)).unwrap_or(self.stop)
        }))
    }
}

/// Prints as in Python.
impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Range { start, stop, step } = self;
        match step {
            1 => write!(f, "range({start}, {stop})"),
            _ => write!(f, "range({start}, {stop}, {step})"),
        }
    }
}

/// The result of a call that is not one of Python's own types.
#[derive(Clone, Debug)]
pub struct Instance<'a> {
    object: Object<'a>,
    call: &'a Call,
    /// The name and the arguments; `None` if what is called has no name, or is not called with a tuple of arguments.
    pub invocation: Option<Invocation<'a>>,
}

impl<'a> Instance<'a> {
    /// Returns the items that Python would append to the object, if its class is a subclass of `list`.
    ///
    /// ```
    /// use npy_pickle::{Encoding, Objects, Pickle, Value};
    ///
    /// let pickle = Pickle::new(b"cm\nList\n)RK\x07a.".to_vec())?;
    /// let objects = Objects::new(pickle, Encoding::Ascii, None)?;
    /// let Value::Instance(list) = objects.root().value() else { panic!("an instance") };
    /// assert_eq!(list.items().len(), 1);
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn items(&self) -> &'a [Id] {
        self.object.objects().graph().items(self.call.items)
    }

    /// Returns the entries that Python would set in the object, if its class is a subclass of `dict`. Keys and values alternate.
    ///
    /// ```
    /// use npy_pickle::{Encoding, Objects, Pickle, Value};
    ///
    /// let pickle = Pickle::new(b"cm\nDict\n)RVa\nK\x07s.".to_vec())?;
    /// let objects = Objects::new(pickle, Encoding::Ascii, None)?;
    /// let Value::Instance(dict) = objects.root().value() else { panic!("an instance") };
    /// assert_eq!(dict.pairs().len(), 2);
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn pairs(&self) -> &'a [Id] {
        self.object.objects().graph().items(self.call.pairs)
    }

    /// Returns the attributes, if the state of the object is a dictionary of them. Names and values alternate.
    ///
    /// ```
    /// use npy_pickle::{Encoding, Objects, Pickle, Value};
    ///
    /// let pickle = Pickle::new(b"cm\nPoint\n)R}Vx\nK\x07sb.".to_vec())?;
    /// let objects = Objects::new(pickle, Encoding::Ascii, None)?;
    /// let Value::Instance(point) = objects.root().value() else { panic!("an instance") };
    /// assert_eq!(point.attributes().map(<[_]>::len), Some(2));
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn attributes(&self) -> Option<&'a [Id]> {
        let objects = self.object.objects();
        let state = objects.object(self.call.state);
        let state = match state.tuple() {
            // A pair: the dictionary of the attributes, and that of the attributes in slots.
            Some(parts) => objects.object(*parts.first()?),
            None => state,
        };
        match state.node() {
            Node::Dict(pairs) => Some(objects.graph().items(pairs)),
            _ => None,
        }
    }
}

impl<'a> Object<'a> {
    /// Returns the value. Nothing is decoded but short arguments, so that it takes no longer for a long object.
    ///
    /// ```
    /// use npy_pickle::{Encoding, Objects, Pickle, Value};
    ///
    /// // pickle.dumps(decimal.Decimal("0.5"), protocol=0)
    /// let pickle = Pickle::new(b"cdecimal\nDecimal\n(V0.5\ntR.".to_vec())?;
    /// let objects = Objects::new(pickle, Encoding::Ascii, None)?;
    /// assert!(matches!(objects.root().value(), Value::Decimal(digits) if digits == "0.5"));
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn value(self) -> Value<'a> {
        let graph = self.objects().graph();
        match self.node() {
            Node::None => Value::None,
            Node::Bool(value) => Value::Bool(value),
            Node::Int(number) => Value::Int(number),
            Node::Float(number) => Value::Float(number),
            Node::Data(form, data) => {
                let bytes = data.of(&self.objects().pickle().bytes);
                match form {
                    Form::Str | Form::EscapedStr => Value::Str,
                    Form::Python2 | Form::Python2Literal if self.objects().has_text() => Value::Str,
                    Form::Python2 | Form::Python2Literal | Form::Bytes => Value::Bytes,
                    Form::ByteArray => Value::ByteArray,
                    Form::Global => Value::Global,
                    Form::BigInt => Value::BigInt(BigInt::Binary(bytes)),
                    Form::DecimalInt => Value::BigInt(BigInt::Decimal(bytes)),
                }
            }
            Node::List(items) => Value::List(graph.items(items)),
            Node::Tuple(items) => Value::Tuple(graph.items(items)),
            Node::Set(items) => Value::Set(graph.items(items)),
            Node::FrozenSet(items) => Value::FrozenSet(graph.items(items)),
            Node::Dict(pairs) => Value::Dict(graph.items(pairs)),
            Node::Global(..) => Value::Global,
            Node::Call(index) => match graph.call(index) {
                Some(call) => self.called(call),
                None => Value::None,
            },
        }
    }

    /// Returns the value of a call: of a known function or class if its arguments are valid, and otherwise an instance.
    fn called(self, call: &'a Call) -> Value<'a> {
        let mut instance = Instance { object: self, call, invocation: self.invocation() };
        match instance.invocation.take() {
            Some(invocation) => instance.known(&invocation).unwrap_or_else(|| {
                instance.invocation = Some(invocation);
                Value::Instance(instance)
            }),
            None => Value::Instance(instance),
        }
    }
}

impl<'a> Instance<'a> {
    /// Returns the value if it is one of Python's own types.
    fn known(&self, invocation: &Invocation<'a>) -> Option<Value<'a>> {
        let arguments = invocation.arguments;
        if !is_data(invocation.module(), invocation.name()) {
            return None;
        }
        match (invocation.module(), invocation.name()) {
            ("builtins", "complex") => {
                let parts = arguments.float(0).zip(arguments.float(1));
                parts.map(|(re, im)| Value::Complex(re, im))
            }
            ("builtins", "bytearray") => arguments.are_bytes().then_some(Value::ByteArray),
            ("builtins", "bytes") | ("_codecs", "encode") => {
                arguments.are_bytes().then_some(Value::Bytes)
            }
            ("builtins", "set") => arguments.list(0).map(Value::Set),
            ("builtins", "frozenset") => arguments.list(0).map(Value::FrozenSet),
            ("builtins", "range" | "xrange") => {
                let (start, stop) = (arguments.int(0)?, arguments.int(1)?);
                Some(Value::Range(Range { start, stop, step: arguments.int(2)? }))
            }
            // Python 2 passes a list of pairs.
            ("collections", "OrderedDict") if !arguments.ids.is_empty() => None,
            ("collections", "OrderedDict" | "defaultdict") => Some(Value::Dict(self.pairs())),
            // Python 2 passes the items, and Python 3 appends them.
            ("collections", "deque") => match arguments.list(0) {
                Some([]) => Some(Value::List(self.items())),
                passed => passed.filter(|_| self.items().is_empty()).map(Value::List),
            },
            ("decimal", "Decimal") => arguments.text(0).map(Value::Decimal),
            ("datetime", "date") => Date::new(&arguments.bytes(0)?).map(Value::Date),
            ("datetime", "time") => {
                Time::new(&arguments.bytes(0)?, arguments.zone(1)?).map(Value::Time)
            }
            ("datetime", "datetime") => {
                DateTime::new(&arguments.bytes(0)?, arguments.zone(1)?).map(Value::DateTime)
            }
            ("datetime", "timedelta") => arguments.span().map(Value::TimeDelta),
            _ => None,
        }
    }
}
