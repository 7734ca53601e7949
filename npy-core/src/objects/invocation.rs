//! Parses the calls in a pickle: the name of the function, and its arguments.
//!
//! A call within the arguments of another call is looked at only for bytes and time zones, and only to a fixed depth. So a chain of nested
//! calls causes no recursion.

use std::borrow::Cow;

use super::time::Span;
use super::{ObjectRef, Objects};
use npy_pickle::{Call, Encoding, Form, Id, Node, common_module};

/// A call of a class or function that the pickle names.
pub(super) struct Invocation<'a> {
    module: Cow<'a, str>,
    name: Cow<'a, str>,
    pub(super) arguments: Arguments<'a>,
    pub(super) call: &'a Call,
}

impl Invocation<'_> {
    /// Returns the name of the module in Python 3 and in NumPy 1.
    pub(super) fn module(&self) -> &str {
        common_module(&self.module)
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    fn is(&self, module: &str, name: &str) -> bool {
        self.module() == module && self.name == name
    }

    /// Returns true for a call that makes a dtype.
    pub(super) fn is_dtype(&self) -> bool {
        self.is("numpy", "dtype")
            || self.is("numpy.core._internal", "_convert_to_stringdtype_kwargs")
    }
}

impl<'a> ObjectRef<'a> {
    /// Parses a call; `None` if the object is not a call, or if what it calls has no name.
    pub(super) fn invocation(self) -> Option<Invocation<'a>> {
        let graph = &self.of.graph;
        let Node::Call(index) = graph.node(self.id) else { return None };
        let call = graph.call(index)?;
        let Node::Tuple(ids) = graph.node(call.arguments) else { return None };
        let (module, name) = graph.name(&self.of.pickle, graph.node(call.callable))?;
        let arguments = Arguments { of: self.of, ids: graph.items(ids) };
        Some(Invocation { module, name, arguments, call })
    }

    /// Returns the items of a tuple.
    pub(super) fn tuple(self) -> Option<&'a [Id]> {
        match self.of.graph.node(self.id) {
            Node::Tuple(items) => Some(self.of.graph.items(items)),
            _ => None,
        }
    }

    /// Returns an integer of Python that fits in an `i64`.
    pub(super) fn int(self) -> Option<i64> {
        match self.of.graph.node(self.id) {
            Node::Int(number) => Some(number),
            _ => None,
        }
    }

    /// Returns the text of a name or an argument. Strings of Python 2 are decoded as Latin-1, whatever encoding the options set: names and
    /// arguments are ASCII.
    pub(super) fn ascii(self) -> Option<Cow<'a, str>> {
        self.text_in(Encoding::Latin1).ok()
    }

    /// Returns the length in the pickle of the text or bytes that [`raw_bytes`](Self::raw_bytes) decodes.
    pub(super) fn raw_length(self) -> u64 {
        let graph = &self.of.graph;
        let length = |id| match graph.node(id) {
            Node::Data(form, data) => self.of.length(form, data),
            _ => 0,
        };
        let Node::Call(index) = graph.node(self.id) else { return length(self.id) };
        let ids = graph.call(index).and_then(|call| self.of.reference(call.arguments).tuple());
        let arguments = Arguments { of: self.of, ids: ids.unwrap_or_default() };
        let arguments = arguments.of_inner_call().unwrap_or(arguments);
        arguments.ids.first().map_or(0, |&id| length(id))
    }

    /// Like [`raw_bytes`](Self::raw_bytes), for the few bytes of a date, a time or a unit; `None` for more bytes.
    pub(super) fn short_bytes(self) -> Option<Cow<'a, [u8]>> {
        /// Enough for ten bytes that are all escaped.
        const MAX_BYTES: u64 = 100;
        if self.raw_length() > MAX_BYTES { None } else { self.raw_bytes() }
    }

    /// Returns bytes that are an argument, or the data of an array. In the protocols of Python 2, Python 3 writes a call for them.
    pub(super) fn raw_bytes(self) -> Option<Cow<'a, [u8]>> {
        match self.of.graph.node(self.id) {
            Node::Data(form, data) => self.of.contents(form, data),
            _ => {
                let call = self.invocation()?;
                let is_bytes = call.is("_codecs", "encode")
                    || call.is("builtins", "bytes")
                    || call.is("builtins", "bytearray");
                if is_bytes { call.arguments.encoded() } else { None }
            }
        }
    }
}

