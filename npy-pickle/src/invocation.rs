//! Calls of a class or function that the pickle names, and their arguments.
//!
//! A call within the arguments of another call is looked at only for bytes and time zones, and only to a fixed depth. So a chain of nested
//! calls causes no recursion.

use std::borrow::Cow;

use crate::time::Span;
use crate::{Form, Id, Node, Object, Objects, common_module};

/// A call of a class or function that the pickle names.
#[derive(Clone, Debug)]
pub struct Invocation<'a> {
    module: Cow<'a, str>,
    name: Cow<'a, str>,
    /// The arguments.
    pub arguments: Arguments<'a>,
}

/// The arguments of a call.
#[derive(Clone, Copy, Debug)]
pub struct Arguments<'a> {
    of: &'a Objects,
    /// The nodes of the arguments.
    pub ids: &'a [Id],
}

impl<'a> Object<'a> {
    /// Parses a call; `None` if the object is not a call, or if what it calls has no name.
    ///
    /// ```
    /// use npy_pickle::{Encoding, Objects, Pickle};
    ///
    /// let objects = Objects::new(Pickle::new(b"cm\nf\n)R.".to_vec())?, Encoding::Ascii, None)?;
    /// let call = objects.root().invocation().expect("a call");
    /// assert_eq!((call.module(), call.name()), ("m", "f"));
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn invocation(self) -> Option<Invocation<'a>> {
        let (objects, call) = (self.objects(), self.call()?);
        let graph = objects.graph();
        let ids = objects.object(call.arguments).tuple()?;
        let (module, name) = graph.name(&objects.pickle().bytes, graph.node(call.callable))?;
        Some(Invocation { module, name, arguments: Arguments { of: objects, ids } })
    }

    /// Returns the length of the first argument, or of that of an inner call.
    pub(crate) fn length_of_call(self) -> u64 {
        let ids = self.arguments().and_then(Object::tuple).unwrap_or_default();
        let arguments = Arguments { of: self.objects(), ids };
        let arguments = arguments.of_inner_call().unwrap_or(arguments);
        arguments.get(0).map_or(0, Object::length_of_data)
    }
}

impl<'a> Invocation<'a> {
    /// Returns the name of the module in Python 3 and in NumPy 1.
    ///
    /// ```
    /// use npy_pickle::{Encoding, Objects, Pickle};
    ///
    /// let pickle = Pickle::new(b"c__builtin__\nset\n)R.".to_vec())?;
    /// let objects = Objects::new(pickle, Encoding::Ascii, None)?;
    /// assert_eq!(objects.root().invocation().expect("a call").module(), "builtins");
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn module(&self) -> &str {
        common_module(&self.module)
    }

    /// Returns the name in the module.
    ///
    /// ```
    /// use npy_pickle::{Encoding, Objects, Pickle};
    ///
    /// let objects = Objects::new(Pickle::new(b"cm\nf\n)R.".to_vec())?, Encoding::Ascii, None)?;
    /// assert_eq!(objects.root().invocation().expect("a call").name(), "f");
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn name(&self) -> &str {
        &self.name
    }

    fn is(&self, module: &str, name: &str) -> bool {
        self.module() == module && self.name == name
    }

    /// Returns the bytes that the call makes.
    pub(crate) fn bytes(&self) -> Option<Cow<'a, [u8]>> {
        let is_bytes = self.is("_codecs", "encode")
            || self.is("builtins", "bytes")
            || self.is("builtins", "bytearray");
        if is_bytes { self.arguments.encoded() } else { None }
    }
}

