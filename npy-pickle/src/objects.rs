//! The objects of a pickle: text, bytes and containers behind the nodes, and the contents that were left out.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::error::{Error, to_u64};
use crate::{
    Call, Data, Encoding, Form, Graph, Id, LeftOut, NONE, Node, Pickle, decode_bytes,
    decode_code_points, decode_text, parse,
};

/// A pickle and its graph.
///
/// ```
/// use npy_pickle::{Encoding, Objects, Pickle, Value};
///
/// // pickle.dumps([1.5, datetime.date(2001, 2, 3)], protocol=3)
/// let pickle = b"\x80\x03](G?\xf8\0\0\0\0\0\0cdatetime\ndate\nC\x04\x07\xd1\x02\x03\x85Re.";
/// let objects = Objects::new(Pickle::new(pickle.to_vec())?, Encoding::Ascii, None)?;
/// let Value::List(ids) = objects.root().value() else { panic!("a list") };
/// let Value::Date(date) = objects.object(ids[1]).value() else { panic!("a date") };
/// assert_eq!(date.to_string(), "2001-02-03");
/// # Ok::<(), npy_pickle::Error>(())
/// ```
#[derive(Clone)]
pub struct Objects {
    pickle: Pickle,
    graph: Graph,
    encoding: Encoding,
    file: Option<Arc<dyn ReadLeftOut>>,
}

/// The file of a pickle, which has the contents that were left out.
pub trait ReadLeftOut: Send + Sync {
    /// Returns this many bytes at an offset; `None` if they cannot be read, a reason that the file can keep.
    ///
    /// ```
    /// use npy_pickle::ReadLeftOut;
    ///
    /// struct Zeros;
    ///
    /// impl ReadLeftOut for Zeros {
    ///     fn read(&self, _offset: u64, length: u64) -> Option<Vec<u8>> {
    ///         Some(vec![0; length.try_into().ok()?])
    ///     }
    /// }
    /// assert_eq!(Zeros.read(0, 2), Some(vec![0, 0]));
    /// ```
    fn read(&self, offset: u64, length: u64) -> Option<Vec<u8>>;
}

/// An object of a pickle. It is a cursor: copies are cheap.
#[derive(Clone, Copy)]
pub struct Object<'a> {
    of: &'a Objects,
    id: Id,
}