/// The arguments of a call.
#[derive(Clone, Copy)]
pub(super) struct Arguments<'a> {
    pub(super) of: &'a Objects,
    pub(super) ids: &'a [Id],
}

impl<'a> Arguments<'a> {
    pub(super) fn get(self, index: usize) -> Option<ObjectRef<'a>> {
        self.ids.get(index).map(|&id| self.of.reference(id))
    }

    pub(super) fn int(self, index: usize) -> Option<i64> {
        self.get(index)?.int()
    }

    pub(super) fn float(self, index: usize) -> Option<f64> {
        match self.of.graph.node(self.get(index)?.id) {
            Node::Float(number) => Some(number),
            _ => None,
        }
    }

    pub(super) fn text(self, index: usize) -> Option<Cow<'a, str>> {
        self.get(index)?.ascii()
    }

    /// Returns the items of a list or tuple; an empty list if there is no argument at this index.
    pub(super) fn list(self, index: usize) -> Option<&'a [Id]> {
        let Some(list) = self.get(index) else { return Some(&[]) };
        match self.of.graph.node(list.id) {
            Node::List(items) | Node::Tuple(items) => Some(self.of.graph.items(items)),
            _ => None,
        }
    }

    /// Returns the few bytes of a date or a time.
    pub(super) fn bytes(self, index: usize) -> Option<Cow<'a, [u8]>> {
        self.get(index)?.short_bytes()
    }

    /// Returns true if [`encoded`](Self::encoded) may return bytes.
    pub(super) fn are_bytes(self) -> bool {
        let arguments = self.of_inner_call().unwrap_or(self);
        let Some(value) = arguments.get(0) else { return true };
        match self.of.graph.node(value.id) {
            Node::Data(Form::Str | Form::EscapedStr, _) => arguments.is_latin(),
            Node::Data(form, _) => !matches!(form, Form::Global | Form::BigInt | Form::DecimalInt),
            _ => false,
        }
    }

    /// Returns true if the second argument is the name of Latin-1.
    fn is_latin(self) -> bool {
        /// The length of `latin-1`, and of a line feed, which the text of protocol 0 has.
        const MAX_NAME: u64 = 8;
        let is_short = self.get(1).is_some_and(|name| name.raw_length() <= MAX_NAME);
        is_short && self.text(1).is_some_and(|name| matches!(name.as_ref(), "latin-1" | "latin1"))
    }

    /// Returns the bytes in the first argument. If it is text, encodes it as the second argument says.
    pub(super) fn encoded(self) -> Option<Cow<'a, [u8]>> {
        self.of_inner_call().unwrap_or(self).encoded_text()
    }

    /// Returns the arguments of the call that makes the bytes of a `bytearray` in the protocols of Python 2.
    fn of_inner_call(self) -> Option<Self> {
        let inner = self.get(0)?.invocation()?;
        inner.is("_codecs", "encode").then_some(inner.arguments)
    }

    fn encoded_text(self) -> Option<Cow<'a, [u8]>> {
        let Some(value) = self.get(0) else { return Some(Cow::Borrowed(&[])) };
        let Node::Data(form, data) = self.of.graph.node(value.id) else { return None };
        if let Some(bytes) = self.of.contents(form, data) {
            return Some(bytes);
        }
        let text = value.ascii().filter(|_| self.is_latin())?;
        let bytes = text.chars().map(|c| u8::try_from(u32::from(c)).ok());
        bytes.collect::<Option<Vec<u8>>>().map(Cow::Owned)
    }

    /// Returns `datetime.timedelta(days, seconds, microseconds)`.
    pub(super) fn span(self) -> Option<Span> {
        Span::new(self.int(0)?, self.int(1)?, self.int(2)?)
    }

    /// Returns the offset of a time zone from UTC; `Some(None)` if there is no zone, and `None` if it is not a fixed offset.
    pub(super) fn zone(self, index: usize) -> Option<Option<Span>> {
        let Some(zone) = self.get(index) else { return Some(None) };
        if let Node::None = self.of.graph.node(zone.id) {
            return Some(None);
        }
        let zone = zone.invocation().filter(|call| call.is("datetime", "timezone"))?;
        let offset = zone.arguments.get(0)?.invocation()?;
        if offset.is("datetime", "timedelta") { offset.arguments.span().map(Some) } else { None }
    }
}