impl<'a> Arguments<'a> {
    /// Returns an argument.
    ///
    /// ```
    /// use npy_pickle::{Encoding, Objects, Pickle};
    ///
    /// let objects = Objects::new(Pickle::new(b"cm\nf\n)R.".to_vec())?, Encoding::Ascii, None)?;
    /// assert!(objects.root().invocation().expect("a call").arguments.get(0).is_none());
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn get(self, index: usize) -> Option<Object<'a>> {
        self.ids.get(index).map(|&id| self.of.object(id))
    }

    /// Returns an integer.
    ///
    /// ```
    /// use npy_pickle::{Encoding, Objects, Pickle};
    ///
    /// let objects = Objects::new(Pickle::new(b"cm\nf\nK\x07\x85R.".to_vec())?, Encoding::Ascii, None)?;
    /// assert_eq!(objects.root().invocation().expect("a call").arguments.int(0), Some(7));
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn int(self, index: usize) -> Option<i64> {
        self.get(index)?.int()
    }

    pub(crate) fn float(self, index: usize) -> Option<f64> {
        match self.get(index)?.node() {
            Node::Float(number) => Some(number),
            _ => None,
        }
    }

    /// Returns text.
    ///
    /// ```
    /// use npy_pickle::{Encoding, Objects, Pickle};
    ///
    /// let pickle = Pickle::new(b"cm\nf\n(Va\ntR.".to_vec())?;
    /// let objects = Objects::new(pickle, Encoding::Ascii, None)?;
    /// let call = objects.root().invocation().expect("a call");
    /// assert_eq!(call.arguments.text(0).as_deref(), Some("a"));
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn text(self, index: usize) -> Option<Cow<'a, str>> {
        self.get(index)?.ascii()
    }

    /// Returns the items of a list or tuple; an empty list if there is no argument at this index.
    pub(crate) fn list(self, index: usize) -> Option<&'a [Id]> {
        let Some(list) = self.get(index) else { return Some(&[]) };
        match list.node() {
            Node::List(items) | Node::Tuple(items) => Some(self.of.graph().items(items)),
            _ => None,
        }
    }

    /// Returns the few bytes of a date or a time.
    pub(crate) fn bytes(self, index: usize) -> Option<Cow<'a, [u8]>> {
        self.get(index)?.short_bytes()
    }

    /// Returns true if [`encoded`](Self::encoded) may return bytes.
    pub(crate) fn are_bytes(self) -> bool {
        let arguments = self.of_inner_call().unwrap_or(self);
        let Some(value) = arguments.get(0) else { return true };
        match value.node() {
            Node::Data(Form::Str | Form::EscapedStr, _) => arguments.is_latin(),
            Node::Data(form, _) => !matches!(form, Form::Global | Form::BigInt | Form::DecimalInt),
            _ => false,
        }
    }

    /// Returns true if the second argument is the name of Latin-1.
    fn is_latin(self) -> bool {
        /// The length of `latin-1`, and of a line feed, which the text of protocol 0 has.
        const MAX_NAME: u64 = 8;
        let is_short = self.get(1).is_some_and(|name| name.length() <= MAX_NAME);
        is_short && self.text(1).is_some_and(|name| matches!(name.as_ref(), "latin-1" | "latin1"))
    }

    /// Returns the bytes in the first argument. If it is text, encodes it as the second argument says.
    fn encoded(self) -> Option<Cow<'a, [u8]>> {
        self.of_inner_call().unwrap_or(self).encoded_text()
    }

    /// Returns the arguments of the call that makes the bytes of a `bytearray` in the protocols of Python 2.
    fn of_inner_call(self) -> Option<Self> {
        let inner = self.get(0)?.invocation()?;
        inner.is("_codecs", "encode").then_some(inner.arguments)
    }

    fn encoded_text(self) -> Option<Cow<'a, [u8]>> {
        let Some(value) = self.get(0) else { return Some(Cow::Borrowed(&[])) };
        let Node::Data(form, data) = value.node() else { return None };
        if let Some(bytes) = self.of.contents(form, data) {
            return Some(bytes);
        }
        let text = value.ascii().filter(|_| self.is_latin())?;
        let bytes = text.chars().map(|c| u8::try_from(u32::from(c)).ok());
        bytes.collect::<Option<Vec<u8>>>().map(Cow::Owned)
    }

    /// Returns `datetime.timedelta(days, seconds, microseconds)`.
    pub(crate) fn span(self) -> Option<Span> {
        Span::new(self.int(0)?, self.int(1)?, self.int(2)?)
    }

    /// Returns the offset of a time zone from UTC; `Some(None)` if there is no zone, and `None` if it is not a fixed offset.
    ///
    /// ```
    /// use npy_pickle::{Encoding, Objects, Pickle, time::Span};
    ///
    /// let zone = b"(cdatetime\ntimezone\n(cdatetime\ntimedelta\n(I0\nI60\nI0\ntRtRt";
    /// let pickle = [&b"cm\nf\n"[..], zone, b"R."].concat();
    /// let objects = Objects::new(Pickle::new(pickle)?, Encoding::Ascii, None)?;
    /// let call = objects.root().invocation().expect("a call");
    /// assert_eq!(call.arguments.zone(0), Some(Some(Span(60_000_000_000))));
    /// assert_eq!(call.arguments.zone(1), Some(None));
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn zone(self, index: usize) -> Option<Option<Span>> {
        let Some(zone) = self.get(index) else { return Some(None) };
        if let Node::None = zone.node() {
            return Some(None);
        }
        let zone = zone.invocation().filter(|call| call.is("datetime", "timezone"))?;
        let offset = zone.arguments.get(0)?.invocation()?;
        if offset.is("datetime", "timedelta") { offset.arguments.span().map(Some) } else { None }
    }
}