impl Objects {
    /// Makes the graph of a pickle. Strings of Python 2 are in this encoding; `file` has the contents that were left out.
    ///
    /// ```
    /// use npy_pickle::{Encoding, Objects, Pickle};
    ///
    /// let objects = Objects::new(Pickle::new(b"K\x07.".to_vec())?, Encoding::Ascii, None)?;
    /// assert_eq!(objects.root().int(), Some(7));
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`parse`].
    pub fn new(
        pickle: Pickle,
        encoding: Encoding,
        file: Option<Arc<dyn ReadLeftOut>>,
    ) -> Result<Self, Error> {
        Ok(Objects { graph: parse(&pickle)?, pickle, encoding, file })
    }

    /// Returns the object that the pickle stores.
    ///
    /// ```
    /// use npy_pickle::{Encoding, Objects, Pickle};
    ///
    /// let objects = Objects::new(Pickle::new(b"Va\n.".to_vec())?, Encoding::Ascii, None)?;
    /// assert_eq!(objects.root().text().unwrap(), "a");
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn root(&self) -> Object<'_> {
        self.object(self.graph.root())
    }

    /// Returns the object of a node; `None` of Python for [`NONE`].
    ///
    /// ```
    /// use npy_pickle::{Encoding, Objects, Pickle};
    ///
    /// let objects = Objects::new(Pickle::new(b"K\x07\x85.".to_vec())?, Encoding::Ascii, None)?;
    /// let ids = objects.root().tuple().expect("a tuple");
    /// assert_eq!(objects.object(ids[0]).int(), Some(7));
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    #[inline]
    pub fn object(&self, id: Id) -> Object<'_> {
        Object { of: self, id }
    }

    /// Returns the graph.
    ///
    /// ```
    /// use npy_pickle::{Encoding, Objects, Pickle};
    ///
    /// let objects = Objects::new(Pickle::new(b"](K\x07Ne.".to_vec())?, Encoding::Ascii, None)?;
    /// assert_eq!(objects.graph().nodes().len(), 3);
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    #[inline]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Returns the pickle.
    ///
    /// ```
    /// use npy_pickle::{Encoding, Objects, Pickle};
    ///
    /// let objects = Objects::new(Pickle::new(b"N.".to_vec())?, Encoding::Ascii, None)?;
    /// assert_eq!(objects.pickle().bytes, b"N.");
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn pickle(&self) -> &Pickle {
        &self.pickle
    }

    /// Returns the pickle, without its graph.
    ///
    /// ```
    /// use npy_pickle::{Encoding, Objects, Pickle};
    ///
    /// let objects = Objects::new(Pickle::new(b"N.".to_vec())?, Encoding::Ascii, None)?;
    /// assert_eq!(objects.into_pickle().bytes, b"N.");
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn into_pickle(self) -> Pickle {
        self.pickle
    }

    /// Returns the length of the pickle, with the contents that were left out.
    ///
    /// ```
    /// use npy_pickle::{Encoding, Objects, Pickle};
    ///
    /// let objects = Objects::new(Pickle::new(b"N.".to_vec())?, Encoding::Ascii, None)?;
    /// assert_eq!(objects.length(), 2);
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn length(&self) -> u64 {
        let left_out = self.pickle.left_out.iter().map(|contents| contents.length);
        left_out.fold(to_u64(self.pickle.bytes.len()), u64::saturating_add)
    }

    /// Returns true if strings of Python 2 are text.
    pub(crate) fn has_text(&self) -> bool {
        self.encoding != Encoding::Bytes
    }

    /// Returns the contents of a bytes object or of a string of Python 2; `None` for other data, and if the file cannot be read.
    pub(crate) fn contents(&self, form: Form, data: Data) -> Option<Cow<'_, [u8]>> {
        match self.left_out(form, data) {
            Some(LeftOut { offset, length, .. }) => {
                self.file.as_ref()?.read(*offset, *length).map(Cow::Owned)
            }
            None => decode_bytes(form, data.of(&self.pickle.bytes)),
        }
    }

    /// Returns where the contents are in the file, if they were left out of the pickle.
    fn left_out(&self, form: Form, data: Data) -> Option<&LeftOut> {
        if !matches!(form, Form::Bytes | Form::ByteArray) {
            return None;
        }
        let left_out = &self.pickle.left_out;
        let index = left_out.binary_search_by_key(&data.start(), |contents| contents.at);
        left_out.get(index.ok()?)
    }

    /// Returns the length of text, bytes or a large integer.
    #[inline]
    fn length_of(&self, form: Form, data: Data) -> u64 {
        match data.short_length() {
            Some(length) => length,
            None => match self.left_out(form, data) {
                Some(contents) => contents.length,
                None => to_u64(data.of(&self.pickle.bytes).len()),
            },
        }
    }
}

impl<'a> Object<'a> {
    /// Returns the objects of the pickle.
    ///
    /// ```
    /// use npy_pickle::{Encoding, Objects, Pickle};
    ///
    /// let objects = Objects::new(Pickle::new(b"N.".to_vec())?, Encoding::Ascii, None)?;
    /// assert_eq!(objects.root().objects().length(), 2);
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn objects(self) -> &'a Objects {
        self.of
    }

    /// Returns the index of the node.
    ///
    /// ```
    /// use npy_pickle::{Encoding, Objects, Pickle};
    ///
    /// let objects = Objects::new(Pickle::new(b"N.".to_vec())?, Encoding::Ascii, None)?;
    /// assert_eq!(objects.root().id(), objects.graph().root());
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn id(self) -> Id {
        self.id
    }

    /// Returns the node.
    ///
    /// ```
    /// use npy_pickle::{Encoding, Node, Objects, Pickle};
    ///
    /// let objects = Objects::new(Pickle::new(b"N.".to_vec())?, Encoding::Ascii, None)?;
    /// assert!(matches!(objects.root().node(), Node::None));
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    #[inline]
    pub fn node(self) -> Node {
        self.of.graph.node(self.id)
    }

    /// Returns the items of a tuple.
    ///
    /// ```
    /// use npy_pickle::{Encoding, Objects, Pickle};
    ///
    /// let objects = Objects::new(Pickle::new(b"K\x07\x85.".to_vec())?, Encoding::Ascii, None)?;
    /// assert_eq!(objects.root().tuple().map(<[_]>::len), Some(1));
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn tuple(self) -> Option<&'a [Id]> {
        match self.node() {
            Node::Tuple(items) => Some(self.of.graph.items(items)),
            _ => None,
        }
    }

    /// Returns an integer that fits in an `i64`.
    ///
    /// ```
    /// use npy_pickle::{Encoding, Objects, Pickle};
    ///
    /// let objects = Objects::new(Pickle::new(b"K\x07.".to_vec())?, Encoding::Ascii, None)?;
    /// assert_eq!(objects.root().int(), Some(7));
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn int(self) -> Option<i64> {
        match self.node() {
            Node::Int(number) => Some(number),
            _ => None,
        }
    }

    /// Returns text.
    ///
    /// ```
    /// use npy_pickle::{Encoding, Objects, Pickle};
    ///
    /// let objects = Objects::new(Pickle::new(b"X\x01\0\0\0a.".to_vec())?, Encoding::Ascii, None)?;
    /// assert_eq!(objects.root().text().unwrap(), "a");
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The reason why the object is not text that a Rust string can hold: [`decode_text`].
    #[inline]
    pub fn text(self) -> Result<Cow<'a, str>, &'static str> {
        self.text_in(self.of.encoding)
    }

    /// Returns the code points of text, which may have surrogates; `None` if it is not text.
    ///
    /// ```
    /// use npy_pickle::{Encoding, Objects, Pickle};
    ///
    /// // pickle.dumps("\ud800", protocol=0)
    /// let objects = Objects::new(Pickle::new(b"V\\ud800\n.".to_vec())?, Encoding::Ascii, None)?;
    /// assert!(objects.root().text().is_err());
    /// assert_eq!(objects.root().code_points().unwrap(), [0xd800]);
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn code_points(self) -> Option<Vec<u32>> {
        match self.node() {
            Node::Data(form, data) => {
                decode_code_points(form, data.of(&self.of.pickle.bytes), self.of.encoding)
            }
            _ => None,
        }
    }

    /// Returns the text of a name or an argument. Strings of Python 2 are decoded as Latin-1, in whichever encoding text is: names and
    /// arguments are ASCII.
    ///
    /// ```
    /// use npy_pickle::{Encoding, Objects, Pickle};
    ///
    /// let objects = Objects::new(Pickle::new(b"S'<'\n.".to_vec())?, Encoding::Bytes, None)?;
    /// assert_eq!(objects.root().ascii().as_deref(), Some("<"));
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn ascii(self) -> Option<Cow<'a, str>> {
        self.text_in(Encoding::Latin1).ok()
    }

    #[inline]
    fn text_in(self, encoding: Encoding) -> Result<Cow<'a, str>, &'static str> {
        match self.node() {
            Node::Data(form, data) => decode_text(form, data.of(&self.of.pickle.bytes), encoding),
            _ => Err("it is not text"),
        }
    }

    /// Returns bytes. In the protocols of Python 2, Python 3 writes a call for them.
    ///
    /// ```
    /// use npy_pickle::{Encoding, Objects, Pickle};
    ///
    /// // pickle.dumps(b"\xff", protocol=0)
    /// let pickle = b"c_codecs\nencode\n(V\xff\nVlatin1\ntR.".to_vec();
    /// let objects = Objects::new(Pickle::new(pickle)?, Encoding::Ascii, None)?;
    /// assert_eq!(objects.root().bytes().as_deref(), Some(&b"\xff"[..]));
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn bytes(self) -> Option<Cow<'a, [u8]>> {
        match self.node() {
            Node::Data(form, data) => self.of.contents(form, data),
            _ => self.invocation()?.bytes(),
        }
    }

    /// Like [`bytes`](Self::bytes), for the few bytes of a date, a time or a name; `None` for more bytes.
    ///
    /// ```
    /// use npy_pickle::{Encoding, Objects, Pickle};
    ///
    /// let objects = Objects::new(Pickle::new(b"C\x02us.".to_vec())?, Encoding::Ascii, None)?;
    /// assert_eq!(objects.root().short_bytes().as_deref(), Some(&b"us"[..]));
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn short_bytes(self) -> Option<Cow<'a, [u8]>> {
        /// Enough for ten bytes that are all escaped.
        const MAX_BYTES: u64 = 100;
        if self.length() > MAX_BYTES { None } else { self.bytes() }
    }

    /// Returns the length in the pickle of text, bytes or a large integer.
    ///
    /// ```
    /// use npy_pickle::{Encoding, Objects, Pickle};
    ///
    /// let objects = Objects::new(Pickle::new(b"C\x02us.".to_vec())?, Encoding::Ascii, None)?;
    /// assert_eq!(objects.root().length(), 2);
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn length(self) -> u64 {
        match self.node() {
            Node::Call(_) => self.length_of_call(),
            _ => self.length_of_data(),
        }
    }

    pub(crate) fn length_of_data(self) -> u64 {
        match self.node() {
            Node::Data(form, data) => self.of.length_of(form, data),
            _ => 0,
        }
    }

    /// Returns an upper bound for the memory of the object as a value of its own: text in UTF-8, bytes, or the digits of a number. A pickle can
    /// use an object any number of times.
    ///
    /// ```
    /// use npy_pickle::{Encoding, Objects, Pickle};
    ///
    /// let objects = Objects::new(Pickle::new(b"S'\xe9'\n.".to_vec())?, Encoding::Latin1, None)?;
    /// assert!(objects.root().length_of_value() >= 2);
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    #[inline]
    pub fn length_of_value(self) -> u64 {
        match self.node() {
            Node::Data(form @ (Form::Str | Form::Bytes | Form::ByteArray), data) => {
                self.of.length_of(form, data)
            }
            // A byte of Latin-1 becomes two bytes of UTF-8.
            Node::Data(form, data) => self.of.length_of(form, data).saturating_mul(2),
            Node::Call(_) => self.length_of_parts().saturating_mul(2),
            _ => 0,
        }
    }

    /// Returns the length of the text and bytes that a call has.
    #[cold]
    fn length_of_parts(self) -> u64 {
        let length = |&id: &Id| self.of.object(id).length_of_data();
        let items = |id| self.of.object(id).tuple().unwrap_or_default();
        let Some(call) = self.call() else { return 0 };
        let first = items(call.arguments).iter().take(4).map(length);
        let last = items(call.state).last().map_or(0, length);
        first.fold(last, u64::saturating_add).max(self.length())
    }

    /// Returns where the contents of a bytes object are in the file, if they were left out of the pickle.
    ///
    /// ```
    /// use npy_pickle::{Encoding, Objects, Pickle};
    ///
    /// let objects = Objects::new(Pickle::new(b"C\x02us.".to_vec())?, Encoding::Ascii, None)?;
    /// assert!(objects.root().left_out().is_none());
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn left_out(self) -> Option<&'a LeftOut> {
        match self.node() {
            Node::Data(form, data) => self.of.left_out(form, data),
            _ => None,
        }
    }

    /// Returns the name of a class or function, or of the one that is called, as `module.name`.
    ///
    /// ```
    /// use npy_pickle::{Encoding, Objects, Pickle};
    ///
    /// let objects = Objects::new(Pickle::new(b"cos\nsystem\n.".to_vec())?, Encoding::Ascii, None)?;
    /// assert_eq!(objects.root().name().as_deref(), Some("os.system"));
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn name(self) -> Option<String> {
        let id = self.call().map_or(self.id, |call| call.callable);
        let graph = &self.of.graph;
        let (module, name) = graph.name(&self.of.pickle.bytes, graph.node(id))?;
        Some(format!("{module}.{name}"))
    }

    /// Returns a call.
    ///
    /// ```
    /// use npy_pickle::{Encoding, Objects, Pickle};
    ///
    /// let objects = Objects::new(Pickle::new(b"cm\nf\n)R.".to_vec())?, Encoding::Ascii, None)?;
    /// assert!(objects.root().call().is_some());
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn call(self) -> Option<&'a Call> {
        match self.node() {
            Node::Call(index) => self.of.graph.call(index),
            _ => None,
        }
    }

    /// Returns the arguments of a call.
    ///
    /// ```
    /// use npy_pickle::{Encoding, Objects, Pickle};
    ///
    /// let objects = Objects::new(Pickle::new(b"cm\nf\n)R.".to_vec())?, Encoding::Ascii, None)?;
    /// assert!(objects.root().arguments().and_then(|it| it.tuple()).is_some());
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn arguments(self) -> Option<Object<'a>> {
        self.call().map(|call| self.of.object(call.arguments))
    }

    /// Returns the state that Python would set in the result of a call.
    ///
    /// ```
    /// use npy_pickle::{Encoding, Objects, Pickle};
    ///
    /// let pickle = Pickle::new(b"cm\nf\n)RK\x07b.".to_vec())?;
    /// let objects = Objects::new(pickle, Encoding::Ascii, None)?;
    /// assert_eq!(objects.root().state().and_then(|state| state.int()), Some(7));
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn state(self) -> Option<Object<'a>> {
        let state = self.call().map(|call| call.state).filter(|&state| state != NONE)?;
        Some(self.of.object(state))
    }
}

impl fmt::Debug for Objects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Objects").field("pickle", &self.pickle).finish_non_exhaustive()
    }
}

impl fmt::Debug for Object<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Object").field("node", &self.node()).finish_non_exhaustive()
    }
}
